// Points, normals and gaps by the poses of two shapes. When both move as one, gap stays and point and normal move along: so what
// shape b does gives what shape a does,
//
//     place_a = p_bar - place_b,     turn_a about the world's origin = p x p_bar + n x n_bar - the same of b.
//
// Planes with what has corners or is a ball about a point, and two balls, in closed form; all others by differences of fourth
// order with the points held together by their features.
#include "adjoint/contact_shape.h"

#include "math/so3.h"

#include <math.h>
#include <string.h>

static const detected *point_at(const contact_points *p, int k)
{
    return (const detected *)((const char *)p->at + (size_t)k * (size_t)p->stride);
}

static const detector_kind *kind_of(const contact_points *p, bool b)
{
    const detected *first = p->at;
    return p->shapes->shapes[b ? first->shape_b : first->shape_a].kind;
}

// ---- Shape a from shape b -------------------------------------------------------------------------------------------

static void complete(const contact_points *p, shape_cotangent *a, const shape_cotangent *b)
{
    ph_vec3 force = ph_zero3(), torque = ph_zero3();
    for (int k = 0; k < p->count; k++) {
        const detected *d = point_at(p, k);
        force = ph_add(force, p->by[k].point);
        torque = ph_add3(torque, ph_cross(d->point, p->by[k].point), ph_cross(d->normal, p->by[k].normal));
    }
    a->place = ph_sub(force, b->place);
    const ph_vec3 of_b = ph_add(b->turn, ph_cross(p->b.x, b->place));
    a->turn = ph_sub(ph_sub(torque, of_b), ph_cross(p->a.x, a->place));
}

// ---- Closed forms ---------------------------------------------------------------------------------------------------

// A plane that cannot move and a shape with corners or caps that can: the corner c stays with shape b, the point is c - r n, and
// the gap n . c - r.
static bool is_corner_on_plane(const contact_points *p)
{
    const detector_kind *a = kind_of(p, false), *b = kind_of(p, true);
    const shape_kind kind = b->collider->kind;
    return a->collider->kind == SHAPE_PLANE && !a->moves && b->moves &&
           (kind == SHAPE_SPHERE || kind == SHAPE_CAPSULE || kind == SHAPE_BOX || kind == SHAPE_HULL);
}

static double sign_of(double x)
{
    return x < 0.0 ? -1.0 : 1.0;
}

static void pull_corner_sizes(const contact_points *p, ph_vec3 corner, ph_vec3 force, shape_sizes *to)
{
    const shape_kind kind = kind_of(p, true)->collider->kind;
    const ph_vec3 at = frame_inverse_point(&p->b, corner), along = ph_tmul(p->b.R, force);
    if (kind == SHAPE_CAPSULE) to->half_length += sign_of(at.z) * along.z;
    if (kind != SHAPE_BOX) return;
    to->half = ph_add(to->half, ph_vec(sign_of(at.x) * along.x, sign_of(at.y) * along.y, sign_of(at.z) * along.z));
}

static void pull_corner_on_plane(const contact_points *p, shape_cotangent *b)
{
    const collider *c = kind_of(p, true)->collider;
    const double r = c->kind == SHAPE_SPHERE || c->kind == SHAPE_CAPSULE ? c->radius : 0.0;
    for (int k = 0; k < p->count; k++) {
        const detected *d = point_at(p, k);
        const ph_vec3 corner = ph_madd(d->point, r, d->normal);
        const ph_vec3 force = ph_madd(p->by[k].point, p->by[k].gap, d->normal);
        b->place = ph_add(b->place, force);
        b->turn = ph_add(b->turn, ph_cross(ph_sub(corner, p->b.x), force));
        pull_corner_sizes(p, corner, force, &b->sizes);
        if (r > 0.0) b->sizes.radius -= p->by[k].gap + ph_dot(d->normal, p->by[k].point);
    }
}

static bool are_balls(const contact_points *p)
{
    return kind_of(p, false)->collider->kind == SHAPE_SPHERE && kind_of(p, true)->collider->kind == SHAPE_SPHERE;
}

// n = (q - p)/|q - p|, gap = |q - p| - r_a - r_b; the point is p + r_a n, q - r_b n or their mean.
static void pull_balls(const contact_points *p, shape_cotangent *a, shape_cotangent *b)
{
    const detector_kind *ka = kind_of(p, false), *kb = kind_of(p, true);
    const detected *d = p->at;
    const double share_b = ka->moves == kb->moves ? 0.5 : ka->moves ? 0.0 : 1.0, share_a = 1.0 - share_b;
    const double ra = ka->collider->radius, rb = kb->collider->radius, along = ph_dot(d->normal, p->by->point);
    const double distance = d->gap + ra + rb;
    ph_vec3 n = ph_madd(p->by->normal, share_a * ra - share_b * rb, p->by->point);
    n = ph_scale(1.0 / distance, ph_madd(n, -ph_dot(n, d->normal), d->normal));
    b->place = ph_add(ph_madd(n, p->by->gap, d->normal), ph_scale(share_b, p->by->point));
    b->sizes.radius = -p->by->gap - share_b * along;
    a->sizes.radius = -p->by->gap + share_a * along;
}

// ---- Differences ----------------------------------------------------------------------------------------------------

// Pair with shapes of their own: frames are those of the shapes.
typedef struct probe {
    const contact_points *points;
    collider a, b;
    frame at_a, at_b;
    contact_list list;
    double margin;
    double weight; // of all that is summed
    bool lost;
} probe;

static ph_vec3 acting_point(const contact_points *p, const contact_point *c)
{
    const bool a = kind_of(p, false)->moves, b = kind_of(p, true)->moves;
    return a == b ? ph_scale(0.5, ph_add(c->on_a, c->on_b)) : a ? c->on_a : c->on_b;
}

static const contact_point *find_feature(const contact_list *list, uint64_t feature)
{
    for (int k = 0; k < list->count; k++)
        if (list->points[k].feature == feature) return &list->points[k];
    return NULL;
}

// The weighted sum of all points.
static double evaluate(probe *q)
{
    double sum = 0.0;
    q->list.count = 0;
    if (collide(&q->a, &q->at_a, &q->b, &q->at_b, q->margin, &q->list) != PH_OK) q->lost = true;
    for (int k = 0; k < q->points->count && !q->lost; k++) {
        const contact_cotangent *by = &q->points->by[k];
        const detected *base = point_at(q->points, k);
        const contact_point *c = find_feature(&q->list, base->feature);
        if (!c || ph_dot(c->normal, base->normal) < 0.9) {
            q->lost = true;
            return 0.0;
        }
        sum += by->gap * c->gap + ph_dot(by->normal, c->normal) + ph_dot(by->point, acting_point(q->points, c));
    }
    return sum;
}

// Moves shape b along direction k: 0 to 2 by s along an axis, 3 to 5 by a turn s about it.
static void move(const contact_points *p, int k, double s, frame *to)
{
    const ph_vec3 axis = ph_vec(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    *to = p->b;
    if (k < 3)
        to->x = ph_madd(to->x, s, axis);
    else
        to->R = ph_mat_mul(ph_so3_exp(ph_scale(s, axis)), to->R);
}

typedef void nudge(probe *q, int k, double s);

static void nudge_pose(probe *q, int k, double s)
{
    move(q->points, k, s, &q->at_b);
}

static double *size_at(shape_sizes *s, int k)
{
    double *const at[5] = {&s->half.x, &s->half.y, &s->half.z, &s->radius, &s->half_length};
    return at[k];
}

static void nudge_size(probe *q, int k, double s)
{
    collider *c = k < 5 ? &q->a : &q->b;
    *size_at(&c->sizes, k % 5) = *size_at(&kind_of(q->points, k >= 5)->collider->sizes, k % 5) + s;
}

typedef struct slope {
    double value, doubt; // doubt: how far the two differences are apart
} slope;

// (4 (f(s/2) - f(-s/2))/s - (f(s) - f(-s))/(2 s) ...)/3: the error is of fourth order.
static slope differ_by(probe *q, nudge *by, int k, double s)
{
    double f[4];
    const double at[4] = {s, -s, 0.5 * s, -0.5 * s};
    for (int i = 0; i < 4; i++) {
        by(q, k, at[i]);
        f[i] = evaluate(q);
    }
    by(q, k, 0.0);
    const double wide = (f[0] - f[1]) / (2.0 * s), half = (f[2] - f[3]) / s;
    return (slope){half + (half - wide) / 3.0, fabs(half - wide)};
}

// The lowest point of a cap that is nearly flat on its plane runs round it within the angle by which it is not: shorter differences, until
// two of them agree. Where none do, points change nearby.
static double differ(probe *q, nudge *by, int k, double s)
{
    enum { TRIALS = 5 };
    const double shorter = 1.0 / 16.0, alike = 1e-5, some = 1e-2, none = 1e-12 * q->weight;
    slope best = differ_by(q, by, k, s);
    for (int n = 1; n < TRIALS && !q->lost && best.doubt > alike * fabs(best.value) + none / s; n++) {
        s *= shorter;
        const slope next = differ_by(q, by, k, s);
        if (next.doubt < best.doubt) best = next;
    }
    q->lost = q->lost || best.doubt > some * fabs(best.value) + none / s;
    return best.value;
}

static double scale_of(const contact_points *p)
{
    const double a = kind_of(p, false)->radius, b = kind_of(p, true)->radius;
    return fmin(a, b);
}

static collider without_place(const detector_kind *kind)
{
    collider c = *kind->collider;
    c.local = (frame){ph_identity(), ph_zero3()};
    c.centred = true;
    return c;
}

static void differentiate(probe *q, bool sizes, shape_cotangent *a, shape_cotangent *b)
{
    const double step = 1e-3, length = step * scale_of(q->points);
    double by[6];
    for (int k = 0; k < 6 && !q->lost; k++) by[k] = differ(q, nudge_pose, k, k < 3 ? length : step);
    b->place = ph_vec(by[0], by[1], by[2]), b->turn = ph_vec(by[3], by[4], by[5]);
    for (int k = 0; k < 10 && !q->lost && sizes; k++) {
        const double size = *size_at(&(k < 5 ? &q->a : &q->b)->sizes, k % 5);
        if (size > 0.0) *size_at(k < 5 ? &a->sizes : &b->sizes, k % 5) = differ(q, nudge_size, k, step * size);
    }
}

static bool pull_by_differences(const contact_points *p, bool sizes, shape_cotangent *a, shape_cotangent *b)
{
    double farthest = 0.0, weight = 0.0;
    for (int k = 0; k < p->count; k++) {
        const contact_cotangent *by = &p->by[k];
        farthest = fmax(farthest, point_at(p, k)->gap);
        weight += ph_norm(by->normal) + scale_of(p) * (fabs(by->gap) + ph_norm(by->point));
    }
    probe q = {.points = p,
               .a = without_place(kind_of(p, false)),
               .b = without_place(kind_of(p, true)),
               .at_a = p->a,
               .at_b = p->b,
               .list = {.allocator = &p->shapes->model->allocator},
               .margin = farthest + 0.01 * scale_of(p),
               .weight = weight};
    differentiate(&q, sizes, a, b);
    contact_list_free(&q.list);
    return !q.lost;
}

static void hold(const contact_points *p, shape_cotangent *b)
{
    for (int k = 0; k < p->count; k++) {
        const detected *d = point_at(p, k);
        const ph_vec3 force = ph_madd(p->by[k].point, p->by[k].gap, d->normal);
        b->place = ph_add(b->place, force);
        b->turn = ph_add(b->turn, ph_cross(ph_sub(d->point, p->b.x), force));
    }
}

// ---------------------------------------------------------------------------------------------------------------------

shape_pull contact_shape_pull(const contact_points *p, bool sizes, shape_cotangent *a, shape_cotangent *b)
{
    shape_pull how = SHAPE_PULL_EXACT;
    *a = *b = (shape_cotangent){0};
    if (is_corner_on_plane(p)) {
        pull_corner_on_plane(p, b);
    } else if (are_balls(p)) {
        pull_balls(p, a, b);
    } else {
        how = SHAPE_PULL_DIFFERENCES;
        if (!pull_by_differences(p, sizes, a, b)) {
            *a = *b = (shape_cotangent){0};
            hold(p, b);
            how = SHAPE_PULL_HELD;
        }
    }
    complete(p, a, b);
    return how;
}
