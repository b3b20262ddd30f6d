// Revolute joint: b turns about an axis fixed in a.
//
// Geometry: z of both frames is the axis. Rows: d = 0, a_z . b_x = a_z . b_y = 0, which keep b_z on +-a_z.
// Freedom left: the turn about z, counted from the start.

#include "joints/types.h"

static const char *make(joint *j)
{
    joint_add_row(j, ROW_POINT, 0, 0);
    joint_add_row(j, ROW_DOT, 2, 0);
    joint_add_row(j, ROW_DOT, 2, 1);
    joint_add_coordinate(j, COORDINATE_TURN, 2);
    return NULL;
}

const joint_type joint_revolute = {.name = "revolute",
                                   .title = "turns about an axis",
                                   .keys = JOINT_ANCHOR | JOINT_AXIS | JOINT_DRIVE,
                                   .symmetry = JOINT_AXIAL,
                                   .mark = "pin",
                                   .synonyms = "hinge pin continuous",
                                   .make = make};
