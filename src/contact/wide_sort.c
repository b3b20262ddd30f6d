// From a list of contacts to islands, batches of them, domains, and blocks of contacts that share no body.
#include "contact/wide_inside.h"

#include <string.h>

enum {
    BATCH_LEAST = 256, // ends of contacts: islands are put together until there are as many
    COLOURS = 64,      // what is left over when a body has more contacts than that is solved one by one
    SORTED = 256,      // contacts or bodies that a thread takes at a time
};

typedef struct loading {
    const wide *w;
    const wide_problem *d;
} loading;

// ---- Islands --------------------------------------------------------------------------------------------------------

// Paths become shorter on the way: every second body gets the parent of its parent.
static int root_of(atomic_int *parent, int k)
{
    for (;;) {
        const int up = atomic_load_explicit(&parent[k], memory_order_relaxed);
        const int next = atomic_load_explicit(&parent[up], memory_order_relaxed);
        if (up == next) return up;
        atomic_store_explicit(&parent[k], next, memory_order_relaxed);
        k = next;
    }
}

// The smaller of both roots leads, so that in the end every body knows the first one of its island, whoever comes first.
static void unite(atomic_int *parent, int a, int b)
{
    if (atomic_load_explicit(&parent[a], memory_order_relaxed) ==
        atomic_load_explicit(&parent[b], memory_order_relaxed))
        return;
    for (;;) {
        a = root_of(parent, a);
        b = root_of(parent, b);
        int root = a > b ? a : b;
        if (a == b || atomic_compare_exchange_weak(&parent[root], &root, a < b ? a : b)) return;
    }
}

static void unite_pairs(void *user, int part, int from, int to)
{
    (void)part;
    const loading *l = user;
    wide_pair *pairs = l->w->pairs.at;
    for (int i = from; i < to; i++) {
        const wide_pair c = pairs[i] = l->d->pair(l->d->user, i);
        if (c.a >= 0 && c.b >= 0) unite(l->w->island.at, c.a, c.b);
    }
}

static void find_roots(void *user, int part, int from, int to)
{
    (void)part;
    atomic_int *parent = ((const loading *)user)->w->island.at;
    for (int k = from; k < to; k++) atomic_store_explicit(&parent[k], root_of(parent, k), memory_order_relaxed);
}

static int ends_of(const wide_problem *d, int k)
{
    return d->use_start[k + 1] - d->use_start[k];
}

static int island_of(const wide *w, int k)
{
    return atomic_load_explicit((atomic_int *)w->island.at + k, memory_order_relaxed);
}

// Islands with contacts are put into batches of at least BATCH_LEAST ends of contacts.
static bool make_batches(wide *w, const wide_problem *d)
{
    const int bodies = w->model->moving_count;
    loading l = {w, d};
    atomic_int *island = wide_borrow(w, &w->island, (size_t)bodies, sizeof *island);
    int *ends = wide_borrow(w, &w->island_ends, (size_t)bodies, sizeof(int));
    int *batch = wide_borrow(w, &w->batch_of, (size_t)bodies, sizeof(int));
    wide_borrow(w, &w->pairs, (size_t)d->contact_count, sizeof(wide_pair));
    for (int k = 0; k < bodies; k++) atomic_init(&island[k], k);
    pool_run_ranges(w->pool, unite_pairs, &l, d->contact_count, SORTED);
    pool_run_ranges(w->pool, find_roots, &l, bodies, SORTED);
    memset(ends, 0, sizeof(int) * (size_t)bodies);
    for (int k = 0; k < bodies; k++) ends[island_of(w, k)] += ends_of(d, k);
    w->batch_count = 0;
    for (int k = 0, filled = BATCH_LEAST; k < bodies; k++) {
        if (ends[k] == 0) continue;
        if (filled >= BATCH_LEAST || ends[k] >= BATCH_LEAST) {
            w->batch_count++;
            filled = 0;
        }
        batch[k] = w->batch_count - 1;
        filled += ends[k];
    }
    return wide_room(w, &w->batches, (size_t)w->batch_count + 1, sizeof(wide_batch));
}

// Bodies of a batch side by side; those without contacts have no place.
static bool place_batches(wide *w, const wide_problem *d)
{
    const int bodies = w->model->moving_count;
    const int *batch = w->batch_of.at;
    wide_batch *batches = w->batches.at;
    int *place = wide_room(w, &w->body_place, (size_t)bodies, sizeof(int));
    if (!place) return false;
    for (int b = 0; b < w->batch_count; b++) batches[b] = (wide_batch){0};
    for (int k = 0; k < bodies; k++) {
        if (ends_of(d, k) == 0) continue;
        wide_batch *b = &batches[batch[island_of(w, k)]];
        b->ends += ends_of(d, k);
        b->body_end++;
    }
    w->node_count = w->body_count = 0;
    for (int b = 0; b < w->batch_count; b++) {
        const int members = batches[b].body_end;
        batches[b].domains = wide_domain_count(batches[b].ends);
        batches[b].node = w->node_count;
        batches[b].body = batches[b].body_end = w->body_count;
        w->node_count += 2 * batches[b].domains - 1;
        w->body_count += members;
    }
    for (int k = 0; k < bodies; k++) place[k] = ends_of(d, k) > 0 ? batches[batch[island_of(w, k)]].body_end++ : -1;
    return true;
}

// ---- Domains --------------------------------------------------------------------------------------------------------

static void set_members(void *user, int part, int from, int to)
{
    (void)part;
    const loading *l = user;
    const int *place = l->w->body_place.at;
    wide_member *members = l->w->members.at;
    for (int k = from; k < to; k++) {
        if (place[k] < 0) continue;
        const ph_vec3 x = l->d->position(l->d->user, k);
        members[place[k]] = (wide_member){{(float)x.x, (float)x.y, (float)x.z}, k, ends_of(l->d, k)};
    }
}

static void place_members(void *user, int index)
{
    const wide *w = user;
    const wide_batch *b = (const wide_batch *)w->batches.at + index;
    const wide_member *members = w->members.at;
    int *place = w->body_place.at, *body_at = w->body_at.at, *leaf_of = w->leaf_of.at;
    for (int leaf = b->node; leaf < b->node + b->domains; leaf++) {
        const wide_node *n = (const wide_node *)w->nodes.at + leaf;
        for (int k = n->body; k < n->body_end; k++) {
            place[members[k].body] = k;
            body_at[k] = members[k].body;
            leaf_of[k] = leaf;
        }
    }
}

// Bodies of a domain side by side.
static bool cut_batches(wide *w, const wide_problem *d)
{
    const size_t bodies = (size_t)w->body_count;
    const wide_batch *batches = w->batches.at;
    loading l = {w, d};
    if (!wide_room(w, &w->nodes, (size_t)w->node_count, sizeof(wide_node)) ||
        !wide_room(w, &w->body_at, bodies, sizeof(int)))
        return false;
    wide_borrow(w, &w->members, bodies, sizeof(wide_member));
    wide_borrow(w, &w->aside, bodies, sizeof(wide_member));
    wide_borrow(w, &w->leaf_of, bodies, sizeof(int));
    pool_run_ranges(w->pool, set_members, &l, w->model->moving_count, SORTED);
    for (int b = 0; b < w->batch_count; b++) wide_cut(w, &batches[b]);
    pool_run(w->pool, place_members, w, w->batch_count);
    return true;
}

static void find_nodes(void *user, int part, int from, int to)
{
    (void)part;
    const loading *l = user;
    const int *place = l->w->body_place.at, *leaf_of = l->w->leaf_of.at;
    const wide_node *nodes = l->w->nodes.at;
    int *node_of = l->w->node_of.at;
    for (int i = from; i < to; i++) {
        const wide_pair *c = (const wide_pair *)l->w->pairs.at + i;
        int a = leaf_of[place[c->a >= 0 ? c->a : c->b]], b = leaf_of[place[c->b >= 0 ? c->b : c->a]];
        while (a != b) {
            a = nodes[a].parent;
            b = nodes[b].parent;
        }
        node_of[i] = a;
    }
}

// Contacts of a node side by side.
static bool sort_by_node(wide *w, const wide_problem *d)
{
    loading l = {w, d};
    wide_node *nodes = w->nodes.at;
    const int *node_of = wide_borrow(w, &w->node_of, (size_t)d->contact_count, sizeof(int));
    int *order = wide_room(w, &w->order, (size_t)d->contact_count, sizeof(int)), before = 0;
    if (!order) return false;
    pool_run_ranges(w->pool, find_nodes, &l, d->contact_count, SORTED);
    for (int i = 0; i < d->contact_count; i++) nodes[node_of[i]].contact_end++;
    for (int k = 0; k < w->node_count; k++) {
        nodes[k].contact = before;
        before += nodes[k].contact_end;
        nodes[k].contact_end = nodes[k].contact;
    }
    for (int i = 0; i < d->contact_count; i++) order[nodes[node_of[i]].contact_end++] = i;
    return true;
}

// ---- Colours --------------------------------------------------------------------------------------------------------

typedef struct palette { // of one node
    const wide_node *node;
    const int *order, *body;
    const wide_pair *pairs;
    uint64_t *taken; // by body: colours
    uint64_t full;   // colours that take no more
    int count[COLOURS + 1];
} palette;

static wide_pair places_of(const palette *p, int k)
{
    const wide_pair c = p->pairs[p->order[k]];
    return (wide_pair){c.a >= 0 ? p->body[c.a] : -1, c.b >= 0 ? p->body[c.b] : -1};
}

static void begin_colours(palette *p)
{
    memset(p->count, 0, sizeof p->count);
    p->full = 0;
    for (int k = p->node->contact; k < p->node->contact_end; k++) {
        const wide_pair c = places_of(p, k);
        if (c.a >= 0) p->taken[c.a] = 0;
        if (c.b >= 0) p->taken[c.b] = 0;
    }
}

// The first colour that neither body of a contact has.
static int pick_colour(palette *p, int k)
{
    const wide_pair c = places_of(p, k);
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
        blocks += p->count[c] / WIDE;
    }
    for (int k = p->node->contact; k < p->node->contact_end; k++) {
        const int c = colour_of[k];
        place[k] = c < COLOURS && place[k] < p->count[c] / WIDE * WIDE ? WIDE * first[c] + place[k] : -1;
    }
    return blocks;
}

// What is left is coloured anew, sixteen of a colour at the most: few blocks are not full. A contact that finds none comes
// alone. Returns how many blocks there are with these.
static int place_rest(palette *p, int *place, int blocks)
{
    int single = blocks;
    begin_colours(p);
    for (int k = p->node->contact; k < p->node->contact_end; k++) {
        if (place[k] >= 0) continue;
        const int c = pick_colour(p, k), at = p->count[c]++;
        place[k] = c < COLOURS ? WIDE * (blocks + c) + at : -1;
        if (c < COLOURS && p->count[c] == WIDE) p->full |= (uint64_t)1 << c;
        if (c < COLOURS && blocks + c >= single) single = blocks + c + 1;
    }
    for (int k = p->node->contact; k < p->node->contact_end && p->count[COLOURS] > 0; k++)
        if (place[k] < 0) place[k] = WIDE * single++;
    return single;
}

// The blocks of one node, counted from its first, and the places of its contacts in them.
static void paint(void *user, int index)
{
    const loading *l = user;
    const wide *w = l->w;
    wide_node *n = (wide_node *)w->nodes.at + index;
    palette p = {.node = n, .order = w->order.at, .body = w->body_place.at, .pairs = w->pairs.at, .taken = w->taken.at};
    int *place = w->node_of.at; // by order; the nodes have served
    unsigned char *colour_of = w->colour_of.at;
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
    wide_walk((wide *)l->w, (const wide_batch *)l->w->batches.at + index, paint, user);
}

// From now on blocks count from the first of all.
static void number_blocks(wide *w)
{
    w->block_count = 0;
    for (int k = 0; k < w->node_count; k++) {
        wide_node *n = (wide_node *)w->nodes.at + k;
        n->block = w->block_count;
        n->full_end += n->block;
        w->block_count = n->block_end += n->block;
    }
}

static void set_places(void *user, int index)
{
    const wide *w = user;
    const wide_node *n = (const wide_node *)w->nodes.at + index;
    const int *order = w->order.at, *by_order = w->node_of.at;
    const unsigned char *colour_of = w->colour_of.at;
    int *place = w->place.at;
    unsigned char *colour = w->colour.at;
    for (int k = n->contact; k < n->contact_end; k++) {
        const int block = by_order[k] / WIDE + n->block;
        place[order[k]] = by_order[k] + WIDE * n->block;
        colour[block] = block < n->full_end ? colour_of[k] : (unsigned char)(COLOURS + block % 2); // each its own
    }
}

static bool make_colours(wide *w, const wide_problem *d)
{
    const size_t contacts = (size_t)d->contact_count;
    loading l = {w, d};
    if (!wide_room(w, &w->place, contacts, sizeof(int))) return false;
    wide_borrow(w, &w->taken, (size_t)w->body_count, sizeof(uint64_t));
    wide_borrow(w, &w->colour_of, contacts, 1);
    wide_for_batches(w, paint_batch, &l);
    number_blocks(w);
    if (!wide_room(w, &w->colour, (size_t)w->block_count, 1)) return false;
    pool_run(w->pool, set_places, w, w->node_count);
    return true;
}

// What is borrowed, by moving body and by contact, and is not needed when all is sorted.
static bool take_scratch(wide *w, const wide_problem *d)
{
    const size_t by_body = 4 * sizeof(int) + 2 * sizeof(wide_member) + sizeof(uint64_t);
    const size_t by_contact = sizeof(wide_pair) + sizeof(int) + 1, guess = sizeof(ph_vec3) * (size_t)d->contact_count;
    return wide_lend(w, guess, by_body * (size_t)w->model->moving_count + by_contact * (size_t)d->contact_count, 10);
}

bool wide_sort(wide *w, const wide_problem *d)
{
    w->growths = 0;
    return take_scratch(w, d) && make_batches(w, d) && place_batches(w, d) && cut_batches(w, d) && sort_by_node(w, d) &&
           make_colours(w, d);
}
