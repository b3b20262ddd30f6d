// Rows that follow from others at the start and contradict them later: motors that drive a body where a loop holds it.
#include "rig.h"

#include <string.h>

#define BODY "polhode: 1\nbodies:\n- {name: b, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"

static const struct {
    const char *text, *joint;
} cases[] = {
    {BODY
     "joints:\n- {name: crank, type: revolute, bodies: [world, b], anchor: [0, 0, 0], axis: z, motor: {speed: t}}\n"
     "- {name: line, type: point_on_line, bodies: [world, b], anchor: [1, 0, 0], axis: x}\n",
     "line"},
    {BODY
     "joints:\n- {name: crank, type: revolute, bodies: [world, b], anchor: [0, 0, 0], axis: z, motor: {speed: t^2}}\n"
     "- {name: other, type: revolute, bodies: [world, b], anchor: [0.5, 0, 0], axis: z}\n",
     "other"},
    {BODY
     "- {name: c, mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}\n"
     "joints:\n- {name: crank, type: revolute, bodies: [world, b], anchor: [0, 0, 0], axis: z, motor: {speed: t}}\n"
     "- {name: knee, type: revolute, bodies: [b, c], anchor: [1, 0, 0], axis: z, motor: {speed: 0}}\n"
     "- {name: loop, type: revolute, bodies: [world, c], anchor: [2, 0, 0], axis: z, motor: {position: 0}}\n",
     "loop"},
};

static ph_model *model_of(const char *text)
{
    ph_model *model = NULL;
    ph_spec *spec = NULL;
    CHECK_EQ_INT(ph_spec_read_text(text, strlen(text), "over", NULL, 0, NULL, &spec), PH_OK);
    CHECK_EQ_INT(ph_model_compile(spec, NULL, &model), PH_OK);
    ph_spec_destroy(spec);
    return model;
}

// Up to 1 s of it, in which the crank would make 0.3 to 0.5 rad: the step that fails leaves joints closed to a part of 1e5.
static void drive(const char *text, const char *joint, const char *scheme)
{
    ph_step_report report = {.status = PH_OK};
    ph_error error;
    ph_model *model = model_of(text);
    rig r = {.model = model, .state = ph_state_create(model)};
    ph_sim_def def = ph_default_sim();
    def.scheme = scheme;
    if (ph_sim_create(model, &def, &r.sim, &error) == PH_OK && ph_observer_create(model, &r.observer) == PH_OK) {
        for (int k = 0; k < 200 && report.status == PH_OK; k++) ph_sim_step(r.sim, r.state, 5e-3, &report);
        const ph_measures m = rig_measure(&r);
        CHECK(m.position_violation < 1e-4);
        if (!CHECK(report.status == PH_NO_CONVERGENCE || report.status == PH_SINGULAR))
            printf("  %s goes on; joint %s\n", scheme, joint);
        if (report.status == PH_NO_CONVERGENCE && report.worst_joint >= 0)
            CHECK(ph_model_joint(model, report.worst_joint).rows > 0);
    }
    rig_close(&r);
}

TEST(motors_do_not_tear_loops_open)
{
    NEEDS_YAML;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int k = 0; k < ph_scheme_count(); k++) {
            const ph_scheme_info info = ph_scheme_get(k);
            if (info.traits & PH_KEEPS_POSITION_CONSTRAINT) drive(cases[c].text, cases[c].joint, info.name);
        }
}

TEST(the_joint_and_the_reason_are_named)
{
    NEEDS_YAML;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        ph_step_report report = {.status = PH_OK};
        ph_model *model = model_of(cases[c].text);
        rig r = rig_open(model, "rattlie");
        for (int k = 0; k < 200 && report.status == PH_OK; k++) ph_sim_step(r.sim, r.state, 5e-3, &report);
        if (CHECK(report.status != PH_OK && report.worst_joint >= 0))
            CHECK_STR(ph_model_joint(model, report.worst_joint).name, cases[c].joint);
        CHECK(report.advice && strstr(report.advice, "where it cannot go"));
        if (report.advice) printf("  %s\n", report.advice);
        rig_close(&r);
    }
}

// A second hinge in the same line follows from the first for good.
TEST(rows_that_follow_for_good_are_no_hindrance)
{
    NEEDS_YAML;
    static const char text[] = BODY
        "joints:\n- {name: crank, type: revolute, bodies: [world, b], anchor: [0, 0, 0], axis: z, motor: {speed: 20*t}}\n"
        "- {name: other, type: revolute, bodies: [world, b], anchor: [0, 0, 1], axis: z}\n";
    static const char *const schemes[] = {"rattlie", "lie-alpha", "lgvi-del", "quat-fem-4", "rattlie-ns", "rattlie8"};
    for (int k = 0; k < 6; k++) {
        rig r = rig_open(model_of(text), schemes[k]);
        CHECK(rig_step(&r, 5e-3, 200));
        CHECK(rig_measure(&r).position_violation < 1e-9);
        rig_close(&r);
    }
}
