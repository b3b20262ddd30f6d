// Random machines: trees and loops of every joint type with motors, servos, springs, limits and friction, above ground of every
// kind. One seed is one machine.
#ifndef TESTS_RANDOM_MACHINE_H
#define TESTS_RANDOM_MACHINE_H

#include "random_robot.h"

typedef enum machine_ground { GROUND_NONE, GROUND_PLANE, GROUND_MESH, GROUND_FIELD, GROUND_KINDS } machine_ground;

typedef struct machine {
    uint64_t seed;
    int bodies;
    double ratio; // of masses, at the most
    bool on_world;
    int loops, motors;
    bool drives;   // servos, springs, dampers, armatures
    bool stops;    // limits and dry friction
    bool bounces;  // restitution
    bool rolls;    // rolling and spinning friction, compliance
    bool springs;  // between bodies
    bool collides; // bodies with each other
    bool flies;    // no gravity
    double gain;   // kd h/I of servos, at the most
    bool torques;  // in place of drives: motors whose torque is the input of that number
    machine_ground ground;
    uint64_t after; // where its random numbers go on
} machine;

static inline double machine_power(double low, double high) // of ten
{
    return pow(10.0, test_uniform(low, high));
}

static inline bool machine_chance(double p)
{
    return test_uniform(0.0, 1.0) < p;
}

static inline machine machine_of(uint64_t seed)
{
    machine m = {.seed = seed};
    test_state.random_state = 0x5851f42d4c957f2du * (seed + 1);
    m.bodies = 2 + test_random_index(12);
    m.ratio = machine_power(0.0, 4.0);
    m.on_world = machine_chance(0.4);
    m.loops = machine_chance(0.3) ? 1 + test_random_index(2) : 0;
    m.motors = machine_chance(0.25) ? 1 + test_random_index(2) : 0;
    m.drives = machine_chance(0.7);
    m.stops = machine_chance(0.4);
    m.bounces = machine_chance(0.25);
    m.rolls = machine_chance(0.25);
    m.springs = machine_chance(0.25);
    m.collides = machine_chance(0.25);
    m.flies = machine_chance(0.1);
    m.gain = machine_power(-2.0, 4.0);
    m.ground = (machine_ground)test_random_index(GROUND_KINDS);
    m.after = test_state.random_state;
    return m;
}

// ---- Ground ---------------------------------------------------------------------------------------------------------

enum { MACHINE_CELLS = 8 };

static inline double machine_height(int i, int k)
{
    return 0.05 * sin(2.1 * i + 0.7 * k) * cos(1.3 * k);
}

static inline void machine_put(double *to, int i, int k, double cell)
{
    const double middle = 0.5 * MACHINE_CELLS;
    to[0] = cell * (i - middle);
    to[1] = cell * (k - middle);
    to[2] = machine_height(i, k);
}

static inline ph_shape_def machine_mesh(double *data, double cell)
{
    static const int corners[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
    int at = 0;
    for (int i = 0; i < MACHINE_CELLS; i++)
        for (int k = 0; k < MACHINE_CELLS; k++)
            for (int c = 0; c < 6; c++, at += 3) machine_put(data + at, i + corners[c][0], k + corners[c][1], cell);
    ph_shape_def shape = ph_default_shape();
    shape.type = "mesh";
    shape.data = data;
    shape.data_rows = at / 9;
    shape.data_columns = 9;
    return shape;
}

static inline ph_shape_def machine_field(double *data, double cell)
{
    const int n = MACHINE_CELLS + 1;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) data[i * n + k] = machine_height(i, k);
    ph_shape_def shape = ph_default_shape();
    shape.type = "heightfield";
    shape.size = ph_vec(cell * MACHINE_CELLS, cell * MACHINE_CELLS, 1.0);
    shape.data = data;
    shape.data_rows = shape.data_columns = n;
    return shape;
}

// Its highest point is at the height `top`.
static inline void machine_add_ground(ph_spec *spec, const machine *m, double top)
{
    double data[9 * 2 * MACHINE_CELLS * MACHINE_CELLS];
    ph_body_def def = ph_default_body();
    ph_shape_def shape = ph_default_shape();
    if (m->ground == GROUND_NONE) return;
    def.name = "ground";
    def.fixed = true;
    def.position = ph_vec(0.0, 0.0, top - (m->ground == GROUND_PLANE ? 0.0 : 0.05));
    shape.type = "plane";
    shape.size = ph_vec(0.0, 0.0, 1.0);
    if (m->ground == GROUND_MESH) shape = machine_mesh(data, 1.5);
    if (m->ground == GROUND_FIELD) shape = machine_field(data, 1.5);
    shape.friction = test_uniform(0.0, 1.2);
    const int ground = ph_spec_add_body(spec, &def);
    CHECK(ph_spec_add_shape(spec, ground, &shape) >= 0);
}

// ---- Bodies ---------------------------------------------------------------------------------------------------------

static inline void machine_add_shape(ph_spec *spec, const machine *m, int body, double size)
{
    static const char *const types[] = {"sphere", "box", "capsule", "cylinder", "ellipsoid", "hull"};
    double points[24];
    ph_shape_def s = ph_default_shape();
    s.type = types[test_random_index(6)];
    s.radius = test_uniform(0.05, 0.15) * size;
    s.length = test_uniform(0.1, 0.4) * size;
    s.size = ph_vec(test_uniform(0.1, 0.3) * size, test_uniform(0.1, 0.3) * size, test_uniform(0.1, 0.3) * size);
    for (int k = 0; k < 24; k++) points[k] = test_uniform(-0.15, 0.15) * size;
    if (strcmp(s.type, "hull") == 0) {
        s.data = points;
        s.data_rows = 8;
        s.data_columns = 3;
    }
    s.friction = test_uniform(0.0, 1.2);
    s.group = m->collides ? 0 : 1;
    if (m->bounces && machine_chance(0.5)) s.restitution = test_uniform(0.0, 1.0);
    if (m->rolls && machine_chance(0.5)) s.rolling_friction = machine_power(-4.0, -2.0);
    if (m->rolls && machine_chance(0.5)) s.spinning_friction = machine_power(-4.0, -2.0);
    if (m->rolls && machine_chance(0.2)) s.compliance = machine_power(-6.0, -4.0);
    CHECK(ph_spec_add_shape(spec, body, &s) >= 0);
}

// ---- Joints ---------------------------------------------------------------------------------------------------------

// What acts along the first coordinate. `inertia`: about what it has to move.
static inline void machine_drive(const machine *m, double inertia, ph_joint_def *joint)
{
    const double h = 0.002, kd = inertia * m->gain * machine_power(-1.0, 0.0) / h;
    const double kp = kd * machine_power(0.0, 2.0), max = machine_chance(0.2) ? 10.0 * inertia / h : 0.0;
    const double target = test_uniform(-0.5, 0.5);
    const bool spring = machine_chance(0.3), damper = machine_chance(0.3), rotor = machine_chance(0.2);
    if (machine_chance(0.6)) {
        joint->motor = PH_MOTOR_SERVO;
        joint->motor_value.number = target;
        joint->motor_kp = kp;
        joint->motor_kd = kd;
        joint->motor_max = max;
    }
    if (spring) joint->stiffness = inertia * machine_power(0.0, 5.0);
    if (damper) joint->damping = kd;
    if (rotor) joint->armature = inertia * machine_power(-2.0, 1.0);
}

static inline void machine_stop(double inertia, ph_joint_def *joint)
{
    const double low = test_uniform(-0.6, 0.0), high = test_uniform(0.0, 0.6);
    joint->has_limit_low = machine_chance(0.7);
    joint->has_limit_high = machine_chance(0.7);
    joint->limit_low = low;
    joint->limit_high = high;
    if (machine_chance(0.5)) joint->friction = 10.0 * inertia * machine_power(-1.0, 1.0);
}

// The first coordinate may be driven and stopped; hinges may have motors that prescribe it.
static inline void machine_equip(const machine *m, const joint_type *type, double inertia, int *motors,
                                 ph_joint_def *joint)
{
    const bool one = type->keys & JOINT_DRIVE && !(type->keys & JOINT_LOCK);
    if (*motors < m->motors && strcmp(type->name, "revolute") == 0) {
        joint->motor = PH_MOTOR_SPEED;
        joint->motor_value.number = test_uniform(-2.0, 2.0);
        (*motors)++;
        return;
    }
    if (m->drives && one) machine_drive(m, inertia, joint);
    if (m->torques && joint->motor == PH_MOTOR_SERVO) joint->motor = PH_MOTOR_NONE;
    if (m->torques) joint->stiffness = joint->damping = joint->motor_max = 0.0;
    if (m->stops && one && machine_chance(0.6)) machine_stop(inertia, joint);
}

static inline void machine_add_link(ph_spec *spec, const machine *m, int i, ph_vec3 *at, int *motors)
{
    const double size = 0.3;
    const robot_options o = {.ratio = m->ratio, .hinges = machine_chance(0.5)};
    const int back = 1 + test_random_index(3), parent = i == 0 ? PH_WORLD : i - back < 0 ? 0 : i - back;
    const ph_vec3 from = i == 0 ? ph_zero3() : at[parent];
    char name[16], joint_name[16];
    snprintf(name, sizeof name, "b%d", i);
    snprintf(joint_name, sizeof joint_name, "jt%d", i);
    ph_body_def def = ph_default_body();
    def.name = name;
    def.mass = robot_mass(&o);
    def.inertia = robot_inertia(0.1 * def.mass * size * size);
    def.position = at[i] = ph_add(from, robot_vector(size));
    def.orientation = robot_rotation();
    def.velocity = robot_vector(m->flies ? 1.0 : 0.0);
    CHECK_EQ_INT(ph_spec_add_body(spec, &def), i);
    machine_add_shape(spec, m, i, size);
    if (i == 0 && !m->on_world) return;
    const joint_type *type = robot_type(&o);
    const bool turned = test_random_index(2);
    ph_joint_def joint =
        robot_joint(type, turned ? i : parent, turned ? parent : i, ph_scale(0.5, ph_add(from, at[i])), size);
    joint.name = joint_name;
    machine_equip(m, type, def.mass * size * size, motors, &joint);
    if (m->torques && joint.motor == PH_MOTOR_NONE && type->keys & JOINT_DRIVE && !(type->keys & JOINT_LOCK)) {
        CHECK(ph_spec_add_input(spec, joint_name + 1, 0.0) >= 0);
        joint.motor = PH_MOTOR_TORQUE;
        joint.motor_value.expression = joint_name + 1;
    }
    CHECK(ph_spec_add_joint(spec, &joint) >= 0);
}

static inline void machine_add_springs(ph_spec *spec, const machine *m)
{
    for (int n = 0; n < 2; n++) {
        ph_force_def def = ph_default_force();
        def.type = "spring";
        def.body_a = test_random_index(m->bodies);
        def.body_b = machine_chance(0.3) ? PH_WORLD : test_random_index(m->bodies);
        def.point_a = robot_vector(0.1);
        def.point_b = robot_vector(0.5);
        def.stiffness = machine_power(0.0, 3.0);
        def.damping = machine_power(-1.0, 4.0);
        if (def.body_a != def.body_b) CHECK(ph_spec_add_force(spec, &def) >= 0);
    }
}

static inline ph_spec *machine_spec(const machine *m, double tolerance)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_vec3 at[ROBOT_BODIES_MAX];
    ph_contact_settings contact = ph_default_contact();
    int motors = 0;
    double lowest = 0.0;
    test_state.random_state = m->after;
    ph_spec_set_gravity(spec, m->flies ? ph_zero3() : ph_vec(0.0, 0.0, -9.81));
    for (int i = 0; i < m->bodies; i++) {
        machine_add_link(spec, m, i, at, &motors);
        lowest = fmin(lowest, at[i].z);
    }
    const robot_options loops = {.bodies = m->bodies, .loops = m->loops};
    robot_add_loops(spec, &loops, at);
    if (m->springs) machine_add_springs(spec, m);
    machine_add_ground(spec, m, lowest - 0.15);
    contact.tolerance = tolerance;
    CHECK_EQ_INT(ph_spec_set_contact(spec, &contact), PH_OK);
    ph_spec_set_project(spec, true);
    return spec;
}

#endif
