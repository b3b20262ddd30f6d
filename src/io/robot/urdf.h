// Loops of URDF, which stand in a file beside it (urdf_loops.c).
#ifndef PH_IO_ROBOT_URDF_H
#define PH_IO_ROBOT_URDF_H

#include "io/robot/robot.h"

void urdf_loops(robot *r);

#endif
