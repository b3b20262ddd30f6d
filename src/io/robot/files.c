// Files that a robot names: where they may lie, and reading them.
//
// A robot may name files beside and below it, and, as robots share meshes and packages, in folders around it: up to four
// levels above its own, but never a whole file system, a folder right below its root (/etc, /home) or somebody's home.
// Links count where they lead to. Everything else is refused unless its folder is allowed by the user.

#include "base/error.h"
#include "base/path.h"
#include "base/system.h"
#include "io/robot/robot.h"
#include "model/shape_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS_ABOVE = 4, FILE_BYTES_MAX = 1 << 29 };

const char *robot_folder(robot *r, const char *path)
{
    const char *slash = path_last_slash(path);
    return !slash ? "." : slash == path ? "/" : robot_printf(r, "%.*s", (int)(slash - path), path);
}

const char *robot_join(robot *r, const char *folder, const char *path)
{
    if (!*path || path_is_absolute(path) || !folder || !*folder || strcmp(folder, ".") == 0) {
        return path;
    }
    return robot_printf(r, "%s%s%s", folder, path_is_slash(folder[strlen(folder) - 1]) ? "" : "/", path);
}

bool robot_exists(const char *path)
{
    system_facts about;
    return system_look(path, &about);
}

// ---- The root -------------------------------------------------------------------------------------------------------

static bool may_be_root(const char *folder)
{
    const char *home = system_environment("HOME");
    const char *second = strchr(folder + 1, '/');
    return second && second[1] && !(home && strcmp(home, folder) == 0);
}

static const char *find_root(robot *r)
{
    char *real = system_real_path(r->folder);
    if (!real) {
        return r->folder;
    }
    for (int level = 0; level < LEVELS_ABOVE; level++) {
        char *slash = strrchr(real, '/');
        if (!slash || slash == real) {
            break;
        }
        *slash = '\0';
        if (!may_be_root(real)) {
            *slash = '/';
            break;
        }
    }
    const char *root = robot_printf(r, "%s", real);
    free(real);
    return root;
}

static bool may_read(robot *r, const char *path)
{
    if (!r->root) {
        r->root = find_root(r);
    }
    return lies_below(path, r->root) || (r->options.folder && lies_below(path, r->options.folder));
}

// ---- Reading --------------------------------------------------------------------------------------------------------

static char *read_all(robot *r, FILE *file, size_t length)
{
    char *text = robot_alloc(r, length + 1, 1);
    return text && fread(text, 1, length, file) == length ? text : NULL;
}

char *robot_load(robot *r, const xml_node *node, const char *path, size_t *length, bool quiet)
{
    system_facts about;
    if (!system_look(path, &about)) {
        if (!quiet) robot_fail(r, node, "file", NULL, "cannot read the file %.300s: %s", path, strerror(errno));
        return NULL;
    }
    if (!may_read(r, path)) {
        robot_fail(r, node, "file", "--allow-folder DIRECTORY allows files from there",
                   "the file %.300s lies outside of the folders of the robot", path);
        return NULL;
    }
    FILE *file = about.kind == SYSTEM_FILE && about.bytes <= FILE_BYTES_MAX ? system_stream(path, "rb") : NULL;
    if (!file) {
        robot_fail(r, node, "file", NULL, "cannot read the file %.300s: %s", path,
                   about.kind == SYSTEM_FILE ? strerror(errno) : "it is not a regular file");
        return NULL;
    }
    *length = (size_t)about.bytes;
    char *text = read_all(r, file, *length);
    fclose(file);
    if (!text) {
        robot_fail(r, node, "file", NULL, "cannot read the file %.300s", path);
    }
    return text;
}

xml_node *robot_parse(robot *r, const xml_node *node, const char *path)
{
    xml_file *file = robot_alloc(r, 1, sizeof *file);
    if (!file) {
        return NULL;
    }
    file->path = arena_copy_string(r->memory, path);
    file->text = robot_load(r, node, path, &file->length, false);
    if (!file->text) {
        return NULL;
    }
    bool out_of_memory;
    ph_problems *aside = r->lenient ? ph_problems_create() : NULL; // what may be missing is not a mistake of the robot
    xml_node *root = xml_parse(file, r->memory, aside ? aside : r->problems, &out_of_memory);
    r->out_of_memory = r->out_of_memory || out_of_memory || (r->lenient && !aside);
    if (!root && aside) robot_fail(r, node, NULL, NULL, "%.200s is not XML as it should be", path);
    r->errors += !root && !aside;
    r->files++;
    ph_problems_destroy(aside);
    return root;
}

// ---- Packages -------------------------------------------------------------------------------------------------------

// --package NAME=DIRECTORY
static const char *given_package(robot *r, const char *name)
{
    for (int i = r->options.setting_count - 1; i >= 0; i--) {
        const ph_setting *s = &r->options.settings[i];
        const size_t length = strlen(name);
        if (strcmp(s->name, ".package") == 0 && strncmp(s->value, name, length) == 0 && s->value[length] == '=') {
            return s->value + length + 1;
        }
    }
    return NULL;
}

static const char *in_search_path(robot *r, const char *variable, const char *name, const char *rest)
{
    const char *folders = system_environment(variable);
    while (folders && *folders) {
        const int length = (int)strcspn(folders, ":");
        const char *path = robot_printf(r, "%.*s/%s%s", length, folders, name, rest);
        if (length > 0 && robot_exists(path)) {
            return path;
        }
        folders += length + (folders[length] == ':');
    }
    return NULL;
}

// The file itself decides, so that the package's own folder need not have its name: a folder on the way up from `from` of
// that name, one that holds such a folder, or one with a package.xml and the file.
static const char *around(robot *r, const char *from, const char *name, const char *rest)
{
    char *real = system_real_path(from);
    const char *found = NULL;
    while (real && *real && !found) {
        const char *inside = robot_printf(r, "%s/%s%s", real, name, rest);
        const char *here = robot_printf(r, "%s%s", real, rest);
        char *last = strrchr(real, '/');
        const bool named = last && strcmp(last + 1, name) == 0;
        const bool packaged = robot_exists(robot_printf(r, "%s/package.xml", real));
        found = robot_exists(inside) ? inside : (named || packaged) && robot_exists(here) ? here : NULL;
        if (!last) break;
        *last = '\0'; // one level up
    }
    free(real);
    return found;
}

const char *robot_find_package(robot *r, const char *from, const char *uri)
{
    const char *name_start = strstr(uri, "://");
    if (!name_start) {
        return NULL;
    }
    name_start += 3;
    const size_t length = strcspn(name_start, "/");
    const char *name = robot_printf(r, "%.*s", (int)length, name_start), *rest = name_start + length;
    const char *given = given_package(r, name);
    if (given) {
        return robot_printf(r, "%s%s", given, rest);
    }
    const char *path = around(r, from, name, rest);
    path = path ? path : in_search_path(r, "ROS_PACKAGE_PATH", name, rest);
    return path ? path : in_search_path(r, "GZ_SIM_RESOURCE_PATH", name, rest);
}
