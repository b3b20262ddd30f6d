// Rigid motions, twists (omega | v) and wrenches (torque | force).
//
// A pose takes body coordinates to world coordinates: y = R(q) p + x. Twists of this header are body-fixed on both
// parts: H' = H (omega | v)^. The Lie algebra is that of the rotations over dual numbers, omega + e v with e^2 = 0, since
// ad(omega | v) = [omega~ 0; v~ omega~]; so every tangent map of SE(3) is the one of SO(3) and its first derivative:
//
//   exp (omega | v) = (exp omega~, T^T(omega) v)
//   T(omega | v) (a | b) = (T a | T b + d(T a)/d omega v)          d/dt exp(xi) = exp(xi) (T(xi) xi')^
//   T^T(omega | v) (a | b) = (T^T a + d(T^T b)/d omega v | T^T b)  on wrenches
//
// and likewise T^-1 and T^-T, with T = T(omega) of so3.h on the right. T^-1 is singular at |omega| = 2 pi.
#ifndef PH_MATH_SE3_H
#define PH_MATH_SE3_H

#include "math/so3.h"

typedef struct ph_pose {
    ph_quat q; // unit
    ph_vec3 x;
} ph_pose;

// 6x6 matrix in blocks: rows and columns (omega | v) or (torque | force)
typedef struct ph_mat6 {
    ph_mat3 block[2][2];
} ph_mat6;

static inline ph_pose ph_pose_identity(void)
{
    return (ph_pose){ph_quat_identity(), ph_zero3()};
}

// First b, then a.
static inline ph_pose ph_pose_mul(ph_pose a, ph_pose b)
{
    return (ph_pose){ph_quat_mul(a.q, b.q), ph_add(a.x, ph_quat_rotate(a.q, b.x))};
}

static inline ph_pose ph_pose_inverse(ph_pose h)
{
    const ph_quat q = ph_quat_conj(h.q);
    return (ph_pose){q, ph_neg(ph_quat_rotate(q, h.x))};
}

static inline ph_vec3 ph_pose_act(ph_pose h, ph_vec3 point)
{
    return ph_add(h.x, ph_quat_rotate(h.q, point));
}

// Ad_H: the body-fixed twist in world coordinates, at the world origin: (R omega | x x R omega + R v)
static inline ph_twist ph_se3_adjoint(ph_pose h, ph_twist t)
{
    const ph_vec3 omega = ph_quat_rotate(h.q, t.omega);
    return (ph_twist){omega, ph_add(ph_cross(h.x, omega), ph_quat_rotate(h.q, t.v))};
}

// Ad_H^T: the wrench at the world origin in body coordinates: (R^T (torque - x x force) | R^T force)
static inline ph_wrench ph_se3_coadjoint(ph_pose h, ph_wrench w)
{
    const ph_quat q = ph_quat_conj(h.q);
    return (ph_wrench){ph_quat_rotate(q, ph_sub(w.torque, ph_cross(h.x, w.force))), ph_quat_rotate(q, w.force)};
}

// ad_a b, the bracket of two twists
static inline ph_twist ph_se3_bracket(ph_twist a, ph_twist b)
{
    return (ph_twist){ph_cross(a.omega, b.omega), ph_add(ph_cross(a.v, b.omega), ph_cross(a.omega, b.v))};
}

// ad_a^T w
static inline ph_wrench ph_se3_cobracket(ph_twist a, ph_wrench w)
{
    const ph_vec3 torque = ph_add(ph_cross(w.torque, a.omega), ph_cross(w.force, a.v));
    return (ph_wrench){torque, ph_cross(w.force, a.omega)};
}

static inline ph_twist ph_mat6_mul(const ph_mat6 *M, ph_twist t)
{
    return (ph_twist){
        ph_add(ph_mul(M->block[0][0], t.omega), ph_mul(M->block[0][1], t.v)),
        ph_add(ph_mul(M->block[1][0], t.omega), ph_mul(M->block[1][1], t.v)),
    };
}

ph_pose ph_se3_exp(ph_twist t);
// The shorter way: |omega| <= pi.
ph_twist ph_se3_log(ph_pose h);

// T(t) a, T(t)^-1 a, T(t)^T w, T(t)^-T w
ph_twist ph_se3_dexp(ph_twist t, ph_twist a);
ph_twist ph_se3_dexp_inv(ph_twist t, ph_twist a);
ph_wrench ph_se3_dexp_t(ph_twist t, ph_wrench w);
ph_wrench ph_se3_dexp_inv_t(ph_twist t, ph_wrench w);

// T(t), T(t)^-1 as matrices
ph_mat6 ph_se3_dexp_matrix(ph_twist t);
ph_mat6 ph_se3_dexp_inv_matrix(ph_twist t);

// Derivatives of the four products by t
ph_mat6 ph_se3_dexp_d(ph_twist t, ph_twist a);
ph_mat6 ph_se3_dexp_inv_d(ph_twist t, ph_twist a);
ph_mat6 ph_se3_dexp_t_d(ph_twist t, ph_wrench w);
ph_mat6 ph_se3_dexp_inv_t_d(ph_twist t, ph_wrench w);

#endif
