// Where the trees of `moreau` are, and their factors: kept from step to step while nothing of what they come from changes.
#include "schemes/moreau_trees.h"

#include <string.h>

static bool has_moved(const moreau_trees *t, int tree, const ph_vec3 *position, const ph_quat *orientation)
{
    const tree_range *range = &t->forest.trees[tree];
    for (int i = range->first; i < range->first + range->count; i++) {
        const int b = t->forest.branches[i].body;
        if (memcmp(&t->kept_place[i], &position[b], sizeof *position) != 0 ||
            memcmp(&t->kept_turn[i], &orientation[b], sizeof *orientation) != 0)
            return true;
    }
    return false;
}

void trees_place(moreau_trees *t, int tree, const ph_vec3 *position, const ph_quat *orientation)
{
    const tree_range *range = &t->forest.trees[tree];
    articulated_place(&t->tree, tree, position, orientation);
    for (int i = range->first; i < range->first + range->count; i++) {
        const int b = t->forest.branches[i].body;
        t->kept_place[i] = position[b];
        t->kept_turn[i] = orientation[b];
    }
    t->placed[tree] = true;
    t->factored[tree] = false;
}

// With C as in `soft`. The factor takes the place of the inertia that it comes from: another one needs the tree placed again.
bool trees_factor(moreau_trees *t, int tree, const ph_vec3 *position, const ph_quat *orientation)
{
    const tree_range *range = &t->forest.trees[tree];
    const size_t first = (size_t)range->freedom, bytes = sizeof(double) * (size_t)range->freedom_count;
    if (t->factored[tree]) articulated_place(&t->tree, tree, position, orientation);
    memcpy(t->tree.soft + first, t->soft + first, bytes);
    memcpy(t->kept_soft + first, t->soft + first, bytes);
    t->factored[tree] = articulated_factor(&t->tree, tree);
    return t->factored[tree];
}

static bool is_current(const moreau_trees *t, int tree)
{
    const tree_range *range = &t->forest.trees[tree];
    const size_t first = (size_t)range->freedom, bytes = sizeof(double) * (size_t)range->freedom_count;
    return t->factored[tree] && memcmp(t->kept_soft + first, t->soft + first, bytes) == 0;
}

static void factor_group(moreau *m, int g)
{
    moreau_trees *t = m->trees;
    const forest_group *group = &t->forest.groups[g];
    const ph_state *state = m->now.state;
    bool changed = false;
    for (int k = group->first_tree; k < group->first_tree + group->tree_count; k++) {
        if (is_current(t, k)) continue;
        if (!trees_factor(t, k, state->position, state->orientation)) atomic_store(&t->failed, true);
        changed = true;
    }
    if (changed && !atomic_load(&t->failed) && loops_has(&t->loops, g)) loops_make(&t->loops, g, m->node.frames);
}

static void factor_groups(void *user, int part, int from, int to)
{
    (void)part;
    for (int g = from; g < to; g++) factor_group(user, g);
}

// The factor of the last step, or a new one where the state, the step or a drive has changed.
bool trees_factor_all(moreau *m)
{
    drives_put_soft(m, m->trees->soft);
    atomic_store(&m->trees->failed, false);
    for_groups(m, factor_groups);
    return !atomic_load(&m->trees->failed);
}

static void place_groups(void *user, int part, int from, int to)
{
    (void)part;
    const moreau *m = user;
    moreau_trees *t = m->trees;
    const ph_state *state = m->now.state;
    const forest_group *first = &t->forest.groups[from], *last = &t->forest.groups[to - 1];
    for (int k = first->first_tree; k < last->first_tree + last->tree_count; k++)
        if (!t->placed[k] || has_moved(t, k, state->position, state->orientation))
            trees_place(t, k, state->position, state->orientation);
}

// Laws of drives need relations, which trees have where they are placed.
bool trees_enter(moreau *m)
{
    for_groups(m, place_groups);
    drives_set(m);
    return trees_factor_all(m);
}
