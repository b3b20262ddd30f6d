// Arithmetic expressions of model files: + - * / ^ ( ), pi, sqrt abs sin cos tan asin acos atan atan2 exp log tanh deg min
// max, and names. Compiled once to a small program, evaluated without allocation.
//
//     sum     = product { ("+" | "-") product }
//     product = sign { ("*" | "/") sign }
//     sign    = ("+" | "-") sign | power
//     power   = operand [ "^" sign ]                     so -2^2 = -4, 2^-1 = 1/2, 2^3^2 = 2^9
//     operand = number | name | function "(" sum { "," sum } ")" | "(" sum ")"
//     number  = 1  1.5  .5  1e-3
//     name    = words of letters, digits and _ (no digit first), joined by dots: l, q.hinge
#ifndef PH_EXPRESSION_EXPRESSION_H
#define PH_EXPRESSION_EXPRESSION_H

#include "base/memory.h"

#include <stdbool.h>

enum {
    EXPRESSION_LENGTH_MAX = 16384, // bytes
    EXPRESSION_NESTING_MAX = 64,   // of parentheses, signs and powers in each other
    EXPRESSION_NAME_MAX = 127,     // bytes
};

typedef struct expression expression;

// What a name means: >= 0 is an index into the variables given at evaluation, -1 unknown, -2 a constant whose value is
// in *constant.
typedef int (*expression_lookup)(const char *name, double *constant, void *user);

typedef struct expression_error {
    int position;                       // in the text, bytes from 0
    char text[160];                     // what is wrong, with "did you mean" where it helps
    char name[EXPRESSION_NAME_MAX + 1]; // the name that `lookup` does not know, for a suggestion; else ""
} expression_error;

// NULL and *error on failure. `lookup` may be NULL: then no names are known.
expression *expression_compile(const char *text, expression_lookup lookup, void *user, arena *memory,
                               expression_error *error);
// Evaluates; `variables` is indexed by what lookup returned.
double expression_value(const expression *expression, const double *variables);
// Value and first two derivatives by one variable, exactly (by the chain rule); -1: by none, so that they are zero. By
// time they are rate and acceleration.
typedef struct expression_jet {
    double value, rate, second;
} expression_jet;
expression_jet expression_derivatives(const expression *expression, const double *variables, int by);
// The same along a direction: every variable changes by its slope, and number `number` of those in the program (-1: none) by
// `number_slope`.
expression_jet expression_along(const expression *expression, const double *variables, const double *slopes, int number,
                                double number_slope);
// How many numbers stand in the program; they are written to `numbers` unless that is NULL.
int expression_numbers(const expression *expression, double *numbers);
bool expression_same_form(const expression *a, const expression *b); // alike but for their numbers
// Where a value that is not finite comes from: *fault says which operation gives it first, and where it stands. false
// when the value is finite, also where something on the way to it is not: min(1/t, 5).
bool expression_find_fault(const expression *expression, const double *variables, expression_error *fault);
bool expression_is_constant(const expression *expression); // needs no variables

// A number alone, without sign, at the start of `text`: its value, and in *end where it stops (`text` when there is
// none). Correctly rounded, with a decimal point in every locale; HUGE_VAL when it is too large for a double.
double expression_number(const char *text, const char **end);
// Likewise, with a sign before it.
double expression_signed_number(const char *text, const char **end);

// Whether `text` can be used as a name: a word as above, neither a function nor pi.
bool expression_is_name(const char *text);

#endif
