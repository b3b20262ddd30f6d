// Steps that are made in parts because one impact follows another: beside bodies that have nothing to do with it, and the same contact again.
#include "text_model.h"

#include "math/vec3.h"

#include <math.h>

#ifdef PH_WITH_YAML

// A row of balls: the first meets the second after 0.1 ms, the second the third after 0.2 ms. Far away a ball and a slider
// with a stop begin 20 µm beyond where they may be.
static const char text[] =
    "polhode: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "contact: {}\n"
    "bodies:\n"
    "  - {name: ground, fixed: true, shapes: [{type: plane}]}\n"
    "  - {name: a, position: [0, 0, 1], velocity: [1, 0, 0], shapes: [&ball {type: sphere, radius: 0.05, density: 1000, restitution: 1}]}\n"
    "  - {name: b, position: [0.1001, 0, 1], shapes: [*ball]}\n"
    "  - {name: c, position: [0.2002, 0, 1], shapes: [*ball]}\n"
    "  - {name: low, position: [5, 0, 0.04998], shapes: [{type: sphere, radius: 0.05, density: 1000}]}\n"
    "joints: []\n";

static const char with_stop[] =
    "polhode: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "contact: {}\n"
    "bodies:\n"
    "  - {name: a, position: [0, 0, 1], velocity: [1, 0, 0], shapes: [&ball {type: sphere, radius: 0.05, density: 1000, restitution: 1}]}\n"
    "  - {name: b, position: [0.1001, 0, 1], shapes: [*ball]}\n"
    "  - {name: c, position: [0.2002, 0, 1], shapes: [*ball]}\n"
    "  - {name: low, position: [5, 0, 0.99998], mass: 1, inertia: [1, 1, 1]}\n"
    "joints: [{name: rail, type: prismatic, bodies: [world, low], anchor: [5, 0, 1], axis: z, coordinate: -2e-5, limits: [0, 1]}]\n";

// Undone over the step, the overlap leaves a speed of 20 µm in 2 ms; over the part between both impacts it was the 0.6 m/s of
// recovery_speed, and the body flew.
static void check_is_not_thrown(const char *model_text, const char *name)
{
    ph_model *model = text_model(model_text);
    if (!model) return;
    ph_state *state = ph_state_create(model);
    const double h = 2e-3;
    const int low = ph_model_find_body(model, name), c = ph_model_find_body(model, "c");
    CHECK(text_model_run(model, "moreau", state, h, 1));
    CHECK_NEAR(ph_state_velocities(state)[c].x, 1.0, 1e-6); // the blow has gone through the row
    CHECK(ph_state_velocities(state)[low].z < 1.1 * 2e-5 / h);
    CHECK(text_model_run(model, "moreau", state, h, 200));
    CHECK(ph_norm(ph_state_velocities(state)[low]) < 1e-6);
    ph_state_destroy(state);
    ph_model_destroy(model);
}

TEST(overlap_is_undone_over_the_step_not_over_a_part_of_it)
{
    check_is_not_thrown(text, "low");
}

TEST(stops_are_undone_over_the_step_not_over_a_part_of_it)
{
    check_is_not_thrown(with_stop, "low");
}

// A ball leaves the ground with u and comes back within the step, after 2 u/g; rattlie-ns must not take the moment at which it left for
// that one. The parabolas are exact.
TEST(what_leaves_the_ground_comes_back_within_the_step)
{
    static const char hop[] =
        "polhode: 1\n"
        "gravity: [0, 0, -100]\n"
        "contact: {}\n"
        "bodies:\n"
        "  - {name: ground, fixed: true, shapes: [{type: plane, restitution: 0.5}]}\n"
        "  - {name: ball, mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, 0.1], shapes: [{type: sphere, radius: 0.1}]}\n";
    const double g = 100.0, e = 0.5, h = 8e-4;
    ph_model *model = text_model(hop);
    if (!model) return;
    for (int k = 0; k < 40; k++) {
        ph_state *state = ph_state_create(model);
        const double u = 0.027 + 2e-4 * k, again = e * u, left = h - 2.0 * u / g;
        ph_state_velocities(state)[1].z = u;
        ph_state_touch(state);
        CHECK(text_model_run(model, "rattlie-ns", state, h, 1));
        CHECK_NEAR(ph_state_velocities(state)[1].z, again - g * left, 1e-12);
        CHECK_NEAR(ph_state_positions(state)[1].z, 0.1 + left * (again - 0.5 * g * left), 1e-15);
        ph_state_destroy(state);
    }
    ph_model_destroy(model);
}

#endif
