// Derivatives of the motions of a chain: value, gradient, bias and second derivative, and the rows made of them.
#include "joints/chain.h"

#include <string.h>

typedef struct pairing { // of a turn and a velocity: m . turn + f . move
    ph_vec3 m, f;
} pairing;

static pairing pairing_of(const double w[6])
{
    return (pairing){ph_vec(w[0], w[1], w[2]), ph_vec(w[3], w[4], w[5])};
}

static pairing in_world(const joint *j, const geometry *g, pairing w)
{
    return (pairing){ph_mul(*g->R_a, ph_mul(j->E_a, w.m)), ph_mul(*g->R_a, ph_mul(j->E_a, w.f))};
}

// By the motion of the bodies: V = (w_b - w_a | d' - w_a x d).
static gradient gradient_of(const geometry *g, pairing w)
{
    return (gradient){ph_sub(ph_cross(w.f, ph_add(g->r_a, g->d)), w.m), ph_add(ph_cross(g->r_b, w.f), w.m), w.f};
}

static gradient motion_gradient(const joint *j, const geometry *g, const chain_look *look, int i)
{
    return gradient_of(g, in_world(j, g, pairing_of(look->W[i])));
}

// ---- dJ/dq_k --------------------------------------------------------------------------------------------------------

// How the origin of b moves along motion k.
static ph_vec3 origin_rate(const chain *c, const chain_look *look, int k)
{
    return c->motions[k].slides ? look->u[k] : ph_cross(look->u[k], look->arm[k]);
}

// Column i of dJ/dq_k. A turn k before i carries it; all from i on move the origin of b.
static pairing column_slope(const chain *c, const chain_look *look, int i, int k)
{
    const ph_vec3 none = ph_zero3(), u = look->u[i];
    if (k >= i) return (pairing){none, c->motions[i].slides ? none : ph_cross(u, origin_rate(c, look, k))};
    if (c->motions[k].slides) return (pairing){none, none};
    const ph_vec3 u_k = ph_cross(look->u[k], u);
    if (c->motions[i].slides) return (pairing){none, u_k};
    return (pairing){u_k, ph_add(ph_cross(u_k, look->arm[i]), ph_cross(u, ph_cross(look->u[k], look->arm[i])))};
}

static double pair(const double w[6], pairing V)
{
    return w[0] * V.m.x + w[1] * V.m.y + w[2] * V.m.z + w[3] * V.f.x + w[4] * V.f.y + w[5] * V.f.z;
}

// Row i of dW/dq_k = -W (dJ/dq_k) W.
static pairing row_slope(const chain *c, const chain_look *look, int i, int k)
{
    double row[6] = {0};
    for (int n = 0; n < CHAIN_MOTIONS; n++) {
        const double s = pair(look->W[i], column_slope(c, look, n, k));
        for (int e = 0; e < 6; e++) row[e] -= s * look->W[n][e];
    }
    return pairing_of(row);
}

// ---- Second derivatives ---------------------------------------------------------------------------------------------

// V' - sum_k q'_k dJ/dq_k q' at constant omega (body axes) and v, in axes of a: d turns with a, and w_b - w_a does.
static pairing drift(const joint *j, const geometry *g, const rates *r, const chain_look *look)
{
    const ph_vec3 w = r->w_a;
    const ph_vec3 turn = ph_neg(ph_cross(w, r->w_b));
    const ph_vec3 move = ph_add(ph_madd(r->d2, -2.0, ph_cross(w, r->d1)), ph_cross(w, ph_cross(w, g->d)));
    const ph_mat3 Q = ph_mat_mul(*g->R_a, j->E_a);
    const pairing V = {ph_tmul(Q, ph_sub(r->w_b, w)), ph_tmul(Q, ph_sub(r->d1, ph_cross(w, g->d)))};
    pairing sum = {ph_tmul(Q, turn), ph_tmul(Q, move)};
    double rate[CHAIN_MOTIONS];
    for (int i = 0; i < CHAIN_MOTIONS; i++) rate[i] = pair(look->W[i], V);
    for (int k = 0; k < CHAIN_MOTIONS; k++) {
        for (int i = 0; i < CHAIN_MOTIONS && rate[k] != 0.0; i++) {
            const pairing s = column_slope(j->chain, look, i, k);
            sum.m = ph_madd(sum.m, -rate[k] * rate[i], s.m);
            sum.f = ph_madd(sum.f, -rate[k] * rate[i], s.f);
        }
    }
    return sum;
}

// A pairing that is fixed in a: as along_hessian, with a couple m.
static void fixed_hessian(const geometry *g, pairing w, double weight, hessian *H)
{
    const ph_vec3 e = ph_add(g->d, g->r_a);
    const ph_mat3 F = ph_hat(w.f), M = ph_hat(w.m);
    hessian_add(&H->aa, weight, ph_mat_add(hat_hat(e, w.f), M));
    hessian_add(&H->ab, -weight, hat_hat(w.f, g->r_b));
    hessian_add(&H->au, weight, F);
    hessian_add(&H->ba, -weight, ph_mat_add(hat_hat(g->r_b, w.f), M));
    hessian_add(&H->bb, weight, hat_hat(w.f, g->r_b));
    hessian_add(&H->ua, -weight, F);
}

// H += weight p q^T
static void outer_hessian(const gradient *p, const gradient *q, double weight, hessian *H)
{
    hessian_add(&H->aa, weight, ph_outer(p->alpha_a, q->alpha_a));
    hessian_add(&H->ab, weight, ph_outer(p->alpha_a, q->alpha_b));
    hessian_add(&H->au, weight, ph_outer(p->alpha_a, q->u_b));
    hessian_add(&H->ba, weight, ph_outer(p->alpha_b, q->alpha_a));
    hessian_add(&H->bb, weight, ph_outer(p->alpha_b, q->alpha_b));
    hessian_add(&H->bu, weight, ph_outer(p->alpha_b, q->u_b));
    hessian_add(&H->ua, weight, ph_outer(p->u_b, q->alpha_a));
    hessian_add(&H->ub, weight, ph_outer(p->u_b, q->alpha_b));
    hessian_add(&H->uu, weight, ph_outer(p->u_b, q->u_b));
}

static void motion_hessian(const joint *j, const geometry *g, const chain_look *look, int i, double weight, hessian *H)
{
    fixed_hessian(g, in_world(j, g, pairing_of(look->W[i])), weight, H);
    for (int k = 0; k < CHAIN_MOTIONS; k++) {
        const gradient change = gradient_of(g, in_world(j, g, row_slope(j->chain, look, i, k)));
        const gradient along = motion_gradient(j, g, look, k);
        outer_hessian(&change, &along, weight, H);
    }
}

// ---- One motion -----------------------------------------------------------------------------------------------------

double chain_value(const joint *j, const geometry *g, int i)
{
    chain_look look;
    chain_values_at(j, g, true, &look);
    return look.q[i];
}

gradient chain_gradient(const joint *j, const geometry *g, int i)
{
    chain_look look;
    chain_rows_at(j, g, &look);
    return motion_gradient(j, g, &look, i);
}

double chain_line(const joint *j, const geometry *g, int i, gradient *w)
{
    chain_look look;
    chain_at(j, g, &look);
    *w = motion_gradient(j, g, &look, i);
    return look.q[i];
}

double chain_bias(const joint *j, const geometry *g, const rates *r, int i)
{
    chain_look look;
    chain_rows_at(j, g, &look);
    return pair(look.W[i], drift(j, g, r, &look));
}

void chain_hessian(const joint *j, const geometry *g, int i, double weight, hessian *H)
{
    chain_look look;
    chain_rows_at(j, g, &look);
    motion_hessian(j, g, &look, i, weight, H);
}

// Which motion a row is of: a locked one, or that of a coordinate which is held or turns a rotor; and how many times that it is.
static int motion_of(const joint *j, row it)
{
    return it.kind == ROW_CHAIN ? it.i : j->coordinates[it.i].i;
}

static double times_of(const joint *j, row it)
{
    return it.kind == ROW_ROTOR ? joint_root(j, it.i) : 1.0;
}

static gradient row_line(const joint *j, const geometry *g, const chain_look *look, row it)
{
    return gradient_madd((gradient){0}, times_of(j, it), motion_gradient(j, g, look, motion_of(j, it)));
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

void chain_residuals(const joint *j, const frame *frames, double *phi)
{
    const geometry g = joint_geometry(j, frames);
    chain_look look;
    chain_values_at(j, &g, j->motor != NULL, &look);
    for (int n = 0; n < j->row_count; n++) {
        const row it = j->rows[n];
        phi[n] = it.kind == ROW_ROTOR ? rotor_residual(j, &g, frames, it) : look.q[motion_of(j, it)];
    }
}

static void put(double *to, ph_vec3 turn, ph_vec3 move)
{
    to[0] = turn.x, to[1] = turn.y, to[2] = turn.z;
    to[3] = move.x, to[4] = move.y, to[5] = move.z;
}

void chain_jacobians(const joint *j, const frame *frames, double *B_a, double *B_b)
{
    const geometry g = joint_geometry(j, frames);
    chain_look look;
    chain_rows_at(j, &g, &look);
    for (int n = 0; n < j->row_count; n++) {
        const gradient w = row_line(j, &g, &look, j->rows[n]);
        if (B_a) put(B_a + 6 * n, ph_tmul(*g.R_a, w.alpha_a), ph_neg(w.u_b));
        if (B_b) put(B_b + 6 * n, ph_tmul(*g.R_b, w.alpha_b), w.u_b);
    }
}

void chain_rates(const joint *j, const motion *at, double *rate)
{
    const geometry g = joint_geometry(j, at->frames);
    const rates r = joint_rates(j, &g, at->twists);
    chain_look look;
    chain_rows_at(j, &g, &look);
    for (int n = 0; n < j->row_count; n++) {
        const gradient w = row_line(j, &g, &look, j->rows[n]);
        rate[n] = gradient_rate(&w, &r, &at->twists[j->a], &at->twists[j->b]);
        if (j->rows[n].kind == ROW_ROTOR) rate[n] -= rotor_rate(j, at, j->rows[n]);
    }
}

void chain_biases(const joint *j, const motion *at, double *bias)
{
    const geometry g = joint_geometry(j, at->frames);
    const rates r = joint_rates(j, &g, at->twists);
    chain_look look;
    chain_rows_at(j, &g, &look);
    const pairing V = drift(j, &g, &r, &look);
    for (int n = 0; n < j->row_count; n++)
        bias[n] = times_of(j, j->rows[n]) * pair(look.W[motion_of(j, j->rows[n])], V);
}

void chain_stiffness(const joint *j, const frame *frames, const double *lambda,
                     double K[JOINT_BODIES_MAX][JOINT_BODIES_MAX][36])
{
    const geometry g = joint_geometry(j, frames);
    gradient force = {0};
    hessian H = {0};
    chain_look look;
    chain_rows_at(j, &g, &look);
    for (int n = 0; n < j->row_count; n++) {
        const row it = j->rows[n];
        force = gradient_madd(force, lambda[n], row_line(j, &g, &look, it));
        motion_hessian(j, &g, &look, motion_of(j, it), lambda[n] * times_of(j, it), &H);
    }
    joint_spread(&g, &force, &H, j->slot_a, j->slot_b, K);
}
