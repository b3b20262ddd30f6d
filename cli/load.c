// Reading a model, or a result, for a command. See load.h.

#include "load.h"

#include "base/system.h"
#include "commands.h"
#include "model_input.h"
#include "near_file.h"
#include "terminal.h"

#include <stdlib.h>
#include <string.h>

// Splits "name=value" in a copy that the settings point into.
static bool split_setting(const char *text, ph_setting *setting)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1]) {
        print_error("--set: '%s' is not name=value", text);
        return false;
    }
    char *copy = malloc(strlen(text) + 1);
    if (!copy) {
        print_error("%s", ph_status_text(PH_OUT_OF_MEMORY));
        return false;
    }
    strcpy(copy, text);
    copy[equals - text] = '\0';
    *setting = (ph_setting){copy, copy + (equals - text) + 1};
    return true;
}

// Calls `read` with the settings split, and prints what is wrong unless it is collected.
typedef ph_status reader(const char *path, const ph_setting *settings, int count, ph_problems *problems, void *to);

static bool load(const char *path, const text_list *settings, reader *read, void *to, ph_problems *collected)
{
    static const text_list none;
    const text_list *texts = settings ? settings : &none;
    ph_setting split[TEXT_LIST_MAX];
    int count = 0;
    ph_status status = PH_BAD_ARGUMENT;
    if (is_hdf5_file(path)) {
        print_error(
            "'%s' is a result, not a model: 'polhode view %s' shows it, 'polhode plot %s --list' says what is in it",
            path, path, path);
        return false;
    }
    while (count < texts->count && split_setting(texts->texts[count], &split[count])) count++;
    if (count == texts->count) {
        ph_problems *problems = collected ? collected : ph_problems_create();
        status = read(path, split, count, problems, to);
        if (!collected) print_problems(problems);
        if (status != PH_OK && ph_problems_errors(problems) == 0) print_error("%s: %s", path, ph_status_text(status));
        if (status == PH_NOT_FOUND && !collected) hint_near_file(path);
        if (!collected) ph_problems_destroy(problems);
    }
    for (int i = 0; i < count; i++) free((char *)split[i].name);
    return status == PH_OK;
}

static ph_status read_model(const char *path, const ph_setting *settings, int count, ph_problems *problems, void *to)
{
    if (!is_standard_input(path)) return ph_model_read_file(path, settings, count, problems, to);
    ph_spec *spec = NULL;
    ph_status status = read_standard_input(settings, count, problems, &spec);
    if (status == PH_OK) status = ph_model_compile(spec, problems, to);
    ph_spec_destroy(spec);
    return status;
}

static ph_status read_spec(const char *path, const ph_setting *settings, int count, ph_problems *problems, void *to)
{
    return is_standard_input(path) ? read_standard_input(settings, count, problems, to)
                                   : ph_spec_read_file(path, settings, count, problems, to);
}

ph_model *load_model(const char *path, const text_list *settings)
{
    ph_model *model = NULL;
    return load(path, settings, read_model, &model, NULL) ? model : NULL;
}

ph_model *load_model_collecting(const char *path, const text_list *settings, ph_problems *problems)
{
    ph_model *model = NULL;
    return load(path, settings, read_model, &model, problems) ? model : NULL;
}

ph_spec *load_spec(const char *path, const text_list *settings)
{
    ph_spec *spec = NULL;
    return load(path, settings, read_spec, &spec, NULL) ? spec : NULL;
}

int exit_status_of(ph_status status)
{
    switch (status) {
    case PH_OK:
        return EXIT_DONE;
    case PH_BAD_ARGUMENT:
    case PH_BAD_MODEL:
    case PH_NOT_FOUND:
    case PH_NOT_SUPPORTED:
        return EXIT_USAGE;
    case PH_INTERRUPTED:
        return EXIT_INTERRUPTED;
    default:
        return EXIT_FAILED;
    }
}

ph_result *load_result(const char *path)
{
    ph_result *result = NULL;
    ph_error error;
    if (ph_result_open(path, &result, &error) == PH_OK) return result;
    const bool model = is_model_name(path) && system_may(path, SYSTEM_READ);
    if (model) print_error("'%s' is a model, not a result: 'polhode run %s --out motion.h5' makes one", path, path);
    if (!model) print_error("%s", error.text);
    hint_near_file(path);
    return NULL;
}
