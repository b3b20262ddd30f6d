// One pass of block Gauss-Seidel over all cones.
#ifndef PH_CONTACT_CONE_SWEEP_H
#define PH_CONTACT_CONE_SWEEP_H

#include "contact/cone.h"

// Solves cone after cone with all others held, in x. Needs the blocks. Returns the largest change of an entry of x.
double cone_sweep(const cone_run *run, double *x);

#endif
