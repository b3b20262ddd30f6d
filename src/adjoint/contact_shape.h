// How the points of two shapes in contact follow where the shapes stand and how large they are.
#ifndef PH_ADJOINT_CONTACT_SHAPE_H
#define PH_ADJOINT_CONTACT_SHAPE_H

#include "adjoint/numbers.h"
#include "collide/contact_set.h"

// A gradient by what detection says of a point.
typedef struct contact_cotangent {
    double gap;
    ph_vec3 normal, point;
} contact_cotangent;

// By where a shape stands, in world axes, turning about its own origin, and by its sizes.
typedef struct shape_cotangent {
    ph_vec3 place, turn;
    shape_sizes sizes;
} shape_cotangent;

typedef struct contact_points { // of one pair of shapes
    const shape_set *shapes;
    const detected *at;
    const contact_cotangent *by;
    int count, stride; // stride: bytes from one point to the next in `at`
    frame a, b;        // where the shapes stand
} contact_points;

typedef enum shape_pull {
    SHAPE_PULL_EXACT,       // in closed form
    SHAPE_PULL_DIFFERENCES, // differences of fourth order of the pair's function, some 1e-10
    SHAPE_PULL_HELD         // the pair changes its points nearby: the normal stays with a, the point with b
} shape_pull;

// The gradient of all points together. Sizes only where they are wanted.
shape_pull contact_shape_pull(const contact_points *p, bool sizes, shape_cotangent *a, shape_cotangent *b);

#endif
