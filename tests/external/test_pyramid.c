// A pyramid of twenty rows of bricks stands for five seconds (examples/contact/pyramid.yaml).
#include "rig.h"

#include "math/vec3.h"

TEST(a_pyramid_of_twenty_rows_stands)
{
    NEEDS_YAML;
    rig r = rig_open(rig_example("contact/pyramid.yaml"), "moreau");
    const int bodies = ph_model_bodies(r.model);
    ph_vec3 *start = malloc(sizeof *start * (size_t)bodies);
    double most = 0.0;
    memcpy(start, ph_state_positions(r.state), sizeof *start * (size_t)bodies);
    rig_step(&r, 0.02, 250);
    for (int b = 0; b < bodies; b++) most = fmax(most, ph_norm(ph_sub(ph_state_positions(r.state)[b], start[b])));
    printf("  drift in 5 s: %.2e m\n", most);
    CHECK(most < 1e-3);
    free(start);
    rig_close(&r);
}
