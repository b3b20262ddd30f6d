// Which variables an FMU has: settings of the run, parameters and inputs of the model, coordinates and rates of its joints, and
// what else was asked for.

#include "io/fmu/fmu.h"

#include "base/error.h"
#include "model/model.h"
#include "polhode/adjoint.h"

#include <stdio.h>
#include <string.h>

static fmu_variable *add(fmu_list *list, fmu_variable v)
{
    if (list->failed || !mem_reserve(NULL, &list->variables, &list->capacity, list->count + 1, sizeof v)) {
        list->failed = true;
        return NULL;
    }
    v.name = arena_copy_string(list->memory, v.name);
    v.inner = arena_copy_string(list->memory, v.inner ? v.inner : v.name);
    v.unit = v.unit ? v.unit : "";
    v.about = v.about ? v.about : "";
    list->failed = !v.name || !v.inner;
    list->variables[list->count++] = v;
    return &list->variables[list->count - 1];
}

static bool has(const fmu_list *list, const char *name)
{
    for (int i = 0; i < list->count; i++) {
        if (strcmp(list->variables[i].name, name) == 0) return true;
    }
    return false;
}

bool fmu_is_output(const fmu_variable *v)
{
    return v->kind >= FMU_QUANTITY;
}

// ---- What every model shows -----------------------------------------------------------------------------------------

static void add_settings(fmu_list *list)
{
    const ph_model *m = list->model;
    bool taken = false; // by a parameter or input
    for (int i = 0; i < ph_model_parameters(m); i++) taken |= strcmp(ph_model_parameter(m, i).name, "time") == 0;
    for (int i = 0; i < ph_model_inputs(m); i++) taken |= strcmp(m->inputs[i].name, "time") == 0;
    add(list, (fmu_variable){.kind = FMU_TIME, .name = taken ? "run.time" : "time", .unit = "s"});
    add(list,
        (fmu_variable){
            .kind = FMU_STEP, .name = "run.step", .unit = "s", .about = "length of a time step", .start = list->step});
    add(list,
        (fmu_variable){.kind = FMU_SCHEME, .name = "run.scheme", .inner = list->scheme, .about = "integration scheme"});
    for (int i = 0; i < ph_model_parameters(m); i++) {
        const ph_parameter_info p = ph_model_parameter(m, i);
        add(list, (fmu_variable){.kind = FMU_PARAMETER, .name = p.name, .start = p.value});
    }
    for (int i = 0; i < ph_model_inputs(m); i++) {
        add(list, (fmu_variable){.kind = FMU_INPUT, .name = m->inputs[i].name, .start = m->inputs[i].start});
    }
}

static void add_coordinate(fmu_list *list, const joint *j, int k, const char *what, const char *unit)
{
    char name[256];
    if (j->coordinate_count > 1)
        snprintf(name, sizeof name, "joints.%s.%s.%d", j->name, what, k + 1);
    else
        snprintf(name, sizeof name, "joints.%s.%s", j->name, what);
    add(list, (fmu_variable){.kind = FMU_QUANTITY, .name = name, .unit = unit});
}

static void add_joints(fmu_list *list)
{
    for (int i = 0; i < list->model->joint_count; i++) {
        const joint *j = &list->model->joints[i];
        for (int k = 0; k < j->coordinate_count; k++) {
            const bool slide = j->coordinates[k].kind == COORDINATE_SLIDE;
            add_coordinate(list, j, k, "coordinate", slide ? "m" : "rad");
            add_coordinate(list, j, k, "rate", slide ? "m/s" : "rad/s");
        }
    }
}

// ---- What was asked for ---------------------------------------------------------------------------------------------

typedef struct group {
    const char *name, *parts, *unit; // letters of its components; NULL: it has none
} group;

static const group groups[] = {
    {"position", "xyz", "m"},    {"velocity", "xyz", "m/s"}, {"angular_velocity", "xyz", "rad/s"},
    {"orientation", "wxyz", ""}, {"axis_x", "xyz", ""},      {"axis_y", "xyz", ""},
    {"axis_z", "xyz", ""},       {"speed", NULL, "m/s"},     {"angular_speed", NULL, "rad/s"},
};
enum { GROUPS = sizeof groups / sizeof *groups };

static bool ends_with(const char *name, const char *end)
{
    const size_t n = strlen(name), m = strlen(end);
    return n > m + 1 && name[n - m - 1] == '.' && strcmp(name + n - m, end) == 0;
}

// The group that "rod2.position" or "rod2.position.x" belongs to; *whole: it stands for all components.
static const group *find_group(const char *name, bool *whole)
{
    for (int k = 0; k < GROUPS; k++) {
        char part[32];
        if (ends_with(name, groups[k].name)) return *whole = groups[k].parts, &groups[k];
        for (const char *c = groups[k].parts; c && *c; c++) {
            snprintf(part, sizeof part, "%s.%c", groups[k].name, *c);
            if (ends_with(name, part)) return *whole = false, &groups[k];
        }
    }
    return *whole = false, NULL;
}

static ph_status add_quantity(fmu_list *list, const char *name, const char *unit, ph_error *error)
{
    ph_observables *known = NULL;
    const ph_status status = ph_observables_create(list->model, 1, &name, &known, error);
    ph_observables_destroy(known);
    if (status == PH_NOT_FOUND) return error_set(error, PH_NOT_FOUND, "there is no quantity '%.100s' to put out", name);
    if (status == PH_OK && !has(list, name))
        add(list, (fmu_variable){.kind = FMU_QUANTITY, .name = name, .unit = unit});
    return status;
}

static bool add_energy(fmu_list *list, const char *name)
{
    static const char *const all[4] = {"energy.kinetic", "energy.potential", "energy.work", "energy.total"};
    bool found = false;
    for (int k = 0; k < 4; k++) {
        if (strcmp(name, "energy") != 0 && strcmp(name, all[k]) != 0) continue;
        if (!has(list, all[k])) add(list, (fmu_variable){.kind = FMU_ENERGY, .name = all[k], .unit = "J", .index = k});
        found = true;
    }
    return found;
}

static bool add_reaction(fmu_list *list, const char *name)
{
    static const char *const parts[6] = {"force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z"};
    bool found = false;
    for (int i = 0; i < list->model->joint_count; i++) {
        for (int k = 0; k < 6; k++) {
            char full[256], part[256];
            snprintf(full, sizeof full, "joints.%s.%s", list->model->joints[i].name, parts[k]);
            snprintf(part, sizeof part, "%.*s", (int)(strlen(full) - 2), full);
            if (strcmp(name, full) != 0 && strcmp(name, part) != 0) continue;
            const fmu_variable v = {.kind = FMU_REACTION,
                                    .name = full,
                                    .inner = list->model->joints[i].name,
                                    .unit = k < 3 ? "N" : "N.m",
                                    .index = k};
            if (!has(list, full)) add(list, v);
            found = true;
        }
    }
    return found;
}

static ph_status add_output(fmu_list *list, const char *name, ph_error *error)
{
    bool whole;
    if (add_energy(list, name) || add_reaction(list, name) || has(list, name)) return PH_OK;
    if (strcmp(name, "contacts.count") == 0 || strcmp(name, "contacts") == 0) {
        add(list, (fmu_variable){.kind = FMU_CONTACTS, .name = "contacts.count", .about = "contact points"});
        return PH_OK;
    }
    const group *g = find_group(name, &whole);
    ph_status status = whole || !g ? PH_OK : add_quantity(list, name, g->unit, error);
    for (const char *c = whole ? g->parts : ""; *c && status == PH_OK; c++) {
        char full[256];
        snprintf(full, sizeof full, "%.240s.%c", name, *c);
        status = add_quantity(list, full, g->unit, error);
    }
    return g ? status : add_quantity(list, name, "", error);
}

// A model without joints shows where its bodies are, as far as they are few.
static ph_status add_bodies(fmu_list *list, ph_error *error)
{
    enum { FEW = 100 };
    ph_status status = PH_OK;
    for (int i = 0; i < ph_model_bodies(list->model) && i < FEW && status == PH_OK; i++) {
        char name[256];
        if (ph_model_body(list->model, i).fixed) continue;
        snprintf(name, sizeof name, "%s.position", ph_model_body(list->model, i).name);
        status = add_output(list, name, error);
        snprintf(name, sizeof name, "%s.orientation", ph_model_body(list->model, i).name);
        status = status == PH_OK ? add_output(list, name, error) : status;
    }
    return status;
}

ph_status fmu_list_make(fmu_list *list, const ph_model *model, const ph_fmu_def *def, ph_error *error)
{
    const ph_run_settings *run = ph_model_run_settings(model);
    *list = (fmu_list){.model = model,
                       .memory = arena_create(NULL),
                       .scheme = def->scheme   ? def->scheme
                                 : run->scheme ? run->scheme
                                               : "rattlie",
                       .step = def->step > 0.0 ? def->step : run->step};
    list->failed = !list->memory;
    if (!(list->step > 0.0))
        return error_set(error, PH_BAD_ARGUMENT, "no step is given, neither here nor by the model");
    add_settings(list);
    add_joints(list);
    const int fixed = list->count;
    ph_status status = PH_OK;
    for (int i = 0; i < def->output_count && status == PH_OK; i++) status = add_output(list, def->outputs[i], error);
    if (status == PH_OK && list->count == fixed && !fmu_is_output(&list->variables[fixed - 1])) {
        status = add_bodies(list, error);
    }
    return list->failed ? error_set(error, PH_OUT_OF_MEMORY, "out of memory") : status;
}

void fmu_list_free(fmu_list *list)
{
    mem_free(NULL, list->variables);
    arena_destroy(list->memory);
    *list = (fmu_list){0};
}

// ---- For the runtime ------------------------------------------------------------------------------------------------

void fmu_put_variables(page_text *t, const fmu_list *list, const char *token, const char *settings)
{
    static const char *const words[] = {"time",     "step",   "scheme",   "parameter", "input",
                                        "quantity", "energy", "reaction", "contacts"};
    char line[512];
    snprintf(line, sizeof line, "polhode 1\ntoken %s\nmodel model.json\n", token);
    put_text(t, line);
    for (const char *s = settings; s && *s;) { // lines "name=value"
        const size_t length = strcspn(s, "\n");
        put_text(t, "setting ");
        put_raw(t, s, length);
        put_text(t, "\n");
        s += length + (s[length] == '\n');
    }
    for (int i = 0; i < list->count; i++) {
        const fmu_variable *v = &list->variables[i];
        const int used = snprintf(line, sizeof line, "%d %s ", i, words[v->kind]);
        if (v->kind == FMU_ENERGY || v->kind == FMU_REACTION) {
            snprintf(line + used, sizeof line - (size_t)used, "%d ", v->index);
        }
        put_text(t, line);
        if (v->kind == FMU_STEP) put_number(t, v->start, 17);
        if (v->kind != FMU_STEP && v->kind != FMU_TIME && v->kind != FMU_CONTACTS) {
            put_text(t, v->inner);
        }
        put_text(t, "\n");
    }
}
