// Poses that trip collision code, each by its name; and what must hold for every pose: the same answer after a rigid
// motion, the mirrored one after exchanging the shapes, and small changes after small motions.

#include "collide_oracle.h"

static const char *const convex_types[] = {"sphere", "capsule", "box", "cylinder", "ellipsoid", "hull", NULL};

static const ph_quat upright = {1.0, 0.0, 0.0, 0.0};

static double cube_points[24];

static ph_shape_def cube_hull(double half)
{
    ph_shape_def def = solid_def("hull");
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 3; k++) cube_points[3 * i + k] = i >> k & 1 ? half : -half;
    }
    def.data = cube_points;
    def.data_rows = 8;
    def.data_columns = 3;
    return def;
}

// Shapes of simple sizes: all reach 0.5 down when upright.
static ph_shape_def simple_def(const char *type)
{
    ph_shape_def def = solid_def(type);
    if (strcmp(type, "hull") == 0) return cube_hull(0.5);
    def.size = strcmp(type, "ellipsoid") == 0 ? ph_vec(0.3, 0.4, 0.5) : ph_vec(1.0, 1.0, 1.0);
    def.radius = strcmp(type, "sphere") == 0 ? 0.5 : strcmp(type, "capsule") == 0 ? 0.2 : 0.4;
    def.length = strcmp(type, "capsule") == 0 ? 0.6 : 1.0;
    return def;
}

typedef struct meeting {
    contact_list list;
    double gap;
    ph_vec3 n, on_a, on_b;
} meeting;

static meeting meet(const solid *a, const solid *b, double margin)
{
    collider *ca = make_collider(&a->def), *cb = make_collider(&b->def);
    meeting m = {0};
    m.gap = collide_distance(ca, &a->body, cb, &b->body, &m.on_a, &m.on_b, &m.n);
    CHECK_EQ_INT(collide(ca, &a->body, cb, &b->body, margin, &m.list), PH_OK);
    CHECK(isfinite(m.gap) && isfinite(ph_norm(m.on_a)) && isfinite(ph_norm(m.on_b)));
    CHECK_NEAR(ph_norm(m.n), 1.0, 1e-14);
    collider_destroy(ca);
    collider_destroy(cb);
    return m;
}

static solid upright_at(const char *type, double x, double y, double z)
{
    return (solid){simple_def(type), frame_of(upright, ph_vec(x, y, z))};
}

// How many points, their gap, all with the normal n.
static void check_points(const solid *a, const solid *b, int count, double gap, ph_vec3 n, const char *what)
{
    meeting m = meet(a, b, 0.01);
    bool right = m.list.count == count && fabs(m.gap - gap) <= 1e-12;
    for (int k = 0; k < m.list.count; k++) {
        right = right && fabs(m.list.points[k].gap - gap) <= 1e-12;
        right = right && ph_norm(ph_sub(m.list.points[k].normal, n)) <= 1e-9;
    }
    if (!CHECK(right)) {
        printf("  %s: %d points, gap %.17g\n", what, m.list.count, m.gap);
        for (int k = 0; k < m.list.count; k++) {
            const contact_point *c = &m.list.points[k];
            printf("    gap %.3g normal %g %g %g at %g %g %g\n", c->gap, c->normal.x, c->normal.y, c->normal.z,
                   c->on_b.x, c->on_b.y, c->on_b.z);
        }
    }
    contact_list_free(&m.list);
}

// ---- Flat on each other ---------------------------------------------------------------------------------------------

static const ph_vec3 down = {0.0, 0.0, -1.0};

TEST(upright_on_a_box)
{
    static const int points[] = {1, 1, 4, 4, 1, 4}; // in the order of convex_types
    for (int i = 0; convex_types[i]; i++) {
        for (int k = -1; k <= 1; k++) {
            const solid box = upright_at("box", 0.0, 0.0, -0.5),
                        a = upright_at(convex_types[i], 0.05, 0.02, 0.5 + 1e-3 * k);
            check_points(&a, &box, points[i], 1e-3 * k, down, convex_types[i]);
        }
    }
}

TEST(upright_on_a_plane)
{
    static const int points[] = {1, 1, 4, 4, 1, 4};
    const solid plane = {random_def("plane"), frame_of(upright, ph_zero3())};
    for (int i = 0; convex_types[i]; i++) {
        const solid a = upright_at(convex_types[i], 3.0, 2.0, 0.5);
        check_points(&a, &plane, points[i], 0.0, down, convex_types[i]);
    }
}

TEST(upright_on_a_hull)
{
    static const int points[] = {1, 1, 4, 4, 1, 4};
    for (int i = 0; convex_types[i]; i++) {
        const solid hull = upright_at("hull", 0.0, 0.0, -0.5), a = upright_at(convex_types[i], 0.05, 0.02, 0.5);
        check_points(&a, &hull, points[i], 0.0, down, convex_types[i]);
    }
}

TEST(cylinder_on_cylinder)
{
    const solid below = upright_at("cylinder", 0.0, 0.0, -0.5);
    const solid coaxial = upright_at("cylinder", 0.0, 0.0, 0.5), shifted = upright_at("cylinder", 0.3, 0.1, 0.5);
    const solid beside = upright_at("cylinder", 0.8, 0.0, -0.4);
    check_points(&coaxial, &below, 4, 0.0, down, "coaxial");
    check_points(&shifted, &below, 4, 0.0, down, "shifted");
    check_points(&beside, &below, 2, 0.0, ph_vec(-1.0, 0.0, 0.0), "beside");
    solid across = upright_at("cylinder", 0.8, 0.0, -0.5);
    across.body.R = ph_quat_to_mat(ph_quat_from_axis_angle(ph_vec(1.0, 0.0, 0.0), acos(-1.0) / 2.0));
    check_points(&across, &below, 1, 0.0, ph_vec(-1.0, 0.0, 0.0), "across");
}

TEST(lying_on_a_box)
{
    const ph_quat lying = ph_quat_from_axis_angle(ph_vec(0.0, 1.0, 0.0), acos(-1.0) / 2.0);
    const solid box = upright_at("box", 0.0, 0.0, -0.5);
    solid capsule = upright_at("capsule", 0.0, 0.0, 0.2), cylinder = upright_at("cylinder", 0.0, 0.0, 0.4);
    capsule.body.R = cylinder.body.R = ph_quat_to_mat(lying);
    check_points(&capsule, &box, 2, 0.0, down, "capsule");
    check_points(&cylinder, &box, 2, 0.0, down, "cylinder");
    const solid plane = {random_def("plane"), frame_of(upright, ph_zero3())};
    check_points(&capsule, &plane, 2, 0.0, down, "capsule on plane");
    check_points(&cylinder, &plane, 2, 0.0, down, "cylinder on plane");
    const solid hull = upright_at("hull", 0.0, 0.0, -0.5);
    check_points(&capsule, &hull, 2, 0.0, down, "capsule on hull");
    check_points(&cylinder, &hull, 2, 0.0, down, "cylinder on hull");
}

TEST(parallel_capsules)
{
    const solid a = upright_at("capsule", 0.0, 0.0, 0.0), beside = upright_at("capsule", 0.4, 0.0, 0.1);
    const solid above = upright_at("capsule", 0.0, 0.0, 1.0), off = upright_at("capsule", 0.3, 0.0, 0.8);
    check_points(&a, &beside, 2, 0.0, ph_vec(1.0, 0.0, 0.0), "beside");
    check_points(&a, &above, 1, 0.0, ph_vec(0.0, 0.0, 1.0), "end to end");
    meeting m = meet(&a, &off, 0.5);
    CHECK_NEAR(m.gap, hypot(0.3, 0.2) - 0.4, 1e-15);
    CHECK_EQ_INT(m.list.count, 1);
    contact_list_free(&m.list);
}

TEST(box_edge_on_edge_and_corner_on_face)
{
    solid a = upright_at("box", 0.0, 0.0, 0.0), b = upright_at("box", 0.0, 0.0, 0.0);
    a.body.R = ph_quat_to_mat(ph_quat_from_axis_angle(ph_vec(1.0, 0.0, 0.0), acos(-1.0) / 4.0));
    b.body.R = ph_quat_to_mat(ph_quat_from_axis_angle(ph_vec(0.0, 1.0, 0.0), acos(-1.0) / 4.0));
    b.body.x.z = -sqrt(2.0) - 1e-3;
    check_points(&a, &b, 1, 1e-3, down, "edges apart");
    b.body.x.z = -sqrt(2.0) + 1e-3;
    check_points(&a, &b, 1, -1e-3, down, "edges overlap");
    // a space diagonal along z
    const ph_vec3 d = ph_unit(ph_vec(1.0, 1.0, 1.0)), axis = ph_cross(d, ph_vec(0.0, 0.0, 1.0));
    a.body.R = ph_quat_to_mat(ph_quat_from_axis_angle(axis, acos(d.z)));
    b.body = frame_of(upright, ph_vec(0.1, 0.1, -0.5 - sqrt(0.75) + 1e-3));
    check_points(&a, &b, 1, -1e-3, down, "corner in face");
    b.body.x.z -= 2e-3;
    check_points(&a, &b, 1, 1e-3, down, "corner over face");
}

// ---- Touching, nested, coincident -----------------------------------------------------------------------------------

TEST(touching)
{
    for (int i = 0; convex_types[i]; i++) {
        for (int j = 0; convex_types[j]; j++) {
            for (int k = 0; k < 20; k++) {
                const solid a = {random_def(convex_types[i]), frame_of(random_rotation(), random_direction())};
                solid b = {random_def(convex_types[j]), frame_of(random_rotation(), ph_zero3())};
                b.body.x = ph_madd(a.body.x, 4.0, random_direction());
                for (int pass = 0; pass < 2; pass++) {
                    meeting m = meet(&a, &b, 0.0);
                    b.body.x = ph_madd(b.body.x, -m.gap, m.n);
                    contact_list_free(&m.list);
                }
                meeting m = meet(&a, &b, 1e-9);
                CHECK(fabs(m.gap) < 1e-14);
                CHECK(m.list.count >= 1);
                CHECK_NEAR(oracle_gap(&a, &b, m.n), 0.0, 2e-14);
                contact_list_free(&m.list);
            }
        }
    }
}

// The depth is the shortest way out also from the middle, where many ways are equally long.
static void check_depth(const solid *a, const solid *b)
{
    meeting m = meet(a, b, 1.0);
    const double proven = oracle_gap(a, b, m.n);
    CHECK(m.gap < 0.0);
    CHECK_NEAR(proven, m.gap, 1e-12);
    CHECK(oracle_distance(a, b, 400) <= m.gap + 1e-9);
    CHECK_NEAR(ph_dot(m.n, ph_sub(m.on_b, m.on_a)), m.gap, 1e-12);
    if (!CHECK(m.list.count >= 1)) printf("  %s in %s\n", a->def.type, b->def.type);
    contact_list_free(&m.list);
}

TEST(same_centre_and_axes)
{
    for (int i = 0; convex_types[i]; i++) {
        for (int j = 0; convex_types[j]; j++) {
            const solid a = upright_at(convex_types[i], 0.3, 0.2, 0.1), b = upright_at(convex_types[j], 0.3, 0.2, 0.1);
            check_depth(&a, &b);
        }
    }
}

TEST(one_inside_the_other)
{
    for (int i = 0; convex_types[i]; i++) {
        for (int j = 0; convex_types[j]; j++) {
            for (int k = 0; k < 10; k++) {
                solid a = upright_at(convex_types[i], 0.0, 0.0, 0.0), b = upright_at(convex_types[j], 0.0, 0.0, 0.0);
                a.def.size = ph_scale(0.05, a.def.size);
                a.def.radius *= 0.05;
                a.def.length *= 0.05;
                if (strcmp(convex_types[i], "hull") == 0) a.def = random_hull_def(8, ph_vec(0.05, 0.04, 0.03));
                a.body.R = ph_quat_to_mat(random_rotation());
                b.body.R = ph_quat_to_mat(random_rotation());
                a.body.x = ph_scale(0.1, random_direction());
                check_depth(&a, &b);
            }
        }
    }
}

// ---- Sizes ----------------------------------------------------------------------------------------------------------

// Plates, needles, and small on large: gaps proven from both sides to rounding of the larger.
TEST(thin_long_small_and_far)
{
    static const char *const types[] = {"box", "cylinder", "ellipsoid", "capsule", NULL};
    for (int k = 0; k < 400; k++) {
        solid a = {random_def(types[k % 4]), frame_of(random_rotation(), ph_zero3())};
        solid b = {random_def(types[k / 4 % 4]), frame_of(random_rotation(), ph_zero3())};
        const double far = k % 5 == 4 ? 1e5 : 0.0, thin = k % 5 == 0 ? 1e-4 : 1.0, large = k % 5 == 1 ? 1e4 : 1.0;
        a.def.size.z *= thin;
        a.def.length *= k % 5 == 2 ? 1e-4 : 1.0;
        b.def.radius *= k % 5 == 3 ? 1e-4 : large;
        b.def.length *= large;
        b.def.size = ph_scale(large, b.def.size);
        a.body.x = ph_scale(far, random_direction());
        b.body.x = ph_madd(a.body.x, 3.0 * large, random_direction());
        meeting m = meet(&a, &b, 0.0);
        const double rounding = 1e-14 * (far + 4.0 * large);
        CHECK_NEAR(oracle_gap(&a, &b, m.n), m.gap, 4.0 * rounding + 1e-14);
        if (m.gap > 0.0) CHECK_NEAR(ph_norm(ph_sub(m.on_b, m.on_a)), m.gap, 1e-9 * large + 10.0 * rounding);
        contact_list_free(&m.list);
    }
}

// ---- What always holds ----------------------------------------------------------------------------------------------

static int same_features(const contact_list *a, const contact_list *b)
{
    int same = 0;
    for (int i = 0; i < a->count; i++) {
        for (int j = 0; j < b->count; j++) same += a->points[i].feature == b->points[j].feature;
    }
    return same;
}

static void random_near_pair(int i, int j, solid *a, solid *b)
{
    *a = (solid){random_def(convex_types[i]), frame_of(random_rotation(), random_direction())};
    *b = (solid){random_def(convex_types[j]), frame_of(random_rotation(), ph_zero3())};
    b->body.x = ph_madd(a->body.x, 4.0, random_direction());
    meeting m = meet(a, b, 0.0);
    b->body.x = ph_madd(b->body.x, test_uniform(-0.01, 0.01) - m.gap, m.n);
    contact_list_free(&m.list);
}

TEST(rigid_motions_change_nothing)
{
    for (int i = 0; convex_types[i]; i++) {
        for (int j = 0; convex_types[j]; j++) {
            for (int k = 0; k < 20; k++) {
                solid a, b;
                random_near_pair(i, j, &a, &b);
                const frame g = frame_of(random_rotation(), ph_scale(3.0, random_direction()));
                const solid a2 = {a.def, frame_mul(&g, &a.body)}, b2 = {b.def, frame_mul(&g, &b.body)};
                meeting m = meet(&a, &b, 0.02), m2 = meet(&a2, &b2, 0.02);
                CHECK_NEAR(m2.gap, m.gap, 1e-13);
                CHECK_NEAR(ph_norm(ph_sub(m2.n, ph_mul(g.R, m.n))), 0.0, 1e-7);
                CHECK_EQ_INT(m2.list.count, m.list.count);
                CHECK_EQ_INT(same_features(&m.list, &m2.list), m.list.count);
                contact_list_free(&m.list);
                contact_list_free(&m2.list);
            }
        }
    }
}

TEST(exchanging_the_shapes_mirrors_the_answer)
{
    for (int i = 0; convex_types[i]; i++) {
        for (int j = 0; convex_types[j]; j++) {
            for (int k = 0; k < 20; k++) {
                solid a, b;
                random_near_pair(i, j, &a, &b);
                meeting m = meet(&a, &b, 0.02), m2 = meet(&b, &a, 0.02);
                CHECK_NEAR(m2.gap, m.gap, 1e-13);
                CHECK_NEAR(ph_norm(ph_add(m2.n, m.n)), 0.0, 1e-7);
                CHECK_NEAR(ph_norm(ph_sub(m2.on_a, m.on_b)), 0.0, 1e-5);
                CHECK_EQ_INT(m2.list.count, m.list.count);
                contact_list_free(&m.list);
                contact_list_free(&m2.list);
            }
        }
    }
}

// A shape that rests on another and trembles keeps its points and their numbers.
TEST(resting_contacts_keep_their_numbers)
{
    const solid ground = upright_at("box", 0.0, 0.0, -0.5),
                plane = {random_def("plane"), frame_of(upright, ph_zero3())};
    for (int i = 0; convex_types[i]; i++) {
        for (int on_plane = 0; on_plane < 2; on_plane++) {
            const solid start = upright_at(convex_types[i], 0.05, 0.02, 0.5);
            meeting before = meet(&start, on_plane ? &plane : &ground, 1e-3);
            for (int k = 0; k < 50; k++) {
                solid a = start;
                a.body.R = ph_quat_to_mat(ph_quat_from_axis_angle(random_direction(), 1e-9));
                a.body.x = ph_madd(a.body.x, 1e-7, random_direction());
                meeting now = meet(&a, on_plane ? &plane : &ground, 1e-3);
                CHECK_EQ_INT(now.list.count, before.list.count);
                CHECK_EQ_INT(same_features(&now.list, &before.list), before.list.count);
                contact_list_free(&now.list);
            }
            contact_list_free(&before.list);
        }
    }
}

// The gap moves no faster than the shapes do.
TEST(small_motions_change_little)
{
    for (int i = 0; convex_types[i]; i++) {
        for (int j = 0; convex_types[j]; j++) {
            for (int k = 0; k < 20; k++) {
                solid a, b;
                random_near_pair(i, j, &a, &b);
                meeting m = meet(&a, &b, 0.0);
                b.body.x = ph_madd(b.body.x, 1e-8, random_direction());
                meeting m2 = meet(&a, &b, 0.0);
                CHECK(fabs(m2.gap - m.gap) <= 1.0001e-8);
                contact_list_free(&m.list);
                contact_list_free(&m2.list);
            }
        }
    }
}

TEST(bounds_are_tight)
{
    static const ph_vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int i = 0; convex_types[i]; i++) {
        for (int k = 0; k < 20; k++) {
            const solid s = {random_def(convex_types[i]), frame_of(random_rotation(), random_direction())};
            collider *c = make_collider(&s.def);
            const aabb box = collider_bounds(c, &s.body);
            for (int d = 0; d < 3; d++) {
                CHECK_NEAR(ph_dot(axes[d], box.high), oracle_reach(&s, axes[d]), 1e-13);
                CHECK_NEAR(ph_dot(axes[d], box.low), -oracle_reach(&s, ph_neg(axes[d])), 1e-13);
            }
            collider_destroy(c);
        }
    }
}

// A shape off the centre of mass, turned, with an axis of its own, is the same shape.
TEST(shapes_sit_where_they_are_put)
{
    for (int k = 0; k < 100; k++) {
        ph_shape_def def = random_def(k % 2 ? "capsule" : "cylinder");
        const ph_vec3 com = random_direction(), at = random_direction(), axis = random_direction();
        const ph_quat turn = random_rotation();
        ph_shape_def moved = def;
        moved.position = at;
        moved.orientation = turn;
        moved.axis = ph_scale(test_uniform(0.1, 3.0), axis);
        collider *c = NULL, *plain = make_collider(&def);
        CHECK_EQ_INT(collider_create(&moved, com, NULL, &c, NULL), PH_OK);
        const frame body = frame_of(random_rotation(), random_direction());
        const ph_vec3 z = ph_quat_rotate(turn, axis), x = ph_any_perpendicular(z);
        const frame local = {ph_mat_cols(x, ph_cross(z, x), z), ph_sub(at, com)}, world = frame_mul(&body, &local);
        const ph_shape_def ball = random_def("sphere");
        const frame there = frame_of(upright, ph_scale(3.0, random_direction()));
        collider *b = make_collider(&ball);
        ph_vec3 n, n2;
        const double gap = collide_distance(c, &body, b, &there, NULL, NULL, &n);
        CHECK_NEAR(collide_distance(plain, &world, b, &there, NULL, NULL, &n2), gap, 1e-13);
        CHECK_NEAR(ph_norm(ph_sub(n, n2)), 0.0, 1e-12);
        collider_destroy(c);
        collider_destroy(plain);
        collider_destroy(b);
    }
}
