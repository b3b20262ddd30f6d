// A convex polyhedron: corners, and flat faces as polygons.
#ifndef PH_COLLIDE_POLYTOPE_H
#define PH_COLLIDE_POLYTOPE_H

#include "base/memory.h"
#include "math/vec3.h"

typedef struct polytope {
    int vertex_count;
    ph_vec3 *vertices;
    int face_count;
    ph_vec3 *normals;  // outward, of faces
    int *first;        // face_count + 1: where the corners of a face begin in `corners`
    int *corners;      // counter-clockwise seen from outside
    ph_vec3 low, high; // box around the corners
    // Neighbours of corner i: neighbours[link[i]] ... [link[i + 1] - 1].
    int *link, *neighbours;
} polytope;

typedef enum polytope_result { POLYTOPE_DONE, POLYTOPE_FLAT, POLYTOPE_OUT_OF_MEMORY } polytope_result;

// Convex hull of points; FLAT when they lie in a plane. Lives in `memory`; scratch comes from the allocator.
polytope_result polytope_create(const ph_vec3 *points, int count, const ph_allocator *allocator, arena *memory,
                                polytope **to);

// The corner that reaches farthest along d.
int polytope_support(const polytope *p, ph_vec3 d);

// The face that looks most along d.
int polytope_face(const polytope *p, ph_vec3 d);

#endif
