// Derivatives of the force elements by position and velocity, for the Jacobians of implicit schemes, for statics and modes.
#ifndef PH_DYNAMICS_LINEARISE_H
#define PH_DYNAMICS_LINEARISE_H

#include "model/model.h"

typedef enum linearise_what {
    LINEARISE_POSITION = 1 << 0,
    LINEARISE_VELOCITY = 1 << 1,
    LINEARISE_PRECISE = 1 << 2, // callbacks without derivative: differences from both sides
    LINEARISE_ROUGH = 1 << 3,   // without how lines of action turn (forces/derivative.h)
} linearise_what;

// Receives, for moving bodies (indices among the moving ones), dQ_row/dq_column and dQ_row/dv_column as 6x6 row-major
// blocks, q by (rotation in body axes | translation in world axes); NULL where it was not asked for. Blocks of one pair may
// come more than once: add them.
typedef void (*linearise_add)(void *user, int row, int column, const double *by_position, const double *by_velocity);

// Exact for all elements but callbacks that do not tell their derivative. `at` needs twists.
void linearise_forces(const ph_model *model, const motion *at, unsigned what, linearise_add add, void *user);
void linearise_force(const ph_model *model, const force *f, const motion *at, unsigned what, linearise_add add,
                     void *user);

#endif
