// Direct shooting: knots of controls and numbers of a design are the variables of a run, which is differentiated by one sweep
// backwards for the cost and one for each goal to reach.
#include "polhode/optimize.h"

#include "base/error.h"
#include "fit/descend.h"
#include "fit/residuals.h"
#include "polhode/io.h"

#include <math.h>
#include <string.h>

static const uint32_t OPTIMIZE_COOKIE = 0x4f505431u;

ph_optimize_def ph_default_optimize(void)
{
    return (ph_optimize_def){.cookie = OPTIMIZE_COOKIE,
                             .sim = ph_default_sim(),
                             .knots = 30,
                             .seed = 1,
                             .iterations = 1000,
                             .tolerance = 1e-7,
                             .cost_tolerance = 1e-5};
}

typedef struct shooting {
    const ph_model *model; // as given
    const ph_optimize_def *def;
    arena *memory;
    ph_model *own; // at the designs
    ph_adjoint *adjoint;
    ph_observables *goals;
    double h;
    long long steps;
    int knots, variables, slacks, reach;
    int *slack_of; // by goal: index among all variables, or -1
    double *low, *high, *curvature, *x;
    double *inputs, *by_inputs; // steps x inputs
    double *values;             // goals at all nodes
    const char **names;         // of goals
    const char **design_names;
    int *control_index;
    double growth;
    ph_error *error;
    // what a sweep is of
    int goal; // to reach; -1: the cost
} shooting;

// ---- Controls -------------------------------------------------------------------------------------------------------

// The two knots that a step lies between, and the weight of the second.
static double place(const shooting *s, long long n, int *first)
{
    const double at = ((double)n + 0.5) / (double)s->steps * (double)(s->def->hold ? s->knots : s->knots - 1);
    *first = (int)fmin(floor(at), (double)(s->def->hold ? s->knots - 1 : s->knots - 2));
    return s->def->hold ? 0.0 : at - (double)*first;
}

static void spread(shooting *s, const double *x)
{
    const int width = ph_model_inputs(s->model);
    for (long long n = 0; n < s->steps; n++) {
        int k;
        const double t = place(s, n, &k);
        for (int c = 0; c < s->def->control_count; c++) {
            const double *knot = x + c * s->knots + k;
            s->inputs[n * width + s->control_index[c]] = (1.0 - t) * knot[0] + (t > 0.0 ? t * knot[1] : 0.0);
        }
    }
}

static void gather(const shooting *s, const double *by_inputs, double *g)
{
    const int width = ph_model_inputs(s->model);
    for (long long n = 0; n < s->steps; n++) {
        int k;
        const double t = place(s, n, &k);
        for (int c = 0; c < s->def->control_count; c++) {
            const double slope = by_inputs[n * width + s->control_index[c]];
            g[c * s->knots + k] += (1.0 - t) * slope;
            if (t > 0.0) g[c * s->knots + k + 1] += t * slope;
        }
    }
}

// The integral of weighted squares of the controls, and its slope by the inputs.
static double effort(shooting *s, double *slope)
{
    const int width = ph_model_inputs(s->model);
    double sum = 0.0;
    for (long long n = 0; n < s->steps; n++)
        for (int c = 0; c < s->def->control_count; c++) {
            const size_t at = (size_t)(n * width + s->control_index[c]);
            const double w = s->def->controls[c].weight * s->h;
            sum += w * s->inputs[at] * s->inputs[at];
            if (slope) slope[at] = 2.0 * w * s->inputs[at];
        }
    return sum;
}

// ---- Runs -----------------------------------------------------------------------------------------------------------

static bool see(long long n, const ph_state *state, void *user)
{
    shooting *s = user;
    if (s->goals) ph_observables_values(s->goals, state, s->values + n * s->def->goal_count);
    return true;
}

// The model at the designs; the first time, or where there are none, as given.
static ph_status make_model(shooting *s, const double *x)
{
    const ph_optimize_def *def = s->def;
    if (s->adjoint && def->design_count == 0) return PH_OK;
    ph_adjoint_destroy(s->adjoint), s->adjoint = NULL;
    ph_observables_destroy(s->goals), s->goals = NULL;
    ph_model_destroy(s->own), s->own = NULL;
    ph_adjoint_def adjoint = ph_default_adjoint();
    adjoint.sim = def->sim;
    const ph_model *model = s->model;
    ph_status status = PH_OK;
    if (def->design_count > 0) {
        status = ph_model_at(s->model, def->design_count, s->design_names, x + def->control_count * s->knots, &s->own,
                             s->error);
        model = s->own;
    }
    if (status == PH_OK) status = ph_adjoint_create(model, &adjoint, &s->adjoint, s->error);
    if (status == PH_OK && def->goal_count > 0)
        status = ph_observables_create(model, def->goal_count, s->names, &s->goals, s->error);
    return status;
}

static double goal_at_end(const shooting *s, int k)
{
    return s->values[s->steps * s->def->goal_count + k];
}

static double cost(shooting *s)
{
    double f = effort(s, NULL);
    for (int k = 0; k < s->def->goal_count; k++) {
        const ph_goal *g = &s->def->goals[k];
        if (g->kind == PH_GOAL_MINIMIZE) f += g->weight * goal_at_end(s, k);
        for (long long n = 1; g->kind == PH_GOAL_TRACK && n <= s->steps; n++) {
            const double miss = s->values[n * s->def->goal_count + k] - g->low;
            f += g->weight * s->h * miss * miss;
        }
    }
    return f;
}

static void equations(const shooting *s, const double *x, double *c)
{
    int row = 0;
    for (int k = 0; k < s->def->goal_count; k++) {
        const ph_goal *g = &s->def->goals[k];
        if (g->kind == PH_GOAL_REACH) c[row++] = goal_at_end(s, k) - (s->slack_of[k] < 0 ? g->low : x[s->slack_of[k]]);
    }
}

// ---- Sweeps ---------------------------------------------------------------------------------------------------------

static void weigh(long long n, const ph_state *state, double *weights, void *user)
{
    const shooting *s = user;
    (void)state;
    for (int k = 0; k < s->def->goal_count; k++) {
        const ph_goal *g = &s->def->goals[k];
        if (s->goal >= 0) {
            weights[k] = k == s->goal && n == s->steps;
        } else if (g->kind == PH_GOAL_MINIMIZE) {
            weights[k] = n == s->steps ? g->weight : 0.0;
        } else if (g->kind == PH_GOAL_TRACK && n > 0) {
            weights[k] = 2.0 * g->weight * s->h * (s->values[n * s->def->goal_count + k] - g->low);
        }
    }
}

static ph_status sweep(shooting *s, int goal, const ph_parameters *p, double *g)
{
    s->goal = goal;
    const ph_status status = ph_adjoint_reverse_of(s->adjoint, s->goals, weigh, s, s->error);
    if (status != PH_OK) return status;
    const ph_adjoint_report r = ph_adjoint_get_report(s->adjoint);
    s->growth = fmax(s->growth, r.first > 0.0 ? r.largest / r.first : 0.0);
    gather(s, ph_adjoint_inputs(s->adjoint), g);
    if (p) {
        double slope[UNKNOWNS_MAX];
        ph_adjoint_parameters(s->adjoint, p, slope);
        for (int k = 0; k < s->def->design_count; k++) g[s->def->control_count * s->knots + k] += slope[k];
    }
    return PH_OK;
}

typedef struct maker {
    const shooting *s;
    const double *designs;
} maker;

static ph_model *make_one(int k, double value, void *user, ph_error *error)
{
    const maker *m = user;
    double values[UNKNOWNS_MAX];
    ph_model *model = NULL;
    memcpy(values, m->designs, sizeof(double) * (size_t)m->s->def->design_count);
    values[k] = value;
    ph_model_at(m->s->model, m->s->def->design_count, m->s->design_names, values, &model, error);
    return model;
}

static ph_status find_parameters(shooting *s, const double *x, ph_parameters **p)
{
    const int count = s->def->design_count;
    ph_parameter list[UNKNOWNS_MAX] = {{0}};
    const double *designs = x + s->def->control_count * s->knots;
    maker m = {s, designs};
    for (int k = 0; k < count; k++) {
        double value;
        bool number;
        unknown_value(s->model, s->design_names[k], &value, &number);
        list[k] = (ph_parameter){s->design_names[k], designs[k], number};
    }
    ph_status status = ph_parameters_create(s->own, count, list, make_one, &m, p, s->error);
    for (int k = 0; k < count && status == PH_OK; k++)
        if (ph_parameters_problem(*p, k))
            status = error_set(s->error, PH_BAD_ARGUMENT, "'%.80s' cannot change alone: %.700s", list[k].name,
                               ph_parameters_problem(*p, k));
    return status;
}

static bool cost_sees_states(const shooting *s)
{
    for (int k = 0; k < s->def->goal_count; k++)
        if (s->def->goals[k].kind != PH_GOAL_REACH) return true;
    return false;
}

static ph_status slopes(shooting *s, const double *x, double *g, double *A)
{
    ph_parameters *p = NULL;
    ph_status status = s->def->design_count > 0 ? find_parameters(s, x, &p) : PH_OK;
    memset(g, 0, sizeof(double) * (size_t)s->variables);
    memset(A, 0, sizeof(double) * (size_t)s->variables * (size_t)s->reach);
    effort(s, s->by_inputs);
    gather(s, s->by_inputs, g);
    if (status == PH_OK && cost_sees_states(s)) status = sweep(s, -1, p, g);
    int row = 0;
    for (int k = 0; k < s->def->goal_count && status == PH_OK; k++) {
        if (s->def->goals[k].kind != PH_GOAL_REACH) continue;
        status = sweep(s, k, p, A + (size_t)row * (size_t)s->variables);
        if (s->slack_of[k] >= 0) A[row * s->variables + s->slack_of[k]] = -1.0;
        row++;
    }
    ph_parameters_destroy(p);
    return status;
}

static ph_status evaluate(const double *x, double *f, double *c, double *g, double *A, void *user)
{
    shooting *s = user;
    ph_step_report report = {0};
    ph_status status = make_model(s, x);
    if (status != PH_OK) return status;
    spread(s, x);
    ph_state *state = ph_state_create(s->own ? s->own : s->model);
    if (!state) return PH_OUT_OF_MEMORY;
    status = ph_adjoint_forward(s->adjoint, state, s->h, s->steps, ph_model_inputs(s->model) ? s->inputs : NULL, see, s,
                                &report);
    if (status != PH_OK && s->error)
        ph_step_report_format(&report, s->own ? s->own : s->model, s->error->text, sizeof s->error->text);
    ph_state_destroy(state);
    if (status != PH_OK) return status;
    *f = cost(s);
    equations(s, x, c);
    if (!isfinite(*f)) return PH_NO_CONVERGENCE;
    return g ? slopes(s, x, g, A) : PH_OK;
}

static bool pass_on(int iteration, double f, double miss, const double *x, void *user)
{
    const shooting *s = user;
    const ph_optimize_progress p = {iteration, f, miss, s->variables - s->slacks, x};
    return !s->def->progress || s->def->progress(&p, s->def->user);
}

// ---- Preparing ------------------------------------------------------------------------------------------------------

static ph_status check(const ph_model *model, const ph_optimize_def *def, ph_error *error)
{
    if (!model || !def || def->cookie != OPTIMIZE_COOKIE)
        return error_set(error, PH_BAD_ARGUMENT,
                         "ph_optimize needs a model and a ph_optimize_def from ph_default_optimize()");
    if (def->control_count < 0 || def->design_count < 0 || def->design_count > UNKNOWNS_MAX || def->goal_count < 1 ||
        def->control_count + def->design_count == 0)
        return error_set(error, PH_BAD_ARGUMENT,
                         "there must be something to choose, a control or a design, and a goal");
    if (!(def->step > 0.0) || !(def->until > 0.0) || def->until / def->step > 1e8)
        return error_set(error, PH_BAD_ARGUMENT, "the step and the end of the run must be positive");
    if (def->knots < 2 || def->control_count * def->knots > 2000)
        return error_set(error, PH_BAD_ARGUMENT, "there must be 2 knots or more, and at most 2000 in all");
    for (int c = 0; c < def->control_count; c++) {
        if (ph_model_find_input(model, def->controls[c].name) < 0)
            return error_set(error, PH_NOT_FOUND,
                             "the model has no input '%.80s'; controls are inputs (`inputs: {u: 0}`)",
                             def->controls[c].name);
        if (!(def->controls[c].low < def->controls[c].high))
            return error_set(error, PH_BAD_ARGUMENT, "'%.80s': the bounds leave nothing to choose",
                             def->controls[c].name);
    }
    return PH_OK;
}

static ph_status set_designs(shooting *s, ph_error *error)
{
    const int first = s->def->control_count * s->knots;
    for (int k = 0; k < s->def->design_count; k++) {
        const ph_unknown *u = &s->def->designs[k];
        bool number;
        double value;
        if (!unknown_value(s->model, u->name, &value, &number))
            return error_set(error, PH_NOT_FOUND, "'%.80s' is neither a parameter nor a number of the model", u->name);
        const double size = unknown_size(s->model, u->name, value);
        s->design_names[k] = u->name;
        s->low[first + k] = u->low, s->high[first + k] = u->high;
        s->x[first + k] = fmin(fmax(value, u->low), u->high);
        s->curvature[first + k] = 1.0 / (size * size);
    }
    return PH_OK;
}

static double random_share(unsigned *seed) // -1 to 1
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1 << 23) - 1.0;
}

static void set_controls(shooting *s)
{
    unsigned seed = s->def->seed;
    ph_state *state = ph_state_create(s->model);
    for (int c = 0; c < s->def->control_count; c++) {
        const ph_control *u = &s->def->controls[c];
        const double range = isfinite(u->high - u->low) ? u->high - u->low : 2.0;
        s->control_index[c] = ph_model_find_input(s->model, u->name);
        const double start = state ? ph_state_inputs(state)[s->control_index[c]] : 0.0;
        for (int k = 0; k < s->knots; k++) {
            const int i = c * s->knots + k;
            s->low[i] = u->low, s->high[i] = u->high;
            s->x[i] = fmin(fmax(start + (seed ? 0.1 * range * random_share(&seed) : 0.0), u->low), u->high);
            s->curvature[i] = fmax(2.0 * u->weight * s->def->until / s->knots, 1e-6 / (range * range));
        }
    }
    for (long long n = 0; state && n < s->steps; n++)
        for (int k = 0; k < ph_model_inputs(s->model); k++)
            s->inputs[n * ph_model_inputs(s->model) + k] = ph_state_inputs(state)[k];
    ph_state_destroy(state);
}

static void set_goals(shooting *s)
{
    int next = s->variables - s->slacks;
    for (int k = 0; k < s->def->goal_count; k++) {
        const ph_goal *g = &s->def->goals[k];
        s->names[k] = g->name;
        s->slack_of[k] = -1;
        if (g->kind != PH_GOAL_REACH || g->low == g->high) continue;
        s->slack_of[k] = next;
        s->low[next] = g->low, s->high[next] = g->high;
        s->x[next] = isfinite(g->low) ? isfinite(g->high) ? 0.5 * (g->low + g->high) : g->low : g->high;
        s->curvature[next++] = 1e-9;
    }
}

static bool make_room(shooting *s)
{
    const ph_optimize_def *def = s->def;
    const size_t inputs = (size_t)s->steps * (size_t)ph_model_inputs(s->model) + 1, goals = (size_t)def->goal_count;
    double **vectors[] = {&s->low, &s->high, &s->curvature, &s->x};
    for (int k = 0; k < def->goal_count; k++) {
        s->reach += def->goals[k].kind == PH_GOAL_REACH;
        s->slacks += def->goals[k].kind == PH_GOAL_REACH && def->goals[k].low < def->goals[k].high;
    }
    s->variables = def->control_count * s->knots + def->design_count + s->slacks;
    bool ok = true;
    for (int k = 0; k < 4; k++)
        ok = ok && (*vectors[k] = arena_alloc_array(s->memory, (size_t)s->variables, sizeof(double)));
    s->inputs = arena_alloc_array(s->memory, inputs, sizeof(double));
    s->by_inputs = arena_alloc_array(s->memory, inputs, sizeof(double));
    s->values = arena_alloc_array(s->memory, ((size_t)s->steps + 1) * goals, sizeof(double));
    s->names = arena_alloc_array(s->memory, goals, sizeof *s->names);
    s->slack_of = arena_alloc_array(s->memory, goals, sizeof(int));
    s->design_names = arena_alloc_array(s->memory, (size_t)def->design_count, sizeof *s->design_names);
    s->control_index = arena_alloc_array(s->memory, (size_t)def->control_count, sizeof(int));
    return ok && s->inputs && s->by_inputs && s->values && s->names && s->slack_of && s->design_names &&
           s->control_index;
}

// ---------------------------------------------------------------------------------------------------------------------

typedef struct holder {
    ph_optimum optimum; // first: what the caller holds
    arena *memory;
} holder;

static ph_status finish(shooting *s, const descent *d, holder *to)
{
    double *ends = arena_alloc_array(to->memory, (size_t)s->def->goal_count, sizeof(double));
    if (!ends) return PH_OUT_OF_MEMORY;
    for (int k = 0; k < s->def->goal_count; k++) ends[k] = goal_at_end(s, k);
    static const ph_optimize_end ends_as[] = {PH_OPTIMIZE_CONVERGED, PH_OPTIMIZE_ITERATIONS, PH_OPTIMIZE_STOPPED,
                                              PH_OPTIMIZE_STUCK};
    to->optimum = (ph_optimum){.variables = s->variables - s->slacks,
                               .values = s->x,
                               .steps = s->steps,
                               .inputs = s->inputs,
                               .goals = ends,
                               .cost = d->f,
                               .miss = d->miss,
                               .growth = s->growth,
                               .iterations = d->iteration,
                               .evaluations = d->evaluations,
                               .end = ends_as[d->end]};
    return PH_OK;
}

static ph_status work(shooting *s, holder *to)
{
    const ph_optimize_def *def = s->def;
    double f;
    ph_status status = set_designs(s, s->error);
    if (status != PH_OK) return status;
    set_controls(s);
    set_goals(s);
    for (int k = 0; def->guess && k < s->variables - s->slacks; k++)
        s->x[k] = fmin(fmax(def->guess[k], s->low[k]), s->high[k]);
    descent d = {.n = s->variables,
                 .m = s->reach,
                 .low = s->low,
                 .high = s->high,
                 .curvature = s->curvature,
                 .tolerance = def->tolerance,
                 .cost_tolerance = def->cost_tolerance,
                 .iterations = def->iterations,
                 .evaluate = evaluate,
                 .progress = pass_on,
                 .user = s};
    status = descend(&d, s->x, s->memory);
    double *c = arena_alloc_array(s->memory, (size_t)s->reach + 1, sizeof(double));
    if (status == PH_OK && c) status = evaluate(s->x, &f, c, NULL, NULL, s); // the run at the end, not at a trial
    return status == PH_OK ? finish(s, &d, to) : status;
}

ph_status ph_optimize(const ph_model *model, const ph_optimize_def *def, ph_optimum **optimum, ph_error *error)
{
    ph_error own = {0};
    if (!error) error = &own;
    ph_status status =
        optimum ? check(model, def, error) : error_set(error, PH_BAD_ARGUMENT, "ph_optimize needs a place");
    if (status != PH_OK) return status;
    *optimum = NULL;
    arena *memory = arena_create(NULL);
    holder *to = memory ? arena_alloc(memory, sizeof *to) : NULL;
    shooting s = {.model = model, .def = def, .memory = memory, .knots = def->knots, .error = error};
    s.steps = (long long)ceil(def->until / def->step - 1e-9), s.h = def->until / (double)s.steps;
    status = to && make_room(&s) ? PH_OK : error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    if (to) to->memory = memory;
    if (status == PH_OK) status = work(&s, to);
    if (status != PH_OK && !error->text[0]) error_set(error, status, "%s", ph_status_text(status));
    ph_adjoint_destroy(s.adjoint);
    ph_observables_destroy(s.goals);
    ph_model_destroy(s.own);
    if (status == PH_OK)
        *optimum = &to->optimum;
    else
        arena_destroy(memory);
    return status;
}

void ph_optimum_destroy(ph_optimum *optimum)
{
    if (optimum) arena_destroy(((holder *)optimum)->memory);
}
