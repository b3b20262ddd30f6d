// polhode compare: several schemes side by side on one model.

#include "commands.h"
#include "compare_page.h"
#include "describe.h"
#include "json.h"
#include "laboratory.h"
#include "load.h"
#include "options.h"
#include "summary.h"
#include "terminal.h"

#include "polhode/polhode.h"

#include <math.h>
#include <string.h>

typedef struct compare_options {
    ph_compare_def def;
    lab_options lab;
} compare_options;

// ---- For people -----------------------------------------------------------------------------------------------------

static const char *trial_name(const void *list, int index)
{
    const ph_comparison *c = list;
    return c->trials[index].name;
}

typedef struct columns {
    int name;
    bool linear, angular, joints, contact, reference;
} columns;

static columns choose_columns(const ph_comparison *c, const ph_model *model)
{
    columns shown = {.name = column_width("scheme", c->trial_count, trial_name, c),
                     .joints = ph_model_rows(model) > 0,
                     .reference = c->reference.scheme != NULL};
    for (int i = 0; i < c->trial_count; i++) {
        shown.linear = shown.linear || c->trials[i].summary.has_linear;
        shown.angular = shown.angular || c->trials[i].summary.has_angular;
        shown.contact = shown.contact || c->trials[i].summary.contacts_max > 0;
    }
    return shown;
}

static void print_head(const columns *shown, const char *energy, const char *relative, const char *linear,
                       const char *angular, const char *position, const char *velocity, const char *overlap,
                       const char *residual, const char *rotation, const char *error, const char *turn,
                       const char *newton, const char *time)
{
    printf("  %9s %9s", energy, relative);
    if (shown->linear) printf(" %9s", linear);
    if (shown->angular) printf(" %9s", angular);
    if (shown->joints) printf("  %9s %9s", position, velocity);
    if (shown->contact) printf("  %9s %9s", overlap, residual);
    printf("  %9s", rotation);
    if (shown->reference) printf("  %9s %9s", error, turn);
    printf("  %6s %8s", newton, time);
}

static void print_heads(const columns *shown)
{
    const colours c = colours_of(stdout);
    printf("%s%-*s", c.bold, shown->name, "");
    print_head(shown, "energy", "energy", "linear", "angular", "position", "velocity", "deepest", "contact", "orthogo-",
               "position", "orient.", "Newton", "time per");
    printf("\n%-*s", shown->name, "scheme");
    print_head(shown, "error", "relative", "momentum", "momentum", "violation", "violation", "overlap", "residual",
               "nality", "error", "error", "iter.", "step");
    printf("%s\n%s%-*s", c.off, c.faint, shown->name, "");
    print_head(shown, "J", "", "kg m/s", "kg m^2/s", "m", "m/s", "m", "m/s", "", "m", "rad", "", "us");
    printf("%s\n", c.off);
}

static void print_number(double value)
{
    if (isfinite(value))
        printf(" %9.2e", value);
    else
        printf(" %9s", "-");
}

static void print_trial(const ph_trial *t, const columns *shown)
{
    const ph_summary *s = &t->summary;
    printf("%-*s ", shown->name, t->name);
    if (s->steps == 0) {
        printf(" failed\n");
        return;
    }
    print_number(s->energy_max_abs_error);
    print_number(s->energy_scale > 0.0 ? s->energy_max_abs_error / s->energy_scale : (double)NAN);
    if (shown->linear) print_number(s->linear_max_error);
    if (shown->angular) print_number(s->angular_max_error);
    if (shown->joints) {
        printf(" ");
        print_number(s->position_violation_max);
        print_number(s->velocity_violation_max);
    }
    if (shown->contact) {
        printf(" ");
        print_number(s->penetration_max);
        print_number(s->contact_residual_max);
    }
    printf(" ");
    print_number(s->orthogonality_max);
    if (shown->reference) {
        printf(" ");
        print_number(t->error.of[PH_POSITION]);
        print_number(t->error.of[PH_ORIENTATION]);
    }
    printf("  %6.2f", s->iterations_mean);
    if (isfinite(t->step_s)) printf(" %8.2f", 1e6 * t->step_s);
    if (t->status != PH_OK) printf("  failed at t = %.6g s", s->time);
    if (s->contact_missed > 0) printf("  contacts not solved in %lld steps", s->contact_missed);
    printf("\n");
}

// An error that the reference's own uncertainty could explain says little about the scheme.
static bool is_reference_poor(const ph_comparison *c)
{
    for (int i = 0; i < c->trial_count; i++) {
        const double error = c->trials[i].error.of[PH_POSITION];
        if (error > 1e-10 && error < 3.0 * c->reference.uncertainty.of[PH_POSITION]) return true;
    }
    return false;
}

static void print_table(const ph_comparison *c, const ph_model *model, const char *title)
{
    const colours colour = colours_of(stdout);
    const columns shown = choose_columns(c, model);
    printf("%s%s%s, steps of %.6g s to t = %.6g s\n\n", colour.bold, title, colour.off, c->step, c->until);
    print_heads(&shown);
    for (int i = 0; i < c->trial_count; i++) print_trial(&c->trials[i], &shown);
    printf("\nThe largest of all steps. Energy: |E - E(0)|, also divided by the largest kinetic energy.%s%s\n"
           "%sOrthogonality: |R^T R - I| of the rotations.%s\n",
           shown.linear || shown.angular ? " Momentum: change of what is\nconserved." : "",
           shown.joints ? " Violation: how far joints are open, how fast they slide." : "",
           shown.contact ? "E = T + U - W with the work W of friction and impacts. Contact residual: of the contact "
                           "problems of all steps.\n"
                         : "",
           shown.reference ? " Position and orientation errors: against the reference, all bodies." : "");
    print_reference(&c->reference);
    if (is_reference_poor(c)) {
        printf("note: the reference is no better than some of these errors. The motion may be chaotic: compare over a "
               "shorter time,\nor give a better --reference.\n");
    }
}

// ---- For programs ---------------------------------------------------------------------------------------------------

static void json_trial(json *j, const ph_trial *t)
{
    json_object(j, NULL);
    json_string(j, "name", t->name);
    json_string(j, "scheme", t->summary.scheme);
    json_number(j, "step", t->summary.step);
    json_integer(j, "steps", t->summary.steps);
    json_number(j, "time", t->summary.time);
    json_number(j, "wall_s", t->summary.wall_s);
    json_number(j, "step_s", t->step_s);
    json_summary(j, &t->summary);
    json_motion_error(j, "error_against_reference", &t->error);
    if (t->message) json_string(j, "error", t->message);
    json_end_object(j);
}

static void print_json(const ph_comparison *c, const char *title, const char *folder, const text_list *written)
{
    json j = {.file = stdout};
    json_object(&j, NULL);
    json_string(&j, "model", title);
    json_number(&j, "step", c->step);
    json_number(&j, "until", c->until);
    json_reference(&j, &c->reference);
    json_array(&j, "trials");
    for (int i = 0; i < c->trial_count; i++) json_trial(&j, &c->trials[i]);
    json_end_array(&j);
    if (folder) json_written(&j, folder, written);
    json_close(&j);
}

// ---- The command ----------------------------------------------------------------------------------------------------

static bool write_plots(const ph_comparison *c, const char *folder, text_list *written)
{
    static const char *const names[PH_COMPARISON_FIGURES] = {
        [PH_FIGURE_ENERGY] = "energy_error.svg",       [PH_FIGURE_MOMENTUM] = "momentum.svg",
        [PH_FIGURE_VIOLATION] = "violation.svg",       [PH_FIGURE_ORTHOGONALITY] = "orthogonality.svg",
        [PH_FIGURE_TRAJECTORIES] = "trajectories.svg", [PH_FIGURE_CONTACT] = "contact.svg",
    };
    bool good = true;
    for (int i = 0; good && i < PH_COMPARISON_FIGURES; i++)
        good = write_plot(ph_comparison_plot(c, (ph_comparison_figure)i), folder, names[i], written);
    return good;
}

static void print_failures(const ph_comparison *c)
{
    fflush(stdout);
    for (int i = 0; i < c->trial_count; i++)
        if (c->trials[i].message) print_error("%s: %s", c->trials[i].name, c->trials[i].message);
    if (c->reference.message) print_error("the reference failed: %s", c->reference.message);
}

static int compare_model(const ph_model *model, const char *path, void *user)
{
    compare_options *options = user;
    const lab_options *lab = &options->lab;
    ph_compare_def *def = &options->def;
    ph_comparison *comparison = NULL;
    ph_error error;
    text_list written = {0};
    def->trials = lab->trials.texts;
    def->trial_count = lab->trials.count;
    def->body = lab->body_index;
    def->progress = show_lab_progress;
    def->user = &options->lab.progress;
    compare_page page = {0};
    if (lab->out && compare_page_begin(&page, lab->out, &lab->trials) && page.count > 0)
        def->outs = (const char *const *)page.paths;
    const ph_status status = ph_compare(model, def, &comparison, &error);
    progress_wipe(&options->lab.progress);
    if (!comparison) {
        print_error("%s: %s", path, error.text);
        compare_page_free(&page);
        return exit_status_of(status);
    }
    bool good = comparison->failed == 0 && !comparison->reference.message;
    if (lab->out) {
        good = write_plots(comparison, lab->out, &written) && good;
        good = compare_page_write(&page, comparison, &written) && good;
    }
    const char *title = model_title(model, path);
    if (lab->json) {
        print_json(comparison, title, lab->out, &written);
    } else if (!lab->quiet) {
        print_table(comparison, model, title);
        print_written(lab->out, &written);
    }
    print_failures(comparison);
    ph_comparison_destroy(comparison);
    compare_page_free(&page);
    return status == PH_INTERRUPTED ? EXIT_INTERRUPTED : good ? EXIT_DONE : EXIT_FAILED;
}

int command_compare(int count, char **arguments)
{
    compare_options options = {.def = ph_default_compare()};
    ph_compare_def *def = &options.def;
    const option table[] = {
        {"schemes", 's', OPTION_TEXT, &options.lab.schemes, "A,B,...",
         "schemes, each NAME[:OPTIONS][@STEP]; default: the usual ones"},
        {"reference", 0, OPTION_TEXT, &def->reference, "NAME@STEP", "what errors are measured against, or 'none'"},
        {"step", 0, OPTION_POSITIVE, &def->step, "SECONDS", "length of a time step"},
        {"until", 0, OPTION_POSITIVE, &def->until, "SECONDS", "end time"},
        {"out", 'o', OPTION_TEXT, &options.lab.out, "FOLDER", "write plots (SVG), results and a web page there"},
        {"body", 0, OPTION_TEXT, &options.lab.body, "NAME", "whose path is plotted; default: the last that moves"},
        MODEL_OPTIONS(&options.lab.settings),
        {"json", 0, OPTION_FLAG, &options.lab.json, NULL, "print one JSON object in place of the table"},
        {"quiet", 'q', OPTION_FLAG, &options.lab.quiet, NULL, "print no table and no progress"},
    };
    command_line line = {
        .usage = "compare MODEL [OPTIONS]",
        .about =
            "Runs several schemes side by side on one model, from the same start with the same step, and shows what\n"
            "each of them keeps and costs. A scheme that fails is reported; the others go on.\n"
            "Without --reference errors are measured against the scheme of the highest order at a fraction of the\n"
            "step, extrapolated to step zero.",
        .examples = "  polhode compare examples/four_bar.yaml\n"
                    "  polhode compare examples/double_pendulum.yaml --schemes rattlie,lgvi --until 10\n"
                    "  polhode compare top.yaml -s rattlie,rattlie4@4e-3 --step 1e-3 --out plots\n"
                    "  polhode compare top.yaml -s rattlie,lgvi --reference rattlie6@1e-4 --json\n",
        .options = table,
        .option_count = sizeof table / sizeof table[0],
        .least = 1,
        .most = 1,
    };
    const parse_result parsed = options_parse(&line, count, arguments);
    if (parsed != PARSE_DONE) return parsed == PARSE_HELP ? EXIT_DONE : EXIT_USAGE;
    return run_laboratory(&options.lab, line.operands.texts[0], compare_model, &options);
}
