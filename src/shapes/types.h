// The shapes of the model file, one file each. A new one is its file and its line here.
#ifndef PH_SHAPES_TYPES_H
#define PH_SHAPES_TYPES_H

#include "shapes/shape.h"

#define SHAPE_TYPES(X)                                                                                                 \
    X(sphere)                                                                                                          \
    X(box)                                                                                                             \
    X(capsule)                                                                                                         \
    X(cylinder)                                                                                                        \
    X(ellipsoid)                                                                                                       \
    X(cone)                                                                                                            \
    X(plane)                                                                                                           \
    X(hull)                                                                                                            \
    X(mesh)                                                                                                            \
    X(heightfield)

#define SHAPE_TYPE_EXTERN(name) extern const shape_type shape_##name;
SHAPE_TYPES(SHAPE_TYPE_EXTERN)
#undef SHAPE_TYPE_EXTERN

#endif
