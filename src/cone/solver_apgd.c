// Accelerated projected gradient descent (Mazhar, Heyn, Negrut, Tasora 2015, after Nesterov) for
//
//     min over x in K of 1/2 x.Nx + q.x.
//
// Each iteration, from the extrapolated point y:
//     g  = N y + q,   x+ = P(y - g/L),   L doubled until (x+ - y).N(x+ - y) <= L |x+ - y|^2
//     t+ = (-t^2 + t sqrt(t^2 + 4))/2,   b = t (1 - t)/(t^2 + t+),   y+ = x+ + b (x+ - x)
//     restart (y+ = x+, t+ = 1) when g.(x+ - x) > 0;   L <- 0.9 L
//
// The condition on L is the exact quadratic form of "the model lies above the objective": differences of objectives
// would lose all digits near the solution. Since N y+ = N x+ + b (N x+ - N x), an iteration costs one product.

#include "cone/vector.h"

enum { VECTORS = 7, LOOK = 10 };

typedef struct apgd {
    double *x, *Nx;       // last iterate
    double *next, *Nnext; // x+
    double *y, *Ny;       // extrapolated point
    double *g;            // gradient there
    double L, t;
} apgd;

static apgd apgd_start(cone_run *run, const double *x, const double *Nx)
{
    const int n = run->w->rows;
    apgd a = {.t = 1.0, .L = run->L};
    double **all[] = {&a.x, &a.Nx, &a.next, &a.Nnext, &a.y, &a.Ny, &a.g};
    for (int k = 0; k < VECTORS; k++) *all[k] = cone_take(run);
    vec_copy(n, x, a.x);
    vec_copy(n, Nx, a.Nx);
    vec_copy(n, x, a.y);
    vec_copy(n, Nx, a.Ny);
    if (a.L <= 0.0) { // |N (x - 1)| / |x - 1|
        for (int i = 0; i < n; i++) a.next[i] = x[i] - 1.0;
        const double size = vec_norm(n, a.next);
        cone_apply(run, a.next, a.Nnext);
        a.L = size > 0.0 ? vec_norm(n, a.Nnext) / size : 1.0;
        if (!(a.L > 0.0)) a.L = 1.0;
    }
    return a;
}

// x+ and N x+ with an L that fits.
static void gradient_step(cone_run *run, const double *q, apgd *a)
{
    const int n = run->w->rows;
    for (int i = 0; i < n; i++) a->g[i] = a->Ny[i] + q[i];
    for (int tries = 0; tries < 60; tries++) {
        vec_project_step(run->w, a->y, 1.0 / a->L, a->g, a->next);
        cone_apply(run, a->next, a->Nnext);
        const double curvature = vec_dot_differences(n, a->next, a->y, a->Nnext, a->Ny);
        if (curvature <= a->L * vec_dot_differences(n, a->next, a->y, a->next, a->y)) return;
        a->L *= 2.0;
    }
}

// y+ and t+; then x+ becomes x.
static void extrapolate(int n, apgd *a)
{
    const bool uphill = vec_dot_difference(n, a->g, a->next, a->x) > 0.0;
    const double t = a->t, t_next = 0.5 * (-t * t + t * sqrt(t * t + 4.0));
    const double b = uphill ? 0.0 : t * (1.0 - t) / (t * t + t_next);
    for (int i = 0; i < n; i++) {
        a->y[i] = a->next[i] + b * (a->next[i] - a->x[i]);
        a->Ny[i] = a->Nnext[i] + b * (a->Nnext[i] - a->Nx[i]);
    }
    a->t = uphill ? 1.0 : t_next;
    double *x = a->x, *Nx = a->Nx;
    a->x = a->next;
    a->Nx = a->Nnext;
    a->next = x;
    a->Nnext = Nx;
}

static void apgd_minimise(cone_run *run, const double *q, const double *shift, double target, double *x, double *Nx)
{
    const int n = run->w->rows, taken = run->vectors_taken;
    apgd a = apgd_start(run, x, Nx);
    double best = cone_error(run, x, Nx, shift);
    while (run->budget > 0 && best > target) {
        run->budget--;
        run->iterations++;
        gradient_step(run, q, &a);
        const double error = cone_error(run, a.next, a.Nnext, shift);
        if (error <= best) {
            best = error;
            vec_copy(n, a.next, x);
            vec_copy(n, a.Nnext, Nx);
        }
        extrapolate(n, &a);
        a.L *= 0.9;
        // Under Coulomb's law the shifts are held here; near the solution the law may be met long before this minimum is.
        if (shift && run->iterations % LOOK == 0 && cone_error(run, x, Nx, NULL) <= run->tolerance) break;
    }
    run->L = a.L;
    run->vectors_taken = taken;
}

const cone_solver cone_solver_apgd = {
    .name = "apgd",
    .title = "accelerated projected gradient descent: one product of the operator in an iteration",
    .reference = "Mazhar, Heyn, Negrut, Tasora 2015; restart of O'Donoghue and Candes 2015",
    .vectors = VECTORS,
    .iterations = 3000,
    .minimise = apgd_minimise,
};
