// Walking maps along tables of fields, and reporting what is wrong in them.

#include "base/problems.h"
#include "base/suggest.h"
#include "io/model/revise.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Mistakes -------------------------------------------------------------------------------------------------------

// Remembers the element of a list that the path leads into: what follows from its mistakes is not reported again.
static void note_faulty(reader *r)
{
    const char *end = strchr(r->path, ']');
    const size_t length = end ? (size_t)(end - r->path) + 1 : 0;
    char *entry = r->faulty[r->errors - 1];
    if (length > 0 && length < sizeof r->faulty[0]) {
        memcpy(entry, r->path, length);
    }
}

// Repeated elements have their mistakes in common: the first round tells them.
static bool was_told(reader *r, const node *n)
{
    for (int i = 0; i < r->told_count; i++) {
        if (strcmp(r->told[i].file->name, n->file->name) == 0 && r->told[i].line == n->line &&
            r->told[i].column == n->column) {
            return true;
        }
    }
    r->told[r->told_count].file = n->file;
    r->told[r->told_count].line = n->line;
    r->told[r->told_count++].column = n->column;
    return false;
}

bool(fail_in)(reader *r, const node *n, int position, const char *hint, const char *format, ...)
{
    if (r->errors >= READER_ERRORS_MAX) {
        return false;
    }
    r->errors++;
    note_faulty(r);
    if (n && n->scope && r->told_count < READER_ERRORS_MAX && was_told(r, n)) {
        return false;
    }
    ph_problem problem = {.severity = PH_ERROR, .path = *r->path ? r->path : NULL, .hint = hint && *hint ? hint : NULL};
    if (n) {
        document_place(n, position, &problem);
    } else {
        problem.file = r->document->name;
        problem.path = NULL;
    }
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    problem.text = n ? scope_tell(n->scope, text, r->document->memory) : text;
    problems_add(r->problems, &problem);
    if (r->errors == READER_ERRORS_MAX) {
        problems_add(r->problems, &(ph_problem){.severity = PH_NOTE,
                                                .file = r->document->name,
                                                .text = "there may be more errors, the first 100 are shown"});
    }
    return false;
}

void tell_in(reader *r, const node *n, ph_severity severity, const char *hint, const char *format, ...)
{
    ph_problem problem = {.severity = severity, .path = *r->path ? r->path : NULL, .hint = hint};
    char text[512];
    va_list arguments;
    if (r->told_count == READER_ERRORS_MAX || was_told(r, n)) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    document_place(n, 0, &problem);
    problem.text = scope_tell(n->scope, text, r->document->memory);
    problems_add(r->problems, &problem);
}

// Whole numbers of ten and more are hardly radians.
void warn_of_degrees(reader *r, const node *n, const char *key)
{
    enum { LEAST = 10 };
    char *end, hint[80];
    if (n && n->kind == NODE_LIST) {
        for (int i = 0; i < n->count; i++) {
            warn_of_degrees(r, n->entries[i].value, key);
        }
        return;
    }
    const long angle = n && n->kind == NODE_SCALAR ? strtol(n->text, &end, 10) : 0;
    if (labs(angle) < LEAST || *end) {
        return;
    }
    snprintf(hint, sizeof hint, "write deg(%ld) or %ld deg", angle, angle);
    tell_in(r, n, PH_WARNING, hint, "%s is %ld radians: are degrees meant?", key, angle);
}

static const char *describe(const node *n, char *buffer, size_t size)
{
    switch (n->kind) {
    case NODE_LIST:
        snprintf(buffer, size, "a list of %d", n->count);
        break;
    case NODE_MAP:
        snprintf(buffer, size, "a map");
        break;
    default:
        snprintf(buffer, size, node_is_null(n) ? "nothing" : "'%.60s'", n->text);
        break;
    }
    return buffer;
}

bool(fail_kind)(reader *r, const node *n, const char *expected)
{
    char found[80];
    return fail(r, n, NULL, "expected %s, found %s", expected, describe(n, found, sizeof found));
}

hint_text hint_words(const char *word, const char *const *words, int count, const char *otherwise)
{
    hint_text h = {{0}};
    const char *near = suggest(word, words, count);
    if (near) {
        snprintf(h.text, sizeof h.text, "did you mean '%s'?", near);
        return h;
    }
    size_t used = (size_t)snprintf(h.text, sizeof h.text, "%s", otherwise);
    const char *separator = " ";
    for (int i = 0; i < count; i++) {
        if (!words[i]) {
            continue;
        }
        if (used + strlen(words[i]) + 8 > sizeof h.text) {
            snprintf(h.text + used, sizeof h.text - used, " ...");
            break;
        }
        used += (size_t)snprintf(h.text + used, sizeof h.text - used, "%s%s", separator, words[i]);
        separator = ", ";
    }
    if (*separator == ' ') { // no word: "the bodies are world," still says something, "the joints are" does not
        h.text[used > 0 && h.text[used - 1] == ',' ? used - 1 : 0] = '\0';
    }
    return h;
}

// ---- Paths ----------------------------------------------------------------------------------------------------------

// Its length before.
static size_t path_add(reader *r, const char *text)
{
    const size_t length = strlen(r->path), more = strlen(text), left = sizeof r->path - 1 - length;
    memcpy(r->path + length, text, more < left ? more : left);
    r->path[length + (more < left ? more : left)] = '\0';
    return length;
}

size_t path_enter_index(reader *r, int index)
{
    char digits[16], *at = digits + sizeof digits;
    *--at = '\0';
    for (int left = index; left > 0 || !*at; left /= 10) { // printf takes long, and every number of a list has a path
        *--at = (char)('0' + left % 10);
    }
    const size_t length = path_add(r, "[");
    path_add(r, at);
    path_add(r, "]");
    return length;
}

size_t path_enter_key(reader *r, const char *key)
{
    const size_t length = path_add(r, *r->path ? "." : "");
    path_add(r, key);
    return length;
}

void path_leave(reader *r, size_t length)
{
    r->path[length] = '\0';
}

// ---- Maps -----------------------------------------------------------------------------------------------------------

static bool takes(const schema *s, const field *f)
{
    return f->takers == 0 || (f->takers & s->kind) != 0;
}

static int taken_keys(const schema *s, const char *keys[FIELDS_MAX])
{
    int count = 0;
    for (const field *f = s->fields; f->key; f++) {
        if (takes(s, f)) {
            keys[count++] = f->key;
        }
    }
    return count;
}

// The field of a key. A key may stand in a table more than once, for different kinds of element.
static const field *find_field(reader *r, const schema *s, const node *key)
{
    bool elsewhere = false;
    for (const field *f = s->fields; f->key; f++) {
        if (strcmp(f->key, key->text) == 0) {
            if (takes(s, f)) {
                return f;
            }
            elsewhere = true;
        }
    }
    const char *keys[FIELDS_MAX];
    const int count = taken_keys(s, keys);
    char list[80];
    snprintf(list, sizeof list, "%s takes", s->what);
    if (elsewhere) {
        fail(r, key, hint_words("", keys, count, list).text, "%s takes no '%s'", s->what, key->text);
    } else {
        fail(r, key, hint_words(key->text, keys, count, list).text, "unknown key '%.60s'", key->text);
    }
    return NULL;
}

static bool read_entry(reader *r, const node_entry *entry, const field *f, void *target)
{
    const size_t length = path_enter_key(r, f->key);
    const bool read = f->read(r, entry->value, f, (char *)target + f->offset) &&
                      (f->by_coordinate || check_units(r, f->key, entry->value));
    path_leave(r, length);
    if (f->given) {
        *((char *)target + f->given) = true; // a bool, also after a mistake: the key is there
    }
    return read;
}

bool read_map(reader *r, const node *map, const schema *s, void *target)
{
    if (map->kind != NODE_MAP) {
        return fail_kind(r, map, s->what);
    }
    const int errors = r->errors;
    const node *seen[FIELDS_MAX] = {0};
    for (int i = 0; i < map->count; i++) {
        const node *key = map->entries[i].key;
        const field *f = find_field(r, s, key);
        if (f && seen[f - s->fields]) {
            fail(r, key, NULL, "the key '%s' is here twice, first at line %d", f->key, seen[f - s->fields]->line);
        } else if (f) {
            seen[f - s->fields] = key;
            read_entry(r, &map->entries[i], f, target);
        }
    }
    for (const field *f = s->fields; f->key; f++) {
        const bool missing = takes(s, f) && !seen[f - s->fields];
        const node *otherwise = missing && s->part ? default_of(r, map, s->part, s->type, f->key) : NULL;
        if (otherwise) {
            read_entry(r, &(node_entry){.value = otherwise}, f, target);
        } else if (missing && (f->needers & s->kind) != 0) {
            fail(r, map, f->hint, "%s needs the key '%s'", s->what, f->key);
        }
    }
    return r->errors == errors;
}

bool read_each(reader *r, const node *list, field_reader read, void *to)
{
    if (node_is_null(list)) {
        return true;
    }
    if (list->kind != NODE_LIST) {
        return fail_kind(r, list, "a list");
    }
    const int errors = r->errors;
    for (int i = 0; i < list->count && r->errors < READER_ERRORS_MAX; i++) {
        const size_t length = path_enter_index(r, i);
        read(r, list->entries[i].value, NULL, to);
        path_leave(r, length);
    }
    return r->errors == errors;
}

// ---- Elements of the spec -------------------------------------------------------------------------------------------

// Reads an element where it stands in the spec.
static void element_again(reader *r, const revised *v)
{
    int *count = (int *)(void *)((char *)r->spec + v->counter);
    const int all = *count;
    if (v->counter == offsetof(ph_spec, body_count)) {
        mem_free(&r->spec->allocator, r->spec->bodies[v->index].shapes);
    }
    *count = v->index;
    v->read(r, v->node, NULL, NULL);
    *count = all;
}

bool read_elements(reader *r, const node *list, field_reader read, size_t counter)
{
    if (list->kind != NODE_LIST) {
        return read_each(r, list, read, NULL);
    }
    const int errors = r->errors;
    for (int i = 0; i < list->count && r->errors < READER_ERRORS_MAX; i++) {
        const node *element = list->entries[i].value;
        const part_pose *pose = scope_pose(element->scope);
        const size_t length = path_enter_index(r, i);
        const int before = r->touched;
        read(r, element, NULL, NULL);
        path_leave(r, length);
        if (r->touched > before || (pose && pose->varies)) {
            revise_note(r, before, (revised){element_again, element, .read = read, .counter = counter, .index = i});
        }
    }
    return r->errors == errors;
}

static void noted_again(reader *r, const revised *v)
{
    v->read(r, v->node, NULL, NULL);
}

bool read_noted(reader *r, const node *n, field_reader read)
{
    const int before = r->touched;
    const bool done = read(r, n, NULL, NULL);
    if (r->touched > before) {
        revise_note(r, before, (revised){noted_again, n, .read = read});
    }
    return done;
}
