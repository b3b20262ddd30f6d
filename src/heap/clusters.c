#include "heap/internal.h"

#include <string.h>

enum { DISTANCE = 1 }; // bodies

// ---- Memory ---------------------------------------------------------------------------------------------------------

// Of the model, for one thread at a time.
static void *allocate(size_t bytes, void *user)
{
    heap *h = user;
    lock_take(&h->clusters.memory);
    void *block = mem_alloc(&h->model->allocator, bytes);
    lock_leave(&h->clusters.memory);
    return block;
}

static void release(void *block, void *user)
{
    heap *h = user;
    lock_take(&h->clusters.memory);
    mem_free(&h->model->allocator, block);
    lock_leave(&h->clusters.memory);
}

void clusters_init(heap *h)
{
    lock_init(&h->clusters.lock);
    lock_init(&h->clusters.memory);
    h->clusters.allocator = (ph_allocator){allocate, release, h};
}

void clusters_free(heap *h)
{
    clusters *l = &h->clusters;
    for (int k = 0; k < l->room_count; k++) cluster_room_free(&l->rooms[k]);
    void *arrays[] = {l->list, l->mark, l->start, l->rooms};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) mem_free(&h->model->allocator, arrays[k]);
    lock_destroy(&l->memory);
    lock_destroy(&l->lock);
}

static bool grow(heap *h, void *array, int *room, int count, size_t size)
{
    h->growths += count > *room;
    return mem_reserve(&h->model->allocator, array, room, count, size);
}

#define GROW(h, array, count)                                                                                          \
    grow(h, &(h)->clusters.array, &(h)->clusters.array##_room, count, sizeof *(h)->clusters.array)

// ---- Clusters ---------------------------------------------------------------------------------------------------------

// What a contact is to the clusters, in clusters.mark; from 0 on it is the number in the cluster at hand, plus 1. All are
// MARK_NONE between two calls of clusters_solve.
enum { MARK_LARGE = -2, MARK_LISTED = -1, MARK_NONE = 0 };

static bool is_listed(const heap *h, int contact)
{
    return h->clusters.mark[contact] == MARK_LISTED;
}

// Adds the contacts of both bodies of contact i that have the mark `from` to a list of `most`, and marks them: those without
// a mark as listed, listed ones by their number. Returns how many the list has, most + 1 where there are more.
static int add_neighbours(const heap *h, const heap_problem *d, int i, int from, int most, int *list, int count)
{
    int *mark = h->clusters.mark;
    const contact_pair pair = contacts_pair(d->contacts, i);
    const int bodies[2] = {pair.a, pair.b};
    for (int s = 0; s < 2; s++) {
        if (bodies[s] < 0) continue;
        for (int u = d->use_start[bodies[s]]; u < d->use_start[bodies[s] + 1]; u++) {
            const int j = d->uses[u] / 2;
            if (mark[j] != from) continue;
            if (count >= most) return most + 1;
            list[count++] = j;
            mark[j] = from == MARK_NONE ? MARK_LISTED : count;
        }
    }
    return count;
}

// Which contact has a place: one of those of its body.
static int contact_at(const heap *h, const heap_problem *d, int place)
{
    const heap_ends *ends = (const heap_ends *)h->numbers.ends.at + place / BLOCK;
    const int a = ends->a[place % BLOCK], body = a < h->layout.body_count ? a : ends->b[place % BLOCK];
    int u = d->use_start[((const int *)h->layout.body_at.at)[body]];
    while (heap_place_of(h, d->uses[u] / 2) != place) u++;
    return d->uses[u] / 2;
}

// The next place that is active, from `place` on; `end` where there is none.
static int next_active(const unsigned char *active, int place, int end)
{
    for (uint64_t eight; place + 8 <= end; place += 8) {
        memcpy(&eight, active + place, sizeof eight);
        if (eight) break;
    }
    while (place < end && !active[place]) place++;
    return place;
}

// The contacts of a region that are active into the list, rising. Returns as add_neighbours does.
static int add_active(const heap *h, const cluster_task *t, const heap_region *n, int *list, int count)
{
    const int first = count, end = BLOCK * n->block_end;
    for (int at = next_active(t->active, BLOCK * n->block, end); at < end; at = next_active(t->active, at + 1, end)) {
        if (count >= t->most) return t->most + 1;
        const int i = contact_at(h, t->problem, at);
        int k = count++;
        for (; k > first && list[k - 1] > i; k--) list[k] = list[k - 1];
        list[k] = i;
        h->clusters.mark[i] = MARK_LISTED;
    }
    return count;
}

// Contacts beyond the tolerance and their neighbours into the list. Returns how many those are; more than t->most: there
// are more.
static int collect(const heap *h, const cluster_task *t)
{
    const clusters *l = &h->clusters;
    int count = 0;
    for (int k = t->first; k < t->end && count <= t->most; k++)
        count = add_active(h, t, (const heap_region *)h->layout.regions.at + k, l->list, count);
    for (int ring = 0, from = 0; ring < DISTANCE; ring++)
        for (const int end = count; from < end && count <= t->most; from++)
            count = add_neighbours(h, t->problem, l->list[from], MARK_NONE, t->most, l->list, count);
    return count;
}

// ---- All of them ----------------------------------------------------------------------------------------------------

// Whatever shares a body with contact i, and that itself; other clusters may do so, too.
static void set_active(const heap *h, const cluster_task *t, int i)
{
    const heap_problem *d = t->problem;
    const contact_pair pair = contacts_pair(d->contacts, i);
    const int bodies[2] = {pair.a, pair.b};
    for (int s = 0; s < 2; s++) {
        if (bodies[s] < 0) continue;
        for (int u = d->use_start[bodies[s]]; u < d->use_start[bodies[s] + 1]; u++)
            __atomic_store_n(&t->active[heap_place_of(h, d->uses[u] / 2)], 255, __ATOMIC_RELAXED);
    }
}

// Contacts that are numbered by their marks.
static bool solve_numbered(const heap *h, const cluster_task *t, cluster_room *w, const int *cluster, int size)
{
    const bool ok = cluster_solve(h, t, w, cluster, size);
    for (int m = 0; m < size; m++) h->clusters.mark[cluster[m]] = MARK_NONE;
    for (int m = 0; m < size; m++) set_active(h, t, cluster[m]);
    return ok;
}

// Numbers contact i and all listed ones that a chain of others leads to, `most` of them. Returns how many there are, most + 1
// where there are more.
static int number_from(const heap *h, const heap_problem *d, int i, int most, int *cluster)
{
    int size = 1;
    cluster[0] = i;
    h->clusters.mark[i] = size;
    for (int m = 0; m < size && size <= most; m++)
        size = add_neighbours(h, d, cluster[m], MARK_LISTED, most, cluster, size);
    return size;
}

// One after the other. What is larger than t->cluster is cut.
static bool solve_in_turn(const heap *h, const cluster_task *t, int count, int *solved)
{
    const clusters *l = &h->clusters;
    int *cluster = l->list + count; // a second list behind the first
    for (int k = 0; k < count; k++) {
        if (!is_listed(h, l->list[k])) continue;
        const int all = number_from(h, t->problem, l->list[k], t->cluster, cluster);
        const int size = all > t->cluster ? t->cluster : all;
        if (!solve_numbered(h, t, &l->rooms[0], cluster, size)) return false;
        *solved += size;
    }
    return true;
}

// ---- On several threads ---------------------------------------------------------------------------------------------

// Clusters share no body, so that it does not matter who comes first. Large ones, and those that are cut, are left for
// solve_in_turn: rooms are to be small.
enum { SMALL = 64 };

typedef struct cluster_loop {
    heap *h;
    const cluster_task *task;
    const int *members, *start; // by cluster
    atomic_int solved;
    atomic_bool failed;
} cluster_loop;

static cluster_room *take_room(heap *h)
{
    cluster_room *w = h->clusters.rooms;
    while (atomic_flag_test_and_set(&w->taken))
        w = w - h->clusters.rooms + 1 < h->clusters.room_count ? w + 1 : h->clusters.rooms;
    return w;
}

static void solve_small(void *user, int index)
{
    cluster_loop *l = user;
    const int size = l->start[index + 1] - l->start[index];
    cluster_room *w = take_room(l->h);
    if (!solve_numbered(l->h, l->task, w, l->members + l->start[index], size)) atomic_store(&l->failed, true);
    atomic_flag_clear(&w->taken);
    atomic_fetch_add(&l->solved, size);
}

// Numbers the contacts of small clusters, side by side behind the list. Returns how many such clusters there are; what is in
// none stays listed.
static int number_small(const heap *h, const cluster_task *t, int count)
{
    const clusters *l = &h->clusters;
    int *members = l->list + count, found = 0, end = 0;
    const int most = t->cluster < SMALL ? t->cluster : SMALL;
    for (int k = 0; k < count; k++) {
        if (!is_listed(h, l->list[k])) continue;
        const int all = number_from(h, t->problem, l->list[k], count, members + end);
        for (int m = 0; m < all && all > most; m++) l->mark[members[end + m]] = MARK_LARGE;
        if (all > most) continue;
        l->start[found++] = end;
        end += all;
    }
    l->start[found] = end;
    for (int k = 0; k < count; k++)
        if (l->mark[l->list[k]] == MARK_LARGE) l->mark[l->list[k]] = MARK_LISTED;
    return found;
}

static bool solve_together(heap *h, const cluster_task *t, int count, int *solved)
{
    clusters *l = &h->clusters;
    if (!t->alone || !h->pool || count == 0) return true;
    if (!GROW(h, start, count + 1)) return false;
    cluster_loop loop = {.h = h, .task = t, .members = l->list + count, .start = l->start};
    const int small = number_small(h, t, count);
    pool_run(h->pool, solve_small, &loop, small);
    *solved += atomic_load(&loop.solved);
    return !atomic_load(&loop.failed);
}

// ---- The door -------------------------------------------------------------------------------------------------------

static bool make_rooms(heap *h)
{
    clusters *l = &h->clusters;
    if (l->rooms) return true;
    const int count = h->pool ? pool_threads(h->pool) : 1;
    l->rooms = mem_alloc_array(&h->model->allocator, (size_t)count, sizeof *l->rooms);
    l->room_count = l->rooms ? count : 0;
    for (int k = 0; k < l->room_count; k++)
        l->rooms[k] = (cluster_room){.allocator = &l->allocator, .taken = ATOMIC_FLAG_INIT};
    h->growths++;
    return l->rooms;
}

static void add_growths(heap *h)
{
    for (int k = 0; k < h->clusters.room_count; k++) {
        h->growths += h->clusters.rooms[k].growths;
        h->clusters.rooms[k].growths = 0;
    }
}

static int solve_locked(heap *h, const cluster_task *t)
{
    clusters *l = &h->clusters;
    if (!make_rooms(h) || !GROW(h, list, 2 * t->most) || !GROW(h, mark, t->problem->contacts->count)) return -1;
    const int count = collect(h, t);
    int solved = 0;
    const bool ok = count > t->most || (solve_together(h, t, count, &solved) && solve_in_turn(h, t, count, &solved));
    for (int k = 0; k < count && k < t->most; k++) l->mark[l->list[k]] = MARK_NONE; // what is in no cluster
    add_growths(h);
    return ok ? solved : -1;
}

int clusters_solve(heap *h, const cluster_task *t)
{
    lock_take(&h->clusters.lock);
    const int solved = solve_locked(h, t);
    lock_leave(&h->clusters.lock);
    return solved;
}
