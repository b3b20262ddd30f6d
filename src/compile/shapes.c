// Shapes: what each type needs, and what stands in files.

#include "compile/compile.h"

#include "math/vec3.h"
#include "model/shape_file.h"
#include "shapes/shape.h"

#include <string.h>

static const shape_type *find_type(compiler *c, place where, const char *name)
{
    const char *known[64];
    int count = 0;
    const shape_type *type = shape_type_find(name);
    for (; shape_types[count] && count < 64; count++) {
        known[count] = shape_types[count]->name;
    }
    if (!type && name) {
        complain(c, place_key(where, "type"), hint_for(name, known, count).text, "there is no shape '%s'", name);
    } else if (!type) {
        complain(c, where, "add type: sphere, box, ...", "the shape has no type");
    }
    return type;
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

static void check_size(compiler *c, place where, const char *type, const char *key, ph_vec3 size)
{
    if (!check_finite3(c, where, key, size)) {
        return;
    }
    if (ph_norm(size) == 0.0) {
        complain(c, where, NULL, "a %s needs its %s", type, key);
    } else if (fmin(size.x, fmin(size.y, size.z)) <= 0.0) {
        complain(c, place_key(where, key), NULL, "every entry of %s must be positive", key);
    }
}

static void check_density(compiler *c, place where, const ph_shape_def *shape, const shape_type *type)
{
    if (check_not_negative(c, where, "density", shape->density) && shape->density != 0.0 && !type->solid) {
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

// ---- Data: points, triangles, heights -------------------------------------------------------------------------------

typedef struct fault_place {
    compiler *c;
    place where;
} fault_place;

static void add_fault(void *user, const char *key, const char *hint, const char *text)
{
    const fault_place *at = user;
    complain(at->c, key ? place_key(at->where, key) : at->where, hint, "%s", text);
}

static void check_data(compiler *c, place where, const ph_shape_def *shape, const shape_type *type)
{
    if (!shape->data) {
        if (!shape->file) { // else reading it failed, which has been said
            complain(c, where, "add file: ...", "a %s needs its %s", shape->type, type->data);
        }
        return;
    }
    for (int i = 0; i < shape->data_rows * shape->data_columns; i++) {
        if (!isfinite(shape->data[i])) {
            complain(c, where, NULL, "number %d of the data of a %s is not finite", i + 1, shape->type);
            return;
        }
    }
    shape_faults faults = {add_fault, &(fault_place){c, where}, c->scratch, false};
    if (type->check) {
        type->check(shape, &faults);
    }
    c->out_of_memory = c->out_of_memory || faults.out_of_memory;
}

// Surfaces without inside cannot meet each other; those that move would have to.
static void check_static(compiler *c, place where, const ph_shape_def *shape)
{
    const shape_type *type = shape_type_find(shape->type);
    if (type && type->surface && shape->collide) {
        complain(c, where, "give what moves hulls, or collide: false", "a %s collides only on a fixed body",
                 shape->type);
    }
}

// ---- One shape ------------------------------------------------------------------------------------------------------

static void check_key(compiler *c, place where, const shape_type *type, const element_key *key,
                      const ph_shape_def *shape)
{
    const void *at = (const char *)shape + key->offset;
    if (key->kind == KEY_NUMBER && key->needed) {
        check_positive(c, where, type->name, key->key, *(const double *)at);
    } else if (key->kind == KEY_VECTOR) {
        check_size(c, where, type->name, key->key, *(const ph_vec3 *)at);
    } else if (key->kind == KEY_DIRECTION) {
        check_direction(c, where, key->key, *(const ph_vec3 *)at);
    }
}

static void check_shape(compiler *c, place where, const ph_shape_def *shape)
{
    const shape_type *type = find_type(c, where, shape->type);
    ph_quat orientation = shape->orientation;
    check_finite3(c, where, "position", shape->position);
    check_unit_quat(c, where, "orientation", &orientation);
    check_surface(c, where, shape);
    for (const element_key *key = type ? type->keys : NULL; key && key->key; key++) {
        check_key(c, where, type, key, shape);
    }
    if (type && type->data) {
        check_data(c, where, shape, type);
    }
    if (type) {
        check_density(c, where, shape, type);
    }
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

static void compile_shape(compiler *c, place where, bool fixed, ph_shape_def *shape)
{
    shape->type = keep_string(c, shape->type);
    shape->file = keep_string(c, shape->file);
    shape->color = keep_string(c, shape->color);
    shape->data = keep_array(c, shape->data, shape->data_rows * shape->data_columns, sizeof *shape->data);
    const shape_type *type = shape_type_find(shape->type);
    if (shape->file && !shape->data && type && type->data) {
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
