// Dense kernels for blocks of at most six rows and columns, row-major and contiguous.
//
// The number of columns is fixed by a switch, so that the compiler unrolls the inner loop; the order of additions is
// the same on every machine.
#ifndef PH_LINALG_SMALL_H
#define PH_LINALG_SMALL_H

#include <stdbool.h>

enum { SMALL_MAX = 6 };

#define SMALL_INLINE static inline __attribute__((always_inline))

SMALL_INLINE void small_sub_product_n(double *C, const double *A, const double *B, int m, int k, int n)
{
    for (int r = 0; r < m; r++) {
        double sum[SMALL_MAX];
        for (int c = 0; c < n; c++) sum[c] = A[r * k] * B[c];
        for (int p = 1; p < k; p++)
            for (int c = 0; c < n; c++) sum[c] += A[r * k + p] * B[p * n + c];
        for (int c = 0; c < n; c++) C[r * n + c] -= sum[c];
    }
}

SMALL_INLINE void small_product_n(double *C, const double *A, const double *B, int m, int k, int n)
{
    for (int r = 0; r < m; r++) {
        double sum[SMALL_MAX];
        for (int c = 0; c < n; c++) sum[c] = A[r * k] * B[c];
        for (int p = 1; p < k; p++)
            for (int c = 0; c < n; c++) sum[c] += A[r * k + p] * B[p * n + c];
        for (int c = 0; c < n; c++) C[r * n + c] = sum[c];
    }
}

// Calls `kernel(..., m, k, n)` with literal sizes for the combinations that joints and bodies make, so that all loops unroll.
#define SMALL_DISPATCH(kernel, C, A, B, m, k, n)                                                                       \
    switch ((n) + 8 * (k) + 64 * (m)) {                                                                                \
    case 3 + 8 * 6 + 64 * 3: kernel(C, A, B, 3, 6, 3); break;                                                          \
    case 6 + 8 * 3 + 64 * 6: kernel(C, A, B, 6, 3, 6); break;                                                          \
    case 3 + 8 * 6 + 64 * 6: kernel(C, A, B, 6, 6, 3); break;                                                          \
    case 6 + 8 * 3 + 64 * 3: kernel(C, A, B, 3, 3, 6); break;                                                          \
    case 5 + 8 * 6 + 64 * 5: kernel(C, A, B, 5, 6, 5); break;                                                          \
    case 6 + 8 * 5 + 64 * 6: kernel(C, A, B, 6, 5, 6); break;                                                          \
    case 5 + 8 * 6 + 64 * 6: kernel(C, A, B, 6, 6, 5); break;                                                          \
    case 6 + 8 * 5 + 64 * 5: kernel(C, A, B, 5, 5, 6); break;                                                          \
    default:                                                                                                           \
        switch (n) {                                                                                                   \
        case 1: kernel(C, A, B, m, k, 1); break;                                                                       \
        case 2: kernel(C, A, B, m, k, 2); break;                                                                       \
        case 3: kernel(C, A, B, m, k, 3); break;                                                                       \
        case 4: kernel(C, A, B, m, k, 4); break;                                                                       \
        case 5: kernel(C, A, B, m, k, 5); break;                                                                       \
        default: kernel(C, A, B, m, k, 6); break;                                                                      \
        }                                                                                                              \
    }

// C[m][n] -= A[m][k] B[k][n]
static inline void small_sub_product(double *C, const double *A, const double *B, int m, int k, int n)
{
    SMALL_DISPATCH(small_sub_product_n, C, A, B, m, k, n)
}

// C[m][n] = A[m][k] B[k][n]
static inline void small_product(double *C, const double *A, const double *B, int m, int k, int n)
{
    SMALL_DISPATCH(small_product_n, C, A, B, m, k, n)
}

// y[m] = A[m][k] x[k]
static inline void small_apply(double *y, const double *A, const double *x, int m, int k)
{
    for (int r = 0; r < m; r++) {
        double sum = A[r * k] * x[0];
        for (int p = 1; p < k; p++) sum += A[r * k + p] * x[p];
        y[r] = sum;
    }
}

// y[m] -= A[m][k] x[k]
static inline void small_sub_apply(double *y, const double *A, const double *x, int m, int k)
{
    for (int r = 0; r < m; r++) {
        double sum = A[r * k] * x[0];
        for (int p = 1; p < k; p++) sum += A[r * k + p] * x[p];
        y[r] -= sum;
    }
}

// A <- A^-1 by Gauss-Jordan elimination. false when a pivot is zero or not finite.
bool small_invert(double *A, int n);

// The same with the rows and columns in `mask` (bit r: row r) left out: they are zero in the inverse.
bool small_invert_masked(double *A, int n, unsigned mask);

// Decides which rows of the symmetric positive semidefinite S depend on the others: eliminates with diagonal pivoting
// and returns the mask of rows whose pivot, relative to scale[row], stays below `tolerance`.
unsigned small_dependent_rows(const double *S, const double *scale, int n, double tolerance);

#endif
