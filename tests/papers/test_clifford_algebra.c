// The reference algebra: definitions, the paper's worked examples (section 4), and mistakes.
#include "multivector.h"

// ---- Products -------------------------------------------------------------------------------------------------------

TEST(generators_have_their_squares)
{
    static const char *const names[] = {"a1", "a2", "a3", "a", "e1", "e2", "e3", "e"};
    for (int i = 0; i < 8; i++) {
        const mv x = blade(1.0, names[i]);
        CHECK_SAME(gp(x, x), blade(i % 4 == 3 ? 0.0 : -1.0, ""));
        for (int j = 0; j < i; j++) {
            const mv y = blade(1.0, names[j]);
            CHECK_SAME(gp(x, y), times(-1.0, gp(y, x)));
        }
    }
}

// On all 256 coefficients, exact in integers.
TEST(products_are_associative_and_distributive)
{
    for (int i = 0; i < 3; i++) {
        const mv x = random_mv(), y = random_mv(), z = random_mv();
        CHECK_SAME(gp(gp(x, y), z), gp(x, gp(y, z)));
        CHECK_SAME(wedge(wedge(x, y), z), wedge(x, wedge(y, z)));
        CHECK_SAME(vee(vee(x, y), z), vee(x, vee(y, z)));
        CHECK_SAME(gp(x, plus(y, z)), plus(gp(x, y), gp(x, z)));
    }
}

// (2 + a1 - 3 ae1 + e2e)(a1a + 5 e1e3e), multiplied out by hand
TEST(product_by_hand)
{
    const mv x = plus(plus(blade(2.0, ""), blade(1.0, "a1")), plus(blade(-3.0, "ae1"), blade(1.0, "e2e")));
    const mv y = plus(blade(1.0, "a1a"), blade(5.0, "e1e3e"));
    const mv product = gp(x, y);
    char text[200];
    ph_multivector_format(view(&product), text, sizeof text);
    CHECK_STR(text, "-a + 2 a1a + 15 ae3e + 10 e1e3e + a1ae2e + 5 a1e1e3e");
}

TEST(outer_product_of_vectors_is_the_alternating_part)
{
    const mv x = grade_part(random_mv(), 1), y = grade_part(random_mv(), 1);
    CHECK_SAME(wedge(x, y), commutator(x, y));
    CHECK_SAME(wedge(x, y), grade_part(gp(x, y), 2));
}

// ---- Shuffle product ------------------------------------------------------------------------------------------------

// Section 4: "e1e2 v e3e3" (meant is e1e2 v e3e) = det(e1, e2, e3, e) = 1 in Cl(0,3,1)
TEST(first_shuffle_example)
{
    const ph_algebra algebra = ph_algebra_cl031();
    double x[16] = {0}, y[16] = {0}, out[16];
    x[1 | 2] = 1.0;
    y[4 | 8] = 1.0;
    const ph_multivector result = {&algebra, out};
    CHECK_EQ_INT(ph_multivector_shuffle((ph_multivector){&algebra, x}, (ph_multivector){&algebra, y}, result, NULL),
                 PH_OK);
    char text[40];
    ph_multivector_format(result, text, sizeof text);
    CHECK_STR(text, "1");
}

// Section 4: a1a2a3a v a3a1e1e2e3e = a3a1
TEST(second_shuffle_example)
{
    CHECK_SAME(vee(blade(1.0, "a1a2a3a"), blade(1.0, "a3a1e1e2e3e")), blade(1.0, "a3a1"));
}

static int permutation_sign(const int *items, int count)
{
    int sign = 1;
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count; j++) {
            sign = items[i] == items[j] ? 0 : items[i] > items[j] ? -sign : sign;
        }
    }
    return sign;
}

// Appends the positions (or, with `items`, the items there) of the bits of `mask` below `count`.
static int append(unsigned mask, int count, const int *items, int *list, int length)
{
    for (int i = 0; i < count; i++) {
        if (mask >> i & 1u) {
            list[length++] = items ? items[i] : i;
        }
    }
    return length;
}

// The definition taken literally: b = b_1 ^ ... ^ b_j, c = c_1 ^ ... ^ c_k; the sum over all choices of n - k factors of b
// of sign(chosen, rest) det(chosen, c) rest. Returns the coefficient of `result`.
static double literal_shuffle(unsigned b, unsigned c, unsigned result)
{
    int factors[8];
    const int j = append(b, 8, NULL, factors, 0), k = __builtin_popcount(c);
    double sum = 0.0;
    for (unsigned chosen = 0; chosen < 1u << j; chosen++) {
        if (__builtin_popcount(chosen) != 8 - k) {
            continue;
        }
        int order[8], columns[8], rest_items[8];
        const unsigned rest = ~chosen & ((1u << j) - 1u);
        append(rest, j, NULL, order, append(chosen, j, NULL, order, 0));
        append(c, 8, NULL, columns, append(chosen, j, factors, columns, 0));
        unsigned rest_mask = 0;
        for (int i = append(rest, j, factors, rest_items, 0); i > 0; i--) {
            rest_mask |= 1u << rest_items[i - 1];
        }
        if (rest_mask == result) {
            sum += permutation_sign(order, j) * permutation_sign(columns, 8);
        }
    }
    return sum;
}

TEST(shuffle_is_the_papers_definition)
{
    for (int i = 0; i < 2000; i++) {
        const unsigned b = (unsigned)test_random_index(256), c = (unsigned)test_random_index(256);
        mv x = {{0.0}}, y = {{0.0}};
        x.c[b] = y.c[c] = 1.0;
        const mv got = vee(x, y);
        const bool possible = __builtin_popcount(b) + __builtin_popcount(c) >= 8;
        for (unsigned r = 0; r < 256; r++) {
            CHECK(got.c[r] == (possible ? literal_shuffle(b, c, r) : 0.0));
        }
    }
}

// Lounesto's ((b I^-1) ^ (c I^-1)) I, where the pseudoscalar I has an inverse: equal up to (-1)^((n-j)(n-k)).
TEST(shuffle_against_the_pseudoscalar_formula)
{
    static const int squares[] = {1, -1, -1, 1, -1, 1};
    ph_algebra algebra;
    CHECK_EQ_INT(ph_algebra_init(&algebra, 6, squares, NULL, NULL), PH_OK);
    for (int i = 0; i < 2000; i++) {
        double c[8][64] = {{0}};
        ph_multivector m[8];
        for (int k = 0; k < 8; k++) {
            m[k] = (ph_multivector){&algebra, c[k]};
        }
        const unsigned x = (unsigned)test_random_index(64), y = (unsigned)test_random_index(64);
        c[0][x] = c[1][y] = c[2][63] = 1.0;
        ph_multivector_geometric(m[2], m[2], m[4], NULL);
        c[3][63] = c[4][0]; // I^2 = +-1, so that I^-1 = +-I
        ph_multivector_geometric(m[0], m[3], m[4], NULL);
        ph_multivector_geometric(m[1], m[3], m[5], NULL);
        ph_multivector_outer(m[4], m[5], m[6], NULL);
        ph_multivector_geometric(m[6], m[2], m[7], NULL);
        ph_multivector_shuffle(m[0], m[1], m[4], NULL);
        const bool odd = (6 - __builtin_popcount(x)) * (6 - __builtin_popcount(y)) % 2 != 0;
        for (int r = 0; r < 64; r++) {
            CHECK(c[4][r] == (odd ? -c[7][r] : c[7][r]));
        }
    }
}

// ---- Involutions ----------------------------------------------------------------------------------------------------

TEST(involutions)
{
    const mv x = random_mv(), y = random_mv();
    CHECK_SAME(reverse(gp(x, y)), gp(reverse(y), reverse(x)));
    CHECK_SAME(involute(gp(x, y)), gp(involute(x), involute(y)));
    CHECK_SAME(conjugate(gp(x, y)), gp(conjugate(y), conjugate(x)));
    CHECK_SAME(conjugate(x), involute(reverse(x)));
    CHECK_SAME(bar(gp(x, y)), gp(bar(x), bar(y)));
    CHECK_SAME(bar(wedge(x, y)), wedge(bar(x), bar(y)));
    CHECK_SAME(bar(vee(x, y)), vee(bar(x), bar(y)));
    CHECK_SAME(bar(bar(x)), x);
    CHECK_SAME(bar(blade(1.0, "a1ae2")), blade(1.0, "e1ea2"));
    mv sum = {{0.0}};
    for (int k = 0; k <= 8; k++) {
        sum = plus(sum, grade_part(x, k));
    }
    CHECK_SAME(sum, x);
}

// ---- Exponential ----------------------------------------------------------------------------------------------------

TEST(exp_of_known_elements)
{
    const mv one = blade(1.0, ""), x = blade(0.4, "e1e2"), y = blade(-0.7, "a1ae3e");
    CHECK_CLOSE(exponential(blade(3.0, "e1e2")), plus(times(cos(3.0), one), blade(sin(3.0), "e1e2")), 4e-15);
    CHECK_CLOSE(exponential(blade(7.0, "e1e")), plus(one, blade(7.0, "e1e")), 1e-14);
    CHECK_CLOSE(exponential(plus(x, y)), gp(exponential(x), exponential(y)), 1e-15);
    CHECK_CLOSE(exponential(blade(1.5, "")), times(exp(1.5), one), 4e-15);
}

TEST(exp_of_minus_x_is_the_inverse)
{
    mv x;
    fill_uniform(x.c, 256);
    x = times(0.02, x);
    CHECK_CLOSE(gp(exponential(x), exponential(times(-1.0, x))), blade(1.0, ""), 1e-13);
}

// ---- Bad input ------------------------------------------------------------------------------------------------------

TEST(different_signatures_are_refused)
{
    static const int squares[] = {-1, -1, -1, 0}, turned[] = {0, -1, -1, -1};
    ph_algebra equal, order;
    const ph_algebra small = ph_algebra_cl031();
    ph_error error;
    double x[16] = {1.0}, y[16] = {1.0}, out[16];
    mv large = blade(1.0, "");
    CHECK_EQ_INT(ph_algebra_init(&equal, 4, squares, NULL, NULL), PH_OK);
    CHECK_EQ_INT(ph_algebra_init(&order, 4, turned, NULL, NULL), PH_OK);
    const ph_multivector a = {&small, x}, b = {&equal, y}, r = {&small, out};
    CHECK_EQ_INT(ph_multivector_geometric(a, b, r, NULL), PH_OK);
    out[0] = 42.0;
    CHECK_EQ_INT(ph_multivector_geometric(a, (ph_multivector){&order, y}, r, &error), PH_BAD_ARGUMENT);
    CHECK_STR(error.text,
              "elements of different algebras: Cl(0,3,1) and Cl(0,3,1) with the generators in another order");
    CHECK_EQ_INT(ph_multivector_outer(view(&large), a, r, &error), PH_BAD_ARGUMENT);
    CHECK_STR(error.text, "elements of different algebras: Cl(0,6,2) and Cl(0,3,1)");
    CHECK_EQ_INT(ph_multivector_shuffle(a, b, a, &error), PH_BAD_ARGUMENT);
    CHECK_STR(error.text, "the result must not be one of the operands");
    CHECK(out[0] == 42.0);
}

TEST(bad_algebras_are_refused)
{
    static const int squares[11] = {0}, bad[] = {1, 2};
    static const char *const names[] = {"x", "2y"};
    ph_algebra algebra;
    ph_error error;
    CHECK_EQ_INT(ph_algebra_init(&algebra, 11, squares, NULL, &error), PH_NOT_SUPPORTED);
    CHECK_STR(error.text, "an algebra of 11 generators: from 0 to 10 are supported");
    CHECK_EQ_INT(ph_algebra_init(&algebra, 10, squares, NULL, &error), PH_OK);
    CHECK_STR(algebra.name[9], "e10");
    CHECK_EQ_INT(ph_algebra_init(&algebra, 2, bad, NULL, &error), PH_BAD_ARGUMENT);
    CHECK_STR(error.text, "generator 2 has square 2: it must be 1, -1 or 0");
    CHECK_EQ_INT(ph_algebra_init(&algebra, 2, squares, names, &error), PH_BAD_ARGUMENT);
    CHECK_STR(error.text, "generator 2 has the name \"2y\": it must be a letter, then at most six letters or digits");
}

// Ten generators, the most there may be.
TEST(largest_algebra)
{
    static const int squares[10] = {1, 1, -1, -1, 0, 1, -1, 0, 1, -1};
    static double x[1024], y[1024], z[1024], out[1024], again[1024];
    ph_algebra algebra;
    CHECK_EQ_INT(ph_algebra_init(&algebra, 10, squares, NULL, NULL), PH_OK);
    for (int i = 0; i < 60; i++) {
        x[test_random_index(1024)] = y[test_random_index(1024)] = 1.0 + i;
    }
    const ph_multivector a = {&algebra, x}, b = {&algebra, y}, ab = {&algebra, z}, r = {&algebra, out};
    CHECK_EQ_INT(ph_multivector_geometric(a, b, ab, NULL), PH_OK);
    CHECK_EQ_INT(ph_multivector_geometric(ab, a, r, NULL), PH_OK);
    CHECK_EQ_INT(ph_multivector_geometric(b, a, ab, NULL), PH_OK);
    CHECK_EQ_INT(ph_multivector_geometric(a, ab, (ph_multivector){&algebra, again}, NULL), PH_OK);
    for (int i = 0; i < 1024; i++) {
        CHECK(out[i] == again[i]);
    }
}

TEST(bad_blades_are_refused)
{
    const ph_algebra algebra = ph_algebra_cl062();
    unsigned mask;
    int sign;
    ph_error error;
    CHECK_EQ_INT(ph_algebra_blade(&algebra, "a1b", &mask, &sign, &error), PH_BAD_ARGUMENT);
    CHECK_STR(error.text, "\"a1b\" is not a product of generators: nothing is called \"b\"");
    CHECK_EQ_INT(ph_algebra_blade(&algebra, "ea1e", &mask, &sign, &error), PH_OK);
    CHECK_EQ_INT(sign, 0);
    CHECK_EQ_INT(ph_algebra_blade(&algebra, "e3e1", &mask, &sign, &error), PH_OK);
    CHECK_EQ_INT(mask, 1 << 4 | 1 << 6);
    CHECK_EQ_INT(sign, -1);
}

TEST(bar_needs_a_doubled_algebra)
{
    static const int squares[] = {1, -1};
    ph_algebra algebra;
    ph_error error;
    double x[4] = {0}, out[4];
    CHECK_EQ_INT(ph_algebra_init(&algebra, 2, squares, NULL, NULL), PH_OK);
    CHECK_EQ_INT(ph_multivector_bar((ph_multivector){&algebra, x}, (ph_multivector){&algebra, out}, &error),
                 PH_BAD_ARGUMENT);
    CHECK_STR(error.text, "the bar needs a doubled algebra: two halves with the same squares");
}

TEST(exp_that_overflows_is_refused)
{
    mv x = blade(1000.0, ""), out;
    ph_error error;
    CHECK_EQ_INT(ph_multivector_exp(view(&x), view(&out), &error), PH_NOT_FINITE);
    CHECK_STR(error.text, "exp of an element of size 1000 overflows");
    x.c[3] = (double)NAN;
    CHECK_EQ_INT(ph_multivector_exp(view(&x), view(&out), &error), PH_NOT_FINITE);
    CHECK_STR(error.text, "exp of an element that is not finite");
}

// ---- Typed values ---------------------------------------------------------------------------------------------------

TEST(typed_values_go_both_ways)
{
    static const int counts[PH_ELEMENT_COUNT] = {
        [PH_ELEMENT_TWIST] = 6,    [PH_ELEMENT_COSCREW] = 6, [PH_ELEMENT_HEXAVECTOR] = 6, [PH_ELEMENT_MOTOR] = 8,
        [PH_ELEMENT_INERTIA] = 10, [PH_ELEMENT_SYM4] = 21,   [PH_ELEMENT_POINT] = 4,      [PH_ELEMENT_PLANE] = 4,
    };
    for (int kind = 0; kind < PH_ELEMENT_COUNT; kind++) {
        double value[21], back[21] = {0};
        fill_integers(value, 21);
        const mv x = typed((ph_element)kind, value);
        CHECK_EQ_INT(ph_multivector_take(view(&x), (ph_element)kind, 0.0, back, NULL), PH_OK);
        for (int k = 0; k < 21; k++) {
            CHECK(back[k] == (k < counts[kind] ? value[k] : 0.0));
        }
    }
}

TEST(what_is_not_of_a_kind_is_refused)
{
    ph_twist s;
    ph_inertia N;
    ph_error error;
    mv x = plus(blade(2.0, "e1e2"), blade(-0.5, "a1e2"));
    CHECK_EQ_INT(ph_multivector_take(view(&x), PH_ELEMENT_TWIST, 1e-9, &s, &error), PH_BAD_ARGUMENT);
    CHECK_STR(error.text, "not a twist: its component at a1e2 is off by 0.5");
    x = plus(blade(1.0, "a2a3e2e3"), blade(3.0, "a3a1e3e1")); // a mass that depends on the direction
    CHECK_EQ_INT(ph_multivector_take(view(&x), PH_ELEMENT_INERTIA, 1e-9, &N, &error), PH_BAD_ARGUMENT);
    CHECK_STR(error.text, "not a rigid inertia: its component at a1a3e1e3 is off by 2");
    const ph_algebra small = ph_algebra_cl031();
    CHECK_EQ_INT(ph_multivector_take((ph_multivector){&small, x.c}, PH_ELEMENT_TWIST, 0.0, &s, &error),
                 PH_BAD_ARGUMENT);
    CHECK_STR(error.text, "a twist lives in Cl(0,6,2) with generators a1 a2 a3 a e1 e2 e3 e");
}
