// IFToMM library of computational benchmark problems, A04: Bricard's mechanism.
// https://www.iftomm-multibody.org/benchmark
//
// A ring of five rods and the ground on six hinges: 30 rows for 30 velocities, one of them dependent.

#include "benchmark.h"

static ph_vec3 tip(const rig *r)
{
    return benchmark_point(r, "rod2", ph_vec(0.0, -0.5, 0.0));
}

static double error_at_1_s(const rig *r)
{
    return benchmark_apart(tip(r), ph_vec(0.274481319264, -0.886707938735, -0.462330002687));
}

static double error_at_2_s(const rig *r)
{
    return benchmark_apart(tip(r), ph_vec(-0.778135373035, -0.980352683444, -0.197252670616));
}

static const benchmark at_1_s = {"benchmarks/bricard.yaml", 1.0, error_at_1_s};
static const benchmark at_2_s = {"benchmarks/bricard.yaml", 2.0, error_at_2_s};

TEST(one_of_thirty_rows_is_redundant)
{
    NEEDS_YAML;
    ph_model *model = rig_example(at_1_s.file);
    CHECK_EQ_INT(ph_model_rows(model), 30);
    CHECK_EQ_INT(ph_model_rank(model), 29);
    CHECK_EQ_INT(ph_model_freedoms(model), 1);
    ph_model_destroy(model);
}

TEST(rattlie_converges_at_order_2)
{
    NEEDS_YAML;
    benchmark_check_order(&at_1_s, "rattlie", 250, 3, 2.0, 0.02);
    benchmark_check_order(&at_2_s, "rattlie", 500, 3, 2.0, 0.02);
}

TEST(compositions_reach_1e_6)
{
    NEEDS_YAML;
    benchmark_check_error(&at_1_s, "rattlie4", 250, 1e-8);
    benchmark_check_error(&at_2_s, "rattlie4", 500, 1e-8);
    benchmark_check_error(&at_2_s, "rattlie6", 200, 1e-9);
}

// The whole motion of 10 s. The scale of the energies is the largest kinetic one, 4.55 J.
TEST(energy_is_constant)
{
    NEEDS_YAML;
    rig r = rig_open(rig_example(at_1_s.file), "rattlie6");
    const double start = rig_measure(&r).total;
    double kinetic = 0.0;
    for (int k = 0; k < 1000 && rig_step(&r, 1e-2, 1); k++) {
        const ph_measures m = rig_measure(&r);
        kinetic = fmax(kinetic, m.kinetic);
        CHECK_NEAR(m.total, start, 1e-9);
        CHECK(m.position_violation <= 1e-14);
        CHECK(m.velocity_violation <= 1e-13);
    }
    CHECK_REL(kinetic, 4.55, 0.01);
    rig_close(&r);
}
