// The flat parts of shapes.
#ifndef PH_COLLIDE_FEATURES_H
#define PH_COLLIDE_FEATURES_H

#include "collide/manifold.h"

// The part of a convex shape that looks along the unit vector d: a face, a line or a point; count 0 for round shapes.
void shape_face(const placed *p, ph_vec3 d, face *to);

#endif
