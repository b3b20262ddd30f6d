// The table of joint types, made from the list in types.h.

#include "joints/types.h"

#include <stddef.h>

#define JOINT_TYPE_ENTRY(name) &joint_##name,
const joint_type *const joint_types[] = {JOINT_TYPES(JOINT_TYPE_ENTRY) NULL};
