// The benchmark bicycle of Meijaard, Papadopoulos, Ruina and Schwab, Proc. R. Soc. A 463 (2007): the model of
// examples/bicycle.yaml, linearised about running straight ahead, against the matrices and speeds printed there.

#include "rolling_rig.h"

#include "math/so3.h"

#include <complex.h>

enum { REAR, FRAME, FORK, FRONT, BODIES };

// M q'' + v C1 q' + (g K0 + v^2 K2) q = 0 for q = (lean, steer): appendix A of the paper.
static const double M[2][2] = {{80.81722, 2.31941332208709}, {2.31941332208709, 0.29784188199686}};
static const double C1[2][2] = {{0.0, 33.86641391492494}, {-0.85035641456978, 1.68540397397560}};
static const double K0[2][2] = {{-80.95, -2.59951685249872}, {-2.59951685249872, -0.80329488458618}};
static const double K2[2][2] = {{0.0, 76.59734589573222}, {0.0, 2.65431523794604}};
static const double WEAVE = 4.292382536341114, CAPSIZE = 6.024262015388372; // m/s

typedef struct linear { // q'' = S q + D q'
    double S[2][2], D[2][2];
} linear;

static linear published(double v)
{
    const double det = M[0][0] * M[1][1] - M[0][1] * M[1][0];
    const double inverse[2][2] = {{M[1][1] / det, -M[0][1] / det}, {-M[1][0] / det, M[0][0] / det}};
    linear l = {0};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < 2; k++) {
                l.S[i][j] -= inverse[i][k] * (9.81 * K0[k][j] + v * v * K2[k][j]);
                l.D[i][j] -= inverse[i][k] * v * C1[k][j];
            }
    return l;
}

// ---- The engine's ---------------------------------------------------------------------------------------------------

static ph_model *bicycle(double v, double lean_rate)
{
    char path[512], speed[32], rate[32];
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    snprintf(path, sizeof path, "%s/examples/bicycle.yaml", TEST_SOURCE_DIR);
    snprintf(speed, sizeof speed, "%.17g", v);
    snprintf(rate, sizeof rate, "%.17g", lean_rate);
    const ph_setting settings[] = {{"v", speed}, {"lean_rate", rate}};
    CHECK_EQ_INT(ph_model_read_file(path, settings, 2, problems, &model), PH_OK);
    ph_problems_destroy(problems);
    return model;
}

// Lean and steer, their rates and accelerations.
static void read_lean(rig *r, double z[4], double a[2])
{
    ph_twist acceleration[BODIES];
    const ph_mat3 R = rig_rotation(r, FRAME);
    const ph_vec3 w = ph_state_angular_velocities(r->state)[FRAME];
    CHECK_EQ_INT(ph_observer_dynamics(r->observer, r->state, acceleration, NULL), PH_OK);
    const ph_vec3 e = {-sin(PH_PI_TEST / 10), 0, cos(PH_PI_TEST / 10)};
    const ph_mat3 turn = ph_mat_tmul(R, rig_rotation(r, FORK)); // about e
    const ph_mat3 first = ph_mat_mul(R, ph_hat(w));
    const ph_mat3 second = ph_mat_add(ph_mat_mul(first, ph_hat(w)), ph_mat_mul(R, ph_hat(acceleration[FRAME].omega)));
    z[0] = asin(R.m[2][1]);
    z[1] = asin(0.5 * ((turn.m[2][1] - turn.m[1][2]) * e.x + (turn.m[1][0] - turn.m[0][1]) * e.z));
    z[2] = first.m[2][1] / cos(z[0]);
    z[3] = ph_dot(e, ph_sub(ph_state_angular_velocities(r->state)[FORK], w));
    a[0] = (second.m[2][1] + sin(z[0]) * z[2] * z[2]) / cos(z[0]);
    a[1] = ph_dot(e, ph_sub(acceleration[FORK].omega, acceleration[FRAME].omega));
}

// Leans the whole over the line of contact, at a rate; then steers.
static void disturb(rig *r, int steering, const double z[4])
{
    const ph_quat turn = ph_quat_exp(ph_vec(z[0], 0.0, 0.0));
    for (int b = 0; b < BODIES; b++) {
        ph_vec3 *x = &ph_state_positions(r->state)[b], *v = &ph_state_velocities(r->state)[b];
        ph_quat *q = &ph_state_orientations(r->state)[b];
        *x = ph_quat_rotate(turn, *x);
        *q = ph_quat_mul(turn, *q);
        *v = ph_add(ph_quat_rotate(turn, *v), ph_cross(ph_vec(z[2], 0.0, 0.0), *x));
        ph_vec3 *w = &ph_state_angular_velocities(r->state)[b];
        *w = ph_add(*w, ph_quat_rotate(ph_quat_conj(*q), ph_vec(z[2], 0.0, 0.0)));
    }
    if (z[1] != 0.0 || z[3] != 0.0) CHECK_EQ_INT(ph_state_set_joint(r->state, steering, 0, z[1], z[3]), PH_OK);
    CHECK_EQ_INT(ph_state_project(r->state, NULL, NULL), PH_OK);
}

// Solves J Z = A for 2x4 J, 4x4 Z.
static void solve4(double Z[4][4], double A[2][4], double J[2][4])
{
    for (int p = 0; p < 4; p++) { // column operations bring Z to one
        int best = p;
        for (int c = p; c < 4; c++) best = fabs(Z[p][c]) > fabs(Z[p][best]) ? c : best;
        for (int i = 0; i < 6; i++) {
            double *row = i < 4 ? Z[i] : A[i - 4];
            const double swap = row[p];
            row[p] = row[best];
            row[best] = swap;
        }
        const double pivot = Z[p][p];
        for (int i = 0; i < 4; i++) Z[i][p] /= pivot;
        for (int i = 0; i < 2; i++) A[i][p] /= pivot;
        for (int c = 0; c < 4; c++) {
            const double f = Z[p][c];
            if (c == p) continue;
            for (int i = 0; i < 4; i++) Z[i][c] -= f * Z[i][p];
            for (int i = 0; i < 2; i++) A[i][c] -= f * A[i][p];
        }
    }
    memcpy(J, A, sizeof(double[2][4]));
}

static linear measured(double v)
{
    const double size = 2e-4;
    double Z[4][4], A[2][4], J[2][4];
    rig r = rig_open(bicycle(v, 0.0), "rattlie");
    ph_state *start = ph_state_create(r.model);
    const int steering = ph_model_find_joint(r.model, "steering");
    ph_state_copy(start, r.state);
    for (int k = 0; k < 4; k++) {
        double z[2][4], a[2][2];
        for (int side = 0; side < 2; side++) {
            double given[4] = {0};
            given[k] = side ? -size : size;
            ph_state_copy(r.state, start);
            disturb(&r, steering, given);
            read_lean(&r, z[side], a[side]);
        }
        for (int i = 0; i < 4; i++) Z[i][k] = 0.5 * (z[0][i] - z[1][i]);
        for (int i = 0; i < 2; i++) A[i][k] = 0.5 * (a[0][i] - a[1][i]);
    }
    solve4(Z, A, J);
    ph_state_destroy(start);
    rig_close(&r);
    linear l;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) l.S[i][j] = J[i][j], l.D[i][j] = J[i][2 + j];
    return l;
}

// ---- Comparison -----------------------------------------------------------------------------------------------------

// x^4 + p[3] x^3 + p[2] x^2 + p[1] x + p[0] = det(x^2 - x D - S)
static void characteristic(const linear *l, double p[4])
{
    const double(*S)[2] = l->S, (*D)[2] = l->D;
    p[3] = -(D[0][0] + D[1][1]);
    p[2] = D[0][0] * D[1][1] - D[0][1] * D[1][0] - S[0][0] - S[1][1];
    p[1] = D[0][0] * S[1][1] + S[0][0] * D[1][1] - D[0][1] * S[1][0] - S[0][1] * D[1][0];
    p[0] = S[0][0] * S[1][1] - S[0][1] * S[1][0];
}

static void eigenvalues(const linear *l, double complex x[4])
{
    double p[4];
    characteristic(l, p);
    for (int i = 0; i < 4; i++) x[i] = 5.0 * cpow(CMPLX(0.4, 0.9), i);
    for (int n = 0; n < 400; n++)
        for (int i = 0; i < 4; i++) {
            double complex value = (((x[i] + p[3]) * x[i] + p[2]) * x[i] + p[1]) * x[i] + p[0];
            for (int j = 0; j < 4; j++)
                if (j != i) value /= x[i] - x[j];
            x[i] -= value;
        }
}

static double distance(const double complex a[4], const double complex b[4])
{
    double worst = 0.0;
    for (int i = 0; i < 4; i++) {
        double near = 1e9;
        for (int j = 0; j < 4; j++) near = fmin(near, cabs(a[i] - b[j]));
        worst = fmax(worst, near);
    }
    return worst;
}

TEST(eigenvalues_from_0_to_10_metres_a_second)
{
    NEEDS_YAML;
    double worst = 0.0;
    for (int v = 0; v <= 10; v++) {
        const linear ours = measured(v), theirs = published(v);
        double complex a[4], b[4];
        eigenvalues(&ours, a);
        eigenvalues(&theirs, b);
        worst = fmax(worst, distance(a, b));
        CHECK(distance(a, b) <= 1e-5);
    }
    printf("  eigenvalues differ by at most %.1e 1/s\n", worst);
}

static double capsizes(const linear *l)
{
    double p[4];
    characteristic(l, p);
    return p[0];
}

static double weaves(const linear *l) // a pair on the imaginary axis
{
    double p[4];
    characteristic(l, p);
    return p[3] * p[2] * p[1] - p[1] * p[1] - p[3] * p[3] * p[0];
}

static double root(double (*f)(const linear *), double a, double b)
{
    linear l = measured(a);
    double fa = f(&l);
    l = measured(b);
    double fb = f(&l);
    for (int k = 0; k < 8 && fabs(b - a) > 1e-10; k++) {
        const double c = b - fb * (b - a) / (fb - fa);
        a = b, fa = fb, b = c;
        l = measured(b);
        fb = f(&l);
    }
    return b;
}

TEST(weave_and_capsize_speeds)
{
    NEEDS_YAML;
    const double weave = root(weaves, 4.2, 4.4), capsize = root(capsizes, 5.9, 6.1);
    printf("  weave %.9f (%.9f), capsize %.9f (%.9f) m/s\n", weave, WEAVE, capsize, CAPSIZE);
    CHECK_NEAR(weave, WEAVE, 5e-7 * WEAVE);
    CHECK_NEAR(capsize, CAPSIZE, 5e-7 * CAPSIZE);
}

// Hit from the side at 4.6 m/s, lean rate 0.5 rad/s: the lean oscillates with a period of about 1.60 s and dies down (section
// 8 of the paper), and all energy ends in forward motion: v^2 rises by M_11 0.5^2/(m + I_R/r_R^2 + I_F/r_F^2).
TEST(rights_itself)
{
    NEEDS_YAML;
    static const char *const schemes[] = {"rattlie", "rattlie4", "rkmk4", "lie-alpha-2"};
    for (int n = 0; n < 4; n++) {
        rig r = rig_open(bicycle(4.6, 0.5), schemes[n]);
        const double energy = rig_measure(&r).total;
        double crossing[8] = {0}, before = 0.0, off = 0.0;
        int count = 0;
        worst w = {0};
        for (int k = 1; k <= 1000 && rig_step(&r, 0.005, 1); k++) {
            const double lean = rig_rotation(&r, FRAME).m[2][1];
            if (before * lean < 0.0 && count < 8) crossing[count++] = 0.005 * (k - lean / (lean - before));
            before = lean;
            off = fmax(off, fabs(rig_measure(&r).total / energy - 1.0));
            worst_note(&r, &w);
        }
        const double period = count > 2 ? crossing[2] - crossing[0] : 0.0;
        const double speed = ph_norm(rig_velocity(&r, REAR)), lean = rig_rotation(&r, FRAME).m[2][1];
        printf("  %-9s period %.4f s, speed %.4f m/s, lean %.4f rad, energy %.1e, gap %.1e, slip %.1e\n", schemes[n],
               period, speed, lean, off, w.gap, w.slip);
        CHECK_NEAR(period, 1.60, 0.03);
        CHECK_NEAR(speed, sqrt(4.6 * 4.6 + M[0][0] * 0.25 / (94.0 + 0.12 / 0.09 + 0.28 / 0.1225)), 5e-4);
        CHECK(fabs(lean) < 0.02);
        CHECK(off <= 1e-4);
        CHECK(w.gap <= 1e-14 && w.slip <= 2e-13);
        rig_close(&r);
    }
}
