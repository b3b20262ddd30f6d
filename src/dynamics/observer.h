// The inside of ph_observer, for the files that measure with it.
#ifndef PH_DYNAMICS_OBSERVER_H
#define PH_DYNAMICS_OBSERVER_H

#include "base/memory.h"
#include "dynamics/node.h"
#include "polhode/analysis.h"

// Scratch of stress.c.
typedef struct stress_room {
    ph_twist *accelerations; // model_places
    ph_wrench *Q;            // model_places
    ph_mat3 *W;              // model_places
    ph_wrench *reactions;    // joint_count
} stress_room;

bool stress_room_create(const ph_model *model, arena *memory, stress_room *room);

struct ph_observer {
    const ph_model *model;
    arena *memory;
    kkt kkt;
    node node;
    double *lambda;        // row_count: multipliers of the last ph_observer_dynamics
    bool *left_out;        // row_count
    double *z, *r, *p, *y; // conjugate gradients, row_count each
    double *first;         // row_count: the multipliers these begin with
    double *solution;      // of the equations of motion, before it is refined
    stress_room stress;
    void *beside; // what sensors keep with it, and how it is let go of; NULL: nothing
    void (*forget_beside)(void *beside);
};

void observer_set_motion(ph_observer *o, const ph_state *state); // time, frames and twists of `node`

#endif
