// How values of a model file are read: numbers and expressions, vectors, words, names of bodies and joints, and values
// that change in time.

#include "base/suggest.h"
#include "io/model_reader.h"
#include "math/vec3.h"
#include "model/expression.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool one_of(const char *text, const char *const *words)
{
    for (; *words; words++) {
        if (strcasecmp(text, *words) == 0) {
            return true;
        }
    }
    return false;
}

bool node_is_null(const node *n)
{
    static const char *const words[] = {"", "~", "null", NULL};
    return n->kind == NODE_SCALAR && n->plain && one_of(n->text, words);
}

// ---- Expressions ----------------------------------------------------------------------------------------------------

// What an expression may use beside parameters.
typedef struct scope {
    const reader *reader;
    bool in_time; // t, inputs, q.<joint>, qd.<joint>
} scope;

// The joint of q.<joint> and qd.<joint>, NULL for other names.
static const char *joint_part(const char *name)
{
    return strncmp(name, "q.", 2) == 0 ? name + 2 : strncmp(name, "qd.", 3) == 0 ? name + 3 : NULL;
}

static bool varies(const reader *r, const char *name)
{
    return strcmp(name, "t") == 0 || names_find(&r->inputs.names, name) >= 0 ||
           names_find(&r->joint_names, joint_part(name)) >= 0;
}

static int look_up(const char *name, double *constant, void *user)
{
    const scope *s = user;
    const int parameter = names_find(&s->reader->parameters.names, name);
    if (parameter >= 0) {
        *constant = s->reader->parameters.values[parameter];
        return -2;
    }
    return s->in_time && varies(s->reader, name) ? 0 : -1;
}

// Why a name is unknown: it means something elsewhere, or is near to one that is known.
static hint_text hint_name(const reader *r, const char *name, bool in_time)
{
    hint_text h = {{0}};
    if (!*name) {
        return h;
    }
    const node *declared = node_find(node_find(r->document->root, "parameters"), name);
    const char *joint = joint_part(name);
    if (declared) {
        snprintf(h.text, sizeof h.text, "a parameter may use only those that stand before it");
    } else if (!in_time && varies(r, name)) {
        snprintf(h.text, sizeof h.text, "it may change in time, a constant is needed here");
    } else if (in_time && joint) {
        const char *near = suggest(joint, r->joint_names.names, r->joint_count);
        h = hint_words("", r->joint_names.names, r->joint_count, "the joints are");
        if (near) {
            snprintf(h.text, sizeof h.text, "did you mean '%.*s%.100s'?", (int)(joint - name), name, near);
        }
    } else {
        h = hint_words(name, r->parameters.names.names, r->parameters.count, "the parameters are");
        if (r->parameters.count == 0) {
            snprintf(h.text, sizeof h.text, "named constants stand under 'parameters:'");
        }
    }
    return h;
}

// Numbers that YAML and people write and that a model cannot use.
static bool is_not_finite(const char *text)
{
    static const char *const words[] = {".nan", "nan", ".inf", "inf", "infinity", NULL};
    return one_of(text + (*text == '-' || *text == '+'), words);
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9') || c == '.';
}

// A plain number needs no program: most values are one.
static bool plain_number(const char *text, double *value)
{
    const bool minus = *text == '-';
    const char *start = text + (minus || *text == '+'), *end;
    const double number = expression_number(start, &end);
    *value = minus ? -number : number;
    return end > start && *end == '\0' && isfinite(number);
}

// "max(1" and "2)" are what YAML makes of [max(1, 2)].
static const char *const point_hint = "numbers have a decimal point, not a comma";
static const char *const comma_hint = "expressions with a comma need quotes inside [ ] and { }";

static bool is_cut_call(const node *n)
{
    const char *open = n->kind == NODE_SCALAR && n->plain ? strchr(n->text, '(') : NULL;
    return open && open > n->text && is_word(open[-1]) && !strchr(open, ')');
}

// Compiles the text of a scalar. NULL after a mistake.
static expression *compile_node(reader *r, const node *n, const char *expected, scope *s)
{
    static const char *const booleans[] = {"true", "false", NULL};
    if (n->kind != NODE_SCALAR || node_is_null(n) || (n->plain && one_of(n->text, booleans))) {
        fail_kind(r, n, expected);
        return NULL;
    }
    if (is_not_finite(n->text)) {
        fail(r, n, NULL, "'%s' is not a finite number", n->text);
        return NULL;
    }
    if (strlen(n->text) > READER_EXPRESSION_MAX) {
        fail(r, n, NULL, "an expression of more than %d characters", READER_EXPRESSION_MAX);
        return NULL;
    }
    expression_error error;
    expression *e = expression_compile(n->text, look_up, s, r->document->memory, &error);
    if (!e) {
        const hint_text h = hint_name(r, error.name, s->in_time);
        const bool comma = n->text[error.position] == ',', cut = is_cut_call(n);
        fail_in(r, n, error.position, comma ? point_hint : cut ? comma_hint : h.text, "%s", error.text);
    }
    return e;
}

bool node_number(reader *r, const node *n, double *to)
{
    if (n->kind == NODE_SCALAR && plain_number(n->text, to)) {
        return true;
    }
    scope s = {r, false};
    const expression *e = compile_node(r, n, "a number", &s);
    if (!e) {
        return false;
    }
    const double value = expression_value(e, NULL);
    if (!isfinite(value)) {
        return fail(r, n, NULL, "'%s' is not a finite number", n->text);
    }
    *to = value;
    return true;
}

bool text_number(reader *r, const char *where, const char *text, double *to)
{
    scope s = {r, false};
    expression_error error;
    const expression *e = expression_compile(text, look_up, &s, r->document->memory, &error);
    if (!e) {
        return fail(r, NULL, hint_name(r, error.name, false).text, "%s: %s", where, error.text);
    }
    *to = expression_value(e, NULL);
    return isfinite(*to) || fail(r, NULL, NULL, "%s: not a finite number", where);
}

// ---- Values that change in time -------------------------------------------------------------------------------------

void number_text(double number, char text[32])
{
    char full[32];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(full, sizeof full, "%.*g", digits, fabs(number));
        // The point of the locale, whatever its bytes, becomes ".".
        char *to = text;
        if (number < 0.0) {
            *to++ = '-';
        }
        for (const char *s = full; *s; s++) {
            if (strchr("0123456789e+-", *s)) {
                *to++ = *s;
            } else if (to == text || to[-1] != '.') {
                *to++ = '.';
            }
        }
        *to = '\0';
        double back;
        if (plain_number(text, &back) && back == number) {
            return;
        }
    }
}

// Copies the number or name at *from to *to, a parameter by its value.
static void bind_word(const reader *r, const char **from, char **to)
{
    const char *end;
    expression_number(*from, &end);
    if (end == *from) {
        while (is_word(*end)) {
            end++;
        }
    }
    const size_t length = (size_t)(end - *from);
    char name[EXPRESSION_NAME_MAX + 1] = "", value[32];
    double number = 0.0;
    if (length <= EXPRESSION_NAME_MAX) {
        memcpy(name, *from, length);
    }
    if (look_up(name, &number, &(scope){r, false}) == -2) {
        number_text(number, value);
        *to += sprintf(*to, number < 0.0 ? "(%s)" : "%s", value);
    } else {
        memcpy(*to, *from, length);
        *to += length;
    }
    *from = end;
}

// The expression with parameters replaced by their values, so that it can be read without them. Each character becomes
// at most 26: a name of one letter, "(-1.2345678901234567e-100)".
static const char *bind_parameters(const reader *r, const char *text)
{
    char *bound = arena_alloc(r->document->memory, 26 * strlen(text) + 1);
    char *to = bound;
    while (bound && *text) {
        if (is_word(*text)) {
            bind_word(r, &text, &to);
        } else {
            *to++ = *text++;
        }
    }
    return bound;
}

bool read_value(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    ph_value *value = to;
    if (n->kind == NODE_SCALAR && plain_number(n->text, &value->number)) {
        return true;
    }
    scope s = {r, true};
    const expression *e = compile_node(r, n, "a number or an expression", &s);
    if (!e) {
        return false;
    }
    if (!expression_is_constant(e)) {
        value->expression = bind_parameters(r, n->text);
        r->out_of_memory = r->out_of_memory || !value->expression;
        return true;
    }
    value->number = expression_value(e, NULL);
    return isfinite(value->number) || fail(r, n, NULL, "'%s' is not a finite number", n->text);
}

bool read_values3(reader *r, const node *n, const field *f, void *to)
{
    if (n->kind != NODE_LIST || n->count != 3) {
        return fail_kind(r, n, "a list of 3 numbers or expressions");
    }
    const int errors = r->errors;
    for (int i = 0; i < 3; i++) {
        const size_t length = path_enter_index(r, i);
        read_value(r, n->entries[i].value, f, (ph_value *)to + i);
        path_leave(r, length);
    }
    return r->errors == errors;
}

// ---- Numbers and vectors --------------------------------------------------------------------------------------------

static bool check_rule(reader *r, const node *n, const field *f, double value)
{
    if (f->rule == POSITIVE && value <= 0.0) {
        return fail(r, n, NULL, "%s is %g, it must be positive", f->key, value);
    }
    if (f->rule == NOT_NEGATIVE && value < 0.0) {
        return fail(r, n, NULL, "%s is %g, it must not be negative", f->key, value);
    }
    return true;
}

bool read_number(reader *r, const node *n, const field *f, void *to)
{
    return node_number(r, n, to) && check_rule(r, n, f, *(double *)to);
}

bool read_integer(reader *r, const node *n, const field *f, void *to)
{
    double number = 0.0;
    if (!node_number(r, n, &number)) {
        return false;
    }
    if (number != trunc(number) || fabs(number) > 1e9) {
        return fail(r, n, NULL, "expected a whole number, found %.9g", number);
    }
    *(int *)to = (int)number;
    return check_rule(r, n, f, number);
}

bool node_numbers(reader *r, const node *list, double *to, int count)
{
    if (list->kind == NODE_LIST && list->count != count) {
        const char *hint = NULL;
        for (int i = 0; i < list->count; i++) {
            hint = is_cut_call(list->entries[i].value) ? comma_hint : hint;
        }
        return fail(r, list, hint, "expected a list of %d numbers, found a list of %d", count, list->count);
    }
    if (list->kind != NODE_LIST) {
        char expected[40];
        snprintf(expected, sizeof expected, "a list of %d numbers", count);
        return fail_kind(r, list, expected);
    }
    const int errors = r->errors;
    for (int i = 0; i < count; i++) {
        const size_t length = path_enter_index(r, i);
        node_number(r, list->entries[i].value, &to[i]);
        path_leave(r, length);
    }
    return r->errors == errors;
}

bool read_numbers(reader *r, const node *n, const field *f, void *to)
{
    return node_numbers(r, n, to, f->count);
}

bool read_vector(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    double v[3] = {0};
    if (!node_numbers(r, n, v, 3)) {
        return false;
    }
    *(ph_vec3 *)to = ph_vec(v[0], v[1], v[2]);
    return true;
}

// Axes of coordinates go by their letter.
bool read_direction(reader *r, const node *n, const field *f, void *to)
{
    ph_vec3 *v = to;
    if (n->kind == NODE_SCALAR) {
        static const char *const axes[] = {"x", "y", "z", "-x", "-y", "-z", NULL};
        int axis = 0;
        if (!node_choice(r, n, "axis", axes, &axis)) {
            return false;
        }
        const double sign = axis < 3 ? 1.0 : -1.0;
        *v = ph_scale(sign, ph_vec(axis % 3 == 0, axis % 3 == 1, axis % 3 == 2));
        return true;
    }
    return read_vector(r, n, f, to) && (ph_max_abs(*v) > 0.0 || fail(r, n, "any length but zero will do",
                                                                     "%s is zero, so it has no direction", f->key));
}

// ---- Words ----------------------------------------------------------------------------------------------------------

bool read_bool(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    static const char *const yes[] = {"true", NULL}, *const no[] = {"false", NULL};
    const bool plain = n->kind == NODE_SCALAR && n->plain;
    if (!plain || !(one_of(n->text, yes) || one_of(n->text, no))) {
        return fail_kind(r, n, "true or false");
    }
    *(bool *)to = one_of(n->text, yes);
    return true;
}

bool node_text(reader *r, const node *n, const char *expected, const char **to)
{
    if (n->kind != NODE_SCALAR || node_is_null(n)) {
        return fail_kind(r, n, expected);
    }
    *to = n->text;
    return true;
}

bool read_text(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    return node_text(r, n, "a text", to);
}

bool node_choice(reader *r, const node *n, const char *what, const char *const *words, int *to)
{
    const char *text = NULL;
    if (!node_text(r, n, "a word", &text)) {
        return false;
    }
    int count = 0;
    for (; words[count]; count++) {
        if (strcmp(words[count], text) == 0) {
            *to = count;
            return true;
        }
    }
    return fail(r, n, hint_words(text, words, count, "expected one of").text, "unknown %s '%.60s'", what, text);
}

bool read_later(reader *r, const node *n, const field *f, void *to)
{
    (void)r, (void)n, (void)f, (void)to;
    return true;
}

// ---- Bodies and joints by name --------------------------------------------------------------------------------------

bool read_body(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    const char *name = NULL;
    if (!node_text(r, n, "the name of a body", &name)) {
        return false;
    }
    const int index = strcmp(name, "world") == 0 ? PH_WORLD : names_find(&r->body_names, name);
    if (index == PH_NONE) {
        return fail(r, n, hint_words(name, r->body_names.names, r->body_count, "the bodies are world,").text,
                    "there is no body '%.60s'", name);
    }
    *(int *)to = index;
    return true;
}

bool read_joint(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    const char *name = NULL;
    if (!node_text(r, n, "the name of a joint", &name)) {
        return false;
    }
    const int index = names_find(&r->joint_names, name);
    if (index == PH_NONE) {
        return fail(r, n, hint_words(name, r->joint_names.names, r->joint_count, "the joints are").text,
                    "there is no joint '%.60s'", name);
    }
    *(int *)to = index;
    return true;
}

static bool read_pair(reader *r, const node *n, field_reader read, const char *expected, int *to)
{
    if (n->kind != NODE_LIST || n->count != 2) {
        return fail_kind(r, n, expected);
    }
    const int errors = r->errors;
    for (int i = 0; i < 2; i++) {
        const size_t length = path_enter_index(r, i);
        read(r, n->entries[i].value, NULL, &to[i]);
        path_leave(r, length);
    }
    return r->errors == errors;
}

bool read_bodies(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    return read_pair(r, n, read_body, "a list of 2 bodies", to);
}

bool read_joints(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    return read_pair(r, n, read_joint, "a list of 2 joints", to);
}
