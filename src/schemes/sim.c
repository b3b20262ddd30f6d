// ph_sim: finds the scheme by name, reads its options, and hands steps to it.
#include "base/memory.h"
#include "base/suggest.h"
#include "expression/expression.h"
#include "math/vec3.h"
#include "model/solvers.h"
#include "schemes/dead_point.h"
#include "schemes/device.h"
#include "schemes/flat.h"
#include "schemes/moreau.h"
#include "schemes/nonsmooth.h"
#include "schemes/scheme.h"
#include "schemes/state_check.h"
#include "schemes/value_check.h"
#include "sensors/observe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t SIM_COOKIE = 0x5153494du;

struct ph_sim {
    const ph_model *model;
    const ph_scheme *scheme;
    scheme_settings settings;
    void *self;
    sampler *sampler; // NULL: nothing is held from the start of a step
    char advice[420]; // of the last report, where it names an expression or a loop
};

const ph_scheme *sim_scheme(const ph_sim *sim)
{
    return sim->scheme;
}

const scheme_settings *sim_settings(const ph_sim *sim)
{
    return &sim->settings;
}

struct variational *sim_stages(const ph_sim *sim)
{
    return sim->scheme->stages ? sim->scheme->stages(sim->self) : NULL;
}

struct moreau *sim_moreau(const ph_sim *sim)
{
    return sim->scheme == &scheme_moreau ? sim->self : NULL;
}

double sim_set_pace(ph_sim *sim, double h)
{
    moreau *m = sim_moreau(sim);
    const double before = m ? m->parts.pace : 0.0;
    if (m) m->parts.pace = h;
    return before;
}

extern const ph_scheme scheme_rattlie_ns;

struct nonsmooth *sim_nonsmooth(const ph_sim *sim)
{
    return sim->scheme == &scheme_rattlie_ns ? rattlie_ns_contacts(sim->self) : NULL;
}

ph_sim_def ph_default_sim(void)
{
    return (ph_sim_def){.cookie = SIM_COOKIE, .tolerance = 1e-14, .max_iterations = 30, .threads = 1};
}

// ---- Names and options ----------------------------------------------------------------------------------------------

// Is `name` (of `length` characters) one of the words of `list`?
static bool is_word_of(const char *list, const char *name, size_t length)
{
    for (const char *at = list; at && *at;) {
        const size_t size = strcspn(at, " ");
        if (size == length && strncmp(at, name, length) == 0) return true;
        at += size + strspn(at + size, " ");
    }
    return false;
}

static int find_scheme(const char *name, size_t length)
{
    for (int k = 0; schemes[k]; k++)
        if (is_word_of(schemes[k]->name, name, length) || is_word_of(schemes[k]->aliases, name, length)) return k;
    return PH_NONE;
}

static ph_status unknown_scheme(const char *name, size_t length, ph_error *error)
{
    char word[64];
    const char *names[64];
    int count = 0;
    snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), name);
    for (; count < 64 && schemes[count]; count++) names[count] = schemes[count]->name;
    const char *near = suggest(word, names, count);
    return error_set(error, PH_NOT_FOUND,
                     near ? "unknown scheme '%s'; did you mean '%s'?" : "unknown scheme '%s'; see 'polhode schemes'",
                     word, near ? near : "");
}

static ph_status unknown_option(const ph_scheme *scheme, const char *name, ph_error *error)
{
    char known[256] = "";
    size_t at = 0;
    for (int k = 0; k < SCHEME_OPTIONS_MAX && scheme->options[k].name; k++)
        at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", k ? ", " : "", scheme->options[k].name);
    return error_set(error, PH_BAD_ARGUMENT, "scheme '%s' has no option '%s'; it has: %s", scheme->name, name,
                     *known ? known : "none");
}

static ph_status read_option(const ph_scheme *scheme, char *text, double *values, ph_error *error)
{
    char *equals = strchr(text, '=');
    if (!equals) return error_set(error, PH_BAD_ARGUMENT, "scheme option '%s' needs a value: name=value", text);
    *equals = '\0';
    for (int k = 0; k < SCHEME_OPTIONS_MAX && scheme->options[k].name; k++) {
        const ph_scheme_option *option = &scheme->options[k];
        if (strcmp(option->name, text) != 0) continue;
        const char *end;
        values[k] = expression_signed_number(equals + 1, &end);
        if (end == equals + 1 || *end || !(values[k] >= option->low && values[k] <= option->high))
            return error_set(error, PH_BAD_ARGUMENT,
                             "option %s of scheme '%s' must be a number from %g to %g, not '%s'", text, scheme->name,
                             option->low, option->high, equals + 1);
        return PH_OK;
    }
    return unknown_option(scheme, text, error);
}

static ph_status read_options(const ph_scheme *scheme, const char *text, double *values, ph_error *error)
{
    while (text && *text) {
        char option[128];
        const size_t length = strcspn(text, ",");
        if (length >= sizeof option)
            return error_set(error, PH_BAD_ARGUMENT, "scheme options are too long: '%.60s...'", text);
        memcpy(option, text, length);
        option[length] = '\0';
        const ph_status status = length ? read_option(scheme, option, values, error) : PH_OK;
        if (status != PH_OK) return status;
        text += length + (text[length] == ',');
    }
    return PH_OK;
}

// ---- Settings -------------------------------------------------------------------------------------------------------

static ph_status check_def(const ph_sim_def *def, ph_error *error)
{
    if (def->cookie != SIM_COOKIE)
        return error_set(error, PH_BAD_ARGUMENT, "a ph_sim_def must start from ph_default_sim()");
    if (!(def->tolerance > 0.0 && def->tolerance < 1.0))
        return error_set(error, PH_BAD_ARGUMENT, "the tolerance must lie between 0 and 1, not %g", def->tolerance);
    if (def->max_iterations < 1)
        return error_set(error, PH_BAD_ARGUMENT, "max_iterations must be at least 1, not %d", def->max_iterations);
    if (def->threads < 1) return error_set(error, PH_BAD_ARGUMENT, "threads must be at least 1, not %d", def->threads);
    return PH_OK;
}

// The scheme named in the definition, or in the model's run settings; options may follow the name after a colon.
static ph_status choose_scheme(const ph_model *model, const ph_sim_def *def, const ph_scheme **scheme, double *values,
                               ph_error *error)
{
    const char *name = def->scheme ? def->scheme : model->run.scheme ? model->run.scheme : "rattlie";
    const size_t length = strcspn(name, ":");
    const int index = find_scheme(name, length);
    if (index < 0) return unknown_scheme(name, length, error);
    *scheme = schemes[index];
    for (int k = 0; k < SCHEME_OPTIONS_MAX; k++) values[k] = (*scheme)->options[k].value;
    ph_status status = PH_OK;
    if (!def->scheme) status = read_options(*scheme, model->run.options, values, error);
    if (status == PH_OK && name[length]) status = read_options(*scheme, name + length + 1, values, error);
    return status == PH_OK ? read_options(*scheme, def->options, values, error) : status;
}

// ---- What a scheme can move -----------------------------------------------------------------------------------------

// The first names of a list that grows: "'A', 'B', 'C' and 4 more".
typedef struct name_list {
    char text[256];
    int count;
} name_list;

enum { NAMES_SHOWN = 5 };

static void name_list_add(name_list *list, const char *name)
{
    const size_t at = strlen(list->text);
    if (list->count++ < NAMES_SHOWN)
        snprintf(list->text + at, sizeof list->text - at, "%s'%.40s'", at ? ", " : "", name);
}

static void name_list_end(name_list *list)
{
    const size_t at = strlen(list->text);
    if (list->count > NAMES_SHOWN)
        snprintf(list->text + at, sizeof list->text - at, " and %d more", list->count - NAMES_SHOWN);
}

// Bodies that are held once are a structure, with reactions and stresses of interest. Held twice over they have neither
// motion nor reactions that anyone could tell.
static ph_status check_freedoms(const ph_model *model, ph_error *error)
{
    name_list names = {0};
    if (model->velocity_count > model->rank || model->row_count == model->rank) return PH_OK;
    if (model->motor_count) return PH_OK; // prescribed motion leaves no freedom, and yet moves
    for (int j = 0; j < model->joint_count; j++) name_list_add(&names, model->joints[j].name);
    name_list_end(&names);
    return error_set(error, PH_BAD_MODEL,
                     "the model is overconstrained and cannot move: joint%s %s: %d rows for %d freedoms",
                     names.count == 1 ? "" : "s", names.text, model->row_count, model->velocity_count);
}

// "use one of: ...", or that there is none.
static void advise_contact(char text[256])
{
    name_list names = {0};
    for (int k = 0; schemes[k]; k++)
        if (schemes[k]->traits & PH_HAS_CONTACT) name_list_add(&names, schemes[k]->name);
    name_list_end(&names);
    if (names.count)
        snprintf(text, 256, "use %s%.240s", names.count > 1 ? "one of " : "", names.text);
    else
        snprintf(text, 256, "no scheme of this version has contact");
}

static ph_status check_contact(const ph_model *model, const ph_scheme *scheme, ph_error *error)
{
    char advice[256];
    if (scheme->traits & PH_HAS_CONTACT) return PH_OK;
    advise_contact(advice);
    for (int j = 0; j < model->joint_count; j++) {
        const ph_joint_def *def = model->joints[j].def;
        if (def->has_limit_low || def->has_limit_high)
            return error_set(error, PH_NOT_SUPPORTED, "joint '%s' has limits, and scheme '%s' cannot stop it there; %s",
                             model->joints[j].name, scheme->name, advice);
    }
    if (model->has_contact)
        return error_set(error, PH_NOT_SUPPORTED, "bodies of the model collide, and scheme '%s' knows no contact; %s",
                         scheme->name, advice);
    return PH_OK;
}

// What is asked for here goes before what the model says, which holds for its own scheme alone.
static const char *device_of(const ph_model *model, const ph_sim_def *def, const ph_scheme *scheme)
{
    if (def->device) return def->device;
    return model->has_contact && strcmp(scheme->name, "moreau") == 0 ? model->contact.device : NULL;
}

// ---- Life -----------------------------------------------------------------------------------------------------------

ph_status ph_sim_create(const ph_model *model, const ph_sim_def *def, ph_sim **sim, ph_error *error)
{
    if (!model || !def || !sim)
        return error_set(error, PH_BAD_ARGUMENT,
                         "ph_sim_create needs a model, a definition and a place for the result");
    *sim = NULL;
    ph_status status = check_def(def, error);
    if (status != PH_OK) return status;
    const ph_scheme *scheme = NULL;
    scheme_settings settings = {def->tolerance, def->max_iterations, def->threads, {0}};
    status = choose_scheme(model, def, &scheme, settings.options, error);
    if (status == PH_OK) status = check_freedoms(model, error);
    if (status == PH_OK) status = check_contact(model, scheme, error);
    if (status != PH_OK) return status;
    scheme = device_scheme(device_of(model, def, scheme), scheme, error);
    if (!scheme) return error ? error->status : PH_NOT_SUPPORTED;
    ph_sim *made = mem_alloc(&model->allocator, sizeof *made);
    if (!made) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    made->model = model;
    made->scheme = scheme;
    made->settings = settings;
    made->sampler = NULL;
    status = model->samples ? sampler_create(model, &made->sampler, error) : PH_OK;
    if (status == PH_OK) status = scheme->create(model, &settings, &made->self, error);
    if (status != PH_OK) {
        sampler_destroy(made->sampler);
        mem_free(&model->allocator, made);
    } else {
        *sim = made;
    }
    return status;
}

void ph_sim_destroy(ph_sim *sim)
{
    if (!sim) return;
    sim->scheme->destroy(sim->self);
    sampler_destroy(sim->sampler);
    mem_free(&sim->model->allocator, sim);
}

bool scheme_turns_too_far(const ph_state *state, double h, ph_step_report *report)
{
    const double half_turn = 3.14159265358979323846;
    double fastest = 0.0;
    for (int k = 0; k < state->model->moving_count; k++) {
        const ph_vec3 w = state->angular_velocity[state->model->moving[k]];
        fastest = fmax(fastest, w.x * w.x + w.y * w.y + w.z * w.z);
    }
    if (!(fastest * h * h >= half_turn * half_turn)) return false;
    report->advice =
        "a body turns by half a turn or more in this step, which the scheme cannot follow; try a smaller step";
    return true;
}

const char *scheme_advise_shorter(const ph_model *model)
{
    return model->has_contact ? "try a smaller step"
                              : "try a smaller step, or the scheme dop853, which finds its own where the motion "
                                "becomes much faster for a moment";
}

// ---- Steps ----------------------------------------------------------------------------------------------------------

// Step by step, for schemes that know no better.
// What schemes say of the contacts of one step goes into the report of all.
static void add_contacts(ph_step_report *all, const ph_step_report *one)
{
    all->contacts = one->contacts > all->contacts ? one->contacts : all->contacts;
    all->contact_iterations += one->contact_iterations;
    all->contact_residual = ph_max(all->contact_residual, one->contact_residual);
    all->contact_missed += one->contact_missed;
    all->penetration = ph_max(all->penetration, one->penetration);
    all->contact_solver = one->contact_solver;
    if (one->contact_solver) all->solver_steps[contact_solver_index(one->contact_solver)]++;
    all->growths += one->growths;
}

static void show_contacts(ph_step_report *report, const ph_step_report *all)
{
    report->contacts = all->contacts;
    report->contact_iterations = all->contact_iterations;
    report->contact_residual = all->contact_residual;
    report->contact_missed = all->contact_missed;
    report->penetration = all->penetration;
    report->contact_solver = all->contact_solver;
    memcpy(report->solver_steps, all->solver_steps, sizeof all->solver_steps);
    report->growths = all->growths;
}

static ph_status make_steps(ph_sim *sim, ph_state *state, double h, long long count, ph_step_report *report)
{
    long long iterations = 0;
    ph_step_report all = {0};
    const ph_step_report none = {0};
    ph_status status = PH_OK;
    for (long long k = 0; k < count && status == PH_OK; k++) {
        const double start = state->time;
        report->time = start;
        show_contacts(report, &none);
        status = sim->scheme->step(sim->self, state, h, report);
        add_contacts(&all, report);
        if (status != PH_OK) break;
        state->time = start;
        state_end_step(state, h);
        iterations += report->iterations;
        report->steps = k + 1;
    }
    show_contacts(report, &all);
    if (status == PH_OK) report->iterations = iterations;
    return status;
}

// All steps of a call. Where a body may fall flat, or sensors and delays act back, it is asked before each of them.
static ph_status advance(ph_sim *sim, ph_state *state, double h, long long count, ph_step_report *report)
{
    const ph_scheme *scheme = sim->scheme;
    const bool flat = model_may_fall_flat(sim->model);
    if (!flat && !sim->sampler)
        return scheme->advance ? scheme->advance(sim->self, state, h, count, report)
                               : make_steps(sim, state, h, count, report);
    long long iterations = 0;
    for (long long k = 0; k < count; k++) {
        if (flat && state_falls_flat(state, h, report)) return PH_SINGULAR;
        if (sim->sampler) sampler_sample(sim->sampler, state);
        const ph_status status =
            scheme->advance ? scheme->advance(sim->self, state, h, 1, report) : make_steps(sim, state, h, 1, report);
        report->steps = status == PH_OK ? k + 1 : k;
        report->iterations = iterations += report->iterations;
        if (status != PH_OK) return status;
    }
    return PH_OK;
}

ph_status ph_sim_advance(ph_sim *sim, ph_state *state, double h, long long count, ph_step_report *report)
{
    ph_step_report own;
    if (!report) report = &own;
    *report = (ph_step_report){.status = PH_BAD_ARGUMENT, .step = h, .worst_joint = PH_NONE};
    if (!sim || !state || state->model != sim->model || !isfinite(h) || h == 0.0 || count < 1) {
        report->advice =
            "give a sim and a state of the same model, a finite step that is not zero and at least one of it";
        return PH_BAD_ARGUMENT;
    }
    report->time = state->time;
    if (state->touched) state_place_rotors(state);
    if (state->touched && !state_check_joints(state, report)) return report->status;
    report->status = advance(sim, state, h, count, report);
    if (report->status != PH_OK && value_check(state, h, sim->advice, sizeof sim->advice)) {
        report->status = PH_NOT_FINITE;
        report->advice = sim->advice;
    } else if ((report->status == PH_NO_CONVERGENCE || report->status == PH_SINGULAR) &&
               dead_point(state, h, sim->advice, sizeof sim->advice)) {
        report->advice = sim->advice;
    }
    if (report->steps > 0 && !(sim->scheme->traits & PH_HAS_CONTACT)) state_set_contacts(state, 0, 0);
    if (report->steps > 0) {
        state->stops_act = (sim->scheme->traits & PH_HAS_CONTACT) != 0;
        state_keep_left(state);
    }
    return report->status;
}

ph_status ph_sim_step(ph_sim *sim, ph_state *state, double h, ph_step_report *report)
{
    return ph_sim_advance(sim, state, h, 1, report);
}

bool ph_sim_has_multipliers(const ph_sim *sim)
{
    return sim && sim->scheme->multipliers;
}

ph_status ph_sim_multipliers(ph_sim *sim, const ph_state *state, double h, ph_mat3 *Lambda)
{
    if (!sim || !state || !Lambda || state->model != sim->model || !isfinite(h) || h == 0.0) return PH_BAD_ARGUMENT;
    return sim->scheme->multipliers ? sim->scheme->multipliers(sim->self, state, h, Lambda) : PH_NOT_SUPPORTED;
}

ph_status ph_sim_contact_problem(ph_sim *sim, const ph_state *state, double h, ph_fc_problem **problem, ph_error *error)
{
    if (!sim || !state || !problem || state->model != sim->model || !isfinite(h) || !(h > 0.0))
        return error_set(error, PH_BAD_ARGUMENT, "a contact problem needs a state of the model and a positive step");
    *problem = NULL;
    if (!sim->scheme->problem)
        return error_set(error, PH_NOT_SUPPORTED, "scheme '%s' has no contact problem; use moreau", sim->scheme->name);
    return sim->scheme->problem(sim->self, state, h, problem, error);
}

bool ph_sim_has_quaternions(const ph_sim *sim)
{
    return sim && sim->scheme->quaternions;
}

ph_status ph_sim_quaternions(ph_sim *sim, const ph_state *state, double h, ph_quaternion *out)
{
    if (!sim || !state || !out || state->model != sim->model || !isfinite(h) || h == 0.0) return PH_BAD_ARGUMENT;
    return sim->scheme->quaternions ? sim->scheme->quaternions(sim->self, state, h, out) : PH_NOT_SUPPORTED;
}

int ph_step_report_format(const ph_step_report *report, const ph_model *model, char *text, size_t size)
{
    if (!report) return 0;
    if (report->status == PH_OK)
        return snprintf(text, size, "step at t = %.9g done in %lld iterations", report->time, report->iterations);
    char where[160] = "";
    if (report->status == PH_BAD_STATE) return state_check_format(report, model, text, size);
    if (model && report->worst_joint >= 0 && report->worst_joint < model->joint_count)
        snprintf(where, sizeof where, ", worst joint '%s' (off by %.3g)", model->joints[report->worst_joint].name,
                 report->worst_row);
    char solver[120] = "";
    if (report->iterations > 0)
        snprintf(solver, sizeof solver, ": after %lld iterations the last update was %.3g of the velocities",
                 report->iterations, report->residual);
    return snprintf(text, size, "%s at t = %.9g with step %.6g%s%s; %s", ph_status_text(report->status), report->time,
                    report->step, solver, where, report->advice ? report->advice : "try a smaller step");
}

// ---- What there is --------------------------------------------------------------------------------------------------

int ph_scheme_count(void)
{
    int count = 0;
    while (schemes[count]) count++;
    return count;
}

ph_scheme_info ph_scheme_get(int index)
{
    if (index < 0 || index >= ph_scheme_count()) return (ph_scheme_info){0};
    const ph_scheme *s = schemes[index];
    return (ph_scheme_info){s->name, s->title, s->reference, s->aliases, s->order, s->traits};
}

int ph_scheme_options(int scheme)
{
    int count = 0;
    if (scheme < 0 || scheme >= ph_scheme_count()) return 0;
    while (count < SCHEME_OPTIONS_MAX && schemes[scheme]->options[count].name) count++;
    return count;
}

ph_scheme_option ph_scheme_option_get(int scheme, int option)
{
    if (option < 0 || option >= ph_scheme_options(scheme)) return (ph_scheme_option){0};
    return schemes[scheme]->options[option];
}

int ph_scheme_find(const char *name)
{
    return name ? find_scheme(name, strlen(name)) : PH_NONE;
}
