// Heights over a rectangle: rows along y, columns along x.

#include "shapes/types.h"

static void check(const ph_shape_def *shape, shape_faults *faults)
{
    if (shape->data_rows < 2 || shape->data_columns < 2) {
        shape_fault(faults, shape->file ? "file" : "values", NULL,
                    "a height field needs two rows and two columns at least, it has %d and %d", shape->data_rows,
                    shape->data_columns);
    }
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
                                      .check = check};
