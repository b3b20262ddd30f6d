// Units of what joints say go by what their coordinates are; numbers of a turn that look like degrees get a warning.

#include "test.h"

#include "polhode/io.h"

#ifdef PH_WITH_YAML

#define BODIES                                                                                                         \
    "polhode: 1\n"                                                                                                     \
    "bodies: [{name: a, mass: 1, inertia: [1, 1, 1]}]\n"

// The warnings that a model gets, all of which name degrees.
static int warnings_of(const char *text)
{
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL;
    CHECK_EQ_INT(ph_spec_read_text(text, strlen(text), "test.yaml", NULL, 0, problems, &spec), PH_OK);
    const int count = ph_problems_count(problems);
    for (int i = 0; i < count; i++) {
        CHECK(strstr(ph_problems_get(problems, i)->text, "radians: are degrees meant?"));
    }
    ph_spec_destroy(spec);
    ph_problems_destroy(problems);
    return count;
}

#define JOINT(keys) BODIES "joints: [{name: j, bodies: [world, a], anchor: [0, 0, 0], axis: z, " keys "}]\n"

TEST(whole_numbers_of_a_turn_may_be_degrees)
{
    CHECK_EQ_INT(warnings_of(JOINT("type: revolute, limits: [-45, 45], coordinate: 20, rest: 90")), 4);
    CHECK_EQ_INT(warnings_of(JOINT("type: revolute, motor: {position: 90, kp: 10, kd: 10, max: 50}")), 1);
    CHECK_EQ_INT(warnings_of(JOINT("type: cylindrical, coordinate: [20, 30]")), 1);
    CHECK_EQ_INT(warnings_of(JOINT("type: revolute") "keyframes: [{name: k, joints: {j: 30}}]\n"), 1);
}

TEST(other_numbers_are_what_they_are)
{
    CHECK_EQ_INT(warnings_of(JOINT("type: revolute, limits: [-45 deg, 1.5], rate: 30, stiffness: 20")), 0);
    CHECK_EQ_INT(warnings_of(JOINT("type: prismatic, limits: [-45, 45], coordinate: 20")), 0);
    CHECK_EQ_INT(warnings_of(JOINT("type: screw, pitch: 1 mm, coordinate: 100")), 0); // turns often
}

TEST(units_of_every_kind_of_joint)
{
    CHECK_EQ_INT(warnings_of(JOINT("type: revolute, rate: 30 rpm, stiffness: 3 N m/rad, damping: 1 N m s, friction: 2 "
                                   "N m, armature: 1 kg m^2, motor: {torque: 3 N m}")),
                 0);
    CHECK_EQ_INT(warnings_of(JOINT("type: prismatic, coordinate: 3 cm, rate: 30 mm/s, limits: [-1 m, null], stiffness: "
                                   "3 kN/m, damping: 1 N s/m, friction: 2 N, armature: 1 kg, motor: {speed: 3 cm/s}")),
                 0);
    CHECK_EQ_INT(warnings_of(JOINT("type: cylindrical, coordinate: [20 deg, 3 cm], rate: [3 rpm, 1 m/s]")), 0);
}

#else

TEST(joint_units)
{
    SKIP("built without YAML");
}

#endif
