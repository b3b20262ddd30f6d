// Vectors, matrices, quaternions and symmetric eigenvalues: the identities that define them.
#include "test.h"

#include "math_random.h"

enum { ROUNDS = 500 };

TEST(vector_algebra)
{
    for (int i = 0; i < ROUNDS; i++) {
        const ph_vec3 a = random_vec(2.0), b = random_vec(2.0), c = random_vec(2.0);
        CHECK_NEAR(ph_dot(a, ph_cross(a, b)), 0.0, 1e-14);
        CHECK_NEAR(ph_dot(b, ph_cross(a, b)), 0.0, 1e-14);
        // a x (b x c) = b (a.c) - c (a.b)
        const ph_vec3 grassmann = ph_madd(ph_scale(ph_dot(a, c), b), -ph_dot(a, b), c);
        CHECK_NEAR(vec_distance(ph_cross(a, ph_cross(b, c)), grassmann), 0.0, 1e-14);
        CHECK_NEAR(ph_norm2(ph_cross(a, b)), ph_norm2(a) * ph_norm2(b) - ph_dot(a, b) * ph_dot(a, b), 1e-13);
        CHECK_NEAR(vec_distance(ph_add3(a, b, ph_neg(a)), b), 0.0, 1e-15);
        CHECK_NEAR(vec_distance(ph_madd(a, 3.0, b), ph_add(a, ph_scale(3.0, b))), 0.0, 0.0);
        CHECK_NEAR(ph_norm(ph_unit(a)), 1.0, 4e-16);
        CHECK(ph_max_abs(a) <= ph_norm(a) && ph_norm(a) <= 1.7320508075688774 * ph_max_abs(a));
    }
    CHECK(ph_max_abs(ph_vec(1.0, -3.0, 2.0)) == 3.0 && ph_max_abs(ph_vec(1.0, 2.0, -4.0)) == 4.0);
    for (int i = 0; i < 3; i++) {
        const double x[3] = {i == 0 ? (double)NAN : 1.0, i == 1 ? (double)NAN : 2.0, i == 2 ? (double)NAN : 0.0};
        CHECK(isnan(ph_max_abs(ph_vec(x[0], x[1], x[2]))));
    }
    CHECK_NEAR(vec_distance(ph_cross(ph_vec(1, 0, 0), ph_vec(0, 1, 0)), ph_vec(0, 0, 1)), 0.0, 0.0);
}

TEST(perpendicular_of_any_vector)
{
    for (int i = 0; i < ROUNDS; i++) {
        ph_vec3 v = random_of_length(pow(10.0, test_uniform(-100.0, 100.0)));
        if (i % 4 == 0) {
            v.x = 0.0;
        }
        if (i % 8 == 0) {
            v.y = 0.0;
        }
        const ph_vec3 p = ph_any_perpendicular(v);
        CHECK_NEAR(ph_norm(p), 1.0, 4e-16);
        CHECK_NEAR(ph_dot(p, v), 0.0, 4e-16 * ph_norm(v));
    }
}

TEST(matrix_algebra)
{
    for (int i = 0; i < ROUNDS; i++) {
        const ph_mat3 A = random_mat(1.0), B = random_mat(1.0);
        const ph_vec3 a = random_vec(1.0), b = random_vec(1.0);
        CHECK_NEAR(vec_distance(ph_mul(ph_mat_mul(A, B), a), ph_mul(A, ph_mul(B, a))), 0.0, 4e-15);
        CHECK_NEAR(vec_distance(ph_tmul(A, a), ph_mul(ph_transpose(A), a)), 0.0, 0.0);
        CHECK_NEAR(mat_distance(ph_mat_tmul(A, B), ph_mat_mul(ph_transpose(A), B)), 0.0, 0.0);
        CHECK_NEAR(mat_distance(ph_mat_mult(A, B), ph_mat_mul(A, ph_transpose(B))), 0.0, 0.0);
        CHECK_NEAR(vec_distance(ph_mul(ph_hat(a), b), ph_cross(a, b)), 0.0, 0.0);
        CHECK_NEAR(mat_distance(ph_hat_mul(a, A), ph_mat_mul(ph_hat(a), A)), 0.0, 0.0);
        CHECK_NEAR(mat_distance(ph_mul_hat(A, a), ph_mat_mul(A, ph_hat(a))), 0.0, 0.0);
        CHECK_NEAR(vec_distance(ph_mul(ph_outer(a, b), a), ph_scale(ph_dot(b, a), a)), 0.0, 2e-15);
        CHECK_NEAR(mat_distance(ph_mat_cols(ph_mat_col(A, 0), ph_mat_col(A, 1), ph_mat_col(A, 2)), A), 0.0, 0.0);
        CHECK_NEAR(mat_distance(ph_mat_rows(ph_mat_row(A, 0), ph_mat_row(A, 1), ph_mat_row(A, 2)), A), 0.0, 0.0);
        CHECK_NEAR(mat_distance(ph_sym(A), ph_mat_scale(0.5, ph_mat_add(A, ph_transpose(A)))), 0.0, 0.0);
        CHECK_NEAR(mat_distance(ph_mat_sub(ph_mat_madd(A, 2.0, B), A), ph_mat_scale(2.0, B)), 0.0, 1e-15);
        CHECK_NEAR(ph_det(ph_mat_mul(A, B)), ph_det(A) * ph_det(B), 1e-14);
        CHECK_REL(ph_mat_norm(A), sqrt(ph_trace(ph_mat_tmul(A, A))), 1e-15);
        if (fabs(ph_det(A)) > 0.1) {
            CHECK_NEAR(mat_distance(ph_mat_mul(A, ph_inverse(A)), ph_identity()), 0.0, 1e-13);
        }
    }
    CHECK_NEAR(mat_distance(ph_mat_add(ph_diag(ph_vec(1, 2, 3)), ph_mat_zero()), ph_diag(ph_vec(1, 2, 3))), 0.0, 0.0);
}

static void check_eigen(ph_mat3 S)
{
    ph_vec3 values;
    ph_mat3 V;
    ph_eig3(S, &values, &V);
    const double scale = ph_mat_norm(S);
    CHECK(values.x <= values.y && values.y <= values.z);
    CHECK_NEAR(mat_distance(ph_mat_tmul(V, V), ph_identity()), 0.0, 1e-15);
    CHECK_NEAR(ph_det(V), 1.0, 2e-15);
    CHECK_NEAR(mat_distance(ph_mat_mult(ph_mat_mul(V, ph_diag(values)), V), S), 0.0, 2e-15 * scale);
}

TEST(symmetric_eigenvalues)
{
    for (int i = 0; i < ROUNDS; i++) {
        check_eigen(ph_sym(random_mat(pow(10.0, test_uniform(-8.0, 8.0)))));
        // Known eigenvalues, also equal ones, in a random frame.
        const ph_mat3 R = ph_quat_to_mat(random_quat());
        const double a = test_uniform(-1.0, 1.0);
        const ph_vec3 d = i % 3 == 0 ? ph_vec(a, a, a) : i % 3 == 1 ? ph_vec(a, a, a + 1.0) : ph_vec(a, a + 1e-9, 2.0);
        ph_vec3 values;
        ph_mat3 V;
        ph_eig3(ph_sym(ph_mat_mult(ph_mat_mul(R, ph_diag(d)), R)), &values, &V);
        CHECK_NEAR(vec_distance(values, d), 0.0, 4e-15);
        check_eigen(ph_sym(ph_mat_mult(ph_mat_mul(R, ph_diag(d)), R)));
    }
    check_eigen(ph_mat_zero());
    check_eigen(ph_diag(ph_vec(3.0, 1.0, 2.0)));
    check_eigen(ph_mat_rows(ph_vec(0, 1, 0), ph_vec(1, 0, 0), ph_vec(0, 0, 0)));
    check_eigen(ph_mat_rows(ph_vec(1e200, 1, 0), ph_vec(1, 1e-200, 1e-10), ph_vec(0, 1e-10, 0)));
}

// A thin rod: the small moment keeps its digits although it is 1e12 times smaller than the others.
TEST(eigenvalues_of_graded_matrix)
{
    ph_vec3 values;
    ph_mat3 V;
    ph_eig3(ph_mat_rows(ph_vec(1e-12, 2e-7, 1e-7), ph_vec(2e-7, 1.0, 0.25), ph_vec(1e-7, 0.25, 1.0)), &values, &V);
    // det / (product of the larger two), which are 3/4 and 5/4 up to 1e-13
    const double exact = (1e-12 * 0.9375 - (4e-14 + 1e-14 - 2.0 * 0.25 * 2e-14)) / 0.9375;
    CHECK_REL(values.x, exact, 1e-12);
}

TEST(quaternion_algebra)
{
    for (int i = 0; i < ROUNDS; i++) {
        const ph_quat p = random_quat(), q = random_quat();
        const ph_vec3 v = random_vec(1.0);
        const ph_mat3 R = ph_quat_to_mat(q);
        CHECK_NEAR(mat_distance(ph_mat_tmul(R, R), ph_identity()), 0.0, 2e-15);
        CHECK_NEAR(ph_det(R), 1.0, 2e-15);
        CHECK_NEAR(vec_distance(ph_quat_rotate(q, v), ph_mul(R, v)), 0.0, 2e-15);
        CHECK_NEAR(vec_distance(ph_quat_rotate(ph_quat_conj(q), v), ph_tmul(R, v)), 0.0, 2e-15);
        CHECK_NEAR(mat_distance(ph_quat_to_mat(ph_quat_mul(p, q)), ph_mat_mul(ph_quat_to_mat(p), R)), 0.0, 2e-15);
        // One polish squares the distance from unit norm.
        const ph_quat off = {q.w * 1.0001, q.x * 1.0001, q.y * 1.0001, q.z * 1.0001};
        CHECK_NEAR(ph_quat_norm(ph_quat_polish(off)), 1.0 - 1.5e-8, 1e-11);
        CHECK_NEAR(ph_quat_norm(ph_quat_unit(off)), 1.0, 3e-16);
        CHECK_NEAR(ph_quat_norm(ph_quat_polish(q)), 1.0, 3e-16);
    }
}

// All four branches, and matrices next to the borders between them.
TEST(quaternion_of_matrix)
{
    for (int i = 0; i < 4 * ROUNDS; i++) {
        ph_quat q = random_quat();
        if (i % 2) {
            q = (ph_quat){1.0, test_random_index(3) - 1, test_random_index(3) - 1, test_random_index(3) - 1};
            q.w = test_random_index(2);
            q.x += 1e-9 * test_uniform(-1.0, 1.0);
            q = ph_quat_unit(q);
        }
        const ph_quat r = ph_quat_from_mat(ph_quat_to_mat(q));
        const double sign = r.w * q.w + r.x * q.x + r.y * q.y + r.z * q.z < 0.0 ? -1.0 : 1.0;
        const double d =
            fabs(r.w - sign * q.w) + fabs(r.x - sign * q.x) + fabs(r.y - sign * q.y) + fabs(r.z - sign * q.z);
        CHECK(r.w >= 0.0);
        CHECK_NEAR(d, 0.0, 2e-15);
    }
}

TEST(axis_and_angle)
{
    for (int i = 0; i < ROUNDS; i++) {
        const double angle = test_uniform(-9.0, 9.0);
        const ph_vec3 u = random_of_length(1.0), v = random_vec(1.0);
        const double length = pow(10.0, test_uniform(-250.0, 250.0));
        const ph_quat q = ph_quat_from_axis_angle(ph_scale(length, u), angle);
        // Rodrigues: v cos + u x v sin + u (u.v) (1 - cos)
        const ph_vec3 part = ph_madd(ph_scale(cos(angle), v), sin(angle), ph_cross(u, v));
        const ph_vec3 turned = ph_madd(part, ph_dot(u, v) * (1.0 - cos(angle)), u);
        CHECK_NEAR(vec_distance(ph_quat_rotate(q, v), turned), 0.0, 3e-15);
    }
    const ph_quat q = ph_quat_from_axis_angle(ph_zero3(), 1.0);
    CHECK(q.w == 1.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0);
}

static ph_mat3 turn(char axis, double a)
{
    const double s = sin(a), c = cos(a);
    switch (axis) {
    case 'x':
        return ph_mat_rows(ph_vec(1, 0, 0), ph_vec(0, c, -s), ph_vec(0, s, c));
    case 'y':
        return ph_mat_rows(ph_vec(c, 0, s), ph_vec(0, 1, 0), ph_vec(-s, 0, c));
    default:
        return ph_mat_rows(ph_vec(c, -s, 0), ph_vec(s, c, 0), ph_vec(0, 0, 1));
    }
}

TEST(euler_angles)
{
    const char *sequences[] = {"xyx", "xyz", "xzx", "xzy", "yxy", "yxz", "yzx", "yzy", "zxy", "zxz", "zyx", "zyz"};
    for (int i = 0; i < 12; i++) {
        for (int k = 0; k < 20; k++) {
            const char *s = sequences[i];
            const double a[3] = {test_uniform(-4.0, 4.0), test_uniform(-4.0, 4.0), test_uniform(-4.0, 4.0)};
            const ph_mat3 R = ph_mat_mul(turn(s[0], a[0]), ph_mat_mul(turn(s[1], a[1]), turn(s[2], a[2])));
            ph_quat q;
            CHECK(ph_quat_from_euler(s, a, &q));
            CHECK_NEAR(mat_distance(ph_quat_to_mat(q), R), 0.0, 2e-15);
        }
    }
    const char *wrong[] = {"", "z", "zx", "zxzx", "zzx", "xyy", "abc", "ZXZ", "zx "};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ph_quat q;
        CHECK(!ph_quat_from_euler(wrong[i], (const double[3]){1.0, 2.0, 3.0}, &q));
        CHECK(q.w == 1.0 && q.x == 0.0);
    }
}
