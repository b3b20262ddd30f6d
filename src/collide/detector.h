// Detection: from the poses of all bodies to the list of contact points.
//
// Points are listed while they are nearer than what the two shapes can come nearer in one step, and a little more: the
// scheme must see a contact before it closes. The list is sorted by shapes and features. It follows from the poses and
// velocities alone, not from what was detected before, so that a run that is resumed meets the same list.
//
//     detector_boxes.c     where shapes may be until the end of the step
//     broad.h              pairs of boxes that meet
//     detector_points.c    points of these pairs, and of shapes with planes
//     detector_cull.c      without those that cannot close in the step
//
// Detection is shared between the threads of a pool: pairs are cut into parts of fixed size (parts.h).
#ifndef PH_COLLIDE_DETECTOR_H
#define PH_COLLIDE_DETECTOR_H

#include "base/scratch.h"
#include "collide/broad.h"
#include "collide/contact_set.h"

typedef struct body_way { // of a body, since some moment
    ph_vec3 move;         // of its centre of mass
    double turn;          // rad
} body_way;

// What the caller sets before the first detection, and may change between two.
typedef struct detector_options {
    bool culls;             // lists only what may close (detector_cull.c), not all that is near ...
    const ph_wrench *loads; // ... with these loads, by body; NULL: gravity alone
    const bool *asleep;     // by body; NULL: none. Contacts of two bodies that sleep or are static are not looked for
    const body_way *
        ways; // by body; NULL: not asked. Shapes that have not come nearer than half of what they may overlap are skipped
    bool balls_apart; // points between balls get a list of their own: shapes_are_single_balls
} detector_options;

typedef struct detected_approach { // of a point, as detector_cull.c goes through them again and again
    int body_a, body_b;
    float a, b; // speeds of both shapes along the normal, towards the other
    float need; // what both and a disturbance must be together before it disturbs another
} detected_approach;

// One detection, from detector_begin to detector_end. Arrays are in the scratch, phase SCRATCH_DETECTION; behind those by
// shape and body stands what the broad phase finds, and then all points that are near.
typedef struct detection {
    poses at;
    movement moving;
    double h, fall;              // fall: speed that gravity gives in the step
    double slight;               // the largest change that is not worth it, of all points
    bool culls;                  // this one does
    int by_plane;                // parts of one plane
    int parts;                   // in all
    int room;                    // for points in contact_set.list
    aabb *boxes;                 // by shape: where it may be until the end of the step
    double *watched;             // by shape: half of what is always watched
    double *reach;               // by shape: how far it may go, and half of what is watched beyond
    double *pushed;              // by body: how much farther than its own way hits push it; then in the same place ...
    double *disturbance;         // ... what impacts may change in its velocity
    int *disturbed;              // by body: in which round that changed last, where rounds are counted
    detected_approach *approach; // by point
    uint64_t *flagged;           // by point, one bit: it is to be visited (again)
    int *use_start, *uses;       // by moving body: its points, twice their number and 1 where it is their b
} detection;

typedef struct detector_part detector_part; // of the list

typedef struct detector {
    const ph_model *model;
    arena *memory;
    pool *pool; // may be NULL
    detector_options options;
    shape_set shapes;
    broad broad;
    detection now;
    scratch own_scratch, *scratch; // what is used: its own, or lent
    detector_part *parts;
    list_part *places; // of the parts in the list
    int part_capacity, place_capacity;
    contact_set found; // lists in `room` when it is done
    buffer room;
    int growths; // how often memory was taken in this detection, but for a scratch that is lent
} detector;

ph_status detector_create(const ph_model *model, detector **made, ph_error *error);
void detector_destroy(detector *d);

// Fills d->found. Failures: PH_OUT_OF_MEMORY.
ph_status detector_run(detector *d, const poses *at, const movement *moving, double h);

// The same in three steps, so that the caller may give other threads something else to do during the second where that is for
// one thread alone; then it does not use the pool.
ph_status detector_begin(detector *d, const poses *at, const movement *moving, double h);
bool detector_spreads_alone(const detector *d);
void detector_spread(detector *d);
ph_status detector_end(detector *d);

#endif
