// Joints. Which keys a joint takes is written in its type (joints/joint.h).

#include "io/model_reader.h"
#include "joints/joint.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// ---- Values of joints -----------------------------------------------------------------------------------------------

// [low, high], null where there is none.
static bool read_limits(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    ph_joint_def *def = to;
    if (n->kind != NODE_LIST || n->count != 2) {
        return fail_kind(r, n, "[low, high], null for none");
    }
    const node *low = n->entries[0].value, *high = n->entries[1].value;
    def->has_limit_low = !node_is_null(low);
    def->has_limit_high = !node_is_null(high);
    const bool low_read = !def->has_limit_low || node_number(r, low, &def->limit_low);
    const bool high_read = !def->has_limit_high || node_number(r, high, &def->limit_high);
    return low_read && high_read;
}

static bool read_lock(reader *r, const node *n, const field *f, void *to)
{
    if (n->kind != NODE_LIST || n->count != 6) {
        return fail_kind(r, n, "true or false for each of x, y, z, rx, ry, rz");
    }
    bool read = true;
    for (int i = 0; i < 6; i++) {
        read = read_bool(r, n->entries[i].value, f, (bool *)to + i) && read;
    }
    return read;
}

typedef struct motor_form {
    ph_value torque, speed, position;
    double kp, kd;
    bool has_torque, has_speed, has_position, has_kp, has_kd;
} motor_form;

#define MOTOR(member) FIELD_AT(motor_form, member), FIELD_GIVEN(motor_form, has_##member)

static const field motor_fields[] = {
    {"torque", read_value, MOTOR(torque)},
    {"speed", read_value, MOTOR(speed)},
    {"position", read_value, MOTOR(position)},
    {"kp", read_number, MOTOR(kp), .rule = NOT_NEGATIVE},
    {"kd", read_number, MOTOR(kd), .rule = NOT_NEGATIVE},
    {0},
};

static bool read_motor(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    static const schema table = {"a motor", motor_fields, UINT32_MAX};
    static const char *const forms = "{torque: ..}, {speed: ..}, {position: ..} or {position: .., kp: .., kd: ..}";
    ph_joint_def *def = to;
    motor_form form = {0};
    if (!read_map(r, n, &table, &form)) {
        return false;
    }
    if (form.has_torque + form.has_speed + form.has_position != 1) {
        return fail(r, n, forms, "a motor has exactly one of torque, speed and position");
    }
    const bool servo = form.has_kp || form.has_kd;
    if (servo && !form.has_position) {
        return fail(r, n, forms, "kp and kd belong to a motor with position");
    }
    def->motor = form.has_torque  ? PH_MOTOR_TORQUE
                 : form.has_speed ? PH_MOTOR_SPEED
                 : servo          ? PH_MOTOR_SERVO
                                  : PH_MOTOR_POSITION;
    def->motor_value = form.has_torque ? form.torque : form.has_speed ? form.speed : form.position;
    def->motor_kp = form.kp;
    def->motor_kd = form.kd;
    return true;
}

// ---- The table ------------------------------------------------------------------------------------------------------

enum {
    ANCHORED = JOINT_ANCHOR | JOINT_ANCHOR_OPTIONAL,
    AXIAL = JOINT_AXIS | JOINT_AXIS_OPTIONAL,
};
static const uint32_t between_bodies = 1u << 31; // all but gears

static_assert(offsetof(ph_joint_def, body_b) == offsetof(ph_joint_def, body_a) + sizeof(int), "read as one pair");

#define JOINT(member) FIELD_AT(ph_joint_def, member)
#define JOINT_GIVEN(member) FIELD_AT(ph_joint_def, member), FIELD_GIVEN(ph_joint_def, has_##member)

static const field joint_fields[] = {
    {"name", read_text, JOINT(name), FIELD_REQUIRED},
    {"type", read_later, FIELD_WHOLE, FIELD_REQUIRED},
    {"bodies", read_bodies, JOINT(body_a), .takers = 1u << 31, .needers = 1u << 31,
     .hint = "bodies: [a, b], names of bodies or world"},
    {"anchor", read_vector, JOINT_GIVEN(anchor), .takers = ANCHORED},
    {"anchor_a", read_vector, JOINT_GIVEN(anchor_a), .takers = ANCHORED},
    {"anchor_b", read_vector, JOINT_GIVEN(anchor_b), .takers = ANCHORED},
    {"axis", read_direction, JOINT_GIVEN(axis), .takers = AXIAL},
    {"normal", read_direction, JOINT_GIVEN(axis), .takers = JOINT_NORMAL},
    {"axis_a", read_direction, JOINT_GIVEN(axis_a), .takers = AXIAL | JOINT_NORMAL},
    {"axis_b", read_direction, JOINT_GIVEN(axis_b), .takers = AXIAL | JOINT_NORMAL},
    {"axis2", read_direction, JOINT_GIVEN(axis2), .takers = JOINT_AXIS2},
    {"pitch", read_number, JOINT(pitch), .takers = JOINT_PITCH, .needers = JOINT_PITCH,
     .hint = "pitch: metres per radian"},
    {"length", read_number, JOINT(length), .rule = POSITIVE, .takers = JOINT_LENGTH},
    {"lock", read_lock, JOINT(lock), .takers = JOINT_LOCK, .needers = JOINT_LOCK,
     .hint = "lock: [x, y, z, rx, ry, rz], true or false each"},
    {"joints", read_joints, JOINT(gear_joint), .takers = JOINT_GEAR, .needers = JOINT_GEAR,
     .hint = "joints: [i, j], names of two joints"},
    {"ratio", read_number, JOINT(ratio), .takers = JOINT_GEAR, .needers = JOINT_GEAR},
    {"start", read_number, JOINT_GIVEN(start), .takers = JOINT_DRIVE},
    {"limits", read_limits, FIELD_WHOLE, .takers = JOINT_DRIVE},
    {"damping", read_number, JOINT(damping), .takers = JOINT_DRIVE},
    {"stiffness", read_number, JOINT(stiffness), .takers = JOINT_DRIVE},
    {"rest", read_number, JOINT(rest), .takers = JOINT_DRIVE},
    {"friction", read_number, JOINT(friction), .takers = JOINT_DRIVE},
    {"friction_speed", read_number, JOINT(friction_speed), .takers = JOINT_DRIVE},
    {"motor", read_motor, FIELD_WHOLE, .takers = JOINT_DRIVE},
    {0},
};

static const joint_type *find_type(reader *r, const node *n)
{
    const char *words[64] = {0};
    int count = 0, type = 0;
    for (; joint_types[count] && count < 63; count++) {
        words[count] = joint_types[count]->name;
    }
    const node *given = node_find(n, "type");
    if (!given) {
        fail(r, n, hint_words("", words, count, "type is one of").text, "a joint needs the key 'type'");
        return NULL;
    }
    return node_choice(r, given, "joint type", words, &type) ? joint_types[type] : NULL;
}

// Also after mistakes the joint is added, so that indices stay those of the file.
static bool read_one_joint(reader *r, const node *n, const field *f, void *to)
{
    (void)f, (void)to;
    ph_joint_def def = ph_default_joint();
    const joint_type *type = NULL;
    if (n->kind != NODE_MAP) {
        fail_kind(r, n, "a joint");
    } else {
        type = find_type(r, n);
    }
    if (type) {
        char what[64];
        snprintf(what, sizeof what, "%s %s joint", strchr("aeiou", type->name[0]) ? "an" : "a", type->name);
        def.type = type->name;
        const uint32_t kind = type->keys & JOINT_GEAR ? type->keys : type->keys | between_bodies;
        read_map(r, n, &(schema){what, joint_fields, kind}, &def);
    }
    const bool added = ph_spec_add_joint(r->spec, &def) >= 0;
    r->out_of_memory = r->out_of_memory || !added;
    return added;
}

bool read_joints_part(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    return read_each(r, n, read_one_joint, to);
}
