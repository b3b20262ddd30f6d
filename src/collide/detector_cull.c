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
// from sphere to sphere. How (2) and (3) are solved stands in detector_spread.c.
#include "base/incidence.h"
#include "collide/detection.h"
#include "math/mat3.h"

#include <math.h>
#include <string.h>

typedef struct culling {
    const detector *d;
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

// Speeds are kept in single precision: what is always watched is far more than their last digit. Parts begin at multiples of 64.
static void set_approach(void *user, int part, int from, int to)
{
    (void)part;
    const culling *r = user;
    memset(&r->d->now.flagged[from / 64], 0, sizeof(uint64_t) * (size_t)((to - from + 63) / 64));
    for (int k = from; k < to; k++) {
        const detected p = contacts_at(&r->d->found, k);
        const detected_gap gap = {p.shape_a, p.shape_b, p.gap};
        const double need = (p.gap + DETECTION_SLIGHT * detection_always(r->d, &gap)) / r->d->now.h;
        r->d->now.approach[k] = (detected_approach){.body_a = p.body_a,
                                                    .body_b = p.body_b,
                                                    .a = (float)speed_along(r, p.shape_a, p.normal, p.point),
                                                    .b = (float)speed_along(r, p.shape_b, ph_neg(p.normal), p.point),
                                                    .need = (float)(need - 1e-6 * fabs(need))};
        if (detection_may_disturb(r->d, &r->d->now.approach[k])) r->d->now.flagged[k / 64] |= (uint64_t)1 << k % 64;
    }
}

// ---- The list -------------------------------------------------------------------------------------------------------

enum { PARTS = 64 }; // at the most: detection_part_size

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
    const double near = p.gap - detection_always(d, &p);
    if (near < 0.0 || detection_still_changes(d, at->body_a) || detection_still_changes(d, at->body_b)) return true;
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

// Counts and pushes together what is left in each part of one of the lists.
static void keep_of_list(keeping *it, int count)
{
    it->size = detection_part_size(count);
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

static double largest_watched(const void *user, int from, int to)
{
    const detector *d = user;
    double most = 0.0;
    for (int k = from; k < to; k++) most = ph_max(most, d->now.watched[k]);
    return most;
}

void detection_begin_culling(detector *d)
{
    culling r = {d};
    d->now.slight = DETECTION_SLIGHT * 2.0 * pool_largest(d->pool, largest_watched, d, d->shapes.count) / d->now.h;
    for (int i = 0; i < d->model->body_count; i++) d->now.disturbance[i] = 0.0, d->now.disturbed[i] = 0;
    pool_run_ranges(d->pool, set_approach, &r, d->found.count, detection_part_size(d->found.count));
    const incidence_links links = {.ends = &d->now.approach->body_a,
                                   .stride = sizeof *d->now.approach / sizeof(int),
                                   .count = d->found.count,
                                   .node = d->shapes.moving};
    incidence_count(d->pool, &links, d->model->moving_count, d->now.use_start);
    incidence_fill(d->pool, &links, d->model->moving_count, d->now.use_start, d->now.uses);
}

bool detection_end_culling(detector *d)
{
    culling r = {d};
    contact_set *c = &d->found;
    keeping others = {.r = &r}, balls = {.r = &r, .balls = true, .first = c->others};
    pool_run_ranges(d->pool, set_closing, &r, c->count, detection_part_size(c->count));
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
