// The velocity at the end of a step when forces depend on it: v and mu solve
//
//     M v + B^T mu = p + h/2 Q(q, v),     B v = -dPhi/dt
//
// by Newton's method with A = M - h/2 dQ/dv. The first half of the step takes Q(q_n, v_n), so both halves together are the
// trapezium rule: symmetric, of order 2, and stable for any damping.
#ifndef PH_SCHEMES_DAMPED_H
#define PH_SCHEMES_DAMPED_H

#include "schemes/node.h"

typedef struct damped {
    kkt kkt;
    double *mu;
} damped;

bool damped_create(const ph_model *model, arena *memory, damped *damped);

// `p`: six for each moving body (angular, body axes | linear). On entry the twists of `there` are a first guess; on return
// they are v, and Q is evaluated there. Needs frames and Jacobian. false when it does not converge.
bool damped_solve(const ph_model *model, damped *damped, const double *p, double h, node *there);

#endif
