// BLieDF: the backward differentiation formula of order 2 on a Lie group.
//
// In local coordinates about q_1 the earlier configurations are theta_0 = -h Dq and, by Baker, Campbell and Hausdorff,
// theta_{-1} = -h (Dq + Dq_0) + h^2/2 [Dq, Dq_0] + ..., where q_1 = q_0 exp(h Dq), q_0 = q_{-1} exp(h Dq_0). Since
// theta' = v at q_1, the formula (3/2 theta_1 - 2 theta_0 + 1/2 theta_{-1})/h = v_1 reads, up to its own order,
//
//     3/2 Dq - 1/2 Dq_0 = v_1,      (3/2 v_1 - 2 v_0 + 1/2 v_{-1})/h = v'_1
//
// The first step takes the implicit midpoint values Dq = (v_0 + v_1)/2, v'_1 = 2 (v_1 - v_0)/h - v'_0, which keep the order.
// Wieloch and Arnold, BDF integrators for constrained mechanical systems on Lie groups, 2021.
#include "math/vec3.h"
#include "schemes/implicit.h"

#include <string.h>

extern const ph_scheme scheme_bliedf2;

typedef struct past { // of a moving body
    ph_twist v, Dq;   // v_{-1} and Dq_0; in the first step v'_0 stands in v
} past;

static ph_twist combine(double s, ph_twist a, double t, ph_twist b)
{
    return (ph_twist){ph_add(ph_scale(s, a.omega), ph_scale(t, b.omega)), ph_add(ph_scale(s, a.v), ph_scale(t, b.v))};
}

static ph_status step(void *self, ph_state *state, double h, ph_step_report *report)
{
    implicit *s = self;
    const double *history = state_past(state, s->scheme); // the last step length, then a `past` for each moving body
    const past *before = history ? (const past *)(history + 1) : NULL;
    const bool first = !history || history[0] != h; // a new start, or another step length
    if (first && !implicit_start(s, state)) {
        report->advice = "the constraints are singular at the start";
        return PH_SINGULAR;
    }
    if (!first) memcpy(s->lambda, state->multipliers, sizeof(double) * (size_t)s->model->row_count);
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        const ph_twist v_0 = {state->angular_velocity[b], state->velocity[b]};
        implicit_body *body = &s->bodies[k];
        if (first) { // v_1 = v_0 + h/2 (v'_0 + v'_1), Dq = (v_0 + v_1)/2
            body->v_bar = combine(1.0, v_0, 0.5 * h, body->w);
            body->Dq_bar = combine(0.5, v_0, 0.5, body->v_bar);
        } else { // v_1 = 2/3 (h v'_1 + 2 v_0 - 1/2 v_{-1}), Dq = 2/3 (v_1 + 1/2 Dq_0)
            body->v_bar = combine(4.0 / 3.0, v_0, -1.0 / 3.0, before[k].v);
            body->Dq_bar = combine(2.0 / 3.0, body->v_bar, 1.0 / 3.0, before[k].Dq);
            body->w = combine(1.0 / h, v_0, -1.0 / h, before[k].v);
        }
    }
    const double c_v = first ? 0.5 * h : 2.0 / 3.0 * h;
    const ph_status status = implicit_solve(s, state, h, c_v, first ? 0.5 * c_v : 2.0 / 3.0 * c_v, report);
    if (status != PH_OK) return status;
    double *now = state_history(state, s->scheme);
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        ((past *)(now + 1))[k] = (past){{state->angular_velocity[b], state->velocity[b]}, s->bodies[k].Dq};
    }
    now[0] = h;
    implicit_leave(s, state, h);
    return PH_OK;
}

static ph_status create(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error)
{
    return implicit_create(model, &scheme_bliedf2, settings, false, self, error);
}

const ph_scheme scheme_bliedf2 = {
    .name = "bliedf2",
    .title = "Backward differentiation of order 2 on Lie groups, index 3",
    .reference = "Wieloch and Arnold 2021",
    .order = 2,
    .traits = PH_KEEPS_POSITION_CONSTRAINT | PH_NUMERICAL_DAMPING,
    .create = create,
    .step = step,
    .destroy = implicit_destroy,
};
