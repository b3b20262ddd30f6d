// One number of four vectors that go through the same matrices together, where four.h has four numbers of one vector.
#ifndef PH_MATH_QUAD_H
#define PH_MATH_QUAD_H

#include "math/columns.h"

enum { QUAD = 4 };

typedef four_stored quad;

typedef struct quad3 {
    quad c[3];
} quad3;

FOUR_INLINE quad quad_splat(double x)
{
    return four_splat(x);
}

FOUR_INLINE quad3 quad3_load(const quad *x)
{
    return (quad3){{x[0], x[1], x[2]}};
}

FOUR_INLINE void quad3_store(quad *to, const quad3 *x)
{
    for (int i = 0; i < 3; i++) to[i] = x->c[i];
}

// to += s x
FOUR_INLINE void quad3_add(quad3 *to, double s, const quad3 *x)
{
    for (int i = 0; i < 3; i++) to->c[i] += quad_splat(s) * x->c[i];
}

// to += s A x
FOUR_INLINE void quad3_add_product(quad3 *to, double s, const columns *A, const quad3 *x)
{
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) to->c[i] += quad_splat(s * A->c[j][i]) * x->c[j];
}

// to += s a x b
FOUR_INLINE void quad3_add_cross(quad3 *to, double s, four a, const quad3 *b)
{
    const quad x = quad_splat(s * a[0]), y = quad_splat(s * a[1]), z = quad_splat(s * a[2]);
    to->c[0] += y * b->c[2] - z * b->c[1];
    to->c[1] += z * b->c[0] - x * b->c[2];
    to->c[2] += x * b->c[1] - y * b->c[0];
}

// to += a x, each component of a times the same numbers
FOUR_INLINE void quad3_add_along(quad3 *to, four a, quad x)
{
    for (int i = 0; i < 3; i++) to->c[i] += quad_splat(a[i]) * x;
}

FOUR_INLINE quad quad3_dot(four a, const quad3 *x)
{
    return quad_splat(a[0]) * x->c[0] + quad_splat(a[1]) * x->c[1] + quad_splat(a[2]) * x->c[2];
}

#endif
