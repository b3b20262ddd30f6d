// Tendons: springs and dampers along a path over sites or along a sum of joint coordinates.
//
// A spring that acts outside of a range only is what the limits of the spec's tendons are. Without a given length it is at rest
// where all joints are where their own springs are.

#include "io/robot/build.h"
#include "io/robot/kinematics.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

static double length_of(const robot *r, const robot_tendon *t)
{
    double length = 0.0;
    for (int k = 0; k < t->term_count; k++) length += t->terms[k].factor * r->joints[t->terms[k].joint].q;
    for (int k = 0; k + 1 < t->point_count; k++) {
        const robot_point *a = &t->points[k], *b = &t->points[k + 1];
        length +=
            ph_norm(ph_sub(pose_apply(r->bodies[b->body].world, b->p), pose_apply(r->bodies[a->body].world, a->p)));
    }
    return length;
}

// Lengths at rest that are not given, with all joints at rest.
static void find_rests(robot *r)
{
    double *q = robot_alloc(r, (size_t)r->joints_count + 1, sizeof *q);
    ph_quat *turn = robot_alloc(r, (size_t)r->joints_count + 1, sizeof *turn);
    for (int i = 0; q && turn && i < r->joints_count; i++) {
        robot_joint *j = &r->joints[i];
        q[i] = j->q;
        turn[i] = j->turn;
        j->turn = (ph_quat){1.0, 0.0, 0.0, 0.0};
        j->q = j->kind == JOINT_HINGE || j->kind == JOINT_SLIDE ? j->rest : j->ref;
    }
    robot_place(r);
    for (int i = 0; i < r->tendons_count; i++) {
        robot_tendon *t = &r->tendons[i];
        if (!t->has_rest) t->rest_low = t->rest_high = length_of(r, t);
    }
    for (int i = 0; q && turn && i < r->joints_count; i++) r->joints[i].q = q[i], r->joints[i].turn = turn[i];
    robot_place(r);
}

static bool set_path(robot *r, const robot_tendon *t, ph_tendon_def *def)
{
    ph_tendon_point *path = robot_alloc(r, (size_t)t->point_count + 1, sizeof *path);
    for (int k = 0; path && k < t->point_count; k++) {
        const robot_point *p = &t->points[k];
        path[k].body = build_carrier(r, p->body);
        path[k].position = path[k].body == PH_WORLD ? pose_apply(r->bodies[p->body].world, p->p)
                                                    : pose_apply(build_in_carrier(r, p->body), p->p);
        if (path[k].body == PH_NONE) return false;
    }
    def->path = path;
    def->path_count = t->point_count;
    return path != NULL;
}

static bool set_joints(robot *r, const robot_tendon *t, ph_tendon_def *def)
{
    ph_tendon_joint *joints = robot_alloc(r, (size_t)t->term_count + 1, sizeof *joints);
    for (int k = 0; joints && k < t->term_count; k++) {
        const robot_joint *j = &r->joints[t->terms[k].joint];
        joints[k] = (ph_tendon_joint){j->index, t->terms[k].factor};
        if (j->index < 0 || !j->spec_name) return false;
    }
    def->joints = joints;
    def->joint_count = t->term_count;
    return joints != NULL;
}

static void set_spring(const robot *r, const robot_tendon *t, ph_tendon_def *def)
{
    if (r->options.no_passive) return;
    def->damping = t->damping;
    if (t->rest_low < t->rest_high) {
        def->has_limit_low = t->rest_low > 0.0 || t->term_count > 0;
        def->has_limit_high = true;
        def->limit_low = t->rest_low;
        def->limit_high = t->rest_high;
        def->limit_stiffness = t->stiffness;
    } else {
        def->stiffness = t->stiffness;
    }
    if (t->stiffness == 0.0) def->has_limit_low = def->has_limit_high = false;
    def->has_length = true;
    def->length = t->rest_low < t->rest_high ? 0.0 : t->rest_low;
}

// One that nothing can change the length of, or that is over what is not in the model, is none.
static bool moves(const robot *r, const robot_tendon *t)
{
    bool changes = t->term_count > 0;
    for (int k = 0; k + 1 < t->point_count; k++) {
        changes |= r->bodies[t->points[k].body].carrier != r->bodies[t->points[k + 1].body].carrier;
    }
    return changes;
}

int build_add_tendon(builder *b, const robot_tendon *t, const char *name, ph_tendon_def *def)
{
    robot *r = b->r;
    if (!set_path(r, t, def) || !set_joints(r, t, def)) return PH_NONE;
    def->name = build_name(b, &b->tendons, name, true, t->node);
    const int index = ph_spec_add_tendon(b->spec, def);
    r->out_of_memory |= index < 0;
    return index;
}

static void add_tendon(builder *b, robot_tendon *t)
{
    robot *r = b->r;
    ph_tendon_def def = ph_default_tendon();
    if (!moves(r, t)) return;
    set_spring(r, t, &def);
    t->index = build_add_tendon(b, t, t->name && *t->name ? t->name : "tendon", &def);
    if (t->index == PH_NONE) robot_leave_out(r, t->node, NULL, "a tendon over a joint that is not in the model");
}

void build_tendons(builder *b)
{
    robot *r = b->r;
    if (r->tendons_count == 0) return;
    find_rests(r);
    for (int i = 0; i < r->tendons_count; i++) {
        robot_tendon *t = &r->tendons[i];
        if (t->friction != 0.0 && !r->options.no_friction) robot_leave_out(r, t->node, NULL, "friction of a tendon");
        if ((t->has_low || t->has_high) && !r->options.no_limits)
            robot_leave_out(r, t->node, NULL, "limits of a tendon");
        add_tendon(b, t);
    }
}
