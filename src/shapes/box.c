// Box with three full lengths along its axes.

#include "shapes/types.h"

#include "math/vec3.h"

static bool make_solid(const ph_shape_def *shape, arena *scratch, shape_solid *to)
{
    (void)scratch;
    const ph_vec3 size = shape->size;
    const double V = size.x * size.y * size.z;
    *to = solid_symmetric(V, V * size.x * size.x / 12.0, V * size.y * size.y / 12.0, V * size.z * size.z / 12.0);
    return true;
}

static ph_vec3 support(const shape_sizes *s, ph_vec3 d, int *number)
{
    const ph_vec3 half = s->half;
    *number = (d.x > 0.0) | (d.y > 0.0) << 1 | (d.z > 0.0) << 2;
    return ph_vec(d.x > 0.0 ? half.x : -half.x, d.y > 0.0 ? half.y : -half.y, d.z > 0.0 ? half.z : -half.z);
}

static ph_vec3 reach(const shape_sizes *s, ph_mat3 R)
{
    const ph_vec3 h = s->half;
    return ph_vec(fabs(R.m[0][0]) * h.x + fabs(R.m[0][1]) * h.y + fabs(R.m[0][2]) * h.z,
                  fabs(R.m[1][0]) * h.x + fabs(R.m[1][1]) * h.y + fabs(R.m[1][2]) * h.z,
                  fabs(R.m[2][0]) * h.x + fabs(R.m[2][1]) * h.y + fabs(R.m[2][2]) * h.z);
}

static const element_key keys[] = {
    {"size", KEY_VECTOR, SHAPE_KEY(size), .rule = POSITIVE, .needed = true},
    {"density", KEY_NUMBER, SHAPE_KEY(density), .rule = POSITIVE},
    {0},
};

const shape_type shape_box = {
    .name = "box", .title = "box", .keys = keys, .solid = make_solid, .support = support, .reach = reach};
