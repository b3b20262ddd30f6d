#include "contact/wide_inside.h"

#include "base/clock.h"

#include <math.h>
#include <string.h>

enum {
    LOOK_EVERY = 24,      // sweeps
    POLISH_TURNS = 3,     // of a node in a pass, while some of its contacts are beyond the tolerance
    POLISH_PATIENCE = 10, // passes without fewer of them
    REFINEMENTS = 4,      // of single precision
    WRITTEN = 512,        // contacts that a thread takes at a time
};

// Polishing begins when so many contacts, or this part of all, are beyond the tolerance; it moves them by so much of what
// would solve them.
static const double FEW = 16.0, FEW_OF_ALL = 0.03, POLISH_PART = 0.8;

// Contacts that may be solved by themselves for each contact and pass: that takes so much longer than a pass.
static const double LOCAL_WORK = 1e-4;

// Contacts of one group at the most: its memory is to be little beside that of all contacts. Where that is not enough, and
// so many passes were of no avail, or digits count, groups are as large as they are.
enum { GROUP_LEAST = 24, GROUP_PART = 128, GROUP_PASSES = 1024 };

static int group_most(int contacts, int passes)
{
    const int part = contacts / GROUP_PART;
    return passes >= GROUP_PASSES ? contacts : part > GROUP_LEAST ? part : GROUP_LEAST;
}

// Single precision is used from this tolerance on (m/s), and aims at a little less.
static const double SINGLE_FROM = 1e-4, SINGLE_AIM = 0.98;

// The extrapolation is at most this; less when a solve takes long, because sweeps in one direction do not always bear it.
static double cap_of(int sweeps)
{
    return sweeps < 128 ? 0.87 : sweeps % 64 < 16 ? 0.0 : sweeps < 512 ? 0.8 : 0.6;
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
    wide_local_init(w);
    for (int k = 0; k < model->moving_count; k++) round[k] = is_round(&model->bodies[model->moving[k]].kind->J);
    return w;
}

void wide_destroy(wide *w)
{
    if (!w) return;
    wide_free(w);
    wide_local_free(w);
    mem_free(&w->model->allocator, w->is_round);
    mem_free(&w->model->allocator, w);
}

bool wide_is_single(const wide *w)
{
    return w->single;
}

bool wide_all_round(const wide *w)
{
    bool round = true;
    for (int k = 0; k < w->model->moving_count && round; k++) round = w->is_round[k];
    return round;
}

list_room *wide_scratch(wide *w)
{
    return &w->scratch;
}

// ---- One batch ------------------------------------------------------------------------------------------------------

typedef struct wide_run {
    wide *w;
    const wide_problem *problem;
    const wide_batch *batch;
    const wide_kernels *kernels;
    wide_pass pass;
    double error, t;    // error: of what would come out
    int budget;         // passes at the most
    int sweeps, passes; // passes: of polishing, too
    double local;       // contacts solved by themselves so far
    bool has_best, no_memory;
} wide_run;

static wide_node *first_node(const wide_run *r)
{
    return (wide_node *)r->w->nodes.at + r->batch->node;
}

static wide_node *last_node(const wide_run *r)
{
    return first_node(r) + 2 * r->batch->domains - 2;
}

static bool is_domain(const wide_run *r, int node)
{
    return node < r->batch->node + r->batch->domains;
}

typedef struct wide_copy {
    const wide_run *run;
    void *to;
    const void *from;
} wide_copy;

static void copy_node(void *user, int index)
{
    const wide_copy *c = user;
    const wide_node *n = (const wide_node *)c->run->w->nodes.at + index;
    const size_t block = 3 * WIDE * wide_real(c->run->w), at = block * (size_t)n->block;
    memcpy((char *)c->to + at, (const char *)c->from + at, block * (size_t)(n->block_end - n->block));
}

// Impulses. Threads copy what they work on: it is in their caches.
static void copy(const wide_run *r, void *to, const void *from)
{
    wide_copy c = {r, to, from};
    if (to != from) wide_walk(r->w, r->batch, copy_node, &c);
}

// Once for all batches of a solve: they ask for the same.
static bool make_room_for_best(wide *w)
{
    pthread_mutex_lock(&w->local.lock);
    const bool ok = wide_room(w, &w->best, (size_t)w->block_count, 3 * WIDE * wide_real(w));
    pthread_mutex_unlock(&w->local.lock);
    return ok;
}

// What comes out is the best, in single precision that of the second half of the budget: what is solved before that is good
// enough, and most heaps need no memory for what they return to.
static void keep_best(wide_run *r, double error)
{
    const bool keeps = !r->w->single || 2 * r->passes >= r->budget;
    if (keeps && r->has_best && error > r->error) return;
    r->error = error;
    if (!keeps) return;
    r->has_best = make_room_for_best(r->w);
    r->no_memory = r->no_memory || !r->has_best;
    if (r->has_best) copy(r, r->w->best.at, r->pass.x);
}

static void sweep_node(void *user, int index)
{
    const wide_run *r = user;
    const wide_node *n = (const wide_node *)r->w->nodes.at + index;
    wide_sums *sums = (wide_sums *)r->w->sums.at + index;
    if (is_domain(r, index)) r->kernels->extrapolate(&r->pass, n->body, n->body_end, sums);
    r->kernels->sweep(&r->pass, n->block, n->block_end, sums);
}

static void look_node(void *user, int index)
{
    const wide_run *r = user;
    const wide_node *n = (const wide_node *)r->w->nodes.at + index;
    r->kernels->look(&r->pass, n->block, n->block_end, (wide_sums *)r->w->sums.at + index);
}

// In turns: what is in the cache is looked at again, and threads meet less often. The first sees what others have left.
static void polish_node(void *user, int index)
{
    const wide_run *r = user;
    const wide_node *n = (const wide_node *)r->w->nodes.at + index;
    wide_sums *first = (wide_sums *)r->w->sums.at + index;
    r->kernels->polish(&r->pass, n->block, n->block_end, first);
    double beyond = r->pass.part > 0.0 ? first->beyond : 0.0;
    for (int k = 1; k < POLISH_TURNS && beyond > 0.0; k++) {
        wide_sums next;
        r->kernels->polish(&r->pass, n->block, n->block_end, &next);
        beyond = next.beyond;
    }
}

static void push_node(void *user, int index)
{
    const wide_run *r = user;
    const wide_node *n = (const wide_node *)r->w->nodes.at + index;
    r->kernels->push(&r->pass, n->block, n->block_end, (wide_sums *)r->w->sums.at + index);
}

// One pass over all contacts; sums in the order of the nodes.
static wide_sums run_pass(wide_run *r, wide_visit *visit)
{
    const wide_sums *sums = (const wide_sums *)r->w->sums.at + r->batch->node;
    wide_sums all = {0};
    wide_walk(r->w, r->batch, visit, r);
    for (int k = 0; k < 2 * r->batch->domains - 1; k++) {
        all.turned += sums[k].turned;
        all.beyond += sums[k].beyond;
        all.error = sums[k].error > all.error ? sums[k].error : all.error;
    }
    return all;
}

// The error of x, and how many contacts are beyond the tolerance, which are due; the best is kept.
static wide_sums look_at_batch(wide_run *r)
{
    const wide_sums s = run_pass(r, look_node);
    keep_best(r, s.error);
    return s;
}

// Groups of contacts about those beyond the tolerance by themselves, for as much work as the passes so far. Returns whether
// that changed anything.
static bool solve_locally(wide_run *r)
{
    const int contacts = last_node(r)->contact_end - first_node(r)->contact;
    const double most = LOCAL_WORK * contacts * r->passes - r->local;
    if (most < 1.0) return false;
    r->pass.part = 0.0;
    run_pass(r, polish_node); // which of those that are due are beyond
    r->pass.part = POLISH_PART;
    const wide_local_task task = {.problem = r->problem,
                                  .first = r->batch->node,
                                  .end = r->batch->node + 2 * r->batch->domains - 1,
                                  .due = r->pass.due,
                                  .x = r->pass.x,
                                  .tolerance = r->pass.tolerance,
                                  .most = most < contacts ? (int)most : contacts,
                                  .group = r->w->single ? group_most(contacts, r->passes) : contacts};
    const int solved = wide_local_solve(r->w, &task);
    r->no_memory = r->no_memory || solved < 0;
    r->local += solved;
    return solved > 0;
}

// Passes over contacts beyond the tolerance alone, while they become fewer; but for those that a look has just found, only
// those are looked at whose bodies have moved. A pass without any is the proof that all are within. Else sweeps go on from
// what has come out, with nothing to extrapolate yet.
static void polish_batch(wide_run *r)
{
    wide_sums s = {.beyond = HUGE_VAL};
    double least = HUGE_VAL;
    r->pass.part = POLISH_PART;
    for (int since = 0; s.beyond > 0.0 && since < POLISH_PATIENCE && r->passes < r->budget; r->passes++) {
        s = run_pass(r, polish_node);
        since = s.beyond < least ? 0 : since + 1;
        least = fmin(least, s.beyond);
        if (since == POLISH_PATIENCE && s.beyond > 0.0 && solve_locally(r)) {
            since = 0;
            least = HUGE_VAL;
        }
    }
    look_at_batch(r);
    if (r->error <= r->pass.tolerance) return;
    copy(r, r->pass.x_last, r->pass.x);
    const size_t body = BODY * wide_real(r->w), at = body * (size_t)r->batch->body;
    memcpy((char *)r->pass.last + at, (const char *)r->pass.bodies + at,
           body * (size_t)(r->batch->body_end - r->batch->body));
}

// One sweep over all contacts from the extrapolated impulses.
static void sweep_batch(wide_run *r)
{
    wide_pass *p = &r->pass;
    const wide_sums s = run_pass(r, sweep_node);
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
static void solve_batch(wide_run *r, double tolerance)
{
    const double few = fmax(FEW, FEW_OF_ALL * (last_node(r)->contact_end - first_node(r)->contact));
    r->pass.tolerance = tolerance;
    wide_sums s = look_at_batch(r);
    while (r->error > tolerance && r->passes < r->budget) {
        if (s.beyond <= few) polish_batch(r);
        if (r->error <= tolerance) break;
        for (int k = 0; k < LOOK_EVERY && r->passes < r->budget; k++) sweep_batch(r);
        s = look_at_batch(r);
    }
}

// ---- The whole ------------------------------------------------------------------------------------------------------

static wide_pass pass_of(const wide *w, const wide_problem *d)
{
    return (wide_pass){.single = w->single,
                       .balls = w->balls,
                       .rows = w->rows,
                       .blocks = w->blocks.at,
                       .ends = w->ends.at,
                       .bodies = w->bodies.at,
                       .last = w->last.at,
                       .inertia = w->round ? NULL : w->inertia.at,
                       .due = w->due.at,
                       .seen = w->due.at,
                       .colour = w->colour.at,
                       .body_at = w->body_at.at,
                       .use_start = d->use_start,
                       .uses = d->uses,
                       .place = w->place.at,
                       .still = w->body_count,
                       .x = w->x[X_NOW].at,
                       .x_last = w->x[X_LAST].at};
}

typedef struct batch_task {
    wide *w;
    const wide_problem *problem;
    double tolerance;
    int budget;
} batch_task;

static wide_run run_of(const batch_task *t, int batch)
{
    wide *w = t->w;
    return (wide_run){.w = w,
                      .problem = t->problem,
                      .batch = (const wide_batch *)w->batches.at + batch,
                      .kernels = w->single ? w->kernels_single : w->kernels_double,
                      .pass = pass_of(w, t->problem),
                      .error = HUGE_VAL,
                      .budget = t->budget,
                      .t = 1.0};
}

static void solve_one(void *user, int index)
{
    const batch_task *t = user;
    wide_run r = run_of(t, index);
    solve_batch(&r, t->tolerance);
    copy(&r, t->w->x[X_NOW].at, r.has_best ? t->w->best.at : r.pass.x);
    wide_batch *b = (wide_batch *)t->w->batches.at + index;
    b->error = r.error;
    b->passes = r.passes;
    b->no_memory = r.no_memory;
}

static double worst_error(const wide *w)
{
    double error = 0.0;
    for (int b = 0; b < w->batch_count; b++) error = fmax(error, ((const wide_batch *)w->batches.at)[b].error);
    return error;
}

// All batches; what comes out is in X_NOW. Returns the largest error.
static double solve_batches(wide *w, const wide_problem *d, double tolerance, int budget, int *passes, bool *ok)
{
    batch_task t = {w, d, tolerance, budget};
    wide_for_batches(w, solve_one, &t);
    for (int b = 0; b < w->batch_count; b++) {
        const wide_batch *batch = (const wide_batch *)w->batches.at + b;
        *passes = batch->passes > *passes ? batch->passes : *passes;
        *ok = *ok && !batch->no_memory;
    }
    return worst_error(w);
}

static void write_impulses(void *user, int part, int from, int to)
{
    (void)part;
    const wide *w = user;
    const int *place = w->place.at;
    const wide_array *x = &w->x[X_NOW];
    ph_vec3 *solution = w->scratch.at; // the blocks have served
    for (int i = from; i < to; i++) {
        const size_t at = wide_impulse(place[i]);
        solution[i] = ph_vec(wide_get(w, x, at), wide_get(w, x, at + WIDE), wide_get(w, x, at + 2 * WIDE));
    }
}

// Bodies get the impulses of the first guess.
static void push_batch(void *user, int index)
{
    wide_run r = run_of(user, index);
    run_pass(&r, push_node);
}

// Ready for the first sweep.
static bool load(wide *w, const wide_problem *d)
{
    batch_task t = {.w = w, .problem = d};
    if (!wide_load(w, d)) return false;
    wide_for_batches(w, push_batch, &t);
    memcpy(w->last.at, w->bodies.at, BODY * wide_real(w) * ((size_t)w->body_count + 1));
    return true;
}

static void check_batch(void *user, int index)
{
    const batch_task *t = user;
    wide_run r = run_of(t, index);
    r.pass.single = true;
    r.pass.tolerance = t->tolerance;
    r.pass.seen = NULL;
    run_pass(&r, push_node);
    ((wide_batch *)t->w->batches.at)[index].error = run_pass(&r, look_node).error;
}

// The error of what single precision found, in double, where `last` is.
static bool check_single(wide *w, const wide_problem *d, double tolerance, double *error)
{
    batch_task t = {.w = w, .problem = d, .tolerance = tolerance};
    void *bodies = w->bodies.at;
    w->bodies.at = w->last.at;
    w->single = false;
    const bool ok = wide_load_bodies(w, d);
    if (ok) wide_for_batches(w, check_batch, &t);
    if (ok) *error = worst_error(w);
    w->bodies.at = bodies;
    w->single = true;
    return ok;
}

// To single precision; both may begin at the same place.
static void narrow(void *to, const void *from, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        double wide_number;
        memcpy(&wide_number, (const double *)from + k, sizeof wide_number);
        const float number = (float)wide_number;
        memcpy((float *)to + k, &number, sizeof number);
    }
}

// Single precision goes on from the velocities that check_single has found.
static void refine_single(wide *w)
{
    const size_t numbers = BODY * ((size_t)w->body_count + 1),
                 bytes = 3 * WIDE * sizeof(float) * (size_t)w->block_count;
    narrow(w->bodies.at, w->last.at, numbers);
    if (!w->round) narrow(w->inertia.at, w->inertia.at, numbers);
    memcpy(w->last.at, w->bodies.at, numbers * sizeof(float));
    memcpy(w->x[X_LAST].at, w->x[X_NOW].at, bytes);
}

// Returns whether the tolerance was met, or would not be in double precision either; `error` is that of double precision.
static bool solve_single(wide *w, const wide_problem *d, double tolerance, int budget, ph_cone_report *report, bool *ok)
{
    const double aim = SINGLE_AIM * tolerance;
    for (int k = 0; k < REFINEMENTS; k++) {
        if (k > 0) refine_single(w);
        const double found = solve_batches(w, d, aim, budget, &report->iterations, ok);
        *ok = *ok && check_single(w, d, tolerance, &report->residual);
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
    if (!wide_sort(w, d) || !load(w, d)) return false;
    const double set = clock_seconds();
    bool ok = true, is_done = w->single && solve_single(w, d, tolerance, budget, report, &ok);
    if (ok && !is_done) {
        if (w->single) {
            w->single = false;
            ok = d->guess(d->user) && load(w, d);
        }
        if (ok) report->residual = solve_batches(w, d, tolerance, budget, &report->iterations, &ok);
    }
    if (!ok) return false;
    pool_run_ranges(w->pool, write_impulses, w, d->contact_count, WRITTEN);
    report->converged = report->residual <= tolerance;
    report->growths = w->growths;
    report->setup_seconds = set - begin;
    report->seconds = clock_seconds() - set;
    return true;
}
