// Mass properties of bodies from their shapes.

#include "compile/mass.h"

#include "math/quat.h"
#include "shapes/shape.h"

// m (|r|^2 I - r r^T): what a point mass m at r adds to an inertia (Huygens, Steiner).
static ph_mat3 point_inertia(double m, ph_vec3 r)
{
    return ph_mat_scale(m, ph_mat_sub(ph_mat_scale(ph_norm2(r), ph_identity()), ph_outer(r, r)));
}

// In the frame of the shape; V = 0 for shapes without volume. False when out of memory.
static bool solid_of(const ph_shape_def *shape, arena *scratch, shape_solid *to)
{
    const shape_type *type = shape_type_find(shape->type);
    *to = (shape_solid){0};
    return !type || !type->solid || type->solid(shape, scratch, to);
}

bool mass_of_shapes(const ph_shape_def *shapes, int count, bool by_density, arena *scratch, mass_properties *sum)
{
    ph_vec3 moment = ph_zero3();
    ph_mat3 about_origin = ph_mat_zero();
    *sum = (mass_properties){0};
    for (int k = 0; k < count; k++) {
        shape_solid s;
        if (!solid_of(&shapes[k], scratch, &s)) {
            return false;
        }
        s = solid_turned(ph_quat_to_mat(ph_quat_unit(shapes[k].orientation)), s);
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
