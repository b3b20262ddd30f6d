// What URDF and SDF share: links and shapes with the same words.
#ifndef PH_IO_ROBOT_LINKS_H
#define PH_IO_ROBOT_LINKS_H

#include "io/robot/mesh.h"
#include "io/robot/robot.h"

int links_add_world(robot *r);
// A mesh named by a URI, or NULL with the reason in r->last_failure.
robot_mesh *links_mesh(robot *r, const xml_node *node, const char *uri, ph_vec3 scale);
void links_add_geom(robot *r, robot_geom geom, bool collides);
void links_lost_mesh(robot *r, const xml_node *node, bool collides);
double links_text_number(robot *r, const xml_node *node, double otherwise); // what stands in an element

#endif
