// Meshes and height fields: against hulls, against their own triangles one by one, and without ghosts on flat floors.

#include "collide_oracle.h"

#include "model/hull.h"

static const char *const convex_types[] = {"sphere", "capsule", "box", "cylinder", "ellipsoid", "hull", NULL};

enum { TRIANGLES_MAX = 4096 };
static double triangle_numbers[9 * TRIANGLES_MAX];

static ph_shape_def mesh_def(int count)
{
    ph_shape_def def = solid_def("mesh");
    def.data = triangle_numbers;
    def.data_rows = count;
    def.data_columns = 9;
    return def;
}

static void put_triangle(int index, ph_vec3 a, ph_vec3 b, ph_vec3 c)
{
    const double numbers[9] = {a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z};
    if (CHECK(index < TRIANGLES_MAX)) memcpy(triangle_numbers + 9 * index, numbers, sizeof numbers);
}

// The surface of a hull as a mesh.
static ph_shape_def mesh_of_hull(const ph_shape_def *hull_def)
{
    arena *memory = arena_create(NULL);
    ph_vec3 points[64];
    hull faces;
    for (int i = 0; i < hull_def->data_rows; i++) {
        points[i] = ph_vec(hull_def->data[3 * i], hull_def->data[3 * i + 1], hull_def->data[3 * i + 2]);
    }
    CHECK(hull_create(points, hull_def->data_rows, memory, &faces));
    for (int t = 0; t < faces.count; t++) {
        put_triangle(t, points[faces.triangles[t][0]], points[faces.triangles[t][1]], points[faces.triangles[t][2]]);
    }
    const int count = faces.count;
    arena_destroy(memory);
    return mesh_def(count);
}

// ---- Convex meshes --------------------------------------------------------------------------------------------------

// Outside of it, a convex mesh is a hull. Inside, the mesh has no depth: only its surface is seen.
TEST(a_convex_mesh_is_a_hull)
{
    int alike = 0, overlaps = 0;
    for (int i = 0; convex_types[i]; i++) {
        for (int k = 0; k < 60; k++) {
            const ph_shape_def hull_shape = random_hull_def(6 + test_random_index(20), ph_vec(1.0, 0.8, 0.6));
            const ph_shape_def mesh_shape = mesh_of_hull(&hull_shape), other_shape = random_def(convex_types[i]);
            collider *solid_one = make_collider(&hull_shape), *mesh = make_collider(&mesh_shape);
            collider *other = make_collider(&other_shape);
            const frame A = frame_of(random_rotation(), random_direction());
            frame B = frame_of(random_rotation(), ph_madd(A.x, test_uniform(1.0, 3.0), random_direction()));
            ph_vec3 n, a, b, n2, a2, b2;
            double gap = collide_distance(other, &A, solid_one, &B, &a, &b, &n);
            if (k % 2) { // a shallow overlap
                B.x = ph_madd(B.x, -1e-3 - gap, n);
                gap = collide_distance(other, &A, solid_one, &B, &a, &b, &n);
            }
            if (gap > 0.0 || k % 2) {
                const double found = collide_distance(other, &A, mesh, &B, &a2, &b2, &n2);
                if (gap > 0.0) {
                    CHECK_NEAR(found, gap, 1e-11);
                    CHECK(ph_dot(n, n2) > 1.0 - 1e-11);
                } else { // each triangle has a depth of its own
                    CHECK(found < 0.0 && found > -3e-3);
                    alike += fabs(found - gap) < 1e-5;
                    overlaps++;
                }
                CHECK_NEAR(ph_dot(n2, ph_sub(b2, a2)), found, 1e-12);
                // the other way round
                ph_vec3 n3, a3, b3;
                CHECK_NEAR(collide_distance(mesh, &B, other, &A, &a3, &b3, &n3), found, 0.0);
                CHECK(ph_norm(ph_add(n2, n3)) == 0.0 && ph_norm(ph_sub(a3, b2)) == 0.0);
            }
            collider_destroy(solid_one);
            collider_destroy(mesh);
            collider_destroy(other);
        }
    }
    CHECK(alike > 0.9 * overlaps);
}

// ---- Terrain --------------------------------------------------------------------------------------------------------

enum { ROWS = 9, COLUMNS = 12 };
static double heights[ROWS * COLUMNS];

static ph_shape_def heights_def(double roughness)
{
    ph_shape_def def = solid_def("heightfield");
    for (int k = 0; k < ROWS * COLUMNS; k++) heights[k] = roughness * test_uniform(-1, 1);
    def.size = ph_vec(4.0, 3.0, 0.5);
    def.data = heights;
    def.data_rows = ROWS;
    def.data_columns = COLUMNS;
    return def;
}

// The triangles of the height field as a mesh.
static ph_shape_def mesh_of_heights(const ph_shape_def *def)
{
    int count = 0;
    for (int r = 0; r + 1 < ROWS; r++) {
        for (int c = 0; c + 1 < COLUMNS; c++) {
            ph_vec3 p[4];
            for (int k = 0; k < 4; k++) {
                const int i = r + k / 2, j = c + k % 2;
                p[k] = ph_vec(def->size.x * ((double)j / (COLUMNS - 1) - 0.5),
                              def->size.y * ((double)i / (ROWS - 1) - 0.5), def->size.z * heights[i * COLUMNS + j]);
            }
            put_triangle(count++, p[0], p[1], p[3]);
            put_triangle(count++, p[0], p[3], p[2]);
        }
    }
    return mesh_def(count);
}

// The least distance from the triangles, each a mesh of its own.
static double distance_one_by_one(const collider *other, const frame *A, const ph_shape_def *mesh, const frame *B)
{
    double least = (double)INFINITY;
    for (int t = 0; t < mesh->data_rows; t++) {
        ph_shape_def one = *mesh;
        one.data = mesh->data + 9 * t;
        one.data_rows = 1;
        collider *c = make_collider(&one);
        least = fmin(least, collide_distance(other, A, c, B, NULL, NULL, NULL));
        collider_destroy(c);
    }
    return least;
}

TEST(terrain_is_as_near_as_its_nearest_triangle)
{
    for (int k = 0; k < 40; k++) {
        const ph_shape_def field = heights_def(0.6), mesh = mesh_of_heights(&field);
        const ph_shape_def other_shape = random_def(convex_types[k % 6]);
        collider *f = make_collider(&field), *m = make_collider(&mesh), *other = make_collider(&other_shape);
        const frame B = frame_of(random_rotation(), random_direction());
        frame A = frame_of(random_rotation(), ph_zero3());
        A.x = frame_point(&B, ph_vec(test_uniform(-1.2, 1.2), test_uniform(-1, 1), test_uniform(2.2, 3.0)));
        const double one_by_one = distance_one_by_one(other, &A, &mesh, &B);
        CHECK(one_by_one > 0.0);
        CHECK_NEAR(collide_distance(other, &A, m, &B, NULL, NULL, NULL), one_by_one, 1e-12);
        CHECK_NEAR(collide_distance(other, &A, f, &B, NULL, NULL, NULL), one_by_one, 1e-12);
        collider_destroy(f);
        collider_destroy(m);
        collider_destroy(other);
    }
}

// ---- No ghosts ------------------------------------------------------------------------------------------------------

// The lowest point of a shape above z = 0, by its support.
static double lowest(const solid *s)
{
    return -oracle_reach(s, ph_vec(0.0, 0.0, -1.0));
}

// On a flat floor of triangles every contact has the floor's normal, wherever the shape is.
static void check_flat(const char *type, const collider *floor, bool upright)
{
    contact_list list = {0};
    const frame ground = frame_of(ph_quat_identity(), ph_zero3());
    for (int k = 0; k < 100; k++) {
        solid s = {random_def(type), frame_of(random_rotation(), ph_zero3())};
        s.def.size = ph_scale(0.5, s.def.size);
        s.def.radius *= 0.4;
        s.def.length *= 0.5;
        if (upright) s.body.R = ph_quat_to_mat(ph_quat_from_axis_angle(ph_vec(0.0, 0.0, 1.0), test_uniform(0, 6)));
        s.body.x = ph_vec(test_uniform(-0.6, 0.6), test_uniform(-0.6, 0.6), 0.0);
        if (k % 5 == 0) s.body.x = ph_vec(0.0, 0.0, 0.0); // over a corner of the tiles
        const double gap = k % 3 == 0 ? -1e-3 : k % 3 == 1 ? 0.0 : 1e-4;
        s.body.x.z = gap - lowest(&s);
        collider *c = make_collider(&s.def);
        list.count = 0;
        CHECK_EQ_INT(collide(c, &s.body, floor, &ground, 2e-3, &list), PH_OK);
        double least = (double)INFINITY;
        for (int i = 0; i < list.count; i++) {
            CHECK_NEAR(list.points[i].normal.z, -1.0, 1e-12);
            CHECK_NEAR(list.points[i].on_b.z, 0.0, 1e-12);
            least = fmin(least, list.points[i].gap);
        }
        CHECK_NEAR(least, gap, 1e-9);
        CHECK(list.count <= 4);
        if (upright && strcmp(type, "box") == 0) CHECK_EQ_INT(list.count, 4);
        collider_destroy(c);
    }
    contact_list_free(&list);
}

TEST(flat_floors_have_no_ghosts)
{
    const ph_shape_def field = heights_def(0.0), mesh = mesh_of_heights(&field);
    collider *const floors[2] = {make_collider(&field), make_collider(&mesh)};
    for (int f = 0; f < 2; f++) {
        for (int i = 0; convex_types[i]; i++) {
            check_flat(convex_types[i], floors[f], false);
            if (i == 2 || i == 3) check_flat(convex_types[i], floors[f], true);
        }
        collider_destroy(floors[f]);
    }
}

// A box on a roof ridge, and a ball in a valley between two slopes.
TEST(ridges_and_valleys)
{
    for (int s = -1; s <= 1; s += 2) { // ridge, valley
        const double z = -0.5 * s;
        put_triangle(0, ph_vec(0, -1, 0), ph_vec(0, 1, 0), ph_vec(-1, 1, z));
        put_triangle(1, ph_vec(0, -1, 0), ph_vec(-1, 1, z), ph_vec(-1, -1, z));
        put_triangle(2, ph_vec(0, -1, 0), ph_vec(1, -1, z), ph_vec(1, 1, z));
        put_triangle(3, ph_vec(0, -1, 0), ph_vec(1, 1, z), ph_vec(0, 1, 0));
        const ph_shape_def roof = mesh_def(4);
        collider *mesh = make_collider(&roof);
        const frame ground = frame_of(ph_quat_identity(), ph_zero3());
        contact_list list = {0};
        ph_shape_def box = solid_def("box"), ball = solid_def("sphere");
        box.size = ph_vec(0.5, 0.5, 0.2);
        ball.radius = 0.3;
        collider *c = make_collider(s > 0 ? &box : &ball);
        if (s > 0) {
            const frame A = frame_of(ph_quat_identity(), ph_vec(0.0, 0.1, 0.1));
            CHECK_EQ_INT(collide(c, &A, mesh, &ground, 1e-3, &list), PH_OK);
            CHECK(list.count >= 2);
            double low = 1.0, high = -1.0;
            for (int i = 0; i < list.count; i++) {
                CHECK_NEAR(list.points[i].normal.z, -1.0, 1e-12);
                CHECK_NEAR(list.points[i].gap, 0.0, 1e-12);
                CHECK_NEAR(list.points[i].on_b.x, 0.0, 1e-12);
                low = fmin(low, list.points[i].on_b.y);
                high = fmax(high, list.points[i].on_b.y);
            }
            CHECK_NEAR(low, -0.15, 1e-12);
            CHECK_NEAR(high, 0.35, 1e-12);
        } else {
            const double root = sqrt(1.25), height = 0.3 * root; // distance 0.3 from both slopes
            const frame A = frame_of(ph_quat_identity(), ph_vec(0.0, 0.1, height));
            CHECK_EQ_INT(collide(c, &A, mesh, &ground, 1e-3, &list), PH_OK);
            CHECK_EQ_INT(list.count, 2);
            for (int i = 0; i < list.count; i++) {
                CHECK_NEAR(list.points[i].gap, 0.0, 1e-12);
                CHECK_NEAR(fabs(list.points[i].normal.x), 0.5 / root, 1e-12);
                CHECK_NEAR(list.points[i].normal.z, -1.0 / root, 1e-12);
            }
        }
        contact_list_free(&list);
        collider_destroy(c);
        collider_destroy(mesh);
    }
}

TEST(surfaces_do_not_meet_each_other)
{
    const ph_shape_def field = heights_def(0.1), mesh = mesh_of_heights(&field), plane = random_def("plane");
    collider *const c[3] = {make_collider(&field), make_collider(&mesh), make_collider(&plane)};
    const frame A = frame_of(ph_quat_identity(), ph_zero3());
    contact_list list = {0};
    for (int k = 0; k < 9; k++) {
        CHECK_EQ_INT(collide(c[k / 3], &A, c[k % 3], &A, 1.0, &list), PH_OK);
        CHECK(isinf(collide_distance(c[k / 3], &A, c[k % 3], &A, NULL, NULL, NULL)));
    }
    CHECK_EQ_INT(list.count, 0);
    for (int k = 0; k < 3; k++) collider_destroy(c[k]);
    contact_list_free(&list);
}
