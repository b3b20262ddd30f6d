#include "base/islands.h"

static int parent_of(const atomic_int *parent, int k)
{
    return atomic_load_explicit(&parent[k], memory_order_relaxed);
}

// Paths become shorter on the way: every second member gets the parent of its parent. Another thread may have stored one that is nearer to
// the root meanwhile; what is stored is above k all the same.
static int shorten_to_root(atomic_int *parent, int k)
{
    for (;;) {
        const int up = parent_of(parent, k), next = parent_of(parent, up);
        if (up == next) return up;
        atomic_store_explicit(&parent[k], next, memory_order_relaxed);
        k = next;
    }
}

void islands_begin(atomic_int *parent, int from, int to)
{
    for (int k = from; k < to; k++) atomic_init(&parent[k], k);
}

void islands_unite(atomic_int *parent, int a, int b)
{
    if (parent_of(parent, a) == parent_of(parent, b)) return;
    for (;;) {
        a = shorten_to_root(parent, a);
        b = shorten_to_root(parent, b);
        int root = a > b ? a : b;
        if (a == b || atomic_compare_exchange_weak(&parent[root], &root, a < b ? a : b)) return;
    }
}

// No path is shortened here: that would put an older parent in the place of a root which another thread has just found.
static int root_of(const atomic_int *parent, int k)
{
    int up;
    while ((up = parent_of(parent, k)) != k) k = up;
    return k;
}

void islands_end(atomic_int *parent, int from, int to)
{
    for (int k = from; k < to; k++) atomic_store_explicit(&parent[k], root_of(parent, k), memory_order_relaxed);
}
