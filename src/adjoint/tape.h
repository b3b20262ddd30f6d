// What the steps of a run leave for the sweep backwards: nodes, and the unknowns of both stages between them.
#ifndef PH_ADJOINT_TAPE_H
#define PH_ADJOINT_TAPE_H

#include "schemes/variational.h"

typedef struct tape_node { // of a moving body
    ph_vec3 position;
    ph_quat orientation;
    ph_twist v; // where the substep before was not shown: momenta by masses
} tape_node;

typedef struct tape_head {
    double time;         // of the node
    double until, h;     // of the substep that leaves it
    double target_time;  // of motors by speed
    double index, shown; // index: of the substep in its step; shown: stage 2 was made at its end
} tape_head;

// One substep: where it began, and what it found.
typedef struct tape_record {
    tape_head *head;
    tape_node *node;                  // by moving body
    ph_twist *plus;                   // Omega_+ and v_+, by moving body
    double *lambda, *mu;              // h lambda; mu of stage 2
    double *inputs, *turns, *targets; // of the step
} tape_record;

typedef struct tape {
    const ph_model *model;
    double *data;
    size_t record; // doubles of each
    int room;      // records, and one for the last node
    int count;     // substeps that are on it
    int begun;     // substeps when the step at hand began
} tape;

size_t tape_record_size(const ph_model *model); // doubles
bool tape_create(const ph_model *model, int room, arena *memory, tape *t);
tape_record tape_at(const tape *t, int k);
// What forces and motors read of a step, at a time of it.
void tape_set_motion(node *at, const tape_record *r, double time);

void tape_clear(tape *t);
// Before each step: where it begins.
void tape_begin_step(tape *t, const ph_state *state);
void tape_end_step(tape *t, const ph_state *state);
void tape_take_step(tape *t, double h); // of a scheme without stages: the step that has been made
void tape_watch(void *user, const variational *s, const ph_state *state, int index, double h, double until, bool shown);

#endif
