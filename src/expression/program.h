// The program of an expression: instructions for a stack machine, and the functions they apply.
#ifndef PH_EXPRESSION_PROGRAM_H
#define PH_EXPRESSION_PROGRAM_H

#include "expression/expression.h"

// Each level of nesting holds at most three operands: a + b * c ^ (...
enum { STACK_MAX = 3 * EXPRESSION_NESTING_MAX + 4 };

typedef struct slopes {
    double first, second; // derivatives of a function
} slopes;

typedef struct function {
    const char *name;
    double (*one)(double);                // of one argument; or
    slopes (*slopes)(double x, double y); // ... its derivatives at x, where its value is y
    double (*two)(double, double);        // of exactly two arguments, or
    expression_jet (*jet)(expression_jet, expression_jet);
    bool fold;   // two and more: f(f(a, b), c) ...
    bool shared; // its name may also be that of a parameter: models had such parameters before there was the function
} function;

extern const function expression_functions[]; // functions.c, ends with a name NULL
extern const function expression_power;       // a^b

const function *expression_find_function(const char *name); // NULL: there is none

// f(a) where f has the value y and the slopes d at the value of a: the chain rule.
expression_jet expression_chain(expression_jet a, double y, slopes d);

typedef enum opcode { PUSH_NUMBER, PUSH_VARIABLE, NEGATE, ADD, SUBTRACT, MULTIPLY, DIVIDE, APPLY } opcode;

typedef struct instruction {
    int code; // opcode
    int at;   // place in the text, bytes from 0
    union {
        double number;
        int variable;
        const function *function;
    };
} instruction;

struct expression {
    int count;
    instruction program[];
};

// What an operator or function makes of its operands; b only where it takes two.
double expression_apply(const instruction *i, double a, double b);

static inline bool takes_two(const instruction *i)
{
    return i->code == APPLY ? i->function->two != NULL : i->code != NEGATE;
}

// Those of <ctype.h> depend on the locale.
static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

#endif
