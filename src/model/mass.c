// Mass properties of solids of uniform density.

#include "model/mass.h"

#include "math/quat.h"

#include <string.h>

// Solid of density 1: volume V, and inertia J about the centre c of volume, in some frame.
typedef struct solid {
    double V;
    ph_vec3 c;
    ph_mat3 J;
} solid;

// m (|r|^2 I - r r^T): what a point mass m at r adds to an inertia (Huygens, Steiner).
static ph_mat3 point_inertia(double m, ph_vec3 r)
{
    return ph_mat_scale(m, ph_mat_sub(ph_mat_scale(ph_norm2(r), ph_identity()), ph_outer(r, r)));
}

// Second moments sxx = int x^2 dV ... of a solid with three symmetry planes give J = diag(syy + szz, szz + sxx, sxx + syy).
static solid symmetric(double V, double sxx, double syy, double szz)
{
    return (solid){V, ph_zero3(), ph_diag(ph_vec(syy + szz, szz + sxx, sxx + syy))};
}

static const double pi = 3.14159265358979323846;

static solid ellipsoid(ph_vec3 r)
{
    const double V = 4.0 / 3.0 * pi * r.x * r.y * r.z;
    return symmetric(V, V * r.x * r.x / 5.0, V * r.y * r.y / 5.0, V * r.z * r.z / 5.0);
}

static solid box(ph_vec3 size)
{
    const double V = size.x * size.y * size.z;
    return symmetric(V, V * size.x * size.x / 12.0, V * size.y * size.y / 12.0, V * size.z * size.z / 12.0);
}

static solid cylinder(double r, double length)
{
    const double V = pi * r * r * length;
    return symmetric(V, V * r * r / 4.0, V * r * r / 4.0, V * length * length / 12.0);
}

// A cylinder and two half balls whose centres are half a length away:
// int z^2 over a half ball shifted by s is V_h (r^2/5 + 2 s (3 r / 8) + s^2).
static solid capsule(double r, double length)
{
    const solid tube = cylinder(r, length);
    const double V = 4.0 / 3.0 * pi * r * r * r, s = 0.5 * length;
    const double across = V * r * r / 5.0, along = V * (r * r / 5.0 + 0.75 * s * r + s * s);
    const solid caps = symmetric(V, across, across, along);
    return (solid){tube.V + caps.V, ph_zero3(), ph_mat_add(tube.J, caps.J)};
}

// Axes of a solid whose long axis, z, points along `axis`.
static ph_mat3 turned_to(ph_vec3 axis)
{
    const ph_vec3 z = ph_unit(axis);
    if (z.x == 0.0 && z.y == 0.0 && z.z > 0.0) {
        return ph_identity();
    }
    const ph_vec3 x = ph_any_perpendicular(z);
    return ph_mat_cols(x, ph_cross(z, x), z);
}

// The solid, its frame turned by R.
static solid rotated(ph_mat3 R, solid s)
{
    return (solid){s.V, ph_mul(R, s.c), ph_mat_mult(ph_mat_mul(R, s.J), R)};
}

// In the frame of the shape; V = 0 for shapes without volume.
static solid solid_of(const ph_shape_def *shape)
{
    if (strcmp(shape->type, "sphere") == 0) {
        return ellipsoid(ph_vec(shape->radius, shape->radius, shape->radius));
    }
    if (strcmp(shape->type, "ellipsoid") == 0) {
        return ellipsoid(shape->size);
    }
    if (strcmp(shape->type, "box") == 0) {
        return box(shape->size);
    }
    if (strcmp(shape->type, "cylinder") == 0) {
        return rotated(turned_to(shape->axis), cylinder(shape->radius, shape->length));
    }
    if (strcmp(shape->type, "capsule") == 0) {
        return rotated(turned_to(shape->axis), capsule(shape->radius, shape->length));
    }
    return (solid){0};
}

static solid in_body_frame(const ph_shape_def *shape)
{
    solid s = rotated(ph_quat_to_mat(ph_quat_unit(shape->orientation)), solid_of(shape));
    s.c = ph_add(s.c, shape->position);
    return s;
}

mass_properties mass_of_shapes(const ph_shape_def *shapes, int count, bool by_density)
{
    mass_properties sum = {0};
    ph_vec3 moment = ph_zero3();
    ph_mat3 about_origin = ph_mat_zero();
    for (int k = 0; k < count; k++) {
        const solid s = in_body_frame(&shapes[k]);
        const double density = by_density ? shapes[k].density : 1.0;
        sum.volume += s.V;
        sum.mass += density * s.V;
        moment = ph_madd(moment, density * s.V, s.c);
        about_origin = ph_mat_madd(about_origin, density, ph_mat_add(s.J, point_inertia(s.V, s.c)));
    }
    if (sum.mass > 0.0) {
        sum.com = ph_scale(1.0 / sum.mass, moment);
        sum.inertia = ph_sym(ph_mat_sub(about_origin, point_inertia(sum.mass, sum.com)));
    }
    return sum;
}
