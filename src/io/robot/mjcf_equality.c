// Equalities and contact pairs of MJCF.

#include "io/robot/mjcf.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

// ---- What it joins ------------------------------------------------------------------------------------------------------

// Bodies by name, the second one the world when it is not given; or two sites, whose frames then are to coincide.
static bool read_ends(mjcf *m, const xml_node *n, robot_loop *loop)
{
    robot *r = m->r;
    if (xml_get(n, "site1") || xml_get(n, "site2")) {
        const int a = robot_find_site(r, n, "site1"), b = robot_find_site(r, n, "site2");
        if (a < 0 || b < 0) {
            return false;
        }
        loop->body[0] = r->sites[a].body;
        loop->body[1] = r->sites[b].body;
        loop->frame[0] = r->sites[a].local;
        loop->frame[1] = r->sites[b].local;
        return true;
    }
    loop->drawn = true;
    loop->body[0] = robot_find_body(r, n, "body1");
    loop->body[1] = xml_get(n, "body2") ? robot_find_body(r, n, "body2") : ROBOT_WORLD;
    return loop->body[0] >= 0 && loop->body[1] >= 0;
}

// Frame 0 is given, frame 1 lies there as the model is drawn.
static void close_as_drawn(robot *r, robot_loop *loop)
{
    const pose world = pose_mul(r->bodies[loop->body[0]].world, loop->frame[0]);
    loop->frame[1] = pose_mul(pose_inverse(r->bodies[loop->body[1]].world), world);
}

static bool read_connect(mjcf *m, const xml_node *n, robot_loop *loop)
{
    loop->kind = LOOP_CONNECT;
    if (!read_ends(m, n, loop)) {
        return false;
    }
    if (loop->drawn) {
        loop->frame[0] = pose_identity();
        if (!robot_vector(m->r, n, "anchor", &loop->frame[0].p)) {
            return robot_fail(m->r, n, NULL, NULL, "connect needs an anchor");
        }
        close_as_drawn(m->r, loop);
    }
    return true;
}

// The pose of body 2 in body 1; one without a rotation means: as drawn.
static void read_relative(mjcf *m, const xml_node *n, robot_loop *loop)
{
    robot *r = m->r;
    double v[7] = {0};
    const char *text = xml_get(n, "relpose");
    const int count = text ? robot_numbers(r, n, "relpose", text, v, 7) : 0;
    loop->frame[1] = pose_identity();
    loop->frame[0] = pose_mul(pose_inverse(r->bodies[loop->body[0]].world), r->bodies[loop->body[1]].world);
    if (count == 7 && (v[3] != 0.0 || v[4] != 0.0 || v[5] != 0.0 || v[6] != 0.0)) {
        loop->frame[0] = (pose){{v[0], v[1], v[2]}, ph_quat_unit((ph_quat){v[3], v[4], v[5], v[6]})};
        loop->drawn = false;
    }
}

static bool read_weld(mjcf *m, const xml_node *n, robot_loop *loop)
{
    loop->kind = LOOP_WELD;
    if (!read_ends(m, n, loop)) {
        return false;
    }
    if (loop->drawn) {
        read_relative(m, n, loop);
    }
    if (m->r->bodies[loop->body[0]].mocap || m->r->bodies[loop->body[1]].mocap) {
        robot_note(m->r, n, "what is welded to a mocap body stays where that is drawn (--without equality lets it go)");
    }
    return true;
}

static bool one_coordinate(mjcf *m, const xml_node *n, const char *attribute, int *joint)
{
    *joint = robot_find_joint(m->r, n, attribute);
    if (*joint < 0) {
        return false;
    }
    const joint_kind kind = m->r->joints[*joint].kind;
    return kind == JOINT_HINGE || kind == JOINT_SLIDE ||
           robot_fail(m->r, n, attribute, NULL, "only hinges and slides can be coupled");
}

static bool read_coupling(mjcf *m, const xml_node *n, robot_loop *loop)
{
    const mjcf_element e = {m, n, NULL, "equality"};
    loop->kind = LOOP_COUPLING;
    loop->joint[1] = ROBOT_NONE;
    memcpy(loop->polynomial, (double[5]){0, 1, 0, 0, 0}, sizeof loop->polynomial);
    element_numbers(&e, "polycoef", loop->polynomial, 5);
    return one_coordinate(m, n, "joint1", &loop->joint[0]) &&
           (!xml_get(n, "joint2") || one_coordinate(m, n, "joint2", &loop->joint[1]));
}

// Lengths L1 - L1(start) = sum a_k (L2 - L2(start))^k: of one joint each, or of two joints and no second tendon.
static bool read_tendons(mjcf *m, const xml_node *n, robot_loop *loop)
{
    const mjcf_element e = {m, n, NULL, "equality"};
    robot *r = m->r;
    const int first = robot_find_tendon(r, n, "tendon1"),
              second = xml_get(n, "tendon2") ? robot_find_tendon(r, n, "tendon2") : first;
    if (first < 0 || second < 0) return false;
    const robot_tendon *y = &r->tendons[first], *x = second != first ? &r->tendons[second] : NULL;
    const bool coupled = x ? y->term_count == 1 && x->term_count == 1 : y->term_count == 1 || y->term_count == 2;
    if (!coupled || y->terms[0].factor == 0.0) {
        robot_leave_out(r, n, NULL, "an equality of tendons over more than two joints, or over sites");
        return false;
    }
    const double c = y->terms[0].factor;
    double a[5] = {0.0, 1.0, 0.0, 0.0, 0.0};
    element_numbers(&e, "polycoef", a, 5);
    loop->kind = LOOP_COUPLING;
    loop->joint[0] = y->terms[0].joint;
    loop->joint[1] = x ? x->terms[0].joint : y->term_count == 2 ? y->terms[1].joint : ROBOT_NONE;
    loop->polynomial[0] = a[0] / c;
    for (int k = 1; x && k < 5; k++) loop->polynomial[k] = a[k] * pow(x->terms[0].factor, k) / c;
    if (!x && y->term_count == 2) loop->polynomial[1] = -y->terms[1].factor / c;
    return true;
}

static bool read_one(mjcf *m, const xml_node *n, robot_loop *loop)
{
    if (xml_is(n, "connect")) {
        return read_connect(m, n, loop);
    }
    if (xml_is(n, "weld")) {
        return read_weld(m, n, loop);
    }
    if (xml_is(n, "joint")) {
        return read_coupling(m, n, loop);
    }
    if (xml_is(n, "tendon")) {
        return read_tendons(m, n, loop);
    }
    robot_leave_out(m->r, n, NULL, robot_printf(m->r, "an equality <%s>", n->name));
    return false;
}

static void read_equality(mjcf *m, const xml_node *n)
{
    const mjcf_element e = {m, n, mjcf_class_of(m, n, m->classes), "equality"};
    robot_loop loop = {.name = mjcf_name(m->r, n, m->r->suffix ? m->r->suffix : ""), .node = n};
    if (element_is(&e, "active", "false")) {
        robot_note(m->r, n, "an equality that is not active is not there");
        return;
    }
    if (!read_one(m, n, &loop)) {
        return;
    }
    robot_approximate(m->r, n, NULL, "equalities are soft in MuJoCo, here they are rigid");
    const int i = ROBOT_ADD(m->r, loops);
    if (i >= 0) {
        m->r->loops[i] = loop;
    }
}

void mjcf_read_equalities(mjcf *m)
{
    if (m->disabled_equality) {
        return;
    }
    for (const xml_node *s = xml_child(m->root, "equality"); s; s = xml_next(s, "equality")) {
        for
            XML_EACH(n, s)
            {
                mjcf_read_replicas(m, n, read_equality);
            }
    }
}

// ---- Who collides -------------------------------------------------------------------------------------------------------

static void add_pair(robot *r, robot_pair pair)
{
    const int i = pair.body[0] >= 0 && pair.body[1] >= 0 ? ROBOT_ADD(r, pairs) : ROBOT_NONE;
    if (i >= 0) {
        r->pairs[i] = pair;
    }
}

static void read_exclude(mjcf *m, const xml_node *n)
{
    const int a = robot_find_body(m->r, n, "body1"), b = robot_find_body(m->r, n, "body2");
    add_pair(m->r, (robot_pair){n, {a, b}, false, -1.0, -1.0, -1.0});
}

static void read_pair(mjcf *m, const xml_node *n)
{
    const mjcf_element e = {m, n, mjcf_class_of(m, n, m->classes), "pair"};
    const int a = robot_find_geom(m->r, n, "geom1"), b = robot_find_geom(m->r, n, "geom2");
    double v[5];
    if (a < 0 || b < 0) {
        return;
    }
    robot_pair pair = {n, {m->r->geoms[a].body, m->r->geoms[b].body}, true, -1.0, -1.0, -1.0};
    const int count = element_numbers(&e, "friction", v, 5);
    const int condim = (int)element_number(&e, "condim", 3.0);
    if (count > 0) pair.friction = v[0];
    if (count > 2 && condim >= 4) pair.spinning = v[2];
    if (count > 3 && condim >= 6) pair.rolling = v[3];
    if (condim == 1) pair.friction = 0.0;
    m->r->geoms[a].contact_type |= m->r->geoms[a].contact_type | m->r->geoms[a].contact_with ? 0 : 1;
    m->r->geoms[b].contact_with |= m->r->geoms[b].contact_type | m->r->geoms[b].contact_with ? 0 : 1;
    robot_approximate(m->r, n, NULL, "a <pair> of two geoms counts for all geoms of the two bodies");
    add_pair(m->r, pair);
}

void mjcf_read_contacts(mjcf *m)
{
    for (const xml_node *s = xml_child(m->root, "contact"); s; s = xml_next(s, "contact")) {
        for
            XML_EACH(n, s)
            {
                if (xml_is(n, "exclude")) {
                    mjcf_read_replicas(m, n, read_exclude);
                } else if (xml_is(n, "pair")) {
                    mjcf_read_replicas(m, n, read_pair);
                }
            }
    }
}
