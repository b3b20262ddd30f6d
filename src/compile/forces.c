// Force elements: bodies, joints, numbers and expressions; and what joints do along their own coordinate.

#include "compile/compile.h"

#include "forces/callback.h"
#include "math/quat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Expressions ----------------------------------------------------------------------------------------------------

typedef struct scope {
    const ph_model *model;
    int count;
    variable *variables; // VALUE_VARIABLES_MAX
    bool too_many;
    ph_model *making; // the model while it is compiled; NULL: it is finished
} scope;

static bool same_variable(const variable *a, const variable *b)
{
    return a->kind == b->kind && a->input == b->input && a->joint == b->joint;
}

static int enter_variable(scope *s, variable wanted)
{
    for (int k = 0; k < s->count; k++) {
        if (same_variable(&s->variables[k], &wanted)) {
            return k;
        }
    }
    if (s->count == VALUE_VARIABLES_MAX) {
        s->too_many = true;
        return -1;
    }
    s->variables[s->count] = wanted;
    return s->count++;
}

// sensor.<name>, of a model in the making: what it read at the start of the step. held.h<n>: the same of a delay.
static int look_up_held(scope *s, const char *name)
{
    sensor *found;
    int component;
    if (!s->making) return -1;
    if (strncmp(name, "held.h", 6) == 0)
        return enter_variable(s, (variable){.kind = VARIABLE_INPUT, .input = atoi(name + 6)});
    if (strncmp(name, "sensor.", 7) != 0 || !compile_find_sensor(s->making, name + 7, &found, &component)) return -1;
    found->used = s->making->samples = true;
    return enter_variable(s, (variable){.kind = VARIABLE_INPUT, .input = found->held + component});
}

// t, an input, q.<joint>, qd.<joint> or a sensor
static int look_up(const char *name, double *constant, void *user)
{
    *constant = 0.0; // of no use: nothing here is one
    scope *s = user;
    if (strcmp(name, "t") == 0) {
        return enter_variable(s, (variable){.kind = VARIABLE_TIME});
    }
    const bool rate = strncmp(name, "qd.", 3) == 0;
    if (rate || strncmp(name, "q.", 2) == 0) {
        const int index = names_find(&s->model->joint_names, name + (rate ? 3 : 2));
        if (index < 0 || s->model->joints[index].coordinate_count == 0) {
            return -1;
        }
        return enter_variable(
            s, (variable){.kind = rate ? VARIABLE_RATE : VARIABLE_COORDINATE, .joint = &s->model->joints[index]});
    }
    const int index = ph_model_find_input(s->model, name);
    return index < 0 ? look_up_held(s, name) : enter_variable(s, (variable){.kind = VARIABLE_INPUT, .input = index});
}

void compile_value(compiler *c, place where, const ph_value *given, value *to)
{
    if (!given->expression) {
        to->number = given->number;
        if (!isfinite(given->number)) {
            complain(c, where, NULL, "the value is not a finite number");
        }
        return;
    }
    scope s = {.model = c->model, .making = c->model};
    s.variables = arena_alloc_array(c->model->memory, VALUE_VARIABLES_MAX, sizeof *s.variables);
    if (!s.variables) {
        c->out_of_memory = true;
        return;
    }
    expression_error error = {0};
    to->program = expression_compile(given->expression, look_up, &s, c->model->memory, &error);
    to->text = keep_string(c, given->expression); // it outlives the spec
    to->variables = s.variables;
    to->variable_count = s.count;
    if (s.too_many) {
        complain(c, where, NULL, "an expression may use at most %d different variables", VALUE_VARIABLES_MAX);
    } else if (!to->program && strcmp(error.text, "out of memory") == 0) {
        c->out_of_memory = true;
    } else if (!to->program) {
        const bool named = *error.name != '\0';
        complain(c, where,
                 named
                     ? "known are t, the inputs, q.<joint> and qd.<joint> of joints with a coordinate, sensor.<sensor>"
                     : NULL,
                 "in \"%s\": %s", given->expression, error.text);
    }
}

bool compile_text(const ph_model *model, const char *text, arena *memory, value *to, char *fault, size_t room)
{
    scope s = {.model = model};
    expression_error error = {.text = "out of memory"};
    *to = (value){0};
    s.variables = arena_alloc_array(memory, VALUE_VARIABLES_MAX, sizeof *s.variables);
    if (s.variables) to->program = expression_compile(text, look_up, &s, memory, &error);
    to->variables = s.variables;
    to->variable_count = s.count;
    if (s.too_many)
        snprintf(fault, room, "an expression may use at most %d different variables", VALUE_VARIABLES_MAX);
    else if (!to->program)
        snprintf(fault, room, "in \"%.80s\": %s%s", text, error.text,
                 *error.name ? "; known are t, the inputs, q.<joint> and qd.<joint> of joints with a coordinate" : "");
    return to->program && !s.too_many;
}

// ---- Elements -------------------------------------------------------------------------------------------------------

static const force_type *find_type(compiler *c, place where, const char *name)
{
    const char *known[64];
    int count = 0;
    for (; force_types[count] && count < 64; count++) {
        if (name && strcmp(force_types[count]->name, name) == 0) {
            return force_types[count];
        }
        known[count] = force_types[count]->name;
    }
    if (name) {
        complain(c, place_key(where, "type"), hint_for(name, known, count).text, "there is no force type '%s'", name);
    } else {
        complain(c, where, "add type: spring, wrench, ...", "the force has no type");
    }
    return NULL;
}

// The body's index in the model, or -1 after complaining.
static int find_body(compiler *c, place where, const char *key, int given)
{
    const ph_model *model = c->model;
    if (given == PH_WORLD) {
        return model->body_count;
    }
    if (given == PH_NONE) {
        complain(c, where, NULL, "the force has no %s", key);
    } else if (given < 0 || given >= model->body_count) {
        complain(c, place_key(where, key), NULL, "there is no body with index %d", given);
    } else {
        return given;
    }
    return -1;
}

// ---- Elements by their keys -----------------------------------------------------------------------------------------

static void place_on_body(compiler *c, place where, const element_key *key, int given, force *f)
{
    f->b = find_body(c, where, key->key, given);
    if (f->b >= 0 && c->model->bodies[f->b].kind->fixed) {
        complain(c, place_key(where, key->key), NULL, "the force acts on a body that cannot move");
    }
}

static void place_between(compiler *c, place where, const element_key *key, const int given[2], force *f)
{
    const ph_model *model = c->model;
    f->a = find_body(c, where, key->key, given[0]);
    f->b = find_body(c, where, key->key, given[1]);
    if (f->a >= 0 && f->a == f->b) {
        complain(c, place_key(where, key->key), NULL, "the force acts between a body and itself");
    } else if (f->a >= 0 && f->b >= 0 && model->bodies[f->a].kind->fixed && model->bodies[f->b].kind->fixed) {
        complain(c, place_key(where, key->key), NULL, "both bodies of the force are fixed");
    }
}

static void place_along_joint(compiler *c, place where, int given, force *f)
{
    const ph_model *model = c->model;
    if (given == PH_NONE) {
        complain(c, where, "joint: name of a joint with one coordinate", "the force has no joint");
    } else if (given < 0 || given >= model->joint_count) {
        complain(c, place_key(where, "joint"), NULL, "there is no joint with index %d", given);
    } else {
        f->joint = &model->joints[given];
        f->a = f->joint->a;
        f->b = f->joint->b;
        if (f->joint->row_count && f->joint->coordinate_count != 1) {
            complain(c, place_key(where, "joint"), "a revolute, prismatic or screw joint has one",
                     "the %s joint '%s' has %d coordinates", f->joint->type->name, f->joint->name,
                     f->joint->coordinate_count);
        }
    }
}

static void check_matrix(compiler *c, place where, const force_type *type, const element_key *key, const double M[6][6])
{
    double size = 0.0, skew = 0.0;
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 6; k++) {
            if (!isfinite(M[i][k])) {
                complain(c, place_key(where, key->key), NULL, "%s has an entry that is not a finite number", key->key);
                return;
            }
            size = fmax(size, fabs(M[i][k]));
            skew = fmax(skew, fabs(M[i][k] - M[k][i]));
        }
    }
    if (key->rule == SYMMETRIC && skew > 1e-12 * size) {
        complain(c, place_key(where, key->key), "only a symmetric one has an energy", "the %s of a %s is not symmetric",
                 key->key, type->name);
    }
}

static void check_number(compiler *c, place where, const element_key *key, double number)
{
    if (key->rule == POSITIVE && number == 0.0) {
        complain(c, where, key->hint, "the force has no %s", key->key);
    } else if (key->rule == ANY) {
        check_finite(c, where, key->key, number);
    } else {
        check_not_negative(c, where, key->key, number);
    }
}

static void compile_values(compiler *c, place where, const element_key *key, const ph_value given[3], force *f)
{
    value *values = arena_alloc_array(c->model->memory, (size_t)f->value_count + 3, sizeof *values);
    if (!values) {
        c->out_of_memory = true;
        return;
    }
    if (f->value_count > 0) {
        memcpy(values, f->values, (size_t)f->value_count * sizeof *values);
    }
    for (int k = 0; k < 3; k++) {
        compile_value(c, place_of("%s.%s[%d]", where.text, key->key, k), &given[k], &values[f->value_count + k]);
    }
    f->values = values;
    f->value_count += 3;
}

// Checks the value of a key; bodies, joint and values go to the element.
static void compile_key(compiler *c, place where, const element_key *key, ph_force_def *def, force *f)
{
    void *at = (char *)def + key->offset;
    switch (key->kind) {
    case KEY_BODIES:
        place_between(c, where, key, at, f);
        break;
    case KEY_BODY:
        place_on_body(c, where, key, *(int *)at, f);
        break;
    case KEY_JOINT:
        place_along_joint(c, where, *(int *)at, f);
        break;
    case KEY_NUMBER:
        check_number(c, where, key, *(double *)at);
        break;
    case KEY_VECTOR:
    case KEY_DIRECTION:
    case KEY_PLACE:
    case KEY_POINT_A:
    case KEY_POINT_B:
    case KEY_POINT_OR_COM:
        check_finite3(c, where, key->key, *(ph_vec3 *)at);
        break;
    case KEY_ORIENTATION:
        check_unit_quat(c, where, key->key, at);
        break;
    case KEY_MATRIX6:
        check_matrix(c, where, f->type, key, (const double(*)[6])at);
        break;
    case KEY_VALUES3:
        compile_values(c, where, key, at, f);
        break;
    default: // nothing to check, or no key of a force
        break;
    }
}

static void keep_definition(compiler *c, const ph_force_def *given, ph_force_def *def)
{
    *def = *given;
    def->name = keep_string(c, def->name);
    for (int k = 0; k < 3; k++) {
        def->force[k].expression = keep_string(c, def->force[k].expression);
        def->torque[k].expression = keep_string(c, def->torque[k].expression);
    }
}

// Points from the centres of mass. Where a type has no key for one, it is the centre of mass.
static void set_points(const ph_model *model, const ph_force_def *def, force *f)
{
    const body_kind *a = model->bodies[f->a].kind, *b = model->bodies[f->b].kind;
    const bool at_com = def->at_com && force_takes(f->type, KEY_POINT_OR_COM);
    if (force_takes(f->type, KEY_POINT_A)) {
        f->s_a = ph_sub(def->point_a, a->com);
    }
    if (force_takes(f->type, KEY_POINT_B) || (force_takes(f->type, KEY_POINT_OR_COM) && !at_com)) {
        f->s_b = ph_sub(def->point_b, b->com);
    }
    f->mass_a = a->fixed ? 0.0 : a->mass;
    f->mass_b = b->fixed ? 0.0 : b->mass;
}

static void compile_force(compiler *c, int index, ph_force_def *def, force *f)
{
    const place where = place_of("forces[%d]", index);
    f->type = find_type(c, where, c->spec->forces[index].type);
    keep_definition(c, &c->spec->forces[index], def);
    if (!f->type) {
        return;
    }
    def->type = f->type->name;
    f->name = def->name;
    f->def = def;
    f->stiffness = def->stiffness;
    f->damping = def->damping;
    f->a = f->b = c->model->body_count;
    for (const element_key *key = f->type->keys; key->key; key++) {
        compile_key(c, where, key, def, f);
    }
    if (f->a >= 0 && f->b >= 0) {
        set_points(c->model, def, f);
    }
}

// ---- Forces that the program computes -------------------------------------------------------------------------------

static void compile_callback(compiler *c, int index, force *f)
{
    const ph_model *model = c->model;
    const place where = place_of("callbacks[%d]", index);
    callback *own = arena_alloc(model->memory, sizeof *own);
    if (!own) {
        c->out_of_memory = true;
        return;
    }
    own->def = c->spec->callbacks[index];
    own->def.name = keep_string(c, own->def.name);
    if (!own->def.force) {
        complain(c, where, NULL, "the callback has no force function");
    }
    *f = (force){
        .type = own->def.potential ? &force_callback_potential : &force_callback_work,
        .name = own->def.name,
        .callback = own,
        .b = find_body(c, where, "body", own->def.body),
        .a = own->def.other == PH_NONE ? model->body_count : find_body(c, where, "other", own->def.other),
    };
    if (f->b >= 0 && f->b == f->a) {
        complain(c, where, NULL, "the callback acts between a body and itself");
    }
    const int bodies[2] = {f->b, f->a};
    for (int k = 0; k < 2; k++) {
        const body *b = bodies[k] >= 0 ? &model->bodies[bodies[k]] : NULL;
        if (b) {
            own->bodies[k] = (ph_body_motion){
                .mass = b->kind->mass, .inertia = b->kind->J, .spread = callback_spread(b->kind->mass, b->kind->J)};
        }
    }
}

// ---- What joints do along their own coordinate ----------------------------------------------------------------------

static bool drives(const ph_joint_def *def)
{
    return def->stiffness != 0.0 || def->damping != 0.0 || def->friction != 0.0 || def->motor != PH_MOTOR_NONE;
}

static void compile_drive(compiler *c, int index, force *f)
{
    const joint *j = &c->model->joints[index];
    const ph_joint_def *def = j->def;
    const place where = place_key(place_of("joints[%d]", index), "motor");
    value *target = arena_alloc(c->model->memory, sizeof *target);
    if (!target) {
        c->out_of_memory = true;
        return;
    }
    *f = (force){
        .type = &force_joint_drive,
        .name = j->name,
        .a = j->a,
        .b = j->b,
        .joint = j,
        .stiffness = def->stiffness,
        .damping = def->damping,
        .rest = def->rest,
        .friction = def->friction,
        .friction_speed = def->friction_speed,
        .motor = def->motor,
        .kp = def->motor_kp,
        .kd = def->motor_kd,
        .max = def->motor_max,
        .values = target,
        .value_count = 1,
    };
    if (def->motor != PH_MOTOR_NONE) {
        compile_value(c, where, &def->motor_value, target);
    }
    if (j->motor) {
        ((joint_motor *)j->motor)->value = target;
        if (value_needs_joints(target)) {
            complain(c, where, "use motor: {torque: ..}, or {position: .., kp: .., kd: ..}",
                     "what prescribes a joint may depend on t and inputs, not on q. or qd. of joints");
        }
    }
}

// ---- What elements depend on ----------------------------------------------------------------------------------------

static void enter_other(const force *f, int body, int *others, int *count)
{
    bool known = body == f->a || body == f->b;
    for (int n = 0; n < *count; n++) known = known || others[n] == body;
    if (!known) others[(*count)++] = body;
}

// Bodies of joints that expressions name and of its tendon, beside its own.
static int list_others(const force *f, int *others)
{
    int count = 0;
    for (int k = 0; f->tendon && k < f->tendon->part_count; k++) {
        enter_other(f, f->tendon->parts[k].a, others, &count);
        enter_other(f, f->tendon->parts[k].b, others, &count);
    }
    for (int i = 0; i < f->value_count; i++) {
        for (int k = 0; k < f->values[i].variable_count; k++) {
            const joint *j = f->values[i].variables[k].joint;
            for (int side = 0; j && side < 2; side++) {
                enter_other(f, side ? j->b : j->a, others, &count);
            }
        }
    }
    return count;
}

static void find_dependence(compiler *c, force *f)
{
    size_t most = f->tendon ? 2 * (size_t)f->tendon->part_count : 0;
    for (int i = 0; i < f->value_count; i++) most += 2 * (size_t)f->values[i].variable_count;
    int *others = arena_alloc_array(c->model->memory, most, sizeof *others);
    if (!others) {
        c->out_of_memory = true;
        return;
    }
    f->others = others;
    f->other_count = list_others(f, others);
    f->needs_velocity = f->type->needs_velocity && f->type->needs_velocity(f);
    f->does_work = f->type->does_work && f->type->does_work(f);
}

// ---- All ------------------------------------------------------------------------------------------------------------

static int count_drives(const ph_model *model)
{
    int count = 0;
    for (int i = 0; i < model->joint_count; i++) {
        count += drives(model->joints[i].def);
    }
    return count;
}

void compile_forces(compiler *c)
{
    ph_model *model = c->model;
    const size_t given = (size_t)c->spec->force_count;
    const size_t beside = (size_t)compile_tendon_elements(model) + (size_t)model->actuator_count;
    const size_t all = given + (size_t)c->spec->callback_count + (size_t)count_drives(model) + beside;
    ph_force_def *defs = arena_alloc_array(model->memory, given, sizeof *defs);
    model->forces = arena_alloc_array(model->memory, all, sizeof *model->forces);
    if (!defs || !model->forces) {
        c->out_of_memory = true;
        return;
    }
    for (int i = 0; i < c->spec->force_count; i++) {
        compile_force(c, i, &defs[i], &model->forces[i]);
    }
    for (int i = 0; i < c->spec->callback_count; i++) {
        compile_callback(c, i, &model->forces[c->spec->force_count + i]);
    }
    model->element_count = model->force_count = c->spec->force_count + c->spec->callback_count;
    for (int i = 0; i < model->joint_count; i++) {
        if (drives(model->joints[i].def)) {
            compile_drive(c, i, &model->forces[model->force_count++]);
        }
    }
    compile_add_tendons(c);
    compile_add_actuators(c);
    for (int i = 0; i < model->force_count; i++) {
        if (model->forces[i].type) find_dependence(c, &model->forces[i]);
    }
}

void compile_force_starts(compiler *c, const motion *start)
{
    compile_tendon_starts(c, start);
    for (int i = 0; i < c->model->element_count; i++) {
        force *f = &c->model->forces[i];
        const char *wrong = f->type->make ? f->type->make(f, start) : NULL;
        if (wrong) {
            complain(c, place_of("forces[%d]", i), NULL, "%s", wrong);
        }
    }
}
