// Friction problems between free bodies, eight contacts at a time: accelerated block Gauss-Seidel.
//
// For the problems that most models have: friction cones of three rows, and no joints between the bodies that touch. An
// impulse x is a vector in the world, so that neither operator nor projection needs tangents, and with the velocities of
// all bodies V(x) = V_free + M^-1 D x at hand one contact after the other is solved with all others held:
//
//     u  = D_i^T V + b n + E x_n n
//     x_n+ = max(0, x_n - u_n/d_n)
//     x_t+ = nearest point of the disk |x_t| <= mu x_n+ to x_t - (u_t + N_tn (x_n+ - x_n))/d_t
//     V  += M^-1 D_i (x+ - x)
//
// with the normal and the larger tangential diagonal entry d_n, d_t of N_ii. A fixed point satisfies Coulomb's law exactly.
// A sweep starts from the extrapolated impulses y = x + c (x - x') of the last two sweeps, c as in Nesterov's method and at
// most CAP, back to 0 when the sweep turns against the extrapolation; V(y) follows because V is linear. Measured on 1000
// spheres that settle, to 1e-3 m/s: 110 sweeps where plain sweeps need 320 and accelerated gradients 400 products.
//
// Contacts of one colour share no body: any eight of them are solved at once, and colours by several threads. Islands of
// bodies that do not touch each other are solved one by one, each to the tolerance.
//
// Same bits everywhere: colours, blocks and chunks do not depend on the number of threads, sums of chunks are added in
// order, and the kernels are one text compiled for several instruction sets (wide_lanes.h).
#ifndef PH_CONTACT_WIDE_H
#define PH_CONTACT_WIDE_H

#include "base/pool.h"
#include "contact/delassus.h"

enum { WIDE = 8 };

typedef struct wide_vector { // of eight contacts
    double v[3][WIDE];
} wide_vector;

// Eight contacts of one colour, side by side. Where there are fewer the rest is held by nothing and takes no impulse.
typedef struct wide_block {
    wide_vector n; // normal, from a to b
    wide_vector arm_a, arm_b;
    wide_vector tn; // N_tn: the tangential velocity that a normal impulse gives
    double bias[WIDE];
    double mu[WIDE];
    double inverse_n[WIDE], inverse_t[WIDE]; // 1/d_n, 1/d_t
    double soft[WIDE];
    int a[WIDE], b[WIDE]; // bodies; the last one, which stands still, in place of none
} wide_block;

// What a contact changes and needs of a body, in one cache line.
typedef struct wide_body {
    double v[3], inverse_mass; // velocity of the centre of mass
    double w[3], inverse_spin; // angular velocity, world; inverse inertia where it is the same about every axis
} wide_body;

typedef struct wide_inertia {    // inverse, world axes
    double diagonal[4], rest[4]; // xx yy zz, yz xz xy
} wide_inertia;

// What a pass reads and writes.
typedef struct wide_pass {
    const wide_block *blocks;
    wide_body *bodies;
    wide_body *last;             // bodies before the last sweep
    const wide_inertia *inertia; // NULL: the same about every axis, for all bodies
    int still;                   // the body that stands still
    wide_vector *x;
    wide_vector *x_last; // read by a sweep, and replaced by what comes after x
    double c;            // extrapolation of a sweep
    double tolerance;    // of polish
    double part;         // of what solves a contact, 0: only look
} wide_pass;

typedef struct wide_sums {
    double turned; // (y - x+).(x+ - x): positive when the sweep turns back
    double beyond; // contacts beyond the tolerance
    double error;  // m/s, largest
} wide_sums;

typedef void wide_kernel(const wide_pass *pass, int from, int to, wide_sums *sums);

typedef struct wide_kernels {
    wide_kernel *extrapolate; // bodies
    wide_kernel *sweep;       // blocks of one colour
    wide_kernel *polish;      // likewise
} wide_kernels;

extern const wide_kernels wide_base, wide_avx2, wide_avx512; // the last two on x86 only

typedef enum wide_path { WIDE_BEST, WIDE_BASE, WIDE_AVX2, WIDE_AVX512 } wide_path;

typedef struct wide wide;

// NULL when out of memory; the pool may be NULL. A path that the processor lacks gives the best it has.
wide *wide_create(const ph_model *model, wide_path path, pool *pool);
void wide_destroy(wide *w);

typedef struct wide_contact {
    ph_vec3 n, arm_a, arm_b; // world; n from a to b
    double bias, friction, softness;
} wide_contact;

typedef struct wide_pair { // moving bodies of a contact; -1: it cannot move
    int a, b;
} wide_pair;

typedef struct wide_problem {
    int contact_count;
    const wide_pair *pairs; // by contact
    wide_contact (*contact)(const void *user, int i);
    const void *user;
    const double *inverse_mass;     // by moving body
    const ph_mat3 *inverse_inertia; // by moving body, world axes
    const screw *twists;            // by moving body, with the impulses of the first guess
    ph_vec3 *x;                     // by contact: the impulse on b, world; first guess in its cone, then the solution
} wide_problem;

// Coulomb's law with friction cones of three rows: the solution of the relaxed law is no fixed point. false when out of
// memory. The report says whether the tolerance was met.
bool wide_solve(wide *w, const wide_problem *p, const ph_cone_settings *settings, ph_cone_report *report);

#endif
