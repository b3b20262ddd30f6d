// Cone along its axis, about the middle of its height: the tip at +length/2, the base of the given radius at -length/2.
//
// The support is the tip or a point of the rim of the base, whichever reaches farther; between the two, where d is normal to
// the side, a whole line does. V = pi r^2 h / 3, its centre a quarter of the height above the base.

#include "shapes/types.h"

#include "math/mat3.h"
#include "math/vec3.h"

// J = diag(3/20 r^2 + 3/80 h^2, the same, 3/10 r^2) V about the centre.
static bool make_solid(const ph_shape_def *shape, arena *scratch, shape_solid *to)
{
    (void)scratch;
    const double pi = 3.14159265358979323846, r = shape->radius, h = shape->length;
    const double V = pi * r * r * h / 3.0, across = V * (0.15 * r * r + 0.0375 * h * h);
    const shape_solid upright = {V, ph_vec(0.0, 0.0, -0.25 * h), ph_diag(ph_vec(across, across, 0.3 * V * r * r))};
    *to = solid_turned(shape_axes(shape->axis), upright);
    return true;
}

enum { RIM, TIP }; // numbers of support points
enum { BASE_FACE, SIDE_LINE, RIM_POINT, TIP_POINT };

static ph_vec3 rim_point(const shape_sizes *s, ph_vec3 d)
{
    const double across = sqrt(d.x * d.x + d.y * d.y), k = across > 0.0 ? s->radius / across : 0.0;
    return ph_vec(across > 0.0 ? k * d.x : s->radius, k * d.y, -s->half_length);
}

static ph_vec3 support(const shape_sizes *s, ph_vec3 d, int *number)
{
    const double across = sqrt(d.x * d.x + d.y * d.y);
    *number = 2.0 * s->half_length * d.z > s->radius * across ? TIP : RIM;
    return *number == TIP ? ph_vec(0.0, 0.0, s->half_length) : rim_point(s, d);
}

static void face_along(const shape_sizes *s, const frame *at, ph_vec3 d, face *to)
{
    const ph_vec3 local = ph_tmul(at->R, d);
    const double h = 2.0 * s->half_length, r = s->radius, side = sqrt(h * h + r * r);
    const double across = sqrt(local.x * local.x + local.y * local.y);
    const double off = (h * local.z - r * across) / side; // sine of the angle from the normal of the side
    int number;
    if (local.z < 0.0 && across < SHAPE_SMALL_TILT) {
        to->id = BASE_FACE;
        face_of_disc(at, r, -s->half_length, -1.0, local, to);
    } else if (fabs(off) < SHAPE_SMALL_TILT) {
        to->id = SIDE_LINE;
        face_of_line(at, rim_point(s, local), ph_vec(0.0, 0.0, s->half_length), to);
    } else {
        face_of_point(at, support(s, local, &number), to);
        to->id = number == TIP ? TIP_POINT : RIM_POINT;
    }
}

static bool draw(const ph_shape_def *shape, double extent, arena *memory, triangles *to)
{
    (void)extent;
    const double r = shape->radius, half = 0.5 * shape->length, side = sqrt(4.0 * half * half + r * r);
    const double nr = 2.0 * half / side, nz = r / side;
    const profile_point profile[] = {
        {0.0, half, nr, nz}, {r, -half, nr, nz}, {r, -half, 0.0, -1.0}, {0.0, -half, 0.0, -1.0}};
    if (!triangles_sweep(to, memory, profile, 4, ph_vec(1.0, 1.0, 1.0))) return false;
    triangles_turn(to, shape->axis);
    return true;
}

const shape_type shape_cone = {
    .name = "cone",
    .title = "cone",
    .keys = shape_round_keys,
    .solid = make_solid,
    .support = support,
    .face = face_along,
    .draw = draw,
};
