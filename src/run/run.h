// A run while it is under way.
#ifndef PH_RUN_RUN_H
#define PH_RUN_RUN_H

#include "io/result/result.h"
#include "polhode/analysis.h"
#include "polhode/event.h"

typedef struct run {
    const ph_model *model;
    ph_state *state;
    const ph_run_def *def;
    ph_summary *summary;
    ph_error *error;
    ph_sim *sim;
    ph_event *event; // that stops the run, or NULL
    ph_observer *observer;
    ph_result_writer *writer;
    ph_mat3 *multipliers; // of all bodies, for the record; NULL: not asked for, or the scheme has none
    ph_quaternion *quaternions;

    // Step k leads to the time origin + (first + k) step, as state_time_after says; the last one to `until`.
    double step, until, origin;
    long long first, steps, done, recorded;
    bool complete; // continued, and its result has all rows and contacts already

    ph_symmetry symmetry;
    ph_measures start, now;
    double linear_error2, angular_error2; // squares of the largest errors
    long long iterations, contact_iterations;

    double wall_before;                                 // s, of the parts before this one
    double began, last_look, last_progress, last_saved; // clock
    long long next_look, look_every;                    // steps
} run;

// The grid of the steps to come, from the time of the state and the number of steps done.
void run_set_grid(run *r);
// Number of the last step, from r->until, r->origin and r->first.
ph_status run_count_steps(run *r);

// ---- run_checkpoint.c -----------------------------------------------------------------------------------------------

// Brings the result to the disk and saves the run as it is now.
ph_status run_save(run *r);

// The run's part of a checkpoint. PH_BAD_ARGUMENT: it belongs to another run; PH_IO: it cannot be.
ph_status run_load_bytes(run *r, const unsigned char *bytes, size_t length, long long *rows);

// Loads the state and all else from the checkpoint; *rows becomes how many rows of the result belong to it. When there is
// no checkpoint yet *rows is -1.
ph_status run_load(run *r, long long *rows);

#endif
