#include "contact/wide_inside.h"

#include "base/clock.h"

#include <math.h>
#include <string.h>

enum {
    LOOK_EVERY = 16,      // sweeps
    POLISH_PATIENCE = 16, // passes without fewer contacts beyond the tolerance
    REFINEMENTS = 4,      // of single precision
};

// Polishing begins when so many contacts, or this part of all, are beyond the tolerance; it moves them by so much of what
// would solve them.
static const double FEW = 16.0, FEW_OF_ALL = 0.05, POLISH_PART = 0.8;

// Single precision is used from this tolerance on (m/s), and aims at a little less.
static const double SINGLE_FROM = 1e-4, SINGLE_AIM = 0.98;

// The extrapolation is at most this; less when a solve takes long, because sweeps in one direction do not always bear it.
static double cap_of(int sweeps)
{
    return sweeps < 128 ? 0.85 : sweeps % 64 < 16 ? 0.0 : sweeps < 512 ? 0.8 : 0.6;
}

// ---- Life -----------------------------------------------------------------------------------------------------------

static void choose(wide *w, wide_path path)
{
    w->kernels_single = &wide_single_base;
    w->kernels_double = &wide_double_base;
#ifdef __x86_64__
    const bool has_avx512 =
        __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
    if ((path == WIDE_BEST || path == WIDE_AVX512) && has_avx512) {
        w->kernels_single = &wide_single_avx512;
        w->kernels_double = &wide_double_avx512;
    } else if (path != WIDE_BASE && __builtin_cpu_supports("avx2")) {
        w->kernels_single = &wide_single_avx2;
        w->kernels_double = &wide_double_avx2;
    }
#else
    (void)path;
#endif
}

static bool is_round(const ph_mat3 *J)
{
    const double tiny = 1e-14 * J->m[0][0];
    double most = 0.0;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) most = fmax(most, fabs(J->m[r][c] - (r == c ? J->m[0][0] : 0.0)));
    return most <= tiny;
}

wide *wide_create(const ph_model *model, wide_path path, pool *pool)
{
    wide *w = mem_alloc(&model->allocator, sizeof *w);
    bool *round = mem_alloc_array(&model->allocator, (size_t)model->moving_count, sizeof *round);
    if (!w || !round) {
        mem_free(&model->allocator, w);
        mem_free(&model->allocator, round);
        return NULL;
    }
    *w = (wide){.model = model, .pool = pool, .is_round = round};
    choose(w, path);
    for (int k = 0; k < model->moving_count; k++) round[k] = is_round(&model->bodies[model->moving[k]].J);
    return w;
}

void wide_destroy(wide *w)
{
    if (!w) return;
    wide_free(w);
    mem_free(&w->model->allocator, w->is_round);
    mem_free(&w->model->allocator, w);
}

// ---- Passes ---------------------------------------------------------------------------------------------------------

typedef struct pass_run {
    wide_kernel *kernel;
    const wide_pass *pass;
    int from, to, chunk;
    wide_sums *sums;
} pass_run;

static void run_chunk(void *user, int index)
{
    const pass_run *r = user;
    const int from = r->from + index * r->chunk, to = from + r->chunk < r->to ? from + r->chunk : r->to;
    r->kernel(r->pass, from, to, &r->sums[index]);
}

static void run_pass(wide *w, wide_kernel *kernel, const wide_pass *pass, int from, int to, int chunk, wide_sums *all)
{
    pass_run r = {kernel, pass, from, to, chunk, w->sums.at};
    const int count = (to - from + chunk - 1) / chunk;
    pool_run(w->pool, run_chunk, &r, count);
    for (int k = 0; k < count; k++) {
        all->turned += r.sums[k].turned;
        all->beyond += r.sums[k].beyond;
        all->error = r.sums[k].error > all->error ? r.sums[k].error : all->error;
    }
}

// ---- One batch ------------------------------------------------------------------------------------------------------

typedef struct wide_run {
    wide *w;
    const wide_batch *batch;
    const wide_kernels *kernels;
    wide_pass pass;
    double best_error, t;
    int sweeps, passes; // passes: of polishing, too
} wide_run;

static int first_block(const wide_run *r)
{
    return ((const wide_colour *)r->w->colours.at)[r->batch->colour].block;
}

static int end_block(const wide_run *r)
{
    return ((const wide_colour *)r->w->colours.at)[r->batch->colour_end - 1].block_end;
}

static void copy_impulses(const wide_run *r, void *to, const void *from)
{
    const size_t bytes = 3 * WIDE * wide_real(r->w), first = bytes * (size_t)first_block(r);
    memcpy((char *)to + first, (const char *)from + first, bytes * (size_t)(end_block(r) - first_block(r)));
}

static void copy_bodies(const wide_run *r, void *to, const void *from)
{
    const size_t bytes = BODY * wide_real(r->w), first = bytes * (size_t)r->batch->body;
    memcpy((char *)to + first, (const char *)from + first, bytes * (size_t)(r->batch->body_end - r->batch->body));
}

static void keep_best(wide_run *r, double error)
{
    if (error > r->best_error) return;
    r->best_error = error;
    copy_impulses(r, r->w->x[X_BEST].at, r->pass.x);
}

// One pass over all colours.
static wide_sums run_colours(wide_run *r, wide_kernel *kernel)
{
    wide_sums s = {0};
    for (int c = r->batch->colour; c < r->batch->colour_end; c++) {
        const wide_colour *colour = (wide_colour *)r->w->colours.at + c;
        const int chunk = colour->one_by_one ? colour->block_end - colour->block : CHUNK_BLOCKS;
        run_pass(r->w, kernel, &r->pass, colour->block, colour->block_end, chunk, &s);
    }
    return s;
}

// The error of x, and how many contacts are beyond the tolerance; the best is kept.
static wide_sums look_at_batch(wide_run *r)
{
    wide_sums s = {0};
    r->pass.part = 0.0;
    run_pass(r->w, r->kernels->polish, &r->pass, first_block(r), end_block(r), CHUNK_BLOCKS, &s);
    keep_best(r, s.error);
    return s;
}

// Passes over contacts beyond the tolerance alone, while they become fewer; only those are looked at whose bodies have
// moved. A pass without any is the proof that all are within. Else sweeps go on from where they were.
static void polish_batch(wide_run *r, int budget)
{
    wide_sums s = {.beyond = HUGE_VAL};
    double least = HUGE_VAL;
    copy_impulses(r, r->w->x[X_SAVED].at, r->pass.x);
    copy_bodies(r, r->w->saved.at, r->pass.bodies);
    r->pass.part = POLISH_PART;
    r->pass.pass = 0;
    for (int k = r->batch->body; k < r->batch->body_end; k++) r->pass.moved[k] = -1;
    for (int since = 0; s.beyond > 0.0 && since < POLISH_PATIENCE && r->passes < budget; r->passes++, r->pass.pass++) {
        s = run_colours(r, r->kernels->polish);
        since = s.beyond < least ? 0 : since + 1;
        least = fmin(least, s.beyond);
    }
    look_at_batch(r); // also of no avail it may be the best when the budget ends here
    if (s.beyond == 0.0) return;
    copy_impulses(r, r->pass.x, r->w->x[X_SAVED].at);
    copy_bodies(r, r->pass.bodies, r->w->saved.at);
}

// One sweep over all colours from the extrapolated impulses.
static void sweep_batch(wide_run *r)
{
    wide *w = r->w;
    wide_pass *p = &r->pass;
    wide_sums none = {0};
    run_pass(w, r->kernels->extrapolate, p, r->batch->body, r->batch->body_end, CHUNK_BODIES, &none);
    const wide_sums s = run_colours(r, r->kernels->sweep);
    void *x = p->x_last; // what comes after x
    p->x_last = p->x;
    p->x = x;
    const double t = r->t, t_next = 0.5 * (-t * t + t * sqrt(t * t + 4.0)), c = t * (1.0 - t) / (t * t + t_next);
    const bool restart = s.turned > 0.0;
    r->t = restart ? 1.0 : t_next;
    p->c = restart ? 0.0 : fmin(c, cap_of(r->sweeps));
    r->sweeps++;
    r->passes++;
}

// To the tolerance or as far as the budget goes.
static void solve_batch(wide_run *r, double tolerance, int budget)
{
    const double few = fmax(FEW, FEW_OF_ALL * (r->batch->contact_end - r->batch->contact));
    r->pass.tolerance = tolerance;
    wide_sums s = look_at_batch(r);
    while (r->best_error > tolerance && r->passes < budget) {
        if (s.beyond <= few) polish_batch(r, budget);
        if (r->best_error <= tolerance) break;
        for (int k = 0; k < LOOK_EVERY && r->passes < budget; k++) sweep_batch(r);
        s = look_at_batch(r);
    }
}

// ---- The whole ------------------------------------------------------------------------------------------------------

static wide_pass pass_of(const wide *w)
{
    return (wide_pass){.single = w->single,
                       .balls = w->balls,
                       .rows = w->rows,
                       .blocks = w->blocks.at,
                       .ends = w->ends.at,
                       .bodies = w->bodies.at,
                       .last = w->last.at,
                       .inertia = w->round ? NULL : w->inertia.at,
                       .moved = w->moved.at,
                       .still = w->body_count,
                       .x = w->x[X_NOW].at,
                       .x_last = w->x[X_LAST].at};
}

// All batches; the best impulses are in X_BEST. Returns the largest error.
static double solve_batches(wide *w, double tolerance, int budget, int *passes)
{
    double error = 0.0;
    ((int *)w->moved.at)[w->body_count] = -1;
    for (int b = 0; b < w->batch_count; b++) {
        wide_run r = {.w = w, .batch = (wide_batch *)w->batches.at + b, .best_error = HUGE_VAL, .t = 1.0};
        r.kernels = w->single ? w->kernels_single : w->kernels_double;
        r.pass = pass_of(w);
        solve_batch(&r, tolerance, budget);
        *passes = r.passes > *passes ? r.passes : *passes;
        error = r.best_error > error ? r.best_error : error;
    }
    return error;
}

static void write_impulses(const wide *w, const wide_problem *d)
{
    const int *place = w->place.at;
    const wide_array *x = &w->x[X_BEST];
    for (int i = 0; i < d->contact_count; i++) {
        const size_t at = 3 * WIDE * ((size_t)place[i] / WIDE) + (size_t)place[i] % WIDE;
        d->x[i] = ph_vec(wide_get(w, x, at), wide_get(w, x, at + WIDE), wide_get(w, x, at + 2 * WIDE));
    }
}

// The error of what single precision found, in double: from the twists of the first guess and what was added to it.
static bool check_single(wide *w, const wide_problem *d, double tolerance, double *error)
{
    w->single = false;
    if (!wide_load_bodies(w, d)) return false;
    wide_pass p = pass_of(w);
    wide_sums s = {0};
    p.single = true;
    p.x = w->x[X_BEST].at;
    p.x_last = w->x[X_START].at;
    p.tolerance = tolerance;
    for (int c = 0; c < w->colour_count; c++) {
        const wide_colour *colour = (wide_colour *)w->colours.at + c;
        const int chunk = colour->one_by_one ? colour->block_end - colour->block : CHUNK_BLOCKS;
        run_pass(w, w->kernels_double->push, &p, colour->block, colour->block_end, chunk, &s);
    }
    run_pass(w, w->kernels_double->polish, &p, 0, w->block_count, CHUNK_BLOCKS, &s);
    *error = s.error;
    w->single = true;
    return true;
}

static void narrow(const wide_array *a, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        double wide_number;
        memcpy(&wide_number, (const double *)a->at + k, sizeof wide_number);
        const float number = (float)wide_number;
        memcpy((float *)a->at + k, &number, sizeof number);
    }
}

// Single precision goes on from the velocities that check_single has found.
static void refine_single(wide *w)
{
    const size_t numbers = BODY * ((size_t)w->body_count + 1),
                 bytes = 3 * WIDE * sizeof(float) * (size_t)w->block_count;
    narrow(&w->bodies, numbers);
    if (!w->round) narrow(&w->inertia, numbers);
    memcpy(w->last.at, w->bodies.at, numbers * sizeof(float));
    memcpy(w->x[X_NOW].at, w->x[X_BEST].at, bytes);
    memcpy(w->x[X_LAST].at, w->x[X_BEST].at, bytes);
}

// Returns whether the tolerance was met, or would not be in double precision either; `error` is that of double precision.
static bool solve_single(wide *w, const wide_problem *d, double tolerance, int budget, ph_cone_report *report, bool *ok)
{
    const double aim = SINGLE_AIM * tolerance;
    for (int k = 0; k < REFINEMENTS; k++) {
        if (k > 0) refine_single(w);
        const double found = solve_batches(w, aim, budget, &report->iterations);
        *ok = check_single(w, d, tolerance, &report->residual);
        if (!*ok || report->residual <= tolerance || found > aim) return true;
    }
    return false;
}

bool wide_solve(wide *w, const wide_problem *d, const ph_cone_settings *settings, ph_cone_report *report)
{
    const double begin = clock_seconds(), tolerance = settings->tolerance;
    const int budget = settings->iterations > 0 ? settings->iterations : 3000;
    *report = (ph_cone_report){.solver = "pgs", .worst_cone = PH_NONE};
    w->single = tolerance >= SINGLE_FROM;
    if (!wide_sort(w, d) || !wide_load(w, d)) return false;
    const double set = clock_seconds();
    bool ok = true, is_done = w->single && solve_single(w, d, tolerance, budget, report, &ok);
    if (ok && !is_done) {
        if (w->single) {
            w->single = false;
            ok = wide_load(w, d);
        }
        if (ok) report->residual = solve_batches(w, tolerance, budget, &report->iterations);
    }
    if (!ok) return false;
    write_impulses(w, d);
    report->converged = report->residual <= tolerance;
    report->growths = w->growths;
    report->setup_seconds = set - begin;
    report->seconds = clock_seconds() - set;
    return true;
}
