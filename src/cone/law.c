// The law of a run by solvers that minimise a convex objective.
//
// Relaxed law: one minimisation. Coulomb's law: De Saxce's fixed point. With the shifts s (one for each friction cone)
// held, the problem is convex; its velocities say what the shifts should have been:
//
//     s -> T(s) = sum_k mu_k |u_k(s)|.
//
// The last few shifts and images are combined so that the defect f = T(s) - s is least (Anderson 1965):
//
//     min over c of |f - dF c|,    s+ = s + f - (dS + dF) c.
//
// Every minimisation starts from the last and is as exact as the error is worth. Plain steps are kept as long as they
// reduce the error well, and taken again with an empty memory when a combination makes things worse: measured, combining
// always costs ten times the iterations on a tower of planks, never combining twice as many on a heap of capsules.

#include "cone/vector.h"

enum { MEMORY = 5, COMPACT = 4 + 2 * MEMORY };
_Static_assert(COMPACT <= 3 * (CONE_LAW_VECTORS - 2), "compact vectors fit, three to a vector");

static const double slow = 0.4; // reduction of the error in a pass from which on it is worth combining

typedef struct fixed_point {
    int count;     // friction cones
    double *s, *f; // shifts and defects
    double *s_last, *f_last;
    double *dS[MEMORY], *dF[MEMORY];
    int kept, next; // columns in memory; where the next goes
} fixed_point;

// Compact vectors, one number for each friction cone, three to a vector of rows.
static fixed_point fixed_point_start(cone_run *run)
{
    fixed_point p = {0};
    for (int i = 0; i < run->w->cone_count; i++) p.count += run->w->cones[i].kind == PH_CONE_FRICTION;
    double *room = cone_take(run);
    for (int k = 1; k < CONE_LAW_VECTORS - 2; k++) cone_take(run);
    double **single[] = {&p.s, &p.f, &p.s_last, &p.f_last};
    for (int k = 0; k < 4; k++) *single[k] = room + (size_t)k * (size_t)p.count;
    for (int k = 0; k < MEMORY; k++) {
        p.dS[k] = room + (size_t)(4 + 2 * k) * (size_t)p.count;
        p.dF[k] = p.dS[k] + p.count;
    }
    return p;
}

// q with the shifts added, and the shifts by cone.
static void apply_shifts(const cone_run *run, const fixed_point *p, double *q, double *shift)
{
    const ph_cone_workspace *w = run->w;
    vec_copy(w->rows, w->q, q);
    for (int i = 0, k = 0; i < w->cone_count; i++) {
        shift[i] = w->cones[i].kind == PH_CONE_FRICTION ? p->s[k++] : 0.0;
        q[w->cones[i].first] += shift[i];
    }
}

// The shifts that the velocities y + q ask for.
static void image(const cone_run *run, const double *y, double *T)
{
    const ph_cone_workspace *w = run->w;
    for (int i = 0, k = 0; i < w->cone_count; i++) {
        const cone *c = &w->cones[i];
        if (c->kind != PH_CONE_FRICTION) continue;
        double u[CONE_ROWS_MAX];
        for (int r = 0; r < c->rows; r++) u[r] = y[c->first + r] + w->q[c->first + r];
        T[k++] = cone_shift(c, u);
    }
}

// Coefficients of the least defect from the normal equations, whose tiny multiple of the identity keeps columns that are
// nearly parallel from blowing up.
static void least_defect(const fixed_point *p, double *c)
{
    const int m = p->kept;
    double A[MEMORY][MEMORY] = {0}, trace = 0.0;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j <= i; j++) A[i][j] = vec_dot(p->count, p->dF[i], p->dF[j]);
        trace += A[i][i];
        c[i] = vec_dot(p->count, p->dF[i], p->f);
    }
    for (int j = 0; j < m; j++) { // A = L L^T
        A[j][j] += 1e-13 * trace;
        for (int k = 0; k < j; k++) A[j][j] -= A[j][k] * A[j][k];
        A[j][j] = sqrt(larger(A[j][j], 1e-15 * trace));
        for (int i = j + 1; i < m; i++) {
            for (int k = 0; k < j; k++) A[i][j] -= A[i][k] * A[j][k];
            A[i][j] /= A[j][j];
        }
    }
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < i; k++) c[i] -= A[i][k] * c[k];
        c[i] /= A[i][i];
    }
    for (int i = m - 1; i >= 0; i--) {
        for (int k = i + 1; k < m; k++) c[i] -= A[k][i] * c[k];
        c[i] /= A[i][i];
    }
}

static void remember(fixed_point *p)
{
    for (int k = 0; k < p->count; k++) {
        p->dS[p->next][k] = p->s[k] - p->s_last[k];
        p->dF[p->next][k] = p->f[k] - p->f_last[k];
    }
    p->next = (p->next + 1) % MEMORY;
    p->kept += p->kept < MEMORY;
}

// s <- s+
static void fixed_point_step(fixed_point *p, bool first)
{
    double c[MEMORY] = {0.0};
    if (!first) remember(p);
    if (p->kept && vec_dot(p->count, p->f, p->f) > 0.0) least_defect(p, c);
    vec_copy(p->count, p->s, p->s_last);
    vec_copy(p->count, p->f, p->f_last);
    for (int k = 0; k < p->count; k++) {
        double s = p->s[k] + p->f[k];
        for (int j = 0; j < p->kept; j++) s -= (p->dS[j][k] + p->dF[j][k]) * c[j];
        p->s[k] = s > 0.0 ? s : 0.0;
    }
}

static void coulomb_solve(cone_run *run, const cone_solver *solver, double *x, double *y)
{
    const int taken = run->vectors_taken;
    double *q = cone_take(run), *shift = cone_take(run);
    fixed_point p = fixed_point_start(run);
    image(run, y, p.s);
    cone_offer(run, x, y);
    double error = run->best_error;
    for (bool fresh = true; run->budget > 0 && !cone_met(run);) {
        apply_shifts(run, &p, q, shift);
        const int before = run->iterations;
        solver->minimise(run, q, shift, larger(0.3 * run->tolerance, 0.1 * error), x, y);
        if (run->iterations == before) run->budget--; // the shifts alone move: a pass still counts
        cone_offer(run, x, y);
        const double now = cone_error(run, x, y, NULL);
        image(run, y, p.f);
        for (int k = 0; k < p.count; k++) p.f[k] -= p.s[k];
        if (now > 2.0 * error || now < slow * error) {
            p.kept = p.next = 0;
            fresh = true;
        }
        fixed_point_step(&p, fresh);
        fresh = false;
        error = smaller(now, error);
    }
    run->vectors_taken = taken;
}

void cone_law_solve(cone_run *run, const cone_solver *solver, double *x, double *y)
{
    if (run->law == PH_LAW_COULOMB) {
        coulomb_solve(run, solver, x, y);
    } else {
        solver->minimise(run, run->w->q, NULL, run->tolerance, x, y);
        cone_offer(run, x, y);
    }
}
