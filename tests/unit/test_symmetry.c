// Which components of momentum a model conserves: one case for each rule, and the rules broken. What is claimed is also
// simulated.

#include "test.h"

#include "scenes.h"

static const ph_vec3 ORIGIN = {0.0, 0.0, 0.0}, X = {1.0, 0.0, 0.0}, Z = {0.0, 0.0, 1.0};

// Everything moves, so that what is claimed to be conserved has a chance not to be.
static void check_by_simulation(const ph_model *model)
{
    ph_state *state = ph_state_create(model);
    ph_run_def def = ph_default_run();
    ph_summary summary;
    ph_error error = {.text = ""};
    def.step = 1e-3;
    def.until = 0.2;
    CHECK_EQ_INT(ph_run(model, state, &def, &summary, &error), PH_OK);
    CHECK(!summary.has_linear || summary.linear_max_error < 1e-11);
    CHECK(!summary.has_angular || summary.angular_max_error < 1e-11);
    if (*error.text) {
        printf("  %s\n", error.text);
    }
    ph_state_destroy(state);
}

static ph_symmetry finish(ph_spec *spec)
{
    ph_model *model = scene_finish(spec);
    ph_symmetry symmetry = {0};
    if (CHECK(model != NULL)) {
        symmetry = ph_model_symmetry(model);
        check_by_simulation(model);
    }
    ph_model_destroy(model);
    return symmetry;
}

static void check_linear(ph_symmetry s, bool x, bool y, bool z)
{
    CHECK_EQ_INT(s.linear[0], x);
    CHECK_EQ_INT(s.linear[1], y);
    CHECK_EQ_INT(s.linear[2], z);
}

static void check_vector(ph_vec3 a, ph_vec3 b)
{
    CHECK_NEAR(a.x, b.x, 1e-14);
    CHECK_NEAR(a.y, b.y, 1e-14);
    CHECK_NEAR(a.z, b.z, 1e-14);
}

static void check_about_line(ph_symmetry s, ph_vec3 point, ph_vec3 axis)
{
    CHECK(s.angular && !s.angular_all);
    check_vector(s.point, point);
    check_vector(s.axis, axis);
}

static void check_no_angular(ph_symmetry s)
{
    CHECK(!s.angular && !s.angular_all);
}

static ph_spec *weightless(void)
{
    ph_spec *spec = scene_start();
    ph_spec_set_gravity(spec, ORIGIN);
    return spec;
}

// ---- Free bodies ----------------------------------------------------------------------------------------------------

TEST(free_bodies_without_gravity_conserve_everything)
{
    ph_spec *spec = weightless();
    const int a = scene_body(spec, "a", ORIGIN), b = scene_body(spec, "b", X);
    scene_ball(spec, "j", a, b, X);
    const ph_symmetry s = finish(spec);
    check_linear(s, true, true, true);
    CHECK(s.angular_all && !s.angular);
    check_vector(s.point, ORIGIN);
}

TEST(free_bodies_under_gravity_conserve_what_is_horizontal)
{
    ph_spec *spec = scene_start();
    scene_body(spec, "a", X);
    const ph_symmetry s = finish(spec);
    check_linear(s, true, true, false);
    check_about_line(s, ORIGIN, Z);
}

TEST(gravity_in_any_direction)
{
    ph_spec *spec = scene_start();
    ph_spec_set_gravity(spec, (ph_vec3){3.0, 0.0, 4.0});
    scene_body(spec, "a", X);
    const ph_symmetry s = finish(spec);
    check_linear(s, false, true, false);
    check_about_line(s, ORIGIN, (ph_vec3){-0.6, 0.0, -0.8});
}

TEST(a_fixed_body_ties_nothing)
{
    ph_spec *spec = scene_start();
    scene_fixed(spec, "stand", ORIGIN);
    scene_body(spec, "a", X);
    check_linear(finish(spec), true, true, false);
}

// ---- Joints to the world --------------------------------------------------------------------------------------------

TEST(ball_joint_to_the_world)
{
    ph_spec *spec = scene_start();
    const int a = scene_body(spec, "a", ORIGIN);
    scene_ball(spec, "j", PH_WORLD, a, (ph_vec3){1.0, 2.0, 3.0});
    const ph_symmetry s = finish(spec);
    check_linear(s, false, false, false);
    check_about_line(s, (ph_vec3){1.0, 2.0, 3.0}, Z);
}

TEST(ball_joint_without_gravity_conserves_every_component_about_it)
{
    ph_spec *spec = weightless();
    const int a = scene_body(spec, "a", ORIGIN), b = scene_body(spec, "b", X);
    scene_ball(spec, "j", b, PH_WORLD, (ph_vec3){1.0, 2.0, 3.0});
    scene_ball(spec, "k", a, b, X);
    const ph_symmetry s = finish(spec);
    check_linear(s, false, false, false);
    CHECK(s.angular_all && !s.angular);
    check_vector(s.point, (ph_vec3){1.0, 2.0, 3.0});
}

TEST(ball_joints_on_one_vertical_line)
{
    ph_spec *spec = scene_start();
    const int a = scene_body(spec, "a", ORIGIN), b = scene_body(spec, "b", X);
    const int stand = scene_fixed(spec, "stand", (ph_vec3){0.1, 0.2, 0.3});
    scene_ball(spec, "j", PH_WORLD, a, (ph_vec3){0.3, -0.1, 0.7});
    scene_ball(spec, "k", b, stand, (ph_vec3){0.3, -0.1, -1.9});
    check_about_line(finish(spec), (ph_vec3){0.3, -0.1, 0.7}, Z);
}

TEST(ball_joints_beside_each_other_break_it_under_gravity)
{
    ph_spec *spec = scene_start();
    const int a = scene_body(spec, "a", ORIGIN), b = scene_body(spec, "b", X);
    scene_ball(spec, "j", PH_WORLD, a, ORIGIN);
    scene_ball(spec, "k", PH_WORLD, b, (ph_vec3){1e-6, 0.0, 1.0});
    check_no_angular(finish(spec));
}

TEST(two_ball_joints_without_gravity_make_a_line)
{
    ph_spec *spec = weightless();
    const int a = scene_body(spec, "a", ORIGIN), b = scene_body(spec, "b", X), c = scene_body(spec, "c", X);
    scene_ball(spec, "j", PH_WORLD, a, X);
    scene_ball(spec, "k", PH_WORLD, b, (ph_vec3){4.0, 4.0, 0.0});
    scene_ball(spec, "l", PH_WORLD, c, (ph_vec3){-2.0, -4.0, 0.0});
    check_about_line(finish(spec), X, (ph_vec3){0.6, 0.8, 0.0});
}

TEST(three_ball_joints_off_one_line_leave_nothing)
{
    ph_spec *spec = weightless();
    const int a = scene_body(spec, "a", ORIGIN), b = scene_body(spec, "b", X), c = scene_body(spec, "c", X);
    scene_ball(spec, "j", PH_WORLD, a, X);
    scene_ball(spec, "k", PH_WORLD, b, Z);
    scene_ball(spec, "l", PH_WORLD, c, ORIGIN);
    check_no_angular(finish(spec));
}

TEST(revolute_and_cylindrical_about_the_vertical)
{
    static const char *const types[] = {"revolute", "cylindrical"};
    for (int i = 0; i < 2; i++) {
        ph_spec *spec = scene_start();
        const int a = scene_body(spec, "a", ORIGIN), b = scene_body(spec, "b", X);
        scene_axial(spec, "j", types[i], PH_WORLD, a, X, (ph_vec3){0.0, 0.0, -2.0});
        scene_axial(spec, "k", "revolute", a, b, X, (ph_vec3){0.0, 1.0, 0.0});
        check_about_line(finish(spec), X, Z);
    }
}

TEST(revolute_about_the_horizontal_breaks_it_under_gravity_only)
{
    ph_spec *spec = scene_start();
    int a = scene_body(spec, "a", ORIGIN);
    scene_axial(spec, "j", "revolute", PH_WORLD, a, Z, X);
    check_no_angular(finish(spec));

    spec = weightless();
    a = scene_body(spec, "a", ORIGIN);
    scene_axial(spec, "j", "revolute", PH_WORLD, a, Z, X);
    check_about_line(finish(spec), Z, X);
}

TEST(a_revolute_joint_in_a_turned_stand)
{
    ph_spec *spec = weightless();
    ph_body_def stand = ph_default_body();
    stand.name = "stand";
    stand.fixed = true;
    stand.position = (ph_vec3){0.0, 0.0, 5.0};
    stand.orientation = (ph_quat){sqrt(0.5), 0.0, sqrt(0.5), 0.0}; // z becomes x
    const int base = ph_spec_add_body(spec, &stand), a = scene_body(spec, "a", ORIGIN);
    ph_joint_def joint = scene_joint_def("j", "revolute", base, a, Z);
    joint.has_axis = true;
    joint.axis = X;
    ph_spec_add_joint(spec, &joint);
    check_about_line(finish(spec), Z, X);
}

TEST(driven_joints_to_the_world_break_it)
{
    for (int i = 0; i < 3; i++) {
        ph_spec *spec = scene_start();
        const int a = scene_body(spec, "a", ORIGIN);
        ph_joint_def joint = scene_joint_def("j", "revolute", PH_WORLD, a, ORIGIN);
        joint.has_axis = true;
        joint.axis = Z;
        joint.damping = i == 1 ? 0.5 : 0.0;
        joint.stiffness = i == 2 ? 3.0 : 0.0;
        ph_spec_add_joint(spec, &joint);
        const ph_symmetry s = finish(spec);
        CHECK_EQ_INT(s.angular, i == 0);
    }
}

TEST(joints_that_transmit_torque_break_it)
{
    static const char *const types[] = {"fixed", "prismatic"};
    for (int i = 0; i < 2; i++) {
        ph_spec *spec = scene_start();
        const int a = scene_body(spec, "a", ORIGIN);
        ph_joint_def joint = scene_joint_def("j", types[i], PH_WORLD, a, ORIGIN);
        joint.has_axis = i == 1;
        joint.axis = Z;
        ph_spec_add_joint(spec, &joint);
        const ph_symmetry s = finish(spec);
        check_no_angular(s);
        check_linear(s, false, false, false);
    }
}

TEST(a_distance_to_the_world_pulls_towards_its_point)
{
    ph_spec *spec = scene_start();
    const int a = scene_body(spec, "a", X);
    ph_joint_def joint = ph_default_joint();
    joint.name = "j";
    joint.type = "distance";
    joint.body_a = a;
    joint.body_b = PH_WORLD;
    joint.has_anchor_a = joint.has_anchor_b = true;
    joint.anchor_a = ORIGIN;
    joint.anchor_b = (ph_vec3){0.0, 3.0, 0.0};
    ph_spec_add_joint(spec, &joint);
    check_about_line(finish(spec), (ph_vec3){0.0, 3.0, 0.0}, Z);
}

// ---- Forces ---------------------------------------------------------------------------------------------------------

static ph_force_def force_def(const char *type, int a, int b)
{
    ph_force_def force = ph_default_force();
    force.type = type;
    force.body_a = a;
    force.body_b = b;
    force.stiffness = 100.0;
    force.damping = 0.5;
    for (int i = 0; i < 6; i++) {
        force.stiffness6[i][i] = force.damping6[i][i] = 10.0 + i;
    }
    return force;
}

TEST(forces_between_bodies_conserve_everything)
{
    static const char *const types[] = {"spring", "bushing"};
    for (int i = 0; i < 2; i++) {
        ph_spec *spec = weightless();
        const int a = scene_body(spec, "a", ORIGIN), b = scene_body(spec, "b", (ph_vec3){0.5, 0.1, 0.3});
        ph_force_def force = force_def(types[i], a, b);
        force.point_a = (ph_vec3){0.1, 0.2, 0.3};
        force.has_length = i == 0;
        force.length = 0.1;
        ph_spec_add_force(spec, &force);
        const ph_symmetry s = finish(spec);
        check_linear(s, true, true, true);
        CHECK(s.angular_all);
    }
}

TEST(a_spring_to_the_world_pulls_towards_its_point)
{
    for (int i = 0; i < 2; i++) {
        ph_spec *spec = scene_start();
        const int a = scene_body(spec, "a", X);
        ph_force_def force = force_def("spring", PH_WORLD, a);
        force.point_a = (ph_vec3){0.0, 2.0, 1.0};
        force.point_b = (ph_vec3){0.0, 0.5, 0.0};
        ph_spec_add_force(spec, &force);
        if (i == 1) {
            scene_ball(spec, "j", a, PH_WORLD, X);
        }
        const ph_symmetry s = finish(spec);
        check_linear(s, false, false, false);
        if (i == 0) {
            check_about_line(s, force.point_a, Z);
        } else {
            check_no_angular(s); // the joint is beside it
        }
    }
}

TEST(a_bushing_to_the_world_breaks_it)
{
    ph_spec *spec = scene_start();
    const int a = scene_body(spec, "a", ORIGIN);
    const ph_force_def force = force_def("bushing", a, PH_WORLD);
    ph_spec_add_force(spec, &force);
    const ph_symmetry s = finish(spec);
    check_linear(s, false, false, false);
    check_no_angular(s);
}

TEST(a_wrench_breaks_it)
{
    ph_spec *spec = scene_start();
    const int a = scene_body(spec, "a", ORIGIN);
    ph_force_def force = force_def("wrench", PH_NONE, a);
    force.stiffness = force.damping = 0.0;
    force.force[0].number = 1.0;
    ph_spec_add_force(spec, &force);
    const ph_symmetry s = finish(spec);
    check_linear(s, false, false, false);
    check_no_angular(s);
}

TEST(drives_between_moving_bodies_conserve_everything)
{
    ph_spec *spec = weightless();
    const int a = scene_body(spec, "a", ORIGIN), b = scene_body(spec, "b", (ph_vec3){0.0, 1.0, 0.0});
    ph_joint_def joint = scene_joint_def("j", "revolute", a, b, (ph_vec3){0.0, 0.5, 0.0});
    joint.has_axis = true;
    joint.axis = X;
    joint.damping = 0.3;
    joint.motor = PH_MOTOR_TORQUE;
    joint.motor_value.number = 2.0;
    ph_spec_add_joint(spec, &joint);
    const ph_symmetry s = finish(spec);
    check_linear(s, true, true, true);
    CHECK(s.angular_all);
}

TEST(a_torsion_spring_at_a_joint_to_the_world_breaks_it)
{
    ph_spec *spec = scene_start();
    const int a = scene_body(spec, "a", ORIGIN);
    ph_force_def force = force_def("torsion", PH_NONE, PH_NONE);
    force.joint = scene_axial(spec, "j", "revolute", PH_WORLD, a, ORIGIN, Z);
    force.has_length = true;
    force.length = 1.0;
    ph_spec_add_force(spec, &force);
    check_no_angular(finish(spec));
}
