// From a list of contacts to batches, colours and blocks.
#include "contact/wide_inside.h"

#include "math/mat3.h"

#include <math.h>
#include <string.h>

enum {
    BATCH_LEAST = 256, // ends of contacts: islands are put together until there are as many
    COLOURS = 64,      // what is left over when a body has more contacts than that is solved one by one
    LOADED = 256,      // contacts or bodies that a thread takes at a time
    ALIGNMENT = 64,
};

// ---- Memory ---------------------------------------------------------------------------------------------------------

static void free_array(const wide *w, wide_array *a)
{
    mem_free(&w->model->allocator, a->memory);
}

void wide_free(wide *w)
{
    wide_array *arrays[] = {&w->blocks,    &w->bodies,      &w->last,     &w->saved,      &w->inertia,
                            &w->ends,      &w->moved,       &w->sums,     &w->batches,    &w->nodes,
                            &w->island,    &w->island_ends, &w->batch_of, &w->body_place, &w->members,
                            &w->aside,     &w->taken,       &w->leaf_of,  &w->node_of,    &w->order,
                            &w->colour_of, &w->place,       &w->colours,  &w->ragged,     &w->errors};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) free_array(w, arrays[k]);
    for (int k = 0; k < X_COUNT; k++) free_array(w, &w->x[k]);
}

// Room for `count` elements, an eighth more where it must grow; what was there is lost. NULL when out of memory.
static void *room(wide *w, wide_array *a, size_t count, size_t size)
{
    const size_t bytes = count * size + ALIGNMENT;
    if (bytes <= a->bytes) return a->at;
    free_array(w, a);
    a->bytes = bytes + bytes / 8;
    a->memory = mem_alloc(&w->model->allocator, a->bytes + ALIGNMENT);
    if (!a->memory) a->bytes = 0;
    a->at = a->memory ? (char *)a->memory + (ALIGNMENT - (uintptr_t)a->memory % ALIGNMENT) : NULL;
    w->growths++;
    return a->at;
}

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
    for (;;) {
        a = root_of(parent, a);
        b = root_of(parent, b);
        int root = a > b ? a : b;
        if (a == b || atomic_compare_exchange_weak(&parent[root], &root, a < b ? a : b)) return;
    }
}

typedef struct loading {
    const wide *w;
    const wide_problem *d;
} loading;

static void unite_pairs(void *user, int part, int from, int to)
{
    (void)part;
    const loading *l = user;
    for (int i = from; i < to; i++)
        if (l->d->pairs[i].a >= 0 && l->d->pairs[i].b >= 0) unite(l->w->island.at, l->d->pairs[i].a, l->d->pairs[i].b);
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
    atomic_int *island = room(w, &w->island, (size_t)bodies, sizeof *island);
    int *ends = room(w, &w->island_ends, (size_t)bodies, sizeof(int));
    int *batch = room(w, &w->batch_of, (size_t)bodies, sizeof(int));
    if (!island || !ends || !batch) return false;
    for (int k = 0; k < bodies; k++) atomic_init(&island[k], k);
    pool_run_ranges(w->pool, unite_pairs, &l, d->contact_count, LOADED);
    pool_run_ranges(w->pool, find_roots, &l, bodies, LOADED);
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
    return room(w, &w->batches, (size_t)w->batch_count + 1, sizeof(wide_batch));
}

// Bodies of a batch side by side; those without contacts have no place.
static bool place_batches(wide *w, const wide_problem *d)
{
    const int bodies = w->model->moving_count;
    const int *batch = w->batch_of.at;
    wide_batch *batches = w->batches.at;
    int *place = room(w, &w->body_place, (size_t)bodies, sizeof(int));
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
    int *place = w->body_place.at, *leaf_of = w->leaf_of.at;
    for (int leaf = b->node; leaf < b->node + b->domains; leaf++) {
        const wide_node *n = (const wide_node *)w->nodes.at + leaf;
        for (int k = n->body; k < n->body_end; k++) {
            place[members[k].body] = k;
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
    if (!room(w, &w->members, bodies, sizeof(wide_member)) || !room(w, &w->aside, bodies, sizeof(wide_member)) ||
        !room(w, &w->leaf_of, bodies, sizeof(int)) || !room(w, &w->nodes, (size_t)w->node_count, sizeof(wide_node)))
        return false;
    pool_run_ranges(w->pool, set_members, &l, w->model->moving_count, LOADED);
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
        const wide_pair *c = &l->d->pairs[i];
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
    const int *node_of = room(w, &w->node_of, (size_t)d->contact_count, sizeof(int));
    int *order = room(w, &w->order, (size_t)d->contact_count, sizeof(int)), before = 0;
    if (!node_of || !order) return false;
    pool_run_ranges(w->pool, find_nodes, &l, d->contact_count, LOADED);
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

// The first colour that neither body of a contact has; -1: a body that stands still.
static int pick_colour(uint64_t *taken, int place_a, int place_b)
{
    uint64_t none = 0;
    uint64_t *a = place_a >= 0 ? &taken[place_a] : &none, *b = place_b >= 0 ? &taken[place_b] : &none;
    const uint64_t both = *a | *b;
    if (both == UINT64_MAX) return COLOURS;
    const int colour = __builtin_ctzll(~both);
    *a |= (uint64_t)1 << colour;
    *b |= (uint64_t)1 << colour;
    return colour;
}

// The colours of one node, how many contacts they have, and which of them each contact is.
static void paint(void *user, int index)
{
    const loading *l = user;
    const wide *w = l->w;
    const wide_node *n = (const wide_node *)w->nodes.at + index;
    const int *order = w->order.at, *body = w->body_place.at;
    int *place = w->place.at, *count = (int *)w->colours.at + (size_t)index * (COLOURS + 1);
    unsigned char *colour_of = w->colour_of.at;
    uint64_t *taken = w->taken.at;
    memset(count, 0, sizeof *count * (COLOURS + 1));
    memset(taken + n->body, 0, sizeof *taken * (size_t)(n->body_end - n->body));
    for (int k = n->contact; k < n->contact_end; k++) {
        const wide_pair c = l->d->pairs[order[k]];
        const int colour = pick_colour(taken, c.a >= 0 ? body[c.a] : -1, c.b >= 0 ? body[c.b] : -1);
        colour_of[k] = (unsigned char)colour;
        place[k] = count[colour]++;
    }
}

static void paint_batch(void *user, int index)
{
    const loading *l = user;
    wide_walk((wide *)l->w, (const wide_batch *)l->w->batches.at + index, paint, user);
}

// Blocks of each node and colour; `colours` becomes the first of them.
static void count_blocks(wide *w)
{
    int *ragged = w->ragged.at, *count = w->colours.at;
    w->block_count = w->ragged_count = 0;
    for (int k = 0; k < w->node_count; k++) {
        wide_node *n = (wide_node *)w->nodes.at + k;
        n->block = w->block_count;
        for (int c = 0; c <= COLOURS; c++, count++) {
            const int contacts = *count, first = w->block_count;
            *count = first;
            w->block_count += c == COLOURS ? contacts : (contacts + WIDE - 1) / WIDE;
            if (c < COLOURS && contacts % WIDE > 0) ragged[w->ragged_count++] = w->block_count - 1;
            for (int b = first; b < w->block_count && c == COLOURS; b++) ragged[w->ragged_count++] = b;
        }
        n->block_end = w->block_count;
    }
}

static void set_places(void *user, int index)
{
    const wide *w = user;
    const wide_node *n = (const wide_node *)w->nodes.at + index;
    const int *first = (const int *)w->colours.at + (size_t)index * (COLOURS + 1);
    const unsigned char *colour_of = w->colour_of.at;
    int *place = w->place.at;
    for (int k = n->contact; k < n->contact_end; k++) {
        const int c = colour_of[k];
        place[k] = WIDE * first[c] + (c == COLOURS ? WIDE * place[k] : place[k]);
    }
}

static bool make_colours(wide *w, const wide_problem *d)
{
    const size_t contacts = (size_t)d->contact_count;
    loading l = {w, d};
    if (!room(w, &w->taken, (size_t)w->body_count, sizeof(uint64_t)) || !room(w, &w->place, contacts, sizeof(int)) ||
        !room(w, &w->colour_of, contacts, 1) || !room(w, &w->ragged, contacts, sizeof(int)) ||
        !room(w, &w->colours, (size_t)w->node_count, (COLOURS + 1) * sizeof(int)))
        return false;
    wide_for_batches(w, paint_batch, &l);
    count_blocks(w);
    pool_run(w->pool, set_places, w, w->node_count);
    return true;
}

bool wide_sort(wide *w, const wide_problem *d)
{
    w->growths = 0;
    return make_batches(w, d) && place_batches(w, d) && cut_batches(w, d) && sort_by_node(w, d) && make_colours(w, d);
}

// ---- Blocks ---------------------------------------------------------------------------------------------------------

static bool make_room(wide *w)
{
    const size_t blocks = (size_t)w->block_count, real = wide_real(w);
    const size_t bodies = (size_t)w->body_count + 1;
    bool ok = room(w, &w->blocks, blocks, real * WIDE * (size_t)w->rows) &&
              room(w, &w->ends, blocks, sizeof(wide_ends)) &&
              room(w, &w->sums, (size_t)w->node_count, sizeof(wide_sums)) && room(w, &w->last, bodies, BODY * real) &&
              room(w, &w->saved, bodies, BODY * real) && room(w, &w->moved, bodies, sizeof(int)) &&
              room(w, &w->errors, blocks, real * WIDE);
    for (int k = 0; ok && k < X_COUNT; k++) ok = room(w, &w->x[k], blocks, 3 * real * WIDE);
    return ok;
}

static void put3(const wide *w, const wide_array *a, size_t at, ph_vec3 v)
{
    wide_put(w, a, at, v.x);
    wide_put(w, a, at + WIDE, v.y);
    wide_put(w, a, at + 2 * WIDE, v.z);
}

typedef struct diagonal_block { // of N: what an impulse at a contact does to its own velocity
    double nn, tt, ss, ts;
    ph_vec3 tn; // the tangential velocity that a normal impulse gives
} diagonal_block;

// What one body adds.
static void add_diagonal(const wide_problem *d, const ph_vec3 axes[3], int body, ph_vec3 arm, diagonal_block *to)
{
    if (body < 0) return;
    const double m = d->inverse_mass[body];
    const ph_vec3 n = ph_cross(arm, axes[0]), t = ph_cross(arm, axes[1]), s = ph_cross(arm, axes[2]);
    const ph_vec3 Jn = ph_mul(d->inverse_inertia[body], n), Jt = ph_mul(d->inverse_inertia[body], t);
    const ph_vec3 Js = ph_mul(d->inverse_inertia[body], s);
    to->nn += m + ph_dot(n, Jn);
    to->tt += m + ph_dot(t, Jt);
    to->ss += m + ph_dot(s, Js);
    to->ts += ph_dot(t, Js);
    to->tn = ph_madd(ph_madd(to->tn, ph_dot(n, Jt), axes[1]), ph_dot(n, Js), axes[2]);
}

// The diagonal block where arms are along the normal and inertia is the same about every axis.
static diagonal_block diagonal_of_balls(const wide_problem *d, wide_pair pair, double reach_a, double reach_b)
{
    diagonal_block N = {0};
    if (pair.a >= 0) N.nn += d->inverse_mass[pair.a];
    if (pair.b >= 0) N.nn += d->inverse_mass[pair.b];
    N.tt = N.nn;
    if (pair.a >= 0) N.tt += d->inverse_inertia[pair.a].m[0][0] * reach_a * reach_a;
    if (pair.b >= 0) N.tt += d->inverse_inertia[pair.b].m[0][0] * reach_b * reach_b;
    N.ss = N.tt;
    return N;
}

static diagonal_block diagonal_of(const wide_problem *d, wide_pair pair, const wide_contact *c)
{
    const ph_vec3 t = ph_any_perpendicular(c->n), axes[3] = {c->n, t, ph_cross(c->n, t)};
    diagonal_block N = {0};
    add_diagonal(d, axes, pair.a, c->arm_a, &N);
    add_diagonal(d, axes, pair.b, c->arm_b, &N);
    return N;
}

static void put_diagonal(const wide *w, size_t at, const diagonal_block *N, double softness)
{
    const double half = 0.5 * (N->tt - N->ss), dn = N->nn + softness;
    const double dt = 0.5 * (N->tt + N->ss) + sqrt(half * half + N->ts * N->ts), d = (dn + 2.0 * dt) / 3.0;
    wide_put(w, &w->blocks, at + ROW_INVERSE_N * WIDE, 1.0 / dn);
    wide_put(w, &w->blocks, at + ROW_INVERSE_T * WIDE, 1.0 / dt);
    wide_put(w, &w->blocks, at + ROW_D * WIDE, d);
    wide_put(w, &w->blocks, at + ROW_INVERSE_D * WIDE, 1.0 / d);
}

static void put_contact(const wide *w, const wide_problem *d, int k)
{
    const int i = ((const int *)w->order.at)[k];
    const wide_pair pair = d->pairs[i];
    const wide_contact c = d->contact(d->user, i);
    const int place = ((const int *)w->place.at)[k], *body = w->body_place.at;
    const size_t block = (size_t)place / WIDE, lane = (size_t)place % WIDE, at = block * (size_t)w->rows * WIDE + lane;
    wide_ends *ends = (wide_ends *)w->ends.at + block;
    const double reach_a = ph_dot(c.arm_a, c.n), reach_b = -ph_dot(c.arm_b, c.n);
    const diagonal_block N = w->balls ? diagonal_of_balls(d, pair, reach_a, reach_b) : diagonal_of(d, pair, &c);
    ends->a[lane] = pair.a >= 0 ? body[pair.a] : w->body_count;
    ends->b[lane] = pair.b >= 0 ? body[pair.b] : w->body_count;
    put3(w, &w->blocks, at + ROW_N * WIDE, c.n);
    wide_put(w, &w->blocks, at + ROW_BIAS * WIDE, c.bias);
    wide_put(w, &w->blocks, at + ROW_MU * WIDE, c.friction);
    wide_put(w, &w->blocks, at + ROW_SOFT * WIDE, c.softness);
    wide_put(w, &w->blocks, at + ROW_REACH_A * WIDE, reach_a);
    wide_put(w, &w->blocks, at + ROW_REACH_B * WIDE, reach_b);
    put_diagonal(w, at, &N, c.softness);
    if (!w->balls) {
        put3(w, &w->blocks, at + ROW_ARM_A * WIDE, c.arm_a);
        put3(w, &w->blocks, at + ROW_ARM_B * WIDE, c.arm_b);
        put3(w, &w->blocks, at + ROW_TN * WIDE, N.tn);
    }
    put3(w, &w->x[X_NOW], 3 * WIDE * block + lane, d->x[i]);
}

// Contacts that nothing moves: they stay at zero.
static void put_nothing(const wide *w, size_t block)
{
    const size_t rows = (size_t)w->rows * WIDE, real = wide_real(w), at = block * rows;
    wide_ends *ends = (wide_ends *)w->ends.at + block;
    memset((char *)w->blocks.at + real * at, 0, real * rows);
    memset((char *)w->x[X_NOW].at + real * 3 * WIDE * block, 0, real * 3 * WIDE);
    for (size_t lane = 0; lane < WIDE; lane++) {
        const diagonal_block N = {1.0, 1.0, 1.0, 0.0, {0.0, 0.0, 0.0}};
        wide_put(w, &w->blocks, at + (ROW_N + 2) * WIDE + lane, 1.0);
        put_diagonal(w, at + lane, &N, 0.0);
        ends->a[lane] = ends->b[lane] = w->body_count;
    }
}

// ---- Bodies ---------------------------------------------------------------------------------------------------------

static void put_body(const wide *w, size_t place, double inverse_mass, const ph_mat3 *J, const screw *twist)
{
    const double row[BODY] = {twist->move.x, twist->move.y, twist->move.z, inverse_mass,
                              twist->turn.x, twist->turn.y, twist->turn.z, J->m[0][0]};
    const double inertia[BODY] = {J->m[0][0], J->m[1][1], J->m[2][2], 0.0, J->m[1][2], J->m[0][2], J->m[0][1], 0.0};
    for (size_t k = 0; k < BODY; k++) {
        wide_put(w, &w->bodies, BODY * place + k, row[k]);
        if (!w->round) wide_put(w, &w->inertia, BODY * place + k, inertia[k]);
    }
}

static bool all_round(const wide *w)
{
    const int *place = w->body_place.at;
    bool round = true;
    for (int k = 0; k < w->model->moving_count && round; k++) round = place[k] < 0 || w->is_round[k];
    return round;
}

static void put_bodies(void *user, int part, int from, int to)
{
    (void)part;
    const loading *l = user;
    const wide_problem *d = l->d;
    const int *place = l->w->body_place.at;
    for (int k = from; k < to; k++)
        if (place[k] >= 0) put_body(l->w, (size_t)place[k], d->inverse_mass[k], &d->inverse_inertia[k], &d->twists[k]);
}

bool wide_load_bodies(wide *w, const wide_problem *d)
{
    loading l = {w, d};
    const size_t bodies = (size_t)w->body_count + 1, bytes = BODY * wide_real(w);
    if (!room(w, &w->bodies, bodies, bytes) || (!w->round && !room(w, &w->inertia, bodies, bytes))) return false;
    pool_run_ranges(w->pool, put_bodies, &l, w->model->moving_count, LOADED);
    put_body(w, bodies - 1, 0.0, &(ph_mat3){0}, &(screw){0});
    return true;
}

// ---- The whole ------------------------------------------------------------------------------------------------------

static void put_contacts(void *user, int part, int from, int to)
{
    (void)part;
    const loading *l = user;
    for (int k = from; k < to; k++) put_contact(l->w, l->d, k);
}

static void put_guesses(void *user, int part, int from, int to)
{
    (void)part;
    const loading *l = user;
    const int *order = l->w->order.at, *place = l->w->place.at;
    for (int k = from; k < to; k++)
        put3(l->w, &l->w->x[X_SAVED], 3 * WIDE * ((size_t)place[k] / WIDE) + (size_t)place[k] % WIDE,
             l->d->x[order[k]]);
}

void wide_load_guess(wide *w, const wide_problem *d)
{
    loading l = {w, d};
    memset(w->x[X_SAVED].at, 0, 3 * WIDE * wide_real(w) * (size_t)w->block_count);
    pool_run_ranges(w->pool, put_guesses, &l, d->contact_count, LOADED);
}

bool wide_load(wide *w, const wide_problem *d)
{
    loading l = {w, d};
    w->round = all_round(w);
    w->balls = d->balls && w->round;
    w->rows = w->balls ? BALL_ROWS : BLOCK_ROWS;
    if (!make_room(w) || !wide_load_bodies(w, d)) return false;
    for (int k = 0; k < w->ragged_count; k++) put_nothing(w, (size_t)((const int *)w->ragged.at)[k]);
    pool_run_ranges(w->pool, put_contacts, &l, d->contact_count, LOADED);
    const size_t impulses = 3 * WIDE * wide_real(w) * (size_t)w->block_count;
    memcpy(w->last.at, w->bodies.at, BODY * wide_real(w) * ((size_t)w->body_count + 1));
    memcpy(w->x[X_LAST].at, w->x[X_NOW].at, impulses); // nothing is extrapolated yet
    return true;
}
