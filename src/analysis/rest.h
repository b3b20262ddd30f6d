// A model at rest: the accelerations and multipliers that its forces cause, and how they change with the position.
//
//     M a = Q - B^T lambda,   B a = 0,        K = -dQ/dq + d(B^T lambda)/dq,   C = -dQ/dv
//
// q by (rotation in body axes | translation in world axes), all at velocity zero.
#ifndef PH_ANALYSIS_REST_H
#define PH_ANALYSIS_REST_H

#include "dynamics/node.h"

typedef struct rest {
    const ph_model *model;
    kkt mass; // [M B^T; B 0]
    node at;
    double *a;      // velocity_count
    double *lambda; // row_count
} rest;

bool rest_create(const ph_model *model, arena *memory, rest *rest);

// Sets a and lambda where `at` stands; the mass matrix must have been factored there.
void rest_solve(rest *rest);
// Brings the positions of `state` onto the constraints, and `rest` there. false when that does not succeed.
bool rest_move(rest *rest, ph_state *state);

// Hands out all 6x6 blocks (row-major) of K and C, several for the same pair of bodies; C NULL: none.
typedef void (*rest_add)(void *user, int row, int column, const double *K, const double *C);
void rest_linearise(rest *rest, rest_add add, void *user);

#endif
