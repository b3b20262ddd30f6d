// From a list of contacts to islands, batches of them, domains, and blocks of contacts that share no body.
#include "base/buckets.h"
#include "base/islands.h"
#include "heap/internal.h"

#include <string.h>

enum {
    BATCH_LEAST = 256, // ends of contacts: islands are put together until there are as many
    COLOURS = 64,      // what is left over when a body has more contacts than that is solved one by one
    SORTED = 256,      // contacts or bodies that a thread takes at a time
};

typedef struct loading {
    const heap *h;
    const heap_problem *d;
} loading;

// ---- Islands --------------------------------------------------------------------------------------------------------

static void unite_pairs(void *user, int part, int from, int to)
{
    (void)part;
    const loading *l = user;
    contact_pair *pairs = l->h->sorting.pairs.at;
    for (int i = from; i < to; i++) {
        const contact_pair c = pairs[i] = contacts_pair(l->d->contacts, i);
        if (c.a >= 0 && c.b >= 0) islands_unite(l->h->sorting.island.at, c.a, c.b);
    }
}

// Islands of bodies that something moves beside their contacts are one.
static void unite_beside(const heap *h, const heap_beside *it)
{
    for (int k = 1; it && k < it->count; k++) islands_unite(h->sorting.island.at, it->bodies[0], it->bodies[k]);
}

static void find_roots(void *user, int part, int from, int to)
{
    (void)part;
    islands_end(((const loading *)user)->h->sorting.island.at, from, to);
}

static int ends_of(const heap_problem *d, int k)
{
    return d->use_start[k + 1] - d->use_start[k];
}

static int island_of(const heap *h, int k)
{
    return atomic_load_explicit((atomic_int *)h->sorting.island.at + k, memory_order_relaxed);
}

static void begin_islands(void *user, int part, int from, int to)
{
    (void)part;
    const heap_sorting *s = &((const loading *)user)->h->sorting;
    islands_begin(s->island.at, from, to);
    for (int k = from; k < to; k++) atomic_init((atomic_int *)s->island_ends.at + k, 0);
}

// Bodies of one island follow each other: what they have together is added at once.
static void add_ends(void *user, int part, int from, int to)
{
    (void)part;
    const loading *l = user;
    atomic_int *ends = l->h->sorting.island_ends.at;
    for (int k = from; k < to;) {
        const int island = island_of(l->h, k);
        int sum = 0;
        for (; k < to && island_of(l->h, k) == island; k++) sum += ends_of(l->d, k);
        if (sum > 0) atomic_fetch_add_explicit(&ends[island], sum, memory_order_relaxed);
    }
}

// Islands with contacts are put into batches of at least BATCH_LEAST ends of contacts.
static bool make_batches(heap *h, const heap_problem *d)
{
    const int bodies = h->model->moving_count;
    loading l = {h, d};
    heap_borrow(h, &h->sorting.island, (size_t)bodies, sizeof(atomic_int));
    atomic_int *ends = heap_borrow(h, &h->sorting.island_ends, (size_t)bodies, sizeof *ends);
    int *batch = heap_borrow(h, &h->sorting.batch_of, (size_t)bodies, sizeof(int));
    heap_borrow(h, &h->sorting.pairs, (size_t)d->contacts->count, sizeof(contact_pair));
    pool_run_ranges(h->pool, begin_islands, &l, bodies, SORTED);
    pool_run_ranges(h->pool, unite_pairs, &l, d->contacts->count, SORTED);
    unite_beside(h, d->beside);
    pool_run_ranges(h->pool, find_roots, &l, bodies, SORTED);
    pool_run_ranges(h->pool, add_ends, &l, bodies, SORTED);
    h->layout.batch_count = 0;
    for (int k = 0, filled = BATCH_LEAST; k < bodies; k++) {
        const int own = atomic_load_explicit(&ends[k], memory_order_relaxed);
        if (own == 0) continue;
        if (filled >= BATCH_LEAST || own >= BATCH_LEAST) {
            h->layout.batch_count++;
            filled = 0;
        }
        batch[k] = h->layout.batch_count - 1;
        filled += own;
    }
    return heap_room(h, &h->layout.batches, (size_t)h->layout.batch_count + 1, sizeof(heap_batch));
}

// island_ends has served: now it is the batch of each body, -1 where it has no contacts.
static void find_batches(void *user, int part, int from, int to)
{
    (void)part;
    const loading *l = user;
    const int *batch = l->h->sorting.batch_of.at;
    int *own = l->h->sorting.island_ends.at;
    for (int k = from; k < to; k++) own[k] = ends_of(l->d, k) > 0 ? batch[island_of(l->h, k)] : -1;
}

// Ends of the bodies of a batch.
static void add_batches(void *user, int part, int from, int to)
{
    (void)part;
    const loading *l = user;
    const int *own = l->h->sorting.island_ends.at;
    heap_batch *batches = l->h->layout.batches.at;
    for (int k = from; k < to;) {
        const int batch = own[k];
        int sum = 0;
        for (; k < to && own[k] == batch; k++) sum += ends_of(l->d, k);
        if (batch >= 0) atomic_fetch_add_explicit(&batches[batch].ends, sum, memory_order_relaxed);
    }
}

// Bodies of a batch side by side; those without contacts have no place.
static bool place_batches(heap *h, const heap_problem *d)
{
    const int bodies = h->model->moving_count, count = h->layout.batch_count;
    loading l = {h, d};
    heap_batch *batches = h->layout.batches.at;
    int *place = heap_room(h, &h->layout.body_place, (size_t)bodies, sizeof(int));
    int *table = heap_room(h, &h->layout.table, buckets_table(count) + (size_t)count + 1, sizeof(int));
    if (!place || !table) return false;
    int *start = table + buckets_table(count);
    for (int b = 0; b < count; b++) batches[b] = (heap_batch){0};
    pool_run_ranges(h->pool, find_batches, &l, bodies, SORTED);
    pool_run_ranges(h->pool, add_batches, &l, bodies, SORTED);
    buckets_sort(h->pool, h->sorting.island_ends.at, bodies, count, table, start, place, NULL);
    h->layout.region_count = 0;
    h->layout.body_count = start[count];
    for (int b = 0; b < count; b++) {
        batches[b].domains = heap_domain_count(batches[b].ends);
        batches[b].region = h->layout.region_count;
        batches[b].body = start[b];
        batches[b].body_end = start[b + 1];
        h->layout.region_count += 2 * batches[b].domains - 1;
    }
    return true;
}

// ---- Domains --------------------------------------------------------------------------------------------------------

static void set_members(void *user, int part, int from, int to)
{
    (void)part;
    const loading *l = user;
    const int *place = l->h->layout.body_place.at;
    heap_member *members = l->h->sorting.members.at;
    for (int k = from; k < to; k++) {
        if (place[k] < 0) continue;
        const ph_vec3 x = heap_position(l->d, k);
        members[place[k]] = (heap_member){{(float)x.x, (float)x.y, (float)x.z}, k, ends_of(l->d, k)};
    }
}

static void place_members(void *user, int index)
{
    const heap *h = user;
    const heap_batch *b = (const heap_batch *)h->layout.batches.at + index;
    const heap_member *members = h->sorting.members.at;
    int *place = h->layout.body_place.at, *body_at = h->layout.body_at.at, *leaf_of = h->sorting.leaf_of.at;
    for (int leaf = b->region; leaf < b->region + b->domains; leaf++) {
        const heap_region *n = (const heap_region *)h->layout.regions.at + leaf;
        for (int k = n->body; k < n->body_end; k++) {
            place[members[k].body] = k;
            body_at[k] = members[k].body;
            leaf_of[k] = leaf;
        }
    }
}

// Bodies of a domain side by side.
static bool cut_batches(heap *h, const heap_problem *d)
{
    const size_t bodies = (size_t)h->layout.body_count;
    const heap_batch *batches = h->layout.batches.at;
    loading l = {h, d};
    if (!heap_room(h, &h->layout.regions, (size_t)h->layout.region_count, sizeof(heap_region)) ||
        !heap_room(h, &h->layout.body_at, bodies, sizeof(int)))
        return false;
    heap_borrow(h, &h->sorting.members, bodies, sizeof(heap_member));
    heap_borrow(h, &h->sorting.aside, bodies, sizeof(heap_member));
    heap_borrow(h, &h->sorting.leaf_of, bodies, sizeof(int));
    pool_run_ranges(h->pool, set_members, &l, h->model->moving_count, SORTED);
    for (int b = 0; b < h->layout.batch_count; b++)
        if (!heap_cut(h, &batches[b])) return false;
    pool_run(h->pool, place_members, h, h->layout.batch_count);
    return true;
}

static void find_regions(void *user, int part, int from, int to)
{
    (void)part;
    const loading *l = user;
    const int *place = l->h->layout.body_place.at, *leaf_of = l->h->sorting.leaf_of.at;
    const heap_region *regions = l->h->layout.regions.at;
    int *region_of = l->h->sorting.region_of.at;
    for (int i = from; i < to; i++) {
        const contact_pair *c = (const contact_pair *)l->h->sorting.pairs.at + i;
        int a = leaf_of[place[c->a >= 0 ? c->a : c->b]], b = leaf_of[place[c->b >= 0 ? c->b : c->a]];
        while (a != b) {
            a = regions[a].parent;
            b = regions[b].parent;
        }
        region_of[i] = a;
    }
}

// Contacts of a region side by side.
static bool sort_by_region(heap *h, const heap_problem *d)
{
    loading l = {h, d};
    heap_region *regions = h->layout.regions.at;
    const int count = h->layout.region_count;
    const int *region_of = heap_borrow(h, &h->sorting.region_of, (size_t)d->contacts->count, sizeof(int));
    int *order = heap_room(h, &h->layout.order, (size_t)d->contacts->count, sizeof(int));
    int *table = heap_room(h, &h->layout.table, buckets_table(count) + (size_t)count + 1, sizeof(int));
    if (!order || !table) return false;
    int *start = table + buckets_table(count);
    pool_run_ranges(h->pool, find_regions, &l, d->contacts->count, SORTED);
    buckets_sort(h->pool, region_of, d->contacts->count, count, table, start, NULL, order);
    for (int k = 0; k < count; k++) {
        regions[k].contact = start[k];
        regions[k].contact_end = start[k + 1];
    }
    return true;
}

// ---- Colours --------------------------------------------------------------------------------------------------------

typedef struct palette { // of one region
    const heap_region *region;
    const int *order, *body;
    const contact_pair *pairs;
    uint64_t *taken; // by body: colours
    uint64_t full;   // colours that take no more
    int count[COLOURS + 1];
} palette;

static contact_pair places_of(const palette *p, int k)
{
    const contact_pair c = p->pairs[p->order[k]];
    return (contact_pair){c.a >= 0 ? p->body[c.a] : -1, c.b >= 0 ? p->body[c.b] : -1};
}

static void begin_colours(palette *p)
{
    memset(p->count, 0, sizeof p->count);
    p->full = 0;
    for (int k = p->region->contact; k < p->region->contact_end; k++) {
        const contact_pair c = places_of(p, k);
        if (c.a >= 0) p->taken[c.a] = 0;
        if (c.b >= 0) p->taken[c.b] = 0;
    }
}

// The first colour that neither body of a contact has.
static int pick_colour(palette *p, int k)
{
    const contact_pair c = places_of(p, k);
    uint64_t none = 0, *a = c.a >= 0 ? &p->taken[c.a] : &none, *b = c.b >= 0 ? &p->taken[c.b] : &none;
    const uint64_t both = *a | *b | p->full;
    if (both == UINT64_MAX) return COLOURS;
    const int colour = __builtin_ctzll(~both);
    *a |= (uint64_t)1 << colour;
    *b |= (uint64_t)1 << colour;
    return colour;
}

// Full blocks of each colour; returns how many.
static int place_full(const palette *p, int *place, const unsigned char *colour_of)
{
    int first[COLOURS + 1], blocks = 0;
    for (int c = 0; c < COLOURS; c++) {
        first[c] = blocks;
        blocks += p->count[c] / BLOCK;
    }
    for (int k = p->region->contact; k < p->region->contact_end; k++) {
        const int c = colour_of[k];
        place[k] = c < COLOURS && place[k] < p->count[c] / BLOCK * BLOCK ? BLOCK * first[c] + place[k] : -1;
    }
    return blocks;
}

// What is left is coloured anew, sixteen of a colour at the most: few blocks are not full. A contact that finds none comes
// alone. Returns how many blocks there are with these.
static int place_rest(palette *p, int *place, int blocks)
{
    int single = blocks;
    begin_colours(p);
    for (int k = p->region->contact; k < p->region->contact_end; k++) {
        if (place[k] >= 0) continue;
        const int c = pick_colour(p, k), at = p->count[c]++;
        place[k] = c < COLOURS ? BLOCK * (blocks + c) + at : -1;
        if (c < COLOURS && p->count[c] == BLOCK) p->full |= (uint64_t)1 << c;
        if (c < COLOURS && blocks + c >= single) single = blocks + c + 1;
    }
    for (int k = p->region->contact; k < p->region->contact_end && p->count[COLOURS] > 0; k++)
        if (place[k] < 0) place[k] = BLOCK * single++;
    return single;
}

// The blocks of one region, counted from its first, and the places of its contacts in them.
static void paint(void *user, int index)
{
    const loading *l = user;
    const heap *h = l->h;
    heap_region *n = (heap_region *)h->layout.regions.at + index;
    palette p = {.region = n,
                 .order = h->layout.order.at,
                 .body = h->layout.body_place.at,
                 .pairs = h->sorting.pairs.at,
                 .taken = h->sorting.taken.at};
    int *place = h->sorting.region_of.at; // by order; the regions have served
    unsigned char *colour_of = h->sorting.colour_of.at;
    begin_colours(&p);
    for (int k = n->contact; k < n->contact_end; k++) {
        colour_of[k] = (unsigned char)pick_colour(&p, k);
        place[k] = p.count[colour_of[k]]++;
    }
    n->full_end = place_full(&p, place, colour_of);
    n->block_end = place_rest(&p, place, n->full_end);
}

static void paint_batch(void *user, int index)
{
    const loading *l = user;
    heap_walk((heap *)l->h, (const heap_batch *)l->h->layout.batches.at + index, paint, user);
}

// From now on blocks count from the first of all.
static void number_blocks(heap *h)
{
    h->layout.block_count = 0;
    for (int k = 0; k < h->layout.region_count; k++) {
        heap_region *n = (heap_region *)h->layout.regions.at + k;
        n->block = h->layout.block_count;
        n->full_end += n->block;
        h->layout.block_count = n->block_end += n->block;
    }
}

static void set_places(void *user, int index)
{
    const heap *h = user;
    const heap_region *n = (const heap_region *)h->layout.regions.at + index;
    const int *order = h->layout.order.at, *by_order = h->sorting.region_of.at;
    const unsigned char *colour_of = h->sorting.colour_of.at;
    int *place = h->layout.place.at;
    unsigned char *colour = h->layout.colour.at;
    for (int k = n->contact; k < n->contact_end; k++) {
        const int block = by_order[k] / BLOCK + n->block;
        place[order[k]] = by_order[k] + BLOCK * n->block;
        colour[block] = block < n->full_end ? colour_of[k] : (unsigned char)(COLOURS + block % 2); // each its own
    }
}

static bool make_colours(heap *h, const heap_problem *d)
{
    const size_t contacts = (size_t)d->contacts->count;
    loading l = {h, d};
    if (!heap_room(h, &h->layout.place, contacts, sizeof(int))) return false;
    heap_borrow(h, &h->sorting.taken, (size_t)h->layout.body_count, sizeof(uint64_t));
    heap_borrow(h, &h->sorting.colour_of, contacts, 1);
    heap_for_batches(h, paint_batch, &l);
    number_blocks(h);
    if (!heap_room(h, &h->layout.colour, (size_t)h->layout.block_count, 1)) return false;
    pool_run(h->pool, set_places, h, h->layout.region_count);
    return true;
}

// What is borrowed, by moving body and by contact, and is not needed when all is sorted.
static bool take_scratch(heap *h, const heap_problem *d)
{
    enum { ARRAYS = 10 };
    const size_t by_body = 4 * sizeof(int) + 2 * sizeof(heap_member) + sizeof(uint64_t);
    const size_t by_contact = sizeof(contact_pair) + sizeof(int) + 1,
                 guess = sizeof(ph_vec3) * (size_t)d->contacts->count;
    const size_t bytes = by_body * (size_t)h->model->moving_count + by_contact * (size_t)d->contacts->count;
    return heap_enter(h, SCRATCH_SORTING, guess, guess, guess + bytes + (ARRAYS + 1) * HEAP_ALIGNMENT);
}

bool heap_sort(heap *h, const heap_problem *d)
{
    return take_scratch(h, d) && make_batches(h, d) && place_batches(h, d) && cut_batches(h, d) &&
           sort_by_region(h, d) && make_colours(h, d);
}
