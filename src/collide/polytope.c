// From points to corners and faces: triangles of the convex hull, those in one plane joined.

#include "collide/polytope.h"

#include "model/hull.h"

enum { SCAN_MAX = 32 }; // corners up to which looking at all is faster than walking

typedef struct joiner {
    const ph_vec3 *points;
    hull hull;
    int (*beside)[3]; // triangle on the other side of edge e, from corner e to corner e + 1
    int *group;       // of a triangle, -1: none yet
    int *stack;       // scratch
    double tolerance; // distance from a plane that counts as in it
} joiner;

static ph_vec3 triangle_normal(const joiner *j, int t)
{
    const int *c = j->hull.triangles[t];
    const ph_vec3 a = j->points[c[0]];
    return ph_unit(ph_cross(ph_sub(j->points[c[1]], a), ph_sub(j->points[c[2]], a)));
}

// ---- Which triangles meet where -------------------------------------------------------------------------------------

typedef struct edge {
    int low, high, triangle, side;
} edge;

static bool edge_before(const edge *a, const edge *b)
{
    if (a->low != b->low) return a->low < b->low;
    if (a->high != b->high) return a->high < b->high;
    return a->triangle < b->triangle;
}

// Heap sort: no recursion, no memory.
static void sift(edge *edges, int root, int count)
{
    for (int child; (child = 2 * root + 1) < count; root = child) {
        child += child + 1 < count && edge_before(&edges[child], &edges[child + 1]);
        if (!edge_before(&edges[root], &edges[child])) return;
        const edge keep = edges[root];
        edges[root] = edges[child];
        edges[child] = keep;
    }
}

static void sort_edges(edge *edges, int count)
{
    for (int i = count / 2 - 1; i >= 0; i--) {
        sift(edges, i, count);
    }
    for (int i = count - 1; i > 0; i--) {
        const edge keep = edges[0];
        edges[0] = edges[i];
        edges[i] = keep;
        sift(edges, 0, i);
    }
}

// False when an edge does not have two sides, which rounding can do to a hull of nearly flat points.
static bool find_neighbours(joiner *j, edge *edges)
{
    const int count = 3 * j->hull.count;
    for (int k = 0; k < count; k++) {
        const int a = j->hull.triangles[k / 3][k % 3], b = j->hull.triangles[k / 3][(k + 1) % 3];
        edges[k] = (edge){a < b ? a : b, a < b ? b : a, k / 3, k % 3};
    }
    sort_edges(edges, count);
    for (int k = 0; k < count; k += 2) {
        const edge *a = &edges[k], *b = &edges[k + 1];
        if (k + 1 == count || a->low != b->low || a->high != b->high) return false;
        if (k + 2 < count && edges[k + 2].low == a->low && edges[k + 2].high == a->high) return false;
        j->beside[a->triangle][a->side] = b->triangle;
        j->beside[b->triangle][b->side] = a->triangle;
    }
    return true;
}

// ---- Joining --------------------------------------------------------------------------------------------------------

static bool in_plane(const joiner *j, int t, ph_vec3 normal, ph_vec3 origin)
{
    for (int k = 0; k < 3; k++) {
        const ph_vec3 p = j->points[j->hull.triangles[t][k]];
        if (fabs(ph_dot(normal, ph_sub(p, origin))) > j->tolerance) return false;
    }
    return ph_dot(normal, triangle_normal(j, t)) > 0.9;
}

// The triangles around `seed` that lie in its plane get its group. Returns how many.
static int spread(joiner *j, int seed, int group, ph_vec3 normal)
{
    const ph_vec3 origin = j->points[j->hull.triangles[seed][0]];
    int waiting = 0, count = 0;
    j->stack[waiting++] = seed;
    j->group[seed] = group;
    while (waiting > 0) {
        const int t = j->stack[--waiting];
        count++;
        for (int e = 0; e < 3; e++) {
            const int other = j->beside[t][e];
            if (j->group[other] < 0 && in_plane(j, other, normal, origin)) {
                j->group[other] = group;
                j->stack[waiting++] = other;
            }
        }
    }
    return count;
}

// Walks round the outline of a group, starting at an edge of `t` that ends it. Corners go to `to`; returns how many, or 0
// when the outline does not close.
static int outline(const joiner *j, int t, int *to)
{
    int e = 0, count = 0;
    const int group = j->group[t];
    while (e < 3 && j->group[j->beside[t][e]] == group) {
        e++;
    }
    if (e == 3) return 0;
    const int start = j->hull.triangles[t][e];
    do {
        to[count++] = j->hull.triangles[t][e];
        if (count > j->hull.count + 2) return 0;
        int end = j->hull.triangles[t][(e + 1) % 3];
        for (e = (e + 1) % 3; j->group[j->beside[t][e]] == group;) { // turn about `end` to the next edge of the outline
            t = j->beside[t][e];
            for (e = 0; j->hull.triangles[t][e] != end;) e++;
        }
    } while (j->hull.triangles[t][e] != start);
    return count;
}

// ---- The polytope ---------------------------------------------------------------------------------------------------

// A triangle of the group with an edge on its outline.
static int rim_triangle(const joiner *j, int group)
{
    for (int t = 0; t < j->hull.count; t++) {
        for (int e = 0; e < 3 && j->group[t] == group; e++) {
            if (j->group[j->beside[t][e]] != group) return t;
        }
    }
    return 0;
}

// Newell's normal: of the polygon as a whole.
static ph_vec3 polygon_normal(const ph_vec3 *points, const int *corners, int count)
{
    ph_vec3 sum = ph_zero3();
    for (int k = 1; k + 1 < count; k++) {
        const ph_vec3 a = points[corners[0]];
        sum = ph_add(sum, ph_cross(ph_sub(points[corners[k]], a), ph_sub(points[corners[k + 1]], a)));
    }
    return ph_unit(sum);
}

// Faces with corners numbered as the points are. False: an outline did not close.
static bool join_faces(joiner *j, polytope *p)
{
    for (int t = 0; t < j->hull.count; t++) {
        j->group[t] = -1;
    }
    int used = 0;
    for (int t = 0; t < j->hull.count; t++) {
        if (j->group[t] >= 0) continue;
        spread(j, t, p->face_count, triangle_normal(j, t));
        const int count = outline(j, rim_triangle(j, p->face_count), p->corners + used);
        if (count < 3) return false;
        p->normals[p->face_count] = polygon_normal(j->points, p->corners + used, count);
        p->first[p->face_count++] = used;
        used += count;
    }
    p->first[p->face_count] = used;
    return true;
}

// Every triangle its own face, in case the outlines of joined ones do not close.
static void separate_faces(joiner *j, polytope *p)
{
    p->face_count = j->hull.count;
    for (int t = 0; t < j->hull.count; t++) {
        p->normals[t] = triangle_normal(j, t);
        p->first[t] = 3 * t;
        for (int e = 0; e < 3; e++) {
            p->corners[3 * t + e] = j->hull.triangles[t][e];
        }
    }
    p->first[j->hull.count] = 3 * j->hull.count;
}

// Keeps the points that are corners of faces, in their order.
static void number_corners(const joiner *j, polytope *p, int count, int *number)
{
    for (int i = 0; i < count; i++) {
        number[i] = -1;
    }
    for (int k = 0; k < p->first[p->face_count]; k++) {
        number[p->corners[k]] = 0;
    }
    for (int i = 0; i < count; i++) {
        if (number[i] == 0) {
            number[i] = p->vertex_count;
            p->vertices[p->vertex_count++] = j->points[i];
        }
    }
    for (int k = 0; k < p->first[p->face_count]; k++) {
        p->corners[k] = number[p->corners[k]];
    }
}

static void link_corners(polytope *p)
{
    const int edges = p->first[p->face_count]; // each edge once from either side
    for (int k = 0; k < edges; k++) {
        p->link[p->corners[k] + 1]++;
    }
    for (int i = 0; i < p->vertex_count; i++) {
        p->link[i + 1] += p->link[i];
    }
    for (int f = 0; f < p->face_count; f++) {
        const int from = p->first[f], count = p->first[f + 1] - from;
        for (int k = 0; k < count; k++) {
            const int a = p->corners[from + k], b = p->corners[from + (k + 1) % count];
            int slot = p->link[a];
            while (p->neighbours[slot] >= 0) slot++;
            p->neighbours[slot] = b;
        }
    }
}

static void find_box(polytope *p)
{
    p->low = p->high = p->vertices[0];
    for (int i = 1; i < p->vertex_count; i++) {
        const ph_vec3 v = p->vertices[i];
        p->low = ph_vec(fmin(p->low.x, v.x), fmin(p->low.y, v.y), fmin(p->low.z, v.z));
        p->high = ph_vec(fmax(p->high.x, v.x), fmax(p->high.y, v.y), fmax(p->high.z, v.z));
    }
}

static bool allocate(polytope *p, int points, int triangles, arena *memory)
{
    const size_t t = (size_t)triangles;
    p->vertices = arena_alloc_array(memory, (size_t)points, sizeof *p->vertices);
    p->normals = arena_alloc_array(memory, t, sizeof *p->normals);
    p->first = arena_alloc_array(memory, t + 1, sizeof *p->first);
    p->corners = arena_alloc_array(memory, 3 * t + 3, sizeof *p->corners);
    p->link = arena_alloc_array(memory, (size_t)points + 1, sizeof *p->link);
    p->neighbours = arena_alloc_array(memory, 3 * t + 3, sizeof *p->neighbours);
    return p->vertices && p->normals && p->first && p->corners && p->link && p->neighbours;
}

static double extent(const ph_vec3 *points, int count)
{
    double most = 0.0;
    for (int i = 1; i < count; i++) {
        most = ph_max(most, ph_norm(ph_sub(points[i], points[0])));
    }
    return most;
}

static polytope_result build(joiner *j, int count, arena *memory, arena *scratch, polytope *p)
{
    const size_t t = (size_t)j->hull.count;
    edge *edges = arena_alloc_array(scratch, 3 * t, sizeof *edges);
    int *number = arena_alloc_array(scratch, (size_t)count, sizeof *number);
    j->beside = arena_alloc_array(scratch, t, sizeof *j->beside);
    j->group = arena_alloc_array(scratch, t, sizeof *j->group);
    j->stack = arena_alloc_array(scratch, t, sizeof *j->stack);
    if (!edges || !number || !j->beside || !j->group || !j->stack || !allocate(p, count, j->hull.count, memory)) {
        return POLYTOPE_OUT_OF_MEMORY;
    }
    j->tolerance = 1e-7 * extent(j->points, count);
    if (!find_neighbours(j, edges) || !join_faces(j, p)) {
        separate_faces(j, p);
    }
    number_corners(j, p, count, number);
    for (int k = 0; k < p->first[p->face_count]; k++) {
        p->neighbours[k] = -1;
    }
    link_corners(p);
    find_box(p);
    return POLYTOPE_DONE;
}

polytope_result polytope_create(const ph_vec3 *points, int count, const ph_allocator *allocator, arena *memory,
                                polytope **to)
{
    polytope *p = arena_alloc(memory, sizeof *p);
    arena *scratch = arena_create(allocator);
    joiner j = {.points = points};
    polytope_result result = POLYTOPE_OUT_OF_MEMORY;
    *to = p;
    if (p && scratch && hull_create(points, count, scratch, &j.hull)) {
        result = j.hull.count < 4 ? POLYTOPE_FLAT : build(&j, count, memory, scratch, p);
    }
    arena_destroy(scratch);
    return result;
}

// ---- Questions ------------------------------------------------------------------------------------------------------

// Up along the edges: on a convex polyhedron a corner without a higher neighbour is the highest.
static int climb(const polytope *p, ph_vec3 d)
{
    int best = 0;
    double most = ph_dot(p->vertices[0], d);
    for (bool moved = true; moved;) {
        moved = false;
        const int from = best;
        for (int k = p->link[from]; k < p->link[from + 1]; k++) {
            const double reach = ph_dot(p->vertices[p->neighbours[k]], d);
            if (reach > most) {
                most = reach;
                best = p->neighbours[k];
                moved = true;
            }
        }
    }
    return best;
}

int polytope_support(const polytope *p, ph_vec3 d)
{
    if (p->vertex_count > SCAN_MAX) {
        return climb(p, d);
    }
    int best = 0;
    double most = ph_dot(p->vertices[0], d);
    for (int i = 1; i < p->vertex_count; i++) {
        const double reach = ph_dot(p->vertices[i], d);
        if (reach > most) {
            most = reach;
            best = i;
        }
    }
    return best;
}

int polytope_face(const polytope *p, ph_vec3 d)
{
    int best = 0;
    double most = ph_dot(p->normals[0], d);
    for (int f = 1; f < p->face_count; f++) {
        const double c = ph_dot(p->normals[f], d);
        if (c > most) {
            most = c;
            best = f;
        }
    }
    return best;
}
