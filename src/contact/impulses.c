#include "contact/impulses.h"

#include <math.h>
#include <string.h>

static bool spins(const contact_rows *c)
{
    return c->count == 6 || c->count == 4;
}

static void guess_contact(const contact_rows *c, const ph_contact *old, double h, double *g)
{
    for (int r = 0; r < 3; r++) g[r] = h * ph_dot(c->axes[r], old->force);
    if (c->rolls) g[3] = h * ph_dot(c->axes[1], old->torque), g[4] = h * ph_dot(c->axes[2], old->torque);
    if (spins(c)) g[c->count - 1] = h * ph_dot(c->axes[0], old->torque);
}

// Contacts of one pair of shapes: those of the problem, those in the state.
typedef struct pair_group {
    int first, end;
    int old_first, old_end;
} pair_group;

static uint64_t order_of_old(const detector *found, const ph_contact *old)
{
    return detector_order(found, detector_find(found, old->body_a, old->shape_a),
                          detector_find(found, old->body_b, old->shape_b));
}

// The nearest of the old contacts that nobody has taken yet, or -1.
static int nearest_old(const pair_group *p, const ph_state *state, uint64_t taken, ph_vec3 point)
{
    double least = HUGE_VAL;
    int nearest = -1;
    for (int k = p->old_first; k < p->old_end; k++) {
        const double distance = ph_norm2(ph_sub(state->contacts[k].point, point));
        if (k - p->old_first < 64 && (taken >> (k - p->old_first) & 1u || !(distance < least))) continue;
        least = distance;
        nearest = k;
    }
    return nearest;
}

// By feature first; what is left by place: where faces touch along coinciding edges, rounding decides which of them a point
// is named after.
static void guess_pair(const delassus *rows, const detector *found, const int *of, const ph_state *state,
                       const pair_group *p, double h, double *g)
{
    uint64_t taken = 0, matched = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = p->first; i < p->end; i++) {
            const detected *now = &found->list[of ? of[i] : i];
            const int bit = i - p->first;
            int old = -1;
            if (bit < 64 && matched >> bit & 1u) continue;
            for (int k = p->old_first; k < p->old_end && pass == 0 && old < 0; k++)
                if (state->contacts[k].feature == now->feature) old = k;
            if (pass == 1) old = nearest_old(p, state, taken, now->point);
            if (old < 0) continue;
            guess_contact(&rows->contacts[i], &state->contacts[old], h, g + rows->contacts[i].first);
            if (bit < 64) matched |= (uint64_t)1 << bit;
            if (old - p->old_first < 64) taken |= (uint64_t)1 << (old - p->old_first);
        }
}

// Both lists are in the order of the detector.
void impulses_guess(const delassus *rows, const detector *found, const int *of, const ph_state *state, double h,
                    double *g)
{
    pair_group p = {0};
    memset(g, 0, sizeof(double) * (size_t)rows->row_count);
    for (; p.first < rows->contact_count; p.first = p.end) {
        const detected *first = &found->list[of ? of[p.first] : p.first];
        for (p.end = p.first + 1; p.end < rows->contact_count; p.end++) {
            const detected *next = &found->list[of ? of[p.end] : p.end];
            if (next->shape_a != first->shape_a || next->shape_b != first->shape_b) break;
        }
        const uint64_t order = detector_order(found, first->shape_a, first->shape_b);
        p.old_first = p.old_end;
        while (p.old_first < state->contact_count && order_of_old(found, &state->contacts[p.old_first]) < order)
            p.old_first++;
        p.old_end = p.old_first;
        while (p.old_end < state->contact_count && order_of_old(found, &state->contacts[p.old_end]) == order)
            p.old_end++;
        guess_pair(rows, found, of, state, &p, h, g);
    }
    for (int i = 0; i < rows->stop_count; i++)
        g[rows->stops[i].first] = h * state->stops[3 * rows->stops[i].joint + (int)rows->stops[i].kind];
}

static ph_contact force_of(const contact_rows *c, const detector *found, const detected *d, const double *g, double h)
{
    const detector_shape *a = &found->shapes[d->shape_a], *b = &found->shapes[d->shape_b];
    const ph_vec3 tangential = ph_madd(ph_scale(g[1], c->axes[1]), g[2], c->axes[2]);
    ph_vec3 torque = ph_zero3();
    if (c->rolls) torque = ph_madd(ph_scale(g[3], c->axes[1]), g[4], c->axes[2]);
    if (spins(c)) torque = ph_madd(torque, g[c->count - 1], c->axes[0]);
    return (ph_contact){.body_a = a->body,
                        .body_b = b->body,
                        .shape_a = a->index,
                        .shape_b = b->index,
                        .feature = d->feature,
                        .point = d->point,
                        .normal = d->normal,
                        .force = ph_scale(1.0 / h, ph_madd(tangential, g[0], c->axes[0])),
                        .torque = ph_scale(1.0 / h, torque),
                        .gap = d->gap};
}

void impulses_keep(const delassus *rows, const detector *found, const int *of, const double *g, double h,
                   ph_state *state)
{
    for (int i = 0; i < rows->contact_count; i++)
        state->contacts[i] =
            force_of(&rows->contacts[i], found, &found->list[of ? of[i] : i], g + rows->contacts[i].first, h);
    state->contact_count = rows->contact_count;
    memset(state->stops, 0, sizeof(double) * 3 * (size_t)rows->model->joint_count);
    for (int i = 0; i < rows->stop_count; i++)
        state->stops[3 * rows->stops[i].joint + (int)rows->stops[i].kind] = g[rows->stops[i].first] / h;
}
