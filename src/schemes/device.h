// Machines beside the processor that make the steps of `moreau`: optional components, found by name.
#ifndef PH_SCHEMES_DEVICE_H
#define PH_SCHEMES_DEVICE_H

#include "schemes/scheme.h"

// The scheme in place of `scheme` on a device; NULL or "cpu": itself. NULL, and an error, where there is none.
const ph_scheme *device_scheme(const char *device, const ph_scheme *scheme, ph_error *error);

#endif
