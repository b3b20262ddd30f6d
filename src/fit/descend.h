// The least of f(x) where c(x) = 0 and low <= x <= high: an augmented Lagrangian, each step of it by a quadratic model in a box.
#ifndef PH_FIT_DESCEND_H
#define PH_FIT_DESCEND_H

#include "base/memory.h"
#include "polhode/base.h"

typedef struct descent {
    int n, m; // variables, equations
    const double *low, *high;
    const double *curvature; // a guess of the diagonal of the second derivative of f
    double tolerance;        // of c
    double cost_tolerance;
    int iterations;
    // f, c and, where g is not NULL, their derivatives: g (n), A (m x n). Other than PH_OK: there is no such run.
    ph_status (*evaluate)(const double *x, double *f, double *c, double *g, double *A, void *user);
    bool (*progress)(int iteration, double f, double miss, const double *x, void *user);
    void *user;
    // results
    double f, miss;
    int iteration, evaluations;
    enum { DESCENT_CONVERGED, DESCENT_ITERATIONS, DESCENT_STOPPED, DESCENT_STUCK } end;
} descent;

// x: the start, then the result.
ph_status descend(descent *d, double *x, arena *memory);

#endif
