// A bevel differential: carrier, pinion and two side gears, from revolute joints and gears; alone with a known answer, and in a car whose
// wheels roll.
#include "rolling_rig.h"

enum { CARRIER, PINION, LEFT, RIGHT };

// About y: the carrier with inertia C, side gears A and B; the pinion, symmetric, has P about its own axis x and Q about any other.
static rig bench(const char *scheme)
{
    return rolling_rig(scheme, "polhode: 1\n"
                               "parameters: {C: 0.15, P: 0.02, Q: 0.015, A: 0.3, B: 0.9}\n"
                               "defaults: {joints: {type: revolute, axis: y, anchor: [0, 0, 0]}, bodies: {mass: 1}}\n"
                               "bodies:\n"
                               "  - {name: carrier, inertia: [0.1, C, 0.1]}\n"
                               "  - {name: pinion, inertia: [P, Q, Q]}\n"
                               "  - {name: left, inertia: [0.6, A, 0.6]}\n"
                               "  - {name: right, inertia: [0.6, B, 0.6]}\n"
                               "joints:\n"
                               "  - {name: drive, bodies: [world, carrier], motor: {torque: 2}}\n"
                               "  - {name: pin, bodies: [carrier, pinion], axis: x}\n"
                               "  - {name: half0, bodies: [carrier, left]}\n"
                               "  - {name: half1, bodies: [carrier, right]}\n"
                               "  - {name: mesh0, type: gear, joints: [pin, half0], ratio: 0.8}\n"
                               "  - {name: mesh1, type: gear, joints: [pin, half1], ratio: -0.8}\n"
                               "run: {step: 1 ms}\n");
}

// With w_l = w_c + k w_p, w_r = w_c - k w_p and a torque on the carrier, M (w_c, w_p)' = (torque, 0).
static void closed_form(double *carrier, double *pinion)
{
    const double C = 0.15, P = 0.02, Q = 0.015, A = 0.3, B = 0.9, k = 0.8, torque = 2.0;
    const double m11 = C + Q + A + B, m12 = k * (A - B), m22 = P + k * k * (A + B), det = m11 * m22 - m12 * m12;
    *carrier = torque * m22 / det;
    *pinion = -torque * m12 / det;
}

static double coordinate(ph_observer *observer, const rig *r, const char *name)
{
    double q = NAN;
    ph_observer_joint(observer, r->state, ph_model_find_joint(r->model, name), &q, NULL);
    return q;
}

TEST(torque_is_shared_and_speeds_may_differ)
{
    NEEDS_YAML;
    static const char *const schemes[] = {"rattlie", "rattlie4", "lgvi",      "matrix-rattle",
                                          "rkmk4",   "moreau",   "rattlie-ns"};
    double carrier, pinion;
    closed_form(&carrier, &pinion);
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
        rig r = bench(schemes[k]);
        ph_observer *observer = NULL;
        if (!r.sim || ph_observer_create(r.model, &observer) != PH_OK) continue;
        CHECK(rig_step(&r, 1e-3, 1000));
        const double c = rig_spin(&r, CARRIER).y, left = rig_spin(&r, LEFT).y, right = rig_spin(&r, RIGHT).y;
        printf("  %-13s (left + right)/2 - carrier = %.1e rad/s; carrier %.1e, side gears %.1e off\n", schemes[k],
               0.5 * (left + right) - c, c - carrier,
               fmax(fabs(left - carrier - 0.8 * pinion), fabs(right - carrier + 0.8 * pinion)));
        CHECK_NEAR(0.5 * (left + right), c, 1e-12);
        const double allowed = strcmp(schemes[k], "moreau") == 0 ? 1e-5 : 1e-12; // of order 1
        CHECK_NEAR(c, carrier, allowed);
        CHECK_NEAR(left, carrier + 0.8 * pinion, allowed);
        CHECK_NEAR(right, carrier - 0.8 * pinion, allowed);
        CHECK_NEAR(coordinate(observer, &r, "half0") + coordinate(observer, &r, "half1"), 0.0, 1e-12);
        ph_observer_destroy(observer);
        rig_close(&r);
    }
}

// In a bend the wheels turn as their circles ask: both about one centre, at L / tan(steering) from the middle of the axle.
TEST(a_car_in_a_bend)
{
    NEEDS_YAML;
    static const char *const schemes[] = {"rattlie", "rattlie4",   "lie-alpha-2", "rkmk4",
                                          "moreau",  "rattlie-ns", "dop853"};
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
        rig r = rig_open(rig_example("machines/differential.yaml"), schemes[k]);
        ph_observer *observer = NULL;
        if (!r.sim || ph_observer_create(r.model, &observer) != PH_OK) continue;
        CHECK(rig_step(&r, 5e-3, 2000)); // the servo has arrived: steering 0.4 to 1e-43
        const int wheels[2] = {ph_model_find_body(r.model, "wheel0"), ph_model_find_body(r.model, "wheel1")};
        const double radius = 2.0 / tan(0.4), half = 0.6;
        const double left = ph_norm(rig_velocity(&r, wheels[0])), right = ph_norm(rig_velocity(&r, wheels[1]));
        const ph_measures m = rig_measure(&r);
        double rates[3];
        const char *const names[3] = {"half0", "half1", "pin"};
        for (int i = 0; i < 3; i++)
            ph_observer_joint(observer, r.state, ph_model_find_joint(r.model, names[i]), NULL, &rates[i]);
        printf("  %-13s left / right %.15f (asked %.15f), half-shafts %.1e, gap %.1e m, slip %.1e m/s\n", schemes[k],
               left / right, (radius - half) / (radius + half), rates[0] + rates[1], m.position_violation,
               m.velocity_violation);
        CHECK_NEAR(left / right, (radius - half) / (radius + half), 1e-12);
        CHECK_NEAR(rates[0] + rates[1], 0.0, 1e-12);
        CHECK_NEAR(fabs(rates[2]), 0.5 * (right - left) / 0.3, 1e-12);
        CHECK(m.position_violation < 1e-14 && m.velocity_violation < 2e-13);
        ph_observer_destroy(observer);
        rig_close(&r);
    }
}
