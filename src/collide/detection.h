// The parts of a detection (detector.h), for each other.
#ifndef PH_COLLIDE_DETECTION_H
#define PH_COLLIDE_DETECTION_H

#include "collide/detector.h"

enum { DETECTION_SHAPES = 1024 }; // in a part

// detector_boxes.c: boxes of all shapes; pairs of boxes that meet; how far hits push. false: out of memory.
void detection_set_boxes(detector *d);
bool detection_find_pairs(detector *d);
void detection_find_pushed(detector *d);

// detector_points.c: all points that are near, in the scratch.
ph_status detection_find_points(detector *d);
void detection_free_parts(detector *d);

// detector_cull.c: how fast points close; the list without those that do not close.
void detection_begin_culling(detector *d);
bool detection_end_culling(detector *d); // false: out of memory

// detector_spread.c: what impacts may change in that. Alone: too few points to be shared among threads, or the order counts.
bool detection_spreads_alone(const detector *d);
void detection_spread(detector *d);

// detector.c: room outside the scratch for so many points. false: out of memory.
bool detection_reserve_list(detector *d, int others, int balls);
// So much scratch, of which `kept` bytes stay; what is by shape and body stands in its beginning.
bool detection_take_scratch(detector *d, size_t kept, size_t bytes);
size_t detection_scratch_bytes(const detector *d); // by shape and body

static inline size_t detection_list_bytes(int others, int balls)
{
    return sizeof(detected) * (size_t)others + sizeof(detected_balls) * (size_t)balls;
}

// Both lists, from `at` on; the first has room for so many.
static inline void detection_place_list(detector *d, void *at, int others)
{
    d->found.list = at;
    d->found.balls = (void *)((char *)at + detection_list_bytes(others, 0));
}

// A change of d (detector_cull.c) that is worth it, as a part of the distance that is always watched.
#define DETECTION_SLIGHT 0.25
enum { DETECTION_ROUNDS = 8 }; // where the order of visits counts

static inline double detection_always(const detector *d, const detected_gap *p)
{
    return d->now.watched[p->shape_a] + d->now.watched[p->shape_b];
}

static inline double detection_disturbance(const detector *d, int body)
{
    double now; // others may be raising it
    __atomic_load(&d->now.disturbance[body], &now, __ATOMIC_RELAXED);
    return now;
}

// May a point still disturb one of its bodies? Where it says no, it cannot.
static inline bool detection_may_disturb(const detector *d, const detected_approach *p)
{
    const double excess = (double)p->a + (double)p->b - (double)p->need, slight = d->now.slight;
    const double d_a = detection_disturbance(d, p->body_a), d_b = detection_disturbance(d, p->body_b);
    const bool more = d->shapes.may_bounce; // than it closes by
    return (excess + d_b > 0.0 && (more || excess + d_b + slight > d_a)) ||
           (excess + d_a > 0.0 && (more || excess + d_a + slight > d_b));
}

// Points of such a body are all listed.
static inline bool detection_still_changes(const detector *d, int body)
{
    return d->now.disturbed[body] == DETECTION_ROUNDS;
}

// Points in a part of them: a multiple of 64.
static inline int detection_part_size(int points)
{
    enum { LEAST = 256, PARTS = 64 };
    return points / PARTS < LEAST ? LEAST : (points / PARTS / 64 + 1) * 64;
}

static inline int detection_parts_of(int count, int size)
{
    return (count + size - 1) / size;
}

#endif
