// URDF and SDF: what a robot file means. Expected numbers are closed forms.

#include "test.h"

#include "folder.h"
#include "model/spec.h"
#include "polhode/polhode.h"
#include "robot_text.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct reading {
    ph_problems *problems;
    ph_spec *spec;
    ph_model *model;
    ph_state *state;
} reading;

static reading read_robot(const char *text, const char *base)
{
    const ph_setting settings[] = {{".base", base ? base : "fixed"}};
    reading r = {.problems = ph_problems_create()};
    if (ph_spec_read_text(text, strlen(text), "robot.xml", settings, 1, r.problems, &r.spec) == PH_OK &&
        ph_model_compile(r.spec, r.problems, &r.model) == PH_OK) {
        r.state = ph_state_create(r.model);
    }
    return r;
}

static void done(reading *r)
{
    ph_state_destroy(r->state);
    ph_model_destroy(r->model);
    ph_spec_destroy(r->spec);
    ph_problems_destroy(r->problems);
}

#define INERTIAL "<inertial><mass value='2'/><inertia ixx='1' iyy='2' izz='2.5' ixy='0' ixz='0' iyz='0'/></inertial>"

static const char arm[] =
    "<robot name='r'><link name='base'>" INERTIAL "</link><link name='a'>" INERTIAL "</link>"
    "<link name='tip'>" INERTIAL "</link>"
    "<joint name='j' type='continuous'><origin xyz='0 0 1' rpy='0 0 1.5707963267948966'/>"
    "<parent link='base'/><child link='a'/></joint>"
    "<joint name='f' type='fixed'><origin xyz='1 0 0'/><parent link='a'/><child link='tip'/></joint></robot>";

TEST(urdf_axis_is_x_and_fixed_links_are_merged)
{
    if (!supported()) SKIP("built without expat");
    reading r = read_robot(arm, "fixed");
    ph_observer *observer = NULL;
    ph_twist a[2];
    if (CHECK(r.state) && CHECK_EQ_INT(ph_observer_create(r.model, &observer), PH_OK)) {
        const ph_body_info info = ph_model_body(r.model, ph_model_find_body(r.model, "a"));
        CHECK_REL(info.mass, 4.0, 1e-15);
        CHECK_NEAR(info.com.x, 0.5, 1e-15);
        CHECK_REL(info.inertia.m[1][1], 2.0 + 2.0 + 1.0, 1e-14);
        CHECK_EQ_INT(ph_model_freedoms(r.model), 1);
        CHECK_EQ_INT(ph_observer_dynamics(observer, r.state, a, NULL), PH_OK);
        CHECK_NEAR(ph_state_positions(r.state)[ph_model_find_body(r.model, "a")].y, 0.5, 1e-15); // x turned to y
    }
    ph_observer_destroy(observer);
    done(&r);
}

TEST(urdf_base_is_free_when_asked)
{
    if (!supported()) SKIP("built without expat");
    reading r = read_robot(arm, "free");
    if (CHECK(r.model)) CHECK_EQ_INT(ph_model_freedoms(r.model), 7);
    done(&r);
}

// A link on a floating joint goes where it will, whatever carries it; what hangs on it goes along.
TEST(urdf_floating_joints_let_go)
{
    if (!supported()) SKIP("built without expat");
#define TURN(name, parent, child)                                                                                      \
    "<joint name='" name "' type='continuous'><origin xyz='0 0 1'/><parent link='" parent "'/><child link='" child     \
    "'/></joint>"
    reading r = read_robot(
        "<robot name='r'><link name='base'/><link name='a'>" INERTIAL "</link><link name='b'>" INERTIAL
        "</link><link name='c'>" INERTIAL "</link>" TURN("j", "base", "a") TURN(
            "k", "b",
            "c") "<joint name='f' type='floating'><origin xyz='1 0 0'/><parent link='a'/><child link='b'/></joint></robot>",
        NULL);
    if (CHECK(r.model)) {
        CHECK_EQ_INT(ph_model_freedoms(r.model), 1 + 6 + 1);
        CHECK_NEAR(ph_state_positions(r.state)[ph_model_find_body(r.model, "b")].x, 1.0, 1e-15);
        CHECK_NEAR(ph_state_positions(r.state)[ph_model_find_body(r.model, "c")].z, 2.0, 1e-15);
    }
    done(&r);
}

// What would be read as another robot is refused, and typing errors are named.
TEST(urdf_that_is_no_tree_of_links)
{
    if (!supported()) SKIP("built without expat");
#define LINK(name) "<link name='" name "'>" INERTIAL "</link>"
    static const struct {
        const char *text, *says;
    } wrongs[] = {
        {LINK("a") LINK("b") LINK("c") TURN("ab", "a", "b") TURN("ac", "a", "c") TURN("bc", "b", "c"),
         "the link 'c' hangs on two joints, 'ac' and 'bc'"},
        {LINK("a") LINK("b") LINK("c") TURN("bc", "b", "c") TURN("cb", "c", "b"),
         "the link 'b' hangs on a loop of joints"},
        {LINK("a") LINK("b") LINK("b") TURN("ab", "a", "b"), "there are two links 'b'"},
        {LINK("a") LINK("b") LINK("c") TURN("j", "a", "b") TURN("j", "b", "c"), "there are two joints 'j'"},
        {LINK("a") LINK("b") TURN("j", "c", "b"), "there is no link 'c'"},
        {LINK("a") LINK("b") "<joint name='j' type='fixed'><child link='b'/></joint>", "a joint needs a parent"},
        {LINK("a") LINK("b") TURN("j", "a", "c"), "there is no link 'c'"},
        {LINK("a") LINK("b") "<joint name='j' type='fixed'><parent link='a'/></joint>", "a joint needs a child"},
        {LINK("a") LINK(
             "b") "<joint name='j' type='continuous'><parent link='a'/><child link='b'/><orign xyz='1 2 3'/></joint>",
         "an element that <joint> does not have"},
        {LINK("a") LINK(
             "b") "<joint name='j' type='continuous'><parent link='a'/><child link='b'/><axis xzy='0 0 1'/></joint>",
         "an attribute that <axis> does not have"},
    };
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        char text[4000];
        snprintf(text, sizeof text, "<robot name='r'>%s</robot>", wrongs[i].text);
        reading r = read_robot(text, NULL);
        bool said = false;
        for (int k = 0; k < ph_problems_count(r.problems); k++) {
            const ph_problem *p = ph_problems_get(r.problems, k);
            said |= p->severity != PH_NOTE && strstr(p->text, wrongs[i].says);
        }
        CHECK(said);
        CHECK((r.model != NULL) == (strstr(wrongs[i].says, "does not have") != NULL));
        done(&r);
    }
}

// A four-bar of rods of length 1, drawn as an open square of three: closed at the start.
TEST(sdf_joints_may_close_loops)
{
    if (!supported()) SKIP("built without expat");
#define AXIS "<axis><xyz>0 1 0</xyz></axis></joint>"
    reading r = read_robot(
        "<sdf version='1.8'><model name='m'>"
        "<link name='a'><pose>0 0 0 0 0 0</pose></link><link name='b'><pose>0 0 1 0 0 0</pose></link>"
        "<link name='c'><pose>1 0 1 0 0 0</pose></link>"
        "<joint name='j1' type='revolute'><parent>world</parent><child>a</child>" AXIS
        "<joint name='j2' type='revolute'><parent>a</parent><child>b</child>" AXIS
        "<joint name='j3' type='revolute'><parent>b</parent><child>c</child>" AXIS
        "<joint name='j4' type='revolute'><pose>0 0 -1 0 0 0</pose><parent>world</parent><child>c</child>" AXIS
        "</model></sdf>",
        NULL);
    if (CHECK(r.model)) {
        CHECK_EQ_INT(ph_model_bodies(r.model), 3);
        CHECK_EQ_INT(ph_model_joints(r.model), 4);
        CHECK_EQ_INT(ph_model_freedoms(r.model), 1);
        CHECK_NEAR(ph_model_body(r.model, 0).mass, 1.0, 1e-15); // no inertial: mass 1, inertia 1
    }
    done(&r);
}

// From 1.5 on axes are along the joint's own frame, before along that of the model. Here its x is the world's y, and the centre of
// mass lies on it: the link hangs at rest.
TEST(sdf_versions_are_read_in_every_locale)
{
    if (!supported()) SKIP("built without expat");
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) SKIP("no locale with a decimal comma");
    reading r = read_robot("<sdf version='1.5'><model name='m'><link name='a'><pose>0 0 0 0 0 1.5707963267948966</pose>"
                           "<inertial><pose>0.5 0 0 0 0 0</pose></inertial></link>"
                           "<joint name='j' type='revolute'><parent>world</parent><child>a</child>"
                           "<axis><xyz>1 0 0</xyz></axis></joint></model></sdf>",
                           NULL);
    setlocale(LC_NUMERIC, "C");
    ph_observer *observer = NULL;
    ph_twist a[1];
    if (CHECK(r.state) && CHECK_EQ_INT(ph_observer_create(r.model, &observer), PH_OK)) {
        CHECK_EQ_INT(ph_observer_dynamics(observer, r.state, a, NULL), PH_OK);
        CHECK_NEAR(a[0].v.z, 0.0, 1e-12);
    }
    ph_observer_destroy(observer);
    done(&r);
}

// The same link turned by its own x, which only versions up to 1.4 would take along the model: 1.10 is none of them.
TEST(sdf_version_ten_comes_after_nine)
{
    if (!supported()) SKIP("built without expat");
    static const char *const versions[] = {"1.4", "1.5", "1.9", "1.10", "1.12"};
    for (int i = 0; i < 5; i++) {
        char text[600];
        snprintf(
            text, sizeof text,
            "<sdf version='%s'><model name='m'><link name='a'><pose>0 0 0 0 0 1.5707963267948966</pose>"
            "<inertial><pose>0.5 0 0 0 0 0</pose></inertial></link><joint name='j' type='revolute'><parent>world</parent>"
            "<child>a</child><axis><xyz>1 0 0</xyz></axis></joint></model></sdf>",
            versions[i]);
        reading r = read_robot(text, NULL);
        ph_observer *observer = NULL;
        ph_twist a[1];
        if (CHECK(r.state) && CHECK_EQ_INT(ph_observer_create(r.model, &observer), PH_OK)) {
            CHECK_EQ_INT(ph_observer_dynamics(observer, r.state, a, NULL), PH_OK);
            CHECK((fabs(a[0].v.z) < 1e-12) == (i > 0)); // it hangs at rest, or falls
        }
        ph_observer_destroy(observer);
        done(&r);
    }
}

// That of the file that it stands in: the included one is of 1.4.
TEST(sdf_includes_keep_their_version)
{
    if (!supported()) SKIP("built without expat");
    static const char *const texts[] = {
        "<sdf version='1.4'><model name='m'><link name='a'><pose>0 0 0 0 0 1.5707963267948966</pose>"
        "<inertial><pose>0.5 0 0 0 0 0</pose></inertial></link><joint name='j' type='revolute'><parent>world</parent>"
        "<child>a</child><axis><xyz>1 0 0</xyz></axis></joint></model></sdf>",
        "<sdf version='1.10'><world name='w'><include><uri>part.sdf</uri></include></world></sdf>"};
    static const char *const names[] = {"part.sdf", "world.sdf"};
    const folder f = folder_make();
    for (int i = 0; i < 2; i++) {
        const file_path path = folder_file(&f, names[i]);
        FILE *file = fopen(path.text, "w");
        if (CHECK(file)) {
            fputs(texts[i], file);
            fclose(file);
        }
    }
    const file_path path = folder_file(&f, "world.sdf");
    const ph_setting settings[] = {{".allow-folder", f.path}};
    reading r = {.problems = ph_problems_create()};
    ph_observer *observer = NULL;
    ph_twist a[1];
    if (CHECK_EQ_INT(ph_spec_read_file(path.text, settings, 1, r.problems, &r.spec), PH_OK) &&
        CHECK_EQ_INT(ph_model_compile(r.spec, r.problems, &r.model), PH_OK) &&
        CHECK(r.state = ph_state_create(r.model)) && CHECK_EQ_INT(ph_observer_create(r.model, &observer), PH_OK)) {
        CHECK_EQ_INT(ph_observer_dynamics(observer, r.state, a, NULL), PH_OK);
        CHECK(fabs(a[0].v.z) > 1.0); // about the model's x it falls
    }
    ph_observer_destroy(observer);
    done(&r);
    folder_remove(&f);
}

TEST(sdf_frames_lead_through_each_other)
{
    if (!supported()) SKIP("built without expat");
    reading r = read_robot("<sdf version='1.8'><model name='m'><pose>0 0 1 0 0 0</pose>"
                           "<link name='a'><pose degrees='true'>1 0 0 0 0 90</pose></link>"
                           "<frame name='f' attached_to='a'><pose>1 0 0 0 0 0</pose></frame>"
                           "<link name='b'><pose relative_to='f'>1 0 0 0 0 0</pose></link></model></sdf>",
                           NULL);
    if (CHECK(r.state)) {
        const ph_vec3 b = ph_state_positions(r.state)[1];
        CHECK_NEAR(b.x, 1.0, 1e-15);
        CHECK_NEAR(b.y, 2.0, 1e-15);
        CHECK_NEAR(b.z, 1.0, 1e-15);
    }
    done(&r);
}

TEST(urdf_mimic_opens_and_closes_by_its_offset)
{
    if (!supported()) SKIP("built without expat");
    reading r = read_robot("<robot name='r'><link name='world'/><link name='a'>" INERTIAL
                           "</link><link name='b'>" INERTIAL "</link>"
                           "<joint name='j' type='continuous'><parent link='world'/><child link='a'/></joint>"
                           "<joint name='k' type='continuous'><parent link='world'/><child link='b'/>"
                           "<mimic joint='j' multiplier='-2'/></joint></robot>",
                           "fixed");
    if (CHECK(r.model)) CHECK_EQ_INT(ph_model_freedoms(r.model), 1);
    done(&r);
}

// ---- COLLADA --------------------------------------------------------------------------------------------------------------

static bool write_file(const char *name, const char *text, char path[512])
{
    snprintf(path, 512, "%s/%s", TEST_BINARY_DIR, name);
    FILE *f = fopen(path, "w");
    if (!CHECK(f)) return false;
    fputs(text, f);
    fclose(f);
    return true;
}

// A tetrahedron in centimetres, moved by 1 cm along x and turned by 90 degrees about z: (1, 0, 0) cm goes to (1, 1, 0) cm.
static const char dae[] =
    "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'><asset><unit meter='0.01'/></asset>"
    "<library_geometries><geometry id='g'><mesh><source id='p'><float_array id='a' count='12'>0 0 0 1 0 0 0 1 0 0 0 1"
    "</float_array></source><vertices id='v'><input semantic='POSITION' source='#p'/></vertices></mesh></geometry>"
    "</library_geometries><library_visual_scenes><visual_scene id='s'><node><translate>1 0 0</translate><rotate>0 0 1 90"
    "</rotate><instance_geometry url='#g'/></node></visual_scene></library_visual_scenes></COLLADA>";

static const char with_mesh[] =
    "<robot name='r'><link name='base'>" INERTIAL
    "<collision><geometry><mesh filename='%s' scale='2 2 2'/></geometry></collision></link></robot>";

static const ph_shape_def *shape_of(const char *mesh, reading *r)
{
    char robot[1024], path[512];
    snprintf(robot, sizeof robot, with_mesh, mesh);
    *r = (reading){.problems = ph_problems_create()};
    if (!write_file("with_mesh.urdf", robot, path)) return NULL;
    CHECK_EQ_INT(ph_spec_read_file(path, NULL, 0, r->problems, &r->spec), PH_OK);
    return r->spec && r->spec->bodies[0].shape_count == 1 ? &r->spec->bodies[0].shapes[0] : NULL;
}

TEST(collada_points_lie_where_the_scene_puts_them)
{
    if (!supported()) SKIP("built without expat");
    char path[512];
    reading r;
    if (!write_file("tetra.dae", dae, path)) return;
    const ph_shape_def *shape = shape_of("tetra.dae", &r);
    bool found = false;
    if (CHECK(shape) && CHECK_EQ_INT(shape->data_rows, 4)) {
        for (int i = 0; i < 4; i++) {
            const double *p = shape->data + 3 * i;
            found |= fabs(p[0] - 0.02) < 1e-12 && fabs(p[1] - 0.02) < 1e-12 && fabs(p[2]) < 1e-12;
        }
        CHECK(found);
    }
    done(&r);
    if (!write_file("broken.dae", "<COLLADA><asset>", path)) return;
    CHECK(!shape_of("broken.dae", &r)); // said, and the robot is read without it
    done(&r);
}

#define TURN_TO(child)                                                                                                 \
    "<joint name='to_" child "' type='continuous'><parent link='world'/><child link='" child "'/></joint>"

static bool has_said(const reading *r, ph_severity severity, const char *words)
{
    for (int i = 0; i < ph_problems_count(r->problems); i++) {
        const ph_problem *p = ph_problems_get(r->problems, i);
        if (p->severity == severity && strstr(p->text, words)) return true;
    }
    return false;
}

static void check_moments(const reading *r, double x, double y, double z)
{
    if (!CHECK(r->model)) return;
    const ph_mat3 J = ph_model_body(r->model, 0).inertia;
    CHECK_NEAR(J.m[0][0], x, 1e-14);
    CHECK_NEAR(J.m[1][1], y, 1e-14);
    CHECK_NEAR(J.m[2][2], z, 1e-14);
}

#define OF_MOMENTS(x, y, z)                                                                                            \
    "<robot name='r'><link name='world'/><link name='a'><inertial><mass value='2'/><inertia ixx='" x "' iyy='" y       \
    "' izz='" z "' ixy='0' ixz='0' iyz='0'/></inertial></link>" TURN_TO("a") "</robot>"

// A moment of 4 where 1 + 2 is the most moves all the same; one below zero does not: S = 2.75, 0.25, -0.75 -> 2.75, 0.25, 0.
TEST(an_inertia_that_no_body_has_is_taken_where_it_can_be)
{
    if (!supported()) SKIP("built without expat");
    reading r = read_robot(OF_MOMENTS("1", "2", "4"), "fixed");
    CHECK(has_said(&r, PH_NOTE, "taken as it is"));
    check_moments(&r, 1.0, 2.0, 4.0);
    done(&r);
    r = read_robot(OF_MOMENTS("-0.5", "2", "3"), "fixed");
    CHECK(has_said(&r, PH_WARNING, "nearest one of a body"));
    check_moments(&r, 0.25, 2.75, 3.0);
    done(&r);
}

// The same about z, where the world lends what is missing: no motion about the hinge feels it, and nothing is approximated.
TEST(an_impossible_inertia_borrows_at_its_hinge)
{
    if (!supported()) SKIP("built without expat");
    reading r = read_robot(
        "<robot name='r'><link name='world'/><link name='a'><inertial><mass value='2'/><inertia ixx='1' iyy='2' izz='4' "
        "ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='j' type='continuous'><axis xyz='0 0 1'/>"
        "<parent link='world'/><child link='a'/></joint></robot>",
        "fixed");
    for (int i = 0; i < ph_problems_count(r.problems); i++) {
        CHECK(ph_problems_get(r.problems, i)->severity != PH_WARNING);
    }
    if (CHECK(r.model)) {
        const ph_mat3 J = ph_model_body(r.model, 0).inertia;
        CHECK_NEAR(J.m[2][2], 4.0, 1e-14);
        CHECK(J.m[2][2] <= J.m[0][0] + J.m[1][1]);
    }
    done(&r);
}

// Two point masses far from their hinges: each is a small ball.
TEST(links_that_are_points_of_mass_are_small_balls)
{
    if (!supported()) SKIP("built without expat");
    reading r = read_robot(
        "<robot name='r'><link name='world'/><link name='a'><inertial><origin xyz='0 0 -1'/><mass value='2'/><inertia ixx='0' "
        "iyy='0' izz='0' ixy='0' ixz='0' iyz='0'/></inertial></link>" TURN_TO("a") "</robot>",
        "fixed");
    if (CHECK(r.model)) CHECK_NEAR(ph_model_body(r.model, 0).inertia.m[1][1], 0.4 * 2.0 * 0.01, 1e-14);
    done(&r);
}

TEST(joints_hang_on_a_world_that_is_no_link)
{
    if (!supported()) SKIP("built without expat");
    reading r = read_robot("<robot name='r'>" TURN_TO("a") "<link name='a'>" INERTIAL "</link></robot>", NULL);
    if (CHECK(r.model)) CHECK_EQ_INT(ph_model_freedoms(r.model), 1);
    done(&r);
}

TEST(a_mimic_of_nothing_is_left_out)
{
    if (!supported()) SKIP("built without expat");
    reading r =
        read_robot("<robot name='r'><link name='world'/><link name='a'>" INERTIAL "</link><joint name='j' "
                   "type='continuous'><mimic joint='gone'/><parent link='world'/><child link='a'/></joint></robot>",
                   "fixed");
    if (CHECK(r.model)) CHECK_EQ_INT(ph_model_freedoms(r.model), 1);
    done(&r);
}

TEST(each_link_that_no_joint_carries_is_a_base)
{
    if (!supported()) SKIP("built without expat");
    reading r = read_robot(
        "<robot name='r'><link name='a'>" INERTIAL "</link><link name='table'>" INERTIAL "</link></robot>", "free");
    if (CHECK(r.model)) {
        CHECK_EQ_INT(ph_model_bodies(r.model), 2);
        CHECK_EQ_INT(ph_model_freedoms(r.model), 12);
    }
    done(&r);
}

// The link asked for first lies in the model, whose frame of placement lies behind that link.
TEST(sdf_places_a_model_by_a_frame_behind_its_first_link)
{
    if (!supported()) SKIP("built without expat");
    reading r =
        read_robot("<sdf version='1.9'><model name='m'><model name='n' placement_frame='b'><pose>5 0 0 0 0 0</pose>"
                   "<link name='a'><pose>1 2 3 0 0 0</pose></link><link name='b'><pose relative_to='a'>0 0 1 0 0 0"
                   "</pose></link></model></model></sdf>",
                   "free");
    if (CHECK(r.state)) {
        const ph_vec3 *x = ph_state_positions(r.state);
        CHECK_NEAR(x[0].x, 5.0, 1e-15);
        CHECK_NEAR(x[0].z, -1.0, 1e-15);
        CHECK_NEAR(x[1].x, 5.0, 1e-15);
        CHECK_NEAR(x[1].z, 0.0, 1e-15);
    }
    done(&r);
}

TEST(sdf_holds_a_base_without_mass)
{
    if (!supported()) SKIP("built without expat");
    reading r =
        read_robot("<sdf version='1.9'><model name='m'><link name='a'><inertial><mass>0</mass></inertial></link><link "
                   "name='b'/><joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz>"
                   "</axis></joint></model></sdf>",
                   "free");
    if (CHECK(r.model)) CHECK_EQ_INT(ph_model_freedoms(r.model), 1);
    CHECK_EQ_INT(ph_problems_get(r.problems, 0)->severity, PH_WARNING);
    done(&r);
}
