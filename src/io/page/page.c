// The web page: the built viewer (viewer/dist/page.html) with the results put in at its mark.

#include "polhode/page.h"

#include "base/file.h"
#include "io/page/motion.h"
#include "io/page/parts.h"
#include "io/page/scene.h"
#include "io/page/template.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"

#include <string.h>

static const uint32_t PAGE_COOKIE = 0x70616765u;

ph_page_def ph_default_page(void)
{
    return (ph_page_def){.cookie = PAGE_COOKIE, .most_bytes = 15e6};
}

bool ph_page_supported(void)
{
#if defined PH_WITH_ZLIB && defined PH_WITH_HDF5
    return true;
#else
    return false;
#endif
}

#ifdef PH_WITH_ZLIB

enum { PAGE_VERSION = 1, TEXT_MOST = 200000 }; // longer model texts stay in the result

// ---- Template -------------------------------------------------------------------------------------------------------

size_t page_find_last(const char *text, size_t length, const char *mark)
{
    const size_t size = strlen(mark);
    for (size_t i = length; i-- > 0;) {
        if (i + size <= length && memcmp(text + i, mark, size) == 0) {
            return i;
        }
    }
    return length;
}

// ---- Description ----------------------------------------------------------------------------------------------------

void page_put_head(page_text *t)
{
    put_text(t, "<script type=\"application/json\" id=\"polhode-meta\">{");
    put_string_member(t, "format", "polhode page");
    put_number_member(t, "version", PAGE_VERSION);
    put_string_member(t, "program", ph_version());
}

void page_put_common(page_text *t, const char *file, const char *name, const char *scheme, double step)
{
    put_text(t, "{");
    put_string_member(t, "file", file);
    put_string_member(t, "name", name);
    put_string_member(t, "scheme", scheme);
    put_number_member(t, "step", step);
}

static const char *last_part(const char *path)
{
    const char *slash = path_last_slash(path);
    return slash ? slash + 1 : path;
}

// A result whose model cannot be made again is shown without shapes.
static void put_scene_of(page_text *t, page_motion *m)
{
    ph_model *model = NULL;
    const ph_status status = ph_result_model(m->result, NULL, &model, NULL);
    m->has_shapes = status == PH_OK && ph_model_bodies(model) == ph_result_bodies(m->result);
    if (m->has_shapes) {
        put_scene(t, model);
    } else {
        put_bare_scene(t, m->result);
    }
    ph_model_destroy(model);
}

// A hundred thousand bodies are 30 MB of JSON and a fiftieth of it deflated.
static ph_status pack_scene(page_motion *m, ph_error *error)
{
    page_text json = {0};
    const unsigned char *bytes;
    size_t count;
    put_scene_of(&json, m);
    page_stream *stream = page_stream_create();
    if (stream && !json.failed) {
        page_stream_add_bytes(stream, json.data, json.length);
        if (page_stream_finish(stream, &bytes, &count)) {
            put_base64(&m->scene, bytes, count);
        }
    }
    page_stream_destroy(stream);
    page_text_free(&json);
    const bool good = m->scene.length > 0 && !m->scene.failed;
    return good ? PH_OK : error_set(error, PH_OUT_OF_MEMORY, "out of memory");
}

static void put_notes(page_text *t, const page_motion *m)
{
    put_key(t, "notes");
    put_raw(t, m->notes.data, m->notes.length - 1);
    if (!m->has_shapes) {
        put_text(t, m->notes.length > 2 ? "," : "");
        put_json_string(t, "without shapes: the result holds no model, or files of its shapes are not beside it");
    }
    put_text(t, "]");
}

static void put_result(page_text *t, const page_motion *m)
{
    const ph_result *r = m->result;
    const char *text = ph_result_text(r);
    page_put_common(t, last_part(ph_result_path(r)), ph_result_name(r), ph_result_scheme(r), ph_result_step(r));
    if (text && strlen(text) < TEXT_MOST) {
        put_string_member(t, "text", text);
    }
    put_key(t, "fields");
    put_raw(t, m->fields.data, m->fields.length);
    put_notes(t, m);
    if (m->stressed.length > 0) {
        put_key(t, "stress_bodies");
        put_raw(t, m->stressed.data, m->stressed.length);
    }
    put_text(t, "}");
}

static void begin_data(page_text *t, const char *kind, int index)
{
    put_text(t, "<script type=\"text/plain\" id=\"polhode-");
    put_text(t, kind);
    put_text(t, "-");
    put_number(t, index, 9);
    put_text(t, "\">");
}

static void put_data(page_text *t, const page_motion *m, int index)
{
    begin_data(t, "scene", index);
    put_raw(t, m->scene.data, m->scene.length);
    put_text(t, "</script>");
    begin_data(t, "data", index);
    put_base64(t, m->bytes, m->count);
    put_text(t, "</script>");
}

// ---- Results --------------------------------------------------------------------------------------------------------

ph_status page_write_file(const char *path, const page_text *page, ph_error *error)
{
    output_file file;
    ph_status status = output_file_open(&file, path, true, error);
    if (status != PH_OK) {
        return status;
    }
    status = output_file_append(&file, page->data, page->length, error);
    if (status == PH_OK) {
        status = output_file_publish(&file, error);
    }
    const ph_status closed = output_file_close(&file, status == PH_OK ? error : NULL);
    return status != PH_OK ? status : closed;
}

// The template with the data at its mark; false when out of memory.
bool page_put_around(page_text *page, const page_text *data)
{
    size_t length;
    const char *text = page_template(&length);
    const size_t at = page_find_last(text, length, PAGE_MARK);
    page_text_reserve(page, length + data->length);
    put_raw(page, text, at);
    put_raw(page, data->data, data->length);
    put_raw(page, text + at, length - at);
    return !page->failed && !data->failed;
}

static ph_status make_page(const page_motion *motions, int count, page_text *page, ph_error *error)
{
    page_text data = {0};
    page_put_head(&data);
    put_text(&data, ",\"results\":[");
    for (int i = 0; i < count; i++) {
        put_text(&data, i ? "," : "");
        put_result(&data, &motions[i]);
    }
    put_text(&data, "]}</script>");
    for (int i = 0; i < count; i++) {
        put_data(&data, &motions[i], i);
    }
    const bool good = page_put_around(page, &data);
    page_text_free(&data);
    return good ? PH_OK : error_set(error, PH_OUT_OF_MEMORY, "out of memory");
}

static double weight_of(const ph_result *result)
{
    return (double)ph_result_rows(result) * (double)(ph_result_bodies(result) + 1);
}

static ph_status open_all(const ph_page_def *def, page_motion *motions, ph_error *error)
{
    ph_status status = PH_OK;
    for (int i = 0; status == PH_OK && i < def->result_count; i++) {
        status = ph_result_open(def->results[i], &motions[i].result, error);
        if (status == PH_OK) {
            status = ph_result_allow_folder(motions[i].result, def->folder, error);
        }
        if (status == PH_OK) {
            status = pack_scene(&motions[i], error);
        }
    }
    return status;
}

// Each result gets its share of the room by its size.
static ph_status pack_all(const ph_page_def *def, page_motion *motions, ph_error *error)
{
    size_t length;
    page_template(&length);
    double room = def->most_bytes - (double)length;
    double all = 0.0;
    for (int i = 0; i < def->result_count; i++) {
        room -= (double)motions[i].scene.length;
        all += weight_of(motions[i].result);
    }
    ph_status status = PH_OK;
    for (int i = 0; status == PH_OK && i < def->result_count; i++) {
        const double share = all > 0.0 ? weight_of(motions[i].result) / all : 1.0;
        status = page_motion_pack(&motions[i], 0.97 * room * share, error);
    }
    return status;
}

static void fill_report(const page_motion *motions, int count, const page_text *page, ph_page_report *report)
{
    *report = (ph_page_report){.bytes = (long long)page->length, .stride = 1};
    for (int i = 0; i < count; i++) {
        report->stride = motions[i].stride > report->stride ? motions[i].stride : report->stride;
        report->bare += !motions[i].has_shapes && *ph_result_text(motions[i].result);
    }
}

ph_status ph_page_write(const char *path, const ph_page_def *def, ph_page_report *report, ph_error *error)
{
    if (!path || !def || def->cookie != PAGE_COOKIE || def->result_count < 1 || !def->results) {
        return error_set(error, PH_BAD_ARGUMENT, "a page needs a path and at least one result");
    }
    page_motion *motions = mem_alloc_array(NULL, (size_t)def->result_count, sizeof *motions);
    page_text page = {0};
    ph_status status = motions ? open_all(def, motions, error) : error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    if (status == PH_OK) {
        status = pack_all(def, motions, error);
    }
    if (status == PH_OK) {
        status = make_page(motions, def->result_count, &page, error);
    }
    if (status == PH_OK) {
        status = page_write_file(path, &page, error);
    }
    if (status == PH_OK && report) {
        fill_report(motions, def->result_count, &page, report);
    }
    for (int i = 0; motions && i < def->result_count; i++) {
        page_motion_free(&motions[i]);
    }
    mem_free(NULL, motions);
    page_text_free(&page);
    return status;
}

// ---- Live -----------------------------------------------------------------------------------------------------------

ph_status ph_page_live(const ph_model *model, const char *scheme, double step, const char *token, char **text,
                       size_t *length, ph_error *error)
{
    if (!model || !scheme || !token || !text || !length) {
        return error_set(error, PH_BAD_ARGUMENT,
                         "ph_page_live needs a model, a scheme, a token and a place for the page");
    }
    *text = NULL;
    *length = 0;
    page_text data = {0}, page = {0};
    page_put_head(&data);
    put_text(&data, ",\"live\":true");
    put_string_member(&data, "token", token);
    put_text(&data, ",\"results\":[");
    page_put_common(&data, "", ph_model_name(model), scheme, step);
    put_key(&data, "scene");
    put_scene(&data, model);
    put_text(&data, ",\"notes\":[],\"fields\":[]}]}</script>");
    const bool good = page_put_around(&page, &data);
    page_text_free(&data);
    if (!good) {
        page_text_free(&page);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    *text = page.data;
    *length = page.length;
    return PH_OK;
}

#else

ph_status ph_page_write(const char *path, const ph_page_def *def, ph_page_report *report, ph_error *error)
{
    (void)path, (void)def, (void)report;
    return error_set(error, PH_NOT_SUPPORTED, "this build cannot write pages: it was made without zlib");
}

ph_status ph_page_live(const ph_model *model, const char *scheme, double step, const char *token, char **text,
                       size_t *length, ph_error *error)
{
    (void)model, (void)scheme, (void)step, (void)token;
    if (text) *text = NULL;
    if (length) *length = 0;
    return error_set(error, PH_NOT_SUPPORTED, "this build has no live page: it was made without zlib");
}

#endif

void ph_page_free(char *text)
{
    mem_free(NULL, text);
}
