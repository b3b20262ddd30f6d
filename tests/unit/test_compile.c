// ph_model_compile: what a sound model becomes.

#include "test.h"

#include "joints/joint.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "model/model.h"
#include "polhode/polhode.h"

static ph_body_def rod(const char *name)
{
    ph_body_def def = ph_default_body();
    def.name = name;
    def.mass = 61.6538;
    def.inertia.m[0][0] = def.inertia.m[2][2] = 5.1763;
    def.inertia.m[1][1] = 0.0771;
    return def;
}

static void add_ball(ph_spec *spec, const char *name, int a, int b, ph_vec3 anchor)
{
    ph_joint_def def = ph_default_joint();
    def.name = name;
    def.type = "ball";
    def.body_a = a;
    def.body_b = b;
    def.has_anchor = true;
    def.anchor = anchor;
    CHECK(ph_spec_add_joint(spec, &def) >= 0);
}

static ph_spec *double_pendulum(void)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_body_def first = rod("rod1"), second = rod("rod2");
    first.position = ph_vec(0.0, 0.5, 0.0);
    second.position = ph_vec(-0.5, 1.0, 0.0);
    second.orientation = (ph_quat){sqrt(0.5), 0.0, 0.0, sqrt(0.5)};
    ph_spec_set_gravity(spec, ph_vec(0.0, 0.0, -9.81));
    CHECK_EQ_INT(ph_spec_add_body(spec, &first), 0);
    CHECK_EQ_INT(ph_spec_add_body(spec, &second), 1);
    add_ball(spec, "O", PH_WORLD, 0, ph_vec(0.0, 0.0, 0.0));
    add_ball(spec, "A", 0, 1, ph_vec(0.0, 1.0, 0.0));
    return spec;
}

static void print_problems(const ph_problems *problems)
{
    char text[1024];
    for (int i = 0; i < ph_problems_count(problems); i++) {
        ph_problem_format(ph_problems_get(problems, i), text, sizeof text);
        printf("%s\n", text);
    }
}

TEST(double_pendulum_compiles)
{
    ph_spec *spec = double_pendulum();
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    const ph_status status = ph_model_compile(spec, problems, &model);
    ph_spec_destroy(spec);
    print_problems(problems);
    ph_problems_destroy(problems);
    if (!CHECK_EQ_INT(status, PH_OK)) {
        return;
    }
    CHECK_EQ_INT(ph_model_bodies(model), 2);
    CHECK_EQ_INT(ph_model_rows(model), 6);
    CHECK_EQ_INT(ph_model_freedoms(model), 6);
    CHECK_EQ_INT(ph_model_find_body(model, "rod2"), 1);
    CHECK_EQ_INT(ph_model_find_body(model, "world"), PH_WORLD);
    CHECK_EQ_INT(ph_model_find_joint(model, "B"), PH_NONE);
    const ph_joint_info joint_a = ph_model_joint(model, 1);
    CHECK_NEAR(joint_a.anchor_a.y, 0.5, 1e-15);
    CHECK_NEAR(joint_a.anchor_b.y, -0.5, 1e-15);

    ph_state *state = ph_state_create(model), *copy = ph_state_create(model);
    ph_state_positions(state)[1].x = 7.0;
    CHECK_EQ_INT(ph_state_copy(copy, state), PH_OK);
    CHECK_NEAR(ph_state_positions(copy)[1].x, 7.0, 0.0);
    ph_state_reset(copy);
    CHECK_NEAR(ph_state_positions(copy)[1].x, -0.5, 0.0);
    CHECK_NEAR(ph_state_positions(state)[1].x, 7.0, 0.0);
    ph_state_destroy(copy);
    ph_state_destroy(state);
    ph_model_destroy(model);
}

// ---- Axes -----------------------------------------------------------------------------------------------------------

// An axis in the world, in the frame of the first body or of the second alone: the same joint.
TEST(an_axis_may_be_given_in_any_frame)
{
    const ph_vec3 axis = {0.6, 0.8, 0.0}, in_b = {0.8, -0.6, 0.0}; // b is turned by a right angle about z
    for (int way = 0; way < 3; way++) {
        ph_spec *spec = ph_spec_create(NULL);
        ph_body_def body = rod("rod");
        ph_joint_def def = ph_default_joint();
        ph_model *model = NULL;
        body.orientation = (ph_quat){sqrt(0.5), 0.0, 0.0, sqrt(0.5)};
        def.name = "hinge";
        def.type = "revolute";
        def.body_a = PH_WORLD;
        def.body_b = ph_spec_add_body(spec, &body);
        def.has_anchor = true;
        def.has_axis = way == 0, def.axis = axis;
        def.has_axis_a = way == 1, def.axis_a = axis;
        def.has_axis_b = way == 2, def.axis_b = in_b;
        CHECK(ph_spec_add_joint(spec, &def) >= 0);
        ph_model_compile(spec, NULL, &model);
        ph_spec_destroy(spec);
        if (!CHECK(model)) continue;
        CHECK_NEAR(ph_norm(ph_sub(ph_mat_col(model->joints[0].E_a, 2), axis)), 0.0, 1e-15);
        CHECK_NEAR(ph_norm(ph_sub(ph_mat_col(model->joints[0].E_b, 2), in_b)), 0.0, 1e-15);
        ph_model_destroy(model);
    }
}
