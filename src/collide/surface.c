// Building surfaces, walking over them, and telling edges that stick out from those inside a flat part.

#include "collide/surface.h"

#include "base/error.h"

#include <math.h>

enum { LEAF_MAX = 4 };

static const double slack = 1e-6; // sine of the angle by which a direction may err

static aabb box_of(ph_vec3 p)
{
    return (aabb){p, p};
}

static aabb box_with(aabb b, ph_vec3 p)
{
    return (aabb){ph_vec(fmin(b.low.x, p.x), fmin(b.low.y, p.y), fmin(b.low.z, p.z)),
                  ph_vec(fmax(b.high.x, p.x), fmax(b.high.y, p.y), fmax(b.high.z, p.z))};
}

static bool boxes_meet(const aabb *a, const aabb *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

static ph_vec3 normal_of(const ph_vec3 p[3])
{
    return ph_unit(ph_cross(ph_sub(p[1], p[0]), ph_sub(p[2], p[0])));
}

// ---- Meshes ---------------------------------------------------------------------------------------------------------

static surface_triangle mesh_triangle(const surface *s, int id)
{
    const int *c = s->mesh.triangles[id];
    return (surface_triangle){
        id, {s->mesh.vertices[c[0]], s->mesh.vertices[c[1]], s->mesh.vertices[c[2]]}, s->normals[id]};
}

static aabb range_box(const surface *s, int first, int count)
{
    aabb box = box_of(mesh_triangle(s, s->order[first]).p[0]);
    for (int k = 0; k < 3 * count; k++) {
        box = box_with(box, mesh_triangle(s, s->order[first + k / 3]).p[k % 3]);
    }
    return box;
}

static double centre_along(const surface *s, int id, int axis)
{
    const surface_triangle t = mesh_triangle(s, id);
    const ph_vec3 sum = ph_add3(t.p[0], t.p[1], t.p[2]);
    return axis == 0 ? sum.x : axis == 1 ? sum.y : sum.z;
}

// Parts a range at the mean of the centres along the longest side; in the middle when that is lopsided. Returns how many
// come first.
static int part_range(surface *s, int first, int count, const aabb *box)
{
    const ph_vec3 size = ph_sub(box->high, box->low);
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    double mean = 0.0;
    for (int k = 0; k < count; k++) {
        mean += centre_along(s, s->order[first + k], axis) / count;
    }
    int low = 0;
    for (int k = 0; k < count; k++) {
        if (centre_along(s, s->order[first + k], axis) < mean) {
            const int keep = s->order[first + low];
            s->order[first + low++] = s->order[first + k];
            s->order[first + k] = keep;
        }
    }
    return low > count / 8 && low < count - count / 8 ? low : count / 2;
}

static void build_tree(surface *s, int first, int count)
{
    tree_node *node = &s->nodes[s->node_count++];
    node->box = range_box(s, first, count);
    if (count <= LEAF_MAX) {
        node->first = first;
        node->count = count;
    } else {
        const int low = part_range(s, first, count, &node->box);
        build_tree(s, first, low);
        build_tree(s, first + low, count - low);
    }
    node->skip = s->node_count;
}

ph_status surface_of_mesh(const ph_shape_def *shape, arena *memory, surface **to, ph_error *error)
{
    const int count = shape->data_rows * shape->data_columns / MESH_NUMBERS;
    surface *s = *to = arena_alloc(memory, sizeof *s);
    mesh_defects defects;
    if (!s || !mesh_create(shape->data, count, memory, &s->mesh, &defects)) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    if (count == 0 || !mesh_is_sound(&defects)) {
        return error_set(error, PH_BAD_MODEL, "the mesh has degenerate, repeated or non-manifold triangles, or none");
    }
    s->normals = arena_alloc_array(memory, (size_t)count, sizeof *s->normals);
    s->order = arena_alloc_array(memory, (size_t)count, sizeof *s->order);
    s->nodes = arena_alloc_array(memory, 2 * (size_t)count, sizeof *s->nodes);
    if (!s->normals || !s->order || !s->nodes) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    for (int t = 0; t < count; t++) {
        s->order[t] = t;
        const surface_triangle triangle = mesh_triangle(s, t);
        s->normals[t] = normal_of(triangle.p);
    }
    build_tree(s, 0, count);
    s->box = s->nodes[0].box;
    return PH_OK;
}

static void visit_mesh(const surface *s, const aabb *box, surface_visitor *see, void *user)
{
    for (int k = 0; k < s->node_count;) {
        const tree_node *node = &s->nodes[k];
        if (!boxes_meet(&node->box, box)) {
            k = node->skip;
            continue;
        }
        for (int i = 0; i < node->count; i++) {
            const surface_triangle t = mesh_triangle(s, s->order[node->first + i]);
            const aabb around = box_with(box_with(box_of(t.p[0]), t.p[1]), t.p[2]);
            if (boxes_meet(&around, box)) see(user, &t);
        }
        k++;
    }
}

// ---- Height fields --------------------------------------------------------------------------------------------------

static ph_vec3 grid_point(const surface *s, int row, int column)
{
    return ph_vec(s->x0 + column * s->dx, s->y0 + row * s->dy, s->heights[row * s->columns + column]);
}

static bool in_grid(const surface *s, int row, int column)
{
    return row >= 0 && row < s->rows && column >= 0 && column < s->columns;
}

ph_status surface_of_heights(const ph_shape_def *shape, arena *memory, surface **to, ph_error *error)
{
    surface *s = *to = arena_alloc(memory, sizeof *s);
    const size_t count = (size_t)shape->data_rows * (size_t)shape->data_columns;
    if (shape->data_rows < 2 || shape->data_columns < 2) {
        return error_set(error, PH_BAD_MODEL, "a height field needs two rows and two columns at least");
    }
    if (!s || !(s->heights = arena_alloc_array(memory, count, sizeof *s->heights))) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    s->rows = shape->data_rows;
    s->columns = shape->data_columns;
    s->x0 = -0.5 * shape->size.x;
    s->y0 = -0.5 * shape->size.y;
    s->dx = shape->size.x / (s->columns - 1);
    s->dy = shape->size.y / (s->rows - 1);
    for (size_t k = 0; k < count; k++) {
        s->heights[k] = shape->size.z * shape->data[k];
    }
    if (shape->smooth && !smooth_create(s, memory)) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    s->box = box_of(grid_point(s, 0, 0));
    for (size_t k = 1; k < count; k++) {
        s->box = box_with(s->box, grid_point(s, (int)k / s->columns, (int)k % s->columns));
    }
    return PH_OK;
}

// Corners of triangle `id` as rows and columns: of cell id / 2, the one with the edge along x first.
static void grid_corners(const surface *s, int id, int corner[3][2])
{
    static const int steps[2][3][2] = {{{0, 0}, {0, 1}, {1, 1}}, {{0, 0}, {1, 1}, {1, 0}}};
    const int cell = id / 2, row = cell / (s->columns - 1), column = cell % (s->columns - 1);
    for (int k = 0; k < 3; k++) {
        corner[k][0] = row + steps[id % 2][k][0];
        corner[k][1] = column + steps[id % 2][k][1];
    }
}

static surface_triangle grid_triangle(const surface *s, int id)
{
    int c[3][2];
    grid_corners(s, id, c);
    surface_triangle t = {.id = id};
    for (int k = 0; k < 3; k++) {
        t.p[k] = grid_point(s, c[k][0], c[k][1]);
    }
    t.n = normal_of(t.p);
    return t;
}

static int cell_at(double x, double start, double size, int cells)
{
    const double k = floor((x - start) / size);
    return k <= 0.0 ? 0 : k >= cells - 1 ? cells - 1 : (int)k;
}

static void visit_grid(const surface *s, const aabb *box, surface_visitor *see, void *user)
{
    if (!boxes_meet(&s->box, box)) return;
    const int c0 = cell_at(box->low.x, s->x0, s->dx, s->columns - 1);
    const int c1 = cell_at(box->high.x, s->x0, s->dx, s->columns - 1);
    const int r0 = cell_at(box->low.y, s->y0, s->dy, s->rows - 1), r1 = cell_at(box->high.y, s->y0, s->dy, s->rows - 1);
    for (int row = r0; row <= r1; row++) {
        for (int column = c0; column <= c1; column++) {
            const double *h = s->heights + (size_t)row * (size_t)s->columns + column;
            const double a = h[0], b = h[1], c = h[s->columns], d = h[s->columns + 1];
            if (fmax(fmax(a, b), fmax(c, d)) < box->low.z || fmin(fmin(a, b), fmin(c, d)) > box->high.z) continue;
            for (int k = 0; k < 2; k++) {
                const surface_triangle t = grid_triangle(s, 2 * (row * (s->columns - 1) + column) + k);
                see(user, &t);
            }
        }
    }
}

void surface_visit(const surface *s, const aabb *box, surface_visitor *see, void *user)
{
    if (s->heights) {
        visit_grid(s, box, see, user);
    } else {
        visit_mesh(s, box, see, user);
    }
}

// ---- Edges and corners ----------------------------------------------------------------------------------------------

static bool leads_away(ph_vec3 m, ph_vec3 d)
{
    return ph_dot(m, d) <= slack * ph_norm(d);
}

// The corner of the triangle across edge k that is not on the edge; false at the rim.
static bool corner_across(const surface *s, const surface_triangle *t, int k, ph_vec3 *to)
{
    if (s->heights) {
        static const int across[2][3][2] = {{{-1, 0}, {1, 2}, {1, 0}}, {{0, 1}, {2, 1}, {0, -1}}};
        int c[3][2];
        grid_corners(s, t->id, c);
        const int row = c[0][0] + across[t->id % 2][k][0], column = c[0][1] + across[t->id % 2][k][1];
        if (!in_grid(s, row, column)) return false;
        *to = grid_point(s, row, column);
        return true;
    }
    const int other = s->mesh.beside[t->id][k];
    if (other < 0) return false;
    const int *mine = s->mesh.triangles[t->id], *c = s->mesh.triangles[other];
    const int a = mine[k], b = mine[(k + 1) % 3];
    *to = s->mesh.vertices[c[0] != a && c[0] != b ? c[0] : c[1] != a && c[1] != b ? c[1] : c[2]];
    return true;
}

bool surface_allows_edge(const surface *s, const surface_triangle *t, int k, ph_vec3 m)
{
    ph_vec3 far;
    if (!corner_across(s, t, k, &far)) return ph_dot(m, t->n) >= -slack;
    const ph_vec3 e = ph_unit(ph_sub(t->p[(k + 1) % 3], t->p[k])), d = ph_sub(far, t->p[k]);
    return leads_away(m, ph_madd(d, -ph_dot(d, e), e));
}

static bool grid_allows_corner(const surface *s, const surface_triangle *t, int k, ph_vec3 m)
{
    static const int steps[6][2] = {{0, 1}, {1, 1}, {1, 0}, {0, -1}, {-1, -1}, {-1, 0}};
    int c[3][2];
    grid_corners(s, t->id, c);
    bool rim = false;
    for (int i = 0; i < 6; i++) {
        const int row = c[k][0] + steps[i][0], column = c[k][1] + steps[i][1];
        if (!in_grid(s, row, column)) {
            rim = true;
        } else if (!leads_away(m, ph_sub(grid_point(s, row, column), t->p[k]))) {
            return false;
        }
    }
    return !rim || ph_dot(m, t->n) >= -slack;
}

bool surface_allows_corner(const surface *s, const surface_triangle *t, int k, ph_vec3 m)
{
    if (s->heights) return grid_allows_corner(s, t, k, m);
    const int v = s->mesh.triangles[t->id][k];
    for (int i = s->mesh.first[v]; i < s->mesh.first[v + 1]; i++) {
        const int other = s->mesh.around[i];
        for (int j = 0; j < 3; j++) {
            const ph_vec3 p = s->mesh.vertices[s->mesh.triangles[other][j]];
            if (s->mesh.triangles[other][j] != v && !leads_away(m, ph_sub(p, t->p[k]))) return false;
        }
        const bool rim = s->mesh.beside[other][0] < 0 || s->mesh.beside[other][1] < 0 || s->mesh.beside[other][2] < 0;
        if (rim && ph_dot(m, t->n) < -slack) return false;
    }
    return true;
}
