// The scheme `clifford-vi` against its own equations, written with the types of the algebra, and what they imply: turns
// about fixed axes are exact, the motion does not depend on the point of reference but does on the speed of the frame. Order,
// 2-form, reversal and momentum are measured for every scheme in tests/unit/test_schemes.c.
#include "math/quat.h"
#include "random_vector.h"
#include "rig.h"
#include "scenes.h"

static ph_body_def random_body(void)
{
    ph_body_def body = ph_default_body();
    body.name = "body";
    body.mass = test_uniform(0.5, 3.0);
    body.inertia = ph_diag(ph_vec(test_uniform(1.0, 1.5), test_uniform(1.0, 1.5), test_uniform(1.0, 1.5)));
    body.orientation = ph_quat_unit((ph_quat){0.9, test_uniform(-1, 1), test_uniform(-1, 1), 0.3});
    body.position = random_vector(1.0);
    body.velocity = random_vector(3.0);
    body.angular_velocity = random_vector(3.0);
    return body;
}

// ---- The equations --------------------------------------------------------------------------------------------------

static ph_motor motor_of(const rig *r)
{
    return ph_motor_make(ph_state_orientations(r->state)[0], rig_position(r, 0));
}

// P of body 0, seen from the world's origin.
static ph_coscrew momentum_of(const rig *r, ph_inertia N0)
{
    const ph_quat q = ph_state_orientations(r->state)[0];
    const ph_vec3 v = ph_quat_rotate(ph_quat_conj(q), ph_state_velocities(r->state)[0]);
    const ph_twist s = {ph_state_angular_velocities(r->state)[0], v};
    return ph_move_coscrew(motor_of(r), ph_momentum(N0, s));
}

// dexp^-T(z) P: <dexp^-T P, s> = <P, dexp^-1 s> for six s
static ph_coscrew pull_back(ph_twist z, ph_coscrew P)
{
    double y[6];
    for (int k = 0; k < 6; k++) {
        double e[6] = {0};
        e[k] = 1.0;
        const ph_twist s = {ph_vec(e[0], e[1], e[2]), ph_vec(e[3], e[4], e[5])};
        y[k] = ph_evaluate(P, ph_motor_velocity_inverse(z, s));
    }
    return (ph_coscrew){ph_vec(y[0], y[1], y[2]), ph_vec(y[3], y[4], y[5])};
}

static double apart(ph_coscrew a, ph_coscrew b)
{
    return fmax(rig_distance(a.l, b.l), rig_distance(a.p, b.p));
}

// Weight at x, as a wrench about the world's origin.
static ph_coscrew weight(double mass, ph_vec3 g, ph_vec3 x)
{
    const ph_vec3 f = ph_scale(mass, g);
    return (ph_coscrew){ph_cross(x, f), f};
}

static ph_coscrew plus(ph_coscrew P, double s, ph_coscrew W)
{
    return (ph_coscrew){ph_madd(P.l, s, W.l), ph_madd(P.p, s, W.p)};
}

TEST(a_step_is_that_of_the_algebra)
{
    for (int n = 0; n < 10; n++) {
        const double h = test_uniform(0.02, 0.15);
        const ph_vec3 g = random_vector(10.0);
        const ph_body_def body = random_body();
        ph_spec *spec = ph_spec_create(NULL);
        ph_spec_add_body(spec, &body);
        ph_spec_set_gravity(spec, g);
        rig r = rig_build(spec, "clifford-vi");
        const ph_inertia N0 = ph_inertia_make(body.mass, ph_zero3(), body.inertia);
        const ph_motor start = motor_of(&r);
        const ph_coscrew P = plus(momentum_of(&r, N0), 0.5 * h, weight(body.mass, g, rig_position(&r, 0)));
        rig_step(&r, h, 1);
        const ph_twist zeta = ph_motor_log(ph_motor_mul(ph_motor_conj(start), motor_of(&r)));
        const ph_twist rate = {ph_scale(1.0 / h, zeta.omega), ph_scale(1.0 / h, zeta.v)};
        CHECK(apart(ph_move_coscrew(ph_motor_conj(start), P), pull_back(zeta, ph_momentum(N0, rate))) < 1e-12);
        CHECK(apart(momentum_of(&r, N0), plus(P, 0.5 * h, weight(body.mass, g, rig_position(&r, 0)))) < 1e-12);
        rig_close(&r);
    }
}

// The matrix of Newton's method is exact.
TEST(newton_converges_quadratically)
{
    NEEDS_YAML;
    rig r = rig_open(rig_example("double_pendulum.yaml"), "clifford-vi");
    rig_step(&r, 1e-3, 400);
    ph_step_report report;
    ph_state_touch(r.state);
    CHECK_EQ_INT(ph_sim_step(r.sim, r.state, 2e-2, &report), PH_OK);
    CHECK(report.iterations <= 5);
    rig_close(&r);
}

// ---- Fixed points ---------------------------------------------------------------------------------------------------

// A rod on a hinge through its end, no gravity, at 3 rad/s.
static rig turning_rod(const char *scheme)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_body_def rod = ph_default_body();
    rod.name = "rod";
    rod.mass = 2.0;
    rod.inertia = ph_diag(ph_vec(0.1, 0.1, 0.01));
    rod.position = ph_vec(0.5, 0.0, 0.0);
    rod.velocity = ph_vec(0.0, 1.5, 0.0);
    rod.angular_velocity = ph_vec(0.0, 0.0, 3.0);
    ph_joint_def hinge = ph_default_joint();
    hinge.name = "hinge";
    hinge.type = "revolute";
    hinge.body_a = PH_WORLD;
    hinge.body_b = ph_spec_add_body(spec, &rod);
    hinge.has_anchor = hinge.has_axis = true;
    hinge.axis = ph_vec(0.0, 0.0, 1.0);
    ph_spec_add_joint(spec, &hinge);
    return rig_build(spec, scheme);
}

static double miss_of_turning_rod(const char *scheme)
{
    rig r = turning_rod(scheme);
    rig_step(&r, 0.1, 100);
    const double miss = rig_distance(rig_position(&r, 0), ph_vec(0.5 * cos(30.0), 0.5 * sin(30.0), 0.0));
    rig_close(&r);
    return miss;
}

// The centre of mass goes on the circle, not on its chords.
TEST(a_turn_about_a_fixed_axis_is_exact)
{
    CHECK(miss_of_turning_rod("clifford-vi") < 1e-12);
    CHECK(miss_of_turning_rod("rattlie") > 1e-2);
}

static rig rig_of_text(const char *text, const char *scheme)
{
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL;
    CHECK_EQ_INT(ph_spec_read_text(text, strlen(text), "text", NULL, 0, problems, &spec), PH_OK);
    for (int i = 0; i < ph_problems_count(problems); i++) printf("  %s\n", ph_problems_get(problems, i)->text);
    ph_problems_destroy(problems);
    return rig_build(spec, scheme);
}

// A top on its tip is a body with the moments about the tip, of which the screw knows no other: under rattlie the same
// motion is that of a body whose centre of mass lies in the tip and which a force pulls where the centre of mass was.
TEST(about_a_fixed_point_it_is_rattlie_about_that_point)
{
    NEEDS_YAML;
    rig top = rig_of_text("polhode: 1\n"
                          "gravity: [0, 0, -9.81]\n"
                          "bodies: [{name: top, mass: 2, inertia: [0.3, 0.4, 0.2], position: [0, 0, 0.5],\n"
                          "          angular_velocity: [1, 2, 9], velocity: [1, -0.5, 0]}]\n"
                          "joints: [{name: tip, type: ball, bodies: [world, top], anchor: [0, 0, 0]}]\n",
                          "clifford-vi");
    rig about = rig_of_text("polhode: 1\n"
                            "bodies: [{name: top, mass: 2, inertia: [0.8, 0.9, 0.2], angular_velocity: [1, 2, 9]}]\n"
                            "joints: [{name: tip, type: ball, bodies: [world, top], anchor: [0, 0, 0]}]\n"
                            "forces: [{name: weight, type: wrench, body: top, point: [0, 0, 0.5],\n"
                            "          force: [0, 0, -19.62]}]\n",
                            "rattlie");
    rig_step(&top, 0.02, 500);
    rig_step(&about, 0.02, 500);
    const ph_quat p = ph_state_orientations(top.state)[0], q = ph_state_orientations(about.state)[0];
    CHECK_NEAR(fabs(p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z), 1.0, 1e-13);
    CHECK(rig_distance(ph_state_angular_velocities(top.state)[0], ph_state_angular_velocities(about.state)[0]) < 1e-9);
    rig_close(&top);
    rig_close(&about);
}

// ---- Frames ---------------------------------------------------------------------------------------------------------

// How far a free body, thrown with v, is from a straight line at t = 1.
static double bend(const char *scheme, double h, double v)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_body_def body = ph_default_body();
    body.name = "body";
    body.mass = 2.0;
    body.inertia = ph_diag(ph_vec(1.0, 2.0, 2.5));
    body.velocity = ph_vec(v, 0.0, 0.0);
    body.angular_velocity = ph_vec(0.1, 0.2, 3.0);
    ph_spec_add_body(spec, &body);
    rig r = rig_build(spec, scheme);
    rig_step(&r, h, (int)lround(1.0 / h));
    const double miss = rig_distance(rig_position(&r, 0), ph_vec(v, 0.0, 0.0));
    rig_close(&r);
    return miss;
}

// What the page of the scheme warns of: a flying body that spins lags by (h omega)^2/12 of its way.
TEST(free_flight_lags_with_the_square_of_the_turn)
{
    CHECK(bend("clifford-vi", 0.05, 0.0) < 1e-14);
    CHECK(bend("rattlie", 0.05, 10.0) < 1e-12);
    const double coarse = bend("clifford-vi", 0.02, 10.0), fine = bend("clifford-vi", 0.01, 10.0);
    CHECK_REL(fine, 10.0 * 0.03 * 0.03 / 12.0, 0.1);
    CHECK_NEAR(log2(coarse / fine), 2.0, 0.05);
}
