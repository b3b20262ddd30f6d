// The paper's identities (Selig and Bayro-Corrochano 2010), exactly: every number here is an integer or half of one, and
// sums and products of those are exact in doubles as long as they stay below 2^52.
//
// A rational motor is an integer one over its length: g = (1 + 1/2 t) r with an integer quaternion r and even t has
// g g* = n, and an identity of motors becomes one of integers when the powers of n are written out.
#include "multivector.h"

enum { ROUNDS = 50 };

static double even(void)
{
    return 2.0 * (test_random_index(7) - 3);
}

// g with g g* = n
static mv integer_motor(double *n)
{
    double q[4] = {1.0 + test_random_index(3), test_random_index(5) - 2, test_random_index(5) - 2,
                   test_random_index(5) - 2};
    const ph_motor rotor = {{q[0], q[1], q[2], q[3]}, {0.0}};
    const ph_motor translator = {{1.0}, {0.0, 0.5 * even(), 0.5 * even(), 0.5 * even()}};
    *n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    return gp(of_motor(translator), of_motor(rotor));
}

#define INTEGERS_OF(name, type, convert)                                                                               \
    static mv name(void)                                                                                               \
    {                                                                                                                  \
        type value;                                                                                                    \
        fill_integers(&value, (int)(sizeof value / sizeof(double)));                                                   \
        return convert(value);                                                                                         \
    }
INTEGERS_OF(some_twist, ph_twist, of_twist)
INTEGERS_OF(some_coscrew, ph_coscrew, of_coscrew)
INTEGERS_OF(some_inertia, ph_inertia, of_inertia)
INTEGERS_OF(some_sym4, ph_sym4, of_sym4)

// A few components among all 256.
static mv sparse_mv(void)
{
    mv x = {{0.0}};
    for (int i = 0; i < 24; i++) {
        x.c[test_random_index(256)] = test_random_index(7) - 3;
    }
    return x;
}

// ---- Section 3: motions ---------------------------------------------------------------------------------------------

TEST(motors_have_norm_one)
{
    for (int i = 0; i < ROUNDS; i++) {
        double n;
        const mv g = integer_motor(&n);
        CHECK_SAME(gp(g, conjugate(g)), blade(n, ""));
        CHECK_SAME(gp(conjugate(g), g), blade(n, ""));
    }
}

TEST(translation_and_rotation_of_a_twist)
{
    // H s = (R omega | R v + t x R omega): a quarter turn about z doubled up as 1 + e1e2, then a shift by (2, 4, 6)
    const mv r = plus(blade(1.0, ""), blade(1.0, "e1e2"));
    const mv t = plus(plus(blade(1.0, ""), blade(1.0, "e1e")), plus(blade(2.0, "e2e"), blade(3.0, "e3e")));
    const ph_twist s = {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}};
    const ph_twist moved = {{-2.0, 1.0, 3.0},
                            {-5.0 + 4.0 * 3.0 - 6.0 * 1.0, 4.0 + 6.0 * -2.0 - 2.0 * 3.0, 6.0 + 2.0 * 1.0 - 4.0 * -2.0}};
    CHECK_SAME(sandwich(gp(t, r), of_twist(s)), times(2.0, of_twist(moved)));
}

TEST(motions_keep_the_bracket)
{
    for (int i = 0; i < ROUNDS; i++) {
        double n;
        const mv g = integer_motor(&n), x = some_twist(), y = some_twist();
        CHECK_SAME(commutator(sandwich(g, x), sandwich(g, y)), times(n, sandwich(g, commutator(x, y))));
    }
}

TEST(bracket_is_a_lie_bracket)
{
    for (int i = 0; i < ROUNDS; i++) {
        const mv x = some_twist(), y = some_twist(), z = some_twist();
        CHECK_SAME(commutator(x, y), times(-1.0, commutator(y, x)));
        const mv jacobi = plus(commutator(x, commutator(y, z)), commutator(y, commutator(z, x)));
        CHECK_SAME(plus(jacobi, commutator(z, commutator(x, y))), ((mv){{0.0}}));
    }
}

// ---- Section 5: invariants and evaluation ---------------------------------------------------------------------------

TEST(invariant_elements)
{
    const mv A = element_a(), E = element_e(), Q0 = element_q0();
    CHECK_SAME(bar(A), E);
    CHECK_SAME(bar(Q0), Q0);
    CHECK_SAME(gp(A, E), gp(E, A));
    CHECK_SAME(gp(A, E), blade(1.0, "a1a2a3ae1e2e3e"));
    for (int i = 0; i < ROUNDS; i++) {
        double n;
        const mv g = integer_motor(&n), c = random_mv();
        CHECK_SAME(sandwich(g, A), times(n, A));
        CHECK_SAME(sandwich(bar(g), A), times(n, A));
        CHECK_SAME(sandwich_both(g, A), times(n * n, A));
        CHECK_SAME(sandwich_both(g, E), times(n * n, E));
        CHECK_SAME(sandwich_both(g, Q0), times(n * n, Q0));
        CHECK_SAME(vee(gp(A, E), c), c);
    }
    const mv g = plus(blade(1.0, ""), blade(1.0, "e1e"));
    CHECK(largest(minus(sandwich(g, Q0), Q0)) > 0.0);
    CHECK(largest(minus(sandwich(bar(g), Q0), Q0)) > 0.0);
}

TEST(evaluation_has_two_forms_and_is_invariant)
{
    const mv A = element_a(), E = element_e(), Q0 = element_q0();
    for (int i = 0; i < ROUNDS; i++) {
        double n;
        ph_coscrew P;
        ph_twist s;
        fill_integers(&P, 6);
        fill_integers(&s, 6);
        const mv g = integer_motor(&n), p = of_coscrew(P), x = of_twist(s);
        const double value =
            P.l.x * s.omega.x + P.l.y * s.omega.y + P.l.z * s.omega.z + P.p.x * s.v.x + P.p.y * s.v.y + P.p.z * s.v.z;
        CHECK_SAME(vee(p, wedge(Q0, x)), blade(value, ""));
        CHECK_SAME(vee(wedge(p, Q0), x), blade(value, ""));
        CHECK_SAME(vee(sandwich(bar(g), p), wedge(Q0, sandwich(g, x))), blade(n * n * value, ""));
        CHECK_SAME(wedge(Q0, x), gp(bar(x), E));
        CHECK_SAME(vee(A, wedge(Q0, x)), bar(x));
    }
}

// ---- Section 5: the two lemmas --------------------------------------------------------------------------------------

TEST(motions_go_through_outer_and_shuffle_products)
{
    for (int i = 0; i < 10; i++) {
        double n;
        const mv g = integer_motor(&n), h = gp(g, bar(g)), x = sparse_mv(), y = sparse_mv();
        const mv moved = wedge(sandwich(h, x), sandwich(h, y)), shuffled = vee(sandwich(h, x), sandwich(h, y));
        CHECK_SAME(moved, times(n * n, sandwich(h, wedge(x, y))));
        CHECK_SAME(shuffled, times(n * n, sandwich(h, vee(x, y))));
        CHECK(largest(moved) < 0x1p52 && largest(shuffled) < 0x1p52);
    }
}

// The second lemma needs h even: h = e1 turns the sign.
TEST(shuffle_lemma_needs_an_even_element)
{
    const mv h = blade(1.0, "e1"), x = sparse_mv(), y = sparse_mv();
    CHECK_SAME(gp(h, conjugate(h)), blade(1.0, ""));
    CHECK_SAME(sandwich(h, vee(x, y)), times(-1.0, vee(sandwich(h, x), sandwich(h, y))));
}

// ---- Section 5: inertia ---------------------------------------------------------------------------------------------

TEST(momentum_of_the_diagonal_inertia)
{
    const ph_inertia N = {7.0, {0.0, 0.0, 0.0}, {2.0, 3.0, 5.0, 0.0, 0.0, 0.0}};
    mv diagonal = plus(blade(2.0, "a1ae1e"), plus(blade(3.0, "a2ae2e"), blade(5.0, "a3ae3e")));
    diagonal = plus(diagonal, times(7.0, BLADES("a2a3e2e3", "a3a1e3e1", "a1a2e1e2")));
    CHECK_SAME(of_inertia(N), diagonal);
    const ph_twist s = {{1.0, -2.0, 4.0}, {3.0, 6.0, -5.0}};
    const ph_coscrew P = {{2.0, -6.0, 20.0}, {21.0, 42.0, -35.0}};
    CHECK_SAME(vee(element_a(), wedge(diagonal, of_twist(s))), of_coscrew(P));
}

// The paper's example: the diagonal inertia shifted by t_x.
TEST(translated_inertia_of_the_paper)
{
    const double dx = 2.0, dy = 3.0, dz = 5.0, m = 7.0, tx = 4.0;
    const ph_inertia N = {m, {0.0, 0.0, 0.0}, {dx, dy, dz, 0.0, 0.0, 0.0}};
    const mv g = plus(blade(1.0, ""), blade(0.5 * tx, "e1e"));
    CHECK_SAME(gp(g, bar(g)), plus(plus(blade(1.0, ""), blade(0.5 * tx, "a1a")),
                                   plus(blade(0.5 * tx, "e1e"), blade(0.25 * tx * tx, "a1ae1e"))));
    mv moved = plus(blade(dx, "a1ae1e"), plus(blade(dy + m * tx * tx, "a2ae2e"), blade(dz + m * tx * tx, "a3ae3e")));
    moved = plus(moved, plus(blade(m * tx, "a3ae3e1"), blade(-m * tx, "a2ae1e2")));
    moved = plus(moved, plus(blade(m * tx, "a3a1e3e"), blade(-m * tx, "a1a2e2e")));
    moved = plus(moved, times(m, BLADES("a2a3e2e3", "a3a1e3e1", "a1a2e1e2")));
    CHECK_SAME(sandwich_both(g, of_inertia(N)), moved);
    const ph_inertia by_kernel =
        ph_inertia_make(m, (ph_vec3){tx, 0.0, 0.0}, (ph_mat3){{{dx}, {0.0, dy}, {0.0, 0.0, dz}}});
    CHECK_SAME(of_inertia(by_kernel), moved);
}

TEST(inertia_moves_with_momentum)
{
    const mv A = element_a(), E = element_e();
    for (int i = 0; i < ROUNDS; i++) {
        double n;
        const mv g = integer_motor(&n), N = some_inertia(), s = some_twist();
        const mv P = vee(A, wedge(N, s));
        CHECK_SAME(bar(N), N);
        CHECK_SAME(wedge(N, s), gp(P, E));
        CHECK_SAME(vee(A, wedge(sandwich_both(g, N), sandwich(g, s))), times(n * n, sandwich(bar(g), P)));
        // one law for all three
        CHECK_SAME(sandwich_both(g, s), times(n, sandwich(g, s)));
        CHECK_SAME(sandwich_both(g, P), times(n, sandwich(bar(g), P)));
    }
}

TEST(kinetic_energy_has_three_forms)
{
    const mv A = element_a(), Q0 = element_q0();
    for (int i = 0; i < ROUNDS; i++) {
        const mv N = some_inertia(), s = some_twist();
        const mv energy = times(0.5, vee(bar(s), wedge(N, s)));
        CHECK_SAME(energy, times(0.5, vee(vee(A, wedge(N, s)), wedge(Q0, s))));
        CHECK_SAME(energy, times(0.5, vee(vee(A, wedge(Q0, s)), wedge(N, s))));
    }
}

// ---- Section 6: equation of motion ----------------------------------------------------------------------------------

TEST(coadjoint_action_is_dual_to_the_bracket)
{
    const mv Q0 = element_q0();
    for (int i = 0; i < ROUNDS; i++) {
        const mv x = some_twist(), y = some_twist(), P = some_coscrew();
        CHECK_SAME(vee(commutator(bar(y), P), wedge(Q0, x)), vee(P, wedge(Q0, commutator(x, y))));
    }
}

TEST(gyroscopic_term_has_two_forms)
{
    const mv A = element_a(), E = element_e(), nothing = {{0.0}};
    for (int i = 0; i < ROUNDS; i++) {
        const mv N = some_inertia(), s = some_twist();
        const mv P = vee(A, wedge(N, s));
        CHECK_SAME(wedge(minus(gp(s, N), gp(N, s)), s), nothing);
        CHECK_SAME(wedge(commutator(bar(s), N), s), gp(commutator(bar(s), P), E));
        CHECK_SAME(vee(A, wedge(commutator(bar(s), N), s)), commutator(bar(s), P));
    }
}

// dN/dt is the derivative of the group action: (1 + h s/2 + ...) N (...)* to first order, which is the part linear in t
// of a translation, and its whole change for a translation by an element with t^2 = 0 on N is quadratic.
TEST(rate_of_inertia_under_translation)
{
    for (int i = 0; i < ROUNDS; i++) {
        const mv N = some_inertia();
        const mv tau = plus(blade(even(), "e1e"), plus(blade(even(), "e2e"), blade(even(), "e3e")));
        const mv one = blade(1.0, ""), first = plus(commutator(tau, N), commutator(bar(tau), N));
        const mv second = plus(commutator(tau, first), commutator(bar(tau), first));
        const mv moved = sandwich_both(plus(one, times(0.5, tau)), N);
        CHECK_SAME(moved, plus(plus(N, first), times(0.5, second)));
    }
}

// ---- Section 7: the symmetric square in the algebra -----------------------------------------------------------------

TEST(symmetric_elements_of_grade_4)
{
    const mv A = element_a(), E = element_e();
    for (int i = 0; i < ROUNDS; i++) {
        double n;
        const mv g = integer_motor(&n), K = some_sym4(), s = some_twist(), x = some_twist(), P = some_coscrew();
        CHECK_SAME(bar(K), K);
        CHECK_SAME(bar(sandwich_both(g, K)), sandwich_both(g, K));
        CHECK_SAME(vee(bar(x), wedge(K, s)), vee(bar(s), wedge(K, x)));
        // U ^ U~ acts as U U^T
        const mv U = some_coscrew();
        const mv Us = vee(U, wedge(element_q0(), s));
        CHECK_SAME(vee(A, wedge(wedge(U, bar(U)), s)), times(Us.c[0], U));
        // seen from the other side it takes co-screws to twists
        CHECK_SAME(vee(E, wedge(K, P)), bar(vee(A, wedge(bar(K), bar(P)))));
    }
}
