// Parts of the reader of URDF.
#ifndef PH_IO_ROBOT_URDF_H
#define PH_IO_ROBOT_URDF_H

#include "io/robot/robot.h"

void urdf_check(robot *r, const xml_node *root); // urdf_check.c: names, ends of joints, typing errors
void urdf_loops(robot *r);                       // urdf_loops.c: loops, which stand in a file beside it

#endif
