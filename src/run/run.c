// A whole run: steps, measures, records. What is kept is measured at every step, whatever is recorded.

#include "run/run.h"

#include "base/clock.h"
#include "base/error.h"
#include "io/result/contacts.h"
#include "math/vec3.h"
#include "model/scales.h"
#include "model/state.h"
#include "polhode/result.h"
#include "schemes/scheme.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint32_t RUN_COOKIE = 0x6e75723f;

ph_run_def ph_default_run(void)
{
    return (ph_run_def){.cookie = RUN_COOKIE,
                        .sim = ph_default_sim(),
                        .every = 1,
                        .measure_every = 1,
                        .missed = -1,
                        .checkpoint_every = 10.0};
}

// ---- Settings -------------------------------------------------------------------------------------------------------

static const char *find_scheme_name(const run *r)
{
    const char *text = r->def->sim.scheme ? r->def->sim.scheme : ph_model_run_settings(r->model)->scheme;
    char name[64] = "";
    const size_t length = text ? strcspn(text, ":") : 0;
    if (text && length < sizeof name) {
        memcpy(name, text, length);
    }
    const int index = ph_scheme_find(name);
    return index >= 0 ? ph_scheme_get(index).name : "";
}

static bool has_stops(const ph_model *model)
{
    for (int j = 0; j < model->joint_count; j++) {
        const ph_joint_def *def = model->joints[j].def;
        if (def->has_limit_low || def->has_limit_high || def->friction > 0.0) return true;
    }
    return false;
}

// A scheme with contact was chosen for nothing: shapes of bodies that no joint connects could meet, and there are no stops either.
static bool misses_contact(const ph_model *model, const char *scheme)
{
    const int index = ph_scheme_find(scheme);
    long long with_shapes = 0;
    if (model->has_contact || index < 0 || !(ph_scheme_get(index).traits & PH_HAS_CONTACT) || has_stops(model))
        return false;
    for (int b = 0; b < model->body_count; b++) {
        bool collides = false;
        for (int k = 0; k < model->bodies[b].kind->shape_count; k++)
            collides = collides || model->bodies[b].kind->shapes[k].collide;
        with_shapes += collides;
    }
    return model->moving_count > 0 && with_shapes * (with_shapes - 1) / 2 > model->joint_count;
}

// A state that stands on the time grid of the step goes on with it, as steps do (state_time_after).
void run_set_grid(run *r)
{
    r->origin = 0.0;
    r->first = -r->done;
    const double grid = floor(r->state->time / r->step + 0.5);
    if (fabs(grid) < 0x1p53 && grid * r->step == r->state->time) {
        r->first += (long long)grid;
    } else {
        r->origin = r->state->time;
    }
}

static ph_status check_positive(const run *r, const char *what, double value)
{
    if (value == 0.0) {
        return error_set(r->error, PH_BAD_ARGUMENT, "no %s is given, neither for the run nor by the model", what);
    }
    return value > 0.0 && isfinite(value)
               ? PH_OK
               : error_set(r->error, PH_BAD_ARGUMENT, "the %s is %g: it must be positive", what, value);
}

static ph_status read_settings(run *r)
{
    const ph_run_settings *settings = ph_model_run_settings(r->model);
    r->step = r->def->step != 0.0 ? r->def->step : settings->step;
    r->until = r->def->until != 0.0 ? r->def->until : settings->until;
    if (r->def->every < 1) {
        return error_set(r->error, PH_BAD_ARGUMENT, "every is %d: it must be at least 1", r->def->every);
    }
    if (r->def->measure_every < 1) {
        return error_set(r->error, PH_BAD_ARGUMENT, "measure_every is %d: it must be at least 1",
                         r->def->measure_every);
    }
    ph_status status = check_positive(r, "step", r->step);
    status = status == PH_OK ? check_positive(r, "end time", r->until) : status;
    if (status != PH_OK) {
        return status;
    }
    if (r->def->checkpoint && !(r->def->checkpoint_every > 0.0)) {
        return error_set(r->error, PH_BAD_ARGUMENT, "checkpoint_every is %g: it must be positive",
                         r->def->checkpoint_every);
    }
    if (r->def->resume && !r->def->checkpoint) {
        return error_set(r->error, PH_BAD_ARGUMENT, "there is no checkpoint to continue from: none is named");
    }
    run_set_grid(r);
    return run_count_steps(r);
}

ph_status run_count_steps(run *r)
{
    const double steps = ceil((r->until - r->origin) / r->step - 1e-9) - (double)r->first;
    if (!(steps < 0x1p53)) {
        return error_set(r->error, PH_BAD_ARGUMENT, "%g steps of %g s are too many to count", steps, r->step);
    }
    r->steps = steps > 0.0 ? (long long)steps : 0;
    return PH_OK;
}

// ---- Measuring ------------------------------------------------------------------------------------------------------

static void keep_largest(double *largest, double value)
{
    if (value > *largest) {
        *largest = value;
    }
}

static double linear_error2(const ph_symmetry *symmetry, ph_vec3 change)
{
    return (symmetry->linear[0] ? change.x * change.x : 0.0) + (symmetry->linear[1] ? change.y * change.y : 0.0) +
           (symmetry->linear[2] ? change.z * change.z : 0.0);
}

// About the point p the angular momentum is L - p x P.
static double angular_error2(const ph_symmetry *symmetry, ph_vec3 linear_change, ph_vec3 angular_change)
{
    const ph_vec3 change = ph_sub(angular_change, ph_cross(symmetry->point, linear_change));
    const double along = ph_dot(symmetry->axis, change);
    return symmetry->angular_all ? ph_norm2(change) : along * along;
}

static void visit(const run *r, const ph_step_report *report, double energy_error, double linear2, double angular2)
{
    const ph_moment moment = {
        .step = r->done,
        .state = r->state,
        .measures = &r->now,
        .report = report,
        .energy_error = energy_error,
        .linear_error = sqrt(linear2),
        .angular_error = r->symmetry.angular || r->symmetry.angular_all ? sqrt(angular2) : 0.0,
    };
    r->def->visit(&moment, r->def->user);
}

// T + U less the work of all that is no contact.
static double without_contacts(const ph_measures *m)
{
    return m->kinetic + m->potential - (m->work - m->friction_work - m->impact_work);
}

// `report`: of the step that was just made, or NULL.
static ph_status measure(run *r, const ph_step_report *report)
{
    ph_summary *s = r->summary;
    ph_measures *now = &r->now;
    const double before = without_contacts(now);
    ph_observer_measure(r->observer, r->state, now);
    if (!isfinite(now->total + now->position_violation + now->velocity_violation + now->orthogonality)) {
        return error_set(r->error, PH_NOT_FINITE, "at t = %.9g s: the state is not finite; try a smaller step",
                         r->state->time);
    }
    if (r->done == 0) {
        r->start = *now;
    }
    const ph_vec3 linear = ph_sub(now->linear, r->start.linear), angular = ph_sub(now->angular, r->start.angular);
    const double linear2 = linear_error2(&r->symmetry, linear);
    const double angular2 = angular_error2(&r->symmetry, linear, angular);
    keep_largest(&r->linear_error2, linear2);
    keep_largest(&r->angular_error2, angular2);
    keep_largest(&s->energy_scale, now->kinetic);
    keep_largest(&s->energy_max_abs_error, fabs(now->total - r->start.total));
    if (report && report->contacts > 0) keep_largest(&s->contact_gain_max, without_contacts(now) - before);
    keep_largest(&s->orthogonality_max, now->orthogonality);
    keep_largest(&s->position_violation_max, now->position_violation);
    keep_largest(&s->velocity_violation_max, now->velocity_violation);
    if (r->def->visit) {
        visit(r, report, now->total - r->start.total, linear2, angular2);
    }
    return PH_OK;
}

static void count_report(run *r, const ph_step_report *report)
{
    ph_summary *s = r->summary;
    r->iterations += report->iterations;
    r->contact_iterations += report->contact_iterations;
    const int iterations = (int)((report->iterations + report->steps - 1) / report->steps);
    s->iterations_max = iterations > s->iterations_max ? iterations : s->iterations_max;
    s->contacts_max = report->contacts > s->contacts_max ? report->contacts : s->contacts_max;
    keep_largest(&s->contact_residual_max, report->contact_residual);
    keep_largest(&s->penetration_max, report->penetration);
    s->contact_missed += report->contact_missed;
    s->inner_steps += report->inner_steps;
    s->rejections += report->rejections;
    s->evaluations += report->evaluations;
    for (int k = 0; k < PH_CONTACT_SOLVERS; k++) s->contact_solver_steps[k] += report->solver_steps[k];
}

static double moving_mass(const ph_model *model)
{
    double mass = 0.0;
    for (int k = 0; k < model->moving_count; k++) mass += model->bodies[model->moving[k]].kind->mass;
    return mass;
}

// Nothing moves but by what rounding of places makes of velocities: what cannot move, pushed by whatever force.
static bool stands_still(const run *r)
{
    const double speed = 64.0 * DBL_EPSILON * mechanism_size(r->model) / fabs(r->step);
    return r->summary->energy_scale <= 0.5 * moving_mass(r->model) * speed * speed;
}

// What rounding leaves of large potentials says nothing, nor what it lifts of a machine that rests where z = 0.
static double energy_rounding(const run *r)
{
    const ph_model *model = r->model;
    const double mass = moving_mass(model);
    return 1e-9 * (fabs(r->start.total) + fabs(r->start.potential) + fabs(r->now.potential)) +
           1e-12 * mass * ph_norm(model->gravity) * mechanism_size(model);
}

// Contacts and schemes that damp take energy by intention. What creeps against dampers has next to no kinetic energy: there the
// error counts beside the work.
static bool energy_is_wrong(const run *r)
{
    const ph_summary *s = r->summary;
    const uint32_t traits = sim_scheme(r->sim)->traits;
    const double rounding = energy_rounding(r);
    const bool lost = r->now.total < r->start.total;
    const double turned = fmax(s->energy_scale, 0.1 * fabs(r->now.work - r->start.work));
    if (s->contacts_max > 0 || stands_still(r) || (traits & PH_NUMERICAL_DAMPING && lost)) return false;
    return s->energy_max_abs_error > turned && s->energy_max_abs_error > rounding;
}

static void summarise(run *r)
{
    ph_summary *s = r->summary;
    const double steps = r->done > 0 ? (double)r->done : 1.0;
    s->steps = r->done;
    s->time = r->state->time;
    s->energy_initial = r->start.total;
    s->energy_final = r->now.total;
    s->energy_wrong = energy_is_wrong(r);
    s->friction_work = r->now.friction_work - r->start.friction_work;
    s->impact_work = r->now.impact_work - r->start.impact_work;
    s->stored_initial = r->start.kinetic + r->start.potential;
    s->stored_final = r->now.kinetic + r->now.potential;
    s->work = r->now.work - r->start.work - s->friction_work - s->impact_work;
    s->has_linear = r->symmetry.linear[0] || r->symmetry.linear[1] || r->symmetry.linear[2];
    s->has_angular = r->symmetry.angular || r->symmetry.angular_all;
    s->linear_max_error = s->has_linear ? sqrt(r->linear_error2) : 0.0;
    s->angular_max_error = s->has_angular ? sqrt(r->angular_error2) : 0.0;
    s->iterations_mean = (double)r->iterations / steps;
    s->contact_iterations_mean = (double)r->contact_iterations / steps;
}

// ---- Recording and progress -----------------------------------------------------------------------------------------

static ph_status record(run *r)
{
    if (!r->writer || r->recorded == r->done) {
        return PH_OK;
    }
    r->recorded = r->done;
    result_extras extras = {NULL, NULL};
    if (r->multipliers && ph_sim_multipliers(r->sim, r->state, r->step, r->multipliers) == PH_OK)
        extras.multipliers = r->multipliers;
    if (r->quaternions && ph_sim_quaternions(r->sim, r->state, r->step, r->quaternions) == PH_OK)
        extras.quaternions = r->quaternions;
    return result_append(r->writer, r->state, r->observer, &r->now, extras, r->error);
}

// Reading the clock costs as much as a good part of a small step, so the number of steps between two looks follows the
// speed: about fifty looks a second.
static ph_status look_at_clock(run *r)
{
    static const double LOOK = 0.02, PROGRESS = 0.1; // s
    const double now = clock_seconds();
    r->look_every = now - r->last_look < LOOK ? 2 * r->look_every : (r->look_every + 1) / 2;
    r->next_look = r->done + r->look_every;
    r->last_look = now;
    if (r->def->checkpoint && now - r->last_saved >= r->def->checkpoint_every) {
        const ph_status status = run_save(r);
        if (status != PH_OK) {
            return status;
        }
    }
    if (!r->def->progress || (r->done > r->summary->resumed + 1 && now - r->last_progress < PROGRESS)) {
        return PH_OK;
    }
    r->last_progress = now;
    const ph_progress progress = {
        .step = r->done,
        .steps = r->steps,
        .time = r->state->time,
        .until = r->until,
        .wall_s = r->wall_before + now - r->began,
        .energy_error = fabs(r->now.total - r->start.total),
    };
    return r->def->progress(&progress, r->def->user)
               ? PH_OK
               : error_set(r->error, PH_INTERRUPTED, "interrupted at t = %.9g s", r->state->time);
}

// ---- The run --------------------------------------------------------------------------------------------------------

static ph_status step_failed(run *r, const ph_step_report *report)
{
    char text[512];
    ph_step_report_format(report, r->model, text, sizeof text);
    return error_set(r->error, report->status, "%s", text);
}

// A run whose contacts are not solved goes on as far as the settings allow.
static ph_status check_missed(run *r, const ph_step_report *report)
{
    const ph_model *model = r->model;
    const int allowed = r->def->missed >= 0 ? r->def->missed : model->has_contact ? model->contact.missed : -1;
    const long long missed = r->summary->contact_missed;
    if (allowed < 0 || !report->contact_missed || missed <= allowed) {
        return PH_OK;
    }
    return error_set(
        r->error, PH_NO_CONVERGENCE,
        "at t = %.9g s, step %lld: the contact problem is solved to %.3g m/s, not to %g; %lld steps have missed "
        "their tolerance, the settings allow %d; try more iterations, the solver newton, or a looser tolerance",
        r->state->time, r->done, report->contact_residual, model->contact.tolerance, missed, allowed);
}

// An end that is no multiple of the step is met by a shorter last one.
static double next_step(const run *r)
{
    const double left = r->until - r->state->time;
    return r->done + 1 == r->steps && left < (1.0 - 1e-9) * r->step ? left : r->step;
}

// Steps up to the next one that is measured or recorded; the last one is made alone.
static long long next_count(const run *r)
{
    const long long every = r->def->every, measured = r->def->measure_every;
    long long count = measured - r->done % measured;
    if (every - r->done % every < count) count = every - r->done % every;
    if (r->steps - r->done - 1 < count) count = r->steps - r->done - 1;
    return count > 1 ? count : 1;
}

static ph_status make_step(run *r)
{
    const double step = next_step(r);
    const double start = r->state->time;
    bool crossed = false;
    ph_step_report report;
    if (r->event)
        ph_sim_advance_until(r->sim, r->state, step, next_count(r), r->event, &crossed, &report);
    else
        ph_sim_advance(r->sim, r->state, step, next_count(r), &report);
    r->done += report.steps;
    if (report.steps > 0) {
        count_report(r, &report);
    }
    if (report.status != PH_OK) {
        return step_failed(r, &report);
    }
    if (crossed) {
        r->steps = r->done;
        r->summary->event = true;
        r->summary->last_step = r->state->time - start - (double)(report.steps - 1) * step;
    } else if (step != r->step) {
        r->state->time = r->until;
        r->summary->last_step = step;
    }
    const ph_status status = measure(r, &report);
    return status == PH_OK ? check_missed(r, &report) : status;
}

static ph_status make_steps(run *r)
{
    const bool looks = r->def->progress || r->def->checkpoint;
    ph_status status = r->done == 0 ? record(r) : PH_OK;
    if (status == PH_OK && r->def->checkpoint && !r->complete) {
        status = run_save(r);
    }
    while (status == PH_OK && r->done < r->steps) {
        status = make_step(r);
        if (status == PH_OK && (r->done % r->def->every == 0 || r->done == r->steps)) {
            status = record(r);
        }
        if (status == PH_OK && looks && r->done >= r->next_look) {
            status = look_at_clock(r);
        }
    }
    return status;
}

// Stress is recorded with the multipliers that the scheme has for it.
static ph_status make_multipliers(run *r)
{
    const bool stress = r->model->record.stress_count > 0;
    const bool matrix = stress && ph_sim_has_multipliers(r->sim), quaternion = stress && ph_sim_has_quaternions(r->sim);
    const size_t bodies = (size_t)r->model->body_count;
    if (matrix) r->multipliers = mem_alloc(&r->model->allocator, bodies * sizeof *r->multipliers);
    if (quaternion) r->quaternions = mem_alloc(&r->model->allocator, bodies * sizeof *r->quaternions);
    const bool good = (!matrix || r->multipliers) && (!quaternion || r->quaternions);
    return good ? PH_OK : error_set(r->error, PH_OUT_OF_MEMORY, "out of memory");
}

static bool has_all_rows(const char *path, long long rows)
{
    ph_result *result = NULL;
    const bool all = ph_result_open(path, &result, NULL) == PH_OK && ph_result_rows(result) == rows;
    ph_result_destroy(result);
    return all;
}

// `kept` rows of a run that is continued, or -1.
static ph_status open_result(run *r, long long kept)
{
    if (!r->def->out && !r->def->recording) {
        return PH_OK;
    }
    const ph_status status = make_multipliers(r);
    if (status != PH_OK) {
        return status;
    }
    const long long every = r->def->every;
    const ph_result_def def = {
        .path = r->def->out,
        .recording = r->def->recording,
        .scheme = r->summary->scheme,
        .step = r->step,
        .rows = 1 + r->steps / every + (r->steps % every != 0),
        .multipliers = r->multipliers != NULL,
        .quaternions = r->quaternions != NULL,
    };
    // Contacts move into the result with its last row, and then it is not what a run begins with any more: it is left alone.
    r->complete = kept >= 0 && r->model->record.contacts && def.path && !contact_record_waits(def.path) &&
                  has_all_rows(def.path, def.rows);
    if (r->complete) {
        return PH_OK;
    }
    return kept < 0 ? ph_result_create(r->model, &def, &r->writer, r->error)
                    : ph_result_resume(r->model, &def, kept, &r->writer, r->error);
}

// The result file is the last thing to be made: whatever is wrong with the rest leaves it untouched.
static ph_status prepare(run *r)
{
    ph_status status = read_settings(r);
    if (status == PH_OK) {
        status = ph_sim_create(r->model, &r->def->sim, &r->sim, r->error);
    }
    if (status == PH_OK) sim_set_pace(r->sim, r->step);
    const char *stop = r->def->stop_when ? r->def->stop_when : ph_model_run_settings(r->model)->stop_when;
    if (status == PH_OK && stop) {
        status = ph_event_create(r->model, stop, &r->event, r->error);
    }
    if (status == PH_OK && (status = ph_observer_create(r->model, &r->observer)) != PH_OK) {
        status = error_set(r->error, status, "%s", ph_status_text(status));
    }
    if (status == PH_OK && !r->def->allow_overlap && !r->def->resume) {
        status = ph_check_overlaps(r->model, r->state, r->error);
    }
    if (status != PH_OK) {
        return status;
    }
    r->symmetry = ph_model_symmetry(r->model);
    r->recorded = -1;
    r->look_every = 1;
    r->summary->scheme = find_scheme_name(r);
    r->summary->without_contact = misses_contact(r->model, r->summary->scheme);
    r->summary->step = r->step;
    long long kept = -1;
    if (r->def->resume) {
        status = run_load(r, &kept);
    }
    r->next_look = r->done;
    status = status == PH_OK ? measure(r, NULL) : status;
    return status == PH_OK ? open_result(r, kept) : status;
}

// A run that ends early still records where it got to: a failed step has left the state as it was. The checkpoint is made
// before, since the run that continues knows nothing of that row.
static ph_status finish_result(run *r, ph_status status)
{
    ph_error *error = r->error;
    if (status != PH_OK) {
        r->error = NULL; // what ended the run is what the caller wants to know
    }
    if (r->def->checkpoint && !r->complete && status != PH_NOT_FINITE && status != PH_IO) {
        const ph_status saved = run_save(r);
        status = status == PH_OK || status == PH_INTERRUPTED ? (saved == PH_OK ? status : saved) : status;
    }
    const ph_status recorded = status == PH_NOT_FINITE || status == PH_IO ? PH_OK : record(r);
    const ph_status closed = ph_result_close(r->writer, recorded == PH_OK ? r->error : NULL);
    r->error = error;
    return status != PH_OK ? status : recorded != PH_OK ? recorded : closed;
}

ph_status ph_run(const ph_model *model, ph_state *state, const ph_run_def *def, ph_summary *summary, ph_error *error)
{
    run r = {.model = model, .state = state, .def = def, .summary = summary, .error = error};
    if (!model || !state || !def || !summary || state->model != model) {
        return error_set(error, PH_BAD_ARGUMENT, "ph_run needs a model, a state of it, a definition and a summary");
    }
    *summary = (ph_summary){.scheme = ""};
    if (def->cookie != RUN_COOKIE) {
        return error_set(error, PH_BAD_ARGUMENT, "the run definition does not come from ph_default_run");
    }
    ph_status status = prepare(&r);
    if (status == PH_OK) {
        r.began = r.last_look = r.last_progress = clock_seconds();
        status = make_steps(&r);
        summary->wall_s = r.wall_before + clock_seconds() - r.began;
        status = finish_result(&r, status);
        summarise(&r);
    }
    mem_free(&model->allocator, r.multipliers);
    mem_free(&model->allocator, r.quaternions);
    ph_event_destroy(r.event);
    ph_observer_destroy(r.observer);
    ph_sim_destroy(r.sim);
    return status;
}
