// Events: a run ends where an expression crosses zero.

#include "rig.h"

#include <math.h>
#include <string.h>

// A rod of length 1 and mass 1 that swings about its end, let go at rest at `angle` from the lowest position, where q is 0.
static ph_spec *pendulum(double angle)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_body_def rod = ph_default_body();
    ph_joint_def hinge = ph_default_joint();
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, -9.81});
    rod.name = "rod";
    rod.mass = 1.0;
    rod.inertia = (ph_mat3){{{1.0 / 12.0, 0.0, 0.0}, {0.0, 1.0 / 12.0, 0.0}, {0.0, 0.0, 1e-3}}};
    rod.position = (ph_vec3){0.0, 0.0, -0.5};
    hinge.name = "hinge";
    hinge.type = "revolute";
    hinge.body_a = PH_WORLD;
    hinge.body_b = ph_spec_add_body(spec, &rod);
    hinge.has_anchor = hinge.has_axis = true;
    hinge.axis = (ph_vec3){1.0, 0.0, 0.0};
    hinge.has_coordinate[0] = true;
    hinge.coordinate[0] = angle;
    ph_spec_add_joint(spec, &hinge);
    return spec;
}

// A quarter of the period, by the arithmetic-geometric mean: omega^2 = 3 g / (2 l).
static double quarter(double angle)
{
    double a = 1.0, b = cos(0.5 * angle);
    for (int k = 0; k < 8; k++) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 0.5 * acos(-1.0) / (a * sqrt(1.5 * 9.81));
}

// When the pendulum first passes the lowest position, and what q is there.
static double pass(const char *scheme, double h, double *rest)
{
    rig r = rig_build(pendulum(1.2), scheme);
    ph_event *event = NULL;
    bool crossed = false;
    CHECK_EQ_INT(ph_event_create(r.model, "q.hinge", &event, NULL), PH_OK);
    CHECK_EQ_INT(ph_sim_advance_until(r.sim, r.state, h, 1000, event, &crossed, NULL), PH_OK);
    CHECK(crossed);
    *rest = ph_event_value(event, r.state);
    const double time = ph_state_time(r.state);
    ph_event_destroy(event);
    rig_close(&r);
    return time;
}

// q is zero to what the rounding of the time leaves, and the time is as good as the scheme.
TEST(every_scheme_stops_at_the_lowest_position)
{
    const double right = quarter(1.2);
    for (int k = 0; k < ph_scheme_count(); k++) {
        const ph_scheme_info info = ph_scheme_get(k);
        double rest, fine_rest;
        if (info.order == 0 || info.traits & PH_HAS_CONTACT) continue;
        const double coarse = pass(info.name, 0.02, &rest), fine = pass(info.name, 0.01, &fine_rest);
        CHECK(fabs(rest) <= 1e-13 && fabs(fine_rest) <= 1e-13);
        CHECK(fabs(fine - right) <= 1e-3);
        if (info.order == 2) CHECK_NEAR(log2(fabs(coarse - right) / fabs(fine - right)), 2.0, 0.25);
        if (info.traits & PH_OWN_STEPS) CHECK_NEAR(coarse, right, 1e-8);
    }
}

TEST(going_on_does_not_meet_it_again)
{
    rig r = rig_build(pendulum(1.2), "rattlie");
    ph_event *event = NULL;
    bool crossed = false;
    double last = 0.0;
    CHECK_EQ_INT(ph_event_create(r.model, "q.hinge", &event, NULL), PH_OK);
    for (int k = 0; k < 4; k++) { // every half period
        CHECK_EQ_INT(ph_sim_advance_until(r.sim, r.state, 1e-3, 5000, event, &crossed, NULL), PH_OK);
        CHECK(crossed);
        if (k > 0) CHECK_NEAR(ph_state_time(r.state) - last, 2.0 * quarter(1.2), 1e-5);
        last = ph_state_time(r.state);
    }
    ph_event_destroy(event);
    rig_close(&r);
}

// A step of the length that leads to the event is a step: going back by it returns.
TEST(the_partial_step_is_symmetric)
{
    rig r = rig_build(pendulum(1.2), "rattlie");
    ph_event *event = NULL;
    ph_step_report report;
    bool crossed = false;
    ph_event_create(r.model, "q.hinge", &event, NULL);
    ph_sim_advance_until(r.sim, r.state, 0.01, 1000, event, &crossed, &report);
    const double whole = 0.01 * (double)(report.steps - 1), part = ph_state_time(r.state) - whole;
    CHECK(crossed && part > 0.0 && part < 0.01);
    CHECK(rig_step(&r, -part, 1) && rig_step(&r, -0.01, (int)report.steps - 1));
    CHECK_NEAR(rig_position(&r, 0).y, 0.5 * sin(1.2), 1e-12);
    ph_event_destroy(event);
    rig_close(&r);
}

TEST(what_never_happens)
{
    rig r = rig_build(pendulum(0.1), "rattlie");
    ph_event *event = NULL;
    bool crossed = true;
    CHECK_EQ_INT(ph_event_create(r.model, "q.hinge - 1", &event, NULL), PH_OK);
    CHECK_EQ_INT(ph_sim_advance_until(r.sim, r.state, 0.01, 100, event, &crossed, NULL), PH_OK);
    CHECK(!crossed);
    CHECK_NEAR(ph_state_time(r.state), 1.0, 1e-12);
    ph_event_destroy(event);
    rig_close(&r);
}

TEST(unknown_names_are_told)
{
    ph_spec *spec = pendulum(0.1);
    ph_model *model = NULL;
    ph_event *event = NULL;
    ph_error error = {.text = ""};
    ph_model_compile(spec, NULL, &model);
    CHECK_EQ_INT(ph_event_create(model, "q.hing", &event, &error), PH_BAD_ARGUMENT);
    CHECK(!event && strstr(error.text, "q.hing") && strstr(error.text, "known are"));
    CHECK_EQ_INT(ph_event_create(model, "q.hinge +", &event, &error), PH_BAD_ARGUMENT);
    ph_model_destroy(model);
    ph_spec_destroy(spec);
}

// ---- Runs -----------------------------------------------------------------------------------------------------------

TEST(a_run_stops_where_its_model_says)
{
    ph_spec *spec = pendulum(1.2);
    ph_model *model = NULL;
    ph_summary summary;
    ph_run_def def = ph_default_run();
    CHECK_EQ_INT(ph_spec_set_run(spec, &(ph_run_settings){.step = 1e-3, .until = 5.0, .stop_when = "q.hinge"}), PH_OK);
    ph_model_compile(spec, NULL, &model);
    ph_state *state = ph_state_create(model);
    ph_recording *recording = ph_recording_create(model);
    def.recording = recording;
    def.every = 100;
    CHECK_EQ_INT(ph_run(model, state, &def, &summary, NULL), PH_OK);
    CHECK(summary.event);
    CHECK_NEAR(summary.time, quarter(1.2), 1e-6);
    CHECK_NEAR((double)(summary.steps - 1) * 1e-3 + summary.last_step, summary.time, 1e-12);
    CHECK_EQ_INT(ph_recording_rows(recording), 1 + (summary.steps - 1) / 100 + 1);
    def.stop_when = "t - 0.25"; // the definition goes before the model
    ph_state_reset(state);
    CHECK_EQ_INT(ph_run(model, state, &def, &summary, NULL), PH_OK);
    CHECK_NEAR(summary.time, 0.25, 1e-15);
    ph_recording_destroy(recording);
    ph_state_destroy(state);
    ph_model_destroy(model);
    ph_spec_destroy(spec);
}

TEST(model_files_say_it)
{
    NEEDS_YAML;
    static const char text[] =
        "polhode: 1\nparameters: {a: 0.5}\n"
        "bodies: [{name: rod, mass: 1, inertia: [1, 1, 1], position: [0, 0, -1]}]\n"
        "joints: [{name: hinge, type: revolute, bodies: [world, rod], anchor: [0, 0, 0], axis: [1, 0, 0]}]\n"
        "run: {step: 0.01, until: 1, stop_when: q.hinge - a}\n";
    ph_spec *spec = NULL, *again = NULL;
    ph_model *model = NULL;
    const char *written = "";
    CHECK_EQ_INT(ph_spec_read_text(text, strlen(text), "text", NULL, 0, NULL, &spec), PH_OK);
    CHECK_EQ_INT(ph_spec_write_text(spec, PH_MODEL_YAML, &written, NULL), PH_OK);
    CHECK_EQ_INT(ph_spec_read_text(written, strlen(written), "again", NULL, 0, NULL, &again), PH_OK);
    if (CHECK_EQ_INT(ph_model_compile(again, NULL, &model), PH_OK)) {
        const char *stop = ph_model_run_settings(model)->stop_when;
        CHECK(stop && strstr(stop, "q.hinge") && strstr(stop, "0.5"));
    }
    ph_model_destroy(model);
    ph_spec_destroy(again);
    ph_spec_destroy(spec);
}

TEST(numbers_never_cross)
{
    NEEDS_YAML;
    static const char text[] = "polhode: 1\nbodies: [{name: rod, mass: 1, inertia: [1, 1, 1]}]\nrun: {stop_when: 3}\n";
    ph_spec *spec = NULL;
    ph_problems *problems = ph_problems_create();
    CHECK_EQ_INT(ph_spec_read_text(text, strlen(text), "text", NULL, 0, problems, &spec), PH_BAD_MODEL);
    CHECK(ph_problems_count(problems) == 1 && strstr(ph_problems_get(problems, 0)->text, "never changes"));
    ph_problems_destroy(problems);
}
