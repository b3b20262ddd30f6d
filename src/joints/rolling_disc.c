// Rolling disc: a wheel in b that rolls without slipping on a plane of a. Its rim is sharp, or rounded like a torus.
//
// Geometry: the centre of the wheel is the origin of frame b, its axis b_z. The rim has the radius R, its rounding rho; the
// outermost radius is R + rho. Rows (rolling.h): the lowest point of the rim touches the plane, and the points that touch
// have the same velocity along the plane. A wheel that lies flat has no lowest point.
// Freedom left: five, of velocities three: rolling, turning about the normal, leaning over.
#include "joints/types.h"

static const char *make(joint *j)
{
    joint_add_row(j, ROW_TOUCH, 0, 0);
    joint_add_row(j, ROW_SLIP, 1, 0);
    joint_add_row(j, ROW_SLIP, 2, 0);
    return NULL;
}

const joint_type joint_rolling_disc = {
    .name = "rolling_disc",
    .title = "a wheel or coin rolls on a plane",
    .keys =
        JOINT_ANCHOR | JOINT_ANCHOR_OPTIONAL | JOINT_NORMAL | JOINT_ROLLING | JOINT_RADIUS | JOINT_RIM | JOINT_HEADING,
    .hold = "none",
    .make = make,
};
