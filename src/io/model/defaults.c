// defaults: {shapes: {friction: 0.8, box: {color: gray}}, joints: {type: revolute, damping: 0.1}}: what elements have where
// they do not say otherwise. A key that an element's type does not take is not given to it.

#include "io/model/reader.h"

#include <string.h>

static const node *find_in(const node *defaults, const char *part, const char *type, const char *key)
{
    const node *all = node_find(defaults, part), *of_type = type ? node_find(all, type) : NULL;
    const node *found = of_type ? node_find(of_type, key) : NULL;
    return found ? found : node_find(all, key);
}

const node *default_of(const reader *r, const node *element, const char *part, const char *type, const char *key)
{
    for (const scope *s = element->scope; s; s = s->outer) {
        const node *found = s->defaults ? find_in(s->defaults, part, type, key) : NULL;
        if (found || s->sealed) {
            return found;
        }
    }
    const node *defaults = node_find(r->document->root, "defaults");
    return defaults ? find_in(defaults, part, type, key) : NULL;
}

const node *node_or_default(const reader *r, const node *element, const char *part, const char *key)
{
    const node *found = node_find(element, key);
    return found || element->kind != NODE_MAP ? found : default_of(r, element, part, NULL, key);
}

// ---- Checks ---------------------------------------------------------------------------------------------------------

static const part_table *find_table(const char *part)
{
    for (int k = 0; part_tables[k]; k++) {
        if (part_tables[k]->part && strcmp(part_tables[k]->part, part) == 0) {
            return part_tables[k];
        }
    }
    return NULL;
}

static bool is_type(const part_table *table, const char *word)
{
    uint32_t kind;
    const char *type = "";
    for (int i = 0; table->type && type; i++) {
        type = table->type(i, &kind);
        if (type && strcmp(type, word) == 0) {
            return true;
        }
    }
    return false;
}

// Keys must be some type's; values are read where they are used.
static void check_defaults(reader *r, const char *part, const node *map)
{
    enum { KEYS = 64 };
    const part_table *table = find_table(part);
    const char *keys[KEYS];
    int count = 0;
    field room[FIELDS_MAX];
    for (const field *f = table_fields(table, room); f->key && count < KEYS; f++) {
        keys[count++] = f->key;
    }
    for (int i = 0; i < map->count; i++) {
        const node *key = map->entries[i].key, *value = map->entries[i].value;
        bool known = is_type(table, key->text) && value->kind == NODE_MAP;
        if (known) {
            check_defaults(r, part, value);
        }
        for (int k = 0; k < count && !known; k++) {
            known = strcmp(keys[k], key->text) == 0;
        }
        if (!known) {
            fail(r, key, hint_words(key->text, keys, count, "there are").text, "unknown key '%.60s'", key->text);
        } else if (strcmp(key->text, "name") == 0) {
            fail(r, key, NULL, "a name is of one element alone");
        }
    }
}

bool read_defaults(reader *r, const node *n, const field *f, void *to)
{
    (void)f, (void)to;
    if (node_is_null(n)) {
        return true;
    }
    if (n->kind != NODE_MAP) {
        return fail_kind(r, n, "a map of bodies, shapes, joints, ...");
    }
    const int errors = r->errors;
    for (int i = 0; i < n->count; i++) {
        const node *key = n->entries[i].key, *value = n->entries[i].value;
        const char *parts[16];
        int count = 0;
        for (int k = 0; part_tables[k] && count < 16; k++) {
            if (part_tables[k]->part) {
                parts[count++] = part_tables[k]->part;
            }
        }
        if (!find_table(key->text)) {
            fail(r, key, hint_words(key->text, parts, count, "there are defaults of").text, "unknown key '%.60s'",
                 key->text);
        } else if (value->kind != NODE_MAP && !node_is_null(value)) {
            fail_kind(r, value, "a map of keys and values");
        } else {
            check_defaults(r, key->text, value);
        }
    }
    return r->errors == errors;
}
