// Rigid motions: exponential, logarithm, tangent maps and their derivatives. The equations are in se3.h.
#include "math/se3.h"

// P = I + a f~ + b f~^2 with D a, D b, D^2 a, D^2 b: one of T, T^T, T^-1, T^-T
typedef struct map {
    double a, b, d_a, d_b, d2_a, d2_b;
} map;

// The sign is +1 for T and T^-1, -1 for the transposes.
static map tangent_map(ph_vec3 f, double sign)
{
    ph_so3 k;
    ph_so3_second s;
    ph_so3_coefficients_second(f, &k, &s);
    return (map){-sign * k.beta, k.gamma, -sign * k.d_beta, k.d_gamma, -sign * s.d2_beta, s.d2_gamma};
}

static map inverse_map(ph_vec3 f, double sign)
{
    ph_so3 k;
    ph_so3_second s;
    ph_so3_coefficients_second(f, &k, &s);
    return (map){sign * 0.5, k.c, 0.0, k.d_c, 0.0, s.d2_c};
}

static ph_vec3 apply(const map *p, ph_vec3 f, ph_vec3 u)
{
    return ph_rodrigues_mul(p->a, p->b, f, u);
}

// d(P u)/df, a matrix
static ph_mat3 derivative(const map *p, ph_vec3 f, ph_vec3 u)
{
    return ph_rodrigues_d(p->a, p->b, p->d_a, p->d_b, f, u);
}

// d(P u)/df w = a w x u + b (w x (f x u) + f x (w x u)) + (f.w) (D a f x u + D b f x (f x u))
static ph_vec3 derivative_mul(const map *p, ph_vec3 f, ph_vec3 u, ph_vec3 w)
{
    const ph_vec3 fu = ph_cross(f, u), wu = ph_cross(w, u);
    const ph_vec3 turned = ph_add(ph_cross(w, fu), ph_cross(f, wu));
    const ph_vec3 along = ph_madd(ph_scale(p->d_a, fu), p->d_b, ph_cross(f, fu));
    return ph_madd(ph_madd(ph_scale(p->a, wu), p->b, turned), ph_dot(f, w), along);
}

// d(derivative_mul)/df with u and w held:
//   [D a w x u + D b (w x (f x u) + f x (w x u)) + (f.w) (D^2 a f x u + D^2 b f x (f x u))] f^T
//   + [D a f x u + D b f x (f x u)] w^T - b (w~ u~ + (w x u)~) - (f.w) [D a u~ + D b ((f x u)~ + f~ u~)]
static ph_mat3 second_derivative_mul(const map *p, ph_vec3 f, ph_vec3 u, ph_vec3 w)
{
    const ph_vec3 fu = ph_cross(f, u), wu = ph_cross(w, u), ffu = ph_cross(f, fu);
    const double fw = ph_dot(f, w);
    const map d = {p->d_a, p->d_b, p->d2_a, p->d2_b, 0.0, 0.0};
    const ph_vec3 along = ph_madd(ph_scale(p->d_a, fu), p->d_b, ffu);
    ph_mat3 A = ph_outer(derivative_mul(&d, f, u, w), f);
    A = ph_mat_add(A, ph_outer(along, w));
    A = ph_mat_madd(A, -p->b, ph_mat_add(ph_hat_mul(w, ph_hat(u)), ph_hat(wu)));
    return ph_mat_madd(A, fw, ph_rodrigues_d(p->d_a, p->d_b, 0.0, 0.0, f, u));
}

// The matrix of u -> d(P u)/df w: a w~ + b (w~ f~ + f~ w~) + (f.w) (D a f~ + D b f~^2)
static ph_mat3 directional_matrix(const map *p, ph_vec3 f, ph_vec3 w)
{
    const ph_mat3 f_hat = ph_hat(f), w_hat = ph_hat(w);
    const double fw = ph_dot(f, w);
    ph_mat3 A = ph_hat(ph_madd(ph_scale(p->a, w), fw * p->d_a, f));
    A = ph_mat_madd(A, p->b, ph_mat_add(ph_hat_mul(w, f_hat), ph_hat_mul(f, w_hat)));
    return ph_mat_madd(A, fw * p->d_b, ph_hat_mul(f, f_hat));
}

static ph_twist apply_dual(const map *p, ph_twist t, ph_twist a)
{
    return (ph_twist){
        apply(p, t.omega, a.omega),
        ph_add(apply(p, t.omega, a.v), derivative_mul(p, t.omega, a.omega, t.v)),
    };
}

// The transposed block matrix has the parts of wrenches in the places of those of twists, exchanged.
static ph_wrench apply_dual_t(const map *p, ph_twist t, ph_wrench w)
{
    const ph_twist r = apply_dual(p, t, (ph_twist){w.force, w.torque});
    return (ph_wrench){r.v, r.omega};
}

static ph_mat6 matrix_dual(const map *p, ph_twist t)
{
    const ph_mat3 P = ph_rodrigues(p->a, p->b, t.omega);
    return (ph_mat6){{{P, ph_mat_zero()}, {directional_matrix(p, t.omega, t.v), P}}};
}

static ph_mat6 derivative_dual(const map *p, ph_twist t, ph_twist a)
{
    const ph_mat3 A = derivative(p, t.omega, a.omega), B = derivative(p, t.omega, a.v);
    const ph_mat3 C = second_derivative_mul(p, t.omega, a.omega, t.v);
    return (ph_mat6){{{A, ph_mat_zero()}, {ph_mat_add(B, C), A}}};
}

static ph_mat6 derivative_dual_t(const map *p, ph_twist t, ph_wrench w)
{
    const ph_mat6 d = derivative_dual(p, t, (ph_twist){w.force, w.torque});
    return (ph_mat6){{{d.block[1][0], d.block[1][1]}, {d.block[0][0], d.block[0][1]}}};
}

ph_pose ph_se3_exp(ph_twist t)
{
    const ph_so3 k = ph_so3_coefficients(t.omega);
    const ph_quat q = {k.half_cos, k.half_sinc * t.omega.x, k.half_sinc * t.omega.y, k.half_sinc * t.omega.z};
    return (ph_pose){q, ph_dexp_tmul(&k, t.omega, t.v)};
}

ph_twist ph_se3_log(ph_pose h)
{
    const ph_vec3 omega = ph_quat_log(h.q);
    const ph_so3 k = ph_so3_coefficients_c(omega);
    return (ph_twist){omega, ph_dexp_inv_tmul(&k, omega, h.x)};
}

ph_twist ph_se3_dexp(ph_twist t, ph_twist a)
{
    const map p = tangent_map(t.omega, 1.0);
    return apply_dual(&p, t, a);
}

ph_twist ph_se3_dexp_inv(ph_twist t, ph_twist a)
{
    const map p = inverse_map(t.omega, 1.0);
    return apply_dual(&p, t, a);
}

ph_wrench ph_se3_dexp_t(ph_twist t, ph_wrench w)
{
    const map p = tangent_map(t.omega, -1.0);
    return apply_dual_t(&p, t, w);
}

ph_wrench ph_se3_dexp_inv_t(ph_twist t, ph_wrench w)
{
    const map p = inverse_map(t.omega, -1.0);
    return apply_dual_t(&p, t, w);
}

ph_mat6 ph_se3_dexp_matrix(ph_twist t)
{
    const map p = tangent_map(t.omega, 1.0);
    return matrix_dual(&p, t);
}

ph_mat6 ph_se3_dexp_inv_matrix(ph_twist t)
{
    const map p = inverse_map(t.omega, 1.0);
    return matrix_dual(&p, t);
}

ph_mat6 ph_se3_dexp_d(ph_twist t, ph_twist a)
{
    const map p = tangent_map(t.omega, 1.0);
    return derivative_dual(&p, t, a);
}

ph_mat6 ph_se3_dexp_inv_d(ph_twist t, ph_twist a)
{
    const map p = inverse_map(t.omega, 1.0);
    return derivative_dual(&p, t, a);
}

ph_mat6 ph_se3_dexp_t_d(ph_twist t, ph_wrench w)
{
    const map p = tangent_map(t.omega, -1.0);
    return derivative_dual_t(&p, t, w);
}

ph_mat6 ph_se3_dexp_inv_t_d(ph_twist t, ph_wrench w)
{
    const map p = inverse_map(t.omega, -1.0);
    return derivative_dual_t(&p, t, w);
}
