// Numbers that may change in time.

#include "joints/value.h"

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
        return at->twists ? joint_rate(v->joint, at, 0) : 0.0;
    }
    return at->time;
}

static void read_variables(const value *v, const motion *at, double *variables)
{
    for (int k = 0; k < v->variable_count; k++) {
        variables[k] = variable_at(&v->variables[k], at);
    }
}

double value_at(const value *v, const motion *at)
{
    double variables[VALUE_VARIABLES_MAX];
    if (!v->program) {
        return v->number;
    }
    read_variables(v, at, variables);
    return expression_value(v->program, variables);
}

double value_slopes(const value *v, const motion *at, double slopes[VALUE_VARIABLES_MAX])
{
    double variables[VALUE_VARIABLES_MAX];
    if (!v->program) {
        return v->number;
    }
    read_variables(v, at, variables);
    for (int k = 0; k < v->variable_count; k++) {
        slopes[k] = expression_derivatives(v->program, variables, k).rate;
        slopes[k] = isfinite(slopes[k]) ? slopes[k] : 0.0;
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

bool values_need_rates(const value *values, int count)
{
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < values[i].variable_count; k++) {
            if (values[i].variables[k].kind == VARIABLE_RATE) {
                return true;
            }
        }
    }
    return false;
}

bool value_find_fault(const value *v, const motion *at, expression_error *fault)
{
    double variables[VALUE_VARIABLES_MAX];
    if (!v->program) {
        return false;
    }
    read_variables(v, at, variables);
    return expression_find_fault(v->program, variables, fault);
}
