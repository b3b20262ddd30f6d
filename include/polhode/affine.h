// Polhode: a body that deforms affinely (pseudo-rigid): x = a + F b, where R of a rigid body becomes F, any 3x3 matrix, and the
// multiplier of R^T R = I becomes a stress with a stiffness. See docs/affine.md.
#ifndef POLHODE_AFFINE_H
#define POLHODE_AFFINE_H

#include "polhode/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_affine {
    ph_mat3 K;          // int b (x) b dm, body axes, from the point A that is held, or from the centre of mass
    ph_vec3 moment;     // m c0, c0 from A to the centre of mass; zero for a free body
    ph_vec3 gravity;    // world
    double volume;      // m^3
    double lame, shear; // of S = lame tr(E) I + 2 shear E, E = (F^T F - I)/2; Pa
} ph_affine;

typedef struct ph_affine_state {
    double time;
    ph_mat3 F, F_rate; // body to world
    ph_mat3 stress;    // V S in body axes, J: mean of the last step; at a start that of the rigid body
} ph_affine_state;

// A body of a model: one that moves freely or hangs on one ball joint in the world, under gravity alone; others are refused by
// name. Young's modulus in Pa, and Poisson's ratio.
PH_API ph_status ph_affine_make(const ph_model *model, int body, double modulus, double poisson, ph_affine *affine,
                                ph_error *error);
// The integral of the stress of the rigid body in body axes, -Lambda.
PH_API ph_status ph_affine_rigid_stress(const ph_affine *affine, ph_quat orientation, ph_vec3 angular_velocity,
                                        ph_mat3 *stress);
// Starts as the rigid body would, stretched by its stress, so that it does not ring.
PH_API ph_status ph_affine_start(const ph_affine *affine, ph_quat orientation, ph_vec3 angular_velocity,
                                 ph_affine_state *state);
// A step that keeps energy and angular momentum to round-off whatever the stiffness. On failure the state stays as it was.
PH_API ph_status ph_affine_step(const ph_affine *affine, ph_affine_state *state, double h);
// Kinetic, elastic and of gravity; angular momentum about A, world axes.
PH_API double ph_affine_energy(const ph_affine *affine, const ph_affine_state *state);
PH_API ph_vec3 ph_affine_momentum(const ph_affine *affine, const ph_affine_state *state);

#ifdef __cplusplus
}
#endif
#endif
