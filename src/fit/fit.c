// Parameters from measured motion: Levenberg and Marquardt's method in the singular directions of the scaled derivatives.
//
//     r(x + D p) ~ r + S p,  S = J D = Q R,  R = U s V^T,  p = -V s/(s^2 + l) U^T Q^T r
//
// D holds the sizes of the unknowns. Directions whose uncertainty would exceed these sizes, as the residuals now stand, are not
// moved along: what the data do not determine stays where it was. Unknowns that would cross a bound are set there and the others
// found again.
#include "fit/fit.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t FIT_COOKIE = 0x46495431u;

ph_fit_def ph_default_fit(void)
{
    return (ph_fit_def){
        .cookie = FIT_COOKIE, .sim = ph_default_sim(), .iterations = 100, .tolerance = 1e-9, .verdict = true};
}

// ---- Cost -----------------------------------------------------------------------------------------------------------

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// 1.4826 median |r|: the deviation that most residuals have; `work` is overwritten.
static double deviation(const double *r, size_t count, double *work)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(r[i])) work[n++] = fabs(r[i]);
    if (n == 0) return 0.0;
    qsort(work, n, sizeof *work, by_size);
    return 1.4826 * work[n / 2];
}

// Huber: r^2/2 up to k, then k|r| - k^2/2
static double loss(double r, double k)
{
    const double size = fabs(r);
    return size <= k ? 0.5 * size * size : k * (size - 0.5 * k);
}

static double cost_of(const fitter *f, const double *r)
{
    double sum = 0.0;
    for (size_t i = 0; i < f->total; i++)
        if (!isnan(r[i])) sum += loss(r[i], f->corner);
    return sum;
}

static void set_corner(fitter *f)
{
    const double robust = f->from.def->robust, s = robust > 0.0 ? deviation(f->residual, f->total, f->work) : 0.0;
    f->corner = robust > 0.0 && s > 0.0 ? robust * s : (double)INFINITY;
}

// ---- A step ---------------------------------------------------------------------------------------------------------

double fit_weight(double r, double corner)
{
    return fabs(r) > corner ? sqrt(corner / fabs(r)) : 1.0;
}

// R and b of the weighted, scaled derivatives, without columns that are held.
void fit_fold(const fitter *f, const double *J, const bool *held, double *R, double *b)
{
    const int n = f->n;
    double *row = f->row;
    memset(R, 0, sizeof(double) * (size_t)n * (size_t)n);
    memset(b, 0, sizeof(double) * (size_t)n);
    for (size_t i = 0; i < f->total; i++) {
        const double r = f->residual[i];
        if (isnan(r)) continue;
        const double w = fit_weight(r, f->corner);
        double value = w * r;
        for (int k = 0; k < n; k++) {
            const double slope = w * J[i * (size_t)n + (size_t)k] * f->from.scales[k];
            row[k] = held[k] ? 0.0 : slope;
            if (held[k]) value += slope * f->p[k];
        }
        triangle_add(R, b, n, row, value);
    }
}

// What half the step changes of the derivative along singular direction k.
static double change_of_step(const fitter *f, int k)
{
    const int n = f->n;
    double square = 0.0;
    for (int i = 0; i < n && f->of_step; i++) {
        double sum = 0.0;
        for (int j = i; j < n; j++) sum += f->of_step[i * n + j] * f->V[j * n + k];
        square += sum * sum;
    }
    return sqrt(square);
}

// p of the unknowns that are free. A derivative of order h^2, which falls to a quarter with half the step, is the step's own.
static void solve(fitter *f, const bool *held, double damping)
{
    const int n = f->n;
    fit_fold(f, f->J, held, f->R, f->b);
    svd(f->R, n, f->s, f->V); // R becomes U s
    const double noise = f->sigma / f->limit, least = fmax(1e-10 * f->s[0], noise);
    double move[UNKNOWNS_MAX];
    f->expected = f->rest = 0.0;
    for (int k = 0; k < n; k++) {
        const double s = f->s[k];
        double sum = 0.0;
        for (int i = 0; i < n; i++) sum += f->R[i * n + k] * f->b[i];
        const bool moves = s > least && !(s < 0.05 * f->s[0] && s < 1.8 * change_of_step(f, k));
        move[k] = moves ? -sum / (s * s + damping * f->s[0] * f->s[0]) : 0.0;
        f->expected -= move[k] * (sum + 0.5 * s * s * move[k]);
        f->rest += moves ? 0.5 * sum * sum / (s * s) : 0.0;
    }
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int k = 0; k < n; k++) sum += f->V[i * n + k] * move[k];
        if (!held[i]) f->p[i] = sum;
    }
}

// Unknowns that would cross a bound go to it and are held there.
static bool hold_at_bounds(fitter *f, bool *held)
{
    bool more = false;
    for (int k = 0; k < f->n; k++) {
        const ph_unknown *u = &f->from.def->unknowns[k];
        const double to = f->x[k] + f->from.scales[k] * f->p[k];
        if (held[k] || (to >= u->low && to <= u->high)) continue;
        f->p[k] = ((to < u->low ? u->low : u->high) - f->x[k]) / f->from.scales[k];
        held[k] = more = true;
    }
    return more;
}

static double find_step(fitter *f, double damping)
{
    bool held[UNKNOWNS_MAX] = {0};
    memset(f->p, 0, sizeof(double) * (size_t)f->n);
    for (int round = 0; round <= f->n; round++) {
        solve(f, held, damping);
        if (!hold_at_bounds(f, held)) break;
    }
    double size = 0.0;
    for (int k = 0; k < f->n; k++) {
        f->trial[k] = f->x[k] + f->from.scales[k] * f->p[k];
        size = fmax(size, fabs(f->p[k]) / (1.0 + fabs(f->x[k] / f->from.scales[k])));
    }
    return size;
}

// ---- Iterations -----------------------------------------------------------------------------------------------------

static void note_sigma(fitter *f)
{
    long long seen = 0;
    for (size_t i = 0; i < f->total; i++) seen += !isnan(f->residual[i]);
    f->seen = seen;
    f->sigma = sqrt(2.0 * f->cost / (double)(seen > 2 * f->n ? seen - f->n : seen > f->n ? seen - f->n : 1));
}

static bool tell(fitter *f, double change)
{
    const ph_fit_def *def = f->from.def;
    const ph_fit_progress p = {f->iteration, f->cost, change, f->n, f->x};
    return !def->progress || def->progress(&p, def->user);
}

// A trial that cannot be run, or is worse, is tried again nearer.
static ph_status advance(fitter *f, double *damping, double *change, bool *moved)
{
    *moved = false;
    for (int attempt = 0; attempt < 12 && !*moved; attempt++) {
        *change = find_step(f, *damping);
        if (*change == 0.0) return PH_OK;
        ph_error ignored;
        const ph_status status = residuals_at(&f->from, f->trial, f->next, NULL, NULL, &ignored);
        if (status == PH_OUT_OF_MEMORY) return status;
        const double cost = status == PH_OK ? cost_of(f, f->next) : (double)INFINITY;
        *moved = isfinite(cost) && cost <= f->cost * (1.0 + 1e-14);
        if (*moved) {
            const bool as_expected = f->cost - cost > 0.75 * f->expected;
            *damping = attempt == 0 ? fmax(*damping * (as_expected ? 1e-3 : 0.1), 1e-16) : *damping;
            memcpy(f->x, f->trial, sizeof(double) * (size_t)f->n);
            f->fall = f->cost - cost;
            f->cost = cost;
        } else {
            *damping = fmax(*damping * 10.0, 1e-10);
        }
        if (!*moved && *change < f->from.def->tolerance) return PH_OK;
    }
    return PH_OK;
}

ph_status fit_halve(fitter *f, double *J, double *residual, ph_error *error)
{
    f->from.finer = 2.0;
    const ph_status status = residuals_at(&f->from, f->x, residual, J, NULL, error);
    f->from.finer = 1.0;
    return status;
}

// Once, at the start: what the step itself adds to derivatives hardly depends on the unknowns.
static ph_status compare_steps(fitter *f, ph_error *error)
{
    const size_t n = (size_t)f->n, count = f->total * n;
    if (!f->from.def->verdict || !f->from.exact) return PH_OK;
    double *J = mem_alloc_array(NULL, count, sizeof *J);
    f->of_step = arena_alloc_array(f->from.memory, n * n, sizeof(double));
    if (!J || !f->of_step) {
        mem_free(NULL, J);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    static const bool none[UNKNOWNS_MAX];
    const ph_status status = fit_halve(f, J, f->next, error);
    for (size_t i = 0; i < count; i++) J[i] = f->J[i] - J[i];
    if (status == PH_OK) fit_fold(f, J, none, f->of_step, f->b);
    mem_free(NULL, J);
    return status;
}

static ph_status look(fitter *f, ph_error *error)
{
    const ph_status status = residuals_at(&f->from, f->x, f->residual, f->J, NULL, error);
    if (status != PH_OK) return status;
    for (size_t i = 0; i < f->total; i++)
        if (isinf(f->residual[i])) return error_set(error, PH_BAD_ARGUMENT, "the data hold a value that is infinite");
    set_corner(f);
    f->cost = cost_of(f, f->residual);
    note_sigma(f);
    return PH_OK;
}

// The last step moved the estimates by less than a thousandth of their standard errors, and so would what it left out.
static bool settled(const fitter *f, double rest)
{
    const double small = 1e-6 * 0.5 * f->sigma * f->sigma;
    return f->fall < small && fabs(rest) < small;
}

ph_status fit_iterate(fitter *f, ph_error *error)
{
    const ph_fit_def *def = f->from.def;
    double damping = 1e-3, change = 0.0;
    ph_status status = look(f, error);
    f->first = f->cost;
    f->end = PH_FIT_ITERATIONS;
    if (status == PH_OK && f->seen == 0)
        return error_set(error, PH_BAD_ARGUMENT, "the data have no value at all: every cell is empty");
    if (status == PH_OK) status = compare_steps(f, error);
    for (f->iteration = 0; f->iteration < def->iterations && status == PH_OK;) {
        bool moved;
        if (!tell(f, change)) {
            f->end = PH_FIT_STOPPED;
            return PH_OK;
        }
        status = advance(f, &damping, &change, &moved);
        if (status != PH_OK) break;
        f->iteration++;
        if (!moved) {
            f->end = change < 1e-6 ? PH_FIT_CONVERGED : PH_FIT_STUCK;
            return PH_OK;
        }
        const double rest = f->rest - f->expected; // what was left for later steps
        status = look(f, error);
        if (status == PH_OK && (change < def->tolerance || f->fall < 1e-13 * f->cost || settled(f, rest))) {
            f->end = PH_FIT_CONVERGED;
            tell(f, change);
            return PH_OK;
        }
    }
    return status;
}
