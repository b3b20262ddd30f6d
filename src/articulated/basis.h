// A joint as a basis of relative motions: what it leaves free, and what each of its rows holds.
//
// Spatial vectors (turn | move) are taken in world axes at the joint's point P, the origin of frame b. The columns N are the
// freedoms (freedom.h), without the one that a motor prescribes. The columns Y are dual to the rows: the motion of b
// relative to a by Y_r changes row r at unit rate, and no other. So
//
//     V_b - V_a = N y + Y (C V)       and, as reactions do no work along N,        lambda = Y^T (wrench on b).
//
//     POINT      (0 | e_r)        ALONG i   (0 | a_i)      DOT i j   (b_j x a_i | 0)
//     LENGTH     (0 | n)          SCREW     (0 | a_z)      MOTOR     the column of the freedom that it prescribes
//     CHAIN i    column i of J (joints/chain.h)
//
// The columns are exact where the joint is closed. Where it is open by Phi they are off by O(Phi), which leaves Newton's
// method quadratic.
#ifndef PH_ARTICULATED_BASIS_H
#define PH_ARTICULATED_BASIS_H

#include "articulated/freedom.h"
#include "joints/geometry.h"
#include "math/columns.h"

typedef struct screw4 {
    four_stored turn, move;
} screw4;

// Is every row of the joint one of the table?
bool basis_known(const joint *j);

// Is the joint's point that of each body (joints with POINT rows), or b's for both?
bool basis_has_point(const joint *j);

// Are its rows held by the same numbers that they pull with: neither screws nor motors?
bool basis_is_plain(const joint *j);

// A joint in the world: levers, the way from a's point to b's, and those axes that its rows and freedoms need.
typedef struct basis_axes {
    four r_a, r_b, d;
    four a[3], b[3];
} basis_axes;

typedef struct basis_needs { // bit i: axis i
    uint8_t a, b;
} basis_needs;
basis_needs basis_needs_of(const joint *j, const freedoms *m);
void basis_turn(const joint *j, basis_needs needs, const columns *R_a, const columns *R_b, basis_axes *axes);

void basis_freedoms(const joint *j, const freedoms *m, const basis_axes *axes, screw4 *N); // all but SPIN
// The columns Y of all rows but POINT, whose are left as they are; and their residuals where asked for: those of screws and motors
// are not set.
void basis_rows(const joint *j, const freedoms *m, const basis_axes *axes, screw4 *Y, double *phi);
// The wrenches of all rows on b at P, from their columns Y; those of POINT are of no meaning. Only where the joint is not plain.
void basis_pulls(const joint *j, const freedoms *m, const motion *at, const basis_axes *axes, const screw4 *Y,
                 screw4 *W);
// All three of a chain that has rows of its own. `axes`: of its frame a, in the world.
struct chain_look;
void basis_of_chain(const joint *j, const struct chain_look *look, const columns *axes, screw4 *N, screw4 *Y,
                    screw4 *W);

#endif
