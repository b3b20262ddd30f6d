// Rigid bodies whose motion is known in closed form. All give the attitude q(t), whose sign does not jump along the
// motion, and the angular velocity in the body frame, as accurate as a double can hold the angles that
// have been turned through.
#ifndef PH_EXACT_TOPS_H
#define PH_EXACT_TOPS_H

#include "exact/elliptic.h"
#include "polhode/math.h"

#include <stdbool.h>

typedef struct attitude {
    ph_quat q;     // body -> world
    ph_vec3 omega; // body frame
} attitude;

// ---- A body on which no torque acts ---------------------------------------------------------------------------------

// Body with moments (transverse, transverse, axial).
attitude symmetric_body_at(double transverse, double axial, const attitude *start, double time);

// A body whose moments differ. `frame` holds its principal axes a, b, c as columns: b has the middle moment, and the
// angular velocity circles c, about which it is never negative.
typedef struct euler_top {
    attitude start; // of the principal frame
    ph_mat3 frame;
    ph_quat frame_q;
    ph_vec3 moments;
    bool steady; // turns about a fixed axis
    // omega = (A cn u, B sn u, C dn u), u = u0 + rate t
    elliptic e;
    ph_vec3 amplitude;
    double rate;
    elliptic_point u0;
    double momentum; // |L|
    double bulge;    // (I_b B / I_a A)^2
    ph_quat tilt;    // from the frame with z along L, without the precession, to the body, at the start
} euler_top;

euler_top euler_top_of(ph_mat3 inertia, const attitude *start);
attitude euler_top_at(const euler_top *top, double time);

// ---- A symmetric top in a uniform field -----------------------------------------------------------------------------

// A body turns about a fixed point under its weight. World z points up, body z from the fixed point to the centre of mass.
// z = cos(tilt of the axis) moves between low and high. With the quaternion as two complex numbers, e0 + i e3 of size
// cos(tilt/2) and e1 + i e2 of size sin(tilt/2), each has a phase that is driven by the distance from its own pole.
typedef struct top_pole {
    double at_low, at_high; // distance of z from the pole at which the parameter vanishes
    double steady, pull;    // phase' = (steady + pull / distance) / 2
    double phase;           // at the start, less what `pull` has turned from u = 0 to u0
} top_pole;

typedef struct lagrange_top {
    attitude start;
    bool steady; // the axis is vertical and stays so
    double low, high;
    elliptic e;
    elliptic_point u0;
    double rate;             // z = low + (high - low) sn^2 u, u = u0 + rate t
    double swing;            // sqrt((high - low)/2)
    top_pole bottom, zenith; // of e0 + i e3 at z = -1, of e1 + i e2 at z = 1
} lagrange_top;

lagrange_top lagrange_top_of(double transverse, double axial, double weight_moment, const attitude *start);
attitude lagrange_top_at(const lagrange_top *top, double time);

double lagrange_top_period(const lagrange_top *top); // of the nutation

#endif
