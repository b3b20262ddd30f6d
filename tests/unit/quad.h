// Reference values with about 33 digits, from nothing but + - * / of the compiler's 128-bit type: power series after
// argument reduction, and Newton's method for inverse functions. Slow, and independent of what it checks.
#ifndef TEST_QUAD_H
#define TEST_QUAD_H

#include <math.h>
#include <stdbool.h>

#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 quad;
#else
typedef long double quad; // 113 bits where there is no other quadruple type
#endif

static inline quad quad_abs(quad x)
{
    return x < 0 ? -x : x;
}

static inline quad quad_sqrt(quad x)
{
    if (x <= 0) {
        return 0;
    }
    quad y = (quad)sqrt((double)x);
    for (int i = 0; i < 2; i++) {
        y = (y + x / y) / 2;
    }
    return y;
}

// 2^e, |e| < 2000
static inline quad quad_power_of_two(int e)
{
    return (quad)ldexp(1.0, e / 2) * (quad)ldexp(1.0, e - e / 2);
}

// |x| < 2^22: n times the first part of pi/2, which has 88 bits, is exact.
static inline void quad_sincos(quad x, quad *s, quad *c)
{
    const quad first = (quad)0x1.921fb54442d18p+0 + (quad)0x1.1a62633180000p-54;
    const quad second = -(quad)0x1.d1fc8f8cbb5bfp-89 - (quad)0x1.b1f77598338c0p-143;
    const double n = nearbyint((double)x * 0.63661977236758134);
    const quad y = (x - (quad)n * first) - (quad)n * second;
    quad sine = 0, cosine = 0, term = 1;
    for (int k = 0; k < 36; k += 2) {
        cosine += term;
        term *= y / (k + 1);
        sine += term;
        term *= -y / (k + 2);
    }
    switch ((int)((long long)n & 3)) {
    case 0:
        *s = sine, *c = cosine;
        break;
    case 1:
        *s = cosine, *c = -sine;
        break;
    case 2:
        *s = -sine, *c = -cosine;
        break;
    default:
        *s = -cosine, *c = sine;
        break;
    }
}

static inline quad quad_exp(quad x)
{
    const quad first = (quad)0x1.62e42fefa39efp-1 + (quad)0x1.abc9e3b398000p-56; // ln 2, 96 bits
    const quad second = (quad)0x1.f97b57a079a19p-103;
    const double n = nearbyint((double)x * 1.4426950408889634);
    const quad y = (x - (quad)n * first) - (quad)n * second;
    quad sum = 0, term = 1;
    for (int k = 1; k < 32; k++) {
        sum += term;
        term *= y / k;
    }
    return sum * quad_power_of_two((int)n);
}

// One step of Halley's method triples the digits of the double.
static inline quad quad_log(quad x)
{
    const quad y = (quad)log((double)x), e = quad_exp(y);
    return y + 2 * (x - e) / (x + e);
}

static inline quad quad_pow(double x, double y)
{
    return quad_exp((quad)y * quad_log((quad)x));
}

// The double turned by the small rest.
static inline quad quad_atan2(quad y, quad x)
{
    quad s, c;
    const quad angle = (quad)atan2((double)y, (double)x);
    quad_sincos(angle, &s, &c);
    return angle + (y * c - x * s) / (x * c + y * s);
}

static inline quad quad_asin(double x)
{
    return quad_atan2((quad)x, quad_sqrt((1 - (quad)x) * (1 + (quad)x)));
}

static inline quad quad_acos(double x)
{
    return quad_atan2(quad_sqrt((1 - (quad)x) * (1 + (quad)x)), (quad)x);
}

static inline quad quad_tanh(double x)
{
    if (fabs(x) < 1e-6) {
        const quad z = (quad)x * (quad)x;
        return (quad)x * (1 - z / 3 * (1 - z * 2 / 5));
    }
    const quad e = quad_exp(2 * (quad)x);
    return (e - 1) / (e + 1);
}

// Error of a double in units of the last place of the exact value (of the smallest normal number below it).
static inline double quad_ulps(double x, quad exact)
{
    int e;
    const double rounded = (double)exact;
    if (isnan(x) || isinf(x) || isinf(rounded)) {
        return x == rounded ? 0.0 : (double)INFINITY;
    }
    (void)frexp(rounded, &e);
    const quad unit = quad_power_of_two((e < -1021 ? -1021 : e) - 53);
    return (double)(quad_abs((quad)x - exact) / unit);
}

#endif
