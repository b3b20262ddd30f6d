// How values of a model file are read: numbers and expressions, vectors, words, names of bodies and joints, and values
// that change in time.

#include "io/model/formula.h"
#include "math/vec3.h"

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

// ---- Numbers --------------------------------------------------------------------------------------------------------

bool node_number(reader *r, const node *n, double *to)
{
    constant value;
    if (n->kind == NODE_SCALAR && plain_number(n->text, to)) {
        return true;
    }
    if (n->kind == NODE_LIST) {
        return fail_kind(r, n, "a number");
    }
    if (!formula_constant(r, n, &value)) {
        return false;
    }
    if (value.kind != CONSTANT_NUMBER) {
        return fail(r, n, value.kind == CONSTANT_LIST ? "choose an entry: name.x or name[0]" : NULL,
                    value.kind == CONSTANT_LIST ? "expected a number, found a list of %d"
                                                : "expected a number, found a text",
                    value.count);
    }
    *to = value.number;
    return true;
}

bool text_number(reader *r, const char *where, const char *text, double *to)
{
    constant value;
    if (!formula_text(r, where, text, &value)) {
        return false;
    }
    *to = value.number;
    return value.kind == CONSTANT_NUMBER || fail(r, NULL, NULL, "%s: expected a number", where);
}

// A list of constants as a node, so that lists that have a name read like those that are written out.
static const node *node_of(reader *r, const node *at, const constant *value)
{
    node *n = arena_alloc(r->document->memory, sizeof *n);
    if (!n) {
        r->out_of_memory = true;
        return at;
    }
    *n =
        (node){.kind = NODE_SCALAR, .plain = true, .line = at->line, .column = at->column, .file = at->file, .size = 1};
    n->scope = at->scope;
    if (value->kind == CONSTANT_LIST) {
        n->kind = NODE_LIST;
        n->count = value->count;
        n->entries = arena_alloc_array(r->document->memory, (size_t)value->count, sizeof *n->entries);
        for (int i = 0; n->entries && i < value->count; i++) {
            n->entries[i].value = node_of(r, at, &value->items[i]);
        }
        r->out_of_memory = r->out_of_memory || !n->entries;
        return n->entries ? n : at;
    }
    char digits[32];
    number_text(value->number, digits);
    n->text = arena_copy_string(r->document->memory, value->kind == CONSTANT_TEXT ? value->text : digits);
    r->out_of_memory = r->out_of_memory || !n->text;
    return n->text ? n : at;
}

const node *node_list(reader *r, const node *n)
{
    constant value;
    return formula_is_list(r, n, NULL) && formula_constant(r, n, &value) ? node_of(r, n, &value) : n;
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

bool read_value(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    ph_value *value = to;
    if (n->kind == NODE_SCALAR && plain_number(n->text, &value->number)) {
        return true;
    }
    const char *bound;
    const expression *e = formula_in_time(r, n, &bound);
    if (!e) {
        return false;
    }
    if (!expression_is_constant(e)) {
        value->expression = bound;
        return true;
    }
    value->number = expression_value(e, NULL);
    return isfinite(value->number) || fail(r, n, NULL, "'%s' is not a finite number", n->text);
}

bool read_values3(reader *r, const node *n, const field *f, void *to)
{
    n = node_list(r, n);
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

// "max(1" and "2)" are what YAML makes of [max(1, 2)].
static bool is_cut_call(const node *n)
{
    const char *open = n->kind == NODE_SCALAR && n->plain ? strchr(n->text, '(') : NULL;
    return open && open > n->text && open[-1] != ' ' && !strchr(open, ')');
}

bool node_numbers(reader *r, const node *list, double *to, int count)
{
    list = node_list(r, list);
    if (list->kind == NODE_LIST && list->count != count) {
        const char *hint = NULL;
        for (int i = 0; i < list->count; i++) {
            hint =
                is_cut_call(list->entries[i].value) ? "expressions with a comma need quotes inside [ ] and { }" : hint;
        }
        return fail(r, list, hint, "expected a list of %d numbers, found a list of %d", count, list->count);
    }
    if (list->kind != NODE_LIST) {
        char expected[40];
        const char *hint = NULL;
        formula_is_list(r, list, &hint);
        snprintf(expected, sizeof expected, "a list of %d numbers", count);
        return hint ? fail(r, list, hint, "expected %s, found '%.60s'", expected, list->text)
                    : fail_kind(r, list, expected);
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
    if (n->kind == NODE_SCALAR && !formula_is_list(r, n, NULL)) {
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
    char room[SCOPE_NAME_MAX + 1];
    const char *full = scope_resolve(n->scope, name, room);
    const int index = strcmp(full, "world") == 0 ? PH_WORLD : names_find(&r->body_names, full);
    if (index == PH_NONE) {
        return fail_unknown(r, n, hint_words(name, r->body_names.names, r->body_count, "the bodies are world,").text,
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
    char room[SCOPE_NAME_MAX + 1];
    const int index = names_find(&r->joint_names, scope_resolve(n->scope, name, room));
    if (index == PH_NONE) {
        return fail_unknown(r, n, hint_words(name, r->joint_names.names, r->joint_count, "the joints are").text,
                            "there is no joint '%.60s'", name);
    }
    *(int *)to = index;
    return true;
}

bool node_named(reader *r, const node *n, const char *what, const names *known, int count, int *to)
{
    const char *name = NULL;
    char room[SCOPE_NAME_MAX + 1], expected[64], list[64];
    snprintf(expected, sizeof expected, "the name of a %s", what);
    snprintf(list, sizeof list, "the %ss are", what);
    if (!node_text(r, n, expected, &name)) {
        return false;
    }
    const int index = names_find(known, scope_resolve(n->scope, name, room));
    if (index == PH_NONE) {
        return fail_unknown(r, n, hint_words(name, known->names, count, list).text, "there is no %s '%.60s'", what,
                            name);
    }
    *to = index;
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
