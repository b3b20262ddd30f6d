// Free flight and bounces inside a step of `moreau`.
//
// Bodies that neither joints nor contacts hold move exactly in the uniform field g, whatever the step:
//
//     x+ = x + h v+ - h^2 g/2                                  (1)
//
// Gravity is the same everywhere, so this moves every orbit by the same h^2 g/2 and keeps the step symplectic.
// Bodies that are pushed move by x+ = x + h v+, which is what makes the gaps of their contacts right at the end.
//
// A bounce happens at the time tau at which the gap closes, with the speed the body has then; after it, gravity goes on:
//
//     phi + tau u + tau^2 a/2 = 0        u: normal velocity before the step, a: normal part of gravity, of bodies that fly
//     u+ = -e (u + tau a) + (h - tau) a                        (2)
//     x+ = x + tau v + (h - tau) v+ + h (tau - h/2) g          (3), which is (1) for tau = 0
//
// so that a ball that falls on the ground bounces on the parabolas of the exact solution.
#ifndef PH_CONTACT_FLIGHT_H
#define PH_CONTACT_FLIGHT_H

#include "contact/delassus.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "model/state.h"

typedef struct flight {
    const ph_model *model;
    // By moving body:
    bool *flies; // before the solve: nothing held it in the last step; after it: in this one
    double *tau; // when it bounces; 0: it does not. NULL: nothing ever does
    // By contact:
    bool *bounces; // as in (2)
    int bounces_room;
    int growths;  // how often memory was taken
    double slack; // m/s: an impulse that gives a body no more is none
} flight;

bool flight_create(const ph_model *model, bool bounces, double slack, arena *memory, flight *f);
void flight_destroy(flight *f);

bool flight_reserve(flight *f, int contacts); // false: out of memory

static inline bool flight_is_pushed(const flight *f, double inverse_mass, double impulse)
{
    return inverse_mass * impulse > f->slack;
}

// A contact that pushed in the last step and still touches holds its bodies. One with restitution that is open was left in
// a bounce.
static inline bool flight_is_held(const flight *f, double gap, double restitution, double h)
{
    return gap <= 10.0 * h * f->slack || restitution == 0.0;
}

// Who flies, as far as the impulses of the last step tell.
void flight_begin(flight *f, const delassus *rows, const contact_set *found, const double *last, double h);

typedef struct flight_contact {
    int a, b; // moving bodies; -1: it cannot move
    ph_vec3 normal, arm_a, arm_b;
    double gap;
} flight_contact;

typedef struct bounce {
    double tau; // negative: the gap does not close in this step
    double a;
} bounce;

// u, u_free: normal velocity before the step, and after it without contacts.
bounce flight_bounce(const flight *f, int a, int b, ph_vec3 normal, double gap, double u, double u_free, double h);
void flight_take(flight *f, int a, int b, int contact, double tau); // contact bounces at tau

// The moment of a body or a tree is the first of its contacts; one that is closed already has no other first.
static inline double flight_earlier(double moment, double tau)
{
    const double at = ph_max(tau, 1e-300); // 0: it does not bounce
    return moment == 0.0 || at < moment ? at : moment;
}

// Twists when the step began, in world axes: by body, with the spin that bodies have once their gyroscopic impulse has turned them, or, of balls,
// made from the state, which still stands there.
typedef struct flight_past {
    const ph_twist *twists; // NULL: not kept
    const ph_state *state;
} flight_past;

static inline ph_twist flight_before(const flight_past *past, int body, ph_mat3 R)
{
    if (past->twists) return past->twists[body];
    return (ph_twist){ph_mul(R, past->state->angular_velocity[body]), past->state->velocity[body]};
}

static inline ph_twist flight_before_body(const flight_past *past, int body)
{
    return flight_before(past, body, ph_quat_to_mat(past->state->orientation[body]));
}

// Who flies in the end, from the impulses and the twists before and after them (by moving body, world axes).
void flight_end(flight *f, const delassus *rows, const contact_set *found, const double *g, const flight_past *before,
                const screw *after, double h);
// Whether one of both would fly into the other.
bool flight_would_land(const flight *f, const flight_contact *c, const flight_past *before, const screw *after,
                       double h);
// What would fly into something goes there as the solver has seen it. Returns whether it does; what it then meets must be
// looked at again.
bool flight_lands(flight *f, const flight_contact *c, const flight_past *before, const screw *after, double h);

// (3): the velocity with which body k gets to the end of the step
static inline screw flight_mean(const flight *f, int k, const flight_past *before, const screw *after, double h)
{
    screw mean = after[k];
    if (!f->flies[k]) return mean;
    const double tau = f->tau ? f->tau[k] : 0.0, part = tau / h;
    const ph_twist v = flight_before_body(before, f->model->moving[k]);
    const ph_vec3 turn = ph_sub(v.omega, after[k].angular), move = ph_sub(v.v, after[k].linear);
    mean.angular = ph_madd(mean.angular, part, turn);
    mean.linear = ph_madd(ph_madd(mean.linear, part, move), tau - 0.5 * h, f->model->gravity);
    return mean;
}

#endif
