// The tree of a model file: finding keys, and saying where things stand.

#include "io/model/document.h"

#include "io/model/scope.h"

#include <stdlib.h>
#include <string.h>

// ---- Text and lines -------------------------------------------------------------------------------------------------

// Bytes of the line break at `s`, 0 when there is none. YAML knows \n, \r, \r\n, U+0085, U+2028 and U+2029.
static size_t line_break(const char *s, const char *end)
{
    const unsigned char c = (unsigned char)s[0];
    const size_t left = (size_t)(end - s);
    if (c == '\n') {
        return 1;
    }
    if (c == '\r') {
        return left > 1 && s[1] == '\n' ? 2 : 1;
    }
    if (c == 0xc2 && left > 1 && (unsigned char)s[1] == 0x85) {
        return 2;
    }
    if (c == 0xe2 && left > 2 && (unsigned char)s[1] == 0x80 && ((unsigned char)s[2] | 1) == 0xa9) {
        return 3;
    }
    return 0;
}

// Fills `starts` (unless NULL) with the offset of every line. Returns how many there are.
static int find_lines(const char *text, size_t length, size_t *starts)
{
    int count = 0;
    const char *end = text + length;
    for (const char *s = text;;) {
        if (starts) {
            starts[count] = (size_t)(s - text);
        }
        count++;
        size_t skip = 0;
        while (s < end && (skip = line_break(s, end)) == 0) {
            s++;
        }
        if (skip == 0) {
            return count;
        }
        s += skip;
    }
}

document *document_create(const char *name, const char *text, size_t length)
{
    arena *memory = arena_create(NULL);
    document *d = memory ? arena_alloc(memory, sizeof *d) : NULL;
    if (!d) {
        arena_destroy(memory);
        return NULL;
    }
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        length -= 3;
    }
    d->memory = memory;
    d->length = length;
    d->name = arena_copy_string(memory, name);
    d->line_count = find_lines(text, length, NULL);
    d->lines = arena_alloc_array(memory, (size_t)d->line_count, sizeof *d->lines);
    char *copy = arena_alloc(memory, length + 1);
    if (!copy || !d->lines || (name && !d->name)) {
        arena_destroy(memory);
        return NULL;
    }
    memcpy(copy, text, length);
    d->text = copy;
    find_lines(text, length, d->lines);
    return d;
}

void document_destroy(document *d)
{
    while (d) {
        document *next = d->next;
        arena_destroy(d->memory);
        d = next;
    }
}

// ---- Places ---------------------------------------------------------------------------------------------------------

static bool starts_character(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

// A copy of line `line`, cut some way behind `column`; NULL when that is too far to the right to be shown.
static const char *source_line(document *d, int line, int column)
{
    enum { BEHIND = 120, LONGEST = 1 << 16 };
    if (line < 1 || line > d->line_count) {
        return NULL;
    }
    const char *start = d->text + d->lines[line - 1], *end = d->text + d->length;
    const char *s = start;
    for (int characters = 0; s < end && line_break(s, end) == 0 && *s; s++) {
        characters += starts_character(*s);
        if (characters > column + BEHIND) {
            break;
        }
    }
    const size_t length = (size_t)(s - start);
    char *copy = length <= LONGEST ? arena_alloc(d->memory, length + 1) : NULL;
    return copy ? memcpy(copy, start, length) : NULL;
}

void document_place_at(document *d, int line, int column, ph_problem *problem)
{
    problem->file = d->name;
    problem->line = line;
    problem->column = column;
    problem->source = source_line(d, line, column);
}

void document_place(const node *n, int position, ph_problem *problem)
{
    int column = n->column;
    if (n->text_column > 0 && position > 0) {
        column = n->text_column;
        for (int i = 0; i < position && n->text[i]; i++) {
            column += starts_character(n->text[i]);
        }
    }
    document_place_at(n->file, n->line, column, problem);
}

// ---- Paths ----------------------------------------------------------------------------------------------------------

const node *node_find(const node *map, const char *key)
{
    for (int i = 0; map && map->kind == NODE_MAP && i < map->count; i++) {
        if (strcmp(map->entries[i].key->text, key) == 0) {
            return map->entries[i].value;
        }
    }
    return NULL;
}

// One step of a path: "[3]", "key" or ".key". Moves *path behind it. NULL when there is no such node.
static const node *step_down(const node *at, const char **path)
{
    const char *s = *path;
    if (*s == '[') {
        char *end;
        const long index = strtol(s + 1, &end, 10);
        *path = *end == ']' ? end + 1 : "";
        return at->kind == NODE_LIST && index >= 0 && index < at->count ? at->entries[index].value : NULL;
    }
    s += *s == '.';
    char key[64];
    const size_t length = strcspn(s, ".[");
    *path = s + length;
    if (length >= sizeof key) {
        return NULL;
    }
    memcpy(key, s, length);
    key[length] = '\0';
    return node_find(at, key);
}

void document_locate(void *user, const char *path, ph_problem *problem)
{
    document *d = user;
    const node *at = d->root;
    while (at && path && *path) {
        const node *below = step_down(at, &path);
        if (!below) {
            break;
        }
        at = below;
    }
    if (at && at != d->root) {
        document_place(at, 0, problem);
        problem->text = scope_tell(at->scope, problem->text, d->memory);
    } else {
        document_place_at(d, 1, 1, problem);
    }
}
