// A pyramid of twenty rows of bricks stands (examples/contact/pyramid.yaml), for the first second of it.
#include "contact_case.h"

TEST(a_pyramid_of_twenty_rows_stands)
{
    NEEDS_YAML;
    rig r = case_open((contact_case){"pyramid.yaml", PH_LAW_COULOMB, NULL, {{0}}, 1e-4});
    double most = 0.0;
    const int bodies = ph_model_bodies(r.model);
    ph_vec3 *start = malloc(sizeof *start * (size_t)bodies);
    memcpy(start, ph_state_positions(r.state), sizeof *start * (size_t)bodies);
    rig_step(&r, 0.02, 50);
    for (int b = 0; b < bodies; b++)
        most = fmax(most, ph_norm(ph_sub(ph_state_positions(r.state)[b], start[b])));
    printf("  drift in 1 s: %.2e m\n", most);
    CHECK(most < 2e-4); // 1e-3 m in 5 s
    free(start);
    rig_close(&r);
}
