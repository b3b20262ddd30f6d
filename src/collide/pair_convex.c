// Any two convex shapes: nearest or deepest points by GJK and EPA, then a manifold where flat parts meet.

#include "collide/features.h"
#include "collide/pairs.h"
#include "collide/support.h"

// ---- Nearest points -------------------------------------------------------------------------------------------------

static contact_point to_world(const duo *d, ph_vec3 a, ph_vec3 b, ph_vec3 n, double gap, uint64_t feature)
{
    const ph_vec3 normal = ph_mul(d->a->at.R, n);
    const ph_vec3 on_a = ph_madd(frame_point(&d->a->at, a), d->ra, normal);
    const ph_vec3 on_b = ph_madd(frame_point(&d->a->at, b), -d->rb, normal);
    return contact_make(on_a, on_b, normal, gap - d->ra - d->rb, feature);
}

enum { NEAREST = 1 }; // the number of the nearest points, of which a pair has one; corners of manifolds have more bits

// Round shapes deep inside each other, nearly concentric: every way out is about as long, and EPA runs out of room. Then
// from the axes of both shapes too.
static void try_axes(const duo *d, ph_vec3 *n, double *gap, ph_vec3 *a, ph_vec3 *b)
{
    for (int k = 0; k < 12; k++) {
        const ph_vec3 axis = ph_mat_col(k < 6 ? ph_identity() : d->ab.R, k % 3);
        ph_vec3 m = k / 3 % 2 ? ph_neg(axis) : axis;
        const simplex s = {1, {duo_support(d, m)}, {1.0}, false};
        ph_vec3 p = s.v[0].a, q = s.v[0].b;
        double found = ph_dot(m, s.v[0].w);
        refine(d, &s, &m, &found, &p, &q);
        if (found > *gap) {
            *n = m;
            *gap = found;
            *a = p;
            *b = q;
        }
    }
}

typedef struct closest {
    ph_vec3 n, a, b; // in the frame of a
    double gap;
    bool exact;
} closest;

static closest when_apart(const duo *d, const simplex *s)
{
    closest c = {.n = simplex_point(s)};
    c.gap = ph_norm(c.n);
    c.n = ph_scale(1.0 / c.gap, c.n);
    simplex_witness(s, &c.a, &c.b);
    c.exact = refine(d, s, &c.n, &c.gap, &c.a, &c.b) || d->flat;
    return c;
}

static closest when_overlapping(const duo *d, simplex *s)
{
    closest c = {.exact = true};
    c.gap = epa(d, s, &c.n);
    simplex_witness(s, &c.a, &c.b);
    if (!d->flat) refine(d, s, &c.n, &c.gap, &c.a, &c.b);
    if (s->rough) try_axes(d, &c.n, &c.gap, &c.a, &c.b);
    return c;
}

// What is left of the distance of shapes that nearly touch may be rounding, and its direction anything.
static bool nearly_touching(const duo *d, const simplex *s)
{
    const ph_vec3 v = simplex_point(s);
    const double gap = ph_norm(v), proven = ph_dot(v, duo_support(d, v).w) / gap;
    return gap - proven > 1e-12 * d->scale && proven < 1e-12 * d->scale && gap < 1e-4 * d->scale;
}

bool convex_nearest(const placed *pa, const placed *pb, double far, contact_point *to)
{
    const duo d = duo_of(pa, pb);
    const double rough = 1e-6, fine = 4e-16; // round shapes are refined, and seldom need the second
    closest c = {.exact = false};
    for (int pass = d.flat; pass < 2 && !c.exact; pass++) {
        simplex s;
        const gjk_result result = gjk(&d, far + d.ra + d.rb, pass ? fine : rough, &s);
        if (result == GJK_FAR) return false;
        if (result == GJK_OVERLAP || (pass && nearly_touching(&d, &s))) {
            c = when_overlapping(&d, &s);
        } else {
            c = when_apart(&d, &s);
        }
    }
    *to = to_world(&d, c.a, c.b, c.n, c.gap, NEAREST);
    return to->gap < far;
}

contact_point convex_closest(const placed *a, const placed *b)
{
    contact_point c;
    convex_nearest(a, b, PH_INF, &c);
    return c;
}

// ---- Manifold -------------------------------------------------------------------------------------------------------

// Two nearly parallel lines, sides of cylinders or capsules: the ends of the stretch they have in common.
static int common_line(const face *a, const face *b, const contact_point *nearest, double margin, contact_point *out)
{
    const ph_vec3 e = ph_sub(a->points[1], a->points[0]), g = ph_sub(b->points[1], b->points[0]);
    const double length2 = ph_norm2(e), along = ph_dot(e, g);
    if (ph_norm2(ph_cross(e, g)) > 1e-3 * length2 * ph_norm2(g)) return 0;
    const double s0 = ph_dot(e, ph_sub(b->points[0], a->points[0])) / length2, s1 = s0 + along / length2;
    const double low = ph_max(0.0, s0 < s1 ? s0 : s1), high = clamp(s0 < s1 ? s1 : s0, 0.0, 1.0);
    int count = 0;
    for (int k = 0; k < 2 && low < high; k++) {
        const double s = k ? high : low, t = clamp((s - s0) / (s1 - s0), 0.0, 1.0);
        const ph_vec3 p = ph_madd(a->points[0], s, e), q = ph_madd(b->points[0], t, g);
        const double gap = ph_dot(nearest->normal, ph_sub(q, p));
        if (gap < margin) {
            out[count++] = contact_make(p, ph_madd(p, gap, nearest->normal), nearest->normal, gap, 2 + (uint64_t)k);
        }
    }
    return count;
}

int manifold_with(contact_point *points, int count, const contact_point *nearest, double size)
{
    int farthest = 0;
    for (int k = 0; k < count; k++) {
        if (points[k].gap <= nearest->gap + 1e-3 * fabs(nearest->gap) + 1e-7 * size) return count;
        if (points[k].gap > points[farthest].gap) farthest = k;
    }
    if (count < MANIFOLD_MAX) farthest = count++;
    points[farthest] = *nearest;
    return count;
}

static const double aligned = 0.9995; // cosine up to which a face counts as square to the normal

int convex_manifold(const placed *a, const placed *b, const contact_point *nearest, double margin, contact_point *out)
{
    face fa, fb;
    shape_face(a, nearest->normal, &fa);
    shape_face(b, ph_neg(nearest->normal), &fb);
    const double ca = fa.count > 2 ? ph_dot(fa.normal, nearest->normal) : 0.0;
    const double cb = fb.count > 2 ? -ph_dot(fb.normal, nearest->normal) : 0.0;
    const double size = ph_norm(ph_sub(a->at.x, b->at.x));
    int count = 0;
    if (fa.count == 2 && fb.count == 2) {
        count = common_line(&fa, &fb, nearest, margin, out);
    } else if (fa.count > 0 && fb.count > 0 && ca > aligned && ca > cb - 1e-6) {
        shape_face(b, ph_neg(fa.normal), &fb);
        count = manifold_clip(&fa, &fb, false, margin, out);
    } else if (fa.count > 0 && fb.count > 0 && cb > aligned) {
        shape_face(a, ph_neg(fb.normal), &fa);
        count = manifold_clip(&fb, &fa, true, margin, out);
    }
    return manifold_with(out, count, nearest, size);
}

// Whether a point is one of those already, or stands where one of them does.
static bool has_point(const contact_point *points, int count, const contact_point *it, double size)
{
    const double same = 1e-3 * size;
    for (int k = 0; k < count; k++) {
        if (points[k].feature == it->feature) return true;
        const ph_vec3 apart = ph_add(ph_sub(points[k].on_a, it->on_a), ph_sub(points[k].on_b, it->on_b));
        if (ph_norm2(apart) < 4.0 * same * same) return true;
    }
    return false;
}

int convex_add_ahead(const placed *a, const placed *b, double margin, contact_point *out, int count)
{
    const double nearly = 0.98; // cosine: faces tilted further do not close within one step
    face fa, fb;
    contact_point ahead[MANIFOLD_MAX];
    const ph_vec3 n = out[0].normal;
    shape_face(a, n, &fa);
    shape_face(b, ph_neg(n), &fb);
    if (fa.count == 0 || fb.count == 0) return count;
    const double ca = fa.count > 2 ? ph_dot(fa.normal, n) : 0.0, cb = fb.count > 2 ? -ph_dot(fb.normal, n) : 0.0;
    const bool flip = cb > ca + 1e-6;
    if (ca < nearly && cb < nearly) return count;
    shape_face(flip ? a : b, ph_neg(flip ? fb.normal : fa.normal), flip ? &fa : &fb);
    const int found = manifold_clip(flip ? &fb : &fa, flip ? &fa : &fb, flip, margin, ahead);
    const double size = ph_norm(ph_sub(a->at.x, b->at.x));
    for (int k = 0; k < found && count < MANIFOLD_MAX; k++) {
        if (ahead[k].gap >= ph_max(0.0, out[0].gap) && !has_point(out, count, &ahead[k], size)) out[count++] = ahead[k];
    }
    return count;
}

int pair_convex(const placed *a, const placed *b, double margin, contact_point *out)
{
    contact_point nearest;
    if (!convex_nearest(a, b, margin, &nearest)) return 0;
    const int count = convex_manifold(a, b, &nearest, margin, out);
    return count == 1 ? convex_add_ahead(a, b, margin, out, count) : count;
}
