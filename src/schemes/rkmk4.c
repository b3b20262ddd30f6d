// Runge-Kutta-Munthe-Kaas of order 4: the classical scheme on the Lie algebra.
//
// In a step R(t) = R_n exp(theta~(t)) with theta' = T^-1(theta) Omega, theta(t_n) = 0, and x' = v. Each stage solves the
// equations of motion for the accelerations (index 1); at the end of the step configuration and velocity are projected
// onto the constraints in the metric of the mass matrix. Munthe-Kaas 1998.
#include "math/so3.h"
#include "schemes/runge_kutta.h"

// The stage t_n + c h from the slopes of stage `from`: theta = c h k, and velocities likewise.
static void set_stage(runge_kutta *rk, const ph_state *state, double ch, const ph_twist *rate,
                      const ph_twist *acceleration)
{
    for (int k = 0; k < rk->model->moving_count; k++) {
        const int b = rk->model->moving[k];
        rk->orientation[b] = ph_quat_unit(ph_quat_mul(state->orientation[b], ph_quat_exp(ph_scale(ch, rate[k].omega))));
        rk->position[b] = ph_madd(state->position[b], ch, rate[k].v);
        rk->angular_velocity[b] = ph_madd(state->angular_velocity[b], ch, acceleration[k].omega);
        rk->velocity[b] = ph_madd(state->velocity[b], ch, acceleration[k].v);
    }
}

// Slopes at the stage, with theta = ch * rate of the stage before.
static bool evaluate(runge_kutta *rk, const ph_state *state, double time, double ch, const ph_twist *before, int k)
{
    for (int i = 0; i < rk->model->moving_count; i++) {
        const int b = rk->model->moving[i];
        const ph_vec3 theta = ph_scale(ch, before[i].omega);
        const ph_so3 coefficients = ph_so3_coefficients(theta);
        rk->rate[k][i] = (ph_twist){ph_dexp_inv_mul(&coefficients, theta, rk->angular_velocity[b]), rk->velocity[b]};
    }
    return runge_kutta_accelerate(rk, state, time, k);
}

static ph_status step(void *self, ph_state *state, double h, ph_step_report *report)
{
    static const double c[4] = {0.0, 0.5, 0.5, 1.0};
    runge_kutta *rk = self;
    for (int k = 0; k < 4; k++) {
        const int before = k ? k - 1 : 0;
        set_stage(rk, state, c[k] * h, rk->rate[before], rk->acceleration[before]);
        if (!evaluate(rk, state, state->time + c[k] * h, c[k] * h, rk->rate[before], k))
            return runge_kutta_fail(report);
    }
    for (int k = 0; k < rk->model->moving_count; k++) {
        rk->rate[0][k] = runge_kutta_mean(rk->rate, k);
        rk->acceleration[0][k] = runge_kutta_mean(rk->acceleration, k);
    }
    set_stage(rk, state, h, rk->rate[0], rk->acceleration[0]);
    return runge_kutta_finish(rk, state, h, report);
}

static ph_status create(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error)
{
    (void)settings;
    return runge_kutta_create(model, true, self, error);
}

const ph_scheme scheme_rkmk4 = {
    .name = "rkmk4",
    .title = "Runge-Kutta-Munthe-Kaas of order 4, projected onto the constraints",
    .reference = "Munthe-Kaas 1998",
    .order = 4,
    .traits = PH_KEEPS_POSITION_CONSTRAINT | PH_KEEPS_VELOCITY_CONSTRAINT,
    .create = create,
    .step = step,
    .destroy = runge_kutta_destroy,
};
