// Point on plane: a point of b stays on a plane fixed in a.
//
// Geometry: the plane goes through the origin of frame a, normal a_z; the point is the origin of frame b.
// Row: a_z . d = 0. Freedom left: the slides a_x . d, a_y . d, and three rotations without coordinate.

#include "joints/types.h"

static const char *make(joint *j)
{
    joint_add_row(j, ROW_ALONG, 2, 0);
    joint_add_coordinate(j, COORDINATE_SLIDE, 0);
    joint_add_coordinate(j, COORDINATE_SLIDE, 1);
    return NULL;
}

const joint_type joint_point_on_plane = {
    .name = "point_on_plane",
    .title = "a point of b stays on a plane of a",
    .keys = JOINT_ANCHOR | JOINT_NORMAL,
    .hold = "none",
    .make = make,
};
