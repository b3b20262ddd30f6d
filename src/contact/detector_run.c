// One detection.
//
// A part is a run of the pairs of the broad phase, or of shapes below one plane. Balls, which most large heaps are made of,
// are met here; everything else goes through the table of pairs (collide.c).
#include "contact/collider.h"
#include "contact/detector.h"
#include "math/mat3.h"

#include <math.h>
#include <string.h>

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

enum { PAIRS = 256, SHAPES = 1024 }; // in a part

struct detector_part {
    contact_list points; // of one pair
    ph_status status;
};

typedef struct detection {
    detector *d;
    const poses *at;
    const movement *moving;
    double h, fall; // fall: speed that gravity gives in the step
    int by_plane;   // parts of one plane
} detection;

// Memory is not taken where several threads might ask at once: such a part is done again by one of them.
static void *refuse(size_t bytes, void *user)
{
    (void)bytes, (void)user;
    return NULL;
}

static const ph_allocator nothing = {.allocate = refuse};

void detector_free_parts(detector *d)
{
    for (int k = 0; k < d->part_capacity; k++)
        if (d->parts[k].points.allocator) {
            d->parts[k].points.allocator = &d->model->allocator;
            contact_list_free(&d->parts[k].points);
        }
    mem_free(&d->model->allocator, d->parts);
}

// ---- Boxes ----------------------------------------------------------------------------------------------------------

// What forces other than gravity change in the velocity of any point of a shape.
static double pull_of(const detection *r, const detector_shape *s)
{
    const ph_model *model = r->d->model;
    if (!r->d->loads) return 0.0;
    const body *b = &model->bodies[s->body];
    const ph_wrench *Q = &r->d->loads[s->body];
    const ph_vec3 beyond = ph_sub(ph_scale(1.0 / b->kind->mass, Q->force), model->gravity);
    return r->h * (ph_norm(beyond) + s->kind->swing * ph_norm(ph_mul(b->kind->J_inverse, Q->torque)));
}

// What is watched in any case: a little, and what forces do.
static double watched_of(const detection *r, const detector_shape *s)
{
    const double margin = r->d->model->contact.margin, watched = margin > 0.0 ? 0.5 * margin : WATCHED * s->kind->size;
    return s->kind->moves ? watched + r->h * (r->fall + pull_of(r, s)) : watched;
}

// How far any point of a shape goes in the step by its velocity.
static double way_of(const detection *r, const detector_shape *s)
{
    if (!s->kind->moves) return 0.0;
    const ph_twist twist = movement_twist(r->moving, s->body);
    const double turning = s->kind->swing > 0.0 ? ph_norm(twist.omega) * s->kind->swing : 0.0;
    return r->h * HIT * (ph_norm(twist.v) + turning);
}

static aabb swept(aabb box, ph_vec3 way)
{
    return (aabb){ph_add(box.low, ph_vec(fmin(way.x, 0.0), fmin(way.y, 0.0), fmin(way.z, 0.0))),
                  ph_add(box.high, ph_vec(fmax(way.x, 0.0), fmax(way.y, 0.0), fmax(way.z, 0.0)))};
}

// Where a shape may be until the end of the step. Where only what may close is listed: on its way, and aside by what hits
// may do; all others wherever `reach` lets them.
static aabb box_ahead(const detection *r, const detector_shape *s, aabb box, double watched, double reach)
{
    if (!r->d->drops || !s->kind->moves) return aabb_grow(box, reach);
    box = swept(box, ph_scale(r->h, movement_twist(r->moving, s->body).v));
    return aabb_grow(box, watched + ASIDE * (reach - watched));
}

static void set_boxes(void *user, int index)
{
    const detection *r = user;
    detector *d = r->d;
    const int from = index * SHAPES, to = from + SHAPES < d->shape_count ? from + SHAPES : d->shape_count;
    for (int k = from; k < to; k++) {
        const detector_shape *s = &d->shapes[k];
        const double watched = watched_of(r, s), reach = watched + way_of(r, s);
        const ph_vec3 x = poses_place(r->at, s->body);
        frame own;
        const aabb box = s->kind->is_ball ? aabb_grow((aabb){x, x}, s->kind->radius)
                                          : collider_bounds(s->kind->collider, poses_frame(r->at, s->body, &own));
        d->boxes[k] = box_ahead(r, s, box, watched, reach);
        d->watched[k] = watched;
        d->reach[k] = reach;
    }
}

// What moves on has room for some steps ahead.
static aabb box_with_room(const void *user, int k, const aabb *box)
{
    const detection *r = user;
    const detector_shape *s = &r->d->shapes[k];
    if (!s->kind->moves) return *box;
    if (!r->d->drops) return aabb_grow(*box, ROOM * s->kind->size + r->d->reach[k]);
    return aabb_grow(swept(*box, ph_scale(AHEAD * r->h, movement_twist(r->moving, s->body).v)), ROOM * s->kind->size);
}

// The largest of all, whoever comes first.
static void push(const detection *r, int shape, double farther)
{
    double *pushed = &r->d->pushed[r->d->shapes[shape].body], now;
    __atomic_load(pushed, &now, __ATOMIC_RELAXED);
    while (farther > now &&
           !__atomic_compare_exchange(pushed, &now, &farther, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

// What is hit goes as far as what hits it: the faster of a pair that may meet pushes the slower.
static void push_pairs(void *user, int part, int from, int to)
{
    (void)part;
    const detection *r = user;
    const detector *d = r->d;
    for (int k = from; k < to; k++) {
        const int a = broad_first(d->broad.pairs[k]), b = broad_second(d->broad.pairs[k]);
        const double farther = (d->reach[b] - d->watched[b]) - (d->reach[a] - d->watched[a]);
        const double slight = 0.1 * (d->watched[a] + d->watched[b]);
        if (!(fabs(farther) > slight) || !aabb_meet(&d->boxes[a], &d->boxes[b])) continue;
        push(r, farther > 0.0 ? a : b, fabs(farther));
    }
}

static void find_pushed(detection *r)
{
    const detector *d = r->d;
    for (int i = 0; i <= d->model->body_count; i++) d->pushed[i] = 0.0;
    if (d->drops) pool_run_ranges(d->pool, push_pairs, r, d->broad.pair_count, SHAPES);
}

static bool may_touch(const void *user, int a, int b)
{
    const detection *r = user;
    return detector_may_touch(r->d, a, b);
}

// ---- Pairs ----------------------------------------------------------------------------------------------------------

static void add_point(const detector *d, list_part *place, const detected *it)
{
    if (place->count < place->room) d->list[place->at + place->count] = *it;
    place->count++;
}

static void add_balls(const detector *d, list_part *place, const detected_balls *it)
{
    const detected whole = d->balls_apart ? (detected){0} : detector_at_balls(d, it);
    if (place->count < place->room && d->balls_apart) d->balls[place->at + place->count] = *it;
    if (place->count < place->room && !d->balls_apart) d->list[place->at + place->count] = whole;
    place->count++;
}

// Where the forces of a contact act. Against what cannot move: on the surface of the body that can, so that a force of a
// contact which is still open has the arm it will have when it closes. Else half way, for action and reaction in one point.
static ph_vec3 point_of(const contact_point *p, const detector_shape *a, const detector_shape *b)
{
    if (a->kind->moves == b->kind->moves) return ph_scale(0.5, ph_add(p->on_a, p->on_b));
    return a->kind->moves ? p->on_a : p->on_b;
}

// How near two shapes must be to be looked at.
static double margin_of(const detector *d, int a, int b)
{
    return d->reach[a] + d->reach[b] + d->pushed[d->shapes[a].body] + d->pushed[d->shapes[b].body];
}

static void collide_balls(const detection *r, int a, int b, list_part *place)
{
    const detector *d = r->d;
    const detector_shape *s = &d->shapes[a], *t = &d->shapes[b];
    const ball p = {poses_place(r->at, s->body), s->kind->radius}, q = {poses_place(r->at, t->body), t->kind->radius};
    const double margin = margin_of(d, a, b), far = p.radius + q.radius + margin;
    if (ph_norm2(ph_sub(q.centre, p.centre)) >= far * far) return;
    const detected_balls it = {a, b, balls_distance(&p, &q)};
    if (balls_gap(&p, &q, it.distance) < margin) add_balls(d, place, &it);
}

// Points of one pair by feature: a handful, so insertion sorts them.
static void sort_features(contact_point *points, int count)
{
    for (int k = 1; k < count; k++) {
        const contact_point it = points[k];
        int at = k;
        for (; at > 0 && points[at - 1].feature > it.feature; at--) points[at] = points[at - 1];
        points[at] = it;
    }
}

static void collide_shapes(const detection *r, int a, int b, detector_part *p, list_part *place)
{
    const detector *d = r->d;
    const detector_shape *s = &d->shapes[a], *t = &d->shapes[b];
    frame own_a, own_b;
    p->points.count = 0;
    const ph_status status = collide(s->kind->collider, poses_frame(r->at, s->body, &own_a), t->kind->collider,
                                     poses_frame(r->at, t->body, &own_b), margin_of(d, a, b), &p->points);
    if (status != PH_OK) p->status = status;
    sort_features(p->points.points, p->points.count);
    for (int k = 0; k < p->points.count; k++) {
        const contact_point *c = &p->points.points[k];
        const detected it = {a, b, s->body, t->body, c->feature, point_of(c, s, t), c->normal, c->gap};
        add_point(d, place, &it);
    }
}

static bool rests(const detector *d, int shape)
{
    return !d->shapes[shape].kind->moves || d->asleep[d->shapes[shape].body];
}

static void run_pairs(const detection *r, int from, int to, detector_part *p, list_part *place)
{
    const detector *d = r->d;
    for (int k = from; k < to; k++) {
        const int a = broad_first(d->broad.pairs[k]), b = broad_second(d->broad.pairs[k]);
        if (d->asleep && rests(d, a) && rests(d, b)) continue;
        // what else is in the list depends on the past
        if (!aabb_meet(&d->boxes[a], &d->boxes[b])) continue;
        if (d->shapes[a].kind->is_ball && d->shapes[b].kind->is_ball)
            collide_balls(r, a, b, place);
        else
            collide_shapes(r, a, b, p, place);
    }
}

// Planes reach everywhere: every shape is looked at.
static void run_plane(const detection *r, int plane, int from, int to, detector_part *p, list_part *place)
{
    const detector *d = r->d;
    const detector_shape *s = &d->shapes[plane];
    frame own;
    const placed at = place_collider(s->kind->collider, poses_frame(r->at, s->body, &own));
    const ph_vec3 n = placed_axis(&at, 2);
    const double height = ph_dot(n, at.at.x) + d->reach[plane];
    for (int k = from; k < to; k++) {
        const detector_shape *t = &d->shapes[k];
        // the sphere about its centre of mass is out of reach, by more than rounding could hide
        if (ph_dot(n, poses_place(r->at, t->body)) - height >
            d->reach[k] + d->pushed[t->body] + t->kind->radius * (1.0 + 1e-9))
            continue;
        if (d->asleep && rests(d, plane) && rests(d, k)) continue;
        if (detector_may_touch(d, plane, k)) collide_shapes(r, plane, k, p, place);
    }
}

static void run_part(void *user, int index)
{
    const detection *r = user;
    detector *d = r->d;
    detector_part *p = &d->parts[index];
    list_part place = d->places[index];
    place.count = 0;
    p->status = PH_OK;
    const int of_planes = r->by_plane * d->plane_count;
    if (index < of_planes) {
        const int from = index % r->by_plane * SHAPES,
                  to = from + SHAPES < d->shape_count ? from + SHAPES : d->shape_count;
        run_plane(r, d->planes[index / r->by_plane], from, to, p, &place);
    } else {
        const int from = (index - of_planes) * PAIRS, all = d->broad.pair_count;
        run_pairs(r, from, from + PAIRS < all ? from + PAIRS : all, p, &place);
    }
    d->places[index] = place;
}

// ---- The whole ------------------------------------------------------------------------------------------------------

static bool reserve(detector *d, void *array, int *capacity, int needed, size_t size)
{
    d->growths += needed > *capacity;
    return needed >= 0 && mem_reserve(&d->model->allocator, array, capacity, needed, size);
}

static ph_status run_parts(detection *r, int count)
{
    detector *d = r->d;
    const ph_allocator *own = &d->model->allocator;
    for (int k = 0; k < count; k++) d->parts[k].points.allocator = d->pool ? &nothing : own;
    pool_run(d->pool, run_part, r, count);
    for (int k = 0; k < count; k++) {
        detector_part *p = &d->parts[k];
        if (p->status == PH_OK) continue;
        p->points.allocator = own;
        if (d->pool) run_part(r, k);
        if (p->status != PH_OK) return p->status;
    }
    return PH_OK;
}

// What is by shape and body until the list is there.
static size_t scratch_bytes(const detector *d)
{
    const size_t shapes = (size_t)d->shape_count, bodies = (size_t)d->model->body_count + 1;
    const size_t bytes =
        shapes * (sizeof *d->boxes + sizeof *d->reach + sizeof *d->watched) + bodies * (sizeof(double) + sizeof(int));
    return (bytes + sizeof(double) - 1) / sizeof(double) * sizeof(double);
}

static list_room *scratch_of(detector *d)
{
    return d->scratch ? d->scratch : &d->own_scratch;
}

static void place_scratch(detector *d)
{
    const size_t shapes = (size_t)d->shape_count, bodies = (size_t)d->model->body_count + 1;
    d->boxes = scratch_of(d)->at;
    d->reach = (double *)(d->boxes + shapes);
    d->watched = d->reach + shapes;
    d->disturbance = d->watched + shapes;
    d->pushed = d->disturbance;
    d->disturbed = (void *)(d->disturbance + bodies);
}

// So much scratch, of which `kept` bytes stay.
static bool take_scratch(detector *d, size_t kept, size_t bytes)
{
    list_room *room = scratch_of(d);
    d->growths += bytes > room->bytes;
    if (!room_extend(&d->model->allocator, room, kept, bytes)) return false;
    place_scratch(d);
    return true;
}

// Bytes of a list of so many points, and where that of balls begins in it.
static size_t list_bytes(const detector *d, int others, int balls)
{
    return sizeof *d->list * (size_t)others + sizeof *d->balls * (size_t)balls;
}

static void place_list(detector *d, char *at, int others)
{
    d->list = (detected *)(void *)at;
    d->balls = (detected_balls *)(void *)(at + list_bytes(d, others, 0));
}

// Places parts in the list, those from `apart` on in the one of balls; `others`: how long the first is.
static bool place_parts(detector *d, int apart, int count, int *others)
{
    *others = parts_place(d->places, apart);
    const int balls = parts_place(d->places + apart, count - apart);
    const size_t kept = scratch_bytes(d);
    if (*others < 0 || balls < 0 || *others > INT32_MAX - balls ||
        !take_scratch(d, kept, kept + list_bytes(d, *others, balls)))
        return false;
    place_list(d, (char *)scratch_of(d)->at + kept, *others);
    return true;
}

static void close_parts(detector *d, int apart, int count)
{
    d->others = parts_close(d->places, apart, d->list, sizeof *d->list);
    d->count = d->others + parts_close(d->places + apart, count - apart, d->balls, sizeof *d->balls);
}

// Behind all that, by point.
static bool place_approach(detector *d, int others)
{
    const size_t before = scratch_bytes(d), kept = before + list_bytes(d, others, d->count - d->others);
    if (!take_scratch(d, kept, kept + sizeof *d->approach * (size_t)d->count)) return false;
    place_list(d, (char *)scratch_of(d)->at + before, others);
    d->approach = (detected_approach *)((char *)scratch_of(d)->at + kept);
    return true;
}

// What is left of the list moves to a place of its own.
static bool keep_list(detector *d)
{
    const size_t others = list_bytes(d, d->others, 0), balls = list_bytes(d, 0, d->count - d->others);
    if (d->count == 0) return true;
    d->growths += others + balls > d->room.bytes;
    if (!room_reserve(&d->model->allocator, &d->room, others + balls, 1)) return false;
    if (others > 0) memcpy(d->room.at, d->list, others);
    if (balls > 0) memcpy((char *)d->room.at + others, d->balls, balls);
    place_list(d, d->room.at, d->others);
    return true;
}

ph_status detector_run(detector *d, const poses *at, const movement *moving, double h)
{
    d->count = d->others = d->growths = 0;
    d->beside_done = false;
    d->at = *at;
    if (d->shape_count == 0) return PH_OK;
    if (!take_scratch(d, 0, scratch_bytes(d))) return PH_OUT_OF_MEMORY;
    const int by_shape = (d->shape_count + SHAPES - 1) / SHAPES;
    detection r = {d, at, moving, h, h * ph_norm(d->model->gravity), by_shape};
    pool_run(d->pool, set_boxes, &r, by_shape);
    d->broad.pool = d->pool;
    d->broad.room = scratch_of(d);
    d->broad.kept = scratch_bytes(d);
    if (!broad_update(&d->broad, d->boxes, box_with_room, may_touch, &r)) return PH_OUT_OF_MEMORY;
    place_scratch(d);
    find_pushed(&r);
    const int of_planes = d->plane_count * by_shape, count = of_planes + (d->broad.pair_count + PAIRS - 1) / PAIRS;
    const int apart = d->balls_apart ? of_planes : count;
    if (!reserve(d, &d->parts, &d->part_capacity, count, sizeof *d->parts) ||
        !reserve(d, &d->places, &d->place_capacity, count, sizeof *d->places))
        return PH_OUT_OF_MEMORY;
    int others;
    do {
        if (!place_parts(d, apart, count, &others)) return PH_OUT_OF_MEMORY;
        const ph_status status = run_parts(&r, count);
        if (status != PH_OK) return status;
    } while (!parts_fit(d->places, count));
    close_parts(d, apart, count);
    if (d->drops && h > 0.0) {
        if (!place_approach(d, others)) return PH_OUT_OF_MEMORY;
        detector_drop(d, at, moving, h);
    }
    if (!keep_list(d)) return PH_OUT_OF_MEMORY;
    d->growths += d->broad.growths;
    for (int k = 0; k < count; k++) d->growths += d->parts[k].points.growths, d->parts[k].points.growths = 0;
    d->broad.growths = 0;
    return PH_OK;
}
