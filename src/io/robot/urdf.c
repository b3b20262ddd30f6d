// URDF: links and joints in a tree, all in SI units and radians.

#include "io/robot/urdf.h"
#include "io/robot/links.h"
#include "math/mat3.h"
#include "math/quat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct urdf {
    robot *r;
    const xml_node *root;
} urdf;

// ---- Values ---------------------------------------------------------------------------------------------------------------

static pose origin_of(robot *r, const xml_node *parent)
{
    const xml_node *o = xml_child(parent, "origin");
    pose at = pose_identity();
    ph_vec3 rpy = {0};
    if (o) {
        robot_vector(r, o, "xyz", &at.p);
        if (robot_vector(r, o, "rpy", &rpy)) at.q = quat_rpy(rpy.x, rpy.y, rpy.z);
    }
    return at;
}

static void read_inertial(robot *r, const xml_node *link, robot_body *b)
{
    const xml_node *n = xml_child(link, "inertial"), *mass = xml_child(n, "mass"), *i = xml_child(n, "inertia");
    if (!n) {
        return;
    }
    const pose at = origin_of(r, n);
    b->mass = mass ? robot_number(r, mass, "value", 0.0) : 0.0;
    b->has_mass = b->mass > 0.0;
    b->com = at.p;
    if (i) {
        const double xx = robot_number(r, i, "ixx", 0.0), yy = robot_number(r, i, "iyy", 0.0),
                     zz = robot_number(r, i, "izz", 0.0);
        const double xy = robot_number(r, i, "ixy", 0.0), xz = robot_number(r, i, "ixz", 0.0),
                     yz = robot_number(r, i, "iyz", 0.0);
        b->inertia = inertia_turned((ph_mat3){{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}}, at.q);
    }
    if (b->mass < 0.0) {
        robot_fail(r, mass, "value", NULL, "a mass below zero");
    }
}

// ---- Shapes ---------------------------------------------------------------------------------------------------------------

static bool read_geometry(robot *r, const xml_node *n, robot_geom *g, bool collides)
{
    ph_vec3 scale = {1, 1, 1};
    if (xml_is(n, "box")) {
        g->kind = GEOM_BOX;
        robot_vector(r, n, "size", &g->size);
        g->size = ph_scale(0.5, g->size);
    } else if (xml_is(n, "cylinder") || xml_is(n, "capsule")) {
        g->kind = xml_is(n, "cylinder") ? GEOM_CYLINDER : GEOM_CAPSULE;
        g->size = (ph_vec3){robot_number(r, n, "radius", 0.0), 0.5 * robot_number(r, n, "length", 0.0), 0.0};
    } else if (xml_is(n, "sphere")) {
        g->kind = GEOM_SPHERE;
        g->size.x = robot_number(r, n, "radius", 0.0);
    } else if (xml_is(n, "mesh")) {
        const char *file = xml_get(n, "filename");
        g->kind = GEOM_MESH;
        robot_vector(r, n, "scale", &scale);
        g->mesh = file ? links_mesh(r, n, file, scale) : NULL;
        if (!g->mesh) links_lost_mesh(r, n, collides);
        return g->mesh != NULL;
    } else {
        robot_leave_out(r, n, NULL, robot_printf(r, "a shape <%.40s>", n->name));
        return false;
    }
    return true;
}

static void read_shape(robot *r, const xml_node *n, int body, bool collides)
{
    const xml_node *geometry = xml_child(n, "geometry"), *material = xml_child(n, "material");
    const xml_node *color = material ? xml_child(material, "color") : NULL;
    robot_geom g = {.node = n, .body = body, .local = origin_of(r, n), .friction = {1.0, 0.0, 0.0}};
    double v[4];
    if (!geometry || !geometry->first || !read_geometry(r, geometry->first, &g, collides)) {
        return;
    }
    if (color && xml_get(color, "rgba") && robot_numbers(r, color, "rgba", xml_get(color, "rgba"), v, 4) >= 3) {
        unsigned c[3];
        for (int k = 0; k < 3; k++) c[k] = v[k] <= 0.0 ? 0u : v[k] >= 1.0 ? 255u : (unsigned)(255.0 * v[k] + 0.5);
        snprintf(g.color, sizeof g.color, "#%02x%02x%02x", c[0] & 255u, c[1] & 255u, c[2] & 255u);
    }
    links_add_geom(r, g, collides);
}

static void read_shapes(robot *r, const xml_node *link, int body)
{
    for
        XML_EACH(n, link)
        {
            if (xml_is(n, "visual") || xml_is(n, "collision")) {
                read_shape(r, n, body, xml_is(n, "collision"));
            } else if (!xml_is(n, "inertial")) {
                robot_note(r, n, robot_printf(r, "<%.40s> in a link is not read", n->name));
            }
        }
}

// ---- Joints ---------------------------------------------------------------------------------------------------------------

static void add_joint(robot *r, robot_joint j)
{
    const int i = ROBOT_ADD(r, joints);
    if (i >= 0) {
        r->joints[i] = j;
        r->bodies[j.body].joint_count++;
    }
}

static void read_limits(robot *r, const xml_node *n, robot_joint *j, bool bounded)
{
    const xml_node *limit = xml_child(n, "limit"), *dynamics = xml_child(n, "dynamics");
    if (limit && bounded) {
        j->has_low = j->has_high = true;
        j->low = robot_number(r, limit, "lower", 0.0);
        j->high = robot_number(r, limit, "upper", 0.0);
        if (j->low >= j->high) { // as files say that there is none
            j->has_low = j->has_high = false;
            robot_note(r, limit, "limits that leave no room are none");
        }
    }
    if (limit && (xml_get(limit, "effort") || xml_get(limit, "velocity"))) {
        robot_note(r, limit, "effort and velocity limits bound what a controller may ask for: nothing here asks");
    }
    if (dynamics) {
        j->damping = robot_number(r, dynamics, "damping", 0.0);
        j->friction = robot_number(r, dynamics, "friction", 0.0);
    }
}

static void add_planar(robot *r, const xml_node *n, robot_joint j)
{
    const ph_vec3 normal = j.axis, other = fabs(normal.x) < 0.9 ? (ph_vec3){1, 0, 0} : (ph_vec3){0, 1, 0};
    const ph_vec3 across = ph_cross(normal, other), x = ph_scale(1.0 / ph_norm(across), across);
    const char *name = j.name ? j.name : "planar";
    (void)n;
    j.kind = JOINT_SLIDE;
    j.axis = x;
    j.name = robot_printf(r, "%s_x", name);
    add_joint(r, j);
    j.axis = ph_cross(normal, x);
    j.name = robot_printf(r, "%s_y", name);
    add_joint(r, j);
    j.kind = JOINT_HINGE;
    j.axis = normal;
    j.name = robot_printf(r, "%s_turn", name);
    add_joint(r, j);
}

static void read_joint(robot *r, const xml_node *n, int body)
{
    const char *type = xml_get(n, "type");
    const xml_node *axis = xml_child(n, "axis");
    robot_joint j = {.name = xml_get(n, "name"), .node = n, .body = body, .axis = {1, 0, 0}, .index = PH_NONE};
    if (!type || strcmp(type, "fixed") == 0) {
        if (!type) robot_fail(r, n, NULL, NULL, "a joint needs a type");
        return;
    }
    if (axis) robot_vector(r, axis, "xyz", &j.axis);
    const double length = ph_norm(j.axis);
    if (!(length > 0.0)) {
        robot_fail(r, axis, "xyz", NULL, "the axis has no length");
        return;
    }
    j.axis = ph_scale(1.0 / length, j.axis);
    const bool turns = strcmp(type, "revolute") == 0 || strcmp(type, "continuous") == 0;
    if (turns || strcmp(type, "prismatic") == 0) {
        j.kind = turns ? JOINT_HINGE : JOINT_SLIDE;
        read_limits(r, n, &j, strcmp(type, "continuous") != 0);
        add_joint(r, j);
    } else if (strcmp(type, "floating") == 0) {
        j.kind = JOINT_FREE;
        add_joint(r, j);
    } else if (strcmp(type, "planar") == 0) {
        add_planar(r, n, j);
    } else if (strcmp(type, "ball") == 0 || strcmp(type, "spherical") == 0) {
        j.kind = JOINT_BALL;
        add_joint(r, j);
    } else {
        robot_fail(r, n, "type", "fixed, revolute, continuous, prismatic, floating or planar",
                   "there is no joint type '%.40s'", type);
    }
}

// ---- The tree -------------------------------------------------------------------------------------------------------------

static const char *link_of(const xml_node *joint, const char *end)
{
    const xml_node *n = xml_child(joint, end);
    return n ? xml_get(n, "link") : NULL;
}

static const xml_node *find_link(const urdf *u, const char *name)
{
    for (const xml_node *n = xml_child(u->root, "link"); n; n = xml_next(n, "link")) {
        if (robot_words_equal(xml_get(n, "name"), name)) {
            return n;
        }
    }
    return NULL;
}

static bool is_child(const urdf *u, const char *name)
{
    for (const xml_node *n = xml_child(u->root, "joint"); n; n = xml_next(n, "joint")) {
        if (robot_words_equal(link_of(n, "child"), name)) {
            return true;
        }
    }
    return false;
}

static int add_link(urdf *u, const xml_node *link, const xml_node *joint, int parent)
{
    robot *r = u->r;
    const int i = ROBOT_ADD(r, bodies);
    if (i < 0) {
        return i;
    }
    robot_body b = {.name = xml_get(link, "name"), .node = link, .parent = parent, .first_joint = r->joints_count};
    b.carried_by = joint ? xml_get(joint, "name") : NULL;
    b.local = joint ? origin_of(r, joint) : pose_identity();
    b.world = pose_mul(r->bodies[parent].world, b.local);
    if (joint && robot_words_equal(xml_get(joint, "type"), "floating")) { // free of what it hangs on
        b.parent = ROBOT_WORLD;
        b.local = b.world;
    }
    read_inertial(r, link, &b);
    r->bodies[i] = b;
    if (joint) read_joint(r, joint, i);
    read_shapes(r, link, i);
    return i;
}

static void walk(urdf *u, const char *name, int body, int depth)
{
    if (depth > 1000) {
        robot_fail(u->r, u->root, NULL, NULL, "the links form a loop, or a very long chain");
        return;
    }
    for (const xml_node *n = xml_child(u->root, "joint"); n; n = xml_next(n, "joint")) {
        if (!robot_words_equal(link_of(n, "parent"), name)) {
            continue;
        }
        const char *child = link_of(n, "child");
        const xml_node *link = child ? find_link(u, child) : NULL;
        if (!link) {
            robot_fail(u->r, n, NULL, NULL, "the child of the joint is no link: '%.60s'", child ? child : "");
            continue;
        }
        const int i = add_link(u, link, n, body);
        if (i >= 0 && u->r->errors == 0) walk(u, child, i, depth + 1);
    }
}

// Free unless the file means a base that is held.
static void add_base(urdf *u, const xml_node *link)
{
    robot *r = u->r;
    const char *name = xml_get(link, "name"), *base = r->options.base;
    const xml_node *inertial = xml_child(link, "inertial"), *mass = inertial ? xml_child(inertial, "mass") : NULL;
    const bool held = robot_words_equal(name, "world") || !mass || robot_number(r, mass, "value", 0.0) == 0.0;
    const bool is_free = base ? strcmp(base, "free") == 0 : !held;
    const int i = add_link(u, link, NULL, ROBOT_WORLD);
    if (i < 0) {
        return;
    }
    if (is_free) {
        add_joint(
            r,
            (robot_joint){
                .name = i == 1 ? "root_joint" : NULL, .node = link, .kind = JOINT_FREE, .body = i, .index = PH_NONE});
    }
    if (!base) {
        robot_note(r, link,
                   is_free ? "the base is free (--base fixed holds it)" : "the base is fixed (--base free lets it go)");
    }
    if (name) walk(u, name, i, 0);
}

// ---- Mimics and the rest ----------------------------------------------------------------------------------------------------

static int joint_named(const robot *r, const char *name)
{
    for (int i = 0; name && i < r->joints_count; i++) {
        if (robot_words_equal(r->joints[i].name, name)) {
            return i;
        }
    }
    return ROBOT_NONE;
}

static bool is_joint(const urdf *u, const char *name)
{
    for (const xml_node *n = xml_child(u->root, "joint"); n; n = xml_next(n, "joint")) {
        if (robot_words_equal(xml_get(n, "name"), name)) return true;
    }
    return false;
}

static void read_mimics(urdf *u)
{
    robot *r = u->r;
    for (const xml_node *n = xml_child(u->root, "joint"); n; n = xml_next(n, "joint")) {
        const xml_node *m = xml_child(n, "mimic");
        if (!m) {
            continue;
        }
        const int y = joint_named(r, xml_get(n, "name")), x = joint_named(r, xml_get(m, "joint"));
        if (y < 0) {
            robot_note(r, m, "a joint that cannot move mimics none");
            continue;
        }
        if (x < 0 && !is_joint(u, xml_get(m, "joint"))) {
            robot_leave_out(r, m, "joint", "a mimic of a joint that is not there");
            continue;
        }
        if (x < 0) robot_note(r, m, "joints that mimic a fixed one are held");
        const int i = ROBOT_ADD(r, loops);
        if (i >= 0) {
            r->loops[i] = (robot_loop){.name = robot_printf(r, "mimic_%s", xml_get(n, "name")),
                                       .node = m,
                                       .kind = LOOP_COUPLING,
                                       .joint = {y, x < 0 ? ROBOT_NONE : x}};
            r->loops[i].polynomial[0] = robot_number(r, m, "offset", 0.0);
            r->loops[i].polynomial[1] = robot_number(r, m, "multiplier", 1.0);
        }
    }
}

static void note_others(urdf *u)
{
    for
        XML_EACH(n, u->root)
        {
            if (strstr(n->name, "xacro")) {
                robot_fail(u->r, n, NULL, "run xacro first", "<%.60s> is a macro", n->name);
            } else if (xml_is(n, "transmission") || xml_is(n, "gazebo") || strchr(n->name, ':')) {
                robot_note(u->r, n, robot_printf(u->r, "<%.60s> is not read", n->name));
            } else if (!xml_is(n, "link") && !xml_is(n, "joint") && !xml_is(n, "material")) {
                robot_note(u->r, n, robot_printf(u->r, "<%.60s> is not read", n->name));
            }
        }
}

// Joints may hang on a world that is no link of the file.
static int add_world(urdf *u)
{
    int count = 0;
    for (const xml_node *n = xml_child(u->root, "joint"); n && !find_link(u, "world"); n = xml_next(n, "joint")) {
        count += robot_words_equal(link_of(n, "parent"), "world");
    }
    if (count > 0) walk(u, "world", ROBOT_WORLD, 0);
    return count;
}

// Each link that no joint carries, and what hangs on it.
static void add_bases(urdf *u)
{
    int count = add_world(u);
    for (const xml_node *n = xml_child(u->root, "link"); n && u->r->errors == 0; n = xml_next(n, "link")) {
        const char *name = xml_get(n, "name");
        if (!name) {
            robot_fail(u->r, n, NULL, NULL, "a link needs a name");
        } else if (!is_child(u, name)) {
            if (count++ > 0) robot_note(u->r, n, "links that no joint carries are bases, each with its own tree");
            add_base(u, n);
        }
    }
    if (count == 0 && u->r->errors == 0)
        robot_fail(u->r, u->root, NULL, NULL, "no link is the base: the joints form a loop, or there are no links");
}

void urdf_read(robot *r, xml_node *root)
{
    r->says_no_pairs = true;
    urdf u = {r, root};
    r->name = xml_get(root, "name") ? xml_get(root, "name") : "";
    r->gravity = (ph_vec3){0.0, 0.0, -9.81};
    r->step = 0.001;
    r->contact = true;
    note_others(&u);
    if (r->errors == 0) urdf_check(r, root);
    if (r->errors > 0 || links_add_world(r) < 0) return;
    add_bases(&u);
    if (r->errors == 0) {
        read_mimics(&u);
        urdf_loops(r);
    }
}
