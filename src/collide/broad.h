// Broad phase: the pairs of shapes that may touch.
//
// Every shape has a box with room to move in; only shapes that leave theirs are looked up again: in a grid, where shapes are
// about as wide in every direction, in a tree all others. The list is sorted, so that what follows does not depend on how
// these came about. It holds more pairs than touch: the caller looks at each.
#ifndef PH_COLLIDE_BROAD_H
#define PH_COLLIDE_BROAD_H

#include "base/scratch.h"
#include "collide/grid.h"
#include "collide/parts.h"
#include "collide/tree.h"

typedef struct broad_run {
    int kept;          // pairs that stay
    int first, second; // fresh pairs until its end, of both lists
    int at;            // where it begins in the new list
} broad_run;

typedef struct broad {
    const ph_allocator *allocator;
    pool *pool; // may be NULL
    grid grid;
    tree tree;
    int count;       // shapes
    int *at;         // by shape: its number in the tree, or -1 - its number in the grid
    int *of_tree;    // the shapes in the tree ...
    int *of_grid;    // ... and in the grid, rising
    bool *entered;   // by shape: it is there
    int *moved;      // shapes that left their box in this update, rising
    bool *is_moved;  // by shape
    uint64_t *pairs; // sorted: first shape in the upper half, the second, larger one in the lower
    int pair_count, pair_capacity;
    uint64_t *fresh;    // in `room`
    scratch own, *room; // room: NULL: its own; what is there is not needed between updates ...
    size_t kept;        // ... but for so many bytes at the beginning, which may move
    list_part *parts;   // of fresh
    int part_capacity;
    broad_run *runs; // of pairs, while fresh ones are merged into them
    int run_capacity;
    int growths; // how often memory was taken
} broad;

typedef bool (*broad_filter)(const void *user, int a, int b); // may these two touch at all?
typedef aabb (*broad_room)(const void *user, int k,
                           const aabb *box); // the box with room to move in, when it is entered

// round: by shape, it goes into the grid; NULL: none.
bool broad_create(int count, const bool *round, const ph_allocator *allocator, arena *memory, broad *broad);
void broad_destroy(broad *broad);

// boxes: where the shapes may be until the next update, by shape. Shapes with an infinite box never enter. false when out of memory.
bool broad_update(broad *broad, const aabb *boxes, broad_room room, broad_filter filter, const void *user);

static inline int broad_first(uint64_t pair)
{
    return (int)(pair >> 32);
}

static inline int broad_second(uint64_t pair)
{
    return (int)(pair & 0xffffffffu);
}

#endif
