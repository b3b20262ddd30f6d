// Bushing: full 6x6 stiffness and damping between a frame of a and a frame of b.
//
// With H the pose of frame b in frame a, delta = log H (rotation | translation) and xi the twist of frame b relative to
// frame a, in the axes and at the origin of frame b:
//
//     U = 1/2 delta^T K delta,    delta' = T^-1(delta) xi,    hence   w = -T^-T(delta) (K delta + C delta')
//
// is the wrench on b, at the origin and in the axes of frame b, exactly the gradient of U for any size of delta; a gets
// its opposite at the same point. The damper takes delta'^T C delta'. |delta| of the rotation stays below pi.

#include "forces/types.h"

#include "math/se3.h"

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

// A wrench in the world at distance r from the centre of mass.
static void push(ph_wrench *Q, const frame *body_frame, ph_vec3 r, ph_vec3 torque, ph_vec3 acting)
{
    Q->torque = ph_add(Q->torque, ph_tmul(body_frame->R, ph_add(torque, ph_cross(r, acting))));
    Q->force = ph_add(Q->force, acting);
}

static void apply(const force *f, const motion *at, ph_wrench *Q)
{
    const relation r = relation_of(f, at);
    const ph_wrench elastic = multiply(f->def->stiffness6, r.delta);
    const ph_wrench viscous = multiply(f->def->damping6, delta_rate(f, at, &r));
    const ph_wrench sum = {ph_add(elastic.torque, viscous.torque), ph_add(elastic.force, viscous.force)};
    const ph_wrench w = ph_se3_dexp_inv_t(r.delta, sum);
    const ph_vec3 torque = ph_mul(r.W, w.torque), acting = ph_mul(r.W, w.force);
    push(&Q[f->b], &at->frames[f->b], r.r_b, ph_neg(torque), ph_neg(acting));
    push(&Q[f->a], &at->frames[f->a], r.r_a, torque, acting);
}

static double potential(const force *f, const motion *at)
{
    const relation r = relation_of(f, at);
    return 0.5 * pair(multiply(f->def->stiffness6, r.delta), r.delta);
}

static double power(const force *f, const motion *at)
{
    const relation r = relation_of(f, at);
    const ph_twist rate = delta_rate(f, at, &r);
    return -pair(multiply(f->def->damping6, rate), rate);
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

const force_type force_bushing = {
    .name = "bushing",
    .title = "6x6 stiffness and damping between two frames",
    .uses = FORCE_BODIES | FORCE_BUSHING,
    .make = make,
    .apply = apply,
    .potential = potential,
    .power = power,
};
