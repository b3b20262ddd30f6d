#include "adjoint/contact_tape.h"

#include <string.h>

void contact_tape_destroy(contact_tape *t)
{
    if (!t->model) return;
    void *arrays[] = {t->parts, t->bodies, t->items, t->stops, t->first_part};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) mem_free(&t->model->allocator, arrays[k]);
}

void contact_tape_clear(contact_tape *t)
{
    t->part_count = t->body_count = t->item_count = t->stop_count = t->step_count = 0;
}

static bool reserve(contact_tape *t, void *array, int *room, int count, size_t size)
{
    const bool ok = mem_reserve(&t->model->allocator, array, room, count + 1, size);
    t->out_of_memory = t->out_of_memory || !ok;
    return ok;
}

void contact_tape_begin_step(contact_tape *t)
{
    if (!reserve(t, &t->first_part, &t->step_room, t->step_count, sizeof *t->first_part)) return;
    t->first_part[t->step_count++] = t->part_count;
}

int contact_tape_last_part(const contact_tape *t, int step)
{
    return (step + 1 < t->step_count ? t->first_part[step + 1] : t->part_count) - 1;
}

static void put_bodies(contact_tape *t, const moreau *m)
{
    const ph_state *state = m->now.state;
    for (int k = 0; k < t->model->moving_count; k++) {
        const int b = t->model->moving[k];
        t->bodies[t->body_count++] = (contact_body){
            .node = {state->position[b], state->orientation[b], {state->angular_velocity[b], state->velocity[b]}},
            .flies = m->flight.flies[k],
            .tau = m->flight.flies[k] && m->flight.tau ? m->flight.tau[k] : 0.0};
    }
}

static void put_items(contact_tape *t, const moreau *m)
{
    for (int i = 0; i < m->delassus.contact_count; i++) {
        const contact_rows *rows = &m->delassus.contacts[i];
        contact_item *it = &t->items[t->item_count++];
        *it = (contact_item){.at = contacts_at(contacts_of(m), i), .bounces = m->flight.bounces[i], .scale = 1.0};
        memcpy(it->g, m->rows.g + rows->first, sizeof(double) * (size_t)rows->count);
        if (!it->bounces) continue;
        it->tau = m->rebounds.tau[i], it->pull = m->rebounds.pull[i];
        it->scale = moreau_restitution(m, i, 1.0);
    }
    for (int i = 0; i < m->delassus.stop_count; i++) t->stops[t->stop_count++] = m->rows.g[m->delassus.stops[i].first];
}

void contact_tape_watch(void *user, const moreau *m)
{
    contact_tape *t = user;
    const int moving = t->model->moving_count, items = m->delassus.contact_count, stops = m->delassus.stop_count;
    if (!reserve(t, &t->parts, &t->part_room, t->part_count, sizeof *t->parts) ||
        !reserve(t, &t->bodies, &t->body_room, t->body_count + moving, sizeof *t->bodies) ||
        !reserve(t, &t->items, &t->item_room, t->item_count + items, sizeof *t->items) ||
        !reserve(t, &t->stops, &t->stop_room, t->stop_count + stops, sizeof *t->stops))
        return;
    t->parts[t->part_count++] = (contact_part){.time = m->now.state->time,
                                               .h = m->now.h,
                                               .undo = undo_time(m),
                                               .bodies = t->body_count,
                                               .items = t->item_count,
                                               .stops = t->stop_count,
                                               .item_count = items,
                                               .stop_count = stops,
                                               .fixed = m->ahead.passes > 0 || m->rebounds.scaled};
    put_bodies(t, m);
    put_items(t, m);
}
