// Chaplygin's sleigh: a body on a plane with a blade behind its centre of mass. With u the speed along the blade, a the
// distance from the blade to the centre of mass, b^2 = (J + m a^2)/m and V^2 = 2 E/m its equations
//
//     u' = a omega^2,     omega' = -(a/b^2) u omega
//
// have the solution (s = a V t/b^2 + c)
//
//     u = V tanh s,     omega = (V/b) / cosh s,     theta = (b/a) gd(s) + const,     gd(s) = 2 atan(tanh(s/2)):
//
// it approaches a straight line exponentially, centre of mass first, and its energy stays. Chaplygin 1911; Bloch, Nonholonomic
// Mechanics and Control, 2003, 1.7.

#include "rig.h"

#include <string.h>

static const double a = 0.3, m = 2.0, J = 0.5, V = 1.3, c = -0.9;

static double b_of(void)
{
    return sqrt((J + m * a * a) / m);
}

static double phase(double t)
{
    return a * V * t / (b_of() * b_of()) + c;
}

static double heading(double t)
{
    return b_of() / a * 2.0 * (atan(tanh(0.5 * phase(t))) - atan(tanh(0.5 * c)));
}

// Centre of mass: the blade starts at the origin, along x. Simpson's rule.
static ph_vec3 centre(double t)
{
    enum { PARTS = 4000 };
    double x = 0.0, y = 0.0;
    for (int k = 0; k <= PARTS; k++) {
        const double at = t * k / PARTS, w = k == 0 || k == PARTS ? 1.0 : k % 2 ? 4.0 : 2.0;
        x += w * V * tanh(phase(at)) * cos(heading(at));
        y += w * V * tanh(phase(at)) * sin(heading(at));
    }
    return (ph_vec3){x * t / (3.0 * PARTS) + a * cos(heading(t)), y * t / (3.0 * PARTS) + a * sin(heading(t)), 0.0};
}

// As a knife edge, or as a row of velocities in the axes of the sleigh. `flat`: a planar joint holds it down as well.
static ph_spec *sleigh(bool generic, bool flat)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_body_def body = ph_default_body();
    ph_joint_def plane = ph_default_joint(), blade = ph_default_joint();
    const double omega = V / b_of() / cosh(c);
    body.name = "sleigh";
    body.mass = m;
    body.inertia = (ph_mat3){{{0.3, 0, 0}, {0, 0.4, 0}, {0, 0, J}}};
    body.position = (ph_vec3){a, 0, 0};
    body.velocity = (ph_vec3){V * tanh(c), a * omega, 0};
    body.angular_velocity = (ph_vec3){0, 0, omega};
    ph_spec_set_gravity(spec, (ph_vec3){0, 0, -9.81});
    ph_spec_add_body(spec, &body);
    plane.name = "plane";
    plane.type = "planar";
    plane.body_a = PH_WORLD;
    plane.body_b = 0;
    plane.has_axis = true;
    plane.axis = (ph_vec3){0, 0, 1};
    blade.name = "blade";
    blade.type = generic ? "generic_velocity" : "knife_edge";
    blade.body_a = PH_WORLD;
    blade.body_b = 0;
    blade.frame_b = generic;
    blade.has_anchor = true;
    blade.has_axis2 = !generic;
    blade.axis2 = (ph_vec3){1, 0, 0};
    blade.velocity_count = generic;
    blade.velocities[0].of[1].number = 1.0;
    if (flat || generic) ph_spec_add_joint(spec, &plane);
    ph_spec_add_joint(spec, &blade);
    return spec;
}

typedef struct figures {
    double error, slip, gap, energy;
} figures;

static figures run(const char *scheme, bool generic, bool flat, double t, int steps)
{
    rig r = rig_build(sleigh(generic, flat), scheme);
    const double energy = rig_measure(&r).total;
    figures f = {0};
    for (int k = 0; k < 20; k++) {
        if (!rig_step(&r, t / steps, steps / 20)) break;
        const ph_measures now = rig_measure(&r);
        f.slip = fmax(f.slip, now.velocity_violation);
        f.gap = fmax(f.gap, now.position_violation);
        f.energy = fmax(f.energy, fabs(now.total / energy - 1.0));
    }
    f.error = rig_distance(rig_position(&r, 0), centre(t));
    rig_close(&r);
    return f;
}

static void check_order(const char *scheme, bool generic, double order, double slip)
{
    const figures coarse = run(scheme, generic, true, 4.0, 200), fine = run(scheme, generic, true, 4.0, 400);
    const double measured = log2(coarse.error / fine.error);
    printf("  %-14s %s error %.2e order %.2f energy %.1e slip %.1e joints %.1e\n", scheme, generic ? "rows " : "blade",
           fine.error, measured, fine.energy, fine.slip, fine.gap);
    CHECK_NEAR(measured, order, 0.15 * order);
    CHECK(fine.slip <= slip);
    CHECK(fine.gap <= 1e-13);
}

TEST(every_scheme_follows_the_closed_form)
{
    static const struct {
        const char *scheme;
        double order, slip;
    } schemes[] = {{"rattlie", 2, 1e-14},    {"lgvi", 2, 1e-14},  {"quat-fem", 2, 1e-14},  {"matrix-rattle", 2, 1e-14},
                   {"rattlie4", 4, 1e-14},   {"rkmk4", 4, 1e-14}, {"lie-alpha", 2, 1e-12}, {"lie-alpha-2", 2, 1e-12},
                   {"rattlie-ns", 2, 1e-14}, {"moreau", 1, 1e-14}};
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
        check_order(schemes[k].scheme, false, schemes[k].order, schemes[k].slip);
        check_order(schemes[k].scheme, true, schemes[k].order, schemes[k].slip);
    }
}

// rattlie keeps the energy of the sleigh itself: the step of a plane motion along a geodesic is one of constant velocity in
// the axes of the body, where the row has constant coefficients.
TEST(energy_over_a_hundred_thousand_steps)
{
    const figures f = run("rattlie", false, true, 1000.0, 100000);
    printf("  energy %.1e slip %.1e joints %.1e\n", f.energy, f.slip, f.gap);
    CHECK(f.energy <= 1e-10);
    CHECK(f.slip <= 1e-13);
    CHECK(f.gap <= 1e-14);
}
