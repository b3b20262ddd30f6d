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

static int find(robot *r, const xml_node *node, const char *attribute, const char *what, name_at *at, int count)
{
    const char *name = xml_get(node, attribute);
    if (!name) {
        robot_fail(r, node, NULL, NULL, "%s needs %s", node->name, attribute);
        return ROBOT_NONE;
    }
    for (int i = 0; i < count; i++) {
        const char *candidate = at(r, i);
        if (candidate && strcmp(candidate, name) == 0) {
            return i;
        }
    }
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
