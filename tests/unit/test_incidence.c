// Lists by node and by bucket: against plain loops, on one thread and on several.
#include "test.h"

#include "base/buckets.h"
#include "base/incidence.h"
#include "base/memory.h"

#include <stdlib.h>

enum { LINKS = 20000, NODES = 3000, STRIDE = 3, BUCKETS = 37 };

static int ends[STRIDE * LINKS], start[NODES + 1], uses[2 * LINKS], node[NODES];
static int of[LINKS], table[BUCKETS_PARTS * BUCKETS], first[BUCKETS + 1], place[LINKS], order[LINKS];

// Node 7 has a tenth of all, some links have one end only.
static void make_links(void)
{
    for (int i = 0; i < LINKS; i++) {
        ends[STRIDE * i] = test_uniform(0, 1) < 0.1 ? 7 : (int)test_uniform(0, NODES - 0.5);
        ends[STRIDE * i + 1] = test_uniform(0, 1) < 0.2 ? -1 : (int)test_uniform(0, NODES - 0.5);
        ends[STRIDE * i + 2] = 123456789;
    }
}

static int node_at(int use, bool mapped)
{
    const int end = ends[STRIDE * (use / 2) + use % 2];
    return end >= 0 && mapped ? node[end] : end;
}

static void check_lists(bool mapped)
{
    int all = 0, wrong = 0;
    for (int i = 0; i < 2 * LINKS; i++) all += node_at(i, mapped) >= 0;
    CHECK_EQ_INT(start[0], 0);
    CHECK_EQ_INT(start[NODES], all);
    for (int k = 0; k < NODES; k++)
        for (int u = start[k]; u < start[k + 1]; u++)
            wrong += node_at(uses[u], mapped) != k || (u > start[k] && uses[u] <= uses[u - 1]);
    CHECK_EQ_INT(wrong, 0);
}

TEST(links_are_listed_by_node_for_any_number_of_threads)
{
    make_links();
    for (int k = 0; k < NODES; k++) node[k] = k % 5 == 0 ? -1 : NODES - 1 - k;
    const int threads[] = {1, 2, 5};
    for (int t = 0; t < 3; t++) {
        pool *p = pool_create(threads[t], NULL);
        for (int mapped = 0; mapped < 2; mapped++) {
            const incidence_links links = {ends, STRIDE, LINKS, mapped ? node : NULL};
            incidence_count(p, &links, NODES, start);
            incidence_fill(p, &links, NODES, start, uses);
            check_lists(mapped);
        }
        pool_destroy(p);
    }
}

TEST(numbers_are_sorted_by_bucket_and_keep_their_order)
{
    for (int i = 0; i < LINKS; i++) of[i] = (int)test_uniform(-1, BUCKETS - 0.5);
    const int threads[] = {1, 3};
    for (int t = 0; t < 2; t++) {
        pool *p = pool_create(threads[t], NULL);
        buckets_sort(p, of, LINKS, BUCKETS, table, first, place, order);
        pool_destroy(p);
        int wrong = 0;
        for (int b = 0; b < BUCKETS; b++)
            for (int k = first[b]; k < first[b + 1]; k++)
                wrong += of[order[k]] != b || (k > first[b] && order[k] <= order[k - 1]) || place[order[k]] != k;
        for (int i = 0; i < LINKS; i++) wrong += of[i] < 0 && place[i] != -1;
        CHECK_EQ_INT(wrong, 0);
    }
}

static double size_of(const void *user, int from, int to)
{
    const double *x = user;
    double most = 0.0;
    for (int i = from; i < to; i++) most = x[i] > most ? x[i] : most;
    return most;
}

TEST(the_largest_is_found)
{
    static double x[LINKS];
    pool *p = pool_create(3, NULL);
    for (int i = 0; i < LINKS; i++) x[i] = test_uniform(-1, 1);
    x[LINKS - 1] = 2.0;
    CHECK(pool_largest(p, size_of, x, LINKS) == 2.0);
    CHECK(pool_largest(NULL, size_of, x, LINKS) == 2.0);
    CHECK(pool_largest(p, size_of, x, 0) == 0.0);
    pool_destroy(p);
}
