// Named quantities: gradients of weighted sums of them, and tangents of a run along parameters.
#include "adjoint/adjoint.h"
#include "adjoint/observable.h"
#include "adjoint/parameters.h"
#include "adjoint/tangent.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

// ---- Backwards ------------------------------------------------------------------------------------------------------

typedef struct weighted {
    ph_adjoint *adjoint;
    ph_observables *observables;
    ph_adjoint_weights weights;
    void *user;
    double *at; // weights at the node
} weighted;

static void add_weighted(long long node, const ph_state *state, ph_cotangent *bodies, double *inputs, void *user)
{
    const weighted *w = user;
    (void)inputs;
    memset(w->at, 0, sizeof(double) * (size_t)w->observables->count);
    w->weights(node, state, w->at, w->user);
    for (int k = 0; k < w->observables->count; k++)
        if (w->at[k] != 0.0)
            observable_pull(w->observables, k, state, w->at[k], bodies, &w->adjoint->sweep.numbers,
                            w->adjoint->sweep.gradient);
}

ph_status ph_adjoint_reverse_of(ph_adjoint *a, ph_observables *observables, ph_adjoint_weights weights, void *user,
                                ph_error *error)
{
    if (!a || !observables || !weights || observables->model != a->model)
        return error_set(error, PH_BAD_ARGUMENT,
                         "ph_adjoint_reverse_of needs quantities of the same model and weights");
    double *room = mem_alloc_array(&a->model->allocator, (size_t)observables->count, sizeof *room);
    if (!room) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    weighted w = {a, observables, weights, user, room};
    const ph_status status = ph_adjoint_reverse(a, add_weighted, &w, error);
    mem_free(&a->model->allocator, room);
    return status;
}

// ---- Forwards -------------------------------------------------------------------------------------------------------

typedef struct tangents {
    ph_adjoint *adjoint;
    ph_observables *observables;
    const ph_parameters *parameters;
    tangent tangent;
    arena *memory;
    double *values, *jacobian; // observables x columns
    double *gradient;          // scratch: by numbers
    const double **directions;
} tangents;

static bool make_room(tangents *t)
{
    const ph_adjoint *a = t->adjoint;
    const size_t columns = (size_t)t->parameters->count, rows = (size_t)t->observables->count;
    const size_t count = (size_t)t->parameters->numbers.count;
    t->memory = arena_create(&a->model->allocator);
    if (!t->memory) return false;
    double *none = arena_alloc_array(t->memory, count, sizeof(double));
    t->directions = arena_alloc_array(t->memory, columns, sizeof *t->directions);
    t->values = arena_alloc_array(t->memory, rows, sizeof(double));
    t->jacobian = arena_alloc_array(t->memory, rows * columns, sizeof(double));
    t->gradient = arena_alloc_array(t->memory, count, sizeof(double));
    if (!none || !t->directions || !t->values || !t->jacobian || !t->gradient) return false;
    memset(none, 0, count * sizeof(double));
    for (size_t c = 0; c < columns; c++)
        t->directions[c] = t->parameters->list[c].direction ? t->parameters->list[c].direction : none;
    return tangent_create(&t->adjoint->sweep, (int)columns, t->directions, a->inputs != NULL, t->memory, &t->tangent);
}

// What row i of the Jacobian gets from the tangents of one body.
static void add_body(tangents *t, int i, int moving, const ph_cotangent *g)
{
    const ph_vec3 of[4] = {g->rotation, g->position, g->angular_velocity, g->velocity};
    double *row = t->jacobian + (size_t)i * (size_t)t->tangent.columns;
    double by[12];
    for (int k = 0; k < 4; k++) by[3 * k] = of[k].x, by[3 * k + 1] = of[k].y, by[3 * k + 2] = of[k].z;
    for (int c = 0; c < t->tangent.columns; c += QUAD) {
        quad sum = quad_splat(0.0);
        for (int k = 0; k < 12; k++)
            if (by[k] != 0.0) sum += quad_splat(by[k]) * *tangent_quad(&t->tangent, c / QUAD, moving, k);
        for (int lane = 0; lane < QUAD && c + lane < t->tangent.columns; lane++) row[c + lane] += sum[lane];
    }
}

// Row i of the Jacobian: the derivative of a quantity along all tangents.
static void find_row(tangents *t, const ph_state *state, int i)
{
    ph_adjoint *a = t->adjoint;
    const ph_model *model = a->model;
    double *row = t->jacobian + (size_t)i * (size_t)t->tangent.columns;
    memset(a->cotangents, 0, sizeof(ph_cotangent) * (size_t)model->body_count);
    memset(t->gradient, 0, sizeof(double) * (size_t)a->sweep.numbers.count);
    memset(row, 0, sizeof *row * (size_t)t->tangent.columns);
    observable_pull(t->observables, i, state, 1.0, a->cotangents, &a->sweep.numbers, t->gradient);
    for (int k = 0; k < model->moving_count; k++) add_body(t, i, k, &a->cotangents[model->moving[k]]);
    for (int b = 0; b < model->body_count; b++)
        numbers_add_stand(&a->sweep.numbers, t->gradient, b, a->cotangents[b].rotation, a->cotangents[b].position);
    for (int k = 0; k < a->sweep.numbers.count; k++)
        for (int c = 0; c < t->tangent.columns && t->gradient[k] != 0.0; c++)
            row[c] += t->gradient[k] * t->directions[c][k];
    for (int c = 0; c < t->tangent.columns; c++)
        if (!t->parameters->list[c].direction) row[c] = (double)NAN;
}

static bool show(tangents *t, const ph_state *state, long long n, ph_tangent_visit visit, void *user)
{
    ph_observables_values(t->observables, state, t->values);
    for (int i = 0; i < t->observables->count; i++) find_row(t, state, i);
    return visit(n, state, t->values, t->jacobian, user);
}

static ph_status follow(tangents *t, bool seen, ph_step_report *report)
{
    ph_adjoint *a = t->adjoint;
    for (int k = 0; k < a->tape.count; k++) {
        const tape_record r = tape_at(&a->tape, k), end = tape_at(&a->tape, k + 1);
        const bool first = r.head->index == 0.0;
        if (!tangent_on(&t->tangent, &r, &end, k == a->tape.count - 1, first || a->sweep.needs_velocity, seen)) {
            report->advice = "the constraints are singular here; try a smaller step";
            return report->status = PH_SINGULAR;
        }
    }
    return PH_OK;
}

static ph_status run(tangents *t, ph_state *state, long long steps, long long every, ph_tangent_visit visit, void *user,
                     ph_step_report *report)
{
    ph_status status = PH_OK;
    tangent_begin(&t->tangent);
    bool going = show(t, state, 0, visit, user);
    for (long long n = 0; n < steps && going && status == PH_OK; n++) {
        const bool seen = (n + 1) % every == 0 || n + 1 == steps;
        tape_clear(&t->adjoint->tape);
        status = adjoint_step(t->adjoint, state, n, report);
        if (status == PH_OK) status = follow(t, seen, report);
        if (status == PH_OK && seen) going = show(t, state, n + 1, visit, user);
    }
    return status == PH_OK && !going ? PH_INTERRUPTED : status;
}

bool ph_adjoint_has_tangents(const ph_adjoint *a)
{
    return a && a->stages;
}

ph_status ph_adjoint_tangents(ph_adjoint *a, ph_state *state, double h, long long steps, const double *inputs,
                              const ph_parameters *parameters, ph_observables *observables, long long every,
                              ph_tangent_visit visit, void *user, ph_step_report *report)
{
    ph_step_report own;
    if (!report) report = &own;
    *report = (ph_step_report){.status = PH_BAD_ARGUMENT, .step = h, .worst_joint = PH_NONE};
    if (!a || !state || !parameters || !observables || !visit || state->model != a->model || !isfinite(h) || h == 0.0 ||
        steps < 1 || every < 1) {
        report->advice = "give a state, parameters and quantities of the model, a step and at least one of it";
        return PH_BAD_ARGUMENT;
    }
    if (!ph_adjoint_has_tangents(a)) {
        report->advice = "steps with contact go backwards only: take gradients by ph_adjoint_reverse";
        return report->status = PH_NOT_SUPPORTED;
    }
    tangents t = {.adjoint = a, .observables = observables, .parameters = parameters};
    ph_status status = PH_OUT_OF_MEMORY;
    if (adjoint_prepare_single(a, h, steps, inputs) && make_room(&t)) {
        status = run(&t, state, steps, every, visit, user, report);
    }
    a->steps = 0; // no run to sweep back over
    arena_destroy(t.memory);
    return report->status = status;
}
