// Velocities of trees of bodies, exactly on their joints: the factor of [M + C, B^T; B, 0] body by body.
//
// Spatial vectors are (angular | linear), world axes, at the centre of mass of their body. For body i with parent p, the
// columns S of what its joint leaves free (freedom.h), and c the velocity that a motor prescribes, V_i = V_p + S q' + c:
//
//     I_i  = own inertia + that which children hand down
//     D    = S^T I_i S + C = L L^T            C: what holds the joint beside inertia, h kd + h^2 kp of a servo
//     U    = L^-1 S^T I_i
//     down   z_i = L^-1 (S^T (p_i - I_i c) + tau),      p_p += p_i - I_i c - U^T z_i
//     up     q'  = L^-T (z_i - U V_p),                  V_i  = V_p + S q' + c
//
// and a parent gets I_i - U^T U. That is L D L^T of the whole matrix with a body and the rows of its joint as one pivot: what is
// left of the 11 x 11 pivot of a hinge is the number D. p are momenta, tau impulses along the freedoms.
//
// z are velocities in coordinates in which the kinetic energy, C included, is |z|^2/2. What an impulse at a body does to them
// is its path vector, "down" of the impulse, which is not zero on the body and its ancestors alone; so the velocities at two
// contacts answer to each other's impulses by the product of their path vectors. A velocity that comes up fits its joints to
// the rounding of one addition.
//
// Bodies that no joint holds are left out of the forest, or are trees of one. Trees do not know of each other: each may be
// worked on by another thread.
#ifndef PH_ARTICULATED_ARTICULATED_H
#define PH_ARTICULATED_ARTICULATED_H

#include "articulated/forest.h"

typedef struct spatial { // (angular | linear), or (torque | force)
    double v[6];
} spatial;

// The symmetric [A H; H^T M] by entries: A 00 01 02 11 12 22, H by rows, M 00 01 02 11 12 22.
typedef struct spatial_inertia {
    double v[21];
} spatial_inertia;

typedef struct articulated {
    const forest *forest;
    // By branch:
    frame *frames;
    relation *relations;      // to the parent
    ph_vec3 *shift;           // from the parent's centre of mass; zero where that cannot move
    spatial_inertia *inertia; // own, and after the factor with what hangs on it
    spatial *momentum;        // p: own, and after `down` with what hangs on it
    spatial *twist;           // V
    spatial *drive_column;    // of the freedom that a motor prescribes ...
    spatial *drive;           // ... and c; zero for all others
    int *triangle;            // where its L^-1 begins
    // By freedom:
    spatial *S, *U;
    double *soft; // C
    double *tau;
    double *rate;      // q'
    double *triangles; // L^-1 by branch, lower, by rows
} articulated;

bool articulated_create(const forest *f, arena *memory, articulated *a);

// Frames, relations, columns and own inertia of a tree, from the poses of all bodies.
void articulated_place(articulated *a, int tree, const ph_vec3 *position, const ph_quat *orientation);
// Then the factor. false: a body without mass that nothing holds.
bool articulated_factor(articulated *a, int tree);

// z from momenta and tau; then twists and rates from z (NULL: zero). Places in z are those of the freedoms of the forest.
void articulated_down(articulated *a, int tree, double *z);
void articulated_up(articulated *a, int tree, const double *z);

// Momenta from body velocities (angular in body axes).
void articulated_put_momentum(articulated *a, int branch, ph_vec3 angular, ph_vec3 linear);
static inline ph_vec3 spatial_turn(const spatial *s)
{
    return (ph_vec3){s->v[0], s->v[1], s->v[2]};
}
static inline ph_vec3 spatial_move(const spatial *s)
{
    return (ph_vec3){s->v[3], s->v[4], s->v[5]};
}

// What the joint of a branch has handed to it along a column, after down and up: column . (I V - p).
double articulated_transmitted(const articulated *a, int branch, const spatial *column);

// ---- Path vectors ---------------------------------------------------------------------------------------------------

// Up to four wrenches on one body, side by side: what is the same work for all is done for four at once.
typedef struct wrenches {
    double v[6][4];
} wrenches;

// What they do to z: from the body down to the root. Entry e has the index index[e] and four numbers from y[e * stride] on.
// Returns how many entries there are: articulated_path_length. `constant` (four; NULL: not wanted) gets what prescribed
// motions add to the velocity along each wrench.
int articulated_path(const articulated *a, int branch, const wrenches *K, int *index, double *y, int stride,
                     double *constant);
// One branch of that path: y has its freedoms, and the wrenches go on to the parent's. Returns how many freedoms.
int articulated_path_step(const articulated *a, int branch, wrenches *K, double *y, int stride);
// The same for one unit impulse along a freedom of a branch: one number for each entry.
int articulated_path_of_freedom(const articulated *a, int branch, int freedom, int *index, double *y, double *constant);
int articulated_path_length(const articulated *a, int branch);

#endif
