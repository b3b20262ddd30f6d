// Sensors with a memory: filters and integrals. Expected numbers are closed forms, or those of MuJoCo 4.0 (named so).

#include "test.h"

#include "polhode/polhode.h"
#include "robot_text.h"

#include <math.h>
#include <stdlib.h>

static const char *const schemes[] = {"rattlie", "moreau", "rk4", "rattlie-ns", NULL};

static robot_text read_yaml(const char *text)
{
    robot_text r = {.problems = ph_problems_create()};
    ph_spec_read_text(text, strlen(text), "model.yaml", NULL, 0, r.problems, &r.spec);
    robot_text_compile(&r);
    return r;
}

static double reading(robot_text *r, const char *name)
{
    double values[32] = {0};
    const int at = ph_model_find_sensor(r->model, name);
    CHECK(at >= 0 && ph_model_sensor_values(r->model) <= 32);
    ph_observer_sensors(r->observer, r->state, values);
    return at >= 0 ? values[at] : (double)NAN; // one number each here
}

static void advance(robot_text *r, const char *scheme, double step, int steps)
{
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    def.scheme = scheme;
    if (!CHECK(ph_sim_create(r->model, &def, &sim, NULL) == PH_OK)) return;
    CHECK(ph_sim_advance(sim, r->state, step, steps, NULL) == PH_OK);
    ph_sim_destroy(sim);
}

static const char ball[] = "polhode: 1\ninputs: {u: 2}\nbodies: [{name: a, mass: 1, inertia: [1, 1, 1]}]\n"
                           "sensors:\n"
                           "  - {name: slow, type: filter, value: u, time: 0.3}\n"
                           "  - {name: sum, type: integral, value: u, limits: [null, 0.7]}\n"
                           "  - {name: ramp, type: integral, value: t}\n"
                           "forces: [{type: wrench, body: a, force: [sensor.slow, 0, sensor.sum]}]\n";

// u is held: 2 (1 - exp(-t/0.3)) and 2 t up to 0.7, whatever the step; t is sampled: h^2 (n-1) n/2.
TEST(filters_and_integrals_have_their_closed_forms)
{
    for (int k = 0; schemes[k]; k++) {
        robot_text r = read_yaml(ball);
        if (CHECK(r.model)) {
            CHECK_NEAR(reading(&r, "slow"), 0.0, 0.0);
            advance(&r, schemes[k], 0.01, 20);
            CHECK_NEAR(reading(&r, "slow"), 2.0 * (1.0 - exp(-0.2 / 0.3)), 1e-14);
            CHECK_NEAR(reading(&r, "sum"), 0.4, 1e-14);
            CHECK_NEAR(reading(&r, "ramp"), 1e-4 * 190.0, 1e-14);
            advance(&r, schemes[k], 0.04, 5);
            CHECK_NEAR(reading(&r, "slow"), 2.0 * (1.0 - exp(-0.4 / 0.3)), 1e-14);
            CHECK_NEAR(reading(&r, "sum"), 0.7, 0.0);
        }
        robot_text_done(&r);
    }
}

// Their memory is part of the state: a copy goes on as the original does.
TEST(memory_belongs_to_the_state)
{
    robot_text r = read_yaml(ball);
    if (CHECK(r.model)) {
        advance(&r, "rattlie", 0.01, 7);
        ph_state *original = r.state, *copy = ph_state_create(r.model);
        CHECK(ph_state_copy(copy, original) == PH_OK);
        advance(&r, "rattlie", 0.01, 9);
        const double expected = reading(&r, "slow");
        r.state = copy;
        advance(&r, "rattlie", 0.01, 9);
        CHECK_NEAR(reading(&r, "slow"), expected, 0.0);
        CHECK_NEAR(ph_state_positions(copy)[0].x, ph_state_positions(original)[0].x, 0.0);
        ph_state_destroy(original);
    }
    robot_text_done(&r);
}

TEST(written_and_read_they_are_the_same)
{
    robot_text r = read_yaml(ball);
    const char *text = NULL;
    if (CHECK(r.model) && CHECK(ph_spec_write_text(r.spec, PH_MODEL_YAML, &text, NULL) == PH_OK)) {
        robot_text again = read_yaml(text);
        if (CHECK(again.model)) {
            advance(&r, "rattlie", 0.01, 50);
            advance(&again, "rattlie", 0.01, 50);
            CHECK_NEAR(reading(&again, "slow"), reading(&r, "slow"), 0.0);
            CHECK_NEAR(reading(&again, "sum"), 0.7, 0.0);
        }
        robot_text_done(&again);
    }
    robot_text_done(&r);
}

// d.act of MuJoCo 4.0 after 800 steps of 1 ms is 0.99999989 0.3 0.69976518 0.5 for these controls. qpos are those it goes to with
// smaller steps (1e-5 s): both engines hold activations over a step, so that they differ by it.
TEST(activations_of_actuators_are_those_of_mujoco)
{
    if (!robot_text_supported()) SKIP("without expat");
    static const char text[] = MJCF(
        "<option><flag gravity='disable' contact='disable'/></option><worldbody>"
        "<body name='a'><joint name='ja' type='slide' axis='1 0 0'/><geom size='.1' mass='1'/></body>"
        "<body name='b' pos='0 1 0'><joint name='jb' type='slide' axis='1 0 0' damping='1'/><geom size='.1' mass='2'/></body>"
        "<body name='d' pos='0 3 0'><joint name='jd' type='slide' axis='1 0 0'/><geom size='.1' mass='1'/></body></worldbody>"
        "<actuator><general name='fa' joint='ja' dyntype='filterexact' dynprm='.05' gainprm='3' ctrlrange='-1 1'/>"
        "<intvelocity name='fb' joint='jb' kp='20' kv='2' actrange='-.3 .3'/>"
        "<general name='fd' joint='jd' dyntype='filter' dynprm='.2' gaintype='affine' gainprm='1 2 -.5' biastype='affine' "
        "biasprm='.1 -3 -.2' gear='1.5' actrange='0 .5'/></actuator>");
    const ph_setting controls[] = {{"fa", "2"}, {"fb", "0.5"}, {"fd", "0.9"}};
    for (int k = 0; schemes[k]; k++) {
        robot_text r = robot_text_read(text, controls, 3);
        if (CHECK(r.model)) {
            advance(&r, schemes[k], 1e-4, 8000);
            CHECK_NEAR(reading(&r, "fa_activation"), 0.99999989, 1e-8);
            CHECK_NEAR(reading(&r, "fb_activation"), 0.3, 0.0);
            CHECK_NEAR(reading(&r, "fd_activation"), 0.5, 0.0);
            CHECK_NEAR(ph_state_positions(r.state)[0].x, 0.8475, 2e-4);
            CHECK_NEAR(ph_state_positions(r.state)[1].x, 0.23693129, 2e-4);
            CHECK_NEAR(ph_state_positions(r.state)[2].x, 0.16037347, 2e-4);
            CHECK(!robot_text_said(&r, PH_WARNING, "activation"));
        }
        robot_text_done(&r);
    }
}
