// Shapes: what a type of shape owns. One file each, and one line in types.h.
#ifndef PH_SHAPES_SHAPE_H
#define PH_SHAPES_SHAPE_H

#include "base/element_key.h"
#include "base/memory.h"
#include "math/frame.h"
#include "polhode/spec.h"
#include "shapes/triangles.h"

// Solid of density 1: volume V, and inertia J about the centre c of volume, in some frame.
typedef struct shape_solid {
    double V;
    ph_vec3 c;
    ph_mat3 J;
} shape_solid;

// Where a type reports what is wrong with the data of a shape, at a key of it; NULL: at the shape.
typedef struct shape_faults {
    void (*add)(void *user, const char *key, const char *hint, const char *text);
    void *user;
    arena *scratch;
    bool out_of_memory;
} shape_faults;

// What colliding needs of the sizes of a shape, in its own frame: z is the long axis.
typedef struct shape_sizes {
    ph_vec3 half;       // box: half lengths; ellipsoid: radii
    double radius;      // sphere, capsule, cylinder, ...
    double half_length; // capsule, cylinder, ...
} shape_sizes;

enum { FACE_MAX = 32 };

// A flat feature of a shape, in the world: a face (count > 2, counter-clockwise seen from outside), an edge (2) or a
// corner (1).
typedef struct face {
    int count;
    uint32_t id; // of the face in its shape, below 2^12
    ph_vec3 normal;
    ph_vec3 points[FACE_MAX];
} face;

typedef struct shape_type {
    const char *name, *title;
    const element_key *keys; // of the model file, beyond those of all shapes; the last has no name
    // In the frame of the shape, of a sound shape; V = 0 where it encloses nothing. False when out of memory. NULL: the type has
    // no volume, and takes no density.
    bool (*solid)(const ph_shape_def *shape, arena *scratch, shape_solid *to);
    bool surface;     // without inside: it collides on fixed bodies only
    const char *data; // key of its data, which may stand in a file too; NULL: it has none
    // Convex shapes, in their own frame: the point that reaches farthest along d, and a number that tells parts of the surface
    // apart. NULL: collide/ knows the type itself.
    ph_vec3 (*support)(const shape_sizes *s, ph_vec3 d, int *number);
    // How far the shape reaches from its origin along the axes of a frame that it is turned in by R. NULL: by its support.
    ph_vec3 (*reach)(const shape_sizes *s, ph_mat3 R);
    // The flat part that looks along the unit vector d (world) where the shape stands at `at`; it must hold the support point.
    // `to` comes with count 0 and the normal d. NULL: it has none, or collide/ finds it among the faces of a hull.
    void (*face)(const shape_sizes *s, const frame *at, ph_vec3 d, face *to);
    // Its triangles (triangles.h), in the frame of the shape; none where it has no data. False when out of memory.
    bool (*draw)(const ph_shape_def *shape, double extent, arena *memory, triangles *to);
    bool
        on_page; // the page makes its geometry from sizes and data (viewer/src/shapes.ts); else the page is given triangles
    void (*check)(const ph_shape_def *shape,
                  shape_faults *faults); // of its data, which are there and finite. NULL: nothing to check
} shape_type;

extern const shape_type *const shape_types[];        // registry.c, ends with NULL
const shape_type *shape_type_find(const char *name); // NULL: there is none

#define SHAPE_KEY(member) KEY_AT(ph_shape_def, member)
extern const element_key shape_round_keys[]; // round.c: radius, length, axis, density

__attribute__((format(printf, 4, 5))) void shape_fault(shape_faults *faults, const char *key, const char *hint,
                                                       const char *format, ...);

// ---- Faces ----------------------------------------------------------------------------------------------------------

// Up to this sine a side or cap counts as facing the other shape.
#define SHAPE_SMALL_TILT 0.03

// box.c: the face with outward normal sign * axis k.
void box_face(const shape_sizes *s, const frame *at, int k, double sign, face *to);
// round.c: a disc at height z that looks up (turn 1) or down (-1), with corners on its rim, the first where it reaches
// farthest along `local`, so that a tilted disc still touches there.
void face_of_disc(const frame *at, double radius, double z, double turn, ph_vec3 local, face *to);
// round.c: one point of the shape's own frame; two.
void face_of_point(const frame *at, ph_vec3 p, face *to);
void face_of_line(const frame *at, ph_vec3 p, ph_vec3 q, face *to);

// ---- solid.c --------------------------------------------------------------------------------------------------------

// With three planes of symmetry, from second moments sxx = int x^2 dV ...
shape_solid solid_symmetric(double V, double sxx, double syy, double szz);
shape_solid solid_ellipsoid(ph_vec3 radii);
shape_solid solid_cylinder(double radius, double length); // along z
shape_solid solid_turned(ph_mat3 R, shape_solid s);       // its frame turned by R
static inline shape_sizes shape_sizes_of(const ph_shape_def *shape)
{
    return (shape_sizes){shape->size, shape->radius, 0.5 * shape->length};
}

ph_mat3 shape_axes(ph_vec3 axis); // whose z points along `axis`
shape_solid solid_polyhedron(const ph_vec3 *points, int count,
                             const int (*triangles)[3]); // V = 0 where it is inside out

#endif
