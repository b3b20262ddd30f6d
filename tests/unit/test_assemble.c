// Mechanisms that start at given joint coordinates and rates, and states that are moved onto their joints.

#include "rig.h"

#include "model/model.h"
#include "scenes.h"

static const double PI = 3.14159265358979323846;

// ---- A four-bar, drawn roughly --------------------------------------------------------------------------------------

// Crank a, coupler b, rocker c, frame d, in the xz plane; angles from x towards z. Bars along x of their frames.
static const double A = 0.15, B = 0.45, C = 0.35, D = 0.5;

static ph_quat tilt(double angle)
{
    return (ph_quat){cos(angle / 2.0), 0.0, -sin(angle / 2.0), 0.0};
}

static int add_bar(ph_spec *spec, const char *name, double x, double z, double angle)
{
    ph_body_def body = ph_default_body();
    body.name = name;
    body.mass = 1.0;
    body.inertia = (ph_mat3){{{0.001, 0.0, 0.0}, {0.0, 0.01, 0.0}, {0.0, 0.0, 0.01}}};
    body.position = (ph_vec3){x, 0.0, z};
    body.orientation = tilt(angle);
    return ph_spec_add_body(spec, &body);
}

static ph_joint_def hinge(const char *name, int a, int b, double at_a, double at_b)
{
    ph_joint_def def = ph_default_joint();
    def.name = name;
    def.type = "revolute";
    def.body_a = a;
    def.body_b = b;
    def.has_anchor_a = def.has_anchor_b = true;
    def.anchor_a.x = at_a;
    def.anchor_b.x = at_b;
    def.has_axis_a = def.has_axis_b = true;
    def.axis_a = def.axis_b = (ph_vec3){0.0, -1.0, 0.0};
    return def;
}

// Drawn with the crank along x; the rest lies near to where it belongs, on the side of z > 0 (open) or z < 0 (crossed).
static ph_spec *four_bar(double side, double coordinate, double rate)
{
    ph_spec *spec = scene_start();
    add_bar(spec, "crank", A / 2.0, 0.0, 0.0);
    add_bar(spec, "coupler", 0.36, side * 0.2, side * 0.8);
    add_bar(spec, "rocker", 0.5, side * 0.17, side * PI / 2.0);
    ph_joint_def crank = hinge("A", PH_WORLD, 0, 0.0, -A / 2.0);
    crank.has_coordinate[0] = !isnan(coordinate);
    crank.coordinate[0] = coordinate;
    crank.has_rate[0] = !isnan(rate);
    crank.rate[0] = rate;
    const ph_joint_def others[3] = {hinge("B", 0, 1, A / 2.0, -B / 2.0), hinge("C", 1, 2, B / 2.0, C / 2.0),
                                    hinge("D", PH_WORLD, 2, D, -C / 2.0)};
    ph_spec_add_joint(spec, &crank);
    for (int k = 0; k < 3; k++) ph_spec_add_joint(spec, &others[k]);
    return spec;
}

// Angle of the rocker and its rate, from the triangle of crank end, D and C.
static void closed_form(double side, double alpha, double omega, double *gamma, double *gamma_dot)
{
    const double x = D - A * cos(alpha), z = -A * sin(alpha), e = sqrt(x * x + z * z);
    const double beta = atan2(z, x) + side * acos((B * B + e * e - C * C) / (2.0 * B * e));
    *gamma = atan2(A * sin(alpha) + B * sin(beta), A * cos(alpha) + B * cos(beta) - D);
    *gamma_dot = A * omega * sin(alpha - beta) / (C * sin(*gamma - beta));
}

static double angle_of(ph_quat q)
{
    return -2.0 * atan2(q.y, q.w);
}

static double whole_turns_off(double x)
{
    return x - 2.0 * PI * rint(x / (2.0 * PI));
}

TEST(a_crank_starts_where_and_as_fast_as_it_is_told)
{
    for (double side = -1.0; side <= 1.0; side += 2.0) {
        for (double alpha = -20.0; alpha <= 20.0; alpha += 0.7) {
            rig r = rig_build(four_bar(side, alpha, -6.0), "rattlie");
            double q, rate, gamma, gamma_dot;
            ph_observer_joint(r.observer, r.state, 0, &q, &rate);
            CHECK_NEAR(q, alpha, 1e-14);
            CHECK_NEAR(rate, -6.0, 1e-13);
            closed_form(side, alpha, -6.0, &gamma, &gamma_dot);
            CHECK_NEAR(whole_turns_off(angle_of(ph_state_orientations(r.state)[2]) - gamma), 0.0, 1e-13);
            CHECK_NEAR(ph_state_angular_velocities(r.state)[2].y, -gamma_dot, 1e-11);
            const ph_measures m = rig_measure(&r);
            CHECK_NEAR(m.position_violation, 0.0, 1e-14);
            CHECK_NEAR(m.velocity_violation, 0.0, 1e-13);
            rig_step(&r, 1e-3, 5);
            rig_close(&r);
        }
    }
}

TEST(the_branch_is_told)
{
    char text[512], hint[512];
    CHECK_EQ_INT(rig_compile_and_tell(four_bar(1.0, 1.0, NAN), text, sizeof text, hint), PH_OK);
    CHECK(strstr(text, "loops were closed") && strstr(text, "more than one way") && strstr(text, "another has it at"));
}

// A crank that is longer than the rest can reach.
TEST(what_cannot_be_assembled_is_told_with_its_gap)
{
    char text[512], hint[512];
    ph_spec *spec = four_bar(1.0, 0.5, NAN);
    ph_joint_def far = hinge("E", PH_WORLD, 2, 2.0, 0.0); // and its middle 2 m away
    ph_spec_add_joint(spec, &far);
    CHECK_EQ_INT(rig_compile_and_tell(spec, text, sizeof text, hint), PH_BAD_MODEL);
    CHECK(strstr(text, "cannot be assembled with A at 0.5") && strstr(text, "stays open by") && strstr(text, " m,"));
    CHECK(strstr(hint, "within reach"));
}

TEST(rates_that_exclude_each_other_are_told)
{
    char text[512], hint[512], expected[64];
    ph_spec *spec = four_bar(1.0, 0.5, -6.0);
    double gamma, gamma_dot;
    ph_joint_def second = hinge("E", PH_WORLD, 2, D, -C / 2.0); // the hinge of the rocker once more
    second.has_rate[0] = true;
    second.rate[0] = 3.0;
    ph_spec_add_joint(spec, &second);
    CHECK_EQ_INT(rig_compile_and_tell(spec, text, sizeof text, hint), PH_BAD_MODEL);
    closed_form(1.0, 0.5, -6.0, &gamma, &gamma_dot);
    snprintf(expected, sizeof expected, "cannot have the rate");
    CHECK(strstr(text, expected) != NULL);
    CHECK(strstr(hint, "freedoms") != NULL);
}

TEST(a_projected_start_says_what_it_did_to_a_rate)
{
    ph_spec *spec = four_bar(1.0, NAN, NAN);
    ph_spec_set_project(spec, true);
    char text[512], hint[512];
    // Only the crank turns: the others pull it nearly to a halt.
    ph_spec *moving = scene_start();
    ph_body_def crank = scene_rod("crank", (ph_vec3){0.0, 0.5, 0.0});
    crank.angular_velocity.x = -6.0;
    crank.velocity.z = -3.0;
    ph_spec_add_body(moving, &crank);
    scene_body(moving, "coupler", (ph_vec3){0.0, 1.5, 0.0});
    scene_axial(moving, "A", "revolute", PH_WORLD, 0, (ph_vec3){0}, (ph_vec3){1.0, 0.0, 0.0});
    scene_axial(moving, "B", "revolute", 0, 1, (ph_vec3){0.0, 1.0, 0.0}, (ph_vec3){1.0, 0.0, 0.0});
    ph_spec_set_project(moving, true);
    CHECK_EQ_INT(rig_compile_and_tell(moving, text, sizeof text, hint), PH_OK);
    CHECK(strstr(text, "joint 'A' was given the rate -6 and has") && strstr(hint, "rate: -6 on joint 'A' holds it"));
    CHECK_EQ_INT(rig_compile_and_tell(spec, text, sizeof text, hint), PH_OK);
    CHECK(!strstr(text, "rate"));
}

// ---- Every joint that has coordinates -------------------------------------------------------------------------------

typedef struct kind {
    const char *type;
    int coordinates;
    bool axis2, normal;
    double pitch;
    bool lock[6];
} kind;

static const kind kinds[] = {
    {"revolute", 1, false, false, 0.0, {0}},
    {"prismatic", 1, false, false, 0.0, {0}},
    {"cylindrical", 2, false, false, 0.0, {0}},
    {"universal", 2, true, false, 0.0, {0}},
    {"screw", 1, false, false, 0.05, {0}},
    {"planar", 3, false, true, 0.0, {0}},
    {"point_on_line", 1, false, false, 0.0, {0}},
    {"point_on_plane", 2, false, true, 0.0, {0}},
    {"generic", 3, false, false, 0.0, {true, false, true, true, false, false}},
    {"generic", 4, false, false, 0.0, {false, false, false, true, true, false}},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static ph_joint_def joint_of_kind(const kind *k, const char *name, int a, int b, ph_vec3 anchor)
{
    ph_joint_def def = scene_joint_def(name, k->type, a, b, anchor);
    def.has_axis = true;
    def.axis = (ph_vec3){0.3, 0.5, 0.8};
    def.has_axis2 = k->axis2;
    def.axis2 = (ph_vec3){0.8, 0.0, -0.3};
    def.pitch = k->pitch;
    memcpy(def.lock, k->lock, sizeof def.lock);
    return def;
}

// Large turns, beyond half of one where the coordinate has any; slides of a metre.
static double far_value(const kind *k, int n)
{
    const bool cardan = k->axis2 || (!k->lock[3] + !k->lock[4] + !k->lock[5] == 2 && *k->type == 'g');
    return cardan ? (n % 2 ? 0.9 : 2.6) : n % 2 ? -7.5 : 8.2;
}

TEST(every_coordinate_can_be_given)
{
    for (int i = 0; i < KINDS; i++) {
        for (int back = 0; back < 2; back++) {
            const kind *k = &kinds[i];
            ph_spec *spec = scene_start();
            scene_body(spec, "rod", (ph_vec3){0.1, 0.5, 0.2});
            scene_body(spec, "tip", (ph_vec3){0.1, 1.5, 0.2});
            ph_joint_def def =
                joint_of_kind(k, "J", back ? 0 : PH_WORLD, back ? PH_WORLD : 0, (ph_vec3){0.1, 0.0, 0.2});
            for (int n = 0; n < k->coordinates; n++) {
                def.has_coordinate[n] = def.has_rate[n] = true;
                def.coordinate[n] = far_value(k, n);
                def.rate[n] = 0.3 + n;
            }
            ph_spec_add_joint(spec, &def);
            scene_axial(spec, "K", "revolute", 0, 1, (ph_vec3){0.1, 1.0, 0.2}, (ph_vec3){1.0, 0.0, 0.0});
            rig r = rig_build(spec, "rattlie");
            double q[PH_JOINT_COORDINATES], rate[PH_JOINT_COORDINATES];
            if (!r.model) continue;
            CHECK_EQ_INT(ph_model_joint(r.model, 0).coordinates, k->coordinates);
            ph_observer_joint(r.observer, r.state, 0, q, rate);
            for (int n = 0; n < k->coordinates; n++) {
                if (!CHECK_NEAR(q[n], def.coordinate[n], 1e-13)) printf("  %s, coordinate %d\n", k->type, n);
                CHECK_NEAR(rate[n], def.rate[n], 1e-12);
            }
            ph_observer_joint(r.observer, r.state, 1, q, rate); // came along
            CHECK_NEAR(q[0], 0.0, 1e-13);
            const ph_measures m = rig_measure(&r);
            CHECK_NEAR(m.position_violation, 0.0, 1e-13);
            CHECK_NEAR(m.velocity_violation, 0.0, 1e-12);
            rig_step(&r, 1e-4, 3);
            rig_close(&r);
        }
    }
}

// Rotors of drives follow the coordinates.
TEST(armatures_come_along)
{
    ph_spec *spec = scene_start();
    scene_body(spec, "rod", (ph_vec3){0.0, 0.5, 0.0});
    ph_joint_def def = scene_joint_def("J", "revolute", PH_WORLD, 0, (ph_vec3){0});
    def.has_axis = true;
    def.axis = (ph_vec3){1.0, 0.0, 0.0};
    def.armature = 0.4;
    def.has_coordinate[0] = def.has_rate[0] = true;
    def.coordinate[0] = 8.0;
    def.rate[0] = 2.0;
    ph_spec_add_joint(spec, &def);
    ph_keyframe_def up = ph_default_keyframe();
    up.name = "up";
    up.joints = &(ph_keyframe_joint){.joint = 0, .has_value = true, .value = 1.5, .has_rate = true, .rate = -2.0};
    up.joint_count = 1;
    ph_spec_add_keyframe(spec, &up);
    rig r = rig_build(spec, "rattlie");
    const double kinetic = 0.5 * (0.17 + 2.0 * 0.25 + 0.4) * 4.0;
    CHECK_NEAR(rig_measure(&r).kinetic, kinetic, 1e-13);
    rig_step(&r, 1e-3, 10);
    CHECK_EQ_INT(ph_state_set_keyframe(r.state, 0), PH_OK);
    CHECK_NEAR(rig_measure(&r).kinetic, kinetic, 1e-13);
    rig_step(&r, 1e-3, 10);
    CHECK_EQ_INT(ph_state_set_joint(r.state, 0, 0, -3.0, 2.0), PH_OK);
    CHECK_EQ_INT(ph_state_project(r.state, NULL, NULL), PH_OK);
    CHECK_NEAR(rig_measure(&r).kinetic, kinetic, 1e-13);
    CHECK_NEAR(rig_measure(&r).position_violation, 0.0, 1e-14);
    rig_step(&r, 1e-3, 10);
    rig_close(&r);
}

// Springs whose length is left out are slack as the bodies are drawn, wherever a joint is set to.
TEST(what_is_given_makes_no_difference_to_springs)
{
    ph_spec *spec = scene_start();
    scene_body(spec, "rod", (ph_vec3){0.0, 0.5, 0.0});
    ph_joint_def def = scene_joint_def("J", "revolute", PH_WORLD, 0, (ph_vec3){0});
    def.has_axis = true;
    def.axis = (ph_vec3){1.0, 0.0, 0.0};
    def.has_coordinate[0] = true;
    def.coordinate[0] = PI;
    ph_spec_add_joint(spec, &def);
    ph_spec_set_gravity(spec, (ph_vec3){0});
    ph_force_def spring = ph_default_force();
    spring.type = "spring";
    spring.body_a = PH_WORLD;
    spring.body_b = 0;
    spring.point_a = (ph_vec3){0.0, 3.0, 0.0};
    spring.point_b = (ph_vec3){0.0, 0.5, 0.0};
    spring.stiffness = 10.0;
    ph_spec_add_force(spec, &spring);
    rig r = rig_build(spec, "rattlie");
    CHECK_NEAR(rig_measure(&r).potential, 0.5 * 10.0 * 4.0, 1e-12); // 2 m as drawn, 4 m now
    rig_close(&r);
}

TEST(a_motor_by_speed_goes_on_from_the_coordinate)
{
    ph_spec *spec = scene_start();
    scene_body(spec, "rod", (ph_vec3){0.0, 0.5, 0.0});
    ph_joint_def def = scene_joint_def("J", "revolute", PH_WORLD, 0, (ph_vec3){0});
    def.has_axis = true;
    def.axis = (ph_vec3){1.0, 0.0, 0.0};
    def.motor = PH_MOTOR_SPEED;
    def.motor_value.number = 2.0;
    def.has_coordinate[0] = true;
    def.coordinate[0] = 9.0;
    ph_spec_add_joint(spec, &def);
    rig r = rig_build(spec, "rattlie");
    double q, rate;
    ph_observer_joint(r.observer, r.state, 0, &q, &rate);
    CHECK_NEAR(q, 9.0, 1e-14);
    CHECK_NEAR(rate, 2.0, 1e-13);
    rig_step(&r, 1e-2, 100);
    ph_observer_joint(r.observer, r.state, 0, &q, &rate);
    CHECK_NEAR(q, 11.0, 1e-12);
    CHECK_EQ_INT(ph_state_set_joint(r.state, 0, 0, NAN, 1.0), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(ph_state_set_joint(r.state, 0, 0, -5.0, NAN), PH_OK);
    CHECK_EQ_INT(ph_state_project(r.state, NULL, NULL), PH_OK);
    rig_step(&r, 1e-2, 100);
    ph_observer_joint(r.observer, r.state, 0, &q, &rate);
    CHECK_NEAR(q, -3.0, 1e-12);
    rig_close(&r);
}

// Gears hand turns on.
TEST(gears_follow)
{
    ph_spec *spec = scene_start();
    scene_body(spec, "one", (ph_vec3){0.0, 0.5, 0.0});
    scene_body(spec, "two", (ph_vec3){1.0, 0.5, 0.0});
    ph_joint_def def = scene_joint_def("J", "revolute", PH_WORLD, 0, (ph_vec3){0});
    def.has_axis = true;
    def.axis = (ph_vec3){1.0, 0.0, 0.0};
    def.has_coordinate[0] = def.has_rate[0] = true;
    def.coordinate[0] = 10.0;
    def.rate[0] = 2.0;
    ph_spec_add_joint(spec, &def);
    scene_axial(spec, "K", "revolute", PH_WORLD, 1, (ph_vec3){1.0, 0.0, 0.0}, (ph_vec3){1.0, 0.0, 0.0});
    ph_joint_def gear = ph_default_joint();
    gear.name = "G";
    gear.type = "gear";
    gear.gear_joint[0] = 0;
    gear.gear_joint[1] = 1;
    gear.ratio = -2.0;
    ph_spec_add_joint(spec, &gear);
    rig r = rig_build(spec, "rattlie");
    double q, rate;
    ph_observer_joint(r.observer, r.state, 1, &q, &rate);
    CHECK_NEAR(q, -20.0, 1e-13);
    CHECK_NEAR(rate, -4.0, 1e-13);
    rig_close(&r);
}

// ---- States ---------------------------------------------------------------------------------------------------------

static const char *const joint_schemes[] = {"rattlie",   "rattlie4", "lgvi",      "lgvi-del", "matrix-rattle",
                                            "lie-alpha", "bliedf2",  "clifford",  "rkmk4",    "rk4",
                                            "quat-fem",  "moreau",   "rattlie-ns"};
enum { SCHEMES = sizeof joint_schemes / sizeof joint_schemes[0] };

// Writing to an array adds no energy: the next step refuses, says where, and leaves the state alone.
TEST(an_edited_state_is_refused_until_it_is_projected)
{
    for (int k = 0; k < SCHEMES; k++) {
        rig r = rig_open(scene_chain(3), joint_schemes[k]);
        ph_step_report report;
        char text[512];
        if (!r.sim || !rig_step(&r, 1e-3, 3)) continue;
        const double before = rig_measure(&r).total;
        ph_state_positions(r.state)[1].x += 0.2;
        ph_state_touch(r.state);
        const ph_vec3 there = rig_position(&r, 1);
        if (!CHECK_EQ_INT(ph_sim_step(r.sim, r.state, 1e-3, &report), PH_BAD_STATE)) printf("  %s\n", joint_schemes[k]);
        CHECK_NEAR(report.worst_row, 0.2, 1e-3);
        CHECK(rig_position(&r, 1).x == there.x);
        ph_step_report_format(&report, r.model, text, sizeof text);
        CHECK(strstr(text, "is off by 0.2") && strstr(text, "ph_state_project"));
        ph_project_report did;
        ph_error error = {0};
        CHECK_EQ_INT(ph_state_project(r.state, &did, &error), PH_OK);
        CHECK(did.moved > 0.0 && did.moved < 0.2 && did.moved_body >= 0);
        CHECK_NEAR(rig_measure(&r).position_violation, 0.0, 1e-13);
        rig_step(&r, 1e-3, 3);
        ph_state_velocities(r.state)[0].y += 1.0;
        ph_state_touch(r.state);
        CHECK_EQ_INT(ph_sim_step(r.sim, r.state, 1e-3, &report), PH_BAD_STATE);
        CHECK_EQ_INT(ph_state_project(r.state, &did, &error), PH_OK);
        CHECK(fabs(rig_measure(&r).total - before) < 20.0);
        rig_step(&r, 1e-3, 3);
        rig_close(&r);
    }
}

// What a scheme leaves open itself is its own business: touching the state changes nothing.
TEST(a_scheme_that_drifts_is_not_blamed)
{
    for (int k = 0; k < SCHEMES; k++) {
        rig r = rig_open(scene_chain(3), joint_schemes[k]);
        if (!r.sim) continue;
        for (int n = 0; n < 20; n++) {
            rig_step(&r, 2e-2, 1);
            ph_state_touch(r.state);
        }
        ph_state_velocities(r.state)[2].z *= 1.0 + 1e-13;
        ph_state_touch(r.state);
        rig_step(&r, 2e-2, 1);
        rig_close(&r);
    }
}

TEST(a_state_that_was_saved_after_an_edit_is_refused_too)
{
    rig r = rig_open(scene_chain(3), "rattlie");
    ph_state_positions(r.state)[1].x += 0.2;
    ph_state_touch(r.state);
    const size_t size = ph_state_saved_size(r.state);
    void *bytes = malloc(size);
    CHECK_EQ_INT(ph_state_save_memory(r.state, bytes, size, NULL), PH_OK);
    ph_state_reset(r.state);
    CHECK_EQ_INT(ph_state_load_memory(r.state, bytes, size, NULL), PH_OK);
    CHECK_EQ_INT(ph_sim_step(r.sim, r.state, 1e-3, NULL), PH_BAD_STATE);
    free(bytes);
    rig_close(&r);
}

TEST(joints_of_a_state_are_set)
{
    rig r = rig_build(four_bar(1.0, 0.2, 1.0), "rattlie");
    rig same = rig_build(four_bar(1.0, 2.0, -6.0), "rattlie");
    ph_project_report report;
    ph_error error = {0};
    CHECK_EQ_INT(ph_state_set_joint(r.state, 0, 0, 2.0, NAN), PH_OK);
    CHECK_EQ_INT(ph_sim_step(r.sim, r.state, 1e-3, NULL), PH_BAD_STATE); // nothing has moved yet
    CHECK_EQ_INT(ph_state_set_joint(r.state, 0, 0, NAN, -6.0), PH_OK);
    CHECK_EQ_INT(ph_state_project(r.state, &report, &error), PH_OK);
    CHECK(report.assemblies >= 2);
    CHECK(report.turned > 1.7 && report.kinetic_after > report.kinetic_before);
    for (int b = 0; b < 3; b++) {
        CHECK_NEAR(rig_distance(rig_position(&r, b), rig_position(&same, b)), 0.0, 1e-13);
        CHECK_NEAR(rig_distance(ph_state_velocities(r.state)[b], ph_state_velocities(same.state)[b]), 0.0, 1e-12);
    }
    rig_step(&r, 1e-3, 3);
    CHECK_EQ_INT(ph_state_set_joint(r.state, 0, 1, 0.0, NAN), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(ph_state_set_joint(r.state, 4, 0, 0.0, NAN), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(ph_state_set_joint(r.state, 0, 0, (double)INFINITY, NAN), PH_BAD_ARGUMENT);
    rig_close(&same);
    rig_close(&r);
}

// A double pendulum in motion: one joint is set, the other keeps its coordinate and rate.
TEST(joints_that_are_not_set_keep_their_rates)
{
    ph_spec *spec = scene_start();
    scene_body(spec, "one", (ph_vec3){0.0, 0.5, 0.0});
    scene_body(spec, "two", (ph_vec3){0.0, 1.5, 0.0});
    scene_axial(spec, "A", "revolute", PH_WORLD, 0, (ph_vec3){0}, (ph_vec3){1.0, 0.0, 0.0});
    scene_axial(spec, "B", "revolute", 0, 1, (ph_vec3){0.0, 1.0, 0.0}, (ph_vec3){0.0, 0.0, 1.0});
    rig r = rig_build(spec, "rattlie");
    double before[4], after[4];
    rig_step(&r, 1e-2, 40);
    for (int j = 0; j < 2; j++) ph_observer_joint(r.observer, r.state, j, &before[2 * j], &before[2 * j + 1]);
    CHECK_EQ_INT(ph_state_set_joint(r.state, 0, 0, 7.0, NAN), PH_OK);
    CHECK_EQ_INT(ph_state_project(r.state, NULL, NULL), PH_OK);
    for (int j = 0; j < 2; j++) ph_observer_joint(r.observer, r.state, j, &after[2 * j], &after[2 * j + 1]);
    CHECK_NEAR(after[0], 7.0, 1e-14);
    for (int k = 1; k < 4; k++) CHECK_NEAR(after[k], before[k], 1e-12);
    rig_close(&r);
}

// Sizes from a micrometre to ten kilometres, masses with them.
TEST(assembly_knows_no_size)
{
    for (double size = 1e-6; size < 2e4; size *= 100.0) {
        ph_spec *spec = scene_start();
        const double length[3] = {size, 1.3 * size, 1.2 * size};
        int before = PH_WORLD;
        for (int k = 0; k < 3; k++) {
            char name[8];
            ph_body_def body = scene_rod("", (ph_vec3){size * k, 0.4 * size * k, 0.0});
            snprintf(name, sizeof name, "%d", k);
            body.name = name;
            body.mass = size * size * size;
            for (int d = 0; d < 3; d++) body.inertia.m[d][d] = 0.1 * body.mass * size * size;
            const int now = ph_spec_add_body(spec, &body);
            ph_joint_def def = hinge(name, before, now, before < 0 ? 0.0 : 0.5 * length[k - 1], -0.5 * length[k]);
            def.axis_a = def.axis_b = (ph_vec3){0.0, 0.0, 1.0};
            def.has_coordinate[0] = k == 0;
            def.coordinate[0] = 0.6;
            ph_spec_add_joint(spec, &def);
            before = now;
        }
        ph_joint_def last = hinge("last", PH_WORLD, before, 1.1 * size, 0.5 * length[2]);
        last.axis_a = last.axis_b = (ph_vec3){0.0, 0.0, 1.0};
        ph_spec_add_joint(spec, &last);
        ph_spec_set_gravity(spec, (ph_vec3){0});
        rig r = rig_build(spec, "rattlie");
        double q, rate;
        if (r.observer) {
            ph_observer_joint(r.observer, r.state, 0, &q, &rate);
            CHECK_NEAR(q, 0.6, 1e-14);
            CHECK(rig_measure(&r).position_violation < 1e-13 * fmax(size, 1.0));
        }
        rig_close(&r);
    }
}

// ---- Files ----------------------------------------------------------------------------------------------------------

TEST(files_and_settings_say_the_same)
{
    NEEDS_YAML;
    static const char *const text =
        "polhode: 1\n"
        "parameters: {w: 3}\n"
        "bodies: [{name: rod, mass: 2, inertia: [1, 1, 1], position: [0, 0.5, 0]}]\n"
        "joints:\n"
        "  - {name: J, type: cylindrical, bodies: [world, rod], anchor: [0, 0, 0], axis: x,\n"
        "     coordinate: [0.5, null], rate: [null, 2*w]}\n";
    const ph_setting settings[] = {{"J.coordinate", "w/2"}, {"J.rate[1]", "-w"}};
    for (int k = 0; k < 2; k++) {
        ph_spec *spec = NULL, *again = NULL;
        const char *written = NULL;
        CHECK_EQ_INT(ph_spec_read_text(text, strlen(text), "m", settings, k ? 2 : 0, NULL, &spec), PH_OK);
        if (!CHECK(spec && ph_spec_write_text(spec, PH_MODEL_YAML, &written, NULL) == PH_OK)) return;
        CHECK_EQ_INT(ph_spec_read_text(written, strlen(written), "m", NULL, 0, NULL, &again), PH_OK);
        ph_spec *both[2] = {spec, again};
        for (int n = 0; n < 2; n++) {
            rig r = rig_build(both[n], "rattlie");
            double q[2], rate[2];
            ph_observer_joint(r.observer, r.state, 0, q, rate);
            CHECK_NEAR(q[0], k ? 1.5 : 0.5, 1e-15);
            CHECK_NEAR(rate[1], k ? -3.0 : 6.0, 1e-15);
            CHECK_NEAR(q[1], 0.0, 1e-15);
            rig_close(&r);
        }
    }
}

// A slider along x gets 3 m/s in all directions and spins: what is left of it is known.
TEST(projection_tells_the_kinetic_energies)
{
    NEEDS_YAML;
    static const char text[] = "polhode: 1\nbodies: [{name: b, mass: 2, inertia: [1, 2, 2.5], position: [1, 0, 0]}]\n"
                               "joints: [{name: j, type: prismatic, bodies: [world, b], anchor: [0, 0, 0], axis: x}]\n";
    ph_spec *spec = NULL;
    ph_project_report did;
    CHECK_EQ_INT(ph_spec_read_text(text, strlen(text), "m", NULL, 0, NULL, &spec), PH_OK);
    rig r = rig_build(spec, "rattlie");
    ph_state_velocities(r.state)[0] = (ph_vec3){3.0, 3.0, 3.0};
    ph_state_angular_velocities(r.state)[0] = (ph_vec3){0.5, 1.0, 2.0};
    ph_state_touch(r.state);
    CHECK_EQ_INT(ph_state_project(r.state, &did, NULL), PH_OK);
    CHECK_NEAR(did.kinetic_before, 27.0 + 0.125 + 1.0 + 5.0, 1e-12);
    CHECK_NEAR(did.kinetic_after, 9.0, 1e-12);
    rig_close(&r);
}
