// The parts of the scheme `moreau` (moreau.c): what both of its ways to solve contacts see.
#ifndef PH_SCHEMES_MOREAU_H
#define PH_SCHEMES_MOREAU_H

#include "contact/plain.h"
#include "schemes/flight.h"
#include "schemes/node.h"
#include "schemes/scheme.h"
#include "schemes/sleep.h"

typedef struct moreau moreau;

typedef struct rebound { // of a contact that bounces
    double bias;
    double shift; // of its velocity before the step, for the work
} rebound;

struct moreau {
    const ph_model *model;
    arena *memory;
    kkt kkt;
    node node;
    detector *detector;
    delassus delassus;
    ph_cone_workspace *cones;
    pool *pool;
    plain plain;          // contacts of models without joints, when they have friction alone ...
    wide *wide;           // ... and their solver
    bool balls;           // all shapes are spheres about centres of mass, or planes, and all bodies have round inertia
    double *inverse_spin; // by moving body, when they are
    bool is_plain, has_rows; // how the contacts of this step are solved
    double h;                // of this step
    ph_state *state;         // of this step
    flight flight;
    sleep sleep;
    ph_contact_settings contact;
    double bounce; // option: bounces slower than what gravity gives in so many steps are not resolved

    // By body, where the step leads to; models without joints need them not:
    ph_vec3 *position, *velocity, *angular_velocity;
    ph_quat *orientation;
    bool lean;        // neither twists nor loads nor momenta are kept: they follow from the state
    double *momentum; // k as right-hand side: by moving body, six each; NULL: in place of the loads it comes from
    ph_twist *before; // v, by body, world axes; in place of the twists it comes from where nobody needs those later
    flight_past past; // that, or the state
    screw *after;     // v+, by moving body, world axes ...
    bool is_free;     // ... still without contacts
    double *sums;     // of parts of the bodies
    double *impulse;  // of the joints: -lambda by row of the model
    // By row of the cone problem:
    double *g, *u, *q, *raw;
    int g_room, u_room, q_room, raw_room;
    // By plain contact, in models with restitution:
    rebound *rebounds;
    int rebounds_room;
};

static inline bool has_joints(const moreau *m)
{
    return m->model->joint_count > 0;
}

// Where k of a moving body is, unless the scheme is lean.
static inline double *momentum_of(const moreau *m, int k)
{
    return m->momentum ? m->momentum + 6 * k : &m->node.Q[m->model->moving[k]].torque.x;
}

// The twists in the node are needed until the end of the step.
static inline bool keeps_twists(const moreau *m)
{
    return has_joints(m) || m->model->force_count > 0;
}

// Poses at the beginning of the step.
static inline poses poses_of(const moreau *m)
{
    return m->node.frames ? poses_of_frames(m->node.frames) : poses_of_state(m->state);
}

static inline ph_mat3 moreau_turn(const moreau *m, int body)
{
    return m->node.frames ? m->node.frames[body].R : ph_quat_to_mat(m->state->orientation[body]);
}

static inline ph_vec3 moreau_place(const moreau *m, int body)
{
    return m->node.frames ? m->node.frames[body].x : m->state->position[body];
}

// Body i sleeps, and does not take part in the step.
static inline bool is_asleep(const moreau *m, int i)
{
    return m->sleep.count > 0 && m->sleep.asleep[i];
}

// Calls task(m, part, from, to) for all moving bodies, in parts.
static inline void for_bodies(moreau *m, pool_range *task)
{
    pool_run_ranges(m->pool, task, m, m->model->moving_count, PLAIN_BODIES);
}

static inline double sum_of_parts(const moreau *m)
{
    double sum = 0.0;
    for (int k = 0; k < pool_parts(m->model->moving_count, PLAIN_BODIES); k++) sum += m->sums[k];
    return sum;
}

// moreau_create.c
ph_status moreau_create(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error);
void moreau_destroy(void *self);

// moreau.c: k of a moving body ...
screw moreau_momentum(const moreau *m, int k);
// ... what the model says of the solver ...
ph_cone_settings moreau_cone_settings(const moreau *m);
// ... the rows of all contacts and stops; false: out of memory ...
bool moreau_set_rows(moreau *m, double h);
// ... b of the normal row of a contact that does not bounce.
double moreau_bias(const moreau *m, const detected *found, const pair_surface *surface, double h);
// Whether a contact bounces; then what b is.
bool moreau_rebound(const moreau *m, const flight_contact *c, double e, double u, double u_free, double h, double *tau,
                    rebound *to);

// moreau_plain.c
// Inverse mass and inertia of bodies, a part of them; wants frames or balls. `user`: the moreau.
void moreau_set_inverse(void *user, int part, int from, int to);
screw moreau_free_twist(const moreau *m, int k, const screw *wrench); // M^-1 (k + wrench) of a body that no joint holds
ph_status moreau_solve_plain(moreau *m, const ph_state *state, double h, const ph_cone_settings *settings,
                             ph_cone_report *report);
double moreau_plain_work(const moreau *m); // of the impulses, after the solve

#endif
