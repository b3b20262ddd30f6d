// polhode optimize: inputs over time, or numbers of a design, that reach a goal.

#include "commands.h"
#include "data_file.h"
#include "describe.h"
#include "interrupt.h"
#include "json.h"
#include "laboratory.h"
#include "load.h"
#include "motion.h"
#include "progress.h"
#include "search.h"
#include "terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CONTROLS = 32, DESIGNS = 64, GOALS = 64 };

typedef struct optimize_options {
    text_list settings, controls, designs, reach, track;
    const char *minimize, *maximize, *scheme, *out;
    double step, until, tolerance;
    int knots, iterations, seed;
    bool hold, json, quiet, resume;
} optimize_options;

typedef struct task {
    const char *path;
    const optimize_options *options;
    ph_model *model;
    ph_optimize_def def;
    char names[CONTROLS + DESIGNS + GOALS][DATA_NAME];
    int name_count;
    ph_control controls[CONTROLS];
    ph_unknown designs[DESIGNS];
    ph_goal goals[GOALS];
    double *guess;
    progress progress;
} task;

// ---- Reading the command line ---------------------------------------------------------------------------------------

// "NAME=LOW..HIGH:WEIGHT", "NAME=VALUE", "NAME:WEIGHT"
typedef struct phrase {
    char *name;
    double low, high, weight;
    bool given, range; // a value, two of them
} phrase;

static bool parse_number(const char *text, const char *whole, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end != text && !*end) return true;
    print_error("'%s': '%s' is not a number", whole, text);
    return false;
}

static bool parse_phrase(task *t, const char *text, double weight, phrase *p)
{
    char *name = t->names[t->name_count++];
    snprintf(name, DATA_NAME, "%s", text);
    *p = (phrase){name, -(double)INFINITY, (double)INFINITY, weight, false, false};
    char *colon = strrchr(name, ':'), *equals = strchr(name, '=');
    if (colon) *colon = '\0';
    if (colon && !parse_number(colon + 1, text, &p->weight)) return false;
    if (!equals) return true;
    *equals = '\0';
    p->given = true;
    char *dots = strstr(equals + 1, "..");
    if (!dots) return parse_number(equals + 1, text, &p->low) && (p->high = p->low, true);
    *dots = '\0';
    p->range = true;
    return (!equals[1] || parse_number(equals + 1, text, &p->low)) &&
           (!dots[2] || parse_number(dots + 2, text, &p->high));
}

static bool add_goal(task *t, const char *text, ph_goal_kind kind, double weight)
{
    phrase p;
    if (t->def.goal_count == GOALS) return print_error("more than %d goals", GOALS), false;
    if (!parse_phrase(t, text, weight, &p)) return false;
    if (kind != PH_GOAL_MINIMIZE && !p.given)
        return print_error("'%s': say what it shall be: %s=VALUE", text, p.name), false;
    t->goals[t->def.goal_count++] =
        (ph_goal){p.name, kind, p.low, p.high, kind == PH_GOAL_MINIMIZE ? weight * fabs(p.weight) : p.weight};
    return true;
}

static bool read_words(task *t)
{
    const optimize_options *o = t->options;
    phrase p;
    bool good = true;
    for (int k = 0; k < o->controls.count && good; k++) {
        good = t->def.control_count < CONTROLS && parse_phrase(t, o->controls.texts[k], 1.0, &p);
        t->controls[t->def.control_count++] = (ph_control){p.name, p.low, p.high, p.weight};
    }
    for (int k = 0; k < o->designs.count && good; k++) {
        good = t->def.design_count < DESIGNS && parse_phrase(t, o->designs.texts[k], 1.0, &p);
        t->designs[t->def.design_count++] = (ph_unknown){p.name, p.low, p.high};
    }
    for (int k = 0; k < o->reach.count && good; k++) good = add_goal(t, o->reach.texts[k], PH_GOAL_REACH, 1.0);
    for (int k = 0; k < o->track.count && good; k++) good = add_goal(t, o->track.texts[k], PH_GOAL_TRACK, 1.0);
    if (good && o->minimize) good = add_goal(t, o->minimize, PH_GOAL_MINIMIZE, 1.0);
    if (good && o->maximize) good = add_goal(t, o->maximize, PH_GOAL_MINIMIZE, -1.0);
    if (good && t->def.control_count + t->def.design_count == 0)
        return print_error(
                   "nothing to choose: name an input with --control u=-1..1, or a parameter with --vary l=0.1..2"),
               false;
    if (good && t->def.goal_count == 0)
        return print_error("no goal: --reach QUANTITY=VALUE, --minimize QUANTITY, --track QUANTITY=VALUE"), false;
    return good;
}

// ---- Resuming -------------------------------------------------------------------------------------------------------

static int variables(const task *t)
{
    return t->def.control_count * t->def.knots + t->def.design_count;
}

// Knots of the controls, then numbers of the design.
static void name_variable(const void *user, int k, char name[DATA_NAME])
{
    const task *t = user;
    const int knots = t->def.control_count * t->def.knots;
    if (k < knots)
        snprintf(name, DATA_NAME, "%.100s:%d", t->controls[k / t->def.knots].name, k % t->def.knots);
    else
        snprintf(name, DATA_NAME, "%s", t->designs[k - knots].name);
}

static search_state state_of(const task *t)
{
    return (search_state){t->options->out, "optimize.state", "search", variables(t), name_variable, t};
}

static bool resume(task *t)
{
    const search_state stopped = state_of(t);
    t->guess = calloc((size_t)stopped.count, sizeof *t->guess);
    t->def.guess = t->guess;
    return t->guess && search_resume(&stopped, t->guess);
}

static bool see_progress(const ph_optimize_progress *p, void *user)
{
    task *t = user;
    const search_state now = state_of(t);
    search_save(&now, p->values);
    progress_tell(&t->progress, (double)p->iteration / t->def.iterations,
                  "iteration %d of %d: cost %.6g, farthest goal %.2e", p->iteration, t->def.iterations, p->cost,
                  p->miss);
    return !was_interrupted();
}

// ---- Telling --------------------------------------------------------------------------------------------------------

static const char *end_words(const task *t, const ph_optimum *o)
{
    const bool reached = o->miss <= t->def.tolerance;
    return o->end == PH_OPTIMIZE_CONVERGED ? "converged"
           : o->end == PH_OPTIMIZE_STOPPED ? "stopped"
           : reached                       ? "goals reached, cost not settled"
                                           : "goals not reached";
}

static void warn(const task *t, const ph_optimum *o)
{
    if (o->miss > t->def.tolerance && o->end != PH_OPTIMIZE_STOPPED)
        fprintf(
            stderr,
            "polhode: the nearest that was found misses a goal by %.3g: it may not be reachable within the bounds and the "
            "time; give more of either, another --seed, or more --iterations\n",
            o->miss);
    if (o->growth > 1e6)
        fprintf(
            stderr,
            "polhode: derivatives grow %.1e-fold over the run: the motion is chaotic or unstable, and goals at its end "
            "depend on tiny changes; take a shorter --until\n",
            o->growth);
}

static const char *const goal_words[] = {"reach", "minimize", "track"};

static void print_found(const task *t, const ph_optimum *o)
{
    const colours c = colours_of(stdout);
    printf("%s%s%s: %s after %d iterations, cost %.8g, farthest goal %.2e\n", c.bold, model_title(t->model, t->path),
           c.off, end_words(t, o), o->iterations, o->cost, o->miss);
    for (int k = 0; k < t->def.goal_count; k++) {
        const ph_goal *g = &t->goals[k];
        printf("  %-8s %-32s %20.12g", goal_words[g->kind], g->name, o->goals[k]);
        if (g->kind != PH_GOAL_MINIMIZE && g->low == g->high) printf("  wanted %.12g", g->low);
        if (g->kind == PH_GOAL_REACH && g->low < g->high) printf("  wanted %g to %g", g->low, g->high);
        printf("\n");
    }
    for (int k = 0; k < t->def.design_count; k++)
        printf("  %-41s %20.12g\n", t->designs[k].name, o->values[t->def.control_count * t->def.knots + k]);
}

static void print_json(const task *t, const ph_optimum *o, const text_list *written)
{
    json j = {.file = stdout};
    json_object(&j, NULL);
    json_string(&j, "model", model_title(t->model, t->path));
    json_string(&j, "end", end_words(t, o));
    json_bool(&j, "reached", o->miss <= t->def.tolerance);
    json_number(&j, "cost", o->cost);
    json_number(&j, "miss", o->miss);
    json_object(&j, "goals");
    for (int k = 0; k < t->def.goal_count; k++) json_number(&j, t->goals[k].name, o->goals[k]);
    json_end_object(&j);
    json_object(&j, "controls");
    for (int c = 0; c < t->def.control_count; c++) {
        json_array(&j, t->controls[c].name);
        for (int k = 0; k < t->def.knots; k++) json_number(&j, NULL, o->values[c * t->def.knots + k]);
        json_end_array(&j);
    }
    json_end_object(&j);
    json_object(&j, "designs");
    for (int k = 0; k < t->def.design_count; k++)
        json_number(&j, t->designs[k].name, o->values[t->def.control_count * t->def.knots + k]);
    json_end_object(&j);
    json_integer(&j, "iterations", o->iterations);
    json_integer(&j, "evaluations", o->evaluations);
    json_number(&j, "growth", o->growth);
    json_written(&j, t->options->out, written);
    json_close(&j);
}

// ---- Files ----------------------------------------------------------------------------------------------------------

static ph_plot *draw(const task *t, const ph_optimum *o)
{
    ph_plot *plot = ph_plot_create("Controls");
    const int width = ph_model_inputs(t->model);
    double *x = malloc(2 * (size_t)o->steps * sizeof *x), *y = x + o->steps;
    for (int c = 0; plot && x && c < t->def.control_count; c++) {
        ph_axes_def axes = ph_default_axes();
        ph_series_def series = ph_default_series();
        axes.x.label = "time (s)";
        axes.y.label = t->controls[c].name;
        const int input = ph_model_find_input(t->model, t->controls[c].name), panel = ph_plot_add_axes(plot, &axes);
        for (long long n = 0; n < o->steps; n++) {
            x[n] = ((double)n + 0.5) * t->def.until / (double)o->steps;
            y[n] = o->inputs[n * width + input];
        }
        series.x = x, series.y = y, series.count = (int)o->steps;
        ph_plot_add_series(plot, panel, &series);
    }
    free(x);
    return plot;
}

// The motion that was made best: that of `moreau` with contacts solved to round-off.
static const char *scheme_of(const task *t)
{
    const char *said = ph_model_run_settings(t->model)->scheme, *name = t->options->scheme ? t->options->scheme : said;
    return name && strcmp(name, "moreau") == 0 ? "moreau:exact=1" : t->options->scheme;
}

static bool write_inputs(const task *t, const ph_optimum *o, text_list *written)
{
    const int width = ph_model_inputs(t->model);
    const size_t room = ((size_t)o->steps + 2) * ((size_t)t->def.control_count + 1) * 28 + 256 * CONTROLS;
    char *text = malloc(room);
    if (!text) return false;
    size_t at = (size_t)snprintf(text, room, "t");
    for (int c = 0; c < t->def.control_count; c++)
        at += (size_t)snprintf(text + at, room - at, ",%s", t->controls[c].name);
    for (long long n = 0; n < o->steps; n++) {
        at += (size_t)snprintf(text + at, room - at, "\n%.12g", (double)n * t->def.until / (double)o->steps);
        for (int c = 0; c < t->def.control_count; c++)
            at += (size_t)snprintf(text + at, room - at, ",%.17g",
                                   o->inputs[n * width + ph_model_find_input(t->model, t->controls[c].name)]);
    }
    snprintf(text + at, room - at, "\n");
    const bool good = write_text_file(t->options->out, "inputs.csv", text, written);
    free(text);
    return good;
}

static bool write_files(const task *t, const ph_optimum *o, text_list *written)
{
    const char *names[DESIGNS] = {0};
    ph_model *model = NULL;
    ph_error error = {0};
    for (int k = 0; k < t->def.design_count; k++) names[k] = t->designs[k].name;
    if (ph_model_at(t->model, t->def.design_count, names, o->values + t->def.control_count * t->def.knots, &model,
                    &error) != PH_OK)
        return print_error("%s", error.text), false;
    bool good = true;
    if (t->def.control_count > 0)
        good = write_inputs(t, o, written) && write_plot(draw(t, o), t->options->out, "controls.svg", written);
    good = good && write_motion(model, scheme_of(t), t->def.until / (double)o->steps, o->steps,
                                ph_model_inputs(t->model) ? o->inputs : NULL, t->options->out, written);
    ph_model_destroy(model);
    return good;
}

// ---- The command ----------------------------------------------------------------------------------------------------

static int work(task *t)
{
    ph_optimum *o = NULL;
    ph_error error = {0};
    text_list written = {0};
    t->progress = progress_begin(!t->options->quiet);
    t->progress.at_most = true;
    const ph_status status = ph_optimize(t->model, &t->def, &o, &error);
    progress_wipe(&t->progress);
    if (status != PH_OK) {
        print_error("%s: %s", t->path, error.text);
        return exit_status_of(status);
    }
    const bool good = !t->options->out || write_files(t, o, &written);
    warn(t, o);
    if (t->options->json)
        print_json(t, o, &written);
    else if (!t->options->quiet)
        print_found(t, o);
    if (!t->options->json && t->options->out) print_written(t->options->out, &written);
    const bool reached = o->miss <= t->def.tolerance, stopped = o->end == PH_OPTIMIZE_STOPPED;
    ph_optimum_destroy(o);
    return stopped ? EXIT_INTERRUPTED : good && reached ? EXIT_DONE : EXIT_FAILED;
}

static bool prepare(task *t)
{
    const optimize_options *o = t->options;
    if (!(t->model = load_model(t->path, &o->settings))) return false;
    const ph_run_settings run = *ph_model_run_settings(t->model);
    t->def = ph_default_optimize();
    if (!read_words(t)) return false;
    t->def.controls = t->controls, t->def.designs = t->designs, t->def.goals = t->goals;
    t->def.sim.scheme = o->scheme;
    t->def.step = o->step > 0.0 ? o->step : run.step;
    t->def.until = o->until > 0.0 ? o->until : run.until;
    t->def.hold = o->hold;
    t->def.seed = o->seed >= 0 ? (unsigned)o->seed : t->def.seed;
    if (o->knots > 0) t->def.knots = o->knots;
    if (o->iterations > 0) t->def.iterations = o->iterations;
    if (o->tolerance > 0.0) t->def.tolerance = o->tolerance;
    t->def.progress = see_progress, t->def.user = t;
    if (!(t->def.step > 0.0) || !(t->def.until > 0.0))
        return print_error("%s: the file does not say the step and the end; give --step H and --until T", t->path),
               false;
    return (!o->out || make_folder(o->out)) && (!o->resume || resume(t));
}

int command_optimize(int count, char **arguments)
{
    optimize_options options = {.seed = -1};
    const option table[] = {
        {"control", 'u', OPTION_LIST, &options.controls, "INPUT=LOW..HIGH[:W]",
         "an input to choose over time; W weighs its square"},
        {"vary", 0, OPTION_LIST, &options.designs, "NAME=LOW..HIGH", "a parameter or number of the design to choose"},
        {"reach", 0, OPTION_LIST, &options.reach, "QUANTITY=VALUE", "what must be at the end; or QUANTITY=LOW..HIGH"},
        {"track", 0, OPTION_LIST, &options.track, "QUANTITY=VALUE:W", "what shall be near all the time"},
        {"minimize", 0, OPTION_TEXT, &options.minimize, "QUANTITY[:W]", "what shall be least at the end"},
        {"maximize", 0, OPTION_TEXT, &options.maximize, "QUANTITY[:W]", "what shall be largest at the end"},
        {"knots", 0, OPTION_COUNT, &options.knots, "N", "values of each control; default: 30"},
        {"hold", 0, OPTION_FLAG, &options.hold, NULL, "controls are constant between knots, not straight"},
        {"until", 0, OPTION_POSITIVE, &options.until, "T", "end of the run, s; default: as the file says"},
        {"step", 0, OPTION_POSITIVE, &options.step, "H", "step, s; default: as the file says"},
        {"scheme", 's', OPTION_TEXT, &options.scheme, "NAME", "scheme; default: as the file says"},
        {"seed", 0, OPTION_NATURAL, &options.seed, "N",
         "small random controls to begin with; 0: as the model has them"},
        {"iterations", 0, OPTION_COUNT, &options.iterations, "N", "at most; default: 1000"},
        {"tolerance", 0, OPTION_POSITIVE, &options.tolerance, "E", "of goals to reach; default: 1e-7"},
        {"out", 'o', OPTION_TEXT, &options.out, "FOLDER", "write inputs, plot, motion and page there"},
        {"resume", 0, OPTION_FLAG, &options.resume, NULL, "go on where the search in FOLDER was stopped"},
        MODEL_OPTIONS(&options.settings),
        {"json", 0, OPTION_FLAG, &options.json, NULL, "print one JSON object in place of the table"},
        {"quiet", 'q', OPTION_FLAG, &options.quiet, NULL, "print nothing"},
    };
    command_line line = {
        .usage = "optimize MODEL --control INPUT=LOW..HIGH --reach QUANTITY=VALUE ... [OPTIONS]",
        .about =
            "Inputs over time, or numbers of a design, that reach goals at the end of a run at the least cost: the integral\n"
            "of the squares of the controls and what is to be minimized or tracked. Direct shooting with exact derivatives.",
        .examples =
            "  polhode optimize examples/cart_pole.yaml --control u=-20..20 --reach joints.pole.angle=3.14159265 \\\n"
            "    --reach joints.pole.rate=0 --reach joints.rail.slide=0 --reach joints.rail.rate=0 --out swing\n",
        .options = table,
        .option_count = sizeof table / sizeof table[0],
        .least = 1,
        .most = 1,
    };
    const parse_result parsed = options_parse(&line, count, arguments);
    if (parsed != PARSE_DONE) return parsed == PARSE_HELP ? EXIT_DONE : EXIT_USAGE;
    task *t = calloc(1, sizeof *t);
    if (!t) return EXIT_FAILED;
    t->path = line.operands.texts[0];
    t->options = &options;
    catch_interrupts();
    const int status = prepare(t) ? work(t) : EXIT_USAGE;
    ph_model_destroy(t->model);
    free(t->guess);
    free(t);
    return status;
}
