// Twists and wrenches of bodies in world axes, about their centres of mass.
#ifndef PH_MATH_SCREW_H
#define PH_MATH_SCREW_H

#include "math/vec3.h"

typedef struct screw { // (angular | linear) or (torque | force)
    ph_vec3 angular, linear;
} screw;

#endif
