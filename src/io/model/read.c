// Model files: from text to spec to model.
//
// Names come first (parameters and inputs with their values, bodies and joints with their indices), so that the parts
// of a file may stand in any order. Then the top table leads through the parts.

#include "base/path.h"
#include "base/problems.h"
#include "io/model/expand.h"
#include "io/model/file.h"
#include "io/model/formula.h"
#include "io/model/json.h"
#include "io/model/revise.h"
#include "io/robot/robot_file.h"

#include <stdio.h>
#include <string.h>

// ---- Parameters and inputs ------------------------------------------------------------------------------------------

// The last --set of a name counts.
static const char *find_setting(const reader *r, const char *name)
{
    for (int i = r->setting_count - 1; i >= 0; i--) {
        if (strcmp(r->settings[i].name, name) == 0) {
            return r->settings[i].value;
        }
    }
    return NULL;
}

static void check_constant_name(reader *r, const node *key, const char *what)
{
    if (!expression_is_name(key->text) || strcmp(key->text, "t") == 0) {
        fail(r, key, "letters, digits and _, a letter first; not pi, t or a function",
             "'%.60s' cannot be the name of %s", key->text, what);
    }
}

// The value of a parameter or input, or what a setting says in its place.
static constant constant_value(reader *r, const char *name, const node *n, bool is_input)
{
    const char *setting = find_setting(r, name);
    const int before = r->touched;
    constant value = {.kind = CONSTANT_NUMBER, .number = 1.0}; // after a mistake: what uses it is not blamed for it
    if (!(is_input ? node_number(r, n, &value.number) : formula_constant(r, n, &value))) {
        value = (constant){.kind = CONSTANT_NUMBER, .number = 1.0};
    }
    if (setting) {
        char where[160];
        snprintf(where, sizeof where, "--set %.60s=%.60s", name, setting);
        formula_text(r, where, setting, &value);
    }
    value.varies = r->touched > before || revise_is_varying(r, name);
    return value;
}

static void constant_again(reader *r, const revised *v)
{
    constants *of = v->to;
    of->values[v->index] = constant_value(r, v->other->text, v->node, of == &r->inputs);
}

// A parameter that varies itself has the value that it is given, whatever its formula says.
static void note_constant(reader *r, int before, const node_entry *entry, int index, constants *to)
{
    if (revise_is_varying(r, entry->key->text)) {
        r->claimed += r->touched - before;
    } else if (r->touched > before) {
        revise_note(r, before, (revised){constant_again, entry->value, entry->key, .to = to, .index = index});
    }
}

static void read_constant(reader *r, const node_entry *entry, int index, constants *to, const char *what)
{
    const char *name = entry->key->text;
    const int touched = r->touched;
    check_constant_name(r, entry->key, what);
    const constant value = constant_value(r, name, entry->value, to == &r->inputs);
    note_constant(r, touched, entry, index, to);
    const bool twice = names_enter(&to->names, name, index) != index;
    const bool both = to == &r->inputs && names_find(&r->parameters.names, name) >= 0;
    if (twice || both) {
        fail(r, entry->key, "names of parameters and inputs must differ", "the name '%.60s' is taken", name);
    }
    to->values[index] = value;
    to->count = index + 1;
}

static const node *find_constants(const reader *r, const char *part)
{
    const node *n = node_find(r->document->root, part);
    return n && n->kind == NODE_MAP ? n : NULL;
}

static void make_constants(reader *r, const char *part, constants *to)
{
    const node *n = find_constants(r, part);
    const int count = n ? n->count : 0;
    to->values = arena_alloc_array(r->document->memory, (size_t)count, sizeof *to->values);
    r->out_of_memory = r->out_of_memory || !to->values || !names_create(&to->names, count, r->document->memory);
}

static void read_constants(reader *r, const char *part, const char *what, constants *to)
{
    const node *given = node_find(r->document->root, part), *n = find_constants(r, part);
    if (given && !n && !node_is_null(given)) {
        fail_kind(r, given, "a map of names and values");
    }
    const size_t part_length = path_enter_key(r, part);
    for (int i = 0; n && i < n->count && r->errors < READER_ERRORS_MAX; i++) {
        const size_t length = path_enter_key(r, n->entries[i].key->text);
        read_constant(r, &n->entries[i], i, to, what);
        path_leave(r, length);
    }
    path_leave(r, part_length);
}

// --keyframe NAME: no parameter can have this name.
static const char *const keyframe_setting = ".keyframe";

static void check_settings(reader *r)
{
    const int parameters = r->parameters.count, inputs = r->inputs.count;
    const char **known = arena_alloc_array(r->document->memory, (size_t)parameters + (size_t)inputs, sizeof *known);
    r->out_of_memory = r->out_of_memory || !known;
    for (int i = 0; known && i < parameters + inputs; i++) {
        known[i] = i < parameters ? r->parameters.names.names[i] : r->inputs.names.names[i - parameters];
    }
    for (int i = 0; known && i < r->setting_count; i++) {
        const char *name = r->settings[i].name;
        if (names_find(&r->parameters.names, name) >= 0 || names_find(&r->inputs.names, name) >= 0 ||
            is_joint_setting(r, name) || strcmp(name, keyframe_setting) == 0 || name[0] == '.') { // .strict: for robots
            continue;
        }
        if (strchr(name, '.')) {
            fail(r, NULL, hint_words(name, r->joint_names.names, r->joint_count, "the joints are").text,
                 "--set %.60s: expected JOINT.coordinate or JOINT.rate, with a joint of the model", name);
            continue;
        }
        const hint_text h = hint_words(name, known, parameters + inputs, "it has");
        fail(r, NULL, parameters + inputs > 0 ? h.text : NULL, "--set %.60s: the model has no such parameter or input",
             name);
    }
}

static void add_inputs(reader *r)
{
    for (int i = 0; i < r->inputs.count; i++) {
        const char *name = r->inputs.names.names[i];
        if (name && ph_spec_add_input(r->spec, name, r->inputs.values[i].number) < 0) {
            r->out_of_memory = true;
        }
    }
}

// ---- Names ----------------------------------------------------------------------------------------------------------

// Where a name stands twice the first counts; ph_model_compile reports the others.
static int collect_names(reader *r, const char *part, names *to)
{
    const node *n = node_find(r->document->root, part);
    const int count = n && n->kind == NODE_LIST ? n->count : 0;
    if (!names_create(to, count, r->document->memory)) {
        r->out_of_memory = true;
        return 0;
    }
    for (int i = 0; i < count; i++) {
        const node *name = node_find(n->entries[i].value, "name");
        if (name && name->kind == NODE_SCALAR) {
            names_enter(to, name->text, i);
        }
    }
    return count;
}

// Known before any value: parameters may not use them.
static void enter_inputs(reader *r)
{
    const node *inputs = find_constants(r, "inputs");
    for (int i = 0; inputs && i < inputs->count; i++) {
        names_enter(&r->inputs.names, inputs->entries[i].key->text, i);
    }
}

static void read_names(reader *r)
{
    make_constants(r, "parameters", &r->parameters);
    make_constants(r, "inputs", &r->inputs);
    if (r->out_of_memory) {
        return;
    }
    enter_inputs(r);
    read_constants(r, "parameters", "a parameter", &r->parameters);
    expand_document(r);
    r->body_count = collect_names(r, "bodies", &r->body_names);
    r->joint_count = collect_names(r, "joints", &r->joint_names);
    r->site_count = collect_names(r, "sites", &r->site_names);
    r->tendon_count = collect_names(r, "tendons", &r->tendon_names);
    r->actuator_count = collect_names(r, "actuators", &r->actuator_names);
    r->sensor_count = collect_names(r, "sensors", &r->sensor_names);
    make_constants(r, "inputs", &r->inputs);
    if (r->out_of_memory) {
        return;
    }
    enter_inputs(r);
    read_constants(r, "inputs", "an input", &r->inputs);
    check_settings(r);
    r->constants_failed = r->errors > 0;
    add_inputs(r);
    read_sites(r);
}

// One line for each; a line break within a value is as good as a space.
static bool keep_settings(reader *r)
{
    size_t bytes = 1;
    for (int i = 0; i < r->setting_count; i++) {
        bytes += strlen(r->settings[i].name) + strlen(r->settings[i].value) + 2;
    }
    char *text = arena_alloc(r->spec->memory, bytes), *at = text;
    for (int i = 0; text && i < r->setting_count; i++) {
        char *line = at;
        at += snprintf(at, bytes - (size_t)(at - text), "%s=%s", r->settings[i].name, r->settings[i].value);
        while ((line = strchr(line, '\n'))) {
            *line = ' ';
        }
        *at++ = '\n';
    }
    r->spec->settings = r->setting_count > 0 ? text : NULL;
    return text;
}

// The named numbers: what a program may ask for and --set may change.
static bool keep_parameters(reader *r)
{
    ph_spec *spec = r->spec;
    const constants *from = &r->parameters;
    spec->parameter_count = 0;
    spec->parameters = arena_alloc_array(spec->memory, (size_t)from->count + 1, sizeof *spec->parameters);
    for (int i = 0; spec->parameters && i < from->count; i++) {
        const char *name = arena_copy_string(spec->memory, from->names.names[i]);
        if (from->values[i].kind == CONSTANT_NUMBER && name) {
            spec->parameters[spec->parameter_count++] = (ph_parameter_info){name, from->values[i].number};
        }
    }
    return spec->parameters;
}

bool reader_keep_names(reader *r)
{
    return keep_settings(r) && keep_parameters(r);
}

// ---- The top table --------------------------------------------------------------------------------------------------

typedef struct top {
    const char *name;
    bool project;
} top;

static bool set_gravity(reader *r, const node *n, const field *f, void *to)
{
    (void)to;
    return read_vector(r, n, f, &r->spec->gravity);
}

static bool read_gravity(reader *r, const node *n, const field *f, void *to)
{
    (void)f, (void)to;
    return read_noted(r, n, set_gravity);
}

static bool read_version(reader *r, const node *n, const field *f, void *to)
{
    (void)f, (void)to;
    double version = 0.0;
    if (!node_number(r, n, &version)) {
        return false;
    }
    return version == 1.0 ||
           fail(r, n, "this program reads version 1", "version %.9g of the model format is not known", version);
}

static const field top_fields[] = {
    {"polhode", read_version, FIELD_WHOLE, FIELD_REQUIRED, .hint = "the version of the format: polhode: 1",
     .form = "version"},
    {"name", read_text, FIELD_AT(top, name)},
    {"parameters", read_later, FIELD_WHOLE, .form = "parameters"},
    {"defaults", read_defaults, FIELD_WHOLE, .form = "defaults"},
    {"models", read_later, FIELD_WHOLE, .form = "models"},
    {"parts", read_later, FIELD_WHOLE, .form = "parts"},
    {"files", read_later, FIELD_WHOLE, .form = "files"},
    {"inputs", read_later, FIELD_WHOLE, .form = "values"},
    {"gravity", read_gravity, FIELD_WHOLE, .form = "vector"},
    {"bodies", read_bodies_part, FIELD_WHOLE, FIELD_REQUIRED, .form = "bodies"},
    {"sites", read_later, FIELD_WHOLE, .form = "sites"},
    {"joints", read_joints_part, FIELD_WHOLE, .form = "joints"},
    {"forces", read_forces_part, FIELD_WHOLE, .form = "forces"},
    {"tendons", read_tendons_part, FIELD_WHOLE, .form = "tendons"},
    {"actuators", read_actuators_part, FIELD_WHOLE, .form = "actuators"},
    {"sensors", read_sensors_part, FIELD_WHOLE, .form = "sensors"},
    {"contact", read_contact_part, FIELD_WHOLE, .form = "contact"},
    {"keyframes", read_keyframes_part, FIELD_WHOLE, .form = "keyframes"},
    {"initial", read_initial, FIELD_AT(top, project), .form = "initial"},
    {"record", read_record_part, FIELD_WHOLE, .form = "record"},
    {"run", read_run_part, FIELD_WHOLE, .form = "run"},
    {0},
};

const part_table model_table = {"model", NULL, top_fields, NULL, .about = "A model of Polhode."};

static void read_root(reader *r)
{
    static const schema table = {"a model", top_fields, UINT32_MAX, NULL, NULL};
    const node *root = r->document->root;
    if (!root || node_is_null(root)) {
        ph_problem problem = {
            .severity = PH_ERROR, .text = "the file is empty", .hint = "a model starts with 'polhode: 1'"};
        document_place_at(r->document, 1, 1, &problem);
        problems_add(r->problems, &problem);
        r->errors++;
        return;
    }
    if (root->kind != NODE_MAP) {
        fail(r, root, "a model starts with 'polhode: 1'", "this is not a model: expected keys and values");
        return;
    }
    read_names(r);
    if (r->out_of_memory) {
        return;
    }
    top model = {.name = ""};
    read_map(r, r->document->root, &table, &model);
    const int touched = r->touched;
    apply_joint_settings(r);
    r->claimed += r->touched - touched; // they are applied whenever a value changes
    if (find_setting(r, keyframe_setting)) {
        r->out_of_memory = r->out_of_memory || ph_spec_set_start(r->spec, find_setting(r, keyframe_setting)) != PH_OK;
    }
    ph_spec_set_project(r->spec, model.project);
    r->out_of_memory = r->out_of_memory || ph_spec_set_name(r->spec, model.name) != PH_OK ||
                       !reader_keep_text(r, root) || !reader_keep_names(r);
    if (r->errors == 0 && !r->out_of_memory) {
        warn_of_missing_contact(r);
    }
}

// ---- Text to spec ---------------------------------------------------------------------------------------------------

// JSON is always read. YAML is only where libyaml is.
#ifndef PH_WITH_YAML
bool document_parse(document *d, ph_problems *problems)
{
    const size_t space = strspn(d->text, " \t\r\n");
    if (d->text[space] == '{') return document_parse_json(d, problems);
    problems_add(problems, &(ph_problem){.severity = PH_ERROR,
                                         .file = d->name,
                                         .text = "this build reads model files in JSON alone, and this is not JSON",
                                         .hint = "polhode convert MODEL.yaml MODEL.json by a build with libyaml"});
    return false;
}

static ph_status not_parsed(const document *d)
{
    const size_t space = strspn(d->text, " \t\r\n");
    return d->text[space] == '{' ? PH_BAD_MODEL : PH_NOT_SUPPORTED;
}
#else
static ph_status not_parsed(const document *d)
{
    (void)d;
    return PH_BAD_MODEL;
}
#endif

static void destroy_document(void *user)
{
    document_destroy(user);
}

static ph_status say_out_of_memory(reader *r, const char *name)
{
    problems_add(r->problems, &(ph_problem){.severity = PH_ERROR, .file = name, .text = "out of memory"});
    return PH_OUT_OF_MEMORY;
}

// The folder of the model file, which names of other files are relative to.
static bool keep_folder(ph_spec *spec, const char *name)
{
    const char *slash = name ? path_last_slash(name) : NULL;
    spec->folder = "."; // links are followed only inside of it
    if (!slash) return true;
    char *folder = arena_copy_string(spec->memory, name);
    if (folder) folder[slash == name ? 1 : slash - name] = '\0';
    spec->folder = folder;
    return folder != NULL;
}

ph_status reader_read(reader *r, const char *text, size_t length, const char *name)
{
    if (length > DOCUMENT_BYTES_MAX) {
        problems_add(r->problems,
                     &(ph_problem){.severity = PH_ERROR, .file = name, .text = "the model is larger than 64 MiB"});
        return PH_BAD_MODEL;
    }
    r->document = document_create(name, text, length);
    r->spec = r->document ? ph_spec_create(NULL) : NULL;
    if (!r->spec) {
        document_destroy(r->document);
        return say_out_of_memory(r, name);
    }
    r->spec->locate = document_locate;
    r->spec->locate_user = r->document;
    r->spec->locate_destroy = destroy_document;
    r->out_of_memory = !keep_folder(r->spec, name);
    ph_status status = not_parsed(r->document);
    if (text_check(r->document, r->problems) && document_parse(r->document, r->problems)) {
        read_root(r);
        if (!r->out_of_memory) {
            return r->errors ? PH_BAD_MODEL : PH_OK;
        }
        status = say_out_of_memory(r, name);
    }
    ph_spec_destroy(r->spec);
    r->spec = NULL;
    return status;
}

reader *reader_create(const ph_setting *settings, int setting_count, ph_problems *problems)
{
    reader *r = mem_alloc(NULL, sizeof *r);
    if (r) {
        r->settings = settings;
        r->setting_count = setting_count;
        r->problems = problems;
    }
    return r;
}

// A robot stands by itself in results: they hold it as a model file.
static ph_status read_robot(const char *text, size_t length, const char *name, const ph_setting *settings,
                            int setting_count, ph_problems *problems, ph_spec **spec)
{
    ph_status status = robot_read(text, length, name, settings, setting_count, problems, spec);
    if (status == PH_OK) {
        status = ph_spec_describe(*spec, NULL);
    }
    if (status != PH_OK) {
        ph_spec_destroy(*spec);
        *spec = NULL;
    }
    return status;
}

static ph_status read_robot_model(const char *text, size_t length, const char *name, const ph_setting *settings,
                                  int setting_count, ph_problems *problems, ph_model **model)
{
    ph_spec *spec;
    ph_status status = read_robot(text, length, name, settings, setting_count, problems, &spec);
    if (status == PH_OK) {
        status = ph_model_compile(spec, problems, model);
    }
    ph_spec_destroy(spec);
    return status;
}

ph_status ph_spec_read_text(const char *text, size_t length, const char *name, const ph_setting *settings,
                            int setting_count, ph_problems *problems, ph_spec **spec)
{
    if (!text || !spec || setting_count < 0 || (setting_count > 0 && !settings)) {
        return PH_BAD_ARGUMENT;
    }
    *spec = NULL;
    if (robot_is_xml(text, length)) {
        return read_robot(text, length, name ? name : "robot", settings, setting_count, problems, spec);
    }
    reader *r = reader_create(settings, setting_count, problems);
    if (!r) {
        return PH_OUT_OF_MEMORY;
    }
    const ph_status status = reader_read(r, text, length, name ? name : "model");
    if (status == PH_OK) {
        *spec = r->spec;
    } else {
        ph_spec_destroy(r->spec);
    }
    mem_free(NULL, r);
    return status;
}

ph_status ph_spec_read_file(const char *path, const ph_setting *settings, int setting_count, ph_problems *problems,
                            ph_spec **spec)
{
    if (!path || !spec) {
        return PH_BAD_ARGUMENT;
    }
    *spec = NULL;
    char *text;
    size_t length;
    ph_status status = file_load(path, problems, &text, &length);
    if (status == PH_OK) {
        status = ph_spec_read_text(text, length, path, settings, setting_count, problems, spec);
        mem_free(NULL, text);
    }
    return status;
}

// ---- Text to model --------------------------------------------------------------------------------------------------

static bool is_faulty(const reader *r, const char *part, int index)
{
    char element[48];
    snprintf(element, sizeof element, "%s[%d]", part, index);
    for (int i = 0; i < r->errors; i++) {
        if (strcmp(r->faulty[i], element) == 0) {
            return true;
        }
    }
    return false;
}

// Whether a mistake that compiling found may only be the consequence of one that the reader found: it lies in an
// element that could not be read, or in one that refers to such an element.
static bool follows(const reader *r, const char *path)
{
    char part[16];
    int index;
    if (!path || sscanf(path, "%15[a-z][%d]", part, &index) != 2 || index < 0) {
        return !path || !*path;
    }
    if (is_faulty(r, part, index)) {
        return true;
    }
    if (strcmp(part, "joints") == 0 && index < r->spec->joint_count) {
        const ph_joint_def *joint = &r->spec->joints[index];
        return is_faulty(r, "bodies", joint->body_a) || is_faulty(r, "bodies", joint->body_b) ||
               is_faulty(r, "joints", joint->gear_joint[0]) || is_faulty(r, "joints", joint->gear_joint[1]);
    }
    if (strcmp(part, "forces") == 0 && index < r->spec->force_count) {
        const ph_force_def *force = &r->spec->forces[index];
        return is_faulty(r, "bodies", force->body_a) || is_faulty(r, "bodies", force->body_b) ||
               is_faulty(r, "joints", force->joint);
    }
    return false;
}

// The file has mistakes already: compiles what could be read only to report what else is wrong.
static void report_more(const reader *r)
{
    ph_problems *more = ph_problems_create();
    ph_model *model;
    if (more && ph_model_compile(r->spec, more, &model) == PH_OK) {
        ph_model_destroy(model);
    }
    for (int i = 0; i < ph_problems_count(more); i++) {
        const ph_problem *problem = ph_problems_get(more, i);
        if (!follows(r, problem->path)) {
            problems_add(r->problems, problem);
        }
    }
    ph_problems_destroy(more);
}

static ph_status read_model(reader *r, const char *text, size_t length, const char *name, ph_model **model)
{
    ph_status status = reader_read(r, text, length, name);
    if (status == PH_OK) {
        status = ph_model_compile(r->spec, r->problems, model);
    } else if (r->spec && !r->constants_failed && r->errors < READER_ERRORS_MAX) {
        report_more(r);
    }
    ph_spec_destroy(r->spec);
    return status;
}

ph_status ph_model_read_file(const char *path, const ph_setting *settings, int setting_count, ph_problems *problems,
                             ph_model **model)
{
    if (!path || !model || setting_count < 0 || (setting_count > 0 && !settings)) {
        return PH_BAD_ARGUMENT;
    }
    *model = NULL;
    char *text;
    size_t length;
    ph_status status = file_load(path, problems, &text, &length);
    if (status != PH_OK) {
        return status;
    }
    if (robot_is_xml(text, length)) {
        status = read_robot_model(text, length, path, settings, setting_count, problems, model);
        mem_free(NULL, text);
        return status;
    }
    reader *r = reader_create(settings, setting_count, problems);
    status = r ? read_model(r, text, length, path, model) : PH_OUT_OF_MEMORY;
    mem_free(NULL, r);
    mem_free(NULL, text);
    return status;
}
