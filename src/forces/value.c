// Numbers that may change in time.

#include "forces/value.h"

static double variable_at(const variable *v, const motion *at)
{
    switch (v->kind) {
    case VARIABLE_TIME:
        break;
    case VARIABLE_INPUT:
        return at->inputs[v->input];
    case VARIABLE_COORDINATE:
        return joint_coordinate(v->joint, at, 0);
    case VARIABLE_RATE:
        return joint_rate(v->joint, at, 0);
    }
    return at->time;
}

double value_at(const value *v, const motion *at)
{
    double variables[VALUE_VARIABLES_MAX];
    if (!v->program) {
        return v->number;
    }
    for (int k = 0; k < v->variable_count; k++) {
        variables[k] = variable_at(&v->variables[k], at);
    }
    return expression_value(v->program, variables);
}

expression_jet value_derivatives(const value *v, const motion *at, double time)
{
    double variables[VALUE_VARIABLES_MAX];
    int time_index = -1;
    if (!v->program) {
        return (expression_jet){v->number, 0.0, 0.0};
    }
    for (int k = 0; k < v->variable_count; k++) {
        if (v->variables[k].kind == VARIABLE_TIME) {
            time_index = k;
            variables[k] = time;
        } else {
            variables[k] = variable_at(&v->variables[k], at);
        }
    }
    return expression_derivatives(v->program, variables, time_index);
}

bool value_needs_joints(const value *v)
{
    for (int k = 0; k < v->variable_count; k++) {
        if (v->variables[k].kind == VARIABLE_COORDINATE || v->variables[k].kind == VARIABLE_RATE) {
            return true;
        }
    }
    return false;
}
