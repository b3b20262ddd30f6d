// Joint coordinates of a robot, and closing its loops.
#ifndef PH_IO_ROBOT_KINEMATICS_H
#define PH_IO_ROBOT_KINEMATICS_H

#include "io/robot/robot.h"

// Sets world poses of bodies and world axes and anchors of joints from the coordinates of the joints.
void robot_place(robot *r);
void robot_place_as_drawn(robot *r); // the same with every coordinate as the model is drawn

void robot_place_at_start(robot *r); // as drawn, or where a keyframe says

pose robot_motion(const robot *r, int body); // of all joints of a body, in its frame as it is drawn

// assemble.c: moves the joints until all loops are closed, where they are not. A loop that stays open is reported.
void robot_assemble(robot *r);

// How far a loop is open: m and rad; of a coupling the coordinate.
void loop_gap(const robot *r, const robot_loop *loop, ph_vec3 *apart, ph_vec3 *turn);
double coupling_gap(const robot *r, const robot_loop *loop, double *slope);

#endif
