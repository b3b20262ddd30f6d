// IFToMM library of computational benchmark problems, A05: flyball governor. https://www.iftomm-multibody.org/benchmark
//
// Springs of 8e5 N/m and dampers of 4e4 N s/m between light bodies: the fastest mode dies out at some 1e4 per second.

#include "benchmark.h"

static double height(const rig *r)
{
    return benchmark_coordinate(r, "slide");
}

static double error_at_1_s(const rig *r)
{
    return fabs(height(r) - 0.50142092238);
}

static double error_at_5_s(const rig *r)
{
    return fabs(height(r) - 0.535563103722);
}

static double error_at_10_s(const rig *r)
{
    const double omega = ph_state_angular_velocities(r->state)[ph_model_find_body(r->model, "shaft")].z;
    return fmax(fabs(height(r) - 0.619622917061), fabs(omega - 5.54820362265));
}

static const char file[] = "benchmarks/flyball_governor.yaml";
static const benchmark at_1_s = {file, 1.0, error_at_1_s}, at_5_s = {file, 5.0, error_at_5_s},
                       at_10_s = {file, 10.0, error_at_10_s};

TEST(rattlie_converges_at_order_2)
{
    NEEDS_YAML;
    benchmark_check_order(&at_5_s, "rattlie", 1250, 2, 2.0, 0.03);
    benchmark_check_order(&at_10_s, "rattlie", 2500, 2, 2.0, 0.03);
}

// The compositions go back by parts of a step, where dampers make motions grow: with dampers as stiff as these their
// steps must be as small as those of an explicit scheme, and then there is little to choose between them.
TEST(schemes_of_order_4_reach_1e_6)
{
    NEEDS_YAML;
    benchmark_check_error(&at_1_s, "rattlie4", 2000, 1e-8);
    benchmark_check_error(&at_5_s, "rkmk4", 20000, 1e-8);
    benchmark_check_error(&at_10_s, "rkmk4", 40000, 1e-8);
}

// What the dampers take is accounted for: T + U - W stays, while T + U does not.
TEST(energy_balance_stays)
{
    NEEDS_YAML;
    rig r = rig_open(rig_example(file), "rattlie");
    const ph_measures start = rig_measure(&r);
    double work = 0.0;
    for (int k = 0; k < 5000 && rig_step(&r, 1e-3, 1); k++) {
        const ph_measures m = rig_measure(&r);
        CHECK_NEAR(m.total, start.total, 5e-4);
        CHECK(m.position_violation <= 1e-14);
        CHECK(m.velocity_violation <= 1e-13); // the shaft is a million times lighter than the tips
        work = m.work;
    }
    CHECK(work < -2e-3);
    rig_close(&r);
}
