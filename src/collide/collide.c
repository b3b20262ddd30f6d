// The table of shape pairs, and the questions that go through it.

#include "collide/collide.h"

#include "collide/pairs.h"

typedef struct pair {
    pair_function *collide;
    closest_function *closest; // NULL: the point of smallest gap that `collide` finds
} pair;

// [a][b] with a not after b.
static const pair pairs[SHAPE_KINDS][SHAPE_KINDS] = {
    [SHAPE_SPHERE][SHAPE_SPHERE] = {pair_sphere_sphere, NULL},
    [SHAPE_SPHERE][SHAPE_CAPSULE] = {pair_sphere_capsule, NULL},
    [SHAPE_SPHERE][SHAPE_BOX] = {pair_sphere_box, NULL},
    [SHAPE_SPHERE][SHAPE_CYLINDER] = {pair_sphere_cylinder, NULL},
    [SHAPE_SPHERE][SHAPE_ELLIPSOID] = {pair_convex, convex_closest},
    [SHAPE_SPHERE][SHAPE_HULL] = {pair_convex, convex_closest},
    [SHAPE_SPHERE][SHAPE_PLANE] = {pair_sphere_plane, NULL},
    [SHAPE_CAPSULE][SHAPE_CAPSULE] = {pair_capsule_capsule, NULL},
    [SHAPE_CAPSULE][SHAPE_BOX] = {pair_capsule_box, NULL},
    [SHAPE_CAPSULE][SHAPE_CYLINDER] = {pair_convex, convex_closest},
    [SHAPE_CAPSULE][SHAPE_ELLIPSOID] = {pair_convex, convex_closest},
    [SHAPE_CAPSULE][SHAPE_HULL] = {pair_convex, convex_closest},
    [SHAPE_CAPSULE][SHAPE_PLANE] = {pair_capsule_plane, NULL},
    [SHAPE_BOX][SHAPE_BOX] = {pair_box_box, convex_closest},
    [SHAPE_BOX][SHAPE_CYLINDER] = {pair_convex, convex_closest},
    [SHAPE_BOX][SHAPE_ELLIPSOID] = {pair_convex, convex_closest},
    [SHAPE_BOX][SHAPE_HULL] = {pair_convex, convex_closest},
    [SHAPE_BOX][SHAPE_PLANE] = {pair_box_plane, NULL},
    [SHAPE_CYLINDER][SHAPE_CYLINDER] = {pair_convex, convex_closest},
    [SHAPE_CYLINDER][SHAPE_ELLIPSOID] = {pair_convex, convex_closest},
    [SHAPE_CYLINDER][SHAPE_HULL] = {pair_convex, convex_closest},
    [SHAPE_CYLINDER][SHAPE_PLANE] = {pair_cylinder_plane, NULL},
    [SHAPE_ELLIPSOID][SHAPE_ELLIPSOID] = {pair_convex, convex_closest},
    [SHAPE_ELLIPSOID][SHAPE_HULL] = {pair_convex, convex_closest},
    [SHAPE_ELLIPSOID][SHAPE_PLANE] = {pair_ellipsoid_plane, NULL},
    [SHAPE_HULL][SHAPE_HULL] = {pair_convex, convex_closest},
    [SHAPE_HULL][SHAPE_PLANE] = {pair_hull_plane, NULL},
    [SHAPE_SPHERE][SHAPE_CONVEX] = {pair_convex, convex_closest},
    [SHAPE_CAPSULE][SHAPE_CONVEX] = {pair_convex, convex_closest},
    [SHAPE_BOX][SHAPE_CONVEX] = {pair_convex, convex_closest},
    [SHAPE_CYLINDER][SHAPE_CONVEX] = {pair_convex, convex_closest},
    [SHAPE_ELLIPSOID][SHAPE_CONVEX] = {pair_convex, convex_closest},
    [SHAPE_HULL][SHAPE_CONVEX] = {pair_convex, convex_closest},
    [SHAPE_CONVEX][SHAPE_CONVEX] = {pair_convex, convex_closest},
    [SHAPE_CONVEX][SHAPE_PLANE] = {pair_convex_plane, NULL},
};

// ---- The list -------------------------------------------------------------------------------------------------------

void contact_list_free(contact_list *list)
{
    mem_free(list->allocator, list->points);
    *list = (contact_list){.allocator = list->allocator};
}

bool contact_list_reserve(contact_list *list, int more)
{
    if (list->count + more <= list->capacity) {
        return true;
    }
    list->growths++;
    return mem_reserve(list->allocator, &list->points, &list->capacity, list->count + more, sizeof *list->points);
}

// ---- Questions ------------------------------------------------------------------------------------------------------

static bool is_solid(const collider *c)
{
    return c->kind < SHAPE_PLANE;
}

static bool is_surface(const collider *c)
{
    return c->kind > SHAPE_PLANE;
}

// The line of the table for two shapes, and whether they must be turned round for it.
static const pair *find_pair(const placed *a, const placed *b, bool *turned)
{
    *turned = a->shape->kind > b->shape->kind;
    return *turned ? &pairs[b->shape->kind][a->shape->kind] : &pairs[a->shape->kind][b->shape->kind];
}

static int collide_placed(const placed *a, const placed *b, double margin, contact_point *out)
{
    bool turned;
    const pair *line = find_pair(a, b, &turned);
    const int count = !line->collide ? 0 : turned ? line->collide(b, a, margin, out) : line->collide(a, b, margin, out);
    for (int k = 0; turned && k < count; k++) {
        out[k] = contact_flipped(out[k]);
    }
    return count;
}

ph_status collide(const collider *a, const frame *body_a, const collider *b, const frame *body_b, double margin,
                  contact_list *out)
{
    const placed pa = place_collider(a, body_a), pb = place_collider(b, body_b);
    if (is_surface(a) || is_surface(b)) {
        if (!is_solid(a) && !is_solid(b)) return PH_OK;
        return is_surface(a) ? surface_collide(&pb, &pa, true, margin, out)
                             : surface_collide(&pa, &pb, false, margin, out);
    }
    if (!contact_list_reserve(out, MANIFOLD_MAX)) {
        return PH_OUT_OF_MEMORY;
    }
    out->count += collide_placed(&pa, &pb, margin, out->points + out->count);
    return PH_OK;
}

static contact_point closest_placed(const placed *a, const placed *b)
{
    bool turned;
    if (is_surface(a->shape) && is_solid(b->shape)) return surface_closest(b, a, true);
    if (is_surface(b->shape) && is_solid(a->shape)) return surface_closest(a, b, false);
    const pair *line = find_pair(a, b, &turned);
    if (line->closest) {
        return turned ? contact_flipped(line->closest(b, a)) : line->closest(a, b);
    }
    contact_point points[MANIFOLD_MAX], best = {.gap = PH_INF};
    const int count = collide_placed(a, b, PH_INF, points);
    for (int k = 0; k < count; k++) {
        if (points[k].gap < best.gap) {
            best = points[k];
        }
    }
    return best;
}

double collide_distance(const collider *a, const frame *body_a, const collider *b, const frame *body_b, ph_vec3 *on_a,
                        ph_vec3 *on_b, ph_vec3 *normal)
{
    const placed pa = place_collider(a, body_a), pb = place_collider(b, body_b);
    const contact_point c = closest_placed(&pa, &pb);
    if (on_a) *on_a = c.on_a;
    if (on_b) *on_b = c.on_b;
    if (normal) *normal = c.normal;
    return c.gap;
}
