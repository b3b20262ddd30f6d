#include "schemes/predictor.h"

#include <math.h>
#include <stdbool.h>

enum { BASIS = 5 };

// 1, tau, tau^2, tau^3 and gamma^2 of a substep
static void basis(double tau, double gamma, double to[BASIS])
{
    to[0] = 1.0;
    for (int n = 1; n < BASIS - 1; n++) to[n] = tau * to[n - 1];
    to[BASIS - 1] = gamma * gamma;
}

// A x = b by elimination with pivots; b <- x
static void solve(double A[BASIS][BASIS], double b[BASIS])
{
    for (int p = 0; p < BASIS; p++) {
        int best = p;
        for (int r = p + 1; r < BASIS; r++)
            if (fabs(A[r][p]) > fabs(A[best][p])) best = r;
        for (int c = 0; c < BASIS; c++) {
            const double swap = A[p][c];
            A[p][c] = A[best][c], A[best][c] = swap;
        }
        const double swap = b[p];
        b[p] = b[best], b[best] = swap;
        for (int r = 0; r < BASIS; r++) {
            const double part = r == p ? 0.0 : A[r][p] / A[p][p];
            for (int c = p; c < BASIS; c++) A[r][c] -= part * A[p][c];
            b[r] -= part * b[p];
        }
    }
    for (int p = 0; p < BASIS; p++) b[p] /= A[p][p];
}

// w = A^T (A A^T)^-1 b
static void weigh_substep(const double *gamma, int pattern, int k, double w[PREDICTOR_POINTS])
{
    double columns[PREDICTOR_POINTS][BASIS], b[BASIS], G[BASIS][BASIS] = {{0}}, end = 0.0;
    basis(0.5 * gamma[k], gamma[k], b);
    for (int i = 0; i < PREDICTOR_POINTS; i++) {
        const double before = gamma[((k - 1 - i) % pattern + pattern) % pattern];
        basis(end - 0.5 * before, before, columns[i]);
        end -= before;
    }
    for (int i = 0; i < PREDICTOR_POINTS; i++)
        for (int r = 0; r < BASIS; r++)
            for (int c = 0; c < BASIS; c++) G[r][c] += columns[i][r] * columns[i][c];
    solve(G, b);
    for (int i = 0; i < PREDICTOR_POINTS; i++) {
        w[i] = 0.0;
        for (int r = 0; r < BASIS; r++) w[i] += columns[i][r] * b[r];
    }
}

void predictor_create(const double *gamma, int pattern, predictor *p)
{
    p->pattern = pattern;
    for (int k = 0; k < pattern && pattern > 1; k++) weigh_substep(gamma, pattern, k, p->weights[k]);
}

// Weights of the polynomial through `count` points at equal distances, one distance beyond the last.
static void weigh_equal(int count, double *w)
{
    double binomial = 1.0;
    for (int i = 0; i < count; i++) {
        binomial = binomial * (count - i) / (i + 1);
        w[i] = i % 2 ? -binomial : binomial;
    }
}

// Numbers that a file may have brought.
static bool is_whole(double x, int most)
{
    return x >= 0.0 && x <= most && x == floor(x);
}

predictor_weights predictor_weigh(const predictor *p, const predictor_head *head, int k)
{
    if (!is_whole(head->known, PREDICTOR_POINTS) || !is_whole(head->newest, PREDICTOR_POINTS - 1))
        return (predictor_weights){0};
    predictor_weights w = {.count = (int)head->known};
    if (p->pattern == 1)
        weigh_equal(w.count, w.of);
    else if (w.count == PREDICTOR_POINTS)
        for (int i = 0; i < PREDICTOR_POINTS; i++) w.of[i] = p->weights[k][i];
    else
        w.count = w.count ? 1 : 0, w.of[0] = 1.0;
    for (int i = 0; i < w.count; i++) w.at[i] = ((int)head->newest - i + PREDICTOR_POINTS) % PREDICTOR_POINTS;
    return w;
}

int predictor_next(predictor_head *head, double h)
{
    if (head->step != h || !is_whole(head->newest, PREDICTOR_POINTS - 1)) head->known = head->newest = 0.0;
    head->step = h;
    head->newest = (double)(((int)head->newest + 1) % PREDICTOR_POINTS);
    head->known = fmin(head->known + 1.0, PREDICTOR_POINTS);
    return (int)head->newest;
}
