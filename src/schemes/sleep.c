#include "schemes/sleep.h"

#include "contact/impulses.h"
#include "math/mat3.h"

#include <math.h>
#include <string.h>

static const double REST = 0.5;    // s
static const double CHANGE = 1e-3; // of the load that wakes a body

typedef struct sleeper { // in the history, by moving body
    double rest;         // s that it has been slow; negative: it sleeps
    ph_wrench load;      // when it fell asleep
} sleeper;

_Static_assert(sizeof(sleeper) / sizeof(double) <= HISTORY_WITH_CONTACT, "a sleeper has its place in the history");

bool sleep_create(const ph_model *model, const shape_set *shapes, arena *memory, sleep *s)
{
    const size_t n = model->has_contact && model->contact.sleep > 0.0 ? (size_t)model->moving_count : 0;
    *s = (sleep){.model = model, .speed = n > 0 ? model->contact.sleep : 0.0};
    if (n == 0) return true;
    s->asleep = arena_alloc_array(memory, model_places(model), sizeof *s->asleep);
    s->wakes = arena_alloc_array(memory, n, sizeof *s->wakes);
    s->held = arena_alloc_array(memory, n, sizeof *s->held);
    s->parent = arena_alloc_array(memory, n, sizeof *s->parent);
    s->radius = arena_alloc_array(memory, n, sizeof *s->radius);
    if (!s->asleep || !s->wakes || !s->held || !s->parent || !s->radius) return false;
    for (int j = 0; j < model->joint_count; j++)
        for (int k = 0; k < model->joints[j].body_count; k++)
            s->held[model->bodies[model->joints[j].bodies[k]].moving] = true;
    for (int k = 0; k < shapes->count; k++) {
        const detector_shape *shape = &shapes->shapes[k];
        double *radius = shape->kind->moves ? &s->radius[shapes->moving[shape->body]] : NULL;
        if (radius) *radius = ph_max(*radius, shape->kind->radius);
    }
    return true;
}

// ---- Islands --------------------------------------------------------------------------------------------------------

static int root_of(int *parent, int k)
{
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

static void unite(sleep *s, int a, int b)
{
    if (a < 0 || b < 0) return;
    const int p = root_of(s->parent, a), q = root_of(s->parent, b);
    s->parent[p > q ? p : q] = p > q ? q : p;
}

static void separate(sleep *s)
{
    for (int k = 0; k < s->model->moving_count; k++) s->parent[k] = k;
}

static int moving_of(const sleep *s, int body)
{
    return body < 0 ? -1 : s->model->bodies[body].moving;
}

static bool is_asleep(const sleep *s, int body)
{
    return body >= 0 && s->asleep[body];
}

// Wakes the islands of those that are marked.
static void wake_islands(sleep *s, const ph_state *state)
{
    separate(s);
    for (int i = 0; i < state->contact_count; i++) {
        const ph_contact *c = &state->contacts[i];
        if (is_asleep(s, c->body_a) && is_asleep(s, c->body_b))
            unite(s, moving_of(s, c->body_a), moving_of(s, c->body_b));
    }
    for (int k = 0; k < s->model->moving_count; k++)
        if (s->wakes[k]) s->wakes[root_of(s->parent, k)] = true;
    for (int k = 0; k < s->model->moving_count; k++) {
        bool *asleep = &s->asleep[s->model->moving[k]];
        if (!*asleep || !s->wakes[root_of(s->parent, k)]) continue;
        *asleep = false;
        s->count--;
    }
}

// ---- Waking ---------------------------------------------------------------------------------------------------------

static bool has_changed(const sleep *s, int k, const ph_wrench *now, const ph_wrench *then)
{
    const double force = ph_norm(ph_sub(now->force, then->force)), torque = ph_norm(ph_sub(now->torque, then->torque));
    const double size = ph_norm(then->force);
    return !(force <= CHANGE * size && torque <= CHANGE * (ph_norm(then->torque) + size * s->radius[k]));
}

void sleep_begin(sleep *s, const ph_state *state, const double *past, const ph_wrench *Q)
{
    const sleeper *sleepers = (const sleeper *)past;
    bool changed = false;
    s->count = 0;
    for (int k = 0; k < s->model->moving_count; k++) {
        const int i = s->model->moving[k];
        s->asleep[i] = past && sleepers[k].rest < 0.0;
        s->wakes[k] = s->asleep[i] && has_changed(s, k, &Q[i], &sleepers[k].load);
        s->count += s->asleep[i];
        changed = changed || s->wakes[k];
    }
    if (changed) wake_islands(s, state);
}

bool sleep_disturb(sleep *s, const contact_set *found, const ph_state *state)
{
    bool disturbed = false;
    if (s->count == 0) return false;
    memset(s->wakes, 0, sizeof *s->wakes * (size_t)s->model->moving_count);
    for (int i = 0; i < found->count; i++) {
        const detected *c = &found->list[i];
        const int a = found->shapes->moving[c->body_a], b = found->shapes->moving[c->body_b];
        if (a < 0 || b < 0 || s->asleep[c->body_a] == s->asleep[c->body_b]) continue;
        s->wakes[s->asleep[c->body_a] ? a : b] = disturbed = true;
    }
    if (disturbed) wake_islands(s, state);
    return disturbed;
}

// ---- Contacts that sleep --------------------------------------------------------------------------------------------

static bool sleeps(const sleep *s, const ph_contact *c)
{
    const bool rests_a = moving_of(s, c->body_a) < 0 || s->asleep[c->body_a];
    const bool rests_b = moving_of(s, c->body_b) < 0 || s->asleep[c->body_b];
    return rests_a && rests_b;
}

int sleep_contacts(const sleep *s, const ph_state *state, double *depth)
{
    int count = 0;
    for (int i = 0; i < state->contact_count && s->count > 0; i++)
        if (sleeps(s, &state->contacts[i])) {
            *depth = ph_max(*depth, -state->contacts[i].gap);
            count++;
        }
    return count;
}

void sleep_keep_contacts(const sleep *s, ph_state *state)
{
    int kept = 0;
    for (int i = 0; i < state->contact_count; i++)
        if (sleeps(s, &state->contacts[i])) state->contacts[kept++] = state->contacts[i];
    state->contact_count = kept;
}

void sleep_merge_contacts(const contact_set *found, ph_state *state, int kept, int count)
{
    ph_contact *list = state->contacts;
    const ph_contact *fresh = list + kept + count;
    for (int to = kept + count; count > 0;) {
        const bool old = kept > 0 && impulses_order(found, &list[kept - 1]) > impulses_order(found, &fresh[count - 1]);
        list[--to] = old ? list[--kept] : fresh[--count];
    }
}

// ---- Falling asleep -------------------------------------------------------------------------------------------------

static bool is_slow(const sleep *s, const ph_state *state, int k)
{
    const int i = s->model->moving[k];
    return !s->held[k] && ph_norm(state->velocity[i]) <= s->speed &&
           ph_norm(state->angular_velocity[i]) * s->radius[k] <= s->speed;
}

static double kinetic_energy(const body *b, ph_vec3 omega, ph_vec3 v)
{
    return 0.5 * (b->kind->mass * ph_norm2(v) + ph_dot(omega, ph_mul(b->kind->J, omega)));
}

static double fall_asleep(sleep *s, ph_state *state, int k, const ph_wrench *load, sleeper *to)
{
    const int i = s->model->moving[k];
    const double energy = kinetic_energy(&s->model->bodies[i], state->angular_velocity[i], state->velocity[i]);
    state->velocity[i] = state->angular_velocity[i] = ph_zero3();
    *to = (sleeper){-1.0, *load};
    s->asleep[i] = true;
    s->count++;
    return energy;
}

double sleep_end(sleep *s, const contact_set *found, ph_state *state, const ph_wrench *Q, double h, double *history)
{
    sleeper *sleepers = (sleeper *)history;
    bool tired = false;
    double lost = 0.0;
    for (int k = 0; k < s->model->moving_count; k++) {
        if (s->asleep[s->model->moving[k]]) continue;
        sleepers[k].rest = is_slow(s, state, k) ? ph_max(sleepers[k].rest, 0.0) + h : 0.0;
        tired = tired || sleepers[k].rest >= REST;
    }
    if (!tired) return 0.0;
    separate(s);
    for (int i = 0; i < found->count; i++)
        unite(s, found->shapes->moving[found->list[i].body_a], found->shapes->moving[found->list[i].body_b]);
    memset(s->wakes, 0, sizeof *s->wakes * (size_t)s->model->moving_count);
    for (int k = 0; k < s->model->moving_count; k++)
        if (sleepers[k].rest >= 0.0 && sleepers[k].rest < REST) s->wakes[root_of(s->parent, k)] = true;
    for (int k = 0; k < s->model->moving_count; k++)
        if (sleepers[k].rest >= 0.0 && !s->wakes[root_of(s->parent, k)])
            lost += fall_asleep(s, state, k, &Q[s->model->moving[k]], &sleepers[k]);
    return lost;
}
