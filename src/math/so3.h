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
// in floating point they may be infinite). Up to x^2 = PH_SO3_NEAR they are polynomials, relative error below 2^-58
// before rounding, so that the hot path has no root, no division and no sine; beyond, see so3.c.
#ifndef PH_MATH_SO3_H
#define PH_MATH_SO3_H

#include "math/quat.h"
#include "math/so3_poly.h"

typedef struct ph_so3 {
    double x2; // |f|^2
    double alpha, beta, gamma, c;
    double d_alpha, d_beta, d_gamma, d_c; // D k = (dk/dx) / x
    double half_cos;                      // cos(x/2)
    double half_sinc;                     // sin(x/2) / x
} ph_so3;

#define PH_SO3_NEAR 0.25

// The coefficients for x2 > PH_SO3_NEAR.
void ph_so3_far(double x2, ph_so3 *k);
void ph_so3_half_far(double x2, double *half_cos, double *half_sinc);

// Polynomials of 6, 7 and 8 coefficients. The constant is added last, so that its rounding is nearly the only one; the
// rest is grouped in pairs to shorten the chain of dependent operations.
static inline double ph_so3_poly6(const double a[6], double z)
{
    const double z2 = z * z;
    return a[0] + z * ((a[1] + z * a[2]) + z2 * ((a[3] + z * a[4]) + z2 * a[5]));
}

static inline double ph_so3_poly7(const double a[7], double z)
{
    const double z2 = z * z;
    return a[0] + z * ((a[1] + z * a[2]) + z2 * ((a[3] + z * a[4]) + z2 * (a[5] + z * a[6])));
}

static inline double ph_so3_poly8(const double a[8], double z)
{
    const double z2 = z * z, z4 = z2 * z2;
    return a[0] + z * (((a[1] + z * a[2]) + z2 * (a[3] + z * a[4])) + z4 * ((a[5] + z * a[6]) + z2 * a[7]));
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
    k.half_cos = ph_so3_poly6(ph_so3_poly_half_cos, z);
    k.half_sinc = ph_so3_poly6(ph_so3_poly_half_sinc, z);
    k.gamma = ph_so3_poly6(ph_so3_poly_gamma, z);
    k.d_gamma = ph_so3_poly6(ph_so3_poly_d_gamma, z);
    k.c = ph_so3_poly7(ph_so3_poly_c, z);
    k.d_c = ph_so3_poly8(ph_so3_poly_d_c, z);
    ph_so3_complete(&k);
    return k;
}

static inline ph_so3 ph_so3_near_c(double z)
{
    ph_so3 k = {.x2 = z};
    k.half_cos = ph_so3_poly6(ph_so3_poly_half_cos, z);
    k.half_sinc = ph_so3_poly6(ph_so3_poly_half_sinc, z);
    k.gamma = ph_so3_poly6(ph_so3_poly_gamma, z);
    k.c = ph_so3_poly7(ph_so3_poly_c, z);
    k.d_c = ph_so3_poly8(ph_so3_poly_d_c, z);
    k.beta = 2.0 * k.half_sinc * k.half_sinc;
    return k;
}

// Keeps the address out of the hot path, where the fields live in registers.
static inline ph_so3 ph_so3_at(double z)
{
    ph_so3 k;
    ph_so3_far(z, &k);
    return k;
}

static inline ph_so3 ph_so3_coefficients(ph_vec3 f)
{
    const double z = ph_norm2(f);
    return z <= PH_SO3_NEAR ? ph_so3_near(z) : ph_so3_at(z);
}

// The same bits, but only c, d_c, beta, gamma, half_cos and half_sinc are sure to be set.
static inline ph_so3 ph_so3_coefficients_c(ph_vec3 f)
{
    const double z = ph_norm2(f);
    return z <= PH_SO3_NEAR ? ph_so3_near_c(z) : ph_so3_at(z);
}

// Second derivatives, D^2 of beta, gamma and c; for derivatives on SE(3).
typedef struct ph_so3_second {
    double d2_beta, d2_gamma, d2_c;
} ph_so3_second;

// Sets both; k as from ph_so3_coefficients.
void ph_so3_coefficients_second(ph_vec3 f, ph_so3 *k, ph_so3_second *second);

// exp(f/2) in the quaternions: the rotation exp(f~).
static inline ph_quat ph_quat_exp(ph_vec3 f)
{
    const double z = ph_norm2(f);
    double w, s;
    if (z <= PH_SO3_NEAR) {
        w = ph_so3_poly6(ph_so3_poly_half_cos, z);
        s = ph_so3_poly6(ph_so3_poly_half_sinc, z);
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
    return ph_rodrigues(0.5, ph_so3_coefficients_c(f).c, f);
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

// d(P v)/df for P = I + a f~ + b f~^2 whose coefficients have D a = d_a, D b = d_b. With u = f x v and
// f~ v~ = v f^T - (f.v) I it is
//   -a v~ - b (u~ + f~ v~) + (d_a u + d_b f x u) f^T = (d_a u + d_b f x u - b v) f^T + b (f.v) I - (a v + b u)~
static inline ph_mat3 ph_rodrigues_d(double a, double b, double d_a, double d_b, ph_vec3 f, ph_vec3 v)
{
    const ph_vec3 u = ph_cross(f, v);
    const ph_vec3 p = ph_madd(ph_madd(ph_scale(d_a, u), d_b, ph_cross(f, u)), -b, v);
    const ph_vec3 r = ph_madd(ph_scale(a, v), b, u);
    const double s = b * ph_dot(f, v);
    return (ph_mat3){{
        {p.x * f.x + s, p.x * f.y + r.z, p.x * f.z - r.y},
        {p.y * f.x - r.z, p.y * f.y + s, p.y * f.z + r.x},
        {p.z * f.x + r.y, p.z * f.y - r.x, p.z * f.z + s},
    }};
}

// Derivatives by f of T v, T^T v, T^-1 v, T^-T v: the matrix A with d(T v) = A df.
static inline ph_mat3 ph_dexp_d(ph_vec3 f, ph_vec3 v)
{
    const ph_so3 k = ph_so3_coefficients(f);
    return ph_rodrigues_d(-k.beta, k.gamma, -k.d_beta, k.d_gamma, f, v);
}

static inline ph_mat3 ph_dexp_t_d(ph_vec3 f, ph_vec3 v)
{
    const ph_so3 k = ph_so3_coefficients(f);
    return ph_rodrigues_d(k.beta, k.gamma, k.d_beta, k.d_gamma, f, v);
}

static inline ph_mat3 ph_dexp_inv_d(ph_vec3 f, ph_vec3 v)
{
    const ph_so3 k = ph_so3_coefficients_c(f);
    return ph_rodrigues_d(0.5, k.c, 0.0, k.d_c, f, v);
}

static inline ph_mat3 ph_dexp_inv_t_d(ph_vec3 f, ph_vec3 v)
{
    const ph_so3 k = ph_so3_coefficients_c(f);
    return ph_rodrigues_d(-0.5, k.c, 0.0, k.d_c, f, v);
}

#endif
