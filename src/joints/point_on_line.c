// Point on line: a point of b stays on a line fixed in a.
//
// Geometry: the line goes through the origin of frame a along a_z; the point is the origin of frame b.
// Rows: a_x . d = a_y . d = 0. Freedom left: the slide a_z . d, and three rotations without coordinate.

#include "joints/types.h"

static const char *make(joint *j)
{
    joint_add_row(j, ROW_ALONG, 0, 0);
    joint_add_row(j, ROW_ALONG, 1, 0);
    joint_add_coordinate(j, COORDINATE_SLIDE, 2);
    return NULL;
}

const joint_type joint_point_on_line = {
    .name = "point_on_line",
    .title = "a point of b stays on a line of a",
    .keys = JOINT_ANCHOR | JOINT_AXIS | JOINT_DRIVE,
    .hold = "rail",
    .make = make,
};
