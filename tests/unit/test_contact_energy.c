// Contacts push and never pull, and take energy out and never put any in.
#include "rig.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

static const char *const schemes[] = {"moreau", "rattlie-ns"};
#define EVERY_SCHEME(s) for (int s = 0; s < 2; s++)

static int add_floor(ph_spec *spec, double friction, double restitution)
{
    ph_body_def floor = ph_default_body();
    ph_shape_def plane = ph_default_shape();
    floor.name = "floor";
    floor.fixed = true;
    plane.type = "plane";
    plane.size = ph_vec(0.0, 0.0, 1.0);
    plane.friction = friction;
    plane.restitution = restitution;
    const int index = ph_spec_add_body(spec, &floor);
    ph_spec_add_shape(spec, index, &plane);
    return index;
}

static ph_spec *start(double tolerance, double gravity)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_contact_settings contact = ph_default_contact();
    if (tolerance > 0.0) contact.tolerance = tolerance;
    ph_spec_set_contact(spec, &contact);
    ph_spec_set_gravity(spec, ph_vec(0.0, 0.0, -gravity));
    return spec;
}

static int add_ball(ph_spec *spec, const char *name, ph_vec3 position, ph_vec3 velocity, double e)
{
    ph_body_def body = ph_default_body();
    ph_shape_def shape = ph_default_shape();
    body.name = name;
    body.position = position;
    body.velocity = velocity;
    shape.type = "sphere";
    shape.radius = 0.1;
    shape.density = 1000.0;
    shape.friction = 0.0;
    shape.restitution = e;
    const int index = ph_spec_add_body(spec, &body);
    ph_spec_add_shape(spec, index, &shape);
    return index;
}

static double energy(const rig *r)
{
    ph_measures m;
    ph_observer_measure(r->observer, r->state, &m);
    return m.kinetic + m.potential;
}

// Thrown upward from the floor it touches: z = 0.1 + 3 t - g t^2/2.
TEST(ball_leaves_a_smooth_floor)
{
    EVERY_SCHEME(s) for (int loose = 0; loose < 2; loose++)
    {
        ph_spec *spec = start(loose ? 1e-3 : 0.0, 9.81);
        add_floor(spec, 0.0, 0.0);
        const int ball = add_ball(spec, "ball", ph_vec(0, 0, 0.1), ph_vec(0, 0, 3), 0.0);
        rig r = rig_build(spec, schemes[s]);
        rig_step(&r, 0.005, 30);
        CHECK_NEAR(ph_state_positions(r.state)[ball].z, 0.1 + 3.0 * 0.15 - 0.5 * 9.81 * 0.15 * 0.15, 1e-9);
        rig_close(&r);
    }
}

// A row of elastic balls without friction, struck at one end: energy stays.
TEST(row_of_elastic_balls_keeps_its_energy)
{
    EVERY_SCHEME(s) for (int loose = 0; loose < 2; loose++)
    {
        ph_spec *spec = start(loose ? 1e-3 : 0.0, 0.0);
        for (int k = 0; k < 6; k++) {
            char name[16];
            snprintf(name, sizeof name, "b%d", k);
            add_ball(spec, name, ph_vec(0.2 * k - (k == 0 ? 0.1 : 0.0), 0, 0), ph_vec(k == 0 ? 2.0 : 0.0, 0, 0), 1.0);
        }
        rig r = rig_build(spec, schemes[s]);
        const double before = energy(&r);
        for (int k = 0; k < 100; k++) {
            rig_step(&r, 0.005, 1);
            CHECK(energy(&r) <= before * (1.0 + 1e-9));
        }
        rig_close(&r);
    }
}

// ---- Impacts --------------------------------------------------------------------------------------------------------

static ph_quat turn_about(ph_vec3 axis, double angle)
{
    const double s = sin(0.5 * angle);
    return (ph_quat){cos(0.5 * angle), s * axis.x, s * axis.y, s * axis.z};
}

typedef struct thrown {
    const char *shape;
    ph_vec3 size;
    double radius, length, friction, restitution;
    ph_vec3 axis; // of the turn at the start, unit
    double angle, height;
    ph_vec3 velocity, spin;
} thrown;

static rig throw(const thrown *t, const char *scheme)
{
    ph_spec *spec = start(0.0, 9.81);
    ph_body_def body = ph_default_body();
    ph_shape_def shape = ph_default_shape();
    add_floor(spec, t->friction, t->restitution);
    body.name = t->shape;
    body.position = ph_vec(0, 0, t->height);
    body.orientation = turn_about(t->axis, t->angle);
    body.velocity = t->velocity;
    body.angular_velocity = t->spin;
    shape.type = t->shape;
    shape.size = t->size;
    shape.radius = t->radius;
    shape.length = t->length;
    shape.density = 1000.0;
    shape.friction = t->friction;
    shape.restitution = t->restitution;
    ph_spec_add_shape(spec, ph_spec_add_body(spec, &body), &shape);
    return rig_build(spec, scheme);
}

// The largest rise of T + U above its lowest so far, by the largest kinetic energy so far.
static double largest_gain(rig *r, double h, int steps)
{
    double lowest = energy(r), largest = 0.0, gain = 0.0;
    for (int k = 0; k < steps; k++) {
        if (!rig_step(r, h, 1)) return HUGE_VAL;
        ph_measures m;
        ph_observer_measure(r->observer, r->state, &m);
        largest = fmax(largest, m.kinetic);
        gain = fmax(gain, (m.kinetic + m.potential - lowest) / largest);
        lowest = fmin(lowest, m.kinetic + m.potential);
    }
    return gain;
}

// A cylinder that falls from one side of its rim over to the other: the lowest point leaps across.
TEST(tipping_cylinders_gain_nothing)
{
    const double frictions[] = {0.0, 0.2, 0.8}, tilts[] = {0.1, 0.35, 0.7, 1.2};
    for (int f = 0; f < 3; f++)
        for (int k = 0; k < 4; k++) {
            const thrown t = {.shape = "cylinder",
                              .radius = 0.32,
                              .length = 0.95,
                              .friction = frictions[f],
                              .axis = {0.8, 0.6, 0},
                              .angle = tilts[k],
                              .height = 0.9};
            rig r = throw(&t, "rattlie-ns");
            CHECK(largest_gain(&r, 0.005, 400) <= 2e-3);
            rig_close(&r);
        }
}

// A rod that strikes the floor with its end, e = 1 and friction: Newton's law alone creates 18 % of energy here.
static double most_of_rods(const char *scheme)
{
    const double restitutions[] = {0.3, 0.7, 1.0}, frictions[] = {0.1, 0.6, 1.0};
    double most = 0.0;
    for (int e = 0; e < 3; e++)
        for (int f = 0; f < 3; f++)
            for (double angle = 0.2; angle < 1.5; angle += 0.2) {
                const thrown t = {.shape = "capsule",
                                  .radius = 0.01,
                                  .length = 1.0,
                                  .friction = frictions[f],
                                  .restitution = restitutions[e],
                                  .axis = {0, 1, 0},
                                  .angle = angle,
                                  .height = 0.7,
                                  .velocity = {2, 0, -3}};
                rig r = throw(&t, scheme);
                most = fmax(most, largest_gain(&r, 0.001, 400));
                rig_close(&r);
            }
    printf("  %s: largest gain of a rod: %.2g of its kinetic energy\n", scheme, most);
    return most;
}

// The error of moreau between impacts, where the rod turns, is of order h.
TEST(rods_that_bounce_with_friction_gain_nothing)
{
    CHECK(most_of_rods("rattlie-ns") <= 1e-3);
    CHECK(most_of_rods("moreau") <= 5e-3);
}

// What turns fast and strikes with several corners in a step, without friction and with e = 1, keeps its energy: the gyroscopic impulse of the step comes
// before the impact, and a body bounces at one moment.
static rig throw_box(ph_vec3 size, ph_vec3 spin, const char *joint)
{
    ph_spec *spec = start(0.0, 9.81);
    ph_body_def body = ph_default_body();
    ph_shape_def shape = ph_default_shape();
    add_floor(spec, 0.0, 1.0);
    body.name = "box";
    body.position = ph_vec(0.0, 0.0, 0.4);
    body.velocity = ph_vec(0.3, 0.0, -1.0);
    body.angular_velocity = spin;
    shape.type = "box";
    shape.size = size;
    shape.density = 500.0;
    shape.restitution = 1.0;
    ph_spec_add_shape(spec, ph_spec_add_body(spec, &body), &shape);
    if (joint) { // a pendulum elsewhere: then the box goes along paths
        ph_joint_def pivot = ph_default_joint();
        body.name = joint;
        body.mass = 1.0;
        body.inertia.m[0][0] = body.inertia.m[1][1] = body.inertia.m[2][2] = 0.01;
        body.position = ph_vec(51.0, 0.0, 30.0);
        body.velocity = body.angular_velocity = ph_zero3();
        pivot.type = "revolute";
        pivot.name = "pivot";
        pivot.body_a = PH_WORLD;
        pivot.body_b = ph_spec_add_body(spec, &body);
        pivot.has_anchor = pivot.has_axis = true;
        pivot.anchor = ph_vec(51.0, 0.0, 30.0);
        pivot.axis = ph_vec(0.0, 1.0, 0.0);
        ph_spec_add_joint(spec, &pivot);
    }
    return rig_build(spec, "moreau");
}

TEST(boxes_that_spin_and_bounce_keep_their_energy)
{
    const ph_vec3 sizes[] = {{0.12, 0.12, 0.0024}, {0.25, 0.15, 0.21}, {0.5, 0.013, 0.013}};
    const ph_vec3 spins[] = {{0, 18, 4}, {6, 3, 2}, {-2.5, -1.7, 0}};
    double worst = 0.0;
    for (int k = 0; k < 18; k++) {
        rig r = throw_box(sizes[k % 3], spins[k / 3 % 3], k < 9 ? NULL : "bob");
        const double before = energy(&r);
        rig_step(&r, 0.003, 2000);
        worst = fmax(worst, fabs(energy(&r) - before) / rig_measure(&r).kinetic);
        rig_close(&r);
    }
    printf("  energy of boxes within %.1e\n", worst);
    CHECK(worst < 1e-5);
}

// A cylinder that lies on a smooth floor, rolls about its axis and turns about the vertical: contacts hold it against its gyroscopic torque, which takes no
// work. Once it had thirteen times its energy after 20 s, and was a quarter of its radius in the floor.
TEST(a_cylinder_that_rolls_and_turns_is_not_spun_up)
{
    for (double spin = 10.0; spin <= 60.0; spin *= 2.0) {
        const thrown t = {.shape = "cylinder",
                          .radius = 0.05,
                          .length = 0.2,
                          .axis = {1, 0, 0},
                          .angle = 1.2,
                          .height = 0.12,
                          .spin = {spin, 3, spin}};
        rig r = throw(&t, "moreau");
        const double before = energy(&r);
        double deepest = 0.0, most = before;
        for (int k = 0; k < 4000; k++) {
            ph_step_report report;
            CHECK_EQ_INT(ph_sim_step(r.sim, r.state, 0.005, &report), PH_OK);
            deepest = fmax(deepest, report.penetration);
            most = fmax(most, energy(&r));
        }
        printf("  %g rad/s: energy %.4g -> %.4g, at the most %.4g J, overlap %.1e m\n", spin, before, energy(&r), most,
               deepest);
        CHECK(most <= 1.001 * before);
        CHECK(energy(&r) < 0.5 * before);
        CHECK(deepest < 2e-3);
        rig_close(&r);
    }
}

// ---- Impacts that follow impacts ------------------------------------------------------------------------------------

// Five balls in a row with gaps of 0.1 mm, the first strikes at 1 m/s: within one step of 5 ms the blow goes through all of them, and
// only the last one leaves, with all of the speed. With e < 1 each hands on (1 + e)/2 of its speed and keeps (1 - e)/2.
TEST(blows_go_through_a_row_of_balls_with_gaps)
{
    const double restitutions[] = {1.0, 0.9};
    EVERY_SCHEME(s) for (int k = 0; k < 2; k++)
    {
        const double e = restitutions[k];
        ph_spec *spec = start(0.0, 0.0);
        for (int b = 0; b < 5; b++) {
            char name[16];
            snprintf(name, sizeof name, "b%d", b);
            add_ball(spec, name, ph_vec(0.2001 * b - (b == 0 ? 0.002 : 0.0), 0, 0), ph_vec(b == 0 ? 1.0 : 0.0, 0, 0),
                     e);
        }
        rig r = rig_build(spec, schemes[s]);
        rig_step(&r, 0.005, 4);
        double speed = 1.0;
        for (int b = 0; b < 5; b++) {
            const double left = b < 4 ? 0.5 * (1.0 - e) * speed : speed;
            CHECK_NEAR(ph_state_velocities(r.state)[b].x, left, e == 1.0 ? 1e-6 : 2e-3);
            speed *= 0.5 * (1.0 + e);
        }
        rig_close(&r);
    }
}
