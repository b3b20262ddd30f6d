// Distance of two convex shapes by the algorithm of Gilbert, Johnson and Keerthi (1988).
//
// W = B - A is approached from inside: the nearest point v of a simplex of at most four of its points gives the
// direction in which the next point is looked for. n = v / |v| proves that the distance is at least n . w, v itself that
// it is at most |v|; the iteration ends when the two meet, to the last digits.

#include "collide/support.h"

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

// Which corners count, and how much. The corners themselves stay where they are.
typedef struct weights {
    int count, index[4];
    double weight[4];
    double distance2; // of the point they make from the origin
} weights;

static weights of_point(const ph_vec3 *w, int p)
{
    return (weights){1, {p}, {1.0}, ph_norm2(w[p])};
}

static weights of_segment(const ph_vec3 *w, int p, int q)
{
    const ph_vec3 e = ph_sub(w[q], w[p]);
    const double length2 = ph_norm2(e), t = -ph_dot(w[p], e);
    if (!(t > 0.0)) return of_point(w, p);
    if (!(t < length2)) return of_point(w, q);
    const double s = t / length2;
    return (weights){2, {p, q}, {1.0 - s, s}, ph_norm2(ph_add(ph_scale(1.0 - s, w[p]), ph_scale(s, w[q])))};
}

static weights nearer(weights s, weights t)
{
    return t.distance2 < s.distance2 ? t : s;
}

// Barycentric coordinates of the foot of the origin are the areas of the three triangles it makes with the edges. Inside
// when none is negative; else one of the edges is nearest.
static weights of_triangle(const ph_vec3 *w, int p, int q, int r)
{
    const ph_vec3 n = ph_cross(ph_sub(w[q], w[p]), ph_sub(w[r], w[p]));
    const double a = ph_dot(n, ph_cross(w[q], w[r])), b = ph_dot(n, ph_cross(w[r], w[p]));
    const double c = ph_dot(n, ph_cross(w[p], w[q])), sum = a + b + c;
    if (a > 0.0 && b > 0.0 && c > 0.0 && ph_norm2(n) > 0.0) {
        const weights s = {3, {p, q, r}, {a / sum, b / sum, c / sum}, 0.0};
        const ph_vec3 foot =
            ph_add3(ph_scale(s.weight[0], w[p]), ph_scale(s.weight[1], w[q]), ph_scale(s.weight[2], w[r]));
        return (weights){3, {p, q, r}, {s.weight[0], s.weight[1], s.weight[2]}, ph_norm2(foot)};
    }
    return nearer(nearer(of_segment(w, p, q), of_segment(w, q, r)), of_segment(w, p, r));
}

// Whether the origin and d lie on different sides of the plane pqr.
static bool beyond(ph_vec3 p, ph_vec3 q, ph_vec3 r, ph_vec3 d)
{
    const ph_vec3 n = ph_cross(ph_sub(q, p), ph_sub(r, p));
    const double origin = -ph_dot(n, p), other = ph_dot(n, ph_sub(d, p));
    return !(origin * other > 0.0);
}

// Four points: count 4 when the origin is inside. `outside`: it is known not to be, and since rounding may tell the sides
// of a flat tetrahedron wrong, all faces are looked at.
static weights of_tetrahedron(const ph_vec3 *w, bool outside)
{
    static const int faces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
    weights best = {4, {0, 1, 2, 3}, {0.25, 0.25, 0.25, 0.25}, -1.0};
    for (int f = 0; f < 4; f++) {
        const int *k = faces[f];
        if (outside || beyond(w[k[0]], w[k[1]], w[k[2]], w[k[3]])) {
            const weights s = of_triangle(w, k[0], k[1], k[2]);
            if (best.count == 4 || s.distance2 < best.distance2) best = s;
        }
    }
    return best;
}

static weights nearest_of(const simplex *s, bool outside)
{
    const ph_vec3 w[4] = {s->v[0].w, s->v[1].w, s->v[2].w, s->v[3].w};
    switch (s->count) {
    case 2:
        return of_segment(w, 0, 1);
    case 3:
        return of_triangle(w, 0, 1, 2);
    default:
        return of_tetrahedron(w, outside);
    }
}

static void keep(simplex *s, const weights *w)
{
    for (int k = 0; k < w->count; k++) { // in rising order: nothing is overwritten before it is read
        if (w->index[k] != k) s->v[k] = s->v[w->index[k]];
        s->weight[k] = w->weight[k];
    }
    s->count = w->count;
}

// ---- The iteration --------------------------------------------------------------------------------------------------

static bool holds(const simplex *s, const vertex *w)
{
    for (int k = 0; k < s->count; k++) {
        if (s->v[k].w.x == w->w.x && s->v[k].w.y == w->w.y && s->v[k].w.z == w->w.z) return true;
    }
    return false;
}

gjk_result gjk(const duo *d, double far, double enough, simplex *s)
{
    const double touching = 1e-13 * d->scale;
    ph_vec3 v = d->ab.x;
    if (!(ph_norm2(v) > 0.0)) v = ph_vec(1.0, 0.0, 0.0);
    s->count = 1;
    s->v[0] = s->v[1] = s->v[2] = s->v[3] = duo_support(d, v);
    s->weight[0] = 1.0;
    s->rough = false;
    v = s->v[0].w;
    double v2 = ph_norm2(v);
    for (int k = 0; k < ITERATIONS_MAX; k++) {
        if (v2 <= touching * touching) return GJK_OVERLAP;
        const vertex w = duo_support(d, v);
        const double proven = ph_dot(v, w.w);
        if (v2 - proven <= enough * v2 || holds(s, &w)) return GJK_APART;
        if (proven > 0.0 && proven * proven > far * far * v2) return GJK_FAR;
        simplex next = *s;
        next.v[next.count++] = w;
        weights nearest = nearest_of(&next, false);
        const bool outside = proven > 1e-14 * d->scale * sqrt(v2); // v parts W from the origin
        if (nearest.count == 4 ? outside : next.count == 4 && !(nearest.distance2 < v2)) {
            nearest = nearest_of(&next, true);
        }
        if (nearest.count < 4 && !(nearest.distance2 < v2)) return GJK_APART; // rounding allows no more
        keep(&next, &nearest);
        *s = next;
        if (nearest.count == 4) return GJK_OVERLAP;
        v = simplex_point(s);
        v2 = nearest.distance2;
    }
    return GJK_APART;
}
