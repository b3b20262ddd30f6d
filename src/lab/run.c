// Bare runs of the laboratory and the reference that errors are measured against.
//
// A method of order p has x_h = x + c h^p + ..., so that x_h + (x_h - x_2h)/(2^p - 1) is of higher order: p + 2 for a
// method that is its own inverse with the step reversed, whose expansion has only every second power, else p + 1.
// Repeated (Richardson), a few runs of a second-order scheme give a motion that is exact to about its rounding.

#include "base/clock.h"
#include "lab/lab.h"
#include "math/quat.h"
#include "math/trig.h"
#include "model/state.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { REFERENCE_RUNS = 4 }; // at the most

// ---- Progress -------------------------------------------------------------------------------------------------------

static double steps_of(const lab *l, double step)
{
    return l->samples > 0 && step > 0.0 ? l->times[l->samples - 1] / step : 0.0;
}

void lab_plan(lab *l, double step, int times)
{
    l->planned += times * steps_of(l, step);
}

void lab_begin(lab *l, const char *trial, double step)
{
    l->now = (ph_lab_progress){.trial = trial, .step = step, .run = l->now.run + 1, .runs = l->now.runs};
    l->before += l->length;
    l->length = steps_of(l, step);
    l->look_every = 1;
    l->next_look = l->calls + 1;
}

void lab_note(lab *l, double share)
{
    l->now.share = share;
    l->now.whole = l->planned > 0.0 ? fmin((l->before + share * l->length) / l->planned, 1.0) : 0.0;
}

// Reading the clock at every step would cost as much as a small step.
bool lab_go_on(lab *l, double share)
{
    if (!l->progress || ++l->calls < l->next_look) return true;
    const double now = clock_seconds(), since = now - l->last_look;
    l->look_every = since < 0.05 ? 2 * l->look_every : (l->look_every + 1) / 2;
    l->next_look = l->calls + l->look_every;
    if (since < 0.1) return true;
    l->last_look = now;
    lab_note(l, share);
    return l->progress(&l->now, l->user);
}

// ---- One run --------------------------------------------------------------------------------------------------------

typedef struct bare {
    ph_sim *sim;
    ph_state *state;
    double step;
    long long done, iterations;
} bare;

static ph_status bare_open(const lab *l, const char *scheme, double step, bare *b, ph_error *error)
{
    ph_sim_def def = l->sim;
    def.scheme = scheme;
    def.options = NULL;
    *b = (bare){.step = step};
    const ph_status status = ph_sim_create(l->model, &def, &b->sim, error);
    if (status != PH_OK) return status;
    b->state = ph_state_create(l->model);
    return b->state ? PH_OK : error_set(error, PH_OUT_OF_MEMORY, "out of memory");
}

static void bare_close(bare *b)
{
    ph_state_destroy(b->state);
    ph_sim_destroy(b->sim);
}

// Up to `count` steps.
static ph_status bare_step(const lab *l, bare *b, long long count, ph_error *error)
{
    enum { AT_ONCE = 64 }; // so that an interrupt is heard
    ph_step_report report;
    const ph_status status = ph_sim_advance(b->sim, b->state, b->step, count < AT_ONCE ? count : AT_ONCE, &report);
    if (status != PH_OK) {
        char text[512];
        ph_step_report_format(&report, l->model, text, sizeof text);
        return error_set(error, status, "%s", text);
    }
    b->done += report.steps;
    b->iterations += report.iterations;
    return PH_OK;
}

static bool is_finite(const ph_state *state)
{
    double sum = 0.0;
    for (int b = 0; b < state->model->body_count; b++)
        sum += 0.0 * (state->position[b].x + state->position[b].y + state->position[b].z + state->orientation[b].w +
                      ph_norm2(state->velocity[b]) + ph_norm2(state->angular_velocity[b]));
    return sum == 0.0;
}

ph_status lab_run(lab *l, const char *scheme, double step, track *t, run_cost *cost, ph_error *error)
{
    bare b;
    ph_status status = bare_open(l, scheme, step, &b, error);
    const long long last = steps_to(l->times[l->samples - 1], step);
    const double began = clock_cpu_seconds();
    for (int k = 0; status == PH_OK && k < l->samples; k++) {
        const long long until = steps_to(l->times[k], step);
        while (status == PH_OK && b.done < until) {
            status = bare_step(l, &b, until - b.done, error);
            if (!lab_go_on(l, (double)b.done / (double)last)) status = error_set(error, PH_INTERRUPTED, "interrupted");
        }
        if (status == PH_OK && !is_finite(b.state))
            status = error_set(error, PH_NOT_FINITE, "at t = %.9g s: the state is not finite; try a smaller step",
                               l->times[k]);
        if (status == PH_OK && t) track_store(t, k, b.state);
    }
    const double mean = b.done ? (double)b.iterations / (double)b.done : 0.0;
    if (cost) *cost = (run_cost){b.done, mean, clock_cpu_seconds() - began};
    bare_close(&b);
    return status;
}

double lab_step_time(const lab *l, const char *scheme, double step, long long steps)
{
    enum { ROUNDS = 4 };
    const double round_s = 0.01;
    bare b;
    double best = (double)INFINITY;
    ph_status status = bare_open(l, scheme, step, &b, NULL);
    for (int round = 0; status == PH_OK && round < ROUNDS && b.done < steps; round++) {
        const double began = clock_cpu_seconds();
        const long long first = b.done;
        double took = 0.0;
        for (long long batch = 1; status == PH_OK && took < round_s && b.done < steps; batch *= 2) {
            const long long until = b.done + batch < steps ? b.done + batch : steps;
            while (status == PH_OK && b.done < until) status = bare_step(l, &b, until - b.done, NULL);
            took = clock_cpu_seconds() - began;
        }
        best = fmin(best, took / (double)(b.done - first));
    }
    bare_close(&b);
    return status == PH_OK ? best : (double)NAN;
}

// ---- Reference ------------------------------------------------------------------------------------------------------

static ph_vec3 beyond(ph_vec3 coarse, ph_vec3 fine, double factor)
{
    return ph_add(fine, ph_scale(factor, ph_sub(fine, coarse)));
}

// Quaternions are extrapolated as vectors of four and brought back to length 1, which is as smooth as they are.
static ph_quat beyond_quat(ph_quat c, ph_quat f, double factor)
{
    const double sign = c.w * f.w + c.x * f.x + c.y * f.y + c.z * f.z < 0.0 ? -1.0 : 1.0;
    return ph_quat_unit((ph_quat){f.w + factor * (f.w - sign * c.w), f.x + factor * (f.x - sign * c.x),
                                  f.y + factor * (f.y - sign * c.y), f.z + factor * (f.z - sign * c.z)});
}

static void extrapolate(track *coarse, const track *fine, double factor)
{
    const int count = coarse->bodies * coarse->samples;
    for (int i = 0; i < count; i++) {
        coarse->position[i] = beyond(coarse->position[i], fine->position[i], factor);
        coarse->velocity[i] = beyond(coarse->velocity[i], fine->velocity[i], factor);
        coarse->angular_velocity[i] = beyond(coarse->angular_velocity[i], fine->angular_velocity[i], factor);
        coarse->orientation[i] = beyond_quat(coarse->orientation[i], fine->orientation[i], factor);
    }
}

static ph_status given_reference(lab *l, arena *memory, const char *given, track *t, ph_reference_info *info,
                                 ph_error *error)
{
    trial_name name;
    ph_status status = trial_read(memory, given, &name, error);
    if (status != PH_OK) return status;
    if (name.step == 0.0)
        return error_set(error, PH_BAD_ARGUMENT, "the reference '%s' needs a step: SCHEME@STEP", given);
    for (int k = 0; k < l->samples; k++)
        if (!steps_to(l->times[k], name.step))
            return error_set(error, PH_BAD_ARGUMENT, "the sample time %.9g is no multiple of the reference's step %g",
                             l->times[k], name.step);
    lab_plan(l, name.step, 1);
    lab_begin(l, name.scheme, name.step);
    status = lab_run(l, name.scheme, name.step, t, NULL, error);
    if (status == PH_OK) *info = (ph_reference_info){name.scheme, name.step, 1, motion_error_unknown(), NULL};
    return status;
}

// Runs of one scheme at ever smaller steps, extrapolated. What the last of them has changed, before it is extrapolated
// with the others, is taken for the uncertainty: it holds the rounding of independent runs too.
static ph_status refine(lab *l, const ph_scheme_info *scheme, double coarsest, int runs, track *tracks,
                        ph_reference_info *info, ph_error *error)
{
    double step = coarsest;
    for (int k = 0; k < runs; k++) lab_plan(l, ldexp(coarsest, -k), 1);
    for (int k = 0; k < runs; k++, step *= 0.5) {
        lab_begin(l, scheme->name, step);
        const ph_status status = lab_run(l, scheme->name, step, &tracks[k], NULL, error);
        if (status != PH_OK) return status;
    }
    *info = (ph_reference_info){.scheme = scheme->name, .step = 2.0 * step, .runs = runs};
    const int gain = scheme->traits & PH_TIME_REVERSIBLE ? 2 : 1;
    for (int j = 1, order = scheme->order; j < runs; j++, order += gain) {
        if (j == runs - 1) info->uncertainty = track_difference(&tracks[0], &tracks[1], l->measured);
        for (int k = 0; k < runs - j; k++) extrapolate(&tracks[k], &tracks[k + 1], 1.0 / (ph_pow(2.0, order) - 1.0));
    }
    return PH_OK;
}

// How good a reference a scheme makes: by its order, the exact motion (order 0) first, one with damping never (-1).
static int rank_of(int index)
{
    const ph_scheme_info info = ph_scheme_get(index);
    return info.traits & PH_NUMERICAL_DAMPING ? -1 : info.order > 0 ? info.order : INT_MAX;
}

// The next best scheme; PH_NONE when there is no other.
static int next_candidate(int last)
{
    int best = PH_NONE;
    for (int i = 0; i < ph_scheme_count(); i++) {
        const int rank = rank_of(i), before = last == PH_NONE ? INT_MAX : rank_of(last);
        const bool done = last != PH_NONE && (rank > before || (rank == before && i <= last));
        if (rank >= 0 && !done && (best == PH_NONE || rank > rank_of(best))) best = i;
    }
    return best;
}

ph_status lab_reference(lab *l, arena *memory, const char *given, double smallest, int runs, track *t,
                        ph_reference_info *info, ph_error *error)
{
    track tracks[REFERENCE_RUNS];
    if (runs > REFERENCE_RUNS) runs = REFERENCE_RUNS;
    for (int k = 0; k < (given ? 1 : runs); k++)
        if (!track_create(memory, ph_model_bodies(l->model), l->samples, &tracks[k]))
            return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    *t = tracks[0];
    if (given) return given_reference(l, memory, given, t, info, error);
    ph_status status = error_set(error, PH_NOT_FOUND, "there is no scheme to make a reference with");
    const int first_run = l->now.run;
    const double planned = l->planned;
    for (int i = next_candidate(PH_NONE); i != PH_NONE && status != PH_OK; i = next_candidate(i)) {
        const ph_scheme_info scheme = ph_scheme_get(i);
        l->now.run = first_run;
        l->planned = planned; // one that failed is begun anew with another scheme
        l->before = l->length = 0.0;
        const int fraction = scheme.order == 0 || scheme.order >= 6 ? 1 : scheme.order >= 4 ? 2 : 4;
        status = refine(l, &scheme, smallest / fraction, scheme.order == 0 ? 1 : runs, tracks, info, error);
        if (status == PH_INTERRUPTED || status == PH_OUT_OF_MEMORY) break;
    }
    return status;
}
