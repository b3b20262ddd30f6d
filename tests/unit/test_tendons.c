// Tendons and actuators: as springs and drives whose motion is known, and by the balance of energy under every scheme.

#include "text_model.h"

#include "math/vec3.h"

#include <math.h>

#ifdef PH_WITH_YAML

static const char *const two_bodies =
    "polhode: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: a, mass: 1, inertia: [0.1, 0.2, 0.3], position: [1, 0, 0], angular_velocity: [1, 2, 3]}\n"
    "  - {name: b, mass: 2, inertia: [0.3, 0.1, 0.2], position: [3, 0.5, 0], velocity: [0, 0, 1]}\n"
    "sites:\n"
    "  - {name: hook, body: world, position: [0, 0, 1]}\n"
    "  - {name: on_a, body: a, position: [0.1, 0.2, 0]}\n"
    "  - {name: on_b, body: b, position: [0, 0.1, 0.3]}\n";

static ph_model *with(const char *base, const char *more)
{
    char text[4096];
    snprintf(text, sizeof text, "%s%s", base, more);
    return text_model(text);
}

static double energy_of(const ph_model *model, const ph_state *state, ph_measures *all)
{
    ph_observer *observer = NULL;
    ph_observer_create(model, &observer);
    ph_observer_measure(observer, state, all);
    ph_observer_destroy(observer);
    return all->total;
}

TEST(over_two_points_it_is_a_spring)
{
    static const char *const schemes[] = {"rattlie", "lie-alpha", "rk4", "dop853", "lgvi", "moreau"};
    ph_model *tendon =
        with(two_bodies, "tendons: [{name: t, path: [on_a, on_b], stiffness: 40, damping: 0.5, length: 1.5}]\n");
    ph_model *spring =
        with(two_bodies,
             "forces: [{name: s, type: spring, sites: [on_a, on_b], stiffness: 40, damping: 0.5, length: 1.5}]\n");
    for (int k = 0; tendon && spring && k < 6; k++) {
        ph_state *x = ph_state_create(tendon), *y = ph_state_create(spring);
        text_model_run(tendon, schemes[k], x, 1e-4, 2000);
        text_model_run(spring, schemes[k], y, 1e-4, 2000);
        for (int b = 0; b < 2; b++) {
            // rattlie and lgvi take the pull of a spring at the middle of a step, which is another method of order 2
            CHECK_NEAR(ph_norm(ph_sub(ph_state_positions(x)[b], ph_state_positions(y)[b])), 0.0, 2e-8);
        }
        ph_state_destroy(x);
        ph_state_destroy(y);
    }
    ph_model_destroy(tendon);
    ph_model_destroy(spring);
}

// T + U - W stays under every scheme of order 2 or more to h^2, with everything that a tendon has.
TEST(energy_is_balanced)
{
    static const char *const schemes[] = {"rattlie", "lie-alpha", "rkmk4", "dop853"};
    ph_model *model =
        with(two_bodies, "tendons:\n"
                         "  - {name: t, path: [hook, on_a, on_b, hook], stiffness: 30, damping: 0.3, length: 5,\n"
                         "     limits: [1, 7.5], limit_stiffness: 300, limit_damping: 1, tension: 1 + sin(t)}\n");
    for (int k = 0; model && k < 4; k++) {
        double error[2];
        for (int n = 0; n < 2; n++) {
            ph_state *state = ph_state_create(model);
            ph_measures m;
            const double first = energy_of(model, state, &m);
            text_model_run(model, schemes[k], state, n ? 5e-4 : 1e-3, n ? 2000 : 1000);
            error[n] = fabs(energy_of(model, state, &m) - first);
            ph_state_destroy(state);
        }
        CHECK(error[1] < 2e-3);
        CHECK(error[1] < 0.5 * error[0] || error[1] < 1e-7);
    }
    ph_model_destroy(model);
}

// A mass on a cord over a fixed point, the other end on a spring to the ground: the cord makes one oscillator of both.
TEST(pulley_and_slack)
{
    const char *base =
        "polhode: 1\n"
        "bodies:\n"
        "  - {name: m, mass: 2, inertia: [1, 1, 1], position: [1, 0, -1]}\n"
        "sites:\n"
        "  - {name: ground, body: world, position: [0, 0, -3]}\n"
        "  - {name: left, body: world, position: [0, 0, 0]}\n"
        "  - {name: right, body: world, position: [1, 0, 0]}\n"
        "  - {name: load, body: m}\n"
        "joints: [{name: rail, type: prismatic, bodies: [world, m], axis: z}]\n"
        "tendons: [{name: cord, path: [ground, left, right, load], stiffness: 50, length: 4.5, cable: true}]\n";
    ph_model *model = text_model(base);
    if (!model) return;
    ph_state *state = ph_state_create(model);
    ph_observer *observer = NULL;
    ph_observer_create(model, &observer);
    const ph_tendon_motion at_rest = ph_observer_tendon(observer, state, 0);
    CHECK_NEAR(at_rest.length, 5.0, 1e-14);
    CHECK_NEAR(at_rest.tension, 25.0, 1e-12);
    // up with 0.5 cos(5 t) from the end of the spring until the cord is slack, then free: it passes with 2.5 m/s
    const double quarter = acos(-1.0) / 10.0;
    text_model_run(model, "rattlie", state, quarter / 1000.0, 1000);
    CHECK_NEAR(ph_state_positions(state)[0].z, -0.5, 1e-6);
    text_model_run(model, "rattlie", state, 1e-3, 100);
    CHECK_NEAR(ph_state_positions(state)[0].z, -0.5 + 0.25, 1e-4);
    CHECK_NEAR(ph_observer_tendon(observer, state, 0).tension, 0.0, 0.0);
    ph_observer_destroy(observer);
    ph_state_destroy(state);
    ph_model_destroy(model);
}

// ---- Actuators ------------------------------------------------------------------------------------------------------

static const char *const slider = "polhode: 1\n"
                                  "inputs: {u: 0.5}\n"
                                  "bodies: [{name: m, mass: 2, inertia: [1, 1, 1]}]\n"
                                  "joints: [{name: rail, type: prismatic, bodies: [world, m], axis: x}]\n";

// m x'' = force: where it is after a second at rest, by rk4 with a constant force exactly.
static double after_a_second(const char *actuator, const char *scheme)
{
    ph_model *model = with(slider, actuator);
    if (!model) return (double)NAN;
    ph_state *state = ph_state_create(model);
    text_model_run(model, scheme, state, 1e-2, 100);
    const double x = ph_state_positions(state)[0].x;
    ph_state_destroy(state);
    ph_model_destroy(model);
    return x;
}

TEST(gear_and_limits)
{
    static const char *const schemes[] = {"rk4", "rattlie", "lie-alpha", "dop853", "moreau"};
    for (int k = 0; k < 5; k++) {
        const double tolerance = k == 4 ? 2e-2 : 1e-9; // moreau is of order 1
        CHECK_NEAR(after_a_second("actuators: [{name: a, joint: rail, control: u, gear: 8}]\n", schemes[k]), 1.0,
                   tolerance);
        CHECK_NEAR(after_a_second("actuators: [{name: a, joint: rail, control: 7*u, gear: 8, limits: [-1, 0.5]}]\n",
                                  schemes[k]),
                   1.0, tolerance);
        CHECK_NEAR(after_a_second("actuators: [{name: a, joint: rail, control: -u, gear: 80, max: 4}]\n", schemes[k]),
                   -1.0, tolerance);
    }
}

// With its control u = t delayed by 0.3 s, and the start's 0 before: m x'' = (t - 0.3), x = (t - 0.3)^3/12.
TEST(delay)
{
    const double expected = 0.7 * 0.7 * 0.7 / 12.0;
    CHECK_NEAR(after_a_second("actuators: [{name: a, joint: rail, control: t, delay: 0.3}]\n", "rk4"), expected, 3e-3);
    // what is held for a step is late by half of it, to first order
    CHECK_NEAR(after_a_second("actuators: [{name: a, joint: rail, control: t, delay: 0.295}]\n", "rk4"), expected,
               3e-5);
}

TEST(servo_with_delay_goes_where_it_shall)
{
    const char *text = "actuators: [{name: a, joint: rail, position: 2*u, kp: 100, kd: 25, max: 60, delay: 0.05}]\n";
    static const char *const schemes[] = {"rk4", "rattlie", "moreau"};
    for (int k = 0; k < 3; k++) CHECK_NEAR(after_a_second(text, schemes[k]), 1.0, 0.03);
}

// A run that is copied goes on to the same bits: what a delay holds is part of the state.
TEST(what_is_held_is_copied)
{
    ph_model *model = with(slider, "actuators: [{name: a, joint: rail, control: sin(20*t), delay: 0.07}]\n");
    if (!model) return;
    ph_state *one = ph_state_create(model), *two = ph_state_create(model);
    text_model_run(model, "rattlie", one, 1e-3, 150);
    CHECK_EQ_INT(ph_state_copy(two, one), PH_OK);
    text_model_run(model, "rattlie", one, 1e-3, 150);
    text_model_run(model, "rattlie", two, 1e-3, 150);
    CHECK(memcmp(ph_state_positions(one), ph_state_positions(two), sizeof(ph_vec3)) == 0);
    ph_state_reset(two);
    text_model_run(model, "rattlie", two, 1e-3, 300);
    CHECK(memcmp(ph_state_positions(one), ph_state_positions(two), sizeof(ph_vec3)) == 0);
    ph_state_destroy(one);
    ph_state_destroy(two);
    ph_model_destroy(model);
}

#endif
