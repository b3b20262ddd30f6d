#include "io/robot/robot.h"
void sdf_read(robot *r, xml_node *root)
{
    robot_fail(r, root, NULL, NULL, "SDF is not read");
}
