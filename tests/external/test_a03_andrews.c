// IFToMM library of computational benchmark problems, A03: Andrews' squeezing mechanism, with the data of Hairer and
// Wanner, Solving Ordinary Differential Equations II, VII.7. Here as seven bodies in space on ten hinges.

#include "benchmark.h"

static const struct {
    const char *joint;
    double angle; // rad, at 0.03 s
} published[] = {
    {"O", 15.81077119629904},   {"F", -15.75637105984298}, {"B", 0.04082224013073101}, {"G", -0.5347301163226948},
    {"A5", 0.5244099658805304}, {"H", 0.5347301163226948}, {"A7", 1.048080741042263},
};

static double error_of_angles(const rig *r)
{
    double largest = 0.0;
    for (size_t k = 0; k < sizeof published / sizeof *published; k++) {
        const double error = fabs(benchmark_coordinate(r, published[k].joint) - published[k].angle);
        largest = error <= largest ? largest : error;
    }
    return largest;
}

static const benchmark squeezer = {"benchmarks/andrews.yaml", 0.03, error_of_angles};

TEST(nine_of_fifty_rows_are_redundant)
{
    NEEDS_YAML;
    ph_model *model = rig_example(squeezer.file);
    CHECK_EQ_INT(ph_model_rows(model), 50);
    CHECK_EQ_INT(ph_model_rank(model), 41);
    CHECK_EQ_INT(ph_model_freedoms(model), 1);
    ph_model_destroy(model);
}

TEST(rattlie_converges_at_order_2)
{
    NEEDS_YAML;
    benchmark_check_order(&squeezer, "rattlie", 1500, 2, 2.0, 0.02);
}

TEST(compositions_reach_1e_8)
{
    NEEDS_YAML;
    benchmark_check_error(&squeezer, "rattlie4", 2000, 1e-8);
    benchmark_check_error(&squeezer, "rattlie6", 1200, 1e-8);
}

TEST(joints_and_energy_balance_stay)
{
    NEEDS_YAML;
    rig r = rig_open(rig_example(squeezer.file), "rattlie");
    const double start = rig_measure(&r).total;
    for (int k = 0; k < 300 && rig_step(&r, 1e-5, 10); k++) {
        const ph_measures m = rig_measure(&r);
        CHECK(m.position_violation <= 1e-15);
        CHECK(m.velocity_violation <= 1e-13);
        CHECK_NEAR(m.total, start, 5e-5 * start); // T + U - W, W the work of the torque
    }
    CHECK(ph_state_work(r.state) > 0.5); // 0.033 N m over 15.9 rad
    rig_close(&r);
}
