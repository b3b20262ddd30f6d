// Points whose hull is that of a mesh, or nearly that.
//
// Meshes have many more points than their hulls. Those inside of a first hull, that of the points which lie furthest in a few
// directions (Akl and Toussaint 1978), are left out. For the eye those that lie furthest in more directions are enough.

#include "io/robot/mesh.h"
#include "math/vec3.h"
#include "model/hull.h"

#include <math.h>

enum { FEW = 20, MANY = 120 };

// Evenly over the sphere, by the golden angle.
static ph_vec3 direction(int k, int of)
{
    const double z = 1.0 - 2.0 * (k + 0.5) / of, s = sqrt(1.0 - z * z), a = 2.39996322972865332 * k;
    return (ph_vec3){s * cos(a), s * sin(a), z};
}

static int furthest(const ph_vec3 *points, int count, ph_vec3 d)
{
    int best = 0;
    double most = -HUGE_VAL;
    for (int i = 0; i < count; i++) {
        const double x = ph_dot(points[i], d);
        if (x > most) {
            most = x;
            best = i;
        }
    }
    return best;
}

// The points that lie furthest in `of` directions, each once.
static int gather_furthest(const ph_vec3 *points, int count, int of, ph_vec3 *to)
{
    int taken[MANY], found = 0;
    for (int k = 0; k < of; k++) {
        const int i = furthest(points, count, direction(k, of));
        int j = 0;
        while (j < found && taken[j] != i) j++;
        if (j == found) {
            taken[found] = i;
            to[found++] = points[i];
        }
    }
    return found;
}

typedef struct plane {
    ph_vec3 normal;
    double height;
} plane;

static plane *planes_of(const hull *h, const ph_vec3 *points, double slack, arena *scratch)
{
    plane *planes = arena_alloc_array(scratch, (size_t)h->count + 1, sizeof *planes);
    for (int f = 0; planes && f < h->count; f++) {
        const int *t = h->triangles[f];
        const ph_vec3 n = ph_cross(ph_sub(points[t[1]], points[t[0]]), ph_sub(points[t[2]], points[t[0]]));
        const double length = ph_norm(n);
        planes[f].normal = length > 0.0 ? ph_scale(1.0 / length, n) : n;
        planes[f].height = ph_dot(planes[f].normal, points[t[0]]) - slack;
    }
    return planes;
}

static bool is_inside(const plane *planes, int count, ph_vec3 p)
{
    for (int f = 0; f < count; f++) {
        if (ph_dot(planes[f].normal, p) >= planes[f].height) return false;
    }
    return count > 0;
}

// Those that lie furthest in many directions come first: with them the hull is nearly whole, and most others are seen to lie inside.
static void bring_forward(ph_vec3 *points, int count)
{
    int front = 0;
    for (int k = 0; k < MANY && count > 4 * MANY; k++) {
        const int i = furthest(points, count, direction(k, MANY));
        if (i < front) continue;
        const ph_vec3 kept = points[front];
        points[front++] = points[i];
        points[i] = kept;
    }
}

// What is not inside of the hull of a few.
static int filter(const robot_mesh *mesh, arena *scratch, ph_vec3 *to)
{
    ph_vec3 few[FEW];
    hull h;
    const int corners = gather_furthest(mesh->vertices, mesh->vertex_count, FEW, few);
    double size = 0.0;
    for (int i = 0; i < corners; i++) size = fmax(size, ph_norm(ph_sub(few[i], few[0])));
    if (!hull_create(few, corners, scratch, &h)) return -1;
    const plane *planes = planes_of(&h, few, 1e-9 * size, scratch);
    int count = 0;
    for (int i = 0; planes && i < mesh->vertex_count; i++) {
        if (!is_inside(planes, h.count, mesh->vertices[i])) to[count++] = mesh->vertices[i];
    }
    bring_forward(to, count);
    return planes ? count : -1;
}

// The points that a triangle of the hull has, in the order of triangles.
static int take_corners(const hull *h, const ph_vec3 *points, bool *used, ph_vec3 *to)
{
    int count = 0;
    for (int i = 0; i < 3 * h->count; i++) {
        const int v = h->triangles[i / 3][i % 3];
        if (!used[v]) {
            used[v] = true;
            to[count++] = points[v];
        }
    }
    return count;
}

// What it works with is more than the mesh itself, and given back.
static bool find_corners(robot *r, robot_mesh *mesh)
{
    arena *scratch = arena_create(NULL);
    const size_t n = (size_t)mesh->vertex_count + 1;
    ph_vec3 *points = scratch ? arena_alloc_array(scratch, n, sizeof *points) : NULL;
    bool *used = scratch ? arena_alloc_array(scratch, n, sizeof *used) : NULL;
    hull h;
    const int count = points && used ? (mesh->vertex_count > 0 ? filter(mesh, scratch, points) : 0) : -1;
    bool good = count >= 0 && hull_create(points, count, scratch, &h);
    if (good) {
        mesh->corners = robot_alloc(r, (size_t)count + 1, sizeof *mesh->corners);
        good = mesh->corners != NULL;
        if (good) mesh->corner_count = take_corners(&h, points, used, mesh->corners);
    }
    if (scratch) arena_destroy(scratch);
    r->out_of_memory |= !good;
    return good;
}

int mesh_corners(robot *r, robot_mesh *mesh, bool rough, ph_vec3 **to)
{
    *to = NULL;
    if (!mesh->corners && !find_corners(r, mesh)) return 0;
    *to = mesh->corners;
    if (!rough || mesh->corner_count <= MANY) return mesh->corner_count;
    *to = robot_alloc(r, MANY, sizeof **to);
    return *to ? gather_furthest(mesh->corners, mesh->corner_count, MANY, *to) : 0;
}
