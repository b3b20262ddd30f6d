// No slip: two surfaces of bodies touch and do not slip on each other. Wheels without teeth, balls of a bearing, an ellipsoid on a plane.
//
// Geometry: b has a ball, or an ellipsoid with axes along those of its body, about the origin of frame b; a has a plane, or
// a sphere or cylinder about the origin of frame a. A cylinder in b with its axis parallel to that of the cylinder of a
// touches it along a line, and rolls as the ball of its radius does. Rows (rolling.h): touch, and two of velocities.
// Where bearings hold the distance of two wheels the first row depends on theirs, and is found and left out.
// Freedom left: five, of velocities three.
#include "joints/types.h"

static const char *make(joint *j)
{
    joint_add_row(j, ROW_TOUCH, 0, 0);
    joint_add_row(j, ROW_SLIP, 1, 0);
    joint_add_row(j, ROW_SLIP, 2, 0);
    return NULL;
}

const joint_type joint_no_slip = {
    .name = "no_slip",
    .title = "two surfaces touch and do not slip",
    .keys = JOINT_ANCHOR | JOINT_ANCHOR_OPTIONAL | JOINT_NORMAL | JOINT_ROLLING | JOINT_RADIUS | JOINT_SEMI_AXES |
            JOINT_CURVED,
    .hold = "none",
    .make = make,
};
