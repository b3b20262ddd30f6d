// --set name=value for robots: inputs by name, joints by JOINT.coordinate and JOINT.rate.

#include "expression/expression.h"
#include "io/robot/build.h"

#include <string.h>

static bool number_of(robot *r, const ph_setting *s, double *to)
{
    const bool minus = s->value[0] == '-';
    const char *start = s->value + (minus || s->value[0] == '+'), *end;
    const double value = expression_number(start, &end);
    *to = minus ? -value : value;
    return (end > start && !*end) || robot_fail(r, NULL, NULL, "a robot has no parameters: give a number",
                                                "--set %.60s=%.60s", s->name, s->value);
}

static bool set_input(builder *b, const ph_setting *s, double value)
{
    for (int i = 0; i < b->spec->input_count; i++) {
        if (strcmp(b->spec->inputs[i].name, s->name) == 0) {
            b->spec->inputs[i].value = value;
            return true;
        }
    }
    return false;
}

static bool set_joint(builder *b, const ph_setting *s, double value)
{
    const char *dot = strrchr(s->name, '.');
    const bool rate = dot && strcmp(dot, ".rate") == 0, coordinate = dot && strcmp(dot, ".coordinate") == 0;
    for (int i = 0; (rate || coordinate) && i < b->spec->joint_count; i++) {
        ph_joint_def *j = &b->spec->joints[i];
        const size_t length = (size_t)(dot - s->name);
        if (strlen(j->name) == length && strncmp(j->name, s->name, length) == 0) {
            *(rate ? &j->has_rate[0] : &j->has_coordinate[0]) = true;
            *(rate ? &j->rate[0] : &j->coordinate[0]) = value;
            return true;
        }
    }
    return false;
}

void build_settings(builder *b)
{
    robot *r = b->r;
    for (int i = 0; i < r->options.setting_count; i++) {
        const ph_setting *s = &r->options.settings[i];
        double value;
        if (s->name[0] != '.' && number_of(r, s, &value) && !set_input(b, s, value) && !set_joint(b, s, value)) {
            robot_fail(r, NULL, NULL, "actuators are inputs; JOINT.coordinate and JOINT.rate of its joints",
                       "--set %.60s: the robot has nothing of that name", s->name);
        }
    }
}
