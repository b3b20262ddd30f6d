// Detection: from the poses of all bodies to the list of contact points.
//
// Points are listed while they are nearer than what the two shapes can come nearer in one step, and a little more: the
// scheme must see a contact before it closes. The list is sorted by shapes and features. It follows from the poses and
// velocities alone, not from what was detected before, so that a run that is resumed meets the same list.
//
// Detection is shared between the threads of a pool: pairs are cut into parts of fixed size (parts.h).
#ifndef PH_CONTACT_DETECTOR_H
#define PH_CONTACT_DETECTOR_H

#include "contact/broad.h"
#include "model/balls.h"
#include "model/state.h"

// Properties of a pair of surfaces: the smaller friction, the larger restitution, rolling and spinning friction, the sum
// of both compliances; or what the model's list of pairs says.
typedef struct pair_surface {
    double friction, restitution, rolling, spinning, compliance;
} pair_surface;

typedef struct detected {
    int shape_a, shape_b; // of the detector
    int body_a, body_b;
    uint64_t feature;
    ph_vec3 point; // where the forces act
    ph_vec3 normal;
    double gap;
} detected;

// Two balls, which most points of large heaps are between: what does not follow at once from where they are.
typedef struct detected_balls {
    int shape_a, shape_b;
    double distance; // of their centres
} detected_balls;

typedef struct detected_gap { // what little is needed of points to choose among them
    int shape_a, shape_b;
    double gap;
} detected_gap;

typedef struct detected_approach { // of a point, as detector_drop.c goes through them again and again
    int body_a, body_b;
    float a, b; // speeds of both shapes along the normal, towards the other
    float need; // what both and a disturbance must be together before it disturbs another
} detected_approach;

typedef struct detector_kind { // bodies with the same shapes share theirs
    collider *collider;
    const ph_shape_def *def;
    double radius; // farthest point from the centre of mass; infinite for planes
    double swing;  // how far a unit turn about the centre of mass moves any point of its surface
    double size;   // half of the smallest extent; 0 for shapes without inside
    int index;     // among the shapes of the body
    bool moves;
    bool is_ball; // a sphere about the centre of mass
} detector_kind;

typedef struct detector_shape {
    const detector_kind *kind;
    int body;
} detector_shape;

typedef struct detector_part detector_part; // of the list

typedef struct detector {
    const ph_model *model;
    arena *memory;
    pool *pool;             // may be NULL
    bool drops;             // lists only what may close (detector_drop.c), not all that is near ...
    const ph_wrench *loads; // ... with these loads, by body; NULL: gravity alone
    const bool *asleep;     // by body; NULL: none. Contacts of two bodies that sleep or cannot move are not looked for
    int shape_count;
    detector_shape *shapes;
    int *first_shape; // by body: the first of its shapes here
    int *moving;      // by body: index among the moving bodies, or -1
    detector_kind *kinds;
    int kind_count;
    uint64_t *joined; // pairs of bodies that a joint connects, sorted
    int joined_count;
    uint64_t *named; // pairs of bodies in the model's list, sorted ...
    int *named_at;   // ... and where they stand in it
    int named_count;
    int *planes, plane_count; // shapes without bounds, which the tree does not hold
    broad broad;
    // In `scratch`, of one detection; behind these what the broad phase finds, and then all points that are near:
    aabb *boxes;         // by shape: where it may be until the end of the step
    double *watched;     // by shape: half of what is always watched
    double *reach;       // by shape: how far it may go, and half of what is watched beyond
    double *disturbance; // by body: what impacts may change in its velocity, detector_drop.c
    double *pushed;      // by body, in the same place before that: how much farther than its own way hits push it
    int *disturbed;      // by body: at which visit of a point that changed; 0: at none
    detected_approach *approach;     // by point
    list_room own_scratch, *scratch; // NULL: its own; else lent, and anybody's between detections
    detector_part *parts;
    list_part *places; // of the parts in the list
    int part_capacity, place_capacity;
    bool balls_apart; // set by who reads the list through detector_at: points between balls have a list of their own
    poses at;         // of this detection, on which these depend
    detected *list;   // in `room`, when it is done
    detected_balls *balls; // behind the list
    list_room room;
    int count, others; // points in all; those that are not in `balls`
    bool may_roll;     // a shape or pair has rolling or spinning friction
    bool may_bounce;   // ... restitution
    bool not_balls;    // a shape is neither a sphere about its centre of mass nor a plane
    int growths;       // how often memory was taken, of all parts
    // A loop of somebody else, whose tasks others do while one thread is at what only one can do. Then neither poses nor
    // twists nor loads are needed any more.
    pool_task *beside;
    void *beside_user;
    int beside_count;
    bool beside_done; // it was there for this detection
} detector;

ph_status detector_create(const ph_model *model, detector **made, ph_error *error);
void detector_destroy(detector *d);

// Fills the lists. Failures: PH_OUT_OF_MEMORY.
ph_status detector_run(detector *d, const poses *at, const movement *moving, double h);

// May points between balls have a list of their own? All shapes are balls and planes, and no body has two balls.
bool detector_may_part(const detector *d);

pair_surface detector_surface_of(const detector *d, int shape_a, int shape_b);

static inline pair_surface detector_surface(const detector *d, const detected *found)
{
    return detector_surface_of(d, found->shape_a, found->shape_b);
}

// Of two pairs of shapes the one with the smaller number is listed first: planes with everything, then all others.
uint64_t detector_order(const detector *d, int shape_a, int shape_b);
int detector_find(const detector *d, int body, int index); // the shape, or PH_NONE
int detector_find_ball(const detector *d, int body);       // the first ball of a body, or PH_NONE

static inline detected detector_at_balls(const detector *d, const detected_balls *it)
{
    const detector_shape *a = &d->shapes[it->shape_a], *b = &d->shapes[it->shape_b];
    const ball p = {poses_place(&d->at, a->body), a->kind->radius}, q = {poses_place(&d->at, b->body), b->kind->radius};
    const ph_vec3 normal = balls_normal(&p, &q, balls_inverse(it->distance));
    return (detected){.shape_a = it->shape_a,
                      .shape_b = it->shape_b,
                      .body_a = a->body,
                      .body_b = b->body,
                      .point = balls_point(&p, a->kind->moves, &q, b->kind->moves, normal),
                      .normal = normal,
                      .gap = balls_gap(&p, &q, it->distance)};
}

// Point i, until the poses change.
static inline detected detector_at(const detector *d, int i)
{
    return i < d->others ? d->list[i] : detector_at_balls(d, &d->balls[i - d->others]);
}

// Shapes and gap of point i, which is quicker.
static inline detected_gap detector_gap_at(const detector *d, int i)
{
    if (i < d->others) return (detected_gap){d->list[i].shape_a, d->list[i].shape_b, d->list[i].gap};
    const detected_balls *it = &d->balls[i - d->others];
    const ball p = {.radius = d->shapes[it->shape_a].kind->radius}, q = {.radius = d->shapes[it->shape_b].kind->radius};
    return (detected_gap){it->shape_a, it->shape_b, balls_gap(&p, &q, it->distance)};
}

// For detector_run.c: may these two shapes touch at all? And what the parts hold.
bool detector_may_touch(const void *d, int a, int b);
void detector_free_parts(detector *d);

// detector_drop.c: leaves in the list what may close in a step h > 0.
void detector_drop(detector *d, const poses *at, const movement *moving, double h);

#endif
