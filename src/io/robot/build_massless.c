// Links without mass. What they say between two bodies that have mass is one joint with the motions of all joints on the way;
// what they say at the end of a branch moves nothing.
//
// No mass is invented: small ones would spoil every step.

#include "io/robot/build.h"
#include "io/robot/kinematics.h"
#include "math/mat3.h"

static bool is_massless(const robot_body *b)
{
    return b->mass == 0.0 && ph_mat_norm(b->inertia) == 0.0;
}

static bool floats(const robot *r, const robot_body *b)
{
    return b->joint_count == 1 && r->joints[b->first_joint].kind == JOINT_FREE;
}

// Moving bodies that it carries.
static int count_children(const robot *r, int i)
{
    int count = 0;
    for (int k = i + 1; k < r->bodies_count; k++) {
        count += r->bodies[k].carrier == k && r->bodies[r->bodies[k].parent].carrier == i;
    }
    return count;
}

static int count_loops(const robot *r, int i)
{
    int count = 0;
    for (int k = 0; k < r->loops_count && !r->options.no_equality; k++) {
        const robot_loop *loop = &r->loops[k];
        for (int end = 0; end < 2 && loop->kind != LOOP_COUPLING; end++) {
            count += r->bodies[loop->body[end]].carrier == i;
        }
    }
    return count;
}

// At the end of a branch: it stays where it is, as part of what carries it.
static void freeze(robot *r, int i)
{
    robot_body *b = &r->bodies[i];
    robot_leave_out(r, b->node, NULL, "a joint that moves nothing: what it carries has no mass");
    b->local = pose_mul(b->local, robot_motion(r, i));
    b->joint_count = 0;
    const int carrier = r->bodies[b->parent].carrier;
    for (int k = i; k < r->bodies_count; k++) {
        if (r->bodies[k].carrier == i) r->bodies[k].carrier = carrier;
    }
}

static const char *name_of(const robot_body *b)
{
    return b->name ? b->name : "";
}

void build_massless(builder *b)
{
    robot *r = b->r;
    for (int i = r->bodies_count - 1; i > 0; i--) {
        robot_body *body = &r->bodies[i];
        if (body->carrier != i || !is_massless(body) || floats(r, body)) continue;
        const int children = count_children(r, i), loops = count_loops(r, i);
        if (children + loops == 0) {
            freeze(r, i);
        } else if (children + loops == 1) {
            body->massless = true;
            robot_note(r, body->node, "links without mass: the joints before and after them are one joint");
        } else {
            robot_fail(r, body->node, NULL, "give it a mass", "the link '%.60s' has no mass and holds %d others",
                       name_of(body), children + loops);
        }
    }
}

int build_base(const robot *r, int body)
{
    int i = r->bodies[r->bodies[body].parent].carrier;
    while (i > 0 && r->bodies[i].massless) i = r->bodies[r->bodies[i].parent].carrier;
    return i == ROBOT_WORLD ? PH_WORLD : r->bodies[i].index;
}

int build_gather(robot *r, int body, pose at, stacked_joint *to, int most)
{
    const robot_body *b = &r->bodies[body];
    const int before = r->bodies[b->parent].carrier;
    int count = 0;
    if (before > 0 && r->bodies[before].massless) {
        const pose here = pose_mul(build_in_carrier(r, b->parent), b->local); // in the frame of the link before
        count = build_gather(r, before, pose_mul(at, pose_inverse(here)), to, most);
    }
    for (int k = 0; k < b->joint_count && count < most; k++) {
        to[count++] = (stacked_joint){&r->joints[b->first_joint + k], at};
    }
    return count;
}
