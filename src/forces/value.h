// Numbers that may change in time: expressions of t, inputs and joint coordinates.
#ifndef PH_FORCES_VALUE_H
#define PH_FORCES_VALUE_H

#include "joints/joint.h"
#include "model/expression.h"

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
} value;

double value_at(const value *v, const motion *at);

// Value and first two time derivatives of a value of t and inputs alone, at another time than that of `at`.
expression_jet value_derivatives(const value *v, const motion *at, double time);
// Does it depend on joint coordinates or rates?
bool value_needs_joints(const value *v);

#endif
