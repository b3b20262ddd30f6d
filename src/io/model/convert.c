// Model files written, and turned from one format into the other: as they are, with their parameters and expressions.
#include "io/model/text.h"

#include "base/error.h"
#include "base/file.h"
#include "base/problems.h"
#include "io/model/file.h"
#include "io/model/reader.h"

#include <string.h>
#include <strings.h>

// ---- Files ----------------------------------------------------------------------------------------------------------

static ph_status write_file(const char *path, const char *text, ph_error *error)
{
    output_file file;
    ph_status status = output_file_open(&file, path, true, error);
    if (status != PH_OK) {
        return status;
    }
    status = output_file_append(&file, text, strlen(text), error);
    status = status == PH_OK ? output_file_publish(&file, error) : status;
    const ph_status closed = output_file_close(&file, status == PH_OK ? error : NULL);
    return status != PH_OK ? status : closed;
}

static bool is_json(const char *path)
{
    const size_t length = strlen(path);
    return length > 5 && strcasecmp(path + length - 5, ".json") == 0;
}

ph_status ph_spec_write_file(ph_spec *spec, const char *path, ph_error *error)
{
    if (!spec || !path) return error_set(error, PH_BAD_ARGUMENT, "ph_spec_write_file needs a spec and a path");
    const char *text;
    const ph_status status = ph_spec_write_text(spec, is_json(path) ? PH_MODEL_JSON : PH_MODEL_YAML, &text, error);
    return status == PH_OK ? write_file(path, text, error) : status;
}

// ---- From one format to the other -----------------------------------------------------------------------------------

// -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)? : what JSON takes for a number.
static bool is_json_number(const char *s)
{
    s += *s == '-';
    const size_t whole = strspn(s, "0123456789");
    if (whole == 0 || (whole > 1 && *s == '0')) {
        return false;
    }
    s += whole;
    if (*s == '.') {
        const size_t digits = strspn(s + 1, "0123456789");
        s += 1 + digits;
        if (digits == 0) {
            return false;
        }
    }
    if (*s == 'e' || *s == 'E') {
        s += 1 + (s[1] == '+' || s[1] == '-');
        const size_t digits = strspn(s, "0123456789");
        s += digits;
        if (digits == 0) {
            return false;
        }
    }
    return *s == '\0';
}

static void put_scalar(model_text *t, const char *key, const node *n)
{
    const bool word = strcmp(n->text, "true") == 0 || strcmp(n->text, "false") == 0;
    if (n->plain && node_is_null(n)) {
        text_word(t, key, "null");
    } else if (n->plain && (word || is_json_number(n->text))) {
        text_word(t, key, n->text);
    } else {
        text_string(t, key, n->text);
    }
}

void text_node(model_text *t, const char *key, const node *n, bool top)
{
    const bool block = top && n->kind == NODE_LIST && n->count > 0 && n->entries[0].value->kind == NODE_MAP;
    if (n->kind == NODE_SCALAR) {
        put_scalar(t, key, n);
        return;
    }
    (block ? text_block : n->kind == NODE_LIST ? text_list : text_map)(t, key);
    for (int i = 0; i < n->count; i++) {
        text_node(t, n->kind == NODE_MAP ? n->entries[i].key->text : NULL, n->entries[i].value, false);
    }
    (block ? text_end_block : n->kind == NODE_LIST ? text_end_list : text_end_map)(t);
}

static bool put_document(model_text *t, document *d, ph_problems *problems)
{
    if (!text_check(d, problems) || !document_parse(d, problems)) {
        return false;
    }
    if (!d->root || d->root->kind != NODE_MAP) {
        problems_add(problems, &(ph_problem){.severity = PH_ERROR, .file = d->name, .text = "this is not a model"});
        return false;
    }
    text_root(t);
    for (int i = 0; i < d->root->count; i++) {
        text_node(t, d->root->entries[i].key->text, d->root->entries[i].value, true);
    }
    text_end_root(t);
    return !t->failed;
}

ph_status ph_model_file_convert(const char *from, const char *to, ph_problems *problems, ph_error *error)
{
    char *text;
    size_t length;
    if (!from || !to) {
        return error_set(error, PH_BAD_ARGUMENT, "a conversion needs a file to read and one to write");
    }
    ph_status status = file_load(from, problems, &text, &length);
    if (status != PH_OK) {
        return error_set(error, status, "'%s' cannot be read", from);
    }
    document *d = document_create(from, text, length);
    mem_free(NULL, text);
    if (!d) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    model_text t = {.json = is_json(to)};
    if (put_document(&t, d, problems)) {
        status = write_file(to, t.text, error);
    } else {
        status = error_set(error, PH_BAD_MODEL, "'%s' has errors", from);
    }
    mem_free(NULL, t.text);
    document_destroy(d);
    return status;
}

ph_status model_text_to_json(const char *text, char **json, ph_error *error)
{
    document *d = document_create("model", text, strlen(text));
    model_text t = {.json = true};
    *json = NULL;
    if (!d) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    const bool put = put_document(&t, d, NULL);
    document_destroy(d);
    if (put) *json = t.text;
    if (!put) mem_free(NULL, t.text);
    return put ? PH_OK : error_set(error, PH_BAD_MODEL, "the text of the model cannot be read");
}
