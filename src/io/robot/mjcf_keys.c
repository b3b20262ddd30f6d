// Sensors and keyframes of MJCF.

#include "io/robot/mjcf.h"

#include <string.h>

static int coordinates(const robot *r, bool velocities)
{
    static const int q[] = {
        [JOINT_HINGE] = 1, [JOINT_SLIDE] = 1, [JOINT_BALL] = 4, [JOINT_FREE] = 7, [JOINT_SCREW] = 1};
    static const int v[] = {
        [JOINT_HINGE] = 1, [JOINT_SLIDE] = 1, [JOINT_BALL] = 3, [JOINT_FREE] = 6, [JOINT_SCREW] = 1};
    int sum = 0;
    for (int i = 0; i < r->joints_count; i++) sum += velocities ? v[r->joints[i].kind] : q[r->joints[i].kind];
    return sum;
}

static double *read_row(robot *r, const xml_node *n, const char *attribute, int count)
{
    const char *text = xml_get(n, attribute);
    double *row = text ? robot_alloc(r, (size_t)count + 1, sizeof *row) : NULL;
    if (!row) {
        return NULL;
    }
    const int given = robot_numbers(r, n, attribute, text, row, count);
    if (given >= 0 && given != count) {
        robot_fail(r, n, attribute, NULL, "%s needs %d numbers, it has %d", attribute, count, given);
    }
    return row;
}

// Some actuators that are left out have several controls, so that places are not known.
static double *read_controls(robot *r, const xml_node *n)
{
    const char *text = xml_get(n, "ctrl");
    double *row = text && r->controls > 0 ? robot_alloc(r, (size_t)r->controls + 1, sizeof *row) : NULL;
    if (!row || robot_numbers(r, n, "ctrl", text, row, r->controls + 1) == r->controls) return row;
    robot_leave_out(r, n, "ctrl", "controls in keyframes that are not as many as the actuators");
    return NULL;
}

void mjcf_read_keys(mjcf *m)
{
    robot *r = m->r;
    for (const xml_node *s = xml_child(m->root, "keyframe"); s; s = xml_next(s, "keyframe")) {
        for (const xml_node *n = xml_child(s, "key"); n; n = xml_next(n, "key")) {
            if (robot_words_equal(r->options.base, "fixed")) {
                robot_note(r, n, "--base fixed leaves out keyframes, which have places for free bodies");
                continue;
            }
            const int i = ROBOT_ADD(r, keys);
            if (i < 0) {
                return;
            }
            r->keys[i] = (robot_key){.name = xml_get(n, "name"), .node = n, .time = robot_number(r, n, "time", 0.0)};
            r->keys[i].qpos = read_row(r, n, "qpos", coordinates(r, false));
            r->keys[i].qvel = read_row(r, n, "qvel", coordinates(r, true));
            r->keys[i].ctrl = read_controls(r, n);
        }
    }
}
