// A simulation that somebody watches: it keeps step with the viewer's clock, and the viewer sets what it likes.

#include "live/live.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number_locale.h"
#include "polhode/keyframe.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t LIVE_COOKIE = 0x6c697665u;
static const double STEPS_MOST = 1e5; // in one command
static const double SPEED_MOST = 1e4;

ph_live_def ph_default_live(void)
{
    return (ph_live_def){.cookie = LIVE_COOKIE};
}

void live_say(ph_live *l, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(l->message, sizeof l->message, format, list);
    va_end(list);
    l->changed = true;
}

// ---- Setting up -----------------------------------------------------------------------------------------------------

static ph_status prepare(ph_live *l, ph_error *error)
{
    const ph_run_settings *run = ph_model_run_settings(l->model);
    const char *scheme = l->def.scheme ? l->def.scheme : run->scheme ? run->scheme : "rattlie";
    l->step = l->def.step > 0.0 ? l->def.step : run->step;
    if (!(l->step > 0.0)) return error_set(error, PH_BAD_ARGUMENT, "no step is given, neither here nor by the model");
    if (strlen(scheme) >= sizeof l->scheme) return error_set(error, PH_BAD_ARGUMENT, "the scheme's name is too long");
    strcpy(l->scheme, scheme);
    const int parameters = ph_model_parameters(l->model);
    l->parameters = mem_alloc_array(NULL, (size_t)parameters + 1, sizeof *l->parameters);
    for (int i = 0; l->parameters && i < parameters; i++) l->parameters[i] = (double)NAN;
    l->state = ph_state_create(l->model);
    if (!l->parameters || !l->state || ph_observer_create(l->model, &l->observer) != PH_OK || !live_find_columns(l)) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    return live_make_sim(l, l->model, l->scheme, &l->sim) ? PH_OK : error_set(error, PH_BAD_ARGUMENT, "%s", l->message);
}

ph_status ph_live_create(const ph_model *model, const ph_live_def *def, ph_live **live, ph_error *error)
{
    if (live) *live = NULL;
    if (!model || !def || def->cookie != LIVE_COOKIE || !live) {
        return error_set(error, PH_BAD_ARGUMENT,
                         "ph_live_create needs a model, a definition of ph_default_live and a place");
    }
    ph_live *l = mem_alloc(NULL, sizeof *l);
    if (!l) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    *l = (ph_live){
        .def = *def, .written = model, .model = model, .speed = 1.0, .meet = true, .restarted = true, .changed = true};
    l->pull.body = PH_NONE;
    const ph_status status = prepare(l, error);
    if (status != PH_OK) ph_live_destroy(l);
    if (status == PH_OK) *live = l;
    return status;
}

void ph_live_destroy(ph_live *l)
{
    if (!l) return;
    ph_observer_destroy(l->observer);
    ph_sim_destroy(l->sim);
    ph_state_destroy(l->state);
    ph_model_destroy(l->own);
    live_free_columns(l);
    page_text_free(&l->text);
    mem_free(NULL, l->parameters);
    mem_free(NULL, l);
}

// ---- Moving ---------------------------------------------------------------------------------------------------------

// False when the step failed: then the viewer is told why.
static bool make_step(ph_live *l)
{
    ph_step_report report;
    if (ph_sim_step(l->sim, l->state, l->step, &report) == PH_OK) {
        if (l->def.visit) l->def.visit(l->state, l->observer, false, l->def.user);
        return true;
    }
    char text[LIVE_MESSAGE];
    ph_step_report_format(&report, l->model, text, sizeof text);
    live_say(l, "%s", text);
    l->paused = true;
    return false;
}

// A model that is too slow falls behind the clock.
long long ph_live_advance(ph_live *l, double clock, double most)
{
    if (!l) return 0;
    if (l->meet || l->paused || !(clock >= l->clock))
        l->clock = clock, l->time = ph_state_time(l->state), l->meet = false;
    const double goal = l->time + l->speed * (clock - l->clock), begin = clock_seconds();
    long long steps = 0;
    while (!l->paused && ph_state_time(l->state) + 0.5 * l->step < goal && make_step(l)) {
        steps++;
        l->meet = clock_seconds() - begin > most;
        if (l->meet) break;
    }
    return steps;
}

// ---- What the viewer says -------------------------------------------------------------------------------------------

// `count` numbers, all finite, and nothing else.
static bool read_numbers(const char *text, double *to, int count)
{
    for (int i = 0; i < count; i++) {
        char *end;
        to[i] = strtod(text, &end);
        if (end == text || !isfinite(to[i])) return false;
        text = end;
    }
    return *text == '\0';
}

static bool command_play(ph_live *l, const char *rest)
{
    (void)rest;
    l->paused = false;
    l->message[0] = '\0';
    return l->changed = l->meet = true;
}

static bool command_pause(ph_live *l, const char *rest)
{
    (void)rest;
    l->paused = true;
    return l->changed = true;
}

static bool command_step(ph_live *l, const char *rest)
{
    double count;
    if (!read_numbers(rest, &count, 1) || count < 1.0 || count > STEPS_MOST) return false;
    l->paused = l->changed = true;
    l->message[0] = '\0';
    for (int i = 0; i < (int)count && make_step(l); i++) {}
    return true;
}

static bool command_speed(ph_live *l, const char *rest)
{
    double speed;
    if (!read_numbers(rest, &speed, 1) || speed < 1.0 / SPEED_MOST || speed > SPEED_MOST) return false;
    l->speed = speed;
    return l->changed = l->meet = true;
}

static bool command_reset(ph_live *l, const char *rest)
{
    const int keyframe = *rest ? ph_model_find_keyframe(l->model, rest) : PH_NONE;
    if (*rest && keyframe == PH_NONE) return false;
    live_restart(l, keyframe);
    return true;
}

static bool command_drag(ph_live *l, const char *rest)
{
    double n[7];
    if (!read_numbers(rest, n, 7) || n[0] < 0.0 || n[0] >= ph_model_bodies(l->model) || n[0] != floor(n[0]) ||
        ph_model_body(l->model, (int)n[0]).fixed) {
        return false;
    }
    live_pull_begin(l, (int)n[0], (ph_vec3){n[1], n[2], n[3]}, (ph_vec3){n[4], n[5], n[6]});
    return true;
}

static bool command_release(ph_live *l, const char *rest)
{
    (void)rest;
    live_pull_end(l);
    return true;
}

static bool command_seen(ph_live *l, const char *rest)
{
    (void)rest;
    l->unseen = 0;
    return true;
}

static int find_parameter(const ph_model *model, const char *name)
{
    for (int i = 0; i < ph_model_parameters(model); i++) {
        if (strcmp(ph_model_parameter(model, i).name, name) == 0) return i;
    }
    return PH_NONE;
}

static bool set_parameter(ph_live *l, int index, double value)
{
    const double before = l->parameters[index];
    l->message[0] = '\0';
    l->parameters[index] = value;
    if (live_rebuild(l, true)) return true;
    l->parameters[index] = before;
    return false;
}

// An input acts from the next step on; a parameter makes the model anew.
static bool command_set(ph_live *l, const char *rest)
{
    char name[LIVE_NAME];
    double value;
    const char *space = strrchr(rest, ' ');
    if (!space || space == rest || (size_t)(space - rest) >= sizeof name || !read_numbers(space, &value, 1))
        return false;
    memcpy(name, rest, (size_t)(space - rest));
    name[space - rest] = '\0';
    const int input = ph_model_find_input(l->model, name), parameter = find_parameter(l->written, name);
    if (input != PH_NONE) {
        ph_state_inputs(l->state)[input] = value;
        return l->changed = true;
    }
    return parameter != PH_NONE && set_parameter(l, parameter, value);
}

static bool command_scheme(ph_live *l, const char *rest)
{
    ph_sim *sim = NULL;
    l->message[0] = '\0';
    if (strlen(rest) >= sizeof l->scheme || !live_make_sim(l, l->model, rest, &sim)) return false;
    ph_sim_destroy(l->sim);
    l->sim = sim;
    strcpy(l->scheme, rest);
    ph_state_touch(l->state);
    return l->changed = l->meet = true;
}

static bool command_length(ph_live *l, const char *rest)
{
    double step;
    if (!read_numbers(rest, &step, 1) || !(step > 0.0)) return false;
    l->step = step;
    return l->changed = l->meet = true;
}

// Viewers write a decimal point, whatever the program around us has set.
static bool act_in_numbers(bool (*act)(ph_live *, const char *rest), ph_live *l, const char *rest)
{
    number_locale numbers;
    if (!number_locale_enter(&numbers)) return false;
    const bool good = act(l, rest);
    number_locale_leave(&numbers);
    return good;
}

bool ph_live_command(ph_live *l, const char *text)
{
    static const struct {
        const char *word;
        bool (*act)(ph_live *, const char *rest);
    } known[] = {{"play", command_play},       {"pause", command_pause},  {"step", command_step},
                 {"speed", command_speed},     {"reset", command_reset},  {"drag", command_drag},
                 {"release", command_release}, {"seen", command_seen},    {"set", command_set},
                 {"scheme", command_scheme},   {"length", command_length}};
    if (!l || !text) return false;
    const size_t length = strcspn(text, " ");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strlen(known[i].word) != length || strncmp(text, known[i].word, length) != 0) continue;
        return act_in_numbers(known[i].act, l, text[length] ? text + length + 1 : "");
    }
    return false;
}

// ---- Asking ---------------------------------------------------------------------------------------------------------

bool ph_live_paused(const ph_live *l)
{
    return !l || l->paused;
}

int ph_live_unseen(const ph_live *l)
{
    return l ? l->unseen : 0;
}

const ph_model *ph_live_model(const ph_live *l)
{
    return l ? l->model : NULL;
}

ph_state *ph_live_state(ph_live *l)
{
    return l ? l->state : NULL;
}

const char *ph_live_scheme(const ph_live *l)
{
    return l ? l->scheme : "";
}

double ph_live_step(const ph_live *l)
{
    return l ? l->step : 0.0;
}
