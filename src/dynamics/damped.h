// The velocity at the end of a step when forces depend on it: v and mu solve
//
//     M v + B^T mu = p + h/2 Q(q, v),     B v = -dPhi/dt
//
// by Newton's method with A = M - h/2 dQ/dv. The first half of the step takes Q(q_n, v_n), so both halves together are the
// trapezium rule: symmetric, of order 2, and stable for any damping.
//
// Drives of joints are laws f(q') along one direction g each (forces/drive.h): what they are at q is found once, a new v
// costs g.v and f alone, and their part of A is a product g g^T. So it is with springs and bushings, and where they act between
// bodies that a tree has together, or on one alone, its elimination has room for them (articulated/several.c). Where all that depends on v is linear one iteration is all.
#ifndef PH_DYNAMICS_DAMPED_H
#define PH_DYNAMICS_DAMPED_H

#include "dynamics/node.h"
#include "forces/drive.h"

typedef struct damper_seat { // where the elimination of a tree has room for what damps two bodies
    int limb;                // that it acts on; -1: there is none
    int tie;                 // then it is a tie of kkt.closing, which one
    bool joint;              // and on the parent of it; else the other end is the world
    bool is_b;               // the limb is the b of the element
} damper_seat;

typedef struct damped_drive { // at the node of the step at hand
    const force *force;
    int blocks[2][2];      // offsets in the matrix of what body x gets from body y; -1: it cannot move
    int joint, coordinate; // of a tree, which leaves it free; -1: none
    damper_seat seat;      // of the others
    drive_law law;
    joint_line line;
    bool line_stays;    // wherever the bodies are; the line stands
    bool linear, turns; // a straight line in the rate; a torque without a force
    drive_force still;  // at rate 0
} damped_drive;

typedef struct damped_strut { // an element along lines of its own, linear in their rates
    const force *force;
    int blocks[2][2]; // as of drives
    damper_seat seat;
    force_lines lines;
} damped_strut;

typedef struct damped {
    kkt kkt;
    double *mu;                    // of the solution
    ph_wrench *still, *still_work; // Q of elements that do not depend on velocities
    damped_drive *drives;
    int drive_count;
    damped_strut *struts;
    int strut_count;
    const force **others; // that depend on velocities in other ways
    int other_count;
    bool by_rows; // some of all that is in none of the places that trees have for it
    bool linear;
    double *start, *update; // of v, six for each moving body
} damped;

bool damped_create(const ph_model *model, arena *memory, damped *damped);

// What drive k adds to A along its coordinate, -h/2 dQ/dq', at the twists of the node of the last solve.
double damped_soft(const damped *damped, int k, double h, const node *there);

// `p`: six for each moving body (angular, body axes | linear). On entry the twists of `there` are a first guess; on return
// they are v, and Q and W are evaluated there. Needs frames and Jacobian. false when it does not converge.
// Q and W of a node at its twists. `looked`: what does not depend on velocities is known from the last call for this node.
void damped_forces(const ph_model *model, damped *damped, node *at, bool looked);

bool damped_solve(const ph_model *model, damped *damped, const double *p, double h, node *there);
// The same with another p, where nothing else has changed since.
bool damped_solve_again(const ph_model *model, damped *damped, const double *p, double h, node *there);

// The factor of A and its rows at the twists of `there` by joint coordinates, left in `kkt`. A is symmetric then. false: there is no
// such way, as something else than drives and struts depends on velocities or there are loops; or it is singular.
bool damped_factor_tree(const ph_model *model, damped *damped, double h, node *there);

#endif
