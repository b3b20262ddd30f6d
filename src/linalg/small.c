// Inverses of small dense blocks.
#include "linalg/small.h"

#include <math.h>
#include <string.h>

static bool usable(double pivot)
{
    return pivot != 0.0 && isfinite(pivot);
}

// Adjugate over determinant: one division, and all products independent. `stride` is the distance between columns.
SMALL_INLINE bool invert3(const double *A, int stride, double *X)
{
    const double a = A[0], b = A[stride], c = A[2 * stride];
    const double d = A[1], e = A[stride + 1], f = A[2 * stride + 1];
    const double g = A[2], h = A[stride + 2], i = A[2 * stride + 2];
    const double A00 = e * i - f * h, A01 = f * g - d * i, A02 = d * h - e * g;
    const double det = a * A00 + b * A01 + c * A02;
    const double s = 1.0 / det;
    X[0] = s * A00, X[1] = s * A01, X[2] = s * A02;
    X[3] = s * (c * h - b * i), X[4] = s * (a * i - c * g), X[5] = s * (b * g - a * h);
    X[6] = s * (b * f - c * e), X[7] = s * (c * d - a * f), X[8] = s * (a * e - b * d);
    return usable(det);
}

SMALL_INLINE void put3(double *A, int stride, const double *X)
{
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++) A[c * stride + r] = X[3 * c + r];
}

SMALL_INLINE void get3(double *X, const double *A, int stride)
{
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++) X[3 * c + r] = A[c * stride + r];
}

// [P Q; R S]^-1 by the Schur complement of S: two 3x3 inverses instead of six divisions in a row.
static bool invert6(double *A)
{
    double Q[9], R[9], Si[9], QSi[9], SiR[9], X[9], Y[9] = {0}, Z[9] = {0};
    if (!invert3(A + 21, 6, Si)) return false;
    get3(Q, A + 18, 6);
    get3(R, A + 3, 6);
    small_product_sized(QSi, Q, Si, 3, 3, 3);
    small_product_sized(SiR, Si, R, 3, 3, 3);
    double P[9];
    get3(P, A, 6);
    small_sub_product_sized(P, QSi, R, 3, 3, 3);
    if (!invert3(P, 3, X)) return false; // (P - Q S^-1 R)^-1
    small_sub_product_sized(Y, X, QSi, 3, 3, 3);
    small_sub_product_sized(Z, SiR, X, 3, 3, 3);
    small_sub_product_sized(Si, Z, QSi, 3, 3, 3); // S^-1 + S^-1 R X Q S^-1
    put3(A, 6, X);
    put3(A + 18, 6, Y);
    put3(A + 3, 6, Z);
    put3(A + 21, 6, Si);
    return true;
}

bool small_invert_decoupled(double *A)
{
    double P[9];
    if (!invert3(A, 6, P) || !usable(A[21])) return false;
    put3(A, 6, P);
    A[21] = A[28] = A[35] = 1.0 / A[21];
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

static bool invert_3(double *A)
{
    double X[9];
    const bool ok = invert3(A, 3, X);
    put3(A, 3, X);
    return ok;
}

bool small_invert(double *A, int n)
{
    switch (n) {
    case 1:
        return invert_in_place(A, 1);
    case 2:
        return invert_in_place(A, 2);
    case 3:
        return invert_3(A);
    case 4:
        return invert_in_place(A, 4);
    case 5:
        return invert_in_place(A, 5);
    default:
        return invert6(A);
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
