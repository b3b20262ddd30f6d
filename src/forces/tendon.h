// Tendons: a length over points of bodies and coordinates of joints, and what acts along it.
//
//     L = sum |p_b - p_a| over the spans + sum c q over the joints + `fixed`
//     T = k (L - rest) + c L' + sum of values + limits;   a cable has T >= 0
//
// Each span and each joint is one element of the model's forces, which knows the whole: Q = -T grad L, part by part.
#ifndef PH_FORCES_TENDON_H
#define PH_FORCES_TENDON_H

#include "forces/force.h"

typedef struct tendon_part {
    int a, b;           // bodies
    ph_vec3 s_a, s_b;   // points from the centres of mass, body axes
    const joint *joint; // NULL: a span
    double coefficient; // of its coordinate
} tendon_part;

// Its numbers that gradients know: those of the whole stand with its first part (force_gradient.number, pull.h).
enum {
    TENDON_FIXED,
    TENDON_LIMIT_LOW,
    TENDON_LIMIT_HIGH,
    TENDON_LIMIT_STIFFNESS,
    TENDON_LIMIT_DAMPING,
    TENDON_COEFFICIENT, // of a part
};

struct tendon {
    const char *name;
    const ph_tendon_def *def;
    int part_count;
    const tendon_part *parts;
    double fixed; // length within bodies
    double rest;
    const value *values; // tensions: of the winch, then of actuators
    int value_count;
};

// Length, rate and tension; `stored` is the part of T that has a potential. by_length, by_rate: how T changes.
typedef struct tendon_look {
    double length, rate, tension, stored, by_length, by_rate;
    bool slack; // of a cable: nothing acts
} tendon_look;

double tendon_length(const tendon *t, const motion *at);
tendon_look tendon_at(const tendon *t, const motion *at);

extern const force_type force_tendon; // not a type of `forces:`

#endif
