// Force elements. Their keys are those of their types (forces/force.h).

#include "forces/force.h"
#include "io/model/reader.h"

#include <stdio.h>
#include <string.h>

static const field common_fields[] = {
    {"name", read_text, FIELD_AT(ph_force_def, name)},
    {"type", read_later, FIELD_WHOLE, FIELD_REQUIRED},
    {0},
};

static const char *force_type_name(int index, uint32_t *kind)
{
    *kind = 1u << index;
    return force_types[index] ? force_types[index]->name : NULL;
}

static const element_key *force_keys(int index)
{
    return force_types[index]->keys;
}

const part_table force_table = {"force", "forces", common_fields, force_type_name, "Acts on bodies.", force_keys};

// Its place among the types, or -1.
static int find_type(reader *r, const node *n)
{
    const char *words[TYPES_MAX + 1] = {0};
    int count = 0, type = -1;
    for (; force_types[count] && count < TYPES_MAX; count++) {
        words[count] = force_types[count]->name;
    }
    const node *given = node_or_default(r, n, "forces", "type");
    if (!given) {
        fail(r, n, hint_words("", words, count, "type is one of").text, "a force needs the key 'type'");
        return -1;
    }
    return node_choice(r, given, "force type", words, &type) ? type : -1;
}

static bool says_where(const element_key *k)
{
    return k->kind == KEY_BODIES || k->kind == KEY_BODY || k->kind == KEY_POINT_A || k->kind == KEY_POINT_B ||
           k->kind == KEY_POINT_OR_COM;
}

// Bodies and points, or sites in their place.
static void check_sites(reader *r, const node *n, const force_type *type, const ph_force_def *def)
{
    const element_key *pair = key_of_kind(type->keys, KEY_SITES), *single = key_of_kind(type->keys, KEY_SITE);
    const element_key *by = pair ? pair : single;
    const bool by_site = by && node_find(n, by->key);
    for (const element_key *k = type->keys; by && k->key; k++) {
        const node *given = node_find(n, k->key);
        if (by_site && given && says_where(k)) {
            fail(r, given, NULL, "'%s' says already what '%s' says", by->key, k->key);
        } else if (!by_site && !given && k->needed && says_where(k) && def->body_b == PH_NONE) {
            fail(r, n, k->hint, "a %s needs the key '%s'", type->name, k->key);
        }
    }
}

static void read_force_map(reader *r, const node *n, int index, ph_force_def *def)
{
    const force_type *type = force_types[index];
    char what[64];
    snprintf(what, sizeof what, "%s %s", strchr("aeiou", type->name[0]) ? "an" : "a", type->name);
    def->type = type->name;
    def->at_com = key_of_kind(type->keys, KEY_POINT_OR_COM);
    if (read_map(r, n, &(schema){what, r->force_fields, 1u << index, "forces", type->name}, def)) {
        check_force_units(r, n, type->keys, def);
    }
    check_sites(r, n, type, def);
    place_force(r, node_find(n, "sites") ? NULL : scope_pose(n->scope), type->keys, def);
}

// Also after mistakes the force is added, so that indices stay those of the file.
static bool read_one_force(reader *r, const node *n, const field *f, void *to)
{
    (void)f, (void)to;
    ph_force_def force = ph_default_force();
    int type = -1;
    if (n->kind != NODE_MAP) {
        fail_kind(r, n, "a force");
    } else {
        type = find_type(r, n);
    }
    if (type >= 0) {
        read_force_map(r, n, type, &force);
    }
    const bool added = ph_spec_add_force(r->spec, &force) >= 0;
    r->out_of_memory = r->out_of_memory || !added;
    return added;
}

bool read_forces_part(reader *r, const node *n, const field *f, void *to)
{
    (void)f, (void)to;
    table_fields(&force_table, r->force_fields);
    return read_elements(r, n, read_one_force, offsetof(ph_spec, force_count));
}
