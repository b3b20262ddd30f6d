// The ten inertial numbers of a body without constraints: the pseudo-inertia P = [S s; s^T m], S = integral of x x^T dm and
// s = m c about the origin of the body frame, is positive definite for every body that fills space. P = U U^T with
//
//     U = e^a [e^d1 s12 s13 t1; 0 e^d2 s23 t2; 0 0 e^d3 t3; 0 0 0 1]
//
// so that any (a, d1, d2, d3, s12, s23, s13, t1, t2, t3) is a body (Rucker and Wensing 2022). t is the centre of mass.
#ifndef PH_MODEL_LOG_CHOLESKY_H
#define PH_MODEL_LOG_CHOLESKY_H

#include "polhode/math.h"

#include <stdbool.h>

enum { LOG_CHOLESKY = 10 };

typedef struct inertial {
    double mass;
    ph_vec3 com;
    ph_mat3 J; // about the centre of mass, body axes
} inertial;

extern const char *const log_cholesky_names[LOG_CHOLESKY];

// false: the mass lies in a plane or on a line, or is none.
bool log_cholesky_of(const inertial *body, double x[LOG_CHOLESKY]);
inertial log_cholesky_body(const double x[LOG_CHOLESKY]);
// How the body changes with number k.
inertial log_cholesky_change(const double x[LOG_CHOLESKY], int k);
// What counts as a large change of number k: 1 for logarithms, the radius of gyration for lengths.
double log_cholesky_scale(const double x[LOG_CHOLESKY], int k);

#endif
