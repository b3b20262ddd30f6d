// polhode fc: solve one friction problem, of a file or of a step of a model.

#include "base/system.h"
#include "commands.h"
#include "json.h"
#include "load.h"
#include "options.h"
#include "terminal.h"

#include "polhode/polhode.h"

#include <stdlib.h>
#include <string.h>

// The file, or NULL with its mistakes on stderr.
static ph_fc_problem *load_problem(const char *path)
{
    ph_problems *problems = ph_problems_create();
    ph_fc_problem *fc = NULL;
    const ph_status status = ph_fc_read_file(path, problems, &fc);
    print_problems(problems);
    if (status != PH_OK && ph_problems_errors(problems) == 0) {
        print_error("%s: %s", path, ph_status_text(status));
    }
    ph_problems_destroy(problems);
    return fc;
}

// ---- Of a model -----------------------------------------------------------------------------------------------------

typedef struct fc_step { // of a model
    double at, length;
    text_list settings;
} fc_step;

static bool is_model(const char *path)
{
    const size_t length = strlen(path);
    return length < 3 || strcmp(path + length - 3, ".fc") != 0;
}

// Runs to the time, and takes the problem of the step that begins there.
static ph_status take_problem(const ph_model *model, const fc_step *step, ph_fc_problem **fc, ph_error *error)
{
    const double named = ph_model_run_settings(model)->step, h = step->length > 0.0 ? step->length
                                                                 : named > 0.0      ? named
                                                                                    : 1e-3;
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    ph_state *state = ph_state_create(model);
    ph_step_report report;
    def.scheme = "moreau";
    ph_status status = state ? ph_sim_create(model, &def, &sim, error) : PH_OUT_OF_MEMORY;
    if (status == PH_OK && step->at > 0.0) {
        status = ph_sim_advance(sim, state, h, (long long)(step->at / h + 0.5), &report);
        if (status != PH_OK) ph_step_report_format(&report, model, error->text, sizeof error->text);
    }
    if (status == PH_OK) status = ph_sim_contact_problem(sim, state, h, fc, error);
    ph_state_destroy(state);
    ph_sim_destroy(sim);
    return status;
}

static ph_fc_problem *load_step(const char *path, const fc_step *step)
{
    ph_fc_problem *fc = NULL;
    ph_error error = {PH_OK, ""};
    ph_model *model = load_model(path, &step->settings);
    if (!model) return NULL;
    if (take_problem(model, step, &fc, &error) != PH_OK) print_error("%s: %s", path, error.text);
    ph_model_destroy(model);
    return fc;
}

// ---- The solution ---------------------------------------------------------------------------------------------------

// Impulses and velocities: a line for each contact, normal first.
static ph_status write_solution(const char *path, const ph_fc_problem *fc, const double *g, const double *u)
{
    FILE *file = system_stream(path, "w");
    if (!file) return PH_IO;
    fprintf(file, "contact,g_n,g_1,g_2,u_n,u_1,u_2\n");
    for (int i = 0; i < fc->contacts; i++) {
        const double *x = g + 3 * (size_t)i, *y = u + 3 * (size_t)i;
        fprintf(file, "%d,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", i, x[0], x[1], x[2], y[0], y[1], y[2]);
    }
    const bool failed = ferror(file);
    return fclose(file) != 0 || failed ? PH_IO : PH_OK;
}

static ph_status solve(const ph_fc_problem *fc, const ph_cone_settings *settings, const char *out,
                       ph_cone_report *report, ph_error *error)
{
    const ph_cone_problem problem = {fc->contacts, fc->cones, fc->q, ph_cone_matrix_operator(fc->matrix)};
    ph_cone_workspace *workspace = ph_cone_workspace_create(NULL);
    const size_t rows = 3 * (size_t)fc->contacts;
    double *g = calloc(2 * rows + 1, sizeof *g), *u = g ? g + rows : NULL; // one block
    ph_status status = PH_OUT_OF_MEMORY;
    if (workspace && g) {
        status = ph_cone_solve(workspace, &problem, settings, g, u, report, error);
    } else {
        snprintf(error->text, sizeof error->text, "%s", ph_status_text(status));
    }
    if (status == PH_OK && out) {
        status = write_solution(out, fc, g, u);
        if (status != PH_OK) snprintf(error->text, sizeof error->text, "%s: %s", out, ph_status_text(status));
    }
    ph_cone_workspace_destroy(workspace);
    free(g);
    return status;
}

// Another solver was asked for, and newton has found the best.
static bool was_finished(const ph_cone_settings *settings, const ph_cone_report *r)
{
    return r->solver && strcmp(r->solver, "newton") == 0 && strcmp(settings->solver, "newton") != 0;
}

static void print_json(const ph_fc_problem *fc, const ph_cone_settings *settings, const ph_cone_report *r)
{
    json j = {.file = stdout};
    json_object(&j, NULL);
    json_integer(&j, "contacts", fc->contacts);
    json_string(&j, "law", settings->law == PH_LAW_COULOMB ? "coulomb" : "relaxed");
    json_string(&j, "asked", settings->solver);
    json_string(&j, "solver", r->solver);
    json_bool(&j, "finished_by_newton", was_finished(settings, r));
    json_integer(&j, "iterations", r->iterations);
    json_integer(&j, "factorisations", r->factorisations);
    json_number(&j, "residual", r->residual);
    json_number(&j, "natural_map_error", r->natural_map_error);
    json_number(&j, "certificate", r->certificate);
    json_number(&j, "time_ms", 1e3 * r->seconds);
    json_number(&j, "setup_ms", 1e3 * r->setup_seconds);
    json_bool(&j, "converged", r->converged);
    json_end_object(&j);
    printf("\n");
}

static void print_table(const ph_fc_problem *fc, const ph_cone_settings *settings, const ph_cone_report *r)
{
    const colours c = colours_of(stdout);
    printf("  %-20s %d\n", "contacts", fc->contacts);
    printf("  %-20s %s\n", "law", settings->law == PH_LAW_COULOMB ? "coulomb" : "relaxed");
    printf("  %-20s %s%s\n", "solver", settings->solver, was_finished(settings, r) ? ", finished by newton" : "");
    printf("  %-20s %d\n", "iterations", r->iterations);
    printf("  %-20s %d\n", "factorisations", r->factorisations);
    printf("  %-20s %.3g m/s\n", "residual", r->residual);
    printf("  %-20s %.3g\n", "natural map error", r->natural_map_error);
    printf("  %-20s %.3g m/s\n", "certificate", r->certificate);
    printf("  %-20s %.3f ms, and %.3f ms of setup\n", "time", 1e3 * r->seconds, 1e3 * r->setup_seconds);
    printf("  %-20s %s%s%s\n", "converged", r->converged ? c.green : c.red, r->converged ? "yes" : "no", c.off);
}

static bool read_law(const char *text, ph_contact_law *law)
{
    if (strcmp(text, "coulomb") != 0 && strcmp(text, "relaxed") != 0) {
        print_error("--law: '%s' is neither coulomb nor relaxed", text);
        return false;
    }
    *law = strcmp(text, "coulomb") == 0 ? PH_LAW_COULOMB : PH_LAW_RELAXED;
    return true;
}

static int solve_file(const char *path, const fc_step *step, const ph_cone_settings *settings, const char *save,
                      const char *out, bool as_json)
{
    ph_fc_problem *fc = is_model(path) ? load_step(path, step) : load_problem(path);
    ph_error error = {PH_OK, ""};
    if (!fc) {
        return EXIT_USAGE;
    }
    if (save && ph_fc_write_file(fc, save, &error) != PH_OK) {
        print_error("%s", error.text);
        ph_fc_destroy(fc);
        return EXIT_FAILED;
    }
    ph_cone_report report;
    const ph_status status = solve(fc, settings, out, &report, &error);
    if (status != PH_OK) {
        print_error("%s", error.text);
    } else if (as_json) {
        print_json(fc, settings, &report);
    } else {
        print_table(fc, settings, &report);
    }
    if (status == PH_OK && !report.converged) {
        print_error("%s: the errors are %.3g m/s and %.3g, more than %g, after %d iterations", path, report.residual,
                    report.natural_map_error, settings->tolerance, report.iterations);
    }
    ph_fc_destroy(fc);
    return status != PH_OK ? exit_status_of(status) : report.converged ? EXIT_DONE : EXIT_FAILED;
}

int command_fc(int count, char **arguments)
{
    ph_cone_settings settings = ph_default_cone();
    const char *law = "coulomb", *out = NULL, *save = NULL;
    fc_step step = {0};
    bool as_json = false, alone = false;
    settings.measure = PH_CONE_BOTH;
    const option table[] = {
        {"solver", 0, OPTION_TEXT, &settings.solver, "NAME", "apgd, bb, pgs or newton (the default)"},
        {"law", 0, OPTION_TEXT, &law, "LAW", "coulomb (the default) or relaxed"},
        {"tolerance", 0, OPTION_POSITIVE, &settings.tolerance, "X", "of residual and natural map error, 1e-8"},
        {"iterations", 0, OPTION_COUNT, &settings.iterations, "N", "at the most, for each solver"},
        {"no-newton", 0, OPTION_FLAG, &alone, NULL, "leave what the solver has found as it is"},
        {"at", 0, OPTION_POSITIVE, &step.at, "SECONDS", "of a model: the step that begins there, 0 unless given"},
        {"step", 0, OPTION_POSITIVE, &step.length, "SECONDS", "of a model: in place of the length it names (or 1e-3)"},
        {"set", 0, OPTION_LIST, &step.settings, "NAME=VALUE", "of a model: change a parameter or input"},
        {"save", 0, OPTION_TEXT, &save, "FILE.fc",
         "write the problem itself, with points, normals and tangents of a step"},
        {"out", 'o', OPTION_TEXT, &out, "FILE.csv", "write impulses and velocities of all contacts"},
        {"json", 0, OPTION_FLAG, &as_json, NULL, "print one JSON object in place of the table"},
    };
    command_line line = {
        .usage = "fc FILE.fc|MODEL [OPTIONS]",
        .about =
            "Solves a friction problem u = N g + q with its contacts under Coulomb's law, or under the relaxed law\n"
            "that makes it convex. Of a model it is that of one step under moreau. A solver that falls short is followed by newton, unless --no-newton is given.",
        .examples = "  polhode fc stack.fc\n"
                    "  polhode fc stack.fc --solver apgd --law relaxed --tolerance 1e-6 --json\n"
                    "  polhode fc stack.fc --solver pgs --no-newton --out impulses.csv\n"
                    "  polhode fc examples/contact/pyramid.yaml --at 0.5 --save step.fc\n",
        .options = table,
        .option_count = sizeof table / sizeof table[0],
        .least = 1,
        .most = 1,
    };
    const parse_result parsed = options_parse(&line, count, arguments);
    if (parsed != PARSE_DONE) {
        return parsed == PARSE_HELP ? EXIT_DONE : EXIT_USAGE;
    }
    if (!read_law(law, &settings.law)) {
        return EXIT_USAGE;
    }
    settings.finish = !alone;
    return solve_file(line.operands.texts[0], &step, &settings, save, out, as_json);
}
