// Closed loops of trees, in their coordinates z.
//
// The rows of the joints that close loops, and of gears, have path vectors y as contacts do. Gram and Schmidt's method gives an
// orthonormal basis Q of them, Y = R Q; then the velocities that the loops allow are exactly
//
//     z - Q^T Q z + Q^T R^-1 rhs,      and products of contacts' vectors become y . y' - (Q y) . (Q y').
//
// Rows that depend on others are left out: those of which Gram and Schmidt leave nothing but rounding. Of the rows of a joint that
// with the largest rest comes first, so that a row which is dependent but for a lean of 1e-5 is not kept in place of one that
// counts.
#ifndef PH_ARTICULATED_LOOPS_H
#define PH_ARTICULATED_LOOPS_H

#include "articulated/articulated.h"

typedef struct loop_row {
    int joint, row;                     // of the model; within its joint
    int branches[JOINT_BODIES_MAX];     // it acts on; -1: none
    spatial wrenches[JOINT_BODIES_MAX]; // at the centres of mass
    double scale;                       // that a rest is compared with
    double constant;                    // velocity that motors prescribe along it
} loop_row;

typedef struct loop_group { // of a group of the forest
    int first;              // of its rows, among those of all groups
    int row_count, rank;
    loop_row *rows;
    int stride;         // of Y and Q: freedoms of the group, and zeros up to a multiple of eight
    double *Y, *Q;      // by row
    double *R;          // by row kept: row_count numbers
    int *kept;          // rows, `rank` of them
    double *rhs, *rest; // scratch by row
    int *index;         // scratch of a path
    double *path;
} loop_group;

typedef struct loops {
    articulated *tree;
    loop_group *groups;
    int row_count; // of all groups
} loops;

bool loops_create(articulated *tree, arena *memory, loops *l);

// Rows and basis at the configuration, of trees that are placed and factored. Frames by body of the model.
void loops_make(loops *l, int group, const frame *frames);
// The velocities along the rows that motors in the trees prescribe; after these have changed.
void loops_set_constants(loops *l, int group);

// phi (by row of the group) <- the residuals of the rows at another configuration.
void loops_residual(const loops *l, int group, const motion *at, double *phi);
// z <- the nearest with velocities `rhs` along the rows. z: of the whole forest.
void loops_onto(loops *l, int group, const double *rhs, double *z);
// The rows as they are, without motors: z <- Q^T R^-1 rhs
void loops_solve(loops *l, int group, const double *rhs, double *z);
// c += Q y of four vectors that have `count` entries; numbers of y and c stand `stride` apart.
void loops_along(const loops *l, int group, int count, const int *index, const double *y, int stride, double *c);
void loops_along_one(const loops *l, int group, int count, const int *index, const double *y,
                     double *c); // of one vector
// z -= Q^T w
void loops_subtract(const loops *l, int group, const double *w, double *z);

// lambda (by row) <- the impulses along the rows that bring z from `free` to where it is; zero for rows left out.
void loops_multipliers(const loops *l, int group, const double *free, const double *z, double *lambda);
// Adds them to the momenta of the bodies.
void loops_apply(loops *l, int group, const double *lambda);

static inline bool loops_has(const loops *l, int group)
{
    return l->groups[group].row_count > 0;
}

#endif
