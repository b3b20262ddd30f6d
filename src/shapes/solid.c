// Mass properties of solids of uniform density.

#include "shapes/shape.h"

#include "math/mat3.h"
#include "math/vec3.h"

static const double pi = 3.14159265358979323846;

// J = diag(syy + szz, szz + sxx, sxx + syy)
shape_solid solid_symmetric(double V, double sxx, double syy, double szz)
{
    return (shape_solid){V, ph_zero3(), ph_diag(ph_vec(syy + szz, szz + sxx, sxx + syy))};
}

shape_solid solid_ellipsoid(ph_vec3 r)
{
    const double V = 4.0 / 3.0 * pi * r.x * r.y * r.z;
    return solid_symmetric(V, V * r.x * r.x / 5.0, V * r.y * r.y / 5.0, V * r.z * r.z / 5.0);
}

shape_solid solid_cylinder(double r, double length)
{
    const double V = pi * r * r * length;
    return solid_symmetric(V, V * r * r / 4.0, V * r * r / 4.0, V * length * length / 12.0);
}

// Tetrahedra between the origin and the triangles, with sign: V = sum det/6, int x = det (a + b + c)/24 and, with
// s = a + b + c, int x x^T = det (a a^T + b b^T + c c^T + s s^T)/120. Then J = tr(S) I - S about the centre.
shape_solid solid_polyhedron(const ph_vec3 *points, int count, const int (*triangles)[3])
{
    double V = 0.0;
    ph_vec3 moment = ph_zero3();
    ph_mat3 S = ph_mat_zero();
    for (int k = 0; k < count; k++) {
        const int *t = triangles[k];
        const ph_vec3 a = points[t[0]], b = points[t[1]], c = points[t[2]], s = ph_add3(a, b, c);
        const double det = ph_dot(a, ph_cross(b, c));
        V += det / 6.0;
        moment = ph_madd(moment, det / 24.0, s);
        S = ph_mat_madd(S, det / 120.0, ph_mat_add(ph_mat_add(ph_outer(a, a), ph_outer(b, b)), ph_outer(c, c)));
        S = ph_mat_madd(S, det / 120.0, ph_outer(s, s));
    }
    if (!(V > 0.0)) {
        return (shape_solid){0};
    }
    const ph_vec3 centre = ph_scale(1.0 / V, moment);
    S = ph_mat_madd(S, -V, ph_outer(centre, centre));
    return (shape_solid){V, centre, ph_mat_sub(ph_mat_scale(ph_trace(S), ph_identity()), S)};
}

ph_mat3 shape_axes(ph_vec3 axis)
{
    const ph_vec3 z = ph_unit(axis);
    if (z.x == 0.0 && z.y == 0.0 && z.z > 0.0) {
        return ph_identity();
    }
    const ph_vec3 x = ph_any_perpendicular(z);
    return ph_mat_cols(x, ph_cross(z, x), z);
}

shape_solid solid_turned(ph_mat3 R, shape_solid s)
{
    return (shape_solid){s.V, ph_mul(R, s.c), ph_mat_mult(ph_mat_mul(R, s.J), R)};
}
