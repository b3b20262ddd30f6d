#include "contact/paths.h"

#include "joints/geometry.h"

#include <math.h>
#include <string.h>

bool paths_create(const ph_model *model, articulated *tree, loops *loops, arena *memory, paths *p)
{
    *p = (paths){.model = model, .tree = tree, .loops = loops};
    p->loose_of = arena_alloc_array(memory, (size_t)model->moving_count, sizeof *p->loose_of);
    for (int k = 0; p->loose_of && k < model->moving_count; k++) p->loose_of[k] = -1;
    return p->loose_of && mem_reserve(&model->allocator, &p->z, &p->z_room,
                                      tree->forest->freedom_count + loops->row_count + 1, sizeof *p->z);
}

void paths_destroy(paths *p)
{
    if (!p->model) return;
    void *arrays[] = {p->loose,        p->root,   p->root_mass, p->z,     p->items,        p->cones,  p->constant,
                      p->index,        p->y,      p->islands,   p->order, p->parent,       p->room,   p->start,
                      p->column,       p->value,  p->q,         p->x,     p->island_cones, p->shared, p->shared_twists,
                      p->shared_moved, p->unroot, p->free_z,    p->best};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) mem_free(&p->model->allocator, arrays[k]);
}

#define RESERVE(p, array, count)                                                                                       \
    mem_reserve_counted(&(p)->model->allocator, &(p)->array, &(p)->array##_room, (count), sizeof *(p)->array,          \
                        &(p)->growths)

void paths_begin(paths *p, const frame *frames)
{
    for (int k = 0; k < p->loose_count; k++) p->loose_of[p->loose[k]] = -1;
    p->loose_count = p->item_count = p->row_count = p->entry_count = p->number_count = 0;
    p->frames = frames;
}

// ---- Loose bodies ---------------------------------------------------------------------------------------------------

// L^-1 R^T with J = L L^T: |root torque|^2 = torque . R J^-1 R^T torque
static ph_mat3 inverse_root(const body_kind *kind, ph_mat3 R)
{
    const double(*J)[3] = kind->J.m;
    const double a = 1.0 / sqrt(J[0][0]), l10 = J[1][0] * a, l20 = J[2][0] * a;
    const double b = 1.0 / sqrt(J[1][1] - l10 * l10), l21 = (J[2][1] - l20 * l10) * b;
    const double c = 1.0 / sqrt(J[2][2] - l20 * l20 - l21 * l21), x10 = -l10 * a * b;
    const ph_mat3 X = {{{a, 0.0, 0.0}, {x10, b, 0.0}, {-(l20 * a + l21 * x10) * c, -l21 * b * c, c}}};
    return ph_mat_mult(X, R);
}

// The place of a moving body among the loose ones; taken in where it is not. -1: out of memory.
static int take_loose(paths *p, int moving)
{
    if (p->loose_of[moving] >= 0) return p->loose_of[moving];
    const int place = p->loose_count;
    if (!RESERVE(p, loose, place + 1) || !RESERVE(p, root, place + 1) || !RESERVE(p, root_mass, place + 1) ||
        !RESERVE(p, z, paths_loose_z(p, place + 1)))
        return -1;
    const int i = p->model->moving[moving];
    p->loose[place] = moving;
    p->root[place] = inverse_root(p->model->bodies[i].kind, p->frames[i].R);
    p->root_mass[place] = 1.0 / sqrt(p->model->bodies[i].kind->mass);
    p->loose_of[moving] = place;
    return p->loose_count++;
}

void paths_put_loose(paths *p, int place, ph_vec3 angular, ph_vec3 linear)
{
    double *z = p->z + paths_loose_z(p, place);
    const ph_vec3 a = ph_mul(p->root[place], angular), l = ph_scale(p->root_mass[place], linear);
    z[0] = a.x, z[1] = a.y, z[2] = a.z, z[3] = l.x, z[4] = l.y, z[5] = l.z;
}

screw paths_loose_twist(const paths *p, int place)
{
    const double *z = p->z + paths_loose_z(p, place);
    return (screw){ph_tmul(p->root[place], ph_vec(z[0], z[1], z[2])),
                   ph_scale(p->root_mass[place], ph_vec(z[3], z[4], z[5]))};
}

// ---- Items ----------------------------------------------------------------------------------------------------------

// Room for an item of so many rows and entries.
static path_item *new_item(paths *p, int rows, int entries, const ph_cone *cone)
{
    const int stride = rows == 1 ? 1 : rows <= 4 ? 4 : 8;
    if (!RESERVE(p, items, p->item_count + 1) || !RESERVE(p, cones, p->item_count + 1) ||
        !RESERVE(p, constant, p->row_count + rows) || !RESERVE(p, index, p->entry_count + entries) ||
        !RESERVE(p, y, p->number_count + entries * stride))
        return NULL;
    path_item *item = &p->items[p->item_count];
    *item = (path_item){.row = p->row_count,
                        .rows = rows,
                        .first = p->entry_count,
                        .at = p->number_count,
                        .stride = stride,
                        .nodes = {-1, -1}};
    p->cones[p->item_count] = *cone;
    for (int r = 0; r < rows; r++) p->constant[item->row + r] = 0.0;
    return item;
}

static void close_item(paths *p, const path_item *item)
{
    p->item_count++;
    p->row_count += item->rows;
    p->entry_count += item->count;
    p->number_count += item->count * item->stride;
}

void paths_drop(paths *p, int count)
{
    if (count >= p->item_count) return;
    const path_item *item = &p->items[count];
    p->row_count = item->row;
    p->entry_count = item->first;
    p->number_count = item->at;
    p->item_count = count;
}

// A body's side of an item: a branch, or a place among loose bodies; neither: it cannot move.
typedef struct path_side {
    int branch, loose, node, length;
} path_side;

static bool side_of(paths *p, int moving, path_side *side) // false: out of memory
{
    const forest *f = p->tree->forest;
    *side = (path_side){-1, -1, -1, 0};
    if (moving < 0) return true;
    side->branch = f->branch_of[moving];
    if (side->branch >= 0) {
        side->node = f->trees[f->branches[side->branch].tree].group;
        side->length = articulated_path_length(p->tree, side->branch);
        return true;
    }
    side->loose = take_loose(p, moving);
    side->node = f->group_count + side->loose;
    side->length = 6;
    return side->loose >= 0;
}

// Entries of an item between two sides: both paths, and where there are loops their bases.
static int entries_of(const paths *p, const path_side sides[2])
{
    int count = 0;
    for (int s = 0; s < 2; s++) {
        count += sides[s].length;
        if (sides[s].branch >= 0) count += p->loops->groups[sides[s].node].row_count;
    }
    return count;
}

static path_part *new_part(path_item *item, int key, bool negative)
{
    path_part *part = &item->parts[item->part_count++];
    *part = (path_part){.key = key, .first = item->count, .negative = negative};
    return part;
}

static void close_part(path_item *item, path_part *part, int count)
{
    part->count = count;
    item->count += count;
}

static void put_loose_entries(const paths *p, const path_item *item, int loose, const spatial *wrenches)
{
    int *index = p->index + item->first + item->count;
    double *y = p->y + item->at + item->count * item->stride;
    memset(y, 0, sizeof(double) * (size_t)(6 * item->stride));
    for (int r = 0; r < item->rows; r++) {
        const ph_vec3 a = ph_mul(p->root[loose], spatial_turn(&wrenches[r]));
        const ph_vec3 l = ph_scale(p->root_mass[loose], spatial_move(&wrenches[r]));
        const double v[6] = {a.x, a.y, a.z, l.x, l.y, l.z};
        for (int k = 0; k < 6; k++) y[k * item->stride + r] = v[k];
    }
    for (int k = 0; k < 6; k++) index[k] = paths_loose_z(p, loose) + k;
}

// The path of a branch, four rows at a time; returns how many entries it has. One row: of four, the first.
static int put_path_entries(const paths *p, const path_item *item, int branch, const spatial *given)
{
    int *index = p->index + item->first + item->count, count = 0;
    double *y = p->y + item->at + item->count * item->stride;
    for (int from = 0; from < item->rows; from += 4) {
        wrenches K = {{{0}}};
        double constant[4];
        for (int r = from; r < item->rows && r < from + 4; r++)
            for (int d = 0; d < 6; d++) K.v[d][r - from] = given[r].v[d];
        count = articulated_path(p->tree, branch, &K, index, y + from, item->stride, constant);
        for (int r = from; r < item->rows && r < from + 4; r++) p->constant[item->row + r] += constant[r - from];
    }
    return count;
}

static void add_side(const paths *p, path_item *item, const path_side *side, const spatial *wrenches)
{
    const forest *f = p->tree->forest;
    if (side->branch >= 0) {
        path_part *part = new_part(item, f->branches[side->branch].tree, false);
        close_part(item, part, put_path_entries(p, item, side->branch, wrenches));
    } else {
        path_part *part = new_part(item, f->tree_count + side->node, false);
        put_loose_entries(p, item, side->loose, wrenches);
        close_part(item, part, 6);
    }
}

// ---- Loops ----------------------------------------------------------------------------------------------------------

// Q y of all parts of the item that are of the group.
static void add_basis(const paths *p, path_item *item, int group)
{
    const forest *f = p->tree->forest;
    const loop_group *g = &p->loops->groups[group];
    const int stride = item->stride, parts = item->part_count;
    int *index = p->index + item->first + item->count;
    double *c = p->y + item->at + item->count * stride;
    path_part *part = new_part(item, f->tree_count + group, true);
    for (int q = 0; q < g->rank; q++) index[q] = f->freedom_count + g->first + q;
    memset(c, 0, sizeof(double) * (size_t)(g->rank * stride));
    for (int k = 0; k < parts; k++) {
        const path_part *of = &item->parts[k];
        if (of->negative || of->key >= f->tree_count || f->trees[of->key].group != group) continue;
        const int *at = p->index + item->first + of->first;
        const double *y = p->y + item->at + of->first * stride;
        if (stride == 1) loops_along_one(p->loops, group, of->count, at, y, c);
        for (int from = 0; from < stride && stride > 1; from += 4)
            loops_along(p->loops, group, of->count, at, y + from, stride, c + from);
    }
    close_part(item, part, g->rank);
}

static void add_bases(const paths *p, path_item *item)
{
    const int groups = p->tree->forest->group_count;
    for (int s = 0; s < 2; s++) {
        const int node = item->nodes[s];
        if (node < 0 || node >= groups || (s == 1 && node == item->nodes[0])) continue;
        if (loops_has(p->loops, node)) add_basis(p, item, node);
    }
}

static void finish_item(paths *p, path_item *item)
{
    add_bases(p, item);
    close_item(p, item);
}

// Where joints leave no motion along the first row of an item, rounding is all that there is of it: no impulse can do anything, and none is to be
// looked for. `scale`: the square of a row that moves.
static void clear_immovable(const paths *p, const path_item *item, double scale)
{
    const double least = 1e-20, least_of_loops = 1e-14; // what loops leave is a difference, which has lost its digits
    double block[CONTACT_ROWS_MAX * CONTACT_ROWS_MAX] = {0}, *y = p->y + item->at, all = 0.0;
    for (int e = 0; e < item->count; e++) all += y[e * item->stride] * y[e * item->stride];
    block[0] = all;
    if (item->part_count > 1) paths_block(p, item, item, block);
    const bool in_loops = item->parts[item->part_count - 1].negative;
    const bool moves = block[0] > least * scale && !(in_loops && block[0] <= least_of_loops * all);
    for (int k = 0; k < item->count * item->stride && !moves; k++) y[k] = 0.0;
}

// ---- Contacts -------------------------------------------------------------------------------------------------------

// Row r of a contact as a wrench on its body b, or a.
static spatial contact_wrench(const contact_rows *c, int r, bool is_b)
{
    const bool last_is_spin = r == 5 || (r == 3 && !c->rolls);
    const ph_vec3 t = c->axes[r < 3 ? r : last_is_spin ? 0 : r - 2], axis = is_b ? t : ph_neg(t);
    if (r >= 3) return (spatial){{axis.x, axis.y, axis.z, 0.0, 0.0, 0.0}};
    const ph_vec3 torque = ph_cross(is_b ? c->arm_b : c->arm_a, axis);
    return (spatial){{torque.x, torque.y, torque.z, axis.x, axis.y, axis.z}};
}

bool paths_lay_contact(paths *p, const contact_rows *c, const ph_cone *cone)
{
    path_side sides[2];
    if (!side_of(p, c->b, &sides[0]) || !side_of(p, c->a, &sides[1])) return false;
    path_item *item = new_item(p, c->count, entries_of(p, sides), cone);
    if (!item) return false;
    item->soft = c->softness;
    item->count = entries_of(p, sides);
    for (int s = 0; s < 2; s++) item->nodes[s] = sides[s].node;
    close_item(p, item);
    return true;
}

void paths_fill_contact(paths *p, int i, const contact_rows *c)
{
    path_item *item = &p->items[i];
    path_side sides[2];
    spatial wrenches[CONTACT_ROWS_MAX];
    item->count = 0;
    for (int s = 0; s < 2; s++) {
        side_of(p, s == 0 ? c->b : c->a, &sides[s]); // loose bodies are there
        if (sides[s].node < 0) continue;
        for (int r = 0; r < c->count; r++) wrenches[r] = contact_wrench(c, r, s == 0);
        add_side(p, item, &sides[s], wrenches);
    }
    add_bases(p, item);
    clear_immovable(p, item, contact_free_scale(p->model, c));
}

bool paths_add_contact(paths *p, const contact_rows *c, const ph_cone *cone)
{
    if (!paths_lay_contact(p, c, cone)) return false;
    paths_fill_contact(p, p->item_count - 1, c);
    return true;
}

// ---- Coordinates ----------------------------------------------------------------------------------------------------

// The freedom of a tree that coordinate k of a joint is; -1: it is none, or a motor prescribes it.
static int freedom_of(const forest *f, int joint, int k, int *branch)
{
    const struct joint *j = &f->model->joints[joint];
    for (int side = 0; side < 2; side++) {
        const int i = forest_branch(f, side ? j->b : j->a);
        if (i < 0 || f->branches[i].joint != joint) continue;
        *branch = i;
        return f->branches[i].motion.driven ? k - 1 : k;
    }
    *branch = -1;
    return -1;
}

static bool add_freedom(paths *p, int branch, int freedom, double sign, double soft, const ph_cone *cone)
{
    const forest *f = p->tree->forest;
    const int tree = f->branches[branch].tree, group = f->trees[tree].group;
    path_item *item =
        new_item(p, 1, articulated_path_length(p->tree, branch) + p->loops->groups[group].row_count, cone);
    if (!item) return false;
    item->soft = soft;
    item->nodes[0] = group;
    path_part *part = new_part(item, tree, false);
    close_part(item, part,
               articulated_path_of_freedom(p->tree, branch, freedom, p->index + item->first, p->y + item->at,
                                           &p->constant[item->row]));
    for (int e = 0; e < item->count; e++) p->y[item->at + e] *= sign;
    p->constant[item->row] *= sign;
    finish_item(p, item);
    clear_immovable(p, item, 0.0);
    return true;
}

static spatial world_wrench(const paths *p, int moving, const ph_wrench *w)
{
    const ph_vec3 t = moving < 0 ? ph_zero3() : ph_mul(p->frames[p->model->moving[moving]].R, w->torque), f = w->force;
    return (spatial){{t.x, t.y, t.z, f.x, f.y, f.z}};
}

// The paths are those of four rows, of which it is the first.
bool paths_add_line(paths *p, const path_line *line, double soft, const ph_cone *cone)
{
    path_side sides[2];
    if (!side_of(p, line->b, &sides[0]) || !side_of(p, line->a, &sides[1])) return false;
    path_item *item = new_item(p, 1, 4 * entries_of(p, sides), cone);
    if (!item) return false;
    item->soft = soft;
    item->stride = 4;
    for (int s = 0; s < 2; s++) {
        if (sides[s].node < 0) continue;
        const spatial wrench = s ? world_wrench(p, line->a, &line->on_a) : world_wrench(p, line->b, &line->on_b);
        item->nodes[s] = sides[s].node;
        add_side(p, item, &sides[s], &wrench);
    }
    finish_item(p, item);
    clear_immovable(p, item, 0.0);
    return true;
}

// A coordinate of a joint that closes a loop: by its gradient on both bodies.
static path_line coordinate_line(const paths *p, int joint, int k, double sign)
{
    const struct joint *j = &p->model->joints[joint];
    const geometry g = joint_geometry(j, p->frames);
    const gradient w = coordinate_gradient(j, &g, j->coordinates[k]);
    return (path_line){p->model->bodies[j->a].moving,
                       p->model->bodies[j->b].moving,
                       {ph_scale(sign, ph_tmul(p->frames[j->a].R, w.alpha_a)), ph_scale(-sign, w.u_b)},
                       {ph_scale(sign, ph_tmul(p->frames[j->b].R, w.alpha_b)), ph_scale(sign, w.u_b)}};
}

bool paths_add_coordinate(paths *p, int joint, int k, double sign, double soft, const ph_cone *cone, bool *moves)
{
    int branch;
    const int freedom = freedom_of(p->tree->forest, joint, k, &branch);
    *moves = branch < 0 || freedom >= 0;
    if (!*moves) return true;
    if (branch >= 0) return add_freedom(p, branch, freedom, sign, soft, cone);
    const path_line line = coordinate_line(p, joint, k, sign);
    return paths_add_line(p, &line, soft, cone);
}

// ---- As momenta -----------------------------------------------------------------------------------------------------

static void add_momentum(const paths *p, int moving, double scale, const double *wrench)
{
    const int i = moving < 0 ? -1 : p->tree->forest->branch_of[moving];
    for (int d = 0; d < 6 && i >= 0; d++) p->tree->momentum[i].v[d] += scale * wrench[d];
}

void paths_apply_contact(const paths *p, const contact_rows *c, const double *g)
{
    for (int r = 0; r < c->count; r++) {
        const spatial on_a = contact_wrench(c, r, false), on_b = contact_wrench(c, r, true);
        add_momentum(p, c->a, g[r], on_a.v);
        add_momentum(p, c->b, g[r], on_b.v);
    }
}

void paths_apply_line(const paths *p, const path_line *line, double impulse)
{
    const spatial on_a = world_wrench(p, line->a, &line->on_a), on_b = world_wrench(p, line->b, &line->on_b);
    add_momentum(p, line->a, impulse, on_a.v);
    add_momentum(p, line->b, impulse, on_b.v);
}

void paths_apply_coordinate(const paths *p, int joint, int k, double impulse)
{
    int branch;
    const int freedom = freedom_of(p->tree->forest, joint, k, &branch);
    if (branch >= 0) {
        if (freedom >= 0) p->tree->tau[p->tree->forest->branches[branch].first + freedom] += impulse;
        return;
    }
    const path_line line = coordinate_line(p, joint, k, 1.0);
    paths_apply_line(p, &line, impulse);
}

// ---- Islands --------------------------------------------------------------------------------------------------------

static int root_of(int *parent, int k)
{
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

static int node_of(const path_item *item)
{
    return item->nodes[0] >= 0 ? item->nodes[0] : item->nodes[1];
}

static int node_freedoms(const paths *p, int node)
{
    const forest *f = p->tree->forest;
    if (node >= f->group_count) return 6;
    return f->groups[node].freedom_count - p->loops->groups[node].rank;
}

// Union of the nodes that items couple. Links lead to smaller numbers.
static void unite(const paths *p, int nodes)
{
    int *parent = p->parent;
    for (int k = 0; k < nodes; k++) parent[k] = k;
    for (int i = 0; i < p->item_count; i++) {
        const int *n = p->items[i].nodes;
        if (n[0] < 0 || n[1] < 0) continue;
        const int a = root_of(parent, n[0]), b = root_of(parent, n[1]);
        parent[a > b ? a : b] = a > b ? b : a;
    }
}

// By node its island, in place of the link: what a link leads to has its number already.
static void number_islands(paths *p, int nodes)
{
    p->island_count = 0;
    for (int k = 0; k < nodes; k++) {
        const bool is_root = p->parent[k] == k;
        const int island = is_root ? p->island_count++ : p->parent[p->parent[k]];
        if (is_root) p->islands[island] = (path_island){0};
        p->islands[island].freedoms += node_freedoms(p, k);
        p->parent[k] = island;
    }
}

static void list_items(paths *p)
{
    for (int i = 0; i < p->item_count; i++) {
        path_island *island = &p->islands[p->parent[node_of(&p->items[i])]];
        island->count++;
        island->rows += p->items[i].rows;
    }
    for (int k = 0, first = 0; k < p->island_count; k++) {
        p->islands[k].first = first;
        first += p->islands[k].count;
        p->islands[k].count = 0;
    }
    for (int i = 0; i < p->item_count; i++) {
        path_island *island = &p->islands[p->parent[node_of(&p->items[i])]];
        p->order[island->first + island->count++] = i;
    }
}

bool paths_end(paths *p)
{
    const int nodes = p->tree->forest->group_count + p->loose_count;
    if (!RESERVE(p, parent, nodes + 1) || !RESERVE(p, islands, nodes + 1) || !RESERVE(p, order, p->item_count + 1) ||
        !RESERVE(p, z, paths_loose_z(p, p->loose_count) + 1))
        return false;
    unite(p, nodes);
    number_islands(p, nodes);
    list_items(p);
    return true;
}
