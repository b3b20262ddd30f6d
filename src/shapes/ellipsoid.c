// Ellipsoid with three radii along its axes.

#include "shapes/types.h"

#include "math/vec3.h"

static bool make_solid(const ph_shape_def *shape, arena *scratch, shape_solid *to)
{
    (void)scratch;
    *to = solid_ellipsoid(shape->size);
    return true;
}

// r^2 d / |r d|, componentwise
static ph_vec3 support(const shape_sizes *c, ph_vec3 d, int *number)
{
    const ph_vec3 r = c->half;
    *number = 0;
    const ph_vec3 v = ph_vec(r.x * d.x, r.y * d.y, r.z * d.z);
    const double s = 1.0 / ph_norm(v);
    return ph_vec(s * r.x * v.x, s * r.y * v.y, s * r.z * v.z);
}

// |diag(radii) R^T e|
static ph_vec3 reach(const shape_sizes *c, ph_mat3 R)
{
    return ph_vec(ph_norm(ph_vec(R.m[0][0] * c->half.x, R.m[0][1] * c->half.y, R.m[0][2] * c->half.z)),
                  ph_norm(ph_vec(R.m[1][0] * c->half.x, R.m[1][1] * c->half.y, R.m[1][2] * c->half.z)),
                  ph_norm(ph_vec(R.m[2][0] * c->half.x, R.m[2][1] * c->half.y, R.m[2][2] * c->half.z)));
}

static bool draw(const ph_shape_def *shape, double extent, arena *memory, triangles *to)
{
    (void)extent;
    return triangles_sweep_round(to, memory, 1.0, 0.0, shape->size);
}

static const element_key keys[] = {
    {"radii", KEY_VECTOR, SHAPE_KEY(size), .rule = POSITIVE, .needed = true},
    {"density", KEY_NUMBER, SHAPE_KEY(density), .rule = POSITIVE},
    {0},
};

const shape_type shape_ellipsoid = {.name = "ellipsoid",
                                    .title = "ellipsoid",
                                    .keys = keys,
                                    .solid = make_solid,
                                    .support = support,
                                    .reach = reach,
                                    .draw = draw,
                                    .on_page = true};
