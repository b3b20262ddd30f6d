// The robots of examples/robots do what their files say.

#include "rig.h"

#ifdef PH_WITH_YAML

// Where `body` is after `until` seconds; problems that missed the tolerance are counted.
static ph_vec3 place_after(const char *file, const char *body, double until, double *joints)
{
    char path[64];
    ph_error error = {0};
    ph_summary s = {0};
    snprintf(path, sizeof path, "robots/%s", file);
    ph_model *model = rig_example(path);
    ph_state *state = model ? ph_state_create(model) : NULL;
    ph_run_def def = ph_default_run();
    ph_vec3 at = {0};
    def.until = until;
    if (state && CHECK_EQ_INT(ph_run(model, state, &def, &s, &error), PH_OK))
        at = ph_state_positions(state)[ph_model_find_body(model, body)];
    *joints = s.position_violation_max;
    ph_state_destroy(state);
    ph_model_destroy(model);
    return at;
}

TEST(legged_robots_stay_on_their_feet)
{
    double joints;
    const ph_vec3 trunk = place_after("quadruped.yaml", "trunk", 3.0, &joints);
    CHECK(trunk.z > 0.25 && trunk.z < 0.4 && joints < 1e-14);
    const ph_vec3 torso = place_after("humanoid.yaml", "torso", 3.0, &joints);
    CHECK(torso.z > 1.25 && torso.z < 1.4 && joints < 1e-14);
    const ph_vec3 pelvis = place_after("biped.yaml", "pelvis", 3.0, &joints);
    CHECK(pelvis.z > 0.85 && pelvis.z < 0.95 && joints < 1e-13);
}

TEST(the_gripper_lifts_the_cube)
{
    double joints;
    const ph_vec3 cube = place_after("gripper.yaml", "cube", 5.0, &joints);
    CHECK(cube.z > 0.15 && fabs(cube.x) < 1e-3 && fabs(cube.y) < 1e-3);
}

TEST(the_vehicle_drives)
{
    double joints;
    const ph_vec3 chassis = place_after("vehicle.yaml", "chassis", 4.0, &joints);
    CHECK(chassis.x > 5.0 && chassis.z > 0.4 && chassis.z < 2.0);
}

TEST(the_excavator_keeps_its_loops)
{
    double joints;
    const ph_vec3 bucket = place_after("excavator.yaml", "bucket", 0.6, &joints);
    CHECK(bucket.z > 0.5 && joints < 1e-13);
}

#endif
