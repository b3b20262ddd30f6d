// Cylindrical joint: b turns about and slides along an axis fixed in a.
//
// Geometry: z of both frames is the axis. Rows: a_x . d = a_y . d = 0, a_z . b_x = a_z . b_y = 0.
// Freedom left: the turn about z and the slide a_z . d, in this order.

#include "joints/types.h"

static const char *make(joint *j)
{
    joint_add_row(j, ROW_ALONG, 0, 0);
    joint_add_row(j, ROW_ALONG, 1, 0);
    joint_add_row(j, ROW_DOT, 2, 0);
    joint_add_row(j, ROW_DOT, 2, 1);
    joint_add_coordinate(j, COORDINATE_TURN, 2);
    joint_add_coordinate(j, COORDINATE_SLIDE, 2);
    return NULL;
}

const joint_type joint_cylindrical = {.name = "cylindrical",
                                      .title = "turns about and slides along an axis",
                                      .keys = JOINT_ANCHOR | JOINT_AXIS,
                                      .symmetry = JOINT_AXIAL,
                                      .mark = "rod",
                                      .hold = "rail",
                                      .make = make};
