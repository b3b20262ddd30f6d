// What this processor can do, and the system lets it do. Asked by the instruction itself: not every compiler's library has
// __builtin_cpu_supports for every system.
#ifndef PH_BASE_PROCESSOR_H
#define PH_BASE_PROCESSOR_H

#include <stdbool.h>

#ifdef __x86_64__
#include <cpuid.h>

// The system keeps the registers whose bits are in `registers` when it changes programs (XCR0).
static inline bool processor_keeps(unsigned registers)
{
    unsigned a, b, c, d, low, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 27)) return false;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & registers) == registers;
}

static inline unsigned processor_features(void) // leaf 7, EBX
{
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) ? b : 0;
}

static inline bool processor_has_avx2(void)
{
    return processor_features() & 1u << 5 && processor_keeps(0x6);
}

static inline bool processor_has_avx512(void) // F, DQ and VL
{
    const unsigned all = 1u << 16 | 1u << 17 | 1u << 31;
    return (processor_features() & all) == all && processor_keeps(0xe6);
}
#endif

#endif
