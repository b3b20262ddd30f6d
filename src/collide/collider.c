// Making colliders, and the boxes around them.

#include "collide/collider.h"

#include "base/error.h"
#include "collide/surface.h"
#include "math/quat.h"
#include "math/trig.h"
#include "shapes/types.h"

#include <string.h>

static const struct {
    const shape_type *type;
    shape_kind kind;
} own_kinds[] = {
    {&shape_sphere, SHAPE_SPHERE},       {&shape_capsule, SHAPE_CAPSULE}, {&shape_box, SHAPE_BOX},
    {&shape_cylinder, SHAPE_CYLINDER},   {&shape_hull, SHAPE_HULL},       {&shape_plane, SHAPE_PLANE},
    {&shape_ellipsoid, SHAPE_ELLIPSOID}, {&shape_mesh, SHAPE_MESH},       {&shape_heightfield, SHAPE_HEIGHTFIELD},
};

// ---- Creation -------------------------------------------------------------------------------------------------------

// Types that the pairs know; all others go by their support.
static shape_kind kind_of(const shape_type *type)
{
    for (size_t k = 0; k < sizeof own_kinds / sizeof own_kinds[0]; k++) {
        if (own_kinds[k].type == type) {
            return own_kinds[k].kind;
        }
    }
    return SHAPE_CONVEX;
}

static bool is_identity(const frame *f)
{
    return ph_norm(f->x) == 0.0 && ph_mat_norm(ph_mat_sub(f->R, ph_identity())) == 0.0;
}

frame collider_place(const ph_shape_def *shape, ph_vec3 com)
{
    const shape_type *type = shape_type_find(shape->type);
    const ph_mat3 R = ph_quat_to_mat(ph_quat_unit(shape->orientation));
    const bool plane = type == &shape_plane;
    const bool turned = plane || key_of_kind(type->keys, KEY_DIRECTION);
    return (frame){turned ? ph_mat_mul(R, shape_axes(plane ? shape->size : shape->axis)) : R,
                   ph_sub(shape->position, com)};
}

shape_sizes collider_sizes(const ph_shape_def *shape)
{
    shape_sizes sizes = shape_sizes_of(shape);
    if (shape_type_find(shape->type) == &shape_box) sizes.half = ph_scale(0.5, shape->size);
    return sizes;
}

static ph_status set_surface(collider *c, const ph_shape_def *shape, ph_error *error)
{
    surface *made = NULL;
    const ph_status status = c->kind == SHAPE_MESH ? surface_of_mesh(shape, c->memory, &made, error)
                                                   : surface_of_heights(shape, c->memory, &made, error);
    c->surface = made;
    return status;
}

static ph_status set_hull(collider *c, const ph_shape_def *shape, ph_error *error)
{
    const int count = shape->data_rows * shape->data_columns / 3;
    ph_vec3 *points = mem_alloc_array(&c->allocator, (size_t)count + 1, sizeof *points);
    if (!points) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    for (int k = 0; k < count; k++) {
        points[k] = ph_vec(shape->data[3 * k], shape->data[3 * k + 1], shape->data[3 * k + 2]);
    }
    polytope *hull = NULL;
    const polytope_result result = polytope_create(points, count, &c->allocator, c->memory, &hull);
    c->polytope = hull;
    mem_free(&c->allocator, points);
    switch (result) {
    case POLYTOPE_DONE:
        return PH_OK;
    case POLYTOPE_FLAT:
        return error_set(error, PH_BAD_MODEL, "the points of the hull lie in a plane");
    default:
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
}

static ph_status set_data(collider *c, const ph_shape_def *shape, ph_error *error)
{
    if (c->kind != SHAPE_HULL && c->kind != SHAPE_MESH && c->kind != SHAPE_HEIGHTFIELD) {
        return PH_OK;
    }
    if (!shape->data) {
        return error_set(error, PH_BAD_ARGUMENT, "the %s has no data", shape->type);
    }
    c->memory = arena_create(&c->allocator);
    if (!c->memory) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    return c->kind == SHAPE_HULL ? set_hull(c, shape, error) : set_surface(c, shape, error);
}

ph_status collider_create(const ph_shape_def *shape, ph_vec3 com, const ph_allocator *allocator, collider **to,
                          ph_error *error)
{
    const shape_type *type = shape_type_find(shape->type);
    *to = NULL;
    if (!type) {
        return error_set(error, PH_BAD_ARGUMENT, "there is no shape '%s'", shape->type ? shape->type : "");
    }
    collider *c = mem_alloc(allocator, sizeof *c);
    if (!c) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    c->type = type;
    c->kind = kind_of(type);
    if (allocator) {
        c->allocator = *allocator;
    }
    c->local = collider_place(shape, com);
    c->centred = is_identity(&c->local);
    c->sizes = collider_sizes(shape);
    const ph_status status = set_data(c, shape, error);
    if (status != PH_OK) {
        collider_destroy(c);
        return status;
    }
    *to = c;
    return PH_OK;
}

void collider_destroy(collider *c)
{
    if (c) {
        const ph_allocator allocator = c->allocator;
        arena_destroy(c->memory);
        mem_free(&allocator, c);
    }
}

// ---- Bounds ---------------------------------------------------------------------------------------------------------

// Half lengths of the box around a box with half lengths h turned by R.
static ph_vec3 turned_half(ph_mat3 R, ph_vec3 h)
{
    return ph_vec(fabs(R.m[0][0]) * h.x + fabs(R.m[0][1]) * h.y + fabs(R.m[0][2]) * h.z,
                  fabs(R.m[1][0]) * h.x + fabs(R.m[1][1]) * h.y + fabs(R.m[1][2]) * h.z,
                  fabs(R.m[2][0]) * h.x + fabs(R.m[2][1]) * h.y + fabs(R.m[2][2]) * h.z);
}

// By what reaches farthest along each axis: tight.
static aabb support_bounds(const collider *c, const frame *at)
{
    aabb box;
    double *low[3] = {&box.low.x, &box.low.y, &box.low.z}, *high[3] = {&box.high.x, &box.high.y, &box.high.z};
    for (int k = 0; k < 3; k++) {
        int number;
        const ph_vec3 d = ph_mat_row(at->R, k);
        const double x = vec_get(at->x, k);
        *low[k] = x + ph_dot(d, c->type->support(&c->sizes, ph_neg(d), &number));
        *high[k] = x + ph_dot(d, c->type->support(&c->sizes, d, &number));
    }
    return box;
}

// The box around the box of the corners would do, but this one is tight.
static aabb hull_bounds(const polytope *hull, const frame *at)
{
    aabb box;
    double *low[3] = {&box.low.x, &box.low.y, &box.low.z}, *high[3] = {&box.high.x, &box.high.y, &box.high.z};
    for (int k = 0; k < 3; k++) {
        const ph_vec3 d = ph_mat_row(at->R, k);
        const double x = vec_get(at->x, k);
        *low[k] = x + ph_dot(d, hull->vertices[polytope_support(hull, ph_neg(d))]);
        *high[k] = x + ph_dot(d, hull->vertices[polytope_support(hull, d)]);
    }
    return box;
}

aabb shape_bounds(const collider *c, const frame *at)
{
    static const aabb everything = {{-PH_INF, -PH_INF, -PH_INF}, {PH_INF, PH_INF, PH_INF}};
    if (c->kind == SHAPE_HULL) {
        return hull_bounds(c->polytope, at);
    }
    if (c->surface) {
        const ph_vec3 half = ph_scale(0.5, ph_sub(c->surface->box.high, c->surface->box.low));
        const ph_vec3 middle = frame_point(at, ph_scale(0.5, ph_add(c->surface->box.high, c->surface->box.low)));
        const ph_vec3 reach = turned_half(at->R, half);
        return (aabb){ph_sub(middle, reach), ph_add(middle, reach)};
    }
    if (!c->type->reach) {
        return c->type->support ? support_bounds(c, at) : everything;
    }
    const ph_vec3 reach = c->type->reach(&c->sizes, at->R);
    return (aabb){ph_sub(at->x, reach), ph_add(at->x, reach)};
}

aabb collider_bounds(const collider *c, const frame *body)
{
    const placed p = place_collider(c, body);
    return shape_bounds(c, &p.at);
}
