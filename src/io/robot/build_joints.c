// Joints: what the joints of a body leave free is one joint of the spec between it and what carries its parent.

#include "io/robot/build.h"
#include "math/quat.h"

#include <stdio.h>

static const char *name_joint(builder *b, const robot_joint *j)
{
    const robot_body *body = &b->r->bodies[j->body];
    const char *owner = body->name && *body->name ? body->name : "body";
    return build_name(b, &b->joints, j->name && *j->name ? j->name : robot_printf(b->r, "%s_joint", owner), true,
                      j->node);
}

static void set_keys(const robot *r, const robot_joint *j, ph_joint_def *def)
{
    const bool limits = !r->options.no_limits;
    def->has_start = j->q != 0.0;
    def->start = j->q;
    def->has_limit_low = j->has_low && limits;
    def->has_limit_high = j->has_high && limits;
    def->limit_low = j->low;
    def->limit_high = j->high;
    def->armature = j->armature;
    if (!r->options.no_passive) {
        def->damping = j->damping;
        def->stiffness = j->stiffness;
        def->rest = j->stiffness != 0.0 ? j->rest : 0.0;
    }
    def->friction = r->options.no_friction ? 0.0 : j->friction;
}

static void add_ball(builder *b, robot_joint *j, ph_joint_def *def)
{
    robot *r = b->r;
    def->type = "ball";
    if (j->has_high || j->stiffness != 0.0 || j->damping != 0.0 || j->friction != 0.0) {
        robot_leave_out(r, j->node, NULL, "limit, spring, damper and friction of a ball joint");
    }
    if (j->armature != 0.0) {
        robot_fail(r, j->node, NULL, NULL, "the armature of a ball joint is not read");
    }
    j->index = build_add_joint(b, def, j->node);
}

static void add_single(builder *b, robot_joint *j, ph_joint_def *def)
{
    def->type = j->kind == JOINT_HINGE ? "revolute" : j->kind == JOINT_SLIDE ? "prismatic" : "screw";
    def->pitch = j->pitch;
    def->has_axis = true;
    def->axis = j->world_axis;
    set_keys(b->r, j, def);
    j->spec_name = def->name;
    j->index = build_add_joint(b, def, j->node);
    j->coordinate = 0;
}

static void add_free(robot *r, robot_joint *j)
{
    if (r->bodies[r->bodies[j->body].parent].carrier != ROBOT_WORLD) {
        robot_fail(r, j->node, NULL, NULL, "a free joint on a body that another one carries");
    }
    if (j->armature != 0.0) {
        robot_fail(r, j->node, NULL, "armature=\"0\"", "the armature of a free joint is not read");
    }
    if (j->damping != 0.0 || j->stiffness != 0.0 || j->friction != 0.0) {
        robot_leave_out(r, j->node, NULL, "spring, damper and friction of a free joint");
    }
}

// Coordinates of the chain are joints under the names of the file; what acts along them is theirs.
static void add_coordinate(builder *b, robot_joint *j, int chain, int index)
{
    ph_joint_def def = ph_default_joint();
    def.name = name_joint(b, j);
    def.type = "coordinate";
    def.of_joint = chain;
    def.of_coordinate = index;
    set_keys(b->r, j, &def);
    def.has_start = false;
    def.start = 0.0;
    j->spec_name = def.name;
    j->index = build_add_joint(b, &def, j->node);
    j->coordinate = 0;
}

static bool stack_fits(robot *r, const robot_body *body)
{
    const robot_joint *j = &r->joints[body->first_joint];
    if (body->joint_count > PH_JOINT_COORDINATES) {
        return robot_fail(r, j->node, NULL, NULL, "a body with %d joints is not read", body->joint_count);
    }
    for (int k = 0; k < body->joint_count; k++) {
        if (j[k].kind != JOINT_HINGE && j[k].kind != JOINT_SLIDE) {
            return robot_fail(r, j[k].node, NULL, NULL,
                              "of several joints on one body only hinges and slides are read, no %s",
                              j[k].kind == JOINT_BALL   ? "ball"
                              : j[k].kind == JOINT_FREE ? "free joint"
                                                        : "screw");
        }
    }
    return true;
}

// Several joints without bodies between them: one chain.
static void add_stack(builder *b, robot_body *body)
{
    robot *r = b->r;
    robot_joint *j = &r->joints[body->first_joint];
    if (!stack_fits(r, body)) return;
    ph_joint_def def = ph_default_joint();
    def.name = build_name(b, &b->joints, robot_printf(r, "%s_joints", body->name && *body->name ? body->name : "body"),
                          true, j->node);
    def.type = "chain";
    def.body_a = build_carrier(r, body->parent);
    def.body_b = body->index;
    def.motion_count = body->joint_count;
    for (int k = 0; k < body->joint_count; k++) {
        def.motions[k] = (ph_chain_motion){.slides = j[k].kind == JOINT_SLIDE,
                                           .axis = j[k].axis,
                                           .point = j[k].anchor,
                                           .start = j[k].q,
                                           .zero = j[k].ref};
        if (def.motions[k].slides) def.motions[k].point = (ph_vec3){0};
    }
    const int chain = build_add_joint(b, &def, j->node);
    robot_note(r, j->node, "several joints on one body are one chain");
    for (int k = 0; k < body->joint_count; k++) add_coordinate(b, &j[k], chain, k);
}

static void add_joints(builder *b, int i)
{
    robot *r = b->r;
    robot_body *body = &r->bodies[i];
    robot_joint *j = &r->joints[body->first_joint];
    if (body->joint_count == 1 && j->kind == JOINT_FREE) {
        add_free(r, j);
        return;
    }
    if (body->joint_count > 1) {
        add_stack(b, body);
        return;
    }
    ph_joint_def def = ph_default_joint();
    def.name = name_joint(b, j);
    def.body_a = build_carrier(r, body->parent);
    def.body_b = body->index;
    def.has_anchor = true;
    def.anchor = j->world_anchor;
    if (j->kind == JOINT_BALL) {
        add_ball(b, j, &def);
    } else {
        add_single(b, j, &def);
    }
}

void build_joints(builder *b)
{
    for (int i = 1; i < b->r->bodies_count; i++) {
        if (b->r->bodies[i].carrier == i) {
            add_joints(b, i);
        }
    }
}
