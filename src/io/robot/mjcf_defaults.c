// Default classes of MJCF: an attribute that an element does not have comes from its class, then from the classes around it.

#include "io/robot/mjcf.h"
#include "math/quat.h"
#include "math/so3.h"

#include <math.h>
#include <string.h>

// ---- Classes ----------------------------------------------------------------------------------------------------------

static mjcf_class *find_class(mjcf *m, const char *name)
{
    for (mjcf_class *c = m->classes; c; c = c->next) {
        if (c->name && strcmp(c->name, name) == 0) {
            return c;
        }
    }
    return NULL;
}

static mjcf_class *add_class(mjcf *m, const char *name, const mjcf_class *parent)
{
    mjcf_class *c = robot_alloc(m->r, 1, sizeof *c), **end = &m->classes;
    if (!c) {
        return NULL;
    }
    *c = (mjcf_class){.name = name, .parent = parent};
    while (*end) end = &(*end)->next;
    *end = c;
    return c;
}

static void read_class(mjcf *m, const xml_node *node, mjcf_class *class)
{
    if (!class || class->node_count == CLASS_NODES_MAX) {
        robot_fail(m->r, node, NULL, NULL, "there are too many elements <default> of one class");
        return;
    }
    class->nodes[class->node_count++] = node;
    for
        XML_EACH(child, node)
        {
            if (!xml_is(child, "default")) {
                continue;
            }
            const char *name = xml_get(child, "class");
            if (!name) {
                robot_fail(m->r, child, NULL, "<default class=\"NAME\">",
                           "a default class inside of another needs a name");
                continue;
            }
            mjcf_class *known = find_class(m, name);
            read_class(m, child, known ? known : add_class(m, name, class));
        }
}

void mjcf_read_classes(mjcf *m)
{
    mjcf_class *main = add_class(m, "main", NULL);
    for (const xml_node *d = xml_child(m->root, "default"); d && main; d = xml_next(d, "default")) {
        const char *name = xml_get(d, "class");
        if (name && main->node_count == 0) {
            main->name = name;
        }
        mjcf_class *known = name ? find_class(m, name) : main;
        read_class(m, d, known ? known : add_class(m, name, main));
    }
}

const mjcf_class *mjcf_class_of(mjcf *m, const xml_node *node, const mjcf_class *inherited)
{
    const char *name = xml_get(node, "class");
    if (!name) {
        return inherited;
    }
    const mjcf_class *class = find_class(m, name);
    if (!class) {
        robot_fail(m->r, node, "class", NULL, "there is no default class '%.100s'", name);
    }
    return class ? class : inherited;
}

const char *mjcf_get(const xml_node *node, const mjcf_class *class, const char *type, const char *attribute,
                     const xml_node **where)
{
    const char *value = xml_get(node, attribute);
    const xml_node *found = node;
    for (; !value && class; class = class->parent) {
        for (int i = class->node_count - 1; !value && i >= 0; i--) {
            for (const xml_node *d = xml_child(class->nodes[i], type); d && !value; d = xml_next(d, type)) {
                value = xml_get(d, attribute);
                found = d;
            }
        }
    }
    if (where) *where = found;
    return value;
}

// ---- Values -----------------------------------------------------------------------------------------------------------

const char *element_text(const mjcf_element *e, const char *attribute)
{
    return mjcf_get(e->node, e->class, e->type, attribute, NULL);
}

bool element_is(const mjcf_element *e, const char *attribute, const char *value)
{
    const char *text = element_text(e, attribute);
    return text && strcmp(text, value) == 0;
}

int element_numbers(const mjcf_element *e, const char *attribute, double *to, int most)
{
    const xml_node *where;
    const char *text = mjcf_get(e->node, e->class, e->type, attribute, &where);
    const int count = text ? robot_numbers(e->m->r, where, attribute, text, to, most) : 0;
    return count < 0 ? 0 : count;
}

double element_number(const mjcf_element *e, const char *attribute, double otherwise)
{
    element_numbers(e, attribute, &otherwise, 1);
    return otherwise;
}

bool element_vector(const mjcf_element *e, const char *attribute, ph_vec3 *to)
{
    double v[3];
    const int count = element_numbers(e, attribute, v, 3);
    if (count == 0) {
        return false;
    }
    if (count != 3) {
        return robot_fail(e->m->r, e->node, attribute, NULL, "%s needs three numbers", attribute);
    }
    *to = (ph_vec3){v[0], v[1], v[2]};
    return true;
}

bool element_range(const mjcf_element *e, const char *limited, const char *range, double *low, double *high)
{
    double v[2] = {0};
    const int count = element_numbers(e, range, v, 2);
    const char *word = element_text(e, limited);
    *low = v[0];
    *high = v[1];
    if (word && strcmp(word, "auto") != 0) {
        return strcmp(word, "true") == 0;
    }
    return e->m->autolimits && count == 2;
}

double mjcf_angle(const mjcf *m, double value)
{
    return m->radian ? value : value * (3.14159265358979323846 / 180.0);
}

// ---- Frames -----------------------------------------------------------------------------------------------------------

// Turns in the order of eulerseq: small letters about axes that turn along, capitals about fixed ones.
ph_quat mjcf_euler(const mjcf *m, const double angles[3])
{
    ph_quat q = ph_quat_identity();
    for (int k = 0; k < 3; k++) {
        const char c = m->euler[k];
        const double a = mjcf_angle(m, angles[k]);
        const ph_vec3 axis = c == 'x' || c == 'X'   ? (ph_vec3){a, 0, 0}
                             : c == 'y' || c == 'Y' ? (ph_vec3){0, a, 0}
                                                    : (ph_vec3){0, 0, a};
        const ph_quat turn = ph_quat_exp(axis);
        q = c >= 'a' ? ph_quat_mul(q, turn) : ph_quat_mul(turn, q);
    }
    return q;
}

static ph_quat quat_axes(ph_vec3 x, ph_vec3 y)
{
    x = ph_scale(1.0 / ph_norm(x), x);
    y = ph_madd(y, -ph_dot(x, y), x);
    y = ph_scale(1.0 / ph_norm(y), y);
    return ph_quat_from_mat(ph_mat_cols(x, y, ph_cross(x, y)));
}

// The smallest turn from z to `to`.
static ph_quat quat_from_z(ph_vec3 to)
{
    const double length = ph_norm(to), s = hypot(to.x, to.y);
    if (!(length > 0.0)) {
        return ph_quat_identity();
    }
    if (s < 1e-300) {
        return to.z > 0.0 ? ph_quat_identity() : (ph_quat){0, 1, 0, 0};
    }
    return quat_turn((ph_vec3){-to.y, to.x, 0.0}, atan2(s, to.z));
}

static bool own_orientation(const mjcf_element *e, ph_quat *q)
{
    double v[6];
    int count = element_numbers(e, "quat", v, 4);
    if (count == 4) {
        *q = (ph_quat){v[0], v[1], v[2], v[3]};
    } else if ((count = element_numbers(e, "euler", v, 3)) == 3) {
        *q = mjcf_euler(e->m, v);
    } else if ((count = element_numbers(e, "axisangle", v, 4)) == 4) {
        *q = quat_turn((ph_vec3){v[0], v[1], v[2]}, mjcf_angle(e->m, v[3]));
    } else if ((count = element_numbers(e, "xyaxes", v, 6)) == 6) {
        *q = quat_axes((ph_vec3){v[0], v[1], v[2]}, (ph_vec3){v[3], v[4], v[5]});
    } else if ((count = element_numbers(e, "zaxis", v, 3)) == 3) {
        *q = quat_from_z((ph_vec3){v[0], v[1], v[2]});
    } else {
        return false;
    }
    return true;
}

// What the element says itself goes before what its class says in another form.
ph_quat element_orientation(const mjcf_element *e)
{
    ph_quat q = ph_quat_identity();
    mjcf_element own = *e;
    own.class = NULL;
    if (!own_orientation(&own, &q)) {
        own_orientation(e, &q);
    }
    if (!(ph_quat_norm(q) > 1e-300)) {
        robot_fail(e->m->r, e->node, NULL, NULL, "an orientation of length zero");
        return ph_quat_identity();
    }
    return ph_quat_unit(q);
}

pose element_pose(const mjcf_element *e)
{
    pose at = pose_identity();
    element_vector(e, "pos", &at.p);
    at.q = element_orientation(e);
    return at;
}
