// Motors that prescribe a joint coordinate: q = target(t).
//
// By position the target is the value of the motor. By speed it is the integral of the value: the state holds how far it
// has come at the last step, and from there Gauss quadrature of five points goes on, exact to h^10 for smooth speeds.

#include "joints/joint.h"
#include "joints/value.h"

static const double x[5] = {-0.9061798459386640, -0.5384693101056831, 0.0, 0.5384693101056831, 0.9061798459386640};
static const double w[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665,
                            0.2369268850561891};

static double speed_integral(const joint *j, const motion *at, double from, double to)
{
    const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
    double sum = 0.0;
    for (int k = 0; k < 5; k++) {
        sum += w[k] * value_derivatives(j->motor->value, at, middle + half * x[k]).value;
    }
    return half * sum;
}

motor_target joint_motor_target(const joint *j, const motion *at)
{
    if (at->motors && at->motors_time == at->time) return at->motors[j->motor->index];
    const expression_jet now = value_derivatives(j->motor->value, at, at->time);
    if (!j->motor->by_speed) {
        return (motor_target){now.value, now.rate, now.second};
    }
    const double so_far = at->targets ? at->targets[j->motor->target] : j->motor->start;
    return (motor_target){so_far + speed_integral(j, at, at->target_time, at->time), now.value, now.rate};
}

void joint_motor_pull(const joint *j, const motion *at, double by_value, double by_rate, double *inputs,
                      double *numbers)
{
    const value *v = j->motor->value;
    if (!j->motor->by_speed) {
        value_pull(v, at, at->time, by_value, by_rate, inputs, numbers);
        return;
    }
    const double middle = 0.5 * (at->target_time + at->time), half = 0.5 * (at->time - at->target_time);
    value_pull(v, at, at->time, by_rate, 0.0, inputs, numbers);
    for (int k = 0; k < 5; k++) value_pull(v, at, middle + half * x[k], by_value * half * w[k], 0.0, inputs, numbers);
}
