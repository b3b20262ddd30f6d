// Polhode: forces that a program computes itself.
//
// A force on a body is given as two sums over its mass: with f the force on a part of the body and b the vector from the
// centre of mass to that part, both in world axes,
//
//     L = int f dv,      Q = int f (x) b dv        (Q[i][k] = int f_i b_k dv)
//
// L is the force; the torque about the centre of mass is the axial part of Q, int b x f dv. What a field does is thus
// given by its density alone:
//
//     static ph_vec3 gravity(ph_vec3 x, double t, void *user) { ... }             // force per mass at x
//     static void act(const ph_body_motion *bodies, double t, void *user, ph_load *loads)
//     {
//         ph_load_add_density(&loads[0], &bodies[0], gravity, t, user);
//     }
#ifndef POLHODE_CALLBACK_H
#define POLHODE_CALLBACK_H

#include "polhode/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_load {
    ph_vec3 L; // world axes
    ph_mat3 Q;
} ph_load;

typedef struct ph_body_motion {
    double mass;
    ph_mat3 inertia;          // about the centre of mass, body axes
    ph_mat3 spread;           // columns s_i: the points of ph_load_add_density lie at +-s_i, body axes
    ph_vec3 position;         // centre of mass, world
    ph_mat3 rotation;         // body -> world
    ph_vec3 velocity;         // of the centre of mass, world
    ph_vec3 angular_velocity; // body frame
} ph_body_motion;

// Adds to loads[0], which acts on `body`, and loads[1], which acts on `other`. Schemes call it at positions and velocities
// of their own choice, several times in a step: it must depend on its arguments alone. Simulations in several threads call
// it at the same time.
typedef void (*ph_force_function)(const ph_body_motion *bodies, double time, void *user, ph_load *loads);
// How these loads change with the motion: set the entries that are not zero. position[i][j] is for what acts on body i when
// body j moves, 0 for `body`, 1 for `other`; rows (torque about the centre of mass | force), world axes; columns (small
// rotation of the body, world axes | translation). velocity[i][j] likewise, with columns (angular velocity, body frame |
// velocity of the centre of mass).
typedef struct ph_load_derivative {
    double position[2][2][6][6], velocity[2][2][6][6];
} ph_load_derivative;
typedef void (*ph_load_derivative_function)(const ph_body_motion *bodies, double time, void *user,
                                            ph_load_derivative *derivative);
typedef double (*ph_potential_function)(const ph_body_motion *bodies, double time, void *user);

typedef struct ph_callback_def {
    uint32_t cookie;
    const char *name; // optional
    int body;         // index of ph_spec_add_body
    int other;        // another one; PH_NONE: none, and bodies[1] is the world
    ph_force_function force;
    // The force is minus the gradient of this, and depends on neither velocity nor time: its energy is potential energy.
    // NULL: it may depend on anything, and what it does is work done on the system.
    ph_potential_function potential;
    void *user; // must outlive the model
    // For implicit schemes, modes and statics. NULL: by differences, one more call of `force` for each direction of motion.
    ph_load_derivative_function derivative;
    uint64_t reserved[4]; // room for later versions
} ph_callback_def;

PH_API ph_callback_def ph_default_callback(void);
// Returns the index of the callback, or PH_NONE (out of memory, or a definition without its cookie).
PH_API int ph_spec_add_callback(ph_spec *spec, const ph_callback_def *def);

// ---- Parts of a load ------------------------------------------------------------------------------------------------

// A force at `arm` from the centre of mass; a torque. World axes.
PH_API void ph_load_add_force(ph_load *load, ph_vec3 force, ph_vec3 arm);
PH_API void ph_load_add_torque(ph_load *load, ph_vec3 torque);
PH_API ph_vec3 ph_load_torque(const ph_load *load); // int b x f dv

// A field given by its force per mass at world points, summed over six points of a sixth of the mass each: +-s_i from the
// centre of mass along the principal axes, |s_i|^2 = 3 K_i/m with K = 1/2 tr(J) 1 - J = int b b^T dm. They have the mass,
// centre of mass and inertia of the body, so that L is exact for fields of second degree in x and Q for those of first
// degree; one degree more where the third moments of the body vanish, as those of symmetric bodies do.
typedef ph_vec3 (*ph_density_function)(ph_vec3 x, double time, void *user);
PH_API void ph_load_add_density(ph_load *load, const ph_body_motion *body, ph_density_function density, double time,
                                void *user);
// The potential of the same sum, from the potential per mass: the force is exactly minus its gradient.
typedef double (*ph_density_potential_function)(ph_vec3 x, double time, void *user);
PH_API double ph_density_potential(const ph_body_motion *body, ph_density_potential_function potential, double time,
                                   void *user);

#ifdef __cplusplus
}
#endif
#endif
