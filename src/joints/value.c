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

// ---- Reverse derivatives --------------------------------------------------------------------------------------------

int value_numbers(const value *v, double *numbers)
{
    if (v->program) return expression_numbers(v->program, numbers);
    if (numbers) *numbers = v->number;
    return 1;
}

bool value_same_form(const value *a, const value *b)
{
    bool same = a->variable_count == b->variable_count && !a->program == !b->program;
    for (int k = 0; same && k < a->variable_count; k++) {
        same = a->variables[k].kind == b->variables[k].kind && a->variables[k].input == b->variables[k].input;
    }
    return same && (!a->program || expression_same_form(a->program, b->program));
}

typedef struct point { // the variables of a value, and which of them is time
    double variables[VALUE_VARIABLES_MAX];
    int time;
} point;

// by_value f_x + by_rate f_xt, x a variable or a number: f_xt = (f'' along x + t  -  f'' along x - t)/4.
static double pull_along(const value *v, const point *p, int variable, int number, double by_value, double by_rate)
{
    double slopes[VALUE_VARIABLES_MAX] = {0};
    const double change = number >= 0 ? 1.0 : 0.0;
    if (variable >= 0) slopes[variable] = 1.0;
    double sum =
        by_value != 0.0 ? by_value * expression_along(v->program, p->variables, slopes, number, change).rate : 0.0;
    if (by_rate != 0.0 && p->time >= 0) {
        slopes[p->time] += 1.0;
        const double plus = expression_along(v->program, p->variables, slopes, number, change).second;
        slopes[p->time] -= 2.0;
        sum += by_rate * 0.25 * (plus - expression_along(v->program, p->variables, slopes, number, change).second);
    }
    return isfinite(sum) ? sum : 0.0; // as value_slopes
}

void value_pull(const value *v, const motion *at, double time, double by_value, double by_rate, double *inputs,
                double *numbers)
{
    point p = {.time = -1};
    if (!v->program) {
        if (numbers) *numbers += by_value;
        return;
    }
    for (int k = 0; k < v->variable_count; k++) {
        const bool is_time = v->variables[k].kind == VARIABLE_TIME;
        p.variables[k] = is_time ? time : variable_at(&v->variables[k], at);
        if (is_time) p.time = k;
    }
    for (int k = 0; k < v->variable_count && inputs; k++) {
        if (v->variables[k].kind == VARIABLE_INPUT)
            inputs[v->variables[k].input] += pull_along(v, &p, k, -1, by_value, by_rate);
    }
    const int count = numbers ? expression_numbers(v->program, NULL) : 0;
    for (int k = 0; k < count; k++) numbers[k] += pull_along(v, &p, -1, k, by_value, by_rate);
}
