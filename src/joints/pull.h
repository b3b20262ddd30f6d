// Reverse derivatives of joints: the gradient of nu . Phi + lambda . B w, w a velocity of the bodies, by where the bodies
// are and by the numbers that the joint is made of. K(lambda)^T w and B^T nu are parts of it; no 6x6 block is formed.
#ifndef PH_JOINTS_PULL_H
#define PH_JOINTS_PULL_H

#include "joints/joint.h"

// By the numbers of a joint. All are doubles, so that many of them make one vector.
typedef struct joint_gradient {
    ph_vec3 s_a, s_b; // origins of its frames
    ph_vec3 e_a, e_b; // a small rotation of their axes, body axes
    double length, pitch, slide;
    double offset[JOINT_COORDINATES_MAX], root[JOINT_COORDINATES_MAX];
    double ratio, phase; // of a gear
    double start;        // of a motor by speed
    double limit_low, limit_high;
} joint_gradient;

// Where gradients are added; either may be NULL.
typedef struct pull_to {
    ph_wrench *bodies;       // by body: (rotation, body axes | translation, world axes)
    joint_gradient *numbers; // by joint ...
    const joint *joints;     // ... of this array
} pull_to;

// Rows of touching, slipping and given velocities have no such derivatives yet: no for joints that have them.
bool joint_can_pull(const joint *j);

// nu, lambda: one for each row, or NULL for zeros. Targets of motors are not among the numbers: motor rows give them -nu
// and, where their rate is part of B w, -lambda.
void joint_pull(const joint *j, const motion *at, const double *nu, const double *lambda, const ph_twist *w,
                const pull_to *to);

// The same of nu q + lambda q', q' the rate of coordinate k along w.
void joint_pull_coordinate(const joint *j, const frame *frames, const ph_twist *w, int k, double nu, double lambda,
                           const pull_to *to);

#endif
