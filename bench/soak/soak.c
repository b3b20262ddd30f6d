// Very long runs: what grows? Energy error, opening of the joints and memory of the heavy top and of the double pendulum, each
// cut into a hundred parts of which the largest values are kept, as numbers and as a figure.
#define _XOPEN_SOURCE 700
#include <polhode/polhode.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PARTS = 100 };

typedef struct record {
    long long steps;
    double start;
    double x[PARTS], energy[PARTS], position[PARTS], velocity[PARTS], memory[PARTS];
    double kinetic;
} record;

// Pages of memory that the program has in use, in MB.
static double memory_used(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file) {
        if (fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
        fclose(file);
    }
    return 1e-6 * (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void visit(const ph_moment *moment, void *user)
{
    record *r = user;
    const ph_measures *m = moment->measures;
    const int k = (int)(moment->step * PARTS / (r->steps + 1));
    if (moment->step == 0) r->start = m->total;
    if (r->memory[k] == 0.0) r->memory[k] = memory_used();
    r->x[k] = (double)moment->step;
    r->energy[k] = fmax(r->energy[k], fabs(m->total - r->start));
    r->position[k] = fmax(r->position[k], m->position_violation);
    r->velocity[k] = fmax(r->velocity[k], m->velocity_violation);
    r->kinetic = fmax(r->kinetic, m->kinetic);
}

static bool run(const char *path, long long steps, record *r)
{
    ph_model *model = NULL;
    ph_run_def def = ph_default_run();
    ph_summary summary;
    ph_error error = {0};
    memset(r, 0, sizeof *r);
    r->steps = steps;
    if (ph_model_read_file(path, NULL, 0, NULL, &model) != PH_OK) return false;
    ph_state *state = ph_state_create(model);
    def.sim.scheme = "rattlie";
    def.step = ph_model_run_settings(model)->step;
    def.until = def.step * (double)steps;
    def.visit = visit;
    def.user = r;
    const bool done = ph_run(model, state, &def, &summary, &error) == PH_OK;
    if (done)
        printf("%s: %lld steps of %g s in %.0f s\n", ph_model_name(model), summary.steps, summary.step, summary.wall_s);
    else
        fprintf(stderr, "%s\n", error.text);
    ph_state_destroy(state);
    ph_model_destroy(model);
    return done;
}

static void print_row(const char *name, const double *values, const char *unit)
{
    double first = 0.0, last = 0.0;
    for (int k = 0; k < PARTS / 10; k++) {
        first = fmax(first, values[k]);
        last = fmax(last, values[PARTS - 1 - k]);
    }
    printf("  %-28s first tenth %.3g, last tenth %.3g %s\n", name, first, last, unit);
}

static void print(const record *r)
{
    print_row("largest energy error", r->energy, "J");
    print_row("joints open, positions", r->position, "m");
    print_row("joints open, velocities", r->velocity, "m/s");
    print_row("memory in use", r->memory, "MB");
    printf("  %-28s %.4g J\n", "largest kinetic energy", r->kinetic);
}

static void draw(ph_plot *plot, int panel, const char *label, const record *r, const double *values, double scale)
{
    double y[PARTS], x[PARTS];
    ph_series_def series = ph_default_series();
    for (int k = 0; k < PARTS; k++) {
        x[k] = r->x[k] / (double)r->steps;
        y[k] = values[k] / scale;
    }
    series.label = label;
    series.x = x;
    series.y = y;
    series.count = PARTS;
    ph_plot_add_series(plot, panel, &series);
}

static int add_panel(ph_plot *plot, const char *label, double low, double high)
{
    ph_axes_def axes = ph_default_axes();
    axes.x.label = "part of the run";
    axes.y.label = label;
    axes.y.scale = PH_LOG;
    axes.y.low = low;
    axes.y.high = high;
    axes.share_x = true;
    axes.height = 150;
    return ph_plot_add_axes(plot, &axes);
}

static ph_status draw_all(const record *top, const record *pendulum, const char *path)
{
    ph_plot *plot = ph_plot_create("What grows in very long runs: rattlie");
    const char *const names[2] = {"heavy top", "double pendulum"};
    const record *records[2] = {top, pendulum};
    const int energy = add_panel(plot, "energy error / kinetic", 1e-8, 1e-3);
    const int joints = add_panel(plot, "joints open (m)", 1e-17, 1e-13);
    const int memory = add_panel(plot, "memory (MB)", 1.0, 100.0);
    for (int k = 0; k < 2; k++) {
        draw(plot, energy, names[k], records[k], records[k]->energy, records[k]->kinetic);
        draw(plot, joints, names[k], records[k], records[k]->position, 1.0);
        draw(plot, memory, names[k], records[k], records[k]->memory, 1.0);
    }
    const ph_status status = ph_plot_write(plot, path, NULL);
    ph_plot_destroy(plot);
    return status;
}

int main(int argc, char **argv)
{
    static record top, pendulum;
    if (argc != 6) {
        fprintf(stderr, "usage: soak TOP STEPS PENDULUM STEPS FIGURE.svg\n");
        return 2;
    }
    if (!run(argv[1], atoll(argv[2]), &top)) return 1;
    print(&top);
    fflush(stdout);
    if (!run(argv[3], atoll(argv[4]), &pendulum)) return 1;
    print(&pendulum);
    return draw_all(&top, &pendulum, argv[5]) != PH_OK;
}
