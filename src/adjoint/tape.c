#include "adjoint/tape.h"

#include <string.h>

size_t tape_record_size(const ph_model *model)
{
    const size_t bodies = (size_t)model->moving_count, rows = (size_t)model->row_count;
    return (sizeof(tape_head) + bodies * (sizeof(tape_node) + sizeof(ph_twist))) / sizeof(double) + 2 * rows +
           (size_t)model->input_count + (size_t)model->turn_count + (size_t)model->target_count;
}

bool tape_create(const ph_model *model, int room, arena *memory, tape *t)
{
    *t = (tape){.model = model, .record = tape_record_size(model), .room = room};
    t->data = arena_alloc_array(memory, t->record * ((size_t)room + 1), sizeof(double));
    return t->data != NULL;
}

tape_record tape_at(const tape *t, int k)
{
    const ph_model *model = t->model;
    tape_record r;
    r.head = (tape_head *)(t->data + t->record * (size_t)k);
    r.node = (tape_node *)(r.head + 1);
    r.plus = (ph_twist *)(r.node + model->moving_count);
    r.lambda = (double *)(r.plus + model->moving_count);
    r.mu = r.lambda + model->row_count;
    r.inputs = r.mu + model->row_count;
    r.turns = r.inputs + model->input_count;
    r.targets = r.turns + model->turn_count;
    return r;
}

void tape_set_motion(node *at, const tape_record *r, double time)
{
    at->motion.time = time;
    at->motion.inputs = r->inputs;
    at->motion.turns = r->turns;
    at->motion.targets = r->targets;
    at->motion.target_time = r->head->target_time;
}

void tape_clear(tape *t)
{
    t->count = t->begun = 0;
}

static void put_node(const tape *t, int k, const ph_state *state)
{
    const tape_record r = tape_at(t, k);
    r.head->time = state->time;
    r.head->index = 0.0;
    for (int i = 0; i < t->model->moving_count; i++) {
        const int b = t->model->moving[i];
        r.node[i] =
            (tape_node){state->position[b], state->orientation[b], {state->angular_velocity[b], state->velocity[b]}};
    }
}

static void put(double *to, const double *from, int count)
{
    if (count > 0) memcpy(to, from, sizeof(double) * (size_t)count);
}

// Inputs, turns and targets as the step sees them; at the last node, as whoever looks at it does.
static void put_step(const tape *t, int k, const ph_state *state)
{
    const tape_record r = tape_at(t, k);
    r.head->target_time = state->target_time;
    put(r.inputs, state->inputs, t->model->input_count);
    put(r.turns, state->turns, t->model->turn_count);
    put(r.targets, state->targets, t->model->target_count);
}

void tape_begin_step(tape *t, const ph_state *state)
{
    t->begun = t->count;
    put_node(t, t->count, state);
    put_step(t, t->count, state);
}

void tape_end_step(tape *t, const ph_state *state)
{
    tape_begin_step(t, state);
}

void tape_take_step(tape *t, double h)
{
    if (t->count >= t->room) return;
    const tape_record r = tape_at(t, t->count++);
    r.head->until = r.head->time + h;
    r.head->h = h;
    r.head->index = 0.0;
    r.head->shown = 1.0;
}

void tape_watch(void *user, const variational *s, const ph_state *state, int index, double h, double until, bool shown)
{
    tape *t = user;
    if (index == 0) t->count = t->begun; // a step that was tried before begins anew
    if (t->count >= t->room) return;
    const tape_record r = tape_at(t, t->count);
    r.head->until = until;
    r.head->h = h;
    r.head->index = index;
    r.head->shown = shown;
    for (int i = 0; i < t->model->moving_count; i++) r.plus[i] = (ph_twist){s->stage[i].omega, s->stage[i].v};
    put(r.lambda, s->lambda, t->model->row_count);
    if (shown) put(r.mu, s->phi, t->model->row_count);
    put_step(t, t->count, state);
    put_node(t, ++t->count, state);
}
