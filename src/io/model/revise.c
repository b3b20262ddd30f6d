#include "io/model/revise.h"

#include "io/model/again.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

enum { NUMBER_TEXT = 32 };

struct revision {
    reader *reader;
    arena *memory;  // settings and names
    arena *scratch; // what the last values have made
    ph_setting *settings;
    int first; // of those that vary
    int count;
};

bool revise_is_varying(const reader *r, const char *name)
{
    for (int k = 0; k < r->varying_count; k++) {
        if (strcmp(r->varying[k].name, name) == 0) {
            return true;
        }
    }
    return false;
}

void revise_note(reader *r, int before, revised what)
{
    r->claimed += r->touched - before;
    if (!r->varying_count) {
        return;
    }
    revised *kept = arena_alloc(r->document->memory, sizeof *kept);
    if (!kept) {
        r->out_of_memory = true;
        return;
    }
    *kept = what;
    *(r->last ? &r->last->next : &r->notes) = kept;
    r->last = kept;
}

// ---- Other values ---------------------------------------------------------------------------------------------------

static void set_values(revision *v, const double *values)
{
    reader *r = v->reader;
    for (int k = 0; k < v->count; k++) {
        const ph_setting *s = &v->settings[v->first + k];
        constants *of[] = {&r->parameters, &r->inputs};
        snprintf((char *)s->value, NUMBER_TEXT, "%.17g", values[k]);
        for (int i = 0; i < 2; i++) {
            const int index = names_find(&of[i]->names, s->name);
            if (index >= 0) {
                of[i]->values[index] = (constant){.kind = CONSTANT_NUMBER, .number = values[k], .varies = true};
            }
        }
    }
}

static bool read_again(revision *v)
{
    reader *r = v->reader;
    r->errors = r->told_count = 0;
    r->path[0] = '\0';
    for (const revised *n = r->notes; n && !r->out_of_memory; n = n->next) {
        n->again(r, n);
    }
    for (int i = 0; i < r->inputs.count && i < r->spec->input_count; i++) {
        r->spec->inputs[i].value = r->inputs.values[i].number;
    }
    apply_joint_settings(r);
    return reader_keep_names(r) && !r->out_of_memory;
}

// What notes make lives until the next values: each of them makes it anew.
static bool follow(revision *v, const double *values)
{
    reader *r = v->reader;
    arena *document = r->document->memory, *spec = r->spec->memory, *scratch = arena_create(NULL);
    if (!scratch) {
        return false;
    }
    r->document->memory = r->spec->memory = scratch;
    set_values(v, values);
    const bool done = read_again(v);
    r->document->memory = document;
    r->spec->memory = spec;
    arena_destroy(v->scratch);
    v->scratch = scratch;
    return done;
}

ph_status revision_model(revision *v, const double *values, ph_problems *problems, ph_model **model)
{
    v->reader->problems = problems;
    *model = NULL;
    if (!follow(v, values)) {
        v->reader->out_of_memory = false;
        return PH_OUT_OF_MEMORY;
    }
    return v->reader->errors ? PH_BAD_MODEL : ph_model_compile(v->reader->spec, problems, model);
}

// ---- Life -----------------------------------------------------------------------------------------------------------

// The settings of the model, then those that vary, with room for any number.
static bool keep_settings(revision *v, const ph_model *model, const ph_setting *varying)
{
    v->settings = arena_alloc_array(v->memory, (size_t)(AGAIN_SETTINGS + v->count), sizeof *v->settings);
    char *own = arena_copy_string(v->memory, model->settings ? model->settings : "");
    bool ok = v->settings && own;
    v->first = ok ? model_settings_split(own, v->settings) : 0;
    for (int k = 0; ok && k < v->count; k++) {
        char *text = arena_alloc(v->memory, NUMBER_TEXT);
        const char *name = arena_copy_string(v->memory, varying[k].name);
        ok = text && name && snprintf(text, NUMBER_TEXT, "%s", varying[k].value) < NUMBER_TEXT;
        v->settings[v->first + k] = (ph_setting){name, text};
    }
    return ok;
}

static ph_status start(revision *v, const ph_model *model, const ph_setting *varying, ph_problems *problems)
{
    if (!keep_settings(v, model, varying)) {
        return PH_OUT_OF_MEMORY;
    }
    v->reader = reader_create(v->settings, v->first + v->count, problems);
    if (!v->reader) {
        return PH_OUT_OF_MEMORY;
    }
    v->reader->varying = v->settings + v->first;
    v->reader->varying_count = v->count;
    const ph_status status = reader_read(v->reader, model->text, strlen(model->text), model->name);
    if (status != PH_OK) {
        return status;
    }
    ph_spec *spec = v->reader->spec;
    if (model->folder && !(spec->folder = arena_copy_string(spec->memory, model->folder))) {
        return PH_OUT_OF_MEMORY;
    }
    return v->reader->touched == v->reader->claimed ? PH_OK : PH_NOT_SUPPORTED;
}

void revision_destroy(revision *v)
{
    if (!v) {
        return;
    }
    if (v->reader) {
        ph_spec_destroy(v->reader->spec);
    }
    mem_free(NULL, v->reader);
    arena_destroy(v->scratch);
    arena_destroy(v->memory);
}

bool revision_is_of(const revision *v, const ph_setting *varying, int count)
{
    bool same = v && v->count == count;
    for (int k = 0; same && k < count; k++) {
        same = strcmp(v->settings[v->first + k].name, varying[k].name) == 0;
    }
    return same;
}

ph_status revision_create(const ph_model *model, const ph_setting *varying, int count, ph_problems *problems,
                          revision **made)
{
    arena *memory = arena_create(NULL);
    revision *v = memory ? arena_alloc(memory, sizeof *v) : NULL;
    *made = NULL;
    if (!v) {
        arena_destroy(memory);
        return PH_OUT_OF_MEMORY;
    }
    *v = (revision){.memory = memory, .count = count};
    const ph_status status = model->text && *model->text ? start(v, model, varying, problems) : PH_NOT_FOUND;
    if (status == PH_OK) {
        *made = v;
    } else {
        revision_destroy(v);
    }
    return status;
}
