// Numbers 0 .. count-1 sorted by the bucket each is in, those of a bucket rising: for any number of threads the same.
#ifndef BASE_BUCKETS_H
#define BASE_BUCKETS_H

#include "base/pool.h"

#include <stddef.h>

enum { BUCKETS_PARTS = 64 };

// Integers that `table` must hold: few beside the numbers where a bucket holds a hundred.
static inline size_t buckets_table(int buckets)
{
    return BUCKETS_PARTS * (size_t)buckets;
}

// of: by number, its bucket; -1: none. Sets start (buckets + 1 places), and what is not NULL of place (by number; -1: none) and
// order (by place).
void buckets_sort(pool *pool, const int *of, int count, int buckets, int *table, int *start, int *place, int *order);

#endif
