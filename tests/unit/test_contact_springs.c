// Springs and dampers between free bodies under `moreau`: as in models with joints, none is too stiff for a step.
#include "rig.h"

#include "math/vec3.h"

#include <math.h>

static const double STEP = 0.005, MASS = 1.0, LENGTH = 0.5;

// Two bodies without weight, `stretch` further apart than the spring is long, moving apart at `speed`.
static rig make_pair(double stiffness, double damping, double stretch, double speed)
{
    ph_spec *spec = ph_spec_create(NULL);
    const ph_contact_settings contact = ph_default_contact();
    ph_force_def spring = ph_default_force();
    ph_spec_set_contact(spec, &contact);
    for (int k = 0; k < 2; k++) {
        ph_body_def body = ph_default_body();
        body.name = k ? "b" : "a";
        body.mass = MASS;
        body.inertia.m[0][0] = body.inertia.m[1][1] = body.inertia.m[2][2] = 0.01;
        body.position = ph_vec(k * (LENGTH + stretch), 0, 0);
        body.velocity = ph_vec(k ? 0.5 * speed : -0.5 * speed, 0.3, 0);
        ph_spec_add_body(spec, &body);
    }
    spring.type = "spring";
    spring.body_a = 0;
    spring.body_b = 1;
    spring.stiffness = stiffness;
    spring.damping = damping;
    spring.has_length = true;
    spring.length = LENGTH;
    CHECK(ph_spec_add_force(spec, &spring) >= 0);
    return rig_build(spec, "moreau");
}

// omega h = 7, which no explicit force survives. Newmark's rule, v+ = v - h omega^2 x/b and x+ = x + h v+ with b = 1 + (omega h)^2/4, keeps
// b v^2 + omega^2 x^2 - h omega^2 x v: so T never exceeds the energy of the start, nor U b times that, however long it runs.
TEST(a_stiff_spring_between_free_bodies_gains_no_energy)
{
    const double stiffness = 1e6, stretch = 0.01, energy = 0.5 * stiffness * stretch * stretch, drift = MASS * 0.09;
    const double b = 1.0 + 0.5 * stiffness / MASS * STEP * STEP;
    rig r = make_pair(stiffness, 0.0, stretch, 0.0);
    double kinetic = 0.0, potential = 0.0;
    for (int k = 0; k < 2000; k++) {
        if (!rig_step(&r, STEP, 1)) break;
        const ph_measures now = rig_measure(&r);
        kinetic = fmax(kinetic, now.kinetic - drift);
        potential = fmax(potential, now.potential);
    }
    CHECK(kinetic <= energy * (1.0 + 1e-6) && kinetic > 0.9 * energy);
    CHECK(potential <= b * energy * (1.0 + 1e-6) && potential > 0.9 * b * energy);
    rig_close(&r);
}

// c h/m = 50: at the end of the step, v+ = v/(1 + 2 c h/m).
TEST(a_strong_damper_between_free_bodies_brakes)
{
    const double damping = 1e4, speed = 1.0;
    rig r = make_pair(0.0, damping, 0.0, speed);
    rig_step(&r, STEP, 1);
    const ph_vec3 *v = ph_state_velocities(r.state);
    CHECK_REL(v[1].x - v[0].x, speed / (1.0 + 2.0 * damping * STEP / MASS), 1e-6);
    CHECK_NEAR(v[0].x + v[1].x, 0.0, 1e-12);
    CHECK_NEAR(v[1].y, 0.3, 1e-12);
    rig_step(&r, STEP, 100);
    const ph_measures now = rig_measure(&r);
    CHECK_NEAR(now.kinetic, MASS * 0.09, 1e-9);
    CHECK_NEAR(now.work, -0.25 * MASS * speed * speed, 1e-9); // all that relative motion had
    rig_close(&r);
}
