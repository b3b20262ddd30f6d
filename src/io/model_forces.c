// Force elements.

#include "io/model_reader.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { SPRING = 1 << 0, TORSION = 1 << 1, BUSHING = 1 << 2, WRENCH = 1 << 3 };

static const char *const force_words[] = {"spring", "torsion", "bushing", "wrench", NULL}; // in the order of the bits

// 6x6, or the six entries of its diagonal; rotation before translation.
static bool read_matrix6(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    double *m = to;
    if (n->kind != NODE_LIST || n->count != 6) {
        return fail_kind(r, n, "6 (diagonal) or 6x6 numbers, rotation before translation");
    }
    if (n->entries[0].value->kind != NODE_LIST) {
        double diagonal[6] = {0};
        const bool read = node_numbers(r, n, diagonal, 6);
        for (int i = 0; i < 6; i++) {
            m[7 * i] = diagonal[i];
        }
        return read;
    }
    bool read = true;
    for (int i = 0; i < 6; i++) {
        const size_t length = path_enter_index(r, i);
        read = node_numbers(r, n->entries[i].value, m + 6 * i, 6) && read;
        path_leave(r, length);
    }
    return read;
}

static bool read_frame(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    static const char *const words[] = {"world", "body", NULL};
    int word = 0;
    if (!node_choice(r, n, "frame", words, &word)) {
        return false;
    }
    *(bool *)to = word == 1;
    return true;
}

static_assert(offsetof(ph_force_def, body_b) == offsetof(ph_force_def, body_a) + sizeof(int), "read as one pair");

#define FORCE(member) FIELD_AT(ph_force_def, member)

static const field force_fields[] = {
    {"name", read_text, FORCE(name)},
    {"type", read_later, FIELD_WHOLE, FIELD_REQUIRED},
    {"bodies", read_bodies, FORCE(body_a), .takers = SPRING | BUSHING, .needers = SPRING | BUSHING},
    {"point_a", read_vector, FORCE(point_a), .takers = SPRING},
    {"point_b", read_vector, FORCE(point_b), .takers = SPRING},
    {"joint", read_joint, FORCE(joint), .takers = TORSION, .needers = TORSION},
    {"stiffness", read_number, FORCE(stiffness), .takers = SPRING | TORSION},
    {"damping", read_number, FORCE(damping), .takers = SPRING | TORSION},
    {"length", read_number, FORCE(length), FIELD_GIVEN(ph_force_def, has_length), .takers = SPRING},
    {"rest", read_number, FORCE(length), FIELD_GIVEN(ph_force_def, has_length), .takers = TORSION},
    {"anchor", read_vector, FORCE(anchor), .takers = BUSHING, .needers = BUSHING},
    {"orientation", read_orientation, FORCE(orientation), .takers = BUSHING},
    {"stiffness", read_matrix6, FORCE(stiffness6), .takers = BUSHING},
    {"damping", read_matrix6, FORCE(damping6), .takers = BUSHING},
    {"body", read_body, FORCE(body_b), .takers = WRENCH, .needers = WRENCH},
    {"force", read_values3, FORCE(force), .takers = WRENCH},
    {"torque", read_values3, FORCE(torque), .takers = WRENCH},
    {"frame", read_frame, FORCE(body_frame), .takers = WRENCH},
    {"point", read_vector, FORCE(point_b), .takers = WRENCH},
    {0},
};

// Also after mistakes the force is added, so that indices stay those of the file.
static bool read_one_force(reader *r, const node *n, const field *f, void *to)
{
    (void)f, (void)to;
    ph_force_def force = ph_default_force();
    const node *given = node_find(n, "type");
    int type = 0;
    if (n->kind != NODE_MAP) {
        fail_kind(r, n, "a force");
    } else if (!given) {
        fail(r, n, hint_words("", force_words, 4, "type is one of").text, "a force needs the key 'type'");
    } else if (node_choice(r, given, "force type", force_words, &type)) {
        char what[32];
        snprintf(what, sizeof what, "a %s", force_words[type]);
        force.type = force_words[type];
        force.at_com = (1u << type & WRENCH) && !node_find(n, "point");
        read_map(r, n, &(schema){what, force_fields, 1u << type}, &force);
    }
    const bool added = ph_spec_add_force(r->spec, &force) >= 0;
    r->out_of_memory = r->out_of_memory || !added;
    return added;
}

bool read_forces_part(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    return read_each(r, n, read_one_force, to);
}
