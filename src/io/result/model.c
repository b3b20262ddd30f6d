// The model of a result, made again from its text. Files that the text names are read from the folder of the result, or below
// it, alone: where the result says they are is a word of its author, who may be anybody. See ph_result_allow_folder.

#include "io/result/read.h"

#include "base/error.h"
#include "model/shape_file.h"
#include "model/spec.h"

#include <string.h>

static int count_lines(const char *text)
{
    int count = 0;
    for (; (text = strchr(text, '\n')); text++) {
        count++;
    }
    return count;
}

// Cuts the text into its lines and these at the '='. Returns how many there are, or -1.
static int split_settings(char *text, ph_setting *settings)
{
    int count = 0;
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        char *equals = memchr(line, '=', (size_t)(end - line));
        if (!equals) {
            return -1;
        }
        *end = *equals = '\0';
        settings[count++] = (ph_setting){line, equals + 1};
    }
    return count;
}

// Where the files of the model were, if that place may be read; else the folder that is allowed, or that of the result.
static const char *folder_of_files(const ph_result *result, const char *own)
{
    const char *allowed = result->allowed;
    if (*result->folder && (lies_below(result->folder, own) || (allowed && lies_below(result->folder, allowed)))) {
        return result->folder;
    }
    return allowed ? allowed : own;
}

static ph_status read_model(const ph_result *result, arena *memory, ph_problems *problems, ph_model **model)
{
    ph_setting *settings = arena_alloc_array(memory, (size_t)count_lines(result->settings), sizeof *settings);
    char *text = arena_copy_string(memory, result->settings);
    const int count = settings && text ? split_settings(text, settings) : 0;
    if (!settings || !text || count < 0) {
        return count < 0 ? PH_BAD_MODEL : PH_OUT_OF_MEMORY;
    }
    ph_spec *spec;
    ph_status status =
        ph_spec_read_text(result->text, strlen(result->text), result->path, settings, count, problems, &spec);
    if (status == PH_OK) {
        spec->folder = folder_of_files(result, spec->folder);
        status = ph_model_compile(spec, problems, model);
        ph_spec_destroy(spec);
    }
    return status;
}

ph_status ph_result_model(const ph_result *result, ph_problems *problems, ph_model **model, ph_error *error)
{
    if (!result || !model) {
        return error_set(error, PH_BAD_ARGUMENT, "ph_result_model needs a result and a place for the model");
    }
    *model = NULL;
    if (!*result->text) {
        return error_set(error, PH_NOT_FOUND, "'%s' holds no model", result->path);
    }
    arena *memory = arena_create(NULL);
    const ph_status status = memory ? read_model(result, memory, problems, model) : PH_OUT_OF_MEMORY;
    arena_destroy(memory);
    if (status != PH_OK) {
        return error_set(error, status, "the model in '%s' cannot be read: %s%s%s", result->path,
                         ph_status_text(status), *result->folder ? "; files of its shapes were in " : "",
                         result->folder);
    }
    if (ph_model_bodies(*model) != result->body_count || ph_model_joints(*model) != result->joint_count) {
        ph_model_destroy(*model);
        *model = NULL;
        return error_set(error, PH_BAD_ARGUMENT, "'%s' is damaged: its model has other bodies or joints than its rows",
                         result->path);
    }
    return PH_OK;
}

ph_status ph_result_allow_folder(ph_result *result, const char *folder, ph_error *error)
{
    if (!result) {
        return error_set(error, PH_BAD_ARGUMENT, "ph_result_allow_folder needs a result");
    }
    const char *copy = folder ? arena_copy_string(result->memory, *folder ? folder : ".") : NULL;
    if (folder && !copy) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    result->allowed = copy;
    return PH_OK;
}
