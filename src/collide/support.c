// Support points of the cores.

#include "collide/support.h"

ph_vec3 core_support(const collider *c, ph_vec3 d, int *number)
{
    if (c->polytope) {
        *number = polytope_support(c->polytope, d);
        return c->polytope->vertices[*number];
    }
    if (c->type && c->type->support) {
        return c->type->support(&c->sizes, d, number);
    }
    *number = 0; // of a sphere, its centre
    return ph_zero3();
}

static bool in_polytope(const polytope *p, ph_vec3 x, double slack)
{
    for (int f = 0; f < p->face_count; f++) {
        const ph_vec3 corner = p->vertices[p->corners[p->first[f]]];
        if (ph_dot(p->normals[f], ph_sub(x, corner)) > slack) return false;
    }
    return true;
}

// Beside an edge of the triangle, by its area with the point.
static bool in_triangle(const polytope *p, ph_vec3 x, double slack)
{
    for (int k = 0; k < 3; k++) {
        const ph_vec3 a = p->vertices[k], e = ph_sub(p->vertices[(k + 1) % 3], a);
        if (ph_dot(p->normals[0], ph_cross(e, ph_sub(x, a))) < -slack * ph_norm(e)) return false;
    }
    return true;
}

bool core_holds(const collider *c, ph_vec3 x, double slack)
{
    switch (c->kind) {
    case SHAPE_BOX:
        return fabs(x.x) <= c->half.x + slack && fabs(x.y) <= c->half.y + slack && fabs(x.z) <= c->half.z + slack;
    case SHAPE_CAPSULE:
        return fabs(x.z) <= c->half_length + slack;
    case SHAPE_CYLINDER:
        return fabs(x.z) <= c->half_length + slack && sqrt(x.x * x.x + x.y * x.y) <= c->radius + slack;
    case SHAPE_HULL:
        return in_polytope(c->polytope, x, slack);
    case SHAPE_TRIANGLE:
        return in_triangle(c->polytope, x, slack);
    default:
        return true;
    }
}

static double core_size(const collider *c)
{
    switch (c->kind) {
    case SHAPE_BOX:
    case SHAPE_ELLIPSOID:
        return ph_norm(c->half);
    case SHAPE_HULL:
    case SHAPE_TRIANGLE:
        return ph_norm(ph_sub(c->polytope->high, c->polytope->low));
    default:
        return c->radius + c->half_length;
    }
}

duo duo_of(const placed *a, const placed *b)
{
    const shape_kind ka = a->shape->kind, kb = b->shape->kind;
    const bool round_a = ka == SHAPE_CYLINDER || ka == SHAPE_ELLIPSOID || ka == SHAPE_CONVEX;
    const bool round_b = kb == SHAPE_CYLINDER || kb == SHAPE_ELLIPSOID || kb == SHAPE_CONVEX;
    duo d = {a, b, frame_relative(&a->at, &b->at), core_radius(a->shape), core_radius(b->shape), 0.0, false};
    d.scale = core_size(a->shape) + core_size(b->shape);
    d.flat = !round_a && !round_b;
    return d;
}

vertex duo_support(const duo *d, ph_vec3 n)
{
    vertex v;
    v.a = core_support(d->a->shape, n, &v.ia);
    v.b = frame_point(&d->ab, core_support(d->b->shape, ph_tmul(d->ab.R, ph_neg(n)), &v.ib));
    v.w = ph_sub(v.b, v.a);
    return v;
}
