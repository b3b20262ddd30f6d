// See differentiate.h.

#include "differentiate.h"

#include "load.h"
#include "terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool split_names(const char *option_name, const char *text, text_list *names, char **copy)
{
    *copy = malloc(strlen(text) + 1);
    if (!*copy) return false;
    strcpy(*copy, text);
    names->count = 0;
    for (char *at = strtok(*copy, ","); at; at = strtok(NULL, ",")) {
        while (*at == ' ') at++;
        if (names->count == TEXT_LIST_MAX) {
            print_error("--%s: more than %d names", option_name, (int)TEXT_LIST_MAX);
            return false;
        }
        names->texts[names->count++] = at;
    }
    if (names->count == 0) print_error("--%s: no name in '%s'", option_name, text);
    return names->count > 0;
}

// ---- Models at other values -----------------------------------------------------------------------------------------

ph_model *model_with(int k, double value, void *user, ph_error *error)
{
    const differential *d = user;
    char setting[320];
    text_list settings = d->settings;
    snprintf(setting, sizeof setting, "%.255s=%.17g", d->list[k].name, value);
    if (settings.count == TEXT_LIST_MAX) return NULL;
    settings.texts[settings.count++] = setting;
    ph_problems *problems = ph_problems_create();
    ph_model *model = load_model_collecting(d->path, &settings, problems);
    for (int i = 0; !model && error && i < ph_problems_count(problems); i++) {
        const ph_problem *p = ph_problems_get(problems, i);
        if (p->severity != PH_ERROR) continue;
        snprintf(error->text, sizeof error->text, "with %.100s = %.6g: %.800s", d->list[k].name, value, p->text);
        break;
    }
    ph_problems_destroy(problems);
    return model;
}

// ---- Parameters -----------------------------------------------------------------------------------------------------

static bool is_file_parameter(const ph_model *model, const char *name, double *value)
{
    for (int k = 0; k < ph_model_parameters(model); k++) {
        const ph_parameter_info info = ph_model_parameter(model, k);
        if (strcmp(info.name, name) == 0) return *value = info.value, true;
    }
    return false;
}

// The start may depend on an input, through a motor: such a model is compiled anew, as one with other parameters.
static bool is_input(const ph_model *model, const char *name, double *value)
{
    return ph_model_find_input(model, name) >= 0 && ph_model_number(model, name, value);
}

static bool find_parameter(differential *d, const char *name)
{
    ph_parameter p = {.name = name};
    if (!is_file_parameter(d->model, name, &p.value) && !is_input(d->model, name, &p.value)) {
        p.number = ph_model_number(d->model, name, &p.value);
        if (!p.number) {
            print_error("--by: '%s' is neither a parameter or input of the model nor one of its numbers (gravity.z, "
                        "BODY.mass, joints.JOINT.damping, forces.FORCE.stiffness)",
                        name);
            if (ph_model_parameters(d->model) > 0) {
                fprintf(stderr, "  parameters:");
                for (int k = 0; k < ph_model_parameters(d->model) && k < 20; k++)
                    fprintf(stderr, " %s", ph_model_parameter(d->model, k).name);
                fprintf(stderr, "\n");
            }
            return false;
        }
    }
    d->list[d->parameter_count++] = p;
    return true;
}

static bool find_parameters(differential *d, const text_list *by)
{
    const int count = by ? by->count : ph_model_parameters(d->model);
    if (count == 0) {
        print_error("%s: the model has no parameters; name numbers of it: --by gravity.z,BODY.mass,...", d->path);
        return false;
    }
    for (int k = 0; k < count && k < NAMES_MAX; k++)
        if (!find_parameter(d, by ? by->texts[k] : ph_model_parameter(d->model, k).name)) return false;
    return true;
}

// ---- Steps ----------------------------------------------------------------------------------------------------------

static bool plan(differential *d, double step, double until)
{
    const ph_run_settings run = *ph_model_run_settings(d->model);
    d->step = step > 0.0 ? step : run.step;
    const double end = until > 0.0 ? until : run.until;
    if (!(d->step > 0.0) || !(end > 0.0)) {
        print_error("%s: the file does not say the %s; give --%s", d->path, d->step > 0.0 ? "end" : "step",
                    d->step > 0.0 ? "until T" : "step H");
        return false;
    }
    const double steps = ceil(end / d->step - 1e-9);
    if (steps > 1e12) {
        print_error("%s: %.3g steps are too many", d->path, steps);
        return false;
    }
    d->steps = (long long)steps;
    if (fabs(steps * d->step - end) > 1e-9 * d->step) d->step = end / steps; // steps of equal length that end there
    return true;
}

static bool make_adjoint(differential *d)
{
    ph_adjoint_def def = ph_default_adjoint();
    ph_error error = {0};
    def.sim.scheme = d->scheme;
    const ph_status status = ph_adjoint_create(d->model, &def, &d->adjoint, &error);
    if (status == PH_OK) {
        if (ph_parameters_create(d->model, d->parameter_count, d->list, model_with, d, &d->parameters, &error) == PH_OK)
            return true;
        print_error("%s: %s", d->path, error.text);
        return false;
    }
    snprintf(d->why, sizeof d->why, "%.500s", error.text);
    ph_sim *sim = NULL; // a scheme that runs, but not backwards
    const bool runs = status == PH_NOT_SUPPORTED && ph_sim_create(d->model, &def.sim, &sim, &error) == PH_OK;
    ph_sim_destroy(sim);
    if (!runs) print_error("%s: %s", d->path, error.text);
    return runs;
}

bool differential_open(differential *d, const char *path, const text_list *settings, const char *scheme,
                       const text_list *by, double step, double until)
{
    *d = (differential){.path = path, .settings = *settings, .scheme = scheme};
    d->model = load_model(path, settings);
    return d->model && find_parameters(d, by) && plan(d, step, until) && make_adjoint(d);
}

void differential_close(differential *d)
{
    ph_parameters_destroy(d->parameters);
    ph_adjoint_destroy(d->adjoint);
    ph_model_destroy(d->model);
}

int report_parameters(const differential *d)
{
    int missing = 0;
    for (int k = 0; k < d->parameter_count && d->parameters; k++) {
        const char *problem = ph_parameters_problem(d->parameters, k), *name = d->list[k].name;
        if (problem && d->by_runs[k]) {
            fprintf(stderr, "polhode: %s: by differences of whole runs, as %s\n", name, problem);
            continue;
        }
        missing += problem != NULL;
        if (problem) print_error("there is no derivative by '%s', which cannot change alone: %s", name, problem);
        if (ph_parameters_idle(d->parameters, k))
            fprintf(stderr, "polhode: nothing in the motion depends on '%s'\n", name);
        if (ph_parameters_error(d->parameters, k) > 1e-9)
            fprintf(stderr,
                    "polhode: the model does not depend smoothly on '%s': its derivative is uncertain by %.1g\n", name,
                    ph_parameters_error(d->parameters, k));
    }
    return missing;
}

// ---- Runs -----------------------------------------------------------------------------------------------------------

long long shown_nodes(const differential *d, long long every)
{
    return 1 + d->steps / every + (d->steps % every != 0);
}

static ph_status step_through(const differential *d, const ph_model *model, ph_sim *sim, const text_list *of,
                              long long every, double *values, ph_error *error)
{
    ph_observables *o = NULL;
    ph_step_report report = {0};
    ph_status status = ph_observables_create(model, of->count, of->texts, &o, error);
    ph_state *state = ph_state_create(model);
    if (status == PH_OK) ph_observables_values(o, state, values);
    for (long long n = 0; n < d->steps && status == PH_OK; n++) {
        status = ph_sim_step(sim, state, d->step, &report);
        if (status != PH_OK) ph_step_report_format(&report, model, error->text, sizeof error->text);
        if (status == PH_OK && ((n + 1) % every == 0 || n + 1 == d->steps))
            ph_observables_values(o, state, values += of->count);
    }
    ph_state_destroy(state);
    ph_observables_destroy(o);
    return status;
}

bool run_quantities(const differential *d, int k, double value, const text_list *of, long long every, double *values,
                    ph_error *error)
{
    ph_model *own = NULL;
    if (k >= 0 && d->list[k].number)
        ph_model_at(d->model, 1, &d->list[k].name, &value, &own, error);
    else if (k >= 0)
        own = model_with(k, value, (void *)d, error);
    const ph_model *model = k < 0 ? d->model : own;
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    def.scheme = d->scheme;
    bool ok = model && ph_sim_create(model, &def, &sim, error) == PH_OK;
    ok = ok && step_through(d, model, sim, of, every, values, error) == PH_OK;
    ph_sim_destroy(sim);
    ph_model_destroy(own);
    return ok;
}

enum { LEVELS = 3 };

// (f(value + s) - f(value - s)) / 2s for s, s/2 ...; of one side, (f(value + s) - f(value)) / s. false: a run fails.
static bool differences(const differential *d, int k, int side, const text_list *of, long long every, double *rows,
                        size_t count, ph_error *error)
{
    double *plus = rows + LEVELS * count, *minus = plus + count;
    const double value = d->list[k].value;
    double s = value != 0.0 ? 2e-3 * fabs(value) : 2e-3;
    for (int level = 0; level < LEVELS; level++, s *= 0.5) {
        const double up = side < 0 ? value : value + s, down = side > 0 ? value : value - s;
        if (!run_quantities(d, k, up, of, every, plus, error) || !run_quantities(d, k, down, of, every, minus, error))
            return false;
        for (size_t i = 0; i < count; i++) rows[(size_t)level * count + i] = (plus[i] - minus[i]) / (up - down);
    }
    return true;
}

// Extrapolated, two powers taken away: even ones, and all of those of one side, where there are no models on the other.
bool differentiate_runs(const differential *d, int k, const text_list *of, long long every, double *derivatives,
                        ph_error *error)
{
    const size_t count = (size_t)shown_nodes(d, every) * (size_t)of->count;
    double *rows = malloc((2 + LEVELS) * count * sizeof *rows);
    if (!rows) {
        snprintf(error->text, sizeof error->text, "out of memory");
        return false;
    }
    ph_error ignored;
    int side = 0;
    bool ok = differences(d, k, 0, of, every, rows, count, error);
    for (int other = 1; other >= -1 && !ok; other -= 2)
        if ((ok = differences(d, k, other, of, every, rows, count, &ignored))) side = other;
    const double power = side == 0 ? 4.0 : 2.0;
    for (size_t i = 0; i < count && ok; i++) {
        const double a = rows[i], b = rows[count + i], c = rows[2 * count + i];
        const double ab = b + (b - a) / (power - 1.0), bc = c + (c - b) / (power - 1.0);
        derivatives[i] = bc + (bc - ab) / (power * power - 1.0);
    }
    free(rows);
    return ok;
}
