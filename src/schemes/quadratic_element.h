// The kinetic action of a body's turn in a time element of degree 2: unit quaternions q_0, q_m, q_1 at the start, the middle and
// the end of a step, q(t) the parabola through them.
//
// With u = Im(conj(q) q') the kinetic energy is 2 u^T J u (Xu and Zhong 2014, (23)). For q = N_0 q_0 + N_m q_m + N_1 q_1,
// tau = t/h from 0 to 1 and d_ab = Im(conj(q_a) q_b),
//
//     u = 1/h (4 (1-tau)^2 d_0m + 4 tau^2 d_m1 - (1 - 2 tau)^2 d_01)                                             (1)
//     S = 2/h sum C_ab d_a^T J d_b,     C = int of the products of the three polynomials                         (2)
//
// exactly. A turn q_a -> q_a (1, eta/2) of a node changes d_ab by -1/2 E^T eta, of q_b by 1/2 E eta, E = e I + d~ with
// (e, d) = conj(q_a) q_b.
#ifndef PH_SCHEMES_QUADRATIC_ELEMENT_H
#define PH_SCHEMES_QUADRATIC_ELEMENT_H

#include "math/mat3.h"
#include "math/quat.h"

typedef struct quadratic_turn { // conj(q_0) q_m and conj(q_0) q_1
    ph_quat to_middle, to_end;
} quadratic_turn;

enum { AT_START, AT_MIDDLE }; // rows of the equations of a step
enum { BY_MIDDLE, BY_END };   // its unknowns

// dS by turns of the start and of the middle, in body axes there.
void quadratic_slopes(const ph_mat3 *J, const quadratic_turn *turn, double h, ph_vec3 out[2]);
// The derivatives of these, times h, by turns of the middle and of the end.
void quadratic_blocks(const ph_mat3 *J, const quadratic_turn *turn, ph_mat3 out[2][2]);
// Angular velocity in the middle, body axes, from both ends and the angular velocities there: off by O(h^4).
ph_vec3 quadratic_velocity(const quadratic_turn *turn, double h, ph_vec3 start, ph_vec3 end);

#endif
