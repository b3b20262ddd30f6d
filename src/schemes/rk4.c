// Classical Runge-Kutta of order 4 on quaternions, normalised after each step: what many programs use, as the baseline.
//
// q' = 1/2 q (0, Omega), x' = v, accelerations from the equations of motion (index 1). Nothing holds the constraints, so
// they drift; the option project=1 projects onto them after each step.
#include "math/quat.h"
#include "schemes/runge_kutta.h"

// q + s/2 q (0, omega)
static ph_quat advance(ph_quat q, double s, ph_quat slope)
{
    return (ph_quat){q.w + s * slope.w, q.x + s * slope.x, q.y + s * slope.y, q.z + s * slope.z};
}

// 1/2 q (0, omega); `omega` belongs to the stage, and so does the unnormalised q
static ph_quat quaternion_rate(ph_quat q, ph_vec3 omega)
{
    const ph_quat p = ph_quat_mul(q, (ph_quat){0.0, omega.x, omega.y, omega.z});
    return (ph_quat){0.5 * p.w, 0.5 * p.x, 0.5 * p.y, 0.5 * p.z};
}

// The quaternion slopes of the four stages and their weighted sum, for one body with the stages' angular velocities.
// Stage quaternions follow from the body's own angular velocities, so they need not be stored.
static ph_quat stage_quaternion(const runge_kutta *rk, const ph_state *state, double h, int body, int k, int stage)
{
    static const double c[4] = {0.0, 0.5, 0.5, 1.0};
    const ph_quat q = state->orientation[body];
    ph_quat at = q;
    for (int s = 0; s < stage; s++) at = advance(q, c[s + 1] * h, quaternion_rate(at, rk->rate[s][k].omega));
    return at;
}

static ph_quat final_quaternion(const runge_kutta *rk, const ph_state *state, double h, int body, int k)
{
    static const double weight[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    ph_quat q = state->orientation[body];
    for (int s = 0; s < 4; s++)
        q = advance(q, weight[s] * h,
                    quaternion_rate(stage_quaternion(rk, state, h, body, k, s), rk->rate[s][k].omega));
    return ph_quat_unit(q);
}

static ph_status step(void *self, ph_state *state, double h, ph_step_report *report)
{
    static const double c[4] = {0.0, 0.5, 0.5, 1.0};
    runge_kutta *rk = self;
    for (int s = 0; s < 4; s++) {
        const int before = s ? s - 1 : 0;
        for (int k = 0; k < rk->model->moving_count; k++) {
            const int b = rk->model->moving[k];
            rk->angular_velocity[b] = ph_madd(state->angular_velocity[b], c[s] * h, rk->acceleration[before][k].omega);
            rk->velocity[b] = ph_madd(state->velocity[b], c[s] * h, rk->acceleration[before][k].v);
            rk->position[b] = ph_madd(state->position[b], c[s] * h, rk->rate[before][k].v);
            rk->orientation[b] = ph_quat_unit(stage_quaternion(rk, state, h, b, k, s));
        }
        for (int k = 0; k < rk->model->moving_count; k++) {
            const int b = rk->model->moving[k];
            rk->rate[s][k] = (ph_twist){rk->angular_velocity[b], rk->velocity[b]};
        }
        if (!runge_kutta_accelerate(rk, state, state->time + c[s] * h, s)) return runge_kutta_fail(report);
    }
    for (int k = 0; k < rk->model->moving_count; k++) {
        const int b = rk->model->moving[k];
        const ph_twist rate = runge_kutta_mean(rk->rate, k), acceleration = runge_kutta_mean(rk->acceleration, k);
        rk->orientation[b] = final_quaternion(rk, state, h, b, k);
        rk->position[b] = ph_madd(state->position[b], h, rate.v);
        rk->angular_velocity[b] = ph_madd(state->angular_velocity[b], h, acceleration.omega);
        rk->velocity[b] = ph_madd(state->velocity[b], h, acceleration.v);
    }
    return runge_kutta_finish(rk, state, h, report);
}

static ph_status create(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error)
{
    return runge_kutta_create(model, settings->options[0] != 0.0, self, error);
}

const ph_scheme scheme_rk4 = {
    .name = "rk4",
    .title = "Classical Runge-Kutta on quaternions with normalisation (baseline, constraints drift)",
    .reference = "Kutta 1901",
    .order = 4,
    .options = {{"project", "1: project onto the constraints after each step", 0.0, 0.0, 1.0}},
    .create = create,
    .step = step,
    .destroy = runge_kutta_destroy,
};
