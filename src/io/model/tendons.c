// Tendons: {name: cord, path: [site, site, ...], joints: {hip: 0.02}, stiffness: 1e4, ...}; and actuators along joints or tendons.

#include "io/model/reader.h"

#include <stdio.h>
#include <string.h>

// ---- Values ---------------------------------------------------------------------------------------------------------

typedef struct tendon_form {
    ph_tendon_def def;
    ph_tendon_point *path;
    ph_tendon_joint *joints;
} tendon_form;

static bool read_path(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    tendon_form *form = to;
    n = node_list(r, n);
    if (n->kind != NODE_LIST || n->count < 2) return fail_kind(r, n, "a list of two or more sites");
    form->path = arena_alloc_array(r->document->memory, (size_t)n->count, sizeof *form->path);
    if (!form->path) return r->out_of_memory = true, false;
    const int errors = r->errors;
    for (int i = 0; i < n->count; i++) {
        const size_t length = path_enter_index(r, i);
        const ph_site_def *site = NULL;
        if (node_site(r, n->entries[i].value, &site))
            form->path[form->def.path_count++] = (ph_tendon_point){site->body, site->position};
        path_leave(r, length);
    }
    return r->errors == errors;
}

static bool read_tendon_joints(reader *r, const node *n, const field *f, void *to)
{
    tendon_form *form = to;
    if (n->kind != NODE_MAP) return fail_kind(r, n, "a map of joints and their coefficients");
    form->joints = arena_alloc_array(r->document->memory, (size_t)n->count, sizeof *form->joints);
    if (!form->joints) return r->out_of_memory = true, false;
    const int errors = r->errors;
    for (int i = 0; i < n->count; i++) {
        ph_tendon_joint *j = &form->joints[form->def.joint_count++];
        const size_t length = path_enter_key(r, n->entries[i].key->text);
        node key = *n->entries[i].key;
        key.scope = n->scope;
        read_joint(r, &key, f, &j->joint);
        node_number(r, n->entries[i].value, &j->coefficient);
        path_leave(r, length);
    }
    return r->errors == errors;
}

// [low, high], null where there is none.
bool read_bounds(reader *r, const node *n, bool *has_low, double *low, bool *has_high, double *high)
{
    n = node_list(r, n);
    if (n->kind != NODE_LIST || n->count != 2) return fail_kind(r, n, "[low, high], null for none");
    *has_low = !node_is_null(n->entries[0].value);
    *has_high = !node_is_null(n->entries[1].value);
    const bool first = !*has_low || node_number(r, n->entries[0].value, low);
    return (!*has_high || node_number(r, n->entries[1].value, high)) && first;
}

static bool read_tendon_limits(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    ph_tendon_def *d = &((tendon_form *)to)->def;
    return read_bounds(r, n, &d->has_limit_low, &d->limit_low, &d->has_limit_high, &d->limit_high);
}

// ---- Tendons --------------------------------------------------------------------------------------------------------

#define TENDON(member) FIELD_AT(tendon_form, def.member)

static const field tendon_fields[] = {
    {"name", read_text, TENDON(name), FIELD_REQUIRED},
    {"path", read_path, FIELD_WHOLE, .form = "names"},
    {"joints", read_tendon_joints, FIELD_WHOLE, .form = "values"},
    {"stiffness", read_number, TENDON(stiffness), .rule = NOT_NEGATIVE},
    {"damping", read_number, TENDON(damping), .rule = NOT_NEGATIVE},
    {"length", read_number, TENDON(length), FIELD_GIVEN(tendon_form, def.has_length)},
    {"cable", read_bool, TENDON(cable)},
    {"limits", read_tendon_limits, FIELD_WHOLE, .form = "limits"},
    {"limit_stiffness", read_number, TENDON(limit_stiffness), .rule = NOT_NEGATIVE},
    {"limit_damping", read_number, TENDON(limit_damping), .rule = NOT_NEGATIVE},
    {"tension", read_value, TENDON(tension)},
    {0},
};

const part_table tendon_table = {"tendon", "tendons", tendon_fields, NULL,
                                 .about = "A length over sites and joints, and what acts along it."};

static bool read_one_tendon(reader *r, const node *n, const field *f, void *to)
{
    (void)f, (void)to;
    static const schema table = {"a tendon", tendon_fields, UINT32_MAX, "tendons", NULL};
    tendon_form form = {.def = ph_default_tendon()};
    const bool read = read_map(r, n, &table, &form);
    form.def.path = form.path;
    form.def.joints = form.joints;
    r->out_of_memory = r->out_of_memory || ph_spec_add_tendon(r->spec, &form.def) < 0;
    return read;
}

bool read_tendons_part(reader *r, const node *n, const field *f, void *to)
{
    (void)f, (void)to;
    return read_elements(r, n, read_one_tendon, offsetof(ph_spec, tendon_count));
}

// ---- Actuators ------------------------------------------------------------------------------------------------------

typedef struct actuator_form {
    ph_actuator_def def;
    ph_value position;
    bool has_control, has_position;
} actuator_form;

static bool read_actuator_limits(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    ph_actuator_def *d = &((actuator_form *)to)->def;
    return read_bounds(r, n, &d->has_limit_low, &d->limit_low, &d->has_limit_high, &d->limit_high);
}

bool read_tendon(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    return node_named(r, n, "tendon", &r->tendon_names, r->tendon_count, to);
}

#define ACTUATOR(member) FIELD_AT(actuator_form, def.member)

static const field actuator_fields[] = {
    {"name", read_text, ACTUATOR(name), FIELD_REQUIRED},
    {"joint", read_joint, ACTUATOR(joint)},
    {"tendon", read_tendon, ACTUATOR(tendon), .form = "text"},
    {"control", read_value, ACTUATOR(control), FIELD_GIVEN(actuator_form, has_control)},
    {"position", read_value, FIELD_AT(actuator_form, position), FIELD_GIVEN(actuator_form, has_position)},
    {"kp", read_number, ACTUATOR(kp), .rule = NOT_NEGATIVE},
    {"kd", read_number, ACTUATOR(kd), .rule = NOT_NEGATIVE},
    {"gear", read_number, ACTUATOR(gear)},
    {"limits", read_actuator_limits, FIELD_WHOLE, .form = "limits"},
    {"max", read_number, ACTUATOR(max), .rule = NOT_NEGATIVE},
    {"delay", read_number, ACTUATOR(delay), .rule = NOT_NEGATIVE},
    {0},
};

const part_table actuator_table = {"actuator", "actuators", actuator_fields, NULL,
                                   .about = "A control that drives a joint or tendon, with gear, limits and delay."};

static bool read_one_actuator(reader *r, const node *n, const field *f, void *to)
{
    (void)f, (void)to;
    static const schema table = {"an actuator", actuator_fields, UINT32_MAX, "actuators", NULL};
    actuator_form form = {.def = ph_default_actuator()};
    bool read = read_map(r, n, &table, &form);
    if (n->kind == NODE_MAP && form.has_control == form.has_position)
        read =
            fail(r, n, "control: a force or torque; position: with kp and kd", "an actuator has control or position");
    if (n->kind == NODE_MAP && form.has_control && (form.def.kp != 0.0 || form.def.kd != 0.0))
        read = fail(r, n, "position: .. in place of control", "kp and kd belong to an actuator with position");
    if (form.has_position) {
        form.def.control = form.position;
        form.def.servo = true;
    }
    r->out_of_memory = r->out_of_memory || ph_spec_add_actuator(r->spec, &form.def) < 0;
    return read;
}

bool read_actuators_part(reader *r, const node *n, const field *f, void *to)
{
    (void)f, (void)to;
    return read_elements(r, n, read_one_actuator, offsetof(ph_spec, actuator_count));
}
