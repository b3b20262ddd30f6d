// Triangle mesh. Closed, it has a volume.

#include "model/mesh.h"
#include "shapes/types.h"

#include "math/vec3.h"

#include <string.h>

// Nothing for an open mesh.
static bool make_solid(const ph_shape_def *shape, arena *scratch, shape_solid *to)
{
    *to = (shape_solid){0};
    if (!shape->data) {
        return true;
    }
    mesh m;
    mesh_defects defects;
    const int count = shape->data_rows * shape->data_columns / MESH_NUMBERS;
    if (!mesh_create(shape->data, count, scratch, &m, &defects)) {
        return false;
    }
    if (mesh_is_sound(&defects) && defects.open_edges == 0 && count > 0) {
        const ph_vec3 first = m.vertices[0];
        for (int i = 0; i < m.vertex_count; i++) {
            m.vertices[i] = ph_sub(m.vertices[i], first);
        }
        *to = solid_polyhedron(m.vertices, count, (const int(*)[3])m.triangles);
        to->c = ph_add(to->c, first);
    }
    return true;
}

static const char *plural(int count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

static void check_volume(const ph_shape_def *shape, const mesh_defects *d, shape_faults *faults)
{
    if (d->open_edges == 0 && d->volume <= 0.0) {
        shape_fault(faults, "file", "the corners of a triangle run counter-clockwise seen from outside",
                    "the mesh is inside out: its volume is %.6g", d->volume);
    } else if (d->open_edges > 0 && shape->density > 0.0) {
        shape_fault(faults, "density", "close the mesh, or give mass, com and inertia of the body",
                    "the mesh is not closed, so it has no volume: %d %s only one triangle", d->open_edges,
                    plural(d->open_edges, "edge has", "edges have"));
    }
}

static void check(const ph_shape_def *shape, shape_faults *faults)
{
    mesh m;
    mesh_defects d;
    if (shape->data_rows * shape->data_columns % MESH_NUMBERS != 0) {
        shape_fault(faults, "file", NULL, "a triangle of a mesh has three corners of three coordinates each");
        return;
    }
    if (!mesh_create(shape->data, shape->data_rows * shape->data_columns / MESH_NUMBERS, faults->scratch, &m, &d)) {
        faults->out_of_memory = true;
        return;
    }
    if (d.degenerate.count) {
        shape_fault(faults, "file", NULL, "%d %s no area, the first is triangle %d", d.degenerate.count,
                    plural(d.degenerate.count, "triangle has", "triangles have"), d.degenerate.triangle + 1);
    }
    if (d.twin.count) {
        shape_fault(faults, "file", NULL, "%d %s twice, the first is triangle %d, the same as triangle %d",
                    d.twin.count, plural(d.twin.count, "triangle is there", "triangles are there"), d.twin.triangle + 1,
                    d.twin.other + 1);
    }
    const bool follows = d.degenerate.count || d.twin.count; // from these, and is not worth saying
    if (d.crowded.count && !follows) {
        shape_fault(faults, "file", "at an edge of a surface two triangles meet",
                    "%d %s more than two triangles, the first is between triangles %d and %d", d.crowded.count,
                    plural(d.crowded.count, "edge has", "edges have"), d.crowded.triangle + 1, d.crowded.other + 1);
    }
    if (d.turned.count && !follows) {
        shape_fault(faults, "file", "the corners of a triangle run counter-clockwise seen from outside",
                    "triangles %d and %d are neighbours and disagree about which side is outside", d.turned.other + 1,
                    d.turned.triangle + 1);
    }
    if (mesh_is_sound(&d)) {
        check_volume(shape, &d, faults);
    }
}

// Nine numbers for each triangle.
static bool draw(const ph_shape_def *shape, double extent, arena *memory, triangles *to)
{
    (void)extent;
    if (!shape->data || shape->data_columns != 9) return true;
    if (!triangles_reserve(to, memory, 3 * shape->data_rows, shape->data_rows)) return false;
    for (int i = 0; i < shape->data_rows; i++) {
        ph_vec3 x[3];
        memcpy(x, shape->data + 9 * (size_t)i, sizeof x);
        triangles_add(to, x[0], x[1], x[2]);
    }
    return true;
}

static const element_key keys[] = {
    {"file", KEY_FILE, SHAPE_KEY(file), .needed = true},
    {"density", KEY_NUMBER, SHAPE_KEY(density), .rule = POSITIVE},
    {0},
};

const shape_type shape_mesh = {.name = "mesh",
                               .title = "triangle mesh",
                               .keys = keys,
                               .solid = make_solid,
                               .surface = true,
                               .data = "file",
                               .check = check,
                               .draw = draw,
                               .on_page = true};
