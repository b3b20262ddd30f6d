// RATTLie on the two systems that its papers use: the spatial double pendulum of Huang, Yan, Xie and Chen (2022) and the
// heavy top of Bruels, Cardona and Arnold (2012).
//
// Where the numbers come from:
// - the energy errors, the trajectory at t = 0.5, 1, 2 and the error there, the errors of R of the heavy top: independent
//   programs; the trajectory in two formulations that agree to 3e-12. Errors are largest components.
// - x(1) of the heavy top at h = 2^-10 and 2^-11: printed by the Fortran program of the method's author (8 digits);
// - x(1) and Omega(1) of the exact motion: a reference solution of the benchmark.

#include "rig.h"

#include "math/quat.h"

static const double MAX_ENERGY_ERROR_50_S = 0.095; // J; the motion is chaotic, and so is the largest error after 30 s
static const double ENERGY_ERROR_30_S = 0.0726;    // J

// ---- Double pendulum ------------------------------------------------------------------------------------------------

static ph_summary run_pendulum(double until)
{
    ph_model *model = rig_example("double_pendulum.yaml");
    ph_state *state = model ? ph_state_create(model) : NULL;
    ph_summary summary = {0};
    ph_run_def def = ph_default_run();
    def.step = 1e-3;
    def.until = until;
    def.sim.scheme = "rattlie";
    CHECK(state && ph_run(model, state, &def, &summary, NULL) == PH_OK);
    ph_state_destroy(state);
    ph_model_destroy(model);
    return summary;
}

TEST(double_pendulum_keeps_energy_momentum_rotations_and_joints_for_50_s)
{
    NEEDS_YAML;
    const ph_summary s = run_pendulum(50.0);
    CHECK_EQ_INT(s.steps, 50000);
    CHECK(s.energy_max_abs_error <= MAX_ENERGY_ERROR_50_S);
    CHECK(s.energy_max_abs_error >= 0.9 * ENERGY_ERROR_30_S); // it swings: zero would mean that nothing moves
    CHECK(s.has_angular && s.angular_max_error <= 1e-10);
    CHECK(s.orthogonality_max <= 1e-13);
    CHECK(s.position_violation_max <= 1e-14);
    CHECK(s.velocity_violation_max <= 1e-13);
    CHECK(s.iterations_mean <= 3.5); // "about 3 iterations at h = 1e-3"
}

TEST(double_pendulum_energy_error_over_30_s_is_72_6_mJ_within_2_percent)
{
    NEEDS_YAML;
    CHECK_REL(run_pendulum(30.0).energy_max_abs_error, ENERGY_ERROR_30_S, 0.02);
}

typedef struct sample {
    double time;
    ph_vec3 x; // centre of the second rod
    ph_vec3 omega;
} sample;

static const sample reference[] = {
    {0.5, {-0.38349029669, 0.69452277377, -1.15254631624}, {-7.76261558618, 0.0, -6.41265741878}},
    {1.0, {0.37953976268, -1.13528321023, -0.74567596438}, {2.99912846225, 0.0, -5.86178453166}},
    {2.0, {-0.11581561923, 0.38656437589, -0.99905601577}, {-7.23487955676, 0.0, -4.19241951630}},
};
enum { SAMPLES = sizeof reference / sizeof *reference };

typedef struct pendulum_error {
    double position, spin;
} pendulum_error;

static double apart(ph_vec3 a, ph_vec3 b)
{
    return fmax(fmax(fabs(a.x - b.x), fabs(a.y - b.y)), fabs(a.z - b.z));
}

// Largest errors of the second rod at the sample times.
static pendulum_error error_of(const char *scheme, double h)
{
    rig r = rig_open(rig_example("double_pendulum.yaml"), scheme);
    pendulum_error error = {0.0, 0.0};
    double time = 0.0;
    for (int k = 0; k < SAMPLES && r.sim; k++) {
        rig_step(&r, h, (int)lround((reference[k].time - time) / h));
        time = reference[k].time;
        error.position = fmax(error.position, apart(rig_position(&r, 1), reference[k].x));
        error.spin = fmax(error.spin, apart(ph_state_angular_velocities(r.state)[1], reference[k].omega));
    }
    rig_close(&r);
    return error;
}

TEST(double_pendulum_meets_the_reference_within_4_1e_5_m_and_at_second_order)
{
    NEEDS_YAML;
    const pendulum_error e[3] = {error_of("rattlie", 1e-3), error_of("rattlie", 5e-4), error_of("rattlie", 2.5e-4)};
    CHECK(e[0].position < 4.1e-5);
    CHECK_REL(e[0].position, 3.98e-5, 0.005);
    CHECK_REL(e[0].position / e[1].position, 4.0, 0.01);
    CHECK_REL(e[1].position / e[2].position, 4.0, 0.01);
    CHECK_REL(e[0].spin / e[1].spin, 4.0, 0.01);
    CHECK_REL(e[1].spin / e[2].spin, 4.0, 0.01);
}

// The reference itself, met by a scheme that shares nothing with RATTLie but the joints.
TEST(double_pendulum_reference_is_met_by_another_scheme_too)
{
    NEEDS_YAML;
    CHECK(error_of("rkmk4", 5e-4).position < 1e-8);
    CHECK(error_of("rattlie6", 5e-4).position < 1e-9);
}

// ---- Heavy top ------------------------------------------------------------------------------------------------------

static rig top_after_1_s(const char *scheme, int steps)
{
    rig r = rig_open(rig_example("heavy_top.yaml"), scheme);
    if (r.sim) {
        rig_step(&r, 1.0 / steps, steps);
    }
    return r;
}

static void check_8_digits(int steps, ph_vec3 printed)
{
    rig r = top_after_1_s("rattlie", steps);
    const ph_vec3 x = rig_position(&r, 0);
    CHECK_NEAR(x.x, printed.x, 5e-9);
    CHECK_NEAR(x.y, printed.y, 5e-9);
    CHECK_NEAR(x.z, printed.z, 5e-9);
    rig_close(&r);
}

TEST(heavy_top_equals_the_published_values_to_all_8_digits)
{
    NEEDS_YAML;
    check_8_digits(1024, (ph_vec3){0.17341735, 0.63976331, -0.74875185});
    check_8_digits(2048, (ph_vec3){0.17336232, 0.64000732, -0.74855603});
}

static const ph_vec3 top_exact = {0.1733439641, 0.6400885921, -0.7484907911};
static const ph_vec3 top_exact_spin = {-0.822078102, 150.0, -5.923291348};

TEST(heavy_top_converges_to_the_exact_motion_at_second_order)
{
    NEEDS_YAML;
    double error[4], spin[4];
    for (int k = 0; k < 4; k++) {
        rig r = top_after_1_s("rattlie", 1024 << k);
        error[k] = rig_distance(rig_position(&r, 0), top_exact);
        spin[k] = rig_distance(ph_state_angular_velocities(r.state)[0], top_exact_spin);
        rig_close(&r);
    }
    for (int k = 0; k < 3; k++) {
        CHECK_REL(log2(error[k] / error[k + 1]), 2.0, 0.01);
        CHECK_REL(log2(spin[k] / spin[k + 1]), 2.0, 0.01);
    }
}

// The largest entry of R - R_exact, R_exact by a scheme of order 6.
static double turn_error(int steps, ph_mat3 exact)
{
    rig r = top_after_1_s("rattlie", steps);
    const ph_mat3 R = ph_quat_to_mat(ph_state_orientations(r.state)[0]);
    double largest = 0.0;
    for (int k = 0; k < 9; k++) {
        largest = fmax(largest, fabs(R.m[k / 3][k % 3] - exact.m[k / 3][k % 3]));
    }
    rig_close(&r);
    return largest;
}

TEST(heavy_top_rotation_errors_are_those_published)
{
    NEEDS_YAML;
    rig r = top_after_1_s("rattlie6", 8192);
    const ph_mat3 exact = ph_quat_to_mat(ph_state_orientations(r.state)[0]);
    CHECK(rig_distance(rig_position(&r, 0), top_exact) < 2e-10);
    rig_close(&r);
    CHECK_REL(turn_error(1024, exact), 5.87e-4, 0.005);
    CHECK_REL(turn_error(16384, exact), 2.29e-6, 0.005);
}

// ---- Symmetry in time -----------------------------------------------------------------------------------------------

// Forth and back by the same steps: the map of -h is the inverse of that of h, up to rounding that the motion amplifies.
static void check_reversal(const char *file, double h, int steps, double tolerance)
{
    rig r = rig_open(rig_example(file), "rattlie");
    ph_state *start = ph_state_create(r.model);
    ph_state_copy(start, r.state);
    if (rig_step(&r, h, steps)) {
        CHECK(rig_distance(rig_position(&r, 0), ph_state_positions(start)[0]) > 1e-2); // it has gone somewhere
        rig_step(&r, -h, steps);
    }
    for (int b = 0; b < ph_model_bodies(r.model); b++) {
        CHECK(rig_distance(rig_position(&r, b), ph_state_positions(start)[b]) < tolerance);
        CHECK(rig_distance(ph_state_velocities(r.state)[b], ph_state_velocities(start)[b]) < 100.0 * tolerance);
        CHECK(rig_distance(ph_state_angular_velocities(r.state)[b], ph_state_angular_velocities(start)[b]) <
              100.0 * tolerance);
    }
    CHECK_NEAR(ph_state_time(r.state), 0.0, 1e-12);
    ph_state_destroy(start);
    rig_close(&r);
}

TEST(forth_and_back_leads_to_the_start)
{
    NEEDS_YAML;
    check_reversal("double_pendulum.yaml", 1e-3, 500, 1e-12);
    check_reversal("double_pendulum.yaml", 1e-2, 100, 1e-12);
    check_reversal("heavy_top.yaml", 0x1p-10, 500, 1e-12);
    check_reversal("four_bar.yaml", 1e-3, 500, 1e-12);
    check_reversal("slider_crank.yaml", 2e-4, 500, 1e-12);
}

// ---- Free bodies ----------------------------------------------------------------------------------------------------

static ph_vec3 difference(ph_vec3 a, ph_vec3 b)
{
    return (ph_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double size(ph_vec3 a)
{
    return rig_distance(a, (ph_vec3){0.0, 0.0, 0.0});
}

static double largest_energy_error(rig *r, double h, int steps, double angular_tolerance)
{
    const ph_measures start = rig_measure(r);
    double largest = 0.0;
    for (int k = 0; k < steps && rig_step(r, h, 1); k++) {
        const ph_measures now = rig_measure(r);
        largest = fmax(largest, fabs(now.total - start.total));
        CHECK(size(difference(now.linear, start.linear)) <= 1e-13 * (1.0 + size(start.linear)));
        CHECK(size(difference(now.angular, start.angular)) <= angular_tolerance);
    }
    return largest;
}

// The Dzhanibekov body flips again and again; over a hundred flips energy does not drift.
TEST(free_body_keeps_momentum_and_does_not_lose_energy)
{
    NEEDS_YAML;
    rig r = rig_open(rig_example("dzhanibekov.yaml"), "rattlie");
    const double early = largest_energy_error(&r, 1e-2, 5000, 1e-12);
    const double late = largest_energy_error(&r, 1e-2, 50000, 1e-12);
    CHECK(early > 1e-7 && late < 3.0 * early);
    rig_close(&r);
}

// Two tumbling bodies on a common ball joint, flying through empty space.
static ph_model *tumbling_pair(void)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_body_def body = ph_default_body();
    body.name = "left";
    body.mass = 2.0;
    body.inertia = (ph_mat3){{{0.3, 0.02, 0.0}, {0.02, 0.5, -0.03}, {0.0, -0.03, 0.4}}};
    body.position = (ph_vec3){-0.5, 0.0, 0.0};
    body.velocity = (ph_vec3){0.3, -0.2, 0.1 + 0.5 * 4.0};
    body.angular_velocity = (ph_vec3){1.0, 4.0, 0.0};
    const int left = ph_spec_add_body(spec, &body);
    body.name = "right";
    body.position = (ph_vec3){0.5, 0.0, 0.0};
    body.velocity = (ph_vec3){0.3, -0.2 - 0.5 * 3.0, 0.1 + 0.5 * 2.0};
    body.angular_velocity = (ph_vec3){0.5, -2.0, -3.0};
    const int right = ph_spec_add_body(spec, &body);
    ph_joint_def joint = ph_default_joint();
    joint.name = "between";
    joint.type = "ball";
    joint.body_a = left;
    joint.body_b = right;
    joint.has_anchor = true;
    ph_spec_add_joint(spec, &joint);
    ph_model *model = NULL;
    CHECK_EQ_INT(ph_model_compile(spec, NULL, &model), PH_OK);
    ph_spec_destroy(spec);
    return model;
}

TEST(free_pair_on_a_ball_joint_keeps_both_momenta)
{
    rig r = rig_open(tumbling_pair(), "rattlie");
    const double error = largest_energy_error(&r, 1e-2, 5000, 1e-11);
    CHECK(error > 1e-9 && error < 0.02 * rig_measure(&r).kinetic);
    CHECK(rig_measure(&r).position_violation <= 1e-13); // it has flown 15 m away: 13 digits are left of positions
    CHECK(rig_measure(&r).velocity_violation <= 1e-13);
    rig_close(&r);
}
