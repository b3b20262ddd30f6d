// A ball bounces on a plate that a spring holds, under `moreau`: weights act all through a step on the ball, which flies, and on the plate, whose
// velocity is that of half a step before; and springs may be as stiff for the step as they like.

#include "test.h"

#include "rig.h"
#include "text_model.h"

#include "math/vec3.h"

static const char *const text = //
    "polhode: 1\n"
    "parameters: {k: %.17g, e: %.17g}\n"
    "gravity: [0, 0, -9.81]\n"
    "contact: {}\n"
    "defaults: {shapes: {restitution: e}}\n"
    "bodies:\n"
    "  - {name: plate, position: [0, 0, 1], mass: 1, inertia: [1, 1, 1], shapes: [{type: box, size: [1, 1, 0.2]}]}\n"
    "  - {name: ball, position: [0, 0, 1.6], mass: 1, inertia: [0.01, 0.01, 0.01],\n"
    "     shapes: [{type: sphere, radius: 0.2}]}\n"
    "joints: [{name: slide, type: prismatic, bodies: [world, plate], anchor: [0, 0, 1], axis: z, stiffness: k}]\n";

static rig open(double k, double e)
{
    char model[2000];
    snprintf(model, sizeof model, text, k, e);
    return rig_open(text_model(model), "moreau");
}

// T + U, with the plate at the middle of its velocity, where Newmark's rule keeps it.
static double energy(const rig *r, double k, double h)
{
    const ph_vec3 *at = ph_state_positions(r->state), *v = ph_state_velocities(r->state);
    const double q = at[0].z - 1.0 - 0.5 * h * v[0].z;
    return 0.5 * (v[0].z * v[0].z + v[1].z * v[1].z) + 0.5 * k * q * q + 9.81 * (q + at[1].z);
}

// The most that it rises in 20 s.
static double gain(double k, double e, double h)
{
    rig r = open(k, e);
    const double start = r.state ? energy(&r, k, h) : 0.0;
    double most = 0.0;
    for (int n = 0; n * h < 20.0 && rig_step(&r, h, 1); n++) most = fmax(most, energy(&r, k, h) - start);
    rig_close(&r);
    return most;
}

// Of 5 J that the ball has to fall.
TEST(a_ball_on_a_soft_spring_gains_nothing)
{
    NEEDS_YAML;
    const double soft[] = {5.0, 10.0, 20.0};
    for (int n = 0; n < 3; n++) {
        printf("  k %g N/m, e = 1: gains %.1e J at 10 ms, %.1e J at 2 ms\n", soft[n], gain(soft[n], 1.0, 0.01),
               gain(soft[n], 1.0, 0.002));
        CHECK(gain(soft[n], 1.0, 0.01) < 0.15);
        CHECK(gain(soft[n], 1.0, 0.002) < 0.005);
    }
}

TEST(a_ball_on_a_stiff_spring_gains_nothing)
{
    NEEDS_YAML;
    const double h = 0.01, h_omega[] = {0.1, 0.3, 1.0, 3.0, 10.0};
    for (int n = 0; n < 5; n++) {
        const double k = h_omega[n] * h_omega[n] / (h * h), elastic = gain(k, 1.0, h);
        printf("  h omega %g, e = 1: gains %.1e J\n", h_omega[n], elastic);
        CHECK(elastic < 1.5);
        CHECK(gain(k, 0.5, h) < 0.01);
    }
}
