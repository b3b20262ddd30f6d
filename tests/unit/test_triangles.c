// Triangles of shapes: they enclose the volume of the shape, look outwards, and none is without area.

#include "test.h"

#include "math/vec3.h"
#include "shapes/shape.h"
#include "shapes/triangles.h"

static ph_vec3 point_at(const float *list, uint32_t index)
{
    return (ph_vec3){(double)list[3 * index], (double)list[3 * index + 1], (double)list[3 * index + 2]};
}

// Checks normals and areas; returns the volume that the triangles enclose: the sum of a . (b x c) / 6.
static double check_triangles(const triangles *s)
{
    double volume = 0.0;
    for (int t = 0; t < s->triangle_count; t++) {
        const uint32_t *corner = s->corners + 3 * t;
        const ph_vec3 a = point_at(s->points, corner[0]), b = point_at(s->points, corner[1]);
        const ph_vec3 c = point_at(s->points, corner[2]);
        const ph_vec3 n = ph_cross(ph_sub(b, a), ph_sub(c, a));
        CHECK(ph_norm(n) > 1e-9);
        for (int k = 0; k < 3; k++) {
            const ph_vec3 normal = point_at(s->normals, corner[k]);
            CHECK_NEAR(ph_norm(normal), 1.0, 1e-6);
            CHECK(ph_dot(n, normal) > 0.8 * ph_norm(n));
        }
        volume += ph_dot(a, ph_cross(b, c)) / 6.0;
    }
    return volume;
}

static void check_volume(const ph_shape_def *shape, double expected, double tolerance)
{
    arena *memory = arena_create(NULL);
    triangles s;
    bool out_of_memory = false;
    if (CHECK(triangles_make(shape, 1.0, memory, &s, &out_of_memory)) && CHECK(!out_of_memory)) {
        CHECK_REL(check_triangles(&s), expected, tolerance);
    }
    arena_destroy(memory);
}

TEST(triangles_enclose_the_volume_of_the_shape)
{
    const double pi = 3.14159265358979323846;
    ph_shape_def shape = ph_default_shape();
    shape.type = "sphere";
    shape.radius = 0.5;
    check_volume(&shape, 4.0 / 3.0 * pi * 0.125, 0.03); // a little less: corners lie on it
    shape.type = "ellipsoid";
    shape.size = (ph_vec3){0.5, 1.5, 2.0}; // none is 1
    check_volume(&shape, 4.0 / 3.0 * pi * 1.5, 0.03);
    shape.type = "box";
    check_volume(&shape, 1.5, 1e-6);
    shape.type = "cylinder";
    shape.length = 2.0;
    shape.axis = (ph_vec3){1.0, -2.0, 3.0};
    check_volume(&shape, pi * 0.25 * 2.0, 0.02);
    shape.type = "capsule";
    shape.axis = (ph_vec3){0.0, 0.0, -1.0};
    check_volume(&shape, pi * 0.25 * 2.0 + 4.0 / 3.0 * pi * 0.125, 0.03);
    const double points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.1, 0.1, 0.1};
    shape.type = "hull";
    shape.data = points;
    shape.data_rows = 5;
    shape.data_columns = 3;
    check_volume(&shape, 1.0 / 6.0, 1e-6);
    const double triangles[] = {0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1,
                                0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    shape.type = "mesh";
    shape.data = triangles;
    shape.data_rows = 4;
    shape.data_columns = 9;
    check_volume(&shape, 1.0 / 6.0, 1e-6);
}

TEST(open_surfaces_look_upwards)
{
    arena *memory = arena_create(NULL);
    const double heights[] = {0.0, 1.0, 0.0, 0.5, 2.0, 0.0};
    ph_shape_def shape = ph_default_shape();
    triangles s;
    bool out_of_memory = false;
    shape.type = "heightfield";
    shape.size = (ph_vec3){4.0, 2.0, 0.1};
    shape.data = heights;
    shape.data_rows = 2;
    shape.data_columns = 3;
    CHECK(triangles_make(&shape, 1.0, memory, &s, &out_of_memory));
    check_triangles(&s);
    CHECK_EQ_INT(s.triangle_count, 4);
    for (int i = 0; i < s.point_count; i++) {
        CHECK(s.normals[3 * i + 2] > 0.0f);
        CHECK(s.points[3 * i + 2] <= 0.2f); // 2 times size.z
    }
    shape.type = "plane";
    shape.size = (ph_vec3){0.0, 3.0, 0.0};
    CHECK(triangles_make(&shape, 5.0, memory, &s, &out_of_memory));
    check_triangles(&s);
    for (int i = 0; i < s.point_count; i++) {
        CHECK_NEAR((double)s.points[3 * i + 1], 0.0, 1e-6);
        CHECK_NEAR((double)s.normals[3 * i + 1], 1.0, 1e-6);
    }
    shape.type = "mesh"; // without triangles
    shape.data = NULL;
    CHECK(!triangles_make(&shape, 1.0, memory, &s, &out_of_memory));
    CHECK(!out_of_memory);
    arena_destroy(memory);
}

TEST(every_type_of_shape_draws_itself)
{
    for (int k = 0; shape_types[k]; k++) CHECK(shape_types[k]->draw);
}
