#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double dot(const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

// y += s x
static void add(double *y, double s, const double *x, int n)
{
    for (int i = 0; i < n; i++) y[i] += s * x[i];
}

// x becomes v of the reflection H = 1 - beta v v^T that takes it to alpha e_1. Returns beta, 0 for x = 0.
static double reflect(double *x, int n, double *alpha)
{
    double size = 0.0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
    *alpha = 0.0;
    if (!(size > 0.0)) return 0.0;
    for (int i = 0; i < n; i++) x[i] /= size; // squares neither overflow nor vanish
    const double norm = sqrt(dot(x, x, n));
    *alpha = x[0] > 0.0 ? -norm * size : norm * size;
    x[0] -= *alpha / size;
    return 2.0 / dot(x, x, n);
}

// ---- Complement -----------------------------------------------------------------------------------------------------

static void swap_columns(double *A, int n, int i, int k)
{
    for (int r = 0; i != k && r < n; r++) {
        const double kept = A[i * n + r];
        A[i * n + r] = A[k * n + r];
        A[k * n + r] = kept;
    }
}

int dense_complement(double *A, int n, int m, double tolerance, double *Z, double *work)
{
    double *beta = work, largest = 0.0;
    int rank = 0;
    for (; rank < m && rank < n; rank++) {
        const int length = n - rank;
        int pivot = rank;
        double best = -1.0, alpha;
        for (int k = rank; k < m; k++) {
            const double *rest = A + (size_t)k * (size_t)n + rank, size = dot(rest, rest, length);
            if (size > best) best = size, pivot = k;
        }
        best = sqrt(fmax(best, 0.0));
        largest = fmax(largest, best);
        if (!(best > tolerance * largest)) break;
        swap_columns(A, n, rank, pivot);
        double *v = A + (size_t)rank * (size_t)n + rank;
        beta[rank] = reflect(v, length, &alpha);
        for (int k = rank + 1; k < m; k++) {
            double *x = A + (size_t)k * (size_t)n + rank;
            add(x, -beta[rank] * dot(v, x, length), v, length);
        }
    }
    // Z = H_1 ... H_rank (e_rank+1 ... e_n)
    memset(Z, 0, sizeof(double) * (size_t)n * (size_t)(n - rank));
    for (int c = 0; c < n - rank; c++) {
        double *z = Z + (size_t)c * (size_t)n;
        z[rank + c] = 1.0;
        for (int k = rank - 1; k >= 0; k--) {
            const double *v = A + (size_t)k * (size_t)n + k;
            add(z + k, -beta[k] * dot(v, z + k, n - k), v, n - k);
        }
    }
    return n - rank;
}

// ---- Eigenvalues ----------------------------------------------------------------------------------------------------

// A <- H A H below and right of column k; the reflection stays in column k. Returns beta.
static double eliminate(double *A, int n, int k, double *off, double *p)
{
    const int length = n - k - 1;
    double *v = A + (size_t)k * (size_t)n + k + 1;
    const double beta = reflect(v, length, off);
    if (beta == 0.0) return beta;
    memset(p, 0, sizeof(double) * (size_t)length);
    for (int c = 0; c < length; c++) add(p, beta * v[c], A + (size_t)(k + 1 + c) * (size_t)n + k + 1, length);
    add(p, -0.5 * beta * dot(p, v, length), v, length); // w = p - beta/2 (p.v) v
    for (int c = 0; c < length; c++) {                  // A -= v w^T + w v^T
        double *column = A + (size_t)(k + 1 + c) * (size_t)n + k + 1;
        add(column, -p[c], v, length);
        add(column, -v[c], p, length);
    }
    return beta;
}

// Diagonal d and off-diagonal e of Q^T A Q; Q in place of A.
static void tridiagonal(double *A, int n, double *d, double *e, double *p)
{
    for (int k = 0; k + 1 < n; k++) {
        const double beta = k + 2 < n ? eliminate(A, n, k, &e[k], p) : 0.0;
        if (k + 2 == n) e[k] = A[(size_t)k * (size_t)n + k + 1];
        d[k] = A[(size_t)k * (size_t)n + k];
        A[(size_t)k * (size_t)n + k] = beta; // kept there until Q is formed
    }
    d[n - 1] = A[(size_t)n * (size_t)n - 1];
    // Q = H_0 H_1 ...: column k of H_k ... is built from behind, over the vectors that are no longer needed
    A[(size_t)n * (size_t)n - 1] = 1.0;
    for (int k = n - 2; k >= 0; k--) {
        double *v = A + (size_t)k * (size_t)n + k + 1;
        const double beta = k + 2 < n ? A[(size_t)k * (size_t)n + k] : 0.0;
        const int length = n - k - 1;
        for (int c = 0; c < length; c++) {
            double *column = A + (size_t)(k + 1 + c) * (size_t)n + k + 1;
            if (beta != 0.0) add(column, -beta * dot(v, column, length), v, length);
            column[-1] = 0.0; // row k
        }
        memset(v, 0, sizeof(double) * (size_t)length);
        v[-1] = 1.0;
    }
}

// One implicit QR step with Wilkinson's shift on rows low..high.
static void chase(double *d, double *e, int low, int high, double *Q, int n)
{
    const double half = 0.5 * (d[high - 1] - d[high]), end = e[high - 1];
    const double shift = d[high] - end * end / (half + copysign(hypot(half, end), half));
    double x = d[low] - shift, z = e[low];
    for (int k = low; k < high; k++) {
        const double r = hypot(x, z), c = r > 0.0 ? x / r : 1.0, s = r > 0.0 ? z / r : 0.0;
        const double dk = d[k], dl = d[k + 1], ek = e[k];
        if (k > low) e[k - 1] = r;
        d[k] = c * c * dk + 2.0 * c * s * ek + s * s * dl;
        d[k + 1] = s * s * dk - 2.0 * c * s * ek + c * c * dl;
        e[k] = c * s * (dl - dk) + (c * c - s * s) * ek;
        x = e[k];
        if (k + 1 < high) z = s * e[k + 1], e[k + 1] *= c;
        double *p = Q + (size_t)k * (size_t)n, *q = p + n;
        for (int i = 0; i < n; i++) {
            const double pi = p[i];
            p[i] = c * pi + s * q[i];
            q[i] = c * q[i] - s * pi;
        }
    }
}

static bool negligible(const double *d, const double *e, int k)
{
    return fabs(e[k]) <= DBL_EPSILON * (fabs(d[k]) + fabs(d[k + 1])) || fabs(e[k]) < DBL_MIN;
}

static void sort(double *d, double *Q, int n)
{
    for (int i = 0; i < n; i++) {
        int least = i;
        for (int k = i + 1; k < n; k++)
            if (d[k] < d[least]) least = k;
        const double kept = d[i];
        d[i] = d[least];
        d[least] = kept;
        swap_columns(Q, n, i, least);
    }
}

bool dense_eigen(double *A, int n, double *values, double *work)
{
    double *e = work;
    int left = 60 * n; // a few steps for each eigenvalue are usual
    if (n == 0) return true;
    tridiagonal(A, n, values, e, work + n);
    for (int high = n - 1; high > 0;) {
        int low = high;
        while (low > 0 && !negligible(values, e, low - 1)) low--;
        if (low == high) {
            high--;
            continue;
        }
        if (left-- == 0 || !isfinite(values[high])) return false;
        chase(values, e, low, high, A, n);
    }
    sort(values, A, n);
    return true;
}
