// Machines that begin beyond their stops: `moreau` brings them back, without a gain of energy, also where axes that are written with few digits
// contradict each other and loops close no further than these digits.

#include "test.h"

#include "polhode/polhode.h"

#include <math.h>
#include <string.h>

// A four-bar 34 degrees beyond the lower stop of its crank; one axis is tilted, which lets the loop close where it begins and nowhere else.
static const char FOUR_BAR[] =
    "polhode: 1\n"
    "parameters: {tilt: 0}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: crank, position: [0.05, 0, 0], mass: 0.2, inertia: [1e-4, 2e-4, 2e-4]}\n"
    "  - {name: coupler, position: [0.3, 0, 0.1], mass: 1, inertia: [1e-2, 1.5e-2, 1e-2]}\n"
    "  - {name: rocker, position: [0.5, 0, 0.1], mass: 1, inertia: [1e-2, 1e-2, 1e-3]}\n"
    "joints:\n"
    "  - {name: A, type: revolute, bodies: [world, crank], anchor: [0, 0, 0], axis: y, limits: [0.6, 2]}\n"
    "  - {name: B, type: revolute, bodies: [crank, coupler], anchor: [0.1, 0, 0], axis: [tilt, 1, 0]}\n"
    "  - {name: C, type: revolute, bodies: [coupler, rocker], anchor: [0.5, 0, 0.2], axis: [0, 1, -tilt]}\n"
    "  - {name: D, type: revolute, bodies: [rocker, world], anchor: [0.5, 0, 0], axis: y}\n"
    "run: {scheme: moreau}\n";

static ph_model *four_bar(const char *tilt)
{
    const ph_setting setting = {"tilt", tilt};
    ph_spec *spec = NULL;
    ph_model *model = NULL;
    CHECK_EQ_INT(ph_spec_read_text(FOUR_BAR, strlen(FOUR_BAR), "four-bar", &setting, 1, NULL, &spec), PH_OK);
    CHECK_EQ_INT(ph_model_compile(spec, NULL, &model), PH_OK);
    ph_spec_destroy(spec);
    return model;
}

static void comes_back(const char *tilt, double h)
{
    ph_model *model = four_bar(tilt);
    const ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    ph_observer *observer = NULL;
    ph_state *state = ph_state_create(model);
    ph_step_report report = {.status = PH_OK};
    ph_measures start, now;
    double most = 0.0, angle;
    CHECK_EQ_INT(ph_sim_create(model, &def, &sim, NULL), PH_OK);
    CHECK_EQ_INT(ph_observer_create(model, &observer), PH_OK);
    ph_observer_measure(observer, state, &start);
    for (double t = 0.0; t < 1.5 && report.status == PH_OK; t += h) {
        ph_sim_advance(sim, state, h, 1, &report);
        ph_observer_measure(observer, state, &now);
        most = fmax(most, now.total - start.total);
    }
    ph_observer_joint(observer, state, 0, &angle, NULL);
    printf("  tilt %s, step %g: crank at %.4f, T + U - W above the start by %.1e J at the most\n", tilt, h, angle,
           most);
    CHECK_EQ_INT(report.status, PH_OK);
    CHECK(angle > 0.6 - 1e-6 && angle < 2.0 + 1e-6); // it falls on to the upper one
    CHECK(now.kinetic < 1e-3);
    CHECK(most < 0.01 * 1.962);
    ph_observer_destroy(observer);
    ph_sim_destroy(sim);
    ph_state_destroy(state);
    ph_model_destroy(model);
}

TEST(a_linkage_comes_back_to_its_stop)
{
#ifdef PH_WITH_YAML
    static const char *const tilts[] = {"0", "2e-8", "4e-7"};
    for (size_t k = 0; k < sizeof tilts / sizeof *tilts; k++) {
        comes_back(tilts[k], 0.001);
        comes_back(tilts[k], 0.004);
    }
#else
    SKIP("built without libyaml");
#endif
}
