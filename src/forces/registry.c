// The table of force types.

#include "forces/force.h"

#include <stddef.h>

const force_type *const force_types[] = {NULL};
