// The archive: description, model, what its shapes are read from, binaries and sources.

#include "io/fmu/fmu.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/path.h"
#include "base/zip.h"
#include "io/model/file.h"
#include "io/model/text.h"
#include "model/fingerprint.h"
#include "model/model.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const uint32_t FMU_COOKIE = 0x756d663f;

ph_fmu_def ph_default_fmu(void)
{
    return (ph_fmu_def){.cookie = FMU_COOKIE, .version = 3, .sources = true};
}

// Where a binary lies in the runtime folder, and in the FMU of either version; NULL: the version has no name for it.
static const struct {
    const char *folder, *ending, *name_2, *name_3;
} platforms[] = {
    {"x86_64-linux", ".so", "linux64", "x86_64-linux"},    {"aarch64-linux", ".so", NULL, "aarch64-linux"},
    {"x86_64-windows", ".dll", "win64", "x86_64-windows"}, {"x86_64-darwin", ".dylib", "darwin64", "x86_64-darwin"},
    {"aarch64-darwin", ".dylib", NULL, "aarch64-darwin"},
};
enum { PLATFORMS = sizeof platforms / sizeof *platforms, PATH = 4096 };

typedef struct writer {
    const ph_model *model;
    const ph_fmu_def *def;
    ph_error *error;
    ph_fmu_report *report;
    fmu_list list;
    zip zip;
    char identifier[64], token[40];
    char *json;    // the model
    char *sources; // names of the sources, one a line; NULL: none
} writer;

// ---- Names ----------------------------------------------------------------------------------------------------------

// A word of C from the name of the model.
static void make_identifier(writer *w)
{
    const char *name = ph_model_name(w->model);
    size_t used = 0;
    for (const char *s = name ? name : ""; *s && used + 2 < sizeof w->identifier; s++) {
        const bool letter = isalpha((unsigned char)*s), digit = isdigit((unsigned char)*s);
        if (used == 0 && !letter) w->identifier[used++] = 'm';
        w->identifier[used++] = letter || digit ? *s : '_';
    }
    w->identifier[used] = '\0';
    if (used == 0) strcpy(w->identifier, "model");
}

// The same model gives the same FMU: its token is a checksum of what it says.
static void make_token(writer *w)
{
    const uint64_t a = bytes_crc(0, w->json, strlen(w->json));
    uint64_t b = model_fingerprint(w->model);
    for (int i = 0; i < w->list.count; i++) {
        b = bytes_crc(b, w->list.variables[i].name, strlen(w->list.variables[i].name));
        b = bytes_crc(b, w->list.variables[i].inner, strlen(w->list.variables[i].inner));
        b = bytes_crc(b, &w->list.variables[i].start, sizeof(double));
    }
    snprintf(w->token, sizeof w->token, "{%08x-%04x-%04x-%04x-%04x%08x}", (unsigned)(a >> 32),
             (unsigned)(a >> 16 & 0xffff), (unsigned)(a & 0xffff), (unsigned)(b >> 48), (unsigned)(b >> 32 & 0xffff),
             (unsigned)b);
}

// ---- Files ----------------------------------------------------------------------------------------------------------

// Adds the file at `path`, if there is one, under `name`. False: there is none.
static bool add_file(writer *w, const char *path, const char *name)
{
    char *bytes = NULL;
    size_t length = 0;
    if (w->zip.status != PH_OK || file_load(path, NULL, &bytes, &length) != PH_OK) return false;
    zip_add(&w->zip, name, bytes, length);
    mem_free(NULL, bytes);
    return true;
}

static void add_text(writer *w, const char *name, void (*put)(page_text *, const fmu_list *, const fmu_about *))
{
    page_text t = {0};
    const fmu_about about = {w->identifier, w->token, w->sources};
    put(&t, &w->list, &about);
    if (t.failed) w->zip.status = error_set(w->error, PH_OUT_OF_MEMORY, "out of memory");
    zip_add(&w->zip, name, t.data, t.length);
    page_text_free(&t);
}

static void put_build(page_text *t, const fmu_list *list, const fmu_about *about)
{
    (void)list;
    fmu_describe_build(t, about);
}

static void add_variables(writer *w)
{
    page_text t = {0};
    fmu_put_variables(&t, &w->list, w->token, w->model->settings);
    if (t.failed) w->zip.status = error_set(w->error, PH_OUT_OF_MEMORY, "out of memory");
    zip_add(&w->zip, "resources/variables.txt", t.data, t.length);
    page_text_free(&t);
}

// Files of shapes lie below the model's folder and are named relative to it: so they do in the FMU.
static bool add_shape_file(writer *w, const char *file)
{
    char path[PATH], name[PATH];
    snprintf(name, sizeof name, "resources/%s", file);
    for (int i = 0; i < w->zip.count; i++) {
        if (strcmp(w->zip.entries[i].name, name) == 0) return true;
    }
    if (path_is_absolute(file) || strstr(file, "..")) {
        w->zip.status = error_set(
            w->error, PH_NOT_SUPPORTED,
            "the shape file '%.200s' lies outside the model's folder: an FMU takes along what lies in it", file);
        return false;
    }
    snprintf(path, sizeof path, "%s/%s", w->model->folder ? w->model->folder : ".", file);
    if (add_file(w, path, name)) return true;
    if (w->zip.status == PH_OK) {
        w->zip.status = error_set(w->error, PH_NOT_FOUND, "the shape file '%.200s' cannot be read", file);
    }
    return false;
}

static void add_shape_files(writer *w)
{
    for (int i = 0; i < w->model->body_count; i++) {
        const body_kind *kind = w->model->bodies[i].kind;
        for (int k = 0; k < kind->shape_count; k++) {
            const char *file = kind->shapes[k].file;
            if (file && *file && strstr(w->json, file) && !add_shape_file(w, file)) return;
        }
    }
}

static void add_binaries(writer *w)
{
    for (int k = 0; k < PLATFORMS; k++) {
        char path[PATH], name[PATH];
        const char *to = w->def->version == 2 ? platforms[k].name_2 : platforms[k].name_3;
        if (!to) continue;
        snprintf(path, sizeof path, "%s/binaries/%s/polhode%s", w->def->runtime, platforms[k].folder,
                 platforms[k].ending);
        snprintf(name, sizeof name, "binaries/%s/%s%s", to, w->identifier, platforms[k].ending);
        w->report->binaries += add_file(w, path, name);
    }
}

static void add_sources(writer *w)
{
    for (const char *s = w->sources; s && *s && w->zip.status == PH_OK;) {
        char path[PATH], name[PATH];
        const int length = (int)strcspn(s, "\n");
        snprintf(path, sizeof path, "%s/sources/%.*s", w->def->runtime, length, s);
        snprintf(name, sizeof name, "sources/%.*s", length, s);
        w->report->source_files += length > 0 && add_file(w, path, name);
        s += length + (s[length] == '\n');
    }
}

// ---- The whole ------------------------------------------------------------------------------------------------------

static bool has_callbacks(const ph_model *model)
{
    for (int i = 0; i < model->element_count; i++) {
        if (model->forces[i].callback) return true;
    }
    return false;
}

static ph_status check(const ph_model *model, const char *path, const ph_fmu_def *def, ph_error *error)
{
    if (!model || !path || !def || def->cookie != FMU_COOKIE || !def->runtime) {
        return error_set(error, PH_BAD_ARGUMENT,
                         "ph_fmu_write needs a model, a path, a definition of ph_default_fmu and a runtime folder");
    }
    if (def->version != 2 && def->version != 3) {
        return error_set(error, PH_BAD_ARGUMENT, "version %d of the interface is not written: 2 and 3 are",
                         def->version);
    }
    if (has_callbacks(model)) {
        return error_set(error, PH_NOT_SUPPORTED,
                         "the model has forces that a program computes: an FMU holds what a model file can say");
    }
    if (!model->text || !*model->text) {
        return error_set(
            error, PH_NOT_FOUND,
            "the model was built by calls and has no text: ph_spec_describe gives it one before it is compiled");
    }
    return PH_OK;
}

static ph_status prepare(writer *w)
{
    ph_status status = fmu_list_make(&w->list, w->model, w->def, w->error);
    if (status == PH_OK) {
        ph_sim_def chosen = ph_default_sim();
        ph_sim *made = NULL;
        chosen.scheme = w->list.scheme;
        status = ph_sim_create(w->model, &chosen, &made, w->error); // so that a wrong scheme is said here
        ph_sim_destroy(made);
    }
    if (status == PH_OK) status = model_text_to_json(w->model->text, &w->json, w->error);
    if (status != PH_OK) return status;
    char path[PATH];
    size_t length;
    snprintf(path, sizeof path, "%s/sources.txt", w->def->runtime);
    if (w->def->sources && file_load(path, NULL, &w->sources, &length) == PH_OK) {
        char *whole = mem_alloc(NULL, length + 1);
        if (whole) memcpy(whole, w->sources, length);
        mem_free(NULL, w->sources);
        w->sources = whole;
    }
    make_identifier(w);
    make_token(w);
    return PH_OK;
}

static ph_status fill(writer *w, output_file *file)
{
    zip_open(&w->zip, file, w->error);
    add_text(w, "modelDescription.xml", w->def->version == 2 ? fmu_describe_2 : fmu_describe_3);
    add_variables(w);
    zip_add(&w->zip, "resources/model.json", w->json, strlen(w->json));
    add_shape_files(w);
    add_binaries(w);
    if (w->zip.status == PH_OK && w->report->binaries == 0) {
        w->zip.status = error_set(w->error, PH_NOT_FOUND, "there is no binary for an FMU in '%.300s'", w->def->runtime);
    }
    add_sources(w);
    if (w->sources && w->def->version == 3) add_text(w, "sources/buildDescription.xml", put_build);
    return zip_close(&w->zip);
}

static void count_variables(writer *w)
{
    for (int i = 0; i < w->list.count; i++) {
        const fmu_variable *v = &w->list.variables[i];
        w->report->parameters += v->kind == FMU_PARAMETER;
        w->report->inputs += v->kind == FMU_INPUT;
        w->report->outputs += fmu_is_output(v);
    }
}

ph_status ph_fmu_write(const ph_model *model, const char *path, const ph_fmu_def *def, ph_fmu_report *report,
                       ph_error *error)
{
    ph_fmu_report own;
    writer w = {.model = model, .def = def, .error = error, .report = report ? report : &own};
    *w.report = (ph_fmu_report){0};
    ph_status status = check(model, path, def, error);
    if (status == PH_OK) status = prepare(&w);
    output_file file;
    if (status == PH_OK && (status = output_file_open(&file, path, false, error)) == PH_OK) {
        status = fill(&w, &file);
        w.report->bytes = file.length;
        status = status == PH_OK ? output_file_publish(&file, error) : status;
        const ph_status closed = output_file_close(&file, status == PH_OK ? error : NULL);
        status = status == PH_OK ? closed : status;
        count_variables(&w);
    }
    fmu_list_free(&w.list);
    mem_free(NULL, w.json);
    mem_free(NULL, w.sources);
    return status;
}
