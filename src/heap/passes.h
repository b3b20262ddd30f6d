// The kernels of kernels.h: the passes over blocks and bodies, for the lanes of lanes.h.
#include "heap/lanes.h"

// ---- A block --------------------------------------------------------------------------------------------------------

// LANES contacts of a block. What kind of contacts they are, and whether they are stored in single precision, is known
// where the passes are compiled.
typedef struct strip {
    const heap_pass *p;
    bool single, balls;
    size_t block;
    int at; // lane
} strip;

INLINE lanes load_number(const strip *e, const void *base, size_t row)
{
    const size_t at = row * BLOCK + (size_t)e->at;
#if BITS == 64
    if (e->single) return lanes_load_single((const float *)base + at);
#endif
    return lanes_load((const real *)base + at);
}

INLINE lanes row_of(const strip *e, int row)
{
    return load_number(e, e->p->blocks, e->block * (size_t)e->p->rows + (size_t)row);
}

INLINE lanes3 rows3_of(const strip *e, int row)
{
    return (lanes3){row_of(e, row), row_of(e, row + 1), row_of(e, row + 2)};
}

INLINE lanes3 load_impulse(const strip *e, const void *x)
{
    return (lanes3){load_number(e, x, 3 * e->block), load_number(e, x, 3 * e->block + 1),
                    load_number(e, x, 3 * e->block + 2)};
}

// Single impulses are stored by single kernels alone.
INLINE void store_impulse(const strip *e, void *x, lanes3 a)
{
    real *to = (real *)x + 3 * BLOCK * e->block + (size_t)e->at;
    lanes_store(to, a.x);
    lanes_store(to + BLOCK, a.y);
    lanes_store(to + 2 * BLOCK, a.z);
}

// ---- Bodies of LANES contacts ---------------------------------------------------------------------------------------

typedef struct lanes_body {
    lanes3 v, w;
    lanes inverse_mass, inverse_spin;
} lanes_body;

INLINE lanes_body load_bodies(const heap_pass *p, const int *body)
{
    lanes r[BODY];
    load_rows(p->bodies, body, r);
    return (lanes_body){{r[0], r[1], r[2]}, {r[4], r[5], r[6]}, r[3], r[7]};
}

INLINE void store_bodies(const heap_pass *p, const int *body, const lanes_body *b)
{
    lanes r[BODY] = {b->v.x, b->v.y, b->v.z, b->inverse_mass, b->w.x, b->w.y, b->w.z, b->inverse_spin};
    store_rows(p->bodies, body, p->static_body, r);
}

// Both bodies of each contact, and what the contact knows of them.
typedef struct lanes_pair {
    const int *body_a, *body_b;
    lanes_body a, b;
    lanes3 n;
    lanes reach_a, reach_b; // of balls
    lanes3 arm_a, arm_b;    // of others
} lanes_pair;

INLINE lanes_pair load_pair(const strip *e)
{
    const heap_ends *ends = &e->p->ends[e->block];
    lanes_pair q = {.body_a = ends->a + e->at, .body_b = ends->b + e->at};
    q.a = load_bodies(e->p, q.body_a);
    q.b = load_bodies(e->p, q.body_b);
    q.n = rows3_of(e, ROW_N);
    if (e->balls) {
        q.reach_a = row_of(e, ROW_REACH_A);
        q.reach_b = row_of(e, ROW_REACH_B);
    } else {
        q.arm_a = rows3_of(e, ROW_ARM_A);
        q.arm_b = rows3_of(e, ROW_ARM_B);
    }
    return q;
}

// u = D^T V
INLINE lanes3 relative_velocity(const strip *e, const lanes_pair *q)
{
    if (e->balls) {
        const lanes3 w = madd3(scale3(q->reach_a, q->a.w), q->reach_b, q->b.w);
        return sub3(sub3(q->b.v, q->a.v), cross3(w, q->n));
    }
    const lanes3 a = add3(q->a.v, cross3(q->a.w, q->arm_a)), b = add3(q->b.v, cross3(q->b.w, q->arm_b));
    return sub3(b, a);
}

// The angular velocity that a torque gives.
INLINE lanes3 spin_of(const heap_pass *p, const int *body, const lanes_body *b, lanes3 torque)
{
    if (!p->inertia) return scale3(b->inverse_spin, torque);
    lanes r[BODY];
    load_rows(p->inertia, body, r);
    return (lanes3){r[0] * torque.x + r[6] * torque.y + r[5] * torque.z,
                    r[6] * torque.x + r[1] * torque.y + r[4] * torque.z,
                    r[5] * torque.x + r[4] * torque.y + r[2] * torque.z};
}

// V <- V + M^-1 D x
INLINE void push_pair(const strip *e, lanes_pair *q, lanes3 x)
{
    q->b.v = madd3(q->b.v, q->b.inverse_mass, x);
    q->a.v = madd3(q->a.v, -q->a.inverse_mass, x);
    if (e->balls) {
        const lanes3 torque = cross3(x, q->n);
        q->b.w = madd3(q->b.w, q->b.inverse_spin * q->reach_b, torque);
        q->a.w = madd3(q->a.w, q->a.inverse_spin * q->reach_a, torque);
    } else {
        q->b.w = add3(q->b.w, spin_of(e->p, q->body_b, &q->b, cross3(q->arm_b, x)));
        q->a.w = sub3(q->a.w, spin_of(e->p, q->body_a, &q->a, cross3(q->arm_a, x)));
    }
}

INLINE void store_pair(const strip *e, lanes_pair *q)
{
    store_bodies(e->p, q->body_b, &q->b);
    store_bodies(e->p, q->body_a, &q->a);
}

// A body has moved: all its contacts are active. Other threads may say so of the same contact, across a cut.
INLINE void disturb(const heap_pass *p, int body)
{
    if (body == p->static_body) return;
    const int k = p->body_at[body];
    for (int u = p->use_start[k]; u < p->use_start[k + 1]; u++)
        __atomic_store_n(&p->active[p->place[p->uses[u] / 2]], (unsigned char)255, __ATOMIC_RELAXED);
}

INLINE void disturb_pairs(const heap_pass *p, const lanes_pair *q, lanes_mask which)
{
    integer is[LANES];
    memcpy(is, &which, sizeof is);
    for (int k = 0; k < LANES; k++) {
        if (!is[k]) continue;
        disturb(p, q->body_a[k]);
        disturb(p, q->body_b[k]);
    }
}

// ---- Sums -----------------------------------------------------------------------------------------------------------

// Of BLOCK lanes, as BLOCK/LANES of LANES.
typedef struct lanes_sums {
    lanes restart[BLOCK / LANES], beyond[BLOCK / LANES], error[BLOCK / LANES];
} lanes_sums;

INLINE void put_sums(const lanes_sums *s, heap_sums *to)
{
    real t[BLOCK], b[BLOCK], e[BLOCK];
    memcpy(t, s->restart, sizeof t);
    memcpy(b, s->beyond, sizeof b);
    memcpy(e, s->error, sizeof e);
    *to = (heap_sums){0};
    for (int k = 0; k < BLOCK; k++) {
        to->restart += (double)t[k];
        to->beyond += (double)b[k];
        to->error = (double)e[k] > to->error ? (double)e[k] : to->error;
    }
}

// What is not a number counts as infinite.
INLINE lanes larger_error(lanes e, lanes most)
{
    const lanes infinite = lanes_of(HUGE_VAL);
    return lanes_pick(e > most, e, lanes_pick(e <= most, most, infinite));
}

// ---- Contacts -------------------------------------------------------------------------------------------------------

// The impulse that solves a contact with all others held, from y with relative velocity u there.
INLINE lanes3 solved(const strip *e, lanes3 n, lanes3 y, lanes3 u)
{
    const lanes zero = {0}, one = lanes_of(1.0);
    const lanes un = dot3(n, u), yn = dot3(n, y);
    const lanes with_bias = un + row_of(e, ROW_BIAS) + row_of(e, ROW_SOFT) * yn;
    const lanes normal = lanes_larger(yn - row_of(e, ROW_INVERSE_N) * with_bias, zero);
    lanes3 ut = sub3(u, scale3(un, n));
    if (!e->balls) ut = madd3(ut, normal - yn, rows3_of(e, ROW_TN));
    const lanes3 zt = sub3(sub3(y, scale3(yn, n)), scale3(row_of(e, ROW_INVERSE_T), ut));
    const lanes T = lanes_root(dot3(zt, zt)), most = row_of(e, ROW_MU) * normal;
    return madd3(scale3(normal, n), lanes_pick(T > most, most / T, one), zt);
}

// The nearest point of the friction cone about n.
INLINE lanes3 project(lanes mu, lanes3 n, lanes3 z)
{
    const lanes zero = {0}, one = lanes_of(1.0);
    const lanes zn = dot3(n, z);
    const lanes3 t = sub3(z, scale3(zn, n));
    const lanes T = lanes_root(dot3(t, t));
    const lanes pn = (zn + mu * T) / (one + mu * mu);
    const lanes_mask inside = T <= mu * zn, opposite = mu * T <= -zn;
    const lanes normal = lanes_pick(opposite, zero, lanes_pick(inside, zn, pn));
    const lanes tangent = lanes_pick(opposite, zero, lanes_pick(inside, one, mu * pn / T));
    return madd3(scale3(normal, n), tangent, t);
}

// d |x - P(x - w/d)| with w = u + mu |u_t| n and d = (d_n + 2 d_t)/3.
INLINE lanes error_of(const strip *e, lanes3 n, lanes3 x, lanes3 u)
{
    const lanes un = dot3(n, u), mu = row_of(e, ROW_MU), d = row_of(e, ROW_D);
    const lanes3 ut = sub3(u, scale3(un, n));
    const lanes shift = row_of(e, ROW_BIAS) + row_of(e, ROW_SOFT) * dot3(n, x) + mu * lanes_root(dot3(ut, ut));
    const lanes3 z = sub3(x, scale3(lanes_of(1.0) / d, madd3(u, shift, n)));
    const lanes3 moved = sub3(x, project(mu, n, z));
    return d * lanes_root(dot3(moved, moved));
}

// ---- Passes ---------------------------------------------------------------------------------------------------------

// x+ from y = x + c (x - x_last); V is that of y.
INLINE void sweep_strip(const strip *e, lanes *restart)
{
    const heap_pass *p = e->p;
    lanes_pair q = load_pair(e);
    const lanes3 x = load_impulse(e, p->x), y = madd3(x, lanes_of(p->c), sub3(x, load_impulse(e, p->x_last)));
    const lanes3 next = solved(e, q.n, y, relative_velocity(e, &q)), change = sub3(next, y);
    push_pair(e, &q, change);
    store_pair(e, &q);
    store_impulse(e, p->x_last, next);
    *restart -= dot3(change, sub3(next, x)) * row_of(e, ROW_D);
}

typedef struct checked { // contacts as they are
    lanes_pair q;
    lanes3 x, u;
    lanes_mask is_beyond; // the tolerance
} checked;

INLINE checked check_lanes(const strip *e, lanes *beyond, lanes *most)
{
    const lanes zero = {0};
    checked s = {.q = load_pair(e), .x = load_impulse(e, e->p->x)};
    s.u = relative_velocity(e, &s.q);
    const lanes error = error_of(e, s.q.n, s.x, s.u);
    s.is_beyond = ~(error <= lanes_of(e->p->tolerance));
    *beyond += lanes_pick(s.is_beyond, lanes_of(1.0), zero);
    *most = larger_error(error, *most);
    return s;
}

INLINE void check_strip(const strip *e, lanes *beyond, lanes *most)
{
    const checked s = check_lanes(e, beyond, most);
    if (e->p->seen) lanes_flags(e->p->seen + BLOCK * e->block + (size_t)e->at, s.is_beyond);
}

// Contacts beyond the tolerance are moved by a part of what would solve them, all others stay, bit by bit.
INLINE void polish_strip(const strip *e, lanes *beyond, lanes *most)
{
    const heap_pass *p = e->p;
    const checked s = check_lanes(e, beyond, most);
    if (p->relaxation == 0.0) lanes_flags(p->seen + BLOCK * e->block + (size_t)e->at, s.is_beyond);
    if (p->relaxation == 0.0 || !lanes_any(s.is_beyond)) return;
    const lanes3 change = scale3(lanes_of(p->relaxation), sub3(solved(e, s.q.n, s.x, s.u), s.x));
    lanes_pair q = s.q;
    push_pair(e, &q, change);
    q.a.v = pick3(s.is_beyond, q.a.v, s.q.a.v);
    q.a.w = pick3(s.is_beyond, q.a.w, s.q.a.w);
    q.b.v = pick3(s.is_beyond, q.b.v, s.q.b.v);
    q.b.w = pick3(s.is_beyond, q.b.w, s.q.b.w);
    store_pair(e, &q);
    store_impulse(e, p->x, pick3(s.is_beyond, add3(s.x, change), s.x));
    disturb_pairs(p, &q, s.is_beyond);
}

INLINE void push_strip(const strip *e)
{
    lanes_pair q = load_pair(e);
    push_pair(e, &q, load_impulse(e, e->p->x));
    store_pair(e, &q);
}

typedef enum pass_kind { SWEEP, CHECK, PUSH } pass_kind;

INLINE void run_blocks(const heap_pass *p, bool single, bool balls, pass_kind kind, int from, int to, heap_sums *sums)
{
    lanes_sums s = {0};
    for (int k = from; k < to; k++)
        for (int h = 0; h < BLOCK / LANES; h++) {
            const strip e = {p, single, balls, (size_t)k, h * LANES};
            if (kind == SWEEP) sweep_strip(&e, &s.restart[h]);
            if (kind == CHECK) check_strip(&e, &s.beyond[h], &s.error[h]);
            if (kind == PUSH) push_strip(&e);
        }
    put_sums(&s, sums);
}

// A text of its own for each kind of contacts and storage.
INLINE void run_kind(const heap_pass *p, pass_kind kind, int from, int to, heap_sums *sums)
{
    if (BITS == 64 && !p->single) {
        if (p->balls)
            run_blocks(p, false, true, kind, from, to, sums);
        else
            run_blocks(p, false, false, kind, from, to, sums);
    } else {
        if (p->balls)
            run_blocks(p, true, true, kind, from, to, sums);
        else
            run_blocks(p, true, false, kind, from, to, sums);
    }
}

static void sweep(const heap_pass *p, int from, int to, heap_sums *sums)
{
    run_kind(p, SWEEP, from, to, sums);
}

static void check(const heap_pass *p, int from, int to, heap_sums *sums)
{
    run_kind(p, CHECK, from, to, sums);
}

static void push(const heap_pass *p, int from, int to, heap_sums *sums)
{
    run_kind(p, PUSH, from, to, sums);
}

// V <- V + c (V - V_last), V_last <- V; inverse mass and inertia do not change.
static void extrapolate(const heap_pass *p, int from, int to, heap_sums *sums)
{
    const row c = (real)p->c - (row){0};
    row *bodies = p->bodies, *last = p->last;
    for (int k = from; k < to; k++) {
        const row v = bodies[k];
        bodies[k] = v + c * (v - last[k]);
        last[k] = v;
    }
    *sums = (heap_sums){0};
}

// ---- Polishing ------------------------------------------------------------------------------------------------------

// Mostly few contacts of a block are active. Those of several blocks of one colour, which share no body, are put together.
enum { MANY = 6 }; // of one block are polished where they are

typedef struct handful {
    real blocks[BLOCK_ROWS * BLOCK], x[3 * BLOCK];
    heap_ends ends;
    unsigned char seen[BLOCK];
    size_t place[BLOCK];
    int count;
} handful;

// The first `count` contacts of a block.
static void polish_block(const heap_pass *p, size_t block, int count, lanes_sums *s)
{
    for (int h = 0; h * LANES < count; h++) {
        const strip round = {p, BITS == 32, true, block, h * LANES}, other = {p, BITS == 32, false, block, h * LANES};
        if (p->balls)
            polish_strip(&round, &s->beyond[h], &s->error[h]);
        else
            polish_strip(&other, &s->beyond[h], &s->error[h]);
    }
}

static void pick_up(const heap_pass *p, size_t block, size_t lane, handful *f)
{
    const size_t rows = (size_t)p->rows, to = (size_t)f->count++;
    const real *from = (const real *)p->blocks + rows * BLOCK * block + lane;
    const real *x = (const real *)p->x + 3 * BLOCK * block + lane;
    for (size_t r = 0; r < rows; r++) f->blocks[r * BLOCK + to] = from[r * BLOCK];
    for (size_t r = 0; r < 3; r++) f->x[r * BLOCK + to] = x[r * BLOCK];
    f->ends.a[to] = p->ends[block].a[lane];
    f->ends.b[to] = p->ends[block].b[lane];
    f->place[to] = BLOCK * block + lane;
}

// What takes part in nothing: no bodies, no bias, no impulse.
static void fill_up(const heap_pass *p, handful *f)
{
    for (size_t k = BLOCK; k-- > (size_t)f->count;) {
        f->ends.a[k] = f->ends.b[k] = p->static_body;
        f->x[k] = f->x[BLOCK + k] = f->x[2 * BLOCK + k] = f->blocks[ROW_BIAS * BLOCK + k] = 0;
        f->blocks[ROW_D * BLOCK + k] = 1;
    }
}

static void polish_handful(const heap_pass *p, handful *f, lanes_sums *s)
{
    heap_pass here = *p;
    here.blocks = f->blocks;
    here.ends = &f->ends;
    here.x = f->x;
    here.seen = f->seen;
    fill_up(p, f);
    polish_block(&here, 0, f->count, s);
    for (size_t k = 0; k < (size_t)f->count; k++) {
        real *x = (real *)p->x + 3 * BLOCK * (f->place[k] / BLOCK) + f->place[k] % BLOCK;
        for (size_t r = 0; r < 3; r++) x[r * BLOCK] = f->x[r * BLOCK + k];
        if (p->relaxation == 0.0) p->seen[f->place[k]] = f->seen[k];
    }
    f->count = 0;
}

static void polish(const heap_pass *p, int from, int to, heap_sums *sums)
{
    lanes_sums s = {0};
    handful f = {.count = 0};
    for (int k = from; k < to; k++) {
        unsigned char *active = p->active + BLOCK * (size_t)k;
        if (f.count > 0 && p->colour[k] != p->colour[k - 1]) polish_handful(p, &f, &s);
        unsigned which = bits_of_flags(active);
        if (!which) continue;
        memset(active, 0, BLOCK);
        if (__builtin_popcount(which) >= MANY) {
            polish_block(p, (size_t)k, BLOCK, &s);
            continue;
        }
        for (; which; which &= which - 1) {
            pick_up(p, (size_t)k, (size_t)__builtin_ctz(which), &f);
            if (f.count == BLOCK) polish_handful(p, &f, &s);
        }
    }
    if (f.count > 0) polish_handful(p, &f, &s);
    put_sums(&s, sums);
}
