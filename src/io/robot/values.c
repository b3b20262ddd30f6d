// Attributes as numbers, vectors, frames; poses.

#include "expression/expression.h"
#include "io/robot/robot.h"
#include "math/quat.h"
#include "math/so3.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- Memory ---------------------------------------------------------------------------------------------------------

int robot_added(robot *r, bool grown, int *count)
{
    r->out_of_memory = r->out_of_memory || !grown;
    return grown ? (*count)++ : ROBOT_NONE;
}

void *robot_alloc(robot *r, size_t count, size_t size)
{
    void *block = arena_alloc_array(r->memory, count, size);
    r->out_of_memory = r->out_of_memory || !block;
    return block;
}

const char *robot_printf(robot *r, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *copy = arena_copy_string(r->memory, text);
    r->out_of_memory = r->out_of_memory || !copy;
    return copy ? copy : "";
}

// ---- Numbers --------------------------------------------------------------------------------------------------------

static const char *skip_blanks(const char *s)
{
    return s + strspn(s, " \t\r\n");
}

// One number with its sign; `nan` and `inf` are words of their own. NULL when there is none.
static const char *take_number(const char *s, double *to)
{
    const bool minus = *s == '-';
    const char *start = s + (*s == '-' || *s == '+'), *end;
    double value = expression_number(start, &end);
    if (end == start && (strncmp(start, "inf", 3) == 0 || strncmp(start, "Inf", 3) == 0)) {
        value = HUGE_VAL;
        end = start + (strncmp(start, "infinity", 8) == 0 ? 8 : 3);
    }
    *to = minus ? -value : value;
    return end == start || (*end && !strchr(" \t\r\n", *end)) ? NULL : end;
}

int robot_numbers(robot *r, const xml_node *node, const char *attribute, const char *text, double *to, int most)
{
    int count = 0;
    for (const char *s = skip_blanks(text); *s; s = skip_blanks(s)) {
        double value;
        const char *end = take_number(s, &value);
        if (!end) {
            const int length = (int)strcspn(s, " \t\r\n");
            robot_fail(r, node, attribute, NULL, "'%.*s' is not a number", length < 40 ? length : 40, s);
            return -1;
        }
        if (count >= most) {
            robot_fail(r, node, attribute, NULL, "%s has more than %d number%s", attribute ? attribute : node->name,
                       most, most == 1 ? "" : "s");
            return -1;
        }
        to[count++] = value;
        s = end;
    }
    return count;
}

double robot_number(robot *r, const xml_node *node, const char *attribute, double otherwise)
{
    const char *text = xml_get(node, attribute);
    double value = otherwise;
    if (text && robot_numbers(r, node, attribute, text, &value, 1) == 0) {
        robot_fail(r, node, attribute, NULL, "%s needs a number", attribute);
    }
    return value;
}

bool robot_vector(robot *r, const xml_node *node, const char *attribute, ph_vec3 *to)
{
    const char *text = xml_get(node, attribute);
    double v[3] = {0};
    if (!text) {
        return false;
    }
    const int count = robot_numbers(r, node, attribute, text, v, 3);
    if (count >= 0 && count != 3) {
        robot_fail(r, node, attribute, NULL, "%s needs three numbers", attribute);
    }
    *to = (ph_vec3){v[0], v[1], v[2]};
    return count == 3;
}

// ---- Poses ----------------------------------------------------------------------------------------------------------

pose pose_identity(void)
{
    return (pose){{0.0, 0.0, 0.0}, ph_quat_identity()};
}

ph_vec3 pose_apply(pose a, ph_vec3 p)
{
    return ph_add(a.p, ph_quat_rotate(a.q, p));
}

pose pose_mul(pose a, pose b)
{
    return (pose){pose_apply(a, b.p), ph_quat_unit(ph_quat_mul(a.q, b.q))};
}

pose pose_inverse(pose a)
{
    const ph_quat back = ph_quat_conj(a.q);
    return (pose){ph_neg(ph_quat_rotate(back, a.p)), back};
}

ph_quat quat_turn(ph_vec3 axis, double angle)
{
    const double length = ph_norm(axis);
    return length > 0.0 ? ph_quat_exp(ph_scale(angle / length, axis)) : ph_quat_identity();
}

// R = Rz(yaw) Ry(pitch) Rx(roll)
ph_quat quat_rpy(double roll, double pitch, double yaw)
{
    const ph_quat x = ph_quat_exp((ph_vec3){roll, 0, 0}), y = ph_quat_exp((ph_vec3){0, pitch, 0}),
                  z = ph_quat_exp((ph_vec3){0, 0, yaw});
    return ph_quat_unit(ph_quat_mul(z, ph_quat_mul(y, x)));
}
