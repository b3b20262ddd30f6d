// Expressions: values, precedence, every message with its position, and the limits.

#include "test.h"

#include "expression/expression.h"
#include "math/trig.h"

#include <locale.h>

static const char *const names[] = {"x", "y", "t", "q.hinge", "qd.hinge"};
static const double values[] = {2.0, -3.0, 0.25, 0.5, -1.5};

// The names above are variables; l is the constant 1.25.
static int lookup(const char *name, double *constant, void *user)
{
    (void)user;
    for (int i = 0; i < 5; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    if (strcmp(name, "l") == 0) {
        *constant = 1.25;
        return -2;
    }
    return -1;
}

static double value(const char *text)
{
    arena *memory = arena_create(NULL);
    expression_error error;
    const expression *e = expression_compile(text, lookup, NULL, memory, &error);
    const double result = e ? expression_value(e, values) : (double)NAN;
    if (!e) {
        printf("  '%s', %d: %s\n", text, error.position, error.text);
    }
    arena_destroy(memory);
    return result;
}

static bool constant(const char *text)
{
    arena *memory = arena_create(NULL);
    expression_error error;
    const expression *e = expression_compile(text, lookup, NULL, memory, &error);
    const bool result = e && expression_is_constant(e);
    arena_destroy(memory);
    return result;
}

// "position: text" of the error, or "no error".
static const char *error_of(const char *text)
{
    static char result[256];
    arena *memory = arena_create(NULL);
    expression_error error;
    if (expression_compile(text, lookup, NULL, memory, &error)) {
        snprintf(result, sizeof result, "no error");
    } else {
        snprintf(result, sizeof result, "%d: %s", error.position, error.text);
    }
    arena_destroy(memory);
    return result;
}

#define VALUE(text, expected) CHECK_ULP(value(text), (expected), 0)
#define ERROR(text, expected) CHECK_STR(error_of(text), expected)

TEST(numbers)
{
    VALUE("0", 0.0);
    VALUE("12", 12.0);
    VALUE("1.5", 1.5);
    VALUE(".5", 0.5);
    VALUE("5.", 5.0);
    VALUE("1e3", 1e3);
    VALUE("1E+3", 1e3);
    VALUE("1.e-3", 1e-3);
    VALUE(".25e2", 25.0);
    VALUE("00012.500", 12.5);
    VALUE("0.1", 0.1);
    VALUE("0.0000001234", 0.0000001234);
    VALUE("61.6538", 61.6538);
    VALUE("9007199254740993", 9007199254740993.0);
    VALUE("1.7976931348623157e308", 1.7976931348623157e308);
    VALUE("2.2250738585072011e-308", 2.2250738585072011e-308);
    VALUE("4.9e-324", 4.9e-324);
    VALUE("1e-400", 0.0);
    VALUE("0e999999999999", 0.0);
    VALUE("3.14159265358979323846264338327950288", 3.14159265358979323846);
}

TEST(numbers_of_any_length_are_rounded_correctly)
{
    // 1 + 2^-53 lies midway between two doubles; one digit far behind decides.
    char text[1200] = "1.00000000000000011102230246251565404236316680908203125";
    VALUE(text, 1.0);
    const size_t length = strlen(text);
    memset(text + length, '0', 1000);
    VALUE(text, 1.0);
    text[length + 1000] = '1';
    VALUE(text, 1.0 + 0x1p-52);
    // Digits beyond the limit in front of the point
    memset(text, '0', sizeof text);
    text[0] = '7';
    strcpy(text + 900, "e-900");
    VALUE(text, 0.7);
}

TEST(numbers_do_not_depend_on_the_locale)
{
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8")) {
        SKIP("no locale with a decimal comma is installed");
    }
    VALUE("1.5e-1", 0.15);
    ERROR("1,5", "1: expected an operator before ','");
    setlocale(LC_NUMERIC, "C");
}

TEST(random_numbers_come_back)
{
    for (int i = 0; i < 20000; i++) {
        const uint64_t bits = test_random_bits() & 0x7fffffffffffffffu;
        double number;
        memcpy(&number, &bits, sizeof number);
        char text[40];
        snprintf(text, sizeof text, i % 2 ? "%.17g" : "%.16e", number);
        if (isfinite(number) && !CHECK_ULP(value(text), number, 0)) {
            return;
        }
    }
}

TEST(operators_and_precedence)
{
    VALUE("1+2*3", 7.0);
    VALUE("(1+2)*3", 9.0);
    VALUE("8-4-2", 2.0);
    VALUE("8/4/2", 1.0);
    VALUE("2*3^2", 18.0);
    VALUE("2^3^2", 512.0);
    VALUE("(2^3)^2", 64.0);
    VALUE("-2^2", -4.0);
    VALUE("(-2)^2", 4.0);
    VALUE("2^-1", 0.5);
    VALUE("2^-2^2", 0.0625);
    VALUE("2^+3", 8.0);
    VALUE("--3", 3.0);
    VALUE("-+-3", 3.0);
    VALUE("3--2", 5.0);
    VALUE("3*-2", -6.0);
    VALUE("-3*-2", 6.0);
    VALUE("6/-3", -2.0);
    VALUE("1-2+3", 2.0);
    VALUE("1 - (2 + 3)", -4.0);
    VALUE("  1\t+\n2 ", 3.0);
    VALUE("((((1))))", 1.0);
    VALUE("1/0", HUGE_VAL);
    CHECK_ULP(value("10^-3"), 1e-3, 1);
}

TEST(names)
{
    const double pi = 3.14159265358979323846;
    VALUE("pi", pi);
    VALUE("2*pi/3", 2.0 * pi / 3.0);
    VALUE("-l/2", -0.625);
    VALUE("x", 2.0);
    VALUE("-x^2", -4.0);
    VALUE("y^2", 9.0);
    VALUE("x*y+t", -5.75);
    VALUE("q.hinge - qd.hinge", 2.0);
    VALUE("x-y-t-q.hinge", 2.0 + 3.0 - 0.25 - 0.5);
    VALUE("t/(x+y)", -0.25);
}

TEST(functions)
{
    VALUE("sqrt(2)", sqrt(2.0));
    VALUE("abs(-3)", 3.0);
    VALUE("sin(x)", ph_sin(2.0));
    VALUE("cos(x)", ph_cos(2.0));
    VALUE("tan(x)", ph_tan(2.0));
    VALUE("asin(t)", ph_asin(0.25));
    VALUE("acos(t)", ph_acos(0.25));
    VALUE("atan(y)", ph_atan(-3.0));
    VALUE("atan2(y, x)", ph_atan2(-3.0, 2.0));
    VALUE("exp(x)", ph_exp(2.0));
    VALUE("log(x)", ph_log(2.0));
    VALUE("min(x, y)", -3.0);
    VALUE("max(x, y)", 2.0);
    VALUE("min(4, 2, 3)", 2.0);
    VALUE("max(x, y, 7, t)", 7.0);
    VALUE("sin (x)", ph_sin(2.0));
    VALUE("max(min(x,1),abs(y)*2)", 6.0);
    VALUE("-sin(x)^2", -ph_pow(ph_sin(2.0), 2.0));
}

TEST(not_a_number_is_not_swallowed)
{
    CHECK(isnan(value("min(sqrt(-1), 1)")));
    CHECK(isnan(value("min(1, sqrt(-1))")));
    CHECK(isnan(value("max(sqrt(-1), 1)")));
    CHECK(isnan(value("max(1, sqrt(-1))")));
    CHECK(isnan(value("0/0")));
}

TEST(constants_are_recognised)
{
    CHECK(constant("1"));
    CHECK(constant("-l/2 + sin(pi/3)^2"));
    CHECK(constant("max(1, 2, 3)"));
    CHECK(!constant("x"));
    CHECK(!constant("0*x"));
    CHECK(!constant("atan2(x, 1)"));
}

// Folding must not change a bit: the same formula with variables in place of numbers.
TEST(folding_keeps_the_bits)
{
    VALUE("sin(2)*exp(-3)+2^0.25-atan2(-3,2)/0.5", value("sin(x)*exp(y)+x^t-atan2(y,x)/q.hinge"));
}

TEST(errors_say_what_and_where)
{
    ERROR("", "0: expected a number, a name or '(', found the end");
    ERROR("   ", "3: expected a number, a name or '(', found the end");
    ERROR("1+", "2: expected a number, a name or '(', found the end");
    ERROR("*2", "0: expected a number, a name or '(', found '*'");
    ERROR("2*/3", "2: expected a number, a name or '(', found '/'");
    ERROR("2**3", "1: '**' is not known: powers are written '^'");
    ERROR("(1+2", "4: expected ')', found the end");
    ERROR("(1 2)", "3: expected ')', found '2'");
    ERROR("1+2)", "3: ')' without '('");
    ERROR("2 l", "2: expected an operator before 'l'");
    ERROR("2l", "1: expected an operator before 'l'");
    ERROR("1.2.3", "3: expected an operator before '.'");
    ERROR(".", "0: expected a number, a name or '(', found '.'");
    ERROR("1e", "1: expected digits after the exponent sign 'e'");
    ERROR("3*1e+", "3: expected digits after the exponent sign 'e'");
    ERROR("1e999", "0: '1e999' is not a finite number");
    ERROR("1 + 1e400*0", "4: '1e400' is not a finite number");
    ERROR("()", "1: expected a number, a name or '(', found ')'");
    ERROR("1 & 2", "2: expected an operator before '&'");
    ERROR("2\xc2\xb7x", "1: expected an operator before '\xc2\xb7'");
    ERROR("$x", "0: expected a number, a name or '(', found '$'");
    ERROR("1 = 2", "2: expected an operator before '='");
    ERROR("0x10", "1: expected an operator before 'x10'");
}

TEST(errors_of_names_and_functions)
{
    ERROR("1 + foo", "4: unknown name 'foo'");
    ERROR("Pi", "0: unknown name 'Pi'; did you mean 'pi'?");
    ERROR("q.knee", "0: unknown name 'q.knee'");
    ERROR("x.y", "0: unknown name 'x.y'");
    ERROR("2*sinn(x)", "2: unknown function 'sinn'; did you mean 'sin'?");
    ERROR("sqr(x)", "0: unknown function 'sqr'; did you mean 'sqrt'?");
    ERROR("x(2)", "0: unknown function 'x'");
    ERROR("sin + 1", "0: 'sin' is a function: write sin(...)");
    ERROR("sin()", "0: sin takes 1 argument, not 0");
    ERROR("1+sin(1,2)", "2: sin takes 1 argument, not 2");
    ERROR("atan2(1)", "0: atan2 takes 2 arguments, not 1");
    ERROR("atan2(1,2,3)", "0: atan2 takes 2 arguments, not 3");
    ERROR("max(1)", "0: max takes at least 2 arguments, not 1");
    ERROR("min()", "0: min takes at least 2 arguments, not 0");
    ERROR("max(1,)", "6: expected a number, a name or '(', found ')'");
    ERROR("sin(1", "5: expected ')' or ',' in sin(...), found the end");
    ERROR("sin(1 2)", "6: expected ')' or ',' in sin(...), found '2'");
}

TEST(the_unknown_name_is_told)
{
    arena *memory = arena_create(NULL);
    expression_error error;
    CHECK(!expression_compile("2*q.knee", lookup, NULL, memory, &error));
    CHECK_STR(error.name, "q.knee");
    CHECK(!expression_compile("2*", lookup, NULL, memory, &error));
    CHECK_STR(error.name, "");
    CHECK(!expression_compile("x", NULL, NULL, memory, &error));
    CHECK_STR(error.name, "x");
    arena_destroy(memory);
}

TEST(words_that_can_be_names)
{
    CHECK(expression_is_name("l"));
    CHECK(expression_is_name("_rod_1"));
    CHECK(expression_is_name("Length"));
    CHECK(!expression_is_name(""));
    CHECK(!expression_is_name("1l"));
    CHECK(!expression_is_name("a b"));
    CHECK(!expression_is_name("a-b"));
    CHECK(!expression_is_name("a.b"));
    CHECK(!expression_is_name("pi"));
    CHECK(!expression_is_name("sin"));
    CHECK(!expression_is_name("l\xc3\xa4nge"));
}

// `head` n times, then `middle`, then `tail` n times.
static const char *repeated(const char *head, int n, const char *middle, const char *tail)
{
    static char text[EXPRESSION_LENGTH_MAX + 64];
    text[0] = '\0';
    char *at = text;
    for (int i = 0; i < n; i++) {
        at = stpcpy(at, head);
    }
    at = stpcpy(at, middle);
    for (int i = 0; i < n; i++) {
        at = stpcpy(at, tail);
    }
    return text;
}

TEST(nesting_is_bounded)
{
    const int deepest = EXPRESSION_NESTING_MAX - 1;
    VALUE(repeated("(", deepest, "x", ")"), 2.0);
    ERROR(repeated("(", deepest + 1, "x", ")"), "64: more than 64 levels of nesting");
    VALUE(repeated("-", deepest, "x", ""), -2.0);
    ERROR(repeated("-", deepest + 1, "x", ""), "64: more than 64 levels of nesting");
    VALUE(repeated("x^", deepest, "0", ""), HUGE_VAL);
    ERROR(repeated("x^", deepest + 1, "0", ""), "128: more than 64 levels of nesting");
    VALUE(repeated("abs(", deepest, "x", ")"), 2.0);
    ERROR(repeated("(", 8000, "x", ")"), "64: more than 64 levels of nesting");
}

// The deepest stack that a nesting allows: every level holds an argument, a summand and a factor.
TEST(the_deepest_stack_fits)
{
    const int deepest = EXPRESSION_NESTING_MAX - 1;
    CHECK(isfinite(value(repeated("t+t*atan2(t,", deepest, "t+t*t", ")"))));
    CHECK(isfinite(value(repeated("t+t*max(t,", deepest, "t+t*t", ")"))));
    CHECK(isfinite(value(repeated("t+t*t^atan2(t,", deepest / 2, "t+t*t^t", ")"))));
}

TEST(length_is_bounded)
{
    VALUE(repeated("x+", EXPRESSION_LENGTH_MAX / 2 - 1, "x", ""), (double)EXPRESSION_LENGTH_MAX);
    ERROR(repeated("x+", EXPRESSION_LENGTH_MAX / 2, "x", ""), "0: an expression of more than 16384 characters");
    char name[EXPRESSION_NAME_MAX + 2];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    ERROR(name, "0: a name has more than 127 characters");
    CHECK(!expression_is_name(name));
    name[sizeof name - 2] = '\0';
    CHECK(expression_is_name(name));
    CHECK(strstr(error_of(name), "unknown name 'aaa"));
}

// Random strings of tokens: the same text gives the same answer, and nothing reads or writes out of bounds (asan).
TEST(random_tokens)
{
    static const char *const tokens[] = {"+",   "-",   "*", "/", "^",  "(",        ")",     ",",   "1",
                                         "2.5", "1e3", "x", "y", "pi", "sin",      "atan2", "max", "q.hinge",
                                         "foo", " ",   ".", "e", "1e", "\xc3\xa9", "t",     "(x"};
    int compiled = 0;
    for (int i = 0; i < 50000; i++) {
        char text[256] = "";
        const int count = 1 + test_random_index(12);
        for (int k = 0; k < count; k++) {
            strcat(text, tokens[test_random_index((int)(sizeof tokens / sizeof tokens[0]))]);
        }
        arena *memory = arena_create(NULL);
        expression_error error;
        const expression *e = expression_compile(text, lookup, NULL, memory, &error);
        if (e) {
            compiled++;
            const double first = expression_value(e, values), second = expression_value(e, values);
            CHECK(memcmp(&first, &second, sizeof first) == 0);
        } else {
            CHECK(error.text[0] != '\0' && error.position >= 0 && error.position <= (int)strlen(text));
        }
        arena_destroy(memory);
    }
    CHECK(compiled > 1000);
}
