// Triangles of shapes, for pages, films and files that show them; each type draws itself (shape.h).
#ifndef PH_SHAPES_TRIANGLES_H
#define PH_SHAPES_TRIANGLES_H

#include "base/memory.h"
#include "polhode/spec.h"

typedef struct triangles {
    int point_count, triangle_count;
    float *points;     // x, y, z, in the frame of the shape
    float *normals;    // at the points, of length 1
    uint32_t *corners; // three for each triangle, counter-clockwise seen from outside
} triangles;

// False when its triangles are not known; then there are none. `extent` is how far a plane is drawn from its middle.
// Everything lives in the arena. *out_of_memory is set when that is the reason.
bool triangles_make(const ph_shape_def *shape, double extent, arena *memory, triangles *to, bool *out_of_memory);

// ---- For types that draw themselves: false when out of memory ---------------------------------------------------------

bool triangles_reserve(triangles *s, arena *memory, int points, int triangles); // before any is added

// With the normal of their plane; three and four points.
void triangles_add(triangles *s, ph_vec3 a, ph_vec3 b, ph_vec3 c);
void triangles_add4(triangles *s, ph_vec3 a, ph_vec3 b, ph_vec3 c, ph_vec3 d);

// Profile of a shape that is round about z: radius, height, normal. From the top down; where it has an edge two points stand.
typedef struct profile_point {
    double r, z, normal_r, normal_z;
} profile_point;

bool triangles_sweep(triangles *s, arena *memory, const profile_point *profile, int count, ph_vec3 scale);
// Half circles around +-half on the axis: a sphere for half = 0.
bool triangles_sweep_round(triangles *s, arena *memory, double radius, double half, ph_vec3 scale);
void triangles_turn(triangles *s, ph_vec3 axis); // z into the direction of the axis

#endif
