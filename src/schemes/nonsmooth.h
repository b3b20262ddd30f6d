// The stages of RATTLie with unilateral contact and friction.                                (docs/theory/rattlie-ns.md)
//
//   stage 1   G(f)/h + 1/2 D_R^T (h lambda) = J Omega_n + h/2 M_n + W_R(q_n) P_1
//             m v_+  + 1/2 D_x^T (h lambda) = m v_n     + h/2 F_n + W_x(q_n) P_1,     Phi(q_{n+1}) = 0            (1)
//             0 <= g(q_{n+1}) _|_ P_1N >= 0,      -P_1T in Coulomb's law with u_+ = W_T(q_n)^T (Omega_+, v_+)       (2)
//   stage 2   p = p* + W(q_{n+1}) (P - P_1) - B^T mu,   B v_{n+1} = 0                                               (3)
//             0 <= u_N _|_ P_N >= 0,              -P_T in Coulomb's law with u = W(q_{n+1})^T v_{n+1}               (4)
//
// Forces that depend on the velocity are found together with it and with P: dampers stand in the matrix of (3) and (4).
// P is the impulse of the whole step; P - P_1 alone may pull. Stops of joints are rows like those of contacts.
#ifndef PH_SCHEMES_NONSMOOTH_H
#define PH_SCHEMES_NONSMOOTH_H

#include "contact/delassus_trees.h"
#include "schemes/variational.h"

// Contacts and stops at one node, and the operator W^T M~^-1 W there.
typedef struct side {
    detector *detector;
    kkt own;  // the mass matrix there, factored where it is needed ...
    kkt *kkt; // ... that, or that of the stages, with dampers M - h/2 dQ/dv
    delassus rows;
    delassus_trees *trees; // of `rows`, which is destroyed with them; NULL: none
    int *of;               // by contact of the operator: its place in the detector's list
    int *row;              // the other way round; -1: it has no rows
    double *g;             // impulses by row
    bool *closes;          // by cone: it did not push in the step before
    int of_room, row_room, g_room, closes_room;
} side;

struct nonsmooth;

// Told to who watches: what is done so far is sure; a part begins, anew where it was tried before; its stages are made, of length x, but
// the state is not changed; an impact is found in which what is slower than x does not rebound, before the velocities jump.
typedef enum nonsmooth_news { NONSMOOTH_KEEPS, NONSMOOTH_TRIES, NONSMOOTH_STAGED, NONSMOOTH_STRIKES } nonsmooth_news;
typedef void (*nonsmooth_watch)(void *user, const struct nonsmooth *s, nonsmooth_news news, const ph_state *state,
                                double x);

// How a length changes with what is left of a step where a part of it begins, and with the longest that the part was to be.
typedef struct length_law {
    double left, most;
} length_law;

typedef struct nonsmooth {
    const ph_model *model;
    variational *stages;
    side here, there;
    ph_cone_workspace *cones;
    ph_contact_settings contact;
    bool late;                       // contacts and stops act in stage 2 alone
    bool recovers;                   // surfaces that overlap come apart; else they stay as they are
    double *u, *q, *next;            // by row
    double *before_impact, *plastic; // by row: velocities before an impact, and after one without restitution
    int u_room, q_room, next_room, before_impact_room, plastic_room;
    screw *twist, *wrench;       // by moving body
    ph_vec3 *momentum, *impulse; // by moving body: right-hand sides of (1) without P_1
    bool *flies;                 // by contact at q_n: left out of the stages
    int *ahead;                  // by contact at q_n: its place among those at q_{n+1}, or -1
    int *before;                 // by contact at q_{n+1}: its place among those at q_n, or -1
    int flies_room, ahead_room, before_room;
    bool *passed;          // by joint and limit: a step without it would pass it
    int growths;           // how often memory was taken so far
    double part;           // of Newton's law that the last impact followed (cap_energy)
    detected closing;      // the contact whose gap ends the stages before an impact; shape_a -1: it has gone
    bool closing_guessed;  // its gap was that along its normal at the beginning: nonsmooth_gap_ahead
    length_law length;     // of a part that no impact ends ...
    length_law next_most;  // ... and of the longest that the next one may be
    bool fixed_length;     // they count as given
    nonsmooth_watch watch; // NULL: nobody watches
    void *watcher;
    ph_cone_report worst; // of all cone problems since nonsmooth_enter: largest residual, sum of iterations
} nonsmooth;

// Surfaces nearer than this touch.
#define NONSMOOTH_TOUCH 1e-9

ph_status nonsmooth_create(const ph_model *model, variational *stages, nonsmooth *s, ph_error *error);
void nonsmooth_destroy(nonsmooth *s);

// Contacts at q_n, for steps of at most h; none of them flies yet.
ph_status nonsmooth_enter(nonsmooth *s, const ph_state *state, double h);
// (1) and (2), for the contacts that do not fly: the unknowns then stand in the stages, P_1 in here.g.
ph_status nonsmooth_solve(nonsmooth *s, const ph_state *state, double h, ph_step_report *report);
// (3), (4) and the new state.
ph_status nonsmooth_finish(nonsmooth *s, ph_state *state, double h, ph_step_report *report);
// Impact at the configuration of the state: contacts that touch and approach faster than `slow` rebound by Newton's law, as
// far as that creates no energy. Changes the velocities of the state.
ph_status nonsmooth_impact(nonsmooth *s, ph_state *state, double h, double slow);

nonsmooth *rattlie_ns_contacts(void *self); // of the scheme
void nonsmooth_tell(const nonsmooth *s, nonsmooth_news news, const ph_state *state, double x);

// How often memory was taken so far, of all parts.
int nonsmooth_growths(const nonsmooth *s);

// Distance of a joint to one of its limits.
double nonsmooth_limit_distance(const nonsmooth *s, const node *at, int j, stop_kind kind);
// Has stage 1 passed limits that have no row? Notes them in `passed`.
bool nonsmooth_passes_limits(nonsmooth *s);

// nonsmooth_match.c: where stage 1 leads to, and which contacts are which there.
ph_status nonsmooth_look_ahead(nonsmooth *s, const ph_state *state, double h);
void nonsmooth_set_stage_twists(nonsmooth *s);            // (Omega_+, v_+) into `there`
ph_status nonsmooth_detect_there(nonsmooth *s, double h); // with the frames and twists of `there`
// Rate at which the gap of contact i changes at q_n; and its gap and rate at the end of stage 1.
double nonsmooth_rate(const nonsmooth *s, int i);
double nonsmooth_gap_ahead(const nonsmooth *s, int i, double h, double *rate);
// The largest angle by which a shape that touches at q_n, or may, turns in stage 1, by what it may.
double nonsmooth_turn(const nonsmooth *s, double h);
// Energy it takes to lift bodies out of others, as far as they overlap at q_n and a step h undoes it; 0 when none does.
double nonsmooth_lift(const nonsmooth *s, double h);
// Of the contacts at the end of stage 1 that are none of those at q_n, the one with the smallest gap, and its rate; NULL when
// there is none.
const detected *nonsmooth_unforeseen(const nonsmooth *s, double *rate);

// ---- What the stages and impacts share ------------------------------------------------------------------------------

// The factor of a side at a configuration; of dampers for steps of length h. false: singular. Then
// rows of a side: begin, contacts by their place in the detector's list, stops within `reach`, end. false: out of memory.
bool nonsmooth_factor(nonsmooth *s, side *side, node *at, const ph_vec3 *position, const ph_quat *orientation,
                      double h);
bool nonsmooth_begin_rows(nonsmooth *s, side *side);
pair_surface nonsmooth_surface(const side *side, int i);
bool nonsmooth_add_contact(side *side, int i);
bool nonsmooth_end_rows(nonsmooth *s, side *side);
bool nonsmooth_add_stops(nonsmooth *s, side *side, const node *at, double reach, double h);
void nonsmooth_set_twists(const nonsmooth *s, const node *frames, const ph_twist *velocities);
double nonsmooth_largest(const double *x, int count);
double nonsmooth_stop_impulse(const side *here, int j, stop_kind kind, bool *closes);
// The impulses of a side on momentum and impulse of the stages, times `sign`.
void nonsmooth_push(nonsmooth *s, side *side, const node *at, const double *g, double sign);
ph_status nonsmooth_solve_cones(nonsmooth *s, side *side, double *g);
contact_work nonsmooth_work(const side *side, const double *whole, const double *g, const double *u, const double *w);

#endif
