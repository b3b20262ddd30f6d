// See svd.h.
#include "fit/svd.h"

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

static void rotate(double *A, int n, int p, int q, double c, double s)
{
    for (int i = 0; i < n; i++) {
        const double x = A[i * n + p], y = A[i * n + q];
        A[i * n + p] = c * x - s * y, A[i * n + q] = s * x + c * y;
    }
}

// Makes columns p and q orthogonal; returns the cosine of the angle that was between them.
static double make_orthogonal(double *A, int n, int p, int q, double *V)
{
    double a = 0.0, b = 0.0, d = 0.0;
    for (int i = 0; i < n; i++) {
        const double x = A[i * n + p], y = A[i * n + q];
        a += x * x, b += y * y, d += x * y;
    }
    const double size = sqrt(a) * sqrt(b);
    if (size == 0.0 || fabs(d) < 1e-16 * size) return 0.0;
    const double zeta = (b - a) / (2.0 * d), t = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
    const double c = 1.0 / sqrt(1.0 + t * t);
    rotate(A, n, p, q, c, c * t);
    rotate(V, n, p, q, c, c * t);
    return fabs(d) / size;
}

static void swap_columns(double *A, int n, int p, int q)
{
    for (int i = 0; i < n; i++) {
        const double x = A[i * n + p];
        A[i * n + p] = A[i * n + q], A[i * n + q] = x;
    }
}

void svd(double *A, int n, double *s, double *V)
{
    enum { SWEEPS = 60 };
    for (int i = 0; i < n * n; i++) V[i] = i % (n + 1) == 0;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double off = 0.0;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) off = fmax(off, make_orthogonal(A, n, p, q, V));
        if (off < 1e-14) break;
    }
    for (int k = 0; k < n; k++) {
        double sum = 0.0;
        for (int i = 0; i < n; i++) sum += A[i * n + k] * A[i * n + k];
        s[k] = sqrt(sum);
    }
    for (int k = 0; k < n; k++) {
        int largest = k;
        for (int j = k + 1; j < n; j++)
            if (s[j] > s[largest]) largest = j;
        const double x = s[k];
        s[k] = s[largest], s[largest] = x;
        if (largest != k) swap_columns(A, n, k, largest), swap_columns(V, n, k, largest);
    }
}
