// Models of `polhode bench --map`: bodies half a metre apart, each hung on the one before it by a joint of the type in
// question, with a spring, damper or motor along its coordinate.

#include "bench_map.h"

#include "polhode/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const map_shape_names[MAP_SHAPES] = {"chain", "tree", "loop"};
const char *const map_drive_names[MAP_DRIVES] = {"bare",   "spring",     "damper", "servo",
                                                 "torque", "prescribed", "limit",  "rotor"};

// What a joint needs follows from the keys its type takes: a new type is in the map without a word here.
static bool takes(const char *joint, const char *key)
{
    for (int t = 0; t < ph_joint_type_count(); t++) {
        const ph_joint_type_info info = ph_joint_type(t);
        if (strcmp(info.name, joint) != 0) continue;
        const size_t length = strlen(key);
        for (const char *at = strstr(info.keys, key); at; at = strstr(at + 1, key))
            if ((at == info.keys || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return true;
    }
    return false;
}

// It holds bodies together with nothing left to move.
static bool holds_all(const char *joint)
{
    for (int t = 0; t < ph_joint_type_count(); t++)
        if (strcmp(ph_joint_type(t).name, joint) == 0) return ph_joint_type(t).rows == 6 && !takes(joint, "lock");
    return false;
}

static bool is_driven(const char *joint)
{
    return takes(joint, "motor");
}

bool map_has(const char *joint, map_drive drive, map_shape shape)
{
    if (takes(joint, "of")) return false; // of another joint
    if (takes(joint, "ratio") || holds_all(joint)) return drive == MAP_BARE && shape != MAP_LOOP;
    return drive <= MAP_DAMPER || is_driven(joint);
}

// ---- Bodies ---------------------------------------------------------------------------------------------------------

// Which body the i-th hangs on; -1: the world.
static int parent(map_shape shape, int i)
{
    return shape == MAP_TREE ? (i + 1) / 2 - 1 : i - 1;
}

// A loop hangs as half a circle between two points of the world; `along` counts bodies from the first of them.
static ph_vec3 on_circle(double along)
{
    const double angle = 3.14159265358979 * along / MAP_BODIES, radius = 0.5 * MAP_BODIES / 3.14159265358979;
    return (ph_vec3){0.0, -radius * cos(angle), -radius * sin(angle)};
}

static ph_vec3 place(map_shape shape, int i)
{
    if (shape == MAP_LOOP) return on_circle(i + 0.5);
    if (shape == MAP_CHAIN) return (ph_vec3){0.0, 0.5 * (i + 1), 0.0};
    int depth = 0, first = 0; // of the row of the tree that i stands in
    while (i > 2 * first) first = 2 * first + 1, depth++;
    return (ph_vec3){0.6 * (i - first), 0.5 * (depth + 1), 0.0};
}

static bool add_bodies(ph_spec *spec, map_shape shape)
{
    for (int i = 0; i < MAP_BODIES; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        ph_body_def body = ph_default_body();
        body.name = name;
        body.mass = 1.0;
        body.inertia = (ph_mat3){{{0.03, 0.0, 0.0}, {0.0, 0.02, 0.0}, {0.0, 0.0, 0.04}}};
        body.position = place(shape, i);
        if (ph_spec_add_body(spec, &body) < 0) return false;
    }
    return true;
}

// ---- Joints ---------------------------------------------------------------------------------------------------------

// In a loop all axes are parallel, so that it can move and has rows that depend on others.
static ph_vec3 axis_of(map_shape shape, int i)
{
    return shape == MAP_LOOP || i % 2 == 0 ? (ph_vec3){1.0, 0.0, 0.0} : (ph_vec3){0.0, 0.6, 0.8};
}

static void set_drive(ph_joint_def *def, map_drive drive)
{
    switch (drive) {
    case MAP_SPRING:
        def->stiffness = 20.0;
        break;
    case MAP_DAMPER:
        def->damping = 0.2;
        break;
    case MAP_SERVO:
        def->motor = PH_MOTOR_SERVO;
        def->motor_value.expression = "0.1*sin(2*t)";
        def->motor_kp = 20.0;
        def->motor_kd = 0.5;
        break;
    case MAP_TORQUE:
        def->motor = PH_MOTOR_TORQUE;
        def->motor_value.expression = "0.1*sin(3*t)";
        break;
    case MAP_PRESCRIBED:
        def->motor = PH_MOTOR_POSITION;
        def->motor_value.expression = "0.05*(1 - cos(2*t))";
        break;
    case MAP_LIMIT:
        def->has_limit_low = def->has_limit_high = true;
        def->limit_low = -50.0;
        def->limit_high = 50.0;
        break;
    case MAP_ROTOR:
        def->armature = 0.02;
        break;
    case MAP_BARE:
    case MAP_DRIVES:
        break;
    }
}

// Joints between points of their own, each in its body.
static void set_points(ph_joint_def *def, ph_vec3 a)
{
    def->has_anchor_a = def->has_anchor_b = true;
    def->anchor_a = def->body_a == PH_WORLD ? a : (ph_vec3){0.0, 0.1, 0.0};
    def->anchor_b = (ph_vec3){0.0, -0.1, 0.0};
}

// What rolls on a plane of the body before it, half-way between both.
static void set_rolling(ph_joint_def *def)
{
    def->has_axis = true;
    def->axis = (ph_vec3){0.0, 1.0, 0.0};
    def->radius = takes(def->type, "radius") ? 0.25 : 0.0;
    def->has_axis2 = takes(def->type, "axis2");
    def->axis2 = (ph_vec3){1.0, 0.0, 0.0};
}

// Two turns about axes that are apart.
static void set_motions(ph_joint_def *def)
{
    def->motion_count = 2;
    def->motions[0] = (ph_chain_motion){.axis = {0.0, 0.28, 0.96}, .point = {0.0, 0.0, 0.25}};
    def->motions[1] = (ph_chain_motion){.axis = {0.0, 1.0, 0.0}, .point = {0.0, 0.0, 0.2}};
}

static void set_axes(ph_joint_def *def, map_shape shape, int i)
{
    def->has_axis = takes(def->type, "axis") || takes(def->type, "normal");
    def->axis = axis_of(shape, i);
    def->has_axis2 = takes(def->type, "axis2");
    def->axis2 = (ph_vec3){0.0, 0.8 * def->axis.y == 0.0 ? 1.0 : -def->axis.z, def->axis.y};
}

static void set_places(ph_joint_def *def, map_shape shape, int i)
{
    const int from = parent(shape, i);
    const ph_vec3 b = place(shape, i), a = from < 0 ? (ph_vec3){b.x, b.y - 0.5, b.z} : place(shape, from);
    if (takes(def->type, "motions")) {
        set_motions(def);
    } else if (takes(def->type, "slide")) {
        set_rolling(def);
    } else if (takes(def->type, "length")) {
        set_points(def, a);
    } else {
        def->has_anchor = true;
        def->anchor = (ph_vec3){0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z)};
        if (shape == MAP_LOOP) def->anchor = on_circle(i);
        set_axes(def, shape, i);
    }
    const bool lock[6] = {true, true, true, true, true, false};
    if (takes(def->type, "lock")) memcpy(def->lock, lock, sizeof lock);
    def->pitch = takes(def->type, "pitch") ? 0.05 : 0.0;
    def->velocity_count = takes(def->type, "rows");
    def->velocities[0].of[0].number = 1.0;
}

static ph_joint_def joint_named(const char *type, char letter, int i, char name[16])
{
    ph_joint_def def = ph_default_joint();
    snprintf(name, 16, "%c%d", letter, i);
    def.name = name;
    def.type = type;
    return def;
}

static bool add_joint(ph_spec *spec, const char *type, map_drive drive, map_shape shape, int i)
{
    char name[16];
    const char *own = takes(type, "ratio") ? "revolute" : holds_all(type) && i % 2 == 0 ? "ball" : type;
    ph_joint_def def = joint_named(own, 'j', i, name);
    def.body_a = parent(shape, i) < 0 ? PH_WORLD : parent(shape, i);
    def.body_b = i;
    set_places(&def, shape, i);
    const bool one = shape == MAP_LOOP && drive == MAP_PRESCRIBED; // the others follow
    if (is_driven(type) && (!one || i == 0)) set_drive(&def, drive);
    return ph_spec_add_joint(spec, &def) >= 0;
}

// Half as many gears as joints.
static bool add_gear(ph_spec *spec, const char *type, int i)
{
    char name[16];
    ph_joint_def def = joint_named(type, 'g', i, name);
    def.gear_joint[0] = i;
    def.gear_joint[1] = i + 1;
    def.ratio = 1.5;
    return ph_spec_add_joint(spec, &def) >= 0;
}

// Between bodies whose joint has no coordinate to drive.
static bool add_spring(ph_spec *spec, map_drive drive, map_shape shape, int i)
{
    const int from = parent(shape, i);
    const ph_vec3 b = place(shape, i);
    ph_force_def def = ph_default_force();
    def.type = "spring";
    def.body_a = from < 0 ? PH_WORLD : from;
    def.body_b = i;
    def.point_a = from < 0 ? (ph_vec3){b.x, b.y - 0.5, 0.3} : (ph_vec3){0.0, 0.0, 0.3};
    def.point_b = (ph_vec3){0.0, 0.0, 0.3};
    def.stiffness = drive == MAP_SPRING ? 20.0 : 0.0;
    def.damping = drive == MAP_DAMPER ? 0.5 : 0.0;
    return ph_spec_add_force(spec, &def) >= 0;
}

static bool close_loop(ph_spec *spec)
{
    ph_joint_def def = ph_default_joint();
    def.name = "end";
    def.type = "ball";
    def.body_a = PH_WORLD;
    def.body_b = MAP_BODIES - 1;
    def.has_anchor = true;
    def.anchor = on_circle(MAP_BODIES);
    return ph_spec_add_joint(spec, &def) >= 0;
}

bool map_build(ph_spec *spec, const char *joint, map_drive drive, map_shape shape)
{
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, -9.81});
    bool good = add_bodies(spec, shape);
    for (int i = 0; good && i < MAP_BODIES; i++) {
        good = add_joint(spec, joint, drive, shape, i);
        if (good && !is_driven(joint) && (drive == MAP_SPRING || drive == MAP_DAMPER))
            good = add_spring(spec, drive, shape, i);
    }
    for (int i = 0; good && takes(joint, "ratio") && i + 1 < MAP_BODIES; i += 2) good = add_gear(spec, joint, i);
    return good && (shape != MAP_LOOP || close_loop(spec));
}
