#include "collide/tree.h"

#include "math/vec3.h"

bool tree_create(int leaf_count, arena *memory, tree *t)
{
    const size_t count = 2 * (size_t)leaf_count;
    *t = (tree){.leaf_count = leaf_count, .root = TREE_NONE};
    t->nodes = arena_alloc_array(memory, count, sizeof *t->nodes);
    t->free = arena_alloc_array(memory, (size_t)leaf_count, sizeof *t->free);
    if (!t->nodes || !t->free) return false;
    for (int k = 2 * leaf_count - 1; k >= leaf_count; k--) t->free[t->free_count++] = k;
    for (int k = 0; k < leaf_count; k++)
        t->nodes[k] = (tree_node){.parent = TREE_NONE, .child = {TREE_NONE, TREE_NONE}};
    return true;
}

// ---- Boxes ----------------------------------------------------------------------------------------------------------

static double min_of(double a, double b)
{
    return a < b ? a : b;
}

static aabb hull_of(const aabb *a, const aabb *b)
{
    return (aabb){
        {min_of(a->low.x, b->low.x), min_of(a->low.y, b->low.y), min_of(a->low.z, b->low.z)},
        {ph_max(a->high.x, b->high.x), ph_max(a->high.y, b->high.y), ph_max(a->high.z, b->high.z)},
    };
}

// Half of the surface.
static double surface_of(const aabb *box)
{
    const ph_vec3 d = ph_sub(box->high, box->low);
    return d.x * d.y + d.y * d.z + d.z * d.x;
}

static bool is_leaf(const tree_node *n)
{
    return n->child[0] == TREE_NONE;
}

// ---- Balance --------------------------------------------------------------------------------------------------------

static void refit(tree *t, int k)
{
    tree_node *n = &t->nodes[k];
    const tree_node *a = &t->nodes[n->child[0]], *b = &t->nodes[n->child[1]];
    n->box = hull_of(&a->box, &b->box);
    n->height = 1 + (a->height > b->height ? a->height : b->height);
}

static void replace_child(tree *t, int parent, int old, int new)
{
    if (parent == TREE_NONE)
        t->root = new;
    else
        t->nodes[parent].child[t->nodes[parent].child[1] == old] = new;
    t->nodes[new].parent = parent;
}

// The higher child of k takes its place, and k takes the lower of that child's children. Returns what stands there now.
static int rotate(tree *t, int k, int side)
{
    tree_node *n = &t->nodes[k];
    const int up = n->child[side];
    tree_node *u = &t->nodes[up];
    const int lower = t->nodes[u->child[0]].height > t->nodes[u->child[1]].height;
    const int moved = u->child[lower];
    replace_child(t, n->parent, k, up);
    n->child[side] = moved;
    t->nodes[moved].parent = k;
    u->child[lower] = k;
    n->parent = up;
    refit(t, k);
    refit(t, up);
    return up;
}

// From k up to the root: balance and boxes.
static void mend(tree *t, int k)
{
    while (k != TREE_NONE) {
        const tree_node *n = &t->nodes[k];
        const int lean = t->nodes[n->child[1]].height - t->nodes[n->child[0]].height;
        if (lean > 1 || lean < -1)
            k = rotate(t, k, lean > 1);
        else
            refit(t, k);
        k = t->nodes[k].parent;
    }
}

// ---- Leaves ---------------------------------------------------------------------------------------------------------

// What it costs to go down into child c with a box that adds `passed` to every node above.
static double descent_cost(const tree *t, int c, const aabb *box, double passed)
{
    const tree_node *n = &t->nodes[c];
    const aabb both = hull_of(&n->box, box);
    return passed + surface_of(&both) - (is_leaf(n) ? 0.0 : surface_of(&n->box));
}

static int best_sibling(const tree *t, const aabb *box)
{
    int at = t->root;
    while (!is_leaf(&t->nodes[at])) {
        const tree_node *n = &t->nodes[at];
        const aabb both = hull_of(&n->box, box);
        const double here = surface_of(&both), passed = here - surface_of(&n->box);
        const double left = descent_cost(t, n->child[0], box, passed);
        const double right = descent_cost(t, n->child[1], box, passed);
        if (here < left && here < right) break;
        at = n->child[right < left];
    }
    return at;
}

void tree_insert(tree *t, int leaf, aabb box)
{
    t->nodes[leaf].box = box;
    t->nodes[leaf].parent = TREE_NONE;
    if (t->root == TREE_NONE) {
        t->root = leaf;
        return;
    }
    const int sibling = best_sibling(t, &box), inner = t->free[--t->free_count];
    replace_child(t, t->nodes[sibling].parent, sibling, inner);
    t->nodes[inner].child[0] = sibling;
    t->nodes[inner].child[1] = leaf;
    t->nodes[sibling].parent = t->nodes[leaf].parent = inner;
    mend(t, inner);
}

void tree_remove(tree *t, int leaf)
{
    const int parent = t->nodes[leaf].parent;
    if (parent == TREE_NONE) {
        t->root = TREE_NONE;
        return;
    }
    const tree_node *p = &t->nodes[parent];
    const int sibling = p->child[p->child[0] == leaf], above = p->parent;
    replace_child(t, above, parent, sibling);
    t->free[t->free_count++] = parent;
    t->nodes[leaf].parent = TREE_NONE;
    mend(t, above);
}

// ---- Queries --------------------------------------------------------------------------------------------------------

tree_walk tree_begin(const tree *t, aabb box)
{
    tree_walk w;
    w.tree = t;
    w.box = box;
    w.depth = 0;
    if (t->root != TREE_NONE) w.stack[w.depth++] = t->root;
    return w;
}

int tree_next(tree_walk *w)
{
    while (w->depth > 0) {
        const int k = w->stack[--w->depth];
        const tree_node *n = &w->tree->nodes[k];
        if (!aabb_meet(&n->box, &w->box)) continue;
        if (is_leaf(n)) return k;
        w->stack[w->depth++] = n->child[0];
        w->stack[w->depth++] = n->child[1];
    }
    return TREE_NONE;
}
