// The vectors of a joint in the world and their derivatives, shared by everything that evaluates rows or coordinates.
//
// Small rotations alpha (world axes) and displacements u of the two bodies change the vectors of a joint by
//
//     delta a_i = alpha_a x a_i,   delta b_j = alpha_b x b_j,   delta d = u_b + alpha_b x r_b - u_a - alpha_a x r_a.
#ifndef PH_JOINTS_GEOMETRY_H
#define PH_JOINTS_GEOMETRY_H

#include "joints/joint.h"
#include "math/mat3.h"

// The angle that differs from `x` by whole turns and lies nearest to zero.
static inline double nearest_turn(double x)
{
    const double turn = 6.283185307179586476925;
    return x - turn * rint(x / turn);
}

typedef struct geometry {
    const ph_mat3 *R_a, *R_b;
    ph_vec3 r_a, r_b; // R s: from the centre of mass to the origin of the joint frame
    ph_vec3 d;        // from the origin in a to the origin in b
} geometry;

static inline geometry joint_geometry_between(const joint *j, const frame *a, const frame *b)
{
    geometry g = {.R_a = &a->R, .R_b = &b->R, .r_a = ph_mul(a->R, j->s_a), .r_b = ph_mul(b->R, j->s_b)};
    g.d = ph_sub(ph_add(b->x, g.r_b), ph_add(a->x, g.r_a));
    return g;
}

static inline geometry joint_geometry(const joint *j, const frame *frames)
{
    return joint_geometry_between(j, &frames[j->a], &frames[j->b]);
}

// a_i = R_a E_a e_i
static inline ph_vec3 axis_a(const joint *j, const geometry *g, int i)
{
    return ph_mul(*g->R_a, ph_mat_col(j->E_a, i));
}

// b_i = R_b E_b e_i
static inline ph_vec3 axis_b(const joint *j, const geometry *g, int i)
{
    return ph_mul(*g->R_b, ph_mat_col(j->E_b, i));
}

// ---- First derivatives ----------------------------------------------------------------------------------------------

// Derivative of a function of a joint's vectors by alpha_a, alpha_b and u_b, world axes; by u_a it is -u_b, because all
// functions depend on positions through d only.
typedef struct gradient {
    ph_vec3 alpha_a, alpha_b, u_b;
} gradient;

// x + s y
static inline gradient gradient_madd(gradient x, double s, gradient y)
{
    return (gradient){ph_madd(x.alpha_a, s, y.alpha_a), ph_madd(x.alpha_b, s, y.alpha_b), ph_madd(x.u_b, s, y.u_b)};
}

// Angular velocities in world axes, and the first two time derivatives of d at constant omega (body axes) and v:
//     d'  = v_b + w_b x r_b - v_a - w_a x r_a,     d'' = w_b x (w_b x r_b) - w_a x (w_a x r_a).
typedef struct rates {
    ph_vec3 w_a, w_b;
    ph_vec3 d1, d2;
} rates;

static inline rates rates_of(const geometry *g, const ph_twist *a, const ph_twist *b)
{
    rates r = {.w_a = ph_mul(*g->R_a, a->omega), .w_b = ph_mul(*g->R_b, b->omega)};
    const ph_vec3 a1 = ph_cross(r.w_a, g->r_a), b1 = ph_cross(r.w_b, g->r_b);
    r.d1 = ph_sub(ph_add(b->v, b1), ph_add(a->v, a1));
    r.d2 = ph_sub(ph_cross(r.w_b, b1), ph_cross(r.w_a, a1));
    return r;
}

static inline rates joint_rates(const joint *j, const geometry *g, const ph_twist *twists)
{
    return rates_of(g, &twists[j->a], &twists[j->b]);
}

// Time derivative of a function with gradient w: w . (twists).
static inline double gradient_rate(const gradient *w, const rates *r, const ph_twist *a, const ph_twist *b)
{
    return ph_dot(w->alpha_a, r->w_a) + ph_dot(w->alpha_b, r->w_b) + ph_dot(w->u_b, ph_sub(b->v, a->v));
}

// ---- Second derivatives ---------------------------------------------------------------------------------------------

// Derivative of a gradient (torque on a, torque on b, force on b) by alpha_a, alpha_b and u_b, world axes.
typedef struct hessian {
    ph_mat3 aa, ab, au, ba, bb, bu, ua, ub, uu;
} hessian;

static inline void hessian_add(ph_mat3 *to, double s, ph_mat3 M)
{
    *to = ph_mat_madd(*to, s, M);
}

// p~ q~ = q p^T - (p . q) I
static inline ph_mat3 hat_hat(ph_vec3 p, ph_vec3 q)
{
    return ph_mat_madd(ph_outer(q, p), -ph_dot(p, q), ph_identity());
}

// ---- coordinates.c --------------------------------------------------------------------------------------------------
//
// Coordinate c of a joint as the frames give it: angles from -pi to pi, slides from a's origin.

double coordinate_value(const joint *j, const geometry *g, coordinate c);
gradient coordinate_gradient(const joint *j, const geometry *g, coordinate c);
// The same, of joints that are closed from the axis alone.
gradient joint_coordinate_gradient(const joint *j, const motion *at, const geometry *g, coordinate c);
double coordinate_bias(const joint *j, const geometry *g, const rates *r, coordinate c); // (d(gradient)/dt) v
void coordinate_hessian(const joint *j, const geometry *g, coordinate c, double weight, hessian *H); // H += weight *

// ---- rows.c ---------------------------------------------------------------------------------------------------------

gradient row_gradient(const joint *j, const geometry *g, row it, const motion *at); // not of ROW_POINT

// ---- stiffness.c ----------------------------------------------------------------------------------------------------

// Adds the derivative H of a joint's `force`, turned to body axes, to the blocks of its bodies (slot -1: none).
void joint_spread(const geometry *g, const gradient *force, const hessian *H, int slot_a, int slot_b,
                  double K[JOINT_BODIES_MAX][JOINT_BODIES_MAX][36]);
// The same into the blocks of a and b themselves; NULL: that body cannot move.
void joint_spread_pairs(const geometry *g, const gradient *force, const hessian *H, double *aa, double *ab, double *ba,
                        double *bb);

// ---- rotor.c: the rows of rotors ------------------------------------------------------------------------------------

double rotor_residual(const joint *j, const geometry *g, const frame *frames, row it);
double rotor_rate(const joint *j, const motion *at, row it); // of its slide
void rotor_jacobian(const joint *j, double *B);              // the blocks of its rotors

// ---- gear.c: the row of a gear --------------------------------------------------------------------------------------

double gear_residual(const joint *j, const motion *at);
void gear_jacobian(const joint *j, const motion *at, double *B);
double gear_rate(const joint *j, const motion *at);
double gear_bias(const joint *j, const motion *at);
void gear_stiffness(const joint *j, const frame *frames, double lambda,
                    double K[JOINT_BODIES_MAX][JOINT_BODIES_MAX][36]);

// ---- generic_velocity.c: its rows -----------------------------------------------------------------------------------

gradient velocity_gradient(const joint *j, const geometry *g, const motion *at, int i);
double velocity_wanted(const joint *j, const motion *at, int i); // b
// d(A v)/dq of row i at fixed twists and coefficients; and to row `row` of S what the joints add that coefficients name,
// with those of -b where it is wanted.
gradient velocity_slope(const joint *j, const geometry *g, const rates *r, const motion *at, int i);
void velocity_add_slopes(const joint *j, const geometry *g, const rates *r, const motion *at, int i, bool with_b,
                         int row, double *S);
// (dA/dt) v - db/dt, the part of coefficients and of b: by time, and by the joints they name
double velocity_drift(const joint *j, const geometry *g, const rates *r, const motion *at, int i);

// ---- slopes.c -------------------------------------------------------------------------------------------------------

double slip_bias(const joint *j, const geometry *g, const rates *r, const motion *at, row it); // (dA/dt) v - db/dt
// K += d(B^T lambda)/dq of the rows of surfaces and of velocities.
void slip_stiffness(const joint *j, const motion *at, const double *lambda,
                    double K[JOINT_BODIES_MAX][JOINT_BODIES_MAX][36]);

// ---- a_i . d and a_i . b_k, which rows and coordinates share ---------------------------------------------------------

// a_i . d
gradient along_gradient(const joint *j, const geometry *g, int i);
double along_bias(const joint *j, const geometry *g, const rates *r, int i);
void along_hessian(const joint *j, const geometry *g, int i, double weight, hessian *H);

// a_i . b_k
gradient dot_gradient(const joint *j, const geometry *g, int i, int k);
double dot_bias(const joint *j, const geometry *g, const rates *r, int i, int k);
void dot_hessian(const joint *j, const geometry *g, int i, int k, double weight, hessian *H);

#endif
