// Joining equal corners, and edges, by sorting.

#include "model/mesh.h"

#include "math/vec3.h"

typedef struct edge {
    int low, high; // vertices
    int triangle, side;
} edge;

// ---- Sorting --------------------------------------------------------------------------------------------------------

// Whether item i of `items` comes before item j.
typedef bool before(const void *items, int i, int j);

// Heap sort of the indices in `order`: no memory, no recursion, no bad case.
static void sift(int *order, int root, int count, before *less, const void *items)
{
    for (int child; (child = 2 * root + 1) < count; root = child) {
        child += child + 1 < count && less(items, order[child], order[child + 1]);
        if (!less(items, order[root], order[child])) return;
        const int keep = order[root];
        order[root] = order[child];
        order[child] = keep;
    }
}

static void sort_indices(int *order, int count, before *less, const void *items)
{
    for (int i = 0; i < count; i++) {
        order[i] = i;
    }
    for (int i = count / 2 - 1; i >= 0; i--) {
        sift(order, i, count, less, items);
    }
    for (int i = count - 1; i > 0; i--) {
        const int keep = order[0];
        order[0] = order[i];
        order[i] = keep;
        sift(order, 0, i, less, items);
    }
}

static int compare(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_points(const double *p, const double *q)
{
    const int x = compare(p[0], q[0]), y = compare(p[1], q[1]);
    return x ? x : y ? y : compare(p[2], q[2]);
}

static bool point_before(const void *items, int i, int j)
{
    const double *p = items;
    const int c = compare_points(p + 3 * (size_t)i, p + 3 * (size_t)j);
    return c ? c < 0 : i < j;
}

static bool edge_before(const void *items, int i, int j)
{
    const edge *a = (const edge *)items + i, *b = (const edge *)items + j;
    return a->low != b->low ? a->low < b->low : a->high != b->high ? a->high < b->high : i < j;
}

static bool triangle_before(const void *items, int i, int j) // of sorted corners
{
    const int *a = (const int *)items + 3 * (size_t)i, *b = (const int *)items + 3 * (size_t)j;
    for (int k = 0; k < 3; k++) {
        if (a[k] != b[k]) return a[k] < b[k];
    }
    return i < j;
}

// ---- Corners --------------------------------------------------------------------------------------------------------

// Vertices in the order in which they first appear.
static void join_corners(const double *numbers, mesh *m, int *order, int *number)
{
    const int corners = 3 * m->triangle_count;
    sort_indices(order, corners, point_before, numbers);
    for (int i = 0; i < corners; i++) { // the first of equal ones comes first, and stands for them
        const bool same =
            i > 0 && compare_points(numbers + 3 * (size_t)order[i], numbers + 3 * (size_t)order[i - 1]) == 0;
        number[order[i]] = same ? number[order[i - 1]] : order[i];
    }
    for (int i = 0; i < corners; i++) {
        const double *p = numbers + 3 * (size_t)i;
        if (number[i] == i) {
            m->vertices[m->vertex_count] = ph_vec(p[0], p[1], p[2]);
            number[i] = m->vertex_count++;
        } else {
            number[i] = number[number[i]]; // already numbered: it came earlier
        }
        m->triangles[i / 3][i % 3] = number[i];
    }
}

// ---- Defects --------------------------------------------------------------------------------------------------------

static void note(defect *d, int triangle, int other)
{
    if (d->count++ == 0) {
        d->triangle = triangle;
        d->other = other;
    }
}

static void find_degenerate(const mesh *m, mesh_defects *defects)
{
    for (int t = 0; t < m->triangle_count; t++) {
        const ph_vec3 a = m->vertices[m->triangles[t][0]], b = m->vertices[m->triangles[t][1]];
        const ph_vec3 c = m->vertices[m->triangles[t][2]], e = ph_sub(b, a), f = ph_sub(c, a), g = ph_sub(c, b);
        const double longest2 = fmax(ph_norm2(e), fmax(ph_norm2(f), ph_norm2(g)));
        if (!(ph_norm(ph_cross(e, f)) > 1e-12 * longest2)) {
            note(&defects->degenerate, t, t);
        }
        defects->volume +=
            ph_dot(ph_sub(a, m->vertices[0]), ph_cross(ph_sub(b, m->vertices[0]), ph_sub(c, m->vertices[0]))) / 6.0;
    }
}

static void find_twins(const mesh *m, int (*sorted)[3], int *order, mesh_defects *defects)
{
    for (int t = 0; t < m->triangle_count; t++) {
        const int *c = m->triangles[t];
        const int low = c[0] < c[1] ? (c[0] < c[2] ? c[0] : c[2]) : (c[1] < c[2] ? c[1] : c[2]);
        const int high = c[0] > c[1] ? (c[0] > c[2] ? c[0] : c[2]) : (c[1] > c[2] ? c[1] : c[2]);
        sorted[t][0] = low;
        sorted[t][1] = c[0] + c[1] + c[2] - low - high;
        sorted[t][2] = high;
    }
    sort_indices(order, m->triangle_count, triangle_before, sorted);
    for (int i = 1; i < m->triangle_count; i++) {
        const int *a = sorted[order[i - 1]], *b = sorted[order[i]];
        if (a[0] == b[0] && a[1] == b[1] && a[2] == b[2]) {
            note(&defects->twin, order[i], order[i - 1]);
        }
    }
}

static void join_edges(mesh *m, edge *edges, int *order, mesh_defects *defects)
{
    const int count = 3 * m->triangle_count;
    for (int k = 0; k < count; k++) {
        const int a = m->triangles[k / 3][k % 3], b = m->triangles[k / 3][(k + 1) % 3];
        edges[k] = (edge){a < b ? a : b, a < b ? b : a, k / 3, k % 3};
        m->beside[k / 3][k % 3] = -1;
    }
    sort_indices(order, count, edge_before, edges);
    for (int i = 0, next; i < count; i = next) {
        const edge *a = &edges[order[i]];
        for (next = i + 1; next < count; next++) {
            if (edges[order[next]].low != a->low || edges[order[next]].high != a->high) break;
        }
        const edge *b = &edges[order[next - 1]];
        if (next - i == 1) {
            defects->open_edges++;
        } else if (next - i > 2) {
            note(&defects->crowded, a->triangle, b->triangle);
        } else {
            m->beside[a->triangle][a->side] = b->triangle;
            m->beside[b->triangle][b->side] = a->triangle;
            if (m->triangles[a->triangle][a->side] == m->triangles[b->triangle][b->side]) {
                note(&defects->turned, b->triangle, a->triangle);
            }
        }
    }
}

static void gather_around(mesh *m)
{
    for (int k = 0; k < 3 * m->triangle_count; k++) {
        m->first[m->triangles[k / 3][k % 3] + 1]++;
    }
    for (int i = 0; i < m->vertex_count; i++) {
        m->first[i + 1] += m->first[i];
    }
    for (int k = 3 * m->triangle_count - 1; k >= 0; k--) { // backwards, each to the end of what is left of its room
        m->around[--m->first[m->triangles[k / 3][k % 3] + 1]] = k / 3;
    }
    for (int i = 0; i < m->vertex_count; i++) { // that moved every beginning to the place before it
        m->first[i] = m->first[i + 1];
    }
    m->first[m->vertex_count] = 3 * m->triangle_count;
}

bool mesh_create(const double *numbers, int count, arena *memory, mesh *m, mesh_defects *defects)
{
    const size_t n = (size_t)count;
    *m = (mesh){.triangle_count = count};
    *defects = (mesh_defects){0};
    m->vertices = arena_alloc_array(memory, 3 * n, sizeof *m->vertices);
    m->triangles = arena_alloc_array(memory, n, sizeof *m->triangles);
    m->beside = arena_alloc_array(memory, n, sizeof *m->beside);
    m->first = arena_alloc_array(memory, 3 * n + 1, sizeof *m->first);
    m->around = arena_alloc_array(memory, 3 * n, sizeof *m->around);
    int *order = arena_alloc_array(memory, 3 * n, sizeof *order),
        *number = arena_alloc_array(memory, 3 * n, sizeof *number);
    edge *edges = arena_alloc_array(memory, 3 * n, sizeof *edges);
    int(*sorted)[3] = arena_alloc_array(memory, n, sizeof *sorted);
    if (!m->vertices || !m->triangles || !m->beside || !m->first || !m->around || !order || !number || !edges ||
        !sorted) {
        return false;
    }
    if (count == 0) return true;
    join_corners(numbers, m, order, number);
    find_degenerate(m, defects);
    find_twins(m, sorted, order, defects);
    join_edges(m, edges, order, defects);
    gather_around(m);
    return true;
}

bool mesh_is_sound(const mesh_defects *d)
{
    return !d->degenerate.count && !d->twin.count && !d->crowded.count && !d->turned.count;
}
