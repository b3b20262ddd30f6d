// Random robots: trees of every joint type, loops and gears on request, in the world or free.
#ifndef TESTS_RANDOM_ROBOT_H
#define TESTS_RANDOM_ROBOT_H

#include "joints/joint.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "polhode/polhode.h"
#include "test.h"

enum { ROBOT_BODIES_MAX = 24 };

typedef struct robot_options {
    int bodies;
    bool on_world;    // the first body hangs on the world; else the robot is free
    double ratio;     // of masses: from 1 to this
    int motors;       // joints that a motor prescribes, at the most
    bool hinges;      // nothing but hinges
    const char *only; // the one joint type to use; NULL: any
    double scale;     // m: size of a link; 0: 0.3
    int loops;        // joints that close loops, at the most
} robot_options;

static inline ph_vec3 robot_vector(double size)
{
    return ph_vec(test_uniform(-size, size), test_uniform(-size, size), test_uniform(-size, size));
}

static inline ph_quat robot_rotation(void)
{
    return ph_quat_unit((ph_quat){test_uniform(-1, 1), test_uniform(-1, 1), test_uniform(-1, 1), test_uniform(-1, 1)});
}

// Moments a + b, a + c, b + c belong to a body for any positive a, b, c.
static inline ph_mat3 robot_inertia(double size)
{
    const double a = test_uniform(0.2, 1), b = test_uniform(0.2, 1), c = test_uniform(0.2, 1);
    const ph_mat3 R = ph_quat_to_mat(robot_rotation());
    return ph_sym(ph_mat_mult(ph_mat_mul(R, ph_diag(ph_vec(size * (a + b), size * (a + c), size * (b + c)))), R));
}

static inline double robot_mass(const robot_options *o)
{
    return pow(o->ratio > 1.0 ? o->ratio : 1.0, test_uniform(-0.5, 0.5));
}

// A joint of `type` at `anchor` with a random axis.
static inline ph_joint_def robot_joint(const joint_type *type, int a, int b, ph_vec3 anchor, double size)
{
    ph_joint_def def = ph_default_joint();
    def.type = type->name;
    def.body_a = a;
    def.body_b = b;
    if (type->keys & JOINT_CHAIN) { // turns and slides that are not nearly the same
        def.motion_count = 2 + test_random_index(2);
        for (int k = 0; k < def.motion_count; k++) {
            const ph_vec3 bent = robot_vector(0.1);
            def.motions[k] = (ph_chain_motion){.slides = test_random_index(3) == 0,
                                               .axis = ph_add(bent, ph_vec(k % 3 == 0, k % 3 == 1, k % 3 == 2)),
                                               .point = robot_vector(0.3 * size)};
        }
        return def;
    }
    if (type->keys & JOINT_APART) {
        def.has_anchor_a = def.has_anchor_b = true;
        def.anchor_a = robot_vector(0.3 * size);
        def.anchor_b = robot_vector(0.3 * size);
    } else {
        def.has_anchor = true;
        def.anchor = anchor;
    }
    def.has_axis = (type->keys & (JOINT_AXIS | JOINT_NORMAL | JOINT_AXIS_OPTIONAL)) != 0;
    def.axis = robot_vector(1.0);
    def.has_axis2 = (type->keys & JOINT_AXIS2) != 0;
    def.axis2 = ph_any_perpendicular(def.axis);
    def.pitch = type->keys & JOINT_PITCH ? 0.2 * size : 0.0;
    if (type->keys & JOINT_LOCK) {
        def.lock[test_random_index(6)] = true;
        for (int k = 0; k < 6; k++) def.lock[k] |= test_random_index(2) == 1;
    }
    return def;
}

static inline const joint_type *robot_type(const robot_options *o)
{
    int count = 0;
    for (int k = 0; joint_types[k]; k++)
        if (o->only && strcmp(joint_types[k]->name, o->only) == 0 && (joint_types[k]->keys & JOINT_CHAIN))
            return joint_types[k];
    while (joint_types[count] && !(joint_types[count]->keys & (JOINT_ROLLING | JOINT_VELOCITIES))) count++;
    while (true) {
        const joint_type *type = joint_types[test_random_index(count)];
        if (type->keys & JOINT_GEAR) continue;
        if (o->only ? strcmp(type->name, o->only) == 0 : !o->hinges || strcmp(type->name, "revolute") == 0) return type;
    }
}

// Each body hangs on one of the last few; either may be the joint's a.
static inline void robot_add_bodies(ph_spec *spec, const robot_options *o, ph_vec3 *at)
{
    const double size = o->scale > 0.0 ? o->scale : 0.3;
    int motors = 0;
    for (int i = 0; i < o->bodies; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        const int back = 1 + test_random_index(3), parent = i == 0 ? PH_WORLD : i - back < 0 ? 0 : i - back;
        const ph_vec3 from = i == 0 ? ph_zero3() : at[parent];
        ph_body_def def = ph_default_body();
        def.name = name;
        def.mass = robot_mass(o);
        def.inertia = robot_inertia(0.1 * def.mass * size * size);
        def.position = at[i] = ph_add(from, robot_vector(size));
        def.orientation = robot_rotation();
        CHECK_EQ_INT(ph_spec_add_body(spec, &def), i);
        if (i == 0 && !o->on_world) continue;
        const joint_type *type = robot_type(o);
        const ph_vec3 anchor = ph_scale(0.5, ph_add(from, at[i]));
        const bool turned = test_random_index(2);
        ph_joint_def joint = robot_joint(type, turned ? i : parent, turned ? parent : i, anchor, size);
        char joint_name[16];
        snprintf(joint_name, sizeof joint_name, "j%d", i);
        joint.name = joint_name;
        const bool inner =
            o->loops == 0 || i < o->bodies / 2; // a loop that ends at the driven body may forbid what the motor asks
        if (motors < o->motors && inner && strcmp(type->name, "revolute") == 0) {
            joint.motor = PH_MOTOR_SPEED;
            joint.motor_value.number = test_uniform(-1.0, 1.0);
            motors++;
        }
        CHECK(ph_spec_add_joint(spec, &joint) >= 0);
    }
}

// Rods, planes and balls between bodies far from each other in the tree, so that freedoms are left.
static inline void robot_add_loops(ph_spec *spec, const robot_options *o, const ph_vec3 *at)
{
    static const char *const types[] = {"distance", "point_on_plane", "ball", "point_on_line"};
    for (int n = 0; n < o->loops && o->bodies > 5; n++) {
        const int a = test_random_index(o->bodies / 2), b = o->bodies - 1 - test_random_index(o->bodies / 3);
        int type = 0;
        const char *name = types[test_random_index(o->bodies > 10 ? 4 : 2)];
        while (strcmp(joint_types[type]->name, name) != 0) type++;
        const ph_vec3 anchor = ph_add(ph_scale(0.5, ph_add(at[a], at[b])), robot_vector(0.1));
        ph_joint_def joint = robot_joint(joint_types[type], a, b, anchor, o->scale > 0.0 ? o->scale : 0.3);
        char joint_name[16];
        snprintf(joint_name, sizeof joint_name, "loop%d", n);
        joint.name = joint_name;
        CHECK(ph_spec_add_joint(spec, &joint) >= 0);
    }
}

static inline ph_model *robot_compile(ph_spec *spec)
{
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    ph_spec_set_project(spec, true);
    if (!CHECK_EQ_INT(ph_model_compile(spec, problems, &model), PH_OK))
        for (int k = 0; k < ph_problems_count(problems); k++) printf("  %s\n", ph_problems_get(problems, k)->text);
    ph_problems_destroy(problems);
    ph_spec_destroy(spec);
    return model;
}

static inline ph_model *robot_make(const robot_options *o)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_vec3 at[ROBOT_BODIES_MAX];
    ph_spec_set_gravity(spec, ph_vec(1.0, -2.0, -9.81));
    robot_add_bodies(spec, o, at);
    robot_add_loops(spec, o, at);
    return robot_compile(spec);
}

#endif
