// High accuracy on stiff, redundant and badly scaled problems: what is cheap first, what is sure last.
//
// 1. A few sweeps of Gauss-Seidel. Easy problems end here.
// 2. Semismooth Newton. From a rough start it finds which contacts are open, stick and slip in two to twenty
//    factorisations, or gets lost: then it says so early.
// 3. Interior point, from far away, in ten to twenty factorisations. Its last digits are slow where contacts are degenerate
//    (neither open nor loaded), so semismooth Newton is tried from its iterates as they improve.
// 4. Coulomb's law only: the relaxed problem, which is convex and which step 3 always solves, then Newton along the path on
//    which the weight of De Saxce's shift rises from 0 to 1.
// 5. More and more sweeps, each time with Newton after them, until the iterations are used up.
//
// Why these, and what else was tried: docs/cone-problem.md. Since contacts form a sparse graph, a factorisation costs no
// more than a few tens of products.

#include "cone/newton.h"
#include "cone/sweep.h"
#include "cone/vector.h"

enum {
    VECTORS = 4 + SEMISMOOTH_VECTORS + INTERIOR_VECTORS,
    SWEEPS = 20,
    INTERIOR_STEPS = 40,
};

// true when the tolerance is met
static bool sweeps(cone_run *run, int count, double *x, double *y)
{
    for (int sweep = 1; sweep <= count && run->budget > 0; sweep++) {
        run->budget--;
        run->iterations++;
        cone_sweep(run, x);
        if (sweep & (sweep - 1) && sweep < count) continue; // looked at after 1, 2, 4, ...
        cone_apply(run, x, y);
        if (cone_offer(run, x, y)) return true;
    }
    return cone_met(run);
}

// z = x - w
static void pair(const cone_run *run, const double *x, const double *y, double *z)
{
    const ph_cone_workspace *w = run->w;
    for (int i = 0; i < w->cone_count; i++) {
        const cone *c = &w->cones[i];
        double u[CONE_ROWS_MAX] = {0};
        for (int r = 0; r < c->rows; r++) u[r] = y[c->first + r] + w->q[c->first + r];
        u[0] += run->weight * cone_shift(c, u);
        for (int r = 0; r < c->rows; r++) z[c->first + r] = x[c->first + r] - u[r];
    }
}

static double error_of_nothing(const cone_run *run, double *zero)
{
    memset(zero, 0, (size_t)run->w->rows * sizeof *zero);
    return cone_error(run, zero, zero, NULL);
}

// Newton is tried whenever the error has fallen far enough since the last time.
static bool interior(cone_run *run, double start, double *z)
{
    const int taken = run->vectors_taken;
    double next = 1e-3 * error_of_nothing(run, z);
    cone_interior *ip = cone_interior_start(run, start);
    bool going = true;
    for (int step = 1; going && run->budget > 0 && !cone_met(run); step++) {
        going = cone_interior_step(run, ip) && step < INTERIOR_STEPS;
        if (cone_met(run) || (going && cone_interior_error(ip) > next)) continue;
        pair(run, run->best_x, run->best_y, z);
        cone_semismooth(run, z, going ? 3 : 20, 0.0);
        next = 0.03 * cone_interior_error(ip);
    }
    run->vectors_taken = taken;
    return cone_met(run);
}

// z of the solution under the relaxed law, by a run of its own.
static void solve_relaxed(cone_run *run, double *z)
{
    cone_run relaxed = *run;
    relaxed.law = PH_LAW_RELAXED;
    relaxed.weight = 0.0;
    relaxed.best_x = cone_take(&relaxed);
    relaxed.best_y = cone_take(&relaxed);
    relaxed.best_error = HUGE_VAL;
    if (!interior(&relaxed, 1.0, z)) interior(&relaxed, 1e3, z);
    pair(&relaxed, relaxed.best_x, relaxed.best_y, z);
    run->budget = relaxed.budget;
    run->iterations = relaxed.iterations;
    run->factorisations = relaxed.factorisations;
}

// From the relaxed law to Coulomb's: whole way, or a quarter of it, or ...; after a success twice as far.
static bool follow_path(cone_run *run, double *z)
{
    const int n = run->w->rows, taken = run->vectors_taken;
    double *start = cone_take(run);
    const double small = 1e-9 * vec_norm(n, run->w->q);
    solve_relaxed(run, z);
    vec_copy(n, z, start);
    for (double done = 0.0, step = 1.0; done < 1.0 && step > 1e-3 && run->budget > 0;) {
        run->weight = smaller(1.0, done + step);
        if (cone_semismooth(run, z, 12, run->weight < 1.0 ? small : 0.0)) {
            done = run->weight;
            step *= 2.0;
            vec_copy(n, z, start);
        } else {
            step *= 0.25;
            vec_copy(n, start, z);
        }
    }
    run->weight = 1.0;
    run->vectors_taken = taken;
    return cone_met(run);
}

static void newton_solve(cone_run *run, double *x, double *y)
{
    double *z = cone_take(run);
    if (sweeps(run, SWEEPS, x, y)) return;
    pair(run, run->best_x, run->best_y, z);
    if (cone_semismooth(run, z, 30, 0.0)) return;
    if (interior(run, 1.0, z)) return;
    if (run->law == PH_LAW_COULOMB ? follow_path(run, z) : interior(run, 1e3, z)) return;
    for (int count = 5 * SWEEPS; run->budget > 0 && !sweeps(run, count, x, y); count *= 2) {
        pair(run, x, y, z);
        if (cone_semismooth(run, z, 12, 0.0)) return;
    }
}

const cone_solver cone_solver_newton = {
    .name = "newton",
    .title = "Gauss-Seidel, semismooth Newton and interior point in turn: high accuracy on stiff problems",
    .reference = "Alart, Curnier 1991 (Newton); Acary, Armand, Nguyen 2024 (interior point)",
    .needs_matrix = true,
    .needs_factor = true,
    .vectors = VECTORS,
    .iterations = 10000,
    .solve = newton_solve,
};
