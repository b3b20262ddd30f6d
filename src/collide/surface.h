// Surfaces without inside: triangle meshes with a tree of boxes, and height fields on a grid.
#ifndef PH_COLLIDE_SURFACE_H
#define PH_COLLIDE_SURFACE_H

#include "collide/collide.h"
#include "model/mesh.h"

// A node of the tree, in the order of a walk: the first child follows, `skip` is where to go on without its children.
typedef struct tree_node {
    aabb box;
    int skip;
    int first, count; // a leaf: triangles order[first] ...; else count 0
} tree_node;

typedef struct surface {
    aabb box;
    // a mesh
    mesh mesh;
    ph_vec3 *normals;
    int *order;
    tree_node *nodes;
    int node_count;
    // a height field: rows along y, columns along x, every cell two triangles with the edge from low x, y to high x, y
    int rows, columns;
    double x0, y0, dx, dy;
    double *heights;
    double *smooth; // with a row and a column more at each end; NULL: flat triangles
} surface;

typedef struct surface_triangle {
    int id;
    ph_vec3 p[3]; // counter-clockwise seen from outside
    ph_vec3 n;
} surface_triangle;

ph_status surface_of_mesh(const ph_shape_def *shape, arena *memory, surface **to, ph_error *error);
ph_status surface_of_heights(const ph_shape_def *shape, arena *memory, surface **to, ph_error *error);

// Makes a height field smooth for spheres; false when out of memory.
bool smooth_create(surface *s, arena *memory);

// Calls `see` for every triangle whose box meets `box`, in an order that depends on the surface alone.
typedef void surface_visitor(void *user, const surface_triangle *triangle);
void surface_visit(const surface *s, const aabb *box, surface_visitor *see, void *user);

// Whether a shape in direction m (unit) may be nearest to edge k (from corner k to k + 1), or to corner k, of the triangle:
// m must not lead over the triangles beyond, which would be nearer. At the rim of an open surface m must not lead behind it.
bool surface_allows_edge(const surface *s, const surface_triangle *t, int k, ph_vec3 m);
bool surface_allows_corner(const surface *s, const surface_triangle *t, int k, ph_vec3 m);

#endif
