// Every pair of shapes at random poses, against brute force (collide_oracle.h).

#include "collide_oracle.h"

static const char *const convex_types[] = {"sphere", "capsule", "box", "cylinder", "ellipsoid", "hull", NULL};

// ---- Random poses ---------------------------------------------------------------------------------------------------

typedef struct worst {
    double depth, distance, normal, witness, search; // largest errors met
} worst;

// Bounds from both sides; see collide_oracle.h.
static void check_answer(const solid *a, const solid *b, double tolerance, worst *w)
{
    collider *ca = make_collider(&a->def), *cb = make_collider(&b->def);
    ph_vec3 on_a, on_b, n;
    const double gap = collide_distance(ca, &a->body, cb, &b->body, &on_a, &on_b, &n);
    const double proven = oracle_gap(a, b, n), apart = ph_norm(ph_sub(on_b, on_a));
    const double outside = fmax(oracle_outside(a, on_a), oracle_outside(b, on_b));
    w->normal = fmax(w->normal, fabs(ph_norm(n) - 1.0));
    w->witness = fmax(w->witness, fmax(outside, fabs(ph_dot(n, ph_sub(on_b, on_a)) - gap)));
    CHECK_NEAR(ph_norm(n), 1.0, 1e-14);
    CHECK_NEAR(proven, gap, tolerance);
    CHECK_NEAR(apart, fabs(gap), tolerance);
    CHECK(outside <= tolerance);
    if (gap < 0.0) {
        const double found = oracle_distance(a, b, 400);
        w->depth = fmax(w->depth, fabs(proven - gap));
        w->search = fmax(w->search, found - gap);
        CHECK(found <= gap + tolerance);
    } else {
        w->distance = fmax(w->distance, fmax(fabs(proven - gap), fabs(apart - gap)));
    }
    collider_destroy(ca);
    collider_destroy(cb);
}

static void check_pair(const char *type_a, const char *type_b, int poses, double tolerance)
{
    worst w = {0};
    for (int k = 0; k < poses; k++) {
        solid a = {random_def(type_a), frame_of(random_rotation(), random_direction())};
        solid b = {random_def(type_b), frame_of(random_rotation(), ph_zero3())};
        const double apart = k % 4 == 0 ? 0.2 : k % 4 == 1 ? 3.0 : 1.2;
        b.body.x = ph_madd(a.body.x, test_uniform(0.0, apart), random_direction());
        check_answer(&a, &b, tolerance, &w);
    }
    printf("  %-9s %-11s distance %7.1e  depth %7.1e  search %7.1e  witness %7.1e\n", type_a, type_b, w.distance,
           w.depth, w.search, w.witness);
}

TEST(convex_pairs_agree_with_brute_force)
{
    for (int i = 0; convex_types[i]; i++) {
        for (int j = 0; convex_types[j]; j++) {
            check_pair(convex_types[i], convex_types[j], 150, 1e-11);
        }
    }
}

TEST(planes_agree_with_brute_force)
{
    for (int i = 0; convex_types[i]; i++) {
        for (int k = 0; k < 200; k++) {
            const solid a = {random_def(convex_types[i]), frame_of(random_rotation(), random_direction())};
            const solid b = {random_def("plane"), frame_of(random_rotation(), random_direction())};
            collider *ca = make_collider(&a.def), *cb = make_collider(&b.def);
            ph_vec3 on_a, on_b, n;
            const double gap = collide_distance(ca, &a.body, cb, &b.body, &on_a, &on_b, &n);
            const ph_vec3 up = ph_mat_col(b.body.R, 2);
            CHECK_NEAR(gap, -ph_dot(up, b.body.x) - oracle_reach(&a, ph_neg(up)), 1e-13);
            CHECK_NEAR(ph_dot(n, up), -1.0, 1e-14);
            CHECK_NEAR(ph_dot(up, ph_sub(on_b, b.body.x)), 0.0, 1e-13);
            CHECK(oracle_outside(&a, on_a) <= 1e-13);
            CHECK_NEAR(ph_norm(ph_sub(on_b, on_a)), fabs(gap), 1e-13);
            collider_destroy(ca);
            collider_destroy(cb);
        }
    }
}

// ---- Manifolds ------------------------------------------------------------------------------------------------------

// Moves b so that the gap becomes `gap`, about.
static void bring_near(const solid *a, solid *b, double gap)
{
    collider *ca = make_collider(&a->def), *cb = make_collider(&b->def);
    for (int k = 0; k < 3; k++) {
        ph_vec3 n;
        const double d = collide_distance(ca, &a->body, cb, &b->body, NULL, NULL, &n);
        b->body.x = ph_madd(b->body.x, gap - d, n);
    }
    collider_destroy(ca);
    collider_destroy(cb);
}

static void check_manifold(const solid *a, const solid *b)
{
    collider *ca = make_collider(&a->def), *cb = make_collider(&b->def);
    contact_list list = {0};
    const double margin = 0.02, gap = collide_distance(ca, &a->body, cb, &b->body, NULL, NULL, NULL);
    double least = (double)INFINITY;
    CHECK_EQ_INT(collide(ca, &a->body, cb, &b->body, margin, &list), PH_OK);
    CHECK_EQ_INT(list.count > 0, gap < margin);
    CHECK(list.count <= 4);
    for (int k = 0; k < list.count; k++) {
        const contact_point *c = &list.points[k];
        least = fmin(least, c->gap);
        CHECK(c->gap < margin);
        CHECK_NEAR(ph_norm(c->normal), 1.0, 1e-14);
        CHECK_NEAR(ph_dot(c->normal, ph_sub(c->on_b, c->on_a)), c->gap, 1e-13);
        CHECK_NEAR(ph_norm(ph_sub(c->on_b, c->on_a)), fabs(c->gap), 1e-12);
        CHECK(oracle_outside(a, c->on_a) < 2e-3); // a face that is tilted a little counts as flat
        CHECK(oracle_outside(b, c->on_b) < 2e-3);
        for (int i = 0; i < k; i++) CHECK(c->feature != list.points[i].feature);
    }
    if (list.count > 0) CHECK_NEAR(least, gap, 2e-3 * fabs(gap) + 1e-6);
    contact_list_free(&list);
    collider_destroy(ca);
    collider_destroy(cb);
}

TEST(manifolds_hold_the_nearest_point)
{
    for (int i = 0; convex_types[i]; i++) {
        for (int j = 0; convex_types[j]; j++) {
            for (int k = 0; k < 60; k++) {
                const solid a = {random_def(convex_types[i]), frame_of(random_rotation(), random_direction())};
                solid b = {random_def(convex_types[j]), frame_of(random_rotation(), ph_zero3())};
                b.body.x = ph_madd(a.body.x, 3.0, random_direction());
                bring_near(&a, &b, test_uniform(-0.02, 0.025));
                check_manifold(&a, &b);
            }
        }
    }
}

// A box flat on another: four points, whatever the heading, with the gap between the faces.
TEST(box_rests_on_box_with_four_points)
{
    ph_shape_def small = solid_def("box"), large = solid_def("box");
    small.size = ph_vec(1.0, 0.6, 0.4);
    large.size = ph_vec(5.0, 5.0, 1.0);
    collider *a = make_collider(&small), *b = make_collider(&large);
    contact_list list = {0};
    for (int k = 0; k < 20; k++) {
        const double gap = k % 2 ? 1e-3 : -1e-3;
        const frame A = frame_of(ph_quat_from_axis_angle(ph_vec(0.0, 0.0, 1.0), 0.3 * k), ph_vec(0.4, 0.2, 0.7 + gap));
        const frame B = frame_of(ph_quat_identity(), ph_zero3());
        list.count = 0;
        CHECK_EQ_INT(collide(a, &A, b, &B, 0.01, &list), PH_OK);
        CHECK_EQ_INT(list.count, 4);
        for (int i = 0; i < list.count; i++) {
            CHECK_NEAR(list.points[i].gap, gap, 1e-14);
            CHECK_NEAR(list.points[i].normal.z, -1.0, 1e-15);
            CHECK_NEAR(list.points[i].on_b.z, 0.5, 1e-15);
            CHECK_NEAR(hypot(list.points[i].on_a.x - 0.4, list.points[i].on_a.y - 0.2), hypot(0.5, 0.3), 1e-14);
        }
    }
    contact_list_free(&list);
    collider_destroy(a);
    collider_destroy(b);
}
