// Loops of URDF: a file of example-parallel-robots beside it says which links coincide.

#include "io/robot/urdf.h"

#include <string.h>

void urdf_loops(robot *r)
{
    size_t length;
    const char *path = r->options.loops ? r->options.loops : robot_join(r, r->folder, "robot.yaml");
    if (!r->options.loops && !robot_exists(path)) {
        return;
    }
    const char *text = robot_load(r, NULL, path, &length, false);
    if (text && strstr(text, "closed_loop")) {
        robot_leave_out(r, NULL, NULL, robot_printf(r, "the loops of %s", path));
    }
}
