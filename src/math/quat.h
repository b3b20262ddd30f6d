// Quaternions (w, x, y, z). A unit quaternion turns body coordinates into world coordinates.
#ifndef PH_MATH_QUAT_H
#define PH_MATH_QUAT_H

#include "math/mat3.h"

#include <stdbool.h>

static inline ph_quat ph_quat_identity(void)
{
    return (ph_quat){1.0, 0.0, 0.0, 0.0};
}

static inline ph_quat ph_quat_mul(ph_quat a, ph_quat b)
{
    return (ph_quat){
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
    };
}

static inline ph_quat ph_quat_conj(ph_quat q)
{
    return (ph_quat){q.w, -q.x, -q.y, -q.z};
}

// R(q) v = v + 2 w (u x v) + 2 u x (u x v), u the vector part of the unit q
static inline ph_vec3 ph_quat_rotate(ph_quat q, ph_vec3 v)
{
    const ph_vec3 u = ph_vec(q.x, q.y, q.z);
    const ph_vec3 t = ph_scale(2.0, ph_cross(u, v));
    return ph_add(ph_madd(v, q.w, t), ph_cross(u, t));
}

// R(q) of the unit q
static inline ph_mat3 ph_quat_to_mat(ph_quat q)
{
    const double x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
    const double xx = q.x * x2, yy = q.y * y2, zz = q.z * z2;
    const double xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
    const double wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
    return (ph_mat3){{
        {1.0 - (yy + zz), xy - wz, xz + wy},
        {xy + wz, 1.0 - (xx + zz), yz - wx},
        {xz - wy, yz + wx, 1.0 - (xx + yy)},
    }};
}

static inline double ph_quat_norm(ph_quat q)
{
    return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}

// q / |q|; not finite for q = 0.
static inline ph_quat ph_quat_unit(ph_quat q)
{
    const double n = ph_quat_norm(q);
    return (ph_quat){q.w / n, q.x / n, q.y / n, q.z / n};
}

// One Newton step towards unit norm, without root or division: |q| = 1 + e becomes 1 - 3/2 e^2 + O(e^3).
static inline ph_quat ph_quat_polish(ph_quat q)
{
    const double s = 1.5 - 0.5 * (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (ph_quat){s * q.w, s * q.x, s * q.y, s * q.z};
}

// The unit quaternion, w >= 0, of a rotation matrix.
ph_quat ph_quat_from_mat(ph_mat3 R);

// Rotation by `angle` about `axis`, which need not be a unit vector; a zero axis gives the identity.
ph_quat ph_quat_from_axis_angle(ph_vec3 axis, double angle);

// Intrinsic Euler angles, any of the twelve sequences: "zxz" turns about z, then about the new x, then about the
// newest z. False (and *out the identity) when the sequence is not three of x y z without equal neighbours.
bool ph_quat_from_euler(const char *sequence, const double angles[3], ph_quat *out);

#endif
