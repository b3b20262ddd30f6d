// Actuators of MJCF. A shortcut (motor, position, ...) is a <general> with gain and bias of its own, and default classes may
// mix them, so that each element on the way from the main class to the actuator changes one record in turn.

#include "io/robot/mjcf.h"

#include <string.h>

typedef struct actuator_state {
    robot_actuator a;
    const char *refused; // why it cannot be read; NULL: it can
    const char *ctrl_limited, *force_limited, *act_limited;
    bool has_ctrl, has_force, has_act;
    double inherit, damp_ratio;
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
    if (robot_number(r, n, "armature", 0.0) != 0.0 || robot_number(r, n, "damping", 0.0) != 0.0) {
        robot_fail(r, n, NULL, NULL, "armature and damping of an actuator are not read");
    }
}

// ---- The kinds ----------------------------------------------------------------------------------------------------------

static void set_gain(actuator_state *s, double g0, double b1, double b2)
{
    memcpy(s->a.gain, (double[3]){g0, 0, 0}, sizeof s->a.gain);
    memcpy(s->a.bias, (double[3]){0, b1, b2}, sizeof s->a.bias);
}

static void read_general(robot *r, const xml_node *n, actuator_state *s)
{
    const char *gain = xml_get(n, "gainprm"), *bias = xml_get(n, "biasprm"), *dyn = xml_get(n, "dynprm");
    const char *type = xml_get(n, "dyntype"), *gaintype = xml_get(n, "gaintype"), *biastype = xml_get(n, "biastype");
    double v[10] = {0};
    if (gain && robot_numbers(r, n, "gainprm", gain, v, 10) > 0) memcpy(s->a.gain, v, sizeof s->a.gain);
    memset(v, 0, sizeof v);
    if (bias && robot_numbers(r, n, "biasprm", bias, v, 10) > 0) memcpy(s->a.bias, v, sizeof s->a.bias);
    if (dyn && robot_numbers(r, n, "dynprm", dyn, v, 10) > 0) s->a.tau = v[0];
    if (gaintype && strcmp(gaintype, "fixed") != 0 && strcmp(gaintype, "affine") != 0) s->refused = gaintype;
    if (biastype && strcmp(biastype, "none") != 0 && strcmp(biastype, "affine") != 0) s->refused = biastype;
    if (biastype && strcmp(biastype, "none") == 0) memset(s->a.bias, 0, sizeof s->a.bias);
    if (type) {
        s->a.activation = strncmp(type, "filter", 6) == 0   ? ACTIVATION_FILTER
                          : strcmp(type, "integrator") == 0 ? ACTIVATION_INTEGRATOR
                                                            : ACTIVATION_NONE;
        if (s->a.activation == ACTIVATION_NONE && strcmp(type, "none") != 0) s->refused = type;
    }
}

static void read_position(robot *r, const xml_node *n, actuator_state *s, bool integrated)
{
    const double kp = robot_number(r, n, "kp", s->a.gain[0]), kv = robot_number(r, n, "kv", -s->a.bias[2]);
    const double time = robot_number(r, n, "timeconst", 0.0);
    s->damp_ratio = robot_number(r, n, "dampratio", s->damp_ratio);
    set_gain(s, kp, -kp, -kv);
    if (integrated) {
        s->a.activation = ACTIVATION_INTEGRATOR;
    } else if (time > 0.0) {
        s->a.activation = ACTIVATION_FILTER;
        s->a.tau = time;
    }
}

// False: not an actuator, or none that is read.
static void apply(robot *r, const xml_node *n, actuator_state *s)
{
    read_common(r, n, s);
    s->refused = NULL;
    if (xml_is(n, "general")) {
        read_general(r, n, s);
    } else if (xml_is(n, "motor")) {
        set_gain(s, 1.0, 0.0, 0.0);
    } else if (xml_is(n, "position")) {
        read_position(r, n, s, false);
    } else if (xml_is(n, "intvelocity")) {
        read_position(r, n, s, true);
    } else if (xml_is(n, "velocity")) {
        const double kv = robot_number(r, n, "kv", s->a.gain[0]);
        set_gain(s, kv, 0.0, -kv);
    } else if (xml_is(n, "damper")) {
        const double kv = robot_number(r, n, "kv", 1.0);
        set_gain(s, 0.0, 0.0, 0.0);
        s->a.gain[2] = -kv;
    } else {
        s->refused = n->name;
    }
}

static bool is_actuator(const xml_node *n)
{
    static const char *const names[] = {"general", "motor",       "position", "velocity", "intvelocity",
                                        "damper",  "cylinder",    "muscle",   "adhesion", "dcmotor",
                                        "pid",     "orientation", "plugin",   NULL};
    for (int i = 0; names[i]; i++) {
        if (xml_is(n, names[i])) {
            return true;
        }
    }
    return false;
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
                if (is_actuator(n)) {
                    apply(r, n, s);
                }
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

static void read_actuator(mjcf *m, const xml_node *n)
{
    robot *r = m->r;
    actuator_state s = {.a = {.name = mjcf_name(m->r, n, m->r->suffix ? m->r->suffix : ""),
                              .node = n,
                              .gear = {1},
                              .gain = {1},
                              .tau = 1.0}};
    apply_class(r, mjcf_class_of(m, n, m->classes), &s);
    apply(r, n, &s);
    if (s.refused) {
        robot_leave_out(r, n, NULL, robot_printf(r, "an actuator of the kind '%s'", s.refused));
    } else if (read_transmission(m, n, &s.a)) {
        inherit_range(m, n, &s);
        s.a.damp_ratio = s.damp_ratio;
        s.a.has_ctrl_range = limited(m, s.ctrl_limited, s.has_ctrl);
        s.a.has_force_range = limited(m, s.force_limited, s.has_force);
        s.a.has_act_range = limited(m, s.act_limited, s.has_act);
        const int i = ROBOT_ADD(r, actuators);
        if (i >= 0) r->actuators[i] = s.a;
    }
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
