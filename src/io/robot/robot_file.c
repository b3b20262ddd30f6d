// Robot files: which format it is, how it is to be read, and what becomes of it.

#include "io/robot/robot_file.h"

#include "base/problems.h"
#include "io/robot/robot.h"

#include <string.h>

#ifndef PH_WITH_EXPAT
xml_node *xml_parse(const xml_file *file, arena *memory, ph_problems *problems, bool *out_of_memory)
{
    (void)memory;
    *out_of_memory = false;
    problems_add(problems, &(ph_problem){.severity = PH_ERROR,
                                         .file = file->path,
                                         .text = "this build cannot read robot files",
                                         .hint = "build with expat: cmake -DPOLHODE_WITH_EXPAT=ON"});
    return NULL;
}
#endif

bool robot_is_xml(const char *text, size_t length)
{
    size_t i = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (i < length && strchr(" \t\r\n", text[i]) && text[i]) i++;
    return i + 1 < length && text[i] == '<' && text[i + 1] != '<';
}

// ---- Options --------------------------------------------------------------------------------------------------------------

static bool is_true(const char *value)
{
    return strcmp(value, "true") == 0 || strcmp(value, "yes") == 0 || strcmp(value, "1") == 0;
}

// .without = "contact,actuators"
static void leave_parts_out(robot *r, const char *words)
{
    const struct {
        const char *word;
        bool *flag;
    } parts[] = {{"contact", &r->options.no_contact},   {"actuators", &r->options.no_actuators},
                 {"friction", &r->options.no_friction}, {"equality", &r->options.no_equality},
                 {"limits", &r->options.no_limits},     {"passive", &r->options.no_passive}};
    while (*words) {
        const size_t length = strcspn(words, ",");
        bool found = false;
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
            if (strlen(parts[i].word) == length && strncmp(parts[i].word, words, length) == 0) {
                *parts[i].flag = found = true;
            }
        }
        if (!found) {
            robot_fail(r, NULL, NULL, "contact, actuators, friction, equality, limits or passive",
                       "--without %.*s: there is no such part", (int)length, words);
        }
        words += length + (words[length] == ',');
    }
}

static void read_options(robot *r, const ph_setting *settings, int count)
{
    r->options.settings = settings;
    r->options.setting_count = count;
    for (int i = 0; i < count; i++) {
        const char *name = settings[i].name, *value = settings[i].value;
        if (strcmp(name, ".strict") == 0) {
            r->options.strict = is_true(value);
        } else if (strcmp(name, ".verbose") == 0) {
            r->options.verbose = is_true(value);
        } else if (strcmp(name, ".base") == 0) {
            r->options.base = value;
        } else if (strcmp(name, ".loops") == 0) {
            r->options.loops = value;
        } else if (strcmp(name, ".allow-folder") == 0) {
            r->options.folder = value;
        } else if (strcmp(name, ".keyframe") == 0) {
            r->options.start = value;
        } else if (strcmp(name, ".gravity") == 0) {
            r->options.gravity = value;
        } else if (strcmp(name, ".without") == 0) {
            leave_parts_out(r, value);
        }
    }
}

// ---- Reading --------------------------------------------------------------------------------------------------------------

static void read_root(robot *r, xml_node *root)
{
    if (xml_is(root, "mujoco")) {
        mjcf_read(r, root);
    } else if (xml_is(root, "robot")) {
        urdf_read(r, root);
    } else if (xml_is(root, "sdf") || xml_is(root, "gazebo")) {
        sdf_read(r, root);
    } else if (xml_is(root, "mujocoinclude")) {
        robot_fail(r, root, NULL, "read the file that includes it", "this is a part of a model, for <include>");
    } else {
        robot_fail(r, root, NULL, "a robot begins with <mujoco>, <robot> or <sdf>", "this is not a robot: <%.60s>",
                   root->name);
    }
}

static xml_node *parse_main(robot *r, const char *text, size_t length, const char *path)
{
    xml_file *file = robot_alloc(r, 1, sizeof *file);
    char *copy = robot_alloc(r, length + 1, 1), *name = arena_copy_string(r->memory, path);
    bool out_of_memory = !file || !copy || !name;
    xml_node *root = NULL;
    if (!out_of_memory) {
        memcpy(copy, text, length);
        *file = (xml_file){name, copy, length};
        r->path = name;
        r->folder = robot_folder(r, name);
        root = xml_parse(file, r->memory, r->problems, &out_of_memory);
        r->errors += !root;
    }
    r->out_of_memory |= out_of_memory;
    return root;
}

void robot_free(robot *r)
{
    mem_free(NULL, r->bodies);
    mem_free(NULL, r->joints);
    mem_free(NULL, r->geoms);
    mem_free(NULL, r->sites);
    mem_free(NULL, r->loops);
    mem_free(NULL, r->tendons);
    mem_free(NULL, r->actuators);
    mem_free(NULL, r->sensors);
    mem_free(NULL, r->keys);
    mem_free(NULL, r->pairs);
    mem_free(NULL, r->suffixes);
    mem_free(NULL, r->items);
}

static ph_status finish(robot *r, ph_spec *made, ph_spec **spec)
{
    const bool owned = made && made->locate_user; // then the spec destroys the memory
    if (r->out_of_memory) {
        problems_add(r->problems, &(ph_problem){.severity = PH_ERROR, .file = NULL, .text = "out of memory"});
    }
    if (r->errors > 0 || r->out_of_memory || !made) {
        ph_spec_destroy(made);
        if (!owned) arena_destroy(r->memory);
        return r->out_of_memory ? PH_OUT_OF_MEMORY : PH_BAD_MODEL;
    }
    *spec = made;
    return PH_OK;
}

ph_status robot_read(const char *text, size_t length, const char *path, const ph_setting *settings, int setting_count,
                     ph_problems *problems, ph_spec **spec)
{
    robot r = {.memory = arena_create(NULL), .problems = problems};
    *spec = NULL;
    if (!r.memory) {
        return PH_OUT_OF_MEMORY;
    }
    r.path = path;
    r.name = "";
    read_options(&r, settings, setting_count);
    xml_node *root = r.errors == 0 ? parse_main(&r, text, length, path) : NULL;
    if (root) {
        read_root(&r, root);
    }
    ph_spec *made = r.errors == 0 && !r.out_of_memory && root ? robot_build(&r) : NULL;
    robot_report(&r);
    robot_free(&r);
    return finish(&r, made, spec);
}
