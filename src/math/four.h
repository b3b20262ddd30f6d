// Four doubles side by side: what the compiler makes one instruction of where the machine has it, with the same bits everywhere.
#ifndef PH_MATH_FOUR_H
#define PH_MATH_FOUR_H

#include <string.h>

#pragma GCC diagnostic ignored "-Wpsabi" // nothing here is called: all of it is in line

typedef double four __attribute__((vector_size(32)));

#define FOUR_INLINE static inline __attribute__((always_inline))

FOUR_INLINE four four_load(const double *x)
{
    four v;
    memcpy(&v, x, sizeof v);
    return v;
}

FOUR_INLINE void four_store(double *x, four v)
{
    memcpy(x, &v, sizeof v);
}

FOUR_INLINE four four_splat(double x)
{
    return (four){x, x, x, x};
}

// (v0 + v1) + (v2 + v3)
FOUR_INLINE double four_sum(four v)
{
    return (v[0] + v[1]) + (v[2] + v[3]);
}

#endif
