// The broad phase against brute force, while boxes move.
#include "test.h"

#include "collide/broad.h"

#include <math.h>

enum { BOXES = 120, STEPS = 60 };

static aabb box_at(double x, double y, double z, double half)
{
    return (aabb){{x - half, y - half, z - half}, {x + half, y + half, z + half}};
}

static bool odd_pairs(const void *user, int a, int b)
{
    (void)user;
    return (a + b) % 2;
}

// Every pair that meets is in the list, and the list is sorted, without repetition, and without what the filter forbids.
static void check_pairs(const broad *b, const aabb *boxes)
{
    int at = 0, missing = 0, unsorted = 0, forbidden = 0;
    for (int k = 0; k < b->pair_count; k++) {
        unsorted += k > 0 && b->pairs[k] <= b->pairs[k - 1];
        forbidden += !odd_pairs(NULL, broad_first(b->pairs[k]), broad_second(b->pairs[k]));
    }
    for (int i = 0; i < BOXES; i++)
        for (int j = i + 1; j < BOXES; j++) {
            const uint64_t pair = (uint64_t)i << 32 | (uint64_t)j;
            if (!odd_pairs(NULL, i, j) || !aabb_meet(&boxes[i], &boxes[j])) continue;
            while (at < b->pair_count && b->pairs[at] < pair) at++;
            missing += at == b->pair_count || b->pairs[at] != pair;
        }
    CHECK_EQ_INT(missing, 0);
    CHECK_EQ_INT(unsorted, 0);
    CHECK_EQ_INT(forbidden, 0);
}

static void check_tree(const tree *t, int node, int *leaves, int *height)
{
    const tree_node *n = &t->nodes[node];
    if (n->child[0] == TREE_NONE) {
        ++*leaves;
        *height = 0;
        return;
    }
    int h[2];
    for (int c = 0; c < 2; c++) {
        CHECK_EQ_INT(t->nodes[n->child[c]].parent, node);
        CHECK(aabb_contains(&n->box, &t->nodes[n->child[c]].box));
        check_tree(t, n->child[c], leaves, &h[c]);
    }
    *height = 1 + (h[0] > h[1] ? h[0] : h[1]);
    CHECK_EQ_INT(n->height, *height);
}

// round: those in the grid, NULL: all in the tree
static aabb some_room(const void *user, int k, const aabb *box)
{
    (void)user;
    return aabb_grow(*box, k % 3 ? 0.05 : 0.0);
}

static void check_moving(const bool *round)
{
    arena *memory = arena_create(NULL);
    broad b;
    aabb boxes[BOXES];
    double x[BOXES][3], v[BOXES][3];
    CHECK(broad_create(BOXES, round, NULL, memory, &b));
    for (int k = 0; k < BOXES; k++) {
        for (int c = 0; c < 3; c++) {
            x[k][c] = test_uniform(-2.0, 2.0);
            v[k][c] = k % 5 ? test_uniform(-0.1, 0.1) : 0.0; // some never move
        }
    }
    for (int step = 0; step < STEPS; step++) {
        for (int k = 0; k < BOXES; k++) {
            for (int c = 0; c < 3; c++) x[k][c] += v[k][c];
            boxes[k] = box_at(x[k][0], x[k][1], x[k][2], 0.1 + 0.004 * k);
        }
        CHECK(broad_update(&b, boxes, some_room, odd_pairs, NULL));
        check_pairs(&b, boxes);
    }
    int leaves = 0, height = 0;
    if (b.tree.root != TREE_NONE) check_tree(&b.tree, b.tree.root, &leaves, &height);
    if (!round) CHECK_EQ_INT(leaves, BOXES);
    CHECK(height <= 12); // 120 leaves: 7 at the least
    const int growths = b.growths;
    CHECK(broad_update(&b, boxes, some_room, odd_pairs, NULL)); // nothing moved: nothing is taken
    CHECK_EQ_INT(b.growths, growths);
    broad_destroy(&b);
    arena_destroy(memory);
}

TEST(all_pairs_are_found_while_boxes_move)
{
    bool all[BOXES], some[BOXES];
    for (int k = 0; k < BOXES; k++) all[k] = true, some[k] = k % 4 > 0;
    check_moving(NULL);
    check_moving(some);
    check_moving(all);
}

// Sizes from 1 to 2^40, far from the origin too, where cells share numbers.
TEST(a_grid_finds_boxes_of_all_sizes)
{
    arena *memory = arena_create(NULL);
    broad b;
    aabb boxes[BOXES];
    bool round[BOXES];
    for (int k = 0; k < BOXES; k++) {
        const double half = ldexp(1.0, (int)test_uniform(0.0, 40.0)), far = k % 2 ? 1e9 : 1e3;
        boxes[k] = box_at(test_uniform(-far, far), test_uniform(-far, far), test_uniform(-10.0, 10.0), half);
        round[k] = true;
    }
    CHECK(broad_create(BOXES, round, NULL, memory, &b));
    CHECK(broad_update(&b, boxes, some_room, odd_pairs, NULL));
    check_pairs(&b, boxes);
    CHECK(b.pair_count > 100);
    broad_destroy(&b);
    arena_destroy(memory);
}

TEST(coinciding_and_unbounded_boxes)
{
    arena *memory = arena_create(NULL);
    broad b;
    aabb boxes[4];
    CHECK(broad_create(4, NULL, NULL, memory, &b));
    for (int k = 0; k < 4; k++) boxes[k] = box_at(0.0, 0.0, 0.0, 1.0);
    boxes[3].high.x = (double)INFINITY; // a plane: not for the tree
    CHECK(broad_update(&b, boxes, some_room, odd_pairs, NULL));
    CHECK_EQ_INT(b.pair_count, 2); // 0-1, 1-2
    broad_destroy(&b);
    arena_destroy(memory);
}
