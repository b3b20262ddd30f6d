// Islands by union and find: the same roots for any number of threads, and nobody writes what another thread has found.

#include "test.h"

#include "base/islands.h"
#include "base/pool.h"

#include <string.h>

enum { MEMBERS = 20000, PART = 64 };

typedef struct scene {
    atomic_int parent[MEMBERS];
    int links[MEMBERS][2], count;
} scene;

static void begin(void *user, int part, int from, int to)
{
    (void)part;
    islands_begin(((scene *)user)->parent, from, to);
}

static void unite(void *user, int part, int from, int to)
{
    (void)part;
    scene *s = user;
    for (int k = from; k < to; k++) islands_unite(s->parent, s->links[k][0], s->links[k][1]);
}

static void end(void *user, int part, int from, int to)
{
    (void)part;
    islands_end(((scene *)user)->parent, from, to);
}

static void find(scene *s, pool *p)
{
    pool_run_ranges(p, begin, s, MEMBERS, PART);
    pool_run_ranges(p, unite, s, s->count, PART);
    pool_run_ranges(p, end, s, MEMBERS, PART);
}

// Neighbours in a row, in any order: long paths, some rows of them.
static void make_links(scene *s)
{
    s->count = 0;
    for (int k = 0; k + 1 < MEMBERS; k++) {
        if (test_uniform(0.0, 1.0) < 0.001) continue;
        const int at = s->count > 0 ? test_random_index(s->count + 1) : 0;
        memcpy(s->links[s->count], s->links[at], sizeof s->links[0]);
        s->links[at][0] = k, s->links[at][1] = k + 1;
        s->count++;
    }
}

TEST(roots_are_the_smallest_of_their_islands_for_any_number_of_threads)
{
    static scene s;
    static bool linked[MEMBERS];
    for (int n = 0; n < 20; n++) {
        pool *p = pool_create(1 + n % 5 * 3, NULL);
        make_links(&s);
        memset(linked, 0, sizeof linked);
        for (int k = 0; k < s.count; k++) linked[s.links[k][0]] = true;
        find(&s, p);
        int wrong = 0;
        for (int k = 0, root = 0; k < MEMBERS; k++) {
            wrong += atomic_load(&s.parent[k]) != root;
            if (!linked[k]) root = k + 1;
        }
        CHECK_EQ_INT(wrong, 0);
        pool_destroy(p);
    }
}

// What a thread has found stays: the end of one part writes to no other.
TEST(an_end_writes_to_its_own_part_alone)
{
    enum { COUNT = 100 };
    atomic_int parent[COUNT];
    islands_begin(parent, 0, COUNT);
    for (int k = 1; k < COUNT; k++) atomic_store(&parent[k], k - 1);
    islands_end(parent, COUNT - 1, COUNT);
    CHECK_EQ_INT(atomic_load(&parent[COUNT - 1]), 0);
    for (int k = 1; k < COUNT - 1; k++) CHECK_EQ_INT(atomic_load(&parent[k]), k - 1);
}
