// The derivative of a cone problem at its solution. With z = g - r w, g = P(z), w = (P(z) - z)/r, s(w) De Saxce's shift and D = P'(z):
//
//     F(z) = N g + q + s(w) - w = 0                F_z = N D + (I - S)(I - D)/r                                    (18)
//     F_z^T y = -D^T g_bar                         q_bar = y,  N_bar = y g^T
//     theta_bar = P_theta . (g_bar + (N + (S - I)/r)^T y) + s_theta . y         theta: a coefficient of friction, a bound
//
// Where z is at a kink of P (impulse and velocity zero; at the limit of friction without slip), D is what cone_derivative gives: an
// open contact and a sticking one.
#ifndef PH_ADJOINT_CONTACT_CONES_H
#define PH_ADJOINT_CONTACT_CONES_H

#include "cone/cone.h"

typedef struct cone_point {
    int rows, cone_count;
    const cone *cones;
    bool shifted;        // Coulomb's law
    const double *N;     // rows x rows
    const double *g, *w; // by row; w: with the shift
    const double *g_bar;
    double *room; // rows x rows + 3 rows
    double *y;    // by row: the result
    double *by;   // by cone: CONE_PARTS_MAX coefficients of friction; of an interval its low and its high end
    int kinks;    // cones at one
    bool shared;  // contacts that slide share what they carry in more than one way
} cone_point;

void cone_point_pull(cone_point *p);

#endif
