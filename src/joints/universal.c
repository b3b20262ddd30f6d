// Universal (Cardan) joint: two axes, one fixed in each body, that meet in a point and stay perpendicular.
//
// Geometry: a_z is the axis of a (`axis`), b_x that of b (`axis2`). Rows: d = 0, a_z . b_x = 0.
// Freedom left: with A = R_z(alpha) R_x(beta) the turn alpha about a_z and the turn beta about b_x, in this order.

#include "joints/types.h"

static const char *make(joint *j)
{
    joint_add_row(j, ROW_POINT, 0, 0);
    joint_add_row(j, ROW_DOT, 2, 0);
    joint_add_coordinate(j, COORDINATE_CARDAN_A, 1);
    joint_add_coordinate(j, COORDINATE_CARDAN_B, 1);
    return NULL;
}

const joint_type joint_universal = {.name = "universal",
                                    .title = "turns about two crossed axes",
                                    .keys = JOINT_ANCHOR | JOINT_AXIS | JOINT_AXIS2,
                                    .mark = "ring",
                                    .synonyms = "cardan hooke",
                                    .make = make};
