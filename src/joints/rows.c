// Constraint rows: value, Jacobian, B v and (dB/dt) v.
//
// Small rotations alpha (world axes) and displacements u of the two bodies change the vectors of a joint by
//
//     delta a_i = alpha_a x a_i,   delta b_j = alpha_b x b_j,   delta d = u_b + alpha_b x r_b - u_a - alpha_a x r_a,
//
// r = R s. Hence the gradients, with n = d/|d|:
//
//                alpha_a            u_a     alpha_b       u_b
//     POINT      r_a~               -I      -r_b~         I
//     ALONG      a x (d + r_a)      -a      r_b x a       a
//     DOT        a x b               0      b x a         0
//     LENGTH     n x r_a            -n      r_b x n       n
//
// B takes rotations in body axes: its rotation part is R^T times what stands in the table.

#include "joints/geometry.h"

static inline bool only_point(const joint *j)
{
    return j->kind_count == 1 && j->rows[0].kind == ROW_POINT;
}

// ---- Value ----------------------------------------------------------------------------------------------------------

static inline void store(double *to, ph_vec3 v)
{
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

static inline ph_vec3 gap(const joint *j, const frame *frames)
{
    const frame *a = &frames[j->a], *b = &frames[j->b];
    return ph_sub(ph_add(b->x, ph_mul(b->R, j->s_b)), ph_add(a->x, ph_mul(a->R, j->s_a)));
}

static void general_residual(const joint *j, const frame *frames, double *phi)
{
    const geometry g = joint_geometry(j, frames);
    for (int k = 0; k < j->kind_count; k++) {
        const row it = j->rows[k];
        switch ((row_kind)it.kind) {
        case ROW_POINT:
            store(phi, g.d);
            phi += 3;
            break;
        case ROW_ALONG:
            *phi++ = ph_dot(axis_a(j, &g, it.i), g.d);
            break;
        case ROW_DOT:
            *phi++ = ph_dot(axis_a(j, &g, it.i), axis_b(j, &g, it.j));
            break;
        case ROW_LENGTH:
            *phi++ = ph_norm(g.d) - j->length;
            break;
        }
    }
}

void joint_residual(const joint *j, const frame *frames, double *phi)
{
    if (only_point(j)) {
        store(phi, gap(j, frames));
    } else {
        general_residual(j, frames, phi);
    }
}

// ---- Jacobian -------------------------------------------------------------------------------------------------------

static inline void store_row(double *to, ph_vec3 rotation, ph_vec3 translation)
{
    store(to, rotation);
    store(to + 3, translation);
}

// [-R s~ | I] for b: its rotation rows are s x (row of R). The sign is -1 for a.
static inline void point_rows(double *B, const ph_mat3 *R, ph_vec3 s, double sign)
{
    for (int k = 0; k < 3; k++) {
        store_row(B + 6 * k, ph_scale(sign, ph_cross(s, ph_mat_row(*R, k))), ph_zero3());
        B[6 * k + 3 + k] = sign;
    }
}

// Gradient of one row: torques in world axes, force on b (that on a is its opposite).
typedef struct gradient {
    ph_vec3 alpha_a, alpha_b, u_b;
} gradient;

static gradient row_gradient(const joint *j, const geometry *g, row it)
{
    if (it.kind == ROW_DOT) {
        const ph_vec3 t = ph_cross(axis_a(j, g, it.i), axis_b(j, g, it.j));
        return (gradient){t, ph_neg(t), ph_zero3()};
    }
    if (it.kind == ROW_ALONG) {
        const ph_vec3 a = axis_a(j, g, it.i);
        return (gradient){ph_cross(a, ph_add(g->d, g->r_a)), ph_cross(g->r_b, a), a};
    }
    const ph_vec3 n = ph_unit(g->d);
    return (gradient){ph_cross(n, g->r_a), ph_cross(g->r_b, n), n};
}

static void general_jacobian(const joint *j, const frame *frames, double *B_a, double *B_b)
{
    const geometry g = joint_geometry(j, frames);
    int at = 0;
    for (int k = 0; k < j->kind_count; k++) {
        const row it = j->rows[k];
        if (it.kind == ROW_POINT) {
            if (B_a) {
                point_rows(B_a + 6 * at, &g.R_a, j->s_a, -1.0);
            }
            if (B_b) {
                point_rows(B_b + 6 * at, &g.R_b, j->s_b, 1.0);
            }
            at += 3;
            continue;
        }
        const gradient w = row_gradient(j, &g, it);
        if (B_a) {
            store_row(B_a + 6 * at, ph_tmul(g.R_a, w.alpha_a), ph_neg(w.u_b));
        }
        if (B_b) {
            store_row(B_b + 6 * at, ph_tmul(g.R_b, w.alpha_b), w.u_b);
        }
        at++;
    }
}

void joint_jacobian(const joint *j, const frame *frames, double *B)
{
    double *B_a = j->slot_a < 0 ? NULL : B + 6 * j->row_count * j->slot_a;
    double *B_b = j->slot_b < 0 ? NULL : B + 6 * j->row_count * j->slot_b;
    if (!only_point(j)) {
        general_jacobian(j, frames, B_a, B_b);
        return;
    }
    if (B_a) {
        point_rows(B_a, &frames[j->a].R, j->s_a, -1.0);
    }
    if (B_b) {
        point_rows(B_b, &frames[j->b].R, j->s_b, 1.0);
    }
}

// ---- Time derivatives of a row: the first, and the second at constant omega (body axes) and v ------------------------
//
// A vector c fixed in a body has c' = w x c and c'' = w x (w x c), w = R omega, so that
//     d'  = v_b + w_b x r_b - v_a - w_a x r_a,     d'' = w_b x (w_b x r_b) - w_a x (w_a x r_a).

typedef struct rates {
    ph_vec3 w_a, w_b;
    ph_vec3 d1, d2; // d', d''
} rates;

static inline ph_vec3 twice(ph_vec3 w, ph_vec3 c)
{
    return ph_cross(w, ph_cross(w, c));
}

static rates joint_rates(const joint *j, const geometry *g, const ph_twist *twists)
{
    const ph_twist *a = &twists[j->a], *b = &twists[j->b];
    rates r = {.w_a = ph_mul(g->R_a, a->omega), .w_b = ph_mul(g->R_b, b->omega)};
    r.d1 = ph_sub(ph_add(b->v, ph_cross(r.w_b, g->r_b)), ph_add(a->v, ph_cross(r.w_a, g->r_a)));
    r.d2 = ph_sub(twice(r.w_b, g->r_b), twice(r.w_a, g->r_a));
    return r;
}

static double row_rate(const joint *j, const geometry *g, const rates *r, row it)
{
    if (it.kind == ROW_LENGTH) {
        return ph_dot(ph_unit(g->d), r->d1);
    }
    const ph_vec3 a = axis_a(j, g, it.i), a1 = ph_cross(r->w_a, a);
    if (it.kind == ROW_ALONG) {
        return ph_dot(a1, g->d) + ph_dot(a, r->d1);
    }
    const ph_vec3 b = axis_b(j, g, it.j);
    return ph_dot(a1, b) + ph_dot(a, ph_cross(r->w_b, b));
}

void joint_velocity_residual(const joint *j, const frame *frames, const ph_twist *twists, double *rate)
{
    const geometry g = joint_geometry(j, frames);
    const rates r = joint_rates(j, &g, twists);
    for (int k = 0; k < j->kind_count; k++) {
        const row it = j->rows[k];
        if (it.kind == ROW_POINT) {
            store(rate, r.d1);
            rate += 3;
        } else {
            *rate++ = row_rate(j, &g, &r, it);
        }
    }
}

static double row_bias(const joint *j, const geometry *g, const rates *r, row it)
{
    if (it.kind == ROW_LENGTH) { // |d|'' = n . d'' + (|d'|^2 - (n . d')^2) / |d|
        const ph_vec3 n = ph_unit(g->d);
        const double along = ph_dot(n, r->d1);
        return ph_dot(n, r->d2) + (ph_norm2(r->d1) - along * along) / ph_norm(g->d);
    }
    const ph_vec3 a = axis_a(j, g, it.i);
    const ph_vec3 a1 = ph_cross(r->w_a, a), a2 = ph_cross(r->w_a, a1);
    if (it.kind == ROW_ALONG) {
        return ph_dot(a2, g->d) + 2.0 * ph_dot(a1, r->d1) + ph_dot(a, r->d2);
    }
    const ph_vec3 b = axis_b(j, g, it.j);
    const ph_vec3 b1 = ph_cross(r->w_b, b), b2 = ph_cross(r->w_b, b1);
    return ph_dot(a2, b) + 2.0 * ph_dot(a1, b1) + ph_dot(a, b2);
}

void joint_bias(const joint *j, const frame *frames, const ph_twist *twists, double *bias)
{
    const geometry g = joint_geometry(j, frames);
    const rates r = joint_rates(j, &g, twists);
    for (int k = 0; k < j->kind_count; k++) {
        const row it = j->rows[k];
        if (it.kind == ROW_POINT) {
            store(bias, r.d2);
            bias += 3;
        } else {
            *bias++ = row_bias(j, &g, &r, it);
        }
    }
}
