#include "contact/delassus.h"

#include "base/sort.h"
#include "joints/geometry.h"
#include "math/mat3.h"
#include "model/inertia.h"

#include <string.h>

// More blocks than this between joined bodies are not kept: 36 numbers each.
enum { BLOCKS_MOST = 40000 };

// ---- Creation -------------------------------------------------------------------------------------------------------

static int root_of(int *parent, int k)
{
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

// Numbers the sets of bodies that joints connect.
static void find_groups(const ph_model *model, delassus *d)
{
    int *parent = d->held; // free until the first problem
    for (int k = 0; k < model->moving_count && model->joint_count > 0; k++) d->group[k] = -1, parent[k] = k;
    for (int j = 0; j < model->joint_count; j++) {
        const joint *joint = &model->joints[j];
        const int first = joint->body_count ? root_of(parent, model->bodies[joint->bodies[0]].moving) : 0;
        for (int s = 1; s < joint->body_count; s++)
            parent[root_of(parent, model->bodies[joint->bodies[s]].moving)] = root_of(parent, first);
    }
    for (int j = 0; j < model->joint_count; j++)
        for (int s = 0; s < model->joints[j].body_count; s++) {
            const int k = model->bodies[model->joints[j].bodies[s]].moving, root = root_of(parent, k);
            if (d->group[root] < 0) d->group[root] = d->group_count++;
            d->group[k] = d->group[root];
        }
}

bool delassus_create(const ph_model *model, kkt *kkt, const node *node, arena *memory, delassus *d)
{
    const size_t n = (size_t)model->moving_count, x = (size_t)kkt->lu.x_count, joined = model->joint_count ? n : 0;
    *d = (delassus){.model = model, .kkt = kkt, .node = node, .memory = memory};
    d->inverse_mass = arena_alloc_array(memory, n, sizeof *d->inverse_mass);
    d->group = arena_alloc_array(memory, joined, sizeof *d->group);
    d->groups = arena_alloc_array(memory, joined, sizeof *d->groups);
    d->held = arena_alloc_array(memory, joined, sizeof *d->held);
    d->held_at = arena_alloc_array(memory, joined, sizeof *d->held_at);
    d->rhs = arena_alloc_array(memory, x, sizeof *d->rhs);
    d->sum = arena_alloc_array(memory, x, sizeof *d->sum);
    if (!d->inverse_mass || !d->group || !d->groups || !d->held || !d->held_at || !d->rhs || !d->sum) return false;
    find_groups(model, d);
    return true;
}

void delassus_destroy(delassus *d)
{
    if (!d->model) return;
    void *blocks[] = {d->contacts,       d->stops,   d->cones, d->item_of,    d->uses,  d->loads,
                      d->use_start,      d->blocks,  d->old,   d->wrench,     d->twist, d->row_start,
                      d->row_column,     d->row_end, d->mark,  d->near_start, d->near,  d->row_value,
                      d->inverse_inertia};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) mem_free(&d->model->allocator, blocks[k]);
}

static bool reserve(delassus *d, void *array, int *room, size_t count, size_t size)
{
    if (count > INT32_MAX) return false;
    d->growths += (int)count > *room;
    return mem_reserve(&d->model->allocator, array, room, (int)count, size);
}

#define RESERVE(d, array, count) reserve(d, &(d)->array, &(d)->array##_room, (size_t)(count), sizeof *(d)->array)

// ---- Rows -----------------------------------------------------------------------------------------------------------

void delassus_begin(delassus *d)
{
    d->contact_count = d->stop_count = d->cone_count = d->row_count = 0;
    d->has_matrix = false;
}

static bool add_cone(delassus *d, const ph_cone *cone)
{
    const int rows = ph_cone_rows(cone);
    if (!RESERVE(d, cones, d->cone_count + 1) || !RESERVE(d, item_of, d->row_count + rows)) return false;
    for (int r = 0; r < rows; r++) d->item_of[d->row_count + r] = d->cone_count;
    d->cones[d->cone_count++] = *cone;
    d->row_count += rows;
    return true;
}

ph_cone contact_cone(const pair_surface *s)
{
    return (ph_cone){.kind = PH_CONE_FRICTION,
                     .rolls = s->rolling > 0.0,
                     .spins = s->spinning > 0.0,
                     .friction = s->friction,
                     .rolling = s->rolling,
                     .spinning = s->spinning};
}

contact_rows contact_rows_of(const ph_model *model, const frame *frames, const detected *found, const ph_cone *cone)
{
    contact_rows c = {.a = model->bodies[found->body_a].moving,
                      .b = model->bodies[found->body_b].moving,
                      .count = ph_cone_rows(cone),
                      .rolls = cone->rolls,
                      .axes = {found->normal, ph_any_perpendicular(found->normal)}};
    c.axes[2] = ph_cross(c.axes[0], c.axes[1]);
    c.arm_a = ph_sub(found->point, frames[found->body_a].x);
    c.arm_b = ph_sub(found->point, frames[found->body_b].x);
    return c;
}

bool delassus_add_contact(delassus *d, const detected *found, const pair_surface *s, double softness)
{
    const ph_cone cone = contact_cone(s);
    if (!RESERVE(d, contacts, d->contact_count + 1)) return false;
    contact_rows *c = &d->contacts[d->contact_count];
    *c = contact_rows_of(d->model, d->node->frames, found, &cone);
    c->first = d->row_count;
    c->softness = softness;
    d->contact_count++;
    return add_cone(d, &cone);
}

bool delassus_add_stop(delassus *d, int index, stop_kind kind, double bound)
{
    const joint *j = &d->model->joints[index];
    const geometry g = joint_geometry(j, d->node->frames);
    const gradient w = coordinate_gradient(j, &g, j->coordinates[0]);
    const double sign = kind == STOP_HIGH ? -1.0 : 1.0;
    const ph_cone cone = {
        .kind = kind == STOP_FRICTION ? PH_CONE_INTERVAL : PH_CONE_HALF_LINE, .low = -bound, .high = bound};
    if (!RESERVE(d, stops, d->stop_count + 1)) return false;
    d->stops[d->stop_count++] = (stop_row){
        .joint = index,
        .kind = kind,
        .a = d->model->bodies[j->a].moving,
        .b = d->model->bodies[j->b].moving,
        .first = d->row_count,
        .on_a = {ph_scale(sign, w.alpha_a), ph_scale(-sign, w.u_b)},
        .on_b = {ph_scale(sign, w.alpha_b), ph_scale(sign, w.u_b)},
    };
    return add_cone(d, &cone);
}

// Row r of an item as what it does to its body b or a.
static screw row_of(const delassus *d, int item, int r, bool is_b)
{
    if (item >= d->contact_count) {
        const stop_row *s = &d->stops[item - d->contact_count];
        return is_b ? s->on_b : s->on_a;
    }
    const contact_rows *c = &d->contacts[item];
    const bool last_is_spin = r == 5 || (r == 3 && !c->rolls);
    const ph_vec3 t = c->axes[r < 3 ? r : last_is_spin ? 0 : r - 2];
    const ph_vec3 signed_t = is_b ? t : ph_neg(t);
    if (r >= 3) return (screw){signed_t, ph_zero3()};
    return (screw){ph_cross(is_b ? c->arm_b : c->arm_a, signed_t), signed_t};
}

static int body_of(const delassus *d, int item, bool is_b)
{
    if (item < d->contact_count) return is_b ? d->contacts[item].b : d->contacts[item].a;
    const stop_row *s = &d->stops[item - d->contact_count];
    return is_b ? s->b : s->a;
}

static int rows_of(const delassus *d, int item)
{
    return item < d->contact_count ? d->contacts[item].count : 1;
}

static int first_of(const delassus *d, int item)
{
    return item < d->contact_count ? d->contacts[item].first : d->stops[item - d->contact_count].first;
}

// ---- Lists by body --------------------------------------------------------------------------------------------------

static bool list_uses(delassus *d)
{
    const int bodies = d->model->moving_count;
    if (!RESERVE(d, use_start, bodies + 1)) return false;
    memset(d->use_start, 0, sizeof *d->use_start * ((size_t)bodies + 1));
    for (int i = 0; i < d->cone_count; i++)
        for (int side = 0; side < 2; side++)
            if (body_of(d, i, side) >= 0) d->use_start[body_of(d, i, side) + 1]++;
    for (int k = 0; k < bodies; k++) d->use_start[k + 1] += d->use_start[k];
    if (!RESERVE(d, uses, d->use_start[bodies] + 1)) return false;
    for (int i = 0; i < d->cone_count; i++)
        for (int side = 0; side < 2; side++)
            if (body_of(d, i, side) >= 0) d->uses[d->use_start[body_of(d, i, side)]++] = (body_use){i, side};
    for (int k = bodies; k > 0; k--) d->use_start[k] = d->use_start[k - 1];
    d->use_start[0] = 0;
    return true;
}

bool delassus_reserve_bodies(delassus *d)
{
    return RESERVE(d, inverse_inertia, d->model->moving_count);
}

void delassus_set_bodies(delassus *d, int from, int to)
{
    for (int k = from; k < to; k++) {
        const int i = d->model->moving[k];
        const body *b = &d->model->bodies[i];
        d->inverse_mass[k] = 1.0 / b->kind->mass;
        if (d->inverse_inertia) d->inverse_inertia[k] = body_inverse_inertia(b, d->node->frames[i].R);
    }
}

// ---- Joined bodies --------------------------------------------------------------------------------------------------

// rhs - [M B^T; B 0] x, into x
static void subtract_product(delassus *d)
{
    const ph_model *model = d->model;
    kkt *kkt = d->kkt;
    memcpy(d->sum, kkt->x, sizeof(double) * (size_t)kkt->lu.x_count);
    memcpy(kkt->x, d->rhs, sizeof(double) * (size_t)kkt->lu.x_count);
    for (int k = 0; k < model->moving_count; k++) {
        const body *body = &model->bodies[model->moving[k]];
        const double *v = d->sum + kkt->body_x[k];
        const ph_vec3 J = ph_mul(body->kind->J, ph_vec(v[0], v[1], v[2]));
        double *x = kkt_body_x(kkt, k);
        x[0] -= J.x, x[1] -= J.y, x[2] -= J.z;
        for (int c = 3; c < 6; c++) x[c] -= body->kind->mass * v[c];
    }
    for (int j = 0; j < model->joint_count; j++) {
        const joint *joint = &model->joints[j];
        const double *B = d->node->B + kkt->joints[j].B, *lambda = d->sum + kkt->joints[j].x;
        double *rows = kkt_joint_x(kkt, j);
        for (int s = 0; s < joint->body_count; s++, B += 6 * joint->row_count) {
            const int k = model->bodies[joint->bodies[s]].moving;
            const double *v = d->sum + kkt->body_x[k];
            node_add_transposed(B, joint->row_count, -1.0, lambda, kkt_body_x(kkt, k));
            for (int r = 0; r < joint->row_count; r++)
                for (int c = 0; c < 6; c++) rows[r] -= B[6 * r + c] * v[c];
        }
    }
}

void delassus_solve(delassus *d)
{
    kkt *kkt = d->kkt;
    memcpy(d->rhs, kkt->x, sizeof(double) * (size_t)kkt->lu.x_count);
    kkt_solve(kkt);
    if (d->model->joint_count == 0 || d->damped) return;
    subtract_product(d);
    kkt_solve(kkt);
    for (int e = 0; e < kkt->lu.x_count; e++) kkt->x[e] += d->sum[e];
}

// The joined bodies that something acts on, group by group.
static void list_held(delassus *d)
{
    const int bodies = d->model->moving_count;
    for (int g = 0; g < d->group_count; g++) d->groups[g].count = 0;
    for (int k = 0; k < bodies; k++) {
        const bool held = delassus_group(d, k) >= 0 && d->use_start[k + 1] > d->use_start[k];
        d->held_at[k] = held ? d->groups[d->group[k]].count++ : -1;
    }
    size_t all = 0;
    for (int g = 0, first = 0; g < d->group_count; first += d->groups[g++].count) {
        d->groups[g].first = first;
        d->groups[g].blocks = all;
        all += (size_t)d->groups[g].count * (size_t)d->groups[g].count;
    }
    d->has_all_blocks = all <= BLOCKS_MOST;
    for (int g = 0; g < d->group_count && !d->has_all_blocks; g++) d->groups[g].blocks = (size_t)d->groups[g].first;
    for (int k = 0; k < bodies; k++)
        if (d->held_at[k] >= 0) d->held[d->groups[d->group[k]].first + d->held_at[k]] = k;
}

// The block of M~^-1 between two held bodies of one group; NULL when it is not kept.
static double *block_of(const delassus *d, int p, int q)
{
    const joined_group *g = &d->groups[d->group[p]];
    const size_t row = (size_t)d->held_at[p], column = (size_t)d->held_at[q], n = (size_t)g->count;
    if (d->has_all_blocks) return d->blocks + 36 * (g->blocks + row * n + column);
    return p == q ? d->blocks + 36 * (g->blocks + row) : NULL;
}

// Column c of the blocks of all bodies of the group of q with q, from the solution in kkt->x.
static void read_column(delassus *d, int q, int c)
{
    const joined_group *g = &d->groups[d->group[q]];
    for (int i = 0; i < g->count; i++) {
        const int p = d->held[g->first + i];
        double *block = block_of(d, p, q);
        if (!block) continue;
        const double *v = kkt_body_x(d->kkt, p);
        const ph_vec3 turn = ph_mul(d->node->frames[d->model->moving[p]].R, ph_vec(v[0], v[1], v[2]));
        const double w[6] = {turn.x, turn.y, turn.z, v[3], v[4], v[5]};
        for (int r = 0; r < 6; r++) block[6 * r + c] = w[r];
    }
}

static void put_unit(delassus *d, int q, int c)
{
    double *x = kkt_body_x(d->kkt, q);
    if (c >= 3) {
        x[c] = 1.0;
        return;
    }
    const double *R = d->node->frames[d->model->moving[q]].R.m[c]; // row c: R^T e_c
    for (int k = 0; k < 3; k++) x[k] = R[k];
}

// One solve finds a column in every group at once: groups do not feel each other.
static bool make_blocks(delassus *d)
{
    int most = 0;
    size_t all = 0;
    list_held(d);
    for (int g = 0; g < d->group_count; g++) {
        const size_t n = (size_t)d->groups[g].count;
        most = d->groups[g].count > most ? d->groups[g].count : most;
        all += d->has_all_blocks ? n * n : n;
    }
    if (!RESERVE(d, blocks, 36 * all + 1)) return false;
    for (int i = 0; i < 6 * most; i++) {
        memset(d->kkt->x, 0, sizeof(double) * (size_t)d->kkt->lu.x_count);
        for (int g = 0; g < d->group_count; g++)
            if (i / 6 < d->groups[g].count) put_unit(d, d->held[d->groups[g].first + i / 6], i % 6);
        delassus_solve(d);
        for (int g = 0; g < d->group_count; g++)
            if (i / 6 < d->groups[g].count) read_column(d, d->held[d->groups[g].first + i / 6], i % 6);
    }
    return true;
}

bool delassus_end(delassus *d)
{
    if (!delassus_reserve_bodies(d)) return false;
    delassus_set_bodies(d, 0, d->model->moving_count);
    if (!RESERVE(d, wrench, d->model->moving_count) || !RESERVE(d, twist, d->model->moving_count)) return false;
    if (!RESERVE(d, old, d->contact_count + 1) || !list_uses(d) || !RESERVE(d, loads, d->contact_count + 1))
        return false;
    return d->group_count == 0 || make_blocks(d);
}

// ---- Products -------------------------------------------------------------------------------------------------------

// Force and torque of rolling and spinning that a contact exerts on b; the opposite acts on a.
static screw load_of(const contact_rows *c, const double *g)
{
    screw load = {ph_zero3(), ph_scale(g[0], c->axes[0])};
    load.linear = ph_madd(ph_madd(load.linear, g[1], c->axes[1]), g[2], c->axes[2]);
    if (c->rolls) load.angular = ph_madd(ph_scale(g[3], c->axes[1]), g[4], c->axes[2]);
    if (c->count == 6 || c->count == 4) load.angular = ph_madd(load.angular, g[c->count - 1], c->axes[0]);
    return load;
}

static screw gather_body(const delassus *d, int k, const double *g)
{
    screw sum = {ph_zero3(), ph_zero3()};
    for (int u = d->use_start[k]; u < d->use_start[k + 1]; u++) {
        const body_use use = d->uses[u];
        if (use.item >= d->contact_count) {
            const stop_row *s = &d->stops[use.item - d->contact_count];
            const screw *on = use.is_b ? &s->on_b : &s->on_a;
            sum = (screw){ph_madd(sum.angular, g[s->first], on->angular), ph_madd(sum.linear, g[s->first], on->linear)};
            continue;
        }
        const contact_rows *c = &d->contacts[use.item];
        const screw *load = &d->loads[use.item];
        const ph_vec3 turn = ph_add(load->angular, ph_cross(use.is_b ? c->arm_b : c->arm_a, load->linear));
        const double sign = use.is_b ? 1.0 : -1.0;
        sum = (screw){ph_madd(sum.angular, sign, turn), ph_madd(sum.linear, sign, load->linear)};
    }
    return sum;
}

void delassus_gather(delassus *d, const double *g, screw *wrench)
{
    for (int i = 0; i < d->contact_count; i++) d->loads[i] = load_of(&d->contacts[i], g + d->contacts[i].first);
    for (int k = 0; k < d->model->moving_count; k++) wrench[k] = gather_body(d, k, g);
}

static double dot_screw(const screw *a, const screw *b)
{
    return ph_dot(a->angular, b->angular) + ph_dot(a->linear, b->linear);
}

static void contact_velocity(const contact_rows *c, const screw *twist, double *u)
{
    ph_vec3 move = ph_zero3(), turn = ph_zero3();
    if (c->b >= 0) {
        turn = twist[c->b].angular;
        move = ph_add(twist[c->b].linear, ph_cross(turn, c->arm_b));
    }
    if (c->a >= 0) {
        const screw *a = &twist[c->a];
        turn = ph_sub(turn, a->angular);
        move = ph_sub(move, ph_add(a->linear, ph_cross(a->angular, c->arm_a)));
    }
    for (int r = 0; r < 3; r++) u[r] = ph_dot(c->axes[r], move);
    if (c->rolls) u[3] = ph_dot(c->axes[1], turn), u[4] = ph_dot(c->axes[2], turn);
    if (c->count == 6 || c->count == 4) u[c->count - 1] = ph_dot(c->axes[0], turn);
}

void delassus_velocities(const delassus *d, const screw *twist, double *u)
{
    for (int i = 0; i < d->contact_count; i++) contact_velocity(&d->contacts[i], twist, u + d->contacts[i].first);
    for (int i = 0; i < d->stop_count; i++) {
        const stop_row *s = &d->stops[i];
        u[s->first] = (s->a >= 0 ? dot_screw(&s->on_a, &twist[s->a]) : 0.0) +
                      (s->b >= 0 ? dot_screw(&s->on_b, &twist[s->b]) : 0.0);
    }
}

// twist <- M~^-1 wrench of joined bodies
static void solve_joined(delassus *d)
{
    kkt *kkt = d->kkt;
    memset(kkt->x, 0, sizeof(double) * (size_t)kkt->lu.x_count);
    for (int k = 0; k < d->model->moving_count; k++) {
        const ph_mat3 *R = &d->node->frames[d->model->moving[k]].R;
        if (d->held_at[k] >= 0)
            node_put_vectors(kkt_body_x(kkt, k), ph_tmul(*R, d->wrench[k].angular), d->wrench[k].linear);
    }
    delassus_solve(d);
    for (int k = 0; k < d->model->moving_count; k++) {
        const ph_mat3 *R = &d->node->frames[d->model->moving[k]].R;
        const double *v = kkt_body_x(kkt, k);
        if (d->held_at[k] < 0) continue;
        d->twist[k] = (screw){ph_mul(*R, ph_vec(v[0], v[1], v[2])), ph_vec(v[3], v[4], v[5])};
    }
}

static void apply(void *self, const double *x, double *y)
{
    delassus *d = self;
    delassus_gather(d, x, d->wrench);
    for (int k = 0; k < d->model->moving_count; k++)
        if (delassus_group(d, k) < 0)
            d->twist[k] = (screw){ph_mul(d->inverse_inertia[k], d->wrench[k].angular),
                                  ph_scale(d->inverse_mass[k], d->wrench[k].linear)};
    if (d->group_count > 0) solve_joined(d);
    delassus_velocities(d, d->twist, y);
    for (int i = 0; i < d->contact_count; i++)
        y[d->contacts[i].first] += d->contacts[i].softness * x[d->contacts[i].first];
}

// ---- Single entries -------------------------------------------------------------------------------------------------

// M~^-1 between bodies p and q, times t
static screw respond(const delassus *d, int p, int q, const screw *t)
{
    if (delassus_group(d, p) < 0)
        return (screw){ph_mul(d->inverse_inertia[p], t->angular), ph_scale(d->inverse_mass[p], t->linear)};
    const double *A = block_of(d, p, q),
                 x[6] = {t->angular.x, t->angular.y, t->angular.z, t->linear.x, t->linear.y, t->linear.z};
    double y[6] = {0};
    for (int r = 0; A && r < 6; r++)
        for (int c = 0; c < 6; c++) y[r] += A[6 * r + c] * x[c];
    return (screw){ph_vec(y[0], y[1], y[2]), ph_vec(y[3], y[4], y[5])};
}

static bool are_coupled(const delassus *d, int p, int q)
{
    return p >= 0 && q >= 0 && (p == q || (delassus_group(d, p) >= 0 && d->group[p] == d->group[q]));
}

// block <- N_ij, row-major
static void entries(const delassus *d, int i, int j, double *block)
{
    const int m = rows_of(d, i), n = rows_of(d, j);
    memset(block, 0, (size_t)(m * n) * sizeof *block);
    for (int sides = 0; sides < 4; sides++) {
        const bool of_i = sides & 1, of_j = sides & 2;
        const int p = body_of(d, i, of_i), q = body_of(d, j, of_j);
        if (!are_coupled(d, p, q)) continue;
        for (int c = 0; c < n; c++) {
            const screw t = row_of(d, j, c, of_j), w = respond(d, p, q, &t);
            for (int r = 0; r < m; r++) {
                const screw s = row_of(d, i, r, of_i);
                block[n * r + c] += dot_screw(&s, &w);
            }
        }
    }
    if (i == j && i < d->contact_count) block[0] += d->contacts[i].softness;
}

static void diagonal(void *self, int first, int rows, double *block)
{
    (void)rows;
    const delassus *d = self;
    entries(d, d->item_of[first], d->item_of[first], block);
}

// ---- The matrix -----------------------------------------------------------------------------------------------------

// Appends the items of body k to the neighbours of item i that are not there yet.
static bool add_near(delassus *d, int i, int k, int *count)
{
    for (int u = d->use_start[k]; u < d->use_start[k + 1]; u++) {
        const int j = d->uses[u].item;
        if (d->mark[j] == i) continue;
        d->mark[j] = i;
        if (!RESERVE(d, near, *count + 1)) return false;
        d->near[(*count)++] = (uint64_t)j;
    }
    return true;
}

static bool list_near(delassus *d)
{
    int count = 0;
    if (!RESERVE(d, near_start, d->cone_count + 1) || !RESERVE(d, mark, d->cone_count)) return false;
    for (int i = 0; i < d->cone_count; i++) d->mark[i] = -1;
    for (int i = 0; i < d->cone_count; i++) {
        d->near_start[i] = count;
        for (int side = 0; side < 2; side++) {
            const int k = body_of(d, i, side), g = k < 0 ? -1 : delassus_group(d, k);
            if (k >= 0 && g < 0 && !add_near(d, i, k, &count)) return false;
            for (int e = 0; g >= 0 && e < d->groups[g].count; e++)
                if (!add_near(d, i, d->held[d->groups[g].first + e], &count)) return false;
        }
        sort_keys(d->near + d->near_start[i], count - d->near_start[i]);
    }
    d->near_start[d->cone_count] = count;
    return true;
}

// Rows as long as their neighbours have rows.
static bool make_pattern(delassus *d)
{
    size_t all = 0;
    if (!RESERVE(d, row_start, d->row_count + 1) || !RESERVE(d, row_end, d->row_count + 1)) return false;
    for (int i = 0; i < d->cone_count; i++) {
        size_t width = 0;
        for (int e = d->near_start[i]; e < d->near_start[i + 1]; e++) width += (size_t)rows_of(d, (int)d->near[e]);
        for (int r = 0; r < rows_of(d, i); r++, all += width) {
            if (all + width > INT32_MAX) return false;
            d->row_start[first_of(d, i) + r] = d->row_end[first_of(d, i) + r] = (int)all;
        }
    }
    d->row_start[d->row_count] = (int)all;
    return RESERVE(d, row_column, all + 1) && RESERVE(d, row_value, all + 1);
}

static void append(delassus *d, int row, int column, double value)
{
    const int at = d->row_end[row]++;
    d->row_column[at] = column;
    d->row_value[at] = value;
}

// Blocks (i, j >= i) and their transposes: columns come in rising order, because blocks do.
static void fill_matrix(delassus *d)
{
    double block[36];
    for (int i = 0; i < d->cone_count; i++)
        for (int e = d->near_start[i]; e < d->near_start[i + 1]; e++) {
            const int j = (int)d->near[e], m = rows_of(d, i), n = rows_of(d, j);
            if (j < i) continue;
            entries(d, i, j, block);
            for (int r = 0; r < m; r++)
                for (int c = 0; c < n; c++)
                    append(d, first_of(d, i) + r, first_of(d, j) + c,
                           i == j && c < r ? block[n * c + r] : block[n * r + c]);
            for (int c = 0; c < n && j > i; c++)
                for (int r = 0; r < m; r++) append(d, first_of(d, j) + c, first_of(d, i) + r, block[n * r + c]);
        }
}

static const ph_cone_matrix *matrix(void *self)
{
    delassus *d = self;
    if (d->has_matrix) return &d->matrix;
    if (!d->has_all_blocks || !list_near(d) || !make_pattern(d)) return NULL;
    fill_matrix(d);
    d->matrix = (ph_cone_matrix){d->row_count, d->row_start, d->row_column, d->row_value};
    d->has_matrix = true;
    return &d->matrix;
}

ph_cone_operator delassus_operator(delassus *d)
{
    if (d->group_count == 0) d->has_all_blocks = true;
    return (ph_cone_operator){d, apply, diagonal, matrix};
}
