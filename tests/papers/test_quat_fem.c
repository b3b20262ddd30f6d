// quat-fem on the tops of Xu and Zhong (2014), and what the paper leaves open: any model.
//
// Steps are given as in the paper, by Dt~ = omega_z' Dt. Numbers without other source are those of an independent program
// (numpy, eq (29) to (32) written down directly) or of the exact motion.

#include "paper_top.h"

#include "scenes.h"

static const double SPIN = 40.0 * M_PI;

// ---- What is kept ---------------------------------------------------------------------------------------------------

typedef struct kept {
    double norm;                                       // largest ||q| - 1|
    double vertical, spin;                             // largest change of L_z and of omega_3
    double low, high;                                  // range of H - H_0
    double first_low, first_high, last_low, last_high; // in the first and last tenth of the steps
} kept;

static void widen(double value, double *low, double *high)
{
    *low = value < *low ? value : *low;
    *high = value > *high ? value : *high;
}

static void keep_largest(double value, double *largest)
{
    *largest = value <= *largest ? *largest : value;
}

static double norm_error(ph_quat q)
{
    const long double w = q.w, x = q.x, y = q.y, z = q.z;
    return (double)fabsl(sqrtl(w * w + x * x + y * y + z * z) - 1.0L);
}

static kept run_top(const paper_top *top, double h, int steps)
{
    kept k = {0};
    top_run run = top_run_start(top, PH_REFERENCE_ORIGIN, "quat-fem");
    ph_observer *observer = NULL;
    ph_measures start, now;
    CHECK_EQ_INT(ph_observer_create(run.model, &observer), PH_OK);
    ph_observer_measure(observer, run.state, &start);
    for (int n = 1; n <= steps && top_run_steps(&run, h, 1); n++) {
        ph_observer_measure(observer, run.state, &now);
        const double energy = now.total - start.total;
        keep_largest(norm_error(ph_state_orientations(run.state)[0]), &k.norm);
        keep_largest(fabs(now.angular.z - start.angular.z), &k.vertical);
        keep_largest(fabs(ph_state_angular_velocities(run.state)[0].z - top->omega.z), &k.spin);
        widen(energy, &k.low, &k.high);
        if (n <= steps / 10) widen(energy, &k.first_low, &k.first_high);
        if (n > steps - steps / 10) widen(energy, &k.last_low, &k.last_high);
    }
    ph_observer_destroy(observer);
    top_run_end(&run);
    return k;
}

TEST(norm_and_momenta_are_kept_over_100_s)
{
    const paper_top top = paper_start_1();
    const double h = 0.1 / SPIN;
    const kept k = run_top(&top, h, (int)ceil(100.0 / h));
    CHECK_NEAR(k.norm, 0.0, 4e-16);
    CHECK_NEAR(k.vertical, 0.0, 1e-12);
    CHECK_NEAR(k.spin, 0.0, 1e-9);
}

// Figure 5: H stays near 6.6560, but on one side of it.
TEST(hamiltonian_oscillates_on_one_side_and_does_not_drift)
{
    const paper_top top = paper_start_1();
    const double h = 0.02 / SPIN;
    const kept k = run_top(&top, h, (int)ceil(100.0 / h));
    CHECK(k.low >= -9.2e-7 && k.low <= -9.1e-7);
    CHECK(k.high <= 1e-10);
    CHECK_REL(k.last_low, k.first_low, 1e-4);
    CHECK(k.last_high <= 1e-10);
}

TEST(hamiltonian_does_not_drift_in_a_million_steps)
{
    const paper_top top = paper_start_1();
    const kept k = run_top(&top, 0.1 / SPIN, 1000000);
    CHECK_REL(k.last_high - k.last_low, k.first_high - k.first_low, 0.01);
    CHECK_REL(k.last_low, k.first_low, 0.01);
    CHECK_NEAR(k.norm, 0.0, 4e-16);
    CHECK_NEAR(k.vertical, 0.0, 1e-12);
    CHECK_NEAR(k.spin, 0.0, 1e-9);
}

// ---- Accuracy -------------------------------------------------------------------------------------------------------

// Figure 4: largest |z - exact| in 1 s of start 1.
static double height_error(double step)
{
    const paper_top top = paper_start_1();
    top_run run = top_run_start(&top, PH_REFERENCE_ORIGIN, "quat-fem");
    top_run exact = top_run_start(&top, PH_REFERENCE_ORIGIN, "exact");
    const double h = step / SPIN;
    double largest = 0.0;
    for (int n = 0; n < (int)ceil(1.0 / h) && top_run_steps(&run, h, 1); n++) {
        top_run_steps(&exact, h, 1);
        const double z = axis_height(ph_state_orientations(run.state)[0]);
        keep_largest(fabs(z - axis_height(ph_state_orientations(exact.state)[0])), &largest);
    }
    top_run_end(&run);
    top_run_end(&exact);
    return largest;
}

TEST(errors_of_figure_4)
{
    CHECK_REL(height_error(0.01), 1.20e-5, 0.03);
    CHECK_REL(height_error(0.1), 1.20e-3, 0.03);
    CHECK_REL(height_error(1.0), 0.0516, 0.03); // on the limit of what a step can turn
}

TEST(order_is_2)
{
    const double coarse = height_error(0.04), middle = height_error(0.02), fine = height_error(0.01);
    CHECK_NEAR(log2(coarse / middle), 2.0, 0.02);
    CHECK_NEAR(log2(middle / fine), 2.0, 0.02);
}

// A state after `time`, made of steps of time / count.
static void state_after(const paper_top *top, double time, int count, double y[7])
{
    top_run run = top_run_start(top, PH_REFERENCE_ORIGIN, "quat-fem");
    top_run_steps(&run, time / count, count);
    const ph_quat q = ph_state_orientations(run.state)[0];
    const ph_vec3 w = ph_state_angular_velocities(run.state)[0];
    const double all[7] = {q.w, q.x, q.y, q.z, w.x, w.y, w.z};
    memcpy(y, all, sizeof all);
    top_run_end(&run);
}

// Steps of h, h/2, h/4, h/8, extrapolated to none: errors of order h^2, h^4 and h^6 drop out.
static double extrapolated_error(const char *at, int index)
{
    enum { LEVELS = 4 };
    char path[64];
    snprintf(path, sizeof path, "states.%d.t", index);
    const double time = reference_number(at, path);
    const ph_vec3 moments = reference_vector(at, "I");
    const paper_top top = {{moments.x, moments.y, moments.z}, reference_quat(at, "q0"), reference_vector(at, "w0")};
    double table[LEVELS][7];
    for (int k = 0; k < LEVELS; k++) {
        state_after(&top, time, (int)(time * 5000.0 + 0.5) << k, table[k]);
        for (int j = k - 1; j >= 0; j--) {
            const double factor = pow(4.0, k - j);
            for (int i = 0; i < 7; i++) {
                table[j][i] = table[j + 1][i] + (table[j + 1][i] - table[j][i]) / (factor - 1.0);
            }
        }
    }
    const double *y = table[0];
    return reference_distance(at, index, "w_body", (ph_quat){y[0], y[1], y[2], y[3]}, ph_vec(y[4], y[5], y[6]));
}

TEST(all_reference_states_are_the_limit_of_small_steps)
{
    static const char *const names[] = {"sym_IC1", "sym_IC2", "sym_IC3", "sym_IC1_30pi", "sym_lowspin20", "asym_ex2"};
    char *text = reference_read("top-states.json");
    for (int i = 0; i < 6; i++) {
        const char *at = reference_case(text, names[i]);
        CHECK_EQ_INT(reference_states(at), 4);
        for (int k = 0; k < 4; k++) {
            CHECK_NEAR(extrapolated_error(at, k), 0.0, 1e-9);
        }
    }
    free(text);
}

// ---- Kinds of nutation ----------------------------------------------------------------------------------------------

typedef struct nutation {
    double low, high;           // of z
    double rate_low, rate_high; // of precession, where z is lowest and highest
    double slowest;             // precession, at any time
    double period;
} nutation;

// Precession rate of the axis A: (A x A')_z / (A_x^2 + A_y^2)
static double precession_of(ph_state *state)
{
    const ph_quat q = ph_state_orientations(state)[0];
    const ph_vec3 A = ph_quat_rotate(q, ph_vec(0.0, 0.0, 1.0)),
                  w = ph_quat_rotate(q, ph_state_angular_velocities(state)[0]);
    const ph_vec3 d = ph_cross(w, A);
    return (A.x * d.y - A.y * d.x) / (A.x * A.x + A.y * A.y);
}

static nutation nutation_of(paper_top top, double step, double until)
{
    const double h = step / top.omega.z;
    nutation n = {.low = 2.0, .high = -2.0, .slowest = (double)INFINITY};
    double z[3] = {0}, lowest[2] = {0}; // heights of three steps; times of the first and the last minimum
    int minima = 0;
    top_run run = top_run_start(&top, PH_REFERENCE_ORIGIN, "quat-fem");
    for (int k = 0; k <= (int)(until / h); k++) {
        const double rate = precession_of(run.state);
        z[0] = z[1], z[1] = z[2], z[2] = axis_height(ph_state_orientations(run.state)[0]);
        if (z[2] < n.low) n.low = z[2], n.rate_low = rate;
        if (z[2] > n.high) n.high = z[2], n.rate_high = rate;
        n.slowest = rate < n.slowest ? rate : n.slowest;
        if (k > 1 && z[1] < z[0] && z[1] <= z[2]) { // between: the lowest point of a parabola
            lowest[minima > 0] = h * (k - 1 + 0.5 * (z[0] - z[2]) / (z[0] - 2.0 * z[1] + z[2]));
            minima++;
        }
        top_run_steps(&run, h, 1);
    }
    n.period = (lowest[1] - lowest[0]) / (minima - 1);
    top_run_end(&run);
    return n;
}

TEST(start_1_makes_cusps)
{
    const nutation n = nutation_of(paper_start_1(), 0.01, 1.0);
    CHECK_NEAR(n.low, 0.813568991052, 2e-6);
    CHECK_NEAR(n.high, 0.866025403784, 1e-8);
    CHECK_REL(n.period, 0.144969553977, 2e-5);
    CHECK_REL(n.rate_low, 7.7986, 2e-5);
    CHECK_NEAR(n.rate_high, 0.0, 1e-5);
    CHECK_NEAR(n.slowest, 0.0, 1e-5);
}

TEST(start_2_makes_no_loops)
{
    const nutation n = nutation_of(paper_top_start(M_PI / 3.0, 0.0, 4.0, SPIN), 0.01, 1.0);
    CHECK_NEAR(n.low, 0.5, 1e-8);
    CHECK_NEAR(n.high, 0.517843369775, 3e-6);
    CHECK_REL(n.period, 0.135818938058, 2e-5);
    CHECK_REL(n.rate_low, 4.6188, 2e-5);
    CHECK_REL(n.rate_high, 3.5079, 5e-5);
    CHECK(n.slowest > 3.5);
}

TEST(start_3_makes_loops)
{
    const nutation n = nutation_of(paper_top_start(M_PI / 3.0, 4.0, 0.0, SPIN), 0.01, 1.0);
    CHECK_NEAR(n.low, 0.328644751811, 3e-6);
    CHECK_NEAR(n.high, 0.531754688614, 3e-6);
    CHECK_REL(n.period, 0.132981185066, 2e-5);
    CHECK_REL(n.rate_low, 9.6562, 2e-5);
    CHECK_REL(n.rate_high, -2.2254, 5e-5);
}

// Figure 3
TEST(slower_tops_fall_lower_and_keep_their_cusps)
{
    static const double turns[3] = {30.0, 20.0, 10.0}, low[3] = {0.742105841032, 0.302053828143, -0.630264346667};
    static const double period[3] = {0.220110, 0.384175, 0.403522};
    for (int i = 0; i < 3; i++) {
        const nutation n = nutation_of(paper_top_start(M_PI / 6.0, 0.0, 0.0, turns[i] * M_PI), 0.01, 2.0);
        CHECK_NEAR(n.low, low[i], 2e-5);
        CHECK_NEAR(n.high, 0.866025403784, 1e-7);
        CHECK_REL(n.period, period[i], 2e-5);
        CHECK_NEAR(n.rate_high, 0.0, 1e-4);
        CHECK_NEAR(n.slowest, 0.0, 1e-4);
    }
}

// Example 2: what looks like cusps are tiny loops, and the axis stays in its ring.
TEST(asymmetric_top_makes_tiny_loops)
{
    paper_top top = paper_start_1();
    top.moments[0] = 0.00225, top.moments[1] = 0.00175;
    const nutation n = nutation_of(top, 0.1, 100.0);
    CHECK(n.slowest < -0.02 && n.slowest > -0.03);
    CHECK_NEAR(n.high, 0.866025403784, 1e-6);
    CHECK(n.low > 0.813 && n.low < 0.814);
}

// ---- Relations to other schemes -------------------------------------------------------------------------------------

// Largest distance of all positions, orientations and velocities of two schemes over `steps` steps.
static double largest_distance(ph_model *model, const char *a, const char *b, double h, int steps)
{
    top_run first = top_run_model(model, a), second = top_run_model(model, b);
    const int bodies = ph_model_bodies(model);
    double largest = 0.0;
    for (int n = 0; n < steps && top_run_steps(&first, h, 1) && top_run_steps(&second, h, 1); n++) {
        for (int i = 0; i < bodies; i++) {
            const ph_quat p = ph_state_orientations(first.state)[i], q = ph_state_orientations(second.state)[i];
            keep_largest(ph_norm(ph_sub(ph_state_positions(first.state)[i], ph_state_positions(second.state)[i])),
                         &largest);
            keep_largest(ph_norm(ph_sub(ph_state_velocities(first.state)[i], ph_state_velocities(second.state)[i])),
                         &largest);
            keep_largest(ph_norm(ph_sub(ph_state_angular_velocities(first.state)[i],
                                        ph_state_angular_velocities(second.state)[i])),
                         &largest);
            keep_largest(ph_quat_norm((ph_quat){p.w - q.w, p.x - q.x, p.y - q.y, p.z - q.z}), &largest);
        }
    }
    ph_sim_destroy(first.sim), ph_sim_destroy(second.sim);
    ph_state_destroy(first.state), ph_state_destroy(second.state);
    return largest;
}

TEST(free_body_is_that_of_lgvi)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_body_def body = ph_default_body();
    body.name = "body";
    body.mass = 1.0;
    body.inertia = ph_diag(ph_vec(1.0, 2.0, 3.0));
    body.angular_velocity = (ph_vec3){0.5, 1.0, 0.8};
    body.velocity = (ph_vec3){1.0, 2.0, 3.0};
    ph_spec_add_body(spec, &body);
    ph_model *model = scene_finish(spec);
    CHECK_NEAR(largest_distance(model, "quat-fem", "lgvi", 0.05, 1000), 0.0, 1e-12);
    ph_model_destroy(model);
}

static ph_model *double_pendulum(void)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_body_def rod = ph_default_body();
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, -9.81});
    rod.mass = 61.6538;
    rod.inertia = ph_diag(ph_vec(5.1763, 0.0771, 5.1763));
    rod.name = "rod1";
    rod.position = (ph_vec3){0.0, 0.5, 0.0};
    const int first = ph_spec_add_body(spec, &rod);
    rod.name = "rod2";
    rod.position = (ph_vec3){-0.5, 1.0, 0.0};
    rod.orientation = (ph_quat){sqrt(0.5), 0.0, 0.0, sqrt(0.5)};
    const int second = ph_spec_add_body(spec, &rod);
    scene_ball(spec, "O", PH_WORLD, first, (ph_vec3){0.0, 0.0, 0.0});
    scene_ball(spec, "A", first, second, (ph_vec3){0.0, 1.0, 0.0});
    return scene_finish(spec);
}

TEST(double_pendulum_is_that_of_lgvi)
{
    ph_model *model = double_pendulum();
    CHECK_NEAR(largest_distance(model, "quat-fem", "lgvi", 1e-3, 1000), 0.0, 1e-9);
    ph_model_destroy(model);
}

TEST(joints_are_kept_in_positions_and_velocities)
{
    ph_model *model = double_pendulum();
    ph_state *state = ph_state_create(model);
    ph_run_def def = ph_default_run();
    ph_summary summary;
    def.sim.scheme = "quat-fem";
    def.step = 1e-3;
    def.until = 10.0;
    CHECK_EQ_INT(ph_run(model, state, &def, &summary, NULL), PH_OK);
    CHECK(summary.position_violation_max < 2e-15);
    CHECK(summary.velocity_violation_max < 2e-14);
    CHECK(summary.has_angular && summary.angular_max_error < 1e-9);
    ph_state_destroy(state);
    ph_model_destroy(model);
}

// The choice of the reference point changes the potential of a step, not the limit.
TEST(reference_point_matters_for_gravity)
{
    const paper_top top = paper_start_1();
    ph_model *tip = paper_top_model(&top, PH_REFERENCE_ORIGIN), *com = paper_top_model(&top, PH_REFERENCE_COM);
    CHECK(largest_distance(com, "quat-fem", "lgvi", 0.1 / SPIN, 300) < 1e-10);
    CHECK(largest_distance(tip, "quat-fem", "lgvi", 0.1 / SPIN, 300) > 1e-6);
    ph_model_destroy(tip);
    ph_model_destroy(com);
}

// ---- Bad input ------------------------------------------------------------------------------------------------------

TEST(steps_beyond_the_limit_are_named_with_the_largest_that_works)
{
    const paper_top top = paper_start_1();
    top_run run = top_run_start(&top, PH_REFERENCE_ORIGIN, "quat-fem");
    ph_step_report report;
    for (double step = 1.1; step < 50.0; step *= 1.7) {
        ph_state *before = ph_state_create(run.model);
        CHECK_EQ_INT(ph_sim_step(run.sim, run.state, step / SPIN, &report), PH_NO_CONVERGENCE);
        const char *named = report.advice ? strstr(report.advice, "the largest step that works here is ") : NULL;
        if (CHECK(named != NULL)) {
            const double largest = strtod(named + strlen("the largest step that works here is "), NULL);
            CHECK(largest * SPIN > 0.99 && largest * SPIN < 1.01);
            ph_state_copy(before, run.state); // which the failed step has left alone
            CHECK_EQ_INT(ph_sim_step(run.sim, before, largest, NULL), PH_OK);
            ph_state_reset(before);
            CHECK_EQ_INT(ph_sim_step(run.sim, before, 1.01 * largest, NULL), PH_NO_CONVERGENCE);
        }
        ph_state_destroy(before);
    }
    top_run_end(&run);
}
