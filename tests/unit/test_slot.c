// The slot joint: Scotch yokes, whose motion is known.

#include "text_model.h"

#include <math.h>

// A crank of 0.2 m at 3 rad/s: its pin, in the slot of a yoke across x, moves the yoke by 0.2 (cos 3t - 1).
static const char yoke[] =
    "polhode: 1\n"
    "bodies:\n"
    "  - {name: crank, mass: 1, inertia: [0.02, 0.02, 0.02], com: [0.1, 0, 0], angular_velocity: [0, 0, 3], velocity: [0, 0.3, 0]}\n"
    "  - {name: yoke, mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.2, 0, 0]}\n"
    "joints:\n"
    "  - {name: shaft, type: revolute, bodies: [world, crank], anchor: [0, 0, 0], axis: z, motor: {speed: 3}}\n"
    "  - {name: guide, type: prismatic, bodies: [world, yoke], axis: x}\n"
    "  - {name: pin, type: slot, bodies: [yoke, crank], anchor: [0.2, 0, 0], axis: y, axis2: z}\n";

TEST(scotch_yoke)
{
    static const char *const schemes[] = {"rattlie", "lie-alpha", "rkmk4", "moreau"};
    ph_model *model = text_model(yoke);
    ph_observer *observer = NULL;
    ph_observer_create(model, &observer);
    for (int k = 0; model && k < 4; k++) {
        ph_state *state = ph_state_create(model);
        text_model_run(model, schemes[k], state, 1e-3, 500);
        const double angle = 3.0 * ph_state_time(state), tolerance = 1e-3 * (k == 3 ? 5 : 1e-2);
        CHECK_NEAR(ph_state_positions(state)[1].x, 0.2 * cos(angle), tolerance);
        CHECK_NEAR(ph_state_velocities(state)[1].x, -0.6 * sin(angle), 5 * tolerance);
        double q[2], rate[2];
        ph_observer_joint(observer, state, 2, q, rate);
        CHECK_NEAR(q[0], 0.2 * sin(angle), tolerance);
        CHECK_NEAR(q[1], angle, tolerance);
        CHECK_NEAR(rate[0], 0.6 * cos(angle), 5 * tolerance);
        CHECK_NEAR(rate[1], 3.0, 5 * tolerance);
        ph_state_destroy(state);
    }
    ph_observer_destroy(observer);
    ph_model_destroy(model);
}
