// Convex hull of points as triangles.
#ifndef PH_MODEL_HULL_H
#define PH_MODEL_HULL_H

#include "base/memory.h"
#include "polhode/math.h"

typedef struct hull {
    int count;
    int (*triangles)[3]; // indices of points, counter-clockwise seen from outside
} hull;

// False when out of memory. A hull without triangles: the points lie in a plane (or are fewer than four).
bool hull_create(const ph_vec3 *points, int count, arena *memory, hull *hull);

#endif
