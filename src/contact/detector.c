#include "contact/detector.h"

#include "base/error.h"
#include "math/mat3.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

// Half of the distance that is watched beyond what the step can close, as a part of the size of a shape, where the model
// does not say.
static const double WATCHED = 0.005;
// Room to move in before a shape is looked up again, as a part of its size.
static const double ROOM = 0.1;

// ---- Filters --------------------------------------------------------------------------------------------------------

static uint64_t body_pair(int a, int b)
{
    return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

static bool is_joined(const detector *d, int a, int b)
{
    const uint64_t pair = body_pair(a, b);
    int low = 0, high = d->joined_count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (d->joined[middle] < pair)
            low = middle + 1;
        else
            high = middle;
    }
    return low < d->joined_count && d->joined[low] == pair;
}

static const ph_contact_pair *find_pair(const ph_model *model, int a, int b)
{
    for (int k = 0; k < model->contact.pair_count; k++) {
        const ph_contact_pair *pair = &model->contact.pairs[k];
        if ((pair->body_a == a && pair->body_b == b) || (pair->body_a == b && pair->body_b == a)) return pair;
    }
    return NULL;
}

// The model's list of pairs goes before everything else; then bodies that a joint connects do not collide, nor do shapes
// of one body or of one group.
static bool may_touch(const void *user, int a, int b)
{
    const detector *d = user;
    const detector_shape *s = &d->shapes[a], *t = &d->shapes[b];
    if (s->body == t->body || (!s->moves && !t->moves)) return false;
    if (isinf(s->radius) && isinf(t->radius)) return false;
    const ph_contact_pair *pair = find_pair(d->model, s->body, t->body);
    if (pair) return pair->collide;
    if (s->def->group != 0 && s->def->group == t->def->group) return false;
    return !is_joined(d, s->body, t->body);
}

static double given_or(double given, double value)
{
    return given >= 0.0 ? given : value;
}

static surface surface_of(const detector *d, int a, int b)
{
    const ph_shape_def *s = d->shapes[a].def, *t = d->shapes[b].def;
    surface both = {
        .friction = s->friction < t->friction ? s->friction : t->friction,
        .restitution = ph_max(s->restitution, t->restitution),
        .rolling = ph_max(s->rolling_friction, t->rolling_friction),
        .spinning = ph_max(s->spinning_friction, t->spinning_friction),
        .compliance = s->compliance + t->compliance,
    };
    const ph_contact_pair *pair = find_pair(d->model, d->shapes[a].body, d->shapes[b].body);
    if (!pair) return both;
    return (surface){given_or(pair->friction, both.friction), given_or(pair->restitution, both.restitution),
                     given_or(pair->rolling_friction, both.rolling), given_or(pair->spinning_friction, both.spinning),
                     given_or(pair->compliance, both.compliance)};
}

// ---- Creation -------------------------------------------------------------------------------------------------------

static bool collides(const ph_shape_def *def)
{
    return def->collide;
}

static void measure_shape(detector_shape *s)
{
    const frame at_home = {ph_identity(), ph_zero3()};
    const aabb box = collider_bounds(s->collider, &at_home);
    const ph_vec3 extent = ph_sub(box.high, box.low);
    const ph_vec3 far = ph_vec(ph_max(fabs(box.low.x), fabs(box.high.x)), ph_max(fabs(box.low.y), fabs(box.high.y)),
                               ph_max(fabs(box.low.z), fabs(box.high.z)));
    s->radius = isfinite(ph_norm(far)) ? ph_norm(far) : (double)INFINITY;
    s->size = isinf(s->radius) ? 0.0 : 0.5 * fmin(extent.x, fmin(extent.y, extent.z));
}

static ph_status add_shapes(detector *d, ph_error *error)
{
    const ph_model *model = d->model;
    for (int b = 0; b < model->body_count; b++) {
        const body *body = &model->bodies[b];
        for (int k = 0; k < body->shape_count; k++) {
            if (!collides(&body->shapes[k])) continue;
            detector_shape *s = &d->shapes[d->shape_count++];
            *s = (detector_shape){.def = &body->shapes[k], .body = b, .index = k, .moves = body->moving >= 0};
            const ph_status status = collider_create(s->def, body->com, &model->allocator, &s->collider, error);
            if (status != PH_OK) return status;
            measure_shape(s);
            if (isinf(s->radius)) d->planes[d->plane_count++] = d->shape_count - 1;
        }
    }
    return PH_OK;
}

static void list_joined(detector *d)
{
    for (int j = 0; j < d->model->joint_count; j++) {
        const joint *joint = &d->model->joints[j];
        if (joint->gear) continue; // couples coordinates of joints, not neighbours
        const uint64_t pair = body_pair(joint->a, joint->b);
        int at = d->joined_count++;
        for (; at > 0 && d->joined[at - 1] > pair; at--) d->joined[at] = d->joined[at - 1];
        d->joined[at] = pair;
    }
}

static bool make_arrays(detector *d, int shapes)
{
    const size_t n = (size_t)shapes;
    d->shapes = arena_alloc_array(d->memory, n, sizeof *d->shapes);
    d->planes = arena_alloc_array(d->memory, n, sizeof *d->planes);
    d->boxes = arena_alloc_array(d->memory, n, sizeof *d->boxes);
    d->reach = arena_alloc_array(d->memory, n, sizeof *d->reach);
    d->room = arena_alloc_array(d->memory, n, sizeof *d->room);
    d->joined = arena_alloc_array(d->memory, (size_t)d->model->joint_count, sizeof *d->joined);
    return d->shapes && d->planes && d->boxes && d->reach && d->room && d->joined &&
           broad_create(shapes, &d->model->allocator, d->memory, &d->broad);
}

ph_status detector_create(const ph_model *model, detector **made, ph_error *error)
{
    arena *memory = arena_create(&model->allocator);
    detector *d = memory ? arena_alloc(memory, sizeof *d) : NULL;
    int shapes = 0;
    for (int b = 0; model->has_contact && b < model->body_count; b++)
        for (int k = 0; k < model->bodies[b].shape_count; k++) shapes += collides(&model->bodies[b].shapes[k]);
    *made = NULL;
    if (!d) {
        arena_destroy(memory);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    *d = (detector){.model = model, .memory = memory, .points = {.allocator = &model->allocator}};
    ph_status status = make_arrays(d, shapes) ? PH_OK : error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    if (status == PH_OK && shapes > 0) status = add_shapes(d, error);
    if (status == PH_OK) {
        list_joined(d);
        *made = d;
    } else {
        detector_destroy(d);
    }
    return status;
}

void detector_destroy(detector *d)
{
    if (!d) return;
    for (int k = 0; k < d->shape_count; k++) collider_destroy(d->shapes[k].collider);
    broad_destroy(&d->broad);
    contact_list_free(&d->points);
    mem_free(&d->model->allocator, d->list);
    arena_destroy(d->memory);
}

// ---- One detection --------------------------------------------------------------------------------------------------

// How far any point of a shape goes in the step, from its velocity and gravity, and its part of what is watched beyond.
static double reach_of(const detector *d, const detector_shape *s, const ph_twist *twist, double h)
{
    const ph_contact_settings *settings = &d->model->contact;
    const double watched = settings->margin > 0.0 ? 0.5 * settings->margin : WATCHED * s->size;
    if (!s->moves) return watched;
    const double speed = ph_norm(twist->v) + ph_norm(twist->omega) * s->radius + h * ph_norm(d->model->gravity);
    return watched + h * speed;
}

static void set_boxes(detector *d, const frame *frames, const ph_twist *twists, double h)
{
    for (int k = 0; k < d->shape_count; k++) {
        const detector_shape *s = &d->shapes[k];
        d->reach[k] = reach_of(d, s, &twists[s->body], h);
        d->boxes[k] = aabb_grow(collider_bounds(s->collider, &frames[s->body]), d->reach[k]);
        d->room[k] = s->moves ? ROOM * s->size + 2.0 * d->reach[k] : 0.0;
    }
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

// Where the forces of a contact act. Against what cannot move: on the surface of the body that can, so that a force of a
// contact which is still open has the arm it will have when it closes. Else half way, for action and reaction in one point.
static ph_vec3 point_of(const contact_point *p, const detector_shape *a, const detector_shape *b)
{
    if (a->moves == b->moves) return ph_scale(0.5, ph_add(p->on_a, p->on_b));
    return a->moves ? p->on_a : p->on_b;
}

static ph_status collide_pair(detector *d, const frame *frames, int a, int b)
{
    const detector_shape *s = &d->shapes[a], *t = &d->shapes[b];
    d->points.count = 0;
    const ph_status status =
        collide(s->collider, &frames[s->body], t->collider, &frames[t->body], d->reach[a] + d->reach[b], &d->points);
    if (status != PH_OK || d->points.count == 0) return status;
    d->growths += d->count + d->points.count > d->capacity;
    if (!mem_reserve(&d->model->allocator, &d->list, &d->capacity, d->count + d->points.count, sizeof *d->list))
        return PH_OUT_OF_MEMORY;
    sort_features(d->points.points, d->points.count);
    const surface both = surface_of(d, a, b);
    for (int k = 0; k < d->points.count; k++) {
        const contact_point *p = &d->points.points[k];
        d->list[d->count++] =
            (detected){a, b, s->body, t->body, p->feature, point_of(p, s, t), p->normal, p->gap, both};
    }
    return PH_OK;
}

// Planes reach everywhere: every shape is looked at.
static ph_status collide_planes(detector *d, const frame *frames)
{
    ph_status status = PH_OK;
    for (int p = 0; p < d->plane_count; p++)
        for (int k = 0; k < d->shape_count && status == PH_OK; k++) {
            const int plane = d->planes[p];
            if (may_touch(d, plane, k)) status = collide_pair(d, frames, plane, k);
        }
    return status;
}

static ph_status collide_neighbours(detector *d, const frame *frames)
{
    ph_status status = PH_OK;
    for (int k = 0; k < d->broad.pair_count && status == PH_OK; k++) {
        const int a = broad_first(d->broad.pairs[k]), b = broad_second(d->broad.pairs[k]);
        if (aabb_meet(&d->boxes[a], &d->boxes[b])) status = collide_pair(d, frames, a, b);
    }
    return status;
}

ph_status detector_run(detector *d, const frame *frames, const ph_twist *twists, double h)
{
    d->count = d->growths = 0;
    if (d->shape_count == 0) return PH_OK;
    set_boxes(d, frames, twists, h);
    if (!broad_update(&d->broad, d->boxes, d->room, may_touch, d)) return PH_OUT_OF_MEMORY;
    ph_status status = collide_planes(d, frames);
    if (status == PH_OK) status = collide_neighbours(d, frames);
    d->growths += d->broad.growths + d->points.growths;
    d->broad.growths = d->points.growths = 0;
    return status;
}

uint64_t detector_order(const detector *d, int shape_a, int shape_b)
{
    const uint64_t pair = (uint64_t)shape_a << 32 | (uint64_t)shape_b;
    return isinf(d->shapes[shape_a].radius) ? pair : pair | (uint64_t)1 << 63;
}

int detector_find(const detector *d, int body, int index)
{
    int low = 0, high = d->shape_count;
    while (low < high) {
        const int middle = (low + high) / 2;
        const detector_shape *s = &d->shapes[middle];
        if (s->body < body || (s->body == body && s->index < index))
            low = middle + 1;
        else
            high = middle;
    }
    const bool found = low < d->shape_count && d->shapes[low].body == body && d->shapes[low].index == index;
    return found ? low : PH_NONE;
}
