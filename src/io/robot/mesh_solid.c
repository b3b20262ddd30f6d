// Volume, centre and inertia of meshes and primitive geoms.
//
// "legacy" is the rule that MuJoCo files mean where they say nothing: volumes of tetrahedra over the area-weighted centroid
// of the faces count by their size alone; mass and inertia are then taken the same way over the centre found.

#include "io/robot/mesh.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "model/hull.h"

#include <math.h>
#include <string.h>

ph_mat3 inertia_about(ph_mat3 inertia, double mass, ph_vec3 d)
{
    const ph_mat3 shift = ph_mat_sub(ph_mat_scale(ph_dot(d, d), ph_identity()), ph_outer(d, d));
    return ph_mat_madd(inertia, mass, shift);
}

ph_mat3 inertia_turned(ph_mat3 inertia, ph_quat q)
{
    const ph_mat3 R = ph_quat_to_mat(q);
    return ph_sym(ph_mat_mult(ph_mat_mul(R, inertia), R));
}

// ---- Triangles ------------------------------------------------------------------------------------------------------

typedef struct triangle_set {
    const ph_vec3 *vertices;
    int (*triangles)[3];
    int count;
} triangle_set;

typedef struct corners {
    ph_vec3 a, b, c;
} corners;

static corners corners_of(const triangle_set *t, int i, ph_vec3 origin)
{
    const int *k = t->triangles[i];
    return (corners){ph_sub(t->vertices[k[0]], origin), ph_sub(t->vertices[k[1]], origin),
                     ph_sub(t->vertices[k[2]], origin)};
}

static double area_of(corners t)
{
    return 0.5 * ph_norm(ph_cross(ph_sub(t.b, t.a), ph_sub(t.c, t.a)));
}

static ph_vec3 face_centroid(const triangle_set *t)
{
    ph_vec3 sum = {0};
    double area = 0.0;
    for (int i = 0; i < t->count; i++) {
        const corners k = corners_of(t, i, (ph_vec3){0});
        const double a = area_of(k);
        sum = ph_madd(sum, a / 3.0, ph_add3(k.a, k.b, k.c));
        area += a;
    }
    return area > 0.0 ? ph_scale(1.0 / area, sum) : sum;
}

// Second moments of a tetrahedron (0, a, b, c) of volume v: v/20 (sum of s s^T + outer products of the corners).
static ph_mat3 tetrahedron_moments(corners t, double volume)
{
    const ph_vec3 s = ph_add3(t.a, t.b, t.c);
    const ph_mat3 own = ph_mat_add(ph_outer(t.a, t.a), ph_mat_add(ph_outer(t.b, t.b), ph_outer(t.c, t.c)));
    return ph_mat_scale(volume / 20.0, ph_mat_add(own, ph_outer(s, s)));
}

// Of a triangle of area A: A/12 (the same).
static ph_mat3 triangle_moments(corners t, double area)
{
    const ph_vec3 s = ph_add3(t.a, t.b, t.c);
    const ph_mat3 own = ph_mat_add(ph_outer(t.a, t.a), ph_mat_add(ph_outer(t.b, t.b), ph_outer(t.c, t.c)));
    return ph_mat_scale(area / 12.0, ph_mat_add(own, ph_outer(s, s)));
}

static ph_mat3 inertia_of_moments(ph_mat3 moments)
{
    return ph_mat_sub(ph_mat_scale(ph_trace(moments), ph_identity()), moments);
}

typedef enum weighing { WEIGH_SIGNED, WEIGH_ABSOLUTE, WEIGH_SHELL } weighing;

static double weight_of(corners t, weighing how)
{
    const double volume = ph_dot(t.a, ph_cross(t.b, t.c)) / 6.0;
    return how == WEIGH_SHELL ? area_of(t) : how == WEIGH_ABSOLUTE ? fabs(volume) : volume;
}

// Volume and first moment over `origin`.
static void sum_first(const triangle_set *t, ph_vec3 origin, weighing how, double *volume, ph_vec3 *first)
{
    *volume = 0.0;
    *first = (ph_vec3){0};
    for (int i = 0; i < t->count; i++) {
        const corners k = corners_of(t, i, origin);
        const double w = weight_of(k, how);
        *volume += w;
        *first = ph_madd(*first, w / (how == WEIGH_SHELL ? 3.0 : 4.0), ph_add3(k.a, k.b, k.c));
    }
}

static ph_mat3 sum_inertia(const triangle_set *t, ph_vec3 origin, weighing how)
{
    ph_mat3 sum = ph_mat_zero();
    for (int i = 0; i < t->count; i++) {
        const corners k = corners_of(t, i, origin);
        const double w = weight_of(k, how);
        sum = ph_mat_add(sum, how == WEIGH_SHELL ? triangle_moments(k, w) : tetrahedron_moments(k, w));
    }
    return inertia_of_moments(sum);
}

static bool integrate(const triangle_set *t, weighing how, solid *to)
{
    const ph_vec3 origin = face_centroid(t);
    ph_vec3 first;
    sum_first(t, origin, how, &to->volume, &first);
    if (!(fabs(to->volume) > 1e-300)) {
        return false;
    }
    to->com = ph_madd(origin, 1.0 / to->volume, first);
    if (how == WEIGH_ABSOLUTE) { // the tetrahedra over the centre itself
        sum_first(t, to->com, how, &to->volume, &first);
    }
    to->inertia = sum_inertia(t, to->com, how);
    if (to->volume < 0.0) { // turned inside out
        to->volume = -to->volume;
        to->inertia = ph_mat_scale(-1.0, to->inertia);
    }
    return true;
}

bool mesh_solid(robot *r, robot_mesh *mesh, const char *mode, solid *to)
{
    const bool shell = strcmp(mode, "shell") == 0,
               cloud = mesh->triangle_count == 0; // whose faces are those of its hull
    triangle_set t = {mesh->vertices, mesh->triangles, mesh->triangle_count};
    if (strcmp(mode, "convex") == 0 || cloud) {
        hull h;
        ph_vec3 *points;
        const int count = mesh_corners(r, mesh, false, &points);
        if (r->out_of_memory || !hull_create(points, count, r->memory, &h)) {
            r->out_of_memory = true;
            return false;
        }
        t.vertices = points;
        t.triangles = h.triangles;
        t.count = h.count;
        return integrate(&t, shell ? WEIGH_SHELL : WEIGH_SIGNED, to);
    }
    return integrate(&t, shell ? WEIGH_SHELL : strcmp(mode, "exact") == 0 ? WEIGH_SIGNED : WEIGH_ABSOLUTE, to);
}

// ---- Geoms ----------------------------------------------------------------------------------------------------------

bool geom_solid(robot *r, const robot_geom *g, solid *to)
{
    if (g->kind == GEOM_MESH) return g->mesh && mesh_solid(r, g->mesh, g->mesh->inertia, to);
    return primitive_solid(g, to);
}
