// ph_cone_solve: the table of solvers, the checks, the run and its report.

#include "base/clock.h"
#include "base/error.h"
#include "base/suggest.h"
#include "cone/factor.h"
#include "cone/newton.h"
#include "cone/vector.h"
#include "cone/workspace.h"

#include <string.h>

enum { CONE_COOKIE = 0x434f4e45 };

// ---- Solvers --------------------------------------------------------------------------------------------------------

static const cone_solver *const solvers[] = {
    &cone_solver_apgd,
    &cone_solver_bb,
    &cone_solver_pgs,
    &cone_solver_newton,
};
enum { SOLVER_COUNT = sizeof solvers / sizeof solvers[0] };

int ph_cone_solver_count(void)
{
    return SOLVER_COUNT;
}

ph_cone_solver_info ph_cone_solver_get(int index)
{
    if (index < 0 || index >= SOLVER_COUNT) return (ph_cone_solver_info){0};
    const cone_solver *s = solvers[index];
    return (ph_cone_solver_info){s->name, s->title, s->reference, s->needs_matrix};
}

int ph_cone_solver_find(const char *name)
{
    for (int k = 0; name && k < SOLVER_COUNT; k++) {
        if (strcmp(solvers[k]->name, name) == 0) return k;
    }
    return PH_NONE;
}

static void say_unknown_solver(const char *name, ph_error *error)
{
    const char *names[SOLVER_COUNT];
    for (int k = 0; k < SOLVER_COUNT; k++) names[k] = solvers[k]->name;
    const char *near = suggest(name, names, SOLVER_COUNT);
    error_set(error, PH_NOT_FOUND, "there is no cone solver \"%s\"%s%s%s", name ? name : "",
              near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

ph_cone_settings ph_default_cone(void)
{
    return (ph_cone_settings){.cookie = CONE_COOKIE, .solver = "newton", .tolerance = 1e-8, .finish = true};
}

// ---- Checks ---------------------------------------------------------------------------------------------------------

static ph_status check_cone(const ph_cone *c, int i, ph_error *error)
{
    if (c->kind < PH_CONE_FREE || c->kind > PH_CONE_FRICTION) {
        return error_set(error, PH_BAD_ARGUMENT, "cone %d is of no known kind", i);
    }
    if (c->kind == PH_CONE_INTERVAL && !(c->low <= c->high && c->low < HUGE_VAL && c->high > -HUGE_VAL)) {
        return error_set(error, PH_BAD_ARGUMENT, "the interval of cone %d is empty", i);
    }
    if (c->kind != PH_CONE_FRICTION) return PH_OK;
    const double mu[] = {c->friction, c->rolls ? c->rolling : 0.0, c->spins ? c->spinning : 0.0};
    static const char *const names[] = {"friction", "rolling", "spinning"};
    for (int k = 0; k < 3; k++) {
        if (!(mu[k] >= 0.0 && isfinite(mu[k]))) {
            return error_set(error, PH_BAD_ARGUMENT, "cone %d: %s is %g, it must be finite and not negative", i,
                             names[k], mu[k]);
        }
    }
    return PH_OK;
}

static ph_status check_problem(const ph_cone_problem *p, ph_error *error)
{
    if (!p || p->cone_count < 0 || (p->cone_count > 0 && (!p->cones || !p->q))) {
        return error_set(error, PH_BAD_ARGUMENT, "a cone problem needs cones and q");
    }
    if ((!p->N.apply || !p->N.diagonal) && !p->N.matrix) {
        return error_set(error, PH_BAD_ARGUMENT, "the operator needs apply and diagonal, or a matrix");
    }
    int rows = 0;
    for (int i = 0; i < p->cone_count; i++) {
        const ph_status status = check_cone(&p->cones[i], i, error);
        if (status != PH_OK) return status;
        for (const int end = rows + ph_cone_rows(&p->cones[i]); rows < end; rows++) {
            if (!isfinite(p->q[rows])) return error_set(error, PH_NOT_FINITE, "q of cone %d is not finite", i);
        }
    }
    return PH_OK;
}

static ph_status check_settings(const ph_cone_settings *s, const cone_solver **solver, ph_error *error)
{
    if (!s || s->cookie != CONE_COOKIE) {
        return error_set(error, PH_BAD_ARGUMENT, "settings of a cone problem must start from ph_default_cone()");
    }
    if (!(s->tolerance > 0.0 && isfinite(s->tolerance)) || s->iterations < 0 || !(s->lipschitz >= 0.0)) {
        return error_set(error, PH_BAD_ARGUMENT,
                         "the tolerance must be positive, iterations and lipschitz not negative");
    }
    const int index = ph_cone_solver_find(s->solver);
    if (index == PH_NONE) {
        say_unknown_solver(s->solver, error);
        return PH_NOT_FOUND;
    }
    *solver = solvers[index];
    return PH_OK;
}

// ---- Setup ----------------------------------------------------------------------------------------------------------

enum { RUN_VECTORS = 4 }; // x, N x, and the best of both

static int vectors_of(const cone_solver *s)
{
    return RUN_VECTORS + s->vectors + (s->solve ? 0 : CONE_LAW_VECTORS);
}

// What a solver needs beyond the problem: memory, and an order of elimination.
static ph_status setup_solver(ph_cone_workspace *w, const ph_cone_problem *problem, const cone_solver *s,
                              ph_error *error)
{
    if (s->needs_matrix) {
        const ph_status status = cone_workspace_load_matrix(w, problem, error);
        if (status != PH_OK) return status;
    }
    const size_t doubles = (size_t)vectors_of(s) * (size_t)w->rows;
    if (!cone_reserve(w, &w->vectors, &w->vectors_room, doubles, sizeof(double)) ||
        (s->needs_factor && !w->has_order && !(cone_factor_order(w) && cone_interior_reserve(w)))) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory for solver %s with %d rows", s->name, w->rows);
    }
    return PH_OK;
}

static ph_status setup(ph_cone_workspace *w, const ph_cone_problem *problem, const cone_solver *s, ph_error *error)
{
    w->growths = 0;
    const ph_status status = cone_workspace_load(w, problem, error);
    return status == PH_OK ? setup_solver(w, problem, s, error) : status;
}

ph_status ph_cone_prepare(ph_cone_workspace *w, const ph_cone_problem *problem, const ph_cone_settings *settings,
                          ph_error *error)
{
    const cone_solver *solver = NULL;
    ph_status status = w ? check_settings(settings, &solver, error) : PH_BAD_ARGUMENT;
    if (status == PH_OK) status = check_problem(problem, error);
    if (status != PH_OK || problem->cone_count == 0) return status;
    status = setup(w, problem, solver, error);
    if (status == PH_OK && settings->finish && problem->N.matrix) {
        status = setup_solver(w, problem, &cone_solver_newton, error);
    }
    return status == PH_NOT_SUPPORTED && !solver->needs_matrix ? PH_OK : status; // then nobody finishes
}

// ---- The solve ------------------------------------------------------------------------------------------------------

static void start_run(cone_run *run, const double *g, bool use_start)
{
    const ph_cone_workspace *w = run->w;
    double q2 = 0.0;
    run->best_x = cone_take(run);
    run->best_y = cone_take(run);
    for (int r = 0; r < w->rows; r++) {
        q2 += run->problem->q[r] * run->problem->q[r];
        run->best_x[r] = use_start && isfinite(g[r]) ? g[r] / w->scale[r] : 0.0;
    }
    run->q_norm = sqrt(q2);
    vec_project_step(w, run->best_x, 0.0, run->best_x, run->best_x);
    cone_apply(run, run->best_x, run->best_y);
    run->best_error = cone_error(run, run->best_x, run->best_y, NULL);
}

static void run_solver(cone_run *run, const cone_solver *s, int iterations)
{
    const int taken = run->vectors_taken;
    double *x = cone_take(run), *y = cone_take(run);
    run->solver = s->name;
    run->budget = iterations > 0 ? iterations : s->iterations;
    vec_copy(run->w->rows, run->best_x, x);
    vec_copy(run->w->rows, run->best_y, y);
    if (s->solve) {
        s->solve(run, x, y);
    } else {
        cone_law_solve(run, s, x, y);
    }
    run->vectors_taken = taken;
}

// Newton takes over from the best that has been found. An operator without matrix keeps what it has.
static ph_status finish(cone_run *run, int iterations, ph_error *error)
{
    ph_cone_workspace *w = run->w;
    const ph_status status = setup_solver(w, run->problem, &cone_solver_newton, error);
    run->best_x = w->vectors; // which may have moved
    run->best_y = w->vectors + w->rows;
    if (status == PH_OK) run_solver(run, &cone_solver_newton, iterations);
    return status == PH_NOT_SUPPORTED ? PH_OK : status;
}

// Does the certificate agree with the residual? Both are equivalent up to a factor that friction enters (certify.c), and
// up to rounding: impulses that N hardly sees may be large.
static bool is_certified(const cone_run *run, const ph_cone_report *report)
{
    const ph_cone_workspace *w = run->w;
    double mu = 0.0, size = 0.0;
    for (int i = 0; i < w->cone_count; i++)
        for (int k = 0; k < w->cones[i].part_count; k++) mu = larger(mu, w->cones[i].parts[k].mu);
    for (int r = 0; r < w->rows; r++) size = larger(size, (fabs(run->best_x[r]) + fabs(w->q[r])) / w->scale[r]);
    return report->certificate <= (6.0 + 4.0 * mu) * larger(run->tolerance, report->residual) + 1e-13 * size;
}

// The cone with the largest residual, and what no impulse can put right.
static void look_at_cones(const cone_run *run, ph_cone_report *report)
{
    const ph_cone_workspace *w = run->w;
    double most = -1.0;
    report->worst_cone = PH_NONE;
    for (int i = 0; i < w->cone_count; i++) {
        const double infeasible = cone_infeasible(run, i);
        const double e = w->cones[i].immovable ? infeasible : cone_error_of(run, i, run->best_x, run->best_y);
        report->infeasible = larger(report->infeasible, infeasible);
        report->immovable += w->cones[i].immovable;
        if (e > most) {
            most = e;
            report->worst_cone = i;
        }
    }
}

static void write_report(cone_run *run, const double *g, ph_cone_report *report)
{
    look_at_cones(run, report);
    report->solver = run->best_solver ? run->best_solver : run->solver;
    report->iterations = run->iterations;
    report->factorisations = run->factorisations;
    run->measure = PH_CONE_VELOCITY;
    report->residual = larger(cone_error(run, run->best_x, run->best_y, NULL), report->infeasible);
    run->measure = PH_CONE_NATURAL_MAP;
    report->natural_map_error = cone_error(run, run->best_x, run->best_y, NULL);
    report->certificate = run->w->lent ? report->residual : ph_cone_certify(run->problem, run->law, g, cone_take(run));
    report->converged = cone_met(run) && report->infeasible <= run->tolerance && is_certified(run, report);
    report->lipschitz = run->L;
    report->growths = run->w->growths;
}

static void write_result(const cone_run *run, double *g, double *u)
{
    const ph_cone_workspace *w = run->w;
    for (int r = 0; r < w->rows; r++) {
        g[r] = w->scale[r] * run->best_x[r];
        if (u) u[r] = run->best_y[r] / w->scale[r] + run->problem->q[r];
    }
}

ph_status ph_cone_solve(ph_cone_workspace *w, const ph_cone_problem *problem, const ph_cone_settings *settings,
                        double *g, double *u, ph_cone_report *report, ph_error *error)
{
    const double begin = clock_seconds();
    const cone_solver *solver = NULL;
    ph_status status = w && g ? check_settings(settings, &solver, error)
                              : error_set(error, PH_BAD_ARGUMENT, "a workspace and room for the impulses are needed");
    if (status == PH_OK) status = check_problem(problem, error);
    if (status == PH_OK && problem->cone_count == 0) {
        if (report) *report = (ph_cone_report){.converged = true, .solver = solver->name, .worst_cone = PH_NONE};
        return PH_OK;
    }
    if (status == PH_OK) status = setup(w, problem, solver, error);
    if (status != PH_OK) return status;
    cone_run run = {.w = w, .problem = problem, .law = settings->law, .measure = settings->measure};
    run.tolerance = settings->tolerance;
    run.L = settings->lipschitz;
    run.weight = settings->law == PH_LAW_COULOMB ? 1.0 : 0.0;
    const double set = clock_seconds();
    start_run(&run, g, settings->start);
    if (!cone_met(&run)) run_solver(&run, solver, settings->iterations);
    if (!cone_met(&run) && settings->finish && solver != &cone_solver_newton) {
        status = finish(&run, settings->iterations, error);
    }
    const double end = clock_seconds();
    write_result(&run, g, u);
    if (report) {
        *report = (ph_cone_report){.seconds = end - set, .setup_seconds = set - begin};
        write_report(&run, g, report);
    }
    return status;
}
