// Convex hull of points.

#include "model/hull.h"
#include "shapes/types.h"

#include "math/vec3.h"

#include <string.h>

// From the first of the points on, so that little cancels.
static bool make_solid(const ph_shape_def *shape, arena *scratch, shape_solid *to)
{
    *to = (shape_solid){0};
    if (!shape->data) {
        return true;
    }
    const int count = shape->data_columns == 3 ? shape->data_rows : shape->data_rows * shape->data_columns / 3;
    ph_vec3 *points = arena_alloc_array(scratch, (size_t)count, sizeof *points);
    hull faces;
    if (!points) {
        return false;
    }
    const ph_vec3 first = ph_vec(shape->data[0], shape->data[1], shape->data[2]);
    for (int i = 0; i < count; i++) {
        points[i] = ph_sub(ph_vec(shape->data[3 * i], shape->data[3 * i + 1], shape->data[3 * i + 2]), first);
    }
    if (!hull_create(points, count, scratch, &faces)) {
        return false;
    }
    *to = solid_polyhedron(points, faces.count, (const int(*)[3])faces.triangles);
    to->c = ph_add(to->c, first);
    return true;
}

static void check(const ph_shape_def *shape, shape_faults *faults)
{
    const char *key = shape->file ? "file" : "points";
    const int numbers = shape->data_rows * shape->data_columns, count = numbers / 3;
    if (numbers % 3 != 0) {
        shape_fault(faults, key, NULL, "the points of a hull have three coordinates each");
        return;
    }
    if (count < 4) {
        shape_fault(faults, key, NULL, "a hull needs four points at least, there %s %d", count == 1 ? "is" : "are",
                    count);
        return;
    }
    ph_vec3 *points = arena_alloc_array(faults->scratch, (size_t)count, sizeof *points);
    hull faces;
    for (int i = 0; points && i < count; i++) {
        points[i] = ph_vec(shape->data[3 * i], shape->data[3 * i + 1], shape->data[3 * i + 2]);
    }
    if (!points || !hull_create(points, count, faults->scratch, &faces)) {
        faults->out_of_memory = true;
    } else if (faces.count == 0) {
        shape_fault(faults, key, "a hull encloses a volume; for a plate give it some thickness",
                    "the points of the hull lie in a plane");
    }
}

static bool draw(const ph_shape_def *shape, double extent, arena *memory, triangles *to)
{
    (void)extent;
    hull h;
    if (!shape->data || shape->data_columns != 3) return true;
    ph_vec3 *points = arena_alloc_array(memory, (size_t)shape->data_rows, sizeof *points);
    if (!points) return false;
    memcpy(points, shape->data, (size_t)shape->data_rows * sizeof *points);
    if (!hull_create(points, shape->data_rows, memory, &h) || !triangles_reserve(to, memory, 3 * h.count, h.count))
        return false;
    for (int i = 0; i < h.count; i++)
        triangles_add(to, points[h.triangles[i][0]], points[h.triangles[i][1]], points[h.triangles[i][2]]);
    return true;
}

static const element_key keys[] = {
    {"points", KEY_POINTS, KEY_WHOLE},
    {"file", KEY_FILE, SHAPE_KEY(file)},
    {"density", KEY_NUMBER, SHAPE_KEY(density), .rule = POSITIVE},
    {0},
};

const shape_type shape_hull = {.name = "hull",
                               .title = "convex hull of points",
                               .keys = keys,
                               .solid = make_solid,
                               .data = "points",
                               .check = check,
                               .draw = draw,
                               .on_page = true};
