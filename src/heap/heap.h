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
// most CAP, back to 0 when the sweep goes against the extrapolation; V(y) follows because V is linear.
//
// Sweeps soon leave few contacts beyond the tolerance, and then take long: each of them moves contacts that were good, and
// impulses that balance each other drift. So every few sweeps the contacts beyond the tolerance are polished: they alone are
// moved, by a part of what would solve them, pass after pass while they become fewer. A pass in which none is left has seen
// all contacts within the tolerance. Where they do not become fewer, clusters of them are solved by Newton's method
// (clusters.h); where that does not help either, sweeps go on from what has come out.
//
// The error of a contact is d |x - P(x - h/d)|, h = u + mu |u_t| n, in m/s: De Saxce's form of Coulomb's law.
//
// Tolerances of 1e-4 m/s and more are met in single precision; what comes out is checked in double, from the velocities that
// the impulses give. Where single precision cannot meet them, heap_solve says so, and the caller comes again. Contacts of one colour share no body: any sixteen of them are solved at once. Islands of bodies that do
// not touch each other are solved each to the tolerance, small ones by different threads, large ones cut into domains that
// several threads share (domains.c).
//
// Same bits everywhere: domains, colours and blocks do not depend on the number of threads, their sums are added in order,
// and the kernels are one text compiled for several instruction sets (passes.h).
#ifndef PH_HEAP_HEAP_H
#define PH_HEAP_HEAP_H

#include "base/pool.h"
#include "base/scratch.h"
#include "collide/contact_set.h"
#include "math/screw.h"
#include "polhode/cone.h"

typedef enum heap_path { HEAP_BEST, HEAP_BASE, HEAP_AVX2, HEAP_AVX512 } heap_path;
typedef enum heap_precision { HEAP_SINGLE, HEAP_DOUBLE } heap_precision;
typedef enum heap_outcome { HEAP_DONE, HEAP_NEEDS_DOUBLE, HEAP_OUT_OF_MEMORY } heap_outcome;

typedef struct heap heap;

// NULL when out of memory; the pool may be NULL. A path that the processor lacks gives the best it has. The scratch belongs
// to the caller, who may use it between solves.
heap *heap_create(const ph_model *model, heap_path path, pool *pool, scratch *scratch);
void heap_destroy(heap *h);
bool heap_all_round(const heap *h); // all bodies of the model have the same inertia about every axis

// The velocity that a gap asks for at the end of a step.
typedef struct gap_law {
    double h;        // length of the step, or of the part of it at hand
    double undo;     // over which overlaps are undone: h, or more where a short part would throw bodies apart
    double slack;    // m/s: gaps that close or open more slowly are closed as well as the solver knows ...
    double recovery; // m/s: and overlaps come apart no faster
} gap_law;

// b of the normal row of a contact that does not bounce. What is beyond the slack counts from there on, without a jump,
// which would shake what rests.
static inline double gap_bias(const gap_law *law, double gap, double compliance)
{
    if (compliance > 0.0) return gap / law->h;
    const double rate = gap / (gap < 0.0 ? law->undo : law->h), slack = law->slack;
    return ph_max(rate > slack ? rate - slack : rate < -slack ? rate + slack : 0.0, -law->recovery);
}

// What else moves some of the bodies: rows that the heap does not know, solved pass by pass beside its own contacts by whoever asks.
typedef enum heap_beside_pass {
    BESIDE_PUSH,   // twists are those without these rows, and get what their impulses do; nothing is extrapolated yet
    BESIDE_SWEEP,  // one row after the other, from impulses that are extrapolated by c, as twists are already
    BESIDE_CHECK,  // how far from the law they are
    BESIDE_POLISH, // moves what is beyond the tolerance alone
    BESIDE_REST,   // impulses go on from where they are: nothing is extrapolated yet
    BESIDE_KEEP,   // impulses are the best so far ...
    BESIDE_RETURN, // ... and those come out
} heap_beside_pass;

typedef struct heap_beside_sums { // as the heap has them of its contacts
    double restart, beyond, error;
} heap_beside_sums;

// Islands of these bodies are solved together, and what acts beside their contacts by one thread.
typedef struct heap_beside {
    void *self;
    int count;
    const int *bodies; // moving ones, each with contacts of the heap
    screw *twists;     // of these, world axes, in and out
    bool *moved;       // of which `run` has changed the twist
    heap_beside_sums (*run)(void *self, heap_beside_pass pass, double c, double tolerance);
} heap_beside;

typedef struct heap_problem {
    // Contacts:
    const contact_set *contacts; // without rolling and spinning friction
    bool balls;                  // all of spheres about centres of mass, and of planes
    gap_law gaps;
    const bool *bounces;         // by contact: b is that of `rebound`; NULL: of none
    const double *rebound;       // by contact
    const int *use_start, *uses; // by moving body: first of its uses; by use: 2 contact, and 1 more when it is its b
    // Moving bodies, which no joint holds:
    const double *inverse_mass;
    const ph_mat3 *inverse_inertia; // world axes; not read where there is ...
    const double *inverse_spin;     // ... the same about every axis, of all; NULL: not of all
    const screw *twists;            // without impulses of contacts
    const heap_beside *beside;      // NULL: nothing
} heap_problem;

// What a tolerance (m/s) should be tried in first.
heap_precision heap_precision_for(double tolerance);

// Coulomb's law with friction cones of three rows: the solution of the relaxed law is no fixed point. The scratch is in the
// phase SCRATCH_IMPULSES, impulses on b by contact and in world axes: the first guess, each in its cone, when a solve begins,
// the solution when it is done. HEAP_NEEDS_DOUBLE: what single precision finds misses the tolerance in double; the guess is
// lost. The report says whether the tolerance was met.
heap_outcome heap_solve(heap *h, const heap_problem *p, heap_precision precision, const ph_cone_settings *settings,
                        ph_cone_report *report);

#endif
