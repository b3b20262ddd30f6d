// Symmetric multistep schemes: what stays in the state between steps, the first steps, long runs, work, and what is refused.
#include "rig.h"

#include "math/vec3.h"
#include "model/state.h"
#include "scenes.h"
#include "text_model.h"

#include <string.h>

static double distance(const ph_state *a, const ph_state *b)
{
    double worst = 0.0;
    for (int i = 0; i < a->model->body_count; i++) {
        worst = fmax(worst, ph_norm(ph_sub(a->position[i], b->position[i])));
        worst = fmax(worst, ph_norm(ph_sub(a->velocity[i], b->velocity[i])));
    }
    return worst;
}

// The state after a time, from dop853 at the smallest tolerance.
static ph_state *exact_end(const ph_model *model, double until)
{
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    ph_state *state = ph_state_create(model);
    def.scheme = "dop853:rtol=1e-13,atol=1e-14";
    CHECK_EQ_INT(ph_sim_create(model, &def, &sim, NULL), PH_OK);
    CHECK_EQ_INT(ph_sim_step(sim, state, until, NULL), PH_OK);
    ph_sim_destroy(sim);
    return state;
}

static const char *const both[] = {"multistep6", "multistep8"};

// A motor that prescribes an angle, one that turns by speed, a torque in time, springs: forces by places and time only.
static const char driven[] =
    "polhode: 1\n"
    "inputs: {u: 2.0}\n"
    "bodies:\n"
    "  - {name: a, mass: 1.0, inertia: [0.1, 0.2, 0.15], position: [0, 0.5, 0]}\n"
    "  - {name: b, mass: 0.8, inertia: [0.1, 0.1, 0.05], position: [0, 1.4, 0.1]}\n"
    "  - {name: c, mass: 0.5, inertia: [0.05, 0.1, 0.1], position: [0.2, 2.1, 0]}\n"
    "joints:\n"
    "  - {name: A, type: revolute, bodies: [world, a], anchor: [0, 0, 0], axis: [1, 0, 0], motor: {position: 0.3*(1-cos(2*t))}}\n"
    "  - {name: B, type: revolute, bodies: [a, b], anchor: [0, 1, 0], axis: [0, 0, 1], motor: {torque: u*cos(3*t)}}\n"
    "  - {name: C, type: ball, bodies: [b, c], anchor: [0, 1.8, 0]}\n"
    "forces:\n"
    "  - {type: spring, bodies: [a, c], stiffness: 30, length: 1}\n";

static ph_model *driven_model(void)
{
    return text_model(driven);
}

static ph_model *chain_model(void)
{
    return scene_chain(3);
}

// Velocities are left out in between; the motion is the same.
TEST(many_steps_in_one_call_are_single_steps)
{
    for (int k = 0; k < 2; k++) {
        rig many = rig_open(chain_model(), both[k]), one = rig_open(chain_model(), both[k]);
        CHECK_EQ_INT(ph_sim_advance(many.sim, many.state, 2e-3, 300, NULL), PH_OK);
        rig_step(&one, 2e-3, 300);
        CHECK_NEAR(distance(many.state, one.state), 0.0, 1e-11);
        CHECK(many.state->time == one.state->time);
        ph_step_report report;
        CHECK_EQ_INT(ph_sim_advance(many.sim, many.state, 1e-3, 3, &report), PH_OK);
        CHECK(report.steps == 3 && report.inner_steps == 0);
        rig_close(&many);
        rig_close(&one);
    }
}

// Each end is as near to the motion as the order says: a jump of step or inputs costs no digits.
TEST(a_changed_step_starts_anew)
{
    for (int k = 0; k < 2; k++) {
        rig r = rig_open(chain_model(), both[k]);
        rig_step(&r, 1e-3, 100);
        rig_step(&r, 1.5e-3, 100);
        rig_step(&r, 0.7e-3, 3);
        ph_state *end = exact_end(r.model, 0.2521);
        CHECK_NEAR(r.state->time, 0.2521, 1e-15);
        CHECK_NEAR(distance(r.state, end), 0.0, 1e-9);
        ph_state_destroy(end);
        rig_close(&r);
    }
}

TEST(changed_inputs_and_edited_states_start_anew)
{
    NEEDS_YAML;
    for (int k = 0; k < 2; k++) {
        rig r = rig_open(driven_model(), both[k]), other = rig_open(driven_model(), "dop853:rtol=1e-13,atol=1e-14");
        for (int part = 0; part < 3; part++) {
            ph_state_inputs(r.state)[0] = ph_state_inputs(other.state)[0] = 1.0 + part;
            rig_step(&r, 1e-3, 150);
            rig_step(&other, 1e-3, 150);
        }
        CHECK_NEAR(distance(r.state, other.state), 0.0, 1e-8);
        rig_close(&r);
        rig_close(&other);
    }
}

static const char sprung[] =
    "polhode: 1\nbodies: [{name: a, mass: 1, inertia: [1, 2, 2.5], angular_velocity: [1, 2, 0]}]\n"
    "forces: [{type: spring, bodies: [world, a], point_a: [0, 0, 2], point_b: [0.3, 0, 0],"
    " stiffness: 40, length: 1}]\n";

TEST(an_edited_state_starts_anew)
{
    NEEDS_YAML;
    for (int k = 0; k < 2; k++) {
        rig r = rig_open(text_model(sprung), both[k]),
            other = rig_open(text_model(sprung), "dop853:rtol=1e-13,atol=1e-14");
        rig *const rigs[] = {&r, &other};
        for (int i = 0; i < 2; i++) {
            rig_step(rigs[i], 2e-3, 100);
            ph_state_velocities(rigs[i]->state)[0].x += 0.5;
            ph_state_touch(rigs[i]->state);
            rig_step(rigs[i], 2e-3, 100);
        }
        CHECK_NEAR(distance(r.state, other.state), 0.0, 1e-8);
        rig_close(&r);
        rig_close(&other);
    }
}

// T + U - W stays, with prescribed motion, torque and springs, to the order of the scheme.
TEST(the_balance_of_energy_closes)
{
    NEEDS_YAML;
    for (int k = 0; k < 2; k++) {
        rig r = rig_open(driven_model(), both[k]);
        ph_state *end = exact_end(r.model, 1.0);
        const double start = rig_measure(&r).total;
        double worst = 0.0;
        for (int i = 0; i < 1000; i++) {
            rig_step(&r, 1e-3, 1);
            worst = fmax(worst, fabs(rig_measure(&r).total - start));
        }
        CHECK_NEAR(worst, 0.0, 1e-7);
        CHECK_NEAR(distance(r.state, end), 0.0, 1e-8);
        CHECK_NEAR(r.state->work, end->work, 1e-7);
        CHECK(fabs(end->work) > 0.1);
        ph_state_destroy(end);
        rig_close(&r);
    }
}

// Loops with rows that say again what others do.
TEST(redundant_loops_stay_closed)
{
    NEEDS_YAML;
    static const char *const files[] = {"benchmarks/bricard.yaml", "four_bar.yaml", "slider_crank.yaml"};
    for (int f = 0; f < 3; f++)
        for (int k = 0; k < 2; k++) {
            rig r = rig_open(rig_example(files[f]), both[k]);
            ph_state *end = exact_end(r.model, 0.5);
            double worst = 0.0;
            for (int i = 0; i < 2000; i++) {
                rig_step(&r, 2.5e-4, 1);
                worst = fmax(worst, rig_measure(&r).position_violation);
            }
            CHECK_NEAR(worst, 0.0, 1e-13);
            CHECK_NEAR(distance(r.state, end), 0.0, 1e-7);
            ph_state_destroy(end);
            rig_close(&r);
        }
}

// Largest energy error within a part of a run.
static double energy_error(rig *r, double start, int steps)
{
    double worst = 0.0;
    for (int i = 0; i < steps; i++) {
        rig_step(r, 2e-3, 1);
        worst = fmax(worst, fabs(rig_measure(r).total - start));
    }
    return worst;
}

// 10^5 steps, of rattlie's error with the same step (0.31 J) nothing is left, and it does not grow.
TEST(energy_does_not_drift)
{
    NEEDS_YAML;
    for (int k = 0; k < 2; k++) {
        rig r = rig_open(rig_example("double_pendulum.yaml"), both[k]);
        const double start = rig_measure(&r).total, first = energy_error(&r, start, 50000);
        const double last = energy_error(&r, start, 50000);
        CHECK(first < 0.05 && last < 0.05);
        rig_close(&r);
    }
}

// A spinning top turns faster than the method follows: dop853 makes the steps, and beyond its part they are refused.
TEST(fast_turns_are_followed_or_refused)
{
    NEEDS_YAML;
    for (int k = 0; k < 2; k++) {
        ph_step_report report;
        rig r = rig_open(rig_example("heavy_top.yaml"), both[k]);
        ph_state *end = exact_end(r.model, 0.2), *before = ph_state_create(r.model);
        rig_step(&r, 2e-3, 100); // 0.3 rad a step
        CHECK_NEAR(distance(r.state, end), 0.0, k ? 1e-5 : 1e-3);
        ph_state_copy(before, r.state);
        CHECK_EQ_INT(ph_sim_step(r.sim, r.state, 8e-3, &report), PH_NO_CONVERGENCE);
        CHECK(distance(before, r.state) == 0.0 && before->time == r.state->time);
        CHECK(report.advice && strstr(report.advice, "|omega| h = 1.2") && strstr(report.advice, both[k]));
        ph_state_destroy(end);
        ph_state_destroy(before);
        rig_close(&r);
    }
}

static bool refuses(const char *text, const char *scheme, const char *words)
{
    ph_model *model = text_model(text);
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    ph_error error = {.text = ""};
    def.scheme = scheme;
    const bool refused = ph_sim_create(model, &def, &sim, &error) == PH_NOT_SUPPORTED && strstr(error.text, words);
    if (!refused) printf("  %s: %s\n", scheme, error.text);
    ph_sim_destroy(sim);
    ph_model_destroy(model);
    return refused;
}

TEST(what_depends_on_velocities_is_refused_by_name)
{
    NEEDS_YAML;
    static const char head[] = "polhode: 1\nbodies: [{name: a, mass: 1, inertia: [1, 1, 1], position: [0, 0, 1]}]\n";
    static const char *const tails[][2] = {
        {"joints: [{name: H, type: revolute, bodies: [world, a], anchor: [0, 0, 0], axis: [1, 0, 0], damping: 1}]\n",
         "'H'"},
        {"forces: [{name: shock, type: spring, bodies: [world, a], stiffness: 1, damping: 1}]\n", "'shock'"},
        {"joints: [{name: H, type: revolute, bodies: [world, a], anchor: [0, 0, 0], axis: [1, 0, 0],"
         " motor: {position: 0, kp: 1, kd: 1}}]\n",
         "'H'"},
    };
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            char text[600];
            snprintf(text, sizeof text, "%s%s", head, tails[i][0]);
            CHECK(refuses(text, both[k], tails[i][1]));
        }
}
