// Sums and products with their rounding errors (Dekker 1971, Knuth): an unevaluated sum hi + lo carries about 106 bits.
// Internal to the elementary functions. Exact as long as nothing overflows or underflows, and contraction is off.
#ifndef PH_MATH_DD_H
#define PH_MATH_DD_H

#include <stdint.h>
#include <string.h>

typedef struct dd {
    double hi, lo;
} dd;

// a + b, for |a| >= |b| or a = 0
static inline dd fast_two_sum(double a, double b)
{
    const double s = a + b;
    return (dd){s, b - (s - a)};
}

// a + b
static inline dd two_sum(double a, double b)
{
    const double s = a + b;
    const double t = s - a;
    return (dd){s, (a - (s - t)) + (b - t)};
}

// The upper 26 bits and the rest of a (Veltkamp)
static inline dd split(double a)
{
    const double t = 0x1.0000002p27 * a;
    const double hi = t - (t - a);
    return (dd){hi, a - hi};
}

// a b
static inline dd two_product(double a, double b)
{
    const dd u = split(a), v = split(b);
    const double p = a * b;
    return (dd){p, ((u.hi * v.hi - p) + u.hi * v.lo + u.lo * v.hi) + u.lo * v.lo};
}

// n / d, relative error about 2^-105
static inline dd two_quotient(double n, double d)
{
    const double q = n / d;
    const dd p = two_product(q, d);
    return (dd){q, ((n - p.hi) - p.lo) / d};
}

static inline uint64_t double_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double double_from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// 2^e, -1022 <= e <= 1023
static inline double power_of_two(int e)
{
    return double_from_bits((uint64_t)(e + 1023) << 52);
}

#endif
