// Joint coordinates: slides a_i . d, and angles theta = atan2(S, C) with S and C sums of products a_i . b_k.
//
// With A_ik = a_i . b_k and i, j, k cyclic:
//
//     TURN i       S = A_kj - A_jk,  C = A_jj + A_kk     the twist part of A: 2 atan2(z, w) of its quaternion. About
//                                                        the common axis it is the angle; off it, it stays smooth.
//     CARDAN_A i   S = A_ik,         C = A_kk            A = R_j(alpha) R_k(beta): alpha, about a_j
//     CARDAN_B i   S = A_ji,         C = A_jj            and beta, about b_k; the rotation about i is locked
//
//     theta'  = (C S' - S C') / N,   N = S^2 + C^2
//     theta'' = (C S'' - S C'') / N - 2 theta' (C C' + S S') / N

#include "joints/chain.h"
#include "math/trig.h"

// Up to two products, each with its sign; sign 0 ends the sum.
typedef struct product {
    int i, k;
    double sign;
} product;

typedef struct angle {
    product S[2], C[2];
} angle;

static angle angle_of(coordinate c)
{
    const int i = c.i, j = (i + 1) % 3, k = (i + 2) % 3;
    switch ((coordinate_kind)c.kind) {
    case COORDINATE_CARDAN_A:
        return (angle){.S = {{i, k, 1.0}}, .C = {{k, k, 1.0}}};
    case COORDINATE_CARDAN_B:
        return (angle){.S = {{j, i, 1.0}}, .C = {{j, j, 1.0}}};
    case COORDINATE_TURN:
    case COORDINATE_SLIDE:
    case COORDINATE_CHAIN_TURN:
    case COORDINATE_CHAIN_SLIDE:
        break;
    }
    return (angle){.S = {{k, j, 1.0}, {j, k, -1.0}}, .C = {{j, j, 1.0}, {k, k, 1.0}}};
}

// ---- Sums of products -----------------------------------------------------------------------------------------------

static double sum_value(const joint *j, const geometry *g, const product sum[2])
{
    double value = 0.0;
    for (int n = 0; n < 2 && sum[n].sign != 0.0; n++) {
        value += sum[n].sign * ph_dot(axis_a(j, g, sum[n].i), axis_b(j, g, sum[n].k));
    }
    return value;
}

static gradient sum_gradient(const joint *j, const geometry *g, const product sum[2])
{
    gradient w = {0};
    for (int n = 0; n < 2 && sum[n].sign != 0.0; n++) {
        w = gradient_madd(w, sum[n].sign, dot_gradient(j, g, sum[n].i, sum[n].k));
    }
    return w;
}

static double sum_bias(const joint *j, const geometry *g, const rates *r, const product sum[2])
{
    double bias = 0.0;
    for (int n = 0; n < 2 && sum[n].sign != 0.0; n++) {
        bias += sum[n].sign * dot_bias(j, g, r, sum[n].i, sum[n].k);
    }
    return bias;
}

static void sum_hessian(const joint *j, const geometry *g, const product sum[2], double weight, hessian *H)
{
    for (int n = 0; n < 2 && sum[n].sign != 0.0; n++) {
        dot_hessian(j, g, sum[n].i, sum[n].k, weight * sum[n].sign, H);
    }
}

// ---- Angles ---------------------------------------------------------------------------------------------------------

static gradient angle_gradient(const joint *j, const geometry *g, const angle *t)
{
    const double S = sum_value(j, g, t->S), C = sum_value(j, g, t->C), N = S * S + C * C;
    const gradient w = gradient_madd((gradient){0}, C / N, sum_gradient(j, g, t->S));
    return gradient_madd(w, -S / N, sum_gradient(j, g, t->C));
}

static double angle_bias(const joint *j, const geometry *g, const rates *r, const angle *t)
{
    const double S = sum_value(j, g, t->S), C = sum_value(j, g, t->C), N = S * S + C * C;
    const gradient s = sum_gradient(j, g, t->S), c = sum_gradient(j, g, t->C);
    const double S1 = ph_dot(s.alpha_a, r->w_a) + ph_dot(s.alpha_b, r->w_b);
    const double C1 = ph_dot(c.alpha_a, r->w_a) + ph_dot(c.alpha_b, r->w_b);
    const double S2 = sum_bias(j, g, r, t->S), C2 = sum_bias(j, g, r, t->C);
    return (C * S2 - S * C2) / N - 2.0 * (C * S1 - S * C1) * (C * C1 + S * S1) / (N * N);
}

// H += weight p q^T; p and q are torques, on b the opposite of those on a.
static void add_outer(hessian *H, double weight, ph_vec3 p, ph_vec3 q)
{
    const ph_mat3 M = ph_outer(p, q);
    hessian_add(&H->aa, weight, M);
    hessian_add(&H->ab, -weight, M);
    hessian_add(&H->ba, -weight, M);
    hessian_add(&H->bb, weight, M);
}

// With s, c the gradients of S, C: d(theta) = (C s - S c) / N, and its derivative is
// (C Hs - S Hc + s c^T - c s^T) / N - 2 (C s - S c)(C c + S s)^T / N^2.
static void angle_hessian(const joint *j, const geometry *g, const angle *t, double weight, hessian *H)
{
    const double S = sum_value(j, g, t->S), C = sum_value(j, g, t->C), N = S * S + C * C;
    const ph_vec3 s = sum_gradient(j, g, t->S).alpha_a, c = sum_gradient(j, g, t->C).alpha_a;
    const ph_vec3 along = ph_sub(ph_scale(C, s), ph_scale(S, c)), radial = ph_add(ph_scale(C, c), ph_scale(S, s));
    sum_hessian(j, g, t->S, weight * C / N, H);
    sum_hessian(j, g, t->C, -weight * S / N, H);
    add_outer(H, weight / N, s, c);
    add_outer(H, -weight / N, c, s);
    add_outer(H, -2.0 * weight / (N * N), along, radial);
}

// ---- Coordinates ----------------------------------------------------------------------------------------------------

// TURN, with each axis made once: the same sums.
static double turn_value(const joint *j, const geometry *g, int i)
{
    const int n = (i + 1) % 3, l = (i + 2) % 3;
    const ph_vec3 a_n = axis_a(j, g, n), a_l = axis_a(j, g, l), b_n = axis_b(j, g, n), b_l = axis_b(j, g, l);
    return ph_atan2(ph_dot(a_l, b_n) - ph_dot(a_n, b_l), ph_dot(a_n, b_n) + ph_dot(a_l, b_l));
}

// CARDAN, likewise
static double cardan_value(const joint *j, const geometry *g, coordinate c)
{
    const int i = c.i, n = (i + 1) % 3, l = (i + 2) % 3;
    if (c.kind == COORDINATE_CARDAN_A) {
        const ph_vec3 b = axis_b(j, g, l);
        return ph_atan2(ph_dot(axis_a(j, g, i), b), ph_dot(axis_a(j, g, l), b));
    }
    const ph_vec3 a = axis_a(j, g, n);
    return ph_atan2(ph_dot(a, axis_b(j, g, i)), ph_dot(a, axis_b(j, g, n)));
}

static bool in_chain(coordinate c)
{
    return c.kind == COORDINATE_CHAIN_TURN || c.kind == COORDINATE_CHAIN_SLIDE;
}

double coordinate_value(const joint *j, const geometry *g, coordinate c)
{
    if (in_chain(c)) {
        return chain_value(j, g, c.i);
    }
    if (c.kind == COORDINATE_SLIDE) {
        return ph_dot(axis_a(j, g, c.i), g->d);
    }
    if (c.kind == COORDINATE_TURN) {
        return turn_value(j, g, c.i);
    }
    return cardan_value(j, g, c);
}

gradient coordinate_gradient(const joint *j, const geometry *g, coordinate c)
{
    if (in_chain(c)) {
        return chain_gradient(j, g, c.i);
    }
    const angle t = angle_of(c);
    return c.kind == COORDINATE_SLIDE ? along_gradient(j, g, c.i) : angle_gradient(j, g, &t);
}

double coordinate_bias(const joint *j, const geometry *g, const rates *r, coordinate c)
{
    if (in_chain(c)) {
        return chain_bias(j, g, r, c.i);
    }
    const angle t = angle_of(c);
    return c.kind == COORDINATE_SLIDE ? along_bias(j, g, r, c.i) : angle_bias(j, g, r, &t);
}

void coordinate_hessian(const joint *j, const geometry *g, coordinate c, double weight, hessian *H)
{
    if (in_chain(c)) {
        chain_hessian(j, g, c.i, weight, H);
    } else if (c.kind == COORDINATE_SLIDE) {
        along_hessian(j, g, c.i, weight, H);
    } else {
        const angle t = angle_of(c);
        angle_hessian(j, g, &t, weight, H);
    }
}

// ---- Joints ---------------------------------------------------------------------------------------------------------

// The angle q with as many whole turns as `near` has. The number of turns alone depends on `near`, no digit does.
static inline double with_turns(double q, double near)
{
    const double turn = 6.283185307179586476925;
    return q + turn * rint((near - q) / turn);
}

static inline bool is_axial(const joint *j, coordinate c)
{
    return c.kind == COORDINATE_TURN && j->axial >> c.i & 1u;
}

// TURN i about an axis that both frames share: S = a_l . b_n, C = a_n . b_n.
static double axial_angle(const joint *j, const ph_mat3 *R_a, const ph_mat3 *R_b, int i)
{
    const int n = (i + 1) % 3, l = (i + 2) % 3;
    const ph_vec3 b_n = ph_tmul(*R_a, ph_mul(*R_b, ph_mat_col(j->E_b, n))); // in the axes of body a
    return ph_atan2(ph_dot(ph_mat_col(j->E_a, l), b_n), ph_dot(ph_mat_col(j->E_a, n), b_n));
}

static double value_of(const joint *j, const motion *at, bool closed, coordinate c)
{
    if (closed && is_axial(j, c)) return axial_angle(j, &at->frames[j->a].R, &at->frames[j->b].R, c.i);
    const geometry g = joint_geometry(j, at->frames);
    return coordinate_value(j, &g, c);
}

double joint_coordinate_nearly(const joint *j, const motion *at, int k)
{
    return value_of(j, at, true, j->coordinates[k]);
}

double joint_coordinate(const joint *j, const motion *at, int k)
{
    const coordinate c = j->coordinates[k];
    if (at->angles && is_axial(j, c)) return at->angles[j->first_turn + c.turn];
    const double q = value_of(j, at, at->closed, c) + j->offset[k];
    if (coordinate_slides(c) || !at->turns) {
        return q;
    }
    return with_turns(q, at->turns[j->first_turn + c.turn]);
}

gradient joint_coordinate_gradient(const joint *j, const motion *at, const geometry *g, coordinate c)
{
    if (!at->closed || !is_axial(j, c)) return coordinate_gradient(j, g, c);
    const ph_vec3 axis = axis_a(j, g, c.i);
    return (gradient){ph_neg(axis), axis, ph_zero3()};
}

double joint_rate(const joint *j, const motion *at, int k)
{
    const geometry g = joint_geometry(j, at->frames);
    const rates r = joint_rates(j, &g, at->twists);
    const gradient w = coordinate_gradient(j, &g, j->coordinates[k]);
    return gradient_rate(&w, &r, &at->twists[j->a], &at->twists[j->b]);
}

void joint_push(const joint *j, const frame *frames, int k, double f, ph_wrench *Q)
{
    const geometry g = joint_geometry(j, frames);
    const gradient w = coordinate_gradient(j, &g, j->coordinates[k]);
    ph_wrench *a = &Q[j->a], *b = &Q[j->b];
    a->torque = ph_madd(a->torque, f, ph_tmul(*g.R_a, w.alpha_a));
    b->torque = ph_madd(b->torque, f, ph_tmul(*g.R_b, w.alpha_b));
    a->force = ph_madd(a->force, -f, w.u_b);
    b->force = ph_madd(b->force, f, w.u_b);
}

// Value and gradient of the angle at once: each axis is turned to the world a single time. S = a_i.b_k and its kind have the
// gradients a_i x b_k by the rotation of a.
static double angle_line(const joint *j, const geometry *g, coordinate c, gradient *w)
{
    const int i = c.i, m = (i + 1) % 3, n = (i + 2) % 3;
    const int of_a = c.kind == COORDINATE_CARDAN_A ? i : m, of_b = c.kind == COORDINATE_CARDAN_B ? i : n;
    const int own_a = c.kind == COORDINATE_CARDAN_B ? m : n, own_b = c.kind == COORDINATE_CARDAN_B ? m : n;
    ph_vec3 s, cross;
    double S, C;
    if (c.kind == COORDINATE_TURN) {
        const ph_vec3 a_m = axis_a(j, g, m), a_n = axis_a(j, g, n), b_m = axis_b(j, g, m), b_n = axis_b(j, g, n);
        S = ph_dot(a_n, b_m) - ph_dot(a_m, b_n);
        C = ph_dot(a_m, b_m) + ph_dot(a_n, b_n);
        s = ph_sub(ph_cross(a_n, b_m), ph_cross(a_m, b_n));
        cross = ph_add(ph_cross(a_m, b_m), ph_cross(a_n, b_n));
    } else {
        const ph_vec3 a_s = axis_a(j, g, of_a), b_s = axis_b(j, g, of_b);
        const ph_vec3 a_c = axis_a(j, g, own_a), b_c = axis_b(j, g, own_b);
        S = ph_dot(a_s, b_s);
        C = ph_dot(a_c, b_c);
        s = ph_cross(a_s, b_s);
        cross = ph_cross(a_c, b_c);
    }
    const double over = 1.0 / (S * S + C * C);
    w->alpha_a = ph_madd(ph_scale(C * over, s), -S * over, cross);
    w->alpha_b = ph_neg(w->alpha_a);
    w->u_b = ph_zero3();
    return ph_atan2(S, C);
}

// Its gradient is the axis, the same in each body at all times.
static void axial_line(const joint *j, const motion *at, int k, joint_line *line)
{
    const coordinate c = j->coordinates[k];
    line->q = joint_coordinate(j, at, k);
    line->a = (ph_wrench){ph_neg(ph_mat_col(j->E_a, c.i)), ph_zero3()};
    line->b = (ph_wrench){ph_mat_col(j->E_b, c.i), ph_zero3()};
    line->rate = 0.0;
    if (at->twists)
        line->rate = ph_dot(line->a.torque, at->twists[j->a].omega) + ph_dot(line->b.torque, at->twists[j->b].omega);
}

bool joint_line_stays(const joint *j, const motion *at, int k)
{
    return at->closed && is_axial(j, j->coordinates[k]);
}

void joint_line_at(const joint *j, const motion *at, int k, joint_line *line)
{
    const coordinate c = j->coordinates[k];
    if (at->closed && is_axial(j, c)) {
        axial_line(j, at, k, line);
        return;
    }
    const geometry g = joint_geometry(j, at->frames);
    gradient w;
    if (c.kind == COORDINATE_SLIDE) {
        w = along_gradient(j, &g, c.i);
        line->q = ph_dot(w.u_b, g.d) + j->offset[k];
    } else {
        line->q = (in_chain(c) ? chain_line(j, &g, c.i, &w) : angle_line(j, &g, c, &w)) + j->offset[k];
        if (at->turns && !coordinate_slides(c)) line->q = with_turns(line->q, at->turns[j->first_turn + c.turn]);
    }
    line->a = (ph_wrench){ph_tmul(*g.R_a, w.alpha_a), ph_neg(w.u_b)};
    line->b = (ph_wrench){ph_tmul(*g.R_b, w.alpha_b), w.u_b};
    line->rate = 0.0;
    if (at->twists) {
        const ph_twist *a = &at->twists[j->a], *b = &at->twists[j->b];
        line->rate =
            ph_dot(line->a.torque, a->omega) + ph_dot(line->b.torque, b->omega) + ph_dot(w.u_b, ph_sub(b->v, a->v));
    }
}

void joint_line_stiffness(const joint *j, const frame *frames, int k, double weight, double K[2][2][36])
{
    const geometry g = joint_geometry(j, frames);
    const gradient w = gradient_madd((gradient){0}, weight, coordinate_gradient(j, &g, j->coordinates[k]));
    hessian H = {0};
    coordinate_hessian(j, &g, j->coordinates[k], weight, &H);
    joint_spread_pairs(&g, &w, &H, K[0][0], K[0][1], K[1][0], K[1][1]);
}

static void count_chain(const joint *j, const frame *a, const frame *b, double *turns)
{
    const geometry g = joint_geometry_between(j, a, b);
    chain_look look;
    chain_angles_at(j, &g, &look);
    for (int k = 0; k < j->coordinate_count; k++) {
        const coordinate c = j->coordinates[k];
        if (!coordinate_slides(c)) turns[c.turn] = with_turns(look.q[c.i] + j->offset[k], turns[c.turn]);
    }
}

void joint_count_turns(const joint *j, const frame *a, const frame *b, double *turns)
{
    if (j->chain) {
        count_chain(j, a, b, turns);
        return;
    }
    const geometry g = {.R_a = &a->R, .R_b = &b->R}; // angles do not look at places
    for (int k = 0; k < j->coordinate_count; k++) {
        const coordinate c = j->coordinates[k];
        if (coordinate_slides(c)) continue;
        const double q = is_axial(j, c) ? axial_angle(j, &a->R, &b->R, c.i) : coordinate_value(j, &g, c);
        turns[c.turn] = with_turns(q + j->offset[k], turns[c.turn]);
    }
}
