// Triangles of shapes, for files that show them.
#ifndef PH_IO_PAGE_SURFACE_H
#define PH_IO_PAGE_SURFACE_H

#include "base/memory.h"
#include "polhode/spec.h"

typedef struct surface {
    int point_count, triangle_count;
    float *points;     // x, y, z, in the frame of the shape
    float *normals;    // at the points, of length 1
    uint32_t *corners; // three for each triangle, counter-clockwise seen from outside
} surface;

// False when its triangles are not known; then the surface is empty. `extent` is how far a
// plane is drawn from its middle. Everything lives in the arena. *out_of_memory is set when that is the reason.
bool surface_make(const ph_shape_def *shape, double extent, arena *memory, surface *surface, bool *out_of_memory);

#endif
