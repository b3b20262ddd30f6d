// Each part of the numbers counts how many it has of every bucket; sums over buckets and parts, in this order, tell where its
// own begin.
#include "base/buckets.h"

#include <string.h>

typedef struct buckets {
    const int *of;
    int buckets;
    int *table; // by part and bucket: how many; then where the next one goes
    int *place, *order;
} buckets;

static void count_part(void *user, int part, int from, int to)
{
    const buckets *b = user;
    int *own = b->table + (size_t)part * (size_t)b->buckets;
    memset(own, 0, sizeof *own * (size_t)b->buckets);
    for (int i = from; i < to; i++)
        if (b->of[i] >= 0) own[b->of[i]]++;
}

static void place_part(void *user, int part, int from, int to)
{
    const buckets *b = user;
    int *own = b->table + (size_t)part * (size_t)b->buckets;
    for (int i = from; i < to; i++) {
        const int at = b->of[i] >= 0 ? own[b->of[i]]++ : -1;
        if (b->place) b->place[i] = at;
        if (b->order && at >= 0) b->order[at] = i;
    }
}

void buckets_sort(pool *pool, const int *of, int count, int buckets_, int *table, int *start, int *place, int *order)
{
    enum { LEAST = 1024 }; // numbers in a part
    const int share = pool ? count / BUCKETS_PARTS + 1 : count + 1, size = share > LEAST ? share : LEAST;
    const int parts = pool_parts(count, size);
    buckets b = {of, buckets_, table, place, order};
    pool_run_ranges(pool, count_part, &b, count, size);
    int before = 0;
    for (int k = 0; k < buckets_; k++) {
        start[k] = before;
        for (int p = 0; p < parts; p++) {
            int *at = &table[(size_t)p * (size_t)buckets_ + (size_t)k];
            const int own = *at;
            *at = before;
            before += own;
        }
    }
    start[buckets_] = before;
    pool_run_ranges(pool, place_part, &b, count, size);
}
