// The kernels of wide.h, for the instruction set and the number of lanes (LANES: 4 or 8) of the file that includes this.
//
// Only additions, multiplications, divisions and roots, each rounded as it stands, in the same order for every number of
// lanes: all files give the same bits.
#include "contact/wide.h"

#include <math.h>
#include <string.h>
#if defined __SSE2__
#include <immintrin.h>
#endif

typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef long long lanes_mask __attribute__((vector_size(8 * LANES)));
typedef double four __attribute__((vector_size(32)));
typedef long long four_mask __attribute__((vector_size(32)));

#define INLINE static inline __attribute__((always_inline))

// SHUFFLE(kind, a, b, which...): those elements of a and b, counted through both. clang's name, and gcc's of every version.
#if defined __clang__
#define SHUFFLE(kind, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(kind, a, b, ...) __builtin_shuffle(a, b, (kind##_mask){__VA_ARGS__})
#endif

// ---- Lanes ----------------------------------------------------------------------------------------------------------

INLINE lanes lanes_load(const double *from)
{
    lanes a;
    memcpy(&a, from, sizeof a);
    return a;
}

INLINE void lanes_store(double *to, lanes a)
{
    memcpy(to, &a, sizeof a);
}

INLINE lanes lanes_of(double a)
{
    return a - (lanes){0};
}

INLINE lanes lanes_pick(lanes_mask which, lanes yes, lanes no)
{
    return (lanes)((which & (lanes_mask)yes) | (~which & (lanes_mask)no));
}

INLINE lanes lanes_larger(lanes a, lanes b)
{
    return lanes_pick(a > b, a, b);
}

INLINE lanes lanes_root(lanes a)
{
#if LANES == 8 && defined __AVX512F__
    return (lanes)_mm512_sqrt_pd((__m512d)a);
#elif LANES == 4 && defined __AVX__
    return (lanes)_mm256_sqrt_pd((__m256d)a);
#else
    for (int k = 0; k < LANES; k++) a[k] = sqrt(a[k]);
    return a;
#endif
}

typedef struct lanes3 {
    lanes x, y, z;
} lanes3;

INLINE lanes3 load3(const wide_vector *from, int at)
{
    return (lanes3){lanes_load(from->v[0] + at), lanes_load(from->v[1] + at), lanes_load(from->v[2] + at)};
}

INLINE void store3(wide_vector *to, int at, lanes3 a)
{
    lanes_store(to->v[0] + at, a.x);
    lanes_store(to->v[1] + at, a.y);
    lanes_store(to->v[2] + at, a.z);
}

INLINE lanes3 add3(lanes3 a, lanes3 b)
{
    return (lanes3){a.x + b.x, a.y + b.y, a.z + b.z};
}

INLINE lanes3 sub3(lanes3 a, lanes3 b)
{
    return (lanes3){a.x - b.x, a.y - b.y, a.z - b.z};
}

INLINE lanes3 scale3(lanes s, lanes3 a)
{
    return (lanes3){s * a.x, s * a.y, s * a.z};
}

INLINE lanes3 madd3(lanes3 a, lanes s, lanes3 b)
{
    return (lanes3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

INLINE lanes dot3(lanes3 a, lanes3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

INLINE lanes3 cross3(lanes3 a, lanes3 b)
{
    return (lanes3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// ---- Rows of four to lanes and back ---------------------------------------------------------------------------------

INLINE four four_load(const double *from)
{
    four a;
    memcpy(&a, from, sizeof a);
    return a;
}

INLINE void four_store(double *to, four a)
{
    memcpy(to, &a, sizeof a);
}

typedef struct lanes4 {
    lanes3 v;
    lanes last;
} lanes4;

#if LANES == 4

// Four rows of four become four columns, and back.
typedef struct four4 {
    four a, b, c, d;
} four4;

INLINE four4 turned(four a, four b, four c, four d)
{
    const four ab_even = SHUFFLE(four, a, b, 0, 4, 2, 6); // a0 b0 a2 b2
    const four ab_odd = SHUFFLE(four, a, b, 1, 5, 3, 7);
    const four cd_even = SHUFFLE(four, c, d, 0, 4, 2, 6);
    const four cd_odd = SHUFFLE(four, c, d, 1, 5, 3, 7);
    return (four4){SHUFFLE(four, ab_even, cd_even, 0, 1, 4, 5), SHUFFLE(four, ab_odd, cd_odd, 0, 1, 4, 5),
                   SHUFFLE(four, ab_even, cd_even, 2, 3, 6, 7), SHUFFLE(four, ab_odd, cd_odd, 2, 3, 6, 7)};
}

// Four numbers of each body.
INLINE lanes4 load_fours(const double *base, const int *body)
{
    const four4 t = turned(four_load(base + 8 * (size_t)body[0]), four_load(base + 8 * (size_t)body[1]),
                           four_load(base + 8 * (size_t)body[2]), four_load(base + 8 * (size_t)body[3]));
    return (lanes4){{t.a, t.b, t.c}, t.d};
}

INLINE void store_fours(double *base, const int *body, int still, lanes4 rows)
{
    const four4 t = turned(rows.v.x, rows.v.y, rows.v.z, rows.last);
    if (body[0] != still) four_store(base + 8 * (size_t)body[0], t.a);
    if (body[1] != still) four_store(base + 8 * (size_t)body[1], t.b);
    if (body[2] != still) four_store(base + 8 * (size_t)body[2], t.c);
    if (body[3] != still) four_store(base + 8 * (size_t)body[3], t.d);
}

#endif

// ---- Bodies of LANES contacts ---------------------------------------------------------------------------------------

enum { BODY = sizeof(wide_body) / sizeof(double), INERTIA = sizeof(wide_inertia) / sizeof(double) };
_Static_assert(BODY == 8 && INERTIA == 8, "a body is a row of eight numbers");

typedef struct lanes_row { // two rows of four
    lanes4 first, second;
} lanes_row;

#if LANES == 8

// Rows become columns, and columns rows.
INLINE void turn_eight(lanes *r)
{
    lanes t[8], u[8];
    for (int k = 0; k < 8; k += 2) {
        t[k] = SHUFFLE(lanes, r[k], r[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        t[k + 1] = SHUFFLE(lanes, r[k], r[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int k = 0; k < 8; k += 4) {
        u[k] = SHUFFLE(lanes, t[k], t[k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        u[k + 1] = SHUFFLE(lanes, t[k + 1], t[k + 3], 0, 1, 8, 9, 4, 5, 12, 13);
        u[k + 2] = SHUFFLE(lanes, t[k], t[k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        u[k + 3] = SHUFFLE(lanes, t[k + 1], t[k + 3], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    for (int k = 0; k < 4; k++) {
        r[k] = SHUFFLE(lanes, u[k], u[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        r[k + 4] = SHUFFLE(lanes, u[k], u[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

INLINE lanes_row load_row(const double *base, const int *body)
{
    lanes r[8];
    for (int k = 0; k < 8; k++) r[k] = lanes_load(base + 8 * (size_t)body[k]);
    turn_eight(r);
    return (lanes_row){{{r[0], r[1], r[2]}, r[3]}, {{r[4], r[5], r[6]}, r[7]}};
}

INLINE void store_row(double *base, const int *body, int still, const lanes_row *b)
{
    lanes r[8] = {b->first.v.x,  b->first.v.y,  b->first.v.z,  b->first.last,
                  b->second.v.x, b->second.v.y, b->second.v.z, b->second.last};
    turn_eight(r);
    for (int k = 0; k < 8; k++)
        if (body[k] != still) lanes_store(base + 8 * (size_t)body[k], r[k]);
}

#else

INLINE lanes_row load_row(const double *base, const int *body)
{
    return (lanes_row){load_fours(base, body), load_fours(base + 4, body)};
}

INLINE void store_row(double *base, const int *body, int still, const lanes_row *b)
{
    store_fours(base, body, still, b->first);
    store_fours(base + 4, body, still, b->second);
}

#endif

typedef struct lanes_body {
    lanes4 move, turn; // with inverse mass and inertia
} lanes_body;

INLINE lanes_body load_bodies(const wide_body *bodies, const int *body)
{
    const lanes_row r = load_row(bodies->v, body);
    return (lanes_body){r.first, r.second};
}

INLINE void store_bodies(wide_body *bodies, const int *body, int still, const lanes_body *b)
{
    const lanes_row r = {b->move, b->turn};
    store_row(bodies->v, body, still, &r);
}

// Velocity of the point at `arm`.
INLINE lanes3 point_velocity(const lanes_body *b, lanes3 arm)
{
    return add3(b->move.v, cross3(b->turn.v, arm));
}

// M^-1 of an impulse at `arm`, added.
INLINE void push(const wide_pass *p, const int *body, lanes_body *b, lanes3 arm, lanes3 impulse)
{
    const lanes3 torque = cross3(arm, impulse);
    b->move.v = madd3(b->move.v, b->move.last, impulse);
    if (!p->inertia) {
        b->turn.v = madd3(b->turn.v, b->turn.last, torque);
        return;
    }
    const lanes_row inverse = load_row(p->inertia->diagonal, body);
    const lanes3 d = inverse.first.v, r = inverse.second.v;
    const lanes3 spin = {d.x * torque.x + r.z * torque.y + r.y * torque.z,
                         r.z * torque.x + d.y * torque.y + r.x * torque.z,
                         r.y * torque.x + r.x * torque.y + d.z * torque.z};
    b->turn.v = add3(b->turn.v, spin);
}

// ---- Sums -----------------------------------------------------------------------------------------------------------

// Of eight lanes, as 8/LANES of LANES.
typedef struct lanes_sums {
    lanes turned[WIDE / LANES], beyond[WIDE / LANES], error[WIDE / LANES];
} lanes_sums;

INLINE void put_sums(const lanes_sums *s, wide_sums *to)
{
    double t[WIDE], b[WIDE], e[WIDE];
    memcpy(t, s->turned, sizeof t);
    memcpy(b, s->beyond, sizeof b);
    memcpy(e, s->error, sizeof e);
    *to = (wide_sums){0};
    for (int k = 0; k < WIDE; k++) {
        to->turned += t[k];
        to->beyond += b[k];
        to->error = e[k] > to->error ? e[k] : to->error;
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
INLINE lanes3 solved(const wide_block *e, int at, lanes3 n, lanes3 y, lanes3 u)
{
    const lanes zero = {0}, one = lanes_of(1.0);
    const lanes un = dot3(n, u), yn = dot3(n, y);
    const lanes with_bias = un + lanes_load(e->bias + at) + lanes_load(e->soft + at) * yn;
    const lanes normal = lanes_larger(yn - lanes_load(e->inverse_n + at) * with_bias, zero);
    const lanes3 yt = sub3(y, scale3(yn, n)), ut = madd3(sub3(u, scale3(un, n)), normal - yn, load3(&e->tn, at));
    const lanes3 zt = sub3(yt, scale3(lanes_load(e->inverse_t + at), ut));
    const lanes T = lanes_root(dot3(zt, zt)), most = lanes_load(e->mu + at) * normal;
    return madd3(scale3(normal, n), lanes_pick(T > most, most / T, one), zt);
}

static void sweep(const wide_pass *p, int from, int to, wide_sums *sums)
{
    lanes_sums s = {0};
    const lanes c = lanes_of(p->c);
    for (int k = from; k < to; k++) {
        const wide_block *e = &p->blocks[k];
        for (int h = 0, at = 0; h < WIDE / LANES; h++, at += LANES) {
            lanes_body a = load_bodies(p->bodies, e->a + at), b = load_bodies(p->bodies, e->b + at);
            const lanes3 n = load3(&e->n, at), arm_a = load3(&e->arm_a, at), arm_b = load3(&e->arm_b, at);
            const lanes3 x = load3(&p->x[k], at), y = madd3(x, c, sub3(x, load3(&p->x_last[k], at)));
            const lanes3 u = sub3(point_velocity(&b, arm_b), point_velocity(&a, arm_a));
            const lanes3 next = solved(e, at, n, y, u);
            const lanes3 change = sub3(next, y);
            push(p, e->b + at, &b, arm_b, change);
            push(p, e->a + at, &a, arm_a, (lanes3){-change.x, -change.y, -change.z});
            store_bodies(p->bodies, e->b + at, p->still, &b);
            store_bodies(p->bodies, e->a + at, p->still, &a);
            store3(&p->x_last[k], at, next);
            s.turned[h] -= dot3(change, sub3(next, x)) / lanes_load(e->inverse_n + at);
        }
    }
    put_sums(&s, sums);
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
INLINE lanes error_of(const wide_block *e, int at, lanes3 n, lanes3 x, lanes3 u)
{
    const lanes un = dot3(n, u), mu = lanes_load(e->mu + at);
    const lanes3 ut = sub3(u, scale3(un, n));
    const lanes shift =
        lanes_load(e->bias + at) + lanes_load(e->soft + at) * dot3(n, x) + mu * lanes_root(dot3(ut, ut));
    const lanes d = (1.0 / lanes_load(e->inverse_n + at) + 2.0 / lanes_load(e->inverse_t + at)) * (1.0 / 3.0);
    const lanes3 z = sub3(x, scale3(1.0 / d, madd3(u, shift, n)));
    const lanes3 moved = sub3(x, project(mu, n, z));
    return d * lanes_root(dot3(moved, moved));
}

INLINE bool any(lanes_mask which)
{
    long long all = 0;
    for (int k = 0; k < LANES; k++) all |= which[k];
    return all != 0;
}

// Contacts beyond the tolerance are moved by a part of what would solve them, all others stay.
static void polish(const wide_pass *p, int from, int to, wide_sums *sums)
{
    lanes_sums s = {0};
    const lanes tolerance = lanes_of(p->tolerance), zero = {0}, one = lanes_of(1.0), part = lanes_of(p->part);
    for (int k = from; k < to; k++) {
        const wide_block *e = &p->blocks[k];
        for (int h = 0, at = 0; h < WIDE / LANES; h++, at += LANES) {
            lanes_body a = load_bodies(p->bodies, e->a + at), b = load_bodies(p->bodies, e->b + at);
            const lanes3 n = load3(&e->n, at), arm_a = load3(&e->arm_a, at), arm_b = load3(&e->arm_b, at);
            const lanes3 x = load3(&p->x[k], at);
            const lanes3 u = sub3(point_velocity(&b, arm_b), point_velocity(&a, arm_a));
            const lanes error = error_of(e, at, n, x, u);
            const lanes_mask beyond = ~(error <= tolerance);
            s.beyond[h] += lanes_pick(beyond, one, zero);
            s.error[h] = larger_error(error, s.error[h]);
            if (p->part == 0.0 || !any(beyond)) continue;
            const lanes how_much = lanes_pick(beyond, part, zero);
            const lanes3 change = scale3(how_much, sub3(solved(e, at, n, x, u), x));
            push(p, e->b + at, &b, arm_b, change);
            push(p, e->a + at, &a, arm_a, (lanes3){-change.x, -change.y, -change.z});
            store_bodies(p->bodies, e->b + at, p->still, &b);
            store_bodies(p->bodies, e->a + at, p->still, &a);
            store3(&p->x[k], at, add3(x, change));
        }
    }
    put_sums(&s, sums);
}

// ---- Bodies ---------------------------------------------------------------------------------------------------------

// V <- V + c (V - V_last), V_last <- V; inverse mass and inertia do not change.
static void extrapolate(const wide_pass *p, int from, int to, wide_sums *sums)
{
    const four c = p->c - (four){0};
    for (int k = from; k < to; k++) {
        const four v = four_load(p->bodies[k].v), w = four_load(p->bodies[k].w);
        const four v_last = four_load(p->last[k].v), w_last = four_load(p->last[k].w);
        four_store(p->bodies[k].v, v + c * (v - v_last));
        four_store(p->bodies[k].w, w + c * (w - w_last));
        four_store(p->last[k].v, v);
        four_store(p->last[k].w, w);
    }
    *sums = (wide_sums){0};
}
