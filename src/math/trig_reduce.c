// Payne and Hanek (1983): of the product x (2/pi) only the two lowest bits of the integer part and the fraction matter,
// so only a window of the bits of 2/pi is multiplied, exactly, in integers.
//
// x = m 2^e with an integer m < 2^53. Words of 2/pi so high that m 2^e times them is a multiple of 4 are left out; eight
// words from there on leave an error of the fraction below 2^-169, while no double is nearer than 2^-62 to a multiple
// of pi/2.
#include "math/trig_reduce.h"

#include "math/dd.h"
#include "math/trig.h"
#include "math/trig_tables.h"

enum { WINDOW = 8, LIMBS = WINDOW + 2 };

// p = m times the window of 2/pi that starts at word `first`; limbs of 32 bits, lowest first
static void multiply_window(uint64_t m, int first, uint32_t p[LIMBS + 2])
{
    const uint64_t m0 = m & 0xffffffffu, m1 = m >> 32;
    uint64_t carry0 = 0, carry1 = 0, previous = 0;
    for (int i = 0; i < LIMBS; i++) {
        const uint64_t w = i < WINDOW ? two_over_pi[first + WINDOW - 1 - i] : 0;
        const uint64_t low = m0 * w + carry0; // this word times the lower half of m ...
        carry0 = low >> 32;
        const uint64_t sum = m1 * previous + (low & 0xffffffffu) + carry1; // ... and the word below times the upper
        carry1 = sum >> 32;
        p[i] = (uint32_t)sum;
        previous = w;
    }
    p[LIMBS] = p[LIMBS + 1] = 0;
}

// 32 bits of p from bit `position` on
static uint32_t bits_at(const uint32_t *p, int position)
{
    const int limb = position / 32, shift = position % 32;
    const uint64_t both = (uint64_t)p[limb + 1] << 32 | p[limb];
    return (uint32_t)(both >> shift);
}

int ph_reduce_half_pi(double x, double *y_hi, double *y_lo)
{
    const uint64_t bits = double_bits(x);
    const int biased = (int)(bits >> 52 & 0x7ff);
    if (biased == 0x7ff) {
        *y_hi = *y_lo = PH_NAN;
        return 0;
    }
    const uint64_t m = (bits & 0xfffffffffffffu) | 0x10000000000000u;
    const int e = biased - 1075;
    const int first = e > 33 ? (e - 2) / 32 : 0;
    const int point = 32 * (first + WINDOW) - e; // number of bits of the product behind the binary point
    uint32_t p[LIMBS + 2];
    multiply_window(m, first, p);

    // Round to the nearest integer: the fraction, 192 bits of it, goes to [-1/2, 1/2).
    uint32_t n = bits_at(p, point) & 3;
    const uint32_t flip = bits_at(p, point - 32) >> 31 ? 0xffffffffu : 0;
    n += flip & 1;
    dd f = {0.0, 0.0};
    for (int i = 6; i >= 1; i--) { // from the lowest word; complementing negates but for 2^-192
        const double word = (double)(bits_at(p, point - 32 * i) ^ flip) * power_of_two(-32 * i);
        const dd sum = fast_two_sum(word, f.hi);
        f = fast_two_sum(sum.hi, sum.lo + f.lo);
    }

    const dd y = two_product(f.hi, half_pi_dd[0]);
    const dd r = fast_two_sum(y.hi, y.lo + (f.hi * half_pi_dd[1] + f.lo * half_pi_dd[0]));
    const double sign = (flip != 0) != (x < 0.0) ? -1.0 : 1.0;
    *y_hi = sign * r.hi;
    *y_lo = sign * r.lo;
    return (int)((x < 0.0 ? 0u - n : n) & 3);
}
