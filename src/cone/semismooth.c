// Semismooth Newton on the normal map, with a proximal term.
//
// With z = x - w (scaled), x = P(z) and w = x - z lie in their cones and are perpendicular whatever z is, so all that is
// left of the problem is the equation of motion
//
//     F(z) = N x + q + t s(w) e_n - w + r (x - x0) = 0,
//
// where s(w) = sum_k mu_k |w_k| is De Saxce's shift (w and u have the same tangents), t = run->weight, and x0 the impulses of
// the last iterate: r makes up for impulses that N does not see. With D in the derivative of P and
// C = I + t e_n (ds/dw)^T, which turns du into dw, Newton's step is
//
//     (C (N + r) D + I - D) dz = -C F.
//
// Open contacts have D = 0: they drop out of the matrix and follow from dw = C N dx. Steps are halved until |F| falls.

#include "cone/factor.h"
#include "cone/newton.h"
#include "cone/vector.h"

static const double shortest = 1.0 / 128.0, short_step = 0.1;

typedef struct semismooth {
    double *z, *x, *Nx, *F;
    double *z_next, *x_next, *Nx_next, *F_next;
    double *dz;
    double *D;              // by cone at CONE_ROWS_MAX * first: rows x rows; six vectors
    double *lift;           // by cone: the row vector of C - I
    double r;               // of the proximal term, for a scaled N with unit diagonal
    double size, size_held; // |F| without and with the proximal term of the last step
} semismooth;

static const double *derivative_of(const semismooth *s, const cone *c)
{
    return s->D + (size_t)CONE_ROWS_MAX * (size_t)c->first;
}

// x = P(z), N x and F; returns |F|.
static double evaluate(const cone_run *run, double r, const double *x0, const double *z, double *x, double *Nx,
                       double *F)
{
    const ph_cone_workspace *w = run->w;
    vec_project_step(w, z, 0.0, z, x);
    cone_apply(run, x, Nx);
    for (int i = 0; i < w->cone_count; i++) {
        const cone *c = &w->cones[i];
        double v[CONE_ROWS_MAX];
        for (int k = 0; k < c->rows; k++) {
            const int row = c->first + k;
            v[k] = x[row] - z[row];
            F[row] = Nx[row] + w->q[row] - v[k] + r * (x[row] - x0[row]);
        }
        if (run->weight > 0.0) F[c->first] += run->weight * cone_shift(c, v);
    }
    return vec_norm(w->rows, F);
}

static void linearise(const cone_run *run, semismooth *s)
{
    const ph_cone_workspace *w = run->w;
    for (int i = 0; i < w->cone_count; i++) {
        const cone *c = &w->cones[i];
        double v[CONE_ROWS_MAX], *lift = s->lift + c->first;
        for (int r = 0; r < c->rows; r++) v[r] = s->x[c->first + r] - s->z[c->first + r];
        cone_derivative(c, s->z + c->first, s->D + (size_t)CONE_ROWS_MAX * (size_t)c->first);
        cone_shift_gradient(c, v, lift);
        for (int r = 0; r < c->rows; r++) lift[r] *= run->weight;
    }
}

static bool is_open(const semismooth *s, const cone *c)
{
    return derivative_of(s, c)[0] == 0.0;
}

// Writes C_i (N_ij + r delta_ij) D_j + delta_ij (I - D_i).
static void assemble_block(ph_cone_workspace *w, const semismooth *s, int i, int k)
{
    const int j = w->blocks.column[k];
    const cone *ci = &w->cones[i], *cj = &w->cones[j];
    const double *N = w->blocks.value + w->blocks.offset[k], *D = derivative_of(s, cj), *lift = s->lift + ci->first;
    double CN[CONE_ROWS_MAX * CONE_ROWS_MAX];
    for (int a = 0; a < ci->rows; a++) {
        for (int b = 0; b < cj->rows; b++) CN[a * cj->rows + b] = N[a * cj->rows + b] + (i == j && a == b ? s->r : 0.0);
    }
    for (int b = 0; b < cj->rows; b++) {
        for (int a = 1; a < ci->rows; a++) CN[b] += lift[a] * CN[a * cj->rows + b];
    }
    for (int a = 0; a < ci->rows; a++) {
        for (int b = 0; b < cj->rows; b++) {
            double sum = i == j ? (a == b) - D[a * cj->rows + b] : 0.0;
            for (int m = 0; m < cj->rows; m++) sum += CN[a * cj->rows + m] * D[m * cj->rows + b];
            *cone_factor_entry(w->factor, k, a, b) = sum;
        }
    }
}

static void assemble(ph_cone_workspace *w, const semismooth *s)
{
    cone_factor *f = w->factor;
    cone_factor_clear(w);
    for (int k = 0; k < f->graph.count; k++) f->active[k] = false;
    for (int i = 0; i < w->cone_count; i++) {
        const cone *c = &w->cones[i];
        if (is_open(s, c)) {
            for (int r = 0; r < c->rows; r++) *cone_factor_entry(f, w->blocks.diagonal[i], r, r) = 1.0;
            continue;
        }
        f->active[f->position[f->group[i]]] = true;
        for (int k = w->blocks.start[i]; k < w->blocks.start[i + 1]; k++) {
            if (!is_open(s, &w->cones[w->blocks.column[k]])) assemble_block(w, s, i, k);
        }
    }
}

// v <- C v of one cone
static void lift_normal(const cone *c, const double *lift, double *v)
{
    for (int r = 1; r < c->rows; r++) v[0] += lift[r] * v[r];
}

// Newton's step into dz.
static void direction(cone_run *run, semismooth *s)
{
    ph_cone_workspace *w = run->w;
    double *dz = s->dz, *dx = s->x_next, *Ndx = s->Nx_next;
    assemble(w, s);
    cone_factor_run(w, false);
    run->factorisations++;
    for (int i = 0; i < w->cone_count; i++) {
        const cone *c = &w->cones[i];
        for (int r = 0; r < c->rows; r++) dz[c->first + r] = is_open(s, c) ? 0.0 : -s->F[c->first + r];
        lift_normal(c, s->lift + c->first, dz + c->first);
    }
    cone_factor_solve(w, dz);
    for (int i = 0; i < w->cone_count; i++) {
        const cone *c = &w->cones[i];
        const double *D = derivative_of(s, c);
        for (int r = 0; r < c->rows; r++) {
            dx[c->first + r] = 0.0;
            for (int m = 0; m < c->rows; m++) dx[c->first + r] += D[r * c->rows + m] * dz[c->first + m];
        }
    }
    cone_apply(run, dx, Ndx);
    for (int i = 0; i < w->cone_count; i++) {
        const cone *c = &w->cones[i];
        if (!is_open(s, c)) continue;
        for (int r = 0; r < c->rows; r++) dz[c->first + r] = -s->F[c->first + r] - Ndx[c->first + r];
        lift_normal(c, s->lift + c->first, dz + c->first);
    }
}

static void exchange(double **a, double **b)
{
    double *c = *a;
    *a = *b;
    *b = c;
}

// One step with halving; returns its length.
static double newton_step(cone_run *run, semismooth *s)
{
    const int n = run->w->rows;
    double length = 1.0;
    direction(run, s);
    for (;; length *= 0.5) {
        for (int i = 0; i < n; i++) s->z_next[i] = s->z[i] + length * s->dz[i];
        s->size_held = evaluate(run, s->r, s->x, s->z_next, s->x_next, s->Nx_next, s->F_next);
        if (s->size_held < (1.0 - 1e-4 * length) * s->size || length <= shortest) break;
    }
    exchange(&s->z, &s->z_next);
    exchange(&s->x, &s->x_next);
    exchange(&s->Nx, &s->Nx_next);
    exchange(&s->F, &s->F_next);
    for (int i = 0; i < n; i++) s->F[i] -= s->r * (s->x[i] - s->x_next[i]); // x is the next x0
    s->size = vec_norm(n, s->F);
    return length;
}

static semismooth semismooth_start(cone_run *run, const double *z)
{
    semismooth s = {.r = 1e-8};
    double **all[] = {&s.z, &s.x, &s.Nx, &s.F, &s.z_next, &s.x_next, &s.Nx_next, &s.F_next, &s.dz, &s.lift, &s.D};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) *all[k] = cone_take(run);
    run->vectors_taken += CONE_ROWS_MAX - 1; // D takes six
    vec_copy(run->w->rows, z, s.z);
    vec_project_step(run->w, z, 0.0, z, s.x_next);
    s.size = evaluate(run, s.r, s.x_next, s.z, s.x, s.Nx, s.F);
    return s;
}

// One step; r follows what it met: smaller when it is all that is left of F, larger when the way was blocked.
static double adaptive_step(cone_run *run, semismooth *s)
{
    const double before = s->size;
    linearise(run, s);
    const double length = newton_step(run, s);
    if (length == 1.0 && s->size > 0.1 * before && s->size_held < 0.1 * s->size) s->r = larger(0.1 * s->r, 1e-13);
    if (length < short_step) s->r = smaller(10.0 * s->r, 1e-4);
    return length;
}

bool cone_semismooth(cone_run *run, double *z, int steps, double target)
{
    const int taken = run->vectors_taken;
    semismooth s = semismooth_start(run, z);
    bool met = cone_offer(run, s.x, s.Nx);
    double mark = s.size;
    for (int step = 1, blocked = 0; step <= steps && blocked < 3 && run->budget > 0 && !met; step++) {
        run->budget--;
        run->iterations++;
        blocked = adaptive_step(run, &s) < short_step ? blocked + 1 : 0;
        met = cone_offer(run, s.x, s.Nx) || s.size <= target;
        if (!isfinite(s.size)) break;
        if (step % 4 == 0 && s.size > 0.25 * mark) break; // no way to go on: others do better
        if (step % 4 == 0) mark = s.size;
    }
    vec_copy(run->w->rows, s.z, z);
    run->vectors_taken = taken;
    return met;
}
