// Cylinder with half balls at its ends; the length is that of the cylinder.

#include "shapes/types.h"

#include "math/mat3.h"
#include "math/vec3.h"

// int z^2 over a half ball shifted by s is V_h (r^2/5 + 2 s (3 r / 8) + s^2).
static bool make_solid(const ph_shape_def *shape, arena *scratch, solid *to)
{
    (void)scratch;
    const double pi = 3.14159265358979323846, r = shape->radius, length = shape->length;
    const solid tube = solid_cylinder(r, length);
    const double V = 4.0 / 3.0 * pi * r * r * r, s = 0.5 * length;
    const double across = V * r * r / 5.0, along = V * (r * r / 5.0 + 0.75 * s * r + s * s);
    const solid caps = solid_symmetric(V, across, across, along);
    const solid both = {tube.V + caps.V, ph_zero3(), ph_mat_add(tube.J, caps.J)};
    *to = solid_turned(shape_axes(shape->axis), both);
    return true;
}

static const element_key keys[] = {
    {"radius", KEY_NUMBER, SHAPE_KEY(radius), .rule = POSITIVE, .needed = true},
    {"length", KEY_NUMBER, SHAPE_KEY(length), .rule = POSITIVE, .needed = true},
    {"axis", KEY_DIRECTION, SHAPE_KEY(axis)},
    {"density", KEY_NUMBER, SHAPE_KEY(density), .rule = POSITIVE},
    {0},
};

const shape_type shape_capsule = {
    .name = "capsule", .title = "cylinder with round ends", .keys = keys, .solid = make_solid};
