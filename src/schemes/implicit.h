// Implicit integrators of the constrained equations in acceleration form, index 3 or stabilised index 2.
//
// One step finds the new acceleration w = v'_1 of all bodies and the multipliers from
//
//     M w - gyro(Omega_1) - Q(q_1, v_1) + B(q_1)^T lambda = 0                                                  (1)
//     Phi(q_1) = 0                                                                                              (2)
//
// where a scheme says how configuration and velocity follow from w:
//
//     v_1 = v_bar + c_v w,     q_1 = q_0 exp(h Dq),     Dq = Dq_bar + c_q w  [- M^-1 B(q_0)^T eta]             (3)
//
// and, in the stabilised index-2 form, with multipliers eta of the kinematic equation,
//
//     B(q_1) v_1 = 0.                                                                                           (4)
//
// Rows of velocities A(q) v = b(q, t) are met as (4) is, in both forms: A(q_1) v_1 = b.
//
// Newton's matrix has A = M - c_v d(gyro + Q)/dv + h c_q [d(B^T lambda)/dq - dQ/dq] diag(T, I), upper blocks B^T, and,
// with (2) divided by h c_q, lower blocks B diag(T, I). In the index-2 form (4)/c_v takes the place of (2), and the
// configuration is brought back to (2) by eta, whose own matrix is [M B^T; B 0]. The two solves alternate in one loop, and
// eta meets (2) for the w just found: without that they diverge beside singular positions.
#ifndef PH_SCHEMES_IMPLICIT_H
#define PH_SCHEMES_IMPLICIT_H

#include "dynamics/node.h"
#include "schemes/scheme.h"

typedef struct implicit_body { // by moving body, in the scheme's hands before implicit_solve
    ph_twist v_bar, Dq_bar;
    ph_twist a_bar;          // the scheme's own, kept over the solve
    ph_twist w;              // first guess, then the solution
    ph_twist before, update; // of w in this iteration
    ph_twist v;              // solution: v_1
    ph_twist Dq;             // solution
    ph_twist shift;          // stabilised index 2: M^-1 B(q_0)^T eta
    ph_mat3 T;               // T(h Dq)
} implicit_body;

typedef struct implicit {
    const ph_model *model;
    const ph_scheme *scheme;
    scheme_settings settings;
    arena *memory;
    kkt kkt;
    node there; // at q_1
    implicit_body *bodies;
    ph_vec3 *position; // q_1, by body
    ph_quat *orientation;
    double *lambda, *phi; // row_count
    bool has_bends;       // forces bend with the velocity: updates may go too far
    // stabilised index 2:
    bool stabilised;
    kkt geometry; // [M B^T; B 0]
    node here;    // Jacobian at q_0
} implicit;

ph_status implicit_create(const ph_model *model, const ph_scheme *scheme, const scheme_settings *settings,
                          bool stabilised, void **self, ph_error *error);
void implicit_destroy(void *self);

// Accelerations at the state itself, for a start: w of all bodies and lambda. false when singular.
bool implicit_start(implicit *s, const ph_state *state);

// Solves (1) to (4) with the given coefficients; the first guess of lambda is the one in `s`.
ph_status implicit_solve(implicit *s, const ph_state *state, double h, double c_v, double c_q, ph_step_report *report);

// Writes q_1, v_1, lambda and the time to the state; adds the work of forces without potential (trapezium rule).
void implicit_leave(implicit *s, ph_state *state, double h);

#endif
