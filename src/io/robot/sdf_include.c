// Includes of SDF: a model in a folder of its own, found by its URI, with name, pose and the like given by who includes it.

#include "io/robot/sdf.h"

#include "base/system.h"

#include <string.h>

enum { INCLUDE_DEPTH_MAX = 16 };

// The SDF file of a model's folder: the last that model.config names.
static const char *file_in(robot *r, const xml_node *node, const char *folder)
{
    const char *config = robot_join(r, folder, "model.config"), *best = NULL;
    xml_node *root = robot_exists(config) ? robot_parse(r, node, config) : NULL;
    for (const xml_node *n = root ? xml_child(root, "sdf") : NULL; n; n = xml_next(n, "sdf")) best = n->text;
    return robot_join(r, folder, best && *best ? best : "model.sdf");
}

static const char *path_of(robot *r, const xml_node *node, const char *uri)
{
    const char *from = robot_folder(r, node->file->path);
    const char *path = strstr(uri, "://") && strncmp(uri, "file://", 7) != 0
                           ? robot_find_package(r, from, uri)
                           : robot_join(r, from, strncmp(uri, "file://", 7) == 0 ? uri + 7 : uri);
    return path && system_is_folder(path) ? file_in(r, node, path) : path;
}

// The model with what the include says in place of its own name, pose, static and placement frame.
static xml_node * override(robot *r, const xml_node *include, xml_node *model, const char *version)
{
    static const char *const words[] = {"pose", "static"};
    xml_attribute *attributes = robot_alloc(r, (size_t)model->attribute_count + 3, sizeof *attributes);
    const char *name = sdf_text(include, "name"), *placement = sdf_text(include, "placement_frame");
    if (!attributes) {
        return NULL;
    }
    memcpy(attributes, model->attributes, (size_t)model->attribute_count * sizeof *attributes);
    for (int i = 0; i < model->attribute_count; i++) {
        if (name && strcmp(attributes[i].name, "name") == 0) attributes[i].value = name;
    }
    model->attributes = attributes;
    if (version) attributes[model->attribute_count++] = (xml_attribute){"version", version}; // of its own file
    if (placement) attributes[model->attribute_count++] = (xml_attribute){"placement_frame", placement};
    for (int k = 0; k < 2; k++) {
        xml_node *given = xml_child(include, words[k]), *own = xml_child(model, words[k]);
        xml_node *copy = given ? xml_clone(given, r->memory) : NULL;
        if (own && given) own->name = "";
        if (copy) xml_append(model, copy);
    }
    return model;
}

static xml_node *load(robot *r, const xml_node *include, int depth)
{
    const char *uri = sdf_text(include, "uri");
    const char *path = uri ? path_of(r, include, uri) : NULL;
    if (!path || !robot_exists(path)) {
        robot_fail(r, include, NULL, "--package NAME=DIRECTORY says where model://NAME is",
                   "the model %.150s is not found", uri ? uri : "without a uri");
        return NULL;
    }
    xml_node *root = robot_parse(r, include, path);
    xml_node *model = root ? xml_child(root, "model") : NULL;
    if (!model) {
        if (root)
            robot_fail(r, root, NULL, NULL, "the included file has no model%s",
                       xml_is(root, "robot") ? ": it is URDF" : "");
        return NULL;
    }
    sdf_expand(r, model, depth + 1);
    return override(r, include, model, xml_get(root, "version"));
}

void sdf_expand(robot *r, xml_node *parent, int depth)
{
    xml_node *old = parent->first;
    if (depth > INCLUDE_DEPTH_MAX) {
        robot_fail(r, parent, NULL, NULL, "models include each other without end");
        return;
    }
    parent->first = parent->last = NULL;
    while (old) {
        xml_node *next = old->next, *made = old;
        if (xml_is(old, "include")) {
            made = load(r, old, depth);
        } else if (xml_is(old, "world") || xml_is(old, "model")) {
            sdf_expand(r, old, depth);
        }
        if (made) xml_append(parent, made);
        old = next;
    }
}
