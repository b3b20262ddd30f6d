// Numbers that may change in time: expressions of t, inputs and joint coordinates.
#ifndef PH_JOINTS_VALUE_H
#define PH_JOINTS_VALUE_H

#include "expression/expression.h"
#include "joints/joint.h"

enum { VALUE_VARIABLES_MAX = 16 };

typedef enum variable_kind { VARIABLE_TIME, VARIABLE_INPUT, VARIABLE_COORDINATE, VARIABLE_RATE } variable_kind;

typedef struct variable {
    variable_kind kind;
    int input;
    const joint *joint;
} variable;

typedef struct value {
    double number;             // where there is no expression
    const expression *program; // or NULL
    int variable_count;
    const variable *variables; // what the variables of the program are
    const char *text;          // the expression as given, NULL: none
} value;

double value_at(const value *v, const motion *at);

// The same, and its derivatives by each of its variables. Where one is infinite (sqrt at 0) it is told as zero: schemes
// then go on as if the value stood still.
double value_slopes(const value *v, const motion *at, double slopes[VALUE_VARIABLES_MAX]);

// Value and first two time derivatives of a value of t and inputs alone, at another time than that of `at`.
expression_jet value_derivatives(const value *v, const motion *at, double time);
// Does it depend on joint coordinates or rates?
bool value_needs_joints(const value *v);
bool values_need_rates(const value *values, int count); // qd. of any joint
// What the numbers in it are (value_numbers of them; `numbers` may be NULL), and whether two values differ in them alone.
int value_numbers(const value *v, double *numbers);
bool value_same_form(const value *a, const value *b);
// Adds the gradient of by_value times the value and by_rate times its time derivative, at another time than that of `at`
// (by_rate: of values of t and inputs alone): by inputs, and by its numbers. Either may be NULL.
void value_pull(const value *v, const motion *at, double time, double by_value, double by_rate, double *inputs,
                double *numbers);
// expression_find_fault of its expression there; false when the value is finite.
bool value_find_fault(const value *v, const motion *at, expression_error *fault);

#endif
