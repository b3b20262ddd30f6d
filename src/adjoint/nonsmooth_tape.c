#include "adjoint/nonsmooth_tape.h"

#include <math.h>
#include <string.h>

void nonsmooth_tape_destroy(nonsmooth_tape *t)
{
    if (!t->model) return;
    void *arrays[] = {t->parts, t->nodes, t->numbers, t->items, t->first_part};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) mem_free(&t->model->allocator, arrays[k]);
}

void nonsmooth_tape_clear(nonsmooth_tape *t)
{
    t->part_count = t->node_count = t->number_count = t->item_count = t->step_count = 0;
}

static bool reserve(nonsmooth_tape *t, void *array, int *room, int count, size_t size)
{
    const bool ok = mem_reserve(&t->model->allocator, array, room, count + 1, size);
    t->out_of_memory = t->out_of_memory || !ok;
    return ok;
}

void nonsmooth_tape_begin_step(nonsmooth_tape *t)
{
    if (!reserve(t, &t->first_part, &t->step_room, t->step_count, sizeof *t->first_part)) return;
    t->first_part[t->step_count++] = t->part_count;
}

int nonsmooth_tape_last_part(const nonsmooth_tape *t, int step)
{
    return (step + 1 < t->step_count ? t->first_part[step + 1] : t->part_count) - 1;
}

// ---- A part ---------------------------------------------------------------------------------------------------------

static nonsmooth_part *add_part(nonsmooth_tape *t, const ph_state *state, int items)
{
    const ph_model *model = t->model;
    const int moving = model->moving_count, numbers = 2 * model->row_count + model->turn_count;
    if (!reserve(t, &t->parts, &t->part_room, t->part_count, sizeof *t->parts) ||
        !reserve(t, &t->nodes, &t->node_room, t->node_count + 2 * moving, sizeof *t->nodes) ||
        !reserve(t, &t->numbers, &t->number_room, t->number_count + numbers, sizeof *t->numbers) ||
        !reserve(t, &t->items, &t->item_room, t->item_count + items, sizeof *t->items))
        return NULL;
    nonsmooth_part *p = &t->parts[t->part_count++];
    *p = (nonsmooth_part){.time = state->time, .nodes = t->node_count, .numbers = t->number_count, .event = NO_STAGES};
    for (int k = 0; k < moving; k++) {
        const int b = model->moving[k];
        t->nodes[p->nodes + k] =
            (tape_node){state->position[b], state->orientation[b], {state->angular_velocity[b], state->velocity[b]}};
    }
    memset(t->numbers + p->numbers, 0, sizeof(double) * (size_t)numbers);
    if (model->turn_count > 0)
        memcpy(t->numbers + p->numbers + 2 * model->row_count, state->turns,
               sizeof(double) * (size_t)model->turn_count);
    t->node_count += 2 * moving;
    t->number_count += numbers;
    return p;
}

static nonsmooth_list add_items(nonsmooth_tape *t, const side *side, const double *g)
{
    const delassus *rows = &side->rows;
    const nonsmooth_list list = {t->item_count, rows->contact_count, rows->stop_count};
    for (int i = 0; i < rows->contact_count; i++) {
        nonsmooth_item *it = &t->items[t->item_count++];
        *it = (nonsmooth_item){.contact = {.at = side->detector->found.list[side->of[i]], .scale = 1.0}, .other = -1};
        memcpy(it->contact.g, g + rows->contacts[i].first, sizeof(double) * (size_t)rows->contacts[i].count);
    }
    for (int i = 0; i < rows->stop_count; i++) {
        nonsmooth_item *it = &t->items[t->item_count++];
        *it = (nonsmooth_item){.joint = rows->stops[i].joint, .kind = rows->stops[i].kind, .other = -1};
        it->contact.g[0] = g[rows->stops[i].first];
    }
    return list;
}

// Where the contacts of the beginning are at the end, and which of those at the end they are.
static void join(nonsmooth_tape *t, const nonsmooth *s, const nonsmooth_part *p)
{
    for (int i = 0; i < p->here.contacts; i++) {
        nonsmooth_item *it = &t->items[p->here.first + i];
        const int ahead = s->ahead[s->here.of[i]];
        it->has_ahead = ahead >= 0;
        if (it->has_ahead) it->ahead = s->there.detector->found.list[ahead];
    }
    for (int i = 0; i < p->there.contacts; i++) {
        const int before = s->before[s->there.of[i]];
        t->items[p->there.first + i].other = before >= 0 ? s->here.row[before] : -1;
    }
    for (int i = 0; i < p->there.stops; i++) {
        nonsmooth_item *it = &t->items[p->there.first + p->there.contacts + i];
        for (int k = 0; k < p->here.stops; k++) {
            const nonsmooth_item *of = &t->items[p->here.first + p->here.contacts + k];
            if (of->joint == it->joint && of->kind == it->kind) it->other = p->here.contacts + k;
        }
    }
}

static void put_extra(nonsmooth_tape *t, const side *side, const nonsmooth_list *list, const double *g)
{
    for (int i = 0, r = 0; i < list->contacts + list->stops; i++) {
        nonsmooth_item *it = &t->items[list->first + i];
        const int rows = i < list->contacts ? side->rows.contacts[i].count : 1;
        memcpy(it->extra, g + r, sizeof(double) * (size_t)rows);
        r += rows;
    }
}

static void take_laws(nonsmooth_part *p, const nonsmooth *s)
{
    p->length = s->length;
    p->next_most = s->next_most;
    p->fixed_length = s->fixed_length;
}

// Before the new state is left: there.g is P - P_1, next is P.
static void take_stages(nonsmooth_tape *t, const nonsmooth *s, const ph_state *state, double h)
{
    const delassus *here = &s->here.rows, *there = &s->there.rows;
    const int items = here->contact_count + here->stop_count + there->contact_count + there->stop_count;
    nonsmooth_part *p = add_part(t, state, items);
    if (!p) return;
    const int rows = t->model->row_count;
    p->h = h;
    p->recovers = s->recovers;
    take_laws(p, s);
    for (int k = 0; k < t->model->moving_count; k++)
        t->nodes[p->nodes + t->model->moving_count + k].v =
            (ph_twist){s->stages->stage[k].omega, s->stages->stage[k].v};
    if (rows > 0) memcpy(t->numbers + p->numbers, s->stages->lambda, sizeof(double) * (size_t)rows);
    if (rows > 0) memcpy(t->numbers + p->numbers + rows, s->stages->phi, sizeof(double) * (size_t)rows);
    p->here = add_items(t, &s->here, s->here.g);
    p->there = add_items(t, &s->there, s->next);
    put_extra(t, &s->there, &p->there, s->there.g);
    join(t, s, p);
}

// Which contact of an impact it is whose gap ended the stages; of its pair the nearest where features have changed.
static int find_event(const nonsmooth_tape *t, const nonsmooth *s, const nonsmooth_part *p)
{
    const detected *closing = &s->closing;
    int found = UNKNOWN_EVENT;
    double least = (double)INFINITY;
    for (int i = 0; i < p->here.contacts; i++) {
        const detected *at = &t->items[p->here.first + i].contact.at;
        if (at->shape_a != closing->shape_a || at->shape_b != closing->shape_b) continue;
        const double off = at->feature == closing->feature ? -1.0 : fabs(at->gap);
        if (off < least) found = i, least = off;
    }
    return found;
}

// Before the jump. What is slower than `slow` does not rebound.
static void take_impact(nonsmooth_tape *t, const nonsmooth *s, const ph_state *state, double slow)
{
    const delassus *rows = &s->here.rows;
    nonsmooth_part *p = add_part(t, state, rows->contact_count + rows->stop_count);
    if (!p) return;
    const bool ends_stages = t->part_count - 1 > t->kept[0]; // else it is where the part begins
    p->impact = true;
    p->here = add_items(t, &s->here, s->here.g);
    put_extra(t, &s->here, &p->here, s->next);
    p->newton = s->part;
    for (int i = 0; i < p->here.contacts; i++) {
        contact_item *it = &t->items[p->here.first + i].contact;
        it->bounces = s->before_impact[rows->contacts[i].first] < -slow;
    }
    if (ends_stages) {
        p->event = find_event(t, s, p);
        p->fixed_length = s->closing_guessed;
    } else {
        take_laws(p, s);
    }
}

void nonsmooth_tape_watch(void *user, const nonsmooth *s, nonsmooth_news news, const ph_state *state, double h)
{
    nonsmooth_tape *t = user;
    int *counts[4] = {&t->part_count, &t->node_count, &t->number_count, &t->item_count};
    for (int k = 0; k < 4 && news == NONSMOOTH_KEEPS; k++) t->kept[k] = *counts[k];
    for (int k = 0; k < 4 && news == NONSMOOTH_TRIES; k++) *counts[k] = t->kept[k];
    if (news == NONSMOOTH_STAGED) take_stages(t, s, state, h);
    if (news == NONSMOOTH_STRIKES) take_impact(t, s, state, h);
}
