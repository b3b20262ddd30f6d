// Block Gauss-Seidel: the problem of one cone with all others held is
//
//     u = A x + p,  x in K,  -w(u) in the normal cone of K at x,      A = N_ii,  p = sum over j != i of N_ij x_j + q_i.
//
// One row: clamp. Coulomb's law with three rows, exactly: open when p_n >= 0; else, with x_n eliminated by u_n = 0,
//
//     B = A_TT - A_Tn A_nT / A_nn,   b = p_T - A_Tn p_n / A_nn,   x_T(k) = -(B + k I)^-1 b,   x_n = -(p_n + A_nT x_T)/A_nn:
//
// sticking is k = 0 when |x_T| <= mu x_n; slipping has u_T = -k x_T with the k > 0 where |x_T| = mu x_n. In the
// eigenvectors of B that is one equation in k, solved by Newton's method inside a bracket. All else (relaxed law,
// rolling, spinning): projected steps x <- P(x - w/l) with l >= the largest eigenvalue of A.

#include "cone/sweep.h"

#include "cone/blocks.h"

#include <math.h>

typedef struct slip { // everything in the eigenvectors of B
    double a, p_n, mu;
    double A_nT[2], l[2], b[2];
} slip;

// |x_T| - mu x_n at k, its derivative, and x there
static double slip_gap(const slip *s, double k, double *x_n, double x_T[2], double *derivative)
{
    double d[2];
    for (int i = 0; i < 2; i++) {
        x_T[i] = -s->b[i] / (s->l[i] + k);
        d[i] = -x_T[i] / (s->l[i] + k);
    }
    const double T = sqrt(x_T[0] * x_T[0] + x_T[1] * x_T[1]);
    *x_n = -(s->p_n + s->A_nT[0] * x_T[0] + s->A_nT[1] * x_T[1]) / s->a;
    *derivative =
        (T > 0.0 ? (x_T[0] * d[0] + x_T[1] * d[1]) / T : 0.0) + s->mu * (s->A_nT[0] * d[0] + s->A_nT[1] * d[1]) / s->a;
    return T - s->mu * *x_n;
}

// k with zero gap, to the last digits; the gap is positive at 0 and -mu x_n < 0 for k without bound.
static void solve_slip(const slip *s, double k, double *x_n, double x_T[2])
{
    double low = 0.0, high = HUGE_VAL, derivative;
    if (!(k > 0.0)) k = 0.5 * (s->l[0] + s->l[1]);
    for (int i = 0; i < 60; i++) {
        const double gap = slip_gap(s, k, x_n, x_T, &derivative);
        if (fabs(gap) <= 4e-16 * s->mu * fabs(*x_n)) return;
        if (gap > 0.0)
            low = k;
        else
            high = k;
        double next = k - gap / derivative;
        if (!(next > low && next < high)) next = isfinite(high) ? 0.5 * (low + high) : 2.0 * k;
        if (fabs(next - k) <= 1e-16 * k) return;
        k = next;
    }
}

static void solve_coulomb(double mu, const double *A, const double *p, double *x, double k)
{
    const double a = A[0];
    if (p[0] >= 0.0 || mu <= 0.0) {
        x[0] = p[0] >= 0.0 ? 0.0 : -p[0] / a;
        x[1] = x[2] = 0.0;
        return;
    }
    const double b0 = p[1] - A[1] * p[0] / a, b1 = p[2] - A[2] * p[0] / a;
    const double B00 = A[4] - A[1] * A[1] / a, B01 = A[5] - A[1] * A[2] / a, B11 = A[8] - A[2] * A[2] / a;
    const double mean = 0.5 * (B00 + B11), half = 0.5 * (B00 - B11), radius = sqrt(half * half + B01 * B01);
    // unit eigenvector (c, s) of the larger eigenvalue
    double c = half >= 0.0 ? half + radius : B01, s = half >= 0.0 ? B01 : radius - half;
    const double length = sqrt(c * c + s * s);
    if (length > 0.0) {
        c /= length;
        s /= length;
    } else {
        c = 1.0;
        s = 0.0;
    }
    const double least = 1e-14 * (a + A[4] + A[8]); // B may be singular
    const slip e = {.a = a,
                    .p_n = p[0],
                    .mu = mu,
                    .A_nT = {c * A[1] + s * A[2], c * A[2] - s * A[1]},
                    .l = {larger(mean + radius, least), larger(mean - radius, least)},
                    .b = {c * b0 + s * b1, c * b1 - s * b0}};
    double x_T[2], derivative;
    if (slip_gap(&e, 0.0, &x[0], x_T, &derivative) > 0.0) solve_slip(&e, k, &x[0], x_T);
    x[1] = c * x_T[0] - s * x_T[1];
    x[2] = s * x_T[0] + c * x_T[1];
}

void cone_solve_contact(double mu, const double *A, const double *p, const double *u, double *x)
{
    const double T = x[1] * x[1] + x[2] * x[2];
    solve_coulomb(mu, A, p, x, T > 0.0 ? -(u[1] * x[1] + u[2] * x[2]) / T : 0.0);
}

// Gershgorin's bound of the largest eigenvalue.
static double eigenvalue_bound(const double *A, int rows)
{
    double most = 0.0;
    for (int r = 0; r < rows; r++) {
        double sum = 0.0;
        for (int s = 0; s < rows; s++) sum += fabs(A[rows * r + s]);
        most = larger(most, sum);
    }
    return most;
}

enum { PROJECTED_STEPS = 4 };

static void projected_steps(const cone_run *run, const cone *c, const double *A, const double *p, double *x)
{
    const int rows = c->rows;
    const double bound = eigenvalue_bound(A, rows);
    for (int step = 0; step < PROJECTED_STEPS; step++) {
        double u[CONE_ROWS_MAX] = {0}, z[CONE_ROWS_MAX], change = 0.0, size = 0.0;
        for (int r = 0; r < rows; r++) {
            u[r] = p[r];
            for (int s = 0; s < rows; s++) u[r] += A[rows * r + s] * x[s];
        }
        if (run->law == PH_LAW_COULOMB) u[0] += cone_shift(c, u);
        for (int r = 0; r < rows; r++) z[r] = x[r] - u[r] / bound;
        cone_project(c, z, z);
        for (int r = 0; r < rows; r++) {
            change = larger(change, fabs(z[r] - x[r]));
            size = larger(size, fabs(z[r]));
            x[r] = z[r];
        }
        if (change <= 1e-14 * size) return;
    }
}

static void solve_one(const cone_run *run, const cone *c, const double *A, const double *u, double *x)
{
    double p[CONE_ROWS_MAX];
    for (int r = 0; r < c->rows; r++) {
        p[r] = u[r];
        for (int s = 0; s < c->rows; s++) p[r] -= A[c->rows * r + s] * x[s];
    }
    if (!(A[0] > 0.0)) return; // nothing moves: no impulse changes anything
    if (c->rows == 1) {
        x[0] = -p[0] / A[0];
        cone_project(c, x, x);
    } else if (c->rows == 3 && run->law == PH_LAW_COULOMB) {
        cone_solve_contact(c->parts[0].mu, A, p, u, x);
    } else {
        projected_steps(run, c, A, p, x);
    }
}

double cone_sweep(const cone_run *run, double *x)
{
    const ph_cone_workspace *w = run->w;
    const cone_blocks *b = &w->blocks;
    double change = 0.0;
    for (int i = 0; i < w->cone_count; i++) {
        const cone *c = &w->cones[i];
        double u[CONE_ROWS_MAX], old[CONE_ROWS_MAX];
        cone_blocks_row(w, i, x, u);
        for (int r = 0; r < c->rows; r++) {
            u[r] += w->q[c->first + r];
            old[r] = x[c->first + r];
        }
        solve_one(run, c, b->value + b->offset[b->diagonal[i]], u, x + c->first);
        for (int r = 0; r < c->rows; r++) change = larger(change, fabs(x[c->first + r] - old[r]));
    }
    return change;
}
