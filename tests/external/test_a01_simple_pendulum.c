// IFToMM library of computational benchmark problems, A01: simple pendulum. https://www.iftomm-multibody.org/benchmark
//
// A point mass of 1 kg at 1 m, released from the horizontal. The period is 4 K(sin 45 deg) sqrt(l/g); x and y at 10 s
// follow from Jacobi's elliptic functions.

#include "benchmark.h"

static const double PERIOD = 2.36784194757623745;

static double error_at_10_s(const rig *r)
{
    return benchmark_apart(rig_position(r, 0), ph_vec(0.275087462576117, -0.961419205099125, 0.0));
}

// The mass is back at rest where it started. It is late by v/g.
static double error_of_period(const rig *r)
{
    const double late = ph_max_abs(ph_state_velocities(r->state)[0]) / 9.81;
    return fmax(late, benchmark_apart(rig_position(r, 0), ph_vec(1.0, 0.0, 0.0)));
}

static const benchmark at_10_s = {"benchmarks/simple_pendulum.yaml", 10.0, error_at_10_s};
static const benchmark one_period = {"benchmarks/simple_pendulum.yaml", 2.36784194757623745, error_of_period};

TEST(rattlie_converges_at_order_2)
{
    NEEDS_YAML;
    benchmark_check_order(&at_10_s, "rattlie", 2000, 4, 2.0, 0.01);
    benchmark_check_order(&one_period, "rattlie", 500, 4, 2.0, 0.01);
}

TEST(compositions_reach_1e_8)
{
    NEEDS_YAML;
    benchmark_check_error(&at_10_s, "rattlie4", 5000, 1e-8);
    benchmark_check_error(&at_10_s, "rattlie6", 2000, 1e-10);
    benchmark_check_error(&one_period, "rattlie6", 500, 1e-11);
}

// Forty periods: no phase is lost.
TEST(the_period_stays)
{
    NEEDS_YAML;
    const benchmark forty = {at_10_s.file, 40.0 * PERIOD, error_of_period};
    benchmark_check_error(&forty, "rattlie6", 20000, 1e-8);
}
