// Joints of SDF: each is up to two hinges or slides, a ball, or a screw.

#include "io/robot/sdf.h"

#include "math/quat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double number_in(robot *r, const xml_node *node, const char *child, double otherwise)
{
    return node ? links_text_number(r, xml_child(node, child), otherwise) : otherwise;
}

// The second number of 1.x, of the file that it stands in: 1.10 comes after 1.9.
static int minor_version(const xml_node *n)
{
    while (n->parent && !xml_get(n, "version")) n = n->parent;
    const char *said = xml_get(n, "version"), *dot = said ? strchr(said, '.') : NULL;
    return dot ? (int)strtol(dot + 1, NULL, 10) : said ? 0 : 7;
}

// Axes are in the joint's frame, unless they say another.
static ph_vec3 direction_of(sdf *s, const xml_node *axis, int joint)
{
    const xml_node *n = xml_child(axis, "xyz");
    const sdf_entity *e = &s->entities[joint];
    const char *other = n ? xml_get(n, "expressed_in") : NULL;
    double v[3] = {0, 0, 1};
    int frame = other && *other ? sdf_find(s, e->scope, other) : joint;
    if (n && robot_numbers(s->r, n, NULL, n->text, v, 3) != 3) {
        robot_fail(s->r, n, NULL, NULL, "an axis needs three numbers");
    }
    const int minor = minor_version(axis);
    if (minor <= 6 &&
        (sdf_is_true(axis, "use_parent_model_frame") || (minor <= 4 && !xml_child(axis, "use_parent_model_frame")))) {
        frame = e->scope;
    }
    if (frame < 0 || !sdf_resolve(s, frame)) {
        if (frame < 0) robot_fail(s->r, n, "expressed_in", NULL, "there is no frame '%.60s'", other);
        return (ph_vec3){0, 0, 1};
    }
    const ph_vec3 d = ph_quat_rotate(s->entities[frame].world.q, (ph_vec3){v[0], v[1], v[2]});
    const double length = ph_norm(d);
    if (!(length > 0.0)) {
        robot_fail(s->r, n, NULL, NULL, "the axis has no length");
        return (ph_vec3){0, 0, 1};
    }
    return ph_scale(1.0 / length, d);
}

// The axis in the world for now; who adds the joint turns it into the child.
void sdf_read_axis(sdf *s, const xml_node *node, const char *which, int joint, robot_joint *to)
{
    const xml_node *axis = xml_child(node, which);
    to->world_axis = (ph_vec3){0, 0, 1};
    if (!axis) {
        to->world_axis = ph_quat_rotate(s->entities[joint].world.q, to->world_axis);
        return;
    }
    to->world_axis = direction_of(s, axis, joint);
    const xml_node *limit = xml_child(axis, "limit"), *dynamics = xml_child(axis, "dynamics");
    to->low = number_in(s->r, limit, "lower", -HUGE_VAL);
    to->high = number_in(s->r, limit, "upper", HUGE_VAL);
    to->has_low = to->low > -1e15;
    to->has_high = to->high < 1e15;
    if (to->has_low && to->has_high && to->low >= to->high) {
        to->has_low = to->has_high = false;
        robot_note(s->r, limit, "limits that leave no room are none");
    }
    to->damping = number_in(s->r, dynamics, "damping", 0.0);
    to->friction = number_in(s->r, dynamics, "friction", 0.0);
    to->stiffness = number_in(s->r, dynamics, "spring_stiffness", 0.0);
    to->rest = number_in(s->r, dynamics, "spring_reference", 0.0);
}

static void read_pitch(sdf *s, const xml_node *node, robot_joint *to)
{
    const double turns = number_in(s->r, node, "screw_thread_pitch", 0.0),
                 old = number_in(s->r, node, "thread_pitch", 1.0);
    to->kind = JOINT_SCREW;
    to->pitch = turns != 0.0 ? turns / (2.0 * 3.14159265358979323846) : -1.0 / old;
}

int sdf_joint_kinds(sdf *s, int joint, robot_joint to[2])
{
    const sdf_entity *e = &s->entities[joint];
    const char *type = xml_get(e->node, "type");
    to[0] = (robot_joint){.name = e->name, .node = e->node, .index = PH_NONE};
    if (!type) {
        robot_fail(s->r, e->node, NULL, NULL, "a joint needs a type");
        return -1;
    }
    if (strcmp(type, "fixed") == 0) {
        return 0;
    }
    sdf_read_axis(s, e->node, "axis", joint, &to[0]);
    to[1] = to[0];
    if (strcmp(type, "revolute") == 0 || strcmp(type, "continuous") == 0 || strcmp(type, "prismatic") == 0) {
        to[0].kind = strcmp(type, "prismatic") == 0 ? JOINT_SLIDE : JOINT_HINGE;
        if (strcmp(type, "continuous") == 0) to[0].has_low = to[0].has_high = false;
        return 1;
    }
    if (strcmp(type, "ball") == 0) {
        to[0] = (robot_joint){.name = e->name, .node = e->node, .kind = JOINT_BALL, .index = PH_NONE};
        return 1;
    }
    if (strcmp(type, "screw") == 0) {
        read_pitch(s, e->node, &to[0]);
        return 1;
    }
    if (strcmp(type, "universal") == 0 || strcmp(type, "revolute2") == 0) {
        sdf_read_axis(s, e->node, "axis2", joint, &to[1]);
        to[0].kind = to[1].kind = JOINT_HINGE;
        to[1].name = robot_printf(s->r, "%s_2", e->name);
        return 2;
    }
    robot_leave_out(s->r, e->node, "type", robot_printf(s->r, "a joint of the type %.40s", type));
    return -1;
}
