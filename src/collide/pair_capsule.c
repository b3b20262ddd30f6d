// Capsule against capsule.

#include "collide/pairs.h"
#include "collide/segments.h"

static contact_point capsule_point(segment a, double ra, double s, segment b, double rb, double t, uint64_t feature)
{
    ph_vec3 fallback = ph_cross(a.u, b.u);
    fallback = ph_norm2(fallback) > 1e-24 ? ph_unit(fallback) : ph_any_perpendicular(a.u);
    return contact_of_balls(segment_point(a, s), ra, segment_point(b, t), rb, fallback, feature);
}

// Nearly parallel capsules touch along a line: its two ends, where the shadow of b on a begins and ends.
static int parallel_capsules(segment a, double ra, segment b, double rb, double margin, contact_point *out)
{
    const double k = ph_dot(a.u, b.u), middle = ph_dot(ph_sub(b.c, a.c), a.u), reach = fabs(k) * b.h;
    const double low = ph_max(-a.h, middle - reach), high = clamp(middle + reach, -a.h, a.h);
    const double ends[2] = {low, high};
    int count = 0;
    if (high - low < 1e-3 * ra) return 0; // no line
    for (int e = 0; e < 2; e++) {
        const double t = clamp(ph_dot(ph_sub(segment_point(a, ends[e]), b.c), b.u), -b.h, b.h);
        out[count] = capsule_point(a, ra, ends[e], b, rb, t, 1 + (uint64_t)e);
        count += out[count].gap < margin;
    }
    return count;
}

int pair_capsule_capsule(const placed *pa, const placed *pb, double margin, contact_point *out)
{
    const segment a = segment_of(pa), b = segment_of(pb);
    const double ra = pa->shape->radius, rb = pb->shape->radius;
    double s, t;
    segments_nearest(a, b, &s, &t);
    const contact_point nearest = capsule_point(a, ra, s, b, rb, t, 0);
    if (nearest.gap >= margin) return 0;
    int count = 0;
    if (ph_norm2(ph_cross(a.u, b.u)) < 1e-3) {
        count = parallel_capsules(a, ra, b, rb, margin, out);
    }
    for (int k = 0; k < count; k++) { // the nearest point is one of the ends, up to rounding
        if (out[k].gap - nearest.gap <= 1e-12 * (ra + rb)) return count;
    }
    out[count] = nearest;
    return count + 1;
}
