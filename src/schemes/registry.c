// The table of schemes: one line each.
#include "schemes/scheme.h"

extern const ph_scheme scheme_rattlie;

const ph_scheme *const schemes[] = {
    &scheme_rattlie,
    NULL,
};
