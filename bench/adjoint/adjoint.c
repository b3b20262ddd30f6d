// What gradients cost and how exact they stay: forward run, tape and sweep, with and without checkpoints; a step with its full
// Jacobian; the pairing of adjoint and tangent over long runs; errors against extrapolated differences.
#define _XOPEN_SOURCE 700

#include "polhode/polhode.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void weigh_last(long long n, const ph_state *s, double *weights, void *user)
{
    (void)s;
    if (n == *(long long *)user) weights[0] = 1.0;
}

static ph_model *read_with(const char *path, const char *name, double value)
{
    char text[64];
    ph_model *model = NULL;
    ph_problems *problems = ph_problems_create();
    snprintf(text, sizeof text, "%.17g", value);
    ph_model_read_file(path, &(ph_setting){name, text}, name != NULL, problems, &model);
    for (int k = 0; !model && k < ph_problems_count(problems); k++)
        fprintf(stderr, "%s\n", ph_problems_get(problems, k)->text);
    ph_problems_destroy(problems);
    return model;
}

static ph_adjoint *adjoint_of(const ph_model *model, const char *scheme, size_t memory)
{
    ph_adjoint_def def = ph_default_adjoint();
    ph_adjoint *a = NULL;
    ph_error error = {0};
    def.sim.scheme = scheme;
    if (memory) def.memory = memory;
    if (ph_adjoint_create(model, &def, &a, &error) != PH_OK) fprintf(stderr, "%s\n", error.text);
    return a;
}

static ph_observables *quantity(const ph_model *model, const char *name)
{
    ph_observables *o = NULL;
    ph_error error = {0};
    if (ph_observables_create(model, 1, &name, &o, &error) != PH_OK) fprintf(stderr, "%s\n", error.text);
    return o;
}

// ---- Cost -----------------------------------------------------------------------------------------------------------

// The smallest of several runs: plain steps one by one, with the tape, the sweep; and value and gradient with checkpoints.
static void cost(const char *path, const char *scheme, const char *of, double h, long long steps)
{
    ph_model *model = read_with(path, NULL, 0.0);
    ph_observables *o = quantity(model, of);
    ph_state *state = ph_state_create(model);
    double best[4] = {1e9, 1e9, 1e9, 1e9};
    const size_t record = 8 * (size_t)(90 * ph_model_bodies(model) + 12 * ph_model_rows(model) + 400); // and a state
    for (int trial = 0; trial < 5; trial++) {
        ph_sim_def def = ph_default_sim();
        ph_sim *sim = NULL;
        def.scheme = scheme;
        ph_sim_create(model, &def, &sim, NULL);
        ph_state_reset(state);
        double t = seconds();
        for (long long n = 0; n < steps; n++) ph_sim_step(sim, state, h, NULL);
        best[0] = fmin(best[0], seconds() - t);
        ph_sim_destroy(sim);
        for (int memory = 0; memory < 2; memory++) { // all; then a tape of about the root of the number of steps
            ph_adjoint *a = adjoint_of(model, scheme, memory ? (size_t)(2.0 * sqrt((double)steps)) * record : 0);
            ph_state_reset(state);
            t = seconds();
            ph_adjoint_forward(a, state, h, steps, NULL, NULL, NULL, NULL);
            const double forward = seconds() - t;
            ph_adjoint_reverse_of(a, o, weigh_last, &steps, NULL);
            const double all = seconds() - t;
            if (memory) {
                best[3] = fmin(best[3], all);
            } else {
                best[1] = fmin(best[1], forward);
                best[2] = fmin(best[2], all);
            }
            ph_adjoint_destroy(a);
        }
    }
    const double unit = 1e9 / (double)steps;
    printf("%-24s %-9s %9.0f %9.0f  %6.2f  %6.2f\n", strrchr(path, '/') ? strrchr(path, '/') + 1 : path, scheme,
           best[0] * unit, best[1] * unit, best[2] / best[0], best[3] / best[0]);
    ph_state_destroy(state);
    ph_observables_destroy(o);
    ph_model_destroy(model);
}

// ---- Jacobians ------------------------------------------------------------------------------------------------------

enum { LINKS = 32 };

typedef struct variations {
    const ph_model *base;
    char names[2 * LINKS][40];
} variations;

static ph_model *vary(int k, double value, void *user, ph_error *error)
{
    const variations *v = user;
    const char *name = v->names[k];
    ph_model *model = NULL;
    ph_model_at(v->base, 1, &name, &value, &model, error);
    return model;
}

static bool go_on(long long n, const ph_state *s, const double *values, const double *jacobian, void *user)
{
    (void)n, (void)s, (void)values;
    *(double *)user = jacobian[0];
    return true;
}

// A chain of 32 links with tangents along all its 64 coordinates and rates at the start: what a step takes with them, and without.
static void jacobian(const char *path, double h, long long steps)
{
    variations v = {.base = read_with(path, NULL, 0.0)};
    ph_parameter list[2 * LINKS];
    ph_parameters *p = NULL;
    ph_error error = {0};
    double best = 1e9, last = 0.0;
    for (int k = 0; k < 2 * LINKS; k++) {
        char joint[16] = "first";
        if (k > 1) snprintf(joint, sizeof joint, "joint%d", k / 2 - 1);
        snprintf(v.names[k], sizeof v.names[k], "%s.%s", joint, k % 2 ? "rate" : "coordinate");
        list[k] = (ph_parameter){v.names[k], 0.0, false};
    }
    if (ph_parameters_create(v.base, 2 * LINKS, list, vary, &v, &p, &error) != PH_OK) printf("%s\n", error.text);
    for (int k = 0; k < 2 * LINKS; k++)
        if (ph_parameters_problem(p, k)) printf("%s: %s\n", v.names[k], ph_parameters_problem(p, k));
    ph_observables *o = quantity(v.base, "link31.position.z");
    ph_state *state = ph_state_create(v.base);
    for (int trial = 0; trial < 3; trial++) {
        ph_adjoint *a = adjoint_of(v.base, "rattlie", 0);
        ph_state_reset(state);
        const double t = seconds();
        ph_adjoint_tangents(a, state, h, steps, NULL, p, o, steps, go_on, &last, NULL);
        best = fmin(best, seconds() - t);
        ph_adjoint_destroy(a);
    }
    printf("\nA step with its full Jacobian, 32 degrees of freedom: %.1f us\n", best * 1e6 / (double)steps);
    ph_state_destroy(state);
    ph_observables_destroy(o);
    ph_parameters_destroy(p);
    ph_model_destroy((ph_model *)v.base);
}

// ---- Errors ---------------------------------------------------------------------------------------------------------

static double end_value(const char *path, const char *name, double value, const char *of, double h, long long steps)
{
    ph_model *model = read_with(path, name, value);
    ph_observables *o = quantity(model, of);
    ph_state *state = ph_state_create(model);
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    double end;
    def.scheme = "rattlie";
    ph_sim_create(model, &def, &sim, NULL);
    for (long long n = 0; n < steps; n++) ph_sim_step(sim, state, h, NULL);
    ph_observables_values(o, state, &end);
    ph_sim_destroy(sim);
    ph_state_destroy(state);
    ph_observables_destroy(o);
    ph_model_destroy(model);
    return end;
}

static ph_model *make(int k, double value, void *user, ph_error *error)
{
    (void)k, (void)error;
    const char *const *of = user;
    return read_with(of[0], of[1], value);
}

static void error_of(const char *path, const char *name, double value, const char *of, double h, long long steps,
                     double reach)
{
    enum { LEVELS = 6 };
    double D[LEVELS][LEVELS], best = 0.0, uncertain = 1e300, gradient;
    for (int k = 0; k < LEVELS; k++) {
        const double s = ldexp(reach * value, -k);
        D[k][0] = (end_value(path, name, value + s, of, h, steps) - end_value(path, name, value - s, of, h, steps)) /
                  (2.0 * s);
        double four = 4.0;
        for (int i = 1; i <= k; i++, four *= 4.0) {
            D[k][i] = D[k][i - 1] + (D[k][i - 1] - D[k - 1][i - 1]) / (four - 1.0);
            const double change = fmax(fabs(D[k][i] - D[k][i - 1]), fabs(D[k][i] - D[k - 1][i - 1]));
            if (change < uncertain) uncertain = change, best = D[k][i];
        }
    }
    ph_model *model = read_with(path, NULL, 0.0);
    ph_observables *o = quantity(model, of);
    ph_adjoint *a = adjoint_of(model, "rattlie", 0);
    ph_state *state = ph_state_create(model);
    ph_parameters *p = NULL;
    const ph_parameter parameter = {name, value, false};
    const char *user[2] = {path, name};
    ph_parameters_create(model, 1, &parameter, make, user, &p, NULL);
    ph_adjoint_forward(a, state, h, steps, NULL, NULL, NULL, NULL);
    ph_adjoint_reverse_of(a, o, weigh_last, &steps, NULL);
    ph_adjoint_parameters(a, p, &gradient);
    printf("%-28s %-18s by %-6s %8lld  %20.12e  %8.1e  %8.1e  %8.1e\n", strrchr(path, '/') + 1, of, name, steps,
           gradient, fabs(gradient - best) / fabs(best), uncertain / fabs(best),
           ph_adjoint_get_report(a).largest / ph_adjoint_get_report(a).first);
    ph_parameters_destroy(p);
    ph_state_destroy(state);
    ph_adjoint_destroy(a);
    ph_observables_destroy(o);
    ph_model_destroy(model);
}

// ---- Pairing --------------------------------------------------------------------------------------------------------

typedef struct pairing {
    double values[1], jacobian[1];
} pairing;

static bool keep(long long n, const ph_state *s, const double *values, const double *jacobian, void *user)
{
    (void)n, (void)s, (void)values;
    ((pairing *)user)->jacobian[0] = jacobian[0];
    return true;
}

// The same derivative by a tangent forwards and by the adjoint backwards: <a_N, dz_N> and <a_0, dz_0> plus what the numbers
// add on the way.
static void pair(const char *path, const char *scheme, const char *by, const char *of, double h, long long steps)
{
    ph_model *model = read_with(path, NULL, 0.0);
    ph_observables *o = quantity(model, of);
    ph_adjoint *a = adjoint_of(model, scheme, 0);
    ph_state *state = ph_state_create(model);
    ph_parameters *p = NULL;
    pairing t;
    double gradient;
    const ph_parameter parameter = {by, 0.0, true};
    ph_parameters_create(model, 1, &parameter, make, NULL, &p, NULL);
    ph_adjoint_tangents(a, state, h, steps, NULL, p, o, steps, keep, &t, NULL);
    ph_state_reset(state);
    ph_adjoint_forward(a, state, h, steps, NULL, NULL, NULL, NULL);
    ph_adjoint_reverse_of(a, o, weigh_last, &steps, NULL);
    ph_adjoint_parameters(a, p, &gradient);
    printf("%-28s %-14s %9lld  %20.12e  %8.1e  %8.1e\n", strrchr(path, '/') + 1, scheme, steps, gradient,
           fabs(gradient - t.jacobian[0]) / fabs(gradient),
           ph_adjoint_get_report(a).largest / ph_adjoint_get_report(a).first);
    ph_parameters_destroy(p);
    ph_state_destroy(state);
    ph_adjoint_destroy(a);
    ph_observables_destroy(o);
    ph_model_destroy(model);
}

int main(int count, char **arguments)
{
    const char *root = count > 1 ? arguments[1] : ".";
    static const char *const names[] = {"examples/heavy_top.yaml", "examples/double_pendulum.yaml",
                                        "examples/four_bar.yaml", "bench/adjoint/chain32.yaml"};
    static const char *const of[] = {"top.position.z", "rod2.position.z", "rocker.position.z", "link31.position.z"};
    static const char *const schemes[] = {"rattlie", "lgvi", "matrix-rattle", "quat-fem", "rattlie4"};
    char path[4][400];
    for (int k = 0; k < 4; k++) snprintf(path[k], sizeof path[k], "%s/%s", root, names[k]);
    printf("Cost: ns a step, and value with gradient by all numbers as so many forward runs\n");
    printf("%-24s %-9s %9s %9s  %6s  %6s\n", "", "", "step", "taped", "all", "sqrt n");
    for (int k = 0; k < 4; k++) cost(path[k], "rattlie", of[k], k == 0 ? 0x1p-11 : 1e-3, k == 3 ? 1000 : 10000);
    cost(path[1], "lgvi", of[1], 1e-3, 10000);
    cost(path[1], "rattlie4", of[1], 5e-3, 4000);
    jacobian(path[3], 1e-3, 1000);
    printf("\nErrors: gradient, its difference from extrapolated differences, what these are uncertain by, growth\n");
    error_of(path[0], "g", 9.81, of[0], 0x1p-11, 10000, 1e-3);
    error_of(path[0], "r", 1.0, of[0], 0x1p-11, 10000, 1e-3);
    error_of(path[1], "g", 9.81, of[1], 1e-3, 1000, 1e-2);
    error_of(path[1], "g", 9.81, of[1], 1e-3, 10000, 1e-5);
    error_of(path[2], "g", 9.81, of[2], 1e-3, 10000, 1e-2);
    error_of(path[2], "b", 0.45, of[2], 1e-3, 1000, 1e-3);
    printf("\nAdjoint and tangent: derivative by gravity.z, their difference, growth\n");
    for (int k = 0; k < 3; k++)
        for (int s = 0; s < 5; s++)
            pair(path[k], schemes[s], "gravity.z", of[k], k ? 1e-3 : 0x1p-11, k == 1 ? 10000 : 100000);
    return 0;
}
