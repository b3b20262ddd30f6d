// Moments of loads, sum f (x) b: what the mean stress of a body is made of besides its inertia.
//
// b leads from the centre of mass of the body to the point where the force f acts; world axes. Their skew parts are the
// torques about the centre of mass, as far as forces make them; only the symmetric parts concern stress. Couples have no
// symmetric part: a torque says nothing of the forces it consists of. Uniform gravity has no moment about the centre of
// mass.
//
// Where a force acts:
//
//     springs, distance joints     at the point of each body
//     wrenches                     at their point
//     all other joints, drives     on both bodies at the joint's origin in b, where the bodies meet
//     surfaces that touch          where they do
//     bushings                     on both bodies at the origin of frame b
//     callbacks                    where they say: their Q is the moment
#ifndef PH_DYNAMICS_MOMENTS_H
#define PH_DYNAMICS_MOMENTS_H

#include "model/model.h"

// W[model_places] += the moments of all force elements, less what `without` (system.h) leaves out.
void moments_add_forces(const ph_model *model, const motion *at, unsigned without, ph_mat3 *W);

// W += the moments of the reactions -scale * B^T lambda of a joint.
void moments_add_reactions(const ph_model *model, const motion *at, int index, const double *lambda, double scale,
                           ph_mat3 *W);

#endif
