// The cross, exact gradients: random mechanisms (mechanism.h) under every scheme. What the adjoint finds backwards, tangents
// find forwards, and extrapolated differences of whole runs along gravity; what has no adjoint is refused by name.
//
// POLHODE_CROSS_SEEDS and POLHODE_CROSS_FIRST choose how many and where to begin.

#include "test.h"

#include "mechanism.h"
#include "polhode/polhode.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 12, QUANTITIES = 6 * BODIES, COLUMNS = 6 };
static const double STEP = 1e-3;

static long setting(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtol(text, NULL, 10) : otherwise;
}

typedef struct tally {
    long paired, compared, refused, failed, immobile;
    double worst_pair, worst_difference;
} tally;

static ph_model *compile(const char *text, size_t length)
{
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL;
    ph_model *model = NULL;
    if (ph_spec_read_text(text, length, "cross", NULL, 0, problems, &spec) == PH_OK)
        ph_model_compile(spec, problems, &model);
    ph_spec_destroy(spec);
    ph_problems_destroy(problems);
    return model;
}

// ---- What is looked at ----------------------------------------------------------------------------------------------

typedef struct views {
    int count;
    char names[QUANTITIES][32];
    double unit[QUANTITIES];
} views;

static views views_of(const mechanism *g)
{
    static const char *const kinds[] = {"position.x", "position.y", "position.z", "axis_x.y", "axis_y.z", "velocity.z"};
    views v = {0};
    for (int b = 0; b < g->model.body_count; b++)
        for (int k = 0; k < 6; k++) {
            snprintf(v.names[v.count], sizeof v.names[0], "b%d.%s", b, kinds[k]);
            v.unit[v.count++] = k == 3 || k == 4 ? 1.0 : (double)g->size;
        }
    return v;
}

static ph_observables *observables_of(const views *v, const ph_model *model)
{
    const char *names[QUANTITIES];
    ph_observables *o = NULL;
    for (int k = 0; k < v->count; k++) names[k] = v->names[k];
    CHECK(ph_observables_create(model, v->count, names, &o, NULL) == PH_OK);
    return o;
}

// Numbers of the first body, gravity, and those of the first joint that are not zero; `size`: what changes them noticeably.
static int parameters_of(const mechanism *g, const ph_model *model, ph_parameter *list, double *size)
{
    static const char *const tries[COLUMNS] = {"b0.mass",   "b0.com.x",          "b0.inertia.xy",
                                               "gravity.z", "joints.j0.damping", "joints.j0.kp"};
    const double length = (double)g->size, mass = (double)g->model.bodies[0].mass;
    const double sizes[COLUMNS] = {mass, length, mass * length * length, 10.0 * length, 0.0, 0.0};
    int count = 0;
    for (int k = 0; k < COLUMNS; k++) {
        double value = 0.0;
        if (!ph_model_number(model, tries[k], &value) || (k >= 4 && value == 0.0)) continue;
        size[count] = sizes[k] > 0.0 ? sizes[k] : fabs(value);
        list[count++] = (ph_parameter){tries[k], 0.0, true};
    }
    return count;
}

// ---- Backwards and forwards -----------------------------------------------------------------------------------------

typedef struct jacobian {
    double at[QUANTITIES * COLUMNS];
    int size;
} jacobian;

static bool keep(long long n, const ph_state *s, const double *values, const double *by, void *user)
{
    jacobian *j = user;
    (void)n, (void)s, (void)values;
    memcpy(j->at, by, sizeof(double) * (size_t)j->size);
    return true;
}

static void weigh_last(long long n, const ph_state *s, double *weights, void *user)
{
    (void)s;
    if (n == STEPS) weights[*(int *)user] = 1.0;
}

// The largest disagreement, beside the largest change of anything in its unit with the same parameter.
static double pair(ph_adjoint *a, ph_state *state, ph_observables *o, const views *v, ph_parameters *p,
                   const double *size, int count, ph_status *status)
{
    jacobian forwards = {.size = v->count * count};
    double gradient[COLUMNS], scale[COLUMNS] = {0}, worst = 0.0;
    for (int k = 0; k < count; k++) scale[k] = 1e-4 / size[k]; // what moves less than that is rounding
    *status = ph_adjoint_tangents(a, state, STEP, STEPS, NULL, p, o, STEPS, keep, &forwards, NULL);
    ph_state_reset(state);
    if (*status == PH_OK) *status = ph_adjoint_forward(a, state, STEP, STEPS, NULL, NULL, NULL, NULL);
    if (*status != PH_OK) return 0.0;
    for (int i = 0; i < v->count; i++)
        for (int k = 0; k < count; k++) scale[k] = fmax(scale[k], fabs(forwards.at[i * count + k]) / v->unit[i]);
    for (int i = 0; i < v->count; i++) {
        *status = ph_adjoint_reverse_of(a, o, weigh_last, &i, NULL);
        if (*status != PH_OK) return 0.0;
        ph_adjoint_parameters(a, p, gradient);
        for (int k = 0; k < count; k++)
            worst = fmax(worst, fabs(gradient[k] - forwards.at[i * count + k]) / v->unit[i] / scale[k]);
    }
    return worst;
}

static ph_model *none(int k, double value, void *user, ph_error *error)
{
    (void)k, (void)value, (void)user, (void)error;
    return NULL;
}

static void check_pair(const mechanism *g, const ph_model *model, const char *scheme, ph_adjoint *a, long seed,
                       tally *n)
{
    const views v = views_of(g);
    ph_parameter list[COLUMNS];
    double size[COLUMNS];
    const int count = parameters_of(g, model, list, size);
    ph_observables *o = observables_of(&v, model);
    ph_parameters *p = NULL;
    ph_state *state = ph_state_create(model);
    ph_status status = ph_parameters_create(model, count, list, none, NULL, &p, NULL);
    if (status == PH_OK) {
        const double worst = pair(a, state, o, &v, p, size, count, &status);
        n->worst_pair = fmax(n->worst_pair, worst);
        if (!CHECK(worst < 1e-9)) printf("  seed %ld, %s: adjoint and tangent differ by %.2e\n", seed, scheme, worst);
    }
    n->paired += status == PH_OK;
    n->failed += status != PH_OK;
    ph_parameters_destroy(p);
    ph_observables_destroy(o);
    ph_state_destroy(state);
}

// ---- Differences ----------------------------------------------------------------------------------------------------

// The model with all of gravity larger by the factor 1 + s.
static ph_model *heavier(const mechanism *g, double s)
{
    static char text[(1 << 16) + 256];
    const char *rest = strchr(strchr(g->text, '\n') + 1, '\n');
    const double f = 1.0 + s;
    const int n =
        snprintf(text, sizeof text, "polhode: 1\ngravity: [%.17g, %.17g, %.17g]%s", f * (double)g->model.gravity.x,
                 f * (double)g->model.gravity.y, f * (double)g->model.gravity.z, rest);
    return compile(text, (size_t)n);
}

static bool end_values(const mechanism *g, const char *scheme, double s, const views *v, double *values)
{
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    def.scheme = strcmp(scheme, "moreau") == 0 ? "moreau:exact=1" : scheme; // the motion that is differentiated
    ph_model *model = heavier(g, s);
    if (!model) return false;
    ph_state *state = ph_state_create(model);
    bool ok = ph_sim_create(model, &def, &sim, NULL) == PH_OK;
    for (int n = 0; n < STEPS && ok; n++) ok = ph_sim_step(sim, state, STEP, NULL) == PH_OK;
    ph_observables *o = observables_of(v, model);
    ph_observables_values(o, state, values);
    ph_observables_destroy(o);
    ph_sim_destroy(sim);
    ph_state_destroy(state);
    ph_model_destroy(model);
    return ok;
}

// By the logarithm of gravity: central differences at s and s/2, s^2 taken away. `noise`: what they change by from one to the other.
static bool differences(const mechanism *g, const char *scheme, const views *v, double *D, double *noise)
{
    double plus[QUANTITIES], minus[QUANTITIES];
    for (int level = 0; level < 3; level++) {
        const double s = 0.02 / (1 << level);
        if (!end_values(g, scheme, s, v, plus) || !end_values(g, scheme, -s, v, minus)) return false;
        for (int i = 0; i < v->count; i++) {
            const double d = (plus[i] - minus[i]) / (2.0 * s);
            if (level == 0) D[i] = d;
            if (level == 1) noise[i] = d + (d - D[i]) / 3.0, D[i] = d;
            if (level == 2) D[i] = d + (d - D[i]) / 3.0, noise[i] = fabs(D[i] - noise[i]);
        }
    }
    return true;
}

static void check_differences(const mechanism *g, const ph_model *model, const char *scheme, ph_adjoint *a, long seed,
                              tally *n)
{
    const views v = views_of(g);
    double D[QUANTITIES], noise[QUANTITIES], scale = 0.0, error = 0.0, uncertain = 0.0;
    if (!differences(g, scheme, &v, D, noise)) return;
    ph_state *state = ph_state_create(model);
    ph_observables *o = observables_of(&v, model);
    if (ph_adjoint_forward(a, state, STEP, STEPS, NULL, NULL, NULL, NULL) == PH_OK) {
        for (int i = 0; i < v.count; i++) {
            CHECK(ph_adjoint_reverse_of(a, o, weigh_last, &i, NULL) == PH_OK);
            const ph_vec3 by = ph_adjoint_gravity(a);
            const double exact =
                (double)(by.x * g->model.gravity.x + by.y * g->model.gravity.y + by.z * g->model.gravity.z);
            scale = fmax(scale, fabs(exact) / v.unit[i]);
            error = fmax(error, fabs(exact - D[i]) / v.unit[i]);
            uncertain = fmax(uncertain, noise[i] / v.unit[i]);
        }
        if (uncertain < 1e-7 * scale) { // else the differences say nothing: velocities change sign in dry friction
            n->compared++;
            n->worst_difference = fmax(n->worst_difference, error / scale);
            if (!CHECK(error <= 1e-9 * scale + 4.0 * uncertain))
                printf("  seed %ld, %s: off the differences by %.2e (uncertain by %.2e)\n", seed, scheme, error / scale,
                       uncertain / scale);
        }
    }
    ph_observables_destroy(o);
    ph_state_destroy(state);
}

// ---- All schemes ----------------------------------------------------------------------------------------------------

static void check_scheme(const mechanism *g, const ph_model *model, const char *scheme, long seed, tally *n)
{
    ph_adjoint_def def = ph_default_adjoint();
    ph_adjoint *a = NULL;
    ph_error error = {0};
    def.sim.scheme = scheme;
    const ph_status status = ph_adjoint_create(model, &def, &a, &error);
    if (status != PH_OK) {
        n->refused++;
        CHECK(a == NULL && error.text[0] != '\0');
        return;
    }
    if (ph_adjoint_has_tangents(a)) check_pair(g, model, scheme, a, seed, n);
    if (seed % 3 == 1) check_differences(g, model, scheme, a, seed, n);
    ph_adjoint_destroy(a);
}

TEST(gradients_of_random_mechanisms)
{
    static mechanism g;
    tally n = {0};
    const long first = setting("POLHODE_CROSS_FIRST", 0), seeds = setting("POLHODE_CROSS_SEEDS", 24);
    for (long seed = first; seed < first + seeds; seed++) {
        if (!mechanism_make(&g, (uint64_t)seed)) {
            n.immobile++;
            continue;
        }
        ph_model *model = compile(g.text, g.length);
        if (!model) SKIP("no YAML");
        for (int k = 0; k < ph_scheme_count(); k++) check_scheme(&g, model, ph_scheme_get(k).name, seed, &n);
        ph_model_destroy(model);
    }
    printf("  %ld pairs to %.1e, %ld by differences to %.1e, %ld refused, %ld runs failed, %ld do not move\n", n.paired,
           n.worst_pair, n.compared, n.worst_difference, n.refused, n.failed, n.immobile);
    CHECK(n.paired > 2 * seeds);
}
