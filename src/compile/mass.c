// Mass properties of solids of uniform density.

#include "compile/mass.h"

#include "math/quat.h"
#include "model/hull.h"
#include "model/mesh.h"

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

// Tetrahedra between the origin and the triangles, with sign: V = sum det/6, int x = det (a + b + c)/24 and, with
// s = a + b + c, int x x^T = det (a a^T + b b^T + c c^T + s s^T)/120. Then J = tr(S) I - S about the centre.
static solid polyhedron(const ph_vec3 *points, const hull *faces)
{
    double V = 0.0;
    ph_vec3 moment = ph_zero3();
    ph_mat3 S = ph_mat_zero();
    for (int k = 0; k < faces->count; k++) {
        const int *t = faces->triangles[k];
        const ph_vec3 a = points[t[0]], b = points[t[1]], c = points[t[2]], s = ph_add3(a, b, c);
        const double det = ph_dot(a, ph_cross(b, c));
        V += det / 6.0;
        moment = ph_madd(moment, det / 24.0, s);
        S = ph_mat_madd(S, det / 120.0, ph_mat_add(ph_mat_add(ph_outer(a, a), ph_outer(b, b)), ph_outer(c, c)));
        S = ph_mat_madd(S, det / 120.0, ph_outer(s, s));
    }
    if (!(V > 0.0)) {
        return (solid){0};
    }
    const ph_vec3 centre = ph_scale(1.0 / V, moment);
    S = ph_mat_madd(S, -V, ph_outer(centre, centre));
    return (solid){V, centre, ph_mat_sub(ph_mat_scale(ph_trace(S), ph_identity()), S)};
}

// The convex hull of points, from the first of them on so that little cancels. False when out of memory.
static bool hull_solid(const ph_shape_def *shape, arena *scratch, solid *to)
{
    const int count = shape->data_columns == 3 ? shape->data_rows : shape->data_rows * shape->data_columns / 3;
    ph_vec3 *points = arena_alloc_array(scratch, (size_t)count, sizeof *points);
    hull faces;
    if (!points) {
        return false;
    }
    const ph_vec3 first = ph_vec(shape->data[0], shape->data[1], shape->data[2]);
    for (int i = 0; i < count; i++) {
        points[i] = ph_sub(ph_vec(shape->data[3 * i], shape->data[3 * i + 1], shape->data[3 * i + 2]), first);
    }
    if (!hull_create(points, count, scratch, &faces)) {
        return false;
    }
    *to = polyhedron(points, &faces);
    to->c = ph_add(to->c, first);
    return true;
}

// A closed mesh; nothing for an open one. False when out of memory.
static bool mesh_solid(const ph_shape_def *shape, arena *scratch, solid *to)
{
    mesh m;
    mesh_defects defects;
    const int count = shape->data_rows * shape->data_columns / MESH_NUMBERS;
    if (!mesh_create(shape->data, count, scratch, &m, &defects)) {
        return false;
    }
    if (mesh_is_sound(&defects) && defects.open_edges == 0 && count > 0) {
        const ph_vec3 first = m.vertices[0];
        for (int i = 0; i < m.vertex_count; i++) {
            m.vertices[i] = ph_sub(m.vertices[i], first);
        }
        *to = polyhedron(m.vertices, &(hull){count, m.triangles});
        to->c = ph_add(to->c, first);
    }
    return true;
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

// In the frame of the shape; V = 0 for shapes without volume. False when out of memory.
static bool solid_of(const ph_shape_def *shape, arena *scratch, solid *to)
{
    *to = (solid){0};
    if (strcmp(shape->type, "sphere") == 0) {
        *to = ellipsoid(ph_vec(shape->radius, shape->radius, shape->radius));
    } else if (strcmp(shape->type, "ellipsoid") == 0) {
        *to = ellipsoid(shape->size);
    } else if (strcmp(shape->type, "box") == 0) {
        *to = box(shape->size);
    } else if (strcmp(shape->type, "cylinder") == 0) {
        *to = rotated(turned_to(shape->axis), cylinder(shape->radius, shape->length));
    } else if (strcmp(shape->type, "capsule") == 0) {
        *to = rotated(turned_to(shape->axis), capsule(shape->radius, shape->length));
    } else if (strcmp(shape->type, "hull") == 0 && shape->data) {
        return hull_solid(shape, scratch, to);
    } else if (strcmp(shape->type, "mesh") == 0 && shape->data) {
        return mesh_solid(shape, scratch, to);
    }
    return true;
}

bool mass_of_shapes(const ph_shape_def *shapes, int count, bool by_density, arena *scratch, mass_properties *sum)
{
    ph_vec3 moment = ph_zero3();
    ph_mat3 about_origin = ph_mat_zero();
    *sum = (mass_properties){0};
    for (int k = 0; k < count; k++) {
        solid s;
        if (!solid_of(&shapes[k], scratch, &s)) {
            return false;
        }
        s = rotated(ph_quat_to_mat(ph_quat_unit(shapes[k].orientation)), s);
        s.c = ph_add(s.c, shapes[k].position);
        const double density = by_density ? shapes[k].density : 1.0;
        sum->volume += s.V;
        sum->mass += density * s.V;
        moment = ph_madd(moment, density * s.V, s.c);
        about_origin = ph_mat_madd(about_origin, density, ph_mat_add(s.J, point_inertia(s.V, s.c)));
    }
    if (sum->mass > 0.0) {
        sum->com = ph_scale(1.0 / sum->mass, moment);
        sum->inertia = ph_sym(ph_mat_sub(about_origin, point_inertia(sum->mass, sum->com)));
    }
    return true;
}
