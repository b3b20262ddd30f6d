#include "articulated/advance.h"

#include "math/so3.h"

bool advance_create(articulated *tree, arena *memory, advance *a)
{
    const size_t n = (size_t)tree->forest->branch_count, trees = (size_t)tree->forest->tree_count;
    *a = (advance){.tree = tree};
    a->next = arena_alloc_array(memory, n, sizeof *a->next);
    a->drive_steps = arena_alloc_array(memory, n, sizeof *a->drive_steps);
    a->root_turn = arena_alloc_array(memory, trees, sizeof *a->root_turn);
    a->root_place = arena_alloc_array(memory, trees, sizeof *a->root_place);
    a->center = arena_alloc_array(memory, trees, sizeof *a->center);
    return a->next && a->drive_steps && a->root_turn && a->root_place && a->center;
}

// Where the bodies would be, each by its own velocity.
static ph_vec3 center_after(const articulated *t, const tree_range *range, double h, const spatial *twist)
{
    const ph_vec3 o = t->frames[range->first].x; // sums from here lose no digits
    ph_vec3 sum = ph_zero3();
    for (int i = range->first; i < range->first + range->count; i++) {
        const double m = t->forest->model->bodies[t->forest->branches[i].body].kind->mass;
        sum = ph_madd(sum, m, ph_madd(ph_sub(t->frames[i].x, o), h, spatial_move(&twist[i])));
    }
    return ph_madd(o, 1.0 / range->mass, sum);
}

static void turn_root(advance *a, int tree, ph_vec3 turn)
{
    a->root_turn[tree] = ph_quat_unit(ph_quat_mul(ph_quat_exp(turn), a->root_turn[tree]));
}

static void step_relation(advance *a, int i, const relation *from, double drive, double scale, const double *rate)
{
    const branch *b = &a->tree->forest->branches[i];
    double steps[FREEDOMS_MAX];
    steps[0] = drive;
    for (int k = 0; k < b->motion.count; k++) steps[k + b->motion.driven] = scale * rate[b->first + k];
    a->next[i] = relation_step(&a->tree->forest->model->joints[b->joint], &b->motion, from, steps);
}

void advance_begin(advance *a, int tree, double h, const double *rate, const spatial *twist, const ph_vec3 *position,
                   const ph_quat *orientation)
{
    const forest *f = a->tree->forest;
    const tree_range *range = &f->trees[tree];
    for (int i = range->first; i < range->first + range->count; i++)
        if (f->branches[i].joint >= 0) step_relation(a, i, &a->tree->relations[i], a->drive_steps[i], h, rate);
    if (!range->is_free) return;
    const int root = f->branches[range->first].body;
    a->root_turn[tree] = orientation[root];
    a->root_place[tree] = ph_madd(position[root], h, spatial_move(&twist[range->first]));
    a->center[tree] = center_after(a->tree, range, h, twist);
    turn_root(a, tree, ph_scale(h, spatial_turn(&twist[range->first])));
}

void advance_change(advance *a, int tree, const double *steps, const spatial *twist)
{
    const forest *f = a->tree->forest;
    const tree_range *range = &f->trees[tree];
    for (int i = range->first; i < range->first + range->count; i++) {
        const relation from = a->next[i];
        if (f->branches[i].joint >= 0) step_relation(a, i, &from, 0.0, 1.0, steps);
    }
    if (!range->is_free) return;
    turn_root(a, tree, spatial_turn(&twist[range->first]));
}

static void put_branch(const advance *a, const branch *b, int i, ph_vec3 *position, ph_quat *orientation)
{
    const joint *j = &a->tree->forest->model->joints[b->joint];
    const int p = b->parent_body, own = b->body;
    pose_pair at;
    if (b->turned) {
        at.q_b = orientation[p], at.x_b = position[p];
        relation_put_a(j, &a->next[i], &b->motion, &at);
        orientation[own] = at.q_a, position[own] = at.x_a;
    } else {
        at.q_a = orientation[p], at.x_a = position[p];
        relation_put_b(j, &a->next[i], &b->motion, &at);
        orientation[own] = at.q_b, position[own] = at.x_b;
    }
}

void advance_put(const advance *a, int tree, ph_vec3 *position, ph_quat *orientation)
{
    const forest *f = a->tree->forest;
    const tree_range *range = &f->trees[tree];
    const int root = f->branches[range->first].body;
    if (range->is_free) orientation[root] = a->root_turn[tree], position[root] = a->root_place[tree];
    ph_vec3 sum = ph_zero3();
    for (int i = range->first; i < range->first + range->count; i++) {
        const branch *b = &f->branches[i];
        if (b->joint >= 0) put_branch(a, b, i, position, orientation);
        sum = ph_madd(sum, f->model->bodies[b->body].kind->mass, ph_sub(position[b->body], a->center[tree]));
    }
    for (int i = range->first; i < range->first + range->count && range->is_free; i++) {
        ph_vec3 *x = &position[f->branches[i].body];
        *x = ph_madd(*x, -1.0 / range->mass, sum);
    }
}
