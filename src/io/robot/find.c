// Elements of a robot by name.

#include "base/suggest.h"
#include "io/robot/mjcf.h"

#include <string.h>

typedef const char *name_at(const robot *r, int index);

static const char *body_at(const robot *r, int i)
{
    return r->bodies[i].name;
}
static const char *joint_at(const robot *r, int i)
{
    return r->joints[i].name;
}
static const char *site_at(const robot *r, int i)
{
    return r->sites[i].name;
}
static const char *geom_at(const robot *r, int i)
{
    return r->geoms[i].name;
}
static const char *tendon_at(const robot *r, int i)
{
    return r->tendons[i].name;
}
static const char *actuator_at(const robot *r, int i)
{
    return r->actuators[i].name;
}

// By its prefix, name and suffix; the world has its name alone.
static int index_of(const robot *r, const char *name, const char *suffix, name_at *at, int count)
{
    const char *prefix = r->prefix ? r->prefix : "";
    const size_t before = strlen(prefix), length = strlen(name);
    for (int i = 0; i < count; i++) {
        const char *candidate = at(r, i);
        if (candidate && strncmp(candidate, prefix, before) == 0 && strncmp(candidate + before, name, length) == 0 &&
            strcmp(candidate + before + length, suffix) == 0)
            return i;
    }
    return at == body_at && count > 0 && !*suffix && strcmp(name, "world") == 0 ? ROBOT_WORLD : ROBOT_NONE;
}

bool robot_knows(robot *r, const char *attribute, const char *name, const char *suffix)
{
    const struct {
        const char *word;
        name_at *at;
        int count;
    } kinds[] = {{"site", site_at, r->sites_count},
                 {"sidesite", site_at, r->sites_count},
                 {"joint", joint_at, r->joints_count},
                 {"body", body_at, r->bodies_count},
                 {"geom", geom_at, r->geoms_count},
                 {"tendon", tendon_at, r->tendons_count},
                 {"actuator", actuator_at, r->actuators_count}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const bool asked = strncmp(attribute, kinds[i].word, strlen(kinds[i].word)) == 0;
        const bool any = strcmp(attribute, "objname") == 0;
        if ((asked || any) && index_of(r, name, suffix, kinds[i].at, kinds[i].count) >= 0) return true;
    }
    return false;
}

static int find(robot *r, const xml_node *node, const char *attribute, const char *what, name_at *at, int count)
{
    const char *name = xml_get(node, attribute);
    if (!name) {
        robot_fail(r, node, NULL, NULL, "%s needs %s", node->name, attribute);
        return ROBOT_NONE;
    }
    int found = r->suffix ? index_of(r, name, r->suffix, at, count) : ROBOT_NONE;
    found = found < 0 ? index_of(r, name, "", at, count) : found;
    if (found >= 0) return found;
    robot_fail(r, node, attribute, NULL, "there is no %s '%.100s'", what, name);
    return ROBOT_NONE;
}

int robot_find_body(robot *r, const xml_node *node, const char *attribute)
{
    return find(r, node, attribute, "body", body_at, r->bodies_count);
}

int robot_find_joint(robot *r, const xml_node *node, const char *attribute)
{
    return find(r, node, attribute, "joint", joint_at, r->joints_count);
}

int robot_find_site(robot *r, const xml_node *node, const char *attribute)
{
    return find(r, node, attribute, "site", site_at, r->sites_count);
}

int robot_find_geom(robot *r, const xml_node *node, const char *attribute)
{
    return find(r, node, attribute, "geom", geom_at, r->geoms_count);
}

int robot_find_tendon(robot *r, const xml_node *node, const char *attribute)
{
    return find(r, node, attribute, "tendon", tendon_at, r->tendons_count);
}

int robot_find_actuator(robot *r, const xml_node *node, const char *attribute)
{
    return find(r, node, attribute, "actuator", actuator_at, r->actuators_count);
}
