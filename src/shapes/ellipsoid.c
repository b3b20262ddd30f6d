// Ellipsoid with three radii along its axes.

#include "shapes/types.h"

static bool make_solid(const ph_shape_def *shape, arena *scratch, solid *to)
{
    (void)scratch;
    *to = solid_ellipsoid(shape->size);
    return true;
}

static const element_key keys[] = {
    {"radii", KEY_VECTOR, SHAPE_KEY(size), .rule = POSITIVE, .needed = true},
    {"density", KEY_NUMBER, SHAPE_KEY(density), .rule = POSITIVE},
    {0},
};

const shape_type shape_ellipsoid = {.name = "ellipsoid", .title = "ellipsoid", .keys = keys, .solid = make_solid};
