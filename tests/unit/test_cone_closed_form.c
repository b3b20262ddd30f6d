// Cone problems whose answers are known, by every solver and under both laws.

#include "test.h"

#include "cone_scene.h"

static const ph_contact_law laws[] = {PH_LAW_COULOMB, PH_LAW_RELAXED};

typedef struct answer {
    double g[SCENE_ROWS], u[SCENE_ROWS];
    ph_cone_report report;
} answer;

static answer solve(const ph_cone_problem *problem, int solver, ph_contact_law law)
{
    answer a = {0};
    ph_error error = {PH_OK, ""};
    ph_cone_workspace *workspace = ph_cone_workspace_create(NULL);
    ph_cone_settings settings = ph_default_cone();
    settings.solver = ph_cone_solver_get(solver).name;
    settings.law = law;
    settings.tolerance = 1e-12;
    if (!CHECK_EQ_INT(ph_cone_solve(workspace, problem, &settings, a.g, a.u, &a.report, &error), PH_OK)) {
        printf("  %s: %s\n", settings.solver, error.text);
    }
    if (!CHECK(a.report.converged)) {
        printf("  %s, law %d: residual %g after %d\n", settings.solver, law, a.report.residual, a.report.iterations);
    }
    CHECK(a.report.residual <= 1e-12);
    CHECK(a.report.certificate <= 1e-11);
    ph_cone_workspace_destroy(workspace);
    return a;
}

// One contact of a point of mass m that arrives with velocity v (normal, tangent, tangent).
static answer solve_point(double mass, const double v[3], double mu, int solver, ph_contact_law law)
{
    scene *s = scene_make();
    scene_body(s, mass, ph_vec(1, 1, 1), ph_vec(v[1], v[2], v[0]), ph_zero3());
    s->cone[s->cones++] = (ph_cone){.kind = PH_CONE_FRICTION, .friction = mu};
    const ph_vec3 axes[] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}, none = {0, 0, 0};
    for (int k = 0; k < 3; k++) scene_add_row(s, SCENE_GROUND, 0, axes[k], &none, &none);
    const ph_cone_problem problem = scene_problem(s);
    const answer a = solve(&problem, solver, law);
    scene_free(s);
    return a;
}

#define EVERY_SOLVER(solver) for (int solver = 0; solver < ph_cone_solver_count(); solver++)
#define EVERY_LAW(law) for (int law = 0; law < 2; law++)

static void check_vector(const double *a, double x, double y, double z, double tolerance)
{
    CHECK_NEAR(a[0], x, tolerance);
    CHECK_NEAR(a[1], y, tolerance);
    CHECK_NEAR(a[2], z, tolerance);
}

TEST(one_contact_separates)
{
    EVERY_SOLVER(k) EVERY_LAW(l)
    {
        // under the relaxed law a contact opens only when u_n >= mu |u_t|
        const answer a = solve_point(2.0, (double[]){1.0, 0.3, -0.4}, 0.5, k, laws[l]);
        check_vector(a.g, 0, 0, 0, 0);
        check_vector(a.u, 1.0, 0.3, -0.4, 1e-15);
    }
}

TEST(one_contact_sticks)
{
    EVERY_SOLVER(k) EVERY_LAW(l)
    {
        const answer a = solve_point(2.0, (double[]){-1.0, 0.3, -0.3}, 0.5, k, laws[l]);
        check_vector(a.g, 2.0, -0.6, 0.6, 1e-11);
        check_vector(a.u, 0, 0, 0, 1e-12);
    }
}

// g_n = -m v_n, g_t = -mu g_n t, u_n = 0.
TEST(one_contact_slips_under_coulomb)
{
    EVERY_SOLVER(k)
    {
        const answer a = solve_point(2.0, (double[]){-1.0, 0.6, -0.8}, 0.5, k, PH_LAW_COULOMB);
        check_vector(a.g, 2.0, -0.6, 0.8, 1e-11);
        check_vector(a.u, 0.0, 0.3, -0.4, 1e-11);
    }
}

// The relaxed law projects: g = P(-m v), and the contact opens with u_n = mu |u_t|.
TEST(one_contact_slips_under_the_relaxed_law)
{
    EVERY_SOLVER(k)
    {
        const answer a = solve_point(2.0, (double[]){-1.0, 0.6, -0.8}, 0.5, k, PH_LAW_RELAXED);
        double expected[3];
        ph_cone_project(&(ph_cone){.kind = PH_CONE_FRICTION, .friction = 0.5}, (double[]){2.0, -1.2, 1.6}, expected);
        check_vector(a.g, expected[0], expected[1], expected[2], 1e-11);
        CHECK_NEAR(a.u[0], 0.5 * sqrt(a.u[1] * a.u[1] + a.u[2] * a.u[2]), 1e-11);
    }
}

TEST(friction_zero_and_large)
{
    EVERY_SOLVER(k) EVERY_LAW(l)
    {
        const answer smooth = solve_point(3.0, (double[]){-1.0, 5.0, 7.0}, 0.0, k, laws[l]);
        check_vector(smooth.g, 3.0, 0, 0, 1e-11);
        check_vector(smooth.u, 0, 5, 7, 1e-11);
        const answer rough = solve_point(3.0, (double[]){-1e-3, 5.0, 7.0}, 1e6, k, laws[l]);
        check_vector(rough.u, 0, 0, 0, 1e-11);
        check_vector(rough.g, 3e-3, -15.0, -21.0, 1e-9);
    }
}

// Two contacts without friction, of which one would have to pull if both were to close: N = (1 1/2; 1/2 1), q = (-1, 0).
TEST(frictionless_contacts_do_not_pull)
{
    const int row[] = {0, 0, 3, 3, 1, 2, 4, 5}, column[] = {0, 3, 0, 3, 1, 2, 4, 5};
    const double value[] = {1, 0.5, 0.5, 1, 1, 1, 1, 1}, q[6] = {-1, 0, 0, 0, 0, 0};
    const ph_cone cones[2] = {{.kind = PH_CONE_FRICTION}, {.kind = PH_CONE_FRICTION}};
    ph_cone_matrix *matrix = NULL;
    CHECK_EQ_INT(ph_cone_matrix_create(6, 8, row, column, value, &matrix, NULL), PH_OK);
    const ph_cone_problem problem = {2, cones, q, ph_cone_matrix_operator(matrix)};
    EVERY_SOLVER(k) EVERY_LAW(l)
    {
        const answer a = solve(&problem, k, laws[l]);
        check_vector(a.g, 1, 0, 0, 1e-12);
        check_vector(a.g + 3, 0, 0, 0, 1e-12);
        check_vector(a.u, 0, 0, 0, 1e-12);
        check_vector(a.u + 3, 0.5, 0, 0, 1e-12);
    }
    ph_cone_matrix_destroy(matrix);
}

// A certificate sees impulses that pull, whatever the solvers think of them.
TEST(certificates_see_what_is_wrong)
{
    const ph_cone cones[2] = {{.kind = PH_CONE_FRICTION, .friction = 0.5}, {.kind = PH_CONE_HALF_LINE}};
    const int index[] = {0, 1, 2, 3};
    const double value[] = {1, 1, 1, 2};
    ph_cone_matrix *matrix = NULL;
    CHECK_EQ_INT(ph_cone_matrix_create(4, 4, index, index, value, &matrix, NULL), PH_OK);
    const struct {
        double q[4], g[4], coulomb, relaxed;
    } cases[] = {
        {{-1, 0.25, 0, -1}, {1, -0.25, 0, 0.5}, 0, 0},        // sticks
        {{-1, 2, 0, 1}, {1, -0.5, 0, 0}, 0, 0.5},             // slips: u = (0, 1.5, 0), which the relaxed law lifts
        {{-1, 2, 0, 1}, {1.6, -0.8, 0, 0}, 0.6, 0},           // slips under the relaxed law: u = (0.6, 1.2, 0)
        {{1, 0, 0, 0}, {-1, 0, 0, 0}, 1, 1},                  // pulls
        {{1, 0, 0, 1}, {0, 0, 0, -0.5}, 1, 1},                // a limit pulls
        {{-1, 0, 0, 0}, {0.5, 0, 0, 0}, 0.5, 0.5},            // goes on falling
        {{-1, 0, 0, 0}, {1, 0.5, 0, 0}, 0.5, 0.5},            // friction pushes
        {{-1, 2, 0, 0}, {1, -1, 0, 0}, 1.0 / 3.0, 1.0 / 3.0}, // more friction than there is
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double u[4];
        const ph_cone_problem problem = {2, cones, cases[k].q, ph_cone_matrix_operator(matrix)};
        CHECK_NEAR(ph_cone_certify(&problem, PH_LAW_COULOMB, cases[k].g, u), cases[k].coulomb, 1e-15);
        CHECK_NEAR(ph_cone_certify(&problem, PH_LAW_RELAXED, cases[k].g, u), cases[k].relaxed, 1e-15);
    }
    ph_cone_matrix_destroy(matrix);
}

// A sphere strikes a plane: N = diag(1, 7/2, 7/2)/m, it sticks iff v_t <= 7/2 mu v_n.
TEST(oblique_impact_of_a_sphere)
{
    const double m = 0.7, r = 0.2, mu = 0.3, threshold = 3.5 * mu;
    EVERY_SOLVER(k)
    {
        for (int side = -1; side <= 1; side += 2) {
            scene *s = scene_make();
            const ph_vec3 inertia = ph_scale(0.4 * m * r * r, ph_vec(1, 1, 1));
            const double v_t = threshold * (1.0 + 1e-3 * side);
            scene_body(s, m, inertia, ph_vec(v_t, 0, -1), ph_zero3());
            scene_contact(s, SCENE_GROUND, 0, ph_vec(0, 0, 1), ph_zero3(), ph_vec(0, 0, -r), (ph_cone){.friction = mu});
            const ph_cone_problem problem = scene_problem(s);
            const answer a = solve(&problem, k, PH_LAW_COULOMB);
            const double slip = sqrt(a.u[1] * a.u[1] + a.u[2] * a.u[2]);
            CHECK_NEAR(slip, side < 0 ? 0.0 : v_t - threshold, 1e-11);
            CHECK_NEAR(a.g[0], m, 1e-11);
            scene_free(s);
        }
    }
}

// J = m v / (1 + 3 cos^2 t): the lower end of a rod at 30 degrees strikes smooth ground.
TEST(rod_strikes_with_its_end)
{
    const double length = 1.0, angle = 0.52359877559829887308;
    EVERY_SOLVER(k) EVERY_LAW(l)
    {
        scene *s = scene_make();
        const double I = length * length / 12;
        scene_body(s, 1.0, ph_vec(I, I, I), ph_vec(0, 0, -1), ph_zero3());
        const ph_vec3 arm = ph_scale(-0.5 * length, ph_vec(cos(angle), 0, sin(angle)));
        scene_contact(s, SCENE_GROUND, 0, ph_vec(0, 0, 1), ph_zero3(), arm, (ph_cone){.friction = 0.0});
        const ph_cone_problem problem = scene_problem(s);
        const answer a = solve(&problem, k, laws[l]);
        CHECK_NEAR(a.g[0], 4.0 / 13.0, 1e-12); // 0.307692
        scene_free(s);
    }
}

// A ball in a smooth V-groove of half-angle a carries m g h / (2 sin a) on each side.
TEST(wedge_carries_its_ball)
{
    const double m = 1.5, gh = 0.0981, a = 0.6;
    EVERY_SOLVER(k) EVERY_LAW(l)
    {
        scene *s = scene_make();
        scene_body(s, m, ph_vec(1, 1, 1), ph_vec(0, 0, -gh), ph_zero3());
        for (int side = -1; side <= 1; side += 2) {
            const ph_vec3 n = ph_vec(side * cos(a), 0, sin(a));
            scene_contact(s, SCENE_GROUND, 0, n, ph_zero3(), ph_scale(-0.3, n), (ph_cone){.friction = 0.0});
        }
        const ph_cone_problem problem = scene_problem(s);
        const answer solved = solve(&problem, k, laws[l]);
        CHECK_NEAR(solved.g[0], m * gh / (2 * sin(a)), 1e-11);
        CHECK_NEAR(solved.g[3], m * gh / (2 * sin(a)), 1e-11);
        scene_free(s);
    }
}

// A block of 1 kg on a smooth wedge of 2 kg at 30 degrees, itself on smooth ground: N = 7.551742 h, wedge 1.887935 h.
TEST(block_slides_on_a_wedge_that_slides)
{
    const double h = 1e-2, g = 9.81, a = 0.52359877559829887308;
    EVERY_SOLVER(k) EVERY_LAW(l)
    {
        scene *s = scene_make();
        const int wedge = scene_body(s, 2.0, ph_vec(1e9, 1e9, 1e9), ph_vec(0, 0, -g * h), ph_zero3());
        const int block = scene_body(s, 1.0, ph_vec(1e9, 1e9, 1e9), ph_vec(0, 0, -g * h), ph_zero3());
        scene_contact(s, SCENE_GROUND, wedge, ph_vec(0, 0, 1), ph_zero3(), ph_zero3(), (ph_cone){.friction = 0});
        scene_contact(s, wedge, block, ph_vec(sin(a), 0, cos(a)), ph_zero3(), ph_zero3(), (ph_cone){.friction = 0});
        const ph_cone_problem problem = scene_problem(s);
        const answer solved = solve(&problem, k, laws[l]);
        CHECK_NEAR(solved.g[3] / h, 7.551742, 1e-6);
        CHECK_NEAR(solved.g[3] * sin(a) / 2.0 / h, 1.887935, 1e-6);
        scene_free(s);
    }
}

// A box on four corners: twelve rows, six freedoms. The normal impulses add up to m g h, nothing moves.
static void add_box(scene *s, double mass, double mu, double tilt, double gh)
{
    const double I = mass / 6;
    const int b = scene_body(s, mass, ph_vec(I, I, I), ph_scale(-gh, ph_vec(sin(tilt), 0, cos(tilt))), ph_zero3());
    for (int corner = 0; corner < 4; corner++) {
        const ph_vec3 arm = ph_vec(corner & 1 ? 0.5 : -0.5, corner & 2 ? 0.5 : -0.5, -0.5);
        scene_contact(s, SCENE_GROUND, b, ph_vec(0, 0, 1), ph_zero3(), arm, (ph_cone){.friction = mu});
    }
}

TEST(box_on_four_corners)
{
    EVERY_SOLVER(k) EVERY_LAW(l)
    {
        scene *s = scene_make();
        add_box(s, 3.0, 0.5, 0.0, 0.0981);
        const ph_cone_problem problem = scene_problem(s);
        const answer a = solve(&problem, k, laws[l]);
        CHECK_NEAR(a.g[0] + a.g[3] + a.g[6] + a.g[9], 3.0 * 0.0981, 1e-10);
        for (int r = 0; r < 12; r++) CHECK_NEAR(a.u[r], 0.0, 1e-12);
        scene_free(s);
    }
}

// A box on an incline does not creep below the friction angle, and slides with g h (sin - mu cos) above it.
TEST(box_on_an_incline)
{
    const double mu = 0.5, h = 0.005, g = 9.81;
    EVERY_SOLVER(k)
    {
        for (int side = -1; side <= 1; side += 2) {
            const double tilt = atan(mu) + 0.01 * side;
            scene *s = scene_make();
            add_box(s, 1.0, mu, tilt, g * h);
            const ph_cone_problem problem = scene_problem(s);
            const answer a = solve(&problem, k, PH_LAW_COULOMB);
            const double expected = side < 0 ? 0.0 : g * h * (sin(tilt) - mu * cos(tilt));
            for (int c = 0; c < 4; c++) {
                CHECK_NEAR(a.u[3 * c], 0.0, 1e-12);
                CHECK_NEAR(sqrt(a.u[3 * c + 1] * a.u[3 * c + 1] + a.u[3 * c + 2] * a.u[3 * c + 2]), expected, 1e-11);
            }
            scene_free(s);
        }
    }
}

// Interface k of a stack of n equal boxes carries k m g h, also when the top box weighs a thousand times more.
TEST(stack_carries_its_weight)
{
    const double gh = 9.81 * 0.005;
    EVERY_SOLVER(k) EVERY_LAW(l)
    {
        scene *s = scene_make();
        double carried[10] = {0};
        for (int b = 0; b < 10; b++) {
            const double mass = b == 9 ? 1000.0 : 1.0, I = mass / 6;
            scene_body(s, mass, ph_vec(I, I, I), ph_vec(0, 0, -gh), ph_zero3());
            for (int below = 0; below <= b; below++) carried[below] += mass * gh;
            const ph_vec3 up = {0, 0, 1}, top = {0, 0, 0.5};
            for (int corner = 0; corner < 4; corner++) {
                const ph_vec3 arm = ph_vec(corner & 1 ? 0.5 : -0.5, corner & 2 ? 0.5 : -0.5, -0.5);
                scene_contact(s, b - 1, b, up, ph_add(arm, ph_scale(2, top)), arm, (ph_cone){.friction = 0.4});
            }
        }
        const ph_cone_problem problem = scene_problem(s);
        const answer a = solve(&problem, k, laws[l]);
        for (int b = 0; b < 10; b++) {
            double sum = 0.0;
            for (int c = 4 * b; c < 4 * b + 4; c++) sum += a.g[3 * c];
            CHECK_REL(sum, carried[b], 1e-8);
        }
        scene_free(s);
    }
}

// A contact whose body cannot move: no impulse does anything there. The others are solved as if it were not there.
TEST(contact_that_nothing_moves)
{
    EVERY_SOLVER(k) EVERY_LAW(l)
    {
        scene *s = scene_make();
        scene_body(s, 2.0, ph_vec(1, 1, 1), ph_vec(0.1, 0, -1), ph_zero3());
        scene_contact(s, SCENE_GROUND, SCENE_GROUND, ph_vec(0, 0, 1), ph_zero3(), ph_zero3(),
                      (ph_cone){.friction = 0.5});
        scene_contact(s, SCENE_GROUND, 0, ph_vec(0, 0, 1), ph_zero3(), ph_zero3(), (ph_cone){.friction = 0.5});
        s->bias[0] = 0.5;
        const ph_cone_problem problem = scene_problem(s);
        const answer a = solve(&problem, k, laws[l]);
        check_vector(a.g, 0, 0, 0, 1e-12);
        CHECK_NEAR(a.g[3], 2.0, 1e-10);
        scene_free(s);
    }
}

// The same with a bias that cannot be met: the answer says so and the rest is still good.
TEST(bias_that_cannot_be_met)
{
    EVERY_SOLVER(k)
    {
        scene *s = scene_make();
        scene_body(s, 2.0, ph_vec(1, 1, 1), ph_vec(0, 0, -1), ph_zero3());
        scene_contact(s, SCENE_GROUND, SCENE_GROUND, ph_vec(0, 0, 1), ph_zero3(), ph_zero3(),
                      (ph_cone){.friction = 0.5});
        scene_contact(s, SCENE_GROUND, 0, ph_vec(0, 0, 1), ph_zero3(), ph_zero3(), (ph_cone){.friction = 0.5});
        s->bias[0] = -0.5;
        const ph_cone_problem problem = scene_problem(s);
        ph_cone_settings settings = ph_default_cone();
        settings.solver = ph_cone_solver_get(k).name;
        settings.iterations = 300;
        double g[6] = {0};
        ph_cone_report report;
        ph_cone_workspace *workspace = ph_cone_workspace_create(NULL);
        CHECK_EQ_INT(ph_cone_solve(workspace, &problem, &settings, g, NULL, &report, NULL), PH_OK);
        CHECK(!report.converged);
        CHECK_EQ_INT(report.worst_cone, 0);
        CHECK_NEAR(report.residual, 0.5, 1e-12);
        CHECK_NEAR(g[3], 2.0, 1e-6);
        for (int r = 0; r < 6; r++) CHECK(isfinite(g[r]));
        ph_cone_workspace_destroy(workspace);
        scene_free(s);
    }
}

// A ball that rolls and spins on the ground, pressed by m g h: rolling slows by mu_r m g h / (I + m r^2) while it does
// not slip, spinning by mu_s m g h / I.
TEST(rolling_and_spinning_friction)
{
    const double m = 0.5, r = 0.1, I = 0.4 * m * r * r, gh = 0.05, mu_r = 1e-3, mu_s = 2e-3;
    EVERY_SOLVER(k)
    {
        scene *s = scene_make();
        scene_body(s, m, ph_vec(I, I, I), ph_vec(1.0, 0, -gh), ph_vec(0, 1.0 / r, 3.0));
        const ph_cone cone = {.friction = 0.5, .rolls = true, .rolling = mu_r, .spins = true, .spinning = mu_s};
        scene_contact(s, SCENE_GROUND, 0, ph_vec(0, 0, 1), ph_zero3(), ph_vec(0, 0, -r), cone);
        const ph_cone_problem problem = scene_problem(s);
        const answer a = solve(&problem, k, PH_LAW_COULOMB);
        CHECK_NEAR(a.g[0], m * gh, 1e-10);
        CHECK_NEAR(sqrt(a.g[3] * a.g[3] + a.g[4] * a.g[4]), mu_r * m * gh, 1e-12);
        const double rolling = sqrt(a.u[3] * a.u[3] + a.u[4] * a.u[4]);
        CHECK_NEAR(rolling, 1.0 / r - mu_r * m * gh / (I + m * r * r), 1e-9);
        CHECK_NEAR(a.u[5], 3.0 - mu_s * m * gh / I, 1e-9);
        scene_free(s);
    }
}

// A motor that wants speed 3 from rest but may not push more than 1; a joint with friction that holds.
TEST(bounded_motor_and_joint_friction)
{
    const ph_vec3 none = {0, 0, 0};
    EVERY_SOLVER(k) EVERY_LAW(l)
    {
        scene *s = scene_make();
        scene_body(s, 2.0, ph_vec(1, 1, 1), ph_zero3(), ph_zero3());
        scene_body(s, 2.0, ph_vec(1, 1, 1), ph_vec(0.4, 0, 0), ph_zero3());
        scene_line(s, SCENE_GROUND, 0, ph_vec(1, 0, 0), none, none,
                   (ph_cone){.kind = PH_CONE_INTERVAL, .low = -1, .high = 1});
        s->bias[0] = -3.0;
        scene_line(s, SCENE_GROUND, 1, ph_vec(1, 0, 0), none, none,
                   (ph_cone){.kind = PH_CONE_INTERVAL, .low = -1, .high = 1});
        const ph_cone_problem problem = scene_problem(s);
        const answer a = solve(&problem, k, laws[l]);
        CHECK_NEAR(a.g[0], 1.0, 1e-12);
        CHECK_NEAR(a.u[0], -2.5, 1e-12);
        CHECK_NEAR(a.g[1], -0.8, 1e-11);
        CHECK_NEAR(a.u[1], 0.0, 1e-12);
        scene_free(s);
    }
}

// A pendulum of two balls hung by joints as free rows, the lower one stopped by a limit.
TEST(joints_and_a_limit)
{
    const ph_vec3 none = {0, 0, 0};
    EVERY_SOLVER(k) EVERY_LAW(l)
    {
        scene *s = scene_make();
        scene_body(s, 1.0, ph_vec(1, 1, 1), ph_vec(0.2, 0, -0.1), ph_zero3());
        scene_body(s, 3.0, ph_vec(1, 1, 1), ph_vec(-0.5, 0, -0.1), ph_zero3());
        scene_line(s, SCENE_GROUND, 0, ph_vec(0, 0, 1), none, none, (ph_cone){.kind = PH_CONE_FREE});
        scene_line(s, 0, 1, ph_vec(0, 0, 1), none, none, (ph_cone){.kind = PH_CONE_FREE});
        scene_line(s, SCENE_GROUND, 1, ph_vec(1, 0, 0), none, none, (ph_cone){.kind = PH_CONE_HALF_LINE});
        const ph_cone_problem problem = scene_problem(s);
        const answer a = solve(&problem, k, laws[l]);
        CHECK_NEAR(a.g[0], 0.4, 1e-11); // both balls hang on the first row
        CHECK_NEAR(a.g[1], 0.3, 1e-11);
        CHECK_NEAR(a.g[2], 1.5, 1e-11);
        for (int r = 0; r < 3; r++) CHECK_NEAR(a.u[r], 0.0, 1e-11);
        scene_free(s);
    }
}
