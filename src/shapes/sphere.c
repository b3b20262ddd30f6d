// Ball of a given radius.

#include "shapes/types.h"

static bool make_solid(const ph_shape_def *shape, arena *scratch, shape_solid *to)
{
    (void)scratch;
    *to = solid_ellipsoid((ph_vec3){shape->radius, shape->radius, shape->radius});
    return true;
}

static ph_vec3 reach(const shape_sizes *s, ph_mat3 R)
{
    (void)R;
    return (ph_vec3){s->radius, s->radius, s->radius};
}

static bool draw(const ph_shape_def *shape, double extent, arena *memory, triangles *to)
{
    (void)extent;
    return triangles_sweep_round(to, memory, shape->radius, 0.0, ph_vec(1.0, 1.0, 1.0));
}

static const element_key keys[] = {
    {"radius", KEY_NUMBER, SHAPE_KEY(radius), .rule = POSITIVE, .needed = true},
    {"density", KEY_NUMBER, SHAPE_KEY(density), .rule = POSITIVE},
    {0},
};

const shape_type shape_sphere = {.name = "sphere",
                                 .title = "ball",
                                 .keys = keys,
                                 .solid = make_solid,
                                 .reach = reach,
                                 .draw = draw,
                                 .on_page = true};
