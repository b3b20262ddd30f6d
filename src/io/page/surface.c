// Triangles of shapes. See surface.h.
//
// Round shapes are swept: a profile (radius, height, normal) turned about z. Flat ones have points of their own for every face,
// so that each point has one normal.

#include "io/page/surface.h"

#include "math/quat.h"
#include "math/trig.h"
#include "model/hull.h"
#include "shapes/shape.h"

#include <math.h>
#include <string.h>

enum { AROUND = 32, ALONG = 16 }; // pieces of a full turn, and of half a turn

static const double PI = 3.14159265358979323846;

// ---- Building -------------------------------------------------------------------------------------------------------

static bool reserve(surface *s, arena *memory, int points, int triangles)
{
    s->points = arena_alloc_array(memory, 3 * (size_t)points, sizeof *s->points);
    s->normals = arena_alloc_array(memory, 3 * (size_t)points, sizeof *s->normals);
    s->corners = arena_alloc_array(memory, 3 * (size_t)triangles, sizeof *s->corners);
    return s->points && s->normals && s->corners;
}

static int add_point(surface *s, ph_vec3 x, ph_vec3 normal)
{
    const double values[6] = {x.x, x.y, x.z, normal.x, normal.y, normal.z};
    for (int i = 0; i < 3; i++) {
        s->points[3 * s->point_count + i] = (float)values[i];
        s->normals[3 * s->point_count + i] = (float)values[3 + i];
    }
    return s->point_count++;
}

static void add_triangle(surface *s, int a, int b, int c)
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
static void add_flat(surface *s, ph_vec3 a, ph_vec3 b, ph_vec3 c)
{
    const ph_vec3 n = unit_or(ph_cross(ph_sub(b, a), ph_sub(c, a)), ph_vec(0.0, 0.0, 1.0));
    const int first = add_point(s, a, n);
    add_point(s, b, n);
    add_point(s, c, n);
    add_triangle(s, first, first + 1, first + 2);
}

static void add_flat4(surface *s, ph_vec3 a, ph_vec3 b, ph_vec3 c, ph_vec3 d)
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
static bool sweep(surface *s, arena *memory, const shape_profile *profile, int count, ph_vec3 scale)
{
    if (!reserve(s, memory, count * (AROUND + 1), 2 * (count - 1) * AROUND)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        for (int k = 0; k <= AROUND; k++) {
            const double angle = 2.0 * PI * (k % AROUND) / AROUND, c = ph_cos(angle), sn = ph_sin(angle);
            const shape_profile *p = &profile[i];
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
static bool sweep_round(surface *s, arena *memory, double radius, double half, ph_vec3 scale)
{
    shape_profile profile[2 * ALONG + 2];
    int count = 0;
    for (int i = 0; i <= ALONG; i++) {
        const double angle = PI * i / ALONG, sn = i == 0 || i == ALONG ? 0.0 : ph_sin(angle), c = ph_cos(angle);
        const double middle = 2 * i <= ALONG ? half : -half;
        profile[count++] = (shape_profile){radius * sn, middle + radius * c, sn, c};
        if (2 * i == ALONG && half > 0.0) {
            profile[count++] = (shape_profile){radius, -half, 1.0, 0.0};
        }
    }
    return sweep(s, memory, profile, count, scale);
}

static bool sweep_cylinder(surface *s, arena *memory, double r, double half)
{
    const shape_profile profile[] = {{0.0, half, 0.0, 1.0}, {r, half, 0.0, 1.0},   {r, half, 1.0, 0.0},
                                     {r, -half, 1.0, 0.0},  {r, -half, 0.0, -1.0}, {0.0, -half, 0.0, -1.0}};
    return sweep(s, memory, profile, 6, ph_vec(1.0, 1.0, 1.0));
}

// Turns z into the direction of the axis.
static void turn_to(surface *s, ph_vec3 direction)
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

// ---- Flat shapes ----------------------------------------------------------------------------------------------------

static bool make_box(surface *s, arena *memory, ph_vec3 size)
{
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    ph_vec3 x[8];
    for (int i = 0; i < 8; i++) {
        x[i] = ph_vec((i & 1 ? 0.5 : -0.5) * size.x, (i & 2 ? 0.5 : -0.5) * size.y, (i & 4 ? 0.5 : -0.5) * size.z);
    }
    if (!reserve(s, memory, 24, 12)) {
        return false;
    }
    for (int i = 0; i < 6; i++) {
        add_flat4(s, x[faces[i][0]], x[faces[i][1]], x[faces[i][2]], x[faces[i][3]]);
    }
    return true;
}

static bool make_plane(surface *s, arena *memory, ph_vec3 normal, double e)
{
    if (!reserve(s, memory, 4, 2)) {
        return false;
    }
    add_flat4(s, ph_vec(-e, -e, 0.0), ph_vec(e, -e, 0.0), ph_vec(e, e, 0.0), ph_vec(-e, e, 0.0));
    turn_to(s, normal);
    return true;
}

static bool make_hull(surface *s, arena *memory, const ph_shape_def *shape)
{
    hull h;
    ph_vec3 *points = arena_alloc_array(memory, (size_t)shape->data_rows, sizeof *points);
    if (!points) {
        return false;
    }
    memcpy(points, shape->data, (size_t)shape->data_rows * sizeof *points);
    if (!hull_create(points, shape->data_rows, memory, &h) || !reserve(s, memory, 3 * h.count, h.count)) {
        return false;
    }
    for (int i = 0; i < h.count; i++) {
        add_flat(s, points[h.triangles[i][0]], points[h.triangles[i][1]], points[h.triangles[i][2]]);
    }
    return true;
}

// Nine numbers for each triangle.
static bool make_mesh(surface *s, arena *memory, const ph_shape_def *shape)
{
    if (!reserve(s, memory, 3 * shape->data_rows, shape->data_rows)) {
        return false;
    }
    for (int i = 0; i < shape->data_rows; i++) {
        ph_vec3 x[3];
        memcpy(x, shape->data + 9 * (size_t)i, sizeof x);
        add_flat(s, x[0], x[1], x[2]);
    }
    return true;
}

static ph_vec3 height_point(const ph_shape_def *shape, int row, int column)
{
    return ph_vec(shape->size.x * ((double)column / (shape->data_columns - 1) - 0.5),
                  shape->size.y * ((double)row / (shape->data_rows - 1) - 0.5),
                  shape->size.z * shape->data[(size_t)row * (size_t)shape->data_columns + (size_t)column]);
}

// Rows run along y, columns along x; values count in heights size.z.
static bool make_heights(surface *s, arena *memory, const ph_shape_def *shape)
{
    const int cells = (shape->data_rows - 1) * (shape->data_columns - 1);
    if (!reserve(s, memory, 6 * cells, 2 * cells)) {
        return false;
    }
    for (int r = 0; r + 1 < shape->data_rows; r++) {
        for (int c = 0; c + 1 < shape->data_columns; c++) {
            const ph_vec3 a = height_point(shape, r, c), b = height_point(shape, r, c + 1);
            const ph_vec3 d = height_point(shape, r + 1, c), e = height_point(shape, r + 1, c + 1);
            add_flat(s, a, b, e);
            add_flat(s, a, e, d);
        }
    }
    return true;
}

// ---- All kinds ------------------------------------------------------------------------------------------------------

static bool is(const ph_shape_def *shape, const char *type)
{
    return strcmp(shape->type, type) == 0;
}

bool surface_make(const ph_shape_def *shape, double extent, arena *memory, surface *s, bool *out_of_memory)
{
    const ph_vec3 one = {1.0, 1.0, 1.0};
    const shape_type *type = shape_type_find(shape->type);
    const bool rows = shape->data && shape->data_rows > 1 && shape->data_columns > 1;
    bool made = true;
    *s = (surface){0};
    if (type && type->profile) {
        shape_profile profile[SHAPE_PROFILE_MAX];
        made = sweep(s, memory, profile, type->profile(shape, profile), one);
    } else if (is(shape, "sphere")) {
        made = sweep_round(s, memory, shape->radius, 0.0, one);
    } else if (is(shape, "ellipsoid")) {
        made = sweep_round(s, memory, 1.0, 0.0, shape->size);
    } else if (is(shape, "capsule")) {
        made = sweep_round(s, memory, shape->radius, 0.5 * shape->length, one);
    } else if (is(shape, "cylinder")) {
        made = sweep_cylinder(s, memory, shape->radius, 0.5 * shape->length);
    } else if (is(shape, "box")) {
        made = make_box(s, memory, shape->size);
    } else if (is(shape, "plane")) {
        made = make_plane(s, memory, shape->size, extent);
    } else if (is(shape, "hull") && shape->data && shape->data_columns == 3) {
        made = make_hull(s, memory, shape);
    } else if (is(shape, "mesh") && shape->data && shape->data_columns == 9) {
        made = make_mesh(s, memory, shape);
    } else if (is(shape, "heightfield") && rows) {
        made = make_heights(s, memory, shape);
    }
    if (made && (is(shape, "capsule") || is(shape, "cylinder") || (type && type->profile))) {
        turn_to(s, shape->axis);
    }
    *out_of_memory = *out_of_memory || !made;
    return made && s->triangle_count > 0;
}
