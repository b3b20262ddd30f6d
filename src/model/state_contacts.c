// Contacts in the state.
//
// Heaps of balls have two or three contacts for each of them, and 128 bytes are much to keep for what two centres tell: of
// contacts between balls the state has the bodies and the impulse, and where all bodies were when the step began. Whoever
// goes through the contacts makes each when it comes (state_contact); ph_state_contacts, which shows all at once, makes them
// in memory that it takes when it is first asked.
#include "model/balls.h"
#include "model/state.h"
#include "polhode/sim.h"

#include "base/thread.h"
#include <stdatomic.h>
#include <string.h>

struct state_view {
    thread_lock lock;
    atomic_bool filled; // set under the lock
    ph_contact *contacts;
    int capacity;
};

// ---- Room -----------------------------------------------------------------------------------------------------------

bool state_reserve_contacts(ph_state *state, int count)
{
    return mem_reserve_counted(&state->model->allocator, &state->contacts, &state->contact_capacity, count,
                               sizeof *state->contacts, &state->growths);
}

// Floats that hold `count` impulses.
static size_t impulse_floats(int count, bool single)
{
    return (size_t)count * (single ? 3 : sizeof(ph_vec3) / sizeof(float));
}

bool state_reserve_balls(ph_state *state, int count, bool single)
{
    const ph_allocator *allocator = &state->model->allocator;
    const size_t bodies = (size_t)state->model->body_count + 1;
    if (count == 0) return true;
    if (!state->ball_place) {
        state->growths++;
        state->ball_place = mem_alloc_array(allocator, bodies, sizeof *state->ball_place);
    }
    const size_t floats = impulse_floats(count, single);
    ball_impulses *to = &state->ball_impulses;
    return state->ball_place && floats <= INT32_MAX &&
           mem_reserve_counted(allocator, &to->numbers, &to->room, (int)floats, sizeof *to->numbers, &state->growths) &&
           mem_reserve_counted(allocator, &state->balls, &state->ball_capacity, count, sizeof *state->balls,
                               &state->growths);
}

void state_set_contacts(ph_state *state, int contacts, int balls)
{
    state->contact_count = contacts;
    state->ball_count = balls;
    atomic_store(&state->view->filled, false);
}

ph_status state_copy_contacts(ph_state *to, const ph_state *from)
{
    const size_t contacts = (size_t)from->contact_count, balls = (size_t)from->ball_count;
    const size_t bodies = (size_t)to->model->body_count + 1;
    if (!state_reserve_contacts(to, from->contact_count) ||
        !state_reserve_balls(to, from->ball_count, from->ball_impulses.single))
        return PH_OUT_OF_MEMORY;
    if (contacts > 0) memcpy(to->contacts, from->contacts, contacts * sizeof *to->contacts);
    if (balls > 0) {
        memcpy(to->balls, from->balls, balls * sizeof *to->balls);
        memcpy(to->ball_place, from->ball_place, bodies * sizeof *to->ball_place);
        memcpy(to->ball_impulses.numbers, from->ball_impulses.numbers,
               sizeof(float) * impulse_floats(from->ball_count, from->ball_impulses.single));
    }
    state_set_contacts(to, from->contact_count, from->ball_count);
    return PH_OK;
}

void state_free_contacts(ph_state *state)
{
    void *arrays[] = {state->contacts, state->balls, state->ball_impulses.numbers, state->ball_place};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) mem_free(&state->model->allocator, arrays[k]);
    state_view_destroy(state->view, &state->model->allocator);
}

// ---- Contacts between balls -----------------------------------------------------------------------------------------

// The one of its shapes that is a ball and touches.
static int ball_of(const body *b)
{
    for (int k = 0; k < b->kind->shape_count; k++)
        if (b->kind->shapes[k].collide && strcmp(b->kind->shapes[k].type, "sphere") == 0) return k;
    return 0;
}

static ph_contact contact_of_balls(const ph_state *state, int k)
{
    const ball_contact *it = &state->balls[k];
    const body *a = &state->model->bodies[it->body_a], *b = &state->model->bodies[it->body_b];
    const int shape_a = ball_of(a), shape_b = ball_of(b);
    const ball p = {state->ball_place[it->body_a], a->kind->shapes[shape_a].radius};
    const ball q = {state->ball_place[it->body_b], b->kind->shapes[shape_b].radius};
    const double distance = balls_distance(&p, &q);
    const ph_vec3 normal = balls_normal(&p, &q, balls_inverse(distance));
    return (ph_contact){.body_a = it->body_a,
                        .body_b = it->body_b,
                        .shape_a = shape_a,
                        .shape_b = shape_b,
                        .point = balls_point(&p, a->moving >= 0, &q, b->moving >= 0, normal),
                        .normal = normal,
                        .force = ball_force(&state->ball_impulses, k),
                        .gap = balls_gap(&p, &q, distance)};
}

ph_contact state_contact(const ph_state *state, int k)
{
    return k < state->contact_count ? state->contacts[k] : contact_of_balls(state, k - state->contact_count);
}

// ---- All at once ----------------------------------------------------------------------------------------------------

state_view *state_view_create(const ph_allocator *allocator)
{
    state_view *view = mem_alloc(allocator, sizeof *view);
    if (view) lock_init(&view->lock);
    return view;
}

void state_view_destroy(state_view *view, const ph_allocator *allocator)
{
    if (!view) return;
    lock_destroy(&view->lock);
    mem_free(allocator, view->contacts);
    mem_free(allocator, view);
}

static bool fill_view(const ph_state *state, state_view *view)
{
    const int count = state_contact_count(state);
    if (!mem_reserve(&state->model->allocator, &view->contacts, &view->capacity, count, sizeof *view->contacts))
        return false;
    for (int k = 0; k < count; k++) view->contacts[k] = state_contact(state, k);
    return true;
}

// Several threads may read a state at once: the first that asks fills the view, the others wait for it.
static const ph_contact *view_of(const ph_state *state)
{
    state_view *view = state->view;
    if (atomic_load(&view->filled)) return view->contacts;
    lock_take(&view->lock);
    const bool filled = atomic_load(&view->filled) || fill_view(state, view);
    atomic_store(&view->filled, filled);
    lock_leave(&view->lock);
    return filled ? view->contacts : NULL;
}

const char *ph_state_contact_solver(const ph_state *state)
{
    return ph_contact_solver_name(state && !state->touched ? state->contact_solver : 0);
}

const ph_contact *ph_state_contacts(const ph_state *state, int *count)
{
    static const ph_contact none;
    if (count) *count = 0;
    if (!state) return NULL;
    const int shown = state_shown_contacts(state);
    const ph_contact *contacts = shown == 0 ? &none : state->ball_count > 0 ? view_of(state) : state->contacts;
    if (count && contacts) *count = shown;
    return contacts;
}
