// Force elements: what a type offers, what a compiled element holds. Uniform gravity is part of the model (system.c).
#ifndef PH_FORCES_FORCE_H
#define PH_FORCES_FORCE_H

#include "forces/value.h"
#include "joints/joint.h"
#include "polhode/spec.h"

typedef struct force_type force_type;
typedef struct callback callback;

typedef struct force {
    const force_type *type;
    const char *name;
    int a, b;         // body indices; the world is index model->body_count
    ph_vec3 s_a, s_b; // points from the centres of mass, body axes
    ph_mat3 E_a, E_b; // bushing: axes in the bodies
    const joint *joint;
    double stiffness, damping;
    double rest; // free length of a spring, rest position along a joint coordinate
    double friction, friction_speed;
    ph_drive motor;
    double kp, kd;            // servo motor
    const ph_force_def *def;  // as given; strings belong to the model; NULL for what a joint drives by itself
    const value *values;      // wrench: force xyz, torque xyz; motor: its value
    const callback *callback; // forces/callback.h; NULL for all else
} force;

// What of its definition a type uses.
enum {
    FORCE_BODIES = 1 << 0, // body_a and body_b
    FORCE_BODY = 1 << 1,   // body_b
    FORCE_POINTS = 1 << 2,
    FORCE_JOINT = 1 << 3,
    FORCE_SPRING = 1 << 4, // stiffness, damping, length
    FORCE_BUSHING = 1 << 5,
    FORCE_WRENCH = 1 << 6,
};

struct force_type {
    const char *name, *title;
    uint32_t uses;
    // Fills what depends on the start. NULL on success, else what is wrong. NULL: nothing to fill.
    const char *(*make)(force *f, const motion *start);
    // Adds what acts on each body to Q: (torque about the centre of mass, body axes | force, world axes).
    void (*apply)(const force *f, const motion *at, ph_wrench *Q);
    // Adds the moments f (x) b of what acts on each body to W (model/moments.h). NULL: it acts at its points.
    void (*moments)(const force *f, const motion *at, ph_mat3 *W);
    double (*potential)(const force *f, const motion *at); // NULL: none
    double (*power)(const force *f, const motion *at);     // of the part without potential; NULL: none
    // Elements whose potential depends on nothing but the vector d from point a to point b: the force on b that follows
    // from it, and its derivative by d. NULL: other elements. Schemes may evaluate it between nodes; `apply_rest` is then
    // what acts beside it.
    ph_vec3 (*pull)(const force *f, ph_vec3 d, ph_mat3 *by_d);
    void (*apply_rest)(const force *f, const motion *at, ph_wrench *Q);
};

extern const force_type *const force_types[]; // registry.c, ends with NULL
extern const force_type force_joint_drive;    // what joints do by themselves: not a type of the model file

#endif
