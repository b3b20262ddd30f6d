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

static plane *planes_of(robot *r, const hull *h, const ph_vec3 *points, double slack)
{
    plane *planes = robot_alloc(r, (size_t)h->count + 1, sizeof *planes);
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

// What is not inside of the hull of a few.
static int filter(robot *r, const robot_mesh *mesh, ph_vec3 *to)
{
    ph_vec3 few[FEW];
    hull h;
    const int corners = gather_furthest(mesh->vertices, mesh->vertex_count, FEW, few);
    double size = 0.0;
    for (int i = 0; i < corners; i++) size = fmax(size, ph_norm(ph_sub(few[i], few[0])));
    if (!hull_create(few, corners, r->memory, &h)) {
        r->out_of_memory = true;
        return 0;
    }
    const plane *planes = planes_of(r, &h, few, 1e-9 * size);
    int count = 0;
    for (int i = 0; planes && i < mesh->vertex_count; i++) {
        if (!is_inside(planes, h.count, mesh->vertices[i])) to[count++] = mesh->vertices[i];
    }
    return count;
}

int mesh_hull_points(robot *r, const robot_mesh *mesh, bool rough, ph_vec3 **to)
{
    ph_vec3 *points = robot_alloc(r, (size_t)mesh->vertex_count + MANY, sizeof *points);
    *to = points;
    const int count = points && mesh->vertex_count > 0 ? filter(r, mesh, points) : 0;
    if (!rough || count <= MANY) return count;
    *to = robot_alloc(r, MANY, sizeof *points);
    return *to ? gather_furthest(points, count, MANY, *to) : 0;
}
