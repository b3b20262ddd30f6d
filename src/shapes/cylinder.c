// Cylinder along its axis, about its middle.

#include "shapes/types.h"

#include "math/mat3.h"
#include "math/trig.h"
#include "math/vec3.h"

static bool make_solid(const ph_shape_def *shape, arena *scratch, shape_solid *to)
{
    (void)scratch;
    *to = solid_turned(shape_axes(shape->axis), solid_cylinder(shape->radius, shape->length));
    return true;
}

static ph_vec3 support(const shape_sizes *c, ph_vec3 d, int *number)
{
    const double across = sqrt(d.x * d.x + d.y * d.y);
    const double s = across > 0.0 ? c->radius / across : 0.0;
    *number = d.z > 0.0;
    return ph_vec(across > 0.0 ? s * d.x : c->radius, s * d.y, d.z > 0.0 ? c->half_length : -c->half_length);
}

// A disc reaches r sin(angle between its axis and the direction).
static ph_vec3 reach(const shape_sizes *s, ph_mat3 R)
{
    const ph_vec3 z = ph_mat_col(R, 2);
    const ph_vec3 along = ph_scale(s->half_length, ph_vec(fabs(z.x), fabs(z.y), fabs(z.z)));
    return ph_madd(along, s->radius,
                   ph_vec(sqrt(ph_max(0.0, 1.0 - z.x * z.x)), sqrt(ph_max(0.0, 1.0 - z.y * z.y)),
                          sqrt(ph_max(0.0, 1.0 - z.z * z.z))));
}

enum { SIDE_LINE = 2, RIM_POINT = 3 }; // caps are 0 and 1

static void face_along(const shape_sizes *s, const frame *at, ph_vec3 d, face *to)
{
    const ph_vec3 local = ph_tmul(at->R, d);
    const double across = sqrt(local.x * local.x + local.y * local.y), k = across > 0.0 ? s->radius / across : 0.0;
    const double h = s->half_length;
    if (across < SHAPE_SMALL_TILT) {
        to->id = local.z > 0.0;
        face_of_disc(at, s->radius, local.z > 0.0 ? h : -h, local.z > 0.0 ? 1.0 : -1.0, local, to);
    } else if (fabs(local.z) < SHAPE_SMALL_TILT) {
        const ph_vec3 side = ph_scale(k, local);
        to->id = SIDE_LINE;
        face_of_line(at, ph_vec(side.x, side.y, -h), ph_vec(side.x, side.y, h), to);
    } else {
        to->id = RIM_POINT;
        face_of_point(at, ph_vec(k * local.x, k * local.y, copysign(h, local.z)), to);
    }
}

static bool draw(const ph_shape_def *shape, double extent, arena *memory, triangles *to)
{
    (void)extent;
    const double r = shape->radius, half = 0.5 * shape->length;
    const profile_point profile[] = {{0.0, half, 0.0, 1.0}, {r, half, 0.0, 1.0},   {r, half, 1.0, 0.0},
                                     {r, -half, 1.0, 0.0},  {r, -half, 0.0, -1.0}, {0.0, -half, 0.0, -1.0}};
    if (!triangles_sweep(to, memory, profile, 6, ph_vec(1.0, 1.0, 1.0))) return false;
    triangles_turn(to, shape->axis);
    return true;
}

const shape_type shape_cylinder = {
    .name = "cylinder",
    .title = "cylinder",
    .keys = shape_round_keys,
    .solid = make_solid,
    .support = support,
    .reach = reach,
    .face = face_along,
    .draw = draw,
    .on_page = true,
};
