// One batch after the other: sweeps, residual checks, polishing, clusters.
#include "heap/internal.h"

#include <math.h>
#include <string.h>

enum {
    CHECK_EVERY = 24,     // sweeps
    POLISH_REPEATS = 3,   // of a region in a pass, while some of its contacts are beyond the tolerance
    POLISH_PATIENCE = 10, // passes without fewer of them
};

// Polishing begins when so many contacts, or this fraction of all, are beyond the tolerance; it moves them by so much of what
// would solve them.
static const double FEW = 16.0, FEW_OF_ALL = 0.03, RELAXATION = 0.8;

// Contacts that may be solved in clusters for each contact and pass: that takes so much longer than a pass.
static const double CLUSTER_WORK = 1e-4;

// Contacts of one cluster at the most: its memory is to be little beside that of all contacts. Where that is not enough, and
// so many passes were of no avail, or digits count, clusters are as large as they are.
enum { CLUSTER_LEAST = 24, CLUSTER_SHARE = 128, CLUSTER_PASSES = 1024 };

static int cluster_most(int contacts, int passes)
{
    const int share = contacts / CLUSTER_SHARE;
    return passes >= CLUSTER_PASSES ? contacts : share > CLUSTER_LEAST ? share : CLUSTER_LEAST;
}

// The extrapolation is at most this; less when a solve takes long, because sweeps in one direction do not always bear it.
static double cap_of(int sweeps)
{
    return sweeps < 128 ? 0.87 : sweeps % 64 < 16 ? 0.0 : sweeps < 512 ? 0.8 : 0.6;
}

// ---- One batch ------------------------------------------------------------------------------------------------------

typedef struct heap_run {
    heap *h;
    const heap_problem *problem;
    const heap_batch *batch;
    const heap_kernels *kernels;
    heap_pass pass;
    double error, t;    // error: of what would come out
    int budget;         // passes at the most
    int sweeps, passes; // passes: of polishing, too
    double clustered;   // contacts solved in clusters so far
    bool has_best, no_memory;
} heap_run;

static heap_region *first_region(const heap_run *r)
{
    return (heap_region *)r->h->layout.regions.at + r->batch->region;
}

static heap_region *last_region(const heap_run *r)
{
    return first_region(r) + 2 * r->batch->domains - 2;
}

static bool is_domain(const heap_run *r, int region)
{
    return region < r->batch->region + r->batch->domains;
}

typedef struct heap_copy {
    const heap_run *run;
    void *to;
    const void *from;
} heap_copy;

static void copy_region(void *user, int index)
{
    const heap_copy *c = user;
    const heap_region *n = (const heap_region *)c->run->h->layout.regions.at + index;
    const size_t block = 3 * BLOCK * heap_real(c->run->h), at = block * (size_t)n->block;
    memcpy((char *)c->to + at, (const char *)c->from + at, block * (size_t)(n->block_end - n->block));
}

// Impulses. Threads copy what they work on: it is in their caches.
static void copy(const heap_run *r, void *to, const void *from)
{
    heap_copy c = {r, to, from};
    if (to != from) heap_walk(r->h, r->batch, copy_region, &c);
}

// Once for all batches of a solve: they ask for the same.
static bool make_room_for_best(heap *h)
{
    lock_take(&h->clusters.lock);
    const bool ok = heap_room(h, &h->numbers.best, (size_t)h->layout.block_count, 3 * BLOCK * heap_real(h));
    lock_leave(&h->clusters.lock);
    return ok;
}

static void run_beside(const heap_run *r, heap_beside_pass pass, heap_sums *sums)
{
    heap_run_beside(r->h, r->problem, r->batch, &r->pass, pass, sums);
}

// What comes out is the best, in single precision that of the second half of the budget: what is solved before that is good
// enough, and most heaps need no memory for what they return to.
static void keep_best(heap_run *r, double error)
{
    const bool keeps = !r->h->numbers.single || 2 * r->passes >= r->budget;
    if (keeps && r->has_best && error > r->error) return;
    r->error = error;
    if (!keeps) return;
    r->has_best = make_room_for_best(r->h);
    r->no_memory = r->no_memory || !r->has_best;
    if (r->has_best) copy(r, r->h->numbers.best.at, r->pass.x);
    if (r->has_best) run_beside(r, BESIDE_KEEP, &(heap_sums){0});
}

static void sweep_region(void *user, int index)
{
    const heap_run *r = user;
    const heap_region *n = (const heap_region *)r->h->layout.regions.at + index;
    heap_sums *sums = (heap_sums *)r->h->numbers.sums.at + index;
    if (is_domain(r, index)) r->kernels->extrapolate(&r->pass, n->body, n->body_end, sums);
    r->kernels->sweep(&r->pass, n->block, n->block_end, sums);
}

static void check_region(void *user, int index)
{
    const heap_run *r = user;
    const heap_region *n = (const heap_region *)r->h->layout.regions.at + index;
    r->kernels->check(&r->pass, n->block, n->block_end, (heap_sums *)r->h->numbers.sums.at + index);
}

// Repeatedly: what is in the cache is checked again, and threads meet less often. The first sees what others have left.
static void polish_region(void *user, int index)
{
    const heap_run *r = user;
    const heap_region *n = (const heap_region *)r->h->layout.regions.at + index;
    heap_sums *first = (heap_sums *)r->h->numbers.sums.at + index;
    r->kernels->polish(&r->pass, n->block, n->block_end, first);
    double beyond = r->pass.relaxation > 0.0 ? first->beyond : 0.0;
    for (int k = 1; k < POLISH_REPEATS && beyond > 0.0; k++) {
        heap_sums next;
        r->kernels->polish(&r->pass, n->block, n->block_end, &next);
        beyond = next.beyond;
    }
}

static void push_region(void *user, int index)
{
    const heap_run *r = user;
    const heap_region *n = (const heap_region *)r->h->layout.regions.at + index;
    r->kernels->push(&r->pass, n->block, n->block_end, (heap_sums *)r->h->numbers.sums.at + index);
}

// One pass over all contacts; sums in the order of the regions.
static heap_sums run_pass(heap_run *r, heap_visit *visit)
{
    const heap_sums *sums = (const heap_sums *)r->h->numbers.sums.at + r->batch->region;
    heap_sums all = {0};
    heap_walk(r->h, r->batch, visit, r);
    for (int k = 0; k < 2 * r->batch->domains - 1; k++) {
        all.restart += sums[k].restart;
        all.beyond += sums[k].beyond;
        all.error = sums[k].error > all.error ? sums[k].error : all.error;
    }
    return all;
}

// The error of x, and how many contacts are beyond the tolerance, which are active; the best is kept.
static heap_sums check_batch_error(heap_run *r)
{
    heap_sums s = run_pass(r, check_region);
    run_beside(r, BESIDE_CHECK, &s);
    keep_best(r, s.error);
    return s;
}

// Clusters of contacts about those beyond the tolerance, for as much work as the passes so far. Returns whether
// that changed anything.
static bool solve_clusters(heap_run *r)
{
    const int contacts = last_region(r)->contact_end - first_region(r)->contact;
    const double most = CLUSTER_WORK * contacts * r->passes - r->clustered;
    if (most < 1.0) return false;
    r->pass.relaxation = 0.0;
    run_pass(r, polish_region); // which of those that are active are beyond
    r->pass.relaxation = RELAXATION;
    const cluster_task task = {.problem = r->problem,
                               .first = r->batch->region,
                               .end = r->batch->region + 2 * r->batch->domains - 1,
                               .active = r->pass.active,
                               .x = r->pass.x,
                               .tolerance = r->pass.tolerance,
                               .most = most < contacts ? (int)most : contacts,
                               .cluster = r->h->numbers.single ? cluster_most(contacts, r->passes) : contacts};
    const int solved = clusters_solve(r->h, &task);
    r->no_memory = r->no_memory || solved < 0;
    r->clustered += solved;
    return solved > 0;
}

// Passes over contacts beyond the tolerance alone, while they become fewer; but for those that a check has just found, only
// those are checked whose bodies have moved. A pass without any is the proof that all are within. Else sweeps go on from
// what has come out, with nothing to extrapolate yet.
static void polish_batch(heap_run *r)
{
    heap_sums s = {.beyond = HUGE_VAL};
    double least = HUGE_VAL;
    r->pass.relaxation = RELAXATION;
    for (int since = 0; s.beyond > 0.0 && since < POLISH_PATIENCE && r->passes < r->budget; r->passes++) {
        s = run_pass(r, polish_region);
        run_beside(r, BESIDE_POLISH, &s);
        since = s.beyond < least ? 0 : since + 1;
        least = fmin(least, s.beyond);
        if (since == POLISH_PATIENCE && s.beyond > 0.0 && solve_clusters(r)) {
            since = 0;
            least = HUGE_VAL;
        }
    }
    check_batch_error(r);
    if (r->error <= r->pass.tolerance) return;
    copy(r, r->pass.x_last, r->pass.x);
    const size_t body = BODY * heap_real(r->h), at = body * (size_t)r->batch->body;
    memcpy((char *)r->pass.last + at, (const char *)r->pass.bodies + at,
           body * (size_t)(r->batch->body_end - r->batch->body));
    run_beside(r, BESIDE_REST, &s);
}

// One sweep over all contacts from the extrapolated impulses.
static void sweep_batch(heap_run *r)
{
    heap_pass *p = &r->pass;
    heap_sums s = run_pass(r, sweep_region);
    run_beside(r, BESIDE_SWEEP, &s);
    void *x = p->x_last; // what comes after x
    p->x_last = p->x;
    p->x = x;
    const double t = r->t, t_next = 0.5 * (-t * t + t * sqrt(t * t + 4.0)), c = t * (1.0 - t) / (t * t + t_next);
    const bool restart = s.restart > 0.0;
    r->t = restart ? 1.0 : t_next;
    p->c = restart ? 0.0 : fmin(c, cap_of(r->sweeps));
    r->sweeps++;
    r->passes++;
}

// To the tolerance or as far as the budget goes.
static void solve_batch(heap_run *r, double tolerance)
{
    const double few = fmax(FEW, FEW_OF_ALL * (last_region(r)->contact_end - first_region(r)->contact));
    r->pass.tolerance = tolerance;
    heap_sums s = check_batch_error(r);
    while (r->error > tolerance && r->passes < r->budget) {
        if (s.beyond <= few) polish_batch(r);
        if (r->error <= tolerance) break;
        for (int k = 0; k < CHECK_EVERY && r->passes < r->budget; k++) sweep_batch(r);
        s = check_batch_error(r);
    }
}

// ---- All batches ------------------------------------------------------------------------------------------------------

static heap_pass pass_of(const heap *h, const heap_problem *d)
{
    return (heap_pass){.single = h->numbers.single,
                       .balls = h->numbers.balls,
                       .rows = h->numbers.rows,
                       .blocks = h->numbers.blocks.at,
                       .ends = h->numbers.ends.at,
                       .bodies = h->numbers.bodies.at,
                       .last = h->numbers.last.at,
                       .inertia = h->numbers.round ? NULL : h->numbers.inertia.at,
                       .active = h->numbers.active.at,
                       .seen = h->numbers.active.at,
                       .colour = h->layout.colour.at,
                       .body_at = h->layout.body_at.at,
                       .use_start = d->use_start,
                       .uses = d->uses,
                       .place = h->layout.place.at,
                       .static_body = h->layout.body_count,
                       .x = h->numbers.x[X_NOW].at,
                       .x_last = h->numbers.x[X_LAST].at};
}

typedef struct batch_task {
    heap *h;
    const heap_problem *problem;
    double tolerance;
    int budget;
} batch_task;

static heap_run run_of(const batch_task *t, int batch)
{
    heap *h = t->h;
    return (heap_run){.h = h,
                      .problem = t->problem,
                      .batch = (const heap_batch *)h->layout.batches.at + batch,
                      .kernels = h->numbers.single ? h->kernels_single : h->kernels_double,
                      .pass = pass_of(h, t->problem),
                      .error = HUGE_VAL,
                      .budget = t->budget,
                      .t = 1.0};
}

static void solve_one(void *user, int index)
{
    const batch_task *t = user;
    heap_run r = run_of(t, index);
    solve_batch(&r, t->tolerance);
    copy(&r, t->h->numbers.x[X_NOW].at, r.has_best ? t->h->numbers.best.at : r.pass.x);
    if (r.has_best) run_beside(&r, BESIDE_RETURN, &(heap_sums){0});
    heap_batch *b = (heap_batch *)t->h->layout.batches.at + index;
    b->error = r.error;
    b->passes = r.passes;
    b->no_memory = r.no_memory;
}

static double worst_error(const heap *h)
{
    double error = 0.0;
    for (int b = 0; b < h->layout.batch_count; b++)
        error = fmax(error, ((const heap_batch *)h->layout.batches.at)[b].error);
    return error;
}

double heap_solve_batches(heap *h, const heap_problem *d, double tolerance, int budget, int *passes, bool *ok)
{
    batch_task t = {h, d, tolerance, budget};
    heap_for_batches(h, solve_one, &t);
    for (int b = 0; b < h->layout.batch_count; b++) {
        const heap_batch *batch = (const heap_batch *)h->layout.batches.at + b;
        *passes = batch->passes > *passes ? batch->passes : *passes;
        *ok = *ok && !batch->no_memory;
    }
    return worst_error(h);
}

static void push_batch(void *user, int index)
{
    heap_run r = run_of(user, index);
    run_pass(&r, push_region);
    run_beside(&r, BESIDE_PUSH, &(heap_sums){0});
}

void heap_push_batches(heap *h, const heap_problem *d)
{
    batch_task t = {.h = h, .problem = d};
    heap_for_batches(h, push_batch, &t);
}

static void check_batch(void *user, int index)
{
    const batch_task *t = user;
    heap_run r = run_of(t, index);
    r.pass.single = true;
    r.pass.tolerance = t->tolerance;
    r.pass.seen = NULL;
    run_pass(&r, push_region);
    run_beside(&r, BESIDE_PUSH, &(heap_sums){0});
    heap_sums s = run_pass(&r, check_region);
    run_beside(&r, BESIDE_CHECK, &s);
    ((heap_batch *)t->h->layout.batches.at)[index].error = s.error;
}

double heap_check_single(heap *h, const heap_problem *d, double tolerance)
{
    batch_task t = {.h = h, .problem = d, .tolerance = tolerance};
    heap_for_batches(h, check_batch, &t);
    return worst_error(h);
}
