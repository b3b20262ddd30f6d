// Actuators: each is an input of the model, and a motor of its joint or a force at its site.
//
//     f = clamp((g0 + g1 l + g2 l') u + b0 + b1 l + b2 l'),  l = gear q,  on the joint gear f
//
// One that holds a position, f = kp (u - l) - kv l', is a servo, which implicit schemes know; all others are expressions.

#include "io/robot/build.h"
#include "math/quat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { EXPRESSION_MAX = 900 };

static const char *clamp(robot *r, bool has, const char *text, double low, double high)
{
    return has ? robot_printf(r, "min(max(%s, %s), %s)", text, build_digits(low).text, build_digits(high).text) : text;
}

// How an expression says a coordinate or length, and its rate.
typedef struct length_words {
    const char *length, *rate;
} length_words;

static length_words words_of_joint(robot *r, const char *name)
{
    return (length_words){robot_printf(r, "q.%s", name), robot_printf(r, "qd.%s", name)};
}

// A sum of c0 + c1 l + c2 l' without the terms that are zero; NULL: all are.
static const char *affine(robot *r, const double c[3], double gear, length_words words)
{
    const char *sum = c[0] != 0.0 ? robot_printf(r, "%s", build_digits(c[0]).text) : NULL;
    for (int k = 1; k < 3; k++) {
        if (c[k] != 0.0) {
            const char *term =
                robot_printf(r, "%s*%s", build_digits(c[k] * gear).text, k == 1 ? words.length : words.rate);
            sum = sum ? robot_printf(r, "%s + %s", sum, term) : term;
        }
    }
    return sum;
}

// An activation is a sensor with a memory: a filter of the control, or its integral. What it read at the start of a step acts in it, as
// in MuJoCo.
static const char *activation_of(builder *b, const robot_actuator *a, const char *control)
{
    ph_sensor_def def = ph_default_sensor();
    def.name = build_name(b, &b->sensors, robot_printf(b->r, "%s_activation", a->input), true, a->node);
    def.type = a->activation == ACTIVATION_FILTER ? "filter" : "integral";
    def.expression = control;
    def.time = a->activation == ACTIVATION_FILTER ? a->tau : 0.0;
    if (a->has_act_range) def.limit_low = a->act_low, def.limit_high = a->act_high;
    b->r->out_of_memory |= ph_spec_add_sensor(b->spec, &def) < 0;
    return robot_printf(b->r, "sensor.%s", def.name);
}

static const char *input_of(builder *b, robot_actuator *a)
{
    const xml_node *n = a->node;
    const char *name = a->name && *a->name ? a->name : a->joint >= 0 ? b->r->joints[a->joint].spec_name : "actuator";
    a->input = build_name(b, &b->inputs, name, true, n);
    const double start = b->r->control ? b->r->control[a->control] : 0.0;
    a->input_index = ph_spec_add_input(b->spec, a->input, start);
    b->r->out_of_memory |= a->input_index < 0;
    const char *control = clamp(b->r, a->has_ctrl_range, a->input, a->ctrl_low, a->ctrl_high);
    return a->activation == ACTIVATION_NONE ? control : activation_of(b, a, control);
}

static const char *force_of(builder *b, robot_actuator *a, length_words words)
{
    robot *r = b->r;
    const char *u = input_of(b, a);
    const char *gain = affine(r, a->gain, a->gear[0], words), *bias = affine(r, a->bias, a->gear[0], words);
    const char *f = gain ? robot_printf(r, "(%s)*%s", gain, u) : "0";
    f = bias ? robot_printf(r, "%s + %s", f, bias) : f;
    return clamp(r, a->has_force_range, f, a->force_low, a->force_high);
}

// ---- Joints ---------------------------------------------------------------------------------------------------------------

static bool is_servo(const robot_actuator *a)
{
    const bool even = !a->has_force_range || a->force_low == -a->force_high;
    return a->gain[0] > 0.0 && a->gain[1] == 0.0 && a->gain[2] == 0.0 && a->bias[0] == 0.0 &&
           a->bias[1] == -a->gain[0] && a->bias[2] <= 0.0 && even && a->gear[0] != 0.0;
}

static void set_servo(builder *b, robot_actuator *a, ph_joint_def *j)
{
    const double gear = a->gear[0];
    const char *target = input_of(b, a);
    j->motor = PH_MOTOR_SERVO;
    j->motor_kp = a->gain[0] * gear * gear;
    j->motor_kd = -a->bias[2] * gear * gear;
    j->motor_max = a->has_force_range ? fabs(gear) * a->force_high : 0.0;
    j->motor_value.expression = gear == 1.0 ? target : robot_printf(b->r, "%s/%s", target, build_digits(gear).text);
}

static int count_of(const robot *r, int joint)
{
    int count = 0;
    for (int i = 0; i < r->actuators_count; i++) count += r->actuators[i].joint == joint;
    return count;
}

static void drive_joint(builder *b, int joint)
{
    robot *r = b->r;
    const robot_joint *j = &r->joints[joint];
    ph_joint_def *def = &b->spec->joints[j->index];
    const char *sum = NULL;
    const bool single = count_of(r, joint) == 1;
    for (int i = 0; i < r->actuators_count; i++) {
        robot_actuator *a = &r->actuators[i];
        if (a->joint != joint) {
            continue;
        }
        if (single && is_servo(a) && !j->has_force_range) {
            set_servo(b, a, def);
            def->motor_value.expression = arena_copy_string(b->spec->memory, def->motor_value.expression);
            return;
        }
        const char *f =
            robot_printf(r, "%s*(%s)", build_digits(a->gear[0]).text, force_of(b, a, words_of_joint(r, j->spec_name)));
        sum = sum ? robot_printf(r, "%s + %s", sum, f) : f;
    }
    if (sum && strlen(sum) < EXPRESSION_MAX) {
        def->motor = PH_MOTOR_TORQUE;
        def->motor_value.expression =
            arena_copy_string(b->spec->memory, clamp(r, j->has_force_range, sum, j->force_low, j->force_high));
        r->out_of_memory |= !def->motor_value.expression;
    } else if (sum) {
        robot_leave_out(r, j->node, NULL, "a joint with more actuators than an expression can hold");
    }
}

// ---- Sites ----------------------------------------------------------------------------------------------------------------

static void drive_site(builder *b, robot_actuator *a)
{
    robot *r = b->r;
    const robot_site *s = &r->sites[a->site];
    const int body = build_carrier(r, s->body);
    if (body < 0) {
        return;
    }
    const pose at = pose_mul(build_in_carrier(r, s->body), s->local);
    const char *f = force_of(b, a, (length_words){"0", "0"});
    const ph_vec3 push = ph_quat_rotate(at.q, (ph_vec3){a->gear[0], a->gear[1], a->gear[2]});
    const ph_vec3 turn = ph_quat_rotate(at.q, (ph_vec3){a->gear[3], a->gear[4], a->gear[5]});
    const double parts[6] = {push.x, push.y, push.z, turn.x, turn.y, turn.z};
    ph_force_def def = ph_default_force();
    def.type = "wrench";
    def.body_b = body;
    def.point_b = at.p;
    def.body_frame = true;
    for (int k = 0; k < 6; k++) {
        ph_value *to = k < 3 ? &def.force[k] : &def.torque[k - 3];
        if (parts[k] != 0.0) to->expression = robot_printf(r, "%s*(%s)", build_digits(parts[k]).text, f);
    }
    r->out_of_memory |= ph_spec_add_force(b->spec, &def) < 0;
}

// ---- Tendons --------------------------------------------------------------------------------------------------------------

// What pulls has tension -gear f.
static void add_winch(builder *b, const robot_actuator *a, int tendon, const char *f)
{
    ph_actuator_def def = ph_default_actuator();
    def.name = a->input;
    def.tendon = tendon;
    def.control.expression = robot_printf(b->r, "%s*(%s)", build_digits(-a->gear[0]).text, f);
    b->r->out_of_memory |= ph_spec_add_actuator(b->spec, &def) < 0;
}

static length_words words_of_sum(robot *r, const robot_tendon *t)
{
    length_words sum = {NULL, NULL};
    for (int k = 0; k < t->term_count; k++) {
        const length_words one = words_of_joint(r, r->joints[t->terms[k].joint].spec_name);
        const number_text c = build_digits(t->terms[k].factor);
        sum.length = robot_printf(r, "%s%s%s*%s", k ? sum.length : "(", k ? " + " : "", c.text, one.length);
        sum.rate = robot_printf(r, "%s%s%s*%s", k ? sum.rate : "(", k ? " + " : "", c.text, one.rate);
    }
    return (length_words){robot_printf(r, "%s)", sum.length), robot_printf(r, "%s)", sum.rate)};
}

// Length and rate of a path as a sensor reads them.
static length_words words_of_path(builder *b, const robot_actuator *a, const robot_tendon *t)
{
    robot *r = b->r;
    ph_sensor_def def = ph_default_sensor();
    def.type = "tendon";
    def.tendon = t->index;
    def.name = build_name(b, &b->sensors, robot_printf(r, "%s_path", a->name && *a->name ? a->name : "actuator"), true,
                          a->node);
    r->out_of_memory |= ph_spec_add_sensor(b->spec, &def) < 0;
    return (length_words){robot_printf(r, "sensor.%s.length", def.name), robot_printf(r, "sensor.%s.rate", def.name)};
}

// Along a path: what depends on its length is a spring and damper of a second tendon there, or is read once a step.
static void drive_path(builder *b, robot_actuator *a, const robot_tendon *t)
{
    robot *r = b->r;
    const double g2 = a->gear[0] * a->gear[0], k = -a->bias[1] * g2, c = -a->bias[2] * g2;
    const bool plain = a->gain[1] == 0.0 && a->gain[2] == 0.0 && (!a->has_force_range || (k == 0.0 && c == 0.0));
    if (!plain || k < 0.0 || c < 0.0) {
        robot_approximate(r, a->node, "tendon",
                          "an actuator that depends on the length of a path reads it at the start of each step");
        const char *f = force_of(b, a, words_of_path(b, a, t));
        add_winch(b, a, t->index, f);
        return;
    }
    robot_actuator rest = *a;
    rest.bias[1] = rest.bias[2] = 0.0;
    const char *f = force_of(b, &rest, (length_words){"0", "0"});
    ph_tendon_def def = ph_default_tendon();
    def.stiffness = k;
    def.damping = c;
    def.has_length = true;
    const int own = k == 0.0 && c == 0.0 ? t->index : build_add_tendon(b, t, rest.input, &def);
    add_winch(b, &rest, own, f);
}

static void drive_tendon(builder *b, robot_actuator *a)
{
    robot *r = b->r;
    const robot_tendon *t = &r->tendons[a->tendon];
    if (t->term_count == 0) {
        drive_path(b, a, t);
        return;
    }
    const char *f = force_of(b, a, words_of_sum(r, t));
    if (strlen(f) < EXPRESSION_MAX) {
        add_winch(b, a, t->index, f);
    } else {
        robot_leave_out(r, a->node, "tendon", "an actuator of a tendon over more joints than an expression can hold");
    }
}

// ---- Bounds ---------------------------------------------------------------------------------------------------------------

static bool is_bounded(const robot *r, int body)
{
    for (int i = body; i > 0; i = r->bodies[i].parent) {
        for (int k = 0; k < r->bodies[i].joint_count; k++) {
            if (r->joints[r->bodies[i].first_joint + k].has_force_range) return true;
        }
    }
    return false;
}

// Joints bound what actuators on them make in all; what comes by tendons and sites goes past these bounds.
static void say_what_is_not_bounded(robot *r, const robot_actuator *a)
{
    const robot_tendon *t = a->tendon >= 0 ? &r->tendons[a->tendon] : NULL;
    bool passes = a->site >= 0 && is_bounded(r, r->sites[a->site].body);
    for (int k = 0; t && k < t->term_count; k++) passes |= r->joints[t->terms[k].joint].has_force_range;
    for (int k = 0; t && k < t->point_count; k++) passes |= is_bounded(r, t->points[k].body);
    if (passes)
        robot_approximate(r, a->node, NULL,
                          "actuatorfrcrange of a joint does not hold for actuators of tendons and sites");
}

// ---- All ------------------------------------------------------------------------------------------------------------------

static bool leave_out(robot *r, robot_actuator *a)
{
    if (a->tendon >= 0 && r->tendons[a->tendon].index < 0) {
        robot_leave_out(r, a->node, "tendon", "an actuator of a tendon that is not in the model");
    } else if (a->joint >= 0 && r->joints[a->joint].index < 0) {
        robot_leave_out(r, a->node, "joint", "an actuator of a joint that is not in the model");
    } else if (a->site >= 0 && (a->gain[2] != 0.0 || a->bias[2] != 0.0)) { // its length is zero
        robot_leave_out(r, a->node, "site", "an actuator at a site that depends on its velocity");
    } else {
        return false;
    }
    a->joint = a->site = a->tendon = ROBOT_NONE;
    return true;
}

void build_drives(builder *b)
{
    robot *r = b->r;
    for (int i = 0; i < r->actuators_count; i++) {
        robot_actuator *a = &r->actuators[i];
        if (r->options.no_actuators || leave_out(r, a)) {
            a->joint = a->site = a->tendon = ROBOT_NONE;
        }
    }
    for (int i = 0; i < r->actuators_count; i++) {
        robot_actuator *a = &r->actuators[i];
        say_what_is_not_bounded(r, a);
        if (a->joint >= 0 && !a->input) {
            drive_joint(b, a->joint);
        } else if (a->tendon >= 0) {
            drive_tendon(b, a);
        } else if (a->site >= 0) {
            drive_site(b, a);
        }
    }
}
