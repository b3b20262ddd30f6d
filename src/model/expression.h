// Arithmetic expressions of model files: + - * / ^ ( ), pi, sqrt abs sin cos tan asin acos atan atan2 exp log min max,
// and names. Compiled once to a small program, evaluated without allocation.
#ifndef PH_MODEL_EXPRESSION_H
#define PH_MODEL_EXPRESSION_H

#include "base/memory.h"

#include <stdbool.h>

typedef struct expression expression;

// What a name means: >= 0 is an index into the variables given at evaluation, -1 unknown, -2 a constant whose value is
// in *constant.
typedef int (*expression_lookup)(const char *name, double *constant, void *user);

typedef struct expression_error {
    int position;   // in the text, from 0
    char text[160]; // what is wrong, with "did you mean" where it helps
} expression_error;

// NULL and *error on failure. Nesting and length are bounded.
expression *expression_compile(const char *text, expression_lookup lookup, void *user, arena *memory,
                               expression_error *error);
// Evaluates; `variables` is indexed by what lookup returned.
double expression_value(const expression *expression, const double *variables);
bool expression_is_constant(const expression *expression);

#endif
