// Spectral projected gradient (Birgin, Martinez, Raydan 2000) for min over x in K of 1/2 x.Nx + q.x.
//
// Direction d = P(x - a g) - x with the step a of Barzilai and Borwein; step length 1 unless the objective then lies above
// the largest of the last ten values (Grippo, Lampariello, Lucidi), else the exact minimiser along d. For a quadratic
//
//     f(x + s d) - f(x) = s g.d + 1/2 s^2 d.Nd,      a+ = |d|^2 / d.Nd,
//
// so one product in an iteration is enough and nothing is lost to the difference of large numbers.

#include "cone/vector.h"

enum { VECTORS = 4, MEMORY = 10, REFRESH = 64 };

static double largest(const double *f, int count)
{
    double most = f[0];
    for (int k = 1; k < count && k < MEMORY; k++) most = larger(most, f[k]);
    return most;
}

static void bb_minimise(cone_run *run, const double *q, const double *shift, double target, double *best_x,
                        double *best_Nx)
{
    const int n = run->w->rows, taken = run->vectors_taken;
    double *x = cone_take(run), *Nx = cone_take(run), *d = cone_take(run), *Nd = cone_take(run);
    double f[MEMORY] = {0.0}, value = 0.0; // objective, relative to the start
    double best = cone_error(run, best_x, best_Nx, shift), a = 1.0;
    vec_copy(n, best_x, x);
    vec_copy(n, best_Nx, Nx);
    for (int count = 1; run->budget > 0 && best > target; count++) {
        run->budget--;
        run->iterations++;
        if (count % REFRESH == 0) cone_apply(run, x, Nx);
        for (int i = 0; i < n; i++) Nd[i] = Nx[i] + q[i]; // g
        vec_project_step(run->w, x, a, Nd, d);
        for (int i = 0; i < n; i++) d[i] -= x[i];
        const double dot = vec_dot(n, Nd, d), length2 = vec_dot(n, d, d);
        const double slope = smaller(dot, -length2 / a); // g.d <= -|d|^2/a by projection: rounding must not hide it
        cone_apply(run, d, Nd);
        const double curvature = vec_dot(n, d, Nd);
        if (!(length2 > 0.0)) break;
        const double whole = slope + 0.5 * curvature;
        const bool take_whole = value + whole <= largest(f, count) + 1e-4 * slope;
        const double s = take_whole ? 1.0 : smaller(1.0, -slope / curvature);
        for (int i = 0; i < n; i++) {
            x[i] += s * d[i];
            Nx[i] += s * Nd[i];
        }
        value += s * slope + 0.5 * s * s * curvature;
        f[count % MEMORY] = value;
        a = curvature > 1e-10 * length2 ? larger(length2 / curvature, 1e-10) : 1e10;
        const double error = cone_error(run, x, Nx, shift);
        if (error <= best) {
            best = error;
            vec_copy(n, x, best_x);
            vec_copy(n, Nx, best_Nx);
        }
    }
    run->vectors_taken = taken;
}

const cone_solver cone_solver_bb = {
    .name = "bb",
    .title = "spectral projected gradient with the step of Barzilai and Borwein",
    .reference = "Birgin, Martinez, Raydan 2000",
    .vectors = VECTORS,
    .iterations = 3000,
    .minimise = bb_minimise,
};
