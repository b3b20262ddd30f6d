// Screws: pitch, axis and reciprocity, against what they mean; and contact written in the algebra, with its worked example.
#include "test.h"

#include "math/mat3.h"
#include "polhode/clifford.h"

static ph_vec3 random_vector(void)
{
    return ph_vec(test_uniform(-1, 1), test_uniform(-1, 1), test_uniform(-1, 1));
}

static double apart(ph_twist a, ph_twist b)
{
    return fmax(ph_norm(ph_sub(a.omega, b.omega)), ph_norm(ph_sub(a.v, b.v)));
}

static ph_twist screw(ph_twist line, double pitch, double turn)
{
    return (ph_twist){ph_scale(turn, line.omega), ph_scale(turn, ph_madd(line.v, pitch, line.omega))};
}

TEST(pitch_and_axis_make_the_screw)
{
    for (int n = 0; n < 20; n++) {
        const ph_vec3 direction = random_vector();
        const ph_twist line = ph_line_make(random_vector(), ph_scale(1.0 / ph_norm(direction), direction));
        const ph_twist s = screw(line, test_uniform(-2, 2), test_uniform(0.1, 3));
        CHECK_NEAR(ph_screw_pitch(line), 0.0, 1e-14);
        CHECK(apart(ph_screw_axis(s), line) < 1e-13);
        CHECK(apart(screw(ph_screw_axis(s), ph_screw_pitch(s), ph_norm(s.omega)), s) < 1e-13);
    }
    const ph_twist shift = {ph_zero3(), {1.0, 2.0, 3.0}};
    CHECK(isinf(ph_screw_pitch(shift)) && ph_norm(ph_screw_axis(shift).omega) == 0.0);
}

// Both move with the frame; x v y~ does not.
TEST(motions_leave_pitch_and_reciprocity)
{
    for (int n = 0; n < 20; n++) {
        const ph_motor g = ph_motor_exp((ph_twist){random_vector(), random_vector()});
        const ph_twist x = {random_vector(), random_vector()}, y = {random_vector(), random_vector()};
        CHECK_NEAR(ph_screw_pitch(ph_move_twist(g, x)), ph_screw_pitch(x), 1e-12);
        CHECK(apart(ph_screw_axis(ph_move_twist(g, x)), ph_move_twist(g, ph_screw_axis(x))) < 1e-12);
        CHECK_NEAR(ph_reciprocal(ph_move_twist(g, x), ph_move_twist(g, y)), ph_reciprocal(x, y), 1e-12);
        CHECK_NEAR(ph_reciprocal(x, y), ph_reciprocal(y, x), 0.0);
    }
}

// Lines that meet or are parallel are reciprocal; others by -distance sin(angle). Two screws by (h1 + h2) cos - d sin.
TEST(reciprocity_of_lines_is_distance_times_sine)
{
    const ph_twist x = ph_line_make(ph_vec(0, 0, 0), ph_vec(1, 0, 0));
    const ph_twist meets = ph_line_make(ph_vec(2, 0, 0), ph_vec(0.6, 0.8, 0));
    const ph_twist skew = ph_line_make(ph_vec(0, 0, 0.5), ph_vec(0.6, 0.8, 0));
    CHECK_NEAR(ph_reciprocal(x, meets), 0.0, 1e-15);
    CHECK_NEAR(fabs(ph_reciprocal(x, skew)), 0.5 * 0.8, 1e-15);
    CHECK_NEAR(ph_reciprocal(screw(x, 0.3, 1), screw(skew, 0.2, 1)) - ph_reciprocal(x, skew), 0.5 * 0.6, 1e-15);
}

// ---- Contact --------------------------------------------------------------------------------------------------------

// A contact is a line L along the normal: its force is the wrench f L~, and bodies part at the rate L~ v (Q0 ^ s). Without friction
// 0 <= f, 0 <= rate of parting, one of both zero: with Y the inverse inertia, for contacts i and j
//
//     u = D f + q,   D_ij = L~_i v (Q0 ^ (E v (Y ^ L~_j))),   q_i = L~_i v (Q0 ^ s)
enum { CONTACTS = 2 };

static void set_up(ph_inertia N, ph_twist s, const ph_twist *L, double D[CONTACTS][CONTACTS], double *q)
{
    ph_sym4 Y;
    CHECK_EQ_INT(ph_inertia_inverse(N, &Y), PH_OK);
    for (int i = 0; i < CONTACTS; i++) {
        q[i] = ph_evaluate(ph_bar_twist(L[i]), s);
        for (int j = 0; j < CONTACTS; j++)
            D[i][j] = ph_evaluate(ph_bar_twist(L[i]), ph_velocity(Y, ph_bar_twist(L[j])));
    }
}

// Two contacts: the four cases one after the other.
static bool complement(double D[CONTACTS][CONTACTS], const double *q, double *f)
{
    for (int open = 0; open < 4; open++) {
        const bool first = open & 1, second = open & 2; // pressed
        const double det = D[0][0] * D[1][1] - D[0][1] * D[1][0];
        f[0] = !first ? 0.0 : second ? (-q[0] * D[1][1] + q[1] * D[0][1]) / det : -q[0] / D[0][0];
        f[1] = !second ? 0.0 : first ? (-q[1] * D[0][0] + q[0] * D[1][0]) / det : -q[1] / D[1][1];
        const double u0 = D[0][0] * f[0] + D[0][1] * f[1] + q[0], u1 = D[1][0] * f[0] + D[1][1] * f[1] + q[1];
        if (f[0] >= 0.0 && f[1] >= 0.0 && u0 >= -1e-12 && u1 >= -1e-12) return true;
    }
    return false;
}

// The example of docs/clifford.md: a rod of length 2, mass 3 falls flat at 1 m/s on a support under each end, inelastically; then tilting.
TEST(impact_of_a_rod_is_a_complementarity_problem_of_the_algebra)
{
    const ph_inertia N = ph_inertia_make(3.0, ph_vec(0, 0, 0.2), ph_diag(ph_vec(0.01, 1.0, 1.0)));
    const ph_twist s = {ph_zero3(), {0, 0, -1.0}};
    const ph_twist L[2] = {ph_line_make(ph_vec(1, 0, 0), ph_vec(0, 0, 1)),
                           ph_line_make(ph_vec(-1, 0, 0), ph_vec(0, 0, 1))};
    double D[2][2], q[2], f[2];
    set_up(N, s, L, D, q);
    CHECK_NEAR(D[0][0], 1.0 / 3.0 + 1.0, 1e-15);
    CHECK_NEAR(D[0][1], 1.0 / 3.0 - 1.0, 1e-15);
    CHECK(complement(D, q, f));
    CHECK_NEAR(f[0], 1.5, 1e-14);
    CHECK_NEAR(f[1], 1.5, 1e-14);
    const ph_twist tilting = {{0, 1.5, 0},
                              {-0.3, 0, -1.0}}; // the left end rises, but the blow on the right one presses it down
    set_up(N, tilting, L, D, q);
    CHECK_NEAR(q[1], 0.5, 1e-15);
    CHECK(complement(D, q, f));
    CHECK_NEAR(f[0], 2.25, 1e-14);
    CHECK_NEAR(f[1], 0.75, 1e-14);
    const ph_twist faster = {{0, 4.0, 0}, {-0.8, 0, -1.0}};
    set_up(N, faster, L, D, q);
    CHECK(complement(D, q, f));
    CHECK_NEAR(f[0], 5.0 / (1.0 / 3.0 + 1.0), 1e-14);
    CHECK_NEAR(f[1], 0.0, 0.0);
}
