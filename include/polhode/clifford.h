// Polhode: Clifford algebras, and rigid-body dynamics in one of them.
//
// Three layers, each usable by itself:
//
//   ph_algebra, ph_multivector   any Cl(p,q,r) of up to ten generators, all 2^n coefficients: clear, exact, slow
//   typed values                 the elements of Cl(0,6,2) that mechanics uses, a few numbers each, and their products
//                                as straight-line code: fast
//   dynamics                     the formulas of J. M. Selig and E. Bayro-Corrochano, "Rigid body dynamics using
//                                Clifford algebra", Adv. appl. Clifford alg. 20 (2010)
//
// Cl(0,6,2) has the generators a1 a2 a3 a e1 e2 e3 e: a_i^2 = e_i^2 = -1, a^2 = e^2 = 0. The bar swaps a with e.
// In comments ^ is the outer product, v the shuffle product, ~ behind a name the bar, g* Clifford conjugation.
#ifndef POLHODE_CLIFFORD_H
#define POLHODE_CLIFFORD_H

#include "polhode/base.h"
#include "polhode/math.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Any algebra ----------------------------------------------------------------------------------------------------

enum { PH_GENERATORS_MAX = 10 };

typedef struct ph_algebra {
    int generators;
    signed char square[PH_GENERATORS_MAX]; // +1, -1 or 0
    char name[PH_GENERATORS_MAX][8];
} ph_algebra;

// squares[count], each +1, -1 or 0. Names are one to seven letters and digits and begin with a letter; NULL: e1 e2 ...
PH_API ph_status ph_algebra_init(ph_algebra *algebra, int count, const int *squares, const char *const *names,
                                 ph_error *error);
PH_API ph_algebra ph_algebra_cl062(void); // a1 a2 a3 a e1 e2 e3 e
PH_API ph_algebra ph_algebra_cl031(void); // e1 e2 e3 e

// The product of generators "a3a1" as a basis element: its bit mask (bit i for generator i) and its sign, which is 0
// where a generator of square 0 occurs twice. "" is 1. Where names overlap the longest is meant.
PH_API ph_status ph_algebra_blade(const ph_algebra *algebra, const char *text, unsigned *mask, int *sign,
                                  ph_error *error);

// An element: c[2^generators] belongs to the caller; c[mask] belongs to the product of the mask's generators, in order.
typedef struct ph_multivector {
    const ph_algebra *algebra;
    double *c;
} ph_multivector;

// All operands must be of the same signature, and `out` none of the operands: else PH_BAD_ARGUMENT, and out is unchanged.
PH_API ph_status ph_multivector_geometric(ph_multivector x, ph_multivector y, ph_multivector out, ph_error *error);
PH_API ph_status ph_multivector_outer(ph_multivector x, ph_multivector y, ph_multivector out, ph_error *error);
PH_API ph_status ph_multivector_shuffle(ph_multivector x, ph_multivector y, ph_multivector out, ph_error *error);
PH_API ph_status ph_multivector_reverse(ph_multivector x, ph_multivector out, ph_error *error);
PH_API ph_status ph_multivector_involute(ph_multivector x, ph_multivector out, ph_error *error);  // (-1)^grade
PH_API ph_status ph_multivector_conjugate(ph_multivector x, ph_multivector out, ph_error *error); // both: x*
PH_API ph_status ph_multivector_grade(ph_multivector x, int grade, ph_multivector out, ph_error *error);
// Swaps the first half of the generators with the second; both halves must have the same squares.
PH_API ph_status ph_multivector_bar(ph_multivector x, ph_multivector out, ph_error *error);
// exp x = 1 + x + x^2/2 + ... PH_NOT_FINITE when it overflows.
PH_API ph_status ph_multivector_exp(ph_multivector x, ph_multivector out, ph_error *error);
// "2 - 3 ae1 + 0.5 e2e", by grade. Returns the length that the whole text needs, like snprintf.
PH_API int ph_multivector_format(ph_multivector x, char *text, size_t size);

// ---- Typed values of Cl(0,6,2) --------------------------------------------------------------------------------------
//
// Twist and co-screw, (omega | v) and (l | p), are taken about the origin of the inertial frame: v is the velocity of the
// body's point at the origin, l the angular momentum about it. ph_twist is in math.h:
//
//   s = omega . (e2e3, e3e1, e1e2) + v . (e1e, e2e, e3e)

// P = l . (a1a, a2a, a3a) + p . (a2a3, a3a1, a1a2): momentum, or wrench (torque | force)
typedef struct ph_coscrew {
    ph_vec3 l, p;
} ph_coscrew;

// P E with E = e1e2e3e, grade 6: what N ^ s is, and what the equation of motion is written in
typedef struct ph_hexavector {
    ph_vec3 l, p;
} ph_hexavector;

// g = a . (1, e2e3, e3e1, e1e2) + b . (ee1e2e3, e1e, e2e, e3e) with a.a = 1, a.b = 0: a rigid motion. a is the quaternion.
typedef struct ph_motor {
    double a[4], b[4];
} ph_motor;

// Inertia of a rigid body, grade 4: as a matrix [I, m C; m C^T, m 1] between (omega | v) and (l | p)
typedef struct ph_inertia {
    double mass;
    ph_vec3 moment; // mass times centre of mass
    double I[6];    // xx yy zz xy xz yz, about the origin
} ph_inertia;

// Any symmetric element of grade 4 (K~ = K): stiffness, damping, articulated inertia; as a matrix [aa, ab; ab^T, bb]
typedef struct ph_sym4 {
    double aa[6]; // xx yy zz xy xz yz
    double ab[9]; // by rows
    double bb[6];
} ph_sym4;

// A motor as matrix and vector: x -> R x + t
typedef struct ph_pose {
    ph_mat3 R;
    ph_vec3 t;
} ph_pose;

// Plane n . x = d: n . (e1, e2, e3) + d e
typedef struct ph_plane {
    ph_vec3 n;
    double d;
} ph_plane;

// Point x / w: w e1e2e3 + x . (e2e3e, e3e1e, e1e2e); at infinity in direction x where w = 0
typedef struct ph_point {
    double w;
    ph_vec3 x;
} ph_point;

// A line is the twist of unit rotation about it: direction omega, moment v = x x omega with any of its points x.

typedef enum ph_element {
    PH_ELEMENT_TWIST,
    PH_ELEMENT_COSCREW,
    PH_ELEMENT_HEXAVECTOR,
    PH_ELEMENT_MOTOR,
    PH_ELEMENT_INERTIA,
    PH_ELEMENT_SYM4,
    PH_ELEMENT_POINT,
    PH_ELEMENT_PLANE,
    PH_ELEMENT_COUNT
} ph_element;

// Typed value <-> multivector of Cl(0,6,2). `value` points to the struct of that kind. Taking a multivector that has
// anything outside the kind larger than `tolerance` is PH_BAD_ARGUMENT, and the text names the worst component.
PH_API ph_status ph_multivector_put(ph_multivector out, ph_element kind, const void *value, ph_error *error);
PH_API ph_status ph_multivector_take(ph_multivector x, ph_element kind, double tolerance, void *value, ph_error *error);

// ---- Motors ---------------------------------------------------------------------------------------------------------

PH_API ph_motor ph_motor_identity(void);
PH_API ph_motor ph_motor_make(ph_quat r, ph_vec3 t); // g = t r: turn by r, then shift by t
PH_API void ph_motor_split(ph_motor g, ph_quat *r, ph_vec3 *t);
PH_API ph_pose ph_motor_pose(ph_motor g);
PH_API ph_motor ph_motor_mul(ph_motor g, ph_motor h);  // g h: h first
PH_API ph_motor ph_motor_conj(ph_motor g);             // g*, the inverse
PH_API ph_motor ph_motor_rate(ph_twist s, ph_motor g); // dg/dt = 1/2 s g
PH_API ph_motor ph_motor_exp(ph_twist z);              // exp(z/2)
PH_API ph_twist ph_motor_log(ph_motor g);              // z with exp(z/2) = g or -g, angle at most pi
// Velocity of the motion exp(z(t)/2): s = sum over i of ad^i(z) z' / (i+1)!, and its inverse (angle below 2 pi).
PH_API ph_twist ph_motor_velocity(ph_twist z, ph_twist z_rate);
PH_API ph_twist ph_motor_velocity_inverse(ph_twist z, ph_twist s);

// g g* = real + dual ee1e2e3
typedef struct ph_motor_norm {
    double real, dual;
} ph_motor_norm;
// The two defects of g as a motor: a.a - 1 and a.b, both 0 for a rigid motion.
typedef struct ph_motor_defects {
    double length, pitch;
} ph_motor_defects;
PH_API ph_motor_defects ph_motor_measure(ph_motor g);
// PH_BAD_ARGUMENT with both defects in the text when one is larger than the tolerance or not a number.
PH_API ph_status ph_motor_check(ph_motor g, double tolerance, ph_error *error);
PH_API ph_motor ph_motor_unit(ph_motor g); // g over the square root of g g*: the motor nearest to it

// ---- Motions of typed values ----------------------------------------------------------------------------------------

PH_API ph_twist ph_move_twist(ph_motor g, ph_twist s);       // g s g*
PH_API ph_coscrew ph_move_coscrew(ph_motor g, ph_coscrew P); // g~ P g~*
PH_API ph_inertia ph_move_inertia(ph_motor g, ph_inertia N); // (g g~) N (g g~)*
PH_API ph_sym4 ph_move_sym4(ph_motor g, ph_sym4 K);          // (g g~) K (g g~)*
PH_API ph_point ph_move_point(ph_motor g, ph_point p);       // g p g*
PH_API ph_plane ph_move_plane(ph_motor g, ph_plane plane);   // g pi g*; lines move as twists

// The same for a motor whose matrix is known: quicker where many values move together.
PH_API ph_twist ph_pose_twist(ph_pose F, ph_twist s);
PH_API ph_coscrew ph_pose_coscrew(ph_pose F, ph_coscrew P);
PH_API ph_inertia ph_pose_inertia(ph_pose F, ph_inertia N);
PH_API ph_sym4 ph_pose_sym4(ph_pose F, ph_sym4 K);

// ---- Products -------------------------------------------------------------------------------------------------------

PH_API ph_twist ph_bracket(ph_twist x, ph_twist y);       // [x, y] = 1/2 (x y - y x)
PH_API ph_coscrew ph_coadjoint(ph_twist s, ph_coscrew P); // {s, P} = 1/2 (s~ P - P s~)
PH_API double ph_evaluate(ph_coscrew P, ph_twist s);      // P(s) = P v (Q0 ^ s): power, twice the energy
// Screws. The pitch is the way along the axis for a turn of one radian, infinity for a translation; the axis is the line of it,
// of unit direction, zero for a translation.
PH_API double ph_screw_pitch(ph_twist s);            // omega . v / |omega|^2
PH_API ph_twist ph_screw_axis(ph_twist s);           // (s - pitch (0 | omega)) / |omega|
PH_API double ph_reciprocal(ph_twist x, ph_twist y); // x v y~ = omega_x . v_y + v_x . omega_y: 0 for reciprocal screws
PH_API ph_coscrew ph_bar_twist(ph_twist s);          // s~ = A v (Q0 ^ s)
PH_API ph_twist ph_bar_coscrew(ph_coscrew P);        // P~
PH_API ph_hexavector ph_wedge_q0(ph_twist s);        // Q0 ^ s = s~ E
PH_API ph_hexavector ph_wedge_inertia(ph_inertia N, ph_twist s); // N ^ s
PH_API ph_hexavector ph_wedge_sym4(ph_sym4 K, ph_twist s);       // K ^ s
PH_API ph_hexavector ph_times_e(ph_coscrew P);                   // P E
PH_API ph_coscrew ph_shuffle_a(ph_hexavector X);                 // A v X
PH_API double ph_shuffle(ph_coscrew P, ph_hexavector X);         // P v X
PH_API ph_sym4 ph_dyad(ph_coscrew U);                            // U ^ U~

// ---- Dynamics -------------------------------------------------------------------------------------------------------

// `I` is about the centre of mass.
PH_API ph_inertia ph_inertia_make(double mass, ph_vec3 com, ph_mat3 I);
PH_API ph_inertia ph_inertia_add(ph_inertia M, ph_inertia N);
PH_API ph_sym4 ph_inertia_sym4(ph_inertia N);
// Y with s = E v (Y ^ P) for P = A v (N ^ s). PH_SINGULAR unless mass and moments about the centre of mass are positive.
PH_API ph_status ph_inertia_inverse(ph_inertia N, ph_sym4 *Y);

PH_API ph_coscrew ph_momentum(ph_inertia N, ph_twist s);     // P = A v (N ^ s)
PH_API ph_twist ph_velocity(ph_sym4 Y, ph_coscrew P);        // s = E v (Y ^ P)
PH_API double ph_kinetic_energy(ph_inertia N, ph_twist s);   // 1/2 s~ v (N ^ s)
PH_API ph_inertia ph_inertia_rate(ph_inertia N, ph_twist s); // dN/dt = 1/2 (s N - N s) + 1/2 (s~ N - N s~)
// What is left of the equation of motion: N ^ s' + 1/2 ((s~ N - N s~) ^ s) - W E, and the same as
// N ^ s' + {s, P} E - W E, which takes fewer products.
PH_API ph_hexavector ph_motion_defect(ph_inertia N, ph_twist s, ph_twist s_rate, ph_coscrew W);
PH_API ph_hexavector ph_motion_defect_coadjoint(ph_inertia N, ph_twist s, ph_twist s_rate, ph_coscrew W);
PH_API ph_twist ph_acceleration(ph_inertia N, ph_sym4 Y, ph_twist s, ph_coscrew W); // s' = E v (Y ^ (W - {s, P}))

// First-order elasticity and damping: K and D of grade 4, delta a small displacement from equilibrium.
PH_API ph_coscrew ph_elastic_wrench(ph_sym4 K, ph_twist delta); // -A v (K ^ delta)
PH_API double ph_elastic_energy(ph_sym4 K, ph_twist delta);     // 1/2 delta~ v (K ^ delta)
PH_API ph_coscrew ph_damping_wrench(ph_sym4 D, ph_twist s);     // -A v (D ^ s)
PH_API ph_sym4 ph_line_spring(double k, ph_twist L);            // k L ^ L~, L a line of unit direction

// ---- Points, lines and planes ---------------------------------------------------------------------------------------

PH_API ph_point ph_point_make(ph_vec3 x);
PH_API ph_twist ph_line_make(ph_vec3 point, ph_vec3 direction);
PH_API ph_plane ph_plane_make(ph_vec3 point, ph_vec3 normal);
PH_API ph_twist ph_meet_planes(ph_plane a, ph_plane b);               // a ^ b, along n_a x n_b
PH_API ph_point ph_meet_line_plane(ph_twist L, ph_plane plane);       // L ^ pi; w = 0 where they are parallel
PH_API ph_point ph_meet_3_planes(ph_plane a, ph_plane b, ph_plane c); // a ^ b ^ c
PH_API ph_twist ph_join_points(ph_point a, ph_point b);               // a v b, from a to b
PH_API ph_plane ph_join_point_line(ph_point p, ph_twist L);           // p v L
PH_API ph_plane ph_join_3_points(ph_point a, ph_point b, ph_point c); // a v b v c
PH_API double ph_incidence(ph_plane plane, ph_point p);               // pi ^ p = (n . x - d w) E: 0 in the plane

#ifdef __cplusplus
}
#endif
#endif
