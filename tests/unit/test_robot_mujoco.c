// What single elements of MJCF mean: angular accelerations of the first body, in its axes, by MuJoCo 4.0 (mj_forward without
// constraints, mj_objectAcceleration).

#include "test.h"

#include "polhode/polhode.h"
#include "robot_text.h"

#include <math.h>
#include <string.h>

typedef struct meaning {
    const char *name, *text;
    ph_setting settings[3]; // controls, and rates at the start
    int count;
    double alpha[3];
} meaning;

static const meaning meanings[] = {
    {"a_mesh_is_shifted_then_turned_then_scaled",
     "<mujoco><compiler angle='radian'/><asset><mesh name='m' vertex='-.1 -.1 -.1  .3 -.1 -.1  -.1 .2 -.1 "
     " -.1 -.1 .25' face='0 2 1 0 1 3 0 3 2 1 2 3' inertia='exact' refpos='.1 .2 -.3' refquat='.5 .1 -.7 ."
     "3' scale='.7 -1.5 2'/></asset><worldbody><body name='b'><joint name='h' axis='1 2 3'/><geom type='me"
     "sh' mesh='m'/></body></worldbody></mujoco>",
     {{0}},
     0,
     {0.34286215516386392, 0.68572431032772785, 1.0285864654915917}},
    {"a_shell_of_points_is_that_of_their_hull",
     "<mujoco><compiler angle='radian'/><asset><mesh name='m' vertex='-.1 -.1 -.1  .3 -.1 -.1  -.1 .2 -.1 "
     " -.1 -.1 .25' inertia='shell'/></asset><worldbody><body name='b'><joint name='h' axis='1 2 3'/><geom"
     " type='mesh' mesh='m'/></body></worldbody></mujoco>",
     {{0}},
     0,
     {1.4662714202227485, 2.932542840445497, 4.398814260668245}},
    {"numbers_of_a_bias_need_its_type",
     "<mujoco><compiler angle='radian'/><default><general biasprm='1 2 3' gainprm='2 5 5'/></default><worl"
     "dbody><body name='b'><joint name='h' axis='1 0 0' ref='.4'/><geom size='.1' pos='0 1 0'/></body></wo"
     "rldbody><actuator><general name='a' joint='h'/></actuator></mujoco>",
     {{"a", "0.5"}},
     1,
     {-9.5331350451814334, 0, 0}},
    {"what_a_position_leaves_in_a_class_acts",
     "<mujoco><compiler angle='radian'/><default><position kp='7' kv='2'/></default><worldbody><body name="
     "'b'><joint name='h' axis='1 0 0' ref='.4'/><geom size='.1' pos='0 1 0'/></body></worldbody><actuator"
     "><general name='a' joint='h' gear='1.5'/></actuator></mujoco>",
     {{"a", "0.5"}, {"h.rate", "0.3"}},
     2,
     {-10.341591429413171, 0, 0}},
    {"what_an_actuator_turns_is_felt_by_its_joint",
     "<mujoco><compiler angle='radian'/><worldbody><body name='b'><joint name='h' axis='1 0 0' armature='."
     "2' springdamper='.5 .8' springref='.3'/><geom size='.1' pos='0 1 0'/></body></worldbody><actuator><m"
     "otor name='a' joint='h' gear='-3' armature='.1' damping='.4 .3 .2'/></actuator></mujoco>",
     {{"a", "0.5"}, {"h.rate", "-0.7"}},
     2,
     {-2.5121276713892411, 0, 0}},
    {"springs_and_dampers_have_higher_powers",
     "<mujoco><compiler angle='radian'/><worldbody><body name='b'><joint name='h' axis='1 0 0' stiffness='"
     "2 3 4' damping='.5 .6 .7' ref='.4' springref='-.5'/><geom size='.1' pos='0 1 0'/></body></worldbody>"
     "</mujoco>",
     {{"h.rate", "-0.7"}},
     1,
     {-11.25987899125569, 0, 0}},
    {"armature_of_a_free_body_has_no_weight",
     "<mujoco><compiler angle='radian'/><worldbody><body name='b'><joint type='free' armature='3'/><geom s"
     "ize='.1' pos='0 1 .2'/></body></worldbody></mujoco>",
     {{0}},
     0,
     {-3.5469169098365665, 0, 0}},
    {"armature_of_a_ball",
     "<mujoco><compiler angle='radian'/><worldbody><body name='b'><joint type='ball' armature='3' pos='.1 "
     "0 0'/><geom type='box' size='.1 .2 .3' pos='0 1 .2'/></body></worldbody></mujoco>",
     {{0}},
     0,
     {-8.479679989394997, -0.93384621606646512, -0.015769527245961534}},
    {"inertia_of_a_tendon_over_one_joint_is_its_own",
     "<mujoco><compiler angle='radian'/><worldbody><body name='b'><joint name='h' axis='1 0 0'/><geom size"
     "='.1' pos='0 1 0'/></body></worldbody><tendon><fixed armature='3'><joint joint='h' coef='-2'/></fixe"
     "d></tendon></mujoco>",
     {{0}},
     0,
     {-2.5356772007295576, 0, 0}},
    {"a_cylinder_has_an_area",
     "<mujoco><compiler angle='radian'/><worldbody><body name='b'><joint name='h' axis='1 0 0' ref='.3'/><"
     "geom size='.1' pos='0 1 0'/></body></worldbody><actuator><cylinder name='a' joint='h' diameter='.2' "
     "bias='1 2 3' timeconst='.1'/></actuator></mujoco>",
     {{"a", "0.5"}, {"h.rate", "0.4"}},
     2,
     {-9.1051287241175718, 0, 0}},
    {"turns_of_replicas_are_multiples_of_the_angles",
     "<mujoco><worldbody><body name='b'><joint name='h' axis='1 2 3'/><replicate count='4' offset='.1 .2 .3"
     "' euler='20 30 50'><geom type='box' size='.05 .1 .2' pos='.1 0 0'/></replicate></body></worldbody></m"
     "ujoco>",
     {{0}},
     0,
     {1.5548008791531553, 3.1096017583063107, 4.6644026374594665}},
    {"tendons_over_joints_may_rest_at_lengths_below_zero",
     "<mujoco><worldbody><body name='b'><joint name='h' axis='1 0 0'/><geom size='.1' pos='0 1 0'/></body><"
     "/worldbody><tendon><fixed stiffness='20' springlength='-.35'><joint joint='h' coef='.4'/></fixed></te"
     "ndon></mujoco>",
     {{0}},
     0,
     {-10.43670394520514, 0, 0}},
    {"replicas_have_classes",
     "<mujoco><default><default class='c'><geom density='100'/></default></default><worldbody><body name='b"
     "'><joint name='h' axis='1 2 3'/><geom size='.1'/><replicate count='2' childclass='c' offset='.2 .3 .1"
     "'><geom size='.1'/></replicate></body></worldbody></mujoco>",
     {{0}},
     0,
     {0.68987341772151711, 1.3797468354430342, 2.0696202531645511}},
    {"primitives_as_shells",
     "<mujoco><default><geom shellinertia='true' density='30'/></default><worldbody><body name='b'><joint n"
     "ame='h' axis='1 2 3'/><geom size='.1' pos='.3 0 0'/><geom type='capsule' size='.1 .3' pos='.1 .2 .3'/"
     "><geom type='cylinder' size='.2 .1' euler='10 20 30'/><geom type='box' size='.1 .2 .4' euler='40 10 3"
     "0'/></body></worldbody></mujoco>",
     {{0}},
     0,
     {0.42597435871148759, 0.85194871742297518, 1.2779230761344629}},
    {"an_ellipsoid_as_a_shell",
     "<mujoco><default><geom shellinertia='true' density='30'/></default><worldbody><body name='b'><joint n"
     "ame='h' axis='1 2 3'/><geom type='ellipsoid' size='.1 .2 .4' pos='.3 .1 0'/></body></worldbody></mujo"
     "co>",
     {{0}},
     0,
     {3.1909813222868499, 6.3819626445736999, 9.5729439668605494}},
    {"without_actuators_none_carries_weight",
     "<mujoco><worldbody><body name='b' gravcomp='.4'><joint name='h' axis='1 0 0' actuatorgravcomp='true'/"
     "><geom size='.1' pos='0 1 0'/></body></worldbody></mujoco>",
     {{0}},
     0,
     {-9.7709163346613561, 0, 0}},
    {"actuators_carry_weight",
     "<mujoco><worldbody><body name='b' gravcomp='.4'><joint name='h' axis='1 0 0' actuatorgravcomp='true'/"
     "><geom size='.1' pos='0 1 0'/></body></worldbody><actuator><motor joint='h'/></actuator></mujoco>",
     {{0}},
     0,
     {-5.8625498007968133, 0, 0}},
};

static void accelerate(const char *text, const ph_setting *settings, int count, ph_twist *a)
{
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL;
    ph_model *model = NULL;
    ph_state *state = NULL;
    ph_observer *observer = NULL;
    if (ph_spec_read_text(text, strlen(text), "robot.xml", settings, count, problems, &spec) == PH_OK &&
        ph_model_compile(spec, problems, &model) == PH_OK) {
        state = ph_state_create(model);
        ph_observer_create(model, &observer);
    }
    for (int i = 0; i < ph_problems_count(problems); i++) {
        const ph_problem *p = ph_problems_get(problems, i);
        CHECK(p->severity != PH_ERROR && (!strstr(p->text, "left out") || strstr(text, "muscle")));
    }
    if (CHECK(observer)) CHECK_EQ_INT(ph_observer_dynamics(observer, state, a, NULL), PH_OK);
    ph_observer_destroy(observer);
    ph_state_destroy(state);
    ph_model_destroy(model);
    ph_spec_destroy(spec);
    ph_problems_destroy(problems);
}

TEST(elements_mean_what_they_mean_in_mujoco)
{
    if (!supported()) SKIP("built without expat");
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++) {
        const meaning *m = &meanings[i];
        ph_twist a[8] = {0};
        accelerate(m->text, m->settings, m->count, a);
        // The reference has axes of meshes to 1e-7, and ellipsoids as shells by differences.
        const double loose = strstr(m->text, "mesh") || strstr(m->text, "ellipsoid") ? 1e-6 : 1e-11;
        const double size = sqrt(m->alpha[0] * m->alpha[0] + m->alpha[1] * m->alpha[1] + m->alpha[2] * m->alpha[2]);
        if (!CHECK_NEAR(a[0].omega.x, m->alpha[0], loose * size) ||
            !CHECK_NEAR(a[0].omega.y, m->alpha[1], loose * size) ||
            !CHECK_NEAR(a[0].omega.z, m->alpha[2], loose * size))
            printf("  %s\n", m->name);
    }
}

// A light body between heavy ones: their masses are 1000 times its own. The coordinates of the chain have no rows.
TEST(coordinates_without_rows_beside_a_light_body)
{
    if (!supported()) SKIP("built without expat");
    static const char text[] =
        "<mujoco><worldbody><body name='b0'><joint name='j2'/><geom size='.289857'/><geom size='.250391'/>"
        "<geom type='box' size='.079204 .260805 .0675157'/><body name='b2'><joint name='j3' type='ball'/>"
        "<geom size='.226753' pos='.289781 .339705 -.368256' mass='.173424'/><body name='b3'><joint name='j4'/>"
        "<joint name='j5' axis='.714653 -.180037 .431894'/><geom size='.177863'/></body></body></body></worldbody></mujoco>";
    ph_twist a[4] = {0};
    accelerate(text, NULL, 0, a);
    CHECK_NEAR(a[1].omega.x, -12.94636707, 1e-8);
    CHECK_NEAR(a[1].omega.y, 3.39098675, 1e-8);
    CHECK_NEAR(a[1].omega.z, 4.35277538, 1e-8);
}

// Its force is left out, what it turns is not: m g l over I + m l^2 and the geared armature.
TEST(armature_of_an_actuator_that_is_not_read)
{
    if (!supported()) SKIP("built without expat");
    static const char text[] =
        "<mujoco><worldbody><body name='b'><joint name='h' axis='1 0 0'/><geom size='.1' pos='0 1 0' mass='2'/></body></worldbody>"
        "<actuator><muscle joint='h' gear='3' armature='.5'/></actuator></mujoco>";
    ph_twist a[2] = {0};
    accelerate(text, NULL, 0, a);
    CHECK_REL(a[0].omega.x, -2.0 * 9.81 / (0.4 * 2.0 * 0.01 + 2.0 + 9.0 * 0.5), 1e-13);
}

// A bound of a joint on all that actuators make there is none on what comes through tendons and sites: that is said.
TEST(bounds_that_do_not_hold_are_named)
{
    if (!supported()) SKIP("built without expat");
    static const char *const texts[] = {
        "<mujoco><worldbody><body><joint name='h' actuatorfrcrange='-1 1'/><geom size='.1'/><site name='s'/></body></worldbody>"
        "<actuator><motor site='s' gear='1 0 0 0 0 0'/></actuator></mujoco>",
        "<mujoco><worldbody><body><joint name='h' actuatorfrcrange='-1 1'/><geom size='.1'/></body></worldbody>"
        "<tendon><fixed name='t'><joint joint='h' coef='1'/></fixed></tendon><actuator><motor tendon='t'/></actuator></mujoco>",
        "<mujoco><worldbody><body gravcomp='1'><joint name='h' actuatorfrcrange='-1 1' actuatorgravcomp='true'/><geom size='.1'/>"
        "</body></worldbody><actuator><motor joint='h'/></actuator></mujoco>",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ph_problems *problems = ph_problems_create();
        ph_spec *spec = NULL;
        bool said = false;
        CHECK_EQ_INT(ph_spec_read_text(texts[i], strlen(texts[i]), "robot.xml", NULL, 0, problems, &spec), PH_OK);
        for (int k = 0; k < ph_problems_count(problems); k++) {
            const ph_problem *p = ph_problems_get(problems, k);
            said |= p->severity == PH_WARNING && strstr(p->text, "actuatorfrcrange");
        }
        CHECK(said);
        ph_spec_destroy(spec);
        ph_problems_destroy(problems);
    }
}
