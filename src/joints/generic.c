// Generic joint: any of the motions x y z rx ry rz of b relative to a locked, the others free.
//
// Geometry: the axes of both frames are the world's at the start, or have z along `axis`. Rows:
//
//     translation   a_i . d = 0 for each locked i.
//     rotation      three locked: as the fixed joint. Two locked, the turn about i free: a_i stays on b_i, as the
//                   revolute joint. One locked, about i: a_j and b_k stay perpendicular (i, j, k cyclic), as the
//                   universal joint; b turns about j of a, then about k of b.
//
// At the start the gradients of these rows are the locked axes themselves: independent in every combination.
// Freedom left: what is not locked; slides first, then turns. Three free rotations have no coordinate.

#include "joints/types.h"

static void lock_translation(joint *j, const bool lock[3])
{
    if (lock[0] && lock[1] && lock[2]) {
        joint_add_row(j, ROW_POINT, 0, 0);
        return;
    }
    for (int i = 0; i < 3; i++) {
        if (lock[i]) {
            joint_add_row(j, ROW_ALONG, i, 0);
        } else {
            joint_add_coordinate(j, COORDINATE_SLIDE, i);
        }
    }
}

static void lock_rotation(joint *j, const bool lock[3])
{
    const int locked = lock[0] + lock[1] + lock[2];
    for (int i = 0; i < 3; i++) {
        const int next = (i + 1) % 3, last = (i + 2) % 3;
        if (locked == 3) {
            joint_add_row(j, ROW_DOT, i, next);
        } else if (locked == 2 && !lock[i]) {
            joint_add_row(j, ROW_DOT, i, next);
            joint_add_row(j, ROW_DOT, i, last);
            joint_add_coordinate(j, COORDINATE_TURN, i);
        } else if (locked == 1 && lock[i]) {
            joint_add_row(j, ROW_DOT, next, last);
            joint_add_coordinate(j, COORDINATE_CARDAN_A, i);
            joint_add_coordinate(j, COORDINATE_CARDAN_B, i);
        }
    }
}

static const char *make(joint *j)
{
    lock_translation(j, j->def->lock);
    lock_rotation(j, j->def->lock + 3);
    return j->row_count ? NULL : "a generic joint needs lock: [x, y, z, rx, ry, rz] with at least one true";
}

const joint_type joint_generic = {
    .name = "generic",
    .title = "locks any of x y z rx ry rz",
    .keys = JOINT_ANCHOR | JOINT_ANCHOR_OPTIONAL | JOINT_AXIS_OPTIONAL | JOINT_LOCK | JOINT_DRIVE,
    .hold = "none",
    .make = make,
};
