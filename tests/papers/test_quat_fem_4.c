// The scheme `quat-fem-4` against its definition, written from parabolas of quaternions and integrated numerically in more
// digits; on the tops of the paper; with dampers and motors. Order, 2-form, reversal and momentum are measured for every scheme
// in tests/unit/test_schemes.c.
#include "paper_top.h"
#include "rig.h"

#include "math/so3.h"
#include "schemes/quadratic_element.h"

typedef long double real;

static const double SPIN = 40.0 * M_PI;

// ---- The action -----------------------------------------------------------------------------------------------------

// q(tau) of the parabola through three quaternions, and its derivative.
static void parabola(const real q[3][4], real tau, real *at, real *rate)
{
    const real N[3] = {(1 - tau) * (1 - 2 * tau), 4 * tau * (1 - tau), tau * (2 * tau - 1)};
    const real D[3] = {4 * tau - 3, 4 - 8 * tau, 4 * tau - 1};
    for (int i = 0; i < 4; i++) {
        at[i] = rate[i] = 0;
        for (int n = 0; n < 3; n++) at[i] += N[n] * q[n][i], rate[i] += D[n] * q[n][i];
    }
}

// The integral of 2 u^T J u, u = Im(conj(q) q'), by five points of Gauss: exact.
static real action(const real *J, const real q[3][4], real h)
{
    const real a = sqrtl(5 - 2 * sqrtl(10 / 7.0L)) / 3, b = sqrtl(5 + 2 * sqrtl(10 / 7.0L)) / 3;
    const real at[5] = {-b, -a, 0, a, b}, s = 13 * sqrtl(70.0L);
    const real weight[5] = {(322 - s) / 900, (322 + s) / 900, 128 / 225.0L, (322 + s) / 900, (322 - s) / 900};
    real S = 0;
    for (int k = 0; k < 5; k++) {
        real p[4], d[4];
        parabola(q, (1 + at[k]) / 2, p, d);
        const real u[3] = {p[0] * d[1] - p[1] * d[0] - p[2] * d[3] + p[3] * d[2],
                           p[0] * d[2] - p[2] * d[0] - p[3] * d[1] + p[1] * d[3],
                           p[0] * d[3] - p[3] * d[0] - p[1] * d[2] + p[2] * d[1]};
        for (int i = 0; i < 3; i++) S += weight[k] / 2 * 2 / h * J[i] * u[i] * u[i];
    }
    return S;
}

// q (cos, sin along axis i of half an angle)
static void turn(real *q, int i, real angle)
{
    const real c = cosl(angle / 2), s = sinl(angle / 2), p[4] = {q[0], q[1], q[2], q[3]};
    const int j = (i + 1) % 3 + 1, l = (i + 2) % 3 + 1, k = i + 1;
    q[0] = c * p[0] - s * p[k];
    q[k] = c * p[k] + s * p[0];
    q[j] = c * p[j] + s * p[l];
    q[l] = c * p[l] - s * p[j];
}

// dS by turns of one node, four-point differences.
static void slopes(const real *J, const real q[3][4], real h, int node, real out[3])
{
    static const real weights[5] = {1, -8, 0, 8, -1};
    const real step = 1e-3L;
    for (int i = 0; i < 3; i++) {
        out[i] = 0;
        for (int k = -2; k <= 2; k++) {
            real moved[3][4];
            memcpy(moved, q, sizeof moved);
            turn(moved[node], i, k * step);
            out[i] += weights[k + 2] * action(J, (const real(*)[4])moved, h) / (12 * step);
        }
    }
}

static void take(ph_quat q, real *to)
{
    to[0] = q.w, to[1] = q.x, to[2] = q.y, to[3] = q.z;
}

static ph_quat small_turn(double size)
{
    return ph_quat_exp(ph_vec(test_uniform(-size, size), test_uniform(-size, size), test_uniform(-size, size)));
}

TEST(slopes_of_the_element_are_those_of_its_action)
{
    const real J[3] = {1.0L, 2.0L, 2.5L};
    const ph_mat3 inertia = ph_diag(ph_vec(1.0, 2.0, 2.5));
    for (int n = 0; n < 10; n++) {
        const ph_quat q0 = small_turn(3.0);
        const quadratic_turn way = {small_turn(0.5), small_turn(1.0)};
        real q[3][4], by_start[3], by_middle[3];
        take(q0, q[0]);
        take(ph_quat_mul(q0, way.to_middle), q[1]);
        take(ph_quat_mul(q0, way.to_end), q[2]);
        slopes(J, (const real(*)[4])q, 0.1L, 0, by_start);
        slopes(J, (const real(*)[4])q, 0.1L, 1, by_middle);
        ph_vec3 found[2];
        quadratic_slopes(&inertia, &way, 0.1, found);
        CHECK_NEAR(rig_distance(found[AT_START], ph_vec((double)by_start[0], (double)by_start[1], (double)by_start[2])),
                   0.0, 1e-8);
        CHECK_NEAR(
            rig_distance(found[AT_MIDDLE], ph_vec((double)by_middle[0], (double)by_middle[1], (double)by_middle[2])),
            0.0, 1e-8);
    }
}

TEST(blocks_of_the_element_are_derivatives_of_its_slopes)
{
    const ph_mat3 J = {{{1.0, 0.1, -0.2}, {0.1, 2.0, 0.3}, {-0.2, 0.3, 2.5}}};
    const double h = 0.1, step = 1e-5;
    for (int n = 0; n < 5; n++) {
        const quadratic_turn way = {small_turn(0.5), small_turn(1.0)};
        ph_mat3 K[2][2];
        quadratic_blocks(&J, &way, K);
        for (int by = 0; by < 2; by++)
            for (int i = 0; i < 3; i++) {
                ph_vec3 side[2][2];
                for (int sign = 0; sign < 2; sign++) {
                    const double a = sign ? step : -step;
                    const ph_quat d = ph_quat_exp(ph_vec(i == 0 ? a : 0.0, i == 1 ? a : 0.0, i == 2 ? a : 0.0));
                    quadratic_turn moved = way;
                    ph_quat *which = by == BY_MIDDLE ? &moved.to_middle : &moved.to_end;
                    *which = ph_quat_mul(*which, d);
                    quadratic_slopes(&J, &moved, h, side[sign]);
                }
                for (int row = 0; row < 2; row++) {
                    const ph_vec3 slope = ph_scale(h / (2.0 * step), ph_sub(side[1][row], side[0][row]));
                    CHECK_NEAR(rig_distance(slope, ph_mat_col(K[row][by], i)), 0.0, 1e-7);
                }
            }
    }
}

// A step of a free body makes the action stationary: for the middle that does, the momenta are its slopes at the ends.
TEST(a_step_of_a_free_body_is_stationary)
{
    const real J[3] = {1.0L, 2.0L, 2.5L};
    ph_spec *spec = ph_spec_create(NULL);
    ph_body_def body = ph_default_body();
    body.name = "body";
    body.mass = 1.0;
    body.inertia = ph_diag(ph_vec(1.0, 2.0, 2.5));
    body.angular_velocity = ph_vec(1.0, -2.0, 1.5);
    ph_spec_add_body(spec, &body);
    rig r = rig_build(spec, "quat-fem-4");
    const double h = 0.2;
    real q[3][4], p[3];
    take(ph_state_orientations(r.state)[0], q[0]);
    take(ph_quat_exp(ph_scale(0.5 * h, body.angular_velocity)), q[1]);
    rig_step(&r, h, 1);
    take(ph_state_orientations(r.state)[0], q[2]);
    for (int k = 0; k < 60;
         k++) { // the middle, by steps along the slopes; the curvature is 16/3 J/h or less than twice it
        slopes(J, (const real(*)[4])q, h, 1, p);
        for (int i = 0; i < 3; i++) turn(q[1], i, -p[i] * h * 3 / 16 / J[i]);
    }
    for (int i = 0; i < 3; i++) CHECK_NEAR((double)p[i], 0.0, 1e-12);
    slopes(J, (const real(*)[4])q, h, 0, p);
    const ph_vec3 w = ph_state_angular_velocities(r.state)[0], w0 = body.angular_velocity;
    const double start[3] = {w0.x, w0.y, w0.z}, end[3] = {w.x, w.y, w.z};
    for (int i = 0; i < 3; i++) CHECK_NEAR(-(double)p[i], (double)J[i] * start[i], 1e-9);
    slopes(J, (const real(*)[4])q, h, 2, p);
    for (int i = 0; i < 3; i++) CHECK_NEAR((double)p[i], (double)J[i] * end[i], 1e-9);
    rig_close(&r);
}

// ---- The paper's top ------------------------------------------------------------------------------------------------

static double height(ph_quat q)
{
    return q.w * q.w - q.x * q.x - q.y * q.y + q.z * q.z;
}

// Figure 4 with parabolas: largest |z - exact| in 1 s of start 1.
static double height_error(double step)
{
    const paper_top top = paper_start_1();
    top_run run = top_run_start(&top, PH_REFERENCE_ORIGIN, "quat-fem-4");
    top_run exact = top_run_start(&top, PH_REFERENCE_ORIGIN, "exact");
    const double h = step / SPIN;
    double largest = 0.0;
    for (int n = 0; n < (int)ceil(1.0 / h) && top_run_steps(&run, h, 1); n++) {
        top_run_steps(&exact, h, 1);
        largest = fmax(
            largest, fabs(height(ph_state_orientations(run.state)[0]) - height(ph_state_orientations(exact.state)[0])));
    }
    top_run_end(&run);
    top_run_end(&exact);
    return largest;
}

TEST(figure_4_with_parabolas)
{
    const double whole = height_error(1.0), tenth = height_error(0.1), half_tenth = height_error(0.05);
    CHECK(whole < 0.0516 / 20.0); // of straight lines
    CHECK(tenth < 1.20e-3 / 1000.0);
    CHECK_NEAR(log2(tenth / half_tenth), 4.0, 0.1);
}

// ---- Dampers, motors, loops -----------------------------------------------------------------------------------------

static double miss(const char *text, double h)
{
    double error = 0.0;
    rig r[2];
    for (int k = 0; k < 2; k++) {
        ph_problems *problems = ph_problems_create();
        ph_spec *spec = NULL;
        CHECK_EQ_INT(ph_spec_read_text(text, strlen(text), "text", NULL, 0, problems, &spec), PH_OK);
        for (int i = 0; i < ph_problems_count(problems); i++) printf("  %s\n", ph_problems_get(problems, i)->text);
        ph_problems_destroy(problems);
        r[k] = rig_build(spec, k ? "dop853:rtol=1e-12,atol=1e-13" : "quat-fem-4");
        rig_step(&r[k], k ? 0.5 : h, k ? 1 : (int)lround(0.5 / h));
    }
    for (int b = 0; b < ph_model_bodies(r[0].model); b++)
        error = fmax(error, rig_distance(rig_position(&r[0], b), rig_position(&r[1], b)));
    const ph_measures m = rig_measure(&r[0]), exact = rig_measure(&r[1]);
    CHECK(m.position_violation < 1e-14 && m.velocity_violation < 1e-12);
    CHECK(fabs(m.work - exact.work) < 1e-3 * fabs(exact.work) + 1e-12);
    rig_close(&r[0]);
    rig_close(&r[1]);
    return error;
}

static void check_order_4(const char *text)
{
    const double coarse = miss(text, 0.02), fine = miss(text, 0.01);
    if (!CHECK_NEAR(log2(coarse / fine), 4.0, 0.3)) printf("  %g, %g\n", coarse, fine);
    CHECK(fine < 1e-5);
}

TEST(order_4_with_dampers)
{
    NEEDS_YAML;
    check_order_4(
        "polhode: 1\ngravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: a, mass: 2, inertia: [0.2, 0.1, 0.2], position: [0, 0.5, 0]}\n"
        "  - {name: b, mass: 1, inertia: [0.1, 0.05, 0.1], position: [0, 1.5, 0], angular_velocity: [0, 2, 0]}\n"
        "joints:\n"
        "  - {name: A, type: revolute, bodies: [world, a], anchor: [0, 0, 0], axis: [1, 0, 0], damping: 0.4}\n"
        "  - {name: B, type: ball, bodies: [a, b], anchor: [0, 1, 0]}\n"
        "forces: [{type: spring, bodies: [world, b], point_a: [0, 1, 1], stiffness: 40, damping: 1.5, length: 0.5}]\n");
}

TEST(order_4_with_motors)
{
    NEEDS_YAML;
    check_order_4(
        "polhode: 1\ngravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: a, mass: 2, inertia: [0.2, 0.1, 0.2], position: [0, 0.5, 0], angular_velocity: [2, 0, 0],\n"
        "     velocity: [0, 0, 1]}\n"
        "  - {name: b, mass: 1, inertia: [0.1, 0.05, 0.1], position: [0, 1.5, 0], velocity: [0, 0, 2]}\n"
        "joints:\n"
        "  - {name: A, type: revolute, bodies: [world, a], anchor: [0, 0, 0], axis: [1, 0, 0],\n"
        "     motor: {position: \"sin(2*t)\"}}\n"
        "  - {name: B, type: ball, bodies: [a, b], anchor: [0, 1, 0]}\n");
}

// Four revolute joints: rows that depend on others.
TEST(closed_loops_stay_closed)
{
    NEEDS_YAML;
    rig r = rig_open(rig_example("four_bar.yaml"), "quat-fem-4");
    rig_step(&r, 5e-3, 200);
    const ph_measures m = rig_measure(&r);
    CHECK(m.position_violation < 1e-14 && m.velocity_violation < 1e-12);
    rig_close(&r);
}

TEST(rolling_is_refused_by_name)
{
    NEEDS_YAML;
    ph_model *model = rig_example("coin.yaml");
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    ph_error error = {.text = ""};
    def.scheme = "quat-fem-4";
    CHECK_EQ_INT(ph_sim_create(model, &def, &sim, &error), PH_NOT_SUPPORTED);
    CHECK(strstr(error.text, "knows no rows of velocities, which joint"));
    ph_model_destroy(model);
}
