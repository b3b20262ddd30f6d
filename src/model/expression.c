// Expressions: a recursive descent parser that writes a program for a stack machine.
//
// The machine knows four instructions: push a number, push a variable, apply a function of one value, apply a function
// of two. Operators are functions too. An instruction whose operands are numbers is carried out at once, so that an
// expression without variables is always one number, made by the very functions that evaluation uses.

#include "model/expression.h"

#include "base/suggest.h"
#include "math/trig.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Each level of nesting holds at most three operands: a + b * c ^ (...
enum { STACK_MAX = 3 * EXPRESSION_NESTING_MAX + 4 };

typedef enum opcode { PUSH_NUMBER, PUSH_VARIABLE, APPLY_ONE, APPLY_TWO } opcode;

typedef double (*function_one)(double);
typedef double (*function_two)(double, double);

typedef struct instruction {
    opcode code;
    union {
        double number;
        int variable;
        function_one one;
        function_two two;
    };
} instruction;

struct expression {
    int count;
    instruction program[];
};

// ---- Operators and functions ----------------------------------------------------------------------------------------

static double add(double a, double b)
{
    return a + b;
}

static double subtract(double a, double b)
{
    return a - b;
}

static double multiply(double a, double b)
{
    return a * b;
}

static double divide(double a, double b)
{
    return a / b;
}

static double negate(double a)
{
    return -a;
}

// Unlike fmin and fmax these hand on a value that is not a number.
static double minimum(double a, double b)
{
    return a < b || isnan(a) ? a : b;
}

static double maximum(double a, double b)
{
    return a > b || isnan(a) ? a : b;
}

typedef struct function {
    const char *name;
    function_one one; // or
    function_two two; // exactly two arguments, or
    bool fold;        // two and more: f(f(a, b), c) ...
} function;

static const function functions[] = {
    {"sqrt", sqrt, NULL, false},    {"abs", fabs, NULL, false},     {"sin", ph_sin, NULL, false},
    {"cos", ph_cos, NULL, false},   {"tan", ph_tan, NULL, false},   {"asin", ph_asin, NULL, false},
    {"acos", ph_acos, NULL, false}, {"atan", ph_atan, NULL, false}, {"atan2", NULL, ph_atan2, false},
    {"exp", ph_exp, NULL, false},   {"log", ph_log, NULL, false},   {"min", NULL, minimum, true},
    {"max", NULL, maximum, true},
};
enum { FUNCTION_COUNT = sizeof functions / sizeof functions[0] };

static const double pi = 3.14159265358979323846;

static const function *find_function(const char *name)
{
    for (int i = 0; i < FUNCTION_COUNT; i++) {
        if (strcmp(functions[i].name, name) == 0) {
            return &functions[i];
        }
    }
    return NULL;
}

// ---- Characters and numbers ----------------------------------------------------------------------------------------

// Those of <ctype.h> depend on the locale.
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Digits and exponent go to strtod without the point, "1.25e3" as "125e1": strtod rounds correctly, but which character
// it takes for a point depends on the locale. No double and no midpoint of two has more than 767 digits, so that of
// digits beyond 800 only matters whether one is not zero.
enum { DIGITS_MAX = 800 };

typedef struct decimal {
    char digits[DIGITS_MAX + 32];
    int count;     // digits without leading zeros
    long exponent; // value = digits * 10^exponent
    bool sticky;   // a digit that is not zero was dropped
} decimal;

static void decimal_add(decimal *d, char digit, bool after_point)
{
    if (d->count < DIGITS_MAX) {
        d->digits[d->count] = digit;
        d->count += d->count > 0 || digit != '0';
        d->exponent -= after_point;
    } else {
        d->sticky = d->sticky || digit != '0';
        d->exponent += !after_point;
    }
}

static double decimal_value(decimal *d)
{
    if (d->sticky) {
        d->digits[d->count++] = '1';
        d->exponent--;
    }
    if (d->count == 0) {
        return 0.0;
    }
    snprintf(d->digits + d->count, sizeof d->digits - (size_t)d->count, "e%ld", d->exponent);
    return strtod(d->digits, NULL);
}

double expression_number(const char *text, const char **end)
{
    decimal d = {0};
    const char *s = text;
    bool any = false, after_point = false;
    for (; is_digit(*s) || (*s == '.' && !after_point); s++) {
        if (*s == '.') {
            after_point = true;
        } else {
            any = true;
            decimal_add(&d, *s, after_point);
        }
    }
    *end = any ? s : text;
    const char *e = s + 1 + (s[0] != '\0' && (s[1] == '+' || s[1] == '-'));
    if (any && (*s == 'e' || *s == 'E') && is_digit(*e)) {
        long exponent = 0;
        for (; is_digit(*e); e++) {
            exponent = exponent < 1000000 ? 10 * exponent + (*e - '0') : exponent;
        }
        d.exponent += s[1] == '-' ? -exponent : exponent;
        *end = e;
    }
    return decimal_value(&d);
}

// ---- Parser state ---------------------------------------------------------------------------------------------------

typedef struct parser {
    const char *text, *at;
    expression_lookup lookup;
    void *user;
    expression *out;
    expression_error *error;
    bool failed;
    int nesting;
} parser;

// The first error stays.
__attribute__((format(printf, 3, 4))) static void fail(parser *p, const char *at, const char *format, ...)
{
    if (p->failed) {
        return;
    }
    p->failed = true;
    p->error->position = (int)(at - p->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p->error->text, sizeof p->error->text, format, arguments);
    va_end(arguments);
}

static char peek(parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r') {
        p->at++;
    }
    return *p->at;
}

static bool accept(parser *p, char c)
{
    if (p->failed || peek(p) != c) {
        return false;
    }
    p->at++;
    return true;
}

// What stands at the place of an error, for its text: a whole word, number or character (all its bytes).
static const char *found(parser *p, char *buffer, size_t size)
{
    if (peek(p) == '\0') {
        return "the end";
    }
    int length = 1;
    if (is_letter(p->at[0]) || is_digit(p->at[0])) {
        while (is_letter(p->at[length]) || is_digit(p->at[length]) || p->at[length] == '.') {
            length++;
        }
    } else {
        while (((unsigned char)p->at[length] & 0xc0) == 0x80) {
            length++;
        }
    }
    snprintf(buffer, size, "'%.*s'", length > 40 ? 40 : length, p->at);
    return buffer;
}

// ---- Writing the program --------------------------------------------------------------------------------------------

static void emit(parser *p, instruction i)
{
    p->out->program[p->out->count++] = i;
}

static void emit_number(parser *p, double number)
{
    emit(p, (instruction){.code = PUSH_NUMBER, .number = number});
}

// The last `operands` instructions, when all are numbers.
static instruction *numbers(parser *p, int operands)
{
    instruction *first = p->out->program + p->out->count - operands;
    for (int i = 0; i < operands; i++) {
        if (first[i].code != PUSH_NUMBER) {
            return NULL;
        }
    }
    return first;
}

static void emit_one(parser *p, function_one f)
{
    instruction *a = p->failed ? NULL : numbers(p, 1);
    if (a) {
        a->number = f(a->number);
    } else if (!p->failed) {
        emit(p, (instruction){.code = APPLY_ONE, .one = f});
    }
}

static void emit_two(parser *p, function_two f)
{
    instruction *a = p->failed ? NULL : numbers(p, 2);
    if (a) {
        a->number = f(a[0].number, a[1].number);
        p->out->count--;
    } else if (!p->failed) {
        emit(p, (instruction){.code = APPLY_TWO, .two = f});
    }
}

// ---- Grammar --------------------------------------------------------------------------------------------------------

static void parse_sum(parser *p);

static void parse_number(parser *p)
{
    const char *end, *start = p->at;
    const double number = expression_number(start, &end);
    const int length = (int)(end - start);
    if (length == 0) {
        fail(p, start, "expected a number, a name or '(', found '.'");
    } else if (!isfinite(number)) {
        fail(p, start, "'%.*s' is not a finite number", length > 40 ? 40 : length, start);
    } else if (*end == 'e' || *end == 'E') {
        fail(p, end, "expected digits after the exponent sign '%c'", *end);
    } else {
        emit_number(p, number);
    }
    p->at = end;
}

// A word, or words joined by dots. False when it is too long.
static bool scan_name(const char **at, char name[EXPRESSION_NAME_MAX + 1])
{
    int length = 0;
    const char *s = *at;
    for (; is_letter(*s) || is_digit(*s) || (*s == '.' && is_letter(s[1])); s++) {
        if (length == EXPRESSION_NAME_MAX) {
            return false;
        }
        name[length++] = *s;
    }
    name[length] = '\0';
    *at = s;
    return true;
}

static void suggest_name(const char *name, bool called, char *text, size_t size)
{
    const char *names[FUNCTION_COUNT + 1];
    int count = 0;
    for (; count < FUNCTION_COUNT; count++) {
        names[count] = functions[count].name;
    }
    names[count] = "pi";
    const char *near = called ? suggest(name, names, count) : suggest(name, names + count, 1);
    text[0] = '\0';
    if (near) {
        snprintf(text, size, "; did you mean '%s'?", near);
    }
}

static void parse_call(parser *p, const function *f, const char *start)
{
    int arguments = 0;
    if (peek(p) != ')') {
        do {
            parse_sum(p);
            arguments++;
            if (f->fold && arguments > 1) {
                emit_two(p, f->two);
            }
        } while (accept(p, ','));
    }
    if (p->failed) {
        return;
    }
    const int wanted = f->one ? 1 : 2;
    if (!accept(p, ')')) {
        char word[64];
        fail(p, p->at, "expected ')' or ',' in %s(...), found %s", f->name, found(p, word, sizeof word));
    } else if (f->fold ? arguments < wanted : arguments != wanted) {
        fail(p, start, "%s takes %s%d argument%s, not %d", f->name, f->fold ? "at least " : "", wanted,
             wanted > 1 ? "s" : "", arguments);
    } else if (f->one) {
        emit_one(p, f->one);
    } else if (!f->fold) {
        emit_two(p, f->two);
    }
}

static void parse_variable(parser *p, const char *name, const char *start)
{
    double constant = 0.0;
    if (strcmp(name, "pi") == 0) {
        emit_number(p, pi);
        return;
    }
    const int meaning = p->lookup ? p->lookup(name, &constant, p->user) : -1;
    if (meaning >= 0) {
        emit(p, (instruction){.code = PUSH_VARIABLE, .variable = meaning});
    } else if (meaning == -2) {
        emit_number(p, constant);
    } else if (find_function(name)) {
        fail(p, start, "'%s' is a function: write %s(...)", name, name);
    } else {
        char hint[64];
        suggest_name(name, false, hint, sizeof hint);
        fail(p, start, "unknown name '%.60s'%s", name, hint);
        snprintf(p->error->name, sizeof p->error->name, "%s", name);
    }
}

static void parse_name(parser *p)
{
    char name[EXPRESSION_NAME_MAX + 1];
    const char *start = p->at;
    if (!scan_name(&p->at, name)) {
        fail(p, start, "a name has more than %d characters", EXPRESSION_NAME_MAX);
        return;
    }
    if (peek(p) != '(') {
        parse_variable(p, name, start);
        return;
    }
    const function *f = find_function(name);
    if (f) {
        p->at++;
        parse_call(p, f, start);
    } else {
        char hint[64];
        suggest_name(name, true, hint, sizeof hint);
        fail(p, start, "unknown function '%.60s'%s", name, hint);
    }
}

static void parse_operand(parser *p)
{
    const char c = peek(p);
    if (is_digit(c) || c == '.') {
        parse_number(p);
    } else if (is_letter(c)) {
        parse_name(p);
    } else if (accept(p, '(')) {
        parse_sum(p);
        if (!p->failed && !accept(p, ')')) {
            char word[64];
            fail(p, p->at, "expected ')', found %s", found(p, word, sizeof word));
        }
    } else {
        char word[64];
        const char *what = found(p, word, sizeof word);
        fail(p, p->at, "expected a number, a name or '(', found %s", what);
    }
}

// All recursion passes here: this is where nesting is counted.
static void parse_sign(parser *p)
{
    if (p->failed) {
        return;
    }
    if (++p->nesting > EXPRESSION_NESTING_MAX) {
        fail(p, p->at, "more than %d levels of nesting", EXPRESSION_NESTING_MAX);
    } else if (accept(p, '-')) {
        parse_sign(p);
        emit_one(p, negate);
    } else if (accept(p, '+')) {
        parse_sign(p);
    } else {
        parse_operand(p);
        if (accept(p, '^')) {
            parse_sign(p);
            emit_two(p, ph_pow);
        }
    }
    p->nesting--;
}

static void parse_product(parser *p)
{
    parse_sign(p);
    for (;;) {
        if (accept(p, '*')) {
            if (*p->at == '*') {
                fail(p, p->at - 1, "'**' is not known: powers are written '^'");
            }
            parse_sign(p);
            emit_two(p, multiply);
        } else if (accept(p, '/')) {
            parse_sign(p);
            emit_two(p, divide);
        } else {
            return;
        }
    }
}

static void parse_sum(parser *p)
{
    parse_product(p);
    for (;;) {
        if (accept(p, '+')) {
            parse_product(p);
            emit_two(p, add);
        } else if (accept(p, '-')) {
            parse_product(p);
            emit_two(p, subtract);
        } else {
            return;
        }
    }
}

// ---- Compiling and evaluating ---------------------------------------------------------------------------------------

expression *expression_compile(const char *text, expression_lookup lookup, void *user, arena *memory,
                               expression_error *error)
{
    *error = (expression_error){0};
    parser p = {.text = text, .at = text, .lookup = lookup, .user = user, .error = error};
    const size_t length = strnlen(text, EXPRESSION_LENGTH_MAX + 1);
    if (length > EXPRESSION_LENGTH_MAX) {
        fail(&p, text, "an expression of more than %d characters", EXPRESSION_LENGTH_MAX);
        return NULL;
    }
    // Every instruction comes from at least one character.
    p.out = arena_alloc(memory, sizeof(expression) + (length + 1) * sizeof(instruction));
    if (!p.out) {
        fail(&p, text, "out of memory");
        return NULL;
    }
    parse_sum(&p);
    if (!p.failed && peek(&p) != '\0') {
        char word[64];
        const char *what = found(&p, word, sizeof word);
        fail(&p, p.at, *p.at == ')' ? "%s without '('" : "expected an operator before %s", what);
    }
    return p.failed ? NULL : p.out;
}

// NOLINTBEGIN(clang-analyzer-core.*): the parser emits nothing that takes more from the stack than lies there.
double expression_value(const expression *e, const double *variables)
{
    double stack[STACK_MAX];
    int top = -1;
    for (const instruction *i = e->program, *end = i + e->count; i < end; i++) {
        switch (i->code) {
        case PUSH_NUMBER:
            stack[++top] = i->number;
            break;
        case PUSH_VARIABLE:
            stack[++top] = variables[i->variable];
            break;
        case APPLY_ONE:
            stack[top] = i->one(stack[top]);
            break;
        case APPLY_TWO:
            top--;
            stack[top] = i->two(stack[top], stack[top + 1]);
            break;
        }
    }
    return stack[0];
}
// NOLINTEND(clang-analyzer-core.*)

// ---- Time derivatives -----------------------------------------------------------------------------------------------

// f(a) with f' and f'' at a: the chain rule. What stands still has no derivative, also where f' is infinite: sqrt(u) at 0.
static expression_jet chain(expression_jet a, double f, double f1, double f2)
{
    if (a.rate == 0.0 && a.second == 0.0) return (expression_jet){f, 0.0, 0.0};
    return (expression_jet){f, f1 * a.rate, f2 * a.rate * a.rate + f1 * a.second};
}

static expression_jet jet_multiply(expression_jet a, expression_jet b)
{
    return (expression_jet){a.value * b.value, a.rate * b.value + a.value * b.rate,
                            a.second * b.value + 2.0 * a.rate * b.rate + a.value * b.second};
}

static expression_jet jet_one(function_one f, expression_jet a)
{
    const double x = a.value, y = f(x), s = 1.0 + x * x, c = 1.0 - x * x;
    if (f == negate) return (expression_jet){-a.value, -a.rate, -a.second};
    if (f == sqrt) return chain(a, y, 0.5 / y, -0.25 / (x * y));
    if (f == fabs) return chain(a, y, x < 0.0 ? -1.0 : 1.0, 0.0);
    if (f == ph_sin) return chain(a, y, ph_cos(x), -y);
    if (f == ph_cos) return chain(a, y, -ph_sin(x), -y);
    if (f == ph_tan) return chain(a, y, 1.0 + y * y, 2.0 * y * (1.0 + y * y));
    if (f == ph_asin) return chain(a, y, 1.0 / sqrt(c), x / (c * sqrt(c)));
    if (f == ph_acos) return chain(a, y, -1.0 / sqrt(c), -x / (c * sqrt(c)));
    if (f == ph_atan) return chain(a, y, 1.0 / s, -2.0 * x / (s * s));
    if (f == ph_exp) return chain(a, y, y, y);
    return chain(a, y, 1.0 / x, -1.0 / (x * x)); // log
}

// a^b: by the power rule where b stands still, else through exp(b log a)
static expression_jet jet_power(expression_jet a, expression_jet b)
{
    const double x = a.value, n = b.value, y = ph_pow(x, n);
    if (b.rate == 0.0 && b.second == 0.0)
        return chain(a, y, n == 0.0 ? 0.0 : n * ph_pow(x, n - 1.0),
                     n * (n - 1.0) == 0.0 ? 0.0 : n * (n - 1.0) * ph_pow(x, n - 2.0));
    const expression_jet exponent = jet_multiply(b, jet_one(ph_log, a));
    return chain(exponent, y, y, y);
}

static expression_jet jet_two(function_two f, expression_jet a, expression_jet b)
{
    if (f == add) return (expression_jet){a.value + b.value, a.rate + b.rate, a.second + b.second};
    if (f == subtract) return (expression_jet){a.value - b.value, a.rate - b.rate, a.second - b.second};
    if (f == multiply) return jet_multiply(a, b);
    if (f == minimum) return a.value < b.value || isnan(a.value) ? a : b;
    if (f == maximum) return a.value > b.value || isnan(a.value) ? a : b;
    if (f == ph_pow) return jet_power(a, b);
    const double x = b.value;
    const expression_jet inverse = chain(b, 1.0 / x, -1.0 / (x * x), 2.0 / (x * x * x));
    expression_jet y = jet_multiply(a, inverse);
    if (f == divide) {
        y.value = a.value / x;
        return y;
    }
    // atan2(a, b)' = (b a' - a b')/N, N = a^2 + b^2
    const double N = a.value * a.value + x * x, S = x * a.rate - a.value * b.rate;
    const double N1 = 2.0 * (a.value * a.rate + x * b.rate), S1 = x * a.second - a.value * b.second;
    if (a.rate == 0.0 && b.rate == 0.0 && a.second == 0.0 && b.second == 0.0)
        return (expression_jet){f(a.value, x), 0.0, 0.0};
    return (expression_jet){f(a.value, x), S / N, S1 / N - S * N1 / (N * N)};
}

expression_jet expression_derivatives(const expression *e, const double *variables, int time)
{
    expression_jet stack[STACK_MAX] = {{0}};
    int top = -1;
    for (const instruction *i = e->program, *end = i + e->count; i < end; i++) {
        switch (i->code) {
        case PUSH_NUMBER:
            stack[++top] = (expression_jet){i->number, 0.0, 0.0};
            break;
        case PUSH_VARIABLE:
            stack[++top] = (expression_jet){variables[i->variable], i->variable == time ? 1.0 : 0.0, 0.0};
            break;
        case APPLY_ONE:
            stack[top] = jet_one(i->one, stack[top]);
            break;
        case APPLY_TWO:
            top--;
            stack[top] = jet_two(i->two, stack[top], stack[top + 1]);
            break;
        }
    }
    return stack[0];
}

bool expression_is_constant(const expression *e)
{
    return e->count == 1 && e->program[0].code == PUSH_NUMBER;
}

bool expression_is_name(const char *text)
{
    char name[EXPRESSION_NAME_MAX + 1];
    const char *end = text;
    if (!is_letter(*text) || !scan_name(&end, name) || *end != '\0') {
        return false;
    }
    return !strchr(text, '.') && strcmp(text, "pi") != 0 && !find_function(text);
}
