// rattlie-ns: what it keeps through contact and impacts (docs/theory/rattlie-ns.md).
#include "rig.h"

#include <math.h>
#include <string.h>

static rig open(const char *file, const ph_setting *settings, int count)
{
    char path[512];
    ph_model *model = NULL;
    snprintf(path, sizeof path, "%s/examples/contact/%s", TEST_SOURCE_DIR, file);
    CHECK_EQ_INT(ph_model_read_file(path, settings, count, NULL, &model), PH_OK);
    return rig_open(model, "rattlie-ns");
}

static double energy(const rig *r)
{
    const ph_measures m = rig_measure(r);
    return m.kinetic + m.potential;
}

// ---- Impacts --------------------------------------------------------------------------------------------------------

TEST(a_thousand_bounces_without_loss_keep_the_energy)
{
    NEEDS_YAML;
    const ph_setting elastic[] = {{"e", "1"}};
    rig r = open("bounce.yaml", elastic, 1);
    const double E = energy(&r);
    double worst = 0.0, last = -1.0;
    int bounces = 0;
    for (int k = 0; k < 200000 && bounces < 1000; k++) {
        if (!CHECK(rig_step(&r, 0.005, 1))) break;
        const double v = ph_state_velocities(r.state)[1].z;
        bounces += last < 0.0 && v > 0.0;
        last = v;
        worst = fmax(worst, fabs(energy(&r) / E - 1.0));
    }
    printf("  %d bounces: relative energy error %.1e\n", bounces, worst);
    CHECK_EQ_INT(bounces, 1000);
    CHECK(worst <= 1e-11);
    rig_close(&r);
}

// 1, 0.64, 0.4096, ... from the energy after each bounce, and the time of the first contact from the motion after it.
TEST(heights_of_bounces_are_exact)
{
    NEEDS_YAML;
    rig r = open("bounce.yaml", NULL, 0);
    const double h = 0.005, g = 9.81;
    double height = 1.0, last = -1.0, first = 0.0;
    int bounces = 0;
    for (int k = 0; k < 700 && bounces < 6; k++) {
        if (!CHECK(rig_step(&r, h, 1))) break;
        const double v = ph_state_velocities(r.state)[1].z, z = ph_state_positions(r.state)[1].z - 0.1;
        if (last < 0.0 && v > 0.0) {
            const double up = sqrt(2.0 * g * (z + v * v / (2.0 * g)));
            if (bounces++ == 0) first = ph_state_time(r.state) - (up - v) / g;
            height *= 0.64;
            CHECK_REL(z + v * v / (2.0 * g), height, 1e-11);
        }
        last = v;
    }
    CHECK_EQ_INT(bounces, 6);
    CHECK_REL(first, sqrt(2.0 / g), 1e-11);
    rig_step(&r, h, (int)lround((4.1 - ph_state_time(r.state)) / h)); // at rest after 4.0637 s
    CHECK(fabs(ph_state_velocities(r.state)[1].z) < 1e-10);
    CHECK(fabs(ph_state_positions(r.state)[1].z - 0.1) < 1e-12);
    rig_close(&r);
}

// Largest energy error in the first and in the last tenth of `steps` steps.
static void envelope(double h, int steps, double *first, double *last)
{
    rig r = open("spring_bounce.yaml", NULL, 0);
    const double E = energy(&r);
    *first = *last = 0.0;
    for (int k = 0; k < steps; k++) {
        if (!CHECK(rig_step(&r, h, 1))) break;
        double *tenth = k < steps / 10 ? first : k >= steps - steps / 10 ? last : NULL;
        if (tenth) *tenth = fmax(*tenth, fabs(energy(&r) - E));
    }
    rig_close(&r);
}

TEST(bounces_in_a_potential_that_is_not_uniform_do_not_drift)
{
    NEEDS_YAML;
    double coarse[2], fine[2];
    envelope(2e-3, 200000, &coarse[0], &coarse[1]);
    envelope(1e-3, 200000, &fine[0], &fine[1]);
    printf("  2 ms: %.3e, %.3e J; 1 ms: %.3e, %.3e J\n", coarse[0], coarse[1], fine[0], fine[1]);
    CHECK_REL(coarse[1], coarse[0], 0.05);
    CHECK_REL(fine[1], fine[0], 0.05);
    CHECK_REL(coarse[0] / fine[0], 4.0, 0.05);
}

TEST(joints_hold_while_a_double_pendulum_strikes_a_wall)
{
    NEEDS_YAML;
    for (int k = 0; k < 3; k++) {
        const ph_setting restitution[] = {{"e", (const char *[]){"0", "0.5", "1"}[k]}};
        rig r = open("wall_pendulum.yaml", restitution, 1);
        double position = 0.0, velocity = 0.0, through = 0.0;
        int touched = 0;
        for (int n = 0; n < 5000; n++) {
            ph_step_report report;
            if (!CHECK_EQ_INT(ph_sim_step(r.sim, r.state, 1e-3, &report), PH_OK)) break;
            const ph_measures m = rig_measure(&r);
            position = fmax(position, m.position_violation);
            velocity = fmax(velocity, m.velocity_violation);
            through = fmax(through, report.penetration);
            touched += report.contacts > 0;
        }
        printf("  e = %s: joints %.1e m, %.1e m/s, wall %.1e m\n", restitution[0].value, position, velocity, through);
        CHECK(touched > 0);
        CHECK(position <= 1e-10);
        CHECK(velocity <= 1e-12);
        CHECK(through <= 1e-12);
        rig_close(&r);
    }
}

// ---- Contact that lasts ---------------------------------------------------------------------------------------------

TEST(a_block_slides_as_it_should_and_not_before)
{
    NEEDS_YAML;
    const ph_setting below[] = {{"beyond", "-0.01"}}, above[] = {{"beyond", "0.01"}};
    rig rest = open("incline.yaml", below, 1), slide = open("incline.yaml", above, 1);
    CHECK(rig_step(&rest, 0.005, 400) && rig_step(&slide, 0.005, 400));
    CHECK(fabs(ph_state_positions(rest.state)[1].x) < 1e-12);
    CHECK_REL(ph_state_positions(slide.state)[1].x, 0.21935461263986, 1e-11); // 2 g (sin - mu cos)
    CHECK(fabs(ph_state_positions(slide.state)[1].z - 0.1) < 1e-13);
    rig_close(&rest);
    rig_close(&slide);
}

// Jellett's integral: angular momentum along the arm from the centre of mass to the contact.
static double jellett(const rig *r, double *axis_up)
{
    const double a = 0.02, c = 0.006, J = 0.4 * 0.015 * a * a;
    const ph_quat q = ph_state_orientations(r->state)[1];
    const ph_vec3 w = ph_state_angular_velocities(r->state)[1];
    const ph_vec3 up = {2.0 * (q.x * q.z - q.w * q.y), 2.0 * (q.y * q.z + q.w * q.x), // in body axes
                        1.0 - 2.0 * (q.x * q.x + q.y * q.y)};
    *axis_up = up.z;
    return J * (c * w.z - a * (w.x * up.x + w.y * up.y + w.z * up.z));
}

TEST(a_tippe_top_turns_over_and_keeps_jelletts_integral)
{
    NEEDS_YAML;
    rig r = open("tippe_top.yaml", NULL, 0);
    double up, lowest = energy(&r), rise = 0.0, worst = 0.0;
    const double E = lowest, start = jellett(&r, &up);
    CHECK(up > 0.9);
    for (int k = 0; k < 50000; k++) {
        if (!CHECK(rig_step(&r, 2e-4, 1))) break;
        const double now = energy(&r);
        rise = fmax(rise, (now - lowest) / E);
        lowest = fmin(lowest, now);
        worst = fmax(worst, fabs(jellett(&r, &up) / start - 1.0));
    }
    printf("  axis at %.3f after 10 s; Jellett %.1e, energy above its lowest by %.1e\n", up, worst, rise);
    CHECK(up < -0.8);
    CHECK(worst <= 1e-11);
    CHECK(rise <= 1e-6);
    rig_close(&r);
}

// The same top on a table without friction: smooth, in contact all the time. Three steps tell the order.
TEST(contact_that_lasts_is_of_second_order)
{
    NEEDS_YAML;
    const ph_setting smooth[] = {{"mu", "0"}, {"spin", "40"}};
    ph_vec3 end[3];
    for (int k = 0; k < 3; k++) {
        rig r = open("tippe_top.yaml", smooth, 2);
        CHECK(rig_step(&r, 1e-3 / (1 << k), 200 << k));
        end[k] = ph_state_angular_velocities(r.state)[1];
        rig_close(&r);
    }
    const double first = hypot(end[1].x - end[0].x, end[1].y - end[0].y);
    const double second = hypot(end[2].x - end[1].x, end[2].y - end[1].y);
    printf("  order %.3f\n", log2(first / second));
    CHECK_NEAR(log2(first / second), 2.0, 0.05);
}

// log2 of how much the place and turn of the second body change when the step is halved, and halved again, over 0.4 s.
static double order_of(const char *bodies, double *change)
{
    char text[1024];
    ph_vec3 x[3];
    ph_quat q[3];
    double by[2];
    snprintf(text, sizeof text, "polhode: 1\ncontact: {}\n%s", bodies);
    for (int k = 0; k < 3; k++) {
        ph_spec *spec = NULL;
        CHECK_EQ_INT(ph_spec_read_text(text, strlen(text), "slides", NULL, 0, NULL, &spec), PH_OK);
        rig r = rig_build(spec, "rattlie-ns");
        CHECK(rig_step(&r, 2e-3 / (1 << k), 200 << k));
        x[k] = ph_state_positions(r.state)[1], q[k] = ph_state_orientations(r.state)[1];
        rig_close(&r);
    }
    for (int k = 0; k < 2; k++)
        by[k] = hypot(
            hypot(x[k + 1].x - x[k].x, x[k + 1].y - x[k].y),
            hypot(hypot(q[k + 1].w - q[k].w, q[k + 1].x - q[k].x), hypot(q[k + 1].y - q[k].y, q[k + 1].z - q[k].z)));
    *change = by[1];
    return log2(by[0] / by[1]);
}

// Friction of a step has the direction of its end, and what rolls does so on the tangents of its beginning: where these turn, or the arms
// to the point of contact, the order is 1; where they do not it is 2. docs/schemes/rattlie-ns.md says so.
TEST(friction_is_of_first_order_where_its_direction_turns)
{
    NEEDS_YAML;
    static const struct {
        const char *what, *bodies;
        double order;
    } cases[] = {
        {"a box slides across a slope",
         "gravity: [3, 0, -9.81]\nbodies:\n- {name: slope, fixed: true, shapes: [{type: plane, friction: 0.5}]}\n"
         "- {name: box, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.05], velocity: [0, 3, 0], "
         "shapes: [{type: box, size: [0.5, 0.5, 0.1], friction: 0.5}]}\n",
         1.0},
        {"a box slides and spins",
         "gravity: [0, 0, -9.81]\nbodies:\n- {name: floor, fixed: true, shapes: [{type: plane, friction: 0.3}]}\n"
         "- {name: box, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.05], velocity: [0, 3, 0], "
         "angular_velocity: [0, 0, 5], shapes: [{type: box, size: [0.5, 0.5, 0.1], friction: 0.3}]}\n",
         1.0},
        {"an ellipsoid rolls",
         "gravity: [0, 0, -9.81]\nbodies:\n- {name: floor, fixed: true, shapes: [{type: plane, friction: 2}]}\n"
         "- {name: egg, mass: 1, inertia: [0.004, 0.005, 0.003], position: [0, 0, 0.1], velocity: [0.2, -0.1, 0], "
         "angular_velocity: [1, 2, 0.5], shapes: [{type: ellipsoid, radii: [0.15, 0.12, 0.1], friction: 2}]}\n",
         1.0},
        {"a ball slides and spins",
         "gravity: [0, 0, -9.81]\nbodies:\n- {name: floor, fixed: true, shapes: [{type: plane, friction: 0.1}]}\n"
         "- {name: ball, mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, 0.1], velocity: [0, 2, 0], "
         "angular_velocity: [0, -20, 5], shapes: [{type: sphere, radius: 0.1, friction: 0.1}]}\n",
         2.0},
        {"a ball rolls down a slope",
         "gravity: [2, 0, -9.81]\nbodies:\n- {name: slope, fixed: true, shapes: [{type: plane, friction: 0.9}]}\n"
         "- {name: ball, mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, 0.1], velocity: [0, 1, 0], "
         "angular_velocity: [-10, 0, 0], shapes: [{type: sphere, radius: 0.1, friction: 0.9}]}\n",
         2.0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double change, order = order_of(cases[k].bodies, &change);
        printf("  %s: order %.2f, %.1e from 1 to 0.5 ms\n", cases[k].what, order, change);
        CHECK_NEAR(order, cases[k].order, 0.1);
    }
}

// Largest |dE| in `steps` steps of the bead in the bowl z = x^2.
static double bowl(double h, int steps)
{
    rig r = open("bowl.yaml", NULL, 0);
    const double E = energy(&r);
    double worst = 0.0;
    for (int k = 0; k < steps; k++) {
        if (!CHECK(rig_step(&r, h, 1))) break;
        worst = fmax(worst, fabs(energy(&r) - E));
    }
    rig_close(&r);
    return worst;
}

// A million steps: bench/long_run/run examples/contact/bowl.yaml rattlie-ns 1000000
TEST(a_bead_in_a_bowl_keeps_its_energy_within_an_error_of_second_order)
{
    NEEDS_YAML;
    const double coarse = bowl(1e-3, 20000), fine = bowl(5e-4, 20000);
    printf("  1 ms: %.3e J, 0.5 ms: %.3e J of 9.81\n", coarse, fine);
    CHECK(coarse <= 1.1e-4);
    CHECK_REL(coarse / fine, 4.0, 0.02);
}

// ---- Dampers --------------------------------------------------------------------------------------------------------

// A trunk of 2 kg on a vertical slide, a leg of 1 kg hinged to it whose foot slides on the floor without friction: with the angle t of
// the leg from the vertical and its length l
//
//     A t'' + A' t'^2/2 = g l sin t (M + m/2) - c t',      A = M l^2 sin^2 t + m l^2/4 + I.
static const double leg_length = 0.5, leg_inertia = 0.02, leg_start = 0.4;

static double leg_acceleration(double t, double rate, double c)
{
    const double l = leg_length, A = 2.0 * l * l * sin(t) * sin(t) + 0.25 * l * l + leg_inertia;
    return (9.81 * l * sin(t) * 2.5 - c * rate - 2.0 * l * l * sin(t) * cos(t) * rate * rate) / A;
}

// By the classical Runge-Kutta method in steps of 10 us.
static double leg_angle(double until, double c)
{
    const double h = 1e-5;
    double t = leg_start, v = 0.0;
    for (int k = 0; k < (int)lround(until / h); k++) {
        const double a1 = leg_acceleration(t, v, c), v2 = v + 0.5 * h * a1;
        const double a2 = leg_acceleration(t + 0.5 * h * v, v2, c), v3 = v + 0.5 * h * a2;
        const double a3 = leg_acceleration(t + 0.5 * h * v2, v3, c), v4 = v + h * a3;
        const double a4 = leg_acceleration(t + h * v3, v4, c);
        t += h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4);
        v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
    return t;
}

static int leg_body(ph_spec *spec, const char *name, double mass, ph_vec3 at)
{
    ph_body_def def = ph_default_body();
    def.name = name;
    def.mass = mass;
    def.inertia = (ph_mat3){{{leg_inertia, 0, 0}, {0, leg_inertia, 0}, {0, 0, leg_inertia}}};
    def.position = at;
    return ph_spec_add_body(spec, &def);
}

static rig leg(double damping)
{
    ph_spec *spec = ph_spec_create(NULL);
    const double x = 0.5 * leg_length * sin(leg_start), z = 0.5 * leg_length * cos(leg_start), radius = 0.05;
    const ph_vec3 hip = {0.0, 0.0, 2.0 * z + radius};
    const int trunk = leg_body(spec, "trunk", 2.0, hip),
              shin = leg_body(spec, "shin", 1.0, (ph_vec3){x, 0.0, z + radius});
    ph_shape_def foot = ph_default_shape(), plane = ph_default_shape();
    ph_body_def floor = ph_default_body();
    ph_joint_def slide = ph_default_joint(), hinge = ph_default_joint();
    const ph_contact_settings contact = ph_default_contact();
    foot.type = "sphere";
    foot.radius = radius;
    foot.position = (ph_vec3){x, 0.0, -z};
    foot.friction = plane.friction = 0.0;
    CHECK(ph_spec_add_shape(spec, shin, &foot) >= 0);
    floor.name = "floor";
    floor.fixed = true;
    plane.type = "plane";
    plane.size = (ph_vec3){0.0, 0.0, 1.0};
    CHECK(ph_spec_add_shape(spec, ph_spec_add_body(spec, &floor), &plane) >= 0);
    slide.name = "slide", slide.type = "prismatic", slide.body_a = PH_WORLD, slide.body_b = trunk;
    hinge.name = "hinge", hinge.type = "revolute", hinge.body_a = trunk, hinge.body_b = shin;
    slide.has_anchor = hinge.has_anchor = slide.has_axis = hinge.has_axis = true;
    slide.anchor = hinge.anchor = hip;
    slide.axis = (ph_vec3){0.0, 0.0, 1.0};
    hinge.axis = (ph_vec3){0.0, -1.0, 0.0};
    hinge.damping = damping;
    CHECK(ph_spec_add_joint(spec, &slide) >= 0 && ph_spec_add_joint(spec, &hinge) >= 0);
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, -9.81});
    CHECK_EQ_INT(ph_spec_set_contact(spec, &contact), PH_OK);
    return rig_build(spec, "rattlie-ns");
}

// With dampers as without; 200 N m s is c h/I of 5 at 2 ms.
TEST(dampers_and_contact_together_are_of_second_order)
{
    static const double dampings[] = {0.0, 1.0, 20.0, 200.0};
    for (int n = 0; n < 4; n++) {
        const double until = 0.2, exact = leg_angle(until, dampings[n]);
        double error[2];
        for (int fine = 0; fine < 2; fine++) {
            rig r = leg(dampings[n]);
            double q;
            CHECK(rig_step(&r, fine ? 1e-3 : 2e-3, fine ? 200 : 100));
            ph_observer_joint(r.observer, r.state, 1, &q, NULL);
            error[fine] = fabs(fabs(q) - (exact - leg_start));
            rig_close(&r);
        }
        printf("  damping %g: error %.1e rad at 1 ms, order %.2f\n", dampings[n], error[1], log2(error[0] / error[1]));
        CHECK(error[1] < 1e-5);
        CHECK_NEAR(log2(error[0] / error[1]), 2.0, 0.2);
    }
}

// ---- Without contact ------------------------------------------------------------------------------------------------

// Where the step is long for a damper T + U - W is not kept well: what contacts may not do is no reason to divide a step without them.
TEST(where_nothing_touches_the_scheme_is_rattlie)
{
    NEEDS_YAML;
    static const char text[] =
        "polhode: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
        "- {name: upper, mass: 1, inertia: [0.01, 0.1, 0.1], position: [0.5, 0, 0], velocity: [0, 0, 1], angular_velocity: [0, -2, 0]}\n"
        "- {name: lower, mass: 1, inertia: [0.01, 0.1, 0.1], position: [1.5, 0, 0], velocity: [0, 0, 4.5], angular_velocity: [0, -5, 0]}\n"
        "joints:\n- {name: hook, type: revolute, bodies: [world, upper], anchor: [0, 0, 0], axis: y}\n"
        "- {name: hinge, type: revolute, bodies: [upper, lower], anchor: [1, 0, 0], axis: y, damping: 200}\n";
    static const char *const schemes[] = {"rattlie", "rattlie-ns"};
    ph_vec3 x[2];
    for (int k = 0; k < 2; k++) {
        ph_spec *spec = NULL;
        CHECK_EQ_INT(ph_spec_read_text(text, strlen(text), "arm", NULL, 0, NULL, &spec), PH_OK);
        rig r = rig_build(spec, schemes[k]);
        CHECK(rig_step(&r, 5e-3, 100));
        x[k] = ph_state_positions(r.state)[1];
        rig_close(&r);
    }
    CHECK_NEAR(x[1].x, x[0].x, 1e-12);
    CHECK_NEAR(x[1].z, x[0].z, 1e-12);
}
