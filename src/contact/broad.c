#include "contact/broad.h"

#include <math.h>
#include <string.h>

bool broad_create(int count, const ph_allocator *allocator, arena *memory, broad *b)
{
    const size_t n = (size_t)count;
    *b = (broad){.allocator = allocator, .count = count};
    b->entered = arena_alloc_array(memory, n, sizeof *b->entered);
    b->moved = arena_alloc_array(memory, n, sizeof *b->moved);
    b->is_moved = arena_alloc_array(memory, n, sizeof *b->is_moved);
    return b->entered && b->moved && b->is_moved && tree_create(count, memory, &b->tree);
}

void broad_destroy(broad *b)
{
    mem_free(b->allocator, b->pairs);
    mem_free(b->allocator, b->fresh);
}

// ---- Sorting in place, without memory: heapsort --------------------------------------------------------------------

static void sift(uint64_t *heap, int from, int count)
{
    const uint64_t value = heap[from];
    for (int child; (child = 2 * from + 1) < count; from = child) {
        if (child + 1 < count && heap[child + 1] > heap[child]) child++;
        if (heap[child] <= value) break;
        heap[from] = heap[child];
        heap[child] = value;
    }
}

void sort_keys(uint64_t *keys, int count)
{
    for (int k = count / 2 - 1; k >= 0; k--) sift(keys, k, count);
    for (int end = count - 1; end > 0; end--) {
        const uint64_t largest = keys[0];
        keys[0] = keys[end];
        keys[end] = largest;
        sift(keys, 0, end);
    }
}

// ---- Pairs ----------------------------------------------------------------------------------------------------------

static bool reserve(broad *b, uint64_t **array, int *capacity, int needed)
{
    b->growths += needed > *capacity;
    return mem_reserve(b->allocator, array, capacity, needed, sizeof **array);
}

static void drop_moved(broad *b)
{
    int kept = 0;
    for (int k = 0; k < b->pair_count; k++) {
        const uint64_t pair = b->pairs[k];
        if (!b->is_moved[broad_first(pair)] && !b->is_moved[broad_second(pair)]) b->pairs[kept++] = pair;
    }
    b->pair_count = kept;
}

static bool find_fresh(broad *b, broad_filter filter, const void *user)
{
    b->fresh_count = 0;
    for (int m = 0, k, other; m < b->tree.leaf_count && (k = b->moved[m]) != TREE_NONE; m++) {
        for (tree_walk w = tree_begin(&b->tree, b->tree.nodes[k].box); (other = tree_next(&w)) != TREE_NONE;) {
            if (other == k || (b->is_moved[other] && other < k)) continue; // found from the other side
            const int first = k < other ? k : other, second = k < other ? other : k;
            if (!filter(user, first, second)) continue;
            if (!reserve(b, &b->fresh, &b->fresh_capacity, b->fresh_count + 1)) return false;
            b->fresh[b->fresh_count++] = (uint64_t)first << 32 | (uint64_t)second;
        }
    }
    sort_keys(b->fresh, b->fresh_count);
    return true;
}

// From the back, so that it needs no other memory.
static bool merge_fresh(broad *b)
{
    int old = b->pair_count, fresh = b->fresh_count, to = old + fresh;
    if (!reserve(b, &b->pairs, &b->pair_capacity, to)) return false;
    b->pair_count = to;
    while (fresh > 0)
        b->pairs[--to] = old > 0 && b->pairs[old - 1] > b->fresh[fresh - 1] ? b->pairs[--old] : b->fresh[--fresh];
    return true;
}

// ---- Boxes ----------------------------------------------------------------------------------------------------------

static bool is_bounded(const aabb *box)
{
    return isfinite(box->low.x + box->low.y + box->low.z) && isfinite(box->high.x + box->high.y + box->high.z);
}

// Enters anew what left its box; returns how many.
static int move_boxes(broad *b, const aabb *boxes, const double *room)
{
    int moved = 0;
    for (int k = 0; k < b->count; k++) {
        b->is_moved[k] = false;
        if (!is_bounded(&boxes[k]) || (b->entered[k] && aabb_contains(&b->tree.nodes[k].box, &boxes[k]))) continue;
        if (b->entered[k]) tree_remove(&b->tree, k);
        tree_insert(&b->tree, k, aabb_grow(boxes[k], room[k]));
        b->entered[k] = b->is_moved[k] = true;
        b->moved[moved++] = k;
    }
    if (moved < b->count) b->moved[moved] = TREE_NONE;
    return moved;
}

// Forgets everything, so that the next update begins anew.
static void clear(broad *b)
{
    for (int k = 0; k < b->count; k++) {
        if (b->entered[k]) tree_remove(&b->tree, k);
        b->entered[k] = false;
    }
    b->pair_count = 0;
}

bool broad_update(broad *b, const aabb *boxes, const double *room, broad_filter filter, const void *user)
{
    if (move_boxes(b, boxes, room) == 0) return true;
    drop_moved(b);
    if (find_fresh(b, filter, user) && merge_fresh(b)) return true;
    clear(b);
    return false;
}
