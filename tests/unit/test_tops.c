// Closed-form motions of tops against the equations of motion themselves, integrated in quadruple precision by
// extrapolation of the modified midpoint rule (Gragg, Bulirsch, Stoer).

#include "test.h"

#include "exact/tops.h"
#include "math/quat.h"

#include "quad.h"
#include "random_vector.h"

enum { SIZE = 7 }; // quaternion, angular velocity

typedef struct body_law {
    double J[3];
    double weight_moment; // of a top whose centre of mass lies on body z
} body_law;

// q' = 1/2 q (0, omega); J omega' = J omega x omega + m g l (y3, -x3, 0), (x3, y3, z3) the world's z in the body
static void derivative(const body_law *law, const quad *y, quad *dy)
{
    const quad *q = y, *w = y + 4;
    dy[0] = (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]) / 2;
    dy[1] = (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]) / 2;
    dy[2] = (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]) / 2;
    dy[3] = (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]) / 2;
    const quad weight = 2 * (quad)law->weight_moment;
    const quad torque[3] = {weight * (q[2] * q[3] + q[0] * q[1]), -weight * (q[1] * q[3] - q[0] * q[2]), 0};
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        dy[4 + i] = (((quad)law->J[j] - (quad)law->J[k]) * w[j] * w[k] + torque[i]) / (quad)law->J[i];
    }
}

static void midpoint(const body_law *law, const quad *from, quad step, int parts, quad *to)
{
    quad before[SIZE], now[SIZE], slope[SIZE];
    const quad h = step / parts;
    derivative(law, from, slope);
    for (int i = 0; i < SIZE; i++) {
        before[i] = from[i];
        now[i] = from[i] + h * slope[i];
    }
    for (int n = 1; n < parts; n++) {
        derivative(law, now, slope);
        for (int i = 0; i < SIZE; i++) {
            const quad next = before[i] + 2 * h * slope[i];
            before[i] = now[i];
            now[i] = next;
        }
    }
    derivative(law, now, slope);
    for (int i = 0; i < SIZE; i++) {
        to[i] = (before[i] + now[i] + h * slope[i]) / 2;
    }
}

// One step of order 20: midpoint rules of 2, 4, ..., 20 parts, extrapolated to none.
static void extrapolated_step(const body_law *law, quad *y, quad step)
{
    enum { COLUMNS = 10 };
    quad table[COLUMNS][SIZE];
    for (int k = 0; k < COLUMNS; k++) {
        midpoint(law, y, step, 2 * (k + 1), table[k]);
        for (int j = k - 1; j >= 0; j--) {
            const quad ratio = (quad)(k + 1) / (j + 1);
            for (int i = 0; i < SIZE; i++) {
                table[j][i] = table[j + 1][i] + (table[j + 1][i] - table[j][i]) / (ratio * ratio - 1);
            }
        }
    }
    for (int i = 0; i < SIZE; i++) {
        y[i] = table[0][i];
    }
}

static attitude integrate(const body_law *law, const attitude *start, double time)
{
    const ph_vec3 w = start->omega;
    quad y[SIZE] = {start->q.w, start->q.x, start->q.y, start->q.z, w.x, w.y, w.z};
    const double fast = ph_norm(w) + sqrt(law->weight_moment / law->J[0]) + 1.0;
    const int steps = 1 + (int)(2.0 * fast * fabs(time));
    for (int n = 0; n < steps; n++) {
        extrapolated_step(law, y, (quad)time / steps);
    }
    return (attitude){{(double)y[0], (double)y[1], (double)y[2], (double)y[3]},
                      {(double)y[4], (double)y[5], (double)y[6]}};
}

static void check_attitude(attitude a, attitude b, double tolerance)
{
    const double size = 1.0 + ph_norm(b.omega);
    CHECK_NEAR(a.q.w, b.q.w, tolerance);
    CHECK_NEAR(a.q.x, b.q.x, tolerance);
    CHECK_NEAR(a.q.y, b.q.y, tolerance);
    CHECK_NEAR(a.q.z, b.q.z, tolerance);
    CHECK_NEAR(a.omega.x, b.omega.x, tolerance * size);
    CHECK_NEAR(a.omega.y, b.omega.y, tolerance * size);
    CHECK_NEAR(a.omega.z, b.omega.z, tolerance * size);
}

static ph_quat random_rotation(void)
{
    return ph_quat_unit((ph_quat){test_uniform(-1.0, 1.0), test_uniform(-1.0, 1.0), test_uniform(-1.0, 1.0), 0.1});
}

// ---- Free bodies ----------------------------------------------------------------------------------------------------

static void check_free(ph_vec3 J, ph_vec3 omega, double time, double tolerance)
{
    const attitude start = {random_rotation(), omega};
    const body_law law = {{J.x, J.y, J.z}, 0.0};
    const euler_top top = euler_top_of(ph_diag(J), &start);
    check_attitude(euler_top_at(&top, time), integrate(&law, &start, time), tolerance);
    check_attitude(euler_top_at(&top, 0.0), start, 1e-15);
}

TEST(free_bodies_with_random_moments)
{
    for (int i = 0; i < 40; i++) {
        const ph_vec3 J = ph_vec(test_uniform(0.5, 2.0), test_uniform(0.5, 2.0), test_uniform(0.5, 2.0));
        check_free(J, random_vector(2.0), test_uniform(-10.0, 10.0), 3e-14);
    }
}

TEST(free_bodies_near_a_steady_rotation)
{
    for (int axis = 0; axis < 3; axis++) {
        for (double nudge = 1e-12; nudge < 1e-2; nudge *= 100.0) {
            ph_vec3 omega = ph_vec(nudge, -nudge, 2.0 * nudge);
            *(&omega.x + axis) = axis == 1 ? -1.0 : 1.0;
            check_free(ph_vec(1.0, 2.0, 3.0), omega, 5.0, 3e-14);
        }
    }
}

TEST(free_bodies_near_the_separatrix)
{
    // J = (1, 2, 3): on the separatrix where 3 omega_3^2 = omega_1^2
    for (double off = -1e-4; off <= 1e-4; off += 2e-5) {
        check_free(ph_vec(1.0, 2.0, 3.0), ph_vec(sqrt(3.0) * (1.0 + off), 0.3, 1.0), 4.0, 3e-14);
    }
    check_free(ph_vec(3.0, 2.0, 1.0), ph_vec(1.0, 0.0, sqrt(3.0)), 4.0, 3e-14);
    check_free(ph_vec(0.5, 1.0, 2.0), ph_vec(2.0, 0.5, 1.0), 3.0, 3e-14); // exactly: 2 (2 - 1) 1 = 0.5 (1 - 0.5) 4
}

TEST(free_bodies_that_turn_about_a_fixed_axis)
{
    check_free(ph_vec(1.0, 2.0, 3.0), ph_vec(0.0, 1.5, 0.0), 7.0, 1e-14);
    check_free(ph_vec(1.0, 2.0, 3.0), ph_vec(0.0, 0.0, 0.0), 7.0, 1e-14);
    check_free(ph_vec(2.0, 2.0, 2.0), ph_vec(0.3, -0.4, 1.2), 7.0, 1e-14);
    check_free(ph_vec(2.0, 3.0, 3.0), ph_vec(0.0, -0.4, 1.2), 7.0, 1e-14);
}

TEST(free_bodies_with_equal_moments)
{
    check_free(ph_vec(2.0, 2.0, 3.0), ph_vec(0.3, -0.4, 1.2), 9.0, 3e-14);
    check_free(ph_vec(3.0, 2.0, 2.0), ph_vec(0.3, -0.4, 1.2), 9.0, 3e-14);
    check_free(ph_vec(2.0, 1.0, 2.0), ph_vec(0.3, 0.4, -1.2), 9.0, 3e-14);
    check_free(ph_vec(2.0, 2.0 * (1.0 + 1e-15), 3.0), ph_vec(0.3, -0.4, 1.2), 9.0, 3e-14);
    check_free(ph_vec(2.0, 3.0 * (1.0 - 1e-15), 3.0), ph_vec(0.3, -0.4, 1.2), 9.0, 3e-14);
}

// The inertia in turned axes gives the same motion, turned.
TEST(free_bodies_in_any_axes)
{
    for (int i = 0; i < 20; i++) {
        const ph_vec3 J = ph_vec(test_uniform(0.5, 2.0), test_uniform(0.5, 2.0), test_uniform(0.5, 2.0));
        const attitude start = {random_rotation(), random_vector(2.0)};
        const ph_quat turn = random_rotation();
        const ph_mat3 R = ph_quat_to_mat(turn);
        const attitude turned = {ph_quat_mul(start.q, turn), ph_tmul(R, start.omega)};
        const euler_top a = euler_top_of(ph_diag(J), &start);
        const euler_top b = euler_top_of(ph_sym(ph_mat_tmul(R, ph_mat_mul(ph_diag(J), R))), &turned);
        const attitude at = euler_top_at(&b, 6.0);
        check_attitude((attitude){ph_quat_mul(at.q, ph_quat_conj(turn)), ph_mul(R, at.omega)}, euler_top_at(&a, 6.0),
                       5e-14);
    }
}

TEST(symmetric_bodies)
{
    for (int i = 0; i < 20; i++) {
        const double transverse = test_uniform(0.5, 2.0), axial = test_uniform(0.1, 2.0),
                     time = test_uniform(-9.0, 9.0);
        const attitude start = {random_rotation(), random_vector(2.0)};
        const body_law law = {{transverse, transverse, axial}, 0.0};
        check_attitude(symmetric_body_at(transverse, axial, &start, time), integrate(&law, &start, time), 1e-14);
    }
}

// ---- Tops -----------------------------------------------------------------------------------------------------------

static void check_top(ph_quat q, ph_vec3 omega, double time, double tolerance)
{
    const body_law law = {{0.002, 0.002, 0.0008}, 0.392};
    const attitude start = {q, omega};
    const lagrange_top top = lagrange_top_of(law.J[0], law.J[2], law.weight_moment, &start);
    check_attitude(lagrange_top_at(&top, time), integrate(&law, &start, time), tolerance);
    check_attitude(lagrange_top_at(&top, 0.0), start, 4e-15);
}

static ph_quat tilted(double angle, double about)
{
    return (ph_quat){cos(0.5 * angle), sin(0.5 * angle) * cos(about), sin(0.5 * angle) * sin(about), 0.0};
}

TEST(tops_with_random_starts)
{
    for (int i = 0; i < 40; i++) {
        check_top(random_rotation(), random_vector(40.0), test_uniform(-0.5, 0.5), 1e-13);
    }
}

TEST(tops_that_start_upright_or_hanging)
{
    check_top(ph_quat_identity(), ph_vec(0.0, 0.0, 50.0), 0.4, 1e-13); // asleep
    check_top((ph_quat){0.0, 0.6, 0.8, 0.0}, ph_vec(0.0, 0.0, 50.0), 0.4, 1e-13);
    check_top(ph_quat_identity(), ph_vec(3.0, 4.0, 50.0), 0.4,
              1e-13); // kicked: passes through the vertical again and again
    check_top((ph_quat){0.8, 0.0, 0.0, 0.6}, ph_vec(3.0, -4.0, 50.0), 0.4, 1e-13);
    check_top((ph_quat){0.0, 0.6, 0.8, 0.0}, ph_vec(3.0, 4.0, 50.0), 0.4, 1e-13);
    check_top((ph_quat){0.0, 1.0, 0.0, 0.0}, ph_vec(-3.0, 4.0, -20.0), 0.4, 1e-13);
}

TEST(tops_that_pass_close_to_the_vertical)
{
    for (double miss = 1e-12; miss < 1e-1; miss *= 100.0) {
        check_top(tilted(miss, 0.3), ph_vec(3.0, 4.0, 60.0), 0.3, 1e-13);
        check_top(tilted(3.141592653589793 - miss, 0.3), ph_vec(3.0, 4.0, 60.0), 0.3, 1e-13);
        check_top(tilted(1.0, 0.0), ph_vec(30.0, miss, 0.0), 0.3, 1e-13); // a pendulum that swings over the top
    }
}

TEST(tops_without_spin_are_pendulums)
{
    check_top(tilted(2.0, 0.0), ph_vec(0.0, 0.0, 0.0), 1.0, 1e-13);
    check_top(tilted(2.0, 0.0), ph_vec(40.0, 0.0, 0.0), 0.3, 1e-13);
    check_top(tilted(2.0, 0.7), ph_vec(0.0, 0.0, 0.0), 1.0, 1e-13);
    check_top(tilted(2.0, 0.7), ph_vec(1.0, 5.0, 0.0), 1.0, 1e-13);
    check_top(tilted(3.1415, 0.7), ph_vec(0.001, 0.002, 0.0), 1.0, 1e-13);
}

// omega_2 = phi' sin(tilt) and omega_3 = psi' + phi' cos(tilt) with I_1 phi'^2 cos - I_3 omega_3 phi' + m g l = 0
TEST(tops_in_regular_precession)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        const double c = cos(0.7), spin = 80.0, b = 0.0008 * spin;
        const double rate = (b + sign * sqrt(b * b - 4.0 * 0.002 * c * 0.392)) / (2.0 * 0.002 * c);
        check_top(tilted(0.7, 0.0), ph_vec(0.0, rate * sin(0.7), spin), 0.5, 1e-13);
        const attitude start = {tilted(0.7, 0.0), ph_vec(0.0, rate * sin(0.7), spin)};
        const lagrange_top top = lagrange_top_of(0.002, 0.0008, 0.392, &start);
        CHECK_NEAR(top.high - top.low, 0.0, 1e-14);
    }
}
