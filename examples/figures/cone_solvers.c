// Residuals against iterations of all cone solvers on all friction problems of a folder, and a performance profile: which part of the
// problems a solver has solved to 1e-8 m/s within so many times the time of the fastest one (Dolan and More 2002).
//
//     examples/figures/draw cone_solvers [FOLDER]        POLHODE_EXTERNAL_DATA names the folder with fc/*.fc
//
// bench/cones/run prints the same numbers.
#include <polhode/polhode.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEMS_MOST = 32, SOLVERS_MOST = 8, CURVE = 19, PROFILE = 60 };
static const double TOLERANCE = 1e-8;

typedef struct study {
    int problem_count, solver_count;
    ph_fc_problem *problems[PROBLEMS_MOST];
    char names[PROBLEMS_MOST][64];
    double seconds[SOLVERS_MOST][PROBLEMS_MOST]; // infinite: not solved
} study;

static void read_problems(study *s, const char *folder)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[2048];
        const size_t length = strlen(entries[i]->d_name);
        if (s->problem_count < PROBLEMS_MOST && length > 3 && strcmp(entries[i]->d_name + length - 3, ".fc") == 0) {
            snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
            snprintf(s->names[s->problem_count], 64, "%.*s", (int)length - 3, entries[i]->d_name);
            s->problem_count += ph_fc_read_file(path, NULL, &s->problems[s->problem_count]) == PH_OK;
        }
        free(entries[i]);
    }
    free(entries);
}

// From nothing, without newton behind it.
static ph_cone_report solve(const ph_fc_problem *fc, const char *solver, double tolerance, int iterations)
{
    ph_cone_report report = {.residual = (double)NAN};
    const ph_cone_problem problem = {fc->contacts, fc->cones, fc->q, ph_cone_matrix_operator(fc->matrix)};
    ph_cone_workspace *workspace = ph_cone_workspace_create(NULL);
    double *g = calloc(3 * (size_t)fc->contacts + 1, sizeof *g);
    ph_cone_settings settings = ph_default_cone();
    settings.solver = solver;
    settings.tolerance = tolerance;
    settings.iterations = iterations;
    settings.finish = false;
    if (workspace && g) ph_cone_solve(workspace, &problem, &settings, g, NULL, &report, NULL);
    free(g);
    ph_cone_workspace_destroy(workspace);
    return report;
}

static int add_panel(ph_plot *plot, const char *title, const char *x, const char *y, bool log_y)
{
    ph_axes_def axes = ph_default_axes();
    axes.title = title;
    axes.x.label = x;
    axes.x.scale = PH_LOG;
    axes.y.label = y;
    axes.y.scale = log_y ? PH_LOG : PH_LINEAR;
    if (!log_y) axes.y.low = 0.0, axes.y.high = 1.02;
    axes.height = log_y ? 120.0 : 200.0;
    return ph_plot_add_axes(plot, &axes);
}

static void add_series(ph_plot *plot, int panel, const char *solver, int color, const double *x, const double *y,
                       int count)
{
    ph_series_def series = ph_default_series();
    series.label = solver;
    series.x = x, series.y = y, series.count = count;
    series.palette = color;
    ph_plot_add_series(plot, panel, &series);
}

static void draw_curves(const study *s, ph_plot *plot)
{
    for (int p = 0; p < s->problem_count; p++) {
        const int panel = add_panel(plot, s->names[p], "iterations", "residual (m/s)", true);
        for (int k = 0; k < s->solver_count; k++) {
            double x[CURVE], y[CURVE];
            for (int i = 0; i < CURVE; i++) {
                x[i] = floor(pow(10.0, i / 6.0) + 0.5);
                y[i] = fmax(solve(s->problems[p], ph_cone_solver_get(k).name, 1e-14, (int)x[i]).residual, 1e-16);
            }
            add_series(plot, panel, ph_cone_solver_get(k).name, k, x, y, CURVE);
        }
    }
}

static void draw_profile(study *s, ph_plot *plot)
{
    const int panel =
        add_panel(plot, "solved to 1e-8 m/s", "time by that of the fastest solver", "part of the problems", false);
    for (int k = 0; k < s->solver_count; k++)
        for (int p = 0; p < s->problem_count; p++) {
            const ph_cone_report r = solve(s->problems[p], ph_cone_solver_get(k).name, TOLERANCE, 0);
            s->seconds[k][p] = r.converged ? r.seconds + r.setup_seconds : (double)INFINITY;
        }
    for (int k = 0; k < s->solver_count; k++) {
        double x[PROFILE], y[PROFILE];
        for (int i = 0; i < PROFILE; i++) {
            x[i] = pow(10.0, 3.0 * i / (PROFILE - 1));
            y[i] = 0.0;
            for (int p = 0; p < s->problem_count; p++) {
                double best = (double)INFINITY;
                for (int other = 0; other < s->solver_count; other++) best = fmin(best, s->seconds[other][p]);
                y[i] += s->seconds[k][p] <= x[i] * best && isfinite(best) ? 1.0 / s->problem_count : 0.0;
            }
        }
        printf("%-8s fastest on %2.0f %%, within 10 times on %3.0f %%, within 1000 times on %3.0f %% of %d problems\n",
               ph_cone_solver_get(k).name, 100.0 * y[0], 100.0 * y[PROFILE / 3], 100.0 * y[PROFILE - 1],
               s->problem_count);
        add_series(plot, panel, ph_cone_solver_get(k).name, k, x, y, PROFILE);
    }
}

static bool write_plot(ph_plot *plot, const char *folder, const char *name)
{
    char path[1024];
    ph_error error = {PH_OK, ""};
    snprintf(path, sizeof path, "%s/%s.svg", folder, name);
    const bool good = ph_plot_write(plot, path, &error) == PH_OK;
    if (!good) fprintf(stderr, "%s\n", error.text);
    ph_plot_destroy(plot);
    return good;
}

int main(int count, char **arguments)
{
    static study s;
    char data[1024];
    const char *external = getenv("POLHODE_EXTERNAL_DATA");
    snprintf(data, sizeof data, "%s/fc", external ? external : "../shared/data");
    read_problems(&s, data);
    s.solver_count = ph_cone_solver_count() < SOLVERS_MOST ? ph_cone_solver_count() : SOLVERS_MOST;
    if (count != 2 || s.problem_count == 0) {
        fprintf(stderr, "usage: cone_solvers FOLDER; friction problems in %s\n", data);
        return 2;
    }
    ph_plot *curves = ph_plot_create("Residuals of cone solvers"),
            *profile = ph_plot_create("Performance of cone solvers");
    draw_curves(&s, curves);
    draw_profile(&s, profile);
    const bool good = write_plot(curves, arguments[1], "curves") & write_plot(profile, arguments[1], "profile");
    for (int p = 0; p < s.problem_count; p++) ph_fc_destroy(s.problems[p]);
    return good ? 0 : 1;
}
