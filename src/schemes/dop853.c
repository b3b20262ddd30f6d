// Dormand and Prince's Runge-Kutta method of order 8 with step control and dense output, on the group.
//
// y = (q, x, Omega, v) of every body and the work done, with q' = 1/2 q (0, Omega): quaternions as plain numbers keep the
// order and are normalised after a step. Accelerations come from the equations of motion (index 1); every step is projected
// onto the constraints once, in the metric of the mass matrix. Which rows depend on others is decided where a step begins.
//
// The step asked for is the interval of output. The scheme makes steps of its own, as long as the tolerances allow; where
// one leads beyond the time that is asked for, the state is taken from its interpolant and projected. What has been computed
// beyond stays in the history of the state.
//
// The error is measured in units of rtol times the size of the mechanism, one, the largest angular velocity and the largest
// velocity of all bodies, for positions, quaternions, Omega and v, plus atol: independent of axes and of the origin.
#include "math/quat.h"
#include "math/vec3.h"
#include "model/scales.h"
#include "schemes/dop853_table.h"
#include "schemes/runge_kutta.h"

#include <float.h>
#include <string.h>

extern const ph_scheme scheme_dop853;

enum { PER_BODY = 13, DENSE = 8, STEPS_MAX = 100000 };

// The last step that was made, from `start` to `end`, and what is known for the next.
typedef struct progress {
    double start, end;
    double length;  // end - start, as the stages had it
    double pending; // 1: `end` lies beyond the state
    double step;    // the next one; 0: not known
    double error;   // of the last one, for the control
} progress;

enum { PROGRESS = sizeof(progress) / sizeof(double) };

typedef struct dop853 {
    const ph_model *model;
    runge_kutta *rk;
    int n; // numbers of y
    double rtol, atol;
    double unit; // m: what atol counts lengths in
    bool adaptive;
    double length; // size of the mechanism
    progress at;
    ph_state *node;         // where a step begins: its time, inputs, turns and targets ...
    double *y;              // ... and y
    double *next;           // where it ends
    double *stage;          // between
    double *k[DOP_ALL + 1]; // slopes, from 1 on
    double *dense[DENSE];   // coefficients of the interpolant
    bool made;              // the pending step: all of the above is its own
    ph_step_report *report;
} dop853;

// ---- Life -----------------------------------------------------------------------------------------------------------

static void destroy(void *self)
{
    dop853 *d = self;
    ph_state_destroy(d->node);
    runge_kutta_destroy(d->rk);
}

static bool make_room(dop853 *d)
{
    arena *memory = d->rk->memory;
    const size_t n = (size_t)d->n;
    double **const arrays[] = {&d->y, &d->next, &d->stage};
    bool ok = (d->node = ph_state_create(d->model));
    for (int i = 0; ok && i < 3; i++) ok = (*arrays[i] = arena_alloc_array(memory, n, sizeof(double)));
    for (int i = 1; ok && i <= DOP_ALL; i++) ok = (d->k[i] = arena_alloc_array(memory, n, sizeof(double)));
    for (int i = 0; ok && i < DENSE; i++) ok = (d->dense[i] = arena_alloc_array(memory, n, sizeof(double)));
    return ok;
}

// Largest distance of a body from their mean, and of a joint from its body.
static double size_of(const ph_model *model)
{
    ph_vec3 mean = ph_zero3();
    double size = 0.0;
    for (int k = 0; k < model->moving_count; k++)
        mean = ph_madd(mean, 1.0 / model->moving_count, model->bodies[model->moving[k]].position);
    for (int k = 0; k < model->moving_count; k++)
        size = ph_max(size, ph_norm(ph_sub(model->bodies[model->moving[k]].position, mean)));
    for (int j = 0; j < model->joint_count; j++) {
        const joint *joint = &model->joints[j];
        if (joint->slot_a >= 0) size = ph_max(size, ph_norm(joint->s_a));
        if (joint->slot_b >= 0) size = ph_max(size, ph_norm(joint->s_b));
    }
    return size;
}

static ph_status create(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error)
{
    void *rk = NULL;
    const ph_status status = runge_kutta_create(model, true, &rk, error);
    if (status != PH_OK) return status;
    dop853 *d = arena_alloc(((runge_kutta *)rk)->memory, sizeof *d);
    if (d)
        *d = (dop853){.model = model,
                      .rk = rk,
                      .n = PER_BODY * model->moving_count + 1,
                      .rtol = settings->options[0],
                      .atol = settings->options[1],
                      .adaptive = settings->options[2] != 0.0,
                      .unit = mechanism_unit(model),
                      .length = size_of(model)};
    if (!d || !make_room(d)) {
        if (d) ph_state_destroy(d->node);
        runge_kutta_destroy(rk);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    *self = d;
    return PH_OK;
}

// ---- y and its slope ------------------------------------------------------------------------------------------------

static void put_body(double *y, ph_quat q, ph_vec3 x, ph_vec3 omega, ph_vec3 v)
{
    const double numbers[PER_BODY] = {q.w, q.x, q.y, q.z, x.x, x.y, x.z, omega.x, omega.y, omega.z, v.x, v.y, v.z};
    memcpy(y, numbers, sizeof numbers);
}

static void take_state(const dop853 *d, const ph_state *state, double *y)
{
    for (int k = 0; k < d->model->moving_count; k++) {
        const int b = d->model->moving[k];
        put_body(y + PER_BODY * k, state->orientation[b], state->position[b], state->angular_velocity[b],
                 state->velocity[b]);
    }
    y[d->n - 1] = state->work;
}

// The configuration and velocities of y, for `rk`; and back, normalised and projected as they are there.
static void place(const dop853 *d, const double *y)
{
    for (int k = 0; k < d->model->moving_count; k++, y += PER_BODY) {
        const int b = d->model->moving[k];
        d->rk->orientation[b] = ph_quat_unit((ph_quat){y[0], y[1], y[2], y[3]});
        d->rk->position[b] = ph_vec(y[4], y[5], y[6]);
        d->rk->angular_velocity[b] = ph_vec(y[7], y[8], y[9]);
        d->rk->velocity[b] = ph_vec(y[10], y[11], y[12]);
    }
}

static void take_placed(const dop853 *d, double *y)
{
    for (int k = 0; k < d->model->moving_count; k++) {
        const int b = d->model->moving[k];
        put_body(y + PER_BODY * k, d->rk->orientation[b], d->rk->position[b], d->rk->angular_velocity[b],
                 d->rk->velocity[b]);
    }
}

static void put_placed(const dop853 *d, const double *y, ph_state *state)
{
    for (int k = 0; k < d->model->moving_count; k++) {
        const int b = d->model->moving[k];
        state->orientation[b] = d->rk->orientation[b];
        state->position[b] = d->rk->position[b];
        state->angular_velocity[b] = d->rk->angular_velocity[b];
        state->velocity[b] = d->rk->velocity[b];
    }
    state->work = y[d->n - 1];
}

// f = y' at y, which `rk` holds with its factor
static void slope_here(dop853 *d, const double *y, double *f)
{
    runge_kutta_evaluate(d->rk, 0);
    d->report->evaluations++;
    for (int k = 0; k < d->model->moving_count; k++, y += PER_BODY, f += PER_BODY) {
        const double *q = y, *w = y + 7;
        const ph_twist a = d->rk->acceleration[0][k];
        f[0] = -0.5 * (q[1] * w[0] + q[2] * w[1] + q[3] * w[2]);
        f[1] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
        f[2] = 0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
        f[3] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
        memcpy(f + 4, y + 10, 3 * sizeof(double));
        memcpy(f + 7, &a.omega, sizeof a.omega);
        memcpy(f + 10, &a.v, sizeof a.v);
    }
    *f = d->rk->power[0];
}

static bool slope(dop853 *d, double time, const double *y, bool keep_rows, double *f)
{
    place(d, y);
    if (!runge_kutta_finite(d->rk) || !runge_kutta_factor(d->rk, d->node, time, keep_rows)) return false;
    slope_here(d, y, f);
    return true;
}

// to = (from or zero) + h sum of terms
static void combine(const dop853 *d, const double *from, double h, const dop_term *terms, double *to)
{
    if (from)
        memcpy(to, from, sizeof(double) * (size_t)d->n);
    else
        memset(to, 0, sizeof(double) * (size_t)d->n);
    for (; terms->stage; terms++) {
        const double *k = d->k[terms->stage], factor = h * terms->factor;
        for (int i = 0; i < d->n; i++) to[i] += factor * k[i];
    }
}

// ---- Error ----------------------------------------------------------------------------------------------------------

typedef struct units { // of what counts as one in the error
    double q, x, omega, v;
} units;

static double largest(const dop853 *d, const double *y, int at)
{
    double most = 0.0;
    for (int k = 0; k < d->model->moving_count; k++, y += PER_BODY)
        most = ph_max(most, ph_norm2(ph_vec(y[at], y[at + 1], y[at + 2])));
    return sqrt(most);
}

static units units_of(const dop853 *d, double h)
{
    const double omega = ph_max(largest(d, d->y, 7), largest(d, d->next, 7));
    const double v = ph_max(largest(d, d->y, 10), largest(d, d->next, 10));
    const double size = ph_max(d->length, fabs(h) * v), rounding = 8.0 * DBL_EPSILON * largest(d, d->next, 4);
    const double least = d->atol * d->unit; // lengths may be in any unit
    return (units){d->atol + d->rtol, ph_max(least + d->rtol * size, rounding), d->atol + d->rtol * omega,
                   least + d->rtol * v};
}

static double square(const double *x, int count, double unit)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) sum += x[i] * x[i];
    return sum / (unit * unit);
}

// Sum of squares of all numbers but the work, each in its unit.
static double size_in(const dop853 *d, const double *x, const units *u)
{
    double sum = 0.0;
    for (int k = 0; k < d->model->moving_count; k++, x += PER_BODY)
        sum += square(x, 4, u->q) + square(x + 4, 3, u->x) + square(x + 7, 3, u->omega) + square(x + 10, 3, u->v);
    return sum;
}

// |h| e5^2 / sqrt(n (e5^2 + e3^2/100)): at most one for a step that is good enough
static double error_of(const dop853 *d, double h)
{
    const units u = units_of(d, h);
    combine(d, NULL, 1.0, dop_e5, d->stage);
    const double e5 = size_in(d, d->stage, &u);
    combine(d, NULL, 1.0, dop_e3, d->stage);
    const double e3 = size_in(d, d->stage, &u), both = e5 + 0.01 * e3;
    return both > 0.0 ? fabs(h) * e5 / sqrt((d->n - 1) * both) : both;
}

// ---- The length of steps --------------------------------------------------------------------------------------------

// x^(1/2^n), the same bits everywhere
static double root(double x, int n)
{
    while (n-- > 0) x = sqrt(x);
    return x;
}

// A step with this error is to be divided by so much: error^(15/128) / 0.8, about its eighth root.
static double shrink(double error)
{
    return root(error, 3) / root(error, 7) / 0.8;
}

// ... and with the error of the step before, ^(5/128): "proportional-integral control" rejects less.
static double growth(const dop853 *d, double error)
{
    const double before = ph_max(d->at.error, 1e-4);
    const double part = shrink(ph_max(error, 1e-10)) / (root(before, 5) * root(before, 7));
    return 1.0 / fmin(3.0, ph_max(1.0 / 6.0, part));
}

// Hairer, Norsett and Wanner, II.4: from the slope at the start and that after a small step along it.
static double first_step(dop853 *d, double interval)
{
    memcpy(d->next, d->y, sizeof(double) * (size_t)d->n);
    const units u = units_of(d, 0.0);
    const double scale = 1.0 / (d->n - 1.0), most = fabs(interval);
    const double f = sqrt(scale * size_in(d, d->k[1], &u)), y = sqrt(scale * size_in(d, d->y, &u));
    const double small = copysign(fmin(f > 1e-10 && y > 1e-10 ? 0.01 * y / f : 1e-6, most), interval);
    combine(d, d->y, small, (const dop_term[]){{1, 1.0}, {0, 0.0}}, d->next);
    if (!slope(d, d->node->time + small, d->next, true, d->k[2])) return small;
    for (int i = 0; i < d->n; i++) d->stage[i] = (d->k[2][i] - d->k[1][i]) / small;
    const double second = ph_max(sqrt(scale * size_in(d, d->stage, &u)), f);
    const double h = second > 1e-15 ? root(0.01 / second, 3) : ph_max(1e-6, 1e-3 * fabs(small));
    return copysign(fmin(fmin(100.0 * fabs(small), h), most), interval);
}

// ---- A step ---------------------------------------------------------------------------------------------------------

// Stages 2 to 12, the end, and its error; not a number where the equations have no solution.
static double try_step(dop853 *d, double h)
{
    for (int i = 2; i <= DOP_STAGES; i++) {
        combine(d, d->y, h, dop_a[i], d->stage);
        if (!slope(d, d->node->time + dop_c[i] * h, d->stage, true, d->k[i])) return (double)NAN;
    }
    combine(d, d->y, h, dop_a[DOP_STAGES + 1], d->next);
    return d->adaptive ? error_of(d, h) : 0.0;
}

// Projects the end of a step and finds the slope there: the first of the next step.
static bool end_step(dop853 *d, double time)
{
    place(d, d->next);
    if (!runge_kutta_finite(d->rk)) return false;
    node_set_time(d->node, time, &d->rk->node);
    if (d->model->joint_count == 0 && !runge_kutta_factor(d->rk, d->node, time, false)) return false;
    if (!runge_kutta_project(d->rk)) return false;
    take_placed(d, d->next);
    slope_here(d, d->next, d->k[13]);
    return true;
}

// The interpolant of the step just made, from y to `next`.
static bool make_dense(dop853 *d, double h)
{
    for (int i = 14; i <= DOP_ALL; i++) {
        combine(d, d->y, h, dop_a[i], d->stage);
        if (!slope(d, d->node->time + dop_c[i] * h, d->stage, true, d->k[i])) return false;
    }
    for (int i = 0; i < d->n; i++) {
        const double change = d->next[i] - d->y[i], bend = h * d->k[1][i] - change;
        d->dense[0][i] = d->y[i];
        d->dense[1][i] = change;
        d->dense[2][i] = bend;
        d->dense[3][i] = change - h * d->k[13][i] - bend;
    }
    for (int i = 0; i < DOP_DENSE; i++) combine(d, NULL, h, dop_d[i], d->dense[4 + i]);
    return true;
}

static void interpolate(const dop853 *d, double time, double *y)
{
    const double s = (time - d->at.start) / d->at.length, r = 1.0 - s;
    double *const *c = d->dense;
    for (int i = 0; i < d->n; i++) {
        const double upper = c[4][i] + s * (c[5][i] + r * (c[6][i] + s * c[7][i]));
        y[i] = c[0][i] + s * (c[1][i] + r * (c[2][i] + s * (c[3][i] + r * upper)));
    }
}

// ---- Up to a time ---------------------------------------------------------------------------------------------------

static bool beyond(double time, double limit, double h)
{
    return h > 0.0 ? time > limit : time < limit;
}

static ph_status fail(dop853 *d, ph_status status, const char *advice)
{
    d->report->time = d->node->time;
    d->report->advice = advice;
    return status;
}

// Steps end at the time that is asked for where they are much shorter than the interval, else the interpolant is used.
static double choose_length(const dop853 *d, double until, double interval)
{
    const double left = until - d->node->time;
    const bool may_pass = d->adaptive && fabs(interval) < 4.0 * fabs(d->at.step);
    return !may_pass && fabs(left) <= 1.01 * fabs(d->at.step) ? left : d->at.step;
}

// The next step begins where the last one has ended.
static void go_on(dop853 *d)
{
    double *const y = d->y, *const slopes = d->k[1];
    d->y = d->next, d->next = y;
    d->k[1] = d->k[13], d->k[13] = slopes;
    d->at.pending = 0.0;
    place(d, d->y);
    put_placed(d, d->y, d->node);
    d->node->time = d->at.end;
    state_count_turns(d->node);
    state_advance_targets(d->node);
}

// A step of length h from the node; not a number where the equations have no solution.
static double make_step(dop853 *d, double h, double end, bool with_dense)
{
    const double error = try_step(d, h);
    if (!(error <= 1.0)) return error;
    if (!end_step(d, end) || (with_dense && !make_dense(d, h))) return (double)NAN;
    d->at.start = d->node->time;
    d->at.end = end;
    d->at.length = h;
    return error;
}

// One step of its own towards `until`, shorter until it is accurate enough.
static ph_status control_step(dop853 *d, double until, double interval)
{
    for (bool rejected = false;; rejected = true) {
        const double time = d->node->time, h = choose_length(d, until, interval);
        const double end = h == until - time ? until : time + h;
        if (!(fabs(h) > 8.0 * DBL_EPSILON * fabs(time)))
            return fail(
                d, PH_NO_CONVERGENCE,
                "steps became too short for the tolerances: a force may jump there, or motors and joints contradict "
                "each other");
        const double error = make_step(d, h, end, beyond(end, until, h));
        if (error <= 1.0) {
            const double factor = d->adaptive ? growth(d, error) : 1.0;
            const double next = h * (rejected ? fmin(factor, 1.0) : factor);
            d->at.step = rejected || fabs(next) > fabs(d->at.step) || h == d->at.step ? next : d->at.step;
            d->at.error = ph_max(error, 1e-4);
            d->at.pending = beyond(end, until, h);
            d->report->inner_steps++;
            return PH_OK;
        }
        if (!d->adaptive) return fail(d, PH_SINGULAR, "the constraints are singular here; try another step or start");
        d->at.step = h / fmin(3.0, error > 1.0 ? shrink(error) : 3.0);
        d->report->rejections++;
    }
}

static ph_status make_steps(dop853 *d, double until, double interval)
{
    if (!slope(d, d->node->time, d->y, false, d->k[1]))
        return fail(d, PH_SINGULAR, "the constraints are singular at the start of the step");
    if (d->at.step == 0.0) d->at.step = d->adaptive ? first_step(d, interval) : interval;
    for (int i = 0; i < STEPS_MAX; i++) {
        const ph_status status = control_step(d, until, interval);
        if (status != PH_OK || d->at.pending == 1.0) return status;
        go_on(d);
        if (!beyond(until, d->node->time, interval)) return PH_OK;
    }
    return fail(d, PH_NO_CONVERGENCE,
                "more than 100 000 steps of its own for one of output: the model is stiff; try lie-alpha or bliedf2");
}

// ---- The history ----------------------------------------------------------------------------------------------------
//
// The pending step, by where it begins: whoever needs it and does not have it makes it again, to the same bits.

static int history_size(const dop853 *d)
{
    return PROGRESS + 1 + (int)model_inputs(d->model) + d->model->turn_count + d->model->target_count + d->n;
}

typedef struct part {
    double *numbers;
    size_t count;
} part;

enum { PARTS = 6 };

static void list_parts(dop853 *d, part parts[PARTS])
{
    const ph_model *model = d->model;
    const part all[PARTS] = {{&d->at.start, PROGRESS},
                             {&d->node->target_time, 1},
                             {d->node->inputs, model_inputs(model)},
                             {d->node->turns, (size_t)model->turn_count},
                             {d->node->targets, (size_t)model->target_count},
                             {d->y, (size_t)d->n}};
    memcpy(parts, all, sizeof all);
}

static void keep(dop853 *d, ph_state *state)
{
    double *to = state_history(state, &scheme_dop853);
    part parts[PARTS];
    list_parts(d, parts);
    for (int i = 0; i < PARTS; to += parts[i++].count) memcpy(to, parts[i].numbers, parts[i].count * sizeof(double));
}

// Takes the pending step over. Returns whether that is the one that is at hand.
static bool take_past(dop853 *d, const double *past)
{
    part parts[PARTS];
    bool same = d->made;
    list_parts(d, parts);
    for (int i = 0; i < PARTS; past += parts[i++].count) {
        same = same && memcmp(parts[i].numbers, past, parts[i].count * sizeof(double)) == 0;
        memcpy(parts[i].numbers, past, parts[i].count * sizeof(double));
    }
    d->node->time = d->at.start;
    return same;
}

// Makes the pending step again.
static bool remake(dop853 *d)
{
    const progress at = d->at;
    const double evaluations = (double)d->report->evaluations;
    const bool good = slope(d, at.start, d->y, false, d->k[1]) && isfinite(make_step(d, at.length, at.end, true));
    d->at = at;
    d->report->evaluations = (long long)evaluations; // they were counted when it was made
    return good;
}

// Goes on from the pending step, if that is one of this state, with its inputs and in this direction.
static bool take_pending(dop853 *d, const ph_state *state, double h)
{
    const double *past = state_past(state, &scheme_dop853);
    if (!past || state->history_size < history_size(d)) return false;
    const progress *at = (const progress *)past;
    const double *inputs = past + PROGRESS + 1;
    if (memcmp(inputs, state->inputs, model_inputs(d->model) * sizeof(double)) != 0) return false;
    if (at->pending != 1.0 || beyond(at->start, state->time, h) || !beyond(at->end, state->time, h)) return false;
    return take_past(d, past) || remake(d);
}

static void begin(dop853 *d, const ph_state *state, double h)
{
    const ph_model *model = d->model;
    const double *past = state_past(state, &scheme_dop853);
    if (take_pending(d, state, h)) return;
    const progress *at = (const progress *)past;
    const bool known = past && state->history_size >= history_size(d) && at->step * h > 0.0 && isfinite(at->step);
    // Where inputs change at every call, nothing but their jumps has an error: steps of its own would grow without end.
    const double longest = 1e3 * fabs(h);
    const double step = known && fabs(at->step) > longest ? copysign(longest, h) : known ? at->step : 0.0;
    d->at = (progress){.step = step, .error = known ? at->error : 0.0};
    if (!d->adaptive) d->at.step = h;
    take_state(d, state, d->y);
    place(d, d->y);
    put_placed(d, d->y, d->node);
    d->node->time = state->time;
    d->node->target_time = state->target_time;
    memcpy(d->node->inputs, state->inputs, model_inputs(model) * sizeof(double));
    memcpy(d->node->turns, state->turns, (size_t)model->turn_count * sizeof(double));
    memcpy(d->node->targets, state->targets, (size_t)model->target_count * sizeof(double));
}

// ---- What is asked for ----------------------------------------------------------------------------------------------

// The state at a time within the pending step, or at the node.
static bool show(dop853 *d, ph_state *state, double time)
{
    const double *y = d->y;
    if (d->at.pending == 1.0) {
        interpolate(d, time, d->stage);
        y = d->stage;
    }
    place(d, y);
    node_set_time(d->node, time, &d->rk->node);
    if (d->at.pending == 1.0 && !runge_kutta_project(d->rk)) return false;
    put_placed(d, y, state);
    memcpy(state->turns, d->node->turns, (size_t)d->model->turn_count * sizeof(double));
    memcpy(state->targets, d->node->targets, (size_t)d->model->target_count * sizeof(double));
    state->target_time = d->node->target_time;
    return true;
}

static ph_status advance(void *self, ph_state *state, double h, long long count, ph_step_report *report)
{
    dop853 *d = self;
    const double start = state->time, until = state_time_after_steps(state, h, count);
    d->report = report;
    begin(d, state, h);
    d->made = false;
    if (d->at.pending == 1.0 && !beyond(d->at.end, until, h)) go_on(d);
    ph_status status = PH_OK;
    if (d->at.pending != 1.0 && beyond(until, d->node->time, h))
        status = make_steps(d, until, d->adaptive ? until - start : h);
    if (status == PH_OK && !show(d, state, until))
        status = fail(d, PH_NO_CONVERGENCE, "the constraints cannot be met here; try smaller tolerances");
    if (status != PH_OK) return status;
    d->made = true;
    keep(d, state);
    state_end_steps(state, h, count);
    report->steps = count;
    return PH_OK;
}

const ph_scheme scheme_dop853 = {
    .name = "dop853",
    .title = "Dormand-Prince of order 8 with step control and dense output, projected onto the constraints",
    .reference = "Hairer, Norsett and Wanner, Solving ODEs I, II.10",
    .order = 8,
    .traits = PH_KEEPS_POSITION_CONSTRAINT | PH_KEEPS_VELOCITY_CONSTRAINT | PH_OWN_STEPS,
    .options = {{"rtol", "relative tolerance of a step", 1e-9, 1e-14, 1e-1},
                {"atol", "absolute tolerance of a step, in sizes of the mechanism", 1e-12, 0.0, 1e3},
                {"adaptive", "0: one step of its own for each that is asked for", 1.0, 0.0, 1.0}},
    .create = create,
    .advance = advance,
    .destroy = destroy,
};
