// Free motion of a step, and its end: (1), (2) and (5) of schemes/moreau.c, and contact/flight.h.
#ifndef CARD_KERNELS_MOTION_H
#define CARD_KERNELS_MOTION_H

#include "view.h"

// m with 2 J (m - w) + h m x J m = 0, by Newton's method
TEXT v3 midpoint_spin(const card_mass *b, v3 w, double h)
{
    v3 m = w;
    for (int k = 0; k < 12; k++) {
        const v3 Jm = mul(b->J, m), r = madd(scale(2.0, mul(b->J, sub(m, w))), h, cross(m, Jm));
        const m3 J = transposed(b->J);
        const v3 x = cross(m, J.x), y = cross(m, J.y), z = cross(m, J.z); // columns of m x J
        m3 A = {scale(2.0, b->J.x), scale(2.0, b->J.y), scale(2.0, b->J.z)};
        A.x = madd(A.x, h, add(vec(x.x, y.x, z.x), vec(0.0, Jm.z, -Jm.y)));
        A.y = madd(A.y, h, add(vec(x.y, y.y, z.y), vec(-Jm.z, 0.0, Jm.x)));
        A.z = madd(A.z, h, add(vec(x.z, y.z, z.z), vec(Jm.y, -Jm.x, 0.0)));
        const v3 step = mul(inverse(A), r);
        m = sub(m, step);
        if (!(dot(step, step) > 1e-18 * dot(w, w))) break;
    }
    return m;
}

TEXT v3 free_spin(const card_mass *b, v3 w, double h)
{
    if (b->round) return w;
    const v3 m = midpoint_spin(b, w, h);
    return madd(w, -h, mul(b->J_inverse, cross(m, mul(b->J, m))));
}

TEXT void put_inertia(const card_view *a, int i, m3 R, const card_mass *b)
{
    const m3 A = mat_mul(mat_mul(R, b->J_inverse), transposed(R));
    const f4 one = {(float)A.x.x, (float)A.y.y, (float)A.z.z, 0.0f};
    const f4 two = {(float)A.y.z, (float)A.x.z, (float)A.x.y, 0.0f};
    a->inertia[2 * i] = one;
    a->inertia[2 * i + 1] = two;
}

KERNEL(free_motion)
{
    (void)p;
    const card_mass *b = &a->mass[a->mass_of[i]];
    const m3 R = rotation(a->orientation[i]);
    a->free_v[i] = a->moves[i] ? madd(a->velocity[i], a->h, a->gravity) : vec(0.0, 0.0, 0.0);
    a->free_w[i] = a->moves[i] ? mul(R, free_spin(b, a->spin[i], a->h)) : vec(0.0, 0.0, 0.0);
    if (!a->all_round) put_inertia(a, i, R, b);
}

// ---- Velocities with the impulses of the contacts -------------------------------------------------------------------

TEXT f3 impulse_at(const card_view *a, const float *x, int place)
{
    return fvec(x[place], x[a->stride + place], x[2 * a->stride + place]);
}

TEXT v3 spun(const card_view *a, int i, v3 torque)
{
    const card_mass *b = &a->mass[a->mass_of[i]];
    if (b->round) return scale(b->J_inverse.x.x, torque);
    const m3 R = rotation(a->orientation[i]);
    return mul(R, mul(b->J_inverse, tmul(R, torque)));
}

// In double precision, contact by contact in their order; also the work of all impulses, and of the normal ones.
KERNEL(set_after)
{
    (void)p;
    v3 linear = vec(0.0, 0.0, 0.0), angular = linear, push = linear, turn = linear;
    for (int u = a->use_start[i]; u < a->use_start[i + 1]; u++) {
        const int k = a->use_sorted[u] >> 1;
        const card_contact *c = &a->contact[k];
        const double sign = a->use_sorted[u] & 1 ? 1.0 : -1.0;
        const v3 x = scale(sign, double_of(impulse_at(a, a->x, a->place[k]))), arm = sub(c->point, a->position[i]);
        const v3 normal = scale(dot(c->n, x), c->n);
        linear = add(linear, x);
        angular = add(angular, cross(arm, x));
        push = add(push, normal);
        turn = add(turn, cross(arm, normal));
    }
    const m3 R = rotation(a->orientation[i]);
    const v3 v = madd(a->free_v[i], a->mass[a->mass_of[i]].inverse_mass, linear),
             w = add(a->free_w[i], spun(a, i, angular));
    const v3 v2 = add(a->velocity[i], v), w2 = add(mul(R, a->spin[i]), w);
    a->after_v[i] = v;
    a->after_w[i] = w;
    const int counts = a->moves[i] && owns(a, i);
    a->sum[i] = counts ? 0.5 * (dot(linear, v2) + dot(angular, w2)) : 0.0;
    a->normal_sum[i] = counts ? 0.5 * (dot(push, v2) + dot(turn, w2)) : 0.0;
}

// ---- Sums that do not depend on their order ------------------------------------------------------------------------------

// Numbers of bodies are split into multiples of a unit, 2^-26 of the largest or a little more, and of 2^-26 of that. Both parts are
// integers of 26 bits times a power of two: sums of 2^26 of them are exact, in any order. What is lost is below the last digit of the
// largest. p: which numbers; the free velocities have served, and the first parts go there.
TEXT double *numbers_of(const card_view *a, int which)
{
    return which ? a->normal_sum : a->sum;
}

KERNEL(size_number)
{
    ((double *)a->free_v)[i] = fabs(numbers_of(a, p)[i]);
}

KERNEL(split_number)
{
    const double x = numbers_of(a, p)[i], fine = a->unit / 67108864.0, first = rint(x / a->unit) * a->unit;
    ((double *)a->free_v)[i] = first;
    numbers_of(a, p)[i] = rint((x - first) / fine) * fine;
}

// ---- The end --------------------------------------------------------------------------------------------------------

// A body that no impulse pushes flies, exactly.
KERNEL(begin_flight)
{
    (void)p;
    int flies = a->moves[i];
    const double inverse_mass = a->mass[a->mass_of[i]].inverse_mass;
    for (int u = a->use_start[i]; u < a->use_start[i + 1] && flies; u++) {
        const int k = a->use_sorted[u] >> 1;
        flies = !(inverse_mass * dot(a->contact[k].n, double_of(impulse_at(a, a->x, a->place[k]))) > a->tolerance);
    }
    a->flies[i] = flies;
}

TEXT v3 mean_velocity(const card_view *a, int i)
{
    return a->flies[i] ? madd(a->after_v[i], -0.5 * a->h, a->gravity) : a->after_v[i];
}

TEXT v3 mean_at(const card_view *a, int i, v3 point)
{
    return add(mean_velocity(a, i), cross(a->after_w[i], sub(point, a->position[i])));
}

// What would fly into something goes there as the solver has seen it.
KERNEL(land)
{
    (void)p;
    const card_contact *c = &a->contact[i];
    const int fa = a->flies[c->body_a], fb = a->flies[c->body_b];
    if (!fa && !fb) return;
    const v3 u = sub(mean_at(a, c->body_b, c->point), mean_at(a, c->body_a, c->point));
    if (c->gap + a->h * dot(c->n, u) >= smaller(0.0, c->gap) - a->h * a->tolerance) return;
    if (fa) a->disturbance_next[c->body_a] = 1;
    if (fb) a->disturbance_next[c->body_b] = 1;
}

KERNEL(landed)
{
    (void)p;
    if (!a->disturbance_next[i]) return;
    a->disturbance_next[i] = 0;
    a->flies[i] = 0;
    atomic_add(&a->counter[COUNT_LANDED], 1);
}

KERNEL(end_motion)
{
    (void)p;
    if (!a->moves[i]) return;
    const m3 R = rotation(a->orientation[i]);
    const v3 w = tmul(R, a->after_w[i]);
    a->position[i] = madd(a->position[i], a->h, mean_velocity(a, i));
    a->orientation[i] = quat_unit(quat_mul(a->orientation[i], quat_exp(scale(a->h, w))));
    a->velocity[i] = a->after_v[i];
    a->spin[i] = w;
}

#endif
