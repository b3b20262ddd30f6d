// Force elements: every type in the table, and what joints do along their own coordinate.

#include "test.h"

#include "dynamics/system.h"
#include "forces/drive.h"
#include "math/quat.h"
#include "math/so3.h"
#include "polhode/model.h"
#include "random_vector.h"

enum { BODIES = 3 };

static ph_quat random_turn(double size)
{
    return ph_quat_exp(random_vector(size));
}

// ---- A model with one element of a type -----------------------------------------------------------------------------

static ph_spec *three_bodies(void)
{
    static const char *const names[BODIES] = {"a", "b", "c"};
    ph_spec *spec = ph_spec_create(NULL);
    ph_spec_set_gravity(spec, ph_vec(1.0, 2.0, -9.0));
    ph_spec_add_input(spec, "u", 3.0);
    for (int i = 0; i < BODIES; i++) {
        ph_body_def def = ph_default_body();
        def.name = names[i];
        def.mass = 1.0 + i;
        def.inertia = (ph_mat3){{{0.2, 0.01, 0.0}, {0.01, 0.3, 0.0}, {0.0, 0.0, 0.4}}};
        def.com = random_vector(0.1);
        def.position = ph_add(ph_vec(1.5 * i, 0.0, 0.0), random_vector(0.2));
        def.orientation = random_turn(1.0);
        ph_spec_add_body(spec, &def);
    }
    return spec;
}

static ph_joint_def driven_joint(const char *name, const char *type, int a, int b)
{
    ph_joint_def def = ph_default_joint();
    def.name = name;
    def.type = type;
    def.body_a = a;
    def.body_b = b;
    def.has_anchor = def.has_axis = true;
    def.anchor = random_vector(1.0);
    def.axis = random_vector(1.0);
    def.has_start = true;
    def.start = 0.3;
    return def;
}

static void random_symmetric(double M[6][6])
{
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k <= i; k++) {
            M[i][k] = M[k][i] = test_uniform(-1.0, 1.0) + (i == k ? 5.0 : 0.0);
        }
    }
}

static ph_force_def random_force(const force_type *type)
{
    ph_force_def def = ph_default_force();
    def.type = type->name;
    def.body_a = force_takes(type, KEY_BODIES) ? 0 : PH_NONE;
    def.body_b = force_takes(type, KEY_BODIES) || force_takes(type, KEY_BODY) ? 2 : PH_NONE;
    def.joint = force_takes(type, KEY_JOINT) ? 0 : PH_NONE;
    def.point_a = random_vector(0.3);
    def.point_b = random_vector(0.3);
    def.stiffness = 7.0;
    def.damping = 2.0;
    random_symmetric(def.stiffness6);
    random_symmetric(def.damping6);
    def.anchor = random_vector(0.5);
    def.orientation = random_turn(1.0);
    for (const element_key *k = type->keys; k->key; k++) { // numbers that have no member of their own
        if (k->kind == KEY_NUMBER && k->needed) CHECK_EQ_INT(ph_force_set(&def, k->key, 3.0), PH_OK);
    }
    if (force_takes(type, KEY_VALUES3)) {
        def.force[0].expression = "2*sin(t) + u";
        def.force[1].expression = "q.hinge^2 - qd.hinge";
        def.force[2].number = 1.5;
        def.torque[1].number = -0.5;
        def.body_frame = test_random_index(2) == 1;
    }
    return def;
}

static ph_model *compiled(ph_spec *spec)
{
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    ph_model_compile(spec, problems, &model);
    for (int i = 0; i < ph_problems_count(problems); i++) {
        printf("  %s: %s\n", ph_problems_get(problems, i)->path, ph_problems_get(problems, i)->text);
    }
    ph_problems_destroy(problems);
    ph_spec_destroy(spec);
    CHECK(model);
    return model;
}

static ph_model *model_with(const force_type *type)
{
    ph_spec *spec = three_bodies();
    const ph_joint_def hinge = driven_joint("hinge", "revolute", 0, 1);
    ph_spec_add_joint(spec, &hinge);
    const ph_force_def def = random_force(type);
    ph_spec_add_force(spec, &def);
    return compiled(spec);
}

// Every spring, damper, friction and motor that a joint can have.
static ph_model *model_with_drive(const char *joint_type_name, ph_drive motor)
{
    ph_spec *spec = three_bodies();
    ph_joint_def def = driven_joint("hinge", joint_type_name, 0, 1);
    def.stiffness = 3.0;
    def.rest = 0.2;
    def.damping = 0.7;
    def.friction = 0.4;
    def.friction_speed = 0.5;
    def.motor = motor;
    def.motor_value.expression = "0.3 + t*u";
    def.motor_kp = 2.0;
    def.motor_kd = 0.6;
    ph_spec_add_joint(spec, &def);
    return compiled(spec);
}

// ---- Random motions -------------------------------------------------------------------------------------------------

typedef struct scene {
    frame frames[BODIES + 1];
    ph_twist twists[BODIES + 1];
    double inputs[1], turns[4];
} scene;

static scene random_scene(const ph_model *model)
{
    scene s = {.inputs = {0.7}, .turns = {0.3}};
    for (int i = 0; i <= BODIES; i++) {
        s.frames[i] = body_frame(&model->bodies[i]);
        if (i < BODIES) {
            s.frames[i].R = ph_mat_mul(s.frames[i].R, ph_so3_exp(random_vector(0.6)));
            s.frames[i].x = ph_add(s.frames[i].x, random_vector(0.3));
            s.twists[i] = (ph_twist){random_vector(1.0), random_vector(1.0)};
        }
    }
    return s;
}

static motion motion_of(const scene *s)
{
    return (motion){.time = 0.4, .frames = s->frames, .twists = s->twists, .inputs = s->inputs, .turns = s->turns};
}

static double potential_of(const ph_model *model, const scene *s)
{
    const motion at = motion_of(s);
    return system_potential(model, &at);
}

// The scene at time h at constant omega and v.
static scene flown(const scene *s, double h)
{
    scene to = *s;
    for (int i = 0; i < BODIES; i++) {
        to.frames[i].R = ph_mat_mul(s->frames[i].R, ph_so3_exp(ph_scale(h, s->twists[i].omega)));
        to.frames[i].x = ph_madd(s->frames[i].x, h, s->twists[i].v);
    }
    return to;
}

// dU/dt along the motion, by a fourth-order difference
static double potential_rate(const ph_model *model, const scene *s)
{
    const double h = 5e-4;
    double U[4];
    for (int n = 0; n < 4; n++) {
        const scene p = flown(s, h * (double[]){-2.0, -1.0, 1.0, 2.0}[n]);
        U[n] = potential_of(model, &p);
    }
    return (8.0 * (U[2] - U[1]) - (U[3] - U[0])) / (12.0 * h);
}

static double power_of(const ph_wrench *Q, const ph_twist *twists)
{
    double sum = 0.0;
    for (int i = 0; i < BODIES; i++) {
        sum += ph_dot(Q[i].torque, twists[i].omega) + ph_dot(Q[i].force, twists[i].v);
    }
    return sum;
}

// The forces have the power -dU/dt + what system_power tells.
static void check_balance(const ph_model *model)
{
    for (int trial = 0; trial < 20; trial++) {
        const scene s = random_scene(model);
        const motion at = motion_of(&s);
        ph_wrench Q[BODIES + 1];
        system_forces(model, &at, Q, NULL);
        CHECK_NEAR(power_of(Q, s.twists), -potential_rate(model, &s) + system_power(model, &at), 1e-7);
    }
}

// At rest the elements do no work, and their forces are -dU/dq: tried along random velocities.
static void check_gradient(const ph_model *model)
{
    for (int trial = 0; trial < 20; trial++) {
        scene rest = random_scene(model), moving = rest;
        memset(rest.twists, 0, sizeof rest.twists);
        const motion at = motion_of(&rest);
        ph_wrench Q[BODIES + 1];
        system_forces(model, &at, Q, NULL);
        CHECK_NEAR(system_power(model, &at), 0.0, 0.0);
        CHECK_NEAR(power_of(Q, moving.twists), -potential_rate(model, &moving), 1e-7);
    }
}

TEST(forces_at_rest_are_the_gradient_of_the_potential)
{
    for (int t = 0; force_types[t]; t++) {
        if (force_types[t]->potential) {
            ph_model *model = model_with(force_types[t]);
            if (model) {
                check_gradient(model);
            }
            ph_model_destroy(model);
        }
    }
}

TEST(power_balances_for_every_type)
{
    for (int t = 0; force_types[t]; t++) {
        ph_model *model = model_with(force_types[t]);
        if (model) {
            check_balance(model);
        }
        ph_model_destroy(model);
    }
}

// kp and kd alone would ask for far more than the motor can give; within its limit it is as if there were none.
TEST(motors_give_no_more_than_they_can)
{
    const drive_law law = {.kp = 100.0, .kd = 2.0, .target = 1.0, .max = 5.0, .stiffness = 3.0, .damping = 0.5};
    const drive_force far = drive_force_of(&law, 0.0, 0.3), near = drive_force_of(&law, 0.99, 0.1);
    CHECK_NEAR(far.all, 5.0 - 0.5 * 0.3, 1e-15);
    CHECK_NEAR(far.by_q, -3.0, 0.0);
    CHECK_NEAR(far.by_rate, -0.5, 0.0);
    CHECK_NEAR(near.all, 100.0 * 0.01 - 2.0 * 0.1 - 0.5 * 0.1 - 3.0 * 0.99, 1e-14);
    CHECK_NEAR(near.spring, -3.0 * 0.99, 1e-15);
    CHECK_NEAR(near.by_q, -103.0, 0.0);
    CHECK_NEAR(near.by_rate, -2.5, 0.0);
    CHECK_NEAR(drive_force_of(&law, 2.0, 0.0).all, -5.0 - 6.0, 1e-15);
}

TEST(power_balances_for_what_joints_do)
{
    static const char *const types[] = {"revolute", "prismatic"};
    static const ph_drive motors[] = {PH_MOTOR_NONE, PH_MOTOR_TORQUE, PH_MOTOR_SERVO};
    for (int t = 0; t < 2; t++) {
        for (int m = 0; m < 3; m++) {
            ph_model *model = model_with_drive(types[t], motors[m]);
            if (model) {
                check_balance(model);
                CHECK_EQ_INT(ph_model_forces(model), 0);
            }
            ph_model_destroy(model);
        }
    }
}

static void apply(const force *f, const motion *at, ph_wrench *Q)
{
    exertion e = {0};
    f->type->act(f, at, &e);
    wrench_add(&Q[f->a], 1.0, &e.a);
    wrench_add(&Q[f->b], 1.0, &e.b);
}

// Internal forces: no resultant, no moment.
TEST(elements_between_bodies_balance)
{
    for (int t = 0; force_types[t]; t++) {
        if (force_takes(force_types[t], KEY_BODY)) {
            continue;
        }
        ph_model *model = model_with(force_types[t]);
        if (!model) {
            continue;
        }
        const scene s = random_scene(model);
        const motion at = motion_of(&s);
        ph_wrench Q[BODIES + 1] = {0};
        apply(&model->forces[0], &at, Q);
        ph_vec3 resultant = ph_zero3(), moment = ph_zero3();
        for (int i = 0; i < BODIES; i++) {
            resultant = ph_add(resultant, Q[i].force);
            moment = ph_add3(moment, ph_mul(s.frames[i].R, Q[i].torque), ph_cross(s.frames[i].x, Q[i].force));
        }
        CHECK_NEAR(ph_norm(resultant), 0.0, 1e-13);
        CHECK_NEAR(ph_norm(moment), 0.0, 1e-13);
        ph_model_destroy(model);
    }
}

// ---- Values by hand -------------------------------------------------------------------------------------------------

static scene start_of(const ph_model *model)
{
    scene s = {.inputs = {3.0}, .turns = {0.3}};
    for (int i = 0; i <= BODIES; i++) {
        s.frames[i] = body_frame(&model->bodies[i]);
    }
    return s;
}

static bool is_elastic(const force_type *type)
{
    for (const element_key *k = type->keys; k->key; k++) {
        if (strcmp(k->key, "stiffness") == 0) return true;
    }
    return false;
}

TEST(elements_without_rest_length_are_at_rest_at_the_start)
{
    for (int t = 0; force_types[t]; t++) {
        if (is_elastic(force_types[t])) {
            ph_model *model = model_with(force_types[t]);
            if (model) {
                const scene s = start_of(model);
                const motion at = motion_of(&s);
                CHECK_NEAR(force_types[t]->potential(&model->forces[0], &at), 0.0, 1e-28);
            }
            ph_model_destroy(model);
        }
    }
}

TEST(numbers_are_set_by_their_keys)
{
    ph_force_def def = ph_default_force();
    CHECK_EQ_INT(ph_force_set(&def, "stiffness", 2.0), PH_NOT_FOUND); // of which type?
    def.type = "spring";
    CHECK_EQ_INT(ph_force_set(&def, "stiffness", 2.0), PH_OK);
    CHECK_EQ_INT(ph_force_set(&def, "length", 0.5), PH_OK);
    CHECK_EQ_INT(ph_force_set(&def, "rest", 0.5), PH_NOT_FOUND);
    CHECK_EQ_INT(ph_force_set(&def, "point_a", 0.5), PH_NOT_FOUND);
    CHECK(def.stiffness == 2.0 && def.length == 0.5 && def.has_length);
    def.cookie = 0;
    CHECK_EQ_INT(ph_force_set(&def, "stiffness", 2.0), PH_BAD_ARGUMENT);
}

TEST(wrench_acts_at_its_point_in_its_frame)
{
    for (int form = 0; form < 4; form++) {
        const bool body_axes = form & 1, at_com = form & 2;
        ph_spec *spec = three_bodies();
        ph_force_def def = ph_default_force();
        def.type = "wrench";
        def.body_b = 1;
        def.point_b = ph_vec(0.5, 0.0, 0.0);
        def.at_com = at_com;
        def.body_frame = body_axes;
        def.force[1].expression = "2*t*u";
        def.torque[2].number = 0.25;
        ph_spec_add_force(spec, &def);
        ph_model *model = compiled(spec);
        if (!model) {
            return;
        }
        const scene s = start_of(model);
        const motion at = motion_of(&s); // t = 0.4, u = 3
        ph_wrench Q[BODIES + 1] = {0};
        apply(&model->forces[0], &at, Q);
        const ph_mat3 R = s.frames[1].R;
        const ph_vec3 acting = ph_vec(0.0, 2.4, 0.0), torque = ph_vec(0.0, 0.0, 0.25);
        const ph_vec3 f = body_axes ? ph_mul(R, acting) : acting, m = body_axes ? ph_mul(R, torque) : torque;
        const ph_vec3 arm = at_com ? ph_zero3() : ph_mul(R, ph_sub(def.point_b, model->bodies[1].kind->com));
        CHECK_NEAR(ph_norm(ph_sub(Q[1].force, f)), 0.0, 1e-15);
        CHECK_NEAR(ph_norm(ph_sub(ph_mul(R, Q[1].torque), ph_add(m, ph_cross(arm, f)))), 0.0, 1e-15);
        ph_model_destroy(model);
    }
}

TEST(small_bushing_motions_meet_the_linear_law)
{
    const force_type *bushing = NULL;
    for (int t = 0; force_types[t]; t++) {
        bushing = force_takes(force_types[t], KEY_MATRIX6) ? force_types[t] : bushing;
    }
    ph_model *model = model_with(bushing);
    if (!model) {
        return;
    }
    const force *f = &model->forces[0];
    scene s = start_of(model);
    const double x[6] = {1e-6, -2e-6, 3e-6, 4e-6, -5e-6, 6e-6}; // of frame b in frame a
    const ph_mat3 W = ph_quat_to_mat(f->def->orientation);
    const ph_vec3 turn = ph_mul(W, ph_vec(x[0], x[1], x[2])), slide = ph_mul(W, ph_vec(x[3], x[4], x[5]));
    frame *b = &s.frames[2];
    const ph_vec3 arm = ph_sub(b->x, f->def->anchor);
    b->R = ph_mat_mul(ph_so3_exp(turn), b->R);
    b->x = ph_add3(f->def->anchor, ph_mul(ph_so3_exp(turn), arm), slide);
    const motion at = motion_of(&s);
    ph_wrench Q[BODIES + 1] = {0};
    apply(f, &at, Q);
    const ph_vec3 in_frame = ph_tmul(W, Q[2].force);
    const double acting[3] = {in_frame.x, in_frame.y, in_frame.z};
    for (int i = 0; i < 3; i++) {
        double expected = 0.0;
        for (int k = 0; k < 6; k++) {
            expected -= f->def->stiffness6[3 + i][k] * x[k];
        }
        CHECK_NEAR(acting[i], expected, 1e-9);
    }
    ph_model_destroy(model);
}
