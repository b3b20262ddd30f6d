// Spheres on smooth height fields: the cubic interpolation, the nearest point on it, and its normals.
#include "collide_oracle.h"

enum { ROWS = 6, COLUMNS = 8 };
static double heights[ROWS * COLUMNS];

// z = a x^2 + b x y + c y^2 + d x on a grid of 3.5 m by 2.5 m
static double quadric(const double k[4], double x, double y)
{
    return k[0] * x * x + k[1] * x * y + k[2] * y * y + k[3] * x;
}

static ph_shape_def field_def(const double k[4])
{
    ph_shape_def def = solid_def("heightfield");
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) heights[r * COLUMNS + c] = quadric(k, -1.75 + 0.5 * c, -1.25 + 0.5 * r);
    def.size = ph_vec(3.5, 2.5, 1.0);
    def.data = heights;
    def.data_rows = ROWS;
    def.data_columns = COLUMNS;
    def.smooth = true;
    return def;
}

// Distance from p to the quadric, by searching a finer and finer grid about the nearest point.
static double search(const double k[4], ph_vec3 p)
{
    double x = p.x, y = p.y, best = PH_INF;
    for (double step = 0.3; step > 1e-11; step *= 0.5) {
        const double cx = x, cy = y;
        for (int i = -6; i <= 6; i++)
            for (int j = -6; j <= 6; j++) {
                const double sx = cx + i * step / 3.0, sy = cy + j * step / 3.0;
                const double d = ph_norm(ph_sub(p, ph_vec(sx, sy, quadric(k, sx, sy))));
                if (d < best) best = d, x = sx, y = sy;
            }
    }
    return best;
}

TEST(a_sphere_over_a_quadric_has_its_exact_distance)
{
    int compared = 0;
    for (int trial = 0; trial < 200; trial++) {
        const double k[4] = {test_uniform(-0.4, 0.4), test_uniform(-0.3, 0.3), test_uniform(-0.4, 0.4),
                             test_uniform(-0.3, 0.3)};
        const ph_shape_def field_shape = field_def(k);
        ph_shape_def ball_shape = solid_def("sphere");
        ball_shape.radius = 0.1;
        collider *field = make_collider(&field_shape), *ball = make_collider(&ball_shape);
        const double x = test_uniform(-1.0, 1.0), y = test_uniform(-0.8, 0.8);
        const ph_vec3 p = ph_vec(x, y, quadric(k, x, y) + test_uniform(0.05, 0.5));
        const frame at = frame_of(random_rotation(), random_direction());
        const frame ball_at = {at.R, frame_point(&at, p)};
        ph_vec3 on_a, on_b, n;
        const double gap = collide_distance(ball, &ball_at, field, &at, &on_a, &on_b, &n);
        CHECK_NEAR(gap, search(k, p) - 0.1, 1e-9);
        CHECK_NEAR(ph_norm(ph_sub(on_b, on_a)), fabs(gap), 1e-12);
        CHECK_NEAR(ph_dot(ph_sub(on_b, on_a), n), gap, 1e-12);
        const ph_vec3 foot = frame_inverse_point(&at, on_b), up = ph_neg(ph_tmul(at.R, n));
        CHECK_NEAR(foot.z, quadric(k, foot.x, foot.y), 1e-14);
        const ph_vec3 normal =
            ph_unit(ph_vec(-(2.0 * k[0] * foot.x + k[1] * foot.y + k[3]), -(k[1] * foot.x + 2.0 * k[2] * foot.y), 1.0));
        CHECK_NEAR(ph_norm(ph_sub(up, normal)), 0.0, 1e-13);
        compared++;
        collider_destroy(field);
        collider_destroy(ball);
    }
    CHECK_EQ_INT(compared, 200);
}

// A wavy surface: gap and normal change without jumps along a line across all cells.
TEST(gap_and_normal_change_smoothly_across_cells)
{
    const double flat[4] = {0};
    ph_shape_def field_shape = field_def(flat);
    for (int i = 0; i < ROWS * COLUMNS; i++) heights[i] = test_uniform(-0.05, 0.05);
    ph_shape_def ball_shape = solid_def("sphere");
    ball_shape.radius = 0.05;
    collider *field = make_collider(&field_shape), *ball = make_collider(&ball_shape);
    const frame at = frame_of(ph_quat_identity(), ph_zero3());
    ph_vec3 last = ph_zero3();
    double last_gap = 0.0;
    const int steps = 20000;
    for (int k = 0; k <= steps; k++) {
        const double s = (double)k / steps;
        const frame ball_at = frame_of(ph_quat_identity(), ph_vec(-1.6 + 3.2 * s, -1.1 + 2.2 * s, 0.1));
        ph_vec3 a, b, n;
        const double gap = collide_distance(ball, &ball_at, field, &at, &a, &b, &n);
        if (k > 0) CHECK(fabs(gap - last_gap) < 1e-3 && ph_norm(ph_sub(n, last)) < 5e-3);
        last = n;
        last_gap = gap;
    }
    collider_destroy(field);
    collider_destroy(ball);
}

// The plain key of the model file is off: then triangles are met.
TEST(without_smooth_it_is_a_surface_of_triangles)
{
    const double bowl[4] = {0.4, 0.0, 0.4, 0.0};
    ph_shape_def field_shape = field_def(bowl), ball_shape = solid_def("sphere");
    field_shape.smooth = false;
    ball_shape.radius = 0.1;
    collider *field = make_collider(&field_shape), *ball = make_collider(&ball_shape);
    const frame at = frame_of(ph_quat_identity(), ph_zero3());
    const frame ball_at = frame_of(ph_quat_identity(), ph_vec(0.0, 0.0, 1.0));
    ph_vec3 a, b, n;
    CHECK(fabs(collide_distance(ball, &ball_at, field, &at, &a, &b, &n) - 0.9) > 1e-3);
    collider_destroy(field);
    collider_destroy(ball);
}
