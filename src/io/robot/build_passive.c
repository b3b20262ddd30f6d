// Springs and dampers that a joint of the spec does not have itself: of balls and free bodies, alike in all directions, and those
// of higher powers.
//
//     ball    torque -k r - c w       r: rotation vector from rest, w: angular velocity of b in a
//     free    the same against the world, and force -k (x - x0) - c x' at the origin of the body
//     others  -(b x^2 + c x^3) - (d |v| v + e v^3), x from rest, v = q'

#include "io/robot/build.h"

static void set_diagonal(double M[6][6], double value, int first)
{
    for (int i = first; i < first + 3; i++) M[i][i] = value;
}

static bool was_turned(ph_quat q)
{
    return q.x != 0.0 || q.y != 0.0 || q.z != 0.0;
}

static ph_force_def between(const builder *b, const robot_joint *j, const char *type, int a, ph_vec3 at)
{
    ph_force_def def = ph_default_force();
    def.type = type;
    def.body_a = a;
    def.body_b = b->r->bodies[j->body].index;
    def.anchor = at;
    def.orientation = (ph_quat){1.0, 0.0, 0.0, 0.0};
    return def;
}

static void add_force(builder *b, const ph_force_def *def)
{
    b->r->out_of_memory |= ph_spec_add_force(b->spec, def) < 0;
}

static void add_spring(builder *b, const robot_joint *j, int a, ph_vec3 at)
{
    ph_force_def turns = between(b, j, "bushing", a, at);
    set_diagonal(turns.stiffness6, j->stiffness, 0);
    add_force(b, &turns);
    if (j->kind == JOINT_BALL) return;
    ph_force_def pulls = between(b, j, "spring", a, at);
    pulls.point_a = at;
    pulls.stiffness = j->stiffness;
    pulls.has_length = true;
    add_force(b, &pulls);
}

static void add_passive(builder *b, const robot_joint *j)
{
    robot *r = b->r;
    const bool ball = j->kind == JOINT_BALL;
    const int a = ball ? build_base(r, j->body) : PH_WORLD;
    const ph_vec3 at = ball ? j->world_anchor : r->bodies[j->body].world.p;
    if (j->stiffness != 0.0 && ball && was_turned(j->turn)) {
        robot_leave_out(r, j->node, NULL, "the spring of a ball joint that closing a loop has turned");
    } else if (j->stiffness != 0.0) {
        add_spring(b, j, a, at);
    }
    if (j->damping != 0.0) {
        ph_force_def def = between(b, j, "drag", a, at);
        def.number[0] = ball ? 0.0 : j->damping;
        def.number[1] = j->damping;
        add_force(b, &def);
    }
}

// + a*first + b*second of what is not zero; NULL: both are.
static const char *sum_of(robot *r, const double factors[2], const char *first, const char *second)
{
    const char *words[2] = {first, second}, *sum = NULL;
    for (int k = 0; k < 2; k++) {
        if (factors[k] == 0.0) continue;
        const char *term = robot_printf(r, "%s*%s", build_digits(factors[k]).text, words[k]);
        sum = sum ? robot_printf(r, "%s + %s", sum, term) : term;
    }
    return sum;
}

static void add_powers(builder *b, const robot_joint *j)
{
    robot *r = b->r;
    const char *x = robot_printf(r, "(q.%s - %s)", j->spec_name, build_digits(j->rest).text);
    const char *v = robot_printf(r, "qd.%s", j->spec_name);
    const char *spring = sum_of(r, j->further_stiffness, robot_printf(r, "%s^2", x), robot_printf(r, "%s^3", x));
    const char *damper = sum_of(r, j->further_damping, robot_printf(r, "abs(%s)*%s", v, v), robot_printf(r, "%s^3", v));
    if (!spring && !damper) return;
    ph_actuator_def def = ph_default_actuator();
    def.name = robot_printf(r, "%s_spring", j->spec_name);
    def.joint = j->index;
    def.gear = -1.0;
    def.control.expression = spring && damper ? robot_printf(r, "%s + %s", spring, damper) : spring ? spring : damper;
    r->out_of_memory |= ph_spec_add_actuator(b->spec, &def) < 0;
}

void build_passive(builder *b)
{
    robot *r = b->r;
    for (int i = 0; i < r->joints_count && !r->options.no_passive; i++) {
        const robot_joint *j = &r->joints[i];
        if ((j->kind == JOINT_BALL || j->kind == JOINT_FREE) && r->bodies[j->body].index >= 0) {
            add_passive(b, j);
        } else if (j->index >= 0 && j->spec_name) {
            add_powers(b, j);
        }
    }
}
