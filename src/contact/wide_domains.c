// Domains: how several threads share one large island.
//
// Its bodies are cut in two by a plane across their longest extent, so that both halves have as many contacts, each half
// is cut again, and so on. Contacts within a domain touch no body of another: each domain is solved by one thread from the
// first of its contacts to the last, and nobody waits. Contacts across a cut come when both sides are done (nested
// dissection: A. George, SIAM J. Numer. Anal. 10 (1973) 345): the thread that finishes the second side goes on with them,
// while others do so elsewhere. Who does what changes nothing of the result, and how many domains there are follows from
// the number of contacts alone.
#include "contact/wide_inside.h"

#include <math.h>
#include <string.h>

enum {
    // Ends of contacts, two for each but for those with what stands still:
    FEWEST_ENDS = 1500, // of an island that is cut at all
    DOMAIN_ENDS = 5000, // of a domain at the most, while there are fewer than
    MOST_DOMAINS = 64,
    SLICES = 512, // across the longest extent; cuts are between two of them
};

int wide_domain_count(int ends)
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

static slicing slice_longest(const wide_member *members, int count)
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
static int slice_of(const slicing *s, const wide_member *m)
{
    const float t = (m->at[s->axis] - s->low) * s->scale;
    return (int)(t > 0.0f ? (t < SLICES - 1 ? t : SLICES - 1) : 0.0f);
}

// The first slice of the second half.
static int find_cut(const slicing *s, const wide_member *members, int count)
{
    int ends[SLICES] = {0}, before = 0, all = 0, cut = 0;
    for (int k = 0; k < count; k++) ends[slice_of(s, &members[k])] += members[k].ends;
    for (int k = 0; k < SLICES; k++) all += ends[k];
    while (cut < SLICES && 2 * before + ends[cut] <= all) before += ends[cut++];
    return cut;
}

// Both halves keep their order. Returns how many are in the first.
static int part_at(const slicing *s, int cut, wide_member *members, wide_member *aside, int count)
{
    int first = 0, second = 0;
    for (int k = 0; k < count; k++) {
        const wide_member m = members[k];
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
static int sort_at(const slicing *s, int cut, wide_member *members, wide_member *aside, int count)
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
    wide *w;
    int node, leaf; // the first to be cut, and the first of all
    int leaves;
} cutting;

static void cut_node(void *user, int index)
{
    const cutting *c = user;
    wide_node *nodes = c->w->nodes.at, *whole = &nodes[c->node + index];
    wide_node *half = &nodes[c->leaf + 2 * (c->node + index - c->leaf - c->leaves)];
    const int count = whole->body_end - whole->body;
    wide_member *members = (wide_member *)c->w->members.at + whole->body;
    wide_member *aside = (wide_member *)c->w->aside.at + whole->body;
    const slicing s = slice_longest(members, count);
    const int cut = find_cut(&s, members, count), first = whole->parent < 0 ? sort_at(&s, cut, members, aside, count)
                                                                            : part_at(&s, cut, members, aside, count);
    half[0].body = whole->body;
    half[0].body_end = half[1].body = whole->body + first;
    half[1].body_end = whole->body_end;
}

void wide_cut(wide *w, const wide_batch *b)
{
    const int leaves = b->domains;
    wide_node *nodes = (wide_node *)w->nodes.at + b->node;
    for (int k = 0; k < 2 * leaves - 1; k++) {
        nodes[k] = (wide_node){.body = b->body, .body_end = b->body_end};
        nodes[k].parent = k < 2 * leaves - 2 ? b->node + leaves + k / 2 : -1;
    }
    for (int level = 1; level < leaves; level *= 2) {
        cutting c = {w, b->node + 2 * leaves - 2 * level, b->node, leaves};
        pool_run(w->pool, cut_node, &c, level);
    }
}

// ---- Walks ----------------------------------------------------------------------------------------------------------

typedef struct walk {
    wide *w;
    int node;
    wide_visit *visit;
    void *user;
} walk;

static void climb(void *user, int leaf)
{
    const walk *it = user;
    wide_node *nodes = it->w->nodes.at;
    int k = it->node + leaf;
    do {
        it->visit(it->user, k);
        k = nodes[k].parent;
    } while (k >= 0 && atomic_fetch_xor(&nodes[k].half_done, 1)); // back at 0 for the next walk
}

void wide_walk(wide *w, const wide_batch *b, wide_visit *visit, void *user)
{
    walk it = {w, b->node, visit, user};
    pool_run(w->pool, climb, &it, b->domains);
}

typedef struct batch_loop {
    wide *w;
    wide_visit *task;
    void *user;
} batch_loop;

static void run_small(void *user, int index)
{
    const batch_loop *l = user;
    if (((const wide_batch *)l->w->batches.at)[index].domains == 1) l->task(l->user, index);
}

void wide_for_batches(wide *w, wide_visit *task, void *user)
{
    batch_loop l = {w, task, user};
    pool_run(w->pool, run_small, &l, w->batch_count);
    for (int b = 0; b < w->batch_count; b++)
        if (((const wide_batch *)w->batches.at)[b].domains > 1) task(user, b);
}
