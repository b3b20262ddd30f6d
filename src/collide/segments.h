// Segments c + t u, |u| = 1, |t| <= h: the cores of capsules.
#ifndef PH_COLLIDE_SEGMENTS_H
#define PH_COLLIDE_SEGMENTS_H

#include "collide/collider.h"

typedef struct segment {
    ph_vec3 c, u;
    double h;
} segment;

static inline segment segment_of(const placed *p)
{
    return (segment){p->at.x, placed_axis(p, 2), p->shape->half_length};
}

static inline ph_vec3 segment_point(segment s, double t)
{
    return ph_madd(s.c, t, s.u);
}

// Parameters of the nearest points of two segments. With d = c_b - c_a the lines are nearest at
// s (1 - k^2) = d.u - k d.w, k = u.w; where one parameter leaves its range, it is clamped and the other follows.
static inline void segments_nearest(segment a, segment b, double *s, double *t)
{
    const ph_vec3 d = ph_sub(b.c, a.c);
    const double k = ph_dot(a.u, b.u), du = ph_dot(d, a.u), dw = ph_dot(d, b.u);
    const double sine2 = ph_norm2(ph_cross(a.u, b.u));
    *s = sine2 > 1e-24 ? clamp((du - k * dw) / sine2, -a.h, a.h) : clamp(du, -a.h, a.h);
    *t = clamp(k * *s - dw, -b.h, b.h);
    *s = clamp(k * *t + du, -a.h, a.h);
}

#endif
