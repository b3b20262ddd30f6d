// Ball of a given radius.

#include "shapes/types.h"

static bool make_solid(const ph_shape_def *shape, arena *scratch, solid *to)
{
    (void)scratch;
    *to = solid_ellipsoid((ph_vec3){shape->radius, shape->radius, shape->radius});
    return true;
}

static const element_key keys[] = {
    {"radius", KEY_NUMBER, SHAPE_KEY(radius), .rule = POSITIVE, .needed = true},
    {"density", KEY_NUMBER, SHAPE_KEY(density), .rule = POSITIVE},
    {0},
};

const shape_type shape_sphere = {.name = "sphere", .title = "ball", .keys = keys, .solid = make_solid};
