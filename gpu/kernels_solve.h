// The friction problem, contact by contact and colour by colour: the equations of heap/heap.h.
#ifndef CARD_KERNELS_SOLVE_H
#define CARD_KERNELS_SOLVE_H

#include "kernels_list.h"
#include "kernels_motion.h"

TEXT float row_of(const card_view *a, int row, int i)
{
    return a->rows[(size_t)row * (size_t)a->stride + (size_t)i];
}

TEXT f3 rows3_of(const card_view *a, int row, int i)
{
    return fvec(row_of(a, row, i), row_of(a, row + 1, i), row_of(a, row + 2, i));
}

TEXT void put_row(const card_view *a, int row, int i, double value)
{
    a->rows[(size_t)row * (size_t)a->stride + (size_t)i] = (float)value;
}

TEXT void put_rows3(const card_view *a, int row, int i, v3 v)
{
    put_row(a, row, i, v.x);
    put_row(a, row + 1, i, v.y);
    put_row(a, row + 2, i, v.z);
}

TEXT void put_impulse(const card_view *a, float *x, int i, f3 value)
{
    x[i] = value.x;
    x[a->stride + i] = value.y;
    x[2 * a->stride + i] = value.z;
}

// ---- Loading --------------------------------------------------------------------------------------------------------

// N_ii seen from one body: its part of the velocity at the point that an impulse x there gives.
TEXT v3 yield_of(const card_view *a, int body, v3 arm, v3 x)
{
    if (!a->moves[body]) return vec(0.0, 0.0, 0.0);
    return madd(cross(spun(a, body, cross(arm, x)), arm), a->mass[a->mass_of[body]].inverse_mass, x);
}

TEXT v3 yield(const card_view *a, const card_contact *c, v3 arm_a, v3 arm_b, v3 x)
{
    return add(yield_of(a, c->body_a, arm_a, x), yield_of(a, c->body_b, arm_b, x));
}

TEXT double bias_of(const card_view *a, double gap, double compliance)
{
    const double rate = gap / a->h, slack = a->slack;
    if (compliance > 0.0) return rate;
    return larger(rate > slack ? rate - slack : rate < -slack ? rate + slack : 0.0, -a->recovery);
}

TEXT double softness_of(const card_view *a, const card_contact *c)
{
    return (double)a->surface[c->surface].compliance / (a->h * a->h);
}

// The larger tangential entry of N_ii: the norm of its block across n.
TEXT double tangential(v3 n, v3 col_s, v3 col_t, v3 s, v3 t)
{
    (void)n;
    const double p = dot(s, col_s), q = dot(t, col_t), r = dot(s, col_t);
    return 0.5 * (p + q) + sqrt(0.25 * (p - q) * (p - q) + r * r);
}

KERNEL(load_contact)
{
    (void)p;
    const int k = a->at_place[i];
    const card_contact *c = &a->contact[k];
    const card_surface *surface = &a->surface[c->surface];
    const v3 arm_a = sub(c->point, a->position[c->body_a]), arm_b = sub(c->point, a->position[c->body_b]), n = c->n;
    const v3 side = fabs(n.x) < 0.6 ? vec(1.0, 0.0, 0.0) : vec(0.0, 1.0, 0.0);
    const v3 s = unit(cross(n, side)), t = cross(n, s);
    const v3 by_n = yield(a, c, arm_a, arm_b, n);
    const double d_n = dot(n, by_n), soft = softness_of(a, c);
    const double d_t = tangential(n, yield(a, c, arm_a, arm_b, s), yield(a, c, arm_a, arm_b, t), s, t);
    a->place[k] = i;
    a->end_a[i] = a->moves[c->body_a] ? c->body_a : a->bodies;
    a->end_b[i] = a->moves[c->body_b] ? c->body_b : a->bodies;
    put_rows3(a, ROW_N, i, n);
    put_row(a, ROW_BIAS, i, bias_of(a, c->gap, (double)surface->compliance));
    put_row(a, ROW_SOFT, i, soft);
    put_row(a, ROW_MU, i, (double)surface->friction);
    put_row(a, ROW_INVERSE_N, i, 1.0 / (d_n + soft));
    put_row(a, ROW_INVERSE_T, i, 1.0 / d_t);
    put_row(a, ROW_D, i, (d_n + soft + 2.0 * d_t) / 3.0);
    if (a->all_balls) {
        put_row(a, ROW_ARM_A, i, a->moves[c->body_a] ? dot(n, arm_a) : 0.0);
        put_row(a, ROW_ARM_A + 1, i, a->moves[c->body_b] ? -dot(n, arm_b) : 0.0);
    } else {
        put_rows3(a, ROW_ARM_A, i, arm_a);
        put_rows3(a, ROW_ARM_B, i, arm_b);
        put_rows3(a, ROW_TN, i, madd(by_n, -d_n, n));
    }
    const f3 x = guess_of(a, c);
    put_impulse(a, a->x, i, x);
    put_impulse(a, a->x_last, i, x);
}

// Velocities of bodies in single precision, from those in double.
KERNEL(load_body)
{
    (void)p;
    f4 one = {0.0f, 0.0f, 0.0f, 0.0f}, two = one;
    if (i < a->bodies && a->moves[i]) {
        const card_mass *b = &a->mass[a->mass_of[i]];
        const f3 v = single_of(a->after_v[i]), w = single_of(a->after_w[i]);
        const f4 first = {v.x, v.y, v.z, (float)b->inverse_mass}, second = {w.x, w.y, w.z, (float)b->J_inverse.x.x};
        one = first;
        two = second;
    }
    a->fast[2 * i] = a->fast_last[2 * i] = one;
    a->fast[2 * i + 1] = a->fast_last[2 * i + 1] = two;
}

// ---- A contact ------------------------------------------------------------------------------------------------------

typedef struct pair_now { // both bodies of a contact
    int a, b;
    f4 va, wa, vb, wb;
    f3 n, arm_a, arm_b; // of balls: how far along the normal, in x
} pair_now;

TEXT f3 xyz(f4 r)
{
    return fvec(r.x, r.y, r.z);
}
TEXT f4 with_xyz(f4 r, f3 v)
{
    f4 to = {v.x, v.y, v.z, r.w};
    return to;
}

TEXT pair_now load_pair(const card_view *a, int i)
{
    pair_now q;
    q.a = a->end_a[i];
    q.b = a->end_b[i];
    q.va = a->fast[2 * q.a];
    q.wa = a->fast[2 * q.a + 1];
    q.vb = a->fast[2 * q.b];
    q.wb = a->fast[2 * q.b + 1];
    q.n = rows3_of(a, ROW_N, i);
    if (a->all_balls) {
        q.arm_a = fvec(row_of(a, ROW_ARM_A, i), 0.0f, 0.0f);
        q.arm_b = fvec(row_of(a, ROW_ARM_A + 1, i), 0.0f, 0.0f);
    } else {
        q.arm_a = rows3_of(a, ROW_ARM_A, i);
        q.arm_b = rows3_of(a, ROW_ARM_B, i);
    }
    return q;
}

// u = D^T V
TEXT f3 velocity_at(const card_view *a, const pair_now *q)
{
    if (a->all_balls) {
        const f3 w = fmadd(fscale(q->arm_a.x, xyz(q->wa)), q->arm_b.x, xyz(q->wb));
        return fsub(fsub(xyz(q->vb), xyz(q->va)), fcross(w, q->n));
    }
    return fsub(fadd(xyz(q->vb), fcross(xyz(q->wb), q->arm_b)), fadd(xyz(q->va), fcross(xyz(q->wa), q->arm_a)));
}

TEXT f3 fast_spin(const card_view *a, int body, f4 w, f3 torque)
{
    if (a->all_round || body == a->bodies) return fscale(w.w, torque);
    const f4 r = a->inertia[2 * body], s = a->inertia[2 * body + 1];
    return fvec(r.x * torque.x + s.z * torque.y + s.y * torque.z, s.z * torque.x + r.y * torque.y + s.x * torque.z,
                s.y * torque.x + s.x * torque.y + r.z * torque.z);
}

// V <- V + M^-1 D x
TEXT void push_pair(const card_view *a, pair_now *q, f3 x)
{
    q->vb = with_xyz(q->vb, fmadd(xyz(q->vb), q->vb.w, x));
    q->va = with_xyz(q->va, fmadd(xyz(q->va), -q->va.w, x));
    if (a->all_balls) {
        const f3 torque = fcross(x, q->n);
        q->wb = with_xyz(q->wb, fmadd(xyz(q->wb), q->wb.w * q->arm_b.x, torque));
        q->wa = with_xyz(q->wa, fmadd(xyz(q->wa), q->wa.w * q->arm_a.x, torque));
    } else {
        q->wb = with_xyz(q->wb, fadd(xyz(q->wb), fast_spin(a, q->b, q->wb, fcross(q->arm_b, x))));
        q->wa = with_xyz(q->wa, fsub(xyz(q->wa), fast_spin(a, q->a, q->wa, fcross(q->arm_a, x))));
    }
}

TEXT void store_pair(const card_view *a, const pair_now *q)
{
    if (q->a < a->bodies) {
        a->fast[2 * q->a] = q->va;
        a->fast[2 * q->a + 1] = q->wa;
    }
    if (q->b < a->bodies) {
        a->fast[2 * q->b] = q->vb;
        a->fast[2 * q->b + 1] = q->wb;
    }
}

// The impulse that solves a contact with all others held, from y with relative velocity u there.
TEXT f3 solved(const card_view *a, int i, f3 n, f3 y, f3 u)
{
    const float un = fdot(n, u), yn = fdot(n, y);
    const float with_bias = un + row_of(a, ROW_BIAS, i) + row_of(a, ROW_SOFT, i) * yn;
    const float z = yn - row_of(a, ROW_INVERSE_N, i) * with_bias, normal = z > 0.0f ? z : 0.0f;
    f3 ut = fsub(u, fscale(un, n));
    if (!a->all_balls) ut = fmadd(ut, normal - yn, rows3_of(a, ROW_TN, i));
    const f3 zt = fsub(fsub(y, fscale(yn, n)), fscale(row_of(a, ROW_INVERSE_T, i), ut));
    const float T = sqrtf(fdot(zt, zt)), most = row_of(a, ROW_MU, i) * normal;
    return fmadd(fscale(normal, n), T > most ? most / T : 1.0f, zt);
}

TEXT f3 in_cone_single(float mu, f3 n, f3 z)
{
    const float zn = fdot(n, z);
    const f3 t = fsub(z, fscale(zn, n));
    const float T = sqrtf(fdot(t, t));
    if (mu * T <= -zn) return fvec(0.0f, 0.0f, 0.0f);
    if (T <= mu * zn) return z;
    const float pn = (zn + mu * T) / (1.0f + mu * mu);
    return fmadd(fscale(pn, n), mu * pn / T, t);
}

// d |x - P(x - w/d)| with w = u + mu |u_t| n
TEXT float error_of(const card_view *a, int i, f3 n, f3 x, f3 u)
{
    const float un = fdot(n, u), mu = row_of(a, ROW_MU, i), d = row_of(a, ROW_D, i);
    const f3 ut = fsub(u, fscale(un, n));
    const float shift = row_of(a, ROW_BIAS, i) + row_of(a, ROW_SOFT, i) * fdot(n, x) + mu * sqrtf(fdot(ut, ut));
    const f3 z = fsub(x, fscale(1.0f / d, fmadd(u, shift, n))), moved = fsub(x, in_cone_single(mu, n, z));
    return d * sqrtf(fdot(moved, moved));
}

// ---- Passes ---------------------------------------------------------------------------------------------------------

// V <- V + c (V - V_last), V_last <- V
TEXT f4 ahead(f4 v, f4 last, float c)
{
    f4 r = {v.x + c * (v.x - last.x), v.y + c * (v.y - last.y), v.z + c * (v.z - last.z), v.w};
    return r;
}

KERNEL(extrapolate)
{
    (void)p;
    const float c = (float)a->sweep->c;
    for (int k = 2 * i; k < 2 * i + 2; k++) {
        const f4 v = a->fast[k];
        a->fast[k] = ahead(v, a->fast_last[k], c);
        a->fast_last[k] = v;
    }
}

// Whole grains, of which 2^26 contacts can be added exactly in any order; what is larger counts as 2^27.
TEXT double grains(const card_view *a, float energy)
{
    const double most = 134217728.0, number = rint((double)energy / a->grain);
    return number > most ? most : number < -most ? -most : number;
}

// x+ from y = x + c (x - x_last); V is that of y. p: the first contact of the colour; x and x_last change places afterwards.
TEXT void sweep_contact(const card_view *a, int i)
{
    pair_now q = load_pair(a, i);
    const f3 x = impulse_at(a, a->x, i), y = fmadd(x, (float)a->sweep->c, fsub(x, impulse_at(a, a->x_last, i)));
    const f3 next = solved(a, i, q.n, y, velocity_at(a, &q)), change = fsub(next, y);
    push_pair(a, &q, change);
    store_pair(a, &q);
    put_impulse(a, a->x_last, i, next);
    a->value[i] = is_counted(a, q.a, q.b) ? grains(a, -fdot(change, fsub(next, x)) * row_of(a, ROW_D, i)) : 0.0;
}

KERNEL(sweep_colour)
{
    sweep_contact(a, p + i);
}

// c of Nesterov's method, back to 0 when a sweep goes against the extrapolation
KERNEL(next_sweep)
{
    (void)i;
    (void)p;
    card_sweeps *s = a->sweep;
    const double t = s->t, t_next = 0.5 * (-t * t + t * sqrt(t * t + 4.0)), c = t * (1.0 - t) / (t * t + t_next);
    const double cap = s->sweeps < 128 ? 0.87 : s->sweeps % 64 < 16 ? 0.0 : s->sweeps < 512 ? 0.8 : 0.6;
    const int restart = s->restart > 0.0;
    s->t = restart ? 1.0 : t_next;
    s->c = restart ? 0.0 : c < cap ? c : cap;
    s->sweeps++;
}

KERNEL(check_contact)
{
    (void)p;
    const pair_now q = load_pair(a, i);
    const float error = error_of(a, i, q.n, impulse_at(a, a->x, i), velocity_at(a, &q));
    const int beyond = !(error <= (float)a->tolerance);
    a->active[i] = (unsigned char)beyond;
    a->value[i] = error >= 0.0f ? (double)error : 1e300;
    if (beyond && is_counted(a, q.a, q.b)) atomic_add(&a->counter[COUNT_BEYOND], 1);
}

TEXT void wake(const card_view *a, int body)
{
    if (body == a->bodies) return;
    for (int u = a->use_start[body]; u < a->use_start[body + 1]; u++) a->active[a->place[a->use_sorted[u] >> 1]] = 1;
}

// Contacts beyond the tolerance alone are moved, by a part of what would solve them. p: the pass, from which the counter follows,
// and the first contact of the colour is in a->first_contact.
TEXT void polish_contact(const card_view *a, int i, int pass)
{
    if (!a->active[i]) return;
    a->active[i] = 0;
    pair_now q = load_pair(a, i);
    const f3 x = impulse_at(a, a->x, i), u = velocity_at(a, &q);
    if (error_of(a, i, q.n, x, u) <= (float)a->tolerance) return;
    if (is_counted(a, q.a, q.b)) atomic_add(&a->counter[COUNT_PASS + pass], 1);
    const f3 change = fscale(a->relaxation, fsub(solved(a, i, q.n, x, u), x));
    push_pair(a, &q, change);
    store_pair(a, &q);
    put_impulse(a, a->x, i, fadd(x, change));
    wake(a, q.a);
    wake(a, q.b);
}

KERNEL(polish_colour)
{
    polish_contact(a, a->first_contact + i, p);
}

// Copies of bodies that their owners have moved; who has is in `flies`.
KERNEL(wake_changed)
{
    (void)p;
    if (!a->flies[i]) return;
    a->flies[i] = 0;
    wake(a, i);
}

// ---- Clusters -------------------------------------------------------------------------------------------------------

// flies, order and use_key are not in use at this time: which bodies have a contact beyond the tolerance, which contacts have such
// a body, and where they go.
KERNEL(flag_bodies)
{
    (void)p;
    if (!a->active[i]) return;
    if (a->end_a[i] < a->bodies) a->flies[a->end_a[i]] = 1;
    if (a->end_b[i] < a->bodies) a->flies[a->end_b[i]] = 1;
}

TEXT int is_flagged(const card_view *a, int end)
{
    return end < a->bodies && a->flies[end];
}

KERNEL(mark_members)
{
    (void)p;
    a->order[i] = i < a->contacts && (is_flagged(a, a->end_a[i]) || is_flagged(a, a->end_b[i]));
}

KERNEL(count_members)
{
    (void)p;
    if (a->order[i] && is_counted(a, a->end_a[i], a->end_b[i])) atomic_add(&a->counter[COUNT_BEYOND], 1);
}

TEXT void put3(double *to, f3 x)
{
    to[0] = (double)x.x;
    to[1] = (double)x.y;
    to[2] = (double)x.z;
}

TEXT void put_spin(const card_view *a, int end, f4 w, double *to)
{
    for (int k = 0; k < 6; k++) to[k] = k < 3 ? (double)w.w : 0.0;
    if (a->all_round || end == a->bodies) return;
    const f4 r = a->inertia[2 * end], s = a->inertia[2 * end + 1];
    to[0] = (double)r.x;
    to[1] = (double)r.y;
    to[2] = (double)r.z;
    to[3] = (double)s.x;
    to[4] = (double)s.y;
    to[5] = (double)s.z;
}

KERNEL(list_members)
{
    (void)p;
    if (!a->order[i]) return;
    card_member *m = &a->member[a->use_key[i]];
    const pair_now q = load_pair(a, i);
    const card_contact *c = &a->contact[a->at_place[i]];
    m->place = i;
    m->a = q.a < a->bodies ? name_of_body(a, q.a) : -1;
    m->b = q.b < a->bodies ? name_of_body(a, q.b) : -1;
    m->shape_a = name_of_shape(a, c->shape_a);
    m->shape_b = name_of_shape(a, c->shape_b);
    m->feature = c->feature;
    m->counted = is_counted(a, q.a, q.b);
    m->a_in = is_flagged(a, q.a);
    m->b_in = is_flagged(a, q.b);
    m->solved = 0;
    put3(m->n, q.n);
    put3(m->arm_a, a->all_balls ? fscale(q.arm_a.x, q.n) : q.arm_a);
    put3(m->arm_b, a->all_balls ? fscale(-q.arm_b.x, q.n) : q.arm_b);
    put3(m->x, impulse_at(a, a->x, i));
    put3(m->u, velocity_at(a, &q));
    m->bias = (double)row_of(a, ROW_BIAS, i);
    m->soft = (double)row_of(a, ROW_SOFT, i);
    m->mu = (double)row_of(a, ROW_MU, i);
    m->inverse_mass_a = (double)q.va.w;
    m->inverse_mass_b = (double)q.vb.w;
    put_spin(a, q.a, q.wa, m->spin_a);
    put_spin(a, q.b, q.wb, m->spin_b);
}

KERNEL(take_members)
{
    (void)p;
    const card_member *m = &a->member[i];
    if (m->solved) put_impulse(a, a->x, m->place, fvec((float)m->x[0], (float)m->x[1], (float)m->x[2]));
}

// ---- In double precision --------------------------------------------------------------------------------------------

TEXT v3 after_at(const card_view *a, int body, v3 point)
{
    if (!a->moves[body]) return vec(0.0, 0.0, 0.0);
    return add(a->after_v[body], cross(a->after_w[body], sub(point, a->position[body])));
}

KERNEL(check_exactly)
{
    (void)p;
    const card_contact *c = &a->contact[i];
    const card_surface *surface = &a->surface[c->surface];
    const v3 n = c->n, u = sub(after_at(a, c->body_b, c->point), after_at(a, c->body_a, c->point));
    const v3 x = double_of(impulse_at(a, a->x, a->place[i]));
    const double un = dot(n, u), mu = (double)surface->friction, d = (double)row_of(a, ROW_D, a->place[i]);
    const v3 ut = madd(u, -un, n);
    const double shift =
        bias_of(a, c->gap, (double)surface->compliance) + softness_of(a, c) * dot(n, x) + mu * norm(ut);
    const v3 z = madd(x, -1.0 / d, madd(u, shift, n)), moved = sub(x, in_cone(mu, n, z));
    const double error = d * norm(moved);
    a->value[i] = error >= 0.0 ? error : 1e300;
}

KERNEL(overlap_of)
{
    (void)p;
    a->value[i] = larger(0.0, -a->contact[i].gap);
}

// What the next step begins with.
KERNEL(keep_contact)
{
    (void)p;
    const f3 x = impulse_at(a, a->x, a->place[i]);
    a->old[i] = a->contact[i];
    a->old_x[3 * i] = x.x;
    a->old_x[3 * i + 1] = x.y;
    a->old_x[3 * i + 2] = x.z;
    a->old_use[2 * i] = a->use_sorted[2 * i];
    a->old_use[2 * i + 1] = a->use_sorted[2 * i + 1];
}

KERNEL(keep_use)
{
    (void)p;
    a->old_use_start[i] = a->use_start[i];
}

#endif
