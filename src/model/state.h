// The state, as schemes see it: one block with offsets, so that it can be saved and copied whole.
#ifndef PH_MODEL_STATE_H
#define PH_MODEL_STATE_H

#include "model/model.h"
#include "polhode/state.h"

struct ph_state {
    const ph_model *model;
    double time;
    double work;               // of forces without potential
    bool touched;              // edited by the user: the scheme rebuilds its history at the next step
    const void *history_owner; // the scheme (const ph_scheme *) that wrote the history, or NULL
    // One entry for each body and one for the world:
    ph_vec3 *position;         // centre of mass, world
    ph_quat *orientation;      // unit
    ph_vec3 *velocity;         // of the centre of mass, world
    ph_vec3 *angular_velocity; // body frame
    double *inputs;            // input_count
    double *multipliers;       // row_count: constraint forces of the last step, a first guess for the next
    double *turns;             // turn_count: angles of joints, whole turns included
    double *targets;           // target_count: where motors by speed have come to ...
    double target_time;        // ... at this time
    double *history;           // history_size doubles that the scheme owns
    int history_size;          // capacity; at most HISTORY_PER_BODY * body_count + HISTORY_PER_ROW * row_count
    size_t bytes;              // of the block that starts at this struct
};

// What `owner` (a const ph_scheme *) left in the history, or NULL when the user touched the state or another scheme wrote
// to it. A step reads this, and takes the history over only when it succeeds: a failed one leaves the state as it was.
const double *state_past(const ph_state *state, const void *owner);

// The history for `owner` (a const ph_scheme *): what it left there, or zeros when the user touched the state or another
// scheme wrote to it.
double *state_history(ph_state *state, const void *owner);

// Brings the targets of motors by speed to the present time.
void state_advance_targets(ph_state *state);

// Brings the counted angles to the present orientations; after every step, while no joint turns by half a turn in one.
void state_count_turns(ph_state *state);

// Room for the scheme's memory of earlier steps.
enum { HISTORY_PER_BODY = 32, HISTORY_PER_ROW = 4 };

#endif
