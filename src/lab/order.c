// Orders of convergence, measured: errors at sample times that every step meets, against a converged reference.
//
// With e(h) ~ C h^p two steps give p = log(e1/e2) / log(h1/h2). A pair says nothing once its smaller error is rounding,
// or not well above what the reference itself is uncertain by: such pairs are dropped and counted.

#include "lab/lab.h"
#include "math/trig.h"
#include "model/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t ORDER_COOKIE = 0x4f524452u;
static const double ABOVE_REFERENCE = 10.0; // an error must be this many times the reference's uncertainty
static const double QUICK = 0.02;           // s; shorter runs are timed again, the best counts
enum { REFERENCE_RUNS = 3, LARGEST_STEPS = 250, TIMINGS = 5 };

typedef struct result { // what the caller gets, and where it lives
    ph_order_study study;
    arena *memory;
} result;

typedef struct order {
    const ph_order_def *def;
    arena *memory;
    ph_order_study *out;
    lab lab;
    track reference, own;
} order;

ph_order_def ph_default_order(void)
{
    return (ph_order_def){.cookie = ORDER_COOKIE, .sim = ph_default_sim(), .body = PH_NONE, .round_off = 1e-10};
}

static ph_status no_memory(ph_error *error)
{
    return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
}

// ---- Steps and times ------------------------------------------------------------------------------------------------

static int falling(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static ph_status read_steps(order *o, ph_error *error)
{
    const int count = o->def->step_count;
    double *steps = o->out->steps = arena_alloc_array(o->memory, (size_t)count, sizeof *steps);
    if (!steps) return no_memory(error);
    memcpy(steps, o->def->steps, (size_t)count * sizeof *steps);
    for (int i = 0; i < count; i++)
        if (!(steps[i] > 0.0 && isfinite(steps[i])))
            return error_set(error, PH_BAD_ARGUMENT, "a step is %g: it must be positive", steps[i]);
    qsort(steps, (size_t)count, sizeof *steps, falling);
    for (int i = 1; i < count; i++)
        if (steps[i] == steps[i - 1]) return error_set(error, PH_BAD_ARGUMENT, "the step %g is given twice", steps[i]);
    o->out->step_count = count;
    return PH_OK;
}

static ph_status read_times(order *o, ph_error *error)
{
    ph_order_study *out = o->out;
    memcpy(out->times, o->def->times, (size_t)o->def->time_count * sizeof *out->times);
    out->time_count = o->def->time_count;
    qsort(out->times, (size_t)out->time_count, sizeof *out->times, falling);
    for (int i = 0, k = out->time_count - 1; i < k; i++, k--) {
        const double later = out->times[i];
        out->times[i] = out->times[k];
        out->times[k] = later;
    }
    for (int i = 0; i < out->time_count; i++)
        for (int k = 0; k < out->step_count; k++)
            if (!steps_to(out->times[i], out->steps[k]))
                return error_set(error, PH_BAD_ARGUMENT, "the sample time %.9g is no multiple of the step %.9g",
                                 out->times[i], out->steps[k]);
    return PH_OK;
}

// Half and all of so many of the largest steps, or of the model's end time when that is earlier.
static ph_status choose_times(order *o, ph_error *error)
{
    ph_order_study *out = o->out;
    const double until = ph_model_run_settings(o->lab.model)->until,
                 unit = common_multiple(out->steps, out->step_count);
    if (unit == 0.0)
        return error_set(
            error, PH_BAD_ARGUMENT,
            "the steps have no common multiple within 10000 of the largest, so that there is no sample time");
    double last = LARGEST_STEPS * out->steps[0];
    if (until > 0.0 && until < last) last = until;
    const double units = fmax(floor(last / unit + 1e-9), 1.0), half = floor(0.5 * units);
    if (half >= 1.0) out->times[out->time_count++] = half * unit;
    out->times[out->time_count++] = units * unit;
    return PH_OK;
}

static ph_status set_times(order *o, ph_error *error)
{
    const int count = o->def->time_count > 2 ? o->def->time_count : 2;
    o->out->times = arena_alloc_array(o->memory, (size_t)count, sizeof(double));
    if (!o->out->times) return no_memory(error);
    return o->def->time_count > 0 ? read_times(o, error) : choose_times(o, error);
}

// ---- Runs -----------------------------------------------------------------------------------------------------------

static ph_status run_point(order *o, const char *name, const char *scheme, ph_order_point *point, ph_error *error)
{
    ph_error mistake;
    run_cost cost;
    lab_begin(&o->lab, name, point->step);
    point->status = lab_run(&o->lab, scheme, point->step, &o->own, &cost, &mistake);
    point->steps = cost.steps;
    point->iterations_mean = cost.iterations_mean;
    point->cpu_s = cost.cpu_s;
    if (point->status != PH_OK) {
        point->message = arena_copy_string(o->memory, mistake.text);
        return point->status == PH_INTERRUPTED || !point->message ? error_set(error, point->status, "%s", mistake.text)
                                                                  : PH_OK;
    }
    point->error = track_difference(&o->own, &o->reference, o->lab.measured);
    for (int i = 1; i < TIMINGS && cost.cpu_s < QUICK; i++)
        if (lab_run(&o->lab, scheme, point->step, NULL, &cost, NULL) == PH_OK)
            point->cpu_s = fmin(point->cpu_s, cost.cpu_s);
    return PH_OK;
}

// ---- Fits -----------------------------------------------------------------------------------------------------------

static bool is_usable(const order *o, const ph_order_point *point, int quantity)
{
    return point->status == PH_OK && point->error.of[quantity] >= o->out->floor[quantity];
}

// Least squares through (log h, log e) of the points that belong to a used pair.
static double fit_slope(const ph_order_row *row, const ph_order_fit *fit, int points, int quantity)
{
    double n = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    for (int k = 0; k < points; k++) {
        const bool before = k > 0 && !isnan(fit->orders[k - 1]), after = k + 1 < points && !isnan(fit->orders[k]);
        if (!before && !after) continue;
        const double u = ph_log(row->points[k].step), v = ph_log(row->points[k].error.of[quantity]);
        n += 1.0;
        x += u;
        y += v;
        xx += u * u;
        xy += u * v;
    }
    return n >= 2.0 ? (n * xy - x * y) / (n * xx - x * x) : (double)NAN;
}

static void set_fit(const order *o, ph_order_row *row, int quantity)
{
    ph_order_fit *fit = &row->fits[quantity];
    const int points = o->out->step_count;
    for (int k = 0; k + 1 < points; k++) {
        const ph_order_point *a = &row->points[k], *b = &row->points[k + 1];
        const double ea = a->error.of[quantity], eb = b->error.of[quantity];
        const bool measured = a->status == PH_OK && b->status == PH_OK;
        const bool used = is_usable(o, a, quantity) && is_usable(o, b, quantity);
        fit->orders[k] = used ? ph_log(ea / eb) / ph_log(a->step / b->step) : (double)NAN;
        fit->used += used;
        fit->dropped += measured && !used;
    }
    fit->slope = fit_slope(row, fit, points, quantity);
}

// ---- The study ------------------------------------------------------------------------------------------------------

static ph_status create_rows(order *o, ph_error *error)
{
    const size_t rows = (size_t)o->def->trial_count, steps = (size_t)o->out->step_count;
    o->out->rows = arena_alloc_array(o->memory, rows, sizeof *o->out->rows);
    if (!o->out->rows) return no_memory(error);
    for (size_t i = 0; i < rows; i++) {
        ph_order_row *row = &o->out->rows[i];
        row->name = arena_copy_string(o->memory, o->def->trials[i] ? o->def->trials[i] : "");
        row->points = arena_alloc_array(o->memory, steps, sizeof *row->points);
        bool ok = row->name && row->points;
        for (int q = 0; q < PH_QUANTITIES; q++)
            ok = ok && (row->fits[q].orders = arena_alloc_array(o->memory, steps, sizeof(double))) != NULL;
        if (!ok) return no_memory(error);
        for (size_t k = 0; k < steps; k++)
            row->points[k] = (ph_order_point){.step = o->out->steps[k], .error = motion_error_unknown()};
    }
    return PH_OK;
}

static ph_status run_row(order *o, ph_order_row *row, ph_error *error)
{
    trial_name name;
    ph_error mistake;
    ph_status status = trial_read(o->memory, row->name, &name, &mistake), ended = PH_OK;
    if (status == PH_OK && name.step > 0.0)
        status = error_set(&mistake, PH_BAD_ARGUMENT, "'%s': the steps of an order study are given apart", row->name);
    row->order = name.index >= 0 ? ph_scheme_get(name.index).order : 0;
    for (int k = 0; ended == PH_OK && k < o->out->step_count; k++) {
        ph_order_point *point = &row->points[k];
        if (status == PH_OK) {
            ended = run_point(o, row->name, name.scheme, point, error);
        } else {
            point->status = status;
            point->message = arena_copy_string(o->memory, mistake.text);
        }
        row->failed += point->status != PH_OK;
    }
    for (int q = 0; q < PH_QUANTITIES; q++) set_fit(o, row, q);
    return ended;
}

static void set_floor(order *o)
{
    const ph_motion_error size = track_size(&o->reference, o->lab.measured);
    for (int q = 0; q < PH_QUANTITIES; q++) {
        const double uncertainty = o->out->reference.uncertainty.of[q];
        o->out->floor[q] = o->def->round_off * fmax(size.of[q], 1.0);
        if (uncertainty * ABOVE_REFERENCE > o->out->floor[q]) o->out->floor[q] = uncertainty * ABOVE_REFERENCE;
    }
}

static ph_status set_names(order *o, ph_error *error)
{
    const ph_model *model = o->lab.model;
    const char *name = ph_model_name(model);
    o->out->model = arena_copy_string(o->memory, name ? name : "");
    if (o->def->body != PH_NONE && (o->def->body < 0 || o->def->body >= model->body_count))
        return error_set(error, PH_BAD_ARGUMENT, "the model has no body %d", o->def->body);
    if (o->def->body != PH_NONE) o->out->body = arena_copy_string(o->memory, model->bodies[o->def->body].name);
    return o->out->model ? PH_OK : no_memory(error);
}

static ph_status run_all(order *o, ph_error *error)
{
    ph_status status = set_names(o, error);
    if (status == PH_OK) status = read_steps(o, error);
    if (status == PH_OK) status = set_times(o, error);
    if (status == PH_OK) status = create_rows(o, error);
    if (status != PH_OK) return status;
    o->lab.times = o->out->times;
    o->lab.samples = o->out->time_count;
    o->lab.now = (ph_lab_progress){.run = -1};
    o->lab.now.runs = o->def->trial_count * o->out->step_count + (o->def->reference ? 1 : REFERENCE_RUNS);
    for (int k = 0; k < o->out->step_count; k++) lab_plan(&o->lab, o->out->steps[k], o->def->trial_count);
    if (!track_create(o->memory, ph_model_bodies(o->lab.model), o->lab.samples, &o->own)) return no_memory(error);
    status = lab_reference(&o->lab, o->memory, o->def->reference, o->out->steps[o->out->step_count - 1], REFERENCE_RUNS,
                           &o->reference, &o->out->reference, error);
    if (status != PH_OK) return status;
    set_floor(o);
    for (int i = 0; status == PH_OK && i < o->def->trial_count; i++) {
        status = run_row(o, &o->out->rows[i], error);
        o->out->row_count = i + 1;
        o->out->failed += o->out->rows[i].failed > 0;
    }
    return status;
}

ph_status ph_measure_order(const ph_model *model, const ph_order_def *def, ph_order_study **study, ph_error *error)
{
    if (!model || !def || !study || def->cookie != ORDER_COOKIE)
        return error_set(error, PH_BAD_ARGUMENT,
                         "an order study needs a model and a ph_order_def from ph_default_order()");
    *study = NULL;
    if (def->trial_count < 1 || !def->trials) return error_set(error, PH_BAD_ARGUMENT, "there is no scheme to measure");
    if (def->step_count < 2 || !def->steps)
        return error_set(error, PH_BAD_ARGUMENT, "an order needs two steps at least");
    arena *memory = arena_create(NULL);
    result *r = memory ? arena_alloc(memory, sizeof *r) : NULL;
    if (!r) {
        arena_destroy(memory);
        return no_memory(error);
    }
    r->memory = memory;
    order o = {.def = def, .memory = memory, .out = &r->study};
    o.lab = (lab){.model = model, .sim = def->sim, .measured = def->body, .progress = def->progress, .user = def->user};
    const ph_status status = run_all(&o, error);
    const bool partial = status == PH_INTERRUPTED && r->study.row_count > 0;
    if (status != PH_OK && !partial) {
        arena_destroy(memory);
        return status;
    }
    *study = &r->study;
    return status;
}

void ph_order_study_destroy(ph_order_study *study)
{
    if (study) arena_destroy(((result *)study)->memory);
}
