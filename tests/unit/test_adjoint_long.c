// Gradients of long runs and of closed loops with redundant rows, each against a program that shares nothing with the engine.
#include "adjoint_rig.h"
#include "rig.h"

#include <math.h>

static void last(long long n, const ph_state *s, double *weights, void *user)
{
    (void)s;
    if (n == *(long long *)user) weights[0] = 1.0;
}

typedef struct file_parameter {
    const char *file, *name;
} file_parameter;

static ph_model *at_value(const file_parameter *of, double value)
{
    char path[512], text[40];
    ph_model *model = NULL;
    snprintf(path, sizeof path, "%s/examples/%s", TEST_SOURCE_DIR, of->file);
    snprintf(text, sizeof text, "%.17g", value);
    ph_problems *problems = ph_problems_create();
    ph_model_read_file(path, &(ph_setting){of->name, text}, 1, problems, &model);
    ph_problems_destroy(problems);
    return model;
}

static ph_model *make(int k, double value, void *user, ph_error *error)
{
    (void)k, (void)error;
    return at_value(user, value);
}

// d(quantity at the end)/d(parameter) of an example.
static double gradient_of(const file_parameter *of, double value, const char *quantity, double h, long long steps)
{
    double gradient = NAN;
    ph_model *model = at_value(of, value);
    ph_adjoint *a = adjoint_of(model, "rattlie", 0);
    ph_state *state = ph_state_create(model);
    ph_observables *o = NULL;
    ph_parameters *p = NULL;
    CHECK(ph_observables_create(model, 1, &quantity, &o, NULL) == PH_OK);
    CHECK(ph_parameters_create(model, 1, &(ph_parameter){of->name, value, false}, make, (void *)of, &p, NULL) == PH_OK);
    CHECK(ph_adjoint_forward(a, state, h, steps, NULL, NULL, NULL, NULL) == PH_OK);
    CHECK(ph_adjoint_reverse_of(a, o, last, &steps, NULL) == PH_OK);
    ph_adjoint_parameters(a, p, &gradient);
    ph_parameters_destroy(p);
    ph_observables_destroy(o);
    ph_state_destroy(state);
    ph_adjoint_destroy(a);
    ph_model_destroy(model);
    return gradient;
}

// Numbers of bench/adjoint/top_quad.c: the same scheme with 113 bits and the joint eliminated, central differences of 1e-8.
TEST(heavy_top_over_ten_thousand_steps)
{
    NEEDS_YAML;
    const file_parameter g = {"heavy_top.yaml", "g"}, r = {"heavy_top.yaml", "r"};
    CHECK_REL(gradient_of(&g, 9.81, "top.position.z", 0x1p-11, 1000), 0.038562859964349619, 1e-13);
    CHECK_REL(gradient_of(&r, 1.0, "top.position.z", 0x1p-11, 1000), -2.1834701431696732, 1e-13);
    CHECK_REL(gradient_of(&g, 9.81, "top.position.z", 0x1p-11, 10000), 0.15283815551876026, 2e-12);
    CHECK_REL(gradient_of(&r, 1.0, "top.position.z", 0x1p-11, 10000), -6.904262515655045, 2e-12);
}

// ---- Double four-bar, 35 rows of rank 29 ----------------------------------------------------------------------------

// Its links stay parallel, so the discrete Lagrangian is that of one angle from upright:
//     L(a, b) = (3/2 J (b - a)^2 + 11/4 m l^2 (1 - cos(b - a)))/h - h/2 (U(a) + U(b)),  U = 7/2 m g l cos
// three links about their centres, whose centres go l/2 and those of two couplers l. With momenta at the nodes.
static long double double_four_bar(long double g, int steps)
{
    const long double h = 1e-3, J = 1.0L / 12.0L, inertia = 3.0L * J + 0.75L + 2.0L;
    long double angle = 0.0L, p = inertia;
    for (int n = 0; n < steps; n++) {
        const long double push = p + 0.5L * h * 3.5L * g * sinl(angle);
        long double d = push * h / inertia;
        for (int k = 0; k < 8; k++) d -= (3.0L * J * d + 2.75L * sinl(d) - h * push) / (3.0L * J + 2.75L * cosl(d));
        angle += d;
        p = (3.0L * J * d + 2.75L * sinl(d)) / h + 0.5L * h * 3.5L * g * sinl(angle);
    }
    return 0.5L * sinl(angle); // x of link0
}

static double double_four_bar_by_g(int steps)
{
    const long double s = 1e-4L, g = 9.81;
    const long double D = (double_four_bar(g + s, steps) - double_four_bar(g - s, steps)) / (2.0L * s);
    const long double half = (double_four_bar(g + s / 2, steps) - double_four_bar(g - s / 2, steps)) / s;
    return (double)(half + (half - D) / 3.0L);
}

TEST(double_four_bar_with_six_redundant_rows)
{
    NEEDS_YAML;
    const file_parameter g = {"benchmarks/double_four_bar.yaml", "g"};
    CHECK_REL(gradient_of(&g, 9.81, "link0.position.x", 1e-3, 600), double_four_bar_by_g(600), 1e-11);
    // 26 times through places where the rank drops to 27 and the matrices are nearly singular: 1.7e-8
    CHECK_REL(gradient_of(&g, 9.81, "link0.position.x", 1e-3, 10000), double_four_bar_by_g(10000), 1e-7);
}

// ---- Bricard, 30 rows of rank 29 ------------------------------------------------------------------------------------

static double bricard_end(double value, const file_parameter *of, int steps)
{
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    ph_model *model = at_value(of, value);
    ph_state *state = ph_state_create(model);
    def.scheme = "rattlie";
    CHECK(ph_sim_create(model, &def, &sim, NULL) == PH_OK);
    for (int n = 0; n < steps; n++) CHECK(ph_sim_step(sim, state, 1e-3, NULL) == PH_OK);
    const double z = state->position[2].z;
    ph_sim_destroy(sim);
    ph_state_destroy(state);
    ph_model_destroy(model);
    return z;
}

// Central differences at s, s/2, s/4, two powers of s taken away.
static double bricard_by(const file_parameter *of, double value, int steps)
{
    double D[3];
    for (int k = 0; k < 3; k++) {
        const double s = 0.01 * value / (1 << k);
        D[k] = (bricard_end(value + s, of, steps) - bricard_end(value - s, of, steps)) / (2.0 * s);
    }
    D[2] += (D[2] - D[1]) / 3.0, D[1] += (D[1] - D[0]) / 3.0;
    return D[2] + (D[2] - D[1]) / 15.0;
}

TEST(bricard)
{
    NEEDS_YAML;
    const file_parameter g = {"benchmarks/bricard.yaml", "g"}, l = {"benchmarks/bricard.yaml", "l"};
    CHECK_REL(gradient_of(&g, 9.81, "rod3.position.z", 1e-3, 500), bricard_by(&g, 9.81, 500), 1e-10);
    CHECK_REL(gradient_of(&l, 1.0, "rod3.position.z", 1e-3, 500), bricard_by(&l, 1.0, 500), 1e-9);
}
