// Colliders as the pairs see them, and what a pair is.
//
// A pair of shapes is one function in pair_<name>.c and one line in the table of collide.c. It is written for one order
// of the two kinds; the table serves the other by turning the answer round.
#ifndef PH_COLLIDE_COLLIDER_H
#define PH_COLLIDE_COLLIDER_H

#include "base/memory.h"
#include "collide/collide.h"
#include "collide/polytope.h"
#include "shapes/shape.h"

// In this order: the first kind of a pair is not after the second. Convex solids come before PLANE.
typedef enum shape_kind {
    SHAPE_SPHERE,
    SHAPE_CAPSULE,
    SHAPE_BOX,
    SHAPE_CYLINDER,
    SHAPE_ELLIPSOID,
    SHAPE_HULL,
    SHAPE_CONVEX,   // any other convex shape, by its support
    SHAPE_TRIANGLE, // of a mesh or height field
    SHAPE_PLANE,
    SHAPE_MESH,
    SHAPE_HEIGHTFIELD,
    SHAPE_KINDS
} shape_kind;

struct collider {
    shape_kind kind;
    const shape_type *type; // NULL: a triangle
    bool centred;           // `local` is the identity
    frame local; // of the shape in the centre-of-mass frame of its body; z is the long axis, or a plane's normal
    union {
        shape_sizes sizes;
        struct { // the same, by name
            ph_vec3 half;
            double radius, half_length;
        };
    };
    const polytope *polytope;      // hull, triangle
    const struct surface *surface; // mesh, heightfield
    ph_allocator allocator;
    arena *memory;
};

// Where a sound shape stands in the centre-of-mass frame of its body, and its sizes.
frame collider_place(const ph_shape_def *shape, ph_vec3 com);
shape_sizes collider_sizes(const ph_shape_def *shape);

typedef struct placed { // a shape in the world
    const collider *shape;
    frame at;
} placed;

static inline placed place_collider(const collider *c, const frame *body)
{
    return (placed){c, c->centred ? *body : frame_mul(body, &c->local)};
}

// The box around a shape whose own frame is `at`.
aabb shape_bounds(const collider *c, const frame *at);

// Room for `more` points; false when out of memory.
bool contact_list_reserve(contact_list *list, int more);

enum { MANIFOLD_MAX = 4 };

// Writes at most MANIFOLD_MAX points with a gap below `margin` and says how many. The one of smallest gap gives distance,
// normal and witness points, unless the pair has a function for that of its own.
typedef int pair_function(const placed *a, const placed *b, double margin, contact_point *out);

// The nearest, or deepest, points whatever their gap.
typedef contact_point closest_function(const placed *a, const placed *b);

static inline contact_point contact_make(ph_vec3 on_a, ph_vec3 on_b, ph_vec3 normal, double gap, uint64_t feature)
{
    return (contact_point){on_a, on_b, normal, gap, feature};
}

// Two balls about p and q; `fallback` is the normal when the centres coincide.
static inline contact_point contact_of_balls(ph_vec3 p, double rp, ph_vec3 q, double rq, ph_vec3 fallback,
                                             uint64_t feature)
{
    const ph_vec3 d = ph_sub(q, p);
    const double length = ph_norm(d);
    const ph_vec3 n = length > 0.0 ? ph_scale(1.0 / length, d) : fallback;
    return contact_make(ph_madd(p, rp, n), ph_madd(q, -rq, n), n, length - rp - rq, feature);
}

static inline contact_point contact_flipped(contact_point c)
{
    return contact_make(c.on_b, c.on_a, ph_neg(c.normal), c.gap, c.feature);
}

static inline double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static inline ph_vec3 placed_axis(const placed *p, int k)
{
    return ph_mat_col(p->at.R, k);
}

// The point of the segment c + t u, |t| <= h, |u| = 1, that is nearest to p.
static inline ph_vec3 segment_nearest(ph_vec3 c, ph_vec3 u, double h, ph_vec3 p)
{
    return ph_madd(c, clamp(ph_dot(u, ph_sub(p, c)), -h, h), u);
}

#endif
