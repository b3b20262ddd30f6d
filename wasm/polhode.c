// The core in a browser: what JavaScript calls (npm/src/core.ts). One thread, models from JSON, files of shapes as the caller
// hands them in (its WASI functions read them from memory).
//
// A handle is a pointer; texts are UTF-8 with a zero at the end. A call that fails gives 0 and leaves its sentence in
// polhode_failure.

#include "live/live.h"

#include "polhode/io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

static char failure[2048];
static size_t frame_bytes;

// ---- Memory and mistakes --------------------------------------------------------------------------------------------

void *EXPORT(polhode_allocate)(size_t bytes)
{
    return malloc(bytes ? bytes : 1);
}

void EXPORT(polhode_release)(void *block)
{
    free(block);
}

const char *EXPORT(polhode_failure)(void)
{
    return failure;
}

const char *EXPORT(polhode_version)(void)
{
    return ph_version();
}

// All mistakes, as the program prints them.
static void keep_problems(const ph_problems *problems)
{
    size_t used = 0;
    for (int i = 0; i < ph_problems_count(problems) && used + 1 < sizeof failure; i++) {
        const ph_problem *p = ph_problems_get(problems, i);
        if (p->severity != PH_ERROR) continue;
        const int length = ph_problem_format(p, failure + used, sizeof failure - used);
        used += (size_t)length < sizeof failure - used ? (size_t)length : sizeof failure - used - 1;
    }
}

// ---- Models ---------------------------------------------------------------------------------------------------------

// `settings`: lines "name=value"; cut into them here.
static int split(char *settings, ph_setting *to, int room)
{
    int count = 0;
    for (char *line = strtok(settings, "\n"); line && count < room; line = strtok(NULL, "\n")) {
        char *equals = strchr(line, '=');
        if (!equals) continue;
        *equals = '\0';
        to[count++] = (ph_setting){line, equals + 1};
    }
    return count;
}

ph_model *EXPORT(polhode_model)(const char *text, size_t length, const char *name, char *settings)
{
    ph_setting list[LIVE_SETTINGS];
    const int count = split(settings, list, LIVE_SETTINGS);
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL;
    ph_model *model = NULL;
    snprintf(failure, sizeof failure, "out of memory");
    const bool made = ph_spec_read_text(text, length, name, list, count, problems, &spec) == PH_OK &&
                      ph_model_compile(spec, problems, &model) == PH_OK;
    if (!made) keep_problems(problems);
    ph_spec_destroy(spec);
    ph_problems_destroy(problems);
    return made ? model : NULL;
}

void EXPORT(polhode_model_destroy)(ph_model *model)
{
    ph_model_destroy(model);
}

// ---- A simulation ---------------------------------------------------------------------------------------------------

ph_live *EXPORT(polhode_live)(const ph_model *model, const char *scheme, double step)
{
    ph_live_def def = ph_default_live();
    ph_live *live = NULL;
    ph_error error = {.text = "out of memory"};
    def.scheme = *scheme ? scheme : NULL;
    def.step = step;
    if (ph_live_create(model, &def, &live, &error) == PH_OK) return live;
    snprintf(failure, sizeof failure, "%s", error.text);
    return NULL;
}

void EXPORT(polhode_live_destroy)(ph_live *live)
{
    ph_live_destroy(live);
}

int EXPORT(polhode_command)(ph_live *live, const char *text)
{
    return ph_live_command(live, text);
}

int EXPORT(polhode_advance)(ph_live *live, double clock, double most)
{
    return (int)ph_live_advance(live, clock, most);
}

// Steps one by one; fewer than `count` when one fails.
int EXPORT(polhode_step)(ph_live *live, int count)
{
    ph_step_report report;
    for (int i = 0; i < count; i++) {
        if (ph_sim_step(live->sim, live->state, live->step, &report) == PH_OK) continue;
        ph_step_report_format(&report, live->model, failure, sizeof failure);
        return i;
    }
    return count;
}

const void *EXPORT(polhode_frame)(ph_live *live)
{
    return ph_live_frame(live, &frame_bytes);
}

size_t EXPORT(polhode_frame_bytes)(void)
{
    return frame_bytes;
}

const char *EXPORT(polhode_describe)(ph_live *live)
{
    return ph_live_describe(live);
}

const char *EXPORT(polhode_news)(ph_live *live)
{
    return ph_live_news(live);
}

int EXPORT(polhode_paused)(const ph_live *live)
{
    return ph_live_paused(live);
}

int EXPORT(polhode_unseen)(const ph_live *live)
{
    return ph_live_unseen(live);
}

// ---- The state ------------------------------------------------------------------------------------------------------

double EXPORT(polhode_time)(const ph_live *live)
{
    return live->state->time;
}

int EXPORT(polhode_bodies)(const ph_live *live)
{
    return live->model->body_count;
}

// position, orientation (w, x, y, z), velocity, angular velocity: 0 to 3; inputs: 4
double *EXPORT(polhode_array)(ph_live *live, int which)
{
    ph_state *s = live->state;
    double *const arrays[] = {(double *)s->position, (double *)s->orientation, (double *)s->velocity,
                              (double *)s->angular_velocity, s->inputs};
    return which >= 0 && which < 5 ? arrays[which] : NULL;
}

void EXPORT(polhode_touch)(ph_live *live)
{
    ph_state_touch(live->state);
}
