// Box with three full lengths along its axes.

#include "shapes/types.h"

static bool make_solid(const ph_shape_def *shape, arena *scratch, solid *to)
{
    (void)scratch;
    const ph_vec3 size = shape->size;
    const double V = size.x * size.y * size.z;
    *to = solid_symmetric(V, V * size.x * size.x / 12.0, V * size.y * size.y / 12.0, V * size.z * size.z / 12.0);
    return true;
}

static const element_key keys[] = {
    {"size", KEY_VECTOR, SHAPE_KEY(size), .rule = POSITIVE, .needed = true},
    {"density", KEY_NUMBER, SHAPE_KEY(density), .rule = POSITIVE},
    {0},
};

const shape_type shape_box = {.name = "box", .title = "box", .keys = keys, .solid = make_solid};
