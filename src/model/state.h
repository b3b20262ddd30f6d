// The state, as schemes see it: one block with offsets and an array of contacts, so that it can be saved and copied whole.
#ifndef PH_MODEL_STATE_H
#define PH_MODEL_STATE_H

#include "model/model.h"
#include "polhode/state.h"

#include <string.h>

// What ph_state_contacts shows where contacts between balls have to be made first: when somebody asks. It is no part of what
// the state says, and has a lock, so that several threads may ask the same constant state.
typedef struct state_view state_view;

// A contact between two balls, about the centres of mass of both bodies: what else ph_contact says of it follows from where
// these were, but for the force.
typedef struct ball_contact {
    int body_a, body_b;
} ball_contact;

// Impulses of contacts between balls, on b. Solvers in single precision find numbers of that precision.
typedef struct ball_impulses {
    float *numbers; // three of single precision each, or so many bytes that are three of double
    int room;
    bool single;
    double rate; // force = rate impulse: 1 by the length of the step
} ball_impulses;

// Work of contacts and stops: of friction, rolling, spinning and that of joints included, and of impacts, by normal impulses.
typedef struct contact_work {
    double friction, impact;
} contact_work;

struct ph_state {
    const ph_model *model;
    double time;
    double origin;             // steps of equal length h lead to the times origin + n h
    double work;               // of forces without potential; of these
    contact_work contact_work; // ... is that of contacts and stops
    bool touched;              // edited by the user: the scheme rebuilds its history at the next step
    const void *history_owner; // the scheme (const ph_scheme *) that wrote the history, or NULL
    bool stops_act;            // it knows contact: limits and dry friction of joints act by the forces in `stops`
    // One entry for each body and one for the world:
    ph_vec3 *position;         // centre of mass, world
    ph_quat *orientation;      // unit
    ph_vec3 *velocity;         // of the centre of mass, world
    ph_vec3 *angular_velocity; // body frame
    double *inputs;            // input_count
    double *multipliers;       // row_count: constraint forces of the last step, a first guess for the next
    double *turns;             // turn_count: angles of joints, whole turns included
    double *targets;           // target_count: where motors by speed have come to ...
    double target_time;        // ... at this time
    double *stops;             // 3 joint_count: force of the lower limit, the upper one and dry friction of each joint
    double *wishes;       // 2 coordinate_count: coordinates, then rates, that ph_state_set_joint asked for; NAN: free
    bool wishing;         // there are some
    double *left;         // the four arrays above as the last step left them, in models with joints; else empty
    double left_time;     // and its time
    bool left_known;      // false: nothing is known of the last step
    int contact_solver;   // of the last step (solvers.h)
    double contact_bound; // largest eigenvalue of the last contact problem, for the next
    // Contacts of the last step, in memory of their own because their number changes; kept for warm starts. Those between
    // balls, where a scheme has kept them so, come after all others.
    ph_contact *contacts;
    int contact_count, contact_capacity;
    ball_contact *balls;
    ball_impulses ball_impulses;
    int ball_count, ball_capacity;
    ph_vec3 *ball_place; // by body: where it was when the last step began; NULL: no scheme has asked for it
    state_view *view;
    double *history; // history_size doubles that the scheme owns; NULL: none asked for them yet
    int history_size; // HISTORY_PER_BODY * places + HISTORY_PER_ROW * row_count, and a number for each input, turn and target; or more
    int history_room; // doubles in its memory
    int growths;      // how often memory was taken for contacts and history
    size_t bytes;     // of the block that starts at this struct; contacts, their view and the history are not in it
};

// A state in memory of somebody else's: so many bytes of it, on a cache line. False: out of memory; nothing is left behind. Its
// memory may be used again after state_leave, which gives back what the state took beside it.
size_t state_size(const ph_model *model);
bool state_settle(const ph_model *model, ph_state *state);
void state_leave(ph_state *state); // may be called again
size_t state_bytes_beside(const ph_state *state);

// Where bodies are: in frames, or where those are not kept in positions and orientations.
typedef struct poses {
    const frame *frames; // NULL: not kept
    const ph_quat *orientation;
    const char *place; // of body 0, ...
    size_t step;       // ... and bytes to the next
} poses;

static inline poses poses_of_frames(const frame *frames)
{
    return (poses){.frames = frames, .place = (const char *)&frames->x, .step = sizeof *frames};
}

static inline poses poses_of_state(const ph_state *state)
{
    return (poses){
        .orientation = state->orientation, .place = (const char *)state->position, .step = sizeof *state->position};
}

static inline ph_vec3 poses_place(const poses *p, int body)
{
    return *(const ph_vec3 *)(const void *)(p->place + p->step * (size_t)body);
}

static inline ph_mat3 poses_turn(const poses *p, int body)
{
    return p->frames ? p->frames[body].R : ph_quat_to_mat(p->orientation[body]);
}

// The frame; `own` where it has to be made.
static inline const frame *poses_frame(const poses *p, int body, frame *own)
{
    if (p->frames) return &p->frames[body];
    *own = (frame){poses_turn(p, body), poses_place(p, body)};
    return own;
}

// How bodies move: in twists (angular velocity in body axes), or where those are not kept in both velocities.
typedef struct movement {
    const ph_twist *twists; // NULL: not kept
    const ph_vec3 *omega, *v;
} movement;

static inline movement movement_of_twists(const ph_twist *twists)
{
    return (movement){.twists = twists};
}

static inline movement movement_of_state(const ph_state *state)
{
    return (movement){.omega = state->angular_velocity, .v = state->velocity};
}

static inline ph_twist movement_twist(const movement *r, int body)
{
    return r->twists ? r->twists[body] : (ph_twist){r->omega[body], r->v[body]};
}

// Adds what contacts and stops have done.
static inline void state_add_work(ph_state *state, contact_work w)
{
    state->work += w.friction + w.impact;
    state->contact_work.friction += w.friction;
    state->contact_work.impact += w.impact;
}

// What `owner` (a const ph_scheme *) left in the history, or NULL when the user touched the state or another scheme wrote
// to it. A step reads this, and takes the history over only when it succeeds: a failed one leaves the state as it was.
const double *state_past(const ph_state *state, const void *owner);

// The history for `owner` (a const ph_scheme *): what it left there, or zeros when the user touched the state or another
// scheme wrote to it; NULL where nobody asked for its memory.
double *state_history(ph_state *state, const void *owner);

// Models with contact, which may have very many bodies, get the memory of the history when a scheme asks for it: in its step,
// before it takes the history over. false when out of memory.
bool state_reserve_history(ph_state *state);
// Schemes of many steps need more of it than others: so many numbers at least, zeros behind those there are.
bool state_extend_history(ph_state *state, int size);

// ---- Contacts (state_contacts.c) ------------------------------------------------------------------------------------

// Room for `count` contacts; false when out of memory. Contacts already there are kept.
bool state_reserve_contacts(ph_state *state, int count);
// Likewise for contacts between balls, with impulses in single precision or not; for none there need be no places either.
bool state_reserve_balls(ph_state *state, int count, bool single);
// After the lists were written: so many are in them.
void state_set_contacts(ph_state *state, int contacts, int balls);
ph_status state_copy_contacts(ph_state *to, const ph_state *from);
void state_free_contacts(ph_state *state);

state_view *state_view_create(const ph_allocator *allocator);             // NULL: out of memory
void state_view_destroy(state_view *view, const ph_allocator *allocator); // takes NULL

static inline int state_contact_count(const ph_state *state)
{
    return state->contact_count + state->ball_count;
}

// As many as ph_state_contacts shows.
static inline int state_shown_contacts(const ph_state *state)
{
    return state->touched ? 0 : state_contact_count(state);
}

// Contact k of all, without memory for the others.
ph_contact state_contact(const ph_state *state, int k);

static inline ph_vec3 ball_force(const ball_impulses *impulses, int k)
{
    ph_vec3 x;
    const float *at = impulses->numbers + (size_t)k * (impulses->single ? 3 : sizeof x / sizeof *at);
    if (!impulses->single)
        memcpy(&x, at, sizeof x);
    else
        x = (ph_vec3){(double)at[0], (double)at[1], (double)at[2]};
    return (ph_vec3){impulses->rate * x.x, impulses->rate * x.y, impulses->rate * x.z};
}

static inline void ball_put_impulse(const ball_impulses *impulses, int k, ph_vec3 x)
{
    const float single[3] = {(float)x.x, (float)x.y, (float)x.z};
    float *at = impulses->numbers + (size_t)k * (impulses->single ? 3 : sizeof x / sizeof *at);
    memcpy(at, impulses->single ? (const void *)single : &x, impulses->single ? sizeof single : sizeof x);
}

static inline ph_vec3 state_contact_force(const ph_state *state, int k)
{
    return k < state->contact_count ? state->contacts[k].force
                                    : ball_force(&state->ball_impulses, k - state->contact_count);
}

// ---------------------------------------------------------------------------------------------------------------------

// All numbers of a state in a fixed order, for saving and loading. With the contacts, `touched` and the name of the history's
// owner they are the whole state: an array that is added to it gets its line there.
enum { STATE_CONTACT_WORK = 2, STATE_HISTORY = 15, STATE_ARRAYS }; // the history is the last, and may be empty
typedef struct state_array {
    double *numbers;
    size_t count;
} state_array;
void state_arrays(ph_state *state, state_array parts[STATE_ARRAYS]);

// Remembers positions and velocities as a step left them, so that the next can tell whether somebody wrote to them.
void state_keep_left(ph_state *state);
bool state_was_edited(const ph_state *state); // since then; also when that is not known
void state_forget_wishes(ph_state *state);

// The time to which a step of length h leads. Steps of equal length share one grid, origin + n h, so that no rounding is
// summed up and everybody who makes the same steps meets the same times.
double state_time_after(const ph_state *state, double h);
double state_time_after_steps(const ph_state *state, double h, long long count);
// After steps of length h: takes that time over, counts turns and moves the targets on.
void state_end_step(ph_state *state, double h);
// Where its frames are known, and perhaps its turns.
void state_end_step_at(ph_state *state, double h, const frame *frames, const double *turns);
void model_count_turns(const ph_model *model, const frame *frames, double *turns); // brings them to the frames
void state_end_steps(ph_state *state, double h, long long count);

// Brings the targets of motors by speed to the present time.
void state_advance_targets(ph_state *state);

// Brings the rotors of drives to where the bodies say, after the user has moved these.
void state_place_rotors(ph_state *state);

// Brings the counted angles to the present orientations; after every step, while no joint turns by half a turn in one.
void state_count_turns(ph_state *state);

// Room for the scheme's memory of earlier steps. Models with contact, which may have very many bodies, run under few schemes.
enum { HISTORY_PER_BODY = 48, HISTORY_WITH_CONTACT = 13, HISTORY_PER_ROW = 4, HISTORY_MOST_PER_BODY = 192 };

#endif
