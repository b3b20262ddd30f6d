// Rows of contacts and stops, and products with the operator. See delassus.h.
#include "contact/delassus_parts.h"

#include "contact/delassus_trees.h"
#include "joints/geometry.h"
#include "math/mat3.h"
#include "model/inertia.h"

#include <string.h>

// ---- Creation -------------------------------------------------------------------------------------------------------

bool delassus_create(const ph_model *model, kkt *kkt, const node *node, arena *memory, delassus *d)
{
    const size_t n = (size_t)model->moving_count, x = (size_t)kkt->lu.x_count, joined = model->joint_count ? n : 0;
    *d = (delassus){.model = model, .kkt = kkt, .node = node, .memory = memory};
    d->inverse_mass = arena_alloc_array(memory, n, sizeof *d->inverse_mass);
    d->joined.group = arena_alloc_array(memory, joined, sizeof *d->joined.group);
    d->joined.groups = arena_alloc_array(memory, joined, sizeof *d->joined.groups);
    d->joined.held = arena_alloc_array(memory, joined, sizeof *d->joined.held);
    d->joined.held_at = arena_alloc_array(memory, joined, sizeof *d->joined.held_at);
    d->joined.rhs = arena_alloc_array(memory, x, sizeof *d->joined.rhs);
    d->joined.sum = arena_alloc_array(memory, x, sizeof *d->joined.sum);
    if (!d->inverse_mass || !d->joined.group || !d->joined.groups || !d->joined.held || !d->joined.held_at ||
        !d->joined.rhs || !d->joined.sum)
        return false;
    delassus_find_groups(model, d);
    return true;
}

void delassus_destroy(delassus *d)
{
    if (!d->model) return;
    void *blocks[] = {
        d->contacts,         d->stops,         d->cones,      d->item_of,          d->uses,       d->loads,
        d->use_start,        d->joined.blocks, d->old,        d->wrench,           d->twist,      d->whole.row_start,
        d->whole.row_column, d->whole.row_end, d->whole.mark, d->whole.near_start, d->whole.near, d->whole.row_value,
        d->inverse_inertia};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) mem_free(&d->model->allocator, blocks[k]);
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

void delassus_begin(delassus *d)
{
    d->contact_count = d->stop_count = d->cone_count = d->row_count = 0;
    d->whole.has_matrix = false;
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

static double free_scale(const ph_model *model, int moving, ph_vec3 arm)
{
    if (moving < 0) return 0.0;
    const body_kind *kind = model->bodies[model->moving[moving]].kind;
    return 1.0 / kind->mass + ph_norm2(arm) / ph_trace(kind->J);
}

double contact_free_scale(const ph_model *model, const contact_rows *c)
{
    return free_scale(model, c->a, c->arm_a) + free_scale(model, c->b, c->arm_b);
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

// Where joints leave no motion along the normal, as those that roll do where they touch, rounding is all that there is of
// the rows of a contact: no impulse can do anything, and none is to be looked for.
static void clear_immovable(delassus *d)
{
    const double least = 1e-14;
    for (int i = 0; i < d->contact_count; i++) {
        contact_rows *c = &d->contacts[i];
        double block[CONTACT_ROWS_MAX * CONTACT_ROWS_MAX];
        delassus_diagonal(d, c->first, c->count, block);
        if (block[0] > least * contact_free_scale(d->model, c)) continue;
        for (int k = 0; k < 3; k++) c->axes[k] = ph_zero3();
    }
}

bool delassus_end(delassus *d)
{
    if (!delassus_reserve_bodies(d)) return false;
    delassus_set_bodies(d, 0, d->model->moving_count);
    if (!RESERVE(d, wrench, d->model->moving_count) || !RESERVE(d, twist, d->model->moving_count)) return false;
    if (!RESERVE(d, old, d->contact_count + 1) || !list_uses(d) || !RESERVE(d, loads, d->contact_count + 1))
        return false;
    if (d->trees) return delassus_trees_rows(d->trees, d, d->node->frames);
    if (d->joined.group_count == 0) return true;
    if (!delassus_make_blocks(d)) return false;
    clear_immovable(d);
    return true;
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

static void apply(void *self, const double *x, double *y)
{
    delassus *d = self;
    if (d->trees) {
        delassus_trees_apply(d->trees, x, y);
        return;
    }
    delassus_gather(d, x, d->wrench);
    for (int k = 0; k < d->model->moving_count; k++)
        if (delassus_group(d, k) < 0)
            d->twist[k] = (screw){ph_mul(d->inverse_inertia[k], d->wrench[k].angular),
                                  ph_scale(d->inverse_mass[k], d->wrench[k].linear)};
    if (d->joined.group_count > 0) delassus_solve_joined(d);
    delassus_velocities(d, d->twist, y);
    for (int i = 0; i < d->contact_count; i++)
        y[d->contacts[i].first] += d->contacts[i].softness * x[d->contacts[i].first];
}

ph_cone_operator delassus_operator(delassus *d)
{
    if (d->trees) return (ph_cone_operator){d, apply, NULL, NULL};
    if (d->joined.group_count == 0) d->joined.has_all_blocks = true;
    return (ph_cone_operator){d, apply, delassus_diagonal, delassus_matrix};
}
