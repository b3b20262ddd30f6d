// polhode sensitivity: derivatives of quantities of a run by parameters of its model.

#include "commands.h"
#include "describe.h"
#include "differentiate.h"
#include "json.h"
#include "laboratory.h"
#include "load.h"
#include "terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct sensitivity_options {
    const char *of, *by, *scheme, *out;
    double at, every, until, step;
    text_list settings;
    bool json, quiet;
} sensitivity_options;

// What was found: nodes x quantities, and nodes x quantities x parameters.
typedef struct found {
    text_list of;
    long long every, nodes, shown; // shown: how many of them are told
    double *times, *values, *slopes;
    double growth; // of the gradient over the run
} found;

static double *slopes_at(const found *f, const differential *d, long long node, int quantity)
{
    return f->slopes + ((size_t)node * (size_t)f->of.count + (size_t)quantity) * (size_t)d->parameter_count;
}

// ---- At the end: one sweep backwards for each quantity ----------------------------------------------------------------

typedef struct weigh {
    long long node;
    int quantity;
} weigh;

static void weigh_one(long long node, const ph_state *state, double *weights, void *user)
{
    const weigh *w = user;
    (void)state;
    if (node == w->node) weights[w->quantity] = 1.0;
}

static ph_status sweep(differential *d, found *f, ph_observables *o, ph_error *error)
{
    ph_state *state = ph_state_create(d->model);
    ph_step_report report = {0};
    if (!state) return PH_OUT_OF_MEMORY;
    ph_status status = ph_adjoint_forward(d->adjoint, state, d->step, d->steps, NULL, NULL, NULL, &report);
    if (status != PH_OK) ph_step_report_format(&report, d->model, error->text, sizeof error->text);
    if (status == PH_OK) ph_observables_values(o, state, f->values);
    f->times[0] = ph_state_time(state);
    for (int k = 0; k < f->of.count && status == PH_OK; k++) {
        weigh w = {d->steps, k};
        status = ph_adjoint_reverse_of(d->adjoint, o, weigh_one, &w, error);
        if (status != PH_OK) break;
        ph_adjoint_parameters(d->adjoint, d->parameters, slopes_at(f, d, 0, k));
        const ph_adjoint_report r = ph_adjoint_get_report(d->adjoint);
        f->growth = fmax(f->growth, r.first > 0.0 ? r.largest / r.first : 0.0);
    }
    ph_state_destroy(state);
    return status;
}

// ---- At many times: tangents ----------------------------------------------------------------------------------------

typedef struct follower {
    const differential *d;
    found *f;
} follower;

static bool keep_node(long long n, const ph_state *state, const double *values, const double *jacobian, void *user)
{
    const follower *w = user;
    found *f = w->f;
    const size_t count = (size_t)f->of.count, size = count * (size_t)w->d->parameter_count;
    (void)n;
    f->times[f->shown] = ph_state_time(state);
    memcpy(f->values + (size_t)f->shown * count, values, count * sizeof(double));
    memcpy(f->slopes + (size_t)f->shown * size, jacobian, size * sizeof(double));
    f->shown++;
    return true;
}

static ph_status follow(differential *d, found *f, ph_observables *o, ph_error *error)
{
    ph_state *state = ph_state_create(d->model);
    ph_step_report report = {0};
    follower w = {d, f};
    if (!state) return PH_OUT_OF_MEMORY;
    f->shown = 0;
    const ph_status status = ph_adjoint_tangents(d->adjoint, state, d->step, d->steps, NULL, d->parameters, o, f->every,
                                                 keep_node, &w, &report);
    if (status != PH_OK) ph_step_report_format(&report, d->model, error->text, sizeof error->text);
    ph_state_destroy(state);
    return status;
}

// ---- Contact --------------------------------------------------------------------------------------------------------

// Without an adjoint; and at many times where steps go backwards only.
static bool is_by_differences(const differential *d, const found *f)
{
    return !d->adjoint || (f->nodes > 1 && !ph_adjoint_has_tangents(d->adjoint));
}

static bool steps_by_moreau(const differential *d)
{
    const char *scheme = d->scheme ? d->scheme : ph_model_run_settings(d->model)->scheme;
    return scheme && strncmp(scheme, "moreau", 6) == 0;
}

static void warn_of_contact(const ph_adjoint_report *r, bool by_moreau)
{
    if (r->impacts > 0)
        fprintf(
            stderr,
            "polhode: %lld impacts whose moment a step does not resolve: the derivative is that of the discrete motion, and "
            "may be wrong for the motion it stands for%s\n",
            r->impacts, by_moreau ? "; rattlie-ns resolves those with restitution" : "");
    if (r->kinks + r->fixed + r->held > 0)
        fprintf(
            stderr,
            "polhode: contacts are at a kink %lld times, searches within steps count as given %lld times, and points that "
            "change nearby are held %lld times: there the derivative is one of several, or incomplete\n",
            r->kinks, r->fixed, r->held);
}

// ---- By differences -------------------------------------------------------------------------------------------------

// The slopes by parameter k; `values`: room for all nodes of the run.
static bool difference_by(const differential *d, const found *f, int k, double *values, ph_error *error)
{
    const size_t count = (size_t)f->of.count, all = (size_t)d->parameter_count;
    const size_t skip = f->nodes == 1 ? (size_t)shown_nodes(d, f->every) - 1 : 0;
    if (!differentiate_runs(d, k, &f->of, f->every, values, error)) return false;
    for (size_t i = 0; i < (size_t)f->nodes * count; i++) f->slopes[i * all + (size_t)k] = values[skip * count + i];
    return true;
}

static ph_status difference(differential *d, found *f, ph_error *error)
{
    const size_t count = (size_t)f->of.count;
    const long long nodes = shown_nodes(d, f->every), skip = f->nodes == 1 ? nodes - 1 : 0;
    double *values = malloc((size_t)nodes * count * sizeof *values);
    bool ok = values && run_quantities(d, -1, 0.0, &f->of, f->every, values, error);
    if (ok) memcpy(f->values, values + (size_t)skip * count, (size_t)f->nodes * count * sizeof *values);
    for (int k = 0; k < d->parameter_count && ok; k++) ok = difference_by(d, f, k, values, error);
    for (long long n = 0; n < f->nodes; n++) {
        const long long node = (n + skip) * f->every;
        f->times[n] = (double)(node < d->steps ? node : d->steps) * d->step;
    }
    free(values);
    return ok ? PH_OK : PH_NO_CONVERGENCE;
}

// What has no exact derivative may still have runs at other values: axes of a chain, points of a hull.
static void difference_rest(differential *d, found *f)
{
    ph_error ignored;
    double *values = malloc((size_t)shown_nodes(d, f->every) * (size_t)f->of.count * sizeof *values);
    for (int k = 0; k < d->parameter_count && values; k++)
        if (ph_parameters_problem(d->parameters, k)) d->by_runs[k] = difference_by(d, f, k, values, &ignored);
    free(values);
}

// ---- For people -----------------------------------------------------------------------------------------------------

static void print_quantity(const differential *d, const found *f, long long node, int quantity)
{
    const colours c = colours_of(stdout);
    const double value = f->values[(size_t)node * (size_t)f->of.count + (size_t)quantity];
    const double *slopes = slopes_at(f, d, node, quantity);
    printf("%s%s%s = %.12g at t = %.9g\n", c.bold, f->of.texts[quantity], c.off, value, f->times[node]);
    printf("  %-24s %16s  %22s  %14s\n", "by", "at", "derivative", "elasticity");
    for (int k = 0; k < d->parameter_count; k++) {
        printf("  %-24s %16.9g  ", d->list[k].name, d->list[k].value);
        if (isfinite(slopes[k]) && value != 0.0)
            printf("%22.12g  %14.5g\n", slopes[k], slopes[k] * d->list[k].value / value);
        else if (isfinite(slopes[k]))
            printf("%22.12g  %14s\n", slopes[k], "none");
        else
            printf("%22s\n", "none");
    }
}

static void print_series(const differential *d, const found *f, int quantity)
{
    const colours c = colours_of(stdout);
    printf("%s%s%s by\n  %12s  %16s", c.bold, f->of.texts[quantity], c.off, "t", "value");
    for (int k = 0; k < d->parameter_count; k++) printf("  %18s", d->list[k].name);
    printf("\n");
    for (long long n = 0; n < f->shown; n++) {
        printf("  %12.6g  %16.9g", f->times[n], f->values[(size_t)n * (size_t)f->of.count + (size_t)quantity]);
        for (int k = 0; k < d->parameter_count; k++) printf("  %18.10g", slopes_at(f, d, n, quantity)[k]);
        printf("\n");
    }
}

static void print_table(const differential *d, const found *f)
{
    for (int k = 0; k < f->of.count; k++) {
        if (k > 0) printf("\n");
        if (f->nodes == 1)
            print_quantity(d, f, 0, k);
        else
            print_series(d, f, k);
    }
}

// ---- For programs ---------------------------------------------------------------------------------------------------

static void json_gradient(json *j, const char *key, const differential *d, const found *f, int quantity)
{
    json_object(j, key);
    for (int k = 0; k < d->parameter_count; k++) {
        if (f->nodes == 1) {
            json_number(j, d->list[k].name, slopes_at(f, d, 0, quantity)[k]);
            continue;
        }
        json_array(j, d->list[k].name);
        for (long long n = 0; n < f->shown; n++) json_number(j, NULL, slopes_at(f, d, n, quantity)[k]);
        json_end_array(j);
    }
    json_end_object(j);
}

static void json_value(json *j, const char *key, const found *f, int quantity)
{
    if (f->nodes == 1) {
        json_number(j, key, f->values[quantity]);
        return;
    }
    json_array(j, key);
    for (long long n = 0; n < f->shown; n++)
        json_number(j, NULL, f->values[(size_t)n * (size_t)f->of.count + (size_t)quantity]);
    json_end_array(j);
}

static void json_problems(json *j, const differential *d)
{
    json_object(j, "problems");
    for (int k = 0; k < d->parameter_count && d->parameters; k++)
        if (ph_parameters_problem(d->parameters, k) && !d->by_runs[k])
            json_string(j, d->list[k].name, ph_parameters_problem(d->parameters, k));
    json_end_object(j);
}

static void print_json(const differential *d, const found *f)
{
    json j = {.file = stdout};
    json_object(&j, NULL);
    json_string(&j, "model", model_title(d->model, d->path));
    json_number(&j, "step", d->step);
    json_string(&j, "method", is_by_differences(d, f) ? "differences" : f->nodes == 1 ? "adjoint" : "tangents");
    if (f->nodes == 1) {
        json_number(&j, "time", f->times[0]);
    } else {
        json_array(&j, "time");
        for (long long n = 0; n < f->shown; n++) json_number(&j, NULL, f->times[n]);
        json_end_array(&j);
    }
    if (f->of.count == 1) {
        json_string(&j, "of", f->of.texts[0]);
        json_value(&j, "value", f, 0);
        json_gradient(&j, "gradient", d, f, 0);
    } else {
        json_object(&j, "value");
        for (int k = 0; k < f->of.count; k++) json_value(&j, f->of.texts[k], f, k);
        json_end_object(&j);
        json_object(&j, "gradient");
        for (int k = 0; k < f->of.count; k++) json_gradient(&j, f->of.texts[k], d, f, k);
        json_end_object(&j);
    }
    json_problems(&j, d);
    json_close(&j);
}

// ---- A figure -------------------------------------------------------------------------------------------------------

// One panel for each quantity: its derivatives over time, each times its parameter.
static ph_plot *draw(const differential *d, const found *f)
{
    ph_plot *plot = ph_plot_create("Sensitivity");
    double *x = malloc(2 * (size_t)f->shown * sizeof *x), *y = x + f->shown;
    for (int q = 0; x && plot && q < f->of.count; q++) {
        char label[200];
        ph_axes_def axes = ph_default_axes();
        snprintf(label, sizeof label, "parameter x d(%.120s)/d(parameter)", f->of.texts[q]);
        axes.x.label = "time (s)";
        axes.y.label = label;
        const int panel = ph_plot_add_axes(plot, &axes);
        for (int k = 0; k < d->parameter_count; k++) {
            ph_series_def series = ph_default_series();
            for (long long n = 0; n < f->shown; n++) {
                x[n] = f->times[n];
                y[n] = d->list[k].value * slopes_at(f, d, n, q)[k];
            }
            series.label = d->list[k].name;
            series.x = x, series.y = y;
            series.count = (int)f->shown;
            ph_plot_add_series(plot, panel, &series);
        }
    }
    free(x);
    return plot;
}

// ---- The command ----------------------------------------------------------------------------------------------------

static bool make_room(const differential *d, found *f)
{
    f->nodes = f->every == d->steps ? 1 : shown_nodes(d, f->every);
    f->shown = f->nodes;
    const size_t nodes = (size_t)f->nodes, all = nodes * (size_t)f->of.count;
    f->times = malloc(nodes * sizeof(double));
    f->values = malloc(all * sizeof(double));
    f->slopes = malloc(all * (size_t)d->parameter_count * sizeof(double));
    return f->times && f->values && f->slopes;
}

static void warn(const differential *d, const found *f)
{
    if (is_by_differences(d, f))
        fprintf(stderr, "polhode: %s; derivatives are differences of whole runs%s\n",
                d->adjoint ? "steps with contact go backwards only" : d->why,
                steps_by_moreau(d) ? ". Through impacts of bodies with joints the derivative of the discrete motion of "
                                     "moreau is not that of the motion: use rattlie-ns there"
                                   : "");
    if (f->growth > 1e6)
        fprintf(stderr,
                "polhode: the gradient grows %.1e-fold over the run: the motion is chaotic, and over this horizon its "
                "derivatives say little; take a shorter one\n",
                f->growth);
    const ph_adjoint_report r = d->adjoint ? ph_adjoint_get_report(d->adjoint) : (ph_adjoint_report){0};
    warn_of_contact(&r, steps_by_moreau(d));
    if (d->adjoint && ph_adjoint_get_report(d->adjoint).unknown)
        fprintf(stderr, "polhode: how the numbers of force '%s' act is not differentiated\n",
                ph_adjoint_get_report(d->adjoint).unknown);
}

static int tell(const differential *d, const found *f, const sensitivity_options *options)
{
    text_list written = {0};
    bool good = report_parameters(d) == 0;
    warn(d, f);
    if (options->out && f->nodes > 1)
        good = make_folder(options->out) && write_plot(draw(d, f), options->out, "sensitivity.svg", &written) && good;
    if (options->json)
        print_json(d, f);
    else if (!options->quiet)
        print_table(d, f);
    if (!options->json) print_written(options->out, &written);
    return good ? EXIT_DONE : EXIT_FAILED;
}

static int find(differential *d, found *f, const sensitivity_options *options)
{
    ph_observables *o = NULL;
    ph_error error = {0};
    f->every = d->steps;
    if (options->every > 0.0) f->every = (long long)fmax(1.0, rint(options->every / d->step));
    ph_status status = ph_observables_create(d->model, f->of.count, f->of.texts, &o, &error);
    if (status == PH_OK && !make_room(d, f)) status = PH_OUT_OF_MEMORY;
    if (status == PH_OK)
        status = is_by_differences(d, f) ? difference(d, f, &error)
                 : f->nodes == 1         ? sweep(d, f, o, &error)
                                         : follow(d, f, o, &error);
    if (status == PH_OK && !is_by_differences(d, f)) difference_rest(d, f);
    ph_observables_destroy(o);
    if (status == PH_OK) return tell(d, f, options);
    print_error("%s: %s", d->path, error.text[0] ? error.text : ph_status_text(status));
    return exit_status_of(status);
}

static int run(const char *path, const sensitivity_options *options)
{
    found f = {0};
    text_list by = {0};
    char *copies[2] = {0};
    differential *d = calloc(1, sizeof *d);
    int status = EXIT_USAGE;
    if (d && split_names("of", options->of, &f.of, &copies[0]) &&
        (!options->by || split_names("by", options->by, &by, &copies[1])) &&
        differential_open(d, path, &options->settings, options->scheme, options->by ? &by : NULL, options->step,
                          options->at > 0.0 ? options->at : options->until))
        status = find(d, &f, options);
    if (d) differential_close(d);
    free(d);
    free(f.times);
    free(f.values);
    free(f.slopes);
    free(copies[0]);
    free(copies[1]);
    return status;
}

int command_sensitivity(int count, char **arguments)
{
    sensitivity_options options = {0};
    const option table[] = {
        {"of", 0, OPTION_TEXT, &options.of, "A,B,...", "quantities: BODY.position.z, joints.JOINT.angle, ..."},
        {"by", 0, OPTION_TEXT, &options.by, "A,B,...", "parameters, inputs, numbers; default: all parameters"},
        {"at", 0, OPTION_POSITIVE, &options.at, "T", "at this time; default: at the end of the run"},
        {"every", 0, OPTION_POSITIVE, &options.every, "T", "at all multiples of T up to the end"},
        {"until", 0, OPTION_POSITIVE, &options.until, "T", "end of the run, s; default: as the file says"},
        {"step", 0, OPTION_POSITIVE, &options.step, "H", "step, s; default: as the file says"},
        {"scheme", 's', OPTION_TEXT, &options.scheme, "NAME", "scheme; default: as the file says"},
        {"out", 'o', OPTION_TEXT, &options.out, "FOLDER", "write a plot there (with --every)"},
        MODEL_OPTIONS(&options.settings),
        {"json", 0, OPTION_FLAG, &options.json, NULL, "print one JSON object in place of the table"},
        {"quiet", 'q', OPTION_FLAG, &options.quiet, NULL, "print no table"},
    };
    command_line line = {
        .usage = "sensitivity MODEL --of A,B,... [--by P,Q,...] [--at T | --every T] [OPTIONS]",
        .about =
            "Derivatives of quantities of a run by parameters of its model: exact for the discrete motion, by one sweep\n"
            "backwards (at one time) or by tangents (at many). The elasticity is the relative change of the quantity\n"
            "for a relative change of the parameter.",
        .examples =
            "  polhode sensitivity examples/double_pendulum.yaml --of rod2.position.z --by l,g --at 1\n"
            "  polhode sensitivity examples/four_bar.yaml --of joints.D.angle --by a,b,c --every 0.1 --out plots\n"
            "  polhode sensitivity examples/double_pendulum.yaml --of rod2.speed --by rod1.mass --at 1 --json\n",
        .options = table,
        .option_count = sizeof table / sizeof table[0],
        .least = 1,
        .most = 1,
    };
    const parse_result parsed = options_parse(&line, count, arguments);
    if (parsed != PARSE_DONE) return parsed == PARSE_HELP ? EXIT_DONE : EXIT_USAGE;
    if (!options.of) {
        print_error("--of is missing: polhode sensitivity MODEL --of BODY.position.z,joints.JOINT.angle --by l,m");
        return EXIT_USAGE;
    }
    if (options.at > 0.0 && options.every > 0.0) {
        print_error("--at and --every do not go together; --until says where --every ends");
        return EXIT_USAGE;
    }
    return run(line.operands.texts[0], &options);
}
