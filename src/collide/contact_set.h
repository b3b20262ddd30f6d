// The contact points of one configuration: what detection hands on, and all contact solvers read.
//
// Points between two balls, which most points of large heaps are, may have a list of their own that holds no more than
// their distance; the rest is made when it is asked for, with the same bits.
#ifndef PH_COLLIDE_CONTACT_SET_H
#define PH_COLLIDE_CONTACT_SET_H

#include "collide/shape_set.h"
#include "model/balls.h"
#include "model/state.h"

typedef struct detected {
    int shape_a, shape_b; // of the set of shapes
    int body_a, body_b;
    uint64_t feature;
    ph_vec3 point; // where the forces act
    ph_vec3 normal;
    double gap;
} detected;

typedef struct detected_balls { // what does not follow at once from where they are
    int shape_a, shape_b;
    double distance; // of their centres
} detected_balls;

typedef struct detected_gap { // what little is needed of points to choose among them
    int shape_a, shape_b;
    double gap;
} detected_gap;

typedef struct contact_pair { // moving bodies of a contact; -1: it cannot move
    int a, b;
} contact_pair;

// Sorted by shapes and features.
typedef struct contact_set {
    const shape_set *shapes;
    poses at;              // of the bodies
    int count, others;     // points in all; those that are not in `balls`
    detected *list;        // others
    detected_balls *balls; // count - others
} contact_set;

static inline detected contacts_at_balls(const contact_set *c, const detected_balls *it)
{
    const detector_shape *a = &c->shapes->shapes[it->shape_a], *b = &c->shapes->shapes[it->shape_b];
    const ball p = {poses_place(&c->at, a->body), a->kind->radius}, q = {poses_place(&c->at, b->body), b->kind->radius};
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
static inline detected contacts_at(const contact_set *c, int i)
{
    return i < c->others ? c->list[i] : contacts_at_balls(c, &c->balls[i - c->others]);
}

// Shapes and gap of point i, which is quicker.
static inline detected_gap contacts_gap_at(const contact_set *c, int i)
{
    if (i < c->others) return (detected_gap){c->list[i].shape_a, c->list[i].shape_b, c->list[i].gap};
    const detected_balls *it = &c->balls[i - c->others];
    const detector_shape *shapes = c->shapes->shapes;
    const ball p = {.radius = shapes[it->shape_a].kind->radius}, q = {.radius = shapes[it->shape_b].kind->radius};
    return (detected_gap){it->shape_a, it->shape_b, balls_gap(&p, &q, it->distance)};
}

static inline contact_pair contacts_pair(const contact_set *c, int i)
{
    const int *moving = c->shapes->moving;
    if (i < c->others) return (contact_pair){moving[c->list[i].body_a], moving[c->list[i].body_b]};
    const detected_balls *it = &c->balls[i - c->others];
    const detector_shape *shapes = c->shapes->shapes;
    return (contact_pair){moving[shapes[it->shape_a].body], moving[shapes[it->shape_b].body]};
}

static inline pair_surface contacts_surface(const contact_set *c, const detected *found)
{
    return shapes_surface(c->shapes, found->shape_a, found->shape_b);
}

// From the centre of mass of a body to the point.
static inline ph_vec3 contacts_arm(const contact_set *c, const detected *found, int body)
{
    return ph_sub(found->point, poses_place(&c->at, body));
}

#endif
