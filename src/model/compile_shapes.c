// Shapes: what each type needs.

#include "model/compile.h"

#include "math/vec3.h"

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
    {"heightfield", NEEDS_DATA},
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
    if (!check_not_negative(c, where, "density", shape->density) || shape->density == 0.0) {
        return;
    }
    if (!(flags & HAS_VOLUME)) {
        complain(c, place_key(where, "density"), NULL, "a %s has no volume, so it takes no density", shape->type);
    } else if ((flags & NEEDS_DATA) && !shape->data) {
        complain(c, place_key(where, "density"), "give mass, com and inertia of the body",
                 "the density of a shape in a file is not integrated");
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

static void check_data(compiler *c, place where, const ph_shape_def *shape)
{
    if (!shape->data && !shape->file) {
        complain(c, where, "add file: ...", "a %s needs its %s", shape->type,
                 strcmp(shape->type, "hull") == 0 ? "points" : "file");
    }
    if (shape->data && strcmp(shape->type, "hull") == 0 && shape->data_rows * shape->data_columns % 3 != 0) {
        complain(c, place_key(where, "points"), NULL, "the points of a hull have three coordinates each");
        return;
    }
    for (int i = 0; i < shape->data_rows * shape->data_columns; i++) {
        if (!isfinite(shape->data[i])) {
            complain(c, where, NULL, "number %d of the data of a %s is not finite", i + 1, shape->type);
            return;
        }
    }
}

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

bool check_shapes(compiler *c, place where, const spec_body *given)
{
    const int errors = c->errors;
    for (int k = 0; k < given->shape_count; k++) {
        check_shape(c, place_of("%s.shapes[%d]", where.text, k), &given->shapes[k]);
    }
    return c->errors == errors;
}
