// Mass properties of shapes.

#include "test.h"

#include "compile/mass.h"
#include "math/quat.h"
#include "model/hull.h"

static const double pi = 3.14159265358979323846;

static mass_properties mass_of(const ph_shape_def *shapes, int count)
{
    arena *scratch = arena_create(NULL);
    mass_properties sum;
    CHECK(mass_of_shapes(shapes, count, true, scratch, &sum));
    arena_destroy(scratch);
    return sum;
}

static ph_shape_def shape_of(const char *type)
{
    ph_shape_def def = ph_default_shape();
    def.type = type;
    def.density = 1.0;
    def.radius = 0.3;
    def.length = 1.2;
    def.size = ph_vec(0.4, 0.6, 1.0);
    return def;
}

static bool inside(const ph_shape_def *shape, ph_vec3 p)
{
    const double r2 = p.x * p.x + p.y * p.y, half = 0.5 * shape->length;
    const double beyond = fmax(fabs(p.z) - half, 0.0);
    switch (shape->type[0] == 'c' ? shape->type[1] : shape->type[0]) {
    case 's':
        return ph_norm2(p) < shape->radius * shape->radius;
    case 'b':
        return fabs(p.x) < 0.5 * shape->size.x && fabs(p.y) < 0.5 * shape->size.y && fabs(p.z) < 0.5 * shape->size.z;
    case 'e':
        return ph_norm2(ph_vec(p.x / shape->size.x, p.y / shape->size.y, p.z / shape->size.z)) < 1.0;
    case 'y':
        return r2 < shape->radius * shape->radius && beyond == 0.0;
    default:
        return r2 + beyond * beyond < shape->radius * shape->radius;
    }
}

// Half lengths of the box around a shape.
static ph_vec3 reach(const ph_shape_def *shape)
{
    const double r = shape->radius, half = 0.5 * shape->length;
    switch (shape->type[0] == 'c' ? shape->type[1] : shape->type[0]) {
    case 's':
        return ph_vec(r, r, r);
    case 'b':
        return ph_scale(0.5, shape->size);
    case 'e':
        return shape->size;
    case 'y':
        return ph_vec(r, r, half);
    default:
        return ph_vec(r, r, half + r);
    }
}

// Against sums over a fine grid of points.
TEST(solids_have_the_integrals_of_their_points)
{
    static const char *const types[] = {"sphere", "box", "ellipsoid", "cylinder", "capsule"};
    for (int t = 0; t < 5; t++) {
        const ph_shape_def shape = shape_of(types[t]);
        const mass_properties m = mass_of(&shape, 1);
        enum { N = 100 };
        const ph_vec3 half = reach(&shape);
        const double cell = 8.0 * half.x * half.y * half.z / (N * N * N);
        double V = 0.0, xx = 0.0, zz = 0.0, yy = 0.0;
        for (int i = 0; i < N * N * N; i++) {
            const ph_vec3 g = ph_scale(2.0 / N, ph_vec(i % N + 0.5, i / N % N + 0.5, i / N / N + 0.5));
            const ph_vec3 p = ph_vec(half.x * (g.x - 1.0), half.y * (g.y - 1.0), half.z * (g.z - 1.0));
            if (inside(&shape, p)) {
                V += cell;
                xx += cell * p.x * p.x;
                yy += cell * p.y * p.y;
                zz += cell * p.z * p.z;
            }
        }
        CHECK_REL(m.volume, V, 0.003);
        CHECK_REL(m.inertia.m[0][0], yy + zz, 0.003);
        CHECK_REL(m.inertia.m[1][1], zz + xx, 0.003);
        CHECK_REL(m.inertia.m[2][2], xx + yy, 0.003);
    }
}

TEST(a_capsule_without_length_is_a_ball)
{
    ph_shape_def capsule = shape_of("capsule"), ball = shape_of("sphere");
    capsule.length = 1e-12;
    const mass_properties a = mass_of(&capsule, 1), b = mass_of(&ball, 1);
    CHECK_REL(a.mass, b.mass, 1e-11);
    CHECK_REL(a.inertia.m[0][0], b.inertia.m[0][0], 1e-11);
    CHECK_REL(b.mass, 4.0 / 3.0 * pi * 0.027, 1e-14);
}

static void box_corners(ph_vec3 size, double *data)
{
    for (int k = 0; k < 8; k++) {
        data[3 * k] = k & 1 ? size.x : 0.0;
        data[3 * k + 1] = k & 2 ? size.y : 0.0;
        data[3 * k + 2] = k & 4 ? size.z : 0.0;
    }
}

TEST(a_hull_of_corners_is_the_box)
{
    double data[3 * 12];
    ph_shape_def hull_shape = shape_of("hull"), box = shape_of("box");
    box_corners(box.size, data);
    for (int k = 24; k < 36; k++) { // points inside and on the faces change nothing
        data[k] = k < 33 ? 0.1 : 0.0;
    }
    hull_shape.data = data;
    hull_shape.data_rows = 12;
    hull_shape.data_columns = 3;
    box.position = ph_scale(0.5, box.size);
    const mass_properties a = mass_of(&hull_shape, 1), b = mass_of(&box, 1);
    CHECK_REL(a.mass, b.mass, 1e-14);
    CHECK_NEAR(ph_norm(ph_sub(a.com, b.com)), 0.0, 1e-15);
    CHECK_NEAR(ph_mat_norm(ph_mat_sub(a.inertia, b.inertia)), 0.0, 1e-15);
}

TEST(hulls_of_random_points_are_closed_and_hold_all_points)
{
    for (int trial = 0; trial < 30; trial++) {
        arena *memory = arena_create(NULL);
        ph_vec3 points[60];
        const int count = 4 + test_random_index(57);
        for (int i = 0; i < count; i++) { // every third trial on a coarse grid, where many points share planes
            const double g = trial % 3 ? 1e9 : 2.0;
            points[i] = ph_vec(round(g * test_uniform(-1, 1)) / g, round(g * test_uniform(-1, 1)) / g,
                               round(g * test_uniform(-1, 1)) / g);
        }
        hull h;
        CHECK(hull_create(points, count, memory, &h));
        for (int k = 0; k < h.count; k++) {
            const int *t = h.triangles[k];
            const ph_vec3 a = points[t[0]], n = ph_cross(ph_sub(points[t[1]], a), ph_sub(points[t[2]], a));
            for (int i = 0; i < count; i++) {
                CHECK(ph_dot(n, ph_sub(points[i], a)) < 1e-11);
            }
            for (int e = 0; e < 3; e++) { // each edge has its twin
                int twins = 0;
                for (int l = 0; l < h.count; l++) {
                    for (int f = 0; f < 3; f++) {
                        twins += h.triangles[l][f] == t[(e + 1) % 3] && h.triangles[l][(f + 1) % 3] == t[e];
                    }
                }
                CHECK_EQ_INT(twins, 1);
            }
        }
        arena_destroy(memory);
    }
}

TEST(flat_points_have_no_hull)
{
    arena *memory = arena_create(NULL);
    const ph_vec3 points[5] = {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}, {0.3, 0.4, 1}};
    hull h;
    CHECK(hull_create(points, 5, memory, &h));
    CHECK_EQ_INT(h.count, 0);
    CHECK(hull_create(points, 3, memory, &h));
    CHECK_EQ_INT(h.count, 0);
    arena_destroy(memory);
}

// A dumb-bell: parallel axes, turned frames and densities.
TEST(several_shapes_add_up)
{
    ph_shape_def shapes[3] = {shape_of("sphere"), shape_of("sphere"), shape_of("cylinder")};
    shapes[0].position = ph_vec(1.0, 0.0, 0.0);
    shapes[0].density = 2.0;
    shapes[1].position = ph_vec(-1.0, 0.0, 0.0);
    shapes[2].axis = ph_vec(0.0, 1.0, 0.0);
    shapes[2].orientation =
        ph_quat_from_axis_angle(ph_vec(0.0, 0.0, 1.0), -0.5 * pi); // y of the shape along x of the body
    shapes[2].radius = 0.05;
    const mass_properties m = mass_of(shapes, 3);
    const double ball = 4.0 / 3.0 * pi * 0.027, rod = pi * 0.0025 * 1.2, mass = 3.0 * ball + rod, x = ball / mass;
    CHECK_REL(m.mass, mass, 1e-14);
    CHECK_NEAR(m.com.x, x, 1e-14);
    const double across = 0.4 * 3.0 * ball * 0.09 + rod * (1.44 / 12.0 + 0.0025 / 4.0);
    CHECK_REL(m.inertia.m[0][0], 0.4 * 3.0 * ball * 0.09 + 0.5 * rod * 0.0025, 1e-13);
    CHECK_REL(m.inertia.m[1][1], across + 2.0 * ball * (1 - x) * (1 - x) + ball * (1 + x) * (1 + x) + rod * x * x,
              1e-13);
    CHECK_NEAR(m.inertia.m[0][1], 0.0, 1e-16);
}
