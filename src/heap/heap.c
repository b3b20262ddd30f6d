// The whole solve: sorting, loading, batches in the precision asked for, impulses out.
#include "heap/internal.h"

#include "base/clock.h"
#include "base/processor.h"

#include <math.h>
#include <string.h>

enum {
    REFINEMENTS = 4, // of single precision
    WRITTEN = 512,   // contacts that a thread takes at a time
};

// Single precision is used from this tolerance on (m/s), and aims at a little less.
static const double SINGLE_FROM = 1e-4, SINGLE_AIM = 0.98;

// ---- Life -----------------------------------------------------------------------------------------------------------

static void choose(heap *h, heap_path path)
{
    h->kernels_single = &heap_single_base;
    h->kernels_double = &heap_double_base;
#ifdef __x86_64__
    const bool has_avx512 = heap_double_avx512.sweep && processor_has_avx512();
    if ((path == HEAP_BEST || path == HEAP_AVX512) && has_avx512) {
        h->kernels_single = &heap_single_avx512;
        h->kernels_double = &heap_double_avx512;
    } else if (path != HEAP_BASE && heap_double_avx2.sweep && processor_has_avx2()) {
        h->kernels_single = &heap_single_avx2;
        h->kernels_double = &heap_double_avx2;
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

heap *heap_create(const ph_model *model, heap_path path, pool *pool, scratch *scratch)
{
    heap *h = mem_alloc(&model->allocator, sizeof *h);
    bool *round = mem_alloc_array(&model->allocator, (size_t)model->moving_count, sizeof *round);
    if (!h || !round) {
        mem_free(&model->allocator, h);
        mem_free(&model->allocator, round);
        return NULL;
    }
    *h = (heap){.model = model, .pool = pool, .scratch = scratch, .is_round = round};
    choose(h, path);
    clusters_init(h);
    for (int k = 0; k < model->moving_count; k++) round[k] = is_round(&model->bodies[model->moving[k]].kind->J);
    return h;
}

void heap_destroy(heap *h)
{
    if (!h) return;
    heap_free(h);
    clusters_free(h);
    mem_free(&h->model->allocator, h->is_round);
    mem_free(&h->model->allocator, h);
}

bool heap_all_round(const heap *h)
{
    bool round = true;
    for (int k = 0; k < h->model->moving_count && round; k++) round = h->is_round[k];
    return round;
}

// ---- Single precision -----------------------------------------------------------------------------------------------

heap_precision heap_precision_for(double tolerance)
{
    return tolerance >= SINGLE_FROM ? HEAP_SINGLE : HEAP_DOUBLE;
}

// The error of what single precision found, in double, where `last` is.
static bool check_single(heap *h, const heap_problem *d, double tolerance, double *error)
{
    heap_numbers *n = &h->numbers;
    void *bodies = n->bodies.at;
    n->bodies.at = n->last.at;
    n->single = false;
    const bool ok = heap_load_bodies(h, d);
    if (ok) *error = heap_check_single(h, d, tolerance);
    n->bodies.at = bodies;
    n->single = true;
    return ok;
}

// To single precision; both may begin at the same place.
static void narrow(void *to, const void *from, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        double full;
        memcpy(&full, (const double *)from + k, sizeof full);
        const float number = (float)full;
        memcpy((float *)to + k, &number, sizeof number);
    }
}

// Single precision goes on from the velocities that check_single has found.
static void refine_single(heap *h)
{
    const size_t numbers = BODY * ((size_t)h->layout.body_count + 1),
                 bytes = 3 * BLOCK * sizeof(float) * (size_t)h->layout.block_count;
    narrow(h->numbers.bodies.at, h->numbers.last.at, numbers);
    if (!h->numbers.round) narrow(h->numbers.inertia.at, h->numbers.inertia.at, numbers);
    memcpy(h->numbers.last.at, h->numbers.bodies.at, numbers * sizeof(float));
    memcpy(h->numbers.x[X_LAST].at, h->numbers.x[X_NOW].at, bytes);
}

// The error of the report is that of double precision.
static heap_outcome solve_single(heap *h, const heap_problem *d, double tolerance, int budget, ph_cone_report *report)
{
    const double aim = SINGLE_AIM * tolerance;
    bool ok = true;
    for (int k = 0; k < REFINEMENTS; k++) {
        if (k > 0) refine_single(h);
        const double found = heap_solve_batches(h, d, aim, budget, &report->iterations, &ok);
        if (!ok || !check_single(h, d, tolerance, &report->residual)) return HEAP_OUT_OF_MEMORY;
        if (report->residual <= tolerance || found > aim) return HEAP_DONE; // or double would not meet it either
    }
    return HEAP_NEEDS_DOUBLE;
}

static heap_outcome solve_double(heap *h, const heap_problem *d, double tolerance, int budget, ph_cone_report *report)
{
    bool ok = true;
    report->residual = heap_solve_batches(h, d, tolerance, budget, &report->iterations, &ok);
    return ok ? HEAP_DONE : HEAP_OUT_OF_MEMORY;
}

// ---- The whole ------------------------------------------------------------------------------------------------------

static void write_impulses(void *user, int part, int from, int to)
{
    (void)part;
    const heap *h = user;
    const int *place = h->layout.place.at;
    const heap_array *x = &h->numbers.x[X_NOW];
    ph_vec3 *solution = scratch_at(h->scratch, SCRATCH_BLOCKS); // where blocks were, which have served
    for (int i = from; i < to; i++) {
        const size_t at = heap_impulse(place[i]);
        solution[i] = ph_vec(heap_get(h, x, at), heap_get(h, x, at + BLOCK), heap_get(h, x, at + 2 * BLOCK));
    }
}

// Ready for the first sweep.
static bool load(heap *h, const heap_problem *d)
{
    if (!heap_load(h, d)) return false;
    heap_push_batches(h, d);
    memcpy(h->numbers.last.at, h->numbers.bodies.at, BODY * heap_real(h) * ((size_t)h->layout.body_count + 1));
    return true;
}

heap_outcome heap_solve(heap *h, const heap_problem *d, heap_precision precision, const ph_cone_settings *settings,
                        ph_cone_report *report)
{
    const double begin = clock_seconds(), tolerance = settings->tolerance;
    const int budget = settings->iterations > 0 ? settings->iterations : 3000;
    *report = (ph_cone_report){.solver = "heap", .worst_cone = PH_NONE};
    h->numbers.single = precision == HEAP_SINGLE;
    h->growths = 0;
    if (!heap_sort(h, d) || !load(h, d)) return HEAP_OUT_OF_MEMORY;
    const double set = clock_seconds();
    const heap_outcome outcome = h->numbers.single ? solve_single(h, d, tolerance, budget, report)
                                                   : solve_double(h, d, tolerance, budget, report);
    report->growths = h->growths;
    if (outcome != HEAP_DONE) return outcome;
    pool_run_ranges(h->pool, write_impulses, h, d->contacts->count, WRITTEN);
    h->scratch->phase = SCRATCH_IMPULSES;
    report->converged = report->residual <= tolerance;
    report->setup_seconds = set - begin;
    report->seconds = clock_seconds() - set;
    return HEAP_DONE;
}
