// Which of the points that are near may close in this step (collide/detector_cull.c), their first guesses and their bodies.
#ifndef CARD_KERNELS_LIST_H
#define CARD_KERNELS_LIST_H

#include "view.h"

// How fast a shape comes nearer along n at a point.
TEXT double speed_along(const card_view *a, int shape, int body, v3 n, v3 point)
{
    const card_kind *k = &a->kind[a->kind_of[shape]];
    if (!k->moves) return 0.0;
    const double moving = dot(n, a->velocity[body]);
    if (k->swing == 0.0) return moving;
    const double spin = norm(a->spin[body]), elsewhere = smaller(1.0, larger(0.25, a->h * spin));
    const v3 w = mul(rotation(a->orientation[body]), a->spin[body]);
    return moving + (1.0 - elsewhere) * dot(n, cross(w, sub(point, a->position[body]))) + elsewhere * spin * k->swing;
}

// What a body gets of an impact with another: the share of an impact of two masses, for balls as if another one pushed from
// behind; all of it from what cannot move.
TEXT double share_of(const card_view *a, int own_shape, int own, int other)
{
    if (!a->moves[other]) return 1.0;
    const double m = a->mass[a->mass_of[own]].mass, weight = a->kind[a->kind_of[own_shape]].swing == 0.0 ? 2.0 : 1.0;
    const double pushes = weight * a->mass[a->mass_of[other]].mass;
    return pushes / (pushes + m);
}

KERNEL(set_approach)
{
    (void)p;
    const card_contact *c = &a->near[i];
    card_near n = {c->body_a, c->body_b, 0.0f, 0.0f, (float)c->gap, a->watched[c->shape_a] + a->watched[c->shape_b],
                   1.0f,      1.0f};
    n.to_a = (float)speed_along(a, c->shape_a, c->body_a, c->n, c->point);
    n.to_b = (float)speed_along(a, c->shape_b, c->body_b, scale(-1.0, c->n), c->point);
    n.share_a = (float)share_of(a, c->shape_a, c->body_a, c->body_b);
    n.share_b = (float)share_of(a, c->shape_b, c->body_b, c->body_a);
    a->approach[i] = n;
}

// (2), (3): what body `own` gets from the other one
TEXT void disturb(const card_view *a, int own, int other, const card_near *n, float share, float towards)
{
    const float h = (float)a->h, slight = 0.25f * n->always / h;
    const float x = n->to_a + n->to_b + bits_float(a->disturbance[other]) - n->gap / h;
    if (!a->moves[own] || !(x > slight)) return;
    const float part = share * x > towards ? share * x : towards, change = part < x ? part : x;
    if (!(change > bits_float(a->disturbance[own]) + slight)) return;
    atomic_max(&a->disturbance_next[own], float_bits(change)); // positive numbers are ordered as their bits are
    a->counter[COUNT_CHANGED] = 1;
}

KERNEL(spread)
{
    (void)p;
    const card_near n = a->approach[i];
    disturb(a, n.a, n.b, &n, n.share_a, n.to_a);
    disturb(a, n.b, n.a, &n, n.share_b, n.to_b);
}

KERNEL(take_disturbance)
{
    (void)p;
    a->disturbance[i] = a->disturbance_next[i];
}

// (1)
KERNEL(mark_listed)
{
    (void)p;
    int listed = 0;
    if (i < a->points) {
        const card_near n = a->approach[i];
        const float near = n.gap - n.always,
                    closing = n.to_a + n.to_b + bits_float(a->disturbance[n.a]) + bits_float(a->disturbance[n.b]);
        listed = near < 0.0f || near < (float)a->h * closing || a->last_round;
    }
    a->listed[i] = listed;
}

KERNEL(list_contacts)
{
    (void)p;
    if (a->listed[i]) a->contact[a->list_start[i]] = a->near[i];
}

// ---- Contacts by body -----------------------------------------------------------------------------------------------

KERNEL(set_uses)
{
    (void)p;
    const card_contact *c = &a->contact[i];
    for (int k = 0; k < 2; k++) {
        const int body = k ? c->body_b : c->body_a;
        a->use_key[2 * i + k] = (uint32_t)(a->moves[body] ? body : a->bodies);
        a->use[2 * i + k] = 2 * i + k;
    }
}

// Those that this machine counts: all of all machines once.
KERNEL(count_contacts)
{
    (void)p;
    if (is_counted(a, a->contact[i].body_a, a->contact[i].body_b)) atomic_add(&a->counter[COUNT_BEYOND], 1);
}

// use_start[b] <- the first use of a body that is not before b
KERNEL(bound_uses)
{
    (void)p;
    const int n = 2 * a->contacts;
    int low = 0, high = n;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (a->use_key_sorted[middle] < (uint32_t)i)
            low = middle + 1;
        else
            high = middle;
    }
    a->use_start[i] = low;
}

// ---- First guesses --------------------------------------------------------------------------------------------------

// The nearest point of the friction cone about n.
TEXT v3 in_cone(double mu, v3 n, v3 x)
{
    const double normal = dot(n, x);
    const v3 t = madd(x, -normal, n);
    const double T = norm(t);
    if (mu * T <= -normal) return vec(0.0, 0.0, 0.0);
    if (T <= mu * normal) return x;
    const double shorter = (normal + mu * T) / (1.0 + mu * mu);
    return madd(scale(shorter, n), mu * shorter / T, t);
}

TEXT f3 guess_of(const card_view *a, const card_contact *c)
{
    const int body = a->moves[c->body_a] ? c->body_a : c->body_b;
    for (int u = a->old_use_start[body]; u < a->old_use_start[body + 1]; u++) {
        const int k = a->old_use[u] >> 1;
        const card_contact *o = &a->old[k];
        if (o->shape_a != c->shape_a || o->shape_b != c->shape_b || o->feature != c->feature) continue;
        const v3 x = vec((double)a->old_x[3 * k], (double)a->old_x[3 * k + 1], (double)a->old_x[3 * k + 2]);
        return single_of(in_cone((double)a->surface[c->surface].friction, c->n, x));
    }
    return fvec(0.0f, 0.0f, 0.0f);
}

// ---- Colours --------------------------------------------------------------------------------------------------------

TEXT uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdull;
    x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ull;
    return x ^ (x >> 33);
}

// A number of each contact, in an order that looks random and follows from who touches, whatever machine looks. Pairs with the
// same feature, and features of the same pair, never have the same number; all others by one chance in 2^64.
TEXT uint64_t lot_of(const card_view *a, const card_contact *c)
{
    const uint64_t pair = (uint64_t)name_of_shape(a, c->shape_a) << 32 | (uint32_t)name_of_shape(a, c->shape_b);
    return mixed(mixed(pair) + 0x9e3779b97f4a7c15ull * c->feature);
}

// Colours that one of its bodies has.
TEXT uint64_t taken_by(const card_view *a, const card_contact *c)
{
    return (a->moves[c->body_a] ? a->colours[c->body_a] : 0) | (a->moves[c->body_b] ? a->colours[c->body_b] : 0);
}

// Who finds no colour any more is one of the rest at once: it would keep others from drawing (rest.h).
KERNEL(draw_lots)
{
    (void)p;
    if (a->colour[i] != CARD_COLOURS + 1) return;
    const card_contact *c = &a->contact[i];
    if (taken_by(a, c) == ~(uint64_t)0) {
        a->colour[i] = CARD_COLOURS;
        return;
    }
    const uint64_t lot = lot_of(a, c);
    if (a->moves[c->body_a]) atomic_min(&a->least[c->body_a], lot);
    if (a->moves[c->body_b]) atomic_min(&a->least[c->body_b], lot);
}

// Who has the smallest number at both bodies takes the first colour that neither has.
KERNEL(take_colour)
{
    (void)p;
    if (a->colour[i] != CARD_COLOURS + 1) return;
    const card_contact *c = &a->contact[i];
    const int ma = a->moves[c->body_a], mb = a->moves[c->body_b];
    const uint64_t lot = lot_of(a, c);
    if ((ma && a->least[c->body_a] != lot) || (mb && a->least[c->body_b] != lot)) {
        atomic_add(&a->counter[COUNT_UNCOLOURED], 1);
        return;
    }
    const uint64_t taken = taken_by(a, c);
    int colour = 0;
    while (taken >> colour & 1u) colour++;
    a->colour[i] = (uint32_t)colour;
    if (ma) a->colours[c->body_a] |= (uint64_t)1 << colour;
    if (mb) a->colours[c->body_b] |= (uint64_t)1 << colour;
}

KERNEL(number_contacts)
{
    (void)p;
    a->order[i] = i;
    a->colour[i] = CARD_COLOURS + 1;
}

KERNEL(bound_colours)
{
    (void)p;
    if (i == 0 || a->colour_sorted[i] != a->colour_sorted[i - 1]) a->counter[COUNT_COLOUR + a->colour_sorted[i]] = i;
}

KERNEL(list_rest)
{
    const card_contact *c = &a->contact[a->at_place[p + i]];
    card_rest *r = &a->rest[i];
    r->lot = lot_of(a, c);
    r->contact = a->at_place[p + i];
    r->a = a->moves[c->body_a] ? name_of_body(a, c->body_a) : -1;
    r->b = a->moves[c->body_b] ? name_of_body(a, c->body_b) : -1;
    r->counted = is_counted(a, c->body_a, c->body_b);
    r->level = 0;
}

#endif
