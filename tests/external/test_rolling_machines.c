// Machines that roll: a ball bearing, a planetary drive without teeth, a conveyor.

#include "rolling_rig.h"

enum { BALLS = 9 };

// A bearing of nine balls between two races that turn at w_i and w_o: the balls go around at
// (w_i r_i + w_o r_o)/(r_i + r_o), and turn at (w_o r_o - w_i r_i)/(2 r).
static const char *const bearing =
    "polhode: 1\nname: bearing\ngravity: [0, 0, 0]\ninitial: project\n"
    "parameters: {ri: 0.03, ro: 0.05, r: 0.01}\n"
    "bodies:\n"
    "  - {name: inner, mass: 0.3, inertia: [1e-4, 1e-4, 2e-4]}\n"
    "  - {name: outer, mass: 0.5, inertia: [5e-4, 5e-4, 9e-4]}\n"
    "  - {name: ball$i, repeat: 9, mass: 0.03, inertia: [1.2e-6, 1.2e-6, 1.2e-6], position: [(ri + r)*cos(2*pi*i/9), (ri + r)*sin(2*pi*i/9), 0]}\n"
    "joints:\n"
    "  - {name: shaft, type: revolute, bodies: [world, inner], anchor: [0, 0, 0], axis: z, motor: {speed: 20}}\n"
    "  - {name: housing, type: revolute, bodies: [world, outer], anchor: [0, 0, 0], axis: z, motor: {speed: -7}}\n"
    "  - {name: on$i, repeat: 9, type: rolling_sphere, bodies: [inner, ball$i], radius: r, surface: cylinder, surface_radius: ri, anchor_a: [0, 0, 0]}\n"
    "  - {name: in$i, repeat: 9, type: rolling_sphere, bodies: [outer, ball$i], radius: r, surface: cylinder, surface_radius: ro, inside: true, anchor_a: [0, 0, 0]}\n";

static void check_bearing(const char *scheme, double h, int steps, double angle_allowed)
{
    const double ri = 0.03, ro = 0.05, r = 0.01, wi = 20.0, wo = -7.0;
    const double cage = (wi * ri + wo * ro) / (ri + ro), spin = (wo * ro - wi * ri) / (2.0 * r);
    rig it = rolling_rig(scheme, "%s", bearing);
    worst w = {0};
    double rate = 0.0, angle = 0.0;
    for (int k = 1; k <= 10 && rig_step(&it, h, steps / 10); k++) {
        for (int b = 2; b < 2 + BALLS; b++) {
            const ph_vec3 x = rig_position(&it, b), v = rig_velocity(&it, b);
            const double a = atan2(x.y, x.x) - 2.0 * PH_PI_TEST * (b - 2) / BALLS - cage * h * (steps / 10) * k;
            rate = fmax(rate, fabs((x.x * v.y - x.y * v.x) / (x.x * x.x + x.y * x.y) / cage - 1.0));
            rate = fmax(rate, fabs(rig_spin(&it, b).z / spin - 1.0));
            angle = fmax(angle, fabs(a - 2.0 * PH_PI_TEST * rint(a / (2.0 * PH_PI_TEST))));
        }
        worst_note(&it, &w);
    }
    printf("  %-9s ratios off by %.1e, angles by %.1e, gap %.1e, slip %.1e, %d rows of rank %d\n", scheme, rate, angle,
           w.gap, w.slip, ph_model_rows(it.model), ph_model_rank(it.model));
    CHECK(rate <= 1e-12);
    CHECK(angle <= angle_allowed);
    CHECK(w.gap <= 1e-14 && w.slip <= 1e-13);
    rig_close(&it);
}

TEST(ball_bearing)
{
    NEEDS_YAML;
    check_bearing("rattlie", 1e-3, 400, 1e-3);
    check_bearing("rattlie8", 2e-3, 200, 1e-10);
    check_bearing("rkmk4", 1e-3, 200, 1e-6);
}

// Sun, three planets on a carrier, ring at rest: carrier/sun = r_s/(r_s + r_r).
TEST(planetary_drive_without_teeth)
{
    NEEDS_YAML;
    rig it = rolling_rig(
        "rattlie",
        "polhode: 1\nname: planets\ngravity: [0, 0, 0]\ninitial: project\n"
        "parameters: {rs: 0.03, rp: 0.02, rr: 0.07}\n"
        "bodies:\n"
        "  - {name: sun, mass: 0.3, inertia: [1e-4, 1e-4, 2e-4]}\n"
        "  - {name: carrier, mass: 0.2, inertia: [1e-4, 1e-4, 2e-4]}\n"
        "  - {name: planet$i, repeat: 3, mass: 0.1, inertia: [1e-5, 1e-5, 2e-5], position: [(rs + rp)*cos(2*pi*i/3), (rs + rp)*sin(2*pi*i/3), 0]}\n"
        "joints:\n"
        "  - {name: drive, type: revolute, bodies: [world, sun], anchor: [0, 0, 0], axis: z, motor: {speed: 30}}\n"
        "  - {name: out, type: revolute, bodies: [world, carrier], anchor: [0, 0, 0], axis: z, damping: 0.01}\n"
        "  - {name: pin$i, repeat: 3, type: revolute, bodies: [carrier, planet$i], anchor: [(rs + rp)*cos(2*pi*i/3), (rs + rp)*sin(2*pi*i/3), 0], axis: z}\n"
        "  - {name: with_sun$i, repeat: 3, type: no_slip, bodies: [sun, planet$i], radius: rp, surface: cylinder, surface_radius: rs, anchor_a: [0, 0, 0]}\n"
        "  - {name: with_ring$i, repeat: 3, type: no_slip, bodies: [world, planet$i], radius: rp, surface: cylinder, surface_radius: rr, inside: true, anchor_a: [0, 0, 0]}\n");
    worst w = {0};
    double off = 0.0;
    for (int k = 0; k < 10 && rig_step(&it, 1e-3, 30); k++) {
        off = fmax(off, fabs(rig_spin(&it, 1).z / 9.0 - 1.0));
        worst_note(&it, &w);
    }
    printf("  carrier off by %.1e, gap %.1e, slip %.1e, %d rows of rank %d\n", off, w.gap, w.slip,
           ph_model_rows(it.model), ph_model_rank(it.model));
    CHECK(off <= 1e-12);
    CHECK(w.gap <= 1e-13 && w.slip <= 1e-13);
    rig_close(&it);
}

// A ball on a belt that starts at a: the ball gets 2/7 of its speed; what the belt gives is T.
TEST(conveyor_does_work)
{
    NEEDS_YAML;
    static const char *const schemes[] = {"rattlie",   "rattlie4",   "rkmk4", "dop853",
                                          "lie-alpha", "rattlie-ns", "moreau"};
    for (int k = 0; k < 7; k++) {
        rig it = rolling_rig(
            schemes[k],
            "polhode: 1\nname: belt\ngravity: [0, 0, -9.81]\nbodies:\n"
            "  - {name: ball, mass: 2, inertia: [0.008, 0.008, 0.008], position: [0, 0, 0.1]}\n"
            "joints: [{name: belt, type: rolling_sphere, bodies: [world, ball], radius: 0.1, slide: [\"0.7*sin(t)\", \"0.3*t\", 0]}]\n");
        if (!rig_step(&it, 0.002, 500)) continue;
        const ph_vec3 v = rig_velocity(&it, 0);
        const ph_measures m = rig_measure(&it);
        const double allowed = k == 0 || k == 4 || k == 5 ? 1e-5 : k == 6 ? 5e-3 : 1e-8;
        printf("  %-11s speed off by %.1e, T + U - W by %.1e\n", schemes[k],
               fmax(fabs(v.x - 0.2 * sin(1.0)), fabs(v.y - 0.3 * 2.0 / 7.0)), m.total - 2.0 * 9.81 * 0.1);
        CHECK_NEAR(v.x, 0.2 * sin(1.0), allowed);
        CHECK_NEAR(v.y, 0.6 / 7.0, allowed);
        CHECK_NEAR(m.total, 2.0 * 9.81 * 0.1, allowed);
        rig_close(&it);
    }
}
