// The Delassus operator of models with joints by the articulated factor: rows as path vectors (paths.h), N = Y^T Y.
//
// It stands beside the blocks of delassus_joined.c, which come from one matrix of bodies and joint rows, column by column. Here a row costs
// a walk to the root of its tree, a product with N two passes over these walks, and islands are solved by themselves.
#ifndef PH_CONTACT_DELASSUS_TREES_H
#define PH_CONTACT_DELASSUS_TREES_H

#include "contact/paths.h"

typedef struct delassus_trees {
    forest forest;
    articulated tree;
    loops loops;
    paths paths;
    double *armature; // by freedom
} delassus_trees;

// NULL in *made: the model is none that it can be used for. false: out of memory.
bool delassus_trees_create(const ph_model *model, arena *memory, delassus_trees **made);
void delassus_trees_destroy(delassus_trees *t); // NULL: nothing

// Does a force along a coordinate of this joint act along a freedom of a tree?
bool delassus_trees_has(const delassus_trees *t, const joint *j);

// The factor of M at a configuration: place, soften by what holds coordinates beside inertia, factor. false: singular.
void delassus_trees_place(delassus_trees *t, const ph_vec3 *position, const ph_quat *orientation);
void delassus_trees_soften(delassus_trees *t, const joint *j, int coordinate, double soft);
bool delassus_trees_factor(delassus_trees *t, const frame *frames);

// The rows of d as path vectors. false: out of memory.
bool delassus_trees_rows(delassus_trees *t, const delassus *d, const frame *frames);
void delassus_trees_apply(delassus_trees *t, const double *g, double *u); // u <- N g
void delassus_trees_fall(delassus_trees *t, const screw *wrench,
                         double *u); // what wrenches, by moving body, cause along the rows
// Impulses g with u = N g + q under Coulomb's law, from those in g.
ph_status delassus_trees_solve(delassus_trees *t, ph_cone_workspace *cones, const ph_cone_settings *settings,
                               const double *q, double *g, double *u, ph_cone_report *report);

#endif
