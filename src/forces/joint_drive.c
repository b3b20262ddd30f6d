// What acts along the coordinate q of a joint: spring, damper, friction and motor, as the joint's own keys say.
//
//     f = -k (q - rest) - c q' - F tanh(q'/v) + motor,     Q += f grad q
//
// Motors: `torque` gives its value; a servo (position with kp, kd) gives kp (value - q) - kd q'. The spring has the
// potential 1/2 k (q - rest)^2; all else is work done on the system.

#include "forces/drive.h"

#include "math/trig.h"

static double motor(const force *f, const motion *at, double q, double rate)
{
    switch (f->motor) {
    case PH_MOTOR_TORQUE:
        return value_at(f->values, at);
    case PH_MOTOR_SERVO:
        return f->kp * (value_at(f->values, at) - q) - f->kd * rate;
    case PH_MOTOR_NONE:
    case PH_MOTOR_SPEED:
    case PH_MOTOR_POSITION:
        break;
    }
    return 0.0;
}

// The part without potential.
static double work_force(const force *f, const motion *at, double q, double rate)
{
    double along = motor(f, at, q, rate) - f->damping * rate;
    if (f->friction != 0.0 && !at->exact_friction) {
        along -= f->friction * ph_tanh(rate / f->friction_speed);
    }
    return along;
}

void drive_apply(const force *f, const motion *at, ph_wrench *Q)
{
    const double q = joint_coordinate(f->joint, at, 0), rate = joint_rate(f->joint, at, 0);
    joint_push(f->joint, at->frames, 0, work_force(f, at, q, rate) - f->stiffness * (q - f->rest), Q);
}

double drive_potential(const force *f, const motion *at)
{
    const double away = f->stiffness != 0.0 ? joint_coordinate(f->joint, at, 0) - f->rest : 0.0;
    return 0.5 * f->stiffness * away * away;
}

double drive_power(const force *f, const motion *at)
{
    const double q = joint_coordinate(f->joint, at, 0), rate = joint_rate(f->joint, at, 0);
    return work_force(f, at, q, rate) * rate;
}

const force_type force_joint_drive = {
    .name = "joint drive",
    .title = "spring, damper, friction and motor of a joint",
    .apply = drive_apply,
    .potential = drive_potential,
    .power = drive_power,
};
