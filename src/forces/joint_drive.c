// What acts along the coordinate q of a joint: spring, damper, friction and motor, as the joint's own keys say.
//
//     f = m - k (q - rest) - c q' - F tanh(q'/v),     Q += f grad q
//
// Motors: m is the value of `torque`, or kp (value - q) - kd q' of a servo, cut at +-max. The spring has the potential
// 1/2 k (q - rest)^2; all else is work done on the system.

#include "forces/drive.h"

#include "forces/derivative.h"
#include "forces/pull.h"
#include "math/trig.h"

drive_law drive_law_at(const force *f, const motion *at)
{
    drive_law law = {
        .joint = f->joint,
        .stiffness = f->stiffness,
        .rest = f->rest,
        .damping = f->damping,
        .max = f->max > 0.0 ? f->max : (double)INFINITY,
        .friction = at->exact_friction ? 0.0 : f->friction,
        .friction_speed = f->friction_speed,
    };
    if (f->motor == PH_MOTOR_TORQUE) {
        law.feed = value_at(f->values, at);
    } else if (f->motor == PH_MOTOR_SERVO) {
        law.kp = f->kp;
        law.kd = f->kd;
        law.target = value_at(f->values, at);
    }
    return law;
}

bool drive_is_law(const force *f)
{
    return f->type->act == drive_act && !values_need_rates(f->values, f->value_count);
}

static void add_motor(const drive_law *law, double q, double rate, drive_force *f)
{
    const double m = law->feed + law->kp * (law->target - q) - law->kd * rate;
    if (m > law->max || m < -law->max) {
        f->all += m > 0.0 ? law->max : -law->max;
        f->cut = true;
        return;
    }
    f->all += m;
    f->by_q -= law->kp;
    f->by_rate -= law->kd;
}

static void add_friction(const drive_law *law, double rate, drive_force *f)
{
    if (law->friction == 0.0) return;
    const double t = ph_tanh(rate / law->friction_speed);
    f->all -= law->friction * t;
    f->by_rate -= law->friction / law->friction_speed * (1.0 - t * t);
}

drive_force drive_force_of(const drive_law *law, double q, double rate)
{
    drive_force f = {.spring = -law->stiffness * (q - law->rest)};
    add_motor(law, q, rate, &f);
    f.all -= law->damping * rate;
    f.by_rate -= law->damping;
    add_friction(law, rate, &f);
    f.all += f.spring;
    f.by_q -= law->stiffness;
    return f;
}

static drive_force force_at(const force *f, const motion *at, joint_line *line)
{
    const drive_law law = drive_law_at(f, at);
    joint_line_at(f->joint, at, law.coordinate, line);
    return drive_force_of(&law, line->q, line->rate);
}

// A joint that is prescribed, and has nothing but its target here.
static bool is_idle(const force *f)
{
    const bool pushes = f->motor == PH_MOTOR_TORQUE || f->motor == PH_MOTOR_SERVO;
    return !pushes && f->stiffness == 0.0 && f->damping == 0.0 && f->friction == 0.0;
}

void drive_act(const force *f, const motion *at, exertion *out)
{
    joint_line line;
    if (is_idle(f)) return;
    const drive_force along = force_at(f, at, &line);
    wrench_add(&out->a, along.all, &line.a);
    wrench_add(&out->b, along.all, &line.b);
    if (f->does_work) {
        wrench_add(&out->work_a, along.all - along.spring, &line.a);
        wrench_add(&out->work_b, along.all - along.spring, &line.b);
    }
}

void drive_derive(const force *f, const motion *at, derivative *to)
{
    joint_line line;
    const drive_force along = force_at(f, at, &line);
    if (to->position || along.by_rate != 0.0)
        derive_along_joint(f->joint, at, 0, &line, along.all, along.by_q, along.by_rate, to);
    if (along.cut || f->value_count == 0 || !value_needs_joints(f->values)) return;
    const double by_value = f->motor == PH_MOTOR_SERVO ? f->kp : 1.0;
    ph_wrench a = {ph_zero3(), ph_zero3()}, b = a;
    wrench_add(&a, by_value, &line.a);
    wrench_add(&b, by_value, &line.b);
    derive_by_value(f->values, at, f->joint->a, &a, to);
    derive_by_value(f->values, at, f->joint->b, &b, to);
}

bool drive_needs_velocity(const force *f)
{
    return f->damping != 0.0 || f->friction != 0.0 || (f->motor == PH_MOTOR_SERVO && f->kd != 0.0) ||
           values_need_rates(f->values, f->value_count);
}

bool drive_does_work(const force *f)
{
    return drive_needs_velocity(f) || f->motor == PH_MOTOR_SERVO || f->motor == PH_MOTOR_TORQUE;
}

double drive_potential(const force *f, const motion *at)
{
    const double away = f->stiffness != 0.0 ? joint_coordinate(f->joint, at, 0) - f->rest : 0.0;
    return 0.5 * f->stiffness * away * away;
}

// f(q, q') along coordinate 0 of a joint; `along`: its rate along w
void drive_numbers(const force *f, const motion *at, const force_ends *e)
{
    const drive_law law = drive_law_at(f, at);
    const joint *j = f->joint;
    force_gradient *n = e->to->own;
    joint_line line;
    joint_line_at(j, at, law.coordinate, &line);
    const drive_force force = drive_force_of(&law, line.q, line.rate);
    const double along = e->scale * (wrench_power(&line.a, &e->w[j->a]) + wrench_power(&line.b, &e->w[j->b]));
    if (f->value_count > 0 && !force.cut)
        force_pull_value(f->values, at, along * (f->motor == PH_MOTOR_SERVO ? f->kp : 1.0), e, e->to->values);
    if (!n) return;
    const double t = law.friction != 0.0 ? ph_tanh(line.rate / law.friction_speed) : 0.0;
    n->stiffness -= along * (line.q - f->rest);
    n->rest += along * f->stiffness;
    n->damping -= along * line.rate;
    n->friction -= along * (f->friction != 0.0 ? t : 0.0);
    if (law.friction != 0.0)
        n->friction_speed +=
            along * law.friction * line.rate / (law.friction_speed * law.friction_speed) * (1.0 - t * t);
    if (force.cut)
        n->max += along * (law.feed + law.kp * (law.target - line.q) - law.kd * line.rate > 0.0 ? 1.0 : -1.0);
    else if (f->motor == PH_MOTOR_SERVO)
        n->kp += along * (law.target - line.q), n->kd -= along * line.rate;
    joint_pull_coordinate(j, at->frames, e->w, 0, force.by_q * along, e->scale * force.all, &e->to->joints);
    joint_pull_coordinate(j, at->frames, at->twists, 0, 0.0, force.by_rate * along, &e->to->joints);
}

const force_type force_joint_drive = {
    .name = "joint drive",
    .title = "spring, damper, friction and motor of a joint",
    .symmetry = FORCE_RELATIVE,
    .needs_velocity = drive_needs_velocity,
    .does_work = drive_does_work,
    .act = drive_act,
    .derive = drive_derive,
    .numbers = drive_numbers,
    .potential = drive_potential,
};
