// The page that simulates: the built viewer, the core as WebAssembly, the model as JSON and what its shapes are read from.

#include "polhode/page.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"
#include "io/model/file.h"
#include "io/model/text.h"
#include "io/page/parts.h"
#include "model/model.h"
#include "polhode/io.h"

#include <stdio.h>
#include <string.h>

static const uint32_t SIMULATOR_COOKIE = 0x73696d70u;

ph_page_simulator ph_default_simulator(void)
{
    return (ph_page_simulator){.cookie = SIMULATOR_COOKIE};
}

#ifdef PH_WITH_ZLIB

typedef struct writer {
    const ph_model *model;
    const ph_page_simulator *def;
    ph_error *error;
    char *json;
    page_text data, names;
    int files;
    ph_status status;
} writer;

// ---- The model ------------------------------------------------------------------------------------------------------

static ph_status make_json(writer *w)
{
    if (!w->model->text || !*w->model->text) {
        return error_set(w->error, PH_NOT_FOUND,
                         "the model was built by calls and has no text: ph_spec_describe gives it one");
    }
    return model_text_to_json(w->model->text, &w->json, w->error);
}

// ---- What is in the page --------------------------------------------------------------------------------------------

static void put_file(writer *w, const char *id, const char *path, const char *what)
{
    char *bytes = NULL;
    size_t count;
    if (w->status != PH_OK) return;
    w->status = file_load(path, NULL, &bytes, &count);
    if (w->status == PH_OK) {
        page_put_packed(&w->data, id, bytes, count);
    } else {
        error_set(w->error, w->status, "%s '%.300s' cannot be read", what, path);
    }
    mem_free(NULL, bytes);
}

static bool is_listed(const writer *w, const char *quoted)
{
    return w->names.data && strstr(w->names.data, quoted);
}

// Each file once. Its name is kept as the model has it.
static void put_shape_file(writer *w, const char *file)
{
    char path[4096], id[32];
    page_text quoted = {0};
    put_json_string(&quoted, file);
    put_raw(&quoted, "", 1);
    if (!quoted.failed && !is_listed(w, quoted.data)) {
        const char *folder = w->model->folder && !path_is_absolute(file) ? w->model->folder : NULL;
        snprintf(path, sizeof path, "%s%s%s", folder ? folder : "", folder ? "/" : "", file);
        snprintf(id, sizeof id, "file-%d", w->files);
        if (w->files > 0) w->names.data[--w->names.length] = '\0'; // the zero that ends it
        if (w->files++ > 0) put_text(&w->names, ",");
        put_raw(&w->names, quoted.data, strlen(quoted.data) + 1);
        put_file(w, id, path, "the shape file");
    }
    page_text_free(&quoted);
}

static void put_shape_files(writer *w)
{
    for (int i = 0; i < w->model->body_count; i++) {
        const body_kind *kind = w->model->bodies[i].kind;
        for (int k = 0; k < kind->shape_count && w->status == PH_OK; k++) {
            if (kind->shapes[k].file && *kind->shapes[k].file) put_shape_file(w, kind->shapes[k].file);
        }
    }
}

static void put_meta(writer *w, page_text *t)
{
    const ph_run_settings *run = ph_model_run_settings(w->model);
    const char *scheme = w->def->scheme ? w->def->scheme : run->scheme ? run->scheme : "rattlie";
    page_put_head(t);
    put_text(t, ",\"simulates\":true");
    put_string_member(t, "settings", w->model->settings ? w->model->settings : "");
    put_key(t, "files");
    put_text(t, "[");
    if (w->names.data) put_text(t, w->names.data);
    put_text(t, "],\"results\":[");
    page_put_common(t, "", ph_model_name(w->model), scheme, w->def->step > 0.0 ? w->def->step : run->step);
    put_key(t, "notes");
    put_text(t, "[]");
    put_text(t, ",\"fields\":[]}]}</script>");
}

static ph_status fill(writer *w, page_text *page)
{
    page_text head = {0};
    page_put_packed(&w->data, "model", w->json, strlen(w->json));
    put_shape_files(w);
    put_file(w, "core", w->def->core, "the core");
    put_meta(w, &head);
    put_raw(&head, w->data.data, w->data.length);
    head.failed = head.failed || w->data.failed || w->names.failed;
    const bool good = w->status != PH_OK || page_put_around_packed(page, &head);
    page_text_free(&head);
    return good ? w->status : error_set(w->error, PH_OUT_OF_MEMORY, "out of memory");
}

ph_status ph_page_simulate(const char *path, const ph_model *model, const ph_page_simulator *def,
                           ph_page_report *report, ph_error *error)
{
    if (!path || !model || !def || def->cookie != SIMULATOR_COOKIE || !def->core) {
        return error_set(
            error, PH_BAD_ARGUMENT,
            "ph_page_simulate needs a path, a model and a definition of ph_default_simulator with the core");
    }
    for (int i = 0; i < model->element_count; i++) {
        if (model->forces[i].callback) {
            return error_set(error, PH_NOT_SUPPORTED,
                             "the model has forces that a program computes: a page holds what a model file can say");
        }
    }
    writer w = {.model = model, .def = def, .error = error};
    page_text page = {0};
    ph_status status = make_json(&w);
    if (status == PH_OK) status = fill(&w, &page);
    if (status == PH_OK) status = page_write_file(path, &page, error);
    if (report) *report = (ph_page_report){.bytes = (long long)page.length, .stride = 1};
    page_text_free(&page);
    page_text_free(&w.data);
    page_text_free(&w.names);
    mem_free(NULL, w.json);
    return status;
}

#else

ph_status ph_page_simulate(const char *path, const ph_model *model, const ph_page_simulator *def,
                           ph_page_report *report, ph_error *error)
{
    (void)path, (void)model, (void)def, (void)report;
    return error_set(error, PH_NOT_SUPPORTED, "this build cannot write pages: it was made without zlib");
}

#endif
