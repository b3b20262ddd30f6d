// A few threads that share loops.
//
// pool_run calls task(user, i) for i = 0 .. count-1, each once, on whichever thread is free, and comes back when all are
// done. Tasks must not write to the same place; then the result does not depend on the number of threads.
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include "polhode/base.h"

typedef struct pool pool;
typedef void pool_task(void *user, int index);

// `threads` counts the caller. NULL when memory or threads run out, and for one thread: NULL is a pool of the caller alone.
pool *pool_create(int threads, const ph_allocator *allocator);
void pool_destroy(pool *pool);

// One caller at a time.
void pool_run(pool *pool, pool_task *task, void *user, int count);

// The numbers 0 .. count-1 in parts of `size`, the last one smaller: task(user, part, from, to) for each part. What a part
// is does not depend on the number of threads, so sums by part, added in order, have the same bits.
typedef void pool_range(void *user, int part, int from, int to);
void pool_run_ranges(pool *pool, pool_range *task, void *user, int count, int size);

// The largest of of(user, from, to) over parts of 0 .. count-1, and 0: parts may be anything, which does not change it.
typedef double pool_measure(const void *user, int from, int to);
double pool_largest(pool *pool, pool_measure *of, const void *user, int count);

static inline int pool_parts(int count, int size)
{
    return count / size + (count % size > 0);
}

#endif
