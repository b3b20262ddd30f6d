// Screw joint: b turns about an axis fixed in a and moves along it by `pitch` for each radian.
//
// Geometry: z of both frames is the axis. Rows: those of the cylindrical joint, and slide - pitch turn = 0, both counted
// from the start; the slide tells which of the angles that differ by whole turns is meant (rows.c).
// Freedom left: the turn about z.

#include "joints/types.h"

static const char *make(joint *j)
{
    joint_add_row(j, ROW_ALONG, 0, 0);
    joint_add_row(j, ROW_ALONG, 1, 0);
    joint_add_row(j, ROW_DOT, 2, 0);
    joint_add_row(j, ROW_DOT, 2, 1);
    joint_add_row(j, ROW_SCREW, 2, 2);
    joint_add_coordinate(j, COORDINATE_TURN, 2);
    return j->pitch != 0.0 ? NULL : "a screw joint needs a pitch, in metres per radian";
}

const joint_type joint_screw = {
    .name = "screw",
    .title = "turns about an axis and advances along it",
    .keys = JOINT_ANCHOR | JOINT_AXIS | JOINT_PITCH | JOINT_DRIVE,
    .mark = "pin",
    .hold = "rail",
    .synonyms = "helical",
    .make = make,
};
