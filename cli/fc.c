// polhode fc: solve one friction problem of a file.

#include "commands.h"
#include "json.h"
#include "load.h"
#include "options.h"
#include "terminal.h"

#include "polhode/cone.h"

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

static ph_status solve(const ph_fc_problem *fc, const ph_cone_settings *settings, ph_cone_report *report,
                       ph_error *error)
{
    const ph_cone_problem problem = {fc->contacts, fc->cones, fc->q, ph_cone_matrix_operator(fc->matrix)};
    ph_cone_workspace *workspace = ph_cone_workspace_create(NULL);
    double *g = calloc(3 * (size_t)fc->contacts + 1, sizeof *g);
    ph_status status = PH_OUT_OF_MEMORY;
    if (workspace && g) {
        status = ph_cone_solve(workspace, &problem, settings, g, NULL, report, error);
    } else {
        snprintf(error->text, sizeof error->text, "%s", ph_status_text(status));
    }
    ph_cone_workspace_destroy(workspace);
    free(g);
    return status;
}

static void print_json(const ph_fc_problem *fc, const ph_cone_settings *settings, const ph_cone_report *r)
{
    json j = {.file = stdout};
    json_object(&j, NULL);
    json_integer(&j, "contacts", fc->contacts);
    json_string(&j, "law", settings->law == PH_LAW_COULOMB ? "coulomb" : "relaxed");
    json_string(&j, "solver", r->solver);
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
    printf("  %-20s %s%s\n", "solver", r->solver, strcmp(r->solver, settings->solver) ? " (took over)" : "");
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

static int solve_file(const char *path, const ph_cone_settings *settings, bool as_json)
{
    ph_fc_problem *fc = load_problem(path);
    if (!fc) {
        return EXIT_USAGE;
    }
    ph_error error = {PH_OK, ""};
    ph_cone_report report;
    const ph_status status = solve(fc, settings, &report, &error);
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
    const char *law = "coulomb";
    bool as_json = false;
    settings.measure = PH_CONE_BOTH;
    const option table[] = {
        {"solver", 0, OPTION_TEXT, &settings.solver, "NAME", "apgd, bb, pgs or newton (the default)"},
        {"law", 0, OPTION_TEXT, &law, "LAW", "coulomb (the default) or relaxed"},
        {"tolerance", 0, OPTION_POSITIVE, &settings.tolerance, "X", "of residual and natural map error, 1e-8"},
        {"iterations", 0, OPTION_COUNT, &settings.iterations, "N", "at the most, for each solver"},
        {"json", 0, OPTION_FLAG, &as_json, NULL, "print one JSON object in place of the table"},
    };
    command_line line = {
        .usage = "fc FILE.fc [OPTIONS]",
        .about =
            "Solves a friction problem u = N g + q with its contacts under Coulomb's law, or under the relaxed law\n"
            "that makes it convex. A solver that falls short is followed by newton.",
        .examples = "  polhode fc stack.fc\n"
                    "  polhode fc stack.fc --solver apgd --law relaxed --tolerance 1e-6 --json\n",
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
    return solve_file(line.operands.texts[0], &settings, as_json);
}
