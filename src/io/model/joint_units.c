// What the keys of a joint measure: lengths and forces where its coordinates slide, angles and torques where they turn. So
// 3 m/s is no rate of a hinge, and limits of a slider are not in degrees. Springs act along a line or such a coordinate.

#include "io/model/reader.h"
#include "io/model/units.h"
#include "joints/joint.h"

#include <string.h>

typedef struct measured_key {
    const char *key;
    measure turning, sliding;
    bool of_each; // a list has one for each coordinate
} measured_key;

static const measured_key keys[] = {
    {"start", {"an angle", {0, 0, 0, 0}}, {"a length", {1, 0, 0, 0}}, false},
    {"coordinate", {"an angle", {0, 0, 0, 0}}, {"a length", {1, 0, 0, 0}}, true},
    {"rest", {"an angle", {0, 0, 0, 0}}, {"a length", {1, 0, 0, 0}}, false},
    {"limits", {"an angle", {0, 0, 0, 0}}, {"a length", {1, 0, 0, 0}}, false},
    {"rate", {"an angular speed", {0, 0, -1, 0}}, {"a speed", {1, 0, -1, 0}}, true},
    {"friction_speed", {"an angular speed", {0, 0, -1, 0}}, {"a speed", {1, 0, -1, 0}}, false},
    {"stiffness", {"a torque per angle", {2, 1, -2, 0}}, {"a force per length", {0, 1, -2, 0}}, false},
    {"damping", {"a torque per angular speed", {2, 1, -1, 0}}, {"a force per speed", {0, 1, -1, 0}}, false},
    {"friction", {"a torque", {2, 1, -2, 0}}, {"a force", {1, 1, -2, 0}}, false},
    {"armature", {"an inertia", {2, 1, 0, 0}}, {"a mass", {0, 1, 0, 0}}, false},
    {0},
};

static const measured_key motor_keys[] = {
    {"position", {"an angle", {0, 0, 0, 0}}, {"a length", {1, 0, 0, 0}}, false},
    {"speed", {"an angular speed", {0, 0, -1, 0}}, {"a speed", {1, 0, -1, 0}}, false},
    {"torque", {"a torque", {2, 1, -2, 0}}, {"a force", {1, 1, -2, 0}}, false},
    {"max", {"a torque", {2, 1, -2, 0}}, {"a force", {1, 1, -2, 0}}, false},
    {"kp", {"a torque per angle", {2, 1, -2, 0}}, {"a force per length", {0, 1, -2, 0}}, false},
    {"kd", {"a torque per angular speed", {2, 1, -1, 0}}, {"a force per speed", {0, 1, -1, 0}}, false},
    {0},
};

typedef struct freedom {
    int count; // of coordinates; 0: none, or not known
    bool slides[PH_JOINT_COORDINATES];
    bool winds; // it may turn often
} freedom;

static freedom freedom_of_chain(const ph_joint_def *def)
{
    freedom f = {.count = def->motion_count};
    for (int k = 0; k < f.count; k++) {
        f.slides[k] = def->motions[k].slides;
    }
    return f;
}

// The type itself says it, of a joint that nothing is known of but its keys.
static freedom freedom_of_type(const joint_type *type, const ph_joint_def *def)
{
    joint scratch = {.type = type, .def = def};
    type->make(&scratch);
    freedom f = {.count = scratch.coordinate_count, .winds = type->keys & JOINT_PITCH};
    for (int k = 0; k < f.count; k++) {
        f.slides[k] = coordinate_slides(scratch.coordinates[k]);
    }
    return f;
}

// NULL: it is not known, which has been reported.
static const joint_type *type_of(const ph_joint_def *def)
{
    for (int i = 0; def->type && joint_types[i]; i++) {
        if (strcmp(joint_types[i]->name, def->type) == 0) {
            return joint_types[i];
        }
    }
    return NULL;
}

static freedom freedom_of_own(const ph_joint_def *def)
{
    const joint_type *type = type_of(def);
    if (!type || (type->keys & (JOINT_OF | JOINT_GEAR | JOINT_CURVED | JOINT_ROLLING | JOINT_VELOCITIES))) {
        return (freedom){0};
    }
    return type->keys & JOINT_CHAIN ? freedom_of_chain(def) : freedom_of_type(type, def);
}

// A coordinate of another joint is what it is there, where that joint has been read.
static freedom freedom_of(const reader *r, const ph_joint_def *def)
{
    const joint_type *type = type_of(def);
    if (!type || !(type->keys & JOINT_OF)) {
        return freedom_of_own(def);
    }
    const bool known = def->of_joint >= 0 && def->of_joint < r->spec->joint_count;
    const freedom whole = known ? freedom_of_own(&r->spec->joints[def->of_joint]) : (freedom){0};
    const bool has = def->of_coordinate >= 0 && def->of_coordinate < whole.count;
    return has ? (freedom){1, {whole.slides[def->of_coordinate]}, whole.winds} : (freedom){0};
}

// What is said of coordinate i. Whole angles of ten and more are hardly radians.
static void check_value(reader *r, const measured_key *k, const node *value, const freedom *f, int i)
{
    const measure *wanted = f->slides[i] ? &k->sliding : &k->turning;
    const bool angle = dimension_equal(wanted->of, (dimension){0});
    if (check_measure(r, value, wanted) && angle && !f->winds) {
        warn_of_degrees(r, value, k->key);
    }
}

static void check_key(reader *r, const measured_key *k, const node *value, const freedom *f)
{
    const size_t length = path_enter_key(r, k->key);
    if (k->of_each && value->kind == NODE_LIST) {
        for (int i = 0; i < value->count && i < f->count; i++) {
            check_value(r, k, value->entries[i].value, f, i);
        }
    } else {
        check_value(r, k, value, f, 0);
    }
    path_leave(r, length);
}

void check_joint_units(reader *r, const node *n, const ph_joint_def *def)
{
    const freedom f = freedom_of(r, def);
    for (const measured_key *k = keys; f.count > 0 && k->key; k++) {
        const node *value = node_find(n, k->key);
        value = value ? value : default_of(r, n, "joints", def->type, k->key);
        if (value) {
            check_key(r, k, value, &f);
        }
    }
    const node *motor = f.count > 0 ? node_find(n, "motor") : NULL;
    for (const measured_key *k = motor_keys; motor && k->key; k++) {
        if (node_find(motor, k->key)) {
            check_key(r, k, node_find(motor, k->key), &f);
        }
    }
}

static const measured_key *find_key(const char *key)
{
    const measured_key *k = keys;
    while (k->key && strcmp(k->key, key) != 0) {
        k++;
    }
    return k;
}

// Along the coordinate of a joint, or along a line.
void check_force_units(reader *r, const node *n, const element_key *own, const ph_force_def *def)
{
    static const char *const of_springs[] = {"stiffness", "damping", "rest"};
    const bool by_joint = key_of_kind(own, KEY_JOINT), known = def->joint >= 0 && def->joint < r->spec->joint_count;
    const freedom line = {1, {true}, false};
    const freedom f = !by_joint ? line : known ? freedom_of(r, &r->spec->joints[def->joint]) : (freedom){0};
    for (int k = 0; k < 3 && f.count > 0 && !key_of_kind(own, KEY_MATRIX6); k++) {
        const node *value = node_find(n, of_springs[k]);
        value = value ? value : default_of(r, n, "forces", def->type, of_springs[k]);
        if (value) {
            check_key(r, find_key(of_springs[k]), value, &f);
        }
    }
}

void check_keyframe_units(reader *r, const node *values, const char *key, int joint)
{
    const freedom f = joint < r->spec->joint_count ? freedom_of(r, &r->spec->joints[joint]) : (freedom){0};
    if (f.count > 0) {
        check_key(r, find_key(key), values, &f);
    }
}

bool check_setting_units(reader *r, const char *where, const char *text, const char *key, const ph_joint_def *def,
                         int index)
{
    const freedom f = freedom_of(r, def);
    const measured_key *k = find_key(key);
    const measure *wanted = f.slides[index] ? &k->sliding : &k->turning;
    return index >= f.count || measures_text(text, wanted) ||
           fail(r, NULL, NULL, "%s: expected %s", where, wanted->name);
}
