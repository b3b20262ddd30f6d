// Islands: what links connect, by union and find, on several threads at once.
//
// In the end every member knows the smallest one of its island, whoever comes first: the smaller of two roots leads. A loop over
// all links and the loop of islands_end must not overlap.
#ifndef PH_BASE_ISLANDS_H
#define PH_BASE_ISLANDS_H

#include <stdatomic.h>

void islands_begin(atomic_int *parent, int from, int to); // each alone
void islands_unite(atomic_int *parent, int a, int b);
void islands_end(atomic_int *parent, int from, int to); // parent is the root from now on

#endif
