// Forces along a joint coordinate, shared by the torsion spring and by what joints do by themselves (joint_drive.c).
#ifndef PH_FORCES_DRIVE_H
#define PH_FORCES_DRIVE_H

#include "forces/force.h"

// The law of a drive with its values as they are at one moment, for schemes that solve it together with the motion:
//
//     f = m - k (q - rest) - c q' - F tanh(q'/v),     m = feed + kp (target - q) - kd q', at most +-max
//
// A servo has kp, kd and target, a torque motor feed alone. Where the value of a motor is an expression of q. and qd. of
// joints, `feed` and `target` are what it gives at the motion it was asked for.
typedef struct drive_law {
    const joint *joint;
    int coordinate;                  // of the joint
    double stiffness, rest, damping; // k, rest, c
    double kp, kd, target;
    double feed;
    double max;                      // what the motor can give; INFINITY: anything
    double friction, friction_speed; // F, v; F is 0 where the scheme has dry friction as it is
} drive_law;

drive_law drive_law_at(const force *f, const motion *at);

// Is the element such a law, whose values do not depend on velocities?
bool drive_is_law(const force *f);
// Is f of a law a straight line in q'?
static inline bool drive_is_linear(const force *f)
{
    return f->friction == 0.0 && f->max == 0.0;
}

// f and its derivatives by q and q'.
typedef struct drive_force {
    double all, spring; // f, and its part that has a potential: -k (q - rest)
    double by_q, by_rate;
    bool cut; // at what the motor can give
} drive_force;

drive_force drive_force_of(const drive_law *law, double q, double rate);

// For force_type.
bool drive_needs_velocity(const force *f);
bool drive_does_work(const force *f);
void drive_act(const force *f, const motion *at, exertion *out);
void drive_derive(const force *f, const motion *at, derivative *to);
void drive_numbers(const force *f, const motion *at, const force_ends *e);
double drive_potential(const force *f, const motion *at);

#endif
