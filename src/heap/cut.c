// Cuts of an island into domains: across the longest extent of its bodies, so that both halves have as many contacts; then of
// each half likewise. Large ones are cut by all threads together, many small ones by a thread each, to the same end.
#include "base/buckets.h"
#include "heap/internal.h"

#include <math.h>
#include <string.h>

enum { SLICES = 512 }; // across the longest extent; cuts are between two of them

typedef struct slicing {
    int axis;
    float low, scale;
} slicing;

typedef struct extent {
    float low[3], high[3];
} extent;

static const extent NOWHERE = {{HUGE_VALF, HUGE_VALF, HUGE_VALF}, {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF}};

static extent extent_of(const heap_member *members, int count)
{
    extent e = NOWHERE;
    for (int k = 0; k < count; k++)
        for (int c = 0; c < 3; c++) {
            const float x = members[k].at[c];
            e.low[c] = x < e.low[c] ? x : e.low[c];
            e.high[c] = x > e.high[c] ? x : e.high[c];
        }
    return e;
}

static slicing slice_longest(const extent *e)
{
    slicing s = {0};
    for (int c = 1; c < 3; c++)
        if (e->high[c] - e->low[c] > e->high[s.axis] - e->low[s.axis]) s.axis = c;
    s.low = e->low[s.axis];
    s.scale = SLICES / (e->high[s.axis] - e->low[s.axis]);
    return s;
}

// Also for places that are no numbers.
static int slice_of(const slicing *s, const heap_member *m)
{
    const float t = (m->at[s->axis] - s->low) * s->scale;
    return (int)(t > 0.0f ? (t < SLICES - 1 ? t : SLICES - 1) : 0.0f);
}

// The first slice of the second half, from the ends in each.
static int find_cut(const int ends[SLICES])
{
    int before = 0, all = 0, cut = 0;
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

// ---- A region by one thread -------------------------------------------------------------------------------------------

typedef struct cutting {
    heap *h;
    int region, leaf; // the first to be cut, and the first of all
    int leaves;
} cutting;

// All threads cut it together.
static bool is_large(const heap *h, const heap_region *whole)
{
    enum { LARGE = 8192 };
    return h->pool && whole->body_end - whole->body >= LARGE;
}

static void set_halves(const heap_region *whole, heap_region half[2], int first)
{
    half[0].body = whole->body;
    half[0].body_end = half[1].body = whole->body + first;
    half[1].body_end = whole->body_end;
}

// The first of two.
static heap_region *halves_of(const cutting *c, int index)
{
    return (heap_region *)c->h->layout.regions.at + c->leaf + 2 * (c->region + index - c->leaf - c->leaves);
}

static void cut_region(void *user, int index)
{
    const cutting *c = user;
    const heap_region *whole = (const heap_region *)c->h->layout.regions.at + c->region + index;
    heap_region *half = halves_of(c, index);
    if (is_large(c->h, whole)) return;
    const int count = whole->body_end - whole->body;
    heap_member *members = (heap_member *)c->h->sorting.members.at + whole->body;
    heap_member *aside = (heap_member *)c->h->sorting.aside.at + whole->body;
    const extent e = extent_of(members, count);
    const slicing s = slice_longest(&e);
    int ends[SLICES] = {0};
    for (int k = 0; k < count; k++) ends[slice_of(&s, &members[k])] += members[k].ends;
    const int cut = find_cut(ends), first = whole->parent < 0 ? sort_at(&s, cut, members, aside, count)
                                                              : part_at(&s, cut, members, aside, count);
    set_halves(whole, half, first);
}

// ---- A region by all threads ----------------------------------------------------------------------------------------

enum { PARTS = 64 };

typedef struct large_cut {
    heap_member *members, *aside;
    int *slice, *place;  // by member
    int (*ends)[SLICES]; // by part
    extent extents[PARTS];
    slicing slicing;
    int cut; // -1: by slices
} large_cut;

static void measure_part(void *user, int part, int from, int to)
{
    large_cut *c = user;
    c->extents[part] = extent_of(c->members + from, to - from);
}

static void slice_part(void *user, int part, int from, int to)
{
    const large_cut *c = user;
    int *ends = c->ends[part];
    memset(ends, 0, sizeof c->ends[part]);
    for (int k = from; k < to; k++) ends[c->slice[k] = slice_of(&c->slicing, &c->members[k])] += c->members[k].ends;
}

static void side_part(void *user, int part, int from, int to)
{
    (void)part;
    const large_cut *c = user;
    for (int k = from; k < to; k++) c->slice[k] = c->slice[k] >= c->cut;
}

static void move_part(void *user, int part, int from, int to)
{
    (void)part;
    const large_cut *c = user;
    for (int k = from; k < to; k++) c->aside[c->place[k]] = c->members[k];
}

static void return_part(void *user, int part, int from, int to)
{
    (void)part;
    const large_cut *c = user;
    memcpy(c->members + from, c->aside + from, sizeof *c->members * (size_t)(to - from));
}

static extent extent_of_all(const large_cut *c, int parts)
{
    extent all = NOWHERE;
    for (int p = 0; p < parts; p++)
        for (int k = 0; k < 3; k++) {
            all.low[k] = c->extents[p].low[k] < all.low[k] ? c->extents[p].low[k] : all.low[k];
            all.high[k] = c->extents[p].high[k] > all.high[k] ? c->extents[p].high[k] : all.high[k];
        }
    return all;
}

// As cut_region, to the same end.
static void cut_large(heap *h, const heap_region *whole, heap_region half[2], int *table)
{
    const int count = whole->body_end - whole->body, size = count / PARTS + 1, parts = pool_parts(count, size);
    const size_t at = (size_t)whole->body;
    large_cut c = {.members = (heap_member *)h->sorting.members.at + at,
                   .aside = (heap_member *)h->sorting.aside.at + at,
                   .slice = (int *)h->sorting.leaf_of.at + at,
                   .place = (int *)h->layout.body_at.at + at,
                   .ends = (int(*)[SLICES])table};
    int ends[SLICES] = {0}, start[SLICES + 1];
    pool_run_ranges(h->pool, measure_part, &c, count, size);
    const extent all = extent_of_all(&c, parts);
    c.slicing = slice_longest(&all);
    pool_run_ranges(h->pool, slice_part, &c, count, size);
    for (int p = 0; p < parts; p++)
        for (int k = 0; k < SLICES; k++) ends[k] += c.ends[p][k];
    c.cut = find_cut(ends);
    const bool by_slices = whole->parent < 0;
    if (!by_slices) pool_run_ranges(h->pool, side_part, &c, count, size);
    buckets_sort(h->pool, c.slice, count, by_slices ? SLICES : 2, table, start, c.place, NULL);
    pool_run_ranges(h->pool, move_part, &c, count, size);
    pool_run_ranges(h->pool, return_part, &c, count, size);
    set_halves(whole, half, by_slices ? start[c.cut] : start[1]);
}

// ---- The door -------------------------------------------------------------------------------------------------------

static bool cut_all_large(heap *h, const cutting *c, int count)
{
    for (int k = 0; k < count; k++) {
        const heap_region *whole = (const heap_region *)h->layout.regions.at + c->region + k;
        if (!is_large(h, whole)) continue;
        int *table = heap_room(h, &h->layout.table, PARTS * SLICES, sizeof(int));
        if (!table) return false;
        cut_large(h, whole, halves_of(c, k), table);
    }
    return true;
}

bool heap_cut(heap *h, const heap_batch *b)
{
    const int leaves = b->domains;
    heap_region *regions = (heap_region *)h->layout.regions.at + b->region;
    for (int k = 0; k < 2 * leaves - 1; k++) {
        regions[k] = (heap_region){.body = b->body, .body_end = b->body_end};
        regions[k].parent = k < 2 * leaves - 2 ? b->region + leaves + k / 2 : -1;
    }
    for (int level = 1; level < leaves; level *= 2) {
        cutting c = {h, b->region + 2 * leaves - 2 * level, b->region, leaves};
        if (!cut_all_large(h, &c, level)) return false;
        pool_run(h->pool, cut_region, &c, level);
    }
    return true;
}
