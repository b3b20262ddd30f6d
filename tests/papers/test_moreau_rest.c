// moreau on what must stay where it is.
#include "contact_case.h"

static double moved(const rig *r, const ph_vec3 *start)
{
    double most = 0.0;
    for (int b = 0; b < ph_model_bodies(r->model); b++)
        most = fmax(most, ph_norm(ph_sub(ph_state_positions(r->state)[b], start[b])));
    return most;
}

// How far anything has moved from the start after `steps`.
static double drift(rig *r, double h, int steps)
{
    const int bodies = ph_model_bodies(r->model);
    ph_vec3 *start = malloc(sizeof *start * (size_t)bodies);
    memcpy(start, ph_state_positions(r->state), sizeof *start * (size_t)bodies);
    rig_step(r, h, steps);
    const double most = moved(r, start);
    free(start);
    return most;
}

TEST(ten_boxes_stand)
{
    NEEDS_YAML;
    for (int law = 0; law < 2; law++) {
        rig r = case_open((contact_case){"stack.yaml", (ph_contact_law)law, NULL, {{0}}, 0.0});
        const double off = drift(&r, 0.005, 2000);
        printf("  drift in 10 s: %.2e m\n", off);
        CHECK(off < 1e-8);
        rig_close(&r);
    }
}

// Interface k carries k m g.
TEST(forces_in_a_stack)
{
    NEEDS_YAML;
    rig r = case_open((contact_case){"stack.yaml", PH_LAW_COULOMB, NULL, {{0}}, 0.0});
    rig_step(&r, 0.005, 20);
    for (int k = 0; k < 10; k++) {
        char box[16], below[16];
        snprintf(box, sizeof box, "box%d", k);
        snprintf(below, sizeof below, k ? "box%d" : "floor", k - 1);
        const ph_vec3 force = case_force(&r, box, below);
        CHECK_REL(force.z, (10 - k) * 1000.0 * 9.81, 1e-6);
        CHECK(fabs(force.x) + fabs(force.y) < 1e-6 * force.z);
    }
    rig_close(&r);
}

TEST(a_thousand_kilograms_on_one)
{
    NEEDS_YAML;
    rig r = case_open((contact_case){"heavy_on_light.yaml", PH_LAW_COULOMB, NULL, {{0}}, 0.0});
    const double off = drift(&r, 0.005, 400);
    printf("  drift in 2 s: %.2e m\n", off);
    CHECK(off < 1e-8);
    CHECK_REL(case_force(&r, "heavy", "light").z, 9810.0, 1e-6);
    CHECK_REL(case_force(&r, "light", "floor").z, 9819.81, 1e-6);
    rig_close(&r);
}

// Stands iff the balls have 0.317837 (the floor 1), or the floor 0.079459 (the balls 1).
TEST(four_balls_in_a_pile)
{
    NEEDS_YAML;
    static const struct {
        const char *mu, *floor;
        bool stands;
    } cases[] = {
        {"0.317837*1.001", "1", true},
        {"0.317837*0.999", "1", false},
        {"1", "0.079459*1.001", true},
        {"1", "0.079459*0.999", false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        rig r = case_open((contact_case){
            "pile.yaml", PH_LAW_COULOMB, NULL, {{"mu", cases[k].mu}, {"mu_floor", cases[k].floor}}, 0.0});
        const double off = drift(&r, 0.005, 200);
        printf("  mu = %s, floor %s: moved by %.2e m in 1 s\n", cases[k].mu, cases[k].floor, off);
        CHECK(cases[k].stands ? off < 1e-6 : off > 1e-4);
        rig_close(&r);
    }
}

// Joints hold while contacts act.
TEST(a_chain_over_a_cylinder)
{
    NEEDS_YAML;
    rig r = case_open((contact_case){"chain.yaml", PH_LAW_COULOMB, NULL, {{0}}, 0.0});
    double position = 0.0, velocity = 0.0;
    int touched = 0;
    for (int k = 0; k < 500; k++) {
        if (!rig_step(&r, 0.002, 1)) break;
        const ph_measures m = rig_measure(&r);
        int count;
        ph_state_contacts(r.state, &count);
        touched += count > 0;
        position = fmax(position, m.position_violation);
        velocity = fmax(velocity, m.velocity_violation);
    }
    printf("  |Phi| %.1e m, |Bv| %.1e m/s, contacts in %d of 500 steps\n", position, velocity, touched);
    CHECK(touched > 250);
    CHECK(position <= 1e-9);
    CHECK(velocity <= 1e-11);
    rig_close(&r);
}
