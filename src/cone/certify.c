// What is wrong with impulses, measured from the problem as it was given: nothing here is shared with the solvers, neither
// their scaling nor their blocks nor their projections, so that a mistake there cannot hide itself.
//
// The law is taken apart into scalar statements (Alart and Curnier 1991). With d the mean diagonal entry of the contact in N
// and d_k that of part k of its friction, they hold exactly when these vanish:
//
//     normal       min(d g_n, u_n)      relaxed law: (u_n - sum_k mu_k |u_k|) / (1 + sum_k mu_k) in place of u_n
//     part k       d_k g_k - D(d_k g_k - u_k),      D: nearest point of the disc of radius mu_k d_k max(g_n, 0)
//     half line    min(d g, u)
//     interval     d g - (d g - u clamped to d low, d high)
//     free line    u
//
// Impulses within r of a solution leave at most (3 + 2 mu) r of these, and the other way round.

#include "cone/blocks.h"

#include <math.h>

static void product(const ph_cone_problem *p, const double *g, double *u)
{
    if (p->N.apply) {
        p->N.apply(p->N.self, g, u);
        return;
    }
    const ph_cone_matrix *N = p->N.matrix(p->N.self);
    for (int r = 0; r < N->rows; r++) {
        u[r] = 0.0;
        for (int k = N->start[r]; k < N->start[r + 1]; k++) u[r] += N->value[k] * g[N->column[k]];
    }
}

static void diagonal(const ph_cone_problem *p, int first, int rows, double *block)
{
    if (p->N.diagonal)
        p->N.diagonal(p->N.self, first, rows, block);
    else
        cone_matrix_diagonal(p->N.matrix(p->N.self), first, rows, block);
}

static double mean_diagonal(const double *block, int rows, int first, int count)
{
    double sum = 0.0;
    for (int r = first; r < first + count; r++) sum += block[rows * r + r];
    return sum / count;
}

// One or two rows of friction that may reach to `most`. What they are too long or too short counts as the error of the normal
// row that would explain it: |g_k| - mu g_n by 1 + mu.
static double friction_violation(double d, double mu, double most, const double *g, const double *u, int count)
{
    double z[2] = {0.0, 0.0}, x[2] = {0.0, 0.0};
    for (int r = 0; r < count; r++) {
        x[r] = d * g[r];
        z[r] = x[r] - u[r];
    }
    const double length = sqrt(z[0] * z[0] + z[1] * z[1]);
    if (length <= most) return sqrt((x[0] - z[0]) * (x[0] - z[0]) + (x[1] - z[1]) * (x[1] - z[1]));
    const double c = z[0] / length, s = z[1] / length;
    const double along = (c * x[0] + s * x[1] - most) / (1.0 + mu), across = c * x[1] - s * x[0];
    return sqrt(along * along + across * across);
}

static double contact_violation(const ph_cone *c, ph_contact_law law, const double *block, const double *g,
                                const double *u)
{
    const int rows = ph_cone_rows(c), spin = rows - 1;
    const struct {
        int first, count;
        double mu;
    } parts[] = {{1, 2, c->friction}, {3, c->rolls ? 2 : 0, c->rolling}, {spin, c->spins ? 1 : 0, c->spinning}};
    const double d = mean_diagonal(block, rows, 0, 3);
    double open = u[0], sum = 1.0, worst = 0.0;
    for (int k = 0; k < 3; k++) {
        const int first = parts[k].first, count = parts[k].count;
        if (count == 0) continue;
        const double d_k = k == 0 ? d : mean_diagonal(block, rows, first, count);
        const double most = parts[k].mu * d_k * larger(g[0], 0.0);
        worst = larger(worst, friction_violation(d_k, parts[k].mu, most, g + first, u + first, count));
        const double a = u[first], b = count == 2 ? u[first + 1] : 0.0;
        if (law == PH_LAW_COULOMB) continue;
        open -= parts[k].mu * sqrt(a * a + b * b);
        sum += parts[k].mu;
    }
    worst = larger(worst, -u[0]);
    return larger(worst, fabs(smaller(d * g[0], open / sum)));
}

// Between bounds that may be infinite, of what nothing may move.
static double interval_violation(const ph_cone *c, double d, double g, double u)
{
    const double low = c->low > -HUGE_VAL ? d * c->low : -HUGE_VAL, high = c->high < HUGE_VAL ? d * c->high : HUGE_VAL;
    return fabs(d * g - larger(low, smaller(high, d * g - u)));
}

static double cone_violation(const ph_cone *c, ph_contact_law law, const double *block, const double *g,
                             const double *u)
{
    const double d = block[0];
    switch (c->kind) {
    case PH_CONE_FREE:
        return fabs(u[0]);
    case PH_CONE_HALF_LINE:
        return fabs(smaller(d * g[0], u[0]));
    case PH_CONE_INTERVAL:
        return interval_violation(c, d, g[0], u[0]);
    default:
        return contact_violation(c, law, block, g, u);
    }
}

double ph_cone_certify(const ph_cone_problem *problem, ph_contact_law law, const double *g, double *u)
{
    double block[CONE_ROWS_MAX * CONE_ROWS_MAX], worst = 0.0;
    if (!problem || !g || !u || problem->cone_count <= 0) return 0.0;
    product(problem, g, u);
    for (int i = 0, first = 0; i < problem->cone_count; i++) {
        const ph_cone *c = &problem->cones[i];
        const int rows = ph_cone_rows(c);
        for (int r = first; r < first + rows; r++) u[r] += problem->q[r];
        diagonal(problem, first, rows, block);
        const double violation = cone_violation(c, law, block, g + first, u + first);
        if (!(violation <= worst)) worst = isfinite(violation) ? violation : HUGE_VAL;
        first += rows;
    }
    return worst;
}
