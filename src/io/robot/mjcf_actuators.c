// Actuators of MJCF. A shortcut (motor, position, ...) is a <general> with gain and bias of its own, and default classes may
// mix them, so that each element on the way from the main class to the actuator changes one record in turn.

#include "io/robot/mjcf.h"

#include <string.h>

typedef struct actuator_state {
    robot_actuator a;
    const char *refused;           // a kind that cannot be read; NULL: it can
    const char *gain, *bias, *dyn; // types, which say what of the numbers counts
    const char *ctrl_limited, *force_limited, *act_limited;
    bool has_ctrl, has_force, has_act;
    double inherit;
} actuator_state;

static void read_range(robot *r, const xml_node *n, const char *attribute, bool *has, double *low, double *high)
{
    const char *text = xml_get(n, attribute);
    double v[2];
    if (text && robot_numbers(r, n, attribute, text, v, 2) == 2) {
        *has = true;
        *low = v[0];
        *high = v[1];
    }
}

// Numbers that an attribute gives; the rest are zero.
static void read_row(robot *r, const xml_node *n, const char *attribute, double *to, int count)
{
    const char *text = xml_get(n, attribute);
    double v[10] = {0};
    if (text && robot_numbers(r, n, attribute, text, v, 10) > 0) memcpy(to, v, (size_t)count * sizeof *to);
}

static void read_common(robot *r, const xml_node *n, actuator_state *s)
{
    const char *gear = xml_get(n, "gear");
    read_range(r, n, "ctrlrange", &s->has_ctrl, &s->a.ctrl_low, &s->a.ctrl_high);
    read_range(r, n, "forcerange", &s->has_force, &s->a.force_low, &s->a.force_high);
    read_range(r, n, "actrange", &s->has_act, &s->a.act_low, &s->a.act_high);
    s->ctrl_limited = xml_get(n, "ctrllimited") ? xml_get(n, "ctrllimited") : s->ctrl_limited;
    s->force_limited = xml_get(n, "forcelimited") ? xml_get(n, "forcelimited") : s->force_limited;
    s->act_limited = xml_get(n, "actlimited") ? xml_get(n, "actlimited") : s->act_limited;
    s->inherit = robot_number(r, n, "inheritrange", s->inherit);
    if (gear) robot_numbers(r, n, "gear", gear, s->a.gear, 6);
    s->a.armature = robot_number(r, n, "armature", s->a.armature);
    read_row(r, n, "damping", s->a.damping, 3);
}

// ---- The kinds ----------------------------------------------------------------------------------------------------------

static void set_types(actuator_state *s, const char *gain, const char *bias)
{
    s->gain = gain;
    s->bias = bias;
}

static void read_general(robot *r, const xml_node *n, actuator_state *s)
{
    read_row(r, n, "gainprm", s->a.gain, 3);
    read_row(r, n, "biasprm", s->a.bias, 3);
    read_row(r, n, "dynprm", &s->a.tau, 1);
    s->gain = xml_get(n, "gaintype") ? xml_get(n, "gaintype") : s->gain;
    s->bias = xml_get(n, "biastype") ? xml_get(n, "biastype") : s->bias;
    s->dyn = xml_get(n, "dyntype") ? xml_get(n, "dyntype") : s->dyn;
}

static void read_motor(robot *r, const xml_node *n, actuator_state *s)
{
    (void)r, (void)n;
    s->a.gain[0] = 1.0;
    s->dyn = "none";
    set_types(s, "fixed", "none");
}

// The third number of the bias is -kv, or the ratio of damping where it is above zero.
static void read_position(robot *r, const xml_node *n, actuator_state *s)
{
    const double kp = robot_number(r, n, "kp", s->a.gain[0]);
    s->a.gain[0] = kp;
    s->a.bias[1] = -kp;
    if (xml_get(n, "kv")) s->a.bias[2] = -robot_number(r, n, "kv", 0.0);
    if (xml_get(n, "dampratio")) s->a.bias[2] = robot_number(r, n, "dampratio", 0.0);
    if (xml_get(n, "timeconst")) {
        s->a.tau = robot_number(r, n, "timeconst", 0.0);
        s->dyn = s->a.tau == 0.0 ? "none" : "filterexact";
    }
    set_types(s, "fixed", "affine");
}

static void read_integrated(robot *r, const xml_node *n, actuator_state *s)
{
    read_position(r, n, s);
    s->dyn = "integrator";
    s->act_limited = "true";
}

static void read_velocity(robot *r, const xml_node *n, actuator_state *s)
{
    const double kv = robot_number(r, n, "kv", s->a.gain[0]);
    memcpy(s->a.bias, (double[3]){0, 0, -kv}, sizeof s->a.bias);
    s->a.gain[0] = kv;
    s->dyn = "none";
    set_types(s, "fixed", "affine");
}

static void read_damper(robot *r, const xml_node *n, actuator_state *s)
{
    memcpy(s->a.gain, (double[3]){0, 0, -robot_number(r, n, "kv", 1.0)}, sizeof s->a.gain);
    s->ctrl_limited = "true";
    s->dyn = "none";
    set_types(s, "affine", "none");
}

static void read_cylinder(robot *r, const xml_node *n, actuator_state *s)
{
    const double pi = 3.14159265358979323846, diameter = robot_number(r, n, "diameter", 0.0);
    s->a.gain[0] = robot_number(r, n, "area", s->a.gain[0]);
    if (xml_get(n, "diameter")) s->a.gain[0] = 0.25 * pi * diameter * diameter;
    s->a.tau = robot_number(r, n, "timeconst", s->a.tau);
    read_row(r, n, "bias", s->a.bias, 3);
    s->dyn = "filter";
    set_types(s, "fixed", "affine");
}

static const struct {
    const char *name;
    void (*read)(robot *r, const xml_node *n, actuator_state *s); // NULL: not read
} kinds[] = {
    {"general", read_general},
    {"motor", read_motor},
    {"position", read_position},
    {"velocity", read_velocity},
    {"intvelocity", read_integrated},
    {"damper", read_damper},
    {"cylinder", read_cylinder},
    {"muscle", NULL},
    {"adhesion", NULL},
    {"dcmotor", NULL},
    {"pid", NULL},
    {"orientation", NULL},
    {"plugin", NULL},
};

static int kind_of(const xml_node *n)
{
    const int count = (int)(sizeof kinds / sizeof kinds[0]);
    for (int i = 0; i < count; i++) {
        if (xml_is(n, kinds[i].name)) return i;
    }
    return -1;
}

static void apply(robot *r, const xml_node *n, actuator_state *s)
{
    const int kind = kind_of(n);
    if (kind < 0) return;
    read_common(r, n, s);
    s->refused = kinds[kind].read ? NULL : n->name;
    if (kinds[kind].read) kinds[kind].read(r, n, s);
}

// What the types leave of the numbers. False: a type that is not read.
static bool settle(robot *r, actuator_state *s)
{
    static const char *const known[] = {"fixed", "affine", "none", "filter", "filterexact", "integrator"};
    const char *const types[] = {s->gain, s->bias, s->dyn};
    for (int k = 0; k < 3 && !s->refused; k++) {
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) found = found || strcmp(types[k], known[i]) == 0;
        if (!found) s->refused = types[k];
    }
    if (s->refused) {
        robot_leave_out(r, s->a.node, NULL, robot_printf(r, "an actuator of the kind '%s'", s->refused));
        return false;
    }
    if (s->a.gain[0] == -s->a.bias[1] && s->a.bias[2] > 0.0) s->a.damp_ratio = s->a.bias[2];
    if (strcmp(s->gain, "affine") != 0) s->a.gain[1] = s->a.gain[2] = 0.0;
    if (strcmp(s->bias, "affine") != 0) memset(s->a.bias, 0, sizeof s->a.bias);
    s->a.activation = strncmp(s->dyn, "filter", 6) == 0   ? ACTIVATION_FILTER
                      : strcmp(s->dyn, "integrator") == 0 ? ACTIVATION_INTEGRATOR
                                                          : ACTIVATION_NONE;
    return true;
}

static void apply_class(robot *r, const mjcf_class *class, actuator_state *s)
{
    if (!class) {
        return;
    }
    apply_class(r, class->parent, s);
    for (int i = 0; i < class->node_count; i++) {
        for
            XML_EACH(n, class->nodes[i])
            {
                apply(r, n, s);
            }
    }
}

// ---- One actuator ---------------------------------------------------------------------------------------------------------

static bool limited(const mjcf *m, const char *word, bool has)
{
    return word && strcmp(word, "auto") != 0 ? strcmp(word, "true") == 0 : m->autolimits && has;
}

// What it acts on. False: nothing that is read.
static bool read_transmission(mjcf *m, const xml_node *n, robot_actuator *a)
{
    robot *r = m->r;
    a->joint = a->tendon = a->site = ROBOT_NONE;
    if (xml_get(n, "joint") || xml_get(n, "jointinparent")) {
        a->joint = robot_find_joint(r, n, xml_get(n, "joint") ? "joint" : "jointinparent");
        if (a->joint >= 0 && r->joints[a->joint].kind != JOINT_HINGE && r->joints[a->joint].kind != JOINT_SLIDE) {
            robot_leave_out(r, n, "joint", "an actuator of a ball or free joint");
            return false;
        }
        return a->joint >= 0;
    }
    if (xml_get(n, "tendon")) {
        a->tendon = robot_find_tendon(r, n, "tendon");
        return a->tendon >= 0;
    }
    if (xml_get(n, "site") && !xml_get(n, "refsite")) {
        a->site = robot_find_site(r, n, "site");
        return a->site >= 0;
    }
    robot_leave_out(r, n, NULL, "an actuator by a slider-crank, a reference site or a body");
    return false;
}

static void inherit_range(mjcf *m, const xml_node *n, actuator_state *s)
{
    if (s->inherit <= 0.0) {
        return;
    }
    const robot_joint *j = s->a.joint >= 0 ? &m->r->joints[s->a.joint] : NULL;
    const robot_tendon *t = s->a.tendon >= 0 ? &m->r->tendons[s->a.tendon] : NULL;
    if ((!j || !j->has_high) && (!t || !t->has_high)) {
        robot_fail(m->r, n, "inheritrange", NULL, "inheritrange needs a joint or tendon with a range");
        return;
    }
    const double low = j ? j->low : t->low, high = j ? j->high : t->high, middle = 0.5 * (low + high);
    const bool act = s->a.activation == ACTIVATION_INTEGRATOR;
    *(act ? &s->a.act_low : &s->a.ctrl_low) = middle - 0.5 * s->inherit * (high - low);
    *(act ? &s->a.act_high : &s->a.ctrl_high) = middle + 0.5 * s->inherit * (high - low);
    *(act ? &s->has_act : &s->has_ctrl) = true;
}

// What turns with its target, geared: part of the joint's or the tendon's own.
static void add_rotor(mjcf *m, const robot_actuator *a)
{
    robot *r = m->r;
    const double g2 = a->gear[0] * a->gear[0];
    const double *d = a->damping;
    const bool damps = !m->disabled_damper && (d[0] != 0.0 || d[1] != 0.0 || d[2] != 0.0);
    if (a->joint >= 0) {
        robot_joint *j = &r->joints[a->joint];
        j->armature += g2 * a->armature;
        if (!damps) return;
        j->damping += g2 * d[0];
        j->further_damping[0] += g2 * d[1];
        j->further_damping[1] += g2 * d[2];
    } else if (a->tendon >= 0) {
        robot_tendon *t = &r->tendons[a->tendon];
        t->armature += g2 * a->armature;
        if (!damps) return;
        t->damping += g2 * d[0];
        if (d[1] != 0.0 || d[2] != 0.0) robot_leave_out(r, a->node, "damping", "higher powers in dampers of tendons");
    } else if (a->armature != 0.0 || damps) {
        robot_leave_out(r, a->node, NULL, "armature and damping of an actuator at a site");
    }
}

static void read_actuator(mjcf *m, const xml_node *n)
{
    robot *r = m->r;
    actuator_state s = {.a = {.name = mjcf_name(m->r, n, m->r->suffix ? m->r->suffix : ""),
                              .node = n,
                              .gear = {1},
                              .gain = {1},
                              .tau = 1.0},
                        .gain = "fixed",
                        .bias = "none",
                        .dyn = "none"};
    s.a.control = r->controls++;
    apply_class(r, mjcf_class_of(m, n, m->classes), &s);
    apply(r, n, &s);
    const bool known = settle(r, &s),
               turns = s.a.armature != 0.0 || s.a.damping[0] != 0.0 || s.a.damping[1] != 0.0 || s.a.damping[2] != 0.0;
    if ((!known && !turns) || !read_transmission(m, n, &s.a)) return;
    add_rotor(m, &s.a); // also of a kind that is not read
    if (!known) return;
    inherit_range(m, n, &s);
    s.a.has_ctrl_range = limited(m, s.ctrl_limited, s.has_ctrl);
    s.a.has_force_range = limited(m, s.force_limited, s.has_force);
    s.a.has_act_range = limited(m, s.act_limited, s.has_act);
    const int i = ROBOT_ADD(r, actuators);
    if (i >= 0) r->actuators[i] = s.a;
}

void mjcf_read_actuators(mjcf *m)
{
    if (m->disabled_actuation) {
        return;
    }
    for (const xml_node *s = xml_child(m->root, "actuator"); s; s = xml_next(s, "actuator")) {
        for
            XML_EACH(n, s)
            {
                mjcf_read_replicas(m, n, read_actuator);
            }
    }
}
