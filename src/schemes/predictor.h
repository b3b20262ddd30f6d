// First guesses of Omega_+ and v_+ from those of the last substeps.
//
// A step consists of substeps gamma_k h in turn (one of gamma = 1, or those of a composition). What Newton's method has to
// overcome is the error of the guess, so the unknowns of the last six substeps are kept and extrapolated. They follow
//
//     Omega_+ = Omega(tau) + (gamma h)^2 c(tau) + ...,     tau: the middle of the substep, gamma: its length, in units of h
//
// Equal steps: the polynomial through all points, weights 6, -15, 20, -15, 6, -1. Compositions: for each substep of the
// pattern the shortest vector of weights that is exact on 1, tau, tau^2, tau^3 and gamma^2.
#ifndef PH_SCHEMES_PREDICTOR_H
#define PH_SCHEMES_PREDICTOR_H

#include "math/vec3.h"

enum { PREDICTOR_POINTS = 6, PREDICTOR_PATTERN_MAX = 17 };

typedef struct predictor {
    int pattern;                                             // substeps of a step
    double weights[PREDICTOR_PATTERN_MAX][PREDICTOR_POINTS]; // by substep; the last substep's first
} predictor;

// What the state keeps of earlier substeps; all numbers, so that a run can be continued to the same bits.
typedef struct predictor_head {
    double step;      // h of the last step; 0: none
    double known;     // so many substeps of such steps are known, at most PREDICTOR_POINTS
    double newest;    // where the last one stands
    double curvature; // of Newton's method (dynamics/newton.h)
} predictor_head;

typedef struct predictor_past { // of a body
    ph_vec3 omega[PREDICTOR_POINTS], v[PREDICTOR_POINTS];
} predictor_past;

enum {
    PREDICTOR_HEAD = sizeof(predictor_head) / sizeof(double),
    PREDICTOR_PAST = sizeof(predictor_past) / sizeof(double),
};

void predictor_create(const double *gamma, int pattern, predictor *p);

// The guess for substep k, or false where nothing is known. `past`: of one body.
typedef struct predictor_weights {
    int count;
    int at[PREDICTOR_POINTS]; // in the arrays of predictor_past
    double of[PREDICTOR_POINTS];
} predictor_weights;
predictor_weights predictor_weigh(const predictor *p, const predictor_head *head, int k);

// The place for the unknowns of the substep just made, of a step of length h.
int predictor_next(predictor_head *head, double h);

#endif
