// Inverse inertia of bodies in world axes.
#ifndef PH_MODEL_INERTIA_H
#define PH_MODEL_INERTIA_H

#include "math/mat3.h"
#include "model/model.h"

static inline ph_mat3 body_inverse_inertia(const body *b, ph_mat3 R)
{
    return ph_sym(ph_mat_mult(ph_mat_mul(R, b->kind->J_inverse), R));
}

// Its first entry alone: all of it where inertia is the same about every axis.
static inline double body_inverse_spin(const body *b, ph_mat3 R)
{
    const double(*J)[3] = b->kind->J_inverse.m, *x = R.m[0];
    double sum[3];
    for (int j = 0; j < 3; j++) sum[j] = x[0] * J[0][j] + x[1] * J[1][j] + x[2] * J[2][j];
    return sum[0] * x[0] + sum[1] * x[1] + sum[2] * x[2];
}

#endif
