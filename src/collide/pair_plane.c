// Convex shapes on planes: corners, ends, or points of the rim below the margin. The normal leads into the plane.

#include "collide/features.h"
#include "collide/pairs.h"
#include "collide/segments.h"
#include "collide/support.h"

// The point p of shape a above plane b.
static contact_point on_plane(ph_vec3 p, const placed *plane, uint64_t feature)
{
    const ph_vec3 n = placed_axis(plane, 2);
    const double gap = ph_dot(n, ph_sub(p, plane->at.x));
    return contact_make(p, ph_madd(p, -gap, n), ph_neg(n), gap, feature);
}

static int add_below(contact_point c, double margin, contact_point *out, int count)
{
    out[count] = c;
    return count + (c.gap < margin);
}

int pair_sphere_plane(const placed *a, const placed *b, double margin, contact_point *out)
{
    const ph_vec3 n = placed_axis(b, 2);
    return add_below(on_plane(ph_madd(a->at.x, -a->shape->radius, n), b, 0), margin, out, 0);
}

int pair_capsule_plane(const placed *a, const placed *b, double margin, contact_point *out)
{
    const segment s = segment_of(a);
    const ph_vec3 n = placed_axis(b, 2);
    int count = 0;
    for (int e = 0; e < 2; e++) {
        const ph_vec3 p = ph_madd(segment_point(s, e ? s.h : -s.h), -a->shape->radius, n);
        count = add_below(on_plane(p, b, (uint64_t)e), margin, out, count);
    }
    return count;
}

int pair_box_plane(const placed *a, const placed *b, double margin, contact_point *out)
{
    const ph_vec3 h = a->shape->half, n = placed_axis(b, 2);
    const ph_vec3 x = ph_scale(h.x, placed_axis(a, 0)), y = ph_scale(h.y, placed_axis(a, 1));
    const ph_vec3 z = ph_scale(h.z, placed_axis(a, 2));
    contact_point points[8];
    int count = 0;
    if (ph_dot(n, ph_sub(a->at.x, b->at.x)) - fabs(ph_dot(n, x)) - fabs(ph_dot(n, y)) - fabs(ph_dot(n, z)) >= margin) {
        return 0;
    }
    for (int k = 0; k < 8; k++) {
        ph_vec3 p = ph_madd(a->at.x, k & 1 ? 1.0 : -1.0, x);
        p = ph_madd(ph_madd(p, k & 2 ? 1.0 : -1.0, y), k & 4 ? 1.0 : -1.0, z);
        count = add_below(on_plane(p, b, (uint64_t)k), margin, points, count);
    }
    count = manifold_reduce(points, count);
    for (int k = 0; k < count; k++) {
        out[k] = points[k];
    }
    return count;
}

int pair_ellipsoid_plane(const placed *a, const placed *b, double margin, contact_point *out)
{
    int number;
    const ph_vec3 down = ph_neg(ph_tmul(a->at.R, placed_axis(b, 2)));
    return add_below(on_plane(frame_point(&a->at, core_support(a->shape, down, &number)), b, 0), margin, out, 0);
}

// ---- Cylinder -------------------------------------------------------------------------------------------------------

// The lower cap touches at its lowest point and two more of the rim; the upper cap at its lowest point, below which the
// cylinder lies on its side. A cap that is flat on the plane has no lowest point: its corners are those on its own axes.
int pair_cylinder_plane(const placed *a, const placed *b, double margin, contact_point *out)
{
    const ph_vec3 down = ph_neg(ph_tmul(a->at.R, placed_axis(b, 2)));
    const double across = sqrt(down.x * down.x + down.y * down.y), r = a->shape->radius;
    const double z = down.z > 0.0 ? a->shape->half_length : -a->shape->half_length;
    const uint64_t side = down.z > 0.0;
    int count = 0;
    if (across < 1e-7) {
        static const double c[5] = {1.0, 0.0, -1.0, 0.0, 1.0};
        for (int k = 0; k < 4; k++) {
            const ph_vec3 p = ph_vec(r * c[k], r * c[k + 1], z);
            count = add_below(on_plane(frame_point(&a->at, p), b, side << 4 | (uint64_t)k), margin, out, count);
        }
        return count;
    }
    const ph_vec3 u = ph_vec(r * down.x / across, r * down.y / across, 0.0), v = ph_vec(-u.y, u.x, 0.0);
    const ph_vec3 points[4] = {// in radii along u and v: (1, 0) on both caps, (-1/2, +-root(3/4))
                               ph_madd(u, z, ph_vec(0.0, 0.0, 1.0)), ph_madd(u, -z, ph_vec(0.0, 0.0, 1.0)),
                               ph_add3(ph_scale(-0.5, u), ph_scale(0.86602540378443865, v), ph_vec(0.0, 0.0, z)),
                               ph_add3(ph_scale(-0.5, u), ph_scale(-0.86602540378443865, v), ph_vec(0.0, 0.0, z))};
    for (int k = 0; k < 4; k++) {
        const uint64_t feature = 8 + (k == 1 ? 1 - side : side) + ((uint64_t)(k < 2 ? 0 : k) << 4);
        count = add_below(on_plane(frame_point(&a->at, points[k]), b, feature), margin, out, count);
    }
    return count;
}

// ---- Hull -----------------------------------------------------------------------------------------------------------

int pair_hull_plane(const placed *a, const placed *b, double margin, contact_point *out)
{
    const polytope *hull = a->shape->polytope;
    contact_point points[2 * MANIFOLD_MAX];
    int count = 0;
    for (int k = 0; k < hull->vertex_count; k++) {
        count = add_below(on_plane(frame_point(&a->at, hull->vertices[k]), b, (uint64_t)k), margin, points, count);
        if (count == 2 * MANIFOLD_MAX) {
            count = manifold_reduce(points, count);
        }
    }
    count = manifold_reduce(points, count);
    for (int k = 0; k < count; k++) {
        out[k] = points[k];
    }
    return count;
}

// ---- Any other ------------------------------------------------------------------------------------------------------

// The flat part that looks down, and what reaches farthest.
int pair_convex_plane(const placed *a, const placed *b, double margin, contact_point *out)
{
    int number, count = 0;
    face f;
    contact_point points[FACE_MAX];
    const ph_vec3 n = placed_axis(b, 2), down = ph_neg(ph_tmul(a->at.R, n));
    const contact_point lowest = on_plane(frame_point(&a->at, core_support(a->shape, down, &number)), b, 1);
    if (lowest.gap >= margin) return 0;
    shape_face(a, ph_neg(n), &f);
    for (int k = 0; k < f.count; k++) {
        const uint64_t feature = 2 + ((uint64_t)f.id << 8 | (uint64_t)k);
        count = add_below(on_plane(f.points[k], b, feature), margin, points, count);
    }
    count = manifold_with(points, manifold_reduce(points, count), &lowest, ph_norm(a->shape->half) + a->shape->radius);
    for (int k = 0; k < count; k++) {
        out[k] = points[k];
    }
    return count;
}
