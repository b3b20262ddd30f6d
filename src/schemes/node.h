// Everything a scheme needs at one configuration: frames, constraint Jacobians and forces.
#ifndef PH_SCHEMES_NODE_H
#define PH_SCHEMES_NODE_H

#include "linalg/kkt.h"
#include "model/state.h"

typedef struct node {
    frame *frames;    // body_count + 1
    ph_twist *twists; // body_count + 1
    double *B;        // all joints' Jacobians; joint j from kkt->joints[j].B on
    ph_wrench *Q;     // body_count + 1: (torque, body axes | force, world axes)
} node;

bool node_create(const ph_model *model, const kkt *kkt, arena *memory, node *node);

void node_set_frames(const ph_model *model, const ph_vec3 *position, const ph_quat *orientation, node *node);
void node_set_jacobian(const ph_model *model, const kkt *kkt, node *node);

// y += scale * B^T lambda, for the body of slot k of a joint: six entries.
static inline void node_add_transposed(const double *B, int rows, double scale, const double *lambda, double *y)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < 6; c++) y[c] += scale * B[6 * r + c] * lambda[r];
}

#endif
