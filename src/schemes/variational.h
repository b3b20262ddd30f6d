// One-step variational integrators on (SO(3) x R^3)^n with constraints: one algorithm, several kinetic maps G(f).
//
// With f = h Omega_+, F = exp(f~), p = (J Omega, m v), a step from (q_n, Omega_n, v_n) is            (docs/theory/rattlie.md)
//
//   stage 1   G(f)/h + 1/2 D_R^T (h lambda) = J Omega_n + h/2 M_n
//             m v_+  + 1/2 D_x^T (h lambda) = m v_n     + h/2 F_n                                    (1)
//             Phi(q_{n+1})/h = 0,   q_{n+1} = (R_n F, x_n + h v_+)                                   (2)
//   stage 2   p* = (F^T G(f)/h + h/2 M_{n+1}, m v_+ + h/2 F_{n+1})                                   (3)
//             [M B^T; B 0] (v_{n+1}, mu) = (p*, 0)                                                   (4)
//
// h lambda as unknown and Phi/h as residual keep the system well scaled. The Jacobian of (2) is B(q_{n+1}) diag(T(f), I).
#ifndef PH_SCHEMES_VARIATIONAL_H
#define PH_SCHEMES_VARIATIONAL_H

#include "math/so3.h"
#include "schemes/damped.h"
#include "schemes/node.h"
#include "schemes/scheme.h"

// How a scheme turns a body in a step: the rotation F that leads to its end, and T, by which a change of Omega_+ turns the
// body there: h T(f) dOmega_+, body axes.
typedef struct turn {
    ph_quat F;
    ph_mat3 T;
} turn;

typedef struct kinetic { // G(f), and the derivative of G(f)/h by Omega_+
    ph_vec3 G;
    ph_mat3 dG;
} kinetic;

// From half a turn on two geodesics lead to the same place, and Newton's method may find that of another motion.
static const double half_turn = 3.14159265358979323846;

typedef struct variational variational;

typedef struct variational_rule {
    void (*turn)(const ph_mat3 *J, ph_vec3 omega, double h, turn *turn, kinetic *kinetic);
    ph_vec3 (*momentum)(const ph_mat3 *J, ph_vec3 omega, double h, ph_quat *F); // G and F alone
    ph_quat (*rotation)(ph_vec3 omega, double h);                               // F alone
    double limit; // of |Omega| h, near which solutions end; 0: none
    // Forces that depend on both ends of the step; all NULL where there are none:
    bool (*prepare)(variational *s);                         // sets `kind` and `extra`; false: out of memory
    void (*assemble)(variational *s, double h, bool blocks); // adds them to the residuals and, if asked, blocks of (1)
    void (*push)(variational *s, double h, bool at_end);     // adds them to momentum and impulse at one end
} variational_rule;

// F and T where F = exp(f~); `k` holds the coefficients of f.
static inline ph_quat quat_geodesic(ph_vec3 f, const ph_so3 *k)
{
    const double sinc = k->half_sinc;
    return (ph_quat){k->half_cos, sinc * f.x, sinc * f.y, sinc * f.z};
}

static inline void turn_geodesic(ph_vec3 f, const ph_so3 *k, turn *turn)
{
    turn->F = quat_geodesic(f, k);
    turn->T = ph_rodrigues(-k->beta, k->gamma, f);
}

static inline ph_quat rotation_geodesic(ph_vec3 omega, double h)
{
    return ph_quat_exp(ph_scale(h, omega));
}

// Unknowns and terms of one moving body.
typedef struct body_stage {
    ph_vec3 omega, v; // Omega_+, v_+
    ph_vec3 momentum; // angular, body axes: right-hand side of (1), then p_{n+1}
    ph_vec3 base;     // velocity that the impulse counts from: v_n
    ph_vec3 impulse;  // linear, since the node: h/2 F_n, then all of the step
    turn turn;
} body_stage;

struct variational {
    const ph_model *model;
    const ph_scheme *scheme;
    scheme_settings settings;
    const variational_rule *rule;
    arena *memory;
    kkt_kind kind;
    void *extra; // of the rule
    kkt kkt;
    node here, there;  // at q_n and q_{n+1}
    bool here_valid;   // `here` was left by the last step, at position and orientation below
    ph_vec3 *position; // q_{n+1}, by body
    ph_quat *orientation;
    body_stage *stage;   // by moving body
    double weight;       // of h lambda in (1): 1/2
    double *lambda;      // h lambda
    double *phi;         // residual rows of the last iteration; then mu of stage 2
    bool chords;         // stage 1 may use a matrix twice
    bool needs_velocity; // some force depends on velocity
    damped damped;
    double *momentum; // six for each moving body, for the velocity stage
    char advice[192]; // of a step beyond the limit of the rule
};

ph_status variational_create(const ph_model *model, const ph_scheme *scheme, const scheme_settings *settings,
                             const variational_rule *rule, void **self, ph_error *error);
ph_status variational_step(void *self, ph_state *state, double h, ph_step_report *report);
void variational_destroy(void *self);

// ---- The parts of a step, for schemes that put them together in another way -----------------------------------------

// Frames, Jacobian and dependent rows at q_n.
bool variational_enter(variational *s, const ph_state *state, double h);
// Right-hand sides of (1): momentum, base, impulse; and first guesses of omega, v and lambda.
void variational_start(variational *s, const ph_state *state, double h);
// Solves (1) and (2), from what variational_start has set.
ph_status variational_solve(variational *s, const ph_state *state, double h, ph_step_report *report);
// q_{n+1} at the unknowns as they are: positions, orientations and frames of `there`, no more.
void variational_place(variational *s, const ph_state *state, double h);
// q_{n+1} at the solution; the momenta then are those after the constraint forces, G(f)/h.
void variational_move(variational *s, const ph_state *state, double h);
// Angular momenta in the axes of q_{n+1}: F^T G/h.
void variational_turn(variational *s);
// The two above, the forces at q_{n+1}, and the factor of (4): momentum and impulse then are (3).
ph_status variational_arrive(variational *s, const ph_state *state, double h, ph_step_report *report);
// The right-hand side of (4) into `kkt`.
void variational_put_momentum(const variational *s, const ph_state *state, kkt *kkt);
// Solves (4) and applies its multipliers to the momenta.
void variational_project(variational *s, const ph_state *state);
// Momenta and impulses of all bodies are finite, and with them the new state.
bool variational_finite(const variational *s);
// The new state from the momenta.
void variational_leave(variational *s, ph_state *state, double h);
// Stage 1 of a step has failed. Where a body turns faster than the rule can follow, says so, and which step `works`: tried
// by the scheme that is built on these stages, on the state that the step began with.
typedef bool (*variational_trial)(void *self, const ph_state *state, double h);
ph_status variational_explain(variational *s, const ph_state *state, double h, double limit, variational_trial works,
                              void *self, ph_status status, ph_step_report *report);
// Numbers that a step keeps in the history of the state, from its beginning on.
int variational_history(const variational *s);
// The report of a step that failed.
ph_status variational_fail(const variational *s, ph_status status, ph_step_report *report, const char *advice);

#endif
