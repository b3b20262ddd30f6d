// The thin disc that rolls on a plane: steady circles, the falling coin, the wobble of a disc that runs upright, and that
// the reversible schemes can be run back. Radius R, mass 1, A = R^2/4, C = R^2/2; theta from the vertical to the axis.
//
// Steady motion, turning at W about the vertical, has the spin about its axis
//
//     w = (A W^2 sin cos - g R cos) / ((C + R^2) W sin);
//
// w = 0 is the coin whose centre rests: W^2 = 4 g/(R sin theta). Upright at the spin w it wobbles with
// k^2 = (C (C + R^2) w^2/A - g R)/(A + R^2). Routh 1905; O'Reilly, Nonlinear Dynamics 10 (1996).

#include "rolling_rig.h"

static const double R = 0.3, g = 9.81;

static rig disc(const char *scheme, double theta, double turn, double spin, double tip)
{
    const double A = 0.25 * R * R, C = 0.5 * R * R;
    return rolling_rig(scheme,
                       "polhode: 1\nname: disc\ngravity: [0, 0, %.17g]\n"
                       "bodies:\n  - {name: disc, mass: 1, inertia: [%.17g, %.17g, %.17g], position: [0, 0, %.17g], "
                       "orientation: {axis: [1, 0, 0], angle: %.17g}, velocity: [%.17g, %.17g, 0], "
                       "angular_velocity: [%.17g, %.17g, %.17g]}\n"
                       "joints: [{name: floor, type: rolling_disc, bodies: [world, disc], radius: %.17g, axis_b: z}]\n",
                       -g, A, A, C, R * sin(theta), theta, -R * spin, -R * tip, tip, turn * sin(theta), spin, R);
}

// How far the axis is from where steady turning leads it.
static double steady_error(const char *scheme, double theta, double W, double w, double t, double *tilt, worst *off)
{
    rig r = disc(scheme, theta, W, w, 0.0);
    for (int k = 0; k < 5 && rig_step(&r, t / 1000, 200); k++) worst_note(&r, off);
    const ph_mat3 Q = rig_rotation(&r, 0);
    const double azimuth = atan2(Q.m[1][2], Q.m[0][2]) + 0.5 * PH_PI_TEST,
                 miss = (azimuth - W * t) / (2.0 * PH_PI_TEST);
    *tilt = fabs(acos(Q.m[2][2]) - theta);
    rig_close(&r);
    return fabs(miss - rint(miss)) * 2.0 * PH_PI_TEST / (W * t);
}

TEST(steady_circles_at_five_inclinations)
{
    NEEDS_YAML;
    static const double thetas[] = {0.5, 0.8, 1.0, 1.2, 1.45};
    for (int k = 0; k < 5; k++) {
        const double theta = thetas[k], s = sin(theta), c = cos(theta), A = 0.25 * R * R, C = 0.5 * R * R;
        const double W = 0.5 * sqrt(4.0 * g / (R * s)), w = (A * W * W * s * c - g * R * c) / ((C + R * R) * W * s);
        worst off = {0};
        double tilt, rough;
        const double miss = steady_error("rattlie8", theta, W, w, 1.0, &tilt, &off);
        const double second = steady_error("rattlie", theta, W, w, 1.0, &rough, &off);
        printf("  theta %.2f: W %.4f w %.4f, rate off by %.1e, tilt by %.1e (rattlie %.1e), gap %.1e, slip %.1e\n",
               theta, W, w, miss, tilt, second, off.gap, off.slip);
        CHECK(miss <= 1e-8 && tilt <= 1e-8);
        CHECK(second <= 1e-4);
        CHECK(off.gap <= 1e-14 && off.slip <= 1e-13);
    }
}

TEST(coin_precesses_as_its_inclination_asks)
{
    NEEDS_YAML;
    static const double thetas[] = {0.02, 0.05, 0.1, 0.2, 0.4};
    for (int k = 0; k < 5; k++) {
        const double W = sqrt(4.0 * g / (R * sin(thetas[k])));
        worst off = {0};
        double tilt;
        const double miss = steady_error("rattlie8", thetas[k], W, 0.0, 6.0 / W, &tilt, &off);
        printf("  inclination %.2f: W %.3f rad/s, off by %.1e, tilt by %.1e\n", thetas[k], W, miss, tilt);
        CHECK(miss <= 1e-8 && tilt <= 1e-8);
        CHECK(off.gap <= 1e-14 && off.slip <= 1e-13);
    }
}

TEST(upright_disc_wobbles)
{
    NEEDS_YAML;
    const double w = 8.0, A = 0.25 * R * R, C = 0.5 * R * R;
    const double k = sqrt((C * (C + R * R) * w * w / A - g * R) / (A + R * R)), h = 2.0 * PH_PI_TEST / k / 500;
    rig r = disc("rattlie6", 0.5 * PH_PI_TEST, 0.0, w, 1e-5);
    double before = 0.0, first = 0.0, last = 0.0;
    int crossings = 0;
    for (int i = 0; i < 2200; i++) {
        if (!rig_step(&r, h, 1)) break;
        const double tilt = rig_rotation(&r, 0).m[2][2];
        if (before != 0.0 && before * tilt < 0.0) {
            last = (i + 1) * h - h * tilt / (tilt - before);
            if (crossings++ == 0) first = last;
        }
        before = tilt;
    }
    const double measured = PH_PI_TEST * (crossings - 1) / (last - first);
    printf("  wobble %.8f rad/s, linear theory %.8f\n", measured, k);
    CHECK_REL(measured, k, 1e-6);
    rig_close(&r);
}

static double way_back(const char *scheme)
{
    rig r = disc(scheme, 1.1, 2.0, 5.0, 0.0);
    const ph_vec3 start = rig_position(&r, 0), v = rig_velocity(&r, 0);
    double away = 0.0;
    if (rig_step(&r, 0.004, 500)) away = rig_distance(rig_position(&r, 0), start);
    rig_step(&r, -0.004, 500);
    const double off = fmax(rig_distance(rig_position(&r, 0), start), rig_distance(rig_velocity(&r, 0), v));
    printf("  %-13s %.2f m away, back to %.1e\n", scheme, away, off);
    rig_close(&r);
    return off;
}

TEST(reversible_schemes_run_back)
{
    NEEDS_YAML;
    CHECK(way_back("rattlie") <= 1e-10);
    CHECK(way_back("lgvi") <= 1e-10);
    CHECK(way_back("quat-fem") <= 1e-10);
    CHECK(way_back("matrix-rattle") <= 1e-10);
    CHECK(way_back("rattlie4") <= 1e-10);
    CHECK(way_back("rkmk4") >= 1e-12);
}

static double error_at(const char *scheme, int steps, ph_vec3 right)
{
    rig r = disc(scheme, 1.1, 2.0, 5.0, 0.0);
    rig_step(&r, 1.0 / steps, steps);
    const double error = rig_distance(rig_position(&r, 0), right);
    rig_close(&r);
    return error;
}

TEST(orders_on_a_disc_that_wobbles)
{
    NEEDS_YAML;
    static const struct {
        const char *scheme;
        double order;
    } schemes[] = {{"rattlie", 2}, {"lgvi", 2},      {"quat-fem", 2},    {"matrix-rattle", 2}, {"rattlie4", 4},
                   {"rkmk4", 4},   {"lie-alpha", 2}, {"lie-alpha-2", 2}, {"rattlie-ns", 2},    {"moreau", 1}};
    rig r = disc("rattlie8", 1.1, 2.0, 5.0, 0.0);
    rig_step(&r, 1e-3, 1000);
    const ph_vec3 right = rig_position(&r, 0);
    rig_close(&r);
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
        const int steps = schemes[k].order == 4 ? 200 : 400;
        const double coarse = error_at(schemes[k].scheme, steps, right),
                     fine = error_at(schemes[k].scheme, 2 * steps, right);
        printf("  %-13s error %.2e order %.2f\n", schemes[k].scheme, fine, log2(coarse / fine));
        CHECK_NEAR(log2(coarse / fine), schemes[k].order, 0.2);
    }
}

// A disc without spin falls; before it lies flat the step is refused and says why.
TEST(disc_that_falls_flat_is_told)
{
    NEEDS_YAML;
    static const char *const schemes[] = {"rattlie", "rkmk4", "lie-alpha", "moreau"};
    for (int k = 0; k < 4; k++) {
        rig r = disc(schemes[k], 1.4, 0.0, 0.0, 0.0);
        ph_step_report report = {.status = PH_OK};
        ph_sim_advance(r.sim, r.state, 1e-3, 2000, &report);
        char text[512];
        ph_step_report_format(&report, r.model, text, sizeof text);
        printf("  %-9s %s\n", schemes[k], text);
        CHECK_EQ_INT(report.status, PH_SINGULAR);
        CHECK(strstr(text, "'floor'") && strstr(text, "falls flat"));
        rig_close(&r);
    }
}
