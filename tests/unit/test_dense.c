// Dense complement and symmetric eigenvalues.

#include "test.h"

#include "linalg/dense.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 40 };

static double at(const double *A, int n, int row, int column)
{
    return A[column * n + row];
}

static void random_symmetric(double *A, int n)
{
    for (int c = 0; c < n; c++)
        for (int r = 0; r <= c; r++) A[c * n + r] = A[r * n + c] = test_uniform(-1.0, 1.0);
}

static void check_eigen(const double *A, int n, double tolerance)
{
    double V[MOST * MOST], values[MOST], work[2 * MOST], worst = 0.0, turned = 0.0;
    memcpy(V, A, sizeof(double) * (size_t)(n * n));
    CHECK(dense_eigen(V, n, values, work));
    for (int k = 0; k < n; k++) {
        CHECK(k == 0 || values[k - 1] <= values[k]);
        for (int r = 0; r < n; r++) {
            double sum = 0.0;
            for (int c = 0; c < n; c++) sum += at(A, n, r, c) * at(V, n, c, k);
            worst = fmax(worst, fabs(sum - values[k] * at(V, n, r, k)));
        }
        for (int l = 0; l < n; l++) {
            double sum = 0.0;
            for (int r = 0; r < n; r++) sum += at(V, n, r, k) * at(V, n, r, l);
            turned = fmax(turned, fabs(sum - (k == l)));
        }
    }
    CHECK_NEAR(worst, 0.0, tolerance);
    CHECK_NEAR(turned, 0.0, 1e-13);
}

TEST(eigenvectors_of_random_matrices)
{
    static double A[MOST * MOST];
    for (int n = 1; n <= MOST; n++) {
        random_symmetric(A, n);
        check_eigen(A, n, 2e-14 * n);
    }
}

TEST(eigenvectors_where_values_meet)
{
    static double A[MOST * MOST];
    memset(A, 0, sizeof A);
    check_eigen(A, 10, 0.0);
    for (int i = 0; i < 10; i++) A[i * 10 + i] = i < 5 ? 2.0 : -3.0;
    check_eigen(A, 10, 1e-14);
    for (int i = 0; i < 100; i++) A[i] = 1.0; // values 0 (nine times) and 10
    check_eigen(A, 10, 1e-14);
    A[0] = 1e12;
    check_eigen(A, 10, 1e-2);
}

// The second difference: 2 - 2 cos(k pi/(n + 1))
TEST(eigenvalues_of_the_second_difference)
{
    enum { N = 30 };
    static double A[N * N];
    double values[N], work[2 * N];
    memset(A, 0, sizeof A);
    for (int i = 0; i < N; i++) {
        A[i * N + i] = 2.0;
        if (i) A[i * N + i - 1] = A[(i - 1) * N + i] = -1.0;
    }
    CHECK(dense_eigen(A, N, values, work));
    for (int k = 0; k < N; k++) CHECK_NEAR(values[k], 2.0 - 2.0 * cos((k + 1) * acos(-1.0) / (N + 1)), 1e-14);
}

TEST(eigenvalues_of_what_is_not_finite)
{
    double A[4] = {1.0, NAN, NAN, 1.0}, values[2], work[4];
    CHECK(!dense_eigen(A, 2, values, work));
}

// n x m of rank r: r random columns and sums of them.
TEST(complement_of_dependent_columns)
{
    enum { N = 12, M = 9, R = 6 };
    for (int repeat = 0; repeat < 20; repeat++) {
        double A[N * M], copy[N * M], Z[N * N], work[2 * M], worst = 0.0;
        for (int c = 0; c < M; c++)
            for (int r = 0; r < N; r++)
                A[c * N + r] = c < R ? test_uniform(-1.0, 1.0) : A[(c - R) * N + r] - 2.0 * A[(c - R + 1) * N + r];
        memcpy(copy, A, sizeof A);
        CHECK_EQ_INT(dense_complement(A, N, M, 1e-10, Z, work), N - R);
        for (int k = 0; k < N - R; k++) {
            for (int c = 0; c < M; c++) {
                double sum = 0.0;
                for (int r = 0; r < N; r++) sum += copy[c * N + r] * Z[k * N + r];
                worst = fmax(worst, fabs(sum));
            }
            for (int l = 0; l < N - R; l++) {
                double sum = 0.0;
                for (int r = 0; r < N; r++) sum += Z[l * N + r] * Z[k * N + r];
                worst = fmax(worst, fabs(sum - (k == l)));
            }
        }
        CHECK_NEAR(worst, 0.0, 1e-13);
    }
    double Z[9], work[2];
    CHECK_EQ_INT(dense_complement(NULL, 3, 0, 1e-10, Z, work), 3);
    CHECK_EQ_INT(Z[0] == 1.0 && Z[4] == 1.0 && Z[8] == 1.0 && Z[1] == 0.0, 1);
}
