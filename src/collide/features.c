// The flat parts of shapes: what a shape shows to someone who looks at it along a direction.

#include "collide/features.h"

#include "math/trig.h"

enum { RIM_POINTS = 8 };

// Up to this sine a side or cap counts as facing the other shape.
static const double small_tilt = 0.03;

void box_face(const placed *p, int k, double sign, face *to)
{
    static const double u[4] = {1.0, -1.0, -1.0, 1.0}, v[4] = {1.0, 1.0, -1.0, -1.0};
    const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
    const ph_vec3 h = p->shape->half;
    const ph_vec3 x = ph_scale(vec_get(h, k1), placed_axis(p, k1));
    const ph_vec3 y = ph_scale(sign * vec_get(h, k2), placed_axis(p, k2));
    to->normal = ph_scale(sign, placed_axis(p, k));
    to->count = 4;
    to->id = (uint32_t)(2 * k + (sign > 0.0));
    const ph_vec3 centre = ph_madd(p->at.x, vec_get(h, k), to->normal);
    for (int i = 0; i < 4; i++) {
        to->points[i] = ph_madd(ph_madd(centre, u[i], x), v[i], y);
    }
}

static void face_of_box(const placed *p, ph_vec3 local, face *to)
{
    int k = fabs(local.y) > fabs(local.x) ? 1 : 0;
    k = fabs(local.z) > fabs(vec_get(local, k)) ? 2 : k;
    box_face(p, k, vec_get(local, k) < 0.0 ? -1.0 : 1.0, to);
}

// Of faces with more corners than there is room for, every other or third corner.
static void face_of_hull(const placed *p, ph_vec3 local, face *to)
{
    const polytope *hull = p->shape->polytope;
    const int f = polytope_face(hull, local), from = hull->first[f], count = hull->first[f + 1] - from;
    const int stride = (count + FACE_MAX - 1) / FACE_MAX;
    to->normal = ph_mul(p->at.R, hull->normals[f]);
    to->id = (uint32_t)f & 0xfff;
    to->count = 0;
    for (int k = 0; k < count; k += stride) {
        to->points[to->count++] = frame_point(&p->at, hull->vertices[hull->corners[from + k]]);
    }
}

// A triangle has two sides.
static void face_of_triangle(const placed *p, ph_vec3 local, face *to)
{
    const polytope *t = p->shape->polytope;
    const bool back = ph_dot(t->normals[0], local) < 0.0;
    to->normal = ph_scale(back ? -1.0 : 1.0, ph_mul(p->at.R, t->normals[0]));
    to->id = back;
    to->count = 3;
    for (int k = 0; k < 3; k++) {
        to->points[k] = frame_point(&p->at, t->vertices[back ? 2 - k : k]);
    }
}

// Corners on the rim of a cap, the first where it reaches farthest, so that a tilted cap still touches there. A cap that
// looks straight along the direction begins at its own x axis.
static void cap_of_cylinder(const placed *p, ph_vec3 local, face *to)
{
    const double across = sqrt(local.x * local.x + local.y * local.y), r = p->shape->radius;
    const double z = local.z > 0.0 ? p->shape->half_length : -p->shape->half_length, turn = local.z > 0.0 ? 1.0 : -1.0;
    const ph_vec3 x = across > 1e-7 ? ph_vec(local.x / across, local.y / across, 0.0) : ph_vec(1.0, 0.0, 0.0);
    const ph_vec3 y = ph_vec(-x.y, x.x, 0.0);
    static const double c[RIM_POINTS] = {1,  0.70710678118654752,  0, -0.70710678118654752,
                                         -1, -0.70710678118654752, 0, 0.70710678118654752};
    to->normal = ph_scale(turn, placed_axis(p, 2));
    to->id = local.z > 0.0;
    to->count = RIM_POINTS;
    for (int k = 0; k < RIM_POINTS; k++) {
        ph_vec3 q = ph_add(ph_scale(r * c[k], x), ph_scale(turn * r * c[(k + 6) % RIM_POINTS], y));
        q.z = z;
        to->points[k] = frame_point(&p->at, q);
    }
}

static void line_along_axis(const placed *p, ph_vec3 offset, face *to)
{
    const double h = p->shape->half_length;
    to->count = 2;
    to->id = 2;
    to->points[0] = frame_point(&p->at, ph_vec(offset.x, offset.y, -h));
    to->points[1] = frame_point(&p->at, ph_vec(offset.x, offset.y, h));
}

static void face_of_cylinder(const placed *p, ph_vec3 local, face *to)
{
    const double across = sqrt(local.x * local.x + local.y * local.y),
                 s = across > 0.0 ? p->shape->radius / across : 0.0;
    if (across < small_tilt) {
        cap_of_cylinder(p, local, to);
    } else if (fabs(local.z) < small_tilt) {
        line_along_axis(p, ph_scale(s, local), to);
    } else {
        to->count = 1;
        to->id = 3;
        to->points[0] = frame_point(&p->at, ph_vec(s * local.x, s * local.y, copysign(p->shape->half_length, local.z)));
    }
}

static void face_of_capsule(const placed *p, ph_vec3 d, ph_vec3 local, face *to)
{
    if (fabs(local.z) < small_tilt) {
        line_along_axis(p, ph_zero3(), to);
    } else {
        to->count = 1;
        to->id = local.z > 0.0;
        to->points[0] = frame_point(&p->at, ph_vec(0.0, 0.0, copysign(p->shape->half_length, local.z)));
    }
    for (int k = 0; k < to->count; k++) {
        to->points[k] = ph_madd(to->points[k], p->shape->radius, d);
    }
}

static void face_of_type(const placed *p, ph_vec3 local, face *to)
{
    shape_face_points f = {.normal = local};
    if (p->shape->type->face) p->shape->type->face(&p->shape->sizes, local, &f);
    to->normal = ph_mul(p->at.R, f.normal);
    to->id = (uint32_t)f.id;
    to->count = f.count;
    for (int k = 0; k < f.count; k++) to->points[k] = frame_point(&p->at, f.points[k]);
}

void shape_face(const placed *p, ph_vec3 d, face *to)
{
    const ph_vec3 local = ph_tmul(p->at.R, d);
    to->normal = d;
    switch (p->shape->kind) {
    case SHAPE_BOX:
        face_of_box(p, local, to);
        break;
    case SHAPE_HULL:
        face_of_hull(p, local, to);
        break;
    case SHAPE_TRIANGLE:
        face_of_triangle(p, local, to);
        break;
    case SHAPE_CYLINDER:
        face_of_cylinder(p, local, to);
        break;
    case SHAPE_CAPSULE:
        face_of_capsule(p, d, local, to);
        break;
    case SHAPE_CONVEX:
        face_of_type(p, local, to);
        break;
    default:
        to->count = 0;
        break;
    }
}
