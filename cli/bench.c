// polhode bench: how fast the engine steps on this machine.
//
// A scene is stepped until a measurement takes long enough for the clock; then, as the motion goes on, several
// measurements of so many steps are made, and the median counts. Only ph_sim_advance is timed, in processor time: on an
// idle machine that is what the wall clock says too, and on a busy one the other programs do not count.

#include "base/clock.h"
#include "bench_calculations.h"
#include "bench_contact.h"
#include "bench_map.h"
#include "bench_memory.h"
#include "bench_scenes.h"
#include "commands.h"
#include "json.h"
#include "options.h"
#include "progress.h"
#include "terminal.h"

#include "polhode/polhode.h"

#include <stdlib.h>
#include <string.h>

enum { REPEATS = 5, WARM_UP = 8 };
static const double SHORTEST = 0.2; // s, of a measurement

typedef struct timing {
    long long steps;
    double step_s; // median time of one step
    double spread; // (slowest - fastest) / median
    double iterations;
    double bytes; // held by model, state and simulation
    double ratio; // to the time of the scene it stands beside; 0: none
} timing;

// ---- Time -----------------------------------------------------------------------------------------------------------

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Time of `steps` more steps, or a negative number when one fails.
static double time_steps(ph_sim *sim, ph_state *state, double h, long long steps, double *iterations)
{
    ph_step_report report;
    const double began = clock_process_seconds();
    if (ph_sim_advance(sim, state, h, steps, &report) != PH_OK) return -1.0;
    *iterations = (double)report.iterations / (double)steps;
    return clock_process_seconds() - began;
}

static bool measure(ph_sim *sim, ph_state *state, double h, timing *t)
{
    double times[REPEATS];
    double once = time_steps(sim, state, h, WARM_UP, &t->iterations) < 0.0 ? -1.0 : 0.0;
    for (t->steps = 1; once >= 0.0 && once < SHORTEST; t->steps *= 2)
        once = time_steps(sim, state, h, t->steps, &t->iterations);
    t->steps /= 2;
    for (int i = 0; once >= 0.0 && i < REPEATS; i++)
        times[i] = once = time_steps(sim, state, h, t->steps, &t->iterations);
    if (once < 0.0) return false;
    qsort(times, REPEATS, sizeof times[0], by_size);
    t->step_s = times[REPEATS / 2] / (double)t->steps;
    t->spread = (times[REPEATS - 1] - times[0]) / times[REPEATS / 2];
    return true;
}

// ---- A scene --------------------------------------------------------------------------------------------------------

static ph_model *build_model(const scene *s, const ph_allocator *allocator)
{
    ph_model *model = NULL;
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = ph_spec_create(allocator);
    if (spec && s->build(spec, s->bodies)) ph_model_compile(spec, problems, &model);
    print_problems(problems);
    ph_spec_destroy(spec);
    ph_problems_destroy(problems);
    return model;
}

static bool time_scene(const scene *s, const char *scheme, timing *t)
{
    t->bytes = 0.0;
    const ph_allocator allocator = counting_allocator(&t->bytes);
    ph_model *model = build_model(s, &allocator);
    ph_state *state = model ? ph_state_create(model) : NULL;
    ph_sim *sim = NULL;
    ph_sim_def def = ph_default_sim();
    def.scheme = s->scheme ? s->scheme : scheme;
    ph_error error = {.text = "out of memory"};
    bool good = state && ph_sim_create(model, &def, &sim, &error) == PH_OK;
    const double bytes = t->bytes;
    if (good && !measure(sim, state, s->step, t)) {
        snprintf(error.text, sizeof error.text, "a step failed");
        good = false;
    }
    if (!good) print_error("%s: %s", s->name, error.text);
    ph_sim_destroy(sim);
    ph_state_destroy(state);
    ph_model_destroy(model);
    t->bytes = bytes;
    t->ratio = 0.0;
    return good;
}

// The same, and the scene it stands beside timed anew right after it, so that both see the machine in the same mood.
static bool time_pair(const scene *s, const char *scheme, timing *t)
{
    if (!time_scene(s, scheme, t)) return false;
    for (int i = 0; s->beside && i < scene_count; i++) {
        timing other;
        if (strcmp(scenes[i].name, s->beside) == 0 && time_scene(&scenes[i], scheme, &other))
            t->ratio = t->step_s / other.step_s;
    }
    return true;
}

// ---- Output ---------------------------------------------------------------------------------------------------------

static void print_row(const scene *s, const timing *t)
{
    printf("%-17s %7d %11.0f %10.2f %12.3f %11.2f %8.0f%% %12.0f\n", s->name, s->bodies, 1.0 / t->step_s,
           1e6 * t->step_s, 1e6 * t->step_s / s->bodies, t->iterations, 100.0 * t->spread, t->bytes / s->bodies);
    if (t->ratio > 0.0) printf("%17s a step takes %.2f times as long as in %s\n", "", t->ratio, s->beside);
    fflush(stdout);
}

static void print_head(void)
{
    const colours c = colours_of(stdout);
    printf("%s%-17s %7s %11s %10s %12s %11s %9s %12s%s\n", c.bold, "scene", "bodies", "steps/s", "us/step",
           "us/step/body", "iterations", "spread", "bytes/body", c.off);
}

static void json_row(json *j, const scene *s, const timing *t)
{
    json_object(j, NULL);
    json_string(j, "name", s->name);
    json_string(j, "title", s->title);
    json_integer(j, "bodies", s->bodies);
    json_number(j, "step", s->step);
    json_integer(j, "steps", t->steps);
    json_number(j, "steps_per_s", 1.0 / t->step_s);
    json_number(j, "us_per_step", 1e6 * t->step_s);
    json_number(j, "us_per_body_and_step", 1e6 * t->step_s / s->bodies);
    json_number(j, "iterations_mean", t->iterations);
    json_number(j, "spread", t->spread);
    json_number(j, "bytes_per_body", t->bytes / s->bodies);
    if (t->ratio > 0.0) {
        json_string(j, "beside", s->beside);
        json_number(j, "time_ratio", t->ratio);
    }
    json_end_object(j);
}

// ---- The command ----------------------------------------------------------------------------------------------------

static int unknown_scene(const char *name)
{
    enum { MAX_NAMES = 64 };
    const char *names[MAX_NAMES];
    int count = 0;
    for (int i = 0; i < scene_count; i++) names[count++] = scenes[i].name;
    for (int i = 0; i < heap_count; i++) names[count++] = heaps[i].name;
    for (int i = 0; i < calculation_count; i++) names[count++] = calculations[i].name;
    const char *near = ph_suggest(name, names, count);
    if (near)
        print_error("--only: there is no scene '%s'; did you mean '%s'?", name, near);
    else
        print_error("--only: there is no scene '%s'", name);
    return EXIT_USAGE;
}

// How many were timed; `good` becomes false when one fails.
static int time_scenes(const char *only, const char *scheme, tally *done, json *j, bool *good)
{
    int timed = 0;
    for (int i = 0; i < scene_count; i++) {
        timing t;
        if (only && strcmp(only, scenes[i].name) != 0) continue;
        if (timed++ == 0 && !j) print_head();
        tally_begin(done, scenes[i].name);
        const bool measured = time_pair(&scenes[i], scheme, &t);
        tally_end(done);
        if (!measured)
            *good = false;
        else if (j)
            json_row(j, &scenes[i], &t);
        else
            print_row(&scenes[i], &t);
    }
    return timed;
}

static int count_timed(void)
{
    int count = scene_count + calculation_count;
    for (int i = 0; i < heap_count; i++) count += !heaps[i].large;
    return count;
}

static int time_all(const char *only, const char *scheme, const heap_machine *on, bool as_json)
{
    json j = {.file = stdout};
    json *out = as_json ? &j : NULL;
    tally done = {.progress = progress_begin(true), .count = only ? 1 : count_timed()};
    bool good = true;
    if (as_json) {
        json_object(&j, NULL);
        json_array(&j, "scenes");
    }
    const int timed = time_scenes(only, scheme, &done, out, &good);
    if (as_json) {
        json_end_array(&j);
        json_array(&j, "heaps");
    } else if (timed && !only) {
        printf("\n");
    }
    good = time_heaps(only, on, &done, out) && good;
    if (as_json) {
        json_end_array(&j);
        json_array(&j, "calculations");
    }
    good = time_calculations(only, &done, out) && good;
    if (as_json) {
        json_end_array(&j);
        json_close(&j);
    }
    return good ? EXIT_DONE : EXIT_FAILED;
}

static bool is_known(const char *name)
{
    bool known = false;
    for (int i = 0; i < scene_count; i++) known = known || strcmp(scenes[i].name, name) == 0;
    for (int i = 0; i < heap_count; i++) known = known || strcmp(heaps[i].name, name) == 0;
    for (int i = 0; i < calculation_count; i++) known = known || strcmp(calculations[i].name, name) == 0;
    return known;
}

int command_bench(int count, char **arguments)
{
    const char *only = NULL, *scheme = NULL, *cell = NULL;
    bool as_json = false, map = false;
    heap_machine on = {.threads = 1};
    int steps = 100;
    const option table[] = {
        {"only", 0, OPTION_TEXT, &only, "NAME", "time this scene or calculation only"},
        {"scheme", 's', OPTION_TEXT, &scheme, "NAME[:OPTIONS]", "integration scheme (default: rattlie)"},
        {"threads", 0, OPTION_COUNT, &on.threads, "N", "worker threads of the heaps (default: 1)"},
        {"device", 0, OPTION_TEXT, &on.device, "NAME", "what steps the heaps: cpu, or gpu where built in"},
        {"map", 0, OPTION_FLAG, &map, NULL, "every joint, drive, topology and scheme beside the bare chain"},
        {"cell", 0, OPTION_TEXT, &cell, "CELL", "step one cell of the map, without timing it"},
        {"steps", 0, OPTION_COUNT, &steps, "N", "steps of --cell (default: 100)"},
        {"json", 0, OPTION_FLAG, &as_json, NULL, "print one JSON object in place of the table"},
    };
    command_line line = {
        .usage = "bench [OPTIONS]",
        .about =
            "Times the engine on scenes of its own, one thread each: steps per second, time per step and body, and\n"
            "the memory that model, state and simulation hold. Medians of five measurements, in processor time.\n"
            "Then heaps with contact, 2 s each (spheres-16000 and spheres-100000 only when named): time per step and\n"
            "contact, largest overlap and residual of all steps. Then products of the Clifford algebra beside 6x6\n"
            "matrix code of the same job, and the dynamics of trees; the fastest of many short measurements.\n"
            "--map times models of 12 bodies instead: the time of a step for each joint type, drive, topology and\n"
            "scheme (all, or the one of --scheme), divided by that of the bare chain of ball joints.",
        .examples = "  polhode bench\n"
                    "  polhode bench --only chain-1000 --json\n"
                    "  polhode bench --map --scheme rattlie\n"
                    "  valgrind --tool=callgrind polhode bench --cell revolute/servo/chain/rattlie --steps 50\n",
        .options = table,
        .option_count = sizeof table / sizeof table[0],
    };
    const parse_result parsed = options_parse(&line, count, arguments);
    if (parsed != PARSE_DONE) return parsed == PARSE_HELP ? EXIT_DONE : EXIT_USAGE;
    if (only && !is_known(only)) return unknown_scene(only);
    json j = {.file = stdout};
    if (cell) return run_map_cell(cell, steps);
    if (map) return print_map(scheme, as_json ? &j : NULL) ? EXIT_DONE : EXIT_FAILED;
    return time_all(only, scheme ? scheme : "rattlie", &on, as_json);
}
