// Contact points of two shapes: at most four, with a normal from a to b, at gaps below a margin.
#ifndef CARD_KERNELS_POINTS_H
#define CARD_KERNELS_POINTS_H

#include "kernels_neighbours.h"

enum { POINTS_MOST = 4, POLYGON = 8 };

typedef struct point {
    v3 on_a, on_b, n;
    double gap;
    uint32_t feature;
} point;

typedef struct points {
    point at[POLYGON];
    int count;
} points;

TEXT void put_point(points *out, v3 on_a, v3 on_b, v3 n, double gap, uint32_t feature, double margin)
{
    if (!(gap < margin) || out->count == POLYGON) return;
    const point it = {on_a, on_b, n, gap, feature};
    out->at[out->count++] = it;
}

TEXT void balls(v3 p, double rp, v3 q, double rq, v3 fallback, uint32_t feature, double margin, points *out)
{
    const v3 d = sub(q, p);
    const double length = norm(d);
    const v3 n = length > 0.0 ? scale(1.0 / length, d) : fallback;
    put_point(out, madd(p, rp, n), madd(q, -rq, n), n, length - rp - rq, feature, margin);
}

// ---- Planes ---------------------------------------------------------------------------------------------------------

TEXT v3 box_corner(const placed *b, int k)
{
    const v3 h = b->kind->half;
    return add(b->at, mul(b->R, vec(k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z)));
}

TEXT v3 capsule_end(const placed *b, int k)
{
    return madd(b->at, k ? b->kind->half_length : -b->kind->half_length, column(b->R, 2));
}

// Normals from the plane to the shape.
TEXT void with_plane(const placed *plane, const placed *s, double margin, points *out)
{
    const v3 n = column(plane->R, 2);
    const int type = s->kind->type, count = type == CARD_SPHERE ? 1 : type == CARD_CAPSULE ? 2 : 8;
    const double r = type == CARD_BOX ? 0.0 : s->kind->radius;
    for (int k = 0; k < count; k++) {
        const v3 x = type == CARD_SPHERE ? s->at : type == CARD_CAPSULE ? capsule_end(s, k) : box_corner(s, k);
        const double gap = dot(n, sub(x, plane->at)) - r;
        put_point(out, madd(x, -(gap + r), n), madd(x, -r, n), n, gap, (uint32_t)k, margin);
    }
}

// ---- Spheres and capsules -------------------------------------------------------------------------------------------

// The nearest point of a box, and the normal from there to x, which may be inside.
TEXT v3 box_nearest(const placed *b, v3 x, v3 *normal, double *distance)
{
    const v3 h = b->kind->half, in = tmul(b->R, sub(x, b->at));
    const v3 q = vec(within(in.x, -h.x, h.x), within(in.y, -h.y, h.y), within(in.z, -h.z, h.z)), d = sub(in, q);
    const double length = norm(d);
    if (length > 0.0) {
        *normal = mul(b->R, scale(1.0 / length, d));
        *distance = length;
        return add(b->at, mul(b->R, q));
    }
    const v3 depth = vec(h.x - fabs(in.x), h.y - fabs(in.y), h.z - fabs(in.z));
    const int k = depth.x <= depth.y && depth.x <= depth.z ? 0 : depth.y <= depth.z ? 1 : 2;
    const double sign = entry(in, k) < 0.0 ? -1.0 : 1.0;
    *normal = scale(sign, column(b->R, k));
    *distance = -entry(depth, k);
    return madd(x, -*distance, *normal);
}

// Normals from the box to the sphere.
TEXT void box_sphere(const placed *box, v3 x, double r, uint32_t feature, double margin, points *out)
{
    v3 n;
    double d;
    const v3 on = box_nearest(box, x, &n, &d);
    put_point(out, on, madd(x, -r, n), n, d - r, feature, margin);
}

TEXT v3 segment_nearest(v3 c, v3 u, double h, v3 x)
{
    return madd(c, within(dot(u, sub(x, c)), -h, h), u);
}

// The nearest points of two segments c + t u, |t| <= h.
TEXT void segments_nearest(v3 c, v3 u, double h, v3 d, v3 w, double g, double *s, double *t)
{
    const v3 r = sub(d, c);
    const double b = dot(u, w), p = dot(u, r), q = dot(w, r), det = 1.0 - b * b;
    *s = det > 1e-12 ? within((p - b * q) / det, -h, h) : 0.0;
    *t = within(b * *s - q, -g, g);
    *s = within(p + b * *t, -h, h);
    *t = within(b * *s - q, -g, g);
}

TEXT void capsule_capsule(const placed *a, const placed *b, double margin, points *out)
{
    const v3 u = column(a->R, 2), w = column(b->R, 2), up = vec(0.0, 0.0, 1.0);
    const double h = a->kind->half_length, g = b->kind->half_length, ra = a->kind->radius, rb = b->kind->radius;
    double s, t;
    if (fabs(dot(u, w)) < 0.999) {
        segments_nearest(a->at, u, h, b->at, w, g, &s, &t);
        balls(madd(a->at, s, u), ra, madd(b->at, t, w), rb, up, 0u, margin, out);
        return;
    }
    // Side by side: the ends of what they share.
    const double middle = dot(u, sub(b->at, a->at)), low = larger(-h, middle - g), high = smaller(h, middle + g);
    for (int k = 0; k < (low < high ? 2 : 1); k++) {
        const v3 x = madd(a->at, low < high ? (k ? high : low) : within(middle, -h, h), u);
        balls(x, ra, segment_nearest(b->at, w, g, x), rb, up, (uint32_t)k, margin, out);
    }
}

// Where along a segment a box is nearest: the distance is convex.
TEXT double nearest_along(const placed *box, v3 c, v3 u, double h)
{
    double low = -h, high = h;
    for (int k = 0; k < 60; k++) {
        const double s = low + (high - low) / 3.0, t = high - (high - low) / 3.0;
        v3 n;
        double ds, dt;
        box_nearest(box, madd(c, s, u), &n, &ds);
        box_nearest(box, madd(c, t, u), &n, &dt);
        if (ds <= dt)
            high = t;
        else
            low = s;
    }
    return 0.5 * (low + high);
}

// Normals from the box to the capsule.
TEXT void box_capsule(const placed *box, const placed *c, double margin, points *out)
{
    const v3 u = column(c->R, 2);
    const double h = c->kind->half_length, r = c->kind->radius, t = nearest_along(box, c->at, u, h);
    box_sphere(box, capsule_end(c, 0), r, 0u, margin, out);
    box_sphere(box, capsule_end(c, 1), r, 1u, margin, out);
    if (fabs(t) < 0.98 * h) box_sphere(box, madd(c->at, t, u), r, 2u, margin, out);
}

// ---- Boxes ----------------------------------------------------------------------------------------------------------

typedef struct separation {
    double gap;
    v3 n;     // from a to b
    int kind; // 0: face of a, 1: face of b, 2: edges
    int i, j;
} separation;

TEXT void try_axis(const placed *a, const placed *b, v3 n, int kind, int i, int j, separation *best)
{
    const double along = dot(n, sub(b->at, a->at)), gap = fabs(along) - reach_along(a, n) - reach_along(b, n);
    const double size = smaller(a->kind->size, b->kind->size);
    const double bar = kind == 2 ? 1e-3 * size : kind == 1 ? 1e-6 * size : 0.0; // faces before edges, a before b
    if (!(gap > best->gap + bar)) return;
    best->gap = gap;
    best->n = along < 0.0 ? scale(-1.0, n) : n;
    best->kind = kind;
    best->i = i;
    best->j = j;
}

TEXT separation box_separation(const placed *a, const placed *b)
{
    separation best = {-1e300, {0.0, 0.0, 1.0}, 0, 0, 0};
    for (int k = 0; k < 3; k++) try_axis(a, b, column(a->R, k), 0, k, 0, &best);
    for (int k = 0; k < 3; k++) try_axis(a, b, column(b->R, k), 1, k, 0, &best);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const v3 n = cross(column(a->R, i), column(b->R, j));
            const double length = norm(n);
            if (length > 1e-3) try_axis(a, b, scale(1.0 / length, n), 2, i, j, &best);
        }
    return best;
}

// The middle of the edge along axis k that lies farthest along n.
TEXT v3 edge_middle(const placed *b, int k, v3 n, uint32_t *which)
{
    v3 x = b->at;
    for (int j = 0; j < 3; j++) {
        if (j == k) continue;
        const v3 u = column(b->R, j);
        const int up = dot(u, n) > 0.0;
        x = madd(x, up ? entry(b->kind->half, j) : -entry(b->kind->half, j), u);
        *which = *which * 2u + (uint32_t)up;
    }
    return x;
}

TEXT void edge_edge(const placed *a, const placed *b, const separation *s, double margin, points *out)
{
    uint32_t which = 0;
    const v3 p = edge_middle(a, s->i, s->n, &which), q = edge_middle(b, s->j, scale(-1.0, s->n), &which);
    const v3 u = column(a->R, s->i), w = column(b->R, s->j);
    double t, r;
    segments_nearest(p, u, entry(a->kind->half, s->i), q, w, entry(b->kind->half, s->j), &t, &r);
    const uint32_t feature = 0x80000000u | (uint32_t)(s->i * 3 + s->j) << 8 | which;
    put_point(out, madd(p, t, u), madd(q, r, w), s->n, s->gap, feature, margin);
}

typedef struct corner { // of a polygon that is cut, and which corner or cut it is
    v3 x;
    uint32_t code;
} corner;

// Cuts a polygon by the half space u . x <= most.
TEXT int cut_polygon(const corner *in, int count, v3 u, double most, uint32_t cut, corner *out)
{
    int n = 0;
    for (int k = 0; k < count; k++) {
        const corner *p = &in[k], *q = &in[(k + 1) % count];
        const double dp = dot(u, p->x) - most, dq = dot(u, q->x) - most;
        if (dp <= 0.0 && n < POLYGON) out[n++] = *p;
        if ((dp < 0.0 && dq > 0.0) || (dp > 0.0 && dq < 0.0)) {
            const corner between = {madd(p->x, dp / (dp - dq), sub(q->x, p->x)), 16u + 4u * (p->code % 16u) + cut};
            if (n < POLYGON) out[n++] = between;
        }
    }
    return n;
}

// Of many points the deepest, the one farthest from it, and those farthest to both sides of the line between them.
TEXT void keep_four(points *out)
{
    if (out->count <= POINTS_MOST) return;
    int chosen[POINTS_MOST] = {0, 0, 0, 0};
    const point *p = out->at;
    for (int k = 1; k < out->count; k++)
        if (p[k].gap < p[chosen[0]].gap) chosen[0] = k;
    double most = -1.0;
    for (int k = 0; k < out->count; k++) {
        const v3 d = sub(p[k].on_b, p[chosen[0]].on_b);
        if (dot(d, d) > most) {
            most = dot(d, d);
            chosen[1] = k;
        }
    }
    const v3 line = sub(p[chosen[1]].on_b, p[chosen[0]].on_b), side = cross(p[chosen[0]].n, line);
    double high = -1e300, low = 1e300;
    for (int k = 0; k < out->count; k++) {
        const double s = dot(side, sub(p[k].on_b, p[chosen[0]].on_b));
        if (k == chosen[0] || k == chosen[1]) continue;
        if (s > high) {
            high = s;
            chosen[2] = k;
        }
        if (s < low) {
            low = s;
            chosen[3] = k;
        }
    }
    const int count = chosen[2] == chosen[3] ? 3 : 4;
    point kept[POINTS_MOST];
    for (int k = 0; k < count; k++) kept[k] = p[chosen[k]];
    for (int k = 0; k < count; k++) out->at[k] = kept[k];
    out->count = count;
}

// The face of `r` across n, which points away from it, and the face of `f` that looks at it, cut to its sides.
TEXT void face_face(const placed *r, const placed *f, v3 n, int axis, int flipped, double margin, points *out)
{
    int other = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(dot(column(f->R, k), n)) > fabs(dot(column(f->R, other), n))) other = k;
    const double sign = dot(column(f->R, other), n) > 0.0 ? -1.0 : 1.0;
    const int e = (other + 1) % 3, g = (other + 2) % 3;
    corner one[POLYGON], two[POLYGON];
    for (int k = 0; k < 4; k++) {
        const double s = k == 0 || k == 3 ? -1.0 : 1.0, t = k < 2 ? -1.0 : 1.0;
        v3 x = madd(f->at, sign * entry(f->kind->half, other), column(f->R, other));
        x = madd(x, s * entry(f->kind->half, e), column(f->R, e));
        one[k].x = madd(x, t * entry(f->kind->half, g), column(f->R, g));
        one[k].code = (uint32_t)k;
    }
    int count = 4;
    for (int k = 0; k < 4; k++) {
        const int side = (axis + 1 + k / 2) % 3;
        const v3 u = scale(k % 2 ? -1.0 : 1.0, column(r->R, side));
        count = cut_polygon(k % 2 ? two : one, count, u, dot(u, r->at) + entry(r->kind->half, side), (uint32_t)k,
                            k % 2 ? one : two);
    }
    const double top = dot(n, r->at) + entry(r->kind->half, axis);
    const uint32_t face = (uint32_t)(flipped << 12 | axis << 10 | (dot(column(r->R, axis), n) > 0.0) << 9 | other << 7);
    for (int k = 0; k < count; k++) {
        const double gap = dot(n, one[k].x) - top;
        const v3 on = madd(one[k].x, -gap, n);
        put_point(out, flipped ? one[k].x : on, flipped ? on : one[k].x, flipped ? scale(-1.0, n) : n, gap,
                  face << 7 | one[k].code, margin);
    }
}

TEXT void box_box(const placed *a, const placed *b, double margin, points *out)
{
    const separation s = box_separation(a, b);
    if (!(s.gap < margin)) return;
    if (s.kind == 2) edge_edge(a, b, &s, margin, out);
    if (s.kind == 0) face_face(a, b, s.n, s.i, 0, margin, out);
    if (s.kind == 1) face_face(b, a, scale(-1.0, s.n), s.i, 1, margin, out);
}

// ---- Triangles ------------------------------------------------------------------------------------------------------

// The nearest point of a triangle to x; what: 0 inside, 1 to 3 corners, 4 to 6 edges.
TEXT v3 triangle_nearest(const v3 *c, v3 x, int *what)
{
    const v3 ab = sub(c[1], c[0]), ac = sub(c[2], c[0]), n = cross(ab, ac);
    const double nn = dot(n, n);
    const v3 ap = sub(x, c[0]);
    const double v = dot(cross(ap, ac), n) / nn, w = dot(cross(ab, ap), n) / nn, u = 1.0 - v - w;
    *what = 0;
    if (u >= 0.0 && v >= 0.0 && w >= 0.0) return madd(madd(c[0], v, ab), w, ac);
    double best = 1e300;
    v3 nearest = c[0];
    for (int k = 0; k < 3; k++) {
        const v3 p = c[k], d = sub(c[(k + 1) % 3], p);
        const double t = within(dot(d, sub(x, p)) / dot(d, d), 0.0, 1.0);
        const v3 q = madd(p, t, d), off = sub(x, q);
        if (dot(off, off) < best) {
            best = dot(off, off);
            nearest = q;
            *what = t == 0.0 ? 1 + k : t == 1.0 ? 1 + (k + 1) % 3 : 4 + k;
        }
    }
    return nearest;
}

// Normals from the triangle to the sphere. Edges and corners of a mesh count only where they stand out, on the side of the
// sphere; else a face beside them is nearer, and a ball that rolls over a seam would feel it.
TEXT void with_triangle(const card_view *a, int t, const placed *s, double margin, points *out)
{
    const v3 *c = &a->corner[3 * t], x = s->at;
    const double r = s->kind->radius;
    int what;
    const v3 on = triangle_nearest(c, x, &what), d = sub(x, on), face = unit(cross(sub(c[1], c[0]), sub(c[2], c[0])));
    const int behind = dot(face, sub(x, c[0])) < 0.0;
    if (what && !(a->triangle_open[t] >> (what - 1 + 6 * behind) & 1)) return;
    const double length = norm(d);
    const v3 n = length > 0.0 ? scale(1.0 / length, d) : scale(behind ? -1.0 : 1.0, face);
    put_point(out, on, madd(x, -r, n), n, length - r, (uint32_t)t * 8u + (uint32_t)what, margin);
}

// ---- All pairs ------------------------------------------------------------------------------------------------------

TEXT void turn_round(points *out)
{
    for (int k = 0; k < out->count; k++) {
        const point p = out->at[k];
        out->at[k].on_a = p.on_b;
        out->at[k].on_b = p.on_a;
        out->at[k].n = scale(-1.0, p.n);
    }
}

// From the kind that comes later to the one that comes first: planes, boxes, capsules, spheres.
TEXT void collide_in_order(const placed *p, const placed *q, double margin, points *out)
{
    const int type = q->kind->type;
    if (p->kind->type == CARD_PLANE) {
        with_plane(p, q, margin, out);
    } else if (p->kind->type == CARD_BOX) {
        if (type == CARD_BOX) box_box(p, q, margin, out);
        if (type == CARD_CAPSULE) box_capsule(p, q, margin, out);
        if (type == CARD_SPHERE) box_sphere(p, q->at, q->kind->radius, 0u, margin, out);
    } else if (p->kind->type == CARD_CAPSULE) {
        if (type == CARD_CAPSULE)
            capsule_capsule(p, q, margin, out);
        else
            balls(segment_nearest(p->at, column(p->R, 2), p->kind->half_length, q->at), p->kind->radius, q->at,
                  q->kind->radius, vec(0.0, 0.0, 1.0), 0u, margin, out);
    } else {
        balls(p->at, p->kind->radius, q->at, q->kind->radius, vec(0.0, 0.0, 1.0), 0u, margin, out);
    }
}

TEXT void collide(const card_view *a, int s, int t, double margin, points *out)
{
    out->count = 0;
    const placed p = place_of(a, s);
    if (t >= a->shapes) {
        with_triangle(a, t - a->shapes, &p, margin, out);
        turn_round(out);
    } else {
        const placed q = place_of(a, t);
        const int turned = p.kind->type < q.kind->type;
        collide_in_order(turned ? &q : &p, turned ? &p : &q, margin, out);
        if (turned) turn_round(out);
    }
    keep_four(out);
}

TEXT double pair_margin(const card_view *a, int s, int t)
{
    if (t >= a->shapes) t = a->triangle_shape[t - a->shapes];
    return (double)(a->watched[s] + a->watched[t] + a->way[s] + a->way[t]);
}

KERNEL(count_points)
{
    (void)p;
    points out;
    out.count = 0;
    if (i < a->pairs) collide(a, a->pair_a[i], a->pair_b[i], pair_margin(a, a->pair_a[i], a->pair_b[i]), &out);
    a->point_count[i] = out.count;
}

// Corners of a face that is cut twice may have the same code; within a pair no two points have the same feature.
TEXT uint32_t feature_of(const points *out, int j)
{
    uint32_t same = 0;
    for (int k = 0; k < j; k++) same += out->at[k].feature == out->at[j].feature;
    return out->at[j].feature + (same << 24);
}

KERNEL(list_points)
{
    (void)p;
    const int at = a->point_start[i], s = a->pair_a[i], t = a->pair_b[i];
    if (a->point_start[i + 1] == at) return;
    points out;
    collide(a, s, t, pair_margin(a, s, t), &out);
    const int shape_b = t < a->shapes ? t : a->triangle_shape[t - a->shapes];
    const card_kind *k = &a->kind[a->kind_of[s]], *l = &a->kind[a->kind_of[shape_b]];
    for (int j = 0; j < out.count; j++) {
        const point *it = &out.at[j];
        card_contact c = {s,
                          shape_b,
                          a->body_of[s],
                          a->body_of[shape_b],
                          feature_of(&out, j),
                          k->surface * a->surfaces + l->surface,
                          it->n,
                          it->on_a,
                          it->gap};
        if (k->moves && l->moves) c.point = scale(0.5, add(it->on_a, it->on_b));
        if (!k->moves && l->moves) c.point = it->on_b;
        a->near[at + j] = c;
    }
}

#endif
