// A motor turns the crank of a four-bar linkage beyond what its rocker can follow: the failure names loop and motor.

#include "test.h"

#include "text_model.h"

static const char *const linkage =
    "polhode: 1\n"
    "initial: project\n"
    "bodies:\n"
    "  - {name: crank, mass: 1, inertia: [0.03, 0.03, 0.05], position: [0.4776682445628, 0.1477601033306698, 0]}\n"
    "  - {name: coupler, mass: 1, inertia: [0.03, 0.03, 0.05], position: [1.155336489125606, 0.4455202066613396, 0]}\n"
    "  - {name: rocker, mass: 1, inertia: [0.03, 0.03, 0.05], position: [1.4, 0.3, 0]}\n"
    "joints:\n"
    "  - {name: ground, type: revolute, bodies: [world, crank], anchor: [0, 0, 0], axis: [0, 0, 1]%s}\n"
    "  - {name: knee, type: revolute, bodies: [crank, coupler], anchor: [0.955336489125606, 0.2955202066613396, 0], "
    "axis: [0, 0, 1]}\n"
    "  - {name: elbow, type: revolute, bodies: [coupler, rocker], anchor: [1.355336489125606, 0.5955202066613396, 0], "
    "axis: [0, 0, 1]}\n"
    "  - {name: pivot, type: revolute, bodies: [rocker, world], anchor: [1.5, 0, 0], axis: [0, 0, 1]}\n";

static ph_model *linkage_with(const char *motor)
{
    char text[2000];
    snprintf(text, sizeof text, linkage, motor);
    return text_model(text);
}

// Steps until one fails, or for two seconds; what is said then.
static ph_status run(const ph_model *model, const char *scheme, double h, char *text, size_t size)
{
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    ph_step_report report = {0};
    ph_state *state = ph_state_create(model);
    def.scheme = scheme;
    ph_status status = ph_sim_create(model, &def, &sim, NULL);
    CHECK_EQ_INT(status, PH_OK);
    for (int k = 0; status == PH_OK && k * h < 2.0; k++) status = ph_sim_step(sim, state, h, &report);
    ph_step_report_format(&report, model, text, size);
    ph_sim_destroy(sim);
    ph_state_destroy(state);
    return status;
}

TEST(a_motor_that_drives_a_loop_into_a_dead_point_is_named)
{
    static const char *const schemes[] = {"rattlie",    "lgvi",   "rattlie-del", "matrix-rattle", "quat-fem",
                                          "rattlie4",   "rkmk4",  "bliedf2",     "lie-alpha",     "lie-alpha-2",
                                          "rattlie-ns", "moreau", "dop853",      "clifford-vi",   "quat-fem-4"};
    ph_model *model = linkage_with(", motor: {speed: 2}");
    char text[1024];
    for (size_t k = 0; model && k < sizeof schemes / sizeof *schemes; k++)
        for (int fine = 0; fine < 2; fine++) {
            CHECK_EQ_INT(run(model, schemes[k], fine ? 1e-3 : 1e-2, text, sizeof text), PH_NO_CONVERGENCE);
            CHECK(!strstr(text, "after 0 iterations"));
            if (!CHECK(strstr(text,
                              "the motor of 'ground' drives the loop of joints 'ground', 'knee', 'elbow', 'pivot' "
                              "into a dead point")))
                printf("  %s: %s\n", schemes[k], text);
        }
    ph_model_destroy(model);
}

TEST(other_failures_are_not_taken_for_dead_points)
{
    ph_model *model = linkage_with(", motor: {torque: 100}");
    char text[1024] = "";
    CHECK(model && run(model, "rattlie", 0.5, text, sizeof text) != PH_OK);
    CHECK(!strstr(text, "dead point"));
    ph_model_destroy(model);
}
