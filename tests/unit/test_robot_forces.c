// Robots whose springs, dampers, tendons and actuators reach further than one joint; links without mass. Accelerations are those of
// MuJoCo 4.0 (mj_forward without constraints), or closed forms.

#include "test.h"

#include "polhode/polhode.h"
#include "robot_text.h"

#include <string.h>

typedef struct reading {
    ph_problems *problems;
    ph_spec *spec;
    ph_model *model;
    ph_state *state;
    ph_observer *observer;
} reading;

static reading read_robot(const char *text, const ph_setting *settings, int count)
{
    reading r = {.problems = ph_problems_create()};
    if (ph_spec_read_text(text, strlen(text), "robot.xml", settings, count, r.problems, &r.spec) == PH_OK &&
        ph_model_compile(r.spec, r.problems, &r.model) == PH_OK) {
        r.state = ph_state_create(r.model);
        ph_observer_create(r.model, &r.observer);
    }
    for (int i = 0; !r.state && i < ph_problems_count(r.problems); i++)
        printf("  %s\n", ph_problems_get(r.problems, i)->text);
    CHECK(r.state);
    return r;
}

static void done(reading *r)
{
    ph_observer_destroy(r->observer);
    ph_state_destroy(r->state);
    ph_model_destroy(r->model);
    ph_spec_destroy(r->spec);
    ph_problems_destroy(r->problems);
}

static bool said(const reading *r, ph_severity severity, const char *words)
{
    for (int i = 0; i < ph_problems_count(r->problems); i++) {
        const ph_problem *p = ph_problems_get(r->problems, i);
        if (p->severity == severity && strstr(p->text, words)) return true;
    }
    return false;
}

// ---- MJCF ---------------------------------------------------------------------------------------------------------------

static const char arm[] =
    "<mujoco>\n"
    "  <option density='1.2' viscosity='0.1'/>\n"
    "  <worldbody>\n"
    "    <site name='w' pos='0 0 1'/>\n"
    "    <body name='upper' pos='0 0 2'><joint name='a' axis='0 1 0' damping='0.1'/>\n"
    "      <geom type='capsule' size='.05' fromto='0 0 0 1 0 0' mass='1'/>\n"
    "      <body name='lower' pos='1 0 0'><joint name='b' axis='0 1 0' springdamper='0.1 0.7' springref='10'/>\n"
    "        <geom type='box' size='.2 .05 .03' pos='.25 0 .1' mass='0.5'/>\n"
    "        <body name='tip' pos='.5 0 .2'><joint type='ball' stiffness='3' damping='0.2'/>\n"
    "          <geom type='box' size='.03 .04 .1' pos='0.05 0 0.1' mass='0.2'/><site name='s' pos='0.1 0 0.2'/>\n"
    "        </body>\n"
    "      </body>\n"
    "    </body>\n"
    "  </worldbody>\n"
    "  <tendon>\n"
    "    <fixed name='sum' stiffness='3' damping='1'><joint joint='a' coef='2'/><joint joint='b' coef='-3'/></fixed>\n"
    "    <spatial name='cord' stiffness='20' springlength='0.1 0.5'><site site='w'/><site site='s'/></spatial>\n"
    "  </tendon>\n"
    "  <actuator>\n"
    "    <position name='p' joint='a' kp='10' dampratio='0.5'/>\n"
    "    <motor name='m' tendon='sum' gear='2'/>\n"
    "    <position name='winch' tendon='cord' kp='7' kv='1' gear='3'/>\n"
    "  </actuator>\n"
    "</mujoco>\n";

TEST(springs_tendons_and_actuators_act_as_in_mujoco)
{
    if (!supported()) SKIP("built without expat");
    const ph_setting inputs[] = {{"p", "0.3"}, {"m", "0.3"}, {"winch", "0.3"}};
    static const double alpha[3] = {-61.981057574328034, 1111.4386202083897, -7080.061826099212};
    static const double a_x[3] = {0.0, 111.14386202083907, -485.7184585682437};
    static const double a_z[3] = {30.99052878716401, -215.87859747776938, -139.73516122490634};
    reading r = read_robot(arm, inputs, 3);
    ph_twist a[4];
    if (r.state && CHECK_EQ_INT(ph_observer_dynamics(r.observer, r.state, a, NULL), PH_OK)) {
        for (int i = 0; i < 3; i++) {
            CHECK_REL(a[i].omega.y, alpha[i], 1e-11);
            CHECK_NEAR(a[i].v.x, a_x[i], 1e-8);
            CHECK_NEAR(a[i].v.z, a_z[i], 1e-8);
        }
    }
    CHECK(!said(&r, PH_WARNING, "left out"));
    done(&r);
}

TEST(sensors_are_those_of_the_model_language)
{
    if (!supported()) SKIP("built without expat");
    reading r = read_robot(
        "<mujoco><worldbody><body name='b' pos='1 2 3'><freejoint/><geom size='.1'/><site name='s' pos='0 0 .1'/>"
        "</body></worldbody><sensor><accelerometer name='acc' site='s'/><framepos name='where' objtype='site' "
        "objname='s'/><clock name='now'/><magnetometer site='s'/></sensor></mujoco>",
        NULL, 0);
    double v[7];
    if (r.model && CHECK_EQ_INT(ph_model_sensor_values(r.model), 7) &&
        CHECK_EQ_INT(ph_observer_sensors(r.observer, r.state, v), PH_OK)) {
        CHECK_NEAR(v[2], 0.0, 1e-14); // in free fall
        CHECK_NEAR(v[5], 3.1, 1e-15);
    }
    CHECK(said(&r, PH_NOTE, "magnetometer"));
    done(&r);
}

// Hinge, ball and free body where the keyframe has them.
TEST(robots_with_balls_start_in_keyframes)
{
    if (!supported()) SKIP("built without expat");
    const ph_setting start[] = {{".keyframe", "up"}};
    reading r = read_robot(
        "<mujoco><worldbody><body name='f' pos='1 2 3'><freejoint/><geom size='.1'/></body><body name='a' pos='0 0 1'>"
        "<joint axis='0 1 0'/><geom size='.1' pos='1 0 0'/><body name='b' pos='1 0 0'><joint type='ball'/><geom size='.1' "
        "pos='0 0 1'/></body></body></worldbody><keyframe><key name='up' qpos='4 5 6 1 0 0 0 -1.5707963267948966 0 1 0 0'/>"
        "</keyframe></mujoco>",
        start, 1);
    if (r.state) {
        const ph_vec3 *x = ph_state_positions(r.state);
        CHECK_NEAR(x[0].z, 6.0, 1e-15);
        CHECK_NEAR(x[1].z, 2.0, 1e-15); // a points up
        CHECK_NEAR(x[2].x, 1.0, 1e-15); // b: its z is -x of a, half a turn about x: -z of that
        CHECK_NEAR(x[2].z, 2.0, 1e-15);
    }
    done(&r);
}

// ---- URDF: links without mass ---------------------------------------------------------------------------------------------

#define ROD "<inertial><mass value='2'/><inertia ixx='1' iyy='2' izz='2.5' ixy='0' ixz='0' iyz='0'/></inertial>"
#define TURN(name, from, to, axis, xyz)                                                                                \
    "<joint name='" name "' type='continuous'><origin xyz='" xyz "'/><parent link='" from "'/><child link='" to        \
    "'/><axis xyz='" axis "'/></joint>"

TEST(turns_through_links_without_mass_are_one_joint)
{
    if (!supported()) SKIP("built without expat");
    reading r = read_robot("<robot name='r'><link name='world'/><link name='i'/><link name='j'/><link name='rod'>" ROD
                           "</link>" TURN("x", "world", "i", "1 0 0", "0 0 1") TURN("y", "i", "j", "0 1 0", "0 0 0")
                               TURN("z", "j", "rod", "0 0 1", "0 0 0") "</robot>",
                           NULL, 0);
    if (r.model) {
        CHECK_EQ_INT(ph_model_joints(r.model), 1);
        CHECK_STR(ph_model_joint(r.model, 0).type, "ball");
        CHECK_EQ_INT(ph_model_freedoms(r.model), 3);
    }
    done(&r);
}

// A hinge about y at the origin, then one about z 1 m out: the rod's mass swings about both.
TEST(two_turns_apart_are_a_chain)
{
    if (!supported()) SKIP("built without expat");
    reading r = read_robot("<robot name='r'><link name='world'/><link name='i'/><link name='rod'>" ROD
                           "</link>" TURN("y", "world", "i", "0 1 0", "0 0 0")
                               TURN("z", "i", "rod", "0 0 1", "1 0 0") "</robot>",
                           NULL, 0);
    ph_twist a[1];
    if (r.model && CHECK_EQ_INT(ph_observer_dynamics(r.observer, r.state, a, NULL), PH_OK)) {
        CHECK_EQ_INT(ph_model_freedoms(r.model), 2);
        CHECK_REL(a[0].omega.y, 2 * 9.81 / (2.0 + 2.0), 1e-13); // m g l / (I + m l^2)
        CHECK_NEAR(a[0].omega.z, 0.0, 1e-13);
    }
    done(&r);
}

TEST(what_moves_nothing_is_left_out_and_two_branches_are_refused)
{
    if (!supported()) SKIP("built without expat");
    reading r = read_robot("<robot name='r'><link name='world'/><link name='rod'>" ROD
                           "</link><link name='end'/>" TURN("y", "world", "rod", "0 1 0", "0 0 0")
                               TURN("z", "rod", "end", "0 0 1", "1 0 0") "</robot>",
                           NULL, 0);
    CHECK(said(&r, PH_WARNING, "moves nothing"));
    if (r.model) CHECK_EQ_INT(ph_model_freedoms(r.model), 1);
    done(&r);
    static const char branches[] =
        "<robot name='r'><link name='world'/><link name='i'/><link name='a'>" ROD "</link><link name='b'>" ROD
        "</link>" TURN("y", "world", "i", "0 1 0", "0 0 0") TURN("z", "i", "a", "0 0 1", "1 0 0")
            TURN("x", "i", "b", "1 0 0", "1 0 0") "</robot>";
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL;
    CHECK(ph_spec_read_text(branches, strlen(branches), "robot.xml", NULL, 0, problems, &spec) != PH_OK);
    reading refused = {.problems = problems};
    CHECK(said(&refused, PH_ERROR, "'i' has no mass and holds 2 others"));
    ph_spec_destroy(spec);
    ph_problems_destroy(problems);
}
