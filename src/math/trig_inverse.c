// Arc tangent, arc sine, arc cosine. The leading part of a result (a table entry, a multiple of pi/2 or the argument)
// is added last to a small rest.
#include "math/dd.h"
#include "math/trig.h"
#include "math/trig_tables.h"

// atan(q), 0 <= q.hi <= 1, as an unevaluated sum. Above 1/8 with the nearest k/64:
// atan q = atan(k/64) + atan((q - k/64) / (1 + q k/64))
static dd atan_unit(dd q)
{
    if (q.hi < 0.125) {
        const double z = q.hi * q.hi;
        const double *a = atan_poly;
        const double p = a[0] + z * (a[1] + z * (a[2] + z * (a[3] + z * (a[4] + z * (a[5] + z * a[6])))));
        return (dd){q.hi, q.lo + q.hi * z * p};
    }
    const int k = (int)(64.0 * q.hi + 0.5);
    const double c = 0.015625 * (double)k;
    const double t = ((q.hi - c) + q.lo) / (1.0 + c * q.hi);
    const double z = t * t;
    const double *a = atan_poly_short, *table = atan_table[k - 8];
    return (dd){table[0], table[1] + (t + t * z * (a[0] + z * (a[1] + z * a[2])))};
}

// base pi/2 + sign a
static double add_half_pi(double base, double sign, dd a)
{
    const dd s = fast_two_sum(base * half_pi_dd[0], sign * a.hi);
    return s.hi + (s.lo + (base * half_pi_dd[1] + sign * a.lo));
}

double ph_atan(double x)
{
    const double q = fabs(x);
    if (q < 0x1p-27 || isnan(x)) {
        return x;
    }
    if (q <= 1.0) {
        const dd a = atan_unit((dd){q, 0.0});
        return copysign(a.hi + a.lo, x);
    }
    const dd inverse = q < 0x1p64 ? two_quotient(1.0, q) : (dd){0.0, 0.0};
    return copysign(add_half_pi(1.0, -1.0, atan_unit(inverse)), x);
}

// n / d for 0 <= n <= d, 0 < d < infinity, as an unevaluated sum
static dd ratio(double n, double d)
{
    if (n < 0x1p-64 * d) {
        return (dd){n / d, 0.0};
    }
    if (d > 0x1p500) {
        return two_quotient(n * 0x1p-600, d * 0x1p-600);
    }
    if (d < 0x1p-400) {
        return two_quotient(n * 0x1p600, d * 0x1p600);
    }
    return two_quotient(n, d);
}

double ph_atan2(double y, double x)
{
    if (isnan(x) || isnan(y)) {
        return PH_NAN;
    }
    const double ax = fabs(x), ay = fabs(y);
    const int steep = ay > ax;
    const double n = steep ? ax : ay, d = steep ? ay : ax;
    dd q;
    if (isinf(d)) {
        q = (dd){isinf(n) ? 1.0 : 0.0, 0.0};
    } else {
        q = d == 0.0 ? (dd){0.0, 0.0} : ratio(n, d);
    }
    const dd a = atan_unit(q);
    const int left = signbit(x) != 0;
    double angle;
    if (steep) {
        angle = add_half_pi(1.0, left ? 1.0 : -1.0, a);
    } else {
        angle = left ? add_half_pi(2.0, -1.0, a) : a.hi + a.lo;
    }
    return copysign(angle, y);
}

// (asin s - s) / s in z = s^2 <= 1/4
static double asin_rest(double z)
{
    const double *a = asin_poly;
    const double z2 = z * z, z4 = z2 * z2;
    const double p0 = (a[0] + z * a[1]) + z2 * (a[2] + z * a[3]);
    const double p1 = (a[4] + z * a[5]) + z2 * (a[6] + z * a[7]);
    const double p2 = (a[8] + z * a[9]) + z2 * (a[10] + z * a[11]);
    return z * (p0 + z4 * (p1 + z4 * (p2 + z4 * a[12])));
}

// asin(sqrt((1 - x) / 2)) = acos(x) / 2 for 1/2 <= x <= 1; the root as an unevaluated sum
static dd half_acos(double x)
{
    const double z = 0.5 * (1.0 - x); // exact
    if (z == 0.0) {
        return (dd){0.0, 0.0};
    }
    const double s = sqrt(z);
    const dd square = two_product(s, s);
    const double rest = ((z - square.hi) - square.lo) / (2.0 * s);
    return (dd){s, rest + s * asin_rest(z)};
}

double ph_asin(double x)
{
    const double a = fabs(x);
    if (a <= 0.5) {
        return a < 0x1p-27 ? x : x + x * asin_rest(x * x);
    }
    if (!(a <= 1.0)) {
        return PH_NAN;
    }
    const dd h = half_acos(a);
    return copysign(add_half_pi(1.0, -2.0, h), x);
}

double ph_acos(double x)
{
    const double a = fabs(x);
    if (a <= 0.5) {
        return add_half_pi(1.0, -1.0, (dd){x, x * asin_rest(x * x)});
    }
    if (!(a <= 1.0)) {
        return PH_NAN;
    }
    const dd h = half_acos(a);
    return x > 0.0 ? 2.0 * (h.hi + h.lo) : add_half_pi(2.0, -2.0, h);
}
