// One substep of the variational schemes backwards: from the gradient of a function by the state at its end to that by the
// state at its start, and what the numbers of the model and the inputs add. Letters and numbers of equations: docs/adjoint.md.
#ifndef PH_ADJOINT_SWEEP_H
#define PH_ADJOINT_SWEEP_H

#include "adjoint/numbers.h"
#include "adjoint/tape.h"

// What else a substep has, as contacts. Its gradients are a_q and a_v, beta, gamma, kappa and nu as far as they are known. false: a matrix
// is singular.
typedef struct sweep_watch {
    bool (*enter_stage_2)(void *user, const tape_record *r, kkt *m); // a_V; the matrix, transposed, is factored
    void (*leave_stage_2)(void *user, const tape_record *r);         // beta
    bool (*enter_stage_1)(void *user, const tape_record *r);         // the right-hand side of (9), factored too
    void (*turn)(void *user, const tape_record *r);                  // a_q: psi of (10)
    void (*leave_stage_1)(void *user, const tape_record *r);         // a_q and a_v of (11)
    void *user;
} sweep_watch;

typedef struct sweep {
    const ph_model *model;
    const variational_rule *rule;
    numbers numbers;
    bool needs_velocity;
    kkt kkt;       // N^T and the mass matrix
    damped damped; // that with dampers
    node here, there;
    bool there_ready; // frames, Jacobian and rows of `there` are those of the step at hand
    double *BT, *half;
    ph_wrench *a_q,
        *a_v; // by place: (torque, body axes | force, world axes). a_v: by momentum where a node is not shown
    ph_twist *beta, *kappa;   // by place
    bool carried;             // M kappa is to be added to a_v
    double *gamma, *nu;       // by row
    turn *turns;              // by moving body
    ph_mat3 *ends;            // of tangents, by moving body: A(-f)
    double *a_s;              // by targets of motors by speed
    double *gradient;         // by numbers; NULL: not wanted
    double *inputs;           // by the inputs of the step at hand; NULL: not wanted
    double largest;           // |a| at the node at hand
    const sweep_watch *watch; // NULL: nothing
} sweep;

// `stages` may be NULL: then only what stands at the end of this file is asked for.
bool sweep_create(const ph_model *model, const variational *stages, arena *memory, sweep *s);
void sweep_begin(sweep *s); // all gradients are zero
// Substep `r`; `end` is the record behind it. `last`: of its step; `shown_before`: stage 2 was made at its start. false: a
// matrix is singular.
bool sweep_back(sweep *s, const tape_record *r, const tape_record *end, bool last, bool shown_before);
// The mass matrix at the end of a substep with rows and, where forces depend on velocities, h/2 of their dampers, or its transpose.
// false: it is singular.
bool sweep_factor_mass(sweep *s, double h, bool transposed, kkt **made);
// a_v then is all of it.
void sweep_take_over(sweep *s);
// At the start: the gradient that vanishes along what the joints do not allow, in the metric of the masses.
bool sweep_project(sweep *s);

// A node of a record, with its motion, Jacobian and rows.
void sweep_place(sweep *s, const tape_record *r, node *at);

// ---- For sweeps of other schemes ------------------------------------------------------------------------------------

pull_to sweep_joints_to(const sweep *s, ph_wrench *bodies);
// Adds scale times the gradient of nu.Phi + lambda.B w at a node; either multiplier may be NULL.
void sweep_pull_joints(const sweep *s, const node *at, double scale, const double *nu, const double *lambda,
                       const ph_twist *w, ph_wrench *bodies);
// What the targets of motors get from multipliers of their rows: by their values, or by their rates.
void sweep_pull_motors(sweep *s, const node *at, double scale, const double *by_value, const double *by_rate);
void sweep_pull_targets(sweep *s, const node *at); // at the end of a step
// Adds scale times the gradient of w.Q at a node.
void sweep_pull_forces(sweep *s, const node *at, double scale, const ph_twist *w, ph_wrench *q, ph_wrench *v);
// By masses: J += scale sym(x y^T), and m by `linear`.
void sweep_pull_mass(sweep *s, int k, double scale, ph_vec3 x, ph_vec3 y, double linear);
void sweep_put_wrenches(const sweep *s, kkt *m, const ph_wrench *a); // right-hand sides (a, 0)
void sweep_take_solution(const sweep *s, kkt *m, ph_twist *w, double *multipliers);
ph_wrench sweep_weighed(const body_kind *kind, const ph_twist *w); // M w
void sweep_cut_small(sweep *s);                                    // numbers that say nothing become zero

#endif
