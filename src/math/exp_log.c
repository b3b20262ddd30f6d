// Exponential, logarithm, power, hyperbolic tangent, by tables of 64 and 91 entries (Tang 1989, 1990). Logarithm and
// exponential work on unevaluated sums, so that a power is as accurate as they are.
#include "math/dd.h"
#include "math/trig.h"
#include "math/trig_tables.h"

// e^(x.hi + x.lo) = (result) 2^(*exponent), |x.hi| < 800: with k = round(64 x / ln 2) and r = x - k ln 2 / 64,
// e^x = 2^(k/64) (1 + r + r^2 p(r))
static dd exp_parts(dd x, int *exponent)
{
    const double shift = 0x1.8p52; // adding it rounds to an integer
    const double k = (x.hi * exp_step[0] + shift) - shift;
    const double r = ((x.hi - k * exp_step[1]) - k * exp_step[2]) + x.lo;
    const double *a = exp_poly;
    const double p = r + r * r * ((a[0] + r * a[1]) + r * r * (a[2] + r * a[3]));
    const int i = (int)k;
    const int j = i & 63;
    *exponent = (i - j) / 64;
    return fast_two_sum(exp_table[j][0], exp_table[j][1] + exp_table[j][0] * p);
}

// (v.hi + v.lo) 2^e, rounded once also where the result is subnormal; 1/2 < v < 2, |e| < 1100
static double scaled(dd v, int e)
{
    const double first = power_of_two(e / 2), second = power_of_two(e - e / 2);
    if (e > -1022 || (e == -1022 && v.hi >= 1.0)) {
        return v.hi * first * second;
    }
    // The last place of the result is 2^-1074: adding a large number rounds v to a multiple of 2^(-1074 - e).
    const double shift = 0x1p52 * power_of_two(-1074 - e);
    const dd s = fast_two_sum(shift, v.hi);
    return ((s.hi + (s.lo + v.lo)) - shift) * first * second;
}

static double exp_sum(dd x)
{
    int e;
    if (x.hi > 710.0) {
        return PH_INF;
    }
    if (x.hi < -746.0) {
        return 0.0;
    }
    const dd v = exp_parts(x, &e);
    return scaled(v, e);
}

double ph_exp(double x)
{
    return isnan(x) ? x : exp_sum((dd){x, 0.0});
}

// log(x), 0 < x < infinity. x = 2^k m with m in about [0.7, 1.41]; c = 128/j, j = round(128 m), rounded to 11 bits;
// r = m c - 1 exactly, as c has few bits; log x = k ln 2 - log c + r - r^2/2 + r^3 p(r)
static dd log_parts(double x)
{
    int k = 0;
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        k = -54;
    }
    // The exponent of x/0.7071: subtracting that of 0.7071 carries over when the fraction of x is smaller.
    const uint64_t bits = double_bits(x), offset = 0x3fe6a09e00000000u;
    const int64_t shifted = (int64_t)(bits - offset);
    const int e = (int)((shifted - (shifted & 0xfffffffffffff)) / 0x10000000000000);
    const double m = double_from_bits(bits - ((uint64_t)(int64_t)e << 52));
    k += e;

    const int j = (int)(128.0 * m + 0.5);
    const double *table = log_table[j - 91];
    const double upper = double_from_bits(double_bits(m) & 0xffffffff00000000u);
    const dd r = fast_two_sum(upper * table[0] - 1.0, (m - upper) * table[0]);

    const double base = (double)k * ln2_parts[0] + table[1]; // exact
    const dd square = two_product(r.hi, r.hi);
    const dd s = fast_two_sum(base, r.hi);
    const dd t = fast_two_sum(s.hi, -0.5 * square.hi);
    const double *a = log_poly, z = r.hi;
    const double p = a[0] + z * (a[1] + z * (a[2] + z * (a[3] + z * (a[4] + z * (a[5] + z * a[6])))));
    const double tail = (double)k * ln2_parts[1] + table[2];
    const double rest = (s.lo + t.lo) + (tail + (r.lo - (r.hi * r.lo + 0.5 * square.lo)));
    return fast_two_sum(t.hi, rest + r.hi * square.hi * p);
}

double ph_log(double x)
{
    if (!(x > 0.0)) {
        return x == 0.0 ? -PH_INF : PH_NAN;
    }
    return isinf(x) ? x : log_parts(x).hi;
}

// 0: y is not an integer, 1: odd, 2: even
static int parity(double y)
{
    const double a = fabs(y);
    if (a >= 0x1p53) {
        return 2;
    }
    const int64_t i = (int64_t)a;
    if ((double)i != a) {
        return 0;
    }
    return i & 1 ? 1 : 2;
}

// x = 0 or infinite, y neither zero nor not a number
static double pow_of_limit(double x, double y)
{
    const double a = (x == 0.0) == (y > 0.0) ? 0.0 : PH_INF;
    return signbit(x) && parity(y) == 1 ? -a : a;
}

double ph_pow(double x, double y)
{
    const double a = fabs(x);
    if (y == 0.0 || x == 1.0 || (a == 1.0 && isinf(y))) {
        return 1.0;
    }
    if (isnan(x) || isnan(y)) {
        return PH_NAN;
    }
    if (isinf(y)) {
        return (a < 1.0) == (y < 0.0) ? PH_INF : 0.0;
    }
    if (a == 0.0 || isinf(a)) {
        return pow_of_limit(x, y);
    }
    const int kind = x < 0.0 ? parity(y) : 2;
    if (kind == 0) {
        return PH_NAN;
    }
    double power;
    if (a == 1.0 || fabs(y) < 0x1p-70) {
        power = 1.0;
    } else if (fabs(y) > 0x1p70) { // |log a| > 2^-54
        power = (a < 1.0) == (y < 0.0) ? PH_INF : 0.0;
    } else {
        const dd l = log_parts(a);
        const dd p = two_product(y, l.hi);
        power = exp_sum(fast_two_sum(p.hi, p.lo + y * l.lo));
    }
    return kind == 1 ? -power : power;
}

// 1 - 2 / (e^(2x) + 1)
double ph_tanh(double x)
{
    const double t = fabs(x);
    if (t < 0.5) {
        const double z = t * t;
        const double *a = tanh_poly;
        const double p =
            a[0] +
            z * (a[1] +
                 z * (a[2] + z * (a[3] + z * (a[4] + z * (a[5] + z * (a[6] + z * (a[7] + z * (a[8] + z * a[9]))))))));
        return t < 0x1p-27 ? x : x + x * z * p;
    }
    if (!(t < 20.0)) {
        return isnan(x) ? x : copysign(1.0, x);
    }
    int e;
    const dd v = exp_parts((dd){2.0 * t, 0.0}, &e);
    const double scale = power_of_two(e);
    const dd d = fast_two_sum(v.hi * scale, 1.0);
    const dd q = two_quotient(2.0, d.hi);
    const double q_lo = q.lo - q.hi * (d.lo + v.lo * scale) / d.hi;
    const dd r = fast_two_sum(1.0, -q.hi);
    return copysign(r.hi + (r.lo - q_lo), x);
}
