// Expressions without a finite value: the report says which, where and when.

#include "text_model.h"

#include <locale.h>

static void check_fault(const char *element, const char *scheme, const char *expected)
{
    char text[700], said[500];
    snprintf(text, sizeof text, "polhode: 1\nbodies: [{name: b, mass: 1, inertia: [1, 1, 1]}]\n%s\n", element);
    ph_model *model = text_model(text);
    if (!model) return;
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    ph_step_report report = {0};
    ph_state *state = ph_state_create(model);
    def.scheme = scheme;
    CHECK_EQ_INT(ph_sim_create(model, &def, &sim, NULL), PH_OK);
    for (int k = 0; k < 10 && report.status == PH_OK; k++) ph_sim_step(sim, state, 0.01, &report);
    CHECK_EQ_INT(report.status, PH_NOT_FINITE);
    ph_step_report_format(&report, model, said, sizeof said);
    if (!CHECK(strstr(said, expected))) printf("  %s: %s\n", scheme, said);
    ph_sim_destroy(sim);
    ph_state_destroy(state);
    ph_model_destroy(model);
}

TEST(an_expression_that_is_not_finite_is_named)
{
    static const char *const schemes[] = {"rattlie", "lie-alpha", "rkmk4", "dop853", "moreau"};
    for (int k = 0; k < 5; k++) {
        check_fault("forces: [{type: wrench, body: b, force: [0, \"sqrt(t - 1)\", 0]}]", schemes[k],
                    "\"sqrt(t - 1)\" (forces[0].force[1]) is ");
    }
    check_fault("forces: [{type: wrench, body: b, torque: [0, 0, \"1/(t - 0.05)\"]}]", "rattlie",
                "\"1/(t - 0.05)\" (forces[0].torque[2]) is inf at t = 0.05");
    check_fault("joints: [{name: pin, type: revolute, bodies: [world, b], anchor: [0, 0, 0], axis: z,\n"
                "          motor: {torque: \"log(-1 - t)\"}}]",
                "rattlie", "the motor of joint 'pin'");
}

// Options of schemes and steps of trials are written with a point, whatever the locale of the program.
TEST(numbers_of_options_under_a_decimal_comma)
{
    ph_model *model = text_model("polhode: 1\nbodies: [{name: b, mass: 1, inertia: [1, 1, 1]}]\n");
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    ph_error error = {.text = ""};
    if (!model) return;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "de_DE")) {
        ph_model_destroy(model);
        SKIP("there is no locale with a decimal comma");
    }
    def.scheme = "lie-alpha";
    def.options = "rho=0.25";
    if (!CHECK_EQ_INT(ph_sim_create(model, &def, &sim, &error), PH_OK)) printf("  %s\n", error.text);
    setlocale(LC_NUMERIC, "C");
    ph_sim_destroy(sim);
    ph_model_destroy(model);
}
