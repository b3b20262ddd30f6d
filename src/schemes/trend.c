#include "schemes/trend.h"

// The history: for each moving body how Omega_+ - Omega_n and v_+ - v_n went, per unit of time; then the length of the
// last step, and how many steps before it had the same.
typedef struct trend {
    ph_vec3 omega, v;
    ph_vec3 first, second; // differences of `omega` from step to step
} trend;

enum { TREND = sizeof(trend) / sizeof(double), TREND_STEP = 0, TREND_EQUAL = 1, TREND_EXTRA = 2 };

_Static_assert(sizeof(trend) / sizeof(double) + TREND_EXTRA / 2 <= HISTORY_WITH_CONTACT, "the trends have their place");

// First guess of Omega_+ and v_+. What Newton's method has to overcome is the error of Omega_+ alone, as everything else is
// nearly linear, so Omega_+ is extrapolated through three steps of equal length.
void trend_guess(variational *s, const double *history, double h)
{
    const trend *trends = (const trend *)history;
    const double last = history[TREND * s->model->moving_count + TREND_STEP];
    if (!(fabs(h) <= 1e3 * fabs(last))) return; // after a much shorter step the change is rounding divided by h
    for (int k = 0; k < s->model->moving_count; k++) {
        const trend *trend = &trends[k];
        const ph_vec3 rate = last == h ? ph_add3(trend->omega, trend->first, trend->second) : trend->omega;
        s->stage[k].omega = ph_madd(s->stage[k].omega, h, rate);
        s->stage[k].v = ph_madd(s->stage[k].v, h, trend->v);
    }
}

void trend_keep(const variational *s, ph_state *state, double h)
{
    trend *trends = (trend *)state_history(state, s->scheme);
    double *extra = (double *)(trends + s->model->moving_count);
    const double equal = extra[TREND_STEP] == h ? extra[TREND_EQUAL] + 1.0 : 0.0;
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        const body_stage *stage = &s->stage[k];
        trend *trend = &trends[k];
        const ph_vec3 omega = ph_scale(1.0 / h, ph_sub(stage->omega, state->angular_velocity[b]));
        const ph_vec3 first = equal >= 1.0 ? ph_sub(omega, trend->omega) : ph_zero3();
        trend->second = equal >= 2.0 ? ph_sub(first, trend->first) : ph_zero3();
        trend->first = first;
        trend->omega = omega;
        trend->v = ph_scale(1.0 / h, ph_sub(stage->v, state->velocity[b]));
    }
    extra[TREND_STEP] = h;
    extra[TREND_EQUAL] = equal;
}
