// Convex hull by adding one point after the other: the triangles that a new point sees are replaced by those between it
// and their rim.
//
// Each point that waits hangs on one triangle that it sees. When that goes, the point sees one of those in its place, or lies
// inside from then on (Barber, Dobkin, Huhdanpaa 1996). What else it sees is found from neighbour to neighbour, so that work
// grows little faster than the number of points. Triangles are taken in the order in which they were made.

#include "model/hull.h"

#include "base/sort.h"
#include "math/vec3.h"

#include <string.h>

enum { NOBODY = -1 };

typedef struct face {
    int corner[3], neighbour[3]; // across the edge from corner k to the next one
    ph_vec3 normal;
    double area;
    int first; // point that hangs on it
    uint32_t age;
    bool alive, seen;
} face;

typedef struct builder {
    const ph_vec3 *points;
    double tolerance; // distances below it count as zero
    face *faces;
    int count, capacity, used; // alive; room; places taken so far
    int *free;                 // places to use again
    int free_count;
    uint32_t born;
    int *next, *owner; // of points: the next one on the same face, the face
    uint64_t *seen;    // faces that the new point sees: age and place
    int seen_count;
    int (*rim)[3];  // edges of seen faces whose other side is not seen: from, to, the face there
    int *starts_at; // new face whose edge begins at a point; NOBODY: none
} builder;

// Distance of p from the plane of a triangle, positive outside.
static ph_vec3 normal_of(const builder *h, const int t[3])
{
    const ph_vec3 a = h->points[t[0]];
    return ph_cross(ph_sub(h->points[t[1]], a), ph_sub(h->points[t[2]], a));
}

static double above(const builder *h, const int t[3], ph_vec3 normal, double area, ph_vec3 p)
{
    return area > 0.0 ? ph_dot(normal, ph_sub(p, h->points[t[0]])) / area : 0.0;
}

static double height(const builder *h, const int t[3], ph_vec3 p)
{
    const ph_vec3 normal = normal_of(h, t);
    return above(h, t, normal, ph_norm(normal), p);
}

static bool sees(const builder *h, const face *f, int p)
{
    return above(h, f->corner, f->normal, f->area, h->points[p]) > h->tolerance;
}

static int add_face(builder *h, int a, int b, int c)
{
    const int at = h->free_count ? h->free[--h->free_count] : h->used++;
    face *f = &h->faces[at];
    *f = (face){.corner = {a, b, c}, .first = NOBODY, .age = h->born++, .alive = true};
    f->normal = normal_of(h, f->corner);
    f->area = ph_norm(f->normal);
    h->count++;
    return at;
}

// Hangs a point on the first of these faces that it sees.
static void hang(builder *h, int p, const int *faces, int count)
{
    h->owner[p] = NOBODY;
    for (int k = 0; k < count && h->owner[p] == NOBODY; k++) {
        face *f = &h->faces[faces[k]];
        if (sees(h, f, p)) {
            h->owner[p] = faces[k];
            h->next[p] = f->first;
            f->first = p;
        }
    }
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

static void start_tetrahedron(builder *h, int corner[4], int count)
{
    static const int neighbours[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    const int all[4] = {0, 1, 2, 3};
    if (height(h, corner, h->points[corner[3]]) > 0.0) {
        const int swap = corner[1];
        corner[1] = corner[2];
        corner[2] = swap;
    }
    add_face(h, corner[0], corner[1], corner[2]);
    add_face(h, corner[0], corner[3], corner[1]);
    add_face(h, corner[1], corner[3], corner[2]);
    add_face(h, corner[2], corner[3], corner[0]);
    for (int k = 0; k < 4; k++) memcpy(h->faces[k].neighbour, neighbours[k], sizeof neighbours[k]);
    for (int p = 0; p < count; p++) hang(h, p, all, 4);
}

// ---- Adding a point -------------------------------------------------------------------------------------------------

static void list(builder *h, int place)
{
    h->seen[h->seen_count++] = (uint64_t)h->faces[place].age << 32 | (uint32_t)place;
}

static int place_of(const builder *h, int k)
{
    return (int)(uint32_t)h->seen[k];
}

static void sort_by_age(builder *h)
{
    if (h->seen_count < 16)
        sort_few(h->seen, h->seen_count);
    else
        sort_keys(h->seen, h->seen_count);
}

static void find_seen(builder *h, int p)
{
    h->seen_count = 0;
    list(h, h->owner[p]);
    h->faces[h->owner[p]].seen = true;
    for (int k = 0; k < h->seen_count; k++) {
        const face *f = &h->faces[place_of(h, k)];
        for (int e = 0; e < 3; e++) {
            face *other = &h->faces[f->neighbour[e]];
            if (!other->seen && sees(h, other, p)) {
                other->seen = true;
                list(h, f->neighbour[e]);
            }
        }
    }
    sort_by_age(h);
}

// Each point of the rim begins one of its edges; where rounding has made another rim than that it is of no use.
static int find_rim(builder *h)
{
    int edges = 0;
    bool simple = true;
    for (int k = 0; k < h->seen_count; k++) {
        const face *f = &h->faces[place_of(h, k)];
        for (int e = 0; e < 3; e++) {
            if (!h->faces[f->neighbour[e]].seen) {
                const int from = f->corner[e];
                simple = simple && h->starts_at[from] == NOBODY;
                h->starts_at[from] = edges;
                memcpy(h->rim[edges++], (int[3]){from, f->corner[(e + 1) % 3], f->neighbour[e]}, sizeof *h->rim);
            }
        }
    }
    for (int e = 0; e < edges; e++) simple = simple && h->starts_at[h->rim[e][1]] != NOBODY;
    for (int e = 0; e < edges; e++) h->starts_at[h->rim[e][0]] = NOBODY;
    return simple ? edges : 0;
}

static void link_outside(builder *h, int outside, int from, int to, int made)
{
    face *f = &h->faces[outside];
    for (int e = 0; e < 3; e++)
        if (f->corner[e] == to && f->corner[(e + 1) % 3] == from) f->neighbour[e] = made;
}

// The faces between the rim and p: made[e] for each edge.
static void close_rim(builder *h, int edges, int p, int *made)
{
    for (int e = 0; e < edges; e++) {
        const int from = h->rim[e][0], to = h->rim[e][1];
        made[e] = add_face(h, from, to, p);
        h->faces[made[e]].neighbour[0] = h->rim[e][2];
        link_outside(h, h->rim[e][2], from, to, made[e]);
        h->starts_at[from] = made[e];
    }
    for (int e = 0; e < edges; e++) {
        const int after = h->starts_at[h->rim[e][1]];
        h->faces[made[e]].neighbour[1] = after;
        h->faces[after].neighbour[2] = made[e];
    }
    for (int e = 0; e < edges; e++) h->starts_at[h->rim[e][0]] = NOBODY;
}

// Points that hung on seen faces hang on new ones, or lie inside.
static void move_points(builder *h, int waiting, const int *made, int edges)
{
    for (int p = waiting, next; p != NOBODY; p = next) {
        next = h->next[p];
        hang(h, p, made, edges);
    }
}

static int remove_seen(builder *h, int added)
{
    int waiting = NOBODY;
    for (int k = 0; k < h->seen_count; k++) {
        face *f = &h->faces[place_of(h, k)];
        for (int p = f->first, next; p != NOBODY; p = next) {
            next = h->next[p];
            if (p != added) h->next[p] = waiting, waiting = p;
        }
        f->alive = f->seen = false;
        h->free[h->free_count++] = place_of(h, k);
        h->count--;
    }
    return waiting;
}

static void add_point(builder *h, int p, int *made)
{
    if (h->owner[p] == NOBODY) return;
    find_seen(h, p);
    const int edges = find_rim(h);
    if (edges == 0 || h->count + edges > h->capacity) { // more triangles than a hull has: the point stays out
        for (int k = 0; k < h->seen_count; k++) h->faces[place_of(h, k)].seen = false;
        return;
    }
    const int waiting = remove_seen(h, p);
    close_rim(h, edges, p, made);
    move_points(h, waiting, made, edges);
}

static bool alloc_all(builder *h, int count, arena *memory)
{
    const size_t most = (size_t)h->capacity, n = (size_t)count;
    h->faces = arena_alloc_array(memory, most, sizeof *h->faces);
    h->free = arena_alloc_array(memory, most, sizeof *h->free);
    h->seen = arena_alloc_array(memory, most, sizeof *h->seen);
    h->rim = arena_alloc_array(memory, 3 * most, sizeof *h->rim);
    h->next = arena_alloc_array(memory, 3 * n + 1, sizeof *h->next);
    if (!h->faces || !h->free || !h->seen || !h->rim || !h->next) return false;
    h->owner = h->next + n;
    h->starts_at = h->owner + n;
    for (int i = 0; i < count; i++) h->starts_at[i] = NOBODY;
    return true;
}

// Triangles by age.
static void write_hull(builder *h, hull *to, int (*triangles)[3])
{
    h->seen_count = 0;
    for (int k = 0; k < h->used; k++)
        if (h->faces[k].alive) list(h, k);
    sort_by_age(h);
    for (int k = 0; k < h->seen_count; k++) memcpy(triangles[k], h->faces[place_of(h, k)].corner, sizeof *triangles);
    *to = (hull){h->seen_count, triangles};
}

bool hull_create(const ph_vec3 *points, int count, arena *memory, hull *to)
{
    // A hull of n points has at most 2n - 4 triangles; while a point is added there are those and the new ones.
    const int most = 4 * (count < 4 ? 4 : count);
    builder h = {.points = points, .capacity = most};
    int corner[4], (*triangles)[3] = arena_alloc_array(memory, (size_t)most, sizeof *triangles);
    int *made = arena_alloc_array(memory, 3 * (size_t)most, sizeof *made);
    *to = (hull){0};
    if (!triangles || !made || !alloc_all(&h, count, memory)) {
        return false;
    }
    if (count < 4 || !choose_corners(&h, count, corner)) {
        return true;
    }
    start_tetrahedron(&h, corner, count);
    for (int p = 0; p < count; p++) {
        add_point(&h, p, made);
    }
    write_hull(&h, to, triangles);
    return true;
}
