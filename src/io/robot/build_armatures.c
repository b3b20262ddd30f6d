// Armatures of free bodies and balls: inertia that turns with the joint.
//
//     free    1/2 a |x'|^2 + 1/2 a |w|^2    x: origin of the body, in the world: a point mass there and a tensor a 1, without weight
//     ball    1/2 a |w - w_a|^2             against what cannot turn: a tensor a 1
//
// A ball between two bodies that turn couples their angular velocities, as no tensors of theirs do.

#include "io/robot/build.h"
#include "io/robot/mesh.h"
#include "math/mat3.h"

static void add_to_body(robot_body *body, const robot_joint *j)
{
    body->inertia = ph_mat_add(body->inertia, ph_mat_scale(j->armature, ph_identity()));
    if (j->kind == JOINT_FREE) {
        const double sum = body->mass + j->armature, reduced = body->mass * j->armature / sum;
        body->inertia = inertia_about(body->inertia, reduced, body->com);
        body->com = ph_scale(body->mass / sum, body->com);
        body->mass = sum;
    }
}

void build_armatures(builder *b)
{
    robot *r = b->r;
    for (int i = 0; i < r->joints_count; i++) {
        const robot_joint *j = &r->joints[i];
        robot_body *body = &r->bodies[j->body];
        const bool held = r->bodies[body->parent].carrier == ROBOT_WORLD;
        if (j->armature == 0.0 || (j->kind != JOINT_BALL && j->kind != JOINT_FREE)) continue;
        if (held && body->joint_count == 1) {
            add_to_body(body, j);
            robot_note(r, j->node, "armatures of free bodies and balls are part of their inertias");
        } else {
            robot_leave_out(r, j->node, NULL, "the armature of a ball joint between bodies that turn");
        }
    }
}

void build_weightless(builder *b)
{
    robot *r = b->r;
    for (int i = 0; i < r->joints_count; i++) {
        const robot_joint *j = &r->joints[i];
        if (j->kind != JOINT_FREE || j->armature == 0.0 || r->bodies[j->body].index < 0) continue;
        ph_force_def def = ph_default_force();
        def.type = "wrench";
        def.body_b = r->bodies[j->body].index;
        def.force[0].number = -j->armature * r->gravity.x;
        def.force[1].number = -j->armature * r->gravity.y;
        def.force[2].number = -j->armature * r->gravity.z;
        r->out_of_memory |= ph_spec_add_force(b->spec, &def) < 0;
    }
}
