// Fills the silo, measures it, opens it, measures the outflow. See hopper.h; what is printed, written and drawn is described in
// docs/hopper.md. A run that is stopped or killed goes on from its last checkpoint with --resume.
#include "hopper.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const double SAMPLE = 0.005;       // s of simulated time between rows of the series
static const double FILL_PART = 0.2;      // of the filling, at its end, over which the silo is measured ...
static const double LOWER_PART = 0.6;     // ... or of the lowering
static volatile sig_atomic_t interrupted; // set by the signal alone

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

static double clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- The run --------------------------------------------------------------------------------------------------------

typedef struct run {
    setup s;
    bool open; // which of the two phases
    ph_model *model;
    ph_state *state;
    ph_sim *sim;
    ph_observer *observer;
    ph_result_writer *writer;
    moment *moments;
    int count, room;
    FILE *series;
    profile silo;
    double total_mass;
    double began, last_saved, last_shown, before; // clock; `before`: s that earlier parts of the run took
    long long steps;
    ph_step_report since; // largest values since the last row
    double since_s;
    int since_steps, missed;
    double worst_penetration, worst_residual;
} run;

static bool fail(const char *what, const ph_error *error)
{
    fprintf(stderr, "hopper: %s%s%s\n", what, error && *error->text ? ": " : "", error ? error->text : "");
    return false;
}

static const char *state_name(bool open)
{
    return open ? "flow.state" : "fill.state";
}

static void close_phase(run *r)
{
    ph_sim_destroy(r->sim);
    ph_observer_destroy(r->observer);
    ph_state_destroy(r->state);
    ph_model_destroy(r->model);
    r->sim = NULL, r->observer = NULL, r->state = NULL, r->model = NULL;
}

static bool open_phase(run *r, bool open)
{
    ph_error error = {0};
    ph_sim_def def = ph_default_sim();
    def.scheme = "moreau";
    def.threads = r->s.threads;
    r->open = open;
    r->model = build_model(&r->s, open);
    r->state = r->model ? ph_state_create(r->model) : NULL;
    if (!r->state) return fail("no model", NULL);
    if (ph_observer_create(r->model, &r->observer) != PH_OK) return fail("out of memory", NULL);
    r->total_mass = 0.0;
    for (int n = 0; n < r->s.spheres; n++) r->total_mass += ph_model_body(r->model, FIRST_SPHERE + n).mass;
    return ph_sim_create(r->model, &def, &r->sim, &error) == PH_OK || fail("no simulation", &error);
}

// ---- Series ---------------------------------------------------------------------------------------------------------

static int steps_by_row(const setup *s)
{
    return (int)fmax(1.0, floor(SAMPLE / s->step + 0.5));
}

static const char *const SERIES_HEAD =
    "time,spheres_out,mass_out,floor_force,wall_shear,wall_normal,speed,contacts,iterations,residual,penetration,missed,step_s,memory_mb\n";

static bool keep(run *r, const moment *m)
{
    if (r->count == r->room) {
        r->room = 2 * r->room + 1024;
        moment *more = realloc(r->moments, sizeof *more * (size_t)r->room);
        if (!more) return fail("out of memory", NULL);
        r->moments = more;
    }
    r->moments[r->count++] = *m;
    fprintf(r->series, "%.9g,%d,%.9g,%.6g,%.6g,%.6g,%.4g,%d,%d,%.3g,%.3g,%d,%.4g,%.0f\n", m->time, m->out, m->mass_out,
            m->floor, m->wall_shear, m->wall_normal, m->speed, m->contacts, m->iterations, m->residual, m->penetration,
            m->missed, m->step_s, m->memory_mb);
    return !ferror(r->series) || fail("series.csv", NULL);
}

static bool read_row(const char *line, moment *m)
{
    int missed;
    *m = (moment){0};
    const bool good = sscanf(line, "%lf,%d,%lf,%lf,%lf,%lf,%lf,%d,%d,%lf,%lf,%d,%lf,%lf", &m->time, &m->out,
                             &m->mass_out, &m->floor, &m->wall_shear, &m->wall_normal, &m->speed, &m->contacts,
                             &m->iterations, &m->residual, &m->penetration, &missed, &m->step_s, &m->memory_mb) == 14;
    m->missed = good && missed;
    return good;
}

// Opens the series anew, with the rows of an earlier part of the run up to the time of the state.
static bool open_series(run *r, double until)
{
    static const char path[] = "series.csv", old[] = "series.old";
    char line[512];
    FILE *before = r->s.resume && rename(path, old) == 0 ? fopen(old, "r") : NULL;
    r->series = fopen(path, "w");
    if (!r->series) return fail(path, NULL);
    fputs(SERIES_HEAD, r->series);
    bool good = true;
    while (before && good && fgets(line, sizeof line, before)) {
        moment m;
        if (!read_row(line, &m) || m.time > until + 0.5 * r->s.step) continue;
        good = keep(r, &m);
        r->missed += m.missed;
        r->worst_penetration = fmax(r->worst_penetration, m.penetration);
        r->worst_residual = fmax(r->worst_residual, m.residual);
        r->before += m.step_s * steps_by_row(&r->s);
    }
    if (before) fclose(before);
    remove(old);
    return good;
}

// ---- Checkpoints and progress ---------------------------------------------------------------------------------------

static bool save(run *r)
{
    ph_error error = {0};
    fflush(r->series);
    if (r->writer && ph_result_sync(r->writer, &error) != PH_OK) return fail("frames", &error);
    if (ph_state_save(r->state, state_name(r->open), &error) != PH_OK) return fail("checkpoint", &error);
    r->last_saved = clock_s();
    return true;
}

static double memory_mb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1e-3 * 1.024 * (double)usage.ru_maxrss;
}

static void show(run *r, const moment *m)
{
    const bool terminal = isatty(STDERR_FILENO);
    const double now = clock_s();
    if (now - r->last_shown < (terminal ? 0.5 : 20.0)) return;
    r->last_shown = now;
    fprintf(stderr, "%s%s t = %.3f of %.3f s, %d of %d out, %d contacts, %d sweeps, %.0f ms a step, %.0f s, %.0f MB%s",
            terminal ? "\r" : "", r->open ? "flows" : "fills", m->time, r->s.fill + r->s.flow + r->s.lower, m->out,
            r->s.spheres, m->contacts, m->iterations, 1e3 * m->step_s, r->before + now - r->began, memory_mb(),
            terminal ? "   " : "\n");
}

// ---- Steps ----------------------------------------------------------------------------------------------------------

static void count_step(run *r, const ph_step_report *report, double seconds)
{
    const ph_step_report before = r->since;
    r->since = *report;
    r->since.penetration = fmax(before.penetration, report->penetration);
    r->since.contact_residual = fmax(before.contact_residual, report->contact_residual);
    r->since.contact_missed = before.contact_missed || report->contact_missed;
    r->since_s += seconds;
    r->since_steps++;
}

static bool sample(run *r)
{
    moment m = observe(&r->s, r->model, r->state, &r->since, r->since_s / r->since_steps);
    m.memory_mb = memory_mb();
    r->worst_penetration = fmax(r->worst_penetration, m.penetration);
    r->worst_residual = fmax(r->worst_residual, m.residual);
    r->missed += m.missed;
    r->since = (ph_step_report){0};
    r->since_s = 0.0;
    r->since_steps = 0;
    show(r, &m);
    return keep(r, &m);
}

static bool add_frame(run *r)
{
    ph_error error = {0};
    const long long kept = r->writer ? ph_result_appended(r->writer) : r->s.frames;
    const double due = r->s.fill + r->s.frame_every * (double)kept;
    if (kept >= r->s.frames || ph_state_time(r->state) < due - 0.5 * r->s.step) return true;
    return ph_result_append(r->writer, r->state, r->observer, &error) == PH_OK || fail("frames", &error);
}

// The silo is measured at the end of the filling, or while the piston sinks.
static double profile_start(const setup *s)
{
    return s->lower > 0.0 ? s->fill + (1.0 - LOWER_PART) * s->lower : (1.0 - FILL_PART) * s->fill;
}

static bool one_step(run *r, long long step)
{
    ph_step_report report;
    const double began = clock_s();
    if (ph_sim_step(r->sim, r->state, r->s.step, &report) != PH_OK) {
        ph_error error;
        ph_step_report_format(&report, r->model, error.text, sizeof error.text);
        return fail("a step failed", &error);
    }
    r->steps++;
    count_step(r, &report, clock_s() - began);
    if (!r->open && ph_state_time(r->state) > profile_start(&r->s)) profile_add(&r->silo, &r->s, r->model, r->state);
    return step % steps_by_row(&r->s) != 0 || (sample(r) && add_frame(r));
}

// Steps until `until`, or until nothing is left in the vessel. False when it failed or was interrupted.
static bool run_until(run *r, double until)
{
    for (long long step = llround(ph_state_time(r->state) / r->s.step) + 1; step <= llround(until / r->s.step);
         step++) {
        if (!one_step(r, step)) return false;
        if (clock_s() - r->last_saved > r->s.save_every && !save(r)) return false;
        interrupted |= r->s.stop > 0.0 && ph_state_time(r->state) > r->s.stop - 0.5 * r->s.step;
        if (interrupted) return save(r), fail("stopped; --resume goes on", NULL);
        if (r->open && r->count > 0 && r->moments[r->count - 1].out == r->s.spheres) break;
    }
    return save(r);
}

// ---- Phases ---------------------------------------------------------------------------------------------------------

static bool load(run *r, const char *name)
{
    ph_error error = {0};
    return ph_state_load(r->state, name, &error) == PH_OK || fail("cannot go on", &error);
}

static bool exists(const char *name)
{
    return access(name, R_OK) == 0;
}

// Lets the piston sink, so that the medium slides down along the wall everywhere.
static bool lower(run *r)
{
    if (!(r->s.lower > 0.0)) return true;
    ph_state_velocities(r->state)[LID] = (ph_vec3){0.0, 0.0, -r->s.lower_speed};
    ph_state_touch(r->state);
    return run_until(r, r->s.fill + r->s.lower);
}

static bool fill(run *r)
{
    const bool saved = r->s.resume && exists("fill.state");
    return open_phase(r, false) && (!saved || load(r, "fill.state")) && open_series(r, ph_state_time(r->state)) &&
           (saved || save(r)) && run_until(r, r->s.fill) && lower(r);
}

// The same bodies in the model without lid.
static bool open_lid(run *r)
{
    const size_t bodies = (size_t)ph_model_bodies(r->model);
    ph_sim_destroy(r->sim), r->sim = NULL; // most of the memory
    ph_observer_destroy(r->observer), r->observer = NULL;
    run closed = *r;
    if (!open_phase(r, true)) return false;
    memcpy(ph_state_positions(r->state), ph_state_positions(closed.state), bodies * sizeof(ph_vec3));
    memcpy(ph_state_orientations(r->state), ph_state_orientations(closed.state), bodies * sizeof(ph_quat));
    memcpy(ph_state_velocities(r->state), ph_state_velocities(closed.state), bodies * sizeof(ph_vec3));
    memcpy(ph_state_angular_velocities(r->state), ph_state_angular_velocities(closed.state), bodies * sizeof(ph_vec3));
    ph_state_set_time(r->state, ph_state_time(closed.state));
    close_phase(&closed);
    return true;
}

static long long frames_until(const run *r)
{
    const double since = ph_state_time(r->state) - r->s.fill + 0.5 * r->s.step;
    return (long long)fmin(r->s.frames, 1.0 + floor(since / r->s.frame_every));
}

static bool open_frames(run *r, bool resumed)
{
    ph_error error = {0};
    if (r->s.frames == 0) return true;
    const ph_result_def def = {.path = "motion.h5", .scheme = "moreau", .step = r->s.step, .rows = r->s.frames + 1};
    const ph_status status = resumed ? ph_result_resume(r->model, &def, frames_until(r), &r->writer, &error)
                                     : ph_result_create(r->model, &def, &r->writer, &error);
    return status == PH_OK || fail("frames", &error);
}

static bool flow(run *r, bool resumed)
{
    ph_error error = {0};
    if (!open_frames(r, resumed) || (!resumed && (!add_frame(r) || !save(r)))) return false;
    if (!run_until(r, r->s.fill + r->s.flow)) return false;
    return !r->writer || ph_result_close(r->writer, &error) == PH_OK || fail("frames", &error);
}

// Of all parts of the run, as the series tells.
static cost cost_of(const run *r)
{
    cost c = {.simulated = ph_state_time(r->state),
              .seconds = r->before + clock_s() - r->began,
              .memory_mb = memory_mb(),
              .overlap = r->worst_penetration,
              .residual = r->worst_residual,
              .missed = r->missed,
              .rows = r->count};
    for (int k = 0; k < r->count; k++) {
        c.memory_mb = fmax(c.memory_mb, r->moments[k].memory_mb);
        c.contacts = r->moments[k].contacts > c.contacts ? r->moments[k].contacts : c.contacts;
    }
    return c;
}

static void print_cost(const run *r, const cost *c)
{
    printf("%d spheres, %.3f s simulated in %.0f s, steps of %g s\n", r->s.spheres, c->simulated, c->seconds,
           r->s.step);
    printf("  memory            %.0f MB at the most\n", c->memory_mb);
    printf(
        "  contacts          up to %d, overlap up to %.1e m, residual up to %.1e m/s, above the tolerance %.1e in %d of %d rows\n",
        c->contacts, c->overlap, c->residual, r->s.tolerance, c->missed, c->rows);
}

static bool run_all(run *r)
{
    const bool flows = r->s.resume && exists("flow.state");
    if (flows) {
        if (!open_phase(r, true) || !load(r, "flow.state") || !open_series(r, ph_state_time(r->state)) ||
            !read_profile(&r->silo))
            return false;
    } else if (!fill(r)) {
        return false;
    }
    const janssen j = janssen_of(&r->silo, &r->s);
    print_silo(&j, &r->s);
    fflush(stdout);
    bool good = write_profile(&r->silo, &j, &r->s) && draw_silo(&r->silo, &j, &r->s);
    outflow o;
    if (good && r->s.flow > 0.0) {
        good = (flows || open_lid(r)) && flow(r, flows);
        o = outflow_of(&r->s, r->moments, r->count, r->total_mass, j.density);
        if (good) print_outflow(&o, &r->s);
        good = good && draw_outflow(r->moments, r->count, &o, &r->s);
    }
    if (!good) return false;
    const cost c = cost_of(r);
    print_cost(r, &c);
    return write_summary(&r->s, &j, r->s.flow > 0.0 ? &o : NULL, &c);
}

// ---- Options --------------------------------------------------------------------------------------------------------

typedef struct option {
    const char *name, *what;
    double *number;
    int *integer;
} option;

static int usage(const option *options, int count)
{
    printf("bench/hopper/run [OPTIONS] [FOLDER]: spheres settle in a silo, its lid opens, they flow out\n\n");
    for (int k = 0; k < count; k++) {
        printf("  --%-14s %s (", options[k].name, options[k].what);
        if (options[k].number)
            printf("%g)\n", *options[k].number);
        else
            printf("%d)\n", *options[k].integer);
    }
    printf("  --resume         go on from the last checkpoint in FOLDER, with the options it was started with\n");
    return 0;
}

static bool take(const option *options, int count, const char *name, const char *value)
{
    for (int k = 0; k < count; k++) {
        char *end = NULL;
        if (strcmp(options[k].name, name) != 0 || !value) continue;
        const double number = strtod(value, &end);
        if (!*value || *end || !isfinite(number) || number < 0.0) return false;
        if (options[k].number)
            *options[k].number = number;
        else
            *options[k].integer = (int)number;
        return true;
    }
    return false;
}

static const char *mistake(const setup *s)
{
    if (s->spheres < 1 || s->spheres > 10000000) return "--spheres must be from 1 to 10 million";
    if (!(s->diameter > 0.0 && s->density > 0.0 && s->step > 0.0 && s->fill > 0.0))
        return "sizes and times must be positive";
    if (!(s->spread < 0.9)) return "--spread must be below 0.9";
    if (!(s->orifice > 0.0 && s->orifice < s->silo)) return "the orifice must be narrower than the silo";
    if (!(s->silo > 4.0 * s->diameter)) return "the silo must be wider than four spheres";
    if (!(s->cone > 0.0 && s->cone <= 90.0)) return "--cone must be above 0 and at most 90 degrees";
    if (s->lower > 0.0 && s->cone < 90.0) return "--lower needs a flat bottom, --cone 90";
    return NULL;
}

static setup default_setup(void)
{
    return (setup){.spheres = 100000,
                   .diameter = 0.005,
                   .spread = 0.1,
                   .density = 2600,
                   .friction = 0.5,
                   .wall_friction = 0.4,
                   .silo = 0.3,
                   .orifice = 0.12,
                   .cone = 45,
                   .step = 2e-3,
                   .tolerance = 2e-4,
                   .iterations = 50,
                   .threads = 1,
                   .fill = 0.15,
                   .flow = 2,
                   .lower_speed = 0.005,
                   .frames = 21,
                   .frame_every = 0.1,
                   .save_every = 60};
}

// Reads the options into `s`. Negative: go on; else the status to end with.
static int read_options(int argc, char **argv, setup *s, const char **out)
{
    const option options[] = {
        {"spheres", "how many", NULL, &s->spheres},
        {"diameter", "of a sphere, mean, m", &s->diameter, NULL},
        {"spread", "sizes differ by up to this part", &s->spread, NULL},
        {"density", "of the spheres, kg/m^3", &s->density, NULL},
        {"friction", "between spheres", &s->friction, NULL},
        {"wall-friction", "against the vessel", &s->wall_friction, NULL},
        {"silo", "diameter, m", &s->silo, NULL},
        {"orifice", "diameter, m", &s->orifice, NULL},
        {"cone", "half angle of the bottom, degrees; 90: flat", &s->cone, NULL},
        {"drop", "from the orifice to the ground, m; 0: by the size of the heap", &s->drop, NULL},
        {"step", "s", &s->step, NULL},
        {"tolerance", "of the contact problem, m/s", &s->tolerance, NULL},
        {"iterations", "of the contact problem in a step, at the most", NULL, &s->iterations},
        {"threads", "that share the work", NULL, &s->threads},
        {"fill", "how long it settles, s", &s->fill, NULL},
        {"flow", "how long it flows, s", &s->flow, NULL},
        {"lower", "how long a piston sinks in place of the outflow, s", &s->lower, NULL},
        {"lower-speed", "of the piston, m/s", &s->lower_speed, NULL},
        {"frames", "of the motion that are kept from the opening on, at the most", NULL, &s->frames},
        {"frame-every", "s between them", &s->frame_every, NULL},
        {"save-every", "s of real time between checkpoints", &s->save_every, NULL},
        {"stop", "simulated time at which to stop as if interrupted, s; 0: never", &s->stop, NULL},
    };
    const int count = sizeof options / sizeof options[0];
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--help") == 0) return usage(options, count);
        if (strcmp(argv[k], "--resume") == 0)
            s->resume = true;
        else if (argv[k][0] != '-')
            *out = argv[k];
        else if (strncmp(argv[k], "--", 2) == 0 && take(options, count, argv[k] + 2, argv[k + 1]))
            k++;
        else
            return fprintf(stderr, "hopper: '%s' is no option with a number; --help lists them\n", argv[k]), 2;
    }
    if (s->lower > 0.0) s->flow = 0.0;
    return mistake(s) ? fprintf(stderr, "hopper: %s\n", mistake(s)), 2 : -1;
}

int main(int argc, char **argv)
{
    static run r;
    const char *out = "out/hopper";
    r.s = default_setup();
    const int status = read_options(argc, argv, &r.s, &out);
    if (status >= 0) return status;
    mkdir(out, 0777);
    if (chdir(out) != 0) return perror(out), 1; // where all files go, and where results find those of the vessel
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    r.began = r.last_saved = r.last_shown = clock_s();
    const bool good = run_all(&r);
    close_phase(&r);
    free(r.moments);
    if (r.series) fclose(r.series);
    return good ? 0 : 1;
}
