// Rows of every joint type at random poses, on and off the constraint manifold, against central differences.

#include "test.h"

#include "joints/joint.h"
#include "math/quat.h"
#include "math/so3.h"

enum { BODIES = 2, POSES = 50 };

typedef struct scene {
    frame frames[BODIES];
    ph_twist twists[BODIES];
} scene;

static ph_vec3 random_vector(double size)
{
    return ph_vec(test_uniform(-size, size), test_uniform(-size, size), test_uniform(-size, size));
}

static ph_mat3 random_rotation(void)
{
    return ph_quat_to_mat(
        ph_quat_unit((ph_quat){test_uniform(-1, 1), test_uniform(-1, 1), test_uniform(-1, 1), test_uniform(-1, 1)}));
}

static scene random_scene(void)
{
    scene s;
    for (int i = 0; i < BODIES; i++) {
        s.frames[i] = (frame){random_rotation(), ph_add(ph_vec(3.0 * i, 0.0, 0.0), random_vector(0.5))};
        s.twists[i] = (ph_twist){random_vector(2.0), random_vector(2.0)};
    }
    return s;
}

// A joint of `type` between bodies 0 and 1. `fits`: its frames coincide in the scene, so that its rows are met.
static joint random_joint(const joint_type *type, const scene *s, bool fits)
{
    joint j = {.type = type, .a = 0, .b = 1, .body_count = 2, .bodies = {0, 1}, .slot_a = 0, .slot_b = 1};
    const frame *a = &s->frames[0], *b = &s->frames[1];
    j.s_a = random_vector(0.5);
    j.s_b = random_vector(0.5);
    j.E_a = random_rotation();
    j.E_b = random_rotation();
    if (fits) {
        const ph_vec3 point = ph_add(a->x, ph_mul(a->R, j.s_a));
        j.s_b = ph_tmul(b->R, ph_sub(point, b->x));
        j.E_b = ph_mat_tmul(b->R, ph_mat_mul(a->R, j.E_a));
    }
    j.length = test_uniform(0.5, 1.5);
    j.pitch = test_uniform(-0.5, 0.5);
    if (fits && (type->keys & JOINT_APART)) {
        j.s_b = ph_add(j.s_b, ph_unit(random_vector(1.0)));
        j.length = ph_norm(ph_sub(ph_add(b->x, ph_mul(b->R, j.s_b)), ph_add(a->x, ph_mul(a->R, j.s_a))));
    }
    CHECK(type->make(&j) == NULL);
    return j;
}

// The frame of body i moved by h along direction k: rotations in body axes, then translations in world axes.
static scene moved(const scene *s, int i, int k, double h)
{
    scene to = *s;
    double q[6] = {0};
    q[k] = h;
    to.frames[i].R = ph_mat_mul(s->frames[i].R, ph_so3_exp(ph_vec(q[0], q[1], q[2])));
    to.frames[i].x = ph_add(s->frames[i].x, ph_vec(q[3], q[4], q[5]));
    return to;
}

// All bodies moved for a time h at constant omega and v.
static scene flown(const scene *s, double h)
{
    scene to = *s;
    for (int i = 0; i < BODIES; i++) {
        to.frames[i].R = ph_mat_mul(s->frames[i].R, ph_so3_exp(ph_scale(h, s->twists[i].omega)));
        to.frames[i].x = ph_madd(s->frames[i].x, h, s->twists[i].v);
    }
    return to;
}

// Fourth-order central difference: with h = 5e-4 it is good to about 1e-11.
enum { STENCIL = 4 };
static const double stencil[STENCIL] = {-1e-3, -5e-4, 5e-4, 1e-3};

static double derivative(double at[STENCIL][JOINT_ROWS_MAX], int r)
{
    return (8.0 * (at[2][r] - at[1][r]) - (at[3][r] - at[0][r])) / (12.0 * 5e-4);
}

typedef void joint_check(const joint *j, const scene *s);

static void for_all_types(joint_check *check)
{
    for (int t = 0; joint_types[t]; t++) {
        for (int k = 0; k < POSES; k++) {
            const scene s = random_scene();
            const joint j = random_joint(joint_types[t], &s, k % 2 == 0);
            check(&j, &s);
        }
    }
}

static void check_fit(const joint *j, const scene *s)
{
    double phi[JOINT_ROWS_MAX];
    joint_residual(j, s->frames, phi);
    for (int r = 0; r < j->row_count; r++) {
        CHECK_NEAR(phi[r], 0.0, 1e-14);
    }
}

TEST(rows_vanish_when_the_frames_coincide)
{
    for (int t = 0; joint_types[t]; t++) {
        const scene s = random_scene();
        const joint j = random_joint(joint_types[t], &s, true);
        check_fit(&j, &s);
    }
}

static void check_jacobian(const joint *j, const scene *s)
{
    double B[JOINT_BODIES_MAX * 6 * JOINT_ROWS_MAX], at[STENCIL][JOINT_ROWS_MAX];
    joint_jacobian(j, s->frames, B);
    for (int slot = 0; slot < j->body_count; slot++) {
        for (int k = 0; k < 6; k++) {
            for (int n = 0; n < STENCIL; n++) {
                const scene p = moved(s, j->bodies[slot], k, stencil[n]);
                joint_residual(j, p.frames, at[n]);
            }
            for (int r = 0; r < j->row_count; r++) {
                CHECK_NEAR(B[(slot * j->row_count + r) * 6 + k], derivative(at, r), 1e-9);
            }
        }
    }
}

TEST(jacobian_is_the_derivative_of_the_residual)
{
    for_all_types(check_jacobian);
}

static void check_rate(const joint *j, const scene *s)
{
    double B[JOINT_BODIES_MAX * 6 * JOINT_ROWS_MAX], rate[JOINT_ROWS_MAX];
    joint_jacobian(j, s->frames, B);
    joint_velocity_residual(j, s->frames, s->twists, rate);
    for (int r = 0; r < j->row_count; r++) {
        double Bv = 0.0;
        for (int slot = 0; slot < j->body_count; slot++) {
            const double *row_of_B = B + (slot * j->row_count + r) * 6;
            const ph_twist v = s->twists[j->bodies[slot]];
            Bv += ph_dot(ph_vec(row_of_B[0], row_of_B[1], row_of_B[2]), v.omega);
            Bv += ph_dot(ph_vec(row_of_B[3], row_of_B[4], row_of_B[5]), v.v);
        }
        CHECK_NEAR(rate[r], Bv, 1e-13);
    }
}

TEST(velocity_residual_is_jacobian_times_velocity)
{
    for_all_types(check_rate);
}

static void check_bias(const joint *j, const scene *s)
{
    double bias[JOINT_ROWS_MAX], at[STENCIL][JOINT_ROWS_MAX];
    joint_bias(j, s->frames, s->twists, bias);
    for (int k = 0; k < STENCIL; k++) {
        const scene p = flown(s, stencil[k]);
        joint_velocity_residual(j, p.frames, s->twists, at[k]);
    }
    for (int r = 0; r < j->row_count; r++) {
        CHECK_NEAR(bias[r], derivative(at, r), 1e-8 * (1.0 + fabs(bias[r])));
    }
}

TEST(bias_is_the_time_derivative_of_the_rate)
{
    for_all_types(check_bias);
}
