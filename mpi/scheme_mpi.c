// `moreau` on the device "mpi".
#include "ranks.h"
#include "scheme_card.h"

static ph_status create(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error)
{
    return card_scheme_create(model, &card_machine_ranks, "mpi", settings->threads, self, error);
}

extern const ph_scheme scheme_moreau_mpi;
const ph_scheme scheme_moreau_mpi = {
    .name = "moreau",
    .title = "velocity-impulse Euler with contact, on all ranks of MPI",
    .reference = "as moreau",
    .order = 1,
    .traits = PH_KEEPS_POSITION_CONSTRAINT | PH_KEEPS_VELOCITY_CONSTRAINT | PH_HAS_CONTACT,
    .create = create,
    .step = card_scheme_step,
    .advance = card_scheme_advance,
    .destroy = card_scheme_destroy,
};
