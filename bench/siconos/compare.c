// Friction problems by our "newton" and by solvers of Siconos, side by side in one run, one thread: smallest processor time of
// several runs to a natural-map error of 1e-8, as measured here for all.
//
// Of Siconos: NSGS (projected block Gauss-Seidel, its default and the one it recommends for robustness), NSN_AC (nonsmooth
// Newton on the Alart-Curnier function, its fast accurate one) and ADMM, each with its default options and with the
// matrix storage it is fastest on. Each starts from its own form of the matrix and we from ours: no making is timed. They
// stop by measures of their own, so a tolerance is tightened from 1e-5 on until the run ends at 1e-8 by this one; only that
// run counts. Each solver works in a process of its own with a limit of time, as some do not end on some problems.
//
// usage: compare FILE.fc...       (see ./run beside this file)

#include "polhode/cone.h"

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const double tolerance = 1e-8;
enum { ITERATIONS_MAX = 50000, RUNS = 5, SECONDS_MAX = 8 };

typedef struct outcome {
    int iterations;
    double ms, error;
} outcome;

static double now(void)
{
    struct timespec t; // of the processor; that of the process is coarse under a limit of time
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// |r - P(r - (u + mu |u_T| n))| / |q| with u = W r + q
static double natural_map_error(const ph_fc_problem *fc, const double *r)
{
    double sum = 0.0, q2 = 0.0;
    for (int i = 0; i < fc->contacts; i++) {
        double u[3], z[3];
        for (int a = 0; a < 3; a++) {
            const int row = 3 * i + a;
            u[a] = fc->q[row];
            q2 += fc->q[row] * fc->q[row];
            for (int k = fc->matrix->start[row]; k < fc->matrix->start[row + 1]; k++) {
                u[a] += fc->matrix->value[k] * r[fc->matrix->column[k]];
            }
        }
        u[0] += fc->cones[i].friction * sqrt(u[1] * u[1] + u[2] * u[2]);
        for (int a = 0; a < 3; a++) z[a] = r[3 * i + a] - u[a];
        ph_cone_project(&fc->cones[i], z, z);
        for (int a = 0; a < 3; a++) sum += (r[3 * i + a] - z[a]) * (r[3 * i + a] - z[a]);
    }
    return sqrt(sum / q2);
}

static outcome run_ours(const ph_fc_problem *fc)
{
    const ph_cone_problem problem = {fc->contacts, fc->cones, fc->q, ph_cone_matrix_operator(fc->matrix)};
    ph_cone_workspace *workspace = ph_cone_workspace_create(NULL);
    ph_cone_settings settings = ph_default_cone();
    settings.measure = PH_CONE_NATURAL_MAP;
    settings.tolerance = tolerance;
    double *g = calloc(3 * (size_t)fc->contacts, sizeof *g);
    outcome best = {.ms = HUGE_VAL};
    for (int k = 0; k < RUNS; k++) {
        ph_cone_report report;
        const double begin = now();
        if (ph_cone_solve(workspace, &problem, &settings, g, NULL, &report, NULL) != PH_OK) exit(1);
        best.iterations = report.iterations;
        best.ms = fmin(best.ms, 1e3 * (now() - begin));
    }
    best.error = natural_map_error(fc, g);
    ph_cone_workspace_destroy(workspace);
    free(g);
    return best;
}

typedef struct siconos_solver {
    const char *name;
    int id, storage; // blocks of 3 x 3 or columns
} siconos_solver;

static const siconos_solver solvers[] = {{"NSGS", SICONOS_FRICTION_3D_NSGS, NM_SPARSE_BLOCK},
                                         {"NSN_AC", SICONOS_FRICTION_3D_NSN_AC, NM_SPARSE},
                                         {"ADMM", SICONOS_FRICTION_3D_ADMM, NM_SPARSE}};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

static NumericsMatrix *matrix_of(const ph_fc_problem *fc, int storage)
{
    const int n = fc->matrix->rows;
    NumericsMatrix *triplets = NM_create(NM_SPARSE, n, n);
    NM_triplet_alloc(triplets, fc->matrix->start[n]);
    triplets->matrix2->origin = NSM_TRIPLET;
    for (int i = 0; i < n; i++) {
        for (int k = fc->matrix->start[i]; k < fc->matrix->start[i + 1]; k++) {
            NM_entry(triplets, i, fc->matrix->column[k], fc->matrix->value[k]);
        }
    }
    if (storage == NM_SPARSE) return triplets;
    NumericsMatrix *blocks = NM_create(NM_SPARSE_BLOCK, n, n);
    SBM_from_csparse(3, NM_csc(triplets), blocks->matrix1);
    return blocks;
}

// One solve from zero, asked for `asked` by the solver's own measure.
static outcome solve_once(const ph_fc_problem *fc, const siconos_solver *solver, double *mu, double asked)
{
    const size_t n = 3 * (size_t)fc->contacts;
    double *r = calloc(n, sizeof *r), *u = calloc(n, sizeof *u);
    FrictionContactProblem *problem =
        frictionContactProblem_new_with_data(3, fc->contacts, matrix_of(fc, solver->storage), fc->q, mu);
    SolverOptions *options = solver_options_create(solver->id);
    options->dparam[SICONOS_DPARAM_TOL] = asked;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = ITERATIONS_MAX;
    const double begin = now();
    fc3d_driver(problem, r, u, options);
    const double ms = 1e3 * (now() - begin);
    const outcome result = {options->iparam[SICONOS_IPARAM_ITER_DONE], ms, natural_map_error(fc, r)};
    free(r);
    free(u);
    problem->q = problem->mu = NULL; // ours
    frictionContactProblem_free(problem);
    solver_options_delete(options);
    return result;
}

static outcome run_siconos(const ph_fc_problem *fc, const siconos_solver *solver)
{
    double *mu = malloc((size_t)fc->contacts * sizeof *mu), asked = 1e-5;
    for (int i = 0; i < fc->contacts; i++) mu[i] = fc->cones[i].friction;
    outcome last = solve_once(fc, solver, mu, asked);
    while (!(last.error <= tolerance) && last.iterations < ITERATIONS_MAX && asked > 1e-12) {
        last = solve_once(fc, solver, mu, asked *= 0.2);
    }
    outcome best = last;
    for (int k = 1; k < RUNS && best.ms < 2000.0; k++) best.ms = fmin(best.ms, solve_once(fc, solver, mu, asked).ms);
    free(mu);
    return best;
}

// The same in a process of its own; one that crashes or takes too long has no outcome (error not finite).
static outcome run_apart(const ph_fc_problem *fc, const siconos_solver *solver)
{
    outcome result = {.error = HUGE_VAL};
    int ends[2];
    fflush(stdout); // or the child would print it again
    if (pipe(ends) != 0) exit(1);
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit limit = {SECONDS_MAX, SECONDS_MAX + 1};
        setrlimit(RLIMIT_CPU, &limit);
        alarm(4 * SECONDS_MAX); // one that waits takes no processor time
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(1); // some are talkative
        const outcome mine = run_siconos(fc, solver);
        _exit(write(ends[1], &mine, sizeof mine) != sizeof mine);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &result, sizeof result) != sizeof result) result.error = HUGE_VAL;
    close(ends[0]);
    waitpid(child, NULL, 0);
    return result;
}

static void print_row(const char *name, const ph_fc_problem *fc)
{
    const outcome ours = run_ours(fc);
    double fastest = HUGE_VAL;
    printf("| %s | %d | %.2f (%d) |", name, fc->contacts, ours.ms, ours.iterations);
    for (int k = 0; k < SOLVERS; k++) {
        const outcome theirs = run_apart(fc, &solvers[k]);
        if (theirs.error <= tolerance) {
            fastest = fmin(fastest, theirs.ms);
            printf(" %.2f (%d) |", theirs.ms, theirs.iterations);
        } else if (isfinite(theirs.error)) {
            printf(" missed: %.1e in %.0f ms |", theirs.error, theirs.ms);
        } else {
            printf(" no end in %d s |", SECONDS_MAX);
        }
    }
    if (!(ours.error <= tolerance))
        printf(" **missed by us: %.1e** |\n", ours.error);
    else if (isinf(fastest))
        printf(" nobody else |\n");
    else
        printf(fastest >= ours.ms ? " %.1f times faster |\n" : " **%.1f times faster** |\n", fastest / ours.ms);
    fflush(stdout);
}

int main(int count, char **files)
{
    printf("| problem | contacts | ours: ms (iterations) |");
    for (int k = 0; k < SOLVERS; k++) printf(" %s |", solvers[k].name);
    printf(" ours beside the best |\n| --- | --- | --- |");
    for (int k = 0; k < SOLVERS + 1; k++) printf(" --- |");
    printf("\n");
    for (int k = 1; k < count; k++) {
        ph_problems *problems = ph_problems_create();
        ph_fc_problem *fc = NULL;
        if (ph_fc_read_file(files[k], problems, &fc) != PH_OK) {
            fprintf(stderr, "%s cannot be read\n", files[k]);
            return 1;
        }
        const char *name = strrchr(files[k], '/');
        print_row(name ? name + 1 : files[k], fc);
        ph_fc_destroy(fc);
        ph_problems_destroy(problems);
    }
    return 0;
}
