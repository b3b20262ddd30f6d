// See svd.h.
#include "fit/svd.h"

#include "math/four.h"

#include <math.h>

double triangle_add(double *R, double *b, int n, double *row, double value)
{
    for (int k = 0; k < n; k++) {
        if (row[k] == 0.0) continue;
        double *r = R + k * n;
        const double length = hypot(r[k], row[k]), c = r[k] / length, s = row[k] / length;
        for (int j = k; j < n; j++) {
            const double x = r[j], y = row[j];
            r[j] = c * x + s * y, row[j] = c * y - s * x;
        }
        const double x = b[k];
        b[k] = c * x + s * value, value = c * value - s * x;
    }
    return value;
}

// Rows p and q of A.
static void rotate(double *A, int n, int p, int q, double c, double s)
{
    double *x = A + p * n, *y = A + q * n;
    for (int i = 0; i < n; i++) {
        const double a = x[i], b = y[i];
        x[i] = c * a - s * b, y[i] = s * a + c * b;
    }
}

static double dot(const double *x, const double *y, int n)
{
    four sum = four_splat(0.0);
    double rest = 0.0;
    int i = 0;
    for (; i + 4 <= n; i += 4) sum += four_load(x + i) * four_load(y + i);
    for (; i < n; i++) rest += x[i] * y[i];
    return four_sum(sum) + rest;
}

// Makes rows p and q orthogonal; returns the cosine of the angle that was between them.
static double make_orthogonal(double *A, int n, int p, int q, double *V)
{
    const double *x = A + p * n, *y = A + q * n;
    const double a = dot(x, x, n), b = dot(y, y, n), d = dot(x, y, n);
    const double size = sqrt(a) * sqrt(b);
    if (size == 0.0 || fabs(d) < 1e-16 * size) return 0.0;
    const double zeta = (b - a) / (2.0 * d), t = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
    const double c = 1.0 / sqrt(1.0 + t * t);
    rotate(A, n, p, q, c, c * t);
    rotate(V, n, p, q, c, c * t);
    return fabs(d) / size;
}

static void transpose(double *A, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            const double x = A[i * n + j];
            A[i * n + j] = A[j * n + i], A[j * n + i] = x;
        }
}

static void swap_rows(double *A, int n, int p, int q)
{
    for (int i = 0; i < n; i++) {
        const double x = A[p * n + i];
        A[p * n + i] = A[q * n + i], A[q * n + i] = x;
    }
}

// The transposed matrices are worked on: what is rotated together then lies side by side.
void svd(double *A, int n, double *s, double *V)
{
    enum { SWEEPS = 60 };
    transpose(A, n);
    for (int i = 0; i < n * n; i++) V[i] = i % (n + 1) == 0;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double off = 0.0;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) off = fmax(off, make_orthogonal(A, n, p, q, V));
        if (off < 1e-14) break;
    }
    for (int k = 0; k < n; k++) s[k] = sqrt(dot(A + k * n, A + k * n, n));
    for (int k = 0; k < n; k++) {
        int largest = k;
        for (int j = k + 1; j < n; j++)
            if (s[j] > s[largest]) largest = j;
        const double x = s[k];
        s[k] = s[largest], s[largest] = x;
        if (largest != k) swap_rows(A, n, k, largest), swap_rows(V, n, k, largest);
    }
    transpose(A, n);
    transpose(V, n);
}
