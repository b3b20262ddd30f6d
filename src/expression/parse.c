// Expressions: a recursive descent parser that writes a program for a stack machine.

#include "expression/program.h"

#include "base/suggest.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

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

// Where the next word begins.
static const char *place(parser *p)
{
    peek(p);
    return p->at;
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

// An instruction whose operands are numbers is carried out at once, so that an expression without variables is always one
// number, made by the very functions that evaluation uses.
static void emit(parser *p, instruction i)
{
    p->out->program[p->out->count++] = i;
}

static void emit_number(parser *p, double number, const char *at)
{
    emit(p, (instruction){.code = PUSH_NUMBER, .at = (int)(at - p->text), .number = number});
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

static void emit_operation(parser *p, instruction i, const char *at)
{
    if (p->failed) {
        return;
    }
    i.at = (int)(at - p->text);
    const int operands = takes_two(&i) ? 2 : 1;
    instruction *a = numbers(p, operands);
    if (!a) {
        emit(p, i);
        return;
    }
    const double number = expression_apply(&i, a[0].number, operands == 2 ? a[1].number : 0.0);
    if (!isfinite(number) && isfinite(a[0].number)) {
        a->at = i.at; // where it went wrong
    }
    a->number = number;
    p->out->count -= operands - 1;
}

static void emit_operator(parser *p, opcode code, const char *at)
{
    emit_operation(p, (instruction){.code = (int)code}, at);
}

static void emit_call(parser *p, const function *f, const char *at)
{
    emit_operation(p, (instruction){.code = APPLY, .function = f}, at);
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
        emit_number(p, number, start);
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
    const char *names[64];
    int count = 0;
    for (; expression_functions[count].name && count < 63; count++) {
        names[count] = expression_functions[count].name;
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
                emit_call(p, f, start);
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
    } else if (!f->fold) {
        emit_call(p, f, start);
    }
}

static void parse_variable(parser *p, const char *name, const char *start)
{
    double constant = 0.0;
    if (strcmp(name, "pi") == 0) {
        emit_number(p, pi, start);
        return;
    }
    const int meaning = p->lookup ? p->lookup(name, &constant, p->user) : -1;
    if (meaning >= 0) {
        emit(p, (instruction){.code = PUSH_VARIABLE, .at = (int)(start - p->text), .variable = meaning});
    } else if (meaning == -2) {
        emit_number(p, constant, start);
    } else if (expression_find_function(name)) {
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
    const function *f = expression_find_function(name);
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
        const char *at = p->at - 1;
        parse_sign(p);
        emit_operator(p, NEGATE, at);
    } else if (accept(p, '+')) {
        parse_sign(p);
    } else {
        parse_operand(p);
        if (accept(p, '^')) {
            const char *at = p->at - 1;
            parse_sign(p);
            emit_call(p, &expression_power, at);
        }
    }
    p->nesting--;
}

static void parse_product(parser *p)
{
    parse_sign(p);
    for (;;) {
        const char *at = place(p);
        if (accept(p, '*')) {
            if (*p->at == '*') {
                fail(p, p->at - 1, "'**' is not known: powers are written '^'");
            }
            parse_sign(p);
            emit_operator(p, MULTIPLY, at);
        } else if (accept(p, '/')) {
            parse_sign(p);
            emit_operator(p, DIVIDE, at);
        } else {
            return;
        }
    }
}

static void parse_sum(parser *p)
{
    parse_product(p);
    for (;;) {
        const char *at = place(p);
        if (accept(p, '+')) {
            parse_product(p);
            emit_operator(p, ADD, at);
        } else if (accept(p, '-')) {
            parse_product(p);
            emit_operator(p, SUBTRACT, at);
        } else {
            return;
        }
    }
}

// ---- Compiling ------------------------------------------------------------------------------------------------------

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

bool expression_is_name(const char *text)
{
    char name[EXPRESSION_NAME_MAX + 1];
    const char *end = text;
    if (!is_letter(*text) || !scan_name(&end, name) || *end != '\0') {
        return false;
    }
    const function *f = expression_find_function(text);
    return !strchr(text, '.') && strcmp(text, "pi") != 0 && (!f || f->shared);
}
