// Bodies of MJCF: frames, replicas, sites, inertias as given.

#include "io/robot/mjcf.h"
#include "math/mat3.h"
#include "math/quat.h"

#include <stdio.h>
#include <string.h>

enum { REPLICAS_MAX = 100000 };

const char *mjcf_name(robot *r, const xml_node *node, const char *suffix)
{
    const char *name = xml_get(node, "name"), *prefix = r->prefix ? r->prefix : "";
    return name && (*prefix || *suffix) ? robot_printf(r, "%s%s%s", prefix, name, suffix) : name;
}

const mjcf_class *mjcf_child_class(mjcf *m, const xml_node *node, const mjcf_class *inherited)
{
    const char *name = xml_get(node, "childclass");
    const xml_node asks = {.name = node->name,
                           .attributes = (xml_attribute[]){{"class", name}},
                           .attribute_count = name ? 1 : 0,
                           .file = node->file,
                           .offset = node->offset};
    return mjcf_class_of(m, &asks, inherited);
}

// ---- Sites and inertias -------------------------------------------------------------------------------------------------

// A segment: its middle, z along it.
static void place_between(const mjcf_element *e, pose *at)
{
    double v[6];
    if (element_numbers(e, "fromto", v, 6) == 6) {
        const ph_vec3 a = {v[0], v[1], v[2]}, b = {v[3], v[4], v[5]};
        mjcf_element plain = *e;
        char text[160];
        snprintf(text, sizeof text, "%.17g %.17g %.17g", a.x - b.x, a.y - b.y, a.z - b.z);
        xml_attribute z = {"zaxis", text};
        xml_node one = {
            .name = "site", .attributes = &z, .attribute_count = 1, .file = e->node->file, .offset = e->node->offset};
        plain.node = &one;
        plain.class = NULL;
        *at = (pose){ph_scale(0.5, ph_add(a, b)), element_orientation(&plain)};
    }
}

static void read_site(mjcf *m, const xml_node *node, mjcf_place at)
{
    const mjcf_element e = {m, node, mjcf_class_of(m, node, at.class), "site"};
    pose local = element_pose(&e);
    place_between(&e, &local);
    const int i = ROBOT_ADD(m->r, sites);
    if (i >= 0) {
        m->r->sites[i] = (robot_site){mjcf_name(m->r, node, at.suffix), node, at.body, pose_mul(at.frame, local)};
    }
}

static void read_inertial(mjcf *m, const xml_node *node, mjcf_place at)
{
    const mjcf_element e = {m, node, NULL, "inertial"};
    robot_body *b = &m->r->bodies[at.body];
    double v[6];
    if (m->from_geoms == FROM_GEOMS_ALWAYS) {
        robot_note(m->r, node, "inertiafromgeom: masses and inertias come from geoms, not from <inertial>");
        return;
    }
    const pose local = pose_mul(at.frame, element_pose(&e));
    ph_mat3 inertia = ph_mat_zero();
    b->mass = element_number(&e, "mass", 0.0);
    if (element_numbers(&e, "fullinertia", v, 6) == 6) {
        inertia = (ph_mat3){{{v[0], v[3], v[4]}, {v[3], v[1], v[5]}, {v[4], v[5], v[2]}}};
    } else if (element_numbers(&e, "diaginertia", v, 3) == 3) {
        inertia = ph_diag((ph_vec3){v[0], v[1], v[2]});
        b->has_axes = true;
        b->axes = local.q;
    }
    b->has_mass = true;
    b->from_geoms = false;
    b->com = local.p;
    b->inertia = inertia_turned(inertia, local.q);
}

// ---- The walk -----------------------------------------------------------------------------------------------------------

static void walk_own(mjcf *m, const xml_node *parent, mjcf_place at);
static void walk_bodies(mjcf *m, const xml_node *parent, mjcf_place at);
typedef void walk(mjcf *m, const xml_node *parent, mjcf_place at);

static void in_frame(mjcf *m, const xml_node *node, mjcf_place at, walk *go)
{
    const mjcf_element e = {m, node, NULL, "frame"};
    at.frame = pose_mul(at.frame, element_pose(&e));
    at.class = mjcf_child_class(m, node, at.class);
    go(m, node, at);
}

// The k-th copy is turned by k times the angles, and lies one offset, turned as the copy before it, further than that.
static void in_replicas(mjcf *m, const xml_node *node, mjcf_place at, walk *go)
{
    const int count = (int)robot_number(m->r, node, "count", 0.0);
    const char *sep = xml_get(node, "sep") ? xml_get(node, "sep") : "", *outer = at.suffix;
    const pose origin = at.frame;
    ph_vec3 offset = {0}, euler = {0};
    pose step = pose_identity();
    int digits = 1;
    robot_vector(m->r, node, "offset", &offset);
    robot_vector(m->r, node, "euler", &euler);
    if (count < 0 || count > REPLICAS_MAX) {
        robot_fail(m->r, node, "count", NULL, "replicate makes 0 to %d copies", REPLICAS_MAX);
        return;
    }
    at.class = mjcf_child_class(m, node, at.class);
    for (int n = 10; n < count; n *= 10) digits++;
    for (int k = 0; k < count && !m->r->out_of_memory; k++) {
        step.q = mjcf_euler(m, (double[]){k * euler.x, k * euler.y, k * euler.z});
        at.frame = pose_mul(origin, step);
        at.suffix = robot_printf(m->r, "%s%s%0*d", outer, sep, digits, k);
        mjcf_enter_suffix(m->r, at.suffix);
        go(m, node, at);
        step.p = pose_apply(step, offset);
    }
}

static bool look_only(const xml_node *n)
{
    return xml_is(n, "camera") || xml_is(n, "light");
}

static void read_body(mjcf *m, const xml_node *node, mjcf_place at);

static void in_attached(mjcf *m, const xml_node *node, mjcf_place at, walk *go)
{
    mjcf_attachment a;
    if (!mjcf_attach(m, node, &a)) return;
    m->r->prefix = a.model->prefix;
    at.class = a.class;
    if (!a.node) {
        for (const xml_node *w = xml_child(a.model->root, "worldbody"); w; w = xml_next(w, "worldbody")) {
            go(a.model, w, at);
        }
    } else if (xml_is(a.node, "frame")) {
        in_frame(a.model, a.node, at, go);
    } else if (go == walk_bodies) {
        read_body(a.model, a.node, at);
    }
    m->r->prefix = m->prefix;
}

static void read_own(mjcf *m, const xml_node *n, mjcf_place at)
{
    if (xml_is(n, "geom")) {
        mjcf_read_geom(m, n, at);
    } else if (xml_is(n, "joint") || xml_is(n, "freejoint")) {
        mjcf_read_joint(m, n, at);
    } else if (xml_is(n, "site")) {
        read_site(m, n, at);
    } else if (xml_is(n, "inertial")) {
        read_inertial(m, n, at);
    } else if (look_only(n)) {
        robot_note(m->r, n, "cameras and lights say nothing about the motion");
    } else if (!xml_is(n, "body") && !xml_is(n, "frame") && !xml_is(n, "replicate")) {
        robot_fail(m->r, n, NULL, NULL, "<%.40s> in a body is not read", n->name);
    }
}

static void walk_own(mjcf *m, const xml_node *parent, mjcf_place at)
{
    for
        XML_EACH(n, parent)
        {
            if (xml_is(n, "frame")) {
                in_frame(m, n, at, walk_own);
            } else if (xml_is(n, "replicate")) {
                in_replicas(m, n, at, walk_own);
            } else if (xml_is(n, "attach")) {
                in_attached(m, n, at, walk_own);
            } else {
                read_own(m, n, at);
            }
        }
}

static void read_body(mjcf *m, const xml_node *node, mjcf_place at)
{
    const mjcf_element e = {m, node, NULL, "body"};
    robot *r = m->r;
    const int i = ROBOT_ADD(r, bodies);
    if (i < 0) {
        return;
    }
    robot_body *b = &r->bodies[i];
    *b = (robot_body){.name = mjcf_name(r, node, at.suffix),
                      .node = node,
                      .parent = at.body,
                      .from_geoms = m->from_geoms != FROM_GEOMS_NEVER,
                      .first_joint = r->joints_count};
    b->local = pose_mul(at.frame, element_pose(&e));
    b->world = pose_mul(r->bodies[at.body].world, b->local);
    b->gravcomp = robot_number(r, node, "gravcomp", 0.0);
    b->mocap = robot_words_equal(xml_get(node, "mocap"), "true");
    mjcf_place inside = {i, pose_identity(), mjcf_child_class(m, node, at.class), at.suffix};
    walk_own(m, node, inside);
    r->bodies[i].joint_count = r->joints_count - r->bodies[i].first_joint;
    walk_bodies(m, node, inside);
}

static void walk_bodies(mjcf *m, const xml_node *parent, mjcf_place at)
{
    for
        XML_EACH(n, parent)
        {
            if (xml_is(n, "body")) {
                read_body(m, n, at);
            } else if (xml_is(n, "frame")) {
                in_frame(m, n, at, walk_bodies);
            } else if (xml_is(n, "replicate")) {
                in_replicas(m, n, at, walk_bodies);
            } else if (xml_is(n, "attach")) {
                in_attached(m, n, at, walk_bodies);
            }
        }
}

void mjcf_read_bodies(mjcf *m)
{
    robot *r = m->r;
    const int world = ROBOT_ADD(r, bodies);
    if (world < 0) {
        return;
    }
    r->bodies[world] =
        (robot_body){.name = "world", .parent = ROBOT_NONE, .local = pose_identity(), .world = pose_identity()};
    mjcf_place at = {ROBOT_WORLD, pose_identity(), m->classes, ""};
    for (const xml_node *w = xml_child(m->root, "worldbody"); w; w = xml_next(w, "worldbody")) {
        at.class = mjcf_child_class(m, w, m->classes);
        walk_own(m, w, at);
        walk_bodies(m, w, at);
    }
}
