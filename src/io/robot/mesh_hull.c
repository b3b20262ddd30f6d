// The corners of the hull of a mesh.
//
// Meshes have many more points than their hulls: those inside of a first hull, that of the points which lie furthest in some
// directions, are left out before the hull is made.

#include "io/robot/mesh.h"
#include "math/vec3.h"
#include "model/hull.h"

#include <math.h>
#include <string.h>

enum { DIRECTIONS = 120 };

// Evenly over the sphere, by the golden angle.
static ph_vec3 direction(int k)
{
    const double z = 1.0 - 2.0 * (k + 0.5) / DIRECTIONS, s = sqrt(1.0 - z * z), a = 2.39996322972865332 * k;
    return (ph_vec3){s * cos(a), s * sin(a), z};
}

static int furthest(const robot_mesh *mesh, ph_vec3 d)
{
    int best = 0;
    double most = -HUGE_VAL;
    for (int i = 0; i < mesh->vertex_count; i++) {
        const double x = ph_dot(mesh->vertices[i], d);
        if (x > most) {
            most = x;
            best = i;
        }
    }
    return best;
}

static int gather_furthest(const robot_mesh *mesh, bool *taken, ph_vec3 *to)
{
    int count = 0;
    for (int k = 0; k < DIRECTIONS; k++) {
        const int i = furthest(mesh, direction(k));
        if (!taken[i]) {
            taken[i] = true;
            to[count++] = mesh->vertices[i];
        }
    }
    return count;
}

static bool same_point(ph_vec3 a, ph_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// Outside of one of its planes, and not one of its corners.
static bool outside(const hull *h, const ph_vec3 *points, const ph_vec3 *normals, int corners, ph_vec3 p, double slack)
{
    for (int f = 0; f < h->count; f++) {
        if (ph_dot(normals[f], ph_sub(p, points[h->triangles[f][0]])) > slack) {
            for (int i = 0; i < corners; i++) {
                if (same_point(points[i], p)) return false;
            }
            return true;
        }
    }
    return false;
}

static ph_vec3 *normals_of(robot *r, const hull *h, const ph_vec3 *points)
{
    ph_vec3 *normals = robot_alloc(r, (size_t)h->count + 1, sizeof *normals);
    for (int f = 0; normals && f < h->count; f++) {
        const int *t = h->triangles[f];
        const ph_vec3 n = ph_cross(ph_sub(points[t[1]], points[t[0]]), ph_sub(points[t[2]], points[t[0]]));
        const double length = ph_norm(n);
        normals[f] = length > 0.0 ? ph_scale(1.0 / length, n) : n;
    }
    return normals;
}

static int add_outside(robot *r, const robot_mesh *mesh, ph_vec3 *points, int count)
{
    hull h;
    if (!hull_create(points, count, r->memory, &h)) {
        r->out_of_memory = true;
        return 0;
    }
    const ph_vec3 *normals = normals_of(r, &h, points);
    double size = 0.0;
    const int corners = count;
    for (int i = 0; i < corners; i++) size = fmax(size, ph_norm(ph_sub(points[i], points[0])));
    for (int i = 0; normals && i < mesh->vertex_count; i++) {
        if (h.count == 0 || outside(&h, points, normals, corners, mesh->vertices[i], 1e-9 * size)) {
            points[count++] = mesh->vertices[i];
        }
    }
    return count;
}

int mesh_hull_points(robot *r, const robot_mesh *mesh, bool rough, ph_vec3 **to)
{
    bool *taken = robot_alloc(r, (size_t)mesh->vertex_count + 1, sizeof *taken);
    ph_vec3 *points = robot_alloc(r, (size_t)mesh->vertex_count + DIRECTIONS, sizeof *points);
    *to = points;
    if (!taken || !points) {
        return 0;
    }
    const int count = gather_furthest(mesh, taken, points);
    return rough ? count : add_outside(r, mesh, points, count);
}
