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

// Four rows of four become four columns, and back.
typedef struct four4 {
    four a, b, c, d;
} four4;

INLINE four4 turned(four a, four b, four c, four d)
{
    const four ab_even = __builtin_shuffle(a, b, (four_mask){0, 4, 2, 6}); // a0 b0 a2 b2
    const four ab_odd = __builtin_shuffle(a, b, (four_mask){1, 5, 3, 7});
    const four cd_even = __builtin_shuffle(c, d, (four_mask){0, 4, 2, 6});
    const four cd_odd = __builtin_shuffle(c, d, (four_mask){1, 5, 3, 7});
    return (four4){__builtin_shuffle(ab_even, cd_even, (four_mask){0, 1, 4, 5}),
                   __builtin_shuffle(ab_odd, cd_odd, (four_mask){0, 1, 4, 5}),
                   __builtin_shuffle(ab_even, cd_even, (four_mask){2, 3, 6, 7}),
                   __builtin_shuffle(ab_odd, cd_odd, (four_mask){2, 3, 6, 7})};
}

enum { FOURS = LANES / 4 };

INLINE lanes join(const four *parts)
{
    lanes a;
    memcpy(&a, parts, sizeof a);
    return a;
}

typedef struct lanes4 {
    lanes3 v;
    lanes last;
} lanes4;

// Rows of four at base + stride body[k] doubles.
INLINE lanes4 load_rows(const double *base, size_t stride, const int *body)
{
    four x[FOURS], y[FOURS], z[FOURS], last[FOURS];
    for (int k = 0; k < FOURS; k++) {
        const int *at = body + 4 * k;
        const four4 t = turned(four_load(base + stride * (size_t)at[0]), four_load(base + stride * (size_t)at[1]),
                               four_load(base + stride * (size_t)at[2]), four_load(base + stride * (size_t)at[3]));
        x[k] = t.a, y[k] = t.b, z[k] = t.c, last[k] = t.d;
    }
    return (lanes4){{join(x), join(y), join(z)}, join(last)};
}

INLINE void store_rows(double *base, size_t stride, const int *body, int still, lanes4 rows)
{
    four x[FOURS], y[FOURS], z[FOURS], last[FOURS];
    memcpy(x, &rows.v.x, sizeof x);
    memcpy(y, &rows.v.y, sizeof y);
    memcpy(z, &rows.v.z, sizeof z);
    memcpy(last, &rows.last, sizeof last);
    for (int k = 0; k < FOURS; k++) {
        const int *at = body + 4 * k;
        const four4 t = turned(x[k], y[k], z[k], last[k]);
        if (at[0] != still) four_store(base + stride * (size_t)at[0], t.a);
        if (at[1] != still) four_store(base + stride * (size_t)at[1], t.b);
        if (at[2] != still) four_store(base + stride * (size_t)at[2], t.c);
        if (at[3] != still) four_store(base + stride * (size_t)at[3], t.d);
    }
}

// ---- Bodies of eight contacts -----------------------------------------------------------------------------------------

enum { BODY = sizeof(wide_body) / sizeof(double), INERTIA = sizeof(wide_inertia) / sizeof(double) };

typedef struct lanes_body {
    lanes4 move, turn; // with inverse mass and inertia
} lanes_body;

INLINE lanes_body load_bodies(const wide_body *bodies, const int *body)
{
    return (lanes_body){load_rows(bodies->v, BODY, body), load_rows(bodies->w, BODY, body)};
}

INLINE void store_bodies(wide_body *bodies, const int *body, int still, const lanes_body *b)
{
    store_rows(bodies->v, BODY, body, still, b->move);
    store_rows(bodies->w, BODY, body, still, b->turn);
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
    const lanes3 d = load_rows(p->inertia->diagonal, INERTIA, body).v, r = load_rows(p->inertia->rest, INERTIA, body).v;
    const lanes3 spin = {d.x * torque.x + r.z * torque.y + r.y * torque.z,
                         r.z * torque.x + d.y * torque.y + r.x * torque.z,
                         r.y * torque.x + r.x * torque.y + d.z * torque.z};
    b->turn.v = add3(b->turn.v, spin);
}

// ---- Sums -----------------------------------------------------------------------------------------------------------

// Of eight lanes, as 8/LANES of LANES.
typedef struct lanes_sums {
    lanes turned[WIDE / LANES], error[WIDE / LANES];
} lanes_sums;

INLINE void put_sums(const lanes_sums *s, wide_sums *to)
{
    double t[WIDE], e[WIDE];
    memcpy(t, s->turned, sizeof t);
    memcpy(e, s->error, sizeof e);
    to->turned = ((t[0] + t[1]) + (t[2] + t[3])) + ((t[4] + t[5]) + (t[6] + t[7]));
    to->error = e[0];
    for (int k = 1; k < WIDE; k++) to->error = e[k] > to->error ? e[k] : to->error;
}

// What is not a number counts as infinite.
INLINE lanes larger_error(lanes e, lanes most)
{
    const lanes infinite = lanes_of(HUGE_VAL);
    return lanes_pick(e > most, e, lanes_pick(e <= most, most, infinite));
}

// ---- Contacts -------------------------------------------------------------------------------------------------------

static void sweep(const wide_pass *p, int from, int to, wide_sums *sums)
{
    lanes_sums s = {0};
    const lanes c = lanes_of(p->c), zero = {0}, one = lanes_of(1.0);
    for (int k = from; k < to; k++) {
        const wide_block *e = &p->blocks[k];
        for (int h = 0, at = 0; h < WIDE / LANES; h++, at += LANES) {
            lanes_body a = load_bodies(p->bodies, e->a + at), b = load_bodies(p->bodies, e->b + at);
            const lanes3 n = load3(&e->n, at), arm_a = load3(&e->arm_a, at), arm_b = load3(&e->arm_b, at);
            const lanes3 x = load3(&p->x[k], at), y = madd3(x, c, sub3(x, load3(&p->x_last[k], at)));
            const lanes3 u = sub3(point_velocity(&b, arm_b), point_velocity(&a, arm_a));
            const lanes inverse_n = lanes_load(e->inverse_n + at), inverse_t = lanes_load(e->inverse_t + at);
            const lanes un = dot3(n, u), yn = dot3(n, y);
            const lanes with_bias = un + lanes_load(e->bias + at) + lanes_load(e->soft + at) * yn;
            const lanes normal = lanes_larger(yn - inverse_n * with_bias, zero);
            const lanes3 yt = sub3(y, scale3(yn, n)), ut = sub3(u, scale3(un, n));
            const lanes3 zt = sub3(yt, scale3(inverse_t, ut));
            const lanes T = lanes_root(dot3(zt, zt)), most = lanes_load(e->mu + at) * normal;
            const lanes3 next = madd3(scale3(normal, n), lanes_pick(T > most, most / T, one), zt);
            const lanes3 change = sub3(next, y);
            push(p, e->b + at, &b, arm_b, change);
            push(p, e->a + at, &a, arm_a, (lanes3){-change.x, -change.y, -change.z});
            store_bodies(p->bodies, e->b + at, p->still, &b);
            store_bodies(p->bodies, e->a + at, p->still, &a);
            store3(&p->x_last[k], at, next);
            s.turned[h] -= dot3(change, sub3(next, x)) / inverse_n;
            s.error[h] = larger_error(lanes_root(dot3(change, change)) / inverse_n, s.error[h]);
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
static void check(const wide_pass *p, int from, int to, wide_sums *sums)
{
    lanes_sums s = {0};
    for (int k = from; k < to; k++) {
        const wide_block *e = &p->blocks[k];
        for (int h = 0, at = 0; h < WIDE / LANES; h++, at += LANES) {
            const lanes_body a = load_bodies(p->bodies, e->a + at), b = load_bodies(p->bodies, e->b + at);
            const lanes3 n = load3(&e->n, at), x = load3(&p->x[k], at);
            const lanes3 u = sub3(point_velocity(&b, load3(&e->arm_b, at)), point_velocity(&a, load3(&e->arm_a, at)));
            const lanes un = dot3(n, u), mu = lanes_load(e->mu + at);
            const lanes3 ut = sub3(u, scale3(un, n));
            const lanes shift =
                lanes_load(e->bias + at) + lanes_load(e->soft + at) * dot3(n, x) + mu * lanes_root(dot3(ut, ut));
            const lanes d = (1.0 / lanes_load(e->inverse_n + at) + 2.0 / lanes_load(e->inverse_t + at)) * (1.0 / 3.0);
            const lanes3 z = sub3(x, scale3(1.0 / d, madd3(u, shift, n)));
            const lanes3 moved = sub3(x, project(mu, n, z));
            s.error[h] = larger_error(d * lanes_root(dot3(moved, moved)), s.error[h]);
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
