// Blocks of contacts and bodies, in the precision at hand.
#include "contact/wide_inside.h"

#include "math/mat3.h"

#include <math.h>
#include <string.h>

enum {
    LOADED = 256, // contacts or bodies that a thread takes at a time
    ALIGNMENT = 64,
};

// ---- Memory ---------------------------------------------------------------------------------------------------------

static void free_array(const wide *w, wide_array *a)
{
    mem_free(&w->model->allocator, a->memory);
}

void wide_free(wide *w)
{
    wide_array *arrays[] = {&w->best,    &w->inertia,    &w->colour, &w->sums,  &w->batches, &w->nodes,
                            &w->body_at, &w->body_place, &w->order,  &w->place, NULL};
    mem_free(&w->model->allocator, w->scratch.at);
    for (int k = 0; arrays[k]; k++) free_array(w, arrays[k]);
}

// A sixteenth more where it must grow.
void *wide_room(wide *w, wide_array *a, size_t count, size_t size)
{
    const size_t bytes = count * size + ALIGNMENT;
    if (bytes <= a->bytes) return a->at;
    free_array(w, a);
    a->bytes = bytes + bytes / 16;
    a->memory = mem_alloc(&w->model->allocator, a->bytes + ALIGNMENT);
    if (!a->memory) a->bytes = 0;
    a->at = a->memory ? (char *)a->memory + (ALIGNMENT - (uintptr_t)a->memory % ALIGNMENT) : NULL;
    w->growths++;
    return a->at;
}

bool wide_lend(wide *w, size_t kept, size_t bytes, size_t arrays)
{
    const size_t needed = kept + bytes + (arrays + 1) * ALIGNMENT;
    w->growths += needed > w->scratch.bytes;
    if (!room_extend(&w->model->allocator, &w->scratch, kept, needed)) return false;
    w->borrowed = kept + ALIGNMENT - ((uintptr_t)w->scratch.at + kept) % ALIGNMENT;
    return true;
}

void *wide_borrow(wide *w, wide_array *a, size_t count, size_t size)
{
    a->at = (char *)w->scratch.at + w->borrowed;
    w->borrowed += (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return a->at;
}

typedef struct loading {
    const wide *w;
    const wide_problem *d;
} loading;

// ---- Blocks ---------------------------------------------------------------------------------------------------------

// All in one piece: blocks, where the first guess stands, and what that goes to behind them. What was before the last sweep is
// not needed while check_single has bodies in double precision, which stand in its place.
static bool make_room(wide *w, const wide_problem *d)
{
    const size_t blocks = (size_t)w->block_count, real = wide_real(w), bodies = (size_t)w->body_count + 1;
    const size_t block = real * WIDE * (size_t)w->rows, impulses = 3 * real * WIDE;
    const size_t last = BODY * real * bodies, checked = BODY * sizeof(double) * bodies;
    const size_t before = last + ALIGNMENT + impulses * blocks, aside = before > checked ? before : checked;
    const size_t bytes =
        blocks * (block + sizeof(wide_ends) + WIDE + impulses) + bodies * BODY * real + aside + 9 * ALIGNMENT;
    w->growths += bytes > w->scratch.bytes;
    if (!wide_room(w, &w->sums, (size_t)w->node_count, sizeof(wide_sums)) ||
        !room_extend(&w->model->allocator, &w->scratch, sizeof(ph_vec3) * (size_t)d->contact_count, bytes))
        return false;
    w->borrowed = ALIGNMENT - (uintptr_t)w->scratch.at % ALIGNMENT;
    wide_borrow(w, &w->blocks, blocks, block);
    wide_borrow(w, &w->ends, blocks, sizeof(wide_ends));
    wide_borrow(w, &w->x[X_NOW], blocks, impulses);
    wide_borrow(w, &w->bodies, bodies, BODY * real);
    wide_borrow(w, &w->due, blocks, WIDE);
    wide_borrow(w, &w->last, 1, last);
    wide_borrow(w, &w->x[X_LAST], blocks, impulses);
    return true;
}

static void put3(const wide *w, const wide_array *a, size_t at, ph_vec3 v)
{
    wide_put(w, a, at, v.x);
    wide_put(w, a, at + WIDE, v.y);
    wide_put(w, a, at + 2 * WIDE, v.z);
}

typedef struct diagonal_block { // of N: what an impulse at a contact does to its own velocity
    double nn, tt, ss, ts;
    ph_vec3 tn; // the tangential velocity that a normal impulse gives
} diagonal_block;

// What one body adds.
static void add_diagonal(const wide_problem *d, const ph_vec3 axes[3], int body, ph_vec3 arm, diagonal_block *to)
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

static double spin_of(const wide_problem *d, int k)
{
    return d->inverse_spin ? d->inverse_spin[k] : d->inverse_inertia[k].m[0][0];
}

// The diagonal block where arms are along the normal and inertia is the same about every axis.
static diagonal_block diagonal_of_balls(const wide_problem *d, wide_pair pair, double reach_a, double reach_b)
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

static diagonal_block diagonal_of(const wide_problem *d, wide_pair pair, const wide_contact *c)
{
    const ph_vec3 t = ph_any_perpendicular(c->n), axes[3] = {c->n, t, ph_cross(c->n, t)};
    diagonal_block N = {0};
    add_diagonal(d, axes, pair.a, c->arm_a, &N);
    add_diagonal(d, axes, pair.b, c->arm_b, &N);
    return N;
}

static void put_diagonal(const wide *w, size_t at, const diagonal_block *N, double softness)
{
    const double half = 0.5 * (N->tt - N->ss), dn = N->nn + softness;
    const double dt = 0.5 * (N->tt + N->ss) + sqrt(half * half + N->ts * N->ts), d = (dn + 2.0 * dt) / 3.0;
    wide_put(w, &w->blocks, at + ROW_INVERSE_N * WIDE, 1.0 / dn);
    wide_put(w, &w->blocks, at + ROW_INVERSE_T * WIDE, 1.0 / dt);
    wide_put(w, &w->blocks, at + ROW_D * WIDE, d);
}

static void put_contact(const wide *w, const wide_problem *d, int k)
{
    const int i = ((const int *)w->order.at)[k];
    const wide_pair pair = d->pair(d->user, i);
    const wide_contact c = d->contact(d->user, i);
    const int place = ((const int *)w->place.at)[i], *body = w->body_place.at;
    const size_t block = (size_t)place / WIDE, lane = (size_t)place % WIDE, at = block * (size_t)w->rows * WIDE + lane;
    wide_ends *ends = (wide_ends *)w->ends.at + block;
    const double reach_a = ph_dot(c.arm_a, c.n), reach_b = -ph_dot(c.arm_b, c.n);
    const diagonal_block N = w->balls ? diagonal_of_balls(d, pair, reach_a, reach_b) : diagonal_of(d, pair, &c);
    ends->a[lane] = pair.a >= 0 ? body[pair.a] : w->body_count;
    ends->b[lane] = pair.b >= 0 ? body[pair.b] : w->body_count;
    put3(w, &w->blocks, at + ROW_N * WIDE, c.n);
    wide_put(w, &w->blocks, at + ROW_BIAS * WIDE, c.bias);
    wide_put(w, &w->blocks, at + ROW_MU * WIDE, c.friction);
    wide_put(w, &w->blocks, at + ROW_SOFT * WIDE, c.softness);
    wide_put(w, &w->blocks, at + ROW_REACH_A * WIDE, reach_a);
    wide_put(w, &w->blocks, at + ROW_REACH_B * WIDE, reach_b);
    put_diagonal(w, at, &N, c.softness);
    if (!w->balls) {
        put3(w, &w->blocks, at + ROW_ARM_A * WIDE, c.arm_a);
        put3(w, &w->blocks, at + ROW_ARM_B * WIDE, c.arm_b);
        put3(w, &w->blocks, at + ROW_TN * WIDE, N.tn);
    }
}

// Contacts that nothing moves: they stay at zero.
static void put_nothing(const wide *w, size_t block)
{
    const size_t rows = (size_t)w->rows * WIDE, real = wide_real(w), at = block * rows;
    wide_ends *ends = (wide_ends *)w->ends.at + block;
    memset((char *)w->blocks.at + real * at, 0, real * rows);
    for (size_t lane = 0; lane < WIDE; lane++) {
        const diagonal_block N = {1.0, 1.0, 1.0, 0.0, {0.0, 0.0, 0.0}};
        wide_put(w, &w->blocks, at + (ROW_N + 2) * WIDE + lane, 1.0);
        put_diagonal(w, at + lane, &N, 0.0);
        ends->a[lane] = ends->b[lane] = w->body_count;
    }
}

// ---- Bodies ---------------------------------------------------------------------------------------------------------

static void put_body(const wide *w, size_t place, double inverse_mass, const ph_mat3 *J, const screw *twist)
{
    const double row[BODY] = {twist->move.x, twist->move.y, twist->move.z, inverse_mass,
                              twist->turn.x, twist->turn.y, twist->turn.z, J->m[0][0]};
    const double inertia[BODY] = {J->m[0][0], J->m[1][1], J->m[2][2], 0.0, J->m[1][2], J->m[0][2], J->m[0][1], 0.0};
    for (size_t k = 0; k < BODY; k++) {
        wide_put(w, &w->bodies, BODY * place + k, row[k]);
        if (!w->round) wide_put(w, &w->inertia, BODY * place + k, inertia[k]);
    }
}

static bool all_round(const wide *w)
{
    const int *place = w->body_place.at;
    bool round = true;
    for (int k = 0; k < w->model->moving_count && round; k++) round = place[k] < 0 || w->is_round[k];
    return round;
}

static void put_bodies(void *user, int part, int from, int to)
{
    (void)part;
    const loading *l = user;
    const wide_problem *d = l->d;
    const int *place = l->w->body_place.at;
    for (int k = from; k < to; k++) {
        if (place[k] < 0) continue;
        const ph_mat3 J = d->inverse_spin ? (ph_mat3){{{d->inverse_spin[k]}}} : d->inverse_inertia[k];
        put_body(l->w, (size_t)place[k], d->inverse_mass[k], &J, &d->twists[k]);
    }
}

bool wide_load_bodies(wide *w, const wide_problem *d)
{
    loading l = {w, d};
    const size_t bodies = (size_t)w->body_count + 1, bytes = BODY * wide_real(w);
    if (!w->round && !wide_room(w, &w->inertia, bodies, bytes)) return false;
    pool_run_ranges(w->pool, put_bodies, &l, w->model->moving_count, LOADED);
    put_body(w, bodies - 1, 0.0, &(ph_mat3){0}, &(screw){0});
    return true;
}

// ---- The whole ------------------------------------------------------------------------------------------------------

static void put_contacts(void *user, int part, int from, int to)
{
    (void)part;
    const loading *l = user;
    for (int k = from; k < to; k++) put_contact(l->w, l->d, k);
}

static void put_guesses(void *user, int part, int from, int to)
{
    (void)part;
    const loading *l = user;
    const int *place = l->w->place.at;
    const ph_vec3 *guess = l->w->scratch.at;
    for (int i = from; i < to; i++) put3(l->w, &l->w->x[X_NOW], wide_impulse(place[i]), guess[i]);
}

static void load_guess(wide *w, const wide_problem *d)
{
    loading l = {w, d};
    const size_t block = 3 * WIDE * wide_real(w);
    for (int k = 0; k < w->node_count; k++) {
        const wide_node *n = (const wide_node *)w->nodes.at + k;
        memset((char *)w->x[X_NOW].at + block * (size_t)n->full_end, 0, block * (size_t)(n->block_end - n->full_end));
    }
    pool_run_ranges(w->pool, put_guesses, &l, d->contact_count, LOADED);
}

// Blocks that are not full; and nothing is extrapolated yet.
static void finish_node(void *user, int index)
{
    const wide *w = user;
    const wide_node *n = (const wide_node *)w->nodes.at + index;
    const size_t block = 3 * WIDE * wide_real(w), at = block * (size_t)n->block;
    for (int k = n->full_end; k < n->block_end; k++) put_nothing(w, (size_t)k);
    memcpy((char *)w->x[X_LAST].at + at, (const char *)w->x[X_NOW].at + at, block * (size_t)(n->block_end - n->block));
}

bool wide_load(wide *w, const wide_problem *d)
{
    loading l = {w, d};
    w->round = all_round(w);
    w->balls = d->balls && w->round;
    w->rows = w->balls ? BALL_ROWS : BLOCK_ROWS;
    if (!make_room(w, d) || !wide_load_bodies(w, d)) return false;
    load_guess(w, d);
    pool_run(w->pool, finish_node, w, w->node_count);
    pool_run_ranges(w->pool, put_contacts, &l, d->contact_count, LOADED);
    return true;
}
