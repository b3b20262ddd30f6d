// Polhode: the laboratory. One model moved by several schemes, all measured in the same way.
//
// A trial is written SCHEME[:OPTIONS][@STEP]: "rattlie", "lie-alpha:rho=0.8", "rkmk4@2e-3". A trial that fails says why
// in its row; the others go on. Results are plain structs of arrays that live until they are destroyed.
#ifndef POLHODE_LAB_H
#define POLHODE_LAB_H

#include "polhode/analysis.h"
#include "polhode/plot.h"

#ifdef __cplusplus
extern "C" {
#endif

// What two motions differ in: the largest over sample times and bodies of |x - x_ref| (m), of the angle between the
// orientations (rad), of |v - v_ref| (m/s) and |Omega - Omega_ref| (rad/s, body frame).
typedef enum ph_quantity { PH_POSITION, PH_ORIENTATION, PH_VELOCITY, PH_ANGULAR_VELOCITY, PH_QUANTITIES } ph_quantity;

typedef struct ph_motion_error {
    double of[PH_QUANTITIES]; // NaN: not measured
} ph_motion_error;

// The motion that errors are measured against. One that is given is a single run. One that is chosen is the exact motion
// where that is known; else the scheme of the highest order without damping that gets through, extrapolated to step 0
// from runs at the smallest step of the trials (a fraction of it below order 6), half of it and so on, where what the
// last of these runs has changed is taken for the uncertainty.
typedef struct ph_reference_info {
    const char *scheme; // with its options; NULL: there is none
    double step;        // the smallest
    int runs;
    ph_motion_error uncertainty; // NaN for one that is given
    const char *message;         // why there is none although one was wanted, or NULL
} ph_reference_info;

typedef struct ph_lab_progress {
    const char *trial; // what runs now
    double step;
    int run, runs; // from 0; how many there will be at the most
    double share;  // of this run that is done, 0 to 1
    double whole;  // of all runs, by their steps
} ph_lab_progress;

// Called about ten times a second; false: stop.
typedef bool (*ph_lab_progress_function)(const ph_lab_progress *progress, void *user);

// ---- Side by side ---------------------------------------------------------------------------------------------------

typedef struct ph_compare_def {
    uint32_t cookie;
    const char *const *trials;
    int trial_count;
    const char *reference;   // "SCHEME@STEP", "none", or NULL: one is chosen
    ph_sim_def sim;          // its scheme and options are not used
    double step, until;      // 0: what the model's run settings say
    int samples;             // of every history, at the most
    int body;                // whose motion the histories keep; PH_NONE: the last body that can move
    const char *const *outs; // a result file for each trial, with at most `samples` rows and a few; NULL: none
    ph_lab_progress_function progress;
    void *user;
    uint64_t reserved[4]; // room for later versions
} ph_compare_def;

PH_API ph_compare_def ph_default_compare(void);

// At sample times that all trials share. `_low`, `_high` and `_max` are over all steps since the sample before.
typedef struct ph_history {
    int count;
    double *time;
    double *energy_low, *energy_high; // of the energy error, J
    double *linear_max, *angular_max; // error of the conserved momentum; 0 where nothing is conserved
    double *orthogonality_max, *position_violation_max, *velocity_violation_max;
    double *penetration_max, *contact_residual_max;  // of schemes with contact, m and m/s
    ph_vec3 *position, *velocity, *angular_velocity; // of one body
    ph_quat *orientation;
} ph_history;

typedef struct ph_trial {
    const char *name; // as it was given
    ph_status status;
    const char *message;   // what went wrong, or NULL
    ph_summary summary;    // as far as it got
    double step_s;         // CPU time of one step, without measuring
    ph_motion_error error; // against the reference; NaN when there is none or the trial failed
    ph_history history;    // as far as it got
} ph_trial;

typedef struct ph_comparison {
    const char *model, *body;
    double step, until;
    int trial_count, failed;
    ph_trial *trials;
    ph_reference_info reference;
    ph_history reference_history; // time and motion only
} ph_comparison;

// Fails as a whole only when nothing can be compared: no step, no trials, no memory, interrupted. A comparison that was
// interrupted holds the trials that were done.
PH_API ph_status ph_compare(const ph_model *model, const ph_compare_def *def, ph_comparison **comparison,
                            ph_error *error);
PH_API void ph_comparison_destroy(ph_comparison *comparison);

typedef enum ph_comparison_figure {
    PH_FIGURE_ENERGY,
    PH_FIGURE_MOMENTUM,
    PH_FIGURE_VIOLATION,
    PH_FIGURE_ORTHOGONALITY,
    PH_FIGURE_TRAJECTORIES,
    PH_FIGURE_CONTACT,
    PH_COMPARISON_FIGURES
} ph_comparison_figure;

// NULL when out of memory, or when there is nothing to show (a momentum where none is conserved, contacts
// where there are none).
PH_API ph_plot *ph_comparison_plot(const ph_comparison *comparison, ph_comparison_figure figure);

// ---- Orders ---------------------------------------------------------------------------------------------------------

typedef struct ph_order_def {
    uint32_t cookie;
    const char *const *trials; // without @STEP
    int trial_count;
    const double *steps;
    int step_count;
    const double *times; // of the samples, multiples of every step; NULL: half and all of 250 of the largest steps
    int time_count;
    const char *reference; // "SCHEME@STEP", or NULL: one is chosen
    ph_sim_def sim;        // its scheme and options are not used
    int body;              // whose error is measured; PH_NONE: the largest of all
    double round_off;      // errors below it (times the size of the motion where that is above 1) tell nothing
    ph_lab_progress_function progress;
    void *user;
    uint64_t reserved[4]; // room for later versions
} ph_order_def;

PH_API ph_order_def ph_default_order(void);

typedef struct ph_order_point {
    double step;
    ph_status status;
    const char *message; // what went wrong, or NULL
    long long steps;
    double iterations_mean;
    double cpu_s; // of the whole run
    ph_motion_error error;
} ph_order_point;

typedef struct ph_order_fit {
    double *orders; // log of the ratio of errors / log of the ratio of steps, point k to k + 1; NaN: pair not used
    double slope;   // of the straight line through the points of used pairs, least squares; NaN: there is none
    int used;       // pairs
    int dropped;    // pairs whose smaller error is round-off, or not well above the reference's uncertainty
} ph_order_fit;

typedef struct ph_order_row {
    const char *name;
    int order; // what the scheme says of itself; 0: unknown scheme
    int failed;
    ph_order_point *points; // largest step first
    ph_order_fit fits[PH_QUANTITIES];
} ph_order_row;

typedef struct ph_order_study {
    const char *model, *body; // body NULL: all
    int row_count, step_count, time_count, failed;
    double *steps, *times; // as they were used: steps from large to small
    ph_order_row *rows;
    ph_reference_info reference;
    double floor[PH_QUANTITIES]; // errors below it were dropped
} ph_order_study;

PH_API ph_status ph_measure_order(const ph_model *model, const ph_order_def *def, ph_order_study **study,
                                  ph_error *error);
PH_API void ph_order_study_destroy(ph_order_study *study);

typedef enum ph_order_figure { PH_FIGURE_ORDER, PH_FIGURE_WORK, PH_ORDER_FIGURES } ph_order_figure;

// Errors of positions and of orientations, where there are any, against the step or against CPU time. NULL when out of
// memory, or when there is nothing to show.
PH_API ph_plot *ph_order_study_plot(const ph_order_study *study, ph_order_figure figure);

#ifdef __cplusplus
}
#endif
#endif
