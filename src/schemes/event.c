// Events: steps up to where an expression crosses zero.
#include "polhode/event.h"

#include "base/memory.h"
#include "compile/compile.h"
#include "math/mat3.h"
#include "schemes/scheme.h"

#include <float.h>
#include <math.h>

struct ph_event {
    const ph_model *model;
    arena *memory;
    value value;
    frame *frames; // model_places
    ph_twist *twists;
    ph_state *before; // the node before the crossing
    ph_state *trial;
};

// ---- Life -----------------------------------------------------------------------------------------------------------

void ph_event_destroy(ph_event *event)
{
    if (!event) return;
    ph_state_destroy(event->before);
    ph_state_destroy(event->trial);
    arena_destroy(event->memory);
}

static bool make_room(ph_event *e)
{
    const size_t places = model_places(e->model);
    e->frames = arena_alloc_array(e->memory, places, sizeof *e->frames);
    e->twists = arena_alloc_array(e->memory, places, sizeof *e->twists);
    e->before = ph_state_create(e->model);
    e->trial = ph_state_create(e->model);
    if (!e->frames || !e->twists || !e->before || !e->trial) return false;
    for (size_t b = 0; b < places; b++) e->frames[b] = body_frame(&e->model->bodies[b]);
    return true;
}

ph_status ph_event_create(const ph_model *model, const char *expression, ph_event **event, ph_error *error)
{
    if (!model || !expression || !event)
        return error_set(error, PH_BAD_ARGUMENT, "ph_event_create needs a model, an expression and a place");
    *event = NULL;
    arena *memory = arena_create(&model->allocator);
    ph_event *e = memory ? arena_alloc(memory, sizeof *e) : NULL;
    if (e) *e = (ph_event){.model = model, .memory = memory};
    if (!e || !make_room(e)) {
        if (e) ph_event_destroy(e);
        if (!e) arena_destroy(memory);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    char fault[320];
    if (!compile_text(model, expression, memory, &e->value, fault, sizeof fault)) {
        ph_event_destroy(e);
        return error_set(error, PH_BAD_ARGUMENT, "%s", fault);
    }
    *event = e;
    return PH_OK;
}

// ---- The expression -------------------------------------------------------------------------------------------------

double ph_event_value(ph_event *event, const ph_state *state)
{
    if (!event || !state || state->model != event->model) return (double)NAN;
    for (int k = 0; k < event->model->moving_count; k++) {
        const int b = event->model->moving[k];
        event->frames[b] = (frame){ph_quat_to_mat(state->orientation[b]), state->position[b]};
        event->twists[b] = (ph_twist){state->angular_velocity[b], state->velocity[b]};
    }
    const motion at = {.frames = event->frames,
                       .twists = event->twists,
                       .time = state->time,
                       .inputs = state->inputs,
                       .turns = state->turns,
                       .targets = state->targets,
                       .target_time = state->target_time};
    return value_at(&event->value, &at);
}

static bool crosses(double before, double after)
{
    return before * after < 0.0 || (after == 0.0 && before != 0.0);
}

// ---- The crossing ---------------------------------------------------------------------------------------------------

typedef struct bracket { // lengths of the step before and after the crossing, with the expression there
    double low, high;
    double g_low, g_high;
} bracket;

// The secant through both ends; the middle where that has not halved the bracket for a while; never nearer to an end than
// `least`, so that the other end follows.
static double next_length(const bracket *b, double g_low, double g_high, bool halve, double least)
{
    const double middle = 0.5 * (b->low + b->high), width = b->high - b->low;
    const double secant = b->high - g_high * width / (g_high - g_low);
    if (halve || !isfinite(secant) || fabs(width) <= 2.0 * least) return middle;
    const double from = copysign(least, width), part = (secant - b->low) / width, edge = from / width;
    return b->low + width * fmin(1.0 - edge, fmax(edge, part));
}

// Steps from `before` to just after the crossing, into `state`. (Illinois: an end that stays counts half as much.)
static ph_status locate(ph_sim *sim, ph_state *state, ph_event *event, bracket b, ph_step_report *report)
{
    enum { MOST = 120 };
    const double start = event->before->time, least = 2.0 * DBL_EPSILON * fmax(fabs(start + b.high), fabs(b.high));
    double g_low = b.g_low, g_high = b.g_high, last = fabs(b.high - b.low);
    for (int i = 0; i < MOST && fabs(b.high - b.low) > 2.0 * least && b.g_high != 0.0; i++) {
        const bool halve = i % 3 == 2 && fabs(b.high - b.low) > 0.125 * last;
        const double length = next_length(&b, g_low, g_high, halve, least);
        if (i % 3 == 2) last = fabs(b.high - b.low);
        ph_status status = ph_state_copy(event->trial, event->before);
        if (status == PH_OK) status = ph_sim_step(sim, event->trial, length, report);
        if (status != PH_OK) return status;
        const double g = ph_event_value(event, event->trial);
        if (crosses(b.g_low, g)) {
            b.high = length, b.g_high = g_high = g, g_low *= 0.5;
            if (ph_state_copy(state, event->trial) != PH_OK) return PH_OUT_OF_MEMORY;
        } else {
            b.low = length, b.g_low = g_low = g, g_high *= 0.5;
        }
    }
    return PH_OK;
}

// ---- Steps ----------------------------------------------------------------------------------------------------------

static void add_counts(ph_step_report *one, const ph_step_report *all)
{
    one->steps = all->steps;
    one->iterations += all->iterations;
    one->inner_steps += all->inner_steps;
    one->rejections += all->rejections;
    one->evaluations += all->evaluations;
    one->contact_missed += all->contact_missed;
    one->contact_iterations += all->contact_iterations;
    for (int k = 0; k < PH_CONTACT_SOLVERS; k++) one->solver_steps[k] += all->solver_steps[k];
}

ph_status ph_sim_advance_until(ph_sim *sim, ph_state *state, double h, long long count, ph_event *event, bool *crossed,
                               ph_step_report *report)
{
    ph_step_report own, all = {0};
    if (!report) report = &own;
    *report = (ph_step_report){.status = PH_BAD_ARGUMENT, .step = h, .worst_joint = PH_NONE};
    if (crossed) *crossed = false;
    if (!sim || !state || !event || !crossed || event->model != state->model) return PH_BAD_ARGUMENT;
    double g = ph_event_value(event, state);
    ph_status status = PH_OK;
    const double pace = sim_set_pace(sim, fmax(h, 0.0));
    for (long long k = 0; k < count && status == PH_OK && !*crossed; k++) {
        status = ph_state_copy(event->before, state);
        if (status == PH_OK) status = ph_sim_step(sim, state, h, report);
        const double after = ph_event_value(event, state);
        *crossed = status == PH_OK && crosses(g, after);
        if (*crossed) {
            ph_step_report last = {.worst_joint = PH_NONE};
            status = locate(sim, state, event, (bracket){0.0, h, g, after}, &last);
            if (status != PH_OK) *report = last, *crossed = false, ph_state_copy(state, event->before);
        }
        g = after;
        all.steps += status == PH_OK;
        add_counts(report, &all);
        all = *report;
    }
    sim_set_pace(sim, pace);
    report->status = status;
    return status;
}
