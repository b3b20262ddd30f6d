#include "dynamics/kkt.h"

#include "dynamics/augmented.h"
#include "linalg/small.h"
#include "model/scales.h"

#include <string.h>

// Nodes are the moving bodies, then the joints.
typedef struct edge_list {
    const ph_allocator *allocator;
    int count, capacity;
    int (*edges)[2];
    bool failed;
} edge_list;

static void add_edge(edge_list *list, int a, int b)
{
    if (a == b) return;
    if (!mem_reserve(list->allocator, &list->edges, &list->capacity, list->count + 1, sizeof *list->edges)) {
        list->failed = true;
        return;
    }
    list->edges[list->count][0] = a;
    list->edges[list->count++][1] = b;
}

static void add_body_edge(edge_list *list, const ph_model *model, int a, int b)
{
    if (model->bodies[a].moving >= 0 && model->bodies[b].moving >= 0)
        add_edge(list, model->bodies[a].moving, model->bodies[b].moving);
}

// Between its bodies, and to those that its expressions depend on.
static void add_force_edges(edge_list *list, const ph_model *model, const force *f)
{
    add_body_edge(list, model, f->a, f->b);
    for (int k = 0; k < f->other_count; k++) {
        add_body_edge(list, model, f->a, f->others[k]);
        add_body_edge(list, model, f->b, f->others[k]);
    }
}

static void list_edges(const ph_model *model, kkt_kind kind, edge_list *list)
{
    for (int j = 0; j < model->joint_count; j++) {
        const joint *joint = &model->joints[j];
        for (int k = 0; k < joint->body_count && joint->row_count > 0; k++) // blocks have a size
            add_edge(list, model->bodies[joint->bodies[k]].moving, model->moving_count + j);
        for (int k = 0; kind == KKT_COUPLED && k < joint->body_count; k++)
            for (int l = 0; l < k; l++) add_body_edge(list, model, joint->bodies[l], joint->bodies[k]);
    }
    for (int f = 0; kind >= KKT_DAMPED && f < model->force_count; f++)
        if (kind == KKT_COUPLED || model->forces[f].needs_velocity) add_force_edges(list, model, &model->forces[f]);
}

// `x`: where right-hand sides stand; NULL: in the order of elimination.
static bool make_lu(const ph_model *model, kkt_kind kind, const int *x, arena *memory, block_lu *lu)
{
    const int count = model->moving_count + model->joint_count;
    int *size = mem_alloc_array(&model->allocator, (size_t)count + 1, sizeof(int));
    bool *is_constraint = mem_alloc_array(&model->allocator, 2 * (size_t)count + 1, sizeof(bool));
    bool *is_rotor = is_constraint + count;
    edge_list list = {.allocator = &model->allocator};
    list_edges(model, kind, &list);
    bool ok = size && is_constraint && !list.failed;
    for (int k = 0; ok && k < count; k++) {
        is_constraint[k] = k >= model->moving_count;
        is_rotor[k] = !is_constraint[k] && body_is_rotor(&model->bodies[model->moving[k]]);
        size[k] = is_constraint[k] ? model->joints[k - model->moving_count].row_count : 6;
    }
    const block_graph graph = {.node_count = count,
                               .size = size,
                               .is_constraint = is_constraint,
                               .is_rotor = is_rotor,
                               .edge_count = list.count,
                               .edges = (const int(*)[2])list.edges,
                               .bodies_decoupled = kind == KKT_DECOUPLED,
                               .x = x};
    ok = ok && block_lu_create(&graph, memory, lu);
    mem_free(&model->allocator, list.edges);
    mem_free(&model->allocator, is_constraint);
    mem_free(&model->allocator, size);
    return ok;
}

// The edges between bodies, as blocks in both directions.
static bool list_pairs(kkt *kkt, const ph_model *model, kkt_kind kind, arena *memory)
{
    edge_list list = {.allocator = &model->allocator};
    list_edges(model, kind, &list);
    kkt->pairs = arena_alloc_array(memory, 2 * (size_t)list.count + 1, sizeof(int));
    for (int e = 0; kkt->pairs && e < list.count; e++) {
        const int a = list.edges[e][0], b = list.edges[e][1];
        if (a >= model->moving_count || b >= model->moving_count) continue;
        kkt->pairs[kkt->pair_count++] = block_lu_block(&kkt->lu, a, b);
        kkt->pairs[kkt->pair_count++] = block_lu_block(&kkt->lu, b, a);
    }
    mem_free(&model->allocator, list.edges);
    return kkt->pairs && !list.failed;
}

// The way by joint coordinates, where it can be had.
static bool make_tree(kkt *kkt, arena *memory)
{
    const ph_model *model = kkt->model;
    kkt->joint_x = arena_alloc_array(memory, (size_t)model->joint_count, sizeof(int));
    elimination *tree = arena_alloc(memory, sizeof *tree);
    if (!kkt->joint_x || !tree) return false;
    kkt->B_of = arena_alloc_array(memory, (size_t)model->joint_count, sizeof(int));
    if (!kkt->B_of) return false;
    for (int j = 0; j < model->joint_count; j++) kkt->joint_x[j] = kkt->joints[j].x, kkt->B_of[j] = kkt->joints[j].B;
    if (!elimination_create(model, kkt->body_x, kkt->joint_x, memory, tree)) return false;
    if (closing_rows(tree) > 0) {
        if (closing_rows(tree) > CLOSING_MOST) return true;
        closings *loops = arena_alloc(memory, sizeof *loops);
        if (!loops || !closing_create(tree, kkt->B_of, kkt->lu.x_count, 0, memory, loops)) return false;
        closing_keep(loops, kkt->left_out);
        kkt->closing = loops;
    }
    kkt->tree = tree;
    return true;
}

bool kkt_add_ties(kkt *kkt, int count, arena *memory)
{
    if (!kkt->tree || closing_rows(kkt->tree) + count > CLOSING_MOST) return false;
    closings *c = arena_alloc(memory, sizeof *c);
    if (!c || !closing_create(kkt->tree, kkt->B_of, kkt->lu.x_count, count, memory, c)) return false;
    closing_keep(c, kkt->left_out);
    kkt->closing = c;
    return true;
}

// Right-hand sides of trees without blocks: of the bodies, then of the rows.
static void place_sides(kkt *kkt)
{
    const int bodies = kkt->model->moving_count;
    for (int k = 0; k < bodies; k++) kkt->body_x[k] = 6 * k;
    for (int j = 0; j < kkt->model->joint_count; j++) kkt->joints[j].x = 6 * bodies + kkt->model->joints[j].first_row;
    kkt->lu.x_count = 6 * bodies + kkt->model->row_count;
}

// Where blocks and, unless they have been placed, right-hand sides stand.
static void find_blocks(kkt *kkt)
{
    const ph_model *model = kkt->model;
    const block_lu *lu = &kkt->lu;
    for (int k = 0; k < model->moving_count; k++) {
        kkt->body_block[k] = block_lu_diagonal(lu, k);
        kkt->body_x[k] = lu->pivots[lu->position[k]].x;
    }
    for (int j = 0; j < model->joint_count; j++) {
        const int node = model->moving_count + j;
        kkt->joints[j].x = lu->pivots[lu->position[node]].x;
        for (int k = 0; k < model->joints[j].body_count && model->joints[j].row_count > 0; k++) {
            const int body = model->bodies[model->joints[j].bodies[k]].moving;
            kkt->joints[j].upper[k] = block_lu_block(lu, body, node);
            kkt->joints[j].lower[k] = block_lu_block(lu, node, body);
        }
    }
}

// `placed`: right-hand sides have their places.
static bool make_rows(kkt *kkt, bool placed)
{
    const ph_model *model = kkt->model;
    const size_t moving = (size_t)model->moving_count, joints = (size_t)model->joint_count;
    kkt->body_block = arena_alloc_array(kkt->memory, moving, sizeof(int));
    int *x = mem_alloc_array(&model->allocator, moving + joints + 1, sizeof *x);
    bool ok = kkt->body_block && x;
    for (size_t k = 0; ok && k < moving; k++) x[k] = kkt->body_x[k];
    for (size_t j = 0; ok && j < joints; j++) x[moving + j] = kkt->joints[j].x;
    ok = ok && make_lu(model, kkt->kind, placed ? x : NULL, kkt->memory, &kkt->lu);
    mem_free(&model->allocator, x);
    if (!ok) return false;
    find_blocks(kkt);
    kkt->has_rows = kkt->kind < KKT_DAMPED || list_pairs(kkt, model, kkt->kind, kkt->memory);
    return kkt->has_rows;
}

bool kkt_need_rows(kkt *kkt)
{
    return kkt->has_rows || make_rows(kkt, true);
}

static bool make(const ph_model *model, kkt_kind kind, bool spare, arena *memory, kkt *kkt)
{
    const bool augmented = augmented_needed(model), coupled = kind >= KKT_DAMPED;
    memset(kkt, 0, sizeof *kkt);
    kkt->model = model;
    kkt->memory = memory;
    kkt->kind = augmented ? KKT_COUPLED : kind;
    const bool tree = (kkt->kind == KKT_DECOUPLED || kkt->kind == KKT_DAMPED) && elimination_fits(model);
    kkt->body_x = arena_alloc_array(memory, (size_t)model->moving_count, sizeof(int));
    kkt->joints = arena_alloc_array(memory, (size_t)model->joint_count, sizeof *kkt->joints);
    kkt->left_out = arena_alloc_array(memory, (size_t)model->joint_count, 1);
    if (!kkt->body_x || !kkt->joints || !kkt->left_out) return false;
    if (!dependent_create(model, false, memory, &kkt->dependent)) return false;
    kkt->has_loops = kkt->dependent.joint_count > 0;
    kkt->unit = mechanism_unit(model);
    for (int j = 0; j < model->joint_count; j++) {
        kkt->joints[j].B = kkt->B_count;
        kkt->B_count += 6 * model->joints[j].row_count * model->joints[j].body_count;
    }
    const bool without = spare && tree && !kkt->has_loops;
    if (without)
        place_sides(kkt);
    else if (!make_rows(kkt, false))
        return false;
    kkt->x = arena_alloc_array(memory, (size_t)kkt->lu.x_count, sizeof(double));
    if (!kkt->x) return false;
    if (augmented) return augmented_create(kkt, !coupled, memory);
    if (tree && !make_tree(kkt, memory)) return false;
    return (kkt->tree && !kkt->closing) || kkt_need_rows(kkt);
}

bool kkt_create(const ph_model *model, kkt_kind kind, arena *memory, kkt *kkt)
{
    return make(model, kind, false, memory, kkt);
}

bool kkt_create_spare(const ph_model *model, kkt_kind kind, arena *memory, kkt *kkt)
{
    return make(model, kind, true, memory, kkt);
}

void kkt_clear_pairs(kkt *kkt)
{
    for (int k = 0; k < kkt->pair_count; k++) memset(kkt->lu.values + kkt->pairs[k], 0, 36 * sizeof(double));
}

double *kkt_body_pair(kkt *kkt, int moving_row, int moving_column)
{
    const int at = block_lu_block(&kkt->lu, moving_row, moving_column);
    return at < 0 ? NULL : kkt->lu.values + at;
}

SMALL_INLINE void put_joint(const double *B_upper, double scale, const double *B_lower, int m, double *upper,
                            double *lower)
{
    for (int e = 0; e < 6 * m; e++) upper[e] = scale * B_upper[e];
    for (int r = 0; r < m; r++)
        for (int c = 0; c < 6; c++) lower[c * m + r] = B_lower[6 * r + c];
}

void kkt_set_joint(kkt *kkt, int j, const double *B_upper, double scale, const double *B_lower)
{
    const joint *joint = &kkt->model->joints[j];
    const int m = joint->row_count;
    for (int k = 0; k < joint->body_count; k++, B_upper += 6 * m, B_lower += 6 * m) {
        double *upper = kkt_upper(kkt, j, k), *lower = kkt_lower(kkt, j, k);
        if (m == 3)
            put_joint(B_upper, scale, B_lower, 3, upper, lower);
        else
            put_joint(B_upper, scale, B_lower, m, upper, lower);
    }
}

static void pass_rows_on(kkt *kkt)
{
    const dependent *d = &kkt->dependent;
    for (int k = 0; k < d->joint_count; k++)
        kkt->lu.mask[kkt->lu.position[kkt->model->moving_count + d->joints[k]]] = kkt->left_out[d->joints[k]];
    if (!kkt->closing) return;
    kkt->barred = false;
    for (int i = 0; i < kkt->tree->limb_count; i++) {
        const int j = kkt->tree->limbs[i].joint;
        if (j >= 0 && kkt->left_out[j]) kkt->barred = true;
    }
    closing_keep(kkt->closing, kkt->left_out);
}

int kkt_choose_rows(kkt *kkt, const frame *frames, const double *B)
{
    const int count = kkt->has_loops ? dependent_choose(&kkt->dependent, frames, B, kkt->left_out) : 0;
    pass_rows_on(kkt);
    return count;
}

void kkt_take_rows(kkt *kkt, const struct kkt *from)
{
    memcpy(kkt->left_out, from->left_out, (size_t)kkt->model->joint_count);
    pass_rows_on(kkt);
}

bool kkt_factor_tree(kkt *kkt)
{
    kkt->by_tree = elimination_factor(kkt->tree) && (!kkt->closing || closing_factor(kkt->closing));
    return kkt->by_tree;
}

bool kkt_choose_tree(kkt *kkt)
{
    if (!kkt->closing) return kkt_factor_tree(kkt);
    memset(kkt->left_out, 0, (size_t)kkt->model->joint_count);
    kkt->by_tree = elimination_factor(kkt->tree) && closing_choose(kkt->closing, kkt->left_out);
    if (kkt->by_tree) pass_rows_on(kkt);
    return kkt->by_tree;
}

bool kkt_factor(kkt *kkt)
{
    kkt->by_tree = false;
    block_lu_clear(&kkt->lu);
    if (kkt->extra) augmented_add(kkt);
    return block_lu_factor(&kkt->lu);
}

bool kkt_factor_damped(kkt *kkt, const double *damping)
{
    kkt->by_tree = false;
    block_lu_clear(&kkt->lu);
    if (kkt->extra) augmented_remove(kkt);
    for (int j = 0; j < kkt->model->joint_count; j++) {
        double *D = kkt->lu.values + block_lu_diagonal(&kkt->lu, kkt->model->moving_count + j);
        const int rows = kkt->model->joints[j].row_count;
        for (int r = 0; r < rows; r++) D[r * (rows + 1)] = -damping[kkt->model->joints[j].first_row + r];
    }
    return block_lu_factor(&kkt->lu);
}

void kkt_solve(kkt *kkt)
{
    if (kkt->extra)
        augmented_solve(kkt);
    else if (kkt->by_tree)
        kkt_solve_under(kkt, NULL);
    else
        block_lu_solve(&kkt->lu, kkt->x);
}

void kkt_solve_under(kkt *kkt, const double *lambda)
{
    elimination_solve(kkt->tree, lambda, kkt->x);
    if (kkt->closing) closing_solve(kkt->closing, kkt->x);
}

size_t kkt_many_room(const kkt *kkt)
{
    return kkt->tree ? elimination_many_room(kkt->tree) : 1;
}

void kkt_solve_many(kkt *kkt, int count, quad *room, quad *x)
{
    if (kkt->by_tree && !kkt->extra && !kkt->closing && elimination_can_many(kkt->tree)) {
        elimination_solve_many(kkt->tree, room, x);
        return;
    }
    for (int c = 0; c < count; c++) {
        for (int i = 0; i < kkt->lu.x_count; i++) kkt->x[i] = x[i][c];
        kkt_solve(kkt);
        for (int i = 0; i < kkt->lu.x_count; i++) x[i][c] = kkt->x[i];
    }
}
