// Depth of two overlapping convex shapes: the expanding polytope of van den Bergen (2001).
//
// A polyhedron inside W = B - A grows: its face nearest to the origin is replaced by those to a new point of W beyond it,
// until there is none. The depth lies between the distance of the face and that of the parallel plane that touches W.
// The start need not hold the origin: a face with the origin outside counts as negative distance and is expanded first.

#include "collide/support.h"

#include "math/trig.h"

enum { VERTICES_MAX = 256, FACES_MAX = 4 * VERTICES_MAX, RIM_MAX = 3 * VERTICES_MAX };

typedef struct epa_face {
    int v[3], beside[3]; // corners; face across the edge from corner e to corner e + 1
    ph_vec3 n;           // outward
    double distance;     // of its plane from the origin
    bool alive, seen;
} epa_face;

typedef struct expansion {
    const duo *d;
    double tolerance; // distances below it are rounding
    int vertex_count, face_count, rim_count;
    vertex vertices[VERTICES_MAX];
    epa_face faces[FACES_MAX];
    int rim[RIM_MAX][2]; // unseen face, and its edge to the seen region; in order round it
} expansion;

static vertex support_along(const duo *d, ph_vec3 m)
{
    return duo_support(d, ph_neg(m));
}

// ---- The start ------------------------------------------------------------------------------------------------------

static ph_vec3 tetrahedron_normal(const vertex v[4])
{
    return ph_cross(ph_sub(v[1].w, v[0].w), ph_sub(v[2].w, v[0].w));
}

static bool has_volume(const vertex v[4], double scale)
{
    const ph_vec3 n = tetrahedron_normal(v);
    const double size = ph_norm(n);
    return size > 1e-8 * scale * scale && fabs(ph_dot(n, ph_sub(v[3].w, v[0].w))) > 1e-8 * scale * size;
}

// The supports along both ends of `directions` that lie farthest, by `measure`, from what there is.
typedef double farness(const vertex *v, ph_vec3 p);

static double from_point(const vertex *v, ph_vec3 p)
{
    return ph_norm(ph_sub(p, v[0].w));
}

static double from_line(const vertex *v, ph_vec3 p)
{
    return ph_norm(ph_cross(ph_unit(ph_sub(v[1].w, v[0].w)), ph_sub(p, v[0].w)));
}

static double from_plane(const vertex *v, ph_vec3 p)
{
    return fabs(ph_dot(ph_unit(tetrahedron_normal(v)), ph_sub(p, v[0].w)));
}

static double farthest(const duo *d, const ph_vec3 *directions, int count, farness *measure, const vertex *v,
                       vertex *to)
{
    double most = -1.0;
    for (int k = 0; k < 2 * count; k++) {
        const vertex w = support_along(d, k % 2 ? ph_neg(directions[k / 2]) : directions[k / 2]);
        const double value = measure(v, w.w);
        if (value > most) {
            most = value;
            *to = w;
        }
    }
    return most;
}

// Four points of W with a volume between them. False when W is flat; then *flat is its normal.
static bool make_start(const duo *d, vertex v[4], ph_vec3 *flat)
{
    const double least = 1e-9 * d->scale;
    const ph_vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    *flat = axes[2];
    v[0] = support_along(d, axes[0]);
    if (!(farthest(d, axes, 3, from_point, v, &v[1]) > least)) return false;
    const ph_vec3 u = ph_unit(ph_sub(v[1].w, v[0].w)), p = ph_any_perpendicular(u), q = ph_cross(u, p);
    const ph_vec3 across[4] = {p, q, ph_unit(ph_add(p, q)), ph_unit(ph_sub(p, q))};
    *flat = p;
    if (!(farthest(d, across, 4, from_line, v, &v[2]) > least)) return false;
    *flat = ph_unit(tetrahedron_normal(v));
    return farthest(d, flat, 1, from_plane, v, &v[3]) > least;
}

// ---- Faces ----------------------------------------------------------------------------------------------------------

static int add_face(expansion *e, int a, int b, int c)
{
    epa_face *f = &e->faces[e->face_count];
    const ph_vec3 p = e->vertices[a].w, q = e->vertices[b].w, r = e->vertices[c].w;
    const ph_vec3 n = ph_cross(ph_sub(q, p), ph_sub(r, p));
    const double size = ph_norm(n);
    *f = (epa_face){.v = {a, b, c}, .alive = true};
    if (size > 1e-14 * e->d->scale * e->d->scale) {
        f->n = ph_scale(1.0 / size, n);
        f->distance = ph_dot(f->n, ph_scale(1.0 / 3.0, ph_add3(p, q, r)));
    } else { // a sliver: it has no direction of its own, and its neighbours cover it
        f->n = n;
        f->distance = PH_INF;
    }
    return e->face_count++;
}

static void start_polytope(expansion *e, const vertex v[4])
{
    const bool turned = ph_dot(tetrahedron_normal(v), ph_sub(v[3].w, v[0].w)) > 0.0;
    e->vertices[0] = v[0];
    e->vertices[1] = v[turned ? 2 : 1];
    e->vertices[2] = v[turned ? 1 : 2];
    e->vertices[3] = v[3];
    e->vertex_count = 4;
    add_face(e, 0, 1, 2);
    add_face(e, 0, 3, 1);
    add_face(e, 1, 3, 2);
    add_face(e, 2, 3, 0);
    static const int beside[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    for (int f = 0; f < 4; f++) {
        for (int k = 0; k < 3; k++) {
            e->faces[f].beside[k] = beside[f][k];
        }
    }
}

static int nearest_face(const expansion *e)
{
    int best = -1;
    for (int f = 0; f < e->face_count; f++) {
        if (e->faces[f].alive && (best < 0 || e->faces[f].distance < e->faces[best].distance)) {
            best = f;
        }
    }
    return best;
}

// ---- Expansion ------------------------------------------------------------------------------------------------------

static bool sees(const epa_face *f, const expansion *e, ph_vec3 w)
{
    return ph_dot(f->n, ph_sub(w, e->vertices[f->v[0]].w)) > (f->distance < PH_INF ? e->tolerance : 0.0);
}

// Removes the faces that w sees, starting with `f` entered over edge `from`, and writes down the rim. A stack in place of
// recursion: each entry is a face and the next of its edges to look across.
static bool find_rim(expansion *e, int start, ph_vec3 w)
{
    int stack[FACES_MAX][3], depth = 0; // face, first edge, edges done
    e->rim_count = 0;
    e->faces[start].alive = false;
    stack[depth][0] = start;
    stack[depth][1] = 0;
    stack[depth++][2] = 0;
    while (depth > 0) {
        int *top = stack[depth - 1];
        const int most = depth == 1 ? 3 : 2; // not back over the edge we came from
        if (top[2] == most) {
            depth--;
            continue;
        }
        const epa_face *f = &e->faces[top[0]];
        const int edge = (top[1] + top[2]++) % 3, other = f->beside[edge];
        epa_face *g = &e->faces[other];
        if (!g->alive) continue;
        int back = 0;
        while (back < 2 && g->beside[back] != top[0]) back++;
        if (sees(g, e, w)) {
            g->alive = false;
            stack[depth][0] = other;
            stack[depth][1] = (back + 1) % 3;
            stack[depth++][2] = 0;
        } else {
            if (e->rim_count == RIM_MAX) return false;
            e->rim[e->rim_count][0] = other;
            e->rim[e->rim_count++][1] = back;
        }
    }
    return e->rim_count >= 3;
}

// New faces from the rim to the new corner. False when there is no room, or rounding broke the rim.
static bool close_rim(expansion *e, int corner)
{
    if (e->face_count + e->rim_count > FACES_MAX) return false;
    const int first = e->face_count, count = e->rim_count;
    for (int k = 0; k < count; k++) {
        const int other = e->rim[k][0], back = e->rim[k][1];
        const int from = e->faces[other].v[(back + 1) % 3], to = e->faces[other].v[back];
        const int f = add_face(e, from, to, corner);
        e->faces[f].beside[0] = other;
        e->faces[f].beside[1] = first + (k + 1) % count;
        e->faces[f].beside[2] = first + (k + count - 1) % count;
        e->faces[other].beside[back] = f;
        if (k > 0 && e->faces[f - 1].v[1] != from) return false;
    }
    return e->faces[e->face_count - 1].v[1] == e->faces[first].v[0];
}

static bool grow(expansion *e, int nearest, vertex w)
{
    if (e->vertex_count == VERTICES_MAX) return false;
    e->vertices[e->vertex_count] = w;
    return find_rim(e, nearest, w.w) && close_rim(e, e->vertex_count++);
}

static bool is_corner(const expansion *e, const epa_face *f, ph_vec3 w)
{
    for (int k = 0; k < 3; k++) {
        const ph_vec3 v = e->vertices[f->v[k]].w;
        if (v.x == w.x && v.y == w.y && v.z == w.z) return true;
    }
    return false;
}

// The origin's foot in the plane of a face, as weights of its corners; returns the smallest, negative when it is outside.
static double foot_weights(const expansion *e, const epa_face *f, double weight[3])
{
    const ph_vec3 p = e->vertices[f->v[0]].w, q = e->vertices[f->v[1]].w, r = e->vertices[f->v[2]].w;
    const ph_vec3 n = ph_cross(ph_sub(q, p), ph_sub(r, p));
    const double area2 = ph_norm2(n);
    weight[0] = ph_dot(n, ph_cross(q, r)) / area2;
    weight[1] = ph_dot(n, ph_cross(r, p)) / area2;
    weight[2] = ph_dot(n, ph_cross(p, q)) / area2;
    return fmin(weight[0], fmin(weight[1], weight[2]));
}

// The foot lies in the nearest face of W, which may consist of several triangles: the one that holds it best.
static simplex face_simplex(const expansion *e, const epa_face *nearest)
{
    simplex s = {.count = 3};
    const epa_face *best = nearest;
    double inside = foot_weights(e, nearest, s.weight);
    for (int k = 0; k < e->face_count && inside < 0.0; k++) {
        const epa_face *f = &e->faces[k];
        double weight[3];
        if (f->alive && f->distance <= nearest->distance + 1e-12 * e->d->scale &&
            ph_dot(f->n, nearest->n) > 1.0 - 1e-12) {
            const double least = foot_weights(e, f, weight);
            if (least > inside) {
                inside = least;
                best = f;
            }
        }
    }
    foot_weights(e, best, s.weight);
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        s.v[k] = e->vertices[best->v[k]];
        s.weight[k] = ph_max(0.0, s.weight[k]);
        sum += s.weight[k];
    }
    for (int k = 0; k < 3; k++) {
        s.weight[k] /= sum;
    }
    return s;
}

static double flat_depth(const duo *d, ph_vec3 flat, simplex *s, ph_vec3 *normal)
{
    *normal = ph_dot(flat, d->ab.x) < 0.0 ? ph_neg(flat) : flat;
    if (s->count == 0) *s = (simplex){1, {duo_support(d, *normal)}, {1.0}, false};
    return ph_dot(*normal, duo_support(d, *normal).w);
}

double epa(const duo *d, simplex *s, ph_vec3 *normal)
{
    expansion e;
    vertex start[4];
    ph_vec3 flat;
    e.d = d;
    e.tolerance = 1e-15 * d->scale;
    e.vertex_count = e.face_count = 0;
    if (s->count == 4 && has_volume(s->v, d->scale)) {
        start_polytope(&e, s->v);
    } else if (make_start(d, start, &flat)) {
        start_polytope(&e, start);
    } else {
        return flat_depth(d, flat, s, normal);
    }
    const double enough = (d->flat ? 4e-15 : 1e-9) * d->scale;
    epa_face best;
    double gap;
    bool done = false, room = true;
    while (!done && room) {
        const int nearest = nearest_face(&e);
        best = e.faces[nearest];
        const vertex w = support_along(d, best.n);
        gap = -ph_dot(best.n, w.w);
        done = -gap - best.distance <= enough || is_corner(&e, &best, w.w);
        room = done || grow(&e, nearest, w);
    }
    *s = face_simplex(&e, &best);
    s->rough = !room;
    *normal = ph_neg(best.n);
    return gap;
}
