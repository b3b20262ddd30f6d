// Writing a result file row by row.
#ifndef TESTS_RECORDING_H
#define TESTS_RECORDING_H

#include "model/state.h"
#include "polhode/polhode.h"

typedef struct recording {
    ph_model *model;
    ph_state *state;
    ph_observer *observer;
    ph_result_writer *writer;
    ph_error error;
} recording;

// Takes the model over.
static inline ph_status recording_start(recording *r, ph_model *model, const char *path, long long rows)
{
    const ph_result_def def = {.path = path, .scheme = "rattlie", .step = 0.25, .rows = rows};
    *r = (recording){.model = model, .state = ph_state_create(model)};
    ph_observer_create(model, &r->observer);
    return ph_result_create(model, &def, &r->writer, &r->error);
}

// A state like no other: k numbers it.
static inline void recording_set_state(recording *r, int k)
{
    ph_state_set_time(r->state, 0.1 * k);
    for (int i = 0; i < r->model->body_count; i++) {
        ph_state_velocities(r->state)[i] = (ph_vec3){k + 0.1 * i, 1.0 / (k + 3.0), -1e-300 * i};
        ph_state_angular_velocities(r->state)[i] = (ph_vec3){0.3 * k, i, 1e10};
    }
}

static inline ph_status recording_append(recording *r, int k)
{
    recording_set_state(r, k);
    return ph_result_append(r->writer, r->state, r->observer, &r->error);
}

static inline ph_status recording_stop(recording *r)
{
    const ph_status status = ph_result_close(r->writer, &r->error);
    ph_observer_destroy(r->observer);
    ph_state_destroy(r->state);
    ph_model_destroy(r->model);
    return status;
}

#endif
