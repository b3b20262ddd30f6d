// Shapes: what a type of shape owns. One file each, and one line in types.h.
#ifndef PH_SHAPES_SHAPE_H
#define PH_SHAPES_SHAPE_H

#include "base/element_key.h"
#include "base/memory.h"
#include "polhode/spec.h"

// Solid of density 1: volume V, and inertia J about the centre c of volume, in some frame.
typedef struct solid {
    double V;
    ph_vec3 c;
    ph_mat3 J;
} solid;

// Where a type reports what is wrong with the data of a shape, at a key of it; NULL: at the shape.
typedef struct shape_faults {
    void (*add)(void *user, const char *key, const char *hint, const char *text);
    void *user;
    arena *scratch;
    bool out_of_memory;
} shape_faults;

typedef struct shape_type {
    const char *name, *title;
    const element_key *keys; // of the model file, beyond those of all shapes; the last has no name
    // In the frame of the shape, of a sound shape; V = 0 where it encloses nothing. False when out of memory. NULL: the type has
    // no volume, and takes no density.
    bool (*solid)(const ph_shape_def *shape, arena *scratch, solid *to);
    bool surface;     // without inside: it collides on fixed bodies only
    const char *data; // key of its data, which may stand in a file too; NULL: it has none
    void (*check)(const ph_shape_def *shape,
                  shape_faults *faults); // of its data, which are there and finite. NULL: nothing to check
} shape_type;

extern const shape_type *const shape_types[];        // registry.c, ends with NULL
const shape_type *shape_type_find(const char *name); // NULL: there is none

#define SHAPE_KEY(member) KEY_AT(ph_shape_def, member)

__attribute__((format(printf, 4, 5))) void shape_fault(shape_faults *faults, const char *key, const char *hint,
                                                       const char *format, ...);

// ---- solid.c --------------------------------------------------------------------------------------------------------

// With three planes of symmetry, from second moments sxx = int x^2 dV ...
solid solid_symmetric(double V, double sxx, double syy, double szz);
solid solid_ellipsoid(ph_vec3 radii);
solid solid_cylinder(double radius, double length);                                  // along z
solid solid_turned(ph_mat3 R, solid s);                                              // its frame turned by R
ph_mat3 shape_axes(ph_vec3 axis);                                                    // whose z points along `axis`
solid solid_polyhedron(const ph_vec3 *points, int count, const int (*triangles)[3]); // V = 0 where it is inside out

#endif
