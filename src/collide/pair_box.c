// Box against box: separating axes (three face normals each, nine cross products of edges), then clipping.
//
// The axis on which the boxes are farthest apart, or overlap least, is the normal. Nearly parallel edges have a cross
// product that is nearly a face normal; there the face is used, since four points of a face carry a resting box where
// one crossing of edges does not. Its gap differs from that of the edges by their angle squared.

#include "collide/features.h"
#include "collide/pairs.h"
#include "collide/segments.h"

typedef struct sat {
    const placed *a, *b;
    ph_mat3 C, absC; // axes of b in the frame of a
    ph_vec3 t, tb;   // from centre to centre, in the axes of a and of b
    ph_vec3 ha, hb;
} sat;

static double face_a(const sat *s, int i)
{
    return fabs(vec_get(s->t, i)) - vec_get(s->ha, i) - ph_dot(ph_mat_row(s->absC, i), s->hb);
}

static double face_b(const sat *s, int j)
{
    return fabs(vec_get(s->tb, j)) - vec_get(s->hb, j) - ph_dot(ph_mat_col(s->absC, j), s->ha);
}

// Along a_i x b_j; minus infinity for parallel edges.
static double edges(const sat *s, int i, int j)
{
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    const double c1 = s->C.m[i1][j], c2 = s->C.m[i2][j], sine2 = c1 * c1 + c2 * c2;
    if (sine2 < 1e-6) return -PH_INF;
    const double apart = fabs(vec_get(s->t, i2) * c1 - vec_get(s->t, i1) * c2);
    const double ra = vec_get(s->ha, i1) * s->absC.m[i2][j] + vec_get(s->ha, i2) * s->absC.m[i1][j];
    const double rb = vec_get(s->hb, j1) * s->absC.m[i][j2] + vec_get(s->hb, j2) * s->absC.m[i][j1];
    return (apart - ra - rb) / sqrt(sine2);
}

// ---- Faces ----------------------------------------------------------------------------------------------------------

// Face `k` is one of a's when k < 3, else one of b's.
static int face_contact(const sat *s, int k, double margin, contact_point *out)
{
    face reference, incident;
    const bool flip = k >= 3;
    if (flip) {
        box_face(&s->b->shape->sizes, &s->b->at, k - 3, vec_get(s->tb, k - 3) < 0.0 ? 1.0 : -1.0, &reference);
    } else {
        box_face(&s->a->shape->sizes, &s->a->at, k, vec_get(s->t, k) < 0.0 ? -1.0 : 1.0, &reference);
    }
    shape_face(flip ? s->a : s->b, ph_neg(reference.normal), &incident);
    return manifold_clip(&reference, &incident, flip, margin, out);
}

// ---- Edges ----------------------------------------------------------------------------------------------------------

// The edge along axis k that reaches farthest along n.
static segment edge_along(const placed *p, int k, ph_vec3 n, uint64_t *corner)
{
    ph_vec3 c = p->at.x;
    *corner = 0;
    for (int j = 0; j < 3; j++) {
        if (j != k) {
            const bool up = ph_dot(n, placed_axis(p, j)) > 0.0;
            c = ph_madd(c, up ? vec_get(p->shape->half, j) : -vec_get(p->shape->half, j), placed_axis(p, j));
            *corner |= (uint64_t)up << j;
        }
    }
    return (segment){c, placed_axis(p, k), vec_get(p->shape->half, k)};
}

static ph_vec3 edge_normal(const sat *s, int i, int j)
{
    const ph_vec3 n = ph_unit(ph_cross(placed_axis(s->a, i), placed_axis(s->b, j)));
    return ph_dot(n, ph_sub(s->b->at.x, s->a->at.x)) < 0.0 ? ph_neg(n) : n;
}

static contact_point edge_contact(const sat *s, int i, int j, ph_vec3 n, double gap)
{
    uint64_t ca, cb;
    const segment a = edge_along(s->a, i, n, &ca), b = edge_along(s->b, j, ph_neg(n), &cb);
    double u, v;
    segments_nearest(a, b, &u, &v);
    const uint64_t feature = (uint64_t)1 << 62 | (uint64_t)(3 * i + j) << 8 | ca << 4 | cb;
    return contact_make(segment_point(a, u), segment_point(b, v), n, gap, feature);
}

// A face whose normal is nearly n, counted as in face_contact, or -1.
static int face_near(const sat *s, ph_vec3 n)
{
    for (int k = 0; k < 6; k++) {
        const double c = ph_dot(n, placed_axis(k < 3 ? s->a : s->b, k % 3));
        if (fabs(c) > 0.9995) return k;
    }
    return -1;
}

// ---- The pair -------------------------------------------------------------------------------------------------------

static sat sat_of(const placed *a, const placed *b)
{
    sat s = {.a = a, .b = b, .ha = a->shape->half, .hb = b->shape->half};
    const ph_vec3 d = ph_sub(b->at.x, a->at.x);
    s.C = ph_mat_tmul(a->at.R, b->at.R);
    s.t = ph_tmul(a->at.R, d);
    s.tb = ph_tmul(b->at.R, d);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            s.absC.m[i][j] = fabs(s.C.m[i][j]);
        }
    }
    return s;
}

// Whether one of the points has the gap of the axis, along it.
static bool proves(const contact_point *points, int count, double gap, double tie)
{
    for (int k = 0; k < count; k++) {
        const double apart = ph_norm(ph_sub(points[k].on_b, points[k].on_a));
        if (apart <= points[k].gap + 1e-5 * tie && apart <= gap * 1.001 + 10.0 * tie) return true;
    }
    return false;
}

int pair_box_box(const placed *a, const placed *b, double margin, contact_point *out)
{
    const sat s = sat_of(a, b);
    const double tie = 1e-7 * (s.ha.x + s.ha.y + s.ha.z); // equal up to this: the earlier, so that nothing flickers
    double best = -PH_INF;
    int axis = 0;
    for (int k = 0; k < 6; k++) {
        const double gap = k < 3 ? face_a(&s, k) : face_b(&s, k - 3);
        if (gap >= margin) return 0;
        if (gap > best + tie) {
            best = gap;
            axis = k;
        }
    }
    double best_edges = best + tie;
    int pair = -1;
    for (int k = 0; k < 9; k++) {
        const double gap = edges(&s, k / 3, k % 3);
        if (gap >= margin) return 0;
        if (gap > best_edges) {
            best_edges = gap;
            pair = k;
        }
    }
    int count;
    const ph_vec3 n = pair < 0 ? ph_zero3() : edge_normal(&s, pair / 3, pair % 3);
    const int near = pair < 0 ? axis : face_near(&s, n);
    if (near < 0) {
        out[0] = edge_contact(&s, pair / 3, pair % 3, n, best_edges);
        count = 1;
    } else {
        count = face_contact(&s, near, margin, out);
    }
    // apart, the axis may miss corners and edges that lie beside each other
    const double gap = pair < 0 ? best : best_edges;
    if (!((gap < 0.0 && count > 0) || proves(out, count, gap, tie))) return pair_convex(a, b, margin, out);
    return near < 0 ? convex_add_ahead(a, b, margin, out, count) : count;
}
