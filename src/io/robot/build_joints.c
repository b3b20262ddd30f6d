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
    if ((j->has_high && !r->options.no_limits) || (j->friction != 0.0 && !r->options.no_friction)) {
        robot_leave_out(r, j->node, NULL, "limit and friction of a ball joint");
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
    if (j->friction != 0.0 && !r->options.no_friction) {
        robot_leave_out(r, j->node, NULL, "friction of a free joint");
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

static bool stack_fits(robot *r, const stacked_joint *stack, int count)
{
    const robot_joint *first = stack[0].joint;
    if (count > PH_JOINT_COORDINATES) {
        return robot_fail(r, first->node, NULL, NULL, "more than %d joints without mass between them are not read",
                          PH_JOINT_COORDINATES);
    }
    for (int k = 0; k < count; k++) {
        const robot_joint *j = stack[k].joint;
        if (j->kind != JOINT_HINGE && j->kind != JOINT_SLIDE) {
            return robot_fail(r, j->node, NULL, NULL,
                              "of several joints on one body only hinges and slides are read, no %s",
                              j->kind == JOINT_BALL   ? "ball"
                              : j->kind == JOINT_FREE ? "free joint"
                                                      : "screw");
        }
    }
    return true;
}

static bool is_curved(const robot_joint *j)
{
    return j->further_stiffness[0] != 0.0 || j->further_stiffness[1] != 0.0 || j->further_damping[0] != 0.0 ||
           j->further_damping[1] != 0.0;
}

// Is something said of its coordinate?
static bool has_say(const robot *r, const robot_joint *j)
{
    const int index = (int)(j - r->joints);
    for (int i = 0; i < r->loops_count; i++) {
        const robot_loop *loop = &r->loops[i];
        if (loop->kind == LOOP_COUPLING && (loop->joint[0] == index || loop->joint[1] == index)) return true;
    }
    return j->has_low || j->has_high || j->damping != 0.0 || j->stiffness != 0.0 || j->armature != 0.0 ||
           j->friction != 0.0 || is_curved(j);
}

// Three turns about one point between links without mass, and nothing said of their angles: all directions are alike.
static bool is_ball(const robot *r, const stacked_joint *stack, int count)
{
    for (int k = 0; k < count; k++) {
        const robot_joint *j = stack[k].joint;
        const double apart = ph_norm(ph_sub(j->world_anchor, stack[0].joint->world_anchor));
        if (j->kind != JOINT_HINGE || apart > 1e-12 || has_say(r, j)) return false;
    }
    return count == 3 && stack[0].joint->body != stack[2].joint->body;
}

void build_stack(builder *b, int body, const stacked_joint *stack, int count, ph_joint_def *def)
{
    robot *r = b->r;
    const char *name = r->bodies[body].name;
    if (!stack_fits(r, stack, count)) return;
    def->name = build_name(b, &b->joints, robot_printf(r, "%s_joints", name && *name ? name : "body"), true,
                           stack[0].joint->node);
    if (is_ball(r, stack, count)) {
        def->type = "ball";
        def->has_anchor = true;
        def->anchor = stack[0].joint->world_anchor;
        build_add_joint(b, def, stack[0].joint->node);
        robot_note(r, stack[0].joint->node, "three turns about one point are a ball joint");
        return;
    }
    def->type = "chain";
    def->motion_count = count;
    for (int k = 0; k < count; k++) {
        const robot_joint *j = stack[k].joint;
        const bool slides = j->kind == JOINT_SLIDE;
        def->motions[k] = (ph_chain_motion){.slides = slides,
                                            .axis = ph_quat_rotate(stack[k].at.q, j->axis),
                                            .point = slides ? ph_zero3() : pose_apply(stack[k].at, j->anchor),
                                            .start = j->q,
                                            .zero = j->ref};
    }
    const int chain = build_add_joint(b, def, stack[0].joint->node);
    robot_note(r, stack[0].joint->node, "several joints on one body are one chain");
    for (int k = 0; k < count; k++) add_coordinate(b, stack[k].joint, chain, k);
}

static void add_joints(builder *b, int i)
{
    robot *r = b->r;
    const robot_body *body = &r->bodies[i];
    robot_joint *j = &r->joints[body->first_joint];
    stacked_joint stack[PH_JOINT_COORDINATES + 1];
    if (body->joint_count == 1 && j->kind == JOINT_FREE) {
        add_free(r, j);
        return;
    }
    const int count = build_gather(r, i, pose_identity(), stack, PH_JOINT_COORDINATES + 1);
    ph_joint_def def = ph_default_joint();
    def.body_a = build_base(r, i);
    def.body_b = body->index;
    if (count > 1) {
        build_stack(b, i, stack, count, &def);
        return;
    }
    def.name = name_joint(b, j);
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
        if (b->r->bodies[i].carrier == i && !b->r->bodies[i].massless) {
            add_joints(b, i);
        }
    }
}
