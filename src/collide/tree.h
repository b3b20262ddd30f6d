// A dynamic tree of boxes: which boxes meet a given one, in logarithmic time, while boxes move.
//
// A binary tree with a leaf for each box and the hull of both children in every other node. A new leaf goes where it
// enlarges the surface of the boxes least (the chance that a query visits them); rotations keep the tree balanced. After
// Goldsmith and Salmon 1987 and the dynamic tree of Bullet and Box2D.
#ifndef PH_COLLIDE_TREE_H
#define PH_COLLIDE_TREE_H

#include "base/memory.h"
#include "collide/collide.h"

typedef struct tree_node {
    aabb box;
    int parent;   // TREE_NONE: the root
    int child[2]; // TREE_NONE: a leaf
    int height;   // of a leaf 0
} tree_node;

enum { TREE_NONE = -1, TREE_STACK = 128 }; // twice the height of the largest balanced tree that int can count

// Leaf k is node k; inner nodes follow.
typedef struct tree {
    tree_node *nodes; // 2 leaf_count
    int leaf_count;
    int root;
    int *free; // stack of unused inner nodes
    int free_count;
} tree;

bool tree_create(int leaf_count, arena *memory, tree *tree);
void tree_insert(tree *tree, int leaf, aabb box);
void tree_remove(tree *tree, int leaf);

// Walks over the leaves that meet `box`: for (tree_walk w = tree_begin(t, box); (leaf = tree_next(&w)) != TREE_NONE;)
typedef struct tree_walk {
    const tree *tree;
    aabb box;
    int stack[TREE_STACK];
    int depth;
} tree_walk;
tree_walk tree_begin(const tree *tree, aabb box);
int tree_next(tree_walk *walk);

static inline bool aabb_meet(const aabb *a, const aabb *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

static inline bool aabb_contains(const aabb *outer, const aabb *inner)
{
    return outer->low.x <= inner->low.x && outer->low.y <= inner->low.y && outer->low.z <= inner->low.z &&
           inner->high.x <= outer->high.x && inner->high.y <= outer->high.y && inner->high.z <= outer->high.z;
}

static inline aabb aabb_grow(aabb box, double by)
{
    return (aabb){{box.low.x - by, box.low.y - by, box.low.z - by},
                  {box.high.x + by, box.high.y + by, box.high.z + by}};
}

#endif
