// Drag, whose solutions in one direction are known: v' = -c v / m and v' = -k v^2 / m.

#include "text_model.h"

#include <math.h>

static const char sled[] =
    "polhode: 1\n"
    "bodies:\n"
    "  - {name: sled, mass: 2, inertia: [1, 2, 3], velocity: [3, 0, 0]}\n"
    "  - {name: plate, mass: 2, inertia: [1, 2, 3], position: [9, 0, 0], velocity: [0, 3, 0]}\n"
    "  - {name: wheel, mass: 2, inertia: [1, 2, 3], position: [0, 9, 0], angular_velocity: [0, 0, 4]}\n"
    "forces:\n"
    "  - {type: drag, bodies: [world, sled], anchor: [0, 0, 0], linear: 0.8}\n"
    "  - {type: drag, bodies: [world, plate], anchor: [9, 0, 0], quadratic: [0, 0.5, 0]}\n"
    "  - {type: drag, bodies: [world, wheel], anchor: [0, 9, 0], angular: 0.3, angular_quadratic: [0, 0, 0.6]}\n";

TEST(each_law_slows_as_its_solution_says)
{
    static const struct {
        const char *scheme;
        double tolerance;
    } runs[] = {{"rattlie", 1e-6}, {"rattlie6", 1e-9}, {"dop853", 1e-9}, {"lie-alpha", 1e-4}, {"moreau", 3e-3}};
    ph_model *model = text_model(sled);
    for (int k = 0; model && k < 5; k++) {
        ph_state *state = ph_state_create(model);
        if (text_model_run(model, runs[k].scheme, state, 1e-3, 1000)) {
            const ph_vec3 *v = ph_state_velocities(state), *w = ph_state_angular_velocities(state);
            const double e = exp(-0.3 / 3.0); // w' = -(a w + b w^2) / I
            CHECK_NEAR(v[0].x, 3.0 * exp(-0.4), runs[k].tolerance);
            CHECK_NEAR(v[1].y, 3.0 / (1.0 + 3.0 * 0.25), runs[k].tolerance);
            CHECK_NEAR(w[2].z, 0.3 * 4.0 * e / (0.3 + 0.6 * 4.0 * (1.0 - e)), runs[k].tolerance);
        }
        ph_state_destroy(state);
    }
    ph_model_destroy(model);
}

// Between two free bodies momentum stays, and what is lost is counted as work.
TEST(bodies_slow_each_other)
{
    ph_model *model =
        text_model("polhode: 1\n"
                   "bodies:\n"
                   "  - {name: a, mass: 2, inertia: [1, 2, 3], velocity: [1, 0, 2], angular_velocity: [1, 2, 3]}\n"
                   "  - {name: b, mass: 1, inertia: [2, 2, 3], position: [0.3, 1, 0], angular_velocity: [0, -2, 1]}\n"
                   "forces:\n"
                   "  - {type: drag, bodies: [a, b], anchor: [0.1, 0.5, 0.2], linear: 1, angular: 0.5,\n"
                   "     quadratic: [0.3, 0.1, 0.2], angular_quadratic: [0.1, 0.2, 0.3]}\n");
    ph_state *state = ph_state_create(model);
    ph_observer *observer;
    ph_measures first, last;
    ph_observer_create(model, &observer);
    ph_observer_measure(observer, state, &first);
    if (model && text_model_run(model, "rattlie6", state, 1e-3, 1000)) {
        ph_observer_measure(observer, state, &last);
        CHECK_NEAR(last.linear.x, first.linear.x, 1e-11);
        CHECK_NEAR(last.angular.z, first.angular.z, 1e-9);
        CHECK(last.kinetic < first.kinetic - 0.5);
        CHECK_NEAR(last.total, first.total, 1e-7);
    }
    ph_observer_destroy(observer);
    ph_state_destroy(state);
    ph_model_destroy(model);
}
