// Joints of MJCF.

#include "io/robot/mjcf.h"
#include "math/quat.h"

#include <string.h>

static bool kind_of(mjcf *m, const mjcf_element *e, joint_kind *to)
{
    static const struct {
        const char *word;
        joint_kind kind;
    } words[] = {{"hinge", JOINT_HINGE}, {"slide", JOINT_SLIDE}, {"ball", JOINT_BALL}, {"free", JOINT_FREE}};
    const char *type = xml_is(e->node, "freejoint") ? "free" : element_text(e, "type");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(type ? type : "hinge", words[i].word) == 0) {
            *to = words[i].kind;
            return true;
        }
    }
    return robot_fail(m->r, e->node, "type", "hinge, slide, ball or free", "there is no joint '%.40s'", type);
}

static void read_places(mjcf *m, const mjcf_element *e, mjcf_place at, robot_joint *j)
{
    ph_vec3 axis = {0, 0, 1}, anchor = {0};
    element_vector(e, "axis", &axis);
    element_vector(e, "pos", &anchor);
    if (!(ph_norm(axis) > 1e-300) && (j->kind == JOINT_HINGE || j->kind == JOINT_SLIDE)) {
        robot_fail(m->r, e->node, "axis", NULL, "the axis has no length");
        return;
    }
    j->axis = ph_quat_rotate(at.frame.q, ph_scale(1.0 / ph_norm(axis), axis));
    j->anchor = pose_apply(at.frame, anchor);
}

static void read_limits(mjcf *m, const mjcf_element *e, robot_joint *j)
{
    double low, high;
    if (element_range(e, "limited", "range", &low, &high) && !m->disabled_limit) {
        const bool turns = j->kind != JOINT_SLIDE;
        j->has_low = j->kind != JOINT_BALL;
        j->has_high = true;
        j->low = turns ? mjcf_angle(m, low) : low;
        j->high = turns ? mjcf_angle(m, high) : high;
        robot_approximate(m->r, e->node, NULL, "limits of joints are soft in MuJoCo, here they are stops");
    }
    if (element_range(e, "actuatorfrclimited", "actuatorfrcrange", &j->force_low, &j->force_high)) {
        j->has_force_range = true;
    }
    j->drives_weight = element_is(e, "actuatorgravcomp", "true");
}

// The first number; those of higher powers to `further`.
static double read_powers(mjcf *m, const mjcf_element *e, const char *attribute, joint_kind kind, double further[2])
{
    double v[3] = {0};
    element_numbers(e, attribute, v, 3);
    const bool plain = v[1] == 0.0 && v[2] == 0.0;
    if (!plain && (kind == JOINT_BALL || kind == JOINT_FREE)) {
        robot_leave_out(m->r, e->node, attribute, "higher powers in springs and dampers of balls and free joints");
    } else {
        memcpy(further, v + 1, 2 * sizeof *further);
    }
    return v[0];
}

static void read_passive(mjcf *m, const mjcf_element *e, robot_joint *j)
{
    const bool turns = j->kind != JOINT_SLIDE;
    const double ref = element_number(e, "ref", 0.0), rest = element_number(e, "springref", 0.0);
    double spring[2];
    j->ref = turns ? mjcf_angle(m, ref) : ref;
    j->rest = turns ? mjcf_angle(m, rest) : rest;
    if (!m->disabled_damper) j->damping = read_powers(m, e, "damping", j->kind, j->further_damping);
    if (!m->disabled_spring) j->stiffness = read_powers(m, e, "stiffness", j->kind, j->further_stiffness);
    j->armature = element_number(e, "armature", 0.0);
    j->friction = m->disabled_friction ? 0.0 : element_number(e, "frictionloss", 0.0);
    if (element_numbers(e, "springdamper", spring, 2) == 2 && spring[0] > 0.0 && spring[1] > 0.0) {
        if (j->kind == JOINT_BALL || j->kind == JOINT_FREE) {
            robot_fail(m->r, e->node, "springdamper", "give stiffness and damping",
                       "springdamper is read of hinges and slides only");
        }
        j->stiffness = j->damping = 0.0; // which it replaces
        j->spring_time = spring[0];
        j->spring_ratio = spring[1];
    }
}

void mjcf_read_joint(mjcf *m, const xml_node *node, mjcf_place at)
{
    const mjcf_element e = {m, node, mjcf_class_of(m, node, at.class), "joint"};
    robot *r = m->r;
    robot_joint j = {.name = mjcf_name(r, node, at.suffix), .node = node, .body = at.body, .index = PH_NONE};
    if (at.body == ROBOT_WORLD) {
        robot_fail(r, node, NULL, NULL, "the world has no joints");
        return;
    }
    if (!kind_of(m, &e, &j.kind)) {
        return;
    }
    if (j.kind == JOINT_FREE && robot_words_equal(r->options.base, "fixed")) {
        robot_note(r, node, "--base fixed holds a body that is free in the file");
        return;
    }
    if (!xml_is(node, "freejoint")) {
        read_places(m, &e, at, &j);
        read_passive(m, &e, &j);
        if (j.kind != JOINT_FREE) read_limits(m, &e, &j);
    }
    const int i = ROBOT_ADD(r, joints);
    if (i >= 0) {
        r->joints[i] = j;
    }
}
