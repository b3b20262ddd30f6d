// Which links end at each node: contacts by body, points by body. The same list for any number of threads.
#ifndef BASE_INCIDENCE_H
#define BASE_INCIDENCE_H

#include "base/pool.h"

typedef struct incidence_links {
    const int *ends; // of link i: ends[stride i] and ends[stride i + 1]; negative: none
    int stride;      // integers
    int count;       // links
    const int *node; // by what stands in `ends`: the node, or negative: none; NULL: the node itself
} incidence_links;

// start[k] .. start[k + 1]: where the uses of node k stand, for k < nodes; start has nodes + 1 places.
void incidence_count(pool *pool, const incidence_links *links, int nodes, int *start);

// uses: 2 i, or 2 i + 1 for the second end of link i, rising for each node; start[nodes] of them.
void incidence_fill(pool *pool, const incidence_links *links, int nodes, int *start, int *uses);

#endif
