// JSON to tree, without a library: what the core reads where libyaml is not there, as in a browser or an FMU. Model files are
// JSON or YAML; this reads the first alone, to the same nodes as yaml.c.

#include "io/model/json.h"

#include "base/problems.h"

#include <stdio.h>
#include <string.h>

typedef struct json_reader {
    document *document;
    ph_problems *problems;
    const char *at, *end;
    int depth, node_count;
    bool failed;
    const char *seen; // a place, and its line and column
    int line, column;
} json_reader;

// ---- Places and problems --------------------------------------------------------------------------------------------

// Nodes are met in order, so that the way to all of them is walked once; only a mistake may lie further back.
static void go_to(json_reader *r, const char *at)
{
    const document *d = r->document;
    if (at < r->seen) r->seen = d->text, r->line = r->column = 1;
    for (; r->seen < at; r->seen++) {
        const bool next_line = r->line < d->line_count && d->lines[r->line] == (size_t)(r->seen + 1 - d->text);
        r->line += next_line;
        r->column = next_line ? 1 : r->column + (((unsigned char)*r->seen & 0xc0) != 0x80);
    }
}

static void *fail_at(json_reader *r, const char *at, const char *text, const char *hint)
{
    if (!r->failed) {
        ph_problem problem = {.severity = PH_ERROR, .text = text, .hint = hint};
        go_to(r, at);
        document_place_at(r->document, r->line, r->column, &problem);
        problems_add(r->problems, &problem);
    }
    r->failed = true;
    return NULL;
}

static void *fail_memory(json_reader *r)
{
    return fail_at(r, r->document->text, "out of memory", NULL);
}

// ---- Tokens ---------------------------------------------------------------------------------------------------------

static char skip_space(json_reader *r)
{
    while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at) r->at++;
    return r->at < r->end ? *r->at : '\0';
}

static node *new_node(json_reader *r, node_kind kind, const char *at)
{
    if (++r->node_count > DOCUMENT_NODES_MAX) {
        return fail_at(r, at, "the model has too many values", "at most 4000000 are read");
    }
    node *n = arena_alloc(r->document->memory, sizeof *n);
    if (!n) return fail_memory(r);
    n->kind = kind;
    n->size = 1;
    n->file = r->document;
    go_to(r, at);
    n->line = r->line;
    n->column = r->column;
    return n;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

// The four digits behind \u, or -1.
static long read_unit(const char *at, const char *end)
{
    long code = 0;
    if (end - at < 4) return -1;
    for (int i = 0; i < 4; i++) {
        const int digit = hex_digit(at[i]);
        if (digit < 0) return -1;
        code = code * 16 + digit;
    }
    return code;
}

// The character of \uXXXX or of a pair of them; moves *at behind it. -1: there is none.
static long read_code(const char **at, const char *end)
{
    const long high = read_unit(*at, end);
    *at += 4;
    if (high < 0xd800 || high > 0xdfff) return high;
    const bool pair = end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u';
    const long low = pair ? read_unit(*at + 2, end) : -1;
    *at += 6;
    return high < 0xdc00 && low >= 0xdc00 && low <= 0xdfff ? 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00) : -1;
}

static char *put_utf8(char *to, long code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else {
        const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        *to++ = (char)(0xff00 >> (more + 1) | code >> 6 * more);
        for (int k = more - 1; k >= 0; k--) *to++ = (char)(0x80 | (code >> 6 * k & 0x3f));
    }
    return to;
}

// One character behind a backslash at *at.
static char *put_escape(json_reader *r, const char **at, char *to)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char *start = *at - 1, letter = *(*at)++;
    const char *found = letter ? strchr(letters, letter) : NULL;
    if (found) {
        *to++ = meanings[found - letters];
        return to;
    }
    const long code = letter == 'u' ? read_code(at, r->end) : -1;
    if (code <= 0) {
        fail_at(r, start, "broken JSON: an unknown escape after '\\'", NULL);
        return to;
    }
    return put_utf8(to, code);
}

static const char *find_quote(const json_reader *r)
{
    const char *s = r->at + 1;
    while (s < r->end && *s != '"') s += *s == '\\' && s + 1 < r->end ? 2 : 1;
    return s < r->end ? s : NULL;
}

static node *read_string(json_reader *r)
{
    const char *start = r->at, *close = find_quote(r);
    if (!close) return fail_at(r, start, "broken JSON: a text in quotes that does not end", "is a quote not closed?");
    node *n = new_node(r, NODE_SCALAR, start);
    char *text = n ? arena_alloc(r->document->memory, (size_t)(close - start)) : NULL, *to = text;
    if (!text) return n ? fail_memory(r) : NULL;
    for (const char *s = start + 1; s < close && !r->failed;) {
        const char c = *s++;
        if (c == '\\') {
            to = put_escape(r, &s, to);
        } else if ((unsigned char)c < 0x20) {
            return fail_at(r, s - 1, "broken JSON: a control character in a text", "\\n is a new line");
        } else {
            *to++ = c;
        }
    }
    *to = '\0';
    n->text = text;
    n->text_column = to > text && to - text == close - start - 1 ? n->column + 1 : 0;
    r->at = close + 1;
    return n;
}

static bool is_word_character(char c)
{
    return c && strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", c);
}

// Numbers, true, false, null: what the text means is decided by who reads it.
static node *read_word(json_reader *r)
{
    const char *start = r->at;
    while (r->at < r->end && is_word_character(*r->at)) r->at++;
    const size_t length = (size_t)(r->at - start);
    if (length == 0) {
        return fail_at(r, start, "broken JSON: expected a value", "texts stand in double quotes");
    }
    node *n = new_node(r, NODE_SCALAR, start);
    char *text = n ? arena_alloc(r->document->memory, length + 1) : NULL;
    if (!text) return n ? fail_memory(r) : NULL;
    n->text = memcpy(text, start, length);
    n->plain = true;
    n->text_column = n->column;
    return n;
}

// ---- Lists and maps -------------------------------------------------------------------------------------------------

typedef struct entry_list {
    node_entry *entries;
    int count, capacity;
} entry_list;

static node *read_value(json_reader *r);

static const node *read_key(json_reader *r)
{
    if (skip_space(r) != '"') {
        return fail_at(r, r->at, "broken JSON: expected a key in double quotes", "is there a comma too many?");
    }
    const node *key = read_string(r);
    if (key && skip_space(r) != ':') return fail_at(r, r->at, "broken JSON: expected ':' after the key", NULL);
    r->at += key != NULL;
    return key;
}

static bool read_entry(json_reader *r, node *into, entry_list *list)
{
    const node *key = into->kind == NODE_MAP ? read_key(r) : NULL;
    const node *value = r->failed ? NULL : read_value(r);
    if (!value) return false;
    if (!mem_reserve(NULL, &list->entries, &list->capacity, list->count + 1, sizeof *list->entries)) {
        return fail_memory(r);
    }
    list->entries[list->count++] = (node_entry){key, value};
    into->size += value->size;
    return true;
}

static void read_entries(json_reader *r, node *into, char close, entry_list *list)
{
    const char *start = r->at++;
    if (skip_space(r) == close) {
        r->at++;
        return;
    }
    while (read_entry(r, into, list)) {
        const char next = skip_space(r);
        if (next != ',' && next != close) {
            fail_at(r, r->at < r->end ? r->at : start,
                    close == ']' ? "broken JSON: expected ',' or ']'" : "broken JSON: expected ',' or '}'",
                    "is it not closed, or a comma missing?");
            return;
        }
        r->at++;
        if (next == close) return;
    }
}

static node *read_collection(json_reader *r, node_kind kind, char close)
{
    if (r->depth == DOCUMENT_NESTING_MAX) {
        return fail_at(r, r->at, "lists and maps are nested too deeply", "at most 64 levels are read");
    }
    node *n = new_node(r, kind, r->at);
    if (!n) return NULL;
    entry_list list = {0};
    r->depth++;
    read_entries(r, n, close, &list);
    r->depth--;
    n->entries = arena_alloc_array(r->document->memory, (size_t)list.count, sizeof *n->entries);
    n->count = list.count;
    if (n->entries && list.count > 0) memcpy(n->entries, list.entries, (size_t)list.count * sizeof *list.entries);
    mem_free(NULL, list.entries);
    return n->entries ? n : fail_memory(r);
}

static node *read_value(json_reader *r)
{
    const char next = skip_space(r);
    return next == '{'   ? read_collection(r, NODE_MAP, '}')
           : next == '[' ? read_collection(r, NODE_LIST, ']')
           : next == '"' ? read_string(r)
                         : read_word(r);
}

bool document_parse_json(document *d, ph_problems *problems)
{
    json_reader r = {.document = d, .problems = problems, .at = d->text, .end = d->text + d->length};
    r.seen = d->text, r.line = r.column = 1;
    if (skip_space(&r) == '\0' && r.at == r.end) return true; // nothing in it: the reader says so
    const node *root = read_value(&r);
    if (!r.failed && skip_space(&r) != '\0') fail_at(&r, r.at, "broken JSON: text that belongs to nothing", NULL);
    d->root = r.failed ? NULL : root;
    return !r.failed;
}
