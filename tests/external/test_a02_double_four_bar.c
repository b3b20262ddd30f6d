// IFToMM library of computational benchmark problems, A02: N four-bar mechanism with N = 2.
// https://www.iftomm-multibody.org/benchmark
//
// The links fall, lie down after 0.714 s, and go on. Whenever they lie down the rank of the rows drops from 29 to 27
// and the couplers could begin to turn.

#include "benchmark.h"

// How far the couplers have turned: on the right branch they do not turn at all.
static double coupler_turn(const rig *r)
{
    double largest = 0.0;
    for (int k = 1; k <= 2; k++) {
        const int b = ph_model_find_body(r->model, k == 1 ? "coupler1" : "coupler2");
        const ph_quat q = ph_state_orientations(r->state)[b];
        largest = fmax(largest, ph_max_abs(ph_vec(q.x, q.y, q.z)));
    }
    return largest;
}

static double error_of(const rig *r, ph_vec3 published)
{
    return fmax(benchmark_apart(benchmark_point(r, "link0", ph_vec(0.0, 0.5, 0.0)), published), coupler_turn(r));
}

static double error_at_4_s(const rig *r)
{
    return error_of(r, ph_vec(0.1176161023768086, 0.9930591384513251, 0.0));
}

static double error_at_10_s(const rig *r)
{
    return error_of(r, ph_vec(0.3284581115408154, 0.944518538178601, 0.0));
}

static const char file[] = "benchmarks/double_four_bar.yaml";
static const benchmark at_4_s = {file, 4.0, error_at_4_s}, at_10_s = {file, 10.0, error_at_10_s};

TEST(six_of_thirty_five_rows_are_redundant)
{
    NEEDS_YAML;
    ph_model *model = rig_example(file);
    CHECK_EQ_INT(ph_model_rows(model), 35);
    CHECK_EQ_INT(ph_model_rank(model), 29);
    CHECK_EQ_INT(ph_model_freedoms(model), 1);
    ph_model_destroy(model);
}

TEST(rattlie_converges_at_order_2)
{
    NEEDS_YAML;
    benchmark_check_order(&at_4_s, "rattlie", 1000, 2, 2.0, 0.01);
    benchmark_check_order(&at_10_s, "rattlie", 2500, 2, 2.0, 0.01);
}

TEST(compositions_reach_1e_6)
{
    NEEDS_YAML;
    benchmark_check_error(&at_4_s, "rattlie4", 2000, 1e-8);
    benchmark_check_error(&at_10_s, "rattlie4", 5000, 1e-8);
}

// ---- On the singular position itself --------------------------------------------------------------------------------

// When the links first lie down: with (3 omega^2 - 3 v^2)/2 = 3.5 g (1 - cos theta), by Simpson's rule.
static double lying_time(void)
{
    enum { PARTS = 2000 };
    const double part = acos(0.0) / PARTS;
    double sum = 0.0;
    for (int k = 0; k <= PARTS; k++) {
        const double weight = k == 0 || k == PARTS ? 1.0 : k % 2 ? 4.0 : 2.0;
        sum += weight / sqrt(1.0 + 7.0 * 9.81 / 3.0 * (1.0 - cos(k * part)));
    }
    return sum * part / 3.0;
}

// `steps` steps to `offset` after the moment when all points lie on one line, and as many again. A step that fails says
// so and is made longer, to end elsewhere.
static bool pass(const char *scheme, double offset, int steps, int *failed)
{
    rig r = rig_open(rig_example(file), scheme);
    const double h = (lying_time() + offset) / steps, start = rig_measure(&r).total;
    bool good = true;
    for (int k = 0; good && k < 2 * steps; k++) {
        ph_step_report report;
        if (ph_sim_step(r.sim, r.state, h, &report) == PH_OK) {
            continue;
        }
        *failed += 1;
        CHECK(report.advice != NULL && coupler_turn(&r) < 1e-12);
        good = CHECK_EQ_INT(ph_sim_step(r.sim, r.state, 1.3 * h, NULL), PH_OK);
    }
    good = CHECK(coupler_turn(&r) < 1e-12) && good;
    good = CHECK_NEAR(rig_measure(&r).total, start, 2e-3) && good;
    rig_close(&r);
    return good;
}

// A node may fall on the singular position itself, or as near as it likes. The motion goes on on the right branch, or
// the step fails and says so; a step of another length then leads past it. (Schemes that solve for accelerations divide
// by the square of the distance: within 1e-5 of the singular position their energy is no longer good to 1e-4.)
TEST(landing_on_the_singular_position)
{
    NEEDS_YAML;
    static const char *const schemes[] = {"rattlie", "lgvi", "rattlie6", "lie-alpha"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        int failed = 0;
        for (int k = 3; k <= 14; k++) {
            const double offset = k == 14 ? 0.0 : pow(10.0, -k);
            if (!pass(schemes[i], offset, 400, &failed)) {
                printf("  %s, %g s after the singular position\n", schemes[i], offset);
            }
        }
        printf("  %s: %d steps of 12 runs failed and were made longer\n", schemes[i], failed);
    }
}
