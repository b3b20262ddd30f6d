#include "cone/dense.h"

#include "cone/dense_steps.h"

#include <math.h>
#include <string.h>

// ---- Scratch --------------------------------------------------------------------------------------------------------

enum { DENSE_VECTORS = 10 };

size_t dense_cones_bytes(int rows, int cones)
{
    const size_t n = (size_t)rows, matrices = n * (n + (size_t)dense_cones_width(rows));
    return sizeof(double) * (matrices + DENSE_VECTORS * n) + sizeof(cone) * (size_t)cones +
           (sizeof(int) + sizeof(row_state)) * n + 64;
}

static double *take(double **at, size_t count)
{
    double *taken = *at;
    *at += count;
    return taken;
}

static void lay_out(dense_cones *s, void *scratch)
{
    const size_t n = (size_t)s->n;
    double *at = scratch;
    s->A = take(&at, n * (size_t)dense_cones_width(s->n));
    s->Nr = take(&at, n * n);
    double **vectors[DENSE_VECTORS] = {&s->d,    &s->b,     &s->v,  &s->shape, &s->old,
                                       &s->best, &s->start, &s->qr, &s->x0,    &s->try};
    for (int k = 0; k < DENSE_VECTORS; k++) *vectors[k] = take(&at, n);
    s->cones = (cone *)(void *)at;
    s->row = (int *)(void *)(s->cones + s->count);
    s->state = (row_state *)(s->row + n);
}

// d of a part, for all of its rows: the mean of its diagonal.
static void set_scale(dense_cones *s, const double *N, int first, int size)
{
    double sum = 0.0;
    for (int r = first; r < first + size; r++) sum += N[r * s->n + r];
    for (int r = first; r < first + size; r++) s->d[r] = sum / size;
}

static void load(dense_cones *s, const dense_cones_problem *p, double *g)
{
    for (int i = 0, first = 0; i < s->count; first += s->cones[i++].rows) {
        cone *c = &s->cones[i];
        *c = cone_make(&p->cones[i], first);
        set_scale(s, p->N, first, c->kind == PH_CONE_FRICTION ? 3 : 1);
        for (int k = 1; k < c->part_count; k++) set_scale(s, p->N, first + c->parts[k].first, c->parts[k].size);
        c->immovable = !(p->N[first * s->n + first] > 0.0);
        for (int r = 0; r < c->rows && c->immovable; r++) g[first + r] = 0.0;
    }
}

// A million times what the velocities ask for.
static void set_limit(dense_cones *s, const double *q)
{
    double most = 0.0;
    for (int r = 0; r < s->n; r++) most = larger(most, fabs(q[r]));
    s->limit = 1e6 * most;
}

// The worst velocity that should not be and that no impulse changes.
static double infeasible(const dense_cones *s, const double *u)
{
    double worst = 0.0;
    for (int i = 0; i < s->count; i++) {
        const cone *c = &s->cones[i];
        if (!c->immovable || c->kind == PH_CONE_INTERVAL) continue;
        worst = larger(worst, c->kind == PH_CONE_FREE ? fabs(u[c->first]) : -u[c->first]);
    }
    return worst;
}

// ---- Newton's method ------------------------------------------------------------------------------------------------

static void copy(int n, const double *from, double *to)
{
    memcpy(to, from, sizeof(double) * (size_t)n);
}

// From g: the best of a few steps, none of which is asked to be better than the last. Returns its error; u follows.
static double newton(dense_cones *s, const dense_cones_problem *p, double tolerance, double miss, double *g, double *u,
                     int *count)
{
    enum { STEPS_MOST = 10, STEPS_FREE = 3 };
    double best = miss, last = miss;
    copy(s->n, g, s->best);
    for (int k = 0; k < STEPS_MOST && best > tolerance; k++) {
        if (!dense_cones_newton(s, p->N, 1e-10, g, u)) break;
        (*count)++;
        dense_cones_product(s->n, p->N, p->q, g, u);
        const double now = dense_cones_error(s, g, u);
        if (now < best) {
            best = now;
            copy(s->n, g, s->best);
        }
        if (k > STEPS_FREE && !(now < last)) break;
        last = now;
    }
    copy(s->n, s->best, g);
    dense_cones_product(s->n, p->N, p->q, g, u);
    return best;
}

// ---- Proximal problems ----------------------------------------------------------------------------------------------

// N + r d about g, into Nr and qr.
static void make_proximal(dense_cones *s, const dense_cones_problem *p, double r, const double *g)
{
    copy(s->n * s->n, p->N, s->Nr);
    copy(s->n, g, s->x0);
    for (int i = 0; i < s->n; i++) {
        s->Nr[i * s->n + i] += r * s->d[i];
        s->qr[i] = p->q[i] - r * s->d[i] * g[i];
    }
}

// One step of Newton's method, shortened until the error falls; the best of the tries where it never does. Returns its error.
static double searched_step(dense_cones *s, double miss, double *g, double *u)
{
    double best = HUGE_VAL;
    copy(s->n, g, s->old);
    if (!dense_cones_newton(s, s->Nr, 0.0, g, u)) return HUGE_VAL;
    copy(s->n, g, s->try);
    for (double a = 1.0; a > 0.02 && !(best < miss); a *= 0.4) {
        for (int i = 0; i < s->n; i++) g[i] = s->old[i] + a * (s->try[i] - s->old[i]);
        dense_cones_product(s->n, s->Nr, s->qr, g, u);
        const double now = dense_cones_error(s, g, u);
        if (now < best) {
            best = now;
            copy(s->n, g, s->b);
        }
    }
    if (best < HUGE_VAL) copy(s->n, s->b, g);
    dense_cones_product(s->n, s->Nr, s->qr, g, u);
    return best;
}

// The proximal problem, from g. false: it was not solved.
static bool solve_proximal(dense_cones *s, double goal, double *g, double *u, int *count)
{
    enum { STEPS_MOST = 15 };
    dense_cones_product(s->n, s->Nr, s->qr, g, u);
    double miss = dense_cones_error(s, g, u);
    for (int k = 0; k < STEPS_MOST && miss > goal; k++) {
        miss = searched_step(s, miss, g, u);
        (*count)++;
        if (!(miss < HUGE_VAL)) return false;
    }
    return miss <= goal;
}

// r is a tenth where it stalls, ten times larger where a proximal problem is not solved.
static double proximal(dense_cones *s, const dense_cones_problem *p, double tolerance, double *g, double *u,
                       dense_cones_report *report)
{
    enum { PASSES_MOST = 40 };
    double best = dense_cones_error(s, g, u), last = HUGE_VAL, r = 1e-4;
    copy(s->n, g, s->best);
    for (int pass = 0; pass < PASSES_MOST && best > tolerance; pass++) {
        make_proximal(s, p, r, g);
        const bool solved = solve_proximal(s, 0.1 * tolerance, g, u, &report->newton);
        report->proximal++;
        dense_cones_product(s->n, p->N, p->q, g, u);
        const double now = dense_cones_error(s, g, u);
        if (now < best) {
            best = now;
            copy(s->n, g, s->best);
        }
        if (!solved) {
            r = r < 1e-3 ? 10.0 * r : 1e-2;
            copy(s->n, s->best, g);
            continue;
        }
        if (now > 0.5 * last) r = r > 1e-6 ? 0.1 * r : 1e-7;
        last = now;
    }
    copy(s->n, s->best, g);
    dense_cones_product(s->n, p->N, p->q, g, u);
    return best;
}

// ---- Sweeps ---------------------------------------------------------------------------------------------------------

// Up to `count`, until the tolerance is met. Returns the error.
static double sweep(dense_cones *s, const dense_cones_problem *p, int count, double tolerance, double *g, double *u,
                    int *done)
{
    double miss = HUGE_VAL;
    for (int k = 0; k < count && miss > tolerance; k++) {
        dense_cones_sweep(s, p->N, g, u);
        (*done)++;
        if (k % 3 < 2 && k + 1 < count) continue;
        dense_cones_product(s->n, p->N, p->q, g, u);
        miss = dense_cones_error(s, g, u);
    }
    return miss;
}

// From the guess, or from nothing where that is beyond all bounds.
static double start(dense_cones *s, const dense_cones_problem *p, double *g, double *u)
{
    dense_cones_product(s->n, p->N, p->q, g, u);
    const double error = dense_cones_error(s, g, u);
    if (error < HUGE_VAL) return error;
    memset(g, 0, sizeof(double) * (size_t)s->n);
    dense_cones_product(s->n, p->N, p->q, g, u);
    return dense_cones_error(s, g, u);
}

static dense_cones_report solve(dense_cones *s, const dense_cones_problem *p, double tolerance, double *g, double *u)
{
    dense_cones_report report = {.residual = start(s, p, g, u)};
    if (report.residual <= tolerance) return report;
    if (!p->redundant) {
        copy(s->n, g, s->start);
        report.residual = newton(s, p, tolerance, report.residual, g, u, &report.newton);
        if (report.residual <= tolerance) return report;
        copy(s->n, s->start, g);
        dense_cones_product(s->n, p->N, p->q, g, u);
    }
    report.residual = sweep(s, p, 15, tolerance, g, u, &report.sweeps);
    if (report.residual > tolerance) report.residual = proximal(s, p, tolerance, g, u, &report);
    if (!(report.residual < HUGE_VAL)) { // nothing is better than nothing
        memset(g, 0, sizeof(double) * (size_t)s->n);
        dense_cones_product(s->n, p->N, p->q, g, u);
        report.residual = dense_cones_error(s, g, u);
    }
    return report;
}

dense_cones_report dense_cones_solve(const dense_cones_problem *p, double tolerance, void *scratch, double *g,
                                     double *u)
{
    dense_cones s = {.n = p->rows, .count = p->cone_count};
    lay_out(&s, scratch);
    load(&s, p, g);
    set_limit(&s, p->q);
    dense_cones_report report = solve(&s, p, tolerance, g, u);
    report.residual = larger(report.residual, infeasible(&s, u));
    return report;
}
