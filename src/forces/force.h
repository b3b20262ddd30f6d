// Force elements: what a type offers, what a compiled element holds. Uniform gravity is part of the model (system.c).
#ifndef PH_FORCES_FORCE_H
#define PH_FORCES_FORCE_H

#include "joints/joint.h"
#include "model/expression.h"
#include "polhode/spec.h"

typedef struct force_type force_type;

typedef struct force {
    const force_type *type;
    const char *name;
    int a, b;                // body indices; the world is index model->body_count
    ph_vec3 s_a, s_b;        // points from the centres of mass, body axes
    ph_mat3 E_a, E_b;        // bushing: axes in the bodies
    const joint *joint;      // torsion
    const ph_force_def *def; // as given; strings belong to the model
    expression *values[6];   // wrench: force xyz, torque xyz; NULL: the number in def
} force;

struct force_type {
    const char *name, *title;
    // Adds what acts on each body to Q: (torque about the centre of mass, body axes | force, world axes).
    void (*apply)(const force *force, const motion *motion, ph_wrench *Q);
    double (*potential)(const force *force, const motion *motion); // NULL: none
    double (*power)(const force *force, const motion *motion);     // of the part without potential; NULL: none
};

extern const force_type *const force_types[]; // registry.c, ends with NULL

#endif
