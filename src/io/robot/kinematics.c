// Where bodies are for given joint coordinates, and where the axes of joints then lie.

#include "io/robot/kinematics.h"
#include "math/quat.h"
#include "math/so3.h"

// The motion of one joint in the frame of its body, as the body is drawn.
static pose motion_of(const robot_joint *j)
{
    const double change = j->q - j->ref;
    pose m = pose_identity();
    if (j->kind == JOINT_SLIDE) {
        m.p = ph_scale(change, j->axis);
        return m;
    }
    m.q = j->kind == JOINT_BALL ? j->turn : quat_turn(j->axis, change);
    m.p = ph_sub(j->anchor, ph_quat_rotate(m.q, j->anchor));
    if (j->kind == JOINT_SCREW) m.p = ph_madd(m.p, j->pitch * change, j->axis);
    return m;
}

pose robot_motion(const robot *r, int body)
{
    const robot_body *b = &r->bodies[body];
    pose m = pose_identity();
    for (int k = 0; k < b->joint_count; k++) m = pose_mul(m, motion_of(&r->joints[b->first_joint + k]));
    return m;
}

static void place_body(robot *r, int i)
{
    robot_body *b = &r->bodies[i];
    pose at = pose_mul(r->bodies[b->parent].world, b->local);
    for (int k = 0; k < b->joint_count; k++) {
        robot_joint *j = &r->joints[b->first_joint + k];
        j->world_axis = ph_quat_rotate(at.q, j->axis);
        j->world_anchor = pose_apply(at, j->anchor);
        j->world_frame = at.q;
        if (j->kind != JOINT_FREE) at = pose_mul(at, motion_of(j));
    }
    b->world = at;
}

void robot_place(robot *r)
{
    for (int i = 1; i < r->bodies_count; i++) {
        place_body(r, i);
    }
}

void robot_place_at_start(robot *r)
{
    for (int i = 0; i < r->joints_count; i++) {
        robot_joint *j = &r->joints[i];
        j->q = j->has_home ? j->home : j->ref;
        j->turn = j->has_home ? j->home_turn : ph_quat_identity();
    }
    robot_place(r);
}

void robot_place_as_drawn(robot *r)
{
    for (int i = 0; i < r->joints_count; i++) {
        r->joints[i].q = r->joints[i].ref;
        r->joints[i].turn = ph_quat_identity();
    }
    robot_place(r);
}
