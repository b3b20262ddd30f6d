#include "contact/wide.h"

#include "base/clock.h"
#include "math/mat3.h"

#include <math.h>
#include <string.h>

enum {
    CHUNK_BLOCKS = 16, // of a pass over contacts
    CHUNK_BODIES = 256,
    BATCH_LEAST = 64,     // contacts: islands are put together until there are as many
    COLOURS = 64,         // what is left over when a body has more contacts than that is solved one by one
    LOOK_EVERY = 16,      // sweeps
    POLISH_PATIENCE = 16, // passes without fewer contacts beyond the tolerance
    ALIGNMENT = 64,
};

// Polishing begins when so many contacts, or this part of all, are beyond the tolerance; it moves them by so much of what
// would solve them.
static const double FEW = 16.0, FEW_OF_ALL = 0.05, POLISH_PART = 0.8;

// The extrapolation is at most this; less when a solve takes long, because sweeps in one direction do not always bear it.
static double cap_of(int sweeps)
{
    return sweeps < 128 ? 0.85 : sweeps % 64 < 16 ? 0.0 : sweeps < 512 ? 0.8 : 0.6;
}

typedef struct wide_array { // a growable array that begins on a cache line
    void *memory, *at;
    size_t bytes;
} wide_array;

typedef struct wide_colour {
    int block, block_end;
    bool one_by_one; // its contacts share bodies: one in a block, none at the same time
} wide_colour;

typedef struct wide_batch {   // islands that are solved together
    int contact, contact_end; // in wide.order
    int body, body_end;
    int colour, colour_end;
} wide_batch;

struct wide {
    const ph_model *model;
    pool *pool;
    const wide_kernels *kernels;
    bool *is_round; // by moving body: the same inertia about every axis
    wide_array blocks, bodies, last, saved, inertia, x[4], sums, batches, colours;
    // Numbers. By moving body: island, contacts of the island, batch of the island, place, colours taken; by contact:
    // order by batches, place.
    wide_array island, island_count, batch_of, body_place, taken, order, colour_of, place;
    int contact_count, block_count, body_count, batch_count, colour_count;
    int growths;
};

// ---- Memory ---------------------------------------------------------------------------------------------------------

static const wide_kernels *choose(wide_path path)
{
#ifdef __x86_64__
    const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
    if ((path == WIDE_BEST || path == WIDE_AVX512) && has_avx512) return &wide_avx512;
    if (path != WIDE_BASE && __builtin_cpu_supports("avx2")) return &wide_avx2;
#else
    (void)path;
#endif
    return &wide_base;
}

static bool is_round(const ph_mat3 *J)
{
    const double tiny = 1e-14 * J->m[0][0];
    double most = 0.0;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) most = fmax(most, fabs(J->m[r][c] - (r == c ? J->m[0][0] : 0.0)));
    return most <= tiny;
}

wide *wide_create(const ph_model *model, wide_path path, pool *pool)
{
    wide *w = mem_alloc(&model->allocator, sizeof *w);
    bool *round = mem_alloc_array(&model->allocator, (size_t)model->moving_count, sizeof *round);
    if (!w || !round) {
        mem_free(&model->allocator, w);
        mem_free(&model->allocator, round);
        return NULL;
    }
    *w = (wide){.model = model, .pool = pool, .kernels = choose(path), .is_round = round};
    for (int k = 0; k < model->moving_count; k++) round[k] = is_round(&model->bodies[model->moving[k]].J);
    return w;
}

static void free_array(const wide *w, wide_array *a)
{
    mem_free(&w->model->allocator, a->memory);
}

void wide_destroy(wide *w)
{
    if (!w) return;
    wide_array *arrays[] = {&w->blocks,  &w->bodies,       &w->last,     &w->inertia,    &w->x[0],
                            &w->x[1],    &w->x[2],         &w->x[3],     &w->saved,      &w->sums,
                            &w->batches, &w->colours,      &w->island,   &w->taken,      &w->order,
                            &w->place,   &w->island_count, &w->batch_of, &w->body_place, &w->colour_of};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) free_array(w, arrays[k]);
    mem_free(&w->model->allocator, w->is_round);
    mem_free(&w->model->allocator, w);
}

// Room for `count` elements, a quarter more where it must grow; what was there is lost. NULL when out of memory.
static void *room(wide *w, wide_array *a, size_t count, size_t size)
{
    const size_t bytes = count * size + ALIGNMENT;
    if (bytes <= a->bytes) return a->at;
    free_array(w, a);
    a->bytes = bytes + bytes / 4;
    a->memory = mem_alloc(&w->model->allocator, a->bytes + ALIGNMENT);
    if (!a->memory) a->bytes = 0;
    a->at = a->memory ? (char *)a->memory + (ALIGNMENT - (uintptr_t)a->memory % ALIGNMENT) : NULL;
    w->growths++;
    return a->at;
}

// ---- Islands --------------------------------------------------------------------------------------------------------

static int root_of(int *parent, int k)
{
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

// The smaller of both numbers leads, so that islands come in the order of their first body.
static void find_islands(const wide_problem *d, int bodies, int *parent)
{
    for (int k = 0; k < bodies; k++) parent[k] = k;
    for (int i = 0; i < d->contact_count; i++) {
        const wide_pair *c = &d->pairs[i];
        if (c->a < 0 || c->b < 0) continue;
        const int p = root_of(parent, c->a), q = root_of(parent, c->b);
        if (p < q)
            parent[q] = p;
        else
            parent[p] = q;
    }
    for (int k = 0; k < bodies; k++) parent[k] = root_of(parent, k);
}

static int mover_of(const wide_pair *c)
{
    return c->a >= 0 ? c->a : c->b;
}

// Islands with contacts are numbered and put into batches of at least BATCH_LEAST contacts.
static bool make_batches(wide *w, const wide_problem *d)
{
    const int bodies = w->model->moving_count;
    int *island = room(w, &w->island, (size_t)bodies, sizeof(int));
    int *count = room(w, &w->island_count, (size_t)bodies, sizeof(int));
    int *batch = room(w, &w->batch_of, (size_t)bodies, sizeof(int));
    if (!island || !count || !batch) return false;
    find_islands(d, bodies, island);
    memset(count, 0, sizeof(int) * (size_t)bodies);
    for (int i = 0; i < d->contact_count; i++) count[island[mover_of(&d->pairs[i])]]++;
    w->batch_count = 0;
    for (int k = 0, filled = BATCH_LEAST; k < bodies; k++) {
        if (count[k] == 0) continue;
        if (filled >= BATCH_LEAST || count[k] >= BATCH_LEAST) {
            w->batch_count++;
            filled = 0;
        }
        batch[k] = w->batch_count - 1;
        filled += count[k];
    }
    return room(w, &w->batches, (size_t)w->batch_count + 1, sizeof(wide_batch));
}

// Bodies and contacts of a batch side by side.
static bool sort_by_batch(wide *w, const wide_problem *d)
{
    const int bodies = w->model->moving_count;
    const int *island = w->island.at, *count = w->island_count.at, *batch = w->batch_of.at;
    wide_batch *batches = w->batches.at;
    int *place = room(w, &w->body_place, (size_t)bodies, sizeof(int));
    int *order = room(w, &w->order, (size_t)d->contact_count, sizeof(int));
    if (!place || !order) return false;
    for (int b = 0; b <= w->batch_count; b++) batches[b] = (wide_batch){0};
    for (int k = 0; k < bodies; k++)
        if (count[island[k]] > 0) batches[batch[island[k]] + 1].body++;
    for (int i = 0; i < d->contact_count; i++) batches[batch[island[mover_of(&d->pairs[i])]] + 1].contact++;
    for (int b = 0; b < w->batch_count; b++) {
        batches[b].body_end = batches[b].body;
        batches[b].contact_end = batches[b].contact;
        batches[b + 1].body += batches[b].body;
        batches[b + 1].contact += batches[b].contact;
    }
    w->body_count = batches[w->batch_count].body;
    for (int k = 0; k < bodies; k++) place[k] = count[island[k]] > 0 ? batches[batch[island[k]]].body_end++ : -1;
    for (int i = 0; i < d->contact_count; i++) order[batches[batch[island[mover_of(&d->pairs[i])]]].contact_end++] = i;
    return true;
}

// ---- Colours --------------------------------------------------------------------------------------------------------

// The first colour that neither body of a contact has.
static int pick_colour(const wide *w, const wide_pair *c)
{
    uint64_t *taken = w->taken.at, none = 0;
    uint64_t *a = c->a >= 0 ? &taken[c->a] : &none, *b = c->b >= 0 ? &taken[c->b] : &none;
    const uint64_t both = *a | *b;
    if (both == UINT64_MAX) return COLOURS;
    int colour = 0;
    while (both >> colour & 1) colour++;
    *a |= (uint64_t)1 << colour;
    *b |= (uint64_t)1 << colour;
    return colour;
}

// The colours of one batch, and which place its contacts have in them.
static void paint(wide *w, const wide_problem *d, wide_batch *b)
{
    const int *order = w->order.at;
    int *place = w->place.at, count[COLOURS + 1] = {0}, first[COLOURS + 1];
    unsigned char *colour_of = w->colour_of.at;
    for (int k = b->contact; k < b->contact_end; k++) {
        const int i = order[k];
        colour_of[i] = (unsigned char)pick_colour(w, &d->pairs[i]);
        place[i] = count[colour_of[i]]++;
    }
    b->colour = w->colour_count;
    for (int c = 0; c <= COLOURS; c++) {
        const bool one_by_one = c == COLOURS;
        const int blocks = one_by_one ? count[c] : (count[c] + WIDE - 1) / WIDE;
        first[c] = w->block_count;
        w->block_count += blocks;
        if (blocks > 0)
            ((wide_colour *)w->colours.at)[w->colour_count++] = (wide_colour){first[c], w->block_count, one_by_one};
    }
    b->colour_end = w->colour_count;
    for (int k = b->contact; k < b->contact_end; k++) {
        const int i = order[k], c = colour_of[i];
        place[i] = WIDE * first[c] + (c == COLOURS ? WIDE * place[i] : place[i]);
    }
}

static bool make_colours(wide *w, const wide_problem *d)
{
    const size_t contacts = (size_t)d->contact_count, bodies = (size_t)w->model->moving_count;
    wide_batch *batches = w->batches.at;
    uint64_t *taken = room(w, &w->taken, bodies, sizeof *taken);
    if (!taken || !room(w, &w->place, contacts, sizeof(int)) || !room(w, &w->colour_of, contacts, 1) ||
        !room(w, &w->colours, contacts, sizeof(wide_colour)))
        return false;
    memset(taken, 0, sizeof *taken * bodies);
    w->colour_count = w->block_count = 0;
    for (int b = 0; b < w->batch_count; b++) paint(w, d, &batches[b]);
    return true;
}

// ---- The problem ----------------------------------------------------------------------------------------------------

static bool make_room(wide *w)
{
    const size_t blocks = (size_t)w->block_count, bodies = (size_t)w->body_count + 1;
    bool ok = room(w, &w->blocks, blocks, sizeof(wide_block)) && room(w, &w->bodies, bodies, sizeof(wide_body)) &&
              room(w, &w->last, bodies, sizeof(wide_body)) && room(w, &w->saved, bodies, sizeof(wide_body)) &&
              room(w, &w->inertia, bodies, sizeof(wide_inertia)) &&
              room(w, &w->sums, blocks / CHUNK_BLOCKS + bodies / CHUNK_BODIES + 2, sizeof(wide_sums));
    for (int k = 0; ok && k < 4; k++) ok = room(w, &w->x[k], blocks, sizeof(wide_vector));
    return ok;
}

static void put3(wide_vector *to, int lane, ph_vec3 v)
{
    to->v[0][lane] = v.x;
    to->v[1][lane] = v.y;
    to->v[2][lane] = v.z;
}

static ph_vec3 get3(const wide_vector *from, int lane)
{
    return ph_vec(from->v[0][lane], from->v[1][lane], from->v[2][lane]);
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

static void put_contact(wide *w, const wide_problem *d, int i)
{
    const wide_pair pair = d->pairs[i];
    const wide_contact c = d->contact(d->user, i);
    const int place = ((const int *)w->place.at)[i], lane = place % WIDE, *body = w->body_place.at;
    wide_block *block = (wide_block *)w->blocks.at + place / WIDE;
    const ph_vec3 t = ph_any_perpendicular(c.n), axes[3] = {c.n, t, ph_cross(c.n, t)};
    diagonal_block N = {0};
    add_diagonal(d, axes, pair.a, c.arm_a, &N);
    add_diagonal(d, axes, pair.b, c.arm_b, &N);
    const double half = 0.5 * (N.tt - N.ss);
    put3(&block->n, lane, c.n);
    put3(&block->arm_a, lane, c.arm_a);
    put3(&block->arm_b, lane, c.arm_b);
    block->bias[lane] = c.bias;
    block->mu[lane] = c.friction;
    put3(&block->tn, lane, N.tn);
    block->inverse_n[lane] = 1.0 / (N.nn + c.softness);
    block->inverse_t[lane] = 1.0 / (0.5 * (N.tt + N.ss) + sqrt(half * half + N.ts * N.ts));
    block->soft[lane] = c.softness;
    block->a[lane] = pair.a >= 0 ? body[pair.a] : w->body_count;
    block->b[lane] = pair.b >= 0 ? body[pair.b] : w->body_count;
    put3((wide_vector *)w->x[0].at + place / WIDE, lane, d->x[i]);
}

// Contacts that nothing moves: they stay at zero.
static void put_nothing(wide *w, const wide_colour *colour)
{
    wide_block empty = {.soft = {0}};
    for (int k = 0; k < WIDE; k++) {
        empty.n.v[2][k] = empty.inverse_n[k] = empty.inverse_t[k] = 1.0;
        empty.a[k] = empty.b[k] = w->body_count;
    }
    for (int k = colour->one_by_one ? colour->block : colour->block_end - 1; k < colour->block_end; k++) {
        ((wide_block *)w->blocks.at)[k] = empty;
        ((wide_vector *)w->x[0].at)[k] = (wide_vector){0};
    }
}

static void put_twist(wide_body *b, const screw *twist)
{
    b->v[0] = twist->move.x, b->v[1] = twist->move.y, b->v[2] = twist->move.z;
    b->w[0] = twist->turn.x, b->w[1] = twist->turn.y, b->w[2] = twist->turn.z;
}

// Returns whether all are round.
static bool put_bodies(wide *w, const wide_problem *d)
{
    const int *place = w->body_place.at;
    wide_body *bodies = w->bodies.at;
    wide_inertia *inertia = w->inertia.at;
    bool round = true;
    for (int k = 0; k < w->model->moving_count; k++) {
        if (place[k] < 0) continue;
        const ph_mat3 *J = &d->inverse_inertia[k];
        put_twist(&bodies[place[k]], &d->twists[k]);
        bodies[place[k]].inverse_mass = d->inverse_mass[k];
        bodies[place[k]].inverse_spin = J->m[0][0];
        inertia[place[k]] =
            (wide_inertia){{J->m[0][0], J->m[1][1], J->m[2][2], 0.0}, {J->m[1][2], J->m[0][2], J->m[0][1], 0.0}};
        round = round && w->is_round[k];
    }
    bodies[w->body_count] = (wide_body){{0}, 0.0, {0}, 0.0};
    inertia[w->body_count] = (wide_inertia){{0}, {0}};
    return round;
}

// Before the first sweep nothing is extrapolated.
static void set_last(wide *w)
{
    memcpy(w->last.at, w->bodies.at, sizeof(wide_body) * ((size_t)w->body_count + 1));
    memcpy(w->x[1].at, w->x[0].at, sizeof(wide_vector) * (size_t)w->block_count);
}

// ---- Passes ---------------------------------------------------------------------------------------------------------

typedef struct pass_run {
    wide_kernel *kernel;
    const wide_pass *pass;
    int from, to, chunk;
    wide_sums *sums;
} pass_run;

static void run_chunk(void *user, int index)
{
    const pass_run *r = user;
    const int from = r->from + index * r->chunk, to = from + r->chunk < r->to ? from + r->chunk : r->to;
    r->kernel(r->pass, from, to, &r->sums[index]);
}

static void run_pass(wide *w, wide_kernel *kernel, const wide_pass *pass, int from, int to, int chunk, wide_sums *all)
{
    pass_run r = {kernel, pass, from, to, chunk, w->sums.at};
    const int count = (to - from + chunk - 1) / chunk;
    pool_run(w->pool, run_chunk, &r, count);
    for (int k = 0; k < count; k++) {
        all->turned += r.sums[k].turned;
        all->beyond += r.sums[k].beyond;
        all->error = r.sums[k].error > all->error ? r.sums[k].error : all->error;
    }
}

// ---- One batch ------------------------------------------------------------------------------------------------------

typedef struct wide_run {
    wide *w;
    const wide_batch *batch;
    wide_pass pass;
    wide_vector *best, *saved;
    wide_body *saved_bodies;
    double best_error, t;
    int sweeps, passes; // passes: of polishing, too
} wide_run;

static int first_block(const wide_run *r)
{
    return ((const wide_colour *)r->w->colours.at)[r->batch->colour].block;
}

static int end_block(const wide_run *r)
{
    return ((const wide_colour *)r->w->colours.at)[r->batch->colour_end - 1].block_end;
}

static void copy_blocks(const wide_run *r, wide_vector *to, const wide_vector *from)
{
    const int first = first_block(r);
    memcpy(to + first, from + first, sizeof *to * (size_t)(end_block(r) - first));
}

static void copy_bodies(const wide_run *r, wide_body *to, const wide_body *from)
{
    const int first = r->batch->body;
    memcpy(to + first, from + first, sizeof *to * (size_t)(r->batch->body_end - first));
}

static void keep_best(wide_run *r, double error)
{
    if (error > r->best_error) return;
    r->best_error = error;
    copy_blocks(r, r->best, r->pass.x);
}

// One pass over all colours.
static wide_sums run_colours(wide_run *r, wide_kernel *kernel)
{
    wide_sums s = {0};
    for (int c = r->batch->colour; c < r->batch->colour_end; c++) {
        const wide_colour *colour = (wide_colour *)r->w->colours.at + c;
        const int chunk = colour->one_by_one ? colour->block_end - colour->block : CHUNK_BLOCKS;
        run_pass(r->w, kernel, &r->pass, colour->block, colour->block_end, chunk, &s);
    }
    return s;
}

// The error of x, and how many contacts are beyond the tolerance; the best is kept.
static wide_sums look_at_batch(wide_run *r)
{
    wide_sums s = {0};
    r->pass.part = 0.0;
    run_pass(r->w, r->w->kernels->polish, &r->pass, first_block(r), end_block(r), CHUNK_BLOCKS, &s);
    keep_best(r, s.error);
    return s;
}

// Passes over contacts beyond the tolerance alone, while they become fewer. A pass without any is the proof that all are
// within. Else sweeps go on from where they were.
static void polish_batch(wide_run *r, int budget)
{
    wide_sums s = {.beyond = HUGE_VAL};
    double least = HUGE_VAL;
    copy_blocks(r, r->saved, r->pass.x);
    copy_bodies(r, r->saved_bodies, r->pass.bodies);
    r->pass.part = POLISH_PART;
    for (int since = 0; s.beyond > 0.0 && since < POLISH_PATIENCE && r->passes < budget; r->passes++) {
        s = run_colours(r, r->w->kernels->polish);
        since = s.beyond < least ? 0 : since + 1;
        least = fmin(least, s.beyond);
    }
    if (s.beyond == 0.0) {
        keep_best(r, s.error);
        return;
    }
    copy_blocks(r, r->pass.x, r->saved);
    copy_bodies(r, r->pass.bodies, r->saved_bodies);
}

// One sweep over all colours from the extrapolated impulses.
static void sweep_batch(wide_run *r)
{
    wide *w = r->w;
    wide_pass *p = &r->pass;
    wide_sums none = {0};
    run_pass(w, w->kernels->extrapolate, p, r->batch->body, r->batch->body_end, CHUNK_BODIES, &none);
    const wide_sums s = run_colours(r, w->kernels->sweep);
    wide_vector *x = p->x_last; // what comes after x
    p->x_last = p->x;
    p->x = x;
    const double t = r->t, t_next = 0.5 * (-t * t + t * sqrt(t * t + 4.0)), c = t * (1.0 - t) / (t * t + t_next);
    const bool restart = s.turned > 0.0;
    r->t = restart ? 1.0 : t_next;
    p->c = restart ? 0.0 : fmin(c, cap_of(r->sweeps));
    r->sweeps++;
    r->passes++;
}

// To the tolerance or as far as the budget goes.
static void solve_batch(wide_run *r, double tolerance, int budget)
{
    const double few = fmax(FEW, FEW_OF_ALL * (r->batch->contact_end - r->batch->contact));
    r->pass.tolerance = tolerance;
    wide_sums s = look_at_batch(r);
    while (r->best_error > tolerance && r->passes < budget) {
        if (s.beyond <= few) polish_batch(r, budget);
        if (r->best_error <= tolerance) break;
        for (int k = 0; k < LOOK_EVERY && r->passes < budget; k++) sweep_batch(r);
        s = look_at_batch(r);
    }
}

// ---- The whole ------------------------------------------------------------------------------------------------------

enum { LOADED = 256 }; // contacts that a thread takes at a time

typedef struct wide_load {
    wide *w;
    const wide_problem *d;
} wide_load;

static void put_contacts(void *user, int index)
{
    const wide_load *l = user;
    const int from = index * LOADED, all = l->d->contact_count, to = from + LOADED < all ? from + LOADED : all;
    for (int i = from; i < to; i++) put_contact(l->w, l->d, i);
}

static bool load_problem(wide *w, const wide_problem *d, bool *round)
{
    wide_load load = {w, d};
    w->contact_count = d->contact_count;
    w->growths = 0;
    if (!make_batches(w, d) || !sort_by_batch(w, d) || !make_colours(w, d) || !make_room(w)) return false;
    for (int c = 0; c < w->colour_count; c++) put_nothing(w, (wide_colour *)w->colours.at + c);
    pool_run(w->pool, put_contacts, &load, (d->contact_count + LOADED - 1) / LOADED);
    *round = put_bodies(w, d);
    set_last(w);
    return true;
}

static void write_impulses(const wide *w, const wide_problem *d, const wide_vector *x)
{
    const int *place = w->place.at;
    for (int i = 0; i < d->contact_count; i++) d->x[i] = get3(&x[place[i] / WIDE], place[i] % WIDE);
}

bool wide_solve(wide *w, const wide_problem *d, const ph_cone_settings *settings, ph_cone_report *report)
{
    const double begin = clock_seconds();
    bool round;
    if (!load_problem(w, d, &round)) return false;
    const double set = clock_seconds();
    *report = (ph_cone_report){.solver = "pgs", .worst_cone = PH_NONE};
    const int budget = settings->iterations > 0 ? settings->iterations : 3000;
    for (int b = 0; b < w->batch_count; b++) {
        wide_run r = {.w = w,
                      .batch = (wide_batch *)w->batches.at + b,
                      .best = w->x[2].at,
                      .saved = w->x[3].at,
                      .saved_bodies = w->saved.at,
                      .t = 1.0};
        r.best_error = HUGE_VAL;
        r.pass = (wide_pass){.blocks = w->blocks.at,
                             .bodies = w->bodies.at,
                             .last = w->last.at,
                             .inertia = round ? NULL : w->inertia.at,
                             .still = w->body_count,
                             .x = w->x[0].at,
                             .x_last = w->x[1].at};
        solve_batch(&r, settings->tolerance, budget);
        report->iterations = r.passes > report->iterations ? r.passes : report->iterations;
        report->residual = r.best_error > report->residual ? r.best_error : report->residual;
    }
    write_impulses(w, d, w->x[2].at);
    report->converged = report->residual <= settings->tolerance;
    report->growths = w->growths;
    report->setup_seconds = set - begin;
    report->seconds = clock_seconds() - set;
    return true;
}
