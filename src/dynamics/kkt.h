// The matrix of all constrained equations of the engine, for one model:
//
//     [ A   B^T ] [ dv     ]   [ r_v   ]
//     [ C   0   ] [ lambda ] = [ r_phi ]
//
// A has one 6x6 block for each moving body (and, on request, blocks between bodies that a force element couples), B^T
// and C one block for each joint and body it acts on. Pattern and order are fixed when it is made. Rows that depend on
// others (closed loops) are found by kkt_choose_rows and left out until it is called again.
//
// Trees of ordinary joints, and those with a few loops (closing.h), have a second way, elimination in joint coordinates (articulated/elimination.h): `tree`, filled
// in place of the blocks by whoever can, and factored by kkt_factor_tree. kkt_solve goes the way of the last factor. Trees without loops need
// their blocks where that way ends in a pivot of zero, which is to say hardly ever: who asks for them first may create without (kkt_create_spare).
#ifndef PH_DYNAMICS_KKT_H
#define PH_DYNAMICS_KKT_H

#include "articulated/elimination.h"
#include "dynamics/closing.h"
#include "dynamics/dependent.h"
#include "linalg/block_lu.h"
#include "model/model.h"

typedef struct kkt_joint {
    int x;                       // offset of its rows in the right-hand side
    int B;                       // offset of its Jacobian in an array of all Jacobians, kkt.B_count long
    int upper[JOINT_BODIES_MAX]; // offsets of the blocks of B^T: 6 x rows
    int lower[JOINT_BODIES_MAX]; // offsets of the blocks of C: rows x 6
} kkt_joint;

typedef enum kkt_kind {
    KKT_DECOUPLED, // body blocks are diag(3x3, m I)
    KKT_FULL,      // full 6x6 body blocks
    KKT_DAMPED,    // and blocks between bodies that share a force element which depends on velocities
    KKT_COUPLED,   // and between all that share a force element or a joint
} kkt_kind;

typedef struct kkt {
    const ph_model *model;
    arena *memory;
    kkt_kind kind;  // of the blocks
    bool has_rows;  // the blocks are there
    block_lu lu;    // without them nothing but x_count is set
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
    elimination *tree;       // NULL: the model has none that it can be used for
    closings *closing;       // joints that close loops in it; NULL: none
    bool barred;             // rows of the tree are left out: it cannot be used
    int *B_of;               // by joint: offset of its Jacobian
    int *joint_x;            // by joint: offset in the right-hand side
    bool by_tree;            // the last factor is that of `tree`
} kkt;

bool kkt_create(const ph_model *model, kkt_kind kind, arena *memory, kkt *kkt);
// The same; where a tree without loops can do without blocks they are not there until kkt_need_rows.
bool kkt_create_spare(const ph_model *model, kkt_kind kind, arena *memory, kkt *kkt);
bool kkt_need_rows(kkt *kkt);                          // false: out of memory
bool kkt_add_ties(kkt *kkt, int count, arena *memory); // to the tree (closing.h); false: too many, or out of memory

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

// Can the tree be used with the rows that are left out?
static inline bool kkt_goes_by_tree(const kkt *kkt)
{
    return kkt->tree && !kkt->barred;
}

// Joints that go by rows: those that close loops of a tree, or all.
static inline int kkt_row_joint_count(const kkt *kkt)
{
    return kkt->tree ? (kkt->closing ? kkt->closing->joint_count : 0) : kkt->model->joint_count;
}
static inline int kkt_row_joint(const kkt *kkt, int k)
{
    return kkt->tree ? kkt->closing->joints[k] : k;
}

bool kkt_factor_tree(kkt *kkt); // of `tree`, which must be there and filled (closing_put); false when singular
// The same for a symmetric matrix of which the rows that depend are not known: finds them. false: it is not clear which.
bool kkt_choose_tree(kkt *kkt);
bool kkt_factor(kkt *kkt); // without the rows left out; false when singular
// The same with -diag(damping), one for each row of the model, in place of 0.
bool kkt_factor_damped(kkt *kkt, const double *damping);
void kkt_solve(kkt *kkt); // in place in kkt->x
// The same by tree, with the forces of multipliers taken off first: elimination_solve.
void kkt_solve_under(kkt *kkt, const double *lambda);
// The first `count` of four right-hand sides, laid out as kkt->x; of the solutions the velocities alone. `room`: kkt_many_room quads.
size_t kkt_many_room(const kkt *kkt);
void kkt_solve_many(kkt *kkt, int count, quad *room, quad *x);

#endif
