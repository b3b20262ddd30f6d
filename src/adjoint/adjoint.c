// The run forwards, with what it leaves for the way back, and the way back.
//
// A tape holds `segment` steps. Longer runs keep states at the starts of segments, as many as memory allows, and make the
// segments again on the way back, the last one first. Where there are more segments than states, they are placed so that the
// fewest steps are repeated: with room for s more states, r repetitions reach C(s + r, s) segments (Griewank and Walther 2000).
#include "adjoint/adjoint.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/mat3.h"
#include "schemes/scheme.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint32_t ADJOINT_COOKIE = 0x51414a54u;

ph_adjoint_def ph_default_adjoint(void)
{
    return (ph_adjoint_def){.cookie = ADJOINT_COOKIE, .sim = ph_default_sim(), .memory = (size_t)256 << 20};
}

// ---- Life -----------------------------------------------------------------------------------------------------------

// Forces at the midpoints of steps have no way back.
static bool has_midpoint_forces(const ph_model *model)
{
    bool has = false;
    for (int k = 0; k < model->moving_count; k++) {
        const body_kind *kind = model->bodies[model->moving[k]].kind;
        has = has || ph_max_abs(ph_sub(kind->com, kind->reference)) > 0.0;
    }
    for (int k = 0; k < model->force_count; k++) has = has || model->forces[k].type->pull;
    return has;
}

static ph_status check_support(const ph_adjoint *a, ph_error *error)
{
    if (!a->stages && !a->moreau && !a->nonsmooth)
        return error_set(
            error, PH_NOT_SUPPORTED,
            "scheme '%s' has no adjoint; rattlie, lgvi, quat-fem, matrix-rattle, rattlie4, rattlie6, rattlie8, "
            "rattlie-ns and moreau have one",
            sim_scheme(a->sim)->name);
    if (a->moreau && a->model->contact.sleep > 0.0)
        return error_set(error, PH_NOT_SUPPORTED, "bodies that sleep have no adjoint: leave out contact.sleep");
    if (a->moreau && a->model->rotor_count > 0)
        return error_set(error, PH_NOT_SUPPORTED, "armatures have no adjoint with scheme 'moreau'");
    for (int j = 0; j < a->model->joint_count; j++)
        if (!joint_can_pull(&a->model->joints[j]))
            return error_set(error, PH_NOT_SUPPORTED,
                             "joint '%s' (%s) has no adjoint: its rows are of velocities or of "
                             "surfaces that touch",
                             a->model->joints[j].name, a->model->joints[j].type->name);
    if (a->model->samples)
        return error_set(error, PH_NOT_SUPPORTED,
                         "what is held from the start of a step has no adjoint: expressions of this model use sensors, "
                         "or an actuator has a delay");
    if (a->stages && a->stages->rule->assemble && has_midpoint_forces(a->model))
        return error_set(
            error, PH_NOT_SUPPORTED,
            "the adjoint of scheme '%s' knows no forces at the midpoint of a step (springs between points, "
            "reference points beside centres of mass); use lgvi or rattlie",
            sim_scheme(a->sim)->name);
    return PH_OK;
}

static bool make_room(ph_adjoint *a)
{
    const size_t bodies = (size_t)a->model->body_count + 1;
    a->cotangents = arena_alloc_array(a->memory, bodies, sizeof(ph_cotangent));
    a->start = arena_alloc_array(a->memory, bodies, sizeof(ph_cotangent));
    a->snapshots = arena_alloc_array(a->memory, SNAPSHOTS_MAX, sizeof(snapshot));
    a->node = ph_state_create(a->model);
    a->work = ph_state_create(a->model);
    return a->cotangents && a->start && a->snapshots && a->node && a->work &&
           sweep_create(a->model, a->nonsmooth ? a->nonsmooth->stages : a->stages, a->memory, &a->sweep) &&
           (!a->nonsmooth ||
            nonsmooth_sweep_create(&a->sweep, a->nonsmooth, &a->report, a->memory, &a->nonsmooth_sweep)) &&
           (!a->moreau || contact_sweep_create(&a->sweep, a->moreau, &a->report, a->memory, &a->contact_sweep));
}

static void look_at_forces(ph_adjoint *a)
{
    for (int k = 0; k < a->model->force_count; k++) {
        const force *f = &a->model->forces[k];
        a->report.differences = a->report.differences || !force_derivative_exact(f);
        if (!force_numbers_known(f)) a->report.unknown = f->name ? f->name : f->type->name;
    }
}

// `moreau` solves contacts to round-off here, and by rows.
static ph_status create_sim(ph_adjoint *a, const ph_sim_def *given, ph_error *error)
{
    char options[512];
    ph_sim_def def = *given;
    const ph_status status = ph_sim_create(a->model, &def, &a->sim, error);
    if (status != PH_OK) return status;
    a->stages = sim_stages(a->sim);
    a->nonsmooth = sim_nonsmooth(a->sim);
    if (a->nonsmooth) a->stages = NULL;
    if (a->stages || !sim_moreau(a->sim)) return PH_OK;
    ph_sim_destroy(a->sim);
    a->sim = NULL;
    const bool own = given->options && *given->options;
    snprintf(options, sizeof options, "%.480s%sexact=1", own ? given->options : "", own ? "," : "");
    def.options = options;
    const ph_status again = ph_sim_create(a->model, &def, &a->sim, error);
    if (again == PH_OK) a->moreau = sim_moreau(a->sim);
    return again;
}

ph_status ph_adjoint_create(const ph_model *model, const ph_adjoint_def *def, ph_adjoint **adjoint, ph_error *error)
{
    if (!model || !def || !adjoint)
        return error_set(error, PH_BAD_ARGUMENT,
                         "ph_adjoint_create needs a model, a definition and a place for the result");
    *adjoint = NULL;
    if (def->cookie != ADJOINT_COOKIE)
        return error_set(error, PH_BAD_ARGUMENT, "a ph_adjoint_def must start from ph_default_adjoint()");
    arena *memory = arena_create(&model->allocator);
    ph_adjoint *a = memory ? arena_alloc(memory, sizeof *a) : NULL;
    if (!a) {
        arena_destroy(memory);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    *a = (ph_adjoint){.model = model, .memory = memory, .bytes = def->memory};
    ph_status status = create_sim(a, &def->sim, error);
    if (status == PH_OK) status = check_support(a, error);
    if (status == PH_OK && !make_room(a)) status = error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    if (status != PH_OK) {
        ph_adjoint_destroy(a);
        return status;
    }
    if (a->stages) a->stages->watcher = &a->tape;
    if (a->moreau) a->moreau->watcher = &a->contacts;
    if (a->nonsmooth) a->nonsmooth->watcher = &a->parts;
    a->contacts.model = a->parts.model = model;
    sweep_begin(&a->sweep);
    look_at_forces(a);
    *adjoint = a;
    return PH_OK;
}

static void drop_snapshots(ph_adjoint *a, int keep)
{
    while (a->snapshot_count > keep) ph_state_destroy(a->snapshots[--a->snapshot_count].state);
}

void ph_adjoint_destroy(ph_adjoint *a)
{
    if (!a) return;
    drop_snapshots(a, 0);
    contact_tape_destroy(&a->contacts);
    contact_sweep_destroy(&a->contact_sweep);
    nonsmooth_tape_destroy(&a->parts);
    nonsmooth_sweep_destroy(&a->nonsmooth_sweep);
    ph_state_destroy(a->node);
    ph_state_destroy(a->work);
    ph_sim_destroy(a->sim);
    arena_destroy(a->run);
    arena_destroy(a->memory);
}

// ---- Memory ---------------------------------------------------------------------------------------------------------

static size_t snapshot_bytes(const ph_model *model)
{
    return sizeof(ph_state) + sizeof(double) * (64 * model_places(model) + 8 * (size_t)model->row_count + 64);
}

static int substeps(const ph_adjoint *a)
{
    return a->stages ? a->stages->pattern.count : 1;
}

// The tape and, where it does not hold the run, states: as short a tape as balances both.
static void plan(ph_adjoint *a)
{
    const double step = (double)(sizeof(double) * tape_record_size(a->model)) * substeps(a);
    const double state = (double)snapshot_bytes(a->model), n = (double)a->steps, room = (double)a->bytes;
    a->snapshot_room = 1;
    a->segment = a->steps;
    if (n * step <= room) return;
    double segment = ceil(sqrt(n * state / step));
    if (segment * step + n / segment * state > room) segment = floor(0.5 * room / step);
    segment = fmin(fmax(segment, 1.0), n);
    a->segment = (long long)segment;
    const double states = fmin(fmax((room - segment * step) / state, 1.0), ceil(n / segment));
    a->snapshot_room = (int)fmin(states, (double)SNAPSHOTS_MAX);
}

static bool prepare(ph_adjoint *a, const double *inputs, bool single)
{
    const size_t count = (size_t)a->steps * (size_t)a->model->input_count;
    drop_snapshots(a, 0);
    arena_destroy(a->run);
    a->run = arena_create(&a->model->allocator);
    if (!a->run) return false;
    if (single)
        a->segment = 1;
    else
        plan(a);
    a->input_gradient = arena_alloc_array(a->run, count + 1, sizeof(double));
    a->inputs = inputs ? arena_alloc_array(a->run, count + 1, sizeof(double)) : NULL;
    if (!a->input_gradient || (inputs && !a->inputs)) return false;
    if (inputs) memcpy(a->inputs, inputs, sizeof(double) * count);
    return tape_create(a->model, (int)a->segment * substeps(a), a->run, &a->tape);
}

static bool keep(ph_adjoint *a, const ph_state *state, long long step)
{
    ph_state *copy = ph_state_create(a->model);
    if (!copy || ph_state_copy(copy, state) != PH_OK) {
        ph_state_destroy(copy);
        return false;
    }
    a->snapshots[a->snapshot_count++] = (snapshot){step, copy};
    return true;
}

// C(n, k), or `most` where it is larger
static long long choose(long long n, long long k, long long most)
{
    double c = 1.0;
    for (long long i = 1; i <= k && c < (double)most; i++) c = c * (double)(n - k + i) / (double)i;
    return c < (double)most ? (long long)(c + 0.5) : most;
}

long long adjoint_split(long long count, long long room)
{
    long long r = 1;
    if (room < 1 || count < 2) return 1;
    while (choose(room + r, room, count) < count) r++;
    const long long ahead = choose(room + r - 1, room, count);
    return ahead < count - 1 ? ahead : count - 1;
}

// ---- Forwards -------------------------------------------------------------------------------------------------------

static void watch(ph_adjoint *a, bool on)
{
    if (a->stages) a->stages->watch = on ? tape_watch : NULL;
    if (a->moreau) a->moreau->watch = on ? contact_tape_watch : NULL;
    if (a->nonsmooth) a->nonsmooth->watch = on ? nonsmooth_tape_watch : NULL;
}

static void clear_tapes(ph_adjoint *a)
{
    tape_clear(&a->tape);
    contact_tape_clear(&a->contacts);
    nonsmooth_tape_clear(&a->parts);
}

static ph_status one_step(ph_adjoint *a, ph_state *state, long long n, bool taped, ph_step_report *report)
{
    const size_t width = (size_t)a->model->input_count;
    if (a->inputs) memcpy(state->inputs, a->inputs + width * (size_t)n, width * sizeof(double));
    if (state->touched) state_place_rotors(state);
    if (taped) tape_begin_step(&a->tape, state);
    if (taped && a->moreau) contact_tape_begin_step(&a->contacts);
    if (taped && a->nonsmooth) nonsmooth_tape_begin_step(&a->parts);
    const ph_status status = ph_sim_step(a->sim, state, a->h, report);
    if (taped && (a->contacts.out_of_memory || a->parts.out_of_memory)) return PH_OUT_OF_MEMORY;
    if (status == PH_OK && taped && !a->stages) tape_take_step(&a->tape, a->h);
    if (status == PH_OK && taped) tape_end_step(&a->tape, state);
    return status;
}

ph_status adjoint_step(ph_adjoint *a, ph_state *state, long long n, ph_step_report *report)
{
    watch(a, true);
    const ph_status status = one_step(a, state, n, true, report);
    watch(a, false);
    return status;
}

bool adjoint_prepare_single(ph_adjoint *a, double h, long long steps, const double *inputs)
{
    a->h = h;
    a->steps = steps;
    return prepare(a, inputs, true);
}

ph_status adjoint_replay(ph_adjoint *a, ph_state *state, long long from, long long to, bool taped)
{
    ph_status status = PH_OK;
    watch(a, taped);
    if (taped) clear_tapes(a), a->taped[0] = from, a->taped[1] = to;
    for (long long n = from; n < to && status == PH_OK; n++) status = one_step(a, state, n, taped, NULL);
    watch(a, false);
    a->report.repeated += to - from;
    return status;
}

// The step where the next state is to be kept.
static long long next_snapshot(const ph_adjoint *a, long long from, long long to)
{
    const long long segments = (to - from + a->segment - 1) / a->segment;
    const long long room = a->snapshot_room - a->snapshot_count;
    return room < 1 ? to : from + a->segment * adjoint_split(segments, room);
}

static ph_status run(ph_adjoint *a, ph_state *state, ph_adjoint_visit visit, void *user, ph_step_report *report)
{
    ph_status status = PH_OK;
    long long keep_at = 0;
    bool going = !visit || visit(0, state, user);
    watch(a, true);
    for (long long n = 0; n < a->steps && going && status == PH_OK; n++) {
        if (n % a->segment == 0) {
            const long long end = n + a->segment;
            clear_tapes(a);
            a->taped[0] = n, a->taped[1] = end < a->steps ? end : a->steps;
        }
        if (n == keep_at) {
            if (!keep(a, state, n)) return PH_OUT_OF_MEMORY;
            keep_at = next_snapshot(a, n, a->steps);
        }
        status = one_step(a, state, n, true, report);
        if (status == PH_OK && visit) going = visit(n + 1, state, user);
    }
    watch(a, false);
    return status == PH_OK && !going ? PH_BAD_ARGUMENT : status;
}

ph_status ph_adjoint_forward(ph_adjoint *a, ph_state *state, double h, long long steps, const double *inputs,
                             ph_adjoint_visit visit, void *user, ph_step_report *report)
{
    ph_step_report own;
    if (!report) report = &own;
    *report = (ph_step_report){.status = PH_BAD_ARGUMENT, .step = h, .worst_joint = PH_NONE};
    if (!a || !state || state->model != a->model || !isfinite(h) || h == 0.0 || steps < 1) {
        report->advice = "give a state of the model, a finite step that is not zero and at least one of it";
        return PH_BAD_ARGUMENT;
    }
    a->h = h;
    a->steps = steps;
    a->report.repeated = 0;
    if (!prepare(a, inputs, false)) {
        a->steps = 0;
        return report->status = PH_OUT_OF_MEMORY;
    }
    const ph_status status = run(a, state, visit, user, report);
    a->report.snapshots = a->snapshot_count;
    if (status != PH_OK) a->steps = 0;
    return report->status = status;
}

// ---- Backwards ------------------------------------------------------------------------------------------------------

typedef struct source {
    ph_adjoint_source function;
    void *user;
} source;

// What the function sees of a node.
static void show(ph_adjoint *a, const tape_record *r)
{
    ph_state *s = a->node;
    s->time = r->head->time;
    for (int k = 0; k < a->model->moving_count; k++) {
        const int b = a->model->moving[k];
        s->position[b] = r->node[k].position;
        s->orientation[b] = r->node[k].orientation;
        s->angular_velocity[b] = r->node[k].v.omega;
        s->velocity[b] = r->node[k].v.v;
    }
    memcpy(s->inputs, r->inputs, sizeof(double) * (size_t)a->model->input_count);
    memcpy(s->turns, r->turns, sizeof(double) * (size_t)a->model->turn_count);
    memcpy(s->targets, r->targets, sizeof(double) * (size_t)a->model->target_count);
    s->target_time = r->head->target_time;
}

static void add_source(ph_adjoint *a, const source *from, const tape_record *r, long long n, double *inputs)
{
    memset(a->cotangents, 0, sizeof(ph_cotangent) * (size_t)a->model->body_count);
    show(a, r);
    from->function(n, a->node, a->cotangents, inputs, from->user);
    for (int b = 0; b < a->model->body_count; b++) {
        const ph_cotangent *c = &a->cotangents[b];
        if (a->model->bodies[b].moving < 0) {
            numbers_add_stand(&a->sweep.numbers, a->sweep.gradient, b, c->rotation, c->position);
            continue;
        }
        wrench_add(&a->sweep.a_q[b], 1.0, &(ph_wrench){c->rotation, c->position});
        wrench_add(&a->sweep.a_v[b], 1.0, &(ph_wrench){c->angular_velocity, c->velocity});
    }
}

static void note_size(ph_adjoint *a, long long n)
{
    const double size = a->sweep.largest;
    if (a->report.first == 0.0) a->report.first = size;
    if (size > a->report.largest) a->report.largest = size, a->report.largest_node = n;
}

static bool back_over_parts(ph_adjoint *a, int step, const tape_record *r, const tape_record *end)
{
    if (a->nonsmooth)
        return nonsmooth_sweep_back(&a->nonsmooth_sweep, &a->parts, a->parts.first_part[step],
                                    nonsmooth_tape_last_part(&a->parts, step), r, end);
    const int first = a->contacts.first_part[step], last = contact_tape_last_part(&a->contacts, step);
    for (int k = last; k >= first; k--)
        if (!contact_sweep_back(&a->contact_sweep, &a->contacts, &a->contacts.parts[k], r, k == last)) return false;
    // an impact within the step says where its parts end
    if (last > first && a->moreau->detector->shapes.may_bounce) a->report.fixed++;
    return true;
}

// All that is on the tape, from its end to its start.
static ph_status back_over_tape(ph_adjoint *a, const source *from, ph_error *error)
{
    const size_t width = (size_t)a->model->input_count;
    long long n = a->taped[1] - 1;
    for (int k = a->tape.count - 1; k >= 0; k--) {
        const tape_record r = tape_at(&a->tape, k), end = tape_at(&a->tape, k + 1);
        const bool last = end.head->index == 0.0 || k == a->tape.count - 1, first = r.head->index == 0.0;
        if (!a->stages ? !back_over_parts(a, k, &r, &end)
                       : !sweep_back(&a->sweep, &r, &end, last, first || a->sweep.needs_velocity))
            return error_set(error, PH_SINGULAR, "the constraints are singular at t = %.9g", r.head->time);
        if (!first) continue;
        double *inputs = a->input_gradient + width * (size_t)n;
        memcpy(inputs, a->sweep.inputs, width * sizeof(double));
        memset(a->sweep.inputs, 0, width * sizeof(double));
        note_size(a, n);
        add_source(a, from, &r, n, inputs);
        n--;
    }
    return PH_OK;
}

// The steps up to `to` are on the tape, from the state that was kept last before.
static ph_status reach(ph_adjoint *a, long long to, ph_error *error)
{
    ph_status status = PH_OK;
    while (status == PH_OK && !(a->taped[0] < to && a->taped[1] == to)) {
        while (a->snapshots[a->snapshot_count - 1].step >= to) drop_snapshots(a, a->snapshot_count - 1);
        const snapshot *last = &a->snapshots[a->snapshot_count - 1];
        const long long at = last->step;
        if (ph_state_copy(a->work, last->state) != PH_OK) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
        if (to - at <= a->segment) {
            status = adjoint_replay(a, a->work, at, to, true);
        } else if (a->snapshot_count < a->snapshot_room) {
            const long long next = next_snapshot(a, at, to);
            status = adjoint_replay(a, a->work, at, next, false);
            if (status == PH_OK && !keep(a, a->work, next)) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
        } else {
            const long long begin = at + (to - at - 1) / a->segment * a->segment;
            status = adjoint_replay(a, a->work, at, begin, false);
            if (status == PH_OK) status = adjoint_replay(a, a->work, begin, to, true);
        }
    }
    return status == PH_OK ? PH_OK : error_set(error, status, "a step that was made before fails when it is repeated");
}

static void keep_start(ph_adjoint *a)
{
    for (int k = 0; k < a->model->moving_count; k++) {
        const int b = a->model->moving[k];
        body_gradient *g = &numbers_bodies(&a->sweep.numbers, a->sweep.gradient)[k];
        g->rotation = a->sweep.a_q[b].torque, g->position = a->sweep.a_q[b].force;
        g->angular_velocity = a->sweep.a_v[b].torque, g->velocity = a->sweep.a_v[b].force;
    }
    for (int j = 0; j < a->model->joint_count; j++) {
        const joint_motor *motor = a->model->joints[j].motor;
        if (motor && motor->by_speed)
            numbers_joints(&a->sweep.numbers, a->sweep.gradient)[j].start = a->sweep.a_s[motor->target];
    }
    if (a->inputs) return; // inputs that were given do not depend on what the model begins with
    for (int k = 0; k < a->model->input_count; k++)
        for (long long n = 0; n < a->steps; n++)
            a->sweep.gradient[a->sweep.numbers.inputs + k] += a->input_gradient[n * a->model->input_count + k];
}

static ph_status project_start(ph_adjoint *a, ph_error *error)
{
    if (!sweep_project(&a->sweep)) return error_set(error, PH_SINGULAR, "the constraints are singular at the start");
    memset(a->start, 0, sizeof(ph_cotangent) * (size_t)a->model->body_count);
    for (int b = 0; b < a->model->body_count; b++) {
        const ph_wrench *q = &a->sweep.a_q[b], *v = &a->sweep.a_v[b];
        if (a->model->bodies[b].moving >= 0) a->start[b] = (ph_cotangent){q->torque, q->force, v->torque, v->force};
    }
    return PH_OK;
}

ph_status ph_adjoint_reverse(ph_adjoint *a, ph_adjoint_source function, void *user, ph_error *error)
{
    if (!a || !function || a->steps < 1)
        return error_set(error, PH_BAD_ARGUMENT,
                         "ph_adjoint_reverse needs a run that ph_adjoint_forward has made, and "
                         "a function");
    const source from = {function, user};
    sweep_begin(&a->sweep);
    a->report.first = a->report.largest = 0.0;
    a->report.impacts = a->report.kinks = a->report.fixed = a->report.held = 0;
    ph_status status = reach(a, a->steps, error);
    if (status != PH_OK) return status;
    const tape_record end = tape_at(&a->tape, a->tape.count);
    add_source(a, &from, &end, a->steps, NULL);
    for (long long to = a->steps; to > 0 && status == PH_OK; to = a->taped[0]) {
        status = reach(a, to, error);
        if (status == PH_OK) status = back_over_tape(a, &from, error);
        a->sweep.there_ready = false; // the next segment begins from a record of its own, with the same bits
    }
    if (status != PH_OK) return status;
    sweep_take_over(&a->sweep);
    keep_start(a);
    return project_start(a, error);
}
