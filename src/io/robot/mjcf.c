// MJCF, the format of MuJoCo: options first, then bodies, then what joins and drives them.

#include "io/robot/mjcf.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

static bool flag_of(const xml_node *node, const char *attribute, bool otherwise)
{
    const char *value = xml_get(node, attribute);
    return value ? strcmp(value, "true") == 0 : otherwise;
}

static void warn_of_bounds(mjcf *m, const xml_node *c)
{
    if (robot_words_equal(xml_get(c, "coordinate"), "global")) {
        robot_fail(m->r, c, "coordinate", "save the model with a MuJoCo before 2.3.4 to have local ones",
                   "global coordinates are not read");
    }
}

static void read_compiler(mjcf *m, const xml_node *c)
{
    robot *r = m->r;
    const char *angle = xml_get(c, "angle"), *euler = xml_get(c, "eulerseq"), *geoms = xml_get(c, "inertiafromgeom");
    double range[2];
    m->radian = angle ? strcmp(angle, "radian") == 0 : m->radian;
    m->autolimits = flag_of(c, "autolimits", m->autolimits);
    m->balance = flag_of(c, "balanceinertia", m->balance);
    m->strip_path = flag_of(c, "strippath", m->strip_path);
    m->align_free = flag_of(c, "alignfree", m->align_free);
    m->bound_mass = robot_number(r, c, "boundmass", m->bound_mass);
    m->bound_inertia = robot_number(r, c, "boundinertia", m->bound_inertia);
    m->total_mass = robot_number(r, c, "settotalmass", m->total_mass);
    if (euler && strlen(euler) == 3 && strspn(euler, "xyzXYZ") == 3) {
        memcpy(m->euler, euler, 4);
    } else if (euler) {
        robot_fail(r, c, "eulerseq", "three letters of xyzXYZ", "eulerseq is '%.20s'", euler);
    }
    if (geoms) {
        m->from_geoms = strcmp(geoms, "true") == 0    ? FROM_GEOMS_ALWAYS
                        : strcmp(geoms, "false") == 0 ? FROM_GEOMS_NEVER
                                                      : FROM_GEOMS_AUTO;
    }
    if (xml_get(c, "inertiagrouprange") &&
        robot_numbers(r, c, "inertiagrouprange", xml_get(c, "inertiagrouprange"), range, 2) == 2) {
        m->group_low = (int)range[0];
        m->group_high = (int)range[1];
    }
    m->mesh_folder = xml_get(c, "assetdir") ? xml_get(c, "assetdir") : m->mesh_folder;
    m->mesh_folder = xml_get(c, "meshdir") ? xml_get(c, "meshdir") : m->mesh_folder;
    warn_of_bounds(m, c);
}

static bool disabled(const xml_node *flags, const char *name)
{
    return robot_words_equal(xml_get(flags, name), "disable");
}

static void read_flags(mjcf *m, const xml_node *f)
{
    m->disabled_gravity |= disabled(f, "gravity");
    m->disabled_contact |= disabled(f, "contact") || disabled(f, "constraint");
    m->disabled_equality |= disabled(f, "equality") || disabled(f, "constraint");
    m->disabled_limit |= disabled(f, "limit") || disabled(f, "constraint");
    m->disabled_friction |= disabled(f, "frictionloss") || disabled(f, "constraint");
    m->disabled_actuation |= disabled(f, "actuation");
    m->disabled_spring |= disabled(f, "spring") || disabled(f, "passive");
    m->disabled_damper |= disabled(f, "damper") || disabled(f, "passive");
}

static void read_option(mjcf *m, const xml_node *o)
{
    ph_vec3 wind = {0};
    robot_vector(m->r, o, "gravity", &m->r->gravity);
    m->r->step = robot_number(m->r, o, "timestep", m->r->step);
    m->r->fluid_density = robot_number(m->r, o, "density", m->r->fluid_density);
    m->r->fluid_viscosity = robot_number(m->r, o, "viscosity", m->r->fluid_viscosity);
    if (robot_vector(m->r, o, "wind", &wind) && ph_norm(wind) > 0.0) robot_leave_out(m->r, o, "wind", "wind");
    for (const xml_node *f = xml_child(o, "flag"); f; f = xml_next(f, "flag")) {
        read_flags(m, f);
    }
}

// Whole sections that say nothing about the motion, or that are refused.
static void read_others(mjcf *m)
{
    static const char *const silent[] = {"visual", "statistic", "size", "custom", NULL};
    robot *r = m->r;
    for
        XML_EACH(n, m->root)
        {
            for (int i = 0; silent[i]; i++) {
                if (xml_is(n, silent[i]) && n->first) {
                    robot_note(r, n, robot_printf(r, "<%s> says nothing about the motion", n->name));
                }
            }
            if (xml_is(n, "deformable") && xml_child(n, "flex")) {
                robot_fail(r, n, NULL, NULL, "deformable bodies are not read");
            } else if (xml_is(n, "extension")) {
                robot_note(r, n, "plugins are refused where they act; here they are named only");
            }
        }
}

void mjcf_set_defaults(mjcf *m, robot *r, xml_node *root, const char *folder)
{
    *m = (mjcf){.r = r,
                .root = root,
                .folder = folder,
                .prefix = "",
                .autolimits = true,
                .euler = "xyz",
                .from_geoms = FROM_GEOMS_AUTO,
                .group_high = 5,
                .total_mass = -1.0};
}

void mjcf_read_compilers(mjcf *m)
{
    for (const xml_node *n = xml_child(m->root, "compiler"); n; n = xml_next(n, "compiler")) read_compiler(m, n);
}

static void read_options(mjcf *m)
{
    m->r->gravity = (ph_vec3){0.0, 0.0, -9.81};
    m->r->step = 0.002;
    for (const xml_node *n = xml_child(m->root, "option"); n; n = xml_next(n, "option")) read_option(m, n);
    if (m->disabled_gravity) {
        m->r->gravity = (ph_vec3){0};
    }
    m->r->contact = !m->disabled_contact;
}

// Of the model, then of those that it attaches.
static void each_model(mjcf *m, void (*read)(mjcf *m))
{
    m->r->prefix = m->prefix;
    read(m);
    for (mjcf *a = m->attached; a; a = a->next) each_model(a, read);
    m->r->prefix = "";
}

void mjcf_read(robot *r, xml_node *root)
{
    mjcf m;
    mjcf_set_defaults(&m, r, root, r->folder);
    if (!mjcf_expand(r, root)) {
        return;
    }
    mjcf_check(r, root);
    r->name = xml_get(root, "model") ? xml_get(root, "model") : "";
    mjcf_read_compilers(&m);
    read_options(&m);
    mjcf_read_classes(&m);
    mjcf_read_assets(&m);
    mjcf_read_bodies(&m);
    mjcf_masses(&m);
    if (r->errors == 0) {
        each_model(&m, mjcf_read_contacts);
        each_model(&m, mjcf_read_tendons);
        each_model(&m, mjcf_read_equalities);
        each_model(&m, mjcf_read_actuators);
        mjcf_move_armatures(&m);
        mjcf_set_by_masses(&m);
        each_model(&m, mjcf_read_sensors);
        mjcf_check_names(r);
        mjcf_read_keys(&m);
        read_others(&m);
    }
}
