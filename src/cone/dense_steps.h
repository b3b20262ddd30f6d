// The parts of dense.c: errors, one step of Newton's method, one sweep.
#ifndef PH_CONE_DENSE_STEPS_H
#define PH_CONE_DENSE_STEPS_H

#include "cone/cone.h"

typedef enum row_state {
    ROW_FIXED,  // g is at its bound
    ROW_HOLDS,  // u = 0
    ROW_ALONG,  // slips: first of its two rows, or the only one
    ROW_ACROSS, // and the second
} row_state;

typedef struct dense_cones {
    int n, count; // rows, cones
    cone *cones;
    double *d;    // by row
    double limit; // of d |g|: a problem of bodies that jam has no solution, and larger and larger impulses for it
    // Scratch by row:
    double *b, *v, *shape, *old, *best, *start, *qr, *x0, *try;
    int *row; // that take part in a step
    row_state *state;
    double *A;  // n rows of dense_cones_width numbers
    double *Nr; // n x n
} dense_cones;

static inline int dense_cones_width(int n) // of the rows of a factor: a multiple of four
{
    return (n + 3) & ~3;
}

void dense_cones_product(int n, const double *N, const double *q, const double *g, double *u); // u <- N g + q
double dense_cones_error(const dense_cones *s, const double *g, const double *u);

// One step from g with u = N g + q; `r` is added to the diagonal in parts of d. u is as it was. false: singular.
bool dense_cones_newton(dense_cones *s, const double *N, double r, double *g, const double *u);

// Every cone in turn with all others held; u follows.
void dense_cones_sweep(dense_cones *s, const double *N, double *g, double *u);

#endif
