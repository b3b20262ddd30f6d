// Clipping of faces, and choice of contact points.

#include "collide/manifold.h"

// ---- Reduction ------------------------------------------------------------------------------------------------------

typedef double merit(const contact_point *chosen, ph_vec3 p);

static double by_distance(const contact_point *chosen, ph_vec3 p)
{
    return ph_norm2(ph_sub(p, chosen[0].on_b));
}

// Of points that span the same area, as all along an edge do, the outermost: corners close first when a body tilts.
static const double OUTER = 0.02;

// Twice the area with the first two.
static double by_area(const contact_point *chosen, ph_vec3 p)
{
    const ph_vec3 e = ph_sub(chosen[1].on_b, chosen[0].on_b), d = ph_sub(p, chosen[0].on_b);
    const double area = ph_norm(ph_cross(e, d));
    if (!(area > 1e-12 * ph_norm2(e))) return 0.0; // on a line with them
    return area + OUTER * ph_norm(e) * ph_norm(ph_madd(d, -0.5, e));
}

// Twice the largest area that p adds outside an edge of the triangle of the first three.
static double by_added_area(const contact_point *chosen, ph_vec3 p)
{
    const ph_vec3 a = chosen[0].on_b, b = chosen[1].on_b, c = chosen[2].on_b;
    const ph_vec3 n = ph_cross(ph_sub(b, a), ph_sub(c, a));
    const double size = ph_norm(n);
    const ph_vec3 corners[4] = {a, b, c, a};
    double most = 0.0;
    for (int e = 0; e < 3 && size > 0.0; e++) {
        const ph_vec3 side = ph_cross(ph_sub(corners[e + 1], corners[e]), ph_sub(p, corners[e]));
        most = ph_max(most, -ph_dot(side, n) / size);
    }
    const ph_vec3 middle = ph_scale(1.0 / 3.0, ph_add3(a, b, c));
    return most > 0.0 ? most + OUTER * sqrt(size) * ph_norm(ph_sub(p, middle)) : 0.0;
}

static void swap_points(contact_point *points, int i, int j)
{
    const contact_point keep = points[i];
    points[i] = points[j];
    points[j] = keep;
}

// Points of equal merit, nearly, keep their order, so that the choice does not flicker from step to step.
static int best_of(const contact_point *points, int from, int count, merit *measure, double *value)
{
    int best = from;
    *value = measure(points, points[from].on_b);
    for (int i = from + 1; i < count; i++) {
        const double v = measure(points, points[i].on_b);
        if (v > *value * (1.0 + 1e-6)) {
            best = i;
            *value = v;
        }
    }
    return best;
}

static double extent2(const contact_point *points, int count)
{
    double most = 0.0;
    for (int i = 1; i < count; i++) {
        most = ph_max(most, ph_norm2(ph_sub(points[i].on_b, points[0].on_b)));
    }
    return most;
}

int manifold_reduce(contact_point *points, int count)
{
    static merit *const measures[MANIFOLD_MAX] = {NULL, by_distance, by_area, by_added_area};
    if (count <= MANIFOLD_MAX) {
        return count;
    }
    const double size2 = extent2(points, count), tie = 1e-7 * sqrt(size2);
    int deepest = 0;
    for (int i = 1; i < count; i++) {
        if (points[i].gap < points[deepest].gap - tie) {
            deepest = i;
        }
    }
    swap_points(points, 0, deepest);
    for (int k = 1; k < MANIFOLD_MAX; k++) {
        double value;
        swap_points(points, k, best_of(points, k, count, measures[k], &value));
        if (!(value > 1e-12 * size2)) { // the others lie on a line, or in a point
            return k;
        }
    }
    return MANIFOLD_MAX;
}

// ---- Clipping -------------------------------------------------------------------------------------------------------

typedef struct corner {
    ph_vec3 p;
    uint32_t edge; // of the edge that begins here: the incident feature's own, or 2^15 + that of the reference
} corner;

enum { OF_REFERENCE = 1 << 15 };

// Corners no farther from the plane than this part of the reference's edge lie on it: where edges of both faces coincide, as
// in a wall of bricks, rounding would otherwise decide in every step anew whether an edge is cut, and what it is called.
static const double ON_PLANE = 1e-7;

// What lies on the side s <= 0 of a plane n . p = d. `edge`: the number of the edge that the plane cuts.
static int clip_polygon(const corner *in, int count, ph_vec3 n, double d, uint32_t edge, corner *out)
{
    const double on = ON_PLANE * ph_norm2(n); // n is as long as the edge
    int kept = 0;
    for (int i = 0; i < count; i++) {
        const corner *a = &in[i], *b = &in[i + 1 < count ? i + 1 : 0];
        const double sa = ph_dot(n, a->p) - d, sb = ph_dot(n, b->p) - d;
        if (sa <= on) {
            out[kept++] = (corner){a->p, sa >= -on && sb > on ? edge : a->edge};
        }
        if ((sa < -on && sb > on) || (sa > on && sb < -on)) {
            const ph_vec3 cut = ph_madd(a->p, sa / (sa - sb), ph_sub(b->p, a->p));
            out[kept++] = (corner){cut, sa < 0.0 ? edge : a->edge};
        }
    }
    return kept;
}

// A segment, given by its two ends; a corner, given twice, stays or goes.
static int clip_segment(corner *ends, ph_vec3 n, double d, uint32_t edge)
{
    const double on = ON_PLANE * ph_norm2(n), s[2] = {ph_dot(n, ends[0].p) - d, ph_dot(n, ends[1].p) - d};
    if (s[0] > on && s[1] > on) {
        return 0;
    }
    for (int k = 0; k < 2; k++) {
        if (s[k] > on) {
            const corner *other = &ends[1 - k];
            ends[k].p = ph_madd(other->p, s[1 - k] / (s[1 - k] - s[k]), ph_sub(ends[k].p, other->p));
            ends[k].edge = edge;
        }
    }
    return 2;
}

// The planes through the edges of the reference, square to its face. Returns the corners left in `to`.
static int clip_by_sides(const face *reference, corner *to, int count)
{
    corner other[CLIP_MAX];
    for (int e = 0; e < reference->count && count > 0; e++) {
        const ph_vec3 a = reference->points[e], b = reference->points[e + 1 < reference->count ? e + 1 : 0];
        const ph_vec3 n = ph_cross(ph_sub(b, a), reference->normal);
        const uint32_t edge = OF_REFERENCE + (uint32_t)e;
        if (count == 2) {
            count = clip_segment(to, n, ph_dot(n, a), edge);
            continue;
        }
        count = clip_polygon(to, count, n, ph_dot(n, a), edge, other);
        for (int i = 0; i < count; i++) {
            to[i] = other[i];
        }
    }
    return count;
}

// A corner is known by the edges before and after it; a segment's end by what cut it.
static uint64_t corner_feature(const corner *corners, int count, int i)
{
    const uint64_t after = corners[i].edge, before = count == 2 ? (uint64_t)i : corners[(i + count - 1) % count].edge;
    return before << 16 | after;
}

int manifold_clip(const face *reference, const face *incident, bool flip, double margin, contact_point *out)
{
    corner corners[CLIP_MAX];
    contact_point points[CLIP_MAX];
    for (int i = 0; i < incident->count; i++) {
        corners[i] = (corner){incident->points[i], (uint32_t)i};
    }
    const int count = clip_by_sides(reference, corners, incident->count);
    const uint64_t faces = (uint64_t)flip << 63 | (uint64_t)reference->id << 44 | (uint64_t)incident->id << 32;
    int kept = 0;
    for (int i = 0; i < count; i++) {
        const double gap = ph_dot(reference->normal, ph_sub(corners[i].p, reference->points[0]));
        if (gap < margin) {
            const ph_vec3 on_reference = ph_madd(corners[i].p, -gap, reference->normal);
            const contact_point c = contact_make(on_reference, corners[i].p, reference->normal, gap,
                                                 faces | corner_feature(corners, count, i));
            points[kept++] = flip ? contact_flipped(c) : c;
        }
    }
    kept = manifold_reduce(points, kept);
    for (int i = 0; i < kept; i++) {
        out[i] = points[i];
    }
    return kept;
}
