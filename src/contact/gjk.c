// Distance of two convex shapes by the algorithm of Gilbert, Johnson and Keerthi (1988).
//
// W = B - A is approached from inside: the nearest point v of a simplex of at most four of its points gives the
// direction in which the next point is looked for. n = v / |v| proves that the distance is at least n . w, v itself that
// it is at most |v|; the iteration ends when the two meet, to the last digits.

#include "contact/support.h"

enum { ITERATIONS_MAX = 128 };

ph_vec3 simplex_point(const simplex *s)
{
    ph_vec3 p = ph_zero3();
    for (int k = 0; k < s->count; k++) {
        p = ph_madd(p, s->weight[k], s->v[k].w);
    }
    return p;
}

void simplex_witness(const simplex *s, ph_vec3 *a, ph_vec3 *b)
{
    *a = *b = ph_zero3();
    for (int k = 0; k < s->count; k++) {
        *a = ph_madd(*a, s->weight[k], s->v[k].a);
        *b = ph_madd(*b, s->weight[k], s->v[k].b);
    }
}

// ---- Nearest point of a simplex -------------------------------------------------------------------------------------

static simplex of_point(vertex p)
{
    return (simplex){1, {p}, {1.0}, false};
}

static simplex of_segment(vertex p, vertex q)
{
    const ph_vec3 e = ph_sub(q.w, p.w);
    const double length2 = ph_norm2(e), t = -ph_dot(p.w, e);
    if (!(t > 0.0)) return of_point(p);
    if (!(t < length2)) return of_point(q);
    return (simplex){2, {p, q}, {1.0 - t / length2, t / length2}, false};
}

static simplex nearer(simplex s, simplex t)
{
    return ph_norm2(simplex_point(&t)) < ph_norm2(simplex_point(&s)) ? t : s;
}

// Barycentric coordinates of the foot of the origin are the areas of the three triangles it makes with the edges. Inside
// when none is negative; else one of the edges is nearest.
static simplex of_triangle(vertex p, vertex q, vertex r)
{
    const ph_vec3 n = ph_cross(ph_sub(q.w, p.w), ph_sub(r.w, p.w));
    const double area2 = ph_norm2(n);
    const double u = ph_dot(n, ph_cross(q.w, r.w)), v = ph_dot(n, ph_cross(r.w, p.w)),
                 w = ph_dot(n, ph_cross(p.w, q.w));
    if (u > 0.0 && v > 0.0 && w > 0.0 && area2 > 0.0) {
        const double sum = u + v + w;
        return (simplex){3, {p, q, r}, {u / sum, v / sum, w / sum}, false};
    }
    return nearer(nearer(of_segment(p, q), of_segment(q, r)), of_segment(r, p));
}

// Whether the origin and d lie on different sides of the plane pqr.
static bool beyond(ph_vec3 p, ph_vec3 q, ph_vec3 r, ph_vec3 d)
{
    const ph_vec3 n = ph_cross(ph_sub(q, p), ph_sub(r, p));
    const double origin = -ph_dot(n, p), other = ph_dot(n, ph_sub(d, p));
    return !(origin * other > 0.0);
}

// Four points: count 4 when the origin is inside.
static simplex of_tetrahedron(const vertex v[4])
{
    static const int faces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
    simplex best = {4, {v[0], v[1], v[2], v[3]}, {0.25, 0.25, 0.25, 0.25}, false};
    double nearest = -1.0;
    for (int f = 0; f < 4; f++) {
        const int *k = faces[f];
        if (beyond(v[k[0]].w, v[k[1]].w, v[k[2]].w, v[k[3]].w)) {
            const simplex s = of_triangle(v[k[0]], v[k[1]], v[k[2]]);
            const double distance = ph_norm2(simplex_point(&s));
            if (nearest < 0.0 || distance < nearest) {
                nearest = distance;
                best = s;
            }
        }
    }
    return best;
}

static simplex nearest_with(const simplex *s, vertex w)
{
    switch (s->count) {
    case 1:
        return of_segment(s->v[0], w);
    case 2:
        return of_triangle(s->v[0], s->v[1], w);
    default: {
        const vertex v[4] = {s->v[0], s->v[1], s->v[2], w};
        return of_tetrahedron(v);
    }
    }
}

// ---- The iteration --------------------------------------------------------------------------------------------------

static bool holds(const simplex *s, const vertex *w)
{
    for (int k = 0; k < s->count; k++) {
        if (s->v[k].w.x == w->w.x && s->v[k].w.y == w->w.y && s->v[k].w.z == w->w.z) return true;
    }
    return false;
}

gjk_result gjk(const duo *d, double far, simplex *s)
{
    const double touching = 1e-13 * d->scale;
    ph_vec3 v = d->ab.x;
    if (!(ph_norm2(v) > 0.0)) v = ph_vec(1.0, 0.0, 0.0);
    *s = of_point(duo_support(d, v));
    v = s->v[0].w;
    double v2 = ph_norm2(v);
    for (int k = 0; k < ITERATIONS_MAX; k++) {
        if (v2 <= touching * touching) return GJK_OVERLAP;
        const vertex w = duo_support(d, v);
        const double proven = ph_dot(v, w.w);
        if (v2 - proven <= 4e-16 * v2 || holds(s, &w)) return GJK_APART;
        if (proven > 0.0 && proven * proven > far * far * v2) return GJK_FAR;
        const simplex next = nearest_with(s, w);
        if (next.count == 4) {
            *s = next;
            return GJK_OVERLAP;
        }
        const ph_vec3 u = simplex_point(&next);
        const double u2 = ph_norm2(u);
        if (!(u2 < v2)) return GJK_APART; // rounding allows no more
        *s = next;
        v = u;
        v2 = u2;
    }
    return GJK_APART;
}
