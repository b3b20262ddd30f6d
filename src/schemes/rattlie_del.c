// The discrete Euler-Lagrange form of RATTLie: geodesics, G(f) = T^-T(-f) J f. Huang et al. 2022, (16), (17).
#include "schemes/del.h"
#include "schemes/rattlie.h"

extern const ph_scheme scheme_rattlie_del;

static ph_status create(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error)
{
    return del_create(model, &scheme_rattlie_del, settings, &rule_rattlie, self, error);
}

const ph_scheme scheme_rattlie_del = {
    .name = "rattlie-del",
    .title = "RATTLie, discrete Euler-Lagrange form",
    .reference = "Huang et al. 2022, (16)-(17); Hante and Arnold 2021",
    .order = 2,
    .traits = PH_SYMPLECTIC | PH_TIME_REVERSIBLE | PH_KEEPS_POSITION_CONSTRAINT | PH_KEEPS_MOMENTUM,
    .create = create,
    .step = del_step,
    .destroy = del_destroy,
};
