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

// detector_cull.c: how fast points close; what impacts may change in that; the list without those that do not close.
void detection_begin_culling(detector *d);
void detection_spread(detector *d);
bool detection_end_culling(detector *d); // false: out of memory

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

static inline int detection_parts_of(int count, int size)
{
    return (count + size - 1) / size;
}

#endif
