// Primitive geoms as solids of mass one for each unit of volume, and as thin shells of mass one for each unit of area (shellinertia of MJCF).

#include "io/robot/mesh.h"
#include "math/mat3.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

// ---- Solids ---------------------------------------------------------------------------------------------------------

static solid box_solid(ph_vec3 h)
{
    const double v = 8.0 * h.x * h.y * h.z;
    return (solid){v, ph_zero3(),
                   ph_diag((ph_vec3){v / 3.0 * (h.y * h.y + h.z * h.z), v / 3.0 * (h.x * h.x + h.z * h.z),
                                     v / 3.0 * (h.x * h.x + h.y * h.y)})};
}

static solid ellipsoid_solid(ph_vec3 s)
{
    const double v = 4.0 / 3.0 * pi * s.x * s.y * s.z;
    return (solid){v, ph_zero3(),
                   ph_diag((ph_vec3){v / 5.0 * (s.y * s.y + s.z * s.z), v / 5.0 * (s.x * s.x + s.z * s.z),
                                     v / 5.0 * (s.x * s.x + s.y * s.y)})};
}

static solid ball_solid(ph_vec3 size)
{
    return ellipsoid_solid((ph_vec3){size.x, size.x, size.x});
}

static solid cylinder_solid(ph_vec3 size)
{
    const double radius = size.x, half = size.y;
    const double v = 2.0 * pi * radius * radius * half, side = v * (3.0 * radius * radius + 4.0 * half * half) / 12.0;
    return (solid){v, ph_zero3(), ph_diag((ph_vec3){side, side, 0.5 * v * radius * radius})};
}

// A cylinder and two half balls, whose centres are 3/8 r beyond its ends.
static solid capsule_solid(ph_vec3 size)
{
    const double radius = size.x, half = size.y;
    const solid c = cylinder_solid(size);
    const double ball = 4.0 / 3.0 * pi * radius * radius * radius, own = 0.4 * ball * radius * radius;
    const double side = c.inertia.m[0][0] + own + ball * (half * half + 0.75 * radius * half);
    return (solid){c.volume + ball, ph_zero3(), ph_diag((ph_vec3){side, side, c.inertia.m[2][2] + own})};
}

// ---- Shells ---------------------------------------------------------------------------------------------------------

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

static solid cylinder_shell(ph_vec3 size)
{
    const double radius = size.x, half = size.y;
    const double side = 4.0 * pi * radius * half, lids = 2.0 * pi * radius * radius;
    const double across = radius * radius * (0.5 * side + 0.25 * lids), along = half * half * (side / 3.0 + lids);
    return of_moments(side + lids, (ph_vec3){across, across, along});
}

// The side of a cylinder and two half spheres: of theirs, z is r/2 and z^2 is r^2/3 in the mean.
static solid capsule_shell(ph_vec3 size)
{
    const double radius = size.x, half = size.y;
    const double side = 4.0 * pi * radius * half, ball = 4.0 * pi * radius * radius;
    const double across = radius * radius * (0.5 * side + ball / 3.0);
    const double along = half * half * side / 3.0 + ball * (half * half + half * radius + radius * radius / 3.0);
    return of_moments(side + ball, (ph_vec3){across, across, along});
}

static solid ball_shell(ph_vec3 size)
{
    return capsule_shell((ph_vec3){size.x, 0.0, 0.0});
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

// ---- By their kinds -------------------------------------------------------------------------------------------------

bool primitive_solid(const robot_geom *g, solid *to)
{
    static const struct {
        solid (*full)(ph_vec3 size), (*shell)(ph_vec3 size);
    } kinds[] = {[GEOM_SPHERE] = {ball_solid, ball_shell},
                 [GEOM_CAPSULE] = {capsule_solid, capsule_shell},
                 [GEOM_CYLINDER] = {cylinder_solid, cylinder_shell},
                 [GEOM_BOX] = {box_solid, box_shell},
                 [GEOM_ELLIPSOID] = {ellipsoid_solid, ellipsoid_shell}};
    if ((size_t)g->kind >= sizeof kinds / sizeof kinds[0] || !kinds[g->kind].full) return false;
    *to = (g->shell ? kinds[g->kind].shell : kinds[g->kind].full)(g->size);
    return to->volume > 0.0;
}
