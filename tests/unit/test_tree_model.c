// Trees against an independent formulation: the maximal-coordinate solver of the same model, with constraint rows and
// multipliers in place of joint coordinates.
#include "polhode/analysis.h"
#include "random_tree.h"
#include "scenes.h"

static const char *const type_names[] = {"revolute", "prismatic", "ball", "free", "screw"};

// The model of random links, each body at home with a random orientation of its frame.
static ph_model *model_of(const ph_link_def *links, int count)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_spec_set_gravity(spec, (ph_vec3){1.0, -2.0, -9.81});
    for (int i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "link%d", i);
        ph_body_def body = ph_default_body();
        const ph_quat r = random_rotation();
        const ph_mat3 R = ph_quat_to_mat(r);
        body.name = name;
        body.mass = links[i].mass;
        body.position = links[i].com;
        body.orientation = r;
        body.inertia = ph_sym(ph_mat_tmul(R, ph_mat_mul(links[i].inertia, R)));
        CHECK_EQ_INT(ph_spec_add_body(spec, &body), i);
        if (links[i].joint == PH_TREE_FREE) {
            continue;
        }
        // some joints the other way round
        const bool turned = i % 3 == 2;
        ph_joint_def joint = ph_default_joint();
        snprintf(name, sizeof name, "joint%d", i);
        joint.name = name;
        joint.type = type_names[links[i].joint];
        joint.body_a = turned ? i : links[i].parent;
        joint.body_b = turned ? links[i].parent : i;
        joint.has_anchor = true;
        joint.anchor = links[i].anchor;
        joint.has_axis = links[i].joint != PH_TREE_BALL;
        joint.pitch = links[i].pitch;
        joint.axis = ph_scale(turned ? -1.0 : 1.0, links[i].axis);
        CHECK(ph_spec_add_joint(spec, &joint) >= 0);
    }
    return scene_finish(spec);
}

// Moves the bodies of a state to where the tree has its links.
static void set_state(ph_state *state, const ph_motor *motors, const ph_twist *twists, int count)
{
    for (int i = 0; i < count; i++) {
        ph_quat r;
        ph_vec3 t;
        ph_motor_split(motors[i], &r, &t);
        const ph_vec3 x = ph_add(ph_quat_rotate(r, ph_state_positions(state)[i]), t);
        const ph_quat orientation = ph_quat_unit(ph_quat_mul(r, ph_state_orientations(state)[i]));
        ph_state_positions(state)[i] = x;
        ph_state_orientations(state)[i] = orientation;
        ph_state_velocities(state)[i] = ph_add(twists[i].v, ph_cross(twists[i].omega, x));
        ph_state_angular_velocities(state)[i] = ph_quat_rotate(ph_quat_conj(orientation), twists[i].omega);
    }
    ph_state_touch(state);
}

// Accelerations of the bodies from u': omega' in body axes and x'' in world axes, as the observer gives them.
static ph_twist body_acceleration(ph_twist twist, ph_twist rate, ph_quat orientation, ph_vec3 x)
{
    // The twist's v is the velocity of the body point now at the origin: x'' = v' + omega' x x + omega x x'.
    const ph_vec3 velocity = ph_add(twist.v, ph_cross(twist.omega, x));
    const ph_vec3 a = ph_add3(rate.v, ph_cross(rate.omega, x), ph_cross(twist.omega, velocity));
    return (ph_twist){ph_quat_rotate(ph_quat_conj(orientation), rate.omega), a};
}

static void compare(int count, int joint_kinds)
{
    ph_link_def links[TREE_LINKS_MAX];
    random_links(links, count, joint_kinds);
    ph_model *model = model_of(links, count);
    ph_tree *tree = NULL;
    ph_observer *observer = NULL;
    ph_state *state = model ? ph_state_create(model) : NULL;
    if (!CHECK(state) || !CHECK_EQ_INT(ph_tree_from_model(model, &tree, NULL, NULL), PH_OK) ||
        !CHECK_EQ_INT(ph_observer_create(model, &observer), PH_OK)) {
        return;
    }
    double q[TREE_COORDINATES_MAX], u[TREE_AXES_MAX], u_rate[TREE_AXES_MAX], tau[TREE_AXES_MAX] = {0};
    ph_motor motors[TREE_LINKS_MAX];
    ph_twist twists[TREE_LINKS_MAX], rates[TREE_LINKS_MAX], expected[TREE_LINKS_MAX];
    random_values(q, ph_tree_coordinates(tree), 1.0);
    random_values(u, ph_tree_velocities(tree), 1.0);
    ph_tree_motion(tree, q, u, motors, twists);
    set_state(state, motors, twists, count);
    CHECK_EQ_INT(ph_tree_forward_dynamics(tree, q, u, tau, NULL, u_rate), PH_OK);
    ph_tree_accelerations(tree, q, u, u_rate, rates);
    CHECK_EQ_INT(ph_observer_dynamics(observer, state, expected, NULL), PH_OK);
    double worst = 0.0, largest = 1.0;
    for (int i = 0; i < count; i++) {
        const ph_twist a =
            body_acceleration(twists[i], rates[i], ph_state_orientations(state)[i], ph_state_positions(state)[i]);
        worst = fmax(worst, ph_max_abs(ph_sub(a.omega, expected[i].omega)));
        worst = fmax(worst, ph_max_abs(ph_sub(a.v, expected[i].v)));
        largest = fmax(largest, fmax(ph_max_abs(a.omega), ph_max_abs(a.v)));
    }
    CHECK_NEAR(worst, 0.0, 1e-10);
    CHECK(largest < 1e4);
    ph_measures m;
    double kinetic, potential;
    ph_observer_measure(observer, state, &m);
    ph_tree_energy(tree, q, u, &kinetic, &potential);
    CHECK_REL(m.kinetic, kinetic, 1e-13);
    CHECK_NEAR(m.potential, potential, 1e-12 * (1.0 + fabs(potential)));
    ph_observer_destroy(observer);
    ph_state_destroy(state);
    ph_tree_destroy(tree);
    ph_model_destroy(model);
}

TEST(one_axis_trees_agree_with_maximal_coordinates)
{
    compare(3, 2);
    compare(7, 2);
    compare(30, 2);
}

TEST(ball_and_free_joints_agree_with_maximal_coordinates)
{
    compare(3, 3);
    compare(7, 4);
    compare(30, 4);
}

TEST(screws_agree_with_maximal_coordinates)
{
    for (int round = 0; round < 10; round++) {
        compare(3, 5);
        compare(7, 5);
    }
    compare(30, 5);
}

// ---- From a model ---------------------------------------------------------------------------------------------------

TEST(bodies_fixed_to_each_other_are_one_link)
{
    ph_spec *spec = scene_start();
    const int stand = scene_fixed(spec, "stand", (ph_vec3){0.0, 0.0, 0.0});
    const int a = scene_body(spec, "a", (ph_vec3){0.0, 0.5, 0.0}), b = scene_body(spec, "b", (ph_vec3){0.0, 1.5, 0.0});
    const int c = scene_body(spec, "c", (ph_vec3){3.0, 0.0, 0.0}), d = scene_body(spec, "d", (ph_vec3){0.0, 0.0, 2.0});
    scene_axial(spec, "hinge", "revolute", stand, a, (ph_vec3){0.0, 0.0, 0.0}, (ph_vec3){1.0, 0.0, 0.0});
    const ph_joint_def weld = scene_joint_def("weld", "fixed", a, b, (ph_vec3){0.0, 1.0, 0.0});
    const ph_joint_def bolt = scene_joint_def("bolt", "fixed", PH_WORLD, d, (ph_vec3){0.0, 0.0, 2.0});
    ph_spec_add_joint(spec, &weld);
    ph_spec_add_joint(spec, &bolt);
    ph_model *model = scene_finish(spec);
    ph_tree *tree;
    int links[5];
    if (!CHECK_EQ_INT(ph_tree_from_model(model, &tree, links, NULL), PH_OK)) {
        return;
    }
    CHECK_EQ_INT(links[stand], PH_WORLD);
    CHECK_EQ_INT(links[a], 0);
    CHECK_EQ_INT(links[b], 0);
    CHECK_EQ_INT(links[c], 1); // free
    CHECK_EQ_INT(links[d], PH_WORLD);
    CHECK_EQ_INT(ph_tree_velocities(tree), 7);
    // the rod of 2 m about its end: 2 (0.17 + 2 0.5^2) + 2 (1.5^2 - 0.5^2)
    double q[8], M[49];
    ph_tree_home(tree, q);
    ph_tree_mass_matrix(tree, q, M);
    CHECK_NEAR(M[0], 0.17 + 2.0 * 0.25 + 0.17 + 2.0 * 2.25, 1e-14);
    ph_tree_destroy(tree);
    ph_model_destroy(model);
}

static void check_refused(ph_spec *spec, const char *text)
{
    ph_model *model = scene_finish(spec);
    ph_tree *tree;
    ph_error error = {0};
    CHECK_EQ_INT(ph_tree_from_model(model, &tree, NULL, &error), PH_NOT_SUPPORTED);
    CHECK_STR(error.text, text);
    CHECK(tree == NULL);
    ph_model_destroy(model);
}

TEST(models_that_are_no_trees_are_refused)
{
    ph_spec *spec = scene_start();
    int a = scene_body(spec, "a", (ph_vec3){0.0, 0.5, 0.0});
    scene_ball(spec, "one", PH_WORLD, a, (ph_vec3){0.0, 0.0, 0.0});
    scene_ball(spec, "two", a, PH_WORLD, (ph_vec3){0.0, 1.0, 0.0});
    check_refused(spec, "joint two closes a loop");
    spec = scene_start();
    a = scene_body(spec, "a", (ph_vec3){0.0, 0.5, 0.0});
    scene_axial(spec, "slide", "cylindrical", PH_WORLD, a, (ph_vec3){0.0, 0.0, 0.0}, (ph_vec3){0.0, 1.0, 0.0});
    check_refused(spec,
                  "joint slide is of type cylindrical: a tree has revolute, prismatic, screw, ball and fixed joints");
}
