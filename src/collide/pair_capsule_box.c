// Capsule against box.
//
// Apart, the segment in the capsule and the box have one pair of nearest points: the square of the distance from the box
// is convex along the segment and its slope piecewise linear, so that the minimum follows from the breakpoints. When the
// segment pierces the box, the sum of box and segment has the face normals e_i and u x e_i: the depth is the smallest of
// six.

#include "collide/pairs.h"
#include "collide/segments.h"

// Slope of half the square of the distance of c + t u from the box, in box axes.
static double slope(const double c[3], const double u[3], const double h[3], double t)
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        const double x = c[k] + t * u[k];
        sum += (x - clamp(x, -h[k], h[k])) * u[k];
    }
    return sum;
}

static double nearest_to_box(const double c[3], const double u[3], const double h[3], double length)
{
    double low = -length, high = length, at_low = slope(c, u, h, low), at_high = slope(c, u, h, high);
    if (at_low >= 0.0) return low;
    if (at_high <= 0.0) return high;
    for (int k = 0; k < 6; k++) { // narrow the bracket to a piece without breakpoints
        const double x = k % 2 ? h[k / 2] : -h[k / 2];
        const double t = (x - c[k / 2]) / u[k / 2];
        if (t > low && t < high) {
            const double s = slope(c, u, h, t);
            if (s < 0.0) {
                low = t;
                at_low = s;
            } else {
                high = t;
                at_high = s;
            }
        }
    }
    return at_high > at_low ? low - at_low * (high - low) / (at_high - at_low) : 0.5 * (low + high);
}

typedef struct axis {
    ph_vec3 n; // from the segment to the box, box axes
    double depth;
    int index; // of the face normal, or 3 + that of the edge
} axis;

static axis better(axis best, ph_vec3 n, ph_vec3 c, ph_vec3 u, double length, ph_vec3 h, int index)
{
    const double size = ph_norm(n);
    if (!(size > 1e-6)) return best;
    n = ph_scale(ph_dot(n, c) > 0.0 ? -1.0 / size : 1.0 / size, n);
    const double box = fabs(n.x) * h.x + fabs(n.y) * h.y + fabs(n.z) * h.z;
    const double depth = box + length * fabs(ph_dot(n, u)) + ph_dot(n, c);
    // an edge must be clearly better than a face
    return depth < best.depth - (index < 3 ? 0.0 : 1e-9 * (box + length)) ? (axis){n, depth, index} : best;
}

static axis shallowest(ph_vec3 c, ph_vec3 u, double length, ph_vec3 h)
{
    const ph_mat3 e = ph_identity();
    axis best = {ph_zero3(), PH_INF, 0};
    for (int k = 0; k < 6; k++) {
        const ph_vec3 axis_k = ph_mat_col(e, k % 3);
        best = better(best, k < 3 ? axis_k : ph_cross(u, axis_k), c, u, length, h, k);
    }
    return best;
}

typedef struct scene { // in box axes
    const placed *a, *b;
    ph_vec3 c, u, h;
    double length, r, margin;
} scene;

static contact_point point_at(const scene *s, ph_vec3 p, ph_vec3 q, ph_vec3 n, double distance, uint64_t feature)
{
    const ph_vec3 normal = ph_mul(s->b->at.R, n);
    const ph_vec3 on_a = ph_madd(frame_point(&s->b->at, p), s->r, normal);
    return contact_make(on_a, frame_point(&s->b->at, q), normal, distance - s->r, feature);
}

// The segment above face k: the ends of its part over the face.
static int line_on_face(const scene *s, int k, ph_vec3 n, contact_point *out)
{
    double low = -s->length, high = s->length;
    for (int j = 0; j < 3; j++) {
        const double c = vec_get(s->c, j), u = vec_get(s->u, j), h = vec_get(s->h, j);
        if (j == k) continue;
        if (fabs(u) < 1e-300) {
            if (fabs(c) > h) return 0;
            continue;
        }
        const double t0 = (-h - c) / u, t1 = (h - c) / u;
        low = ph_max(low, t0 < t1 ? t0 : t1);
        high = t0 < t1 ? (t1 < high ? t1 : high) : (t0 < high ? t0 : high);
    }
    if (low > high) return 0;
    const int ends = high - low > 1e-3 * s->r ? 2 : 1;
    int count = 0;
    for (int e = 0; e < ends; e++) {
        const double t = ends == 1 ? 0.5 * (low + high) : e ? high : low;
        const ph_vec3 p = ph_madd(s->c, t, s->u);
        const double distance = -ph_dot(n, p) - vec_get(s->h, k);
        if (distance - s->r < s->margin) {
            out[count++] = point_at(s, p, ph_madd(p, distance, n), n, distance, 1u + 2 * (uint64_t)k + (uint64_t)e);
        }
    }
    return count;
}

// The edge of the box along axis k nearest to the segment, both pierced by the line along n.
static contact_point edge_contact(const scene *s, axis best)
{
    const int k = best.index - 3;
    const double sign[3] = {best.n.x > 0.0 ? -1.0 : 1.0, best.n.y > 0.0 ? -1.0 : 1.0, best.n.z > 0.0 ? -1.0 : 1.0};
    ph_vec3 middle = ph_vec(sign[0] * s->h.x, sign[1] * s->h.y, sign[2] * s->h.z);
    const ph_vec3 e = ph_mat_col(ph_identity(), k);
    middle = ph_madd(middle, -ph_dot(middle, e), e);
    double t, v;
    segments_nearest((segment){s->c, s->u, s->length}, (segment){middle, e, vec_get(s->h, k)}, &t, &v);
    const ph_vec3 p = ph_madd(s->c, t, s->u), q = ph_madd(middle, v, e);
    return point_at(s, p, q, best.n, -best.depth, 16 + (uint64_t)k);
}

static int pierced(const scene *s, contact_point *out)
{
    const axis best = shallowest(s->c, s->u, s->length, s->h);
    if (-best.depth - s->r >= s->margin) return 0;
    if (best.index >= 3) {
        out[0] = edge_contact(s, best);
        return 1;
    }
    const int k = best.index;
    int count = line_on_face(s, k, best.n, out);
    for (int i = 0; i < count; i++) {
        if (out[i].gap <= -best.depth - s->r + 1e-9 * s->r) return count;
    }
    // the deepest end lies beside the face
    const ph_vec3 p = ph_madd(s->c, ph_dot(best.n, s->u) > 0.0 ? s->length : -s->length, s->u);
    out[count] = point_at(s, p, ph_madd(p, -best.depth, best.n), best.n, -best.depth, 20);
    return count + 1;
}

int pair_capsule_box(const placed *a, const placed *b, double margin, contact_point *out)
{
    const ph_vec3 c = frame_inverse_point(&b->at, a->at.x), u = ph_tmul(b->at.R, placed_axis(a, 2)), h = b->shape->half;
    const scene s = {a, b, c, u, h, a->shape->half_length, a->shape->radius, margin};
    const double cs[3] = {c.x, c.y, c.z}, us[3] = {u.x, u.y, u.z}, hs[3] = {h.x, h.y, h.z};
    const ph_vec3 p = ph_madd(c, nearest_to_box(cs, us, hs, s.length), u);
    const ph_vec3 q = ph_vec(clamp(p.x, -h.x, h.x), clamp(p.y, -h.y, h.y), clamp(p.z, -h.z, h.z));
    const ph_vec3 d = ph_sub(q, p);
    const double distance = ph_norm(d);
    if (distance - s.r >= margin) return 0;
    if (!(distance > 1e-12 * (s.length + s.r + ph_norm(h)))) return pierced(&s, out);
    const ph_vec3 n = ph_scale(1.0 / distance, d);
    int count = 0;
    for (int k = 0; k < 3; k++) { // flat on a face, up to a small tilt
        if (fabs(vec_get(n, k)) > 0.9995 && fabs(vec_get(u, k)) < 0.03) {
            count = line_on_face(&s, k, ph_scale(vec_get(n, k) > 0.0 ? 1.0 : -1.0, ph_mat_col(ph_identity(), k)), out);
        }
    }
    for (int i = 0; i < count; i++) {
        if (out[i].gap - (distance - s.r) <= 1e-12 * s.r) return count;
    }
    out[count] = point_at(&s, p, q, n, distance, 0);
    return count + 1;
}
