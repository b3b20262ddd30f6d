// Several schemes side by side on one model: the same start, the same step, the same measures.

#include "lab/lab.h"
#include "model/state.h"

#include <math.h>
#include <string.h>

static const uint32_t COMPARE_COOKIE = 0x434f4d50u;
enum { REFERENCE_RUNS = 2 };
enum { TRACK_BODIES = 2000000 }; // bodies times samples of a reference, at the most

typedef struct result { // what the caller gets, and where it lives
    ph_comparison comparison;
    arena *memory;
} result;

// Extremes over the steps since the last sample.
typedef struct extremes {
    long long steps;
    double energy_low, energy_high, linear, angular, orthogonality, position, velocity, penetration, residual;
} extremes;

typedef struct compare {
    const ph_compare_def *def;
    arena *memory;
    ph_comparison *out;
    lab lab;
    trial_name *names;
    double *times; // samples after the start
    int samples, kept;
    bool has_reference;
    track reference;
    ph_trial *trial; // the one that runs
    double trial_step;
    extremes since;
} compare;

ph_compare_def ph_default_compare(void)
{
    return (ph_compare_def){.cookie = COMPARE_COOKIE, .sim = ph_default_sim(), .samples = 2000, .body = PH_NONE};
}

static ph_status no_memory(ph_error *error)
{
    return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
}

// ---- Settings -------------------------------------------------------------------------------------------------------

static ph_status choose_body(compare *c, ph_error *error)
{
    const ph_model *model = c->lab.model;
    c->kept = c->def->body;
    for (int b = 0; c->def->body == PH_NONE && b < model->body_count; b++)
        if (!model->bodies[b].kind->fixed) c->kept = b;
    if (c->kept < 0 || c->kept >= model->body_count)
        return error_set(error, PH_BAD_ARGUMENT, "the model has no body whose motion could be kept");
    c->out->body = arena_copy_string(c->memory, model->bodies[c->kept].name ? model->bodies[c->kept].name : "");
    return c->out->body ? PH_OK : no_memory(error);
}

static ph_status read_settings(compare *c, ph_error *error)
{
    const ph_run_settings *settings = ph_model_run_settings(c->lab.model);
    const char *name = ph_model_name(c->lab.model);
    c->out->step = c->def->step != 0.0 ? c->def->step : settings->step;
    c->out->until = c->def->until != 0.0 ? c->def->until : settings->until;
    c->out->model = arena_copy_string(c->memory, name ? name : "");
    if (!c->out->model) return no_memory(error);
    if (!(c->out->step > 0.0 && isfinite(c->out->step)))
        return error_set(error, PH_BAD_ARGUMENT, "no step is given, neither for the comparison nor by the model");
    if (!(c->out->until > 0.0 && isfinite(c->out->until)))
        return error_set(error, PH_BAD_ARGUMENT, "no end time is given, neither for the comparison nor by the model");
    return choose_body(c, error);
}

static ph_status read_trials(compare *c, ph_error *error)
{
    const int count = c->def->trial_count;
    c->names = arena_alloc_array(c->memory, (size_t)count, sizeof *c->names);
    c->out->trials = arena_alloc_array(c->memory, (size_t)count, sizeof *c->out->trials);
    if (!c->names || !c->out->trials) return no_memory(error);
    for (int i = 0; i < count; i++) {
        ph_trial *trial = &c->out->trials[i];
        ph_error mistake;
        trial->name = arena_copy_string(c->memory, c->def->trials[i] ? c->def->trials[i] : "");
        trial->summary = (ph_summary){.scheme = ""};
        trial->error = motion_error_unknown();
        trial->step_s = (double)NAN;
        trial->status = trial_read(c->memory, c->def->trials[i], &c->names[i], &mistake);
        if (trial->status == PH_OUT_OF_MEMORY || !trial->name) return no_memory(error);
        if (trial->status != PH_OK) trial->message = arena_copy_string(c->memory, mistake.text);
        if (c->names[i].step == 0.0) c->names[i].step = c->out->step;
    }
    return PH_OK;
}

// All trials meet at the samples: multiples of every step, and of a given reference's.
static ph_status set_sample_times(compare *c, ph_error *error)
{
    const int trials = c->def->trial_count;
    double *steps = arena_alloc_array(c->memory, (size_t)trials + 1, sizeof *steps);
    if (!steps) return no_memory(error);
    int count = 0;
    for (int i = 0; i < trials; i++)
        if (c->out->trials[i].status == PH_OK) steps[count++] = c->names[i].step;
    trial_name reference;
    if (c->def->reference && strcmp(c->def->reference, "none") != 0 &&
        trial_read(c->memory, c->def->reference, &reference, NULL) == PH_OK && reference.step > 0.0)
        steps[count++] = reference.step;
    const double unit = count ? common_multiple(steps, count) : c->out->step;
    const double units = unit > 0.0 ? floor(c->out->until / unit + 1e-9) : 0.0;
    if (!(units >= 1.0 && units < 0x1p53))
        return error_set(error, PH_BAD_ARGUMENT,
                         "the steps have no common multiple up to t = %g s, so that the trials never meet",
                         c->out->until);
    const int room = TRACK_BODIES / ph_model_bodies(c->lab.model);
    const int wanted = c->def->samples < room ? c->def->samples : room;
    const double stride = ceil(units / (wanted > 1 ? wanted : 1));
    c->samples = (int)floor(units / stride);
    c->times = arena_alloc_array(c->memory, (size_t)c->samples, sizeof *c->times);
    for (int i = 0; c->times && i < c->samples; i++) c->times[i] = (i + 1) * stride * unit;
    return c->times ? PH_OK : no_memory(error);
}

// ---- Histories ------------------------------------------------------------------------------------------------------

static bool create_motion(arena *memory, size_t room, ph_history *h)
{
    h->time = arena_alloc_array(memory, room, sizeof *h->time);
    h->position = arena_alloc_array(memory, room, sizeof *h->position);
    h->velocity = arena_alloc_array(memory, room, sizeof *h->velocity);
    h->angular_velocity = arena_alloc_array(memory, room, sizeof *h->angular_velocity);
    h->orientation = arena_alloc_array(memory, room, sizeof *h->orientation);
    return h->time && h->position && h->velocity && h->angular_velocity && h->orientation;
}

static bool create_history(arena *memory, size_t room, ph_history *h)
{
    double **arrays[] = {&h->energy_low,
                         &h->energy_high,
                         &h->linear_max,
                         &h->angular_max,
                         &h->orthogonality_max,
                         &h->position_violation_max,
                         &h->velocity_violation_max,
                         &h->penetration_max,
                         &h->contact_residual_max};
    bool ok = create_motion(memory, room, h);
    for (size_t i = 0; ok && i < sizeof arrays / sizeof *arrays; i++)
        ok = (*arrays[i] = arena_alloc_array(memory, room, sizeof(double))) != NULL;
    return ok;
}

static void keep_motion(ph_history *h, const ph_state *state, int body_index)
{
    h->time[h->count] = state->time;
    h->position[h->count] = state->position[body_index];
    h->velocity[h->count] = state->velocity[body_index];
    h->angular_velocity[h->count] = state->angular_velocity[body_index];
    h->orientation[h->count] = state->orientation[body_index];
}

static void note(extremes *e, const ph_moment *m)
{
    const bool first = e->steps++ == 0;
    e->energy_low = first ? m->energy_error : fmin(e->energy_low, m->energy_error);
    e->energy_high = first ? m->energy_error : fmax(e->energy_high, m->energy_error);
    e->linear = fmax(e->linear, m->linear_error);
    e->angular = fmax(e->angular, m->angular_error);
    e->orthogonality = fmax(e->orthogonality, m->measures->orthogonality);
    e->position = fmax(e->position, m->measures->position_violation);
    e->velocity = fmax(e->velocity, m->measures->velocity_violation);
    if (!m->report) return;
    e->penetration = fmax(e->penetration, m->report->penetration);
    e->residual = fmax(e->residual, m->report->contact_residual);
}

static void add_sample(compare *c, const ph_state *state)
{
    ph_history *h = &c->trial->history;
    const extremes *e = &c->since;
    const int i = h->count;
    keep_motion(h, state, c->kept);
    h->energy_low[i] = e->energy_low;
    h->energy_high[i] = e->energy_high;
    h->linear_max[i] = e->linear;
    h->angular_max[i] = e->angular;
    h->orthogonality_max[i] = e->orthogonality;
    h->position_violation_max[i] = e->position;
    h->velocity_violation_max[i] = e->velocity;
    h->penetration_max[i] = e->penetration;
    h->contact_residual_max[i] = e->residual;
    h->count++;
    c->since = (extremes){0};
}

// Sample 0 is the start; sample k > 0 is at times[k - 1].
static void on_moment(const ph_moment *moment, void *user)
{
    compare *c = user;
    const int sample = c->trial->history.count;
    note(&c->since, moment);
    if (sample > c->samples) return;
    const long long due = sample == 0 ? 0 : steps_to(c->times[sample - 1], c->trial_step);
    if (moment->step < due) return;
    add_sample(c, moment->state);
    if (sample == 0 || !c->has_reference) return;
    if (sample == 1) c->trial->error = (ph_motion_error){{0}};
    track_error(&c->reference, sample - 1, moment->state, c->lab.measured, &c->trial->error);
}

static bool on_progress(const ph_progress *progress, void *user)
{
    compare *c = user;
    lab_note(&c->lab, progress->steps ? (double)progress->step / (double)progress->steps : 1.0);
    return c->lab.progress(&c->lab.now, c->lab.user);
}

// ---- Runs -----------------------------------------------------------------------------------------------------------

static ph_status run_trial(compare *c, int index, ph_error *error)
{
    ph_trial *trial = c->trial = &c->out->trials[index];
    ph_state *state = ph_state_create(c->lab.model);
    ph_error mistake = {.status = PH_OK};
    if (!state || !create_history(c->memory, (size_t)c->samples + 2, &trial->history)) {
        ph_state_destroy(state);
        return no_memory(error);
    }
    ph_run_def def = ph_default_run();
    def.sim = c->lab.sim;
    def.sim.scheme = c->names[index].scheme;
    def.sim.options = NULL;
    def.step = c->trial_step = c->names[index].step;
    def.until = c->out->until;
    def.visit = on_moment;
    if (c->def->outs) {
        def.out = c->def->outs[index];
        def.every = 1 + (int)fmin(def.until / def.step / (c->def->samples > 0 ? c->def->samples : 1), 1e9);
    }
    def.progress = c->lab.progress ? on_progress : NULL;
    def.user = c;
    c->since = (extremes){0};
    lab_begin(&c->lab, trial->name, def.step);
    trial->status = ph_run(c->lab.model, state, &def, &trial->summary, &mistake);
    if (c->since.steps) add_sample(c, state); // the end, when it is no sample
    ph_state_destroy(state);
    if (trial->status == PH_OK) {
        trial->step_s = lab_step_time(&c->lab, def.sim.scheme, def.step, trial->summary.steps);
    } else {
        trial->message = arena_copy_string(c->memory, mistake.text);
        trial->error = motion_error_unknown(); // over a shorter time than that of the others
    }
    return trial->status == PH_INTERRUPTED ? error_set(error, PH_INTERRUPTED, "%s", mistake.text) : PH_OK;
}

static ph_status keep_reference_motion(compare *c, ph_error *error)
{
    ph_history *h = &c->out->reference_history;
    ph_state *start = ph_state_create(c->lab.model);
    if (!start || !create_motion(c->memory, (size_t)c->samples + 1, h)) {
        ph_state_destroy(start);
        return no_memory(error);
    }
    keep_motion(h, start, c->kept);
    ph_state_destroy(start);
    for (h->count = 1; h->count <= c->samples; h->count++) {
        const int i = h->count;
        const size_t at = (size_t)(i - 1) * (size_t)c->reference.bodies + (size_t)c->kept;
        h->time[i] = c->times[i - 1];
        h->position[i] = c->reference.position[at];
        h->velocity[i] = c->reference.velocity[at];
        h->angular_velocity[i] = c->reference.angular_velocity[at];
        h->orientation[i] = c->reference.orientation[at];
    }
    return PH_OK;
}

// A reference that fails costs its column, not the comparison.
static ph_status run_reference(compare *c, ph_error *error)
{
    if (c->def->reference && strcmp(c->def->reference, "none") == 0) return PH_OK;
    double smallest = (double)INFINITY;
    ph_error mistake;
    for (int i = 0; i < c->def->trial_count; i++) smallest = fmin(smallest, c->names[i].step);
    const ph_status status = lab_reference(&c->lab, c->memory, c->def->reference, smallest, REFERENCE_RUNS,
                                           &c->reference, &c->out->reference, &mistake);
    if (status == PH_INTERRUPTED || status == PH_OUT_OF_MEMORY) return error_set(error, status, "%s", mistake.text);
    if (status != PH_OK) {
        c->out->reference = (ph_reference_info){.uncertainty = motion_error_unknown()};
        c->out->reference.message = arena_copy_string(c->memory, mistake.text);
        return PH_OK;
    }
    c->has_reference = true;
    return keep_reference_motion(c, error);
}

static ph_status run_all(compare *c, ph_error *error)
{
    ph_status status = read_settings(c, error);
    if (status == PH_OK) status = read_trials(c, error);
    if (status == PH_OK) status = set_sample_times(c, error);
    c->lab.times = c->times;
    c->lab.samples = c->samples;
    c->lab.now = (ph_lab_progress){.run = -1, .runs = c->def->trial_count + (c->def->reference ? 1 : REFERENCE_RUNS)};
    for (int i = 0; status == PH_OK && i < c->def->trial_count; i++) lab_plan(&c->lab, c->names[i].step, 1);
    if (status == PH_OK) status = run_reference(c, error);
    for (int i = 0; status == PH_OK && i < c->def->trial_count; i++) {
        if (c->out->trials[i].status == PH_OK) status = run_trial(c, i, error);
        if (status != PH_OK && status != PH_INTERRUPTED) break;
        c->out->trial_count = i + 1;
        c->out->failed += c->out->trials[i].status != PH_OK;
    }
    return status;
}

ph_status ph_compare(const ph_model *model, const ph_compare_def *def, ph_comparison **comparison, ph_error *error)
{
    if (!model || !def || !comparison || def->cookie != COMPARE_COOKIE)
        return error_set(error, PH_BAD_ARGUMENT,
                         "a comparison needs a model and a ph_compare_def from ph_default_compare()");
    *comparison = NULL;
    if (def->trial_count < 1 || !def->trials) return error_set(error, PH_BAD_ARGUMENT, "there is no scheme to compare");
    arena *memory = arena_create(NULL);
    result *r = memory ? arena_alloc(memory, sizeof *r) : NULL;
    if (!r) {
        arena_destroy(memory);
        return no_memory(error);
    }
    r->memory = memory;
    r->comparison.reference.uncertainty = motion_error_unknown();
    compare c = {.def = def, .memory = memory, .out = &r->comparison};
    c.lab = (lab){.model = model, .sim = def->sim, .measured = PH_NONE, .progress = def->progress, .user = def->user};
    const ph_status status = run_all(&c, error);
    if (status != PH_OK && status != PH_INTERRUPTED) {
        arena_destroy(memory);
        return status;
    }
    *comparison = &r->comparison;
    return status;
}

void ph_comparison_destroy(ph_comparison *comparison)
{
    if (comparison) arena_destroy(((result *)comparison)->memory);
}
