// The inside of ph_observer, for the files that measure with it.
#ifndef PH_ANALYSIS_OBSERVER_H
#define PH_ANALYSIS_OBSERVER_H

#include "base/memory.h"
#include "polhode/analysis.h"
#include "schemes/node.h"

// Scratch of stress.c.
typedef struct stress_room {
    ph_twist *accelerations; // body_count + 1
    ph_wrench *Q;            // body_count + 1
    ph_mat3 *W;              // body_count + 1
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
    stress_room stress;
};

#endif
