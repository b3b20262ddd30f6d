// Small cone problems with a dense matrix, as a robot on the ground has them: Newton's method on the law taken apart.
//
// With z = g - u/d, d the mean diagonal entry of a cone's part, Alart and Curnier's equations are
//
//     normal, limit    g_n = max(0, z_n)
//     friction k       g_k = the nearest point of the disc of radius mu_k g_n to z_k
//     interval         g   = z, clamped
//     free line        u   = 0
//
// Each z says which of them are linear: rows that hold (u = 0), rows that are fixed (g at its bound), and parts that slip. With e
// the direction of z_k, p across it and s = mu_k g_n/|z_k|, slipping is two rows
//
//     e.g_k - mu_k g_n = 0,      (1 - s) p.dg_k + s/d p.(N dg)_k = -p.g_k
//
// Where nothing slips the matrix is N itself, and Cholesky's factor does.
//
// Contacts that are redundant (more rows than freedoms) may contradict each other by what the gaps of a step imply; then
// Newton's method does not settle which of them push. There it solves proximal problems, N + r d in place of N about the
// last impulses: what N does not see of these moves by residual/r in each.
#ifndef PH_CONE_DENSE_H
#define PH_CONE_DENSE_H

#include "polhode/cone.h"

// A cone whose diagonal is zero is moved by nothing: it takes no impulse.
typedef struct dense_cones_problem {
    int rows, cone_count;
    const ph_cone *cones; // rows and law as in polhode/cone.h, Coulomb's
    const double *N;      // rows x rows
    const double *q;
    bool redundant; // more rows than freedoms
} dense_cones_problem;

typedef struct dense_cones_report {
    double
        residual; // m/s, largest of the equations above times d, or of velocities that should not be and nothing moves
    int newton, sweeps, proximal;
} dense_cones_report;

size_t dense_cones_bytes(int rows, int cones); // of scratch

// Impulses g, start and result, and u = N g + q.
dense_cones_report dense_cones_solve(const dense_cones_problem *p, double tolerance, void *scratch, double *g,
                                     double *u);

#endif
