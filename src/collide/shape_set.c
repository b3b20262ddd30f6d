// Making the set of shapes, and what may touch what.
#include "collide/shape_set.h"

#include "base/error.h"
#include "base/sort.h"
#include "collide/collider.h"
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

const ph_contact_pair *shapes_named_pair(const shape_set *s, int a, int b)
{
    const int at = s->rules.named_count > 0 ? find_key(s->rules.named, s->rules.named_count, body_pair(a, b)) : -1;
    return at < 0 ? NULL : &s->model->contact.pairs[s->rules.named_at[at]];
}

// The model's list of pairs goes before everything else; then bodies that a joint connects do not collide, nor do shapes
// of one body or of one group.
bool shapes_may_touch(const shape_set *s, int a, int b)
{
    const detector_shape *p = &s->shapes[a], *q = &s->shapes[b];
    if (p->body == q->body || (!p->kind->moves && !q->kind->moves)) return false;
    if (isinf(p->kind->radius) && isinf(q->kind->radius)) return false;
    const ph_contact_pair *pair = shapes_named_pair(s, p->body, q->body);
    if (pair) return pair->collide;
    if (p->kind->def->group != 0 && p->kind->def->group == q->kind->def->group) return false;
    return s->rules.joined_count == 0 ||
           find_key(s->rules.joined, s->rules.joined_count, body_pair(p->body, q->body)) < 0;
}

bool shapes_are_single_balls(const shape_set *s)
{
    bool may = s->all_balls;
    for (int k = 0, body = PH_NONE; k < s->count && may; k++) {
        if (!s->shapes[k].kind->is_ball) continue;
        may = s->shapes[k].body != body;
        body = s->shapes[k].body;
    }
    return may;
}

static double given_or(double given, double value)
{
    return given >= 0.0 ? given : value;
}

pair_surface shapes_surface(const shape_set *s, int shape_a, int shape_b)
{
    const ph_shape_def *a = s->shapes[shape_a].kind->def, *b = s->shapes[shape_b].kind->def;
    const pair_surface both = {
        .friction = a->friction < b->friction ? a->friction : b->friction,
        .restitution = ph_max(a->restitution, b->restitution),
        .rolling = ph_max(a->rolling_friction, b->rolling_friction),
        .spinning = ph_max(a->spinning_friction, b->spinning_friction),
        .compliance = a->compliance + b->compliance,
    };
    const ph_contact_pair *pair = shapes_named_pair(s, s->shapes[shape_a].body, s->shapes[shape_b].body);
    if (!pair) return both;
    return (pair_surface){given_or(pair->friction, both.friction), given_or(pair->restitution, both.restitution),
                          given_or(pair->rolling_friction, both.rolling),
                          given_or(pair->spinning_friction, both.spinning),
                          given_or(pair->compliance, both.compliance)};
}

// ---- Creation -------------------------------------------------------------------------------------------------------

// Of what a shape reaches from its centre of mass, and of half its thickness: whichever is less.
static double slack_of(const detector_kind *s)
{
    const double of_reach = s->is_round ? 0.05 : 0.005, of_thickness = s->is_round ? 0.5 : 0.1;
    return s->size > 0.0 ? fmin(of_reach * s->radius, of_thickness * s->size) : (double)INFINITY;
}

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
    s->is_round =
        c->kind == SHAPE_SPHERE || c->kind == SHAPE_CAPSULE || c->kind == SHAPE_CYLINDER || c->kind == SHAPE_ELLIPSOID;
    s->slack = slack_of(s);
    const ph_vec3 z = ph_vec(c->local.R.m[0][2], c->local.R.m[1][2], c->local.R.m[2][2]);
    const bool round = c->kind == SHAPE_CAPSULE || c->kind == SHAPE_CYLINDER;
    if (round && ph_norm(ph_cross(z, c->local.x)) <= 1e-9 * s->radius) s->axis = z;
}

// A body with the same shapes and centre of mass stands before this one.
static bool shares_colliders(const ph_model *model, const body *body)
{
    const struct body *other = &model->bodies[body->kind->shapes_of];
    return other != body && ph_norm2(ph_sub(body->kind->com, other->kind->com)) == 0.0;
}

static ph_status make_kind(shape_set *s, const body *body, int k, ph_error *error)
{
    detector_kind *kind = &s->kinds[s->kind_count];
    *kind = (detector_kind){.def = &body->kind->shapes[k], .index = k, .moves = body->moving >= 0};
    const ph_status status = collider_create(kind->def, body->kind->com, &s->model->allocator, &kind->collider, error);
    if (status != PH_OK) return status;
    s->kind_count++;
    measure_shape(kind);
    s->may_roll = s->may_roll || kind->def->rolling_friction > 0.0 || kind->def->spinning_friction > 0.0;
    s->may_bounce = s->may_bounce || kind->def->restitution > 0.0;
    s->all_balls = s->all_balls && (kind->is_ball || kind->collider->kind == SHAPE_PLANE);
    return PH_OK;
}

// The kind of shape k of a body: that of a body with the same shapes and centre of mass, or a new one.
static ph_status find_kind(shape_set *s, const body *body, int k, const detector_kind **kind, ph_error *error)
{
    if (shares_colliders(s->model, body)) {
        *kind = s->shapes[shapes_find(s, body->kind->shapes_of, k)].kind;
        return PH_OK;
    }
    *kind = &s->kinds[s->kind_count];
    return make_kind(s, body, k, error);
}

static ph_status add_shapes(shape_set *s, ph_error *error)
{
    const ph_model *model = s->model;
    for (int b = 0; b < model->body_count; b++) {
        const body *body = &model->bodies[b];
        s->first_shape[b] = s->count;
        s->moving[b] = body->moving;
        for (int k = 0; k < body->kind->shape_count; k++) {
            if (!body->kind->shapes[k].collide) continue;
            detector_shape *shape = &s->shapes[s->count++];
            shape->body = b;
            const ph_status status = find_kind(s, body, k, &shape->kind, error);
            if (status != PH_OK) return status;
            s->plane_count += isinf(shape->kind->radius);
        }
    }
    return PH_OK;
}

static bool list_planes(shape_set *s, arena *memory)
{
    s->planes = arena_alloc_array(memory, (size_t)s->plane_count, sizeof *s->planes);
    s->plane_count = 0;
    for (int k = 0; k < s->count && s->planes; k++)
        if (isinf(s->shapes[k].kind->radius)) s->planes[s->plane_count++] = k;
    return s->planes;
}

static void list_joined(shape_set *s)
{
    pair_rules *r = &s->rules;
    for (int j = 0; j < s->model->joint_count; j++) {
        const joint *joint = &s->model->joints[j];
        if (joint->gear) continue; // couples coordinates of joints, not neighbours
        r->joined[r->joined_count++] = body_pair(joint->a, joint->b);
    }
    sort_keys(r->joined, r->joined_count);
}

// Of pairs that are named twice the first counts.
static void list_named(shape_set *s)
{
    const ph_contact_settings *settings = &s->model->contact;
    const int count = settings->pair_count;
    pair_rules *r = &s->rules;
    for (int k = 0; k < count; k++) r->named[k] = body_pair(settings->pairs[k].body_a, settings->pairs[k].body_b);
    sort_keys(r->named, count);
    for (int k = 0; k < count; k++)
        if (k == 0 || r->named[k] != r->named[k - 1]) r->named[r->named_count++] = r->named[k];
    for (int k = count - 1; k >= 0; k--) {
        const ph_contact_pair *pair = &settings->pairs[k];
        r->named_at[find_key(r->named, r->named_count, body_pair(pair->body_a, pair->body_b))] = k;
        s->may_roll = s->may_roll || pair->rolling_friction > 0.0 || pair->spinning_friction > 0.0;
        s->may_bounce = s->may_bounce || pair->restitution > 0.0;
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

static bool make_arrays(shape_set *s, arena *memory, int shapes)
{
    const size_t n = (size_t)shapes, pairs = (size_t)count_pairs(s->model);
    pair_rules *r = &s->rules;
    s->shapes = arena_alloc_array(memory, n, sizeof *s->shapes);
    s->first_shape = arena_alloc_array(memory, (size_t)s->model->body_count + 1, sizeof *s->first_shape);
    s->moving = arena_alloc_array(memory, (size_t)s->model->body_count + 1, sizeof *s->moving);
    r->joined = arena_alloc_array(memory, (size_t)s->model->joint_count, sizeof *r->joined);
    r->named = arena_alloc_array(memory, pairs, sizeof *r->named);
    r->named_at = arena_alloc_array(memory, pairs, sizeof *r->named_at);
    s->kinds = arena_alloc_array(memory, (size_t)count_kinds(s->model), sizeof *s->kinds);
    return s->shapes && s->first_shape && s->moving && r->joined && r->named && r->named_at && s->kinds;
}

static int count_shapes(const ph_model *model)
{
    int shapes = 0;
    for (int b = 0; model->has_contact && b < model->body_count; b++)
        for (int k = 0; k < model->bodies[b].kind->shape_count; k++) shapes += model->bodies[b].kind->shapes[k].collide;
    return shapes;
}

ph_status shape_set_create(const ph_model *model, arena *memory, shape_set *s, ph_error *error)
{
    const int shapes = count_shapes(model);
    *s = (shape_set){.model = model, .all_balls = true};
    if (!make_arrays(s, memory, shapes)) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    const ph_status status = shapes > 0 ? add_shapes(s, error) : PH_OK;
    if (status != PH_OK) return status;
    if (!list_planes(s, memory)) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    list_joined(s);
    if (model->has_contact) list_named(s);
    return PH_OK;
}

void shape_set_destroy(shape_set *s)
{
    for (int k = 0; k < s->kind_count; k++) collider_destroy(s->kinds[k].collider);
}

// ---- Questions ------------------------------------------------------------------------------------------------------

uint64_t shapes_order(const shape_set *s, int shape_a, int shape_b)
{
    const uint64_t pair = (uint64_t)shape_a << 32 | (uint64_t)shape_b;
    return isinf(s->shapes[shape_a].kind->radius) ? pair : pair | (uint64_t)1 << 63;
}

int shapes_find(const shape_set *s, int body, int index)
{
    if (body < 0 || body >= s->model->body_count) return PH_NONE;
    int k = s->first_shape[body];
    while (k < s->count && s->shapes[k].body == body && s->shapes[k].kind->index < index) k++;
    return k < s->count && s->shapes[k].body == body && s->shapes[k].kind->index == index ? k : PH_NONE;
}

int shapes_find_ball(const shape_set *s, int body)
{
    if (body < 0 || body >= s->model->body_count) return PH_NONE;
    int k = s->first_shape[body];
    while (k < s->count && s->shapes[k].body == body && !s->shapes[k].kind->is_ball) k++;
    return k < s->count && s->shapes[k].body == body ? k : PH_NONE;
}
