// Scenes that robot files describe: height fields, worlds in which nothing moves, comments, links that overlap as drawn. Expected numbers
// are what MuJoCo 4.0 makes of the same files, or closed forms.

#include "test.h"

#include "folder.h"
#include "model/spec.h"
#include "robot_text.h"

#include <math.h>

// ---- Height fields --------------------------------------------------------------------------------------------------------

// 0 50 100 / 255 10 20, the second row by the filter "sub"; and the same in 16 bits, the second row by Paeth's filter.
static const unsigned char grey8[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00,
    0x03, 0x00, 0x00, 0x00, 0x02, 0x08, 0x00, 0x00, 0x00, 0x00, 0xb8, 0x1f, 0x39, 0xc6, 0x00, 0x00, 0x00, 0x10, 0x49,
    0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0x60, 0x30, 0x4a, 0x61, 0xfc, 0xcf, 0xcd, 0x05, 0x00, 0x06, 0x49, 0x01, 0xac,
    0xbb, 0xe8, 0x95, 0x55, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
static const unsigned char grey16[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52,
    0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x02, 0x10, 0x00, 0x00, 0x00, 0x00, 0xe8, 0x8f, 0xe5,
    0x85, 0x00, 0x00, 0x00, 0x16, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0x60, 0x60, 0x30, 0x3a,
    0x91, 0xc2, 0xc0, 0xf2, 0xff, 0x3f, 0x37, 0xcb, 0x23, 0x06, 0x00, 0x1a, 0x95, 0x04, 0x52, 0xd0,
    0xc8, 0x2e, 0xa1, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

#define FIELD(how)                                                                                                     \
    MJCF("<asset><hfield name='h' size='1 2 .5 .1' " how "/></asset><worldbody><geom type='hfield' hfield='h'/>"       \
         "<body pos='0 0 3'><freejoint/><geom size='.1'/></body></worldbody>")

static void write_file(const folder *f, const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(folder_file(f, name).text, "wb");
    CHECK(file && fwrite(bytes, 1, size, file) == size);
    if (file) fclose(file);
}

// mjModel.hfield_data of MuJoCo, times 255: rows from the nearest along y on.
static void check_heights(const robot_text *r)
{
    static const double expected[6] = {255, 10, 20, 0, 50, 100};
    if (!CHECK(r->model)) return;
    const ph_shape_def *s = r->spec->bodies[ph_model_find_body(r->model, "ground")].shapes;
    CHECK_EQ_INT(s->data_rows, 2);
    CHECK_EQ_INT(s->data_columns, 3);
    for (int i = 0; i < 6; i++) CHECK_NEAR(255.0 * s->data[i], expected[i], 1e-12);
}

TEST(height_fields_begin_with_their_nearest_row)
{
    if (!robot_text_supported()) SKIP("without expat");
    robot_text r = robot_text_read(FIELD("nrow='2' ncol='3' elevation='0 50 100 255 10 20'"), NULL, 0);
    check_heights(&r);
    robot_text_done(&r);
}

static void check_picture(const void *bytes, size_t size)
{
    static const char text[] = FIELD("file='p.png'");
    const folder f = folder_make();
    write_file(&f, "p.png", bytes, size);
    write_file(&f, "robot.xml", text, sizeof text - 1);
    robot_text r = robot_text_file(folder_file(&f, "robot.xml").text);
    check_heights(&r);
    robot_text_done(&r);
    folder_remove(&f);
}

TEST(pictures_are_height_fields)
{
#ifndef PH_WITH_ZLIB
    SKIP("without zlib");
#endif
    if (!robot_text_supported()) SKIP("without expat");
    check_picture(grey8, sizeof grey8);
    check_picture(grey16, sizeof grey16);
}

// Whatever byte of a picture is changed, and wherever it ends: it is read or refused.
TEST(broken_pictures_are_refused)
{
#ifndef PH_WITH_ZLIB
    SKIP("without zlib");
#endif
    if (!robot_text_supported()) SKIP("without expat");
    static const char text[] = FIELD("file='p.png'");
    const folder f = folder_make();
    int refused = 0;
    write_file(&f, "robot.xml", text, sizeof text - 1);
    for (size_t i = 0; i < 2 * sizeof grey16; i++) {
        unsigned char bytes[sizeof grey16];
        memcpy(bytes, grey16, sizeof bytes);
        bytes[i % sizeof bytes] ^= i < sizeof bytes ? 0xff : 0;
        write_file(&f, "p.png", bytes, i < sizeof bytes ? sizeof bytes : i - sizeof bytes);
        robot_text r = robot_text_file(folder_file(&f, "robot.xml").text);
        CHECK(r.spec || ph_problems_errors(r.problems) > 0);
        refused += r.spec == NULL;
        robot_text_done(&r);
    }
    CHECK(refused > (int)sizeof grey16);
    folder_remove(&f);
}

// ---- Worlds and words -----------------------------------------------------------------------------------------------------

TEST(a_world_in_which_nothing_moves_is_read)
{
    if (!robot_text_supported()) SKIP("without expat");
    robot_text r = robot_text_read(MJCF("<asset><material name='m'/></asset>"), NULL, 0);
    CHECK(robot_text_said(&r, PH_NOTE, "nothing in it moves"));
    if (CHECK(r.model)) CHECK_EQ_INT(ph_model_bodies(r.model), 1);
    robot_text_done(&r);
}

TEST(comments_may_hold_two_dashes)
{
    if (!robot_text_supported()) SKIP("without expat");
    robot_text r = robot_text_read(
        MJCF(
            "<!-- a -- b ---><worldbody><!----><body><freejoint/><geom size='.1'/><!-- <x -- > --></body></worldbody>"),
        NULL, 0);
    CHECK(r.model);
    robot_text_done(&r);
    r = robot_text_read("<mujoco><!-- no end", NULL, 0);
    CHECK(!r.spec && ph_problems_errors(r.problems) > 0);
    robot_text_done(&r);
}

// MuJoCo makes 3 tendons and 3 actuators of this: names of the copies have their number, `top` is the same for all.
TEST(what_names_replicas_is_replicated)
{
    if (!robot_text_supported()) SKIP("without expat");
    robot_text r = robot_text_read(
        MJCF(
            "<worldbody><site name='top' pos='0 0 2'/><replicate count='3' offset='1 0 0'><body name='b'><joint name='j' type='slide'/>"
            "<geom size='.1'/><site name='s'/></body></replicate></worldbody><tendon><spatial name='t' stiffness='5'><site site='top'/>"
            "<site site='s'/></spatial></tendon><actuator><motor name='m' joint='j'/><motor name='w' tendon='t'/></actuator>"
            "<contact><exclude body1='b' body2='world'/></contact>"),
        NULL, 0);
    if (CHECK(r.model)) {
        CHECK_EQ_INT(ph_model_tendons(r.model), 3);
        CHECK_STR(ph_model_tendon(r.model, 2), "t2");
        CHECK_EQ_INT(r.spec->input_count, 6);
        ph_tendon_motion m = ph_observer_tendon(r.observer, r.state, 2);
        CHECK_NEAR(m.length, sqrt(8.0), 1e-14);
    }
    robot_text_done(&r);
    r = robot_text_read(
        MJCF("<worldbody><replicate count='2'><body><joint name='j'/><geom size='.1'/></body></replicate></worldbody>"
             "<actuator><motor joint='k'/></actuator>"),
        NULL, 0);
    CHECK(!r.spec && robot_text_said(&r, PH_ERROR, "there is no joint 'k'"));
    robot_text_done(&r);
}

// ---- URDF -----------------------------------------------------------------------------------------------------------------

#define LINK(name, where)                                                                                              \
    "<link name='" name                                                                                                \
    "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"               \
    "<collision><origin xyz='" where "'/><geometry><sphere radius='.1'/></geometry></collision></link>"
#define HINGE(name, parent, child)                                                                                     \
    "<joint name='" name "' type='continuous'><parent link='" parent "'/><child link='" child "'/></joint>"

// a and c are neighbours but one and overlap by 5 cm; d is apart from both.
TEST(links_that_overlap_as_drawn_do_not_collide)
{
    if (!robot_text_supported()) SKIP("without expat");
    robot_text r =
        robot_text_read("<robot name='r'>" LINK("a", "0 0 0") LINK("b", "1 0 0") LINK("c", "0 .15 0") LINK("d", "0 3 0")
                            HINGE("ab", "a", "b") HINGE("bc", "b", "c") HINGE("cd", "c", "d") "</robot>",
                        (ph_setting[]){{".base", "free"}}, 1);
    CHECK(robot_text_said(&r, PH_NOTE, "links that overlap as they are drawn"));
    if (CHECK(r.spec && r.spec->has_contact) && CHECK_EQ_INT(r.spec->contact.pair_count, 1)) {
        const ph_contact_pair *p = &r.spec->contact.pairs[0];
        CHECK(!p->collide);
        CHECK_STR(r.spec->bodies[p->body_a].def.name, "a");
        CHECK_STR(r.spec->bodies[p->body_b].def.name, "c");
    }
    robot_text_done(&r);
}

// b is drawn in the base that is held, and hangs on it by a hinge; what lies loose in it does meet it.
TEST(links_drawn_in_their_held_base_do_not_collide_with_it)
{
    if (!robot_text_supported()) SKIP("without expat");
    robot_text r = robot_text_read(
        "<robot name='r'><link name='world'><collision><geometry><sphere radius='.1'/></geometry></collision></link>" LINK(
            "a", "0 .15 0") LINK("b", "0 .15 0") HINGE("wa", "world", "a") "</robot>",
        NULL, 0);
    if (CHECK(r.spec && r.spec->has_contact)) {
        int apart = 0;
        for (int i = 0; i < r.spec->contact.pair_count; i++) {
            const ph_contact_pair *p = &r.spec->contact.pairs[i];
            const bool held = r.spec->bodies[p->body_a].def.fixed || r.spec->bodies[p->body_b].def.fixed;
            apart += held && !p->collide;
        }
        CHECK_EQ_INT(apart, 1);
    }
    robot_text_done(&r);
}

TEST(a_fixed_joint_may_mimic)
{
    if (!robot_text_supported()) SKIP("without expat");
    robot_text r =
        robot_text_read("<robot name='r'>" LINK("a", "0 0 0") LINK("b", "1 0 0") LINK("c", "0 3 0")
                            HINGE("ab", "a", "b") "<joint name='bc' type='fixed'><parent link='b'/><child link='c'/>"
                                                  "<mimic joint='ab'/></joint></robot>",
                        NULL, 0);
    CHECK(r.model && robot_text_said(&r, PH_NOTE, "mimics none"));
    robot_text_done(&r);
}
