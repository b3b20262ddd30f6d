// The heavy top of Bruels, Cardona and Arnold (2012), a benchmark for Lie-group time integration: 15 kg at 1 m from a
// fixed point, spinning at 150 rad/s. Reference values: an independent solution in reduced coordinates, and EXUDYN
// (https://github.com/jgerstmayr/EXUDYN, example heavyTop), which prints the angular velocity in the world.

#include "benchmark.h"

static const char file[] = "heavy_top.yaml";
static const ph_vec3 x_1 = {0.1733439641, 0.6400885921, -0.7484907911}, omega_1 = {-0.822078102, 150.0, -5.923291348},
                     x_2 = {-0.1504168227, -0.7241655916, -0.6730222696};
static const double energy = 5435.6967908655;

static double error_at_1_s(const rig *r)
{
    return fmax(benchmark_apart(rig_position(r, 0), x_1),
                benchmark_apart(ph_state_angular_velocities(r->state)[0], omega_1));
}

static double error_at_2_s(const rig *r)
{
    return benchmark_apart(rig_position(r, 0), x_2);
}

static double error_of_spin(const rig *r, double published)
{
    const ph_vec3 world = ph_quat_rotate(ph_state_orientations(r->state)[0], ph_state_angular_velocities(r->state)[0]);
    return fabs(world.y - published);
}

static double error_of_spin_at_10_ms(const rig *r)
{
    return error_of_spin(r, 149.8473939540758);
}

static double error_of_spin_at_2_s(const rig *r)
{
    return error_of_spin(r, -106.163804143);
}

static const benchmark at_1_s = {file, 1.0, error_at_1_s}, at_2_s = {file, 2.0, error_at_2_s},
                       spin_at_10_ms = {file, 0.01, error_of_spin_at_10_ms},
                       spin_at_2_s = {file, 2.0, error_of_spin_at_2_s};

TEST(rattlie_converges_at_order_2)
{
    NEEDS_YAML;
    benchmark_check_order(&at_1_s, "rattlie", 2048, 3, 2.0, 0.02);
    benchmark_check_order(&at_2_s, "rattlie", 4096, 3, 2.0, 0.02);
}

TEST(compositions_reach_1e_8)
{
    NEEDS_YAML;
    benchmark_check_error(&at_1_s, "rattlie4", 16384, 1e-8);
    benchmark_check_error(&at_1_s, "rattlie6", 8192, 1e-8);
    benchmark_check_error(&at_2_s, "rattlie6", 16384, 1e-8);
    benchmark_check_error(&spin_at_10_ms, "rattlie6", 100, 1e-8);
    benchmark_check_error(&spin_at_2_s, "rattlie6", 16384, 1e-8);
}

TEST(the_closed_form_agrees)
{
    NEEDS_YAML;
    benchmark_check_error(&at_1_s, "exact", 1, 1e-9);
    benchmark_check_error(&at_2_s, "exact", 1, 1e-10);
    benchmark_check_error(&spin_at_10_ms, "exact", 1, 1e-11);
    benchmark_check_error(&spin_at_2_s, "exact", 1, 1e-9);
}

TEST(energy_at_the_start)
{
    NEEDS_YAML;
    rig r = rig_open(rig_example(file), "rattlie");
    CHECK_NEAR(rig_measure(&r).total, energy, 1e-9);
    rig_close(&r);
}

// ---- Error of R against h -------------------------------------------------------------------------------------------

static ph_mat3 rotation_after_1_s(const char *scheme, int steps)
{
    rig r = rig_open(rig_example(file), scheme);
    rig_step(&r, 1.0 / steps, steps);
    const ph_mat3 R = ph_quat_to_mat(ph_state_orientations(r.state)[0]);
    rig_close(&r);
    return R;
}

// The largest entry of R - R_exact.
static double rotation_error(const char *scheme, int steps, ph_mat3 exact)
{
    const ph_mat3 R = rotation_after_1_s(scheme, steps);
    double largest = 0.0;
    for (int k = 0; k < 9; k++) {
        largest = fmax(largest, fabs(R.m[k / 3][k % 3] - exact.m[k / 3][k % 3]));
    }
    return largest;
}

// Largest entries of R - R_exact from independent programs of the same equations. lgvi moves mass points along chords,
// which makes the spin wrong by (h Omega)^2/6: its errors are a thousand times larger.
TEST(rotation_errors_are_those_of_independent_programs)
{
    NEEDS_YAML;
    static const struct {
        const char *scheme;
        int steps;
        double error;
    } table[] = {
        {"rattlie", 1024, 5.87e-4},    {"rattlie", 16384, 2.29e-6}, {"lie-alpha", 1024, 7.05e-3},
        {"lie-alpha", 16384, 2.73e-5}, {"lgvi", 1024, 0.528},       {"lgvi", 2048, 0.131},
    };
    const ph_mat3 exact = rotation_after_1_s("exact", 1);
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        const double error = rotation_error(table[k].scheme, table[k].steps, exact);
        printf("  %-9s h = 1/%-5d error of R %.4g, expected %.3g\n", table[k].scheme, table[k].steps, error,
               table[k].error);
        CHECK_REL(error, table[k].error, 0.05);
    }
}

// x(1) at h = 2^-10, by the program of RATTLie's author (8 digits printed) and by one of our own for lie-alpha.
TEST(positions_are_those_of_independent_programs)
{
    NEEDS_YAML;
    const ph_vec3 rattlie = ph_vec(0.17341735, 0.63976331, -0.74875185);
    const ph_vec3 lie_alpha = ph_vec(0.17263311132598, 0.63491086830592, -0.75305112587456);
    rig r = rig_open(rig_example(file), "rattlie");
    CHECK(rig_step(&r, 0x1p-10, 1024) && benchmark_apart(rig_position(&r, 0), rattlie) <= 5e-9);
    rig_close(&r);
    r = rig_open(rig_example(file), "lie-alpha");
    CHECK(rig_step(&r, 0x1p-10, 1024) && benchmark_apart(rig_position(&r, 0), lie_alpha) <= 1e-11);
    rig_close(&r);
}
