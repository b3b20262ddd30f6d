#include "io/model/expand.h"

#include "io/model/formula.h"

#include <stdio.h>
#include <string.h>

const char *const element_lists[EXPANSION_LISTS] = {"bodies",    "sites",   "joints",    "forces", "tendons",
                                                    "actuators", "sensors", "keyframes", "inputs"};

// ---- Copies ---------------------------------------------------------------------------------------------------------

static node *copy_node(expansion *e, const node *n, const scope *s)
{
    reader *r = e->reader;
    if (++e->nodes > DOCUMENT_NODES_MAX) {
        fail(r, n, "at most 4000000 are read", "repeats and parts stand for too many values");
        return NULL;
    }
    node *copy = arena_alloc(r->document->memory, sizeof *copy);
    if (!copy) {
        r->out_of_memory = true;
        return NULL;
    }
    *copy = *n;
    copy->scope = s;
    return copy;
}

static const node *copy_scalar(expansion *e, const node *n, const scope *s)
{
    node *copy = copy_node(e, n, s);
    const char *text = copy && strchr(n->text, '$') ? formula_substitute(e->reader, copy, s, n->text) : NULL;
    if (text) { // else it stays as it is: its mistake has been reported
        copy->text = text;
        copy->text_column = 0;
    }
    return copy;
}

// ---- Rounds of a repeat ---------------------------------------------------------------------------------------------

static bool is_repeated(const node *n)
{
    return n->kind == NODE_MAP && node_find(n, "repeat");
}

// A scope with one value, and what to say of it.
static scope *round_scope(expansion *e, const scope *outer, const char *name, const constant *value, int index)
{
    reader *r = e->reader;
    arena *memory = r->document->memory;
    scope *s = arena_alloc(memory, sizeof *s);
    char text[96], digits[32], *counter = arena_alloc(memory, strlen(name) + 8);
    const char *told = digits;
    if (!s || !counter || !names_create(&s->values.names, 2, memory) ||
        !(s->values.values = arena_alloc_array(memory, 2, sizeof *s->values.values))) {
        r->out_of_memory = true;
        return NULL;
    }
    sprintf(counter, "%s.index", name);
    names_enter(&s->values.names, name, 0);
    names_enter(&s->values.names, counter, 1);
    s->values.values[0] = *value;
    s->values.values[1] = (constant){.kind = CONSTANT_NUMBER, .number = index};
    s->values.count = 2;
    s->outer = outer;
    snprintf(digits, sizeof digits, "%d", index);
    if (value->kind == CONSTANT_NUMBER) {
        number_text(value->number, digits);
    } else if (value->kind == CONSTANT_TEXT) {
        told = value->text;
    }
    snprintf(text, sizeof text, "%.40s = %.40s", value->kind == CONSTANT_LIST ? counter : name, told);
    s->story = arena_copy_string(memory, text);
    return s;
}

// An entry of the list that a repeat goes through: a number, a list, or else a word.
static bool round_value(reader *r, const node *n, constant *to)
{
    if (n->kind == NODE_SCALAR && expression_is_name(n->text)) {
        constant room;
        const constant *known = scope_find(n->scope, &r->parameters, n->text, &room);
        r->touched += known && known->varies;
        *to = known ? *known : (constant){.kind = CONSTANT_TEXT, .text = n->text};
        return true;
    }
    return formula_constant(r, n, to);
}

// The values that an index takes: 0 ... n - 1 for a number n, or those of a list.
static bool round_values(expansion *e, const node *n, constant *list)
{
    enum { MOST = 100000 };
    reader *r = e->reader;
    n = node_list(r, n);
    const bool counted = n->kind == NODE_SCALAR;
    double count = n->count;
    if (n->kind == NODE_MAP) {
        return fail_kind(r, n, "how often, or a list");
    }
    if (counted && !node_number(r, n, &count)) {
        return false;
    }
    if (count < 0.0 || count > MOST || count != (double)(int)count) {
        return fail(r, n, "a whole number up to 100000, or a list of values", "it cannot be repeated %.9g times",
                    count);
    }
    constant *values = arena_alloc_array(r->document->memory, (size_t)count, sizeof *values);
    r->out_of_memory = r->out_of_memory || !values;
    bool read = values;
    for (int i = 0; values && i < (int)count; i++) {
        values[i] = (constant){.kind = CONSTANT_NUMBER, .number = i};
        read = (counted || round_value(r, n->entries[i].value, &values[i])) && read;
    }
    *list = (constant){.kind = CONSTANT_LIST, .count = (int)count, .items = values};
    return read;
}

// The rounds of entry `at` of `repeat` and, in each, those of the entries behind it.
static void go_round(expansion *e, const node *n, const node *repeat, int at, const scope *s, round_visitor visit)
{
    reader *r = e->reader;
    const bool named = repeat->kind == NODE_MAP;
    if (named && at == repeat->count) {
        visit(e, n, s);
        return;
    }
    const node *key = named ? repeat->entries[at].key : repeat;
    const char *name = named ? key->text : "i";
    const node *given = expand_node(e, named ? repeat->entries[at].value : repeat, s);
    constant values = {0};
    if (!given) {
        return;
    }
    if (!expression_is_name(name) || strcmp(name, "t") == 0) {
        fail(r, key, "letters, digits and _, a letter first", "'%.60s' cannot be the name of an index", name);
        return;
    }
    if (!round_values(e, given, &values)) {
        return;
    }
    for (int i = 0; i < values.count && r->errors < READER_ERRORS_MAX && !r->out_of_memory; i++) {
        const scope *inner = round_scope(e, s, name, &values.items[i], i);
        if (inner && named) {
            go_round(e, n, repeat, at + 1, inner, visit);
        } else if (inner) {
            visit(e, n, inner);
        }
    }
}

void expand_rounds(expansion *e, const node *n, const scope *s, round_visitor visit)
{
    const node *repeat = is_repeated(n) ? node_find(n, "repeat") : NULL;
    if (!repeat) {
        visit(e, n, s);
        return;
    }
    if (repeat->kind == NODE_MAP && repeat->count == 0) {
        fail(e->reader, repeat, "repeat: {i: 6}", "repeat needs an index and how often");
        return;
    }
    go_round(e, n, repeat, 0, s, visit);
}

// ---- Lists and maps -------------------------------------------------------------------------------------------------

typedef struct collector {
    expansion expansion; // first: visitors get a pointer to it
    node_entry *entries;
    int count, capacity;
} collector;

static void collect_round(expansion *e, const node *n, const scope *s)
{
    collector *c = (collector *)e;
    const node *copy = expand_node(e, n, s);
    if (!copy) {
        return;
    }
    if (!mem_reserve(NULL, &c->entries, &c->capacity, c->count + 1, sizeof *c->entries)) {
        e->reader->out_of_memory = true;
        return;
    }
    c->entries[c->count++] = (node_entry){NULL, copy};
}

static const node *finish(expansion *e, const node *n, const scope *s, const node_entry *entries, int count)
{
    node *copy = copy_node(e, n, s);
    if (!copy) {
        return NULL;
    }
    copy->entries = arena_alloc_array(e->reader->document->memory, (size_t)count, sizeof *entries);
    copy->count = copy->entries ? count : 0;
    e->reader->out_of_memory = e->reader->out_of_memory || !copy->entries;
    if (copy->entries && count > 0) {
        memcpy(copy->entries, entries, (size_t)count * sizeof *entries);
    }
    return copy;
}

static const node *expand_list(expansion *e, const node *n, const scope *s)
{
    collector c = {.expansion = {.reader = e->reader, .nodes = e->nodes, .depth = e->depth}};
    bool changed = s != NULL;
    for (int i = 0; i < n->count && e->reader->errors < READER_ERRORS_MAX; i++) {
        const node *element = n->entries[i].value;
        expand_rounds(&c.expansion, element, s, collect_round);
        changed |= is_repeated(element) || (c.count > 0 && c.entries[c.count - 1].value != element);
    }
    e->nodes = c.expansion.nodes;
    const node *copy = changed ? finish(e, n, s, c.entries, c.count) : n;
    mem_free(NULL, c.entries);
    return copy;
}

static const node *expand_map(expansion *e, const node *n, const scope *s)
{
    node_entry *entries = mem_alloc_array(NULL, (size_t)n->count + 1, sizeof *entries);
    int count = 0;
    bool changed = s != NULL;
    for (int i = 0; entries && i < n->count; i++) {
        const node_entry *given = &n->entries[i];
        if (strcmp(given->key->text, "repeat") == 0) {
            changed = true;
            continue;
        }
        const node *key = s ? copy_scalar(e, given->key, s) : given->key, *value = expand_node(e, given->value, s);
        changed |= value != given->value;
        if (key && value) {
            entries[count++] = (node_entry){key, value};
        }
    }
    e->reader->out_of_memory = e->reader->out_of_memory || !entries;
    const node *copy = !entries ? NULL : changed ? finish(e, n, s, entries, count) : n;
    mem_free(NULL, entries);
    return copy;
}

const node *expand_node(expansion *e, const node *n, const scope *s)
{
    const node *copy = n->kind == NODE_MAP    ? expand_map(e, n, s)
                       : n->kind == NODE_LIST ? expand_list(e, n, s)
                       : s                    ? copy_scalar(e, n, s)
                                              : n;
    return e->reader->out_of_memory ? NULL : copy;
}

// ---- The lists of a model -------------------------------------------------------------------------------------------

static int list_index(const char *key)
{
    for (int k = 0; k < EXPANSION_LISTS; k++) {
        if (strcmp(element_lists[k], key) == 0) {
            return k;
        }
    }
    return -1;
}

// What cannot be collected is left for the reader to complain about.
static bool is_collected(int which, const node *value)
{
    return value->kind == (which == EXPANSION_INPUTS ? NODE_MAP : NODE_LIST) || node_is_null(value);
}

bool expand_add(expansion *e, int which, const node *key, const node *value)
{
    if (!mem_reserve(NULL, &e->lists[which].entries, &e->lists[which].capacity, e->lists[which].count + 1,
                     sizeof *e->lists[which].entries)) {
        e->reader->out_of_memory = true;
        return false;
    }
    e->lists[which].entries[e->lists[which].count++] = (node_entry){key, value};
    return true;
}

// The prefix of the part goes before the name of an element.
static void add_prefix(expansion *e, const node *element, const scope *s)
{
    const char *prefix = scope_prefix(s);
    for (int i = 0; *prefix && element->kind == NODE_MAP && i < element->count; i++) {
        if (strcmp(element->entries[i].key->text, "name") != 0 || element->entries[i].value->kind != NODE_SCALAR) {
            continue;
        }
        node *name = copy_node(e, element->entries[i].value, s);
        const size_t bytes = name ? strlen(prefix) + strlen(name->text) + 1 : 0;
        char *full = name ? arena_alloc(e->reader->document->memory, bytes) : NULL;
        if (full) {
            snprintf(full, bytes, "%s%s", prefix, name->text);
            name->text = full;
            name->text_column = 0;
            element->entries[i].value = name;
        }
        e->reader->out_of_memory = e->reader->out_of_memory || !full;
    }
}

void expand_elements(expansion *e, int which, const node *list, const scope *s)
{
    reader *r = e->reader;
    if (list->kind != NODE_LIST) {
        if (!node_is_null(list)) {
            fail_kind(r, list, "a list");
        }
        return;
    }
    const size_t length = path_enter_key(r, element_lists[which]);
    const node *expanded = expand_node(e, list, s);
    path_leave(r, length);
    for (int i = 0; expanded && i < expanded->count; i++) {
        if (s) {
            add_prefix(e, expanded->entries[i].value, s);
        }
        expand_add(e, which, NULL, expanded->entries[i].value);
    }
}

static void expand_parts(expansion *e, const node *parts)
{
    if (parts && parts->kind != NODE_LIST && !node_is_null(parts)) {
        fail_kind(e->reader, parts, "a list");
        return;
    }
    const size_t length = path_enter_key(e->reader, "parts");
    for (int i = 0; parts && i < parts->count; i++) {
        const size_t inner = path_enter_index(e->reader, i);
        expand_rounds(e, parts->entries[i].value, NULL, expand_part);
        path_leave(e->reader, inner);
    }
    path_leave(e->reader, length);
}

// A list, or the map of inputs, of all that was collected; it stands where `at` does.
static const node *collected(expansion *e, int which, const node *at)
{
    node *all = copy_node(e, at, NULL);
    const int count = e->lists[which].count;
    node_entry *entries = arena_alloc_array(e->reader->document->memory, (size_t)count, sizeof *entries);
    if (!all || !entries) {
        e->reader->out_of_memory = true;
        return at;
    }
    if (count > 0) {
        memcpy(entries, e->lists[which].entries, (size_t)count * sizeof *entries);
    }
    all->kind = which == EXPANSION_INPUTS ? NODE_MAP : NODE_LIST;
    all->entries = entries;
    all->count = count;
    return all;
}

// The key of a list that only parts have; it stands where the model begins.
static const node *new_key(expansion *e, const char *key, const node *root)
{
    node *n = copy_node(e, root, NULL);
    if (n) {
        n->kind = NODE_SCALAR;
        n->text = key;
        n->count = 0;
    }
    return n;
}

// The root with all that was collected in place of its lists.
static void rebuild_root(expansion *e, const node *root)
{
    node_entry *entries =
        arena_alloc_array(e->reader->document->memory, (size_t)root->count + EXPANSION_LISTS, sizeof *entries);
    node *copy = copy_node(e, root, NULL);
    bool done[EXPANSION_LISTS] = {false};
    int count = 0;
    if (!entries || !copy) {
        e->reader->out_of_memory = true;
        return;
    }
    for (int i = 0; i < root->count; i++) {
        const int which = list_index(root->entries[i].key->text);
        const bool taken = which >= 0 && !done[which] && is_collected(which, root->entries[i].value);
        entries[count] = root->entries[i];
        entries[count].value = taken ? collected(e, which, root->entries[i].value) : root->entries[i].value;
        done[which >= 0 ? which : 0] |= taken;
        count++;
    }
    for (int k = 0; k < EXPANSION_LISTS; k++) {
        const node *key = e->lists[k].count > 0 && !done[k] ? new_key(e, element_lists[k], root) : NULL;
        if (key) {
            entries[count++] = (node_entry){key, collected(e, k, root)};
        }
    }
    copy->entries = entries;
    copy->count = count;
    e->reader->document->root = copy;
}

static bool has_repeats(const node *n)
{
    for (int i = 0; i < n->count; i++) {
        const node *value = n->entries[i].value;
        if ((n->kind == NODE_MAP && strcmp(n->entries[i].key->text, "repeat") == 0) || has_repeats(value)) {
            return true;
        }
    }
    return false;
}

void expand_document(reader *r)
{
    const node *root = r->document->root, *parts = node_find(root, "parts");
    if (!parts && !has_repeats(root)) {
        return;
    }
    expansion e = {.reader = r};
    bool done[EXPANSION_LISTS] = {false};
    for (int i = 0; i < root->count; i++) {
        const node *value = root->entries[i].value;
        const int which = list_index(root->entries[i].key->text);
        if (which < 0 || done[which] || !is_collected(which, value)) {
            continue;
        }
        done[which] = true;
        if (which != EXPANSION_INPUTS) {
            expand_elements(&e, which, value, NULL);
        }
        for (int k = 0; which == EXPANSION_INPUTS && k < value->count; k++) {
            expand_add(&e, which, value->entries[k].key, value->entries[k].value);
        }
    }
    expand_parts(&e, parts);
    if (!r->out_of_memory) {
        rebuild_root(&e, root);
    }
    for (int k = 0; k < EXPANSION_LISTS; k++) {
        mem_free(NULL, e.lists[k].entries);
    }
}
