// Values of expressions: numbers, lists, and programs of what changes in time.

#include "io/model/formula_view.h"

#include "base/suggest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

// ---- Values ---------------------------------------------------------------------------------------------------------

// What the parser cannot know: numbers with a comma, calls that YAML has cut.
static const char *const point_hint = "numbers have a decimal point, not a comma";
static const char *const comma_hint = "expressions with a comma need quotes inside [ ] and { }";

static bool is_cut_call(const node *n)
{
    const char *open = n && n->kind == NODE_SCALAR && n->plain ? strchr(n->text, '(') : NULL;
    return open && open > n->text && (is_letter(open[-1]) || is_digit(open[-1])) && !strchr(open, ')');
}

static const char *nearest_unit(const char *text)
{
    char word[16];
    int count = 0, length = 0;
    while (unit_names[count]) {
        count++;
    }
    while (is_letter(text[length]) && length < 15) {
        word[length] = text[length];
        length++;
    }
    word[length] = '\0';
    return length > 1 ? suggest(word, unit_names, count) : NULL;
}

static void tell_error(view *v, const rewriter *w, const expression_error *error, int offset)
{
    if (*error->name && v->in_time && v->reader->part_missing) return; // as fail_unknown
    const int at = w->map[error->position < (int)w->used ? error->position : (int)w->used];
    const bool comma = w->text[at] == ',', cut = is_cut_call(v->node);
    const bool word = strncmp(error->text, "expected an operator", 20) == 0 && is_letter(w->text[at]);
    const char *unit_word = word ? nearest_unit(w->text + at) : NULL;
    hint_text h = view_hint(v, error->name);
    if (word && !*h.text) {
        snprintf(h.text, sizeof h.text,
                 "is a unit meant? there are um mm cm dm m km in ft, deg rad rpm, kg g, s ms, N Nm and so on");
    }
    if (unit_word) {
        snprintf(h.text, sizeof h.text, "is a unit meant? there is '%s'", unit_word);
    }
    view_complain(v, offset + at, comma ? point_hint : cut ? comma_hint : h.text, "%s", error->text);
}

static expression *compile(view *v, const rewriter *w, int offset)
{
    expression_error error;
    expression *e = expression_compile(w->out, view_look_up, v, v->reader->document->memory, &error);
    if (!e) {
        tell_error(v, w, &error, offset);
    }
    return e;
}

// A name alone stands for its value as it is, lists of lists and texts included.
static bool is_name_alone(view *v, const char *text, constant *to)
{
    char name[EXPRESSION_NAME_MAX + 1];
    const size_t length = strlen(text);
    size_t from = strspn(text, " "), to_end = length;
    while (to_end > from && text[to_end - 1] == ' ') {
        to_end--;
    }
    if (to_end - from == 0 || to_end - from > EXPRESSION_NAME_MAX) {
        return false;
    }
    memcpy(name, text + from, to_end - from);
    name[to_end - from] = '\0';
    constant room;
    const constant *c = view_find(v, name, &room);
    if (c) {
        *to = *c;
    }
    return c;
}

static bool evaluate_list(view *v, const rewriter *w, int offset, constant *to)
{
    enum { LONGEST = 1024 };
    double numbers[LONGEST];
    const int count = v->list_count;
    if (v->lists_differ || count > LONGEST) {
        return view_complain(v, offset, NULL,
                             v->lists_differ ? "lists of different lengths do not go together"
                                             : "the list is too long to calculate with");
    }
    for (int k = 0; k < count; k++) {
        v->component = k;
        const expression *e = compile(v, w, offset);
        if (!e) {
            return false;
        }
        numbers[k] = expression_value(e, NULL);
        if (!isfinite(numbers[k])) {
            return view_complain(v, offset, NULL, "entry %d of '%s' is not a finite number", k, w->text);
        }
    }
    return make_list(v->reader, numbers, count, to);
}

// `offset` of `text` in the text of the node.
bool view_evaluate(view *v, const char *text, int offset, constant *to)
{
    rewriter w;
    if (is_name_alone(v, text, to)) {
        return true;
    }
    if (!rewriter_run(v, text, &w)) {
        return false;
    }
    if (is_name_alone(v, w.out, to)) { // a list that an index or a function gave
        return true;
    }
    const expression *e = compile(v, &w, offset);
    if (!e) {
        return false;
    }
    if (v->list_count > 0) {
        return evaluate_list(v, &w, offset, to);
    }
    *to = (constant){.kind = CONSTANT_NUMBER, .number = expression_value(e, NULL)};
    return isfinite(to->number) || view_complain(v, offset, NULL, "'%s' is not a finite number", text);
}

// ---- Nodes ----------------------------------------------------------------------------------------------------------

bool plain_number(const char *text, double *value)
{
    const bool minus = *text == '-';
    const char *start = text + (minus || *text == '+'), *end;
    const double number = expression_number(start, &end);
    *value = minus ? -number : number;
    return end > start && *end == '\0' && isfinite(number);
}

// Numbers that YAML and people write and that a model cannot use.
static bool is_not_finite(const char *text)
{
    static const char *const words[] = {".nan", "nan", ".inf", "inf", "infinity"};
    text += *text == '-' || *text == '+';
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        if (strcasecmp(text, words[k]) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_boolean(const node *n)
{
    return n->plain && (strcasecmp(n->text, "true") == 0 || strcasecmp(n->text, "false") == 0);
}

// Whether the node can hold an expression at all.
static bool check_node(reader *r, const node *n, const char *expected)
{
    if (n->kind != NODE_SCALAR || node_is_null(n) || is_boolean(n)) {
        return fail_kind(r, n, expected);
    }
    if (is_not_finite(n->text)) {
        return fail(r, n, NULL, "'%s' is not a finite number", n->text);
    }
    if (strlen(n->text) > READER_EXPRESSION_MAX) {
        return fail(r, n, NULL, "an expression of more than %d characters", READER_EXPRESSION_MAX);
    }
    return true;
}

static bool list_of_nodes(reader *r, const node *n, constant *to)
{
    constant *items = arena_alloc_array(r->document->memory, (size_t)n->count, sizeof *items);
    r->out_of_memory = r->out_of_memory || !items;
    bool read = items;
    for (int i = 0; items && i < n->count; i++) {
        const size_t length = path_enter_index(r, i);
        read = formula_constant(r, n->entries[i].value, &items[i]) && read;
        path_leave(r, length);
    }
    *to = (constant){.kind = CONSTANT_LIST, .count = n->count, .items = items};
    return read;
}

static bool constant_of(reader *r, const node *n, constant *to)
{
    if (n->kind == NODE_LIST) {
        return list_of_nodes(r, n, to);
    }
    view v = {.reader = r, .node = n, .scope = n->scope, .component = -1};
    return check_node(r, n, "a number") && view_evaluate(&v, n->text, 0, to);
}

bool formula_constant(reader *r, const node *n, constant *to)
{
    const int before = r->touched;
    *to = (constant){.kind = CONSTANT_NUMBER};
    if (n->kind == NODE_SCALAR && plain_number(n->text, &to->number)) {
        return true;
    }
    const bool read = constant_of(r, n, to);
    to->varies = r->touched > before;
    return read;
}

bool formula_is_list(reader *r, const node *n, const char **why_not)
{
    constant value;
    view v = {.reader = r, .node = n, .scope = n->scope, .component = -1, .quiet = true};
    const bool is_list = n->kind == NODE_SCALAR && *n->text && strlen(n->text) <= READER_EXPRESSION_MAX &&
                         view_evaluate(&v, n->text, 0, &value) && value.kind == CONSTANT_LIST;
    if (why_not) {
        *why_not = v.lists_differ ? "lists of different lengths do not go together" : NULL;
    }
    return is_list;
}

bool formula_text(reader *r, const char *where, const char *text, constant *to)
{
    view v = {.reader = r, .component = -1, .where = where};
    const size_t length = strlen(text);
    if (length < 2 || text[0] != '[' || text[length - 1] != ']') {
        return view_evaluate(&v, text, 0, to);
    }
    enum { LONGEST = 64 };
    double numbers[LONGEST];
    int count = 0;
    for (const char *at = text + 1; at < text + length && count < LONGEST;) {
        char piece[128];
        constant value;
        const size_t size = strcspn(at, ",]");
        snprintf(piece, sizeof piece, "%.*s", (int)size, at);
        if (!view_evaluate(&v, piece, 0, &value) || value.kind != CONSTANT_NUMBER) {
            return false;
        }
        numbers[count++] = value.number;
        at += size + 1;
    }
    return make_list(r, numbers, count, to);
}

// ---- Values that change in time -------------------------------------------------------------------------------------

// The text with constants as numbers and names as the whole model knows them.
static const char *bind(view *v, const char *text)
{
    const size_t room = (SCOPE_NAME_MAX + 8) * strlen(text) + 1;
    char *bound = arena_alloc(v->reader->document->memory, room), *to = bound;
    while (bound && *text) {
        char name[EXPRESSION_NAME_MAX + 1], full[SCOPE_NAME_MAX + 8], digits[32];
        const char *end;
        constant here;
        expression_number(text, &end);
        if (end > text || !is_letter(*text)) {
            end = end > text ? end : text + 1;
            memcpy(to, text, (size_t)(end - text));
            to += end - text;
            text = end;
            continue;
        }
        while (is_letter(*end) || is_digit(*end) || (*end == '.' && is_letter(end[1]))) {
            end++;
        }
        snprintf(name, sizeof name, "%.*s", (int)(end - text), text);
        const constant *c = view_find(v, name, &here);
        const char *meant = c ? NULL : view_name_in_time(v, name, full);
        if (c) {
            number_text(c->number, digits);
            to += sprintf(to, c->number < 0.0 ? "(%s)" : "%s", digits);
        } else {
            to += sprintf(to, "%s", meant ? meant : name);
        }
        text = end;
    }
    return bound;
}

expression *formula_in_time(reader *r, const node *n, const char **bound)
{
    view v = {.reader = r, .node = n, .scope = n->scope, .in_time = true, .component = -1};
    rewriter w;
    if (!check_node(r, n, "a number or an expression") || !rewriter_run(&v, n->text, &w)) {
        return NULL;
    }
    expression *e = compile(&v, &w, 0);
    if (e && v.list_count > 0) {
        fail(r, n, "choose an entry: name.x or name[0]", "expected a number or an expression, found a list");
        return NULL;
    }
    *bound = e ? bind(&v, w.out) : NULL;
    r->out_of_memory = r->out_of_memory || (e && !*bound);
    return e;
}
