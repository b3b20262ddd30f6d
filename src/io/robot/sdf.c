// SDF: worlds, models, links and joints. Links hang together by joints in any way; a tree is chosen, what remains closes loops.

#include "io/robot/sdf.h"

#include "math/mat3.h"
#include "math/quat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- Entities -------------------------------------------------------------------------------------------------------------------

// Elements that another program has added for itself: joints and couplings among them, so that the motion may differ.
static void leave_unread(robot *r, const xml_node *n)
{
    const char *what = robot_printf(r, "<%.60s> is not read", n->name);
    if (strncmp(n->name, "drake:", 6) == 0)
        robot_leave_out(r, n, NULL, what);
    else
        robot_note(r, n, what);
}

static void add_model(sdf *s, const xml_node *node, int scope, bool is_static, int depth)
{
    const int model = depth < 100 ? sdf_add(s, SDF_MODEL, node, scope) : -1;
    if (model < 0) {
        return;
    }
    is_static = is_static || sdf_is_true(node, "static");
    s->entities[model].is_static = is_static;
    for
        XML_EACH(n, node)
        {
            const bool link = xml_is(n, "link");
            if (link || xml_is(n, "joint") || xml_is(n, "frame")) {
                const int i = sdf_add(s, link ? SDF_LINK : xml_is(n, "joint") ? SDF_JOINT : SDF_FRAME, n, model);
                if (i >= 0) {
                    s->entities[i].is_static = is_static;
                    s->entities[i].group = sdf_is_true(node, "self_collide") ? 0 : model + 1;
                }
            } else if (xml_is(n, "model")) {
                add_model(s, n, model, is_static, depth + 1);
            } else if (!xml_is(n, "pose") && !xml_is(n, "static") && !xml_is(n, "self_collide") && *n->name) {
                leave_unread(s->r, n);
            }
        }
}

static void read_world(sdf *s, const xml_node *world)
{
    const xml_node *g = xml_child(world, "gravity");
    double v[3] = {0, 0, -9.8};
    if (g && robot_numbers(s->r, g, NULL, g->text, v, 3) != 3) {
        robot_fail(s->r, g, NULL, NULL, "gravity needs three numbers");
    }
    s->r->gravity = (ph_vec3){v[0], v[1], v[2]};
    for
        XML_EACH(n, world)
        {
            if (xml_is(n, "model")) {
                s->models++;
            }
        }
    for
        XML_EACH(n, world)
        {
            if (xml_is(n, "model")) {
                add_model(s, n, 0, false, 0);
            } else if (xml_is(n, "frame") || xml_is(n, "joint")) {
                sdf_add(s, xml_is(n, "joint") ? SDF_JOINT : SDF_FRAME, n, 0);
            } else if (!xml_is(n, "gravity")) {
                robot_note(s->r, n, robot_printf(s->r, "<%.60s> is not read", n->name));
            }
        }
}

// ---- Links ----------------------------------------------------------------------------------------------------------------------

static void read_inertial(sdf *s, const xml_node *link, robot_body *b)
{
    const xml_node *n = xml_child(link, "inertial"), *i = n ? xml_child(n, "inertia") : NULL;
    static const char *const words[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    double v[6] = {1, 1, 1, 0, 0, 0};
    const pose at = sdf_pose(s, n ? xml_child(n, "pose") : NULL);
    if (n && robot_words_equal(xml_get(n, "auto"), "true")) {
        robot_fail(s->r, n, "auto", NULL, "inertias computed from shapes are not read");
    }
    b->mass = n ? links_text_number(s->r, xml_child(n, "mass"), 1.0) : 1.0;
    b->has_mass = true;
    b->com = at.p;
    for (int k = 0; k < 6; k++) v[k] = i ? links_text_number(s->r, xml_child(i, words[k]), v[k]) : v[k];
    b->inertia = inertia_turned((ph_mat3){{{v[0], v[3], v[4]}, {v[3], v[1], v[5]}, {v[4], v[5], v[2]}}}, at.q);
    if (!n) robot_note(s->r, link, "a link without inertial has mass 1 and inertia 1");
    b->gravcomp = xml_child(link, "gravity") && !sdf_is_true(link, "gravity") ? 1.0 : 0.0;
}

static bool vector_in(robot *r, const xml_node *node, const char *child, ph_vec3 *to)
{
    const xml_node *n = xml_child(node, child);
    double v[3];
    if (!n || robot_numbers(r, n, NULL, n->text, v, 3) != 3) {
        return false;
    }
    *to = (ph_vec3){v[0], v[1], v[2]};
    return true;
}

static bool read_mesh(robot *r, const xml_node *n, robot_geom *g, bool collides)
{
    ph_vec3 scale = {1, 1, 1};
    const char *uri = sdf_text(n, "uri");
    vector_in(r, n, "scale", &scale);
    g->kind = GEOM_MESH;
    g->mesh = uri ? links_mesh(r, n, uri, scale) : NULL;
    if (!g->mesh) links_lost_mesh(r, n, collides);
    return g->mesh != NULL;
}

static bool read_geometry(robot *r, const xml_node *n, robot_geom *g, bool collides)
{
    const double radius = links_text_number(r, xml_child(n, "radius"), 1.0),
                 length = links_text_number(r, xml_child(n, "length"), 1.0);
    ph_vec3 v = {1, 1, 1};
    if (xml_is(n, "box")) {
        g->kind = GEOM_BOX;
        vector_in(r, n, "size", &v);
        g->size = ph_scale(0.5, v);
    } else if (xml_is(n, "sphere")) {
        g->kind = GEOM_SPHERE;
        g->size.x = radius;
    } else if (xml_is(n, "cylinder") || xml_is(n, "capsule")) {
        g->kind = xml_is(n, "cylinder") ? GEOM_CYLINDER : GEOM_CAPSULE;
        g->size = (ph_vec3){radius, 0.5 * length, 0.0};
    } else if (xml_is(n, "ellipsoid")) {
        g->kind = GEOM_ELLIPSOID;
        vector_in(r, n, "radii", &v);
        g->size = v;
    } else if (xml_is(n, "plane")) {
        const ph_vec3 z = {0, 0, 1};
        ph_vec3 normal = z;
        vector_in(r, n, "normal", &normal);
        const ph_vec3 axis = ph_cross(z, normal);
        g->kind = GEOM_PLANE;
        if (ph_norm(axis) > 1e-12 * ph_norm(normal))
            g->local.q = ph_quat_mul(g->local.q, quat_turn(axis, atan2(ph_norm(axis), normal.z)));
    } else if (xml_is(n, "mesh")) {
        return read_mesh(r, n, g, collides);
    } else {
        if (collides) {
            robot_leave_out(r, n, NULL, robot_printf(r, "a shape <%.40s>", n->name));
        } else {
            robot_note(r, n, robot_printf(r, "a shape <%.40s> for the eye", n->name));
        }
        return false;
    }
    return true;
}

static void read_shapes(sdf *s, int link, int body)
{
    const sdf_entity *e = &s->entities[link];
    for
        XML_EACH(n, e->node)
        {
            const bool collides = xml_is(n, "collision");
            const xml_node *geometry = collides || xml_is(n, "visual") ? xml_child(n, "geometry") : NULL;
            const xml_node *pose_node = xml_child(n, "pose");
            robot_geom g = {.node = n,
                            .body = body,
                            .local = sdf_pose(s, pose_node),
                            .friction = {1.0, 0.0, 0.0},
                            .group = e->group};
            if (!geometry || !geometry->first) {
                continue;
            }
            const char *other = pose_node ? xml_get(pose_node, "relative_to") : NULL;
            const int frame = other && *other ? sdf_find(s, e->scope, other) : -1;
            if (frame >= 0 && sdf_resolve(s, frame)) {
                g.local = pose_mul(pose_mul(pose_inverse(s->entities[link].world), s->entities[frame].world), g.local);
            }
            const xml_node *mu = xml_child(xml_child(xml_child(xml_child(n, "surface"), "friction"), "ode"), "mu");
            g.friction[0] = links_text_number(s->r, mu, 1.0);
            if (read_geometry(s->r, geometry->first, &g, collides)) links_add_geom(s->r, g, collides);
        }
}

static int add_body(sdf *s, int link, int parent)
{
    robot *r = s->r;
    const int i = ROBOT_ADD(r, bodies);
    if (i < 0) {
        return i;
    }
    const sdf_entity *e = &s->entities[link];
    robot_body b = {.name = sdf_full_name(s, link),
                    .node = e->node,
                    .parent = parent,
                    .first_joint = r->joints_count,
                    .world = e->world};
    b.local = pose_mul(pose_inverse(r->bodies[parent].world), e->world);
    read_inertial(s, e->node, &b);
    r->bodies[i] = b;
    s->entities[link].body = i;
    s->entities[link].in_tree = true;
    return i;
}

// ---- The tree -------------------------------------------------------------------------------------------------------------------

static bool ends_of(sdf *s, int joint, int ends[2])
{
    const sdf_entity *e = &s->entities[joint];
    static const char *const words[] = {"parent", "child"};
    for (int k = 0; k < 2; k++) {
        const char *name = sdf_text(e->node, words[k]);
        const int found = name ? sdf_find(s, e->scope, name) : -1;
        ends[k] = found >= 0 ? sdf_link_of(s, found, 0) : -1;
        if (ends[k] < 0) {
            return robot_fail(s->r, e->node, NULL, NULL, "the %s of the joint '%.60s' is not there: '%.60s'", words[k],
                              e->name, name ? name : "");
        }
    }
    return true;
}

// Axis and anchor in the frame of the body.
static void add_joints(sdf *s, int joint, robot_joint *kinds, int count, int body)
{
    robot *r = s->r;
    const pose back = pose_inverse(r->bodies[body].world);
    for (int k = 0; k < count; k++) {
        const int i = ROBOT_ADD(r, joints);
        if (i < 0) {
            return;
        }
        kinds[k].body = body;
        kinds[k].axis = ph_quat_rotate(back.q, kinds[k].world_axis);
        kinds[k].anchor = pose_apply(back, s->entities[joint].world.p);
        r->joints[i] = kinds[k];
        r->bodies[body].joint_count++;
    }
}

static void hang(sdf *s, int link, int body, int depth);

static void hang_child(sdf *s, int joint, int child, int parent, int depth)
{
    robot_joint kinds[2];
    if (!sdf_resolve(s, joint) || !sdf_resolve(s, child)) {
        return;
    }
    const int count = sdf_joint_kinds(s, joint, kinds);
    if (count < 0) {
        return;
    }
    const int body = add_body(s, child, parent);
    if (body >= 0) {
        s->entities[joint].in_tree = true;
        add_joints(s, joint, kinds, count, body);
        read_shapes(s, child, body);
        hang(s, child, body, depth + 1);
    }
}

static void hang(sdf *s, int link, int body, int depth)
{
    for (int i = 0; i < s->entities_count && depth < 2000 && s->r->errors == 0; i++) {
        int ends[2];
        if (s->entities[i].kind != SDF_JOINT || s->entities[i].in_tree || s->entities[i].is_static ||
            !ends_of(s, i, ends)) {
            continue;
        }
        if (ends[0] == link && ends[1] > 0 && !s->entities[ends[1]].in_tree) {
            hang_child(s, i, ends[1], body, depth);
        }
    }
}

static bool is_child(sdf *s, int link)
{
    for (int i = 0; i < s->entities_count; i++) {
        int ends[2];
        if (s->entities[i].kind == SDF_JOINT && !s->entities[i].is_static && ends_of(s, i, ends) && ends[1] == link) {
            return true;
        }
    }
    return false;
}

static void add_root(sdf *s, int link)
{
    robot *r = s->r;
    if (!sdf_resolve(s, link)) {
        return;
    }
    const bool is_static = s->entities[link].is_static;
    const int body = add_body(s, link, ROBOT_WORLD);
    if (body < 0) {
        return;
    }
    const bool held = !is_static && r->bodies[body].mass == 0.0;
    if (held) robot_approximate(r, s->entities[link].node, NULL, "a base whose mass is zero is held");
    if (!is_static && !held) {
        const int i = ROBOT_ADD(r, joints);
        if (i < 0) return;
        r->joints[i] =
            (robot_joint){.node = s->entities[link].node, .kind = JOINT_FREE, .body = body, .index = PH_NONE};
        r->bodies[body].joint_count = 1;
    }
    read_shapes(s, link, body);
    hang(s, link, body, 0);
}

// Links that no joint carries first; then those that are left, which lie in a ring.
static void add_roots(sdf *s)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < s->entities_count && s->r->errors == 0; i++) {
            const sdf_entity *e = &s->entities[i];
            if (e->kind == SDF_LINK && !e->in_tree && (pass > 0 || e->is_static || !is_child(s, i))) {
                add_root(s, i);
            }
        }
    }
}

// ---- Loops ----------------------------------------------------------------------------------------------------------------------

static void add_loop(sdf *s, int joint)
{
    robot *r = s->r;
    robot_joint kinds[2];
    int ends[2];
    if (!ends_of(s, joint, ends) || !sdf_resolve(s, joint)) {
        return;
    }
    const int count = sdf_joint_kinds(s, joint, kinds);
    if (count < 0) {
        return;
    }
    if (count == 2 || (count == 1 && kinds[0].kind == JOINT_SCREW)) {
        robot_leave_out(r, s->entities[joint].node, NULL, "a universal joint or screw that closes a loop");
        return;
    }
    const int i = ROBOT_ADD(r, loops);
    if (i < 0) {
        return;
    }
    robot_loop *loop = &r->loops[i];
    *loop = (robot_loop){.name = s->entities[joint].name, .node = s->entities[joint].node, .drawn = true};
    loop->kind = count == 0                     ? LOOP_WELD
                 : kinds[0].kind == JOINT_BALL  ? LOOP_CONNECT
                 : kinds[0].kind == JOINT_HINGE ? LOOP_REVOLUTE
                                                : LOOP_PRISMATIC;
    for (int k = 0; k < 2; k++) {
        loop->body[k] = ends[k] == 0 ? ROBOT_WORLD : s->entities[ends[k]].body;
        loop->frame[k] = pose_mul(pose_inverse(r->bodies[loop->body[k]].world), s->entities[joint].world);
    }
    loop->axis = ph_quat_rotate(ph_quat_conj(s->entities[joint].world.q), kinds[0].world_axis);
    if (count == 1 && (kinds[0].has_low || kinds[0].has_high || kinds[0].damping != 0.0 || kinds[0].stiffness != 0.0 ||
                       kinds[0].friction != 0.0)) {
        robot_leave_out(r, loop->node, NULL, "limits, springs, dampers and friction of a joint that closes a loop");
    }
}

void sdf_read(robot *r, xml_node *root)
{
    sdf s = {.r = r, .root = root};
    r->step = 0.001;
    r->contact = true;
    r->gravity = (ph_vec3){0.0, 0.0, -9.8};
    sdf_expand(r, root, 0);
    const int world = sdf_add(&s, SDF_WORLD, NULL, -1);
    if (world < 0 || links_add_world(r) < 0 || r->errors > 0) {
        mem_free(NULL, s.entities);
        return;
    }
    s.entities[world].state = 2;
    s.entities[world].world = pose_identity();
    s.entities[world].in_tree = true;
    const xml_node *first = xml_child(root, "world");
    if (first) {
        read_world(&s, first);
        if (xml_next(first, "world")) robot_leave_out(r, xml_next(first, "world"), NULL, "worlds after the first");
    } else {
        for (const xml_node *n = xml_child(root, "model"); n; n = xml_next(n, "model")) s.models++;
        for (const xml_node *n = xml_child(root, "model"); n; n = xml_next(n, "model")) add_model(&s, n, 0, false, 0);
    }
    r->name = first ? xml_get(first, "name") : s.models > 0 ? xml_get(xml_child(root, "model"), "name") : "";
    r->name = r->name ? r->name : "";
    hang(&s, world, ROBOT_WORLD, 0);
    add_roots(&s);
    for (int i = 0; i < s.entities_count && r->errors == 0; i++) {
        if (s.entities[i].kind == SDF_JOINT && !s.entities[i].in_tree && !s.entities[i].is_static) add_loop(&s, i);
    }
    mem_free(NULL, s.entities);
}
