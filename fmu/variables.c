// The variables of the FMU. variables.txt has a line for each, in the order of their value references:
//
//     polhode 1
//     token {...}
//     model model.json
//     0 time
//     1 step 0.001
//     2 scheme rattlie
//     3 parameter l
//     4 input torque
//     5 quantity joints.A.coordinate
//     6 energy 3 total
//     7 reaction 0 A
//     8 contacts

#include "fmu/fmu.h"

#include "base/system.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const words[VARIABLE_KINDS] = {"time",     "step",   "scheme",   "parameter", "input",
                                                  "quantity", "energy", "reaction", "contacts"};

// ---- Numbers --------------------------------------------------------------------------------------------------------

static void exchange(char *text, char from, char to)
{
    char *at = strchr(text, from);
    if (at) *at = to;
}

double number_of(const char *text)
{
    char copy[64];
    snprintf(copy, sizeof copy, "%.60s", text);
    exchange(copy, '.', *localeconv()->decimal_point);
    return strtod(copy, NULL);
}

void number_to(char *text, size_t size, double number)
{
    snprintf(text, size, "%.17g", number);
    exchange(text, *localeconv()->decimal_point, '.');
}

// ---- The list -------------------------------------------------------------------------------------------------------

static bool add(fmu *f, variable v)
{
    variable *larger = realloc(f->variables, ((size_t)f->count + 1) * sizeof *larger);
    if (!larger) return fmu_fail(f, "out of memory");
    f->variables = larger;
    f->variables[f->count++] = v;
    return true;
}

static bool read_line(fmu *f, char *line)
{
    char word[16] = "";
    int number = 0, length = 0;
    variable v = {.kind = VARIABLE_KINDS};
    if (sscanf(line, "%d %15s %n", &number, word, &length) < 2 || number != f->count) {
        return fmu_fail(f, "the list of variables is damaged at '%.80s'", line);
    }
    for (int k = 0; k < VARIABLE_KINDS; k++) {
        if (strcmp(word, words[k]) == 0) v.kind = (variable_kind)k;
    }
    char *rest = line + length;
    if (v.kind == VARIABLE_STEP) v.value = number_of(rest);
    if (v.kind == VARIABLE_ENERGY || v.kind == VARIABLE_REACTION) {
        v.index = (int)strtol(rest, &rest, 10);
        rest += *rest == ' ';
    }
    snprintf(v.name, sizeof v.name, "%.250s", rest);
    return v.kind < VARIABLE_KINDS ? add(f, v) : fmu_fail(f, "unknown kind of variable '%s'", word);
}

static bool take(const char *line, const char *word, char to[FMU_NAME])
{
    const size_t length = strlen(word);
    if (strncmp(line, word, length) != 0 || line[length] != ' ') return false;
    snprintf(to, FMU_NAME, "%.250s", line + length + 1);
    return true;
}

static bool add_setting(fmu *f, const char *line)
{
    if (strncmp(line, "setting ", 8) != 0) return false;
    char(*larger)[2 * FMU_NAME] = realloc(f->settings, ((size_t)f->setting_count + 1) * sizeof *larger);
    if (!larger || f->setting_count == FMU_SETTINGS) return fmu_fail(f, "out of memory");
    f->settings = larger;
    snprintf(f->settings[f->setting_count++], sizeof *larger, "%.500s", line + 8);
    return true;
}

bool variables_read(fmu *f, const char *path, char model_file[FMU_NAME])
{
    char line[2 * FMU_NAME], version[FMU_NAME];
    FILE *file = system_stream(path, "r");
    bool good = file != NULL;
    if (!file) fmu_fail(f, "cannot read '%.300s'", path);
    while (good && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = '\0';
        good = take(line, "polhode", version) || take(line, "token", f->token) || take(line, "model", model_file) ||
               add_setting(f, line) || read_line(f, line);
    }
    if (file) fclose(file);
    return good;
}

// ---- In the model ---------------------------------------------------------------------------------------------------

static bool find_quantities(fmu *f)
{
    const char **names = malloc(((size_t)f->count + 1) * sizeof *names);
    ph_error error = {.text = "out of memory"};
    f->quantity_count = 0;
    for (int i = 0; names && i < f->count; i++) {
        variable *v = &f->variables[i];
        if (v->kind == VARIABLE_QUANTITY) names[v->index = f->quantity_count++] = v->name;
    }
    f->values = calloc((size_t)f->quantity_count + 1, sizeof *f->values);
    bool good = names && f->values;
    if (good && f->quantity_count > 0) {
        good = ph_observables_create(f->model, f->quantity_count, names, &f->quantities, &error) == PH_OK;
    }
    free(names);
    return good || fmu_fail(f, "%s", error.text);
}

bool variables_find(fmu *f)
{
    for (int i = 0; i < f->count; i++) {
        variable *v = &f->variables[i];
        if (v->kind == VARIABLE_INPUT && (v->index = ph_model_find_input(f->model, v->name)) < 0) {
            return fmu_fail(f, "the model has no input '%s'", v->name);
        }
        if (v->kind == VARIABLE_REACTION && (v->joint = ph_model_find_joint(f->model, v->name)) < 0) {
            return fmu_fail(f, "the model has no joint '%s'", v->name);
        }
    }
    return find_quantities(f);
}

// ---- Getting --------------------------------------------------------------------------------------------------------

static double get_quantity(fmu *f, const variable *v)
{
    if (!f->values_known) ph_observables_values(f->quantities, f->state, f->values);
    f->values_known = true;
    return f->values[v->index];
}

static double get_energy(fmu *f, const variable *v)
{
    if (!f->measures_known) ph_observer_measure(f->observer, f->state, &f->measures);
    f->measures_known = true;
    const double all[4] = {f->measures.kinetic, f->measures.potential, f->measures.work, f->measures.total};
    return v->index >= 0 && v->index < 4 ? all[v->index] : 0.0;
}

static bool get_reaction(fmu *f, const variable *v, double *value)
{
    if (!f->reactions_known && ph_observer_dynamics(f->observer, f->state, NULL, f->reactions) != PH_OK) {
        return fmu_fail(f, "the reactions of joint '%s' cannot be computed", v->name);
    }
    f->reactions_known = true;
    const ph_wrench *w = &f->reactions[v->joint];
    const double all[6] = {w->force.x, w->force.y, w->force.z, w->torque.x, w->torque.y, w->torque.z};
    *value = v->index >= 0 && v->index < 6 ? all[v->index] : 0.0;
    return true;
}

bool fmu_get(fmu *f, unsigned reference, double *value)
{
    if (reference >= (unsigned)f->count) return fmu_fail(f, "there is no variable %u", reference);
    const variable *v = &f->variables[reference];
    const bool fixed = v->kind == VARIABLE_STEP || v->kind == VARIABLE_PARAMETER;
    int contacts = 0;
    if (!fixed && !fmu_settle(f)) return false;
    switch (v->kind) {
    case VARIABLE_TIME:
        *value = ph_state_time(f->state);
        return true;
    case VARIABLE_STEP:
        *value = f->step;
        return true;
    case VARIABLE_PARAMETER:
        *value = v->value;
        return true;
    case VARIABLE_INPUT:
        *value = ph_state_inputs(f->state)[v->index];
        return true;
    case VARIABLE_QUANTITY:
        *value = get_quantity(f, v);
        return true;
    case VARIABLE_ENERGY:
        *value = get_energy(f, v);
        return true;
    case VARIABLE_REACTION:
        return get_reaction(f, v, value);
    case VARIABLE_CONTACTS:
        ph_state_contacts(f->state, &contacts);
        *value = contacts;
        return true;
    default:
        return fmu_fail(f, "variable %u is a text", reference);
    }
}

const char *fmu_get_text(fmu *f, unsigned reference)
{
    const bool text = reference < (unsigned)f->count && f->variables[reference].kind == VARIABLE_SCHEME;
    if (!text) fmu_fail(f, "variable %u is no text", reference);
    return text ? f->scheme : NULL;
}

// ---- Setting --------------------------------------------------------------------------------------------------------

bool fmu_set(fmu *f, unsigned reference, double value)
{
    if (reference >= (unsigned)f->count) return fmu_fail(f, "there is no variable %u", reference);
    variable *v = &f->variables[reference];
    const bool fixed = v->kind == VARIABLE_STEP || v->kind == VARIABLE_PARAMETER;
    if (fixed && f->running)
        return fmu_fail(f, "parameter %u can be set before the simulation begins alone", reference);
    switch (v->kind) {
    case VARIABLE_STEP:
        if (!(value > 0.0)) return fmu_fail(f, "the step is %g: it must be positive", value);
        f->step = value;
        return true;
    case VARIABLE_PARAMETER:
        f->stale = f->stale || v->value != value;
        v->value = value;
        return true;
    case VARIABLE_INPUT:
        if (!fmu_settle(f)) return false;
        ph_state_inputs(f->state)[v->index] = value;
        fmu_forget_values(f);
        return true;
    default:
        return fmu_fail(f, "variable %u (%s) cannot be set", reference, v->name);
    }
}

bool fmu_set_text(fmu *f, unsigned reference, const char *text)
{
    if (!fmu_get_text(f, reference)) return false;
    if (f->running) return fmu_fail(f, "the scheme can be set before the simulation begins alone");
    if (strlen(text) >= sizeof f->scheme) return fmu_fail(f, "the name of the scheme is too long");
    f->stale = f->stale || strcmp(f->scheme, text) != 0;
    strcpy(f->scheme, text);
    return true;
}
