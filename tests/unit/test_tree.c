// Trees in joint coordinates: the four algorithms agree with each other and with what is known.
#include "random_tree.h"

// Sizes and kinds of joints: revolute and prismatic; ball and free joints too; screws too.
static const struct {
    int links, joint_kinds;
} trees[] = {{3, 2}, {7, 2}, {30, 2}, {3, 4}, {7, 4}, {30, 4}, {3, 5}, {7, 5}, {30, 5}};
enum { TREES = sizeof trees / sizeof trees[0] };

typedef struct motion_state {
    double q[TREE_COORDINATES_MAX], u[TREE_AXES_MAX], u_rate[TREE_AXES_MAX], tau[TREE_AXES_MAX];
    ph_coscrew wrenches[TREE_LINKS_MAX];
} motion_state;

static void random_state(const ph_tree *tree, motion_state *s)
{
    random_values(s->q, ph_tree_coordinates(tree), 1.5);
    random_values(s->u, ph_tree_velocities(tree), 2.0);
    random_values(s->u_rate, ph_tree_velocities(tree), 5.0);
    random_values((double *)s->wrenches, 6 * ph_tree_links(tree), 3.0);
}

static double largest_difference(const double *a, const double *b, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; i++) {
        const double d = fabs(a[i] - b[i]);
        most = d <= most ? most : d;
    }
    return most;
}

TEST(forward_undoes_inverse_dynamics)
{
    ph_link_def links[TREE_LINKS_MAX];
    for (int k = 0; k < TREES; k++) {
        ph_tree *tree = random_tree(links, trees[k].links, trees[k].joint_kinds);
        for (int round = 0; round < 20; round++) {
            motion_state s;
            double u_rate[TREE_AXES_MAX];
            random_state(tree, &s);
            ph_tree_inverse_dynamics(tree, s.q, s.u, s.u_rate, s.wrenches, s.tau);
            CHECK_EQ_INT(ph_tree_forward_dynamics(tree, s.q, s.u, s.tau, s.wrenches, u_rate), PH_OK);
            // Ball joints make M worse conditioned: a dense Cholesky solution with it loses as many digits.
            const double tolerance = trees[k].joint_kinds > 2 ? 1e-10 : 1e-11;
            CHECK_NEAR(largest_difference(u_rate, s.u_rate, ph_tree_velocities(tree)), 0.0, tolerance);
        }
        ph_tree_destroy(tree);
    }
}

// Column k of M is what u' = unit k adds to tau.
TEST(mass_matrix_is_the_columns_of_inverse_dynamics)
{
    static double M[TREE_AXES_MAX * TREE_AXES_MAX];
    ph_link_def links[TREE_LINKS_MAX];
    for (int t = 0; t < TREES; t++) {
        ph_tree *tree = random_tree(links, trees[t].links, trees[t].joint_kinds);
        const int n = ph_tree_velocities(tree);
        motion_state s;
        double bias[TREE_AXES_MAX];
        random_state(tree, &s);
        memset(s.u_rate, 0, sizeof s.u_rate);
        memset(s.u, 0, sizeof s.u);
        ph_tree_mass_matrix(tree, s.q, M);
        ph_tree_inverse_dynamics(tree, s.q, s.u, s.u_rate, NULL, bias);
        for (int k = 0; k < n; k++) {
            s.u_rate[k] = 1.0;
            ph_tree_inverse_dynamics(tree, s.q, s.u, s.u_rate, NULL, s.tau);
            s.u_rate[k] = 0.0;
            for (int j = 0; j < n; j++) {
                CHECK(M[j * n + k] == M[k * n + j]);
                CHECK_NEAR(M[j * n + k], s.tau[j] - bias[j], 1e-12 * (1.0 + fabs(bias[j])));
            }
        }
        ph_tree_destroy(tree);
    }
}

// Cholesky of M in place; false when it is not positive definite.
static bool cholesky(double *M, int n)
{
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++) {
            for (int i = j; i < n; i++) {
                M[i * n + j] -= M[i * n + k] * M[j * n + k];
            }
        }
        if (!(M[j * n + j] > 0.0)) {
            return false;
        }
        const double root = sqrt(M[j * n + j]);
        for (int i = j; i < n; i++) {
            M[i * n + j] /= root;
        }
    }
    return true;
}

TEST(mass_matrix_is_positive_definite_and_gives_the_kinetic_energy)
{
    static double M[TREE_AXES_MAX * TREE_AXES_MAX];
    ph_link_def links[TREE_LINKS_MAX];
    for (int t = 0; t < TREES; t++) {
        ph_tree *tree = random_tree(links, trees[t].links, trees[t].joint_kinds);
        const int n = ph_tree_velocities(tree);
        motion_state s;
        double kinetic, potential, quadratic = 0.0;
        random_state(tree, &s);
        ph_tree_mass_matrix(tree, s.q, M);
        ph_tree_energy(tree, s.q, s.u, &kinetic, &potential);
        for (int i = 0; i < n * n; i++) {
            quadratic += 0.5 * s.u[i / n] * M[i] * s.u[i % n];
        }
        CHECK_REL(quadratic, kinetic, 1e-12);
        CHECK(cholesky(M, n));
        ph_tree_destroy(tree);
    }
}

// d(T + V)/dt = tau . u + sum of W(twist), by central differences.
TEST(energy_balance)
{
    ph_link_def links[TREE_LINKS_MAX];
    for (int t = 0; t < TREES; t++) {
        ph_tree *tree = random_tree(links, trees[t].links, trees[t].joint_kinds);
        const int n = ph_tree_velocities(tree);
        const double h = 1e-5;
        motion_state s;
        ph_twist twists[TREE_LINKS_MAX];
        double energy[2], power = 0.0;
        random_state(tree, &s);
        ph_tree_inverse_dynamics(tree, s.q, s.u, s.u_rate, s.wrenches, s.tau);
        ph_tree_motion(tree, s.q, s.u, NULL, twists);
        for (int i = 0; i < n; i++) {
            power += s.tau[i] * s.u[i];
        }
        for (int i = 0; i < ph_tree_links(tree); i++) {
            power += ph_evaluate(s.wrenches[i], twists[i]);
        }
        for (int side = 0; side < 2; side++) {
            const double step = side ? h : -h;
            double q[TREE_COORDINATES_MAX], u[TREE_AXES_MAX], kinetic, potential;
            // second order in h along the motion: to first order the velocity on the way is that at half way
            for (int i = 0; i < n; i++) {
                u[i] = s.u[i] + 0.5 * step * s.u_rate[i];
            }
            ph_tree_advance(tree, s.q, u, step, q);
            for (int i = 0; i < n; i++) {
                u[i] = s.u[i] + step * s.u_rate[i];
            }
            ph_tree_energy(tree, q, u, &kinetic, &potential);
            energy[side] = kinetic + potential;
        }
        CHECK_NEAR((energy[1] - energy[0]) / (2.0 * h), power, 1e-7 * (1.0 + fabs(power)));
        ph_tree_destroy(tree);
    }
}

// A whole motion without torques: energy stays, at the order of the integrator (Runge-Kutta, one-axis joints).
TEST(energy_stays_in_free_motion)
{
    ph_link_def links[TREE_LINKS_MAX];
    ph_tree *tree = random_tree(links, 7, 2);
    double first = 0.0, error[2];
    for (int run = 0; run < 2; run++) {
        const int steps = run ? 400 : 200;
        const double h = 0.4 / steps;
        double q[7] = {0.3, -0.2, 0.5, 0.1, -0.4, 0.2, 0.3}, u[7] = {1, -1, 0.5, 0.3, -0.2, 0.7, 0.4}, tau[7] = {0};
        double T, V;
        ph_tree_energy(tree, q, u, &T, &V);
        first = T + V;
        for (int i = 0; i < steps; i++) {
            double k[4][7], v[4][7], q_stage[7];
            memcpy(v[0], u, sizeof u);
            ph_tree_forward_dynamics(tree, q, u, tau, NULL, k[0]);
            for (int stage = 1; stage < 4; stage++) {
                const double part = stage < 3 ? 0.5 * h : h;
                for (int j = 0; j < 7; j++) {
                    q_stage[j] = q[j] + part * v[stage - 1][j];
                    v[stage][j] = u[j] + part * k[stage - 1][j];
                }
                ph_tree_forward_dynamics(tree, q_stage, v[stage], tau, NULL, k[stage]);
            }
            for (int j = 0; j < 7; j++) {
                q[j] += h / 6.0 * (v[0][j] + 2.0 * v[1][j] + 2.0 * v[2][j] + v[3][j]);
                u[j] += h / 6.0 * (k[0][j] + 2.0 * k[1][j] + 2.0 * k[2][j] + k[3][j]);
            }
        }
        ph_tree_energy(tree, q, u, &T, &V);
        error[run] = fabs(T + V - first);
    }
    CHECK(error[1] < 1e-6);
    CHECK(error[0] / error[1] > 10.0);
    ph_tree_destroy(tree);
}

// ---- Known mechanisms -----------------------------------------------------------------------------------------------

// Two links in the plane, as in every textbook (x to the right, gravity along -y).
TEST(planar_arm_in_closed_form)
{
    const double l1 = 0.7, c1 = 0.4, c2 = 0.3, m1 = 2.0, m2 = 1.5, I1 = 0.05, I2 = 0.03, g = 9.81;
    ph_link_def arm[2] = {ph_default_link(), ph_default_link()};
    arm[0].mass = m1;
    arm[0].com = ph_vec(c1, 0.0, 0.0);
    arm[0].inertia = ph_diag(ph_vec(I1, I1, I1));
    arm[1].parent = 0;
    arm[1].anchor = ph_vec(l1, 0.0, 0.0);
    arm[1].mass = m2;
    arm[1].com = ph_vec(l1 + c2, 0.0, 0.0);
    arm[1].inertia = ph_diag(ph_vec(I2, I2, I2));
    ph_tree *tree;
    CHECK_EQ_INT(ph_tree_create(arm, 2, ph_vec(0.0, -g, 0.0), NULL, &tree, NULL), PH_OK);
    for (int i = 0; i < 20; i++) {
        const double q[2] = {test_uniform(-3, 3), test_uniform(-3, 3)},
                     u[2] = {test_uniform(-3, 3), test_uniform(-3, 3)};
        const double a[2] = {test_uniform(-3, 3), test_uniform(-3, 3)};
        const double k = m2 * l1 * c2, M22 = I2 + m2 * c2 * c2, M12 = M22 + k * cos(q[1]);
        const double M11 = I1 + m1 * c1 * c1 + M22 + m2 * l1 * l1 + 2.0 * k * cos(q[1]);
        const double g2 = m2 * g * c2 * cos(q[0] + q[1]), g1 = (m1 * c1 + m2 * l1) * g * cos(q[0]) + g2;
        double tau[2], M[4];
        ph_tree_inverse_dynamics(tree, q, u, a, NULL, tau);
        ph_tree_mass_matrix(tree, q, M);
        CHECK_NEAR(tau[0], M11 * a[0] + M12 * a[1] - k * sin(q[1]) * (2.0 * u[0] + u[1]) * u[1] + g1, 1e-13 * 50);
        CHECK_NEAR(tau[1], M12 * a[0] + M22 * a[1] + k * sin(q[1]) * u[0] * u[0] + g2, 1e-13 * 50);
        CHECK_NEAR(M[0], M11, 1e-14);
        CHECK_NEAR(M[1], M12, 1e-14);
        CHECK_NEAR(M[3], M22, 1e-14);
    }
    ph_tree_destroy(tree);
}

// A free body: Newton and Euler.
TEST(free_body)
{
    ph_link_def body = ph_default_link();
    body.joint = PH_TREE_FREE;
    body.mass = 3.0;
    body.anchor = body.com = ph_vec(0.3, -0.2, 0.5);
    body.inertia = random_inertia(1.0);
    ph_tree *tree;
    CHECK_EQ_INT(ph_tree_create(&body, 1, ph_vec(0.0, 0.0, -9.81), NULL, &tree, NULL), PH_OK);
    CHECK_EQ_INT(ph_tree_coordinates(tree), 7);
    CHECK_EQ_INT(ph_tree_velocities(tree), 6);
    double q[7] = {1, 0, 0, 0, 0, 0, 0}, u[6], a[6], tau[6] = {0};
    random_values(q, 7, 1.0);
    random_values(u, 6, 1.0);
    const ph_quat r = ph_quat_unit((ph_quat){q[0], q[1], q[2], q[3]});
    const ph_vec3 omega = ph_vec(u[0], u[1], u[2]), v = ph_vec(u[3], u[4], u[5]);
    CHECK_EQ_INT(ph_tree_forward_dynamics(tree, q, u, tau, NULL, a), PH_OK);
    const ph_vec3 spin = ph_mul(ph_inverse(body.inertia), ph_cross(ph_mul(body.inertia, omega), omega));
    const ph_vec3 fall = ph_quat_rotate(ph_quat_conj(r), ph_vec(0.0, 0.0, -9.81));
    const ph_vec3 rate = ph_sub(fall, ph_cross(omega, v)); // of v, which turns with the body
    CHECK_NEAR(ph_norm(ph_sub(ph_vec(a[0], a[1], a[2]), spin)), 0.0, 1e-13);
    CHECK_NEAR(ph_norm(ph_sub(ph_vec(a[3], a[4], a[5]), rate)), 0.0, 1e-13);
    ph_tree_destroy(tree);
}

// A ball joint is three crossed hinges with massless links between them.
TEST(ball_joint_is_three_hinges)
{
    const ph_vec3 anchor = {0.2, 0.1, -0.3};
    ph_link_def ball = ph_default_link(), hinges[3];
    ball.joint = PH_TREE_BALL;
    ball.anchor = anchor;
    ball.mass = 1.3;
    ball.com = ph_vec(0.5, 0.4, 0.2);
    ball.inertia = random_inertia(0.1);
    for (int i = 0; i < 3; i++) {
        hinges[i] = ph_default_link();
        hinges[i].parent = i - 1;
        hinges[i].anchor = anchor;
        hinges[i].axis = ph_vec(i == 0, i == 1, i == 2);
    }
    hinges[0].parent = PH_WORLD;
    hinges[2].mass = ball.mass;
    hinges[2].com = ball.com;
    hinges[2].inertia = ball.inertia;
    ph_tree *one, *three;
    CHECK_EQ_INT(ph_tree_create(&ball, 1, ph_vec(0, 0, -9.81), NULL, &one, NULL), PH_OK);
    CHECK_EQ_INT(ph_tree_create(hinges, 3, ph_vec(0, 0, -9.81), NULL, &three, NULL), PH_OK);
    const double angles[3] = {0.3, -0.8, 1.1}, rates[3] = {0.7, -1.2, 0.4}, tau[3] = {0};
    double a3[3], a1[3], u[3], q[4];
    ph_motor motors[3];
    ph_twist twists[3];
    ph_tree_motion(three, angles, rates, motors, twists);
    const ph_quat r = {motors[2].a[0], motors[2].a[1], motors[2].a[2], motors[2].a[3]};
    const ph_vec3 omega = ph_quat_rotate(ph_quat_conj(r), twists[2].omega);
    memcpy(q, &r, sizeof q);
    memcpy(u, &omega, sizeof u);
    CHECK_EQ_INT(ph_tree_forward_dynamics(three, angles, rates, tau, NULL, a3), PH_OK);
    CHECK_EQ_INT(ph_tree_forward_dynamics(one, q, u, tau, NULL, a1), PH_OK);
    // angular acceleration of both: sum of s_k u'_k + its change, from the difference of twists along the motion
    const double h = 1e-5;
    ph_vec3 ends[2];
    for (int side = 0; side < 2; side++) {
        double at[3], rate[3];
        const double step = side ? h : -h;
        for (int k = 0; k < 3; k++) {
            at[k] = angles[k] + step * rates[k] + 0.5 * step * step * a3[k];
            rate[k] = rates[k] + step * a3[k];
        }
        ph_tree_motion(three, at, rate, NULL, twists);
        ends[side] = twists[2].omega;
    }
    const ph_vec3 alpha = ph_scale(0.5 / h, ph_sub(ends[1], ends[0]));
    const ph_vec3 from_ball = ph_quat_rotate(r, ph_vec(a1[0], a1[1], a1[2]));
    CHECK_NEAR(ph_norm(ph_sub(alpha, from_ball)), 0.0, 1e-8);
    ph_tree_destroy(one);
    ph_tree_destroy(three);
}

// ---- Kinematics -----------------------------------------------------------------------------------------------------

TEST(jacobian_and_motion_agree)
{
    ph_link_def links[TREE_LINKS_MAX];
    for (int t = 0; t < TREES; t++) {
        ph_tree *tree = random_tree(links, trees[t].links, trees[t].joint_kinds);
        const int n = ph_tree_velocities(tree), last = ph_tree_links(tree) - 1;
        motion_state s;
        ph_twist columns[TREE_AXES_MAX], twists[TREE_LINKS_MAX];
        ph_motor motors[TREE_LINKS_MAX], ahead[TREE_LINKS_MAX], behind[TREE_LINKS_MAX];
        double q[TREE_COORDINATES_MAX];
        random_state(tree, &s);
        ph_tree_motion(tree, s.q, s.u, motors, twists);
        ph_tree_jacobian(tree, s.q, last, columns);
        double sum[6] = {0};
        for (int k = 0; k < n; k++) {
            for (int j = 0; j < 6; j++) {
                sum[j] += s.u[k] * ((const double *)&columns[k])[j];
            }
        }
        CHECK_NEAR(largest_difference(sum, (const double *)&twists[last], 6), 0.0, 1e-12);
        // and the motor moves with that twist: dg/dt = 1/2 s g
        ph_tree_advance(tree, s.q, s.u, 1e-5, q);
        ph_tree_motion(tree, q, NULL, ahead, NULL);
        ph_tree_advance(tree, s.q, s.u, -1e-5, q);
        ph_tree_motion(tree, q, NULL, behind, NULL);
        const ph_motor rate = ph_motor_rate(twists[last], motors[last]);
        for (int j = 0; j < 4; j++) {
            CHECK_NEAR((ahead[last].a[j] - behind[last].a[j]) / 2e-5, rate.a[j], 1e-7);
            CHECK_NEAR((ahead[last].b[j] - behind[last].b[j]) / 2e-5, rate.b[j], 1e-7);
        }
        ph_tree_destroy(tree);
    }
}

TEST(at_home_nothing_has_moved)
{
    ph_link_def links[TREE_LINKS_MAX];
    ph_tree *tree = random_tree(links, 30, 4);
    double q[TREE_COORDINATES_MAX], mass, total = 0.0;
    ph_motor motors[TREE_LINKS_MAX];
    ph_tree_home(tree, q);
    ph_tree_motion(tree, q, NULL, motors, NULL);
    ph_vec3 moment = ph_zero3();
    for (int i = 0; i < 30; i++) {
        const ph_pose F = ph_motor_pose(motors[i]);
        CHECK_NEAR(ph_mat_norm(ph_mat_sub(F.R, ph_identity())) + ph_norm(F.t), 0.0, 1e-13);
        moment = ph_madd(moment, links[i].mass, links[i].com);
        total += links[i].mass;
    }
    const ph_vec3 com = ph_tree_center_of_mass(tree, q, &mass);
    CHECK_REL(mass, total, 1e-15);
    CHECK_NEAR(ph_norm(ph_sub(com, ph_scale(1.0 / total, moment))), 0.0, 1e-14);
    ph_tree_destroy(tree);
}

// Advancing a joint back gives the start.
TEST(advance_goes_back)
{
    ph_link_def links[TREE_LINKS_MAX];
    ph_tree *tree = random_tree(links, 30, 4);
    motion_state s;
    double q[TREE_COORDINATES_MAX], back[TREE_COORDINATES_MAX];
    random_state(tree, &s);
    ph_tree_home(tree, s.q);
    ph_tree_advance(tree, s.q, s.u, 0.3, q);
    ph_tree_advance(tree, q, s.u, -0.3, back);
    CHECK_NEAR(largest_difference(back, s.q, ph_tree_coordinates(tree)), 0.0, 1e-14);
    ph_tree_destroy(tree);
}

// A nut of mass m and inertia I on a vertical screw of pitch p: (I + m p^2) q'' = tau - m g p.
TEST(nut_on_a_screw)
{
    ph_link_def nut = ph_default_link();
    nut.joint = PH_TREE_SCREW;
    nut.anchor = nut.com = (ph_vec3){0.3, -0.2, 0.0};
    nut.axis = (ph_vec3){0.0, 0.0, 2.0};
    nut.pitch = 0.05;
    nut.mass = 3.0;
    nut.inertia = ph_diag(ph_vec(0.02, 0.02, 0.03));
    ph_tree *tree = NULL;
    CHECK_EQ_INT(ph_tree_create(&nut, 1, (ph_vec3){0.0, 0.0, -9.81}, NULL, &tree, NULL), PH_OK);
    const double q = 17.0, u = 2.5, tau = 0.7, inertia = 0.03 + 3.0 * 0.05 * 0.05;
    double M, rate, kinetic, potential;
    ph_tree_mass_matrix(tree, &q, &M);
    CHECK_REL(M, inertia, 1e-14);
    CHECK_EQ_INT(ph_tree_forward_dynamics(tree, &q, &u, &tau, NULL, &rate), PH_OK);
    CHECK_REL(rate, (tau - 3.0 * 9.81 * 0.05) / inertia, 1e-13);
    ph_tree_energy(tree, &q, &u, &kinetic, &potential);
    CHECK_REL(kinetic, 0.5 * inertia * u * u, 1e-14);
    const ph_vec3 com = ph_tree_center_of_mass(tree, &q, NULL); // 17 radians on: no whole turn is lost
    CHECK_NEAR(ph_norm(ph_sub(com, ph_vec(0.3, -0.2, 17.0 * 0.05))), 0.0, 1e-14);
    ph_tree_destroy(tree);
}

// ---- Bad input ------------------------------------------------------------------------------------------------------

static void check_refused(const ph_link_def *links, int count, ph_status status, const char *text)
{
    ph_tree *tree;
    ph_error error = {0};
    CHECK_EQ_INT(ph_tree_create(links, count, ph_zero3(), NULL, &tree, &error), status);
    CHECK_STR(error.text, text);
    CHECK(tree == NULL);
}

TEST(bad_links_are_refused)
{
    ph_link_def good[2], bad[2];
    for (int i = 0; i < 2; i++) {
        good[i] = ph_default_link();
        good[i].parent = i - 1 < 0 ? PH_WORLD : i - 1;
        good[i].mass = 1.0;
        good[i].inertia = ph_identity();
    }
    check_refused(good, 0, PH_BAD_ARGUMENT, "a tree of 0 links");
    memcpy(bad, good, sizeof bad);
    bad[1].cookie = 0;
    check_refused(bad, 2, PH_BAD_ARGUMENT, "link 1 does not come from ph_default_link()");
    memcpy(bad, good, sizeof bad);
    bad[1].parent = 1;
    check_refused(bad, 2, PH_BAD_MODEL, "link 1 has the parent 1: it must be an earlier link or the world");
    memcpy(bad, good, sizeof bad);
    bad[0].joint = (ph_tree_joint)9;
    check_refused(bad, 2, PH_BAD_MODEL, "link 0: there is no joint 9");
    memcpy(bad, good, sizeof bad);
    bad[0].com.y = (double)NAN;
    check_refused(bad, 2, PH_NOT_FINITE, "link 0 has a number that is not finite");
    memcpy(bad, good, sizeof bad);
    bad[0].axis = ph_zero3();
    check_refused(bad, 2, PH_BAD_MODEL, "link 0: its axis is the zero vector");
    memcpy(bad, good, sizeof bad);
    bad[0].joint = PH_TREE_SCREW;
    check_refused(bad, 2, PH_BAD_MODEL, "link 0: a screw joint needs a pitch, in metres per radian");
    bad[0].pitch = (double)INFINITY;
    check_refused(bad, 2, PH_NOT_FINITE, "link 0 has a number that is not finite");
    memcpy(bad, good, sizeof bad);
    bad[0].mass = -1.0;
    check_refused(bad, 2, PH_BAD_MODEL, "link 0 has the mass -1");
    memcpy(bad, good, sizeof bad);
    bad[0].inertia.m[0][1] = 0.5;
    check_refused(bad, 2, PH_BAD_MODEL, "link 0: its inertia is not symmetric");
    memcpy(bad, good, sizeof bad);
    bad[0].inertia.m[2][2] = 2.5;
    check_refused(bad, 2, PH_BAD_MODEL,
                  "link 0: no body has the principal moments 1, 1, 2.5: none may be negative, nor larger than the sum "
                  "of the other two");
}

TEST(joint_that_moves_no_mass_is_singular)
{
    ph_link_def links[2] = {ph_default_link(), ph_default_link()};
    links[0].mass = 1.0;
    links[0].inertia = ph_identity();
    links[1].parent = 0;
    ph_tree *tree;
    CHECK_EQ_INT(ph_tree_create(links, 2, ph_zero3(), NULL, &tree, NULL), PH_OK);
    const double q[2] = {0.1, 0.2}, u[2] = {0}, tau[2] = {0};
    double a[2];
    CHECK_EQ_INT(ph_tree_forward_dynamics(tree, q, u, tau, NULL, a), PH_SINGULAR);
    ph_tree_destroy(tree);
}

// ---- Memory ---------------------------------------------------------------------------------------------------------

typedef struct memory_count {
    int allocated, released, most;
} memory_count;

static void *count_allocate(size_t bytes, void *user)
{
    memory_count *count = user;
    return count->allocated++ < count->most ? malloc(bytes) : NULL;
}

static void count_release(void *block, void *user)
{
    memory_count *count = user;
    count->released++;
    free(block);
}

TEST(only_creation_allocates)
{
    static double M[TREE_AXES_MAX * TREE_AXES_MAX];
    memory_count count = {.most = 1};
    const ph_allocator allocator = {count_allocate, count_release, &count};
    ph_link_def links[TREE_LINKS_MAX];
    ph_twist twists[TREE_AXES_MAX];
    ph_motor motors[TREE_LINKS_MAX];
    motion_state s;
    ph_tree *tree;
    double T, V;
    random_links(links, 30, 4);
    CHECK_EQ_INT(ph_tree_create(links, 30, ph_zero3(), &allocator, &tree, NULL), PH_OK);
    random_state(tree, &s);
    ph_tree_inverse_dynamics(tree, s.q, s.u, s.u_rate, s.wrenches, s.tau);
    ph_tree_forward_dynamics(tree, s.q, s.u, s.tau, s.wrenches, s.u_rate);
    ph_tree_mass_matrix(tree, s.q, M);
    ph_tree_energy(tree, s.q, s.u, &T, &V);
    ph_tree_center_of_mass(tree, s.q, NULL);
    ph_tree_motion(tree, s.q, s.u, motors, twists);
    ph_tree_jacobian(tree, s.q, 29, twists);
    CHECK_EQ_INT(count.allocated, 1);
    ph_tree_destroy(tree);
    CHECK_EQ_INT(count.released, 1);
}

TEST(running_out_of_memory_is_said)
{
    memory_count count = {.most = 0};
    const ph_allocator allocator = {count_allocate, count_release, &count};
    ph_link_def links[5];
    ph_tree *tree;
    ph_error error;
    random_links(links, 5, 4);
    CHECK_EQ_INT(ph_tree_create(links, 5, ph_zero3(), &allocator, &tree, &error), PH_OUT_OF_MEMORY);
    CHECK_STR(error.text, "out of memory for a tree of 5 links");
    CHECK(tree == NULL);
    ph_tree_destroy(tree);
}
