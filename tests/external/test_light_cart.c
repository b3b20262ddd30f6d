// A pole on a cart that weighs a millionth of it. The pole is nearly a point mass, so that it falls freely, as the cart
// cannot push: when it comes through the horizontal, cart and pole pass each other within a tenth of a millisecond.

#include "rig.h"

#include <math.h>
#include <string.h>

static ph_spec *light_cart(void)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_body_def cart = ph_default_body(), pole = ph_default_body();
    ph_joint_def slide = ph_default_joint(), pin = ph_default_joint();
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, -9.81});
    cart.name = "cart";
    cart.mass = 1e-6;
    cart.inertia = (ph_mat3){{{1e-6, 0.0, 0.0}, {0.0, 1e-6, 0.0}, {0.0, 0.0, 1e-6}}};
    pole.name = "pole";
    pole.mass = 1.0;
    pole.inertia = (ph_mat3){{{1e-5, 0.0, 0.0}, {0.0, 1e-5, 0.0}, {0.0, 0.0, 1e-5}}};
    pole.position = (ph_vec3){0.3, 0.0, 0.4};
    slide.name = "slide";
    slide.type = "prismatic";
    slide.body_a = PH_WORLD;
    slide.body_b = ph_spec_add_body(spec, &cart);
    slide.has_anchor = slide.has_axis = true;
    slide.axis = (ph_vec3){1.0, 0.0, 0.0};
    pin.name = "pin";
    pin.type = "revolute";
    pin.body_a = slide.body_b;
    pin.body_b = ph_spec_add_body(spec, &pole);
    pin.has_anchor = pin.has_axis = true;
    pin.axis = (ph_vec3){0.0, 1.0, 0.0};
    ph_spec_add_joint(spec, &slide);
    ph_spec_add_joint(spec, &pin);
    return spec;
}

TEST(own_steps_follow)
{
    rig r = rig_build(light_cart(), "dop853");
    const double start = rig_measure(&r).total;
    if (CHECK(rig_step(&r, 0.01, 200))) CHECK_NEAR(rig_measure(&r).total, start, 1e-6);
    rig_close(&r);
}

// Nothing pushes sideways while the pole is held up by next to nothing: it falls like a stone.
TEST(falls_freely)
{
    rig r = rig_build(light_cart(), "dop853");
    const double fall = 0.5 * 9.81 * 0.25 * 0.25;
    if (CHECK(rig_step(&r, 0.01, 25))) CHECK_NEAR(ph_state_positions(r.state)[1].z, 0.4 - fall, 1e-4);
    rig_close(&r);
}

TEST(fixed_steps_say_what_works)
{
    static const char *const schemes[] = {"rattlie", "rattlie4", "lgvi"};
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
        rig r = rig_build(light_cart(), schemes[k]);
        ph_step_report report;
        ph_status status = PH_OK;
        for (int i = 0; status == PH_OK && i < 500; i++) status = ph_sim_step(r.sim, r.state, 1e-3, &report);
        CHECK_EQ_INT(status, PH_NO_CONVERGENCE);
        CHECK(report.advice && strstr(report.advice, "dop853"));
        rig_close(&r);
    }
}
