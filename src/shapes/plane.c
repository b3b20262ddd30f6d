// Half space below a plane.

#include "shapes/types.h"

#include "math/vec3.h"

static bool draw(const ph_shape_def *shape, double extent, arena *memory, triangles *to)
{
    const double e = extent;
    if (!triangles_reserve(to, memory, 4, 2)) return false;
    triangles_add4(to, ph_vec(-e, -e, 0.0), ph_vec(e, -e, 0.0), ph_vec(e, e, 0.0), ph_vec(-e, e, 0.0));
    triangles_turn(to, shape->size);
    return true;
}

static const element_key keys[] = {
    {"normal", KEY_DIRECTION, SHAPE_KEY(size)},
    {0},
};

const shape_type shape_plane = {
    .name = "plane", .title = "half space below a plane", .keys = keys, .draw = draw, .on_page = true};
