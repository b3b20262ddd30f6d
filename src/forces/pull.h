// Reverse derivatives of force elements: the gradient of w . Q, the power of what an element exerts along a velocity w of
// the bodies, by where the bodies are, how they move, inputs and the numbers that the element is made of.
#ifndef PH_FORCES_PULL_H
#define PH_FORCES_PULL_H

#include "forces/force.h"
#include "joints/pull.h"

enum { FORCE_NUMBERS = sizeof((ph_force_def *)0)->number / sizeof(double) };

// By the numbers of an element. All are doubles, so that many of them make one vector.
typedef struct force_gradient {
    ph_vec3 s_a, s_b; // its points
    ph_vec3 e_a, e_b; // small rotations of its axes, body axes
    double stiffness, damping, rest;
    double friction, friction_speed;
    double kp, kd, max;
    double number[FORCE_NUMBERS]; // of ph_force_def; of a tendon: tendon.h
} force_gradient;

typedef struct force_pull_to {
    ph_wrench *q, *v;    // by body: position and velocity; NULL: not wanted
    double *inputs;      // NULL: not wanted
    pull_to joints;      // its numbers; those of the joints that the element looks at
    force_gradient *own; // NULL: no numbers are wanted. Parts of a tendon follow each other
    double *mass_b;      // of body b; NULL: it cannot move, or is not wanted
    double *matrices;    // of a bushing: stiffness, then damping, 36 each
    double *values;      // numbers in the values of the element, one value after the other
} force_pull_to;

// An element while its gradients are found.
typedef struct force_ends {
    const ph_twist *w;
    const force *force;
    double scale;
    const force_pull_to *to;
    ph_wrench q[2], v[2]; // gradients by the motion of bodies a and b, which points and axes of the element need too
} force_ends;

// For the types' own `numbers`: the gradients by points and axes of the element, ...
void force_pull_frame_a(const force *f, const motion *at, const force_ends *e);
void force_pull_frame_b(const force *f, const motion *at, const force_ends *e);
// ... and `weight` times a value: by its numbers, and those of the joints whose coordinates it depends on.
void force_pull_value(const value *v, const motion *at, double weight, const force_ends *e, double *numbers);

static inline double wrench_power(const ph_wrench *Q, const ph_twist *w)
{
    return ph_dot(Q->torque, w->omega) + ph_dot(Q->force, w->v);
}

// Adds scale times the gradients. Exact but for callbacks that do not tell their derivative.
void force_pull(const force *f, const motion *at, const ph_twist *w, double scale, const force_pull_to *to);

// Are the derivatives by its numbers known?
bool force_numbers_known(const force *f);
// Has it a derivative, or is it found by differences?
bool force_derivative_exact(const force *f);
// A bushing: it has two matrices of numbers.
bool force_has_matrices(const force *f);

#endif
