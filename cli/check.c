// polhode check: look for mistakes in model files.

#include "commands.h"
#include "load.h"
#include "options.h"
#include "terminal.h"

#include "polhode/polhode.h"

// A model is good when the scheme it names takes it.
static bool check_scheme(const ph_model *model, const char *path)
{
    const ph_sim_def def = ph_default_sim();
    ph_error error;
    ph_sim *sim = NULL;
    const ph_status status = ph_sim_create(model, &def, &sim, &error);
    if (status != PH_OK) {
        print_error("%s: %s", path, error.text);
    }
    ph_sim_destroy(sim);
    return status == PH_OK;
}

static bool check_model(const char *path, const text_list *settings, bool quiet)
{
    ph_model *model = load_model(path, settings);
    if (!model) {
        return false;
    }
    const bool good = check_scheme(model, path);
    if (good && !quiet) {
        const int bodies = ph_model_bodies(model), joints = ph_model_joints(model), freedoms = ph_model_freedoms(model);
        printf("%s: ok: %d %s, %d %s, %d %s of freedom\n", path, bodies, bodies == 1 ? "body" : "bodies", joints,
               joints == 1 ? "joint" : "joints", freedoms, freedoms == 1 ? "degree" : "degrees");
    }
    ph_model_destroy(model);
    return good;
}

int command_check(int count, char **arguments)
{
    text_list settings = {0};
    bool quiet = false;
    const option table[] = {
        {"set", 0, OPTION_LIST, &settings, "NAME=VALUE", "change a parameter or input of the model"},
        {"quiet", 'q', OPTION_FLAG, &quiet, NULL, "print mistakes only"},
    };
    command_line line = {
        .usage = "check MODEL... [OPTIONS]",
        .about = "Reads and compiles model files and reports every mistake with its place. Simulates nothing.",
        .examples = "  polhode check pendulum.yaml\n"
                    "  polhode check examples/*.yaml\n",
        .options = table,
        .option_count = sizeof table / sizeof table[0],
        .least = 1,
        .most = TEXT_LIST_MAX,
    };
    const parse_result parsed = options_parse(&line, count, arguments);
    if (parsed != PARSE_DONE) {
        return parsed == PARSE_HELP ? EXIT_DONE : EXIT_USAGE;
    }
    bool good = true;
    for (int i = 0; i < line.operands.count; i++) {
        good = check_model(line.operands.texts[i], &settings, quiet) && good;
    }
    return good ? EXIT_DONE : EXIT_USAGE;
}
