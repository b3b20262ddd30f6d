// Dense kernels for blocks of at most six rows and columns.
//
// Blocks are column-major and contiguous, A(r, c) = A[c*m + r], so that the innermost loop runs down a column and
// vectorises; the sizes that joints and bodies make are literals for the compiler. The order of additions is fixed.
#ifndef PH_LINALG_SMALL_H
#define PH_LINALG_SMALL_H

#include <stdbool.h>

enum { SMALL_MAX = 6 };

#define SMALL_INLINE static inline __attribute__((always_inline))
#define SMALL_APART static __attribute__((noinline, unused))

SMALL_INLINE void small_sum_products(double *restrict sum, const double *A, const double *B, int m, int k, int c)
{
    for (int r = 0; r < m; r++) sum[r] = A[r] * B[c * k];
    for (int p = 1; p < k; p++)
        for (int r = 0; r < m; r++) sum[r] += A[p * m + r] * B[c * k + p];
}

SMALL_INLINE void small_sub_product_sized(double *C, const double *A, const double *B, int m, int k, int n)
{
    double sum[SMALL_MAX];
    for (int c = 0; c < n; c++) {
        small_sum_products(sum, A, B, m, k, c);
        for (int r = 0; r < m; r++) C[c * m + r] -= sum[r];
    }
}

SMALL_INLINE void small_product_sized(double *C, const double *A, const double *B, int m, int k, int n)
{
    double sum[SMALL_MAX];
    for (int c = 0; c < n; c++) {
        small_sum_products(sum, A, B, m, k, c);
        for (int r = 0; r < m; r++) C[c * m + r] = sum[r];
    }
}

#define SMALL_SIZES(m, k, n) ((n) + 8 * (k) + 64 * (m))
#define SMALL_CASE(kernel, C, A, B, m, k, n)                                                                           \
    case SMALL_SIZES(m, k, n):                                                                                         \
        kernel(C, A, B, m, k, n);                                                                                      \
        break;

// Calls `kernel` with literal sizes: a body (6) with a joint of 1, 3 or 5 rows, and whatever else with m literal.
#define SMALL_DISPATCH(kernel, C, A, B, m, k, n)                                                                       \
    switch (SMALL_SIZES(m, k, n)) {                                                                                    \
        SMALL_CASE(kernel, C, A, B, 3, 6, 3)                                                                           \
        SMALL_CASE(kernel, C, A, B, 6, 3, 6)                                                                           \
        SMALL_CASE(kernel, C, A, B, 6, 6, 3)                                                                           \
        SMALL_CASE(kernel, C, A, B, 3, 3, 6)                                                                           \
        SMALL_CASE(kernel, C, A, B, 5, 6, 5)                                                                           \
        SMALL_CASE(kernel, C, A, B, 6, 5, 6)                                                                           \
        SMALL_CASE(kernel, C, A, B, 6, 6, 5)                                                                           \
        SMALL_CASE(kernel, C, A, B, 5, 5, 6)                                                                           \
    default:                                                                                                           \
        switch (m) {                                                                                                   \
        case 1:                                                                                                        \
            kernel(C, A, B, 1, k, n);                                                                                  \
            break;                                                                                                     \
        case 2:                                                                                                        \
            kernel(C, A, B, 2, k, n);                                                                                  \
            break;                                                                                                     \
        case 3:                                                                                                        \
            kernel(C, A, B, 3, k, n);                                                                                  \
            break;                                                                                                     \
        case 4:                                                                                                        \
            kernel(C, A, B, 4, k, n);                                                                                  \
            break;                                                                                                     \
        case 5:                                                                                                        \
            kernel(C, A, B, 5, k, n);                                                                                  \
            break;                                                                                                     \
        default:                                                                                                       \
            kernel(C, A, B, 6, k, n);                                                                                  \
            break;                                                                                                     \
        }                                                                                                              \
    }

// C(m x n) -= A(m x k) B(k x n)
static inline void small_sub_product(double *C, const double *A, const double *B, int m, int k, int n)
{
    SMALL_DISPATCH(small_sub_product_sized, C, A, B, m, k, n)
}

// C(m x n) = A(m x k) B(k x n)
static inline void small_product(double *C, const double *A, const double *B, int m, int k, int n)
{
    SMALL_DISPATCH(small_product_sized, C, A, B, m, k, n)
}

#define SMALL_DISPATCH_VECTOR(kernel, y, A, x, m, k)                                                                   \
    switch (8 * (m) + (k)) {                                                                                           \
    case 8 * 6 + 6:                                                                                                    \
        kernel(y, A, x, 6, 6, 1);                                                                                      \
        break;                                                                                                         \
    case 8 * 3 + 3:                                                                                                    \
        kernel(y, A, x, 3, 3, 1);                                                                                      \
        break;                                                                                                         \
    case 8 * 6 + 3:                                                                                                    \
        kernel(y, A, x, 6, 3, 1);                                                                                      \
        break;                                                                                                         \
    case 8 * 3 + 6:                                                                                                    \
        kernel(y, A, x, 3, 6, 1);                                                                                      \
        break;                                                                                                         \
    case 8 * 5 + 5:                                                                                                    \
        kernel(y, A, x, 5, 5, 1);                                                                                      \
        break;                                                                                                         \
    case 8 * 6 + 5:                                                                                                    \
        kernel(y, A, x, 6, 5, 1);                                                                                      \
        break;                                                                                                         \
    case 8 * 5 + 6:                                                                                                    \
        kernel(y, A, x, 5, 6, 1);                                                                                      \
        break;                                                                                                         \
    default:                                                                                                           \
        kernel(y, A, x, m, k, 1);                                                                                      \
        break;                                                                                                         \
    }

// y = A(m x k) x
SMALL_APART void small_apply_any(double *y, const double *A, const double *x, int m,
                                 int k){SMALL_DISPATCH_VECTOR(small_product_sized, y, A, x, m, k)}

// y -= A(m x k) x
SMALL_APART void small_sub_apply_any(double *y, const double *A, const double *x, int m,
                                     int k){SMALL_DISPATCH_VECTOR(small_sub_product_sized, y, A, x, m, k)}

// The same, with the sizes of a body and a ball joint in line.
SMALL_INLINE void small_apply(double *y, const double *A, const double *x, int m, int k)
{
    if (m == 3 && k == 3)
        small_product_sized(y, A, x, 3, 3, 1);
    else
        small_apply_any(y, A, x, m, k);
}

SMALL_INLINE void small_sub_apply(double *y, const double *A, const double *x, int m, int k)
{
    if (m == 3 && k == 6)
        small_sub_product_sized(y, A, x, 3, 6, 1);
    else if (m == 6 && k == 3)
        small_sub_product_sized(y, A, x, 6, 3, 1);
    else
        small_sub_apply_any(y, A, x, m, k);
}

// A <- A^-1, for the (nearly) definite blocks of the engine. false when a pivot is zero or not finite.
bool small_invert(double *A, int n);

// The same with the rows and columns in `mask` (bit r: row r) left out: they are zero in the inverse.
bool small_invert_masked(double *A, int n, unsigned mask);

// The same for 6x6 blocks diag(P, m I), and y = A x with such a block.
bool small_invert_decoupled(double *A);
SMALL_INLINE void small_apply_decoupled(double *y, const double *A, const double *x)
{
    double P[3];
    for (int r = 0; r < 3; r++) P[r] = A[r] * x[0] + A[6 + r] * x[1] + A[12 + r] * x[2];
    for (int r = 0; r < 3; r++) y[r] = P[r], y[r + 3] = A[21] * x[r + 3];
}

#endif
