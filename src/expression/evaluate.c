// Expressions: the stack machine, for values and for values with their derivatives.
//
// NOLINTBEGIN(clang-analyzer-core.*): the parser emits nothing that takes more from the stack than lies there.

#include "expression/program.h"

#include <math.h>
#include <stdio.h>

double expression_apply(const instruction *i, double a, double b)
{
    switch ((opcode)i->code) {
    case ADD:
        return a + b;
    case SUBTRACT:
        return a - b;
    case MULTIPLY:
        return a * b;
    case DIVIDE:
        return a / b;
    case NEGATE:
        return -a;
    case APPLY:
    case PUSH_NUMBER:
    case PUSH_VARIABLE:
        break;
    }
    return i->function->two ? i->function->two(a, b) : i->function->one(a);
}

// ---- Values ---------------------------------------------------------------------------------------------------------

double expression_value(const expression *e, const double *variables)
{
    double stack[STACK_MAX];
    int top = -1;
    for (const instruction *i = e->program, *end = i + e->count; i < end; i++) {
        if (i->code == PUSH_NUMBER) {
            stack[++top] = i->number;
        } else if (i->code == PUSH_VARIABLE) {
            stack[++top] = variables[i->variable];
        } else if (takes_two(i)) {
            top--;
            stack[top] = expression_apply(i, stack[top], stack[top + 1]);
        } else {
            stack[top] = expression_apply(i, stack[top], 0.0);
        }
    }
    return stack[0];
}

bool expression_is_constant(const expression *e)
{
    return e->count == 1 && e->program[0].code == PUSH_NUMBER;
}

// ---- Derivatives ----------------------------------------------------------------------------------------------------

static expression_jet jet_multiply(expression_jet a, expression_jet b)
{
    return (expression_jet){a.value * b.value, a.rate * b.value + a.value * b.rate,
                            a.second * b.value + 2.0 * a.rate * b.rate + a.value * b.second};
}

static expression_jet jet_divide(expression_jet a, expression_jet b)
{
    const double x = b.value;
    expression_jet y = jet_multiply(a, expression_chain(b, 1.0 / x, (slopes){-1.0 / (x * x), 2.0 / (x * x * x)}));
    y.value = a.value / x;
    return y;
}

static expression_jet apply_jet(const instruction *i, expression_jet a, expression_jet b)
{
    switch ((opcode)i->code) {
    case ADD:
        return (expression_jet){a.value + b.value, a.rate + b.rate, a.second + b.second};
    case SUBTRACT:
        return (expression_jet){a.value - b.value, a.rate - b.rate, a.second - b.second};
    case MULTIPLY:
        return jet_multiply(a, b);
    case DIVIDE:
        return jet_divide(a, b);
    case NEGATE:
        return (expression_jet){-a.value, -a.rate, -a.second};
    case APPLY:
    case PUSH_NUMBER:
    case PUSH_VARIABLE:
        break;
    }
    if (i->function->two) return i->function->jet(a, b);
    const double y = i->function->one(a.value);
    return expression_chain(a, y, i->function->slopes(a.value, y));
}

// Jets along one direction: what variables and numbers of the program change by.
typedef struct seeds {
    const double *slopes; // of all variables, or NULL:
    int by;               // of this one alone
    int number;           // and this number of the program, in the order it stands there; -1: none ...
    double number_slope;  // ... changes by so much
} seeds;

static expression_jet run_jets(const expression *e, const double *variables, const seeds *along)
{
    expression_jet stack[STACK_MAX];
    int top = -1, numbers = 0;
    for (const instruction *i = e->program, *end = i + e->count; i < end; i++) {
        if (i->code == PUSH_NUMBER) {
            stack[++top] = (expression_jet){i->number, numbers++ == along->number ? along->number_slope : 0.0, 0.0};
        } else if (i->code == PUSH_VARIABLE) {
            const double own = i->variable == along->by ? 1.0 : 0.0;
            stack[++top] =
                (expression_jet){variables[i->variable], along->slopes ? along->slopes[i->variable] : own, 0.0};
        } else if (takes_two(i)) {
            top--;
            stack[top] = apply_jet(i, stack[top], stack[top + 1]);
        } else {
            stack[top] = apply_jet(i, stack[top], (expression_jet){0});
        }
    }
    return stack[0];
}

expression_jet expression_derivatives(const expression *e, const double *variables, int by)
{
    return run_jets(e, variables, &(seeds){.by = by, .number = -1});
}

expression_jet expression_along(const expression *e, const double *variables, const double *slopes, int number,
                                double number_slope)
{
    return run_jets(e, variables, &(seeds){slopes, -1, number, number_slope});
}

int expression_numbers(const expression *e, double *numbers)
{
    int count = 0;
    for (int k = 0; k < e->count; k++) {
        if (e->program[k].code != PUSH_NUMBER) continue;
        if (numbers) numbers[count] = e->program[k].number;
        count++;
    }
    return count;
}

bool expression_same_form(const expression *a, const expression *b)
{
    bool same = a->count == b->count;
    for (int k = 0; same && k < a->count; k++) {
        const instruction *x = &a->program[k], *y = &b->program[k];
        same = x->code == y->code && (x->code != PUSH_VARIABLE || x->variable == y->variable) &&
               (x->code != APPLY || x->function == y->function);
    }
    return same;
}

// ---- Faults ---------------------------------------------------------------------------------------------------------

static void tell(const instruction *i, double a, double b, char *text, size_t size)
{
    static const char operators[] = {[ADD] = '+', [SUBTRACT] = '-', [MULTIPLY] = '*', [DIVIDE] = '/'};
    if (i->code == PUSH_NUMBER || i->code == PUSH_VARIABLE) {
        snprintf(text, size, "it has a value that is not finite");
    } else if (i->code == DIVIDE && b == 0.0) {
        snprintf(text, size, "%.6g is divided by zero", a);
    } else if (i->code != APPLY) {
        snprintf(text, size, "%.6g %c %.6g is not finite", a, operators[i->code], b);
    } else if (i->function == &expression_power) {
        snprintf(text, size, "%.6g^%.6g is not finite", a, b);
    } else if (i->function->two) {
        snprintf(text, size, "%s(%.6g, %.6g) is not finite", i->function->name, a, b);
    } else {
        snprintf(text, size, "%s(%.6g) is not finite", i->function->name, a);
    }
}

bool expression_find_fault(const expression *e, const double *variables, expression_error *fault)
{
    double stack[STACK_MAX];
    int top = -1;
    bool found = false;
    for (const instruction *i = e->program, *end = i + e->count; i < end; i++) {
        double a = 0.0, b = 0.0;
        if (i->code == PUSH_NUMBER) {
            stack[++top] = i->number;
        } else if (i->code == PUSH_VARIABLE) {
            stack[++top] = variables[i->variable];
        } else {
            top -= takes_two(i);
            a = stack[top], b = takes_two(i) ? stack[top + 1] : 0.0;
            stack[top] = expression_apply(i, a, b);
        }
        if (!found && !isfinite(stack[top])) {
            found = true;
            *fault = (expression_error){.position = i->at};
            tell(i, a, b, fault->text, sizeof fault->text);
        }
    }
    return !isfinite(stack[0]);
}

// NOLINTEND(clang-analyzer-core.*)
