#include "schemes/multistep_weights.h"

#include <math.h>

enum { EXACT_MAX = MULTISTEP_SLOTS_MAX + 2 };

// A x = b by elimination with pivots, n rows
static void solve(int n, double A[EXACT_MAX][EXACT_MAX], double *b)
{
    for (int p = 0; p < n; p++) {
        int best = p;
        for (int r = p + 1; r < n; r++)
            if (fabs(A[r][p]) > fabs(A[best][p])) best = r;
        for (int c = 0; c < n; c++) {
            const double swap = A[p][c];
            A[p][c] = A[best][c], A[best][c] = swap;
        }
        const double swap = b[p];
        b[p] = b[best], b[best] = swap;
        for (int r = 0; r < n; r++) {
            const double part = r == p ? 0.0 : A[r][p] / A[p][p];
            for (int c = p; c < n; c++) A[r][c] -= part * A[p][c];
            b[r] -= part * b[p];
        }
    }
    for (int p = 0; p < n; p++) b[p] /= A[p][p];
}

// The shortest w with M w = b, M with n rows: M^T (M M^T)^-1 b, and once more for what is left.
static void shortest(int n, int count, double M[EXACT_MAX][2 * MULTISTEP_SLOTS_MAX], const double *b, double *w)
{
    for (int i = 0; i < count; i++) w[i] = 0.0;
    for (int pass = 0; pass < 3; pass++) {
        double G[EXACT_MAX][EXACT_MAX] = {{0}}, left[EXACT_MAX];
        for (int r = 0; r < n; r++) {
            left[r] = b[r];
            for (int i = 0; i < count; i++) left[r] -= M[r][i] * w[i];
            for (int c = 0; c < n; c++)
                for (int i = 0; i < count; i++) G[r][c] += M[r][i] * M[c][i];
        }
        solve(n, G, left);
        for (int i = 0; i < count; i++)
            for (int r = 0; r < n; r++) w[i] += M[r][i] * left[r];
    }
}

static double power(double x, int n)
{
    double product = 1.0;
    while (n-- > 0) product *= x;
    return product;
}

// Weights of D_j and A_j for the velocity at time `at`, exact on 1, t, ... t^(k+1); times in steps, 0 at the newest node.
void multistep_weigh_velocity(int slots, double at, double *w)
{
    const int n = slots + 2;
    const double unit = 0.5 * slots; // of powers, so that they stay near one
    double M[EXACT_MAX][2 * MULTISTEP_SLOTS_MAX], b[EXACT_MAX] = {0};
    for (int q = 1; q <= n; q++)
        for (int i = 0; i < slots; i++) {
            const double t = i - slots + 0.5 * slots; // the node of slot i, from the middle
            M[q - 1][i] = unit * (power((t + 1.0) / unit, q) - power(t / unit, q));
            M[q - 1][slots + i] = q < 2 ? 0.0 : q * (q - 1) / unit * power(t / unit, q - 2);
        }
    for (int q = 1; q <= n; q++) b[q - 1] = q * power((at + 0.5 * slots) / unit, q - 1);
    shortest(n, 2 * slots, M, b, w);
}

// Weights of powers at the nodes 0, -1, ... for their integral from 0 to 1
void multistep_weigh_integral(int count, double *w)
{
    double M[EXACT_MAX][EXACT_MAX];
    for (int q = 0; q < count; q++) {
        for (int i = 0; i < count; i++) M[q][i] = power(-(double)i / count, q);
        w[q] = power(1.0 / count, q) / (q + 1);
    }
    solve(count, M, w);
}

// Weights of the last values, oldest first, for the next: the polynomial through them all
void multistep_weigh_next(int count, double *w)
{
    double binomial = 1.0;
    for (int i = 1; i <= count; i++) {
        binomial *= (double)(count - i + 1) / i;
        w[count - i] = i % 2 ? binomial : -binomial;
    }
}
