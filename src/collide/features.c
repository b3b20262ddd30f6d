// The flat parts of shapes: what a shape shows to someone who looks at it along a direction. Types of shapes know their
// own; here are those of hulls and triangles, which have faces in a list.

#include "collide/features.h"

// Of faces with more corners than there is room for, every other or third corner.
static void face_of_hull(const placed *p, ph_vec3 local, face *to)
{
    const polytope *hull = p->shape->polytope;
    const int f = polytope_face(hull, local), from = hull->first[f], count = hull->first[f + 1] - from;
    const int stride = (count + FACE_MAX - 1) / FACE_MAX;
    to->normal = ph_mul(p->at.R, hull->normals[f]);
    to->id = (uint32_t)f & 0xfff;
    to->count = 0;
    for (int k = 0; k < count; k += stride)
        to->points[to->count++] = frame_point(&p->at, hull->vertices[hull->corners[from + k]]);
}

// A triangle has two sides.
static void face_of_triangle(const placed *p, ph_vec3 local, face *to)
{
    const polytope *t = p->shape->polytope;
    const bool back = ph_dot(t->normals[0], local) < 0.0;
    to->normal = ph_scale(back ? -1.0 : 1.0, ph_mul(p->at.R, t->normals[0]));
    to->id = back;
    to->count = 3;
    for (int k = 0; k < 3; k++) to->points[k] = frame_point(&p->at, t->vertices[back ? 2 - k : k]);
}

void shape_face(const placed *p, ph_vec3 d, face *to)
{
    const shape_type *type = p->shape->type;
    to->normal = d;
    to->count = 0;
    if (type && type->face)
        type->face(&p->shape->sizes, &p->at, d, to);
    else if (p->shape->kind == SHAPE_HULL)
        face_of_hull(p, ph_tmul(p->at.R, d), to);
    else if (p->shape->kind == SHAPE_TRIANGLE)
        face_of_triangle(p, ph_tmul(p->at.R, d), to);
}
