// The table of schemes: one line each.
#include "schemes/scheme.h"

extern const ph_scheme scheme_rattlie;
extern const ph_scheme scheme_lgvi;

const ph_scheme *const schemes[] = {
    &scheme_rattlie,
    &scheme_lgvi,
    NULL,
};
