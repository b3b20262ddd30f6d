// Rolling sphere: a ball in b that rolls without slipping on a plane, or on or in a sphere or cylinder of a.
//
// Geometry: the centre of the ball is the origin of frame b. Rows (rolling.h): the surfaces touch; the points that touch have
// the same velocity along two tangents. Freedom left: five, of velocities three: two of rolling, and the spin about the normal.
#include "joints/types.h"

static const char *make(joint *j)
{
    joint_add_row(j, ROW_TOUCH, 0, 0);
    joint_add_row(j, ROW_SLIP, 1, 0);
    joint_add_row(j, ROW_SLIP, 2, 0);
    return NULL;
}

const joint_type joint_rolling_sphere = {
    .name = "rolling_sphere",
    .title = "a ball rolls on a plane, sphere or cylinder",
    .keys = JOINT_ANCHOR | JOINT_ANCHOR_OPTIONAL | JOINT_NORMAL | JOINT_ROLLING | JOINT_RADIUS | JOINT_CURVED,
    .hold = "none",
    .make = make,
};
