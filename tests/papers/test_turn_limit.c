// How far a step may turn a body: where a scheme has no solution, or only one for another motion, it must say so and name
// the largest step that works, never go on with a wrong motion.
#include "paper_top.h"

typedef struct limited {
    const char *scheme;
    double
        limit; // of |omega| h: sin x = h omega about an axis; half a turn in the longest of the steps of a composition
} limited;

static const limited LIMITED[] = {
    {"lgvi", 1.0},
    {"lgvi-del", 1.0},
    {"quat-fem", 1.0},
    {"matrix-rattle", 1.0},
    {"rattlie", M_PI},
    {"rattlie-del", M_PI},
    {"clifford-vi", M_PI},
    {"rattlie4", M_PI / 0.65796308717750294857},
    {"rattlie6", M_PI / 0.50405474843802736405},
    {"rattlie8", M_PI / 0.60550853383003451170},
};
enum { LIMITED_COUNT = sizeof LIMITED / sizeof *LIMITED };

static double named_step(const ph_step_report *report)
{
    static const char words[] = "the largest step that works here is ";
    const char *named = report->advice ? strstr(report->advice, words) : NULL;
    return named ? strtod(named + strlen(words), NULL) : (double)NAN;
}

// A step of h fails with the state untouched; the step it names works, one 2 % longer does not.
static void check_limit(const limited *c, const paper_top *top, double h)
{
    const double spin = ph_norm(top->omega);
    top_run run = top_run_start(top, PH_REFERENCE_ORIGIN, c->scheme);
    ph_step_report report;
    CHECK_EQ_INT(ph_sim_step(run.sim, run.state, h, &report), PH_NO_CONVERGENCE);
    const double largest = named_step(&report);
    if (!CHECK_NEAR(largest * spin, copysign(c->limit, h), 0.02 * c->limit)) printf("  %s, %g\n", c->scheme, h * spin);
    CHECK_NEAR(ph_state_time(run.state), 0.0, 0.0);
    CHECK_EQ_INT(ph_sim_step(run.sim, run.state, 1.02 * largest, NULL), PH_NO_CONVERGENCE);
    CHECK_EQ_INT(ph_sim_step(run.sim, run.state, largest, NULL), PH_OK);
    top_run_end(&run);
}

TEST(steps_beyond_the_limit_name_the_largest_that_works)
{
    const paper_top top = paper_start_1();
    for (int i = 0; i < LIMITED_COUNT; i++)
        for (double over = 1.1; over < 60.0; over *= 1.37) {
            check_limit(&LIMITED[i], &top, over * LIMITED[i].limit / ph_norm(top.omega));
            check_limit(&LIMITED[i], &top, -over * LIMITED[i].limit / ph_norm(top.omega));
        }
}

// Just below half a turn the motion is still the right one.
TEST(rattlie_follows_to_half_a_turn)
{
    const paper_top top = paper_start_1();
    top_run run = top_run_start(&top, PH_REFERENCE_ORIGIN, "rattlie");
    ph_run_def def = ph_default_run();
    ph_summary summary;
    def.step = 3.1 / ph_norm(top.omega);
    def.until = 2.0;
    CHECK_EQ_INT(ph_run(run.model, run.state, &def, &summary, NULL), PH_OK);
    CHECK(summary.energy_max_abs_error < 0.003 * summary.energy_scale);
    top_run_end(&run);
}
