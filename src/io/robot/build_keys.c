// Keyframes: coordinates of joints, places of free bodies.

#include "io/robot/build.h"
#include "math/quat.h"

static bool has_ball(const robot *r)
{
    for (int i = 0; i < r->joints_count; i++) {
        if (r->joints[i].kind == JOINT_BALL) {
            return true;
        }
    }
    return false;
}

static void set_free(const robot *r, const robot_joint *j, const double *q, const double *v, ph_keyframe_body *to)
{
    const robot_body *body = &r->bodies[j->body];
    *to = (ph_keyframe_body){.body = body->index};
    if (q) {
        to->has_position = to->has_orientation = true;
        to->position = (ph_vec3){q[0], q[1], q[2]};
        to->orientation = ph_quat_unit((ph_quat){q[3], q[4], q[5], q[6]});
    }
    if (v) { // of the origin in the world, turning in the body; wanted is that of the centre of mass
        const ph_quat at = q ? to->orientation : body->world.q;
        const ph_vec3 omega = {v[3], v[4], v[5]};
        to->has_velocity = to->has_angular_velocity = true;
        to->angular_velocity = omega;
        to->velocity = ph_add((ph_vec3){v[0], v[1], v[2]}, ph_quat_rotate(at, ph_cross(omega, body->com)));
    }
}

static void add_controls(robot *r, const robot_key *key, ph_keyframe_def *def)
{
    ph_keyframe_input *inputs = robot_alloc(r, (size_t)r->actuators_count + 1, sizeof *inputs);
    for (int i = 0; inputs && key->ctrl && i < r->actuators_count; i++) {
        const robot_actuator *a = &r->actuators[i];
        if (a->input) inputs[def->input_count++] = (ph_keyframe_input){a->input_index, key->ctrl[a->control]};
    }
    def->inputs = inputs;
}

static void add_key(builder *b, const robot_key *key, int number)
{
    robot *r = b->r;
    ph_keyframe_joint *joints = robot_alloc(r, (size_t)r->joints_count + 1, sizeof *joints);
    ph_keyframe_body *bodies = robot_alloc(r, (size_t)r->joints_count + 1, sizeof *bodies);
    ph_keyframe_def def = ph_default_keyframe();
    const double *q = key->qpos, *v = key->qvel;
    if (!joints || !bodies) {
        return;
    }
    for (int i = 0; i < r->joints_count; i++) {
        const robot_joint *j = &r->joints[i];
        const bool free_body = j->kind == JOINT_FREE;
        if (free_body) {
            set_free(r, j, q, v, &bodies[def.body_count++]);
        } else if (j->index >= 0) {
            joints[def.joint_count++] =
                (ph_keyframe_joint){j->index, j->coordinate, q != NULL, v != NULL, q ? *q : 0.0, v ? *v : 0.0};
        }
        q = q ? q + (free_body ? 7 : 1) : NULL;
        v = v ? v + (free_body ? 6 : 1) : NULL;
    }
    def.name = build_name(b, &b->keys, key->name && *key->name ? key->name : robot_printf(r, "key%d", number), false,
                          key->node);
    add_controls(r, key, &def);
    def.time = 0.0;
    def.joints = joints;
    def.bodies = bodies;
    r->out_of_memory |= ph_spec_add_keyframe(b->spec, &def) < 0;
}

// ---- The one that it starts in ----------------------------------------------------------------------------------------------

static const double *take_joint(robot *r, robot_joint *j, const double *q)
{
    j->has_home = true;
    j->home_turn = ph_quat_identity();
    if (j->kind == JOINT_FREE) {
        r->bodies[j->body].local = (pose){{q[0], q[1], q[2]}, ph_quat_unit((ph_quat){q[3], q[4], q[5], q[6]})};
        return q + 7;
    }
    if (j->kind == JOINT_BALL) {
        j->home_turn = ph_quat_unit((ph_quat){q[0], q[1], q[2], q[3]});
        return q + 4;
    }
    j->home = *q;
    return q + 1;
}

// Robots with balls or loops start there by their joints; loops are then closed from there. Others have it as a keyframe.
void build_start(builder *b)
{
    robot *r = b->r;
    for (int i = 0; r->options.start && i < r->keys_count; i++) {
        const robot_key *key = &r->keys[i];
        if (!robot_words_equal(key->name, r->options.start) || !key->qpos || r->aligned) continue;
        if (!has_ball(r) && r->loops_count == 0) return;
        const double *q = key->qpos;
        for (int k = 0; k < r->joints_count; k++) q = take_joint(r, &r->joints[k], q);
        if (key->qvel) robot_note(r, key->node, "velocities of keyframes are not read of robots with balls or loops");
        r->at_key = true;
        r->control = key->ctrl;
    }
}

void build_keys(builder *b)
{
    robot *r = b->r;
    if (r->at_key) return;
    for (int i = 0; i < r->keys_count; i++) {
        if (r->aligned) {
            robot_note(r, r->keys[i].node, "keyframes of bodies whose frames are aligned are not read");
        } else if (has_ball(r)) {
            robot_note(r, r->keys[i].node, "keyframes of robots with ball joints are not read");
        } else if (b->r->loops_count > 0 && !r->options.start) {
            robot_note(r, r->keys[i].node, "keyframes of robots with loops are read when asked for (--keyframe)");
        } else {
            add_key(b, &r->keys[i], i);
        }
    }
}
