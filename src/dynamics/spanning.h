// A spanning forest of the joints: moving bodies along joint coordinates while everything that hangs on them comes along.
#ifndef PH_DYNAMICS_SPANNING_H
#define PH_DYNAMICS_SPANNING_H

#include "dynamics/hold.h"

typedef struct spanning_step {
    int joint;   // that carries ...
    int body;    // ... this body ...
    bool upward; // ... which is its body a, not b
} spanning_step;

typedef struct spanning {
    int count;            // bodies that hang on another
    spanning_step *steps; // in an order in which what carries comes first
    int *carried_by;      // by joint: its step, or -1 where it closes a loop
    bool closes_loops;    // there are joints that carry nothing
    placement before;     // scratch of spanning_move ...
    bool *moved;          // ... by body
} spanning;

// What hangs on nothing hangs on its heaviest body. Joints with `first` set carry before all others, so that loops are closed by the others.
bool spanning_create(const ph_model *model, const bool *first, arena *memory, spanning *tree);

// Moves all bodies by `change` of the joint coordinates (joint.first_coordinate + k; those of joints that carry nothing
// make no difference). Turns are counted on by `change`, so that any number of them is right. `twirl` (by body, or NULL)
// turns those about their anchors that no coordinate describes: on ball joints and their like.
void spanning_move(const ph_model *model, spanning *tree, const double *change, const ph_quat *twirl, placement *p);

// Changes the rates of all joints that carry by `change`; what hangs on them moves along.
void spanning_push(const ph_model *model, spanning *tree, const double *change, placement *p);

#endif
