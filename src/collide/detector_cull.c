// Which of the points that are near may close in this step.
//
// Shapes are watched as far as twice their speed carries them, but most of what falls or flows moves together and does not
// touch. A point is listed when its gap may close, by the speed s at which it does so now and by what the impacts of this
// step may change in the velocities of both bodies, d_i and d_j:
//
//     gap < h (s + d_i + d_j) + what is always watched                                                     (1)
//
// An impact does no more than stop the gap from closing, so that a point gives body j at most
//
//     x = s + d_i - gap/h          or (1 + e) (s + d_i) where it bounces                                   (2)
//
// of which j gets the share of an impact of two masses, w = m_i/(m_i + m_j), with twice m_i for balls, as another one may push
// from behind (what turns yields to a hit); or, where i is held by others, as much as it moves towards i itself, c = n . v_j:
//
//     d_j = max over its points of min(x, max(w x, c))                                                     (3)
//
// So what falls is stopped layer by layer, as far as the gaps between the layers let it; and a hit on a heap at rest fades
// from sphere to sphere. Points are gone through forth and back until nothing changes. The order of visits counts, so that one
// thread does all of them; it visits flagged points alone, the first of which all threads find.
#include "base/incidence.h"
#include "collide/detection.h"
#include "math/mat3.h"

#include <math.h>
#include <string.h>

// Rounds at the most; points of bodies that still change then are all listed.
enum { ROUNDS = 8 };
// What is not worth a change of d, as a part of the distance that is always watched.
static const double SLIGHT = 0.25;

typedef struct culling {
    const detector *d;
    int round; // from 1 on
} culling;

// How fast a shape comes nearer along n at a point. Where it turns, another point may come first: a quarter of how fast the
// farthest one moves is counted in any case, and all of it where the shape turns by a radian in the step.
static inline double speed_along(const culling *r, int shape, ph_vec3 n, ph_vec3 point)
{
    const detector_shape *s = &r->d->shapes.shapes[shape];
    if (!s->kind->moves) return 0.0;
    const ph_twist twist = movement_twist(&r->d->now.moving, s->body);
    const double moving = ph_dot(n, twist.v);
    if (s->kind->is_ball) return moving;
    frame own;
    const frame *at = poses_frame(&r->d->now.at, s->body, &own);
    const double turning = ph_dot(n, ph_cross(ph_mul(at->R, twist.omega), ph_sub(point, at->x)));
    const double spin = ph_norm(twist.omega), elsewhere = fmin(1.0, fmax(0.25, r->d->now.h * spin));
    return moving + (1.0 - elsewhere) * turning + elsewhere * spin * s->kind->swing;
}

// (3): what body j gets from x
static double share(const detector *d, const detected_gap *p, int i, int j, double x, double towards)
{
    if (d->shapes.moving[i] < 0) return x;
    const bool ball = d->shapes.shapes[j == d->shapes.shapes[p->shape_a].body ? p->shape_a : p->shape_b].kind->is_ball;
    const double m_i = (ball ? 2.0 : 1.0) * d->model->bodies[i].kind->mass, m_j = d->model->bodies[j].kind->mass;
    const double most = ph_max(m_i / (m_i + m_j) * x, towards);
    return most < x ? most : x;
}

// What a body changes by flags all of its points: those behind the one at hand in this round, the others in the next.
static void change(const culling *r, int body, double disturbance)
{
    const detection *now = &r->d->now;
    now->disturbance[body] = disturbance;
    now->disturbed[body] = r->round;
    const int k = r->d->shapes.moving[body];
    for (int u = now->use_start[k]; u < now->use_start[k + 1]; u++)
        now->flagged[now->uses[u] >> 7] |= (uint64_t)1 << (now->uses[u] >> 1 & 63);
}

// Gives body j what body i does to it.
static bool disturb(const culling *r, const detected_gap *p, int i, int j, double closing, double towards,
                    double slight)
{
    const detector *d = r->d;
    const double speed = closing + d->now.disturbance[i], rate = p->gap / r->d->now.h;
    if (d->shapes.moving[j] < 0 || !(speed - rate > slight)) return false;
    const double e = d->shapes.may_bounce ? shapes_surface(&d->shapes, p->shape_a, p->shape_b).restitution : 0.0;
    const double x = e > 0.0 ? (1.0 + e) * speed : speed - rate;
    const double most = share(d, p, i, j, x, towards);
    if (!(most > d->now.disturbance[j] + slight)) return false;
    change(r, j, most);
    return true;
}

static double always(const detector *d, const detected_gap *p)
{
    return d->now.watched[p->shape_a] + d->now.watched[p->shape_b];
}

// May a point still disturb one of its bodies?
static inline bool may_disturb(const detector *d, const detected_approach *p)
{
    const double excess = (double)p->a + (double)p->b - (double)p->need;
    const double d_a = d->now.disturbance[p->body_a], d_b = d->now.disturbance[p->body_b];
    const bool more = d->shapes.may_bounce; // than x
    return excess + d_b > (more ? 0.0 : d_a) || excess + d_a > (more ? 0.0 : d_b);
}

// Speeds are kept in single precision: what is always watched is far more than their last digit. Parts begin at multiples of 64.
static void set_approach(void *user, int part, int from, int to)
{
    (void)part;
    const culling *r = user;
    memset(&r->d->now.flagged[from / 64], 0, sizeof(uint64_t) * (size_t)((to - from + 63) / 64));
    for (int k = from; k < to; k++) {
        const detected p = contacts_at(&r->d->found, k);
        const detected_gap gap = {p.shape_a, p.shape_b, p.gap};
        const double need = (p.gap + SLIGHT * always(r->d, &gap)) / r->d->now.h;
        r->d->now.approach[k] = (detected_approach){.body_a = p.body_a,
                                                    .body_b = p.body_b,
                                                    .a = (float)speed_along(r, p.shape_a, p.normal, p.point),
                                                    .b = (float)speed_along(r, p.shape_b, ph_neg(p.normal), p.point),
                                                    .need = (float)(need - 1e-6 * fabs(need))};
        if (may_disturb(r->d, &r->d->now.approach[k])) r->d->now.flagged[k / 64] |= (uint64_t)1 << k % 64;
    }
}

static bool visit(const culling *r, int k)
{
    const detector *d = r->d;
    const detected_approach *to = &d->now.approach[k];
    const detected_gap p = contacts_gap_at(&d->found, k);
    const double closing = (double)to->a + (double)to->b, slight = SLIGHT * always(d, &p) / r->d->now.h;
    const bool a = disturb(r, &p, to->body_b, to->body_a, closing, (double)to->a, slight);
    return disturb(r, &p, to->body_a, to->body_b, closing, (double)to->b, slight) || a;
}

// The first flagged point from k on in one direction, without its flag from now on; -1: none.
static int next_flagged(const detector *d, int k, int step)
{
    uint64_t *flagged = d->now.flagged;
    const int words = (d->found.count + 63) / 64;
    if (k < 0 || k >= d->found.count) return -1;
    uint64_t within = step > 0 ? ~(uint64_t)0 << k % 64 : ~(uint64_t)0 >> (63 - k % 64);
    for (int w = k / 64; w >= 0 && w < words; w += step, within = ~(uint64_t)0) {
        const uint64_t bits = flagged[w] & within;
        if (bits == 0) continue;
        const int bit = step > 0 ? __builtin_ctzll(bits) : 63 - __builtin_clzll(bits);
        flagged[w] &= ~((uint64_t)1 << bit);
        return 64 * w + bit;
    }
    return -1;
}

// A point is flagged when one of its bodies has changed since; else it would do what it did then, which is nothing.
static bool visit_flagged(const culling *r, bool forth)
{
    const detector *d = r->d;
    const int step = forth ? 1 : -1;
    bool changed = false;
    for (int k = next_flagged(d, forth ? 0 : d->found.count - 1, step); k >= 0; k = next_flagged(d, k + step, step))
        if (may_disturb(d, &d->now.approach[k])) changed = visit(r, k) || changed;
    return changed;
}

void detection_spread(detector *d)
{
    for (int round = 1; round <= ROUNDS; round++) {
        const culling r = {d, round};
        if (!visit_flagged(&r, round % 2 == 1)) return;
    }
}

// ---- The list -------------------------------------------------------------------------------------------------------

enum { POINTS = 256, PARTS = 64 }; // points in a part at the least, parts at the most

typedef struct keeping {
    const culling *r;
    bool balls; // their list, or the other
    int first;  // point of all that it begins with
    int parts, size, kept[PARTS], at[PARTS], all;
    void *to; // where those that are left go
} keeping;

// `need` has served: now it is how fast the point closes at the most.
static void set_closing(void *user, int part, int from, int to)
{
    (void)part;
    const culling *r = user;
    for (int k = from; k < to; k++) {
        detected_approach *at = &r->d->now.approach[k];
        at->need = (float)((double)at->a + (double)at->b + r->d->now.disturbance[at->body_a] +
                           r->d->now.disturbance[at->body_b]);
    }
}

// The fastest of the points of a pair, from k on in one direction.
static float fastest(const detector *d, int k, int step)
{
    const detected_approach *at = d->now.approach;
    float most = at[k].need;
    for (int i = k + step; i >= 0 && i < d->found.count; i += step) {
        if (at[i].body_a != at[k].body_a || at[i].body_b != at[k].body_b) break;
        most = at[i].need > most ? at[i].need : most;
    }
    return most;
}

// (1). Shapes may turn about the point that closes first: then the others come as fast as that.
static bool is_listed(const culling *r, int k)
{
    const detector *d = r->d;
    const detected_approach *at = &d->now.approach[k];
    const detected_gap p = contacts_gap_at(&d->found, k);
    const double near = p.gap - always(d, &p);
    if (near < 0.0 || d->now.disturbed[at->body_a] == ROUNDS || d->now.disturbed[at->body_b] == ROUNDS) return true;
    if (near < r->d->now.h * (double)at->need) return true;
    if (d->shapes.shapes[p.shape_a].kind->is_ball || d->shapes.shapes[p.shape_b].kind->is_ball) return false;
    return near < r->d->now.h * ph_max((double)fastest(d, k, -1), (double)fastest(d, k, 1));
}

static void keep_listed(void *user, int part, int from, int to)
{
    keeping *it = user;
    const detector *d = it->r->d;
    int end = from;
    for (int k = from; k < to; k++) {
        if (!is_listed(it->r, it->first + k)) continue;
        if (end < k && it->balls) d->found.balls[end] = d->found.balls[k];
        if (end < k && !it->balls) d->found.list[end] = d->found.list[k];
        end++;
    }
    it->kept[part] = end - from;
}

// A multiple of 64.
static int part_size(int count)
{
    return count / PARTS < POINTS ? POINTS : (count / PARTS / 64 + 1) * 64;
}

// Counts and pushes together what is left in each part of one of the lists.
static void keep_of_list(keeping *it, int count)
{
    it->size = part_size(count);
    it->parts = pool_parts(count, it->size);
    pool_run_ranges(it->r->d->pool, keep_listed, it, count, it->size);
    it->all = 0;
    for (int k = 0; k < it->parts; it->all += it->kept[k++]) it->at[k] = it->all;
}

static void copy_part(void *user, int part)
{
    const keeping *it = user;
    const size_t bytes = it->balls ? sizeof(detected_balls) : sizeof(detected);
    const char *list = it->balls ? (const char *)it->r->d->found.balls : (const char *)it->r->d->found.list;
    if (it->kept[part] == 0) return; // there may be no list at all
    memcpy((char *)it->to + bytes * (size_t)it->at[part], list + bytes * (size_t)part * (size_t)it->size,
           bytes * (size_t)it->kept[part]);
}

void detection_begin_culling(detector *d)
{
    culling r = {d, 0};
    for (int i = 0; i < d->model->body_count; i++) d->now.disturbance[i] = 0.0, d->now.disturbed[i] = 0;
    pool_run_ranges(d->pool, set_approach, &r, d->found.count, part_size(d->found.count));
    const incidence_links links = {.ends = &d->now.approach->body_a,
                                   .stride = sizeof *d->now.approach / sizeof(int),
                                   .count = d->found.count,
                                   .node = d->shapes.moving};
    incidence_count(d->pool, &links, d->model->moving_count, d->now.use_start);
    incidence_fill(d->pool, &links, d->model->moving_count, d->now.use_start, d->now.uses);
}

bool detection_end_culling(detector *d)
{
    culling r = {d, 0};
    contact_set *c = &d->found;
    keeping others = {.r = &r}, balls = {.r = &r, .balls = true, .first = c->others};
    pool_run_ranges(d->pool, set_closing, &r, c->count, part_size(c->count));
    keep_of_list(&others, c->others);
    keep_of_list(&balls, c->count - c->others);
    if (!detection_reserve_list(d, others.all, balls.all)) return false;
    others.to = d->room.at;
    balls.to = (char *)d->room.at + detection_list_bytes(others.all, 0);
    pool_run(d->pool, copy_part, &others, others.parts);
    pool_run(d->pool, copy_part, &balls, balls.parts);
    detection_place_list(d, d->room.at, others.all);
    c->others = others.all;
    c->count = others.all + balls.all;
    return true;
}
