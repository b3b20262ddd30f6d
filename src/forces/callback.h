// Forces that a program computes itself: not a type of the model file.
#ifndef PH_FORCES_CALLBACK_H
#define PH_FORCES_CALLBACK_H

#include "forces/force.h"
#include "polhode/callback.h"

struct callback {
    ph_callback_def def;
    ph_body_motion bodies[2]; // `body` and `other`; mass, inertia and spread are set
};

extern const force_type force_callback_potential, force_callback_work;

ph_mat3 callback_spread(double mass, ph_mat3 J);

#endif
