// The force types of the model file, one file each. A new one is its file and its line here.
#ifndef PH_FORCES_TYPES_H
#define PH_FORCES_TYPES_H

#include "forces/force.h"

#define FORCE_TYPES(X)                                                                                                 \
    X(spring)                                                                                                          \
    X(torsion)                                                                                                         \
    X(bushing)                                                                                                         \
    X(wrench)                                                                                                          \
    X(gravity_field)                                                                                                   \
    X(drag)

#define FORCE_TYPE_EXTERN(name) extern const force_type force_##name;
FORCE_TYPES(FORCE_TYPE_EXTERN)
#undef FORCE_TYPE_EXTERN

#endif
