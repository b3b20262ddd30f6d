// polhode fit: parameters of a model from measured motion.

#include "fit.h"

#include "commands.h"
#include "differentiate.h"
#include "interrupt.h"
#include "laboratory.h"
#include "load.h"
#include "motion.h"
#include "search.h"
#include "terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const log_cholesky[10] = {"alpha", "d1", "d2", "d3", "s12", "s23", "s13", "t1", "t2", "t3"};

// ---- Unknowns -------------------------------------------------------------------------------------------------------

static bool add_unknown(fitting *f, const char *name, double low, double high)
{
    if (f->unknown_count == NAMES_MAX - 6) return print_error("--by: more than %d unknowns", NAMES_MAX - 6), false;
    for (int k = 0; k < f->unknown_count; k++)
        if (strcmp(f->names[k], name) == 0) return print_error("--by: '%s' is named twice", name), false;
    snprintf(f->names[f->unknown_count], DATA_NAME, "%s", name);
    f->unknowns[f->unknown_count] = (ph_unknown){f->names[f->unknown_count], low, high};
    f->unknown_count++;
    return true;
}

// BODY.inertial stands for its ten numbers; "*.inertial" for those of all bodies that move.
static bool add_inertial(fitting *f, const char *body)
{
    bool good = true;
    double value;
    for (int k = 0; k < 10 && good; k++) {
        char name[DATA_NAME];
        snprintf(name, sizeof name, "%.90s.log_cholesky.%s", body, log_cholesky[k]);
        if (!ph_model_number(f->model, name, &value)) {
            print_error(
                "'%s.inertial': there is no such body that moves, or its mass lies in a plane or on a line, which has "
                "no log-Cholesky form; name %s.mass, %s.com.x, %s.inertia.xx and so on",
                body, body, body, body);
            return false;
        }
        good = add_unknown(f, name, -(double)INFINITY, (double)INFINITY);
    }
    return good;
}

static bool add_group(fitting *f, char *name)
{
    char *tail = strrchr(name, '.');
    *tail = '\0';
    if (strcmp(name, "*") != 0) return add_inertial(f, name);
    for (int b = 0; b < ph_model_bodies(f->model); b++)
        if (!ph_model_body(f->model, b).fixed && !add_inertial(f, ph_model_body(f->model, b).name)) return false;
    return true;
}

// "NAME", "NAME=LOW..HIGH", either bound may be missing
static bool parse_unknown(fitting *f, const char *text)
{
    char name[DATA_NAME];
    double low = -(double)INFINITY, high = (double)INFINITY;
    snprintf(name, sizeof name, "%s", text);
    char *equals = strchr(name, '=');
    if (equals) {
        char *dots = strstr(equals, ".."), *end;
        *equals = '\0';
        if (!dots) return print_error("--by %s: bounds are written %s=LOW..HIGH", text, name), false;
        *dots = '\0';
        if (equals[1]) low = strtod(equals + 1, &end);
        if (equals[1] && *end) return print_error("--by %s: '%s' is not a number", text, equals + 1), false;
        if (dots[2]) high = strtod(dots + 2, &end);
        if (dots[2] && *end) return print_error("--by %s: '%s' is not a number", text, dots + 2), false;
    }
    const char *tail = strrchr(name, '.');
    if (tail && strcmp(tail, ".inertial") == 0) return add_group(f, name);
    return add_unknown(f, name, low, high);
}

static bool find_unknowns(fitting *f)
{
    text_list by = {0};
    char *copy = NULL;
    bool good = true;
    if (f->options->by) good = split_names("by", f->options->by, &by, &copy);
    for (int k = 0; k < by.count && good; k++) good = parse_unknown(f, by.texts[k]);
    for (int k = 0; !f->options->by && k < ph_model_parameters(f->model) && good; k++)
        good = add_unknown(f, ph_model_parameter(f->model, k).name, -(double)INFINITY, (double)INFINITY);
    if (good && f->unknown_count == 0) {
        print_error("%s: the model has no parameters; say what to look for: --by BODY.mass,joints.J.damping,...",
                    f->path);
        good = false;
    }
    free(copy);
    return good;
}

// ---- Data -----------------------------------------------------------------------------------------------------------

// The value behind NAME= in a list of options; NULL: it is not there.
static const char *listed(const text_list *list, const char *name)
{
    const size_t length = strlen(name);
    for (int k = 0; k < list->count; k++)
        if (strncmp(list->texts[k], name, length) == 0 && list->texts[k][length] == '=')
            return list->texts[k] + length + 1;
    return NULL;
}

static bool is_known(const ph_model *model, const char *name)
{
    ph_observables *o = NULL;
    const bool known = ph_observables_create(model, 1, &name, &o, NULL) == PH_OK;
    ph_observables_destroy(o);
    return known;
}

static bool find_sigma(const fitting *f, const char *column, const char *quantity, double *sigma)
{
    const char *text = listed(&f->options->sigmas, column);
    char *end;
    if (!text) text = listed(&f->options->sigmas, quantity);
    *sigma = 1.0;
    if (!text) return true;
    *sigma = strtod(text, &end);
    if (!*end && *sigma > 0.0) return true;
    print_error("--sigma %s=%s: expected a positive number", column, text);
    return false;
}

// Which columns are quantities, which inputs.
static bool sort_columns(fitting *f, int run, int *quantities, int *inputs, int *quantity_count, int *input_count)
{
    data_file *d = &f->files[run];
    for (int k = 0; k < d->columns; k++) {
        const char *map = listed(&f->options->maps, d->names[k]);
        char *name = f->columns[run][k];
        if (map)
            snprintf(name, DATA_NAME, "%s", map);
        else
            quantity_name(d->names[k], name);
        if (ph_model_find_input(f->model, name) >= 0)
            inputs[(*input_count)++] = k;
        else if (is_known(f->model, name))
            quantities[(*quantity_count)++] = k;
        else if (map) {
            print_error("--map %s=%s: the model knows no such quantity", d->names[k], map);
            return false;
        } else if (f->ignored.count < TEXT_LIST_MAX)
            f->ignored.texts[f->ignored.count++] = d->names[k];
    }
    return true;
}

static bool copy_columns(fitting *f, int run, const int *quantities, const int *inputs)
{
    const data_file *d = &f->files[run];
    ph_fit_data *to = &f->runs[run];
    const size_t rows = (size_t)d->rows;
    const char **names = calloc((size_t)to->columns + (size_t)to->input_count + 1, sizeof *names);
    double *values = malloc(rows * (size_t)(to->columns + to->input_count) * sizeof *values);
    double *input_values = values ? values + rows * (size_t)to->columns : NULL;
    f->sigmas[run] = malloc(((size_t)to->columns + 1) * sizeof(double));
    bool good = names && values && f->sigmas[run];
    for (int k = 0; k < to->columns && good; k++) {
        names[k] = f->columns[run][quantities[k]];
        good = find_sigma(f, d->names[quantities[k]], names[k], &f->sigmas[run][k]);
        for (size_t i = 0; i < rows; i++)
            values[i * (size_t)to->columns + (size_t)k] = d->values[i * (size_t)d->columns + (size_t)quantities[k]];
    }
    for (int k = 0; k < to->input_count && good; k++) {
        names[to->columns + k] = f->columns[run][inputs[k]];
        for (size_t i = 0; i < rows; i++)
            input_values[i * (size_t)to->input_count + (size_t)k] =
                d->values[i * (size_t)d->columns + (size_t)inputs[k]];
    }
    to->names = names, to->inputs = names ? names + to->columns : NULL;
    to->values = values, to->input_values = input_values;
    to->sigmas = f->options->sigmas.count > 0 ? f->sigmas[run] : NULL;
    return good;
}

static bool inputs_whole(const fitting *f, int run)
{
    const ph_fit_data *d = &f->runs[run];
    for (int i = 0; i < d->rows * d->input_count; i++)
        if (isnan(d->input_values[i])) {
            print_error("%s: input '%s' has a gap in row %d: inputs must be known throughout", f->files[run].path,
                        d->inputs[i % d->input_count], i / d->input_count + 1);
            return false;
        }
    return true;
}

static bool read_run(fitting *f, int run, const char *path)
{
    int quantities[DATA_COLUMNS], inputs[DATA_COLUMNS], quantity_count = 0, input_count = 0;
    text_list of = {0};
    char *copy = NULL;
    if (f->options->of && !split_names("of", f->options->of, &of, &copy)) return free(copy), false;
    bool good = data_file_read(&f->files[run], path, f->options->of ? &of : NULL, f->options->until);
    free(copy);
    if (!good || !(f->columns[run] = calloc((size_t)f->files[run].columns, DATA_NAME))) return false;
    if (!sort_columns(f, run, quantities, inputs, &quantity_count, &input_count)) return false;
    if (quantity_count == 0) {
        print_error("%s: no column is a quantity of the model; name them BODY.position.x, sites.SITE.position.x, "
                    "joints.JOINT.coordinate ..., or say --map COLUMN=QUANTITY",
                    path);
        return false;
    }
    f->runs[run] = (ph_fit_data){.rows = f->files[run].rows,
                                 .times = f->files[run].times,
                                 .columns = quantity_count,
                                 .input_count = input_count};
    return copy_columns(f, run, quantities, inputs) && inputs_whole(f, run);
}

// ---- Guesses and resuming -------------------------------------------------------------------------------------------

static void name_unknown(const void *user, int k, char name[DATA_NAME])
{
    const fitting *f = user;
    snprintf(name, DATA_NAME, "%s", f->names[k]);
}

static search_state state_of(const fitting *f)
{
    return (search_state){f->options->out, "fit.state", "fit", f->unknown_count, name_unknown, f};
}

static bool find_guesses(fitting *f)
{
    for (int k = 0; k < f->options->guesses.count; k++) {
        const char *text = f->options->guesses.texts[k], *equals = strchr(text, '=');
        int i = 0;
        while (equals && i < f->unknown_count &&
               (strlen(f->names[i]) != (size_t)(equals - text) ||
                strncmp(f->names[i], text, (size_t)(equals - text)) != 0))
            i++;
        char *end = NULL;
        if (!equals || i == f->unknown_count)
            return print_error("--guess %s: expected NAME=VALUE with a name of --by", text), false;
        f->guess[i] = strtod(equals + 1, &end);
        if (end == equals + 1 || *end) return print_error("--guess %s: expected a number", text), false;
    }
    const search_state stopped = state_of(f);
    return !f->options->resume || search_resume(&stopped, f->guess);
}

static bool fill_guesses(fitting *f)
{
    for (int k = 0; k < f->unknown_count; k++) f->guess[k] = (double)NAN; // as in the model
    f->def.guess = f->guess;
    return find_guesses(f);
}

// ---- The fit --------------------------------------------------------------------------------------------------------

static bool see_progress(const ph_fit_progress *p, void *user)
{
    fitting *f = user;
    const search_state now = state_of(f);
    search_save(&now, p->values);
    progress_tell(&f->progress, (double)p->iteration / f->def.iterations, "iteration %d of %d: cost %.6g, change %.1e",
                  p->iteration, f->def.iterations, p->cost, p->change);
    return !was_interrupted();
}

static int tell(const fitting *f, const ph_fit *fit)
{
    text_list written = {0};
    bool good = true;
    if (f->options->out) good = fit_write(f, fit, &written);
    if (f->options->json)
        fit_print_json(f, fit, &written);
    else if (!f->options->quiet)
        fit_print(f, fit);
    if (!f->options->json && f->options->out) print_written(f->options->out, &written);
    if (fit->end == PH_FIT_STOPPED) return EXIT_INTERRUPTED;
    return good && fit->end == PH_FIT_CONVERGED ? EXIT_DONE : EXIT_FAILED;
}

static int work(fitting *f)
{
    ph_fit *fit = NULL;
    ph_error error = {0};
    f->progress = progress_begin(!f->options->quiet);
    f->progress.at_most = true;
    const ph_status status = ph_fit_run(f->model, &f->def, &fit, &error);
    f->seconds = progress_seconds(&f->progress);
    progress_wipe(&f->progress);
    if (status != PH_OK) {
        print_error("%s: %s", f->path, error.text[0] ? error.text : ph_status_text(status));
        return exit_status_of(status);
    }
    const int result = tell(f, fit);
    ph_fit_destroy(fit);
    return result;
}

static bool prepare(fitting *f, const text_list *files)
{
    const fit_options *o = f->options;
    f->names = calloc(NAMES_MAX, sizeof *f->names);
    f->unknowns = calloc(NAMES_MAX, sizeof *f->unknowns);
    f->guess = calloc(NAMES_MAX, sizeof *f->guess);
    if (!f->names || !f->unknowns || !f->guess || !(f->model = load_model(f->path, &o->settings))) return false;
    for (int k = 0; k < files->count - 1; k++)
        if (!read_run(f, k, files->texts[k + 1])) return false;
    f->def = ph_default_fit();
    if (!find_unknowns(f) || (o->out && !make_folder(o->out)) || !fill_guesses(f)) return false;
    f->def.sim.scheme = o->scheme;
    f->def.step = o->step > 0.0 ? o->step : ph_model_run_settings(f->model)->step;
    f->def.runs = f->runs, f->def.run_count = files->count - 1;
    f->def.unknowns = f->unknowns, f->def.unknown_count = f->unknown_count;
    f->def.robust = o->robust;
    f->def.differences = o->differences, f->def.verdict = !o->no_verdict;
    if (o->iterations > 0) f->def.iterations = o->iterations;
    if (o->tolerance > 0.0) f->def.tolerance = o->tolerance;
    f->def.progress = see_progress, f->def.user = f;
    return true;
}

static void release(fitting *f)
{
    for (int k = 0; k < FIT_RUNS; k++) {
        data_file_free(&f->files[k]);
        free((void *)f->runs[k].names);
        free((void *)f->runs[k].values);
        free(f->columns[k]);
        free(f->sigmas[k]);
    }
    free(f->names);
    free(f->unknowns);
    free(f->guess);
    ph_model_destroy(f->model);
    free(f);
}

int command_fit(int count, char **arguments)
{
    fit_options options = {0};
    const option table[] = {
        {"by", 0, OPTION_TEXT, &options.by, "A,B=0..2,...",
         "what to look for, with bounds: parameters, BODY.inertial, joints.J.damping, JOINT.rate"},
        {"of", 0, OPTION_TEXT, &options.of, "A,B,...", "of a result (.h5): the quantities that were measured"},
        {"map", 0, OPTION_LIST, &options.maps, "COLUMN=QUANTITY", "what a column of the data is"},
        {"sigma", 0, OPTION_LIST, &options.sigmas, "QUANTITY=S", "standard deviation of a measurement"},
        {"guess", 0, OPTION_LIST, &options.guesses, "NAME=VALUE", "where to begin; default: as in the model"},
        {"robust", 0, OPTION_POSITIVE, &options.robust, "K", "beyond K deviations residuals count linearly (2)"},
        {"step", 0, OPTION_POSITIVE, &options.step, "H", "step, s; default: as the file says"},
        {"until", 0, OPTION_POSITIVE, &options.until, "T", "leave out data after T"},
        {"scheme", 's', OPTION_TEXT, &options.scheme, "NAME", "scheme; default: as the file says"},
        {"iterations", 0, OPTION_COUNT, &options.iterations, "N", "at most; default: 100"},
        {"tolerance", 0, OPTION_POSITIVE, &options.tolerance, "E", "relative change that ends it; default: 1e-9"},
        {"differences", 0, OPTION_FLAG, &options.differences, NULL,
         "differences of runs in place of exact derivatives"},
        {"no-half-step", 0, OPTION_FLAG, &options.no_verdict, NULL, "do not compare with half the step"},
        {"out", 'o', OPTION_TEXT, &options.out, "FOLDER", "write the fitted model, plots and pages there"},
        {"resume", 0, OPTION_FLAG, &options.resume, NULL, "go on where the fit in FOLDER was stopped"},
        MODEL_OPTIONS(&options.settings),
        {"json", 0, OPTION_FLAG, &options.json, NULL, "print one JSON object in place of the tables"},
        {"quiet", 'q', OPTION_FLAG, &options.quiet, NULL, "print no tables"},
    };
    command_line line = {
        .usage = "fit MODEL DATA... --by A,B,... [OPTIONS]",
        .about =
            "Parameters of a model from measured motion, by least squares with exact derivatives: estimates with standard\n"
            "errors, singular values, and the combinations that the data do not determine. DATA: CSV files whose first\n"
            "column is t and whose other columns are quantities (rod2.position.z, sites.tip.position.x,\n"
            "joints.A.angle) or inputs; empty cells are gaps. Or results of polhode run.",
        .examples =
            "  polhode fit arm.yaml encoders.csv --by '*.inertial,joints.elbow.damping=0..1' --out fitted\n"
            "  polhode fit pendulum.yaml marker.csv --by l=0.1..2,A.coordinate --map mx=sites.tip.position.x --robust 2\n",
        .options = table,
        .option_count = sizeof table / sizeof table[0],
        .least = 2,
        .most = FIT_RUNS,
    };
    const parse_result parsed = options_parse(&line, count, arguments);
    if (parsed != PARSE_DONE) return parsed == PARSE_HELP ? EXIT_DONE : EXIT_USAGE;
    fitting *f = calloc(1, sizeof *f);
    if (!f) return EXIT_FAILED;
    f->path = line.operands.texts[0];
    f->options = &options;
    catch_interrupts();
    const int status = prepare(f, &line.operands) ? work(f) : EXIT_USAGE;
    release(f);
    return status;
}
