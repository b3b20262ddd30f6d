// Friction problems between free bodies, sixteen contacts at a time: accelerated block Gauss-Seidel.
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
// most CAP, back to 0 when the sweep turns against the extrapolation; V(y) follows because V is linear.
//
// Sweeps soon leave few contacts beyond the tolerance, and then take long: each of them moves contacts that were good, and
// impulses that balance each other drift. So every few sweeps the contacts beyond the tolerance are polished: they alone are
// moved, by a part of what would solve them, pass after pass while they become fewer. A pass in which none is left has seen
// all contacts within the tolerance. Where they do not become fewer, groups of them are solved by Newton's method
// (wide_local.h); where that does not help either, sweeps go on from what has come out.
//
// The error of a contact is d |x - P(x - w/d)|, w = u + mu |u_t| n, in m/s: De Saxce's form of Coulomb's law.
//
// Tolerances of 1e-4 m/s and more are met in single precision; what comes out is checked in double, from the velocities that
// the impulses give. Contacts of one colour share no body: any sixteen of them are solved at once. Islands of bodies that do
// not touch each other are solved each to the tolerance, small ones by different threads, large ones cut into domains that
// several threads share (wide_domains.c).
//
// Same bits everywhere: domains, colours and blocks do not depend on the number of threads, their sums are added in order,
// and the kernels are one text compiled for several instruction sets (wide_passes.h).
#ifndef PH_CONTACT_WIDE_H
#define PH_CONTACT_WIDE_H

#include "base/pool.h"
#include "contact/delassus.h"

typedef enum wide_path { WIDE_BEST, WIDE_BASE, WIDE_AVX2, WIDE_AVX512 } wide_path;

typedef struct wide wide;

// NULL when out of memory; the pool may be NULL. A path that the processor lacks gives the best it has.
wide *wide_create(const ph_model *model, wide_path path, pool *pool);
void wide_destroy(wide *w);
bool wide_is_single(const wide *w); // the last solution consists of numbers of single precision
bool wide_all_round(const wide *w); // all bodies of the model have the same inertia about every axis
// Memory that is anybody's between solves. It begins with the impulses on b, by contact and in world axes: when a solve
// begins the first guess, each in its cone, and the solution when it ends.
list_room *wide_scratch(wide *w);

typedef struct wide_contact {
    ph_vec3 n, arm_a, arm_b; // world; n from a to b
    double bias, friction, softness;
} wide_contact;

typedef struct wide_pair { // moving bodies of a contact; -1: it cannot move
    int a, b;
} wide_pair;

typedef struct wide_problem {
    int contact_count;
    const int *use_start, *uses; // by moving body: first of its uses; by use: 2 contact, and 1 more when it is its b
    wide_pair (*pair)(const void *user, int i);
    wide_contact (*contact)(const void *user, int i);
    ph_vec3 (*position)(const void *user, int k); // of moving body k; where domains are cut, no more
    const void *user;
    const double *inverse_mass;                  // by moving body
    const ph_mat3 *inverse_inertia;              // by moving body, world axes; not looked at where there is ...
    const double *inverse_spin;                  // by moving body: the same about every axis, of all; NULL: not of all
    ph_mat3 (*inertia)(const void *user, int k); // inverse, likewise, in any case
    const screw *twists;                         // by moving body, without impulses of contacts
    bool balls;                      // arms are along the normals, and bodies have the same inertia about every axis
    bool (*guess)(const void *user); // writes the first guess again, where it was lost; false: out of memory
} wide_problem;

// Coulomb's law with friction cones of three rows: the solution of the relaxed law is no fixed point. false when out of
// memory. The report says whether the tolerance was met.
bool wide_solve(wide *w, const wide_problem *p, const ph_cone_settings *settings, ph_cone_report *report);

#endif
