// Sine, cosine, tangent: x = n pi/2 + y with |y| <= pi/4, y as an unevaluated sum, then polynomials in y^2 whose leading
// terms are added last, so that their rounding is nearly the only one.
#include "math/trig.h"

#include "math/dd.h"
#include "math/trig_reduce.h"
#include "math/trig_tables.h"

// x = n pi/2 + y; returns n mod 4. Cody and Waite in three parts: n half_pi[0] and n half_pi[1] are exact.
static inline int reduce(double x, dd *y)
{
    if (fabs(x) < 0x1p19) {
        const double shift = 0x1.8p52; // adding it rounds to an integer
        const double n = (x * 0x1.45f306dc9c883p-1 + shift) - shift;
        const double r = x - n * half_pi[0], t1 = n * half_pi[1];
        const double u = r - t1;
        const double t2 = n * half_pi[2] - ((r - u) - t1); // always subtracting keeps the sign of zero
        y->hi = u - t2;
        y->lo = (u - y->hi) - t2;
        // Nearer to a multiple of pi/2, t1 may exceed r, and more bits of pi may be needed.
        if (fabs(y->hi) > 0x1p-14 || n == 0.0) {
            return (int)n & 3;
        }
    }
    return ph_reduce_half_pi(x, &y->hi, &y->lo);
}

// y.hi - sin(y)
static inline double sin_tail(dd y)
{
    const double z = y.hi * y.hi, z2 = z * z;
    const double *a = sin_poly;
    const double p = (a[1] + z * a[2]) + z2 * ((a[3] + z * a[4]) + z2 * a[5]);
    const double v = z * y.hi;
    return (z * (0.5 * y.lo - v * p) - y.lo) - v * a[0];
}

// cos(y) = 1 - z/2 + z^2 p(z) - y.hi y.lo as an unevaluated sum, z = y.hi^2
static inline dd cos_parts(dd y)
{
    const double z = y.hi * y.hi, z2 = z * z;
    const double *a = cos_poly;
    const double p = (a[0] + z * a[1]) + z2 * ((a[2] + z * a[3]) + z2 * (a[4] + z * a[5]));
    const double half = 0.5 * z;
    const double w = 1.0 - half;
    return (dd){w, ((1.0 - w) - half) + (z2 * p - y.hi * y.lo)};
}

void ph_sincos(double x, double *s, double *c)
{
    dd y;
    const int n = reduce(x, &y);
    const dd cosine = cos_parts(y);
    const double sy = y.hi - sin_tail(y), cy = cosine.hi + cosine.lo;
    const double u = n & 1 ? cy : sy, v = n & 1 ? sy : cy;
    *s = n & 2 ? -u : u;
    *c = (n + 1) & 2 ? -v : v;
}

double ph_sin(double x)
{
    dd y;
    const int n = reduce(x, &y);
    double s;
    if (n & 1) {
        const dd cosine = cos_parts(y);
        s = cosine.hi + cosine.lo;
    } else {
        s = y.hi - sin_tail(y);
    }
    return n & 2 ? -s : s;
}

double ph_cos(double x)
{
    dd y;
    const int n = reduce(x, &y);
    double c;
    if (n & 1) {
        c = y.hi - sin_tail(y);
    } else {
        const dd cosine = cos_parts(y);
        c = cosine.hi + cosine.lo;
    }
    return (n + 1) & 2 ? -c : c;
}

// The quotient of the two sums, with the remainder of the division and the rounding of y^2 in the cosine added.
double ph_tan(double x)
{
    dd y;
    const int n = reduce(x, &y);
    if (fabs(y.hi) < 0x1p-27 && !(n & 1)) {
        return y.hi; // also keeps the sign of zero and the bits of subnormal numbers
    }
    const dd s = fast_two_sum(y.hi, -sin_tail(y)), k = cos_parts(y);
    const dd c = fast_two_sum(k.hi, k.lo - 0.5 * two_product(y.hi, y.hi).lo);
    const dd top = n & 1 ? (dd){-c.hi, -c.lo} : s, bottom = n & 1 ? s : c;
    const dd q = two_quotient(top.hi, bottom.hi);
    return q.hi + (q.lo + (top.lo - q.hi * bottom.lo) / bottom.hi);
}
