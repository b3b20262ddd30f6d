// Balls that roll: on a turntable, in a vertical cylinder, with the centre of mass off the middle (Routh), with three
// moments of inertia (Chaplygin), and the rattleback. Closed forms and integrals: Routh, Advanced Dynamics of a System of
// Rigid Bodies, 1905; Chaplygin 1903; Gray and Nickel, Am. J. Phys. 68 (2000); Gualtieri et al., Am. J. Phys. 74 (2006).

#include "rolling_rig.h"

static const char *const head = "polhode: 1\nname: ball\ngravity: [0, 0, -9.81]\n";

// ---- Turntable: x'' = 2/7 Omega x x', circles with 2/7 of the table's frequency ---------------------------------------

static double turntable(const char *scheme, double h, double t, worst *w, double *energy)
{
    const double r = 0.05, Omega = 3.0, x = 0.4, vx = 0.1, vy = 0.2;
    rig it = rolling_rig(
        scheme,
        "%sbodies:\n  - {name: ball, mass: 1, inertia: [0.001, 0.001, 0.001], position: [%.17g, 0, %.17g], "
        "velocity: [%.17g, %.17g, 0], angular_velocity: [%.17g, %.17g, 0.7]}\n"
        "joints: [{name: table, type: rolling_sphere, bodies: [world, ball], radius: %.17g, anchor_a: [0, 0, 0], spin: %.17g}]\n",
        head, x, r, vx, vy, (Omega * x - vy) / r, vx / r, r, Omega);
    const int steps = (int)lround(t / h);
    const double start = rig_measure(&it).total;
    for (int k = 0; k < 10; k++) {
        if (!rig_step(&it, t / steps, steps / 10)) break;
        worst_note(&it, w);
    }
    *energy = fabs(rig_measure(&it).total / start - 1.0);
    const ph_vec3 v = rig_velocity(&it, 0);
    const double turned = atan2(v.y, v.x) - atan2(vy, vx), right = 2.0 / 7.0 * Omega * t;
    const double off = (turned - right) / (2.0 * PH_PI_TEST);
    rig_close(&it);
    return fabs(off - rint(off)) * 2.0 * PH_PI_TEST / right;
}

TEST(sphere_on_a_turntable)
{
    NEEDS_YAML;
    static const char *const schemes[] = {"rattlie8", "dop853", "rattlie4"};
    for (int k = 0; k < 3; k++) {
        worst w = {0};
        double energy;
        const double off = turntable(schemes[k], k == 2 ? 0.005 : 0.02, 20.0, &w, &energy);
        printf("  %-9s frequency off by %.1e, energy less work %.1e, gap %.1e m, slip %.1e m/s\n", schemes[k], off,
               energy, w.gap, w.slip);
        CHECK(off <= (k == 1 ? 1e-8 : 1e-9)); // dop853 has its own tolerance
        CHECK(w.gap <= 1e-14 && w.slip <= 1e-13);
    }
    worst w = {0};
    double energy, finer;
    const double off = turntable("rattlie", 0.02, 20.0, &w, &energy),
                 fine = turntable("rattlie", 0.01, 20.0, &w, &finer);
    printf("  rattlie   order %.3f\n", log2(off / fine));
    CHECK_NEAR(log2(off / fine), 2.0, 0.02);
}

// ---- Cylinder: z = -5/2 g/w^2 (1 - cos(sqrt(2/7) w t)) where the ball goes around at w -------------------------------

TEST(sphere_in_a_vertical_cylinder)
{
    NEEDS_YAML;
    const double r = 0.02, R = 0.12, w = 9.0, g = 9.81, k = sqrt(2.0 / 7.0) * w, period = 2.0 * PH_PI_TEST / k;
    static const char *const schemes[] = {"rattlie8", "dop853"};
    for (int n = 0; n < 2; n++) {
        rig it = rolling_rig(
            schemes[n],
            "%sbodies:\n  - {name: ball, mass: 1, inertia: [1.6e-4, 1.6e-4, 1.6e-4], position: [0.1, 0, 0], "
            "velocity: [0, %.17g, 0], angular_velocity: [0, 0, %.17g]}\n"
            "joints: [{name: wall, type: rolling_sphere, bodies: [world, ball], radius: %.17g, surface: cylinder, "
            "surface_radius: %.17g, inside: true, anchor_a: [0, 0, 0]}]\n",
            head, (R - r) * w, -(R - r) * w / r, r, R);
        worst off = {0};
        double miss = 0.0;
        for (int i = 1; i <= 8; i++) {
            if (!rig_step(&it, period / 400, 50)) break;
            const double z = -2.5 * g / (w * w) * (1.0 - cos(k * i * period / 8));
            miss = fmax(miss, fabs(rig_position(&it, 0).z - z));
            worst_note(&it, &off);
        }
        printf("  %-9s height off by %.1e of %.3g m, gap %.1e, slip %.1e\n", schemes[n], miss, 5.0 * g / (w * w),
               off.gap, off.slip);
        CHECK(miss <= (n ? 1e-7 : 1e-9));
        CHECK(off.gap <= 1e-14 && off.slip <= 1e-13);
        rig_close(&it);
    }
}

// ---- Integrals ------------------------------------------------------------------------------------------------------

// Vector from the centre of mass to the contact of ball 0: s_b to its centre, then down.
static ph_vec3 to_contact(const rig *r, ph_vec3 s_b, double radius)
{
    return ph_add(ph_mul(rig_rotation(r, 0), s_b), ph_vec(0.0, 0.0, -radius));
}

static ph_vec3 momentum_about(const rig *r, ph_vec3 J, ph_vec3 arm) // about the point at `arm` from the centre of mass
{
    const ph_vec3 w = ph_state_angular_velocities(r->state)[0];
    const ph_vec3 L = ph_mul(rig_rotation(r, 0), ph_vec(J.x * w.x, J.y * w.y, J.z * w.z));
    return ph_add(L, ph_cross(ph_neg(arm), rig_velocity(r, 0)));
}

// Routh's sphere: mass 1, moments 1 and 3, centre at e above the centre of mass on its axis 3. Jellett: L . a; Routh:
// w_3 sqrt(I3/I1 + s sin^2 + s I3/I1 (cos - e/R)^2), s = R^2/I1.
static void routh_integrals(const rig *r, double R, double e, double I1, double I3, double *jellett, double *routh)
{
    const ph_vec3 w = ph_state_angular_velocities(r->state)[0];
    const ph_vec3 L = ph_mul(rig_rotation(r, 0), ph_vec(I1 * w.x, I1 * w.y, I3 * w.z));
    const double z = rig_rotation(r, 0).m[2][2], s = R * R / I1, k = I3 / I1;
    *jellett = ph_dot(L, to_contact(r, ph_vec(0.0, 0.0, e), R));
    *routh = w.z * sqrt(k + s * (1.0 - z * z) + s * k * (z - e / R) * (z - e / R));
}

static void check_routh(const char *scheme, double h, int steps, double allowed)
{
    const double R = 0.1, e = 0.03, I1 = 0.005, I3 = 0.003;
    rig r = rolling_rig(
        scheme,
        "%sinitial: project\nbodies:\n  - {name: ball, mass: 1, inertia: [%.17g, %.17g, %.17g], position: [0, 0, 0.08], "
        "orientation: {axis: [1, 0, 0], angle: 1.1}, angular_velocity: [3, 4, 25]}\n"
        "joints: [{name: floor, type: rolling_sphere, bodies: [world, ball], radius: %.17g, anchor_b: [0, 0, %.17g]}]\n",
        head, I1, I1, I3, R, e);
    double jellett, routh, j, d, off_j = 0.0, off_d = 0.0, off_e = 0.0;
    worst w = {0};
    routh_integrals(&r, R, e, I1, I3, &jellett, &routh);
    const double energy = rig_measure(&r).total;
    for (int k = 0; k < 20; k++) {
        if (!rig_step(&r, h, steps / 20)) break;
        routh_integrals(&r, R, e, I1, I3, &j, &d);
        off_j = fmax(off_j, fabs(j / jellett - 1.0));
        off_d = fmax(off_d, fabs(d / routh - 1.0));
        off_e = fmax(off_e, fabs(rig_measure(&r).total / energy - 1.0));
        worst_note(&r, &w);
    }
    printf("  %-9s Jellett %.1e Routh %.1e energy %.1e gap %.1e slip %.1e\n", scheme, off_j, off_d, off_e, w.gap,
           w.slip);
    CHECK(off_j <= allowed && off_d <= allowed);
    CHECK(w.gap <= 1e-14 && w.slip <= 1e-13);
    rig_close(&r);
}

TEST(routh_sphere_keeps_its_integrals)
{
    NEEDS_YAML;
    check_routh("rattlie8", 0.0025, 2000, 1e-11);
    check_routh("dop853", 0.0025, 2000, 1e-8);
    check_routh("rattlie", 0.0025, 2000, 1e-2);
}

TEST(chaplygin_sphere_keeps_its_integrals)
{
    NEEDS_YAML;
    static const char *const schemes[] = {"rattlie8", "dop853", "rattlie"};
    for (int n = 0; n < 3; n++) {
        rig r = rolling_rig(
            schemes[n],
            "%sinitial: project\nbodies:\n  - {name: ball, mass: 1, inertia: [0.002, 0.003, 0.0045], position: [0, 0, 0.1], "
            "angular_velocity: [3, 7, 5]}\n"
            "joints: [{name: floor, type: rolling_sphere, bodies: [world, ball], radius: 0.1}]\n",
            head);
        const ph_vec3 J = {0.002, 0.003, 0.0045}, down = {0, 0, -0.1}, K = momentum_about(&r, J, down);
        const double kinetic = rig_measure(&r).kinetic;
        double off = 0.0, energy = 0.0;
        for (int k = 0; k < 20; k++) {
            if (!rig_step(&r, 0.005, 50)) break;
            off = fmax(off, ph_norm(ph_sub(momentum_about(&r, J, down), K)) / ph_norm(K));
            energy = fmax(energy, fabs(rig_measure(&r).kinetic / kinetic - 1.0));
        }
        printf("  %-9s momentum about the contact %.1e, energy %.1e\n", schemes[n], off, energy);
        CHECK(off <= (n == 1 ? 1e-8 : 1e-11) && energy <= (n == 0 ? 1e-11 : n == 1 ? 1e-8 : 1e-5));
        rig_close(&r);
    }
}

// ---- Rattleback -----------------------------------------------------------------------------------------------------

// Least and largest spin about the vertical in 3 s. Nothing is lost, so that much later the other spin turns over, too.
static void rattleback(double start, double *least, double *most)
{
    rig r = rolling_rig(
        "rattlie",
        "%sinitial: project\nbodies:\n  - {name: stone, mass: 1, inertia: [2e-4, 1.6e-3, 1.7e-3, 1.5e-4, 0, 0], position: [0, 0, 0.01], "
        "com: [0, 0, -0.005], angular_velocity: [0.01, 0.02, %.17g]}\n"
        "joints: [{name: floor, type: no_slip, bodies: [world, stone], semi_axes: [0.2, 0.03, 0.02], anchor_b: [0, 0, 0]}]\n",
        head, start);
    *least = 1e9, *most = -1e9;
    for (int k = 0; k < 60; k++) {
        if (!rig_step(&r, 0.002, 25)) break;
        *least = fmin(*least, rig_spin(&r, 0).z);
        *most = fmax(*most, rig_spin(&r, 0).z);
    }
    rig_close(&r);
}

TEST(rattleback_reverses_one_way_only)
{
    NEEDS_YAML;
    double a, b, c, d;
    rattleback(5.0, &a, &b);
    rattleback(-5.0, &c, &d);
    printf("  from 5 rad/s: %.2f to %.2f; from -5 rad/s: %.2f to %.2f\n", a, b, c, d);
    CHECK(a < -4.5); // turned over
    CHECK(d < -4.9); // goes on
}
