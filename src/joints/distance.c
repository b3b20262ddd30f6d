// Distance joint: a point of a and a point of b keep their distance, as at the ends of a massless rod.
//
// Row: |d| - length = 0. It needs length > 0: at |d| = 0 the row has no gradient. Freedom left: five; no coordinate.

#include "joints/types.h"

static const char *make(joint *j)
{
    joint_add_row(j, ROW_LENGTH, 0, 0);
    return j->length > 0.0 ? NULL : "the two points coincide, so that their distance has no direction";
}

const joint_type joint_distance = {.name = "distance",
                                   .title = "keeps the distance of two points",
                                   .keys = JOINT_ANCHOR | JOINT_APART | JOINT_LENGTH,
                                   .symmetry = JOINT_CENTRAL,
                                   .make = make};
