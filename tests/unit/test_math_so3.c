// Rotation vectors: every coefficient in quadruple precision on both sides of each switch, tangent maps and their
// derivatives against differences, exponential and logarithm near 0 and pi.
#include "test.h"

#include "math/so3.h"
#include "math_random.h"
#include "quad.h"

// --- reference -------------------------------------------------------------------------------------------------------

// c_k(z) = sum (-z)^n / (2n + k)!
static quad stumpff(int k, quad z)
{
    quad term = 1, sum = 0;
    for (int i = 2; i <= k; i++) {
        term /= i;
    }
    for (int n = 0; n < 40; n++) {
        sum += term;
        term *= -z / ((2 * n + k + 1) * (2 * n + k + 2));
    }
    return sum;
}

typedef struct exact_so3 {
    quad alpha, beta, gamma, c, d_alpha, d_beta, d_gamma, d_c, d2_beta, d2_gamma, d2_c, half_cos, half_sinc;
} exact_so3;

// By D c_k = k c_{k+2} - c_{k+1}, beta = c_2, c = -D beta / (2 beta)
static exact_so3 exact_coefficients(quad z)
{
    const quad c2 = stumpff(2, z), c3 = stumpff(3, z), c4 = stumpff(4, z), c5 = stumpff(5, z), c6 = stumpff(6, z);
    const quad c7 = stumpff(7, z), c8 = stumpff(8, z), d3_beta = 48 * c8 - 33 * c7 + 9 * c6 - c5;
    exact_so3 k = {.alpha = stumpff(1, z), .beta = c2, .gamma = c3};
    k.d_alpha = c3 - c2;
    k.d_beta = 2 * c4 - c3;
    k.d_gamma = 3 * c5 - c4;
    k.d2_beta = 8 * c6 - 5 * c5 + c4;
    k.d2_gamma = 15 * c7 - 7 * c6 + c5;
    k.c = -k.d_beta / (2 * c2);
    k.d_c = 2 * k.c * k.c - k.d2_beta / (2 * c2);
    k.d2_c = 4 * k.c * k.d_c - (d3_beta + 2 * k.c * k.d2_beta) / (2 * c2);
    k.half_cos = stumpff(0, z / 4);
    k.half_sinc = stumpff(1, z / 4) / 2;
    return k;
}

// Error in units of 2^-53 |f|, after the part that a relative change 2^-53 of z causes by itself, |z D f / 2|.
static double error_of(double got, quad f, quad change)
{
    return (double)(quad_abs((quad)got - f) / (quad_abs(f) + quad_abs(change))) * 0x1p53;
}

typedef struct errors {
    double alpha, beta, gamma, c, d_alpha, d_beta, d_gamma, d_c, d2_beta, d2_gamma, d2_c, half_cos, half_sinc;
} errors;

static void take(double *largest, double error)
{
    if (!(error <= *largest)) {
        *largest = error;
    }
}

static void measure(ph_vec3 f, errors *e)
{
    const ph_so3 k = ph_so3_coefficients(f);
    ph_so3 k2;
    ph_so3_second s;
    ph_so3_coefficients_second(f, &k2, &s);
    CHECK(memcmp(&k, &k2, sizeof k) == 0);
    const quad z = (quad)k.x2;
    const exact_so3 x = exact_coefficients(z);
    take(&e->alpha, error_of(k.alpha, x.alpha, z * x.d_alpha / 2));
    take(&e->beta, error_of(k.beta, x.beta, z * x.d_beta / 2));
    take(&e->gamma, error_of(k.gamma, x.gamma, z * x.d_gamma / 2));
    take(&e->c, error_of(k.c, x.c, z * x.d_c / 2));
    take(&e->d_alpha, error_of(k.d_alpha, x.d_alpha, z * (x.d_gamma - x.d_beta) / 2));
    take(&e->d_beta, error_of(k.d_beta, x.d_beta, z * x.d2_beta / 2));
    take(&e->d_gamma, error_of(k.d_gamma, x.d_gamma, z * x.d2_gamma / 2));
    take(&e->d_c, error_of(k.d_c, x.d_c, z * x.d2_c / 2));
    take(&e->d2_beta, error_of(s.d2_beta, x.d2_beta, 0));
    take(&e->d2_gamma, error_of(s.d2_gamma, x.d2_gamma, 0));
    take(&e->d2_c, error_of(s.d2_c, x.d2_c, z * x.d2_c / 2));
    take(&e->half_cos, error_of(k.half_cos, x.half_cos, z * x.half_sinc / 4));
    take(&e->half_sinc, error_of(k.half_sinc, x.half_sinc, (x.half_cos / 2 - x.half_sinc) / 2));
}

// At `count` lengths from low to high; at most so many units in coefficients and first derivatives, in second ones
static void check_errors(double low, double high, int count, double units, double second)
{
    errors e = {0};
    for (int i = 0; i < count; i++) {
        measure(random_of_length(low + (high - low) * (i + 0.5) / count), &e);
    }
    const double first[] = {e.alpha,  e.beta,    e.gamma, e.c,        e.d_alpha,
                            e.d_beta, e.d_gamma, e.d_c,   e.half_cos, e.half_sinc};
    for (int i = 0; i < 10; i++) {
        CHECK_NEAR(first[i], 0.0, units);
    }
    CHECK_NEAR(e.d2_beta, 0.0, second);
    CHECK_NEAR(e.d2_gamma, 0.0, second);
    CHECK_NEAR(e.d2_c, 0.0, second);
}

// --- coefficients ----------------------------------------------------------------------------------------------------

TEST(coefficients_by_polynomials)
{
    check_errors(0.0, 1e-8, 20, 4.0, 8.0);
    check_errors(0.0, 0.5, 2000, 4.0, 8.0);
}

TEST(coefficients_across_the_first_switch)
{
    check_errors(0.4999, 0.5, 200, 4.0, 8.0);
    check_errors(0.5, 0.5001, 200, 6.0, 12.0);
}

TEST(coefficients_by_doubling)
{
    check_errors(0.5, 1.0, 1000, 6.0, 12.0);
    check_errors(1.0, 2.0, 1000, 8.0, 16.0);
    check_errors(2.0, 4.0, 1000, 8.0, 20.0);
}

TEST(coefficients_by_closed_forms)
{
    check_errors(4.0, 4.001, 200, 6.0, 40.0);
    check_errors(4.0, 6.0, 1000, 6.0, 40.0);
    check_errors(6.5, 12.0, 1000, 16.0, 5000.0); // second derivatives cross zero there
}

TEST(coefficients_at_zero)
{
    const ph_so3 k = ph_so3_coefficients(ph_zero3());
    CHECK(k.x2 == 0.0 && k.alpha == 1.0 && k.beta == 0.5 && k.gamma == 1.0 / 6.0 && k.c == 1.0 / 12.0);
    CHECK_ULP(k.d_alpha, -1.0 / 3.0, 1);
    CHECK_ULP(k.d_beta, -1.0 / 12.0, 1);
    CHECK(k.d_gamma == -1.0 / 60.0 && k.d_c == 1.0 / 360.0 && k.half_cos == 1.0 && k.half_sinc == 0.5);
}

// c and D c have poles at 2 pi, of order one and two; T itself stays regular but for its rank.
TEST(coefficients_around_two_pi)
{
    const double two_pi = 6.283185307179586;
    for (double d = 1e-3; d > 1e-13; d *= 0.1) {
        const ph_so3 below = ph_so3_coefficients(ph_vec(0.0, two_pi - d, 0.0));
        const ph_so3 above = ph_so3_coefficients(ph_vec(0.0, 0.0, two_pi + d));
        // c = 1/(2 pi d) (1 + O(d)) below, with the other sign above
        CHECK_REL(below.c * d, 1.0 / two_pi, d + 2e-15 / d);
        CHECK_REL(above.c * d, -1.0 / two_pi, d + 2e-15 / d);
        CHECK(below.d_c > 0.0 && above.d_c > 0.0);
        CHECK_NEAR(below.alpha, 0.0, 2.0 * d / two_pi);
        CHECK_NEAR(above.gamma, 1.0 / (two_pi * two_pi), d);
    }
    const ph_so3 at = ph_so3_coefficients(ph_vec(two_pi, 0.0, 0.0));
    CHECK(fabs(at.c) > 1e14 && fabs(at.half_cos + 1.0) < 1e-15 && fabs(at.half_sinc) < 1e-15);
}

// What the cheaper variants compute has the same bits.
TEST(partial_coefficients_agree)
{
    for (int i = 0; i < 2000; i++) {
        const ph_vec3 f = random_of_length(test_uniform(0.0, i % 2 ? 0.6 : 7.0));
        const ph_so3 k = ph_so3_coefficients(f), p = ph_so3_coefficients_c(f);
        CHECK(k.x2 == p.x2 && k.c == p.c && k.d_c == p.d_c && k.beta == p.beta && k.gamma == p.gamma);
        CHECK(k.half_cos == p.half_cos && k.half_sinc == p.half_sinc);
        const ph_quat q = ph_quat_exp(f);
        CHECK(q.w == k.half_cos && q.x == k.half_sinc * f.x && q.z == k.half_sinc * f.z);
    }
}

TEST(not_a_number_stays)
{
    const ph_so3 k = ph_so3_coefficients(ph_vec(0.0, (double)NAN, 0.0));
    CHECK(isnan(k.alpha) && isnan(k.c) && isnan(k.d_c) && isnan(k.half_cos));
}

// --- exponential and logarithm ---------------------------------------------------------------------------------------

// A length from a list that dwells on the delicate places
static double delicate_length(int i)
{
    const double pi = 3.141592653589793;
    const double lengths[] = {0.0,  1e-300, 1e-170,    1e-20,     1e-9,      1e-8,      1e-7,
                              1e-6, 1e-5,   0.1,       0.4999999, 0.5,       0.5000001, 1.0,
                              2.0,  3.0,    pi - 1e-3, pi - 1e-6, pi - 1e-9, pi - 1e-13};
    const int n = (int)(sizeof lengths / sizeof lengths[0]);
    return i % 2 ? lengths[i / 2 % n] : test_uniform(0.0, pi);
}

TEST(exponential_is_a_rotation)
{
    for (int i = 0; i < 2000; i++) {
        const ph_vec3 f = random_of_length(test_uniform(0.0, i % 2 ? 1.0 : 20.0));
        const ph_mat3 R = ph_so3_exp(f);
        const ph_so3 k = ph_so3_coefficients(f);
        CHECK_NEAR(ph_quat_norm(ph_quat_exp(f)), 1.0, 6e-16);
        CHECK_NEAR(mat_distance(ph_mat_tmul(R, R), ph_identity()), 0.0, 3e-15);
        CHECK_NEAR(mat_distance(R, ph_rodrigues(k.alpha, k.beta, f)), 0.0, 3e-15);
        CHECK_NEAR(vec_distance(ph_mul(R, f), f), 0.0, 4e-15 * ph_norm(f));
        CHECK_NEAR(mat_distance(ph_so3_exp(ph_neg(f)), ph_transpose(R)), 0.0, 0.0);
    }
}

TEST(logarithm_inverts_the_exponential)
{
    for (int i = 0; i < 2000; i++) {
        const ph_vec3 f = random_of_length(delicate_length(i));
        const double length = ph_norm(f);
        CHECK_NEAR(vec_distance(ph_quat_log(ph_quat_exp(f)), f), 0.0, 1e-15 * length);
        const ph_quat q = ph_quat_exp(f);
        CHECK_NEAR(vec_distance(ph_quat_log((ph_quat){-q.w, -q.x, -q.y, -q.z}), f), 0.0, 1e-15 * length);
        CHECK_NEAR(vec_distance(ph_so3_log(ph_so3_exp(f)), f), 0.0, 4e-15);
    }
    // Half turns: the axis up to its sign
    const ph_vec3 half = ph_so3_log(ph_diag(ph_vec(-1.0, 1.0, -1.0)));
    CHECK_NEAR(ph_norm(half), 3.141592653589793, 1e-15);
    CHECK_NEAR(fabs(half.y), 3.141592653589793, 1e-15);
    CHECK_NEAR(ph_norm(ph_so3_log(ph_identity())), 0.0, 0.0);
    CHECK_NEAR(ph_norm(ph_quat_log((ph_quat){-1.0, 0.0, 0.0, 0.0})), 0.0, 0.0);
}

// --- tangent maps ----------------------------------------------------------------------------------------------------

// d/dt exp(f~) = exp(f~) (T f')~: the central difference of log(exp(-f) exp(f + t v)) in t
TEST(tangent_map_is_the_right_jacobian)
{
    for (int i = 0; i < 500; i++) {
        const ph_vec3 f = random_of_length(test_uniform(0.0, 6.0)), v = random_vec(1.0);
        const ph_so3 k = ph_so3_coefficients(f);
        const double h = 1e-4;
        const ph_quat back = ph_quat_exp(ph_neg(f));
        const ph_vec3 ahead = ph_quat_log(ph_quat_mul(back, ph_quat_exp(ph_madd(f, h, v))));
        const ph_vec3 behind = ph_quat_log(ph_quat_mul(back, ph_quat_exp(ph_madd(f, -h, v))));
        const ph_vec3 slope = ph_scale(0.5 / h, ph_sub(ahead, behind));
        CHECK_NEAR(vec_distance(ph_dexp_mul(&k, f, v), slope), 0.0, 3e-8);
    }
}

TEST(tangent_maps_agree)
{
    for (int i = 0; i < 1000; i++) {
        const ph_vec3 f = random_of_length(i % 2 ? test_uniform(0.0, 5.5) : delicate_length(i)), v = random_vec(1.0);
        const ph_so3 k = ph_so3_coefficients(f);
        const ph_mat3 T = ph_dexp(f), T_inv = ph_dexp_inv(f);
        CHECK_NEAR(mat_distance(ph_mat_mul(T, T_inv), ph_identity()), 0.0, 2e-14);
        CHECK_NEAR(vec_distance(ph_dexp_mul(&k, f, v), ph_mul(T, v)), 0.0, 4e-15);
        CHECK_NEAR(vec_distance(ph_dexp_tmul(&k, f, v), ph_tmul(T, v)), 0.0, 4e-15);
        CHECK_NEAR(vec_distance(ph_dexp_inv_mul(&k, f, v), ph_mul(T_inv, v)), 0.0, 2e-14);
        CHECK_NEAR(vec_distance(ph_dexp_inv_tmul(&k, f, v), ph_tmul(T_inv, v)), 0.0, 2e-14);
        // T^-T(f) = F^T T^-T(-f), T^T(f) = F T(f), F = exp(f~)
        const ph_mat3 F = ph_so3_exp(f);
        const ph_vec3 back = ph_tmul(F, ph_dexp_inv_tmul(&k, ph_neg(f), v));
        CHECK_NEAR(vec_distance(ph_dexp_inv_tmul(&k, f, v), back), 0.0, 2e-14);
        CHECK_NEAR(mat_distance(ph_transpose(T), ph_mat_mul(F, T)), 0.0, 4e-15);
    }
}

typedef ph_vec3 (*product)(const ph_so3 *k, ph_vec3 f, ph_vec3 v);
typedef ph_mat3 (*derivative)(ph_vec3 f, ph_vec3 v);

static const struct {
    product product;
    derivative derivative;
    bool inverse;
    int sign; // of f~
} maps[] = {
    {ph_dexp_mul, ph_dexp_d, false, -1},
    {ph_dexp_tmul, ph_dexp_t_d, false, 1},
    {ph_dexp_inv_mul, ph_dexp_inv_d, true, 1},
    {ph_dexp_inv_tmul, ph_dexp_inv_t_d, true, -1},
};

static void quad_cross(const quad a[3], const quad b[3], quad r[3])
{
    r[0] = a[1] * b[2] - a[2] * b[1];
    r[1] = a[2] * b[0] - a[0] * b[2];
    r[2] = a[0] * b[1] - a[1] * b[0];
}

// T v, T^T v, T^-1 v, T^-T v at f + h e_j
static void quad_product(int map, ph_vec3 f, ph_vec3 v, quad h, int j, quad out[3])
{
    quad g[3] = {(quad)f.x, (quad)f.y, (quad)f.z}, w[3] = {(quad)v.x, (quad)v.y, (quad)v.z}, gw[3], ggw[3];
    g[j] += h;
    const exact_so3 k = exact_coefficients(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    const quad a = maps[map].sign * (maps[map].inverse ? (quad)0.5 : k.beta), b = maps[map].inverse ? k.c : k.gamma;
    quad_cross(g, w, gw);
    quad_cross(g, gw, ggw);
    for (int i = 0; i < 3; i++) {
        out[i] = w[i] + a * gw[i] + b * ggw[i];
    }
}

// Central difference in quadruple precision: its error is of order 1e-20.
static ph_mat3 quad_difference(int map, ph_vec3 f, ph_vec3 v)
{
    ph_mat3 A;
    const quad h = (quad)1e-10;
    for (int j = 0; j < 3; j++) {
        quad ahead[3], behind[3];
        quad_product(map, f, v, h, j, ahead);
        quad_product(map, f, v, -h, j, behind);
        for (int i = 0; i < 3; i++) {
            A.m[i][j] = (double)((ahead[i] - behind[i]) / (2 * h));
        }
    }
    return A;
}

// The same in double precision with the functions themselves.
static ph_mat3 double_difference(int map, ph_vec3 f, ph_vec3 v)
{
    ph_vec3 column[3];
    const double h = 1e-5;
    for (int j = 0; j < 3; j++) {
        const ph_vec3 step = ph_vec(j == 0 ? h : 0.0, j == 1 ? h : 0.0, j == 2 ? h : 0.0);
        const ph_vec3 f1 = ph_add(f, step), f0 = ph_sub(f, step);
        const ph_so3 k1 = ph_so3_coefficients(f1), k0 = ph_so3_coefficients(f0);
        column[j] = ph_scale(0.5 / h, ph_sub(maps[map].product(&k1, f1, v), maps[map].product(&k0, f0, v)));
    }
    return ph_mat_cols(column[0], column[1], column[2]);
}

TEST(derivatives_of_tangent_maps)
{
    for (int map = 0; map < 4; map++) {
        for (int i = 0; i < 150; i++) {
            const ph_vec3 f = random_of_length(i % 2 ? test_uniform(0.0, 5.0) : delicate_length(i));
            const ph_vec3 v = random_vec(1.0);
            const ph_mat3 A = maps[map].derivative(f, v);
            const double scale = 1.0 + ph_mat_norm(A);
            CHECK_NEAR(mat_distance(A, quad_difference(map, f, v)), 0.0, 2e-15 * scale);
            CHECK_NEAR(mat_distance(A, double_difference(map, f, v)), 0.0, 1e-9 * scale);
        }
    }
}
