// Surfaces of primitive geoms as thin shells of mass one for each unit of area (shellinertia of MJCF).

#include "io/robot/mesh.h"
#include "math/mat3.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

// From integrals of x^2, y^2, z^2 over the surface.
static solid of_moments(double area, ph_vec3 p)
{
    return (solid){area, ph_zero3(), ph_diag((ph_vec3){p.y + p.z, p.x + p.z, p.x + p.y})};
}

// The integral of x^2 over all six faces of a box of half lengths x, y, z.
static double box_moment(double x, double y, double z)
{
    return 8.0 * (y * z * x * x + x * x * x / 3.0 * (y + z));
}

static solid box_shell(ph_vec3 h)
{
    const ph_vec3 p = {box_moment(h.x, h.y, h.z), box_moment(h.y, h.x, h.z), box_moment(h.z, h.x, h.y)};
    return of_moments(8.0 * (h.x * h.y + h.x * h.z + h.y * h.z), p);
}

static solid cylinder_shell(double radius, double half)
{
    const double side = 4.0 * pi * radius * half, lids = 2.0 * pi * radius * radius;
    const double across = radius * radius * (0.5 * side + 0.25 * lids), along = half * half * (side / 3.0 + lids);
    return of_moments(side + lids, (ph_vec3){across, across, along});
}

// The side of a cylinder and two half spheres: of theirs, z is r/2 and z^2 is r^2/3 in the mean.
static solid capsule_shell(double radius, double half)
{
    const double side = 4.0 * pi * radius * half, ball = 4.0 * pi * radius * radius;
    const double across = radius * radius * (0.5 * side + ball / 3.0);
    const double along = half * half * side / 3.0 + ball * (half * half + half * radius + radius * radius / 3.0);
    return of_moments(side + ball, (ph_vec3){across, across, along});
}

// As MuJoCo has it: the area by Thomsen's formula, spread as the layer between axes a, b, c and axes longer by the same little.
static solid ellipsoid_shell(ph_vec3 s)
{
    const double p = 1.6075, a = s.x, b = s.y, c = s.z;
    const double area = 4.0 * pi * pow((pow(a * b, p) + pow(a * c, p) + pow(b * c, p)) / 3.0, 1.0 / p);
    const double volume = a * b * c, layer = a * b + a * c + b * c, k = area / (5.0 * layer);
    const ph_vec3 moments = {k * a * (layer * a + 2.0 * volume), k * b * (layer * b + 2.0 * volume),
                             k * c * (layer * c + 2.0 * volume)};
    return of_moments(area, moments);
}

bool geom_shell(const robot_geom *g, solid *to)
{
    switch (g->kind) {
    case GEOM_SPHERE:
        *to = capsule_shell(g->size.x, 0.0);
        break;
    case GEOM_CAPSULE:
        *to = capsule_shell(g->size.x, g->size.y);
        break;
    case GEOM_CYLINDER:
        *to = cylinder_shell(g->size.x, g->size.y);
        break;
    case GEOM_BOX:
        *to = box_shell(g->size);
        break;
    case GEOM_ELLIPSOID:
        *to = ellipsoid_shell(g->size);
        break;
    default:
        return false;
    }
    return to->volume > 0.0;
}
