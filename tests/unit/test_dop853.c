// Steps of its own, dense output, and what stays in the state between two calls.

#include "rig.h"

#include "math/vec3.h"
#include "model/state.h"
#include "scenes.h"

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

// Output in between changes nothing but how the end is reached: by an interpolant, not by shorter steps.
TEST(output_costs_few_evaluations)
{
    rig often = rig_open(scene_chain(3), "dop853"), once = rig_open(scene_chain(3), "dop853");
    ph_step_report report;
    long long evaluations = 0, steps = 0;
    double violation = 0.0;
    for (int k = 0; k < 1000; k++) {
        CHECK_EQ_INT(ph_sim_step(often.sim, often.state, 1e-3, &report), PH_OK);
        evaluations += report.evaluations;
        steps += report.inner_steps;
        const ph_measures now = rig_measure(&often);
        violation = fmax(violation, fmax(now.position_violation, now.velocity_violation));
    }
    CHECK_EQ_INT(ph_sim_step(once.sim, once.state, 1.0, &report), PH_OK);
    CHECK(report.inner_steps > 10 && report.inner_steps < 100);
    CHECK(report.evaluations <= 12 * (report.inner_steps + report.rejections) + 2);
    CHECK(steps < report.inner_steps + 5);
    CHECK(evaluations < 16 * report.inner_steps + 100);
    CHECK(violation < 1e-13);
    CHECK_NEAR(distance(often.state, once.state), 0.0, 1e-7);
    CHECK(often.state->time == 1.0 && once.state->time == 1.0);
    rig_close(&often);
    rig_close(&once);
}

// ph_sim_advance looks at the end only.
TEST(many_steps_in_one_call_are_one_interval)
{
    rig many = rig_open(scene_chain(3), "dop853"), one = rig_open(scene_chain(3), "dop853");
    ph_step_report report;
    CHECK_EQ_INT(ph_sim_advance(many.sim, many.state, 1e-3, 500, &report), PH_OK);
    CHECK_EQ_INT(report.steps, 500);
    ph_sim_step(one.sim, one.state, 0.5, NULL);
    CHECK(distance(many.state, one.state) == 0.0 && many.state->time == 0.5);
    rig_close(&many);
    rig_close(&one);
}

// The step that was made beyond the state belongs to the inputs it was made with.
TEST(a_changed_input_acts_at_once)
{
    ph_model *model = scene_driven(1.0, PH_MOTOR_TORQUE, "u");
    rig r = rig_open(model, "dop853");
    ph_state *other = ph_state_create(model);
    for (int k = 0; k < 37; k++) ph_sim_step(r.sim, r.state, 1e-3, NULL);
    ph_state_inputs(r.state)[0] = -9.0;
    memcpy(other->position, r.state->position, sizeof(ph_vec3) * 2);
    memcpy(other->orientation, r.state->orientation, sizeof(ph_quat) * 2);
    memcpy(other->velocity, r.state->velocity, sizeof(ph_vec3) * 2);
    memcpy(other->angular_velocity, r.state->angular_velocity, sizeof(ph_vec3) * 2);
    ph_state_inputs(other)[0] = -9.0;
    ph_state_touch(other);
    ph_sim_step(r.sim, r.state, 0.2, NULL);
    ph_sim_step(r.sim, other, 0.2, NULL);
    CHECK_NEAR(distance(r.state, other), 0.0, 1e-9);
    ph_state_destroy(other);
    rig_close(&r);
}

TEST(backwards)
{
    rig r = rig_open(scene_chain(3), "dop853:rtol=1e-11");
    ph_state *start = ph_state_create(r.model);
    for (int k = 0; k < 200; k++) ph_sim_step(r.sim, r.state, 2e-3, NULL);
    for (int k = 0; k < 200; k++) ph_sim_step(r.sim, r.state, -2e-3, NULL);
    CHECK_NEAR(distance(start, r.state), 0.0, 1e-9);
    CHECK(r.state->time == 0.0);
    ph_state_destroy(start);
    rig_close(&r);
}

// Where no step is short enough the state stays where it was, and the expression that has no value is named.
TEST(a_force_without_end_is_reported)
{
    rig r = rig_open(scene_driven(1.0, PH_MOTOR_TORQUE, "u / (0.05 - t)^2"), "dop853");
    ph_step_report report;
    const ph_vec3 before = r.state->position[1];
    CHECK_EQ_INT(ph_sim_step(r.sim, r.state, 0.1, &report), PH_NOT_FINITE);
    CHECK(report.advice && report.rejections > 0 && report.time > 0.04 && report.time < 0.06);
    CHECK(r.state->time == 0.0 && memcmp(&before, &r.state->position[1], sizeof before) == 0);
    CHECK_EQ_INT(ph_sim_step(r.sim, r.state, 0.04, NULL), PH_OK);
    rig_close(&r);
}

// Angles count whole turns also where one interval of output has many of them.
TEST(turns_are_counted_in_long_intervals)
{
    ph_spec *spec = scene_start();
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, 0.0});
    ph_body_def rod = scene_rod("rod", (ph_vec3){0.0, 0.0, 0.0});
    rod.angular_velocity = (ph_vec3){20.0, 0.0, 0.0};
    const int body = ph_spec_add_body(spec, &rod);
    scene_axial(spec, "hinge", "revolute", PH_WORLD, body, (ph_vec3){0.0, 0.0, 0.0}, (ph_vec3){1.0, 0.0, 0.0});
    rig r = rig_build(spec, "dop853");
    CHECK_EQ_INT(ph_sim_step(r.sim, r.state, 5.0, NULL), PH_OK);
    CHECK_NEAR(r.state->turns[0], 100.0, 1e-6);
    rig_close(&r);
}
