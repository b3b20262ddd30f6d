// Surfaces that touch, and roll on each other without slipping.
//
// b carries a convex surface about the origin of its frame: a ball of radius rho, the rim of a disc, an ellipsoid. Seen from
// a normal m (in the axes of frame b) it reaches h(m) = |D m| + rho, with D = diag(semi-axes): zero for a ball, (R, R, 0)
// for a disc whose rim is rounded by rho, (a, b, c) for an ellipsoid. a carries a plane through the origin of its frame, or
// a sphere or cylinder about it, which b may touch from outside or from inside; on these b is a ball.
//
// With Q = R_b E_b, y = D^2 m/|D m|, u = d less its part along the axis of a cylinder:
//
//     plane      n = a_z         gap = n . d - |D m| - rho          c = -rho n - Q y
//     cylinder   n = +-u/|u|     gap = +-(|u| - R) - rho            c = -rho n
//     sphere     n = +-d/|d|     gap = +-(|d| - R) - rho            c = -rho n
//
// n points from a to b, c from the centre of b to where they touch. The material points of b and of the surface of a that
// touch have the relative velocity ("slip", w the angular velocities, w_s that of the surface: w_a, and its own spin)
//
//     s = d' - w_s x d + (w_b - w_s) x c - slide.
//
// n . s is the rate of the gap. The rows are TOUCH: gap = 0; SLIP k: t_k . s = 0, for two tangents t_k. A row along e is
// linear in the twists, with the gradient (alpha_a, alpha_b, u_b) = (e x (r_a + d + c), (r_b + c) x e, e).
//
// A blade is a ball of radius zero on a plane, with one tangent, across it: t = a_z x b_x/|..|.
#ifndef PH_JOINTS_ROLLING_H
#define PH_JOINTS_ROLLING_H

#include "joints/geometry.h"
#include "joints/value.h"

struct rolling {
    ph_surface surface; // of a
    double radius;      // of its sphere or cylinder
    double side;        // 1: b is outside, -1: inside
    double rho;         // of b
    ph_vec3 squares;    // of the semi-axes of b, in the axes of its frame
    bool blade;
    const value *belt; // slide along x, y, z of frame a, spin about its z; NULL: the surface is at rest in a
};

typedef struct contact {
    ph_vec3 n, c;
    ph_vec3 along[3]; // n, and the two tangents
} contact;

contact rolling_contact(const joint *j, const geometry *g);
double rolling_gap(const joint *j, const geometry *g);
gradient rolling_gradient(const geometry *g, const contact *at, int k); // of the row along `along[k]`

// How the surface of a moves in a: velocities at its origin, and their rates; world axes.
typedef struct belt {
    ph_vec3 slide, spin, slide_rate, spin_rate;
} belt;
belt rolling_belt(const joint *j, const geometry *g, const motion *at);
double rolling_wanted(const geometry *g, const contact *at, const belt *moving, int k); // b of row k

// Derivative of a vector by alpha_a, alpha_b and d.
typedef struct vector_slope {
    ph_mat3 a, b, d;
} vector_slope;

typedef struct rolling_slopes {
    contact at;
    vector_slope N, S; // of n and of s
    ph_vec3 s;
} rolling_slopes;

// Derivative of the row along `along[k]` by positions, at fixed twists; from what all rows share.
rolling_slopes rolling_slopes_at(const joint *j, const geometry *g, const rates *r, const belt *moving);
gradient rolling_slope(const joint *j, const geometry *g, const rolling_slopes *all, int k);

// The surface of b has no single lowest point here: the sine of the angle below which a disc counts as flat.
#define ROLLING_FLAT 1e-6
bool rolling_is_flat(const joint *j, const frame *frames);

#endif
