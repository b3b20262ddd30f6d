#include "contact/plain.h"

#include "base/incidence.h"
#include "contact/impulses.h"

#include <math.h>
#include <string.h>

void plain_destroy(plain *p)
{
    if (!p->model) return;
    void *arrays[] = {p->uses, p->use_start};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) mem_free(&p->model->allocator, arrays[k]);
}

#define RESERVE(p, array, count)                                                                                       \
    mem_reserve_counted(&(p)->model->allocator, &(p)->array, &(p)->array##_room, (count), sizeof *(p)->array,          \
                        &(p)->growths)

// ---- The list -------------------------------------------------------------------------------------------------------

static void set_pairs(void *user, int part, int from, int to)
{
    (void)part;
    const plain *p = user;
    contact_pair *pairs = scratch_at(p->scratch, SCRATCH_PAIRS);
    for (int i = from; i < to; i++) pairs[i] = contacts_pair(p->found, i);
}

static bool list_uses(plain *p)
{
    const int bodies = p->model->moving_count;
    const contact_pair *pairs = scratch_at(p->scratch, SCRATCH_PAIRS);
    const incidence_links links = {.ends = &pairs->a, .stride = 2, .count = p->found->count};
    if (!RESERVE(p, use_start, bodies + 2)) return false;
    incidence_count(p->pool, &links, bodies, p->use_start);
    if (!RESERVE(p, uses, p->use_start[bodies] + 1)) return false;
    incidence_fill(p->pool, &links, bodies, p->use_start, p->uses);
    return true;
}

bool plain_is(const contact_set *found)
{
    bool is = found->count < INT32_MAX / 2;
    for (int i = 0; i < found->count && is && found->shapes->may_roll; i++) {
        const detected c = contacts_at(found, i);
        const pair_surface s = contacts_surface(found, &c);
        is = !(s.rolling > 0.0 || s.spinning > 0.0);
    }
    return is;
}

bool plain_set(plain *p)
{
    const size_t bytes = sizeof(contact_pair) * (size_t)p->found->count;
    if (!scratch_enter(&p->model->allocator, p->scratch, SCRATCH_PAIRS, 0, bytes)) return false;
    pool_run_ranges(p->pool, set_pairs, p, p->found->count, PLAIN_CONTACTS);
    return list_uses(p);
}

// ---- Impulses -------------------------------------------------------------------------------------------------------

// The nearest point of the friction cone about n.
static ph_vec3 project(double mu, ph_vec3 n, ph_vec3 x)
{
    const double normal = ph_dot(n, x);
    const ph_vec3 t = ph_madd(x, -normal, n);
    const double T = ph_norm(t);
    if (mu * T <= -normal) return ph_zero3(); // first: without friction and tangents, T <= mu n holds for n < 0 too
    if (T <= mu * normal) return x;
    const double shorter = (normal + mu * T) / (1.0 + mu * mu);
    return ph_madd(ph_scale(shorter, n), mu * shorter / T, t);
}

typedef struct transfer {
    const plain *p;
    const ph_state *from;
    ph_state *to;
    int *old; // by contact: which of those in the state it is, or -1
    int at;
    double h;
} transfer;

static void match(void *user, int part, int from, int to)
{
    (void)part;
    const transfer *t = user;
    impulses_match(t->p->found, NULL, t->p->found->count, t->from, from, to, t->old);
}

static void guess(void *user, int part, int from, int to)
{
    (void)part;
    const transfer *t = user;
    const plain *p = t->p;
    for (int i = from; i < to; i++) {
        ph_vec3 *x = &plain_impulses(p)[i];
        *x = ph_zero3();
        if (t->old[i] < 0) continue;
        const detected c = contacts_at(p->found, i);
        const double mu = contacts_surface(p->found, &c).friction;
        *x = project(mu, c.normal, ph_scale(t->h, state_contact_force(t->from, t->old[i])));
    }
}

bool plain_guess(const plain *p, const ph_state *state, double h)
{
    const size_t bytes = (sizeof(ph_vec3) + sizeof(int)) * (size_t)p->found->count;
    if (!scratch_enter(&p->model->allocator, p->scratch, SCRATCH_IMPULSES, 0, bytes)) return false;
    transfer t = {.p = p, .from = state, .old = (int *)(plain_impulses(p) + p->found->count), .h = h};
    pool_run_ranges(p->pool, match, &t, p->found->count, PLAIN_CONTACTS);
    pool_run_ranges(p->pool, guess, &t, p->found->count, PLAIN_CONTACTS);
    return true;
}

static void keep(void *user, int part, int from, int to)
{
    (void)part;
    const transfer *t = user;
    const contact_set *found = t->p->found;
    for (int i = from; i < to; i++) {
        const ph_vec3 x = plain_impulses(t->p)[i];
        const detected c = contacts_at(found, i);
        const int ball = i - found->others;
        if (ball < 0) {
            t->to->contacts[t->at + i] = impulses_contact(found, &c, ph_scale(1.0 / t->h, x), ph_zero3());
        } else {
            t->to->balls[ball] = (ball_contact){c.body_a, c.body_b};
            ball_put_impulse(&t->to->ball_impulses, ball, x);
        }
    }
}

static void keep_places(void *user, int part, int from, int to)
{
    (void)part;
    const transfer *t = user;
    for (int i = from; i < to; i++) t->to->ball_place[i] = poses_place(&t->p->found->at, i);
}

bool plain_reserve(const plain *p, ph_state *state, int more, bool single)
{
    const int others = p->found->others;
    return state_reserve_contacts(state, others + more) && state_reserve_balls(state, p->found->count - others, single);
}

void plain_keep(const plain *p, ph_state *state, int at, double h, bool single)
{
    const int others = p->found->others;
    transfer t = {.p = p, .to = state, .at = at, .h = h};
    state->ball_impulses.single = single;
    state->ball_impulses.rate = 1.0 / h;
    pool_run_ranges(p->pool, keep, &t, p->found->count, PLAIN_CONTACTS);
    if (p->found->count > others) pool_run_ranges(p->pool, keep_places, &t, p->model->body_count, PLAIN_CONTACTS);
    state_set_contacts(state, at + others, p->found->count - others);
}

typedef struct contact_use { // of a contact by one of its bodies
    ph_vec3 arm;             // from the body to where the force acts
    ph_vec3 normal;          // of the contact, either way
} contact_use;

// Between balls as contacts_at has it: which of them is a makes no difference.
static inline contact_use use_of(const plain *p, int i, bool is_b, ph_vec3 x)
{
    const contact_set *found = p->found;
    if (i < found->others) return (contact_use){ph_sub(found->list[i].point, x), found->list[i].normal};
    const detected_balls *it = &found->balls[i - found->others];
    const detector_shape *own = &found->shapes->shapes[is_b ? it->shape_b : it->shape_a];
    const detector_shape *other = &found->shapes->shapes[is_b ? it->shape_a : it->shape_b];
    if (!(it->distance > 0.0)) {
        const detected c = contacts_at_balls(found, it);
        return (contact_use){ph_sub(c.point, x), c.normal};
    }
    const ball a = {x, own->kind->radius}, b = {poses_place(&p->found->at, other->body), other->kind->radius};
    const ph_vec3 n = balls_normal(&a, &b, balls_inverse(it->distance));
    return (contact_use){ph_sub(balls_point(&a, true, &b, other->kind->moves, n), x), n};
}

screw plain_wrench(const plain *p, int k, screw *normal)
{
    const ph_vec3 *impulses = plain_impulses(p), at = poses_place(&p->found->at, p->model->moving[k]);
    screw sum = {ph_zero3(), ph_zero3()};
    *normal = sum;
    for (int u = p->use_start[k]; u < p->use_start[k + 1]; u++) {
        const int i = p->uses[u] >> 1, is_b = p->uses[u] & 1;
        const ph_vec3 x = is_b ? impulses[i] : ph_neg(impulses[i]);
        const contact_use use = use_of(p, i, is_b, at);
        const ph_vec3 push = ph_scale(ph_dot(use.normal, x), use.normal);
        sum.angular = ph_add(sum.angular, ph_cross(use.arm, x));
        sum.linear = ph_add(sum.linear, x);
        normal->angular = ph_add(normal->angular, ph_cross(use.arm, push));
        normal->linear = ph_add(normal->linear, push);
    }
    return sum;
}
