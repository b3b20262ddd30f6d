// Prismatic joint: b slides along an axis fixed in a and does not turn.
//
// Geometry: z of both frames is the axis. Rows: a_x . d = a_y . d = 0 and the three rotation rows of the fixed joint.
// Freedom left: the slide a_z . d.

#include "joints/types.h"

static const char *make(joint *j)
{
    joint_add_row(j, ROW_ALONG, 0, 0);
    joint_add_row(j, ROW_ALONG, 1, 0);
    joint_add_row(j, ROW_DOT, 0, 1);
    joint_add_row(j, ROW_DOT, 1, 2);
    joint_add_row(j, ROW_DOT, 2, 0);
    joint_add_coordinate(j, COORDINATE_SLIDE, 2);
    return NULL;
}

const joint_type joint_prismatic = {.name = "prismatic",
                                    .title = "slides along an axis",
                                    .keys = JOINT_ANCHOR | JOINT_ANCHOR_OPTIONAL | JOINT_AXIS | JOINT_DRIVE,
                                    .mark = "slider",
                                    .hold = "rail",
                                    .synonyms = "slide slider",
                                    .make = make};
