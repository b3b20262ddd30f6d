// Where trees are after a step: joints are placed, not corrected.
//
// The relation of each body to its parent goes on by h q' along its freedoms (freedom.h), so that joints fit to rounding whatever
// the step. A free tree is then shifted as a whole to where its centre of mass belongs: that of the bodies, each moved by h v.
#ifndef PH_ARTICULATED_ADVANCE_H
#define PH_ARTICULATED_ADVANCE_H

#include "articulated/articulated.h"

typedef struct advance {
    articulated *tree;
    relation *next;      // by branch
    double *drive_steps; // by branch: how far the coordinate goes that a motor prescribes
    ph_quat *root_turn;  // by tree: pose of its root, where it is free
    ph_vec3 *root_place;
    ph_vec3 *center; // by tree: where its centre of mass belongs, where it is free
} advance;

bool advance_create(articulated *tree, arena *memory, advance *a);

// The pose of each tree goes on by h times rates of its freedoms and, at a free root, its twist; then its centre of mass by h times
// the mean of the twists. `position`: of the bodies, now.
void advance_begin(advance *a, int tree, double h, const double *rate, const spatial *twist, const ph_vec3 *position,
                   const ph_quat *orientation);
// A small change on top of it, along freedoms and the twist of a free root.
void advance_change(advance *a, int tree, const double *steps, const spatial *twist);
// Poses of all bodies of the tree, by body of the model; those of bodies that cannot move must stand there.
void advance_put(const advance *a, int tree, ph_vec3 *position, ph_quat *orientation);

#endif
