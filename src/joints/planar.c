// Planar joint: b slides on a plane fixed in a and turns about its normal.
//
// Geometry: z of both frames is the normal. Rows: a_z . d = 0, a_z . b_x = a_z . b_y = 0.
// Freedom left: the slides a_x . d, a_y . d and the turn about z, in this order.

#include "joints/types.h"

static const char *make(joint *j)
{
    joint_add_row(j, ROW_ALONG, 2, 0);
    joint_add_row(j, ROW_DOT, 2, 0);
    joint_add_row(j, ROW_DOT, 2, 1);
    joint_add_coordinate(j, COORDINATE_SLIDE, 0);
    joint_add_coordinate(j, COORDINATE_SLIDE, 1);
    joint_add_coordinate(j, COORDINATE_TURN, 2);
    return NULL;
}

const joint_type joint_planar = {
    .name = "planar",
    .title = "slides on a plane and turns about its normal",
    .keys = JOINT_ANCHOR | JOINT_ANCHOR_OPTIONAL | JOINT_NORMAL,
    .mark = "plate",
    .hold = "none",
    .make = make,
};
