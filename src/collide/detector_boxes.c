// Where shapes may be until the end of the step, and which of them may meet there.
#include "collide/collider.h"
#include "collide/detection.h"
#include "math/mat3.h"

#include <math.h>

// Half of the distance that is watched beyond what the step can close, as a part of the size of a shape, where the model
// does not say.
static const double WATCHED = 0.005;
// How much faster a shape may become when it is hit: what moves at 0.1 m/s among others that do is soon pushed to 0.2 m/s.
static const double HIT = 2.0;
// How far hits may push a shape aside, as a part of that.
static const double ASIDE = 0.25;
// Room to move in before a shape is looked up again, as a part of its size.
static const double ROOM = 0.1;
// Steps for which a box lies ahead of what moves.
static const double AHEAD = 2.0;

// What forces other than gravity change in the velocity of any point of a shape.
static double pull_of(const detector *d, const detector_shape *s)
{
    const ph_model *model = d->model;
    if (!d->options.loads) return 0.0;
    const body *b = &model->bodies[s->body];
    const ph_wrench *Q = &d->options.loads[s->body];
    const ph_vec3 beyond = ph_sub(ph_scale(1.0 / b->kind->mass, Q->force), model->gravity);
    return d->now.h * (ph_norm(beyond) + s->kind->swing * ph_norm(ph_mul(b->kind->J_inverse, Q->torque)));
}

// What is watched in any case: a little, and what forces do.
static double watched_of(const detector *d, const detector_shape *s)
{
    const double margin = d->model->contact.margin, watched = margin > 0.0 ? 0.5 * margin : WATCHED * s->kind->size;
    return s->kind->moves ? watched + d->now.h * (d->now.fall + pull_of(d, s)) : watched;
}

// How far any point of a shape goes in the step by its velocity.
static double way_of(const detector *d, const detector_shape *s)
{
    if (!s->kind->moves) return 0.0;
    const ph_twist twist = movement_twist(&d->now.moving, s->body);
    const double turning = s->kind->swing > 0.0 ? ph_norm(twist.omega) * s->kind->swing : 0.0;
    return d->now.h * HIT * (ph_norm(twist.v) + turning);
}

static aabb swept(aabb box, ph_vec3 way)
{
    return (aabb){ph_add(box.low, ph_vec(fmin(way.x, 0.0), fmin(way.y, 0.0), fmin(way.z, 0.0))),
                  ph_add(box.high, ph_vec(fmax(way.x, 0.0), fmax(way.y, 0.0), fmax(way.z, 0.0)))};
}

// Where a shape may be until the end of the step. Where only what may close is listed: on its way, and aside by what hits
// may do; all others wherever `reach` lets them.
static aabb box_ahead(const detector *d, const detector_shape *s, aabb box, double watched, double reach)
{
    if (!d->options.culls || !s->kind->moves) return aabb_grow(box, reach);
    box = swept(box, ph_scale(d->now.h, movement_twist(&d->now.moving, s->body).v));
    return aabb_grow(box, watched + ASIDE * (reach - watched));
}

static void set_boxes(void *user, int index)
{
    detector *d = user;
    const int from = index * DETECTION_SHAPES,
              to = from + DETECTION_SHAPES < d->shapes.count ? from + DETECTION_SHAPES : d->shapes.count;
    for (int k = from; k < to; k++) {
        const detector_shape *s = &d->shapes.shapes[k];
        const double watched = watched_of(d, s), reach = watched + way_of(d, s);
        const ph_vec3 x = poses_place(&d->now.at, s->body);
        frame own;
        const aabb box = s->kind->is_ball ? aabb_grow((aabb){x, x}, s->kind->radius)
                                          : collider_bounds(s->kind->collider, poses_frame(&d->now.at, s->body, &own));
        d->now.boxes[k] = box_ahead(d, s, box, watched, reach);
        d->now.watched[k] = watched;
        d->now.reach[k] = reach;
    }
}

// What moves on has room for some steps ahead.
static aabb box_with_room(const void *user, int k, const aabb *box)
{
    const detector *d = user;
    const detector_shape *s = &d->shapes.shapes[k];
    if (!s->kind->moves) return *box;
    if (!d->options.culls) return aabb_grow(*box, ROOM * s->kind->size + d->now.reach[k]);
    return aabb_grow(swept(*box, ph_scale(AHEAD * d->now.h, movement_twist(&d->now.moving, s->body).v)),
                     ROOM * s->kind->size);
}

// The largest of all, whoever comes first.
static void push(const detector *d, int shape, double farther)
{
    double *pushed = &d->now.pushed[d->shapes.shapes[shape].body], now;
    __atomic_load(pushed, &now, __ATOMIC_RELAXED);
    while (farther > now &&
           !__atomic_compare_exchange(pushed, &now, &farther, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

// What is hit goes as far as what hits it: the faster of a pair that may meet pushes the slower.
static void push_pairs(void *user, int part, int from, int to)
{
    (void)part;
    const detector *d = user;
    for (int k = from; k < to; k++) {
        const int a = broad_first(d->broad.pairs[k]), b = broad_second(d->broad.pairs[k]);
        const double farther = (d->now.reach[b] - d->now.watched[b]) - (d->now.reach[a] - d->now.watched[a]);
        const double slight = 0.1 * (d->now.watched[a] + d->now.watched[b]);
        if (!(fabs(farther) > slight) || !aabb_meet(&d->now.boxes[a], &d->now.boxes[b])) continue;
        push(d, farther > 0.0 ? a : b, fabs(farther));
    }
}

void detection_find_pushed(detector *d)
{
    for (int i = 0; i <= d->model->body_count; i++) d->now.pushed[i] = 0.0;
    if (d->options.culls) pool_run_ranges(d->pool, push_pairs, d, d->broad.pair_count, DETECTION_SHAPES);
}

static bool may_touch(const void *user, int a, int b)
{
    return shapes_may_touch(&((const detector *)user)->shapes, a, b);
}

void detection_set_boxes(detector *d)
{
    pool_run(d->pool, set_boxes, d, detection_parts_of(d->shapes.count, DETECTION_SHAPES));
}

bool detection_find_pairs(detector *d)
{
    d->broad.pool = d->pool;
    d->broad.room = d->scratch;
    d->broad.kept = detection_scratch_bytes(d);
    return broad_update(&d->broad, d->now.boxes, box_with_room, may_touch, d);
}
