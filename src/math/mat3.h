// 3x3 matrices, m[row][column]: values in, values out.
#ifndef PH_MATH_MAT3_H
#define PH_MATH_MAT3_H

#include "math/vec3.h"

static inline ph_mat3 ph_mat_rows(ph_vec3 r0, ph_vec3 r1, ph_vec3 r2)
{
    return (ph_mat3){{{r0.x, r0.y, r0.z}, {r1.x, r1.y, r1.z}, {r2.x, r2.y, r2.z}}};
}

static inline ph_mat3 ph_mat_cols(ph_vec3 c0, ph_vec3 c1, ph_vec3 c2)
{
    return (ph_mat3){{{c0.x, c1.x, c2.x}, {c0.y, c1.y, c2.y}, {c0.z, c1.z, c2.z}}};
}

static inline ph_mat3 ph_diag(ph_vec3 v)
{
    return (ph_mat3){{{v.x, 0.0, 0.0}, {0.0, v.y, 0.0}, {0.0, 0.0, v.z}}};
}

static inline ph_mat3 ph_identity(void)
{
    return ph_diag(ph_vec(1.0, 1.0, 1.0));
}

static inline ph_mat3 ph_mat_zero(void)
{
    return ph_diag(ph_zero3());
}

static inline ph_vec3 ph_mat_row(ph_mat3 M, int i)
{
    return (ph_vec3){M.m[i][0], M.m[i][1], M.m[i][2]};
}

static inline ph_vec3 ph_mat_col(ph_mat3 M, int j)
{
    return (ph_vec3){M.m[0][j], M.m[1][j], M.m[2][j]};
}

static inline ph_mat3 ph_transpose(ph_mat3 M)
{
    return ph_mat_cols(ph_mat_row(M, 0), ph_mat_row(M, 1), ph_mat_row(M, 2));
}

// M v
static inline ph_vec3 ph_mul(ph_mat3 M, ph_vec3 v)
{
    return (ph_vec3){
        M.m[0][0] * v.x + M.m[0][1] * v.y + M.m[0][2] * v.z,
        M.m[1][0] * v.x + M.m[1][1] * v.y + M.m[1][2] * v.z,
        M.m[2][0] * v.x + M.m[2][1] * v.y + M.m[2][2] * v.z,
    };
}

// M^T v
static inline ph_vec3 ph_tmul(ph_mat3 M, ph_vec3 v)
{
    return (ph_vec3){
        M.m[0][0] * v.x + M.m[1][0] * v.y + M.m[2][0] * v.z,
        M.m[0][1] * v.x + M.m[1][1] * v.y + M.m[2][1] * v.z,
        M.m[0][2] * v.x + M.m[1][2] * v.y + M.m[2][2] * v.z,
    };
}

// A B
static inline ph_mat3 ph_mat_mul(ph_mat3 A, ph_mat3 B)
{
    ph_mat3 C;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            C.m[i][j] = A.m[i][0] * B.m[0][j] + A.m[i][1] * B.m[1][j] + A.m[i][2] * B.m[2][j];
        }
    }
    return C;
}

// A^T B
static inline ph_mat3 ph_mat_tmul(ph_mat3 A, ph_mat3 B)
{
    ph_mat3 C;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            C.m[i][j] = A.m[0][i] * B.m[0][j] + A.m[1][i] * B.m[1][j] + A.m[2][i] * B.m[2][j];
        }
    }
    return C;
}

// A B^T
static inline ph_mat3 ph_mat_mult(ph_mat3 A, ph_mat3 B)
{
    ph_mat3 C;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            C.m[i][j] = A.m[i][0] * B.m[j][0] + A.m[i][1] * B.m[j][1] + A.m[i][2] * B.m[j][2];
        }
    }
    return C;
}

// A + s B
static inline ph_mat3 ph_mat_madd(ph_mat3 A, double s, ph_mat3 B)
{
    ph_mat3 C;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            C.m[i][j] = A.m[i][j] + s * B.m[i][j];
        }
    }
    return C;
}

static inline ph_mat3 ph_mat_add(ph_mat3 A, ph_mat3 B)
{
    return ph_mat_madd(A, 1.0, B);
}

static inline ph_mat3 ph_mat_sub(ph_mat3 A, ph_mat3 B)
{
    return ph_mat_madd(A, -1.0, B);
}

static inline ph_mat3 ph_mat_scale(double s, ph_mat3 A)
{
    ph_mat3 C;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            C.m[i][j] = s * A.m[i][j];
        }
    }
    return C;
}

// v~, the matrix with v~ b = v x b
static inline ph_mat3 ph_hat(ph_vec3 v)
{
    return (ph_mat3){{{0.0, -v.z, v.y}, {v.z, 0.0, -v.x}, {-v.y, v.x, 0.0}}};
}

// a~ M: the columns of M crossed from the left
static inline ph_mat3 ph_hat_mul(ph_vec3 a, ph_mat3 M)
{
    return ph_mat_cols(ph_cross(a, ph_mat_col(M, 0)), ph_cross(a, ph_mat_col(M, 1)), ph_cross(a, ph_mat_col(M, 2)));
}

// M a~: the rows of M crossed from the right, r^T a~ = (r x a)^T
static inline ph_mat3 ph_mul_hat(ph_mat3 M, ph_vec3 a)
{
    return ph_mat_rows(ph_cross(ph_mat_row(M, 0), a), ph_cross(ph_mat_row(M, 1), a), ph_cross(ph_mat_row(M, 2), a));
}

// a b^T
static inline ph_mat3 ph_outer(ph_vec3 a, ph_vec3 b)
{
    return ph_mat_rows(ph_scale(a.x, b), ph_scale(a.y, b), ph_scale(a.z, b));
}

static inline double ph_trace(ph_mat3 A)
{
    return A.m[0][0] + A.m[1][1] + A.m[2][2];
}

static inline double ph_det(ph_mat3 A)
{
    return ph_dot(ph_mat_row(A, 0), ph_cross(ph_mat_row(A, 1), ph_mat_row(A, 2)));
}

// Adjugate over determinant, one division; not finite for a singular matrix.
static inline ph_mat3 ph_inverse(ph_mat3 A)
{
    const ph_vec3 r0 = ph_mat_row(A, 0), r1 = ph_mat_row(A, 1), r2 = ph_mat_row(A, 2);
    const ph_vec3 c0 = ph_cross(r1, r2), c1 = ph_cross(r2, r0), c2 = ph_cross(r0, r1);
    const double s = 1.0 / ph_dot(r0, c0);
    return ph_mat_cols(ph_scale(s, c0), ph_scale(s, c1), ph_scale(s, c2));
}

// (A + A^T) / 2
static inline ph_mat3 ph_sym(ph_mat3 A)
{
    const double xy = 0.5 * (A.m[0][1] + A.m[1][0]);
    const double xz = 0.5 * (A.m[0][2] + A.m[2][0]);
    const double yz = 0.5 * (A.m[1][2] + A.m[2][1]);
    return (ph_mat3){{{A.m[0][0], xy, xz}, {xy, A.m[1][1], yz}, {xz, yz, A.m[2][2]}}};
}

// Frobenius norm
static inline double ph_mat_norm(ph_mat3 A)
{
    return sqrt(ph_norm2(ph_mat_row(A, 0)) + ph_norm2(ph_mat_row(A, 1)) + ph_norm2(ph_mat_row(A, 2)));
}

// Eigenvalues of a symmetric matrix in rising order, and a right-handed orthonormal basis of eigenvectors as columns:
// S = V diag(values) V^T. Only the upper triangle of S is read.
void ph_eig3(ph_mat3 S, ph_vec3 *values, ph_mat3 *vectors);

#endif
