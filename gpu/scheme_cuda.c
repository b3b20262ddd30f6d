// `moreau` on the device "gpu".
#include "scheme_card.h"

static ph_status create(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error)
{
    return card_scheme_create(model, &card_machine_cuda, "gpu", settings->threads, self, error);
}

extern const ph_scheme scheme_moreau_gpu;
const ph_scheme scheme_moreau_gpu = {
    .name = "moreau",
    .title = "velocity-impulse Euler with contact, on the device gpu",
    .reference = "as moreau",
    .order = 1,
    .traits = PH_KEEPS_POSITION_CONSTRAINT | PH_KEEPS_VELOCITY_CONSTRAINT | PH_HAS_CONTACT,
    .create = create,
    .step = card_scheme_step,
    .advance = card_scheme_advance,
    .destroy = card_scheme_destroy,
};
