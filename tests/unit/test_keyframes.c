// States by name: keyframes of a model, read, written, entered.

#include "rig.h"

static const char *const legged =
    "polhode: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "inputs: {u: 0}\n"
    "bodies:\n"
    "  - {name: leg, mass: 1, inertia: [0.1, 0.1, 0.01], position: [0.3, 0, -0.5]}\n"
    "  - {name: trunk, mass: 10, inertia: [1, 1, 1], com: [0, 0, 0.1]}\n"
    "  - {name: foot, mass: 0.2, inertia: [0.01, 0.01, 0.01], position: [0.3, 0, -1]}\n"
    "joints:\n"
    "  - {name: hip, type: revolute, bodies: [trunk, leg], anchor: [0.3, 0, 0], axis: y}\n"
    "  - {name: ankle, type: universal, bodies: [foot, leg], anchor: [0.3, 0, -1], axis: x, axis2: y}\n"
    "keyframes:\n"
    "  - {name: home}\n"
    "  - name: kick\n"
    "    time: 2\n"
    "    joints: {hip: {coordinate: -0.7, rate: 3}, ankle: [0.2, null]}\n"
    "    bodies: {trunk: {position: [1, 2, 3], orientation: {axis: z, angle: pi/2}, velocity: [1, 0, 0]}}\n"
    "    inputs: {u: 5}\n"
    "  - {name: swing, joints: {hip: {rate: 1}}}\n";

static void check_kick(const rig *r)
{
    double q[2], rate[2];
    ph_observer_joint(r->observer, r->state, 0, q, rate);
    CHECK_NEAR(q[0], -0.7, 1e-14);
    CHECK_NEAR(rate[0], 3.0, 1e-13);
    ph_observer_joint(r->observer, r->state, 1, q, rate);
    CHECK_NEAR(q[0], 0.2, 1e-14);
    CHECK_NEAR(q[1], 0.0, 1e-14);
    CHECK_NEAR(rate[0], 0.0, 1e-13);
    CHECK_NEAR(rig_distance(rig_position(r, 1), (ph_vec3){1.0, 2.0, 3.1}), 0.0, 1e-14);
    CHECK_NEAR(rig_distance(ph_state_velocities(r->state)[1], (ph_vec3){1.0, 0.0, 0.0}), 0.0, 1e-14);
    CHECK_NEAR(rig_distance(ph_state_angular_velocities(r->state)[1], (ph_vec3){0}), 0.0, 1e-13);
    CHECK_NEAR(rig_measure(r).position_violation, 0.0, 1e-14);
    CHECK_NEAR(ph_state_inputs(r->state)[0], 5.0, 0.0);
    CHECK_NEAR(ph_state_time(r->state), 2.0, 0.0);
}

TEST(keyframes_are_states_by_name)
{
    NEEDS_YAML;
    ph_spec *spec = NULL, *again = NULL;
    const char *written = NULL;
    CHECK_EQ_INT(ph_spec_read_text(legged, strlen(legged), "m", NULL, 0, NULL, &spec), PH_OK);
    if (!CHECK(spec && ph_spec_write_text(spec, PH_MODEL_JSON, &written, NULL) == PH_OK)) return;
    CHECK_EQ_INT(ph_spec_read_text(written, strlen(written), "m", NULL, 0, NULL, &again), PH_OK);
    ph_spec *both[2] = {spec, again};
    for (int n = 0; n < 2; n++) {
        rig r = rig_build(both[n], "rattlie");
        CHECK_EQ_INT(ph_model_keyframes(r.model), 3);
        CHECK_STR(ph_model_keyframe(r.model, 1), "kick");
        CHECK(ph_model_keyframe(r.model, 3) == NULL);
        CHECK_EQ_INT(ph_model_find_keyframe(r.model, "kik"), PH_NONE);
        CHECK_EQ_INT(ph_state_set_keyframe(r.state, ph_model_find_keyframe(r.model, "kick")), PH_OK);
        check_kick(&r);
        rig_step(&r, 1e-3, 10);
        CHECK_EQ_INT(ph_state_set_keyframe(r.state, 0), PH_OK);
        CHECK_NEAR(rig_distance(rig_position(&r, 1), (ph_vec3){0.0, 0.0, 0.1}), 0.0, 1e-15);
        CHECK_EQ_INT(ph_state_set_keyframe(r.state, 3), PH_BAD_ARGUMENT);
        rig_close(&r);
    }
}

TEST(a_model_starts_in_a_keyframe)
{
    NEEDS_YAML;
    const ph_setting start = {".keyframe", "swing"}, late = {".keyframe", "kick"}, none = {".keyframe", "swim"};
    char text[1024] = "";
    ph_spec *spec = NULL;
    CHECK_EQ_INT(ph_spec_read_text(legged, strlen(legged), "m", &start, 1, NULL, &spec), PH_OK);
    rig r = rig_build(spec, "rattlie");
    double q, rate;
    ph_observer_joint(r.observer, r.state, 0, &q, &rate);
    CHECK_NEAR(rate, 1.0, 1e-14);
    CHECK_NEAR(rig_distance(ph_state_angular_velocities(r.state)[1], (ph_vec3){0}), 0.0, 0.0); // the trunk is heavier
    rig_close(&r);
    const ph_setting *wrong[2] = {&late, &none};
    for (int k = 0; k < 2; k++) {
        char hint[1024];
        CHECK_EQ_INT(ph_spec_read_text(legged, strlen(legged), "m", wrong[k], 1, NULL, &spec), PH_OK);
        CHECK_EQ_INT(rig_compile_and_tell(spec, text, sizeof text, hint), PH_BAD_MODEL);
        CHECK(strstr(text, k ? "there is no keyframe 'swim'" : "is at time 2") != NULL);
        CHECK(!k || strstr(hint, "did you mean 'swing'?"));
    }
}
