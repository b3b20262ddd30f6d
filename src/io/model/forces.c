// Force elements.

#include "io/model/reader.h"

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
    n = node_list(r, n);
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

static bool read_force_sites(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    ph_force_def *def = to;
    const ph_site_def *sites[2] = {0};
    if (!node_sites(r, n, sites)) {
        return false;
    }
    def->body_a = sites[0]->body;
    def->body_b = sites[1]->body;
    def->point_a = sites[0]->position;
    def->point_b = sites[1]->position;
    return true;
}

static bool read_force_site(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    ph_force_def *def = to;
    const ph_site_def *site = NULL;
    if (!node_site(r, n, &site)) {
        return false;
    }
    def->body_b = site->body;
    def->point_b = site->position;
    def->at_com = false;
    return true;
}

static const field force_fields[] = {
    {"name", read_text, FORCE(name)},
    {"type", read_later, FIELD_WHOLE, FIELD_REQUIRED},
    {"bodies", read_bodies, FORCE(body_a), .takers = SPRING | BUSHING},
    {"sites", read_force_sites, FIELD_WHOLE, .takers = SPRING, .form = "names2"},
    {"point_a", read_vector, FORCE(point_a), .takers = SPRING},
    {"point_b", read_vector, FORCE(point_b), .takers = SPRING},
    {"joint", read_joint, FORCE(joint), .takers = TORSION, .needers = TORSION},
    {"stiffness", read_number, FORCE(stiffness), .takers = SPRING | TORSION},
    {"damping", read_number, FORCE(damping), .takers = SPRING | TORSION},
    {"length", read_number, FORCE(length), FIELD_GIVEN(ph_force_def, has_length), .takers = SPRING},
    {"rest", read_number, FORCE(length), FIELD_GIVEN(ph_force_def, has_length), .takers = TORSION},
    {"anchor", read_vector, FORCE(anchor), .takers = BUSHING, .needers = BUSHING},
    {"orientation", read_orientation, FORCE(orientation), .takers = BUSHING},
    {"stiffness", read_matrix6, FORCE(stiffness6), .takers = BUSHING, .form = "matrix6"},
    {"damping", read_matrix6, FORCE(damping6), .takers = BUSHING, .form = "matrix6"},
    {"body", read_body, FORCE(body_b), .takers = WRENCH},
    {"site", read_force_site, FIELD_WHOLE, .takers = WRENCH, .form = "text"},
    {"force", read_values3, FORCE(force), .takers = WRENCH},
    {"torque", read_values3, FORCE(torque), .takers = WRENCH},
    {"frame", read_frame, FORCE(body_frame), .takers = WRENCH, .form = "frame"},
    {"point", read_vector, FORCE(point_b), .takers = WRENCH},
    {0},
};

static const char *force_type_name(int index, uint32_t *kind)
{
    *kind = 1u << index;
    return force_words[index];
}

const part_table force_table = {"force", "forces", force_fields, force_type_name, "Acts on bodies."};

// A force that is given in the axes of a turned part, in those of the world: sums of what stands there.
static bool turn_values(reader *r, const part_pose *pose, ph_value v[3])
{
    const ph_mat3 R = ph_quat_to_mat(pose->orientation);
    ph_value turned[3];
    if (!v[0].expression && !v[1].expression && !v[2].expression) {
        const ph_vec3 f = pose_turn(pose, (ph_vec3){v[0].number, v[1].number, v[2].number});
        v[0].number = f.x, v[1].number = f.y, v[2].number = f.z;
        return true;
    }
    for (int i = 0; i < 3; i++) {
        size_t bytes = 1, used = 0;
        char digits[2][32];
        for (int k = 0; k < 3; k++) {
            bytes += 80 + (v[k].expression ? strlen(v[k].expression) : 0);
        }
        char *text = arena_alloc(r->document->memory, bytes);
        r->out_of_memory = r->out_of_memory || !text;
        for (int k = 0; text && k < 3; k++) {
            number_text(R.m[i][k], digits[0]);
            number_text(v[k].number, digits[1]);
            used += (size_t)snprintf(text + used, bytes - used, "%s(%s)*(%s)", k ? " + " : "", digits[0],
                                     v[k].expression ? v[k].expression : digits[1]);
        }
        turned[i] = (ph_value){.expression = text};
    }
    memcpy(v, turned, sizeof turned);
    return true;
}

// Bodies, or sites in their place.
static void check_bodies(reader *r, const node *n, uint32_t kind, const ph_force_def *force)
{
    const char *key = kind & WRENCH ? "body" : "bodies", *other = kind & WRENCH ? "site" : "sites";
    if (!(kind & (SPRING | BUSHING | WRENCH))) {
        return;
    }
    if (force->body_b == PH_NONE && !node_find(n, key) && !node_find(n, other)) {
        fail(r, n, NULL, "a %s needs the key '%s'", force->type, key);
    }
    const char *const both[] = {key, "point_a", "point_b", "point"};
    for (size_t k = 0; node_find(n, other) && k < sizeof both / sizeof both[0]; k++) {
        if (node_find(n, both[k])) {
            fail(r, node_find(n, both[k]), NULL, "'%s' says already what '%s' says", other, both[k]);
        }
    }
}

// In a part that stands elsewhere: what is given in the world.
static void place_force(reader *r, const part_pose *pose, ph_force_def *force)
{
    if (!pose) {
        return;
    }
    if (force->body_a == PH_WORLD) {
        force->point_a = pose_point(pose, force->point_a);
    }
    if (force->body_b == PH_WORLD) {
        force->point_b = pose_point(pose, force->point_b);
    }
    force->anchor = pose_point(pose, force->anchor);
    force->orientation = ph_quat_mul(pose->orientation, force->orientation);
    if (!force->body_frame) {
        turn_values(r, pose, force->force);
        turn_values(r, pose, force->torque);
    }
}

// Also after mistakes the force is added, so that indices stay those of the file.
static bool read_one_force(reader *r, const node *n, const field *f, void *to)
{
    (void)f, (void)to;
    ph_force_def force = ph_default_force();
    const node *given = node_or_default(r, n, "forces", "type");
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
        read_map(r, n, &(schema){what, force_fields, 1u << type, "forces", force_words[type]}, &force);
        check_bodies(r, n, 1u << type, &force);
        place_force(r, node_find(n, "sites") ? NULL : scope_pose(n->scope), &force);
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
