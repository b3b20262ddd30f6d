// The scheme `moreau` (moreau.c), as its parts see it.
//
//     moreau.c           the equations, and the step
//     moreau_mode.h      what is known of the model, chosen at creation
//     moreau_bodies.c    frames, momenta and inertia of bodies, whatever the mode keeps of them
//     moreau_joints.c    velocities that meet the joints, and the end of the step moved onto them
//     moreau_state.c     contacts and momenta from the state; the state when the step is done
//     moreau_choice.c    which path solves the contacts of a step, and with which solver
//     moreau_rows.c      the path by rows: Delassus operator and the solvers of polhode/cone.h
//     moreau_heap.c      the path of free bodies: heap/heap.h
//     moreau_trees.h     the path of bodies that joints hold: trees, contacts along their paths
//     moreau_recovery.c  overlap of trees, undone by where a step leads
//     moreau_both.c      free bodies beside bodies that joints hold: which contacts go where, and both paths at once
//     moreau_linked.c    ... where they touch: contacts along paths, pass by pass beside those of the heap
//     moreau_impacts.c   impacts that must not gain energy, or that follow from others
//     moreau_spins.c     contacts that must not spin a body up
//     moreau_ahead.c     what a step leads to, and contacts that it did not foresee
//     moreau_parts.c     a step in parts
//     moreau_problem.c   the contact problem of a step, for others
//     moreau_create.c    memory
#ifndef PH_SCHEMES_MOREAU_H
#define PH_SCHEMES_MOREAU_H

#include "base/scratch.h"
#include "collide/detector.h"
#include "contact/flight.h"
#include "contact/plain.h"
#include "dynamics/node.h"
#include "heap/heap.h"
#include "schemes/moreau_mode.h"
#include "schemes/scheme.h"
#include "schemes/sleep.h"

typedef struct moreau moreau;

extern const ph_scheme scheme_moreau;

// A way to solve the contacts and stops of a step. `begin` takes what detection has found; `solve` leaves v+ in
// bodies.after and in flight.flies who flies; `end` is asked for the work of the impulses, and sets now.work to that of contacts
// and stops, for room in the state before anything there changes, and then puts the impulses there, contacts from place `at` on.
//
// Another path is a file with these functions, and a case in moreau_choice.c.
typedef struct moreau_path {
    const char *name;
    ph_status (*begin)(moreau *m);
    ph_status (*solve)(moreau *m, const ph_cone_settings *settings, ph_cone_report *report);
    struct {
        double (*work)(moreau *m);
        ph_vec3 (*impulse)(const moreau *m, int contact);            // on its b
        bool (*reserve)(const moreau *m, ph_state *state, int more); // `more` contacts beside its own
        void (*keep)(const moreau *m, ph_state *state, int at);
    } end;
} moreau_path;

extern const moreau_path moreau_path_rows, moreau_path_heap, moreau_path_trees, moreau_path_both;

// By body and by moving body.
typedef struct moreau_bodies {
    // Where the step leads to, by body: positions are moved onto the joints before the state gets them. In models with joints.
    ph_vec3 *position, *velocity, *angular_velocity;
    ph_quat *orientation;
    ph_wrench *momentum;  // k, by moving body; NULL: in place of the loads it comes from
    ph_twist *before;     // v, by body, world axes; in place of the twists it comes from where nobody needs those later
    screw *after;         // v+, by moving body, world axes
    double *inverse_spin; // by moving body, where the mode has spins
    double *sums;         // by part of the bodies
    double *normal_sums;  // likewise
} moreau_bodies;

// By row of the cone problem.
typedef struct moreau_rows {
    double *g, *u, *q, *raw; // raw: velocities before the step
    int g_room, u_room, q_room, raw_room;
    bool start_from_heap; // the first guess are the impulses of the heap
    bool solved;          // there were rows in this step
} moreau_rows;

// By contact, in models with restitution.
typedef struct moreau_rebounds {
    double *bias;  // b of the normal row
    double *shift; // of its velocity before the step, for the work
    double *scale; // of its restitution, where `scaled`: moreau_impacts.c
    double
        *pull; // of those by rows: what gravity changes its normal velocity by in a second, before and after the bounce
    double *tau; // likewise: when it bounces
    int bias_room, shift_room, scale_room, pull_room, tau_room;
    bool scaled;
} moreau_rebounds;

// Of an island in which impacts must not gain energy: s is looked for between both ends.
typedef struct impact_cap {
    bool bounces, capped;
    double energy, error; // of the last solution; what of it may be the solver's
    double s, low, high, energy_low, energy_high;
} impact_cap;

typedef struct moreau_impacts { // by moving body, in models with restitution
    int *island;                // a body of the same one
    impact_cap *caps;           // of that body
} moreau_impacts;

// Of the step at hand.
typedef struct moreau_step_data {
    double h;
    ph_state *state;
    flight_past past; // velocities at its beginning
    const moreau_path *path;
    heap_precision precision; // of the last solution of the heap
    contact_work work;        // of contacts and stops, of all that end.work counts; paths set it
    const char *solver;       // that has solved contacts and stops; NULL: there were none
    int growths;              // how often memory was taken
} moreau_step_data;

// What the step at hand leads to (moreau_ahead.c).
typedef struct moreau_ahead {
    bool watches;     // there are shapes whose turning may make them overlap
    bool *held;       // by body: a joint holds it, and where it gets to is not known yet
    int passes;       // how often the list of contacts has got longer
    double overlap;   // the deepest that is new at the end, by what is allowed
    frame *frames;    // where bodies are there, by body ...
    body_way *ways;   // ... and how they get there
    scratch scratch;  // of the detection there ...
    buffer room;      // ... and its list
    buffer joined[2]; // of points of both ends ...
    buffer impulses;  // ... and what impulses they have had so far: ph_vec3 on b
    buffer own;       // of the points of the beginning
} moreau_ahead;

// Of a step that may have to be made in parts.
typedef struct moreau_parts {
    double pace;     // length of the steps that this one belongs to; it may be what is left of one
    double undo;     // over which overlaps are undone; 0: over the part at hand
    bool is_last;    // the part at hand is kept whatever it leads to
    bool gives_up;   // dividing does not help
    bool kept;       // the part at hand is in the state
    double turn;     // the largest, by what is allowed
    double impact;   // when an impact follows from another; the length of the part: never
    ph_state *start; // what a step that fails goes back to; NULL: none was made in parts
} moreau_parts;

// Of models with joints: contacts of islands that no joint is in, which the heap solves (moreau_both.c).
typedef struct moreau_both {
    bool may;                     // there may be such
    bool parted;                  // there are, in the step at hand
    bool linked;                  // ... and some of them are in islands with others, which are solved beside the heap
    bool far_off;                 // the heap, alone in its islands, has missed the tolerance by far
    bool *jointed, *heaped;       // by moving body: a joint holds it; it has contacts of the heap
    int *island;                  // likewise: a body of the same one
    struct island_points *points; // of that body
    screw *pushed; // by moving body that has contacts of both kinds: what those do to it that are not of the heap
    ph_cone_report report;  // of the heap, where both are linked
    contact_set held, free; // the list of the detector in two, held ones first
    buffer list, place;     // the list; by contact its place in the order of the detector
} moreau_both;

struct moreau {
    const ph_model *model;
    arena *memory;
    pool *pool;
    scratch scratch; // detection, first guesses, heap: one after the other
    moreau_mode mode;
    const moreau_traits *traits;
    ph_contact_settings contact;
    double
        share; // what normal rows give way by, of what free bodies would: redundant contacts then share their load in one way
    double bounce; // option: bounces slower than what gravity gives in so many steps are not resolved

    kkt kkt;
    node node;
    detector *detector;
    delassus delassus;
    ph_cone_workspace *cones;
    plain plain; // contacts of the heap
    heap *heap;
    flight flight;
    sleep sleep;

    moreau_step_data now;
    moreau_bodies bodies;
    double *impulse;            // of the joints: -lambda by row of the model
    struct moreau_trees *trees; // moreau_trees.h; NULL: no joints, or these in one matrix with the bodies
    moreau_rows rows;
    moreau_rebounds rebounds;
    moreau_impacts impacts;
    moreau_ahead ahead;
    moreau_parts parts;
    moreau_both both;
    double *spin_gain; // by moving body: moreau_spins.c
    double braked;     // what it has taken in the step at hand
    void (*watch)(void *user,
                  const moreau *m); // shown every part that is kept, before the state gets it; NULL: nobody looks
    void *watcher;
};

// The motion that gradients are of: option `exact`.
static inline bool is_exact(const moreau *m)
{
    return m->share > 0.0;
}

static inline bool has_joints(const moreau *m)
{
    return m->traits->joints;
}

static inline const contact_set *contacts_of(const moreau *m)
{
    return &m->detector->found;
}

// Those of the path by rows or trees, and those of the heap.
static inline const contact_set *held_contacts(const moreau *m)
{
    return m->both.parted ? &m->both.held : contacts_of(m);
}

static inline const contact_set *free_contacts(const moreau *m)
{
    return m->both.parted ? &m->both.free : contacts_of(m);
}

// The first contact of the heap.
static inline int first_free(const moreau *m)
{
    return m->both.parted ? m->both.held.count : 0;
}

static inline bool is_of_heap(const moreau *m, int k) // moving body
{
    return !m->both.parted || m->both.heaped[k];
}

static inline bool is_linked(const moreau *m)
{
    return m->both.parted && m->both.linked;
}

// Never in what is left of a step: that would part bodies at `recovery_speed` for nothing.
static inline double undo_time(const moreau *m)
{
    const double h = m->parts.undo != 0.0 ? m->parts.undo : m->now.h;
    return h > 0.0 ? ph_max(h, m->parts.pace) : h;
}

static inline gap_law gap_law_of(const moreau *m)
{
    return (gap_law){m->now.h, undo_time(m), 3.0 * m->contact.tolerance, m->contact.recovery_speed};
}

// b of a stop, as that of a gap.
static inline double stop_law(const moreau *m, double distance)
{
    return ph_max(distance / (distance < 0.0 ? undo_time(m) : m->now.h), -m->contact.recovery_speed);
}

// ---- moreau_create.c ------------------------------------------------------------------------------------------------

ph_status moreau_create(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error);
void moreau_destroy(void *self);

// ---- moreau.c -------------------------------------------------------------------------------------------------------

// v+ <- M~^-1 (k + wrench); `wrench`: by moving body, NULL: none.
void moreau_set_velocities(moreau *m, const screw *wrench);
// The same for one body that no joint holds and that stands at R.
screw moreau_free_twist(const moreau *m, int k, ph_mat3 R, const screw *wrench);
// Whether a contact bounces in this step, and then when, what b is and how the work sees it. u, u_free: normal velocity
// before the step, and after it without contacts.
typedef struct rebound {
    double tau, bias, shift, pull;
} rebound;
bool moreau_rebound(const moreau *m, const flight_contact *c, double e, double u, double u_free, rebound *to);
// Once all bodies know when they bounce: b and shift of a contact whose gap may close later than another of the same body.
void moreau_share_moment(const moreau *m, const flight_contact *c, double e, double u, rebound *to);

// Where v+ leads a body.
typedef struct moreau_end {
    ph_vec3 position, velocity, angular_velocity;
    ph_quat orientation;
} moreau_end;
moreau_end moreau_end_of(const moreau *m, int k);
moreau_end moreau_final(const moreau *m, int k); // ... and joints have moved it

ph_status moreau_begin(moreau *m, ph_state *state, double h); // what a step knows before contacts are solved

// ---- moreau_problem.c -----------------------------------------------------------------------------------------------

ph_status moreau_problem(void *self, const ph_state *state, double h, ph_fc_problem **problem, ph_error *error);

// ---- moreau_joints.c ------------------------------------------------------------------------------------------------

void moreau_set_joined_velocities(moreau *m, const screw *wrench); // (2), where joints hold bodies
// Of motors that prescribe a coordinate, from their impulses and the twists in the node.
double moreau_motor_work(const moreau *m);
// Where v+ leads, moved onto the joints; adds the work of motors that this took.
ph_status moreau_project(moreau *m, double *work);

static inline ph_twist moreau_mean_twist(ph_vec3 omega, ph_vec3 v, ph_vec3 omega_next, ph_vec3 v_next)
{
    return (ph_twist){ph_scale(0.5, ph_add(omega, omega_next)), ph_scale(0.5, ph_add(v, v_next))};
}

// ---- moreau_state.c -------------------------------------------------------------------------------------------------

ph_status moreau_detect(moreau *m); // contacts, and momenta of all bodies
// The step has succeeded: bodies, contacts, `asleep` of them between bodies that sleep, and work into the state.
void moreau_keep(moreau *m, double work, double bound, int asleep);

// ---- moreau_bodies.c ------------------------------------------------------------------------------------------------

// The twists in the node are needed until the end of the step.
static inline bool keeps_twists(const moreau *m)
{
    return has_joints(m) || m->model->force_count > 0;
}

static inline poses poses_of(const moreau *m) // at the beginning of the step
{
    return m->node.frames ? poses_of_frames(m->node.frames) : poses_of_state(m->now.state);
}

static inline ph_mat3 moreau_rotation(const moreau *m, int body)
{
    return m->node.frames ? m->node.frames[body].R : ph_quat_to_mat(m->now.state->orientation[body]);
}

static inline ph_vec3 moreau_place(const moreau *m, int body)
{
    return m->node.frames ? m->node.frames[body].x : m->now.state->position[body];
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

// Room in an array that grows; false: out of memory.
static inline bool moreau_reserve(moreau *m, void *array, int *room, int count, size_t size)
{
    return mem_reserve_counted(&m->model->allocator, array, room, count, size, &m->now.growths);
}

double moreau_sum_of_parts(const moreau *m); // bodies.sums
bool moreau_make_frames(moreau *m);          // where the mode does without; false: out of memory
// Configuration and loads at the beginning of the step. false: out of memory.
bool moreau_set_bodies(moreau *m);
ph_vec3 moreau_midpoint_spin(const body *b, ph_vec3 w, double h); // m of the gyroscopic impulse
screw moreau_momentum_of(const moreau *m, int k); // k of a moving body, as it was kept or from the state
// Momenta, velocities before the step, and where the mode allows v+ without contacts and inverse inertia: what bodies
// need that does not wait for contacts.
int moreau_prepare_parts(const moreau *m);
void moreau_prepare(moreau *m, int part);
void moreau_set_free(moreau *m);    // v+ without contacts of bodies that no joint holds, where that was not done before
bool moreau_set_inverse(moreau *m); // inverse mass and inertia, likewise. false: out of memory

// ---- moreau_impacts.c -----------------------------------------------------------------------------------------------

typedef ph_status moreau_solve(moreau *m, ph_step_report *report, ph_cone_report *cone_report);

bool moreau_impacts_create(moreau *m); // false: out of memory
// Solves again, with less restitution, where impacts have gained energy.
ph_status moreau_cap_impacts(moreau *m, moreau_solve *solve, ph_step_report *report, ph_cone_report *cone_report);
double moreau_next_impact(const moreau *m); // within the part at hand, after another; its length: there is none

static inline double moreau_restitution(const moreau *m, int contact, double e)
{
    return m->rebounds.scaled ? e * m->rebounds.scale[contact] : e;
}

static inline bool moreau_reserve_rebounds(moreau *m)
{
    moreau_rebounds *r = &m->rebounds;
    const int room = contacts_of(m)->count + 1;
    return !contacts_of(m)->shapes->may_bounce ||
           (moreau_reserve(m, &r->bias, &r->bias_room, room, sizeof *r->bias) &&
            moreau_reserve(m, &r->shift, &r->shift_room, room, sizeof *r->shift) &&
            moreau_reserve(m, &r->scale, &r->scale_room, room, sizeof *r->scale) &&
            moreau_reserve(m, &r->pull, &r->pull_room, room, sizeof *r->pull) &&
            moreau_reserve(m, &r->tau, &r->tau_room, room, sizeof *r->tau));
}

// ---- moreau_spins.c -------------------------------------------------------------------------------------------------

double moreau_brake_spins(moreau *m); // returns the energy that is taken

// ---- moreau_ahead.c, moreau_parts.c ---------------------------------------------------------------------------------

// The first guess of the impulses, where the step is solved again; else NULL.
static inline const ph_vec3 *moreau_last_impulses(const moreau *m)
{
    return m->ahead.passes > 0 ? m->ahead.impulses.at : NULL;
}
bool moreau_ahead_create(moreau *m); // false: out of memory
void moreau_ahead_destroy(moreau *m);
// Looks where v+ leads; `again`: contacts have been added, and the step is to be solved again.
ph_status moreau_look_ahead(moreau *m, bool *again);

// Makes a step of length h, and puts it into the state where moreau_is_kept says so.
typedef ph_status moreau_part(moreau *m, ph_state *state, double h, ph_step_report *report);

bool moreau_is_kept(moreau *m); // what the part at hand leads to may be kept
// A step in as many parts as it takes.
ph_status moreau_make_parts(moreau *m, ph_state *state, double h, moreau_part *make, ph_step_report *report);
void moreau_parts_destroy(moreau *m);

// ---- moreau_both.c --------------------------------------------------------------------------------------------------

bool moreau_both_create(moreau *m); // false: out of memory
void moreau_both_destroy(moreau *m);
bool moreau_part_contacts(moreau *m); // of the step at hand; false: out of memory
// The contacts in the order of the detector; `list`: room for them.
contact_set moreau_sorted_contacts(const moreau *m, detected *list);
// `by_contact` is in the order of the list, and goes into that of the detector; or back, where `parts`.
void moreau_sort_by_contact(const moreau *m, bool parts, const ph_vec3 *by_contact, ph_vec3 *to);
void moreau_join_contacts(moreau *m); // into the order of the detector, as if there were no islands

// ---- moreau_heap.c --------------------------------------------------------------------------------------------------

ph_status moreau_heap_begin(moreau *m); // lists, and first guesses, which stay from one solve to the next
// Velocities without impulses in bodies.after; `beside`: NULL, or what else moves some of them.
ph_status moreau_heap_solve(moreau *m, const heap_beside *beside, const ph_cone_settings *settings,
                            ph_cone_report *report);
void moreau_heap_set_after(moreau *m); // v+ of bodies of the heap
void moreau_heap_fly(moreau *m);       // who of them flies, as far as impulses tell
bool moreau_heap_land(moreau *m);      // and who does not, as it would fly into something. Is there any?

// ---- moreau_rows.c, moreau_choice.c ---------------------------------------------------------------------------------

// Whether a problem of so many contacts of free bodies is one for the heap.
bool moreau_suits_heap(const moreau *m, int count);
// The heap has missed the tolerance, and by far: overlap and energy would follow.
bool moreau_is_far_off(const moreau *m, double residual);
// The heap has missed the tolerance: it takes no longer than anybody would wait to solve so many contacts otherwise.
bool moreau_may_finish(const moreau *m, int count, double residual);
double moreau_shared_softness(const moreau *m, int a, int b); // of bodies, by `share`
bool moreau_set_rows(moreau *m, double h);                    // all contacts and stops; false: out of memory
void moreau_set_q(moreau *m);                                 // q = D^T v_free + b of all rows
ph_cone_settings moreau_cone_settings(const moreau *m);
// v+ with the impulses of all contacts and stops, and m->now.path, that has found them.
ph_status moreau_solve_contacts(moreau *m, ph_step_report *report, ph_cone_report *cone_report);

#endif
