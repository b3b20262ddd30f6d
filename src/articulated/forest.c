#include "articulated/forest.h"

#include <string.h>

typedef struct half_edge { // from a body along a tree joint
    int joint, other;      // other: moving body; -1: the world
} half_edge;

typedef struct planner {
    const ph_model *model;
    forest *f;
    int *set;        // by moving body, and the world behind the last: union of sets
    int *order;      // joints, those with most rows first
    bool *in_tree;   // by joint
    int *edge_start; // by moving body
    half_edge *edges;
    int *queue, *from; // by moving body: breadth first, and where it was reached from
    int *via;          // by moving body: the joint to its parent, -1: none
    bool *done;        // by moving body
    int *stack;
    int *tree_of;     // by moving body
    half_edge *roots; // by tree: its root, and the joint to the world or -1
    int root_count;
    int *next_root, *first_root; // lists of the trees of each group
} planner;

static int root_of(int *set, int k)
{
    while (set[k] != k) k = set[k] = set[set[k]];
    return k;
}

// ---- Which joints make trees ----------------------------------------------------------------------------------------

static int moving_of(const planner *p, int body)
{
    return p->model->bodies[body].moving;
}

// Something acts along its coordinate, which is cheaper where that is a freedom of a tree.
static bool is_driven(const joint *j)
{
    const ph_joint_def *d = j->def;
    return d->has_limit_low || d->has_limit_high || d->damping != 0.0 || d->stiffness != 0.0 || d->friction != 0.0 ||
           d->motor != PH_MOTOR_NONE || j->rotor_rows > 0;
}

// Rows that hold, without a motor's; of equal ones those that are driven.
static int worth_of(const joint *j)
{
    return 2 * (joint_own_rows(j) - (j->motor != NULL)) + is_driven(j);
}

// A gear, or a coordinate of another joint.
static bool acts_on_joints(const joint *j)
{
    return j->gear || j->of;
}

static void order_joints(planner *p)
{
    int count = 0;
    for (int worth = 2 * JOINT_ROWS_MAX + 1; worth >= 0; worth--)
        for (int j = 0; j < p->model->joint_count; j++)
            if (!acts_on_joints(&p->model->joints[j]) && worth_of(&p->model->joints[j]) == worth) p->order[count++] = j;
    p->f->closing_count = p->model->joint_count - count;
}

// Kruskal: a joint is in a tree unless its bodies hang together already.
static void choose_joints(planner *p)
{
    const int world = p->model->moving_count, gears = p->f->closing_count;
    for (int k = 0; k <= world; k++) p->set[k] = k;
    for (int n = 0; n < p->model->joint_count - gears; n++) {
        const joint *j = &p->model->joints[p->order[n]];
        const int a = moving_of(p, j->a), b = moving_of(p, j->b);
        const int x = root_of(p->set, a < 0 ? world : a), y = root_of(p->set, b < 0 ? world : b);
        p->in_tree[p->order[n]] = x != y;
        p->set[x] = y;
        p->f->closing_count += x == y;
    }
}

// Calls for both ends of joint j that move: its moving body, and the other or -1.
static void add_ends(planner *p, int j, bool count_only)
{
    const int ends[2] = {moving_of(p, p->model->joints[j].a), moving_of(p, p->model->joints[j].b)};
    for (int s = 0; s < 2; s++) {
        if (ends[s] < 0) continue;
        if (count_only)
            p->edge_start[ends[s] + 1]++;
        else
            p->edges[p->edge_start[ends[s]]++] = (half_edge){j, ends[1 - s]};
    }
}

static void list_edges(planner *p)
{
    const int n = p->model->moving_count;
    for (int j = 0; j < p->model->joint_count; j++)
        if (p->in_tree[j]) add_ends(p, j, true);
    for (int k = 0; k < n; k++) p->edge_start[k + 1] += p->edge_start[k];
    for (int j = 0; j < p->model->joint_count; j++)
        if (p->in_tree[j]) add_ends(p, j, false);
    for (int k = n; k > 0; k--) p->edge_start[k] = p->edge_start[k - 1];
    if (n > 0) p->edge_start[0] = 0;
}

// ---- Roots ----------------------------------------------------------------------------------------------------------

// All bodies of a tree from k on, breadth first; the last is one of the farthest. Returns how many. `*on_world`: the body
// and joint that hang on the world, if any.
static int spread(planner *p, int k, int *on_world, int *joint)
{
    int count = 0;
    p->queue[count++] = k;
    p->from[k] = -1;
    for (int at = 0; at < count; at++) {
        const int here = p->queue[at];
        for (int e = p->edge_start[here]; e < p->edge_start[here + 1]; e++) {
            const int other = p->edges[e].other;
            if (other < 0)
                *on_world = here, *joint = p->edges[e].joint;
            else if (other != p->from[here])
                p->from[other] = here, p->queue[count++] = other;
        }
    }
    return count;
}

// The middle of the longest path.
static int middle_of(planner *p, int k)
{
    int none = -1, joint = -1, length = 0;
    const int one = p->queue[spread(p, k, &none, &joint) - 1];
    const int other = p->queue[spread(p, one, &none, &joint) - 1];
    for (int at = other; p->from[at] >= 0; at = p->from[at]) length++;
    int at = other;
    for (int n = 0; n < length / 2; n++) at = p->from[at];
    return at;
}

// ---- Branches -------------------------------------------------------------------------------------------------------

static void add_branch(planner *p, int k, int tree)
{
    forest *f = p->f;
    const int joint = p->via[k];
    branch *b = &f->branches[f->branch_count];
    *b = (branch){.body = p->model->moving[k], .moving = k, .parent = -1, .tree = tree, .joint = joint};
    b->parent_body = p->model->body_count;
    b->first = f->freedom_count;
    if (joint < 0) {
        b->motion = freedoms_all();
    } else {
        const struct joint *j = &p->model->joints[joint];
        b->turned = j->a == b->body;
        b->parent_body = b->turned ? j->b : j->a;
        b->parent = moving_of(p, b->parent_body) < 0 ? -1 : f->branch_of[moving_of(p, b->parent_body)];
        b->motion = freedoms_of(j);
    }
    b->depth = b->parent < 0 ? 0 : f->branches[b->parent].depth + 1;
    f->freedom_count += b->motion.count;
    f->trees[tree].mass += p->model->bodies[b->body].kind->mass;
    f->branch_of[k] = f->branch_count++;
    p->done[k] = true;
}

// Depth first, children in the order of their joints.
static void grow(planner *p, int root, int joint)
{
    forest *f = p->f;
    const int tree = f->tree_count++;
    tree_range *t = &f->trees[tree];
    t->first = f->branch_count;
    t->freedom = f->freedom_count;
    t->is_free = joint < 0;
    int top = 0;
    p->via[root] = joint;
    p->stack[top++] = root;
    while (top > 0) {
        const int k = p->stack[--top];
        add_branch(p, k, tree);
        for (int e = p->edge_start[k + 1] - 1; e >= p->edge_start[k]; e--) {
            const int other = p->edges[e].other;
            if (other < 0 || p->done[other]) continue;
            p->via[other] = p->edges[e].joint;
            p->stack[top++] = other;
        }
    }
    t->count = f->branch_count - t->first;
    t->freedom_count = f->freedom_count - t->freedom;
    for (int i = f->branch_count - 1; i >= t->first; i--) {
        branch *b = &f->branches[i];
        if (b->end == 0) b->end = i + 1;
        if (b->parent >= 0 && f->branches[b->parent].end < b->end) f->branches[b->parent].end = b->end;
    }
}

// Gears act on joints, so their bodies are not alone; rotors are in the pivots of their joints.
static bool is_left_out(const planner *p, int k, bool all)
{
    return p->edge_start[k] == p->edge_start[k + 1] && (!all || body_is_rotor(&p->model->bodies[p->model->moving[k]]));
}

// A root for each set of bodies that joints of trees connect.
static void find_roots(planner *p, bool all)
{
    for (int k = 0; k < p->model->moving_count; k++) p->done[k] = is_left_out(p, k, all);
    for (int k = 0; k < p->model->moving_count; k++) {
        if (p->done[k]) continue;
        int on_world = -1, joint = -1;
        const int count = spread(p, k, &on_world, &joint);
        for (int n = 0; n < count; n++) {
            p->done[p->queue[n]] = true;
            p->tree_of[p->queue[n]] = p->root_count;
        }
        const int root = on_world >= 0 ? on_world : middle_of(p, k);
        p->roots[p->root_count++] = (half_edge){joint, root};
    }
}

// Trees by group.
static void grow_all(planner *p, bool all)
{
    forest *f = p->f;
    for (int k = 0; k < p->model->moving_count; k++) {
        f->branch_of[k] = -1;
        p->done[k] = is_left_out(p, k, all);
    }
    for (int g = 0; g < f->group_count; g++) {
        forest_group *group = &f->groups[g];
        group->first_tree = f->tree_count;
        group->freedom = f->freedom_count;
        for (int r = p->first_root[g]; r >= 0; r = p->next_root[r]) {
            f->trees[f->tree_count].group = g;
            grow(p, p->roots[r].other, p->roots[r].joint);
        }
        group->tree_count = f->tree_count - group->first_tree;
        group->freedom_count = f->freedom_count - group->freedom;
    }
}

// ---- Groups ---------------------------------------------------------------------------------------------------------

static int tree_at(const planner *p, int body) // -1: no tree
{
    const int k = moving_of(p, body);
    return k < 0 || body_is_rotor(&p->model->bodies[body]) ? -1 : p->tree_of[k];
}

// Any tree that a joint acts on; a joint between the world and itself has none.
static int tree_of_joint(const planner *p, const joint *j)
{
    for (int s = 0; s < j->body_count; s++)
        if (tree_at(p, j->bodies[s]) >= 0) return tree_at(p, j->bodies[s]);
    return -1;
}

// Trees that a closing joint couples are one set.
static void unite_trees(planner *p)
{
    for (int t = 0; t < p->root_count; t++) p->set[t] = t;
    for (int j = 0; j < p->model->joint_count; j++) {
        const joint *closing = &p->model->joints[j];
        const int first = tree_of_joint(p, closing);
        for (int s = 0; !p->in_tree[j] && s < closing->body_count; s++) {
            const int tree = tree_at(p, closing->bodies[s]);
            if (tree >= 0) p->set[root_of(p->set, tree)] = root_of(p->set, first);
        }
    }
}

// Groups in the order of their first trees, each with the list of its trees in order.
static void make_groups(planner *p)
{
    forest *f = p->f;
    int *group_at = p->from, *last = p->queue; // by set; by group
    unite_trees(p);
    for (int t = 0; t < p->root_count; t++) group_at[t] = -1;
    for (int t = 0; t < p->root_count; t++) {
        const int set = root_of(p->set, t);
        p->next_root[t] = -1;
        if (group_at[set] < 0) {
            group_at[set] = f->group_count;
            p->first_root[f->group_count++] = t;
        } else {
            p->next_root[last[group_at[set]]] = t;
        }
        last[group_at[set]] = t;
    }
}

static int group_of_joint(const planner *p, int j)
{
    const forest *f = p->f;
    for (int s = 0; s < p->model->joints[j].body_count; s++) {
        const int b = forest_branch(f, p->model->joints[j].bodies[s]);
        if (b >= 0) return f->trees[f->branches[b].tree].group;
    }
    return -1;
}

static void list_closing(planner *p)
{
    forest *f = p->f;
    int count = 0;
    for (int g = 0; g < f->group_count; g++) {
        f->groups[g].first_closing = count;
        for (int j = 0; j < p->model->joint_count && f->closing_count > 0; j++)
            if (!p->in_tree[j] && group_of_joint(p, j) == g) f->closing[count++] = j;
        f->groups[g].closing_count = count - f->groups[g].first_closing;
    }
}

// ---------------------------------------------------------------------------------------------------------------------

static bool plan(planner *p, arena *memory)
{
    const size_t moving = (size_t)p->model->moving_count, joints = (size_t)p->model->joint_count;
    p->set = arena_alloc_array(memory, moving + 1, sizeof *p->set);
    p->order = arena_alloc_array(memory, joints, sizeof *p->order);
    p->in_tree = arena_alloc_array(memory, joints, sizeof *p->in_tree);
    p->edge_start = arena_alloc_array(memory, moving + 1, sizeof *p->edge_start);
    p->edges = arena_alloc_array(memory, 2 * joints, sizeof *p->edges);
    p->queue = arena_alloc_array(memory, moving, sizeof *p->queue);
    p->from = arena_alloc_array(memory, moving, sizeof *p->from);
    p->via = arena_alloc_array(memory, moving, sizeof *p->via);
    p->done = arena_alloc_array(memory, moving, sizeof *p->done);
    p->stack = arena_alloc_array(memory, moving, sizeof *p->stack);
    p->tree_of = arena_alloc_array(memory, moving, sizeof *p->tree_of);
    p->roots = arena_alloc_array(memory, moving, sizeof *p->roots);
    p->next_root = arena_alloc_array(memory, moving, sizeof *p->next_root);
    p->first_root = arena_alloc_array(memory, moving, sizeof *p->first_root);
    return p->set && p->order && p->in_tree && p->edge_start && p->edges && p->queue && p->from && p->via && p->done &&
           p->stack && p->tree_of && p->roots && p->next_root && p->first_root;
}

static bool make_room(const planner *p, bool all, arena *memory)
{
    forest *f = p->f;
    size_t bodies = 0;
    for (int k = 0; k < p->model->moving_count; k++) bodies += !is_left_out(p, k, all);
    f->branches = arena_alloc_array(memory, bodies, sizeof *f->branches);
    f->trees = arena_alloc_array(memory, bodies, sizeof *f->trees);
    f->groups = arena_alloc_array(memory, bodies, sizeof *f->groups);
    f->branch_of = arena_alloc_array(memory, (size_t)p->model->moving_count, sizeof *f->branch_of);
    f->closing = arena_alloc_array(memory, (size_t)f->closing_count, sizeof *f->closing);
    return f->branches && f->trees && f->groups && f->branch_of && f->closing;
}

bool forest_create(const ph_model *model, bool all, arena *memory, forest *f)
{
    arena *scratch = arena_create(&model->allocator);
    planner p = {.model = model, .f = f};
    *f = (forest){.model = model};
    bool ok = scratch && plan(&p, scratch);
    if (ok) {
        order_joints(&p);
        choose_joints(&p);
        list_edges(&p);
    }
    ok = ok && make_room(&p, all, memory);
    if (ok) {
        find_roots(&p, all);
        make_groups(&p);
        grow_all(&p, all);
        list_closing(&p);
    }
    arena_destroy(scratch);
    return ok;
}
