// Bodies and their shapes.

#include "io/model/reader.h"
#include "math/mat3.h"
#include "shapes/shape.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

// ---- Shapes ---------------------------------------------------------------------------------------------------------

bool path_stays_inside(const char *path)
{
    if (path[0] == '/' || strchr(path, '\\') || strchr(path, ':')) {
        return false;
    }
    for (const char *s = path; *s;) {
        const size_t length = strcspn(s, "/");
        if (length == 2 && s[0] == '.' && s[1] == '.') {
            return false;
        }
        s += length + (s[length] == '/');
    }
    return true;
}

static const struct {
    const char *name, *code;
} colors[] = {
    {"black", "#000000"},  {"white", "#ffffff"},  {"gray", "#808080"},  {"grey", "#808080"}, {"red", "#d62728"},
    {"orange", "#ff7f0e"}, {"yellow", "#e7c000"}, {"green", "#2ca02c"}, {"blue", "#1f77b4"}, {"purple", "#9467bd"},
    {"brown", "#8c564b"},  {"pink", "#e377c2"},   {"cyan", "#17becf"},
};

// "#rrggbb" or a name.
static bool read_color(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    static const char *const wanted = "a name like blue, or a code in quotes like \"#1f77b4\"";
    if (n->kind != NODE_SCALAR || node_is_null(n)) {
        return fail(r, n, "an unquoted # starts a comment", "expected a color: %s", wanted);
    }
    const char *names_of[sizeof colors / sizeof colors[0]];
    const int count = (int)(sizeof colors / sizeof colors[0]);
    for (int i = 0; i < count; i++) {
        names_of[i] = colors[i].name;
        if (strcmp(colors[i].name, n->text) == 0) {
            *(const char **)to = colors[i].code;
            return true;
        }
    }
    bool code = n->text[0] == '#' && strlen(n->text) == 7;
    for (int i = 1; code && i < 7; i++) {
        code = isxdigit((unsigned char)n->text[i]);
    }
    if (!code) {
        return fail(r, n, hint_words(n->text, names_of, count, "codes are \"#rrggbb\"; names are").text,
                    "unknown color '%.40s'", n->text);
    }
    *(const char **)to = n->text;
    return true;
}

#define SHAPE(member) FIELD_AT(ph_shape_def, member)

// Of all types; those of one type alone are its own (shapes/shape.h).
static const field shape_fields[] = {
    {"type", read_later, FIELD_WHOLE, FIELD_REQUIRED},
    {"position", read_vector, SHAPE(position)},
    {"orientation", read_orientation, SHAPE(orientation)},
    {"friction", read_number, SHAPE(friction)},
    {"restitution", read_number, SHAPE(restitution)},
    {"rolling_friction", read_number, SHAPE(rolling_friction)},
    {"spinning_friction", read_number, SHAPE(spinning_friction)},
    {"compliance", read_number, SHAPE(compliance)},
    {"group", read_integer, SHAPE(group)},
    {"collide", read_bool, SHAPE(collide)},
    {"color", read_color, SHAPE(color), .form = "color"},
    {0},
};

static const char *shape_type_name(int index, uint32_t *kind)
{
    *kind = 1u << index;
    return shape_types[index] ? shape_types[index]->name : NULL;
}

static const element_key *shape_keys(int index)
{
    return shape_types[index]->keys;
}

const part_table shape_table = {
    "shape", "shapes", shape_fields, shape_type_name, "Gives mass, looks and contact to its body.", shape_keys};

static void read_shape_map(reader *r, const node *n, int index, ph_shape_def *shape)
{
    const shape_type *type = shape_types[index];
    char what[64];
    snprintf(what, sizeof what, "%s %s", strchr("aeiou", type->name[0]) ? "an" : "a", type->name);
    shape->type = type->name;
    for (const element_key *k = type->keys; k->key; k++) {
        if (k->kind == KEY_DIRECTION) {
            *(ph_vec3 *)((char *)shape + k->offset) = ph_vec(0.0, 0.0, 1.0);
        }
    }
    read_map(r, n, &(schema){what, r->shape_fields, 1u << index, "shapes", type->name}, shape);
    if (shape->data && shape->file) {
        fail(r, node_find(n, "file"), NULL, "%s is given by %s or by a file, not both", what, type->data);
    }
}

// `to` is the index of the body.
static bool read_shape(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    int type = 0, count = 0;
    const char *words[TYPES_MAX + 1] = {0};
    for (; shape_types[count] && count < TYPES_MAX; count++) {
        words[count] = shape_types[count]->name;
    }
    const node *given = node_or_default(r, n, "shapes", "type");
    if (n->kind != NODE_MAP) {
        return fail_kind(r, n, "a shape");
    }
    if (!given) {
        return fail(r, n, hint_words("", words, count, "type is one of").text, "a shape needs the key 'type'");
    }
    ph_shape_def shape = ph_default_shape();
    if (node_choice(r, given, "shape", words, &type)) {
        read_shape_map(r, n, type, &shape);
    }
    const int index = ph_spec_add_shape(r->spec, *(const int *)to, &shape);
    r->out_of_memory = r->out_of_memory || index < 0;
    return index >= 0;
}

// ---- Bodies ---------------------------------------------------------------------------------------------------------

// Three principal moments, six entries xx yy zz xy xz yz, or the whole matrix.
static bool read_inertia(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    n = node_list(r, n);
    ph_mat3 *J = to;
    double v[6];
    if (n->kind == NODE_LIST && n->count == 6) {
        if (!node_numbers(r, n, v, 6)) {
            return false;
        }
        *J = (ph_mat3){{{v[0], v[3], v[4]}, {v[3], v[1], v[5]}, {v[4], v[5], v[2]}}};
        return true;
    }
    if (n->kind != NODE_LIST || n->count != 3) {
        return fail_kind(r, n, "3 (diagonal), 6 (xx yy zz xy xz yz) or 3x3 numbers");
    }
    if (n->entries[0].value->kind != NODE_LIST) {
        if (!node_numbers(r, n, v, 3)) {
            return false;
        }
        *J = ph_diag(ph_vec(v[0], v[1], v[2]));
        return true;
    }
    bool read = true;
    for (int i = 0; i < 3; i++) {
        const size_t length = path_enter_index(r, i);
        read = node_numbers(r, n->entries[i].value, J->m[i], 3) && read;
        path_leave(r, length);
    }
    return read;
}

static bool read_reference(reader *r, const node *n, const field *f, void *to)
{
    ph_body_def *body = to;
    n = node_list(r, n);
    if (n->kind == NODE_LIST) {
        body->reference = PH_REFERENCE_POINT;
        return read_vector(r, n, f, &body->reference_point);
    }
    static const char *const words[] = {"com", "origin", NULL};
    int word = 0;
    if (!node_choice(r, n, "reference point", words, &word)) {
        return false;
    }
    body->reference = word == 0 ? PH_REFERENCE_COM : PH_REFERENCE_ORIGIN;
    return true;
}

#define BODY(member) FIELD_AT(ph_body_def, member)

static const field body_fields[] = {
    {"name", read_text, BODY(name), FIELD_REQUIRED},
    {"fixed", read_bool, BODY(fixed)},
    {"mass", read_number, BODY(mass), .rule = POSITIVE},
    {"inertia", read_inertia, BODY(inertia), .form = "inertia"},
    {"any_inertia", read_bool, BODY(any_inertia)},
    {"com", read_vector, BODY(com)},
    {"reference", read_reference, FIELD_WHOLE, .form = "reference"},
    {"position", read_vector, BODY(position)},
    {"orientation", read_orientation, BODY(orientation)},
    {"velocity", read_vector, BODY(velocity)},
    {"angular_velocity", read_vector, BODY(angular_velocity)},
    {"volume", read_number, BODY(volume), .rule = POSITIVE},
    {"shapes", read_later, FIELD_WHOLE, .form = "shapes"},
    {0},
};

const part_table body_table = {"body", "bodies", body_fields, NULL, .about = "A rigid body."};

// In a part that stands elsewhere.
static void place_body(const part_pose *pose, ph_body_def *body)
{
    if (pose) {
        body->position = pose_point(pose, body->position);
        body->orientation = ph_quat_mul(pose->orientation, body->orientation);
        body->velocity = pose_turn(pose, body->velocity);
    }
}

// Also after mistakes the body is added, so that indices stay those of the file.
static bool read_one_body(reader *r, const node *n, const field *f, void *to)
{
    (void)f, (void)to;
    static const schema table = {"a body", body_fields, UINT32_MAX, "bodies", NULL};
    ph_body_def body = ph_default_body();
    bool read = read_map(r, n, &table, &body);
    place_body(scope_pose(n->scope), &body);
    int index = ph_spec_add_body(r->spec, &body);
    r->out_of_memory = r->out_of_memory || index < 0;
    const node *shapes = node_or_default(r, n, "bodies", "shapes");
    if (shapes && index >= 0) {
        const size_t length = path_enter_key(r, "shapes");
        read = read_each(r, shapes, read_shape, &index) && read;
        path_leave(r, length);
    }
    return read;
}

bool read_bodies_part(reader *r, const node *n, const field *f, void *to)
{
    (void)f, (void)to;
    table_fields(&shape_table, r->shape_fields);
    return read_elements(r, n, read_one_body, offsetof(ph_spec, body_count));
}
