// A pyramid of twenty rows of bricks stands for five seconds (examples/contact/pyramid.yaml): with the exact solver and large
// steps, as the file has it, and with what a model without any settings gets.
#include "contact_case.h"

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ // which make it twenty times slower
static const double duration = 0.5;
#else
static const double duration = 5.0;
#endif

static double drift(rig *r, double h)
{
    const int bodies = ph_model_bodies(r->model);
    ph_vec3 *start = malloc(sizeof *start * (size_t)bodies);
    double most = 0.0;
    memcpy(start, ph_state_positions(r->state), sizeof *start * (size_t)bodies);
    rig_step(r, h, (int)lround(duration / h));
    for (int b = 0; b < bodies; b++) most = fmax(most, ph_norm(ph_sub(ph_state_positions(r->state)[b], start[b])));
    printf("  h = %g: drift in %g s: %.2e m\n", h, duration, most);
    free(start);
    return most;
}

TEST(a_pyramid_of_twenty_rows_stands)
{
    NEEDS_YAML;
    rig r = rig_open(rig_example("contact/pyramid.yaml"), "moreau");
    CHECK(drift(&r, 0.02) < 1e-3);
    rig_close(&r);
}

TEST(a_pyramid_of_twenty_rows_stands_without_settings)
{
    NEEDS_YAML;
    rig r = case_open((contact_case){"pyramid.yaml", PH_LAW_COULOMB, NULL, {{0}}, 0.0});
    CHECK(drift(&r, 0.005) < 1e-3);
    rig_close(&r);
}
