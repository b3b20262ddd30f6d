// Geoms of MJCF.

#include "io/robot/mjcf.h"
#include "math/quat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *word;
    geom_kind kind;
    int sizes; // numbers it needs
} kinds[] = {{"plane", GEOM_PLANE, 0},         {"hfield", GEOM_FIELD, 0},      {"sphere", GEOM_SPHERE, 1},
             {"capsule", GEOM_CAPSULE, 2},     {"cylinder", GEOM_CYLINDER, 2}, {"box", GEOM_BOX, 3},
             {"ellipsoid", GEOM_ELLIPSOID, 3}, {"mesh", GEOM_MESH, 0},         {"sdf", GEOM_MESH, 0}};

static int kind_of(mjcf *m, const mjcf_element *e)
{
    const char *type = element_text(e, "type");
    for (int i = 0; i < (int)(sizeof kinds / sizeof kinds[0]); i++) {
        if (strcmp(type ? type : "sphere", kinds[i].word) == 0) {
            return i;
        }
    }
    robot_fail(m->r, e->node, "type", NULL, "geoms of the type '%.40s' are not read", type);
    return -1;
}

// From one point to another: its middle, half its length, z along it.
static bool read_segment(const mjcf_element *e, robot_geom *g)
{
    double v[6];
    if (element_numbers(e, "fromto", v, 6) != 6) {
        return false;
    }
    const ph_vec3 a = {v[0], v[1], v[2]}, b = {v[3], v[4], v[5]}, along = ph_sub(a, b);
    const double length = ph_norm(along), s = hypot(along.x, along.y);
    g->local.p = ph_scale(0.5, ph_add(a, b));
    g->local.q = s > 0.0         ? quat_turn((ph_vec3){-along.y, along.x, 0.0}, atan2(s, along.z))
                 : along.z < 0.0 ? (ph_quat){0, 1, 0, 0}
                                 : ph_quat_identity();
    if (g->kind == GEOM_CAPSULE || g->kind == GEOM_CYLINDER) {
        g->size.y = 0.5 * length;
    } else {
        g->size.y = g->size.y > 0.0 ? g->size.y : g->size.x;
        g->size.z = 0.5 * length;
    }
    return true;
}

static void read_size(mjcf *m, const mjcf_element *e, int kind, robot_geom *g)
{
    double v[3] = {0};
    const int count = element_numbers(e, "size", v, 3);
    g->size = (ph_vec3){v[0], v[1], v[2]};
    const bool segment = kinds[kind].sizes > 1 && read_segment(e, g);
    if (!segment && count < kinds[kind].sizes) {
        robot_fail(m->r, e->node, "size", NULL, "a %s needs %d number%s of size", kinds[kind].word, kinds[kind].sizes,
                   kinds[kind].sizes == 1 ? "" : "s");
    }
}

static void read_color(mjcf *m, const mjcf_element *e, robot_geom *g)
{
    double v[4] = {0.5, 0.5, 0.5, 1.0};
    const char *material = element_text(e, "material");
    const mjcf_asset *asset = material ? mjcf_find_asset(m, "material", material) : NULL;
    if (element_numbers(e, "rgba", v, 4) < 3 && asset) {
        const mjcf_element look = {m, asset->node, mjcf_class_of(m, asset->node, m->classes), "material"};
        for (int k = 0; k < 3; k++) v[k] = 1.0;
        element_numbers(&look, "rgba", v, 4);
    }
    int c[3];
    for (int k = 0; k < 3; k++) c[k] = v[k] <= 0.0 ? 0 : v[k] >= 1.0 ? 255 : (int)(255.0 * v[k] + 0.5);
    snprintf(g->color, sizeof g->color, "#%02x%02x%02x", (unsigned)c[0] & 255u, (unsigned)c[1] & 255u,
             (unsigned)c[2] & 255u);
}

static void read_contact(mjcf *m, const mjcf_element *e, robot_geom *g)
{
    static const double defaults[3] = {1.0, 0.005, 0.0001};
    memcpy(g->friction, defaults, sizeof defaults);
    element_numbers(e, "friction", g->friction, 3);
    g->contact_type = (int)element_number(e, "contype", 1.0);
    g->contact_with = (int)element_number(e, "conaffinity", 1.0);
    g->condim = (int)element_number(e, "condim", 3.0);
    g->priority = (int)element_number(e, "priority", 0.0);
    if (g->contact_type == 0 && g->contact_with == 0) {
        return;
    }
    static const char *const soft[] = {"solref", "solimp", "margin", "gap"};
    for (int i = 0; i < 4; i++) {
        if (element_text(e, soft[i])) {
            robot_approximate(m->r, e->node, NULL,
                              "contact with solref, solimp, margin or gap is soft in MuJoCo, here it is rigid");
            break;
        }
    }
}

static void read_weight(mjcf *m, const mjcf_element *e, robot_geom *g)
{
    const int group = (int)element_number(e, "group", 0.0);
    double mass = 0.0;
    g->density = element_number(e, "density", 1000.0);
    g->has_mass = element_numbers(e, "mass", &mass, 1) == 1;
    g->mass = mass;
    g->has_weight = group >= m->group_low && group <= m->group_high && g->kind != GEOM_PLANE && g->kind != GEOM_FIELD;
    g->shell = element_is(e, "shellinertia", "true");
}

static bool read_shape(mjcf *m, const mjcf_element *e, int kind, robot_geom *g)
{
    const char *mesh = element_text(e, "mesh"), *field = element_text(e, "hfield");
    if (kinds[kind].kind == GEOM_MESH) {
        g->mesh = mesh ? mjcf_mesh(m, e->node, mesh) : NULL;
        if (robot_words_equal(kinds[kind].word, "sdf"))
            robot_approximate(m->r, e->node, "type", "geoms of the type sdf collide as the hulls of their meshes");
        return g->mesh || m->r->errors > 0 || robot_fail(m->r, e->node, NULL, NULL, "a geom of type mesh needs a mesh");
    }
    if (mesh) {
        return robot_fail(m->r, e->node, "mesh", NULL, "a %s fitted to a mesh is not read", kinds[kind].word);
    }
    if (kinds[kind].kind == GEOM_FIELD) {
        return field ? mjcf_field(m, e->node, field, g)
                     : robot_fail(m->r, e->node, NULL, NULL, "a geom of type hfield needs a height field");
    }
    read_size(m, e, kind, g);
    return true;
}

void mjcf_read_geom(mjcf *m, const xml_node *node, mjcf_place at)
{
    const mjcf_element e = {m, node, mjcf_class_of(m, node, at.class), "geom"};
    const int kind = kind_of(m, &e);
    if (kind < 0) {
        return;
    }
    robot_geom g = {.name = mjcf_name(m->r, node, at.suffix), .node = node, .kind = kinds[kind].kind, .body = at.body};
    g.local = element_pose(&e);
    if (!read_shape(m, &e, kind, &g)) {
        return;
    }
    g.local = pose_mul(at.frame, g.local);
    read_weight(m, &e, &g);
    read_contact(m, &e, &g);
    read_color(m, &e, &g);
    if (xml_child(node, "plugin")) {
        robot_fail(m->r, node, NULL, NULL, "plugins are not read");
    }
    if (element_text(&e, "fluidshape") && !element_is(&e, "fluidshape", "none")) {
        m->r->bodies[at.body].own_fluid = true;
        if (m->r->fluid_density != 0.0 || m->r->fluid_viscosity != 0.0)
            robot_leave_out(m->r, node, "fluidshape", "the drag of a fluid on ellipsoids");
    }
    const int i = ROBOT_ADD(m->r, geoms);
    if (i >= 0) {
        m->r->geoms[i] = g;
    }
}
