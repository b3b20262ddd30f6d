// Overlap and passed limits of trees are undone by where the step leads, not by the velocities that it leaves: a velocity that parts two bodies
// would stay with them, and with each step that asks for more they gain energy.
//
// The step is solved with contacts and limits asking for no more than that overlap does not grow. Then once more, with all that they ask for; what
// that adds to the velocities moves the trees in this step and is forgotten. Where it were more than all of an island's mass at a few times the recovery
// speed, as near a dead point, which hardly lets a limit be undone, nothing is.
//
// The energy that this takes, against weights and springs, is work of the contacts.
//
// Islands with bodies that no joint holds are left as they are, as these have no other velocity to move by; and so are large ones, heaps of machines, where a
// second solve costs as much as all the rest.
#include "schemes/moreau_trees.h"

#include <math.h>
#include <string.h>

// Slower than that it is what contacts that last ask for, and no energy to speak of.
static double least_speed(const moreau *m)
{
    return 0.01 * m->contact.recovery_speed;
}

static bool is_recovery(const moreau *m, int i)
{
    const moreau_trees *t = m->trees;
    const ph_cone_kind kind = t->paths.cones[i].kind;
    const bool bounces = i < held_contacts(m)->count && t->bounces[i];
    return (kind == PH_CONE_FRICTION || kind == PH_CONE_HALF_LINE) && !bounces && t->paths.items[i].soft == 0.0 &&
           m->rows.q[t->paths.items[i].row] < -least_speed(m);
}

static bool is_of_trees(const moreau *m, const path_island *island)
{
    enum { ROWS_MOST = 120 }; // of the dense solver
    const paths *p = &m->trees->paths;
    const int groups = p->tree->forest->group_count;
    for (int k = 0; k < island->count; k++) {
        const path_item *item = paths_item(p, island, k);
        if (item->nodes[0] >= groups || item->nodes[1] >= groups) return false;
    }
    return island->count > 0 && island->rows <= ROWS_MOST;
}

void recovery_begin(moreau *m)
{
    moreau_trees *t = m->trees;
    t->recovers = false;
    t->lift = 0.0;
    for (int k = 0; k < t->paths.island_count; k++) {
        const path_island *island = &t->paths.islands[k];
        const bool splits = is_of_trees(m, island);
        for (int n = 0; n < island->count; n++) {
            const int i = t->paths.order[island->first + n], row = t->paths.items[i].row;
            t->recovery[i] = 0.0;
            if (!splits || !is_recovery(m, i)) continue;
            t->recovery[i] = m->rows.q[row];
            m->rows.q[row] = 0.0;
            t->recovers = true;
        }
    }
}

static bool asks(const moreau_trees *t, const path_island *island)
{
    bool any = false;
    for (int k = 0; k < island->count; k++) any = any || t->recovery[t->paths.order[island->first + k]] < 0.0;
    return any;
}

// The biases of an island with what it asks for, or without it again.
static void set_biases(moreau *m, const path_island *island, bool with)
{
    const moreau_trees *t = m->trees;
    for (int k = 0; k < island->count; k++) {
        const int i = t->paths.order[island->first + k];
        if (t->recovery[i] < 0.0) m->rows.q[t->paths.items[i].row] = with ? t->recovery[i] : 0.0;
    }
}

static bool is_in(const moreau_trees *t, int tree, int island)
{
    return t->paths.parent[t->forest.trees[tree].group] == island;
}

// |z' - z|^2/2 of the trees of an island is the energy of what is added, to be compared with theirs at that speed.
static bool is_slow(const moreau *m, int island)
{
    const moreau_trees *t = m->trees;
    const double fast = 3.0 * m->contact.recovery_speed;
    double mass = 0.0, energy = 0.0;
    for (int k = 0; k < t->forest.tree_count; k++) {
        const tree_range *range = &t->forest.trees[k];
        if (!is_in(t, k, island)) continue;
        mass += range->mass;
        for (int z = range->freedom; z < range->freedom + range->freedom_count; z++)
            energy += 0.5 * (t->paths.z[z] - t->scratch[z]) * (t->paths.z[z] - t->scratch[z]);
    }
    return energy <= 0.5 * mass * fast * fast;
}

// How much of what is added a tree is moved by: near a dead point a limit that is undone at its speed asks others for many times that.
static double part_of(const moreau *m, int tree)
{
    enum { TIMES = 5 };
    const moreau_trees *t = m->trees;
    const tree_range *range = &t->forest.trees[tree];
    double most = 0.0;
    for (int k = range->freedom; k < range->freedom + range->freedom_count; k++)
        most = ph_max(most, fabs(t->tree.rate[k] - t->next_rate[k]));
    return most > TIMES * m->contact.recovery_speed ? TIMES * m->contact.recovery_speed / most : 1.0;
}

// What moving a tree by h times a part of the twists and rates in `tree` beyond those that the step leaves takes, against weights and springs of
// joints.
static double lift_of(const moreau *m, int tree, double part)
{
    const moreau_trees *t = m->trees;
    const tree_range *range = &t->forest.trees[tree];
    double power = 0.0;
    for (int i = range->first; i < range->first + range->count; i++) {
        const branch *b = &t->forest.branches[i];
        const ph_vec3 more = ph_sub(spatial_move(&t->tree.twist[i]), m->bodies.after[b->moving].linear);
        power -= part * m->model->bodies[b->body].kind->mass * ph_dot(m->model->gravity, more);
    }
    for (int n = 0; n < t->drive_count; n++) {
        const tree_drive *d = &t->drives[n];
        if (!d->force || d->branch < 0 || t->forest.branches[d->branch].tree != tree) continue;
        const double rate = t->next_rate[d->freedom], more = part * (t->tree.rate[d->freedom] - rate);
        power += d->law.stiffness * (d->q + m->now.h * (rate + 0.5 * more) - d->law.rest) * more;
    }
    return m->now.h * power;
}

// What leads a tree to the end of the step gets what z' has more than the velocities that it leaves.
static void add_to_mean(moreau *m, int tree)
{
    moreau_trees *t = m->trees;
    const tree_range *range = &t->forest.trees[tree];
    articulated_up(&t->tree, tree, t->paths.z);
    const double part = part_of(m, tree);
    t->lift += lift_of(m, tree, part);
    for (int i = range->first; i < range->first + range->count; i++) {
        const screw *after = &m->bodies.after[t->forest.branches[i].moving];
        const double v[6] = {after->angular.x, after->angular.y, after->angular.z,
                             after->linear.x,  after->linear.y,  after->linear.z};
        for (int d = 0; d < 6; d++) t->mean[i].v[d] += part * (t->tree.twist[i].v[d] - v[d]);
    }
    for (int k = range->freedom; k < range->freedom + range->freedom_count; k++)
        t->mean_rate[k] += part * (t->tree.rate[k] - t->next_rate[k]);
    articulated_up(&t->tree, tree, t->scratch); // as it was
}

static void give_up(moreau_trees *t, const path_island *island)
{
    for (int k = 0; k < island->count; k++) t->recovery[t->paths.order[island->first + k]] = 0.0;
}

static void recover(moreau *m, int k, const path_settings *settings)
{
    moreau_trees *t = m->trees;
    set_biases(m, &t->paths.islands[k], true);
    const path_report report = paths_solve(&t->paths, k, settings, m->rows.q, m->rows.g);
    set_biases(m, &t->paths.islands[k], false);
    if (!(report.residual <= 10.0 * m->contact.tolerance + 1e-3 * m->contact.recovery_speed))
        give_up(t, &t->paths.islands[k]);
}

void recovery_end(moreau *m, const path_settings *settings)
{
    moreau_trees *t = m->trees;
    const size_t bytes = sizeof(double) * (size_t)t->forest.freedom_count;
    const size_t rows = sizeof(double) * (size_t)t->paths.row_count;
    memcpy(t->scratch, t->paths.z, bytes);
    memcpy(m->rows.u, m->rows.g, rows);
    memcpy(t->paths.z, t->free_z, bytes);
    for (int k = 0; k < t->paths.island_count; k++)
        if (asks(t, &t->paths.islands[k])) recover(m, k, settings);
    paths_close_loops(&t->paths);
    for (int k = 0; k < t->paths.island_count; k++) {
        if (!asks(t, &t->paths.islands[k])) continue;
        if (!is_slow(m, k)) {
            give_up(t, &t->paths.islands[k]);
            continue;
        }
        for (int tree = 0; tree < t->forest.tree_count; tree++)
            if (is_in(t, tree, k)) add_to_mean(m, tree);
    }
    memcpy(t->paths.z, t->scratch, bytes);
    memcpy(m->rows.g, m->rows.u, rows);
}
