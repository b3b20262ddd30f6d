// Joints, drives and contact together under `moreau`: by trees, beside the one matrix of bodies and rows.

#include "rig.h"

#include "random_robot.h"

#include "math/vec3.h"

// ---- Models ---------------------------------------------------------------------------------------------------------

static int add_body(ph_spec *spec, const char *name, double mass, double inertia, ph_vec3 at)
{
    ph_body_def def = ph_default_body();
    def.name = name;
    def.mass = mass;
    def.inertia = ph_diag(ph_vec(inertia, inertia, inertia));
    def.position = at;
    return ph_spec_add_body(spec, &def);
}

static ph_joint_def joint_at(const char *name, const char *type, int a, int b, ph_vec3 anchor, ph_vec3 axis)
{
    ph_joint_def def = ph_default_joint();
    def.name = name;
    def.type = type;
    def.body_a = a;
    def.body_b = b;
    def.has_anchor = def.has_axis = true;
    def.anchor = anchor;
    def.axis = axis;
    return def;
}

static void add_floor(ph_spec *spec, double friction)
{
    ph_body_def def = ph_default_body();
    ph_shape_def plane = ph_default_shape();
    def.name = "floor";
    def.fixed = true;
    plane.type = "plane";
    plane.size = ph_vec(0.0, 0.0, 1.0);
    plane.friction = friction;
    const int floor = ph_spec_add_body(spec, &def);
    CHECK(ph_spec_add_shape(spec, floor, &plane) >= 0);
}

static void add_ball(ph_spec *spec, int body, double radius, double friction, double restitution)
{
    ph_shape_def ball = ph_default_shape();
    ball.type = "sphere";
    ball.radius = radius;
    ball.friction = friction;
    ball.restitution = restitution;
    CHECK(ph_spec_add_shape(spec, body, &ball) >= 0);
}

static void set_contact(ph_spec *spec, double tolerance)
{
    ph_contact_settings contact = ph_default_contact();
    contact.tolerance = tolerance;
    CHECK_EQ_INT(ph_spec_set_contact(spec, &contact), PH_OK);
}

// One arm of unit inertia about a hinge along y at the origin, centre of mass at `reach` along x.
static ph_spec *arm(double reach, double gravity)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_spec_set_gravity(spec, ph_vec(0.0, 0.0, -gravity));
    add_body(spec, "arm", 1.0, 1.0 - reach * reach, ph_vec(reach, 0.0, 0.0));
    return spec;
}

static double angle_of(const rig *r, double *rate)
{
    double q;
    ph_observer_joint(r->observer, r->state, 0, &q, rate);
    return q;
}

// ---- Drives ---------------------------------------------------------------------------------------------------------

// Gains and dampers with kd h/I from 0.01 to 1e6: the arm goes to its target and nowhere else.
TEST(servos_of_any_gain_hold)
{
    static const double h = 0.002;
    for (int n = -2; n <= 6; n += 2) {
        const double kd = pow(10.0, n) / h, kp = 0.5 * kd / h;
        ph_spec *spec = arm(0.5, 9.81);
        ph_joint_def hinge = joint_at("hinge", "revolute", PH_WORLD, 0, ph_zero3(), ph_vec(0.0, 1.0, 0.0));
        hinge.motor = PH_MOTOR_SERVO;
        hinge.motor_value.number = 0.3;
        hinge.motor_kp = kp;
        hinge.motor_kd = kd;
        ph_spec_add_joint(spec, &hinge);
        rig r = rig_build(spec, "moreau");
        double rate, most = 0.0;
        for (int k = 0; k < 2000 && rig_step(&r, h, 1); k++) {
            angle_of(&r, &rate);
            most = ph_max(most, fabs(rate));
        }
        CHECK(most < 200.0);
        // at rest the motor carries the weight
        if (n >= 0) CHECK_NEAR(angle_of(&r, &rate), 0.3 + 9.81 * 0.5 * cos(angle_of(&r, &rate)) / kp, 1e-6);
        rig_close(&r);
    }
}

// A spring as stiff as one likes neither gains nor loses energy.
TEST(springs_keep_energy_whatever_the_step)
{
    for (int n = 0; n < 5; n++) {
        const double h = 0.01, omega = pow(10.0, n - 1) / h; // h omega from 0.1 to 1000
        ph_spec *spec = arm(0.0, 0.0);
        ph_joint_def hinge = joint_at("hinge", "revolute", PH_WORLD, 0, ph_zero3(), ph_vec(0.0, 1.0, 0.0));
        hinge.stiffness = omega * omega;
        hinge.rest = 1e-3;
        ph_spec_add_joint(spec, &hinge);
        rig r = rig_build(spec, "moreau");
        const double start = rig_measure(&r).total;
        double least = HUGE_VAL, most = 0.0, rate;
        for (int k = 0; k < 3000 && rig_step(&r, h, 1); k++) { // what the step keeps, at the middle of velocities
            const double q = angle_of(&r, &rate) - 1e-3 - 0.5 * h * rate;
            const double kept = 0.5 * rate * rate + 0.5 * omega * omega * q * q;
            least = k < 10 ? least : fmin(least, kept);
            most = k < 10 ? most : ph_max(most, kept);
        }
        CHECK(most - least <= 1e-9 * most);
        CHECK(most < 2.0 * start && most > 0.1 * start);
        rig_close(&r);
    }
}

// The motor gives no more than it can: at a target out of reach it turns the arm as a constant torque does.
TEST(a_servo_at_its_limit_is_a_constant_torque)
{
    ph_spec *spec = arm(0.0, 0.0);
    ph_joint_def hinge = joint_at("hinge", "revolute", PH_WORLD, 0, ph_zero3(), ph_vec(0.0, 1.0, 0.0));
    hinge.motor = PH_MOTOR_SERVO;
    hinge.motor_value.number = 100.0;
    hinge.motor_kp = 1e4;
    hinge.motor_kd = 10.0;
    hinge.motor_max = 2.0;
    ph_spec_add_joint(spec, &hinge);
    rig r = rig_build(spec, "moreau");
    double rate;
    rig_step(&r, 0.001, 1000);
    angle_of(&r, &rate);
    CHECK_NEAR(rate, 2.0, 1e-9); // of unit inertia
    CHECK_NEAR(rig_measure(&r).work, 0.5 * rate * rate, 1e-9);
    rig_close(&r);
}

// ... and where it can, the limit makes no difference.
TEST(a_limit_out_of_reach_changes_nothing)
{
    double angle[2];
    for (int limited = 0; limited < 2; limited++) {
        ph_spec *spec = arm(0.5, 9.81);
        ph_joint_def hinge = joint_at("hinge", "revolute", PH_WORLD, 0, ph_zero3(), ph_vec(0.0, 1.0, 0.0));
        hinge.motor = PH_MOTOR_SERVO;
        hinge.motor_kp = 1000.0;
        hinge.motor_kd = 10.0;
        hinge.motor_max = limited ? 20.0 : 0.0;
        ph_spec_add_joint(spec, &hinge);
        rig r = rig_build(spec, "moreau");
        double rate;
        rig_step(&r, 0.001, 500);
        angle[limited] = angle_of(&r, &rate);
        rig_close(&r);
    }
    CHECK_NEAR(angle[0], angle[1], 1e-12);
}

// Work of a servo and a damper, with energy: T + U - W moves by the error of the step alone.
TEST(the_work_of_drives_closes_the_balance)
{
    double error[2];
    for (int fine = 0; fine < 2; fine++) {
        const double h = fine ? 0.0005 : 0.001;
        ph_spec *spec = arm(0.5, 9.81);
        ph_joint_def hinge = joint_at("hinge", "revolute", PH_WORLD, 0, ph_zero3(), ph_vec(0.0, 1.0, 0.0));
        hinge.motor = PH_MOTOR_SERVO;
        hinge.motor_value.expression = "sin(3*t)";
        hinge.motor_kp = 200.0;
        hinge.motor_kd = 4.0;
        hinge.damping = 1.0;
        ph_spec_add_joint(spec, &hinge);
        rig r = rig_build(spec, "moreau");
        const double start = rig_measure(&r).total;
        rig_step(&r, h, fine ? 4000 : 2000);
        error[fine] = rig_measure(&r).total - start;
        CHECK(fabs(rig_measure(&r).work) > 0.5);
        rig_close(&r);
    }
    CHECK(fabs(error[0]) < 0.05);
    CHECK(fabs(error[1]) < 0.6 * fabs(error[0]));
}

TEST(limits_stop_and_have_rows_when_they_are_reached)
{
    for (int friction = 0; friction < 2; friction++) {
        ph_spec *spec = arm(0.5, 9.81);
        ph_joint_def hinge = joint_at("hinge", "revolute", PH_WORLD, 0, ph_zero3(), ph_vec(0.0, 1.0, 0.0));
        hinge.has_limit_high = true;
        hinge.limit_high = 0.7;
        hinge.friction = friction ? 0.1 : 0.0;
        ph_spec_add_joint(spec, &hinge);
        rig r = rig_build(spec, "moreau");
        double rate, most = 0.0;
        for (int k = 0; k < 1000 && rig_step(&r, 0.002, 1); k++) most = ph_max(most, angle_of(&r, &rate));
        CHECK(most <= 0.7 + 1e-9);
        CHECK_NEAR(angle_of(&r, &rate), 0.7, 1e-7);
        CHECK_NEAR(rate, 0.0, 1e-7);
        rig_close(&r);
    }
}

// Armature is inertia, exactly: the arm turns as one with more.
TEST(armature_is_in_the_pivot)
{
    double angle[2], energy[2];
    for (int rotor = 0; rotor < 2; rotor++) {
        ph_spec *spec = ph_spec_create(NULL);
        ph_spec_set_gravity(spec, ph_vec(0.0, 0.0, -9.81));
        add_body(spec, "arm", 1.0, rotor ? 0.5 : 2.5, ph_vec(0.5, 0.0, 0.0));
        ph_joint_def hinge = joint_at("hinge", "revolute", PH_WORLD, 0, ph_zero3(), ph_vec(0.0, 1.0, 0.0));
        hinge.armature = rotor ? 2.0 : 0.0;
        ph_spec_add_joint(spec, &hinge);
        rig r = rig_build(spec, "moreau");
        double rate;
        rig_step(&r, 0.001, 700);
        angle[rotor] = angle_of(&r, &rate);
        energy[rotor] = rig_measure(&r).total;
        rig_close(&r);
    }
    CHECK_NEAR(angle[0], angle[1], 1e-11);
    CHECK_NEAR(energy[0], energy[1], 1e-9);
}

// ---- Springs between bodies -----------------------------------------------------------------------------------------

// Two sledges of 1 and 3 kg on a line, a spring and damper of length 1 between them.
static rig sledges(double stiffness, double damping, bool bushing)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_force_def f = ph_default_force();
    for (int k = 0; k < 2; k++) {
        const ph_vec3 at = ph_vec(k, 0.0, 0.0);
        const int body = add_body(spec, k ? "right" : "left", k ? 3.0 : 1.0, 0.1, at);
        ph_joint_def slide = joint_at(k ? "b" : "a", "prismatic", PH_WORLD, body, at, ph_vec(1.0, 0.0, 0.0));
        slide.has_rate[0] = true;
        slide.rate[0] = k ? -0.5 : 1.0;
        CHECK(ph_spec_add_joint(spec, &slide) >= 0);
    }
    f.type = bushing ? "bushing" : "spring";
    f.body_a = 0;
    f.body_b = 1;
    f.stiffness = f.stiffness6[3][3] = stiffness;
    f.damping = f.damping6[3][3] = damping;
    f.anchor = ph_vec(0.5, 0.0, 0.0);
    CHECK(ph_spec_add_force(spec, &f) >= 0);
    ph_spec_set_gravity(spec, ph_zero3());
    set_contact(spec, 1e-14);
    return rig_build(spec, "moreau");
}

// c h/m from 0.1 to 1e6: each step divides the relative velocity by 1 + h c (1/m + 1/m'), and no momentum is lost.
TEST(dampers_between_bodies_of_any_strength_damp)
{
    const double h = 0.01;
    for (int n = -1; n <= 6; n++)
        for (int bushing = 0; bushing < 2; bushing++) {
            const double c = pow(10.0, n) / h, factor = 1.0 / (1.0 + h * c * (1.0 + 1.0 / 3.0));
            rig r = sledges(0.0, c, bushing);
            double expected = -1.5, work = 0.0;
            for (int k = 0; k < 5 && rig_step(&r, h, 1); k++) {
                const double left = ph_state_velocities(r.state)[0].x, right = ph_state_velocities(r.state)[1].x;
                work -= h * c * factor * expected * 0.5 * (1.0 + factor) * expected;
                expected *= factor;
                CHECK_NEAR(right - left, expected, 1e-9);
                CHECK_NEAR(left + 3.0 * right, -0.5, 1e-12);
            }
            CHECK_NEAR(rig_measure(&r).work, work, 1e-9);
            rig_close(&r);
        }
}

// h omega from 0.6 to 600: neither gained nor lost, at the middle of velocities.
TEST(springs_between_bodies_keep_energy_whatever_the_step)
{
    const double h = 0.01;
    for (int n = 0; n < 4; n++) {
        const double k = 0.75 * pow(0.6 * pow(10.0, n) / h, 2.0); // of the reduced mass 3/4
        rig r = sledges(k, 0.0, n % 2);
        double least = HUGE_VAL, most = 0.0;
        for (int i = 0; i < 1000 && rig_step(&r, h, 1); i++) {
            const double u = ph_state_velocities(r.state)[1].x - ph_state_velocities(r.state)[0].x;
            const double q = rig_position(&r, 1).x - rig_position(&r, 0).x - 1.0 - 0.5 * h * u;
            const double kept = 0.5 * 0.75 * u * u + 0.5 * k * q * q;
            least = i < 2 ? least : fmin(least, kept);
            most = i < 2 ? most : ph_max(most, kept);
        }
        CHECK(most - least <= 1e-9 * most);
        rig_close(&r);
    }
}

// ---- Beside the whole matrix ----------------------------------------------------------------------------------------

// A random robot above a floor, with balls on its bodies; all of it moves.
static ph_model *robot_on_floor(const robot_options *o)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_vec3 at[ROBOT_BODIES_MAX];
    ph_spec_set_gravity(spec, ph_vec(1.0, -2.0, -9.81));
    robot_add_bodies(spec, o, at);
    robot_add_loops(spec, o, at);
    double lowest = 0.0;
    for (int i = 0; i < o->bodies; i++) {
        add_ball(spec, i, 0.05, 0.5, 0.0);
        lowest = fmin(lowest, at[i].z);
    }
    ph_body_def def = ph_default_body();
    ph_shape_def plane = ph_default_shape();
    def.name = "floor";
    def.fixed = true;
    def.position =
        ph_vec(0.0, 0.0, lowest - 0.049999); // the lowest ball touches; what overlaps more, trees undo in another way
    plane.type = "plane";
    plane.size = ph_vec(0.0, 0.0, 1.0);
    const int floor = ph_spec_add_body(spec, &def);
    CHECK(ph_spec_add_shape(spec, floor, &plane) >= 0);
    ph_contact_settings contact = ph_default_contact();
    contact.tolerance = 1e-12;
    contact.recovery_speed = 0.0; // trees undo overlap without velocities, the matrix with them
    CHECK_EQ_INT(ph_spec_set_contact(spec, &contact), PH_OK);
    return robot_compile(spec);
}

// Forces that differ by `apart`, as accelerations of the contacts over the largest that a unit force gives: N apart/|N|. Where a body that
// sticks has fewer than three freedoms left at its contact, N is singular, and forces along its kernel, which joints take up, are anybody's choice.
static double as_felt(const ph_model *model, const ph_state *state, const ph_vec3 *apart)
{
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    ph_fc_problem *fc = NULL;
    double most = 0.0, largest = 0.0;
    def.scheme = "moreau";
    CHECK_EQ_INT(ph_sim_create(model, &def, &sim, NULL), PH_OK);
    CHECK_EQ_INT(ph_sim_contact_problem(sim, state, 0.001, &fc, NULL), PH_OK);
    for (int r = 0; fc && r < fc->matrix->rows; r++) {
        double felt = 0.0;
        for (int e = fc->matrix->start[r]; e < fc->matrix->start[r + 1]; e++) {
            const int column = fc->matrix->column[e];
            const double *axis = fc->frames + 12 * (column / 3) + 3 * (column % 3 + 1);
            felt += fc->matrix->value[e] * ph_dot(ph_vec(axis[0], axis[1], axis[2]), apart[column / 3]);
            largest = ph_max(largest, fabs(fc->matrix->value[e]));
        }
        most = ph_max(most, fabs(felt));
    }
    ph_fc_destroy(fc);
    ph_sim_destroy(sim);
    return most > 0.0 ? most / largest : 0.0;
}

enum { CONTACTS_MOST = 200 };

// Contact forces of one step from the same state. Positions after it differ by O(h^2), since one places and the other projects.
static double compare_forces(const ph_model *model, const ph_state *state)
{
    ph_state *states[2] = {ph_state_create(model), ph_state_create(model)};
    ph_vec3 apart[CONTACTS_MOST];
    double size = 0.0, worst = 0.0;
    int counts[2];
    bool missed = false;
    const ph_contact *contacts[2];
    for (int k = 0; k < 2; k++) {
        ph_sim_def def = ph_default_sim();
        ph_sim *sim = NULL;
        ph_step_report report;
        def.scheme = k ? "moreau:trees=0" : "moreau";
        CHECK_EQ_INT(ph_sim_create(model, &def, &sim, NULL), PH_OK);
        CHECK_EQ_INT(ph_state_copy(states[k], state), PH_OK);
        CHECK_EQ_INT(ph_sim_step(sim, states[k], 0.001, &report), PH_OK);
        contacts[k] = ph_state_contacts(states[k], &counts[k]);
        missed = missed || report.contact_missed;
        ph_sim_destroy(sim);
    }
    const bool alike = CHECK_EQ_INT(counts[0], counts[1]) && CHECK(counts[0] <= CONTACTS_MOST);
    for (int i = 0; alike && i < counts[0]; i++) {
        size = ph_max(size, ph_norm(contacts[1][i].force));
        apart[i] = ph_sub(contacts[0][i].force, contacts[1][i].force);
        worst = ph_max(worst, ph_norm(apart[i]));
    }
    if (alike && worst > 1e-9 * (size + 1.0)) { // then along the kernel, and nowhere else
        const double felt = as_felt(model, state, apart);
        printf("  forces differ by %.1e, contacts feel %.1e of it\n", worst / (size + 1.0), felt / worst);
        if (felt <= 1e-8 * worst) worst = felt;
    }
    const double drift = ph_norm(ph_sub(ph_state_velocities(states[0])[0], ph_state_velocities(states[1])[0]));
    CHECK(missed || drift < 0.05);
    ph_state_destroy(states[0]);
    ph_state_destroy(states[1]);
    return missed ? -1.0 : worst / (size + 1.0); // forces of weights are of order 10
}

TEST(contact_forces_are_those_of_the_whole_matrix)
{
    int touching = 0;
    for (int n = 0; n < 60; n++) {
        const robot_options o = {
            .bodies = 3 + test_random_index(8), .on_world = n % 2, .motors = n % 3, .ratio = 10.0, .loops = n % 4 == 3};
        rig r = rig_open(robot_on_floor(&o), "moreau");
        if (r.model && rig_step(&r, 0.001, 20)) {
            int count;
            ph_state_contacts(r.state, &count);
            const double difference = compare_forces(r.model, r.state);
            touching += count > 0 && difference >= 0.0; // what jams has no solution to compare
            CHECK(difference <= 1e-9);
            const ph_measures m = rig_measure(&r);
            CHECK(m.position_violation <= 1e-13);
            CHECK(m.velocity_violation <= 1e-12);
        }
        rig_close(&r);
    }
    CHECK(touching > 30);
}

// ---- Overlap --------------------------------------------------------------------------------------------------------

// An arm on a hinge whose ball begins one centimetre in the floor: it is lifted out, and not thrown. T + U - W counts the lift.
TEST(overlap_is_undone_without_velocity)
{
    ph_spec *spec = arm(0.5, 9.81);
    ph_joint_def hinge = joint_at("hinge", "revolute", PH_WORLD, 0, ph_vec(0.0, 0.0, 0.0), ph_vec(0.0, 1.0, 0.0));
    hinge.limit_low = -0.5;
    hinge.has_limit_low = true;
    CHECK(ph_spec_add_joint(spec, &hinge) >= 0);
    add_ball(spec, 0, 0.1, 0.0, 0.0);
    ph_body_def floor = ph_default_body();
    ph_shape_def plane = ph_default_shape();
    floor.name = "floor";
    floor.fixed = true;
    floor.position = ph_vec(0.0, 0.0, -0.09);
    plane.type = "plane";
    plane.size = ph_vec(0.0, 0.0, 1.0);
    CHECK(ph_spec_add_shape(spec, ph_spec_add_body(spec, &floor), &plane) >= 0);
    set_contact(spec, 1e-10);
    rig r = rig_open(robot_compile(spec), "moreau");
    const ph_measures start = rig_measure(&r);
    double fastest = 0.0;
    for (int k = 0; k < 60 && rig_step(&r, 0.001, 1); k++) fastest = ph_max(fastest, rig_measure(&r).kinetic);
    const ph_measures end = rig_measure(&r);
    printf("  kinetic energy at most %.1e J; lifted by %.4f J, T + U - W off by %.1e J\n", fastest,
           end.potential - start.potential, end.total - start.total);
    CHECK(fastest < 1e-6);
    CHECK(ph_state_positions(r.state)[0].z > 0.0099);
    CHECK_NEAR(end.total, start.total, 0.02 * (end.potential - start.potential));
    rig_close(&r);
}

// ---- Impacts --------------------------------------------------------------------------------------------------------

// Two halves of a ball, welded: they bounce as the whole one does, at the same moments.
TEST(a_welded_ball_bounces_like_a_whole_one)
{
    double height[2][400];
    for (int welded = 0; welded < 2; welded++) {
        ph_spec *spec = ph_spec_create(NULL);
        ph_spec_set_gravity(spec, ph_vec(0.0, 0.0, -9.81));
        add_floor(spec, 0.0);
        const int ball = add_body(spec, "ball", welded ? 0.5 : 1.0, welded ? 0.002 : 0.004, ph_vec(0.0, 0.0, 1.1));
        add_ball(spec, ball, 0.1, 0.0, 0.8);
        if (welded) {
            const int other = add_body(spec, "other", 0.5, 0.002, ph_vec(0.0, 0.0, 1.1));
            ph_joint_def weld = ph_default_joint();
            weld.name = "weld";
            weld.type = "fixed";
            weld.body_a = ball;
            weld.body_b = other;
            CHECK(ph_spec_add_joint(spec, &weld) >= 0);
        }
        set_contact(spec, 1e-8);
        rig r = rig_build(spec, "moreau");
        for (int k = 0; k < 400 && rig_step(&r, 0.005, 1); k++) height[welded][k] = rig_position(&r, 1).z;
        rig_close(&r);
    }
    for (int k = 0; k < 400; k++)
        CHECK_NEAR(height[0][k], height[1][k], 1e-8); // the tolerance of the impulses, summed up
}

// On a slide in the world its velocities are those of half a step before; it bounces at their moments, and loses no height.
TEST(a_ball_on_a_slide_keeps_its_height)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_spec_set_gravity(spec, ph_vec(0.0, 0.0, -9.81));
    add_floor(spec, 0.0);
    const int ball = add_body(spec, "ball", 1.0, 0.004, ph_vec(0.0, 0.0, 1.1));
    add_ball(spec, ball, 0.1, 0.0, 1.0);
    ph_joint_def slide = joint_at("slide", "prismatic", PH_WORLD, ball, ph_vec(0.0, 0.0, 1.1), ph_vec(0.0, 0.0, 1.0));
    CHECK(ph_spec_add_joint(spec, &slide) >= 0);
    set_contact(spec, 1e-8);
    rig r = rig_build(spec, "moreau");
    double top = 0.0, lowest = 1.0;
    for (int k = 0; k < 20000 && rig_step(&r, 0.005, 1); k++) {
        const double z = rig_position(&r, 1).z;
        lowest = fmin(lowest, z);
        if (k > 19700) top = ph_max(top, z);
    }
    CHECK_NEAR(top, 1.1, 2e-4);
    CHECK(lowest > 0.1 - 1e-9);
    rig_close(&r);
}

// ---- Bits -----------------------------------------------------------------------------------------------------------

static bool same_bits(const ph_model *model, const ph_state *a, const ph_state *b)
{
    const size_t n = (size_t)ph_model_bodies(model);
    return memcmp(ph_state_positions((ph_state *)a), ph_state_positions((ph_state *)b), n * sizeof(ph_vec3)) == 0 &&
           memcmp(ph_state_velocities((ph_state *)a), ph_state_velocities((ph_state *)b), n * sizeof(ph_vec3)) == 0 &&
           memcmp(ph_state_orientations((ph_state *)a), ph_state_orientations((ph_state *)b), n * sizeof(ph_quat)) == 0;
}

// The factor that is kept from step to step is what a simulation made in between makes of the state.
TEST(a_run_goes_on_with_the_same_bits)
{
    for (int n = 0; n < 8; n++) {
        const robot_options o = {.bodies = 8, .on_world = n % 2, .motors = n % 3, .loops = n / 4};
        rig r = rig_open(robot_on_floor(&o), "moreau");
        ph_state *other = ph_state_create(r.model);
        ph_sim_def def = ph_default_sim();
        ph_sim *sim = NULL;
        ph_step_report report;
        def.scheme = "moreau";
        def.threads = 3;
        rig_step(&r, 0.002, 30);
        CHECK_EQ_INT(ph_state_copy(other, r.state), PH_OK);
        CHECK_EQ_INT(ph_sim_create(r.model, &def, &sim, NULL), PH_OK);
        rig_step(&r, 0.002, 30);
        for (int k = 0; k < 30; k++) CHECK_EQ_INT(ph_sim_step(sim, other, 0.002, &report), PH_OK);
        CHECK(same_bits(r.model, r.state, other));
        ph_state_destroy(other);
        ph_sim_destroy(sim);
        rig_close(&r);
    }
}
