// What kernels see: numbers of the step, and arrays in the memory of the machine, by what they are counted by.
#ifndef CARD_VIEW_H
#define CARD_VIEW_H

#include "algebra.h"
#include "member.h"
#include "rest.h"

typedef enum card_type { CARD_SPHERE, CARD_CAPSULE, CARD_BOX, CARD_PLANE, CARD_TRIANGLE } card_type;

typedef struct card_kind { // shapes of one kind
    int type, group, moves, surface;
    m3 turn; // of the shape in its body, about the centre of mass
    v3 place;
    v3 half;
    double radius, half_length;
    double swing, size; // as detector_kind of collide/shape_set.h has them
} card_kind;

typedef struct card_mass { // bodies of one kind
    double inverse_mass, mass;
    m3 J, J_inverse;
    int round; // the same inertia about every axis
} card_mass;

typedef struct card_surface { // of a pair of surfaces
    float friction, compliance;
} card_surface;

typedef struct card_contact {
    int shape_a, shape_b, body_a, body_b;
    uint32_t feature;
    int surface; // of the pair
    v3 n, point; // n from a to b
    double gap;
} card_contact;

typedef struct card_near { // how fast a point closes, and who is there
    int a, b;
    float to_a, to_b; // speeds along the normal
    float gap, always;
    float share_a, share_b; // of an impact, by mass; more than 1: the other one is held by nothing
} card_near;

enum { CARD_ROWS = 18, CARD_COLOURS = 64, CARD_COUNTERS = 256 };
enum {
    ROW_N,
    ROW_BIAS = 3,
    ROW_SOFT,
    ROW_MU,
    ROW_INVERSE_N,
    ROW_INVERSE_T,
    ROW_D,
    ROW_ARM_A,
    ROW_ARM_B = 12,
    ROW_TN = 15
};

// Counters: what kernels count, and the host reads.
enum { COUNT_LEVELS, COUNT_CHANGED, COUNT_UNCOLOURED, COUNT_BEYOND, COUNT_LANDED, COUNT_PASS = 16, COUNT_COLOUR = 64 };

typedef struct card_sweeps { // of the solver, where kernels can change it
    double t, c, restart;
    int sweeps;
} card_sweeps;

// X(type, name): arrays that grow together. spin: body axes; free_w, after_w: world; fast, fast_last, inertia: two for each body, v with
// the inverse mass and w with the inverse inertia; use arrays: two for each contact.
// clang-format off
#define BODY_ARRAYS(X) \
    X(v3, position) X(q4, orientation) X(v3, velocity) X(v3, spin) X(int, mass_of) X(int, moves) X(v3, free_v) \
    X(v3, free_w) X(v3, after_v) X(v3, after_w) X(f4, fast) X(f4, fast_last) X(f4, inertia) X(int, use_start) \
    X(int, old_use_start) X(int, disturbance) X(int, disturbance_next) X(uint64_t, least) X(uint64_t, colours) \
    X(int, flies) X(double, sum) X(double, normal_sum)
#define SHAPE_ARRAYS(X) \
    X(int, kind_of) X(int, body_of) X(v3, low) X(v3, high) X(float, watched) X(float, way) X(int, level) \
    X(uint32_t, key) X(uint32_t, key_sorted) X(int, shape) X(int, sorted) X(int, pair_count) X(int, pair_start)
#define CELL_ARRAYS(X) X(int, cell_start) X(int, cell_end)
#define PAIR_ARRAYS(X) X(int, pair_a) X(int, pair_b) X(int, point_count) X(int, point_start)
#define POINT_ARRAYS(X) X(card_contact, near) X(card_near, approach) X(int, listed) X(int, list_start)
#define CONTACT_ARRAYS(X) \
    X(card_contact, contact) X(uint32_t, use_key) X(uint32_t, use_key_sorted) X(int, use) X(int, use_sorted) \
    X(uint32_t, colour) X(uint32_t, colour_sorted) X(int, order) X(int, at_place) X(int, place) X(int, end_a) \
    X(int, end_b) X(float, rows) X(float, x) X(float, x_last) X(unsigned char, active) X(double, value)
#define OLD_ARRAYS(X) X(card_contact, old) X(float, old_x) X(int, old_use)
// clang-format on

#define CARD_POINTER(type, name) type *name;
typedef struct card_view {
    // Numbers of the step:
    double h, slack, recovery, tolerance, margin, fall, base;
    v3 gravity;
    int bodies, shapes, buckets, planes, pairs, points, contacts, old_contacts, stride, kinds, surfaces, triangles;
    int all_round, all_balls;
    int last_round;    // of listing: pairs are listed whatever their speed
    int first_contact; // of the colour that is polished
    float relaxation;
    double grain, unit; // of the sum of a sweep, and of that of the bodies at hand: what their numbers are multiples of
    // Where several machines share a scene; NULL: one has all, and numbers are names.
    int *owned;                  // by body: this machine moves it; 0: a copy, or it cannot move
    int *body_name, *shape_name; // numbers in the whole scene, rising
    BODY_ARRAYS(CARD_POINTER)
    SHAPE_ARRAYS(CARD_POINTER)
    CELL_ARRAYS(CARD_POINTER)
    PAIR_ARRAYS(CARD_POINTER)
    POINT_ARRAYS(CARD_POINTER)
    CONTACT_ARRAYS(CARD_POINTER)
    OLD_ARRAYS(CARD_POINTER)
    // Made once:
    card_kind *kind;
    card_mass *mass;
    card_surface *surface; // surfaces x surfaces
    int *plane;            // shapes
    v3 *corner;            // three by triangle
    int *triangle_shape;
    int *triangle_open;                                 // bits: corners and edges that stand out in front, then behind
    int *triangle_start, *triangle_end, *triangle_list; // by bucket
    double triangle_cell;
    int triangle_buckets;
    int *counter;
    double *result;
    card_member *member;
    int members;
    card_rest *rest;
    card_sweeps *sweep;
} card_view;

// ---- Several machines ---------------------------------------------------------------------------------------------------

TEXT int owns(const card_view *a, int body)
{
    return !a->owned || a->owned[body];
}

TEXT int name_of_body(const card_view *a, int body)
{
    return a->body_name ? a->body_name[body] : body;
}

TEXT int name_of_shape(const card_view *a, int shape)
{
    return a->shape_name ? a->shape_name[shape] : shape;
}

// Contacts between bodies of two machines are on both; the owner of the first body that moves counts them.
TEXT int is_counted(const card_view *a, int body_a, int body_b)
{
    return !a->owned || a->owned[body_a < a->bodies && a->moves[body_a] ? body_a : body_b];
}

#endif
