// Collision geometry: where two shapes touch, or how far apart they are.
//
// A collider is a shape made ready once: sizes, hull faces, mesh tree. Nothing in it changes afterwards and nothing is
// kept elsewhere, so that any number of threads may ask at once; the same question gets the same bits. Frames are those
// of the bodies: rotation body -> world and centre of mass.
#ifndef PH_COLLIDE_COLLIDE_H
#define PH_COLLIDE_COLLIDE_H

#include "math/frame.h"
#include "polhode/spec.h"

typedef struct collider collider;

// `shape` is sound (compile_shapes), its file already read into arrays; `com` is the centre of mass of its body in the body
// frame. The allocator is copied; NULL: malloc and free.
ph_status collider_create(const ph_shape_def *shape, ph_vec3 com, const ph_allocator *allocator, collider **to,
                          ph_error *error);
void collider_destroy(collider *c); // takes NULL

typedef struct aabb {
    ph_vec3 low, high;
} aabb;

// Planes reach to infinity.
aabb collider_bounds(const collider *c, const frame *body);

typedef struct contact_point {
    ph_vec3 on_a, on_b; // witness points on the two surfaces, world
    ph_vec3 normal;     // unit, from a to b
    double gap;         // normal . (on_b - on_a), negative when the shapes overlap
    uint64_t feature;   // the same place of a pair keeps its number from step to step
} contact_point;

typedef struct contact_list {
    contact_point *points;
    int count, capacity;
    int growths; // how often memory was taken
    const ph_allocator *allocator;
} contact_list;

void contact_list_free(contact_list *list);

// Appends the contact points of one pair whose gap is below `margin`. The only failure is PH_OUT_OF_MEMORY.
//
// Faces that meet flat give up to four points, chosen so that one shape rests on the other as on the whole face; meshes
// and height fields up to four for each direction in which they touch. Points of one pair may have different normals.
// Two surfaces without inside (plane, mesh, height field) do not meet.
ph_status collide(const collider *a, const frame *body_a, const collider *b, const frame *body_b, double margin,
                  contact_list *out);

// The distance of two shapes, or the negative depth of their overlap: the shortest way to part them. Witness points and
// the normal from a to b may be NULL. Infinite for pairs that do not meet, and behind meshes.
double collide_distance(const collider *a, const frame *body_a, const collider *b, const frame *body_b, ph_vec3 *on_a,
                        ph_vec3 *on_b, ph_vec3 *normal);

#endif
