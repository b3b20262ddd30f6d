// Rotation vectors beyond the polynomials, and logarithms.
//
// For PH_SO3_NEAR < x^2 <= SO3_DOUBLING the coefficients come from those at y = x/2. All terms of a sum have one sign,
// so nothing cancels, unlike in the closed forms, which lose (D c) up to four digits there:
//
//   sin(x/2)/x = sin(y/2)/y cos(y/2)          cos(x/2) = 1 - 2 sin^2(y/2)
//   gamma(x) = (gamma + alpha beta) / 4       D gamma(x) = (D gamma + beta D alpha + alpha D beta) / 16
//   c(x) = (c + tan(y/2) / (2 y)) / 4         D c(x) = (D c + gamma / (4 cos^2(y/2))) / 16
//
// with the functions on the right at y. Beyond, the closed forms from one sine and cosine of the half angle.
#include "math/so3.h"

#include "math/trig.h"

#define SO3_DOUBLING 16.0

// From the coefficients at y to those at x = 2 y, in place.
static void double_argument(ph_so3 *k)
{
    const ph_so3 y = *k;
    const double q = 1.0 / y.half_cos;
    k->x2 = 4.0 * y.x2;
    k->half_sinc = y.half_sinc * y.half_cos;
    k->half_cos = 1.0 - y.x2 * y.beta;
    k->gamma = 0.25 * (y.gamma + y.alpha * y.beta);
    k->d_gamma = 0.0625 * (y.d_gamma + (y.beta * y.d_alpha + y.alpha * y.d_beta));
    k->c = 0.25 * (y.c + 0.5 * y.half_sinc * q);
    k->d_c = 0.0625 * (y.d_c + 0.25 * y.gamma * (q * q));
    ph_so3_complete(k);
}

static void closed_form(double z, ph_so3 *k)
{
    ph_so3_half_far(z, &k->half_cos, &k->half_sinc);
    const double z_inv = 1.0 / z;
    const double beta = 2.0 * k->half_sinc * k->half_sinc;
    const double u = 0.5 * k->half_cos / k->half_sinc; // (x/2) cot(x/2)
    k->x2 = z;
    k->gamma = (1.0 - 2.0 * k->half_sinc * k->half_cos) * z_inv;
    k->d_gamma = (beta - 3.0 * k->gamma) * z_inv;
    k->c = (1.0 - u) * z_inv;
    k->d_c = (0.5 / beta + u - 2.0) * z_inv * z_inv;
    ph_so3_complete(k);
}

void ph_so3_far(double x2, ph_so3 *k)
{
    if (!(x2 <= SO3_DOUBLING)) {
        closed_form(x2, k);
        return;
    }
    // Scaling by powers of four is exact.
    int n = 0;
    double z = x2;
    for (; z > PH_SO3_NEAR; z *= 0.25) {
        n++;
    }
    *k = ph_so3_near(z);
    for (; n > 0; n--) {
        double_argument(k);
    }
}

// D of the relations above: D_x = D_y / 4 and D cos(y/2) = -sin(y/2) / (2 y) for the doubling, D x^2 = 2 for the closed
// forms, where (x/2) cot(x/2) = 1 - c x^2; D beta = -2 beta c everywhere.
static void second_at(double z, ph_so3 *k, ph_so3_second *s)
{
    if (z <= PH_SO3_NEAR) {
        *k = ph_so3_near(z);
        s->d2_gamma = ph_so3_poly6(ph_so3_poly_d2_gamma, z);
        s->d2_c = ph_so3_poly8(ph_so3_poly_d2_c, z);
    } else if (z <= SO3_DOUBLING) {
        second_at(0.25 * z, k, s);
        const ph_so3 y = *k;
        const double q = 1.0 / y.half_cos;
        const double mixed = y.beta * (y.d_gamma - y.d_beta) + 2.0 * y.d_alpha * y.d_beta + y.alpha * s->d2_beta;
        s->d2_gamma = 0.015625 * (s->d2_gamma + mixed);
        s->d2_c = 0.015625 * (s->d2_c + 0.25 * q * q * (y.d_gamma + y.gamma * y.half_sinc * q));
        double_argument(k);
    } else {
        closed_form(z, k);
        s->d2_gamma = (k->d_beta - 5.0 * k->d_gamma) / z;
        s->d2_c = ((k->c / k->beta + (1.0 - 0.5 / k->beta) / z - k->c) / z - 4.0 * k->d_c) / z;
    }
    s->d2_beta = 2.0 * k->beta * (2.0 * k->c * k->c - k->d_c);
}

void ph_so3_coefficients_second(ph_vec3 f, ph_so3 *k, ph_so3_second *second)
{
    second_at(ph_norm2(f), k, second);
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
    double w = ph_so3_poly6(ph_so3_poly_half_cos, z);
    double s = ph_so3_poly6(ph_so3_poly_half_sinc, z);
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
    if (n < 0x1p-27) { // atan t = t (1 - O(t^2)); also where |u|^2 underflows
        return ph_scale(2.0 / q.w, u);
    }
    const double half = q.w < 0.0 ? ph_atan2(-n, -q.w) : ph_atan2(n, q.w);
    return ph_scale(2.0 * half / n, u);
}

ph_vec3 ph_so3_log(ph_mat3 R)
{
    return ph_quat_log(ph_quat_from_mat(R));
}
