// NASA Engineering and Safety Center, check cases for verification of six-degree-of-freedom flight vehicle simulations
// (NASA/TM-2015-218675), case 2: a tumbling brick without damping.

#include "benchmark.h"

static double error_of_rates(const rig *r)
{
    const double degree = acos(-1.0) / 180.0;
    const ph_vec3 published = ph_vec(12.61839077566776, -17.3974747618308, 31.11958888682995);
    return benchmark_apart(ph_scale(1.0 / degree, ph_state_angular_velocities(r->state)[0]), published);
}

static const benchmark brick = {"benchmarks/nesc_02.yaml", 30.0, error_of_rates};

TEST(rattlie_converges_at_order_2)
{
    NEEDS_YAML;
    benchmark_check_order(&brick, "rattlie", 1500, 4, 2.0, 0.01);
}

TEST(compositions_reach_1e_8)
{
    NEEDS_YAML;
    benchmark_check_error(&brick, "rattlie4", 6000, 1e-8);
    benchmark_check_error(&brick, "rattlie6", 1500, 1e-8);
}

// The published rates were integrated, to about ten digits.
TEST(the_closed_form_agrees)
{
    NEEDS_YAML;
    benchmark_check_error(&brick, "exact", 1, 1e-9);
}
