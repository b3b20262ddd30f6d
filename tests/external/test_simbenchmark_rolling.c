// The rolling test of SimBenchmark (leggedrobotics.github.io/SimBenchmark/rolling): a force of 150 N at 45 degrees draws a box
// of 10 kg over the ground (friction 0.4) from under 25 balls of 1 kg (friction 0.8). The balls roll on the box:
// 60 a = 150 - 0.4 * 35 g, a_ball = a = 0.211, a_box = 3.5 a = 0.7385 m/s^2, both along the force.
#include "contact_case.h"

TEST(rolling)
{
    NEEDS_YAML;
    for (int law = 0; law < 2; law++) {
        rig r = case_open((contact_case){"rolling.yaml", (ph_contact_law)law, NULL, {{0}}, 0.0});
        rig_step(&r, 0.005, 200);
        const ph_vec3 box = case_velocity(&r, "box"), ball = case_velocity(&r, "ball31");
        printf("  %s: box %.6f, ball %.6f m/s^2 (exact 0.7385, 0.211)\n", law ? "relaxed" : "coulomb", ph_norm(box),
               ph_norm(ball));
        CHECK_REL(ph_norm(box), 0.7385, 0.01);
        CHECK_REL(ph_norm(ball), 0.211, 0.01);
        CHECK_NEAR(box.x, box.y, 1e-6);
        CHECK_NEAR(ball.x, ball.y, 1e-6);
        rig_close(&r);
    }
}
