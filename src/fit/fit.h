// A fit at work.
#ifndef PH_FIT_FIT_H
#define PH_FIT_FIT_H

#include "fit/residuals.h"
#include "fit/svd.h"

typedef struct fitter {
    residuals from;
    int n;        // unknowns
    size_t total; // residuals, gaps included
    double *x, *trial, *p;
    double *residual, *next, *J, *work;
    double *R, *b, *s, *V, *row;
    double *of_step; // triangle of the scaled derivatives less those with half the step; NULL: not compared
    double expected; // fall of the cost by the next step, as its derivatives say
    double rest;     // what all directions that are moved along could bring
    double corner;   // beyond which residuals count linearly
    double cost, first, fall, sigma;
    double limit; // uncertainty, in sizes of unknowns, of directions that are still moved along
    long long seen;
    int iteration;
    ph_fit_end end;
} fitter;

ph_status fit_iterate(fitter *f, ph_error *error);
double fit_weight(double r, double corner);
// R and b of the weighted, scaled derivatives; held unknowns (none: all false) have no column.
void fit_fold(const fitter *f, const double *J, const bool *held, double *R, double *b);
// Derivatives with half the step, at the unknowns as they are.
ph_status fit_halve(fitter *f, double *J, double *residual, ph_error *error);

#endif
