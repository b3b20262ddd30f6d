// Polhode: parameters of a model from measured motion, by exact derivatives of the runs (adjoint.h), or by differences of runs
// where a scheme has none. docs/fit.md.
#ifndef POLHODE_FIT_H
#define POLHODE_FIT_H

#include "polhode/adjoint.h"

#ifdef __cplusplus
extern "C" {
#endif

// What is looked for: a parameter or input of the model file, JOINT.rate or JOINT.coordinate at the start, or a number
// (ph_model_number, ph_model_at).
typedef struct ph_unknown {
    const char *name;
    double low, high; // bounds; -INFINITY, INFINITY: none
} ph_unknown;

// One measured run. Times rise from 0 at the start of the model. What is NAN was not measured.
typedef struct ph_fit_data {
    int rows;
    const double *times;
    int columns;
    const char *const *names; // quantities (ph_observables)
    const double *values;     // rows x columns
    const double *sigmas;     // of each column; NULL: 1, and standard errors come from what the fit leaves over
    int input_count;
    const char *const *inputs;  // inputs of the model that were recorded
    const double *input_values; // rows x input_count; straight between rows
} ph_fit_data;

typedef struct ph_fit_progress {
    int iteration;
    double cost;   // half the sum of squares
    double change; // of the unknowns in the last iteration, relative to their sizes
    int count;
    const double *values; // of the unknowns
} ph_fit_progress;

typedef struct ph_fit_def {
    uint32_t cookie;
    ph_sim_def sim;
    double step; // at most; it is shortened to divide the times of the data where these are equally spaced
    int run_count;
    const ph_fit_data *runs;
    int unknown_count;
    const ph_unknown *unknowns;
    const double *guess; // NULL, or NAN: as in the model
    double robust;       // residuals beyond so many deviations count linearly (Huber); 0: none do
    int iterations;      // at most
    double tolerance;    // relative change of the unknowns that ends it
    bool differences;    // derivatives by differences of runs although there are exact ones
    bool verdict;        // compare the singular values with those of half the step
    bool (*progress)(const ph_fit_progress *progress, void *user); // false: stop
    void *user;
    uint64_t reserved[4]; // room for later versions
} ph_fit_def;

PH_API ph_fit_def ph_default_fit(void);

typedef enum ph_fit_end { PH_FIT_CONVERGED, PH_FIT_ITERATIONS, PH_FIT_STOPPED, PH_FIT_STUCK } ph_fit_end;

// How well one combination of the unknowns is determined.
typedef struct ph_fit_direction {
    double singular_value; // of the derivatives of the residuals by the scaled unknowns, over the largest
    double half_step;      // the same with half the step; NAN: not looked at
    bool determined;
    bool of_the_step;        // not determined: what there is comes from the step and vanishes with it
    const double *direction; // unit vector of the scaled unknowns
} ph_fit_direction;

typedef struct ph_fit {
    int unknowns;
    const double *values, *errors; // estimates, standard errors (INFINITY: not determined)
    const double *scales;          // sizes that the directions are measured in
    const bool *at_bound, *idle;   // held by a bound; nothing depends on it
    const ph_fit_direction *directions;
    int determined;                 // how many of them are
    double cost, first_cost, sigma; // half the sum of squares; standard deviation of a residual
    long long residuals, gaps, outliers;
    int iterations, evaluations;
    ph_fit_end end;
    bool exact;              // derivatives
    const char *why;         // they are not
    double growth;           // of the tangents over the run
    const double *simulated; // runs one after the other, rows x columns: NAN where the run failed
    double correlation_largest;
    int correlated[2]; // the pair of unknowns with the largest correlation
} ph_fit;

PH_API ph_status ph_fit_run(const ph_model *model, const ph_fit_def *def, ph_fit **fit, ph_error *error);
PH_API void ph_fit_destroy(ph_fit *fit);

#ifdef __cplusplus
}
#endif
#endif
