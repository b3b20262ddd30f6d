// One pass of block Gauss-Seidel over all cones.
#ifndef PH_CONE_SWEEP_H
#define PH_CONE_SWEEP_H

#include "cone/cone.h"

// Solves cone after cone with all others held, in x. Needs the blocks. Returns the largest change of an entry of x.
double cone_sweep(const cone_run *run, double *x);

// One contact of three rows under Coulomb's law: x with u = A x + p. `u` on entry: that of x, for a first guess.
void cone_solve_contact(double mu, const double *A, const double *p, const double *u, double *x);

#endif
