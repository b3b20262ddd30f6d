// A model from its own text once more, at other values of its parameters.
#include "io/model/again.h"

#include "base/memory.h"
#include "model/model.h"
#include "model/spec.h"

#include <string.h>

int model_settings_split(char *text, ph_setting settings[AGAIN_SETTINGS])
{
    int count = 0;
    for (char *line = text, *end; count < AGAIN_SETTINGS && (end = strchr(line, '\n')); line = end + 1) {
        char *equals = memchr(line, '=', (size_t)(end - line));
        if (!equals) break;
        *end = *equals = '\0';
        settings[count++] = (ph_setting){line, equals + 1};
    }
    return count;
}

static ph_status read_spec(const ph_model *model, const ph_setting *more, int count, arena *memory,
                           ph_problems *problems, ph_spec **spec)
{
    ph_setting settings[2 * AGAIN_SETTINGS];
    char *own = arena_copy_string(memory, model->settings ? model->settings : "");
    if (!own) return PH_OUT_OF_MEMORY;
    const int first = model_settings_split(own, settings);
    for (int k = 0; k < count; k++) settings[first + k] = more[k];
    const ph_status status =
        ph_spec_read_text(model->text, strlen(model->text), model->name, settings, first + count, problems, spec);
    if (status == PH_OK && model->folder) (*spec)->folder = arena_copy_string((*spec)->memory, model->folder);
    return status;
}

ph_status model_spec_again(const ph_model *model, const ph_setting *more, int count, ph_problems *problems,
                           ph_spec **spec)
{
    if (count < 0 || count > AGAIN_SETTINGS) return PH_BAD_ARGUMENT;
    *spec = NULL;
    if (!model->text || !*model->text) return PH_NOT_FOUND;
    arena *memory = arena_create(&model->allocator);
    const ph_status status = memory ? read_spec(model, more, count, memory, problems, spec) : PH_OUT_OF_MEMORY;
    arena_destroy(memory);
    return status;
}

ph_status ph_model_again(const ph_model *model, const ph_setting *more, int count, ph_problems *problems,
                         ph_model **made)
{
    if (!model || !made || count < 0 || count > AGAIN_SETTINGS || (count > 0 && !more)) return PH_BAD_ARGUMENT;
    *made = NULL;
    ph_spec *spec = NULL;
    ph_status status = model_spec_again(model, more, count, problems, &spec);
    if (status == PH_OK) status = ph_model_compile(spec, problems, made);
    ph_spec_destroy(spec);
    return status;
}
