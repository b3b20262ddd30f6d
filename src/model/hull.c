// Convex hull by adding one point after the other: the triangles that a new point sees are replaced by those between it
// and their rim. Work grows with the square of the number of points at the worst.

#include "model/hull.h"

#include "math/vec3.h"

typedef struct builder {
    const ph_vec3 *points;
    double tolerance; // distances below it count as zero
    int (*triangles)[3];
    int count, capacity;
    bool *seen;
    int (*rim)[2]; // edges of seen triangles whose other side is not seen
} builder;

// Distance of p from the plane of a triangle, positive outside.
static double height(const builder *h, const int t[3], ph_vec3 p)
{
    const ph_vec3 a = h->points[t[0]];
    const ph_vec3 normal = ph_cross(ph_sub(h->points[t[1]], a), ph_sub(h->points[t[2]], a));
    const double area = ph_norm(normal);
    return area > 0.0 ? ph_dot(normal, ph_sub(p, a)) / area : 0.0;
}

static void add_triangle(builder *h, int a, int b, int c)
{
    int *t = h->triangles[h->count++];
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

// ---- The first tetrahedron ------------------------------------------------------------------------------------------

typedef double distance_to(const builder *h, const int *chosen, ph_vec3 p);

static double from_point(const builder *h, const int *chosen, ph_vec3 p)
{
    return ph_norm(ph_sub(p, h->points[chosen[0]]));
}

static double from_line(const builder *h, const int *chosen, ph_vec3 p)
{
    const ph_vec3 a = h->points[chosen[0]];
    return ph_norm(ph_cross(ph_unit(ph_sub(h->points[chosen[1]], a)), ph_sub(p, a)));
}

static double from_plane(const builder *h, const int *chosen, ph_vec3 p)
{
    return fabs(height(h, chosen, p));
}

// Four points far from each other: each the farthest from what those before it span. False when they lie in a plane.
static bool choose_corners(builder *h, int count, int corner[4])
{
    static distance_to *const measures[3] = {from_point, from_line, from_plane};
    corner[0] = 0;
    for (int k = 1; k < 4; k++) {
        double farthest = 0.0;
        for (int i = 0; i < count; i++) {
            const double distance = measures[k - 1](h, corner, h->points[i]);
            if (distance > farthest) {
                farthest = distance;
                corner[k] = i;
            }
        }
        if (k == 1) {
            h->tolerance = 1e-12 * farthest;
        }
        if (!(farthest > h->tolerance)) {
            return false;
        }
    }
    return true;
}

static void start_tetrahedron(builder *h, int corner[4])
{
    if (height(h, corner, h->points[corner[3]]) > 0.0) {
        const int swap = corner[1];
        corner[1] = corner[2];
        corner[2] = swap;
    }
    add_triangle(h, corner[0], corner[1], corner[2]);
    add_triangle(h, corner[0], corner[3], corner[1]);
    add_triangle(h, corner[1], corner[3], corner[2]);
    add_triangle(h, corner[2], corner[3], corner[0]);
}

// ---- Adding a point -------------------------------------------------------------------------------------------------

static bool has_seen_edge(const builder *h, int from, int to)
{
    for (int k = 0; k < h->count; k++) {
        const int *t = h->triangles[k];
        if (h->seen[k] &&
            ((t[0] == from && t[1] == to) || (t[1] == from && t[2] == to) || (t[2] == from && t[0] == to))) {
            return true;
        }
    }
    return false;
}

static int find_rim(builder *h)
{
    int edges = 0;
    for (int k = 0; k < h->count; k++) {
        for (int e = 0; e < 3 && h->seen[k]; e++) {
            const int from = h->triangles[k][e], to = h->triangles[k][(e + 1) % 3];
            if (!has_seen_edge(h, to, from)) {
                h->rim[edges][0] = from;
                h->rim[edges++][1] = to;
            }
        }
    }
    return edges;
}

static void add_point(builder *h, int p)
{
    bool outside = false;
    for (int k = 0; k < h->count; k++) {
        h->seen[k] = height(h, h->triangles[k], h->points[p]) > h->tolerance;
        outside = outside || h->seen[k];
    }
    if (!outside) {
        return;
    }
    const int edges = find_rim(h);
    if (h->count + edges > h->capacity) { // rounding made more triangles than a hull has: the point stays out
        return;
    }
    int kept = 0;
    for (int k = 0; k < h->count; k++) {
        if (!h->seen[k]) {
            for (int e = 0; e < 3; e++) {
                h->triangles[kept][e] = h->triangles[k][e];
            }
            kept++;
        }
    }
    h->count = kept;
    for (int e = 0; e < edges; e++) {
        add_triangle(h, h->rim[e][0], h->rim[e][1], p);
    }
}

bool hull_create(const ph_vec3 *points, int count, arena *memory, hull *to)
{
    // A hull of n points has at most 2n - 4 triangles; while a point is added there are those and the new ones.
    const int most = 4 * (count < 4 ? 4 : count);
    builder h = {.points = points, .capacity = most};
    int corner[4];
    h.triangles = arena_alloc_array(memory, (size_t)most, sizeof *h.triangles);
    h.seen = arena_alloc_array(memory, (size_t)most, sizeof *h.seen);
    h.rim = arena_alloc_array(memory, 3 * (size_t)most, sizeof *h.rim);
    *to = (hull){0};
    if (!h.triangles || !h.seen || !h.rim) {
        return false;
    }
    if (count < 4 || !choose_corners(&h, count, corner)) {
        return true;
    }
    start_tetrahedron(&h, corner);
    for (int p = 0; p < count; p++) {
        add_point(&h, p);
    }
    *to = (hull){h.count, h.triangles};
    return true;
}
