// Keys that types of elements own (base/element_key.h), as fields of the reader: how the value of each kind of key is read,
// what it is in the JSON schema, and how it stands in a part that is placed elsewhere.

#include "io/model/reader.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// ---- Values that only such keys have --------------------------------------------------------------------------------

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

static bool read_point_or_com(reader *r, const node *n, const field *f, void *to)
{
    ph_force_def *def = to;
    def->at_com = false;
    return read_vector(r, n, f, &def->point_b);
}

// A table of numbers: `rows` lists of `columns` each, of any width when columns is 0.
static bool read_table(reader *r, const node *n, int columns, ph_shape_def *shape)
{
    n = node_list(r, n);
    if (n->kind != NODE_LIST || n->count == 0) {
        return fail_kind(r, n, "a list of lists of numbers");
    }
    const node *first = n->entries[0].value;
    shape->data_rows = n->count;
    shape->data_columns = columns ? columns : first->kind == NODE_LIST ? first->count : 1;
    if (shape->data_columns == 0) {
        return fail_kind(r, first, "a list of numbers");
    }
    double *data = arena_alloc_array(r->document->memory, (size_t)n->count * (size_t)shape->data_columns, sizeof *data);
    shape->data = data;
    r->out_of_memory = r->out_of_memory || !data;
    const int errors = r->errors;
    for (int i = 0; data && i < n->count && r->errors < READER_ERRORS_MAX; i++) {
        const size_t length = path_enter_index(r, i);
        node_numbers(r, n->entries[i].value, data + (size_t)i * (size_t)shape->data_columns, shape->data_columns);
        path_leave(r, length);
    }
    return r->errors == errors;
}

static bool read_points(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    return read_table(r, n, 3, to);
}

static bool read_heights(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    return read_table(r, n, 0, to);
}

static bool read_file(reader *r, const node *n, const field *f, void *to)
{
    const char *path = NULL;
    if (!node_text(r, n, "the path of a file", &path)) {
        return false;
    }
    if (!*path || !path_stays_inside(path)) {
        return fail(r, n, "a path relative to the model's folder, without '..'",
                    "the file '%.100s' is outside the model's folder", path);
    }
    const char *folder = scope_folder(n->scope);
    if (!*folder) {
        return read_text(r, n, f, to);
    }
    const size_t bytes = strlen(folder) + strlen(path) + 1;
    char *full = arena_alloc(r->document->memory, bytes);
    r->out_of_memory = r->out_of_memory || !full;
    if (full) {
        snprintf(full, bytes, "%s%s", folder, path);
    }
    *(const char **)to = full;
    return full;
}

// ---- Fields ---------------------------------------------------------------------------------------------------------

static_assert(offsetof(ph_force_def, body_b) == offsetof(ph_force_def, body_a) + sizeof(int), "read as one pair");

static const struct {
    field_reader read;
    bool whole;       // the reader takes the whole definition
    const char *form; // NULL: what the reader says
} kinds[] = {
    [KEY_NUMBER] = {.read = read_number},
    [KEY_VECTOR] = {.read = read_vector},
    [KEY_DIRECTION] = {.read = read_direction},
    [KEY_FLAG] = {.read = read_bool},
    [KEY_POINTS] = {.read = read_points, .whole = true, .form = "table"},
    [KEY_TABLE] = {.read = read_heights, .whole = true, .form = "table"},
    [KEY_FILE] = {.read = read_file, .form = "path"},
    [KEY_BODIES] = {.read = read_bodies},
    [KEY_BODY] = {.read = read_body},
    [KEY_SITES] = {.read = read_force_sites, .whole = true, .form = "names2"},
    [KEY_SITE] = {.read = read_force_site, .whole = true, .form = "text"},
    [KEY_JOINT] = {.read = read_joint},
    [KEY_POINT_A] = {.read = read_vector},
    [KEY_POINT_B] = {.read = read_vector},
    [KEY_POINT_OR_COM] = {.read = read_point_or_com, .whole = true, .form = "vector"},
    [KEY_PLACE] = {.read = read_vector},
    [KEY_ORIENTATION] = {.read = read_orientation},
    [KEY_MATRIX6] = {.read = read_matrix6, .form = "matrix6"},
    [KEY_VALUES3] = {.read = read_values3},
    [KEY_FRAME] = {.read = read_frame, .form = "frame"},
};

static field field_of(const element_key *k, const element_key *all, uint32_t type)
{
    const bool by_site = key_of_kind(all, KEY_SITES) || key_of_kind(all, KEY_SITE);
    const bool replaced = by_site && (k->kind == KEY_BODIES || k->kind == KEY_BODY);
    return (field){
        .key = k->key,
        .read = kinds[k->kind].read,
        .offset = kinds[k->kind].whole ? 0 : k->offset,
        .given = k->given,
        .rule = k->rule,
        .takers = type,
        .needers = k->needed && !replaced ? type : 0,
        .hint = k->hint,
        .form = kinds[k->kind].form,
    };
}

static bool is_same(const field *a, const field *b)
{
    return strcmp(a->key, b->key) == 0 && a->read == b->read && a->offset == b->offset && a->given == b->given &&
           a->rule == b->rule && a->takers != 0;
}

// What several types have in common is one field.
static void enter_field(field *fields, int *count, field f)
{
    for (int i = 0; i < *count; i++) {
        if (is_same(&fields[i], &f)) {
            fields[i].takers |= f.takers;
            fields[i].needers |= f.needers;
            return;
        }
    }
    assert(*count < FIELDS_MAX - 1);
    fields[(*count)++] = f;
}

// The type's own keys come right after `type`: that is how elements are written, and how messages list them.
const field *table_fields(const part_table *table, field room[FIELDS_MAX])
{
    uint32_t kind;
    int count = 0;
    const field *common = table->fields;
    if (!table->keys) {
        return common;
    }
    memset(room, 0, FIELDS_MAX * sizeof *room);
    do {
        room[count++] = *common;
    } while (strcmp((common++)->key, "type") != 0);
    for (int i = 0; table->type(i, &kind); i++) {
        const element_key *keys = table->keys(i);
        for (const element_key *k = keys; k->key; k++) {
            enter_field(room, &count, field_of(k, keys, kind));
        }
    }
    for (; common->key; common++) {
        enter_field(room, &count, *common);
    }
    return room;
}

// ---- Parts that stand elsewhere -------------------------------------------------------------------------------------

// A force that is given in the axes of a turned part, in those of the world: sums of what stands there.
static void turn_values(reader *r, const part_pose *pose, ph_value v[3])
{
    const ph_mat3 R = ph_quat_to_mat(pose->orientation);
    ph_value turned[3];
    if (!v[0].expression && !v[1].expression && !v[2].expression) {
        const ph_vec3 f = pose_turn(pose, (ph_vec3){v[0].number, v[1].number, v[2].number});
        v[0].number = f.x, v[1].number = f.y, v[2].number = f.z;
        return;
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
}

// What of a force is given in the world.
static void place_key(reader *r, const part_pose *pose, const element_key *k, ph_force_def *def)
{
    void *at = (char *)def + k->offset;
    const bool in_world = k->kind == KEY_PLACE || (k->kind == KEY_POINT_A && def->body_a == PH_WORLD) ||
                          (k->kind == KEY_POINT_B && def->body_b == PH_WORLD);
    if (in_world) {
        *(ph_vec3 *)at = pose_point(pose, *(ph_vec3 *)at);
    } else if (k->kind == KEY_DIRECTION) {
        *(ph_vec3 *)at = pose_turn(pose, *(ph_vec3 *)at);
    } else if (k->kind == KEY_ORIENTATION) {
        *(ph_quat *)at = ph_quat_mul(pose->orientation, *(ph_quat *)at);
    } else if (k->kind == KEY_VALUES3 && !def->body_frame) {
        turn_values(r, pose, at);
    }
}

void place_force(reader *r, const part_pose *pose, const element_key *keys, ph_force_def *def)
{
    for (const element_key *k = keys; pose && k->key; k++) {
        place_key(r, pose, k, def);
    }
}
