// Convex shapes on planes: corners, or points of the rim, below the margin.

#include "contact/pairs.h"

// The point p of shape a above plane b.
static contact_point on_plane(ph_vec3 p, const placed *plane, uint64_t feature)
{
    const ph_vec3 n = placed_axis(plane, 2);
    const double gap = ph_dot(n, ph_sub(p, plane->at.x));
    return contact_make(p, ph_madd(p, -gap, n), ph_neg(n), gap, feature);
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
        points[count] = on_plane(p, b, (uint64_t)k);
        count += points[count].gap < margin;
    }
    count = manifold_reduce(points, count);
    for (int k = 0; k < count; k++) {
        out[k] = points[k];
    }
    return count;
}
