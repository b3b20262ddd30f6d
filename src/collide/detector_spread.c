// What the impacts of a step may change in the velocities of bodies: (2) and (3) of detector_cull.c, d = F(d).
//
// A point is visited when it is flagged, which it is while one of its bodies has changed since. What a body gets from a point is
// rounded down to a multiple of what is worth a change there. Then F rises with every d, a d has finitely many values, and visits
// that begin at 0 end at the least solution, in whatever order they come (chaotic iteration): so threads share the points, and
// set disturbances and flags of each other's, to the same bits. On a cycle of bodies F takes at least a third away.
//
// Bodies that bounce may pass on more than they get, so that there may be no end. Where there are some, one thread visits the points in
// order, forth and back, for a few rounds; points of bodies that still change then are all listed.
#include "collide/detection.h"

#include <math.h>
#include <stdatomic.h>

enum { FEW = 1024 }; // flagged points that are left to one thread

typedef struct spreading {
    const detector *d;
    bool shared;        // by several threads
    int round;          // from 1 on, where the order counts; else 0
    atomic_bool *found; // a flagged point
} spreading;

// ---- What several threads touch ---------------------------------------------------------------------------------------

// d_j <- value where that is more.
static bool raise_to(const spreading *s, int body, double value)
{
    double *at = &s->d->now.disturbance[body], now = detection_disturbance(s->d, body);
    if (!s->shared) {
        if (value > now) *at = value;
        return value > now;
    }
    while (value > now)
        if (__atomic_compare_exchange(at, &now, &value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return true;
    return false;
}

// Whoever takes the flag afterwards sees what was raised before.
static void flag(const spreading *s, int point)
{
    uint64_t *at = &s->d->now.flagged[point / 64], bit = (uint64_t)1 << point % 64;
    if (s->shared)
        __atomic_fetch_or(at, bit, __ATOMIC_RELEASE);
    else
        *at |= bit;
}

static void take_flag(const spreading *s, int point)
{
    uint64_t *at = &s->d->now.flagged[point / 64], bit = (uint64_t)1 << point % 64;
    if (s->shared)
        __atomic_fetch_and(at, ~bit, __ATOMIC_ACQUIRE);
    else
        *at &= ~bit;
}

// ---- A point ----------------------------------------------------------------------------------------------------------

// (3): what body j gets from x
static double share(const detector *d, const detected_gap *p, int i, int j, double x, double towards)
{
    if (d->shapes.moving[i] < 0) return x;
    const bool ball = d->shapes.shapes[j == d->shapes.shapes[p->shape_a].body ? p->shape_a : p->shape_b].kind->is_ball;
    const double m_i = (ball ? 2.0 : 1.0) * d->model->bodies[i].kind->mass, m_j = d->model->bodies[j].kind->mass;
    const double most = ph_max(m_i / (m_i + m_j) * x, towards);
    return most < x ? most : x;
}

// What a body changes by flags all of its points.
static void flag_points(const spreading *s, int body)
{
    const detection *now = &s->d->now;
    const int k = s->d->shapes.moving[body];
    if (s->round > 0) now->disturbed[body] = s->round;
    for (int u = now->use_start[k]; u < now->use_start[k + 1]; u++) flag(s, now->uses[u] >> 1);
}

// Gives body j what body i does to it.
static bool disturb(const spreading *s, const detected_gap *p, int i, int j, double closing, double towards,
                    double slight)
{
    const detector *d = s->d;
    const double speed = closing + detection_disturbance(d, i), rate = p->gap / d->now.h;
    if (d->shapes.moving[j] < 0 || !(speed - rate > slight)) return false;
    const double e = d->shapes.may_bounce ? shapes_surface(&d->shapes, p->shape_a, p->shape_b).restitution : 0.0;
    const double step = 0.5 * slight, x = e > 0.0 ? (1.0 + e) * speed : speed - rate,
                 most = share(d, p, i, j, x, towards);
    if (s->round > 0 && !(most > d->now.disturbance[j] + slight)) return false;
    if (!raise_to(s, j, s->round > 0 ? most : step * floor(most / step))) return false;
    flag_points(s, j);
    return true;
}

static bool visit(const spreading *s, int k)
{
    const detector *d = s->d;
    const detected_approach *to = &d->now.approach[k];
    const detected_gap p = contacts_gap_at(&d->found, k);
    const double closing = (double)to->a + (double)to->b;
    const double slight = DETECTION_SLIGHT * detection_always(d, &p) / d->now.h;
    const bool a = disturb(s, &p, to->body_b, to->body_a, closing, (double)to->a, slight);
    return disturb(s, &p, to->body_a, to->body_b, closing, (double)to->b, slight) || a;
}

// ---- Flagged points ---------------------------------------------------------------------------------------------------

// The first flagged point of [from, to) from k on in one direction, without its flag from now on; -1: none. from: a multiple of 64.
static int next_flagged(const spreading *s, int from, int to, int k, int step)
{
    uint64_t *flagged = s->d->now.flagged;
    if (k < from || k >= to) return -1;
    uint64_t within = step > 0 ? ~(uint64_t)0 << k % 64 : ~(uint64_t)0 >> (63 - k % 64);
    for (int w = k / 64; w >= from / 64 && w <= (to - 1) / 64; w += step, within = ~(uint64_t)0) {
        const uint64_t bits = __atomic_load_n(&flagged[w], __ATOMIC_RELAXED) & within;
        if (bits == 0) continue;
        const int bit = step > 0 ? __builtin_ctzll(bits) : 63 - __builtin_clzll(bits);
        take_flag(s, 64 * w + bit);
        return 64 * w + bit;
    }
    return -1;
}

// Returns whether there was a flagged point. One that is left would do what it did the last time, which is nothing.
static bool visit_flagged(const spreading *s, int from, int to, bool forth)
{
    const int step = forth ? 1 : -1, first = next_flagged(s, from, to, forth ? from : to - 1, step);
    for (int k = first; k >= 0; k = next_flagged(s, from, to, k + step, step))
        if (detection_may_disturb(s->d, &s->d->now.approach[k])) visit(s, k);
    return first >= 0;
}

static void visit_part(void *user, int part, int from, int to)
{
    (void)part;
    const spreading *s = user;
    bool found = false;
    for (bool forth = true; visit_flagged(s, from, to, forth); forth = !forth) found = true;
    if (found) atomic_store_explicit(s->found, true, memory_order_relaxed);
}

bool detection_spreads_alone(const detector *d)
{
    int flagged = 0;
    if (d->shapes.may_bounce || !d->pool) return true;
    for (int w = 0; w < (d->found.count + 63) / 64 && flagged < FEW; w++)
        flagged += __builtin_popcountll(d->now.flagged[w]);
    return flagged < FEW;
}

void detection_spread(detector *d)
{
    const int count = d->found.count;
    atomic_bool found = true;
    if (!detection_spreads_alone(d)) {
        spreading s = {.d = d, .shared = true, .found = &found};
        while (atomic_exchange(&found, false))
            pool_run_ranges(d->pool, visit_part, &s, count, detection_part_size(count));
        return;
    }
    const bool ordered = d->shapes.may_bounce;
    for (int round = 1; !ordered || round <= DETECTION_ROUNDS; round++) {
        const spreading s = {.d = d, .round = ordered ? round : 0};
        if (!visit_flagged(&s, 0, count, round % 2 == 1)) return;
    }
}
