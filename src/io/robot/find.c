// Elements of a robot by name.

#include "base/suggest.h"
#include "io/robot/mjcf.h"

#include <string.h>

static const char *name_at(const robot *r, robot_kind kind, int i)
{
    switch (kind) {
    case KIND_BODY:
        return r->bodies[i].name;
    case KIND_JOINT:
        return r->joints[i].name;
    case KIND_SITE:
        return r->sites[i].name;
    case KIND_GEOM:
        return r->geoms[i].name;
    case KIND_TENDON:
        return r->tendons[i].name;
    default:
        return r->actuators[i].name;
    }
}

static int count_of(const robot *r, robot_kind kind)
{
    const int counts[] = {r->bodies_count, r->joints_count,  r->sites_count,
                          r->geoms_count,  r->tendons_count, r->actuators_count};
    return counts[kind];
}

// Elements are added while others are looked for: room doubles. The first of equal names counts.
static const names *entered(robot *r, robot_kind kind)
{
    robot_names *n = &r->names[kind];
    const int count = count_of(r, kind);
    if (count > n->room) {
        n->room = 2 * count;
        n->entered = 0;
        if (!names_create(&n->table, n->room, r->memory)) r->out_of_memory = true;
    }
    if (r->out_of_memory || count == 0) return NULL;
    for (; n->entered < count; n->entered++) {
        const char *name = name_at(r, kind, n->entered);
        if (name) names_enter(&n->table, name, n->entered);
    }
    return &n->table;
}

// By its prefix, name and suffix; the world has its name alone.
static int index_of(robot *r, const char *name, const char *suffix, robot_kind kind)
{
    const names *table = entered(r, kind);
    const char *whole =
        r->prefix || *suffix ? robot_printf(r, "%s%s%s", r->prefix ? r->prefix : "", name, suffix) : name;
    const int found = table && whole ? names_find(table, whole) : PH_NONE;
    if (found >= 0) return found;
    return kind == KIND_BODY && r->bodies_count > 0 && !*suffix && strcmp(name, "world") == 0 ? ROBOT_WORLD
                                                                                              : ROBOT_NONE;
}

bool robot_knows(robot *r, const char *attribute, const char *name, const char *suffix)
{
    static const struct {
        const char *word;
        robot_kind kind;
    } kinds[] = {{"site", KIND_SITE}, {"sidesite", KIND_SITE}, {"joint", KIND_JOINT},      {"body", KIND_BODY},
                 {"geom", KIND_GEOM}, {"tendon", KIND_TENDON}, {"actuator", KIND_ACTUATOR}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const bool asked = strncmp(attribute, kinds[i].word, strlen(kinds[i].word)) == 0;
        const bool any = strcmp(attribute, "objname") == 0;
        if ((asked || any) && index_of(r, name, suffix, kinds[i].kind) >= 0) return true;
    }
    return false;
}

static int find(robot *r, const xml_node *node, const char *attribute, const char *what, robot_kind kind)
{
    const char *name = xml_get(node, attribute);
    if (!name) {
        robot_fail(r, node, NULL, NULL, "%s needs %s", node->name, attribute);
        return ROBOT_NONE;
    }
    int found = r->suffix ? index_of(r, name, r->suffix, kind) : ROBOT_NONE;
    found = found < 0 ? index_of(r, name, "", kind) : found;
    if (found >= 0) return found;
    robot_fail(r, node, attribute, NULL, "there is no %s '%.100s'", what, name);
    return ROBOT_NONE;
}

int robot_find_body(robot *r, const xml_node *node, const char *attribute)
{
    return find(r, node, attribute, "body", KIND_BODY);
}

int robot_find_joint(robot *r, const xml_node *node, const char *attribute)
{
    return find(r, node, attribute, "joint", KIND_JOINT);
}

int robot_find_site(robot *r, const xml_node *node, const char *attribute)
{
    return find(r, node, attribute, "site", KIND_SITE);
}

int robot_find_geom(robot *r, const xml_node *node, const char *attribute)
{
    return find(r, node, attribute, "geom", KIND_GEOM);
}

int robot_find_tendon(robot *r, const xml_node *node, const char *attribute)
{
    return find(r, node, attribute, "tendon", KIND_TENDON);
}

int robot_find_actuator(robot *r, const xml_node *node, const char *attribute)
{
    return find(r, node, attribute, "actuator", KIND_ACTUATOR);
}
