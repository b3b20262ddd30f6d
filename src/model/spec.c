// ph_spec: storage of definitions. Every string and array is copied, so that a definition may live on the stack.

#include "model/spec.h"

#include "forces/force.h"

#include "math/quat.h"

#include <string.h>

enum {
    BODY_COOKIE = 0x424f4459,
    SHAPE_COOKIE = 0x53484150,
    JOINT_COOKIE = 0x4a4f494e,
    FORCE_COOKIE = 0x464f5243,
    CALLBACK_COOKIE = 0x43414c4c,
};

// ---- Defaults -------------------------------------------------------------------------------------------------------

ph_body_def ph_default_body(void)
{
    return (ph_body_def){.cookie = BODY_COOKIE, .orientation = ph_quat_identity()};
}

ph_shape_def ph_default_shape(void)
{
    return (ph_shape_def){.cookie = SHAPE_COOKIE,
                          .axis = {0.0, 0.0, 1.0},
                          .orientation = ph_quat_identity(),
                          .friction = 0.5,
                          .collide = true};
}

ph_joint_def ph_default_joint(void)
{
    return (ph_joint_def){.cookie = JOINT_COOKIE,
                          .body_a = PH_NONE,
                          .body_b = PH_NONE,
                          .gear_joint = {PH_NONE, PH_NONE},
                          .of_joint = PH_NONE,
                          .ratio = 1.0,
                          .friction_speed = 1e-3};
}

ph_force_def ph_default_force(void)
{
    return (ph_force_def){.cookie = FORCE_COOKIE,
                          .body_a = PH_NONE,
                          .body_b = PH_NONE,
                          .joint = PH_NONE,
                          .orientation = ph_quat_identity()};
}

static const force_type *find_force_type(const char *name)
{
    for (int i = 0; name && force_types[i]; i++) {
        if (strcmp(force_types[i]->name, name) == 0) {
            return force_types[i];
        }
    }
    return NULL;
}

ph_status ph_force_set(ph_force_def *def, const char *key, double number)
{
    if (!def || !key || def->cookie != FORCE_COOKIE) {
        return PH_BAD_ARGUMENT;
    }
    const force_type *type = find_force_type(def->type);
    for (const element_key *k = type ? type->keys : NULL; k && k->key; k++) {
        if (k->kind == KEY_NUMBER && strcmp(k->key, key) == 0) {
            *(double *)((char *)def + k->offset) = number;
            if (k->given) {
                *(bool *)((char *)def + k->given) = true;
            }
            return PH_OK;
        }
    }
    return PH_NOT_FOUND;
}

ph_callback_def ph_default_callback(void)
{
    return (ph_callback_def){.cookie = CALLBACK_COOKIE, .body = PH_NONE, .other = PH_NONE};
}

// ---- The spec -------------------------------------------------------------------------------------------------------

ph_spec *ph_spec_create(const ph_allocator *allocator)
{
    ph_spec *spec = mem_alloc(allocator, sizeof *spec);
    if (!spec) {
        return NULL;
    }
    if (allocator) {
        spec->allocator = *allocator;
    }
    spec->memory = arena_create(&spec->allocator);
    spec->run.scheme = "rattlie";
    if (!spec->memory || ph_spec_set_name(spec, "") != PH_OK) {
        ph_spec_destroy(spec);
        return NULL;
    }
    return spec;
}

void ph_spec_destroy(ph_spec *spec)
{
    if (!spec) {
        return;
    }
    const ph_allocator allocator = spec->allocator;
    if (spec->locate_destroy) {
        spec->locate_destroy(spec->locate_user);
    }
    for (int i = 0; i < spec->body_count; i++) {
        mem_free(&allocator, spec->bodies[i].shapes);
    }
    mem_free(&allocator, spec->bodies);
    mem_free(&allocator, spec->joints);
    mem_free(&allocator, spec->forces);
    mem_free(&allocator, spec->callbacks);
    mem_free(&allocator, spec->inputs);
    mem_free(&allocator, spec->keyframes);
    mem_free(&allocator, spec->sites);
    mem_free(&allocator, spec->tendons);
    mem_free(&allocator, spec->actuators);
    mem_free(&allocator, spec->sensors);
    arena_destroy(spec->memory);
    mem_free(&allocator, spec);
}

// Replaces *text by a copy of it. False when out of memory.
static bool own_string(ph_spec *spec, const char **text)
{
    const char *given = *text;
    *text = arena_copy_string(spec->memory, given);
    return !given || *text;
}

// ---- Elements -------------------------------------------------------------------------------------------------------

int ph_spec_add_body(ph_spec *spec, const ph_body_def *def)
{
    if (!spec || !def || def->cookie != BODY_COOKIE) {
        return PH_NONE;
    }
    ph_body_def copy = *def;
    if (!own_string(spec, &copy.name) || !mem_reserve(&spec->allocator, &spec->bodies, &spec->body_capacity,
                                                      spec->body_count + 1, sizeof *spec->bodies)) {
        return PH_NONE;
    }
    spec->bodies[spec->body_count] = (spec_body){.def = copy};
    return spec->body_count++;
}

static bool own_shape(ph_spec *spec, ph_shape_def *shape)
{
    if (!own_string(spec, &shape->type) || !own_string(spec, &shape->file) || !own_string(spec, &shape->color)) {
        return false;
    }
    if (!shape->data || shape->data_rows <= 0 || shape->data_columns <= 0) {
        shape->data = NULL;
        shape->data_rows = shape->data_columns = 0;
        return true;
    }
    const size_t count = (size_t)shape->data_rows * (size_t)shape->data_columns;
    double *copy = arena_alloc_array(spec->memory, count, sizeof *copy);
    if (copy) {
        memcpy(copy, shape->data, count * sizeof *copy);
    }
    shape->data = copy;
    return copy != NULL;
}

int ph_spec_add_shape(ph_spec *spec, int body, const ph_shape_def *def)
{
    if (!spec || !def || def->cookie != SHAPE_COOKIE || body < 0 || body >= spec->body_count) {
        return PH_NONE;
    }
    spec_body *owner = &spec->bodies[body];
    ph_shape_def copy = *def;
    if (!own_shape(spec, &copy) || !mem_reserve(&spec->allocator, &owner->shapes, &owner->shape_capacity,
                                                owner->shape_count + 1, sizeof *owner->shapes)) {
        return PH_NONE;
    }
    owner->shapes[owner->shape_count] = copy;
    return owner->shape_count++;
}

static bool own_expressions(ph_spec *spec, ph_joint_def *def)
{
    bool ok = own_string(spec, &def->motor_value.expression) && own_string(spec, &def->spin.expression);
    for (int k = 0; k < 3; k++) ok = ok && own_string(spec, &def->slide[k].expression);
    for (int r = 0; ok && r < PH_VELOCITY_ROWS && r < def->velocity_count; r++) {
        ok = own_string(spec, &def->velocities[r].equals.expression);
        for (int k = 0; k < 6; k++) ok = ok && own_string(spec, &def->velocities[r].of[k].expression);
    }
    return ok;
}

int ph_spec_add_joint(ph_spec *spec, const ph_joint_def *def)
{
    if (!spec || !def || def->cookie != JOINT_COOKIE) {
        return PH_NONE;
    }
    ph_joint_def copy = *def;
    if (!own_string(spec, &copy.name) || !own_string(spec, &copy.type) || !own_expressions(spec, &copy) ||
        !mem_reserve(&spec->allocator, &spec->joints, &spec->joint_capacity, spec->joint_count + 1,
                     sizeof *spec->joints)) {
        return PH_NONE;
    }
    spec->joints[spec->joint_count] = copy;
    return spec->joint_count++;
}

int ph_spec_add_force(ph_spec *spec, const ph_force_def *def)
{
    if (!spec || !def || def->cookie != FORCE_COOKIE) {
        return PH_NONE;
    }
    ph_force_def copy = *def;
    bool ok = own_string(spec, &copy.name) && own_string(spec, &copy.type);
    for (int k = 0; k < 3; k++) {
        ok = ok && own_string(spec, &copy.force[k].expression) && own_string(spec, &copy.torque[k].expression);
    }
    if (!ok || !mem_reserve(&spec->allocator, &spec->forces, &spec->force_capacity, spec->force_count + 1,
                            sizeof *spec->forces)) {
        return PH_NONE;
    }
    spec->forces[spec->force_count] = copy;
    return spec->force_count++;
}

int ph_spec_add_callback(ph_spec *spec, const ph_callback_def *def)
{
    if (!spec || !def || def->cookie != CALLBACK_COOKIE) {
        return PH_NONE;
    }
    ph_callback_def copy = *def;
    if (!own_string(spec, &copy.name) || !mem_reserve(&spec->allocator, &spec->callbacks, &spec->callback_capacity,
                                                      spec->callback_count + 1, sizeof *spec->callbacks)) {
        return PH_NONE;
    }
    spec->callbacks[spec->callback_count] = copy;
    return spec->callback_count++;
}

int ph_spec_add_input(ph_spec *spec, const char *name, double value)
{
    if (!spec || !name || !own_string(spec, &name) ||
        !mem_reserve(&spec->allocator, &spec->inputs, &spec->input_capacity, spec->input_count + 1,
                     sizeof *spec->inputs)) {
        return PH_NONE;
    }
    spec->inputs[spec->input_count] = (spec_input){name, value};
    return spec->input_count++;
}

// ---- Settings -------------------------------------------------------------------------------------------------------

static ph_status set_string(ph_spec *spec, const char **to, const char *text)
{
    const char *copy = text;
    if (!own_string(spec, &copy)) {
        return PH_OUT_OF_MEMORY;
    }
    *to = copy;
    return PH_OK;
}

ph_status ph_spec_set_name(ph_spec *spec, const char *name)
{
    return spec ? set_string(spec, &spec->name, name ? name : "") : PH_BAD_ARGUMENT;
}

ph_status ph_spec_set_text(ph_spec *spec, const char *text)
{
    return spec ? set_string(spec, &spec->text, text) : PH_BAD_ARGUMENT;
}

void ph_spec_set_gravity(ph_spec *spec, ph_vec3 gravity)
{
    if (spec) spec->gravity = gravity;
}

void ph_spec_set_project(ph_spec *spec, bool project)
{
    if (spec) spec->project = project;
}

ph_status ph_spec_set_run(ph_spec *spec, const ph_run_settings *settings)
{
    if (!spec || !settings) {
        return PH_BAD_ARGUMENT;
    }
    ph_run_settings copy = *settings;
    if (!copy.scheme) {
        copy.scheme = "rattlie";
    }
    if (!own_string(spec, &copy.scheme) || !own_string(spec, &copy.options) || !own_string(spec, &copy.stop_when)) {
        return PH_OUT_OF_MEMORY;
    }
    spec->run = copy;
    return PH_OK;
}
