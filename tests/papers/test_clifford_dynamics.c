// Typed values and the dynamics written in them: the table of checked vectors, motors and their exponential, elasticity,
// geometry.
#include "math/quat.h"
#include "multivector.h"

#include "math/so3.h"

static const ph_twist s_table = {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}};
static const ph_coscrew P_table = {{7.0, 8.0, 9.0}, {10.0, 11.0, 12.0}};

static void check_six(const void *value, double a, double b, double c, double d, double e, double f, double tolerance)
{
    const double *x = value, expected[] = {a, b, c, d, e, f};
    for (int i = 0; i < 6; i++) {
        CHECK_NEAR(x[i], expected[i], tolerance);
    }
}

static ph_motor table_motor(void)
{
    return ph_motor_make((ph_quat){0.5, 0.5, 0.5, 0.5}, (ph_vec3){1.0, 2.0, 3.0});
}

// ---- The table (exact rational results of an independent program) ---------------------------------------------------

TEST(table_of_products)
{
    const ph_twist y = {{-1.0, 0.0, 2.0}, {3.0, 1.0, -2.0}};
    const ph_twist bracket = ph_bracket(s_table, y);
    const ph_coscrew coadjoint = ph_coadjoint(s_table, P_table);
    check_six(&bracket, 4, -5, 2, 3, -3, 0, 0);
    check_six(&coadjoint, -12, 24, -12, -9, 18, -9, 0);
    CHECK(ph_evaluate(P_table, s_table) == 217.0);
}

TEST(table_of_motions)
{
    const ph_motor g = table_motor();
    const double expected[] = {0.5, 0.5, 0.5, 0.5, -1.5, 0.0, 1.0, 0.5};
    for (int i = 0; i < 8; i++) {
        CHECK((i < 4 ? g.a[i] : g.b[i - 4]) == expected[i]);
    }
    const ph_twist s = ph_move_twist(g, s_table);
    const ph_coscrew P = ph_move_coscrew(g, P_table);
    check_six(&s, 3, 1, 2, 7, 11, 0, 0);
    check_six(&P, 1, 32, -6, 12, 10, 11, 0);
}

static ph_inertia table_inertia(void)
{
    const ph_inertia N = {2.0, {0.0, 0.0, 0.0}, {1.0, 2.0, 3.0, 0.0, 0.0, 0.0}};
    return ph_move_inertia(table_motor(), N);
}

TEST(table_of_dynamics)
{
    static const double rows[6][6] = {{29, -4, -6, 0, -6, 4}, {-4, 21, -12, 6, 0, -2}, {-6, -12, 12, -4, 2, 0},
                                      {0, 6, -4, 2, 0, 0},    {-6, 0, 2, 0, 2, 0},     {4, -2, 0, 0, 0, 2}};
    const ph_inertia N = table_inertia();
    for (int j = 0; j < 6; j++) {
        ph_twist unit = {ph_zero3(), ph_zero3()};
        ((double *)&unit)[j] = 1.0;
        const ph_coscrew column = ph_momentum(N, unit);
        check_six(&column, rows[0][j], rows[1][j], rows[2][j], rows[3][j], rows[4][j], rows[5][j], 0);
    }
    const ph_coscrew P = ph_momentum(N, s_table);
    check_six(&P, -3, 14, 0, 8, 10, 12, 0);
    CHECK(ph_kinetic_energy(N, s_table) == 89.5);
    ph_sym4 Y;
    CHECK_EQ_INT(ph_inertia_inverse(N, &Y), PH_OK);
    const ph_twist free_rate = ph_acceleration(N, Y, s_table, (ph_coscrew){ph_zero3(), ph_zero3()});
    check_six(&free_rate, -2, -3, 2, 16, -14, 4, 1e-13);
    const ph_coscrew W = {{1.0, 0.0, -1.0}, {2.0, 0.0, 3.0}};
    const ph_twist rate = ph_acceleration(N, Y, s_table, W);
    check_six(&rate, -11.0 / 3, -6, 3.5, 29, -20.5, 35.0 / 6, 1e-13);
    const ph_hexavector left = ph_motion_defect(N, s_table, rate, W);
    const ph_hexavector right = ph_motion_defect_coadjoint(N, s_table, rate, W);
    check_six(&left, 0, 0, 0, 0, 0, 0, 1e-12);
    check_six(&right, 0, 0, 0, 0, 0, 0, 1e-12);
}

// ---- Motors ---------------------------------------------------------------------------------------------------------

static ph_twist random_twist(double size)
{
    ph_twist z;
    fill_uniform(&z, 6);
    const double scale = size / ph_norm(z.omega);
    return (ph_twist){ph_scale(scale, z.omega), z.v};
}

// Angles on both sides of each switch of the coefficients (|omega/2|^2 = 1/4 and 16), tiny, zero, and beyond a turn.
static const double angles[] = {0.0, 1e-9, 1e-4, 0.01, 0.999999, 1.000001, 2.0, 3.1, 5.0, 7.999, 8.001, 12.0};

TEST(exp_is_the_series)
{
    for (int i = 0; i < 12; i++) {
        for (int k = 0; k < 20; k++) {
            const ph_twist z = random_twist(angles[i]);
            const ph_motor g = ph_motor_exp(z);
            CHECK_CLOSE(of_motor(g), exponential(times(0.5, of_twist(z))), 1e-13);
            CHECK_EQ_INT(ph_motor_check(g, 4e-15, NULL), PH_OK);
        }
    }
}

// Digits are kept where the closed form (C/2 - S)/theta^2 would lose them all.
TEST(exp_of_small_angles_keeps_its_digits)
{
    for (int i = -12; i < 0; i++) {
        const double theta = pow(10.0, i);
        const ph_motor g = ph_motor_exp((ph_twist){{0.0, 0.0, theta}, {0.0, 0.0, 1.0}});
        CHECK_ULP(g.b[3], 0.5 * cos(0.5 * theta), 2); // a screw along z: b3 = 1/2 cos(theta/2), b0 = -1/2 sin(theta/2)
        CHECK_ULP(g.b[0], -0.5 * sin(0.5 * theta), 2);
    }
}

TEST(log_undoes_exp)
{
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 20; k++) {
            const ph_twist z = random_twist(angles[i]);
            const ph_motor g = ph_motor_exp(z);
            ph_motor minus_g = g;
            for (int j = 0; j < 4; j++) {
                minus_g.a[j] = -g.a[j];
                minus_g.b[j] = -g.b[j];
            }
            CHECK_CLOSE(of_twist(ph_motor_log(g)), of_twist(z), 1e-12);
            CHECK_CLOSE(of_twist(ph_motor_log(minus_g)), of_twist(z), 1e-12);
        }
    }
}

// s = sum ad^i(z) z' / (i+1)!, summed
TEST(velocity_is_the_series)
{
    for (int i = 0; i < 11; i++) {
        const ph_twist z = random_twist(angles[i]), z_rate = random_twist(1.0);
        mv term = of_twist(z_rate), sum = term;
        for (int k = 1; k < 60; k++) {
            term = times(1.0 / (k + 1), commutator(of_twist(z), term));
            sum = plus(sum, term);
        }
        CHECK_CLOSE(of_twist(ph_motor_velocity(z, z_rate)), sum, angles[i] > 4.0 ? 1e-11 : 1e-14);
    }
}

// dg/dt = 1/2 s g along exp(z(t)/2), by central differences
TEST(velocity_is_the_rate_of_the_motor)
{
    for (int i = 0; i < 11; i++) {
        const ph_twist z = random_twist(angles[i]), z_rate = random_twist(1.0);
        const double h = 1e-5;
        const ph_twist ahead = {ph_madd(z.omega, h, z_rate.omega), ph_madd(z.v, h, z_rate.v)};
        const ph_twist behind = {ph_madd(z.omega, -h, z_rate.omega), ph_madd(z.v, -h, z_rate.v)};
        const mv rate = times(0.5 / h, minus(of_motor(ph_motor_exp(ahead)), of_motor(ph_motor_exp(behind))));
        const ph_twist s = ph_motor_velocity(z, z_rate);
        CHECK_CLOSE(rate, of_motor(ph_motor_rate(s, ph_motor_exp(z))), 1e-9);
    }
}

TEST(velocity_inverse)
{
    for (int i = 0; i < 9; i++) {
        const ph_twist z = random_twist(angles[i]), z_rate = random_twist(1.0);
        CHECK_CLOSE(of_twist(ph_motor_velocity_inverse(z, ph_motor_velocity(z, z_rate))), of_twist(z_rate), 1e-12);
    }
}

TEST(motors_compose_and_split)
{
    for (int i = 0; i < 50; i++) {
        const ph_motor g = ph_motor_exp(random_twist(2.0)), h = ph_motor_exp(random_twist(1.0));
        const ph_pose G = ph_motor_pose(g), H = ph_motor_pose(h), GH = ph_motor_pose(ph_motor_mul(g, h));
        CHECK_NEAR(ph_mat_norm(ph_mat_sub(GH.R, ph_mat_mul(G.R, H.R))), 0.0, 1e-14);
        CHECK_NEAR(ph_norm(ph_sub(GH.t, ph_add(ph_mul(G.R, H.t), G.t))), 0.0, 1e-14);
        CHECK_CLOSE(of_motor(ph_motor_mul(g, ph_motor_conj(g))), of_motor(ph_motor_identity()), 1e-15);
        ph_quat r;
        ph_vec3 t;
        ph_motor_split(g, &r, &t);
        CHECK_CLOSE(of_motor(ph_motor_make(r, t)), of_motor(g), 1e-15);
    }
}

TEST(what_is_not_a_motor_is_refused_with_both_defects)
{
    ph_error error;
    ph_motor g = table_motor();
    g.a[0] = 0.75;
    g.b[1] = 0.25;
    const ph_motor_defects d = ph_motor_measure(g);
    CHECK(d.length == 0.3125 && d.pitch == -0.25);
    CHECK_EQ_INT(ph_motor_check(g, 1e-9, &error), PH_BAD_ARGUMENT);
    CHECK_STR(error.text, "not a rigid motion: a.a - 1 = 0.3125 and a.b = -0.25, both must be 0 within 1e-09");
    g.a[2] = (double)NAN;
    CHECK_EQ_INT(ph_motor_check(g, 1e-9, &error), PH_BAD_ARGUMENT);
}

TEST(unit_motor_mends_both_defects)
{
    for (int i = 0; i < 50; i++) {
        ph_motor g;
        fill_uniform(&g, 8);
        g.a[0] += 2.0;
        const ph_motor unit = ph_motor_unit(g);
        CHECK_EQ_INT(ph_motor_check(unit, 1e-15, NULL), PH_OK);
        CHECK_CLOSE(of_motor(ph_motor_unit(unit)), of_motor(unit), 1e-15);
    }
    const ph_motor g = table_motor();
    CHECK_CLOSE(of_motor(ph_motor_unit(g)), of_motor(g), 1e-15);
}

// ---- Inertia --------------------------------------------------------------------------------------------------------

static ph_inertia random_body(void)
{
    const ph_mat3 I = ph_diag((ph_vec3){test_uniform(1, 2), test_uniform(1, 2), test_uniform(1, 2)});
    const ph_inertia N = ph_inertia_make(test_uniform(1, 3), (ph_vec3){0.5, -0.25, 1.0}, I);
    return ph_move_inertia(ph_motor_exp(random_twist(2.0)), N);
}

TEST(inverse_inertia)
{
    for (int i = 0; i < 50; i++) {
        const ph_inertia N = random_body();
        const ph_twist s = random_twist(1.0);
        ph_sym4 Y;
        CHECK_EQ_INT(ph_inertia_inverse(N, &Y), PH_OK);
        CHECK_CLOSE(of_twist(ph_velocity(Y, ph_momentum(N, s))), of_twist(s), 1e-13);
        // the inverse moves by the same law
        const ph_motor g = ph_motor_exp(random_twist(1.5));
        ph_sym4 moved;
        CHECK_EQ_INT(ph_inertia_inverse(ph_move_inertia(g, N), &moved), PH_OK);
        CHECK_CLOSE(of_sym4(moved), of_sym4(ph_move_sym4(g, Y)), 1e-12);
    }
}

TEST(inverse_of_a_singular_inertia_is_refused)
{
    ph_sym4 Y;
    CHECK_EQ_INT(ph_inertia_inverse((ph_inertia){0.0, ph_zero3(), {1.0, 1.0, 1.0}}, &Y), PH_SINGULAR);
    CHECK_EQ_INT(ph_inertia_inverse((ph_inertia){1.0, ph_zero3(), {1.0, 1.0, 0.0}}, &Y), PH_SINGULAR);
    CHECK_EQ_INT(ph_inertia_inverse((ph_inertia){(double)NAN, ph_zero3(), {1.0, 1.0, 1.0}}, &Y), PH_SINGULAR);
}

TEST(inertias_add)
{
    const ph_inertia M = random_body(), N = random_body();
    CHECK_CLOSE(of_inertia(ph_inertia_add(M, N)), plus(of_inertia(M), of_inertia(N)), 0.0);
    CHECK_CLOSE(of_sym4(ph_inertia_sym4(N)), of_inertia(N), 0.0);
}

// dN/dt against the difference of the moved inertia
TEST(rate_of_inertia)
{
    const ph_inertia N = random_body();
    const ph_twist s = random_twist(1.0);
    const double h = 1e-5;
    const ph_twist step = {ph_scale(h, s.omega), ph_scale(h, s.v)}, back = {ph_scale(-h, s.omega), ph_scale(-h, s.v)};
    const mv ahead = of_inertia(ph_move_inertia(ph_motor_exp(step), N));
    const mv behind = of_inertia(ph_move_inertia(ph_motor_exp(back), N));
    CHECK_CLOSE(of_inertia(ph_inertia_rate(N, s)), times(0.5 / h, minus(ahead, behind)), 1e-8);
}

// ---- Elasticity and damping -----------------------------------------------------------------------------------------

TEST(elastic_wrench_is_minus_the_gradient)
{
    for (int i = 0; i < 50; i++) {
        ph_sym4 K;
        ph_twist x, y, both;
        fill_integers(&K, 21);
        fill_integers(&x, 6);
        fill_integers(&y, 6);
        both = (ph_twist){ph_add(x.omega, y.omega), ph_add(x.v, y.v)};
        // V is quadratic: V(x + y) = V(x) + V(y) - W(x)(y)
        const double mixed = ph_elastic_energy(K, both) - ph_elastic_energy(K, x) - ph_elastic_energy(K, y);
        CHECK(mixed == -ph_evaluate(ph_elastic_wrench(K, x), y));
        const ph_coscrew W = ph_elastic_wrench(K, x), damping = ph_damping_wrench(K, x);
        CHECK(memcmp(&W, &damping, sizeof W) == 0);
    }
}

// A spring of stiffness 5 along the line through (1,2,3) in direction z pulls with 5 times the shift along z there.
TEST(line_spring)
{
    const ph_vec3 x = {1.0, 2.0, 3.0}, u = {0.0, 0.0, 1.0};
    const ph_sym4 K = ph_line_spring(5.0, ph_line_make(x, u));
    const ph_twist delta = s_table;
    const double shift = ph_dot(u, ph_add(delta.v, ph_cross(delta.omega, x)));
    const ph_vec3 force = ph_scale(-5.0 * shift, u), torque = ph_cross(x, force);
    const ph_coscrew W = ph_elastic_wrench(K, delta);
    check_six(&W, torque.x, torque.y, torque.z, force.x, force.y, force.z, 0);
    CHECK(ph_elastic_energy(K, delta) == 2.5 * shift * shift);
    // its energy does not depend on the frame
    const ph_motor g = table_motor();
    CHECK(ph_elastic_energy(ph_move_sym4(g, K), ph_move_twist(g, delta)) == ph_elastic_energy(K, delta));
}

// ---- Points, lines and planes ---------------------------------------------------------------------------------------

static ph_vec3 some_vector(void)
{
    ph_vec3 v;
    fill_integers(&v, 3);
    return v;
}

TEST(points_and_planes_move_as_they_should)
{
    for (int i = 0; i < 50; i++) {
        const ph_vec3 x = some_vector(), n = some_vector();
        const ph_motor g = table_motor();
        const ph_pose F = ph_motor_pose(g);
        const ph_point p = ph_move_point(g, ph_point_make(x));
        const ph_vec3 moved = ph_add(ph_mul(F.R, x), F.t);
        CHECK(p.w == 1.0 && ph_norm(ph_sub(p.x, moved)) == 0.0);
        const ph_plane plane = ph_move_plane(g, ph_plane_make(x, n)), expected = ph_plane_make(moved, ph_mul(F.R, n));
        CHECK(ph_norm(ph_sub(plane.n, expected.n)) == 0.0 && plane.d == expected.d);
        const ph_twist line = ph_move_twist(g, ph_line_make(x, n)), as_line = ph_line_make(moved, ph_mul(F.R, n));
        CHECK_SAME(of_twist(line), of_twist(as_line));
    }
}

TEST(meets)
{
    for (int i = 0; i < 50; i++) {
        const ph_vec3 x = some_vector(), u = some_vector(), n = some_vector(), m = some_vector(), k = some_vector();
        // two planes through x: the line along n x m through x
        const ph_plane a = ph_plane_make(x, n), b = ph_plane_make(x, m), c = ph_plane_make(x, k);
        CHECK_SAME(of_twist(ph_meet_planes(a, b)), of_twist(ph_line_make(x, ph_cross(n, m))));
        // a line through x in a plane through x: x, with weight u . n
        const ph_point p = ph_meet_line_plane(ph_line_make(x, u), a);
        CHECK(p.w == ph_dot(u, n) && ph_norm(ph_sub(p.x, ph_scale(p.w, x))) == 0.0);
        const ph_point q = ph_meet_3_planes(a, b, c);
        CHECK(q.w == ph_dot(ph_cross(n, m), k) && ph_norm(ph_sub(q.x, ph_scale(q.w, x))) == 0.0);
    }
}

TEST(joins)
{
    for (int i = 0; i < 50; i++) {
        const ph_vec3 x = some_vector(), y = some_vector(), z = some_vector();
        const ph_point p = ph_point_make(x), q = ph_point_make(y), r = ph_point_make(z);
        CHECK_SAME(of_twist(ph_join_points(p, q)), of_twist(ph_line_make(x, ph_sub(y, x))));
        const ph_plane plane = ph_join_3_points(p, q, r);
        const ph_vec3 normal = ph_cross(ph_sub(y, x), ph_sub(z, x));
        CHECK(ph_norm(ph_cross(plane.n, normal)) == 0.0 && ph_norm2(plane.n) == ph_norm2(normal));
        CHECK(ph_incidence(plane, p) == 0.0 && ph_incidence(plane, q) == 0.0 && ph_incidence(plane, r) == 0.0);
        const ph_plane same = ph_join_point_line(p, ph_join_points(q, r));
        CHECK(ph_norm(ph_sub(same.n, plane.n)) == 0.0 && same.d == plane.d);
        CHECK(ph_incidence(ph_plane_make(x, z), ph_point_make(y)) == ph_dot(z, ph_sub(y, x)));
    }
}
