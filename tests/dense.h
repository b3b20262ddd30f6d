// Dense linear algebra for tests, written for clarity: an independent check of the sparse solver. Row-major.
#ifndef TESTS_DENSE_H
#define TESTS_DENSE_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline double *dense_make(int rows, int columns)
{
    return calloc((size_t)(rows * columns) + 1, sizeof(double));
}

// C(m x n) = A(m x k) B(k x n)
static inline void dense_product(const double *A, const double *B, int m, int k, int n, double *C)
{
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int p = 0; p < k; p++) {
                sum += A[i * k + p] * B[p * n + j];
            }
            C[i * n + j] = sum;
        }
    }
}

// Solves A x = b by Gauss elimination with partial pivoting; A and b are overwritten, b by the solution.
static inline bool dense_solve(double *A, double *b, int n)
{
    for (int p = 0; p < n; p++) {
        int best = p;
        for (int r = p + 1; r < n; r++) {
            best = fabs(A[r * n + p]) > fabs(A[best * n + p]) ? r : best;
        }
        if (A[best * n + p] == 0.0) {
            return false;
        }
        for (int c = 0; c < n; c++) {
            const double swap = A[p * n + c];
            A[p * n + c] = A[best * n + c];
            A[best * n + c] = swap;
        }
        const double swap = b[p];
        b[p] = b[best];
        b[best] = swap;
        for (int r = p + 1; r < n; r++) {
            const double factor = A[r * n + p] / A[p * n + p];
            for (int c = p; c < n; c++) {
                A[r * n + c] -= factor * A[p * n + c];
            }
            b[r] -= factor * b[p];
        }
    }
    for (int r = n - 1; r >= 0; r--) {
        for (int c = r + 1; c < n; c++) {
            b[r] -= A[r * n + c] * b[c];
        }
        b[r] /= A[r * n + r];
    }
    return true;
}

// Eigenvalues and eigenvectors (columns of V) of a symmetric matrix by Jacobi's rotations; A becomes diagonal.
static inline void dense_eigen(double *A, double *V, int n)
{
    for (int k = 0; k < n * n; k++) {
        V[k] = k % (n + 1) == 0;
    }
    for (int sweep = 0; sweep < 60; sweep++) {
        for (int p = 0; p < n; p++) {
            for (int q = p + 1; q < n; q++) {
                if (A[p * n + q] == 0.0) {
                    continue;
                }
                const double theta = 0.5 * (A[q * n + q] - A[p * n + p]) / A[p * n + q];
                const double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
                const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
                for (int k = 0; k < n; k++) {
                    const double a = A[k * n + p], b = A[k * n + q];
                    A[k * n + p] = c * a - s * b;
                    A[k * n + q] = s * a + c * b;
                }
                for (int k = 0; k < n; k++) {
                    const double a = A[p * n + k], b = A[q * n + k];
                    A[p * n + k] = c * a - s * b;
                    A[q * n + k] = s * a + c * b;
                }
                for (int k = 0; k < n; k++) {
                    const double a = V[k * n + p], b = V[k * n + q];
                    V[k * n + p] = c * a - s * b;
                    V[k * n + q] = s * a + c * b;
                }
            }
        }
    }
}

// x = S^+ b, the shortest solution of S x = b for a symmetric semidefinite S; returns the rank. S is overwritten.
static inline int dense_pseudo_solve(double *S, const double *b, int n, double tolerance, double *x)
{
    double *V = dense_make(n, n), largest = 0.0;
    int rank = 0;
    dense_eigen(S, V, n);
    for (int k = 0; k < n; k++) {
        largest = fmax(largest, fabs(S[k * n + k]));
    }
    memset(x, 0, sizeof(double) * (size_t)n);
    for (int k = 0; k < n; k++) {
        if (fabs(S[k * n + k]) <= tolerance * largest) {
            continue;
        }
        double along = 0.0;
        for (int r = 0; r < n; r++) {
            along += V[r * n + k] * b[r];
        }
        for (int r = 0; r < n; r++) {
            x[r] += along / S[k * n + k] * V[r * n + k];
        }
        rank++;
    }
    free(V);
    return rank;
}

#endif
