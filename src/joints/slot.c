// Slot: a pin of b slides along a straight slot of a and turns in it.
//
// Geometry: a_z is the direction of the slot (`axis`), b_x the pin (`axis2`), perpendicular to the slot; a_x is the pin at the
// start. Rows: a_x . d = a_y . d = 0, the pin stays in the slot; a_x . b_y = a_x . b_z = 0, and square to its walls.
// Freedom left: the slide a_z . d and the turn about the pin, in this order.

#include "joints/types.h"

static const char *make(joint *j)
{
    joint_add_row(j, ROW_ALONG, 0, 0);
    joint_add_row(j, ROW_ALONG, 1, 0);
    joint_add_row(j, ROW_DOT, 0, 1);
    joint_add_row(j, ROW_DOT, 0, 2);
    joint_add_coordinate(j, COORDINATE_SLIDE, 2);
    joint_add_coordinate(j, COORDINATE_TURN, 0);
    return NULL;
}

const joint_type joint_slot = {
    .name = "slot",
    .title = "a pin of b slides along a slot of a and turns in it",
    .keys = JOINT_ANCHOR | JOINT_AXIS | JOINT_AXIS2,
    .synonyms = "pin_slot",
    .mark = "slider",
    .hold = "rail",
    .make = make,
};
