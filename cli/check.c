// polhode check: look for mistakes in model files.

#include "commands.h"
#include "json.h"
#include "load.h"
#include "options.h"
#include "terminal.h"

#include "polhode/polhode.h"

// A model is good when the scheme it names takes it.
static bool check_scheme(const ph_model *model, bool allow_overlap, ph_error *error)
{
    const ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    const ph_status status = ph_sim_create(model, &def, &sim, error);
    ph_sim_destroy(sim);
    if (status != PH_OK || allow_overlap) return status == PH_OK;
    ph_state *state = ph_state_create(model);
    const ph_status apart = state ? ph_check_overlaps(model, state, error) : PH_OUT_OF_MEMORY;
    if (!state) snprintf(error->text, sizeof error->text, "%s", ph_status_text(apart));
    ph_state_destroy(state);
    return apart == PH_OK;
}

static bool check_model(const char *path, const text_list *settings, bool quiet, bool allow_overlap)
{
    ph_model *model = load_model(path, settings);
    ph_error error;
    if (!model) return false;
    const bool good = check_scheme(model, allow_overlap, &error);
    if (!good) {
        print_error("%s: %s", path, error.text);
    } else if (!quiet) {
        const int bodies = ph_model_bodies(model), joints = ph_model_joints(model), freedoms = ph_model_freedoms(model);
        printf("%s: ok: %d %s, %d %s, %d %s of freedom\n", path, bodies, bodies == 1 ? "body" : "bodies", joints,
               joints == 1 ? "joint" : "joints", freedoms, freedoms == 1 ? "degree" : "degrees");
    }
    ph_model_destroy(model);
    return good;
}

// ---- For programs ---------------------------------------------------------------------------------------------------

static void json_problem(json *j, const ph_problem *p)
{
    static const char *const words[] = {[PH_NOTE] = "note", [PH_WARNING] = "warning", [PH_ERROR] = "error"};
    json_object(j, NULL);
    json_string(j, "severity", words[p->severity]);
    json_integer(j, "line", p->line);
    json_integer(j, "column", p->column);
    json_string(j, "path", p->path);
    json_string(j, "text", p->text);
    json_string(j, "hint", p->hint);
    json_end_object(j);
}

static bool json_model(json *j, const char *path, const text_list *settings, bool allow_overlap)
{
    ph_problems *problems = ph_problems_create();
    ph_model *model = load_model_collecting(path, settings, problems);
    ph_error error;
    const bool good = model && check_scheme(model, allow_overlap, &error);
    json_object(j, NULL);
    json_string(j, "file", path);
    json_bool(j, "ok", good);
    if (model) {
        json_integer(j, "bodies", ph_model_bodies(model));
        json_integer(j, "joints", ph_model_joints(model));
        json_integer(j, "freedoms", ph_model_freedoms(model));
    }
    json_array(j, "problems");
    for (int i = 0; i < ph_problems_count(problems); i++) json_problem(j, ph_problems_get(problems, i));
    if (model && !good) json_problem(j, &(ph_problem){.severity = PH_ERROR, .path = "run.scheme", .text = error.text});
    json_end_array(j);
    json_end_object(j);
    ph_model_destroy(model);
    ph_problems_destroy(problems);
    return good;
}

static bool print_json(const text_list *paths, const text_list *settings, bool allow_overlap)
{
    json j = {.file = stdout};
    bool good = true;
    json_object(&j, NULL);
    json_array(&j, "models");
    for (int i = 0; i < paths->count; i++) good = json_model(&j, paths->texts[i], settings, allow_overlap) && good;
    json_end_array(&j);
    json_close(&j);
    return good;
}

int command_check(int count, char **arguments)
{
    text_list settings = {0};
    bool quiet = false, as_json = false, allow_overlap = false;
    const option table[] = {
        MODEL_OPTIONS(&settings),
        {"json", 0, OPTION_FLAG, &as_json, NULL, "print one JSON object with all mistakes"},
        {"allow-overlap", 0, OPTION_FLAG, &allow_overlap, NULL, "do not mind bodies that begin deep in each other"},
        {"quiet", 'q', OPTION_FLAG, &quiet, NULL, "print mistakes only"},
    };
    command_line line = {
        .usage = "check MODEL... [OPTIONS]",
        .about = "Reads and compiles model files and reports every mistake with its place. Simulates nothing.",
        .examples = "  polhode check pendulum.yaml\n"
                    "  polhode check examples/*.yaml\n"
                    "  polhode check pendulum.yaml --json\n",
        .options = table,
        .option_count = sizeof table / sizeof table[0],
        .least = 1,
        .most = TEXT_LIST_MAX,
    };
    const parse_result parsed = options_parse(&line, count, arguments);
    if (parsed != PARSE_DONE) return parsed == PARSE_HELP ? EXIT_DONE : EXIT_USAGE;
    bool good = !as_json || print_json(&line.operands, &settings, allow_overlap);
    for (int i = 0; !as_json && i < line.operands.count; i++)
        good = check_model(line.operands.texts[i], &settings, quiet, allow_overlap) && good;
    return good ? EXIT_DONE : EXIT_USAGE;
}
