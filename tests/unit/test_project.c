// `initial: project`: a start off the constraints is moved onto them.

#include "test.h"

#include "math/quat.h"
#include "math/so3.h"
#include "model/model.h"
#include "polhode/model.h"
#include "random_vector.h"
#include "text_model.h"

static int add_body(ph_spec *spec, const char *name, ph_vec3 position, ph_quat orientation)
{
    ph_body_def def = ph_default_body();
    def.name = name;
    def.mass = 2.0;
    def.inertia = (ph_mat3){{{0.1, 0.0, 0.0}, {0.0, 0.2, 0.0}, {0.0, 0.0, 0.25}}};
    def.position = position;
    def.orientation = orientation;
    def.velocity = random_vector(0.5);
    def.angular_velocity = random_vector(0.5);
    return ph_spec_add_body(spec, &def);
}

// Points and axes in the body frames, so that the joint does not fit by itself.
static void add_joint(ph_spec *spec, const char *name, const char *type, int a, int b, ph_vec3 at_a, ph_vec3 at_b)
{
    ph_joint_def def = ph_default_joint();
    def.name = name;
    def.type = type;
    def.body_a = a;
    def.body_b = b;
    def.has_anchor_a = def.has_anchor_b = true;
    def.anchor_a = at_a;
    def.anchor_b = at_b;
    def.has_axis_a = def.has_axis_b = strcmp(type, "ball") != 0;
    def.axis_a = def.axis_b = ph_vec(0.0, 0.0, 1.0);
    CHECK(ph_spec_add_joint(spec, &def) >= 0);
}

// A four-bar whose bodies lie up to `off` away from where they belong.
static ph_spec *loose_four_bar(double off)
{
    ph_spec *spec = ph_spec_create(NULL);
    const ph_vec3 place[3] = {{0.0, 0.5, 0.0}, {1.0, 1.5, 0.0}, {2.0, 1.0, 0.0}};
    static const char *const names[3] = {"crank", "coupler", "rocker"};
    for (int i = 0; i < 3; i++) {
        add_body(spec, names[i], ph_add(place[i], random_vector(off)), ph_quat_exp(random_vector(off)));
    }
    add_joint(spec, "A", "revolute", PH_WORLD, 0, ph_vec(0.0, 0.0, 0.0), ph_vec(0.0, -0.5, 0.0));
    add_joint(spec, "B", "revolute", 0, 1, ph_vec(0.0, 0.5, 0.0), ph_vec(-1.0, -0.5, 0.0));
    add_joint(spec, "C", "revolute", 1, 2, ph_vec(1.0, 0.5, 0.0), ph_vec(0.0, 1.0, 0.0));
    add_joint(spec, "D", "revolute", PH_WORLD, 2, ph_vec(2.0, 0.0, 0.0), ph_vec(0.0, -1.0, 0.0));
    return spec;
}

static void check_start(const ph_model *model)
{
    frame frames[16];
    ph_twist twists[16];
    for (int i = 0; i <= model->body_count; i++) {
        frames[i] = body_frame(&model->bodies[i]);
        twists[i] = model->bodies[i].start->twist;
    }
    const motion at = {.frames = frames, .twists = twists};
    for (int i = 0; i < model->joint_count; i++) {
        double phi[JOINT_ROWS_MAX], rate[JOINT_ROWS_MAX];
        const joint *j = &model->joints[i];
        joint_residual(j, &at, phi);
        joint_velocity_residual(j, &at, rate);
        for (int r = 0; r < j->row_count; r++) {
            CHECK_NEAR(phi[r], 0.0, 1e-12);
            CHECK_NEAR(rate[r], 0.0, 1e-12);
        }
        for (int k = 0; k < j->coordinate_count; k++) {
            CHECK_NEAR(joint_coordinate(j, &at, k), 0.0, 1e-15);
        }
    }
}

TEST(strict_starts_must_fit_and_the_worst_row_is_named)
{
    ph_spec *spec = loose_four_bar(0.1);
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    CHECK_EQ_INT(ph_model_compile(spec, problems, &model), PH_BAD_MODEL);
    CHECK(!model);
    CHECK_EQ_INT(ph_problems_errors(problems), 4);
    const ph_problem *first = ph_problems_get(problems, 0);
    CHECK_STR(first->path, "joints[0]");
    CHECK(strstr(first->text, "'A'") && strstr(first->text, "of 5 is off by") && strstr(first->hint, "project"));
    ph_problems_destroy(problems);
    ph_spec_destroy(spec);
}

TEST(loops_are_assembled)
{
    for (int trial = 0; trial < 50; trial++) {
        ph_spec *spec = loose_four_bar(trial % 2 ? 0.2 : 1e-3);
        ph_problems *problems = ph_problems_create();
        ph_model *model = NULL;
        ph_spec_set_project(spec, true);
        if (CHECK_EQ_INT(ph_model_compile(spec, problems, &model), PH_OK)) {
            CHECK_EQ_INT(ph_problems_count(problems), 1);
            CHECK_EQ_INT(ph_problems_get(problems, 0)->severity, PH_NOTE);
            CHECK_EQ_INT(ph_model_freedoms(model), 1);
            check_start(model);
        }
        ph_model_destroy(model);
        ph_problems_destroy(problems);
        ph_spec_destroy(spec);
    }
}

// A pendulum hung 1 m away from its pivot moves by that metre, and its turn follows the metric of its mass.
TEST(projection_is_the_shortest_way)
{
    ph_spec *spec = ph_spec_create(NULL);
    add_body(spec, "bob", ph_vec(0.0, 0.0, -2.0), ph_quat_identity());
    add_joint(spec, "pivot", "ball", PH_WORLD, 0, ph_zero3(), ph_vec(0.0, 0.0, 1.0));
    ph_spec_set_project(spec, true);
    ph_model *model = NULL;
    if (CHECK_EQ_INT(ph_model_compile(spec, NULL, &model), PH_OK)) {
        CHECK_NEAR(model->bodies[0].position.z, -1.0, 1e-14); // straight up, without turning
        CHECK_NEAR(body_turn(&model->bodies[0]).m[2][2], 1.0, 1e-14);
        check_start(model);
    }
    ph_model_destroy(model);
    ph_spec_destroy(spec);
}

TEST(nothing_is_said_where_nothing_moves)
{
    static const char text[] = "polhode: 1\n"
                               "initial: project\n"
                               "bodies: [{name: b, mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}]\n"
                               "joints: [{name: A, type: ball, bodies: [world, b], anchor: [0, 0, 0]}]\n";
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL;
    ph_model *model = NULL;
    CHECK_EQ_INT(ph_spec_read_text(text, sizeof text - 1, "text", NULL, 0, problems, &spec), PH_OK);
    CHECK_EQ_INT(ph_model_compile(spec, problems, &model), PH_OK);
    CHECK_EQ_INT(ph_problems_count(problems), 0);
    ph_model_destroy(model);
    ph_spec_destroy(spec);
    ph_problems_destroy(problems);
}

TEST(what_cannot_be_assembled_is_an_error)
{
    ph_spec *spec = ph_spec_create(NULL); // two pivots 3 m apart on a body that has 1 m between them
    add_body(spec, "bar", ph_vec(1.5, 0.0, 0.0), ph_quat_identity());
    add_joint(spec, "left", "ball", PH_WORLD, 0, ph_zero3(), ph_vec(-0.5, 0.0, 0.0));
    add_joint(spec, "right", "ball", PH_WORLD, 0, ph_vec(3.0, 0.0, 0.0), ph_vec(0.5, 0.0, 0.0));
    ph_spec_set_project(spec, true);
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    CHECK_EQ_INT(ph_model_compile(spec, problems, &model), PH_BAD_MODEL);
    CHECK(ph_problems_errors(problems) > 0 && strstr(ph_problems_get(problems, 0)->hint, "assembled"));
    ph_problems_destroy(problems);
    ph_spec_destroy(spec);
}

// Held by 6 rows that are none too many, no body can move: what is left of the velocities given is their rounding.
static const char held_exactly[] =
    "polhode: 1\n"
    "initial: project\n"
    "bodies: [{name: b, mass: 3, inertia: [0.1, 0.2, 0.25], position: [0.3, 0.1, -0.7], velocity: [1, 2, 3], "
    "angular_velocity: [3, 1, 2]}]\n"
    "joints:\n"
    "  - {name: cross, type: universal, bodies: [world, b], anchor: [0.34, 0.11, -0.11], axis: [0.5, 0.6, 0], axis2: "
    "[-0.6, 0.5, 0.1]}\n"
    "  - {name: line, type: point_on_line, bodies: [world, b], anchor: [0.4, 0, -0.48], axis: [-0.37, -0.62, -0.68]}\n";

TEST(velocities_of_what_cannot_move_are_projected_to_rest)
{
    ph_model *model = text_model(held_exactly);
    if (!CHECK(model)) return;
    CHECK_EQ_INT(ph_model_freedoms(model), 0);
    CHECK_NEAR(ph_norm(model->bodies[0].start->twist.v), 0.0, 1e-13);
    ph_model_destroy(model);
}

// A motor turns what two ball joints hold.
TEST(rows_that_no_velocities_meet_are_not_sent_to_be_projected)
{
    static const char text[] = "polhode: 1\n"
                               "initial: project\n"
                               "bodies: [{name: b, mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}]\n"
                               "joints:\n"
                               "  - {name: A, type: revolute, bodies: [world, b], anchor: [0, 0, 0], axis: z, motor: "
                               "{speed: 1}}\n"
                               "  - {name: C, type: ball, bodies: [world, b], anchor: [1, 0, 0]}\n";
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL;
    ph_model *model = NULL;
    CHECK_EQ_INT(ph_spec_read_text(text, sizeof text - 1, "text", NULL, 0, problems, &spec), PH_OK);
    CHECK_EQ_INT(ph_model_compile(spec, problems, &model), PH_BAD_MODEL);
    for (int k = 0; k < ph_problems_count(problems); k++) {
        const ph_problem *problem = ph_problems_get(problems, k);
        if (problem->severity == PH_ERROR) CHECK(strstr(problem->hint, "no velocities meet all rows"));
    }
    CHECK(ph_problems_errors(problems) > 0);
    ph_problems_destroy(problems);
    ph_spec_destroy(spec);
    ph_model_destroy(model);
}
