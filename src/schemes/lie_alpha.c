// Generalised-alpha on Lie groups, index 3 (lie-alpha) and stabilised index 2 (lie-alpha-2).
//
//     Dq  = v_0 + h [(1/2 - beta) a_0 + beta a_1]  [- M^-1 B(q_0)^T eta]
//     v_1 = v_0 + h [(1 - gamma) a_0 + gamma a_1]
//     (1 - alpha_m) a_1 + alpha_m a_0 = (1 - alpha_f) v'_1 + alpha_f v'_0
//
// with alpha_m = (2 rho - 1)/(rho + 1), alpha_f = rho/(rho + 1), gamma = 1/2 + alpha_f - alpha_m,
// beta = 1/4 (gamma + 1/2)^2 for the spectral radius rho at infinity; a_0 = v'_0 at the start.
// Bruels, Cardona and Arnold 2012; index 2: Arnold, Bruels and Cardona 2015; Huang et al. 2022, section 2.4.
#include "math/vec3.h"
#include "schemes/implicit.h"

#include <string.h>

extern const ph_scheme scheme_lie_alpha, scheme_lie_alpha_2;

typedef struct coefficients {
    double m, f, gamma, beta; // alpha_m, alpha_f
} coefficients;

static coefficients coefficients_of(double rho)
{
    coefficients c = {.m = (2.0 * rho - 1.0) / (rho + 1.0), .f = rho / (rho + 1.0)};
    c.gamma = 0.5 + c.f - c.m;
    c.beta = 0.25 * (c.gamma + 0.5) * (c.gamma + 0.5);
    return c;
}

static ph_twist combine(double s, ph_twist a, double t, ph_twist b)
{
    return (ph_twist){ph_add(ph_scale(s, a.omega), ph_scale(t, b.omega)), ph_add(ph_scale(s, a.v), ph_scale(t, b.v))};
}

// The history holds, for each moving body, the twists v'_0 and a_0. Without it they are found from the equations of motion.
static ph_status step(void *self, ph_state *state, double h, ph_step_report *report)
{
    implicit *s = self;
    const coefficients c = coefficients_of(s->settings.options[0]);
    const double share = (1.0 - c.f) / (1.0 - c.m); // of v'_1 in a_1
    const ph_twist *past = (const ph_twist *)state_past(state, s->scheme);
    if (!past && !implicit_start(s, state)) {
        report->advice = "the constraints are singular at the start";
        return PH_SINGULAR;
    }
    if (past) memcpy(s->lambda, state->multipliers, sizeof(double) * (size_t)s->model->row_count);
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        implicit_body *body = &s->bodies[k];
        const ph_twist v_0 = {state->angular_velocity[b], state->velocity[b]};
        const ph_twist w_0 = past ? past[2 * k] : body->w, a_0 = past ? past[2 * k + 1] : body->w;
        body->a_bar = combine(c.f / (1.0 - c.m), w_0, -c.m / (1.0 - c.m), a_0); // a_1 = a_bar + share v'_1
        body->v_bar = combine(1.0, v_0, h, combine(1.0 - c.gamma, a_0, c.gamma, body->a_bar));
        body->Dq_bar = combine(1.0, v_0, h, combine(0.5 - c.beta, a_0, c.beta, body->a_bar));
        body->w = w_0;
    }
    const ph_status status = implicit_solve(s, state, h, h * c.gamma * share, h * c.beta * share, report);
    if (status != PH_OK) return status;
    ph_twist *now = (ph_twist *)state_history(state, s->scheme);
    for (int k = 0; k < s->model->moving_count; k++) {
        now[2 * k] = s->bodies[k].w;
        now[2 * k + 1] = combine(share, s->bodies[k].w, 1.0, s->bodies[k].a_bar);
    }
    implicit_leave(s, state, h);
    return PH_OK;
}

static ph_status create_3(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error)
{
    return implicit_create(model, &scheme_lie_alpha, settings, false, self, error);
}

static ph_status create_2(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error)
{
    return implicit_create(model, &scheme_lie_alpha_2, settings, true, self, error);
}

const ph_scheme scheme_lie_alpha = {
    .name = "lie-alpha",
    .title = "Generalised-alpha on Lie groups, index 3",
    .reference = "Bruels, Cardona and Arnold 2012; Huang et al. 2022",
    .order = 2,
    .traits = PH_KEEPS_POSITION_CONSTRAINT | PH_NUMERICAL_DAMPING,
    .options = {{"rho", "spectral radius at infinity", 0.9, 0.0, 1.0}},
    .create = create_3,
    .step = step,
    .destroy = implicit_destroy,
};

const ph_scheme scheme_lie_alpha_2 = {
    .name = "lie-alpha-2",
    .title = "Generalised-alpha on Lie groups, stabilised index 2",
    .reference = "Arnold, Bruels and Cardona 2015",
    .order = 2,
    .traits = PH_KEEPS_POSITION_CONSTRAINT | PH_KEEPS_VELOCITY_CONSTRAINT | PH_NUMERICAL_DAMPING,
    .options = {{"rho", "spectral radius at infinity", 0.9, 0.0, 1.0}},
    .create = create_2,
    .step = step,
    .destroy = implicit_destroy,
};
