// The table of force types, made from the list in types.h.

#include "forces/types.h"

#include <stddef.h>

#define FORCE_TYPE_ENTRY(name) &force_##name,
const force_type *const force_types[] = {FORCE_TYPES(FORCE_TYPE_ENTRY) NULL};
