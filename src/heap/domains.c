// Domains: how several threads share one large island.
//
// Its bodies are cut in two by a plane across their longest extent, so that both halves have as many contacts, each half
// is cut again, and so on. Contacts within a domain touch no body of another: each domain is solved by one thread from the
// first of its contacts to the last, and nobody waits. Contacts across a cut come when both sides are done (nested
// dissection: A. George, SIAM J. Numer. Anal. 10 (1973) 345): the thread that finishes the second side goes on with them,
// while others do so elsewhere. Who does what changes nothing of the result, and how many domains there are follows from
// the number of contacts alone.
#include "heap/internal.h"

#include <math.h>
#include <string.h>

enum {
    // Ends of contacts, two for each but for those with static bodies:
    FEWEST_ENDS = 1500, // of an island that is cut at all
    DOMAIN_ENDS = 5000, // of a domain at the most, while there are fewer than
    MOST_DOMAINS = 64,
    SLICES = 512, // across the longest extent; cuts are between two of them
};

int heap_domain_count(int ends)
{
    int domains = ends < FEWEST_ENDS ? 1 : 2;
    while (domains < MOST_DOMAINS && ends / domains > DOMAIN_ENDS) domains *= 2;
    return domains;
}

// ---- Cuts -----------------------------------------------------------------------------------------------------------

typedef struct slicing {
    int axis;
    float low, scale;
} slicing;

static slicing slice_longest(const heap_member *members, int count)
{
    float low[3] = {HUGE_VALF, HUGE_VALF, HUGE_VALF}, high[3] = {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF};
    for (int k = 0; k < count; k++)
        for (int c = 0; c < 3; c++) {
            const float x = members[k].at[c];
            low[c] = x < low[c] ? x : low[c];
            high[c] = x > high[c] ? x : high[c];
        }
    slicing s = {0};
    for (int c = 1; c < 3; c++)
        if (high[c] - low[c] > high[s.axis] - low[s.axis]) s.axis = c;
    s.low = low[s.axis];
    s.scale = SLICES / (high[s.axis] - low[s.axis]);
    return s;
}

// Also for places that are no numbers.
static int slice_of(const slicing *s, const heap_member *m)
{
    const float t = (m->at[s->axis] - s->low) * s->scale;
    return (int)(t > 0.0f ? (t < SLICES - 1 ? t : SLICES - 1) : 0.0f);
}

// The first slice of the second half.
static int find_cut(const slicing *s, const heap_member *members, int count)
{
    int ends[SLICES] = {0}, before = 0, all = 0, cut = 0;
    for (int k = 0; k < count; k++) ends[slice_of(s, &members[k])] += members[k].ends;
    for (int k = 0; k < SLICES; k++) all += ends[k];
    while (cut < SLICES && 2 * before + ends[cut] <= all) before += ends[cut++];
    return cut;
}

// Both halves keep their order. Returns how many are in the first.
static int part_at(const slicing *s, int cut, heap_member *members, heap_member *aside, int count)
{
    int first = 0, second = 0;
    for (int k = 0; k < count; k++) {
        const heap_member m = members[k];
        const bool is_first = slice_of(s, &m) < cut;
        members[first] = aside[second] = m;
        first += is_first;
        second += !is_first;
    }
    memcpy(members + first, aside, sizeof *members * (size_t)second);
    return first;
}

// Along the extent: bodies beside the first cut, which threads hand to and fro in every pass, share cache lines with each
// other and with no others. Returns how many are before the cut.
static int sort_at(const slicing *s, int cut, heap_member *members, heap_member *aside, int count)
{
    int at[SLICES + 1] = {0};
    for (int k = 0; k < count; k++) at[slice_of(s, &members[k]) + 1]++;
    for (int k = 0; k < SLICES; k++) at[k + 1] += at[k];
    const int first = at[cut];
    for (int k = 0; k < count; k++) aside[at[slice_of(s, &members[k])]++] = members[k];
    memcpy(members, aside, sizeof *members * (size_t)count);
    return first;
}

typedef struct cutting {
    heap *h;
    int region, leaf; // the first to be cut, and the first of all
    int leaves;
} cutting;

static void cut_region(void *user, int index)
{
    const cutting *c = user;
    heap_region *regions = c->h->layout.regions.at, *whole = &regions[c->region + index];
    heap_region *half = &regions[c->leaf + 2 * (c->region + index - c->leaf - c->leaves)];
    const int count = whole->body_end - whole->body;
    heap_member *members = (heap_member *)c->h->sorting.members.at + whole->body;
    heap_member *aside = (heap_member *)c->h->sorting.aside.at + whole->body;
    const slicing s = slice_longest(members, count);
    const int cut = find_cut(&s, members, count), first = whole->parent < 0 ? sort_at(&s, cut, members, aside, count)
                                                                            : part_at(&s, cut, members, aside, count);
    half[0].body = whole->body;
    half[0].body_end = half[1].body = whole->body + first;
    half[1].body_end = whole->body_end;
}

void heap_cut(heap *h, const heap_batch *b)
{
    const int leaves = b->domains;
    heap_region *regions = (heap_region *)h->layout.regions.at + b->region;
    for (int k = 0; k < 2 * leaves - 1; k++) {
        regions[k] = (heap_region){.body = b->body, .body_end = b->body_end};
        regions[k].parent = k < 2 * leaves - 2 ? b->region + leaves + k / 2 : -1;
    }
    for (int level = 1; level < leaves; level *= 2) {
        cutting c = {h, b->region + 2 * leaves - 2 * level, b->region, leaves};
        pool_run(h->pool, cut_region, &c, level);
    }
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
