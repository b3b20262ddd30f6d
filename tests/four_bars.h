// The family of IFToMM benchmark A02: N four-bar loops in a row, in any proportions, anywhere, in any plane.
//
//     B0 --- B1 --- ... --- BN      N + 1 links A_i B_i of mass 1, N couplers B_i B_(i+1), all of one length. The links stay
//     |      |              |       parallel: one freedom, theta'' = k sin(theta). Every loop has three rows too many, and
//     A0     A1            AN       when the links lie down N more.
#ifndef TESTS_FOUR_BARS_H
#define TESTS_FOUR_BARS_H

#include "polhode/polhode.h"

#include <math.h>
#include <stdio.h>

typedef struct four_bars {
    int loops;
    double axial;   // moment of inertia of a bar about its own axis, relative to the others
    double coupler; // mass of a coupler, relative to a link's
    double size;    // length of a bar in m; gravity goes with it, so the motion is the same but for the unit
    double far;     // of A0 from the origin, in m
    bool tilted;    // in a plane that is not one of the axes'
} four_bars;

static const four_bars four_bars_standard = {.loops = 2, .axial = 1e-2, .coupler = 1.0, .size = 1.0};

// The plane's x and y axes as a rotation: one with no small numbers in it.
static inline ph_quat four_bars_plane(const four_bars *f)
{
    const double w = 0.71, x = 0.33, y = -0.21, z = 0.58, size = sqrt(w * w + x * x + y * y + z * z);
    return f->tilted ? (ph_quat){w / size, x / size, y / size, z / size} : (ph_quat){1.0, 0.0, 0.0, 0.0};
}

static inline ph_vec3 four_bars_turn(const four_bars *f, double x, double y, double z)
{
    const ph_quat q = four_bars_plane(f);
    const double a = 2.0 * (q.y * z - q.z * y), b = 2.0 * (q.z * x - q.x * z), c = 2.0 * (q.x * y - q.y * x);
    return (ph_vec3){x + q.w * a + q.y * c - q.z * b, y + q.w * b + q.z * a - q.x * c, z + q.w * c + q.x * b - q.y * a};
}

static inline ph_vec3 four_bars_point(const four_bars *f, double x, double y)
{
    const ph_vec3 p = four_bars_turn(f, f->size * x, f->size * y, 0.0);
    return (ph_vec3){p.x + f->far * 0.6, p.y - f->far * 0.64, p.z + f->far * 0.48};
}

static inline int four_bars_body(ph_spec *spec, const four_bars *f, const char *letter, int i, double x, double y,
                                 bool link)
{
    const double mass = link ? 1.0 : f->coupler, J = mass * f->size * f->size / 12.0;
    char name[32];
    snprintf(name, sizeof name, "%s%d", letter, i);
    ph_body_def body = ph_default_body();
    body.name = name;
    body.mass = mass;
    body.inertia = (ph_mat3){{{link ? J : f->axial * J, 0.0, 0.0}, {0.0, link ? f->axial * J : J, 0.0}, {0.0, 0.0, J}}};
    body.position = four_bars_point(f, x, y);
    body.orientation = four_bars_plane(f);
    body.velocity = four_bars_turn(f, link ? 0.5 * f->size : f->size, 0.0, 0.0); // tops move at one length a second
    if (link) body.angular_velocity = (ph_vec3){0.0, 0.0, -1.0};
    return ph_spec_add_body(spec, &body);
}

static inline void four_bars_hinge(ph_spec *spec, const four_bars *f, const char *letter, int i, int a, int b, double x,
                                   double y)
{
    char name[32];
    snprintf(name, sizeof name, "%s%d", letter, i);
    ph_joint_def hinge = ph_default_joint();
    hinge.name = name;
    hinge.type = "revolute";
    hinge.body_a = a;
    hinge.body_b = b;
    hinge.has_anchor = hinge.has_axis = true;
    hinge.anchor = four_bars_point(f, x, y);
    hinge.axis = four_bars_turn(f, 0.0, 0.0, 1.0);
    ph_spec_add_joint(spec, &hinge);
}

// Bodies: the links, then the couplers. allocator NULL: malloc.
static inline ph_spec *four_bars_spec(const four_bars *f, const ph_allocator *allocator)
{
    ph_spec *spec = ph_spec_create(allocator);
    ph_spec_set_gravity(spec, four_bars_turn(f, 0.0, -9.81 * f->size, 0.0));
    for (int i = 0; i <= f->loops; i++) four_bars_body(spec, f, "link", i, i, 0.5, true);
    for (int i = 0; i < f->loops; i++) four_bars_body(spec, f, "coupler", i, i + 0.5, 1.0, false);
    for (int i = 0; i <= f->loops; i++) four_bars_hinge(spec, f, "A", i, PH_WORLD, i, i, 0.0);
    for (int i = 0; i < f->loops; i++) {
        four_bars_hinge(spec, f, "B", i, i, f->loops + 1 + i, i, 1.0);
        four_bars_hinge(spec, f, "C", i, i + 1, f->loops + 1 + i, i + 1.0, 1.0);
    }
    return spec;
}

// Angle of the links from the upright after t seconds: theta'' = k sin(theta), theta(0) = 0, theta'(0) = 1, by the classical
// Runge-Kutta method with steps that leave rounding errors only.
static inline double four_bars_angle(const four_bars *f, double t)
{
    const double n = f->loops, links = n + 1.0, couplers = n * f->coupler;
    const double k = 9.81 * (0.5 * links + couplers) / (links / 3.0 + couplers);
    const int steps = (int)ceil(4000.0 * t);
    const double h = t / steps;
    double q = 0.0, w = 1.0;
    for (int i = 0; i < steps; i++) {
        const double a1 = k * sin(q), q2 = q + 0.5 * h * w, w2 = w + 0.5 * h * a1;
        const double a2 = k * sin(q2), q3 = q + 0.5 * h * w2, w3 = w + 0.5 * h * a2;
        const double a3 = k * sin(q3), q4 = q + h * w3, w4 = w + h * a3;
        q += h / 6.0 * (w + 2.0 * (w2 + w3) + w4);
        w += h / 6.0 * (a1 + 2.0 * (a2 + a3) + k * sin(q4));
    }
    return q;
}

static inline ph_vec3 four_bars_on(ph_state *state, int body, double x, double y) // a point of a body
{
    const ph_quat q = ph_state_orientations(state)[body];
    const ph_vec3 c = ph_state_positions(state)[body];
    const double a = 2.0 * -q.z * y, b = 2.0 * q.z * x, d = 2.0 * (q.x * y - q.y * x);
    return (ph_vec3){c.x + x + q.w * a + q.y * d - q.z * b, c.y + y + q.w * b + q.z * a - q.x * d,
                     c.z + q.w * d + q.x * b - q.y * a};
}

static inline double four_bars_distance(ph_vec3 a, ph_vec3 b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

// The widest joint: how far the points of its two bodies are apart, relative to the length of a bar or, far from the origin,
// to that distance. From the poses alone.
static inline double four_bars_gap(const four_bars *f, ph_state *state)
{
    const double half = 0.5 * f->size;
    double widest = 0.0;
    for (int i = 0; i <= f->loops; i++) {
        widest = fmax(widest, four_bars_distance(four_bars_on(state, i, 0.0, -half), four_bars_point(f, i, 0.0)));
        const ph_vec3 top = four_bars_on(state, i, 0.0, half);
        const int left = f->loops + i, right = f->loops + 1 + i; // couplers
        if (i > 0) widest = fmax(widest, four_bars_distance(four_bars_on(state, left, half, 0.0), top));
        if (i < f->loops) widest = fmax(widest, four_bars_distance(four_bars_on(state, right, -half, 0.0), top));
    }
    return widest / fmax(f->size, f->far);
}

// How far the middle of the first link is from where it should be, in lengths of a bar.
static inline double four_bars_error(const four_bars *f, ph_state *state, double t)
{
    const double angle = four_bars_angle(f, t);
    const ph_vec3 right = four_bars_point(f, 0.5 * sin(angle), 0.5 * cos(angle));
    return four_bars_distance(ph_state_positions(state)[0], right) / f->size;
}

#endif
