// What a fit has found, and what the data do not determine.
//
// The step itself gives small derivatives, of order h^2, to combinations of inertial numbers that the motion does not depend on:
// with half the step they fall to a quarter. Such directions are told apart from those that the data determine weakly.
#include "fit/fit.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

typedef struct report {
    ph_fit fit; // first: what the caller holds
    arena *memory;
    double *values, *errors, *scales, *simulated;
    bool *at_bound, *idle;
    ph_fit_direction *directions;
} report;

// ---- Directions -----------------------------------------------------------------------------------------------------

static const bool none[UNKNOWNS_MAX];

// Singular values with half the step.
static ph_status look_at_half_step(fitter *f, double *half, ph_error *error)
{
    const size_t n = (size_t)f->n, J_size = f->total * n;
    double *J = mem_alloc_array(NULL, J_size + f->total + 2 * n * n, sizeof *J), *r = J + J_size;
    if (!J) return PH_OUT_OF_MEMORY;
    const ph_status status = fit_halve(f, J, r, error);
    if (status == PH_OK) {
        double *R = r + f->total, *V = R + n * n;
        fit_fold(f, J, none, R, f->b);
        svd(R, f->n, half, V);
    }
    mem_free(NULL, J);
    return status;
}

static bool is_zero_column(const fitter *f, int k)
{
    for (size_t i = 0; i < f->total; i++)
        if (!isnan(f->residual[i]) && f->J[i * (size_t)f->n + (size_t)k] != 0.0) return false;
    return true;
}

// Singular values, their directions and the verdict on each.
static ph_status judge(fitter *f, report *to, double *half, ph_error *error)
{
    const int n = f->n;
    fit_fold(f, f->J, none, f->R, f->b);
    svd(f->R, n, f->s, f->V);
    for (int k = 0; k < n; k++) half[k] = (double)NAN;
    if (f->from.def->verdict && f->from.exact) {
        const ph_status status = look_at_half_step(f, half, error);
        if (status != PH_OK) return status;
    }
    const double noise = f->sigma / f->limit;
    for (int k = 0; k < n; k++) {
        ph_fit_direction *d = &to->directions[k];
        double *v = arena_alloc_array(to->memory, (size_t)n, sizeof *v);
        if (!v) return PH_OUT_OF_MEMORY;
        for (int i = 0; i < n; i++) v[i] = f->V[i * n + k];
        const double s = f->s[k], top = f->s[0] > 0.0 ? f->s[0] : 1.0;
        d->direction = v;
        d->singular_value = s / top, d->half_step = half[k] / top;
        d->of_the_step = s < 0.05 * top && half[k] < 0.45 * s && half[k] > 0.0;
        d->determined = s > 1e-9 * top && s > noise && !d->of_the_step;
        to->fit.determined += d->determined;
    }
    return PH_OK;
}

// ---- Errors ---------------------------------------------------------------------------------------------------------

static double covariance(const fitter *f, const report *to, int a, int b)
{
    double sum = 0.0;
    for (int k = 0; k < f->n; k++)
        if (to->directions[k].determined) sum += f->V[a * f->n + k] * f->V[b * f->n + k] / (f->s[k] * f->s[k]);
    return sum;
}

static void find_errors(const fitter *f, report *to, double sigma)
{
    for (int i = 0; i < f->n; i++) {
        double open = 0.0;
        for (int k = 0; k < f->n; k++)
            if (!to->directions[k].determined) open += f->V[i * f->n + k] * f->V[i * f->n + k];
        const ph_unknown *u = &f->from.def->unknowns[i];
        to->at_bound[i] = f->x[i] <= u->low || f->x[i] >= u->high;
        to->idle[i] = is_zero_column(f, i);
        to->errors[i] = open > 1e-4 ? (double)INFINITY : sigma * f->from.scales[i] * sqrt(covariance(f, to, i, i));
    }
    for (int i = 0; i < f->n; i++)
        for (int j = 0; j < i; j++) {
            if (isinf(to->errors[i]) || isinf(to->errors[j])) continue;
            const double size = sqrt(covariance(f, to, i, i) * covariance(f, to, j, j));
            const double c = size > 0.0 ? covariance(f, to, i, j) / size : 0.0;
            if (fabs(c) <= fabs(to->fit.correlation_largest)) continue;
            to->fit.correlation_largest = c;
            to->fit.correlated[0] = j, to->fit.correlated[1] = i;
        }
}

static void count_residuals(const fitter *f, ph_fit *fit)
{
    for (size_t i = 0; i < f->total; i++) {
        fit->residuals += !isnan(f->residual[i]);
        fit->gaps += isnan(f->residual[i]);
        fit->outliers += fabs(f->residual[i]) > f->corner;
    }
}

static void point(report *to)
{
    ph_fit *fit = &to->fit;
    fit->values = to->values, fit->errors = to->errors, fit->scales = to->scales;
    fit->at_bound = to->at_bound, fit->idle = to->idle;
    fit->directions = to->directions, fit->simulated = to->simulated;
}

static ph_status fill(fitter *f, report *to, ph_error *error)
{
    ph_fit *fit = &to->fit;
    double half[UNKNOWNS_MAX];
    const bool given = f->from.def->runs[0].sigmas != NULL;
    ph_status status = judge(f, to, half, error);
    if (status == PH_OK) status = residuals_at(&f->from, f->x, f->next, NULL, to->simulated, error);
    if (status != PH_OK) return status;
    find_errors(f, to, given ? 1.0 : f->sigma);
    memcpy(to->values, f->x, sizeof(double) * (size_t)f->n);
    memcpy(to->scales, f->from.scales, sizeof(double) * (size_t)f->n);
    count_residuals(f, fit);
    fit->unknowns = f->n;
    fit->cost = f->cost, fit->first_cost = f->first, fit->sigma = f->sigma;
    fit->iterations = f->iteration, fit->evaluations = f->from.evaluations;
    fit->end = f->end;
    fit->exact = f->from.exact;
    fit->why = f->from.exact ? NULL : arena_copy_string(to->memory, f->from.why);
    fit->growth = f->from.growth;
    point(to);
    return PH_OK;
}

// ---------------------------------------------------------------------------------------------------------------------

static bool make_room(fitter *f, arena *m)
{
    const size_t n = (size_t)f->n, N = f->total;
    f->trial = arena_alloc_array(m, n, sizeof(double)), f->p = arena_alloc_array(m, n, sizeof(double));
    f->residual = arena_alloc_array(m, N, sizeof(double)), f->next = arena_alloc_array(m, N, sizeof(double));
    f->J = arena_alloc_array(m, N * n, sizeof(double)), f->work = arena_alloc_array(m, N, sizeof(double));
    f->R = arena_alloc_array(m, n * n, sizeof(double)), f->V = arena_alloc_array(m, n * n, sizeof(double));
    f->b = arena_alloc_array(m, n, sizeof(double)), f->s = arena_alloc_array(m, n, sizeof(double));
    f->row = arena_alloc_array(m, n, sizeof(double));
    return f->trial && f->p && f->residual && f->next && f->J && f->work && f->R && f->V && f->b && f->s && f->row;
}

static report *make_report(arena *memory, const fitter *f)
{
    const size_t n = (size_t)f->n;
    report *to = arena_alloc(memory, sizeof *to);
    if (!to) return NULL;
    *to = (report){.memory = memory};
    to->values = arena_alloc_array(memory, n, sizeof(double));
    to->errors = arena_alloc_array(memory, n, sizeof(double));
    to->scales = arena_alloc_array(memory, n, sizeof(double));
    to->at_bound = arena_alloc_array(memory, n, sizeof(bool));
    to->idle = arena_alloc_array(memory, n, sizeof(bool));
    to->directions = arena_alloc_array(memory, n, sizeof(ph_fit_direction));
    to->simulated = arena_alloc_array(memory, f->total, sizeof(double));
    return to->values && to->errors && to->scales && to->at_bound && to->idle && to->directions && to->simulated ? to
                                                                                                                 : NULL;
}

static ph_status work(fitter *f, const ph_model *model, const ph_fit_def *def, arena *memory, ph_fit **fit,
                      ph_error *error)
{
    f->x = arena_alloc_array(f->from.memory, (size_t)def->unknown_count, sizeof(double));
    if (!f->x) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    ph_status status = residuals_create(&f->from, model, def, f->x, error);
    if (status != PH_OK) return status;
    f->n = def->unknown_count, f->total = (size_t)f->from.total;
    f->limit = 1.0;
    report *to = make_report(memory, f);
    if (!to || !make_room(f, f->from.memory)) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    status = fit_iterate(f, error);
    if (status == PH_OK) status = fill(f, to, error);
    if (status == PH_OK) *fit = &to->fit;
    return status;
}

ph_status ph_fit_run(const ph_model *model, const ph_fit_def *def, ph_fit **fit, ph_error *error)
{
    if (!model || !def || !fit || def->cookie != ph_default_fit().cookie)
        return error_set(error, PH_BAD_ARGUMENT,
                         "ph_fit_run needs a model, a ph_fit_def from ph_default_fit() and a place");
    *fit = NULL;
    if (def->run_count < 1 || !def->runs || def->unknown_count < 1 || def->unknown_count > UNKNOWNS_MAX ||
        !def->unknowns)
        return error_set(error, PH_BAD_ARGUMENT, "a fit needs data and 1 to %d unknowns", UNKNOWNS_MAX);
    arena *memory = arena_create(NULL);
    fitter f = {.from.memory = arena_create(NULL)};
    ph_status status = PH_OUT_OF_MEMORY;
    if (memory && f.from.memory) status = work(&f, model, def, memory, fit, error);
    arena_destroy(f.from.memory);
    if (status != PH_OK) arena_destroy(memory);
    return status;
}

void ph_fit_destroy(ph_fit *fit)
{
    if (fit) arena_destroy(((report *)fit)->memory);
}
