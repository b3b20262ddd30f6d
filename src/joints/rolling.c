// Rolling contact: where two surfaces touch, and how the rows there change with the positions.
#include "joints/rolling.h"

// ---- Where they touch -----------------------------------------------------------------------------------------------

static ph_vec3 scaled(ph_vec3 squares, ph_vec3 m)
{
    return ph_vec(squares.x * m.x, squares.y * m.y, squares.z * m.z);
}

static bool is_round(const rolling *it)
{
    return it->squares.x == 0.0 && it->squares.y == 0.0 && it->squares.z == 0.0;
}

// Q y and |D m|
static double support(const joint *j, const geometry *g, ph_vec3 n, ph_vec3 *Qy)
{
    const ph_mat3 Q = ph_mat_mul(*g->R_b, j->E_b);
    const ph_vec3 m = ph_tmul(Q, n), Dm = scaled(j->rolling->squares, m);
    const double size = sqrt(ph_dot(m, Dm));
    *Qy = ph_scale(1.0 / size, ph_mul(Q, Dm));
    return size;
}

// From the axis of a cylinder, or the centre of a sphere.
static ph_vec3 arm(const joint *j, const geometry *g)
{
    const ph_vec3 z = axis_a(j, g, 2);
    return j->rolling->surface == PH_SURFACE_CYLINDER ? ph_madd(g->d, -ph_dot(z, g->d), z) : g->d;
}

// The axis of frame a that is farthest from n: tangents of a sphere are made from it.
static int farthest_axis(const joint *j, const geometry *g, ph_vec3 n)
{
    int best = 0;
    double least = 2.0;
    for (int i = 0; i < 3; i++) {
        const double along = fabs(ph_dot(axis_a(j, g, i), n));
        if (along < least) least = along, best = i;
    }
    return best;
}

static void set_tangents(const joint *j, const geometry *g, contact *at)
{
    const bool plane = j->rolling->surface == PH_SURFACE_PLANE;
    const ph_vec3 z = plane ? at->n : axis_a(j, g, 2);
    at->along[0] = at->n;
    if (j->rolling->blade) {
        at->along[1] = ph_unit(ph_cross(z, axis_b(j, g, 0)));
        at->along[2] = ph_cross(z, at->along[1]);
    } else if (plane) {
        at->along[1] = axis_a(j, g, 0);
        at->along[2] = axis_a(j, g, 1);
    } else if (j->rolling->surface == PH_SURFACE_CYLINDER) {
        at->along[1] = z;
        at->along[2] = ph_cross(z, at->n);
    } else {
        at->along[1] = ph_unit(ph_cross(axis_a(j, g, farthest_axis(j, g, at->n)), at->n));
        at->along[2] = ph_cross(at->n, at->along[1]);
    }
}

contact rolling_contact(const joint *j, const geometry *g)
{
    const rolling *it = j->rolling;
    contact at = {.n = axis_a(j, g, 2)};
    if (it->surface != PH_SURFACE_PLANE) at.n = ph_scale(it->side, ph_unit(arm(j, g)));
    at.c = ph_scale(-it->rho, at.n);
    if (!is_round(it)) {
        ph_vec3 Qy;
        support(j, g, at.n, &Qy);
        at.c = ph_sub(at.c, Qy);
    }
    set_tangents(j, g, &at);
    return at;
}

double rolling_gap(const joint *j, const geometry *g)
{
    const rolling *it = j->rolling;
    if (it->surface != PH_SURFACE_PLANE) return it->side * (ph_norm(arm(j, g)) - it->radius) - it->rho;
    const ph_vec3 n = axis_a(j, g, 2);
    ph_vec3 Qy;
    return ph_dot(n, g->d) - it->rho - (is_round(it) ? 0.0 : support(j, g, n, &Qy));
}

bool rolling_is_flat(const joint *j, const frame *frames)
{
    if (!j->rolling) return false;
    const geometry g = joint_geometry(j, frames);
    const ph_vec3 n = axis_a(j, &g, 2), squares = j->rolling->squares;
    const double largest = sqrt(ph_max(squares.x, ph_max(squares.y, squares.z)));
    if (j->rolling->blade) return ph_norm(ph_cross(n, axis_b(j, &g, 0))) < ROLLING_FLAT;
    ph_vec3 Qy;
    return !is_round(j->rolling) && !(support(j, &g, n, &Qy) > ROLLING_FLAT * largest);
}

gradient rolling_gradient(const geometry *g, const contact *at, int k)
{
    const ph_vec3 e = at->along[k], arm_b = ph_add(g->r_b, at->c), arm_a = ph_add3(g->r_a, g->d, at->c);
    return (gradient){ph_cross(e, arm_a), ph_cross(arm_b, e), e};
}

// ---- Surfaces that move ---------------------------------------------------------------------------------------------

belt rolling_belt(const joint *j, const geometry *g, const motion *at)
{
    belt moving = {0};
    for (int i = 0; j->rolling->belt && i < 4; i++) {
        const expression_jet now = value_derivatives(&j->rolling->belt[i], at, at->time);
        const ph_vec3 axis = axis_a(j, g, i < 3 ? i : 2);
        ph_vec3 *to = i < 3 ? &moving.slide : &moving.spin, *rate = i < 3 ? &moving.slide_rate : &moving.spin_rate;
        *to = ph_madd(*to, now.value, axis);
        *rate = ph_madd(*rate, now.rate, axis);
    }
    return moving;
}

double rolling_wanted(const geometry *g, const contact *at, const belt *moving, int k)
{
    return ph_dot(at->along[k], ph_add(moving->slide, ph_cross(moving->spin, ph_add(g->d, at->c))));
}

// ---- Derivatives ----------------------------------------------------------------------------------------------------

static ph_mat3 across(ph_vec3 n, double scale)
{
    return ph_mat_scale(scale, ph_mat_sub(ph_identity(), ph_outer(n, n)));
}

static vector_slope normal_slope(const joint *j, const geometry *g, ph_vec3 n)
{
    const rolling *it = j->rolling;
    vector_slope N = {0};
    if (it->surface == PH_SURFACE_PLANE) {
        N.a = ph_hat(ph_neg(n));
        return N;
    }
    const ph_vec3 z = axis_a(j, g, 2);
    const ph_mat3 P = across(n, it->side / ph_norm(arm(j, g)));
    N.d = P;
    if (it->surface == PH_SURFACE_CYLINDER) {
        const ph_mat3 turned = ph_mat_sub(ph_mat_scale(ph_dot(z, g->d), ph_hat(z)), ph_outer(z, ph_cross(z, g->d)));
        N.a = ph_mat_mul(P, turned);
        N.d = ph_mat_mul(P, across(z, 1.0));
    }
    return N;
}

// delta c = -rho delta n + (Q y)~ alpha_b + G n~ (alpha_a - alpha_b),   G = Q (D^2 - y y^T) Q^T/|D m|
static vector_slope arm_slope(const joint *j, const geometry *g, ph_vec3 n, const vector_slope *N)
{
    const rolling *it = j->rolling;
    vector_slope C = {ph_mat_scale(-it->rho, N->a), ph_mat_zero(), ph_mat_scale(-it->rho, N->d)};
    if (is_round(it)) return C;
    ph_vec3 Qy;
    const ph_mat3 Q = ph_mat_mul(*g->R_b, j->E_b);
    const double size = support(j, g, n, &Qy);
    const ph_mat3 D = ph_mat_mul(Q, ph_mat_mult(ph_diag(it->squares), Q));
    const ph_mat3 G = ph_mat_mul(ph_mat_scale(1.0 / size, ph_mat_sub(D, ph_outer(Qy, Qy))), ph_hat(n));
    C.a = ph_mat_add(C.a, G);
    C.b = ph_mat_sub(ph_hat(Qy), G);
    return C;
}

// t = x/|x|, x = p x q, from the derivatives of p and q
static vector_slope unit_cross_slope(ph_vec3 p, const vector_slope *dp, ph_vec3 q, const vector_slope *dq)
{
    const ph_vec3 x = ph_cross(p, q);
    const ph_mat3 P = across(ph_unit(x), 1.0 / ph_norm(x)), p_hat = ph_hat(p), q_hat = ph_hat(q);
    return (vector_slope){ph_mat_mul(P, ph_mat_sub(ph_mat_mul(p_hat, dq->a), ph_mat_mul(q_hat, dp->a))),
                          ph_mat_mul(P, ph_mat_sub(ph_mat_mul(p_hat, dq->b), ph_mat_mul(q_hat, dp->b))),
                          ph_mat_mul(P, ph_mat_sub(ph_mat_mul(p_hat, dq->d), ph_mat_mul(q_hat, dp->d)))};
}

static vector_slope fixed_in_a(ph_vec3 e)
{
    return (vector_slope){.a = ph_hat(ph_neg(e))};
}

static vector_slope tangent_slope(const joint *j, const geometry *g, const contact *at, const vector_slope *N, int k)
{
    const bool plane = j->rolling->surface == PH_SURFACE_PLANE;
    if (k == 0) return *N;
    if (plane && !j->rolling->blade) return fixed_in_a(at->along[k]);
    const ph_vec3 z = axis_a(j, g, 2);
    const vector_slope dz = fixed_in_a(z);
    if (j->rolling->blade) {
        const ph_vec3 x = axis_b(j, g, 0);
        return unit_cross_slope(z, &dz, x, &(vector_slope){.b = ph_mat_scale(-1.0, ph_hat(x))});
    }
    if (j->rolling->surface == PH_SURFACE_CYLINDER) return k == 1 ? dz : unit_cross_slope(z, &dz, at->n, N);
    const ph_vec3 e = axis_a(j, g, farthest_axis(j, g, at->n));
    const vector_slope de = fixed_in_a(e), first = unit_cross_slope(e, &de, at->n, N);
    return k == 1 ? first : unit_cross_slope(at->n, N, at->along[1], &first);
}

// delta s = S_a alpha_a + S_b alpha_b + S_d delta d
static vector_slope slip_slope(const geometry *g, const rates *r, const belt *moving, const contact *at,
                               const vector_slope *C)
{
    const ph_vec3 w_s = ph_add(r->w_a, moving->spin);
    const ph_mat3 surface = ph_hat(w_s), turn = ph_hat(ph_sub(r->w_b, w_s));
    vector_slope S;
    S.a = ph_mat_sub(ph_hat(ph_add(ph_cross(r->w_a, g->r_a), moving->slide)), hat_hat(ph_add(g->d, at->c), w_s));
    S.a = ph_mat_add(S.a, ph_mat_mul(turn, C->a));
    S.b = ph_mat_sub(hat_hat(at->c, r->w_b), ph_hat(ph_cross(r->w_b, g->r_b)));
    S.b = ph_mat_add(S.b, ph_mat_mul(turn, C->b));
    S.d = ph_mat_sub(ph_mat_mul(turn, C->d), surface);
    return S;
}

// What all rows of a contact share.
rolling_slopes rolling_slopes_at(const joint *j, const geometry *g, const rates *r, const belt *moving)
{
    rolling_slopes all = {.at = rolling_contact(j, g)};
    const ph_vec3 w_s = ph_add(r->w_a, moving->spin), turn = ph_sub(r->w_b, w_s);
    all.N = normal_slope(j, g, all.at.n);
    const vector_slope C = arm_slope(j, g, all.at.n, &all.N);
    all.S = slip_slope(g, r, moving, &all.at, &C);
    all.s = ph_add3(ph_sub(r->d1, moving->slide), ph_cross(g->d, w_s), ph_cross(turn, all.at.c));
    return all;
}

gradient rolling_slope(const joint *j, const geometry *g, const rolling_slopes *all, int k)
{
    const vector_slope E = tangent_slope(j, g, &all->at, &all->N, k);
    const ph_vec3 e = all->at.along[k], s = all->s;
    const ph_vec3 by_d = ph_add(ph_tmul(all->S.d, e), ph_tmul(E.d, s));
    return (gradient){ph_add3(ph_tmul(all->S.a, e), ph_tmul(E.a, s), ph_cross(by_d, g->r_a)),
                      ph_add3(ph_tmul(all->S.b, e), ph_tmul(E.b, s), ph_cross(g->r_b, by_d)), by_d};
}
