// What a joint leaves free, as numbers: the columns of V_b - V_a = S q', and where b is after steps along them.
//
// All joints are rows between two frames (joints/joint.h), and so are their freedoms. With P the origin of frame b, spatial
// vectors (angular | linear) at a common point o, and P counted from o:
//
//     SLIDE i      (0 | a_i)                       along an axis of a
//     TURN i       (a_i | P x a_i)                 about an axis that both frames share
//     CARDAN       (a_j | P x a_j), (b_k | P x b_k)  A = R_j(alpha) R_k(beta)
//     SPIN i       (b_i | P x b_i)                 all three: any turn
//     ORBIT k      (0 | t_k)                       across the line from a's origin to b's, whose length is kept
//     SCREW        (a_z | P x a_z + pitch a_z)
//     CHAIN i      a column of the chain (joints/chain.h), at o
//
// The coordinates of a joint (joints/coordinates.c) have these columns, in their order; SPIN and ORBIT, which have no
// coordinate, follow. A motor prescribes the first coordinate, which is then no freedom.
#ifndef PH_ARTICULATED_FREEDOM_H
#define PH_ARTICULATED_FREEDOM_H

#include "joints/joint.h"
#include "math/quat.h"

enum { FREEDOMS_MAX = 6 };

typedef enum freedom_kind {
    FREEDOM_SLIDE,
    FREEDOM_TURN,
    FREEDOM_CARDAN_A,
    FREEDOM_CARDAN_B,
    FREEDOM_SPIN,
    FREEDOM_ORBIT,
    FREEDOM_SCREW,
    FREEDOM_CHAIN,
} freedom_kind;

typedef struct freedom {
    uint8_t kind, i; // freedom_kind; axis, that of A and B of a Cardan joint is turned about
} freedom;

typedef enum turn_kind { TURN_NONE, TURN_ONE, TURN_TWO, TURN_ANY } turn_kind;

// Frequent joints, for which short ways exist.
typedef enum motion_kind { MOTION_FREE, MOTION_REVOLUTE, MOTION_BALL, MOTION_PRISMATIC, MOTION_OTHER } motion_kind;

typedef struct freedoms {
    int count;   // that are free ...
    bool driven; // ... and before them one that a motor prescribes
    motion_kind kind;
    turn_kind turn;
    uint8_t axis; // TURN_ONE: about it; TURN_TWO: the one that is locked
    bool orbits, screws;
    freedom list[FREEDOMS_MAX]; // the prescribed one first
    ph_quat E_a, E_b;           // axes of the joint frames in the bodies
} freedoms;

freedoms freedoms_all(void); // of a free body
freedoms freedoms_of(const joint *j);

static inline int freedoms_listed(const freedoms *m) // the prescribed one included
{
    return m->count + m->driven;
}

// Where frame b is in frame a.
typedef struct relation {
    ph_quat turn;
    ph_vec3 shift;
} relation;

// Poses of both bodies: orientation, centre of mass.
typedef struct pose_pair {
    ph_quat q_a, q_b;
    ph_vec3 x_a, x_b;
} pose_pair;

// As the poses have it, onto what the joint allows: what rounding, or a user, has put beside it is gone.
relation relation_between(const joint *j, const freedoms *m, const pose_pair *at);
// After steps along the freedoms listed.
relation relation_step(const joint *j, const freedoms *m, const relation *from, const double *steps);
// The pose of b where that of a is known, or the other way round.
void relation_put_b(const joint *j, const relation *r, const freedoms *m, pose_pair *at);
void relation_put_a(const joint *j, const relation *r, const freedoms *m, pose_pair *at);

// The columns of S, six numbers each, in the order of the list. Frames of a and b with centres of mass from the common point.
void freedoms_columns(const joint *j, const freedoms *m, const frame *a, const frame *b, double *S);

// Coordinate k as the relation has it, whole turns as near as `near` says: as joint_coordinate.
double relation_coordinate(const joint *j, const relation *r, int k, double near);

#endif
