// Tendons of MJCF: sums of joint coordinates (fixed) and paths over sites (spatial).

#include "io/robot/mjcf.h"

#include <string.h>

static int count_children(const xml_node *n)
{
    int count = 0;
    for
        XML_EACH(c, n) count++;
    return count;
}

static bool read_terms(mjcf *m, const xml_node *n, robot_tendon *t)
{
    t->terms = robot_alloc(m->r, (size_t)count_children(n) + 1, sizeof *t->terms);
    for
        XML_EACH(c, n)
        {
            const int joint = robot_find_joint(m->r, c, "joint");
            if (joint < 0 || !t->terms) {
                return false;
            }
            t->terms[t->term_count++] = (robot_term){joint, robot_number(m->r, c, "coef", 1.0)};
        }
    return true;
}

static bool read_path(mjcf *m, const xml_node *n, robot_tendon *t)
{
    t->points = robot_alloc(m->r, (size_t)count_children(n) + 1, sizeof *t->points);
    for
        XML_EACH(c, n)
        {
            if (!xml_is(c, "site")) {
                robot_leave_out(m->r, n, NULL, robot_printf(m->r, "a tendon over a <%s>", c->name));
                return false;
            }
            const int site = robot_find_site(m->r, c, "site");
            if (site < 0 || !t->points) {
                return false;
            }
            t->points[t->point_count++] = (robot_point){m->r->sites[site].body, m->r->sites[site].local.p};
        }
    return true;
}

static double read_first(mjcf *m, const mjcf_element *e, const char *attribute)
{
    double v[3] = {0};
    element_numbers(e, attribute, v, 3);
    if (v[1] != 0.0 || v[2] != 0.0)
        robot_leave_out(m->r, e->node, attribute, "higher powers in springs and dampers of tendons");
    return v[0];
}

static void read_spring(mjcf *m, const mjcf_element *e, robot_tendon *t)
{
    double rest[2] = {-1.0, -1.0};
    const int count = element_numbers(e, "springlength", rest, 2);
    t->stiffness = m->disabled_spring ? 0.0 : read_first(m, e, "stiffness");
    t->damping = m->disabled_damper ? 0.0 : read_first(m, e, "damping");
    t->friction = m->disabled_friction ? 0.0 : element_number(e, "frictionloss", 0.0);
    t->rest_low = rest[0];
    t->rest_high = count == 2 ? rest[1] : rest[0];
    t->has_rest = t->rest_low != -1.0 || t->rest_high != -1.0; // sums of joint coordinates may be negative
    if (element_range(e, "limited", "range", &t->low, &t->high) && !m->disabled_limit) {
        t->has_low = t->has_high = true;
        robot_approximate(m->r, e->node, NULL, "limits of tendons are soft in MuJoCo, here they are stops");
    }
    t->armature = element_number(e, "armature", 0.0);
}

// Over one joint it is that joint's.
void mjcf_move_armatures(mjcf *m)
{
    robot *r = m->r;
    for (int i = 0; i < r->tendons_count; i++) {
        const robot_tendon *t = &r->tendons[i];
        if (t->armature != 0.0 && t->term_count == 1) {
            const robot_term *only = &t->terms[0];
            r->joints[only->joint].armature += only->factor * only->factor * t->armature;
        } else if (t->armature != 0.0) {
            robot_leave_out(r, t->node, "armature", "the inertia of a tendon over several joints or sites");
        }
    }
}

static void read_tendon(mjcf *m, const xml_node *n)
{
    const mjcf_element e = {m, n, mjcf_class_of(m, n, m->classes), "tendon"};
    robot_tendon t = {.name = mjcf_name(m->r, n, m->r->suffix ? m->r->suffix : ""), .node = n, .index = PH_NONE};
    read_spring(m, &e, &t);
    if (!(xml_is(n, "fixed") ? read_terms(m, n, &t) : read_path(m, n, &t))) {
        t.term_count = t.point_count = 0; // keeps its place: others may name it
    }
    const int i = ROBOT_ADD(m->r, tendons);
    if (i >= 0) {
        m->r->tendons[i] = t;
    }
}

void mjcf_read_tendons(mjcf *m)
{
    for (const xml_node *s = xml_child(m->root, "tendon"); s; s = xml_next(s, "tendon")) {
        for
            XML_EACH(n, s)
            {
                mjcf_read_replicas(m, n, read_tendon);
            }
    }
}
