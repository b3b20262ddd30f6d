#ifndef PH_ADJOINT_PARAMETERS_H
#define PH_ADJOINT_PARAMETERS_H

#include "adjoint/numbers.h"
#include "polhode/adjoint.h"

enum { PARAMETER_PROBLEM = 512 };

typedef struct parameter {
    double *direction; // of all numbers; NULL: none
    double error;      // relative
    bool idle;
    char problem[PARAMETER_PROBLEM];
} parameter;

struct ph_parameters {
    arena *memory;
    numbers numbers;
    int count;
    parameter *list;
};

// Number of the model by name: its place among all, and its value; -1: there is none.
int numbers_find(const numbers *n, const char *name, double *value);

// How all numbers change with one that has a name: those of numbers_find, and BODY.com.x, BODY.inertia.xx,
// BODY.log_cholesky.d1. `direction` (NULL: not wanted) is zero on entry. false: there is none.
bool numbers_direction(const numbers *n, const char *name, double *value, double *direction);

#endif
