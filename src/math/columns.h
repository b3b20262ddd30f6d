// 3x3 matrices as three columns of four doubles, the fourth of no meaning: products are sums of scaled columns, which the
// compiler makes vector instructions of, with the same bits everywhere.
#ifndef PH_MATH_COLUMNS_H
#define PH_MATH_COLUMNS_H

#include "math/four.h"
#include "math/mat3.h"

#include <stdbool.h>

typedef four four_stored __attribute__((aligned(8))); // in arrays, which need not begin at a multiple of 32 bytes

typedef struct columns {
    four_stored c[3];
} columns;

FOUR_INLINE four four_of(ph_vec3 v)
{
    return (four){v.x, v.y, v.z, v.z}; // not 0.0: valgrind does not know what GCC makes of that
}

FOUR_INLINE four four_three(const double *x)
{
    return (four){x[0], x[1], x[2], x[2]};
}

FOUR_INLINE ph_vec3 four_vec(four v)
{
    return (ph_vec3){v[0], v[1], v[2]};
}

FOUR_INLINE double four_dot(four a, four b)
{
    const four p = a * b;
    return p[0] + p[1] + p[2];
}

FOUR_INLINE four four_cross(four a, four b)
{
    const four a1 = {a[1], a[2], a[0], a[3]}, b1 = {b[1], b[2], b[0], b[3]};
    const four c = a * b1 - a1 * b;
    return (four){c[1], c[2], c[0], c[3]};
}

FOUR_INLINE columns columns_of(const ph_mat3 *M)
{
    columns A;
    for (int j = 0; j < 3; j++) A.c[j] = (four){M->m[0][j], M->m[1][j], M->m[2][j], M->m[2][j]};
    return A;
}

FOUR_INLINE columns columns_transposed(const ph_mat3 *M)
{
    columns A;
    for (int j = 0; j < 3; j++) A.c[j] = (four){M->m[j][0], M->m[j][1], M->m[j][2], M->m[j][2]};
    return A;
}

FOUR_INLINE columns columns_diagonal(double x)
{
    return (columns){{{x, 0.0, 0.0, 0.0}, {0.0, x, 0.0, 0.0}, {0.0, 0.0, x, 0.0}}};
}

FOUR_INLINE four columns_apply(const columns *A, four x)
{
    return A->c[0] * four_splat(x[0]) + A->c[1] * four_splat(x[1]) + A->c[2] * four_splat(x[2]);
}

FOUR_INLINE four columns_turn(const columns *A, ph_vec3 x)
{
    return A->c[0] * four_splat(x.x) + A->c[1] * four_splat(x.y) + A->c[2] * four_splat(x.z);
}

// x^T A
FOUR_INLINE four columns_apply_left(four x, const columns *A)
{
    const double z = four_dot(x, A->c[2]);
    return (four){four_dot(x, A->c[0]), four_dot(x, A->c[1]), z, z};
}

FOUR_INLINE columns columns_mul(const columns *A, const columns *B)
{
    columns C;
    for (int j = 0; j < 3; j++) C.c[j] = columns_apply(A, B->c[j]);
    return C;
}

FOUR_INLINE columns columns_add(const columns *A, const columns *B)
{
    return (columns){{A->c[0] + B->c[0], A->c[1] + B->c[1], A->c[2] + B->c[2]}};
}

FOUR_INLINE columns columns_sub(const columns *A, const columns *B)
{
    return (columns){{A->c[0] - B->c[0], A->c[1] - B->c[1], A->c[2] - B->c[2]}};
}

// A s~
FOUR_INLINE columns columns_mul_hat(const columns *A, four s)
{
    const four x = four_splat(s[0]), y = four_splat(s[1]), z = four_splat(s[2]);
    return (columns){{A->c[1] * z - A->c[2] * y, A->c[2] * x - A->c[0] * z, A->c[0] * y - A->c[1] * x}};
}

// s~ A
FOUR_INLINE columns columns_hat_mul(four s, const columns *A)
{
    return (columns){{four_cross(s, A->c[0]), four_cross(s, A->c[1]), four_cross(s, A->c[2])}};
}

// A - u w^T
FOUR_INLINE columns columns_sub_outer(const columns *A, four u, four w)
{
    return (columns){{A->c[0] - u * four_splat(w[0]), A->c[1] - u * four_splat(w[1]), A->c[2] - u * four_splat(w[2])}};
}

// false: singular, or not finite
FOUR_INLINE bool columns_invert(const columns *A, columns *inverse)
{
    const four x = four_cross(A->c[1], A->c[2]), y = four_cross(A->c[2], A->c[0]), z = four_cross(A->c[0], A->c[1]);
    const double det = four_dot(A->c[0], x), s = 1.0 / det;
    for (int j = 0; j < 3; j++) inverse->c[j] = (four){s * x[j], s * y[j], s * z[j], s * z[j]};
    return det != 0.0 && det - det == 0.0;
}

#endif
