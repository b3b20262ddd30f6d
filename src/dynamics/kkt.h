// The matrix of all constrained equations of the engine, for one model:
//
//     [ A   B^T ] [ dv     ]   [ r_v   ]
//     [ C   0   ] [ lambda ] = [ r_phi ]
//
// A has one 6x6 block for each moving body (and, on request, blocks between bodies that a force element couples), B^T
// and C one block for each joint and body it acts on. Pattern and order are fixed when it is made. Rows that depend on
// others (closed loops) are found by kkt_choose_rows and left out until it is called again.
//
// Trees of ordinary joints have a second way, elimination in joint coordinates (articulated/elimination.h): `tree`, filled
// in place of the blocks by whoever can, and factored by kkt_factor_tree. kkt_solve goes the way of the last factor.
#ifndef PH_DYNAMICS_KKT_H
#define PH_DYNAMICS_KKT_H

#include "articulated/elimination.h"
#include "dynamics/dependent.h"
#include "linalg/block_lu.h"
#include "model/model.h"

typedef struct kkt_joint {
    int x;                       // offset of its rows in the right-hand side
    int B;                       // offset of its Jacobian in an array of all Jacobians, kkt.B_count long
    int upper[JOINT_BODIES_MAX]; // offsets of the blocks of B^T: 6 x rows
    int lower[JOINT_BODIES_MAX]; // offsets of the blocks of C: rows x 6
} kkt_joint;

typedef struct kkt {
    const ph_model *model;
    block_lu lu;
    double unit;    // length of the model (model/scales.h): turns times it are moves
    bool has_loops; // some rows may depend on others
    dependent dependent;
    unsigned char *left_out; // by joint: bit r: row r is left out
    int *body_block;         // by moving body: offset of its diagonal block
    int *body_x;             // by moving body: offset in the right-hand side
    kkt_joint *joints;
    int B_count;
    int pair_count;
    int *pairs;              // offsets of the blocks between bodies
    double *x;               // right-hand side, then solution
    struct augmented *extra; // NULL where bodies are of ordinary proportions
    elimination *tree;       // NULL: the model is no tree that it can be used for
    int *joint_x;            // by joint: offset in the right-hand side
    bool by_tree;            // the last factor is that of `tree`
} kkt;

typedef enum kkt_kind {
    KKT_DECOUPLED, // body blocks are diag(3x3, m I)
    KKT_FULL,      // full 6x6 body blocks
    KKT_DAMPED,    // and blocks between bodies that share a force element which depends on velocities
    KKT_COUPLED,   // and between all that share a force element or a joint
} kkt_kind;

bool kkt_create(const ph_model *model, kkt_kind kind, arena *memory, kkt *kkt);

// Blocks to fill before factoring, column-major: a Jacobian of rows of six is a block of B^T as it stands.
static inline double *kkt_body(kkt *kkt, int moving)
{
    return kkt->lu.values + kkt->body_block[moving];
}
double *kkt_body_pair(kkt *kkt, int moving_row, int moving_column); // NULL when not in the pattern
void kkt_clear_pairs(kkt *kkt);                                     // zeroes all blocks between bodies
static inline double *kkt_upper(kkt *kkt, int joint, int slot)
{
    return kkt->lu.values + kkt->joints[joint].upper[slot];
}
static inline double *kkt_lower(kkt *kkt, int joint, int slot)
{
    return kkt->lu.values + kkt->joints[joint].lower[slot];
}

// Right-hand side and solution.
static inline double *kkt_body_x(kkt *kkt, int moving)
{
    return kkt->x + kkt->body_x[moving];
}
static inline double *kkt_joint_x(kkt *kkt, int joint)
{
    return kkt->x + kkt->joints[joint].x;
}

// Copies a joint's Jacobian (joint_jacobian) into C and scale * its transpose into B^T.
void kkt_set_joint(kkt *kkt, int joint, const double *B_upper, double scale, const double *B_lower);

// Rows of `joint` that are left out, as a bit mask.
static inline unsigned kkt_left_out(const kkt *kkt, int joint)
{
    return kkt->left_out[joint];
}

// Decides which rows depend on others where the bodies are at `frames` and the Jacobians of all joints are B. Returns how many.
int kkt_choose_rows(kkt *kkt, const frame *frames, const double *B);
void kkt_take_rows(kkt *kkt, const struct kkt *from); // of the same model: leaves out the same rows

bool kkt_factor_tree(kkt *kkt); // of `tree`, which must be there and filled; false when singular
bool kkt_factor(kkt *kkt);      // without the rows left out; false when singular
// The same with -diag(damping), one for each row of the model, in place of 0.
bool kkt_factor_damped(kkt *kkt, const double *damping);
void kkt_solve(kkt *kkt); // in place in kkt->x

#endif
