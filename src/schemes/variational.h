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
//
// Rows of velocities A(q) v = b(q, t), which are no derivatives of a Phi, have in place of (2)      (docs/rolling.md)
//
//             1/2 (A(q_n) + A(q_{n+1})) (Omega_+, v_+) = 1/2 (b_n + b_{n+1})                         (5)
//
// and are rows of B everywhere else: the reactions A(q_n)^T lambda and A(q_{n+1})^T mu are those of the discrete
// Lagrange-d'Alembert principle, (5) is the same seen from both ends, and (4) has A v_{n+1} = b_{n+1} at the node.
//
// Stage 2 takes B^T mu from the momenta, and the next stage 1 takes 1/2 B^T h lambda with the same B: only the sum matters.
// Where nobody looks at the velocities stage 2 is left out, the next stage 1 starts from p*, and the multiplier it finds is
// h lambda + 2 mu. The positions stay the same to round-off. So a step may consist of several substeps gamma_k h (a
// composition), and a call of several steps, with one stage 2 at the end.
#ifndef PH_SCHEMES_VARIATIONAL_H
#define PH_SCHEMES_VARIATIONAL_H

#include "dynamics/damped.h"
#include "dynamics/node.h"
#include "math/so3.h"
#include "schemes/predictor.h"
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
    ph_vec3 (*weigh)(ph_vec3 omega, double h, ph_vec3 w);                       // L^T w, where G = L(f) J f
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

// Is told of every substep, after it: `index` 0 begins a step (anew where it was tried before). `shown`: after stage 2.
typedef void (*variational_watch)(void *user, const variational *s, const ph_state *state, int index, double h,
                                  double until, bool shown);

// The substeps of a step.
typedef struct variational_pattern {
    const double *gamma; // lengths, in units of the step
    int count;
    double accept; // inner substeps are solved when what is left of an update is below this part of the velocities
} variational_pattern;

struct variational {
    const ph_model *model;
    const ph_scheme *scheme;
    scheme_settings settings;
    const variational_rule *rule;
    variational_pattern pattern;
    arena *memory;
    kkt_kind kind;
    void *extra; // of the rule
    kkt kkt;
    node here, there;  // at q_n and q_{n+1}
    bool here_valid;   // `here` was left by the last step, at position and orientation below
    bool forces_valid; // and its forces are those of the time at hand; with velocities: what does not depend on them
    bool forces_left;  // by the last call, at the inputs below
    bool forces_keep;  // they are the same as long as time, places and inputs are: no callbacks
    double *inputs;
    bool rows_chosen;  // the rows that depend on others were found at `here`
    ph_vec3 *position; // q_{n+1}, by body
    ph_quat *orientation;
    body_stage *stage;   // by moving body
    double weight;       // of h lambda in (1): 1/2
    double *lambda;      // h lambda
    double *phi;         // residual rows of the last iteration; then mu of stage 2
    bool chords;         // stage 1 may use a matrix twice
    bool with_rows;      // nodes have their Jacobian, which trees can do without
    double accept;       // of the substep at hand
    double curvature;    // of Newton's method, from earlier substeps; 0: not known
    bool needs_velocity; // some force depends on velocity
    damped damped;
    double *momentum; // six for each moving body, for the velocity stage
    predictor predictor;
    variational_watch watch; // NULL: nobody watches
    void *watcher;
    ph_state *before; // to go back to when a substep of several fails ...
    ph_state *trial;  // ... and for finding the largest step that works; NULL where a step is one substep
    char advice[192]; // of a step beyond the limit of the rule
};

ph_status variational_create(const ph_model *model, const ph_scheme *scheme, const scheme_settings *settings,
                             const variational_rule *rule, void **self, ph_error *error);
ph_status variational_create_pattern(const ph_model *model, const ph_scheme *scheme, const scheme_settings *settings,
                                     const variational_rule *rule, variational_pattern pattern, void **self,
                                     ph_error *error);
// ph_scheme.advance, ph_scheme.stages and ph_scheme.destroy
ph_status variational_advance(void *self, ph_state *state, double h, long long count, ph_step_report *report);
variational *variational_stages(void *self);
void variational_destroy(void *self);

// q_{n+1} of (2) for body k
static inline void variational_move_body(variational *s, const ph_state *state, double h, int k)
{
    const int b = s->model->moving[k];
    s->orientation[b] = ph_quat_polish(ph_quat_mul(state->orientation[b], s->stage[k].turn.F));
    s->position[b] = ph_madd(state->position[b], h, s->stage[k].v);
    frame *there = &s->there.frames[b];
    there->R = ph_quat_to_mat(s->orientation[b]);
    there->x = s->position[b];
}

// Nodes have their Jacobian from now on, also where a tree could do without. false: out of memory.
bool variational_keep_rows(variational *s);

// ---- The parts of a step, for schemes that put them together in another way -----------------------------------------

// Frames, Jacobian and dependent rows at q_n.
bool variational_enter(variational *s, const ph_state *state, double h);
bool variational_enter_until(variational *s, const ph_state *state, double until); // the time at q_{n+1}
void variational_choose(variational *s);                                           // dependent rows at q_n
// Rows that were left out because they depend on others follow from those, up to rounding. Does one not, at q_{n+1}?
bool variational_left_out_rows_open(const variational *s);
ph_status variational_check_left_out(const variational *s, ph_step_report *report); // at q_{n+1}
// Right-hand sides of (1): momentum, base, impulse; and first guesses of omega, v and lambda.
void variational_start(variational *s, const ph_state *state, double h);
// The same without the guesses of earlier steps.
void variational_balance(variational *s, const ph_state *state, double h);
// Solves (1) and (2), from what variational_start has set.
ph_status variational_solve(variational *s, const ph_state *state, double h, ph_step_report *report);
// One update of the unknowns, for schemes that find something else together with them; `kept`: with the matrix of the last one. *update: its
// size, 0 where it is nothing but rounding.
ph_status variational_improve(variational *s, const ph_state *state, double h, bool kept, double *update,
                              ph_step_report *report);
// A body turns by more than half a turn.
bool variational_turns_too_far(const variational *s, double h);
// q_{n+1} at the unknowns as they are: positions, orientations and frames of `there`, no more.
void variational_place(variational *s, const ph_state *state, double h);
// q_{n+1} at the solution; the momenta then are those after the constraint forces, G(f)/h.
void variational_move(variational *s, const ph_state *state, double h);
// Angular momenta in the axes of q_{n+1}: F^T G/h.
void variational_turn(variational *s);
// That, and the forces at q_{n+1}: momentum and impulse then are (3).
ph_status variational_push_end(variational *s, const ph_state *state, double h, ph_step_report *report);
bool variational_damp_again(variational *s, const ph_state *state, double h); // after momenta have changed since
// All of this, and the factor of (4) where no force depends on velocities.
ph_status variational_arrive(variational *s, const ph_state *state, double h, ph_step_report *report);
// That factor at a node, where its joints have been looked at.
bool variational_factor(variational *s, node *at);
// The right-hand side of (4) into `kkt`.
void variational_put_momentum(const variational *s, const ph_state *state, kkt *kkt);
// Solves (4), or takes the solution that dampers have led to, and applies its multipliers to the momenta.
void variational_project(variational *s, const ph_state *state);
// Momenta and impulses of all bodies are finite, and with them the new state.
bool variational_finite(const variational *s);
// The new state from the momenta that (4) has left: take_over, go_on, the work of motors and of forces.
void variational_leave(variational *s, ph_state *state, double h);
// Work of forces without potential, half of it at each node of a step. Where they depend on velocities, by their power there
// (`here`: those that the step began with; `at`: its twists are those of the state); else along the displacements of the
// step, for which nobody needs to know the velocities.
double variational_work_start(const variational *s, double h);
double variational_work_end(const variational *s, const node *at, double h);
// Positions, velocities and multipliers of the state, from the momenta as they are.
void variational_take_over(const variational *s, ph_state *state);
// `there` becomes `here`.
void variational_go_on(variational *s);
// The velocities of the state are, up to rounding, those that solve (4). Reads the solution of stage 2.
bool variational_solves_stage_2(variational *s, const ph_state *state);
// Stage 1 of a step has failed. Where a body turns faster than the rule can follow, says so, and which step `works`: tried
// by the scheme that is built on these stages, on the state that the step began with.
typedef bool (*variational_trial)(void *self, const ph_state *state, double h);
ph_status variational_explain(variational *s, const ph_state *state, double h, double limit, variational_trial works,
                              void *self, ph_status status, ph_step_report *report);
// Subtracts scale * B^T lambda of all joints from momenta and impulses.
void variational_apply(variational *s, const node *at, double scale, const double *multipliers);
// Numbers that a step keeps in the history of the state, from its beginning on.
int variational_history(const variational *s);
// The report of a step that failed.
ph_status variational_fail(const variational *s, ph_status status, ph_step_report *report, const char *advice);

#endif
