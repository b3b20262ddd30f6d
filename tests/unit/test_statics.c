// Static equilibrium and linear modes, against closed forms and against the motion itself.

#include "rig.h"
#include "scenes.h"

#include "math/mat3.h"
#include "math/quat.h"
#include "math/so3.h"

#include <string.h>

static const double g = 9.81;

static const ph_vec3 x_axis = {1.0, 0.0, 0.0}, z_axis = {0.0, 0.0, 1.0};

static ph_statics_report settle(const ph_model *model, ph_state *state)
{
    const ph_statics_def def = ph_default_statics();
    ph_statics_report report;
    ph_error error = {.text = ""};
    CHECK_EQ_INT(ph_statics(model, state, &def, &report, &error), PH_OK);
    CHECK_STR(error.text, "");
    return report;
}

static ph_mode_set *modes_of(const ph_model *model, const ph_state *state)
{
    ph_mode_set *set = NULL;
    ph_error error = {.text = ""};
    CHECK_EQ_INT(ph_modes(model, state, &set, &error), PH_OK);
    CHECK_STR(error.text, "");
    return set;
}

static double omega(const ph_mode_set *set, int k)
{
    return set && k < set->count ? 2.0 * acos(-1.0) * set->modes[k].frequency : (double)NAN;
}

// Rods of scene_body one after the other, on hinges about x, the first at the origin; all at `angle` from the vertical.
static ph_model *hinged_rods(int count, double angle)
{
    ph_spec *spec = scene_start();
    const ph_vec3 along = {0.0, sin(angle), -cos(angle)};
    for (int i = 0; i < count; i++) {
        char name[16];
        ph_body_def body = ph_default_body();
        snprintf(name, sizeof name, "rod%d", i);
        body.name = name;
        body.mass = 2.0;
        body.inertia = ph_diag(ph_vec(0.17, 0.01, 0.17));
        body.position = ph_scale(i + 0.5, along);
        body.orientation = ph_quat_exp(ph_vec(angle - 0.5 * acos(-1.0), 0.0, 0.0)); // rods are along y
        const int index = ph_spec_add_body(spec, &body);
        snprintf(name, sizeof name, "hinge%d", i);
        scene_axial(spec, name, "revolute", i ? index - 1 : PH_WORLD, index, ph_scale(i, along), x_axis);
    }
    return scene_finish(spec);
}

// ---- Equilibrium ----------------------------------------------------------------------------------------------------

TEST(a_pendulum_hangs_down_from_any_start)
{
    for (int k = 0; k <= 12; k++) {
        ph_model *model = hinged_rods(1, k * acos(-1.0) / 12.0); // from hanging to upright
        ph_state *state = ph_state_create(model);
        const ph_statics_report report = settle(model, state);
        const ph_vec3 x = *ph_state_positions(state);
        CHECK_NEAR(ph_norm(ph_sub(x, ph_vec(0.0, 0.0, -0.5))), 0.0, 1e-12);
        CHECK(report.stability_known && report.stable && report.iterations < 60);
        CHECK_NEAR(report.potential, -2.0 * g * 0.5, 1e-10);
        ph_state_destroy(state);
        ph_model_destroy(model);
    }
}

// Ball joints, and nothing that holds the rods against spinning about themselves.
TEST(a_chain_hangs_down)
{
    ph_model *model = scene_chain(20);
    ph_state *state = ph_state_create(model);
    const ph_statics_report report = settle(model, state);
    for (int i = 0; i < 20; i++)
        CHECK_NEAR(ph_norm(ph_sub(ph_state_positions(state)[i], ph_vec(0.0, 0.0, -i - 0.5))), 0.0, 1e-7);
    CHECK(report.stable);
    printf("  %d iterations, residual %.2g\n", report.iterations, report.residual);
    ph_state_destroy(state);
    ph_model_destroy(model);
}

// Masses of 2 kg on springs k one below the other, guided along z: k_i carries what hangs below it.
TEST(springs_carry_what_hangs_on_them)
{
    enum { COUNT = 5 };
    const double k = 300.0;
    ph_spec *spec = scene_start();
    for (int i = 0; i < COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "m%d", i);
        const int body = scene_body(spec, name, ph_vec(0.0, 0.0, -i - 1.0));
        snprintf(name, sizeof name, "guide%d", i);
        scene_axial(spec, name, "prismatic", PH_WORLD, body, ph_vec(0.0, 0.0, -i - 1.0), z_axis);
        ph_force_def spring = ph_default_force();
        spring.type = "spring";
        spring.body_a = i ? body - 1 : PH_WORLD;
        spring.body_b = body;
        spring.stiffness = k;
        ph_spec_add_force(spec, &spring);
    }
    ph_model *model = scene_finish(spec);
    ph_state *state = ph_state_create(model);
    settle(model, state);
    double sag = 0.0;
    for (int i = 0; i < COUNT; i++) {
        sag += 2.0 * g * (COUNT - i) / k;
        CHECK_NEAR(ph_state_positions(state)[i].z, -i - 1.0 - sag, 1e-12);
    }
    ph_mode_set *set = modes_of(model, state); // fixed at one end: 2 sqrt(k/m) sin((2i + 1) pi/(2 (2n + 1)))
    CHECK_EQ_INT(set->count, COUNT);
    for (int i = 0; i < set->count; i++)
        CHECK_REL(omega(set, i), 2.0 * sqrt(k / 2.0) * sin((2 * i + 1) * acos(-1.0) / (2 * (2 * COUNT + 1))), 1e-8);
    ph_modes_destroy(set);
    ph_state_destroy(state);
    ph_model_destroy(model);
}

// A servo holds the rod against its weight: kp (target - q) = m g l sin(...), solved here by bisection.
TEST(a_servo_gives_way_to_weight)
{
    ph_spec *spec = scene_start();
    const int body = scene_body(spec, "arm", ph_vec(0.0, 0.5, 0.0));
    ph_joint_def hinge = scene_joint_def("hinge", "revolute", PH_WORLD, body, ph_zero3());
    hinge.has_axis = true;
    hinge.axis = x_axis;
    hinge.motor = PH_MOTOR_SERVO;
    hinge.motor_value.number = 0.2;
    hinge.motor_kp = 40.0;
    hinge.motor_kd = 3.0;
    ph_spec_add_joint(spec, &hinge);
    ph_model *model = scene_finish(spec);
    ph_state *state = ph_state_create(model);
    settle(model, state);
    double low = -1.0, high = 0.2; // 40 (0.2 - q) - 2 g 0.5 cos q falls
    for (int i = 0; i < 100; i++) {
        const double q = 0.5 * (low + high);
        *(40.0 * (0.2 - q) - g * cos(q) > 0.0 ? &low : &high) = q;
    }
    const ph_vec3 x = *ph_state_positions(state);
    CHECK_NEAR(atan2(x.z, x.y), low, 1e-12);
    ph_mode_set *set = modes_of(model, state); // J = 0.17 + 2/4
    const double J = 0.67, stiffness = 40.0 - g * sin(low);
    CHECK_REL(omega(set, 0), sqrt(stiffness / J), 1e-8);
    CHECK_REL(set->modes[0].damping, 3.0 / (2.0 * sqrt(stiffness * J)), 1e-8);
    CHECK_REL(set->modes[0].decay, 0.5 * 3.0 / J, 1e-8);
    ph_modes_destroy(set);
    ph_state_destroy(state);
    ph_model_destroy(model);
}

TEST(what_falls_has_no_equilibrium)
{
    ph_spec *spec = scene_start();
    scene_body(spec, "stone", ph_vec(1.0, 2.0, 3.0));
    ph_model *model = scene_finish(spec);
    ph_state *state = ph_state_create(model);
    const ph_statics_def def = ph_default_statics();
    ph_statics_report report;
    ph_error error = {.text = ""};
    CHECK_EQ_INT(ph_statics(model, state, &def, &report, &error), PH_NO_CONVERGENCE);
    CHECK(strstr(error.text, "'stone'") && strstr(error.text, "9.81"));
    CHECK_EQ_INT(report.worst_body, 0);
    CHECK_NEAR(report.acceleration, g, 1e-12);
    const ph_vec3 x = *ph_state_positions(state);
    CHECK(x.x == 1.0 && x.y == 2.0 && x.z == 3.0);
    ph_state_destroy(state);
    ph_model_destroy(model);
}

// A motor that turns a wheel with a constant torque never rests.
TEST(a_driven_wheel_has_no_equilibrium)
{
    ph_spec *spec = scene_start();
    const int body = scene_body(spec, "wheel", ph_zero3());
    ph_joint_def hinge = scene_joint_def("hinge", "revolute", PH_WORLD, body, ph_zero3());
    hinge.has_axis = true;
    hinge.axis = x_axis;
    hinge.motor = PH_MOTOR_TORQUE;
    hinge.motor_value.number = 1.0;
    ph_spec_add_joint(spec, &hinge);
    ph_model *model = scene_finish(spec);
    ph_state *state = ph_state_create(model);
    const ph_statics_def def = ph_default_statics();
    CHECK_EQ_INT(ph_statics(model, state, &def, NULL, NULL), PH_NO_CONVERGENCE);
    ph_state_destroy(state);
    ph_model_destroy(model);
}

TEST(statics_refuses_what_it_does_not_know)
{
    ph_model *model = scene_pendulum();
    ph_state *state = ph_state_create(model);
    ph_statics_def def = {0};
    ph_error error;
    ph_mode_set *set;
    CHECK_EQ_INT(ph_statics(model, state, &def, NULL, &error), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(ph_statics(NULL, state, &def, NULL, NULL), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(ph_modes(model, NULL, &set, NULL), PH_BAD_ARGUMENT);
    ph_modes_destroy(NULL);
    ph_state_destroy(state);
    ph_model_destroy(model);
}

// ---- Modes ----------------------------------------------------------------------------------------------------------

TEST(modes_of_a_physical_pendulum)
{
    ph_model *model = hinged_rods(1, 0.0);
    ph_state *state = ph_state_create(model);
    ph_mode_set *set = modes_of(model, state);
    CHECK_EQ_INT(set->count, 1);
    CHECK_REL(omega(set, 0), sqrt(2.0 * g * 0.5 / (0.17 + 2.0 * 0.25)), 1e-12);
    CHECK(set->modes[0].damping == 0.0 && set->coupling == 0.0 && set->asymmetry == 0.0);
    const ph_twist u = set->modes[0].shape[0]; // of modal mass 1, about the hinge
    CHECK_REL(fabs(u.omega.x), 1.0 / sqrt(0.67), 1e-12);
    CHECK_NEAR(fabs(u.v.y), 0.5 * fabs(u.omega.x), 1e-14);
    ph_modes_destroy(set);
    ph_state_destroy(state);
    ph_model_destroy(model);
}

// Upright: the same, with the other sign.
TEST(modes_of_what_falls)
{
    ph_model *model = hinged_rods(1, acos(-1.0));
    ph_state *state = ph_state_create(model);
    ph_mode_set *set = modes_of(model, state);
    CHECK_REL(set->modes[0].eigenvalue, -2.0 * g * 0.5 / 0.67, 1e-12);
    CHECK(set->modes[0].frequency == 0.0 && isnan(set->modes[0].damping));
    ph_modes_destroy(set);
    ph_state_destroy(state);
    ph_model_destroy(model);
}

// Angles from the vertical: M = [J + m l^2 + m L^2, m L l; m L l, J + m l^2], K = diag(m g (l + L), m g l).
TEST(modes_of_a_double_pendulum)
{
    const double m = 2.0, l = 0.5, L = 1.0, J = 0.17;
    const double a = J + m * l * l + m * L * L, b = m * L * l, d = J + m * l * l;
    const double k1 = m * g * (l + L), k2 = m * g * l;
    // (a d - b^2) w^2 - (a k2 + d k1) w + k1 k2 = 0
    const double A = a * d - b * b, B = a * k2 + d * k1, root = sqrt(B * B - 4.0 * A * k1 * k2);
    ph_model *model = hinged_rods(2, 1.0);
    ph_state *state = ph_state_create(model);
    settle(model, state);
    ph_mode_set *set = modes_of(model, state);
    CHECK_EQ_INT(set->count, 2);
    CHECK_REL(omega(set, 0), sqrt((B - root) / (2.0 * A)), 1e-11);
    CHECK_REL(omega(set, 1), sqrt((B + root) / (2.0 * A)), 1e-11);
    ph_modes_destroy(set);
    ph_state_destroy(state);
    ph_model_destroy(model);
}

// A closed loop with redundant rows, a spring and a damper nowhere: its one mode against its small motion.
TEST(modes_of_a_four_bar)
{
    NEEDS_YAML;
    rig r = rig_open(rig_example("four_bar.yaml"), "rattlie4");
    const ph_statics_report report = settle(r.model, r.state);
    CHECK(report.potential <= report.potential_start && report.stable);
    ph_mode_set *set = modes_of(r.model, r.state);
    CHECK_EQ_INT(set->count, ph_model_freedoms(r.model));
    const double period = 1.0 / set->modes[0].frequency;
    for (int i = 0; i < ph_model_bodies(r.model); i++) {
        const ph_twist u = set->modes[0].shape[i];
        ph_state_velocities(r.state)[i] = ph_scale(1e-4, u.v);
        ph_state_angular_velocities(r.state)[i] = ph_scale(1e-4, u.omega);
    }
    ph_state_touch(r.state);
    const ph_vec3 start = rig_position(&r, 1);
    rig_step(&r, period / 400.0, 100);
    const double amplitude = rig_distance(rig_position(&r, 1), start);
    rig_step(&r, period / 400.0, 100);
    CHECK_NEAR(rig_distance(rig_position(&r, 1), start), 0.0, 1e-3 * amplitude);
    rig_step(&r, period / 400.0, 200);
    CHECK_NEAR(rig_distance(rig_position(&r, 1), start), 0.0, 1e-3 * amplitude);
    ph_modes_destroy(set);
    rig_close(&r);
}

// Two masses on springs with a damper at one of them alone: modes u = (1, +-1)/sqrt(2 m), u^T C u = c/(2 m) each, and as
// much between them.
TEST(damping_of_modes_and_between_them)
{
    const double k = 50.0, c = 0.4;
    ph_spec *spec = scene_start();
    for (int i = 0; i < 2; i++) {
        const ph_vec3 at = {i, 0.0, 0.0};
        const int body = scene_body(spec, i ? "right" : "left", at);
        ph_joint_def guide = scene_joint_def(i ? "guide2" : "guide1", "prismatic", PH_WORLD, body, at);
        guide.has_axis = true;
        guide.axis = x_axis;
        guide.stiffness = k;
        guide.damping = i ? c : 0.0;
        ph_spec_add_joint(spec, &guide);
    }
    ph_force_def spring = ph_default_force();
    spring.type = "spring";
    spring.body_a = 0;
    spring.body_b = 1;
    spring.stiffness = k;
    ph_spec_add_force(spec, &spring);
    ph_model *model = scene_finish(spec);
    ph_state *state = ph_state_create(model);
    settle(model, state);
    ph_mode_set *set = modes_of(model, state);
    CHECK_REL(omega(set, 0), sqrt(k / 2.0), 1e-8);
    CHECK_REL(omega(set, 1), sqrt(3.0 * k / 2.0), 1e-8);
    CHECK_REL(set->modes[0].decay, c / 8.0, 1e-8);
    CHECK_REL(set->modes[1].decay, c / 8.0, 1e-8);
    CHECK_REL(set->coupling, 1.0, 1e-8);
    ph_modes_destroy(set);
    ph_state_destroy(state);
    ph_model_destroy(model);
}
