// Rewriting expressions for the parser: units, degrees, indices and functions of lists become numbers and plain names.

#include "io/model/formula_view.h"

#include "math/vec3.h"

#include <stdio.h>
#include <string.h>

// ---- Rewriting: units, degrees, indices, functions of lists ---------------------------------------------------------

static void put(rewriter *w, const char *text, size_t length, int from)
{
    for (size_t i = 0; i < length && w->used + 1 < w->room; i++) {
        w->map[w->used] = from;
        w->out[w->used++] = text[i];
    }
    w->failed |= w->used + 1 >= w->room;
}

static void put_text(rewriter *w, const char *text, int from)
{
    put(w, text, strlen(text), from);
}

static int skip_spaces(const char *text, int at, int end)
{
    while (at < end && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r')) {
        at++;
    }
    return at;
}

int close_of(const char *text, int at, int end)
{
    int depth = 0;
    for (int i = at; i < end; i++) {
        depth += text[i] == '(' || text[i] == '[';
        depth -= text[i] == ')' || text[i] == ']';
        if (depth == 0) {
            return i + 1;
        }
    }
    return -1;
}

static void rewrite(rewriter *w, int at, int end);

// The value of a piece of the text.
bool evaluate_piece(rewriter *w, int at, int end, constant *to)
{
    char *piece = arena_alloc(w->view->reader->document->memory, (size_t)(end - at) + 1);
    if (!piece) {
        w->view->reader->out_of_memory = true;
        return false;
    }
    memcpy(piece, w->text + at, (size_t)(end - at));
    view inner = {.reader = w->view->reader,
                  .node = w->view->node,
                  .scope = w->view->scope,
                  .component = -1,
                  .where = w->view->where,
                  .quiet = w->view->quiet};
    return view_evaluate(&inner, piece, at, to);
}

// A value that was found, as a number or as a name of its own.
static void put_constant(rewriter *w, const constant *c, int from)
{
    char text[40], digits[32];
    view *v = w->view;
    if (c->kind == CONSTANT_NUMBER) {
        number_text(c->number, digits);
        snprintf(text, sizeof text, "(%s)", digits);
    } else if (v->extra_count < EXTRA_MAX) {
        v->extra[v->extra_count] = *c;
        snprintf(text, sizeof text, "_%d", v->extra_count++);
    } else {
        w->failed = !view_complain(v, from, NULL, "too many lists in one expression");
        return;
    }
    put_text(w, text, from);
}

// name[i], name(i), name[i][j], name[i].x: from the bracket at `at`. Returns where it ends.
static int rewrite_index(rewriter *w, const constant *list, int start, int at, int end)
{
    const constant *found = list;
    while (at < end && (w->text[at] == '[' || w->text[at] == '(') && found->kind == CONSTANT_LIST) {
        const int close = close_of(w->text, at, end);
        constant index;
        if (close < 0) {
            w->failed = !view_complain(w->view, at, NULL, "a bracket that is not closed");
            return end;
        }
        if (!evaluate_piece(w, at + 1, close - 1, &index)) {
            w->failed = true;
            return end;
        }
        if (index.kind != CONSTANT_NUMBER || index.number != rint(index.number) || index.number < 0.0 ||
            index.number >= found->count) {
            w->failed =
                !view_complain(w->view, at, "entries are counted from 0", "the list has no entry %.9g: it has %d",
                               index.kind == CONSTANT_NUMBER ? index.number : (double)NAN, found->count);
            return end;
        }
        found = &found->items[(int)index.number];
        at = close;
    }
    if (at + 1 < end && w->text[at] == '.' && w->text[at + 1] >= 'x' && w->text[at + 1] <= 'z' &&
        found->kind == CONSTANT_LIST && w->text[at + 1] - 'x' < found->count) {
        found = &found->items[w->text[at + 1] - 'x'];
        at += 2;
    }
    put_constant(w, found, start);
    return at;
}

// ---- Functions of lists

static bool is_vector(const constant *c)
{
    for (int i = 0; c->kind == CONSTANT_LIST && i < c->count; i++) {
        if (c->items[i].kind != CONSTANT_NUMBER) {
            return false;
        }
    }
    return c->kind == CONSTANT_LIST;
}

static double inner_product(const constant *a, const constant *b)
{
    double sum = 0.0;
    for (int i = 0; i < a->count; i++) {
        sum += a->items[i].number * b->items[i].number;
    }
    return sum;
}

bool make_list(reader *r, const double *numbers, int count, constant *to)
{
    constant *items = arena_alloc_array(r->document->memory, (size_t)count, sizeof *items);
    r->out_of_memory = r->out_of_memory || !items;
    for (int i = 0; items && i < count; i++) {
        items[i] = (constant){.kind = CONSTANT_NUMBER, .number = numbers[i]};
    }
    *to = (constant){.kind = CONSTANT_LIST, .count = items ? count : 0, .items = items};
    return items;
}

typedef enum list_function { LIST_NORM, LIST_UNIT, LIST_DOT, LIST_CROSS, LIST_NONE } list_function;

static list_function find_list_function(const char *name)
{
    static const char *const names[] = {"norm", "unit", "dot", "cross"};
    int k = 0;
    while (k < LIST_NONE && strcmp(names[k], name) != 0) {
        k++;
    }
    return (list_function)k;
}

static bool apply_list_function(view *v, int position, list_function f, const constant a[2], constant *to)
{
    const int wanted = f == LIST_DOT || f == LIST_CROSS ? 2 : 1;
    for (int i = 0; i < wanted; i++) {
        if (!is_vector(&a[i]) || a[i].count != a[0].count || (f == LIST_CROSS && a[i].count != 3)) {
            return view_complain(v, position, NULL, "expected %s",
                                 f == LIST_CROSS ? "two lists of 3 numbers"
                                 : wanted == 2   ? "two lists of as many numbers"
                                                 : "a list of numbers");
        }
    }
    if (f == LIST_NORM || f == LIST_DOT) {
        const double product = inner_product(&a[0], f == LIST_DOT ? &a[1] : &a[0]);
        *to = (constant){.kind = CONSTANT_NUMBER, .number = f == LIST_DOT ? product : sqrt(product)};
        return true;
    }
    double x[8] = {0};
    const double length = sqrt(inner_product(&a[0], &a[0]));
    for (int i = 0; i < a[0].count && i < 8; i++) {
        x[i] = a[0].items[i].number / length;
    }
    if (f == LIST_CROSS) {
        const constant *p = a[0].items, *q = a[1].items;
        const ph_vec3 product =
            ph_cross(ph_vec(p[0].number, p[1].number, p[2].number), ph_vec(q[0].number, q[1].number, q[2].number));
        x[0] = product.x, x[1] = product.y, x[2] = product.z;
    } else if (!(length > 0.0) || a[0].count > 8) {
        return view_complain(v, position, NULL, "the list is zero, so it has no direction");
    }
    return make_list(v->reader, x, a[0].count, to);
}

// The values between the brackets at `at`, separated by commas; -1 after a mistake. *end is where they close.
static int read_arguments(rewriter *w, int at, int end, constant *values, int room, int *close)
{
    int count = 0, from = at + 1, depth = 0;
    *close = close_of(w->text, at, end);
    if (*close < 0) {
        view_complain(w->view, at, NULL, "a bracket that is not closed");
        return -1;
    }
    for (int i = at + 1; i < *close; i++) {
        depth += w->text[i] == '(' || w->text[i] == '[';
        depth -= w->text[i] == ')' || w->text[i] == ']';
        const bool ends = i == *close - 1 || (w->text[i] == ',' && depth == 0);
        if (ends && count < room && !evaluate_piece(w, from, i, &values[count])) {
            return -1;
        }
        count += ends;
        from = ends ? i + 1 : from;
    }
    return count;
}

static int rewrite_list_function(rewriter *w, list_function f, int start, int at, int end)
{
    const int wanted = f == LIST_DOT || f == LIST_CROSS ? 2 : 1;
    constant arguments[2], value;
    int close = end;
    const int count = read_arguments(w, at, end, arguments, 2, &close);
    if (count >= 0 && count != wanted) {
        view_complain(w->view, start, NULL, "the function takes %d argument%s, not %d", wanted, wanted > 1 ? "s" : "",
                      count);
    }
    w->failed = count != wanted || !apply_list_function(w->view, start, f, arguments, &value);
    if (!w->failed) {
        put_constant(w, &value, start);
    }
    return w->failed ? end : close;
}

// [1, 2, 3] within an expression.
static int rewrite_list(rewriter *w, int at, int end)
{
    enum { LONGEST = 64 };
    constant values[LONGEST], list = {.kind = CONSTANT_LIST};
    int close = end;
    const int count = read_arguments(w, at, end, values, LONGEST, &close);
    constant *items =
        count >= 0 ? arena_alloc_array(w->view->reader->document->memory, (size_t)count, sizeof *items) : NULL;
    w->failed = !items || count > LONGEST;
    if (w->failed) {
        return end;
    }
    memcpy(items, values, (size_t)count * sizeof *items);
    list.count = count;
    list.items = items;
    put_constant(w, &list, at);
    return close;
}

// ---- Words and numbers

static int rewrite_word(rewriter *w, int at, int end)
{
    char name[EXPRESSION_NAME_MAX + 1];
    int stop = at;
    while (stop < end && (is_letter(w->text[stop]) || is_digit(w->text[stop]) ||
                          (w->text[stop] == '.' && stop + 1 < end && is_letter(w->text[stop + 1])))) {
        stop++;
    }
    const int length = stop - at, next = skip_spaces(w->text, stop, end);
    const char after = next < end ? w->text[next] : '\0';
    snprintf(name, sizeof name, "%.*s", length <= EXPRESSION_NAME_MAX ? length : 0, w->text + at);
    constant room;
    const constant *c = after == '[' || after == '(' ? view_find(w->view, name, &room) : NULL;
    if (c && c->kind == CONSTANT_LIST) {
        return rewrite_index(w, c, at, next, end);
    }
    if (after == '(' && find_list_function(name) != LIST_NONE) {
        return rewrite_list_function(w, find_list_function(name), at, next, end);
    }
    put(w, w->text + at, (size_t)length, at);
    for (int i = 0; i < length && !w->failed; i++) { // each byte of a name has its own place
        w->map[w->used - (size_t)length + (size_t)i] = at + i;
    }
    return stop;
}

static void copy_plain(rewriter *w, int at, int end)
{
    for (; at < end; at++) {
        put(w, w->text + at, 1, at);
    }
}

// Whether the word of a unit is also the name of something: 2 g may be two grams or twice g.
static bool is_name(void *rewriting, const char *word, int length)
{
    const rewriter *w = rewriting;
    char name[16], full[SCOPE_NAME_MAX + 8];
    constant room;
    snprintf(name, sizeof name, "%.*s", length, word);
    return length < (int)sizeof name &&
           (view_find(w->view, name, &room) || (w->view->in_time && view_name_in_time(w->view, name, full)));
}

static int complain_of_clash(rewriter *w, const char *word, int end)
{
    int letters = 0;
    while (is_letter(word[letters])) {
        letters++;
    }
    w->failed =
        !view_complain(w->view, (int)(word - w->text), "write * where a product is meant, or give the name another",
                       "'%.*s' is a unit and a name: it cannot be told which is meant", letters, word);
    return end;
}

static int rewrite_number(rewriter *w, int at, int end)
{
    const char *stop;
    expression_number(w->text + at, &stop);
    const int after = (int)(stop - w->text);
    if (after <= at || after > end) {
        put(w, w->text + at, 1, at);
        return at + 1;
    }
    const int word = skip_spaces(w->text, after, end);
    unit_reader behind = {.at = w->text + word, .is_name = is_name, .with = w};
    unit u;
    if (word >= end || !unit_read(&behind, &u) || behind.at > w->text + end) {
        copy_plain(w, at, after);
        return after;
    }
    if (behind.clash) {
        return complain_of_clash(w, behind.clash, end);
    }
    char factor[32];
    number_text(u.factor, factor);
    put_text(w, "(", at);
    copy_plain(w, at, after);
    put_text(w, "*", word);
    put_text(w, factor, word);
    put_text(w, ")", word);
    return (int)(behind.at - w->text);
}

static void rewrite(rewriter *w, int at, int end)
{
    while (at < end && !w->failed) {
        const char c = w->text[at];
        if (is_letter(c)) {
            at = rewrite_word(w, at, end);
        } else if (is_digit(c) || (c == '.' && at + 1 < end && is_digit(w->text[at + 1]))) {
            at = rewrite_number(w, at, end);
        } else if (c == '[') {
            at = rewrite_list(w, at, end);
        } else {
            put(w, &c, 1, at);
            at++;
        }
    }
}

// Longest that a byte becomes: "deg(" is replaced by six times its length, a name by a number of 26 bytes, a digit with a unit
// by 40.
bool rewriter_run(view *v, const char *text, rewriter *w)
{
    const size_t length = strlen(text);
    *w = (rewriter){.view = v, .text = text, .room = 48 * length + 64};
    w->out = arena_alloc(v->reader->document->memory, w->room);
    w->map = arena_alloc_array(v->reader->document->memory, w->room, sizeof *w->map);
    if (!w->out || !w->map) {
        v->reader->out_of_memory = true;
        return false;
    }
    rewrite(w, 0, (int)length);
    w->map[w->used] = (int)length;
    return !w->failed;
}
