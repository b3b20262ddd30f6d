// Derivatives of the force elements by position and velocity, for the Jacobians of implicit schemes, for statics and modes.
#ifndef PH_MODEL_LINEARISE_H
#define PH_MODEL_LINEARISE_H

#include "model/model.h"

// Receives, for moving bodies (indices among the moving ones), dQ_row/dq_column and dQ_row/dv_column as 6x6 row-major
// blocks, q by (rotation in body axes | translation in world axes). Blocks of one pair may come more than once: add them.
typedef void (*linearise_add)(void *user, int row, int column, const double *by_position, const double *by_velocity);

// Central differences of each element over its bodies. `frames` and `twists` are perturbed and restored, and `at` must
// point to them; `scratch` has an entry for each body and the world. An element that depends on further bodies through
// q.<joint> is linearised in its own only.
void linearise_forces(const ph_model *model, const motion *at, frame *frames, ph_twist *twists, ph_wrench *scratch,
                      linearise_add add, void *user);

// Does any element depend on velocity? (Elements without potential may.)
bool forces_need_velocity(const ph_model *model);

#endif
