// Convex shapes through their support points, for the iterations of gjk.c, epa.c and refine.c.
//
// Each shape is a core and a radius around it: a sphere is a point, a capsule a segment; all others have radius zero.
// Everything happens in the frame of a, in the set W = B - A of differences w = b - a: the shapes overlap when it holds
// the origin, else its point nearest to the origin leads from a to b.
#ifndef PH_COLLIDE_SUPPORT_H
#define PH_COLLIDE_SUPPORT_H

#include "collide/collider.h"
#include "collide/polytope.h"

typedef struct duo {
    const placed *a, *b;
    frame ab;      // of b, seen from a
    double ra, rb; // radii around the cores
    double scale;  // size of W, against which rounding is measured
    bool flat;     // both cores are polyhedra: supports are corners
} duo;

// A point of W. The numbers tell corners apart; on round parts they say which side (the cap of a cylinder).
typedef struct vertex {
    ph_vec3 w, a, b; // a and b in the frame of a
    int ia, ib;
} vertex;

// The corners whose weighted sum is the point of W in question.
typedef struct simplex {
    int count;
    vertex v[4];
    double weight[4];
    bool rough; // the iteration ended for want of room
} simplex;

duo duo_of(const placed *a, const placed *b);

// The point of the core that reaches farthest along d, in its own frame, and its number.
ph_vec3 core_support(const collider *c, ph_vec3 d, int *number);

// Whether a point found on the surface of a core, in its own frame, is within its ends.
bool core_holds(const collider *c, ph_vec3 x, double slack);

// The point of W for which n . w is smallest.
vertex duo_support(const duo *d, ph_vec3 n);

static inline double core_radius(const collider *c)
{
    return c->kind == SHAPE_SPHERE || c->kind == SHAPE_CAPSULE ? c->radius : 0.0;
}

// ---- gjk.c ----------------------------------------------------------------------------------------------------------

typedef enum gjk_result { GJK_APART, GJK_OVERLAP, GJK_FAR } gjk_result;

// APART: `s` holds the point of W nearest to the origin. OVERLAP, or touching. FAR: the distance of the cores is proven to
// exceed `far`. `enough`: relative error of the distance that ends the iteration.
gjk_result gjk(const duo *d, double far, double enough, simplex *s);

ph_vec3 simplex_point(const simplex *s);
void simplex_witness(const simplex *s, ph_vec3 *a, ph_vec3 *b);

// ---- epa.c ----------------------------------------------------------------------------------------------------------

// The shortest way out of an overlap: normal from a to b, s(n) = -depth (zero or, for rounding, slightly more); `s` holds
// the nearest point of the surface of W. `s` comes in as GJK left it.
double epa(const duo *d, simplex *s, ph_vec3 *normal);

// ---- refine.c -------------------------------------------------------------------------------------------------------

// Brings normal and witness points of round shapes from the accuracy of an iteration to that of the machine. False when
// the points do not face each other exactly.
bool refine(const duo *d, const simplex *s, ph_vec3 *normal, double *gap, ph_vec3 *a, ph_vec3 *b);

#endif
