// The table of schemes: one line each.
#include "schemes/scheme.h"

extern const ph_scheme scheme_rattlie;
extern const ph_scheme scheme_lgvi;
extern const ph_scheme scheme_rattlie4;
extern const ph_scheme scheme_rattlie6;
extern const ph_scheme scheme_rk4;
extern const ph_scheme scheme_rkmk4;

const ph_scheme *const schemes[] = {
    &scheme_rattlie,
    &scheme_lgvi,
    &scheme_rattlie4,
    &scheme_rattlie6,
    &scheme_rkmk4,
    &scheme_rk4,
    NULL,
};
