// Momentum and multiplier of the quaternion in `quat-fem`: against the action of the paper, differentiated by differences in
// more digits; against 2 T - U, and for any model against the trace of the stress integral; in result files.
#include "paper_top.h"
#include "rig.h"

#include "math/mat3.h"

typedef long double real;

static const double SPIN = 40.0 * M_PI;

// ---- The paper's top ------------------------------------------------------------------------------------------------

// S of eq (29) without the constraints, moments about the tip.
static real action(const real *p, const real *q, real h)
{
    static const real moments[3] = {0.002L, 0.002L, 0.0008L};
    real m[4], d[3] = {p[0] * q[1] - p[1] * q[0] - p[2] * q[3] + p[3] * q[2],
                       p[0] * q[2] - p[2] * q[0] - p[3] * q[1] + p[1] * q[3],
                       p[0] * q[3] - p[3] * q[0] - p[1] * q[2] + p[2] * q[1]};
    real S = 0;
    for (int i = 0; i < 3; i++) S += 2 / h * moments[i] * d[i] * d[i];
    for (int i = 0; i < 4; i++) m[i] = (p[i] + q[i]) / 2;
    const real z = m[0] * m[0] - m[1] * m[1] - m[2] * m[2] + m[3] * m[3];
    return S - h * (real)(TOP_GRAVITY * TOP_ARM) * z;
}

// dS by the quaternion at the start or at the end: S is of degree 4 in it, so that the difference is exact.
static void slope(const real *p, const real *q, real h, bool at_end, real *out)
{
    const real step = 1e-3L;
    for (int i = 0; i < 4; i++) {
        real sum = 0;
        for (int k = -2; k <= 2; k++) {
            static const real weights[5] = {1, -8, 0, 8, -1};
            real a[4], b[4];
            for (int n = 0; n < 4; n++) a[n] = p[n], b[n] = q[n];
            (at_end ? b : a)[i] += k * step;
            sum += weights[k + 2] * action(a, b, h);
        }
        out[i] = sum / (12 * step);
    }
}

static void take(const top_run *run, real *q)
{
    const ph_quat from = ph_state_orientations(run->state)[0];
    q[0] = from.w, q[1] = from.x, q[2] = from.y, q[3] = from.z;
}

static real dot(const real *a, const real *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

// p_n = -dS/dq_n + 2 lambda q_n leaving and dS/dq_n - 2 lambda q_n arriving, eq (30), where p.q = 0 fixes lambda.
TEST(momentum_and_multiplier_are_those_of_the_action)
{
    const paper_top top = paper_top_start(M_PI / 3.0, 3.0, -2.0, SPIN);
    top_run run = top_run_start(&top, PH_REFERENCE_ORIGIN, "quat-fem");
    const double h = 0.2 / SPIN;
    for (int n = 0; n < 20; n++) {
        real before[4], at[4], after[4], arriving[4], leaving[4];
        ph_quaternion found;
        take(&run, before);
        top_run_steps(&run, h, 1);
        take(&run, at);
        CHECK_EQ_INT(ph_sim_quaternions(run.sim, run.state, h, &found), PH_OK);
        top_run_steps(&run, h, 1);
        take(&run, after);
        slope(before, at, h, true, arriving);
        slope(at, after, h, false, leaving);
        const real in = dot(at, arriving) / 2, out = dot(at, leaving) / 2;
        CHECK_REL(found.lambda, (double)((in + out) / h), 1e-10);
        const double p[4] = {found.p.w, found.p.x, found.p.y, found.p.z};
        for (int i = 0; i < 4; i++) {
            CHECK_NEAR(p[i], (double)(arriving[i] - 2 * in * at[i]), 1e-13);
            CHECK_NEAR(p[i], (double)(2 * out * at[i] - leaving[i]), 1e-13);
        }
    }
    top_run_end(&run);
}

// Of the paper's top at t = 0.1 s.
static double miss_of_2T_less_U(double step)
{
    const paper_top top = paper_start_1();
    rig r = rig_open(paper_top_model(&top, PH_REFERENCE_ORIGIN), "quat-fem");
    ph_quaternion found;
    rig_step(&r, step / SPIN, (int)lround(0.1 * SPIN / step));
    const ph_measures m = rig_measure(&r);
    CHECK_EQ_INT(ph_sim_quaternions(r.sim, r.state, step / SPIN, &found), PH_OK);
    rig_close(&r);
    return fabs(found.lambda - (2.0 * m.kinetic - m.potential));
}

TEST(multiplier_is_2T_less_U_to_second_order)
{
    const double coarse = miss_of_2T_less_U(0.02 * M_PI), fine = miss_of_2T_less_U(0.01 * M_PI);
    CHECK(fine < 1e-2);
    CHECK_NEAR(log2(coarse / fine), 2.0, 0.02);
}

// ---- Any model ------------------------------------------------------------------------------------------------------

// Two bodies with reference points beside their centres of mass, a spring, a hinge, a wrench and gravity.
static const char springs[] =
    "polhode: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: a, mass: 2, inertia: [0.1, 0.2, 0.15], com: [0, 0.3, 0], reference: origin, angular_velocity: [2, 0, 0],\n"
    "     velocity: [0, 0, 0.6]}\n"
    "  - {name: b, mass: 1, inertia: [0.1, 0.05, 0.08], position: [0, 1, 0.2], com: [0.1, 0, 0], reference: origin,\n"
    "     angular_velocity: [1, 3, -2]}\n"
    "joints: [{name: hinge, type: revolute, bodies: [world, a], anchor: [0, 0, 0], axis: [1, 0, 0]}]\n"
    "forces:\n"
    "  - {name: s, type: spring, bodies: [a, b], point_a: [0, 0.5, 0.1], point_b: [0.1, 0.1, 0], stiffness: 80, length: 0.3}\n"
    "  - {name: w, type: wrench, body: b, point: [0, 0, 0.2], force: [1, 2, 0.5]}\n";

static double miss_of_trace(double h)
{
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL;
    CHECK_EQ_INT(ph_spec_read_text(springs, strlen(springs), "text", NULL, 0, problems, &spec), PH_OK);
    for (int i = 0; i < ph_problems_count(problems); i++) printf("  %s\n", ph_problems_get(problems, i)->text);
    ph_problems_destroy(problems);
    rig r = rig_build(spec, "quat-fem");
    ph_quaternion found[2];
    ph_mat3 stress[2];
    double most = 0.0;
    for (int k = 0; k < 4; k++) {
        rig_step(&r, h, (int)lround(0.1 / h));
        CHECK_EQ_INT(ph_sim_quaternions(r.sim, r.state, h, found), PH_OK);
        CHECK_EQ_INT(ph_observer_stress(r.observer, r.state, stress), PH_OK);
        for (int b = 0; b < 2; b++) most = fmax(most, fabs(found[b].lambda - ph_trace(stress[b])));
    }
    rig_close(&r);
    return most;
}

TEST(multiplier_is_the_trace_of_the_stress_for_any_model)
{
    NEEDS_YAML;
    const double coarse = miss_of_trace(0.004), fine = miss_of_trace(0.002);
    CHECK(fine < 2e-3);
    CHECK_NEAR(log2(coarse / fine), 2.0, 0.05);
}

// Asking changes nothing, and schemes without quaternions say so.
TEST(asking_leaves_the_run_as_it_is)
{
    const paper_top top = paper_start_1();
    top_run asked = top_run_start(&top, PH_REFERENCE_ORIGIN, "quat-fem");
    top_run quiet = top_run_start(&top, PH_REFERENCE_ORIGIN, "quat-fem");
    top_run other = top_run_start(&top, PH_REFERENCE_ORIGIN, "rattlie");
    ph_quaternion found;
    for (int k = 0; k < 50; k++) {
        top_run_steps(&asked, 1e-3, 1);
        top_run_steps(&quiet, 1e-3, 1);
        ph_sim_quaternions(asked.sim, asked.state, 1e-3, &found);
    }
    CHECK(memcmp(ph_state_orientations(asked.state), ph_state_orientations(quiet.state), sizeof(ph_quat)) == 0);
    CHECK(!ph_sim_has_quaternions(other.sim) && ph_sim_has_quaternions(asked.sim));
    CHECK_EQ_INT(ph_sim_quaternions(other.sim, other.state, 1e-3, &found), PH_NOT_SUPPORTED);
    CHECK_EQ_INT(ph_sim_quaternions(asked.sim, asked.state, 0.0, &found), PH_BAD_ARGUMENT);
    top_run_end(&asked);
    top_run_end(&quiet);
    top_run_end(&other);
}
