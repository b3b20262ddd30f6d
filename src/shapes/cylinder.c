// Cylinder along its axis, about its middle.

#include "shapes/types.h"

static bool make_solid(const ph_shape_def *shape, arena *scratch, solid *to)
{
    (void)scratch;
    *to = solid_turned(shape_axes(shape->axis), solid_cylinder(shape->radius, shape->length));
    return true;
}

static const element_key keys[] = {
    {"radius", KEY_NUMBER, SHAPE_KEY(radius), .rule = POSITIVE, .needed = true},
    {"length", KEY_NUMBER, SHAPE_KEY(length), .rule = POSITIVE, .needed = true},
    {"axis", KEY_DIRECTION, SHAPE_KEY(axis)},
    {"density", KEY_NUMBER, SHAPE_KEY(density), .rule = POSITIVE},
    {0},
};

const shape_type shape_cylinder = {.name = "cylinder", .title = "cylinder", .keys = keys, .solid = make_solid};
