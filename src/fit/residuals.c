// See residuals.h. Between shown nodes quantities are interpolated by cubics through four of them, which are linear in the values
// and so take derivatives along.
#include "fit/residuals.h"

#include "base/error.h"
#include "polhode/io.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- Unknowns -------------------------------------------------------------------------------------------------------

static ph_status find_unknowns(residuals *r, double *values, ph_error *error)
{
    for (int k = 0; k < r->count; k++) {
        const ph_unknown *u = &r->def->unknowns[k];
        r->names[k] = u->name;
        if (!unknown_value(r->model, u->name, &values[k], &r->number[k]))
            return error_set(
                error, PH_NOT_FOUND,
                "'%.80s' is neither a parameter or input of the model nor one of its numbers (gravity.z, "
                "BODY.mass, BODY.com.x, BODY.log_cholesky.d1, joints.JOINT.damping, forces.FORCE.stiffness, "
                "JOINT.rate, BODY.start.velocity.x)",
                u->name);
        r->scales[k] = unknown_size(r->model, u->name, values[k]);
        if (r->def->guess && !isnan(r->def->guess[k])) values[k] = r->def->guess[k];
        if (!(u->low <= u->high))
            return error_set(error, PH_BAD_ARGUMENT, "'%.80s': the lower bound %g is above the upper one %g", u->name,
                             u->low, u->high);
        values[k] = fmin(fmax(values[k], u->low), u->high);
    }
    return PH_OK;
}

// ---- Steps ----------------------------------------------------------------------------------------------------------

static bool is_multiple(double t, double dt)
{
    return fabs(t - dt * rint(t / dt)) <= 1e-6 * dt;
}

static ph_status plan_run(const ph_fit_def *def, const ph_fit_data *d, int index, fit_plan *p, ph_error *error)
{
    double dt = (double)INFINITY;
    for (int i = 0; i < d->rows; i++) {
        const double gap = d->times[i] - (i > 0 ? d->times[i - 1] : 0.0);
        if (!isfinite(d->times[i]) || gap < 0.0 || (i > 0 && gap == 0.0))
            return error_set(error, PH_BAD_ARGUMENT, "data %d: times must rise from 0 or later; row %d has t = %g",
                             index + 1, i + 1, d->times[i]);
        if (gap > 0.0) dt = fmin(dt, gap);
    }
    if (!isfinite(dt)) return error_set(error, PH_BAD_ARGUMENT, "data %d has no row after t = 0", index + 1);
    bool even = true;
    for (int i = 0; i < d->rows; i++) even = even && is_multiple(d->times[i], dt);
    const double last = d->times[d->rows - 1], h = def->step > 0.0 ? def->step : dt;
    const double each = even ? fmax(1.0, ceil(dt / h - 1e-9)) : 1.0;
    p->h = even ? dt / each : last / ceil(last / h - 1e-9);
    p->every = (long long)each;
    if (last / p->h > 1e9) return error_set(error, PH_BAD_ARGUMENT, "data %d asks for too many steps", index + 1);
    p->steps = (long long)rint(last / p->h);
    return PH_OK;
}

static void decide_method(residuals *r)
{
    ph_adjoint_def def = ph_default_adjoint();
    ph_adjoint *a = NULL;
    ph_error error = {0};
    def.sim = r->def->sim;
    r->exact = !r->def->differences && ph_adjoint_create(r->model, &def, &a, &error) == PH_OK;
    if (r->exact && !ph_adjoint_has_tangents(a)) {
        r->exact = false;
        error_set(&error, PH_NOT_SUPPORTED, "steps with contact have no tangents");
    }
    snprintf(r->why, sizeof r->why, "%.500s", r->def->differences ? "differences were asked for" : error.text);
    ph_adjoint_destroy(a);
}

static ph_status check_columns(const ph_model *model, const ph_fit_data *d, int index, ph_error *error)
{
    ph_observables *o = NULL;
    if (d->rows < 1 || d->columns < 1 || !d->times || !d->values || !d->names)
        return error_set(error, PH_BAD_ARGUMENT, "data %d has no rows or no columns", index + 1);
    const ph_status status = ph_observables_create(model, d->columns, d->names, &o, error);
    ph_observables_destroy(o);
    for (int k = 0; k < d->columns && d->sigmas && status == PH_OK; k++)
        if (!(d->sigmas[k] > 0.0))
            return error_set(error, PH_BAD_ARGUMENT, "'%.80s': sigma must be positive", d->names[k]);
    for (int k = 0; k < d->input_count && status == PH_OK; k++)
        if (ph_model_find_input(model, d->inputs[k]) < 0)
            return error_set(error, PH_NOT_FOUND, "the model has no input '%.80s'", d->inputs[k]);
    return status;
}

ph_status residuals_create(residuals *r, const ph_model *model, const ph_fit_def *def, double *values, ph_error *error)
{
    const size_t count = (size_t)def->unknown_count;
    arena *memory = r->memory;
    *r = (residuals){.model = model, .def = def, .memory = memory, .count = def->unknown_count, .finer = 1.0};
    r->names = arena_alloc_array(memory, count, sizeof *r->names);
    r->scales = arena_alloc_array(memory, count, sizeof *r->scales);
    r->number = arena_alloc_array(memory, count, sizeof *r->number);
    r->by_runs = arena_alloc_array(memory, count, sizeof *r->by_runs);
    r->plans = arena_alloc_array(memory, (size_t)def->run_count, sizeof *r->plans);
    if (!r->names || !r->scales || !r->number || !r->by_runs || !r->plans)
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    ph_status status = find_unknowns(r, values, error);
    for (int k = 0; k < def->run_count && status == PH_OK; k++) {
        status = check_columns(model, &def->runs[k], k, error);
        if (status == PH_OK) status = plan_run(def, &def->runs[k], k, &r->plans[k], error);
        r->total += (long long)def->runs[k].rows * def->runs[k].columns;
    }
    if (status == PH_OK) decide_method(r);
    return status;
}

// ---- From nodes to data ---------------------------------------------------------------------------------------------

enum { WINDOW = 4 };

typedef struct collector {
    const ph_fit_data *data;
    int width;             // numbers at a node: columns x (1 + unknowns)
    int columns, unknowns; // unknowns: 0 where no derivatives are wanted
    double spacing, last;  // of shown nodes; time of the last
    double times[WINDOW];
    double *nodes[WINDOW]; // the last four
    int held;
    int row; // next
    double *residual, *J, *simulated;
} collector;

// Lagrange's weights; a node itself has weight 1.
static void weights_at(const collector *c, double t, double w[WINDOW])
{
    for (int i = 0; i < c->held; i++) {
        w[i] = 1.0;
        for (int j = 0; j < c->held; j++)
            if (j != i) w[i] *= (t - c->times[j]) / (c->times[i] - c->times[j]);
    }
    for (int i = 0; i < c->held; i++)
        if (fabs(t - c->times[i]) <= 2e-6 * c->spacing) {
            for (int j = 0; j < c->held; j++) w[j] = j == i;
        }
}

static void take_row(collector *c)
{
    const ph_fit_data *d = c->data;
    double w[WINDOW];
    weights_at(c, d->times[c->row], w);
    for (int q = 0; q < c->columns; q++) {
        const size_t at = (size_t)c->row * (size_t)c->columns + (size_t)q;
        const double sigma = d->sigmas ? d->sigmas[q] : 1.0;
        double value = 0.0;
        for (int i = 0; i < c->held; i++)
            if (w[i] != 0.0) value += w[i] * c->nodes[i][q];
        if (c->simulated) c->simulated[at] = value;
        c->residual[at] = (value - d->values[at]) / sigma;
        for (int k = 0; k < c->unknowns; k++) {
            double slope = 0.0;
            for (int i = 0; i < c->held; i++)
                if (w[i] != 0.0) slope += w[i] * c->nodes[i][c->columns + q * c->unknowns + k];
            c->J[at * (size_t)c->unknowns + (size_t)k] = slope / sigma;
        }
    }
    c->row++;
}

static void take_node(collector *c, double t, const double *values, const double *jacobian)
{
    if (c->held == WINDOW) {
        double *first = c->nodes[0];
        for (int i = 0; i + 1 < WINDOW; i++) c->nodes[i] = c->nodes[i + 1], c->times[i] = c->times[i + 1];
        c->nodes[WINDOW - 1] = first;
        c->held--;
    }
    memcpy(c->nodes[c->held], values, sizeof(double) * (size_t)c->columns);
    if (c->unknowns)
        memcpy(c->nodes[c->held] + c->columns, jacobian, sizeof(double) * (size_t)c->columns * (size_t)c->unknowns);
    c->times[c->held++] = t;
    const bool end = t >= c->last - 0.5 * c->spacing;
    const double ready = end ? (double)INFINITY : c->held == WINDOW ? c->times[2] + 1e-9 * c->spacing : -1.0;
    while (c->row < c->data->rows && c->data->times[c->row] <= ready) take_row(c);
}

// ---- Runs -----------------------------------------------------------------------------------------------------------

typedef struct one_run {
    residuals *r;
    const ph_model *model;
    const double *values;
    fit_plan plan;
    collector collect;
    double *inputs; // steps x inputs, or NULL
    double half;    // size of the tangents in the middle
    arena *memory;
} one_run;

static double input_at(const ph_fit_data *d, int k, double t)
{
    int i = 0;
    while (i + 1 < d->rows && d->times[i + 1] < t) i++;
    const double a = d->input_values[i * d->input_count + k];
    if (i + 1 >= d->rows || t <= d->times[i]) return a;
    const double b = d->input_values[(i + 1) * d->input_count + k];
    return a + (b - a) * (t - d->times[i]) / (d->times[i + 1] - d->times[i]);
}

static bool make_inputs(one_run *o, const ph_fit_data *d)
{
    const int count = ph_model_inputs(o->model);
    ph_state *state = ph_state_create(o->model);
    o->inputs = arena_alloc_array(o->memory, (size_t)o->plan.steps * (size_t)count, sizeof(double));
    for (long long n = 0; n < o->plan.steps && o->inputs && state; n++) {
        double *to = o->inputs + n * count;
        for (int k = 0; k < count; k++) to[k] = ph_state_inputs(state)[k];
        for (int k = 0; k < d->input_count; k++)
            to[ph_model_find_input(o->model, d->inputs[k])] = input_at(d, k, ((double)n + 0.5) * o->plan.h);
    }
    ph_state_destroy(state);
    return o->inputs && state;
}

static bool see_node(long long n, const ph_state *state, const double *values, const double *jacobian, void *user)
{
    one_run *o = user;
    double size = 0.0;
    (void)state;
    for (int i = 0; i < o->collect.columns * o->r->count; i++)
        size = fmax(size, fabs(jacobian[i]) * o->r->scales[i % o->r->count]);
    if (n <= o->plan.steps / 2) o->half = size;
    if (n == o->plan.steps && o->half > 0.0) o->r->growth = fmax(o->r->growth, (size / o->half) * (size / o->half));
    take_node(&o->collect, (double)n * o->plan.h, values, jacobian);
    return true;
}

static ph_model *make_one(int k, double value, void *user, ph_error *error)
{
    const one_run *o = user;
    ph_model *model = NULL;
    double values[UNKNOWNS_MAX];
    memcpy(values, o->values, sizeof *values * (size_t)o->r->count);
    values[k] = value;
    ph_model_at(o->r->model, o->r->count, o->r->names, values, &model, error);
    return model;
}

// Unknowns without exact derivative are differenced.
static ph_status make_parameters(one_run *o, ph_parameters **p, ph_error *error)
{
    const residuals *r = o->r;
    ph_parameter *list = arena_alloc_array(o->memory, (size_t)r->count, sizeof *list);
    if (!list) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    for (int k = 0; k < r->count; k++) list[k] = (ph_parameter){r->names[k], o->values[k], r->number[k]};
    ph_status status = ph_parameters_create(o->model, r->count, list, make_one, o, p, error);
    for (int k = 0; k < r->count && status == PH_OK; k++) o->r->by_runs[k] = ph_parameters_problem(*p, k) != NULL;
    return status;
}

static ph_status tangent_run(one_run *o, ph_parameters *p, ph_observables *q, ph_error *error)
{
    ph_adjoint_def def = ph_default_adjoint();
    ph_adjoint *a = NULL;
    ph_step_report report = {0};
    ph_state *state = ph_state_create(o->model);
    def.sim = o->r->def->sim;
    ph_status status = state ? ph_adjoint_create(o->model, &def, &a, error) : PH_OUT_OF_MEMORY;
    if (status == PH_OK) {
        status = ph_adjoint_tangents(a, state, o->plan.h, o->plan.steps, o->inputs, p, q, o->plan.every, see_node, o,
                                     &report);
        if (status != PH_OK && error) {
            ph_step_report_format(&report, o->model, error->text, sizeof error->text);
            error->status = status;
        }
    }
    ph_adjoint_destroy(a);
    ph_state_destroy(state);
    return status;
}

static ph_status plain_run(one_run *o, ph_observables *q, ph_error *error)
{
    ph_sim *sim = NULL;
    ph_step_report report = {0};
    const int inputs = ph_model_inputs(o->model);
    double *values = arena_alloc_array(o->memory, (size_t)o->collect.columns, sizeof *values);
    ph_state *state = ph_state_create(o->model);
    ph_status status = state && values ? ph_sim_create(o->model, &o->r->def->sim, &sim, error) : PH_OUT_OF_MEMORY;
    for (long long n = 0; n <= o->plan.steps && status == PH_OK; n++) {
        if (n % o->plan.every == 0 || n == o->plan.steps) {
            ph_observables_values(q, state, values);
            take_node(&o->collect, (double)n * o->plan.h, values, NULL);
        }
        if (n == o->plan.steps) break;
        for (int k = 0; k < inputs && o->inputs; k++) ph_state_inputs(state)[k] = o->inputs[n * inputs + k];
        status = ph_sim_step(sim, state, o->plan.h, &report);
        if (status != PH_OK && error) {
            ph_step_report_format(&report, o->model, error->text, sizeof error->text);
            error->status = status;
        }
    }
    ph_sim_destroy(sim);
    ph_state_destroy(state);
    return status;
}

static bool open_collector(one_run *o, const ph_fit_data *d, bool slopes, double *residual, double *J,
                           double *simulated)
{
    collector *c = &o->collect;
    *c = (collector){.data = d,
                     .columns = d->columns,
                     .unknowns = slopes ? o->r->count : 0,
                     .spacing = o->plan.h * (double)o->plan.every,
                     .last = o->plan.h * (double)o->plan.steps,
                     .residual = residual,
                     .J = J,
                     .simulated = simulated};
    c->width = d->columns * (1 + c->unknowns);
    bool ok = true;
    for (int i = 0; i < WINDOW; i++)
        ok = ok && (c->nodes[i] = arena_alloc_array(o->memory, (size_t)c->width, sizeof(double)));
    return ok;
}

static ph_status run_one(residuals *r, const ph_model *model, int index, const double *values, ph_parameters *p,
                         double *residual, double *J, double *simulated, ph_error *error)
{
    const ph_fit_data *d = &r->def->runs[index];
    one_run o = {.r = r, .model = model, .values = values, .plan = r->plans[index]};
    o.plan.h /= r->finer, o.plan.steps *= (long long)r->finer, o.plan.every *= (long long)r->finer;
    ph_observables *q = NULL;
    o.memory = arena_create(NULL);
    ph_status status = PH_OUT_OF_MEMORY;
    if (o.memory && open_collector(&o, d, p != NULL, residual, J, simulated) &&
        (d->input_count == 0 || make_inputs(&o, d)))
        status = ph_observables_create(model, d->columns, d->names, &q, error);
    if (status == PH_OK) status = p ? tangent_run(&o, p, q, error) : plain_run(&o, q, error);
    ph_observables_destroy(q);
    arena_destroy(o.memory);
    return status;
}

static ph_status run_all(residuals *r, const double *values, bool slopes, double *residual, double *J,
                         double *simulated, ph_error *error)
{
    ph_model *model = NULL;
    ph_parameters *p = NULL;
    one_run o = {.r = r, .values = values};
    r->evaluations++;
    ph_status status = ph_model_at(r->model, r->count, r->names, values, &model, error);
    o.model = model;
    o.memory = status == PH_OK ? arena_create(NULL) : NULL;
    if (status == PH_OK && slopes) status = make_parameters(&o, &p, error);
    size_t at = 0;
    for (int k = 0; k < r->def->run_count && status == PH_OK; k++) {
        status = run_one(r, model, k, values, p, residual + at, J ? J + at * (size_t)r->count : NULL,
                         simulated ? simulated + at : NULL, error);
        at += (size_t)r->def->runs[k].rows * (size_t)r->def->runs[k].columns;
    }
    ph_parameters_destroy(p);
    ph_model_destroy(model);
    arena_destroy(o.memory);
    return status;
}

// Residuals with unknown k changed by s, as far as bounds allow; *at: where that is.
static ph_status run_beside(residuals *r, const double *values, int k, double s, double *residual, double *at,
                            ph_error *error)
{
    const ph_unknown *u = &r->def->unknowns[k];
    double x[UNKNOWNS_MAX];
    memcpy(x, values, sizeof *x * (size_t)r->count);
    *at = x[k] = fmin(fmax(values[k] + s, u->low), u->high);
    return run_all(r, x, false, residual, NULL, NULL, error);
}

// Column k by central differences of whole runs; where there are none on one side, as below a damping that is zero, by those of the other
// from `here`.
static ph_status difference(residuals *r, const double *values, const double *here, int k, double *room, double *J,
                            ph_error *error)
{
    const size_t total = (size_t)r->total;
    const double s = 1e-4 * r->scales[k];
    double up, down, *plus = room, *minus = room + total;
    ph_error reason = {0};
    const ph_status above = run_beside(r, values, k, s, plus, &up, &reason);
    const ph_status below = run_beside(r, values, k, -s, minus, &down, &reason);
    if (above == PH_OUT_OF_MEMORY || below == PH_OUT_OF_MEMORY) return PH_OUT_OF_MEMORY;
    if (above != PH_OK && below != PH_OK)
        return error_set(error, PH_BAD_ARGUMENT, "'%.80s' cannot change alone: %.700s", r->names[k], reason.text);
    if (above != PH_OK) memcpy(plus, here, total * sizeof *plus), up = values[k];
    if (below != PH_OK) memcpy(minus, here, total * sizeof *minus), down = values[k];
    for (size_t i = 0; i < total; i++)
        J[i * (size_t)r->count + (size_t)k] = up > down ? (plus[i] - minus[i]) / (up - down) : 0.0;
    return PH_OK;
}

ph_status residuals_at(residuals *r, const double *values, double *residual, double *J, double *simulated,
                       ph_error *error)
{
    ph_status status = run_all(r, values, J && r->exact, residual, J, simulated, error);
    if (status != PH_OK || !J) return status;
    double *room = mem_alloc_array(NULL, 2 * (size_t)r->total, sizeof *room);
    if (!room) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    for (int k = 0; k < r->count && status == PH_OK; k++)
        if (!r->exact || r->by_runs[k]) status = difference(r, values, residual, k, room, J, error);
    mem_free(NULL, room);
    return status;
}
