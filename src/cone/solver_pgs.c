// Block Gauss-Seidel (the NSGS of nonsmooth contact dynamics: Jean, Moreau 1992; Jourdan, Alart, Jean 1998): sweeps over
// the cones, each solved with the others held. Robust and quick to a rough answer; slow when many contacts share load.

#include "cone/sweep.h"
#include "cone/vector.h"

enum { CHECK_MOST = 16 };

// The error costs as much as half a sweep: it is looked at after 1, 2, 4, ... and then every CHECK_MOST sweeps.
static void pgs_solve(cone_run *run, double *x, double *y)
{
    for (int sweep = 1, check = 1; run->budget > 0; sweep++) {
        run->budget--;
        run->iterations++;
        const double change = cone_sweep(run, x);
        if (sweep < check && change > 0.0 && run->budget > 0) continue;
        check = sweep + (sweep < CHECK_MOST ? sweep : CHECK_MOST);
        cone_apply(run, x, y);
        if (cone_offer(run, x, y) || change == 0.0) return;
    }
}

const cone_solver cone_solver_pgs = {
    .name = "pgs",
    .title = "block Gauss-Seidel: one contact after the other, each solved exactly",
    .reference = "Jean, Moreau 1992; Jourdan, Alart, Jean 1998",
    .needs_matrix = true,
    .iterations = 3000,
    .solve = pgs_solve,
};
