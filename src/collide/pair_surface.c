// Convex shapes on meshes and height fields, triangle by triangle.
//
// A triangle knows nothing of its neighbours: a ball that rolls over a flat floor of triangles comes nearer to the edge of
// the next one, whose answer would push it back. So an answer counts only when it could be one of the whole surface: on an
// edge or corner the direction to the shape must not lead over neighbouring triangles (surface_allows_...), since then
// those are nearer and answer themselves. Flat parts of shapes that face the triangle meet it along its own normal. Surfaces
// are seen from outside only.

#include "collide/features.h"
#include "collide/pairs.h"
#include "collide/support.h"
#include "collide/surface.h"

typedef struct query {
    const placed *shape, *surface;
    double margin;
    bool turned;        // the surface comes first in the answer
    contact_list *list; // NULL: only the best is asked for
    contact_point best;
    contact_point resort; // the shortest way out of an overlap that does not count, for when none does; gap 0: none
    bool out_of_memory;
} query;

static const double facing = 0.9995; // cosine up to which a normal counts as the triangle's own

// ---- One triangle ---------------------------------------------------------------------------------------------------

// Whether the nearest point, on the triangle in direction m from it, is one of the whole surface.
static bool allowed(const query *q, const surface_triangle *t, ph_vec3 point, ph_vec3 m)
{
    const ph_vec3 p = frame_inverse_point(&q->surface->at, point), local = ph_tmul(q->surface->at.R, m);
    const ph_vec3 n = ph_cross(ph_sub(t->p[1], t->p[0]), ph_sub(t->p[2], t->p[0]));
    const double area2 = ph_norm2(n);
    bool zero[3]; // no weight on corner k
    int zeros = 0;
    for (int k = 0; k < 3; k++) {
        const ph_vec3 a = ph_sub(t->p[(k + 1) % 3], p), b = ph_sub(t->p[(k + 2) % 3], p);
        zero[k] = ph_dot(n, ph_cross(a, b)) <= 1e-7 * area2;
        zeros += zero[k];
    }
    for (int k = 0; k < 3; k++) {
        if (zeros == 1 && zero[k]) return surface_allows_edge(q->surface->shape->surface, t, (k + 1) % 3, local);
        if (zeros == 2 && !zero[k]) return surface_allows_corner(q->surface->shape->surface, t, k, local);
    }
    return ph_dot(local, t->n) > facing;
}

// The part of the shape over the triangle, with the triangle's normal; for round shapes their lowest point.
static int flat_contact(const query *q, const placed *triangle, ph_vec3 N, contact_point *out)
{
    face reference, incident;
    shape_face(triangle, N, &reference);
    shape_face(q->shape, ph_neg(N), &incident);
    if (incident.count == 0) {
        int number;
        const collider *c = q->shape->shape;
        const ph_vec3 p = core_support(c, ph_neg(ph_tmul(q->shape->at.R, N)), &number);
        incident.count = 1;
        incident.id = 0;
        incident.points[0] = ph_madd(frame_point(&q->shape->at, p), -core_radius(c), N);
    }
    return manifold_clip(&reference, &incident, true, q->margin, out);
}

static void consider_resort(query *q, contact_point c)
{
    if (q->resort.gap == 0.0 || c.gap > q->resort.gap) q->resort = c;
}

// Out of an overlap along the normal of the triangle. The flat contact counts where about the lowest of the shape lies over
// the triangle; else a flank of the shape passes through it, and neighbours have more to say.
static int lowest_contact(query *q, const placed *triangle, ph_vec3 N, contact_point *out)
{
    int number;
    const collider *c = q->shape->shape;
    const ph_vec3 core = frame_point(&q->shape->at, core_support(c, ph_neg(ph_tmul(q->shape->at.R, N)), &number));
    const ph_vec3 p = ph_madd(core, -core_radius(c), N);
    const ph_vec3 corner = frame_point(&triangle->at, triangle->shape->polytope->vertices[0]);
    const double depth = ph_dot(N, ph_sub(corner, p));
    consider_resort(q, contact_make(p, ph_madd(p, depth, N), ph_neg(N), -depth, 0));
    const ph_vec3 top = frame_point(&q->shape->at, core_support(c, ph_tmul(q->shape->at.R, N), &number));
    if (depth > 0.1 * (ph_dot(N, ph_sub(top, core)) + 2.0 * core_radius(c))) return 0; // through and through
    const int count = flat_contact(q, triangle, N, out);
    double deepest = 0.0;
    for (int k = 0; k < count; k++) {
        deepest = ph_max(deepest, -out[k].gap);
    }
    return deepest >= 0.5 * depth ? count : 0;
}

static ph_vec3 middle_of(const placed *p)
{
    const polytope *hull = p->shape->kind == SHAPE_HULL ? p->shape->polytope : NULL;
    return hull ? frame_point(&p->at, ph_scale(0.5, ph_add(hull->low, hull->high))) : p->at.x;
}

static int meet_triangle(query *q, const surface_triangle *t, const placed *triangle, contact_point *out)
{
    contact_point c;
    if (!convex_nearest(q->shape, triangle, q->margin, &c)) return 0;
    const ph_vec3 N = ph_mul(q->surface->at.R, t->n), m = ph_neg(c.normal);
    const bool sound = allowed(q, t, c.on_b, m);
    if (sound && !q->list) {
        out[0] = c;
        return 1;
    }
    if (ph_dot(m, N) > facing) {
        const int count = flat_contact(q, triangle, N, out);
        return sound ? manifold_with(out, count, &c, ph_norm(ph_sub(t->p[1], t->p[0]))) : count;
    }
    if (sound) return convex_manifold(q->shape, triangle, &c, q->margin, out);
    // overlap, and the way out is across a neighbour: along the normal instead, unless most of the shape is behind
    if (c.gap < 0.0 && ph_dot(m, N) > 0.0) consider_resort(q, c);
    const bool in_front = ph_dot(N, ph_sub(middle_of(q->shape), triangle->at.x)) >
                          ph_dot(t->n, t->p[0]); // N . (x - x_surface) against the plane of the triangle
    return c.gap < -core_radius(q->shape->shape) && in_front ? lowest_contact(q, triangle, N, out) : 0;
}

static void keep(query *q, contact_point c, int triangle)
{
    // the triangle's number and the place on it, mixed
    c.feature = c.feature * 0x9e3779b97f4a7c15u ^ ((uint64_t)triangle + 1) * 0xd1b54a32d192ed03u;
    if (q->turned) c = contact_flipped(c);
    if (!q->list) {
        if (c.gap < q->best.gap) {
            q->best = c;
            q->margin = c.gap; // what is farther is of no interest
        }
    } else if (contact_list_reserve(q->list, 1)) {
        q->list->points[q->list->count++] = c;
    } else {
        q->out_of_memory = true;
    }
}

static ph_vec3 nearest_on_edge(ph_vec3 a, ph_vec3 b, ph_vec3 x)
{
    const ph_vec3 d = ph_sub(b, a);
    return ph_madd(a, clamp(ph_dot(ph_sub(x, a), d) / ph_norm2(d), 0.0, 1.0), d);
}

static ph_vec3 nearest_on_triangle(const surface_triangle *t, ph_vec3 x)
{
    bool over = true;
    for (int k = 0; k < 3; k++)
        over = over && ph_dot(t->n, ph_cross(ph_sub(t->p[(k + 1) % 3], t->p[k]), ph_sub(x, t->p[k]))) >= 0.0;
    if (over) return ph_madd(x, -ph_dot(t->n, ph_sub(x, t->p[0])), t->n);
    ph_vec3 nearest = nearest_on_edge(t->p[2], t->p[0], x);
    for (int k = 0; k < 2; k++) {
        const ph_vec3 other = nearest_on_edge(t->p[k], t->p[k + 1], x);
        if (ph_norm2(ph_sub(other, x)) < ph_norm2(ph_sub(nearest, x))) nearest = other;
    }
    return nearest;
}

// A ball in front of a triangle has one nearest point. False where that does not settle it: the centre is behind, or
// neighbours have more to say.
static bool meet_ball(query *q, const surface_triangle *t)
{
    const ph_vec3 x = frame_inverse_point(&q->surface->at, q->shape->at.x);
    const double r = q->shape->shape->radius, height = ph_dot(t->n, ph_sub(x, t->p[0]));
    if (fabs(height) - r >= q->margin) return true;
    const ph_vec3 p = nearest_on_triangle(t, x);
    if (ph_norm(ph_sub(x, p)) - r >= q->margin) return true;
    if (!(height > 1e-6 * r)) return false;
    const ph_vec3 on_triangle = frame_point(&q->surface->at, p);
    const contact_point c = contact_of_balls(q->shape->at.x, r, on_triangle, 0.0, ph_neg(t->n), 0);
    if (!allowed(q, t, c.on_b, ph_neg(c.normal))) return false;
    keep(q, c, t->id);
    return true;
}

static void see_triangle(void *user, const surface_triangle *t)
{
    query *q = user;
    if (q->shape->shape->kind == SHAPE_SPHERE && meet_ball(q, t)) return;
    ph_vec3 vertices[3] = {t->p[0], t->p[1], t->p[2]}, normal = t->n;
    polytope flat = {.vertex_count = 3, .vertices = vertices, .face_count = 1, .normals = &normal};
    flat.low = flat.high = vertices[0];
    for (int k = 1; k < 3; k++) {
        flat.low =
            ph_vec(fmin(flat.low.x, vertices[k].x), fmin(flat.low.y, vertices[k].y), fmin(flat.low.z, vertices[k].z));
        flat.high = ph_vec(fmax(flat.high.x, vertices[k].x), fmax(flat.high.y, vertices[k].y),
                           fmax(flat.high.z, vertices[k].z));
    }
    const collider c = {.kind = SHAPE_TRIANGLE, .polytope = &flat};
    const placed triangle = {&c, q->surface->at};
    contact_point points[MANIFOLD_MAX];
    const int count = meet_triangle(q, t, &triangle, points);
    for (int k = 0; k < count; k++) {
        keep(q, points[k], t->id);
    }
}

// ---- All triangles --------------------------------------------------------------------------------------------------

static bool same_place(const contact_point *a, const contact_point *b)
{
    return ph_norm(ph_sub(a->on_b, b->on_b)) <= 1e-9 * (1.0 + ph_norm(a->on_b)) && fabs(a->gap - b->gap) <= 1e-9;
}

// Moves the points whose normal is like that of the first to the front, without doubles; `*count` shrinks by those.
static int gather(contact_point *points, int *count)
{
    int group = 1;
    for (int k = 1; k < *count;) {
        bool twice = false;
        const bool alike = ph_dot(points[k].normal, points[0].normal) > facing;
        for (int i = 0; alike && i < group && !twice; i++) {
            twice = same_place(&points[i], &points[k]);
        }
        if (twice) {
            points[k] = points[--*count];
            continue;
        }
        if (alike) {
            const contact_point swap = points[group];
            points[group++] = points[k];
            points[k] = swap;
        }
        k++;
    }
    return group;
}

// Few points for each direction: the triangles are those of the drawing, not of the contact.
static void thin_out(contact_list *list, int start)
{
    int to = start;
    for (int from = start; from < list->count;) {
        int count = list->count - from;
        const int group = gather(list->points + from, &count);
        list->count = from + count;
        const int kept = manifold_reduce(list->points + from, group);
        for (int k = 0; k < kept; k++) {
            list->points[to++] = list->points[from + k];
        }
        from += group;
    }
    list->count = to;
}

static void visit(query *q)
{
    const frame local = frame_relative(&q->surface->at, &q->shape->at);
    aabb box = shape_bounds(q->shape->shape, &local);
    const ph_vec3 room = ph_vec(q->margin, q->margin, q->margin);
    box.low = ph_sub(box.low, room);
    box.high = ph_add(box.high, room);
    const int before = q->list ? q->list->count : 0;
    contact_point smooth;
    if (q->surface->shape->surface->smooth && q->shape->shape->kind == SHAPE_SPHERE) {
        if (smooth_contact(q->shape, q->surface, &smooth) && smooth.gap < q->margin) keep(q, smooth, -1);
        return;
    }
    surface_visit(q->surface->shape->surface, &box, see_triangle, q);
    const bool none = q->list ? q->list->count == before : !(q->best.gap < PH_INF);
    if (none && q->resort.gap < 0.0) keep(q, q->resort, -1);
}

ph_status surface_collide(const placed *shape, const placed *surface, bool turned, double margin, contact_list *list)
{
    query q = {.shape = shape, .surface = surface, .margin = margin, .turned = turned, .list = list};
    const int start = list->count;
    visit(&q);
    thin_out(list, start);
    return q.out_of_memory ? PH_OUT_OF_MEMORY : PH_OK;
}

contact_point surface_closest(const placed *shape, const placed *surface, bool turned)
{
    query q = {.shape = shape, .surface = surface, .margin = PH_INF, .turned = turned, .best = {.gap = PH_INF}};
    visit(&q);
    return q.best;
}
