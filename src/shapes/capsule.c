// Cylinder with half balls at its ends; the length is that of the cylinder.

#include "shapes/types.h"

#include "math/mat3.h"
#include "math/vec3.h"

// int z^2 over a half ball shifted by s is V_h (r^2/5 + 2 s (3 r / 8) + s^2).
static bool make_solid(const ph_shape_def *shape, arena *scratch, shape_solid *to)
{
    (void)scratch;
    const double pi = 3.14159265358979323846, r = shape->radius, length = shape->length;
    const shape_solid tube = solid_cylinder(r, length);
    const double V = 4.0 / 3.0 * pi * r * r * r, s = 0.5 * length;
    const double across = V * r * r / 5.0, along = V * (r * r / 5.0 + 0.75 * s * r + s * s);
    const shape_solid caps = solid_symmetric(V, across, across, along);
    const shape_solid both = {tube.V + caps.V, ph_zero3(), ph_mat_add(tube.J, caps.J)};
    *to = solid_turned(shape_axes(shape->axis), both);
    return true;
}

// Of the segment along the axis.
static ph_vec3 support(const shape_sizes *s, ph_vec3 d, int *number)
{
    *number = d.z > 0.0;
    return ph_vec(0.0, 0.0, d.z > 0.0 ? s->half_length : -s->half_length);
}

static ph_vec3 reach(const shape_sizes *s, ph_mat3 R)
{
    const ph_vec3 z = ph_mat_col(R, 2);
    const ph_vec3 along = ph_scale(s->half_length, ph_vec(fabs(z.x), fabs(z.y), fabs(z.z)));
    return ph_add(ph_vec(s->radius, s->radius, s->radius), along);
}

enum { SIDE_LINE = 2 }; // ends are 0 and 1

static void face_along(const shape_sizes *s, const frame *at, ph_vec3 d, face *to)
{
    const ph_vec3 local = ph_tmul(at->R, d);
    const double h = s->half_length;
    if (fabs(local.z) < SHAPE_SMALL_TILT) {
        to->id = SIDE_LINE;
        face_of_line(at, ph_vec(0.0, 0.0, -h), ph_vec(0.0, 0.0, h), to);
    } else {
        to->id = local.z > 0.0;
        face_of_point(at, ph_vec(0.0, 0.0, copysign(h, local.z)), to);
    }
    for (int k = 0; k < to->count; k++) to->points[k] = ph_madd(to->points[k], s->radius, d);
}

static bool draw(const ph_shape_def *shape, double extent, arena *memory, triangles *to)
{
    (void)extent;
    if (!triangles_sweep_round(to, memory, shape->radius, 0.5 * shape->length, ph_vec(1.0, 1.0, 1.0))) return false;
    triangles_turn(to, shape->axis);
    return true;
}

const shape_type shape_capsule = {
    .name = "capsule",
    .title = "cylinder with round ends",
    .keys = shape_round_keys,
    .solid = make_solid,
    .support = support,
    .reach = reach,
    .face = face_along,
    .draw = draw,
    .on_page = true,
};
