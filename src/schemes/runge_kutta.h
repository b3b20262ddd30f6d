// What the Runge-Kutta schemes share: accelerations at a stage, and the projection at the end of a step.
#ifndef PH_SCHEMES_RUNGE_KUTTA_H
#define PH_SCHEMES_RUNGE_KUTTA_H

#include "dynamics/node.h"
#include "schemes/scheme.h"

typedef struct runge_kutta {
    const ph_model *model;
    arena *memory;
    kkt kkt;
    node node;
    // A stage, and then the new state; by body:
    ph_vec3 *position, *velocity, *angular_velocity;
    ph_quat *orientation;
    // Slopes of the four stages; by moving body:
    ph_twist *rate[4];         // of the configuration, in the coordinates of the scheme
    ph_twist *acceleration[4]; // (Omega', v')
    double power[4];           // of forces without potential
    double *lambda;            // row_count, of the stage
    double *room;              // to refine accelerations where bodies are of other than ordinary proportions
    bool project;
} runge_kutta;

ph_status runge_kutta_create(const ph_model *model, bool project, void **self, ph_error *error);
void runge_kutta_destroy(void *self);

// Accelerations at the stage that `rk` holds, into slot k: first the factor, with the dependent rows of the last one if they
// are kept, then what depends on velocities. false when the constraints are singular.
bool runge_kutta_factor(runge_kutta *rk, const ph_state *state, double time, bool keep_rows);
void runge_kutta_evaluate(runge_kutta *rk, int k);
// Both, for stage k of a step.
bool runge_kutta_accelerate(runge_kutta *rk, const ph_state *state, double time, int k);

// 1/6 (k1 + 2 k2 + 2 k3 + k4), the classical weights
ph_twist runge_kutta_mean(ph_twist *const slopes[4], int k);

// Positions and velocities onto the constraints, at the time of the last factor; leaves the factor of where that is.
bool runge_kutta_project(runge_kutta *rk);
bool runge_kutta_finite(const runge_kutta *rk);

// Projects if asked to, then writes the new state.
ph_status runge_kutta_finish(runge_kutta *rk, ph_state *state, double h, ph_step_report *report);

static inline ph_status runge_kutta_fail(ph_step_report *report)
{
    report->advice = "the constraints are singular here; try another step or start";
    return PH_SINGULAR;
}

#endif
