// `moreau` on the device "host".
#include "scheme_card.h"

static ph_status create(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error)
{
    return card_scheme_create(model, &card_machine_host, "host", settings->threads, self, error);
}

extern const ph_scheme scheme_moreau_host;
const ph_scheme scheme_moreau_host = {
    .name = "moreau",
    .title = "velocity-impulse Euler with contact, on the device host",
    .reference = "as moreau",
    .order = 1,
    .traits = PH_KEEPS_POSITION_CONSTRAINT | PH_KEEPS_VELOCITY_CONSTRAINT | PH_HAS_CONTACT,
    .create = create,
    .step = card_scheme_step,
    .advance = card_scheme_advance,
    .destroy = card_scheme_destroy,
};
