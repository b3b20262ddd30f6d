// MJCF: what a robot file means. Expected numbers are closed forms, or what MuJoCo 4.0 makes of the same text (named so).

#include "test.h"

#include "model/spec.h"
#include "polhode/polhode.h"
#include "robot_text.h"

#include <math.h>
#include <string.h>

#define WRAP(text) "<mujoco>" text "</mujoco>"

typedef struct reading {
    ph_problems *problems;
    ph_spec *spec;
    ph_model *model;
} reading;

static reading read_with(const char *text, const ph_setting *settings, int count)
{
    reading r = {.problems = ph_problems_create()};
    if (ph_spec_read_text(text, strlen(text), "robot.xml", settings, count, r.problems, &r.spec) == PH_OK) {
        ph_model_compile(r.spec, r.problems, &r.model);
    }
    return r;
}

static reading read_robot(const char *text)
{
    return read_with(text, NULL, 0);
}

static void done(reading *r)
{
    ph_model_destroy(r->model);
    ph_spec_destroy(r->spec);
    ph_problems_destroy(r->problems);
}

// A problem of that severity whose text contains `words`; NULL: none.
static const ph_problem *said(const reading *r, ph_severity severity, const char *words)
{
    for (int i = 0; i < ph_problems_count(r->problems); i++) {
        const ph_problem *p = ph_problems_get(r->problems, i);
        if (p->severity == severity && strstr(p->text, words)) {
            return p;
        }
    }
    return NULL;
}

// ---- The base -------------------------------------------------------------------------------------------------------------

TEST(a_free_base_can_be_held)
{
    if (!supported()) SKIP("without expat");
    static const char text[] = WRAP(
        "<worldbody><body name='base'><freejoint/><geom size='.1'/><body name='arm' pos='0 0 1'><joint name='h' axis='1 0 0'/>"
        "<geom size='.1' pos='0 1 0'/></body></body></worldbody><keyframe><key name='k' qpos='0 0 0 1 0 0 0 1'/></keyframe>");
    const ph_setting held[] = {{".base", "fixed"}};
    reading as_is = read_robot(text), fixed = read_with(text, held, 1);
    if (CHECK(as_is.model) && CHECK(fixed.model)) {
        CHECK_EQ_INT(ph_model_freedoms(as_is.model), 7);
        CHECK_EQ_INT(ph_model_freedoms(fixed.model), 1);
        CHECK(said(&fixed, PH_NOTE, "keyframes"));
    }
    done(&as_is);
    done(&fixed);
}

// ---- Masses ---------------------------------------------------------------------------------------------------------------

static ph_body_info only_body(const char *text)
{
    reading r = read_robot(text);
    ph_body_info info = {0};
    if (CHECK(r.model)) {
        info = ph_model_body(r.model, 0);
        info.name = NULL;
    }
    done(&r);
    return info;
}

TEST(primitive_masses_have_density_1000)
{
    if (!supported()) SKIP("built without expat");
    const double pi = acos(-1.0), r = 0.1, h = 0.25;
    const ph_body_info s = only_body(WRAP("<worldbody><body><freejoint/><geom size='.1'/></body></worldbody>"));
    CHECK_REL(s.mass, 1000 * 4.0 / 3.0 * pi * r * r * r, 1e-14);
    CHECK_REL(s.inertia.m[0][0], 0.4 * s.mass * r * r, 1e-14);
    const ph_body_info c =
        only_body(WRAP("<worldbody><body><freejoint/><geom type='capsule' size='.1 .25'/></body></worldbody>"));
    CHECK_REL(c.mass, 1000 * pi * r * r * (2 * h + 4 * r / 3), 1e-14);
    const ph_body_info b =
        only_body(WRAP("<worldbody><body><freejoint/><geom type='box' size='.1 .2 .3' mass='6'/></body></worldbody>"));
    CHECK_REL(b.mass, 6.0, 1e-15);
    CHECK_REL(b.inertia.m[2][2], 6.0 / 3.0 * (0.01 + 0.04), 1e-14);
}

TEST(capsule_from_two_points_is_the_same_capsule)
{
    if (!supported()) SKIP("built without expat");
    const ph_body_info a = only_body(WRAP(
        "<worldbody><body><freejoint/><geom type='capsule' size='.1' fromto='1 0 0 1.5 0 0'/></body></worldbody>"));
    const ph_body_info b =
        only_body(WRAP("<worldbody><body><freejoint/>"
                       "<geom type='capsule' size='.1 .25' pos='1.25 0 0' zaxis='1 0 0'/></body></worldbody>"));
    CHECK_REL(a.mass, b.mass, 1e-14);
    CHECK_NEAR(a.com.x, 1.25, 1e-14);
    CHECK_REL(a.inertia.m[1][1], b.inertia.m[1][1], 1e-13);
    CHECK(a.inertia.m[0][0] < a.inertia.m[1][1]);
}

TEST(fixed_bodies_are_part_of_what_carries_them)
{
    if (!supported()) SKIP("built without expat");
    reading r = read_robot(WRAP("<worldbody><body name='a'><freejoint/><geom size='.1' mass='2'/>"
                                "<body name='b' pos='0 0 1'><geom size='.1' mass='2'/></body></body></worldbody>"));
    if (CHECK(r.model)) {
        const ph_body_info a = ph_model_body(r.model, 0);
        CHECK_EQ_INT(ph_model_bodies(r.model), 1);
        CHECK_REL(a.mass, 4.0, 1e-15);
        CHECK_NEAR(a.com.z, 0.5, 1e-15);
        CHECK_REL(a.inertia.m[0][0], 2 * (0.4 * 2 * 0.01) + 1.0, 1e-14);
        CHECK(said(&r, PH_NOTE, "part of what carries them"));
    }
    done(&r);
}

TEST(classes_give_what_elements_leave_out)
{
    if (!supported()) SKIP("built without expat");
    reading r = read_robot(WRAP(
        "<default><geom size='.1' mass='1'/><default class='heavy'><geom mass='3'/></default></default>"
        "<worldbody><body name='a'><freejoint/><geom/></body>"
        "<body name='b' pos='1 0 0' childclass='heavy'><freejoint/><geom/></body>"
        "<body name='c' pos='2 0 0' childclass='heavy'><freejoint/><geom class='main' mass='5'/></body></worldbody>"));
    if (CHECK(r.model)) {
        CHECK_NEAR(ph_model_body(r.model, 0).mass, 1.0, 1e-15);
        CHECK_NEAR(ph_model_body(r.model, 1).mass, 3.0, 1e-15);
        CHECK_NEAR(ph_model_body(r.model, 2).mass, 5.0, 1e-15);
    }
    done(&r);
}

// ---- Joints ---------------------------------------------------------------------------------------------------------------

// A rod on a hinge at angle 0.3 falls with M q'' = -m g l sin ... ; here alpha = m g l cos(q) / (J + m l^2 + armature).
TEST(hinge_falls_with_its_armature)
{
    if (!supported()) SKIP("built without expat");
    reading r = read_robot(
        WRAP("<compiler angle='radian'/><worldbody><body name='rod'><joint name='h' axis='0 1 0' armature='.5'/>"
             "<inertial pos='1 0 0' mass='2' diaginertia='.1 .2 .2'/></body></worldbody>"));
    ph_state *state = r.model ? ph_state_create(r.model) : NULL;
    ph_observer *observer = NULL;
    ph_twist a[1];
    if (CHECK(state) && CHECK_EQ_INT(ph_observer_create(r.model, &observer), PH_OK) &&
        CHECK_EQ_INT(ph_observer_dynamics(observer, state, a, NULL), PH_OK)) {
        CHECK_REL(a[0].omega.y, 2 * 9.81 / (0.2 + 2.0 + 0.5), 1e-13);
    }
    ph_observer_destroy(observer);
    ph_state_destroy(state);
    done(&r);
}

TEST(degrees_are_the_default_for_hinges_only)
{
    if (!supported()) SKIP("built without expat");
    reading r = read_robot(
        WRAP("<worldbody><body name='a' euler='0 0 90'><joint name='h' ref='90'/><geom size='.1'/>"
             "<body name='b'><joint name='s' type='slide' ref='90'/><geom size='.1'/></body></body></worldbody>"));
    ph_state *state = r.model ? ph_state_create(r.model) : NULL;
    ph_observer *observer = NULL;
    if (CHECK(state) && CHECK_EQ_INT(ph_observer_create(r.model, &observer), PH_OK)) {
        double q;
        ph_observer_joint(observer, state, 0, &q, NULL);
        CHECK_NEAR(q, acos(-1.0) / 2, 1e-15);
        ph_observer_joint(observer, state, 1, &q, NULL);
        CHECK_NEAR(q, 90.0, 1e-13);
        CHECK_NEAR(ph_state_orientations(state)[0].z, sqrt(0.5), 1e-15);
    }
    ph_observer_destroy(observer);
    ph_state_destroy(state);
    done(&r);
}

TEST(replicas_lie_where_their_frames_lead)
{
    if (!supported()) SKIP("built without expat");
    reading r = read_robot(
        WRAP("<worldbody><frame pos='0 0 1'><replicate count='3' offset='1 0 0' sep='-'>"
             "<body name='b' pos='0 2 0'><freejoint/><geom size='.1'/></body></replicate></frame></worldbody>"));
    ph_state *state = r.model ? ph_state_create(r.model) : NULL;
    if (CHECK(state) && CHECK_EQ_INT(ph_model_bodies(r.model), 3)) {
        const ph_vec3 x = ph_state_positions(state)[2];
        CHECK_NEAR(x.x, 2.0, 1e-15);
        CHECK_NEAR(x.y, 2.0, 1e-15);
        CHECK_NEAR(x.z, 1.0, 1e-15);
        CHECK_STR(ph_model_body(r.model, 2).name, "b-2");
    }
    ph_state_destroy(state);
    done(&r);
}

// ---- Honesty --------------------------------------------------------------------------------------------------------------

TEST(typing_errors_have_a_place_and_a_hint)
{
    if (!supported()) SKIP("built without expat");
    reading r = read_robot(
        "<mujoco>\n  <worldbody>\n    <body><freejoint/><geom sise='.1'/></body>\n  </worldbody>\n</mujoco>");
    const ph_problem *p = said(&r, PH_ERROR, "no attribute 'sise'");
    CHECK(!r.model);
    if (CHECK(p)) {
        CHECK_EQ_INT(p->line, 3);
        CHECK_EQ_INT(p->column, 29);
        CHECK_STR(p->hint, "did you mean 'size'?");
    }
    done(&r);
}

TEST(strict_refuses_what_is_approximated)
{
    if (!supported()) SKIP("built without expat");
    const char *text =
        WRAP("<worldbody><body name='a'><joint name='h' range='-10 10'/><geom size='.1'/></body></worldbody>");
    const ph_setting strict = {".strict", "true"};
    reading r = read_robot(text);
    CHECK(r.model);
    CHECK(said(&r, PH_WARNING, "limits of joints are soft"));
    done(&r);
    r = read_with(text, &strict, 1);
    CHECK(!r.model);
    CHECK(said(&r, PH_ERROR, "limits of joints are soft"));
    done(&r);
}

TEST(entities_and_far_files_are_refused)
{
    if (!supported()) SKIP("built without expat");
    reading r = read_robot("<!DOCTYPE a [<!ENTITY b 'c'>]><mujoco/>");
    CHECK(said(&r, PH_ERROR, "document type"));
    done(&r);
    r = read_robot(WRAP("<include file='/etc/passwd'/>"));
    CHECK(said(&r, PH_ERROR, "outside of the folders of the robot"));
    done(&r);
    r = read_robot("<mujoco><worldbody></mujoco>");
    CHECK(said(&r, PH_ERROR, "mismatched tag"));
    done(&r);
}

TEST(written_as_yaml_it_is_the_same_model)
{
    if (!supported()) SKIP("built without expat");
    reading r = read_robot(WRAP(
        "<worldbody><body name='a' pos='.1 .2 .3'><joint name='h' damping='.3'/><geom size='.1'/></body></worldbody>"
        "<actuator><position joint='h' kp='7' ctrlrange='-1 1'/></actuator>"));
    const char *text = NULL;
    if (CHECK(r.spec) && CHECK_EQ_INT(ph_spec_write_text(r.spec, PH_MODEL_YAML, &text, NULL), PH_OK)) {
        reading again = read_with(text, NULL, 0);
        const char *twice = NULL;
        if (CHECK(again.spec) && CHECK_EQ_INT(ph_spec_write_text(again.spec, PH_MODEL_YAML, &twice, NULL), PH_OK)) {
            CHECK_STR(twice, text);
        }
        done(&again);
    }
    done(&r);
}

// ---- Keyframes and what is not read -----------------------------------------------------------------------------------------

TEST(keyframes_have_controls)
{
    if (!supported()) SKIP("without expat");
    static const char text[] = WRAP(
        "<worldbody><body><joint name='h' axis='1 0 0'/><geom size='.1' pos='0 1 0'/></body></worldbody><actuator><muscle "
        "joint='h'/><motor name='m' joint='h'/></actuator><keyframe><key name='k' qpos='.5' ctrl='.3 .7'/></keyframe>");
    const ph_setting start[] = {{".keyframe", "k"}};
    reading r = read_with(text, start, 1);
    ph_state *state = r.model ? ph_state_create(r.model) : NULL;
    if (CHECK(state)) CHECK_NEAR(ph_state_inputs(state)[ph_model_find_input(r.model, "m")], 0.7, 0.0);
    ph_state_destroy(state);
    done(&r);
}

TEST(attributes_that_change_the_motion_are_not_ignored_silently)
{
    if (!supported()) SKIP("without expat");
    reading r = read_robot(WRAP(
        "<option><flag clampctrl='disable'/></option><worldbody><body><joint name='h' springyield='.1'/><geom size='.1' "
        "adhesion='3'/></body></worldbody><actuator><motor joint='h' delay='.1'/></actuator>"));
    CHECK(said(&r, PH_WARNING, "springs that yield"));
    CHECK(said(&r, PH_WARNING, "adhesion"));
    CHECK(said(&r, PH_WARNING, "delays"));
    CHECK(said(&r, PH_WARNING, "beyond their range"));
    CHECK(said(&r, PH_NOTE, "4 left out"));
    done(&r);
    reading neutral = read_robot(WRAP("<worldbody><body><joint springyield='0'/><geom size='.1'/></body></worldbody>"));
    CHECK(!said(&neutral, PH_WARNING, "yield"));
    done(&neutral);
}

TEST(what_is_welded_to_a_mocap_body_stays)
{
    if (!supported()) SKIP("built without expat");
    reading r = read_robot(WRAP(
        "<worldbody><body name='hand' pos='0 0 1'><freejoint/><geom size='.1'/></body><body name='m' mocap='true' pos='0 0 1'/>"
        "</worldbody><equality><weld body1='m' body2='hand'/></equality>"));
    if (CHECK(r.model)) CHECK_EQ_INT(ph_model_freedoms(r.model), 0);
    CHECK(said(&r, PH_NOTE, "mocap"));
    done(&r);
}

// Lengths .5 q_a + 2 q_b (two joints of one tendon), and 2 q_c = -3 q_d of two tendons: ratios -4 and -1.5.
TEST(equalities_of_tendons_couple_joints)
{
    if (!supported()) SKIP("built without expat");
    reading r = read_robot(WRAP(
        "<worldbody><body><joint name='a'/><geom size='.1'/><body><joint name='b'/><geom size='.1'/><body><joint name='c'/>"
        "<geom size='.1'/><body><joint name='d'/><geom size='.1'/></body></body></body></body></worldbody>"
        "<tendon><fixed name='ab'><joint joint='a' coef='.5'/><joint joint='b' coef='2'/></fixed><fixed name='c'><joint "
        "joint='c' coef='2'/></fixed><fixed name='d'><joint joint='d' coef='3'/></fixed><fixed name='abc'><joint joint='a' "
        "coef='1'/><joint joint='b' coef='1'/><joint joint='c' coef='1'/></fixed></tendon>"
        "<equality><tendon tendon1='ab'/><tendon tendon1='c' tendon2='d' polycoef='0 -1 0 0 0'/><tendon tendon1='abc'/>"
        "</equality>"));
    CHECK(said(&r, PH_WARNING, "more than two joints"));
    if (CHECK(r.model)) {
        CHECK_EQ_INT(ph_model_freedoms(r.model), 2);
        CHECK_NEAR(r.spec->joints[r.spec->joint_count - 2].ratio, -4.0, 1e-15);
        CHECK_NEAR(r.spec->joints[r.spec->joint_count - 1].ratio, -1.5, 1e-15);
    }
    done(&r);
}

// Each would be read as something else: degrees for radians, false for yes, the first of two.
TEST(what_could_be_taken_for_something_else_is_refused)
{
    if (!supported()) SKIP("built without expat");
    static const struct {
        const char *text, *says;
    } wrongs[] = {
        {"<mujoco><compiler angle='radians'/><worldbody/></mujoco>", "angle is one of: degree radian - not 'radians'"},
        {"<mujoco><worldbody><body><joint limited='yes' range='0 1'/><geom size='.1'/></body></worldbody></mujoco>",
         "limited is one of: false true auto - not 'yes'"},
        {"<mujoco><option><flag gravity='off'/></option><worldbody/></mujoco>",
         "gravity is one of: enable disable - not 'off'"},
        {"<mujoco><worldbody><body quat='1 1 0 0' euler='1 2 3'><joint/><geom size='.1'/></body></worldbody></mujoco>",
         "the orientation of <body> is given 2 times"},
        {"<mujoco><worldbody><body name='a'><joint/><geom size='.1'/></body><body name='a'><joint/><geom size='.1'/></body></worldbody></mujoco>",
         "there are two bodies named 'a'"},
        {"<mujoco><worldbody><body><joint name='a'/><geom size='.1'/></body><body><freejoint name='a'/><geom size='.1'/></body></worldbody></mujoco>",
         "there are two joints named 'a'"},
    };
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        reading r = read_robot(wrongs[i].text);
        CHECK(!r.model && said(&r, PH_ERROR, wrongs[i].says));
        done(&r);
    }
}
