// What runs of a model at given unknowns leave of measured data, and the derivatives of that by the unknowns.
#ifndef PH_FIT_RESIDUALS_H
#define PH_FIT_RESIDUALS_H

#include "base/memory.h"
#include "polhode/fit.h"

enum { UNKNOWNS_MAX = 250 };

// The value of an unknown in the model; `number`: its derivative needs no other model. false: there is none of that name.
bool unknown_value(const ph_model *model, const char *name, double *value, bool *number);
double unknown_size(const ph_model *model, const char *name, double value);

// How a run is stepped so that its data are met: `every` steps of length h lie between shown nodes.
typedef struct fit_plan {
    double h;
    long long steps, every;
} fit_plan;

typedef struct residuals {
    const ph_model *model;
    const ph_fit_def *def;
    arena *memory;
    int count;          // unknowns
    const char **names; // of them
    long long total;    // rows x columns of all runs, gaps included
    fit_plan *plans;
    double finer;   // steps are divided by this
    double *scales; // sizes of unknowns
    bool *number;   // has its derivative without a model being made
    bool *by_runs;  // has none but by differences of runs
    bool exact;     // derivatives
    char why[512];  // not
    double growth;
    int evaluations;
} residuals;

ph_status residuals_create(residuals *r, const ph_model *model, const ph_fit_def *def, double *values, ph_error *error);

// r = (simulated - measured)/sigma, NAN in gaps; J (total x count) may be NULL, as may `simulated`.
ph_status residuals_at(residuals *r, const double *values, double *residual, double *J, double *simulated,
                       ph_error *error);

#endif
