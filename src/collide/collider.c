// Making colliders, and the boxes around them.

#include "collide/collider.h"

#include "base/error.h"
#include "collide/surface.h"
#include "math/quat.h"
#include "math/trig.h"

#include <string.h>

static const char *const kind_names[SHAPE_KINDS] = {
    [SHAPE_SPHERE] = "sphere",     [SHAPE_CAPSULE] = "capsule",     [SHAPE_BOX] = "box",
    [SHAPE_CYLINDER] = "cylinder", [SHAPE_ELLIPSOID] = "ellipsoid", [SHAPE_HULL] = "hull",
    [SHAPE_PLANE] = "plane",       [SHAPE_MESH] = "mesh",           [SHAPE_HEIGHTFIELD] = "heightfield",
};

// ---- Creation -------------------------------------------------------------------------------------------------------

static bool find_kind(const char *name, shape_kind *to)
{
    for (int k = 0; k < SHAPE_KINDS; k++) {
        if (name && kind_names[k] && strcmp(name, kind_names[k]) == 0) {
            *to = (shape_kind)k;
            return true;
        }
    }
    return false;
}

// Turns z to `axis`.
static ph_mat3 turned_to(ph_vec3 axis)
{
    const ph_vec3 z = ph_unit(axis);
    if (z.x == 0.0 && z.y == 0.0 && z.z > 0.0) {
        return ph_identity();
    }
    const ph_vec3 x = ph_any_perpendicular(z);
    return ph_mat_cols(x, ph_cross(z, x), z);
}

static bool is_identity(const frame *f)
{
    return ph_norm(f->x) == 0.0 && ph_mat_norm(ph_mat_sub(f->R, ph_identity())) == 0.0;
}

static void set_frame(collider *c, const ph_shape_def *shape, ph_vec3 com)
{
    c->local.R = ph_quat_to_mat(ph_quat_unit(shape->orientation));
    c->local.x = ph_sub(shape->position, com);
    if (c->kind == SHAPE_PLANE) {
        c->local.R = ph_mat_mul(c->local.R, turned_to(shape->size));
    } else if (c->kind == SHAPE_CAPSULE || c->kind == SHAPE_CYLINDER) {
        c->local.R = ph_mat_mul(c->local.R, turned_to(shape->axis));
    }
    c->centred = is_identity(&c->local);
}

static void set_sizes(collider *c, const ph_shape_def *shape)
{
    c->radius = shape->radius;
    c->half_length = 0.5 * shape->length;
    c->half = c->kind == SHAPE_BOX ? ph_scale(0.5, shape->size) : shape->size;
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
    shape_kind kind;
    *to = NULL;
    if (!find_kind(shape->type, &kind)) {
        return error_set(error, PH_BAD_ARGUMENT, "there is no shape '%s'", shape->type ? shape->type : "");
    }
    collider *c = mem_alloc(allocator, sizeof *c);
    if (!c) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    c->kind = kind;
    if (allocator) {
        c->allocator = *allocator;
    }
    set_frame(c, shape, com);
    set_sizes(c, shape);
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

// Reach along the world axes from the centre of the shape.
static ph_vec3 reach_of(const collider *c, ph_mat3 R)
{
    const ph_vec3 z = ph_mat_col(R, 2), r3 = ph_vec(c->radius, c->radius, c->radius);
    const ph_vec3 along = ph_scale(c->half_length, ph_vec(fabs(z.x), fabs(z.y), fabs(z.z)));
    switch (c->kind) {
    case SHAPE_SPHERE:
        return r3;
    case SHAPE_CAPSULE:
        return ph_add(r3, along);
    case SHAPE_CYLINDER: // a disc reaches r sin(angle between its axis and the direction)
        return ph_madd(along, c->radius,
                       ph_vec(sqrt(ph_max(0.0, 1.0 - z.x * z.x)), sqrt(ph_max(0.0, 1.0 - z.y * z.y)),
                              sqrt(ph_max(0.0, 1.0 - z.z * z.z))));
    case SHAPE_BOX:
        return turned_half(R, c->half);
    case SHAPE_ELLIPSOID: // |diag(radii) R^T e|
        return ph_vec(ph_norm(ph_vec(R.m[0][0] * c->half.x, R.m[0][1] * c->half.y, R.m[0][2] * c->half.z)),
                      ph_norm(ph_vec(R.m[1][0] * c->half.x, R.m[1][1] * c->half.y, R.m[1][2] * c->half.z)),
                      ph_norm(ph_vec(R.m[2][0] * c->half.x, R.m[2][1] * c->half.y, R.m[2][2] * c->half.z)));
    default:
        return ph_vec(PH_INF, PH_INF, PH_INF);
    }
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
    if (c->kind == SHAPE_HULL) {
        return hull_bounds(c->polytope, at);
    }
    if (c->surface) {
        const ph_vec3 half = ph_scale(0.5, ph_sub(c->surface->box.high, c->surface->box.low));
        const ph_vec3 middle = frame_point(at, ph_scale(0.5, ph_add(c->surface->box.high, c->surface->box.low)));
        const ph_vec3 reach = turned_half(at->R, half);
        return (aabb){ph_sub(middle, reach), ph_add(middle, reach)};
    }
    const ph_vec3 reach = reach_of(c, at->R);
    return (aabb){ph_sub(at->x, reach), ph_add(at->x, reach)};
}

aabb collider_bounds(const collider *c, const frame *body)
{
    const placed p = place_collider(c, body);
    return shape_bounds(c, &p.at);
}
