#include "contact/impulses.h"

#include <math.h>
#include <string.h>

// ---- Which contact is which -----------------------------------------------------------------------------------------

// Contacts of one pair of shapes: those of the problem, those in the state.
typedef struct pair_group {
    int first, end;
    int old_first, old_end;
} pair_group;

uint64_t impulses_order(const contact_set *found, const ph_contact *old)
{
    const int a = shapes_find(found->shapes, old->body_a, old->shape_a),
              b = shapes_find(found->shapes, old->body_b, old->shape_b);
    return a < 0 || b < 0 ? 0 : shapes_order(found->shapes, a, b);
}

// Of contact k in the state; beyond all others where there is none.
static uint64_t order_at(const contact_set *found, const ph_state *state, int k)
{
    if (k < state->contact_count) return impulses_order(found, &state->contacts[k]);
    if (k >= state_contact_count(state)) return UINT64_MAX;
    const ball_contact *old = &state->balls[k - state->contact_count];
    const int a = shapes_find_ball(found->shapes, old->body_a), b = shapes_find_ball(found->shapes, old->body_b);
    return a < 0 || b < 0 ? 0 : shapes_order(found->shapes, a, b);
}

static uint64_t feature_at(const ph_state *state, int k)
{
    return k < state->contact_count ? state->contacts[k].feature : 0;
}

static detected contact_at(const contact_set *found, const int *of, int i)
{
    return contacts_at(found, of ? of[i] : i);
}

static bool same_shapes(const detected *a, const detected *b)
{
    return a->shape_a == b->shape_a && a->shape_b == b->shape_b;
}

// The nearest of the old contacts that nobody has taken yet, or -1.
static int nearest_old(const pair_group *p, const ph_state *state, uint64_t taken, ph_vec3 point)
{
    double least = HUGE_VAL;
    int nearest = -1;
    for (int k = p->old_first; k < p->old_end; k++) {
        const double distance = ph_norm2(ph_sub(state_contact(state, k).point, point));
        if (k - p->old_first < 64 && (taken >> (k - p->old_first) & 1u || !(distance < least))) continue;
        least = distance;
        nearest = k;
    }
    return nearest;
}

// By feature first; what is left by place: where faces touch along coinciding edges, rounding decides which of them a point
// is named after.
static void match_pair(const contact_set *found, const int *of, const ph_state *state, const pair_group *p, int *old)
{
    uint64_t taken = 0;
    for (int i = p->first; i < p->end; i++) old[i] = -1;
    if (p->old_first == p->old_end) return;
    for (int pass = 0; pass < 2; pass++)
        for (int i = p->first; i < p->end; i++) {
            if (old[i] >= 0) continue;
            const detected now = contact_at(found, of, i);
            for (int k = p->old_first; k < p->old_end && pass == 0 && old[i] < 0; k++)
                if (feature_at(state, k) == now.feature) old[i] = k;
            if (pass == 1) old[i] = nearest_old(p, state, taken, now.point);
            if (old[i] >= 0 && old[i] - p->old_first < 64) taken |= (uint64_t)1 << (old[i] - p->old_first);
        }
}

// The first contact in the state that does not stand before `order`.
static int find_old(const contact_set *found, const ph_state *state, uint64_t order)
{
    int low = 0, high = state_contact_count(state);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (order_at(found, state, middle) < order)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Do contacts i and i + 1 belong to one pair?
static bool goes_on(const contact_set *found, const int *of, int i)
{
    if ((of ? of[i] : i) >= found->others) return false; // two balls have one point
    const detected a = contact_at(found, of, i), b = contact_at(found, of, i + 1);
    return same_shapes(&a, &b);
}

void impulses_match(const contact_set *found, const int *of, int count, const ph_state *state, int from, int to,
                    int *old)
{
    uint64_t next = 0; // order of the old contact at p.old_end
    pair_group p = {.first = from};
    while (p.first > 0 && p.first < to && goes_on(found, of, p.first - 1)) p.first++; // of a pair that began before
    for (; p.first < to; p.first = p.end) {
        for (p.end = p.first + 1; p.end < count && goes_on(found, of, p.end - 1);) p.end++;
        const detected first = contact_at(found, of, p.first);
        const uint64_t order = shapes_order(found->shapes, first.shape_a, first.shape_b);
        if (p.old_end == 0) next = order_at(found, state, p.old_end = find_old(found, state, order));
        while (next < order) next = order_at(found, state, ++p.old_end);
        p.old_first = p.old_end;
        while (next == order) next = order_at(found, state, ++p.old_end);
        match_pair(found, of, state, &p, old);
    }
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

static bool spins(const contact_rows *c)
{
    return c->count == 6 || c->count == 4;
}

static void guess(const contact_rows *c, const ph_contact *old, double h, double *g)
{
    for (int r = 0; r < 3; r++) g[r] = h * ph_dot(c->axes[r], old->force);
    if (c->rolls) g[3] = h * ph_dot(c->axes[1], old->torque), g[4] = h * ph_dot(c->axes[2], old->torque);
    if (spins(c)) g[c->count - 1] = h * ph_dot(c->axes[0], old->torque);
}

void impulses_guess_contact(const contact_rows *c, const ph_state *state, int old, double h, double *g)
{
    memset(g, 0, sizeof(double) * (size_t)c->count);
    if (old < 0) return;
    const ph_contact contact = state_contact(state, old);
    guess(c, &contact, h, g);
}

void impulses_guess(const delassus *rows, const contact_set *found, const int *of, const ph_state *state, double h,
                    double *g)
{
    memset(g, 0, sizeof(double) * (size_t)rows->row_count);
    impulses_match(found, of, rows->contact_count, state, 0, rows->contact_count, rows->old);
    for (int i = 0; i < rows->contact_count; i++) {
        const contact_rows *c = &rows->contacts[i];
        impulses_guess_contact(c, state, rows->old[i], h, g + c->first);
    }
    for (int i = 0; i < rows->stop_count; i++)
        g[rows->stops[i].first] = h * state->stops[3 * rows->stops[i].joint + (int)rows->stops[i].kind];
}

ph_contact impulses_contact(const contact_set *found, const detected *d, ph_vec3 force, ph_vec3 torque)
{
    return (ph_contact){.body_a = d->body_a,
                        .body_b = d->body_b,
                        .shape_a = found->shapes->shapes[d->shape_a].kind->index,
                        .shape_b = found->shapes->shapes[d->shape_b].kind->index,
                        .feature = d->feature,
                        .point = d->point,
                        .normal = d->normal,
                        .force = force,
                        .torque = torque,
                        .gap = d->gap};
}

ph_contact impulses_force(const contact_rows *c, const contact_set *found, const detected *d, const double *g, double h)
{
    const ph_vec3 tangential = ph_madd(ph_scale(g[1], c->axes[1]), g[2], c->axes[2]);
    ph_vec3 torque = ph_zero3();
    if (c->rolls) torque = ph_madd(ph_scale(g[3], c->axes[1]), g[4], c->axes[2]);
    if (spins(c)) torque = ph_madd(torque, g[c->count - 1], c->axes[0]);
    const ph_vec3 force = ph_madd(tangential, g[0], c->axes[0]);
    return impulses_contact(found, d, ph_scale(1.0 / h, force), ph_scale(1.0 / h, torque));
}

void impulses_keep(const delassus *rows, const contact_set *found, const int *of, const double *g, double h, int at,
                   ph_state *state)
{
    for (int i = 0; i < rows->contact_count; i++) {
        const detected it = contact_at(found, of, i);
        state->contacts[at + i] = impulses_force(&rows->contacts[i], found, &it, g + rows->contacts[i].first, h);
    }
    state_set_contacts(state, at + rows->contact_count, 0);
    memset(state->stops, 0, sizeof(double) * 3 * (size_t)rows->model->joint_count);
    for (int i = 0; i < rows->stop_count; i++)
        state->stops[3 * rows->stops[i].joint + (int)rows->stops[i].kind] = g[rows->stops[i].first] / h;
}
