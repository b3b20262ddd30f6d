// Vectors of three doubles: values in, values out.
#ifndef PH_MATH_VEC3_H
#define PH_MATH_VEC3_H

#include "polhode/math.h"

#include <math.h>

static inline ph_vec3 ph_vec(double x, double y, double z)
{
    return (ph_vec3){x, y, z};
}

static inline ph_vec3 ph_zero3(void)
{
    return (ph_vec3){0.0, 0.0, 0.0};
}

static inline ph_vec3 ph_add(ph_vec3 a, ph_vec3 b)
{
    return (ph_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline ph_vec3 ph_add3(ph_vec3 a, ph_vec3 b, ph_vec3 c)
{
    return ph_add(ph_add(a, b), c);
}

static inline ph_vec3 ph_sub(ph_vec3 a, ph_vec3 b)
{
    return (ph_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline ph_vec3 ph_neg(ph_vec3 v)
{
    return (ph_vec3){-v.x, -v.y, -v.z};
}

static inline ph_vec3 ph_scale(double s, ph_vec3 v)
{
    return (ph_vec3){s * v.x, s * v.y, s * v.z};
}

// v + s u
static inline ph_vec3 ph_madd(ph_vec3 v, double s, ph_vec3 u)
{
    return (ph_vec3){v.x + s * u.x, v.y + s * u.y, v.z + s * u.z};
}

static inline double ph_dot(ph_vec3 a, ph_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline ph_vec3 ph_cross(ph_vec3 a, ph_vec3 b)
{
    return (ph_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// |v|^2
static inline double ph_norm2(ph_vec3 v)
{
    return ph_dot(v, v);
}

static inline double ph_norm(ph_vec3 v)
{
    return sqrt(ph_norm2(v));
}

// v / |v|; not finite for v = 0.
static inline ph_vec3 ph_unit(ph_vec3 v)
{
    const double n = ph_norm(v);
    return (ph_vec3){v.x / n, v.y / n, v.z / n};
}

// The larger; b when they do not compare. Inline, unlike fmax.
static inline double ph_max(double a, double b)
{
    return a > b ? a : b;
}

// The largest of |x|, |y|, |z|; not a number when one of them is not.
static inline double ph_max_abs(ph_vec3 v)
{
    const double x = fabs(v.x), y = fabs(v.y), z = fabs(v.z);
    const double xy = x > y ? x : y, sum = x + y + z;
    return isnan(sum) ? sum : xy > z ? xy : z;
}

// A unit vector perpendicular to v: v x (the axis along which v is smallest), so that nothing cancels.
static inline ph_vec3 ph_any_perpendicular(ph_vec3 v)
{
    const double x = fabs(v.x), y = fabs(v.y), z = fabs(v.z);
    if (x <= y && x <= z) {
        return ph_unit(ph_vec(0.0, v.z, -v.y));
    }
    if (y <= z) {
        return ph_unit(ph_vec(-v.z, 0.0, v.x));
    }
    return ph_unit(ph_vec(v.y, -v.x, 0.0));
}

static inline double vec_get(ph_vec3 v, int k)
{
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

#endif
