#include "adjoint/sheet.h"

#include "forces/derivative.h"

#include <string.h>

// ---- Terms ----------------------------------------------------------------------------------------------------------

static void apply_terms(const term *t, int count, const quad *x, quad *y)
{
    for (int k = 0; k < count;) {
        const int row = t[k].row;
        quad sum = y[row];
        for (; k < count && t[k].row == row; k++) sum += quad_splat(t[k].by) * x[t[k].from];
        y[row] = sum;
    }
}

// The same for two blocks: each number is read once.
static void apply_terms_twice(const term *t, int count, const quad *const x[2], quad *const y[2])
{
    const quad *x0 = x[0], *x1 = x[1];
    for (int k = 0; k < count;) {
        const int row = t[k].row;
        quad sum0 = y[0][row], sum1 = y[1][row];
        for (; k < count && t[k].row == row; k++) {
            const quad by = quad_splat(t[k].by);
            sum0 += by * x0[t[k].from];
            sum1 += by * x1[t[k].from];
        }
        y[0][row] = sum0, y[1][row] = sum1;
    }
}

static void apply(const term *t, int count, int blocks, const quad *const x[2], quad *const y[2])
{
    if (blocks == 2)
        apply_terms_twice(t, count, x, y);
    else
        apply_terms(t, count, x[0], y[0]);
}

void sheet_apply(const sheet *s, int block, int blocks, const quad *const x[2], quad *const y[2])
{
    apply(s->state, s->state_count, blocks, x, y);
    for (int k = 0; k < s->stretch_count; k++) {
        const stretch *of = &s->stretches[k];
        if (of->active[block] || of->active[block + blocks - 1]) apply(s->numbers + of->first, of->count, blocks, x, y);
    }
}

// Three numbers of a vector, from x[from] on.
static void put_vector(sheet *s, int row, int from, double scale, ph_vec3 v)
{
    sheet_put(s, row, from, scale * v.x);
    sheet_put(s, row, from + 1, scale * v.y);
    sheet_put(s, row, from + 2, scale * v.z);
}

void sheet_take(elements *all, const element *e, sheet *s, int row, double scale)
{
    const ph_model *model = all->numbers->model;
    for (int k = 0; k < e->body_count; k++) {
        const int b = e->bodies[k], q = 6 * model->bodies[b].moving, v = 6 * model->moving_count + q;
        put_vector(s, row, q, scale, all->by_q[b].torque);
        put_vector(s, row, q + 3, scale, all->by_q[b].force);
        put_vector(s, row, v, scale, all->by_v[b].torque);
        put_vector(s, row, v + 3, scale, all->by_v[b].force);
        all->by_q[b] = all->by_v[b] = (ph_wrench){ph_zero3(), ph_zero3()};
    }
    for (int k = 0; k < e->used_count; k++)
        sheet_put_number(all, s, row, e->used[k], scale * all->by_numbers[e->used[k]]);
    for (int k = 0; k < e->range_count; k++)
        memset(all->by_numbers + e->ranges[k].at, 0, sizeof(double) * (size_t)e->ranges[k].count);
}

void sheet_begin(const element *e, sheet *s)
{
    if (e->used_count > 0) s->stretches[s->stretch_count++] = (stretch){s->number_count, 0, e->active};
}

void sheet_end(const element *e, sheet *s)
{
    if (e->used_count == 0) return;
    stretch *last = &s->stretches[s->stretch_count - 1];
    last->count = s->number_count - last->first;
    if (last->count == 0) s->stretch_count--;
}

double *sheet_entry(ph_twist *w, int k)
{
    double *at[6] = {&w->omega.x, &w->omega.y, &w->omega.z, &w->v.x, &w->v.y, &w->v.z};
    return at[k];
}

// ---- Motors ---------------------------------------------------------------------------------------------------------

void sheet_add_motors(elements *all, sheet *s, const kkt *to, const motion *at, double scale, bool rate)
{
    const numbers *n = all->numbers;
    const ph_model *model = n->model;
    for (int j = 0; j < model->joint_count && model->motor_count > 0; j++) {
        const joint *joint = &model->joints[j];
        const element *e = &all->motors[j];
        if (!joint->motor) continue;
        const int row = to->joints[j].x + joint_motor_row(joint);
        sheet_begin(e, s);
        joint_motor_pull(joint, at, rate ? 0.0 : 1.0, rate ? 1.0 : 0.0, all->by_numbers + n->inputs,
                         all->by_numbers + n->motor_values[j]);
        sheet_take(all, e, s, row, -scale);
        sheet_end(e, s);
        if (joint->motor->by_speed && !rate) sheet_put(s, row, 12 * model->moving_count + joint->motor->target, -scale);
    }
}

void sheet_add_targets(elements *all, sheet *s, const motion *at)
{
    const numbers *n = all->numbers;
    for (int j = 0; j < n->model->joint_count && n->model->target_count > 0; j++) {
        const joint *joint = &n->model->joints[j];
        const element *e = &all->motors[j];
        if (!joint->motor || !joint->motor->by_speed) continue;
        sheet_begin(e, s);
        joint_motor_pull(joint, at, 1.0, 0.0, all->by_numbers + n->inputs, all->by_numbers + n->motor_values[j]);
        sheet_take(all, e, s, joint->motor->target, 1.0);
        sheet_end(e, s);
    }
}

// ---- Forces ---------------------------------------------------------------------------------------------------------

// The bodies that it pulls: its ends, and those of the parts of a tendon.
static bool is_pulled(const force *f, int body)
{
    return body == f->a || body == f->b || f->tendon;
}

// Its derivatives by the motion, all at once: blocks of six rows by six columns for each two bodies, by positions and velocities.
typedef struct blocks {
    const element *e;
    double *of;
} blocks;

static int place_of(const element *e, int body)
{
    int k = 0;
    while (k < e->body_count && e->bodies[k] != body) k++;
    return k;
}

static void add_block(void *user, int row, int column, const double *by_position, const double *by_velocity)
{
    const blocks *b = user;
    const int r = place_of(b->e, row), c = place_of(b->e, column), count = b->e->body_count;
    if (r == count || c == count) return;
    double *to = b->of + 72 * (r * count + c);
    for (int i = 0; i < 36 && by_position; i++) to[i] += by_position[i];
    for (int i = 0; i < 36 && by_velocity; i++) to[36 + i] += by_velocity[i];
}

static void put_blocks(const elements *all, sheet *s, const kkt *rows, double scale, const blocks *b, bool velocities)
{
    const ph_model *model = all->numbers->model;
    const int count = b->e->body_count, moving = model->moving_count;
    for (int i = 0; i < 6 * count; i++) {
        const int row = rows->body_x[model->bodies[b->e->bodies[i / 6]].moving] + i % 6;
        for (int c = 0; c < count; c++) {
            const int q = 6 * model->bodies[b->e->bodies[c]].moving;
            const double *by = b->of + 72 * (i / 6 * count + c) + 6 * (i % 6);
            for (int k = 0; k < 6; k++) sheet_put(s, row, q + k, scale * by[k]);
            for (int k = 0; k < 6 && velocities; k++) sheet_put(s, row, 6 * moving + q + k, scale * by[36 + k]);
        }
    }
}

static void derive_force(const elements *all, sheet *s, const kkt *rows, const motion *at, double scale, const force *f,
                         const element *e, bool velocities)
{
    blocks b = {e, all->blocks_of_force};
    const bool by_velocity = velocities && f->needs_velocity;
    derivative to = {.position = true, .velocity = by_velocity, .central = true, .add = add_block, .user = &b};
    memset(b.of, 0, sizeof(double) * 72 * (size_t)e->body_count * (size_t)e->body_count);
    f->type->derive(f, at, &to);
    put_blocks(all, s, rows, scale, &b, by_velocity);
}

// A row at a time, where numbers of it change too.
static void pull_force(elements *all, sheet *s, const kkt *rows, const motion *at, double scale, int index,
                       bool velocities)
{
    const numbers *n = all->numbers;
    const force *f = &n->model->forces[index];
    const element *e = &all->forces[index];
    const force_pull_to to = {.q = all->by_q,
                              .v = velocities ? all->by_v : NULL,
                              .inputs = all->by_numbers + n->inputs,
                              .joints = {NULL, numbers_joints(n, all->by_numbers), n->model->joints},
                              .own = &numbers_forces(n, all->by_numbers)[index],
                              .mass_b = numbers_mass(n, all->by_numbers, f->b),
                              .matrices = n->matrices[index] < 0 ? NULL : all->by_numbers + n->matrices[index],
                              .values = n->values[index] < 0 ? NULL : all->by_numbers + n->values[index]};
    sheet_begin(e, s);
    for (int i = 0; i < 6 * e->body_count; i++) {
        const int body = e->bodies[i / 6];
        if (!is_pulled(f, body)) continue;
        *sheet_entry(&all->unit[body], i % 6) = 1.0;
        force_pull(f, at, all->unit, 1.0, &to);
        *sheet_entry(&all->unit[body], i % 6) = 0.0;
        sheet_take(all, e, s, rows->body_x[n->model->bodies[body].moving] + i % 6, scale);
    }
    sheet_end(e, s);
}

void sheet_add_forces(elements *all, sheet *s, const kkt *to, const motion *at, double scale, bool velocities)
{
    for (int k = 0; k < all->numbers->model->force_count; k++) {
        const element *e = &all->forces[k];
        if (e->used_count > 0)
            pull_force(all, s, to, at, scale, k, velocities);
        else
            derive_force(all, s, to, at, scale, &all->numbers->model->forces[k], e, velocities);
    }
}
