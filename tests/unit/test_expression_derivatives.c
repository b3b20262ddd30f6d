// Expressions: derivatives by every variable against differences, and where values that are not finite come from.

#include "test.h"

#include "expression/expression.h"

enum { VARIABLES = 3 };
static const char *const names[VARIABLES] = {"t", "q.hinge", "qd.hinge"};

static int lookup(const char *name, double *constant, void *user)
{
    (void)user, (void)constant;
    for (int i = 0; i < VARIABLES; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

static expression *compiled(const char *text, arena *memory)
{
    expression_error error;
    expression *e = expression_compile(text, lookup, NULL, memory, &error);
    if (!CHECK(e != NULL)) {
        printf("  '%s', %d: %s\n", text, error.position, error.text);
    }
    return e;
}

static double value_beside(const expression *e, const double at[VARIABLES], int by, double step)
{
    double x[VARIABLES];
    memcpy(x, at, sizeof x);
    x[by] += step;
    return expression_value(e, x);
}

// Differences with an error of step^6: with steps of 1e-2 some 1e-11 of the value.
static void check_derivatives(const char *text, const expression *e, const double at[VARIABLES], int by)
{
    static const double h = 0.01;
    double f[7];
    for (int k = -3; k <= 3; k++) {
        f[k + 3] = value_beside(e, at, by, k * h);
    }
    const double first = (45.0 * (f[4] - f[2]) - 9.0 * (f[5] - f[1]) + (f[6] - f[0])) / (60.0 * h);
    const double second =
        (-490.0 * f[3] + 270.0 * (f[2] + f[4]) - 27.0 * (f[1] + f[5]) + 2.0 * (f[0] + f[6])) / (180.0 * h * h);
    const expression_jet jet = expression_derivatives(e, at, by);
    double size = 1.0;
    for (int k = 0; k < 7; k++) {
        size = fmax(size, fabs(f[k]));
    }
    const bool good = CHECK_ULP(jet.value, f[3], 0) && CHECK_NEAR(jet.rate, first, 1e-8 * (size + fabs(first))) &&
                      CHECK_NEAR(jet.second, second, 1e-6 * (size + fabs(second)));
    if (!good) {
        printf("  '%s' by %s\n", text, names[by]);
    }
}

// A random expression whose parts stay within bounds, written to `to`.
static char *write_random(char *to, int depth)
{
    static const char *const leaves[] = {"t", "q.hinge", "qd.hinge", "1.25", "0.5"};
    static const char *const one[] = {
        "sin(%)",           "cos(%)",           "tan(0.3*sin(%))",  "exp(0.3*sin(%))", "log(3 + sin(%))",
        "sqrt(2 + cos(%))", "asin(0.4*sin(%))", "acos(0.4*cos(%))", "atan(%)",         "-%",
        "abs(2 + sin(%))",  "(2+sin(%))^1.7",   "0.3*sin(%)^3",     "1.7^sin(%)",      "min(%, 50)",
        "max(%, -50)"};
    static const char *const two[] = {"(% + %)",        "(% - 0.5*%)",          "sin(%)*cos(%)",
                                      "%/(3 + sin(%))", "atan2(%, 3 + cos(%))", "(2 + sin(%))^cos(%)"};
    const int kind = depth == 0 ? 0 : test_random_index(3);
    const char *form = kind == 0   ? leaves[test_random_index(5)]
                       : kind == 1 ? one[test_random_index(16)]
                                   : two[test_random_index(6)];
    for (; *form; form++) {
        if (*form == '%') {
            *to++ = '(';
            to = write_random(to, depth - 1);
            *to++ = ')';
        } else {
            *to++ = *form;
        }
    }
    *to = '\0';
    return to;
}

TEST(derivatives_by_every_variable_are_exact)
{
    arena *memory = arena_create(NULL);
    for (int i = 0; i < 400; i++) {
        char text[4096];
        write_random(text, 3);
        const expression *e = compiled(text, memory);
        const double at[VARIABLES] = {test_uniform(-2.0, 2.0), test_uniform(-2.0, 2.0), test_uniform(-2.0, 2.0)};
        for (int by = 0; e && by < VARIABLES; by++) {
            check_derivatives(text, e, at, by);
        }
    }
    arena_destroy(memory);
}

TEST(what_stands_still_has_no_derivative)
{
    arena *memory = arena_create(NULL);
    const expression *e = compiled("sqrt(q.hinge) + t", memory);
    const expression_jet jet = e ? expression_derivatives(e, (double[]){1.0, 0.0, 0.0}, 0) : (expression_jet){0};
    CHECK_NEAR(jet.rate, 1.0, 0.0);
    CHECK_NEAR(jet.second, 0.0, 0.0);
    if (e) CHECK_NEAR(expression_derivatives(e, (double[]){1.0, 0.0, 0.0}, -1).rate, 0.0, 0.0);
    arena_destroy(memory);
}

// "position: text" of the fault at t = 0.25, q = 0, qd = -2, or "none".
static const char *fault_of(const char *text)
{
    static char result[256];
    arena *memory = arena_create(NULL);
    const expression *e = compiled(text, memory);
    expression_error fault;
    if (!e || !expression_find_fault(e, (double[]){0.25, 0.0, -2.0}, &fault)) {
        snprintf(result, sizeof result, "none");
    } else {
        snprintf(result, sizeof result, "%d: %s", fault.position, fault.text);
    }
    arena_destroy(memory);
    return result;
}

TEST(faults_say_what_and_where)
{
    CHECK_STR(fault_of("1 + t"), "none");
    CHECK_STR(fault_of("min(1/q.hinge, 5)"), "none");
    CHECK_STR(fault_of("2 + t / q.hinge"), "6: 0.25 is divided by zero");
    CHECK_STR(fault_of("3*log(qd.hinge)"), "2: log(-2) is not finite");
    CHECK_STR(fault_of("t + sqrt(qd.hinge)"), "4: sqrt(-2) is not finite");
    CHECK_STR(fault_of("qd.hinge^0.5"), "8: -2^0.5 is not finite");
    CHECK_STR(fault_of("exp(1000*t*4)"), "0: exp(1000) is not finite");
    CHECK_STR(fault_of("1e200*t*1e200"), "7: 2.5e+199 * 1e+200 is not finite");
    CHECK_STR(fault_of("t + 1/0"), "5: it has a value that is not finite");
    CHECK_STR(fault_of("tan(pi/2) + t"), "0: it has a value that is not finite");
    CHECK_STR(fault_of("tan(2*pi*t)"), "0: tan(1.5708) is not finite");
}

TEST(the_tangent_is_infinite_at_its_poles_only)
{
    arena *memory = arena_create(NULL);
    const expression *e = compiled("tan(t*pi/2)", memory);
    for (int k = -1001; e && k <= 1001; k++) {
        const double exact = expression_value(e, (double[]){k, 0.0, 0.0});
        const double beside = expression_value(e, (double[]){k + 1e-9, 0.0, 0.0});
        CHECK(k % 2 ? isinf(exact) : fabs(exact) < 1e-10);
        CHECK(isfinite(beside));
    }
    arena_destroy(memory);
}
