// Triangles of shapes. See triangles.h.
//
// Round shapes are swept: a profile (radius, height, normal) turned about z. Flat ones have points of their own for every face,
// so that each point has one normal.

#include "shapes/triangles.h"

#include "math/quat.h"
#include "math/trig.h"
#include "shapes/shape.h"

#include <math.h>

enum { AROUND = 32, ALONG = 16 }; // pieces of a full turn, and of half a turn

static const double PI = 3.14159265358979323846;

// ---- Building -------------------------------------------------------------------------------------------------------

bool triangles_reserve(triangles *s, arena *memory, int points, int triangles)
{
    s->points = arena_alloc_array(memory, 3 * (size_t)points, sizeof *s->points);
    s->normals = arena_alloc_array(memory, 3 * (size_t)points, sizeof *s->normals);
    s->corners = arena_alloc_array(memory, 3 * (size_t)triangles, sizeof *s->corners);
    return s->points && s->normals && s->corners;
}

static int add_point(triangles *s, ph_vec3 x, ph_vec3 normal)
{
    const double values[6] = {x.x, x.y, x.z, normal.x, normal.y, normal.z};
    for (int i = 0; i < 3; i++) {
        s->points[3 * s->point_count + i] = (float)values[i];
        s->normals[3 * s->point_count + i] = (float)values[3 + i];
    }
    return s->point_count++;
}

static void add_triangle(triangles *s, int a, int b, int c)
{
    uint32_t *corners = s->corners + 3 * s->triangle_count++;
    corners[0] = (uint32_t)a;
    corners[1] = (uint32_t)b;
    corners[2] = (uint32_t)c;
}

static ph_vec3 unit_or(ph_vec3 v, ph_vec3 otherwise)
{
    const double length = ph_norm(v);
    return length > 0.0 ? ph_scale(1.0 / length, v) : otherwise;
}

// A triangle with its own normal.
void triangles_add(triangles *s, ph_vec3 a, ph_vec3 b, ph_vec3 c)
{
    const ph_vec3 n = unit_or(ph_cross(ph_sub(b, a), ph_sub(c, a)), ph_vec(0.0, 0.0, 1.0));
    const int first = add_point(s, a, n);
    add_point(s, b, n);
    add_point(s, c, n);
    add_triangle(s, first, first + 1, first + 2);
}

void triangles_add4(triangles *s, ph_vec3 a, ph_vec3 b, ph_vec3 c, ph_vec3 d)
{
    const ph_vec3 n = unit_or(ph_cross(ph_sub(b, a), ph_sub(c, a)), ph_vec(0.0, 0.0, 1.0));
    const int first = add_point(s, a, n);
    add_point(s, b, n);
    add_point(s, c, n);
    add_point(s, d, n);
    add_triangle(s, first, first + 1, first + 2);
    add_triangle(s, first, first + 2, first + 3);
}

// ---- Swept shapes ---------------------------------------------------------------------------------------------------

// From the top down. Points where the profile has an edge stand there twice.
bool triangles_sweep(triangles *s, arena *memory, const profile_point *profile, int count, ph_vec3 scale)
{
    if (!triangles_reserve(s, memory, count * (AROUND + 1), 2 * (count - 1) * AROUND)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        for (int k = 0; k <= AROUND; k++) {
            const double angle = 2.0 * PI * (k % AROUND) / AROUND, c = ph_cos(angle), sn = ph_sin(angle);
            const profile_point *p = &profile[i];
            const ph_vec3 x = {scale.x * p->r * c, scale.y * p->r * sn, scale.z * p->z};
            const ph_vec3 n = {p->normal_r * c / scale.x, p->normal_r * sn / scale.y, p->normal_z / scale.z};
            add_point(s, x, unit_or(n, ph_vec(0.0, 0.0, 1.0)));
        }
    }
    for (int i = 0; i + 1 < count; i++) {
        const bool edge = profile[i].r == profile[i + 1].r && profile[i].z == profile[i + 1].z;
        for (int k = 0; k < AROUND && !edge; k++) {
            const int a = i * (AROUND + 1) + k, b = a + AROUND + 1;
            if (profile[i].r > 0.0) { // else the first triangle has no area
                add_triangle(s, a, b, a + 1);
            }
            if (profile[i + 1].r > 0.0) {
                add_triangle(s, a + 1, b, b + 1);
            }
        }
    }
    return true;
}

// Half circles of radius r around +-half on the axis: a sphere for half = 0.
bool triangles_sweep_round(triangles *s, arena *memory, double radius, double half, ph_vec3 scale)
{
    profile_point profile[2 * ALONG + 2];
    int count = 0;
    for (int i = 0; i <= ALONG; i++) {
        const double angle = PI * i / ALONG, sn = i == 0 || i == ALONG ? 0.0 : ph_sin(angle), c = ph_cos(angle);
        const double middle = 2 * i <= ALONG ? half : -half;
        profile[count++] = (profile_point){radius * sn, middle + radius * c, sn, c};
        if (2 * i == ALONG && half > 0.0) {
            profile[count++] = (profile_point){radius, -half, 1.0, 0.0};
        }
    }
    return triangles_sweep(s, memory, profile, count, scale);
}

// Turns z into the direction of the axis.
void triangles_turn(triangles *s, ph_vec3 direction)
{
    const ph_vec3 z = {0.0, 0.0, 1.0}, a = unit_or(direction, z);
    const ph_vec3 side = fabs(a.z) < 0.9 ? z : ph_vec(1.0, 0.0, 0.0);
    const ph_vec3 x = unit_or(ph_cross(side, a), z), y = ph_cross(a, x);
    if (a.z == 1.0) {
        return;
    }
    for (int i = 0; i < 2 * s->point_count; i++) {
        float *v = i < s->point_count ? s->points + 3 * i : s->normals + 3 * (i - s->point_count);
        const double p = (double)v[0], q = (double)v[1], w = (double)v[2];
        v[0] = (float)(p * x.x + q * y.x + w * a.x);
        v[1] = (float)(p * x.y + q * y.y + w * a.y);
        v[2] = (float)(p * x.z + q * y.z + w * a.z);
    }
}

bool triangles_make(const ph_shape_def *shape, double extent, arena *memory, triangles *to, bool *out_of_memory)
{
    const shape_type *type = shape_type_find(shape->type);
    *to = (triangles){0};
    const bool made = !type || !type->draw || type->draw(shape, extent, memory, to);
    *out_of_memory = *out_of_memory || !made;
    return made && to->triangle_count > 0;
}
