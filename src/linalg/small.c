// Inverses of small dense blocks.
#include "linalg/small.h"

#include <math.h>
#include <string.h>

static bool usable(double pivot)
{
    return pivot != 0.0 && isfinite(pivot);
}

// Adjugate over determinant: one division, and all products independent.
static bool invert3(double *A)
{
    const double a = A[0], b = A[1], c = A[2], d = A[3], e = A[4], f = A[5], g = A[6], h = A[7], i = A[8];
    const double A00 = e * i - f * h, A01 = f * g - d * i, A02 = d * h - e * g;
    const double det = a * A00 + b * A01 + c * A02;
    if (!usable(det)) return false;
    const double s = 1.0 / det;
    A[0] = s * A00;
    A[1] = s * (c * h - b * i);
    A[2] = s * (b * f - c * e);
    A[3] = s * A01;
    A[4] = s * (a * i - c * g);
    A[5] = s * (c * d - a * f);
    A[6] = s * A02;
    A[7] = s * (b * g - a * h);
    A[8] = s * (a * e - b * d);
    return true;
}

// Gauss-Jordan in place with the pivots in order: the blocks are (nearly) definite, so no pivot is lost to the order.
SMALL_INLINE bool invert_in_place(double *A, int n)
{
    for (int p = 0; p < n; p++) {
        if (!usable(A[p * n + p])) return false;
        const double s = 1.0 / A[p * n + p];
        A[p * n + p] = 1.0;
        for (int c = 0; c < n; c++) A[p * n + c] *= s;
        for (int r = 0; r < n; r++) {
            if (r == p) continue;
            const double factor = A[r * n + p];
            A[r * n + p] = 0.0;
            for (int c = 0; c < n; c++) A[r * n + c] -= factor * A[p * n + c];
        }
    }
    return true;
}

bool small_invert(double *A, int n)
{
    switch (n) {
    case 1: return invert_in_place(A, 1);
    case 2: return invert_in_place(A, 2);
    case 3: return invert3(A);
    case 4: return invert_in_place(A, 4);
    case 5: return invert_in_place(A, 5);
    default: return invert_in_place(A, 6);
    }
}

bool small_invert_masked(double *A, int n, unsigned mask)
{
    double kept[SMALL_MAX * SMALL_MAX];
    int rows[SMALL_MAX], count = 0;
    for (int r = 0; r < n; r++)
        if (!(mask >> r & 1u)) rows[count++] = r;
    for (int r = 0; r < count; r++)
        for (int c = 0; c < count; c++) kept[r * count + c] = A[rows[r] * n + rows[c]];
    if (count > 0 && !small_invert(kept, count)) return false;
    memset(A, 0, sizeof(double) * (size_t)(n * n));
    for (int r = 0; r < count; r++)
        for (int c = 0; c < count; c++) A[rows[r] * n + rows[c]] = kept[r * count + c];
    return true;
}

unsigned small_dependent_rows(const double *S, const double *scale, int n, double tolerance)
{
    double A[SMALL_MAX * SMALL_MAX];
    memcpy(A, S, sizeof(double) * (size_t)(n * n));
    unsigned left = (1u << n) - 1u;
    while (left) {
        int p = -1;
        double best = tolerance;
        for (int r = 0; r < n; r++) {
            if (!(left >> r & 1u)) continue;
            const double relative = A[r * n + r] / scale[r];
            if (relative > best) best = relative, p = r;
        }
        if (p < 0) break;
        left &= ~(1u << p);
        for (int r = 0; r < n; r++) {
            if (!(left >> r & 1u)) continue;
            const double factor = A[r * n + p] / A[p * n + p];
            for (int c = 0; c < n; c++) A[r * n + c] -= factor * A[p * n + c];
        }
    }
    return left;
}
