// Half space below a plane.

#include "shapes/types.h"

static const element_key keys[] = {
    {"normal", KEY_DIRECTION, SHAPE_KEY(size)},
    {0},
};

const shape_type shape_plane = {.name = "plane", .title = "half space below a plane", .keys = keys};
