// The discrete Euler-Lagrange form of lgvi: chords, G(f) = alpha J f + beta f x Jf.
#include "schemes/del.h"
#include "schemes/kinetic_chord.h"

extern const ph_scheme scheme_lgvi_del;

static ph_status create(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error)
{
    return del_create(model, &scheme_lgvi_del, settings, &rule_chord, self, error);
}

const ph_scheme scheme_lgvi_del = {
    .name = "lgvi-del",
    .title = "Lie-group variational integrator, discrete Euler-Lagrange form",
    .reference = "Huang et al. 2022, (11)-(14) in two-step form; Lee, Leok and McClamroch 2007",
    .aliases = "DL",
    .order = 2,
    .traits = PH_SYMPLECTIC | PH_TIME_REVERSIBLE | PH_KEEPS_POSITION_CONSTRAINT | PH_KEEPS_MOMENTUM,
    .create = create,
    .step = del_step,
    .destroy = del_destroy,
};
