// One instance of the FMU: its model, at the values that its parameters have, and a simulation of it.

#include "fmu/fmu.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool fmu_fail(fmu *f, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(f->failure, sizeof f->failure, format, list);
    va_end(list);
    if (f->log) f->log(f->log_user, true, f->failure);
    return false;
}

void fmu_forget_values(fmu *f)
{
    f->values_known = f->reactions_known = f->measures_known = false;
}

// ---- The model ------------------------------------------------------------------------------------------------------

static bool fail_by_problems(fmu *f, const ph_problems *problems)
{
    char text[FMU_FAILURE] = "out of memory";
    for (int i = 0; i < ph_problems_count(problems); i++) {
        const ph_problem *p = ph_problems_get(problems, i);
        if (p->severity == PH_ERROR) {
            ph_problem_format(p, text, sizeof text);
            break;
        }
    }
    return fmu_fail(f, "%s", text);
}

static void leave_model(fmu *f)
{
    ph_observables_destroy(f->quantities);
    ph_observer_destroy(f->observer);
    ph_event_destroy(f->event);
    ph_sim_destroy(f->sim);
    ph_state_destroy(f->state);
    free(f->values);
    free(f->reactions);
    if (f->model != f->written) ph_model_destroy(f->model);
    f->quantities = NULL, f->observer = NULL, f->event = NULL, f->sim = NULL, f->state = NULL, f->values = NULL;
    f->reactions = NULL, f->model = NULL;
}

// Parameters whose values are not those of the file.
static int collect_settings(const fmu *f, ph_setting *settings, char (*texts)[32], int room)
{
    int count = 0;
    for (int i = 0; i < f->count; i++) {
        const variable *v = &f->variables[i];
        if (v->kind != VARIABLE_PARAMETER || v->value == ph_model_parameter(f->written, v->index).value) continue;
        if (count == room) return -1;
        number_to(texts[count], sizeof texts[count], v->value);
        settings[count] = (ph_setting){v->name, texts[count]};
        count++;
    }
    return count;
}

static bool make_model(fmu *f)
{
    enum { ROOM = 300 };
    ph_setting settings[ROOM];
    char texts[ROOM][32];
    const int count = collect_settings(f, settings, texts, ROOM);
    f->model = f->written;
    if (count == 0) return true;
    if (count < 0) return fmu_fail(f, "more than %d parameters are set", ROOM);
    ph_problems *problems = ph_problems_create();
    const ph_status status = ph_model_again(f->written, settings, count, problems, &f->model);
    if (status != PH_OK) {
        f->model = NULL;
        fail_by_problems(f, problems);
    }
    ph_problems_destroy(problems);
    return status == PH_OK;
}

static bool make_simulation(fmu *f)
{
    ph_sim_def def = ph_default_sim();
    ph_error error = {.text = "out of memory"};
    const char *stop = ph_model_run_settings(f->model)->stop_when;
    def.scheme = f->scheme;
    f->state = ph_state_create(f->model);
    f->reactions = calloc((size_t)ph_model_joints(f->model) + 1, sizeof *f->reactions);
    const bool made = f->state && f->reactions && ph_sim_create(f->model, &def, &f->sim, &error) == PH_OK &&
                      (!stop || ph_event_create(f->model, stop, &f->event, &error) == PH_OK) &&
                      ph_check_overlaps(f->model, f->state, &error) == PH_OK &&
                      ph_observer_create(f->model, &f->observer) == PH_OK;
    if (!made) fmu_fail(f, "%s", error.text);
    return made;
}

static void keep_inputs(fmu *f, const double *inputs, int count)
{
    for (int i = 0; i < count && i < ph_model_inputs(f->model); i++) ph_state_inputs(f->state)[i] = inputs[i];
}

bool fmu_settle(fmu *f)
{
    if (!f->stale) return true;
    const int count = f->state ? ph_model_inputs(f->model) : 0;
    double *inputs = count ? malloc((size_t)count * sizeof *inputs) : NULL;
    if (inputs) memcpy(inputs, ph_state_inputs(f->state), (size_t)count * sizeof *inputs);
    leave_model(f);
    fmu_forget_values(f);
    const bool made = make_model(f) && make_simulation(f) && variables_find(f);
    if (made && inputs) keep_inputs(f, inputs, count);
    if (made && f->start != 0.0) ph_state_set_time(f->state, f->start);
    free(inputs);
    f->stale = !made;
    f->touching = 0;
    return made;
}

// ---- The instance ---------------------------------------------------------------------------------------------------

static bool read_model(fmu *f, const char *path)
{
    ph_problems *problems = ph_problems_create();
    ph_setting settings[FMU_SETTINGS];
    for (int i = 0; i < f->setting_count; i++) {
        char *equals = strchr(f->settings[i], '=');
        if (!equals) return fmu_fail(f, "the list of variables is damaged at '%.80s'", f->settings[i]);
        *equals = '\0';
        settings[i] = (ph_setting){f->settings[i], equals + 1};
    }
    const ph_status status = ph_model_read_file(path, settings, f->setting_count, problems, &f->written);
    if (status != PH_OK) fail_by_problems(f, problems);
    ph_problems_destroy(problems);
    return status == PH_OK;
}

static bool start(fmu *f, const char *folder, const char *token)
{
    char path[4096], file[FMU_NAME];
    snprintf(path, sizeof path, "%s/variables.txt", folder);
    if (!variables_read(f, path, file)) return false;
    if (token && strcmp(token, f->token) != 0) {
        return fmu_fail(f, "the description belongs to another FMU: its token is %s, not %s", token, f->token);
    }
    snprintf(path, sizeof path, "%s/%s", folder, file);
    f->stale = true;
    return read_model(f, path) && fmu_reset(f);
}

fmu *fmu_create(const char *folder, const char *token, char failure[FMU_FAILURE])
{
    fmu *f = calloc(1, sizeof *f);
    if (f && start(f, folder, token)) return f;
    snprintf(failure, FMU_FAILURE, "%s", f ? f->failure : "out of memory");
    fmu_destroy(f);
    return NULL;
}

void fmu_start_at(fmu *f, double time)
{
    f->stale = f->stale || f->start != time;
    f->start = f->reached = time;
}

bool fmu_begin(fmu *f)
{
    f->running = fmu_settle(f);
    return f->running;
}

bool fmu_reset(fmu *f)
{
    f->terminated = false;
    f->reached = 0.0;
    for (int i = 0; i < f->count; i++) {
        variable *v = &f->variables[i];
        if (v->kind == VARIABLE_PARAMETER) {
            for (v->index = ph_model_parameters(f->written) - 1; v->index >= 0; v->index--) {
                if (strcmp(ph_model_parameter(f->written, v->index).name, v->name) == 0) break;
            }
            if (v->index < 0) return fmu_fail(f, "the model has no parameter '%s'", v->name);
            v->value = ph_model_parameter(f->written, v->index).value;
        } else if (v->kind == VARIABLE_STEP) {
            f->step = v->value;
        } else if (v->kind == VARIABLE_SCHEME) {
            snprintf(f->scheme, sizeof f->scheme, "%s", v->name);
        }
    }
    leave_model(f);
    f->stale = true;
    f->running = false;
    f->start = 0.0;
    return fmu_settle(f);
}

void fmu_destroy(fmu *f)
{
    if (!f) return;
    leave_model(f);
    ph_model_destroy(f->written);
    free(f->variables);
    free(f->settings);
    free(f);
}
