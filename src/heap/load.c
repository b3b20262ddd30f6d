// Blocks of contacts and bodies, in the precision at hand.
#include "heap/internal.h"

#include "model/inertia.h"

#include <math.h>
#include <string.h>

enum { LOADED = 256 }; // contacts or bodies that a thread takes at a time

// ---- Memory ---------------------------------------------------------------------------------------------------------

static void free_array(const heap *h, heap_array *a)
{
    mem_free(&h->model->allocator, a->memory);
}

void heap_free(heap *h)
{
    heap_array *arrays[] = {&h->numbers.best,   &h->numbers.inertia, &h->layout.colour,  &h->numbers.sums,
                            &h->layout.batches, &h->layout.regions,  &h->layout.body_at, &h->layout.body_place,
                            &h->layout.order,   &h->layout.place,    &h->layout.table,   NULL};
    for (int k = 0; arrays[k]; k++) free_array(h, arrays[k]);
}

// A sixteenth more where it must grow.
void *heap_room(heap *h, heap_array *a, size_t count, size_t size)
{
    const size_t bytes = count * size + HEAP_ALIGNMENT;
    if (bytes <= a->bytes) return a->at;
    free_array(h, a);
    a->bytes = bytes + bytes / 16;
    a->memory = mem_alloc(&h->model->allocator, a->bytes + HEAP_ALIGNMENT);
    if (!a->memory) a->bytes = 0;
    a->at = a->memory ? (char *)a->memory + (HEAP_ALIGNMENT - (uintptr_t)a->memory % HEAP_ALIGNMENT) : NULL;
    h->growths++;
    return a->at;
}

bool heap_enter(heap *h, scratch_phase phase, size_t kept, size_t from, size_t bytes)
{
    if (!scratch_enter(&h->model->allocator, h->scratch, phase, kept, bytes)) return false;
    h->borrowed = from + HEAP_ALIGNMENT - ((uintptr_t)scratch_at(h->scratch, phase) + from) % HEAP_ALIGNMENT;
    return true;
}

void *heap_borrow(heap *h, heap_array *a, size_t count, size_t size)
{
    a->at = (char *)h->scratch->memory.at + h->borrowed;
    h->borrowed += (count * size + HEAP_ALIGNMENT - 1) / HEAP_ALIGNMENT * HEAP_ALIGNMENT;
    return a->at;
}

typedef struct loading {
    const heap *h;
    const heap_problem *d;
} loading;

// ---- The problem ----------------------------------------------------------------------------------------------------

heap_contact heap_contact_at(const heap_problem *d, int i)
{
    const detected c = contacts_at(d->contacts, i);
    const pair_surface surface = contacts_surface(d->contacts, &c);
    const bool bounces = d->bounces && d->bounces[i];
    return (heap_contact){.n = c.normal,
                          .arm_a = contacts_arm(d->contacts, &c, c.body_a),
                          .arm_b = contacts_arm(d->contacts, &c, c.body_b),
                          .bias = bounces ? d->rebound[i] : gap_bias(&d->gaps, c.gap, surface.compliance),
                          .friction = surface.friction,
                          .softness = surface.compliance / (d->gaps.h * d->gaps.h)};
}

ph_mat3 heap_inverse_inertia(const heap_problem *d, int k)
{
    const ph_model *model = d->contacts->shapes->model;
    const int i = model->moving[k];
    return body_inverse_inertia(&model->bodies[i], poses_turn(&d->contacts->at, i));
}

// ---- Blocks ---------------------------------------------------------------------------------------------------------

// All in one piece: blocks, where the first guess stands, and what that goes to behind them. What was before the last sweep is
// not needed while check_single has bodies in double precision, which stand in its place.
static bool make_room(heap *h, const heap_problem *d)
{
    const size_t blocks = (size_t)h->layout.block_count, real = heap_real(h), bodies = (size_t)h->layout.body_count + 1;
    const size_t block = real * BLOCK * (size_t)h->numbers.rows, impulses = 3 * real * BLOCK;
    const size_t last = BODY * real * bodies, checked = BODY * sizeof(double) * bodies;
    const size_t before = last + HEAP_ALIGNMENT + impulses * blocks, aside = before > checked ? before : checked;
    const size_t bytes =
        blocks * (block + sizeof(heap_ends) + BLOCK + impulses) + bodies * BODY * real + aside + 9 * HEAP_ALIGNMENT;
    const size_t guess = sizeof(ph_vec3) * (size_t)d->contacts->count;
    if (!heap_room(h, &h->numbers.sums, (size_t)h->layout.region_count, sizeof(heap_sums)) ||
        !heap_enter(h, SCRATCH_BLOCKS, guess, 0, bytes))
        return false;
    heap_borrow(h, &h->numbers.blocks, blocks, block);
    heap_borrow(h, &h->numbers.ends, blocks, sizeof(heap_ends));
    heap_borrow(h, &h->numbers.x[X_NOW], blocks, impulses);
    heap_borrow(h, &h->numbers.bodies, bodies, BODY * real);
    heap_borrow(h, &h->numbers.active, blocks, BLOCK);
    heap_borrow(h, &h->numbers.last, 1, last);
    heap_borrow(h, &h->numbers.x[X_LAST], blocks, impulses);
    return true;
}

static void put3(const heap *h, const heap_array *a, size_t at, ph_vec3 v)
{
    heap_put(h, a, at, v.x);
    heap_put(h, a, at + BLOCK, v.y);
    heap_put(h, a, at + 2 * BLOCK, v.z);
}

typedef struct diagonal_block { // of N: what an impulse at a contact does to its own velocity
    double nn, tt, ss, ts;
    ph_vec3 tn; // the tangential velocity that a normal impulse gives
} diagonal_block;

// What one body adds.
static void add_diagonal(const heap_problem *d, const ph_vec3 axes[3], int body, ph_vec3 arm, diagonal_block *to)
{
    if (body < 0) return;
    const double m = d->inverse_mass[body];
    const ph_vec3 n = ph_cross(arm, axes[0]), t = ph_cross(arm, axes[1]), s = ph_cross(arm, axes[2]);
    const ph_vec3 Jn = ph_mul(d->inverse_inertia[body], n), Jt = ph_mul(d->inverse_inertia[body], t);
    const ph_vec3 Js = ph_mul(d->inverse_inertia[body], s);
    to->nn += m + ph_dot(n, Jn);
    to->tt += m + ph_dot(t, Jt);
    to->ss += m + ph_dot(s, Js);
    to->ts += ph_dot(t, Js);
    to->tn = ph_madd(ph_madd(to->tn, ph_dot(n, Jt), axes[1]), ph_dot(n, Js), axes[2]);
}

static double spin_of(const heap_problem *d, int k)
{
    return d->inverse_spin ? d->inverse_spin[k] : d->inverse_inertia[k].m[0][0];
}

// The diagonal block where arms are along the normal and inertia is the same about every axis.
static diagonal_block diagonal_of_balls(const heap_problem *d, contact_pair pair, double reach_a, double reach_b)
{
    diagonal_block N = {0};
    if (pair.a >= 0) N.nn += d->inverse_mass[pair.a];
    if (pair.b >= 0) N.nn += d->inverse_mass[pair.b];
    N.tt = N.nn;
    if (pair.a >= 0) N.tt += spin_of(d, pair.a) * reach_a * reach_a;
    if (pair.b >= 0) N.tt += spin_of(d, pair.b) * reach_b * reach_b;
    N.ss = N.tt;
    return N;
}

static diagonal_block diagonal_of(const heap_problem *d, contact_pair pair, const heap_contact *c)
{
    const ph_vec3 t = ph_any_perpendicular(c->n), axes[3] = {c->n, t, ph_cross(c->n, t)};
    diagonal_block N = {0};
    add_diagonal(d, axes, pair.a, c->arm_a, &N);
    add_diagonal(d, axes, pair.b, c->arm_b, &N);
    return N;
}

static void put_diagonal(const heap *h, size_t at, const diagonal_block *N, double softness)
{
    const double half = 0.5 * (N->tt - N->ss), dn = N->nn + softness;
    const double dt = 0.5 * (N->tt + N->ss) + sqrt(half * half + N->ts * N->ts), d = (dn + 2.0 * dt) / 3.0;
    heap_put(h, &h->numbers.blocks, at + ROW_INVERSE_N * BLOCK, 1.0 / dn);
    heap_put(h, &h->numbers.blocks, at + ROW_INVERSE_T * BLOCK, 1.0 / dt);
    heap_put(h, &h->numbers.blocks, at + ROW_D * BLOCK, d);
}

static void put_contact(const heap *h, const heap_problem *d, int k)
{
    const int i = ((const int *)h->layout.order.at)[k];
    const contact_pair pair = contacts_pair(d->contacts, i);
    const heap_contact c = heap_contact_at(d, i);
    const int place = ((const int *)h->layout.place.at)[i], *body = h->layout.body_place.at;
    const size_t block = (size_t)place / BLOCK, lane = (size_t)place % BLOCK,
                 at = block * (size_t)h->numbers.rows * BLOCK + lane;
    heap_ends *ends = (heap_ends *)h->numbers.ends.at + block;
    const double reach_a = ph_dot(c.arm_a, c.n), reach_b = -ph_dot(c.arm_b, c.n);
    const diagonal_block N = h->numbers.balls ? diagonal_of_balls(d, pair, reach_a, reach_b) : diagonal_of(d, pair, &c);
    ends->a[lane] = pair.a >= 0 ? body[pair.a] : h->layout.body_count;
    ends->b[lane] = pair.b >= 0 ? body[pair.b] : h->layout.body_count;
    put3(h, &h->numbers.blocks, at + ROW_N * BLOCK, c.n);
    heap_put(h, &h->numbers.blocks, at + ROW_BIAS * BLOCK, c.bias);
    heap_put(h, &h->numbers.blocks, at + ROW_MU * BLOCK, c.friction);
    heap_put(h, &h->numbers.blocks, at + ROW_SOFT * BLOCK, c.softness);
    heap_put(h, &h->numbers.blocks, at + ROW_REACH_A * BLOCK, reach_a);
    heap_put(h, &h->numbers.blocks, at + ROW_REACH_B * BLOCK, reach_b);
    put_diagonal(h, at, &N, c.softness);
    if (!h->numbers.balls) {
        put3(h, &h->numbers.blocks, at + ROW_ARM_A * BLOCK, c.arm_a);
        put3(h, &h->numbers.blocks, at + ROW_ARM_B * BLOCK, c.arm_b);
        put3(h, &h->numbers.blocks, at + ROW_TN * BLOCK, N.tn);
    }
}

// Contacts that nothing moves: they stay at zero.
static void put_nothing(const heap *h, size_t block)
{
    const size_t rows = (size_t)h->numbers.rows * BLOCK, real = heap_real(h), at = block * rows;
    heap_ends *ends = (heap_ends *)h->numbers.ends.at + block;
    memset((char *)h->numbers.blocks.at + real * at, 0, real * rows);
    for (size_t lane = 0; lane < BLOCK; lane++) {
        const diagonal_block N = {1.0, 1.0, 1.0, 0.0, {0.0, 0.0, 0.0}};
        heap_put(h, &h->numbers.blocks, at + (ROW_N + 2) * BLOCK + lane, 1.0);
        put_diagonal(h, at + lane, &N, 0.0);
        ends->a[lane] = ends->b[lane] = h->layout.body_count;
    }
}

// ---- Bodies ---------------------------------------------------------------------------------------------------------

static void put_body(const heap *h, size_t place, double inverse_mass, const ph_mat3 *J, const screw *twist)
{
    const double row[BODY] = {twist->linear.x,  twist->linear.y,  twist->linear.z,  inverse_mass,
                              twist->angular.x, twist->angular.y, twist->angular.z, J->m[0][0]};
    const double inertia[BODY] = {J->m[0][0], J->m[1][1], J->m[2][2], 0.0, J->m[1][2], J->m[0][2], J->m[0][1], 0.0};
    for (size_t k = 0; k < BODY; k++) {
        heap_put(h, &h->numbers.bodies, BODY * place + k, row[k]);
        if (!h->numbers.round) heap_put(h, &h->numbers.inertia, BODY * place + k, inertia[k]);
    }
}

static size_t row_of_body(const heap *h, int body)
{
    return BODY * (size_t)((const int *)h->layout.body_place.at)[body];
}

screw heap_twist(const heap *h, int body)
{
    double v[BODY];
    if (body < 0) return (screw){ph_zero3(), ph_zero3()};
    for (size_t k = 0; k < BODY; k++) v[k] = heap_get(h, &h->numbers.bodies, row_of_body(h, body) + k);
    return (screw){.angular = ph_vec(v[BODY_W], v[BODY_W + 1], v[BODY_W + 2]), .linear = ph_vec(v[0], v[1], v[2])};
}

void heap_put_twist(const heap *h, int body, screw twist)
{
    const ph_vec3 v = twist.linear, omega = twist.angular;
    const double numbers[6] = {v.x, v.y, v.z, omega.x, omega.y, omega.z};
    for (size_t k = 0; k < 3; k++) {
        heap_put(h, &h->numbers.bodies, row_of_body(h, body) + k, numbers[k]);
        heap_put(h, &h->numbers.bodies, row_of_body(h, body) + BODY_W + k, numbers[3 + k]);
    }
}

static bool all_round(const heap *h)
{
    const int *place = h->layout.body_place.at;
    bool round = true;
    for (int k = 0; k < h->model->moving_count && round; k++) round = place[k] < 0 || h->is_round[k];
    return round;
}

static void put_bodies(void *user, int part, int from, int to)
{
    (void)part;
    const loading *l = user;
    const heap_problem *d = l->d;
    const int *place = l->h->layout.body_place.at;
    for (int k = from; k < to; k++) {
        if (place[k] < 0) continue;
        const ph_mat3 J = d->inverse_spin ? (ph_mat3){{{d->inverse_spin[k]}}} : d->inverse_inertia[k];
        put_body(l->h, (size_t)place[k], d->inverse_mass[k], &J, &d->twists[k]);
    }
}

bool heap_load_bodies(heap *h, const heap_problem *d)
{
    loading l = {h, d};
    const size_t bodies = (size_t)h->layout.body_count + 1, bytes = BODY * heap_real(h);
    if (!h->numbers.round && !heap_room(h, &h->numbers.inertia, bodies, bytes)) return false;
    pool_run_ranges(h->pool, put_bodies, &l, h->model->moving_count, LOADED);
    put_body(h, bodies - 1, 0.0, &(ph_mat3){0}, &(screw){0});
    return true;
}

// ---- The whole ------------------------------------------------------------------------------------------------------

static void put_contacts(void *user, int part, int from, int to)
{
    (void)part;
    const loading *l = user;
    for (int k = from; k < to; k++) put_contact(l->h, l->d, k);
}

static void put_guesses(void *user, int part, int from, int to)
{
    (void)part;
    const loading *l = user;
    const int *place = l->h->layout.place.at;
    const ph_vec3 *guess = scratch_at(l->h->scratch, SCRATCH_BLOCKS); // blocks come over it
    for (int i = from; i < to; i++) put3(l->h, &l->h->numbers.x[X_NOW], heap_impulse(place[i]), guess[i]);
}

static void load_guess(heap *h, const heap_problem *d)
{
    loading l = {h, d};
    const size_t block = 3 * BLOCK * heap_real(h);
    for (int k = 0; k < h->layout.region_count; k++) {
        const heap_region *n = (const heap_region *)h->layout.regions.at + k;
        memset((char *)h->numbers.x[X_NOW].at + block * (size_t)n->full_end, 0,
               block * (size_t)(n->block_end - n->full_end));
    }
    pool_run_ranges(h->pool, put_guesses, &l, d->contacts->count, LOADED);
}

// Blocks that are not full; and nothing is extrapolated yet.
static void finish_region(void *user, int index)
{
    const heap *h = user;
    const heap_region *n = (const heap_region *)h->layout.regions.at + index;
    const size_t block = 3 * BLOCK * heap_real(h), at = block * (size_t)n->block;
    for (int k = n->full_end; k < n->block_end; k++) put_nothing(h, (size_t)k);
    memcpy((char *)h->numbers.x[X_LAST].at + at, (const char *)h->numbers.x[X_NOW].at + at,
           block * (size_t)(n->block_end - n->block));
}

bool heap_load(heap *h, const heap_problem *d)
{
    loading l = {h, d};
    h->numbers.round = all_round(h);
    h->numbers.balls = d->balls && h->numbers.round;
    h->numbers.rows = h->numbers.balls ? BALL_ROWS : BLOCK_ROWS;
    if (!make_room(h, d) || !heap_load_bodies(h, d)) return false;
    load_guess(h, d);
    pool_run(h->pool, finish_region, h, h->layout.region_count);
    pool_run_ranges(h->pool, put_contacts, &l, d->contacts->count, LOADED);
    return true;
}
