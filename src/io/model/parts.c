// Parts: a file, a model of `models:`, or elements that stand in the part itself, with parameters, names and a place of
// their own.

#include "io/model/expand.h"

#include "base/path.h"
#include "base/problems.h"
#include "io/model/file.h"
#include "io/model/formula.h"
#include "io/model/revise.h"

#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 16 };

// Keys of a part, beside those of a model. The last has no name.
static const char *const use_keys[] = {"include", "model",    "repeat",      "prefix",
                                       "names",   "position", "orientation", NULL};
static const char *const model_keys[] = {"parameters", "defaults", "models", "parts", NULL};
// Keys of a file that do not count where it is included.
static const char *const idle_keys[] = {"polhode", "name", "gravity", "initial", "record", "run", "contact", NULL};

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words && strcmp(*words, word) != 0) {
        words++;
    }
    return *words;
}

static bool is_element_list(const char *word)
{
    for (int k = 0; k < EXPANSION_LISTS; k++) {
        if (strcmp(element_lists[k], word) == 0) {
            return true;
        }
    }
    return false;
}

static void check_keys(reader *r, const node *n, bool uses, bool models, bool whole_file)
{
    const char *known[32];
    int count = 0;
    for (int k = 0; uses && use_keys[k]; k++) {
        known[count++] = use_keys[k];
    }
    for (int k = 0; model_keys[k]; k++) {
        known[count++] = model_keys[k];
    }
    for (int k = 0; models && k < EXPANSION_LISTS; k++) {
        known[count++] = element_lists[k];
    }
    for (int i = 0; i < n->count; i++) {
        const char *key = n->entries[i].key->text;
        const bool good = (uses && is_one_of(key, use_keys)) || is_one_of(key, model_keys) ||
                          (models && is_element_list(key)) || (whole_file && is_one_of(key, idle_keys));
        if (!good) {
            fail(r, n->entries[i].key, hint_words(key, known, count, "a part takes").text, "unknown key '%.60s'", key);
        }
    }
}

// ---- Where a part comes from ----------------------------------------------------------------------------------------

static const node *find_model(reader *r, const node *name, const scope *outer)
{
    const char *known[64];
    int count = 0;
    for (const scope *s = outer;; s = s->outer) {
        const node *models = s ? s->models : node_find(r->document->root, "models");
        const node *found = models ? node_find(models, name->text) : NULL;
        if (found) {
            return found;
        }
        for (int i = 0; models && models->kind == NODE_MAP && i < models->count && count < 64; i++) {
            known[count++] = models->entries[i].key->text;
        }
        if (!s || s->sealed) {
            break;
        }
    }
    fail(r, name, count ? hint_words(name->text, known, count, "there are").text : "models: {name: {bodies: [...]}}",
         "there is no model '%.60s'", name->text);
    return NULL;
}

static bool is_inside_itself(const scope *outer, const node *model)
{
    while (outer && outer->model != model) {
        outer = outer->outer;
    }
    return outer;
}

// The same, unless it would never end.
static const node *named_model(reader *r, const node *name, const scope *outer)
{
    const node *model = find_model(r, name, outer);
    if (model && is_inside_itself(outer, model)) {
        fail(r, name, NULL, "the model '%.60s' is a part of itself", name->text);
        return NULL;
    }
    return model;
}

static bool is_being_read(const scope *outer, const char *path)
{
    for (const scope *s = outer; s; s = s->outer) {
        if (s->sealed && strcmp(s->path, path) == 0) {
            return true;
        }
    }
    return false;
}

static const document *find_document(const reader *r, const char *path)
{
    const document *d = r->document->next;
    while (d && strcmp(d->path, path) != 0) {
        d = d->next;
    }
    return d;
}

// Reads and parses a file. NULL: its mistakes have been reported.
static const node *load_file(reader *r, const node *name, const char *path)
{
    const document *before = find_document(r, path);
    if (before) {
        return before->root;
    }
    char *text, full[2048];
    size_t length;
    snprintf(full, sizeof full, "%s/%s", r->spec->folder ? r->spec->folder : ".", path);
    ph_problems *why = ph_problems_create();
    const ph_status status = file_load(full, why, &text, &length);
    if (status != PH_OK) {
        fail(r, name, NULL, "'%.100s': %s", name->text, ph_problems_count(why) ? ph_problems_get(why, 0)->text : "");
    }
    ph_problems_destroy(why);
    document *d = status == PH_OK ? document_create(full, text, length) : NULL;
    if (status != PH_OK) {
        return NULL;
    }
    mem_free(NULL, text);
    if (!d || !(d->path = arena_copy_string(d->memory, path))) {
        r->out_of_memory = true;
        document_destroy(d);
        return NULL;
    }
    d->next = r->document->next;
    r->document->next = d;
    r->includes++;
    if (!text_check(d, r->problems) || !document_parse(d, r->problems)) {
        r->errors += r->errors < READER_ERRORS_MAX;
        return NULL;
    }
    if (!d->root) {
        d->root = name; // nothing but comments
    }
    return d->root;
}

// The model in a file; its path is that of the model's folder and of the file that includes it.
static const node *include_file(expansion *e, const node *name, const scope *outer, char path[1024])
{
    reader *r = e->reader;
    snprintf(path, 1024, "%s%s", scope_folder(outer), name->text);
    if (!path_stays_inside(name->text)) {
        fail(r, name, "a path relative to the file that includes it, without '..'",
             "the file '%.100s' is outside the model's folder", name->text);
        return NULL;
    }
    if (is_being_read(outer, path)) {
        fail(r, name, NULL, "the file '%.100s' includes itself", name->text);
        return NULL;
    }
    const node *files = node_find(r->document->root, "files"), *held = files ? node_find(files, path) : NULL;
    const node *root = held ? held : load_file(r, name, path);
    if (root && root->kind != NODE_MAP) {
        fail(r, name, "a model starts with 'polhode: 1'", "'%.100s' is not a model", name->text);
        return NULL;
    }
    return root;
}

// ---- Its parameters, names and place --------------------------------------------------------------------------------

// One parameter: what the part gives it, else what the model says.
static void parameter_again(reader *r, const revised *v)
{
    formula_constant(r, v->node, v->to);
}

static void read_parameter(expansion *e, scope *s, const node_entry *entry, const node *given)
{
    reader *r = e->reader;
    constant *to = &s->values.values[s->values.count];
    const char *name = entry->key->text;
    const node *value = given ? given : expand_node(e, entry->value, s);
    if (!expression_is_name(name) || strcmp(name, "t") == 0) {
        fail(r, entry->key, "letters, digits and _, a letter first; not pi, t or a function",
             "'%.60s' cannot be the name of a parameter", name);
    }
    const int before = r->touched;
    if (!value || !formula_constant(r, value, to)) {
        *to = (constant){.kind = CONSTANT_NUMBER, .number = 1.0}; // what uses it is not blamed
    }
    if (r->touched > before) {
        revise_note(r, before, (revised){parameter_again, value, .to = to});
    }
    if (names_enter(&s->values.names, name, s->values.count) == s->values.count) {
        s->values.count++;
    }
}

// `model`: the map that declares them; `use`: the part that gives some of them another value, in the scope outside.
static bool read_parameters(expansion *e, scope *s, const node *model, const node *use)
{
    reader *r = e->reader;
    const node *declared = node_find(model, "parameters"), *given = use ? node_find(use, "parameters") : NULL;
    const int count = declared && declared->kind == NODE_MAP ? declared->count : 0;
    s->values.values = arena_alloc_array(r->document->memory, (size_t)count + 1, sizeof *s->values.values);
    if (!s->values.values || !names_create(&s->values.names, count + 1, r->document->memory)) {
        r->out_of_memory = true;
        return false;
    }
    for (int i = 0; i < count; i++) {
        const node *other = given ? node_find(given, declared->entries[i].key->text) : NULL;
        read_parameter(e, s, &declared->entries[i], other ? expand_node(e, other, s->outer) : NULL);
    }
    for (int i = 0; given && given->kind == NODE_MAP && i < given->count; i++) {
        const node *key = given->entries[i].key;
        if (names_find(&s->values.names, key->text) < 0) {
            fail(r, key, hint_words(key->text, s->values.names.names, s->values.count, "it has").text,
                 "the part has no parameter '%.60s'", key->text);
        }
    }
    return true;
}

static const char *join(reader *r, const char *a, const char *b)
{
    const size_t bytes = strlen(a) + strlen(b) + 1;
    char *both = arena_alloc(r->document->memory, bytes);
    r->out_of_memory = r->out_of_memory || !both;
    if (both) {
        snprintf(both, bytes, "%s%s", a, b);
    }
    return both ? both : "";
}

// `with`: the place of the part that it stands in, or NULL.
static void pose_again(reader *r, const revised *v)
{
    const part_pose *outer = v->with;
    part_pose *to = v->to, pose = {.orientation = ph_quat_identity()};
    const int before = r->touched;
    if (v->node) {
        read_vector(r, v->node, NULL, &pose.position);
    }
    if (v->other) {
        read_orientation(r, v->other, NULL, &pose.orientation);
    }
    to->position = pose_point(outer, pose.position);
    to->orientation = outer ? ph_quat_mul(outer->orientation, pose.orientation) : pose.orientation;
    to->varies = r->touched > before || (outer && outer->varies);
}

// Position and orientation of the part, in the scope outside, after the place of the part that it stands in.
static void read_pose(expansion *e, scope *s, const node *use)
{
    reader *r = e->reader;
    const node *position = node_find(use, "position"), *orientation = node_find(use, "orientation");
    s->pose = scope_pose(s->outer);
    if (!position && !orientation) {
        return;
    }
    position = position ? expand_node(e, position, s->outer) : NULL;
    orientation = orientation ? expand_node(e, orientation, s->outer) : NULL;
    part_pose *kept = arena_alloc(r->document->memory, sizeof *kept);
    if (!kept) {
        r->out_of_memory = true;
        return;
    }
    const int before = r->touched;
    const revised found = {pose_again, position, orientation, .with = s->pose, .to = kept};
    pose_again(r, &found);
    if (kept->varies) {
        revise_note(r, before, found);
    }
    s->pose = kept;
}

static void read_names(expansion *e, scope *s, const node *use)
{
    const node *prefix = node_find(use, "prefix"), *names = node_find(use, "names");
    const char *text = "";
    prefix = prefix ? expand_node(e, prefix, s->outer) : NULL;
    if (prefix && !node_text(e->reader, prefix, "a text", &text)) {
        text = "";
    }
    s->prefix = join(e->reader, scope_prefix(s->outer), text);
    if (names && names->kind != NODE_MAP) {
        fail_kind(e->reader, names, "a map of names inside and outside");
        return;
    }
    s->aliases = names ? expand_node(e, names, s->outer) : NULL;
}

// ---- Its elements ---------------------------------------------------------------------------------------------------

// Names that elements of the part have, without prefix, so that references inside find them.
static int count_names(const expansion *e, const int *from)
{
    int count = 0;
    for (int k = 0; k < EXPANSION_LISTS; k++) {
        count += e->lists[k].count - from[k];
    }
    return count;
}

static bool own_names(expansion *e, scope *s, const int *from)
{
    const size_t skip = strlen(s->prefix);
    int count = 0;
    if (!names_create(&s->own, count_names(e, from), e->reader->document->memory)) {
        e->reader->out_of_memory = true;
        return false;
    }
    for (int k = 0; k < EXPANSION_LISTS; k++) {
        for (int i = from[k]; i < e->lists[k].count; i++) {
            const node *name = e->lists[k].entries[i].key ? e->lists[k].entries[i].key
                                                          : node_find(e->lists[k].entries[i].value, "name");
            if (name && name->kind == NODE_SCALAR && strlen(name->text) >= skip) {
                names_enter(&s->own, name->text + skip, count++);
            }
        }
    }
    return true;
}

static void add_inputs(expansion *e, const node *inputs, scope *s)
{
    const node *expanded = inputs->kind == NODE_MAP ? expand_node(e, inputs, s) : NULL;
    if (!expanded && !node_is_null(inputs)) {
        fail_kind(e->reader, inputs, "a map of names and values");
    }
    for (int i = 0; expanded && i < expanded->count; i++) {
        node *key = (node *)expanded->entries[i].key; // a copy of our own
        key->text = join(e->reader, s->prefix, key->text);
        expand_add(e, EXPANSION_INPUTS, key, expanded->entries[i].value);
    }
}

static void add_elements(expansion *e, const node *model, scope *s)
{
    int from[EXPANSION_LISTS];
    for (int k = 0; k < EXPANSION_LISTS; k++) {
        from[k] = e->lists[k].count;
    }
    for (int k = 0; k < EXPANSION_LISTS; k++) {
        const node *list = node_find(model, element_lists[k]);
        if (list && k == EXPANSION_INPUTS) {
            add_inputs(e, list, s);
        } else if (list) {
            expand_elements(e, k, list, s);
        }
    }
    const node *parts = node_find(model, "parts");
    e->depth++;
    for (int i = 0; parts && parts->kind == NODE_LIST && i < parts->count; i++) {
        expand_rounds(e, parts->entries[i].value, s, expand_part);
    }
    e->depth--;
    own_names(e, s, from);
}

static const char *tell(reader *r, const node *use, const char *prefix, const char *path)
{
    char text[1280];
    const char *file = path_last_slash(use->file->name);
    if (*path) {
        snprintf(text, sizeof text, "%s, included at %s:%d%s%s", path, file ? file + 1 : use->file->name, use->line,
                 *prefix ? " as " : "", prefix);
    } else {
        snprintf(text, sizeof text, "part %s", prefix);
    }
    const char *copy = arena_copy_string(r->document->memory, text);
    r->out_of_memory = r->out_of_memory || !copy;
    return copy;
}

// The folder of a path with its slash: "parts/".
static const char *folder_of(reader *r, const char *path)
{
    const char *slash = path_last_slash(path);
    char *folder = arena_copy_string(r->document->memory, path);
    r->out_of_memory = r->out_of_memory || !folder;
    if (folder) {
        folder[slash ? slash - path + 1 : 0] = '\0';
    }
    return folder ? folder : "";
}

void expand_part(expansion *e, const node *use, const scope *outer)
{
    reader *r = e->reader;
    if (use->kind != NODE_MAP) {
        fail_kind(r, use, "a part");
        return;
    }
    const node *include = node_find(use, "include"), *named = node_find(use, "model"), *model = use;
    char path[1024] = "";
    scope *s = arena_alloc(r->document->memory, sizeof *s);
    if (!s) {
        r->out_of_memory = true;
        return;
    }
    check_keys(r, use, true, !include && !named, false);
    if (include && named) {
        fail(r, named, NULL, "a part is a file or a model, not both");
        return;
    }
    include = include ? expand_node(e, include, outer) : NULL;
    named = named ? expand_node(e, named, outer) : NULL;
    const char *word = "";
    if ((include && !node_text(r, include, "the path of a file", &word)) ||
        (named && !node_text(r, named, "the name of a model", &word))) {
        r->part_missing = true;
        return;
    }
    model = include ? include_file(e, include, outer, path) : named ? named_model(r, named, outer) : use;
    if (!model) {
        r->part_missing = true;
        return;
    }
    if (e->depth >= DEPTH_MAX) {
        fail(r, use, NULL, "parts stand in each other more than %d deep", DEPTH_MAX);
        return;
    }
    if (model->kind != NODE_MAP) {
        fail_kind(r, model, "a model");
        return;
    }
    if (model != use) {
        check_keys(r, model, false, true, include != NULL);
    }
    *s = (scope){.outer = outer, .is_part = true, .sealed = include != NULL, .model = model};
    s->folder = include ? folder_of(r, path) : scope_folder(outer);
    s->path = include ? join(r, path, "") : NULL;
    read_names(e, s, use);
    read_pose(e, s, use);
    s->models = node_find(model, "models");
    s->story = include || *s->prefix ? tell(r, use, s->prefix, path) : NULL;
    if (!names_create(&s->own, 0, r->document->memory) || !read_parameters(e, s, model, model == use ? NULL : use)) {
        r->out_of_memory = true;
        return;
    }
    const node *defaults = node_find(model, "defaults");
    s->defaults = defaults ? expand_node(e, defaults, s) : NULL;
    add_elements(e, model, s);
}
