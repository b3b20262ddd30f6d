// Fits: directions of inertial numbers against differences of compiled models, estimates against the numbers that made the data,
// what data do not determine.

#include "test.h"

#include "adjoint/parameters.h"
#include "fit/svd.h"
#include "model/log_cholesky.h"
#include "polhode/fit.h"
#include "polhode/io.h"
#include "text_model.h"

#include <math.h>
#include <string.h>

static const char arm[] =
    "polhode: 1\n"
    "parameters: {c: 0.15, k: 40}\n"
    "inputs: {u: 0}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: a, mass: 2, com: [0.05, 0.02, 0.2], inertia: [0.03, 0.028, 0.014], position: [0, 0, 0]}\n"
    "  - {name: b, mass: 1, com: [0.1, 0.01, 0.03], inertia: [0.012, 0.02, 0.021], position: [0, 0, 0.5]}\n"
    "  - {name: free, mass: 1.5, com: [0.02, 0.01, -0.03], inertia: [0.02, 0.03, 0.025], position: [1, 0, 0], "
    "velocity: [0.1, 0, 1], angular_velocity: [1, 2, 0.5]}\n"
    "joints:\n"
    "  - {name: A, type: revolute, bodies: [world, a], anchor: [0, 0, 0], axis: [0, 1, 0], damping: 0.1, rate: 0.7}\n"
    "  - {name: B, type: revolute, bodies: [a, b], anchor: [0, 0, 0.5], axis: [1, 0, 0], damping: c, rate: -1.1, "
    "motor: {torque: u}}\n"
    "forces:\n"
    "  - {name: s, type: spring, bodies: [world, b], point_a: [0.4, 0, 0.4], point_b: [0.1, 0.05, 0], stiffness: k, "
    "length: 0.3}\n"
    "sites:\n"
    "  - {name: tip, body: b, position: [0.3, 0, 0.1]}\n"
    "run: {scheme: rattlie, step: 0.005, until: 0.5}\n";

static ph_model *make_arm(void)
{
    ph_spec *spec = NULL;
    ph_model *model = NULL;
    ph_problems *problems = ph_problems_create();
    if (ph_spec_read_text(arm, strlen(arm), "arm", NULL, 0, problems, &spec) == PH_OK)
        ph_model_compile(spec, problems, &model);
    for (int i = 0; !model && i < ph_problems_count(problems); i++)
        printf("  %s\n", ph_problems_get(problems, i)->text);
    ph_spec_destroy(spec);
    ph_problems_destroy(problems);
    return model;
}

// ---- Inertial numbers -----------------------------------------------------------------------------------------------

TEST(log_cholesky_and_back)
{
    for (int trial = 0; trial < 50; trial++) {
        double x[LOG_CHOLESKY], y[LOG_CHOLESKY];
        for (int k = 0; k < LOG_CHOLESKY; k++) x[k] = test_uniform(-0.8, 0.8);
        const inertial body = log_cholesky_body(x);
        CHECK(body.mass > 0.0);
        if (!CHECK(log_cholesky_of(&body, y))) return;
        for (int k = 0; k < LOG_CHOLESKY; k++) CHECK_NEAR(x[k], y[k], 1e-12);
        for (int k = 0; k < LOG_CHOLESKY; k++) {
            const inertial d = log_cholesky_change(x, k);
            const double s = 1e-5, at = x[k];
            x[k] = at + s;
            const inertial plus = log_cholesky_body(x);
            x[k] = at - s;
            const inertial minus = log_cholesky_body(x);
            x[k] = at;
            CHECK_NEAR(d.mass, (plus.mass - minus.mass) / (2.0 * s), 1e-8);
            CHECK_NEAR(d.com.y, (plus.com.y - minus.com.y) / (2.0 * s), 1e-8);
            CHECK_NEAR(d.J.m[0][0], (plus.J.m[0][0] - minus.J.m[0][0]) / (2.0 * s), 1e-8);
            CHECK_NEAR(d.J.m[0][1], (plus.J.m[0][1] - minus.J.m[0][1]) / (2.0 * s), 1e-8);
        }
    }
}

TEST(plates_have_no_log_cholesky)
{
    const inertial plate = {1.0, {0, 0, 0}, {{{1, 0, 0}, {0, 2, 0}, {0, 0, 3}}}};
    double x[LOG_CHOLESKY];
    CHECK(!log_cholesky_of(&plate, x));
}

static ph_model *make_at(int k, double value, void *user, ph_error *error)
{
    const char *const *names = user;
    ph_model *model = NULL, *base = make_arm();
    ph_model_at(base, 1, &names[k], &value, &model, error);
    ph_model_destroy(base);
    return model;
}

// What is written down for a name is what the compiler makes of the changed spec.
TEST(directions_are_those_of_compiled_models)
{
    static const char *const names[] = {"a.mass",
                                        "b.com.x",
                                        "a.com.z",
                                        "free.com.y",
                                        "b.inertia.xx",
                                        "b.inertia.yz",
                                        "a.log_cholesky.alpha",
                                        "b.log_cholesky.d2",
                                        "b.log_cholesky.s13",
                                        "a.log_cholesky.t1",
                                        "free.log_cholesky.t3",
                                        "joints.A.damping",
                                        "forces.s.stiffness",
                                        "forces.s.length",
                                        "gravity.x"};
    enum { COUNT = sizeof names / sizeof *names };
    ph_parameter list[2 * COUNT];
    ph_model *model = make_arm();
    ph_parameters *p = NULL, *q = NULL;
    if (!CHECK(model)) return;
    for (int k = 0; k < COUNT; k++) {
        list[k] = (ph_parameter){.name = names[k], .number = true};
        if (!CHECK(ph_model_number(model, names[k], &list[k].value))) printf("  %s\n", names[k]);
        list[COUNT + k] = (ph_parameter){.name = names[k], .value = list[k].value};
    }
    CHECK(ph_parameters_create(model, COUNT, list, make_at, (void *)names, &p, NULL) == PH_OK);
    CHECK(ph_parameters_create(model, COUNT, list + COUNT, make_at, (void *)names, &q, NULL) == PH_OK);
    for (int k = 0; k < COUNT; k++) {
        double worst = 0.0;
        if (!CHECK(!ph_parameters_problem(q, k))) printf("  %s\n", ph_parameters_problem(q, k));
        for (int i = 0; i < p->numbers.count && q->list[k].direction; i++)
            worst = fmax(worst, fabs(p->list[k].direction[i] - q->list[k].direction[i]));
        if (!CHECK(worst < 1e-9)) printf("  %s: %g\n", names[k], worst);
    }
    ph_parameters_destroy(p);
    ph_parameters_destroy(q);
    ph_model_destroy(model);
}

// ---- Least squares --------------------------------------------------------------------------------------------------

TEST(singular_values)
{
    enum { N = 7 };
    double A[N * N], U[N * N], s[N], V[N * N];
    for (int i = 0; i < N * N; i++) A[i] = U[i] = i % N == 3 ? 0.0 : test_uniform(-1, 1);
    svd(U, N, s, V);
    CHECK(s[N - 1] < 1e-15);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0.0, unit = 0.0;
            for (int k = 0; k < N; k++) sum += U[i * N + k] * V[j * N + k], unit += V[k * N + i] * V[k * N + j];
            CHECK_NEAR(sum, A[i * N + j], 1e-14);
            CHECK_NEAR(unit, i == j, 1e-14);
        }
}

// ---- Fits -----------------------------------------------------------------------------------------------------------

enum { ROWS = 26, COLUMNS = 5 };
static const char *const measured[COLUMNS] = {"sites.tip.position.x", "sites.tip.position.y", "sites.tip.position.z",
                                              "joints.A.angle", "joints.B.rate"};
static const char *const inputs[1] = {"u"};

typedef struct record {
    double times[ROWS], values[ROWS * COLUMNS], u[ROWS];
} record;

// A run with other numbers, every 20 ms, by steps of 5 ms; the input is straight between rows.
static void measure(record *r, int count, const char *const *names, const double *values)
{
    ph_model *base = make_arm(), *model = NULL;
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    ph_observables *o = NULL;
    CHECK(ph_model_at(base, count, names, values, &model, NULL) == PH_OK);
    CHECK(ph_sim_create(model, &def, &sim, NULL) == PH_OK);
    CHECK(ph_observables_create(model, COLUMNS, measured, &o, NULL) == PH_OK);
    ph_state *state = ph_state_create(model);
    for (int i = 0; i < ROWS; i++) r->times[i] = 0.02 * i, r->u[i] = sin(9.0 * r->times[i]);
    for (int n = 0; n <= 4 * (ROWS - 1); n++) {
        if (n % 4 == 0) ph_observables_values(o, state, r->values + n / 4 * COLUMNS);
        const double share = (n % 4 + 0.5) / 4.0;
        if (n < 4 * (ROWS - 1)) ph_state_inputs(state)[0] = r->u[n / 4] + share * (r->u[n / 4 + 1] - r->u[n / 4]);
        ph_sim_step(sim, state, 0.005, NULL);
    }
    ph_state_destroy(state);
    ph_observables_destroy(o);
    ph_sim_destroy(sim);
    ph_model_destroy(model);
    ph_model_destroy(base);
}

static ph_fit *fit_record(const record *r, const ph_unknown *unknowns, int count, double robust, bool differences)
{
    ph_model *model = make_arm();
    ph_fit_def def = ph_default_fit();
    ph_error error = {0};
    ph_fit *fit = NULL;
    const ph_fit_data data = {.rows = ROWS,
                              .times = r->times,
                              .columns = COLUMNS,
                              .names = measured,
                              .values = r->values,
                              .input_count = 1,
                              .inputs = inputs,
                              .input_values = r->u};
    def.step = 0.005;
    def.runs = &data, def.run_count = 1;
    def.unknowns = unknowns, def.unknown_count = count;
    def.robust = robust, def.differences = differences;
    if (!CHECK(ph_fit_run(model, &def, &fit, &error) == PH_OK)) printf("  %s\n", error.text);
    ph_model_destroy(model);
    return fit;
}

static const char *const true_names[] = {"c", "k", "b.mass", "a.com.x", "B.rate"};
static const double true_values[] = {0.21, 46.0, 1.13, 0.07, -1.3};
static const ph_unknown wanted[] = {{"c", 0.0, (double)INFINITY},
                                    {"k", -(double)INFINITY, (double)INFINITY},
                                    {"b.mass", 0.1, 10.0},
                                    {"a.com.x", -1.0, 1.0},
                                    {"B.rate", -10.0, 10.0}};

TEST(numbers_that_made_the_data_are_found)
{
    record r;
    measure(&r, 5, true_names, true_values);
    for (int differences = 0; differences < 2; differences++) {
        ph_fit *fit = fit_record(&r, wanted, 5, 0.0, differences);
        if (!fit) return;
        CHECK(fit->end == PH_FIT_CONVERGED);
        CHECK(fit->exact == !differences);
        CHECK_EQ_INT(fit->determined, 5);
        for (int k = 0; k < 5; k++) CHECK_REL(fit->values[k], true_values[k], 1e-7);
        ph_fit_destroy(fit);
    }
}

// A tenth of the cells is missing, one in twelve is wrong by much; others have a little noise.
TEST(gaps_and_outliers)
{
    record r;
    measure(&r, 5, true_names, true_values);
    int gaps = 0;
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        r.values[i] += 1e-4 * (test_uniform(-1, 1) + test_uniform(-1, 1));
        if (i % 12 == 7) r.values[i] += 0.3;
        if (i % 10 == 3) r.values[i] = (double)NAN, gaps++;
    }
    ph_fit *fit = fit_record(&r, wanted, 5, 2.0, false), *plain = fit_record(&r, wanted, 5, 0.0, false);
    if (!fit || !plain) return;
    CHECK_EQ_INT(fit->gaps, gaps);
    CHECK(fit->outliers >= 8);
    double worst = 0.0, without = 0.0;
    for (int k = 0; k < 5; k++) {
        worst = fmax(worst, fabs(fit->values[k] / true_values[k] - 1.0));
        without = fmax(without, fabs(plain->values[k] / true_values[k] - 1.0));
    }
    CHECK(worst < 2e-2);
    CHECK(without > 10.0 * worst);
    ph_fit_destroy(fit);
    ph_fit_destroy(plain);
}

TEST(bounds_hold)
{
    record r;
    measure(&r, 5, true_names, true_values);
    ph_unknown tight[5];
    memcpy(tight, wanted, sizeof tight);
    tight[0].high = 0.18; // the data say 0.21
    ph_fit *fit = fit_record(&r, tight, 5, 0.0, false);
    if (!fit) return;
    CHECK(fit->values[0] == 0.18 && fit->at_bound[0]);
    CHECK(!fit->at_bound[1]);
    ph_fit_destroy(fit);
}

// The inertia of a link that turns about one axis shows in one number; the rest is named as not determined.
TEST(what_data_do_not_determine)
{
    record r;
    char names[10][40];
    ph_unknown ten[10];
    measure(&r, 0, NULL, NULL);
    for (int k = 0; k < 10; k++) {
        snprintf(names[k], sizeof names[k], "a.log_cholesky.%s", log_cholesky_names[k]);
        ten[k] = (ph_unknown){names[k], -(double)INFINITY, (double)INFINITY};
    }
    ph_fit *fit = fit_record(&r, ten, 10, 0.0, false);
    if (!fit) return;
    // of a body on a fixed axis y: J_yy about it, and the first moments in x and z
    CHECK_EQ_INT(fit->determined, 3);
    for (int k = 0; k < 10; k++) {
        CHECK(fit->directions[k].determined == (k < 3));
        if (!fit->directions[k].determined)
            CHECK(fit->directions[k].of_the_step || fit->directions[k].singular_value < 1e-9);
    }
    ph_fit_destroy(fit);
}

TEST(mistakes_are_named)
{
    ph_model *model = make_arm();
    ph_fit_def def = ph_default_fit();
    ph_fit *fit = NULL;
    ph_error error = {0};
    const double times[2] = {0.0, 0.1}, empty[2] = {(double)NAN, (double)NAN}, back[2] = {0.1, 0.0};
    ph_fit_data data = {.rows = 2, .times = times, .columns = 1, .names = measured, .values = empty};
    ph_unknown unknown = {"c", 0.0, 1.0};
    def.runs = &data, def.run_count = 1, def.unknowns = &unknown, def.unknown_count = 1;
    CHECK(ph_fit_run(model, &def, &fit, &error) == PH_BAD_ARGUMENT);
    CHECK(strstr(error.text, "no value at all"));
    data.times = back;
    CHECK(ph_fit_run(model, &def, &fit, &error) == PH_BAD_ARGUMENT);
    CHECK(strstr(error.text, "times must rise"));
    data.times = times;
    unknown.name = "cc";
    CHECK(ph_fit_run(model, &def, &fit, &error) == PH_NOT_FOUND);
    CHECK(strstr(error.text, "'cc'"));
    unknown = (ph_unknown){"c", 1.0, 0.0};
    CHECK(ph_fit_run(model, &def, &fit, &error) == PH_BAD_ARGUMENT);
    CHECK(strstr(error.text, "lower bound"));
    CHECK(!fit);
    ph_model_destroy(model);
}
