// Coordinate: one coordinate of another joint, under a name of its own.
//
// It holds nothing: no row, and no freedom less. What joints with one coordinate may have (limits, damping, stiffness, friction,
// armature, motor) acts along that coordinate, gears may name it and expressions know it as q.<name>. So every coordinate of a
// joint with several can be driven. Its frames are those of the other joint (compile/joints.c).

#include "joints/types.h"

static const char *make(joint *j)
{
    (void)j;
    return NULL;
}

const joint_type joint_own_coordinate = {
    .name = "coordinate",
    .title = "a coordinate of another joint, to be driven",
    .keys = JOINT_OF | JOINT_DRIVE,
    .mark = "none",
    .hold = "none",
    .make = make,
};
