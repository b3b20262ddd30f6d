// A run in a checkpoint: beside the state all that its report and its result file need to go on as if it had never stopped.

#include "run/run.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "model/state.h"
#include "run/checkpoint.h"
#include "schemes/scheme.h"

#include <math.h>
#include <string.h>

// ---- What is kept ---------------------------------------------------------------------------------------------------

// What must be the same when the run goes on. Threads and `until` are not part of it.
typedef struct identity {
    char scheme[64];
    double options[SCHEME_OPTIONS_MAX];
    double tolerance, step;
    int64_t max_iterations, every, steps, recorded; // `recorded`: there is a result file; then `steps` counts too
} identity;

static identity identify(const run *r)
{
    const scheme_settings *settings = sim_settings(r->sim);
    identity id = {.tolerance = settings->tolerance, .step = r->step, .max_iterations = settings->max_iterations};
    strncpy(id.scheme, sim_scheme(r->sim)->name, sizeof id.scheme - 1);
    memcpy(id.options, settings->options, sizeof id.options);
    id.every = r->def->every;
    id.steps = r->steps;
    id.recorded = r->def->out != NULL;
    return id;
}

static void put_identity(byte_writer *w, const identity *id)
{
    put_string(w, id->scheme);
    put_doubles(w, id->options, SCHEME_OPTIONS_MAX);
    put_double(w, id->tolerance);
    put_double(w, id->step);
    put_u64(w, (uint64_t)id->max_iterations);
    put_u64(w, (uint64_t)id->every);
    put_u64(w, (uint64_t)id->steps);
    put_u64(w, (uint64_t)id->recorded);
}

static identity get_identity(byte_reader *r)
{
    identity id = {.scheme = ""};
    get_string(r, id.scheme, sizeof id.scheme);
    get_doubles(r, id.options, SCHEME_OPTIONS_MAX);
    id.tolerance = get_double(r);
    id.step = get_double(r);
    id.max_iterations = (int64_t)get_u64(r);
    id.every = (int64_t)get_u64(r);
    id.steps = (int64_t)get_u64(r);
    id.recorded = (int64_t)get_u64(r);
    return id;
}

// All other numbers, for writing and for reading. Whatever is added to a run or its summary gets its line here.
enum { REALS_MAX = 48, COUNTS_MAX = 16 + PH_CONTACT_SOLVERS };

typedef struct numbers {
    double *reals[REALS_MAX];
    long long *counts[COUNTS_MAX];
    int *ints[COUNTS_MAX];
    int real_count, count_count, int_count;
} numbers;

static void add_measures(numbers *n, ph_measures *m)
{
    double *const all[] = {&m->kinetic,       &m->potential,          &m->work,
                           &m->total,         &m->linear.x,           &m->linear.y,
                           &m->linear.z,      &m->angular.x,          &m->angular.y,
                           &m->angular.z,     &m->position_violation, &m->velocity_violation,
                           &m->orthogonality, &m->friction_work,      &m->impact_work};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        n->reals[n->real_count++] = all[i];
    }
}

static void find_numbers(run *r, numbers *n)
{
    ph_summary *s = r->summary;
    double *const reals[] = {&r->origin,
                             &r->linear_error2,
                             &r->angular_error2,
                             &r->wall_before,
                             &s->energy_scale,
                             &s->energy_max_abs_error,
                             &s->orthogonality_max,
                             &s->position_violation_max,
                             &s->velocity_violation_max,
                             &s->contact_residual_max,
                             &s->penetration_max,
                             &s->last_step,
                             &s->contact_gain_max};
    long long *const counts[] = {
        &r->first,          &r->done,        &r->recorded,   &r->iterations, &r->contact_iterations,
        &s->contact_missed, &s->inner_steps, &s->rejections, &s->evaluations};
    int *const ints[] = {&s->iterations_max, &s->contacts_max};
    memcpy(n->reals, reals, sizeof reals);
    memcpy(n->counts, counts, sizeof counts);
    memcpy(n->ints, ints, sizeof ints);
    n->real_count = sizeof reals / sizeof *reals;
    n->count_count = sizeof counts / sizeof *counts;
    n->int_count = sizeof ints / sizeof *ints;
    for (int k = 0; k < PH_CONTACT_SOLVERS; k++) n->counts[n->count_count++] = &s->contact_solver_steps[k];
    add_measures(n, &r->start);
}

// ---- Saving ---------------------------------------------------------------------------------------------------------

static size_t put_run(run *r, long long rows, unsigned char to[CHECKPOINT_RUN_MAX])
{
    byte_writer w = {0};
    w.to = to;
    numbers n;
    const identity id = identify(r);
    find_numbers(r, &n);
    put_identity(&w, &id);
    put_u64(&w, (uint64_t)rows);
    for (int i = 0; i < n.real_count; i++) {
        put_double(&w, *n.reals[i]);
    }
    for (int i = 0; i < n.count_count; i++) {
        put_u64(&w, (uint64_t)*n.counts[i]);
    }
    for (int i = 0; i < n.int_count; i++) {
        put_u64(&w, (uint64_t)*n.ints[i]);
    }
    return w.length;
}

ph_status run_save(run *r)
{
    unsigned char bytes[CHECKPOINT_RUN_MAX];
    const double before = r->wall_before;
    ph_status status = r->writer ? ph_result_sync(r->writer, r->error) : PH_OK;
    if (status == PH_OK) {
        r->wall_before += clock_seconds() - r->began;
        const size_t length = put_run(r, r->writer ? ph_result_appended(r->writer) : 0, bytes);
        r->wall_before = before;
        status = checkpoint_write(r->def->checkpoint, r->state, bytes, length, r->error);
    }
    r->last_saved = clock_seconds();
    return status;
}

// ---- Loading --------------------------------------------------------------------------------------------------------

static ph_status differs(const run *r, const char *what)
{
    return error_set(r->error, PH_BAD_ARGUMENT, "cannot continue from '%s': it was written with another %s",
                     r->def->checkpoint, what);
}

static ph_status check_identity(const run *r, const identity *was)
{
    const identity is = identify(r);
    if (strcmp(was->scheme, is.scheme) != 0) {
        return error_set(r->error, PH_BAD_ARGUMENT,
                         "cannot continue from '%s': it was written by scheme '%s', not '%s'", r->def->checkpoint,
                         was->scheme, is.scheme);
    }
    if (memcmp(was->options, is.options, sizeof is.options) != 0) {
        return differs(r, "option of the scheme");
    }
    if (was->step != is.step) {
        return error_set(r->error, PH_BAD_ARGUMENT,
                         "cannot continue from '%s': it was written with step %.17g, not %.17g", r->def->checkpoint,
                         was->step, is.step);
    }
    if (was->tolerance != is.tolerance || was->max_iterations != is.max_iterations) {
        return differs(r, "tolerance or number of iterations");
    }
    if (was->recorded != is.recorded) {
        return error_set(r->error, PH_BAD_ARGUMENT, "cannot continue from '%s': it was written %s a result file",
                         r->def->checkpoint, was->recorded ? "with" : "without");
    }
    if (is.recorded && was->every != is.every) {
        return differs(r, "number of steps between records");
    }
    return PH_OK;
}

static void get_numbers(byte_reader *b, run *r)
{
    numbers n;
    find_numbers(r, &n);
    for (int i = 0; i < n.real_count; i++) {
        *n.reals[i] = get_double(b);
    }
    for (int i = 0; i < n.count_count; i++) {
        *n.counts[i] = (long long)get_u64(b);
    }
    for (int i = 0; i < n.int_count; i++) {
        *n.ints[i] = (int)get_u64(b);
    }
}

// A checksum finds damage, not malice.
static bool can_be(const run *r, long long rows)
{
    const long long most = 1LL << 53;
    const bool counted = r->done >= 0 && r->done <= most && r->first >= -most && r->first <= most && rows >= 0 &&
                         r->recorded >= -1 && r->recorded <= r->done && r->iterations >= 0 &&
                         r->contact_iterations >= 0;
    return counted && isfinite(r->origin) && isfinite(r->start.total) && r->wall_before >= 0.0;
}

static ph_status get_run(byte_reader *b, run *r, long long *rows)
{
    const identity was = get_identity(b);
    if (b->short_of) {
        return error_set(r->error, PH_IO, "cannot continue from '%s': it holds a state, but no run",
                         r->def->checkpoint);
    }
    ph_status status = check_identity(r, &was);
    if (status != PH_OK) {
        return status;
    }
    *rows = (long long)get_u64(b);
    get_numbers(b, r);
    if (b->short_of || b->at != b->length || !can_be(r, *rows)) {
        return error_set(r->error, PH_IO, "cannot continue from '%s': what it says of the run cannot be",
                         r->def->checkpoint);
    }
    run_set_grid(r);
    status = run_count_steps(r);
    if (status == PH_OK && was.recorded && was.steps != r->steps) {
        return differs(r, "end time: the result file has its place for that one");
    }
    r->steps = r->steps > r->done ? r->steps : r->done;
    return status;
}

ph_status run_load_bytes(run *r, const unsigned char *bytes, size_t length, long long *rows)
{
    byte_reader b = {.from = bytes, .length = length};
    return get_run(&b, r, rows);
}

ph_status run_load(run *r, long long *rows)
{
    unsigned char bytes[CHECKPOINT_RUN_MAX];
    size_t length = 0;
    ph_status status = checkpoint_read(r->def->checkpoint, r->state, bytes, &length, r->error);
    *rows = -1;
    if (status == PH_NOT_FOUND) {
        return PH_OK;
    }
    if (status == PH_OK) {
        status = run_load_bytes(r, bytes, length, rows);
        r->summary->resumed = r->done;
    }
    return status;
}
