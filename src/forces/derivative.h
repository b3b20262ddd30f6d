// How what an element exerts changes with the motion of bodies: dQ/dq and dQ/dv as 6x6 blocks, row-major.
//
// Q are (torque, body axes | force, world axes), q small motions (rotation, body axes | translation, world axes), v
// velocities (omega, body axes | v, world axes). Blocks of one pair of bodies may come more than once: they are added.
#ifndef PH_FORCES_DERIVATIVE_H
#define PH_FORCES_DERIVATIVE_H

#include "forces/force.h"

struct derivative {
    bool position, velocity; // which of the two is wanted
    bool rough;              // how lines of action turn may be left out: a part that is small where steps are
    bool central;            // differences, where there is no other way, from both sides: twice as dear, far more exact
    // Bodies by index, the world and those that cannot move among them; what is not wanted may be NULL.
    void (*add)(void *user, int row, int column, const double *by_position, const double *by_velocity);
    void *user;
};

// Parts of a block, from row and column on. M += s A
void block_add(double block[36], int row, int column, double s, ph_mat3 A);
// block += p q^T
void block_add_product(double block[36], const ph_wrench *p, const double q[6]);

// Q of body `row` changes by w times the change of the value: the blocks of all bodies that its variables depend on.
void derive_by_value(const value *v, const motion *at, int row, const ph_wrench *w, derivative *to);

// Q of both bodies is f times the gradient of coordinate k of a joint, and f changes by by_q dq + by_rate dq'.
void derive_along_joint(const joint *j, const motion *at, int k, const joint_line *line, double f, double by_q,
                        double by_rate, derivative *to);

// A force on the point s_b of body b, and its opposite on the point s_a of body a: it depends on d from point a to point b
// and on its rate d', and changes by by_d dd + by_rate dd'.
typedef struct point_force {
    ph_vec3 force;
    ph_mat3 by_d, by_rate;
} point_force;
void derive_between_points(const force *f, const motion *at, const point_force *p, derivative *to);

#endif
