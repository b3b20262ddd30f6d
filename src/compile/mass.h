// Volume, centre of mass and inertia of shapes.
#ifndef PH_COMPILE_MASS_H
#define PH_COMPILE_MASS_H

#include "base/memory.h"
#include "polhode/spec.h"

typedef struct mass_properties {
    double volume, mass;
    ph_vec3 com;     // in the body frame
    ph_mat3 inertia; // about the centre of mass, body axes
} mass_properties;

// Of shapes that are sound (compile_shapes). Shapes without volume (planes, height fields, open meshes) add nothing.
// Overlaps count twice. `by_density`: mass from each shape's density, else density 1. False when out of memory.
bool mass_of_shapes(const ph_shape_def *shapes, int count, bool by_density, arena *scratch, mass_properties *sum);

#endif
