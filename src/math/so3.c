// Rotation vectors beyond the polynomials, logarithms, and derivatives of T.
//
// For PH_SO3_NEAR < x^2 <= SO3_DOUBLING the coefficients come from those at y = x/2. All terms of a sum have one sign,
// so nothing cancels, unlike in the closed forms, which lose (D c) up to four digits there:
//
//   sin(x/2)/x = sin(y/2)/y cos(y/2)          cos(x/2) = 1 - 2 sin^2(y/2)
//   gamma(x) = (gamma + alpha beta) / 4       D gamma(x) = (D gamma + beta D alpha + alpha D beta) / 16
//   c(x) = (c + tan(y/2) / (2 y)) / 4         D c(x) = (D c + gamma / (4 cos^2(y/2))) / 16
//
// with the functions on the right at y. Beyond, the closed forms from one sine and cosine of the half angle.
#include "so3.h"

#include "trig.h"

#define SO3_DOUBLING 16.0

static ph_so3 doubled(ph_so3 y)
{
    ph_so3 x = {.x2 = 4.0 * y.x2};
    const double q = 1.0 / y.half_cos;
    x.half_sinc = y.half_sinc * y.half_cos;
    x.half_cos = 1.0 - y.x2 * y.beta;
    x.gamma = 0.25 * (y.gamma + y.alpha * y.beta);
    x.d_gamma = 0.0625 * (y.d_gamma + (y.beta * y.d_alpha + y.alpha * y.d_beta));
    x.c = 0.25 * (y.c + 0.5 * y.half_sinc * q);
    x.d_c = 0.0625 * (y.d_c + 0.25 * y.gamma * (q * q));
    ph_so3_complete(&x);
    return x;
}

static ph_so3 closed_form(double z)
{
    ph_so3 k = {.x2 = z};
    ph_so3_half_far(z, &k.half_cos, &k.half_sinc);
    const double z_inv = 1.0 / z;
    const double u = 0.5 * k.half_cos / k.half_sinc; // (x/2) cot(x/2)
    k.beta = 2.0 * k.half_sinc * k.half_sinc;
    k.gamma = (1.0 - 2.0 * k.half_sinc * k.half_cos) * z_inv;
    k.d_gamma = (k.beta - 3.0 * k.gamma) * z_inv;
    k.c = (1.0 - u) * z_inv;
    k.d_c = (0.5 / k.beta + u - 2.0) * z_inv * z_inv;
    ph_so3_complete(&k);
    return k;
}

ph_so3 ph_so3_far(double x2)
{
    if (!(x2 <= SO3_DOUBLING)) {
        return closed_form(x2);
    }
    // Scaling by powers of four is exact.
    int n = 0;
    double z = x2;
    for (; z > PH_SO3_NEAR; z *= 0.25) {
        n++;
    }
    ph_so3 k = ph_so3_near(z);
    for (; n > 0; n--) {
        k = doubled(k);
    }
    return k;
}

void ph_so3_half_far(double x2, double *half_cos, double *half_sinc)
{
    if (!(x2 <= SO3_DOUBLING)) {
        const double x = sqrt(x2);
        double s;
        ph_sincos(0.5 * x, &s, half_cos);
        *half_sinc = s / x;
        return;
    }
    int n = 0;
    double z = x2;
    for (; z > PH_SO3_NEAR; z *= 0.25) {
        n++;
    }
    double w = ph_so3_half_cos_near(z), s = ph_so3_half_sinc_near(z);
    for (; n > 0; n--, z *= 4.0) {
        const double w_double = 1.0 - z * (2.0 * s * s);
        s *= w;
        w = w_double;
    }
    *half_cos = w;
    *half_sinc = s;
}

// 2 atan(|u| / w) u / |u| of the vector part u. q and -q are the same rotation: the shorter way is taken.
ph_vec3 ph_quat_log(ph_quat q)
{
    const ph_vec3 u = ph_vec(q.x, q.y, q.z);
    const double n = ph_norm(u);
    if (n == 0.0) {
        return ph_zero3();
    }
    const double half = q.w < 0.0 ? ph_atan2(-n, -q.w) : ph_atan2(n, q.w);
    return ph_scale(2.0 * half / n, u);
}

ph_vec3 ph_so3_log(ph_mat3 R)
{
    return ph_quat_log(ph_quat_from_mat(R));
}

// d(v + a f x v + b f x (f x v))/df = -a v~ - b ((f x v)~ + f~ v~) + (D a f x v + D b f x (f x v)) f^T
static ph_mat3 rodrigues_d(double a, double b, double d_a, double d_b, ph_vec3 f, ph_vec3 v)
{
    const ph_vec3 u = ph_cross(f, v);
    const ph_vec3 w = ph_cross(f, u);
    ph_mat3 A = ph_outer(ph_madd(ph_scale(d_a, u), d_b, w), f);
    A = ph_mat_madd(A, -b, ph_hat_mul(f, ph_hat(v)));
    return ph_mat_sub(A, ph_hat(ph_madd(ph_scale(b, u), a, v)));
}

ph_mat3 ph_dexp_d(ph_vec3 f, ph_vec3 v)
{
    const ph_so3 k = ph_so3_coefficients(f);
    return rodrigues_d(-k.beta, k.gamma, -k.d_beta, k.d_gamma, f, v);
}

ph_mat3 ph_dexp_t_d(ph_vec3 f, ph_vec3 v)
{
    const ph_so3 k = ph_so3_coefficients(f);
    return rodrigues_d(k.beta, k.gamma, k.d_beta, k.d_gamma, f, v);
}

ph_mat3 ph_dexp_inv_d(ph_vec3 f, ph_vec3 v)
{
    const ph_so3 k = ph_so3_coefficients(f);
    return rodrigues_d(0.5, k.c, 0.0, k.d_c, f, v);
}

ph_mat3 ph_dexp_inv_t_d(ph_vec3 f, ph_vec3 v)
{
    const ph_so3 k = ph_so3_coefficients(f);
    return rodrigues_d(-0.5, k.c, 0.0, k.d_c, f, v);
}
