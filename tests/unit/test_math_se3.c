// Rigid motions against power series of 4x4 and 6x6 matrices in quadruple precision, which know nothing of rotations.
#include "test.h"

#include "math/se3.h"
#include "math_random.h"
#include "quad.h"

// --- reference -------------------------------------------------------------------------------------------------------

typedef struct quad_mat6 {
    quad m[6][6];
} quad_mat6;

static quad_mat6 quad_identity6(void)
{
    quad_mat6 I = {{{0}}};
    for (int i = 0; i < 6; i++) {
        I.m[i][i] = 1;
    }
    return I;
}

static quad_mat6 quad_mul6(const quad_mat6 *A, const quad_mat6 *B)
{
    quad_mat6 C = {{{0}}};
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 6; k++) {
            for (int j = 0; j < 6; j++) {
                C.m[i][j] += A->m[i][k] * B->m[k][j];
            }
        }
    }
    return C;
}

static void put_hat(quad_mat6 *A, int row, int column, const quad v[3])
{
    A->m[row][column + 1] = -v[2], A->m[row][column + 2] = v[1];
    A->m[row + 1][column] = v[2], A->m[row + 1][column + 2] = -v[0];
    A->m[row + 2][column] = -v[1], A->m[row + 2][column + 1] = v[0];
}

// T = sum (-ad)^k / (k+1)!, ad = [omega~ 0; v~ omega~]
static quad_mat6 quad_tangent(const quad t[6])
{
    quad_mat6 ad = {{{0}}}, term = quad_identity6(), sum = term;
    put_hat(&ad, 0, 0, t);
    put_hat(&ad, 3, 3, t);
    put_hat(&ad, 3, 0, t + 3);
    for (int k = 1; k < 60; k++) {
        term = quad_mul6(&term, &ad);
        for (int i = 0; i < 36; i++) {
            (&term.m[0][0])[i] *= (quad)-1 / (k + 1);
            (&sum.m[0][0])[i] += (&term.m[0][0])[i];
        }
    }
    return sum;
}

static quad_mat6 quad_transpose6(quad_mat6 A)
{
    quad_mat6 B;
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            B.m[i][j] = A.m[j][i];
        }
    }
    return B;
}

// Gauss and Jordan with row exchange
static quad_mat6 quad_inverse6(quad_mat6 A)
{
    quad_mat6 B = quad_identity6();
    for (int k = 0; k < 6; k++) {
        int pivot = k;
        for (int i = k + 1; i < 6; i++) {
            if (quad_abs(A.m[i][k]) > quad_abs(A.m[pivot][k])) {
                pivot = i;
            }
        }
        for (int j = 0; j < 6; j++) {
            const quad a = A.m[k][j], b = B.m[k][j];
            A.m[k][j] = A.m[pivot][j], A.m[pivot][j] = a;
            B.m[k][j] = B.m[pivot][j], B.m[pivot][j] = b;
        }
        for (int i = 0; i < 6; i++) {
            const quad factor = i == k ? 1 - 1 / A.m[k][k] : A.m[i][k] / A.m[k][k];
            for (int j = 0; j < 6; j++) {
                A.m[i][j] -= factor * A.m[k][j];
                B.m[i][j] -= factor * B.m[k][j];
            }
        }
    }
    return B;
}

// T, T^-1, T^T, T^-T
static quad_mat6 quad_map(int map, const quad t[6])
{
    quad_mat6 A = quad_tangent(t);
    if (map & 1) {
        A = quad_inverse6(A);
    }
    return map & 2 ? quad_transpose6(A) : A;
}

static void to_array(ph_twist t, double a[6])
{
    a[0] = t.omega.x, a[1] = t.omega.y, a[2] = t.omega.z, a[3] = t.v.x, a[4] = t.v.y, a[5] = t.v.z;
}

static void to_quad(ph_twist t, quad q[6])
{
    double a[6];
    to_array(t, a);
    for (int i = 0; i < 6; i++) {
        q[i] = (quad)a[i];
    }
}

// --- what is tested --------------------------------------------------------------------------------------------------

// The four products with one face: wrenches are passed as twists.
static ph_twist product(int map, ph_twist t, ph_twist a)
{
    const ph_wrench w = {a.omega, a.v};
    if (map == 0) {
        return ph_se3_dexp(t, a);
    }
    if (map == 1) {
        return ph_se3_dexp_inv(t, a);
    }
    const ph_wrench r = map == 2 ? ph_se3_dexp_t(t, w) : ph_se3_dexp_inv_t(t, w);
    return (ph_twist){r.torque, r.force};
}

static ph_mat6 derivative(int map, ph_twist t, ph_twist a)
{
    const ph_wrench w = {a.omega, a.v};
    switch (map) {
    case 0:
        return ph_se3_dexp_d(t, a);
    case 1:
        return ph_se3_dexp_inv_d(t, a);
    case 2:
        return ph_se3_dexp_t_d(t, w);
    default:
        return ph_se3_dexp_inv_t_d(t, w);
    }
}

static double entry(const ph_mat6 *M, int i, int j)
{
    return M->block[i / 3][j / 3].m[i % 3][j % 3];
}

// Twists whose angle is near 0, at the switches, near pi, or anywhere below 5.
static ph_twist random_twist(int i)
{
    const double special[] = {0.0, 1e-12, 1e-6, 1e-3, 0.4999999, 0.5000001, 1.0, 3.1415926, 3.14159265358979, 4.0001};
    const ph_vec3 omega = random_of_length(i % 2 ? special[i / 2 % 10] : test_uniform(0.0, 5.0));
    return (ph_twist){omega, random_vec(2.0)};
}

static double twist_distance(ph_twist a, ph_twist b)
{
    return vec_distance(a.omega, b.omega) + vec_distance(a.v, b.v);
}

static ph_pose random_pose(void)
{
    const ph_quat q = random_quat();
    return (ph_pose){q, random_vec(2.0)};
}

static ph_twist any_twist(void)
{
    const ph_vec3 omega = random_vec(1.0);
    return (ph_twist){omega, random_vec(1.0)};
}

TEST(poses_form_a_group)
{
    for (int i = 0; i < 500; i++) {
        const ph_pose a = random_pose(), b = random_pose();
        const ph_vec3 p = random_vec(1.0);
        const ph_vec3 twice = ph_pose_act(a, ph_pose_act(b, p));
        CHECK_NEAR(vec_distance(ph_pose_act(ph_pose_mul(a, b), p), twice), 0.0, 5e-15);
        CHECK_NEAR(vec_distance(ph_pose_act(ph_pose_inverse(a), ph_pose_act(a, p)), p), 0.0, 5e-15);
        CHECK_NEAR(vec_distance(ph_pose_act(ph_pose_identity(), p), p), 0.0, 0.0);
    }
}

// Ad is a homomorphism, exp(Ad_H t) = H exp(t) H^-1; coadjoint maps are transposes: powers agree.
TEST(adjoint_maps)
{
    for (int i = 0; i < 500; i++) {
        const ph_pose a = random_pose(), b = random_pose();
        const ph_twist t = any_twist(), u = any_twist(), s = any_twist();
        const ph_wrench w = {u.omega, u.v};
        const ph_twist both = ph_se3_adjoint(a, ph_se3_adjoint(b, t));
        CHECK_NEAR(twist_distance(ph_se3_adjoint(ph_pose_mul(a, b), t), both), 0.0, 3e-14);
        const ph_pose conjugate = ph_pose_mul(ph_pose_mul(a, ph_se3_exp(t)), ph_pose_inverse(a));
        CHECK_NEAR(twist_distance(ph_se3_log(conjugate), ph_se3_adjoint(a, t)), 0.0, 3e-14);

        const ph_twist moved = ph_se3_adjoint(a, t);
        const ph_wrench pulled = ph_se3_coadjoint(a, w);
        CHECK_NEAR(ph_dot(pulled.torque, t.omega) + ph_dot(pulled.force, t.v),
                   ph_dot(w.torque, moved.omega) + ph_dot(w.force, moved.v), 2e-14);
        const ph_twist bracket = ph_se3_bracket(s, t);
        const ph_wrench co = ph_se3_cobracket(s, w);
        CHECK_NEAR(ph_dot(co.torque, t.omega) + ph_dot(co.force, t.v),
                   ph_dot(w.torque, bracket.omega) + ph_dot(w.force, bracket.v), 4e-15);
        CHECK_NEAR(twist_distance(ph_se3_bracket(t, t), (ph_twist){ph_zero3(), ph_zero3()}), 0.0, 1e-16);
    }
}

// The series of the 4x4 matrix [omega~ v; 0 0], column by column of the result
TEST(exponential)
{
    for (int i = 0; i < 200; i++) {
        const ph_twist t = random_twist(i);
        quad q[6], A[4][4] = {{0}}, term[4][4] = {{0}}, sum[4][4] = {{0}};
        to_quad(t, q);
        A[0][1] = -q[2], A[0][2] = q[1], A[1][0] = q[2], A[1][2] = -q[0], A[2][0] = -q[1], A[2][1] = q[0];
        for (int r = 0; r < 4; r++) {
            A[r][3] = r < 3 ? q[3 + r] : 0;
            term[r][r] = sum[r][r] = 1;
        }
        for (int k = 1; k < 60; k++) {
            quad next[4][4] = {{0}};
            for (int r = 0; r < 4; r++) {
                for (int c = 0; c < 4; c++) {
                    for (int l = 0; l < 4; l++) {
                        next[r][c] += term[r][l] * A[l][c] / k;
                    }
                    sum[r][c] += next[r][c];
                }
            }
            memcpy(term, next, sizeof term);
        }
        const ph_pose h = ph_se3_exp(t);
        const ph_mat3 R = ph_quat_to_mat(h.q);
        const double x[3] = {h.x.x, h.x.y, h.x.z};
        for (int r = 0; r < 3; r++) {
            CHECK_NEAR(x[r], (double)sum[r][3], 4e-15);
            for (int c = 0; c < 3; c++) {
                CHECK_NEAR(R.m[r][c], (double)sum[r][c], 3e-15);
            }
        }
    }
}

TEST(logarithm_inverts_the_exponential)
{
    for (int i = 0; i < 1000; i++) {
        ph_twist t = random_twist(i);
        const double angle = ph_norm(t.omega);
        if (angle > 3.14159265358979) {
            t.omega = ph_scale(3.0 / angle, t.omega);
        }
        CHECK_NEAR(twist_distance(ph_se3_log(ph_se3_exp(t)), t), 0.0, 2e-14);
    }
}

TEST(tangent_maps)
{
    for (int map = 0; map < 4; map++) {
        for (int i = 0; i < 60; i++) {
            const ph_twist t = random_twist(i), a = any_twist();
            double got[6], arg[6];
            quad q[6];
            to_quad(t, q);
            to_array(product(map, t, a), got);
            to_array(a, arg);
            const quad_mat6 M = quad_map(map, q);
            for (int r = 0; r < 6; r++) {
                quad sum = 0;
                for (int c = 0; c < 6; c++) {
                    sum += M.m[r][c] * (quad)arg[c];
                }
                CHECK_NEAR(got[r], (double)sum, 3e-14);
            }
        }
    }
}

TEST(tangent_matrices)
{
    for (int i = 0; i < 100; i++) {
        const ph_twist t = random_twist(i), a = any_twist();
        const ph_mat6 T = ph_se3_dexp_matrix(t), T_inv = ph_se3_dexp_inv_matrix(t);
        CHECK_NEAR(twist_distance(ph_mat6_mul(&T, a), ph_se3_dexp(t, a)), 0.0, 1e-14);
        CHECK_NEAR(twist_distance(ph_mat6_mul(&T_inv, a), ph_se3_dexp_inv(t, a)), 0.0, 3e-14);
        CHECK_NEAR(twist_distance(ph_mat6_mul(&T_inv, ph_mat6_mul(&T, a)), a), 0.0, 1e-13);
    }
}

// Central differences: in quadruple precision of the series, and in double precision of the functions themselves
TEST(derivatives_of_tangent_maps)
{
    const double h = 1e-5;
    for (int map = 0; map < 4; map++) {
        for (int i = 0; i < 40; i++) {
            const ph_twist t = random_twist(i), a = any_twist();
            const ph_mat6 D = derivative(map, t, a);
            double arg[6], at[6];
            to_array(a, arg);
            to_array(t, at);
            for (int c = 0; c < 6; c++) {
                quad ahead[6], behind[6];
                to_quad(t, ahead);
                to_quad(t, behind);
                ahead[c] += (quad)1e-10;
                behind[c] -= (quad)1e-10;
                const quad_mat6 M1 = quad_map(map, ahead), M0 = quad_map(map, behind);
                double plus[6], minus[6], y1[6], y0[6];
                memcpy(plus, at, sizeof plus);
                memcpy(minus, at, sizeof minus);
                plus[c] += h;
                minus[c] -= h;
                to_array(product(map, (ph_twist){{plus[0], plus[1], plus[2]}, {plus[3], plus[4], plus[5]}}, a), y1);
                to_array(product(map, (ph_twist){{minus[0], minus[1], minus[2]}, {minus[3], minus[4], minus[5]}}, a),
                         y0);
                for (int r = 0; r < 6; r++) {
                    quad sum = 0;
                    for (int k = 0; k < 6; k++) {
                        sum += (M1.m[r][k] - M0.m[r][k]) * (quad)arg[k];
                    }
                    const double exact = (double)(sum / (ahead[c] - behind[c]));
                    CHECK_NEAR(entry(&D, r, c), exact, 1e-13 * (1.0 + fabs(exact)));
                    CHECK_NEAR(entry(&D, r, c), (y1[r] - y0[r]) / (2.0 * h), 1e-8 * (1.0 + fabs(exact)));
                }
            }
        }
    }
}
