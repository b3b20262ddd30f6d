// Polhode: inputs over time, or numbers of a design, that reach a goal: direct shooting with exact derivatives of the runs
// (adjoint.h). docs/optimize.md.
#ifndef POLHODE_OPTIMIZE_H
#define POLHODE_OPTIMIZE_H

#include "polhode/fit.h"

#ifdef __cplusplus
extern "C" {
#endif

// An input that is chosen over time: `knots` values, straight or constant between them.
typedef struct ph_control {
    const char *name;
    double low, high;
    double weight; // of the integral of its square in the cost
} ph_control;

typedef enum ph_goal_kind {
    PH_GOAL_REACH,    // at the end between low and high, to `tolerance`
    PH_GOAL_MINIMIZE, // weight times its value at the end is part of the cost (negative: maximize)
    PH_GOAL_TRACK,    // weight times the integral of (value - low)^2 is
} ph_goal_kind;

typedef struct ph_goal {
    const char *name; // quantity
    ph_goal_kind kind;
    double low, high, weight;
} ph_goal;

typedef struct ph_optimize_progress {
    int iteration;
    double cost, miss; // miss: largest distance from a goal
    int count;
    const double *values; // of the variables: knots of the controls one after the other, then designs
} ph_optimize_progress;

typedef struct ph_optimize_def {
    uint32_t cookie;
    ph_sim_def sim;
    double step, until;
    int knots;
    bool hold; // constant between knots
    int control_count;
    const ph_control *controls;
    int design_count;
    const ph_unknown *designs;
    int goal_count;
    const ph_goal *goals;
    const double *guess;   // of all variables; NULL: inputs as in the model, or small random ones by `seed`
    unsigned seed;         // 0: none
    int iterations;        // at most
    double tolerance;      // of goals to reach
    double cost_tolerance; // relative change of the cost that ends it once the goals are reached
    bool (*progress)(const ph_optimize_progress *progress, void *user);
    void *user;
    uint64_t reserved[4]; // room for later versions
} ph_optimize_def;

PH_API ph_optimize_def ph_default_optimize(void);

typedef enum ph_optimize_end {
    PH_OPTIMIZE_CONVERGED,
    PH_OPTIMIZE_ITERATIONS,
    PH_OPTIMIZE_STOPPED,
    PH_OPTIMIZE_STUCK,
} ph_optimize_end;

typedef struct ph_optimum {
    int variables;
    const double *values;
    long long steps;
    const double *inputs; // steps x inputs of the model
    const double *goals;  // the quantities of the goals at the end
    double cost, miss;
    double growth;
    int iterations, evaluations;
    ph_optimize_end end;
} ph_optimum;

PH_API ph_status ph_optimize(const ph_model *model, const ph_optimize_def *def, ph_optimum **optimum, ph_error *error);
PH_API void ph_optimum_destroy(ph_optimum *optimum);

#ifdef __cplusplus
}
#endif
#endif
