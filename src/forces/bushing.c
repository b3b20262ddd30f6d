// Bushing: full 6x6 stiffness and damping between a frame of a and a frame of b.
//
// With H the pose of frame b in frame a, delta = log H (rotation | translation) and xi the twist of frame b relative to
// frame a, in the axes and at the origin of frame b:
//
//     U = 1/2 delta^T K delta,    delta' = T^-1(delta) xi,    hence   w = -T^-T(delta) (K delta + C delta')
//
// is the wrench on b, at the origin and in the axes of frame b, exactly the gradient of U for any size of delta; a gets
// its opposite at the same point. The damper takes delta'^T C delta'. |delta| of the rotation stays below pi.

#include "forces/derivative.h"
#include "forces/pull.h"
#include "forces/types.h"
#include "math/se3.h"

#include <string.h>

typedef struct relation {
    ph_mat3 W;        // axes of frame b in the world
    ph_vec3 r_a, r_b; // from the centres of mass to the origin of frame b
    ph_twist delta;
} relation;

static relation relation_of(const force *f, const motion *at)
{
    const frame *a = &at->frames[f->a], *b = &at->frames[f->b];
    const ph_mat3 W_a = ph_mat_mul(a->R, f->E_a);
    relation r = {.W = ph_mat_mul(b->R, f->E_b), .r_b = ph_mul(b->R, f->s_b)};
    const ph_vec3 origin = ph_add(b->x, r.r_b);
    r.r_a = ph_sub(origin, a->x);
    const ph_vec3 apart = ph_sub(r.r_a, ph_mul(a->R, f->s_a));
    r.delta = ph_se3_log((ph_pose){ph_quat_from_mat(ph_mat_tmul(W_a, r.W)), ph_tmul(W_a, apart)});
    return r;
}

// delta' = T^-1(delta) xi
static ph_twist delta_rate(const force *f, const motion *at, const relation *r)
{
    const ph_twist *a = &at->twists[f->a], *b = &at->twists[f->b];
    const ph_vec3 w_a = ph_mul(at->frames[f->a].R, a->omega), w_b = ph_mul(at->frames[f->b].R, b->omega);
    const ph_vec3 v = ph_sub(ph_add(b->v, ph_cross(w_b, r->r_b)), ph_add(a->v, ph_cross(w_a, r->r_a)));
    return ph_se3_dexp_inv(r->delta, (ph_twist){ph_tmul(r->W, ph_sub(w_b, w_a)), ph_tmul(r->W, v)});
}

static ph_wrench multiply(const double M[6][6], ph_twist t)
{
    const double x[6] = {t.omega.x, t.omega.y, t.omega.z, t.v.x, t.v.y, t.v.z};
    double y[6] = {0};
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 6; k++) {
            y[i] += M[i][k] * x[k];
        }
    }
    return (ph_wrench){ph_vec(y[0], y[1], y[2]), ph_vec(y[3], y[4], y[5])};
}

static double pair(ph_wrench w, ph_twist t)
{
    return ph_dot(w.torque, t.omega) + ph_dot(w.force, t.v);
}

// What acts on a body, from the wrench in the world at distance r from its centre of mass.
static ph_wrench push(const frame *body_frame, ph_vec3 r, ph_vec3 torque, ph_vec3 acting)
{
    return (ph_wrench){ph_tmul(body_frame->R, ph_add(torque, ph_cross(r, acting))), acting};
}

// m: the wrench on b at the origin and in the axes of frame b
static void spread(const force *f, const motion *at, const relation *r, ph_wrench m, ph_wrench *a, ph_wrench *b)
{
    const ph_vec3 torque = ph_mul(r->W, m.torque), acting = ph_mul(r->W, m.force);
    *b = push(&at->frames[f->b], r->r_b, torque, acting);
    *a = push(&at->frames[f->a], r->r_a, ph_neg(torque), ph_neg(acting));
}

static ph_wrench minus_sum(ph_wrench x, ph_wrench y)
{
    return (ph_wrench){ph_neg(ph_add(x.torque, y.torque)), ph_neg(ph_add(x.force, y.force))};
}

static bool is_damped(const force *f)
{
    for (int k = 0; k < 36; k++) {
        if (f->def->damping6[k / 6][k % 6] != 0.0) return true;
    }
    return false;
}

static void act(const force *f, const motion *at, exertion *out)
{
    const relation r = relation_of(f, at);
    const ph_wrench elastic = multiply(f->def->stiffness6, r.delta), none = {ph_zero3(), ph_zero3()};
    const ph_wrench viscous = f->does_work ? multiply(f->def->damping6, delta_rate(f, at, &r)) : none;
    spread(f, at, &r, ph_se3_dexp_inv_t(r.delta, minus_sum(elastic, viscous)), &out->a, &out->b);
    if (f->does_work)
        spread(f, at, &r, ph_se3_dexp_inv_t(r.delta, minus_sum(none, viscous)), &out->work_a, &out->work_b);
}

static double potential(const force *f, const motion *at)
{
    const relation r = relation_of(f, at);
    return 0.5 * pair(multiply(f->def->stiffness6, r.delta), r.delta);
}

// Along delta: unit wrenches T^-T e.
static void lines(const force *f, const motion *at, force_lines *to)
{
    const relation r = relation_of(f, at);
    const ph_wrench elastic = multiply(f->def->stiffness6, r.delta);
    const double pull[6] = {elastic.torque.x, elastic.torque.y, elastic.torque.z,
                            elastic.force.x,  elastic.force.y,  elastic.force.z};
    to->count = 6;
    for (int k = 0; k < 6; k++) {
        const double turn = k < 3, move = k >= 3;
        const ph_vec3 e = ph_vec(k % 3 == 0, k % 3 == 1, k % 3 == 2);
        const ph_wrench unit = {ph_scale(turn, e), ph_scale(move, e)};
        spread(f, at, &r, ph_se3_dexp_inv_t(r.delta, unit), &to->a[k], &to->b[k]);
        to->pull[k] = -pull[k];
    }
    memcpy(to->K, f->def->stiffness6, sizeof to->K);
    memcpy(to->C, f->def->damping6, sizeof to->C);
}

// ---- Derivative -----------------------------------------------------------------------------------------------------
//
// Small motions of the bodies move frame b relative to frame a by eta = N_a dq_a + N_b dq_b, seen in frame b, and what acts
// on body y is N_y^T m. With x the twist of a at frame b, seen there, and T = T(delta):
//
//     d delta  = T^-1 eta
//     d xi     = (0 | W^T (v_b~ R_b theta_b - v_a~ R_a theta_a)) + [eta, x]
//     d delta' = d(T^-1 xi)/d delta d delta + T^-1 d xi
//     dm       = d(T^-T p)/d delta d delta - T^-T (K d delta + C d delta'),            p = -(K delta + C delta')
//     dQ_y     = N_y^T (dm - [y is a] ad(eta)^T m) + (0 | -F_y~ R_y theta_y)

typedef struct matrix6 {
    double m[36];
} matrix6;

static matrix6 from_blocks(const ph_mat6 *M)
{
    matrix6 out;
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < 6; c++) out.m[6 * r + c] = M->block[r / 3][c / 3].m[r % 3][c % 3];
    return out;
}

// s X^T Y where `transposed`, else s X Y
static matrix6 product(double s, const matrix6 *X, bool transposed, const matrix6 *Y)
{
    matrix6 out = {{0}};
    for (int r = 0; r < 6; r++)
        for (int k = 0; k < 6; k++) {
            const double x = s * (transposed ? X->m[6 * k + r] : X->m[6 * r + k]);
            for (int c = 0; c < 6; c++) out.m[6 * r + c] += x * Y->m[6 * k + c];
        }
    return out;
}

static void add_matrix(matrix6 *X, const matrix6 *Y)
{
    for (int e = 0; e < 36; e++) X->m[e] += Y->m[e];
}

static void add_at(matrix6 *X, int row, int column, double s, ph_mat3 A)
{
    block_add(X->m, row, column, s, A);
}

// sign [W^T R, 0; -W^T r~ R, W^T]
static matrix6 motion_of_frame(const relation *r, const frame *body, ph_vec3 arm, double sign)
{
    matrix6 N = {{0}};
    add_at(&N, 0, 0, sign, ph_mat_tmul(r->W, body->R));
    add_at(&N, 3, 0, -sign, ph_mat_tmul(r->W, ph_hat_mul(arm, body->R)));
    add_at(&N, 3, 3, sign, ph_transpose(r->W));
    return N;
}

// The matrix of eta -> [eta, x], and that of eta -> ad(eta)^T m
static matrix6 bracket_with(ph_twist x)
{
    matrix6 A = {{0}};
    add_at(&A, 0, 0, -1.0, ph_hat(x.omega));
    add_at(&A, 3, 0, -1.0, ph_hat(x.v));
    add_at(&A, 3, 3, -1.0, ph_hat(x.omega));
    return A;
}

static matrix6 cobracket_with(ph_wrench m)
{
    matrix6 A = {{0}};
    add_at(&A, 0, 0, 1.0, ph_hat(m.torque));
    add_at(&A, 0, 3, 1.0, ph_hat(m.force));
    add_at(&A, 3, 0, 1.0, ph_hat(m.force));
    return A;
}

typedef struct linear {
    relation r;
    ph_wrench m;      // on b, in frame b
    matrix6 by_eta;   // dm/d eta at fixed xi
    matrix6 by_xi;    // dm/d xi
    matrix6 turn_eta; // eta -> [eta, x]
    matrix6 N[2];     // of a and b
} linear;

static void linearise(const force *f, const motion *at, linear *l)
{
    const frame *a = &at->frames[f->a], *b = &at->frames[f->b];
    const ph_twist *va = &at->twists[f->a];
    l->r = relation_of(f, at);
    const ph_vec3 w_a = ph_mul(a->R, va->omega), v_a = ph_add(va->v, ph_cross(w_a, l->r.r_a));
    const ph_twist delta = l->r.delta, rate = delta_rate(f, at, &l->r), xi = ph_se3_dexp(delta, rate);
    const ph_wrench p = minus_sum(multiply(f->def->stiffness6, delta), multiply(f->def->damping6, rate));
    const ph_mat6 T = ph_se3_dexp_inv_matrix(delta), dT = ph_se3_dexp_inv_d(delta, xi);
    const ph_mat6 dp = ph_se3_dexp_inv_t_d(delta, p);
    const matrix6 T_inv = from_blocks(&T), T_xi = from_blocks(&dT);
    matrix6 K, C;
    memcpy(&K, f->def->stiffness6, sizeof K);
    memcpy(&C, f->def->damping6, sizeof C);
    const matrix6 CT = product(1.0, &C, false, &T_xi);
    add_matrix(&K, &CT); // K + C d(T^-1 xi)/d delta
    matrix6 by_delta = product(-1.0, &T_inv, true, &K);
    const matrix6 own = from_blocks(&dp), viscous = product(-1.0, &T_inv, true, &C);
    add_matrix(&by_delta, &own);
    l->m = ph_se3_dexp_inv_t(delta, p);
    l->by_eta = product(1.0, &by_delta, false, &T_inv);
    l->by_xi = product(1.0, &viscous, false, &T_inv);
    l->turn_eta = bracket_with((ph_twist){ph_tmul(l->r.W, w_a), ph_tmul(l->r.W, v_a)});
    l->N[0] = motion_of_frame(&l->r, a, l->r.r_a, -1.0);
    l->N[1] = motion_of_frame(&l->r, b, l->r.r_b, 1.0);
}

// dm by the motion of body y: by_eta N + by_xi (turn_eta N + sign (0 | W^T v~ R theta))
static matrix6 wrench_by_position(const linear *l, const motion *at, int body, int y)
{
    matrix6 xi = product(1.0, &l->turn_eta, false, &l->N[y]);
    const ph_mat3 swing = ph_hat_mul(at->twists[body].v, at->frames[body].R);
    add_at(&xi, 3, 0, y ? 1.0 : -1.0, ph_mat_tmul(l->r.W, swing));
    matrix6 m = product(1.0, &l->by_eta, false, &l->N[y]);
    const matrix6 moved = product(1.0, &l->by_xi, false, &xi);
    add_matrix(&m, &moved);
    return m;
}

static void derive(const force *f, const motion *at, derivative *to)
{
    linear l;
    linearise(f, at, &l);
    const int bodies[2] = {f->a, f->b};
    const ph_vec3 on_b = ph_mul(l.r.W, l.m.force);
    for (int y = 0; y < 2; y++) {
        const matrix6 m_q = wrench_by_position(&l, at, bodies[y], y), m_v = product(1.0, &l.by_xi, false, &l.N[y]);
        const matrix6 shifted = cobracket_with(l.m), turned = product(-1.0, &shifted, false, &l.N[y]);
        for (int x = 0; x < 2; x++) {
            matrix6 acting = m_q;
            if (x == 0) add_matrix(&acting, &turned);
            matrix6 by_q = product(1.0, &l.N[x], true, &acting);
            const matrix6 by_v = product(1.0, &l.N[x], true, &m_v);
            if (x == y) add_at(&by_q, 3, 0, x ? -1.0 : 1.0, ph_hat_mul(on_b, at->frames[bodies[x]].R));
            to->add(to->user, bodies[x], bodies[y], by_q.m, by_v.m);
        }
    }
}

// Both frames lie at the anchor, with the given axes, at the start.
static const char *make(force *f, const motion *start)
{
    const frame *a = &start->frames[f->a], *b = &start->frames[f->b];
    const ph_mat3 W = ph_quat_to_mat(f->def->orientation);
    f->E_a = ph_mat_tmul(a->R, W);
    f->E_b = ph_mat_tmul(b->R, W);
    f->s_a = ph_tmul(a->R, ph_sub(f->def->anchor, a->x));
    f->s_b = ph_tmul(b->R, ph_sub(f->def->anchor, b->x));
    return NULL;
}

static const element_key keys[] = {
    {"bodies", KEY_BODIES, FORCE_KEY(body_a), .needed = true},
    {"anchor", KEY_PLACE, FORCE_KEY(anchor), .needed = true},
    {"orientation", KEY_ORIENTATION, FORCE_KEY(orientation)},
    {"stiffness", KEY_MATRIX6, FORCE_KEY(stiffness6), .rule = SYMMETRIC},
    {"damping", KEY_MATRIX6, FORCE_KEY(damping6)},
    {0},
};

// delta and its rates along the motion and along w, from what the element exerts.
typedef struct bushing_look {
    double delta[6], rate[6], along[6];
} bushing_look;

static void put_twist(double x[6], ph_twist t)
{
    x[0] = t.omega.x, x[1] = t.omega.y, x[2] = t.omega.z;
    x[3] = t.v.x, x[4] = t.v.y, x[5] = t.v.z;
}

static ph_twist twist_at(const force *f, const motion *at, const ph_twist *v, ph_mat3 W, ph_vec3 r_a, ph_vec3 r_b)
{
    const ph_vec3 w_a = ph_mul(at->frames[f->a].R, v[f->a].omega), w_b = ph_mul(at->frames[f->b].R, v[f->b].omega);
    const ph_vec3 u = ph_sub(ph_add(v[f->b].v, ph_cross(w_b, r_b)), ph_add(v[f->a].v, ph_cross(w_a, r_a)));
    return (ph_twist){ph_tmul(W, ph_sub(w_b, w_a)), ph_tmul(W, u)};
}

static bushing_look look_at_bushing(const force *f, const motion *at, const ph_twist *w)
{
    const frame *a = &at->frames[f->a], *b = &at->frames[f->b];
    const ph_mat3 W_a = ph_mat_mul(a->R, f->E_a), W = ph_mat_mul(b->R, f->E_b);
    const ph_vec3 r_b = ph_mul(b->R, f->s_b), r_a = ph_sub(ph_add(b->x, r_b), a->x);
    const ph_vec3 apart = ph_sub(r_a, ph_mul(a->R, f->s_a));
    const ph_twist delta = ph_se3_log((ph_pose){ph_quat_from_mat(ph_mat_tmul(W_a, W)), ph_tmul(W_a, apart)});
    bushing_look look;
    put_twist(look.delta, delta);
    put_twist(look.rate, ph_se3_dexp_inv(delta, twist_at(f, at, at->twists, W, r_a, r_b)));
    put_twist(look.along, ph_se3_dexp_inv(delta, twist_at(f, at, w, W, r_a, r_b)));
    return look;
}

static void numbers(const force *f, const motion *at, const force_ends *e)
{
    if (!e->to->own) return;
    const bushing_look look = look_at_bushing(f, at, e->w);
    for (int k = 0; k < 36 && e->to->matrices; k++) {
        e->to->matrices[k] -= e->scale * look.along[k / 6] * look.delta[k % 6];
        e->to->matrices[36 + k] -= e->scale * look.along[k / 6] * look.rate[k % 6];
    }
    force_pull_frame_a(f, at, e);
    force_pull_frame_b(f, at, e);
}

const force_type force_bushing = {
    .name = "bushing",
    .title = "6x6 stiffness and damping between two frames",
    .keys = keys,
    .symmetry = FORCE_RELATIVE,
    .make = make,
    .needs_velocity = is_damped,
    .does_work = is_damped,
    .linear_in_velocity = true,
    .act = act,
    .derive = derive,
    .numbers = numbers,
    .has_matrices = true,
    .potential = potential,
    .lines = lines,
};
