// Spheres on smooth height fields: the surface is the cubic interpolation (Catmull-Rom) of the heights in both directions.
// Normals are continuous, and surfaces of second degree come out exactly.
#include "collide/pairs.h"
#include "collide/support.h"
#include "collide/surface.h"

#include <float.h>
#include <math.h>

// ---- The surface ----------------------------------------------------------------------------------------------------

// Beyond the rim the parabola through the last three heights goes on, or the line through the last two.
static double beyond(const double *edge, ptrdiff_t inward, int count)
{
    return count < 3 ? 2.0 * edge[0] - edge[inward] : 3.0 * (edge[0] - edge[inward]) + edge[2 * inward];
}

bool smooth_create(surface *s, arena *memory)
{
    const ptrdiff_t wide = s->columns + 2, high = s->rows + 2;
    double *h = s->smooth = arena_alloc_array(memory, (size_t)(wide * high), sizeof *h);
    if (!h) return false;
    for (int row = 0; row < s->rows; row++) {
        double *line = h + (row + 1) * wide;
        for (int column = 0; column < s->columns; column++)
            line[column + 1] = s->heights[(size_t)row * (size_t)s->columns + (size_t)column];
        line[0] = beyond(line + 1, 1, s->columns);
        line[wide - 1] = beyond(line + wide - 2, -1, s->columns);
    }
    for (ptrdiff_t column = 0; column < wide; column++) {
        h[column] = beyond(h + wide + column, wide, s->rows);
        h[(high - 1) * wide + column] = beyond(h + (high - 2) * wide + column, -wide, s->rows);
    }
    return true;
}

typedef struct height { // value and derivatives
    double z, x, y, xx, xy, yy;
} height;

// Weights of four neighbours, s of the way from the second to the third, and their first and second derivatives by s.
static void weigh(double s, double w[3][4])
{
    static const double cubic[4][4] = {
        {0.0, -0.5, 1.0, -0.5}, {1.0, 0.0, -2.5, 1.5}, {0.0, 0.5, 2.0, -1.5}, {0.0, 0.0, -0.5, 0.5}};
    for (int k = 0; k < 4; k++) {
        const double *c = cubic[k];
        w[0][k] = c[0] + s * (c[1] + s * (c[2] + s * c[3]));
        w[1][k] = c[1] + s * (2.0 * c[2] + 3.0 * s * c[3]);
        w[2][k] = 2.0 * c[2] + 6.0 * s * c[3];
    }
}

static int cell_of(double u, int count)
{
    return u < 1.0 ? 0 : u >= count - 1 ? count - 2 : (int)u;
}

static double dot4(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static height height_at(const surface *s, double x, double y)
{
    const double u = (x - s->x0) / s->dx, v = (y - s->y0) / s->dy, by_x = 1.0 / s->dx, by_y = 1.0 / s->dy;
    const int column = cell_of(u, s->columns), row = cell_of(v, s->rows);
    double across[3][4], along[3][4], line[3][4]; // line: derivatives along x of four rows
    weigh(u - column, across);
    weigh(v - row, along);
    for (int r = 0; r < 4; r++) {
        const double *h = s->smooth + (size_t)(row + r) * (size_t)(s->columns + 2) + (size_t)column;
        for (int d = 0; d < 3; d++) line[d][r] = dot4(across[d], h);
    }
    return (height){.z = dot4(along[0], line[0]),
                    .x = by_x * dot4(along[0], line[1]),
                    .y = by_y * dot4(along[1], line[0]),
                    .xx = by_x * by_x * dot4(along[0], line[2]),
                    .xy = by_x * by_y * dot4(along[1], line[1]),
                    .yy = by_y * by_y * dot4(along[2], line[0])};
}

// ---- The pair -------------------------------------------------------------------------------------------------------

// The foot of the perpendicular from c: the gradient of half the squared distance to (x, y, z(x, y)) vanishes. Newton's
// method from below c, with the part of the Hessian that is definite where the whole is not.
static bool find_foot(const surface *s, ph_vec3 c, double *x, double *y, height *h)
{
    enum { MOST = 50 };
    const double most = s->dx + s->dy, scale = fabs(c.x) + fabs(c.y) + fabs(c.z) + most;
    *x = c.x, *y = c.y;
    for (int k = 0; k < MOST; k++) {
        *h = height_at(s, *x, *y);
        const double up = h->z - c.z, gx = *x - c.x + up * h->x, gy = *y - c.y + up * h->y;
        double a = 1.0 + h->x * h->x + up * h->xx, b = h->x * h->y + up * h->xy, d = 1.0 + h->y * h->y + up * h->yy;
        if (!(a > 0.0 && a * d > b * b)) a = 1.0 + h->x * h->x, b = h->x * h->y, d = 1.0 + h->y * h->y;
        const double det = a * d - b * b, dx = (d * gx - b * gy) / det, dy = (a * gy - b * gx) / det;
        const double length = hypot(dx, dy), part = length > most ? most / length : 1.0;
        *x -= part * dx, *y -= part * dy;
        if (length <= 2.0 * DBL_EPSILON * scale) return true;
    }
    return false;
}

bool smooth_contact(const placed *ball, const placed *field, contact_point *c)
{
    const surface *s = field->shape->surface;
    const ph_vec3 centre = frame_inverse_point(&field->at, ball->at.x);
    const double radius = core_radius(ball->shape);
    double x, y;
    height h;
    if (!find_foot(s, centre, &x, &y, &h)) return false;
    if (x < s->x0 || y < s->y0 || x > -s->x0 || y > -s->y0) return false;
    h = height_at(s, x, y);
    const ph_vec3 foot = ph_vec(x, y, h.z), n = ph_unit(ph_vec(-h.x, -h.y, 1.0));
    const double gap = ph_dot(n, ph_sub(centre, foot)) - radius;
    const ph_vec3 N = ph_mul(field->at.R, n);
    *c = contact_make(ph_madd(ball->at.x, -radius, N), frame_point(&field->at, foot), ph_neg(N), gap, 1);
    return true;
}
