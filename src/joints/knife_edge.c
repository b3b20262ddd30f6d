// Knife edge: a blade in b that touches a plane of a at one point and does not slip across itself.
//
// Geometry: the plane through the origin of frame a with normal a_z; the blade at the origin of frame b, along b_x.
// Rows (rolling.h):
//
//     touch    a_z . d = 0
//     across   t . (d' - w_a x d) = 0,   t = a_z x b_x / |a_z x b_x|
//
// The second is a row of velocities: a skate reaches every place, and yet never moves sideways. Freedom left: five, of velocities four.
#include "joints/types.h"

static const char *make(joint *j)
{
    joint_add_row(j, ROW_TOUCH, 0, 0);
    joint_add_row(j, ROW_SLIP, 1, 0);
    return NULL;
}

const joint_type joint_knife_edge = {
    .name = "knife_edge",
    .title = "a blade on a plane that does not move sideways",
    .keys = JOINT_ANCHOR | JOINT_ANCHOR_OPTIONAL | JOINT_NORMAL | JOINT_ROLLING | JOINT_HEADING,
    .hold = "none",
    .make = make,
};
