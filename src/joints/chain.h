// A chain of turns and slides between two bodies: six motions one after the other, some of them free, the others locked.
//
// With the joint frames of a and b together where all q are zero, the pose of b in a is
//
//     T(q) = exp(S_1 q_1) exp(S_2 q_2) ... exp(S_6 q_6),     S_i a turn about a line or a slide, fixed in what it is carried by.
//
// Those that the user gives are free, and are the coordinates of the joint; motions that are locked complete them to six, so that
// q is a chart of all poses near those that the joint allows. A locked q is a row, q = 0. Rows and coordinates then have the same
// derivatives: with the twist V of b in a (turn | velocity of the origin of frame b, both in axes of a) and J the columns of V,
//
//     q' = W V,   W = J^-1,      dW/dq_k = -W (dJ/dq_k) W,      q'' = W (V' - sum_k q'_k dJ/dq_k q').
//
// The columns are u_i | u_i x arm_i of a turn and 0 | u_i of a slide; arm_i leads from a point of its axis to the origin of b.
#ifndef PH_JOINTS_CHAIN_H
#define PH_JOINTS_CHAIN_H

#include "joints/geometry.h"

enum { CHAIN_MOTIONS = 6 };

typedef struct chain_motion {
    bool slides, locked;
    ph_vec3 axis, point; // unit; of a turn: on its axis. Both where all q are zero, in the joint frame
} chain_motion;

struct chain {
    chain_motion motions[CHAIN_MOTIONS];
    int free_count;
    uint8_t free[CHAIN_MOTIONS], locked[CHAIN_MOTIONS]; // which motions, in order
    bool parallel; // two turns about parallel axes: where b is tells how they share its turn
    bool meets;    // three turns about axes that meet in the origin of the joint frame
    // Of chain_find.c:
    uint8_t turn[3], slide[3];                         // which motions; the second of parallel turns is not among them
    double alpha, over_size, cos_zero, sin_zero, side; // of the middle turn
    ph_vec3 across, beside;                            // two directions across the axis of the last
};

// What there is to know of a chain at a pose.
typedef struct chain_look {
    double q[CHAIN_MOTIONS], cosine[CHAIN_MOTIONS], sine[CHAIN_MOTIONS];
    frame pose;
    ph_vec3 u[CHAIN_MOTIONS], on[CHAIN_MOTIONS], arm[CHAIN_MOTIONS]; // on: a point of the axis; it and arm are of turns
    double W[CHAIN_MOTIONS][6];
} chain_look;

// ---- chain_make.c ---------------------------------------------------------------------------------------------------

// Completes `count` free motions to six. NULL on success, else what is wrong.
const char *chain_make(const chain_motion *free, int count, chain *c);

// ---- chain.c --------------------------------------------------------------------------------------------------------

// Where b is at q; u and arm are set, too.
void chain_place(const chain *c, const double *q, chain_look *look);
// Its two halves: from cosines and sines of turns without slides, then the slides.
void chain_turn(const chain *c, chain_look *look);
void chain_slide(const chain *c, chain_look *look);
bool chain_invert(const chain *c, chain_look *look); // W; false: two motions are one there
// Column i of J, in axes of a.
void chain_column(const chain *c, const chain_look *look, int i, double V[6]);

// v turned about a unit vector
static inline ph_vec3 chain_turned(ph_vec3 v, ph_vec3 axis, double cosine, double sine)
{
    const ph_vec3 across = ph_madd(ph_scale(cosine, v), sine, ph_cross(axis, v));
    return ph_madd(across, (1.0 - cosine) * ph_dot(axis, v), axis);
}

// ---- chain_find.c ---------------------------------------------------------------------------------------------------

void chain_prepare(chain *c); // when its motions are known
// All of the look at a pose of frame b in frame a. false: the pose has no coordinates, for two motions are one there.
bool chain_find(const chain *c, const frame *pose, chain_look *look);
bool chain_at(const joint *j, const geometry *g, chain_look *look);      // the same from the frames of the bodies
bool chain_rows_at(const joint *j, const geometry *g, chain_look *look); // but for the angles of free turns
void chain_angles_at(const joint *j, const geometry *g,
                     chain_look *look); // those of turns alone, nearly: by the closed form
// The coordinates alone; `all`, or but for the angles of free turns.
void chain_values_at(const joint *j, const geometry *g, bool all, chain_look *look);

// ---- chain_rows.c ---------------------------------------------------------------------------------------------------

// q of motion i: as coordinate_value and its kin.
double chain_value(const joint *j, const geometry *g, int i);
gradient chain_gradient(const joint *j, const geometry *g, int i);
double chain_line(const joint *j, const geometry *g, int i, gradient *w); // both at once
double chain_bias(const joint *j, const geometry *g, const rates *r, int i);
void chain_hessian(const joint *j, const geometry *g, int i, double weight, hessian *H);

// All rows of a chain, from one look.
void chain_residuals(const joint *j, const frame *frames, double *phi);
void chain_jacobians(const joint *j, const frame *frames, double *B_a, double *B_b);
void chain_rates(const joint *j, const motion *at, double *rate);
void chain_biases(const joint *j, const motion *at, double *bias);
void chain_stiffness(const joint *j, const frame *frames, const double *lambda,
                     double K[JOINT_BODIES_MAX][JOINT_BODIES_MAX][36]);

#endif
