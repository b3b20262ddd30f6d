// Several threads count and fill at once: sums of integers do not depend on who comes first, and what stands in another order
// than it should is sorted in the end, a handful for each node.
#include "base/incidence.h"

#include <stddef.h>
#include <string.h>

enum { LINKS = 1024, NODES = 1024, PARTS = 128 }; // in a part at the least; parts of nodes at the most

typedef struct incidence {
    const incidence_links *links;
    int *start, *uses;
    int nodes, size;  // size: nodes in a part
    int sums[PARTS];  // uses of a part of nodes
    int first[PARTS]; // uses before it
} incidence;

// The node at use i.
static int node_of(const incidence_links *links, int i)
{
    const int end = links->ends[(size_t)(i / 2) * (size_t)links->stride + (size_t)(i % 2)];
    return end >= 0 && links->node ? links->node[end] : end;
}

// ---- One thread -----------------------------------------------------------------------------------------------------

static void count_alone(const incidence *it)
{
    memset(it->start, 0, sizeof *it->start * ((size_t)it->nodes + 1));
    for (int i = 0; i < 2 * it->links->count; i++) {
        const int k = node_of(it->links, i);
        if (k >= 0) it->start[k + 1]++;
    }
    for (int k = 0; k < it->nodes; k++) it->start[k + 1] += it->start[k];
}

static void fill_alone(const incidence *it)
{
    for (int i = 0; i < 2 * it->links->count; i++) {
        const int k = node_of(it->links, i);
        if (k >= 0) it->uses[it->start[k]++] = i;
    }
}

// ---- Several --------------------------------------------------------------------------------------------------------

static void clear(void *user, int part, int from, int to)
{
    (void)part;
    const incidence *it = user;
    memset(it->start + from + 1, 0, sizeof *it->start * (size_t)(to - from));
}

static void count_ends(void *user, int part, int from, int to)
{
    (void)part;
    const incidence *it = user;
    for (int i = 2 * from; i < 2 * to; i++) {
        const int k = node_of(it->links, i);
        if (k >= 0) __atomic_fetch_add(&it->start[k + 1], 1, __ATOMIC_RELAXED);
    }
}

static void sum_part(void *user, int part, int from, int to)
{
    incidence *it = user;
    int sum = 0;
    for (int k = from; k < to; k++) sum += it->start[k + 1];
    it->sums[part] = sum;
}

static void place_part(void *user, int part, int from, int to)
{
    const incidence *it = user;
    int before = it->first[part];
    for (int k = from; k < to; k++) before = it->start[k + 1] += before;
}

static void fill_ends(void *user, int part, int from, int to)
{
    (void)part;
    const incidence *it = user;
    for (int i = 2 * from; i < 2 * to; i++) {
        const int k = node_of(it->links, i);
        if (k >= 0) it->uses[__atomic_fetch_add(&it->start[k], 1, __ATOMIC_RELAXED)] = i;
    }
}

// By Shell: insertion for the handful that most nodes have, and no square of their number for those with many.
static void sort_uses(int *uses, int count)
{
    static const int gaps[] = {88573, 29524, 9841, 3280, 1093, 364, 121, 40, 13, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
        for (int k = gaps[g]; k < count; k++) {
            const int use = uses[k];
            int at = k;
            for (; at >= gaps[g] && uses[at - gaps[g]] > use; at -= gaps[g]) uses[at] = uses[at - gaps[g]];
            uses[at] = use;
        }
}

// Now start[k] is where the uses of k end.
static void sort_part(void *user, int part, int from, int to)
{
    (void)part;
    const incidence *it = user;
    for (int k = from; k < to; k++) {
        const int first = k > 0 ? it->start[k - 1] : 0;
        sort_uses(it->uses + first, it->start[k] - first);
    }
}

// ---- The door -------------------------------------------------------------------------------------------------------

static incidence incidence_of(const incidence_links *links, int nodes, int *start, int *uses)
{
    const int share = nodes / PARTS + 1;
    return (incidence){
        .links = links, .start = start, .uses = uses, .nodes = nodes, .size = share > NODES ? share : NODES};
}

void incidence_count(pool *pool, const incidence_links *links, int nodes, int *start)
{
    incidence it = incidence_of(links, nodes, start, NULL);
    if (!pool) {
        count_alone(&it);
        return;
    }
    start[0] = 0;
    pool_run_ranges(pool, clear, &it, nodes, it.size);
    pool_run_ranges(pool, count_ends, &it, links->count, LINKS);
    pool_run_ranges(pool, sum_part, &it, nodes, it.size);
    for (int k = 0, before = 0; k < pool_parts(nodes, it.size); before += it.sums[k++]) it.first[k] = before;
    pool_run_ranges(pool, place_part, &it, nodes, it.size);
}

void incidence_fill(pool *pool, const incidence_links *links, int nodes, int *start, int *uses)
{
    incidence it = incidence_of(links, nodes, start, uses);
    if (pool) {
        pool_run_ranges(pool, fill_ends, &it, links->count, LINKS);
        pool_run_ranges(pool, sort_part, &it, nodes, it.size);
    } else {
        fill_alone(&it);
    }
    memmove(start + 1, start, sizeof *start * (size_t)nodes);
    start[0] = 0;
}
