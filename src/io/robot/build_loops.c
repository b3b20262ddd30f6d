// What closes loops: joints between bodies that are in the tree already, and couplings of coordinates.

#include "io/robot/build.h"
#include "math/quat.h"

#include <math.h>

static const char *name_loop(builder *b, const robot_loop *loop)
{
    static const char *const words[] = {"connect", "weld", "coupling", "loop", "loop", "loop"};
    const char *name = loop->name && *loop->name ? loop->name : words[loop->kind];
    return build_name(b, &b->joints, name, true, loop->node);
}

// The frame in what carries the body, or in the world.
static pose frame_of(const robot *r, const robot_loop *loop, int k)
{
    const int body = loop->body[k];
    return r->bodies[body].carrier == ROBOT_WORLD ? pose_mul(r->bodies[body].world, loop->frame[k])
                                                  : pose_mul(build_in_carrier(r, body), loop->frame[k]);
}

static bool set_type(builder *b, const robot_loop *loop, ph_joint_def *def)
{
    static const char *const types[] = {[LOOP_CONNECT] = "ball",
                                        [LOOP_WELD] = "fixed",
                                        [LOOP_REVOLUTE] = "revolute",
                                        [LOOP_PRISMATIC] = "prismatic",
                                        [LOOP_UNIVERSAL] = "universal"};
    const robot *r = b->r;
    const pose a = frame_of(r, loop, 0), c = frame_of(r, loop, 1);
    def->type = types[loop->kind];
    def->has_anchor_a = def->has_anchor_b = true;
    def->anchor_a = a.p;
    def->anchor_b = c.p;
    if (loop->kind >= LOOP_REVOLUTE) {
        def->has_axis_a = def->has_axis_b = true;
        def->axis_a = ph_quat_rotate(a.q, loop->axis);
        def->axis_b = ph_quat_rotate(c.q, loop->axis);
    }
    return true;
}

// One end of the loop on a link without mass, which then is part of the other end: the joints that carry it close the loop.
static void add_massless(builder *b, const robot_loop *loop, int end)
{
    robot *r = b->r;
    const int link = r->bodies[loop->body[end]].carrier, other = r->bodies[loop->body[1 - end]].carrier;
    if (loop->kind != LOOP_WELD || other == ROBOT_WORLD || r->bodies[other].massless) {
        robot_fail(r, loop->node, NULL, "give the link a mass", "a loop at the link '%.60s', which has no mass",
                   r->bodies[link].name ? r->bodies[link].name : "");
        return;
    }
    const pose at = pose_mul(frame_of(r, loop, 1 - end), pose_inverse(frame_of(r, loop, end)));
    stacked_joint stack[PH_JOINT_COORDINATES + 1];
    const int count = build_gather(r, link, at, stack, PH_JOINT_COORDINATES + 1);
    ph_joint_def def = ph_default_joint();
    def.body_a = build_base(r, link);
    def.body_b = r->bodies[other].index;
    build_stack(b, link, stack, count, &def);
}

static void add_loop(builder *b, const robot_loop *loop)
{
    robot *r = b->r;
    ph_joint_def def = ph_default_joint();
    for (int end = 0; end < 2; end++) {
        if (r->bodies[r->bodies[loop->body[end]].carrier].massless) {
            add_massless(b, loop, end);
            return;
        }
    }
    def.body_a = build_carrier(r, loop->body[0]);
    def.body_b = build_carrier(r, loop->body[1]);
    if (def.body_a == def.body_b) {
        robot_note(r, loop->node, "an equality between bodies that do not move against each other");
        return;
    }
    if (def.body_a == PH_NONE || def.body_b == PH_NONE) {
        robot_leave_out(r, loop->node, NULL, "a loop through a body without mass");
        return;
    }
    def.name = name_loop(b, loop);
    if (set_type(b, loop, &def)) {
        build_add_joint(b, &def, loop->node);
    }
}

static bool is_driven(const robot *r, int joint)
{
    for (int i = 0; i < r->actuators_count && !r->options.no_actuators; i++) {
        if (r->actuators[i].joint == joint) return true;
    }
    return false;
}

static void hold(builder *b, const robot_joint *j, double at)
{
    ph_joint_def *def = &b->spec->joints[j->index];
    def->motor = PH_MOTOR_POSITION;
    def->motor_value.number = at;
}

// y - y0 = a0 + a1 (x - x0) + ...; a0 is in the start, which is on it.
static void add_coupling(builder *b, const robot_loop *loop)
{
    robot *r = b->r;
    const double *p = loop->polynomial;
    const robot_joint *y = &r->joints[loop->joint[0]], *x = loop->joint[1] >= 0 ? &r->joints[loop->joint[1]] : NULL;
    ph_joint_def def = ph_default_joint();
    const bool curved = p[2] != 0.0 || p[3] != 0.0 || p[4] != 0.0;
    if (y->index >= 0 && (!x || (p[1] == 0.0 && !curved)) && !is_driven(r, loop->joint[0])) {
        hold(b, y, y->ref + p[0]);
        return;
    }
    if (curved || !x || p[1] == 0.0) {
        robot_leave_out(r, loop->node, NULL, "a coupling of joints that is not a plain ratio");
        return;
    }
    if (y->index < 0 || x->index < 0) {
        robot_leave_out(r, loop->node, NULL, "a coupling of joints that are not in the model");
        return;
    }
    def.type = "gear";
    def.name = name_loop(b, loop);
    def.gear_joint[0] = x->index;
    def.gear_joint[1] = y->index;
    def.ratio = p[1];
    build_add_joint(b, &def, loop->node);
}

void build_loops(builder *b)
{
    robot *r = b->r;
    for (int i = 0; i < r->loops_count && !r->options.no_equality; i++) {
        if (r->loops[i].kind == LOOP_COUPLING) {
            add_coupling(b, &r->loops[i]);
        } else {
            add_loop(b, &r->loops[i]);
        }
    }
}
