// Meshes of robots: files, and what they enclose.
#ifndef PH_IO_ROBOT_MESH_H
#define PH_IO_ROBOT_MESH_H

#include "io/robot/robot.h"

struct robot_mesh {
    const char *name, *path;
    const xml_node *node;
    int vertex_count, triangle_count;
    ph_vec3 *vertices;
    int (*triangles)[3]; // none: a cloud of points
    const char *inertia; // "legacy" "exact" "convex" "shell"
    ph_vec3 scale;       // URDF, SDF: it was read with
    ph_vec3 *corners;    // of its hull, when they are known
    int corner_count;
};

typedef struct solid { // of density 1, or of surface density 1 for shells
    double volume;
    ph_vec3 com;
    ph_mat3 inertia; // about com
} solid;

// Reads OBJ, STL or MSH. Vertices are rounded to single precision as the formats' own reader does. False after a mistake,
// which is reported at `node`.
bool mesh_load(robot *r, const xml_node *node, const char *path, robot_mesh *mesh);

// COLLADA: points alone, for hulls. The same otherwise.
bool mesh_load_dae(robot *r, const xml_node *node, const char *path, robot_mesh *mesh);

void mesh_scale(robot_mesh *mesh, ph_vec3 scale); // a mirror image keeps its faces turned outwards

// mesh_hull.c: the corners of its hull, found once; `rough`: about a hundred of them, for the eye. 0: it has none, or memory ended.
int mesh_corners(robot *r, robot_mesh *mesh, bool rough, ph_vec3 **points);

// mesh_solid.c. False when it encloses nothing.
bool mesh_solid(robot *r, robot_mesh *mesh, const char *mode, solid *to);
bool geom_solid(robot *r, const robot_geom *geom, solid *to);          // in the frame of the geom
bool primitive_solid(const robot_geom *geom, solid *to);               // primitives.c: or of its surface
ph_mat3 inertia_about(ph_mat3 inertia, double mass, ph_vec3 from_com); // parallel axes
ph_mat3 inertia_turned(ph_mat3 inertia, ph_quat q);

#endif
