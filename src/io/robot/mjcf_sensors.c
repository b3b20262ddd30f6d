// Sensors of MJCF that the model language has, too.

#include "io/robot/mjcf.h"

#include <string.h>

typedef enum sensor_on { ON_SITE, ON_JOINT, ON_TENDON, ON_OBJECT, ON_NOTHING } sensor_on;

static const struct sensor_word {
    const char *mjcf, *type;
    sensor_on on;
} words[] = {
    {"accelerometer", "accelerometer", ON_SITE},
    {"gyro", "gyro", ON_SITE},
    {"rangefinder", "rangefinder", ON_SITE},
    {"touch", "contact", ON_SITE},
    {"jointpos", "joint", ON_JOINT},
    {"jointvel", "joint", ON_JOINT},
    {"tendonpos", "tendon", ON_TENDON},
    {"tendonvel", "tendon", ON_TENDON},
    {"framepos", "position", ON_OBJECT},
    {"framequat", "orientation", ON_OBJECT},
    {"framelinvel", "velocity", ON_OBJECT},
    {"frameangvel", "angular_velocity", ON_OBJECT},
    {"clock", "value", ON_NOTHING},
};

static const struct sensor_word *word_of(const xml_node *n)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (xml_is(n, words[i].mjcf)) return &words[i];
    }
    return NULL;
}

static bool at_site(robot *r, const xml_node *n, const char *attribute, robot_sensor *s)
{
    const int site = robot_find_site(r, n, attribute);
    if (site < 0) return false;
    s->body = r->sites[site].body;
    s->local = r->sites[site].local;
    return true;
}

// A site, the frame of a body (xbody), or its centre of mass (body), whose axes are not known here.
static bool at_object(robot *r, const xml_node *n, robot_sensor *s)
{
    const char *type = xml_get(n, "objtype");
    if (xml_get(n, "refname") || !type) return false;
    if (strcmp(type, "site") == 0) return at_site(r, n, "objname", s);
    const bool centre = strcmp(type, "body") == 0;
    if ((!centre && strcmp(type, "xbody") != 0) || (centre && strcmp(s->type, "orientation") == 0)) return false;
    s->body = robot_find_body(r, n, "objname");
    s->local = pose_identity();
    if (centre && s->body >= 0) s->local.p = r->bodies[s->body].com;
    return s->body >= 0;
}

static bool on_joint(robot *r, const xml_node *n, robot_sensor *s)
{
    s->joint = robot_find_joint(r, n, "joint");
    return s->joint >= 0;
}

static bool on_tendon(robot *r, const xml_node *n, robot_sensor *s)
{
    s->tendon = robot_find_tendon(r, n, "tendon");
    return s->tendon >= 0;
}

static bool place(robot *r, const xml_node *n, sensor_on on, robot_sensor *s)
{
    switch (on) {
    case ON_SITE:
        return xml_get(n, "site") && at_site(r, n, "site", s);
    case ON_JOINT:
        return on_joint(r, n, s);
    case ON_TENDON:
        return on_tendon(r, n, s);
    case ON_OBJECT:
        return at_object(r, n, s);
    case ON_NOTHING:
        return true;
    }
    return false;
}

static void read_sensor(mjcf *m, const xml_node *n)
{
    robot *r = m->r;
    const struct sensor_word *word = word_of(n);
    robot_sensor s = {.name = mjcf_name(m->r, n, m->r->suffix ? m->r->suffix : ""),
                      .node = n,
                      .body = ROBOT_NONE,
                      .joint = ROBOT_NONE,
                      .tendon = ROBOT_NONE};
    s.type = word ? word->type : NULL;
    if (!word || !place(r, n, word->on, &s)) {
        robot_note(
            r, n,
            robot_printf(r, "sensors <%s> of this kind are not made: results hold all states and reactions", n->name));
        return;
    }
    if (strcmp(n->name, "touch") == 0) robot_note(r, n, "touch sensors feel all contacts of their body");
    const int i = ROBOT_ADD(r, sensors);
    if (i >= 0) r->sensors[i] = s;
}

void mjcf_read_sensors(mjcf *m)
{
    for (const xml_node *s = xml_child(m->root, "sensor"); s; s = xml_next(s, "sensor")) {
        for
            XML_EACH(n, s)
            {
                mjcf_read_replicas(m, n, read_sensor);
            }
    }
}
