// Ball joint: a point of b stays on a point of a.
//
// Rows: d = 0. Freedom left: three rotations, which have no coordinate free of singularities and so none here.

#include "joints/types.h"

static const char *make(joint *j)
{
    joint_add_row(j, ROW_POINT, 0, 0);
    return NULL;
}

const joint_type joint_ball = {.name = "ball",
                               .title = "a common point, free rotation",
                               .keys = JOINT_ANCHOR,
                               .symmetry = JOINT_CENTRAL,
                               .synonyms = "spherical",
                               .make = make};
