// The potential of a step taken once, at its unnormalised midpoint (Xu and Zhong 2014, eq (29)): uniform gravity and pulls
// between points. For a body with reference point A, that is a# = (a_0 + a_1)/2 and q# = (q_0 + q_1)/2, and a point at
// sigma from A lies at
//
//     p# = a# + R(q#) sigma,     R(q) = (w^2 - u.u) I + 2 u u^T + 2 w u~ for q = (w, u), of degree 2                    (1)
//
// With q_1 = q_0 (e, d), e^2 + d.d = 1, and c the centre of mass from A,
//
//     p# = (x_0 + x_1)/2 - (R_0 + R_1) c/2 + 1/2 R_0 [e (1 + e) sigma + d (d.sigma) + (1 + e) d x sigma]                (2)
//
// A force f there acts on the nodes with the impulse h/2 f each, and with the angular impulses h tau(d, R_0^T f) and
// h tau(-d, R_1^T f) about the centre of mass, body axes, where
//
//     tau(d, f) = 1/4 [(1 + e) sigma x f + sigma (d.f) + sigma x (f x d)] - 1/2 c x f                                   (3)
//
// Gravity (sigma = c) acts on the nodes as in other schemes but for tau, which vanishes where A is the centre of mass:
//
//     tau(d, f) = 1/4 [c (d.f) + f (d.c) - d (c.f) - (1 - e) c x f]                                                     (4)
#ifndef PH_SCHEMES_MIDPOINT_H
#define PH_SCHEMES_MIDPOINT_H

#include "schemes/variational.h"

// For variational_rule.
bool midpoint_prepare(variational *s);
void midpoint_assemble(variational *s, double h, bool blocks);
void midpoint_push(variational *s, double h, bool at_end);

// What these forces add to 2 lambda/h at the node that the last step has left, by moving body: twice the derivative of their
// part of the action along q_0, 1/2 f.[(1 + e) sigma + d x sigma] - f.c, f in body axes.
void midpoint_add_virials(const variational *s, double *virials);

#endif
