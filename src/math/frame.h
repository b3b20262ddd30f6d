// A rotation matrix and an origin: where a body or a shape is. y = R p + x takes its coordinates to the world's.
#ifndef PH_MATH_FRAME_H
#define PH_MATH_FRAME_H

#include "math/mat3.h"

typedef struct frame {
    ph_mat3 R;
    ph_vec3 x;
} frame;

// R p + x
static inline ph_vec3 frame_point(const frame *f, ph_vec3 p)
{
    return ph_add(f->x, ph_mul(f->R, p));
}

// R^T (y - x)
static inline ph_vec3 frame_inverse_point(const frame *f, ph_vec3 y)
{
    return ph_tmul(f->R, ph_sub(y, f->x));
}

// First b, then a.
static inline frame frame_mul(const frame *a, const frame *b)
{
    return (frame){ph_mat_mul(a->R, b->R), frame_point(a, b->x)};
}

// b as seen from a: a^-1 b
static inline frame frame_relative(const frame *a, const frame *b)
{
    return (frame){ph_mat_tmul(a->R, b->R), frame_inverse_point(a, b->x)};
}

#endif
