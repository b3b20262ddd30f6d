// Fixed joint: b does not move relative to a.
//
// Geometry: frames a and b coincide. Rows: d = 0 and a_x . b_y = a_y . b_z = a_z . b_x = 0. Of the four rotations that
// make all three products vanish the identity is an isolated one, so that a motion that starts there stays there; the
// three gradients a_i x b_j are then a_z, a_x, a_y: independent. Freedom left: none.

#include "joints/types.h"

static const char *make(joint *j)
{
    joint_add_row(j, ROW_POINT, 0, 0);
    joint_add_row(j, ROW_DOT, 0, 1);
    joint_add_row(j, ROW_DOT, 1, 2);
    joint_add_row(j, ROW_DOT, 2, 0);
    return NULL;
}

const joint_type joint_fixed = {.name = "fixed",
                                .title = "b moves with a",
                                .keys = JOINT_ANCHOR_OPTIONAL,
                                .mark = "block",
                                .synonyms = "weld",
                                .make = make};
