// The Dzhanibekov effect with I = (1, 2, 3), omega = (1e-3, 1, 1e-3): times between flips. With Euler's equations in
// Jacobi's elliptic functions the rate about the middle axis has the period 4 K/p; a flip is half of it.

#include "benchmark.h"

static const double FLIP = 27.530840553733186;

static double middle_rate(const rig *r)
{
    return ph_state_angular_velocities(r->state)[0].y;
}

// The time of the zero between the last step and the present state: by steps of other lengths from a copy of the state,
// with the rate's derivative from Euler's equation 2 omega_y' = (3 - 1) omega_z omega_x.
static double zero_near(rig *r, ph_state *copy)
{
    ph_state_copy(copy, r->state);
    for (int k = 0; k < 20; k++) {
        const ph_vec3 omega = ph_state_angular_velocities(copy)[0];
        const double step = -omega.y / (omega.z * omega.x);
        if (fabs(step) < 1e-14 || !CHECK_EQ_INT(ph_sim_step(r->sim, copy, step, NULL), PH_OK)) {
            break;
        }
    }
    return ph_state_time(copy);
}

// Steps on until the rate about the middle axis has changed its sign.
static double next_flip(rig *r, double h, ph_state *copy)
{
    const bool positive = middle_rate(r) > 0.0;
    while ((middle_rate(r) > 0.0) == positive) {
        if (!rig_step(r, h, 1)) {
            return (double)NAN;
        }
    }
    return zero_near(r, copy);
}

// The error of the mean time from the first to the last of `flips` further flips.
static double flip_error(const char *scheme, double h, int flips)
{
    rig r = rig_open(rig_example("dzhanibekov.yaml"), scheme);
    ph_state *copy = ph_state_create(r.model);
    const double first = next_flip(&r, h, copy);
    double time = first;
    for (int k = 0; k < flips; k++) {
        time = next_flip(&r, h, copy);
    }
    ph_state_destroy(copy);
    rig_close(&r);
    const double error = fabs((time - first) / flips - FLIP);
    printf("  %-8s h = %-8g flip after %.12f s, error %.2e\n", scheme, h, (time - first) / flips, error);
    return error;
}

TEST(rattlie_converges_at_order_2)
{
    NEEDS_YAML;
    double last = flip_error("rattlie", 4e-2, 1);
    for (int k = 1; k <= 3; k++) {
        const double error = flip_error("rattlie", 4e-2 / (1 << k), 1);
        printf("  order %.3f\n", log2(last / error));
        CHECK_NEAR(log2(last / error), 2.0, 0.05);
        last = error;
    }
}

TEST(compositions_reach_1e_8)
{
    NEEDS_YAML;
    CHECK(flip_error("rattlie4", 2e-2, 1) <= 1e-8);
    CHECK(flip_error("rattlie6", 0.1, 1) <= 1e-8);
    CHECK(flip_error("rattlie6", 0.1, 10) <= 1e-8);
}

TEST(the_closed_form_flips_at_the_same_times)
{
    NEEDS_YAML;
    CHECK(flip_error("exact", 0.1, 1) <= 1e-10);
    CHECK(flip_error("exact", 0.1, 10) <= 1e-10);
}

// Two flips are one period: the body's rates are those of the start.
TEST(the_rates_repeat_after_two_flips)
{
    NEEDS_YAML;
    rig r = rig_open(rig_example("dzhanibekov.yaml"), "rattlie6");
    if (rig_step(&r, 2.0 * FLIP / 2000, 2000)) {
        CHECK(benchmark_apart(ph_state_angular_velocities(r.state)[0], ph_vec(1e-3, 1.0, 1e-3)) <= 1e-10);
    }
    rig_close(&r);
}
