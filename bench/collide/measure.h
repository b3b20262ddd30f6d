// What the measurements of this folder share: the same random numbers in every run, and time of the processor.
#ifndef BENCH_COLLIDE_MEASURE_H
#define BENCH_COLLIDE_MEASURE_H

#include <stdint.h>
#include <time.h>

static inline double uniform(void) // from -1/2 to 1/2
{
    static uint64_t bits = 1;
    bits = bits * 6364136223846793005u + 1442695040888963407u;
    return (double)(bits >> 11) * 0x1p-53 - 0.5;
}

static inline double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
