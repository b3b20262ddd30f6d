// The shapes of a model as detection sees them: made once, never changed. What may touch what, and how.
#ifndef PH_COLLIDE_SHAPE_SET_H
#define PH_COLLIDE_SHAPE_SET_H

#include "collide/collide.h"
#include "model/model.h"

#include <math.h>

// Properties of a pair of surfaces: the smaller friction, the larger restitution, rolling and spinning friction, the sum
// of both compliances; or what the model's list of pairs says.
typedef struct pair_surface {
    double friction, restitution, rolling, spinning, compliance;
} pair_surface;

typedef struct detector_kind { // bodies with the same shapes share theirs
    collider *collider;
    const ph_shape_def *def;
    double radius; // farthest point from the centre of mass; infinite for planes
    double swing;  // how far a unit turn about the centre of mass moves any point of its surface
    double size;   // half of the smallest extent; 0 for shapes without inside
    ph_vec3 axis;  // unit, in the body frame: turning about it leaves the shape where it is; zero: there is none
    double slack;  // what it may overlap others by for a moment: infinite for shapes without inside
    int index;     // among the shapes of the body
    bool moves;
    bool is_round; // it has no corners that could close
    bool is_ball;  // a sphere about the centre of mass
} detector_kind;

typedef struct detector_shape {
    const detector_kind *kind;
    int body;
} detector_shape;

// By what angle a body that spins by w, in its frame, turns this shape within h, about axes that it is not round about.
static inline double shape_turn(const detector_kind *kind, ph_vec3 w, double h)
{
    if (!kind->moves || kind->swing == 0.0) return 0.0;
    return h * ph_norm(ph_madd(w, -ph_dot(kind->axis, w), kind->axis));
}

// The angle by which a shape may turn in a step that knows directions and arms of its beginning: beyond it, it might pass
// through the other; planes have no other side.
static inline double shape_turn_most(const detector_kind *own, const detector_kind *other)
{
    const double most = 1.0; // rad
    if (!(own->swing > 0.0) || isinf(other->radius)) return most;
    return fmin(most, (own->size + (other->moves ? other->size : 0.0)) / own->swing);
}

// What the model says of pairs of bodies; all lists are sorted.
typedef struct pair_rules {
    uint64_t *joined; // pairs that a joint connects
    int joined_count;
    uint64_t *named; // pairs in the model's list ...
    int *named_at;   // ... and where they stand in it
    int named_count;
} pair_rules;

typedef struct shape_set {
    const ph_model *model;
    int count;
    detector_shape *shapes;
    int *first_shape; // by body: the first of its shapes here
    int *moving;      // by body: index among the moving bodies, or -1
    detector_kind *kinds;
    int kind_count;
    int *planes, plane_count; // shapes without bounds
    pair_rules rules;
    bool may_roll;   // a shape or pair has rolling or spinning friction
    bool may_bounce; // ... restitution
    bool all_balls;  // all shapes are spheres about centres of mass, or planes
} shape_set;

ph_status shape_set_create(const ph_model *model, arena *memory, shape_set *s, ph_error *error);
void shape_set_destroy(shape_set *s);

// May these two shapes touch at all?
bool shapes_may_touch(const shape_set *s, int a, int b);
const ph_contact_pair *shapes_named_pair(const shape_set *s, int body_a, int body_b); // of the model's list; NULL: none
pair_surface shapes_surface(const shape_set *s, int shape_a, int shape_b);

// May points between balls have a list of their own? All shapes are balls and planes, and no body has two balls.
bool shapes_are_single_balls(const shape_set *s);

// Of two pairs of shapes the one with the smaller number is listed first: planes with everything, then all others.
uint64_t shapes_order(const shape_set *s, int shape_a, int shape_b);
int shapes_find(const shape_set *s, int body, int index); // the shape, or PH_NONE
int shapes_find_ball(const shape_set *s, int body);       // the first ball of a body, or PH_NONE

#endif
