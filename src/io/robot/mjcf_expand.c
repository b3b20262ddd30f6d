// Includes of MJCF: an <include> is replaced by what the file holds, wherever it stands.

#include "io/robot/mjcf.h"

#include <string.h>

enum { INCLUDES_MAX = 1000 };

typedef struct include_list {
    robot *r;
    const char *paths[INCLUDES_MAX];
    int count;
} include_list;

// Beside the file that includes it, else beside the main one.
static const char *find_include(robot *r, const xml_node *node, const char *name)
{
    const char *near = robot_join(r, robot_folder(r, node->file->path), name);
    return robot_exists(near) ? near : robot_join(r, r->folder, name);
}

static bool seen(include_list *list, const char *path)
{
    for (int i = 0; i < list->count; i++) {
        if (strcmp(list->paths[i], path) == 0) {
            return true;
        }
    }
    return false;
}

static xml_node *load_include(include_list *list, const xml_node *node)
{
    robot *r = list->r;
    const char *name = xml_get(node, "file");
    if (!name) {
        robot_fail(r, node, NULL, "<include file=\"part.xml\"/>", "include needs a file");
        return NULL;
    }
    const char *path = find_include(r, node, name);
    if (seen(list, path) || list->count == INCLUDES_MAX) {
        robot_fail(r, node, "file", NULL, "'%.200s' is included twice", name);
        return NULL;
    }
    list->paths[list->count++] = path;
    xml_node *root = robot_parse(r, node, path);
    if (root && !xml_is(root, "mujoco") && !xml_is(root, "mujocoinclude")) {
        robot_fail(r, root, NULL, NULL, "an included file begins with <mujocoinclude> or <mujoco>, not <%.60s>",
                   root->name);
        return NULL;
    }
    return root;
}

static void expand(include_list *list, xml_node *parent)
{
    xml_node *old = parent->first;
    parent->first = parent->last = NULL;
    while (old) {
        xml_node *next = old->next;
        if (xml_is(old, "include")) {
            xml_node *root = load_include(list, old);
            for (xml_node *child = root ? root->first : NULL, *after; child; child = after) {
                after = child->next;
                xml_node one = {.name = "", .first = child, .last = child};
                child->next = NULL;
                expand(list, &one); // a child may be an include itself
                for (xml_node *made = one.first, *then; made; made = then) {
                    then = made->next;
                    xml_append(parent, made);
                }
            }
        } else {
            expand(list, old);
            xml_append(parent, old);
        }
        old = next;
    }
}

bool mjcf_expand(robot *r, xml_node *root)
{
    include_list *list = robot_alloc(r, 1, sizeof *list);
    if (!list) {
        return false;
    }
    list->r = r;
    list->paths[list->count++] = root->file->path;
    const int errors = r->errors;
    expand(list, root);
    return r->errors == errors;
}
