// What joints, motors and forces depend on: bodies, and numbers of the model that tangents change (sheet.h).
#include "adjoint/sheet.h"

#include <stddef.h>
#include <string.h>

typedef struct collector { // with room for all there are
    int *bodies, body_count;
    range *ranges;
    int range_count;
} collector;

static bool collector_create(const ph_model *model, arena *memory, collector *c)
{
    const size_t most = model_places(model) + (size_t)model->joint_count + 3 * (size_t)model->force_count + 4;
    *c = (collector){.bodies = arena_alloc_array(memory, model_places(model), sizeof(int)),
                     .ranges = arena_alloc_array(memory, most, sizeof(range))};
    return c->bodies && c->ranges;
}

static collector *begin(collector *c)
{
    c->body_count = c->range_count = 0;
    return c;
}

static void add_body(collector *c, const numbers *n, int body)
{
    if (n->model->bodies[body].moving < 0) return;
    for (int k = 0; k < c->body_count; k++)
        if (c->bodies[k] == body) return;
    c->bodies[c->body_count++] = body;
}

static void add_range(collector *c, int at, size_t count)
{
    for (int k = 0; k < c->range_count; k++)
        if (c->ranges[k].at == at) return;
    if (at >= 0 && count > 0) c->ranges[c->range_count++] = (range){at, (int)count};
}

static void add_joint(collector *c, const numbers *n, const joint *j)
{
    const size_t size = sizeof(joint_gradient) / sizeof(double);
    add_body(c, n, j->a);
    add_body(c, n, j->b);
    add_range(c, n->joints + (int)((size_t)(j - n->model->joints) * size), size);
}

static void add_inputs(collector *c, const numbers *n)
{
    add_range(c, n->inputs, (size_t)n->model->input_count);
}

// What looks at a coordinate that only turns does not see where the frames are.
static void add_coordinates(collector *c, const numbers *n, const joint *j)
{
    const int size = (int)(sizeof(joint_gradient) / sizeof(double));
    bool turns = j->coordinate_count > 0;
    for (int k = 0; k < j->coordinate_count; k++)
        turns = turns && (j->coordinates[k].kind == COORDINATE_TURN || j->coordinates[k].kind == COORDINATE_CARDAN_A ||
                          j->coordinates[k].kind == COORDINATE_CARDAN_B);
    const int skip = turns ? (int)(offsetof(joint_gradient, e_a) / sizeof(double)) : 0;
    add_body(c, n, j->a);
    add_body(c, n, j->b);
    add_range(c, n->joints + (int)(j - n->model->joints) * size + skip, (size_t)(size - skip));
}

static void add_values(collector *c, const numbers *n, const value *values, int count)
{
    for (int k = 0; k < count; k++)
        for (int i = 0; i < values[k].variable_count; i++)
            if (values[k].variables[i].joint) add_coordinates(c, n, values[k].variables[i].joint);
}

static void look_at_joint(collector *c, const numbers *n, int index)
{
    const joint *j = &n->model->joints[index];
    for (int k = 0; k < j->body_count; k++) add_body(c, n, j->bodies[k]);
    if (!j->gear) add_joint(c, n, j);
    for (int k = 0; k < 2 && j->gear; k++) add_joint(c, n, j->gear->joints[k]);
    const size_t size = sizeof(joint_gradient) / sizeof(double);
    add_range(c, n->joints + (int)((size_t)index * size), size);
}

// What a tendon pulls with depends on all of its parts, which follow each other among the forces.
static void add_tendon(collector *c, const numbers *n, int first, const tendon *t)
{
    const size_t size = sizeof(force_gradient) / sizeof(double);
    for (int k = 0; k < t->part_count; k++) {
        add_range(c, n->forces + (int)((size_t)(first + k) * size), size);
        if (t->parts[k].joint) add_coordinates(c, n, t->parts[k].joint);
    }
}

static void look_at_force(collector *c, const numbers *n, int index)
{
    const force *f = &n->model->forces[index];
    const size_t size = sizeof(force_gradient) / sizeof(double);
    int values = 0;
    add_body(c, n, f->a);
    add_body(c, n, f->b);
    for (int k = 0; k < f->other_count; k++) add_body(c, n, f->others[k]);
    add_range(c, n->forces + (int)((size_t)index * size), size);
    add_range(c, n->matrices[index], 72);
    for (int k = 0; k < f->value_count; k++) values += value_numbers(&f->values[k], NULL);
    add_range(c, n->values[index], (size_t)values);
    add_inputs(c, n);
    if (f->joint) add_coordinates(c, n, f->joint);
    if (f->tendon) add_tendon(c, n, index - f->part, f->tendon);
    if (f->type->by_mass && n->model->bodies[f->b].moving >= 0) add_range(c, numbers_mass_at(n, f->b), 1);
    add_values(c, n, f->values, f->value_count);
}

// Does some tangent of the block, or of all where it is negative, change the number?
static bool changes(const elements *all, int number, int block)
{
    const int first = block < 0 ? 0 : QUAD * block, end = block < 0 ? all->columns : first + QUAD;
    const bool is_input = number >= all->numbers->inputs &&
                          number < all->numbers->inputs + all->numbers->model->input_count && all->inputs_given;
    for (int c = first; c < end && c < all->columns && all->directions && !is_input; c++)
        if (all->directions[c][number] != 0.0) return true;
    return false;
}

static void use(elements *all, element *e, int number)
{
    if (!changes(all, number, -1)) return;
    if (all->slot[number] < 0) {
        all->slot[number] = all->used_count;
        all->used[all->used_count++] = number;
    }
    for (int k = 0; k < all->blocks; k++) e->active[k] = e->active[k] || changes(all, number, k);
    e->used[e->used_count++] = number;
}

static bool keep(elements *all, const collector *c, arena *memory, element *e)
{
    size_t most = 1;
    for (int k = 0; k < c->range_count; k++) most += (size_t)c->ranges[k].count;
    e->body_count = c->body_count;
    e->range_count = c->range_count;
    e->bodies = arena_alloc_array(memory, (size_t)c->body_count + 1, sizeof(int));
    e->ranges = arena_alloc_array(memory, (size_t)c->range_count + 1, sizeof(range));
    e->used = arena_alloc_array(memory, most, sizeof(int));
    e->active = arena_alloc_array(memory, (size_t)all->blocks + 1, sizeof(bool));
    if (!e->bodies || !e->ranges || !e->used || !e->active) return false;
    memcpy(e->bodies, c->bodies, sizeof(int) * (size_t)c->body_count);
    memcpy(e->ranges, c->ranges, sizeof(range) * (size_t)c->range_count);
    for (int k = 0; k < c->range_count; k++)
        for (int i = 0; i < c->ranges[k].count; i++) use(all, e, c->ranges[k].at + i);
    return true;
}

static bool goes_by_frames(const numbers *n, int index, const element *e)
{
    const joint *j = &n->model->joints[index];
    const int first = n->joints + index * (int)(sizeof(joint_gradient) / sizeof(double));
    bool goes = !j->gear && j->rotor_rows == 0 && (j->kind_count == 0 || j->rows[0].kind != ROW_CHAIN);
    for (int k = 0; k < e->used_count && goes; k++) {
        const int which = (e->used[k] - first) / 3; // s_a, s_b, e_a, e_b
        goes = e->used[k] >= first && which < 4 && (which % 2 ? j->slot_b : j->slot_a) >= 0;
    }
    return goes;
}

static bool look(elements *all, arena *memory)
{
    const numbers *n = all->numbers;
    collector c;
    bool ok = collector_create(n->model, memory, &c);
    for (int j = 0; j < n->model->joint_count && ok; j++) {
        const joint_motor *motor = n->model->joints[j].motor;
        look_at_joint(begin(&c), n, j);
        ok = keep(all, &c, memory, &all->joints[j]);
        begin(&c);
        if (motor) add_range(&c, n->motor_values[j], (size_t)value_numbers(motor->value, NULL)), add_inputs(&c, n);
        ok = ok && keep(all, &c, memory, &all->motors[j]);
        if (ok) all->joints[j].by_frames = goes_by_frames(n, j, &all->joints[j]);
    }
    for (int k = 0; k < n->model->force_count && ok; k++) {
        look_at_force(begin(&c), n, k);
        ok = keep(all, &c, memory, &all->forces[k]);
    }
    return ok;
}

bool elements_create(const numbers *n, int columns, const double **directions, bool inputs_given, arena *memory,
                     elements *e)
{
    const ph_model *model = n->model;
    const size_t places = model_places(model);
    *e = (elements){.numbers = n,
                    .columns = columns,
                    .blocks = (columns + QUAD - 1) / QUAD,
                    .directions = directions,
                    .inputs_given = inputs_given};
    e->first_slot = 12 * model->moving_count + model->target_count;
    e->joints = arena_alloc_array(memory, (size_t)model->joint_count + 1, sizeof(element));
    e->motors = arena_alloc_array(memory, (size_t)model->joint_count + 1, sizeof(element));
    e->forces = arena_alloc_array(memory, (size_t)model->force_count + 1, sizeof(element));
    e->slot = arena_alloc_array(memory, (size_t)n->count + 1, sizeof(int));
    e->used = arena_alloc_array(memory, (size_t)n->count + 1, sizeof(int));
    e->by_q = arena_alloc_array(memory, places, sizeof(ph_wrench));
    e->by_v = arena_alloc_array(memory, places, sizeof(ph_wrench));
    e->by_numbers = arena_alloc_array(memory, (size_t)n->count, sizeof(double));
    e->unit = arena_alloc_array(memory, places, sizeof(ph_twist));
    if (!e->joints || !e->motors || !e->forces || !e->slot || !e->used || !e->by_q || !e->by_v || !e->by_numbers ||
        !e->unit)
        return false;
    for (int k = 0; k < n->count; k++) e->slot[k] = -1;
    if (!look(e, memory)) return false;
    size_t most = 1;
    for (int k = 0; k < model->force_count; k++)
        if ((size_t)e->forces[k].body_count > most) most = (size_t)e->forces[k].body_count;
    e->blocks_of_force = arena_alloc_array(memory, 72 * most * most, sizeof(double));
    return e->blocks_of_force;
}

static void count_terms(const element *e, size_t rows, size_t *state, size_t *numbers)
{
    *state += rows * (12 * (size_t)e->body_count + 1);
    *numbers += rows * (size_t)e->used_count;
}

bool sheet_create(const elements *e, arena *memory, sheet *s)
{
    const ph_model *model = e->numbers->model;
    size_t state = 1, number = 1;
    for (int j = 0; j < model->joint_count; j++) {
        count_terms(&e->joints[j], (size_t)(6 * model->joints[j].body_count + model->joints[j].row_count), &state,
                    &number);
        count_terms(&e->motors[j], 1, &state, &number);
    }
    for (int k = 0; k < model->force_count; k++)
        count_terms(&e->forces[k], 6 * (size_t)e->forces[k].body_count, &state, &number);
    *s = (sheet){0};
    s->state = arena_alloc_array(memory, state, sizeof(term));
    s->numbers = arena_alloc_array(memory, number, sizeof(term));
    s->stretches =
        arena_alloc_array(memory, 3 * ((size_t)model->joint_count + (size_t)model->force_count) + 1, sizeof(stretch));
    return s->state && s->numbers && s->stretches;
}
