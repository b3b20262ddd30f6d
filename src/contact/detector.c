// Making a detector: shapes, what may touch what, and how.
#include "contact/detector.h"

#include "base/error.h"
#include "contact/collider.h"
#include "math/mat3.h"

#include <math.h>
#include <string.h>

// ---- Filters --------------------------------------------------------------------------------------------------------

static uint64_t body_pair(int a, int b)
{
    return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

// Where `key` stands in a sorted list, or -1.
static int find_key(const uint64_t *keys, int count, uint64_t key)
{
    int low = 0, high = count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && keys[low] == key ? low : -1;
}

static const ph_contact_pair *find_pair(const detector *d, int a, int b)
{
    const int at = d->named_count > 0 ? find_key(d->named, d->named_count, body_pair(a, b)) : -1;
    return at < 0 ? NULL : &d->model->contact.pairs[d->named_at[at]];
}

// The model's list of pairs goes before everything else; then bodies that a joint connects do not collide, nor do shapes
// of one body or of one group.
bool detector_may_touch(const void *user, int a, int b)
{
    const detector *d = user;
    const detector_shape *s = &d->shapes[a], *t = &d->shapes[b];
    if (s->body == t->body || (!s->kind->moves && !t->kind->moves)) return false;
    if (isinf(s->kind->radius) && isinf(t->kind->radius)) return false;
    const ph_contact_pair *pair = find_pair(d, s->body, t->body);
    if (pair) return pair->collide;
    if (s->kind->def->group != 0 && s->kind->def->group == t->kind->def->group) return false;
    return d->joined_count == 0 || find_key(d->joined, d->joined_count, body_pair(s->body, t->body)) < 0;
}

bool detector_may_part(const detector *d)
{
    bool may = !d->not_balls;
    for (int k = 0, body = PH_NONE; k < d->shape_count && may; k++) {
        if (!d->shapes[k].kind->is_ball) continue;
        may = d->shapes[k].body != body;
        body = d->shapes[k].body;
    }
    return may;
}

static double given_or(double given, double value)
{
    return given >= 0.0 ? given : value;
}

pair_surface detector_surface_of(const detector *d, int shape_a, int shape_b)
{
    const ph_shape_def *s = d->shapes[shape_a].kind->def, *t = d->shapes[shape_b].kind->def;
    const pair_surface both = {
        .friction = s->friction < t->friction ? s->friction : t->friction,
        .restitution = ph_max(s->restitution, t->restitution),
        .rolling = ph_max(s->rolling_friction, t->rolling_friction),
        .spinning = ph_max(s->spinning_friction, t->spinning_friction),
        .compliance = s->compliance + t->compliance,
    };
    const ph_contact_pair *pair = find_pair(d, d->shapes[shape_a].body, d->shapes[shape_b].body);
    if (!pair) return both;
    return (pair_surface){given_or(pair->friction, both.friction), given_or(pair->restitution, both.restitution),
                          given_or(pair->rolling_friction, both.rolling),
                          given_or(pair->spinning_friction, both.spinning),
                          given_or(pair->compliance, both.compliance)};
}

// ---- Creation -------------------------------------------------------------------------------------------------------

static void measure_shape(detector_kind *s)
{
    const collider *c = s->collider;
    const frame at_home = {ph_identity(), ph_zero3()};
    const aabb box = collider_bounds(c, &at_home);
    const ph_vec3 extent = ph_sub(box.high, box.low);
    const ph_vec3 far = ph_vec(ph_max(fabs(box.low.x), fabs(box.high.x)), ph_max(fabs(box.low.y), fabs(box.high.y)),
                               ph_max(fabs(box.low.z), fabs(box.high.z)));
    s->radius = s->swing = isfinite(ph_norm(far)) ? ph_norm(far) : (double)INFINITY;
    s->size = isinf(s->radius) ? 0.0 : 0.5 * fmin(extent.x, fmin(extent.y, extent.z));
    if (c->kind == SHAPE_SPHERE) { // turning leaves it where it is, but for its centre
        s->swing = ph_norm(c->local.x);
        s->radius = s->swing + c->radius;
        s->is_ball = s->swing == 0.0;
    }
}

// A body with the same shapes and centre of mass stands before this one.
static bool shares_colliders(const ph_model *model, const body *body)
{
    const struct body *other = &model->bodies[body->kind->shapes_of];
    return other != body && ph_norm2(ph_sub(body->kind->com, other->kind->com)) == 0.0;
}

static ph_status make_kind(detector *d, const body *body, int k, ph_error *error)
{
    detector_kind *kind = &d->kinds[d->kind_count];
    *kind = (detector_kind){.def = &body->kind->shapes[k], .index = k, .moves = body->moving >= 0};
    const ph_status status = collider_create(kind->def, body->kind->com, &d->model->allocator, &kind->collider, error);
    if (status != PH_OK) return status;
    d->kind_count++;
    measure_shape(kind);
    d->may_roll = d->may_roll || kind->def->rolling_friction > 0.0 || kind->def->spinning_friction > 0.0;
    d->may_bounce = d->may_bounce || kind->def->restitution > 0.0;
    d->not_balls = d->not_balls || !(kind->is_ball || kind->collider->kind == SHAPE_PLANE);
    return PH_OK;
}

// The kind of shape k of a body: that of a body with the same shapes and centre of mass, or a new one.
static ph_status find_kind(detector *d, const body *body, int k, const detector_kind **kind, ph_error *error)
{
    if (shares_colliders(d->model, body)) {
        *kind = d->shapes[detector_find(d, body->kind->shapes_of, k)].kind;
        return PH_OK;
    }
    *kind = &d->kinds[d->kind_count];
    return make_kind(d, body, k, error);
}

static ph_status add_shapes(detector *d, ph_error *error)
{
    const ph_model *model = d->model;
    for (int b = 0; b < model->body_count; b++) {
        const body *body = &model->bodies[b];
        d->first_shape[b] = d->shape_count;
        d->moving[b] = body->moving;
        for (int k = 0; k < body->kind->shape_count; k++) {
            if (!body->kind->shapes[k].collide) continue;
            detector_shape *s = &d->shapes[d->shape_count++];
            s->body = b;
            const ph_status status = find_kind(d, body, k, &s->kind, error);
            if (status != PH_OK) return status;
            d->plane_count += isinf(s->kind->radius);
        }
    }
    return PH_OK;
}

static bool list_planes(detector *d)
{
    d->planes = arena_alloc_array(d->memory, (size_t)d->plane_count, sizeof *d->planes);
    d->plane_count = 0;
    for (int k = 0; k < d->shape_count && d->planes; k++)
        if (isinf(d->shapes[k].kind->radius)) d->planes[d->plane_count++] = k;
    return d->planes;
}

static void list_joined(detector *d)
{
    for (int j = 0; j < d->model->joint_count; j++) {
        const joint *joint = &d->model->joints[j];
        if (joint->gear) continue; // couples coordinates of joints, not neighbours
        d->joined[d->joined_count++] = body_pair(joint->a, joint->b);
    }
    sort_keys(d->joined, d->joined_count);
}

// Of pairs that are named twice the first counts.
static void list_named(detector *d)
{
    const ph_contact_settings *settings = &d->model->contact;
    const int count = settings->pair_count;
    for (int k = 0; k < count; k++) d->named[k] = body_pair(settings->pairs[k].body_a, settings->pairs[k].body_b);
    sort_keys(d->named, count);
    for (int k = 0; k < count; k++)
        if (k == 0 || d->named[k] != d->named[k - 1]) d->named[d->named_count++] = d->named[k];
    for (int k = count - 1; k >= 0; k--) {
        const ph_contact_pair *pair = &settings->pairs[k];
        d->named_at[find_key(d->named, d->named_count, body_pair(pair->body_a, pair->body_b))] = k;
        d->may_roll = d->may_roll || pair->rolling_friction > 0.0 || pair->spinning_friction > 0.0;
        d->may_bounce = d->may_bounce || pair->restitution > 0.0;
    }
}

static int count_pairs(const ph_model *model)
{
    return model->has_contact ? model->contact.pair_count : 0;
}

static int count_kinds(const ph_model *model)
{
    int kinds = 0;
    for (int b = 0; model->has_contact && b < model->body_count; b++)
        if (!shares_colliders(model, &model->bodies[b])) kinds += model->bodies[b].kind->shape_count;
    return kinds;
}

static bool make_arrays(detector *d, int shapes)
{
    const size_t n = (size_t)shapes, pairs = (size_t)count_pairs(d->model);
    d->shapes = arena_alloc_array(d->memory, n, sizeof *d->shapes);
    d->first_shape = arena_alloc_array(d->memory, (size_t)d->model->body_count + 1, sizeof *d->first_shape);
    d->moving = arena_alloc_array(d->memory, (size_t)d->model->body_count + 1, sizeof *d->moving);
    d->joined = arena_alloc_array(d->memory, (size_t)d->model->joint_count, sizeof *d->joined);
    d->named = arena_alloc_array(d->memory, pairs, sizeof *d->named);
    d->named_at = arena_alloc_array(d->memory, pairs, sizeof *d->named_at);
    d->kinds = arena_alloc_array(d->memory, (size_t)count_kinds(d->model), sizeof *d->kinds);
    return d->shapes && d->first_shape && d->moving && d->joined && d->named && d->named_at && d->kinds;
}

// Shapes that are about as wide in every direction have grid cells of their size.
static bool make_broad(detector *d)
{
    bool *round = mem_alloc_array(&d->model->allocator, (size_t)d->shape_count, sizeof *round);
    for (int k = 0; k < d->shape_count && round; k++)
        round[k] = d->shapes[k].kind->radius <= 2.0 * d->shapes[k].kind->size;
    const bool made = round && broad_create(d->shape_count, round, &d->model->allocator, d->memory, &d->broad);
    mem_free(&d->model->allocator, round);
    return made;
}

static int count_shapes(const ph_model *model)
{
    int shapes = 0;
    for (int b = 0; model->has_contact && b < model->body_count; b++)
        for (int k = 0; k < model->bodies[b].kind->shape_count; k++) shapes += model->bodies[b].kind->shapes[k].collide;
    return shapes;
}

ph_status detector_create(const ph_model *model, detector **made, ph_error *error)
{
    arena *memory = arena_create(&model->allocator);
    detector *d = memory ? arena_alloc(memory, sizeof *d) : NULL;
    const int shapes = count_shapes(model);
    *made = NULL;
    if (!d) {
        arena_destroy(memory);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    *d = (detector){.model = model, .memory = memory};
    ph_status status = make_arrays(d, shapes) ? PH_OK : error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    if (status == PH_OK && shapes > 0) status = add_shapes(d, error);
    if (status == PH_OK && !(list_planes(d) && make_broad(d)))
        status = error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    if (status == PH_OK) {
        list_joined(d);
        if (model->has_contact) list_named(d);
        *made = d;
    } else {
        detector_destroy(d);
    }
    return status;
}

void detector_destroy(detector *d)
{
    if (!d) return;
    for (int k = 0; k < d->kind_count; k++) collider_destroy(d->kinds[k].collider);
    broad_destroy(&d->broad);
    detector_free_parts(d);
    mem_free(&d->model->allocator, d->places);
    mem_free(&d->model->allocator, d->room.at);
    mem_free(&d->model->allocator, d->own_scratch.at);
    arena_destroy(d->memory);
}

// ---- Questions ------------------------------------------------------------------------------------------------------

uint64_t detector_order(const detector *d, int shape_a, int shape_b)
{
    const uint64_t pair = (uint64_t)shape_a << 32 | (uint64_t)shape_b;
    return isinf(d->shapes[shape_a].kind->radius) ? pair : pair | (uint64_t)1 << 63;
}

int detector_find(const detector *d, int body, int index)
{
    if (body < 0 || body >= d->model->body_count) return PH_NONE;
    int k = d->first_shape[body];
    while (k < d->shape_count && d->shapes[k].body == body && d->shapes[k].kind->index < index) k++;
    return k < d->shape_count && d->shapes[k].body == body && d->shapes[k].kind->index == index ? k : PH_NONE;
}

int detector_find_ball(const detector *d, int body)
{
    if (body < 0 || body >= d->model->body_count) return PH_NONE;
    int k = d->first_shape[body];
    while (k < d->shape_count && d->shapes[k].body == body && !d->shapes[k].kind->is_ball) k++;
    return k < d->shape_count && d->shapes[k].body == body ? k : PH_NONE;
}
