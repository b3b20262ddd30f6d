// Shapes: what each type needs, and what stands in files.

#include "compile/compile.h"

#include "math/vec3.h"
#include "model/hull.h"
#include "model/mesh.h"
#include "model/shape_file.h"

#include <string.h>

enum { NEEDS_RADIUS = 1, NEEDS_LENGTH = 2, NEEDS_SIZE = 4, NEEDS_DATA = 8, HAS_VOLUME = 16, NEEDS_NORMAL = 32 };

static const struct shape_type {
    const char *name;
    int flags;
} shape_types[] = {
    {"sphere", NEEDS_RADIUS | HAS_VOLUME},
    {"box", NEEDS_SIZE | HAS_VOLUME},
    {"capsule", NEEDS_RADIUS | NEEDS_LENGTH | HAS_VOLUME},
    {"cylinder", NEEDS_RADIUS | NEEDS_LENGTH | HAS_VOLUME},
    {"ellipsoid", NEEDS_SIZE | HAS_VOLUME},
    {"plane", NEEDS_NORMAL},
    {"hull", NEEDS_DATA | HAS_VOLUME},
    {"mesh", NEEDS_DATA | HAS_VOLUME},
    {"heightfield", NEEDS_SIZE | NEEDS_DATA},
};
enum { SHAPE_TYPES = sizeof shape_types / sizeof *shape_types };

static const struct shape_type *find_type(compiler *c, place where, const char *name)
{
    const char *known[SHAPE_TYPES];
    for (int i = 0; i < SHAPE_TYPES; i++) {
        if (name && strcmp(shape_types[i].name, name) == 0) {
            return &shape_types[i];
        }
        known[i] = shape_types[i].name;
    }
    if (name) {
        complain(c, place_key(where, "type"), hint_for(name, known, SHAPE_TYPES).text, "there is no shape '%s'", name);
    } else {
        complain(c, where, "add type: sphere, box, ...", "the shape has no type");
    }
    return NULL;
}

static void check_positive(compiler *c, place where, const char *type, const char *key, double value)
{
    if (!check_finite(c, where, key, value)) {
        return;
    }
    if (value == 0.0) {
        complain(c, where, NULL, "a %s needs a %s", type, key);
    } else if (value < 0.0) {
        complain(c, place_key(where, key), NULL, "%s is %g, it must be positive", key, value);
    }
}

static void check_size(compiler *c, place where, const char *type, ph_vec3 size)
{
    const char *key = strcmp(type, "ellipsoid") == 0 ? "radii" : "size";
    if (!check_finite3(c, where, key, size)) {
        return;
    }
    if (ph_norm(size) == 0.0) {
        complain(c, where, NULL, "a %s needs its %s", type, key);
    } else if (fmin(size.x, fmin(size.y, size.z)) <= 0.0) {
        complain(c, place_key(where, key), NULL, "every entry of %s must be positive", key);
    }
}

static void check_density(compiler *c, place where, const ph_shape_def *shape, int flags)
{
    if (check_not_negative(c, where, "density", shape->density) && shape->density != 0.0 && !(flags & HAS_VOLUME)) {
        complain(c, place_key(where, "density"), NULL, "a %s has no volume, so it takes no density", shape->type);
    }
}

static void check_surface(compiler *c, place where, const ph_shape_def *shape)
{
    check_not_negative(c, where, "friction", shape->friction);
    if (check_not_negative(c, where, "restitution", shape->restitution) && shape->restitution > 1.0) {
        complain(c, place_key(where, "restitution"), "1 gives back all of the speed, 0 nothing",
                 "restitution is %g, it must not exceed 1", shape->restitution);
    }
    check_not_negative(c, where, "rolling_friction", shape->rolling_friction);
    check_not_negative(c, where, "spinning_friction", shape->spinning_friction);
    check_not_negative(c, where, "compliance", shape->compliance);
}

// ---- Hulls, meshes, height fields -----------------------------------------------------------------------------------

static void check_hull(compiler *c, place where, const ph_shape_def *shape)
{
    const place data = place_key(where, shape->file ? "file" : "points");
    const int numbers = shape->data_rows * shape->data_columns, count = numbers / 3;
    if (numbers % 3 != 0) {
        complain(c, data, NULL, "the points of a hull have three coordinates each");
        return;
    }
    if (count < 4) {
        complain(c, data, NULL, "a hull needs four points at least, there %s %d", count == 1 ? "is" : "are", count);
        return;
    }
    ph_vec3 *points = arena_alloc_array(c->scratch, (size_t)count, sizeof *points);
    hull faces;
    for (int i = 0; points && i < count; i++) {
        points[i] = ph_vec(shape->data[3 * i], shape->data[3 * i + 1], shape->data[3 * i + 2]);
    }
    if (!points || !hull_create(points, count, c->scratch, &faces)) {
        c->out_of_memory = true;
    } else if (faces.count == 0) {
        complain(c, data, "a hull encloses a volume; for a plate give it some thickness",
                 "the points of the hull lie in a plane");
    }
}

static const char *plural(int count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

static void check_volume(compiler *c, place where, place data, const ph_shape_def *shape, const mesh_defects *d)
{
    if (d->open_edges == 0 && d->volume <= 0.0) {
        complain(c, data, "the corners of a triangle run counter-clockwise seen from outside",
                 "the mesh is inside out: its volume is %.6g", d->volume);
    } else if (d->open_edges > 0 && shape->density > 0.0) {
        complain(c, place_key(where, "density"), "close the mesh, or give mass, com and inertia of the body",
                 "the mesh is not closed, so it has no volume: %d %s only one triangle", d->open_edges,
                 plural(d->open_edges, "edge has", "edges have"));
    }
}

static void check_mesh(compiler *c, place where, const ph_shape_def *shape)
{
    const place data = place_key(where, "file");
    mesh m;
    mesh_defects d;
    if (shape->data_rows * shape->data_columns % MESH_NUMBERS != 0) {
        complain(c, data, NULL, "a triangle of a mesh has three corners of three coordinates each");
        return;
    }
    if (!mesh_create(shape->data, shape->data_rows * shape->data_columns / MESH_NUMBERS, c->scratch, &m, &d)) {
        c->out_of_memory = true;
        return;
    }
    if (d.degenerate.count) {
        complain(c, data, NULL, "%d %s no area, the first is triangle %d", d.degenerate.count,
                 plural(d.degenerate.count, "triangle has", "triangles have"), d.degenerate.triangle + 1);
    }
    if (d.twin.count) {
        complain(c, data, NULL, "%d %s twice, the first is triangle %d, the same as triangle %d", d.twin.count,
                 plural(d.twin.count, "triangle is there", "triangles are there"), d.twin.triangle + 1,
                 d.twin.other + 1);
    }
    const bool follows = d.degenerate.count || d.twin.count; // from these, and is not worth saying
    if (d.crowded.count && !follows) {
        complain(c, data, "at an edge of a surface two triangles meet",
                 "%d %s more than two triangles, the first is between triangles %d and %d", d.crowded.count,
                 plural(d.crowded.count, "edge has", "edges have"), d.crowded.triangle + 1, d.crowded.other + 1);
    }
    if (d.turned.count && !follows) {
        complain(c, data, "the corners of a triangle run counter-clockwise seen from outside",
                 "triangles %d and %d are neighbours and disagree about which side is outside", d.turned.other + 1,
                 d.turned.triangle + 1);
    }
    if (mesh_is_sound(&d)) {
        check_volume(c, where, data, shape, &d);
    }
}

static void check_heightfield(compiler *c, place where, const ph_shape_def *shape)
{
    if (shape->data_rows < 2 || shape->data_columns < 2) {
        complain(c, place_key(where, shape->file ? "file" : "values"), NULL,
                 "a height field needs two rows and two columns at least, it has %d and %d", shape->data_rows,
                 shape->data_columns);
    }
}

static void check_data(compiler *c, place where, const ph_shape_def *shape)
{
    if (!shape->data) {
        if (!shape->file) { // else reading it failed, which has been said
            complain(c, where, "add file: ...", "a %s needs its %s", shape->type,
                     strcmp(shape->type, "hull") == 0          ? "points"
                     : strcmp(shape->type, "heightfield") == 0 ? "values"
                                                               : "file");
        }
        return;
    }
    for (int i = 0; i < shape->data_rows * shape->data_columns; i++) {
        if (!isfinite(shape->data[i])) {
            complain(c, where, NULL, "number %d of the data of a %s is not finite", i + 1, shape->type);
            return;
        }
    }
    if (strcmp(shape->type, "hull") == 0) {
        check_hull(c, where, shape);
    } else if (strcmp(shape->type, "mesh") == 0) {
        check_mesh(c, where, shape);
    } else {
        check_heightfield(c, where, shape);
    }
}

// Surfaces without inside cannot meet each other; those that move would have to.
static void check_static(compiler *c, place where, const ph_shape_def *shape)
{
    const bool surface = strcmp(shape->type, "mesh") == 0 || strcmp(shape->type, "heightfield") == 0;
    if (surface && shape->collide) {
        complain(c, where, "give what moves hulls, or collide: false", "a %s collides only on a fixed body",
                 shape->type);
    }
}

// ---- One shape ------------------------------------------------------------------------------------------------------

static void check_shape(compiler *c, place where, const ph_shape_def *shape)
{
    const struct shape_type *type = find_type(c, where, shape->type);
    ph_quat orientation = shape->orientation;
    check_finite3(c, where, "position", shape->position);
    check_unit_quat(c, where, "orientation", &orientation);
    check_surface(c, where, shape);
    if (!type) {
        return;
    }
    if (type->flags & NEEDS_RADIUS) {
        check_positive(c, where, type->name, "radius", shape->radius);
    }
    if (type->flags & NEEDS_LENGTH) {
        check_positive(c, where, type->name, "length", shape->length);
        check_direction(c, where, "axis", shape->axis);
    }
    if (type->flags & NEEDS_SIZE) {
        check_size(c, where, type->name, shape->size);
    }
    if (type->flags & NEEDS_NORMAL) {
        check_direction(c, where, "normal", shape->size);
    }
    if (type->flags & NEEDS_DATA) {
        check_data(c, where, shape);
    }
    check_density(c, where, shape, type->flags);
}

static void read_file(compiler *c, place where, ph_shape_def *shape)
{
    ph_error error = {.text = ""};
    const ph_status status = shape_file_read(shape, c->spec->folder, c->model->memory, &error);
    if (status == PH_OUT_OF_MEMORY) {
        c->out_of_memory = true;
    } else if (status != PH_OK) {
        complain(c, place_key(where, "file"),
                 status == PH_NOT_FOUND ? "files are relative to the model's folder" : NULL, "%s", error.text);
    }
}

static bool reads_files(const char *type)
{
    return type && (strcmp(type, "mesh") == 0 || strcmp(type, "hull") == 0 || strcmp(type, "heightfield") == 0);
}

static void compile_shape(compiler *c, place where, bool fixed, ph_shape_def *shape)
{
    shape->type = keep_string(c, shape->type);
    shape->file = keep_string(c, shape->file);
    shape->color = keep_string(c, shape->color);
    shape->data = keep_array(c, shape->data, shape->data_rows * shape->data_columns, sizeof *shape->data);
    if (shape->file && !shape->data && reads_files(shape->type)) {
        read_file(c, where, shape);
    }
    check_shape(c, where, shape);
    if (c->spec->has_contact && !fixed && shape->type) {
        check_static(c, where, shape);
    }
}

// ---- The shapes of a body -------------------------------------------------------------------------------------------

// Bodies of one kind have the same shapes, which the model then keeps once. A table finds the first body of each kind.

static uint64_t mix(uint64_t hash, const void *bytes, size_t count)
{
    for (size_t k = 0; k < count; k++) hash = (hash ^ ((const unsigned char *)bytes)[k]) * 0x100000001b3u;
    return hash;
}

// Of what differs between kinds of bodies most often.
static uint64_t hash_shapes(const spec_body *given)
{
    uint64_t hash = mix(0xcbf29ce484222325u, &given->shape_count, sizeof given->shape_count);
    for (int k = 0; k < given->shape_count; k++) {
        const ph_shape_def *s = &given->shapes[k];
        hash = mix(mix(hash, &s->size, sizeof s->size), &s->radius, sizeof s->radius);
        hash = mix(mix(hash, &s->length, sizeof s->length), &s->position, sizeof s->position);
        hash = mix(hash, &s->density, sizeof s->density);
    }
    return hash ^ hash >> 32;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_data(const ph_shape_def *a, const ph_shape_def *b)
{
    if (a->data_rows != b->data_rows || a->data_columns != b->data_columns || !a->data != !b->data) return false;
    return !a->data || memcmp(a->data, b->data, sizeof *a->data * (size_t)a->data_rows * (size_t)a->data_columns) == 0;
}

static bool same_shape(const ph_shape_def *a, const ph_shape_def *b)
{
    const double x[] = {a->radius,      a->length,           a->density,           a->friction,
                        a->restitution, a->rolling_friction, a->spinning_friction, a->compliance};
    const double y[] = {b->radius,      b->length,           b->density,           b->friction,
                        b->restitution, b->rolling_friction, b->spinning_friction, b->compliance};
    return same_text(a->type, b->type) && same_text(a->file, b->file) && same_text(a->color, b->color) &&
           memcmp(x, y, sizeof x) == 0 && memcmp(&a->size, &b->size, sizeof a->size) == 0 &&
           memcmp(&a->axis, &b->axis, sizeof a->axis) == 0 &&
           memcmp(&a->position, &b->position, sizeof a->position) == 0 &&
           memcmp(&a->orientation, &b->orientation, sizeof a->orientation) == 0 && a->smooth == b->smooth &&
           a->group == b->group && a->collide == b->collide && same_data(a, b);
}

static bool same_kind(const spec_body *a, const spec_body *b)
{
    bool same = a->shape_count == b->shape_count && a->def.fixed == b->def.fixed;
    for (int k = 0; same && k < a->shape_count; k++) same = same_shape(&a->shapes[k], &b->shapes[k]);
    return same;
}

// The slot of the table that holds the first body with these shapes, or the empty one where it goes; NULL: out of memory.
static int *find_kind(compiler *c, const spec_body *given)
{
    if (!c->kinds) {
        uint32_t size = 2;
        while (size < 2u * (uint32_t)c->spec->body_count) size *= 2;
        c->kinds = arena_alloc_array(c->scratch, size, sizeof *c->kinds);
        c->kinds_mask = size - 1;
        if (!c->kinds) return NULL;
    }
    uint32_t at = (uint32_t)hash_shapes(given) & c->kinds_mask;
    while (c->kinds[at] && !same_kind(&c->spec->bodies[c->kinds[at] - 1], given)) at = (at + 1) & c->kinds_mask;
    return &c->kinds[at];
}

bool compile_shapes(compiler *c, place where, const spec_body *given, int body, body_kind *to)
{
    const int errors = c->errors;
    to->shapes_of = body;
    if (given->shape_count == 0) return true;
    int *kind = find_kind(c, given);
    if (kind && *kind) { // without a mistake, or it would not stand there
        to->shapes_of = *kind - 1;
        to->shapes = c->model->bodies[to->shapes_of].kind->shapes;
        to->shape_count = given->shape_count;
        return true;
    }
    ph_shape_def *shapes = arena_alloc_array(c->model->memory, (size_t)given->shape_count, sizeof *shapes);
    if (!kind || !shapes) {
        c->out_of_memory = true;
        return false;
    }
    for (int k = 0; k < given->shape_count; k++) {
        shapes[k] = given->shapes[k];
        compile_shape(c, place_of("%s.shapes[%d]", where.text, k), given->def.fixed, &shapes[k]);
    }
    to->shapes = shapes;
    to->shape_count = given->shape_count;
    if (c->errors == errors) *kind = body + 1;
    return c->errors == errors;
}
