// Force elements: what a type offers, what a compiled element holds. Uniform gravity is part of the model (system.c).
#ifndef PH_FORCES_FORCE_H
#define PH_FORCES_FORCE_H

#include "base/element_key.h"
#include "joints/joint.h"
#include "joints/value.h"
#include "polhode/spec.h"
#include "polhode/tendon.h"

typedef struct force_type force_type;
typedef struct callback callback;
typedef struct tendon tendon;         // forces/tendon.h
typedef struct derivative derivative; // forces/derivative.h
typedef struct force_ends force_ends; // forces/pull.h

typedef struct force {
    const force_type *type;
    const char *name;
    int a, b;              // bodies it acts on, by index; the world is index model->body_count
    double mass_a, mass_b; // of these bodies; 0 for what cannot move
    ph_vec3 s_a, s_b;      // points from the centres of mass, body axes
    ph_mat3 E_a, E_b;      // bushing: axes in the bodies
    const joint *joint;
    double stiffness, damping;
    double rest; // free length of a spring, rest position along a joint coordinate
    double friction, friction_speed;
    ph_drive motor;
    double kp, kd;            // servo motor
    double max;               // what a motor can give; 0: anything
    const ph_force_def *def;  // as given; strings belong to the model; NULL for what a joint drives by itself
    const value *values;      // wrench: force xyz, torque xyz; motor: its value
    int value_count;          // of `values`
    const callback *callback; // forces/callback.h; NULL for all else
    const tendon *tendon;     // that it is a part of; NULL for all else
    int part;                 // which
    // Bodies beside a and b that it depends on, through q. and qd. of joints elsewhere.
    const int *others;
    int other_count;
    bool needs_velocity; // depends on velocities
    bool does_work;      // has a part without potential
} force;

// What an element exerts on its bodies: (torque about the centre of mass, body axes | force, world axes). `work` is the part
// of it that has no potential.
typedef struct exertion {
    ph_wrench a, b;
    ph_wrench work_a, work_b;
} exertion;

// What happens to an element when everything is moved or turned together. Between bodies all but the first change nothing.
typedef enum force_symmetry {
    FORCE_FIXED_IN_SPACE, // it keeps its direction, or nothing is known of it
    FORCE_CENTRAL,        // along the line between its points: tied to the world, it allows turns about the point there
    FORCE_RELATIVE,       // by how its bodies stand to each other: tied to the world, it allows no turn
} force_symmetry;

// An element as springs and dampers along up to six coordinates s of its own, at one moment: what it does along them is
// pull - K ds - C s' to first order.
typedef struct force_lines {
    int count;
    ph_wrench a[6], b[6]; // derivative of each s by (rotation, body axes | translation, world axes) of each body
    double pull[6];       // what the potential gives along s
    double K[36], C[36];  // count x count
} force_lines;

struct force_type {
    const char *name, *title;
    const element_key *keys; // of the model file, beyond name and type; the last has no name. NULL: it is not in files
    force_symmetry symmetry;
    const char *mark; // how the page draws it between its points: "coil"; NULL: not at all
    // Fills what depends on the start. NULL on success, else what is wrong. NULL: nothing to fill.
    const char *(*make)(force *f, const motion *start);
    // Whether the element depends on velocities, and whether it does work; called after everything else is known.
    bool (*needs_velocity)(const force *f);                       // NULL: no
    bool (*does_work)(const force *f);                            // NULL: no
    bool linear_in_velocity;                                      // what it exerts is, where positions stand
    void (*act)(const force *f, const motion *at, exertion *out); // out: zero on entry
    // How what it exerts changes with the motion of bodies (forces/derivative.h), exactly.
    void (*derive)(const force *f, const motion *at, derivative *to);
    // Adds the gradients by the numbers that the element is made of (forces/pull.h). NULL: they are not known.
    void (*numbers)(const force *f, const motion *at, const force_ends *e);
    bool has_matrices; // among these numbers are a stiffness and a damping of 6 x 6
    bool by_mass;      // what it exerts grows with the mass of b, which `numbers` knows
    // Adds the moments f (x) b of what acts on each body to W (dynamics/moments.h). NULL: it acts at its points.
    void (*moments)(const force *f, const motion *at, ph_mat3 *W);
    double (*potential)(const force *f, const motion *at); // NULL: none
    // Elements whose potential depends on nothing but the vector d from point a to point b: the force on b that follows
    // from it, and its derivative by d. NULL: other elements. Schemes may evaluate it between nodes; `act_rest` is then
    // what acts beside it.
    ph_vec3 (*pull)(const force *f, ph_vec3 d, ph_mat3 *by_d);
    void (*act_rest)(const force *f, const motion *at, exertion *out);
    // For schemes that solve stiff elements together with the motion. NULL: it is no spring.
    void (*lines)(const force *f, const motion *at, force_lines *to);
};

extern const force_type *const force_types[]; // registry.c, ends with NULL

#define FORCE_KEY(member) KEY_AT(ph_force_def, member)

static inline bool force_takes(const force_type *type, key_kind kind)
{
    return key_of_kind(type->keys, kind);
}

// Whether `lines` may be solved together with the motion: stiffness and damping are symmetric.
bool force_may_be_rows(const force *f);

extern const force_type force_joint_drive; // what joints do by themselves: not a type of the model file

// Power of the part without potential.
static inline double exertion_power(const force *f, const exertion *e, const motion *at)
{
    const ph_twist *a = &at->twists[f->a], *b = &at->twists[f->b];
    return ph_dot(e->work_a.torque, a->omega) + ph_dot(e->work_a.force, a->v) + ph_dot(e->work_b.torque, b->omega) +
           ph_dot(e->work_b.force, b->v);
}

// w += scale * by
static inline void wrench_add(ph_wrench *w, double scale, const ph_wrench *by)
{
    *w = (ph_wrench){ph_madd(w->torque, scale, by->torque), ph_madd(w->force, scale, by->force)};
}

#endif
