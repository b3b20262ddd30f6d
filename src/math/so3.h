// Rotation vectors. With x = |f| and f~ b = f x b:
//
//   exp(f~)  = I + alpha f~ + beta f~^2              alpha = sin x / x          beta = (1 - cos x) / x^2
//   T(f)     = I - beta f~ + gamma f~^2              gamma = (x - sin x) / x^3
//   T^-1(f)  = I + 1/2 f~ + c f~^2                   c = (1 - (x/2) cot(x/2)) / x^2
//
// T is the right Jacobian: d/dt exp(f~) = exp(f~) (T f')~. With D = (1/x) d/dx, the derivative of any of these
// coefficients k by f is D k f^T.
//
// The coefficients are functions of x^2 without singularity but for c and D c, which have poles at x = 2 pi, 4 pi, ...
// (there T has no inverse; the values returned near a pole are large and of the right sign, at an exact hit of the pole
// in floating point they may be infinite). Up to x^2 = PH_SO3_NEAR they are polynomials, relative error below 1e-18
// before rounding, so that the hot path has no root, no division and no sine; beyond, see so3.c.
#ifndef PH_MATH_SO3_H
#define PH_MATH_SO3_H

#include "quat.h"

typedef struct ph_so3 {
    double x2; // |f|^2
    double alpha, beta, gamma, c;
    double d_alpha, d_beta, d_gamma, d_c; // D k = (dk/dx) / x
    double half_cos;                      // cos(x/2)
    double half_sinc;                     // sin(x/2) / x
} ph_so3;

#define PH_SO3_NEAR 0.25

// The coefficients for x2 > PH_SO3_NEAR.
ph_so3 ph_so3_far(double x2);
void ph_so3_half_far(double x2, double *half_cos, double *half_sinc);

// Polynomials on 0 <= z <= PH_SO3_NEAR.
static inline double ph_so3_half_cos_near(double z)
{
    return 1.0 + z * (-0x1p-3 + z * (0x1.5555555555395p-9 + z * (-0x1.6c16c16a56cbdp-16 +
           z * (0x1.a019ee068e473p-24 + z * -0x1.278b5e08e120fp-32))));
}

static inline double ph_so3_half_sinc_near(double z)
{
    return 0.5 + z * (-0x1.5555555555555p-6 + z * (0x1.1111111111087p-12 + z * (-0x1.a01a019f064f2p-20 +
           z * (0x1.71de2e4566711p-28 + z * -0x1.adf608c9a6f5dp-37))));
}

static inline double ph_so3_gamma_near(double z)
{
    return 0x1.5555555555555p-3 + z * (-0x1.111111111111p-7 + z * (0x1.a01a01a017628p-13 + z * (-0x1.71de3a4072f86p-19 +
           z * (0x1.ae63e103d2987p-26 + z * -0x1.6017b879e361dp-33))));
}

static inline double ph_so3_d_gamma_near(double z)
{
    return -0x1.1111111111111p-6 + z * (0x1.a01a01a01a019p-11 + z * (-0x1.1566abc01042p-16 + z * (0x1.ae64566e0d808p-23 +
           z * (-0x1.b96d18c4a6ecbp-30 + z * 0x1.420227754b7c5p-37))));
}

static inline double ph_so3_c_near(double z)
{
    return 0x1.5555555555555p-4 + z * (0x1.6c16c16c16c17p-10 + z * (0x1.1566abc011c3dp-15 + z * (0x1.bbd7792e5349cp-21 +
           z * (0x1.66a8fd5e455fap-26 + z * (0x1.2276246064337p-31 + z * 0x1.dfe87d0be85aep-37)))));
}

static inline double ph_so3_d_c_near(double z)
{
    return 0x1.6c16c16c16c17p-9 + z * (0x1.1566abc011567p-13 + z * (0x1.4ce19ae67b33ap-18 + z * (0x1.66a8f2bf77d61p-23 +
           z * (0x1.6b2074a8984c3p-28 + z * (0x1.61247ecdc52dfp-33 + z * (0x1.4ddaa26b2c5dfp-38 +
           z * 0x1.3d2cefb9c2507p-43))))));
}

// The four that follow from the others without cancellation: alpha = 2 sin cos / x, beta = 2 sin^2 / x^2 of the half
// angle, D alpha = gamma - beta, D beta = -2 beta c.
static inline void ph_so3_complete(ph_so3 *k)
{
    k->alpha = 2.0 * k->half_sinc * k->half_cos;
    k->beta = 2.0 * k->half_sinc * k->half_sinc;
    k->d_alpha = k->gamma - k->beta;
    k->d_beta = -2.0 * k->beta * k->c;
}

static inline ph_so3 ph_so3_near(double z)
{
    ph_so3 k = {.x2 = z};
    k.half_cos = ph_so3_half_cos_near(z);
    k.half_sinc = ph_so3_half_sinc_near(z);
    k.gamma = ph_so3_gamma_near(z);
    k.d_gamma = ph_so3_d_gamma_near(z);
    k.c = ph_so3_c_near(z);
    k.d_c = ph_so3_d_c_near(z);
    ph_so3_complete(&k);
    return k;
}

static inline ph_so3 ph_so3_coefficients(ph_vec3 f)
{
    const double z = ph_norm2(f);
    return z <= PH_SO3_NEAR ? ph_so3_near(z) : ph_so3_far(z);
}

// Only c, d_c, beta, gamma, half_cos, half_sinc (the others may be zero).
static inline ph_so3 ph_so3_coefficients_c(ph_vec3 f)
{
    const double z = ph_norm2(f);
    if (!(z <= PH_SO3_NEAR)) {
        return ph_so3_far(z);
    }
    ph_so3 k = {.x2 = z};
    k.half_cos = ph_so3_half_cos_near(z);
    k.half_sinc = ph_so3_half_sinc_near(z);
    k.gamma = ph_so3_gamma_near(z);
    k.c = ph_so3_c_near(z);
    k.d_c = ph_so3_d_c_near(z);
    k.beta = 2.0 * k.half_sinc * k.half_sinc;
    return k;
}

// exp(f/2) in the quaternions: the rotation exp(f~).
static inline ph_quat ph_quat_exp(ph_vec3 f)
{
    const double z = ph_norm2(f);
    double w, s;
    if (z <= PH_SO3_NEAR) {
        w = ph_so3_half_cos_near(z);
        s = ph_so3_half_sinc_near(z);
    } else {
        ph_so3_half_far(z, &w, &s);
    }
    return (ph_quat){w, s * f.x, s * f.y, s * f.z};
}

static inline ph_mat3 ph_so3_exp(ph_vec3 f)
{
    return ph_quat_to_mat(ph_quat_exp(f));
}

// P v = v + a f x v + b f x (f x v): exp, T, T^-1 and their transposes are all of this form.
static inline ph_vec3 ph_rodrigues_mul(double a, double b, ph_vec3 f, ph_vec3 v)
{
    const ph_vec3 u = ph_cross(f, v);
    return ph_madd(ph_madd(v, a, u), b, ph_cross(f, u));
}

// P = I + a f~ + b f~^2, f~^2 = f f^T - |f|^2 I
static inline ph_mat3 ph_rodrigues(double a, double b, ph_vec3 f)
{
    const ph_vec3 bf = ph_scale(b, f), af = ph_scale(a, f);
    const double xx = f.x * bf.x, yy = f.y * bf.y, zz = f.z * bf.z;
    const double xy = f.x * bf.y, xz = f.x * bf.z, yz = f.y * bf.z;
    return (ph_mat3){{
        {1.0 - (yy + zz), xy - af.z, xz + af.y},
        {xy + af.z, 1.0 - (xx + zz), yz - af.x},
        {xz - af.y, yz + af.x, 1.0 - (xx + yy)},
    }};
}

// T(f)
static inline ph_mat3 ph_dexp(ph_vec3 f)
{
    const ph_so3 k = ph_so3_coefficients(f);
    return ph_rodrigues(-k.beta, k.gamma, f);
}

// T(f)^-1
static inline ph_mat3 ph_dexp_inv(ph_vec3 f)
{
    return ph_rodrigues(0.5, ph_so3_coefficients(f).c, f);
}

// T v, T^T v, T^-1 v, T^-T v with T = T(f) and k the coefficients of f
static inline ph_vec3 ph_dexp_mul(const ph_so3 *k, ph_vec3 f, ph_vec3 v)
{
    return ph_rodrigues_mul(-k->beta, k->gamma, f, v);
}

static inline ph_vec3 ph_dexp_tmul(const ph_so3 *k, ph_vec3 f, ph_vec3 v)
{
    return ph_rodrigues_mul(k->beta, k->gamma, f, v);
}

static inline ph_vec3 ph_dexp_inv_mul(const ph_so3 *k, ph_vec3 f, ph_vec3 v)
{
    return ph_rodrigues_mul(0.5, k->c, f, v);
}

static inline ph_vec3 ph_dexp_inv_tmul(const ph_so3 *k, ph_vec3 f, ph_vec3 v)
{
    return ph_rodrigues_mul(-0.5, k->c, f, v);
}

// The rotation vector, |f| <= pi, of a rotation.
ph_vec3 ph_so3_log(ph_mat3 R);
ph_vec3 ph_quat_log(ph_quat q);

// Derivatives by f of T v, T^T v, T^-1 v, T^-T v: the matrix A with d(T v) = A df.
ph_mat3 ph_dexp_d(ph_vec3 f, ph_vec3 v);
ph_mat3 ph_dexp_t_d(ph_vec3 f, ph_vec3 v);
ph_mat3 ph_dexp_inv_d(ph_vec3 f, ph_vec3 v);
ph_mat3 ph_dexp_inv_t_d(ph_vec3 f, ph_vec3 v);

#endif
