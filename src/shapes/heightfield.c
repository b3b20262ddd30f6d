// Heights over a rectangle: rows along y, columns along x.

#include "shapes/types.h"

#include "math/vec3.h"

static void check(const ph_shape_def *shape, shape_faults *faults)
{
    if (shape->data_rows < 2 || shape->data_columns < 2) {
        shape_fault(faults, shape->file ? "file" : "values", NULL,
                    "a height field needs two rows and two columns at least, it has %d and %d", shape->data_rows,
                    shape->data_columns);
    }
}

static ph_vec3 height_point(const ph_shape_def *shape, int row, int column)
{
    return ph_vec(shape->size.x * ((double)column / (shape->data_columns - 1) - 0.5),
                  shape->size.y * ((double)row / (shape->data_rows - 1) - 0.5),
                  shape->size.z * shape->data[(size_t)row * (size_t)shape->data_columns + (size_t)column]);
}

static bool draw(const ph_shape_def *shape, double extent, arena *memory, triangles *to)
{
    (void)extent;
    if (!shape->data || shape->data_rows < 2 || shape->data_columns < 2) return true;
    const int cells = (shape->data_rows - 1) * (shape->data_columns - 1);
    if (!triangles_reserve(to, memory, 6 * cells, 2 * cells)) return false;
    for (int r = 0; r + 1 < shape->data_rows; r++) {
        for (int c = 0; c + 1 < shape->data_columns; c++) {
            const ph_vec3 a = height_point(shape, r, c), b = height_point(shape, r, c + 1);
            const ph_vec3 d = height_point(shape, r + 1, c), e = height_point(shape, r + 1, c + 1);
            triangles_add(to, a, b, e);
            triangles_add(to, a, e, d);
        }
    }
    return true;
}

static const element_key keys[] = {
    {"size", KEY_VECTOR, SHAPE_KEY(size), .rule = POSITIVE, .needed = true},
    {"values", KEY_TABLE, KEY_WHOLE},
    {"file", KEY_FILE, SHAPE_KEY(file)},
    {"smooth", KEY_FLAG, SHAPE_KEY(smooth)},
    {0},
};

const shape_type shape_heightfield = {.name = "heightfield",
                                      .title = "heights over a rectangle",
                                      .keys = keys,
                                      .surface = true,
                                      .data = "values",
                                      .check = check,
                                      .draw = draw,
                                      .on_page = true};
