// polhode order: how fast errors fall with the step.

#include "commands.h"
#include "describe.h"
#include "json.h"
#include "laboratory.h"
#include "load.h"
#include "options.h"
#include "terminal.h"

#include "polhode/polhode.h"

#include <math.h>
#include <string.h>

typedef struct order_options {
    ph_order_def def;
    const char *steps, *times;
    number_list step_list, time_list;
    lab_options lab;
} order_options;

// ---- For people -----------------------------------------------------------------------------------------------------

static const char *row_name(const void *list, int index)
{
    const ph_order_study *s = list;
    return s->rows[index].name;
}

static void print_number(double value, const char *format)
{
    char text[32] = "-";
    if (isfinite(value)) snprintf(text, sizeof text, format, value);
    printf("  %11s", text);
}

// The order between this step and the one before.
static void print_order(const ph_order_fit *fit, int k)
{
    if (k == 0)
        printf(" %7s", "");
    else if (isfinite(fit->orders[k - 1]))
        printf(" %7.2f", fit->orders[k - 1]);
    else
        printf(" %7s", "-");
}

static void print_point(const ph_order_row *row, int k, int width, const char *name)
{
    const ph_order_point *p = &row->points[k];
    printf("%-*s  %11.6g", width, name, p->step);
    if (p->status != PH_OK) {
        printf("  failed\n");
        return;
    }
    for (int q = PH_POSITION; q <= PH_ORIENTATION; q++) {
        print_number(p->error.of[q], "%.3e");
        print_order(&row->fits[q], k);
    }
    printf("  %6.2f  %9.3g\n", p->iterations_mean, p->cpu_s);
}

static void print_row(const ph_order_study *s, const ph_order_row *row, int width)
{
    const colours c = colours_of(stdout);
    for (int k = 0; k < s->step_count; k++) print_point(row, k, width, k ? "" : row->name);
    printf("%s%-*s  %11s", c.bold, width, "", "fit");
    for (int q = PH_POSITION; q <= PH_ORIENTATION; q++) {
        printf("  %11s", "");
        if (isfinite(row->fits[q].slope))
            printf(" %7.2f", row->fits[q].slope);
        else
            printf(" %7s", "-");
    }
    printf("%s", c.off);
    if (row->order > 0) printf("  design order %d", row->order);
    printf("\n\n");
}

static void print_dropped(const ph_order_study *s)
{
    int dropped = 0;
    for (int i = 0; i < s->row_count; i++)
        dropped += s->rows[i].fits[PH_POSITION].dropped + s->rows[i].fits[PH_ORIENTATION].dropped;
    if (dropped > 0) {
        printf(
            "-: dropped (%d pairs), the smaller error lies below %.1g m or %.1g rad: round-off, or what the reference\n"
            "   is uncertain by\n",
            dropped, s->floor[PH_POSITION], s->floor[PH_ORIENTATION]);
    }
}

static void print_table(const ph_order_study *s, const char *title)
{
    const colours c = colours_of(stdout);
    const int width = column_width("scheme", s->row_count, row_name, s);
    printf("%s%s%s, errors at t =", c.bold, title, c.off);
    for (int i = 0; i < s->time_count; i++) printf("%s %.6g", i ? "," : "", s->times[i]);
    printf(" s, %s%s\n\n", s->body ? "body " : "largest of all bodies", s->body ? s->body : "");
    printf("%s%-*s  %11s  %11s %7s  %11s %7s  %6s  %9s\n%-*s  %11s  %11s %7s  %11s %7s  %6s  %9s%s\n", c.bold, width,
           "", "", "position", "", "orient.", "", "Newton", "CPU", width, "scheme", "step (s)", "error (m)", "order",
           "error (rad)", "order", "iter.", "time (s)", c.off);
    for (int i = 0; i < s->row_count; i++) print_row(s, &s->rows[i], width);
    print_dropped(s);
    print_reference(&s->reference);
}

// ---- For programs ---------------------------------------------------------------------------------------------------

static const char *const quantity_names[PH_QUANTITIES] = {"position", "orientation", "velocity", "angular_velocity"};

static void json_fit(json *j, const ph_order_fit *fit, const char *key, int pairs)
{
    json_object(j, key);
    json_number(j, "order", fit->slope);
    json_array(j, "between_steps");
    for (int k = 0; k < pairs; k++) json_number(j, NULL, fit->orders[k]);
    json_end_array(j);
    json_integer(j, "used", fit->used);
    json_integer(j, "dropped", fit->dropped);
    json_end_object(j);
}

static void json_point(json *j, const ph_order_point *p)
{
    json_object(j, NULL);
    json_number(j, "step", p->step);
    json_integer(j, "steps", p->steps);
    json_motion_error(j, "error_against_reference", &p->error);
    json_number(j, "iterations_mean", p->iterations_mean);
    json_number(j, "cpu_s", p->cpu_s);
    if (p->message) json_string(j, "error", p->message);
    json_end_object(j);
}

static void json_row(json *j, const ph_order_study *s, const ph_order_row *row)
{
    json_object(j, NULL);
    json_string(j, "name", row->name);
    json_integer(j, "design_order", row->order);
    json_array(j, "points");
    for (int k = 0; k < s->step_count; k++) json_point(j, &row->points[k]);
    json_end_array(j);
    json_object(j, "orders");
    for (int q = 0; q < PH_QUANTITIES; q++) json_fit(j, &row->fits[q], quantity_names[q], s->step_count - 1);
    json_end_object(j);
    json_end_object(j);
}

static void print_json(const ph_order_study *s, const char *title, const char *folder, const text_list *written)
{
    json j = {.file = stdout};
    json_object(&j, NULL);
    json_string(&j, "model", title);
    json_string(&j, "body", s->body);
    json_array(&j, "times");
    for (int i = 0; i < s->time_count; i++) json_number(&j, NULL, s->times[i]);
    json_end_array(&j);
    json_reference(&j, &s->reference);
    json_object(&j, "dropped_below");
    for (int q = 0; q < PH_QUANTITIES; q++) json_number(&j, quantity_names[q], s->floor[q]);
    json_end_object(&j);
    json_array(&j, "schemes");
    for (int i = 0; i < s->row_count; i++) json_row(&j, s, &s->rows[i]);
    json_end_array(&j);
    if (folder) json_written(&j, folder, written);
    json_close(&j);
}

// ---- The command ----------------------------------------------------------------------------------------------------

// What failed and why; a reason that stands behind every step of a scheme is said once.
static void print_failures(const ph_order_study *s)
{
    fflush(stdout);
    for (int i = 0; i < s->row_count; i++) {
        const char *last = "";
        for (int k = 0; k < s->step_count; k++) {
            const ph_order_point *p = &s->rows[i].points[k];
            if (!p->message || strcmp(p->message, last) == 0) continue;
            print_error("%s, step %.6g: %s", s->rows[i].name, p->step, p->message);
            last = p->message;
        }
    }
}

// Those that are asked for, else about the step of the model.
static bool find_steps(order_options *options, const ph_model *model, const char *path)
{
    const double step = ph_model_run_settings(model)->step;
    number_list *list = &options->step_list;
    if (list->count == 0 && !(step > 0.0)) {
        print_error("%s: the file says no step; give --steps H1,H2,...", path);
        return false;
    }
    for (int k = list->count == 0 ? 2 : -2; k > -2; k--) list->values[list->count++] = ldexp(step, k);
    options->def.steps = list->values;
    options->def.step_count = list->count;
    return true;
}

static int measure_model(const ph_model *model, const char *path, void *user)
{
    order_options *options = user;
    const lab_options *lab = &options->lab;
    ph_order_def *def = &options->def;
    ph_order_study *study = NULL;
    ph_error error;
    text_list written = {0};
    if (!find_steps(options, model, path)) return EXIT_USAGE;
    def->trials = lab->trials.texts;
    def->trial_count = lab->trials.count;
    def->body = lab->body_index;
    def->progress = show_lab_progress;
    def->user = &options->lab.progress;
    const ph_status status = ph_measure_order(model, def, &study, &error);
    progress_wipe(&options->lab.progress);
    if (!study) {
        print_error("%s: %s", path, error.text);
        return exit_status_of(status);
    }
    bool good = study->failed == 0;
    if (lab->out) {
        good = write_plot(ph_order_study_plot(study, PH_FIGURE_ORDER), lab->out, "order.svg", &written) && good;
        good = write_plot(ph_order_study_plot(study, PH_FIGURE_WORK), lab->out, "work_precision.svg", &written) && good;
    }
    const char *title = model_title(model, path);
    if (lab->json) {
        print_json(study, title, lab->out, &written);
    } else if (!lab->quiet) {
        print_table(study, title);
        print_written(lab->out, &written);
    }
    print_failures(study);
    ph_order_study_destroy(study);
    return status == PH_INTERRUPTED ? EXIT_INTERRUPTED : good ? EXIT_DONE : EXIT_FAILED;
}

static bool read_numbers(order_options *options)
{
    if ((options->steps && !split_numbers("steps", options->steps, &options->step_list)) ||
        (options->times && !split_numbers("times", options->times, &options->time_list)))
        return false;
    options->def.times = options->time_list.values;
    options->def.time_count = options->time_list.count;
    return true;
}

int command_order(int count, char **arguments)
{
    order_options options = {.def = ph_default_order()};
    ph_order_def *def = &options.def;
    const option table[] = {
        {"schemes", 's', OPTION_TEXT, &options.lab.schemes, "A,B,...",
         "schemes, each NAME[:OPTIONS]; default: the usual ones"},
        {"steps", 0, OPTION_TEXT, &options.steps, "H1,H2,...", "steps, s; default: four about that of the model"},
        {"times", 0, OPTION_TEXT, &options.times, "T1,T2,...", "sample times, multiples of every step"},
        {"reference", 0, OPTION_TEXT, &def->reference, "NAME@STEP", "what errors are measured against"},
        {"round-off", 0, OPTION_POSITIVE, &def->round_off, "ERROR", "smaller errors are not used; default 1e-10"},
        {"body", 0, OPTION_TEXT, &options.lab.body, "NAME", "whose error is measured; default: the largest of all"},
        {"out", 'o', OPTION_TEXT, &options.lab.out, "FOLDER", "write plots (SVG) there"},
        MODEL_OPTIONS(&options.lab.settings),
        {"json", 0, OPTION_FLAG, &options.lab.json, NULL, "print one JSON object in place of the table"},
        {"quiet", 'q', OPTION_FLAG, &options.lab.quiet, NULL, "print no table and no progress"},
    };
    command_line line = {
        .usage = "order MODEL [OPTIONS]",
        .about =
            "Measures how fast the error of each scheme falls with the step, and what it costs.\n"
            "Errors are taken at sample times that every step meets (default: after 125 and 250 of the largest steps)\n"
            "against a reference (default: the scheme of the highest order at a fraction of the smallest step,\n"
            "extrapolated to step zero). Pairs of errors that are round-off are dropped.",
        .examples =
            "  polhode order examples/four_bar.yaml\n"
            "  polhode order examples/double_pendulum.yaml --schemes rattlie,lgvi --steps 4e-3,2e-3,1e-3,5e-4\n"
            "  polhode order pendulum.yaml -s rattlie,rattlie4 --steps 8e-3,4e-3,2e-3 --times 1,2 --out plots\n"
            "  polhode order pendulum.yaml -s lgvi --steps 2e-3,1e-3 --body rod2 --reference rattlie6@2e-4 --json\n",
        .options = table,
        .option_count = sizeof table / sizeof table[0],
        .least = 1,
        .most = 1,
    };
    const parse_result parsed = options_parse(&line, count, arguments);
    if (parsed != PARSE_DONE) return parsed == PARSE_HELP ? EXIT_DONE : EXIT_USAGE;
    return read_numbers(&options) ? run_laboratory(&options.lab, line.operands.texts[0], measure_model, &options)
                                  : EXIT_USAGE;
}
