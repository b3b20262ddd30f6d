// The points at which shapes are near each other.
//
// A part is a run of the pairs of the broad phase, or of shapes below one plane. Balls, which most large heaps are made of,
// are met here; everything else goes through the table of pairs (collide.c).
#include "collide/collider.h"
#include "collide/detection.h"
#include "math/mat3.h"

#include <math.h>

enum { PAIRS = 256 }; // in a part

struct detector_part {
    contact_list points; // of one pair
    ph_status status;
};

// Memory is not taken where several threads might ask at once: such a part is done again by one of them.
static void *refuse(size_t bytes, void *user)
{
    (void)bytes, (void)user;
    return NULL;
}

static const ph_allocator nothing = {.allocate = refuse};

void detection_free_parts(detector *d)
{
    for (int k = 0; k < d->part_capacity; k++)
        if (d->parts[k].points.allocator) {
            d->parts[k].points.allocator = &d->model->allocator;
            contact_list_free(&d->parts[k].points);
        }
    mem_free(&d->model->allocator, d->parts);
}

// ---- Pairs ----------------------------------------------------------------------------------------------------------

static void add_point(const detector *d, list_part *place, const detected *it)
{
    if (place->count < place->room) d->found.list[place->at + place->count] = *it;
    place->count++;
}

static void add_balls(const detector *d, list_part *place, const detected_balls *it)
{
    const detected whole = d->options.balls_apart ? (detected){0} : contacts_at_balls(&d->found, it);
    if (place->count < place->room && d->options.balls_apart) d->found.balls[place->at + place->count] = *it;
    if (place->count < place->room && !d->options.balls_apart) d->found.list[place->at + place->count] = whole;
    place->count++;
}

// Where the forces of a contact act. Against what cannot move: on the surface of the body that can, so that a force of a
// contact which is still open has the arm it will have when it closes. Else half way, for action and reaction in one point.
static ph_vec3 point_of(const contact_point *p, const detector_shape *a, const detector_shape *b)
{
    if (a->kind->moves == b->kind->moves) return ph_scale(0.5, ph_add(p->on_a, p->on_b));
    return a->kind->moves ? p->on_a : p->on_b;
}

// How near two shapes must be to be looked at; who asks for overlap alone gets no more.
static double margin_of(const detector *d, int a, int b)
{
    if (d->options.ways) return 0.0;
    return d->now.reach[a] + d->now.reach[b] + d->now.pushed[d->shapes.shapes[a].body] +
           d->now.pushed[d->shapes.shapes[b].body];
}

static void collide_balls(const detector *d, int a, int b, list_part *place)
{
    const detector_shape *s = &d->shapes.shapes[a], *t = &d->shapes.shapes[b];
    const ball p = {poses_place(&d->now.at, s->body), s->kind->radius},
               q = {poses_place(&d->now.at, t->body), t->kind->radius};
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

static void collide_shapes(const detector *d, int a, int b, detector_part *p, list_part *place)
{
    const detector_shape *s = &d->shapes.shapes[a], *t = &d->shapes.shapes[b];
    frame own_a, own_b;
    p->points.count = 0;
    const ph_status status = collide(s->kind->collider, poses_frame(&d->now.at, s->body, &own_a), t->kind->collider,
                                     poses_frame(&d->now.at, t->body, &own_b), margin_of(d, a, b), &p->points);
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
    return !d->shapes.shapes[shape].kind->moves || d->options.asleep[d->shapes.shapes[shape].body];
}

// Two shapes have moved so little that what they knew of each other still holds: to first order by their way, else by what
// turning makes of it.
static bool know_each_other(const detector *d, int a, int b)
{
    const double most = 2.0; // slacks: a way in which no point closes that was not seen
    const detector_shape *s = &d->shapes.shapes[a], *t = &d->shapes.shapes[b];
    const body_way *p = &d->options.ways[s->body], *q = &d->options.ways[t->body];
    const double way = ph_norm(ph_sub(p->move, q->move)), slack = fmin(s->kind->slack, t->kind->slack);
    const double turn_a = s->kind->moves ? p->turn : 0.0, turn_b = t->kind->moves ? q->turn : 0.0;
    const double turned =
        (turn_a > 0.0 ? turn_a * s->kind->swing : 0.0) + (turn_b > 0.0 ? turn_b * t->kind->swing : 0.0);
    const double bent = (turn_a + turn_b) * (way + 0.5 * turned);
    return way + turned < 0.5 * slack || (way + turned < most * slack && bent < 0.5 * slack);
}

// Pairs that the caller has no need of.
static bool is_skipped(const detector *d, int a, int b)
{
    return (d->options.asleep && rests(d, a) && rests(d, b)) || (d->options.ways && know_each_other(d, a, b));
}

static void run_pairs(const detector *d, int from, int to, detector_part *p, list_part *place)
{
    for (int k = from; k < to; k++) {
        const int a = broad_first(d->broad.pairs[k]), b = broad_second(d->broad.pairs[k]);
        if (is_skipped(d, a, b)) continue;
        // what else is in the list depends on the past
        if (!aabb_meet(&d->now.boxes[a], &d->now.boxes[b])) continue;
        if (d->shapes.shapes[a].kind->is_ball && d->shapes.shapes[b].kind->is_ball)
            collide_balls(d, a, b, place);
        else
            collide_shapes(d, a, b, p, place);
    }
}

// Planes reach everywhere: every shape is looked at.
static void run_plane(const detector *d, int plane, int from, int to, detector_part *p, list_part *place)
{
    const detector_shape *s = &d->shapes.shapes[plane];
    frame own;
    const placed at = place_collider(s->kind->collider, poses_frame(&d->now.at, s->body, &own));
    const ph_vec3 n = placed_axis(&at, 2);
    const double height = ph_dot(n, at.at.x) + d->now.reach[plane];
    for (int k = from; k < to; k++) {
        const detector_shape *t = &d->shapes.shapes[k];
        // the sphere about its centre of mass is out of reach, by more than rounding could hide
        if (ph_dot(n, poses_place(&d->now.at, t->body)) - height >
            d->now.reach[k] + d->now.pushed[t->body] + t->kind->radius * (1.0 + 1e-9))
            continue;
        if (is_skipped(d, plane, k)) continue;
        if (shapes_may_touch(&d->shapes, plane, k)) collide_shapes(d, plane, k, p, place);
    }
}

static void run_part(void *user, int index)
{
    detector *d = user;
    detector_part *p = &d->parts[index];
    list_part place = d->places[index];
    place.count = 0;
    p->status = PH_OK;
    const int of_planes = d->now.by_plane * d->shapes.plane_count;
    if (index < of_planes) {
        const int from = index % d->now.by_plane * DETECTION_SHAPES,
                  to = from + DETECTION_SHAPES < d->shapes.count ? from + DETECTION_SHAPES : d->shapes.count;
        run_plane(d, d->shapes.planes[index / d->now.by_plane], from, to, p, &place);
    } else {
        const int from = (index - of_planes) * PAIRS, all = d->broad.pair_count;
        run_pairs(d, from, from + PAIRS < all ? from + PAIRS : all, p, &place);
    }
    d->places[index] = place;
}

// ---- The whole ------------------------------------------------------------------------------------------------------

static bool reserve(detector *d, void *array, int *capacity, int needed, size_t size)
{
    d->growths += needed > *capacity;
    return needed >= 0 && mem_reserve(&d->model->allocator, array, capacity, needed, size);
}

static ph_status run_parts(detector *d)
{
    const ph_allocator *own = &d->model->allocator;
    for (int k = 0; k < d->now.parts; k++) d->parts[k].points.allocator = d->pool ? &nothing : own;
    pool_run(d->pool, run_part, d, d->now.parts);
    for (int k = 0; k < d->now.parts; k++) {
        detector_part *p = &d->parts[k];
        if (p->status == PH_OK) continue;
        p->points.allocator = own;
        if (d->pool) run_part(d, k);
        if (p->status != PH_OK) return p->status;
    }
    return PH_OK;
}

// Places parts in the list, those from `apart` on in the one of balls.
static bool place_parts(detector *d, int apart)
{
    const int others = parts_place(d->places, apart), balls = parts_place(d->places + apart, d->now.parts - apart);
    const size_t kept = detection_scratch_bytes(d);
    if (others < 0 || balls < 0 || others > INT32_MAX - balls ||
        !detection_take_scratch(d, kept, kept + detection_list_bytes(others, balls)))
        return false;
    detection_place_list(d, (char *)scratch_at(d->scratch, SCRATCH_DETECTION) + kept, others);
    d->now.room = others;
    return true;
}

static void close_parts(detector *d, int apart)
{
    contact_set *c = &d->found;
    c->others = parts_close(d->places, apart, c->list, sizeof *c->list);
    c->count = c->others + parts_close(d->places + apart, d->now.parts - apart, c->balls, sizeof *c->balls);
}

ph_status detection_find_points(detector *d)
{
    const int of_planes = d->shapes.plane_count * d->now.by_plane;
    d->now.parts = of_planes + detection_parts_of(d->broad.pair_count, PAIRS);
    const int apart = d->options.balls_apart ? of_planes : d->now.parts;
    if (!reserve(d, &d->parts, &d->part_capacity, d->now.parts, sizeof *d->parts) ||
        !reserve(d, &d->places, &d->place_capacity, d->now.parts, sizeof *d->places))
        return PH_OUT_OF_MEMORY;
    do {
        if (!place_parts(d, apart)) return PH_OUT_OF_MEMORY;
        const ph_status status = run_parts(d);
        if (status != PH_OK) return status;
    } while (!parts_fit(d->places, d->now.parts));
    close_parts(d, apart);
    for (int k = 0; k < d->now.parts; k++) {
        d->growths += d->parts[k].points.growths;
        d->parts[k].points.growths = 0;
    }
    return PH_OK;
}
