// What collision answers are checked against: nothing but support functions, written here once more.
//
// With s(n) = min over b of n.x - max over a of n.x every unit vector n proves that the distance is at least s(n), and
// every pair of points, one in each shape, that it is at most theirs. An answer whose two bounds agree is right, however
// it was found. Where shapes overlap, -s(n) is a way to part them, and the depth is the smallest of these: no direction
// of a dense set, improved by a local search, may do better than the answer.
#ifndef COLLIDE_ORACLE_H
#define COLLIDE_ORACLE_H

#include "collide/collide.h"
#include "math/quat.h"
#include "math/trig.h"
#include "test.h"

typedef struct solid {
    ph_shape_def def;
    frame body; // the shape sits at the centre of mass, axis z
} solid;

static inline ph_vec3 random_direction(void)
{
    for (;;) {
        const ph_vec3 v = ph_vec(test_uniform(-1, 1), test_uniform(-1, 1), test_uniform(-1, 1));
        const double n = ph_norm(v);
        if (n > 0.1 && n < 1.0) return ph_scale(1.0 / n, v);
    }
}

static inline ph_quat random_rotation(void)
{
    const ph_vec3 u = random_direction(), v = random_direction();
    return ph_quat_unit((ph_quat){u.x, u.y, v.x, v.y});
}

static inline ph_shape_def solid_def(const char *type)
{
    ph_shape_def def = ph_default_shape();
    def.type = type;
    return def;
}

static double solid_points[4096]; // of hulls; a new one for each solid of a test
static int solid_points_used;

static inline ph_shape_def random_hull_def(int count, ph_vec3 size)
{
    ph_shape_def def = solid_def("hull");
    if (solid_points_used + 3 * count > 4096) solid_points_used = 0;
    double *p = solid_points + solid_points_used;
    solid_points_used += 3 * count;
    for (int i = 0; i < count; i++) {
        const ph_vec3 d = random_direction();
        const double r = test_uniform(0.6, 1.0);
        p[3 * i] = r * size.x * d.x;
        p[3 * i + 1] = r * size.y * d.y;
        p[3 * i + 2] = r * size.z * d.z;
    }
    def.data = p;
    def.data_rows = count;
    def.data_columns = 3;
    return def;
}

static inline ph_shape_def random_def(const char *type)
{
    ph_shape_def def = solid_def(type);
    const ph_vec3 size = ph_vec(test_uniform(0.3, 1.5), test_uniform(0.3, 1.5), test_uniform(0.3, 1.5));
    if (strcmp(type, "hull") == 0) return random_hull_def(4 + test_random_index(20), size);
    def.size = strcmp(type, "plane") == 0 ? ph_vec(0.0, 0.0, 1.0) : size;
    def.radius = test_uniform(0.2, 1.0);
    def.length = test_uniform(0.3, 2.0);
    return def;
}

// ---- Supports -------------------------------------------------------------------------------------------------------

// The point of the shape that reaches farthest along d, in its own frame.
static inline ph_vec3 oracle_local_support(const ph_shape_def *s, ph_vec3 d)
{
    const double sz = d.z < 0.0 ? -1.0 : 1.0, across = hypot(d.x, d.y), n = ph_norm(d);
    switch (s->type[0] == 'c' ? s->type[1] : s->type[0]) {
    case 's':
        return ph_scale(s->radius / n, d);
    case 'a':
        return ph_add(ph_scale(s->radius / n, d), ph_vec(0.0, 0.0, sz * s->length / 2.0));
    case 'y':
        return across > 0.0 ? ph_vec(s->radius * d.x / across, s->radius * d.y / across, sz * s->length / 2.0)
                            : ph_vec(0.0, 0.0, sz * s->length / 2.0);
    case 'o': // a cone: its tip, or the rim of its base
        return s->length * d.z > s->radius * across || across == 0.0
                   ? ph_vec(0.0, 0.0, sz * s->length / 2.0)
                   : ph_vec(s->radius * d.x / across, s->radius * d.y / across, -s->length / 2.0);
    case 'b':
        return ph_vec(copysign(s->size.x / 2.0, d.x), copysign(s->size.y / 2.0, d.y), sz * s->size.z / 2.0);
    case 'e': {
        const ph_vec3 r = s->size, v = ph_vec(r.x * d.x, r.y * d.y, r.z * d.z);
        const double norm = ph_norm(v);
        return ph_vec(r.x * v.x / norm, r.y * v.y / norm, r.z * v.z / norm);
    }
    case 'p': // a half space: bounded only along its normal
        return hypot(d.x, d.y) < 1e-12 * n && d.z > 0.0 ? ph_zero3() : ph_scale((double)INFINITY, d);
    default: {
        ph_vec3 best = ph_zero3();
        double most = -(double)INFINITY;
        for (int i = 0; i < s->data_rows; i++) {
            const ph_vec3 p = ph_vec(s->data[3 * i], s->data[3 * i + 1], s->data[3 * i + 2]);
            if (ph_dot(p, d) > most) {
                most = ph_dot(p, d);
                best = p;
            }
        }
        return best;
    }
    }
}

static inline double oracle_reach(const solid *s, ph_vec3 d)
{
    const ph_vec3 local = ph_tmul(s->body.R, d);
    return ph_dot(s->body.x, d) + ph_dot(oracle_local_support(&s->def, local), local);
}

// s(n) of the head of this file.
static inline double oracle_gap(const solid *a, const solid *b, ph_vec3 n)
{
    return -oracle_reach(b, ph_neg(n)) - oracle_reach(a, n);
}

// ---- Inside ---------------------------------------------------------------------------------------------------------

// How far p is outside of the shape, at the most; zero or less inside. Not a distance: a bound that vanishes with it.
static inline double oracle_outside(const solid *s, ph_vec3 p)
{
    const ph_vec3 x = ph_tmul(s->body.R, ph_sub(p, s->body.x)), h = ph_scale(0.5, s->def.size);
    const double beyond = fmax(fabs(x.z) - s->def.length / 2.0, 0.0);
    switch (s->def.type[0] == 'c' ? s->def.type[1] : s->def.type[0]) {
    case 's':
        return ph_norm(x) - s->def.radius;
    case 'a':
        return sqrt(x.x * x.x + x.y * x.y + beyond * beyond) - s->def.radius;
    case 'y':
        return fmax(hypot(x.x, x.y) - s->def.radius, fabs(x.z) - s->def.length / 2.0);
    case 'o':
        return fmax(-x.z - s->def.length / 2.0, hypot(x.x, x.y) - s->def.radius * (0.5 - x.z / s->def.length));
    case 'b':
        return fmax(fabs(x.x) - h.x, fmax(fabs(x.y) - h.y, fabs(x.z) - h.z));
    case 'e':
        return (ph_norm(ph_vec(x.x / s->def.size.x, x.y / s->def.size.y, x.z / s->def.size.z)) - 1.0) *
               ph_max_abs(s->def.size);
    case 'p':
        return x.z;
    default: { // a hull: what supports of many directions say
        double most = -(double)INFINITY;
        for (int i = 0; i < 2000; i++) {
            const double z = 1.0 - (2.0 * i + 1.0) / 2000.0, r = sqrt(1.0 - z * z), angle = 2.399963229728653 * i;
            const ph_vec3 d = ph_vec(r * cos(angle), r * sin(angle), z);
            most = fmax(most, ph_dot(d, x) - ph_dot(d, oracle_local_support(&s->def, d)));
        }
        return most;
    }
    }
}

// ---- Search ---------------------------------------------------------------------------------------------------------

// The largest s(n) near `n`: random steps on the sphere that shrink when they do not help.
static inline double oracle_climb(const solid *a, const solid *b, ph_vec3 n, double step, double floor)
{
    double best = oracle_gap(a, b, n);
    while (step > floor) {
        bool better = false;
        for (int k = 0; k < 12; k++) {
            const ph_vec3 m = ph_unit(ph_madd(n, step, random_direction()));
            const double gap = oracle_gap(a, b, m);
            if (gap > best) {
                best = gap;
                n = m;
                better = true;
            }
        }
        step *= better ? 1.2 : 0.5;
    }
    return best;
}

// The signed distance by brute force: many directions, the best of them improved.
static inline double oracle_distance(const solid *a, const solid *b, int directions)
{
    enum { STARTS = 5 };
    ph_vec3 start[STARTS] = {{0.0, 0.0, 1.0}};
    double value[STARTS];
    for (int k = 0; k < STARTS; k++) value[k] = -(double)INFINITY;
    for (int i = 0; i < directions; i++) {
        const double z = 1.0 - (2.0 * i + 1.0) / directions, r = sqrt(1.0 - z * z), angle = 2.399963229728653 * i;
        ph_vec3 n = ph_vec(r * cos(angle), r * sin(angle), z);
        double gap = oracle_gap(a, b, n);
        for (int k = 0; k < STARTS; k++) { // keep the best few
            if (gap > value[k]) {
                const double v = value[k];
                const ph_vec3 m = start[k];
                value[k] = gap;
                start[k] = n;
                gap = v;
                n = m;
            }
        }
    }
    double best = -(double)INFINITY;
    for (int k = 0; k < STARTS; k++) {
        best = fmax(best, oracle_climb(a, b, start[k], 0.05, 1e-7));
    }
    return best;
}

// ---- Colliders ------------------------------------------------------------------------------------------------------

static inline collider *make_collider(const ph_shape_def *def)
{
    collider *c = NULL;
    ph_error error = {.text = ""};
    if (collider_create(def, ph_zero3(), NULL, &c, &error) != PH_OK) {
        printf("  %s: %s\n", def->type, error.text);
        CHECK(false);
    }
    return c;
}

static inline frame frame_of(ph_quat q, ph_vec3 x)
{
    return (frame){ph_quat_to_mat(q), x};
}

#endif
