// Jacobi's functions: descending Landen transformation along the arithmetic-geometric mean (Bulirsch, Numerical
// calculation of elliptic integrals and elliptic functions, 1965). Incomplete integrals: duplication theorem (Carlson,
// Numerical computation of real or complex elliptic integrals, 1995), in forms where all terms have the same sign.
#include "exact/elliptic.h"

#include "math/trig.h"

#include <math.h>
#include <stdbool.h>

static const double HALF_PI = 0x1.921fb54442d18p+0;

elliptic elliptic_of(double m, double m1)
{
    elliptic e = {.m = m, .m1 = m1, .K = PH_INF};
    if (m1 <= 0.0) return e;
    double a = 1.0, b = sqrt(m1), gap;
    do {
        e.a[e.count] = a;
        e.b[e.count++] = b;
        gap = fabs(a - b); // squared and divided by 8 a in the next step: below rounding when this is below its root
        e.mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = e.mean;
    } while (gap > 1e-8 * a && e.count < ELLIPTIC_MEANS_MAX);
    e.K = HALF_PI / e.mean;
    return e;
}

elliptic_point elliptic_move(const elliptic *e, elliptic_point from, double du)
{
    const double rest = from.rest + du;
    if (e->m1 <= 0.0) return (elliptic_point){0.0, rest};
    const double quarters = floor(rest / e->K + 0.5);
    return (elliptic_point){from.quarters + quarters, rest - e->K * quarters};
}

// ---- Jacobi's functions ---------------------------------------------------------------------------------------------

// m = 1: the functions no longer return.
static jacobi hyperbolic(double u)
{
    const double sech = 2.0 / (ph_exp(u) + ph_exp(-u));
    return (jacobi){ph_tanh(u), sech, sech};
}

static jacobi jacobi_near(const elliptic *e, double u)
{
    if (e->m1 <= 0.0) return hyperbolic(u);
    if (fabs(u) < 1e-75) return (jacobi){u, 1.0, 1.0}; // below, the cotangent would overflow
    double s, c;
    ph_sincos(e->mean * u, &s, &c);
    // t climbs from mean * cot(mean u) to cot(am u); dn comes along.
    double ratio = c / s, t = e->mean * ratio, dn = 1.0;
    for (int n = e->count - 1; n >= 0; n--) {
        const double square = ratio * t;
        t *= dn;
        dn = (e->b[n] + square) / (e->a[n] + square);
        ratio = t / e->a[n];
    }
    const double sn = copysign(1.0 / sqrt(1.0 + t * t), s);
    return (jacobi){sn, t * sn, dn};
}

// At u + K.
static jacobi quarter_on(const elliptic *e, jacobi j)
{
    const double k1 = sqrt(e->m1);
    return (jacobi){j.cn / j.dn, -k1 * j.sn / j.dn, k1 / j.dn};
}

jacobi elliptic_jacobi(const elliptic *e, elliptic_point u)
{
    const double turn = u.quarters - 4.0 * floor(0.25 * u.quarters); // 0, 1, 2, 3
    jacobi j = jacobi_near(e, u.rest);
    if (turn == 1.0 || turn == 3.0) j = quarter_on(e, j);
    return turn >= 2.0 ? (jacobi){-j.sn, -j.cn, j.dn} : j;
}

// ---- Carlson's integrals --------------------------------------------------------------------------------------------

// Each duplication divides the distances of the arguments from their mean by 4. The series at the end are cut at the
// seventh order; distances below this many means leave an error below DBL_EPSILON / 8.
static const double NEAR = 1.0 / 512.0;

static double largest3(double x, double y, double z)
{
    const double xy = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
    return xy > fabs(z) ? xy : fabs(z);
}

// R_F(x, y, z) = 1/2 int_0^inf dt / sqrt((t+x)(t+y)(t+z)); one argument at most is zero.
static double carlson_rf(double x, double y, double z)
{
    double mean = (x + y + z) / 3.0, X = mean - x, Y = mean - y, scale = 1.0;
    for (double gap = largest3(X, Y, mean - z); scale * gap > NEAR * mean; scale *= 0.25) {
        const double rx = sqrt(x), ry = sqrt(y), rz = sqrt(z), lambda = rx * ry + rx * rz + ry * rz;
        x = 0.25 * (x + lambda), y = 0.25 * (y + lambda), z = 0.25 * (z + lambda);
        mean = 0.25 * (mean + lambda);
    }
    X *= scale / mean, Y *= scale / mean;
    const double Z = -X - Y, E2 = X * Y - Z * Z, E3 = X * Y * Z;
    return (1.0 + E3 * (1.0 / 14.0 + E3 * (3.0 / 104.0)) +
            E2 * (-0.1 + E2 * (1.0 / 24.0 - E2 * (5.0 / 208.0)) - E3 * (3.0 / 44.0) + E2 * E3 * (1.0 / 16.0))) /
           sqrt(mean);
}

// R_C(x, y) = R_F(x, y, y): the inverse circular and hyperbolic functions in one.
static double carlson_rc(double x, double y)
{
    double mean = (x + y + y) / 3.0, scale = 1.0;
    const double gap = y - mean;
    for (; scale * fabs(gap) > NEAR * mean; scale *= 0.25) {
        const double lambda = 2.0 * sqrt(x) * sqrt(y) + y;
        x = 0.25 * (x + lambda), y = 0.25 * (y + lambda);
        mean = 0.25 * (mean + lambda);
    }
    const double s = scale * gap / mean;
    const double tail = 3.0 / 8.0 + s * (9.0 / 22.0 + s * (159.0 / 208.0 + s * (9.0 / 8.0)));
    return (1.0 + s * s * (0.3 + s * (1.0 / 7.0 + s * tail))) / sqrt(mean);
}

// R_J(x, y, z, p) = 3/2 int_0^inf dt / ((t+p) sqrt((t+x)(t+y)(t+z))), p > 0
static double carlson_rj(double x, double y, double z, double p)
{
    double mean = (x + y + z + p + p) / 5.0, X = mean - x, Y = mean - y, Z = mean - z, scale = 1.0, sum = 0.0;
    const double gap = largest3(largest3(X, Y, Z), mean - p, 0.0);
    for (; scale * gap > NEAR * mean; scale *= 0.25) {
        const double rx = sqrt(x), ry = sqrt(y), rz = sqrt(z), rp = sqrt(p), lambda = rx * ry + rx * rz + ry * rz;
        const double d = (rp + rx) * (rp + ry) * (rp + rz);
        sum += scale / d * carlson_rc(1.0, 2.0 * rp * (p + lambda) / d); // (d + (rp-rx)(rp-ry)(rp-rz)) / d
        x = 0.25 * (x + lambda), y = 0.25 * (y + lambda), z = 0.25 * (z + lambda), p = 0.25 * (p + lambda);
        mean = 0.25 * (mean + lambda);
    }
    X *= scale / mean, Y *= scale / mean, Z *= scale / mean;
    const double P = -0.5 * (X + Y + Z), XYZ = X * Y * Z;
    const double E2 = X * Y + X * Z + Y * Z - 3.0 * P * P, E3 = XYZ + 2.0 * E2 * P + 4.0 * P * P * P;
    const double E4 = (2.0 * XYZ + E2 * P + 3.0 * P * P * P) * P, E5 = XYZ * P * P;
    const double series = 1.0 + E2 * (-3.0 / 14.0 + E2 * (9.0 / 88.0 - E2 * (1.0 / 16.0)) - E3 * (9.0 / 52.0)) +
                          E3 * (1.0 / 6.0 + E3 * (3.0 / 40.0)) - E4 * (3.0 / 22.0) + E2 * E4 * (3.0 / 20.0) +
                          E5 * (3.0 / 26.0);
    return scale * series / (mean * sqrt(mean)) + 6.0 * sum;
}

// ---- Incomplete integrals -------------------------------------------------------------------------------------------

// F(s, c) for s, c >= 0
static double first_kind(double m1, double s, double c)
{
    return s * carlson_rf(c * c, c * c + m1 * s * s, 1.0);
}

elliptic_point elliptic_inverse(const elliptic *e, double sn, double cn)
{
    const double radius = sqrt(sn * sn + cn * cn), s = fabs(sn) / radius, c = fabs(cn) / radius;
    elliptic_point u = {0.0, first_kind(e->m1, s, c)};
    if (u.rest > 0.5 * e->K) { // count from K: sn(K - u) = cn/dn, cn(K - u) = k1 sn/dn
        const double d = sqrt(c * c + e->m1 * s * s);
        u = (elliptic_point){1.0, -first_kind(e->m1, c / d, sqrt(e->m1) * s / d)};
    }
    if (cn < 0.0) u = (elliptic_point){2.0 - u.quarters, -u.rest};
    return sn < 0.0 ? (elliptic_point){-u.quarters, -u.rest} : u;
}

// int_0^u (1 + excess sn^2 / (cn^2 + end sn^2)) du for 0 <= u <= K, given the functions of u: both terms are positive.
static double third_part(double excess, double end, double u, jacobi j)
{
    if (excess <= 0.0) return u;
    const double s2 = j.sn * j.sn, c2 = j.cn * j.cn;
    return u + excess / 3.0 * s2 * fabs(j.sn) * carlson_rj(c2, j.dn * j.dn, 1.0, c2 + end * s2);
}

// int_0^K of the same.
static double third_whole(const elliptic *e, double excess, double end)
{
    return excess <= 0.0 ? e->K : e->K + excess / 3.0 * carlson_rj(0.0, e->m1, 1.0, end);
}

// At m = 1 there is only one quarter; where the denominator grows the integral has a closed form in sn = tanh u.
static double third_hyperbolic(double start, double turn, double u)
{
    const jacobi j = hyperbolic(u);
    if (turn <= start) return copysign(third_part(1.0 - turn / start, turn / start, fabs(u), j), u) / start;
    const double root = sqrt((turn - start) / start);
    return (u + root * ph_atan(root * j.sn)) / turn;
}

// The point is 2 n K + x or 2 n K - x, 0 <= x <= K. Where the denominator grows (turn > start) the integral is taken from
// its largest value on: with y = K - x, start cn^2 x + turn sn^2 x = turn (cn^2 y + r sn^2 y) / dn^2 y, r = m1 start / turn,
// and dn^2 = cn^2 + m1 sn^2.
double elliptic_third(const elliptic *e, double start, double turn, elliptic_point u)
{
    if (e->m1 <= 0.0) return third_hyperbolic(start, turn, u.rest);
    const jacobi j = elliptic_jacobi(e, u);
    const bool odd = u.quarters != 2.0 * floor(0.5 * u.quarters), after = odd ? u.rest < 0.0 : u.rest >= 0.0;
    const double n = 0.5 * (odd ? u.quarters + (after ? -1.0 : 1.0) : u.quarters);
    const double x = odd ? e->K - fabs(u.rest) : fabs(u.rest), y = odd ? fabs(u.rest) : e->K - fabs(u.rest);
    double whole, part;
    if (turn <= start) {
        const double end = turn / start, excess = 1.0 - end;
        whole = third_whole(e, excess, end) / start;
        part = third_part(excess, end, x, j) / start;
    } else {
        const double end = e->m1 * start / turn, excess = e->m1 * (1.0 - start / turn);
        whole = third_whole(e, excess, end) / turn;
        part = whole - third_part(excess, end, y, quarter_on(e, j)) / turn; // squares and sizes: the same at K - x
    }
    return 2.0 * n * whole + (after ? part : -part);
}
