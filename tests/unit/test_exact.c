// The scheme `exact`: which models it takes, and what it does with them.

#include "test.h"

#include "math/quat.h"
#include "scenes.h"

static const ph_vec3 ORIGIN = {0.0, 0.0, 0.0};

static ph_status try_exact(ph_spec *spec, ph_error *error)
{
    ph_model *model = scene_finish(spec);
    ph_sim_def def = ph_default_sim();
    def.scheme = "exact";
    ph_sim *sim = NULL;
    *error = (ph_error){0};
    const ph_status status = model ? ph_sim_create(model, &def, &sim, error) : PH_BAD_MODEL;
    CHECK((sim != NULL) == (status == PH_OK));
    ph_sim_destroy(sim);
    ph_model_destroy(model);
    return status;
}

static void check_refused(ph_spec *spec, const char *why)
{
    ph_error error;
    CHECK_EQ_INT(try_exact(spec, &error), PH_NOT_SUPPORTED);
    if (!CHECK(strstr(error.text, why) != NULL)) {
        printf("  %s\n", error.text);
    }
}

// A rod along y hangs by a ball joint at the origin: a symmetric top.
static ph_body_def rod_of(ph_quat orientation, ph_vec3 omega)
{
    ph_body_def body = ph_default_body();
    body.name = "rod";
    body.mass = 2.0;
    body.inertia = ph_diag(ph_vec(0.17, 0.01, 0.17));
    body.orientation = orientation;
    body.position = ph_quat_rotate(orientation, ph_vec(0.0, 0.5, 0.0));
    body.angular_velocity = omega;
    body.velocity = ph_quat_rotate(orientation, ph_cross(omega, ph_vec(0.0, 0.5, 0.0)));
    return body;
}

// ---- What it refuses ------------------------------------------------------------------------------------------------

TEST(refuses_joints_other_than_ball_joints)
{
    ph_spec *spec = scene_start();
    const int rod = scene_body(spec, "rod", (ph_vec3){0.0, 0.5, 0.0});
    scene_axial(spec, "hinge", "revolute", PH_WORLD, rod, ORIGIN, (ph_vec3){1.0, 0.0, 0.0});
    check_refused(spec, "joint 'hinge' is not a ball joint");
}

TEST(refuses_bodies_that_are_tied_together)
{
    ph_spec *spec = scene_start();
    const int a = scene_body(spec, "a", (ph_vec3){0.0, 0.5, 0.0}), b = scene_body(spec, "b", (ph_vec3){0.0, 1.5, 0.0});
    scene_ball(spec, "between", a, b, (ph_vec3){0.0, 1.0, 0.0});
    check_refused(spec, "joint 'between' ties two moving bodies together");
}

TEST(refuses_a_second_joint)
{
    ph_spec *spec = scene_start();
    const int rod = scene_body(spec, "rod", (ph_vec3){0.0, 0.5, 0.0});
    scene_ball(spec, "one", PH_WORLD, rod, ORIGIN);
    scene_ball(spec, "other", PH_WORLD, rod, (ph_vec3){0.0, 1.0, 0.0});
    check_refused(spec, "body 'rod' hangs on two joints");
}

TEST(refuses_tops_that_are_not_symmetric)
{
    ph_spec *spec = scene_start();
    const int rod = scene_body(spec, "rod", (ph_vec3){0.0, 0.5, 0.0});
    scene_ball(spec, "tip", PH_WORLD, rod, (ph_vec3){0.1, 0.0, 0.0});
    check_refused(spec, "body 'rod' is not symmetric about the line from its joint");
}

TEST(refuses_force_elements)
{
    ph_spec *spec = scene_start();
    ph_force_def wrench = ph_default_force();
    wrench.name = "push";
    wrench.type = "wrench";
    wrench.body_b = scene_body(spec, "rod", ORIGIN);
    wrench.force[0].number = 1.0;
    ph_spec_add_force(spec, &wrench);
    check_refused(spec, "force 'push' acts, too");
}

// ---- What it does ---------------------------------------------------------------------------------------------------

TEST(free_bodies_fall_on_parabolas)
{
    ph_spec *spec = scene_start();
    ph_body_def body = ph_default_body();
    body.name = "a";
    body.mass = 2.0;
    body.inertia = ph_diag(ph_vec(1.0, 2.0, 2.5));
    body.velocity = (ph_vec3){1.0, 2.0, 3.0};
    body.angular_velocity = (ph_vec3){0.0, 0.0, 2.0};
    ph_spec_add_body(spec, &body);
    scene_body(spec, "b", (ph_vec3){5.0, 0.0, 0.0});
    ph_model *model = scene_finish(spec);
    ph_state *state = ph_state_create(model);
    ph_sim_def def = ph_default_sim();
    def.scheme = "exact";
    ph_sim *sim = NULL;
    CHECK_EQ_INT(ph_sim_create(model, &def, &sim, NULL), PH_OK);
    for (int k = 0; k < 4; k++) {
        CHECK_EQ_INT(ph_sim_step(sim, state, 0.5, NULL), PH_OK);
    }
    const ph_vec3 *x = ph_state_positions(state), *v = ph_state_velocities(state);
    CHECK_NEAR(x[0].x, 2.0, 1e-15);
    CHECK_NEAR(x[0].y, 4.0, 1e-15);
    CHECK_NEAR(x[0].z, 6.0 - 2.0 * 9.81, 1e-14);
    CHECK_NEAR(v[0].z, 3.0 - 2.0 * 9.81, 1e-14);
    CHECK_NEAR(x[1].z, -2.0 * 9.81, 1e-14);
    CHECK_NEAR(ph_state_orientations(state)[0].w, cos(2.0), 1e-15);
    CHECK_NEAR(ph_state_orientations(state)[0].z, sin(2.0), 1e-15);
    ph_sim_destroy(sim);
    ph_state_destroy(state);
    ph_model_destroy(model);
}

// Largest distance of the motions by two schemes, over `steps` steps of h each.
static double distance_of(ph_spec *spec, const char *other, double h, int steps)
{
    ph_model *model = scene_finish(spec);
    ph_state *a = ph_state_create(model), *b = ph_state_create(model);
    ph_sim_def def = ph_default_sim();
    ph_sim *exact = NULL, *scheme = NULL;
    def.scheme = "exact";
    CHECK_EQ_INT(ph_sim_create(model, &def, &exact, NULL), PH_OK);
    def.scheme = other;
    CHECK_EQ_INT(ph_sim_create(model, &def, &scheme, NULL), PH_OK);
    double largest = 0.0;
    for (int k = 0; k < steps; k++) {
        CHECK_EQ_INT(ph_sim_step(exact, a, h, NULL), PH_OK);
        CHECK_EQ_INT(ph_sim_step(scheme, b, h, NULL), PH_OK);
        const ph_quat p = ph_state_orientations(a)[0], q = ph_state_orientations(b)[0];
        const ph_quat d = {p.w - q.w, p.x - q.x, p.y - q.y, p.z - q.z};
        const double apart[] = {
            ph_quat_norm(d),
            ph_norm(ph_sub(ph_state_positions(a)[0], ph_state_positions(b)[0])),
            ph_norm(ph_sub(ph_state_velocities(a)[0], ph_state_velocities(b)[0])),
            ph_norm(ph_sub(ph_state_angular_velocities(a)[0], ph_state_angular_velocities(b)[0])),
        };
        for (int i = 0; i < 4; i++) {
            largest = apart[i] <= largest ? largest : apart[i];
        }
    }
    ph_sim_destroy(exact);
    ph_sim_destroy(scheme);
    ph_state_destroy(a);
    ph_state_destroy(b);
    ph_model_destroy(model);
    return largest;
}

static ph_spec *hanging_rod(ph_vec3 gravity, ph_quat orientation, ph_vec3 omega)
{
    ph_spec *spec = scene_start();
    ph_spec_set_gravity(spec, gravity);
    const ph_body_def body = rod_of(orientation, omega);
    scene_ball(spec, "tip", PH_WORLD, ph_spec_add_body(spec, &body), ORIGIN);
    return spec;
}

// Gravity and the axis in directions of their own, the quaternion without jumps of its sign: `rattlie6` has all of it from
// the equations of motion.
TEST(agrees_with_a_scheme_of_order_6)
{
    const ph_quat tilt = ph_quat_unit((ph_quat){0.9, 0.2, -0.3, 0.4});
    const ph_vec3 omega = {1.0, 20.0, -2.0}, down = {0.0, 0.0, -9.81}, aslant = {3.0, -5.0, 2.0}, up = {0.0, 0.0, 9.81};
    CHECK_NEAR(distance_of(hanging_rod(down, tilt, omega), "rattlie6", 2e-3, 500), 0.0, 1e-8);
    CHECK_NEAR(distance_of(hanging_rod(aslant, tilt, omega), "rattlie6", 2e-3, 500), 0.0, 1e-8);
    CHECK_NEAR(distance_of(hanging_rod(up, tilt, omega), "rattlie6", 2e-3, 500), 0.0, 1e-8);
    CHECK_NEAR(distance_of(hanging_rod(ORIGIN, tilt, omega), "rattlie6", 2e-3, 500), 0.0, 1e-8);
}

// A state that the user has changed is a new start; so is one that another scheme has moved.
TEST(starts_anew_from_a_state_that_was_changed)
{
    ph_model *model =
        scene_finish(hanging_rod((ph_vec3){0.0, 0.0, -9.81}, ph_quat_identity(), (ph_vec3){1.0, 5.0, 2.0}));
    ph_state *state = ph_state_create(model), *copy = ph_state_create(model);
    ph_sim_def def = ph_default_sim();
    def.scheme = "exact";
    ph_sim *sim = NULL;
    CHECK_EQ_INT(ph_sim_create(model, &def, &sim, NULL), PH_OK);
    CHECK_EQ_INT(ph_sim_step(sim, state, 0.25, NULL), PH_OK);
    CHECK_EQ_INT(ph_state_copy(copy, state), PH_OK);
    ph_state_touch(copy);
    CHECK_EQ_INT(ph_sim_step(sim, state, 0.5, NULL), PH_OK); // from the first anchor
    CHECK_EQ_INT(ph_sim_step(sim, copy, 0.5, NULL), PH_OK);  // from the second: the same motion
    CHECK_NEAR(ph_norm(ph_sub(ph_state_positions(state)[0], ph_state_positions(copy)[0])), 0.0, 1e-14);
    CHECK_EQ_INT(ph_sim_step(sim, state, -0.75, NULL), PH_OK); // and back to the start
    CHECK_NEAR(ph_norm(ph_sub(ph_state_positions(state)[0], (ph_vec3){0.0, 0.5, 0.0})), 0.0, 1e-15);
    ph_state_angular_velocities(state)[0] = ORIGIN;
    ph_state_velocities(state)[0] = ORIGIN;
    ph_state_touch(state);
    CHECK_EQ_INT(ph_sim_step(sim, state, 1e-3, NULL), PH_OK);
    CHECK_NEAR(ph_norm(ph_state_angular_velocities(state)[0]), 2.0 * 9.81 * 0.5 / (0.17 + 2.0 * 0.25) * 1e-3, 1e-8);
    ph_sim_destroy(sim);
    ph_state_destroy(state);
    ph_state_destroy(copy);
    ph_model_destroy(model);
}
