// Tangents: how the states of a run change along directions of its start and of the numbers of the model, one step at a time,
// forwards. The matrices are those of the step; what joints and forces add comes from their reverse derivatives, a row at a
// time, and serves all directions.
#ifndef PH_ADJOINT_TANGENT_H
#define PH_ADJOINT_TANGENT_H

#include "adjoint/sweep.h"

typedef struct range {
    int at, count;
} range;

// What a joint or force depends on.
typedef struct element {
    int *bodies;
    int body_count;
    range *ranges; // of numbers
    int range_count;
    bool *active; // by column: the direction changes some of these numbers
} element;

typedef struct tangent {
    sweep *s; // its matrices and nodes
    int columns;
    const double **directions; // by column: of numbers; NULL: none change
    bool inputs_given;         // inputs do not follow the model
    element *joints, *motors, *forces;
    size_t places;
    ph_twist *q, *v;        // by column and place: dq, dV; of momenta where a node is not shown
    double *targets;        // by column and target
    ph_twist *plus;         // by column and place
    ph_wrench *momentum;    // right-hand sides
    double *rows;           // by column and row
    ph_wrench *by_q, *by_v; // gradient at hand
    double *by_numbers, *by_inputs;
    ph_twist *unit; // zero but for one entry
} tangent;

bool tangent_create(sweep *s, int columns, const double **directions, arena *memory, tangent *t);
// dq and dV at the start, from the directions.
void tangent_begin(tangent *t);
// As sweep_back, the other way. false: a matrix is singular.
bool tangent_on(tangent *t, const tape_record *r, const tape_record *end, bool last, bool shown_before);

#endif
