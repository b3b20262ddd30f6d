// Kepler's problem, whose solutions are known.

#include "text_model.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

// At the pericentre of an ellipse with mu = 4, a = 1, e = 0.5: v^2 = mu (1 + e) / (a (1 - e)); T = 2 pi sqrt(a^3 / mu) = pi.
static const char orbit[] = "polhode: 1\n"
                            "bodies:\n"
                            "  - {name: moon, mass: 3, inertia: [1, 2, 3], com: [0.1, 0, 0], position: [1.4, 2, 3],\n"
                            "     velocity: [0, sqrt(12), 0]}\n"
                            "forces: [{type: gravity_field, bodies: [world, moon], centre: [1, 2, 3], strength: 4}]\n";

TEST(ellipse_about_a_fixed_centre)
{
    static const struct {
        const char *scheme;
        double tolerance;
    } runs[] = {{"rattlie", 2e-3}, {"rattlie6", 1e-8}, {"dop853", 1e-9}, {"rkmk4", 1e-5}, {"lie-alpha", 1e-2}};
    ph_model *model = text_model(orbit);
    for (int k = 0; model && k < 5; k++) {
        ph_state *state = ph_state_create(model);
        if (text_model_run(model, runs[k].scheme, state, pi / 2000, 1000)) { // half a period: the apocentre
            const ph_vec3 x = ph_state_positions(state)[0], v = ph_state_velocities(state)[0];
            CHECK_NEAR(x.x, 1.0 - 1.5, runs[k].tolerance);
            CHECK_NEAR(x.y, 2.0, runs[k].tolerance);
            CHECK_NEAR(v.y, -sqrt(4.0 / 3.0), runs[k].tolerance); // v^2 = mu (1 - e) / (a (1 + e))
        }
        ph_state_destroy(state);
    }
    ph_model_destroy(model);
}

// Two bodies, mu = G m_a = 1: their distance is as with mu (1 + m_b / m_a) = 1.25; the centre of mass stays.
TEST(two_bodies_go_about_their_centre)
{
    static const char both[] = "polhode: 1\n"
                               "bodies:\n"
                               "  - {name: a, mass: 4, inertia: [1, 1, 1], velocity: [0, -0.2*sqrt(1.25), 0]}\n"
                               "  - {name: b, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0],\n"
                               "     velocity: [0, 0.8*sqrt(1.25), 0]}\n"
                               "forces: [{type: gravity_field, bodies: [a, b], strength: 1}]\n";
    ph_model *model = text_model(both);
    ph_state *state = ph_state_create(model);
    const double period = 2.0 * pi / sqrt(1.25); // a circle of radius 1
    if (model && text_model_run(model, "rattlie6", state, period / 1000, 250)) {
        const ph_vec3 *x = ph_state_positions(state);
        CHECK_NEAR(x[1].x - x[0].x, 0.0, 1e-9);
        CHECK_NEAR(x[1].y - x[0].y, 1.0, 1e-9);
        CHECK_NEAR((4.0 * x[0].x + x[1].x) / 5.0, 0.2, 1e-12);
        CHECK_NEAR((4.0 * x[0].y + x[1].y) / 5.0, 0.0, 1e-12);
    }
    ph_state_destroy(state);
    ph_model_destroy(model);
}

// Angular momentum about the centre is conserved, linear momentum is not.
TEST(a_fixed_centre_allows_turns_about_it)
{
    ph_model *model = text_model(orbit);
    const ph_symmetry s = ph_model_symmetry(model);
    CHECK(s.angular_all && !s.linear[0] && !s.linear[1] && !s.linear[2]);
    CHECK_NEAR(s.point.x, 1.0, 0.0);
    CHECK_NEAR(s.point.y, 2.0, 0.0);
    CHECK_NEAR(s.point.z, 3.0, 0.0);
    ph_model_destroy(model);
}
