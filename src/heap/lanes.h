// Vectors of LANES numbers of BITS bits, each of another contact, for the instruction set of the file that includes this.
//
// Only additions, multiplications, divisions and roots, each rounded as it stands, in the same order for every number of
// lanes: all instruction sets give the same bits.
#include "heap/kernels.h"

#include <math.h>
#include <string.h>
#if defined __SSE2__
#include <immintrin.h>
#elif defined __aarch64__
#include <arm_neon.h>
#endif

#if BITS == 32
typedef float real;
typedef int integer;
#else
typedef double real;
typedef long long integer;
#endif

typedef real lanes __attribute__((vector_size(sizeof(real) * LANES)));
typedef integer lanes_mask __attribute__((vector_size(sizeof(real) * LANES)));
typedef real row __attribute__((vector_size(sizeof(real) * BODY)));

#define INLINE static inline __attribute__((always_inline))

// SHUFFLE(kind, a, b, which...): those elements of a and b, counted through both. clang's name, and gcc's of every version.
#if defined __clang__
#define SHUFFLE(kind, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(kind, a, b, ...) __builtin_shuffle(a, b, (kind##_mask){__VA_ARGS__})
#endif

INLINE lanes lanes_load(const real *from)
{
    lanes a;
    memcpy(&a, from, sizeof a);
    return a;
}

INLINE lanes lanes_load_single(const float *from)
{
    typedef float singles __attribute__((vector_size(sizeof(float) * LANES)));
    singles a;
    memcpy(&a, from, sizeof a);
    return __builtin_convertvector(a, lanes);
}

INLINE void lanes_store(real *to, lanes a)
{
    memcpy(to, &a, sizeof a);
}

INLINE lanes lanes_of(double a)
{
    return (real)a - (lanes){0};
}

INLINE lanes lanes_pick(lanes_mask which, lanes yes, lanes no)
{
    return (lanes)((which & (lanes_mask)yes) | (~which & (lanes_mask)no));
}

INLINE lanes lanes_larger(lanes a, lanes b)
{
    return lanes_pick(a > b, a, b);
}

INLINE bool lanes_any(lanes_mask which)
{
#if BITS == 32 && LANES == 16 && defined __AVX512DQ__
    return _mm512_movepi32_mask((__m512i)which);
#elif BITS == 64 && LANES == 8 && defined __AVX512DQ__
    return _mm512_movepi64_mask((__m512i)which);
#elif BITS * LANES == 256 && defined __AVX2__
    return _mm256_movemask_epi8((__m256i)which);
#elif BITS * LANES == 128 && defined __SSE2__
    return _mm_movemask_epi8((__m128i)which);
#elif BITS * LANES == 128 && defined __aarch64__
    return vmaxvq_u32((uint32x4_t)which) != 0;
#else
    integer all = 0;
    for (int k = 0; k < LANES; k++) all |= which[k];
    return all != 0;
#endif
}

// Bytes that are 255 where the mask is set and 0 elsewhere.
INLINE void lanes_flags(unsigned char *to, lanes_mask which)
{
    typedef unsigned char bytes __attribute__((vector_size(LANES)));
    const bytes flags = __builtin_convertvector(which, bytes);
    memcpy(to, &flags, sizeof flags);
}

// A bit for each of BLOCK such bytes.
INLINE unsigned bits_of_flags(const unsigned char *flags)
{
#if defined __SSE2__
    return (unsigned)_mm_movemask_epi8(_mm_loadu_si128((const __m128i *)flags));
#elif defined __aarch64__
    static const uint8_t bit_of[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t bits = vandq_u8(vld1q_u8(flags), vld1q_u8(bit_of));
    return vaddv_u8(vget_low_u8(bits)) | (unsigned)vaddv_u8(vget_high_u8(bits)) << 8;
#else
    unsigned bits = 0;
    for (int k = 0; k < BLOCK; k++) bits |= (unsigned)(flags[k] >> 7) << k;
    return bits;
#endif
}

INLINE lanes lanes_root(lanes a)
{
#if BITS == 32 && LANES == 16 && defined __AVX512F__
    return (lanes)_mm512_sqrt_ps((__m512)a);
#elif BITS == 32 && LANES == 8 && defined __AVX__
    return (lanes)_mm256_sqrt_ps((__m256)a);
#elif BITS == 32 && LANES == 4 && defined __SSE2__
    return (lanes)_mm_sqrt_ps((__m128)a);
#elif BITS == 32 && LANES == 4 && defined __aarch64__
    return (lanes)vsqrtq_f32((float32x4_t)a);
#elif BITS == 64 && LANES == 2 && defined __aarch64__
    return (lanes)vsqrtq_f64((float64x2_t)a);
#elif BITS == 64 && LANES == 2 && defined __SSE2__
    return (lanes)_mm_sqrt_pd((__m128d)a);
#elif BITS == 64 && LANES == 8 && defined __AVX512F__
    return (lanes)_mm512_sqrt_pd((__m512d)a);
#elif BITS == 64 && LANES == 4 && defined __AVX__
    return (lanes)_mm256_sqrt_pd((__m256d)a);
#else
    for (int k = 0; k < LANES; k++) a[k] = BITS == 32 ? (real)sqrtf((float)a[k]) : (real)sqrt((double)a[k]);
    return a;
#endif
}

// ---- Vectors in space -----------------------------------------------------------------------------------------------

typedef struct lanes3 {
    lanes x, y, z;
} lanes3;

INLINE lanes3 add3(lanes3 a, lanes3 b)
{
    return (lanes3){a.x + b.x, a.y + b.y, a.z + b.z};
}

INLINE lanes3 sub3(lanes3 a, lanes3 b)
{
    return (lanes3){a.x - b.x, a.y - b.y, a.z - b.z};
}

INLINE lanes3 scale3(lanes s, lanes3 a)
{
    return (lanes3){s * a.x, s * a.y, s * a.z};
}

INLINE lanes3 madd3(lanes3 a, lanes s, lanes3 b)
{
    return (lanes3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

INLINE lanes3 neg3(lanes3 a)
{
    return (lanes3){-a.x, -a.y, -a.z};
}

INLINE lanes3 pick3(lanes_mask which, lanes3 yes, lanes3 no)
{
    return (lanes3){lanes_pick(which, yes.x, no.x), lanes_pick(which, yes.y, no.y), lanes_pick(which, yes.z, no.z)};
}

INLINE lanes dot3(lanes3 a, lanes3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

INLINE lanes3 cross3(lanes3 a, lanes3 b)
{
    return (lanes3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// ---- Rows of bodies to lanes and back -------------------------------------------------------------------------------

#if LANES == 2

// Two rows of two become two columns, and back.
INLINE void transpose_two(lanes *a, lanes *b)
{
    const lanes first = SHUFFLE(lanes, *a, *b, 0, 2), second = SHUFFLE(lanes, *a, *b, 1, 3);
    *a = first;
    *b = second;
}

// r[k]: number k of each body.
INLINE void load_rows(const real *base, const int *body, lanes *r)
{
    for (int k = 0; k < BODY; k += 2) {
        r[k] = lanes_load(base + BODY * (size_t)body[0] + k);
        r[k + 1] = lanes_load(base + BODY * (size_t)body[1] + k);
        transpose_two(&r[k], &r[k + 1]);
    }
}

INLINE void store_rows(real *base, const int *body, int static_body, lanes *r)
{
    for (int k = 0; k < BODY; k += 2) {
        transpose_two(&r[k], &r[k + 1]);
        if (body[0] != static_body) lanes_store(base + BODY * (size_t)body[0] + k, r[k]);
        if (body[1] != static_body) lanes_store(base + BODY * (size_t)body[1] + k, r[k + 1]);
    }
}

#elif LANES == 4

// Four rows of four become four columns, and back.
INLINE void transpose_four(lanes *r)
{
    const lanes ab_even = SHUFFLE(lanes, r[0], r[1], 0, 4, 2, 6); // a0 b0 a2 b2
    const lanes ab_odd = SHUFFLE(lanes, r[0], r[1], 1, 5, 3, 7);
    const lanes cd_even = SHUFFLE(lanes, r[2], r[3], 0, 4, 2, 6);
    const lanes cd_odd = SHUFFLE(lanes, r[2], r[3], 1, 5, 3, 7);
    r[0] = SHUFFLE(lanes, ab_even, cd_even, 0, 1, 4, 5);
    r[1] = SHUFFLE(lanes, ab_odd, cd_odd, 0, 1, 4, 5);
    r[2] = SHUFFLE(lanes, ab_even, cd_even, 2, 3, 6, 7);
    r[3] = SHUFFLE(lanes, ab_odd, cd_odd, 2, 3, 6, 7);
}

// r[k]: number k of each body.
INLINE void load_rows(const real *base, const int *body, lanes *r)
{
    for (int k = 0; k < 4; k++) {
        r[k] = lanes_load(base + BODY * (size_t)body[k]);
        r[4 + k] = lanes_load(base + BODY * (size_t)body[k] + 4);
    }
    transpose_four(r);
    transpose_four(r + 4);
}

INLINE void store_rows(real *base, const int *body, int static_body, lanes *r)
{
    transpose_four(r);
    transpose_four(r + 4);
    for (int k = 0; k < 4; k++) {
        if (body[k] == static_body) continue;
        lanes_store(base + BODY * (size_t)body[k], r[k]);
        lanes_store(base + BODY * (size_t)body[k] + 4, r[4 + k]);
    }
}

#else

// Rows of eight become columns, and columns rows; of sixteen lanes, each half for itself.
#if LANES == 8
#define HALVES(kind, a, b, p, q, r, s, t, u, v, w) SHUFFLE(kind, a, b, p, q, r, s, t, u, v, w)
#define OTHER 8
#else
#define HALVES(kind, a, b, p, q, r, s, t, u, v, w)                                                                     \
    SHUFFLE(kind, a, b, p, q, r, s, t, u, v, w, (p) + 8, (q) + 8, (r) + 8, (s) + 8, (t) + 8, (u) + 8, (v) + 8, (w) + 8)
#define OTHER 16 // where the second vector's elements begin
#endif

INLINE void transpose_eight(lanes *r)
{
    enum { B = OTHER };
    lanes t[8], u[8];
    for (int k = 0; k < 8; k += 2) {
        t[k] = HALVES(lanes, r[k], r[k + 1], 0, B, 2, B + 2, 4, B + 4, 6, B + 6);
        t[k + 1] = HALVES(lanes, r[k], r[k + 1], 1, B + 1, 3, B + 3, 5, B + 5, 7, B + 7);
    }
    for (int k = 0; k < 8; k += 4) {
        u[k] = HALVES(lanes, t[k], t[k + 2], 0, 1, B, B + 1, 4, 5, B + 4, B + 5);
        u[k + 1] = HALVES(lanes, t[k + 1], t[k + 3], 0, 1, B, B + 1, 4, 5, B + 4, B + 5);
        u[k + 2] = HALVES(lanes, t[k], t[k + 2], 2, 3, B + 2, B + 3, 6, 7, B + 6, B + 7);
        u[k + 3] = HALVES(lanes, t[k + 1], t[k + 3], 2, 3, B + 2, B + 3, 6, 7, B + 6, B + 7);
    }
    for (int k = 0; k < 4; k++) {
        r[k] = HALVES(lanes, u[k], u[k + 4], 0, 1, 2, 3, B, B + 1, B + 2, B + 3);
        r[k + 4] = HALVES(lanes, u[k], u[k + 4], 4, 5, 6, 7, B + 4, B + 5, B + 6, B + 7);
    }
}

INLINE lanes load_row(const real *base, const int *body, int k)
{
#if LANES == 8
    return lanes_load(base + BODY * (size_t)body[k]);
#else
    const __m256 low = _mm256_loadu_ps(base + BODY * (size_t)body[k]);
    return (lanes)_mm512_insertf32x8(_mm512_castps256_ps512(low), _mm256_loadu_ps(base + BODY * (size_t)body[k + 8]),
                                     1);
#endif
}

INLINE void store_row(real *base, const int *body, int static_body, int k, lanes r)
{
#if LANES == 8
    if (body[k] != static_body) lanes_store(base + BODY * (size_t)body[k], r);
#else
    if (body[k] != static_body) _mm256_storeu_ps(base + BODY * (size_t)body[k], _mm512_castps512_ps256((__m512)r));
    if (body[k + 8] != static_body)
        _mm256_storeu_ps(base + BODY * (size_t)body[k + 8], _mm512_extractf32x8_ps((__m512)r, 1));
#endif
}

// r[k]: number k of each body.
INLINE void load_rows(const real *base, const int *body, lanes *r)
{
    for (int k = 0; k < 8; k++) r[k] = load_row(base, body, k);
    transpose_eight(r);
}

INLINE void store_rows(real *base, const int *body, int static_body, lanes *r)
{
    transpose_eight(r);
    for (int k = 0; k < 8; k++) store_row(base, body, static_body, k, r[k]);
}

#endif
