// The affine body: closed forms, what its step keeps, and the passage to the rigid body as the stiffness grows.
#include "rig.h"

#include "math/mat3.h"
#include "math/quat.h"
#include "polhode/affine.h"

// A box of 2 kg, free or on a ball joint at its corner.
static ph_model *box(bool held, ph_vec3 omega)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_body_def body = ph_default_body();
    body.name = "box";
    body.mass = 2.0;
    body.volume = 0.006;
    const double m = 2.0 / 12.0, x = 0.09, y = 0.04, z = 0.01; // sides 0.3, 0.2, 0.1 m
    body.inertia = ph_diag(ph_vec(m * (y + z), m * (x + z), m * (x + y)));
    body.angular_velocity = omega;
    const ph_vec3 arm = {0.15, 0.1, 0.05};
    const int index = ph_spec_add_body(spec, &body);
    (void)index;
    if (held) {
        ph_spec_destroy(spec);
        spec = ph_spec_create(NULL);
        body.position = arm;
        body.velocity = ph_cross(omega, arm);
        ph_joint_def joint = ph_default_joint();
        joint.name = "corner";
        joint.type = "ball";
        joint.body_a = PH_WORLD;
        joint.body_b = ph_spec_add_body(spec, &body);
        joint.has_anchor = true;
        ph_spec_add_joint(spec, &joint);
        ph_spec_set_gravity(spec, ph_vec(0.0, 0.0, -9.81));
    }
    ph_model *model = NULL;
    CHECK_EQ_INT(ph_model_compile(spec, NULL, &model), PH_OK);
    ph_spec_destroy(spec);
    return model;
}

static double apart(ph_mat3 A, ph_mat3 B)
{
    double most = 0.0;
    for (int k = 0; k < 9; k++) most = fmax(most, fabs(A.m[k / 3][k % 3] - B.m[k / 3][k % 3]));
    return most;
}

TEST(stress_of_the_rigid_body_is_that_of_the_engine)
{
    for (int held = 0; held < 2; held++) {
        rig r = rig_open(box(held, ph_vec(10.0, 20.0, 30.0)), "rattlie8");
        ph_affine a;
        ph_mat3 mine, engine;
        CHECK_EQ_INT(ph_affine_make(r.model, 0, 1e9, 0.3, &a, NULL), PH_OK);
        for (int k = 0; k < 5; k++) {
            CHECK_EQ_INT(ph_observer_stress(r.observer, r.state, &engine), PH_OK);
            ph_affine_rigid_stress(&a, ph_state_orientations(r.state)[0], ph_state_angular_velocities(r.state)[0],
                                   &mine);
            CHECK_NEAR(apart(mine, engine), 0.0, 1e-9);
            rig_step(&r, 1e-3, 20);
        }
        rig_close(&r);
    }
}

// Spin about a principal axis: V S = w^2 K across it, whatever the stiffness, and the body stretches as S says.
TEST(steady_spin_has_its_closed_form)
{
    ph_model *model = box(false, ph_zero3());
    ph_affine a;
    ph_affine_state s;
    CHECK_EQ_INT(ph_affine_make(model, 0, 1e6, 0.0, &a, NULL), PH_OK);
    const double w = 30.0;
    ph_affine_start(&a, ph_quat_identity(), ph_vec(0.0, 0.0, w), &s);
    const ph_mat3 expected = ph_diag(ph_vec(w * w * a.K.m[0][0], w * w * a.K.m[1][1], 0.0));
    for (int k = 0; k < 500; k++) {
        CHECK_EQ_INT(ph_affine_step(&a, &s, 1e-4), PH_OK);
        CHECK_NEAR(apart(s.stress, expected), 0.0, 2e-5 * expected.m[0][0]);
    }
    const ph_mat3 C = ph_mat_tmul(s.F, s.F); // no ratio: E_xx = S_xx / modulus
    CHECK_NEAR(0.5 * (C.m[0][0] - 1.0), expected.m[0][0] / a.volume / 1e6, 1e-7);
    ph_model_destroy(model);
}

TEST(a_step_keeps_energy_and_momentum_whatever_the_stiffness)
{
    for (double modulus = 1e3; modulus < 1e13; modulus *= 1e3) {
        ph_model *model = box(false, ph_zero3());
        ph_affine a;
        ph_affine_state s;
        CHECK_EQ_INT(ph_affine_make(model, 0, modulus, 0.3, &a, NULL), PH_OK);
        ph_affine_start(&a, ph_quat_identity(), ph_vec(3.0, 5.0, -4.0), &s);
        const double energy = ph_affine_energy(&a, &s);
        const ph_vec3 momentum = ph_affine_momentum(&a, &s);
        for (int k = 0; k < 300; k++) CHECK_EQ_INT(ph_affine_step(&a, &s, 2e-3), PH_OK);
        // the strain is a difference of numbers of size 1: its rounding, squared, times the stiffness
        CHECK_NEAR(ph_affine_energy(&a, &s), energy, 1e-10 * energy);
        CHECK_NEAR(rig_distance(ph_affine_momentum(&a, &s), momentum), 0.0, 1e-11);
        ph_model_destroy(model);
    }
}

// Largest difference of the mean stress of each step from that of the rigid body in its middle, as a part of the largest.
static double stress_error(bool held, double modulus, double h, double until)
{
    const ph_vec3 omega = {1.0, 10.0, 2.0};
    rig r = rig_open(box(held, omega), "rattlie8");
    ph_affine a;
    ph_affine_state s;
    double most = 0.0, size = 0.0;
    CHECK_EQ_INT(ph_affine_make(r.model, 0, modulus, 0.3, &a, NULL), PH_OK);
    ph_affine_start(&a, ph_quat_identity(), omega, &s);
    for (int k = 0; k < (int)lround(until / h); k++) {
        ph_mat3 rigid;
        CHECK_EQ_INT(ph_affine_step(&a, &s, h), PH_OK);
        rig_step(&r, 0.5 * h, 1);
        ph_affine_rigid_stress(&a, ph_state_orientations(r.state)[0], ph_state_angular_velocities(r.state)[0], &rigid);
        rig_step(&r, 0.5 * h, 1);
        most = fmax(most, apart(s.stress, rigid));
        size = fmax(size, apart(rigid, ph_mat_zero()));
    }
    rig_close(&r);
    return most / size;
}

TEST(stress_goes_over_to_the_multiplier_as_stiffness_grows)
{
    for (int held = 0; held < 2; held++) {
        const double soft = stress_error(held, 1e6, 2e-5, 0.1), firm = stress_error(held, 1e7, 2e-5, 0.1);
        const double hard = stress_error(held, 1e8, 2e-5, 0.1);
        printf("  %s: %.2e, %.2e, %.2e of the stress at 1, 10 and 100 MPa\n", held ? "held" : "free", soft, firm, hard);
        CHECK(soft < 0.05);
        CHECK(firm < 0.2 * soft && hard < 0.2 * firm);
    }
}

// Steps that do not resolve the ringing of the material (h w = 100) still find the stress of the rigid body, to O(h): what is left
// of the ringing changes its sign from step to step.
TEST(long_steps_find_the_stress_of_the_rigid_body)
{
    const double coarse = stress_error(false, 1e10, 2e-3, 0.2), fine = stress_error(false, 1e10, 1e-3, 0.2);
    CHECK(fine < 1e-2);
    CHECK_NEAR(log2(coarse / fine), 1.0, 0.3);
}

TEST(what_it_does_not_know_is_refused_by_name)
{
    NEEDS_YAML;
    ph_model *model = rig_example("double_pendulum.yaml");
    ph_affine a;
    ph_error error = {.text = ""};
    CHECK(ph_affine_make(model, 1, 1e9, 0.3, &a, &error) == PH_NOT_SUPPORTED);
    CHECK(strstr(error.text, "joint '") || strstr(error.text, "has no volume"));
    CHECK(ph_affine_make(model, 0, -1.0, 0.3, &a, &error) == PH_BAD_ARGUMENT);
    ph_model_destroy(model);
}
