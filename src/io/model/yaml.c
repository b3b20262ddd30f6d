// YAML to tree: libyaml's events become nodes. Aliases are references to the one node they name, so that a file of a few
// hundred bytes cannot become gigabytes; how much they would stand for is counted all the same, and bounded.

#include "base/foreign.h"
#include "base/problems.h"
#include "io/model/document.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

typedef struct level { // a list or map that is not closed yet
    node *node;
    const struct node *key; // of a map, waiting for its value
    node_entry *entries;
    int count, capacity;
} level;

typedef struct anchor {
    const char *name;
    const node *node;
} anchor;

typedef struct builder {
    document *document;
    ph_problems *problems;
    yaml_parser_t parser;
    level levels[DOCUMENT_NESTING_MAX];
    int depth;
    int node_count;
    int anchor_count;
    anchor anchors[DOCUMENT_ANCHORS_MAX];
    bool failed;
    char *strings; // room for short texts, which need no cache line each
    size_t strings_left;
} builder;

// ---- Problems -------------------------------------------------------------------------------------------------------

static void fail_at(builder *b, yaml_mark_t mark, const char *text, const char *hint)
{
    if (!b->failed) {
        ph_problem problem = {.severity = PH_ERROR, .text = text, .hint = hint};
        document_place_at(b->document, (int)mark.line + 1, (int)mark.column + 1, &problem);
        problems_add(b->problems, &problem);
    }
    b->failed = true;
}

static void fail_memory(builder *b)
{
    fail_at(b, (yaml_mark_t){0}, "out of memory", NULL);
}

// What libyaml says, and what a person who wrote the file wants to hear.
static const struct {
    const char *problem, *text, *hint;
} translations[] = {
    {"mapping values are not allowed in this context", "a ':' that does not belong here",
     "a key is out of line with the others, or a text with ': ' needs quotes"},
    {"did not find expected key", "expected a key", "is the indentation that of the other keys?"},
    {"did not find expected '-' indicator", "expected '- '", "is the indentation that of the other list elements?"},
    {"block sequence entries are not allowed in this context", "a '- ' that does not belong here",
     "a list starts on the line after its key"},
    {"could not find expected ':'", "expected ': ' after the key", "a key is followed by a colon and a space"},
    {"did not find expected ',' or ']'", "expected ',' or ']'",
     "is a list not closed? entries of lists are written p(0) or \"p[0]\" here"},
    {"did not find expected ',' or '}'", "expected ',' or '}'",
     "is a map not closed? entries of lists are written p(0) or \"p[0]\" here"},
    {"did not find expected node content", "expected a value", NULL},
    {"found unexpected end of stream", "a text in quotes that does not end", "is a quote not closed?"},
    {"found character that cannot start any token", "a character that cannot start a value",
     "tabs cannot indent; texts that start with @, ` or % need quotes"},
    {"found a tab character that violates indentation", "a tab in the indentation", "use spaces"},
    {"found a tab character where an indentation space is expected", "a tab in the indentation", "use spaces"},
    {"found unknown escape character", "an unknown escape after '\\'", "single quotes take a '\\' as it is"},
    {"did not find expected <document start>", "text that belongs to nothing",
     "is the indentation that of the other keys?"},
    {"found undefined tag handle", "an unknown tag", "texts that start with ! need quotes"},
    {"control characters are not allowed", "a control character", "model files are plain text"},
    {"did not find expected alphabetic or numeric character", "expected a name after '*' or '&'",
     "expressions that start with '*' or '&' do not exist; other texts need quotes"},
    {"found unexpected ':'", "a ':' that does not belong here", "a text with ': ' needs quotes"},
};

// Where libyaml notices a mistake only later, the place where it began says more.
static bool began_earlier(const char *problem)
{
    return strcmp(problem, "could not find expected ':'") == 0 ||
           strcmp(problem, "found unexpected end of stream") == 0;
}

static void fail_yaml(builder *b)
{
    const yaml_parser_t *p = &b->parser;
    if (p->error == YAML_MEMORY_ERROR) {
        fail_memory(b);
        return;
    }
    const char *problem = p->problem ? p->problem : "unreadable";
    char text[256], hint[256];
    snprintf(text, sizeof text, "broken YAML: %s", problem);
    hint[0] = '\0';
    for (size_t i = 0; i < sizeof translations / sizeof translations[0]; i++) {
        if (strcmp(translations[i].problem, problem) == 0) {
            snprintf(text, sizeof text, "broken YAML: %s", translations[i].text);
            snprintf(hint, sizeof hint, "%s", translations[i].hint ? translations[i].hint : "");
        }
    }
    const bool earlier = p->context && began_earlier(problem);
    if (p->context && !earlier && p->context_mark.line < p->problem_mark.line) {
        const size_t used = strlen(hint);
        snprintf(hint + used, sizeof hint - used, "%s(see line %d)", used ? " " : "", (int)p->context_mark.line + 1);
    }
    fail_at(b, earlier ? p->context_mark : p->problem_mark, text, hint[0] ? hint : NULL);
}

// ---- Nodes ----------------------------------------------------------------------------------------------------------

static char *copy_text(builder *b, const char *text, size_t length)
{
    enum { BLOCK = 1 << 16, LONG = 1 << 10 };
    if (length >= LONG) {
        char *copy = arena_alloc(b->document->memory, length + 1);
        return copy ? memcpy(copy, text, length) : NULL;
    }
    if (length + 1 > b->strings_left) {
        b->strings = arena_alloc(b->document->memory, BLOCK);
        b->strings_left = b->strings ? BLOCK : 0;
    }
    if (!b->strings) {
        return NULL;
    }
    char *copy = memcpy(b->strings, text, length);
    b->strings += length + 1;
    b->strings_left -= length + 1;
    return copy;
}

static node *new_node(builder *b, node_kind kind, const yaml_event_t *event)
{
    if (++b->node_count > DOCUMENT_NODES_MAX) {
        fail_at(b, event->start_mark, "the model has too many values", "at most 4000000 are read");
        return NULL;
    }
    node *n = arena_alloc(b->document->memory, sizeof *n);
    if (!n) {
        fail_memory(b);
        return NULL;
    }
    n->kind = kind;
    n->line = (int)event->start_mark.line + 1;
    n->column = (int)event->start_mark.column + 1;
    n->size = 1;
    n->file = b->document;
    return n;
}

// Hands a finished value to the open list or map, or makes it the root.
static void add_value(builder *b, const node *value, yaml_mark_t mark)
{
    if (b->depth == 0) {
        b->document->root = value;
        return;
    }
    level *top = &b->levels[b->depth - 1];
    if (top->node->kind == NODE_MAP && !top->key) {
        if (value->kind != NODE_SCALAR) {
            fail_at(b, mark, "a key must be a word", NULL);
        }
        top->key = value;
        return;
    }
    if (!mem_reserve(NULL, &top->entries, &top->capacity, top->count + 1, sizeof *top->entries)) {
        fail_memory(b);
        return;
    }
    top->entries[top->count++] = (node_entry){top->key, value};
    top->key = NULL;
    top->node->size += value->size; // both at most DOCUMENT_NODES_MAX
    if (top->node->size > DOCUMENT_NODES_MAX) {
        fail_at(b, mark, "aliases stand for too many values", "at most 4000000 are read");
    }
}

static void add_anchor(builder *b, const yaml_char_t *name, const node *n, yaml_mark_t mark)
{
    if (!name || !n) {
        return;
    }
    if (b->anchor_count == DOCUMENT_ANCHORS_MAX) {
        fail_at(b, mark, "too many anchors (&name)", "at most 1000 are read");
        return;
    }
    const char *copy = copy_text(b, (const char *)name, strlen((const char *)name));
    if (copy) {
        b->anchors[b->anchor_count++] = (anchor){copy, n};
    } else {
        fail_memory(b);
    }
}

static void refuse_tag(builder *b, const yaml_char_t *tag, yaml_mark_t mark)
{
    if (tag) {
        fail_at(b, mark, "tags (!...) are not supported", "texts that start with ! need quotes");
    }
}

// A text that stands in the file byte for byte: one line, and as wide as it is long, quotes aside.
static int exact_column(const yaml_event_t *event, bool plain)
{
    const size_t width = event->end_mark.index - event->start_mark.index;
    size_t characters = 0;
    for (size_t i = 0; i < event->data.scalar.length; i++) {
        characters += (event->data.scalar.value[i] & 0xc0) != 0x80;
    }
    const bool exact =
        event->start_mark.line == event->end_mark.line && width == characters + (plain ? 0 : 2) && characters > 0;
    return exact ? (int)event->start_mark.column + (plain ? 1 : 2) : 0;
}

static void add_scalar(builder *b, const yaml_event_t *event)
{
    const char *value = (const char *)event->data.scalar.value;
    const size_t length = event->data.scalar.length;
    refuse_tag(b, event->data.scalar.tag, event->start_mark);
    if (memchr(value, '\0', length)) {
        fail_at(b, event->start_mark, "a text with a NUL character", NULL);
    }
    node *n = b->failed ? NULL : new_node(b, NODE_SCALAR, event);
    if (!n) {
        return;
    }
    n->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    n->text_column = exact_column(event, n->plain);
    n->text = copy_text(b, value, length);
    if (!n->text) {
        fail_memory(b);
        return;
    }
    add_anchor(b, event->data.scalar.anchor, n, event->start_mark);
    add_value(b, n, event->start_mark);
}

static void add_alias(builder *b, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    const node *found = NULL;
    for (int i = b->anchor_count - 1; i >= 0 && !found; i--) { // the newest of a name counts
        found = strcmp(b->anchors[i].name, name) == 0 ? b->anchors[i].node : NULL;
    }
    for (int i = 0; i < b->depth; i++) {
        if (found && b->levels[i].node == found) {
            fail_at(b, event->start_mark, "an alias inside what it stands for", NULL);
            return;
        }
    }
    if (found) {
        add_value(b, found, event->start_mark);
        return;
    }
    char text[160];
    snprintf(text, sizeof text, "unknown alias '*%.100s'", name);
    fail_at(b, event->start_mark, text,
            "an alias must stand after its anchor '&name'; expressions cannot start with '*'");
}

// ---- Lists and maps -------------------------------------------------------------------------------------------------

static void open_level(builder *b, node_kind kind, const yaml_event_t *event, const yaml_char_t *name)
{
    if (b->depth == DOCUMENT_NESTING_MAX) {
        fail_at(b, event->start_mark, "lists and maps are nested too deeply", "at most 64 levels are read");
        return;
    }
    node *n = new_node(b, kind, event);
    if (n) {
        add_anchor(b, name, n, event->start_mark);
        level *top = &b->levels[b->depth++];
        top->node = n;
        top->key = NULL;
        top->count = 0;
    }
}

// ---- Merge keys: <<: *base, or <<: [*one, *two]. What stands beside them counts before what they bring. ------------

static bool is_merge(const node_entry *entry)
{
    return entry->key && entry->key->plain && strcmp(entry->key->text, "<<") == 0;
}

static int merged_keys(const node *from)
{
    int count = from->kind == NODE_MAP ? from->count : 0;
    for (int i = 0; from->kind == NODE_LIST && i < from->count; i++) {
        count += from->entries[i].value->count;
    }
    return count;
}

// Adds the entries of `from` whose keys `to` does not have yet.
static void merge(builder *b, node *to, const node *key, const node *from)
{
    if (from->kind == NODE_LIST) {
        for (int i = 0; i < from->count; i++) {
            merge(b, to, key, from->entries[i].value);
        }
        return;
    }
    if (from->kind != NODE_MAP) {
        const yaml_mark_t mark = {.line = (size_t)key->line - 1, .column = (size_t)key->column - 1};
        fail_at(b, mark, "a merge key (<<) takes a map or a list of maps", "<<: *name, with &name at a map before");
        return;
    }
    for (int i = 0; i < from->count; i++) {
        if (!node_find(to, from->entries[i].key->text)) {
            to->entries[to->count++] = from->entries[i];
        }
    }
}

// The entries of a finished list or map, with what merge keys bring.
static bool take_entries(builder *b, const level *top, node *n)
{
    int count = top->count;
    for (int i = 0; i < top->count; i++) {
        count += is_merge(&top->entries[i]) ? merged_keys(top->entries[i].value) : 0;
    }
    n->entries = arena_alloc_array(b->document->memory, (size_t)count, sizeof *n->entries);
    if (!n->entries) {
        return false;
    }
    for (int i = 0; i < top->count; i++) {
        if (!is_merge(&top->entries[i])) {
            n->entries[n->count++] = top->entries[i];
        }
    }
    for (int i = 0; i < top->count && !b->failed; i++) {
        if (is_merge(&top->entries[i])) {
            merge(b, n, top->entries[i].key, top->entries[i].value);
        }
    }
    return true;
}

static void close_level(builder *b)
{
    level *top = &b->levels[b->depth - 1];
    node *n = top->node;
    if (!take_entries(b, top, n)) {
        fail_memory(b);
        return;
    }
    b->depth--;
    add_value(b, n, (yaml_mark_t){.line = (size_t)n->line - 1, .column = (size_t)n->column - 1});
}

// ---- Events ---------------------------------------------------------------------------------------------------------

static void handle(builder *b, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (b->document->root) {
            fail_at(b, event->start_mark, "a second document starts here", "a model file holds one");
        }
        break;
    case YAML_ALIAS_EVENT:
        add_alias(b, event);
        break;
    case YAML_SCALAR_EVENT:
        add_scalar(b, event);
        break;
    case YAML_SEQUENCE_START_EVENT:
        refuse_tag(b, event->data.sequence_start.tag, event->start_mark);
        open_level(b, NODE_LIST, event, event->data.sequence_start.anchor);
        break;
    case YAML_MAPPING_START_EVENT:
        refuse_tag(b, event->data.mapping_start.tag, event->start_mark);
        open_level(b, NODE_MAP, event, event->data.mapping_start.anchor);
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        close_level(b);
        break;
    default:
        break;
    }
}

static bool parse_event(yaml_parser_t *parser, yaml_event_t *event)
{
    foreign_enter();
    const bool good = yaml_parser_parse(parser, event);
    foreign_leave();
    foreign_wrote(parser, sizeof *parser);
    foreign_wrote(event, sizeof *event);
    switch (event->type) {
    case YAML_ALIAS_EVENT:
        foreign_wrote_text(event->data.alias.anchor);
        break;
    case YAML_SCALAR_EVENT:
        foreign_wrote_text(event->data.scalar.anchor);
        foreign_wrote_text(event->data.scalar.tag);
        foreign_wrote(event->data.scalar.value, event->data.scalar.length + 1);
        break;
    case YAML_SEQUENCE_START_EVENT:
        foreign_wrote_text(event->data.sequence_start.anchor);
        foreign_wrote_text(event->data.sequence_start.tag);
        break;
    case YAML_MAPPING_START_EVENT:
        foreign_wrote_text(event->data.mapping_start.anchor);
        foreign_wrote_text(event->data.mapping_start.tag);
        break;
    default:
        break;
    }
    return good;
}

static void parse_events(builder *b)
{
    yaml_parser_set_encoding(&b->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&b->parser, (const unsigned char *)b->document->text, b->document->length);
    for (bool done = false; !done && !b->failed;) {
        yaml_event_t event = {0};
        const bool good = parse_event(&b->parser, &event);
        if (!good) {
            fail_yaml(b);
            break;
        }
        done = event.type == YAML_STREAM_END_EVENT;
        handle(b, &event);
        yaml_event_delete(&event);
    }
}

bool document_parse(document *d, ph_problems *problems)
{
    builder *b = mem_alloc(NULL, sizeof *b);
    if (!b || !yaml_parser_initialize(&b->parser)) {
        problems_add(problems, &(ph_problem){.severity = PH_ERROR, .file = d->name, .text = "out of memory"});
        mem_free(NULL, b);
        return false;
    }
    b->document = d;
    b->problems = problems;
    parse_events(b);
    yaml_parser_delete(&b->parser);
    for (int i = 0; i < DOCUMENT_NESTING_MAX; i++) {
        mem_free(NULL, b->levels[i].entries);
    }
    const bool parsed = !b->failed;
    mem_free(NULL, b);
    return parsed;
}
