// A small test harness: include it once in every test program.
//
//     TEST(rotation_keeps_length)
//     {
//         CHECK_NEAR(length(rotate(q, x)), length(x), 1e-15);
//     }
//
// TEST registers itself; main is here. A failed check is reported and the test goes on; each check is also a value, so
// `if (!CHECK(model != NULL)) return;` leaves. `./program part_of_name ...` runs only the tests that contain one of the
// words, `./program --list` lists them. Output: one line for each test, then "N passed, N failed, N skipped".
#ifndef TEST_H
#define TEST_H

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct test_case {
    const char *name;
    void (*run)(void);
    struct test_case *next;
} test_case;

enum { TEST_MAX_LINES = 10 }; // failed checks printed for one test

static struct {
    test_case *first, *last;
    const test_case *current;
    int failed_checks;
    const char *skip_reason;
    uint64_t random_state;
} test_state;

static inline void test_register(test_case *test)
{
    if (test_state.last) {
        test_state.last->next = test;
    } else {
        test_state.first = test;
    }
    test_state.last = test;
}

#define TEST(name)                                                                                                     \
    static void test_##name(void);                                                                                     \
    __attribute__((constructor)) static void test_register_##name(void)                                                \
    {                                                                                                                  \
        static test_case test = {#name, test_##name, NULL};                                                            \
        test_register(&test);                                                                                          \
    }                                                                                                                  \
    static void test_##name(void)

// Leaves the test and counts it as skipped, unless a check has failed before.
#define SKIP(reason)                                                                                                   \
    do {                                                                                                               \
        test_state.skip_reason = (reason);                                                                             \
        return;                                                                                                        \
    } while (0)

#define CHECK(condition) test_check((condition), __FILE__, __LINE__, #condition)
#define CHECK_EQ_INT(a, b) test_check_int((long long)(a), (long long)(b), __FILE__, __LINE__, #a " == " #b)
#define CHECK_STR(a, b) test_check_string((a), (b), __FILE__, __LINE__, #a " is " #b)
// |a - b| <= tolerance
#define CHECK_NEAR(a, b, tolerance) test_check_near((a), (b), (tolerance), __FILE__, __LINE__, #a " ~ " #b)
// |a - b| <= tolerance * max(|a|, |b|)
#define CHECK_REL(a, b, tolerance) test_check_relative((a), (b), (tolerance), __FILE__, __LINE__, #a " ~ " #b)
// at most `units` doubles lie between a and b
#define CHECK_ULP(a, b, units) test_check_ulp((a), (b), (units), __FILE__, __LINE__, #a " ~ " #b)

// Counts a failed check and says whether there is still room to print it.
static inline bool test_fail(const char *file, int line)
{
    test_state.failed_checks++;
    if (test_state.failed_checks == TEST_MAX_LINES + 1) {
        printf("  ... further failed checks are not shown\n");
    }
    if (test_state.failed_checks > TEST_MAX_LINES) {
        return false;
    }
    printf("  %s:%d: ", file, line);
    return true;
}

static inline bool test_check(bool passed, const char *file, int line, const char *text)
{
    if (!passed && test_fail(file, line)) {
        printf("%s\n", text);
    }
    return passed;
}

static inline bool test_check_int(long long a, long long b, const char *file, int line, const char *text)
{
    if (a != b && test_fail(file, line)) {
        printf("%s: %lld and %lld\n", text, a, b);
    }
    return a == b;
}

static inline bool test_check_string(const char *a, const char *b, const char *file, int line, const char *text)
{
    const bool passed = a && b ? strcmp(a, b) == 0 : a == b;
    if (!passed && test_fail(file, line)) {
        printf("%s:\n    \"%s\"\n    \"%s\"\n", text, a ? a : "(null)", b ? b : "(null)");
    }
    return passed;
}

static inline void test_print_pair(double a, double b, const char *text)
{
    printf("%s: %.17g and %.17g, difference %.3g", text, a, b, a - b);
}

// Not-a-number fails: the comparison is written so that it does.
static inline bool test_check_near(double a, double b, double tolerance, const char *file, int line, const char *text)
{
    const bool passed = a == b || fabs(a - b) <= tolerance;
    if (!passed && test_fail(file, line)) {
        test_print_pair(a, b, text);
        printf(", allowed %.3g\n", tolerance);
    }
    return passed;
}

static inline bool test_check_relative(double a, double b, double tolerance, const char *file, int line,
                                       const char *text)
{
    const double scale = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    const bool passed = a == b || fabs(a - b) <= tolerance * scale;
    if (!passed && test_fail(file, line)) {
        test_print_pair(a, b, text);
        printf(", relative %.3g, allowed %.3g\n", fabs(a - b) / scale, tolerance);
    }
    return passed;
}

// Position of x among the doubles, so that neighbours differ by one; both zeros are 0.
static inline int64_t test_rank(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? INT64_MIN - bits : bits;
}

static inline double test_ulps(double a, double b)
{
    return a != a || b != b ? (double)INFINITY : fabs((double)test_rank(a) - (double)test_rank(b));
}

static inline bool test_check_ulp(double a, double b, double units, const char *file, int line, const char *text)
{
    const double distance = test_ulps(a, b);
    const bool passed = distance <= units;
    if (!passed && test_fail(file, line)) {
        test_print_pair(a, b, text);
        printf(", %.17g ulp, allowed %.17g\n", distance, units);
    }
    return passed;
}

// Random numbers (splitmix64). Every test starts from the same seed, so that it does not matter which others run.
static inline uint64_t test_random_bits(void)
{
    uint64_t z = test_state.random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline double test_uniform(double low, double high)
{
    return low + (high - low) * (double)(test_random_bits() >> 11) * 0x1p-53;
}

// From 0 to count - 1.
static inline int test_random_index(int count)
{
    return (int)(test_random_bits() % (uint64_t)count);
}

// A test that dies still says which one it was; the signal then takes its usual way.
static inline void test_on_signal(int number)
{
    const char *name = test_state.current ? test_state.current->name : "?";
    static const char text[] = " (killed by a signal)\n";
    if (write(STDOUT_FILENO, "FAIL ", 5) < 0 || write(STDOUT_FILENO, name, strlen(name)) < 0 ||
        write(STDOUT_FILENO, text, sizeof text - 1) < 0) {
        _exit(1);
    }
    signal(number, SIG_DFL);
    raise(number);
}

static inline bool test_selected(const test_case *test, int count, char **words)
{
    for (int i = 1; i < count; i++) {
        if (strstr(test->name, words[i])) {
            return true;
        }
    }
    return count < 2;
}

int main(int argc, char **argv)
{
    int passed = 0, failed = 0, skipped = 0;
    const bool list = argc > 1 && strcmp(argv[1], "--list") == 0;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
#ifndef __SANITIZE_ADDRESS__
    signal(SIGSEGV, test_on_signal);
    signal(SIGFPE, test_on_signal);
    signal(SIGILL, test_on_signal);
    signal(SIGABRT, test_on_signal);
#endif
    for (const test_case *test = test_state.first; test; test = test->next) {
        if (list) {
            printf("%s\n", test->name);
            continue;
        }
        if (!test_selected(test, argc, argv)) {
            continue;
        }
        test_state.current = test;
        test_state.failed_checks = 0;
        test_state.skip_reason = NULL;
        test_state.random_state = 1;
        test->run();
        if (test_state.failed_checks) {
            printf("FAIL %s (%d failed checks)\n", test->name, test_state.failed_checks);
            failed++;
        } else if (test_state.skip_reason) {
            printf("skip %s: %s\n", test->name, test_state.skip_reason);
            skipped++;
        } else {
            printf("ok %s\n", test->name);
            passed++;
        }
    }
    if (!list) {
        printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    }
    return failed != 0;
}

#endif
