// Huang, Chen, Zhang and Tian 2022: the family of Lie-group schemes on the spatial double pendulum, h = 1 ms. The expected
// numbers are those of an independent program of the same equations.

#include "rig.h"

#include "math/vec3.h"

typedef struct expected {
    const char *scheme;
    double energy_30;          // largest energy error over 30 s, J
    double velocity_violation; // over 50 s, m/s: about this when above 1e-13, else no more
} expected;

static const expected family[] = {
    {"RL", 0.0726, 1e-13},        {"DH", 0.0818, 1e-13},          {"DL", 0.0818, 5.6e-4},
    {"lie-alpha", 0.266, 3.0e-4}, {"lie-alpha-2", 0.1945, 1e-13},
};
enum { FAMILY = sizeof family / sizeof *family };

static ph_comparison *compare(const ph_model *model, double until)
{
    const char *names[FAMILY];
    for (int i = 0; i < FAMILY; i++) names[i] = family[i].scheme;
    ph_compare_def def = ph_default_compare();
    def.trials = names;
    def.trial_count = FAMILY;
    def.step = 1e-3;
    def.until = until;
    def.reference = "none";
    ph_comparison *c = NULL;
    CHECK_EQ_INT(ph_compare(model, &def, &c, NULL), PH_OK);
    CHECK(c && c->failed == 0);
    return c;
}

// Figure 5. The motion is chaotic, so that only 30 s can be compared.
TEST(energy_errors_over_30_s_within_2_percent)
{
    NEEDS_YAML;
    ph_model *model = rig_example("double_pendulum.yaml");
    ph_comparison *c = compare(model, 30.0);
    for (int i = 0; c && i < c->trial_count; i++)
        CHECK_REL(c->trials[i].summary.energy_max_abs_error, family[i].energy_30, 0.02);
    ph_comparison_destroy(c);
    ph_model_destroy(model);
}

// Figures 6 and 7. Rotations and joints are kept by all; velocities of joints only by schemes that project them.
TEST(rotations_and_joints_over_50_s)
{
    NEEDS_YAML;
    ph_model *model = rig_example("double_pendulum.yaml");
    ph_comparison *c = compare(model, 50.0);
    for (int i = 0; c && i < c->trial_count; i++) {
        const ph_summary *s = &c->trials[i].summary;
        CHECK(s->orthogonality_max < 1e-13);
        CHECK(s->position_violation_max < 1e-12);
        if (family[i].velocity_violation > 1e-13) {
            CHECK_REL(s->velocity_violation_max, family[i].velocity_violation, 0.25);
        } else {
            CHECK(s->velocity_violation_max <= 1e-13);
        }
    }
    ph_comparison_destroy(c);
    ph_model_destroy(model);
}

// DH and DL are one scheme in two forms: the same positions, other velocities at the nodes.
TEST(both_forms_of_the_general_scheme_move_alike)
{
    NEEDS_YAML;
    static const char *const trials[] = {"DL"};
    ph_model *model = rig_example("double_pendulum.yaml");
    ph_compare_def def = ph_default_compare();
    def.trials = trials;
    def.trial_count = 1;
    def.step = 1e-3;
    def.until = 2.0;
    def.reference = "DH@1e-3";
    ph_comparison *c = NULL;
    if (CHECK_EQ_INT(ph_compare(model, &def, &c, NULL), PH_OK)) {
        CHECK(c->trials[0].error.of[PH_POSITION] < 1e-10);
        CHECK(c->trials[0].error.of[PH_ORIENTATION] < 1e-10);
        CHECK(c->trials[0].error.of[PH_VELOCITY] > 1e-5);
    }
    ph_comparison_destroy(c);
    ph_model_destroy(model);
}

// ---- Orders ---------------------------------------------------------------------------------------------------------

// Orders of positions between consecutive steps lie between `low` and `high`; errors at t = 1 and 2.
static void check_orders(const char *const *schemes, int count, const double *steps, int step_count, double round_off,
                         double low, double high)
{
    static const double times[] = {1.0, 2.0};
    ph_model *model = rig_example("double_pendulum.yaml");
    ph_order_def def = ph_default_order();
    def.trials = schemes;
    def.trial_count = count;
    def.steps = steps;
    def.step_count = step_count;
    def.times = times;
    def.time_count = 2;
    def.round_off = round_off;
    ph_order_study *study = NULL;
    if (CHECK_EQ_INT(ph_measure_order(model, &def, &study, NULL), PH_OK)) {
        for (int i = 0; i < study->row_count; i++) {
            const ph_order_fit *fit = &study->rows[i].fits[PH_POSITION];
            CHECK_EQ_INT(fit->used, step_count - 1);
            for (int k = 0; k + 1 < step_count; k++) CHECK(fit->orders[k] >= low && fit->orders[k] <= high);
        }
    }
    ph_order_study_destroy(study);
    ph_model_destroy(model);
}

TEST(second_order_schemes)
{
    NEEDS_YAML;
    static const char *const schemes[] = {"rattlie", "rattlie-del", "lgvi", "lgvi-del", "lie-alpha", "lie-alpha-2"};
    static const double steps[] = {4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4};
    check_orders(schemes, 6, steps, 5, 1e-10, 1.97, 2.03);
}

TEST(fourth_order_schemes)
{
    NEEDS_YAML;
    static const char *const schemes[] = {"rkmk4", "rattlie4"};
    static const double steps[] = {5e-3, 2.5e-3, 1.25e-3};
    check_orders(schemes, 2, steps, 3, 1e-10, 3.9, 4.4);
}

// Its error at 2 ms is below 1e-10 already, but well above what the reference is uncertain by.
TEST(sixth_order_scheme)
{
    NEEDS_YAML;
    static const char *const schemes[] = {"rattlie6"};
    static const double steps[] = {1e-2, 5e-3, 2.5e-3};
    check_orders(schemes, 1, steps, 3, 2e-13, 5.8, 6.3);
}

// The discrete Euler-Lagrange forms have the positions of the one-step forms with the same kinetic map.
TEST(two_step_forms_have_the_same_positions)
{
    NEEDS_YAML;
    static const char *const pairs[][2] = {{"rattlie", "rattlie-del"}, {"lgvi", "lgvi-del"}};
    for (int p = 0; p < 2; p++) {
        rig one = rig_open(rig_example("double_pendulum.yaml"), pairs[p][0]);
        rig two = rig_open(rig_example("double_pendulum.yaml"), pairs[p][1]);
        rig_step(&one, 1e-3, 1000);
        rig_step(&two, 1e-3, 1000);
        for (int b = 0; b < 2; b++)
            CHECK_NEAR(ph_norm(ph_sub(rig_position(&one, b), rig_position(&two, b))), 0.0, 1e-11);
        CHECK(rig_measure(&two).velocity_violation > 1e-8 && rig_measure(&one).velocity_violation < 1e-12);
        rig_close(&one);
        rig_close(&two);
    }
}
