// The joint types, one file each. A new one is its file and its line here.
#ifndef PH_JOINTS_TYPES_H
#define PH_JOINTS_TYPES_H

#include "joints/joint.h"

#define JOINT_TYPES(X)                                                                                                 \
    X(fixed)                                                                                                           \
    X(ball)                                                                                                            \
    X(revolute)                                                                                                        \
    X(prismatic)                                                                                                       \
    X(cylindrical)                                                                                                     \
    X(universal)                                                                                                       \
    X(distance)                                                                                                        \
    X(planar)                                                                                                          \
    X(point_on_line)                                                                                                   \
    X(point_on_plane)                                                                                                  \
    X(screw)                                                                                                           \
    X(slot)                                                                                                            \
    X(generic)                                                                                                         \
    X(gear)                                                                                                            \
    X(rolling_sphere)                                                                                                  \
    X(rolling_disc)                                                                                                    \
    X(knife_edge)                                                                                                      \
    X(no_slip)                                                                                                         \
    X(generic_velocity)                                                                                                \
    X(chain)                                                                                                           \
    X(own_coordinate)

#define JOINT_TYPE_EXTERN(name) extern const joint_type joint_##name;
JOINT_TYPES(JOINT_TYPE_EXTERN)
#undef JOINT_TYPE_EXTERN

#endif
