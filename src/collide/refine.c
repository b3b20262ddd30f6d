// Refinement: the last digits of normals and witness points.
//
// GJK and EPA approach round shapes through corners of polyhedra: a distance that is right to e has a normal right to
// about the root of e. But they tell which facets meet, and then the normal solves smooth equations: with a(n), b(n) the
// points where the shapes are touched by planes square to n, c(n) = b(n) - a(n) must be parallel to n. For a step d
// square to n, c(n + d) = c - H d where H is the sum of the curvatures (second derivatives of the support functions), so
//
//     (H + s I) d = c        in the plane square to n,  s = n . c                                                (1)
//
// Along edges and faces the touching point is free and n stays square to them: they take directions out of (1). Two such
// directions leave one normal, which needs no iteration. s(n) bounds the distance from below, and overlap from inside,
// for any n; a step that lowers it is shortened, and where (1) is not definite the step is along its gradient c. The
// simplex may hold corners that hardly count; so the facets are tried with fewer and fewer of them, until the two points
// face each other.

#include "collide/support.h"

enum { ITERATIONS_MAX = 50, HALVINGS_MAX = 6 };

// Which corners of the simplex count: those of at least this weight; and whether points far apart on a cap mean its face.
typedef struct attempt {
    double least;
    bool caps;
} attempt;

static const attempt attempts[] = {{1e-12, true}, {1e-12, false}, {-1.0, true}, {-1.0, false},
                                   {1e-4, true},  {1e-4, false},  {0.1, true},  {0.1, false}};
enum { ATTEMPTS = sizeof attempts / sizeof *attempts };

// A facet of one shape: where it is touched, and the directions in which it is flat (unit, frame of a).
typedef struct facet {
    const collider *shape;
    ph_mat3 R; // its axes in the frame of a
    ph_vec3 x;
    double sign;   // +1: touched along n, -1: along -n
    ph_vec3 point; // of a polyhedron, or a mean of the simplex where the facet is flat
    int side;      // cap of a cylinder
    int flat_count;
    ph_vec3 flat[2];
    bool cap, line; // cylinder: the face of a cap, a line of the side
} facet;

static void add_flat(facet *p, ph_vec3 d)
{
    const double length = ph_norm(d);
    if (!(length > 0.0) || p->flat_count == 2) return;
    d = ph_scale(1.0 / length, d);
    if (p->flat_count == 1 && !(ph_norm(ph_cross(d, p->flat[0])) > 1e-6)) return;
    p->flat[p->flat_count++] = d;
}

// ---- What meets -----------------------------------------------------------------------------------------------------

static void corners_of(facet *p, const simplex *s, bool second, attempt way)
{
    int first = -1;
    for (int k = 0; k < s->count; k++) {
        if (!(s->weight[k] > way.least)) continue;
        if (first < 0) {
            first = k;
        } else if (second ? s->v[k].ib != s->v[first].ib : s->v[k].ia != s->v[first].ia) {
            add_flat(p, second ? ph_sub(s->v[k].b, s->v[first].b) : ph_sub(s->v[k].a, s->v[first].a));
        }
    }
}

// Points on both caps: a line of the side. Points far apart on one cap: its face.
static void sides_of_cylinder(facet *p, const simplex *s, bool second, attempt way)
{
    int first[2] = {-1, -1};
    for (int k = 0; k < s->count; k++) {
        if (!(s->weight[k] > way.least)) continue;
        const int side = second ? s->v[k].ib : s->v[k].ia;
        p->side = side;
        if (first[side] < 0) {
            first[side] = k;
            continue;
        }
        const vertex *v = &s->v[k], *w = &s->v[first[side]];
        p->cap |= way.caps && ph_norm(second ? ph_sub(v->b, w->b) : ph_sub(v->a, w->a)) > 1e-3 * p->shape->radius;
    }
    p->line = first[0] >= 0 && first[1] >= 0;
    if (p->cap) {
        add_flat(p, ph_mat_col(p->R, 0));
        add_flat(p, ph_mat_col(p->R, 1));
    } else if (p->line) {
        add_flat(p, ph_mat_col(p->R, 2));
    }
}

static facet facet_of(const duo *d, const simplex *s, bool second, ph_vec3 mean, attempt way)
{
    facet p = {.shape = second ? d->b->shape : d->a->shape, .R = second ? d->ab.R : ph_identity(), .point = mean};
    p.x = second ? d->ab.x : ph_zero3();
    p.sign = second ? -1.0 : 1.0;
    if (p.shape->kind == SHAPE_CYLINDER) {
        sides_of_cylinder(&p, s, second, way);
    } else if (p.shape->kind != SHAPE_ELLIPSOID && p.shape->kind != SHAPE_SPHERE) {
        corners_of(&p, s, second, way);
    }
    return p;
}

// ---- Touching points and curvatures ---------------------------------------------------------------------------------

static ph_vec3 touched_at(const facet *p, ph_vec3 n)
{
    const ph_vec3 local = ph_scale(p->sign, ph_tmul(p->R, n));
    if (p->shape->kind == SHAPE_ELLIPSOID) {
        int number;
        return ph_add(p->x, ph_mul(p->R, core_support(p->shape, local, &number)));
    }
    if (p->shape->kind == SHAPE_CYLINDER && !p->cap) {
        const double s = p->shape->radius / sqrt(local.x * local.x + local.y * local.y);
        const double z = p->line   ? ph_dot(ph_mat_col(p->R, 2), ph_sub(p->point, p->x))
                         : p->side ? p->shape->half_length
                                   : -p->shape->half_length;
        return ph_add(p->x, ph_mul(p->R, ph_vec(s * local.x, s * local.y, z)));
    }
    return p->point;
}

// u^T H v. Ellipsoid of radii A: h = |A n|, H = (A^2 - A^2 n n^T A^2 / h^2) / h; cylinder: r / |n_xy| along the rim.
static double curvature(const facet *p, ph_vec3 n, ph_vec3 u, ph_vec3 v)
{
    const ph_vec3 m = ph_tmul(p->R, n), a = ph_tmul(p->R, u), b = ph_tmul(p->R, v), r = p->shape->half;
    if (p->shape->kind == SHAPE_ELLIPSOID) {
        const ph_vec3 r2 = ph_vec(r.x * r.x, r.y * r.y, r.z * r.z);
        const ph_vec3 r2a = ph_vec(r2.x * a.x, r2.y * a.y, r2.z * a.z),
                      r2m = ph_vec(r2.x * m.x, r2.y * m.y, r2.z * m.z);
        const double h2 = ph_dot(m, r2m);
        return (ph_dot(r2a, b) - ph_dot(r2m, a) * ph_dot(r2m, b) / h2) / sqrt(h2);
    }
    if (p->shape->kind == SHAPE_CYLINDER && !p->cap) {
        const double across2 = m.x * m.x + m.y * m.y;
        return p->shape->radius * (m.x * a.y - m.y * a.x) * (m.x * b.y - m.y * b.x) / (across2 * sqrt(across2));
    }
    return 0.0;
}

// ---- The normal -----------------------------------------------------------------------------------------------------

// Directions that n must be square to: at most two.
static int gather_flats(const facet *a, const facet *b, ph_vec3 to[2])
{
    facet sum = {0};
    const facet *const facets[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < facets[k]->flat_count; i++) {
            add_flat(&sum, facets[k]->flat[i]);
        }
    }
    for (int k = 0; k < sum.flat_count; k++) {
        to[k] = sum.flat[k];
    }
    return sum.flat_count;
}

// One step of (1) in the directions u[0 .. count-1].
static ph_vec3 newton_step(const facet *a, const facet *b, ph_vec3 n, const ph_vec3 *u, int count)
{
    const ph_vec3 c = ph_sub(touched_at(b, n), touched_at(a, n));
    const double s = ph_dot(n, c);
    double K[2][2] = {{1.0, 0.0}, {0.0, 1.0}}, r[2] = {0.0, 0.0};
    for (int i = 0; i < count; i++) {
        r[i] = ph_dot(u[i], c);
        for (int j = 0; j < count; j++) {
            K[i][j] = curvature(a, n, u[i], u[j]) + curvature(b, n, u[i], u[j]) + (i == j ? s : 0.0);
        }
    }
    const double det = K[0][0] * K[1][1] - K[0][1] * K[1][0];
    double y0 = (K[1][1] * r[0] - K[0][1] * r[1]) / det, y1 = (K[0][0] * r[1] - K[1][0] * r[0]) / det;
    const double size = sqrt(y0 * y0 + y1 * y1), gradient = sqrt(r[0] * r[0] + r[1] * r[1]);
    if (!(det > 0.0 && K[0][0] > 0.0 && size < 0.3) && gradient > 0.0) {
        const double length = det > 0.0 && K[0][0] > 0.0 ? 0.3 : 0.05;
        y0 = length * r[0] / gradient;
        y1 = length * r[1] / gradient;
    }
    return count == 1 ? ph_scale(y0, u[0]) : ph_add(ph_scale(y0, u[0]), ph_scale(y1, u[1]));
}

static double reach(const facet *a, const facet *b, ph_vec3 n)
{
    return ph_dot(n, ph_sub(touched_at(b, n), touched_at(a, n)));
}

// Goes the step, or a fraction of it that does not lead down. Near the end rounding hides the gain.
static bool climb(const facet *a, const facet *b, ph_vec3 step, double size, ph_vec3 *n, double *height)
{
    for (int k = 0; k < HALVINGS_MAX; k++) {
        const ph_vec3 m = ph_unit(ph_add(*n, step));
        const double there = reach(a, b, m);
        if (there >= *height || (size < 1e-6 && k == 0)) {
            *n = m;
            *height = there;
            return true;
        }
        step = ph_scale(0.3, step);
    }
    return false;
}

static ph_vec3 refine_normal(const facet *a, const facet *b, ph_vec3 n, const ph_vec3 *flat, int flats)
{
    if (flats == 2) {
        const ph_vec3 m = ph_unit(ph_cross(flat[0], flat[1]));
        return ph_dot(m, n) < 0.0 ? ph_neg(m) : m;
    }
    if (flats == 1) {
        n = ph_unit(ph_madd(n, -ph_dot(n, flat[0]), flat[0]));
    }
    double height = reach(a, b, n);
    for (int k = 0; k < ITERATIONS_MAX; k++) {
        ph_vec3 u[2];
        u[0] = flats == 1 ? ph_cross(flat[0], n) : ph_any_perpendicular(n);
        u[1] = ph_cross(n, u[0]);
        const ph_vec3 step = newton_step(a, b, n, u, 2 - flats);
        const double size = ph_norm(step);
        if (!(size > 0.0) || !climb(a, b, step, size, &n, &height) || size < 1e-9) break; // the error is now its square
    }
    return n;
}

// ---- Witness points -------------------------------------------------------------------------------------------------

// What of b - a is not along n is made up by moving the points along their flat facets, as little as possible:
// min |y| with T y = -r, T the flat directions in the plane square to n, those of a with a minus.
static void align(const facet *a, const facet *b, ph_vec3 n, ph_vec3 *pa, ph_vec3 *pb)
{
    if (a->flat_count + b->flat_count == 0) return;
    ph_vec3 e0 = b->flat_count > 0 ? b->flat[0] : a->flat[0];
    e0 = ph_unit(ph_madd(e0, -ph_dot(e0, n), n));
    const ph_vec3 e1 = ph_cross(n, e0), c = ph_sub(*pb, *pa);
    const facet *const facets[2] = {b, a};
    double g00 = 0.0, g01 = 0.0, g11 = 0.0; // T T^T
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < facets[k]->flat_count; i++) {
            const double t0 = ph_dot(e0, facets[k]->flat[i]), t1 = ph_dot(e1, facets[k]->flat[i]);
            g00 += t0 * t0;
            g01 += t0 * t1;
            g11 += t1 * t1;
        }
    }
    const double r0 = -ph_dot(e0, c), r1 = -ph_dot(e1, c), det = g00 * g11 - g01 * g01;
    const bool plane = det > 1e-12; // else all flat directions are one
    const double z0 = plane ? (g11 * r0 - g01 * r1) / det : r0 / g00, z1 = plane ? (g00 * r1 - g01 * r0) / det : 0.0;
    const ph_vec3 z = ph_add(ph_scale(z0, e0), ph_scale(z1, e1));
    for (int i = 0; i < b->flat_count; i++) *pb = ph_madd(*pb, ph_dot(b->flat[i], z), b->flat[i]);
    for (int i = 0; i < a->flat_count; i++) *pa = ph_madd(*pa, -ph_dot(a->flat[i], z), a->flat[i]);
}

typedef struct answer {
    ph_vec3 n, a, b;
    double gap, error; // of b - a, from being gap * n
} answer;

static double mismatch(const answer *x)
{
    return ph_norm(ph_madd(ph_sub(x->b, x->a), -x->gap, x->n));
}

// False when there is nothing to gain.
static bool try_facets(const duo *d, const simplex *s, attempt way, const answer *given, answer *to)
{
    const facet pa = facet_of(d, s, false, given->a, way), pb = facet_of(d, s, true, given->b, way);
    ph_vec3 flat[2];
    const int flats = gather_flats(&pa, &pb, flat);
    if (d->flat && flats < 2) return false; // corners
    to->n = refine_normal(&pa, &pb, given->n, flat, flats);
    to->gap = ph_dot(to->n, duo_support(d, to->n).w);
    to->a = touched_at(&pa, to->n);
    to->b = touched_at(&pb, to->n);
    align(&pa, &pb, to->n, &to->a, &to->b);
    to->error = mismatch(to);
    return to->gap >= given->gap - 1e-15 * d->scale;
}

bool refine(const duo *d, const simplex *s, ph_vec3 *normal, double *gap, ph_vec3 *a, ph_vec3 *b)
{
    if (d->a->shape->kind == SHAPE_CONVEX || d->b->shape->kind == SHAPE_CONVEX)
        return false; // curvatures are not known
    const double proven = ph_dot(*normal, duo_support(d, *normal).w);
    answer best = {*normal, *a, *b, proven, 0.0}, given = best;
    bool found = false;
    best.error = mismatch(&best);
    for (int k = 0; k < (d->flat ? 1 : ATTEMPTS) && !(found && best.error <= 1e-14 * d->scale); k++) {
        answer x;
        if (try_facets(d, s, attempts[k], &given, &x) && x.error < best.error) {
            best = x;
            found = true;
        }
    }
    if (found) {
        *normal = best.n;
        *gap = best.gap;
        *a = best.a;
        *b = best.b;
    }
    // the points may have slid off the ends of their facets
    const double slack = 1e-12 * d->scale;
    return best.error <= slack && core_holds(d->a->shape, best.a, slack) &&
           core_holds(d->b->shape, frame_inverse_point(&d->ab, best.b), slack);
}
