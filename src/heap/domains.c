// Domains: how several threads share one large island.
//
// Its bodies are cut in two by a plane across their longest extent, so that both halves have as many contacts, each half
// is cut again, and so on. Contacts within a domain touch no body of another: each domain is solved by one thread from the
// first of its contacts to the last, and nobody waits. Contacts across a cut come when both sides are done (nested
// dissection: A. George, SIAM J. Numer. Anal. 10 (1973) 345): the thread that finishes the second side goes on with them,
// while others do so elsewhere. Who does what changes nothing of the result, and how many domains there are follows from
// the number of contacts alone.
#include "heap/internal.h"

enum {
    // Ends of contacts, two for each but for those with static bodies:
    FEWEST_ENDS = 1500, // of an island that is cut at all
    DOMAIN_ENDS = 5000, // of a domain at the most, while there are fewer than
    MOST_DOMAINS = 64,
};

int heap_domain_count(int ends)
{
    int domains = ends < FEWEST_ENDS ? 1 : 2;
    while (domains < MOST_DOMAINS && ends / domains > DOMAIN_ENDS) domains *= 2;
    return domains;
}

// ---- Walks ----------------------------------------------------------------------------------------------------------

typedef struct walk {
    heap *h;
    int region;
    heap_visit *visit;
    void *user;
} walk;

static void climb(void *user, int leaf)
{
    const walk *it = user;
    heap_region *regions = it->h->layout.regions.at;
    int k = it->region + leaf;
    do {
        it->visit(it->user, k);
        k = regions[k].parent;
    } while (k >= 0 && atomic_fetch_xor(&regions[k].half_done, 1)); // back at 0 for the next walk
}

void heap_walk(heap *h, const heap_batch *b, heap_visit *visit, void *user)
{
    walk it = {h, b->region, visit, user};
    pool_run(h->pool, climb, &it, b->domains);
}

typedef struct batch_loop {
    heap *h;
    heap_visit *task;
    void *user;
} batch_loop;

static void run_small(void *user, int index)
{
    const batch_loop *l = user;
    if (((const heap_batch *)l->h->layout.batches.at)[index].domains == 1) l->task(l->user, index);
}

void heap_for_batches(heap *h, heap_visit *task, void *user)
{
    batch_loop l = {h, task, user};
    pool_run(h->pool, run_small, &l, h->layout.batch_count);
    for (int b = 0; b < h->layout.batch_count; b++)
        if (((const heap_batch *)h->layout.batches.at)[b].domains > 1) task(user, b);
}
