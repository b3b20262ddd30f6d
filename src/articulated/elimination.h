// The equations of constrained trees of bodies by elimination in joint coordinates: the same system as dynamics/kkt.h,
//
//     [ A  w B^T ] [ dv     ]   [ r_v   ]
//     [ C   0    ] [ lambda ] = [ r_phi ],
//
// with B at one configuration ("here": test directions) and C at another ("there": trial directions), so unsymmetric in the
// stages of implicit schemes; both are the same where velocities or accelerations are asked for. In place of the rows of a
// joint it has what the joint leaves free: one pivot for a hinge, where rows have five.
//
// Unknowns of a body are (turn, world axes | move of the centre of mass), and its block is [A B; C M] by 3x3 parts. With
// the levers l of the joint's point P in the body and k in its parent, here l, k and there l+, k+, and the basis N, Y of
// the joint (basis.h):
//
//     to P        C' = C + M l+~,   A' = A + B l+~ - l~ C',   B' = B - l~ M,   r' = (tau - l x f | f)
//     motion      z = z_parent + N+ y + Y+ r_phi,        so r'' = r' - H' Y+ r_phi
//     freedoms    one after the other: D = n^T H' s + soft,  u = (n . r'')/D,  r'' -= H' s u,  H' -= (H' s)(n^T H')/D
//     to parent   A -> A - B k+~ + k~ (C - M k+~),  B -> B + k~ M,  C -> C - M k+~,  M;   r -> (tau + k x f | f)
//     outwards    y = u - (n^T H' z)/D, from the last freedom to the first
//     reactions   w lambda = Y^T (r' - H' z)
//
// A ball joint has all three turns free at once: D = A', and only M - C' A'^-1 B' goes on. `soft` is what holds a freedom
// beside inertia: damping in its coordinate. Featherstone, Rigid Body Dynamics Algorithms, 2008, chapter 7, with test and
// trial directions apart.
#ifndef PH_ARTICULATED_ELIMINATION_H
#define PH_ARTICULATED_ELIMINATION_H

#include "articulated/basis.h"
#include "articulated/forest.h"

typedef struct limb { // a branch of the forest
    int parent;       // limb; -1: none
    int moving, joint, rows;
    int first, count; // freedoms
    int kind;         // motion_kind
    int first_row;    // of its joint, among the duals
    double sign;      // 1: the joint's b is the child; -1: a is
    bool has_point;
    basis_needs needs;
    four_stored lever_here, lever_there, parent_here, parent_there; // l, l+, k, k+
    columns A, B, C, M; // own and of what hangs on it; after the factor at P
    columns D, E, F;    // ball: A'^-1, A'^-1 B', M - C' A'^-1 B'; free: inverses
    columns in;         // body axes here to world axes
    columns out;        // turn there, world axes, to the unknowns of the caller
    screw4 load;        // r', and of a ball joint what goes to the parent
    screw4 given;       // Y+ r_phi, of the child
    screw4 z;           // of the body
} limb;

typedef struct limb_freedom {
    screw4 test, trial; // n, s
    screw4 h, g;        // H' s, n^T H' / D
    double inverse;     // 1/D
    bool moves;         // else it only turns
    double soft;
    double u;
} limb_freedom;

typedef struct elimination {
    const ph_model *model;
    forest forest;
    int limb_count;
    limb *limbs;
    limb_freedom *freedoms;
    int *limb_of;                   // by moving body
    int *limb_of_joint;             // by joint of the model
    const int *body_x, *joint_x;    // where right-hand sides stand
    int row_count;                  // rows of all tree joints but those of ball joints
    screw4 *dual_here, *dual_there; // by these rows
    bool same;                      // here and there are one configuration: then dual_there is not set
    double weight;
} elimination;

// Can it be used: trees alone, all joints of known rows, no rotors?
bool elimination_fits(const ph_model *model);
// Right-hand side and solution of moving body k: six numbers from body_x[k] on; of joint j: its rows, from joint_x[j] on. Both
// arrays must stay. false: out of memory.
bool elimination_create(const ph_model *model, const int *body_x, const int *joint_x, arena *memory, elimination *e);

// Levers and bases. `weight`: w.
void elimination_place(elimination *e, const frame *here, const frame *there, double weight);
// The block of a moving body: (A, rows in body axes here, by the unknowns of the caller; mass). `T`: the turn there, body axes, for
// a change of these unknowns; NULL: the identity.
void elimination_put_body(elimination *e, int moving, const ph_mat3 *A, double mass, const ph_mat3 *T,
                          const frame *here, const frame *there);
// Adds to what holds coordinate k of a joint; a prescribed coordinate needs nothing. All are zero after elimination_place.
void elimination_soften(elimination *e, int joint, int coordinate, double soft);
bool elimination_factor(elimination *e);           // false: singular
void elimination_solve(elimination *e, double *x); // in place

#endif
