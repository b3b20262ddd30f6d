// Triangle meshes: corners found equal are one, triangles know their neighbours, and what is wrong is counted.
#ifndef PH_MODEL_MESH_H
#define PH_MODEL_MESH_H

#include "base/memory.h"
#include "polhode/math.h"

enum { MESH_NUMBERS = 9 }; // of a triangle in ph_shape_def.data: three corners, counter-clockwise seen from outside

typedef struct mesh {
    int vertex_count, triangle_count;
    ph_vec3 *vertices;
    int (*triangles)[3];
    int (*beside)[3]; // triangle across the edge from corner k to corner k + 1, -1: none
    int *first;       // vertex_count + 1: triangles around vertex i are around[first[i]] ... around[first[i + 1] - 1]
    int *around;
} mesh;

typedef struct defect {
    int count, triangle, other; // how many; the first of them, and a triangle it collides with
} defect;

typedef struct mesh_defects {
    defect degenerate; // without area
    defect twin;       // with the corners of another
    defect crowded;    // with an edge that more than two triangles share
    defect turned;     // whose neighbour has the other side outside
    int open_edges;    // with one triangle only: no defect of a surface, but it encloses nothing
    double volume;     // enclosed; negative when turned inside out
} mesh_defects;

// From `count` triangles of nine numbers. Neighbours are complete only when nothing is wrong. False when out of memory.
bool mesh_create(const double *numbers, int count, arena *memory, mesh *mesh, mesh_defects *defects);

bool mesh_is_sound(const mesh_defects *defects); // it may be open

#endif
