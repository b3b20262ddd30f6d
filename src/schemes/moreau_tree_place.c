// Where a step of `moreau` leads trees: joints are placed, loops closed, and velocities fitted to the joints where they are now.
#include "model/scales.h"
#include "schemes/moreau_trees.h"

#include <math.h>

// ---- Where it leads -------------------------------------------------------------------------------------------------

static void set_frames(moreau *m, int tree)
{
    const moreau_trees *t = m->trees;
    const tree_range *range = &t->forest.trees[tree];
    for (int i = range->first; i < range->first + range->count; i++) {
        const int b = t->forest.branches[i].body;
        m->node.frames[b] = (frame){ph_quat_to_mat(m->bodies.orientation[b]), m->bodies.position[b]};
    }
}

static void for_trees(moreau *m, int group, void (*task)(moreau *, int))
{
    const forest_group *range = &m->trees->forest.groups[group];
    for (int k = range->first_tree; k < range->first_tree + range->tree_count; k++) task(m, k);
}

static void put_tree(moreau *m, int tree)
{
    advance_put(&m->trees->advance, tree, m->bodies.position, m->bodies.orientation);
    set_frames(m, tree);
}

static void move_tree(moreau *m, int tree)
{
    moreau_trees *t = m->trees;
    advance_begin(&t->advance, tree, m->now.h, t->mean_rate, t->mean, m->now.state->position,
                  m->now.state->orientation);
    if (t->flies[tree] && t->forest.trees[tree].is_free)
        t->advance.center[tree] = ph_madd(t->advance.center[tree], -0.5 * m->now.h * m->now.h, m->model->gravity);
    put_tree(m, tree);
}

static void correct_tree(moreau *m, int tree)
{
    moreau_trees *t = m->trees;
    articulated_up(&t->tree, tree, t->scratch);
    advance_change(&t->advance, tree, t->tree.rate, t->tree.twist);
    put_tree(m, tree);
}

// The row that is open most; lengths relative to the size of their joint, and to where its bodies are, as that is rounded.
static double widest(const moreau *m, const loop_group *g, const double *phi)
{
    double most = 0.0;
    for (int r = 0; r < g->row_count; r++) {
        const joint *j = &m->model->joints[g->rows[r].joint];
        const bool length = joint_row_is_length(j, g->rows[r].row);
        double scale = length ? joint_size(m->model, j) : 1.0;
        for (int k = 0; length && k < j->body_count; k++)
            scale = ph_max(scale, ph_max_abs(m->node.frames[j->bodies[k]].x));
        const double open = phi[r] == 0.0 ? 0.0 : fabs(phi[r]) / scale;
        most = open > most || isnan(open) ? open : most;
    }
    return most;
}

// The factor, and the basis of loops, where the trees are now. false: singular.
static bool factor_group_there(moreau *m, int group)
{
    moreau_trees *t = m->trees;
    const forest_group *range = &t->forest.groups[group];
    for (int k = range->first_tree; k < range->first_tree + range->tree_count; k++) {
        trees_place(t, k, m->bodies.position, m->bodies.orientation);
        if (!trees_factor(t, k, m->bodies.position, m->bodies.orientation)) return false;
    }
    if (loops_has(&t->loops, group)) loops_make(&t->loops, group, m->node.frames);
    return true;
}

// Redundant rows whose axes are written with few digits contradict each other where the loops go: what no motion closes any further stays open, and
// reports say by how much.
static bool are_closed(double now, double last)
{
    return now <= 1e-15 || (now <= 1e-12 && now > 0.5 * last) || (now <= 1e-6 && fabs(now - last) <= 1e-3 * now);
}

// Closes the loops of a group with the basis of the beginning of the step: the loops themselves are nearly where they belong.
// Near dead points that is slow; then with the basis where they are.
static bool close_loops(moreau *m, int group)
{
    enum { STEPS_MOST = 30 };
    moreau_trees *t = m->trees;
    const loop_group *loops = &t->loops.groups[group];
    double last = HUGE_VAL, *phi = t->phi + loops->first;
    for (int k = 0; k < STEPS_MOST; k++) {
        loops_residual(&t->loops, group, &m->node.motion, phi);
        const double now = widest(m, loops, phi);
        if (are_closed(now, last)) return true;
        if (!(now < 1e3 * last) || (now > 0.1 * last && !factor_group_there(m, group))) return false;
        for (int r = 0; r < loops->row_count; r++) phi[r] = -phi[r];
        loops_solve(&t->loops, group, phi, t->scratch);
        for_trees(m, group, correct_tree);
        last = now;
    }
    return last <= 1e-9;
}

// Which joint of a group that does not close is open most.
static void find_open_joint(moreau *m, int group)
{
    moreau_trees *t = m->trees;
    const loop_group *loops = &t->loops.groups[group];
    loops_residual(&t->loops, group, &m->node.motion, t->phi);
    t->open = 0.0;
    for (int r = 0; r < loops->row_count; r++)
        if (!(fabs(t->phi[r]) <= t->open)) t->open = fabs(t->phi[r]), t->open_joint = loops->rows[r].joint;
}

// Momenta as the velocities of the solve are, at the new configuration; C q' keeps what is soft from damping twice.
static void put_carried(moreau *m)
{
    moreau_trees *t = m->trees;
    for (int i = 0; i < t->forest.branch_count; i++) {
        const branch *b = &t->forest.branches[i];
        const body_kind *kind = m->model->bodies[b->body].kind;
        articulated_put_momentum(&t->tree, i, ph_mul(kind->J, m->bodies.angular_velocity[b->body]),
                                 ph_scale(kind->mass, m->bodies.velocity[b->body]));
    }
    for (int k = 0; k < t->forest.freedom_count; k++) t->tree.tau[k] = t->tree.soft[k] * t->next_rate[k];
}

static void hold_loops_there(moreau *m, int group)
{
    moreau_trees *t = m->trees;
    const loop_group *l = &t->loops.groups[group];
    if (!loops_has(&t->loops, group)) return;
    double *phi = t->phi + l->first;
    loops_set_constants(&t->loops, group);
    for (int r = 0; r < l->row_count; r++) {
        const joint *j = &m->model->joints[l->rows[r].joint];
        const bool motor = j->motor && l->rows[r].row == joint_motor_row(j);
        phi[r] = motor ? joint_motor_target(j, &m->node.motion).rate : 0.0;
    }
    loops_onto(&t->loops, group, phi, t->paths.z);
}

static void settle_groups(void *user, int part, int from, int to)
{
    (void)part;
    moreau *m = user;
    moreau_trees *t = m->trees;
    for (int g = from; g < to; g++) {
        const forest_group *range = &t->forest.groups[g];
        const int end = range->first_tree + range->tree_count;
        for (int k = range->first_tree; k < end; k++) articulated_down(&t->tree, k, t->paths.z);
        hold_loops_there(m, g);
        for (int k = range->first_tree; k < end; k++) articulated_up(&t->tree, k, t->paths.z);
    }
}

// Velocities <- the nearest that fit the joints where they are now. Returns the work of motors and drives.
static double settle(moreau *m)
{
    moreau_trees *t = m->trees;
    for (int n = 0; n < t->motor_count; n++) {
        const int i = t->motors[n];
        t->motor_before[i] = t->motor_rate[i];
        t->motor_rate[i] = joint_motor_target(&m->model->joints[t->forest.branches[i].joint], &m->node.motion).rate;
    }
    put_carried(m);
    trees_put_motors(t);
    for_groups(m, settle_groups);
    const double work = trees_motor_work(m, put_carried) + drives_carried_work(m, m->now.h);
    for (int i = 0; i < t->forest.branch_count; i++) {
        const int b = t->forest.branches[i].body;
        m->bodies.angular_velocity[b] = ph_tmul(t->tree.frames[i].R, spatial_turn(&t->tree.twist[i]));
        m->bodies.velocity[b] = spatial_move(&t->tree.twist[i]);
    }
    return work;
}

static void factor_groups_there(void *user, int part, int from, int to)
{
    (void)part;
    moreau *m = user;
    for (int g = from; g < to; g++)
        if (!factor_group_there(m, g)) atomic_store(&m->trees->failed, true);
}

static bool factor_there(moreau *m)
{
    drives_put_soft(m, m->trees->soft);
    atomic_store(&m->trees->failed, false);
    for_groups(m, factor_groups_there);
    return !atomic_load(&m->trees->failed);
}

// ---- All of it ------------------------------------------------------------------------------------------------------

static void move_groups(void *user, int part, int from, int to)
{
    (void)part;
    moreau *m = user;
    for (int g = from; g < to; g++) {
        for_trees(m, g, move_tree);
        m->trees->open_group[g] = loops_has(&m->trees->loops, g) && !close_loops(m, g);
    }
}

// Rotors are where their coordinates are, whose frames stand in the node.
static void place_rotors(moreau *m)
{
    for (int j = 0; j < m->model->joint_count && m->model->rotor_count > 0; j++) {
        const joint *it = &m->model->joints[j];
        for (int n = 0; it->slot_rotor + n < it->body_count && it->rotor_rows > 0; n++) {
            const int b = it->bodies[it->slot_rotor + n];
            joint_place_rotor(it, &m->node.motion, n, &m->bodies.position[b], &m->bodies.velocity[b]);
            m->bodies.orientation[b] = ph_quat_identity();
            m->bodies.angular_velocity[b] = ph_zero3();
        }
    }
}

ph_status moreau_trees_place(moreau *m, double *work)
{
    moreau_trees *t = m->trees;
    for (int i = 0; i < t->forest.branch_count; i++) {
        const branch *b = &t->forest.branches[i];
        m->bodies.angular_velocity[b->body] = ph_tmul(t->tree.frames[i].R, m->bodies.after[b->moving].angular);
        m->bodies.velocity[b->body] = m->bodies.after[b->moving].linear;
    }
    trees_stop_motors(t); // while loops are closed
    for_groups(m, move_groups);
    for (int g = 0; g < t->forest.group_count; g++)
        if (t->open_group[g]) {
            find_open_joint(m, g);
            return PH_NO_CONVERGENCE;
        }
    if (!factor_there(m)) return PH_SINGULAR;
    *work += settle(m);
    for (int i = 0; i < t->forest.branch_count; i++) {
        const int b = t->forest.branches[i].body;
        m->node.twists[b] = (ph_twist){m->bodies.angular_velocity[b], m->bodies.velocity[b]};
    }
    place_rotors(m);
    return PH_OK;
}
