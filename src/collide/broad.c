#include "collide/broad.h"

#include "base/sort.h"

#include <math.h>
#include <string.h>

bool broad_create(int count, const bool *round, const ph_allocator *allocator, arena *memory, broad *b)
{
    const size_t n = (size_t)count;
    int in_grid = 0, in_tree = 0;
    for (int k = 0; k < count && round; k++) in_grid += round[k];
    *b = (broad){.allocator = allocator, .count = count};
    b->entered = arena_alloc_array(memory, n, sizeof *b->entered);
    b->moved = arena_alloc_array(memory, n, sizeof *b->moved);
    b->is_moved = arena_alloc_array(memory, n, sizeof *b->is_moved);
    b->at = arena_alloc_array(memory, n, sizeof *b->at);
    b->of_grid = arena_alloc_array(memory, (size_t)in_grid, sizeof *b->of_grid);
    b->of_tree = arena_alloc_array(memory, (size_t)(count - in_grid), sizeof *b->of_tree);
    if (!b->entered || !b->moved || !b->is_moved || !b->at || !b->of_grid || !b->of_tree ||
        !grid_create(in_grid, memory, &b->grid) || !tree_create(count - in_grid, memory, &b->tree))
        return false;
    in_grid = 0;
    for (int k = 0; k < count; k++) {
        const bool is_round = round && round[k];
        b->at[k] = is_round ? -1 - in_grid : in_tree;
        *(is_round ? &b->of_grid[in_grid++] : &b->of_tree[in_tree++]) = k;
    }
    return true;
}

void broad_destroy(broad *b)
{
    mem_free(b->allocator, b->pairs);
    scratch_free(b->allocator, &b->own);
    mem_free(b->allocator, b->parts);
    mem_free(b->allocator, b->runs);
}

// ---- Pairs ----------------------------------------------------------------------------------------------------------

static bool reserve(broad *b, void *array, int *capacity, int needed, size_t size)
{
    b->growths += needed > *capacity;
    return needed >= 0 && mem_reserve(b->allocator, array, capacity, needed, size);
}

static bool reserve_fresh(broad *b, int count)
{
    scratch *room = b->room ? b->room : &b->own;
    const size_t bytes = b->kept + (size_t)(count > 0 ? count : 0) * sizeof *b->fresh;
    if (count < 0 || !scratch_enter(b->allocator, room, SCRATCH_DETECTION, b->kept, bytes)) return false;
    b->fresh = (uint64_t *)((char *)scratch_at(room, SCRATCH_DETECTION) + b->kept);
    return true;
}

enum { SEARCHES = 64 }; // shapes in a part

typedef struct search {
    const broad *b;
    broad_filter filter;
    const void *user;
    int moved, parts; // parts: as many of pairs whose first shape moved, and of all others
} search;

static void add_key(const search *s, list_part *p, uint64_t key)
{
    if (p->count < p->room) s->b->fresh[p->at + p->count] = key;
    p->count++;
}

static aabb box_of(const broad *b, int k)
{
    const int at = b->at[k];
    return at < 0 ? grid_box_at(&b->grid, -1 - at) : b->tree.nodes[at].box;
}

typedef struct seeker {
    const search *s;
    int k;
    list_part *first, *second;
} seeker;

static void meet(const seeker *it, int other)
{
    const search *s = it->s;
    const int k = it->k;
    if (other == k || (s->b->is_moved[other] && other < k)) return; // found from the other side
    if (!s->filter(s->user, k < other ? k : other, k < other ? other : k)) return;
    if (k < other)
        add_key(s, it->first, (uint64_t)k << 32 | (uint64_t)other);
    else
        add_key(s, it->second, (uint64_t)other << 32 | (uint64_t)k);
}

static void meet_in_grid(void *user, int at)
{
    const seeker *it = user;
    meet(it, it->s->b->of_grid[at]);
}

// Shapes are looked up in rising order: pairs of which they are the first are as good as sorted.
static void search_around(const search *s, int k, list_part *first, list_part *second)
{
    const broad *b = s->b;
    const int begin = first->count;
    const aabb box = box_of(b, k);
    seeker it = {s, k, first, second};
    grid_visit(&b->grid, &box, meet_in_grid, &it);
    tree_walk w = tree_begin(&b->tree, box);
    for (int at; (at = tree_next(&w)) != TREE_NONE;) meet(&it, b->of_tree[at]);
    if (first->count <= first->room) sort_few(b->fresh + first->at + begin, first->count - begin);
}

static void search_part(void *user, int index)
{
    const search *s = user;
    list_part first = s->b->parts[index], second = s->b->parts[s->parts + index];
    const int from = index * SEARCHES, to = from + SEARCHES < s->moved ? from + SEARCHES : s->moved;
    first.count = second.count = 0;
    for (int m = from; m < to; m++) search_around(s, s->b->moved[m], &first, &second);
    s->b->parts[index] = first;
    s->b->parts[s->parts + index] = second;
}

// ---- Merging --------------------------------------------------------------------------------------------------------

// Old pairs are cut into runs. Those of a run that stay are set aside; fresh pairs that come before the next run are merged
// with them.
enum { RUN = 2048 };

typedef struct merging {
    broad *b;
    uint64_t *aside;                // as many as there are old pairs
    const uint64_t *first, *second; // fresh pairs, both sorted
    int first_count, second_count;
} merging;

// How many keys are below.
static int count_below(const uint64_t *keys, int count, uint64_t key)
{
    int low = 0;
    while (count > 0) {
        const int half = count / 2;
        if (keys[low + half] < key)
            low += half + 1, count -= half + 1;
        else
            count = half;
    }
    return low;
}

static void set_aside(void *user, int run, int from, int to)
{
    const merging *m = user;
    const broad *b = m->b;
    int kept = from;
    for (int k = from; k < to; k++) {
        const uint64_t pair = b->pairs[k];
        m->aside[kept] = pair;
        kept += !b->is_moved[broad_first(pair)] && !b->is_moved[broad_second(pair)];
    }
    const bool is_last = to == b->pair_count;
    b->runs[run] =
        (broad_run){.kept = kept - from,
                    .first = is_last ? m->first_count : count_below(m->first, m->first_count, b->pairs[to]),
                    .second = is_last ? m->second_count : count_below(m->second, m->second_count, b->pairs[to])};
}

static void merge_run(void *user, int run)
{
    const merging *m = user;
    const broad_run *it = &m->b->runs[run], none = {0}, *before = run > 0 ? it - 1 : &none;
    const uint64_t *old = m->aside + (size_t)run * RUN, *old_end = old + it->kept;
    const uint64_t *first = m->first + before->first, *first_end = m->first + it->first;
    const uint64_t *second = m->second + before->second, *second_end = m->second + it->second;
    for (uint64_t *to = m->b->pairs + it->at; old < old_end || first < first_end || second < second_end; to++) {
        const uint64_t a = old < old_end ? *old : UINT64_MAX, b = first < first_end ? *first : UINT64_MAX;
        const uint64_t c = second < second_end ? *second : UINT64_MAX;
        *to = a < b ? (a < c ? a : c) : (b < c ? b : c);
        old += *to == a;
        first += *to == b;
        second += *to == c;
    }
}

// The pairs of shapes that did not move, and the fresh ones: `first` of them and then others, both sorted.
// NOLINTNEXTLINE(readability-non-const-parameter): set_aside writes
static bool merge(broad *b, uint64_t *aside, int first, int all)
{
    merging m = {b, aside, b->fresh, b->fresh + first, first, all - first};
    const int runs = b->pair_count > 0 ? pool_parts(b->pair_count, RUN) : 1;
    if (!reserve(b, &b->runs, &b->run_capacity, runs, sizeof *b->runs)) return false;
    b->runs[0] = (broad_run){.first = first, .second = all - first};
    pool_run_ranges(b->pool, set_aside, &m, b->pair_count, RUN);
    int end = 0;
    for (int k = 0; k < runs; k++) {
        const broad_run *before = k > 0 ? &b->runs[k - 1] : NULL;
        b->runs[k].at = end;
        end += b->runs[k].kept + b->runs[k].first + b->runs[k].second;
        if (before) end -= before->first + before->second;
    }
    if (!reserve(b, &b->pairs, &b->pair_capacity, end, sizeof *b->pairs)) return false;
    b->pair_count = end;
    pool_run(b->pool, merge_run, &m, runs);
    return true;
}

static bool add_fresh(broad *b, int moved, broad_filter filter, const void *user)
{
    search s = {b, filter, user, moved, (moved + SEARCHES - 1) / SEARCHES};
    if (!reserve(b, &b->parts, &b->part_capacity, 2 * s.parts, sizeof *b->parts)) return false;
    int length;
    do {
        length = parts_place(b->parts, 2 * s.parts);
        if (length < 0 || length > INT32_MAX - b->pair_count || !reserve_fresh(b, length + b->pair_count)) return false;
        pool_run(b->pool, search_part, &s, s.parts);
    } while (!parts_fit(b->parts, 2 * s.parts));
    int first = 0;
    for (int k = 0; k < s.parts; k++) first += b->parts[k].count;
    const int all = parts_close(b->parts, 2 * s.parts, b->fresh, sizeof *b->fresh);
    sort_keys(b->fresh + first, all - first);
    return merge(b, b->fresh + length, first, all);
}

// ---- Boxes ----------------------------------------------------------------------------------------------------------

static bool is_bounded(const aabb *box)
{
    return isfinite(box->low.x + box->low.y + box->low.z) && isfinite(box->high.x + box->high.y + box->high.z);
}

static void leave(broad *b, int k)
{
    if (b->at[k] < 0)
        grid_remove(&b->grid, -1 - b->at[k]);
    else
        tree_remove(&b->tree, b->at[k]);
}

static void enter(broad *b, int k, aabb box)
{
    if (b->at[k] < 0)
        grid_insert(&b->grid, -1 - b->at[k], box);
    else
        tree_insert(&b->tree, b->at[k], box);
}

typedef struct leaving {
    const broad *b;
    const aabb *boxes;
} leaving;

// Who left its box, or has none yet.
static void find_moved(void *user, int part, int from, int to)
{
    (void)part;
    const leaving *l = user;
    for (int k = from; k < to; k++) {
        const aabb entered = box_of(l->b, k);
        l->b->is_moved[k] = is_bounded(&l->boxes[k]) && !(l->b->entered[k] && aabb_contains(&entered, &l->boxes[k]));
    }
}

// Enters anew what left its box; returns how many.
static int move_boxes(broad *b, const aabb *boxes, broad_room room, const void *user)
{
    enum { LOOKED_AT = 512 }; // shapes in a part
    leaving l = {b, boxes};
    pool_run_ranges(b->pool, find_moved, &l, b->count, LOOKED_AT);
    int moved = 0;
    for (int k = 0; k < b->count; k++) {
        if (!b->is_moved[k]) continue;
        if (b->entered[k]) leave(b, k);
        enter(b, k, room(user, k, &boxes[k]));
        b->entered[k] = true;
        b->moved[moved++] = k;
    }
    return moved;
}

// Forgets everything, so that the next update begins anew.
static void clear(broad *b)
{
    for (int k = 0; k < b->count; k++) {
        if (b->entered[k]) leave(b, k);
        b->entered[k] = false;
    }
    b->pair_count = 0;
}

bool broad_update(broad *b, const aabb *boxes, broad_room room, broad_filter filter, const void *user)
{
    const int moved = move_boxes(b, boxes, room, user);
    if (moved == 0) return true;
    if (add_fresh(b, moved, filter, user)) return true;
    clear(b);
    return false;
}
